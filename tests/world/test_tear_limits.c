/* Limits of stiff meshes follow tears: see solvers/hierarchy_follow.c. */
#include "solvers/hierarchy.h"
#include "solvers/tiled_work.h"
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads, bool stiffen, double gravity)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, -gravity, 0);
    def.settings.substeps = 2;
    def.settings.stiffening = stiffen ? SN_STIFFENING_AUTO : SN_STIFFENING_OFF;
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* Ways to hold a sheet: not at all, by two corners, by an edge, by pins along an edge, by some within. */
enum { HELD_NOT, HELD_CORNERS, HELD_PINS, HELD_EDGE, HELD_WITHIN, HELD_COUNT };

static tear_sheet add_sheet(sn_world *world, uint32_t columns, uint32_t rows, uint32_t held, double jitter)
{
    tear_sheet s = tear_sheet_add(world, columns, rows, 0.05, 0.001, 1e-8, jitter, 5);
    for (uint32_t i = 0; i < s.run.count; ++i) {
        const uint32_t column = i % columns, row = i / columns;
        const bool is_held = held == HELD_CORNERS  ? row + 1 == rows && (column == 0 || column + 1 == columns)
                             : held == HELD_EDGE   ? row + 1 == rows
                             : held == HELD_WITHIN ? row % 11 == 5 && column % 13 == 6
                                                   : false;
        if (held == HELD_PINS && row + 1 == rows)
            assert_true(sn_constraint_is_valid(world, sn_constraint_add_pin(world, sn_particles_at(s.run, i))));
        if (is_held)
            assert_ok(world, sn_particle_set_mass(world, sn_particles_at(s.run, i), SN_IMMOVABLE));
    }
    for (uint32_t k = 0; k < 3 && held == HELD_PINS; ++k) { /* heavy ropes are tied to it */
        const sn_particle to = sn_particles_at(s.run, k * columns + 20 * k + 10);
        const sn_vec3 x = sn_particle_position(world, to);
        sn_particle last = to;
        for (uint32_t i = 0; i < 4; ++i) {
            const sn_particle next = sn_particle_add_at(world, vec(x.x, (double)x.y - 0.05 * i, x.z), real(0.5));
            const sn_constraint tie = i ? sn_constraint_add_distance(world, sn_at(last), sn_at(next), real(0.05))
                                        : sn_constraint_add_attachment(world, sn_at(last), sn_at(next));
            assert_true(sn_constraint_is_valid(world, tie));
            last = next;
        }
    }
    return s;
}

/* A segment that sweeps over a part of the sheet, the same for the same seed. */
static sn_cut_info cut_at_random(sn_world *world, uint32_t columns, uint32_t rows, uint64_t seed)
{
    const double wide = 0.05 * columns, high = 0.05 * rows, x = support_random_in(&seed, 0, wide),
                 y = support_random_in(&seed, 0, high), dx = support_random_in(&seed, -0.4, 0.4) * wide,
                 dy = support_random_in(&seed, -0.4, 0.4) * high;
    sn_cut_def cut = sn_default_cut_def();
    cut.a = vec(x, y, -4), cut.b = vec(x, y, 4), cut.to_a = vec(x + dx, y + dy, -4), cut.to_b = vec(x + dx, y + dy, 4);
    cut.edges_only = seed % 2;
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &cut, &info));
    return info;
}

/* Whether a rod of the base is there as it was. */
static bool is_there(const sn_world *world, const sn_mesh_rod *rod)
{
    const sn_store *store = &world->constraints;
    const uint32_t kinds[] = {SN_KIND_DISTANCE, SN_KIND_DISTANCE_MAX};
    if (rod->rest == SN_TIE_REST) /* an attachment */
        return true;
    for (uint32_t k = 0; k < 2; ++k) {
        const sn_pool *pool = store->pool[kinds[k]];
        for (uint32_t row = 0; row < pool->table.count; ++row) {
            const uint32_t *point = pool->point + 2 * (size_t)row;
            if (!sn_ids_is_live(&pool->ids, row) || (point[0] | point[1]) & SN_ANCHOR_BIT)
                continue;
            const uint32_t a = world->ids.value[point[0]], b = world->ids.value[point[1]];
            if (((a == rod->a && b == rod->b) || (a == rod->b && b == rod->a)) &&
                pool->param[(size_t)row * pool->param_count] == rod->rest)
                return true;
        }
    }
    return false;
}

