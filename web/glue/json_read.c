/* JSON text to document. There is no jansson in WebAssembly: the package's JavaScript parses the text with
   jsonc-parser and returns events (web/package/src/json.js describes their layout). This file makes a document of
   them, or reports a mistake with the messages of the command's reader, scene/json_read.c; web/tests/json.test.mjs
   checks that both agree. */
#include "scene/json_words.h"

#include <stdlib.h>
#include <string.h>

#if defined(__wasm__)
#define OF_THE_HOST(name) __attribute__((import_module("sinew"), import_name(#name)))
#else
#define OF_THE_HOST(name)
#endif

/* The events of a text without a byte order mark, in memory of malloc; NULL when that fails. */
OF_THE_HOST(json_events) void *web_json_events(const char *text, size_t length, size_t *size);

typedef enum event_type {
    EVENT_RECORD = 1,
    EVENT_LIST,
    EVENT_END,
    EVENT_KEY,
    EVENT_TEXT,
    EVENT_NUMBER,
    EVENT_NUMBERS,
    EVENT_TRUTH,
    EVENT_NULL,
    EVENT_WRONG
} event_type;

/* The mistakes. For the first ones, something else was expected. */
typedef enum flaw {
    EXPECTED_VALUE,
    EXPECTED_FIRST_VALUE,
    EXPECTED_FIRST_KEY,
    EXPECTED_KEY,
    EXPECTED_COLON,
    EXPECTED_COMMA_IN_RECORD,
    EXPECTED_COMMA_IN_LIST,
    WRONG_REST,
    WRONG_EMPTY,
    WRONG_DEPTH,
    WRONG_TWICE,
    WRONG_INTEGER,
    WRONG_NUMBER,
    WRONG_IN_QUOTES, /* from here on, in the order of sn_json_flaw */
    FLAW_COUNT = WRONG_IN_QUOTES + SN_JSON_OPEN + 1
} flaw;

typedef struct event {
    uint32_t type, count;
    const void *data;
} event;

typedef struct reading {
    sn_json_text of;
    size_t skipped; /* bytes of a byte order mark */
    sn_document *document;
    const char *events, *end;
    const char *key; /* of the next value; NULL in a list */
    uint32_t depth;
    sn_value *open[SN_DOCUMENT_DEPTH];
} reading;

static bool out_of_memory(const reading *reader)
{
    *reader->of.place = (sn_place){0, 0};
    return sn_json_fail(&reader->of, "out of memory");
}

/* Reports malformed events, which json.js never writes. */
static bool nonsense(const reading *reader)
{
    *reader->of.place = (sn_place){0, 0};
    return sn_json_fail(&reader->of, "the events of the JSON parser make no sense");
}

/* ---- Mistakes in the text ---------------------------------------------------------------------------------------- */

static bool explain_expected(const sn_json_text *of, flaw found, size_t start)
{
    static const char *const expected[] = {
        "a value",      "a value",     "a key in double quotes or }", "a key in double quotes", "a colon",
        "a comma or }", "a comma or ]"};
    static const char *const at_end[] = {"a value", "a value or ]", "a key or }",  "a key",
                                         "a colon", "a comma or }", "a comma or ]"};
    if (start == of->length)
        return sn_json_explain_end(of, at_end[found]);
    sn_json_set_offset(of, start);
    return sn_json_explain_token(of, start, expected[found]);
}

static bool explain(const reading *reader, flaw found, size_t start, size_t end)
{
    const sn_json_text *of = &reader->of;
    if (found < WRONG_REST)
        return explain_expected(of, found, start);
    if (found >= WRONG_IN_QUOTES)
        return sn_json_explain_flaw(of, (sn_json_flaw)(found - WRONG_IN_QUOTES), start);
    switch (found) {
    case WRONG_REST:
        return sn_json_explain_rest(of, start);
    case WRONG_DEPTH:
        sn_json_set_offset(of, start);
        return sn_json_explain_depth(of);
    case WRONG_TWICE:
        return sn_json_explain_duplicate(of, start, end);
    case WRONG_INTEGER:
    case WRONG_NUMBER:
        return sn_json_explain_number(of, found == WRONG_INTEGER, start, end);
    default:
        return sn_json_fail(of, "the file is empty: expected a value");
    }
}

static bool read_wrong(const reading *reader, const event *e)
{
    uint32_t place[2];
    memcpy(place, e->data, sizeof place);
    size_t length = reader->of.length - reader->skipped;
    if (e->count >= FLAW_COUNT || place[0] > place[1] || place[1] > length)
        return nonsense(reader);
    return explain(reader, (flaw)e->count, reader->skipped + place[0], reader->skipped + place[1]);
}

/* ---- Events to values -------------------------------------------------------------------------------------------- */

