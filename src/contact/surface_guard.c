/* The guard: what did not intersect when a substep began does not when it ends, whatever moved the vertices in it, at
   any number of substeps and passes.

   Surfaces that are apart come to intersect only through a moment in which a vertex touches a triangle or two edges
   touch. So all pairs that may have come together on the straight ways from the start of the substep to its end are
   asked about by continuous collision detection that never misses (sinew/ccd.h). A pair that touches, or comes nearer
   than a share of the distance it had, is stopped: its vertices become one zone (surface_zones.c), which has a motion
   like that of something rigid, and each goes a share of what its way differs from that. Ways that changed may touch
   others than before, so what they may touch is looked at again, until nothing touches. First vertices stop shortly
   before they touch, in later rounds they move with their zone, in which nothing comes nearer to anything; at last all
   stay where they began, where nothing touched. So it comes to an end. What was decided is about the places as they are
   stored: the last round has looked at exactly what then stands.

   Vertices that are kinematic, or do not move, are not stopped: a zone that touches some of them moves along with them. Where
   they drive a pair together that has nowhere else to go, it is counted (forced).

   What is stopped keeps the momentum of its zone and loses energy, as things do that stick together. It happens where
   contacts have not kept things apart: rarely, or many times a second where there is no room. */
#include "contact/callbacks.h"
#include "contact/particle_contacts.h"
#include "contact/surface_quiet.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "base/quad.h"
#include "base/sort.h"
#include "world/world.h"

#include <sinew/ccd.h>
#include <string.h>

#define WORK_OF_PAIR 30.0 /* ns, about */
#define STOPS        6u   /* rounds in which vertices stop on their ways; after those they move with their zone */
#define ROUNDS       64u  /* after those nothing moves */
#define BEFORE       0.9f /* of the way up to where they would touch */
#define FIRM         ((sn_real)0.6) /* of the square of the distance: what moves by less comes no nearer than NEAREST of it */
#define NEAREST      0.2            /* of their distance before: they come no nearer in a substep, */
#define LEAST        0.05           /*   or of their reach, if that is less */
#define STAYS        0.98           /* what is close already comes no nearer than that */
#define FAR_FROM     16             /* times what rounding moves: nearer than that is close, too */
#define NEVER        2.0f
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? 2e-15 : 6e-7) /* of the coordinates: more than rounding moves two places against each other */

typedef struct guarding {
    sn_world *world;
    sn_surfaces *s;
    uint32_t round;
} guarding;

/* m^2: how far points of the two can move against each other. */
static sn_real relative_displacement(const guarding *g, const sn_surface_candidate *c)
{
    const sn_surface_motion *vertex = surface_motions(g->s);
    const uint32_t second = c->edges ? 2 : 1;
    sn_vec3 displacement[4];
    sn_real square = 0;
    for (uint32_t k = 0; k < 4; ++k)
        displacement[k] = vec3_sub(vertex[c->vertex[k]].end, vertex[c->vertex[k]].start);
    for (uint32_t i = 0; i < second; ++i)
        for (uint32_t k = second; k < 4; ++k) {
            const sn_vec3 u = vec3_sub(displacement[i], displacement[k]);
            const sn_real here = vec3_dot(u, u);
            square = here > square ? here : square;
        }
    return square;
}

static void take(const guarding *g, const sn_surface_candidate *c, double *start, double *end, sn_dvec3 x[4])
{
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_motion *v = &surface_motions(g->s)[c->vertex[k]];
        const double from[3] = {(double)v->start.x, (double)v->start.y, (double)v->start.z};
        const double to[3] = {(double)v->end.x, (double)v->end.y, (double)v->end.z};
        memcpy(start + 3 * k, from, sizeof from);
        memcpy(end + 3 * k, to, sizeof to);
        x[k] = dvec3_from(v->start);
    }
}

/* Boxes around the ways of both. */
static bool paths_are_apart(const double *start, const double *end, bool edges, double by)
{
    const int second = edges ? 2 : 1;
    for (int axis = 0; axis < 3; ++axis) {
        double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int k = 0; k < 4; ++k) {
            const int of = k >= second;
            const double a = start[3 * k + axis], b = end[3 * k + axis];
            low[of] = fmin(low[of], fmin(a, b));
            high[of] = fmax(high[of], fmax(a, b));
        }
        if (low[0] > high[1] + by || low[1] > high[0] + by)
            return true;
    }
    return false;
}

