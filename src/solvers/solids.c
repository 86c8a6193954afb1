/* Stress of solids in a substep: see solids.h. */
#include "solvers/solids.h"

#if defined(__GNUC__) && !SINEW_DOUBLE
#define SN_VECTOR 16 /* four constraints at a time, on all machines */
#else
#define SN_VECTOR 0
#endif
#include "base/simd.h"
#include "base/symmetric.h"
#include "solvers/preload.h"

#include <string.h>

/* These functions have several callers: in a module that is downloaded they are not inlined. */
#if defined(__wasm__)
#define SOLIDS_INLINE static __attribute__((noinline))
#else
#define SOLIDS_INLINE SN_INLINE
#endif

/* The lattice is used if its optimal factor differs from 1 by less than TRUST, and less than MOST_LEFT of the residuals
   is left. */
#define TRUST     0.1
#define MOST_LEFT 0.3

/* Directions are smooth where w T h^2 / l is at least SMOOTH, and those of the constraints where it is at most
   PLAIN. */
#define PLAIN  0.02f
#define SMOOTH 0.1f

/* The largest w T h^2 / l of compression by the lattice in sheets, and in shells. */
#define SHEET_PUSH 0.025f
#define SHELL_PUSH 0.5f

/* A folded sheet that is stretched out by less than this share has plain sweeps. */
#define SHEET_OPEN 0.9

SN_INLINE lanes lanes_every(sn_real a)
{
    return lanes_all((double)a);
}

/* ---- Smoothed positions ------------------------------------------------------------------------------------------ */

typedef struct loading {
    const sn_solids *s;
    const sn_soft *solid;
    const sn_solver_in *in;
    sn_real per_h2, per_h;
    sn_vec3 origin;
} loading;

static void take_places(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_frame *frame = &l->in->frame;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        const uint32_t slot = s->vertex[v].slot;
        const sn_vec3 from = vec3_sub(vec4_xyz(frame->x[slot]), l->origin);
        s->at[v] = vec4(vec3_add(from, vec4_xyz(frame->d[slot])), s->vertex[v].w);
        s->moved[v] = (sn_vec4){0, 0, 0, 0};
        if (l->solid->damped)
            s->from[v] = vec4(vec3_sub(vec4_xyz(frame->start[slot]), l->origin), 0);
    }
}

/* Finds the affine motion of the particles of every node: for each coordinate, three factors of the vector from the
   node in the rest shape, and a position. */
static void find_motions(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    memset(s->motion + solid->node, 0, solid->nodes * sizeof *s->motion);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const sn_soft_vertex *vertex = &s->vertex[v];
        const sn_real *near = &s->near[(size_t)v * SN_SOFT_NODES].x, *at = &s->at[v].x;
        for (uint32_t i = 0; i < vertex->nodes; ++i) {
            sn_real *m = s->motion[solid->node + vertex->node[i]];
            for (uint32_t k = 0; k < 12; k += SN_WIDTH)
                lanes_store(m + k, lanes_load(m + k) + lanes_load(near + 4 * i + k % 4) * lanes_every(at[k / 4]));
        }
    }
    for (uint32_t n = solid->node; n < solid->node + solid->nodes; ++n) {
        const double *i = s->node[n].inverse;
        for (uint32_t k = 0; k < 12; k += 4) { /* second moments about the centre, where the first moments are 0 */
            sn_real *m = s->motion[n] + k;
            const double x = (double)m[0], y = (double)m[1], z = (double)m[2];
            m[0] = (sn_real)(i[0] * x + i[3] * y + i[4] * z);
            m[1] = (sn_real)(i[3] * x + i[1] * y + i[5] * z);
            m[2] = (sn_real)(i[4] * x + i[5] * y + i[2] * z);
            m[3] = (sn_real)((double)m[3] / s->node[n].weight);
        }
    }
}

