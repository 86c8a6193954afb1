/* Skins that tear, and runs of constraints that do: what gives way, what follows, what is refused, and that none of it depends on threads or on being saved in between. */
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, gravity, 0);
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

static sn_tear_def by_strain(double strain, double spread, uint32_t seed)
{
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(strain);
    def.spread = real(spread);
    def.seed = seed;
    return def;
}

/* Moves the left and the right column apart, at so many m/s each. */
static void pull_apart(sn_world *world, const tear_sheet *s, double speed)
{
    for (uint32_t j = 0; j < s->rows; ++j)
        for (int k = 0; k < 2; ++k) {
            const sn_particle p = sn_particle_from_index(world, tear_at(s, k ? s->columns - 1 : 0, j));
            sn_vec3 x = sn_particle_position(world, p);
            x.x += real((k ? 1 : -1) * speed / 60);
            assert_ok(world, sn_particle_move_to(world, p, x));
        }
}

/* How many pieces the triangles of a skin are. */
static uint32_t pieces_of(const sn_world *world, sn_skin skin)
{
    uint32_t count, pieces = 0;
    const uint32_t *corner = sn_skin_triangles(world, skin, &count);
    uint32_t *of = malloc((count + 1) * sizeof *of);
    for (uint32_t t = 0; t < count; ++t)
        of[t] = t;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < count; ++t)
            for (uint32_t u = 0; u < t; ++u)
                for (int k = 0; k < 9; ++k)
                    if (corner[3 * t + k / 3] == corner[3 * u + k % 3] && of[t] != of[u])
                        of[t] = of[u] = of[t] < of[u] ? of[t] : of[u], changed = true;
    }
    for (uint32_t t = 0; t < count; ++t)
        pieces += of[t] == t;
    free(of);
    return pieces;
}

/* A sheet that is drawn out comes apart, and stays a mesh all the way. */
static void test_a_sheet_tears_in_two(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 13, 9, 0.1, 0.02, 1e-5, 0.05, 3);
    const sn_tear_def tear = by_strain(0.25, 0.2, 7);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    uint32_t tears = 0, first = 0;
    for (uint32_t frame = 1; frame <= 120; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        uint32_t count;
        const sn_tear *event = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(event[i].type, SN_TEAR_SPLIT);
            assert_true(sn_particle_is_valid(world, event[i].particle));
            assert_true(sn_particle_is_valid(world, event[i].made));
            assert_true((double)event[i].strain > 0.25 * 0.8);
            assert_vec_same(sn_particle_velocity(world, event[i].made), sn_particle_velocity(world, event[i].particle));
        }
        tears += count;
        first = !first && count ? frame : first;
        if (count)
            tear_check(world);
    }
    assert_true(first > 1);
    assert_true(tears >= 7);
    assert_true(pieces_of(world, s.skin) >= 2);
    assert_int_equal(sn_world_particle_count(world), 13 * 9 + tears);
    sn_world_destroy(world);
}

/* Mass, momentum and angular momentum across a tear, of a sheet that turns and is free. */
static void test_a_tear_keeps_momenta(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= support_rounds(80, 10); ++seed) {
        sn_world *world = make_world(1, 0);
        uint64_t random = seed;
        const tear_sheet s = tear_sheet_add(world, 7, 7, 0.1, support_random_in(&random, 0.001, 3), 1e-4, 0.1, seed);
        for (uint32_t i = 0; i < s.run.count; ++i) {
            const sn_particle p = sn_particles_at(s.run, i);
            const sn_vec3 x = sn_particle_position(world, p);
            assert_ok(world,
                      sn_particle_set_velocity(world, p, vec(7 * (double)x.x, -9 * (double)x.z, 5 * (double)x.x)));
        }
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        for (uint32_t round = 0; round < 4; ++round) { /* so little is borne that tears begin at once */
            const sn_tear_def tear = by_strain(1e-6, 0.5, (uint32_t)seed);
            assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
            const tear_sums before = tear_sum(world);
            assert_true(sn_tear_begin(world));
            sn_tear_end(world);
            const tear_sums after = tear_sum(world);
            uint32_t count;
            sn_world_tears(world, &count);
            assert_true(count > 0 || round > 0);
            tear_assert_kept(&before, &after, 1e-12);
            assert_close(after.area, before.area, 1e-9 * before.area);
            tear_check(world);
            assert_ok(world, sn_world_step(world, real(1.0 / 600)));
            tear_check(world);
        }
        sn_world_destroy(world);
    }
}

