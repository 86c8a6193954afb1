/* A constraint kind of your own with vector instructions: beads slide down helices about the y axis.

   With rho and theta a bead's polar coordinates about the axis and c = pitch / 2 pi the rise per radian,

       C0 = rho - radius                             gradient (x, 0, z) / rho
       C1 = y - c theta, modulo the pitch            gradient (c z / rho^2, 1, -c x / rho^2)

   Without friction a bead falls by g t^2 / 2 * c^2 / (radius^2 + c^2).

   The formula is written over lanes (sinew/lanes.h). This file is compiled once as it is, for one constraint at a
   time; once more with -DSN_VECTOR=16, for four; and on x86 with -DSN_VECTOR=32 -mavx2 -mno-fma, for eight. The
   first compilation refers to the others if it has -DSN_LANES_16=1 -DSN_LANES_32=1. Without them the kind also runs,
   one constraint at a time. All use -ffp-contract=off: then all widths give the same bits. */
#include <sinew/lanes.h>

static void helix_formula(const lanes_in *in, lanes_out *out)
{
    const lanes radius = in->param[0], pitch = in->param[1], c = pitch * lanes_all(1 / 6.283185307179586);
    const lanes3 x = in->x[0];
    const lanes square = x.x * x.x + x.z * x.z, rho = lanes_sqrt(square), zero = lanes_all(0);
    const lanes height = x.y - c * lanes_atan2(x.z, x.x);
    out->c[0] = rho - radius;
    out->c[1] = height - pitch * lanes_round(height / pitch);
    out->gradient[0] = (lanes3){x.x / rho, zero, x.z / rho};
    out->gradient[1] = (lanes3){c * x.z / square, lanes_all(1), -(c * x.x / square)};
    out->exists = lanes_above(square, zero); /* on the axis there is no gradient */
}

SN_LANES(helix, helix_formula, 1, 2, 2, 0) /* points, rows, number of parameters, numbers of internal state */

#if !SN_VECTOR
#include <sinew/sinew.h>
#include <stdio.h>

#define BEADS 100

static const sn_kind kind = {.name = "helix",
                             .points = 1,
                             .rows = 2,
                             .param = {{.name = "radius", .unit = "m", .least = (sn_real)1e-6, .most = (sn_real)1e6},
                                       {.name = "pitch", .unit = "m", .least = (sn_real)1e-6, .most = (sn_real)1e6}},
                             .eval = SN_LANES_EVAL(helix),
                             .lanes = SN_LANES_TABLE(helix)};

/* The fall of the first bead in two seconds, m; NaN on failure. */
static double slide(sn_simd simd, uint64_t *hash)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = 100;
    def.simd = simd;
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return (double)NAN;
    sn_constraint_def wire = sn_default_constraint_def(sn_kind_register(world, &kind));
    sn_result result = SN_OK;
    sn_particle first = {0};
    for (int i = 0; i < BEADS && result == SN_OK; ++i) {
        wire.param[0] = (sn_real)(0.5 + 0.001 * i);
        wire.param[1] = 1;
        sn_particle bead = sn_particle_add_at(world, (sn_vec3){wire.param[0], 0, 0}, (sn_real)0.1);
        sn_point point = sn_at(bead);
        wire.points = &point;
        result = sn_constraint_add(world, &wire, NULL);
        first = i ? first : bead;
    }
    for (int frame = 0; frame < 120 && result == SN_OK; ++frame)
        result = sn_world_step(world, (sn_real)(1.0 / 60));
    if (result != SN_OK)
        fprintf(stderr, "%s\n", sn_world_error(world));
    const double fall = result == SN_OK ? -(double)sn_particle_position(world, first).y : (double)NAN;
    *hash = sn_world_hash(world);
    sn_world_destroy(world);
    return fall;
}

int main(void)
{
    const double c = 1 / 6.283185307179586, exact = 9.81 * 2 * 2 / 2 * c * c / (0.25 + c * c);
    uint64_t alone = 0, wide = 0;
    const double fall = slide(SN_SIMD_SCALAR, &alone), same = slide(SN_SIMD_AUTO, &wide);
    printf("in 2 s the bead falls %.4f m; exact: %.4f m\n", fall, exact);
    printf("one by one and wide: %s\n", alone == wide && fall == same ? "the same bits" : "not the same");
    return !(fabs(fall - exact) < 0.01 * exact) || alone != wide;
}
#endif
