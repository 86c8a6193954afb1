#include "scene/words.h"

#include <stdio.h>
#include <string.h>

/* ---- Characters -------------------------------------------------------------------------------------------------- */

size_t sn_utf8_length(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (byte[0] < 0x80)
        return 1;
    size_t size = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    if (byte[0] < 0xc2 || byte[0] > 0xf4 || size > length)
        return 0;
    for (size_t i = 1; i < size; ++i)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
    bool surrogate = byte[0] == 0xed && byte[1] >= 0xa0;
    bool beyond = byte[0] == 0xf4 && byte[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}

size_t sn_utf8_cut(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; ++back) {
        unsigned char byte = (unsigned char)text[length - back];
        if (byte >= 0xc0) /* the first byte of a character: are the others there? */
            return sn_utf8_length(text + length - back, back) == back ? length : length - back;
        if (byte < 0x80)
            break;
    }
    return length;
}

size_t sn_escape(const char **text, size_t *length, char written[SN_ESCAPE_SIZE])
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    unsigned char byte = (unsigned char)**text;
    const char *found = byte ? strchr(plain, byte) : NULL;
    size_t taken = sn_utf8_length(*text, *length), size = taken;
    if (found) {
        written[0] = '\\';
        written[1] = letter[found - plain];
        size = 2;
    } else if (byte < 0x20 || byte == 0x7f) {
        memcpy(written, "\\u00", 4);
        written[4] = "0123456789abcdef"[byte >> 4];
        written[5] = "0123456789abcdef"[byte & 15];
        size = 6;
    } else if (taken == 0) {
        memcpy(written, "\xef\xbf\xbd", 3);
        taken = 1;
        size = 3;
    } else {
        memcpy(written, *text, taken);
    }
    *text += taken;
    *length -= taken;
    return size;
}

/* The value of four hexadecimal digits; -1 if they are not there. */
static int32_t four_digits(const char *at, const char *end)
{
    int32_t number = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; ++i) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        number = number * 16 + digit;
    }
    return number;
}

static size_t encode(int32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; --i, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)((size == 2 ? 0xc0 : size == 3 ? 0xe0 : 0xf0) | code);
    return size;
}

/* After \u: four digits, or eight in two escapes for characters beyond U+FFFF. */
static size_t unescape_code(const char **at, const char *end, char bytes[4])
{
    int32_t code = four_digits(*at, end);
    if (code <= 0 || (code >= 0xdc00 && code < 0xe000))
        return 0;
    const char *after = *at + 4;
    if (code >= 0xd800 && code < 0xdc00) {
        int32_t low = end - after >= 6 && after[0] == '\\' && after[1] == 'u' ? four_digits(after + 2, end) : -1;
        if (low < 0xdc00 || low >= 0xe000)
            return 0;
        code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
        after += 6;
    }
    *at = after;
    return encode(code, bytes);
}

