#include "scene/mesh_read.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_join(const sn_scan *scan)
{
    return *scan->at == '\\' && scan->joins && (scan->at + 1 == scan->end || is_line_end(scan->at[1]));
}

static void pass_line_end(sn_scan *scan)
{
    if (scan->at == scan->end)
        return;
    char c = *scan->at++;
    if (c == '\r' && !scan->cr_alone && scan->at < scan->end && *scan->at == '\n')
        ++scan->at;
    ++scan->line;
}

static void pass_join(sn_scan *scan)
{
    ++scan->at;
    pass_line_end(scan);
}

bool sn_scan_word(sn_scan *scan, sn_word *word)
{
    while (scan->at < scan->end) {
        if (is_blank(*scan->at))
            ++scan->at;
        else if (is_join(scan))
            pass_join(scan);
        else
            break;
    }
    *word = (sn_word){scan->at, 0, scan->line};
    while (scan->at < scan->end && !is_blank(*scan->at) && !is_line_end(*scan->at) && !is_join(scan))
        ++scan->at;
    word->length = (size_t)(scan->at - word->at);
    return word->length > 0;
}

bool sn_scan_next_line(sn_scan *scan)
{
    while (scan->at < scan->end && !is_line_end(*scan->at))
        ++scan->at;
    pass_line_end(scan);
    return scan->at < scan->end;
}

bool sn_word_is(const sn_word *word, const char *text)
{
    return strlen(text) == word->length && memcmp(word->at, text, word->length) == 0;
}

const char *sn_word_quote(const sn_word *word, char text[SN_QUOTE_SIZE])
{
    size_t room = SN_QUOTE_SIZE - 6,
           count = word->length <= room ? word->length : room; /* 6: quotation marks, dots and the zero */
    char *out = text;
    *out++ = '"';
    for (size_t i = 0; i < count; ++i)
        *out++ = word->at[i] >= ' ' && word->at[i] <= '~' ? word->at[i] : '?';
    if (count < word->length)
        for (int i = 0; i < 3; ++i)
            *out++ = '.';
    *out++ = '"';
    *out = 0;
    return text;
}

/* ---- Numbers --------------------------------------------------------------------------------------------------------
   strtod reads "0.5" as 0 in a locale whose decimal separator is a comma. So the digits and the power of ten are
   extracted here, and combined without a point: either by one exact operation or as the text "123e-4". */

static const char not_a_number[] = "is not a number";
static const char not_finite[] = "is not finite";
#if SINEW_DOUBLE
static const char beyond_real[] = "is beyond the range of a double";
#else
static const char beyond_real[] = "is beyond the range of a float";
#endif

typedef struct decimal {
    const char *mantissa, *mantissa_end; /* digits, with at most one point among them */
    bool negative;
    bool exact;       /* digits has all digits of the number */
    uint64_t digits;  /* the first 19 significant ones */
    int64_t exponent; /* of ten, to be applied to digits */
    int64_t power;    /* as written after the e */
} decimal;

#define DIGITS_IN_64_BITS 19

/* Reads digits and point. False if there is no digit. */
static bool take_mantissa(decimal *number, const char *at, const char *end)
{
    bool any = false, fraction = false;
    int count = 0;
    number->mantissa = at;
    for (; at < end; ++at) {
        if (*at == '.' && !fraction) {
            fraction = true;
        } else if (is_digit(*at)) {
            any = true;
            if (count < DIGITS_IN_64_BITS) {
                number->digits = number->digits * 10 + (uint64_t)(*at - '0');
                count += number->digits != 0;
                number->exponent -= fraction;
            } else {
                number->exact = false;
                number->exponent += !fraction;
            }
        } else {
            break;
        }
    }
    number->mantissa_end = at;
    return any;
}

/* Reads the power after the e. Powers beyond this limit need not be told apart: no text has enough digits to
   compensate for them. */
#define MOST_POWER ((int64_t)1 << 56)

static bool take_power(decimal *number, const char *at, const char *end)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (at == end)
        return false;
    int64_t power = 0;
    for (; at < end; ++at) {
        if (!is_digit(*at))
            return false;
        if (power < MOST_POWER)
            power = power * 10 + (*at - '0');
    }
    number->power = negative ? -power : power;
    number->exponent += number->power;
    return true;
}

