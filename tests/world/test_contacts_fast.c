/* Fast particles: 300 m/s is half a metre in a substep, and nothing is passed. */
#include "world/contact_worlds.h"

#define BULLET 300.0 /* m/s */
#define SHOTS  support_rounds(100, 24)

static const double calibre[] = {0, 1e-3}; /* m: radii */

static sn_vec3 random_direction(uint64_t *seed)
{
    sn_vec3 d;
    do
        d = vec(support_random_in(seed, -1, 1), support_random_in(seed, -1, 1), support_random_in(seed, -1, 1));
    while (length(d) > 1 || length(d) < 0.1);
    return vec((double)d.x / length(d), (double)d.y / length(d), (double)d.z / length(d));
}

/* a + s b */
static sn_vec3 along(sn_vec3 a, double s, sn_vec3 b)
{
    return vec((double)a.x + s * (double)b.x, (double)a.y + s * (double)b.y, (double)a.z + s * (double)b.z);
}

/* Aimed at a target from a few metres away, so that it is met in the middle of some substep of the first steps. */
static sn_particle shoot(sn_world *world, sn_vec3 target, sn_vec3 direction, double radius, uint64_t *seed)
{
    sn_vec3 from = along(target, -support_random_in(seed, 0.3, 7), direction);
    return flying_ball(world, from, along(vec(0, 0, 0), BULLET, direction), 0.01, radius);
}

/* Free space, ten substeps a step. */
static sn_world *make_range(void)
{
    sn_world *world = support_void();
    sn_settings settings = sn_world_settings(world);
    settings.substeps = 10;
    assert_ok(world, sn_world_configure(world, &settings));
    return world;
}

/* ---- Solids ------------------------------------------------------------------------------------------------------------- */

/* m: negative inside. */
typedef double target_distance(sn_vec3 p);

static double box_distance(sn_vec3 p)
{
    double x = fabs((double)p.x) - 0.5, y = fabs((double)p.y) - 0.005, z = fabs((double)p.z) - 0.5;
    double out = length(vec(fmax(x, 0), fmax(y, 0), fmax(z, 0)));
    return out > 0 ? out : fmax(x, fmax(y, z));
}

static double sphere_distance(sn_vec3 p)
{
    return length(p) - 0.1;
}

static double capsule_distance(sn_vec3 p)
{
    double y = fmax(-0.5, fmin(0.5, (double)p.y));
    return length(vec((double)p.x, (double)p.y - y, (double)p.z)) - 0.02;
}

static sn_real sphere_field(void *context, sn_vec3 p)
{
    (void)context;
    return real(sphere_distance(p));
}

static const sn_vec3 plate_vertices[8] = {
    {-(sn_real)0.5, -(sn_real)0.005, -(sn_real)0.5}, {(sn_real)0.5, -(sn_real)0.005, -(sn_real)0.5},
    {-(sn_real)0.5, (sn_real)0.005, -(sn_real)0.5},  {(sn_real)0.5, (sn_real)0.005, -(sn_real)0.5},
    {-(sn_real)0.5, -(sn_real)0.005, (sn_real)0.5},  {(sn_real)0.5, -(sn_real)0.005, (sn_real)0.5},
    {-(sn_real)0.5, (sn_real)0.005, (sn_real)0.5},   {(sn_real)0.5, (sn_real)0.005, (sn_real)0.5}};
static const uint32_t plate_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                             2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static fixed_def plate_def(void)
{
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_MESH;
    def.vertices = plate_vertices;
    def.vertex_count = 8;
    def.triangles = plate_triangles;
    def.triangle_count = 12;
    return def;
}

/* Shots at the middle of a solid around the origin, which is `wide` in every direction at least. Its surface is true to
   `rough`. */
static void shoot_at_solid(const fixed_def *def, target_distance *distance, double wide, double rough)
{
    uint64_t seed = 11;
    for (size_t c = 0; c < COUNT_OF(calibre); ++c)
        for (uint32_t i = 0, shots = SHOTS; i < shots; ++i) {
            sn_world *world = make_range();
            sn_body target;
            assert_ok(world, fixed_add(world, def, &target));
            set_materials(world, i % 2 ? 1 : 0, i % 3 == 0 ? 0.8 : 0);
            sn_vec3 at = along(vec(0, 0, 0), support_random_in(&seed, 0, 0.7 * wide), random_direction(&seed));
            sn_particle p = shoot(world, at, random_direction(&seed), calibre[c], &seed);
            if (distance(place(world, p)) < 0.1) {
                sn_world_destroy(world);
                continue;
            }
            sn_vec3 fired = speed(world, p);
            double least = (double)INFINITY;
            for (int step = 0; step < 4; ++step) {
                support_run(world, 1, FRAME);
                least = fmin(least, distance(place(world, p)) - calibre[c]);
            }
            assert_true(least > -rough - 1e-4);                               /* it never was inside, */
            assert_true(support_gap(speed(world, p), fired) > 1e-3 * BULLET); /* and has hit it */
            sn_world_destroy(world);
        }
}

