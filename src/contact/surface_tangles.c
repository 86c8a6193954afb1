/* Tangles: surfaces that already intersect are pulled apart: those that begin so, those that were set to another
   position, and those that kinematic particles have driven through each other.

   Such surfaces cross along a contour. Wherever the contour passes from one triangle to the next, an edge of one
   surface passes through a triangle of the other. Let e be the direction of the edge, n the normal of the triangle,
   and r_i unit vectors from that point along the contour into the triangles on both sides of the edge. An edge that
   moves by d relative to the triangle moves the point by d - (d n) / (e n) e, and the contour becomes shorter by the
   sum of r_i times that. So it shrinks fastest along

       g = r - (e r) / (e n) n,    r = r_1 + r_2

   (Volino and Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization"; the
   other end of each piece of contour counts for itself). This draws out corners and lets closed contours shrink, but
   gives no direction where a contour is straight and runs from border to border. Such a contour cuts the surface of
   the edge in two parts. Then the smaller part is to come back: the edge moves along n, to the side of its end in the
   larger part. (Parts are found by flood fill; Baraff, Witkin and Kass 2003, "Untangling cloth".) A rope has no
   contour, and always goes that way. Two features that cross move apart in that direction, in proportion to their
   inverse masses, at SPEED at most.

   Vertices near a contour are marked, and those of a rope near its crossing, along the rope. Two features that both
   have marked vertices make no contact, and the guard does not stop them: they must pass through each other to come
   apart. All others are treated as always. Crossings with the shell of a body are marked apart from crossings with a
   skin: a sheet that a body pierces must not pass through itself beside it. (It did, where a rod lay on a sheet, at 3
   substeps.) Once no edge passes through a triangle, nothing is marked.

   Surfaces that were apart stay apart, and are not checked again. Checked are: edges and triangles with a vertex that
   is new or not where the substep before ended, against everything; those that the guard let pass each other, which
   both have tangled vertices; and everything, where the guard was overruled, skins were edited or callbacks decide.
   Exact predicates decide whether something crosses, so the result depends on the state alone. */
#include "contact/callbacks.h"
#include "contact/particle_contacts.h"

#include "collision/predicates.h"
#include "base/sets.h"
#include "base/sort.h"
#include "world/world.h"

#include <string.h>

#define SPEED ((sn_real)1)   /* m/s: largest velocity at which two features are pulled apart */
#define SHORT ((sn_real)0.1) /* of an edge: largest displacement by that in a substep */
#define FIRM  0.1            /* of its length: an edge that is longer than in the rest shape by that is pulled less, */
#define LONG  0.3            /*   and one that is longer by this is not pulled */
#define SOFT  0.3            /* shorter gradients are followed more slowly */
#define FLAT  1e-6           /* sine of an angle: below it, an edge counts as in the plane of a triangle */

/* Bits of sn_surface_motion.tangled: both crossing features are of skins; or one is of a shell. */
enum { IN_SKIN = 1, IN_SHELL = 2 };

static uint8_t bit_of(const sn_surfaces *s, const uint32_t *vertex, uint32_t count)
{
    bool shell = false;
    for (uint32_t k = 0; k < count; ++k)
        shell = shell || vertex[k] >= s->vertex_table.count;
    return shell ? IN_SHELL : IN_SKIN;
}

static void take(const sn_surfaces *s, uint32_t vertex, double place[3])
{
    const sn_vec3 x = surface_motions(s)[vertex].start;
    place[0] = (double)x.x, place[1] = (double)x.y, place[2] = (double)x.z;
}

static sn_dvec3 start_of(const sn_surfaces *s, uint32_t vertex)
{
    return dvec3_from(surface_motions(s)[vertex].start);
}

/* True if they cross: a test of boxes, then an exact one. */
static bool crosses(const sn_surfaces *s, const sn_surface_edge *e, const sn_surface_triangle *t)
{
    double p[2][3], q[3][3];
    for (uint32_t i = 0; i < 2; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            if (e->vertex[i] == t->vertex[k])
                return false;
    for (uint32_t i = 0; i < 2; ++i)
        take(s, e->vertex[i], p[i]);
    for (uint32_t k = 0; k < 3; ++k)
        take(s, t->vertex[k], q[k]);
    for (uint32_t axis = 0; axis < 3; ++axis)
        if (fmax(p[0][axis], p[1][axis]) < fmin(fmin(q[0][axis], q[1][axis]), q[2][axis]) ||
            fmin(p[0][axis], p[1][axis]) > fmax(fmax(q[0][axis], q[1][axis]), q[2][axis]))
            return false;
    return sn_segment_intersects_triangle(p[0], p[1], q[0], q[1], q[2]);
}

static double volume(sn_dvec3 a, sn_dvec3 b, sn_dvec3 c, sn_dvec3 d)
{
    return dvec3_dot(dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a)), dvec3_sub(d, a));
}

