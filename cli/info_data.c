/* The content of caches, arrays and traces. */
#include "cli/info.h"
#include "cli/csv.h"
#include "export/npy.h"
#include "export/point_cache.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_AT 32 /* bytes of a cache's header */

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

/* The least and largest numbers; with three columns, of every third number. */
typedef struct range {
    double least[3], most[3];
    uint64_t not_finite;
} range;

static range empty_range(void)
{
    double inf = (double)INFINITY;
    return (range){{inf, inf, inf}, {-inf, -inf, -inf}, 0};
}

static void widen(range *r, unsigned column, double value)
{
    if (!isfinite(value)) {
        ++r->not_finite;
        return;
    }
    r->least[column] = fmin(r->least[column], value);
    r->most[column] = fmax(r->most[column], value);
}

/* Reads a number of the file, which is little-endian. */
static double number_at(const unsigned char *bytes, unsigned size)
{
    uint64_t bits = 0;
    for (unsigned i = size; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
}

/* Reads in pieces, so that the size of the file does not matter. */
static bool read_range(const char *path, uint64_t offset, uint64_t count, unsigned size, unsigned columns, range *r,
                       char *message)
{
    unsigned char piece[24 * 512];
    FILE *file = fopen(path, "rb");
    bool good = file != NULL;
    for (uint64_t skipped = 0; good && skipped < offset;) {
        size_t part = offset - skipped < sizeof piece ? (size_t)(offset - skipped) : sizeof piece;
        good = fread(piece, 1, part, file) == part;
        skipped += part;
    }
    for (uint64_t done = 0; good && done < count;) {
        size_t part = sizeof piece / size;
        part = count - done < part ? (size_t)(count - done) : part;
        good = fread(piece, size, part, file) == part;
        for (size_t i = 0; good && i < part; ++i)
            widen(r, (unsigned)((done + i) % columns), number_at(piece + i * size, size));
        done += part;
    }
    if (!good)
        snprintf(message, SN_INFO_MESSAGE, "%s: %s", path, file ? "cannot be read to its end" : strerror(errno));
    if (file)
        fclose(file);
    return good;
}

static void add_range(sn_document *d, sn_value *root, const range *r, unsigned columns)
{
    if (r->least[0] <= r->most[0]) {
        sn_document_numbers(d, root, "least", columns, r->least, NULL);
        sn_document_numbers(d, root, "most", columns, r->most, NULL);
    }
    if (r->not_finite)
        sn_document_number(d, root, "not_finite", (double)r->not_finite);
}

/* ---- Point caches ------------------------------------------------------------------------------------------------ */

bool sn_info_point_cache(const char *path, sn_document *d, sn_value *root, char *message)
{
    sn_point_cache_info info;
    range r = empty_range();
    if (!sn_point_cache_read_header(path, &info, message, SN_INFO_MESSAGE) ||
        !read_range(path, FRAMES_AT, 3 * (uint64_t)info.points * info.frames, 4, 3, &r, message))
        return false;
    sn_document_text(d, root, "format", "PC2 point cache");
    sn_document_number(d, root, "points", info.points);
    sn_document_number(d, root, "frames", info.frames);
    sn_document_number(d, root, "first_frame", (double)info.start);
    sn_document_number(d, root, "frames_between_samples", (double)info.rate);
    sn_document_number(d, root, "bytes", (double)info.bytes);
    if (info.unfinished)
        sn_document_number(d, root, "unfinished_bytes", (double)info.unfinished);
    add_range(d, root, &r, 3);
    return true;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static bool add_array_range(const char *path, const sn_npy_info *info, sn_document *d, sn_value *root, char *message)
{
    bool single = strstr(info->type, "<f4") != NULL, wide = strstr(info->type, "<f8") != NULL;
    if (info->field_count || (!single && !wide) || info->dimension_count == 0)
        return true;
    uint64_t count = 1;
    for (uint32_t i = 0; i < info->dimension_count; ++i)
        count *= info->dimension[i]; /* no overflow: it was compared with the size of the file */
    unsigned columns = info->dimension[info->dimension_count - 1] == 3 && !info->fortran_order ? 3 : 1;
    range r = empty_range();
    uint64_t data = count * info->item_bytes + info->unfinished;
    if (data > info->bytes)
        return true;
    if (!read_range(path, info->bytes - data, count, single ? 4 : 8, columns, &r, message))
        return false;
    add_range(d, root, &r, columns);
    return true;
}

bool sn_info_array(const char *path, sn_document *d, sn_value *root, char *message)
{
    sn_npy_info info;
    if (!sn_npy_read_header(path, &info, message, SN_INFO_MESSAGE))
        return false;
    double shape[SN_NPY_MOST_DIMENSIONS];
    for (uint32_t i = 0; i < info.dimension_count; ++i)
        shape[i] = (double)info.dimension[i];
    sn_document_text(d, root, "format", info.field_count ? "NumPy table" : "NumPy array");
    sn_document_numbers(d, root, "shape", info.dimension_count, shape, NULL);
    sn_document_text(d, root, "type", info.type);
    if (info.field_count)
        sn_document_number(d, root, "fields", info.field_count);
    sn_document_number(d, root, "bytes", (double)info.bytes);
    if (info.unfinished)
        sn_document_number(d, root, "unfinished_bytes", (double)info.unfinished);
    return add_array_range(path, &info, d, root, message);
}

/* ---- Traces ------------------------------------------------------------------------------------------------------ */

bool sn_info_trace(char *text, size_t length, sn_document *d, sn_value *root, char *message)
{
    sn_csv csv;
    bool good = sn_csv_read(&csv, text, length, message, SN_INFO_MESSAGE);
    if (good) {
        sn_document_text(d, root, "format", "CSV trace");
        sn_document_number(d, root, "rows", (double)csv.rows);
        sn_value *list = sn_document_list(d, root, "columns");
        for (uint32_t i = 0; i < csv.columns; ++i) {
            range r = empty_range();
            for (size_t row = 0; row < csv.rows; ++row)
                widen(&r, 0, csv.value[row * csv.columns + i]);
            sn_value *column = sn_document_record(d, list, NULL);
            sn_document_text(d, column, "name", csv.name[i]);
            if (r.least[0] <= r.most[0]) {
                sn_document_number(d, column, "least", r.least[0]);
                sn_document_number(d, column, "most", r.most[0]);
                sn_document_number(d, column, "last", csv.value[(csv.rows - 1) * csv.columns + i]);
            }
            if (r.not_finite)
                sn_document_number(d, column, "not_finite", (double)r.not_finite);
        }
    }
    sn_csv_release(&csv);
    return good;
}