/* A pair none of whose vertices changed its way in the last round has been looked at. */
static bool has_changed(const guarding *g, const sn_surface_candidate *c)
{
    const sn_surface_motion *v = surface_motions(g->s);
    return v[c->vertex[0]].changed || v[c->vertex[1]].changed || v[c->vertex[2]].changed || v[c->vertex[3]].changed;
}

static float share_of(const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_member *m = sn_surface_member_of(s, vertex);
    return m ? m->share : surface_motions(s)[vertex].share;
}

/* m: more than rounding moves their places against each other. */
static double rounding_of(const double start[12], const double end[12])
{
    double size = 0;
    for (uint32_t k = 0; k < 12; ++k)
        size = fmax(size, fmax(fabs(start[k]), fabs(end[k])));
    return ROUNDED * size;
}

/* Whether the two move as one thing that is rigid. */
static bool is_rigid(const guarding *g, const sn_surface_candidate *c)
{
    if (!g->round || !g->s->zone_table.count)
        return false;
    for (uint32_t k = 0; k < 4; ++k)
        if (sn_surface_is_kinematic(g->world, g->s, c->vertex[k]) || share_of(g->s, c->vertex[k]) != 0 ||
            sn_surface_zone_of(g->s, c->vertex[k]) != sn_surface_zone_of(g->s, c->vertex[0]))
            return false;
    return true;
}

static bool touch(const sn_surface_candidate *c, const double start[12], const double end[12], double apart,
                  double *time)
{
    return (c->edges ? sn_ccd_edge_edge : sn_ccd_vertex_triangle)(start, end, apart, time);
}

/* When the two touch, as a share of the substep, or NEVER. apart_before: m, at least so far they are from each other as
   the substep begins. */
static float look_at(const guarding *g, const sn_surface_candidate *c, sn_real apart_before)
{
    double start[12], end[12], time;
    sn_dvec3 x[4];
    if (!has_changed(g, c))
        return NEVER;
    const sn_real square = relative_displacement(g, c);
    if (square == 0 || (apart_before > SN_SURFACE_CLOSE * c->reach && apart_before * apart_before * FIRM > square))
        return NEVER;
    take(g, c, start, end, x);
    if (paths_are_apart(start, end, c->edges, LEAST * (double)c->reach))
        return NEVER;
    const sn_real reach = sn_surface_reach(g->world, c), close = SN_SURFACE_CLOSE * reach;
    const double distance = sn_surface_nearest(c->edges, x).distance * SN_SURFACE_EXACT, least = LEAST * (double)reach;
    if (c->rough && paths_are_apart(start, end, c->edges, least))
        return NEVER;
    /* Before anything that depends on rounding: pairs that a list knows to be farther apart are not looked at. */
    if (distance >= (double)close && distance * distance * (double)FIRM > (double)square)
        return NEVER;
    /* What is rigid does not touch, however long its ways. Only rounding may bring it together, if it is that near. */
    const double rounding = rounding_of(start, end);
    if (is_rigid(g, c))
        return distance > rounding || !touch(c, start, end, 0, &time) ? NEVER : 0;
    double apart = NEAREST * distance < least ? NEAREST * distance : least;
    if (distance < fmax((double)close, FAR_FROM * rounding))
        apart = STAYS * distance;
    return touch(c, start, end, apart, &time) ? (float)time : NEVER;
}

static void look_piece(void *data, uint32_t first, uint32_t last)
{
    const guarding *g = data;
    const uint32_t *near = g->s->near_table.column[0];
    const sn_real *apart = g->s->near_table.column[1];
    float *time = g->s->near_table.column[2];
    for (uint32_t i = first; i < last; ++i)
        time[i] = look_at(g, &surface_candidates(g->s)[near[i]], apart[i]);
}