/* Weights of the crossing point: of the ends of the edge and, negative, of the corners of the triangle. */
static void weigh(const sn_dvec3 x[5], double weight[5])
{
    const double a = volume(x[2], x[3], x[4], x[0]), b = volume(x[2], x[3], x[4], x[1]);
    const double t = a != b ? fmin(fmax(a / (a - b), 0), 1) : 0.5;
    double share[3], sum = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        share[k] = fabs(volume(x[0], x[1], x[2 + (k + 1) % 3], x[2 + (k + 2) % 3]));
        sum += share[k];
    }
    weight[0] = 1 - t;
    weight[1] = t;
    for (uint32_t k = 0; k < 3; ++k)
        weight[2 + k] = sum > 0 ? -share[k] / sum : -1.0 / 3;
}

/* The direction in which the edge is to move relative to the triangle, of length 1 at most. The contour becomes
   shorter by it. */
static sn_dvec3 direction_out(const sn_surfaces *s, const sn_surface_edge *e, const sn_dvec3 x[5])
{
    const sn_dvec3 along = dvec3_sub(x[1], x[0]), n = dvec3_cross(dvec3_sub(x[3], x[2]), dvec3_sub(x[4], x[2]));
    const double length = dvec3_length(along), area = dvec3_length(n);
    const double across = length > 0 && area > 0 ? dvec3_dot(along, n) / (length * area) : 0;
    sn_dvec3 r = {0, 0, 0};
    for (uint32_t k = 0; k < 2 && e->across[k] != SN_SURFACE_NONE; ++k) {
        const sn_dvec3 in = dvec3_sub(start_of(s, e->across[k]), x[0]);
        const sn_dvec3 line =
            dvec3_cross(n, dvec3_cross(along, in)); /* the direction of the line that both planes share */
        const double size = dvec3_length(line), square = dvec3_dot(along, along);
        if (!(size > 0) || !(square > 0))
            continue;
        const sn_dvec3 inward = dvec3_sub(in, dvec3_scale(along, dvec3_dot(in, along) / square));
        r = dvec3_add(r, dvec3_scale(line, (dvec3_dot(line, inward) < 0 ? -1 : 1) / size));
    }
    if (!(fabs(across) > FLAT))
        return dvec3(0, 0, 0);
    const sn_dvec3 out = dvec3_sub(r, dvec3_scale(n, dvec3_dot(along, r) / (length * area * across)));
    return dvec3_scale(out, 1 / (dvec3_length(out) + SOFT));
}

typedef struct searching {
    sn_world *world;
    sn_surfaces *s;
} searching;

/* True if a crossing is allowed: a constraint joins the two, or callbacks let them pass. */
static bool is_let(const searching *f, const sn_surface_edge *e, const sn_surface_triangle *t, const double weight[5])
{
    sn_surface_candidate c = {.one = e->vertex[weight[1] > weight[0]],
                              .other = (uint32_t)(t - surface_triangles(f->s)),
                              .reach = surface_skins(f->s)[t->skin].thickness};
    sn_real share[4] = {1};
    bool acts = true;
    memcpy(c.vertex + 1, t->vertex, sizeof t->vertex);
    for (uint32_t k = 0; k < 2; ++k) {
        c.vertex[0] = e->vertex[k];
        if (surface_vertices(f->s)[c.vertex[0]].skin != t->skin && sn_surface_is_joined(f->world, &c))
            return true;
    }
    if (!sn_callbacks_any(f->world))
        return false;
    c.vertex[0] = c.one;
    for (uint32_t k = 0; k < 3; ++k)
        share[1 + k] = (sn_real)weight[2 + k];
    sn_surface_contact contact = sn_surface_contact_make(f->world, &c, share, vec3(0, 1, 0));
    f->world->contacts.failed = sn_callbacks_surface(f->world, &contact, &acts);
    return !acts;
}

