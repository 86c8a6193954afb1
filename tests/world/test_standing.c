/* What should stand, stands, at ten substeps of one pass, and sleeps: a tower, a pyramid, flat bricks laid askew, an arch of stones, a bridge
   of planks with crates, and loads on what is light. A minute each in make test-long, a few seconds in make test. */
#include "support/fixed.h"
#include "world/body_worlds.h"

static sn_world *standing_world(double friction)
{
    sn_world *world = contact_world(sn_default_world_def(), true, false);
    sn_group_contact group = sn_default_group_contact(0);
    group.material = material(friction, 0);
    assert_ok(world, sn_world_set_group_contact(world, 0, &group));
    sn_body floor = add_floor(world);
    assert_ok(world, sn_body_set_material(world, floor, 0, &group.material));
    return world;
}

/* m: the farthest that a body came from where it began. */
static double moved(const sn_world *world, const sn_vec3 *start)
{
    double most = 0;
    for (uint32_t i = 0; i < sn_world_body_count(world); ++i)
        most = fmax(most, support_gap(sn_body_position(world, sn_body_from_index(world, i)), start[i]));
    return most;
}

/* Runs it; it must not move by more than `most`, and sleep in the end if there is the time. */
static void stand(const char *name, sn_world *world, double seconds, double most)
{
    static sn_vec3 start[1024];
    double far = 0, slept = 0;
    for (uint32_t i = 0; i < sn_world_body_count(world); ++i)
        start[i] = sn_body_position(world, sn_body_from_index(world, i));
    for (uint32_t frame = 0; frame < (uint32_t)(60 * seconds); ++frame) {
        step(world);
        far = fmax(far, moved(world, start));
        if (slept == 0 && sn_world_awake_count(world) == 0)
            slept = sn_world_time(world);
    }
    print_message("%s: %g s, moved by %.3g m, asleep after %.3g s\n", name, seconds, far, slept);
    if (!(far <= most))
        fail_msg("%s: moved by %g m, more than %g", name, far, most);
    if (seconds >= 60 && slept == 0)
        fail_msg("%s: still awake after %g s", name, seconds);
    sn_world_destroy(world);
}

static void tower_stands(void **state)
{
    (void)state;
    sn_world *world = standing_world(0.5);
    for (int i = 0; i < 20; ++i)
        box_body(world, vec(0, 0.5 + i, 0), vec(0.5, 0.5, 0.5), 1000);
    stand("tower of twenty boxes", world, support_long(60, 3), 0.01);
}

/* Slender towers that never sleep: thirty bricks, six metres high, and twenty small ones that are displaced by a hundredth of their
   width and dropped by a millimetre. With plain sweeps the first leaned further and further, and fell after thirteen seconds; the
   second fell within a minute (BODY_EAGER in wide/body_contact.h). */
static void slender_towers_stand_awake(void **state)
{
    (void)state;
    for (int dropped = 0; dropped < 2; ++dropped) {
        sn_world *world = contact_world(sn_default_world_def(), false, false);
        const int count = dropped ? 20 : 30;
        const double high = dropped ? 0.1 : 0.2, gap = dropped ? 1e-3 : 0, aside = dropped ? 0.01 : 0;
        sn_body brick[30];
        uint64_t seed = 1;
        add_floor(world);
        for (int i = 0; i < count; ++i)
            brick[i] = box_body(world,
                                vec(support_random_in(&seed, -2, 2) * high * aside, (high + gap) * (i + 0.5) + gap / 2,
                                    support_random_in(&seed, -1, 1) * high * aside),
                                vec(high, high / 2, high / 2), 1000);
        const sn_vec3 top = sn_body_position(world, brick[count - 1]);
        double leans = 0;
        for (uint32_t frame = 0; frame < 60 * (uint32_t)support_long(60, 16); ++frame) {
            step(world);
            const sn_vec3 at = sn_body_position(world, brick[count - 1]);
            leans = fmax(leans, hypot((double)at.x - (double)top.x, (double)at.z - (double)top.z));
        }
        print_message("slender tower of %d bricks: its top moved by %.3g m\n", count, leans);
        assert_true(leans < 2e-3);
        sn_world_destroy(world);
    }
}

/* m/s: how fast the fastest of all is. */
static double fastest(const sn_world *world)
{
    double most = 0;
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i)
        most = fmax(most, support_gap(sn_particle_velocity(world, sn_particle_from_index(world, i)), vec(0, 0, 0)));
    return most;
}

/* Of ten boxes, and of ten balls on a line, at rest, when steps of two lengths take turns: the part of an impulse that carries the
   load goes with the length of a substep, and the rest must not, or every longer step makes an error larger (contact/body_cache.c). */
