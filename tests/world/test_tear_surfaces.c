/* Cloth that collides with itself, torn and cut at random: what did not intersect does not afterwards. The same on threads, and saved and loaded between. */
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -9.81, 0);
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* Two sheets, one over the other, as one skin each; some are curved, so that blades meet them twice. */
static void add_sheets(sn_world *world, uint64_t *random, tear_sheet s[2])
{
    const double thickness = support_random_in(random, 0.001, 0.01), bent = support_random_in(random, 0, 3);
    for (uint32_t i = 0; i < 2; ++i) {
        s[i] = tear_sheet_add(world, 4 + support_random_below(random, 6), 4 + support_random_below(random, 6), 0.1,
                              support_random_in(random, 0.005, 0.1), support_random_below(random, 2) ? 1e-4 : 1e-3,
                              -support_random_in(random, 0, 0.2), *random);
        for (uint32_t k = 0; k < s[i].run.count; ++k) {
            const sn_particle p = sn_particles_at(s[i].run, k);
            const sn_vec3 x = sn_particle_position(world, p);
            const double z = bent * (double)x.x * (double)x.x + 0.15 * i;
            assert_ok(world, sn_particle_set_position(world, p, vec((double)x.x, (double)x.y, z)));
        }
        uint32_t count;
        const uint32_t *corner = sn_skin_triangles(world, s[i].skin, &count);
        uint32_t *triangle = malloc(3 * count * sizeof *triangle);
        memcpy(triangle, corner, 3 * count * sizeof *triangle);
        assert_ok(world, sn_skin_remove(world, s[i].skin));
        sn_skin_def def = sn_default_skin_def();
        def.triangles = triangle, def.triangle_count = count;
        def.thickness = real(thickness), def.self_collision = true;
        assert_ok(world, sn_skin_add(world, &def, &s[i].skin));
        free(triangle);
    }
}

/* Whether something is held: then a cut beside it gives the support an impulse. */
static bool throw_sheets(sn_world *world, uint64_t *random, const tear_sheet s[2])
{
    const double fast = support_random_in(random, 0, 6), held = support_random_below(random, 2);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(support_random_in(random, 0.05, 0.3));
        tear.spread = real(support_random_in(random, 0, 0.9));
        tear.seed = (uint32_t)*random;
        assert_ok(world, sn_skin_set_tear(world, s[i].skin, &tear));
        for (uint32_t k = 0; k < s[i].run.count; ++k) {
            const sn_particle p = sn_particles_at(s[i].run, k);
            const sn_vec3 v = vec(support_random_in(random, -fast, fast), support_random_in(random, -fast, fast),
                                  support_random_in(random, -fast, fast));
            assert_ok(world, sn_particle_set_velocity(world, p, v));
            if (held > 0 && k + s[i].columns >= s[i].run.count)
                assert_ok(world, sn_particle_set_mass(world, p, SN_IMMOVABLE));
        }
    }
    return held > 0;
}

static sn_vec3 any_place(uint64_t *random)
{
    return vec(support_random_in(random, -0.3, 1), support_random_in(random, -0.3, 1),
               support_random_in(random, -0.6, 0.6));
}

static void reload(sn_world *world)
{
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    assert_ok(world, sn_world_load(world, saved));
    sn_snapshot_destroy(saved);
}

/* A sweep goes on from where the last blade ended in every other round. */
static sn_cut_def any_cut(uint64_t *random, uint32_t round, sn_vec3 end[2])
{
    sn_cut_def def = sn_default_cut_def();
    def.blade = (sn_blade)support_random_below(random, 3);
    def.a = any_place(random), def.b = any_place(random);
    def.to_a = any_place(random), def.to_b = any_place(random);
    def.edges_only = support_random_below(random, 3) == 0;
    if (round && support_random_below(random, 2)) {
        def.blade = SN_BLADE_SEGMENT;
        def.a = end[0], def.b = end[1];
    }
    end[0] = def.to_a, end[1] = def.to_b;
    return def;
}

