/* Lists the features of two tiles that are near each other: see surface_pairs.c, which says when.

   Where tiles move slowly, all that has less to spare than some of an edge is listed, for many substeps. Where they move so fast that this would be much, a list is for one substep. It has what may
   touch in it: boxes around features and where their velocities lead have to touch, and the two have to be nearer than their vertices can come together. Ends may be
   farther from there than velocities say, by a margin: a list is made again for the guard only if some corner is. */
#include "contact/particle_contacts.h"

#include "wide/wide.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

#define LISTED ((sn_real)0.45) /* of the mean edge: what has less to spare is listed */
#define FEW    ((sn_real)0.12) /*   or than this, where things move slowly: */
#define AHEAD  ((sn_real)6)    /* so many times as far as is wanted for the substep */
#define BORDER ((sn_real)0.7)  /* edges: what is farther from the other tile is not near it */
#define MARGIN ((sn_real)0.25) /* of the thickness of both: so far ends may be from where velocities lead */
#define STOPPED                                                                                                        \
    ((sn_real)0.05) /* of the reach: the guard stops what comes as near as this on its way; see surface_guard.c */
#define ROUNDED (SINEW_DOUBLE ? (sn_real)4e-15 : (sn_real)2e-6) /* of the size of tiles: what axes lose */
#define TINY                                                                                                           \
    ((sn_real)1e-5) /* m: tiles that are smaller are measured one feature at a time; and of their size, what is added */
#define HUGE_SIZE       ((sn_real)1e5)    /* m: and so are larger ones */
#define SMALL           ((sn_real)2.5e-4) /* of the square of their size */
#define FIRST_ROOM      1024u
#define WORK_OF_LISTING 20000.0

typedef struct pairing {
    sn_world *world;
    sn_surfaces *s;
    sn_real h, more; /* s; m: that much more is to be listed */
    sn_surface_sweep sweep;
    atomic_uint used;   /* of candidates */
    atomic_uint wanted; /* so many one pair has */
    atomic_bool full;   /* there was no room for some */
} pairing;

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

/* ---- Listing -------------------------------------------------------------------------------------------------------------------- */

typedef struct listing {
    const sn_world *world;
    const sn_surfaces *s;
    sn_real thickness; /* m: of both */
    sn_real listed;    /* m: what has less to spare is listed */
    bool same;         /* skin */
    bool fast;         /* what may touch in this substep is listed, and nothing else */
    sn_real margin;    /* m: ends may be so far from where velocities lead */
    sn_real far;       /* m: what is farther away is not; */
    sn_real small;     /* m^2: see wide/nearness.h */
    const sn_wide_near *near;
    const pairing *p;
    sn_surface_candidate *to;
    sn_real *spare;       /* m */
    uint32_t room, found; /* what finds no room is counted only */
    sn_surface_batch batch;
    sn_surface_candidate made[SN_WIDE_COUPLES]; /* those of the batch */
} listing;

static sn_bounds grown(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

bool sn_surface_is_joined(const sn_world *world, const sn_surface_candidate *c)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_vertex *vertex = surface_vertices(s);
    if (sn_surface_shell_of(s, c->vertex[0]) || sn_surface_shell_of(s, c->vertex[3]))
        return sn_surface_shell_joins(world, c);
    for (uint32_t i = 0; i < (c->edges ? 2u : 1u); ++i)
        for (uint32_t k = c->edges ? 2 : 1; vertex[c->vertex[i]].joined && k < 4; ++k)
            if (vertex[c->vertex[k]].joined &&
                sn_incidence_joins(&world->incidence, &world->constraints, vertex[c->vertex[i]].number,
                                   vertex[c->vertex[k]].number))
                return true;
    return false;
}

