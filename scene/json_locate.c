/* Finds the place of a path in a text, for messages. A document does not store where its values were: that would
   cost memory in every scene, also in those without an error. */
#include "scene/json.h"

#include <string.h>

typedef struct scanner {
    const char *at, *end;
} scanner;

static bool has_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
}

sn_place sn_json_place(const char *text, size_t length, size_t offset)
{
    sn_place place = {1, 1};
    size_t from = has_mark(text, length) ? 3 : 0; /* a byte order mark is no character */
    for (size_t i = from; i < offset && i < length; ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (i + 1 >= length || ((unsigned char)text[i + 1] & 0xc0) != 0x80) {
            ++place.column; /* at the last byte of each character */
        }
    }
    return place;
}

static char next(const scanner *scan)
{
    return scan->at < scan->end ? *scan->at : 0;
}

static void skip_space(scanner *scan)
{
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at)
        ++scan->at;
}

static bool skip_char(scanner *scan, char c)
{
    skip_space(scan);
    if (next(scan) != c)
        return false;
    ++scan->at;
    return true;
}

static bool skip_text(scanner *scan)
{
    if (!skip_char(scan, '"'))
        return false;
    for (; scan->at < scan->end; ++scan->at) {
        if (*scan->at == '"') {
            ++scan->at;
            return true;
        }
        if (*scan->at == '\\')
            ++scan->at;
    }
    scan->at = scan->end;
    return false;
}

/* Skips any value. Of lists and records only the nesting matters, since the text is known to be correct. */
static bool skip_value(scanner *scan)
{
    size_t depth = 0;
    do {
        skip_space(scan);
        char c = next(scan);
        if (c == '"') {
            if (!skip_text(scan))
                return false;
        } else if (c == '{' || c == '[') {
            ++depth;
            ++scan->at;
        } else if (depth && (c == '}' || c == ']')) {
            --depth;
            ++scan->at;
        } else if (depth && (c == ',' || c == ':')) {
            ++scan->at;
        } else { /* a number or a word */
            const char *start = scan->at;
            while (scan->at < scan->end && *scan->at && !strchr(" \t\r\n\"{}[],:", *scan->at))
                ++scan->at;
            if (scan->at == start)
                return false;
        }
    } while (depth);
    return true;
}

/* Whether the quoted text that begins here, with its escapes, is this key. */
static bool is_key(const scanner *scan, const char *key)
{
    const char *at = scan->at + 1;
    while (at < scan->end && *at != '"') {
        char bytes[4];
        size_t count = sn_unescape(&at, scan->end, bytes);
        if (count == 0 || strncmp(key, bytes, count) != 0)
            return false;
        key += count;
    }
    return at < scan->end && *key == 0;
}

/* Moves from the start of a record to the value of a key; *key_at is the place of the key. False if there is no such
   key. */
static bool enter_key(scanner *scan, const char *key, const char **key_at)
{
    if (!skip_char(scan, '{'))
        return false;
    do {
        skip_space(scan);
        *key_at = scan->at;
        bool found = next(scan) == '"' && is_key(scan, key);
        if (!skip_text(scan) || !skip_char(scan, ':'))
            return false;
        skip_space(scan);
        if (found)
            return true;
        if (!skip_value(scan))
            return false;
    } while (skip_char(scan, ','));
    return false;
}

static bool enter_item(scanner *scan, uint32_t index)
{
    if (!skip_char(scan, '['))
        return false;
    skip_space(scan);
    for (uint32_t i = 0; i < index; ++i)
        if (!skip_value(scan) || !skip_char(scan, ','))
            return false;
    skip_space(scan);
    return scan->at < scan->end && *scan->at != ']';
}

sn_place sn_json_locate(const char *text, size_t length, const char *path, bool key)
{
    scanner scan = {text + (has_mark(text, length) ? 3 : 0), text + length};
    sn_path_step step;
    skip_space(&scan);
    const char *found = scan.at, *key_at = NULL;
    for (bool first = true; sn_path_next(&path, first, &step); first = false) {
        const char *this_key = NULL;
        if (step.item ? !enter_item(&scan, step.index) : !enter_key(&scan, step.key, &this_key)) {
            key_at = NULL; /* the key of the holder would mislead */
            break;
        }
        found = scan.at;
        key_at = this_key;
    }
    if (found >= scan.end)
        return (sn_place){0, 0};
    return sn_json_place(text, length, (size_t)((key && key_at ? key_at : found) - text));
}
