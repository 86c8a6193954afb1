/* Forces mean what they say, with the default settings: whatever hangs, stands or swings, what holds it carries its
   weight, or its weight and the change of its momentum. */
#include "scene_fixture.h"

#include <math.h>

#define GRAVITY 9.81
#define FRAME   (1.0 / 60)

typedef struct hanging {
    const char *name;
    const char *text; /* of a scene, without its world */
    uint32_t how;
} hanging;

/* FIXED: only particles of infinite mass hold it, and their loads are its weight, too. UNLIKE_RODS: only these loads are
   compared. Limits hold a net as its rods, as they lie, could not. The directions of the skin of a balloon are not those
   in which it acted. */
enum { FIXED = 1, UNLIKE_RODS = 2 };

#define CLOTH "{'type': 'cloth', 'name': 'c', 'columns': 24, 'rows': 24, 'mass': 0.3"
#define FLOOR "{'type': 'static', 'name': 'floor', 'shapes': {'type': 'plane'}}"
#define BALL(n, y)                                                                                                     \
    "{'name': '" n "', 'position': [0, " y ", 0], 'mass': 1, 'shapes': {'type': 'box', 'size': [0.05, 0.2, 0.05]}}"
#define BODIES BALL("b0", "-0.6") "," BALL("b1", "-0.8") "," BALL("b2", "-1")
#define JOINTS                                                                                                         \
    "{'kind': 'joint_ball', 'name': 'upper', 'bodies': ['b0', 'b1'], 'anchor': [0, -0.7, 0]},"                         \
    "{'kind': 'joint_ball', 'name': 'lower', 'bodies': ['b1', 'b2'], 'anchor': [0, -0.9, 0]}"
#define TRUSS                                                                                                          \
    "'objects': [{'type': 'particles', 'name': 't', 'mass': 8, 'pins': [0, 3], 'positions': ["                         \
    "0, 0, 0, 0.5, 0, 0, 1, 0, 0, 1.5, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0, 1, 0.5, 0, 1.5, 0.5, 0]}], 'constraints': ["      \
    "{'kind': 'distance', 'index': [0,1, 1,2, 2,3, 4,5, 5,6, 6,7, 0,4, 1,5, 2,6, 3,7, 0,5, 1,4, 1,6, 2,5, 2,7, 3,6]}]"

