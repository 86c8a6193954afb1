#include "scene/mesh_ply.h"

#include <string.h>

/* ---- Types ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *other_name;
    size_t size;
} types[] = {
    [SN_PLY_INT8] = {"char", "int8", 1},      [SN_PLY_UINT8] = {"uchar", "uint8", 1},
    [SN_PLY_INT16] = {"short", "int16", 2},   [SN_PLY_UINT16] = {"ushort", "uint16", 2},
    [SN_PLY_INT32] = {"int", "int32", 4},     [SN_PLY_UINT32] = {"uint", "uint32", 4},
    [SN_PLY_FLOAT] = {"float", "float32", 4}, [SN_PLY_DOUBLE] = {"double", "float64", 8},
};

size_t sn_ply_type_size(sn_ply_type type)
{
    return types[type].size;
}

static bool is_whole(sn_ply_type type)
{
    return type < SN_PLY_FLOAT;
}

static bool find_type(const sn_word *word, sn_ply_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        if (sn_word_is(word, types[i].name) || sn_word_is(word, types[i].other_name)) {
            *type = (sn_ply_type)i;
            return true;
        }
    }
    return false;
}

/* ---- Lines of the header ----------------------------------------------------------------------------------------- */

/* A header that is being read, line by line, with the words of the current line. */
typedef struct header_work {
    sn_mesh_reader *reader;
    sn_ply_header *header;
    sn_scan *scan;
} header_work;

static bool fail_word(const header_work *work, const sn_word *word, const char *expected)
{
    char quote[SN_QUOTE_SIZE];
    if (word->length == 0)
        return sn_mesh_fail(work->reader, "line %" PRIu64 ": the line ends where %s is expected", word->line, expected);
    return sn_mesh_fail(work->reader, "line %" PRIu64 ": found %s where %s is expected", word->line,
                        sn_word_quote(word, quote), expected);
}

static bool read_format(const header_work *work, uint64_t line)
{
    sn_word name, version;
    sn_scan_word(work->scan, &name);
    sn_scan_word(work->scan, &version);
    if (work->header->format != SN_PLY_UNKNOWN)
        return sn_mesh_fail(work->reader, "line %" PRIu64 ": a second format", line);
    if (sn_word_is(&name, "ascii"))
        work->header->format = SN_PLY_ASCII;
    else if (sn_word_is(&name, "binary_little_endian"))
        work->header->format = SN_PLY_LITTLE;
    else if (sn_word_is(&name, "binary_big_endian"))
        work->header->format = SN_PLY_BIG;
    else
        return fail_word(work, &name, "ascii, binary_little_endian or binary_big_endian");
    return sn_word_is(&version, "1.0") || fail_word(work, &version, "version 1.0");
}

static bool find_kind(const header_work *work, sn_ply_element *element)
{
    if (element->count > 0 && (sn_word_is(&element->name, "tristrips") || sn_word_is(&element->name, "tristrip")))
        return sn_mesh_fail(work->reader,
                            "line %" PRIu64 ": triangle strips (%" PRIu32 " in tristrips) are not read; save the mesh "
                            "with an element face",
                            element->name.line, element->count);
    static const char *const names[] = {[SN_PLY_VERTEX] = "vertex", [SN_PLY_FACE] = "face", [SN_PLY_EDGE] = "edge"};
    for (int kind = SN_PLY_VERTEX; kind <= SN_PLY_EDGE; ++kind)
        if (sn_word_is(&element->name, names[kind]))
            element->kind = (sn_ply_kind)kind;
    for (const sn_ply_element *other = work->header->first; other && element->kind; other = other->next)
        if (other->kind == element->kind)
            return sn_mesh_fail(work->reader, "line %" PRIu64 ": a second element %s; the first is in line %" PRIu64,
                                element->name.line, names[element->kind], other->name.line);
    return true;
}

