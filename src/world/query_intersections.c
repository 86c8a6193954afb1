/* Finds triangles of skins that intersect, and segments that pass through them. Every triangle is searched in the tree
   of all triangles, and exact predicates decide. */
#include "base/dvec.h"
#include "collision/predicates.h"
#include "world/query_tree.h"
#include "world/world.h"

#include <string.h>

#define SURELY 1e-9 /* share of a length that is more than rounding */

typedef struct searching {
    const sn_world *world;
    bool any;           /* find whether there is any intersection, also with earlier triangles */
    uint32_t item;      /* the triangle for which others are searched; earlier triangles have found their intersections
                           with it */
    uint32_t corner[3]; /* numbers of its particles */
    double place[3][3]; /* their positions */
    sn_intersection *found;
    uint32_t most, count;
    uint32_t first; /* index in `found` of the first intersection of this triangle */
} searching;

static const uint32_t *corners_of(const sn_world *world, uint32_t item)
{
    return (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)item;
}

static void take_places(const sn_world *world, const uint32_t *corner, double place[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const sn_vec4 x = world->particles.x[world->ids.value[corner[i]]];
        place[i][0] = (double)x.x, place[i][1] = (double)x.y, place[i][2] = (double)x.z;
    }
}

/* The skin of a triangle, and the triangle's number in the skin. */
static sn_skin skin_of(const sn_world *world, uint32_t item, uint32_t *triangle)
{
    const sn_skin_record *skin = contact_skin_of(&world->contact, item);
    *triangle = item - skin->first;
    return (sn_skin){skin->number, world->contact.skin_ids.generation[skin->number]};
}

/* Inserts an intersection in the order of the other triangle. */
static void note(searching *s, uint32_t other)
{
    const sn_intersection *last;
    sn_intersection made;
    memset(&made, 0, sizeof made);
    made.skin = skin_of(s->world, s->item, &made.triangle);
    made.other_skin = skin_of(s->world, other, &made.other_triangle);
    uint32_t at = s->count < s->most ? s->count : s->most;
    s->count += s->count < UINT32_MAX;
    for (; at > s->first; --at) {
        last = &s->found[at - 1];
        if (last->other_skin.index < made.other_skin.index ||
            (last->other_skin.index == made.other_skin.index && last->other_triangle < made.other_triangle))
            break;
        if (at < s->most)
            s->found[at] = *last;
    }
    if (at < s->most)
        s->found[at] = made;
}

static bool moves(const sn_world *world, const uint32_t *corner)
{
    const sn_vec4 *x = world->particles.x;
    return x[world->ids.value[corner[0]]].w != 0 || x[world->ids.value[corner[1]]].w != 0 ||
           x[world->ids.value[corner[2]]].w != 0;
}

/* True if some plane separates the two triangles: the plane of the first, or a plane across it along one of its edges.
   Shared corners are ignored. This quickly rules out most neighbours in a flat sheet, for which exact predicates take
   long. same: as for sn_triangles_intersect. */
static bool a_plane_parts(const double a[3][3], const double b[3][3], const int same[3])
{
    sn_dvec3 edge[3], displacement[3];
    bool shared[3] = {false, false, false};
    for (int k = 0; k < 3; ++k) {
        edge[k] = dvec3(a[(k + 1) % 3][0] - a[k][0], a[(k + 1) % 3][1] - a[k][1], a[(k + 1) % 3][2] - a[k][2]);
        if (same[k] >= 0)
            shared[same[k]] = true;
    }
    const sn_dvec3 n = dvec3_cross(edge[0], edge[1]);
    for (int k = 0; k < 4; ++k) {
        const sn_dvec3 normal = k < 3 ? dvec3_cross(edge[k], n) : n;
        const double length = dvec3_length(normal);
        uint32_t beyond = 0, below = 0, on = 0;
        for (int i = 0; i < 3; ++i) {
            displacement[i] = dvec3(b[i][0] - a[k % 3][0], b[i][1] - a[k % 3][1], b[i][2] - a[k % 3][2]);
            const double along = dvec3_dot(displacement[i], normal),
                         least = SURELY * length * dvec3_length(displacement[i]);
            const bool here = shared[i] && (k == 3 || same[k] == i || same[(k + 1) % 3] == i);
            on += here;
            beyond += !here && along > least;
            below += !here && along < -least;
        }
        if (beyond + on == 3 || (k == 3 && below + on == 3))
            return true;
    }
    return false;
}

