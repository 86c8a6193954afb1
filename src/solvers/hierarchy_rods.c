/* The forces of the rods of a stiff mesh.

   Limits move particles as rods would, but not by rods: multipliers of rods have only what the sweep after the limits
   found. In the last substep limits moved particle i by dx_i, which is the force f_i = m dx_i / h^2. As forces of rods
   these are the t of

       sum over the rods e of i:  t_e n_e = f_i       for all movable particles,

   with n_e the direction from the other end to i. A mesh has about as many rods as equations, and more than one answer.
   The one with the least sum of squares is that of rods which are equally stiff. Conjugate gradients on the normal
   equations find it, from t = 0 (CGLS, Hestenes and Stiefel 1952). Attachments of ropes are three rods along the axes.

   This is done when such a force is read, not in a step. */
#include "solvers/hierarchy_work.h"

#include <math.h>
#include <string.h>

/* It ends when what is left is this share of the forces, or the gradient this share of the first one: then rods cannot
   carry more. */
#define PRECISION 1e-3
#define FLATTEST  1e-6

/* Iterations at most: for each particle along a mesh, or, if this is more, until so many rods have been visited. Most
   meshes need 200. A sheet that sags by little needs many: its rods carry the load by their slope. */
#define MOST   (100 + (uint32_t)(40 * sqrt(g->slots)))
#define VISITS 4e7

typedef struct rod {
    uint32_t a, b; /* slots */
    sn_dvec3 n;    /* from b to a */
    sn_real *to;   /* its result */
    double sign;   /* of a multiplier that pushes the ends apart */
} rod;

typedef struct sharing {
    const sn_hierarchy *h;
    const sn_solver_in *in;
    uint32_t rods, slots;
    rod *rod;
    double *t, *s, *p; /* by rod: result, gradient, direction */
    sn_dvec3 *r, *q;   /* by slot: rest of the forces, and what the direction changes; 0 where nothing can move */
} sharing;

/* ---- The forces of limits ---------------------------------------------------------------------------------------- */

static void find_forces(sharing *s)
{
    const sn_hierarchy *h = s->h;
    for (uint32_t n = 0; n < h->work->firsts; ++n)
        for (uint32_t k = h->first[n]; h->w[n] > 0 && k < h->last[n]; ++k) {
            const double w = (double)s->in->frame.x[h->member[k]].w;
            s->r[h->member[k]] = dvec3_scale(h->node_pulled[n], w > 0 ? 1 / w : 0);
        }
    for (uint32_t p = 0; p < h->part_table.count; ++p)
        for (uint32_t i = h->part[p].row_tether; i < h->part[p].row_tether + h->part[p].row_tethers; ++i)
            for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
                sn_dvec3 *to = &s->r[h->row_tether[i].slot[lane]];
                *to = dvec3_add(*to, hierarchy_pulled(&h->row_pulled[i], lane));
            }
    for (uint32_t i = 0; i < h->sling_table.count; ++i)
        s->r[h->sling[i].heavy] = dvec3_add(s->r[h->sling[i].heavy], h->sling[i].pulled);
}

/* ---- The rods ---------------------------------------------------------------------------------------------------- */

static bool is_in_mesh(const sn_hierarchy *h, uint32_t slot)
{
    return slot < h->slots && h->rod_start[slot] < h->rod_start[slot + 1];
}

bool sn_hierarchy_carries(const sn_hierarchy *h, const sn_pool *pool, uint32_t row, const uint32_t *slot)
{
    const uint32_t *point = pool->point + 2 * (size_t)row;
    return !((point[0] | point[1]) & SN_ANCHOR_BIT) && is_in_mesh(h, slot[point[0]]) && is_in_mesh(h, slot[point[1]]);
}

static bool is_free(const sharing *s, uint32_t slot)
{
    return s->h->w_by_slot[slot] > 0;
}

static void add_rod(sharing *s, uint32_t a, uint32_t b, sn_dvec3 n, sn_real *to, double sign)
{
    if (s->rod)
        s->rod[s->rods] = (rod){a, b, n, to, sign};
    s->rods++;
}

/* Adds the rods of one constraint. */
static void add_constraint(sharing *s, const sn_pool *pool, uint32_t kind, uint32_t row, sn_real *to)
{
    const uint32_t *point = pool->point + 2 * (size_t)row;
    const sn_frame *frame = &s->in->frame;
    if (!sn_hierarchy_carries(s->h, pool, row, frame->slot))
        return;
    const uint32_t a = frame->slot[point[0]], b = frame->slot[point[1]];
    if (a == b || !(is_free(s, a) || is_free(s, b)))
        return;
    const sn_dvec3 apart = dvec3_add(dvec3_from(vec3_sub(vec4_xyz(frame->x[a]), vec4_xyz(frame->x[b]))),
                                     dvec3_from(vec3_sub(vec4_xyz(frame->x_low[a]), vec4_xyz(frame->x_low[b]))));
    const double length = dvec3_length(apart);
    if (kind == SN_KIND_ATTACHMENT) {
        add_rod(s, a, b, dvec3(1, 0, 0), to + 3 * (size_t)row, 1);
        add_rod(s, a, b, dvec3(0, 1, 0), to + 3 * (size_t)row + 1, 1);
        add_rod(s, a, b, dvec3(0, 0, 1), to + 3 * (size_t)row + 2, 1);
    } else if (length > 0) {
        add_rod(s, a, b, dvec3_scale(apart, 1 / length), to + row, kind == SN_KIND_DISTANCE ? 1 : -1);
    }
}

