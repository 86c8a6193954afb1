/* Joints in a 2D world: every kind, about and along every axis, in every solver, does what it does in a 3D world in which nothing
   leaves the plane. Of some of their rows nothing is left in the plane but rounding: these must exert nothing. */
#include "solvers/solver_cases.h"

/* ---- Ways to solve ---------------------------------------------------------------------------------------------------- */

typedef struct method {
    const char *name;
    sn_solver solver;
    sn_integrator integrator;
    sn_gradients gradients;
    uint32_t iterations;
} method;

static const method methods[] = {
    {"gauss_seidel", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 10},
    {"gauss_seidel, SHAKE", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_START, 10},
    {"gauss_seidel, BDF2", SN_SOLVER_GAUSS_SEIDEL, SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 10},
    {"tiled", SN_SOLVER_TILED, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 1},
    {"tiled, SHAKE", SN_SOLVER_TILED, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_START, 10},
    {"jacobi", SN_SOLVER_JACOBI, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 20},
    {"impulses", SN_SOLVER_IMPULSES, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 10},
    {"lagrange", SN_SOLVER_LAGRANGE, SN_INTEGRATOR_LEAPFROG, SN_GRADIENTS_CURRENT, 1},
    {"direct", SN_SOLVER_DIRECT, SN_INTEGRATOR_SYMPLECTIC_EULER, SN_GRADIENTS_CURRENT, 3},
    {"direct, BDF2", SN_SOLVER_DIRECT, SN_INTEGRATOR_BDF2, SN_GRADIENTS_CURRENT, 3},
};

static sn_world *world_of(const method *m, uint32_t dimensions, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.dimensions = dimensions;
    def.settings.solver = m->solver;
    def.settings.integrator = m->integrator;
    def.settings.gradients = m->gradients;
    def.settings.iterations = m->iterations;
    def.settings.substeps = 5;
    def.settings.gravity = vec(0, -gravity, 0);
    return support_world_from(&def);
}

static sn_body add_bar(sn_world *world, sn_vec3 place, double angle, sn_vec3 velocity, double spin)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.position = place;
    def.rotation = (sn_quat){0, 0, real(sin(angle / 2)), real(cos(angle / 2))};
    def.mass = 1;
    def.moments = vec(0.1, 0.12, 0.15);
    def.velocity = velocity;
    def.spin = vec(0, 0, spin);
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

/* ---- Joints ------------------------------------------------------------------------------------------------------------- */

static bool has(const sn_world *world, uint32_t kind, const char *name)
{
    for (const sn_param *p = sn_kind_info(world, kind)->param; p->name; ++p)
        if (strcmp(p->name, name) == 0)
            return p->type == SN_PARAM_REAL;
    return false;
}

enum { PLAIN, LIMITED, MOTOR, TARGET, FRICTION, SOFT, OPTIONS };

static const char *const option_names[] = {"plain", "limits", "motor", "target", "friction", "soft"};

/* False: the kind has no such thing. */
static bool set_option(const sn_world *world, sn_joint_def *def, int option)
{
    static const char *const needs[OPTIONS] = {NULL, "least", "speed", "target_most", "friction", "linear_compliance"};
    if (needs[option] && !has(world, def->kind, needs[option]))
        return false;
    bool turns = !has(world, def->kind, "least") || def->kind == SN_KIND_JOINT_CONE_TWIST;
    if (option == LIMITED) {
        def->least = real(-0.1);
        def->most = real(0.2);
        if (has(world, def->kind, "swing"))
            def->swing = real(0.3);
    } else if (option == MOTOR) {
        def->speed = 1;
        def->speed_most = real(0.3);
    } else if (option == TARGET) {
        def->target_most = real(0.5);
        def->target_compliance = real(0.1);
        def->target_damping = real(0.1);
        if (turns)
            def->target_turn = def->axis.z != 0 ? vec(0.3, 0, 0) : vec(0, 0, 0.3); /* about z of the world */
        else
            def->target = real(0.3);
    } else if (option == FRICTION) {
        def->friction = real(0.2);
    } else if (option == SOFT) {
        def->linear_compliance = real(1e-3);
        def->linear_damping = 1;
        if (has(world, def->kind, "angular_compliance"))
            def->angular_compliance = real(1e-2);
    }
    return true;
}

static const sn_vec3 axes[] = {{0, 0, 1}, {0, 0, -3}, {(sn_real)0.6, (sn_real)0.8, 0}, {(sn_real)1e-7, 0, 1}};

typedef struct outcome {
    sn_vec3 place[2], velocity[2];
    double angle[2], spin[2];
    double kinetic, turning; /* J, kg m^2/s about z: of all */
} outcome;

static outcome look_at(sn_world *world, const sn_body body[2])
{
    outcome o;
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    for (int i = 0; i < 2; ++i) {
        sn_quat q = sn_body_rotation(world, body[i]);
        o.place[i] = sn_body_centre(world, body[i]);
        o.velocity[i] = sn_body_velocity(world, body[i]);
        o.angle[i] = 2 * atan2((double)q.z, (double)q.w);
        o.spin[i] = (double)sn_body_spin(world, body[i]).z;
    }
    o.kinetic = report.kinetic;
    o.turning = report.angular_momentum[2];
    return o;
}