/* For a rope through a sheet, marks also vertices along the rope that are so near to the sheet that contact would push
   them back. */
static void mark_rope(sn_surfaces *s, const sn_surface_edge *e, sn_real far, uint8_t bit)
{
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t before = e->vertex[!k], at = e->vertex[k];
        sn_real arc = 0;
        while (arc < far && start[at + 1] - start[at] == 2) {
            const uint32_t next = ring[start[at]] == before ? ring[start[at] + 1] : ring[start[at]];
            arc += vec3_length(vec3_sub(surface_motions(s)[next].start, surface_motions(s)[at].start));
            surface_motions(s)[next].tangled |= bit;
            if (next == e->vertex[!k])
                break;
            before = at;
            at = next;
        }
    }
}

static bool add_tangle(const searching *f, const sn_surface_edge *e, const sn_surface_triangle *t)
{
    sn_surfaces *s = f->s;
    const sn_vec4 *x = f->world->particles.x;
    sn_surface_tangle made = {.give = 0};
    sn_dvec3 place[5];
    double weight[5];
    memcpy(made.vertex, e->vertex, sizeof e->vertex);
    memcpy(made.vertex + 2, t->vertex, sizeof t->vertex);
    for (uint32_t k = 0; k < 5; ++k)
        place[k] = start_of(s, made.vertex[k]);
    weigh(place, weight);
    if (is_let(f, e, t, weight))
        return f->world->contacts.failed == SN_OK;
    const uint8_t bit = bit_of(s, made.vertex, 5);
    made.edge = (uint32_t)(e - surface_edges(s));
    made.triangle = (uint32_t)(t - surface_triangles(s));
    for (uint32_t k = 0; k < 5; ++k) {
        const uint32_t slot = surface_vertices(s)[made.vertex[k]].slot;
        made.weight[k] = (sn_real)weight[k];
        surface_motions(s)[made.vertex[k]].tangled |= bit;
        if (made.vertex[k] < s->vertex_table.count)
            made.give += made.weight[k] * made.weight[k] * x[slot].w;
    }
    if (e->triangle == SN_SURFACE_NONE)
        mark_rope(s, e,
                  2 * (surface_skins(s)[t->skin].thickness +
                       surface_skins(s)[surface_vertices(s)[e->vertex[0]].skin].thickness),
                  bit);
    if (!sn_table_reserve(&s->tangle_table, &f->world->allocator, (uint64_t)s->tangle_table.count + 1)) {
        f->world->contacts.failed = world_fail(f->world, SN_ERROR_MEMORY, "no memory for surfaces that intersect");
        return false;
    }
    ((sn_surface_tangle *)s->tangle_table.column[0])[s->tangle_table.count++] = made;
    return true;
}

static bool is_beside(const sn_surfaces *s, const uint32_t *vertex, uint32_t count, const sn_bounds *box)
{
    uint32_t out = 63;
    for (uint32_t k = 0; k < count; ++k) {
        const sn_vec3 p = surface_motions(s)[vertex[k]].start;
        out &= (uint32_t)((p.x < box->low.x) | (p.x > box->high.x) << 1 | (p.y < box->low.y) << 2 |
                          (p.y > box->high.y) << 3 | (p.z < box->low.z) << 4 | (p.z > box->high.z) << 5);
    }
    return out;
}

/* All suspect bits of some vertices. */
static uint32_t suspects(const sn_surfaces *s, const uint32_t *vertex, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count; ++k)
        bits |= surface_motions(s)[vertex[k]].suspect;
    return bits;
}

/* True if two features with these suspect bits may cross. */
static bool may_cross(uint32_t a, uint32_t b)
{
    return ((a | b) & SN_SUSPECT) | (a & b & SN_SUSPECT_TANGLED);
}

/* Boxes around triangles, one coordinate after the other, so that an edge is tested against several at once. */
typedef struct near_triangles {
    uint32_t count, number[SN_TILE_TRIANGLES];
    sn_real low[3][SN_TILE_TRIANGLES], high[3][SN_TILE_TRIANGLES];
} near_triangles;

/* m: the extent of some vertices along an axis. */
static void extent(const sn_surfaces *s, const uint32_t *vertex, uint32_t count, uint32_t axis, sn_real *low,
                   sn_real *high)
{
    for (uint32_t k = 0; k < count; ++k) {
        const sn_vec3 p = surface_motions(s)[vertex[k]].start;
        const sn_real x = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
        *low = k && *low < x ? *low : x;
        *high = k && *high > x ? *high : x;
    }
}