static const hanging things[] = {
    {"cloth on two corners", "'objects': [" CLOTH ", 'pins': ['top_left', 'top_right']}]", FIXED},
    {"cloth on its edge", "'objects': [" CLOTH ", 'pins': ['top']}]", FIXED},
    {"cloth on pins", "'objects': [" CLOTH "}], 'constraints': [{'kind': 'pin', 'each': ['c.top[::4]']}]", 0},
    {"cloth on a rigid pin and one that can break",
     "'objects': [" CLOTH "}], 'constraints': [{'kind': 'pin', 'each': ['c.top_left']},"
     "{'kind': 'pin', 'each': ['c.top_right'], 'strength': 100}]",
     0},
    {"cloth on a line",
     "'objects': [" CLOTH "}], 'constraints': [{'kind': 'pin', 'each': ['c.top_left']}, {'kind': 'on_line', 'each': "
     "['c.top[::3]'], 'origin': [0, 0.5, 0], 'direction': [1, 0, 0]}]",
     0},
    {"rope on cloth",
     "'objects': [" CLOTH ", 'pins': ['top']}, {'type': 'rope', 'name': 'r', 'from': [0, -0.5, 0], 'length': 0.5, "
     "'segments': 10, 'mass': 1}], 'attachments': [{'name': 'tie', 'between': ['r.start', 'c.bottom[12]']}]",
     FIXED},
    {"bodies on cloth",
     "'objects': [" CLOTH "}], 'bodies': [" BODIES "], 'constraints': [{'kind': 'pin', 'each': ['c.top']}, " JOINTS
     ", {'kind': 'attachment', 'points': ['c.bottom[12]', {'body': 'b0', 'place': [0, 0.1, 0]}]}]",
     0},
    {"net",
     "'objects': [{'type': 'net', 'name': 'n', 'width': 2, 'height': 2, 'columns': 25, 'rows': 25, 'mass': 1, "
     "'pins': ['left', 'right'], 'turn': {'axis': [1, 0, 0], 'angle': -1.57}}]",
     FIXED | UNLIKE_RODS},
    {"balloon",
     "'materials': {'rubber': {'density': 0.3, 'stretch': 4e-4, 'bend': 20}}, 'objects': [{'type': 'balloon', 'name': "
     "'b', 'diameter': 0.5, 'pressure': 1.3, 'material': 'rubber', 'pins': ['top']}]",
     FIXED | UNLIKE_RODS},
    {"ropes",
     "'objects': [{'type': 'rope', 'name': 'r', 'from': [0, 2, 0], 'to': [2, 2, 0], 'length': 2.4, 'segments': "
     "40, 'mass': 0.5, 'pins': ['start', 'end']}]",
     FIXED},
    {"wire",
     "'materials': {'wire': {'young': 2e9, 'thickness': 0.004, 'density': 0.1}}, 'objects': [{'type': 'rope', "
     "'name': 'r', 'from': [0, 2, 0], 'to': [1, 2, 0], 'segments': 20, 'material': 'wire', 'pins': ['[0:2]']}]",
     FIXED},
    {"plate",
     "'materials': {'steel': {'density': 8, 'young': 2e9, 'thickness': 0.002}}, 'objects': [{'type': 'cloth', "
     "'name': 'p', 'columns': 20, 'rows': 20, 'width': 0.5, 'height': 0.5, 'material': 'steel', 'turn': "
     "{'axis': [1, 0, 0], 'angle': 1.5708}, 'pins': ['top', 'bottom']}]",
     FIXED},
    {"block",
     "'materials': {'m': {'density': 1000, 'young': 1e5}}, 'objects': [{'type': 'block', 'name': 'b', 'width': "
     "0.5, 'height': 0.2, 'depth': 0.2, 'columns': 11, 'rows': 5, 'layers': 5, 'material': 'm', 'pins': "
     "['left']}]",
     FIXED},
    {"truss", TRUSS, FIXED},
    {"ragdoll",
     "'objects': [{'type': 'ragdoll', 'name': 'doll'}], 'constraints': [{'kind': 'joint_ball', 'bodies': "
     "['world', 'doll.head'], 'anchor': [0, 1.6, 0]}]",
     0},
    {"boxes", "'objects': [{'type': 'wall', 'name': 'w'}], 'bodies': [" FLOOR "]", 0},
    {"soft block on the floor",
     "'materials': {'m': {'density': 1000, 'young': 1e6}}, 'bodies': [" FLOOR
     "], 'objects': [{'type': 'block', 'name': "
     "'b', 'width': 0.3, 'height': 0.3, 'depth': 0.3, 'columns': 5, 'rows': 5, 'layers': 5, 'material': 'm', "
     "'position': [0, 0.16, 0], 'radius': 0.01}]",
     0},
};

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static void add(double *sum, sn_vec3 a, double times)
{
    sum[0] += times * (double)a.x;
    sum[1] += times * (double)a.y;
    sum[2] += times * (double)a.z;
}

static bool moves(const sn_world *world, sn_particle particle)
{
    return sn_particle_is_valid(world, particle) && sn_particle_inverse_mass(world, particle) > 0;
}

/* The share of a force on a point that acts on something movable. */
static double movable_share(const sn_world *world, const sn_point *point)
{
    double share = 0;
    if (point->type == SN_POINT_BODY)
        return moves(world, sn_body_particle(world, point->body));
    for (uint32_t i = 0; i < point->count; ++i)
        share += moves(world, point->particle[i]) ? (point->count == 1 ? 1 : (double)point->weight[i]) : 0;
    return share;
}

/* N: the forces of all constraints on movable things, in which those between two of them cancel. */
static void add_constraints(const sn_world *world, double *sum)
{
    for (sn_constraint_walk walk = {0}; sn_constraint_next(world, &walk);) {
        sn_point point[8];
        sn_constraint_def def = sn_default_constraint_def(walk.constraint.kind);
        const uint32_t points = sn_constraint_point_count(world, walk.constraint);
        assert_true(points <= COUNT_OF(point));
        assert_ok(world, sn_constraint_read(world, walk.constraint, &def, point, points));
        for (uint32_t i = 0; i < points; ++i) {
            const double share = movable_share(world, &point[i]);
            if (share > 0)
                add(sum, sn_constraint_force_on(world, walk.constraint, i), share);
        }
    }
}

