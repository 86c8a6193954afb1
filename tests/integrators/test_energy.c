/* What each integrator does to the energy of a mass on a spring, and of a rod pendulum, over many swings. */
#include "integrators/motion.h"

/* 1 kg on 100 N/m: omega = 10/s. */
#define OMEGA 10.0

typedef struct energies {
    double least, most, last; /* relative to the start */
} energies;

static double energy(sn_world *world)
{
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    return report.kinetic + report.potential + report.elastic;
}

static energies watch(sn_world *world, uint32_t steps, double h, double zero)
{
    double start = energy(world) - zero;
    energies e = {1, 1, 1};
    for (uint32_t i = 0; i < steps; ++i) {
        support_run(world, 1, h);
        e.last = (energy(world) - zero) / start;
        e.least = fmin(e.least, e.last);
        e.most = fmax(e.most, e.last);
    }
    return e;
}

static energies swing_spring(sn_integrator integrator, uint32_t steps, double h)
{
    sn_world *world = motion_world(integrator);
    sn_point ends[2];
    ends[0] = sn_at(sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE));
    ends[1] = sn_at(sn_particle_add_at(world, vec(1.5, 0, 0), 1));
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_SPRING);
    def.points = ends;
    def.param[0] = 1;
    def.param[1] = real(OMEGA * OMEGA);
    assert_ok(world, sn_constraint_add(world, &def, NULL));
    energies e = watch(world, steps, h, 0);
    sn_world_destroy(world);
    return e;
}

/* Forward Euler multiplies the energy by 1 + (omega h)^2 in every substep. */
static void forward_euler_gains(void **state)
{
    (void)state;
    const double h = 0.002;
    const uint32_t n = 2000;
    double growth = pow(1 + OMEGA * OMEGA * h * h, n);
    energies e = swing_spring(SN_INTEGRATOR_FORWARD_EULER, n, h);
    assert_close(e.last, growth, EXACTNESS(1e-3, 1e-9) * growth);
    assert_close(e.least, 1, EXACTNESS(1e-5, 1e-12));
}

/* Symplectic Euler keeps E (1 - omega h sin cos), which swings by half of omega h to either side and does not drift. */
static void symplectic_euler_swings(void **state)
{
    (void)state;
    for (double h = 0.002; h < 0.005; h *= 2) {
        energies e = swing_spring(SN_INTEGRATOR_SYMPLECTIC_EULER, 20000, h);
        assert_close(e.most, 1 + OMEGA * h / 2, 0.06 * OMEGA * h);
        assert_close(e.least, 1 - OMEGA * h / 2, 0.06 * OMEGA * h);
    }
}

/* Leapfrog and Verlet keep v^2 + omega^2 x^2 (1 - (omega h)^2 / 4): from rest the energy is never above its start,
   and never more than (omega h)^2 / 4 below. */
static void leapfrog_holds(void **state)
{
    (void)state;
    static const sn_integrator both[] = {SN_INTEGRATOR_LEAPFROG, SN_INTEGRATOR_VERLET};
    for (size_t i = 0; i < COUNT_OF(both); ++i)
        for (double h = 0.005; h < 0.02; h *= 2) {
            double dip = OMEGA * OMEGA * h * h / 4;
            energies e = swing_spring(both[i], 20000, h);
            assert_close(e.most, 1, EXACTNESS(1e-3, 1e-9));
            assert_close(e.least, 1 - dip, EXACTNESS(1e-3, 0.05 * dip));
        }
}

/* BDF2 extrapolates forces, and with a spring that is a force gains energy at third order. A spring that is a compliant
   constraint is implicit and loses some. */
static void bdf2_drifts_at_third_order(void **state)
{
    (void)state;
    double coarse = swing_spring(SN_INTEGRATOR_BDF2, 1000, 0.004).last - 1;
    double fine = swing_spring(SN_INTEGRATOR_BDF2, 2000, 0.002).last - 1;
    assert_true(fine > 0 && fine < 5e-4);
    assert_true(coarse / fine > 5 && coarse / fine < 12);
}

/* A rod pendulum from 90 degrees, 20 s: plain projection loses most, BDF2 little, start gradients nothing that
   grows. */
static energies swing_rod(sn_integrator integrator, sn_gradients gradients)
{
    sn_world_def def = motion_def(integrator);
    def.settings.gravity = vec(0, -G, 0);
    def.settings.gradients = gradients;
    def.settings.iterations = 20;
    sn_world *world = support_world_from(&def);
    sn_particle hook = sn_particle_add_at(world, vec(0, 0, 0), SN_IMMOVABLE),
                bob = sn_particle_add_at(world, vec(1, 0, 0), 1);
    sn_constraint_add_distance(world, sn_at(hook), sn_at(bob), 1);
    energies e = watch(world, 12000, 1.0 / 600, -G); /* from the lowest point */
    sn_world_destroy(world);
    return e;
}

static void rods(void **state)
{
    (void)state;
    static const struct {
        sn_integrator id;
        double swing; /* by how much the energy swings with gradients at the start */
    } all[] = {{SN_INTEGRATOR_SYMPLECTIC_EULER, 5e-3}, {SN_INTEGRATOR_LEAPFROG, 5e-5}, {SN_INTEGRATOR_VERLET, 5e-5}};
    for (size_t i = 0; i < COUNT_OF(all); ++i) {
        energies plain = swing_rod(all[i].id, SN_GRADIENTS_CURRENT), shake = swing_rod(all[i].id, SN_GRADIENTS_START);
        assert_true(plain.last < 0.6 && plain.most < 1.001);
        assert_true(shake.least > 1 - all[i].swing && shake.most < 1 + all[i].swing);
    }
    energies bdf2 = swing_rod(SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT);
    assert_true(bdf2.least > 1 - 5e-4 && bdf2.most < 1 + 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_euler_gains),
        cmocka_unit_test(symplectic_euler_swings),
        cmocka_unit_test(leapfrog_holds),
        cmocka_unit_test(bdf2_drifts_at_third_order),
        cmocka_unit_test(rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