/* True if they intersect elsewhere than at shared corners. same: for the corners of the first. */
static bool intersect(const double a[3][3], const double b[3][3], const int same[3])
{
    int back[3] = {-1, -1, -1};
    for (int i = 0; i < 3; ++i)
        if (same[i] >= 0)
            back[same[i]] = i;
    return !a_plane_parts(a, b, same) && !a_plane_parts(b, a, back) && sn_triangles_intersect(a, b, same);
}

bool sn_query_corners_cross(const sn_world *world, const uint32_t a[3], const uint32_t b[3])
{
    double one[3][3], other[3][3];
    int same[3] = {-1, -1, -1};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (b[j] == a[i])
                same[i] = j;
    if (!moves(world, a) && !moves(world, b))
        return false;
    take_places(world, a, one);
    take_places(world, b, other);
    return intersect((const double(*)[3])one, (const double(*)[3])other, same);
}

static bool look_at(void *data, uint32_t item)
{
    searching *s = data;
    if (s->any ? item == s->item || s->count : item <= s->item)
        return true;
    if (sn_query_corners_cross(s->world, s->corner, corners_of(s->world, item))) {
        if (s->any)
            s->count++;
        else
            note(s, item);
    }
    return !s->any || !s->count;
}

/* The skin of a segment, and the segment's number in the skin. */
static sn_skin skin_of_segment(const sn_world *world, uint32_t segment, uint32_t *number)
{
    const sn_skin_record *skin = contact_skins(&world->contact);
    while (segment - skin->first_segment >= skin->segments)
        ++skin;
    *number = segment - skin->first_segment;
    return (sn_skin){skin->number, world->contact.skin_ids.generation[skin->number]};
}

/* Inserts an intersection of this segment in the order of the triangle. */
static void note_segment(searching *s, uint32_t item)
{
    sn_intersection made;
    memset(&made, 0, sizeof made);
    made.skin = skin_of(s->world, item, &made.triangle);
    made.other_skin = skin_of_segment(s->world, s->item, &made.other_triangle);
    made.segment = true;
    uint32_t at = s->count < s->most ? s->count : s->most;
    s->count += s->count < UINT32_MAX;
    for (; at > s->first; --at) {
        const sn_intersection *last = &s->found[at - 1];
        if (last->skin.index < made.skin.index ||
            (last->skin.index == made.skin.index && last->triangle < made.triangle))
            break;
        if (at < s->most)
            s->found[at] = *last;
    }
    if (at < s->most)
        s->found[at] = made;
}

/* True for a segment that takes part, as in surface_strands.c: its ends are joined by a constraint, or both are
   immovable. */
static bool is_held(const sn_world *world, const uint32_t *end)
{
    return (world->particles.x[world->ids.value[end[0]]].w == 0 &&
            world->particles.x[world->ids.value[end[1]]].w == 0) ||
           sn_store_joins(&world->constraints, end[0], end[1]);
}

static bool look_at_triangle(void *data, uint32_t item)
{
    searching *s = data;
    const uint32_t *corner = corners_of(s->world, item);
    double place[3][3];
    for (int i = 0; i < 3; ++i)
        if (corner[i] == s->corner[0] || corner[i] == s->corner[1])
            return true;
    take_places(s->world, corner, place);
    if (sn_segment_intersects_triangle(s->place[0], s->place[1], place[0], place[1], place[2]) &&
        is_held(s->world, s->corner))
        note_segment(s, item);
    return true;
}

