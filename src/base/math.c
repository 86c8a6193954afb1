#include "base/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: n * LN2_HIGH is exact for |n| < 2^20 (the low 21 bits of its significand are zero). */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33
#define INV_LN2  0x1.71547652b82fep+0

/* 2^n for a normal result. */
static double power_of_two(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its series, whose term 14 is below 1e-17. */
double math_exp(double x)
{
    if (x != x)
        return x;
    if (x > 709.8)
        return (double)INFINITY;
    if (x < -745.2)
        return 0;
    int n = (int)(x * INV_LN2 + (x < 0 ? -0.5 : 0.5));
    double r = (x - n * LN2_HIGH) - n * LN2_LOW;
    double sum = 1;
    for (int i = 14; i >= 2; --i)
        sum = 1 + sum * r / i;
    sum = 1 + sum * r;
    /* in two steps, so that results near the ends of the range are reached through normal numbers */
    int half = n / 2;
    return sum * power_of_two(half) * power_of_two(n - half);
}

/* The series itself where e^x would be near 1 and the difference would lose its digits. */
double math_expm1(double x)
{
    if (!(x > -0.34 && x < 0.34))
        return math_exp(x) - 1;
    double sum = 1;
    for (int i = 14; i >= 2; --i)
        sum = 1 + sum * x / i;
    return sum * x;
}

/* x = 2^n m with m in [sqrt 1/2, sqrt 2); ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172, by its series. */
double math_log(double x)
{
    if (x != x || x == (double)INFINITY)
        return x;
    if (x < 0)
        return (double)NAN;
    if (x == 0)
        return -(double)INFINITY;
    int n = 0;
    if (x < 0x1p-1022) { /* subnormal */
        x *= 0x1p54;
        n -= 54;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    n += (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | (UINT64_C(1023) << 52);
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        n += 1;
    }
    double s = (m - 1) / (m + 1);
    double s2 = s * s;
    double sum = 0;
    for (int i = 23; i >= 3; i -= 2)
        sum = (sum + 1.0 / i) * s2;
    return n * LN2_HIGH + (2 * s + (2 * s * sum + n * LN2_LOW));
}