static void test_nothing_intersects_that_did_not(void **state)
{
    (void)state;
    uint32_t tears = 0, cuts = 0, met = 0;
    const uint32_t worlds = support_long(1000, support_rounds(1, 0) ? 12 : 4);
    const char *from = getenv("SINEW_SEED"); /* others */
    const uint64_t first_seed = from ? strtoull(from, NULL, 10) : 1;
    for (uint64_t seed = first_seed; seed < first_seed + worlds; ++seed) {
        const uint32_t copies = seed % 4 == 1 ? 3 : 1; /* on three threads, and saved and loaded before every step */
        uint64_t random = 0;
        bool held = false;
        sn_vec3 end[2] = {{0}};
        sn_world *world[3];
        for (uint32_t w = 0; w < copies; ++w) {
            tear_sheet s[2];
            random = seed * 91;
            world[w] = make_world(w == 1 ? 3 : 1);
            add_sheets(world[w], &random, s);
            held = throw_sheets(world[w], &random, s);
        }
        assert_int_equal(sn_query_intersections(world[0], NULL, 0), 0);
        for (uint32_t round = 0; round < 10; ++round) {
            const sn_cut_def def = any_cut(&random, round, end);
            for (uint32_t w = 0; w < copies; ++w) {
                sn_cut_info info;
                const tear_sums before = tear_sum(world[w]);
                assert_ok(world[w], sn_world_cut(world[w], &def, &info));
                const tear_sums after = tear_sum(world[w]);
                if (!held)
                    tear_assert_kept(&before, &after, SINEW_DOUBLE ? 1e-12 : 4e-7);
                if (sn_query_intersections(world[w], NULL, 0))
                    fail_msg("seed %u: a cut made something intersect, in round %u", (uint32_t)seed, round);
                met += info.split > 0;
                ++cuts;
                for (uint32_t frame = 0; frame < 2; ++frame) {
                    uint32_t count;
                    if (w == 2)
                        reload(world[2]);
                    assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
                    sn_world_tears(world[w], &count);
                    if (sn_query_intersections(world[w], NULL, 0))
                        fail_msg("seed %u: %u triangles intersect after round %u, step %u, which tore %u",
                                 (uint32_t)seed, sn_query_intersections(world[w], NULL, 0), round, frame, count);
                    tears += count;
                }
                tear_check(world[w]);
                if (w)
                    assert_same_world(world[0], world[w]);
            }
        }
        for (uint32_t w = 0; w < copies; ++w)
            sn_world_destroy(world[w]);
    }
    assert_true(tears > 2 * worlds && met > worlds);
    printf("%u worlds, %u cuts, %u of which parted something, %u tears\n", worlds, cuts, met, tears);
}

