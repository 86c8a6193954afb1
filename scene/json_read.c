/* JSON text to document, with jansson; the only file that knows it. */
#include "scene/json.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

/* Integers up to here in magnitude are exact in a double. */
#define INTEGER_LIMIT ((json_int_t)1 << 53)

/* What a message quotes of the text is cut at this many bytes. */
#define QUOTE_LENGTH 40

/* One list or record that is being converted, to name the place of an error. */
typedef struct nesting {
    const char *key; /* NULL in a list */
    uint32_t index;
} nesting;

typedef struct reading {
    sn_document *document;
    const char *text;
    size_t length;
    sn_place *place;
    char *message;
    size_t size;
    uint32_t depth;
    nesting levels[SN_DOCUMENT_DEPTH + 1];
} reading;

static bool fail(const reading *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_say(reader->message, reader->size, format, arguments);
    va_end(arguments);
    return false;
}

static void set_offset(const reading *reader, size_t offset)
{
    *reader->place = sn_json_place(reader->text, reader->length, offset);
}

/* The place is that of the value whose conversion is under way. */
static void set_level(const reading *reader)
{
    char path[4096] = "";
    for (uint32_t i = 0; i < reader->depth; ++i) {
        if (reader->levels[i].key)
            sn_path_key(path, sizeof path, reader->levels[i].key);
        else
            sn_path_item(path, sizeof path, reader->levels[i].index);
    }
    *reader->place = sn_json_locate(reader->text, reader->length, path, false);
}

/* ---- The bytes, before jansson sees them ------------------------------------------------------------------------- */

static bool check_bytes(const reading *reader)
{
    const char *text = reader->text;
    size_t length = reader->length, size;
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return fail(reader, "the text is UTF-16; JSON must be UTF-8");
    for (size_t i = 0; i < length; i += size) {
        size = (unsigned char)text[i] < 0x80 ? 1 : sn_utf8_length(text + i, length - i);
        if (size == 0 || !text[i]) {
            set_offset(reader, i);
            return size ? fail(reader, "a zero byte: this is not a text")
                        : fail(reader, "byte 0x%02x is not valid UTF-8 here", (unsigned)(unsigned char)text[i]);
        }
    }
    return true;
}

/* ---- What jansson found wrong ------------------------------------------------------------------------------------ */

/* A piece of the text for a message. Control characters are escaped: messages go to terminals. */
typedef struct excerpt {
    char text[QUOTE_LENGTH + SN_ESCAPE_SIZE + 4];
} excerpt;