/* What a vertex has, its copies have. */
static void test_copies_are_like_their_parent(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 7, 5, 0.1, 0.3, 0, 0, 1);
    for (uint32_t i = 0; i < s.run.count; ++i) {
        const sn_particle p = sn_particles_at(s.run, i);
        assert_ok(world, sn_particle_set_group(world, p, 5));
        assert_ok(world, sn_particle_set_radius(world, p, real(0.01)));
        assert_ok(world, sn_particle_set_user(world, p, 100 + i));
    }
    for (sn_constraint_walk walk = {0}; sn_constraint_next(world, &walk);) {
        assert_ok(world, sn_constraint_set_user(world, walk.constraint, 7 + walk.constraint.index));
        assert_ok(world, sn_constraint_set_collides(world, walk.constraint, walk.constraint.index % 2));
    }
    const sn_tear_def tear = by_strain(0.2, 0.3, 2);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    sn_tear_def read;
    assert_ok(world, sn_skin_read_tear(world, s.skin, &read));
    assert_memory_equal(&read, &tear, sizeof read);
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < 60 && !count; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_tears(world, &count);
    }
    const sn_tear *event = sn_world_tears(world, &count);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(sn_particle_group(world, event[i].made), 5);
        assert_close(sn_particle_radius(world, event[i].made), 0.01, 1e-9);
        assert_int_equal(sn_particle_user(world, event[i].made), sn_particle_user(world, event[i].particle));
        assert_close(sn_particle_mass(world, event[i].made) + sn_particle_mass(world, event[i].particle), 0.3, 1e-7);
    }
    const sn_tear_copy *copy = sn_world_tear_copies(world, &count);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(sn_constraint_user(world, copy[i].made), 7 + copy[i].parent.index);
        assert_int_equal(sn_constraint_collides(world, copy[i].made), copy[i].parent.index % 2);
    }
    sn_world_destroy(world);
}

/* The accumulator draws a vertex that a step made from where its parent was. */
static void test_made_vertices_are_drawn(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 7, 5, 0.1, 0.3, 0, 0, 1);
    const sn_tear_def tear = by_strain(0.2, 0.3, 2);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    sn_accumulator *a = sn_accumulator_create(world, NULL);
    uint32_t count, made = 0;
    for (uint32_t frame = 0; frame < 90; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_accumulator_add(a, world, 1.0 / 60 + 1e-9, NULL));
        while (sn_accumulator_due(a))
            assert_ok(world, sn_accumulator_step(a, world));
        const sn_tear *event = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i, ++made) {
            const sn_vec3 from = sn_accumulator_position(a, world, event[i].made, 0),
                          parent = sn_accumulator_position(a, world, event[i].particle, 0),
                          to = sn_accumulator_position(a, world, event[i].made, 1),
                          now = sn_particle_position(world, event[i].made);
            assert_memory_equal(&from, &parent, sizeof from);
            assert_memory_equal(&to, &now, sizeof to);
        }
    }
    assert_true(made > 0);
    sn_accumulator_destroy(a);
    sn_world_destroy(world);
}

/* A renderer that applies the changes has the same triangles as one that reads them all. */
static void test_changes_bring_a_copy_up_to_date(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 11, 9, 0.1, 0.02, 1e-5, 0.05, 4);
    const sn_tear_def tear = by_strain(0.2, 0.2, 1);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    uint32_t count, changes, total = 0;
    const uint32_t *corner = sn_skin_triangles(world, s.skin, &count);
    uint32_t *copy = malloc(3 * count * sizeof *copy);
    memcpy(copy, corner, 3 * count * sizeof *copy);
    uint64_t topology = sn_world_topology(world);
    const sn_topology_change *change;
    for (uint32_t frame = 0; frame < 90; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(sn_world_topology_since(world, topology, &change, &changes));
        assert_true((changes != 0) == (sn_world_topology(world) != topology));
        for (uint32_t i = 0; i < changes; ++i) {
            assert_int_equal(change[i].skin.index, s.skin.index);
            memcpy(copy + 3 * change[i].triangle, change[i].corner, sizeof change[i].corner);
        }
        total += changes;
        topology = sn_world_topology(world);
        corner = sn_skin_triangles(world, s.skin, &count);
        assert_memory_equal(copy, corner, 3 * count * sizeof *copy);
    }
    assert_true(total > 20);
    assert_false(sn_world_topology_since(world, topology + 1, &change, &changes));
    sn_snapshot *saved = sn_world_save(world);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_topology(world) != topology);
    assert_false(sn_world_topology_since(world, topology, &change, &changes));
    sn_snapshot_destroy(saved);
    free(copy);
    sn_world_destroy(world);
}

