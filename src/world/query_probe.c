/* Tests of a query against one particle, one triangle of a skin, one fixed shape, one body. The answer for an item
   depends only on the query and the item, not on earlier items, so that the result does not depend on the order. */
#include "world/query_probe.h"

#include "collision/triangle.h"

/* An offset from a triangle that is shorter than this share of its size has no usable direction. */
#define SHORT_OFFSET 1e-5

/* Sine of the angle by which a sphere that touches the edge of a one-sided triangle may be behind it: a tolerance for
   rounding. */
#define EDGE_ON 1e-6

static const sn_dvec3 up = {0, 1, 0};

/* category, mask: of the item. */
static bool wanted(const sn_probe *q, uint32_t category, uint32_t mask)
{
    return (category & q->filter.mask) != 0 && (!q->filter.category || (mask & q->filter.category) != 0);
}

bool sn_probe_wants_slot(const sn_probe *q, uint32_t slot)
{
    const sn_group_contact *group = sn_contact_group(&q->world->contact, q->world->particles.group[slot]);
    return wanted(q, group->category, group->mask);
}

bool sn_probe_wants_fixed_shape(const sn_probe *q, const sn_fixed_shape *record)
{
    const uint32_t bit = record->def.sensor ? SN_QUERY_SENSORS : SN_QUERY_STATICS;
    const sn_filter filter = sn_fixed_shape_filter(&q->world->contact, record);
    return (q->filter.what & bit) && wanted(q, filter.category, filter.mask);
}

bool sn_probe_wants_part(const sn_probe *q, uint32_t part, uint32_t slot)
{
    const uint32_t bit = q->world->bodies.part[part].sensor ? SN_QUERY_SENSORS : SN_QUERY_BODIES;
    const sn_filter filter = sn_part_filter(q->world, part, slot);
    return (q->filter.what & bit) && wanted(q, filter.category, filter.mask);
}

sn_bounds sn_probe_bounds(const sn_probe *q, sn_query_set set, uint32_t item)
{
    return q->bounds ? q->bounds[item] : sn_query_bounds(q->world, set, item);
}

/* a normalised; `otherwise` if it is too short. */
static sn_dvec3 unit_or(sn_dvec3 a, sn_dvec3 otherwise)
{
    double length = dvec3_length(a);
    return length > 0 ? dvec3_scale(a, 1 / length) : otherwise;
}

/* Opposite to the probe's direction, for hits without another normal. */
static sn_dvec3 backwards(const sn_probe *q)
{
    return unit_or(dvec3_scale(q->direction, -1), up);
}

static bool is_within(const sn_probe *q, double distance)
{
    return (q->all ? (sn_real)distance : (sn_real)fabs(distance)) <= q->limit;
}

static void clip_axis(double from, double inverse, double low, double high, double *in, double *out)
{
    if (inverse == 0) {
        if (from < low || from > high)
            *out = -1;
        return;
    }
    double first = ((inverse > 0 ? low : high) - from) * inverse, last = ((inverse > 0 ? high : low) - from) * inverse;
    *in = first > *in ? first : *in;
    *out = last < *out ? last : *out;
}

bool sn_probe_clip(const sn_probe *q, const sn_bounds *b, double *in, double *out)
{
    double radius = (double)q->path.radius;
    *in = 0;
    *out = q->length;
    clip_axis(q->from.x, q->inverse.x, (double)b->low.x - radius, (double)b->high.x + radius, in, out);
    clip_axis(q->from.y, q->inverse.y, (double)b->low.y - radius, (double)b->high.y + radius, in, out);
    clip_axis(q->from.z, q->inverse.z, (double)b->low.z - radius, (double)b->high.z + radius, in, out);
    return *in <= *out;
}

static double beyond(sn_real x, sn_real low, sn_real high)
{
    return x < low ? (double)low - (double)x : x > high ? (double)x - (double)high : 0;
}

double sn_probe_gap_to(const sn_probe *q, const sn_bounds *b)
{
    sn_vec3 p = q->path.from;
    return dvec3_length(
        dvec3(beyond(p.x, b->low.x, b->high.x), beyond(p.y, b->low.y, b->high.y), beyond(p.z, b->low.z, b->high.z)));
}

