/* Blades: their shape, and what they cross. */
#include "world/world.h"

#include "base/dvec.h"

#include <string.h>

/* How far a crossing may be beyond the edge of a blade's triangle, as a share of it, so that two triangles leave no
   slit. */
#define SLACK 1e-9

/* The same for the middle of an edge with marked ends: it may bend away from the blade, to ends that were near. */
#define EDGE_SLACK 0.05

static void stretch(sn_blade_shape *b, sn_vec3 x)
{
    const sn_dvec3 at = dvec3_from(x);
    b->low = dvec3(fmin(b->low.x, at.x), fmin(b->low.y, at.y), fmin(b->low.z, at.z));
    b->high = dvec3(fmax(b->high.x, at.x), fmax(b->high.y, at.y), fmax(b->high.z, at.z));
}

/* Omits a triangle without area. */
static void add_side(sn_blade_shape *b, sn_vec3 x, sn_vec3 y, sn_vec3 z)
{
    sn_blade_side s = {.a = dvec3_from(x), .u = dvec3_seen(x, y), .v = dvec3_seen(x, z)};
    s.n = dvec3_cross(s.u, s.v);
    s.uu = dvec3_dot(s.u, s.u), s.uv = dvec3_dot(s.u, s.v), s.vv = dvec3_dot(s.v, s.v);
    s.determinant = s.uu * s.vv - s.uv * s.uv;
    if (!(s.determinant > 1e-24 * s.uu * s.vv))
        return;
    b->side[b->sides++] = s;
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
        b->sides = dvec3_length(b->side[0].n) > 0;
        b->low = dvec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL), b->high = dvec3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    } else if (def->blade == SN_BLADE_TRIANGLE) {
        add_side(b, def->a, def->b, def->to_a);
    } else {
        add_side(b, def->a, def->b, def->to_b);
        add_side(b, def->a, def->to_b, def->to_a);
    }
    /* a segment that does not move has no area, but things may move over it */
    const bool stands = def->blade == SN_BLADE_SEGMENT && dvec3_length(dvec3_seen(def->a, def->b)) > 0;
    if (!b->sides && !stands)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          def->blade == SN_BLADE_PLANE ? "cut: the normal b of the plane has length 0"
                                                       : "cut: the blade has no area: its corners are on a line");
    sn_blade_sweep_find(world, b);
    for (uint32_t i = 0; i < 4 && def->blade == SN_BLADE_SEGMENT; ++i)
        stretch(b, b->segment[i / 2][i % 2]);
    return SN_OK;
}

/* m^3 or m^2: the height over the plane of a side, times the length of its normal. */
static double height(const sn_blade_side *s, sn_dvec3 x)
{
    return dvec3_dot(s->n, dvec3_sub(x, s->a));
}

/* True if the projection of a point is inside a side. */
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

bool sn_blade_crosses(const sn_blade_shape *b, sn_dvec3 x, sn_dvec3 y, double *t)
{
    if (fmax(x.x, y.x) < b->low.x || fmax(x.y, y.y) < b->low.y || fmax(x.z, y.z) < b->low.z ||
        fmin(x.x, y.x) > b->high.x || fmin(x.y, y.y) > b->high.y || fmin(x.z, y.z) > b->high.z)
        return false;
    bool found = false;
    for (uint32_t i = 0; i < b->sides; ++i) {
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
    for (uint32_t i = 0; i < b->sides; ++i)
        if (is_inside(b, &b->side[i], x, EDGE_SLACK))
            return true;
    return false;
}

uint8_t sn_blade_beside(const sn_blade_shape *b, sn_dvec3 x)
{
    if (b->def->blade == SN_BLADE_PLANE)
        return height(&b->side[0], x) >= 0 ? 1 : 2;
    const int below = (x.x < b->low.x) | (x.y < b->low.y) << 1 | (x.z < b->low.z) << 2;
    const int above = (x.x > b->high.x) << 3 | (x.y > b->high.y) << 4 | (x.z > b->high.z) << 5;
    return (uint8_t)(below | above);
}

/* Uses the triangle at the point, if there is one; otherwise the first. */
int sn_blade_side_of(const sn_blade_shape *b, sn_dvec3 x)
{
    uint32_t at = 0;
    if (!is_inside(b, &b->side[0], x, 0))
        for (uint32_t i = b->sides; i-- > 1;)
            at = is_inside(b, &b->side[i], x, EDGE_SLACK) ? i : at;
    return height(&b->side[at], x) >= 0 ? 1 : -1;
}