static void solids_are_not_passed(void **state)
{
    (void)state;
    fixed_def def = default_fixed();
    def.type = SN_SHAPE_BOX;
    def.half = vec(0.5, 0.005, 0.5);
    shoot_at_solid(&def, box_distance, 0.005, 0);
    def.type = SN_SHAPE_SPHERE;
    def.radius = real(0.1);
    shoot_at_solid(&def, sphere_distance, 0.1, 0);
    def.radius = real(0.05);
    def.rounding = real(0.05);
    shoot_at_solid(&def, sphere_distance, 0.1, 0);
    def.rounding = 0;
    def.type = SN_SHAPE_CAPSULE;
    def.radius = real(0.02);
    def.half = vec(0.5, 0.5, 0.5);
    shoot_at_solid(&def, capsule_distance, 0.02, 0);
}

static void meshes_and_fields_are_not_passed(void **state)
{
    (void)state;
    fixed_def def = plate_def();
    shoot_at_solid(&def, box_distance, 0.005, 0);
    def = default_fixed();
    def.type = SN_SHAPE_FIELD;
    def.function = sphere_field;
    def.low = vec(-0.12, -0.12, -0.12);
    def.high = vec(0.12, 0.12, 0.12);
    shoot_at_solid(&def, sphere_distance, 0.1, 1e-3);
}

/* ---- Sheets -------------------------------------------------------------------------------------------------------------- */

enum { SIDE = 13, QUADS = (SIDE - 1) * (SIDE - 1) };

/* A sheet of 24 x 24 m with bumps, or a flat one. */
typedef struct sheet {
    sn_vec3 vertex[SIDE * SIDE];
    uint32_t triangle[QUADS * 6];
} sheet;

#define SPACING 2.0 /* m */

static fixed_def make_sheet(sheet *s, double bumps, uint64_t *seed)
{
    fixed_def def = default_fixed();
    for (int i = 0; i < SIDE * SIDE; ++i)
        s->vertex[i] = vec(SPACING * (i % SIDE - SIDE / 2), support_random_in(seed, -bumps, bumps),
                           SPACING * (i / SIDE - SIDE / 2));
    for (int i = 0; i < QUADS; ++i) {
        uint32_t a = (uint32_t)(i / (SIDE - 1) * SIDE + i % (SIDE - 1)), b = a + 1, c = a + SIDE, d = c + 1;
        const uint32_t corner[6] = {a, c, b, b, c, d};
        memcpy(&s->triangle[6 * i], corner, sizeof corner);
    }
    def.type = SN_SHAPE_MESH;
    def.vertices = s->vertex;
    def.vertex_count = SIDE * SIDE;
    def.triangles = s->triangle;
    def.triangle_count = 2 * QUADS;
    return def;
}

/* m: how far above the sheet a place is; NaN beside it. */
static double height_above(const sheet *s, sn_vec3 p)
{
    double x = (double)p.x / SPACING + SIDE / 2, z = (double)p.z / SPACING + SIDE / 2;
    int i = (int)floor(x), j = (int)floor(z);
    if (i < 0 || j < 0 || i >= SIDE - 1 || j >= SIDE - 1)
        return (double)NAN;
    const sn_vec3 *v = &s->vertex[j * SIDE + i];
    double a = (double)v[0].y, b = (double)v[1].y, c = (double)v[SIDE].y, d = (double)v[SIDE + 1].y;
    x -= i, z -= j;
    double ground = x + z <= 1 ? a + x * (b - a) + z * (c - a) : d + (1 - x) * (c - d) + (1 - z) * (b - d);
    return (double)p.y - ground;
}

typedef enum aim { AIM_FACES, AIM_EDGES, AIM_VERTICES, AIMS } aim;

