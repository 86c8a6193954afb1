/* NumPy's .npy files, of which the first dimension grows: one row after another. The head is padded so that the count
   in it can be rewritten in place, which happens after every row, so that numpy.load reads the file while it grows. */
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
    const char *name; /* any text; UTF-8 where it is beyond ASCII. No two fields may have the same */
    sn_npy_type type;
} sn_npy_field;

#define SN_NPY_MOST_DIMENSIONS 8

typedef struct sn_npy {
    sn_file file; /* the numbers of a row are put here, then sn_npy_row ends it */
    uint64_t rows;
    uint64_t row_bytes;
    uint64_t head_bytes;
    uint64_t shape_at; /* where the count stands in the head */
    char inner[80];    /* the rest of the shape, ", 441, 3" */
} sn_npy;

/* An array [row][dimension[0]][...]. False, with the file and the reason in message, like all that follow. */
bool sn_npy_open_array(sn_npy *npy, const char *path, sn_npy_type type, uint32_t dimension_count,
                       const uint32_t *dimension, char *message, size_t size);

/* A structured array: every row has these fields. The head is of version 1.0, and of 2.0 if it has more than 64 KiB;
   beyond 10,000 bytes numpy.load asks for max_header_size. */
bool sn_npy_open_table(sn_npy *npy, const char *path, uint32_t field_count, const sn_npy_field *field, char *message,
                       size_t size);

/* Ends a row whose numbers were put to npy->file. If it cannot be written whole, the file is as before. */
bool sn_npy_row(sn_npy *npy, char *message, size_t size);

/* Forgets all but the first so many rows. */
bool sn_npy_keep(sn_npy *npy, uint64_t rows, char *message, size_t size);

bool sn_npy_close(sn_npy *npy, char *message, size_t size);

typedef struct sn_npy_info {
    uint32_t version; /* 1, 2 or 3 */
    uint32_t dimension_count;
    uint64_t dimension[SN_NPY_MOST_DIMENSIONS];
    uint32_t field_count; /* of a structured type; 0: a plain one */
    uint64_t item_bytes;  /* 0: a type that we do not know */
    bool fortran_order;
    uint64_t bytes;      /* of the file */
    uint64_t unfinished; /* of them, belonging to a row that is not whole yet: at most one row */
    char type[256];      /* the type as the head writes it, its beginning if it is longer */
} sn_npy_info;

/* Reads the head of any .npy file, and holds it against the size of the file. */
bool sn_npy_read_header(const char *path, sn_npy_info *info, char *message, size_t size);

#endif
