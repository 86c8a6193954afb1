/* Wavefront OBJ. The text is read twice: first to count, then to fill arrays of exactly that size. */
#include "scene/mesh_read.h"

#include <string.h>

typedef struct obj_counts {
    uint64_t vertices, triangles, lines;
} obj_counts;

/* A byte order mark, which some editors write, is no part of the first statement. */
static sn_scan scan_start(const sn_mesh_reader *reader)
{
    sn_scan scan = {.at = reader->text, .end = reader->text + reader->size, .line = 1, .joins = true};
    if (reader->size >= 3 && memcmp(reader->text, "\xEF\xBB\xBF", 3) == 0)
        scan.at += 3;
    return scan;
}

/* The next word of a statement; false at the end of the line and at a comment. */
static bool next_word(sn_scan *scan, sn_word *word)
{
    if (!sn_scan_word(scan, word))
        return false;
    if (word->at[0] != '#')
        return true;
    scan->at = word->at; /* not behind the word: the next call must find the comment again */
    return false;
}

/* The type of a statement: v, f, l, or 0 for all others. */
static char kind_of(const sn_word *word)
{
    char c = word->at[0];
    return word->length == 1 && (c == 'v' || c == 'f' || c == 'l') ? c : 0;
}

static uint64_t count_words(sn_scan *scan)
{
    sn_word word;
    uint64_t count = 0;
    while (next_word(scan, &word))
        ++count;
    return count;
}

/* Skips the rest of a statement and its comment, in which a backslash joins nothing. False at the end of the text. */
static bool next_statement(sn_scan *scan)
{
    count_words(scan);
    return sn_scan_next_line(scan);
}