/* Whether callbacks let two touch that the guard would stop: what they let through passes. */
static bool may_stop(const guarding *g, const sn_surface_candidate *c)
{
    double start[12], end[12];
    sn_real weight[4];
    sn_dvec3 x[4];
    bool acts = true;
    if (!sn_callbacks_any(g->world))
        return true;
    take(g, c, start, end, x);
    const sn_surface_nearest_points contact_points = sn_surface_nearest(c->edges, x);
    for (uint32_t k = 0; k < 4; ++k)
        weight[k] = (sn_real)contact_points.weight[k];
    const sn_vec3 normal = contact_points.distance > 0
                               ? dvec3_round(dvec3_scale(contact_points.apart, 1 / contact_points.distance))
                               : vec3(0, 1, 0);
    sn_surface_contact contact = sn_surface_contact_make(g->world, c, weight, normal);
    g->world->contacts.failed = sn_callbacks_surface(g->world, &contact, &acts);
    return acts;
}

/* Those that touch; once something has torn, in the order of features. */
static uint32_t order_hits(sn_surfaces *s)
{
    const uint32_t *near = s->near_table.column[0];
    const float *time = s->near_table.column[2];
    sn_sort_item *item = s->sort_table.column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->near_table.count; ++i)
        if (time[i] <= 1)
            item[count++] = (sn_sort_item){.a = i};
    for (uint32_t turn = 2; s->torn && turn-- > 0;) {
        for (uint32_t i = 0; i < count; ++i)
            item[i].key = sn_surface_key(&surface_candidates(s)[near[item[i].a]], turn);
        sn_sort(item, s->sort_table.column[1], count);
    }
    return count;
}

/* Pairs that touch make zones, and their vertices are to go a smaller share. Whether something is new by that; *forced:
   pairs by which nothing is. */
static bool stop_pairs(const guarding *g, uint32_t *forced)
{
    sn_surfaces *s = g->s;
    const uint32_t *near = s->near_table.column[0], hits = order_hits(s);
    const float *time = s->near_table.column[2];
    bool any = false;
    *forced = 0;
    for (uint32_t hit = 0; hit < hits; ++hit) {
        const uint32_t i = ((const sn_sort_item *)s->sort_table.column[0])[hit].a;
        const sn_surface_candidate *c = &surface_candidates(s)[near[i]];
        if (sn_surface_is_tangled(s, c) || !may_stop(g, c))
            continue;
        bool news = sn_surface_zones_join(g->world, s, c);
        for (uint32_t k = 0; k < 4; ++k) {
            const float before = share_of(s, c->vertex[k]);
            if (sn_surface_is_kinematic(g->world, s, c->vertex[k]) || before == 0)
                continue;
            sn_surface_member *m = sn_surface_member_of(s, c->vertex[k]);
            float *next = m ? &m->next : &surface_motions(s)[c->vertex[k]].next;
            const float share = g->round < STOPS ? before * time[i] * BEFORE : 0;
            *next = share < *next ? share : *next;
            news = true;
        }
        for (uint32_t k = 0; k < 4; ++k)
            surface_motions(s)[c->vertex[k]].hit = true;
        if (!news)
            news = sn_surface_zones_hold(g->world, s, c);
        any = any || news;
        *forced += !news;
    }
    return any;
}

/* Where bodies and vertices end, now that they go a share of their ways. The way itself is kept in the store. */
static void change_displacements(const guarding *g)
{
    sn_surfaces *s = g->s;
    const bool stay = g->round + 1 >= ROUNDS;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        sn_surface_motion *v = &surface_motions(s)[i];
        const sn_vec3 before = v->end;
        v->changed = v->hit;
        v->hit = false;
        if (sn_surface_is_kinematic(g->world, s, i) || (!stay && v->next == 1))
            continue;
        v->share = stay ? 0 : v->next;
        const sn_vec3 displacement = vec3_sub(vec4_xyz(g->world->particles.x[surface_vertices(s)[i].slot]), v->start);
        const sn_vec3 base = stay ? vec3(0, 0, 0) : sn_surface_zone_displacement(s, i);
        v->end = vec3_add(v->start, vec3_add(base, vec3_scale(vec3_sub(displacement, base), (sn_real)v->share)));
        v->changed = v->changed || v->end.x != before.x || v->end.y != before.y || v->end.z != before.z;
    }
    sn_surface_shells_change(s, false);
    if (sn_surface_members_move(g->world, s, stay))
        sn_surface_shells_end(g->world, s);
}