static bool read_element(const header_work *work)
{
    sn_word name, count;
    if (!sn_scan_word(work->scan, &name))
        return fail_word(work, &name, "the name of the element");
    sn_scan_word(work->scan, &count);
    int64_t value = 0;
    const char *problem = count.length ? sn_word_integer(&count, &value) : "";
    if (problem || value < 0)
        return fail_word(work, &count, "the number of elements");
    if (value >= UINT32_MAX) {
        char quote[SN_QUOTE_SIZE];
        return sn_mesh_fail(work->reader, "line %" PRIu64 ": %" PRId64 " elements %s, but %" PRIu32 " are the most",
                            count.line, value, sn_word_quote(&name, quote), UINT32_MAX - 1);
    }
    sn_ply_element *element = sn_arena_take(&work->reader->scratch, 1, sizeof *element);
    if (!element)
        return sn_mesh_fail_memory(work->reader, 1, "elements of the header");
    element->name = name;
    element->count = (uint32_t)value;
    if (!find_kind(work, element))
        return false;
    sn_ply_header *header = work->header;
    if (header->last)
        header->last->next = element;
    else
        header->first = element;
    header->last = element;
    return true;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

static sn_ply_role role_of(sn_ply_kind kind, const sn_word *name)
{
    static const struct {
        sn_ply_kind kind;
        const char *name;
        sn_ply_role role;
    } roles[] = {
        {SN_PLY_VERTEX, "x", SN_PLY_X},
        {SN_PLY_VERTEX, "y", SN_PLY_Y},
        {SN_PLY_VERTEX, "z", SN_PLY_Z},
        {SN_PLY_FACE, "vertex_indices", SN_PLY_CORNERS},
        {SN_PLY_FACE, "vertex_index", SN_PLY_CORNERS},
        {SN_PLY_EDGE, "vertex1", SN_PLY_END_1},
        {SN_PLY_EDGE, "vertex2", SN_PLY_END_2},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; ++i)
        if (roles[i].kind == kind && sn_word_is(name, roles[i].name))
            return roles[i].role;
    return SN_PLY_SKIPPED;
}

/* Gives the property its role, if its type suits that. */
static bool take_role(const header_work *work, sn_ply_element *element, sn_ply_property *property)
{
    sn_ply_role role = role_of(element->kind, &property->name);
    if (role == SN_PLY_SKIPPED)
        return true;
    const char *problem = NULL;
    if (element->has_role[role])
        problem = "is there twice";
    else if (property->is_list != (role == SN_PLY_CORNERS))
        problem = property->is_list ? "is a list, but must be one number" : "is one number, but must be a list";
    else if (role >= SN_PLY_CORNERS && !is_whole(property->type))
        problem = "must be of a whole-number type";
    char quote[SN_QUOTE_SIZE];
    if (problem)
        return sn_mesh_fail(work->reader, "line %" PRIu64 ": property %s %s", property->name.line,
                            sn_word_quote(&property->name, quote), problem);
    property->role = role;
    element->has_role[role] = true;
    return true;
}

/* The least bytes of a value. In ascii a value takes a digit and a space; a face has three corners. */
static size_t least_bytes(const header_work *work, const sn_ply_property *property)
{
    bool ascii = work->header->format == SN_PLY_ASCII;
    size_t value = ascii ? 2 : sn_ply_type_size(property->type);
    if (!property->is_list)
        return value;
    return (ascii ? 2 : sn_ply_type_size(property->count_type)) + (property->role == SN_PLY_CORNERS ? 3 * value : 0);
}

static bool read_types(const header_work *work, sn_ply_property *property)
{
    sn_word word;
    sn_scan_word(work->scan, &word);
    property->is_list = sn_word_is(&word, "list");
    if (property->is_list) {
        sn_scan_word(work->scan, &word);
        if (!find_type(&word, &property->count_type) || !is_whole(property->count_type))
            return fail_word(work, &word, "a whole-number type for the length of the list");
        sn_scan_word(work->scan, &word);
    }
    return find_type(&word, &property->type) ||
           fail_word(work, &word, "a type (char uchar short ushort int uint float double)");
}

static bool read_property(const header_work *work, uint64_t line)
{
    sn_ply_element *element = work->header->last;
    if (!element)
        return sn_mesh_fail(work->reader, "line %" PRIu64 ": a property before the first element", line);
    sn_ply_property *property = sn_arena_take(&work->reader->scratch, 1, sizeof *property);
    if (!property)
        return sn_mesh_fail_memory(work->reader, 1, "properties of the header");
    if (!read_types(work, property))
        return false;
    if (!sn_scan_word(work->scan, &property->name))
        return fail_word(work, &property->name, "the name of the property");
    if (!take_role(work, element, property))
        return false;
    element->has_list |= property->is_list;
    if (element->last)
        element->last->next = property;
    else
        element->first = property;
    element->last = property;
    return true;
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool fail_missing(const header_work *work, const sn_ply_element *element, const char *missing)
{
    char quote[SN_QUOTE_SIZE];
    return sn_mesh_fail(work->reader, "line %" PRIu64 ": element %s has no property %s", element->name.line,
                        sn_word_quote(&element->name, quote), missing);
}

static bool check_roles(const header_work *work, const sn_ply_element *element)
{
    static const char *const xyz[] = {"x", "y", "z"};
    const bool *has = element->has_role;
    if (element->count == 0)
        return true;
    for (int i = 0; i < 3; ++i)
        if (element->kind == SN_PLY_VERTEX && !has[SN_PLY_X + i])
            return fail_missing(work, element, xyz[i]);
    if (element->kind == SN_PLY_FACE && !has[SN_PLY_CORNERS])
        return fail_missing(work, element, "vertex_indices");
    if (element->kind == SN_PLY_EDGE && (!has[SN_PLY_END_1] || !has[SN_PLY_END_2]))
        return fail_missing(work, element, has[SN_PLY_END_1] ? "vertex2" : "vertex1");
    return true;
}

/* Subtracts the least bytes that the element takes from the bytes that are left. */
static bool check_size(const header_work *work, sn_ply_element *element, size_t *left)
{
    for (const sn_ply_property *property = element->first; property; property = property->next)
        element->least_bytes += least_bytes(work, property);
    if (element->count == 0 || element->least_bytes == 0)
        return true;
    if (*left / element->least_bytes < element->count) {
        char quote[SN_QUOTE_SIZE];
        return sn_mesh_fail(work->reader,
                            "line %" PRIu64 ": %" PRIu32 " elements %s of at least %" PRIu64
                            " bytes are promised, but the file "
                            "has only %" PRIu64 " more bytes: it is truncated, or the header is wrong",
                            element->name.line, element->count, sn_word_quote(&element->name, quote),
                            (uint64_t)element->least_bytes, (uint64_t)*left);
    }
    *left -= element->count * element->least_bytes;
    return true;
}

static bool check_header(const header_work *work)
{
    sn_ply_header *header = work->header;
    uint32_t vertices = 0;
    if (header->format == SN_PLY_UNKNOWN)
        return sn_mesh_fail(work->reader, "the header has no format line");
    size_t left = (size_t)(header->body.end - header->body.at);
    left += header->format == SN_PLY_ASCII; /* the last line may lack its line end */
    for (sn_ply_element *element = header->first; element; element = element->next) {
        if (!check_roles(work, element) || !check_size(work, element, &left))
            return false;
        if (element->kind == SN_PLY_VERTEX)
            vertices = element->count;
    }
    return vertices > 0 || sn_mesh_fail(work->reader, "no vertices: the header has no element vertex, or 0 of them");
}

/* Reads one line. *ended is set at the last. */
static bool read_line(const header_work *work, bool *ended)
{
    sn_word word, rest;
    if (!sn_scan_word(work->scan, &word) || sn_word_is(&word, "comment") || sn_word_is(&word, "obj_info"))
        return true;
    bool good;
    if (sn_word_is(&word, "end_header"))
        good = *ended = true;
    else if (sn_word_is(&word, "format"))
        good = read_format(work, word.line);
    else if (sn_word_is(&word, "element"))
        good = read_element(work);
    else if (sn_word_is(&word, "property"))
        good = read_property(work, word.line);
    else
        good = fail_word(work, &word, "format, element, property, comment, obj_info or end_header");
    return good && (!sn_scan_word(work->scan, &rest) || fail_word(work, &rest, "the end of the line"));
}

bool sn_ply_read_header(sn_mesh_reader *reader, sn_ply_header *header)
{
    *header = (sn_ply_header){.body = {.at = reader->text, .end = reader->text + reader->size, .line = 1}};
    sn_scan *scan = &header->body;
    const header_work work = {reader, header, scan};
    sn_word word;
    sn_scan_word(scan, &word); /* skips "ply", by which the format was recognised */
    if (sn_scan_word(scan, &word))
        return fail_word(&work, &word, "the end of the line");
    /* If lines end with CR alone, an LF after the last of them is the first byte of the data. */
    scan->cr_alone = scan->end - scan->at >= 2 && scan->at[0] == '\r' && scan->at[1] != '\n';
    bool ended = false;
    while (!ended) {
        bool more = sn_scan_next_line(scan);
        if (!more)
            return sn_mesh_fail(reader, "line %" PRIu64 ": the file ends before end_header", scan->line);
        if (!read_line(&work, &ended))
            return false;
    }
    sn_scan_next_line(scan);
    return check_header(&work);
}
