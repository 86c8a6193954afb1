/* Features of smooth cloth are not listed: what is said to have so much to spare has it, whatever the shape of
   the sheet, of its mesh and of what it is bent to. */
#include "support/support.h"

#include "contact/surface_contacts.h"
#include "contact/surface_quiet.h"
#include "world/world.h"

#include <math.h>

#define SIDE 22
#define CELL 0.05

enum { WHOLE, NOTCHED, SLIT, SHAPES };

/* Whether a cell of the grid is there: a notch is cut out of the middle of one side, or a line of cells. */
static bool is_there(uint32_t shape, uint32_t x, uint32_t y)
{
    const uint32_t wide = shape == NOTCHED ? 4 : 1;
    return shape == WHOLE || y > SIDE / 2 || x < SIDE / 2 || x >= SIDE / 2 + wide;
}

/* Where a place of the sheet is bent to: rolled about an axis askew, with waves across. */
static sn_vec3 bent(double x, double y, double radius, double askew, double wave)
{
    const double u = cos(askew) * x + sin(askew) * y, v = cos(askew) * y - sin(askew) * x;
    return vec(radius * sin(u / radius), v, radius * (1 - cos(u / radius)) + wave * sin(7 * v));
}

static sn_world *make_sheet(uint32_t shape, uint64_t *seed)
{
    sn_world *world = support_world();
    static sn_real xyz[3 * SIDE * SIDE];
    static uint32_t corner[6 * SIDE * SIDE];
    uint32_t count = 0;
    const double ragged = support_random_below(seed, 2) ? 0.25 * CELL : 0, narrow = shape == SLIT ? 0.8 * CELL : 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE;
        const bool edge = !x || !y || x + 1 == SIDE || y + 1 == SIDE;
        const double closer = x > SIDE / 2 && y <= SIDE / 2 ? narrow * (1 - (double)y / SIDE) : 0;
        xyz[3 * i] = real(CELL * x - closer + (edge ? 0 : support_random_in(seed, -ragged, ragged) / 2));
        xyz[3 * i + 1] = real(CELL * y + (edge ? 0 : support_random_in(seed, -ragged, ragged)));
        xyz[3 * i + 2] = 0;
    }
    const uint32_t first = sn_particles_add(world, SIDE * SIDE, xyz, 0, real(0.001)).first;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t x = i % SIDE, y = i / SIDE, a = first + i;
        if (x + 1 < SIDE && y + 1 < SIDE && is_there(shape, x, y)) {
            const bool other = support_random_below(seed, 2);
            const uint32_t six[6] = {a,
                                     a + SIDE,
                                     other ? a + 1 : a + SIDE + 1,
                                     other ? a + 1 : a,
                                     other ? a + SIDE : a + SIDE + 1,
                                     other ? a + SIDE + 1 : a + 1};
            memcpy(corner + count, six, sizeof six);
            count += 6;
        }
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count / 3;
    def.thickness = real(support_random_in(seed, 0.05, 0.4) * CELL);
    def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, NULL));
    const double radius = support_random_in(seed, 0.3, 4), askew = support_random_in(seed, 0, 1.5),
                 wave = support_random_in(seed, 0, 0.02), speed = support_random_in(seed, 0, 1);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const sn_particle p = sn_particle_from_index(world, first + i);
        assert_ok(world, sn_particle_set_position(
                             world, p, bent((double)xyz[3 * i], (double)xyz[3 * i + 1], radius, askew, wave)));
        assert_ok(world,
                  sn_particle_set_velocity(world, p,
                                           vec(speed * sin(5 * (double)xyz[3 * i + 1]),
                                               speed * cos(4 * (double)xyz[3 * i]), support_random_in(seed, 0, 0.1))));
    }
    return world;
}

/* A feature of a tile: its number, the corners of the tile that it has, and how many. */
typedef struct feature {
    uint32_t number, corners;
    const uint8_t *corner;
} feature;

