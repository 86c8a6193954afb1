/* Adding to a world, changing and removing, by numbers. */
#include "web/glue/glue.h"

#include <string.h>

static sn_vec3 vector(const double *at)
{
    return (sn_vec3){(sn_real)at[0], (sn_real)at[1], (sn_real)at[2]};
}

static sn_particle particle(web_world *w, uint32_t number)
{
    return sn_particle_from_index(w->world, number);
}

static sn_body body(web_world *w, uint32_t number)
{
    return sn_body_from_index(w->world, number);
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

/* in: position, velocity, mass, radius. *number: the number of the particle. */
WEB(web_particle_add)
sn_result web_particle_add(web_world *w, const double *in, uint32_t group, uint32_t *number)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle made;
    def.position = vector(in);
    def.velocity = vector(in + 3);
    def.mass = (sn_real)in[6];
    def.radius = (sn_real)in[7];
    def.group = group;
    sn_result result = sn_particle_add(w->world, &def, &made);
    *number = made.index;
    return result;
}

/* Adds many particles at rest; xyz are floats. *first: the number of the first. */
WEB(web_particles_add)
sn_result web_particles_add(web_world *w, uint32_t count, const sn_real *xyz, double mass, double radius,
                            uint32_t group, uint32_t *first)
{
    sn_particles run = sn_particles_add(w->world, count, xyz, 0, (sn_real)mass);
    sn_result result = run.count ? SN_OK : SN_ERROR_ARGUMENT;
    for (uint32_t i = 0; i < run.count && result == SN_OK && (radius != 0 || group); ++i) {
        result = sn_particle_set_radius(w->world, sn_particles_at(run, i), (sn_real)radius);
        if (result == SN_OK && group)
            result = sn_particle_set_group(w->world, sn_particles_at(run, i), group);
    }
    if (result != SN_OK && run.count)
        sn_particles_remove(w->world, run);
    *first = run.first;
    return result;
}

/* Actions on a particle. */
enum { SET_POSITION, SET_VELOCITY, SET_MASS, ADD_FORCE, ADD_IMPULSE, MOVE_TO, REMOVE };

WEB(web_particle_change)
sn_result web_particle_change(web_world *w, uint32_t number, int what, double x, double y, double z)
{
    sn_particle p = particle(w, number);
    sn_vec3 v = {(sn_real)x, (sn_real)y, (sn_real)z};
    if (!p.generation)
        return SN_ERROR_STALE;
    switch (what) {
    case SET_POSITION:
        return sn_particle_set_position(w->world, p, v);
    case SET_VELOCITY:
        return sn_particle_set_velocity(w->world, p, v);
    case SET_MASS:
        return sn_particle_set_mass(w->world, p, v.x);
    case ADD_FORCE:
        return sn_particle_apply_force(w->world, p, v);
    case ADD_IMPULSE:
        return sn_particle_apply_impulse(w->world, p, v);
    case MOVE_TO:
        return sn_particle_move_to(w->world, p, v);
    case REMOVE:
        return sn_particle_remove(w->world, p);
    default:
        return SN_ERROR_ARGUMENT;
    }
}

/* kg; infinite if immovable; NaN if there is no such particle. */
WEB(web_particle_mass) double web_particle_mass(web_world *w, uint32_t number)
{
    return (double)sn_particle_mass(w->world, particle(w, number));
}