/* Boxes around both features and where they go. */
bool sn_surface_sweeps_meet(const sn_surfaces *s, const sn_surface_candidate *c, sn_surface_sweep sweep, sn_real h,
                            sn_real by)
{
    const sn_surface_motion *m = surface_motions(s);
    const uint32_t second = c->edges ? 2 : 1;
    const sn_real far = (sn_real)INFINITY;
    sn_vec3 low[2] = {{far, far, far}, {far, far, far}}, high[2] = {{-far, -far, -far}, {-far, -far, -far}};
    sn_vec3 with = {0, 0, 0};
    if (sweep == SN_SURFACE_ALL)
        return true;
    for (uint32_t k = 0; k < 4 && sweep == SN_SURFACE_BY_VELOCITY; ++k)
        with = vec3_add(with, vec3_scale(m[c->vertex[k]].velocity, (sn_real)0.25));
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_motion *v = &m[c->vertex[k]];
        const sn_vec3 a = v->start,
                      b = sweep == SN_SURFACE_BY_WAY ? v->end : vec3_add(a, vec3_scale(vec3_sub(v->velocity, with), h));
        sn_vec3 *least = &low[k >= second], *most = &high[k >= second];
        *least =
            vec3(lower(least->x, lower(a.x, b.x)), lower(least->y, lower(a.y, b.y)), lower(least->z, lower(a.z, b.z)));
        *most = vec3(larger(most->x, larger(a.x, b.x)), larger(most->y, larger(a.y, b.y)),
                     larger(most->z, larger(a.z, b.z)));
    }
    return low[0].x - by <= high[1].x && low[1].x - by <= high[0].x && low[0].y - by <= high[1].y &&
           low[1].y - by <= high[0].y && low[0].z - by <= high[1].z && low[1].z - by <= high[0].z;
}
/* m: nearer than this a pair of the batch is listed. */
static sn_real listed_below(const listing *l, uint32_t i)
{
    const sn_real reach = l->made[i].reach, differ = l->batch.differ[i];
    if (!l->fast)
        return reach + l->listed;
    if (l->p->sweep == SN_SURFACE_BY_WAY)
        return larger(differ / SN_SURFACE_FIRM, SN_SURFACE_CLOSE * reach) * SN_SURFACE_LONGER;
    const sn_real way = differ * l->p->h * SN_SURFACE_LONGER;
    return larger(reach + 2 * way + l->p->more, (way + 2 * l->margin) / SN_SURFACE_FIRM) * SN_SURFACE_LONGER;
}

/* Lists those of the batch that are near enough. */
static void end_batch(listing *l)
{
    sn_surface_batch *b = &l->batch;
    if (!b->count)
        return;
    sn_surface_batch_measure(l->world, b);
    if (l->fast)
        sn_surface_batch_compare(l->world, b, l->p->sweep == SN_SURFACE_BY_WAY);
    sn_surface_batch_reach(l->world, b, l->thickness, l->same);
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_surface_candidate *c = &l->made[i];
        if (b->low[i] > listed_below(l, i) || (!l->same && sn_surface_is_joined(l->world, c)))
            continue;
        if (l->found < l->room) {
            l->to[l->found] = *c;
            l->spare[l->found] = b->low[i] - c->reach;
        }
        l->found++;
    }
    b->count = 0;
}

static void consider(listing *l, sn_surface_candidate c)
{
    sn_surface_batch *b = &l->batch;
    l->made[b->count] = c;
    b->of[b->count] = &l->made[b->count];
    if (++b->count == SN_WIDE_COUPLES)
        end_batch(l);
}

static sn_bounds joint(sn_bounds a, sn_bounds b)
{
    return (sn_bounds){
        vec3(lower(a.low.x, b.low.x), lower(a.low.y, b.low.y), lower(a.low.z, b.low.z)),
        vec3(larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)),
    };
}

/* Features of one sort that are near the other tile, with the rows of numbers that wide/nearness.h reads: coordinates of corners, or boxes around their ways. */
#define SWEEP_ROWS 15u

typedef struct near_points {
    uint32_t count, number[SN_TILE_CORNERS];
    uint8_t corner[SN_TILE_CORNERS];
} near_points;

typedef struct near_triangles {
    uint32_t count, number[SN_TILE_TRIANGLES];
    sn_real at[SWEEP_ROWS * SN_TILE_TRIANGLES];
} near_triangles;

typedef struct near_edges {
    uint32_t count, number[3 * SN_TILE_TRIANGLES];
    uint8_t corner[6 * SN_TILE_TRIANGLES];
    sn_real at[3 * SWEEP_ROWS * SN_TILE_TRIANGLES];
} near_edges;

/* A tile seen along the axes of the first of the two. */
typedef struct side {
    sn_vec3 corner[SN_TILE_CORNERS];
    uint16_t outside[SN_TILE_CORNERS]; /* bits: beyond which sides of the other tile a corner is, and stays */
    sn_bounds box;
    sn_bounds swept; /* m: along the axes of the world: where its corners go, seen from any four corners of both */
    sn_vec3 start[SN_TILE_CORNERS], end[SN_TILE_CORNERS],
        with[SN_TILE_CORNERS]; /* of fast ones: along the axes of the world; see take_ways */
    near_points points;
    near_triangles triangles;
    near_edges edges;
} side;

