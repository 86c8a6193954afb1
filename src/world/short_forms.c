/* Short calls, one for each usual constraint. Each is sn_constraint_add with the given points and parameters. */
#include "world/world.h"

#include <string.h>

sn_real sn_compliance(sn_real stiffness)
{
    return stiffness > 0 ? 1 / stiffness : (sn_real)NAN;
}

static sn_constraint add(sn_world *world, uint32_t kind, const sn_point *points, const sn_real *param, size_t count)
{
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.points = points;
    if (count)
        memcpy(def.param, param, count * sizeof *param);
    sn_constraint constraint;
    sn_constraint_add(world, &def, &constraint);
    return constraint;
}

sn_constraint sn_constraint_add_distance(sn_world *world, sn_point a, sn_point b, sn_real rest)
{
    return add(world, SN_KIND_DISTANCE, (sn_point[]){a, b}, &rest, 1);
}

sn_constraint sn_constraint_add_distance_min(sn_world *world, sn_point a, sn_point b, sn_real least)
{
    return add(world, SN_KIND_DISTANCE_MIN, (sn_point[]){a, b}, &least, 1);
}

sn_constraint sn_constraint_add_distance_max(sn_world *world, sn_point a, sn_point b, sn_real most)
{
    return add(world, SN_KIND_DISTANCE_MAX, (sn_point[]){a, b}, &most, 1);
}

sn_constraint sn_constraint_add_distance_band(sn_world *world, sn_point a, sn_point b, sn_real least, sn_real most)
{
    return add(world, SN_KIND_DISTANCE_BAND, (sn_point[]){a, b}, (sn_real[]){least, most}, 2);
}

sn_constraint sn_constraint_add_pin(sn_world *world, sn_particle particle)
{
    return add(world, SN_KIND_PIN, (sn_point[]){sn_at(particle)}, NULL, 0);
}

sn_constraint sn_constraint_add_pin_at(sn_world *world, sn_point point, sn_vec3 target)
{
    return add(world, SN_KIND_PIN, &point, (sn_real[]){target.x, target.y, target.z}, 3);
}

sn_constraint sn_constraint_add_attachment(sn_world *world, sn_point a, sn_point b)
{
    return add(world, SN_KIND_ATTACHMENT, (sn_point[]){a, b}, NULL, 0);
}

sn_constraint sn_constraint_add_half_space(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 normal)
{
    sn_real param[] = {origin.x, origin.y, origin.z, normal.x, normal.y, normal.z};
    return add(world, SN_KIND_HALF_SPACE, &point, param, 6);
}

sn_constraint sn_constraint_add_box(sn_world *world, sn_point point, sn_vec3 least, sn_vec3 most)
{
    sn_real param[] = {least.x, least.y, least.z, most.x, most.y, most.z};
    return add(world, SN_KIND_BOX, &point, param, 6);
}

sn_constraint sn_constraint_add_pulley(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d, sn_real ratio,
                                       sn_real most)
{
    return add(world, SN_KIND_PULLEY, (sn_point[]){a, b, c, d}, (sn_real[]){ratio, most}, 2);
}

sn_constraint sn_constraint_add_spring(sn_world *world, sn_point a, sn_point b, sn_real rest, sn_real stiffness,
                                       sn_real damping)
{
    return add(world, SN_KIND_SPRING, (sn_point[]){a, b}, (sn_real[]){rest, stiffness, damping}, 3);
}

sn_constraint sn_constraint_add_angle(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real angle)
{
    return add(world, SN_KIND_ANGLE, (sn_point[]){a, b, c}, &angle, 1);
}

sn_constraint sn_constraint_add_angle_min(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real least)
{
    return add(world, SN_KIND_ANGLE_MIN, (sn_point[]){a, b, c}, &least, 1);
}

sn_constraint sn_constraint_add_angle_max(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real most)
{
    return add(world, SN_KIND_ANGLE_MAX, (sn_point[]){a, b, c}, &most, 1);
}

sn_constraint sn_constraint_add_hinge(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis, sn_real angle)
{
    return add(world, SN_KIND_HINGE, (sn_point[]){a, b, c}, (sn_real[]){axis.x, axis.y, axis.z, angle}, 4);
}

sn_constraint sn_constraint_add_hinge_min(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                          sn_real least)
{
    return add(world, SN_KIND_HINGE_MIN, (sn_point[]){a, b, c}, (sn_real[]){axis.x, axis.y, axis.z, least}, 4);
}

sn_constraint sn_constraint_add_hinge_max(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                          sn_real most)
{
    return add(world, SN_KIND_HINGE_MAX, (sn_point[]){a, b, c}, (sn_real[]){axis.x, axis.y, axis.z, most}, 4);
}

sn_constraint sn_constraint_add_hinge_band(sn_world *world, sn_point a, sn_point b, sn_point c, sn_vec3 axis,
                                           sn_real least, sn_real most)
{
    return add(world, SN_KIND_HINGE_BAND, (sn_point[]){a, b, c}, (sn_real[]){axis.x, axis.y, axis.z, least, most}, 5);
}