static feature feature_of(const sn_surfaces *s, const sn_surface_tile *tile, uint32_t corners, uint32_t i)
{
    const sn_table *table = corners == 1   ? &s->tile_vertex_table
                            : corners == 2 ? &s->tile_edge_table
                                           : &s->tile_triangle_table;
    const uint32_t at = i + (corners == 1   ? tile->first_vertex
                             : corners == 2 ? tile->first_edge
                                            : tile->first_triangle);
    return (feature){((const uint32_t *)table->column[0])[at], corners,
                     (const uint8_t *)table->column[1] + corners * at};
}

/* m: what two features have to spare as the substep has ended; infinite: they share a corner. */
static double spare_of(const sn_world *world, const sn_surface_tile *a, feature one, const sn_surface_tile *b,
                       feature two)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_candidate c = {.one = one.number, .other = two.number, .edges = one.corners == 2, .rough = true};
    sn_dvec3 x[4];
    for (uint32_t k = 0; k < 4; ++k) {
        const bool first = k < one.corners;
        const uint32_t local = first ? one.corner[k] : two.corner[k - one.corners];
        c.vertex[k] = ((const uint32_t *)s->corner_table.column[0])[(first ? a : b)->first_corner + local];
        x[k] = dvec3_from(surface_motions(s)[c.vertex[k]].end);
        for (uint32_t m = 0; !first && m < one.corners; ++m)
            if (c.vertex[m] == c.vertex[k])
                return HUGE_VAL;
    }
    return sn_surface_nearest(c.edges, x).distance - (double)sn_surface_reach(world, &c);
}

/* All features of one sort of a tile with all of another sort of the other. turned: the first tile is b. */
static void check_features(const sn_world *world, const sn_surface_pair *pair, uint32_t corners, bool turned)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_tile *a = &surface_tiles(s)[turned ? pair->b : pair->a],
                          *b = &surface_tiles(s)[turned ? pair->a : pair->b];
    const uint32_t ones = corners == 1 ? a->vertices : a->edges, twos = corners == 1 ? b->triangles : b->edges;
    const double near = (double)pair->next - pair->moved - (double)pair->step,
                 others = (double)pair->others - pair->turned - (double)pair->all_step;
    for (uint32_t i = 0; i < ones; ++i)
        for (uint32_t k = 0; k < twos; ++k) {
            const feature one = feature_of(s, a, corners, i), two = feature_of(s, b, 4 - corners, k),
                          of_b = turned ? one : two;
            bool inside = true;
            for (uint32_t m = 0; m < of_b.corners; ++m)
                inside = inside && pair->border >> of_b.corner[m] & 1;
            const double spare = spare_of(world, a, one, b, two);
            assert_true(spare > (inside || pair->a == pair->b ? near : others) - 1e-5);
        }
}

static void what_is_smooth_has_room(void **state)
{
    (void)state;
    uint64_t seed = 22;
    uint32_t smooth = 0, all = 0;
    for (uint32_t n = 0; n < support_rounds(96, 12); ++n) {
        sn_world *world = make_sheet(n % SHAPES, &seed);
        const sn_surfaces *s = &world->contacts.surfaces;
        for (uint32_t i = 0; i < 3; ++i) {
            assert_ok(world, sn_world_step(world, real(1.0 / 120)));
            for (uint32_t p = 0; p < s->pair_table.count; ++p) {
                const sn_surface_pair *pair = &surface_pairs(s)[p];
                const bool proven = pair->listed && !pair->count && pair->hoods && pair->hoods <= SN_SURFACE_HOOD;
                all += pair->listed;
                smooth += proven;
                if (!proven || i == 1)
                    continue;
                check_features(world, pair, 1, false);
                check_features(world, pair, 1, true);
                check_features(world, pair, 2, false);
            }
        }
        sn_world_destroy(world);
    }
    print_message("%u of %u pairs of tiles are smooth\n", smooth, all);
    assert_true(smooth > all / 4);
}

/* A sheet that is swung without touching itself: few pairs have to be listed, and nothing is listed of most of them. */
static void smooth_sheets_list_nothing(void **state)
{
    (void)state;
    uint64_t seed = 1;
    sn_world *world = make_sheet(WHOLE, &seed);
    const sn_surfaces *s = &world->contacts.surfaces;
    uint32_t empty = 0;
    support_run(world, 4, 1.0 / 60);
    for (uint32_t i = 0; i < s->pair_table.count; ++i)
        empty += surface_pairs(s)[i].listed && !surface_pairs(s)[i].count;
    assert_true(empty > s->pair_table.count / 2);
    sn_world_destroy(world);
}