/* Every rod that limits were made from is there, or torn. Some at random: it takes long to look for one. */
static void check_base(const sn_world *world, uint64_t *random)
{
    const sn_limits_base *base = &world->limits;
    const sn_mesh_rod *rod = base->rod_table.column[0];
    const sn_torn *torn = base->torn_table.column[0];
    const uint8_t *mark = base->mark_table.column[0];
    if (!sn_limits_are_torn(world))
        return;
    const uint32_t apart = 1 + base->rod_table.count / 700;
    for (uint32_t i = support_random_below(random, apart); i < base->rod_table.count; i += apart) {
        bool known = mark[rod[i].a] || mark[rod[i].b];
        for (uint32_t k = 0; k < base->torn_table.count && !known; ++k) {
            const uint32_t one = torn[k].a, other = torn[k].b & ~SN_TORN_LAST;
            known = (one == rod[i].a && other == rod[i].b) || (one == rod[i].b && other == rod[i].a);
        }
        assert_true(known || is_there(world, &rod[i]));
    }
}

/* Random tears and cuts: on threads, and saved and loaded between, the same bits; and limits know what was torn. */
static void test_tears_are_followed(void **state)
{
    (void)state;
    uint32_t followed = 0;
    for (uint32_t round = 0; round < support_long(40, 3); ++round) {
        uint64_t random = 100 + round;
        const uint32_t columns = 104 + support_random_below(
                                           &random, 20), /* enough to be followed, with levels above the first */
            rows = 26 + (round % 6 == 5 ? 80 : 0) + support_random_below(&random, 12);
        sn_world *world[3] = {make_world(1, true, 9.81), make_world(3, true, 9.81), make_world(1, true, 9.81)};
        tear_sheet s[3];
        for (uint32_t i = 0; i < 3; ++i)
            s[i] = add_sheet(world[i], columns, rows, round % HELD_COUNT, round % 3 ? -0.1 : 0);
        for (uint32_t step = 0; step < 10; ++step) {
            if (step == 3) {
                sn_tear_def tear = sn_default_tear_def();
                tear.strain = real(0.003), tear.spread = real(0.5), tear.seed = round;
                for (uint32_t i = 0; i < 3 && round % 2; ++i)
                    assert_ok(world[i], sn_skin_set_tear(world[i], s[i].skin, &tear));
            }
            for (uint32_t i = 0; i < 3 && step % 3 == 1; ++i)
                cut_at_random(world[i], columns, rows, 1000 * round + step);
            check_base(world[0], &random);
            followed += sn_limits_are_torn(world[0]);
            sn_snapshot *snapshot = sn_world_save(world[2]);
            assert_ok(world[2], sn_world_load(world[2 - step % 2], snapshot)); /* into itself, or another */
            sn_snapshot_destroy(snapshot);
            for (uint32_t i = 1; i < 3; ++i)
                assert_int_equal(sn_world_hash(world[i]), sn_world_hash(world[0]));
            for (uint32_t i = 0; i < 3; ++i)
                assert_ok(world[i], sn_world_step(world[i], real(1.0 / 60)));
            tear_check(world[0]);
        }
        for (uint32_t i = 0; i < 3; ++i)
            sn_world_destroy(world[i]);
    }
    assert_true(followed > 10);
}

/* A soft sheet has no limits, and gets none by tears: it is not looked at again. The same on threads, and saved and
   loaded between. */
