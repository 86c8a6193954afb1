/* Finds the candidates that are in contact in this substep: see surface_pairs.c.

   The geometry of a contact is fixed for the substep: nearest points and normal as it begins. At that time the pair is
   known to be apart, and the sides are known; within a substep, passes may move features anywhere.

   Each place where surfaces are near is to be one contact. For a vertex above a sheet it is with the triangle below it.
   Near an edge or a corner of the sheet, several triangles have the same nearest point. The triangle that owns the edge
   or corner makes the contact, if the vertex is beyond the edge as seen from all triangles there. Two edges make a
   contact where they cross, if each is beyond the other's triangles. Segments have no triangles. Near a segment, the
   first edge of a vertex makes the contact, and so for two vertices of segments. If a vertex of a segment is near an
   edge or a corner of a triangle, that triangle makes the contact. */
#include "contact/callbacks.h"
#include "contact/particle_contacts.h"
#include "contact/surface_pieces.h"
#include "contact/surface_loads.h"
#include "contact/surface_quiet.h"

#include "base/quad.h"
#include "base/sort.h"
#include "world/world.h"

#include <string.h>

#define WORK_OF_PAIR   1000.0          /* ns, about */
#define WORK_OF_MAKING 150.0           /* ns, about: making a contact */
#define ROUNDED        ((sn_real)1e-6) /* relative to velocities or coordinates: rounding of differences */

#define FAT  1e-12 /* the square of the sine of an angle: below it triangles count as lines, and edges as parallel */
#define FLAT 0.2   /* the cosine up to which an edge is beyond a triangle: sheets that lie on each other are not flat */

/* ---- Nearest points ---------------------------------------------------------------------------------------------- */

/* The parameter of the point of segment a b that is nearest to p, from 0 (a) to 1 (b). */
static double along(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b)
{
    const sn_dvec3 ab = dvec3_sub(b, a);
    const double square = dvec3_dot(ab, ab), t = square > 0 ? dvec3_dot(dvec3_sub(p, a), ab) / square : 0;
    return t > 0 ? t < 1 ? t : 1 : 0;
}

/* The weighted sum of four points, relative to the last one. The weights add up to 0. */
static sn_dvec3 combine(const sn_dvec3 x[4], const double weight[4])
{
    sn_dvec3 d = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
        d = dvec3_add(d, dvec3_scale(dvec3_sub(x[k], x[3]), weight[k]));
    return d;
}

static sn_surface_nearest_points nearest_with(const sn_dvec3 x[4], const double weight[4], uint32_t inner)
{
    sn_surface_nearest_points contact_points = {.inner = inner, .apart = combine(x, weight)};
    memcpy(contact_points.weight, weight, sizeof contact_points.weight);
    contact_points.distance = dvec3_length(contact_points.apart);
    return contact_points;
}

/* The squared distance from p to segment a b. *t: the parameter of the nearest point. */
static double square_to(sn_dvec3 p, sn_dvec3 a, sn_dvec3 b, double *t)
{
    *t = along(p, a, b);
    const sn_dvec3 d = dvec3_sub(dvec3_sub(p, a), dvec3_scale(dvec3_sub(b, a), *t));
    return dvec3_dot(d, d);
}

/* A point inside the triangle, if the vertex is above it; otherwise on an edge. A degenerate triangle has only
   edges. */
static sn_surface_nearest_points vertex_and_triangle(const sn_dvec3 x[4])
{
    const sn_dvec3 ab = dvec3_sub(x[2], x[1]), ac = dvec3_sub(x[3], x[1]), ap = dvec3_sub(x[0], x[1]);
    const sn_dvec3 n = dvec3_cross(ab, ac);
    const double square = dvec3_dot(n, n);
    if (square > FAT * dvec3_dot(ab, ab) * dvec3_dot(ac, ac)) {
        const double v = dvec3_dot(dvec3_cross(ap, ac), n), w = dvec3_dot(dvec3_cross(ab, ap), n);
        if (v > 0 && w > 0 && v + w < square)
            return nearest_with(x, (double[4]){1, (v + w) / square - 1, -v / square, -w / square}, 0);
    }
    double t, best_t = 0, least = HUGE_VAL;
    uint32_t best = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const double here = square_to(x[0], x[1 + k], x[1 + (k + 1) % 3], &t);
        if (here < least)
            least = here, best = k, best_t = t;
    }
    const uint32_t from = 1 + best, to = 1 + (best + 1) % 3;
    double weight[4] = {1, 0, 0, 0};
    weight[from] = best_t - 1;
    weight[to] = -best_t;
    return nearest_with(x, weight, best_t <= 0 ? 3 + from : best_t >= 1 ? 3 + to : 1 + best);
}

