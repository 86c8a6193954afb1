/* The volume enclosed by a closed surface of triangles: balloons and soft bodies (lecture 003).

   The points are the corners of the triangles, three by three, each seen counter-clockwise from outside. A triangle and
   a fixed apex o span a tetrahedron; their signed volumes add up to the volume, wherever o is:

       V = sum over triangles (p, q, r) of (p - o) . ((q - o) x (r - o)) / 6,     grad_p V = (q - o) x (r - o) / 6

   and likewise for q and r. Here o is the first point, which keeps numbers small. For a closed surface its own share,
   minus the sum of all others, is zero. It is added nevertheless, so that momentum is conserved to the last digit, and
   so that an open surface, closed by the cone to that point, is still a proper constraint. (sn_constraint_add_surface
   rejects open ones.)

   Two ways to keep V at pressure * rest:
   - surface_volume is an ordinary constraint and moves points along the gradient: the smallest displacement.
   - surface_scaling is the lecture's method: scale about the barycentre by cbrt(wanted / V). It is simple, and exact in
     one step for a free body. But it moves every point, those far out most, and so conflicts with pins and contacts.
     The barycentre is weighted by the particles' masses, so that neither momentum nor angular momentum changes. If
     there are immovable particles, the scaling is about their mean, and repeated passes approach the volume. */
#include "base/dvec.h"
#include "base/math.h"
#include "constraints/table.h"

/* Relative to the sum of the absolute volumes of its tetrahedra: a smaller volume counts as none. */
#define EMPTY 1e-6

/* The enclosed volume. *size (may be NULL): the sum of the tetrahedra's absolute volumes. */
static double volume_inside(const sn_eval_in *in, double *size)
{
    double sum = 0, sum_of_sizes = 0;
    for (uint32_t i = 0; i + 2 < in->points; i += 3) {
        sn_dvec3 p = dvec3_seen(in->x[0], in->x[i]), q = dvec3_seen(in->x[0], in->x[i + 1]);
        double part = dvec3_dot(dvec3_cross(p, q), dvec3_seen(in->x[0], in->x[i + 2]));
        sum += part;
        sum_of_sizes += fabs(part);
    }
    if (size)
        *size = sum_of_sizes / 6;
    return sum / 6;
}

static sn_real volume_of(const sn_eval_in *in)
{
    return (sn_real)volume_inside(in, NULL);
}

/* C = V - pressure * rest */
static bool eval_surface(const sn_eval_in *in, const sn_eval_out *out)
{
    const sn_vec3 *x = in->x;
    sn_dvec3 sum = dvec3(0, 0, 0);
    double volume = 0;
    for (uint32_t i = 0; i + 2 < in->points; i += 3) {
        const sn_dvec3 p = dvec3_seen(x[0], x[i]), q = dvec3_seen(x[0], x[i + 1]), r = dvec3_seen(x[0], x[i + 2]);
        const sn_dvec3 last = dvec3_cross(p, q);
        const sn_dvec3 share[3] = {dvec3_scale(dvec3_cross(q, r), 1.0 / 6), dvec3_scale(dvec3_cross(r, p), 1.0 / 6),
                                   dvec3_scale(last, 1.0 / 6)};
        volume += dvec3_dot(last, r);
        for (uint32_t corner = 0; corner < 3; ++corner) {
            sum = dvec3_add(sum, share[corner]);
            out->gradient[i + corner] = dvec3_round(share[corner]);
        }
    }
    out->c[0] = (sn_real)(volume / 6) - in->param[1] * in->param[0];
    out->gradient[0] = vec3_sub(out->gradient[0], dvec3_round(sum));
    return true;
}

static void measure_surface(const sn_eval_in *in, sn_real *param)
{
    param[0] = volume_of(in); /* the pressure keeps its default */
}

#define SURFACE_PARAMS                                                                                                 \
    {                                                                                                                  \
        {.name = "rest", .unit = "m^3"},                                                                               \
        {                                                                                                              \
            .name = "pressure", .unit = "1", .has_default = true, .default_value = 1, .least = 0,                      \
            .most = (sn_real)1e30                                                                                      \
        }                                                                                                              \
    }

const sn_kind sn_kind_surface_volume = {
    .name = "surface_volume",
    .about =
        "A closed surface of triangles keeps pressure times its rest volume, by the least displacement. The points are "
        "the corners of the triangles, counter-clockwise from outside; see sn_constraint_add_surface.",
    .formula = "C = sum of p . (q x r) / 6 over triangles (p, q, r), less pressure * rest",
    .unit = "m^3",
    .least_points = 12,
    .point_step = 3,
    .repeats = true,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .param = SURFACE_PARAMS,
    .eval = eval_surface,
    .measure = measure_surface,
};

/* ---- By scaling ------------------------------------------------------------------------------------------------- */

/* The centre of mass of the particles; the mean of the immovable ones if there are any. */
static sn_dvec3 barycentre(const sn_eval_in *in, const sn_real *w)
{
    sn_dvec3 free_sum = dvec3(0, 0, 0), fixed_sum = dvec3(0, 0, 0);
    double mass = 0, fixed = 0;
    for (uint32_t i = 0; i < in->points; ++i) {
        sn_dvec3 x = dvec3_seen(in->x[0], in->x[i]);
        if (w[i] > 0) {
            free_sum = dvec3_add(free_sum, dvec3_scale(x, 1 / (double)w[i]));
            mass += 1 / (double)w[i];
        } else if (w[i] == 0) { /* otherwise a particle that was counted already */
            fixed_sum = dvec3_add(fixed_sum, x);
            fixed += 1;
        }
    }
    return fixed > 0 ? dvec3_scale(fixed_sum, 1 / fixed) : dvec3_scale(free_sum, 1 / mass);
}

/* Inactive if the surface has no volume, or one of the wrong sign: scaling cannot restore it. */
static bool scale_surface(const sn_eval_in *in, const sn_real *w, sn_vec3 *move)
{
    double size, volume = volume_inside(in, &size), wanted = (double)in->param[1] * (double)in->param[0];
    if (!(fabs(volume) > EMPTY * size && wanted / volume > 0))
        return false;
    double grow = math_cbrt(wanted / volume) - 1;
    sn_dvec3 centre = barycentre(in, w);
    for (uint32_t i = 0; i < in->points; ++i)
        move[i] = dvec3_round(dvec3_scale(dvec3_sub(dvec3_seen(in->x[0], in->x[i]), centre), grow));
    return true;
}

const sn_kind sn_kind_surface_scaling = {
    .name = "surface_scaling",
    .about = "A closed surface of triangles keeps pressure times its rest volume by being scaled about its barycentre. "
             "For free bodies; surface_volume is the better one where something holds or touches it.",
    .formula = "C as of surface_volume; x moves by (cbrt(pressure * rest / V) - 1) (x - barycentre)",
    .unit = "m^3",
    .least_points = 12,
    .point_step = 3,
    .repeats = true,
    .rows = 1,
    .internal = true,
    .spatial = true,
    .param = SURFACE_PARAMS,
    .eval = eval_surface,
    .measure = measure_surface,
    .project = scale_surface,
};
