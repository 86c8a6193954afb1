/* NumPy's .npy files with a growing first dimension: row after row. The header is padded so that its row count can
   be rewritten in place, which is done after every row. So numpy.load can read the file while it grows. */
#ifndef SN_EXPORT_NPY_H
#define SN_EXPORT_NPY_H

#include "export/file.h"

typedef enum sn_npy_type { SN_NPY_U4, SN_NPY_F4, SN_NPY_F8 } sn_npy_type;

#if SINEW_DOUBLE
#define SN_NPY_REAL SN_NPY_F8
#else
#define SN_NPY_REAL SN_NPY_F4
#endif

typedef struct sn_npy_field {
    const char *name; /* any text; UTF-8 beyond ASCII. Names must differ */
    sn_npy_type type;
} sn_npy_field;

#define SN_NPY_MOST_DIMENSIONS 8

typedef struct sn_npy {
    sn_file file; /* the numbers of a row are put here, then sn_npy_row ends it */
    uint64_t rows;
    uint64_t row_bytes;
    uint64_t head_bytes;
    uint64_t shape_at; /* where the row count is in the header */
    char inner[80];    /* the rest of the shape, ", 441, 3" */
} sn_npy;

/* Begins an array [row][dimension[0]][...]. Like all that follow it returns false, with the file and the reason in
   message, on failure. */
bool sn_npy_open_array(sn_npy *npy, const char *path, sn_npy_type type, uint32_t dimension_count,
                       const uint32_t *dimension, char *message, size_t size);

/* Begins a structured array: every row has these fields. The header is of version 1.0, or of 2.0 if it has more than
   64 KiB; beyond 10,000 bytes numpy.load needs max_header_size. */
bool sn_npy_open_table(sn_npy *npy, const char *path, uint32_t field_count, const sn_npy_field *field, char *message,
                       size_t size);

/* Ends a row whose numbers were put to npy->file. If it cannot be written completely, the file is as before. */
bool sn_npy_row(sn_npy *npy, char *message, size_t size);

/* Discards all but the first `rows` rows. */
bool sn_npy_keep(sn_npy *npy, uint64_t rows, char *message, size_t size);

bool sn_npy_close(sn_npy *npy, char *message, size_t size);

typedef struct sn_npy_info {
    uint32_t version; /* 1, 2 or 3 */
    uint32_t dimension_count;
    uint64_t dimension[SN_NPY_MOST_DIMENSIONS];
    uint32_t field_count; /* of a structured type; 0: a plain type */
    uint64_t item_bytes;  /* 0: an unknown type */
    bool fortran_order;
    uint64_t bytes;      /* of the file */
    uint64_t unfinished; /* bytes of an incomplete row at the end: at most one row */
    char type[256];      /* the type as in the header, or the beginning of it */
} sn_npy_info;

/* Reads the header of any .npy file, and compares it with the size of the file. */
bool sn_npy_read_header(const char *path, sn_npy_info *info, char *message, size_t size);

#endif