static obj_counts count(sn_scan scan)
{
    obj_counts counts = {0};
    do {
        sn_word word;
        if (!next_word(&scan, &word))
            continue;
        char kind = kind_of(&word);
        counts.vertices += kind == 'v';
        uint64_t corners = kind == 'f' || kind == 'l' ? count_words(&scan) : 0;
        if (kind == 'f' && corners > 2)
            counts.triangles += corners - 2;
        if (kind == 'l' && corners > 1)
            counts.lines += corners - 1;
    } while (next_statement(&scan));
    return counts;
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static bool read_vertex(sn_mesh_reader *reader, sn_scan *scan, uint64_t line)
{
    sn_real x[3];
    for (int i = 0; i < 3; ++i) {
        sn_word word;
        if (!next_word(scan, &word))
            return sn_mesh_fail(reader, "line %" PRIu64 ": vertex with %d numbers; x, y and z are needed", line, i);
        const char *problem = sn_word_real(&word, &x[i]);
        char quote[SN_QUOTE_SIZE];
        if (problem)
            return sn_mesh_fail(reader, "line %" PRIu64 ": %c of the vertex: %s %s", word.line, "xyz"[i],
                                sn_word_quote(&word, quote), problem);
    }
    reader->mesh.vertex[reader->mesh.vertex_count++] = (sn_vec3){x[0], x[1], x[2]};
    return true;
}

/* Whether the text after the vertex in 7/1/3 or 7//3 looks like one or two numbers. These are not used. */
static bool is_rest_of_corner(const char *at, const char *end)
{
    int slashes = 0;
    for (; at < end; ++at) {
        bool digit = *at >= '0' && *at <= '9', sign = *at == '-' && at[-1] == '/';
        slashes += *at == '/';
        if (!digit && !sign && *at != '/')
            return false;
    }
    return slashes <= 2;
}

/* Reads the vertex of a corner such as 7, 7/1, 7//3, 7/1/3 or -2, counted from 0. */
static bool read_corner(sn_mesh_reader *reader, const sn_word *word, const char *thing, uint32_t *vertex)
{
    char quote[SN_QUOTE_SIZE];
    const char *slash = memchr(word->at, '/', word->length), *end = word->at + word->length;
    sn_word number = {word->at, slash ? (size_t)(slash - word->at) : word->length, word->line};
    int64_t index;
    const char *problem = sn_word_integer(&number, &index);
    if (!problem && slash && !is_rest_of_corner(slash, end))
        problem = "is not of the form vertex/texture/normal";
    if (problem)
        return sn_mesh_fail(reader, "line %" PRIu64 ": corner of a %s: %s %s", word->line, thing,
                            sn_word_quote(word, quote), problem);
    if (index == 0)
        return sn_mesh_fail(reader, "line %" PRIu64 ": corner of a %s: %s, but vertices are counted from 1", word->line,
                            thing, sn_word_quote(word, quote));
    if (index > (int64_t)reader->vertex_total)
        return sn_mesh_fail(reader,
                            "line %" PRIu64 ": corner of a %s: vertex %" PRId64 " is out of range; there are %" PRIu32,
                            word->line, thing, index, reader->vertex_total);
    if (-index > (int64_t)reader->mesh.vertex_count)
        return sn_mesh_fail(
            reader, "line %" PRIu64 ": corner of a %s: vertex %" PRId64 " is out of range; %" PRIu32 " come before",
            word->line, thing, index, reader->mesh.vertex_count);
    *vertex = index > 0 ? (uint32_t)(index - 1) : (uint32_t)((int64_t)reader->mesh.vertex_count + index);
    return true;
}

static bool read_face(sn_mesh_reader *reader, sn_scan *scan, uint64_t line)
{
    sn_scan start = *scan;
    uint64_t corners = count_words(&start);
    if (corners < 3)
        return sn_mesh_fail(reader, "line %" PRIu64 ": face with %" PRIu64 " corners; three are needed", line, corners);
    sn_mesh_face_begin(reader);
    sn_word word;
    while (next_word(scan, &word)) {
        uint32_t vertex;
        char quote[SN_QUOTE_SIZE];
        if (!read_corner(reader, &word, "face", &vertex))
            return false;
        if (!sn_mesh_face_corner(reader, vertex))
            return sn_mesh_fail(reader, "line %" PRIu64 ": face with vertex %" PRIu32 " twice, the second time as %s",
                                word.line, vertex + 1, sn_word_quote(&word, quote));
    }
    sn_mesh_face_end(reader);
    return true;
}

static bool read_line(sn_mesh_reader *reader, sn_scan *scan, uint64_t line)
{
    uint32_t before = 0, ends = 0, vertex;
    for (sn_word word; next_word(scan, &word); before = vertex, ++ends) {
        if (!read_corner(reader, &word, "line", &vertex))
            return false;
        if (ends == 0)
            continue;
        if (vertex == before)
            return sn_mesh_fail(reader, "line %" PRIu64 ": line from vertex %" PRIu32 " to itself", word.line,
                                vertex + 1);
        uint32_t *pair = reader->mesh.line + (size_t)2 * reader->mesh.line_count++;
        pair[0] = before;
        pair[1] = vertex;
    }
    return ends >= 2 ||
           sn_mesh_fail(reader, "line %" PRIu64 ": line with %" PRIu32 " vertices; two are needed", line, ends);
}

static bool read_statement(sn_mesh_reader *reader, sn_scan *scan)
{
    sn_word word;
    if (!next_word(scan, &word))
        return true;
    switch (kind_of(&word)) {
    case 'v':
        return read_vertex(reader, scan, word.line);
    case 'f':
        return read_face(reader, scan, word.line);
    case 'l':
        return read_line(reader, scan, word.line);
    default:
        return true;
    }
}

bool sn_mesh_read_obj(sn_mesh_reader *reader)
{
    sn_scan scan = scan_start(reader);
    obj_counts counts = count(scan);
    if (counts.vertices == 0)
        return sn_mesh_fail(reader, "no vertices: neither a PLY file nor a v statement of an OBJ file was found");
    if (!sn_mesh_take_vertices(reader, counts.vertices) || !sn_mesh_take_triangles(reader, counts.triangles) ||
        !sn_mesh_take_lines(reader, counts.lines))
        return false;
    do {
        if (!read_statement(reader, &scan))
            return false;
    } while (next_statement(&scan));
    return true;
}