/* The sum of four consecutive numbers, always in this order. */
static sn_real sum_of_four(const sn_real *a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

static void smooth(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    find_motions(l);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const sn_soft_vertex *vertex = &s->vertex[v];
        const sn_real *near = &s->near[(size_t)v * SN_SOFT_NODES].x;
        lanes sum[12 / SN_WIDTH];
        sn_real all[12];
        for (uint32_t k = 0; k < 12 / SN_WIDTH; ++k)
            sum[k] = lanes_every(0);
        for (uint32_t i = 0; i < vertex->nodes; ++i) {
            const sn_real *m = s->motion[solid->node + vertex->node[i]];
            for (uint32_t k = 0; k < 12 / SN_WIDTH; ++k)
                sum[k] = sum[k] + lanes_load(near + 4 * i + k * SN_WIDTH % 4) * lanes_load(m + k * SN_WIDTH);
        }
        for (uint32_t k = 0; k < 12 / SN_WIDTH; ++k)
            lanes_store(all + k * SN_WIDTH, sum[k]);
        const sn_vec3 smoothed = {sum_of_four(all), sum_of_four(all + 4), sum_of_four(all + 8)},
                      at = vec4_xyz(s->at[v]);
        s->smooth[v] = vec4(vec3_add(at, vec3_scale(vec3_sub(smoothed, at), solid->smooth)), 0);
    }
}

/* ---- Rods and tetrahedra ----------------------------------------------------------------------------------------- */

/* A vector of numbers from different places. (Stores one by one, followed by a load, would wait for memory.) */
#if SN_WIDTH == 4
#define LANES_OF(number) ((lanes){number(0), number(1), number(2), number(3)})
#else
#define LANES_OF(number) lanes_every(number(0))
#endif

/* Numbers of SN_WIDTH constraints of a list. Those without a row come last. */
SN_INLINE lanes read_rows(const sn_real *column, const uint32_t *row)
{
#define SOME(i) (row[i] == SN_PLAN_NONE ? 0 : column[row[i]])
#define ROW(i)  column[row[i]]
    return row[SN_WIDTH - 1] == SN_PLAN_NONE ? LANES_OF(SOME) : LANES_OF(ROW);
#undef SOME
#undef ROW
}

SN_INLINE void write_rows(sn_real *column, const uint32_t *row, lanes value)
{
    sn_real all[SN_WIDTH];
    lanes_store(all, value);
    for (uint32_t i = 0; i < SN_WIDTH; ++i)
        if (row[SN_WIDTH - 1] != SN_PLAN_NONE || row[i] != SN_PLAN_NONE)
            column[row[i]] = all[i];
}

SN_INLINE lanes3 turned(records r)
{
    r = records_transpose(r);
    return (lanes3){r.part[0], r.part[1], r.part[2]};
}

SN_INLINE lanes3 difference(const sn_vec4 *of, const uint32_t *a, const uint32_t *b)
{
    return turned(records_sub(records_load_far(of, b), records_load_far(of, a)));
}

/* Gradients by the second end. Their length is 1, or 0 where the ends coincide. */
SOLIDS_INLINE lanes3 rod_gradients(const loading *l, const sn_vec4 *of, uint32_t i, lanes *length)
{
    const lanes3 displacement = difference(of, l->s->rod.point[0] + i, l->s->rod.point[1] + i);
    *length = lanes_sqrt(lanes3_dot(displacement, displacement));
    const flags some = lanes_above(*length, lanes_every(0));
    return lanes3_scale(displacement, lanes_keep(some, lanes_every(1) / lanes_choose(some, *length, lanes_every(1))));
}

/* Gradients by the corners after the first, whose gradient is the negative sum. Returns the volumes. */
SOLIDS_INLINE lanes tet_gradients(const loading *l, const sn_vec4 *of, uint32_t i, lanes3 g[3])
{
    uint32_t *const *point = l->s->tet.point;
    const records a = records_load_far(of, point[0] + i);
    const lanes3 ab = turned(records_sub(records_load_far(of, point[1] + i), a)),
                 ac = turned(records_sub(records_load_far(of, point[2] + i), a)),
                 ad = turned(records_sub(records_load_far(of, point[3] + i), a));
    const lanes sixth = lanes_every((sn_real)(1.0 / 6));
    g[0] = lanes3_scale(lanes3_cross(ac, ad), sixth);
    g[1] = lanes3_scale(lanes3_cross(ad, ab), sixth);
    g[2] = lanes3_scale(lanes3_cross(ab, ac), sixth);
    return lanes3_dot(g[2], ad);
}

SN_INLINE records along(lanes3 gradient, lanes lambda)
{
    const lanes3 by = lanes3_scale(gradient, lambda);
    return records_transpose((records){{by.x, by.y, by.z, lanes_every(0)}});
}

