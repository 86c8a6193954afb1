#include "scene/json_words.h"

#include <stdarg.h>
#include <string.h>

bool sn_json_fail(const sn_json_text *of, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_say(of->message, of->size, format, arguments);
    va_end(arguments);
    return false;
}

void sn_json_set_offset(const sn_json_text *of, size_t offset)
{
    *of->place = sn_json_place(of->text, of->length, offset);
}

/* ---- The bytes --------------------------------------------------------------------------------------------------- */

bool sn_json_check_bytes(const sn_json_text *of)
{
    const char *text = of->text;
    size_t length = of->length, size;
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return sn_json_fail(of, "the text is UTF-16; JSON must be UTF-8");
    for (size_t i = 0; i < length; i += size) {
        size = (unsigned char)text[i] < 0x80 ? 1 : sn_utf8_length(text + i, length - i);
        if (size == 0 || !text[i]) {
            sn_json_set_offset(of, i);
            return size ? sn_json_fail(of, "a zero byte: this is not a text")
                        : sn_json_fail(of, "byte 0x%02x is not valid UTF-8 here", (unsigned)(unsigned char)text[i]);
        }
    }
    return true;
}

sn_excerpt sn_json_quote(const char *text, size_t length)
{
    sn_excerpt result;
    size_t used = 0;
    while (length && used < SN_QUOTE_LENGTH) {
        bool plain = *text == '"' || *text == '\\';
        char as_it_is = *text, written[SN_ESCAPE_SIZE];
        size_t count = sn_escape(&text, &length, written);
        memcpy(result.text + used, plain ? &as_it_is : written, plain ? 1 : count);
        used += plain ? 1 : count;
    }
    memcpy(result.text + used, length ? "\xe2\x80\xa6" : "", length ? 4 : 1);
    return result;
}

bool sn_json_is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

size_t sn_json_word_length(const sn_json_text *of, size_t start)
{
    size_t end = start;
    while (end < of->length && !sn_json_is_one_of(of->text[end], " \t\r\n,:[]{}\""))
        ++end;
    return end > start ? end - start : start < of->length;
}

char sn_json_byte_before(const sn_json_text *of, size_t offset)
{
    while (offset && sn_json_is_one_of(of->text[offset - 1], " \t\r\n"))
        --offset;
    return offset ? of->text[offset - 1] : 0;
}

/* ---- What is found in place of a value or key. Usual mistakes get a hint. ---------------------------------------- */

bool sn_json_explain_token(const sn_json_text *of, size_t start, const char *expected)
{
    sn_excerpt word = sn_json_quote(of->text + start, sn_json_word_length(of, start));
    const char *at = word.text;
    char before = sn_json_byte_before(of, start);
    if (sn_json_is_one_of(*at, "}]") && before == ',')
        return sn_json_fail(of, "expected %s after the comma, found %s; JSON has no comma after the last item",
                            expected, word.text);
    if (strncmp(at, "//", 2) == 0 || strncmp(at, "/*", 2) == 0 || *at == '#')
        return sn_json_fail(of, "expected %s, found a comment; JSON has none", expected);
    if (*at == '\'')
        return sn_json_fail(of, "expected %s, found a single quote; JSON has double quotes only", expected);
    if (before == ',' && *at == ',')
        return sn_json_fail(of, "expected %s between two commas", expected);
    if (*at == '"')
        return sn_json_fail(of, "expected %s, found a text", expected);
    if (strcmp(expected, "a value") != 0 || sn_json_is_one_of(*at, ",:}]"))
        return sn_json_fail(of, "expected %s, found %s", expected, word.text);
    if (sn_json_is_one_of(*at, "+-.0123456789"))
        return sn_json_fail(of, "expected %s, found %s, which is not a number in JSON", expected, word.text);
    return sn_json_fail(of, "expected %s, found %s; a text stands in double quotes", expected, word.text);
}

bool sn_json_explain_flaw(const sn_json_text *of, sn_json_flaw flaw, size_t offset)
{
    unsigned byte = offset < of->length ? (unsigned char)of->text[offset] : 0;
    sn_json_set_offset(of, offset);
    switch (flaw) {
    case SN_JSON_LINE_BREAK:
        return sn_json_fail(of, "a text has no closing quote before the end of the line; write a line break as \\n");
    case SN_JSON_CONTROL:
        return sn_json_fail(of, "a text holds the control character 0x%02x; write it as \\u%04x", byte, byte);
    case SN_JSON_ESCAPE:
        return sn_json_fail(of, "a text holds an escape that JSON does not have; a backslash is written as \\\\");
    case SN_JSON_HALF_PAIR:
        return sn_json_fail(of, "a text holds a \\u escape that is half of a pair");
    case SN_JSON_ZERO:
        return sn_json_fail(of, "a text holds a zero character (\\u0000), which is not allowed");
    default:
        return sn_json_fail(of, "a text has no closing quote before the end of the file");
    }
}

bool sn_json_explain_end(const sn_json_text *of, const char *expected)
{
    sn_json_set_offset(of, of->length);
    return sn_json_fail(of, "the file ends too early: expected %s", expected);
}

bool sn_json_explain_depth(const sn_json_text *of)
{
    return sn_json_fail(of, "lists and records lie in each other more than %d deep", SN_DOCUMENT_DEPTH);
}

bool sn_json_explain_duplicate(const sn_json_text *of, size_t start, size_t end)
{
    sn_json_set_offset(of, start);
    return sn_json_fail(of, "the key %s is already in this record", sn_json_quote(of->text + start, end - start).text);
}

bool sn_json_explain_rest(const sn_json_text *of, size_t start)
{
    sn_json_set_offset(of, start);
    return sn_json_fail(of, "the end of the file was expected here, found %s",
                        sn_json_quote(of->text + start, sn_json_word_length(of, start)).text);
}

bool sn_json_explain_number(const sn_json_text *of, bool integer, size_t start, size_t end)
{
    sn_excerpt token = sn_json_quote(of->text + start, end - start);
    sn_json_set_offset(of, start);
    return integer ? sn_json_fail(of, "the integer %s is beyond 2^53 and would not be exact", token.text)
                   : sn_json_fail(of, "the number %s is beyond the largest, about 1.8e308", token.text);
}