/* True if the nearest points of the lines are within both edges; computes their weights. */
static bool edges_cross(const sn_dvec3 x[4], double weight[4])
{
    const sn_dvec3 p = dvec3_sub(x[1], x[0]), q = dvec3_sub(x[3], x[2]), r = dvec3_sub(x[0], x[2]);
    const double pp = dvec3_dot(p, p), pq = dvec3_dot(p, q), qq = dvec3_dot(q, q), pr = dvec3_dot(p, r),
                 qr = dvec3_dot(q, r);
    const double area = pp * qq - pq * pq, s = pq * qr - qq * pr, u = pp * qr - pq * pr;
    if (!(area > FAT * pp * qq && s > 0 && s < area && u > 0 && u < area))
        return false;
    weight[0] = 1 - s / area, weight[1] = s / area, weight[2] = u / area - 1, weight[3] = -u / area;
    return true;
}

/* Where the edges cross; otherwise one of the nearest points is an end. */
static sn_surface_nearest_points two_edges(const sn_dvec3 x[4])
{
    double weight[4] = {0, 0, 0, 0}, t, best_t = 0, least = HUGE_VAL;
    if (edges_cross(x, weight))
        return nearest_with(x, weight, 0);
    int best = 0;
    for (int k = 0; k < 4; ++k) {
        const int from = k < 2 ? 2 : 0;
        const double here = square_to(x[k], x[from], x[from + 1], &t);
        if (here < least)
            least = here, best = k, best_t = t;
    }
    const int from = best < 2 ? 2 : 0, sign = best < 2 ? 1 : -1;
    weight[best] = sign;
    weight[from] = -sign * (1 - best_t);
    weight[from + 1] = -sign * best_t;
    return nearest_with(x, weight, 1);
}

sn_surface_nearest_points sn_surface_nearest(bool edges, const sn_dvec3 x[4])
{
    return edges ? two_edges(x) : vertex_and_triangle(x);
}

/* ---- Which candidate makes the contact --------------------------------------------------------------------------- */

static sn_dvec3 start_of(const sn_surfaces *s, uint32_t vertex)
{
    return dvec3_from(surface_motions(s)[vertex].start);
}

static sn_dvec3 surface_point(const sn_dvec3 x[4], const double *weight, int first, int end, double sign)
{
    sn_dvec3 contact_point = {0, 0, 0};
    for (int k = first; k < end; ++k)
        contact_point = dvec3_add(contact_point, dvec3_scale(x[k], sign * weight[k]));
    return contact_point;
}

/* True if the direction `towards` from a point on an edge leads away from its triangles. */
static bool leads_away(const sn_surfaces *s, const sn_surface_edge *edge, sn_dvec3 contact_point, sn_dvec3 towards,
                       double cosine)
{
    const sn_dvec3 a = start_of(s, edge->vertex[0]), along_edge = dvec3_sub(start_of(s, edge->vertex[1]), a);
    const double square = dvec3_dot(along_edge, along_edge);
    for (uint32_t k = 0; k < 2 && edge->across[k] != SN_SURFACE_NONE; ++k) {
        sn_dvec3 in = dvec3_sub(start_of(s, edge->across[k]), contact_point);
        if (square > 0) /* the component across the edge */
            in = dvec3_sub(in, dvec3_scale(along_edge, dvec3_dot(in, along_edge) / square));
        if (dvec3_dot(in, towards) > cosine * dvec3_length(in) * dvec3_length(towards))
            return false;
    }
    return true;
}

static bool corner_speaks(const sn_surfaces *s, uint32_t corner, sn_dvec3 towards)
{
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    for (uint32_t i = start[corner]; i < start[corner + 1]; ++i)
        if (dvec3_dot(dvec3_sub(start_of(s, ring[i]), start_of(s, corner)), towards) > 0)
            return false;
    return true;
}

