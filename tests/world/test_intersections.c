/* Which triangles of skins intersect: what counts, in which order it is told, and that the tree finds what looking at all pairs finds. */
#include "support/support.h"

#include "collision/predicates.h"
#include "world/world.h"

#define MOST 8192

static sn_skin add_skin(sn_world *world, const uint32_t *corners, uint32_t triangles)
{
    sn_skin_def def = sn_default_skin_def();
    sn_skin skin;
    def.triangles = corners;
    def.triangle_count = triangles;
    assert_ok(world, sn_skin_add(world, &def, &skin));
    return skin;
}

/* Triangles of three particles each, about the origin. */
static void add_soup(sn_world *world, uint64_t *seed, uint32_t triangles, double size)
{
    uint32_t corner[3 * 256];
    assert_true(triangles <= 256);
    for (uint32_t t = 0; t < triangles; ++t) {
        double middle[3];
        for (int k = 0; k < 3; ++k)
            middle[k] = support_random_in(seed, -1, 1);
        for (int i = 0; i < 3; ++i) {
            const sn_vec3 x =
                vec(middle[0] + support_random_in(seed, -size, size), middle[1] + support_random_in(seed, -size, size),
                    middle[2] + support_random_in(seed, -size, size));
            corner[3 * t + (uint32_t)i] = sn_particle_add_at(world, x, 1).index;
        }
    }
    add_skin(world, corner, triangles);
}

/* All pairs, one by one. */
static uint32_t count_all(const sn_world *world)
{
    static const int none[3] = {-1, -1, -1};
    const uint32_t *corner = world->contact.triangle_table.column[0], triangles = world->contact.triangle_table.count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < triangles; ++i)
        for (uint32_t j = i + 1; j < triangles; ++j) {
            double x[6][3];
            for (uint32_t k = 0; k < 6; ++k) {
                const sn_vec4 at = world->particles.x[world->ids.value[corner[3 * (k < 3 ? i : j) + k % 3]]];
                x[k][0] = (double)at.x, x[k][1] = (double)at.y, x[k][2] = (double)at.z;
            }
            count += sn_triangles_intersect((const double(*)[3])x, (const double(*)[3])(x + 3), none);
        }
    return count;
}

static bool comes_before(const sn_intersection *a, const sn_intersection *b)
{
    const uint32_t x[4] = {a->skin.index, a->triangle, a->other_skin.index, a->other_triangle};
    const uint32_t y[4] = {b->skin.index, b->triangle, b->other_skin.index, b->other_triangle};
    for (int i = 0; i < 4; ++i)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

static void the_tree_finds_all(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 6; ++round) {
        sn_world *world = support_void();
        add_soup(world, &seed, 40, 1); /* few: no tree */
        for (int more = 0; more < 2; ++more) {
            const uint32_t count = sn_query_intersections(world, NULL, 0), right = count_all(world);
            sn_intersection all[MOST], some[16];
            assert_int_equal(count, right);
            assert_true(count > 16 && count < MOST);
            assert_int_equal(sn_query_intersections(world, all, MOST), count);
            for (uint32_t i = 1; i < count; ++i)
                assert_true(comes_before(&all[i - 1], &all[i]));
            assert_int_equal(sn_query_intersections(world, some, 16), count);
            assert_memory_equal(some, all, sizeof some);
            add_soup(world, &seed, 200, 0.3);
        }
        sn_world_destroy(world);
    }
}

/* A strip folded back onto itself: neighbours do not count, what passes through does. */
static void neighbours_are_no_intersection(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_particle at[8];
    uint32_t corner[18];
    for (uint32_t i = 0; i < 8; ++i)
        at[i] = sn_particle_add_at(world, vec(i / 2, 0, i % 2), 1);
    for (uint32_t i = 0; i < 6; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            corner[3 * i + k] = at[i + k].index;
    const sn_skin skin = add_skin(world, corner, 6);
    sn_intersection found[2];
    assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    sn_particle_set_position(world, at[6],
                             vec(0.5, 0.5, 0)); /* the end comes back above, then passes the first triangles */
    sn_particle_set_position(world, at[7], vec(0.5, 0.5, 1));
    assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    sn_particle_set_position(world, at[6], vec(0.25, -0.5, 0.25));
    assert_true(sn_query_intersections(world, found, 2) > 0);
    assert_memory_equal(&found[0].skin, &skin, sizeof skin);
    assert_memory_equal(&found[0].other_skin, &skin, sizeof skin);
    assert_true(found[0].triangle < found[0].other_triangle);
    sn_particle_set_position(world, at[6], vec(3, 0, 0)); /* two that share an edge, folded flat */
    sn_particle_set_position(world, at[7], vec(1.5, 0, 0.5));
    assert_true(sn_query_intersections(world, NULL, 0) > 0);
    sn_world_destroy(world);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    sn_world *world = support_void(), *flat = support_world_2d();
    uint64_t seed = 6;
    add_soup(world, &seed, 10, 1);
    const uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_query_intersections(world, NULL, 3), 0);
    assert_says(sn_world_error(world), "found NULL 3");
    assert_int_equal(sn_query_intersections(NULL, NULL, 0), 0);
    assert_int_equal(sn_query_intersections(flat, NULL, 0), 0);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
    sn_world_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_tree_finds_all),
                                       cmocka_unit_test(neighbours_are_no_intersection),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
