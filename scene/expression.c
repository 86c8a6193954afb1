/* Expressions: numbers, variables, + - * / % ^, parentheses and a few functions. Results are the same on every
   machine: trigonometric and other functions are the engine's own. */
#include "scene/expand.h"
#include "scene/scope.h"

#include <sinew/math.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest depth of nested parentheses and signs. */
#define MOST_DEPTH 64
#define MOST_POWER 1024

typedef struct parser {
    const char *begin, *at, *end;
    const sn_scope *scope;
    uint32_t depth;
    char *message;
    size_t size;
    bool failed;
} parser;

static double fail(parser *p, const char *what, const char *more)
{
    if (!p->failed)
        snprintf(p->message, p->size, "'%.*s': %s%s, at character %u",
                 (int)(p->end - p->begin < 80 ? p->end - p->begin : 80), p->begin, what, more,
                 (unsigned)(p->at - p->begin) + 1);
    p->failed = true;
    return 0;
}

static void skip(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        ++p->at;
}

static bool take(parser *p, char c)
{
    skip(p);
    if (p->failed || p->at == p->end || *p->at != c)
        return false;
    ++p->at;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#define MOST_DIGITS 300

/* strtod expects the decimal separator of the locale. So the point is removed: "2.5e3" is read as "25e2". */
static double number(parser *p)
{
    char text[MOST_DIGITS + 32];
    const char *from = p->at;
    size_t count = 0;
    int points = 0, after = 0, exponent = 0, sign = 1;
    for (; p->at < p->end && (is_digit(*p->at) || *p->at == '.'); ++p->at) {
        points += *p->at == '.';
        if (*p->at != '.' && count < MOST_DIGITS) {
            text[count++] = *p->at;
            after += points;
        }
    }
    if (p->at + 1 < p->end && (*p->at == 'e' || *p->at == 'E')) {
        const bool has_sign = p->at[1] == '+' || p->at[1] == '-';
        if (p->at + 1 + has_sign < p->end && is_digit(p->at[1 + has_sign])) {
            sign = p->at[1] == '-' ? -1 : 1;
            for (p->at += 1 + has_sign; p->at < p->end && is_digit(*p->at); ++p->at)
                exponent = exponent < 100000 ? 10 * exponent + (*p->at - '0') : exponent;
        }
    }
    if (count == 0 || count == MOST_DIGITS || points > 1) {
        p->at = from;
        return fail(p, "this is not a number", "");
    }
    snprintf(text + count, sizeof text - count, "e%d", sign * exponent - after);
    return strtod(text, NULL);
}

static double sum(parser *p);

/* x^n by multiplication, so that the result does not depend on the machine's library. */
static double power(parser *p, double x, double y)
{
    if (y == floor(y) && fabs(y) <= MOST_POWER) {
        double result = 1;
        for (uint32_t n = (uint32_t)fabs(y); n; n >>= 1, x *= x)
            if (n & 1)
                result *= x;
        return y < 0 ? 1 / result : result;
    }
    return x > 0 ? sn_math_exp(y * sn_math_log(x)) : fail(p, "a power that is not whole needs a positive base", "");
}

/* A number of at least 0 and below 1, the same for the same x: the bits of x, mixed by splitmix64. */
static double random_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

typedef struct function {
    const char *name;
    int arguments;
} function;

enum { SQRT, ABS, FLOOR, CEIL, ROUND, SIN, COS, TAN, EXP, LOG, RANDOM, MIN, MAX, ATAN2, FUNCTIONS };

static const function functions[FUNCTIONS] = {{"sqrt", 1},   {"abs", 1}, {"floor", 1}, {"ceil", 1}, {"round", 1},
                                              {"sin", 1},    {"cos", 1}, {"tan", 1},   {"exp", 1},  {"log", 1},
                                              {"random", 1}, {"min", 2}, {"max", 2},   {"atan2", 2}};

static double apply(int which, const double a[2])
{
    switch (which) {
    case SQRT:
        return sqrt(a[0]);
    case ABS:
        return fabs(a[0]);
    case FLOOR:
        return floor(a[0]);
    case CEIL:
        return ceil(a[0]);
    case ROUND:
        return floor(a[0] + 0.5);
    case SIN:
        return sn_math_sin(a[0]);
    case COS:
        return sn_math_cos(a[0]);
    case TAN:
        return sn_math_sin(a[0]) / sn_math_cos(a[0]);
    case EXP:
        return sn_math_exp(a[0]);
    case LOG:
        return sn_math_log(a[0]);
    case RANDOM:
        return random_of(a[0]);
    case MIN:
        return a[0] < a[1] ? a[0] : a[1];
    case MAX:
        return a[0] > a[1] ? a[0] : a[1];
    default:
        return sn_math_atan2(a[0], a[1]);
    }
}

static double call(parser *p, const char *name, size_t length)
{
    double argument[2] = {0, 0};
    int which = 0;
    while (which < FUNCTIONS &&
           (strlen(functions[which].name) != length || strncmp(functions[which].name, name, length) != 0))
        ++which;
    if (which == FUNCTIONS) {
        p->at = name;
        return fail(p,
                    "there is no such function; there are sqrt, abs, floor, ceil, round, sin, cos, tan, atan2, exp, "
                    "log, min, max, random",
                    "");
    }
    for (int i = 0; i < functions[which].arguments; ++i) {
        if (i && !take(p, ','))
            return fail(p, "expected a comma and a second number", "");
        argument[i] = sum(p);
    }
    if (!take(p, ')'))
        return fail(p, "expected ')'", "");
    return apply(which, argument);
}

static double item_of(parser *p, const sn_value *value)
{
    uint32_t count;
    const double *numbers = sn_value_numbers(value, &count);
    double i = sum(p);
    if (!take(p, ']'))
        return fail(p, "expected ']'", "");
    if (!numbers || !(i >= 0 && i < count && i == floor(i)))
        return fail(p, numbers ? "there is no such item in the list" : "this is no list of numbers", "");
    return numbers[(uint32_t)i];
}

static double name(parser *p)
{
    const char *from = p->at;
    while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
        ++p->at;
    size_t length = (size_t)(p->at - from);
    if (take(p, '('))
        return call(p, from, length);
    const sn_value *value = sn_scope_find(p->scope, from, length);
    if (value && take(p, '['))
        return item_of(p, value);
    if (value && value->type == SN_VALUE_NUMBER)
        return value->number;
    if (!value && length == 2 && strncmp(from, "pi", 2) == 0)
        return 3.14159265358979323846;
    char text[160] = "";
    p->at = from;
    if (value)
        return fail(p, "the variable is not a number but ", sn_value_describe(value, text, sizeof text));
    sn_scope_near(p->scope, from, length, text, sizeof text);
    return fail(p, "there is no such variable", text);
}

static double primary(parser *p)
{
    skip(p);
    if (take(p, '(')) {
        double value = sum(p);
        return take(p, ')') ? value : fail(p, "expected ')'", "");
    }
    if (p->at < p->end && (is_digit(*p->at) || *p->at == '.'))
        return number(p);
    bool marked = take(p, '$');
    if (p->at < p->end && is_letter(*p->at))
        return name(p);
    return fail(p, marked ? "expected the name of a variable" : "expected a number, a variable or '('", "");
}

/* A sign binds weaker than a power: -2^2 is -4. */
static double factor(parser *p)
{
    if (++p->depth > MOST_DEPTH)
        return fail(p, "too much in each other", "");
    double value;
    if (take(p, '-')) {
        value = -factor(p);
    } else if (take(p, '+')) {
        value = factor(p);
    } else {
        value = primary(p);
        if (take(p, '^'))
            value = power(p, value, factor(p));
    }
    --p->depth;
    return value;
}

static double product(parser *p)
{
    double value = factor(p);
    while (!p->failed) {
        if (take(p, '*'))
            value *= factor(p);
        else if (take(p, '/'))
            value /= factor(p);
        else if (take(p, '%'))
            value = fmod(value, factor(p));
        else
            break;
    }
    return value;
}

static double sum(parser *p)
{
    if (++p->depth > MOST_DEPTH)
        return fail(p, "too much in each other", "");
    double value = product(p);
    while (!p->failed) {
        if (take(p, '+'))
            value += product(p);
        else if (take(p, '-'))
            value -= product(p);
        else
            break;
    }
    --p->depth;
    return value;
}

bool sn_expression(const char *text, size_t length, const sn_scope *scope, double *value, char *message, size_t size)
{
    parser p = {.begin = text, .at = text, .end = text + length, .scope = scope, .message = message, .size = size};
    *value = sum(&p);
    skip(&p);
    if (!p.failed && p.at < p.end)
        fail(&p, "expected the end, or + - * / % ^", "");
    if (!p.failed && !isfinite(*value)) {
        p.at = p.begin;
        fail(&p, "this is not a finite number", "");
    }
    return !p.failed;
}