static void towers_stand_in_uneven_steps(void **state)
{
    static const double length[][2] = {{1.0 / 30, 1.0 / 144}, {1.0 / 60, 1e-3}, {1.0 / 60, 1e-5}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof length / sizeof *length; ++i) {
        const double *turns = length[i / 2];
        sn_world *world = standing_world(0.5);
        for (int k = 0; k < 10 && i % 2 == 0; ++k)
            box_body(world, vec(0, 0.3 + 0.6 * k, 0), vec(0.3, 0.3, 0.3), 1000);
        for (int k = 0; k < 10 && i % 2 == 1; ++k) {
            const sn_particle ball = sn_particle_add_at(world, vec(0, 0.1 + 0.2 * k, 0), 1);
            assert_ok(world, sn_particle_set_radius(world, ball, (sn_real)0.1));
            assert_true(sn_constraint_add_on_line(world, sn_at(ball), vec(0, 0, 0), vec(0, 1, 0)).generation != 0);
        }
        sn_contact_settings settings = sn_world_contact_settings(world);
        settings.sleep = false;
        assert_ok(world, sn_world_set_contact_settings(world, &settings));
        for (int frame = 0; frame < 300; ++frame)
            step(world);
        for (int frame = 0; frame < 150; ++frame)
            assert_ok(world, sn_world_step(world, (sn_real)turns[frame % 2]));
        print_message("%s, steps of %g and %g s in turn: %.2g m/s\n", i % 2 ? "balls" : "boxes", turns[0], turns[1],
                      fastest(world));
        assert_true(fastest(world) < 1e-4);
        sn_world_destroy(world);
    }
}

static void pyramid_stands(void **state)
{
    (void)state;
    const int rows = support_long(40, 10);
    sn_world *world = standing_world(0.5);
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < rows - row; ++i)
            box_body(world, vec(1.05 * (i - 0.5 * (rows - row - 1)), 0.5 + row, 0), vec(0.5, 0.5, 0.5), 1000);
    stand("pyramid", world, support_long(60, 2), 0.0015 * rows); /* each row overlaps the one below by a millimetre */
}

/* Bricks of 1 by 0.2 by 0.5 m, each laid to another side by a hundredth of its length. */
static void bricks_stand(void **state)
{
    (void)state;
    sn_world *world = standing_world(0.5);
    for (int i = 0; i < 30; ++i)
        box_body(world, vec(i % 2 ? 0.01 : 0, 0.1 + 0.2 * i, i % 3 ? 0.005 : 0), vec(0.5, 0.1, 0.25), 2000);
    stand("thirty flat bricks", world, support_long(60, 3), 0.02); /* the top one sinks by thirty overlaps */
}

#define STONES 9

/* A stone of the arch: between two angles, from the inner radius to the outer. */
static sn_body add_stone(sn_world *world, double from, double to, double inner, double outer)
{
    sn_vec3 corner[8];
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_HULL);
    sn_body_def def = sn_default_body_def();
    sn_body body;
    for (int i = 0; i < 8; ++i) {
        double angle = i & 1 ? to : from, radius = i & 2 ? outer : inner;
        corner[i] = vec(radius * cos(angle), radius * sin(angle), i & 4 ? 0.5 : -0.5);
    }
    shape.vertices = corner;
    shape.vertex_count = 8;
    shape.radius = 0;
    def.shapes = &shape;
    def.shape_count = 1;
    def.density = 2000;
    assert_ok(world, sn_body_add(world, &def, &body));
    return body;
}

/* Half a circle: its thickness is a third of the inner radius; less than a ninth, and no such arch stands (Heyman 1969: 10.7 %). The feet
   stand on the ground and are kept from sliding by friction of 0.5 and their weight. */
static void arch_stands(void **state)
{
    (void)state;
    sn_world *world = standing_world(0.5);
    for (int i = 0; i < STONES; ++i)
        add_stone(world, PI * i / STONES, PI * (i + 1) / STONES, 3, 4);
    stand("arch of stones", world, support_long(60, 3), 0.02);
}

/* Ten planks on hinges between two posts of the world, and crates on them. It hangs down first, so it may move. */
static void bridge_holds(void **state)
{
    (void)state;
    sn_world *world = standing_world(0.5);
    sn_body plank[10];
    for (int i = 0; i < 10; ++i) {
        plank[i] = box_body(world, vec(0.5 + i, 5, 0), vec(0.48, 0.05, 1), 500);
        for (int side = -1; side <= 1; side += 2) {
            const sn_vec3 left = vec(-0.5, 0, 0.9 * side), right = vec(0.5, 0, 0.9 * side);
            if (i == 0)
                assert_true(
                    sn_constraint_add_attachment(world, sn_on_body(plank[i], left), sn_at_place(vec(0, 5, 0.9 * side)))
                        .generation);
            else
                assert_true(
                    sn_constraint_add_attachment(world, sn_on_body(plank[i], left), sn_on_body(plank[i - 1], right))
                        .generation);
            if (i == 9)
                assert_true(sn_constraint_add_attachment(world, sn_on_body(plank[i], right),
                                                         sn_at_place(vec(10, 5, 0.9 * side)))
                                .generation);
        }
    }
    for (int i = 0; i < 4; ++i)
        box_body(world, vec(2 + 2 * i, 5.4, 0), vec(0.3, 0.3, 0.3), 300);
    stand("bridge of planks", world, 60, 1.5);
}