static excerpt quote(const char *text, size_t length)
{
    excerpt result;
    size_t used = 0;
    while (length && used < QUOTE_LENGTH) {
        bool plain = *text == '"' || *text == '\\';
        char as_it_is = *text, written[SN_ESCAPE_SIZE];
        size_t count = sn_escape(&text, &length, written);
        memcpy(result.text + used, plain ? &as_it_is : written, plain ? 1 : count);
        used += plain ? 1 : count;
    }
    memcpy(result.text + used, length ? "\xe2\x80\xa6" : "", length ? 4 : 1);
    return result;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Where the piece of text begins that ends at an offset, and of which jansson complains: jansson gives its end. */
static size_t token_start(const reading *reader, const json_error_t *error, size_t end)
{
    const char *text = reader->text, *near = strstr(error->text, " near '");
    if (near) { /* a short piece is in the message */
        size_t count = strlen(near + 7);
        count -= count > 0; /* the closing quote */
        if (count <= end && memcmp(text + end - count, near + 7, count) == 0)
            return end - count;
    }
    size_t start = end;
    if (json_error_code(error) == json_error_numeric_overflow) {
        while (start && is_one_of(text[start - 1], "+-.0123456789eE"))
            --start;
    } else if (json_error_code(error) == json_error_duplicate_key && start) {
        for (--start; start; --start) { /* back from the closing quote to the opening one */
            size_t slashes = 0;
            while (slashes + 1 < start && text[start - 2 - slashes] == '\\')
                ++slashes;
            if (text[start - 1] == '"' && slashes % 2 == 0)
                return start - 1;
        }
    }
    return start;
}

/* The word, number or sign at an offset, as somebody who reads the text would see it. */
static size_t word_length(const reading *reader, size_t start)
{
    size_t end = start;
    while (end < reader->length && !is_one_of(reader->text[end], " \t\r\n,:[]{}\""))
        ++end;
    return end > start ? end - start : start < reader->length;
}

/* The last byte before an offset that is not space; 0 if there is none. */
static char byte_before(const reading *reader, size_t offset)
{
    while (offset && is_one_of(reader->text[offset - 1], " \t\r\n"))
        --offset;
    return offset ? reader->text[offset - 1] : 0;
}

/* What stands where a value or key should. Things that are usual elsewhere get a word of advice. */
static bool explain_token(const reading *reader, size_t start, const char *expected)
{
    excerpt word = quote(reader->text + start, word_length(reader, start));
    const char *at = word.text;
    char before = byte_before(reader, start);
    if (is_one_of(*at, "}]") && before == ',')
        return fail(reader, "expected %s after the comma, found %s; JSON has no comma after the last item", expected,
                    word.text);
    if (begins(at, "//") || begins(at, "/*") || *at == '#')
        return fail(reader, "expected %s, found a comment; JSON has none", expected);
    if (*at == '\'')
        return fail(reader, "expected %s, found a single quote; JSON has double quotes only", expected);
    if (before == ',' && *at == ',')
        return fail(reader, "expected %s between two commas", expected);
    if (*at == '"')
        return fail(reader, "expected %s, found a text", expected);
    if (strcmp(expected, "a value") != 0 || is_one_of(*at, ",:}]"))
        return fail(reader, "expected %s, found %s", expected, word.text);
    if (is_one_of(*at, "+-.0123456789"))
        return fail(reader, "expected %s, found %s, which is not a number in JSON", expected, word.text);
    return fail(reader, "expected %s, found %s; a text stands in double quotes", expected, word.text);
}

/* Where the text in quotes begins that is still open at the end. */
static size_t open_quote(const reading *reader)
{
    size_t start = 0;
    bool inside = false;
    for (size_t i = 0; i < reader->length; ++i) {
        if (reader->text[i] == '"') {
            inside = !inside;
            start = inside ? i : start;
        } else if (inside && reader->text[i] == '\\') {
            ++i;
        }
    }
    return start;
}

/* Where the text ends although a record, list or text is open. */
static bool explain_end(const reading *reader, const json_error_t *error)
{
    if (begins(error->text, "premature")) {
        set_offset(reader, open_quote(reader));
        return fail(reader, "a text has no closing quote before the end of the file");
    }
    set_offset(reader, reader->length);
    bool comma = byte_before(reader, reader->length) == ',';
    const char *expected = begins(error->text, "string or '}'") ? (comma ? "a key" : "a key or }")
                           : comma                              ? "a value"
                           : begins(error->text, "'}'")         ? "a comma or }"
                           : begins(error->text, "']'")         ? "a comma or ]"
                           : begins(error->text, "':'")         ? "a colon"
                                                                : "a value";
    return fail(reader, "the file ends too early: expected %s", expected);
}

/* Errors inside of texts. jansson's offset is that of the character, or just behind it. False: it is none of these. */
static bool explain_text(const reading *reader, const json_error_t *error, size_t end)
{
    const char *found = error->text;
    size_t start = token_start(reader, error, end);
    if (begins(found, "unexpected newline")) {
        set_offset(reader, end);
        fail(reader, "a text has no closing quote before the end of the line; write a line break as \\n");
    } else if (begins(found, "control character")) {
        set_offset(reader, end);
        fail(reader, "a text holds the control character 0x%02x; write it as \\u%04x",
             end < reader->length ? (unsigned)(unsigned char)reader->text[end] : 0,
             end < reader->length ? (unsigned)(unsigned char)reader->text[end] : 0);
    } else if (begins(found, "invalid escape")) {
        set_offset(reader, end ? end - 1 : 0);
        fail(reader, "a text holds an escape that JSON does not have; a backslash is written as \\\\");
    } else if (begins(found, "invalid Unicode")) {
        set_offset(reader, start);
        fail(reader, "a text holds a \\u escape that is half of a pair");
    } else if (begins(found, "\\u0000") || begins(found, "NUL byte")) {
        set_offset(reader, start);
        fail(reader, "a text holds a zero character (\\u0000), which is not allowed");
    } else {
        return false;
    }
    return true;
}

/* Says in our words what jansson found, in a text that it got without the first `skip` bytes. */
static bool explain(const reading *reader, const json_error_t *error, size_t skip)
{
    enum json_error_code code = json_error_code(error);
    if (error->position < 0 || (size_t)error->position + skip > reader->length) { /* an int: the text has 2 GiB */
        *reader->place = (sn_place){(uint32_t)error->line, 0};
        return fail(reader, "%s", error->text);
    }
    size_t end = (size_t)error->position + skip;
    size_t start = token_start(reader, error, end);
    excerpt token = quote(reader->text + start, end - start);
    if (code == json_error_out_of_memory || !*error->text)
        return fail(reader, "out of memory");
    if (code == json_error_premature_end_of_input)
        return explain_end(reader, error);
    if (explain_text(reader, error, end))
        return false;
    set_offset(reader, start);
    switch (code) {
    case json_error_stack_overflow:
        return fail(reader, "lists and records lie in each other more than %d deep", SN_DOCUMENT_DEPTH);
    case json_error_duplicate_key:
        return fail(reader, "the key %s is already in this record", token.text);
    case json_error_end_of_input_expected:
        return fail(reader, "the end of the file was expected here, found %s",
                    quote(reader->text + start, word_length(reader, start)).text);
    case json_error_numeric_overflow:
        return begins(error->text, "real")
                   ? fail(reader, "the number %s is beyond the largest, about 1.8e308", token.text)
                   : fail(reader, "the integer %s is beyond 2^53 and would not be exact", token.text);
    default:
        break;
    }
    if (begins(error->text, "string or '}'"))
        return explain_token(reader, start,
                             byte_before(reader, start) == ',' ? "a key in double quotes"
                                                               : "a key in double quotes or }");
    if (begins(error->text, "'}' expected"))
        return explain_token(reader, start, "a comma or }");
    if (begins(error->text, "']' expected"))
        return explain_token(reader, start, "a comma or ]");
    if (begins(error->text, "':' expected"))
        return explain_token(reader, start, "a colon");
    if (begins(error->text, "unexpected token") || begins(error->text, "invalid token"))
        return explain_token(reader, start, "a value");
    return fail(reader, "%s", error->text);
}

/* ---- jansson's tree to the document ------------------------------------------------------------------------------ */

static bool out_of_memory(const reading *reader)
{
    *reader->place = (sn_place){0, 0};
    return fail(reader, "out of memory");
}

static bool get_number(const reading *reader, const json_t *json, double *number)
{
    if (json_is_real(json)) {
        *number = json_real_value(json);
        return true;
    }
    json_int_t integer = json_integer_value(json);
    if (integer > INTEGER_LIMIT || integer < -INTEGER_LIMIT) {
        set_level(reader);
        return fail(reader, "the integer %" JSON_INTEGER_FORMAT " is beyond 2^53 and would not be exact", integer);
    }
    *number = (double)integer;
    return true;
}

static bool all_numbers(const json_t *array)
{
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count; ++i)
        if (!json_is_number(json_array_get(array, i)))
            return false;
    return count > 0;
}

