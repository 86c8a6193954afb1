/* The constraints of a group of the driver (drive.h): their data, and the positions of their points, which are
   particles, in planes, or anchored to bodies and places. */
#ifndef SN_WIDE_DRIVE_POINTS_H
#define SN_WIDE_DRIVE_POINTS_H

#include "solvers/row_lanes.h"
#include "wide/gather.h"

#define DRIVE_CORNERS (4 * SN_MAX_POINTS)
#define DRIVE_ENTRIES (DRIVE_CORNERS + SN_MAX_POINTS)

/* For rare or long code: compiled once, not once for each shape. */
#ifdef __GNUC__
#define DRIVE_APART static __attribute__((noinline))
#else
#define DRIVE_APART static
#endif

/* The properties of a run. They are constants wherever a shape is used, so that the usual shapes have loops of their
   own. */
typedef struct drive_shape {
    uint32_t points, rows;
    uint32_t corners;    /* for each point; 0: points are particles */
    uint32_t rotational; /* a bit for each row, as in sn_kind */
    bool bodies, planes;
    bool single; /* one row, with the properties of its kind; neither orientations nor states */
    bool axial;  /* sn_kind.axial, for particles: only the gradients of the first row are read, and of these only x */
} drive_shape;

/* The input and output of the formula. Separate from the rest, because data whose address escapes must stay in
   memory. */
typedef struct drive_formula {
    lanes3 x[SN_MAX_POINTS];
    lanes4 q[SN_MAX_POINTS];
    lanes c[SN_MAX_ROWS];
    lanes3 by_point[SN_MAX_ROWS * SN_MAX_POINTS], by_turn[SN_MAX_ROWS * SN_MAX_POINTS];
    lanes_row row[SN_MAX_ROWS];
} drive_formula;

/* SN_WIDTH constraints being solved. */
typedef struct drive_group {
    const sn_wide_run *run;
    drive_formula *f;
    uint32_t points, rows, entries;
    uint32_t turns;      /* the first entry that is a rotation */
    uint32_t rotational; /* bits: rows with gradients for rotations only; gradients for their other entries are not
                            read */
    uint32_t corners;
    bool bodies, planes;
    uint32_t mask;                          /* lanes with a constraint */
    size_t at;                              /* index of the first of them, by batch and lane */
    uint32_t slot[DRIVE_ENTRIES][SN_WIDTH]; /* for rotations: the body */
    uint32_t moves[DRIVE_ENTRIES];          /* lanes with such an entry */
    lanes3 arm[SN_MAX_POINTS];              /* m: from the centre of a body to the point, in the world */
    lanes3 back[SN_MAX_POINTS][3]; /* rows of the matrix that maps a torque in the world to the gradient for the
                                      rotation */
    lanes3 give[SN_MAX_POINTS];    /* 1/m: sn_turn.give */
    lanes weight[DRIVE_CORNERS];
    lanes w[DRIVE_ENTRIES];
    lanes lambda[SN_MAX_ROWS], step[SN_MAX_ROWS];
    lanes displacement[SN_MAX_ROWS], rate_displacement[SN_MAX_ROWS];
    lanes3 by_corner[SN_MAX_ROWS * DRIVE_CORNERS]; /* if points have several corners */
    lanes3
        *linear; /* gradients for the entries that are not rotations: by_corner or f->by_point. Those for rotations are
                    in f->by_turn */
    lanes3 push[DRIVE_ENTRIES];
    lanes3 last_point[SN_MAX_ROWS],
        last_turn[SN_MAX_ROWS]; /* gradients for the last point, if exerted forces are recorded */
    flags exists;
} drive_group;

/* Sets the constants of a group. It is repeated after every call that is opaque to the compiler: a function that has
   the group's address might have changed it, and loops with constant bounds would become general ones. */