static void test_soft_sheets_are_not_looked_at_again(void **state)
{
    (void)state;
    uint32_t torn = 0, tears = 0;
    sn_world *world[3];
    for (uint32_t i = 0; i < 3; ++i) {
        world[i] = make_world(i == 1 ? 3 : 1, true, 9.81);
        const tear_sheet s = tear_sheet_add(world[i], 112, 30, 0.05, 0.01, 1e-2, -0.1, 5);
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(0.02), tear.spread = real(0.5);
        assert_ok(world[i], sn_skin_set_tear(world[i], s.skin, &tear));
        for (uint32_t k = 0; k < s.columns; ++k)
            assert_ok(world[i], sn_particle_set_mass(world[i], sn_particles_at(s.run, 29 * 112 + k), SN_IMMOVABLE));
    }
    for (uint32_t step = 0; step < 12; ++step) {
        for (uint32_t i = 0; i < 3 && step % 5 == 2; ++i)
            cut_at_random(world[i], 112, 30, step);
        sn_snapshot *snapshot = sn_world_save(world[2]);
        assert_ok(world[2], sn_world_load(world[2 - step % 2], snapshot));
        sn_snapshot_destroy(snapshot);
        const uint64_t makes = world[0]->limits.makes;
        for (uint32_t i = 1; i < 3; ++i)
            assert_int_equal(sn_world_hash(world[i]), sn_world_hash(world[0]));
        for (uint32_t i = 0; i < 3; ++i)
            assert_ok(world[i], sn_world_step(world[i], real(1.0 / 60)));
        const sn_limits_base *base = &world[0]->limits;
        uint32_t count;
        sn_world_tears(world[0], &count);
        assert_true(!step || base->makes == makes || world[0]->plan.makes != makes);
        assert_int_equal(base->rod_table.count, 0);
        assert_true(base->torn_table.count <= 1);
        torn += sn_limits_are_torn(world[0]), tears += count;
    }
    assert_true(torn > 3 && tears > 20);
    for (uint32_t i = 0; i < 3; ++i)
        sn_world_destroy(world[i]);
}

/* No rod of a net that may tear is in a solid, whatever has torn: it is not looked for. */
static void test_solids_are_not_looked_for_in_a_net(void **state)
{
    (void)state;
    sn_world *world = make_world(1, true, 0);
    const tear_sheet s = tear_sheet_add(world, 40, 40, 0.05, 0.001, 1e-3, 0, 5);
    sn_tear_def tear = sn_default_tear_def();
    tear.strain = real(0.02);
    assert_ok(world, sn_skin_remove(world, s.skin));
    assert_ok(world, sn_constraints_set_tear(world, s.rods, &tear));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    const sn_solids *solids = &((const tiled *)world->scratch.tiled)->solids;
    const uint64_t changes = solids->changes;
    uint32_t tears = 0;
    assert_true(solids->made && !solids->count && changes == world->constraints.changes);
    for (uint32_t step = 0; step < 6; ++step) {
        uint32_t count;
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(s.run, 411 + 130 * step), vec(0, 0, 40)));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_tears(world, &count);
        tears += count;
        assert_true(solids->made && solids->changes == changes);
    }
    assert_true(tears > 6 && world->constraints.changes > changes);
    sn_constraint_add_distance(world, sn_at(sn_particles_at(s.run, 0)), sn_at(sn_particles_at(s.run, 99)), SN_MEASURE);
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    assert_true(solids->changes > changes); /* one that does not tear is looked at */
    sn_world_destroy(world);
}

/* The momentum of what was on one side of x at the start, by number: copies are behind all others, and are sorted by
   where they are. */
static void sum_side(const sn_world *world, const bool *left, uint32_t count, double p[3], double *mass)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = world->ids.value[i];
        const sn_vec4 v = world->particles.v[slot], low = world->particles.v_low[slot];
        if (!left[i])
            continue;
        *mass += (double)v.w;
        p[0] += (double)v.w * ((double)v.x + (double)low.x);
        p[1] += (double)v.w * ((double)v.y + (double)low.y);
        p[2] += (double)v.w * ((double)v.z + (double)low.z);
    }
}

/* A sheet that is cut in two and flies apart: no limit of any level joins the halves, so each keeps its own momentum.
   */
