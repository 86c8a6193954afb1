/* Surfaces that move: conveyor belts, tracks and turntables, against what Coulomb's friction says. */
#include "support/fixed.h"
#include "support/support.h"
#include "world/body_worlds.h"

#define SPEED   2.0
#define RUBS    0.5
#define GRAVITY 9.81

/* What is put on a belt slides for v / (mu g), v^2 / (2 mu g) behind the belt, and rides along from then on. */
static double ridden(double seconds)
{
    return SPEED * seconds - SPEED * SPEED / (2 * RUBS * GRAVITY);
}

static sn_contact_material belt(sn_vec3 velocity)
{
    sn_contact_material m = sn_default_contact_material();
    m.surface_velocity = velocity;
    return m;
}

/* A static box of 20 m along its own x axis, turned about y and put at a height, whose surface runs along x. */
static sn_body add_belt(sn_world *world, double height, double angle)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    const sn_contact_material material = belt(vec(SPEED, 0, 0));
    sn_body body;
    shape.half = vec(10, 0.5, 10);
    shape.material = &material;
    def.type = SN_BODY_STATIC;
    def.position = vec(0, height - 0.5, 0);
    def.rotation = (sn_quat){0, real(sin(angle / 2)), 0, real(cos(angle / 2))};
    def.shapes = &shape;
    def.shape_count = 1;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

/* A box and a particle, on a belt that is turned by 0.6 rad: its velocity turns with it. */
static void what_lies_on_a_belt_is_taken_along(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const double angle = 0.6, way = ridden(2);
    add_belt(world, 1, angle);
    sn_body box = box_body(world, vec(0, 1.2, 0), vec(0.2, 0.2, 0.2), 500);
    sn_particle ball = sn_particle_add_at(world, vec(0, 1.1, 1), 0.3f);
    assert_ok(world, sn_particle_set_radius(world, ball, real(0.1)));
    support_run(world, 120, 1 / 60.0);
    assert_vec_close(sn_body_position(world, box), vec(way * cos(angle), 1.2, -way * sin(angle)), 0.02);
    assert_vec_close(sn_body_velocity(world, box), vec(SPEED * cos(angle), 0, -SPEED * sin(angle)), 1e-3);
    assert_vec_close(sn_particle_position(world, ball), vec(way * cos(angle), 1.1, 1 - way * sin(angle)), 0.02);
    sn_world_destroy(world);
}

/* A plane from the group's material, and a belt that is switched on later: sleepers wake. */
static void a_belt_is_switched_on(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_contact_settings settings = sn_world_contact_settings(world);
    settings.sleep = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    sn_body floor = sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    sn_body box = box_body(world, vec(0, 0.2, 0), vec(0.2, 0.2, 0.2), 500);
    support_run(world, 90, 1 / 60.0);
    assert_false(sn_particle_is_awake(world, sn_body_particle(world, box)));
    const sn_contact_material runs = belt(vec(0, 0, SPEED)), stands = belt(vec(0, 0, 0));
    assert_ok(world, sn_body_set_material(world, floor, 0, &runs));
    support_run(world, 60, 1 / 60.0);
    assert_vec_close(sn_body_velocity(world, box), vec(0, 0, SPEED), 1e-3);
    assert_close(sn_body_position(world, box).z, ridden(1), 0.02);
    assert_ok(world, sn_body_set_material(world, floor, 0, &stands));
    support_run(world, 90, 1 / 60.0);
    assert_vec_close(sn_body_velocity(world, box), vec(0, 0, 0), 1e-3);
    sn_world_destroy(world);
}

/* A tank: the surface of its own shape runs backwards, so it drives forwards, in its own frame; and the floor is free to be a body. */
static void a_body_drives_itself(void **state)
{
    (void)state;
    for (int on_body = 0; on_body < 2; ++on_body) {
        sn_world *world = support_world();
        sn_static_add_plane(world, vec(0, on_body ? -1 : 0, 0), vec(0, 1, 0));
        if (on_body) { /* a raft of ten thousand times the mass */
            sn_body raft = box_body(world, vec(0, -0.5, 0), vec(10, 0.5, 10), 1000);
            assert_true(sn_body_is_valid(world, raft));
        }
        sn_body tank = box_body(world, vec(0, 0.2, 0), vec(0.3, 0.2, 0.2), 100);
        const sn_contact_material tracks = belt(vec(-SPEED, 0, 0));
        const double angle = 1.1;
        assert_ok(world, sn_body_set_pose(world, tank, vec(0, 0.2, 0),
                                          (sn_quat){0, real(sin(angle / 2)), 0, real(cos(angle / 2))}));
        assert_ok(world, sn_body_set_material(world, tank, 0, &tracks));
        support_run(world, 120, 1 / 60.0);
        const double way = ridden(2);
        assert_vec_close(sn_body_position(world, tank), vec(way * cos(angle), 0.2, -way * sin(angle)), 0.03);
        sn_world_destroy(world);
    }
}