static void look_for_segments(searching *s, const sn_query_tree *tree, uint32_t triangles)
{
    const uint32_t(*segment)[2] = (const uint32_t(*)[2])s->world->contact.segment_table.column[0];
    for (s->item = 0; triangles && s->item < s->world->contact.segment_table.count; ++s->item) {
        const uint32_t both[3] = {segment[s->item][0], segment[s->item][1], segment[s->item][1]};
        const sn_particle_store *p = &s->world->particles;
        const sn_vec3 a = vec4_xyz(p->x[s->world->ids.value[both[0]]]),
                      b = vec4_xyz(p->x[s->world->ids.value[both[1]]]);
        const sn_bounds box = {vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z),
                               vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z)};
        memcpy(s->corner, both, sizeof both);
        take_places(s->world, both, s->place);
        s->first = s->count < s->most ? s->count : s->most;
        if (tree) {
            sn_bvh_overlap(&tree->bvh, &box, look_at_triangle, s);
            continue;
        }
        for (uint32_t item = 0; item < triangles; ++item) {
            const sn_bounds its = sn_query_bounds(s->world, SN_SET_SKINS, item);
            if (bounds_touch(&box, &its))
                look_at_triangle(s, item);
        }
    }
}

/* The triangle with corners s->corner against others; s->item is its number. by: m, margin of the boxes in the tree. */
static void look_for_triangles(searching *s, const sn_query_triangles *of, sn_real by)
{
    const sn_world *world = s->world;
    take_places(world, s->corner, s->place);
    sn_real low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (sn_real)fmin(fmin(s->place[0][k], s->place[1][k]), s->place[2][k]);
        high[k] = (sn_real)fmax(fmax(s->place[0][k], s->place[1][k]), s->place[2][k]);
    }
    const sn_bounds own = {vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
    const sn_vec3 grown = {by, by, by};
    const sn_bounds box = {vec3_sub(own.low, grown), vec3_add(own.high, grown)};
    if (of->tree) {
        sn_bvh_overlap(&of->tree->bvh, &box, look_at, s);
        return;
    }
    for (uint32_t i = s->any ? 0 : s->item + 1; i < of->count && !(s->any && s->count); ++i) {
        const uint32_t other = of->item ? of->item[i] : i;
        const sn_bounds its = sn_query_bounds(world, SN_SET_SKINS, other);
        if (bounds_touch(&own, &its))
            look_at(s, other);
    }
}

bool sn_query_triangle_intersects(const sn_world *world, const sn_query_triangles *of, sn_real by, uint32_t item)
{
    searching s = {.world = world, .any = true, .item = item};
    memcpy(s.corner, corners_of(world, item), sizeof s.corner);
    look_for_triangles(&s, of, by);
    return s.count > 0;
}

bool sn_query_corners_intersect(const sn_world *world, const sn_query_triangles *of, sn_real by,
                                const uint32_t corner[3])
{
    searching s = {.world = world, .any = true, .item = UINT32_MAX};
    memcpy(s.corner, corner, sizeof s.corner);
    look_for_triangles(&s, of, by);
    return s.count > 0;
}

uint32_t sn_query_intersections(const sn_world *world, sn_intersection *found, uint32_t most)
{
    if (!world || world->dimensions == 2)
        return 0;
    if (most && !found) {
        sn_query_refuse(world, "found is NULL, but most is %u", most);
        return 0;
    }
    searching s = {.world = world, .found = found, .most = most};
    const sn_query_triangles all = {.tree = sn_query_tree_now(world, SN_SET_SKINS),
                                    .count = sn_query_items(world, SN_SET_SKINS)};
    for (s.item = 0; s.item < all.count; ++s.item) {
        s.first = s.count < most ? s.count : most;
        memcpy(s.corner, corners_of(world, s.item), sizeof s.corner);
        look_for_triangles(&s, &all, 0);
    }
    look_for_segments(&s, all.tree, all.count);
    return s.count;
}
