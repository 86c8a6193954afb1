/* The short forms: one call for the usual constraint. Each is sn_constraint_add with the points and parameters given. */
#include <sinew/sinew.h>

#include <string.h>

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

sn_constraint sn_add_distance(sn_world *world, sn_point a, sn_point b, sn_real rest)
{
    return add(world, SN_KIND_DISTANCE, (sn_point[]){a, b}, &rest, 1);
}

sn_constraint sn_add_distance_min(sn_world *world, sn_point a, sn_point b, sn_real least)
{
    return add(world, SN_KIND_DISTANCE_MIN, (sn_point[]){a, b}, &least, 1);
}

sn_constraint sn_add_distance_max(sn_world *world, sn_point a, sn_point b, sn_real most)
{
    return add(world, SN_KIND_DISTANCE_MAX, (sn_point[]){a, b}, &most, 1);
}

sn_constraint sn_add_distance_band(sn_world *world, sn_point a, sn_point b, sn_real least, sn_real most)
{
    return add(world, SN_KIND_DISTANCE_BAND, (sn_point[]){a, b}, (sn_real[]){least, most}, 2);
}

sn_constraint sn_add_pin(sn_world *world, sn_particle particle)
{
    return add(world, SN_KIND_PIN, (sn_point[]){sn_at(particle)}, NULL, 0);
}

sn_constraint sn_add_pin_at(sn_world *world, sn_point point, sn_vec3 target)
{
    return add(world, SN_KIND_PIN, &point, (sn_real[]){target.x, target.y, target.z}, 3);
}

sn_constraint sn_add_attachment(sn_world *world, sn_point a, sn_point b)
{
    return add(world, SN_KIND_ATTACHMENT, (sn_point[]){a, b}, NULL, 0);
}

sn_constraint sn_add_half_space(sn_world *world, sn_point point, sn_vec3 origin, sn_vec3 normal)
{
    sn_real param[] = {origin.x, origin.y, origin.z, normal.x, normal.y, normal.z};
    return add(world, SN_KIND_HALF_SPACE, &point, param, 6);
}

sn_constraint sn_add_box(sn_world *world, sn_point point, sn_vec3 least, sn_vec3 most)
{
    sn_real param[] = {least.x, least.y, least.z, most.x, most.y, most.z};
    return add(world, SN_KIND_BOX, &point, param, 6);
}

sn_constraints sn_add_constraints(sn_world *world, uint32_t kind, uint32_t count, const uint32_t *index,
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