static sn_vec3 seen;

static bool stop_belt(void *context, sn_contact *contact)
{
    (void)context;
    seen = contact->surface_velocity;
    contact->surface_velocity = vec(0, 0, 0);
    return true;
}

/* A pre-solve function sees what the materials say, and what it says counts. */
static void pre_solve_sees_it(void **state)
{
    (void)state;
    sn_world *world = support_world();
    add_belt(world, 1, 0);
    sn_body box = box_body(world, vec(0, 1.2, 0), vec(0.2, 0.2, 0.2), 500);
    assert_ok(world, sn_world_set_pre_solve(world, stop_belt, NULL));
    support_run(world, 60, 1 / 60.0);
    assert_vec_close(seen, vec(SPEED, 0, 0), 1e-6);
    assert_vec_close(sn_body_velocity(world, box), vec(0, 0, 0), 1e-4);
    sn_world_destroy(world);
}

/* It is state: the hash knows it, a snapshot brings it back, and bad ones are refused by name. */
static void it_is_state(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body floor = sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    const sn_contact_material plain = belt(vec(0, 0, 0)), runs = belt(vec(1, 0, 0)), bad = belt(vec(0, 1e16, 0));
    assert_ok(world, sn_body_set_material(world, floor, 0, &plain));
    sn_snapshot *then = sn_world_save(world);
    const uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_body_set_material(world, floor, 0, &runs));
    assert_true(sn_world_hash(world) != hash);
    assert_ok(world, sn_world_load(world, then));
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_body_set_material(world, floor, 0, &bad), SN_ERROR_ARGUMENT);
    assert_says(sn_world_error(world), "surface_velocity.y 1e+16");
    assert_true(sn_world_hash(world) == hash);
    sn_snapshot_destroy(then);
    sn_world_destroy(world);
}

/* What stands on something that rotates goes round with it. It went along the tangent in each substep, and so outwards: by 19 mm here; and
   on a table of more than 500 times its mass still by that, because further sweeps did not know. */
static void turntable(void **state)
{
    (void)state;
    static const double mass[] = {0, 200, 1e5}; /* 0: it is kinematic */
    for (uint32_t k = 0; k < COUNT_OF(mass); ++k)
        for (uint32_t substeps = mass[k] > 0 ? 10 : 1; substeps <= 10; substeps *= 10) {
            sn_world_def def = sn_default_world_def();
            def.settings.substeps = substeps;
            sn_world *world = support_world_from(&def);
            sn_shape_def disk = sn_default_shape_def(SN_SHAPE_CYLINDER);
            sn_body_def table = sn_default_body_def();
            sn_body body;
            disk.radius = 3;
            disk.half.y = real(0.1);
            table.type = mass[k] > 0 ? SN_BODY_DYNAMIC : SN_BODY_KINEMATIC;
            table.position = vec(0, -0.1, 0);
            table.spin = vec(0, 1.5, 0);
            table.shapes = &disk;
            table.shape_count = 1;
            table.mass = mass[k] > 0 ? real(mass[k]) : SN_MEASURE;
            assert_ok(world, sn_body_add(world, &table, &body));
            if (mass[k] > 0)
                sn_joint_add_hinge(world, (sn_body){0}, body, vec(0, 0, 0), vec(0, 1, 0));
            sn_body box = flying(world, box_body(world, vec(1, 0.1, 0), vec(0.1, 0.1, 0.1), 250), vec(0, 0, -1.5),
                                 vec(0, 1.5, 0));
            for (int frame = 0; frame < 600; ++frame)
                step(world);
            const sn_vec3 at = sn_body_centre(world, box);
            assert_close(hypot((double)at.x, (double)at.z), 1, substeps == 1 ? 1e-3 : 1e-4);
            sn_world_destroy(world);
        }
}

/* Flat on the ground, and how it moves. */
static sn_world *plate_on_ground(sn_shape_type type, double half_x, double half_z, uint32_t substeps, sn_vec3 v,
                                 double spin, sn_body *body)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.gravity = vec(0, -GRAVITY, 0);
    sn_world *world = support_world_from(&def);
    sn_shape_def shape = sn_default_shape_def(type);
    sn_body_def plate = sn_default_body_def();
    sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)); /* friction 0.5 */
    shape.radius = real(half_x);
    shape.half = vec(half_x, 0.02, half_z);
    plate.position = vec(0, 0.02, 0);
    plate.velocity = v;
    plate.spin = vec(0, spin, 0);
    plate.shapes = &shape;
    plate.shape_count = 1;
    assert_ok(world, sn_body_add(world, &plate, body));
    return world;
}

