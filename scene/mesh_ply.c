/* PLY, the Stanford format: the data after the header. The elements come in the order of the header. The rows of
   each are read property by property, as words of a line or as bytes. */
#include "scene/mesh_ply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct ply_body {
    sn_mesh_reader *reader;
    sn_ply_format format;
    sn_scan scan; /* for binary data only its position is used */

    /* The current element and row, for messages. */
    const sn_ply_element *element;
    uint32_t row;
    const sn_ply_property *property;
    const char *value; /* where the current value begins */
} ply_body;

/* "line 12: y of vertex 3: ..." or "byte 345: y of vertex 3: ...". Rows are counted from 0, as PLY's indices are. */
static bool fail(const ply_body *body, const char *format, ...) SN_FORMAT_LIKE(2, 3);
static bool fail(const ply_body *body, const char *format, ...)
{
    char text[192], element[SN_QUOTE_SIZE], property[SN_QUOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    bool ascii = body->format == SN_PLY_ASCII;
    uint64_t place = ascii ? body->scan.line : (uint64_t)(body->value - body->reader->text);
    if (body->property)
        return sn_mesh_fail(body->reader, "%s %" PRIu64 ": property %s of %s %" PRIu32 ": %s", ascii ? "line" : "byte",
                            place, sn_word_quote(&body->property->name, property),
                            sn_word_quote(&body->element->name, element), body->row, text);
    return sn_mesh_fail(body->reader, "%s %" PRIu64 ": element %s, number %" PRIu32 ": %s", ascii ? "line" : "byte",
                        place, sn_word_quote(&body->element->name, element), body->row, text);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static bool next_word(ply_body *body, sn_word *word)
{
    if (sn_scan_word(&body->scan, word))
        return true;
    if (body->scan.at == body->scan.end)
        return fail(body, "missing; the file ends here, with %" PRIu32 " of %" PRIu32 " rows", body->row,
                    body->element->count);
    return fail(body, "missing; the line ends here");
}

static bool next_bytes(ply_body *body, uint64_t count, size_t size)
{
    size_t left = (size_t)(body->scan.end - body->scan.at);
    body->value = body->scan.at;
    if (count > left / size)
        return fail(body,
                    "%" PRIu64 " values of %" PRIu64 " bytes are missing; the file ends after %" PRIu64 " bytes more",
                    count, (uint64_t)size, (uint64_t)left);
    body->scan.at += (size_t)count * size;
    return true;
}

/* The bytes of the current value as an integer, in the byte order of the file. */
static uint64_t gather(const ply_body *body, size_t size)
{
    const unsigned char *byte = (const unsigned char *)body->value;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits = bits << 8 | byte[body->format == SN_PLY_BIG ? i : size - 1 - i];
    return bits;
}

static int64_t to_integer(uint64_t bits, sn_ply_type type)
{
    switch (type) {
    case SN_PLY_INT8:
        return bits < 0x80 ? (int64_t)bits : (int64_t)bits - 0x100;
    case SN_PLY_INT16:
        return bits < 0x8000 ? (int64_t)bits : (int64_t)bits - 0x10000;
    case SN_PLY_INT32:
        return bits < 0x80000000 ? (int64_t)bits : (int64_t)bits - 0x100000000;
    default:
        return (int64_t)bits; /* unsigned, of 32 bits at most */
    }
}

static double to_number(uint64_t bits, sn_ply_type type)
{
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case SN_PLY_FLOAT:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case SN_PLY_DOUBLE:
        memcpy(&number, &bits, sizeof number);
        return number;
    default:
        return (double)to_integer(bits, type);
    }
}

static bool read_integer(ply_body *body, sn_ply_type type, int64_t *value)
{
    if (body->format != SN_PLY_ASCII) {
        size_t size = sn_ply_type_size(type);
        if (!next_bytes(body, 1, size))
            return false;
        *value = to_integer(gather(body, size), type);
        return true;
    }
    sn_word word;
    char quote[SN_QUOTE_SIZE];
    if (!next_word(body, &word))
        return false;
    const char *problem = sn_word_integer(&word, value);
    return !problem || fail(body, "%s %s", sn_word_quote(&word, quote), problem);
}

static bool read_real(ply_body *body, sn_ply_type type, sn_real *value)
{
    const char *problem;
    if (body->format != SN_PLY_ASCII) {
        size_t size = sn_ply_type_size(type);
        if (!next_bytes(body, 1, size))
            return false;
        double number = to_number(gather(body, size), type);
        problem = sn_real_from(number, value);
        return !problem || fail(body, "%g %s", number, problem);
    }
    sn_word word;
    char quote[SN_QUOTE_SIZE];
    if (!next_word(body, &word))
        return false;
    problem = sn_word_real(&word, value);
    return !problem || fail(body, "%s %s", sn_word_quote(&word, quote), problem);
}

static bool skip_values(ply_body *body, sn_ply_type type, uint64_t count)
{
    if (body->format != SN_PLY_ASCII)
        return next_bytes(body, count, sn_ply_type_size(type));
    sn_word word;
    for (uint64_t i = 0; i < count; ++i)
        if (!next_word(body, &word))
            return false;
    return true;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

static bool read_vertex_index(ply_body *body, sn_ply_type type, uint32_t *vertex)
{
    int64_t index;
    if (!read_integer(body, type, &index))
        return false;
    if (index < 0 || index >= (int64_t)body->reader->vertex_total)
        return fail(body, "vertex %" PRId64 " is out of range; there are %" PRIu32 ", counted from 0", index,
                    body->reader->vertex_total);
    *vertex = (uint32_t)index;
    return true;
}

static bool read_corners(ply_body *body, sn_ply_type type, uint64_t count)
{
    sn_mesh_face_begin(body->reader);
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t vertex = 0;
        if (!read_vertex_index(body, type, &vertex))
            return false;
        if (!sn_mesh_face_corner(body->reader, vertex))
            return fail(body, "vertex %" PRIu32 " is there twice", vertex);
    }
    sn_mesh_face_end(body->reader);
    return true;
}

/* Reads a list. A list of corners: if triangles is not NULL, it only counts triangles into *triangles. */
static bool read_list(ply_body *body, uint64_t *triangles)
{
    const sn_ply_property *property = body->property;
    int64_t count;
    if (!read_integer(body, property->count_type, &count))
        return false;
    if (count < 0)
        return fail(body, "the list has the length %" PRId64, count);
    if (property->role != SN_PLY_CORNERS)
        return skip_values(body, property->type, (uint64_t)count);
    if (count < 3)
        return fail(body, "face with %" PRId64 " corners; three are needed", count);
    if (!triangles)
        return read_corners(body, property->type, (uint64_t)count);
    *triangles += (uint64_t)count - 2;
    return skip_values(body, property->type, (uint64_t)count);
}

static bool read_property(ply_body *body, uint64_t *triangles)
{
    sn_mesh *mesh = &body->reader->mesh;
    const sn_ply_property *property = body->property;
    if (property->is_list)
        return read_list(body, triangles);
    switch (property->role) {
    case SN_PLY_X:
        return read_real(body, property->type, &mesh->vertex[body->row].x);
    case SN_PLY_Y:
        return read_real(body, property->type, &mesh->vertex[body->row].y);
    case SN_PLY_Z:
        return read_real(body, property->type, &mesh->vertex[body->row].z);
    case SN_PLY_END_1:
    case SN_PLY_END_2:
        return read_vertex_index(body, property->type,
                                 &mesh->line[(size_t)2 * body->row + (property->role == SN_PLY_END_2)]);
    default:
        return skip_values(body, property->type, 1);
    }
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* An ascii row is on a line of its own; empty lines are skipped. */
static void begin_row(ply_body *body)
{
    sn_word word;
    sn_scan ahead = body->scan;
    while (body->format == SN_PLY_ASCII && !sn_scan_word(&ahead, &word) && sn_scan_next_line(&ahead))
        body->scan = ahead;
}

static bool end_row(ply_body *body)
{
    sn_word word;
    char quote[SN_QUOTE_SIZE];
    body->property = NULL;
    if (body->element->kind == SN_PLY_EDGE) {
        const uint32_t *line = body->reader->mesh.line + (size_t)2 * body->row;
        if (line[0] == line[1])
            return fail(body, "it goes from vertex %" PRIu32 " to itself", line[0]);
    }
    if (body->format != SN_PLY_ASCII)
        return true;
    if (sn_scan_word(&body->scan, &word))
        return fail(body, "found %s where the line should end: more values than the header has properties",
                    sn_word_quote(&word, quote));
    sn_scan_next_line(&body->scan);
    return true;
}

static bool read_rows(ply_body *body, uint64_t *triangles)
{
    for (body->row = 0; body->row < body->element->count; ++body->row) {
        begin_row(body);
        for (body->property = body->element->first; body->property; body->property = body->property->next)
            if (!read_property(body, triangles))
                return false;
        if (!end_row(body))
            return false;
    }
    return true;
}

static bool read_faces(ply_body *body)
{
    const sn_scan start = body->scan;
    uint64_t triangles = 0;
    if (!read_rows(body, &triangles) || !sn_mesh_take_triangles(body->reader, triangles))
        return false;
    body->scan = start;
    return read_rows(body, NULL);
}

static bool read_edges(ply_body *body)
{
    if (!sn_mesh_take_lines(body->reader, body->element->count) || !read_rows(body, NULL))
        return false;
    body->reader->mesh.line_count = body->element->count;
    return true;
}

static bool read_vertices(ply_body *body)
{
    if (!read_rows(body, NULL))
        return false;
    body->reader->mesh.vertex_count = body->element->count;
    return true;
}

/* A row without properties takes no bytes; rows of one size are skipped at once. */
static bool skip_element(ply_body *body)
{
    const sn_ply_element *element = body->element;
    if (!element->first || element->count == 0)
        return true;
    if (body->format == SN_PLY_ASCII || element->has_list)
        return read_rows(body, NULL);
    body->row = 0;
    body->property = NULL;
    return next_bytes(body, element->count, element->least_bytes);
}

static bool read_element(ply_body *body)
{
    if (body->element->count == 0)
        return true;
    switch (body->element->kind) {
    case SN_PLY_VERTEX:
        return read_vertices(body);
    case SN_PLY_FACE:
        return read_faces(body);
    case SN_PLY_EDGE:
        return read_edges(body);
    default:
        return skip_element(body);
    }
}

/* Data after the end means that a count or a type of the header is wrong; only blanks are harmless. */
static bool check_end(const ply_body *body)
{
    const sn_scan *scan = &body->scan;
    for (const char *at = scan->at; at < scan->end; ++at) {
        if (*at != 0 && strchr(" \t\r\n", *at))
            continue;
        if (body->format == SN_PLY_ASCII)
            return sn_mesh_fail(body->reader, "line %" PRIu64 ": more data than the header promises", scan->line);
        return sn_mesh_fail(body->reader, "byte %" PRIu64 ": %" PRIu64 " bytes more than the header promises",
                            (uint64_t)(scan->at - body->reader->text), (uint64_t)(scan->end - scan->at));
    }
    return true;
}

bool sn_mesh_read_ply(sn_mesh_reader *reader)
{
    sn_ply_header header;
    if (!sn_ply_read_header(reader, &header))
        return false;
    /* Faces may come before the vertices, so the number of vertices must be known, and room for them taken, first. */
    for (const sn_ply_element *element = header.first; element; element = element->next)
        if (element->kind == SN_PLY_VERTEX && !sn_mesh_take_vertices(reader, element->count))
            return false;
    if (!sn_mesh_take_triangles(reader, 0) || !sn_mesh_take_lines(reader, 0)) /* there may be no such element */
        return false;
    ply_body body = {.reader = reader, .format = header.format, .scan = header.body};
    body.scan.cr_alone = false;
    for (body.element = header.first; body.element; body.element = body.element->next)
        if (!read_element(&body))
            return false;
    return check_end(&body);
}