/* For edges that do not cross: one of the nearest points is an end. */
static bool end_speaks(const sn_surfaces *s, const sn_surface_candidate *c,
                       const sn_surface_nearest_points *contact_points)
{
    const double *weight = contact_points->weight;
    const uint32_t at = weight[0] == 1 ? 0 : weight[1] == 1 ? 1 : weight[2] == -1 ? 2 : 3;
    const uint32_t of[2] = {at < 2 ? c->one : c->other, at < 2 ? c->other : c->one}, from = at < 2 ? 2 : 0;
    const uint32_t end = c->vertex[at], *other = &c->vertex[from];
    const sn_dvec3 towards = at < 2 ? dvec3_scale(contact_points->apart, -1) : contact_points->apart;
    if (surface_edges(s)[of[1]].triangle != SN_SURFACE_NONE || surface_vertices(s)[end].edge != of[0] ||
        !corner_speaks(s, end, towards))
        return false;
    if (weight[from] != 0 && weight[from + 1] != 0)
        return true;
    const uint32_t corner = other[weight[from] == 0];
    return surface_vertices(s)[end].triangle == SN_SURFACE_NONE &&
           surface_vertices(s)[corner].triangle == SN_SURFACE_NONE && surface_vertices(s)[corner].edge == of[1] &&
           corner_speaks(s, corner, dvec3_scale(towards, -1));
}

static bool speaks(const sn_surfaces *s, const sn_surface_candidate *c, const sn_surface_nearest_points *contact_points,
                   const sn_dvec3 x[4])
{
    if (c->edges) {
        if (contact_points->inner)
            return c->segments && end_speaks(s, c, contact_points);
        const sn_dvec3 one = surface_point(x, contact_points->weight, 0, 2, 1),
                       two = surface_point(x, contact_points->weight, 2, 4, -1);
        return leads_away(s, &surface_edges(s)[c->one], one, dvec3_scale(contact_points->apart, -1), FLAT) &&
               leads_away(s, &surface_edges(s)[c->other], two, contact_points->apart, FLAT);
    }
    if (contact_points->inner == 0)
        return true;
    const sn_surface_triangle *triangle = &surface_triangles(s)[c->other];
    if (contact_points->inner <= 3) {
        const sn_surface_edge *edge = &surface_edges(s)[triangle->edge[contact_points->inner - 1]];
        return edge->triangle == c->other &&
               leads_away(s, edge, surface_point(x, contact_points->weight, 1, 4, -1), contact_points->apart, 0);
    }
    const uint32_t corner = triangle->vertex[contact_points->inner - 4];
    return surface_vertices(s)[corner].triangle == c->other &&
           (c->vertex[0] < corner || surface_vertices(s)[c->vertex[0]].triangle == SN_SURFACE_NONE) &&
           corner_speaks(s, corner, contact_points->apart) &&
           corner_speaks(s, c->vertex[0], dvec3_scale(contact_points->apart, -1));
}

/* False for a skin and a shell if the contact is not needed: a vertex that is a ball collides with the body itself, and
   an edge within a face of the shell makes no contacts. */
static bool is_felt(const sn_world *world, const sn_surface_candidate *c,
                    const sn_surface_nearest_points *contact_points)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t own = s->vertex_table.count;
    if (c->vertex[0] < own && c->vertex[3] < own)
        return true;
    const bool first = c->vertex[0] >= own;
    if (c->edges && surface_edges(s)[first ? c->one : c->other].flat)
        return false;
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_vertex *v = &surface_vertices(s)[c->vertex[k]];
        if (c->vertex[k] < own && fabs(contact_points->weight[k]) == 1 &&
            world->particles.radius[v->slot] >= surface_skins(s)[v->skin].thickness)
            return false;
    }
    return true;
}

/* ---- Candidates that are near ------------------------------------------------------------------------------------ */

static void places_at_start(const sn_surfaces *s, const sn_surface_candidate *c, sn_dvec3 x[4])
{
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = start_of(s, c->vertex[k]);
}

static sn_surface_nearest_points nearest_at_start(const sn_surfaces *s, const sn_surface_candidate *c, sn_dvec3 x[4])
{
    places_at_start(s, c, x);
    return sn_surface_nearest(c->edges, x);
}

/* m/s: the approach speed of the nearest points; 0 if they separate. */
static sn_real closing_speed(const sn_surfaces *s, const sn_surface_candidate *c,
                             const sn_surface_nearest_points *contact_points)
{
    double along = 0;
    for (uint32_t k = 0; k < 4; ++k)
        along += contact_points->weight[k] *
                 dvec3_dot(dvec3_from(surface_motions(s)[c->vertex[k]].velocity), contact_points->apart);
    return along < 0 ? (sn_real)(-along / contact_points->distance) : 0;
}