/* N: the mean of what static bodies exerted in the last step. */
static void add_contacts(const sn_world *world, double *sum)
{
    uint32_t count;
    const sn_contact_event *event = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count; ++i)
        add(sum, event[i].normal,
            (moves(world, event[i].particle) - moves(world, event[i].other)) * (double)event[i].impulse / FRAME);
}

/* N: the loads of all immovable particles, and of pinned ones what their pins do not carry. */
static void add_loads(const sn_world *world, double *sum)
{
    for (uint32_t i = 0, seen = 0; seen < sn_world_particle_count(world); ++i) {
        const sn_particle particle = sn_particle_from_index(world, i);
        if (!sn_particle_is_valid(world, particle))
            continue;
        ++seen;
        if (!moves(world, particle))
            add(sum, sn_particle_load(world, particle), 1);
    }
}

static void add_momentum(const sn_world *world, double *momentum, double *mass)
{
    for (uint32_t i = 0, seen = 0; seen < sn_world_particle_count(world); ++i) {
        const sn_particle particle = sn_particle_from_index(world, i);
        if (!sn_particle_is_valid(world, particle))
            continue;
        ++seen;
        if (!moves(world, particle))
            continue;
        *mass += (double)sn_particle_mass(world, particle);
        add(momentum, sn_particle_velocity(world, particle), (double)sn_particle_mass(world, particle));
    }
}

static fixture make(const hanging *thing, const char *world)
{
    char text[2000];
    snprintf(text, sizeof text, "{'world': {%s}, %s}", world, thing->text);
    fixture f = fixture_good(text);
    sn_contact_settings contact = sn_world_contact_settings(f.world);
    contact.events = true;
    assert_ok(f.world, sn_world_set_contact_settings(f.world, &contact));
    return f;
}

static void step(fixture *f, int frames)
{
    for (int i = 0; i < frames; ++i)
        assert_ok(f->world, sn_scene_step(f->scene));
}