static void take_triangles(const sn_surfaces *s, const sn_surface_tile *a, const sn_surface_tile *b, near_triangles *to)
{
    const uint32_t *triangle = (const uint32_t *)s->tile_triangle_table.column[0] + b->first_triangle;
    to->count = 0;
    for (uint32_t k = 0; k < b->triangles; ++k) {
        const uint32_t *vertex = surface_triangles(s)[triangle[k]].vertex;
        if (!may_cross(a->suspect, suspects(s, vertex, 3)) || is_beside(s, vertex, 3, &a->box))
            continue;
        for (uint32_t axis = 0; axis < 3; ++axis)
            extent(s, vertex, 3, axis, &to->low[axis][to->count], &to->high[axis][to->count]);
        to->number[to->count++] = triangle[k];
    }
}

/* Sets `apart` to 0 for triangles whose boxes overlap that of an edge. */
static void compare_boxes(const near_triangles *t, const sn_real low[3], const sn_real high[3], uint32_t *apart)
{
    for (uint32_t k = 0; k < t->count; ++k)
        apart[k] = (uint32_t)(low[0] > t->high[0][k]) | (uint32_t)(high[0] < t->low[0][k]) |
                   (uint32_t)(low[1] > t->high[1][k]) | (uint32_t)(high[1] < t->low[1][k]) |
                   (uint32_t)(low[2] > t->high[2][k]) | (uint32_t)(high[2] < t->low[2][k]);
}

/* True for segments of bodies, which are left out. */
static bool is_left(const sn_surfaces *s, const sn_surface_edge *e)
{
    return e->triangle == SN_SURFACE_NONE && e->vertex[0] >= s->vertex_table.count;
}

/* Tests edges of one tile against triangles of another. */
static bool search_tiles(const searching *f, const sn_surface_tile *a, const sn_surface_tile *b)
{
    const uint32_t *edge = (const uint32_t *)f->s->tile_edge_table.column[0] + a->first_edge;
    near_triangles near;
    uint32_t apart[SN_TILE_TRIANGLES];
    if ((a->kinematic && b->kinematic) || !may_cross(a->suspect, b->suspect))
        return true;
    take_triangles(f->s, a, b, &near);
    for (uint32_t i = 0; i < a->edges && near.count; ++i) {
        const sn_surface_edge *e = &surface_edges(f->s)[edge[i]];
        const uint32_t suspect = suspects(f->s, e->vertex, 2);
        sn_real low[3], high[3];
        if (is_left(f->s, e) || !may_cross(suspect, b->suspect) || is_beside(f->s, e->vertex, 2, &b->box))
            continue;
        for (uint32_t axis = 0; axis < 3; ++axis)
            extent(f->s, e->vertex, 2, axis, &low[axis], &high[axis]);
        compare_boxes(&near, low, high, apart);
        for (uint32_t k = 0; k < near.count; ++k) {
            const sn_surface_triangle *t = &surface_triangles(f->s)[near.number[k]];
            if (!apart[k] && may_cross(suspect, suspects(f->s, t->vertex, 3)) && crosses(f->s, e, t) &&
                !add_tangle(f, e, t))
                return false;
        }
    }
    return true;
}

/* Finds the parts of surfaces that edges without crossings connect, and their numbers of vertices. */
static bool find_parts(sn_world *world, sn_surfaces *s)
{
    const sn_surface_tangle *tangle = s->tangle_table.column[0];
    if (!sn_table_reserve(&s->part_table, &world->allocator, s->all_vertices)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces that intersect");
        return false;
    }
    uint32_t *parent = s->part_table.column[0], *size = s->part_table.column[1], *crossing = s->edge_table.column[1];
    memset(crossing, 0, s->edge_table.count * sizeof *crossing);
    for (uint32_t i = 0; i < s->tangle_table.count; ++i)
        crossing[tangle[i].edge] = 1;
    for (uint32_t i = 0; i < s->all_vertices; ++i)
        parent[i] = i, size[i] = 0;
    for (uint32_t i = 0; i < s->edge_table.count; ++i) {
        if (!crossing[i])
            sets_join(parent, surface_edges(s)[i].vertex[0], surface_edges(s)[i].vertex[1]);
    }
    for (uint32_t i = 0; i < s->all_vertices; ++i)
        size[sets_find(parent, i)]++;
    return true;
}