/* m/s: upper bounds of the speeds of vertices relative to the mean of all; infinite for corners of shells. */
static void measure_speed(const sn_surfaces *s, sn_vec3 mean, uint32_t vertex)
{
    const sn_real lost = ROUNDED * vec3_length(mean);
    sn_real *speed = s->vertex_table.column[4];
    speed[vertex] = vec3_length(vec3_sub(surface_motions(s)[vertex].velocity, mean)) * SN_SURFACE_LONGER + lost;
}

static void speed_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_surfaces *s = data;
    const sn_vec3 mean = dvec3_round(s->velocity);
    for (uint32_t i = first; i < end; ++i)
        measure_speed(s, mean, i);
}

static void measure_busy_speeds(const sn_surfaces *s)
{
    const sn_vec3 mean = dvec3_round(s->velocity);
    const uint32_t *corner = s->corner_table.column[0];
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        for (uint32_t k = 0; !surface_tile_rests(s, i) && k < surface_tiles(s)[i].corners; ++k)
            if (corner[surface_tiles(s)[i].first_corner + k] < s->vertex_table.count)
                measure_speed(s, mean, corner[surface_tiles(s)[i].first_corner + k]);
}

static bool measure_speeds(sn_world *world, sn_surfaces *s)
{
    sn_real *speed = s->vertex_table.column[4];
    for (uint32_t i = s->vertex_table.count; i < s->all_vertices; ++i)
        speed[i] = (sn_real)INFINITY;
    if (s->quiet.held) {
        measure_busy_speeds(s);
        return true;
    }
    return sn_parallel_for(&world->parallel, s->vertex_table.count, speed_piece, s);
}

/* m/s: an upper bound of relative_speed, which takes longer. */
static sn_real speed_below(const sn_surfaces *s, const sn_surface_candidate *c)
{
    const sn_real *speed = s->vertex_table.column[4];
    const sn_real a = speed[c->vertex[0]], b = speed[c->vertex[1]], d = speed[c->vertex[2]], e = speed[c->vertex[3]];
    const sn_real last = d > e ? d : e;
    return c->edges ? (a > b ? a : b) + last : a + (b > last ? b : last);
}

/* m/s: the largest relative speed of a vertex of one feature and a vertex of the other. */
static sn_real relative_speed(const sn_surfaces *s, const sn_surface_candidate *c)
{
    const sn_surface_motion *m = surface_motions(s);
    const uint32_t second = c->edges ? 2 : 1;
    quad v[4];
    sn_real most = 0;
    for (uint32_t k = 0; k < 4; ++k)
        v[k] = quad_load(&m[c->vertex[k]].velocity); /* and what follows */
    for (uint32_t i = 0; i < second; ++i)
        for (uint32_t k = second; k < 4; ++k) {
            const quad u = quad_sub(v[i], v[k]);
            const sn_real square = quad_dot3(u, u);
            most = square <= most ? most : square;
        }
    return real_sqrt(most);
}

typedef struct looking {
    sn_world *world;
    sn_surfaces *s;
    sn_real h, fall; /* s; m: twice the displacement by gravity */
} looking;

/* True if boxes around the two features and where they go come as near as `by` (m). They do if the features themselves
   are. */
static bool starts_or_sweeps_touch(const looking *l, const sn_surface_pair *pair, const sn_surface_candidate *c,
                                   sn_real distance)
{
    const sn_bounds *box = &surface_tiles(l->s)[pair->a].box;
    const sn_real by = surface_thickness(l->s, pair) + l->fall,
                  size = vec3_length(box->low) + vec3_length(box->high) + by;
    return distance * SN_SURFACE_LONGER < by - ROUNDED * size ||
           sn_surface_sweeps_touch(l->s, c, SN_SURFACE_BY_VELOCITY, l->h, by);
}

