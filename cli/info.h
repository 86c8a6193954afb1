/* The content of a file. Each reader adds what it found to a record, which is printed as text or written as JSON. */
#ifndef SN_CLI_INFO_H
#define SN_CLI_INFO_H

#include "scene/document.h"

#define SN_INFO_MESSAGE 512

/* False, with the reason in message (SN_INFO_MESSAGE bytes), if the file is not of the expected type. */
bool sn_info_point_cache(const char *path, sn_document *document, sn_value *root, char *message);
bool sn_info_array(const char *path, sn_document *document, sn_value *root, char *message);
bool sn_info_mesh(const char *bytes, size_t length, sn_document *document, sn_value *root, char *message);
bool sn_info_trace(char *text, size_t length, sn_document *document, sn_value *root, char *message);

/* ---- Memory (info_memory.c) -------------------------------------------------------------------------------------- */

/* Counts allocated memory. */
typedef struct sn_meter {
    uint64_t now, peak; /* bytes */
} sn_meter;

sn_allocator sn_meter_allocator(sn_meter *meter);

/* The bytes of one more particle, or one more constraint of a kind, in a world that has so many and nothing else and
   was stepped once. NaN if that cannot be measured: kinds with any number of points, or no memory. */
double sn_measure_particle(uint32_t particles);
double sn_measure_constraint(uint32_t particles, uint32_t kind, uint32_t count);

#endif