/* The size of the data after the two words of an event, in bytes. */
static uint64_t data_size(const event *e)
{
    switch (e->type) {
    case EVENT_KEY:
    case EVENT_TEXT:
        return (uint64_t)e->count + 1;
    case EVENT_NUMBER:
    case EVENT_NUMBERS:
        return (uint64_t)e->count * sizeof(double);
    case EVENT_WRONG:
        return 2 * sizeof(uint32_t);
    default:
        return 0;
    }
}

static bool next(reading *reader, event *e)
{
    uint64_t left = (uint64_t)(reader->end - reader->events);
    if (left < 8)
        return nonsense(reader);
    memcpy(&e->type, reader->events, sizeof e->type);
    memcpy(&e->count, reader->events + 4, sizeof e->count);
    e->data = reader->events + 8;
    uint64_t size = 8 + (data_size(e) + 7) / 8 * 8;
    if (size > left)
        return nonsense(reader);
    reader->events += size;
    return true;
}

/* Whether a zero ends its text, and is the only zero. */
static bool is_text(const event *e)
{
    const char *text = e->data;
    return memchr(text, 0, (size_t)e->count + 1) == text + e->count;
}

/* Whether an event is allowed now: in a record keys and values alternate, in a list there are only values, and a
   document has one value. */
static bool fits(const reading *reader, const event *e)
{
    const sn_value *parent = reader->depth ? reader->open[reader->depth - 1] : NULL;
    bool in_record = parent && parent->type == SN_VALUE_RECORD;
    if (e->type == EVENT_END)
        return parent && !reader->key;
    if ((e->type == EVENT_KEY || e->type == EVENT_TEXT) && !is_text(e))
        return false;
    if (e->type == EVENT_KEY)
        return in_record && !reader->key;
    return (parent || !reader->document->root) && in_record == (reader->key != NULL);
}

/* A value was added, or the document refused it. */
static bool added(const reading *reader, const sn_value *parent, const char *key, const sn_value *value)
{
    if (value)
        return true;
    return parent && key && sn_value_find(parent, key) ? nonsense(reader) : out_of_memory(reader);
}

static bool enter(reading *reader, sn_value *parent, const char *key, bool record)
{
    sn_document *d = reader->document;
    sn_value *value = record ? sn_document_record(d, parent, key) : sn_document_list(d, parent, key);
    if (!added(reader, parent, key, value))
        return false;
    reader->open[reader->depth++] = value;
    return true;
}

static bool add(reading *reader, const event *e)
{
    sn_document *d = reader->document;
    sn_value *parent = reader->depth ? reader->open[reader->depth - 1] : NULL;
    const char *key = reader->key;
    bool room = reader->depth < SN_DOCUMENT_DEPTH;
    reader->key = NULL;
    switch (e->type) {
    case EVENT_RECORD:
    case EVENT_LIST:
        return room ? enter(reader, parent, key, e->type == EVENT_RECORD) : nonsense(reader);
    case EVENT_END:
        --reader->depth;
        return true;
    case EVENT_KEY:
        reader->key = e->data;
        return true;
    case EVENT_TEXT:
        return added(reader, parent, key, sn_document_text(d, parent, key, e->data));
    case EVENT_NUMBER:
        if (e->count != 1)
            return nonsense(reader);
        return added(reader, parent, key, sn_document_number(d, parent, key, *(const double *)e->data));
    case EVENT_NUMBERS:
        if (e->count == 0 || !room)
            return nonsense(reader);
        return added(reader, parent, key, sn_document_numbers(d, parent, key, e->count, e->data, NULL));
    case EVENT_TRUTH:
        return added(reader, parent, key, sn_document_truth(d, parent, key, e->count != 0));
    case EVENT_NULL:
        return added(reader, parent, key, sn_document_null(d, parent, key));
    default:
        return nonsense(reader);
    }
}

static bool read_events(reading *reader)
{
    event e = {0};
    do {
        if (!next(reader, &e))
            return false;
        if (e.type == EVENT_WRONG)
            return read_wrong(reader, &e);
        if (!fits(reader, &e))
            return nonsense(reader);
        if (!add(reader, &e))
            return false;
    } while (reader->depth || reader->events < reader->end);
    return true;
}

static bool parse(reading *reader)
{
    const sn_json_text *of = &reader->of;
    reader->skipped = of->length >= 3 && memcmp(of->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t size = 0;
    char *events = web_json_events(of->text + reader->skipped, of->length - reader->skipped, &size);
    if (!events)
        return out_of_memory(reader);
    reader->events = events;
    reader->end = events + size;
    bool good = read_events(reader);
    free(events);
    return good;
}

bool sn_json_read(sn_document *document, const char *text, size_t length, sn_place *place, char *message, size_t size)
{
    sn_place unused;
    reading reader = {.of = {text, length, place ? place : &unused, message, size}, .document = document};
    *reader.of.place = (sn_place){0, 0};
    if (document->root || document->failed)
        return sn_json_fail(&reader.of, "the document is not empty");
    if (sn_json_check_bytes(&reader.of) && parse(&reader))
        return true;
    sn_document_release(document);
    return false;
}