SN_INLINE void drive_know(drive_group *g, drive_shape shape)
{
    g->points = shape.points;
    g->rows = shape.rows;
    g->corners = shape.corners;
    g->rotational = shape.rotational;
    g->bodies = shape.bodies;
    g->planes = shape.planes;
    g->turns = g->points * (g->corners ? g->corners : 1);
    g->entries = g->turns + (g->bodies ? g->points : 0);
}

SN_INLINE lanes3 drive_zero3(void)
{
    return (lanes3){lanes_all(0), lanes_all(0), lanes_all(0)};
}

SN_INLINE lanes_row drive_zero_row(void)
{
    const flags no = flags_nowhere();
    const lanes zero = lanes_all(0);
    return (lanes_row){no, no, no, zero, zero, zero, zero, zero, zero};
}

/* ---- Points that are particles ----------------------------------------------------------------------------------- */

SN_INLINE void drive_look_records(drive_group *g)
{
    const sn_wide_run *run = g->run;
    const bool coarse = run->d == run->x, internal = run->kind->internal;
    origins origin;
    memset(&origin, 0, sizeof origin);
    for (uint32_t i = 0; i < g->points; ++i) {
        const size_t at = (g->at / SN_BATCH * g->points + i) * SN_BATCH + g->at % SN_BATCH;
        if (run->near)
            for (uint32_t l = 0; l < SN_WIDTH; ++l)
                g->slot[i][l] = run->near[at + l];
        else
            memcpy(g->slot[i], run->far + at, sizeof g->slot[i]);
        if (i == 0 && internal)
            gather_origins(run->x, g->slot[0], &origin);
        lanes4 y = gather_places(run->x, coarse ? NULL : run->d, g->slot[i], &origin);
        g->f->x[i] = (lanes3){y.x, y.y, y.z};
        g->w[i] = y.w;
        g->moves[i] = g->mask;
    }
}

/* ---- Planes ------------------------------------------------------------------------------------------------------ */

SN_INLINE size_t drive_offset(const drive_group *g, uint32_t i)
{
    return g->run->offset[g->at / SN_BATCH * g->points + i] + g->at % SN_BATCH;
}

SN_INLINE void drive_look_planes(drive_group *g)
{
    const float *plane = g->run->plane;
    const bool internal = g->run->kind->internal;
    lanes3 origin = planes_load3(plane + drive_offset(g, 0));
    for (uint32_t i = 0; i < g->points; ++i) {
        const float *at = plane + drive_offset(g, i);
        lanes3 x = planes_load3(at);
        x = internal ? lanes3_sub(x, origin) : x;
        g->f->x[i] = g->run->coarse ? x : lanes3_add(x, planes_load3(at + SN_PLANE_D * SN_BATCH));
        g->w[i] = lanes_from(at + SN_PLANE_W * SN_BATCH);
    }
}

/* ---- Anchored points --------------------------------------------------------------------------------------------- */

/* From numbers of the plan: see sn_wide_run.anchor. */
SN_INLINE const uint32_t *drive_anchor(const drive_group *g, uint32_t i, uint32_t number)
{
    const size_t each = g->corners + 1;
    return g->run->anchor + ((g->at / SN_BATCH * g->points + i) * each + number) * SN_BATCH + g->at % SN_BATCH;
}

SN_INLINE lanes drive_fixed(const drive_group *g, uint32_t i, uint32_t number)
{
    return lanes_from(g->run->fixed + ((g->at / SN_BATCH * g->points + i) * SN_ANCHOR_NUMBERS + number) * SN_BATCH +
                      g->at % SN_BATCH);
}

SN_INLINE lanes3 drive_fixed3(const drive_group *g, uint32_t i, uint32_t number)
{
    return (lanes3){drive_fixed(g, i, number), drive_fixed(g, i, number + 1), drive_fixed(g, i, number + 2)};
}