/* The same bits on any number of threads, and saved and loaded in the middle of a tear. */
static void test_tears_are_the_same_everywhere(void **state)
{
    (void)state;
    sn_world *world[3];
    tear_sheet s[3];
    for (uint32_t w = 0; w < 3; ++w) {
        world[w] = make_world(w == 1 ? 3 : 1, -9.81);
        s[w] = tear_sheet_add(world[w], 15, 11, 0.1, 0.02, 1e-6, 0.1, 9);
        const sn_tear_def tear = by_strain(0.2, 0.3, 5);
        assert_ok(world[w], sn_skin_set_tear(world[w], s[w].skin, &tear));
    }
    uint32_t tears = 0;
    for (uint32_t frame = 0; frame < 80; ++frame) {
        for (uint32_t w = 0; w < 3; ++w) {
            pull_apart(world[w], &s[w], 0.8);
            if (w == 2) { /* every step from a state that was loaded */
                sn_snapshot *now = sn_world_save(world[2]);
                assert_ok(world[2], sn_world_load(world[2], now));
                sn_snapshot_destroy(now);
            }
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
        }
        uint32_t count[3];
        for (uint32_t w = 0; w < 3; ++w)
            sn_world_tears(world[w], &count[w]);
        tears += count[0];
        assert_int_equal(count[1], count[0]);
        assert_int_equal(count[2], count[0]);
        assert_same_world(world[0], world[1]);
        assert_same_world(world[0], world[2]);
    }
    assert_true(tears > 10);
    for (uint32_t w = 0; w < 3; ++w)
        sn_world_destroy(world[w]);
}

typedef struct asked {
    const sn_world *world;
    uint32_t times;
    bool allows;
} asked;

static bool ask(void *context, const sn_tear *tear)
{
    asked *a = context;
    ++a->times;
    assert_int_equal(tear->made.generation, 0);
    assert_int_equal(sn_particle_set_velocity((sn_world *)a->world, tear->particle, vec(0, 0, 0)), SN_ERROR_BUSY);
    return a->allows;
}

/* A function that refuses keeps all together. */
static void test_a_function_may_refuse(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 9, 7, 0.1, 0.02, 1e-5, 0, 4);
    const sn_tear_def tear = by_strain(0.2, 0.2, 1);
    asked a = {world, 0, false};
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    assert_ok(world, sn_world_set_tear_function(world, ask, &a));
    for (uint32_t frame = 0; frame < 60; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_null(sn_world_tears(world, NULL));
    }
    assert_true(a.times > 10);
    assert_int_equal(sn_world_particle_count(world), 63);
    a.allows = true;
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_true(sn_world_particle_count(world) > 63);
    assert_ok(world, sn_world_set_tear_function(world, NULL, NULL));
    sn_world_destroy(world);
}

/* A rope parts at a link, and what bends it there goes with it. */
static void test_a_rope_parts(void **state)
{
    (void)state;
    for (int by_force = 0; by_force < 2; ++by_force) {
        sn_world *world = make_world(1, 0);
        enum { N = 12 };
        sn_particle p[N];
        uint32_t link[2 * N], bend[2 * N], angle[3 * N];
        for (uint32_t i = 0; i < N; ++i) {
            p[i] = sn_particle_add_at(world, vec(0.1 * i, 0, 0), i == 0 || i == N - 1 ? SN_IMMOVABLE : real(0.1));
            link[2 * i] = bend[2 * i] = angle[3 * i] = p[i].index;
            link[2 * i + 1] = angle[3 * i + 1] = p[i].index + 1;
            bend[2 * i + 1] = angle[3 * i + 2] = p[i].index + 2;
        }
        const sn_material give = {real(1e-4), 0};
        const sn_constraints links = sn_constraints_add_kind(world, SN_KIND_DISTANCE, N - 1, link, NULL, &give);
        sn_constraints_add_kind(world, SN_KIND_DISTANCE, N - 2, bend, NULL, &give);
        sn_constraints_add_kind(world, SN_KIND_ANGLE, N - 2, angle, NULL, &give);
        sn_tear_def tear = by_strain(by_force ? 0 : 0.2, 0.1, 3);
        tear.force = real(by_force ? 60 : 0);
        assert_ok(world, sn_constraints_set_tear(world, links, &tear));
        uint32_t count = 0;
        const sn_tear *event = NULL;
        for (uint32_t frame = 0; frame < 100 && !count; ++frame) {
            sn_vec3 x = sn_particle_position(world, p[N - 1]);
            x.x += real(0.01);
            assert_ok(world, sn_particle_move_to(world, p[N - 1], x));
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            event = sn_world_tears(world, &count);
        }
        assert_true(count >= 1);
        assert_int_equal(event[0].type, SN_TEAR_BREAK);
        assert_false(sn_constraint_is_valid(world, event[0].constraint));
        assert_true((double)event[0].released > 0.01);
        assert_int_equal(sn_world_constraint_count(world, SN_KIND_ANGLE),
                         N - 2 - (event[0].constraint.index == 0 || event[0].constraint.index == N - 2 ? 1 : 2));
        /* nothing joins the two halves: the ends of the break part */
        sn_vec3 x = sn_particle_position(world, p[N - 1]);
        for (uint32_t frame = 0; frame < 60; ++frame) {
            x.x += real(0.05);
            assert_ok(world, sn_particle_move_to(world, p[N - 1], x));
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        }
        double gap = 0;
        for (uint32_t i = 0; i + 1 < N; ++i)
            gap = fmax(gap, support_gap(sn_particle_position(world, p[i]), sn_particle_position(world, p[i + 1])));
        assert_true(gap > 1);
        sn_world_destroy(world);
    }
}