static bool convert_numbers(reading *reader, const json_t *array, sn_value *parent, const char *key)
{
    double *numbers;
    uint32_t count = (uint32_t)json_array_size(array);
    if (!sn_document_numbers(reader->document, parent, key, count, NULL, &numbers))
        return out_of_memory(reader);
    nesting *level = &reader->levels[reader->depth++];
    for (uint32_t i = 0; i < count; ++i) {
        level->key = NULL;
        level->index = i;
        if (!get_number(reader, json_array_get(array, i), &numbers[i]))
            return false;
    }
    --reader->depth;
    return true;
}

static bool convert(reading *reader, json_t *json, sn_value *parent, const char *key);

static bool convert_list(reading *reader, json_t *array, sn_value *parent, const char *key)
{
    sn_value *list = sn_document_list(reader->document, parent, key);
    if (!list)
        return out_of_memory(reader);
    nesting *level = &reader->levels[reader->depth++];
    level->key = NULL;
    for (level->index = 0; level->index < json_array_size(array); ++level->index)
        if (!convert(reader, json_array_get(array, level->index), list, NULL))
            return false;
    --reader->depth;
    return true;
}

static bool convert_record(reading *reader, json_t *object, sn_value *parent, const char *key)
{
    sn_value *record = sn_document_record(reader->document, parent, key);
    if (!record)
        return out_of_memory(reader);
    nesting *level = &reader->levels[reader->depth++];
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        level->key = json_object_iter_key(at);
        if (!convert(reader, json_object_iter_value(at), record, level->key))
            return false;
    }
    --reader->depth;
    return true;
}