SN_INLINE lanes4 drive_fixed4(const drive_group *g, uint32_t i, uint32_t number)
{
    return (lanes4){drive_fixed(g, i, number), drive_fixed(g, i, number + 1), drive_fixed(g, i, number + 2),
                    drive_fixed(g, i, number + 3)};
}

/* The product: first b, then a. */
SN_INLINE lanes4 drive_times(lanes4 a, lanes4 b)
{
    return (lanes4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                    a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

SN_INLINE void drive_axes(lanes4 q, lanes3 e[3])
{
    lanes one = lanes_all(1), x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    lanes xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    lanes wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    e[0] = (lanes3){one - (yy + zz), xy + wz, xz - wy};
    e[1] = (lanes3){xy - wz, one - (xx + zz), yz + wx};
    e[2] = (lanes3){xz + wy, yz - wx, one - (xx + yy)};
}

SN_INLINE lanes3 drive_combine(const lanes3 e[3], lanes3 a)
{
    return lanes3_add(lanes3_add(lanes3_scale(e[0], a.x), lanes3_scale(e[1], a.y)), lanes3_scale(e[2], a.z));
}

/* Prepares a body in the frame of the substep. The derivation is in constraints/evaluate.c. */
SN_INLINE void drive_look_body(drive_group *g, uint32_t i, flags on_body, lanes3 place)
{
    const sn_wide_run *run = g->run;
    const uint32_t e = g->turns + i;
    const lanes one = lanes_all(1), half = lanes_all(0.5);
    lanes4 base = gather4(&run->turn->now, sizeof *run->turn, g->slot[e]);
    lanes4 give = gather4(&run->turn->give, sizeof *run->turn, g->slot[e]);
    lanes3 by = gather3(run->turned, g->slot[e]), axis[3];
    g->give[i] = (lanes3){give.x, give.y, give.z};
    lanes3 a = {by.x * (give.x * half), by.y * (give.y * half), by.z * (give.z * half)};
    lanes inverse = one / (one + lanes3_dot(a, a)), scale = lanes_sqrt(inverse);
    lanes4 q = drive_times(base, (lanes4){a.x, a.y, a.z, one});
    q = (lanes4){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    drive_axes(q, axis);
    g->arm[i] = lanes3_keep(on_body, drive_combine(axis, place));
    if (run->kind->oriented) {
        lanes4 own = drive_fixed4(g, i, SN_ANCHOR_TURN), turned = drive_times(q, own);
        g->f->q[i] = (lanes4){lanes_choose(on_body, turned.x, own.x), lanes_choose(on_body, turned.y, own.y),
                              lanes_choose(on_body, turned.z, own.z), lanes_choose(on_body, turned.w, own.w)};
    }
    for (uint32_t k = 0; k < 3; ++k)
        axis[k] = lanes3_scale(axis[k], inverse);
    g->back[i][0] = lanes3_add(axis[0], lanes3_sub(lanes3_scale(axis[2], a.y), lanes3_scale(axis[1], a.z)));
    g->back[i][1] = lanes3_add(axis[1], lanes3_sub(lanes3_scale(axis[0], a.z), lanes3_scale(axis[2], a.x)));
    g->back[i][2] = lanes3_add(axis[2], lanes3_sub(lanes3_scale(axis[1], a.x), lanes3_scale(axis[0], a.y)));
}

/* The corners of a point, and the position that they give. A place in the world has no corner that moves. */
SN_INLINE void drive_look_corners(drive_group *g, uint32_t i, flags in_world, lanes3 place, lanes3 *origin)
{
    const sn_wide_run *run = g->run;
    const bool coarse = run->d == run->x;
    const uint32_t moves = g->mask & ~flags_bits(in_world);
    for (uint32_t k = 0; k < g->corners; ++k) {
        const uint32_t e = i * g->corners + k;
        memcpy(g->slot[e], drive_anchor(g, i, k), sizeof g->slot[e]);
        lanes4 y = gather4(run->x, sizeof *run->x, g->slot[e]);
        lanes3 x = lanes3_choose(in_world, place, (lanes3){y.x, y.y, y.z});
        if (e == 0 && run->kind->internal)
            *origin = x;
        x = lanes3_sub(x, *origin);
        if (!coarse)
            x = lanes3_choose(in_world, x, lanes3_add(x, gather3(run->d, g->slot[e])));
        g->w[e] = lanes_keep(~in_world, y.w);
        g->moves[e] = moves;
        if (g->corners == 1) {
            g->f->x[i] = x;
            continue;
        }
        g->weight[e] = drive_fixed(g, i, SN_ANCHOR_WEIGHT + k);
        x = lanes3_scale(x, g->weight[e]);
        g->f->x[i] = k ? lanes3_add(g->f->x[i], x) : x;
    }
}

SN_INLINE void drive_look_anchored(drive_group *g)
{
    lanes3 origin = drive_zero3();
    for (uint32_t i = 0; i < g->points; ++i) {
        const flags in_world = lanes_above(drive_fixed(g, i, SN_ANCHOR_IS_PLACE), lanes_all(0));
        const lanes3 place = drive_fixed3(g, i, SN_ANCHOR_PLACE);
        drive_look_corners(g, i, in_world, place, &origin);
        if (!g->bodies)
            continue;
        const uint32_t e = g->turns + i;
        const flags on_body = slots_or_none(drive_anchor(g, i, g->corners), SN_NO_BODY, g->slot[e]);
        drive_look_body(g, i, on_body, place);
        g->f->x[i] = lanes3_add(g->f->x[i], g->arm[i]);
        g->w[e] = lanes_keep(on_body, g->w[i * g->corners]);
        g->moves[e] = g->mask & flags_bits(on_body);
    }
}

/* [row, entry] */
SN_INLINE lanes3 *drive_gradient(const drive_group *g, uint32_t r, uint32_t e)
{
    return e < g->turns ? &g->linear[r * g->turns + e] : &g->f->by_turn[r * (g->entries - g->turns) + e - g->turns];
}

/* True if a row has a gradient for an entry. */
SN_INLINE bool drive_has(const drive_group *g, uint32_t r, uint32_t e)
{
    return e >= g->turns || !(g->rotational >> r & 1);
}

/* A component this small beside the rest is rounding error; see evaluate.c. */
SN_INLINE lanes3 drive_without_rounding(lanes3 t, flags open)
{
    lanes x = lanes_abs(t.x), y = lanes_abs(t.y), z = lanes_abs(t.z);
    lanes least = lanes_all(SN_EVALUATE_ROUNDING) * lanes_max(z, lanes_max(x, y));
    return (lanes3){lanes_keep(open | lanes_above(x, least), t.x), lanes_keep(open | lanes_above(y, least), t.y),
                    lanes_keep(open | lanes_above(z, least), t.z)};
}

/* In a 2D world z is locked. */
SN_INLINE lanes3 drive_flat(lanes3 a)
{
    lanes least = lanes_all(SN_EVALUATE_ROUNDING) * lanes_abs(a.z);
    return (lanes3){lanes_keep(lanes_above(lanes_abs(a.x), least), a.x),
                    lanes_keep(lanes_above(lanes_abs(a.y), least), a.y), lanes_all(0)};
}

SN_INLINE lanes drive_largest(lanes3 a)
{
    return lanes_max(lanes_abs(a.x), lanes_max(lanes_abs(a.y), lanes_abs(a.z)));
}

/* Adds gradients. Two points of one body may act against each other, and the rounding error that remains must not
   rotate it; see evaluate.c. NaN stays NaN. */
SN_INLINE lanes3 drive_sum(const drive_group *g, uint32_t r, uint32_t e, lanes3 a, lanes3 b)
{
    const uint32_t i = e - g->turns;
    const lanes size = e < g->turns ? drive_largest(b)
                                    : drive_largest(g->f->by_point[r * g->points + i]) * drive_largest(g->arm[i]) *
                                          drive_largest(g->give[i]);
    const lanes least = lanes_all(SN_EVALUATE_ROUNDING) * size;
    const lanes3 sum = lanes3_add(a, b);
    return (lanes3){lanes_keep(~lanes_at_least(least, lanes_abs(sum.x)), sum.x),
                    lanes_keep(~lanes_at_least(least, lanes_abs(sum.y)), sum.y),
                    lanes_keep(~lanes_at_least(least, lanes_abs(sum.z)), sum.z)};
}

/* Merges entries from first to end that are the same particle or the same rotation: the first gets all gradients. */
DRIVE_APART void drive_merge(drive_group *g, uint32_t first, uint32_t end)
{
    for (uint32_t e = first + 1; e < end; ++e)
        for (uint32_t f = first; f < e; ++f) {
            uint32_t same = 0;
            for (uint32_t l = 0; l < SN_WIDTH; ++l)
                same |= (uint32_t)(g->slot[e][l] == g->slot[f][l]) << l;
            same &= g->moves[e] & g->moves[f];
            if (!same)
                continue;
            const flags here = flags_of(same);
            for (uint32_t r = 0; r < g->rows; ++r) {
                if (!drive_has(g, r, e))
                    continue;
                lanes3 *from = drive_gradient(g, r, e), *to = drive_gradient(g, r, f);
                *to = lanes3_choose(here, drive_sum(g, r, e, *to, *from), *to);
                *from = lanes3_keep(~here, *from);
            }
            g->moves[e] &= ~same;
        }
}

/* The gradients for the rotation of a body from those of a point on it. */
SN_INLINE void drive_spread_turn(drive_group *g, uint32_t i)
{
    const lanes zero = lanes_all(0);
    const lanes3 give = g->give[i];
    const flags open = lanes_unequal(give.x, zero) & lanes_unequal(give.y, zero) & lanes_unequal(give.z, zero);
    const bool locked = !flags_all(open);
    for (uint32_t r = 0; r < g->rows; ++r) {
        lanes3 torque;
        if (g->rotational >> r & 1) {
            torque = g->f->by_turn[r * g->points + i];
        } else {
            torque = lanes3_cross(g->arm[i], g->f->by_point[r * g->points + i]);
            if (g->run->kind->oriented)
                torque = lanes3_add(torque, g->f->by_turn[r * g->points + i]);
        }
        lanes3 t = {lanes3_dot(g->back[i][0], torque), lanes3_dot(g->back[i][1], torque),
                    lanes3_dot(g->back[i][2], torque)};
        if (locked)
            t = drive_without_rounding(t, open);
        g->f->by_turn[r * g->points + i] = (lanes3){give.x * t.x, give.y * t.y, give.z * t.z};
    }
}

/* Converts gradients by point to gradients by entry. Those for rotations come first, because they depend on the
   gradients by point. */
SN_INLINE void drive_spread(drive_group *g)
{
    for (uint32_t i = 0; g->bodies && i < g->points; ++i)
        drive_spread_turn(g, i);
    if (g->run->shared && g->bodies)
        drive_merge(g, g->turns, g->entries);
    g->linear = g->corners > 1 ? g->by_corner : g->f->by_point;
    for (uint32_t i = 0; g->corners > 1 && i < g->rows * g->points; ++i)
        for (uint32_t k = 0; k < g->corners; ++k)
            g->by_corner[i * g->corners + k] =
                lanes3_scale(g->f->by_point[i], g->weight[i % g->points * g->corners + k]);
    for (uint32_t i = 0; g->run->planar && i < g->rows * g->turns; ++i)
        g->linear[i] = drive_flat(g->linear[i]);
    if (g->run->shared)
        drive_merge(g, 0, g->turns);
}

#endif