/* A card of 1 mm, so high, leaning by an angle. */
static void add_card(sn_world *world, double x, double y, double angle, double high)
{
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    sn_body_def def = sn_default_body_def();
    shape.half = vec(0.0005, high / 2, 0.03);
    shape.radius = 0;
    def.shapes = &shape;
    def.shape_count = 1;
    def.density = 800;
    def.position = vec(x, y, 0);
    def.rotation = turned(vec(0, 0, 1), angle);
    assert_ok(world, sn_body_add(world, &def, NULL));
}

/* Tents of two cards each, and flat ones between the storeys. Four storeys stand with one pass. With five of them two sweeps in a substep
   are not enough to bring the load down before the cards slide apart; more substeps do not help, four passes do. */
static void house_of_cards_stands(void **state)
{
    (void)state;
    static const struct {
        uint32_t passes;
        int storeys;
        double most;
    } house[] = {{1, 3, 0.002}, {1, 4, 0.004}, {4, 6, 0.002}};
    for (size_t k = 0; k < COUNT_OF(house); ++k) {
        const double high = 0.09, lean = 0.35, thick = 0.001;
        const double storey = high * cos(lean) + thick * sin(lean), half = (high * sin(lean) + thick * cos(lean)) / 2;
        const double pitch = 4 * half + 0.004;
        const int storeys = house[k].storeys;
        char name[64];
        sn_world *world = standing_world(0.6);
        sn_settings settings = sn_world_settings(world);
        settings.iterations = house[k].passes;
        assert_ok(world, sn_world_configure(world, &settings));
        for (int s = 0; s < storeys; ++s) {
            const double floor = s * (storey + thick);
            for (int i = 0; i < storeys - s; ++i) {
                const double x = (i - (storeys - s - 1) / 2.0) * pitch;
                add_card(world, x - half, floor + storey / 2, -lean, high);
                add_card(world, x + half, floor + storey / 2, lean, high);
            }
            for (int i = 0; i < storeys - s - 1; ++i)
                add_card(world, (i - (storeys - s - 2) / 2.0) * pitch, floor + storey + thick / 2, PI / 2,
                         0.98 * pitch);
        }
        snprintf(name, sizeof name, "house of cards, %d storeys, %u passes", storeys, house[k].passes);
        stand(name, world, support_long(60, 2), house[k].most);
    }
}