/* A pinned vertex is not torn off its pin; the cloth gives way beside it. */
static void test_held_vertices_hold(void **state)
{
    (void)state;
    sn_world *world = make_world(1, -9.81);
    const tear_sheet s = tear_sheet_add(world, 5, 5, 0.1, 0.5, 1e-5, 0, 4);
    const uint32_t corner[2] = {tear_at(&s, 0, 4), tear_at(&s, 4, 4)};
    for (int i = 0; i < 2; ++i)
        sn_constraint_add_pin(world, sn_particle_from_index(world, corner[i]));
    const sn_tear_def tear = by_strain(0.002, 0.1, 1);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    uint32_t tears = 0;
    for (uint32_t frame = 0; frame < 60; ++frame) {
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        uint32_t count;
        const sn_tear *event = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i)
            assert_true(event[i].particle.index != corner[0] && event[i].particle.index != corner[1]);
        tears += count;
    }
    assert_true(tears > 0);
    sn_world_destroy(world);
}

static void test_bad_strengths_are_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    const tear_sheet s = tear_sheet_add(world, 4, 4, 0.1, 1, 0, 0, 1);
    const uint64_t before = sn_world_hash(world);
    const struct {
        double strain, force, spread;
        const char *says;
    } bad[] = {{-0.1, 0, 0, "strain -0.1"},       {NAN, 0, 0, "strain nan"},     {0.1, -3, 0, "force -3"},
               {0.1, INFINITY, 0, "force inf"},   {0.1, 0, -0.5, "spread -0.5"}, {0.1, 0, 0.95, "spread 0.95 0.9"},
               {0, 0, 0.1, "strain force both 0"}};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        const sn_tear_def def = {real(bad[i].strain), real(bad[i].force), real(bad[i].spread), 0, 0};
        assert_result(world, SN_ERROR_ARGUMENT, sn_skin_set_tear(world, s.skin, &def));
        assert_says(sn_world_error(world), bad[i].says);
        assert_result(world, SN_ERROR_ARGUMENT, sn_constraints_set_tear(world, s.rods, &def));
        assert_says(sn_world_error(world), bad[i].says);
    }
    const sn_tear_def good = by_strain(0.1, 0, 0);
    assert_result(world, SN_ERROR_STALE, sn_skin_set_tear(world, (sn_skin){99, 1}, &good));
    assert_result(world, SN_ERROR_STALE, sn_constraints_set_tear(world, (sn_constraints){0}, &good));
    assert_result(world, SN_ERROR_ARGUMENT, sn_constraints_set_tear(world, s.hinges, &good));
    assert_says(sn_world_error(world), "bending no rod strain");
    assert_int_equal(sn_skin_set_tear(NULL, s.skin, &good), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_hash(world), before);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &good));
    assert_true(sn_world_hash(world) != before);
    assert_ok(world, sn_skin_set_tear(world, s.skin, NULL));
    assert_int_equal(sn_world_hash(world), before);
    assert_ok(world, sn_constraints_set_tear(world, s.rods, &good));
    assert_true(sn_world_hash(world) != before);
    assert_ok(world, sn_constraints_set_tear(world, s.rods, NULL));
    assert_int_equal(sn_world_hash(world), before);
    assert_null(sn_world_tears(NULL, NULL));
    assert_int_equal(sn_world_topology(NULL), 0);
    uint32_t count = 7;
    assert_null(sn_skin_triangles(world, (sn_skin){99, 1}, &count));
    assert_int_equal(count, 0);
    sn_world_destroy(world);
}

