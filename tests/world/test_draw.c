/* Debug drawing: what every layer shows, against what is known; that it is const, finite and takes no memory. */
#include "support/fixed.h"
#include "support/support.h"

#include <math.h>
#include <sinew/draw.h>

enum { MOST = 20000 };

typedef struct line {
    sn_vec3 from, to;
    uint32_t colour;
} line;

/* What was drawn. */
typedef struct sheet {
    uint32_t points, lines, triangles, texts;
    sn_vec3 point[MOST];
    uint32_t point_colour[MOST];
    line line[MOST];
    char text[100][32];
    sn_world *meddle; /* to be changed, which must be refused */
    sn_result meddled;
} sheet;

static sheet s;

static void on_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    sheet *to = context;
    assert_true(support_is_finite(place) && radius >= 0 && colour <= 0xffffff);
    if (to->points < MOST) {
        to->point[to->points] = place;
        to->point_colour[to->points] = colour;
    }
    to->points++;
    if (to->meddle)
        to->meddled = sn_world_step(to->meddle, real(0.01));
}

static void on_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    sheet *on = context;
    assert_true(support_is_finite(from) && support_is_finite(to) && colour <= 0xffffff);
    if (on->lines < MOST)
        on->line[on->lines] = (line){from, to, colour};
    on->lines++;
}

static void on_triangle(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour)
{
    sheet *to = context;
    assert_true(support_is_finite(a) && support_is_finite(b) && support_is_finite(c) && colour <= 0xffffff);
    to->triangles++;
}

static void on_text(void *context, sn_vec3 place, const char *text, uint32_t colour)
{
    sheet *to = context;
    assert_true(support_is_finite(place) && colour <= 0xffffff);
    if (to->texts < COUNT_OF(to->text))
        snprintf(to->text[to->texts], sizeof to->text[0], "%s", text);
    to->texts++;
}

static sn_draw drawing(uint32_t layers)
{
    sn_draw draw = sn_default_draw();
    draw.layers = layers;
    draw.point = on_point;
    draw.line = on_line;
    draw.triangle = on_triangle;
    draw.text = on_text;
    draw.context = &s;
    s.points = s.lines = s.triangles = s.texts = 0;
    return draw;
}

static void draw_layers(const sn_world *world, uint32_t layers)
{
    sn_draw draw = drawing(layers);
    assert_ok(world, sn_world_draw(world, &draw));
}

static bool is_close(sn_vec3 a, sn_vec3 b)
{
    return support_gap(a, b) < 1e-4;
}

static bool has_line(sn_vec3 a, sn_vec3 b)
{
    for (uint32_t i = 0; i < s.lines; ++i)
        if ((is_close(s.line[i].from, a) && is_close(s.line[i].to, b)) ||
            (is_close(s.line[i].from, b) && is_close(s.line[i].to, a)))
            return true;
    return false;
}

static double length_of(const line *l)
{
    return support_gap(l->from, l->to);
}

/* ---- Layers -------------------------------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    sn_world *world = support_void();
    fixed_add_box(world, vec(1, 2, 3), vec(1, 0.5, 0.25));
    draw_layers(world, SN_DRAW_SHAPES);
    assert_int_equal(s.lines, 12);
    assert_int_equal(s.triangles, 12);
    assert_true(has_line(vec(0, 1.5, 2.75), vec(2, 1.5, 2.75)) && has_line(vec(2, 1.5, 3.25), vec(2, 2.5, 3.25)));
    sn_body box = sn_body_add_box(world, vec(0, 9, 0), vec(0.5, 0.5, 0.5), 1000);
    draw_layers(world, SN_DRAW_SHAPES);
    assert_int_equal(s.lines, 24);
    assert_true(has_line(vec(-0.5, 8.5, -0.5), vec(0.5, 8.5, -0.5)));
    assert_ok(world, sn_body_set_pose(world, box, vec(0, 20, 0), (sn_quat){0, 0, real(sqrt(0.5)), real(sqrt(0.5))}));
    draw_layers(world, SN_DRAW_SHAPES);
    assert_true(has_line(vec(-0.5, 19.5, -0.5), vec(0.5, 19.5, -0.5)));

    /* round ones are round, and triangles run counter-clockwise seen from outside */
    fixed_add_sphere(world, vec(50, 0, 0), 2);
    sn_body_add_capsule(world, vec(60, 0, 0), vec(60, 3, 0), 1, 1000);
    sn_draw draw = drawing(SN_DRAW_SHAPES);
    draw.low = vec(40, -9, -9);
    assert_ok(world, sn_world_draw(world, &draw));
    assert_true(s.lines > 60 && s.triangles > 200);
    for (uint32_t i = 0; i < s.lines; ++i) {
        double x = (double)s.line[i].from.x, y = (double)s.line[i].from.y, z = (double)s.line[i].from.z;
        double above = y < 0 ? -y : y > 3 ? y - 3 : 0;
        double off = x < 55 ? sqrt((x - 50) * (x - 50) + y * y + z * z) - 2
                            : sqrt((x - 60) * (x - 60) + above * above + z * z) - 1;
        assert_close(off, 0, 1e-4);
    }

    /* a plane is a grid in it */
    fixed_add_plane(world, vec(0, -3, 0), vec(0, 1, 0));
    draw = drawing(SN_DRAW_SHAPES);
    draw.high.y = real(-2.5);
    assert_ok(world, sn_world_draw(world, &draw));
    assert_int_equal(s.lines, 22);
    for (uint32_t i = 0; i < s.lines; ++i)
        assert_close(s.line[i].from.y, -3, 1e-5);

    /* boxes of the broad phase hold them */
    draw_layers(world, SN_DRAW_BOUNDS);
    assert_int_equal(s.lines, 12 * 4); /* a plane has none */
    sn_world_destroy(world);
}