sn_constraint sn_constraint_add_hinge_points(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                             sn_point e, sn_real least, sn_real most)
{
    return add(world, SN_KIND_HINGE_POINTS, (sn_point[]){a, b, c, d, e}, (sn_real[]){least, most}, 2);
}

sn_constraint sn_constraint_add_dihedral(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d, sn_real rest)
{
    return add(world, SN_KIND_DIHEDRAL, (sn_point[]){a, b, c, d}, &rest, 1);
}

sn_constraint sn_constraint_add_bending(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d)
{
    return add(world, SN_KIND_BENDING, (sn_point[]){a, b, c, d}, NULL, 0);
}

sn_constraint sn_constraint_add_area(sn_world *world, sn_point a, sn_point b, sn_point c, sn_real rest)
{
    return add(world, SN_KIND_AREA, (sn_point[]){a, b, c}, &rest, 1);
}

sn_constraint sn_constraint_add_volume(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d, sn_real rest)
{
    return add(world, SN_KIND_VOLUME, (sn_point[]){a, b, c, d}, &rest, 1);
}

sn_constraint sn_constraint_add_connector_axis(sn_world *world, sn_point a, sn_point b, sn_vec3 axis)
{
    return add(world, SN_KIND_CONNECTOR_AXIS, (sn_point[]){a, b}, (sn_real[]){axis.x, axis.y, axis.z}, 3);
}

sn_constraint sn_constraint_add_connector_plane(sn_world *world, sn_point a, sn_point b, sn_vec3 normal)
{
    return add(world, SN_KIND_CONNECTOR_PLANE, (sn_point[]){a, b}, (sn_real[]){normal.x, normal.y, normal.z}, 3);
}

sn_constraint sn_constraint_add_on_line(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 direction)
{
    sn_real param[] = {origin.x, origin.y, origin.z, direction.x, direction.y, direction.z};
    return add(world, SN_KIND_ON_LINE, &point, param, 6);
}

sn_constraint sn_constraint_add_on_circle(sn_world *world, sn_point point, sn_vec3 centre, sn_vec3 normal,
                                          sn_real radius)
{
    sn_real param[] = {centre.x, centre.y, centre.z, normal.x, normal.y, normal.z, radius};
    return add(world, SN_KIND_ON_CIRCLE, &point, param, 7);
}

sn_constraint sn_constraint_add_on_sphere(sn_world *world, sn_point point, sn_vec3 centre, sn_real radius)
{
    return add(world, SN_KIND_ON_SPHERE, &point, (sn_real[]){centre.x, centre.y, centre.z, radius}, 4);
}

sn_constraint sn_constraint_add_point_triangle(sn_world *world, sn_point q, sn_point a, sn_point b, sn_point c,
                                               sn_real thickness)
{
    return add(world, SN_KIND_POINT_TRIANGLE, (sn_point[]){q, a, b, c}, &thickness, 1);
}

sn_constraint sn_constraint_add_edge_edge(sn_world *world, sn_point a, sn_point b, sn_point c, sn_point d,
                                          sn_real thickness)
{
    return add(world, SN_KIND_EDGE_EDGE, (sn_point[]){a, b, c, d}, &thickness, 1);
}

/* ---- Beads on curves of particles ------------------------------------------------------------------------------- */

static sn_constraint add_bead(sn_world *world, uint32_t kind, sn_particle bead, uint32_t count,
                              const sn_particle *controls)
{
    sn_constraint constraint = {0};
    if (sn_world_enter(world) != SN_OK)
        return constraint;
    if (!controls || count >= SN_MAX_COUNT / 4) {
        world_fail(world, SN_ERROR_ARGUMENT,
                   controls ? "%u control points are too many" : "the array of %u particles is NULL", count);
        return constraint;
    }
    size_t size = ((size_t)count + 1) * sizeof(sn_point);
    sn_point *points = sn_allocate(&world->allocator, size);
    if (!points) {
        world_fail(world, SN_ERROR_MEMORY, "no memory for a curve of %u control points", count);
        return constraint;
    }
    points[0] = sn_at(bead);
    for (uint32_t i = 0; i < count; ++i)
        points[i + 1] = sn_at(controls[i]);
    sn_constraint_def def = sn_default_constraint_def(kind);
    def.points = points;
    def.point_count = count + 1;
    sn_constraint_add(world, &def, &constraint);
    sn_release(&world->allocator, points, size);
    return constraint;
}

sn_constraint sn_constraint_add_on_polyline(sn_world *world, sn_particle bead, uint32_t count,
                                            const sn_particle *corners)
{
    return add_bead(world, SN_KIND_ON_POLYLINE, bead, count, corners);
}

sn_constraint sn_constraint_add_on_spline(sn_world *world, sn_particle bead, uint32_t count,
                                          const sn_particle *controls)
{
    return add_bead(world, SN_KIND_ON_SPLINE, bead, count, controls);
}