SOLIDS_INLINE void push_rods(const loading *l, uint32_t i, lanes lambda)
{
    lanes length;
    const records by = along(rod_gradients(l, l->s->smooth, i, &length), lambda);
    records_sub_from_far(l->s->push, l->s->rod.point[0] + i, &by);
    records_add_to_far(l->s->push, l->s->rod.point[1] + i, &by);
}

SOLIDS_INLINE void push_tets(const loading *l, uint32_t i, lanes lambda)
{
    lanes3 g[3];
    tet_gradients(l, l->s->smooth, i, g);
    for (uint32_t k = 0; k < 3; ++k) {
        const records by = along(g[k], lambda);
        records_add_to_far(l->s->push, l->s->tet.point[k + 1] + i, &by);
    }
    const records by = along(lanes3_add(lanes3_add(g[0], g[1]), g[2]), lambda);
    records_sub_from_far(l->s->push, l->s->tet.point[0] + i, &by);
}

/* Moves particles by `share` times their pushes, and clears these. */
static void move(const loading *l, sn_real share)
{
    const sn_solids *s = l->s;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        const sn_real by = share * s->at[v].w;
        const sn_vec3 displacement = vec3_scale(vec4_xyz(s->push[v]), by);
        s->at[v] = vec4(vec3_add(vec4_xyz(s->at[v]), displacement), s->at[v].w);
        s->moved[v] = vec4(vec3_add(vec4_xyz(s->moved[v]), displacement), 0);
        s->push[v] = (sn_vec4){0, 0, 0, 0};
    }
}

/* The sum of the inverse masses of the two ends. */
SOLIDS_INLINE lanes rod_gives(const sn_solids *s, uint32_t i)
{
#define GIVE(k) (s->at[s->rod.point[0][i + (k)]].w + s->at[s->rod.point[1][i + (k)]].w)
    return LANES_OF(GIVE);
#undef GIVE
}

/* The weight of smooth directions, from the largest w T h^2 / l, with T from the present stretch of rods. */
static sn_real choose_smoothness(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    lanes most = lanes_every(0);
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        const lanes3 displacement = difference(s->at, s->rod.point[0] + i, s->rod.point[1] + i);
        const lanes rest = lanes_load(s->rod.rest + i),
                    off = lanes_abs(lanes_sqrt(lanes3_dot(displacement, displacement)) - rest);
        const lanes by = off * rod_gives(s, i),
                    under = lanes_load(s->rod.compliance + i) * lanes_every(l->per_h2) * rest;
        most = lanes_max(
            most, lanes_keep(lanes_above(rest, lanes_every(0)), by / lanes_max(under, lanes_every((sn_real)1e-30))));
    }
    sn_real all[SN_WIDTH], largest = 0;
    lanes_store(all, most);
    for (uint32_t k = 0; k < SN_WIDTH; ++k)
        largest = all[k] > largest ? all[k] : largest;
    const sn_real share = (largest - (sn_real)PLAIN) / (sn_real)(SMOOTH - PLAIN);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* ---- Preloads: see preload.h ------------------------------------------------------------------------------------- */

/* Preloads follow the forces of their constraints in the last substep. */
SOLIDS_INLINE lanes follow(const loading *l, sn_pool *pool, const uint32_t *row)
{
    const sn_solver_in *in = l->in;
    const lanes last = read_rows(pool->lambda, row) * lanes_every(in->last_h > 0 ? 1 / (in->last_h * in->last_h) : 0);
    const lanes kept = read_rows(pool->preload, row);
    const flags slack = lanes_above(lanes_every((sn_real)SN_PRELOAD_SLACK) * kept * kept, last * kept);
    const lanes share =
        lanes_choose(slack, lanes_every((sn_real)SN_PRELOAD_FASTEST), lanes_every((sn_real)in->preload_share));
    const lanes now = kept + share * (last - kept);
    write_rows(pool->preload, row, now);
    return now;
}

/* Lets all preloads follow. All preloads of a solid are scaled by the same factor, so that those that balance each
   other still do. Returns this factor times h^2; w T h^2 / l is then at most SN_SOFT_MOST. */