static void test_particles_and_bodies(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle a = sn_particle_add_at(world, vec(0, 0, 0), 1),
                b = sn_particle_add_at(world, vec(1, 0, 0), SN_IMMOVABLE);
    sn_body box = sn_body_add_box(world, vec(5, 0, 0), vec(1, 1, 1), 1000);
    assert_ok(world, sn_particle_set_velocity(world, a, vec(0, 2, 0)));
    draw_layers(world, SN_DRAW_PARTICLES);
    assert_int_equal(s.points, 2); /* that of the body is left out */
    assert_true(s.point_colour[0] != s.point_colour[1]);
    draw_layers(world, SN_DRAW_VELOCITIES);
    assert_int_equal(s.lines, 1);
    assert_true(has_line(vec(0, 0, 0), vec(0, 0.2, 0)));
    draw_layers(world, SN_DRAW_AXES);
    assert_int_equal(s.lines, 3);
    assert_true(has_line(vec(5, 0, 0), vec(5.2, 0, 0)));
    draw_layers(world, SN_DRAW_NAMES);
    assert_int_equal(s.texts, 3);
    assert_string_equal(s.text[0], "0");
    assert_string_equal(s.text[2], "body 0");

    sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
    sn_constraint_add_attachment(world, sn_at(b), sn_on_body(box, vec(-1, 1, 0)));
    draw_layers(world, SN_DRAW_CONSTRAINTS);
    assert_true(has_line(vec(0, 0, 0), vec(1, 0, 0)) && has_line(vec(1, 0, 0), vec(4, 1, 0)));
    draw_layers(world, SN_DRAW_ANCHORS);
    assert_int_equal(s.points, 1);
    assert_true(is_close(s.point[0], vec(4, 1, 0)) && has_line(vec(5, 0, 0), vec(4, 1, 0)));
    sn_world_destroy(world);
}

/* What presses on a floor is the weight of what lies on it. */
static void test_contacts(void **state)
{
    (void)state;
    for (int bodies = 0; bodies < 2; ++bodies) {
        sn_world *world = support_world();
        double weight = 9.81;
        fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
        if (bodies) {
            sn_body_add_box(world, vec(0, 0.5, 0), vec(0.5, 0.5, 0.5), 100);
            weight *= 100;
        } else {
            sn_particle ball = sn_particle_add_at(world, vec(0, 0.25, 0), 1);
            assert_ok(world, sn_particle_set_radius(world, ball, real(0.25)));
        }
        draw_layers(world, SN_DRAW_CONTACTS | SN_DRAW_FORCES);
        assert_int_equal(s.points + s.lines, 0);
        support_run(world, 120, 1.0 / 60);
        sn_draw draw = drawing(SN_DRAW_CONTACTS);
        assert_ok(world, sn_world_draw(world, &draw));
        assert_int_equal(s.points, bodies ? 4 : 1);
        for (uint32_t i = 0; i < s.points; ++i) {
            assert_close(s.point[i].y, 0, 2e-3);
            assert_close(fabs((double)s.point[i].x), bodies ? 0.5 : 0, 1e-2);
            assert_true(
                has_line(s.point[i], vec((double)s.point[i].x, (double)s.point[i].y + 0.2, (double)s.point[i].z)));
        }
        draw = drawing(SN_DRAW_FORCES);
        draw.force_length = 1;
        assert_ok(world, sn_world_draw(world, &draw));
        double sum = 0;
        for (uint32_t i = 0; i < s.lines; ++i)
            sum += length_of(&s.line[i]);
        assert_close(sum, weight, 0.02 * weight);
        sn_world_destroy(world);
    }
}

