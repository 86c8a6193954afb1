/* Motion of the corners of a tile of a surface, SN_WIDTH at a time: sums for a best-fit rigid motion, then the
   residuals. See contact/surface_looks.c. Also the deformation of its triangles: see contact/surface_smooth.c. The
   order of sums depends on the width: no result depends on them. */
#ifndef SN_WIDE_CORNERS_H
#define SN_WIDE_CORNERS_H

#include "base/simd.h"
#include "wide/wide.h"

SN_INLINE lanes3 corners_load(const sn_wide_corners *c, uint32_t row, uint32_t at)
{
    const sn_real *from = c->rows + (size_t)row * SN_WIDE_CORNERS + at;
    return lanes3_of(lanes_load(from), lanes_load(from + SN_WIDE_CORNERS), lanes_load(from + 2 * SN_WIDE_CORNERS));
}

/* Positions relative to the first corner. */
SN_INLINE lanes3 corners_place(const sn_wide_corners *c, uint32_t at, sn_vec3 from)
{
    return lanes3_sub(corners_load(c, 0, at),
                      lanes3_of(lanes_all((double)from.x), lanes_all((double)from.y), lanes_all((double)from.z)));
}

/* The vector of a corner, or its displacement. */
SN_INLINE lanes3 corners_vector(const sn_wide_corners *c, uint32_t at)
{
    const lanes3 vector = corners_load(c, 3, at);
    return c->displacements ? lanes3_sub(vector, corners_load(c, 0, at)) : vector;
}

SN_INLINE sn_real corners_sum(lanes a)
{
    sn_real part[SN_WIDTH], sum = 0;
    lanes_store(part, a);
    for (uint32_t i = 0; i < SN_WIDTH; ++i)
        sum += part[i];
    return sum;
}

SN_INLINE sn_vec3 corners_sums(lanes3 a)
{
    return vec3(corners_sum(a.x), corners_sum(a.y), corners_sum(a.z));
}

/* The largest, or NaN. */
SN_INLINE sn_real corners_most(lanes a)
{
    sn_real part[SN_WIDTH], most;
    lanes_store(part, a);
    most = part[0];
    for (uint32_t i = 1; i < SN_WIDTH; ++i)
        most = part[i] <= most ? most : part[i];
    return most;
}

SN_INLINE sn_vec3 corners_ends(lanes3 a, bool most)
{
    const lanes zero = lanes_all(0);
    if (most)
        return vec3(corners_most(a.x), corners_most(a.y), corners_most(a.z));
    return vec3(-corners_most(zero - a.x), -corners_most(zero - a.y), -corners_most(zero - a.z));
}

SN_INLINE lanes3 corners_least(lanes3 a, lanes3 b)
{
    return lanes3_of(lanes_min(a.x, b.x), lanes_min(a.y, b.y), lanes_min(a.z, b.z));
}

SN_INLINE lanes3 corners_larger(lanes3 a, lanes3 b)
{
    return lanes3_of(lanes_max(a.x, b.x), lanes_max(a.y, b.y), lanes_max(a.z, b.z));
}

/* Sums, and the box of end positions (of positions if there are no displacements). */
static void corners_add(sn_wide_corners *c)
{
    const sn_real *row = c->rows;
    const sn_vec3 from = vec3(row[0], row[SN_WIDE_CORNERS], row[2 * SN_WIDE_CORNERS]);
    const uint32_t seen = c->displacements ? 3 : 0;
    const lanes none = lanes_all(0);
    lanes3 sum = lanes3_of(none, none, none), vector = sum, u = sum, v = sum, du = sum, dv = sum;
    lanes3 low = corners_load(c, seen, 0), high = low;
    for (uint32_t at = 0; at < c->count; at += SN_WIDTH) {
        const lanes3 place = corners_place(c, at, from), moves = corners_vector(c, at), box = corners_load(c, seen, at);
        const lanes one = lanes_load(c->rows + (size_t)6 * SN_WIDE_CORNERS + at),
                    two = lanes_load(c->rows + (size_t)7 * SN_WIDE_CORNERS + at),
                    there = lanes_load(c->rows + (size_t)8 * SN_WIDE_CORNERS + at);
        low = corners_least(low, box);
        high = corners_larger(high, box);
        sum = lanes3_add(sum, lanes3_scale(place, there));
        vector = lanes3_add(vector, lanes3_scale(moves, there));
        u = lanes3_add(u, lanes3_scale(place, one));
        v = lanes3_add(v, lanes3_scale(place, two));
        du = lanes3_add(du, lanes3_scale(moves, one));
        dv = lanes3_add(dv, lanes3_scale(moves, two));
    }
    c->box = (sn_bounds){corners_ends(low, false), corners_ends(high, true)};
    c->place = corners_sums(sum);
    c->vector = corners_sums(vector);
    c->u = corners_sums(u), c->v = corners_sums(v);
    c->du = corners_sums(du), c->dv = corners_sums(dv);
}

/* Sets the largest squared residual of the vectors and the largest squared distance from the centre, m^2. */
static void corners_rest(sn_wide_corners *c, sn_vec3 centre, sn_vec3 mean, sn_vec3 spin)
{
    const lanes3 m = lanes3_of(lanes_all((double)mean.x), lanes_all((double)mean.y), lanes_all((double)mean.z)),
                 s = lanes3_of(lanes_all((double)spin.x), lanes_all((double)spin.y), lanes_all((double)spin.z));
    lanes rest = lanes_all(0), radius = rest;
    for (uint32_t at = 0; at < c->count; at += SN_WIDTH) {
        const lanes3 y = corners_place(c, at, centre);
        const lanes3 left = lanes3_sub(lanes3_sub(corners_vector(c, at), m), lanes3_cross(s, y));
        rest = lanes_max(lanes3_dot(left, left), rest);
        radius = lanes_max(lanes3_dot(y, y), radius);
    }
    c->rest = corners_most(rest);
    c->radius = corners_most(radius);
}

/* The minimum and maximum of each component of the deformation gradients. */
static void corners_gradients(sn_wide_gradients *g)
{
    lanes least[6], most[6];
    for (uint32_t at = 0; at < g->count; at += SN_WIDTH) {
        lanes row[SN_WIDE_GRADIENT_ROWS], number[6];
        for (uint32_t k = 0; k < SN_WIDE_GRADIENT_ROWS; ++k)
            row[k] = lanes_load(&g->rows[k][at]);
        for (uint32_t k = 0; k < 3; ++k) {
            number[k] = row[k] * row[6] + row[3 + k] * row[8];
            number[3 + k] = row[k] * row[7] + row[3 + k] * row[9];
        }
        for (uint32_t k = 0; k < 6; ++k) {
            least[k] = at ? lanes_min(least[k], number[k]) : number[k];
            most[k] = at ? lanes_max(most[k], number[k]) : number[k];
        }
    }
    for (uint32_t k = 0; k < 6; ++k) {
        g->least[k] = -corners_most(lanes_all(0) - least[k]);
        g->most[k] = corners_most(most[k]);
    }
}

#endif