static sn_real follow_all(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    const sn_real h2 = l->in->h * l->in->h;
    lanes most = lanes_every(0);
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        const lanes by = follow(l, rods, s->rod.row + i) * rod_gives(s, i), rest = lanes_load(s->rod.rest + i);
        most = lanes_max(most, lanes_keep(lanes_above(rest, lanes_every(0)), lanes_abs(by) / rest));
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; i += SN_WIDTH)
        follow(l, tets, s->tet.row + i);
    sn_real all[SN_WIDTH], largest = 0;
    lanes_store(all, most * lanes_every(h2));
    for (uint32_t k = 0; k < SN_WIDTH; ++k)
        largest = all[k] > largest ? all[k] : largest;
    return largest > (sn_real)SN_SOFT_MOST ? h2 * (sn_real)SN_SOFT_MOST / largest : h2;
}

/* ---- The lattice ------------------------------------------------------------------------------------------------- */

/* With damping, the residual is reduced by the rate: see row.h. */
SN_INLINE lanes lose(lanes off, lanes gamma, lanes rate)
{
    return (off - gamma * rate) / (lanes_every(1) + gamma);
}

SOLIDS_INLINE lanes gammas(const loading *l, const sn_soft_list *list, uint32_t i)
{
    return lanes_load(list->compliance + i) * lanes_load(list->damping + i) * lanes_every(l->per_h);
}

SN_INLINE void find_rod_residuals(const loading *l, uint32_t i, const sn_real *lambda, sn_real *off)
{
    const sn_solids *s = l->s;
    lanes length;
    const lanes3 g = rod_gradients(l, s->at, i, &length);
    lanes by = lanes_load(s->rod.rest + i) - length;
    if (lambda)
        by = by - lanes_load(s->rod.compliance + i) * lanes_every(l->per_h2) * read_rows(lambda, s->rod.row + i);
    if (l->solid->damped) {
        const uint32_t *a = s->rod.point[0] + i, *b = s->rod.point[1] + i;
        const lanes3 displacement = lanes3_sub(difference(s->at, a, b), difference(s->from, a, b));
        by = lose(by, gammas(l, &s->rod, i), lanes3_dot(g, displacement));
    }
    lanes_store(off, by);
}

SN_INLINE void find_tet_residuals(const loading *l, uint32_t i, const sn_real *lambda, sn_real *off)
{
    const sn_solids *s = l->s;
    lanes3 g[3];
    lanes by = lanes_load(s->tet.rest + i) - tet_gradients(l, s->at, i, g);
    if (lambda)
        by = by - lanes_load(s->tet.compliance + i) * lanes_every(l->per_h2) * read_rows(lambda, s->tet.row + i);
    if (l->solid->damped) {
        lanes rate = lanes_every(0);
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t *a = s->tet.point[0] + i, *b = s->tet.point[k + 1] + i;
            rate = rate + lanes3_dot(g[k], lanes3_sub(difference(s->at, a, b), difference(s->from, a, b)));
        }
        by = lose(by, gammas(l, &s->tet, i), rate);
    }
    lanes_store(off, by);
}

/* mode += by * q, for all SN_SOFT_STRIDE numbers. */
SN_INLINE void add_modes(sn_real *mode, const sn_real *q, sn_real by)
{
    for (uint32_t m = 0; m < SN_SOFT_STRIDE; m += SN_WIDTH)
        lanes_store(mode + m, lanes_load(mode + m) + lanes_load(q + m) * lanes_every(by));
}

/* Sums modes from particles to nodes; and interpolates them back. */
static void gather_modes(const loading *l, double *to)
{
    const sn_solids *s = l->s;
    memset(to, 0, (size_t)l->solid->nodes * SN_SOFT_MODES * sizeof *to);
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        const sn_real *mode = s->mode + (size_t)v * SN_SOFT_STRIDE;
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i) {
            double *node = to + (size_t)s->vertex[v].node[i] * SN_SOFT_MODES;
            const double weight = (double)s->vertex[v].weight[i];
            for (uint32_t m = 0; m < SN_SOFT_MODES; ++m)
                node[m] += weight * (double)mode[m];
        }
    }
}

static void spread_modes(const loading *l, const double *from)
{
    const sn_solids *s = l->s;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        double sum[SN_SOFT_MODES] = {0};
        for (uint32_t i = 0; i < s->vertex[v].nodes; ++i) {
            const double *node = from + (size_t)s->vertex[v].node[i] * SN_SOFT_MODES,
                         weight = (double)s->vertex[v].weight[i];
            for (uint32_t m = 0; m < SN_SOFT_MODES; ++m)
                sum[m] += weight * node[m];
        }
        for (uint32_t m = 0; m < SN_SOFT_MODES; ++m)
            s->mode[(size_t)v * SN_SOFT_STRIDE + m] = (sn_real)sum[m];
    }
}