static sn_vec3 aim_at(const sheet *s, aim where, uint64_t *seed)
{
    uint32_t quad = (uint32_t)(SIDE / 2 - 2 + (int)support_random_below(seed, 4)) * SIDE + SIDE / 2 - 2 +
                    support_random_below(seed, 4);
    const sn_vec3 *v = &s->vertex[quad];
    double t = support_random_in(seed, 0, 1), u = support_random_in(seed, 0, 1 - t);
    if (where == AIM_VERTICES)
        return v[0];
    sn_vec3 ends[3] = {v[1], v[SIDE], v[SIDE + 1]}, end = ends[support_random_below(seed, 2)];
    if (where == AIM_EDGES)
        return vec((1 - t) * (double)v[0].x + t * (double)end.x, (1 - t) * (double)v[0].y + t * (double)end.y,
                   (1 - t) * (double)v[0].z + t * (double)end.z);
    return vec((1 - t - u) * (double)v[0].x + t * (double)v[1].x + u * (double)v[SIDE].x,
               (1 - t - u) * (double)v[0].y + t * (double)v[1].y + u * (double)v[SIDE].y,
               (1 - t - u) * (double)v[0].z + t * (double)v[1].z + u * (double)v[SIDE].z);
}

typedef struct volley {
    double bumps, friction, restitution, radius, thickness;
    bool one_sided;
} volley;

/* How many of the shots come out on the other side. */
static uint32_t count_passing(const volley *about, aim where, bool from_below)
{
    uint64_t seed = 21;
    uint32_t passed = 0;
    static sheet s;
    for (uint32_t i = 0, shots = SHOTS; i < shots; ++i) {
        sn_world *world = make_range();
        sn_body target;
        fixed_def def = make_sheet(&s, about->bumps, &seed);
        def.one_sided = about->one_sided;
        def.rounding = real(about->thickness);
        assert_ok(world, fixed_add(world, &def, &target));
        set_materials(world, about->friction, about->restitution);
        double sign = from_below ? -1 : 1;
        sn_vec3 direction;
        do
            direction = random_direction(&seed);
        while (-sign * (double)direction.y < 0.3);
        sn_particle p = shoot(world, aim_at(&s, where, &seed), direction, about->radius, &seed);
        bool fair = sign * height_above(&s, place(world, p)) > 0.02; /* not from below the bumps */
        for (int step = 0; step < 4 && fair; ++step) {
            support_run(world, 1, FRAME);
            if (sign * height_above(&s, place(world, p)) < -1e-4) {
                ++passed;
                break;
            }
        }
        sn_world_destroy(world);
    }
    return passed;
}

static void check_sheet(const volley *about)
{
    for (int where = 0; where < AIMS; ++where)
        for (int below = 0; below < 2; ++below) {
            bool open = about->one_sided && below;
            uint32_t passed = count_passing(about, (aim)where, below);
            if (!open && passed)
                print_message("%u of %u pass (aim %d, from %s, bumps %g, friction %g, restitution %g, radius %g)\n",
                              passed, SHOTS, where, below ? "below" : "above", about->bumps, about->friction,
                              about->restitution, about->radius);
            assert_true(open ? passed > SHOTS / 2 : passed == 0);
        }
}

static void flat_sheets_are_not_passed(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT_OF(calibre); ++c)
        for (int one_sided = 0; one_sided < 2; ++one_sided)
            for (int kind = 0; kind < 3; ++kind)
                check_sheet(&(volley){.radius = calibre[c],
                                      .friction = kind == 0 ? 5 : 0,
                                      .restitution = kind == 2 ? 0.9 : 0,
                                      .one_sided = one_sided});
}

static void bumpy_sheets_are_not_passed(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT_OF(calibre); ++c)
        for (int one_sided = 0; one_sided < 2; ++one_sided)
            for (int kind = 0; kind < 3; ++kind)
                check_sheet(&(volley){.radius = calibre[c],
                                      .bumps = 0.4,
                                      .friction = kind == 0 ? 5 : 0,
                                      .restitution = kind == 2 ? 0.9 : 0,
                                      .one_sided = one_sided});
}