/* A small cut in a large sheet: features that are near each other are listed anew around it, and not everywhere. A world that was loaded has other tiles, and the same bits. */
static void test_a_small_cut_is_followed(void **state)
{
    (void)state;
    for (uint32_t inserts = 0; inserts < 2; ++inserts) {
        sn_world *world = make_world(1), *other = make_world(2);
        sn_world *both[2] = {world, other};
        uint32_t pairs = 0;
        for (uint32_t w = 0; w < 2; ++w) {
            tear_sheet s = tear_sheet_add(both[w], 60, 60, 0.01, 0.001, 1e-4, 0, 7);
            sn_skin_def def = sn_default_skin_def();
            uint32_t count;
            const uint32_t *corner = sn_skin_triangles(both[w], s.skin, &count);
            uint32_t *triangle = malloc(3 * count * sizeof *triangle);
            memcpy(triangle, corner, 3 * count * sizeof *triangle);
            assert_ok(both[w], sn_skin_remove(both[w], s.skin));
            def.triangles = triangle, def.triangle_count = count;
            def.thickness = real(0.002), def.self_collision = true;
            assert_ok(both[w], sn_skin_add(both[w], &def, &s.skin));
            free(triangle);
            for (uint32_t i = 0; i < 2; ++i)
                assert_ok(both[w], sn_world_step(both[w], real(1.0 / 240)));
        }
        for (uint32_t round = 0; round < 10; ++round) { /* what is far from all of them keeps its lists */
            const double x = 0.103 + 0.04 * round;
            sn_cut_def cut = sn_default_cut_def();
            cut.edges_only = inserts == 0;
            cut.a = vec(x, 0.2, -1), cut.b = vec(x, 0.2, 1);
            cut.to_a = vec(x, 0.25, -1), cut.to_b = vec(x, 0.25, 1);
            if (round == 2)
                reload(other);
            for (uint32_t w = 0; w < 2; ++w) {
                sn_cut_info info;
                const uint64_t lists = both[w]->contacts.surfaces.lists;
                assert_ok(both[w], sn_world_cut(both[w], &cut, &info));
                assert_true(info.split > 1);
                assert_int_equal(info.inserted > 0, inserts);
                assert_ok(both[w], sn_world_step(both[w], real(1.0 / 240)));
                pairs = both[w]->contacts.surfaces.pair_table.count;
                if (w == 0) /* of several hundred */
                    assert_true(both[w]->contacts.surfaces.lists - lists < pairs / 4);
            }
            assert_same_world(world, other);
        }
        assert_true(pairs > 300);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

/* Two sheets fall onto a box and each other, with balls on them, a string between them, and tear and are cut meanwhile. One world sleeps through nothing; the other is saved and loaded before every step, and
   has other tiles therefore. */
static void test_tiles_decide_nothing(void **state)
{
    (void)state;
    uint32_t tears = 0;
    for (uint64_t seed = 1; seed <= support_long(60, support_rounds(1, 0) ? 6 : 3); ++seed) {
        sn_world *world[2];
        uint64_t random = 0;
        for (uint32_t w = 0; w < 2; ++w) {
            tear_sheet s[2];
            random = seed * 133;
            world[w] = make_world(w ? 2 : 1);
            add_sheets(world[w], &random, s);
            throw_sheets(world[w], &random, s);
            sn_body box = sn_body_add_box(world[w], vec(0.3, -0.25, 0), vec(0.3, 0.1, 0.3), 100);
            assert_ok(world[w], sn_body_set_mass(world[w], box, SN_IMMOVABLE));
            sn_body_add_sphere(world[w], vec(0.3, 0.9, 0), real(0.1), 400);
            sn_body_add_box(world[w], vec(0.2, 0.4, 0.45), vec(0.05, 0.05, 0.05), 300);
            if (seed % 2)
                sn_constraint_add_distance(world[w], sn_at(sn_particles_at(s[0].run, 5)),
                                           sn_at(sn_particles_at(s[1].run, 5)), SN_MEASURE);
        }
        sn_vec3 end[2] = {{0}};
        for (uint32_t round = 0; round < 6; ++round) {
            const sn_cut_def def = any_cut(&random, round, end);
            for (uint32_t w = 0; w < 2; ++w) {
                assert_ok(world[w], sn_world_cut(world[w], &def, NULL));
                for (uint32_t frame = 0; frame < 3; ++frame) {
                    uint32_t count;
                    if (w)
                        reload(world[w]);
                    assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
                    sn_world_tears(world[w], &count);
                    tears += count;
                }
            }
            assert_same_world(world[0], world[1]);
        }
        sn_world_destroy(world[0]);
        sn_world_destroy(world[1]);
    }
    assert_true(tears > 100);
}

static const uint32_t *ends_of(const sn_surfaces *s, uint32_t edge)
{
    return surface_edges(s)[edge].vertex;
}

static void assert_same_edge(const sn_surfaces *a, uint32_t one, const sn_surfaces *b, uint32_t two)
{
    const sn_surface_edge *e = &surface_edges(a)[one], *f = &surface_edges(b)[two];
    assert_true(e->vertex[0] < e->vertex[1]);
    assert_memory_equal(e->vertex, f->vertex, sizeof e->vertex);
    assert_memory_equal(e->across, f->across, sizeof e->across);
    assert_int_equal(e->triangle, f->triangle);
    assert_int_equal(e->flat, f->flat);
}

/* But for the numbers of edges, and tiles. */
static void assert_same_features(const sn_surfaces *a, const sn_surfaces *b)
{
    assert_int_equal(a->vertex_table.count, b->vertex_table.count);
    assert_int_equal(a->all_vertices, b->all_vertices);
    assert_int_equal(a->triangle_table.count, b->triangle_table.count);
    assert_int_equal(a->edge_table.count, b->edge_table.count);
    for (uint32_t i = 0; i < a->all_vertices; ++i) {
        const sn_surface_vertex *v = &surface_vertices(a)[i], *u = &surface_vertices(b)[i];
        assert_true(v->number == u->number && v->skin == u->skin && v->triangle == u->triangle);
        assert_memory_equal(ends_of(a, v->edge), ends_of(b, u->edge), 2 * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < a->triangle_table.count; ++i) {
        const sn_surface_triangle *t = &surface_triangles(a)[i], *u = &surface_triangles(b)[i];
        assert_memory_equal(t->vertex, u->vertex, sizeof t->vertex);
        assert_true(t->skin == u->skin && t->owns == u->owns);
        for (uint32_t k = 0; k < 3; ++k)
            assert_same_edge(a, t->edge[k], b, u->edge[k]);
    }
    assert_memory_equal(a->triangle_table.column[1], b->triangle_table.column[1],
                        3 * a->triangle_table.count * sizeof(uint32_t));
    const uint32_t *start = a->ring_start_table.column[0], *to = a->ring_table.column[1],
                   *other = b->ring_table.column[1];
    assert_memory_equal(start, b->ring_start_table.column[0], (a->all_vertices + 1) * sizeof *start);
    assert_memory_equal(a->ring_table.column[0], b->ring_table.column[0], start[a->all_vertices] * sizeof *start);
    for (uint32_t i = 0; i < start[a->all_vertices]; ++i)
        assert_same_edge(a, to[i], b, other[i]);
}

/* Features that follow tears are those that are made anew. */
static void test_features_follow(void **state)
{
    (void)state;
    uint32_t tears = 0;
    uint64_t follows = 0;
    const uint32_t worlds = support_long(100, support_rounds(1, 0) ? 6 : 3);
    for (uint64_t seed = 1; seed <= worlds; ++seed) {
        sn_world *world[2];
        uint64_t random = 0;
        sn_vec3 end[2] = {{0}};
        for (uint32_t w = 0; w < 2; ++w) {
            tear_sheet s[2];
            random = seed * 57;
            world[w] = make_world(1);
            add_sheets(world[w], &random, s);
            throw_sheets(world[w], &random, s);
            if (seed % 2)
                sn_body_add_box(world[w], vec(0.2, 0.4, 0.45), vec(0.05, 0.05, 0.05), 300);
        }
        for (uint32_t round = 0; round < 8; ++round) {
            const sn_cut_def def = any_cut(&random, round, end);
            for (uint32_t frame = 0; frame < 4; ++frame) {
                uint32_t count;
                for (uint32_t w = 0; w < 2; ++w) {
                    if (frame == 0)
                        assert_ok(world[w], sn_world_cut(world[w], &def, NULL));
                    if (w == 1)
                        world[w]->contacts.surfaces.edits = 0;
                    assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
                }
                assert_same_world(world[0], world[1]);
                assert_same_features(&world[0]->contacts.surfaces, &world[1]->contacts.surfaces);
                sn_world_tears(world[0], &count);
                tears += count;
            }
        }
        follows += world[0]->contacts.surfaces.follows;
        assert_int_equal(world[1]->contacts.surfaces.follows, 0);
        sn_world_destroy(world[0]);
        sn_world_destroy(world[1]);
    }
    assert_true(tears > 20 * worlds && follows > 2 * worlds);
    printf("%u tears, %u steps followed\n", tears, (uint32_t)follows);
}

/* An edge that is nearer to another one than numbers can tell: a vertex that is put on it may be rounded to the other side. */
static void test_a_vertex_is_not_rounded_into_something(void **state)
{
    (void)state;
    const float place[7][3] = {
        {0.123809166f, 0.507885873f, 0.130521894f}, {0.248177066f, 0.451823115f, 0.158502147f},
        {0.216094464f, 0.44912222f, 0.117529415f},  {0.156382173f, 0.516610265f, 0.170657337f},
        {0.209320679f, 0.497822821f, 0.205779731f}, {0.331703931f, 0.443950385f, 0.280265093f},
        {0.241749778f, 0.44971025f, 0.147202626f},
    };
    const uint32_t corner[3][3] = {{0, 1, 2}, {1, 0, 3}, {4, 5, 6}};
    for (uint32_t round = 0; round < 100; ++round) {
        sn_world *world = make_world(1);
        sn_particle p[7];
        for (uint32_t i = 0; i < 7; ++i)
            p[i] = sn_particle_add_at(world, vec((double)place[i][0], (double)place[i][1], (double)place[i][2]), 1);
        uint32_t triangle[9];
        for (uint32_t i = 0; i < 9; ++i)
            triangle[i] = p[corner[i / 3][i % 3]].index;
        for (uint32_t i = 0; i < 2; ++i) {
            sn_skin_def def = sn_default_skin_def();
            def.triangles = triangle + 6 * i, def.triangle_count = 2 - i;
            def.thickness = real(0.001), def.self_collision = true;
            sn_skin skin;
            assert_ok(world, sn_skin_add(world, &def, &skin));
        }
        assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
        const double t = 0.3 + 0.5 * round / 100;
        sn_cut_def def = sn_default_cut_def();
        sn_cut_info info;
        double at[3], along[3];
        for (uint32_t k = 0; k < 3; ++k) {
            along[k] = (double)place[1][k] - (double)place[0][k];
            at[k] = (double)place[0][k] + t * along[k];
        }
        def.blade = SN_BLADE_TRIANGLE; /* small, across the edge: it meets nothing else */
        const double wide = 0.002 / sqrt(along[0] * along[0] + along[1] * along[1]);
        def.a = vec(at[0] - along[1] * wide, at[1] + along[0] * wide, at[2] - 0.002);
        def.b = vec(at[0] + along[1] * wide, at[1] - along[0] * wide, at[2] - 0.002);
        def.to_a = vec(at[0], at[1], at[2] + 0.004);
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_true(info.inserted > 0);
        if (sn_query_intersections(world, NULL, 0))
            fail_msg("a cut at %g of the edge made something intersect", t);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_intersects_that_did_not),
        cmocka_unit_test(test_a_small_cut_is_followed),
        cmocka_unit_test(test_tiles_decide_nothing),
        cmocka_unit_test(test_features_follow),
        cmocka_unit_test(test_a_vertex_is_not_rounded_into_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
