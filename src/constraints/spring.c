/* A spring: a force, not a constraint (lecture 001, mass-spring systems).

   With n the unit vector from b to a and l their distance, the force on a is -(stiffness (l - rest) + damping dl/dt) n,
   and the opposite on b; dl/dt = n . (v_a - v_b). The lecture's slide uses the stiffness as damping coefficient, too;
   here damping is a separate parameter. Explicit: stable while stiffness h^2 / m stays well below 1;
   src/world/springs.c checks that. The energy is stiffness (l - rest)^2 / 2. */
#include "base/vec.h"
#include "constraints/table.h"

static bool eval_spring(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 ab = vec3_sub(in->x[0], in->x[1]);
    sn_real length = vec3_length(ab);
    if (!(length > 0))
        return false;
    out->c[0] = length - in->param[0];
    out->gradient[0] = vec3_scale(ab, 1 / length);
    out->gradient[1] = vec3_scale(ab, -1 / length);
    return true;
}

static sn_real spring_force(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force)
{
    const sn_real rest = in->param[0], stiffness = in->param[1], damping = in->param[2];
    sn_vec3 ab = vec3_sub(in->x[0], in->x[1]);
    sn_real length = vec3_length(ab);
    sn_real stretch = length - rest;
    if (length > 0) { /* without length there is no direction and no force */
        sn_vec3 n = vec3_scale(ab, 1 / length);
        sn_real pull = stiffness * stretch + damping * vec3_dot(n, vec3_sub(v[0], v[1]));
        force[0] = vec3_scale(n, -pull);
        force[1] = vec3_scale(n, pull);
    }
    return stiffness * stretch * stretch / 2;
}

static sn_real spring_stiffness(const sn_real *param, void *context, sn_real *damping)
{
    (void)context;
    *damping = param[2];
    return param[1];
}

static void measure_spring(const sn_eval_in *in, sn_real *param)
{
    param[0] = vec3_length(vec3_sub(in->x[0], in->x[1]));
}

const sn_kind sn_kind_spring = {
    .name = "spring",
    .about = "A spring with a damper: a force between two points, for springs and rods in one world.",
    .formula = "C = |a - b| - rest, force = -(stiffness C + damping dC/dt) along a - b",
    .unit = "m",
    .points = 2,
    .rows = 1,
    .internal = true,
    .param = {{.name = "rest", .unit = "m", .least = 0, .most = (sn_real)1e30},
              {.name = "stiffness", .unit = "N/m", .least = 0, .most = (sn_real)1e30},
              {.name = "damping", .unit = "N s/m", .has_default = true, .least = 0, .most = (sn_real)1e30}},
    .eval = eval_spring,
    .measure = measure_spring,
    .force = spring_force,
    .stiffness = spring_stiffness,
};