/* ---- Colours ------------------------------------------------------------------------------------------------------- */

static void test_strain(void **state)
{
    (void)state;
    sn_world *world = support_void();
    const double rest[] = {1, 0.99, 1.01, 0.5};
    const uint32_t expected[] = {0x30d030, 0xff3030, 0x3030ff, 0xff3030};
    for (int i = 0; i < 4; ++i) {
        sn_particle a = sn_particle_add_at(world, vec(0, i, 0), 1), b = sn_particle_add_at(world, vec(1, i, 0), 1);
        sn_constraint_add_distance(world, sn_at(a), sn_at(b), real(rest[i]));
    }
    sn_particle a = sn_particle_add_at(world, vec(0, 9, 0), 1), b = sn_particle_add_at(world, vec(1, 9, 0), 1);
    sn_constraint_add_distance_max(world, sn_at(a), sn_at(b), 2); /* it may be shorter */
    draw_layers(world, SN_DRAW_CONSTRAINTS | SN_DRAW_STRAIN);
    assert_int_equal(s.lines, 5);
    for (int i = 0; i < 4; ++i)
        for (int shift = 0; shift < 24; shift += 8)
            assert_close(s.line[i].colour >> shift & 255, expected[i] >> shift & 255, 2);
    assert_int_equal(s.line[4].colour, 0x30d030);
    sn_world_destroy(world);
}

static sn_world *net(uint32_t side)
{
    sn_world *world = support_world();
    sn_particle *grid = malloc((size_t)side * side * sizeof *grid);
    assert_non_null(grid);
    for (uint32_t i = 0; i < side * side; ++i) {
        grid[i] = sn_particle_add_at(world, vec(i % side, 0, i / side), 1);
        if (i % side)
            sn_constraint_add_distance(world, sn_at(grid[i - 1]), sn_at(grid[i]), SN_MEASURE);
        if (i / side)
            sn_constraint_add_distance(world, sn_at(grid[i - side]), sn_at(grid[i]), SN_MEASURE);
    }
    free(grid);
    return world;
}

static void test_tiles(void **state)
{
    (void)state;
    const uint32_t side = 130;
    sn_world *world = net(side);
    draw_layers(world, SN_DRAW_PARTICLES | SN_DRAW_TILES); /* there is no plan yet */
    assert_int_equal(s.points, side * side);
    for (uint32_t i = 1; i < s.points; ++i)
        assert_int_equal(s.point_colour[i], s.point_colour[0]);
    support_run(world, 1, 1e-4);
    draw_layers(world, SN_DRAW_PARTICLES | SN_DRAW_TILES);
    uint32_t colours = 1, changes = 0, seen[64] = {s.point_colour[0]};
    for (uint32_t i = 1; i < s.points; ++i) {
        bool known = false;
        for (uint32_t k = 0; k < colours; ++k)
            known = known || seen[k] == s.point_colour[i];
        if (!known && colours < COUNT_OF(seen))
            seen[colours++] = s.point_colour[i];
        changes += s.point_colour[i] != s.point_colour[i - 1];
    }
    assert_true(colours >= 4 && colours < COUNT_OF(seen));
    assert_true(changes < s.points / 10); /* they hang together */
    sn_world_destroy(world);
}

/* What has one colour shares no particle: it is solved side by side. */
static void test_batches(void **state)
{
    (void)state;
    sn_world *world = net(60);
    support_run(world, 1, 1e-4);
    draw_layers(world, SN_DRAW_CONSTRAINTS | SN_DRAW_BATCHES);
    assert_int_equal(s.lines, 2 * 60 * 59);
    uint32_t shared = 0;
    for (uint32_t i = 0; i < s.lines; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const line *a = &s.line[i], *b = &s.line[k];
            if (a->colour != b->colour || a->colour == 0x909090)
                continue;
            shared += is_close(a->from, b->from) || is_close(a->from, b->to) || is_close(a->to, b->from) ||
                      is_close(a->to, b->to);
        }
    assert_int_equal(shared, 0);
    sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, 0)),
                               sn_at(sn_particle_from_index(world, 500)), SN_MEASURE);
    draw_layers(world, SN_DRAW_CONSTRAINTS | SN_DRAW_BATCHES); /* the plan does not know of it: colours of kinds */
    assert_int_equal(s.lines, 2 * 60 * 59 + 1);
    assert_int_equal(s.line[0].colour, s.line[5000].colour);
    sn_world_destroy(world);
}

