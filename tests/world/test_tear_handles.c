/* Handles of constraints over tears and cuts: those of what is left are valid and mean the same thing, those of what went say so. */
#include "world/solid_meshes.h"

#define MOST 8192u

/* By number: the particles of the start that a particle came from, by splits and as a vertex on an edge. */
typedef struct descent {
    uint32_t count[MOST], from[MOST][8];
} descent;

static bool came_from(const descent *d, uint32_t particle, uint32_t old)
{
    for (uint32_t i = 0; i < d->count[particle]; ++i)
        if (d->from[particle][i] == old)
            return true;
    return false;
}

static void inherit(descent *d, uint32_t to, uint32_t from)
{
    for (uint32_t i = 0; i < d->count[from]; ++i)
        if (!came_from(d, to, d->from[from][i])) {
            assert_true(d->count[to] < COUNT_OF(d->from[to]));
            d->from[to][d->count[to]++] = d->from[from][i];
        }
}

static void follow_tears(const sn_world *world, descent *d)
{
    uint32_t count;
    const sn_tear *tear = sn_world_tears(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (tear[i].type != SN_TEAR_SPLIT && tear[i].type != SN_TEAR_INSERT)
            continue;
        assert_true(tear[i].made.index < MOST);
        inherit(d, tear[i].made.index, tear[i].particle.index);
        if (tear[i].type == SN_TEAR_INSERT)
            inherit(d, tear[i].made.index, tear[i].other.index);
    }
}

/* What a handle meant at the start. */
typedef struct meaning {
    sn_constraint handle;
    sn_constraint_def def;
    uint32_t points, particle[8];
} meaning;

static meaning take_meaning(const sn_world *world, sn_constraint c)
{
    meaning m = {.handle = c, .points = sn_constraint_point_count(world, c)};
    sn_point point[8];
    assert_true(m.points <= COUNT_OF(point));
    assert_ok(world, sn_constraint_read(world, c, &m.def, point, COUNT_OF(point)));
    for (uint32_t i = 0; i < m.points; ++i) {
        assert_int_equal(point[i].count, 1);
        m.particle[i] = point[i].particle[0].index;
    }
    return m;
}

/* A handle that is valid: the same kind, user number and number of points. With `whole` (nothing was inserted) the same rest length and angle, the same or a whole multiple
   of the compliance, and points that are what the particles of the start became, each of another; a vertex on an edge may be any point. */
static void check_left(const sn_world *world, const meaning *then, const descent *d, bool whole)
{
    const meaning now = take_meaning(world, then->handle);
    assert_int_equal(now.def.kind, then->def.kind);
    assert_int_equal(now.points, then->points);
    assert_true(now.def.user == then->def.user && sn_constraint_user(world, then->handle) == then->def.user);
    for (uint32_t i = 0; i < now.points; ++i) {
        assert_true(sn_particle_is_valid(world, sn_particle_from_index(world, now.particle[i])));
        assert_true(came_from(d, now.particle[i], then->particle[i]));
        for (uint32_t k = 0; k < i; ++k)
            assert_int_not_equal(now.particle[i], now.particle[k]);
    }
    if (!whole)
        return;
    const double times = then->def.compliance > 0 ? (double)now.def.compliance / (double)then->def.compliance : 1;
    assert_true(times >= 1 - 1e-6 && fabs(times - round(times)) < 1e-5 * times);
    const uint32_t params = sn_kind_param_count(sn_kind_info(world, now.def.kind));
    for (uint32_t i = 0; i < params; ++i)
        assert_true(now.def.param[i] == then->def.param[i]);
}

/* A handle that is dead stays so, whatever is asked of it, and nothing changes by asking. */
static void check_gone(sn_world *world, const meaning *then)
{
    sn_constraint_def def;
    sn_point point[8];
    sn_tear_def tear;
    const uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_constraint_point_count(world, then->handle), 0);
    assert_result(world, SN_ERROR_STALE, sn_constraint_read(world, then->handle, &def, point, COUNT_OF(point)));
    assert_result(world, SN_ERROR_STALE, sn_constraint_set_user(world, then->handle, 1));
    assert_result(world, SN_ERROR_STALE, sn_constraint_set_strength(world, then->handle, 1, 0));
    assert_result(world, SN_ERROR_STALE, sn_constraint_read_tear(world, then->handle, &tear));
    assert_result(world, SN_ERROR_STALE, sn_constraint_remove(world, then->handle));
    assert_true(sn_world_hash(world) == hash);
}

/* What came has a parent of the same kind with the same user number. */
static void check_copies(const sn_world *world)
{
    uint32_t count;
    const sn_tear_copy *copy = sn_world_tear_copies(world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(copy[i].made.kind, copy[i].parent.kind);
        if (sn_constraint_is_valid(world, copy[i].made) && sn_constraint_is_valid(world, copy[i].parent))
            assert_true(sn_constraint_user(world, copy[i].made) == sn_constraint_user(world, copy[i].parent));
    }
}

