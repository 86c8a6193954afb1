/* Tests of a query with a shape against one particle, one triangle of a skin, one fixed shape, one body. As in
   query_probe.c, the answer for an item depends only on the query and the item. */
#include "collision/manifold.h"
#include "world/query_probe.h"

/* A hit or an overlap: the touch, and the distance along the path or the gap (m). */
typedef struct near_point {
    sn_touch touch;
    double distance;
} near_point;

/* The part of the path from `in` to `in` + length (m). Paths are cut to the neighbourhood of a thing, so that they are
   precise there however far away they begin and end. */
typedef struct leg {
    sn_pose pose;
    sn_vec3 displacement;
    double in, length;
} leg;

static leg leg_of(const sn_probe *q, double in, double out)
{
    double length = out - in;
    return (leg){{dvec3_round(probe_place(q, in)), q->pose.rotation},
                 dvec3_round(dvec3_scale(q->direction, length)),
                 in,
                 length};
}

/* Sets the distance of a touch at the share t of a leg. */
static bool arrive(const leg *l, sn_real t, near_point *s)
{
    s->distance = l->in + (double)t * l->length;
    return true;
}

static bool hit_convex(const sn_probe *q, const leg *l, const sn_convex *b, const sn_pose *pb, near_point *s)
{
    sn_real t = 0;
    if (l->in == 0 && sn_convex_gap(q->shape, &q->pose, b, pb, 0, &s->touch) && s->touch.distance < 0)
        return arrive(l, t, s);
    return sn_convex_sweep(q->shape, &l->pose, l->displacement, b, pb, &t, &s->touch) && arrive(l, t, s);
}

static bool overlap_convex(const sn_probe *q, const sn_convex *b, const sn_pose *pb, near_point *s)
{
    if (!sn_convex_gap(q->shape, &q->pose, b, pb, 0, &s->touch))
        return false;
    s->distance = (double)s->touch.distance;
    return true;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static bool touch_particle(const sn_probe *q, uint32_t slot, near_point *s)
{
    const sn_convex ball = {.type = SN_SHAPE_SPHERE, .radius = q->world->particles.radius[slot]};
    const sn_pose at = {vec4_xyz(q->world->particles.x[slot]), {0, 0, 0, 1}};
    double in, out, radius = ((double)ball.radius + (double)q->path.radius) * SN_PROBE_FARTHER;
    if (!q->travels) {
        sn_dvec3 offset = dvec3_sub(q->from, dvec3_from(at.position));
        return dvec3_dot(offset, offset) <= radius * radius && overlap_convex(q, &ball, &at, s);
    }
    if (!sn_probe_hits_ball(q, at.position, radius, &in, &out) || !probe_is_early(q, in))
        return false;
    leg l = leg_of(q, in, fmin(out, q->length));
    return hit_convex(q, &l, &ball, &at, s);
}

bool sn_shape_probe_particle(void *probe, uint32_t slot)
{
    sn_probe *q = probe;
    near_point s = {0};
    if (!sn_probe_wants_slot(q, slot) || sn_probe_skips(q->world, slot) || !touch_particle(q, slot, &s))
        return true;
    uint32_t index = q->world->particles.index[slot];
    sn_hit hit = {.particle = {index, q->world->ids.generation[index]},
                  .point = s.touch.point,
                  .normal = s.touch.normal,
                  .distance = (sn_real)s.distance};
    sn_probe_offer(q, &hit);
    return probe_goes_on(q);
}

/* ---- Skins ------------------------------------------------------------------------------------------------------- */

static bool touch_triangle(const sn_probe *q, const sn_bounds *bounds, const sn_vec3 corner[3], near_point *s)
{
    double in, out;
    sn_real t = 0;
    if (!q->travels) {
        if (!sn_convex_gap_triangle(q->shape, &q->pose, corner, 0, &s->touch))
            return false;
        s->distance = (double)s->touch.distance;
        return true;
    }
    if (!sn_probe_clip(q, bounds, &in, &out) || !probe_is_early(q, in))
        return false;
    leg l = leg_of(q, in, out);
    if (in == 0 && sn_convex_gap_triangle(q->shape, &q->pose, corner, 0, &s->touch) && s->touch.distance < 0)
        return arrive(&l, t, s);
    return sn_convex_sweep_triangle(q->shape, &l.pose, l.displacement, corner, &t, &s->touch) && arrive(&l, t, s);
}

bool sn_shape_probe_triangle(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    const sn_world *world = q->world;
    const uint32_t *number = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)row;
    const sn_bounds bounds = sn_probe_bounds(q, SN_SET_SKINS, row);
    sn_vec3 corner[3];
    near_point s = {0};
    for (uint32_t i = 0; i < 3; ++i)
        corner[i] = vec4_xyz(world->particles.x[world->ids.value[number[i]]]);
    if (!q->travels && sn_probe_gap_to(q, &bounds) > (double)q->limit * SN_PROBE_FARTHER)
        return true;
    if (sn_probe_wants_slot(q, world->ids.value[number[0]]) && touch_triangle(q, &bounds, corner, &s))
        sn_probe_offer_triangle(q, row, s.touch.point, s.touch.normal, s.distance);
    return probe_goes_on(q);
}