/* Of the edges at a vertex: how much the longest is longer than in the rest shape, as a share of that. */
static double stretch_at(const sn_world *world, const sn_surfaces *s, uint32_t vertex)
{
    const uint32_t *start = s->ring_start_table.column[0], *to = s->ring_table.column[0];
    const sn_table *table = &world->contact.rest_table;
    const sn_vec4 *rest = table->column[0];
    double most = 0;
    if (vertex >= s->vertex_table.count)
        return 0;
    const uint32_t a = surface_vertices(s)[vertex].number;
    for (uint32_t i = start[vertex]; i < start[vertex + 1]; ++i) {
        const uint32_t b = surface_vertices(s)[to[i]].number;
        if (a >= table->count || b >= table->count || rest[a].w == 0 || rest[b].w == 0)
            continue;
        const double was = (double)vec3_length(vec3_sub(vec4_xyz(rest[a]), vec4_xyz(rest[b]))),
                     now = (double)vec3_length(
                         vec3_sub(surface_motions(s)[vertex].start, surface_motions(s)[to[i]].start));
        most = was > 0 && now / was - 1 > most ? now / was - 1 : most;
    }
    return most;
}

/* The share of its velocity that a tangle keeps: what is stretched is not pulled on, but comes along. */
static double ease_of(const sn_world *world, const sn_surfaces *s, const sn_surface_tangle *t)
{
    double most = 0;
    for (uint32_t k = 0; k < 5; ++k)
        most = fmax(most, stretch_at(world, s, t->vertex[k]));
    return fmin(1, fmax(0, (LONG - most) / (LONG - FIRM)));
}

/* Determines the directions and velocities of all tangles. */
static void choose_directions(const sn_world *world, sn_surfaces *s, sn_real h)
{
    sn_surface_tangle *tangle = s->tangle_table.column[0];
    uint32_t *parent = s->part_table.column[0], *size = s->part_table.column[1];
    for (uint32_t i = 0; i < s->tangle_table.count; ++i) {
        sn_surface_tangle *t = &tangle[i];
        const sn_surface_edge *e = &surface_edges(s)[t->edge];
        const uint32_t a = sets_find(parent, e->vertex[0]), b = sets_find(parent, e->vertex[1]);
        const sn_real edge = surface_skins(s)[surface_vertices(s)[t->vertex[0]].skin].edge;
        sn_dvec3 x[5];
        for (uint32_t k = 0; k < 5; ++k)
            x[k] = start_of(s, t->vertex[k]);
        sn_dvec3 direction = direction_out(s, e, x);
        const bool rope = e->triangle == SN_SURFACE_NONE;
        if (a != b && (size[a] != size[b] || rope)) {
            const bool back = size[a] != size[b] ? size[a] > size[b] : a < b;
            const sn_dvec3 n = dvec3_cross(dvec3_sub(x[3], x[2]), dvec3_sub(x[4], x[2]));
            const double length = dvec3_length(n), side = dvec3_dot(n, dvec3_sub(x[back ? 0 : 1], x[2]));
            if (length > 0)
                direction = dvec3_scale(n, (side < 0 ? -1 : 1) / length);
        }
        const double much = dvec3_length(direction);
        t->direction = much > 0 ? dvec3_round(dvec3_scale(direction, 1 / much)) : vec3(0, 1, 0);
        const double ease = ease_of(world, s, t);
        t->give = ease > 0 ? t->give : 0;
        t->speed = (sn_real)(much * ease) * (SPEED * h < SHORT * edge ? SPEED : SHORT * edge / h);
        t->h = h;
    }
}

/* Collects suspect vertices, and tiles with such vertices. all: all of them. */
static void suspect_tiles(sn_surfaces *s, bool all)
{
    const uint32_t *corner = s->corner_table.column[0];
    for (uint32_t i = 0; i < s->all_vertices; ++i) {
        sn_surface_motion *m = &surface_motions(s)[i];
        m->suspect |= all ? SN_SUSPECT : 0;
        m->suspect |= m->tangled ? SN_SUSPECT_TANGLED : 0;
        m->tangled = 0;
    }
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        tile->suspect = (uint8_t)suspects(s, corner + tile->first_corner, tile->corners);
    }
}