typedef struct handles {
    meaning *then;
    uint32_t count, gone;
    descent d;
} handles;

/* Gives every constraint a user number of its own, and notes what it is. */
static handles *take_handles(sn_world *world)
{
    handles *h = calloc(1, sizeof *h);
    sn_constraint_walk walk = {0};
    h->then = malloc((sn_world_constraint_count(world, SN_KIND_NONE) + 1) * sizeof *h->then);
    while (sn_constraint_next(world, &walk)) {
        assert_ok(world, sn_constraint_set_user(world, walk.constraint, 1000 + h->count));
        h->then[h->count++] = take_meaning(world, walk.constraint);
    }
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        h->d.count[i] = 1, h->d.from[i][0] = i;
    return h;
}

static void check_handles(sn_world *world, handles *h, bool whole)
{
    follow_tears(world, &h->d);
    check_copies(world);
    h->gone = 0;
    for (uint32_t i = 0; i < h->count; ++i)
        if (sn_constraint_is_valid(world, h->then[i].handle))
            check_left(world, &h->then[i], &h->d, whole);
        else
            check_gone(world, &h->then[i]), h->gone++;
}

static void release_handles(handles *h)
{
    free(h->then);
    free(h);
}

/* A sheet with hinges, a block of tetrahedra and pins. */
static sn_skin make_things(sn_world *world, uint64_t seed, sn_skin *solid)
{
    uint64_t random = seed;
    const tear_sheet s = tear_sheet_add(world, 9, 7, 0.1, 0.01, 1e-5, 0.2, seed);
    const block b = block_add(world, 3, 2, 2, 0.1, &random);
    sn_constraint_add_pin(world, sn_particle_from_index(world, tear_at(&s, 0, 6)));
    for (uint32_t i = 0; i < s.run.count; ++i)
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(s.run, i),
                                                  vec(8 * support_random_in(&random, -1, 1) + 2.0 * (i % 9),
                                                      6 * support_random_in(&random, -1, 1), 0)));
    *solid = b.skin;
    set_moving(world, &b);
    return s.skin;
}

/* Tears: nothing is inserted, so what is left has its parameters to the bit. */
static void test_handles_after_tears(void **state)
{
    (void)state;
    uint32_t gone = 0, came = 0;
    for (uint64_t seed = 1; seed <= support_long(100, 4); ++seed) {
        sn_world *world = make_world(1);
        sn_skin solid;
        sn_tear_def def = sn_default_tear_def();
        def.strain = real(0.03), def.spread = real(0.3), def.seed = (uint32_t)seed;
        assert_ok(world, sn_skin_set_tear(world, make_things(world, seed, &solid), &def));
        assert_ok(world, sn_skin_set_tear(world, solid, &def));
        handles *h = take_handles(world);
        const uint32_t particles = sn_world_particle_count(world);
        for (uint32_t frame = 0; frame < 15; ++frame) {
            assert_ok(world, sn_world_step(world, real(1.0 / 120)));
            check_handles(world, h, true);
        }
        gone += h->gone, came += sn_world_particle_count(world) - particles;
        release_handles(h);
        sn_world_destroy(world);
    }
    print_message("%u constraints gone, %u particles came\n", gone, came);
    assert_true(gone > 20 && came > 50);
}

/* Cuts through triangles, along edges and through tetrahedra, with steps between. */
static void test_handles_after_cuts(void **state)
{
    (void)state;
    uint32_t gone = 0, came = 0;
    for (uint64_t seed = 1; seed <= support_long(100, 4); ++seed) {
        uint64_t random = seed;
        sn_world *world = make_world(1);
        sn_skin solid;
        make_things(world, seed, &solid);
        handles *h = take_handles(world);
        const uint32_t particles = sn_world_particle_count(world);
        for (uint32_t round = 0; round < 4; ++round) {
            sn_cut_def def = sn_default_cut_def();
            def.blade = (sn_blade)support_random_below(&random, 3);
            def.edges_only = seed % 2;
            def.a = vec(support_random_in(&random, -0.2, 0.6), support_random_in(&random, -0.2, 0.6), -1);
            def.b = vec(support_random_in(&random, -0.2, 0.6), support_random_in(&random, -0.2, 0.6),
                        def.blade == SN_BLADE_PLANE ? 0.1 : 1);
            def.to_a = vec(support_random_in(&random, 0, 1), support_random_in(&random, 0, 1), -1);
            def.to_b = vec(support_random_in(&random, 0, 1), support_random_in(&random, 0, 1), 1);
            assert_ok(world, sn_world_cut(world, &def, NULL));
            check_handles(world, h, def.edges_only);
            assert_ok(world, sn_world_step(world, real(1.0 / 1200)));
        }
        gone += h->gone, came += sn_world_particle_count(world) - particles;
        release_handles(h);
        sn_world_destroy(world);
    }
    print_message("%u constraints gone, %u particles came\n", gone, came);
    assert_true(gone > 20 && came > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles_after_tears),
        cmocka_unit_test(test_handles_after_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
