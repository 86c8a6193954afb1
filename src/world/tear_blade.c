/* Blades: where they are, what they cross, and where their cuts ended. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* How far a crossing may be beyond the edge of a blade's triangle, in parts of it: two of them leave no slit. */
#define SLACK 1e-9

/* The same for the middle of an edge whose ends are marked: it may bend away from the blade, to ends that were near. */
#define EDGE_SLACK 0.05

static void stretch(sn_blade_shape *b, sn_vec3 x)
{
    const sn_dvec3 at = dvec3_from(x);
    b->low = dvec3(fmin(b->low.x, at.x), fmin(b->low.y, at.y), fmin(b->low.z, at.z));
    b->high = dvec3(fmax(b->high.x, at.x), fmax(b->high.y, at.y), fmax(b->high.z, at.z));
}

/* A triangle without area is left out. */
static void add_side(sn_blade_shape *b, sn_vec3 x, sn_vec3 y, sn_vec3 z)
{
    sn_blade_side s = {.a = dvec3_from(x), .u = dvec3_seen(x, y), .v = dvec3_seen(x, z)};
    s.n = dvec3_cross(s.u, s.v);
    s.uu = dvec3_dot(s.u, s.u), s.uv = dvec3_dot(s.u, s.v), s.vv = dvec3_dot(s.v, s.v);
    s.determinant = s.uu * s.vv - s.uv * s.uv;
    if (!(s.determinant > 1e-24 * s.uu * s.vv))
        return;
    b->side[b->all++] = s;
    stretch(b, x), stretch(b, y), stretch(b, z);
}

sn_cut_def sn_default_cut_def(void)
{
    return (sn_cut_def){0};
}

sn_result sn_blade_make(const sn_world *world, const sn_cut_def *def, sn_blade_shape *b)
{
    const struct {
        const char *name;
        sn_vec3 value;
        bool counts;
    } place[] = {{"cut: a", def->a, true},
                 {"cut: b", def->b, true},
                 {"cut: to_a", def->to_a, def->blade != SN_BLADE_PLANE},
                 {"cut: to_b", def->to_b, def->blade == SN_BLADE_SEGMENT}};
    *b = (sn_blade_shape){
        .def = def, .low = dvec3(HUGE_VAL, HUGE_VAL, HUGE_VAL), .high = dvec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    if ((int)def->blade < SN_BLADE_SEGMENT || def->blade > SN_BLADE_PLANE)
        return world_fail(world, SN_ERROR_ARGUMENT, "cut: blade is %d, which is no sn_blade", (int)def->blade);
    for (size_t i = 0; i < sizeof place / sizeof *place; ++i)
        if (place[i].counts && !vec3_is_finite(place[i].value))
            return world_fail(world, SN_ERROR_ARGUMENT, "%s is (%g, %g, %g); it must be finite", place[i].name,
                              (double)place[i].value.x, (double)place[i].value.y, (double)place[i].value.z);
    if (def->blade == SN_BLADE_PLANE) {
        b->side[0] = (sn_blade_side){.a = dvec3_from(def->a), .n = dvec3_from(def->b)};
        b->all = dvec3_length(b->side[0].n) > 0;
        b->low = dvec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), b->high = dvec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    } else if (def->blade == SN_BLADE_TRIANGLE) {
        add_side(b, def->a, def->b, def->to_a);
    } else {
        add_side(b, def->a, def->b, def->to_b);
        add_side(b, def->a, def->to_b, def->to_a);
    }
    b->sides = b->all;
    if (!b->sides)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          def->blade == SN_BLADE_PLANE ? "cut: the normal b of the plane has length 0"
                                                       : "cut: the blade has no area: its corners are on a line");
    return SN_OK;
}

/* m^3 or m^2: above or below the plane of a side, times the length of its normal. */
static double height(const sn_blade_side *s, sn_dvec3 x)
{
    return dvec3_dot(s->n, dvec3_sub(x, s->a));
}

/* Whether a place, projected on a side, is in it. */
static bool is_inside(const sn_blade_shape *b, const sn_blade_side *s, sn_dvec3 x, double slack)
{
    if (b->def->blade == SN_BLADE_PLANE)
        return true;
    const sn_dvec3 d = dvec3_sub(x, s->a);
    const double du = dvec3_dot(d, s->u), dv = dvec3_dot(d, s->v);
    const double along = (s->vv * du - s->uv * dv) / s->determinant,
                 across = (s->uu * dv - s->uv * du) / s->determinant;
    return along >= -slack && across >= -slack && along + across <= 1 + slack;
}