/* A flat sheet that is squeezed in its plane, across one of the diagonals of its cells, and turns. */
static sn_world *make_squeezed(uint64_t *seed)
{
    sn_world *world = make_sheet(WHOLE, seed);
    const sn_vec4 *rest = world->contact.rest_table.column[0];
    const double z = support_random_in(seed, -3, 3);
    const double y = support_random_in(seed, -3, 3);
    const sn_vec3 spin = vec(support_random_in(seed, -3, 3), y, z);
    const double squeeze = support_random_in(seed, 20, 50), side = sqrt(0.5);
    const sn_vec3 along = vec(side, support_random_below(seed, 2) ? side : -side, 0);
    sn_settings settings = sn_world_settings(world);
    settings.gravity = vec(0, 0, 0);
    assert_ok(world, sn_world_configure(world, &settings));
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const sn_particle p = sn_particle_from_index(world, i);
        const sn_vec3 x = vec4_xyz(rest[i]);
        const sn_vec3 inwards = vec3_scale(along, real(-squeeze) * vec3_dot(along, x));
        assert_ok(world, sn_particle_set_position(world, p, x));
        assert_ok(world, sn_particle_set_velocity(world, p, vec3_add(vec3_cross(spin, x), inwards)));
    }
    return world;
}

/* In a quiet time, features of smooth tiles come no nearer than its bounds say, though tiles move far against each
   other. */
static void quiet_times_count_what_approaches(void **state)
{
    (void)state;
    uint64_t seed = 5;
    uint32_t slower = 0, all = 0;
    for (uint32_t n = 0; n < support_rounds(48, 8); ++n) {
        sn_world *world = make_squeezed(&seed);
        sn_surfaces *s = &world->contacts.surfaces;
        for (uint32_t i = 0; i < 6 && !(s->quiet.on && s->quiet.lasted > 8); ++i)
            assert_ok(world, sn_world_step(world, real(1.0 / 960)));
        sn_surface_quiet_leave(s);
        for (uint32_t p = 0; p < s->pair_table.count; ++p) {
            sn_surface_pair *pair = &surface_pairs(s)[p];
            const sn_surface_quiet_pair *quiet = (const sn_surface_quiet_pair *)s->pair_table.column[1] + p;
            pair->step = pair->all_step = 0; /* of an earlier substep */
            if (!pair->listed || !pair->smooth)
                continue;
            slower += quiet->nearer[0] < quiet->nearer[1] / 2;
            all++;
            check_features(world, pair, 1, false);
            check_features(world, pair, 1, true);
            check_features(world, pair, 2, false);
        }
        sn_world_destroy(world);
    }
    print_message("of %u of %u smooth pairs features approach less than half as fast as tiles\n", slower, all);
    assert_true(slower > all / 4);
}

/* Substeps in which nothing is looked at lead to the same bits as those in which everything is. */
static void quiet_substeps_change_nothing(void **state)
{
    (void)state;
    uint32_t quiet = 0, all = 0;
    for (uint32_t n = 0; n < support_rounds(48, 6); ++n) {
        uint64_t seed = n + 1, same = n + 1;
        sn_world *one = make_sheet(n % SHAPES, &seed), *two = make_sheet(n % SHAPES, &same);
        for (uint32_t i = 0; i < 24; ++i) {
            sn_surfaces *s = &two->contacts.surfaces;
            sn_surface_quiet_leave(s);
            s->quiet.waits = 1000;
            assert_ok(one, sn_world_step(one, real(1.0 / 60)));
            assert_ok(two, sn_world_step(two, real(1.0 / 60)));
            assert_true(sn_world_hash(one) == sn_world_hash(two));
            assert_false(s->quiet.on);
            quiet += one->contacts.surfaces.quiet.on;
            all++;
        }
        assert_int_equal(sn_query_intersections(one, NULL, 0), 0);
        sn_world_destroy(one);
        sn_world_destroy(two);
    }
    print_message("%u of %u steps end quietly\n", quiet, all);
    assert_true(quiet > all / 8);
}

enum { PATCH = 7 };