static void test_halves_fly_by_themselves(void **state)
{
    (void)state;
    for (uint32_t loads = 0; loads < 2; ++loads) {
        sn_world *world = make_world(1, true, 0);
        const uint32_t n = 110;
        tear_sheet s = add_sheet(world, n, n, HELD_NOT, 0);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_true(world->limits.rod_table.count > 0);
        sn_cut_def cut = sn_default_cut_def();
        const double x = 0.05 * (n / 2 + 0.3);
        cut.a = vec(x, -1, -1), cut.b = vec(x, -1, 1), cut.to_a = vec(x, 7, -1), cut.to_b = vec(x, 7, 1);
        cut.edges_only = true;
        sn_cut_info info;
        assert_ok(world, sn_world_cut(world, &cut, &info));
        assert_true(info.split > n / 2);
        assert_true(sn_limits_are_torn(world));
        const uint32_t count = world->ids.table.count;
        uint32_t corners;
        const uint32_t *corner = sn_skin_triangles(world, s.skin, &corners);
        bool *left = calloc(count, sizeof *left);
        for (bool more = true; more;) { /* what triangles join to the first particle */
            more = false;
            left[0] = true;
            for (uint32_t i = 0; i < corners; ++i) {
                const uint32_t *c = corner + 3 * i;
                const bool any = left[c[0]] || left[c[1]] || left[c[2]];
                for (uint32_t k = 0; k < 3 && any; ++k)
                    more = more || !left[c[k]], left[c[k]] = true;
            }
        }
        for (uint32_t i = 0; i < count; ++i) { /* apart, and each turning and shaking */
            const uint32_t slot = world->ids.value[i];
            const double y = (double)world->particles.x[slot].y - 1.5;
            sn_particle p = {i, world->ids.generation[i]};
            assert_ok(world,
                      sn_particle_set_velocity(
                          world, p, vec(left[i] ? -2 + y : 2, left[i] ? 0.5 : 0, i % 7 * 0.3 * (left[i] ? 1 : -1))));
        }
        double before[3] = {0}, mass = 0;
        sum_side(world, left, count, before, &mass);
        assert_true(mass > 0.3 * 0.001 * n * n && mass < 0.7 * 0.001 * n * n);
        for (uint32_t step = 0; step < 20; ++step) {
            if (loads && step % 5 == 2) {
                sn_snapshot *snapshot = sn_world_save(world);
                assert_ok(world, sn_world_load(world, snapshot));
                sn_snapshot_destroy(snapshot);
            }
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        }
        assert_true(sn_limits_are_torn(world)); /* they were not made anew */
        double after[3] = {0}, same = 0;
        sum_side(world, left, count, after, &same);
        assert_true(same == mass);
        for (uint32_t k = 0; k < 3; ++k)
            assert_true(fabs(after[k] - before[k]) < 2e-5 * mass * 3);
        free(left);
        sn_world_destroy(world);
    }
}

/* A sheet that hangs from an edge, with a slit: what limits are left keep it from sagging, as they do when they are
   made anew. */
static void test_what_is_left_holds(void **state)
{
    (void)state;
    double sag[3] = {0}; /* m: without limits; with those that are left; made anew in every step */
    for (uint32_t i = 0; i < 3; ++i) {
        sn_world *world = make_world(1, i > 0, 9.81);
        const uint32_t n = 60;
        tear_sheet s = add_sheet(world, n, n, HELD_EDGE, 0);
        for (uint32_t step = 0; step < 10; ++step)
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_cut_def cut = sn_default_cut_def();
        cut.a = vec(0.6, 1.5, -1), cut.b = vec(0.6, 1.5, 1), cut.to_a = vec(1.4, 1.4, -1), cut.to_b = vec(1.4, 1.4, 1);
        assert_ok(world, sn_world_cut(world, &cut, NULL));
        assert_int_equal(sn_limits_are_torn(world), i > 0);
        for (uint32_t step = 0; step < 40; ++step) {
            if (i == 2)
                world->limits.makes = 0; /* as if so much were torn */
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            double low = 0;
            for (uint32_t k = 0; k < n; ++k)
                low += (double)sn_particle_position(world, sn_particles_at(s.run, k)).y / n;
            sag[i] = fmax(sag[i], -low);
        }
        assert_int_equal(sn_limits_are_torn(world), i == 1);
        sn_world_destroy(world);
    }
    assert_true(sag[0] > 0.5);
    assert_true(sag[1] < 0.01);
    assert_true(sag[2] < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tears_are_followed),
        cmocka_unit_test(test_soft_sheets_are_not_looked_at_again),
        cmocka_unit_test(test_solids_are_not_looked_for_in_a_net),
        cmocka_unit_test(test_halves_fly_by_themselves),
        cmocka_unit_test(test_what_is_left_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
