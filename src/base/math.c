#include "base/math.h"
#include "base/quat.h"

#include <sinew/math.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts. n * LN2_HIGH is exact for |n| < 2^20 (the low 21 bits of its significand are zero). */
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
    /* In two steps, so that results near the ends of the range are reached through normal numbers. */
    int half = n / 2;
    return sum * power_of_two(half) * power_of_two(n - half);
}

/* Uses the series itself where e^x is near 1: there the difference would lose its digits. */
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

/* ---- Roots ------------------------------------------------------------------------------------------------------ */

/* x = 8^n m with m in [1, 8). A chord guesses m^(1/3) to a tenth; five rounds of Newton's method do the rest. */
double math_cbrt(double x)
{
    if (x != x || x == 0 || x == (double)INFINITY || x == -(double)INFINITY)
        return x;
    double m = x < 0 ? -x : x;
    int n = 0;
    if (m < 0x1p-1000) {
        m *= 0x1p300;
        n = -100;
    }
    uint64_t bits;
    memcpy(&bits, &m, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    int third = (exponent + 1023) / 3 - 341; /* rounded down: 1023 = 3 * 341 */
    bits = (bits & UINT64_C(0xfffffffffffff)) | ((uint64_t)(exponent - 3 * third + 1023) << 52);
    memcpy(&m, &bits, sizeof m);
    double y = 0.93 + 0.14 * m;
    for (int i = 0; i < 5; ++i)
        y -= (y - m / (y * y)) / 3;
    y *= power_of_two(n + third);
    return x < 0 ? -y : y;
}

/* ---- Angles ----------------------------------------------------------------------------------------------------- */

/* pi / 2 in three parts. n times each of the first two is exact for n < 2^20. */
#define PI_2_HIGH   0x1.921fb544p+0
#define PI_2_MIDDLE 0x1.0b4611a6p-34
#define PI_2_LOW    0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

/* pi / 2 rounded to double, and the remainder of this rounding. */
#define PI_2      0x1.921fb54442d18p+0
#define PI_2_REST 0x1.1a62633145c07p-54

/* An angle within pi / 4 of a multiple of pi / 2: x = quadrant pi / 2 + r + rest, the quadrant modulo 4. */
typedef struct reduced {
    double r, rest;
    unsigned quadrant;
} reduced;

/* Reduction by subtraction, for |x| < 1e6. The products and the first difference are exact. The second difference keeps
   its rounding error (Cody and Waite). */
static reduced reduce_near(double x)
{
    int n = (int)(x * TWO_OVER_PI + (x < 0 ? -0.5 : 0.5));
    double a = x - n * PI_2_HIGH, b = n * PI_2_MIDDLE;
    double middle = a - b, back = a - middle;
    double rest = ((a - (middle + back)) + (back - b)) - n * PI_2_LOW;
    double r = middle + rest;
    return (reduced){r, (middle - r) + rest, (unsigned)n & 3u};
}

/* The binary digits of 2 / pi, 32 to a word: enough for the largest double. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

#define WORDS 7

/* product = significand * the WORDS words of 2 / pi from `first` on; WORDS + 2 words, the lowest first. */
static void multiply_digits(uint64_t significand, uint32_t first, uint32_t *product)
{
    uint64_t low = significand & UINT32_MAX, high = significand >> 32, carry_low = 0, carry_high = 0;
    uint32_t before = 0; /* the word one place below, which the high half multiplies into this place */
    for (uint32_t i = 0; i < WORDS + 2; ++i) {
        uint32_t word = i < WORDS ? two_over_pi[first + WORDS - 1 - i] : 0;
        carry_low += low * word;
        carry_high += high * before;
        uint64_t sum = (carry_low & UINT32_MAX) + (carry_high & UINT32_MAX);
        product[i] = (uint32_t)sum;
        carry_low >>= 32;
        carry_high >>= 32;
        carry_low += sum >> 32;
        before = word;
    }
}

/* Reduction by the digits of 2 / pi, for any x > 2^19 (Payne and Hanek). Let x = m 2^k with integer m. Words of 2 / pi
   that contribute only multiples of four quadrants are left out. In the product with the next seven words, the lowest
   two bits before the binary point are the quadrant. The rest is the angle. It has at least 70 good bits even when 60
   of them cancel. */
static reduced reduce_far(double x)
{
    uint64_t bits, significand;
    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023 - 52;
    significand = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    uint32_t first = k < 34 ? 0 : (uint32_t)(k - 2) / 32; /* the last digit of all earlier words is worth 2^2 or more */
    uint32_t product[WORDS + 2];
    multiply_digits(significand, first, product);
    int point = 32 * ((int)first + WORDS) - k; /* bits of the product after the binary point: 191 to 257 */
    int top = point / 32, bit = point % 32;
    uint64_t around = product[top] | (top + 1 < WORDS + 2 ? (uint64_t)product[top + 1] << 32 : 0);
    unsigned quadrant = (unsigned)(around >> bit) & 3u;
    product[top] &= (UINT32_C(1) << bit) - 1;
    /* For a fraction above a half, take the distance to the next quadrant: the two's complement of the fraction. */
    bool upper = product[(point - 1) / 32] >> (point - 1) % 32 & 1;
    double fraction = 0, unit = power_of_two(-point);
    uint64_t carry = 1;
    for (int i = 0; i <= top; ++i, unit *= 0x1p32) {
        uint32_t mask = i < top ? UINT32_MAX : (UINT32_C(1) << bit) - 1;
        carry += ~product[i] & mask;
        uint32_t word = upper ? (uint32_t)carry & mask : product[i];
        carry >>= 32;
        fraction += word * unit;
    }
    return (reduced){(upper ? -fraction : fraction) * PI_2, 0, (quadrant + upper) & 3u};
}

static reduced reduce(double x)
{
    if (x > -1e6 && x < 1e6)
        return reduce_near(x);
    reduced far = reduce_far(x < 0 ? -x : x);
    if (x < 0) {
        far.r = -far.r;
        far.quadrant = (4u - far.quadrant) & 3u;
    }
    return far;
}

/* Taylor's series for |r| <= pi / 4. The first omitted terms are below 1e-18 and 1e-19. rest is added by the first
   derivative. */
static double sine_series(double r, double rest)
{
    double z = r * r, sum = 0;
    for (int i = 18; i >= 4; i -= 2)
        sum = (sum + 1) * z / -(i * (i + 1));
    sum = (sum + 1) / -6;
    return r + (r * z * sum + rest * (1 - z / 2));
}

static double cosine_series(double r, double rest)
{
    double z = r * r, sum = 0;
    for (int i = 19; i >= 5; i -= 2)
        sum = (sum + 1) * z / -(i * (i + 1));
    sum = (sum + 1) / 24;
    double most = 1 - z / 2;
    return most + (((1 - most) - z / 2) + (z * z * sum - r * rest));
}

double math_sin(double x)
{
    if (x == 0)
        return x;
    if (!isfinite(x))
        return (double)NAN;
    reduced a = reduce(x);
    double value = a.quadrant & 1u ? cosine_series(a.r, a.rest) : sine_series(a.r, a.rest);
    return a.quadrant & 2u ? -value : value;
}

double math_cos(double x)
{
    if (!isfinite(x))
        return (double)NAN;
    reduced a = reduce(x);
    double value = a.quadrant & 1u ? sine_series(a.r, a.rest) : cosine_series(a.r, a.rest);
    return a.quadrant == 1 || a.quadrant == 2 ? -value : value;
}

/* atan(i / 8), and the remainder of its rounding. */
static const double atan_eighth[9][2] = {
    {0, 0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(y / x) for 0 <= y <= x: atan(y / x) = atan(c) + atan(t), t = (y - c x) / (x + c y), where c is the nearest
   eighth. So |t| <= 1/16, and the series ends with t^15. Returns the larger part and stores the smaller in rest. */
static double atan_ratio(double y, double x, double *rest)
{
    double ratio = y / x, sum = 0;
    int i = (int)(8 * ratio + 0.5);
    double c = i / 8.0, t = i ? (y - c * x) / (x + c * y) : ratio, z = t * t;
    for (int n = 15; n >= 3; n -= 2)
        sum = (1.0 / n - sum) * z;
    *rest = i ? atan_eighth[i][1] + (t - t * sum) : -t * sum;
    return i ? atan_eighth[i][0] : t;
}

/* whole - part, where both have a remainder of rounding. Returns the difference and stores its remainder in rest. */
static double subtract_angle(double whole, double whole_rest, double part, double *rest)
{
    double difference = whole - part;
    *rest = ((whole - difference) - part) + (whole_rest - *rest);
    return difference;
}

/* The angle of (x, y) in the first quadrant, for finite x and y, y not 0. Returns the larger part and stores the
   smaller in rest. */
static double atan_quadrant(double y, double x, double *rest)
{
    double most = x > y ? x : y;
    if (most > 0x1p1000) { /* exact scaling, so that no sum overflows and no quotient loses bits */
        x *= 0x1p-100;
        y *= 0x1p-100;
    } else if (most < 0x1p-900) {
        x *= 0x1p200;
        y *= 0x1p200;
    }
    if (y <= x)
        return atan_ratio(y, x, rest);
    double angle = atan_ratio(x, y, rest);
    return subtract_angle(PI_2, PI_2_REST, angle, rest);
}

double math_atan2(double y, double x)
{
    if (x != x || y != y)
        return (double)NAN;
    double ax = fabs(x), ay = fabs(y), angle = 0, rest = 0;
    if (ax == (double)INFINITY || ay == (double)INFINITY) { /* use the direction of the corner or of the axis */
        ax = ax == (double)INFINITY;
        ay = ay == (double)INFINITY;
    }
    if (ay > 0)
        angle = atan_quadrant(ay, ax, &rest);
    if (signbit(x))
        angle = subtract_angle(2 * PI_2, 2 * PI_2_REST, angle, &rest);
    angle += rest;
    return signbit(y) ? -angle : angle;
}

/* tan^2(a / 2) = (1 - cos a) / (1 + cos a). Numerator and denominator are precise at both ends. */
double math_acos(double x)
{
    if (!(x >= -1 && x <= 1))
        return (double)NAN;
    return 2 * math_atan2(sqrt(1 - x), sqrt(1 + x));
}

/* ---- The same for users of the library --------------------------------------------------------------------------- */

double sn_math_sin(double x)
{
    return math_sin(x);
}

double sn_math_cos(double x)
{
    return math_cos(x);
}

double sn_math_atan2(double y, double x)
{
    return math_atan2(y, x);
}

double sn_math_acos(double x)
{
    return math_acos(x);
}

double sn_math_exp(double x)
{
    return math_exp(x);
}

double sn_math_log(double x)
{
    return math_log(x);
}

double sn_math_cbrt(double x)
{
    return math_cbrt(x);
}

/* ---- Vectors and rotations --------------------------------------------------------------------------------------- */

sn_real sn_vec3_length(sn_vec3 a)
{
    return (sn_real)sqrt(vec3_dot_double(a, a));
}

sn_vec3 sn_vec3_normalise(sn_vec3 a)
{
    const double length = sqrt(vec3_dot_double(a, a));
    if (!(length > 0))
        return vec3(0, 0, 0);
    return vec3((sn_real)((double)a.x / length), (sn_real)((double)a.y / length), (sn_real)((double)a.z / length));
}

sn_quat sn_quat_about(sn_vec3 axis, sn_real angle)
{
    const sn_vec3 n = sn_vec3_normalise(axis);
    const double s = sn_math_sin((double)angle / 2);
    if (n.x == 0 && n.y == 0 && n.z == 0)
        return (sn_quat){0, 0, 0, 1};
    return (sn_quat){(sn_real)(s * (double)n.x), (sn_real)(s * (double)n.y), (sn_real)(s * (double)n.z),
                     (sn_real)sn_math_cos((double)angle / 2)};
}

sn_quat sn_quat_facing(sn_vec3 direction)
{
    return direction.x == 0 && direction.y == 0 && direction.z == 0 ? (sn_quat){0, 0, 0, 1} : sn_quat_to(direction);
}

sn_quat sn_quat_after(sn_quat a, sn_quat b)
{
    return sn_quat_times(a, b);
}

sn_quat sn_quat_back(sn_quat q)
{
    return (sn_quat){-q.x, -q.y, -q.z, q.w};
}

sn_vec3 sn_quat_apply(sn_quat q, sn_vec3 v)
{
    return sn_quat_rotate(q, v);
}