static void take_corners(side *to, const sn_surfaces *s, const sn_surface_tile *tile, const sn_surface_tile *frame)
{
    const uint32_t *corner = (const uint32_t *)s->corner_table.column[0] + tile->first_corner;
    const sn_real far = (sn_real)INFINITY;
    to->box = (sn_bounds){{far, far, far}, {-far, -far, -far}};
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_vec3 y = vec3_sub(surface_motions(s)[corner[k]].start, frame->centre);
        const sn_vec3 p = vec3(vec3_dot(frame->axis[0], y), vec3_dot(frame->axis[1], y), vec3_dot(frame->axis[2], y));
        to->corner[k] = p;
        to->box.low = vec3(lower(to->box.low.x, p.x), lower(to->box.low.y, p.y), lower(to->box.low.z, p.z));
        to->box.high = vec3(larger(to->box.high.x, p.x), larger(to->box.high.y, p.y), larger(to->box.high.z, p.z));
    }
}

static void see_outside(side *to, uint32_t corners, const sn_bounds *box)
{
    for (uint32_t k = 0; k < corners; ++k) {
        const sn_vec3 p = to->corner[k];
        to->outside[k] = (uint16_t)((p.x < box->low.x) | (p.x > box->high.x) << 1 | (p.y < box->low.y) << 2 |
                                    (p.y > box->high.y) << 3 | (p.z < box->low.z) << 4 | (p.z > box->high.z) << 5);
    }
}

/* Where corners of a tile go, seen from the first tile: see sn_surface_sweeps_meet. `with` is what a corner adds to the way that the mean of four makes. */
static void take_ways(side *to, const listing *l, const sn_surface_tile *tile, const sn_surface_tile *frame)
{
    const uint32_t *corner = (const uint32_t *)l->s->corner_table.column[0] + tile->first_corner;
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_surface_motion *m = &surface_motions(l->s)[corner[k]];
        const sn_vec3 way = vec3_scale(m->velocity, l->p->h);
        to->start[k] = vec3_sub(m->start, frame->centre);
        to->end[k] = l->p->sweep == SN_SURFACE_BY_WAY ? vec3_sub(m->end, frame->centre) : vec3_add(to->start[k], way);
        to->with[k] = vec3_scale(way, l->p->sweep == SN_SURFACE_BY_WAY ? 0 : (sn_real)0.25);
    }
}

/* Where things go that start in a box, seen from something else. */
static sn_bounds swept_by(sn_bounds box, const sn_bounds *way, const sn_bounds *with)
{
    const sn_vec3 low = vec3_sub(way->low, with->high), high = vec3_sub(way->high, with->low);
    return (sn_bounds){
        vec3_add(box.low, vec3(lower(low.x, 0), lower(low.y, 0), lower(low.z, 0))),
        vec3_add(box.high, vec3(larger(high.x, 0), larger(high.y, 0), larger(high.z, 0))),
    };
}

/* m: how four corners of two tiles, one at least of each, go on the mean, if their ways are within these. None by ends: boxes around these are seen from where they are. */
static sn_bounds mean_ways(const listing *l, const sn_bounds *a, const sn_bounds *b)
{
    const sn_real some = (sn_real)0.25, most = (sn_real)0.75;
    if (l->p->sweep == SN_SURFACE_BY_WAY)
        return (sn_bounds){vec3(0, 0, 0), vec3(0, 0, 0)};
    const sn_vec3 low = vec3_add(vec3_scale(a->low, some), vec3_scale(b->low, most)),
                  other_low = vec3_add(vec3_scale(a->low, most), vec3_scale(b->low, some)),
                  high = vec3_add(vec3_scale(a->high, some), vec3_scale(b->high, most)),
                  other_high = vec3_add(vec3_scale(a->high, most), vec3_scale(b->high, some));
    return (sn_bounds){
        vec3(lower(low.x, other_low.x), lower(low.y, other_low.y), lower(low.z, other_low.z)),
        vec3(larger(high.x, other_high.x), larger(high.y, other_high.y), larger(high.z, other_high.z)),
    };
}