/* What lies on a sheet, without a radius and in a hollow, does not seep through it. */
static void points_rest_on_a_sheet(void **state)
{
    (void)state;
    for (int bumpy = 0; bumpy < 2; ++bumpy)
        for (int friction = 0; friction < 2; ++friction) {
            static sheet s;
            uint64_t seed = 4;
            sn_world *world = support_world();
            sn_body target;
            fixed_def def = make_sheet(&s, bumpy ? 0.4 : 0, &seed);
            assert_ok(world, fixed_add(world, &def, &target));
            set_materials(world, friction ? 2 : 0, 0);
            for (int i = 0; i < 50; ++i)
                ball(world, vec(support_random_in(&seed, -5, 5), 1, support_random_in(&seed, -5, 5)), 1, 0);
            support_run(world, support_long(300, 120), FRAME);
            for (uint32_t i = 0; i < 50; ++i) {
                sn_vec3 x = place(world, sn_particle_from_index(world, i));
                assert_true(!(height_above(&s, x) < -1e-4));
            }
            sn_world_destroy(world);
        }
}

/* A trough along z with walls of this slope. */
static fixed_def make_trough(sn_vec3 *vertex, double slope)
{
    static const uint32_t triangle[] = {0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5};
    fixed_def def = default_fixed();
    for (int i = 0; i < 6; ++i)
        vertex[i] = vec(5 * (i % 3 - 1), i % 3 == 1 ? 0 : 5 * slope, i < 3 ? -5 : 5);
    def.type = SN_SHAPE_MESH;
    def.vertices = vertex;
    def.vertex_count = 6;
    def.triangles = triangle;
    def.triangle_count = 4;
    return def;
}

/* What is wedged between the walls of a trough rests there, however steep it is. */
static void troughs_hold(void **state)
{
    (void)state;
    static const double slope[] = {0.2, 1, 4}, radius[] = {0, 1e-3, 0.01, 0.1};
    for (size_t i = 0; i < COUNT_OF(slope); ++i)
        for (size_t j = 0; j < COUNT_OF(radius); ++j)
            for (int rough = 0; rough < 2; ++rough) {
                uint64_t seed = 1 + i;
                sn_vec3 vertex[6];
                sn_body trough;
                sn_world *world = support_world();
                fixed_def def = make_trough(vertex, slope[i]);
                assert_ok(world, fixed_add(world, &def, &trough));
                set_materials(world, rough ? 2 : 0, 0);
                for (int k = 0; k < 10; ++k) {
                    double x = support_random_in(&seed, -0.3, 0.3), up = radius[j] * hypot(1, slope[i]) + 0.2;
                    ball(world, vec(x, slope[i] * fabs(x) + up, 0.4 * k - 2), 1, radius[j]);
                }
                for (uint32_t step = 0; step < support_long(300, 120); ++step) {
                    support_run(world, 1, FRAME);
                    for (uint32_t k = 0; k < 10; ++k) {
                        sn_vec3 x = place(world, sn_particle_from_index(world, k));
                        assert_true((double)x.y > slope[i] * fabs((double)x.x) - 1e-4);
                        assert_true(length(speed(world, sn_particle_from_index(world, k))) <
                                    6); /* it fell 1.4 m at most */
                    }
                }
                sn_world_destroy(world);
            }
}

/* A thin wall that comes at 100 m/s bats a ball that stands, and does not pass it. */
static void fast_walls_do_not_pass(void **state)
{
    (void)state;
    static sheet s;
    for (size_t c = 0; c < COUNT_OF(calibre); ++c)
        for (int type = 0; type < 3; ++type) {
            uint64_t seed = 4;
            sn_world *world = make_range();
            sn_body target;
            fixed_def def = type == 2 ? make_sheet(&s, 0, &seed) : plate_def();
            def.type = type == 0 ? SN_SHAPE_BOX : SN_SHAPE_MESH;
            def.half = vec(0.5, 0.005, 0.5);
            def.position = vec(0, -3.03, 0);
            def.velocity = vec(0, 100, 0);
            assert_ok(world, fixed_add(world, &def, &target));
            sn_particle p = ball(world, vec(0.1, 0, 0.1), 1, calibre[c]);
            support_run(world, 6, FRAME);
            assert_close(speed(world, p).y, 100, 1);
            assert_true((double)place(world, p).y > 10 - 3.03 - 0.01);
            sn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_are_not_passed),      cmocka_unit_test(meshes_and_fields_are_not_passed),
        cmocka_unit_test(flat_sheets_are_not_passed), cmocka_unit_test(bumpy_sheets_are_not_passed),
        cmocka_unit_test(points_rest_on_a_sheet),     cmocka_unit_test(troughs_hold),
        cmocka_unit_test(fast_walls_do_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