/* Qt (-C - a lambda). loaded: there are multipliers. */
static void find_residuals(const loading *l, bool loaded, double *to)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    const sn_real *rods = loaded ? l->in->store->pool[SN_KIND_DISTANCE]->lambda : NULL;
    const sn_real *tets = loaded ? l->in->store->pool[SN_KIND_VOLUME]->lambda : NULL;
    sn_real off[SN_WIDTH], *mode = s->mode;
    memset(mode + (size_t)solid->vertex * SN_SOFT_STRIDE, 0, (size_t)solid->vertices * SN_SOFT_STRIDE * sizeof *mode);
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        find_rod_residuals(l, i, rods, s->off + i);
        for (uint32_t k = i; k < i + SN_WIDTH; ++k)
            add_modes(mode + (size_t)s->rod.point[0][k] * SN_SOFT_STRIDE, s->q + (size_t)k * SN_SOFT_STRIDE, s->off[k]);
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; i += SN_WIDTH) {
        find_tet_residuals(l, i, tets, off);
        for (uint32_t k = i; k < i + SN_WIDTH; ++k)
            mode[(size_t)s->tet.point[0][k] * SN_SOFT_STRIDE + 6] += off[k - i];
    }
    gather_modes(l, to);
}

/* The multipliers that follow from modes. */
SOLIDS_INLINE lanes rod_multipliers(const sn_solids *s, uint32_t i)
{
    records sum;
    for (uint32_t k = 0; k < 4; ++k) { /* for four rods, or four numbers of one */
        const uint32_t rod = i + k % SN_WIDTH, from = SN_WIDTH == 1 ? k : 0;
        const sn_real *mode = s->mode + (size_t)s->rod.point[0][rod] * SN_SOFT_STRIDE + from,
                      *q = s->q + (size_t)rod * SN_SOFT_STRIDE + from;
        sum.part[k] = lanes_load(mode) * lanes_load(q) + lanes_load(mode + 4) * lanes_load(q + 4);
    }
    sum = records_transpose(sum);
    return (sum.part[0] + sum.part[1]) + (sum.part[2] + sum.part[3]);
}

SN_INLINE lanes tet_multipliers(const sn_solids *s, uint32_t i)
{
#define PRESSURE(k) s->mode[(size_t)s->tet.point[0][i + (k)] * SN_SOFT_STRIDE + 6]
    return LANES_OF(PRESSURE);
#undef PRESSURE
}

/* The sum of lambda a lambda for SN_WIDTH constraints. */
static double form_of(const loading *l, const sn_soft_list *list, uint32_t i, lanes lambda)
{
    sn_real all[SN_WIDTH];
    double sum = 0;
    lanes_store(all, lanes_load(list->compliance + i) * lanes_every(l->per_h2) * lambda * lambda /
                         (lanes_every(1) + gammas(l, list, i)));
    for (uint32_t k = 0; k < SN_WIDTH; ++k)
        sum += (double)all[k];
    return sum;
}

static double form_of_pushes(const loading *l)
{
    double form = 0;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        const sn_vec3 by = vec4_xyz(l->s->push[v]);
        form += (double)(l->s->at[v].w * vec3_dot(by, by));
    }
    return form;
}

/* Sets the multipliers to preloads times a factor, plus those of the lattice if `lattice`, and adds their pushes.
   follows: preloads first follow the forces of constraints. */
static void push(const loading *l, sn_real preloads, bool lattice, bool follows)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        const uint32_t *row = s->rod.row + i;
        lanes now = lattice ? rod_multipliers(s, i) : lanes_every(0);
        if (preloads > 0)
            now = now + (follows ? follow(l, rods, row) : read_rows(rods->preload, row)) * lanes_every(preloads);
        write_rows(rods->lambda, row, now);
        push_rods(l, i, now);
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; i += SN_WIDTH) {
        const uint32_t *row = s->tet.row + i;
        lanes now = lattice ? tet_multipliers(s, i) : lanes_every(0);
        if (preloads > 0)
            now = now + (follows ? follow(l, tets, row) : read_rows(tets->preload, row)) * lanes_every(preloads);
        write_rows(tets->lambda, row, now);
        push_tets(l, i, now);
    }
}