/* Tests a candidate exactly. If it is in contact, adds it to the touches of the pair. */
static void look(const looking *l, sn_surface_pair *pair, sn_surface_candidate *c)
{
    const sn_surfaces *s = l->s;
    sn_dvec3 x[4];
    const sn_surface_nearest_points contact_points = nearest_at_start(s, c, x);
    const sn_real distance = (sn_real)(contact_points.distance * SN_SURFACE_EXACT);
    c->reach = sn_surface_reach(l->world, c);
    c->rough = false;
    surface_spares(s)[c - surface_candidates(s)] = distance - c->reach + (sn_real)pair->moved;
    pair->nearest = distance < pair->nearest ? distance : pair->nearest;
    if (!(contact_points.distance > 0) ||
        !((sn_real)contact_points.distance - c->reach < 2 * l->h * closing_speed(s, c, &contact_points) + l->fall) ||
        !starts_or_sweeps_touch(l, pair, c, distance) || !speaks(s, c, &contact_points, x) ||
        !is_felt(l->world, c, &contact_points) || sn_surface_is_tangled(s, c))
        return;
    sn_surface_touch *touch = (sn_surface_touch *)s->touch_table.column[0] + pair->first + pair->touches++;
    touch->candidate = (uint32_t)(c - surface_candidates(s));
    touch->normal = dvec3_round(dvec3_scale(contact_points.apart, 1 / contact_points.distance));
    for (uint32_t k = 0; k < 4; ++k)
        touch->weight[k] = (sn_real)contact_points.weight[k];
}

/* Tests candidates that are due, whose relative speeds are known. Most of them are not as near as they might have come,
   or are edges whose nearest points are ends, where a vertex makes the contact. */
static void look_at_batch(const looking *l, sn_surface_pair *pair, sn_surface_batch *b)
{
    if (!b->count)
        return;
    if (!pair->fresh)
        sn_surface_batch_measure(l->world, b);
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_surface_candidate *c = b->of[i];
        if (pair->fresh) /* measured for the list */
            b->low[i] = 0, b->inner[i] = !c->ends;
        sn_real *spare = &surface_spares(l->s)[c - surface_candidates(l->s)];
        const sn_real known = *spare - (sn_real)pair->moved + c->reach, apart = b->low[i] > known ? b->low[i] : known;
        const bool slow =
            !(pair->fresh && pair->swept) && apart - c->reach > (2 * l->h * b->differ[i] + l->fall) * SN_SURFACE_LONGER;
        if (!slow && (!b->edges || c->segments || b->inner[i] != 0)) {
            look(l, pair, c);
            continue;
        }
        *spare = apart - c->reach + (sn_real)pair->moved;
        pair->nearest = apart < pair->nearest ? apart : pair->nearest;
    }
    b->count = 0;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

/* True if a candidate is too slow to come into contact in this substep. Otherwise sets its largest relative speed
   (m/s), unless the list says it. */
static bool is_slow(const looking *l, const sn_surface_pair *pair, uint32_t candidate, sn_real *speed)
{
    const sn_surface_candidate *c = &surface_candidates(l->s)[candidate];
    const sn_real spare = surface_spares(l->s)[candidate] - (sn_real)pair->moved - l->fall,
                  twice = 2 * l->h * SN_SURFACE_LONGER;
    *speed = 0;
    if (pair->fresh && pair->swept)
        return c->slow;
    *speed = speed_below(l->s, c);
    if (twice * *speed > l->fall && twice * *speed >= spare)
        *speed = relative_speed(l->s, c);
    return twice * *speed * SN_SURFACE_LONGER < spare;
}

/* Looks at a candidate whose spare may be used up in this substep: takes it into the batch, unless it is too slow. */
static void look_at_one(const looking *l, sn_surface_pair *pair, uint32_t candidate, sn_surface_batch *batch)
{
    sn_surface_candidate *c = &surface_candidates(l->s)[candidate];
    sn_real speed;
    if (is_slow(l, pair, candidate, &speed)) {
        pair->waiting = lower(pair->waiting, surface_spares(l->s)[candidate]);
        return;
    }
    if (batch->count == SN_WIDE_COUPLES || (batch->count && batch->edges != c->edges))
        look_at_batch(l, pair, batch);
    batch->edges = c->edges;
    batch->differ[batch->count] = speed;
    batch->of[batch->count++] = c;
}