/* A light box under a heavy one: it neither sinks nor is thrown. */
static void heavy_rests_on_light(void **state)
{
    (void)state;
    static const double ratio[] = {10, 100, 316, 1000, 3162, 10000};
    for (size_t i = 0; i < COUNT_OF(ratio); ++i) {
        sn_world *world = standing_world(0.5);
        char name[64];
        box_body(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
        box_body(world, vec(0, 1.5, 0), vec(0.5, 0.5, 0.5), 100 * ratio[i]);
        snprintf(name, sizeof name, "load of %g times the mass", ratio[i]);
        stand(name, world, support_long(60, 2), 0.02);
    }
}

#define PEG_BALLS 40
#define PEG_ROUND 0.21 /* m: from the axis of the peg to the rope */
#define PEG_HANGS 1.0  /* m: so far down both ends */

/* A rope of 10 g balls over a peg, with a load on each end, the second so many times the first. */
static double add_rope_over_peg(sn_world *world, double load, double times, sn_particle *p)
{
    const double arc = PI * PEG_ROUND, length = arc + 2 * PEG_HANGS;
    for (int i = 0; i < PEG_BALLS; ++i) {
        const double s = i * length / (PEG_BALLS - 1), angle = PI - (s - PEG_HANGS) / PEG_ROUND;
        sn_particle_def ball = sn_default_particle_def();
        ball.position = s < PEG_HANGS         ? vec(-PEG_ROUND, s - PEG_HANGS, 0)
                        : s < PEG_HANGS + arc ? vec(PEG_ROUND * cos(angle), PEG_ROUND * sin(angle), 0)
                                              : vec(PEG_ROUND, PEG_HANGS + arc - s, 0);
        ball.radius = real(0.01);
        ball.mass = real(i == 0 ? 0.01 * load : i == PEG_BALLS - 1 ? 0.01 * load * times : 0.01);
        assert_ok(world, sn_particle_add(world, &ball, &p[i]));
        if (i)
            sn_constraint_add_distance(world, sn_at(p[i - 1]), sn_at(p[i]), SN_MEASURE);
    }
    return length;
}

static double length_of(const sn_world *world, const sn_particle *p)
{
    double length = 0;
    for (int i = 1; i < PEG_BALLS; ++i)
        length += support_gap(sn_particle_position(world, p[i]), sn_particle_position(world, p[i - 1]));
    return length;
}

/* It must neither slip nor come through, nor stretch by more than `most`. */
static void hang_over_a_peg(double load, double times, uint32_t substeps, uint32_t passes, double most)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = substeps;
    def.settings.iterations = passes;
    sn_world *world = support_world_from(&def);
    sn_particle p[PEG_BALLS];
    double far = 0, stretch = 0, nearest = PEG_ROUND;
    sn_static_add_capsule(world, vec(0, 0, -1), vec(0, 0, 1), real(PEG_ROUND - 0.01));
    const double length = add_rope_over_peg(world, load, times, p);
    for (int frame = 0; frame < 300; ++frame) {
        step(world);
        for (int i = 0; i < PEG_BALLS; ++i) {
            const sn_vec3 x = sn_particle_position(world, p[i]);
            nearest = fmin(nearest, hypot((double)x.x, (double)x.y));
        }
        stretch = fmax(stretch, length_of(world, p) / length - 1);
        far = fmax(far, fmax(fabs((double)sn_particle_position(world, p[0]).y + PEG_HANGS),
                             fabs((double)sn_particle_position(world, p[PEG_BALLS - 1]).y + PEG_HANGS)));
    }
    print_message(
        "rope over a peg, loads of %g and %g times the mass of a ball, %u substeps of %u: ends moved by %.3g m, "
        "stretched by %.3g\n",
        load, load * times, substeps, passes, far, stretch);
    assert_true(stretch < most && far < 2 * most * PEG_HANGS && nearest > 0.99 * PEG_ROUND);
    sn_world_destroy(world);
}

/* A peg that rises takes a rope with heavy loads along, and one that turns is a winch. */
static void peg_lifts_and_winds(void **state)
{
    (void)state;
    for (int winds = 0; winds < 2; ++winds) {
        sn_world *world = support_world();
        sn_particle p[PEG_BALLS];
        sn_body peg = fixed_add_capsule(world, vec(0, 0, -1), vec(0, 0, 1), real(PEG_ROUND - 0.01));
        const double length = add_rope_over_peg(world, 10000, 1, p);
        double stretch = 0;
        for (int frame = 0; frame < 120; ++frame) {
            if (frame == 60)
                assert_ok(world, sn_body_set_velocity(world, peg, vec(0, winds ? 0 : 0.5, 0), vec(0, 0, winds)));
            step(world);
            stretch = fmax(stretch, length_of(world, p) / length - 1);
        }
        const double a = (double)sn_particle_position(world, p[0]).y + PEG_HANGS;
        const double b = (double)sn_particle_position(world, p[PEG_BALLS - 1]).y + PEG_HANGS;
        print_message("peg %s: ends moved by %.4g and %.4g m\n", winds ? "turns by 1 rad" : "rises by 0.5 m", a, b);
        assert_true(stretch < 0.001);
        assert_true(fabs(a - (winds ? -PEG_ROUND : 0.5)) < 0.01 && fabs(b - (winds ? PEG_ROUND : 0.5)) < 0.01);
        sn_world_destroy(world);
    }
}

static void rope_over_a_peg_holds(void **state)
{
    (void)state;
    static const double load[] = {10, 100, 1000, 10000, 100000};
    for (size_t i = 0; i < COUNT_OF(load); ++i)
        hang_over_a_peg(load[i], 1, 10, 1, 0.001);
    hang_over_a_peg(1000, 1, 1, 1, 0.002);
    hang_over_a_peg(10000, 1, 10, 4, 0.001);
    hang_over_a_peg(10000, 1, 30, 1, 0.001);
    hang_over_a_peg(1000, 3, 10, 1, 0.001); /* friction of 0.5 holds up to 4.8 times as much */
    hang_over_a_peg(10000, 3, 10, 1, 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_stands),
        cmocka_unit_test(slender_towers_stand_awake),
        cmocka_unit_test(towers_stand_in_uneven_steps),
        cmocka_unit_test(pyramid_stands),
        cmocka_unit_test(bricks_stand),
        cmocka_unit_test(arch_stands),
        cmocka_unit_test(bridge_holds),
        cmocka_unit_test(house_of_cards_stands),
        cmocka_unit_test(heavy_rests_on_light),
        cmocka_unit_test(rope_over_a_peg_holds),
        cmocka_unit_test(peg_lifts_and_winds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