bool sn_probe_skips(const sn_world *world, uint32_t slot)
{
    uint32_t body = world->particles.body[slot];
    return body && world->bodies.state[body - 1].parts;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

bool sn_probe_hits_ball(const sn_probe *q, sn_vec3 centre, double radius, double *in, double *out)
{
    sn_dvec3 seen = dvec3_sub(dvec3_from(centre), q->from);
    double nearest = dvec3_dot(seen, q->direction), square = radius * radius;
    sn_dvec3 across = dvec3_sub(seen, dvec3_scale(q->direction, nearest));
    if (!(dvec3_dot(across, across) <= square)) /* most probes end here */
        return false;
    bool inside = dvec3_dot(seen, seen) < square;
    if (!inside && !(nearest > 0))
        return false;
    double least = dvec3_length(across);
    double around = least < radius ? sqrt((radius - least) * (radius + least)) : 0;
    *in = inside || nearest - around < 0 ? 0 : nearest - around;
    *out = nearest + around;
    return *in <= q->length;
}

static sn_hit particle_hit(const sn_probe *q, uint32_t slot, sn_dvec3 asker, sn_dvec3 otherwise, double distance)
{
    const sn_particle_store *p = &q->world->particles;
    uint32_t index = p->index[slot];
    sn_dvec3 centre = dvec3_from(vec4_xyz(p->x[slot])), normal = unit_or(dvec3_sub(asker, centre), otherwise);
    return (sn_hit){.particle = {index, q->world->ids.generation[index]},
                    .point = dvec3_round(dvec3_add(centre, dvec3_scale(normal, (double)p->radius[slot]))),
                    .normal = dvec3_round(normal),
                    .distance = (sn_real)distance};
}

static void hit_particle(sn_probe *q, uint32_t slot)
{
    double radius = (double)q->world->particles.radius[slot] + (double)q->path.radius, in, out;
    if (radius == 0 || !sn_probe_hits_ball(q, vec4_xyz(q->world->particles.x[slot]), radius, &in, &out))
        return;
    if (!probe_is_early(q, in) || !sn_probe_wants_slot(q, slot) || sn_probe_skips(q->world, slot))
        return;
    sn_hit hit = particle_hit(q, slot, probe_place(q, in), backwards(q), in);
    sn_probe_offer(q, &hit);
}

bool sn_probe_particle(void *probe, uint32_t slot)
{
    sn_probe *q = probe;
    if (q->travels) {
        hit_particle(q, slot);
        return probe_goes_on(q);
    }
    sn_dvec3 offset = dvec3_sub(q->from, dvec3_from(vec4_xyz(q->world->particles.x[slot])));
    double radius = (double)q->world->particles.radius[slot], far = (radius + (double)q->limit) * SN_PROBE_FARTHER;
    if (dvec3_dot(offset, offset) > far * far) /* most end here */
        return true;
    double distance = dvec3_length(offset) - radius;
    if (!is_within(q, distance) || !sn_probe_wants_slot(q, slot) || sn_probe_skips(q->world, slot))
        return true;
    sn_hit hit = particle_hit(q, slot, q->from, up, distance);
    sn_probe_offer(q, &hit);
    return probe_goes_on(q);
}

/* ---- Skins ------------------------------------------------------------------------------------------------------- */

/* A point of a triangle of a skin. */
typedef struct patch {
    uint32_t row;
    const uint32_t *number; /* of its corners */
    sn_vec3 x[3];           /* m: positions of the corners */
    sn_real weight[3];
    sn_dvec3 near_point; /* m */
    sn_dvec3 normal;     /* of its front side, length 1; 0 if it has none */
    double size;         /* m: its size */
} patch;

static patch patch_at(const sn_probe *q, uint32_t row)
{
    const sn_world *world = q->world;
    patch p = {.row = row, .number = (const uint32_t *)world->contact.triangle_table.column[0] + 3 * (size_t)row};
    for (uint32_t i = 0; i < 3; ++i)
        p.x[i] = vec4_xyz(world->particles.x[world->ids.value[p.number[i]]]);
    return p;
}

/* Computes the rest from the weights. */
static void complete_patch(patch *p)
{
    sn_dvec3 a = dvec3_from(p->x[0]), ab = dvec3_sub(dvec3_from(p->x[1]), a), ac = dvec3_sub(dvec3_from(p->x[2]), a);
    p->near_point =
        dvec3_add(a, dvec3_add(dvec3_scale(ab, (double)p->weight[1]), dvec3_scale(ac, (double)p->weight[2])));
    p->normal = unit_or(dvec3_cross(ab, ac), dvec3(0, 0, 0));
    p->size = dvec3_length(ab) + dvec3_length(ac);
}

/* The normal at the point, on the side of the asker. Inside the triangle, or if the asker is too near for a direction,
   it is that of the face; on edges and corners the direction to the asker. */
static sn_dvec3 patch_normal(const sn_probe *q, const patch *p, sn_dvec3 asker)
{
    sn_dvec3 offset = dvec3_sub(asker, p->near_point);
    double length = dvec3_length(offset), side = dvec3_dot(offset, p->normal);
    bool far = length > SHORT_OFFSET * p->size;
    bool inside = p->weight[0] > 0 && p->weight[1] > 0 && p->weight[2] > 0;
    bool flat = dvec3_dot(p->normal, p->normal) > 0;
    if (!flat || (far && !inside))
        return unit_or(offset, backwards(q));
    if (!far && q->travels && dvec3_dot(q->direction, p->normal) != 0)
        side = -dvec3_dot(q->direction, p->normal);
    return dvec3_scale(p->normal, side < 0 ? -1 : 1);
}

static void offer_near_point(sn_probe *q, const patch *p, sn_dvec3 normal, double distance)
{
    const sn_world *world = q->world;
    const sn_skin_record *skin = contact_skin_of(&world->contact, p->row);
    if (skin->one_sided && dvec3_dot(normal, p->normal) < -EDGE_ON)
        return;
    sn_hit hit = {.skin = {skin->number, world->contact.skin_ids.generation[skin->number]},
                  .triangle = p->row - skin->first,
                  .point = dvec3_round(p->near_point),
                  .normal = dvec3_round(normal),
                  .distance = (sn_real)distance};
    for (uint32_t i = 0; i < 3; ++i) {
        hit.corner[i] = (sn_particle){p->number[i], world->ids.generation[p->number[i]]};
        hit.weight[i] = p->weight[i];
    }
    sn_probe_offer(q, &hit);
}

static void offer_patch(sn_probe *q, const patch *p, sn_dvec3 asker, double distance)
{
    offer_near_point(q, p, patch_normal(q, p, asker), distance);
}

void sn_probe_offer_triangle(sn_probe *q, uint32_t row, sn_vec3 near_point, sn_vec3 normal, double distance)
{
    patch p = patch_at(q, row);
    sn_triangle_near(near_point, p.x[0], p.x[1], p.x[2], p.weight);
    complete_patch(&p);
    offer_near_point(q, &p, dvec3_from(normal), distance);
}

/* Finds the point that is nearest to the probe's position or start. Returns the distance. */
static double near_patch(const sn_probe *q, patch *p)
{
    sn_triangle_near(q->path.from, p->x[0], p->x[1], p->x[2], p->weight);
    complete_patch(p);
    return dvec3_length(dvec3_sub(q->from, p->near_point));
}

static void hit_patch(sn_probe *q, patch *p)
{
    sn_bounds bounds = sn_probe_bounds(q, SN_SET_SKINS, p->row);
    double in, out;
    sn_real t;
    if (!sn_probe_clip(q, &bounds, &in, &out) || !probe_is_early(q, in) ||
        !sn_probe_wants_slot(q, q->world->ids.value[p->number[0]]))
        return;
    if (in == 0 && q->path.radius > 0 && near_patch(q, p) < (double)q->path.radius) {
        offer_patch(q, p, q->from, 0);
        return;
    }
    if (!sn_triangle_cast(&q->path, p->x[0], p->x[1], p->x[2], &t, p->weight))
        return;
    complete_patch(p);
    double s = (double)t * q->length;
    if (probe_is_early(q, s))
        offer_patch(q, p, probe_place(q, s), s);
}

bool sn_probe_triangle(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    patch p = patch_at(q, row);
    if (q->travels) {
        hit_patch(q, &p);
        return probe_goes_on(q);
    }
    sn_bounds bounds = sn_probe_bounds(q, SN_SET_SKINS, row);
    if (sn_probe_gap_to(q, &bounds) > (double)q->limit * SN_PROBE_FARTHER)
        return true;
    double distance = near_patch(q, &p);
    if (is_within(q, distance) && sn_probe_wants_slot(q, q->world->ids.value[p.number[0]]))
        offer_patch(q, &p, q->from, distance);
    return probe_goes_on(q);
}

/* ---- Fixed shapes ------------------------------------------------------------------------------------------------ */

static sn_pose pose_of(const sn_fixed_shape *record)
{
    return record->pose;
}

static void offer_fixed_shape(sn_probe *q, const sn_fixed_shape *record, const sn_touch *touch, double distance)
{
    sn_pose pose = pose_of(record);
    sn_hit hit = {.body = {record->body, q->world->bodies.names.generation[record->body]},
                  .shape = record->index,
                  .triangle = record->shape.type == SN_SHAPE_MESH ? touch->part : SN_NO_TRIANGLE,
                  .point = sn_pose_to_world(&pose, touch->point),
                  .normal = sn_quat_rotate(pose.rotation, touch->normal),
                  .distance = (sn_real)distance};
    sn_probe_offer(q, &hit);
}

/* True if the probe starts inside a fixed shape, or overlaps it there. */
static bool starts_inside(const sn_probe *q, const sn_fixed_shape *record, sn_touch *touch)
{
    sn_pose pose = pose_of(record);
    return sn_shape_near(&record->shape, sn_pose_to_own(&pose, q->path.from), q->path.radius, touch) &&
           touch->distance < q->path.radius;
}

/* The path is cut to the neighbourhood of the fixed shape: coordinates and times are precise there however far away it
   begins and ends. */
static void hit_fixed_shape(sn_probe *q, const sn_fixed_shape *record, const sn_bounds *bounds)
{
    double in, out;
    sn_touch touch;
    sn_real t;
    if (!sn_probe_clip(q, bounds, &in, &out) || !probe_is_early(q, in))
        return;
    if (in == 0 && starts_inside(q, record, &touch)) {
        offer_fixed_shape(q, record, &touch, 0);
        return;
    }
    sn_pose pose = pose_of(record);
    sn_vec3 displacement = dvec3_round(dvec3_scale(q->direction, out - in));
    sn_path path = {sn_pose_to_own(&pose, dvec3_round(probe_place(q, in))),
                    sn_quat_rotate_back(pose.rotation, displacement), q->path.radius};
    if (!sn_shape_cast(&record->shape, &path, &t, &touch))
        return;
    double s = in + (double)t * (out - in);
    if (probe_is_early(q, s))
        offer_fixed_shape(q, record, &touch, s);
}

static void near_fixed_shape(sn_probe *q, const sn_fixed_shape *record, const sn_bounds *bounds)
{
    sn_touch touch;
    if (sn_probe_gap_to(q, bounds) > (double)q->limit * SN_PROBE_FARTHER)
        return;
    sn_pose pose = pose_of(record);
    sn_vec3 p = sn_pose_to_own(&pose, q->path.from);
    if (sn_shape_near(&record->shape, p, q->limit * (sn_real)SN_PROBE_FARTHER, &touch) &&
        is_within(q, (double)touch.distance))
        offer_fixed_shape(q, record, &touch, (double)touch.distance);
}

bool sn_probe_fixed_shape(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    const sn_fixed_shape *record = &contact_fixed_shapes(&q->world->contact)[row];
    if (!sn_probe_wants_fixed_shape(q, record))
        return true;
    sn_bounds bounds = sn_probe_bounds(q, SN_SET_FIXED, row);
    bool callback = record->shape.type == SN_SHAPE_FIELD && record->shape.data->field.function;
    if (callback)
        sn_query_enter_callback(q->world);
    if (q->travels)
        hit_fixed_shape(q, record, &bounds);
    else
        near_fixed_shape(q, record, &bounds);
    if (callback)
        sn_query_leave_callback(q->world);
    return probe_goes_on(q);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* The best hit among the parts of a body: earliest on the path, or with the nearest surface, or, from inside,
   deepest. */
typedef struct near_point {
    bool found;
    uint32_t part;
    sn_touch touch;
    double distance, depth; /* m: the reported distance; and the signed distance, which decides between overlapping
                               parts */
} near_point;

static void take_near_point(near_point *best, uint32_t part, const sn_touch *touch, double distance)
{
    double depth = (double)touch->distance;
    if (best->found && !(distance < best->distance || (distance == best->distance && depth < best->depth)))
        return;
    *best = (near_point){true, part, *touch, distance, depth};
}

/* See hit_fixed_shape. */
static void hit_part(const sn_probe *q, const sn_pose *pose, uint32_t part, double in, double out, near_point *best)
{
    const sn_convex *convex = &q->world->bodies.part[part].convex;
    sn_touch touch;
    sn_real t;
    if (in == 0 && sn_convex_near(convex, sn_pose_to_own(pose, q->path.from), q->path.radius, &touch) &&
        touch.distance < q->path.radius) {
        take_near_point(best, part, &touch, 0);
        return;
    }
    sn_vec3 displacement = dvec3_round(dvec3_scale(q->direction, out - in));
    sn_path path = {sn_pose_to_own(pose, dvec3_round(probe_place(q, in))),
                    sn_quat_rotate_back(pose->rotation, displacement), q->path.radius};
    if (sn_convex_cast(convex, &path, &t, &touch))
        take_near_point(best, part, &touch, in + (double)t * (out - in));
}

static void near_part(const sn_probe *q, const sn_pose *pose, uint32_t part, near_point *best)
{
    sn_touch touch;
    if (sn_convex_near(&q->world->bodies.part[part].convex, sn_pose_to_own(pose, q->path.from),
                       q->limit * (sn_real)SN_PROBE_FARTHER, &touch))
        take_near_point(best, part, &touch, (double)touch.distance);
}

static void offer_body(sn_probe *q, uint32_t row, const near_point *best)
{
    const sn_bodies *bodies = &q->world->bodies;
    sn_pose pose = sn_query_part_pose(q->world, row, best->part);
    sn_hit hit = {.body = sn_body_of_row(q->world, row),
                  .shape = best->part - bodies->state[row].part,
                  .triangle = SN_NO_TRIANGLE,
                  .point = sn_pose_to_world(&pose, best->touch.point),
                  .normal = sn_quat_rotate(pose.rotation, best->touch.normal),
                  .distance = (sn_real)best->distance};
    sn_probe_offer(q, &hit);
}

bool sn_probe_body(void *probe, uint32_t row)
{
    sn_probe *q = probe;
    const sn_body_state *body = &q->world->bodies.state[row];
    near_point best = {0};
    double in, out;
    if (!bodies_has(&q->world->bodies, row))
        return true;
    const uint32_t slot = q->world->ids.value[body->particle];
    sn_bounds bounds = sn_probe_bounds(q, SN_SET_BODIES, row);
    if (q->travels ? !sn_probe_clip(q, &bounds, &in, &out) || !probe_is_early(q, in)
                   : sn_probe_gap_to(q, &bounds) > (double)q->limit * SN_PROBE_FARTHER)
        return true;
    for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
        sn_pose pose = sn_query_part_pose(q->world, row, i);
        if (!sn_probe_wants_part(q, i, slot))
            continue;
        if (q->travels)
            hit_part(q, &pose, i, in, out, &best);
        else
            near_part(q, &pose, i, &best);
    }
    if (best.found && (q->travels ? probe_is_early(q, best.distance) : is_within(q, best.distance)))
        offer_body(q, row, &best);
    return probe_goes_on(q);
}