static sn_bounds ways_of(const listing *l, const sn_surface_tile *tile)
{
    const sn_real h = l->p->h;
    return (sn_bounds){vec3_scale(tile->velocities.low, h), vec3_scale(tile->velocities.high, h)};
}

static bool is_beyond(const sn_bounds *a, const sn_bounds *b, sn_real far)
{
    return a->low.x > b->high.x + far || b->low.x > a->high.x + far || a->low.y > b->high.y + far ||
           b->low.y > a->high.y + far || a->low.z > b->high.z + far || b->low.z > a->high.z + far;
}

/* Whether boxes around the ways of some features of the two may touch. */
static bool tiles_meet(const listing *l, const sn_surface_tile *a, const sn_surface_tile *b)
{
    if (l->p->sweep == SN_SURFACE_BY_WAY) {
        const sn_bounds one = joint(a->box, a->ends), two = joint(b->box, b->ends);
        return !is_beyond(&one, &two, l->far);
    }
    const sn_bounds way = ways_of(l, a), other = ways_of(l, b), with = mean_ways(l, &way, &other);
    const sn_bounds one = swept_by(a->box, &way, &with), two = swept_by(b->box, &other, &with);
    return !is_beyond(&one, &two, l->far);
}

/* The box around the way of corner k. */
static sn_bounds sweep_of_corner(const side *of, uint32_t k, const sn_bounds *with)
{
    const sn_vec3 way = vec3_sub(of->end[k], of->start[k]);
    return swept_by((sn_bounds){of->start[k], of->start[k]}, &(sn_bounds){way, way}, with);
}

static void see_swept(side *to, uint32_t corners, const sn_bounds *with)
{
    const sn_real far = (sn_real)INFINITY;
    to->swept = (sn_bounds){{far, far, far}, {-far, -far, -far}};
    for (uint32_t k = 0; k < corners; ++k)
        to->swept = joint(to->swept, sweep_of_corner(to, k, with));
}

/* Marks corners that stay beyond where the other tile goes. */
static void see_beyond(side *to, uint32_t corners, const sn_bounds *with, const sn_bounds *other)
{
    for (uint32_t k = 0; k < corners; ++k) {
        const sn_bounds p = sweep_of_corner(to, k, with);
        to->outside[k] |= (uint16_t)((p.high.x < other->low.x) << 6 | (p.low.x > other->high.x) << 7 |
                                     (p.high.y < other->low.y) << 8 | (p.low.y > other->high.y) << 9 |
                                     (p.high.z < other->low.z) << 10 | (p.low.z > other->high.z) << 11);
    }
}

/* Two different tiles that go far. */
static void see_ways(const listing *l, side *one, const sn_surface_tile *a, side *two, const sn_surface_tile *b)
{
    const sn_bounds way = ways_of(l, a), other = ways_of(l, b), with = mean_ways(l, &way, &other);
    see_swept(one, a->corners, &with);
    see_swept(two, b->corners, &with);
    const sn_bounds near = grown(one->swept, l->far), near_two = grown(two->swept, l->far);
    see_beyond(one, a->corners, &with, &near_two);
    see_beyond(two, b->corners, &with, &near);
}

/* The five vectors of a feature that near_sweeps compares. */
static void sweep_of(const side *from, const uint8_t *local, uint32_t corners, sn_vec3 five[5])
{
    five[0] = five[1] = from->start[local[0]];
    five[2] = five[3] = from->end[local[0]];
    five[4] = from->with[local[0]];
    for (uint32_t k = 1; k < corners; ++k) {
        const sn_vec3 a = from->start[local[k]], b = from->end[local[k]];
        five[0] = vec3(lower(five[0].x, a.x), lower(five[0].y, a.y), lower(five[0].z, a.z));
        five[1] = vec3(larger(five[1].x, a.x), larger(five[1].y, a.y), larger(five[1].z, a.z));
        five[2] = vec3(lower(five[2].x, b.x), lower(five[2].y, b.y), lower(five[2].z, b.z));
        five[3] = vec3(larger(five[3].x, b.x), larger(five[3].y, b.y), larger(five[3].z, b.z));
        five[4] = vec3_add(five[4], from->with[local[k]]);
    }
}