/* Adds the multipliers of the lattice to those of the constraints, and their pushes. Returns s . Qt a Q s. */
static double push_lattice(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE], *tets = l->in->store->pool[SN_KIND_VOLUME];
    double form = 0;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        const lanes now = rod_multipliers(s, i);
        write_rows(rods->lambda, s->rod.row + i, read_rows(rods->lambda, s->rod.row + i) + now);
        push_rods(l, i, now);
        form += form_of(l, &s->rod, i, now);
    }
    for (uint32_t i = solid->tet; i < solid->tet + solid->tets; i += SN_WIDTH) {
        const lanes now = tet_multipliers(s, i);
        write_rows(tets->lambda, s->tet.row + i, read_rows(tets->lambda, s->tet.row + i) + now);
        push_tets(l, i, now);
        form += form_of(l, &s->tet, i, now);
    }
    return form;
}

static double product_of(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* Moves particles back to their predicted positions. */
static void put_back(const loading *l)
{
    const sn_solids *s = l->s;
    for (uint32_t v = l->solid->vertex; v < l->solid->vertex + l->solid->vertices; ++v) {
        s->at[v] = vec4(vec3_sub(vec4_xyz(s->at[v]), vec4_xyz(s->moved[v])), s->at[v].w);
        s->moved[v] = (sn_vec4){0, 0, 0, 0};
    }
}

/* The first substep of a step. Preloads move particles first, to measure their effect on the residuals (`less`, for
   each unit of preloads). Then the matrix and the smooth directions are checked: the lattice must remove the residuals.
   Otherwise the solid has, in this step, plain sweeps and the small preloads of all solids. */
static void load_first(const loading *l, sn_soft *solid, sn_real preloads)
{
    const sn_solids *s = l->s;
    const uint32_t count = solid->nodes * SN_SOFT_MODES;
    double *x = s->unknown + 3 * (size_t)solid->node * SN_SOFT_MODES, *b = x + count, *less = b + count;
    if (preloads > 0)
        find_residuals(l, false, less);
    push(l, preloads, false, false);
    move(l, 1);
    find_residuals(l, true, b);
    for (uint32_t i = 0; i < count; ++i)
        less[i] = preloads > 0 ? (less[i] - b[i]) / (double)preloads : 0;
    memcpy(x, b, count * sizeof *x);
    sn_solids_solve(s, solid, x);
    const double product = product_of(x, b, count);
    spread_modes(l, x);
    double form = push_lattice(l);
    form += form_of_pushes(l);
    const double best = product / form;
    move(l, 1);
    find_residuals(l, true, b);
    const double left = product_of(x, b, count) / product;
    solid->trusts = product == 0 || (best > 1 - TRUST && best < 1 + TRUST && left > -MOST_LEFT && left < MOST_LEFT);
    if (solid->trusts)
        return;
    put_back(l);
    push(l, preloads * (sn_real)SN_SOFT_CAUTION, false, false);
    move(l, 1);
}

/* Further substeps: both at once. */
static void load_again(const loading *l, const sn_soft *solid, sn_real preloads)
{
    const sn_solids *s = l->s;
    const uint32_t count = solid->nodes * SN_SOFT_MODES;
    double *x = s->unknown + 3 * (size_t)solid->node * SN_SOFT_MODES, *less = x + 2 * (size_t)count;
    if (solid->trusts) {
        find_residuals(l, false, x);
        for (uint32_t i = 0; i < count; ++i)
            x[i] -= (double)preloads * less[i];
        sn_solids_solve(s, solid, x);
        spread_modes(l, x);
    }
    push(l, solid->trusts ? preloads : preloads * (sn_real)SN_SOFT_CAUTION, solid->trusts, true);
    move(l, 1);
}

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

/* The multiplier for which w T h^2 / l is `share`. */
SN_INLINE lanes most_of(const sn_solids *s, uint32_t i, sn_real share)
{
    return lanes_every(share) * lanes_load(s->rod.rest + i) / lanes_max(rod_gives(s, i), lanes_every((sn_real)1e-30));
}

/* Writes the multipliers of the lattice, bounded in compression, to s->off, and adds their pushes. *form: their
   quadratic form. Returns their product with the residuals. */
static double push_sheet(const loading *l, double *form)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    const sn_real most = (sn_real)(solid->shell ? SHELL_PUSH : SHEET_PUSH);
    double product = 0;
    *form = 0;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        sn_real all[SN_WIDTH];
        const lanes now = lanes_min(rod_multipliers(s, i), most_of(s, i, most));
        lanes_store(all, now * lanes_load(s->off + i));
        lanes_store(s->off + i, now);
        push_rods(l, i, now);
        *form += form_of(l, &s->rod, i, now);
        for (uint32_t k = 0; k < SN_WIDTH; ++k)
            product += (double)all[k];
    }
    *form += form_of_pushes(l);
    return product;
}