/* Pins or releases a particle, or the body whose centre particle it is. */
WEB(web_pin) sn_result web_pin(web_world *w, uint32_t number, bool pin)
{
    if (!particle(w, number).generation)
        return SN_ERROR_STALE;
    bool done = pin ? sn_scene_pin(w->scene, 1, &number) : sn_scene_release(w->scene, 1, &number);
    return done ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

WEB(web_body_particle) int32_t web_body_particle(web_world *w, uint32_t number)
{
    sn_particle p = sn_body_particle(w->world, body(w, number));
    return p.generation ? (int32_t)p.index : -1;
}

WEB(web_particle_body) int32_t web_particle_body(web_world *w, uint32_t number)
{
    sn_body b = sn_particle_body(w->world, particle(w, number));
    return b.generation ? (int32_t)b.index : -1;
}

WEB(web_body_pose) sn_result web_body_pose(web_world *w, uint32_t number, const double *in)
{
    sn_quat q = {(sn_real)in[3], (sn_real)in[4], (sn_real)in[5], (sn_real)in[6]};
    return sn_body_set_pose(w->world, body(w, number), vector(in), q);
}

WEB(web_body_velocity) sn_result web_body_velocity(web_world *w, uint32_t number, const double *in)
{
    return sn_body_set_velocity(w->world, body(w, number), vector(in), vector(in + 3));
}

/* Transforms a point of the world into the body's own frame, in place. */
WEB(web_body_own) void web_body_own(web_world *w, uint32_t number, double *place)
{
    sn_vec3 own = sn_body_to_own(w->world, body(w, number), vector(place));
    place[0] = (double)own.x;
    place[1] = (double)own.y;
    place[2] = (double)own.z;
}

WEB(web_body_mass) double web_body_mass(web_world *w, uint32_t number)
{
    return (double)sn_body_mass(w->world, body(w, number));
}

WEB(web_body_remove) sn_result web_body_remove(web_world *w, uint32_t number)
{
    return sn_body_remove(w->world, body(w, number));
}

/* The number of the dynamic body that a document added last; -1: none. web_last_fixed: of the static or kinematic
   one. */
WEB(web_last_body) int32_t web_last_body(web_world *w)
{
    int32_t last = -1;
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(w->scene, i)); ++i)
        if (object->body_count)
            last = (int32_t)object->body[object->body_count - 1].handle.index;
    return last;
}