bool sn_blade_crosses(const sn_blade_shape *b, sn_dvec3 x, sn_dvec3 y, bool skin, double *t)
{
    if (fmax(x.x, y.x) < b->low.x || fmax(x.y, y.y) < b->low.y || fmax(x.z, y.z) < b->low.z ||
        fmin(x.x, y.x) > b->high.x || fmin(x.y, y.y) > b->high.y || fmin(x.z, y.z) > b->high.z)
        return false;
    bool found = false;
    for (uint32_t i = 0; i < (skin ? b->all : b->sides); ++i) {
        const double from = height(&b->side[i], x), to = height(&b->side[i], y);
        if ((from >= 0) == (to >= 0))
            continue;
        const double at = from / (from - to);
        if (!is_inside(b, &b->side[i], dvec3_add(x, dvec3_scale(dvec3_sub(y, x), at)), SLACK) || (found && at > *t))
            continue;
        *t = at;
        found = true;
    }
    return found;
}

bool sn_blade_has(const sn_blade_shape *b, sn_dvec3 x)
{
    for (uint32_t i = 0; i < b->all; ++i)
        if (is_inside(b, &b->side[i], x, EDGE_SLACK))
            return true;
    return false;
}

/* Of its triangles that counts which is there, if any, otherwise the first. */
int sn_blade_side_of(const sn_blade_shape *b, sn_dvec3 x)
{
    uint32_t at = 0;
    if (!is_inside(b, &b->side[0], x, 0))
        for (uint32_t i = b->all; i-- > 1;)
            at = is_inside(b, &b->side[i], x, EDGE_SLACK) ? i : at;
    return height(&b->side[at], x) >= 0 ? 1 : -1;
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------------------

   A segment that is swept frame by frame cuts in every frame what is between where it was and where it is. Cloth moves between two frames: an edge that was before the blade may be behind it then, and would never be crossed. So a
   sweep goes on from the vertex at which the cut ended, if that is behind the segment and near: with the strip from there to the segment, as wide as the edges at that vertex. */

#define SAME     1e-5 /* of its length: a segment that begins so near to where one ended is the same */
#define FARTHEST 3.0  /* edges: a tip that is farther behind is left */

static bool is_same_place(sn_vec3 a, sn_vec3 b, double within)
{
    return dvec3_length(dvec3_seen(a, b)) <= within;
}

static bool goes_on(const sn_tear_tip *tip, const sn_cut_def *def)
{
    const double within = SAME * dvec3_length(dvec3_seen(def->a, def->b));
    return def->blade == SN_BLADE_SEGMENT && !is_same_place(tip->end[0], tip->end[1], 0) &&
           is_same_place(tip->end[0], def->a, within) && is_same_place(tip->end[1], def->b, within);
}

/* m: of the edges at a vertex. */
static double longest_at(const sn_world *world, uint32_t vertex)
{
    uint32_t place[SN_TEAR_FAN];
    const uint32_t *corner = world->contact.triangle_table.column[0];
    const sn_vec4 *x = world->particles.x;
    const uint32_t count = sn_tear_triangles_at(world, vertex, place, SN_TEAR_FAN);
    double most = 0;
    for (uint32_t i = 0; count != UINT32_MAX && i < 3 * count; ++i)
        most =
            fmax(most, dvec3_length(dvec3_seen(vec4_xyz(x[world->ids.value[vertex]]),
                                               vec4_xyz(x[world->ids.value[corner[place[i / 3] / 3 * 3 + i % 3]]]))));
    return most;
}

static sn_vec3 beside(sn_vec3 x, sn_dvec3 along, double by)
{
    return dvec3_round(dvec3_add(dvec3_from(x), dvec3_scale(along, by)));
}

void sn_blade_go_on(const sn_world *world, sn_blade_shape *b)
{
    const sn_cut_def *def = b->def;
    const sn_tear_tip *tip = world->tearing.tip_table.column[0];
    const sn_dvec3 segment = dvec3_seen(def->a, def->b);
    const double length = dvec3_length(segment);
    for (uint32_t i = 0; i < world->tearing.tip_table.count && b->all + 2 <= SN_BLADE_SIDES; ++i) {
        if (!goes_on(&tip[i], def) || !sn_particle_is_valid(world, tip[i].vertex) ||
            (i && tip[i].vertex.index == tip[i - 1].vertex.index))
            continue;
        const sn_vec3 from = vec4_xyz(world->particles.x[world->ids.value[tip[i].vertex.index]]);
        const sn_dvec3 along = dvec3_scale(segment, 1 / length), seen = dvec3_seen(def->a, from);
        const double at = fmin(fmax(dvec3_dot(seen, along), 0), length), wide = longest_at(world, tip[i].vertex.index);
        const sn_vec3 to = beside(def->a, along, at);
        const sn_dvec3 way = dvec3_seen(from, to),
                       ahead = dvec3_add(dvec3_seen(def->a, def->to_a), dvec3_seen(def->b, def->to_b));
        if (!(dvec3_dot(way, ahead) > 0) || dvec3_length(way) > FARTHEST * wide)
            continue;
        const sn_vec3 corner[4] = {beside(from, along, -wide), beside(from, along, wide), beside(to, along, -wide),
                                   beside(to, along, wide)};
        add_side(b, corner[0], corner[1], corner[3]);
        add_side(b, corner[0], corner[3], corner[2]);
    }
}

void sn_blade_note(sn_world *world, const sn_cut_def *def)
{
    sn_tear_tip *tip = world->tearing.tip_table.column[0];
    for (uint32_t i = 0; i < world->tearing.tip_table.count; ++i)
        if (goes_on(&tip[i], def)) {
            tip[i].end[0] = def->to_a;
            tip[i].end[1] = def->to_b;
        }
}

void sn_blade_note_tip(sn_world *world, const sn_cut_def *def, uint32_t first)
{
    sn_tear_tip *tip = world->tearing.tip_table.column[0];
    const sn_dvec3 segment = dvec3_seen(def->to_a, def->to_b);
    const double square = dvec3_dot(segment, segment);
    double least = HUGE_VAL;
    uint32_t nearest = first;
    for (uint32_t i = first; i < world->tearing.tip_table.count; ++i) {
        const sn_dvec3 seen =
            dvec3_seen(def->to_a, vec4_xyz(world->particles.x[world->ids.value[tip[i].vertex.index]]));
        const double at = square > 0 ? fmin(fmax(dvec3_dot(seen, segment) / square, 0), 1) : 0;
        const double far = dvec3_length(dvec3_sub(seen, dvec3_scale(segment, at)));
        if (far < least)
            least = far, nearest = i;
    }
    if (def->blade != SN_BLADE_SEGMENT || nearest >= world->tearing.tip_table.count)
        return;
    tip[nearest].end[0] = def->to_a;
    tip[nearest].end[1] = def->to_b;
}

/* ---- Where cuts ended -------------------------------------------------------------------------------------------------------- */

bool sn_blade_index_tips(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    const sn_tear_tip *tip = t->tip_table.column[0];
    t->tip_at_table.count = 0;
    if (!t->tip_table.count)
        return true;
    if (!sn_table_reserve(&t->tip_at_table, &world->allocator, world->ids.table.count))
        return false;
    uint32_t *at = t->tip_at_table.column[0];
    t->tip_at_table.count = world->ids.table.count;
    memset(at, 0, t->tip_at_table.count * sizeof *at);
    for (uint32_t i = t->tip_table.count; i > 0; --i)
        if (sn_particle_is_valid(world, tip[i - 1].vertex))
            at[tip[i - 1].vertex.index] = i;
    return true;
}

/* 1 + the first of the tips of a vertex, which follow each other; 0: it has none. */
static uint32_t first_tip(const sn_tearing *t, uint32_t vertex)
{
    return vertex < t->tip_at_table.count ? ((const uint32_t *)t->tip_at_table.column[0])[vertex] : 0;
}

bool sn_blade_is_tip(const sn_world *world, uint32_t vertex)
{
    return first_tip(&world->tearing, vertex) != 0;
}

/* Whether a cut came to a vertex from another. */
static bool came_from(const sn_world *world, uint32_t vertex, uint32_t from)
{
    const sn_tearing *t = &world->tearing;
    const sn_tear_tip *tip = t->tip_table.column[0];
    uint32_t i = first_tip(t, vertex);
    for (; i && i <= t->tip_table.count && tip[i - 1].vertex.index == vertex; ++i)
        if (tip[i - 1].from.index == from && sn_particle_is_valid(world, tip[i - 1].vertex) &&
            sn_particle_is_valid(world, tip[i - 1].from))
            return true;
    return false;
}

bool sn_blade_has_passed(const sn_world *world, uint32_t a, uint32_t b)
{
    return came_from(world, a, b) || came_from(world, b, a);
}
