/* The guard: what did not intersect when a substep began does not when it ends, whatever moved the vertices in it, at any number of
   substeps and passes.

   Surfaces that are apart come to intersect only through a moment in which a vertex touches a triangle or two edges touch. So all pairs that may have
   come together on the straight ways from the start of the substep to its end are asked about by continuous collision detection that never
   misses (sinew/ccd.h). A pair that touches, or comes nearer than a share of the distance it had, is stopped: each of its vertices goes a smaller share
   of its way. Ways that became shorter may touch others than before, so all is looked at again, until nothing touches. First vertices stop shortly
   before they touch, in later rounds they stay where they began; and where all stay nothing touches, so it comes to an end. What was decided is
   about the places as they are stored: the last round has looked at exactly what then stands.

   Vertices that are led, or do not move, are not stopped. Where they drive a pair together that has nowhere else to go, it is counted (forced).

   What is stopped loses the velocity that it had along its way beyond what it went. That takes momentum from it, as a hand would. It happens where contacts have
   not kept things apart: rarely, or many times a second where there is no room. */
#include "contact/particle_contacts.h"

#include "world/world.h"

#include <sinew/ccd.h>
#include <stdatomic.h>
#include <string.h>

#define WORK_OF_PAIR 30.0           /* ns, about */
#define STOPS        6u             /* rounds in which vertices stop on their ways; after those they stay */
#define ROUNDS       64u            /* after those nothing moves */
#define BEFORE       0.9f           /* of the way up to where they would touch */
#define FIRM         ((sn_real)0.6) /* of the square of the distance: what moves by less comes no nearer than NEAREST of it */
#define NEAREST      0.2            /* of their distance before: they come no nearer in a substep, */
#define LEAST        0.05           /*   or of their reach, if that is less */

typedef struct guarding {
    sn_world *world;
    sn_surfaces *s;
    uint32_t round;
    bool all; /* some pairs are new in this round */
    atomic_bool touched;
    atomic_uint forced;
} guarding;

static atomic_uint *shares(const sn_surfaces *s)
{
    return s->vertex_table.column[2];
}

/* What vertices are to go is lowered by all pairs at once. What they went in this round stays as it is meanwhile. */
static float share_of(const sn_surfaces *s, uint32_t vertex)
{
    return surface_motions(s)[vertex].share;
}