/* A sheet folds, and then the matrix of its rest shape is not valid. So in every substep the result of the lattice is
   scaled by its optimal factor, computed with the present constraints. A sheet buckles under compression: rods push no
   harder than sweeps can correct. */
static void load_sheet(const loading *l, const sn_soft *solid)
{
    const sn_solids *s = l->s;
    sn_pool *rods = l->in->store->pool[SN_KIND_DISTANCE];
    double *x = s->unknown + 3 * (size_t)solid->node * SN_SOFT_MODES, form;
    if (!(l->in->preload_share > 0))
        push(l, 0, false, false);
    find_residuals(l, true, x);
    sn_solids_solve(s, solid, x);
    spread_modes(l, x);
    const double best = push_sheet(l, &form) / form;
    const sn_real share = !(best > 0) ? 0 : best > 1 ? 1 : (sn_real)best;
    for (uint32_t i = solid->rod; i < solid->rod + solid->rods; i += SN_WIDTH) {
        const uint32_t *row = s->rod.row + i;
        write_rows(rods->lambda, row, read_rows(rods->lambda, row) + lanes_every(share) * lanes_load(s->off + i));
    }
    move(l, share);
}

/* The square of the share of rest distances between near particles that is left: 1 for a sheet that bends gently, and
   less where it has folds. */
static double stretched_out(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    double sum = 0, rest = 0;
    find_motions(l);
    for (uint32_t n = solid->node; n < solid->node + solid->nodes; ++n) {
        double m[6];
        symmetric_inverse(s->node[n].inverse, m);
        for (uint32_t k = 0; k < 12; k += 4) {
            const double x = (double)s->motion[n][k], y = (double)s->motion[n][k + 1], z = (double)s->motion[n][k + 2];
            sum += m[0] * x * x + m[1] * y * y + m[2] * z * z + 2 * (m[3] * x * y + m[4] * x * z + m[5] * y * z);
        }
        rest += m[0] + m[1] + m[2];
    }
    return sum / rest;
}

bool sn_solids_is_open(const sn_solids *s, const sn_solver_in *in, const sn_soft *solid)
{
    const loading l = {
        .s = s, .solid = solid, .in = in, .origin = vec4_xyz(in->frame.x[s->vertex[solid->vertex].slot])};
    take_places(&l);
    return stretched_out(&l) >= SHEET_OPEN;
}

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* Removes rigid motion from the displacements of a free solid: their momentum, which is rounding, and the rotation with
   their angular momentum. */
static void keep_momentum(const loading *l)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    double mass = 0, centre[3] = {0}, shift[3] = {0}, inertia[6] = {0}, turn[3] = {0}, inverse[6];
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double m = 1 / (double)s->at[v].w;
        mass += m;
        for (uint32_t k = 0; k < 3; ++k) {
            centre[k] += m * (double)*vec4_part(&s->at[v], k);
            shift[k] += m * (double)*vec4_part(&s->moved[v], k);
        }
    }
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double m = 1 / (double)s->at[v].w, x = (double)s->at[v].x - centre[0] / mass,
                     y = (double)s->at[v].y - centre[1] / mass, z = (double)s->at[v].z - centre[2] / mass;
        const double d[3] = {(double)s->moved[v].x, (double)s->moved[v].y, (double)s->moved[v].z};
        const double more[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
        for (uint32_t k = 0; k < 6; ++k)
            inertia[k] += m * more[k];
        turn[0] += m * (y * d[2] - z * d[1]);
        turn[1] += m * (z * d[0] - x * d[2]);
        turn[2] += m * (x * d[1] - y * d[0]);
    }
    if (!(symmetric_inverse(inertia, inverse) > 0))
        return;
    const double by[3] = {inverse[0] * turn[0] + inverse[3] * turn[1] + inverse[4] * turn[2],
                          inverse[3] * turn[0] + inverse[1] * turn[1] + inverse[5] * turn[2],
                          inverse[4] * turn[0] + inverse[5] * turn[1] + inverse[2] * turn[2]};
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        const double x = (double)s->at[v].x - centre[0] / mass, y = (double)s->at[v].y - centre[1] / mass,
                     z = (double)s->at[v].z - centre[2] / mass;
        s->moved[v].x = (sn_real)((double)s->moved[v].x - shift[0] / mass - (by[1] * z - by[2] * y));
        s->moved[v].y = (sn_real)((double)s->moved[v].y - shift[1] / mass - (by[2] * x - by[0] * z));
        s->moved[v].z = (sn_real)((double)s->moved[v].z - shift[2] / mass - (by[0] * y - by[1] * x));
    }
}