static void compare(const char *name, const char *what, const double *got, const double *wanted, double most)
{
    for (int k = 0; k < 3; ++k)
        if (!(fabs(got[k] - wanted[k]) <= most))
            fail_msg("%s: %s: (%g, %g, %g) N, not (%g, %g, %g)", name, what, got[0], got[1], got[2], wanted[0],
                     wanted[1], wanted[2]);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

/* At rest supports carry the weight, and what still swings a little. A single reading of forces has the noise of
   rounding, so some are averaged. */
static void supports_carry_weights(void **state)
{
    enum { READINGS = 12 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        const hanging *thing = &things[i];
        fixture f = make(thing, "'damping': 1");
        double held[3] = {0}, load[3] = {0}, mass = 0, again = 0, before[3] = {0}, after[3] = {0};
        step(&f, 300);
        add_momentum(f.world, before, &mass);
        for (int k = 0; k < READINGS; ++k) {
            step(&f, 1);
            if (!(thing->how & UNLIKE_RODS))
                add_constraints(f.world, held);
            add_contacts(f.world, held);
            if (thing->how & FIXED)
                add_loads(f.world, load);
        }
        add_momentum(f.world, after, &again);
        const double weight = mass * GRAVITY;
        double wanted[3] = {0, weight, 0}, down[3];
        for (int k = 0; k < 3; ++k) {
            wanted[k] += (after[k] - before[k]) / (READINGS * FRAME);
            down[k] = -wanted[k];
            held[k] /= READINGS;
            load[k] /= READINGS;
        }
        if (!(thing->how & UNLIKE_RODS))
            compare(thing->name, "forces of constraints and contact", held, wanted, 0.01 * weight);
        if (thing->how & FIXED)
            compare(thing->name, "loads of fixed particles", load, down, 0.01 * weight);
        fixture_close(&f);
    }
}

/* The impulse of supports over a second against what the momentum and gravity need. */
static void swing(const hanging *thing, const char *world, double share)
{
    enum { FRAMES = 60 };
    fixture f = make(thing, world);
    double impulse[3] = {0}, mass = 0, before[3] = {0}, after[3] = {0}, again = 0;
    step(&f, 5);
    add_momentum(f.world, before, &mass);
    for (int k = 0; k < FRAMES; ++k) {
        double force[3] = {0};
        step(&f, 1);
        if (thing->how & FIXED)
            add_loads(f.world, force);
        else
            add_constraints(f.world, force);
        for (int axis = 0; axis < 3; ++axis)
            impulse[axis] += (thing->how & FIXED ? -1 : 1) * force[axis] * FRAME;
    }
    add_momentum(f.world, after, &again);
    const double time = FRAMES * FRAME, weight = mass * GRAVITY * time;
    const double wanted[3] = {after[0] - before[0] - 3 * mass * time, after[1] - before[1] + weight,
                              after[2] - before[2]};
    compare(thing->name, "impulses (N s) in a second", impulse, wanted, share * weight);
    fixture_close(&f);
}

/* In motion, without damping, supports also change the momentum. Forces are those of the last substep of each step, a
   sample. With one substep nothing is missed. */
static void supports_change_momentum(void **state)
{
    static const char *const swinging[] = {"cloth on two corners",
                                           "cloth on its edge",
                                           "cloth on pins",
                                           "rope on cloth",
                                           "bodies on cloth",
                                           "net",
                                           "ropes",
                                           "ragdoll"};
    (void)state;
    for (size_t i = 0, found = 0; found < COUNT_OF(swinging); ++i) {
        assert_true(i < COUNT_OF(things));
        if (strcmp(things[i].name, swinging[found]) != 0)
            continue;
        swing(&things[i], "'gravity': [3, -9.81, 0]", 0.03);
        swing(&things[i], "'gravity': [3, -9.81, 0], 'substeps': 1", 0.002);
        ++found;
    }
}

/* A pinned particle has the forces that its acceleration, 0, needs; ties and joints carry what hangs from them. */
static void forces_balance_at_every_point(void **state)
{
    (void)state;
    fixture f = make(&things[2], "'damping': 1");
    step(&f, 300);
    const sn_particle pinned = sn_scene_find_particle(f.scene, "c.top[4]");
    const double own[3] = {0, GRAVITY * (double)sn_particle_mass(f.world, pinned), 0};
    double load[3] = {0};
    add(load, sn_particle_load(f.world, pinned), 1);
    compare("pinned particle", "load", load, own, 0.01 * 0.3 * GRAVITY);
    fixture_close(&f);

    f = make(&things[5], "'damping': 1");
    step(&f, 300);
    const double rope[3] = {0, GRAVITY, 0};
    double tie[3] = {0}, link[3] = {0};
    add(tie, sn_constraint_force_on(f.world, sn_scene_find_constraint(f.scene, "tie"), 0), 1);
    add(link, sn_constraint_force_on(f.world, sn_scene_find_constraint(f.scene, "r.links[4]"), 1), 1);
    compare("rope on cloth", "tie", tie, rope, 0.01 * GRAVITY);
    compare("rope on cloth", "its middle", link, (double[3]){0, 0.55 * GRAVITY, 0}, 0.01 * GRAVITY);
    fixture_close(&f);

    f = make(&things[6], "'damping': 1");
    step(&f, 600);
    for (int i = 0; i < 2; ++i) {
        double force[3] = {0};
        for (int k = 0; k < 16; ++k, step(&f, 3)) {
            sn_vec3 on_b;
            assert_ok(f.world, sn_joint_reaction(f.world, sn_scene_find_constraint(f.scene, i ? "lower" : "upper"),
                                                 &on_b, NULL));
            add(force, on_b, 1.0 / 16);
        }
        compare("bodies on cloth", i ? "lower joint" : "upper joint", force, (double[3]){0, (2 - i) * GRAVITY, 0},
                0.01 * 2 * GRAVITY);
    }
    fixture_close(&f);
}

/* Reading forces changes nothing, and a reading after an edit is the same. */
static void reading_changes_nothing(void **state)
{
    (void)state;
    fixture f = make(&things[0], ""), g = make(&things[0], "");
    for (int i = 0; i < 3; ++i) {
        step(&f, 10);
        step(&g, 10);
        double sum[3] = {0};
        add_constraints(f.world, sum);
        assert_true(sn_world_hash(f.world) == sn_world_hash(g.world));
    }
    const sn_constraint rod = sn_scene_find_constraint(f.scene, "c.warp[300]");
    const sn_real before = sn_constraint_force(f.world, rod).row[0];
    assert_true(before != 0);
    assert_ok(f.world, sn_particle_apply_force(f.world, sn_scene_find_particle(f.scene, "c[5]"), vec(1, 0, 0)));
    assert_true(sn_constraint_force(f.world, rod).row[0] == before);
    fixture_close_both(&f, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_carry_weights),
        cmocka_unit_test(supports_change_momentum),
        cmocka_unit_test(forces_balance_at_every_point),
        cmocka_unit_test(reading_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