/* Bits of floats that are not negative are in the order of the floats. The least of all is the same in any order. */
static void lower_share(const sn_surfaces *s, uint32_t vertex, float share)
{
    unsigned bits, known = atomic_load_explicit(&shares(s)[vertex], memory_order_relaxed);
    memcpy(&bits, &share, sizeof bits);
    while (bits < known && !atomic_compare_exchange_weak_explicit(&shares(s)[vertex], &known, bits,
                                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

static bool is_led(const guarding *g, uint32_t vertex)
{
    return g->world->particles.x[surface_vertices(g->s)[vertex].slot].w == 0;
}

/* m^2: how far spots of the two can move against each other. */
static sn_real relative_way(const guarding *g, const sn_surface_candidate *c)
{
    const sn_surface_motion *vertex = surface_motions(g->s);
    const uint32_t second = c->edges ? 2 : 1;
    sn_vec3 way[4];
    sn_real square = 0;
    for (uint32_t k = 0; k < 4; ++k)
        way[k] = vec3_sub(vertex[c->vertex[k]].end, vertex[c->vertex[k]].start);
    for (uint32_t i = 0; i < second; ++i)
        for (uint32_t k = second; k < 4; ++k) {
            const sn_vec3 u = vec3_sub(way[i], way[k]);
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
static bool ways_are_apart(const double *start, const double *end, bool edges, double by)
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

/* A pair none of whose vertices was shortened in the last round is as it was, and has been looked at. */
static bool was_shortened(const guarding *g, const sn_surface_candidate *c)
{
    const sn_surface_motion *v = surface_motions(g->s);
    return v[c->vertex[0]].shortened || v[c->vertex[1]].shortened || v[c->vertex[2]].shortened ||
           v[c->vertex[3]].shortened;
}

/* apart_before: m, at least so far they are from each other as the substep begins. */
static void look_at(guarding *g, const sn_surface_candidate *c, sn_real apart_before)
{
    double start[12], end[12], time;
    sn_dvec3 x[4];
    if (g->round > 0 && !g->all && !was_shortened(g, c))
        return;
    const sn_real square = relative_way(g, c);
    if (square == 0 || (apart_before > 0 && apart_before * apart_before * FIRM > square))
        return;
    take(g, c, start, end, x);
    if (ways_are_apart(start, end, c->edges, LEAST * (double)c->reach))
        return;
    const double distance = sn_surface_nearest(c->edges, x).distance * SN_SURFACE_EXACT,
                 least = LEAST * (double)c->reach;
    const double apart = NEAREST * distance < least ? NEAREST * distance : least;
    if (distance * distance * (double)FIRM > (double)square)
        return;
    if (!(c->edges ? sn_ccd_edge_edge(start, end, apart, &time) : sn_ccd_vertex_triangle(start, end, apart, &time)))
        return;
    bool stopped = false;
    for (uint32_t k = 0; k < 4; ++k) {
        const float share = share_of(g->s, c->vertex[k]);
        if (is_led(g, c->vertex[k]) || share == 0)
            continue;
        lower_share(g->s, c->vertex[k], g->round < STOPS ? share * (float)time * BEFORE : 0);
        stopped = true;
    }
    if (stopped)
        atomic_store_explicit(&g->touched, true, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&g->forced, 1, memory_order_relaxed);
}

static void look_piece(void *data, uint32_t first, uint32_t last)
{
    guarding *g = data;
    const uint32_t *near = g->s->near_table.column[0];
    const sn_real *apart = g->s->near_table.column[1];
    for (uint32_t i = first; i < last; ++i)
        look_at(g, &surface_candidates(g->s)[near[i]], apart[i]);
}

/* Where a vertex ends, now that it goes a share of its way. The way itself is kept in the store. */
static void shorten(sn_surfaces *s, const sn_world *world, uint32_t vertex)
{
    sn_surface_motion *v = &surface_motions(s)[vertex];
    const unsigned bits = atomic_load_explicit(&shares(s)[vertex], memory_order_relaxed);
    float share;
    memcpy(&share, &bits, sizeof share);
    v->shortened = share < v->share;
    v->share = share;
    const sn_vec3 way = vec3_sub(vec4_xyz(world->particles.x[surface_vertices(s)[vertex].slot]), v->start);
    if (share < 1)
        v->end = share > 0 ? vec3_add(v->start, vec3_scale(way, (sn_real)share)) : v->start;
}

static void shorten_ways(guarding *g)
{
    const bool stay = g->round + 1 >= ROUNDS;
    for (uint32_t i = 0; i < g->s->vertex_table.count; ++i) {
        if (stay && !is_led(g, i))
            lower_share(g->s, i, 0);
        shorten(g->s, g->world, i);
    }
}

/* Places as they will be stored and read: x and x_low together may round to another x. */
static void take_ends(sn_world *world, sn_surfaces *s)
{
    const float whole = 1;
    unsigned bits;
    memcpy(&bits, &whole, sizeof bits);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        sn_surface_motion *v = &surface_motions(s)[i];
        const uint32_t slot = surface_vertices(s)[i].slot;
        sn_vec4 *x = &world->particles.x[slot], *low = &world->particles.x_low[slot];
        const sn_vec3 high = vec4_xyz(*x), rest = vec4_xyz(*low), place = vec3_add(high, rest);
        *low = vec4(vec3_sum_error(high, rest), low->w);
        *x = vec4(place, x->w);
        v->end = place;
        v->share = whole;
        atomic_store_explicit(&shares(s)[i], bits, memory_order_relaxed);
    }
}

/* Takes from a velocity what led farther than the vertex went. */
static void settle(sn_world *world, sn_surfaces *s, sn_real h)
{
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_motion *v = &surface_motions(s)[i];
        const sn_real share = (sn_real)v->share;
        const uint32_t slot = surface_vertices(s)[i].slot;
        sn_vec4 *x = &world->particles.x[slot], *speed = &world->particles.v[slot];
        if (share == 1)
            continue;
        const sn_vec3 way = vec3_sub(vec4_xyz(*x), v->start);
        const sn_real square = vec3_dot(way, way), along = square > 0 ? vec3_dot(vec4_xyz(*speed), way) / square : 0;
        *x = vec4(v->end, x->w);
        world->particles.x_low[slot] = vec4(vec3(0, 0, 0), world->particles.x_low[slot].w);
        if (along * h > share) {
            *speed = vec4(vec3_add(vec4_xyz(*speed), vec3_scale(way, share / h - along)), speed->w);
            world->particles.v_low[slot] = vec4(vec3(0, 0, 0), 0);
        }
        sn_history_forget(&world->history, slot);
        s->stops++;
    }
}

static bool look(guarding *g)
{
    sn_world *world = g->world;
    const uint32_t count = g->s->near_table.count;
    atomic_store_explicit(&g->touched, false, memory_order_relaxed);
    atomic_store_explicit(&g->forced, 0, memory_order_relaxed);
    if (sn_parallel_wants(&world->parallel, count * WORK_OF_PAIR))
        return sn_parallel_for(&world->parallel, count, look_piece, g);
    look_piece(g, 0, count);
    return true;
}

/* Tiles some of whose corners go a share of their ways. Whether there are more of them than before. */
static bool find_stopped(sn_surfaces *s)
{
    const uint32_t *corner = s->corner_table.column[0];
    bool more = false;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        for (uint32_t k = tile->first_corner; !tile->stopped && k < tile->first_corner + tile->corners; ++k)
            if (surface_motions(s)[corner[k]].share < 1)
                more = tile->stopped = true;
    }
    return more;
}

/* Once something is stopped, things that moved together move apart. So from then on what its tile may come to is what would come together wherever on their ways
   others stop. In every round that finds more of these tiles, pairs are listed again, and those that come new are looked at. */
static bool follow_stops(guarding *g)
{
    if (!find_stopped(g->s))
        return true;
    g->all = true;
    return sn_surface_tiles_meet_ends(g->world, true) && sn_surface_pairs_end(g->world);
}

bool sn_surfaces_guard(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    guarding g = {.world = world, .s = s};
    if (!s->on)
        return true;
    take_ends(world, s);
    if (!sn_surface_tiles_measure_ends(world) || !sn_surface_tiles_meet_ends(world, false) ||
        !sn_surface_pairs_end(world))
        return false;
    for (; g.round < ROUNDS; ++g.round) {
        if (!look(&g))
            return false;
        g.all = false;
        if (!atomic_load_explicit(&g.touched, memory_order_relaxed))
            break;
        shorten_ways(&g);
        if (!follow_stops(&g))
            return false;
    }
    s->rounds += g.round;
    s->forced += atomic_load_explicit(&g.forced, memory_order_relaxed);
    if (g.round)
        settle(world, s, h);
    return true;
}