/* A plate that spins on its face is slowed by mu N times the mean distance of its face from the middle: 2/3 R of a disk. */
static void plates_spin_on_their_faces(void **state)
{
    (void)state;
    static const struct {
        sn_shape_type type;
        double x, z, mean, close;
    } plate[] = {{SN_SHAPE_CYLINDER, 0.2, 0.2, 0.2 * 2 / 3, 0.03},
                 {SN_SHAPE_BOX, 0.2, 0.2, 0.765196 * 0.2, 0.03},
                 {SN_SHAPE_BOX, 0.4, 0.2, 1.186577 * 0.2, 0.03},
                 {SN_SHAPE_BOX, 0.2, 0.02, 5.064 * 0.02, 0.08}};
    for (uint32_t k = 0; k < COUNT_OF(plate); ++k)
        for (uint32_t substeps = 1; substeps <= 20; substeps *= 4) {
            sn_body body;
            sn_world *world = plate_on_ground(plate[k].type, plate[k].x, plate[k].z, substeps, vec(0, 0, 0), 30, &body);
            const double inertia = plate[k].type == SN_SHAPE_BOX
                                       ? (plate[k].x * plate[k].x + plate[k].z * plate[k].z) / 3
                                       : plate[k].x * plate[k].x / 2;
            const double slows = RUBS * GRAVITY * plate[k].mean / inertia;
            for (int frame = 0; frame < 12; ++frame)
                step(world);
            const double slowed = (30 - (double)sn_body_spin(world, body).y) / 0.2;
            const sn_vec3 at = sn_body_centre(world, body);
            assert_close(slowed / slows, 1, plate[k].close);
            assert_true(hypot((double)at.x, (double)at.z) < 1e-3);
            sn_world_destroy(world);
        }
}

/* The friction of a disk that slips by v and spins by w, as a share of mu N, and its torque as one of mu N R: sums over its face. */
static void disk_friction(double v, double spin, double radius, double *force, double *torque)
{
    *force = *torque = 0;
    for (int i = 0; i < 20; ++i)
        for (int k = 0; k < 40; ++k) {
            const double r = radius * sqrt((i + 0.5) / 20), angle = 2 * acos(-1.0) * (k + 0.5) / 40;
            const double x = r * cos(angle), y = r * sin(angle), vx = v - spin * y, vy = spin * x, slip = hypot(vx, vy);
            *force += vx / slip / 800;
            *torque += (x * vy - y * vx) / slip / radius / 800;
        }
}

/* A puck that spins slides farther: friction is shared. At 20 rad/s each limit by itself would leave it 0.41 m of 0.80. */
static void a_spinning_puck_slides_farther(void **state)
{
    (void)state;
    const double radius = 0.2, dt = 1e-3;
    for (double spin = 0; spin <= 20; spin += 10) {
        sn_body body;
        sn_world *world = plate_on_ground(SN_SHAPE_CYLINDER, radius, radius, 10, vec(2, 0, 0), spin, &body);
        double v = 2, w = spin, way = 0, turn = 0, turned = 0, force, torque;
        while (v > 5e-3 || w * radius > 5e-3) {
            disk_friction(v, w, radius, &force, &torque);
            v -= dt * RUBS * GRAVITY * force;
            w -= dt * RUBS * GRAVITY * torque * 2 / radius;
            way += dt * v;
            turn += dt * w;
        }
        for (int frame = 0; frame < 240; ++frame) {
            step(world);
            turned += (double)sn_body_spin(world, body).y / 60;
        }
        print_message("a puck of 2 m/s and %g rad/s: %.4f m and %.4f rad, by sums over its face %.4f and %.4f\n", spin,
                      (double)sn_body_centre(world, body).x, turned, way, turn);
        assert_close((double)sn_body_centre(world, body).x / way, 1, 0.2);
        assert_true(spin == 0 || fabs(turned / turn - 1) < 0.2);
        assert_true(fabs((double)sn_body_centre(world, body).z) < 0.1 * way);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_on_a_belt_is_taken_along),
        cmocka_unit_test(a_belt_is_switched_on),
        cmocka_unit_test(a_body_drives_itself),
        cmocka_unit_test(pre_solve_sees_it),
        cmocka_unit_test(it_is_state),
        cmocka_unit_test(turntable),
        cmocka_unit_test(plates_spin_on_their_faces),
        cmocka_unit_test(a_spinning_puck_slides_farther),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
