/* A constraint kind of one's own: a bead slides down a helix about the y axis.

   With rho and theta the bead's polar coordinates about the axis and c = pitch / 2 pi the rise per radian,

       C0 = rho - radius                     gradient (x, 0, z) / rho
       C1 = y - c theta, to the next turn    gradient (c z / rho^2, 1, -c x / rho^2)

   Without friction the bead falls by g t^2 / 2 * c^2 / (radius^2 + c^2). */
#include <sinew/sinew.h>
#include <stdio.h>
#include <tgmath.h> /* sqrt and the rest in the precision of sn_real */

static const sn_real two_pi = (sn_real)6.283185307179586;

static bool helix(const sn_eval_in *in, const sn_eval_out *out)
{
    const sn_real radius = in->param[0], pitch = in->param[1], c = pitch / two_pi;
    const sn_vec3 x = in->x[0];
    const sn_real rho = sqrt(x.x * x.x + x.z * x.z);
    if (!(rho > 0))
        return false; /* on the axis there is no gradient */
    const sn_real height = x.y - c * atan2(x.z, x.x);
    out->c[0] = rho - radius;
    out->c[1] = height - pitch * round(height / pitch);
    out->gradient[0] = (sn_vec3){x.x / rho, 0, x.z / rho};
    out->gradient[1] = (sn_vec3){c * x.z / (rho * rho), 1, -c * x.x / (rho * rho)};
    return true;
}

int main(void)
{
    const sn_kind kind = {.name = "helix",
                          .points = 1,
                          .rows = 2,
                          .param = {{.name = "radius", .unit = "m", .least = 1e-6, .most = 1e6},
                                    {.name = "pitch", .unit = "m", .least = 1e-6, .most = 1e6}},
                          .eval = helix};
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 100;
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;

    sn_point bead = sn_at(sn_add_particle(world, (sn_vec3){0.5, 0, 0}, 0.1));
    sn_constraint_def wire = sn_default_constraint_def(sn_register_kind(world, &kind));
    wire.points = &bead;
    wire.param[0] = 0.5;
    wire.param[1] = 1;
    sn_result result = sn_constraint_add(world, &wire, NULL);
    for (int frame = 0; frame < 120 && result == SN_OK; ++frame)
        result = sn_world_step(world, 1.0 / 60);

    if (result != SN_OK)
        fprintf(stderr, "%s\n", sn_world_error(world));
    double time = sn_world_time(world), c = 1 / (double)two_pi, fall = -(double)sn_point_position(world, bead).y;
    double exact = 9.81 * time * time / 2 * c * c / (0.25 + c * c);
    printf("in %g s the bead falls %.4f m; exact: %.4f m\n", time, fall, exact);
    sn_world_destroy(world);
    return result != SN_OK || !(fabs(fall - exact) < 0.01 * exact);
}