/* ---- Many particles on a line or in a plane --------------------------------------------------------------------- */

static sn_vec3 position(const sn_world *world, sn_particle particle)
{
    return vec4_xyz(world->particles.x[world->ids.value[particle.index]]);
}

/* The squared distance of a particle from the span of the first `chosen` frame particles (none, a point, a line), up to
   a common factor. */
static double spread2(const sn_world *world, const sn_particle *frame, uint32_t chosen, sn_particle particle)
{
    if (chosen == 0)
        return 0;
    sn_vec3 a = position(world, frame[0]), d = vec3_sub(position(world, particle), a);
    if (chosen == 2)
        d = vec3_cross(vec3_sub(position(world, frame[1]), a), d);
    return vec3_dot_double(d, d);
}

/* The particle farthest from that span that is not chosen yet; the first of several. */
static sn_particle farthest(const sn_world *world, uint32_t count, const sn_particle *particles,
                            const sn_particle *frame, uint32_t chosen)
{
    sn_particle best = {0, 0};
    double best2 = -1;
    for (uint32_t i = 0; i < count; ++i) {
        bool taken = false;
        for (uint32_t j = 0; j < chosen; ++j)
            taken = taken || particles[i].index == frame[j].index;
        double d2 = spread2(world, frame, chosen, particles[i]);
        if (!taken && d2 > best2) {
            best = particles[i];
            best2 = d2;
        }
    }
    return best;
}

/* Chooses the particles relative to which the others are measured: the first far from some particle, the second far
   from the first, the third far from the line through both. False if there are too few different particles. */
static bool choose_frame(const sn_world *world, uint32_t framed, uint32_t count, const sn_particle *particles,
                         sn_particle *frame)
{
    frame[0] = particles[0];
    frame[0] = farthest(world, count, particles, frame, 1);
    for (uint32_t i = 1; i < framed && frame[i - 1].generation; ++i)
        frame[i] = farthest(world, count, particles, frame, i);
    return frame[framed - 1].generation != 0;
}

/* For each of the other particles, writes the numbers of the frame and its own. Returns how many others there are. */
static uint32_t list_others(uint32_t framed, const sn_particle *frame, uint32_t count, const sn_particle *particles,
                            uint32_t *index)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool is_frame = false;
        for (uint32_t j = 0; j < framed; ++j)
            is_frame = is_frame || particles[i].index == frame[j].index;
        if (is_frame)
            continue;
        for (uint32_t j = 0; j < framed; ++j)
            *index++ = frame[j].index;
        *index++ = particles[i].index;
        ++others;
    }
    return others;
}

/* Adds a constraint of the kind for every particle except the `framed` (2 or 3) particles of the frame. */
static sn_result add_flat(sn_world *world, uint32_t kind, uint32_t framed, uint32_t count, const sn_particle *particles,
                          sn_constraints *run)
{
    const char *name = sn_kind_info(NULL, kind)->name;
    sn_particle frame[3] = {{0, 0}, {0, 0}, {0, 0}};
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!particles || count <= framed || count > SN_MAX_COUNT)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s: %u particles; there must be an array of %u or more", name,
                          count, framed + 1);
    for (uint32_t i = 0; i < count; ++i)
        if (sn_world_slot(world, particles[i]) == SN_NO_SLOT)
            return SN_ERROR_STALE;
    size_t size = (size_t)count * (framed + 1) * sizeof(uint32_t);
    uint32_t *index = sn_allocate(&world->allocator, size);
    if (!index)
        return world_fail(world, SN_ERROR_MEMORY, "%s: no memory for %u particles", name, count);
    sn_constraint_def def = sn_default_constraint_def(kind);
    if (choose_frame(world, framed, count, particles, frame) &&
        list_others(framed, frame, count, particles, index) == count - framed)
        result = sn_constraints_add(world, &def, count - framed, index, NULL, run);
    else
        result = world_fail(world, SN_ERROR_ARGUMENT, "%s: a particle is named twice", name);
    sn_release(&world->allocator, index, size);
    return result;
}

sn_constraints sn_constraints_add_collinear(sn_world *world, uint32_t count, const sn_particle *particles)
{
    sn_constraints run = {0};
    add_flat(world, SN_KIND_COLLINEAR, 2, count, particles, &run);
    return run;
}

sn_constraints sn_constraints_add_coplanar(sn_world *world, uint32_t count, const sn_particle *particles)
{
    sn_constraints run = {0};
    add_flat(world, SN_KIND_COPLANAR, 3, count, particles, &run);
    return run;
}

sn_constraints sn_constraints_add_kind(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
                                       const sn_real *param, const sn_material *material)
{
    sn_constraint_def def = sn_default_constraint_def(kind);
    if (material) {
        def.compliance = material->compliance;
        def.damping = material->damping;
    }
    sn_constraints run;
    sn_constraints_add(world, &def, count, index, param, &run);
    return run;
}