static bool take_apart(const sn_word *word, decimal *number)
{
    const char *at = word->at, *end = at + word->length;
    *number = (decimal){.exact = true};
    number->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (!take_mantissa(number, at, end))
        return false;
    at = number->mantissa_end;
    if (at == end)
        return true;
    return (*at == 'e' || *at == 'E') && take_power(number, at + 1, end);
}

/* If both the digits and the power of ten are exact doubles, their product or quotient is the double nearest to the
   number (IEEE 754). Rounding that to float as well is correct, unless it lies exactly between two floats. */
static bool put_together_quickly(const decimal *number, sn_real *value)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!number->exact || number->digits > (uint64_t)1 << 53 || number->exponent < -22 || number->exponent > 22)
        return false;
    double digits = (double)number->digits;
    double result = number->exponent < 0 ? digits / ten[-number->exponent] : digits * ten[number->exponent];
#if !SINEW_DOUBLE
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    if ((bits & 0x1fffffff) == 0x10000000)
        return false;
#endif
    *value = (sn_real)result;
    return true;
}

/* Digits beyond this number only decide on which side of a midpoint between two doubles a number is. A midpoint has
   at most 767 digits. */
#define MOST_DIGITS     800
#define MOST_TEXT_POWER 100000

static sn_real put_together_carefully(const decimal *number)
{
    char text[MOST_DIGITS + 32];
    size_t count = 0;
    bool fraction = false, rest = false;
    int64_t power = number->power;
    for (const char *at = number->mantissa; at < number->mantissa_end; ++at) {
        if (*at == '.') {
            fraction = true;
        } else if (count < MOST_DIGITS) {
            if (count > 0 || *at != '0')
                text[count++] = *at;
            power -= fraction;
        } else {
            rest |= *at != '0';
            power += !fraction;
        }
    }
    if (count == 0)
        return 0;
    if (rest) { /* one digit stands for all that are left out */
        text[count++] = '1';
        --power;
    }
    power = power > MOST_TEXT_POWER ? MOST_TEXT_POWER : power < -MOST_TEXT_POWER ? -MOST_TEXT_POWER : power;
    snprintf(text + count, sizeof text - count, "e%d", (int)power);
#if SINEW_DOUBLE
    return strtod(text, NULL);
#else
    return strtof(text, NULL);
#endif
}

/* nan, inf and infinity, as printf writes them, also the variants of Windows. */
static bool is_not_finite(const sn_word *word)
{
    const char *at = word->at, *end = at + word->length;
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (end - at >= 3 && memcmp(at, "1.#", 3) == 0)
        return true;
    char start[4] = {0};
    for (int i = 0; i < 3 && at < end; ++i, ++at)
        start[i] = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    return strcmp(start, "nan") == 0 || strcmp(start, "inf") == 0;
}

const char *sn_word_real(const sn_word *word, sn_real *value)
{
    decimal number;
    if (!take_apart(word, &number))
        return is_not_finite(word) ? not_finite : not_a_number;
    if (!put_together_quickly(&number, value))
        *value = put_together_carefully(&number);
    if (number.negative)
        *value = -*value;
    return isfinite(*value) ? NULL : beyond_real;
}

const char *sn_real_from(double number, sn_real *value)
{
    if (!isfinite(number))
        return not_finite;
#if !SINEW_DOUBLE
    if (fabs(number) >= 0x1.ffffffp127) /* half a step above FLT_MAX: from here on a float rounds to infinity */
        return beyond_real;
#endif
    *value = (sn_real)number;
    return NULL;
}

const char *sn_word_integer(const sn_word *word, int64_t *value)
{
    const char *at = word->at, *end = at + word->length;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        ++at;
    if (at == end)
        return "is not a whole number";
    *value = 0;
    for (; at < end; ++at) {
        if (!is_digit(*at))
            return "is not a whole number";
        if (*value > INT64_MAX / 10 - 1)
            return "is too large";
        *value = *value * 10 + (*at - '0');
    }
    *value = negative ? -*value : *value;
    return NULL;
}