/* Two bodies that a joint holds fly and turn; `held`: the first is replaced by the world. False: the kind has no such option. */
static bool fly(const method *m, uint32_t dimensions, uint32_t kind, sn_vec3 axis, int option, bool held,
                outcome *start, outcome *end)
{
    sn_world *world = world_of(m, dimensions, 0);
    sn_body body[2] = {add_bar(world, vec(-0.5, 0.1, 0), 0.3, vec(0, 0.5, 0), -1),
                       add_bar(world, vec(0.5, -0.05, 0), -0.7, vec(0.1, 1, 0), 2)};
    sn_joint_def def = sn_default_joint_def(kind);
    def.a = held ? (sn_body){0} : body[0];
    def.b = body[1];
    def.anchor = vec(0.03, 0.02, 0);
    def.axis = axis;
    bool fits = set_option(world, &def, option);
    if (fits) {
        sn_constraint joint = sn_joint_add(world, &def);
        if (!sn_constraint_is_valid(world, joint))
            fail_msg("%s", sn_world_error(world));
        *start = look_at(world, body);
        support_run(world, 8, FRAME);
        *end = look_at(world, body);
    }
    sn_world_destroy(world);
    return fits;
}

/* Whether it drives bodies out of the plane: then in 2D it does nothing. */
static bool drives_out(uint32_t kind, sn_vec3 axis, int option)
{
    bool slides = kind == SN_KIND_JOINT_SLIDER || kind == SN_KIND_JOINT_LINE || kind == SN_KIND_JOINT_VELOCITY;
    bool turns = kind == SN_KIND_JOINT_HINGE || kind == SN_KIND_JOINT_SPIN, along_z = axis.z != 0;
    if (kind == SN_KIND_JOINT_WHEEL) /* it turns about its axle, across the axis, about which it is steered */
        return (option == MOTOR && along_z) || (option == TARGET && !along_z);
    return (option == MOTOR || option == TARGET) && ((slides && along_z) || (turns && !along_z));
}

/* What rounding becomes in a seventh of a second. */
#define SAME EXACTNESS(2e-4, 2e-6)

static bool same(double a, double b)
{
    return fabs(a - b) <= SAME * (1 + fabs(b));
}

static void compare(const char *what, const outcome *flat, const outcome *full)
{
    for (int i = 0; i < 2; ++i)
        if (!(support_gap(flat->place[i], full->place[i]) < SAME) ||
            !(support_gap(flat->velocity[i], full->velocity[i]) < SAME) || !same(flat->angle[i], full->angle[i]) ||
            !same(flat->spin[i], full->spin[i]))
            fail_msg("%s: body %d is at (%g, %g), turned by %g, in 2D, and at (%g, %g), turned by %g, in 3D", what, i,
                     (double)flat->place[i].x, (double)flat->place[i].y, flat->angle[i], (double)full->place[i].x,
                     (double)full->place[i].y, full->angle[i]);
    if (!same(flat->kinetic, full->kinetic) || !same(flat->turning, full->turning))
        fail_msg("%s: %g J and %g kg m^2/s in 2D, %g and %g in 3D", what, flat->kinetic, flat->turning, full->kinetic,
                 full->turning);
}

static const uint32_t kinds[] = {SN_KIND_JOINT_BALL,      SN_KIND_JOINT_HINGE,      SN_KIND_JOINT_SLIDER,
                                 SN_KIND_JOINT_FIXED,     SN_KIND_JOINT_CONE_TWIST, SN_KIND_JOINT_LINE,
                                 SN_KIND_JOINT_PLANE,     SN_KIND_JOINT_VELOCITY,   SN_KIND_JOINT_SPIN,
                                 SN_KIND_JOINT_UNIVERSAL, SN_KIND_JOINT_WHEEL,      SN_KIND_JOINT_SIX};

static void try_kind(const method *m, uint32_t kind, int option, bool held)
{
    char what[160];
    for (size_t i = 0; i < COUNT_OF(axes); ++i) {
        outcome start, flat, full;
        if (!fly(m, 2, kind, axes[i], option, held, &start, &flat))
            return;
        bool out = drives_out(kind, axes[i], option);
        fly(m, out ? 2 : 3, kind, axes[i], out ? PLAIN : option, held, &start, &full);
        snprintf(what, sizeof what, "%s, kind %u, %s, axis (%g, %g, %g)%s", m->name, kind, option_names[option],
                 (double)axes[i].x, (double)axes[i].y, (double)axes[i].z, held ? ", to the world" : "");
        compare(what, &flat, &full);
        /* what acts between the two keeps angular momentum, and only motors and targets do work */
        if (!held && !(fabs(flat.turning - start.turning) < 0.01))
            fail_msg("%s: %g kg m^2/s became %g", what, start.turning, flat.turning);
        if (!held && option != MOTOR && option != TARGET && kind != SN_KIND_JOINT_VELOCITY &&
            kind != SN_KIND_JOINT_SPIN && !(flat.kinetic < 1.01 * start.kinetic))
            fail_msg("%s: %g J became %g", what, start.kinetic, flat.kinetic);
    }
}