/* Where every request for memory fails once, a step that would tear fails as a whole, or tears. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t at = 1;; ++at) {
        support_memory memory = {.fail_at = at};
        sn_world_def def = support_scarce(&memory);
        def.settings.gravity = vec(0, 0, 0);
        sn_world *world = NULL;
        if (sn_world_create(&def, &world) != SN_OK)
            continue;
        memory.fail_at = 0;
        const tear_sheet s = tear_sheet_add(world, 4, 4, 0.1, 1, 1e-5, 0, 1);
        const sn_tear_def tear = by_strain(0.1, 0, 0);
        assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
        pull_apart(world, &s, 8);
        const uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + at;
        memory.failures = 0;
        const sn_result result = sn_world_step(world, real(1.0 / 60));
        const bool failed = memory.failures > 0;
        memory.fail_at = 0;
        if (result != SN_OK) {
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_int_equal(sn_world_hash(world), before);
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        }
        uint32_t count;
        sn_world_tears(world, &count);
        assert_true(count > 0);
        tear_check(world);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (!failed)
            break;
    }
}

/* A sheet that collides with itself and tears does not intersect itself, and comes apart. */
static void test_a_torn_surface_does_not_intersect(void **state)
{
    (void)state;
    sn_world *world = make_world(1, 0);
    tear_sheet s = tear_sheet_add(world, 9, 7, 0.1, 0.02, 1e-4, -0.05, 3);
    uint32_t count, *triangle = malloc(3 * 96 * sizeof *triangle), tears = 0;
    memcpy(triangle, sn_skin_triangles(world, s.skin, &count), 3 * 96 * sizeof *triangle);
    assert_int_equal(count, 96);
    assert_ok(world, sn_skin_remove(world, s.skin));
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangle, def.triangle_count = count;
    def.thickness = real(0.004), def.self_collision = true;
    assert_ok(world, sn_skin_add(world, &def, &s.skin));
    free(triangle);
    const sn_tear_def tear = by_strain(0.25, 0.2, 7);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    for (uint32_t frame = 1; frame <= 60; ++frame) {
        pull_apart(world, &s, 0.6);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_tears(world, &count);
        tears += count;
        assert_int_equal(sn_query_intersections(world, NULL, 0), 0);
    }
    assert_true(tears > 6);
    assert_true(pieces_of(world, s.skin) >= 2);
    sn_world_destroy(world);
}

/* The index of constraints by particle, which contact asks for, follows tears from the first step on, and is not built anew. */
static void test_an_index_follows_tears(void **state)
{
    (void)state;
    sn_world *world = support_world();
    const tear_sheet s = tear_sheet_add(world, 12, 12, 0.1, 0.01, 1e-3, 0, 1);
    sn_tear_def tear = sn_default_tear_def();
    tear.strain = real(0.05);
    assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
    for (uint32_t i = 0; i < s.run.count; ++i) {
        const sn_particle p = sn_particles_at(s.run, i);
        const sn_vec3 x = sn_particle_position(world, p);
        assert_ok(world, sn_particle_set_velocity(world, p, vec(20 * (double)x.x, 0, 0)));
    }
    uint32_t tears = 0;
    for (uint32_t step = 0; step < 10; ++step) {
        uint32_t count;
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_tears(world, &count);
        tears += count;
        assert_true(!tears || (world->incidence.built && world->incidence.node_table.count > 0));
    }
    assert_true(tears > 10);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_index_follows_tears),
        cmocka_unit_test(test_a_sheet_tears_in_two),
        cmocka_unit_test(test_a_tear_keeps_momenta),
        cmocka_unit_test(test_copies_are_like_their_parent),
        cmocka_unit_test(test_made_vertices_are_drawn),
        cmocka_unit_test(test_changes_bring_a_copy_up_to_date),
        cmocka_unit_test(test_tears_are_the_same_everywhere),
        cmocka_unit_test(test_a_function_may_refuse),
        cmocka_unit_test(test_a_rope_parts),
        cmocka_unit_test(test_held_vertices_hold),
        cmocka_unit_test(test_a_torn_surface_does_not_intersect),
        cmocka_unit_test(test_bad_strengths_are_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
