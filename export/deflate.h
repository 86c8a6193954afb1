/* Compression as in PNG: zlib (RFC 1950) around deflate (RFC 1951). */
#ifndef SN_EXPORT_DEFLATE_H
#define SN_EXPORT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes. Zeroed, it is empty; free(data) when done. */
typedef struct sn_bytes {
    unsigned char *data;
    size_t count, capacity;
    bool failed; /* memory ran out: bytes added since then are lost */
} sn_bytes;

void sn_bytes_put(sn_bytes *bytes, const void *data, size_t count);

/* Appends a zlib stream of these bytes. False when memory runs out. */
bool sn_deflate(sn_bytes *to, const unsigned char *data, size_t count);

#endif