/* ---- Fixed shapes ------------------------------------------------------------------------------------------------ */

static bool touch_fixed_shape(const sn_probe *q, const sn_fixed_shape *record, const sn_bounds *bounds, near_point *s)
{
    const sn_pose pose = record->pose;
    double in, out;
    sn_real t = 0;
    if (!q->travels) {
        if (sn_probe_gap_to(q, bounds) > (double)q->limit * SN_PROBE_FARTHER ||
            !sn_convex_gap_shape(q->shape, &q->pose, &record->shape, &pose, 0, &s->touch))
            return false;
        s->distance = (double)s->touch.distance;
        return true;
    }
    if (!sn_probe_clip(q, bounds, &in, &out) || !probe_is_early(q, in))
        return false;
    leg l = leg_of(q, in, out);
    if (in == 0 && sn_convex_gap_shape(q->shape, &q->pose, &record->shape, &pose, 0, &s->touch) &&
        s->touch.distance < 0)
        return arrive(&l, t, s);
    return sn_convex_sweep_shape(q->shape, &l.pose, l.displacement, &record->shape, &pose, &t, &s->touch) &&
           arrive(&l, t, s);
}

bool sn_shape_probe_fixed_shape(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    const sn_fixed_shape *record = &contact_fixed_shapes(&q->world->contact)[row];
    const bool callback = record->shape.type == SN_SHAPE_FIELD && record->shape.data->field.function;
    near_point s = {0};
    if (!sn_probe_wants_fixed_shape(q, record))
        return true;
    const sn_bounds bounds = sn_probe_bounds(q, SN_SET_FIXED, row);
    if (callback)
        sn_query_enter_callback(q->world);
    bool touches = touch_fixed_shape(q, record, &bounds, &s);
    if (callback)
        sn_query_leave_callback(q->world);
    if (!touches)
        return true;
    sn_hit hit = {.body = {record->body, q->world->bodies.names.generation[record->body]},
                  .shape = record->index,
                  .triangle = record->shape.type == SN_SHAPE_MESH ? s.touch.part : SN_NO_TRIANGLE,
                  .point = s.touch.point,
                  .normal = s.touch.normal,
                  .distance = (sn_real)s.distance};
    sn_probe_offer(q, &hit);
    return probe_goes_on(q);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* Finds the part that is hit first, or that overlaps most. */
static bool touch_parts(const sn_probe *q, uint32_t row, const leg *l, near_point *best, uint32_t *part)
{
    const sn_body_state *body = &q->world->bodies.state[row];
    const uint32_t slot = q->world->ids.value[body->particle];
    bool found = false;
    near_point s = {0};
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        const sn_convex *convex = &q->world->bodies.part[i].convex;
        sn_pose pose = sn_query_part_pose(q->world, row, i);
        if (!sn_probe_wants_part(q, i, slot) ||
            !(q->travels ? hit_convex(q, l, convex, &pose, &s) : overlap_convex(q, convex, &pose, &s)))
            continue;
        if (found &&
            !(s.distance < best->distance || (s.distance == best->distance && s.touch.distance < best->touch.distance)))
            continue;
        found = true;
        *best = s;
        *part = i - body->part;
    }
    return found;
}

bool sn_shape_probe_body(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    const sn_bodies *bodies = &q->world->bodies;
    double in = 0, out = 0;
    near_point s = {0};
    uint32_t part = 0;
    if (!bodies_has(bodies, row))
        return true;
    const sn_bounds bounds = sn_probe_bounds(q, SN_SET_BODIES, row);
    if (q->travels ? !sn_probe_clip(q, &bounds, &in, &out) || !probe_is_early(q, in)
                   : sn_probe_gap_to(q, &bounds) > (double)q->limit * SN_PROBE_FARTHER)
        return true;
    leg l = leg_of(q, in, out);
    if (!touch_parts(q, row, &l, &s, &part))
        return true;
    sn_hit hit = {.body = sn_body_of_row(q->world, row),
                  .shape = part,
                  .triangle = SN_NO_TRIANGLE,
                  .point = s.touch.point,
                  .normal = s.touch.normal,
                  .distance = (sn_real)s.distance};
    sn_probe_offer(q, &hit);
    return probe_goes_on(q);
}
