/* Lists the features of two tiles that are near each other. surface_pairs.c decides when. The *spare* of two features
   is their distance minus their reach.

   Where tiles move slowly, a list has all pairs of features whose spare is below a share of an edge, and lasts for many
   substeps. Where tiles move so fast that these would be too many, a list is made for one substep. It has what may come
   into contact in it: the boxes around both features and where their velocities lead must overlap, and the two must be
   nearer than their vertices can approach. Vertices may end up to a margin away from where velocities lead: the guard
   lists a pair again only if some corner is farther away. */
#include "contact/particle_contacts.h"
#include "contact/surface_shells.h"

#include "wide/wide.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

/* A list reaches up to AHEAD times the spare that the substep needs, but at least FEW and at most LISTED times the mean
   edge, and always SOME_MORE times what the substep needs. */
#define LISTED     ((sn_real)0.45)
#define FEW        ((sn_real)0.12)
#define AHEAD      ((sn_real)10)
#define SOME_MORE  ((sn_real)1.5)
/* Lists for surface_quiet.c reach 1 + depth times as far as LISTED. After a list with fewer than FEW_FOUND candidates
   the depth is one more, up to DEEPEST; after one with more than MANY_FOUND it is one less. */
#define DEEPEST    4u
#define FEW_FOUND  12u
#define MANY_FOUND 96u
#define BORDER     ((sn_real)0.7)  /* of the mean edge: corners farther from the other tile are not near it */
#define MARGIN     ((sn_real)0.25) /* of the thickness of both: how far ends may be from where velocities lead */
#define STOPPED                                                                                                        \
    ((sn_real)0.05) /* of the reach: the guard stops features that come nearer on their paths; see surface_guard.c */
#define ROUNDED (SINEW_DOUBLE ? (sn_real)4e-15 : (sn_real)2e-6) /* of the size of tiles: rounding of coordinates */
#define TINY                                                                                                           \
    ((sn_real)1e-5) /* m: features of smaller tiles are not filtered on lanes; also added to distances, times size */
#define HUGE_SIZE       ((sn_real)1e5)    /* m: nor are features of larger ones */
#define SMALL           ((sn_real)2.5e-4) /* of the square of their size */
#define FIRST_ROOM      1024u
#define WORK_OF_LISTING 20000.0

typedef struct pairing {
    sn_world *world;
    sn_surfaces *s;
    sn_real h, more; /* s; m: spare that is listed besides */
    sn_surface_sweep sweep;
    atomic_uint used;   /* candidates, of all pairs */
    atomic_uint wanted; /* the largest number of candidates of a pair without room */
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

static bool fail(sn_world *world)
{
    world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
    return false;
}

/* ---- Listing ----------------------------------------------------------------------------------------------------- */

typedef struct listing {
    const sn_world *world;
    const sn_surfaces *s;
    sn_real thickness; /* m: the sum for both */
    sn_real listed;    /* m: features with less spare are listed */
    bool same;         /* both tiles are of one skin */
    bool fast;         /* only what may come into contact in this substep is listed */
    sn_real margin;    /* m: how far ends may be from where velocities lead */
    sn_real far;       /* m: features farther apart are not listed */
    sn_real small;     /* m^2: see wide/nearness.h */
    const sn_wide_near *near;
    const pairing *p;
    sn_surface_candidate *to;
    sn_real *spare;       /* m: of each candidate */
    uint32_t room, found; /* candidates without room are only counted */
    sn_surface_batch batch;
    sn_surface_candidate made[SN_WIDE_COUPLES]; /* the candidates of the batch */
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

/* m: pairs nearer than this are listed. differ: their largest relative speed (m/s), or relative displacement (m). */
static sn_real listed_below(const listing *l, sn_real reach, sn_real differ)
{
    if (!l->fast)
        return reach + l->listed;
    if (l->p->sweep == SN_SURFACE_BY_DISPLACEMENT)
        return larger(differ / SN_SURFACE_FIRM, SN_SURFACE_CLOSE * reach) * SN_SURFACE_LONGER;
    const sn_real displacement = differ * l->p->h * SN_SURFACE_LONGER;
    return larger(reach + 2 * displacement + l->p->more, (displacement + 2 * l->margin) / SN_SURFACE_FIRM) *
           SN_SURFACE_LONGER;
}

/* For fast pairs: removes candidates that are too far apart for any reach. The reach itself takes longer to compute. */
static void compare_batch(listing *l)
{
    sn_surface_batch *b = &l->batch;
    uint32_t kept = 0;
    sn_surface_batch_compare(l->world, b, l->p->sweep == SN_SURFACE_BY_DISPLACEMENT);
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->low[i] > listed_below(l, l->thickness, b->differ[i]))
            continue;
        l->made[kept] = l->made[i];
        b->low[kept] = b->low[i];
        b->inner[kept] = b->inner[i];
        b->differ[kept++] = b->differ[i];
    }
    b->count = kept;
}