/* Places as they will be stored and read: x and x_low together may round to another x. */
static void end_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    sn_surfaces *s = &world->contacts.surfaces;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_motion *v = &surface_motions(s)[i];
        const uint32_t slot = surface_vertices(s)[i].slot;
        sn_vec4 *x = &world->particles.x[slot], *low = &world->particles.x_low[slot];
        const sn_real w = x->w, low_w = low->w;
        const quad high = quad_load(x), rest = quad_load(low);
        quad_store(low, quad_sum_error(high, rest));
        quad_store(x, quad_add(high, rest));
        x->w = w;
        low->w = low_w;
        v->end = vec4_xyz(*x);
        v->share = v->next = 1;
        v->changed = true;
        v->hit = false;
    }
}

static bool take_ends(sn_world *world, sn_surfaces *s)
{
    if (!sn_parallel_for(&world->parallel, s->vertex_table.count, end_piece, world))
        return false;
    sn_surface_members_end(world, s);
    sn_surface_shells_end(world, s);
    sn_surface_shells_change(s, true);
    return true;
}

/* Velocities keep a share of what they differ from that of their zone: the least of its vertices, the same for all, so
   that the zone keeps its momentum. */
static void settle(sn_world *world, sn_surfaces *s)
{
    sn_surface_zones_share(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_motion *v = &surface_motions(s)[i];
        const uint32_t slot = surface_vertices(s)[i].slot;
        sn_vec4 *x = &world->particles.x[slot], *speed = &world->particles.v[slot];
        if (v->share == 1)
            continue;
        *x = vec4(v->end, x->w);
        if (v->next < 1) { /* otherwise all stay, and this one is of no zone */
            const sn_vec3 base = sn_surface_zone_velocity(s, i);
            const sn_real share = (sn_real)sn_surface_zone_share(s, i);
            *speed = vec4(vec3_add(base, vec3_scale(vec3_sub(vec4_xyz(*speed), base), share)), speed->w);
        }
        world->particles.x_low[slot] = vec4(vec3(0, 0, 0), world->particles.x_low[slot].w);
        world->particles.v_low[slot] = vec4(vec3(0, 0, 0), 0);
        sn_history_forget(&world->history, slot);
        s->stops++;
    }
    if (s->zone_table.count)
        sn_surface_members_settle(world, s);
}

static bool look(guarding *g)
{
    sn_world *world = g->world;
    const uint32_t count = g->s->near_table.count;
    if (sn_parallel_wants(&world->parallel, count * WORK_OF_PAIR))
        return sn_parallel_for(&world->parallel, count, look_piece, g);
    look_piece(g, 0, count);
    return true;
}

bool sn_surfaces_guard(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    guarding g = {.world = world, .s = s};
    uint32_t forced = 0;
    const sn_surface_quiet_kind kind = s->on ? sn_surface_quiet_end(world, h) : SN_SURFACE_QUIET;
    bool partly = kind == SN_SURFACE_PARTLY_QUIET;
    if (kind == SN_SURFACE_QUIET || kind == SN_SURFACE_LOST)
        return kind == SN_SURFACE_QUIET;
    if (!partly && !take_ends(world, s))
        return false;
    sn_surface_zones_clear(s);
    while (g.round < ROUNDS) {
        if (!sn_surface_tiles_measure_ends(world, h) || (!partly && !sn_surface_tiles_compare_ends(world)) ||
            !sn_surface_pairs_end(world) || !look(&g))
            return false;
        if (partly && !order_hits(s)) {
            sn_surface_quiet_keep(world, h);
            return true;
        }
        if (partly) { /* what is stopped may come near anything */
            partly = false;
            if (!sn_surface_quiet_give_up(world, h) || !take_ends(world, s))
                return false;
            continue;
        }
        bool news = stop_pairs(&g, &forced);
        if (world->contacts.failed != SN_OK || (!news && !sn_surface_members_hold(world, s, h, &news)))
            return false;
        if (!news)
            break;
        if (!sn_surface_zones_measure(world, s, h))
            return false;
        change_displacements(&g);
        ++g.round;
    }
    s->rounds += g.round;
    s->forced += forced;
    s->suspect = s->suspect || forced;
    if (g.round)
        settle(world, s);
    return true;
}