size_t sn_unescape(const char **at, const char *end, char bytes[4])
{
    static const char letter[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    size_t size = *at < end ? sn_utf8_length(*at, (size_t)(end - *at)) : 0;
    if (size == 0)
        return 0;
    if (**at != '\\') {
        memcpy(bytes, *at, size);
        *at += size;
        return size;
    }
    if (end - *at < 2 || !(*at)[1])
        return 0;
    const char *found = strchr(letter, (*at)[1]);
    if (found) {
        bytes[0] = meant[found - letter];
        *at += 2;
        return 1;
    }
    const char *code = *at + 2;
    size = (*at)[1] == 'u' ? unescape_code(&code, end, bytes) : 0;
    if (size)
        *at = code;
    return size;
}

void sn_say(char *message, size_t size, const char *format, va_list arguments)
{
    int length = vsnprintf(message, size, format, arguments);
    if (size && (length < 0 || (size_t)length >= size))
        message[length < 0 ? 0 : sn_utf8_cut(message, size - 1)] = 0;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

static const char ellipsis[] = "\xe2\x80\xa6";
#define ELLIPSIS_SIZE (sizeof ellipsis - 1)

/* No longer piece is appended at once. */
#define LONGEST_PIECE 16

/* A path that is being extended. */
typedef struct path_end {
    char *path;
    size_t size, length;
    bool cut;
} path_end;

/* A path was cut if it ends with "…" and is so full that another piece would not fit. "…" alone does not show that,
   since a key may end with it. */
static path_end open_path(char *path, size_t size)
{
    path_end end = {path, size, size ? strnlen(path, size) : 0, size == 0};
    if (end.length >= ELLIPSIS_SIZE && end.length + 1 + LONGEST_PIECE >= size)
        end.cut = memcmp(path + end.length - ELLIPSIS_SIZE, ellipsis, ELLIPSIS_SIZE) == 0;
    return end;
}

static void put(path_end *end, const char *bytes, size_t count)
{
    if (end->cut)
        return;
    if (end->length < end->size && count < end->size - end->length) {
        memcpy(end->path + end->length, bytes, count);
        end->length += count;
        end->path[end->length] = 0;
        return;
    }
    end->cut = true;
    if (end->size <= ELLIPSIS_SIZE)
        return;
    size_t most = end->size - 1 - ELLIPSIS_SIZE;
    end->length = sn_utf8_cut(end->path, end->length < most ? end->length : most);
    memcpy(end->path + end->length, ellipsis, sizeof ellipsis);
}

static bool is_plain(const char *key)
{
    for (const char *c = key; *c; ++c) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (unsigned char)*c >= 0x80;
        if (!letter && !(*c >= '0' && *c <= '9') && *c != '_' && *c != '-')
            return false;
    }
    return *key != 0;
}

void sn_path_key(char *path, size_t size, const char *key)
{
    path_end end = open_path(path, size);
    bool plain = is_plain(key);
    if (!plain)
        put(&end, "[\"", 2);
    else if (end.length)
        put(&end, ".", 1);
    for (size_t length = strlen(key); length;) {
        char written[SN_ESCAPE_SIZE];
        size_t count = sn_escape(&key, &length, written);
        put(&end, written, count);
    }
    if (!plain)
        put(&end, "\"]", 2);
}

void sn_path_item(char *path, size_t size, uint32_t index)
{
    path_end end = open_path(path, size);
    char step[LONGEST_PIECE];
    int count = snprintf(step, sizeof step, "[%u]", (unsigned)index);
    put(&end, step, (size_t)count);
}

static bool next_plain(const char **path, sn_path_step *step)
{
    size_t length = strcspn(*path, ".[]\"");
    if (length == 0 || length >= sizeof step->key)
        return false;
    memcpy(step->key, *path, length);
    step->key[length] = 0;
    *path += length;
    return true;
}

/* After [" */
static bool next_quoted(const char **path, sn_path_step *step)
{
    const char *at = *path, *end = at + strlen(at);
    size_t length = 0;
    while (*at != '"') {
        char bytes[4];
        size_t count = sn_unescape(&at, end, bytes);
        if (count == 0 || length + count >= sizeof step->key)
            return false;
        memcpy(step->key + length, bytes, count);
        length += count;
    }
    step->key[length] = 0;
    if (at[1] != ']')
        return false;
    *path = at + 2;
    return true;
}

/* After [ */
static bool next_item(const char **path, sn_path_step *step)
{
    const char *at = *path;
    uint64_t index = 0;
    for (; *at >= '0' && *at <= '9'; ++at) {
        index = index * 10 + (uint64_t)(*at - '0');
        if (index > UINT32_MAX)
            return false;
    }
    if (at == *path || *at != ']')
        return false;
    step->index = (uint32_t)index;
    *path = at + 1;
    return true;
}

bool sn_path_next(const char **path, bool first, sn_path_step *step)
{
    const char *at = *path;
    bool understood;
    step->item = false;
    if (at[0] == '[' && at[1] == '"') {
        at += 2;
        understood = next_quoted(&at, step);
    } else if (at[0] == '[') {
        at += 1;
        step->item = true;
        understood = next_item(&at, step);
    } else if (first) {
        understood = next_plain(&at, step);
    } else {
        understood = *at++ == '.' && next_plain(&at, step);
    }
    if (understood)
        *path = at;
    return understood;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

#define LONGEST_NAME 64

static char same_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '-' ? '_' : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: the usual table of distances between prefixes. Three rows of it are kept: an exchange of
   neighbours uses the row before the last. */
static uint32_t edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint32_t rows[3][LONGEST_NAME + 1];
    for (uint32_t j = 0; j <= b_length; ++j)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_length; ++i) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; ++j) {
            char x = same_letter(a[i - 1]), y = same_letter(b[j - 1]);
            row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == same_letter(b[j - 2]) && y == same_letter(a[i - 2]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

uint32_t sn_word_distance(const char *typed, const char *name)
{
    size_t typed_length = strnlen(typed, LONGEST_NAME + 1), name_length = strnlen(name, LONGEST_NAME + 1);
    if (typed_length > LONGEST_NAME || name_length > LONGEST_NAME || typed_length == 0 || name_length == 0)
        return SN_FAR;
    size_t most = typed_length / 3 < 1 ? 1 : typed_length / 3 > 3 ? 3 : typed_length / 3;
    uint32_t distance = edits(typed, typed_length, name, name_length);
    /* If all letters differ, the name was not meant. */
    return distance <= most && distance < typed_length && distance < name_length ? distance : SN_FAR;
}

static bool begins_with(const char *name, const char *typed, size_t length)
{
    for (size_t i = 0; i < length; ++i)
        if (same_letter(name[i]) != same_letter(typed[i])) /* also at the end of the name */
            return false;
    return true;
}

const char *sn_nearest(const char *typed, const char *const *names, uint32_t count)
{
    const char *nearest = NULL;
    uint32_t best = SN_FAR;
    const size_t length = strlen(typed);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t distance = sn_word_distance(typed, names[i]);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    for (uint32_t i = 0; !nearest && length >= SN_BEGINNING && i < count; ++i)
        if (begins_with(names[i], typed, length))
            nearest = names[i];
    return nearest;
}
