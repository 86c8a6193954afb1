/* A point on a line, a circle or a sphere that is fixed in the world (particle on a curve, lecture 004). The
   lecture's C = (x . x - 1) / 2 has the gradient x; written as a distance the gradient has length 1, so that C is in
   metres and the multiplier in newtons. */
#include "constraints/perpendicular.h"
#include "constraints/table.h"

/* A distance from the axis below this share of the distance from the centre is rounding, and has no direction. */
#define ON_AXIS (SINEW_DOUBLE ? (sn_real)1e-15 : (sn_real)5e-7)

static sn_vec3 param_vector(const sn_real *param)
{
    return vec3(param[0], param[1], param[2]);
}

static void set_param(sn_real *param, sn_vec3 value)
{
    param[0] = value.x;
    param[1] = value.y;
    param[2] = value.z;
}

/* ---- Line ------------------------------------------------------------------------------------------------------- */

/* C = ((a - origin) . u, (a - origin) . v), u and v perpendicular to the line: linear. */
static bool eval_line(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 q = vec3_sub(in->x[0], param_vector(in->param));
    sn_perpendicular p = perpendicular(param_vector(in->param + 3));
    out->c[0] = vec3_dot(q, p.u);
    out->c[1] = vec3_dot(q, p.v);
    out->gradient[0] = p.u;
    out->gradient[1] = p.v;
    return true;
}

/* The line through the point as it is now, along x where no direction is given. */
static void measure_line(const sn_eval_in *in, sn_real *param)
{
    set_param(param, in->x[0]);
    set_param(param + 3, vec3(1, 0, 0));
}

const sn_kind sn_kind_on_line = {
    .name = "on_line",
    .about = "A bead on a straight wire: a point stays on a line of the world.",
    .formula = "C = ((a - origin) . u, (a - origin) . v), u and v perpendicular to direction",
    .unit = "m",
    .points = 1,
    .rows = 2,
    .param = {{.name = "origin", .unit = "m", .type = SN_PARAM_POSITION},
              {.name = "direction", .unit = "1", .type = SN_PARAM_DIRECTION}},
    .eval = eval_line,
    .measure = measure_line,
};

/* ---- Circle ----------------------------------------------------------------------------------------------------- */

/* C = (height above the plane of the circle, distance from its axis - radius). On the axis the second has no
   gradient. */
static bool eval_circle(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 q = vec3_sub(in->x[0], param_vector(in->param)), normal = param_vector(in->param + 3);
    sn_real height = vec3_dot(q, normal);
    sn_vec3 radial = vec3_sub(q, vec3_scale(normal, height));
    sn_real r = vec3_length(radial);
    if (!(r > ON_AXIS * real_abs(height)))
        return false;
    out->c[0] = height;
    out->c[1] = r - in->param[6];
    out->gradient[0] = normal;
    out->gradient[1] = vec3_scale(radial, 1 / r);
    return true;
}

/* What was given counts; else the normal is z, and the centre the foot of the point on the axis through the origin. */
static void measure_circle(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 normal = in->param[3] == SN_MEASURE ? vec3(0, 0, 1) : param_vector(in->param + 3);
    normal = vec3_scale(normal, 1 / vec3_length(normal));
    sn_vec3 centre = vec3_scale(normal, vec3_dot(in->x[0], normal));
    if (in->param[0] != SN_MEASURE)
        centre = param_vector(in->param);
    sn_vec3 q = vec3_sub(in->x[0], centre);
    set_param(param, centre);
    set_param(param + 3, normal);
    param[6] = vec3_length(vec3_sub(q, vec3_scale(normal, vec3_dot(q, normal))));
}

const sn_kind sn_kind_on_circle = {
    .name = "on_circle",
    .about = "A bead on a hoop: a point stays on a circle of the world.",
    .formula = "C = (h, |a - centre - h normal| - radius), h = (a - centre) . normal",
    .unit = "m",
    .points = 1,
    .rows = 2,
    .param = {{.name = "centre", .unit = "m", .type = SN_PARAM_POSITION},
              {.name = "normal", .unit = "1", .type = SN_PARAM_DIRECTION},
              {.name = "radius", .unit = "m", .least = 0, .most = (sn_real)1e30}},
    .eval = eval_circle,
    .measure = measure_circle,
};

/* ---- Sphere ----------------------------------------------------------------------------------------------------- */

/* C = |a - centre| - radius. In the centre there is no gradient. In a 2D world this is a circle. */
static bool eval_sphere(const sn_eval_in *in, const sn_eval_out *out)
{
    sn_vec3 q = vec3_sub(in->x[0], param_vector(in->param));
    sn_real r = vec3_length(q);
    if (!(r > 0))
        return false;
    out->c[0] = r - in->param[3];
    out->gradient[0] = vec3_scale(q, 1 / r);
    return true;
}

/* The centre is the origin where none is given. */
static void measure_sphere(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 centre = in->param[0] == SN_MEASURE ? vec3(0, 0, 0) : param_vector(in->param);
    set_param(param, centre);
    param[3] = vec3_length(vec3_sub(in->x[0], centre));
}

const sn_kind sn_kind_on_sphere = {
    .name = "on_sphere",
    .about = "A point stays on a sphere of the world; in 2D, on a circle.",
    .formula = "C = |a - centre| - radius",
    .unit = "m",
    .points = 1,
    .rows = 1,
    .param = {{.name = "centre", .unit = "m", .type = SN_PARAM_POSITION},
              {.name = "radius", .unit = "m", .least = 0, .most = (sn_real)1e30}},
    .eval = eval_sphere,
    .measure = measure_sphere,
};
