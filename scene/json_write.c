#include "scene/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Whole numbers below this are all exact, and written as integers. */
#define WHOLE_LIMIT 9007199254740992.0

#define DOUBLE_LEAST_DIGITS 15
#define DOUBLE_MOST_DIGITS  17
#if SINEW_DOUBLE
#define REAL_LEAST_DIGITS DOUBLE_LEAST_DIGITS
#define REAL_MOST_DIGITS  DOUBLE_MOST_DIGITS
#define REAL_MIN          DBL_MIN
#define REAL_MAX          DBL_MAX
#else
#define REAL_LEAST_DIGITS 6
#define REAL_MOST_DIGITS  9
#define REAL_MIN          ((double)FLT_MIN)
#define REAL_MAX          ((double)FLT_MAX)
#endif

/* 0.digits × 10^point */
typedef struct decimal {
    char digits[24];
    int count, point;
} decimal;

static int put_digits(uint64_t number, char *digits)
{
    char reversed[20];
    int count = 0;
    do
        reversed[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (int i = 0; i < count; ++i)
        digits[i] = reversed[count - 1 - i];
    return count;
}

/* The shortest decimal that is read as the same sn_real, with a few operations in double. An integer n below 2^53
   and a power of ten up to 10^22 are exact, so that n / 10^k (or n 10^k) is rounded once, as strtod rounds the
   written number. False if the number is outside of that range, or if no decimal as short as that exists;
   slow_decimal then searches. */
static bool quick_decimal(double number, decimal *out)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int point = -5, most = REAL_MOST_DIGITS < 15 ? REAL_MOST_DIGITS : 15;
    if (FLT_EVAL_METHOD != 0 || number < 1e-6 || number >= 1e15)
        return false;
    while (number >= (point < 0 ? 1 / ten[-point] : ten[point]))
        ++point;
    for (int digits = REAL_LEAST_DIGITS; digits <= most; ++digits) {
        int scale = digits - point;
        double n = floor((scale < 0 ? number / ten[-scale] : number * ten[scale]) + 0.5);
        double back = scale < 0 ? n * ten[-scale] : n / ten[scale];
        if ((sn_real)back == (sn_real)number) {
            out->count = put_digits((uint64_t)n, out->digits);
            out->point = out->count - scale;
            return true;
        }
    }
    return false;
}

/* The same with printf and strtod, trying more and more digits. The digits are picked out of the printed text, since
   the decimal point depends on the locale. */
static void slow_decimal(double number, bool real, decimal *out)
{
    char text[64];
    int digits = real ? REAL_LEAST_DIGITS : DOUBLE_LEAST_DIGITS, most = real ? REAL_MOST_DIGITS : DOUBLE_MOST_DIGITS;
    for (;; ++digits) {
        snprintf(text, sizeof text, "%.*e", digits - 1, number);
        if (digits == most)
            break;
        double back = strtod(text, NULL);
        if (real ? (sn_real)back == (sn_real)number : back == number)
            break;
    }
    const char *exponent = strchr(text, 'e');
    for (const char *c = text; c < exponent; ++c)
        if (*c >= '0' && *c <= '9')
            out->digits[out->count++] = *c;
    out->point = atoi(exponent + 1) + 1;
}

/* 0.00123, 12.3, 1200, 1.23e-9. The result is never an integer beyond 2^53. */
static size_t put_decimal(const decimal *number, char *text)
{
    int count = number->count, point = number->point;
    char *at = text;
    while (count > 1 && number->digits[count - 1] == '0')
        --count;
    if (point < -4 || point > 15) {
        *at++ = number->digits[0];
        if (count > 1)
            *at++ = '.';
        memcpy(at, number->digits + 1, (size_t)count - 1);
        at += count - 1;
        return (size_t)(at - text) + (size_t)snprintf(at, 8, "e%d", point - 1);
    }
    if (point <= 0) {
        memcpy(at, "0.0000", (size_t)(2 - point));
        at += 2 - point;
    }
    for (int i = 0; i < count || i < point; ++i) {
        if (i == point && i > 0)
            *at++ = '.';
        *at++ = i < count ? number->digits[i] : '0';
    }
    *at = 0;
    return (size_t)(at - text);
}

size_t sn_json_number(double number, char text[SN_NUMBER_SIZE])
{
    decimal out = {.count = 0};
    double size = fabs(number);
    char *at = text;
    if (!isfinite(number) || (number == 0 && signbit(number))) {
        memcpy(text, number == 0 ? "-0.0" : "null", 5);
        return 4;
    }
    if (number < 0)
        *at++ = '-';
    if (size < WHOLE_LIMIT && size == floor(size)) {
        at += put_digits((uint64_t)size, at);
        *at = 0;
        return (size_t)(at - text);
    }
    /* A number that sn_real cannot hold keeps its digits as a double. So does the largest sn_real, which would be
       rounded up beyond the range. */
    bool real = size >= REAL_MIN && size <= REAL_MAX && (double)(sn_real)size < REAL_MAX;
    if (real)
        size = (double)(sn_real)size;
    if (!real || !quick_decimal(size, &out))
        slow_decimal(size, real, &out);
    return (size_t)(at - text) + put_decimal(&out, at);
}

/* ---- On one line ------------------------------------------------------------------------------------------------- */

/* Lines are filled up to this column. */
#define LINE_WIDTH 100

#define INDENT 2