static void look_at_pair(const looking *l, sn_surface_pair *pair)
{
    const sn_wide_near *wide = l->world->wide ? l->world->wide->near : &sn_near_scalar;
    const sn_real until = ((sn_real)pair->moved + pair->wanted) * SN_SURFACE_LONGER;
    const sn_real *spares = surface_spares(l->s);
    uint16_t near[SN_WIDE_BELOW];
    sn_surface_batch batch;
    pair->due = pair->waiting = (sn_real)INFINITY;
    for (uint32_t at = pair->first, end = at + pair->count, found; at < end; at += SN_WIDE_BELOW) {
        const uint32_t count = end - at < SN_WIDE_BELOW ? end - at : SN_WIDE_BELOW;
        const sn_real left = wide->below(spares + at, count, until, near, &found);
        batch.count = 0;
        for (uint32_t i = 0; i < found; ++i)
            look_at_one(l, pair, at + near[i], &batch);
        look_at_batch(l, pair, &batch);
        pair->waiting = lower(pair->waiting, left);
        pair->due = lower(pair->due, left);
        for (uint32_t i = 0; i < found; ++i)
            pair->due = lower(pair->due, spares[at + near[i]]);
    }
}

static void look_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_pair *pair = &surface_pairs(l->s)[((const uint32_t *)l->s->look_table.column[0])[i]];
        pair->touches = 0;
        look_at_pair(l, pair);
    }
}

/* ---- Contacts ---------------------------------------------------------------------------------------------------- */

/* The first colour that none of its particles has in another contact; the last one if none is free. */
static uint32_t choose_colour(uint64_t *used, const sn_surface_contact *c)
{
    uint64_t taken = 0;
    uint32_t colour = 0;
    for (uint32_t k = 0; k < 4; ++k)
        taken |= used[c->slot[k]];
    while (colour < SN_SURFACE_COLOURS && taken >> colour & 1)
        ++colour;
    for (uint32_t k = 0; colour < SN_SURFACE_COLOURS && k < 4; ++k)
        used[c->slot[k]] |= UINT64_C(1) << colour;
    return colour;
}

/* Moves contacts to the places that sort_by_colour chose. */
static void move_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_surfaces *s = data;
    const sn_surface_contact *from = s->contact_table.column[1];
    const sn_sort_item *item = s->sort_table.column[0];
    sn_surface_contact *to = s->contact_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        to[item[i].b] = from[i];
}

static bool sort_by_colour(sn_world *world, sn_surfaces *s)
{
    const sn_surface_contact *from = s->contact_table.column[1];
    sn_sort_item *item = s->sort_table.column[0];
    uint64_t *used = s->colour_table.column[0];
    uint32_t start[SN_SURFACE_COLOURS + 2] = {0};
    memset(used, 0, world->particles.table.count * sizeof *used);
    for (uint32_t i = 0; i < s->contact_table.count; ++i) {
        item[i].a = choose_colour(used, &from[i]);
        start[item[i].a + 1]++;
    }
    for (uint32_t i = 0; i <= SN_SURFACE_COLOURS; ++i)
        start[i + 1] += start[i];
    memcpy(s->colour_start, start, sizeof start);
    for (uint32_t i = 0; i < s->contact_table.count; ++i)
        item[i].b = start[item[i].a]++;
    return sn_parallel_for(&world->parallel, s->contact_table.count, move_piece, s);
}

static bool fail(sn_world *world)
{
    world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
    return false;
}

/* Puts touches in the order of pairs, and of features within them. This is the order of the surfaces, and does not
   depend on how much is listed. Once something has torn, it is the order of features. */
static void order_touches(sn_surfaces *s)
{
    const sn_surface_touch *touch = s->touch_table.column[0];
    sn_sort_item *item = s->sort_table.column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->look_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[((const uint32_t *)s->look_table.column[0])[i]];
        for (uint32_t k = pair->first; k < pair->first + pair->touches; ++k)
            item[count++] = (sn_sort_item){.a = k};
    }
    for (uint32_t turn = 2; s->torn && turn-- > 0;) {
        for (uint32_t i = 0; i < count; ++i)
            item[i].key = sn_surface_key(&surface_candidates(s)[touch[item[i].a].candidate], turn);
        sn_sort(item, s->sort_table.column[1], count);
    }
}

static void make_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    const sn_surfaces *s = l->s;
    sn_surface_contact *contact = s->contact_table.column[1];
    const sn_surface_touch *touch = s->touch_table.column[0];
    sn_sort_item *item = s->sort_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        const sn_surface_touch *t = &touch[item[i].a];
        contact[i] = sn_surface_contact_make(l->world, &surface_candidates(s)[t->candidate], t->weight, t->normal);
        contact[i].loaded = sn_surface_loads_hold(s, &contact[i]);
        item[i].b = contact[i].give > 0;
    }
}