/* The numbers of feature i. */
static void take_feature(const side *from, const uint8_t *local, uint32_t corners, bool fast, sn_real *at,
                         uint32_t stride, uint32_t i)
{
    sn_vec3 row[5];
    for (uint32_t k = 0; k < corners; ++k)
        row[k] = from->corner[local[k]];
    if (fast)
        sweep_of(from, local, corners, row);
    for (uint32_t k = 0; k < (fast ? 5 : corners); ++k) {
        at[(fast ? k : 3 * k) * stride + i] = row[k].x;
        at[(fast ? 5 + k : 3 * k + 1) * stride + i] = row[k].y;
        at[(fast ? 10 + k : 3 * k + 2) * stride + i] = row[k].z;
    }
}

/* What is read behind the last feature is there: like the last. */
static void fill_up(sn_real *at, uint32_t rows, uint32_t stride, uint32_t count)
{
    for (uint32_t row = 0; count && row < rows; ++row)
        for (uint32_t i = count; i % SN_BATCH; ++i)
            at[row * stride + i] = at[row * stride + count - 1];
}

/* The features of a tile that are not beyond one side of the box, which is that of the other tile, larger by as far as is looked. */
static void take_side(side *to, const listing *l, const sn_surface_tile *tile)
{
    const sn_surfaces *s = l->s;
    const uint32_t *vertex = (const uint32_t *)s->tile_vertex_table.column[0] + tile->first_vertex;
    const uint32_t *triangle = (const uint32_t *)s->tile_triangle_table.column[0] + tile->first_triangle;
    const uint32_t *edge = (const uint32_t *)s->tile_edge_table.column[0] + tile->first_edge;
    const uint8_t *point = (const uint8_t *)s->tile_vertex_table.column[1] + tile->first_vertex;
    const uint8_t *three = (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)tile->first_triangle;
    const uint8_t *two = (const uint8_t *)s->tile_edge_table.column[1] + 2 * (size_t)tile->first_edge;
    const uint16_t *out = to->outside;
    near_points *points = &to->points;
    near_triangles *triangles = &to->triangles;
    near_edges *edges = &to->edges;
    points->count = triangles->count = edges->count = 0;
    for (uint32_t i = 0; i < tile->vertices; ++i)
        if (!out[point[i]]) {
            points->corner[points->count] = point[i];
            points->number[points->count++] = vertex[i];
        }
    for (uint32_t i = 0; i < tile->triangles; ++i, three += 3)
        if (!(out[three[0]] & out[three[1]] & out[three[2]])) {
            take_feature(to, three, 3, l->fast, triangles->at, SN_TILE_TRIANGLES, triangles->count);
            triangles->number[triangles->count++] = triangle[i];
        }
    for (uint32_t i = 0; i < tile->edges; ++i, two += 2)
        if (!(out[two[0]] & out[two[1]])) {
            take_feature(to, two, 2, l->fast, edges->at, 3 * SN_TILE_TRIANGLES, edges->count);
            memcpy(edges->corner + 2 * (size_t)edges->count, two, 2);
            edges->number[edges->count++] = edge[i];
        }
    fill_up(triangles->at, l->fast ? SWEEP_ROWS : 9, SN_TILE_TRIANGLES, triangles->count);
    fill_up(edges->at, l->fast ? SWEEP_ROWS : 6, 3 * SN_TILE_TRIANGLES, edges->count);
}

static bool has_vertex(const sn_surface_triangle *triangle, uint32_t vertex)
{
    return triangle->vertex[0] == vertex || triangle->vertex[1] == vertex || triangle->vertex[2] == vertex;
}

/* Vertices of a with triangles of b. */
static void list_vertices(listing *l, const side *a, const side *b)
{
    const sn_wide_features of = {b->triangles.at, SN_TILE_TRIANGLES, b->triangles.count};
    const sn_wide_nearness run = {&of, l->far, l->small};
    uint16_t near[SN_TILE_TRIANGLES];
    l->batch.edges = false;
    for (uint32_t i = 0; i < a->points.count; ++i) {
        const uint32_t vertex = a->points.number[i];
        sn_vec3 five[5] = {a->corner[a->points.corner[i]]};
        if (l->fast)
            sweep_of(a, &a->points.corner[i], 1, five);
        const uint32_t found = (l->fast ? l->near->sweeps : l->near->triangles)(&run, five, 0, near);
        for (uint32_t k = 0; k < found; ++k) {
            const uint32_t number = b->triangles.number[near[k]];
            const sn_surface_triangle *t = &surface_triangles(l->s)[number];
            if (!has_vertex(t, vertex))
                consider(l, (sn_surface_candidate){.vertex = {vertex, t->vertex[0], t->vertex[1], t->vertex[2]},
                                                   .one = vertex,
                                                   .other = number});
        }
    }
    end_batch(l);
}