/* Lists the candidates of the batch that are near enough. */
static void end_batch(listing *l)
{
    sn_surface_batch *b = &l->batch;
    if (!b->count)
        return;
    sn_surface_batch_measure(l->world, b);
    if (l->fast)
        compare_batch(l);
    sn_surface_batch_reach(l->world, b, l->thickness, l->same);
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_surface_candidate *c = &l->made[i];
        if (b->low[i] > listed_below(l, c->reach, b->differ[i]) || (!l->same && sn_surface_is_joined(l->world, c)))
            continue;
        if (l->found < l->room) {
            c->ends = b->edges && b->inner[i] == 0;
            c->slow = l->fast && b->low[i] - c->reach > (2 * l->p->h * b->differ[i] + l->p->more) * SN_SURFACE_LONGER;
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

/* Features of one sort that are near the other tile, with the rows of numbers that wide/nearness.h reads: coordinates
   of corners. */
typedef struct near_points {
    uint32_t count, number[SN_TILE_CORNERS];
    uint8_t corner[SN_TILE_CORNERS];
} near_points;

typedef struct near_triangles {
    uint32_t count, number[SN_TILE_TRIANGLES];
    sn_real at[9 * SN_TILE_TRIANGLES];
} near_triangles;

typedef struct near_edges {
    uint32_t count, number[3 * SN_TILE_TRIANGLES];
    uint8_t corner[6 * SN_TILE_TRIANGLES];
    sn_real at[18 * SN_TILE_TRIANGLES];
} near_edges;

/* A tile in the frame of the first tile of the pair. */
typedef struct side {
    sn_vec3 corner[SN_TILE_CORNERS];
    uint8_t outside[SN_TILE_CORNERS]; /* bits: the sides of the other tile's box beyond which a corner is */
    sn_bounds box;
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
        to->outside[k] = (uint8_t)((p.x < box->low.x) | (p.x > box->high.x) << 1 | (p.y < box->low.y) << 2 |
                                   (p.y > box->high.y) << 3 | (p.z < box->low.z) << 4 | (p.z > box->high.z) << 5);
    }
}

/* m: the shorter mean edge of both skins. */
static sn_real mean_edge(const sn_surfaces *s, const sn_surface_pair *pair)
{
    return lower(surface_skins(s)[surface_tiles(s)[pair->a].skin].edge,
                 surface_skins(s)[surface_tiles(s)[pair->b].skin].edge);
}

static bool is_beyond(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y || b->low.y > a->high.y ||
           a->low.z > b->high.z || b->low.z > a->high.z;
}

/* Bounds of the paths of a tile's corners, relative to a frame that moves. */
static sn_bounds swept_by(const sn_surface_tile *tile, const sn_bounds *with)
{
    return joint(tile->box, (sn_bounds){vec3_sub(tile->leads.low, with->high), vec3_sub(tile->leads.high, with->low)});
}

/* m: bounds of the mean displacement of four corners, at least one of each tile. Zero with SN_SURFACE_BY_DISPLACEMENT,
   whose boxes are not relative to a moving frame. */
static sn_bounds mean_displacements(const listing *l, const sn_surface_tile *one, const sn_surface_tile *two)
{
    const sn_bounds *a = &one->displacements, *b = &two->displacements;
    const sn_real some = (sn_real)0.25, most = (sn_real)0.75;
    if (l->p->sweep == SN_SURFACE_BY_DISPLACEMENT)
        return (sn_bounds){vec3(0, 0, 0), vec3(0, 0, 0)};
    return joint((sn_bounds){vec3_add(vec3_scale(a->low, some), vec3_scale(b->low, most)),
                             vec3_add(vec3_scale(a->high, some), vec3_scale(b->high, most))},
                 (sn_bounds){vec3_add(vec3_scale(a->low, most), vec3_scale(b->low, some)),
                             vec3_add(vec3_scale(a->high, most), vec3_scale(b->high, some))});
}

/* Writes the coordinates of feature i. */
static void take_feature(const side *from, const uint8_t *local, uint32_t corners, sn_real *at, uint32_t stride,
                         uint32_t i)
{
    for (uint32_t k = 0; k < corners; ++k) {
        const sn_vec3 p = from->corner[local[k]];
        at[3 * k * stride + i] = p.x;
        at[(3 * k + 1) * stride + i] = p.y;
        at[(3 * k + 2) * stride + i] = p.z;
    }
}

/* Fills the rest of the last vector with copies of the last feature. */
static void fill_up(sn_real *at, uint32_t rows, uint32_t stride, uint32_t count)
{
    for (uint32_t row = 0; count && row < rows; ++row)
        for (uint32_t i = count; i % SN_BATCH; ++i)
            at[row * stride + i] = at[row * stride + count - 1];
}

/* Takes the features of a tile that are not beyond one side of a box: that of the other tile, enlarged by the search
   distance. */
static void take_side(side *to, const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint32_t *vertex = (const uint32_t *)s->tile_vertex_table.column[0] + tile->first_vertex;
    const uint32_t *triangle = (const uint32_t *)s->tile_triangle_table.column[0] + tile->first_triangle;
    const uint32_t *edge = (const uint32_t *)s->tile_edge_table.column[0] + tile->first_edge;
    const uint8_t *point = (const uint8_t *)s->tile_vertex_table.column[1] + tile->first_vertex;
    const uint8_t *three = (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)tile->first_triangle;
    const uint8_t *two = (const uint8_t *)s->tile_edge_table.column[1] + 2 * (size_t)tile->first_edge;
    const uint8_t *out = to->outside;
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
            take_feature(to, three, 3, triangles->at, SN_TILE_TRIANGLES, triangles->count);
            triangles->number[triangles->count++] = triangle[i];
        }
    for (uint32_t i = 0; i < tile->edges; ++i, two += 2)
        if (!(out[two[0]] & out[two[1]])) {
            take_feature(to, two, 2, edges->at, 3 * SN_TILE_TRIANGLES, edges->count);
            memcpy(edges->corner + 2 * (size_t)edges->count, two, 2);
            edges->number[edges->count++] = edge[i];
        }
    fill_up(triangles->at, 9, SN_TILE_TRIANGLES, triangles->count);
    fill_up(edges->at, 6, 3 * SN_TILE_TRIANGLES, edges->count);
}

