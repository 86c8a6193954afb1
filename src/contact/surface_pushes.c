/* What contacts push by, all at once: y of

       r = gap + G y,      normal: p = was + y >= 0, r >= 0, p r = 0;
       across: r = 0, or friction is at its limit, |p| = mu p of the normal, and against r.

   With the limits of friction given this is the minimum of q = y G y / 2 + gap y over what y may be, and limits are those
   of the normal pushes before. Sweeps from contact to contact (projected Gauss-Seidel) find out soon which contacts push
   and which slide, but need hundreds of times more to find out how much: what lifts a load is a sum of small pushes of
   all contacts of a knot. So after some sweeps what is at no limit is solved for exactly, by a Cholesky factor, and is
   followed as far as q falls, with limits kept (subspace minimisation: More and Toraldo 1991; Silcowitz, Niebe and
   Erleben 2010). No step lets q rise. */
#include "contact/surface_pushes.h"

#include <math.h>
#include <string.h>

#define SWEEPS 16u   /* before each exact solve: with 4, a load of 100 times the mass of its rope was not found */
#define SOLVES 12u   /* for given limits */
#define LIMITS 3u    /* times that limits of friction are set */
#define HALVES 6u    /* of a step, until q falls */
#define STICKS 0.999 /* of what friction may: with less it holds */
#define SOFT   1e-6 /* of a row's own G, by which it gives: contacts may say the same twice, or contradict each other */

static double at(const sn_pushes *p, uint32_t row, uint32_t column)
{
    return p->matrix[(size_t)row * (3 * p->count) + column];
}

static double row_at(const sn_pushes *p, uint32_t row)
{
    const uint32_t rows = 3 * p->count;
    const double *of = p->matrix + (size_t)row * rows;
    double sum = p->gap[row] + SOFT * of[row] * p->y[row];
    for (uint32_t k = 0; k < rows; ++k)
        sum += of[k] * p->y[k];
    return sum;
}

static double energy(const sn_pushes *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * p->count; ++i)
        if (p->y[i] != 0)
            sum += p->y[i] * (row_at(p, i) + p->gap[i]);
    return sum / 2;
}

/* Keeps a contact within its limits. */
static void keep(const sn_pushes *p, uint32_t i)
{
    double *y = p->y + 3 * i;
    const double *was = p->was + 3 * i;
    const double f[2] = {was[1] + y[1], was[2] + y[2]}, much = sqrt(f[0] * f[0] + f[1] * f[1]);
    y[0] = was[0] + y[0] > 0 ? y[0] : -was[0];
    for (uint32_t k = 0; much > p->limit[i] && k < 2; ++k)
        y[1 + k] = f[k] * (p->limit[i] / much) - was[1 + k];
}

/* m: by how much a contact was changed at most. */
static double sweep(const sn_pushes *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        const uint32_t r = 3 * i;
        const double own = at(p, r, r), a = at(p, r + 1, r + 1), b = at(p, r + 2, r + 2), m = at(p, r + 1, r + 2);
        const double across = (a + b) / 2 + sqrt((a - b) * (a - b) / 4 + m * m),
                     was[3] = {p->y[r], p->y[r + 1], p->y[r + 2]};
        if (!(own > 0) || !(across > 0))
            continue;
        p->y[r] -= row_at(p, r) / (own * (1 + SOFT));
        p->y[r] = p->was[r] + p->y[r] > 0 ? p->y[r] : -p->was[r];
        most = fmax(most, fabs(p->y[r] - was[0]) * own);
        if (!p->rubs)
            continue;
        const double u = row_at(p, r + 1) / (across * (1 + SOFT)), v = row_at(p, r + 2) / (across * (1 + SOFT));
        p->y[r + 1] -= u;
        p->y[r + 2] -= v;
        keep(p, i);
        most = fmax(most, fmax(fabs(p->y[r + 1] - was[1]), fabs(p->y[r + 2] - was[2])) * across);
    }
    return most;
}

/* Lists the rows that are at no limit. */
static uint32_t list_free(const sn_pushes *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        const uint32_t r = 3 * i;
        const double x = p->was[r + 1] + p->y[r + 1], z = p->was[r + 2] + p->y[r + 2];
        if (p->was[r] + p->y[r] > 0)
            p->row[count++] = r;
        if (p->rubs && sqrt(x * x + z * z) < STICKS * p->limit[i]) {
            p->row[count++] = r + 1;
            p->row[count++] = r + 2;
        }
    }
    return count;
}

/* Solves G d = -r for the rows that are listed: d, in `step`. */
static void solve_free(const sn_pushes *p, uint32_t count)
{
    double *l = p->factor, *d = p->step;
    for (uint32_t i = 0; i < count; ++i) {
        double *own = l + (size_t)i * count;
        for (uint32_t k = 0; k <= i; ++k) {
            const double *other = l + (size_t)k * count;
            double sum = at(p, p->row[i], p->row[k]);
            for (uint32_t n = 0; n < k; ++n)
                sum -= own[n] * other[n];
            if (k < i) {
                own[k] = sum / other[k];
                continue;
            }
            const double least = SOFT * at(p, p->row[i], p->row[i]);
            own[i] = sqrt(fmax(sum + least, least));
        }
        d[i] = -row_at(p, p->row[i]);
        for (uint32_t k = 0; k < i; ++k)
            d[i] -= own[k] * d[k];
        d[i] /= own[i];
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; ++k)
            d[i] -= l[(size_t)k * count + i] * d[k];
        d[i] /= l[(size_t)i * count + i];
    }
}

/* Follows that step as far as q falls. False: it does not. */
static bool follow(const sn_pushes *p, uint32_t count)
{
    const double before = energy(p);
    double share = 1;
    memcpy(p->kept, p->y, 3 * (size_t)p->count * sizeof *p->y);
    for (uint32_t i = 0; i < HALVES; ++i, share /= 2) {
        for (uint32_t k = 0; k < count; ++k)
            p->y[p->row[k]] += share * p->step[k];
        for (uint32_t k = 0; k < p->count; ++k)
            keep(p, k);
        if (energy(p) < before)
            return true;
        memcpy(p->y, p->kept, 3 * (size_t)p->count * sizeof *p->y);
    }
    return false;
}

/* With the limits as they are. */
static void find(const sn_pushes *p, double enough)
{
    for (uint32_t i = 0; i < SOLVES; ++i) {
        for (uint32_t k = 0; k < SWEEPS; ++k)
            if (sweep(p) <= enough)
                return;
        const uint32_t count = list_free(p);
        solve_free(p, count);
        follow(p, count);
    }
}

void sn_pushes_find(const sn_pushes *p, double enough)
{
    for (uint32_t i = 0; i < (p->rubs ? LIMITS : 1); ++i) {
        for (uint32_t k = 0; k < p->count; ++k) {
            const double *was = p->was + 3 * k, *y = p->y + 3 * k;
            const double u = was[1] + y[1], v = was[2] + y[2], normal = was[0] + y[0];
            const bool slides = i && u * u + v * v >= STICKS * STICKS * p->limit[k] * p->limit[k];
            p->limit[k] = p->rubs ? (slides ? p->drag[k] : p->hold[k]) * normal : HUGE_VAL;
            keep(p, k);
        }
        find(p, enough);
    }
}