static bool is_segment(const sn_surfaces *s, uint32_t edge)
{
    return surface_edges(s)[edge].triangle == SN_SURFACE_NONE;
}

void sn_surface_turn(const sn_surfaces *s, sn_surface_candidate *c)
{
    const uint32_t one = c->one;
    c->one = c->other;
    c->other = one;
    memcpy(c->vertex, surface_edges(s)[c->one].vertex, 2 * sizeof *c->vertex);
    memcpy(c->vertex + 2, surface_edges(s)[c->other].vertex, 2 * sizeof *c->vertex);
}

static void list_edges(listing *l, const side *a, const side *b)
{
    const sn_wide_features of = {b->edges.at, 3 * SN_TILE_TRIANGLES, b->edges.count};
    const sn_wide_nearness run = {&of, l->far, l->small};
    uint16_t near[3 * SN_TILE_TRIANGLES];
    l->batch.edges = true;
    for (uint32_t i = 0; i < a->edges.count; ++i) {
        const uint8_t *corner = a->edges.corner + 2 * (size_t)i;
        sn_vec3 five[5] = {a->corner[corner[0]], a->corner[corner[1]]};
        if (l->fast)
            sweep_of(a, corner, 2, five);
        const uint32_t number = a->edges.number[i], *one = surface_edges(l->s)[number].vertex;
        const uint32_t found = (l->fast ? l->near->sweeps : l->near->edges)(&run, five, a == b ? i + 1 : 0, near);
        for (uint32_t k = 0; k < found; ++k) {
            const uint32_t other = b->edges.number[near[k]], *two = surface_edges(l->s)[other].vertex;
            if (one[0] == two[0] || one[0] == two[1] || one[1] == two[0] || one[1] == two[1])
                continue;
            sn_surface_candidate c = {.vertex = {one[0], one[1], two[0], two[1]},
                                      .one = number,
                                      .other = other,
                                      .edges = true,
                                      .segments = is_segment(l->s, number) || is_segment(l->s, other)};
            if (l->s->torn && number > other)
                sn_surface_turn(l->s, &c);
            consider(l, c);
        }
    }
    end_batch(l);
}

/* Corners of triangles and segments that are not beyond one side of the box. */
static uint64_t find_border(const side *from, const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint8_t *three = (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)tile->first_triangle;
    const uint16_t *out = from->outside;
    uint64_t border = 0;
    for (uint32_t i = 0; i < tile->triangles; ++i, three += 3)
        if (!(out[three[0]] & out[three[1]] & out[three[2]]))
            border |= UINT64_C(1) << three[0] | UINT64_C(1) << three[1] | UINT64_C(1) << three[2];
    if (tile->triangles)
        return border;
    if (!tile->edges) /* a point */
        return out[0] ? 0 : 1;
    const uint8_t *two = (const uint8_t *)s->tile_edge_table.column[1] + 2 * (size_t)tile->first_edge;
    for (uint32_t i = 0; i < tile->edges; ++i, two += 2)
        if (!(out[two[0]] & out[two[1]]))
            border |= UINT64_C(1) << two[0] | UINT64_C(1) << two[1];
    return border;
}

/* Takes room for what was found, there or where there is more. */
static bool take_room(pairing *p, sn_surface_pair *pair, uint32_t wanted)
{
    if (wanted <= pair->room)
        return true;
    const uint32_t room = wanted + wanted / 4 + 4;
    const uint32_t first = atomic_fetch_add_explicit(&p->used, room, memory_order_relaxed);
    if (first > p->s->candidate_table.capacity || room > p->s->candidate_table.capacity - first)
        return false;
    pair->first = first;
    pair->room = room;
    return true;
}

/* m: boxes around ways that come as near as this are looked at. With what numbers lose that are seen from the first tile. */
static sn_real between_sweeps(const listing *l, const sn_surface_tile *a, const sn_surface_tile *b, sn_real size)
{
    const bool ways = l->p->sweep == SN_SURFACE_BY_WAY;
    const sn_surface_rigid *one = ways ? &a->way : &a->velocity, *two = ways ? &b->way : &b->velocity;
    const sn_real far = vec3_length(one->mean) + one->spread + vec3_length(two->mean) + two->spread;
    const sn_real stopped = STOPPED * l->thickness + 2 * l->margin;
    return (ways ? stopped : larger(stopped, l->thickness + l->p->more)) * SN_SURFACE_LONGER * SN_SURFACE_LONGER +
           ROUNDED * (vec3_length(a->centre) + size + (ways ? far : far * l->p->h));
}