static void joints_in_the_plane_are_those_of_space(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(methods); ++m)
        for (size_t k = 0; k < COUNT_OF(kinds); ++k)
            for (int option = 0; option < OPTIONS; ++option)
                for (int held = 0; held < (option <= LIMITED ? 2 : 1); ++held)
                    if (option == PLAIN ||
                        (m + k + (size_t)option) % support_long(1, 4) == 0) /* a quarter of them, of all sorts */
                        try_kind(&methods[m], kinds[k], option, held);
}

/* No joint kind is left out above, but gears, which are between two joints: test_machines.c. */
static void every_joint_is_in_the_table(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind) {
        size_t i = 0;
        while (i < COUNT_OF(kinds) && kinds[i] != kind)
            ++i;
        const sn_kind *info = sn_kind_info(world, kind);
        if (strncmp(info->name, "joint_", 6) == 0 && info->points == 2 && i == COUNT_OF(kinds))
            fail_msg("%s is not tried", info->name);
    }
    sn_world_destroy(world);
}

/* ---- A four-bar linkage ---------------------------------------------------------------------------------------------------- */

#define CRANK   0.3
#define COUPLER 0.9
#define ROCKER  0.7
#define GROUND  1.0
#define DRIVE   3.0 /* rad/s */

/* Where coupler and rocker are joined, if the crank is turned so. */
static sn_vec3 knee_at(double crank)
{
    double x = CRANK * cos(crank), y = CRANK * sin(crank), dx = GROUND - x, dy = -y, far = sqrt(dx * dx + dy * dy);
    double along = (COUPLER * COUPLER - ROCKER * ROCKER + far * far) / (2 * far);
    double aside = sqrt(COUPLER * COUPLER - along * along);
    return vec(x + (along * dx - aside * dy) / far, y + (along * dy + aside * dx) / far, 0);
}

static sn_vec3 middle(sn_vec3 a, sn_vec3 b)
{
    return vec(((double)a.x + (double)b.x) / 2, ((double)a.y + (double)b.y) / 2, 0);
}

static sn_body bar_between(sn_world *world, sn_vec3 a, sn_vec3 b)
{
    return add_bar(world, middle(a, b), atan2((double)b.y - (double)a.y, (double)b.x - (double)a.x), vec(0, 0, 0), 0);
}

static sn_constraint pivot(sn_world *world, sn_body a, sn_body b, sn_vec3 at)
{
    sn_constraint joint = sn_joint_add_hinge(world, a, b, at, vec(0, 0, 1));
    assert_true(sn_constraint_is_valid(world, joint));
    return joint;
}

/* A motor turns the crank, and the rest follows as geometry wants it. */
static void a_motor_drives_a_linkage(void **state)
{
    (void)state;
    const sn_body none = {0};
    for (size_t i = 0; i < COUNT_OF(methods); ++i) {
        method m = methods[i];
        m.iterations = m.iterations < 10 && m.solver != SN_SOLVER_LAGRANGE ? 10 : m.iterations;
        sn_world *world = world_of(&m, 2, 9.81);
        const sn_vec3 root = vec(0, 0, 0), tip = vec(CRANK, 0, 0), knee = knee_at(0), foot = vec(GROUND, 0, 0);
        sn_body crank = bar_between(world, root, tip), coupler = bar_between(world, tip, knee);
        sn_body rocker = bar_between(world, foot, knee);
        sn_constraint motor = pivot(world, none, crank, root);
        pivot(world, crank, coupler, tip);
        pivot(world, coupler, rocker, knee);
        pivot(world, none, rocker, foot);
        assert_ok(world, sn_joint_set_motor(world, motor, real(DRIVE), 1000));
        double turned = 0, last = 0;
        for (int step = 0; step < 120; ++step) {
            support_run(world, 1, FRAME);
            double angle = (double)sn_joint_angle(world, motor), by = angle - last;
            turned += by < -3 ? by + 2 * acos(-1) : by;
            last = angle;
            sn_vec3 at = sn_body_to_world(world, rocker, vec(ROCKER / 2, 0, 0)), wanted = knee_at(turned);
            if (!(support_gap(at, wanted) < 0.003))
                fail_msg("%s: after %d steps the knee is at (%g, %g), and not at (%g, %g)", m.name, step + 1,
                         (double)at.x, (double)at.y, (double)wanted.x, (double)wanted.y);
        }
        if (!(fabs(turned - 2 * DRIVE) < 0.01 * DRIVE))
            fail_msg("%s: the crank turned by %g rad of %g", m.name, turned, 2 * DRIVE);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_in_the_plane_are_those_of_space),
        cmocka_unit_test(every_joint_is_in_the_table),
        cmocka_unit_test(a_motor_drives_a_linkage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