/* After a tear: sorts tangles in the order of features. */
static bool order(sn_world *world, sn_surfaces *s)
{
    sn_surface_tangle *tangle = s->tangle_table.column[0];
    const uint32_t count = s->tangle_table.count;
    if (!s->torn || !count)
        return true;
    if (!sn_table_reserve(&s->sort_table, &world->allocator, count)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for surfaces that intersect");
        return false;
    }
    sn_sort_item *item = s->sort_table.column[0];
    for (uint32_t i = 0; i < count; ++i)
        item[i] = (sn_sort_item){.key = tangle[i].triangle, .a = i};
    sn_sort(item, s->sort_table.column[1], count);
    for (uint32_t i = 0; i < count; ++i)
        item[i].key = (uint64_t)tangle[item[i].a].vertex[0] << 32 | tangle[item[i].a].vertex[1];
    sn_sort(item, s->sort_table.column[1], count);
    for (uint32_t i = 0; i < count; ++i) { /* along cycles of the permutation: the tangle for `to` is at `from` */
        const sn_surface_tangle first = tangle[i];
        uint32_t to = i;
        for (uint32_t from = item[to].a; from != i; from = item[to].a) {
            tangle[to] = tangle[from];
            item[to].a = to;
            to = from;
        }
        tangle[to] = first;
        item[to].a = to;
    }
    return true;
}

bool sn_surface_tangles_find(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const searching f = {world, s};
    const bool all = s->suspect || sn_callbacks_any(world);
    if (!all && !s->some_suspect && !s->tangle_table.count)
        return true;
    suspect_tiles(s, all);
    s->some_suspect = true; /* in case memory runs out before the end */
    s->tangle_table.count = 0;
    for (uint32_t i = 0; i < s->pair_table.count; ++i) {
        const sn_surface_tile *a = &surface_tiles(s)[surface_pairs(s)[i].a],
                              *b = &surface_tiles(s)[surface_pairs(s)[i].b];
        if (!search_tiles(&f, a, b) || (a != b && !search_tiles(&f, b, a)))
            return false;
    }
    s->suspect = s->some_suspect = false;
    for (uint32_t i = 0; i < s->all_vertices; ++i)
        surface_motions(s)[i].suspect = 0;
    if (!order(world, s) || (s->tangle_table.count && !find_parts(world, s)))
        return false;
    choose_directions(world, s, h);
    return true;
}

bool sn_surface_is_tangled(const sn_surfaces *s, const sn_surface_candidate *c)
{
    const sn_surface_motion *v = surface_motions(s);
    if (!s->tangle_table.count)
        return false;
    const uint8_t bit = bit_of(s, c->vertex, 4), a = v[c->vertex[0]].tangled & bit, b = v[c->vertex[1]].tangled & bit,
                  rest = (v[c->vertex[2]].tangled | v[c->vertex[3]].tangled) & bit;
    return c->edges ? (a | b) && rest : a && (b | rest);
}

void sn_surface_tangles_pull(sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_tangle *tangle = s->tangle_table.column[0];
    sn_vec4 *x = world->particles.x, *v = world->particles.v;
    for (uint32_t i = 0; i < s->tangle_table.count; ++i) {
        sn_surface_tangle *t = &tangle[i];
        sn_vec3 u = {0, 0, 0};
        if (!(t->give > 0))
            continue;
        for (uint32_t k = 0; k < 5; ++k) {
            const bool own = t->vertex[k] < s->vertex_table.count;
            const sn_vec3 speed =
                own ? vec4_xyz(v[surface_vertices(s)[t->vertex[k]].slot]) : surface_motions(s)[t->vertex[k]].velocity;
            u = vec3_add(u, vec3_scale(speed, t->weight[k]));
        }
        const sn_real lacks = t->speed - vec3_dot(u, t->direction);
        const sn_vec3 push = vec3_scale(t->direction, lacks);
        for (uint32_t k = 0; lacks > 0 && k < 5; ++k) {
            if (t->vertex[k] >= s->vertex_table.count)
                continue;
            const uint32_t slot = surface_vertices(s)[t->vertex[k]].slot;
            const sn_real share = t->weight[k] * x[slot].w / t->give;
            if (share == 0)
                continue;
            sn_contacts_add(world, slot, vec3_scale(push, share * t->h));
            v[slot] = vec4(vec3_add(vec4_xyz(v[slot]), vec3_scale(push, share)), v[slot].w);
        }
    }
}