/* The features of both that are not beyond each other; then pairs of those. */
static void list_features(listing *l, sn_surface_pair *pair, sn_real far)
{
    const sn_surfaces *s = l->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    const sn_real edge = lower(surface_skins(s)[a->skin].edge, surface_skins(s)[b->skin].edge);
    side one, two;
    take_corners(&one, s, a, a);
    if (l->fast)
        take_ways(&one, l, a, a);
    if (pair->a == pair->b) {
        memset(one.outside, 0, sizeof one.outside);
        take_side(&one, l, a);
        list_vertices(l, &one, &one);
        list_edges(l, &one, &one);
        return;
    }
    take_corners(&two, s, b, a);
    const sn_bounds near = grown(one.box, far), other = grown(two.box, far), wide = grown(near, BORDER * edge);
    see_outside(&one, a->corners, &other);
    see_outside(&two, b->corners, &wide);
    pair->border = find_border(&two, s, b);
    see_outside(&two, b->corners, &near);
    if (l->fast) {
        take_ways(&two, l, b, a);
        see_ways(l, &one, a, &two, b);
    }
    take_side(&one, l, a);
    take_side(&two, l, b);
    list_vertices(l, &one, &two);
    list_vertices(l, &two, &one);
    list_edges(l, &one, &two);
}

/* All that has less than `wanted` to spare, and some more. False: there is no room. */
static bool list_pair(pairing *p, sn_surface_pair *pair, sn_real wanted, uint32_t worker)
{
    const sn_surfaces *s = p->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    const sn_real edge = lower(surface_skins(s)[a->skin].edge, surface_skins(s)[b->skin].edge);
    listing l = {.world = p->world,
                 .s = s,
                 .thickness = surface_thickness(s, pair),
                 .listed = lower(larger(FEW * edge, AHEAD * wanted), LISTED * edge),
                 .same = a->skin == b->skin,
                 .p = p,
                 .to = (sn_surface_candidate *)s->list_table.column[0] + (size_t)worker * s->list_room,
                 .spare = (sn_real *)s->list_table.column[1] + (size_t)worker * s->list_room,
                 .room = s->list_room};
    l.listed = larger(l.listed, (sn_real)1.5 * wanted);
    l.fast = l.listed > LISTED * edge && p->sweep != SN_SURFACE_ALL;
    l.listed = l.fast ? pair->all_wanted : l.listed;
    l.margin = l.fast && p->sweep == SN_SURFACE_BY_VELOCITY ? MARGIN * l.thickness : 0;
    const sn_real size = a->radius + b->radius + vec3_length(vec3_sub(a->centre, b->centre));
    const sn_real far = (l.thickness + l.listed) * SN_SURFACE_LONGER * SN_SURFACE_LONGER + ROUNDED * size;
    l.near = p->world->wide ? p->world->wide->near : &sn_near_scalar;
    l.far = size > TINY && size < HUGE_SIZE ? far * (sn_real)1.01 + TINY * size : (sn_real)INFINITY;
    l.small = SMALL * size * size;
    if (l.fast)
        l.far = between_sweeps(&l, a, b, size);
    pair->border = UINT64_MAX >> (SN_TILE_CORNERS - b->corners);
    if (!l.fast || pair->a == pair->b || tiles_meet(&l, a, b))
        list_features(&l, pair, far);
    if (l.found > l.room) {
        unsigned known = atomic_load_explicit(&p->wanted, memory_order_relaxed);
        while (known < l.found && !atomic_compare_exchange_weak_explicit(&p->wanted, &known, l.found,
                                                                         memory_order_relaxed, memory_order_relaxed)) {
        }
        return false;
    }
    if (!take_room(p, pair, l.found))
        return false;
    if (l.found) {
        memcpy(surface_candidates(s) + pair->first, l.to, l.found * sizeof *l.to);
        memcpy(surface_spares(s) + pair->first, l.spare, l.found * sizeof *l.spare);
    }
    pair->count = l.found;
    pair->due = (sn_real)INFINITY;
    for (uint32_t i = 0; i < l.found; ++i)
        pair->due = lower(pair->due, l.spare[i]);
    pair->next = l.fast ? 0 : l.listed;
    pair->swept = l.fast && p->sweep == SN_SURFACE_BY_VELOCITY;
    pair->margin = l.margin;
    pair->others = pair->a == pair->b ? (sn_real)INFINITY : BORDER * edge + l.listed;
    pair->moved = pair->turned = 0;
    pair->waiting = pair->due;
    pair->nearest = (sn_real)INFINITY;
    pair->listed = true;
    return true;
}

