/* JSON text to document, with jansson. No other file uses jansson. */
#include "scene/json_words.h"

#include <jansson.h>
#include <string.h>

/* A list or record that is being converted; the path of an error follows from these. */
typedef struct nesting {
    const char *key; /* NULL in a list */
    uint32_t index;
} nesting;

typedef struct reading {
    sn_json_text of;
    sn_document *document;
    uint32_t depth;
    nesting levels[SN_DOCUMENT_DEPTH + 1];
} reading;

/* Sets the place of the message to that of the value that is being converted. */
static void set_level(const reading *reader)
{
    char path[4096] = "";
    for (uint32_t i = 0; i < reader->depth; ++i) {
        if (reader->levels[i].key)
            sn_path_key(path, sizeof path, reader->levels[i].key);
        else
            sn_path_item(path, sizeof path, reader->levels[i].index);
    }
    *reader->of.place = sn_json_locate(reader->of.text, reader->of.length, path, false);
}

/* ---- Errors that jansson found ----------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* jansson's message quotes the text that it is about if that has at most this many bytes. */
#define NEAR_LENGTH 20

/* The opening quote of the text whose closing quote is at an offset. */
static size_t quote_before(const char *text, size_t end)
{
    for (size_t start = end; start; --start) {
        size_t slashes = 0;
        while (slashes + 1 < start && text[start - 2 - slashes] == '\\')
            ++slashes;
        if (text[start - 1] == '"' && slashes % 2 == 0)
            return start - 1;
    }
    return end;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* jansson reports the end of the token that it rejects. Returns where this token begins. */
static size_t token_start(const reading *reader, const json_error_t *error, size_t end)
{
    const char *text = reader->of.text, *near = strstr(error->text, " near '");
    if (near) { /* jansson quotes a short token in its message */
        size_t count = strlen(near + 7);
        count -= count > 0; /* the closing quote */
        if (count <= end && memcmp(text + end - count, near + 7, count) == 0)
            return end - count;
    }
    if (end && text[end - 1] == '"')
        return quote_before(text, end - 1);
    size_t start = end;
    while (start && is_letter(text[start - 1]))
        --start;
    if (end - start > NEAR_LENGTH)
        return start; /* a word; otherwise it is a number, which may end with a letter, too */
    for (start = end; start && sn_json_is_one_of(text[start - 1], "+-.0123456789eE");)
        --start;
    return start;
}

/* Where the quoted text begins that is still open at the end. */
static size_t open_quote(const reading *reader)
{
    size_t start = 0;
    bool inside = false;
    for (size_t i = 0; i < reader->of.length; ++i) {
        if (reader->of.text[i] == '"') {
            inside = !inside;
            start = inside ? i : start;
        } else if (inside && reader->of.text[i] == '\\') {
            ++i;
        }
    }
    return start;
}

/* The text ends although a record, list or quoted text is open. */
static bool explain_end(const reading *reader, const json_error_t *error)
{
    const sn_json_text *of = &reader->of;
    if (begins(error->text, "premature"))
        return sn_json_explain_flaw(of, SN_JSON_OPEN, open_quote(reader));
    char last = sn_json_byte_before(of, of->length);
    return sn_json_explain_end(of, begins(error->text, "string or '}'") ? (last == ',' ? "a key" : "a key or }")
                                   : last == ','                        ? "a value"
                                   : last == '['                        ? "a value or ]"
                                   : begins(error->text, "'}'")         ? "a comma or }"
                                   : begins(error->text, "']'")         ? "a comma or ]"
                                   : begins(error->text, "':'")         ? "a colon"
                                                                        : "a value");
}

/* Errors inside of quoted texts. jansson's offset is that of the character, or just behind it. False: it is no such
   error. */
static bool explain_text(const reading *reader, const json_error_t *error, size_t end)
{
    const char *found = error->text;
    size_t start = token_start(reader, error, end);
    bool line_break = end < reader->of.length && reader->of.text[end] == '\r';
    if (begins(found, "unexpected newline"))
        sn_json_explain_flaw(&reader->of, SN_JSON_LINE_BREAK, end);
    else if (begins(found, "control character"))
        sn_json_explain_flaw(&reader->of, line_break ? SN_JSON_LINE_BREAK : SN_JSON_CONTROL, end);
    else if (begins(found, "invalid escape"))
        sn_json_explain_flaw(&reader->of, SN_JSON_ESCAPE, end ? end - 1 : 0);
    else if (begins(found, "invalid Unicode"))
        sn_json_explain_flaw(&reader->of, SN_JSON_HALF_PAIR, start);
    else if (begins(found, "\\u0000") || begins(found, "NUL byte"))
        sn_json_explain_flaw(&reader->of, SN_JSON_ZERO, start);
    else
        return false;
    return true;
}

/* Writes a message of our own for an error that jansson found. jansson got the text without the first `skip` bytes. */
static bool explain(const reading *reader, const json_error_t *error, size_t skip)
{
    const sn_json_text *of = &reader->of;
    enum json_error_code code = json_error_code(error);
    /* jansson's position is an int: the text has more than 2 GiB */
    if (error->position < 0 || (size_t)error->position + skip > of->length) {
        *of->place = (sn_place){(uint32_t)error->line, 0};
        return sn_json_fail(of, "%s", error->text);
    }
    size_t end = (size_t)error->position + skip;
    size_t start = token_start(reader, error, end);
    if (code == json_error_out_of_memory || !*error->text)
        return sn_json_fail(of, "out of memory");
    if (code == json_error_premature_end_of_input)
        return explain_end(reader, error);
    if (explain_text(reader, error, end))
        return false;
    sn_json_set_offset(of, start);
    switch (code) {
    case json_error_stack_overflow:
        return sn_json_explain_depth(of);
    case json_error_duplicate_key:
        return sn_json_explain_duplicate(of, start, end);
    case json_error_end_of_input_expected:
        return sn_json_explain_rest(of, start);
    case json_error_numeric_overflow:
        return sn_json_explain_number(of, !begins(error->text, "real"), start, end);
    default:
        break;
    }
    if (begins(error->text, "string or '}'"))
        return sn_json_explain_token(of, start,
                                     sn_json_byte_before(of, start) == ',' ? "a key in double quotes"
                                                                           : "a key in double quotes or }");
    if (begins(error->text, "'}' expected"))
        return sn_json_explain_token(of, start, "a comma or }");
    if (begins(error->text, "']' expected"))
        return sn_json_explain_token(of, start, "a comma or ]");
    if (begins(error->text, "':' expected"))
        return sn_json_explain_token(of, start, "a colon");
    if (begins(error->text, "unexpected token") || begins(error->text, "invalid token"))
        return sn_json_explain_token(of, start, "a value");
    return sn_json_fail(of, "%s", error->text);
}

/* ---- jansson's tree to the document ------------------------------------------------------------------------------ */

static bool out_of_memory(const reading *reader)
{
    *reader->of.place = (sn_place){0, 0};
    return sn_json_fail(&reader->of, "out of memory");
}

static bool get_number(const reading *reader, const json_t *json, double *number)
{
    if (json_is_real(json)) {
        *number = json_real_value(json);
        return true;
    }
    json_int_t integer = json_integer_value(json);
    if (integer > SN_INTEGER_LIMIT || integer < -SN_INTEGER_LIMIT) {
        set_level(reader);
        return sn_json_fail(&reader->of, "the integer %" JSON_INTEGER_FORMAT " is beyond 2^53 and would not be exact",
                            integer);
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
        return sn_json_explain_depth(&reader->of);
    }
    if (json_is_array(json) && json_array_size(json) > UINT32_MAX) {
        set_level(reader);
        return sn_json_fail(&reader->of, "a list of %zu is longer than %u items", json_array_size(json),
                            (unsigned)UINT32_MAX);
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

/* Reads the text, without a byte order mark, if there is one. */
static bool read_text(reading *reader)
{
    size_t skip = reader->of.length >= 3 && memcmp(reader->of.text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *text = reader->of.text + skip;
    size_t length = reader->of.length - skip, space = 0;
    while (space < length && sn_json_is_one_of(text[space], " \t\r\n"))
        ++space;
    if (space == length)
        return sn_json_fail(&reader->of, "the file is empty: expected a value");
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
    reading reader = {{text, length, place ? place : &unused, message, size}, document, 0, {{NULL, 0}}};
    *reader.of.place = (sn_place){0, 0};
    if (document->root || document->failed)
        return sn_json_fail(&reader.of, "the document is not empty");
    if (sn_json_check_bytes(&reader.of) && read_text(&reader))
        return true;
    sn_document_release(document);
    return false;
}
