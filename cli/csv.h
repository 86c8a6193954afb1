/* Traces as `sinew run --trace FILE.csv` writes them: names in the first line, then numbers. */
#ifndef SN_CLI_CSV_H
#define SN_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sn_csv {
    uint32_t columns;
    char **name;
    size_t rows;
    double *value; /* row after row; NaN where a field is empty */
} sn_csv;

/* Reads a text of that length, which a zero follows. The text is changed, and names point into it. False, with line
   and column of the mistake in message. Release it in either case. */
bool sn_csv_read(sn_csv *csv, char *text, size_t length, char *message, size_t size);
void sn_csv_release(sn_csv *csv);

/* The column of a name; UINT32_MAX if there is none. */
uint32_t sn_csv_find(const sn_csv *csv, const char *name);

#endif