/* Puts candidates of pairs where they lie one after the other, without what belongs to none. */
static bool close_gaps(sn_world *world, sn_surfaces *s, uint64_t more)
{
    uint64_t total = more;
    for (uint32_t i = 0; i < s->pair_table.count; ++i)
        total += surface_pairs(s)[i].listed ? surface_pairs(s)[i].count : 0;
    total =
        total + total / 4 > s->candidate_table.capacity ? FIRST_ROOM + total + total / 2 : s->candidate_table.capacity;
    s->moved_table.count = 0;
    if (total > SN_MAX_COUNT || !sn_table_reserve(&s->moved_table, &world->allocator, total) ||
        !sn_table_reserve(&s->candidate_table, &world->allocator, s->moved_table.capacity) || /* the two take turns */
        !sn_table_reserve(&s->touch_table, &world->allocator, s->moved_table.capacity))
        return false;
    sn_surface_candidate *to = s->moved_table.column[0];
    sn_real *spare = s->moved_table.column[1];
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        sn_surface_pair *pair = &surface_pairs(s)[i];
        pair->room = pair->count = pair->listed ? pair->count : 0;
        if (pair->count) {
            memcpy(to + at, surface_candidates(s) + pair->first, pair->count * sizeof *to);
            memcpy(spare + at, surface_spares(s) + pair->first, pair->count * sizeof *spare);
        }
        pair->first = at;
        at += pair->count;
    }
    const sn_table moved = s->moved_table;
    s->moved_table = s->candidate_table;
    s->candidate_table = moved;
    s->candidate_table.count = at;
    return true;
}

static void list_task(void *data, uint32_t index, uint32_t worker)
{
    pairing *p = data;
    sn_surface_pair *pair = &surface_pairs(p->s)[((const uint32_t *)p->s->due_table.column[0])[index]];
    if (pair->asked && list_pair(p, pair, pair->wanted, worker))
        pair->asked = false;
    else if (pair->asked)
        atomic_store_explicit(&p->full, true, memory_order_relaxed);
}

static bool fail(sn_world *world)
{
    world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
    return false;
}

/* Lists the features of all pairs that are due, with what each wants. */
bool sn_surface_list(sn_world *world, sn_real h, sn_real more_to_spare, sn_surface_sweep sweep)
{
    sn_surfaces *s = &world->contacts.surfaces;
    pairing of = {.world = world, .s = s, .h = h, .more = more_to_spare, .sweep = sweep}, *p = &of;
    const uint32_t count = s->due_table.count, workers = sn_parallel_workers(&world->parallel);
    s->lists += count;
    if (!s->list_room)
        s->list_room = FIRST_ROOM;
    for (uint64_t more = 0;;) {
        if (!sn_table_reserve(&s->list_table, &world->allocator, (uint64_t)workers * s->list_room) ||
            !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, count))
            return fail(world);
        if (more && !close_gaps(world, s, more))
            return fail(world);
        atomic_store_explicit(&p->used, s->candidate_table.count, memory_order_relaxed);
        atomic_store_explicit(&p->wanted, 0, memory_order_relaxed);
        atomic_store_explicit(&p->full, false, memory_order_relaxed);
        if (!sn_parallel_tasks(sn_parallel_wants(&world->parallel, count * WORK_OF_LISTING) ? &world->parallel : NULL,
                               count, list_task, p))
            return false;
        const uint32_t used = atomic_load_explicit(&p->used, memory_order_relaxed);
        more = 1 + (uint64_t)used - s->candidate_table.count; /* all that this round asked for */
        s->candidate_table.count = used < s->candidate_table.capacity ? used : s->candidate_table.capacity;
        if (!atomic_load_explicit(&p->full, memory_order_relaxed))
            return true;
        const uint32_t wanted = atomic_load_explicit(&p->wanted, memory_order_relaxed);
        if (wanted > s->list_room)
            s->list_room = wanted + wanted / 2;
    }
}