/* Writes bytes to a file; or into the line, to find out whether a value fits there. */
typedef struct writer {
    FILE *file;
    bool failed; /* the file has an error: no more is written */
    bool trying; /* bytes go to the line */
    bool full;   /* the line has no more room */
    size_t used, room;
    char line[LINE_WIDTH];
} writer;

static bool stopped(const writer *out)
{
    return out->trying ? out->full : out->failed;
}

static void put(writer *out, const char *bytes, size_t count)
{
    if (stopped(out))
        return;
    if (!out->trying) {
        out->failed = fwrite(bytes, 1, count, out->file) != count;
    } else if (count > out->room - out->used) {
        out->full = true;
    } else {
        memcpy(out->line + out->used, bytes, count);
        out->used += count;
    }
}

static void put_text(writer *out, const char *text, size_t length)
{
    put(out, "\"", 1);
    while (length && !stopped(out)) {
        size_t plain = 0;
        while (plain < length && text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
            ++plain;
        put(out, text, plain);
        text += plain;
        length -= plain;
        if (length) {
            char written[SN_ESCAPE_SIZE];
            size_t count = sn_escape(&text, &length, written);
            put(out, written, count);
        }
    }
    put(out, "\"", 1);
}

static void put_number(writer *out, double number)
{
    char text[SN_NUMBER_SIZE];
    put(out, text, sn_json_number(number, text));
}

static void put_key(writer *out, const sn_value *item)
{
    if (item->key) {
        put_text(out, item->key, strlen(item->key));
        put(out, ": ", 2);
    }
}

static void put_flat(writer *out, const sn_value *value)
{
    bool record = value->type == SN_VALUE_RECORD;
    switch (value->type) {
    case SN_VALUE_NULL:
        put(out, "null", 4);
        break;
    case SN_VALUE_TRUTH:
        put(out, value->number != 0 ? "true" : "false", value->number != 0 ? 4 : 5);
        break;
    case SN_VALUE_NUMBER:
        put_number(out, value->number);
        break;
    case SN_VALUE_TEXT:
        put_text(out, value->text, value->count);
        break;
    case SN_VALUE_LIST:
    case SN_VALUE_RECORD:
        put(out, record ? "{" : "[", 1);
        for (uint32_t i = 0; value->numbers && i < value->count && !stopped(out); ++i) {
            put(out, ", ", i ? 2 : 0);
            put_number(out, value->numbers[i]);
        }
        for (const sn_value *item = value->first; item && !stopped(out); item = item->next) {
            put_key(out, item);
            put_flat(out, item);
            put(out, ", ", item->next ? 2 : 0);
        }
        put(out, record ? "}" : "]", 1);
        break;
    }
}

/* ---- On several lines -------------------------------------------------------------------------------------------- */

static void new_line(writer *out, size_t indent)
{
    static const char spaces[] = "                                ";
    put(out, "\n", 1);
    for (size_t left = indent; left;) {
        size_t count = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        put(out, spaces, count);
        left -= count;
    }
}

/* Writes as many numbers on each line as fit. */
static void put_numbers(writer *out, const sn_value *list, size_t indent)
{
    size_t column = LINE_WIDTH;
    for (uint32_t i = 0; i < list->count && !stopped(out); ++i) {
        char text[SN_NUMBER_SIZE + 1];
        size_t count = sn_json_number(list->numbers[i], text);
        if (i + 1 < list->count)
            text[count++] = ',';
        if (column + 1 + count > LINE_WIDTH) {
            new_line(out, indent);
            column = indent;
        } else {
            put(out, " ", 1);
            ++column;
        }
        put(out, text, count);
        column += count;
    }
}

/* Writes a value if it fits on the rest of a line, with a comma to follow. The buffer of the line is the writer's
   own; a buffer at each depth of the recursion would take much of a small stack. */
static bool put_short(writer *out, const sn_value *value, size_t column)
{
    out->trying = true;
    out->full = false;
    out->used = 0;
    out->room = column + 1 < LINE_WIDTH ? LINE_WIDTH - column - 1 : 0;
    put_flat(out, value);
    out->trying = false;
    if (!out->full)
        put(out, out->line, out->used);
    return !out->full;
}

/* Writes a value at a column. The line is indented by `indent`. */
static void put_value(writer *out, const sn_value *value, size_t indent, size_t column)
{
    bool record = value->type == SN_VALUE_RECORD, holds = record || value->type == SN_VALUE_LIST;
    if (!holds || value->count == 0) {
        put_flat(out, value);
        return;
    }
    if (put_short(out, value, column))
        return;
    put(out, record ? "{" : "[", 1);
    if (value->numbers)
        put_numbers(out, value, indent + INDENT);
    for (const sn_value *item = value->first; item && !stopped(out); item = item->next) {
        new_line(out, indent + INDENT);
        put_key(out, item);
        put_value(out, item, indent + INDENT, indent + INDENT + (item->key ? strlen(item->key) + 4 : 0));
        put(out, ",", item->next ? 1 : 0);
    }
    new_line(out, indent);
    put(out, record ? "}" : "]", 1);
}

static bool finish(writer *out)
{
    put(out, "\n", 1);
    return !out->failed && fflush(out->file) == 0 && !ferror(out->file);
}

static const sn_value nothing = {.type = SN_VALUE_NULL};

bool sn_json_write(FILE *file, const sn_value *value)
{
    writer out = {.file = file};
    put_value(&out, value ? value : &nothing, 0, 0);
    return finish(&out);
}

bool sn_json_write_line(FILE *file, const sn_value *value)
{
    writer out = {.file = file};
    put_flat(&out, value ? value : &nothing);
    return finish(&out);
}
