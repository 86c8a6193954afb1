/* A point on a line, a circle or a sphere that is fixed in the world (particle on a curve, lecture 004). The
   lecture's C = (x . x - 1) / 2 has the gradient x; written as a distance the gradient has length 1, so that C is in
   metres and the multiplier in newtons. */
#include "base/vec.h"
#include "constraints/table.h"

#include <sinew/lanes.h>

/* A distance from the axis below this share of the distance from the centre is rounding error, and has no direction. */
#define ON_AXIS SN_LANES_BY_PRECISION(5e-7, 1e-15)

/* C = ((a - origin) . u, (a - origin) . v), with u and v perpendicular to the line: linear. */
static void eval_line(const lanes_in *in, lanes_out *out)
{
    lanes3 q = lanes3_sub(in->x[0], lanes3_read(in->param)), t = lanes3_read(in->param + 3);
    out->gradient[0] = lanes3_any_normal(t);
    out->gradient[1] = lanes3_cross(t, out->gradient[0]);
    out->c[0] = lanes3_dot(q, out->gradient[0]);
    out->c[1] = lanes3_dot(q, out->gradient[1]);
}

/* C = (height above the plane of the circle, distance from its axis - radius). On the axis the second has no
   gradient. */
static void eval_circle(const lanes_in *in, lanes_out *out)
{
    lanes3 q = lanes3_sub(in->x[0], lanes3_read(in->param)), normal = lanes3_read(in->param + 3);
    lanes height = lanes3_dot(q, normal);
    lanes3 radial = lanes3_sub(q, lanes3_scale(normal, height));
    lanes r = lanes3_length(radial);
    out->exists = lanes_above(r, lanes_all(ON_AXIS) * lanes_abs(height));
    out->c[0] = height;
    out->c[1] = r - in->param[6];
    out->gradient[0] = normal;
    out->gradient[1] = lanes3_scale(radial, lanes_all(1) / r);
}

/* C = |a - centre| - radius. At the centre there is no gradient. In a 2D world this is a circle. */
static void eval_sphere(const lanes_in *in, lanes_out *out)
{
    lanes3 q = lanes3_sub(in->x[0], lanes3_read(in->param));
    lanes r = lanes3_length(q);
    out->exists = lanes_above(r, lanes_all(0));
    out->c[0] = r - in->param[3];
    out->gradient[0] = lanes3_scale(q, lanes_all(1) / r);
}

SN_LANES(on_line, eval_line, 1, 2, 6, 0)
SN_LANES(on_circle, eval_circle, 1, 2, 7, 0)
SN_LANES(on_sphere, eval_sphere, 1, 1, 4, 0)

#if !SN_VECTOR
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

/* The line through the present point, along x if no direction is given. */
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
    .eval = SN_LANES_EVAL(on_line),
    .lanes = SN_LANES_TABLE(on_line),
    .measure = measure_line,
};

/* Keeps given values. The default normal is z. The default centre is the projection of the point on the axis through
   the origin. For a point on the axis the radius is 0. */
static void measure_circle(const sn_eval_in *in, sn_real *param)
{
    sn_vec3 normal = in->param[3] == SN_MEASURE ? vec3(0, 0, 1) : param_vector(in->param + 3);
    normal = vec3_scale(normal, 1 / vec3_length(normal));
    sn_vec3 centre = vec3_scale(normal, vec3_dot(in->x[0], normal));
    if (in->param[0] != SN_MEASURE)
        centre = param_vector(in->param);
    set_param(param, centre);
    set_param(param + 3, normal);
    param[6] = 0;
    sn_measure_rest(SN_LANES_EVAL(on_circle), 1, in, param, 6);
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
    .eval = SN_LANES_EVAL(on_circle),
    .lanes = SN_LANES_TABLE(on_circle),
    .measure = measure_circle,
};

/* The default centre is the origin. */
static void measure_sphere(const sn_eval_in *in, sn_real *param)
{
    set_param(param, in->param[0] == SN_MEASURE ? vec3(0, 0, 0) : param_vector(in->param));
    param[3] = 0;
    sn_measure_rest(SN_LANES_EVAL(on_sphere), 0, in, param, 3);
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
    .eval = SN_LANES_EVAL(on_sphere),
    .lanes = SN_LANES_TABLE(on_sphere),
    .measure = measure_sphere,
};
#endif