static void test_islands(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_contact_settings settings = sn_default_contact_settings();
    settings.sleep = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    fixed_add_plane(world, vec(0, 0, 0), vec(0, 1, 0));
    for (int i = 0; i < 6; ++i) { /* two stacks of three */
        sn_particle p = sn_particle_add_at(world, vec(i < 3 ? 0 : 5, 0.25 + 0.5 * (i % 3), 0), 1);
        assert_ok(world, sn_particle_set_radius(world, p, real(0.25)));
    }
    draw_layers(world, SN_DRAW_PARTICLES);
    const uint32_t awake = s.point_colour[0];
    support_run(world, 240, 1.0 / 60);
    assert_int_equal(sn_world_awake_count(world), 0);
    draw_layers(world, SN_DRAW_PARTICLES);
    assert_int_not_equal(s.point_colour[0], awake);
    draw_layers(world, SN_DRAW_PARTICLES | SN_DRAW_ISLANDS);
    for (int i = 1; i < 6; ++i)
        assert_int_equal(s.point_colour[i], s.point_colour[i / 3 * 3]);
    assert_int_not_equal(s.point_colour[0], s.point_colour[3]);

    /* a snapshot does not know them: each is its own */
    sn_snapshot *snapshot = sn_world_save(world);
    assert_ok(world, sn_world_load(world, snapshot));
    draw_layers(world, SN_DRAW_PARTICLES | SN_DRAW_ISLANDS);
    assert_int_not_equal(s.point_colour[0], s.point_colour[1]);
    sn_snapshot_destroy(snapshot);
    sn_world_destroy(world);
}

/* ---- Promises ------------------------------------------------------------------------------------------------------ */

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle_add_at(world, vec(0, 0, 0), 1);
    sn_draw good = drawing(SN_DRAW_ALL), bad = good;
    assert_int_equal(sn_world_draw(NULL, &good), SN_ERROR_ARGUMENT);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_draw(world, NULL));
    assert_says(sn_world_error(world), "draw NULL");
    bad.layers = 1u << 30;
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_draw(world, &bad));
    assert_says(sn_world_error(world), "layers 0x40000000");
#define REFUSED(field, value)                                                                                          \
    do {                                                                                                               \
        bad = good;                                                                                                    \
        bad.field = real(value);                                                                                       \
        assert_result(world, SN_ERROR_ARGUMENT, sn_world_draw(world, &bad));                                           \
        assert_says(sn_world_error(world), #field);                                                                    \
    } while (0)
    REFUSED(axis_length, -1);
    REFUSED(velocity_length, NAN);
    REFUSED(force_length, INFINITY);
    REFUSED(full_strain, 0);
    REFUSED(plane_size, 0);
#undef REFUSED
    assert_int_equal(s.points + s.lines + s.texts, 0);
    sn_draw nothing = sn_default_draw(); /* without functions */
    nothing.layers = 0xf07ff;
    assert_ok(world, sn_world_draw(world, &nothing));
    sn_world_destroy(world);
}

/* A world with everything, by all layers, at all times: finite, const, without memory; and edits from functions are refused. */
static void test_everything(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_world_def def = sn_default_world_def();
    def.allocator = support_allocator(&memory);
    sn_world *world = support_world_from(&def);
    support_zoo(world);
    fixed_add_plane(world, vec(0, -1, 0), vec(0, 1, 0));
    sn_body_add_box(world, vec(20, 0, 0), vec(1, 1, 1), 1000);
    sn_body_add_capsule(world, vec(22, 0, 0), vec(22, 1, 1), 1, 1000);
    for (int step = 0; step < 5; ++step) {
        const uint64_t hash = sn_world_hash(world), requests = memory.requests;
        for (uint32_t bit = 0; bit < 20; ++bit)
            if (bit < 11 || bit > 15)
                draw_layers(world, bit < 11 ? 1u << bit : SN_DRAW_ALL | 1u << bit);
        assert_true(s.points > 0 && s.lines > 0);
        assert_int_equal(memory.requests, requests);
        assert_true(sn_world_hash(world) == hash);
        support_run(world, 1, 0.01);
    }
    s.meddle = world;
    draw_layers(world, SN_DRAW_PARTICLES);
    assert_int_equal(s.meddled, SN_ERROR_BUSY);
    s.meddle = NULL;
    support_run(world, 1, 0.01);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),     cmocka_unit_test(test_particles_and_bodies),
        cmocka_unit_test(test_contacts),   cmocka_unit_test(test_strain),
        cmocka_unit_test(test_tiles),      cmocka_unit_test(test_batches),
        cmocka_unit_test(test_islands),    cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