/* Removes contacts that can move nothing, and those that callbacks refuse. */
static bool choose_contacts(sn_world *world, sn_surfaces *s, uint32_t count)
{
    sn_surface_contact *contact = s->contact_table.column[1];
    const sn_sort_item *item = s->sort_table.column[0];
    for (uint32_t i = 0; i < count; ++i) {
        bool acts = item[i].b != 0;
        if (acts && (world->contacts.failed = sn_callbacks_surface(world, &contact[i], &acts)) != SN_OK)
            return false;
        if (acts && s->contact_table.count != i)
            contact[s->contact_table.count] = contact[i];
        s->contact_table.count += acts;
    }
    return true;
}

static bool make_contacts(sn_world *world, sn_real h, sn_real fall)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {.world = world, .s = s, .h = h, .fall = fall};
    const uint32_t before = s->contact_table.count;
    uint64_t count = 0;
    if (s->look_table.count && !measure_speeds(world, s))
        return false;
    if (!sn_parallel_few(&world->parallel, s->look_table.count, WORK_OF_PAIR, look_piece, &l))
        return false;
    for (uint32_t i = 0; i < s->look_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[((const uint32_t *)s->look_table.column[0])[i]];
        count += pair->touches;
        s->looks += pair->count;
    }
    if (count > SN_MAX_COUNT || !sn_table_reserve(&s->contact_table, &world->allocator, count) ||
        !sn_table_reserve(&s->colour_table, &world->allocator, world->particles.table.count) ||
        !sn_table_reserve(&s->sort_table, &world->allocator, count) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count))
        return fail(world);
    s->contact_table.count = 0;
    s->by_friction = false;
    if (!sn_surface_loads_find(world))
        return fail(world);
    order_touches(s);
    if (!sn_parallel_few(&world->parallel, (uint32_t)count, WORK_OF_MAKING, make_piece, &l) ||
        !choose_contacts(world, s, (uint32_t)count))
        return false;
    if (!sn_surface_contacts_reserve(world))
        return fail(world);
    if (!sn_surface_contacts_recall(world, s, before, h) || !sort_by_colour(world, s))
        return false;
    return sn_surface_loads_begin(world) || fail(world);
}

bool sn_surfaces_begin(sn_world *world, sn_real h)
{
    const sn_real fall = 2 * h * h * vec3_length(world->state.settings.gravity);
    if (!world->contacts.surfaces.on)
        return true;
    sn_surface_pieces_begin(world, &world->contacts.surfaces);
    const sn_surface_quiet_kind kind = sn_surface_quiet_begin(world, h, fall);
    if (kind == SN_SURFACE_QUIET || kind == SN_SURFACE_LOST)
        return kind == SN_SURFACE_QUIET;
    if (kind == SN_SURFACE_BUSY && !(sn_surface_tiles_measure(world, h) && sn_surface_tiles_compare(world, h, fall) &&
                                     sn_surface_tangles_find(world, h)))
        return false;
    return sn_surface_pairs_begin(world, h, fall, SN_SURFACE_BY_VELOCITY) && make_contacts(world, h, fall) &&
           (kind == SN_SURFACE_PARTLY_QUIET || sn_surface_quiet_try(world, h, fall));
}

/* Wakes surfaces that a moving surface may reach in a step of dt. */
static sn_result wake(sn_world *world, sn_surfaces *s, sn_real dt)
{
    const sn_real more = sn_sleep_surface_slack(world, dt);
    if (!sn_surface_tiles_measure(world, dt) || !sn_surface_tiles_compare(world, dt, more) ||
        !sn_surface_pairs_begin(world, dt, more, SN_SURFACE_ALL))
        return world->contacts.failed != SN_OK
                   ? world->contacts.failed
                   : world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[i];
        const uint32_t one = surface_tiles(s)[pair->a].skin, other = surface_tiles(s)[pair->b].skin;
        const bool two = one != other && !surface_skins(s)[one].shell && !surface_skins(s)[other].shell;
        for (uint32_t k = pair->first; pair->due_now && two && k < pair->first + pair->count; ++k) {
            const sn_surface_candidate *c = &surface_candidates(s)[k];
            uint32_t slot[4];
            sn_dvec3 x[4];
            for (uint32_t n = 0; n < 4; ++n)
                slot[n] = surface_vertices(s)[c->vertex[n]].slot;
            sn_sleep_touch_surfaces(world, slot, (sn_real)nearest_at_start(s, c, x).distance,
                                    sn_surface_reach(world, c), dt);
        }
    }
    return SN_OK;
}

