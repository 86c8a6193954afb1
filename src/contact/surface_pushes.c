/* The impulses of coupled contacts, all at once: y of

       r = gap + G y,      normal: p = was + y >= 0, r >= 0, p r = 0;
       across: r = 0, or friction is at its limit, |p| = mu p of the normal, and against r.

   For given friction limits this is the minimum of q = y G y / 2 + gap y over the allowed y. The limits are those of
   the normal impulses before. Sweeps from contact to contact (projected Gauss-Seidel) soon find which contacts act and
   which slide. They need hundreds of times as many sweeps to find the impulses: what lifts a load is a sum of small
   impulses of all contacts of a knot. So after some sweeps the rows that are at no limit are solved exactly, by a
   Cholesky factor. The step to that solution is followed as far as q falls, with limits kept (subspace minimisation:
   More and Toraldo 1991; Silcowitz, Niebe and Erleben 2010). No step lets q rise. */
#include "contact/surface_pushes.h"

#include <math.h>
#include <string.h>

#define SWEEPS 16u   /* before each exact solve: with 4, a load of 100 times the mass of its rope failed */
#define SOLVES 12u   /* exact solves for given friction limits */
#define LIMITS 3u    /* number of times that friction limits are set */
#define HALVES 6u    /* halvings of a step, until q falls */
#define STICKS 0.999 /* relative to the friction limit: below this share the contact sticks */

static double at(const sn_pushes *p, uint32_t row, uint32_t column)
{
    return p->matrix[(size_t)row * (3 * p->count) + column];
}

/* Sets y of a row, and updates r. G is symmetric. */
static void set(const sn_pushes *p, uint32_t row, double y)
{
    const uint32_t rows = 3 * p->count;
    const double *of = p->matrix + (size_t)row * rows, more = y - p->y[row];
    double *r = p->r;
    p->y[row] = y;
    for (uint32_t k = 0; more != 0 && k < rows; ++k)
        r[k] += of[k] * more;
}

/* Computes r from y. */
static void measure(const sn_pushes *p)
{
    const uint32_t rows = 3 * p->count;
    memcpy(p->r, p->gap, rows * sizeof *p->r);
    for (uint32_t i = 0; i < rows; ++i) {
        const double y = p->y[i];
        p->y[i] = 0;
        set(p, i, y);
    }
}

static double energy(const sn_pushes *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * p->count; ++i)
        sum += p->y[i] * (p->r[i] + p->gap[i]);
    return sum / 2;
}

/* Projects y of contact i onto its limits. */
static void keep(const sn_pushes *p, uint32_t i, double y[3])
{
    const double *was = p->was + 3 * i;
    const double f[2] = {was[1] + y[1], was[2] + y[2]}, much = sqrt(f[0] * f[0] + f[1] * f[1]);
    y[0] = was[0] + y[0] > 0 ? y[0] : -was[0];
    for (uint32_t k = 0; much > p->limit[i] && k < 2; ++k)
        y[1 + k] = f[k] * (p->limit[i] / much) - was[1 + k];
}

/* One Gauss-Seidel sweep. Returns the largest change of a contact (m). */
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
        const double y = p->y[r] - p->r[r] / own;
        set(p, r, p->was[r] + y > 0 ? y : -p->was[r]);
        most = fmax(most, fabs(p->y[r] - was[0]) * own);
        if (!p->tangential)
            continue;
        double to[3] = {p->y[r], was[1] - p->r[r + 1] / across, was[2] - p->r[r + 2] / across};
        keep(p, i, to);
        set(p, r + 1, to[1]);
        set(p, r + 2, to[2]);
        most = fmax(most, fmax(fabs(to[1] - was[1]), fabs(to[2] - was[2])) * across);
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
        if (p->tangential && sqrt(x * x + z * z) < STICKS * p->limit[i]) {
            p->row[count++] = r + 1;
            p->row[count++] = r + 2;
        }
    }
    return count;
}

/* Cholesky elimination: subtracts one row of the factor, of `own` numbers from its diagonal on, from the rows after
   it. */
static void eliminate(double *row, uint32_t own, uint32_t width)
{
    for (uint32_t i = 1; i < own; ++i) {
        double *to = row + (size_t)i * width;
        const double share = row[i];
        for (uint32_t k = i; k < own; ++k)
            to[k] -= share * row[k];
    }
}

/* Solves G d = -r for the listed rows; d is in `step`. The factor is the upper half of a matrix. */
static void solve_free(const sn_pushes *p, uint32_t count)
{
    double *u = p->factor, *d = p->step;
    for (uint32_t i = 0; i < count; ++i) {
        d[i] = -p->r[p->row[i]];
        for (uint32_t k = i; k < count; ++k)
            u[(size_t)i * count + k] = at(p, p->row[i], p->row[k]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        double *row = u + (size_t)i * count + i;
        const double least = SN_PUSHES_SOFT / 2 * at(p, p->row[i], p->row[i]), share = 1 / sqrt(fmax(row[0], least));
        for (uint32_t k = 0; k < count - i; ++k)
            row[k] = k ? row[k] * share : 1 / share;
        d[i] *= share;
        for (uint32_t k = 1; k < count - i; ++k)
            d[i + k] -= row[k] * d[i];
        eliminate(row, count - i, count);
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; ++k)
            d[i] -= u[(size_t)i * count + k] * d[k];
        d[i] /= u[(size_t)i * count + i];
    }
}

/* Follows that step as far as q falls: a line search by halving. */
static void follow(const sn_pushes *p, uint32_t count)
{
    const double before = energy(p);
    double share = 1;
    memcpy(p->kept, p->y, 3 * (size_t)p->count * sizeof *p->y);
    for (uint32_t i = 0; i < HALVES; ++i, share /= 2) {
        for (uint32_t k = 0; k < count; ++k)
            p->y[p->row[k]] += share * p->step[k];
        for (uint32_t k = 0; k < p->count; ++k)
            keep(p, k, p->y + 3 * k);
        measure(p);
        if (energy(p) < before)
            return;
        memcpy(p->y, p->kept, 3 * (size_t)p->count * sizeof *p->y);
    }
    measure(p);
}

/* Minimises q for the current friction limits. */
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
    for (uint32_t i = 0; i < (p->tangential ? LIMITS : 1); ++i) {
        for (uint32_t k = 0; k < p->count; ++k) {
            const double *was = p->was + 3 * k, *y = p->y + 3 * k;
            const double u = was[1] + y[1], v = was[2] + y[2], normal = was[0] + y[0];
            const bool slides = i && u * u + v * v >= STICKS * STICKS * p->limit[k] * p->limit[k];
            p->limit[k] = p->tangential ? (slides ? p->dynamic_friction[k] : p->static_friction[k]) * normal : HUGE_VAL;
            keep(p, k, p->y + 3 * k);
        }
        measure(p);
        find(p, enough);
    }
}