/* ---- Pairs of features ------------------------------------------------------------------------------------------- */

static bool has_vertex(const sn_surface_triangle *triangle, uint32_t vertex)
{
    return triangle->vertex[0] == vertex || triangle->vertex[1] == vertex || triangle->vertex[2] == vertex;
}

static void consider_triangles(listing *l, uint32_t vertex, const uint32_t *triangle, const uint16_t *near,
                               uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t number = triangle[near[k]];
        const sn_surface_triangle *t = &surface_triangles(l->s)[number];
        if (!has_vertex(t, vertex))
            consider(l, (sn_surface_candidate){.vertex = {vertex, t->vertex[0], t->vertex[1], t->vertex[2]},
                                               .one = vertex,
                                               .other = number});
    }
}

/* Vertices of a with triangles of b. */
static void list_vertices(listing *l, const side *a, const side *b)
{
    const sn_wide_features of = {b->triangles.at, SN_TILE_TRIANGLES, b->triangles.count};
    const sn_wide_nearness run = {&of, l->far, l->small};
    uint16_t near[SN_TILE_TRIANGLES];
    l->batch.edges = false;
    for (uint32_t i = 0; i < a->points.count; ++i) {
        const uint32_t found = l->near->triangles(&run, &a->corner[a->points.corner[i]], 0, near);
        consider_triangles(l, a->points.number[i], b->triangles.number, near, found);
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

static void consider_edges(listing *l, uint32_t number, const uint32_t *edge, const uint16_t *near, uint32_t count)
{
    const uint32_t *one = surface_edges(l->s)[number].vertex;
    const bool segment = is_segment(l->s, number);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t other = edge[near[k]], *two = surface_edges(l->s)[other].vertex;
        if (one[0] == two[0] || one[0] == two[1] || one[1] == two[0] || one[1] == two[1])
            continue;
        sn_surface_candidate c = {.vertex = {one[0], one[1], two[0], two[1]},
                                  .one = number,
                                  .other = other,
                                  .edges = true,
                                  .segments = segment || is_segment(l->s, other)};
        if (one[0] > two[0])
            sn_surface_turn(l->s, &c);
        consider(l, c);
    }
}

static void list_edges(listing *l, const side *a, const side *b)
{
    const sn_wide_features of = {b->edges.at, 3 * SN_TILE_TRIANGLES, b->edges.count};
    const sn_wide_nearness run = {&of, l->far, l->small};
    uint16_t near[3 * SN_TILE_TRIANGLES];
    l->batch.edges = true;
    for (uint32_t i = 0; i < a->edges.count; ++i) {
        const uint8_t *corner = a->edges.corner + 2 * (size_t)i;
        const sn_vec3 at[2] = {a->corner[corner[0]], a->corner[corner[1]]};
        const uint32_t found = l->near->edges(&run, at, a == b ? i + 1 : 0, near);
        consider_edges(l, a->edges.number[i], b->edges.number, near, found);
    }
    end_batch(l);
}

/* A bit for each corner of a triangle or segment that is not beyond one side of the box. */
static uint64_t find_border(const side *from, const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint8_t *three = (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)tile->first_triangle;
    const uint8_t *out = from->outside;
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

/* Takes room for candidates: in place, or at the end of the table. False if there is none. */
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

/* m: boxes around paths that come nearer are tested further. Includes the rounding of coordinates relative to the first
   tile. */
static sn_real between_sweeps(const listing *l, const sn_surface_tile *a, const sn_surface_tile *b, sn_real size)
{
    const bool displacements = l->p->sweep == SN_SURFACE_BY_DISPLACEMENT;
    const sn_surface_rigid *one = displacements ? &a->displacement : &a->velocity,
                           *two = displacements ? &b->displacement : &b->velocity;
    const sn_real far = vec3_length(one->mean) + one->spread + vec3_length(two->mean) + two->spread;
    const sn_real stopped = STOPPED * l->thickness + 2 * l->margin;
    return (displacements ? stopped : larger(stopped, l->thickness + l->p->more)) * SN_SURFACE_LONGER *
               SN_SURFACE_LONGER +
           ROUNDED * (vec3_length(a->centre) + size + (displacements ? far : far * l->p->h));
}

/* The features of a tile whose paths come near the other tile. */
typedef struct sweeping {
    sn_wide_sweeps triangles, edges, points;
    const uint32_t *triangle, *edge, *point; /* their numbers */
    sn_real around[6 * (4 * SN_TILE_TRIANGLES + SN_TILE_CORNERS)];
    uint16_t near[4 * SN_TILE_TRIANGLES + SN_TILE_CORNERS], group[4 * SN_TILE_TRIANGLES + SN_TILE_CORNERS];
} sweeping;

static void take_sweeping(sweeping *to, const listing *l, const sn_surface_tile *tile, const sn_bounds *box,
                          const sn_bounds *with)
{
    const sn_surfaces *s = l->s;
    const sn_real four[4][3] = {{box->low.x, box->low.y, box->low.z},
                                {box->high.x, box->high.y, box->high.z},
                                {with->low.x, with->low.y, with->low.z},
                                {with->high.x, with->high.y, with->high.z}};
    const uint32_t count[3] = {tile->triangles, tile->edges, tile->vertices};
    const uint32_t first[3] = {0, SN_TILE_TRIANGLES, 4 * SN_TILE_TRIANGLES};
    sn_wide_sweeps *sort[3] = {&to->triangles, &to->edges, &to->points};
    for (uint32_t i = 0; i < 3; ++i) {
        *sort[i] = (sn_wide_sweeps){.rows = sn_surface_sweeps_of(s, tile, i),
                                    .stride = sn_surface_sweeps_stride(count[i]),
                                    .count = count[i],
                                    .around = to->around + 6 * first[i],
                                    .near = to->near + first[i],
                                    .group = to->group + first[i]};
        l->near->reaching(sort[i], four);
    }
    to->triangle = (const uint32_t *)s->tile_triangle_table.column[0] + tile->first_triangle;
    to->edge = (const uint32_t *)s->tile_edge_table.column[0] + tile->first_edge;
    to->point = (const uint32_t *)s->tile_vertex_table.column[0] + tile->first_vertex;
}

static void list_sweeping_vertices(listing *l, const sweeping *a, const sweeping *b)
{
    uint16_t near[SN_TILE_TRIANGLES];
    l->batch.edges = false;
    for (uint32_t i = 0; i < a->points.near_count; ++i) {
        const uint32_t at = a->points.near[i];
        const uint32_t found = l->near->sweeps(&a->points, at, &b->triangles, l->far, 0, near);
        consider_triangles(l, a->point[at], b->triangle, near, found);
    }
    end_batch(l);
}

static void list_sweeping_edges(listing *l, const sweeping *a, const sweeping *b)
{
    uint16_t near[3 * SN_TILE_TRIANGLES];
    l->batch.edges = true;
    for (uint32_t i = 0; i < a->edges.near_count; ++i) {
        const uint32_t at = a->edges.near[i];
        const uint32_t found = l->near->sweeps(&a->edges, at, &b->edges, l->far, a == b ? at + 1 : 0, near);
        consider_edges(l, a->edge[at], b->edge, near, found);
    }
    end_batch(l);
}

/* Finds features whose paths come near the other tile, then pairs of those. */
static void list_sweeps(listing *l, const sn_surface_pair *pair)
{
    const sn_surface_tile *a = &surface_tiles(l->s)[pair->a], *b = &surface_tiles(l->s)[pair->b];
    const bool alone = pair->a == pair->b;
    const sn_bounds with = mean_displacements(l, a, b),
                    box = grown(swept_by(a, &with), alone ? (sn_real)INFINITY : l->far), other_box = swept_by(b, &with);
    sweeping one, two;
    if (is_beyond(&box, &other_box))
        return;
    const sn_bounds other = grown(other_box, l->far);
    take_sweeping(&one, l, a, alone ? &box : &other, &with);
    if (!alone)
        take_sweeping(&two, l, b, &box, &with);
    list_sweeping_vertices(l, &one, alone ? &one : &two);
    if (!alone)
        list_sweeping_vertices(l, &two, &one);
    list_sweeping_edges(l, &one, alone ? &one : &two);
}

/* Finds the features of both tiles that are near the other one, then pairs of those. */
static void list_features(listing *l, sn_surface_pair *pair, sn_real far)
{
    const sn_surfaces *s = l->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    side one, two;
    take_corners(&one, s, a, a);
    if (pair->a == pair->b) {
        memset(one.outside, 0, sizeof one.outside);
        take_side(&one, s, a);
        list_vertices(l, &one, &one);
        list_edges(l, &one, &one);
        return;
    }
    take_corners(&two, s, b, a);
    const sn_bounds near = grown(one.box, far), other = grown(two.box, far),
                    wide = grown(near, BORDER * mean_edge(s, pair));
    see_outside(&one, a->corners, &other);
    see_outside(&two, b->corners, &wide);
    pair->border = find_border(&two, s, b);
    see_outside(&two, b->corners, &near);
    take_side(&one, s, a);
    take_side(&two, s, b);
    list_vertices(l, &one, &two);
    list_vertices(l, &two, &one);
    list_edges(l, &one, &two);
}

/* True if so much would have to be listed that the list is made for one substep. */
static bool is_fast(const pairing *p, const sn_surface_pair *pair)
{
    const sn_real wanted = SOME_MORE * pair->wanted;
    return wanted > LISTED * mean_edge(p->s, pair) && p->sweep != SN_SURFACE_ALL;
}

/* An empty list, for tiles of smooth cloth. */
static void leave_out(sn_surface_pair *pair)
{
    pair->count = 0;
    pair->fresh = pair->swept = pair->deep = false;
    pair->smooth = true;
    pair->margin = 0;
    pair->moved = pair->turned = 0;
    pair->due = pair->least = pair->waiting = pair->nearest = (sn_real)INFINITY;
    pair->listed = true;
}

/* Lists all pairs of features with less spare than `wanted`, and some more. False: there is no room. */
static bool list_pair(pairing *p, sn_surface_pair *pair, sn_real wanted, uint32_t worker)
{
    const sn_surfaces *s = p->s;
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    const sn_real edge = mean_edge(s, pair);
    if (!is_fast(p, pair) && sn_surface_smooth_apart(s, pair, SOME_MORE * wanted)) {
        leave_out(pair);
        return true;
    }
    listing l = {.world = p->world,
                 .s = s,
                 .thickness = surface_thickness(s, pair),
                 .listed = lower(larger(FEW * edge, AHEAD * wanted), LISTED * edge),
                 .same = a->skin == b->skin,
                 .fast = is_fast(p, pair),
                 .p = p,
                 .to = (sn_surface_candidate *)s->list_table.column[0] + (size_t)worker * s->list_room,
                 .spare = (sn_real *)s->list_table.column[1] + (size_t)worker * s->list_room,
                 .room = s->list_room};
    if (!l.fast && s->quiet.deep && !pair->restless)
        l.listed = LISTED * edge * (sn_real)(1 + pair->depth);
    l.listed = l.fast ? pair->all_wanted : larger(l.listed, SOME_MORE * wanted);
    l.margin = l.fast && p->sweep == SN_SURFACE_BY_VELOCITY ? MARGIN * l.thickness : 0;
    const sn_real size = a->radius + b->radius + vec3_length(vec3_sub(a->centre, b->centre));
    const sn_real far = (l.thickness + l.listed) * SN_SURFACE_LONGER * SN_SURFACE_LONGER + ROUNDED * size;
    l.near = p->world->wide ? p->world->wide->near : &sn_near_scalar;
    l.far = size > TINY && size < HUGE_SIZE ? far * (sn_real)1.01 + TINY * size : (sn_real)INFINITY;
    l.small = SMALL * size * size;
    if (l.fast)
        l.far = between_sweeps(&l, a, b, size);
    pair->border = UINT64_MAX >> (SN_TILE_CORNERS - b->corners);
    if (l.fast)
        list_sweeps(&l, pair);
    else
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
    pair->smooth = false;
    pair->due = (sn_real)INFINITY;
    for (uint32_t i = 0; i < l.found; ++i)
        pair->due = lower(pair->due, l.spare[i]);
    pair->least = pair->due;
    pair->next = l.fast ? 0 : l.listed;
    pair->deep = l.listed >= LISTED * edge;
    if (pair->deep && l.found < FEW_FOUND)
        pair->depth += pair->depth < DEEPEST;
    else if (l.found > MANY_FOUND)
        pair->depth -= pair->depth > 0;
    pair->fresh = p->sweep == SN_SURFACE_BY_VELOCITY;
    pair->swept = l.fast && pair->fresh;
    pair->margin = l.margin;
    pair->others = pair->a == pair->b ? (sn_real)INFINITY : BORDER * edge + l.listed;
    pair->moved = pair->turned = 0;
    pair->waiting = pair->due;
    pair->nearest = (sn_real)INFINITY;
    pair->listed = true;
    return true;
}

/* Moves the candidates of pairs together, without those that belong to no pair, and makes room for `more`. */
static bool close_gaps(sn_world *world, sn_surfaces *s, uint64_t more)
{
    uint64_t total = more;
    for (uint32_t i = 0; i < s->pair_table.count; ++i)
        total += surface_pairs(s)[i].listed ? surface_pairs(s)[i].count : 0;
    total =
        total + total / 4 > s->candidate_table.capacity ? FIRST_ROOM + total + total / 2 : s->candidate_table.capacity;
    s->moved_table.count = 0;
    if (total > SN_MAX_COUNT || !sn_table_reserve(&s->moved_table, &world->allocator, total) ||
        !sn_table_reserve(&s->touch_table, &world->allocator,
                          s->moved_table.capacity) || /* before the table of candidates grows: it has as many entries */
        !sn_table_reserve(&s->candidate_table, &world->allocator, s->moved_table.capacity)) /* the two are swapped */
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

/* Sweeps the tiles of fast pairs, once for all pairs of a tile. */
static bool take_sweeps(const pairing *p)
{
    sn_surfaces *s = p->s;
    bool any = false;
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        surface_tiles(s)[i].sweeps = false;
    for (uint32_t i = 0; i < s->due_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[((const uint32_t *)s->due_table.column[0])[i]];
        if (!is_fast(p, pair))
            continue;
        any = surface_tiles(s)[pair->a].sweeps = surface_tiles(s)[pair->b].sweeps = true;
        if (p->sweep == SN_SURFACE_BY_VELOCITY)
            surface_tiles(s)[pair->a].strays = surface_tiles(s)[pair->b].strays = true;
    }
    return !any || sn_surface_sweeps_take(p->world, p->h, p->sweep);
}

/* Lists the features of all pairs that are due, up to the spare that each wants. */
bool sn_surface_list(sn_world *world, sn_real h, sn_real more_to_spare, sn_surface_sweep sweep)
{
    sn_surfaces *s = &world->contacts.surfaces;
    pairing of = {.world = world, .s = s, .h = h, .more = more_to_spare, .sweep = sweep}, *p = &of;
    const uint32_t count = s->due_table.count, workers = sn_parallel_workers(&world->parallel);
    s->lists += count;
    if (!s->list_room)
        s->list_room = FIRST_ROOM;
    if (!take_sweeps(p) || !sn_surface_smooth_look(world))
        return false;
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
        more = 1 + (uint64_t)used - s->candidate_table.count; /* the room that this round needed */
        s->candidate_table.count = used < s->candidate_table.capacity ? used : s->candidate_table.capacity;
        if (!atomic_load_explicit(&p->full, memory_order_relaxed))
            return true;
        const uint32_t wanted = atomic_load_explicit(&p->wanted, memory_order_relaxed);
        if (wanted > s->list_room)
            s->list_room = wanted + wanted / 2;
    }
}