WEB(web_last_fixed) int32_t web_last_fixed(web_world *w)
{
    int32_t last = -1;
    const sn_scene_fixed *found;
    for (uint32_t i = 0; (found = sn_scene_fixed_at(w->scene, i)); ++i)
        last = (int32_t)found->handle.index;
    return last;
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

/* Five numbers: the type (0 a particle, 1 an anchor on a body, 2 a point of the world), its number, the position. */
#define POINT_NUMBERS 5

static bool read_points(web_world *w, uint32_t count, const double *in, sn_point *points)
{
    for (uint32_t i = 0; i < count; ++i, in += POINT_NUMBERS) {
        if (in[0] == 2) {
            points[i] = sn_at_place(vector(in + 2));
        } else if (in[0] == 1) {
            sn_body of = body(w, (uint32_t)in[1]);
            points[i] = sn_on_body(of, vector(in + 2));
            if (!of.generation)
                return false;
        } else {
            sn_particle p = particle(w, (uint32_t)in[1]);
            points[i] = sn_at(p);
            if (!p.generation)
                return false;
        }
    }
    return true;
}

static void tell_constraint(sn_constraint made, uint32_t *out)
{
    out[0] = made.kind;
    out[1] = made.index;
    out[2] = made.generation;
}

static sn_constraint constraint(const uint32_t *handle)
{
    return (sn_constraint){handle[0], handle[1], handle[2]};
}

/* material: compliance, damping, stiffness; NaN leaves the default. */
static void set_material(sn_constraint_def *def, const double *material)
{
    def->compliance = isnan(material[0]) ? def->compliance : (sn_real)material[0];
    def->damping = isnan(material[1]) ? def->damping : (sn_real)material[1];
    def->stiffness = isnan(material[2]) ? def->stiffness : (sn_real)material[2];
}

WEB(web_constraint_add)
sn_result web_constraint_add(web_world *w, uint32_t kind, uint32_t count, const double *points, uint32_t param_count,
                             const double *params, const double *material, uint32_t *out)
{
    enum { FEW = 8 };
    sn_point few[FEW], *all = few;
    sn_arena arena;
    sn_constraint made = {0, 0, 0};
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_arena_init(&arena, NULL);
    if (count > FEW && !(all = sn_arena_take(&arena, count, sizeof *all)))
        return SN_ERROR_MEMORY;
    sn_result result = SN_ERROR_STALE;
    if (read_points(w, count, points, all)) {
        def.point_count = count;
        def.points = all;
        for (uint32_t i = 0; i < param_count && i < SN_MAX_PARAM_NUMBERS; ++i)
            def.param[i] = (sn_real)params[i];
        set_material(&def, material);
        result = sn_constraint_add(w->world, &def, &made);
    }
    tell_constraint(made, out);
    sn_arena_release(&arena);
    return result;
}

WEB(web_constraints_add)
sn_result web_constraints_add(web_world *w, uint32_t kind, uint32_t count, const uint32_t *index, const sn_real *params,
                              const double *material)
{
    sn_constraint_def def = sn_default_constraint_def(kind);
    set_material(&def, material);
    return sn_constraints_add(w->world, &def, count, index, params, NULL);
}

WEB(web_constraint_remove) sn_result web_constraint_remove(web_world *w, const uint32_t *handle)
{
    return sn_constraint_remove(w->world, constraint(handle));
}

WEB(web_constraint_param)
sn_result web_constraint_param(web_world *w, const uint32_t *handle, const char *name, const double *value,
                               uint32_t count)
{
    sn_real numbers[3] = {(sn_real)value[0], (sn_real)value[1], (sn_real)value[2]};
    return sn_constraint_set_param(w->world, constraint(handle), name, numbers, count);
}

WEB(web_constraint_force) double web_constraint_force(web_world *w, const uint32_t *handle)
{
    return (double)sn_constraint_force(w->world, constraint(handle)).magnitude;
}

/* Sets the material of all constraints of a kind (0: of all kinds). Constraints of kinds without a material refuse
   it and are skipped. *count: how many accepted. An error only if all refused. */
WEB(web_material) sn_result web_material(web_world *w, uint32_t kind, const double *material, uint32_t *count)
{
    sn_constraint_walk walk = {0};
    sn_result result = SN_OK;
    *count = 0;
    while (sn_constraint_next(w->world, &walk)) {
        sn_constraint c = walk.constraint;
        sn_constraint_def def;
        sn_point points[SN_MAX_POINTS];
        const sn_kind *info = sn_kind_info(w->world, c.kind);
        if ((kind && c.kind != kind) || !info->points || info->project || info->force ||
            sn_constraint_read(w->world, c, &def, points, SN_MAX_POINTS) != SN_OK)
            continue;
        set_material(&def, material);
        sn_result one = sn_constraint_set_material(w->world, c, (sn_material){def.compliance, def.damping});
        if (one == SN_OK && !isnan(material[2]))
            one = sn_constraint_set_stiffness(w->world, c, (sn_real)material[2]);
        *count += one == SN_OK;
        result = one == SN_OK ? result : one;
    }
    return *count ? SN_OK : result;
}

/* in: anchor, axis, then the numbers of sn_joint_def from least to torque_strength in their order, with second_axis
   after spring_damping; SN_MEASURE for values that are not given. */
WEB(web_joint_add)
sn_result web_joint_add(web_world *w, uint32_t kind, int32_t a, int32_t b, const double *in, uint32_t *out)
{
    sn_joint_def def = sn_default_joint_def(kind);
    sn_real *const numbers[] = {&def.least,
                                &def.most,
                                &def.target,
                                &def.target_most,
                                &def.target_compliance,
                                &def.target_damping,
                                &def.speed,
                                &def.speed_most,
                                &def.friction,
                                &def.linear_compliance,
                                &def.linear_damping,
                                &def.angular_compliance,
                                &def.angular_damping,
                                &def.swing,
                                &def.rest,
                                &def.spring_compliance,
                                &def.spring_damping,
                                &def.second_axis.x,
                                &def.second_axis.y,
                                &def.second_axis.z,
                                &def.target_turn.x,
                                &def.target_turn.y,
                                &def.target_turn.z,
                                &def.strength,
                                &def.torque_strength};
    def.a = a < 0 ? (sn_body){0, 0} : body(w, (uint32_t)a);
    def.b = b < 0 ? (sn_body){0, 0} : body(w, (uint32_t)b);
    tell_constraint((sn_constraint){0, 0, 0}, out);
    if ((a >= 0 && !def.a.generation) || (b >= 0 && !def.b.generation))
        return SN_ERROR_STALE;
    def.anchor = vector(in);
    def.axis = vector(in + 3);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if ((sn_real)in[6 + i] != SN_MEASURE)
            *numbers[i] = (sn_real)in[6 + i];
    sn_constraint made = sn_joint_add(w->world, &def);
    tell_constraint(made, out);
    return made.generation ? SN_OK : SN_ERROR_ARGUMENT;
}