/* 1 + the skin of a particle; 0: it is the centre of a body; SN_SURFACE_NONE: neither. */
static uint32_t side_of(const sn_world *world, const sn_surfaces *s, uint32_t number)
{
    const uint32_t vertex = number < s->index_table.count ? ((const uint32_t *)s->index_table.column[0])[number] : 0;
    if (vertex)
        return 1 + surface_vertices(s)[vertex - 1].skin;
    return world->particles.body[world->ids.value[number]] ? 0 : SN_SURFACE_NONE;
}

/* Marks vertices that a constraint joins to another skin, or to a body. */
static void mark_joined(const sn_world *world, sn_surfaces *s, const uint32_t *number, uint32_t count)
{
    uint32_t side[4 * SN_MAX_POINTS];
    bool differ = false;
    for (uint32_t i = 0; i < count; ++i) {
        side[i] = side_of(world, s, number[i]);
        differ = differ || side[i] != side[0];
    }
    for (uint32_t i = 0; i < count && differ; ++i)
        for (uint32_t k = 0; k < count && side[i] && side[i] != SN_SURFACE_NONE; ++k)
            if (side[k] != side[i] && side[k] != SN_SURFACE_NONE)
                surface_vertices(s)[((const uint32_t *)s->index_table.column[0])[number[i]] - 1].joined = true;
}

/* When constraints have changed: candidates of two skins are listed again, because features that a constraint joins are
   left out. Vertices that were joined become suspect, because their features may have come to intersect. */
static bool follow_joins(sn_world *world, sn_surfaces *s)
{
    if (s->all_skins < 2)
        return true;
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return false;
    if (s->joins == world->constraints.edits + 1)
        return true;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair *pair = &surface_pairs(s)[i];
        pair->listed = pair->listed && surface_tiles(s)[pair->a].skin == surface_tiles(s)[pair->b].skin;
    }
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        sn_surface_vertex *v = &surface_vertices(s)[i];
        surface_motions(s)[i].suspect |= v->joined ? SN_SUSPECT : 0;
        s->some_suspect = s->some_suspect || v->joined;
        v->joined = false;
    }
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; !pool_has_lists(pool) && row < pool->ids.table.count; ++row) {
            uint32_t small[4 * SN_MAX_POINTS], count;
            if (!sn_ids_is_live(&pool->ids, row))
                continue;
            const uint32_t *number = sn_store_particles(&world->constraints, pool, row, small, &count);
            mark_joined(world, s, number, count);
        }
    }
    s->joins = world->constraints.edits + 1;
    return true;
}

/* True if all skins are surfaces, and all particles, except the centres of bodies, are their vertices. */
static bool are_alone(const sn_world *world, const sn_surfaces *s)
{
    const sn_skin_record *skin = world->contact.skin_table.column[0];
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        if (!skin[i].self_collision)
            return false;
    uint32_t others = world->particles.table.count - s->vertex_table.count;
    for (uint32_t slot = 0; others && slot < world->particles.table.count; ++slot)
        others -= world->particles.body[slot] != 0;
    return !others;
}

sn_result sn_surfaces_find(sn_world *world, sn_real dt)
{
    sn_surfaces *s = &world->contacts.surfaces;
    s->on = s->alone = false;
    if (world->dimensions != 3 || !world->contact.skin_ids.live)
        return SN_OK;
    bool changed;
    if (!sn_surface_strands_hold(world, &changed))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces");
    if (changed)
        s->edits = 0;
    if (!sn_surfaces_make(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces");
    s->on = s->skin_table.count > 0;
    if (!s->on)
        return SN_OK;
    if (world->contact.sleep.sleepers || (s->all_skins > 1 && s->joins != world->constraints.edits + 1))
        sn_surface_quiet_leave(s);
    if (!follow_joins(world, s) || !sn_surface_pieces_find(world, s))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces");
    if (!sn_parallel_reserve(&world->parallel, &world->allocator,
                             s->tile_table.count > s->vertex_table.count ? s->tile_table.count : s->vertex_table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces");
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_vertices(s)[i].slot = world->ids.value[surface_vertices(s)[i].number];
    sn_surface_quiet_slots(s);
    s->told_table.count = 0;
    s->ended = false;
    if (!sn_surface_contacts_load(world, s, dt))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces");
    s->alone = are_alone(world, s);
    return world->contact.sleep.sleepers ? wake(world, s, dt) : SN_OK;
}
