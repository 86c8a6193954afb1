#include "cli/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The position of the reader. Fields are cut out of the text in place. */
typedef struct reader {
    char *at, *end;
    size_t line;
    bool line_ended; /* the last field was the last of its line */
} reader;

/* Removes quotes in place; "" inside stands for one quote. Returns the position after the field; NULL if the quotes
   are not closed. */
static char *unquote(char *at, char *end, char **field)
{
    char *out = *field = ++at;
    for (; at < end; ++at) {
        if (*at == '"' && (at + 1 >= end || at[1] != '"')) {
            *out = 0;
            return at + 1;
        }
        at += *at == '"';
        *out++ = *at;
    }
    return NULL;
}

/* The next field, zero-terminated; NULL if it is malformed. */
static char *next_field(reader *r)
{
    char *field = r->at, *after;
    if (r->at < r->end && *r->at == '"')
        after = unquote(r->at, r->end, &field);
    else
        for (after = r->at; after < r->end && *after != ',' && *after != '\n' && *after != '\r';)
            ++after;
    if (!after || (after < r->end && *after != ',' && *after != '\n' && *after != '\r'))
        return NULL;
    char stop = after < r->end ? *after : '\n';
    *after = 0;
    r->at = after < r->end ? after + 1 : r->end;
    if (stop == '\r' && r->at < r->end && *r->at == '\n')
        ++r->at;
    r->line_ended = stop != ',';
    return field;
}

static bool read_names(sn_csv *csv, reader *r, char *message, size_t size)
{
    uint32_t capacity = 0;
    do {
        if (csv->columns == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            char **larger = realloc(csv->name, capacity * sizeof *larger);
            if (!larger) {
                snprintf(message, size, "out of memory");
                return false;
            }
            csv->name = larger;
        }
        char *name = next_field(r);
        if (!name) {
            snprintf(message, size, "line 1: a name with quotes that do not match");
            return false;
        }
        csv->name[csv->columns++] = name;
    } while (!r->line_ended);
    return true;
}

static bool read_number(const char *field, double *value)
{
    char *end;
    if (!field)
        return false;
    while (*field == ' ')
        ++field;
    if (!*field) {
        *value = NAN;
        return true;
    }
    *value = strtod(field, &end);
    while (*end == ' ')
        ++end;
    return end != field && *end == 0;
}

static bool read_row(sn_csv *csv, reader *r, double *row, char *message, size_t size)
{
    uint32_t i = 0;
    do {
        char *start = r->at;
        char *field = next_field(r);
        if (i == csv->columns) {
            snprintf(message, size, "line %zu: has more than the %u fields of the first line", r->line, csv->columns);
            return false;
        }
        if (!read_number(field, &row[i])) {
            snprintf(message, size, "line %zu, %.40s: found '%.20s', expected a number", r->line, csv->name[i],
                     field ? field : start);
            return false;
        }
        ++i;
    } while (!r->line_ended);
    if (i < csv->columns)
        snprintf(message, size, "line %zu: has %u fields, expected %u as in the first line", r->line, i, csv->columns);
    return i == csv->columns;
}

static bool read_rows(sn_csv *csv, reader *r, char *message, size_t size)
{
    size_t capacity = 0;
    for (; r->at < r->end; ++r->line) {
        if (*r->at == '\n' || *r->at == '\r') { /* an empty line */
            ++r->at;
            continue;
        }
        if (csv->rows == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            double *larger = capacity > SIZE_MAX / sizeof(double) / csv->columns
                                 ? NULL
                                 : realloc(csv->value, capacity * csv->columns * sizeof *larger);
            if (!larger) {
                snprintf(message, size, "out of memory");
                return false;
            }
            csv->value = larger;
        }
        if (!read_row(csv, r, csv->value + csv->rows * csv->columns, message, size))
            return false;
        ++csv->rows;
    }
    return true;
}

bool sn_csv_read(sn_csv *csv, char *text, size_t length, char *message, size_t size)
{
    *csv = (sn_csv){0, NULL, 0, NULL};
    if (length == 0 || memchr(text, 0, length)) {
        snprintf(message, size, length ? "is not a text" : "is empty");
        return false;
    }
    reader r = {text, text + length, 2, false};
    return read_names(csv, &r, message, size) && read_rows(csv, &r, message, size);
}

void sn_csv_release(sn_csv *csv)
{
    free(csv->name);
    free(csv->value);
    *csv = (sn_csv){0, NULL, 0, NULL};
}

uint32_t sn_csv_find(const sn_csv *csv, const char *name)
{
    for (uint32_t i = 0; i < csv->columns; ++i)
        if (strcmp(csv->name[i], name) == 0)
            return i;
    return UINT32_MAX;
}