const uint32_t sn_limited_kinds[SN_LIMITED_KINDS] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX, SN_KIND_ATTACHMENT};

static uint32_t index_of(uint32_t kind)
{
    uint32_t i = 0;
    while (i < SN_LIMITED_KINDS && sn_limited_kinds[i] != kind)
        ++i;
    return i;
}

static void list_rods(sharing *s, sn_real *const to[SN_LIMITED_KINDS])
{
    const sn_store *store = s->in->store;
    s->rods = 0;
    for (uint32_t r = 0; r < store->run_table.count; ++r) {
        const sn_run *run = &store->run[r];
        const uint32_t at = index_of(run->kind);
        for (uint32_t i = 0; at < SN_LIMITED_KINDS && i < run->count; ++i)
            if (run_has(store->pool[run->kind], run, i))
                add_constraint(s, store->pool[run->kind], run->kind, run->first + i, to[at]);
    }
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* s = A^T r; returns its square. */
static double find_gradient(const sharing *g)
{
    double square = 0;
    for (uint32_t e = 0; e < g->rods; ++e) {
        const rod *each = &g->rod[e];
        g->s[e] = dvec3_dot(each->n, dvec3_sub(g->r[each->a], g->r[each->b]));
        square += g->s[e] * g->s[e];
    }
    return square;
}

/* q = A p; returns its square. */
static double apply(const sharing *g)
{
    double square = 0;
    memset(g->q, 0, g->slots * sizeof *g->q);
    for (uint32_t e = 0; e < g->rods; ++e) {
        const rod *each = &g->rod[e];
        const sn_dvec3 by = dvec3_scale(each->n, g->p[e]);
        g->q[each->a] = dvec3_add(g->q[each->a], by);
        g->q[each->b] = dvec3_sub(g->q[each->b], by);
    }
    for (uint32_t i = 0; i < g->slots; ++i) {
        g->q[i] = dvec3_scale(g->q[i], is_free(g, i));
        square += dvec3_dot(g->q[i], g->q[i]);
    }
    return square;
}

/* Subtracts a share of what a direction changes from the rest of the forces; returns its square. */
static double reduce(const sharing *g, double share)
{
    double square = 0;
    for (uint32_t i = 0; i < g->slots; ++i) {
        g->r[i] = dvec3_sub(g->r[i], dvec3_scale(g->q[i], share));
        square += dvec3_dot(g->r[i], g->r[i]);
    }
    return square;
}

static void solve(const sharing *g)
{
    const double all = reduce(g, 0), first = find_gradient(g), visits = VISITS / (g->rods + 1);
    const uint32_t most = visits > MOST ? (uint32_t)visits : MOST;
    double rest = all, square = first;
    memcpy(g->p, g->s, g->rods * sizeof *g->p);
    for (uint32_t k = 0; k < most && rest > PRECISION * PRECISION * all && square > FLATTEST * FLATTEST * first; ++k) {
        const double change = apply(g), step = square / change, before = square;
        if (!(change > 0))
            break;
        for (uint32_t e = 0; e < g->rods; ++e)
            g->t[e] += step * g->p[e];
        rest = reduce(g, step);
        square = find_gradient(g);
        for (uint32_t e = 0; e < g->rods; ++e)
            g->p[e] = g->s[e] + square / before * g->p[e];
    }
}

bool sn_hierarchy_share_out(const sn_hierarchy *h, const sn_solver_in *in, const sn_allocator *allocator,
                            sn_real *const to[SN_LIMITED_KINDS])
{
    sharing s = {.h = h, .in = in, .slots = h->slots};
    list_rods(&s, to);
    const size_t per_rod = sizeof *s.rod + 3 * sizeof *s.t, per_slot = 2 * sizeof *s.r;
    const size_t size = s.rods * per_rod + s.slots * per_slot + 1;
    char *room = sn_allocate(allocator, size);
    if (!room)
        return false;
    memset(room, 0, size);
    s.r = (sn_dvec3 *)(void *)room;
    s.q = s.r + s.slots;
    s.t = (double *)(void *)(s.q + s.slots);
    s.s = s.t + s.rods;
    s.p = s.s + s.rods;
    s.rod = (rod *)(void *)(s.p + s.rods);
    find_forces(&s);
    for (uint32_t i = 0; i < s.slots; ++i)
        s.r[i] = dvec3_scale(s.r[i], is_in_mesh(h, i) && is_free(&s, i));
    list_rods(&s, to);
    solve(&s);
    for (uint32_t e = 0; e < s.rods; ++e)
        *s.rod[e].to += (sn_real)(s.rod[e].sign * s.t[e]);
    sn_release(allocator, room, size);
    return true;
}