/* Moves the particles, and settles their velocities. */
static bool move_particles(const loading *l, sn_motion motion, const sn_motion_table *table)
{
    const sn_solids *s = l->s;
    const sn_soft *solid = l->solid;
    const sn_frame *frame = &l->in->frame;
    if (!solid->held)
        keep_momentum(l);
    motion.list = s->list + solid->vertex;
    motion.first = 0;
    motion.count = solid->vertices;
    motion.mark = s->mark + solid->vertex;
    motion.coarse = false;
    table->note(&motion);
    for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v) {
        sn_vec4 *low = &frame->d[s->vertex[v].slot];
        if (s->vertex[v].w > 0)
            *low = vec4(vec3_add(vec4_xyz(*low), vec4_xyz(s->moved[v])), low->w);
    }
    return table->settle(&motion);
}

bool sn_solids_load(const sn_solids *s, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index)
{
    sn_soft *solid = &s->solid[index];
    const loading l = {.s = s,
                       .solid = solid,
                       .in = in,
                       .per_h2 = 1 / (in->h * in->h),
                       .per_h = 1 / in->h,
                       .origin = vec4_xyz(in->frame.x[s->vertex[solid->vertex].slot])};
    if (solid->h != (double)in->h)
        sn_solids_factor(s, solid, (double)in->h);
    take_places(&l);
    if (solid->begins)
        solid->smooth = solid->flat ? 0 : choose_smoothness(&l);
    if (solid->flat)
        memcpy(s->smooth + solid->vertex, s->at + solid->vertex, solid->vertices * sizeof *s->at);
    else
        smooth(&l);
    if (solid->flat) {
        load_sheet(&l, solid);
    } else if (solid->begins) {
        solid->preloads = in->preload_share > 0 ? follow_all(&l) : 0;
        load_first(&l, solid, solid->preloads);
    } else {
        load_again(&l, solid, solid->preloads);
    }
    solid->begins = false;
    return move_particles(&l, motion, table);
}

void sn_solids_clear_others(const sn_solids *s, sn_store *store)
{
    for (uint32_t i = 0; i < s->others; ++i)
        if (s->waits[s->other_body[i]])
            store->pool[s->other[i].kind]->lambda[s->other[i].row] = 0;
}

void sn_solids_smooth(const sn_solids *s, const uint32_t *slot, uint32_t points, sn_vec3 *x)
{
    uint32_t vertex[4], i = 0;
    for (; i < points; ++i) {
        vertex[i] = s->count && slot[i] < s->slots ? s->vertex_of[slot[i]] : s->vertices;
        if (vertex[i] >= s->vertices || s->vertex[vertex[i]].slot != slot[i])
            return;
    }
    uint32_t index = 0;
    while (vertex[0] >= s->solid[index].vertex + s->solid[index].vertices)
        ++index;
    if (!s->solid[index].acts || s->solid[index].flat)
        return;
    for (i = 0; i < points; ++i)
        x[i] = vec4_xyz(s->smooth[vertex[i]]);
}

uint32_t sn_solids_count(const sn_solids *s, uint32_t *particles)
{
    uint32_t count = 0;
    *particles = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        count += s->solid[i].acts;
        *particles += s->solid[i].acts ? s->solid[i].vertices : 0;
    }
    return count;
}