/* A small sheet, with rods along its sides. */
static void add_patch(sn_world *world, sn_vec3 at, sn_vec3 velocity, sn_real thickness)
{
    sn_real xyz[3 * PATCH * PATCH];
    uint32_t corner[6 * PATCH * PATCH], count = 0;
    for (uint32_t i = 0; i < PATCH * PATCH; ++i) {
        xyz[3 * i] = at.x + real(CELL * 0.7) * (sn_real)(i % PATCH);
        xyz[3 * i + 1] = at.y + real(CELL * 0.7) * (sn_real)(i / PATCH); /* NOLINT: whole rows */
        xyz[3 * i + 2] = at.z;
    }
    const sn_particles run = sn_particles_add(world, PATCH * PATCH, xyz, 0, real(0.001));
    for (uint32_t i = 0; i < PATCH * PATCH; ++i) {
        const sn_particle p = sn_particles_at(run, i);
        assert_ok(world, sn_particle_set_velocity(world, p, velocity));
        for (uint32_t k = 0; k < 2; ++k)
            if (k ? i / PATCH + 1 < PATCH : i % PATCH + 1 < PATCH)
                sn_constraint_add_distance(world, sn_at(p), sn_at(sn_particles_at(run, i + (k ? PATCH : 1))),
                                           SN_MEASURE);
        if (i % PATCH + 1 == PATCH || i / PATCH + 1 == PATCH)
            continue;
        const uint32_t a = run.first + i, six[6] = {a, a + 1, a + PATCH, a + 1, a + PATCH + 1, a + PATCH};
        memcpy(corner + count, six, sizeof six);
        count += 6;
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count / 3;
    def.thickness = thickness;
    def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, NULL));
}

/* A sheet, and small ones: two that are thrown at each other beside it, and in every other world one that is thrown at
   it. */
static sn_world *make_touched(uint32_t n)
{
    uint64_t seed = n + 100;
    sn_world *world = make_sheet(n % SHAPES, &seed);
    const sn_vec3 aside = vec(4, 0.3, 0);
    add_patch(world, aside, vec(0, 0.1, 0.5), real(0.008));
    add_patch(world, vec3_add(aside, vec(0.01, 0.02, 0.05)), vec(0, 0, support_random_in(&seed, -1, 0)), real(0.008));
    if (n % 2) { /* one draw after the other: compilers evaluate arguments in different orders */
        const double speed = support_random_in(&seed, 0.5, 3);
        const double y = support_random_in(&seed, 0, 0.8);
        const double x = support_random_in(&seed, 0, 0.8);
        add_patch(world, vec(x, y, -0.08), vec(0, 0, speed), real(0.008));
    }
    return world;
}

/* Pairs of tiles that are passed over in substeps in which others touch change no bit, on any number of threads. */
static void quiet_tiles_change_nothing(void **state)
{
    (void)state;
    uint32_t partly = 0, all = 0;
    for (uint32_t n = 0; n < support_rounds(64, 8); ++n) {
        sn_world *one = make_touched(n), *two = make_touched(n);
        assert_ok(one, sn_world_set_threads(one, 1 + n % 3));
        for (uint32_t i = 0; i < 24; ++i) {
            sn_surfaces *s = &two->contacts.surfaces;
            sn_surface_quiet_leave(s);
            s->quiet.waits = 1000;
            assert_ok(one, sn_world_step(one, real(1.0 / 60)));
            assert_ok(two, sn_world_step(two, real(1.0 / 60)));
            assert_true(sn_world_hash(one) == sn_world_hash(two));
            assert_false(s->quiet.on);
            partly += one->contacts.surfaces.quiet.held && one->contacts.surfaces.quiet.busy;
            all++;
        }
        assert_int_equal(sn_query_intersections(one, NULL, 0), 0);
        sn_world_destroy(one);
        sn_world_destroy(two);
    }
    print_message("%u of %u steps end partly quiet\n", partly, all);
    assert_true(partly > all / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_smooth_has_room), cmocka_unit_test(smooth_sheets_list_nothing),
        cmocka_unit_test(quiet_times_count_what_approaches), cmocka_unit_test(quiet_substeps_change_nothing),
        cmocka_unit_test(quiet_tiles_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