static bool convert(reading *reader, json_t *json, sn_value *parent, const char *key)
{
    sn_document *document = reader->document;
    double number = 0;
    if ((json_is_array(json) || json_is_object(json)) && reader->depth >= SN_DOCUMENT_DEPTH) {
        set_level(reader);
        return fail(reader, "lists and records lie in each other more than %d deep", SN_DOCUMENT_DEPTH);
    }
    if (json_is_array(json) && json_array_size(json) > UINT32_MAX) {
        set_level(reader);
        return fail(reader, "a list of %zu is longer than %u items", json_array_size(json), (unsigned)UINT32_MAX);
    }
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return convert_record(reader, json, parent, key);
    case JSON_ARRAY:
        return all_numbers(json) ? convert_numbers(reader, json, parent, key) : convert_list(reader, json, parent, key);
    case JSON_STRING:
        sn_document_text(document, parent, key, json_string_value(json));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        if (!get_number(reader, json, &number))
            return false;
        sn_document_number(document, parent, key, number);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        sn_document_truth(document, parent, key, json_is_true(json));
        break;
    case JSON_NULL:
        sn_document_null(document, parent, key);
        break;
    }
    return document->failed ? out_of_memory(reader) : true;
}

/* Reads what stands behind a byte order mark, if there is one. */
static bool read_text(reading *reader)
{
    size_t skip = reader->length >= 3 && memcmp(reader->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *text = reader->text + skip;
    size_t length = reader->length - skip, space = 0;
    while (space < length && is_one_of(text[space], " \t\r\n"))
        ++space;
    if (space == length)
        return fail(reader, "the file is empty: expected a value");
    json_error_t error;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!json)
        return explain(reader, &error, skip);
    bool converted = convert(reader, json, NULL, NULL);
    json_decref(json);
    return converted;
}

bool sn_json_read(sn_document *document, const char *text, size_t length, sn_place *place, char *message, size_t size)
{
    sn_place unused;
    reading reader = {document, text, length, place ? place : &unused, message, size, 0, {{NULL, 0}}};
    *reader.place = (sn_place){0, 0};
    if (document->root || document->failed)
        return fail(&reader, "the document is not empty");
    if (check_bytes(&reader) && read_text(&reader))
        return true;
    sn_document_release(document);
    return false;
}
