/* Blades: what they cut, what is kept, and that meshes stay meshes whatever is torn and cut. */
#include "world/tear_meshes.h"

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

/* It turns and shears, so that every sum says something. */
static void set_moving(sn_world *world, const tear_sheet *s)
{
    for (uint32_t i = 0; i < s->run.count; ++i) {
        const sn_particle p = sn_particles_at(s->run, i);
        const sn_vec3 x = sn_particle_position(world, p);
        assert_ok(world, sn_particle_set_velocity(
                             world, p, vec(3 * (double)x.y + 1, 2 - 5 * (double)x.x, 4 * (double)x.x * (double)x.y)));
    }
}

static sn_cut_def plane_through(double x, double y, double nx, double ny)
{
    sn_cut_def def = sn_default_cut_def();
    def.blade = SN_BLADE_PLANE;
    def.a = vec(x, y, 0);
    def.b = vec(nx, ny, 0);
    return def;
}

/* A sheet cut through by a plane at any angle is two sheets of the same area. */
static void test_a_plane_cuts_a_sheet_in_two(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= support_rounds(200, 25); ++seed) {
        sn_world *world = make_world(1);
        uint64_t random = seed;
        const tear_sheet s = tear_sheet_add(world, 8, 7, 0.1, support_random_in(&random, 0.01, 2), 1e-4, 0.1, seed);
        const double angle = support_random_in(&random, 0, 6.3);
        sn_cut_def def = plane_through(support_random_in(&random, 0.2, 0.5), support_random_in(&random, 0.2, 0.4),
                                       cos(angle), sin(angle));
        def.edges_only = seed % 4 == 0;
        sn_cut_info info;
        set_moving(world, &s);
        const tear_sums before = tear_sum(world);
        assert_ok(world, sn_world_cut(world, &def, &info));
        const tear_sums after = tear_sum(world);
        assert_true(def.edges_only ? info.inserted == 0 : info.inserted > 0);
        assert_true(info.split > 0);
        assert_int_equal(sn_world_particle_count(world), 56 + info.inserted + info.split);
        tear_assert_kept(&before, &after, SINEW_DOUBLE ? 1e-12 : 2e-7);
        assert_close(after.area, before.area, 1e-6 * before.area);
        tear_check(world);
        if (def.edges_only) /* along edges a triangle may come off that has all corners at the blade */
            assert_true(tear_pieces(world) >= 2);
        else
            assert_int_equal(tear_pieces(world), 2);
        uint32_t count;
        const sn_tear *event = sn_world_tears(world, &count);
        assert_true(count >= info.inserted + info.split);
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(event[i].cut);
            assert_true(event[i].type == SN_TEAR_BREAK || sn_particle_is_valid(world, event[i].made));
        }
        for (uint32_t frame = 0; frame < 3; ++frame)
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_ok(world, sn_world_cut(world, &def, NULL)); /* the halves may have moved: whatever it meets is fine */
        tear_check(world);
        sn_world_destroy(world);
    }
}

/* At rest nothing is strained by a cut: the sheet stays where it is. */
static void test_a_cut_at_rest_strains_nothing(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    const tear_sheet s = tear_sheet_add(world, 9, 9, 0.1, 0.1, 1e-4, -0.2, 5);
    (void)s;
    const sn_cut_def def = plane_through(0.41, 0.37, 0.8, 0.6);
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_close(info.released, 0, 1e-6);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk))
        if (walk.constraint.kind == SN_KIND_DISTANCE) {
            sn_real c;
            assert_ok(world, sn_constraint_value(world, walk.constraint, &c));
            assert_close(c, 0, 2e-7);
        }
    for (uint32_t i = 0; i < 30; ++i)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    const tear_sums after = tear_sum(world);
    assert_true(after.kinetic < 1e-9);
    sn_world_destroy(world);
}

/* A segment that sweeps half way cuts half way: one piece with a slit. */
static void test_a_segment_cuts_a_slit(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    const tear_sheet s = tear_sheet_add(world, 11, 11, 0.1, 0.1, 0, 0, 1);
    (void)s;
    sn_cut_def def = sn_default_cut_def();
    def.a = vec(0.53, -0.2, -1), def.b = vec(0.53, -0.2, 1);
    def.to_a = vec(0.53, 0.44, -1), def.to_b = vec(0.53, 0.44, 1);
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_true(info.inserted > 4 && info.split > 4);
    assert_true(info.split < info.inserted + 1);
    assert_int_equal(tear_pieces(world), 1);
    tear_check(world);
    def.a = vec(0.53, 0.4, -1), def.b = vec(0.53, 0.4, 1); /* and on to the end */
    def.to_a = vec(0.53, 1.2, -1), def.to_b = vec(0.53, 1.2, 1);
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_int_equal(tear_pieces(world), 2);
    tear_check(world);
    sn_world_destroy(world);
}

/* Ropes are cut between particles; groups that are not meant are left alone; a cut through nothing says so. */
static void test_ropes_groups_and_nothing(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    for (uint32_t rope = 0; rope < 2; ++rope)
        for (uint32_t i = 0; i < 8; ++i) {
            const sn_particle p = sn_particle_add_at(world, vec(0.1 * i, 0.1 * rope, 0), 1);
            assert_ok(world, sn_particle_set_group(world, p, rope));
            if (i)
                sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, p.index - 1)), sn_at(p),
                                           SN_MEASURE);
            if (i > 1)
                sn_constraint_add_angle(world, sn_at(sn_particle_from_index(world, p.index - 2)),
                                        sn_at(sn_particle_from_index(world, p.index - 1)), sn_at(p), SN_MEASURE);
        }
    sn_cut_def def = plane_through(0.35, 0, 1, 0);
    def.one_group = true;
    def.group = 1;
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_int_equal(info.removed, 3); /* a link and the angles at both of its ends */
    assert_int_equal(info.inserted + info.split, 0);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_DISTANCE), 13);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_ANGLE), 10);
    const uint64_t before = sn_world_hash(world);
    uint32_t told, still;
    assert_non_null(sn_world_tears(world, &told));
    assert_ok(world, sn_world_cut(world, &def, &info)); /* it is cut already */
    assert_int_equal(info.removed + info.inserted + info.split, 0);
    assert_non_null(sn_world_tears(world, &still)); /* of the cut before, */
    assert_int_equal(still, told);                  /*   and nothing else */
    assert_int_equal(sn_world_hash(world), before);
    const struct {
        sn_cut_def def;
        const char *says;
    } bad[] = {
        {{.blade = SN_BLADE_PLANE}, "normal length 0"},
        {{.blade = SN_BLADE_PLANE, .a = {(sn_real)NAN, 0, 0}, .b = {1, 0, 0}}, "cut a nan finite"},
        {{.blade = (sn_blade)7}, "blade 7"},
        {{.blade = SN_BLADE_TRIANGLE, .b = {1, 0, 0}, .to_a = {2, 0, 0}}, "no area line"},
        {{.blade = SN_BLADE_SEGMENT, .b = {1, 0, 0}, .to_b = {0, (sn_real)INFINITY, 0}}, "to_b inf"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        assert_result(world, SN_ERROR_ARGUMENT, sn_world_cut(world, &bad[i].def, &info));
        assert_says(sn_world_error(world), bad[i].says);
    }
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_cut(world, NULL, &info));
    assert_int_equal(sn_world_cut(NULL, &def, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_hash(world), before);
    sn_world_destroy(world);
}

/* ---- Anything -------------------------------------------------------------------------------------------------------------- */

/* Sheets of several kinds in one world: with areas and strains, with spots and pins, and a second skin behind the
   first. */
static tear_sheet add_anything(sn_world *world, uint64_t *random)
{
    const tear_sheet s =
        tear_sheet_add(world, 3 + support_random_below(random, 6), 3 + support_random_below(random, 6), 0.1,
                       support_random_in(random, 0.01, 1), support_random_below(random, 2) ? 1e-4 : 0,
                       support_random_in(random, 0, 0.15), *random);
    const uint32_t p = tear_at(&s, 1, 1), right = p + 1, up = p + s.columns;
    const sn_particle a = sn_particle_from_index(world, p), b = sn_particle_from_index(world, right),
                      c = sn_particle_from_index(world, up + 1);
    const uint32_t area[3] = {p, right, up + 1};
    const sn_material give = {real(1e-3), 0};
    sn_constraints_add_kind(world, SN_KIND_AREA, 1, area, NULL, &give);
    sn_constraints_add_kind(world, SN_KIND_STRAIN, 1, area, NULL, &give);
    const sn_particle load = sn_particle_add_at(world, vec(0.2, 0.2, -0.5), real(0.3));
    sn_constraint_add_distance(world, sn_at(load), sn_on_triangle(a, b, c, real(0.3), real(0.3), real(0.4)),
                               SN_MEASURE);
    sn_constraint_add_pin(world, sn_particle_from_index(world, tear_at(&s, 0, s.rows - 1)));
    return s;
}

static sn_vec3 any_place(uint64_t *random)
{
    return vec(support_random_in(random, -0.3, 1), support_random_in(random, -0.3, 1),
               support_random_in(random, -0.6, 0.6));
}

/* What came by tears and cuts is a vertex of a skin: nothing dangles. */
static void check_made(sn_world *world, uint32_t first)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], count = world->contact.triangle_table.count;
    bool *used = calloc(world->ids.table.count + 1, sizeof *used);
    for (uint32_t i = 0; i < 3 * count; ++i)
        used[corner[i]] = true;
    for (uint32_t i = first; i < world->ids.table.count; ++i)
        assert_true(used[i] && sn_ids_is_live(&world->ids, i));
    free(used);
}

/* Random tears and cuts of random meshes, with steps between. In the long form these are ten thousand cuts. */
static void test_anything_torn_and_cut_stays_a_mesh(void **state)
{
    (void)state;
    uint32_t tears = 0, cuts = 0, met = 0;
    const uint32_t worlds = support_long(1000, support_rounds(1, 0) ? 60 : 20);
    const char *from = getenv("SINEW_SEED"); /* others */
    const uint64_t first_seed = from ? strtoull(from, NULL, 10) : 1;
    for (uint64_t seed = first_seed; seed < first_seed + worlds; ++seed) {
        uint64_t random = seed * 77;
        sn_vec3 end[2] = {{0}};
        sn_world *world = make_world(1);
        tear_sheet s[2] = {add_anything(world, &random), add_anything(world, &random)};
        for (uint32_t i = 0; i < 2; ++i) {
            sn_tear_def tear = sn_default_tear_def();
            tear.strain = real(support_random_in(&random, 0.01, 0.3));
            tear.spread = real(support_random_in(&random, 0, 0.9));
            tear.seed = (uint32_t)seed;
            assert_ok(world, sn_skin_set_tear(world, s[i].skin, &tear));
            set_moving(world, &s[i]);
        }
        const uint32_t first = world->ids.table.count;
        for (uint32_t round = 0; round < 10; ++round) {
            sn_cut_def def = sn_default_cut_def();
            sn_cut_info info;
            def.blade = (sn_blade)support_random_below(&random, 3);
            def.a = any_place(&random), def.b = any_place(&random);
            def.to_a = any_place(&random), def.to_b = any_place(&random);
            def.edges_only = support_random_below(&random, 3) == 0;
            if (round && support_random_below(&random, 2)) { /* a sweep goes on */
                def.blade = SN_BLADE_SEGMENT;
                def.a = end[0], def.b = end[1];
            }
            end[0] = def.to_a, end[1] = def.to_b;
            const tear_sums before = tear_sum(world);
            assert_ok(world, sn_world_cut(world, &def, &info));
            const tear_sums after = tear_sum(world);
            tear_assert_kept(&before, &after, SINEW_DOUBLE ? 1e-12 : 2e-7);
            assert_close(after.area, before.area, 1e-5 * before.area);
            check_made(world, first);
            ++cuts;
            met += info.split > 0;
            tear_check(world);
            for (uint32_t frame = 0; frame < 2; ++frame) {
                uint32_t count;
                assert_ok(world, sn_world_step(world, real(1.0 / 120)));
                sn_world_tears(world, &count);
                tears += count;
                tear_check(world);
            }
        }
        for (uint32_t i = 0; i < 2; ++i) { /* what was there is there, by its handles */
            assert_true(sn_skin_is_valid(world, s[i].skin));
            for (uint32_t k = 0; k < s[i].run.count; ++k)
                assert_true(sn_particle_is_valid(world, sn_particles_at(s[i].run, k)));
        }
        sn_world_destroy(world);
    }
    assert_true(tears > 2 * worlds && met > worlds);
    printf("%u worlds, %u cuts, %u of which parted something, %u tears\n", worlds, cuts, met, tears);
}

/* Handles of constraints, as a caller keeps them: those that were there, and those that were told. */
typedef struct ledger {
    sn_constraint *of;
    uint32_t count, room, stale;
} ledger;

static void enter(ledger *l, sn_constraint constraint)
{
    if (l->count == l->room)
        l->of = realloc(l->of, (l->room = 2 * l->room + 64) * sizeof *l->of);
    l->of[l->count++] = constraint;
}

/* What was removed is stale, and calls with it are refused; all that the world has is there, once. */
static void check_ledger(sn_world *world, ledger *l)
{
    uint32_t copies, tears, valid = 0, live = 0;
    const sn_tear_copy *copy = sn_world_tear_copies(world, &copies);
    const sn_tear *tear = sn_world_tears(world, &tears);
    for (uint32_t i = 0; i < copies; ++i) {
        bool known = false;
        for (uint32_t k = 0; k < l->count && !known; ++k)
            known = memcmp(&l->of[k], &copy[i].parent, sizeof copy[i].parent) == 0;
        assert_true(known);
        assert_int_equal(copy[i].parent.kind, copy[i].made.kind);
        enter(l, copy[i].made);
    }
    for (uint32_t i = 0; i < tears; ++i)
        if (tear[i].type == SN_TEAR_BREAK)
            assert_false(sn_constraint_is_valid(world, tear[i].constraint));
    for (uint32_t i = 0; i < l->count; ++i)
        if (sn_constraint_is_valid(world, l->of[i]))
            l->of[valid++] = l->of[i];
        else {
            assert_int_equal(sn_constraint_remove(world, l->of[i]), SN_ERROR_STALE);
            l->stale++;
        }
    l->count = valid;
    for (uint32_t i = 0; i < valid; ++i)
        for (uint32_t k = 0; k < i; ++k)
            assert_false(l->of[i].kind == l->of[k].kind && l->of[i].index == l->of[k].index);
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        live += sn_world_constraint_count(world, kind);
    assert_int_equal(live, valid);
}

static void test_constraints_are_told(void **state)
{
    (void)state;
    uint32_t copies = 0, stale = 0;
    for (uint64_t seed = 1; seed <= support_long(60, support_rounds(1, 0) ? 12 : 4); ++seed) {
        uint64_t random = seed * 31;
        ledger l = {0};
        sn_world *world = make_world(1);
        tear_sheet s = add_anything(world, &random);
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(support_random_in(&random, 0.01, 0.3));
        assert_ok(world, sn_skin_set_tear(world, s.skin, &tear));
        set_moving(world, &s);
        for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
            const sn_ids *ids = &world->constraints.pool[kind]->ids;
            for (uint32_t row = 0; row < ids->table.count; ++row)
                if (sn_ids_is_live(ids, row))
                    enter(&l, (sn_constraint){kind, row, ids->generation[row]});
        }
        check_ledger(world, &l);
        assert_int_equal(l.stale, 0);
        for (uint32_t round = 0; round < 8; ++round) {
            sn_cut_def def = sn_default_cut_def();
            uint32_t count;
            def.blade = (sn_blade)support_random_below(&random, 3);
            def.a = any_place(&random), def.b = any_place(&random);
            def.to_a = any_place(&random), def.to_b = any_place(&random);
            assert_ok(world, sn_world_cut(world, &def, NULL));
            assert_ok(world, sn_world_step(world, real(1.0 / 120))); /* tells of the cut as well */
            sn_world_tear_copies(world, &count);
            copies += count;
            check_ledger(world, &l);
        }
        stale += l.stale;
        free(l.of);
        sn_world_destroy(world);
    }
    assert_true(copies > 100 && stale > 100);
    assert_null(sn_world_tear_copies(NULL, NULL));
}

/* The same after being saved and loaded, on other numbers of threads. */
static void test_cuts_are_the_same_everywhere(void **state)
{
    (void)state;
    sn_world *world[3];
    for (uint32_t w = 0; w < 3; ++w) {
        uint64_t random = 3;
        world[w] = make_world(w == 1 ? 3 : 1);
        const tear_sheet s = add_anything(world[w], &random);
        set_moving(world[w], &s);
    }
    uint64_t random = 8;
    for (uint32_t round = 0; round < 12; ++round) {
        sn_cut_def def = sn_default_cut_def();
        def.blade = (sn_blade)(round % 3);
        def.a = any_place(&random), def.b = any_place(&random), def.to_a = any_place(&random),
        def.to_b = any_place(&random);
        for (uint32_t w = 0; w < 3; ++w) {
            if (w == 2) {
                sn_snapshot *now = sn_world_save(world[2]);
                assert_ok(world[2], sn_world_load(world[2], now));
                sn_snapshot_destroy(now);
            }
            assert_ok(world[w], sn_world_cut(world[w], &def, NULL));
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
        }
        assert_same_world(world[0], world[1]);
        assert_same_world(world[0], world[2]);
    }
    for (uint32_t w = 0; w < 3; ++w)
        sn_world_destroy(world[w]);
}

/* Balls on three sheets, one over the other, that are cut again and again: what they touch is found in a tree that
   follows cuts, and in one that was made anew, since the world was just
   loaded. Triangles of the upper sheets get other places in the table by cuts of the lower ones. */
static void test_contact_with_skins_follows_cuts(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    uint64_t random = 5;
    uint32_t cuts = 0, touches = 0, followed = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        const tear_sheet s = tear_sheet_add(world, 24, 24, 0.1, 0.1, 1e-5, 0, 1);
        for (uint32_t i = 0; i < s.run.count; ++i) {
            const sn_particle p = sn_particles_at(s.run, i);
            const sn_vec3 x = sn_particle_position(world, p);
            assert_ok(world, sn_particle_set_position(world, p, vec((double)x.x, (double)x.y, 0.3 * k)));
        }
        for (uint32_t i = 0; i < 60; ++i) {
            const sn_particle ball = sn_particle_add_at(
                world, vec(support_random_in(&random, 0, 2.3), support_random_in(&random, 0, 2.3), 0.3 * k + 0.1),
                real(0.2));
            assert_ok(world, sn_particle_set_radius(world, ball, real(0.06)));
            assert_ok(world, sn_particle_set_group(world, ball, 3));
            assert_ok(world, sn_particle_set_velocity(world, ball, vec(0, 0, -1)));
        }
    }
    for (uint32_t round = 0; round < 40; ++round) {
        sn_cut_def def = sn_default_cut_def();
        sn_cut_info info;
        def.blade = SN_BLADE_TRIANGLE;
        const double x = support_random_in(&random, 0.3, 2), y = support_random_in(&random, 0.3, 2);
        def.a = vec(x, y, -1), def.b = vec(x + 0.3, y + 0.1, 0.4),
        def.to_a = vec(x - 0.1, y + 0.3, 1); /* a few triangles */
        sn_snapshot *now = sn_world_save(world);
        sn_world *fresh = make_world(2);
        assert_ok(fresh, sn_world_load(fresh, now));
        sn_snapshot_destroy(now);
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_ok(fresh, sn_world_cut(fresh, &def, NULL));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        assert_ok(fresh, sn_world_step(fresh, real(1.0 / 60)));
        assert_same_world(world, fresh);
        cuts += info.inserted > 0;
        touches += world->contacts.skin_contacts > 0;
        followed += info.inserted > 0 && world->contacts.tree_age > 0;
        sn_world_destroy(fresh);
    }
    assert_true(cuts > 10 && touches > 10 && followed > 10);
    sn_world_destroy(world);
}

/* Without memory nothing is cut, at once or by a sweep that goes on over a sheet that has moved. */
static bool cut_with_little_memory(bool sweep, uint64_t at)
{
    sn_cut_def def = plane_through(0.23, 0.2, 1, 0.2);
    support_memory memory = {0};
    sn_world_def scarce = support_scarce(&memory);
    scarce.settings.gravity = vec(0, 0, 0);
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&scarce, &world), SN_OK);
    const tear_sheet s = tear_sheet_add(world, 5, 5, 0.1, 1, 1e-5, 0, 1);
    sn_cut_info info;
    if (sweep) {
        def = sn_default_cut_def();
        def.a = def.to_a = vec(0.23, -0.01, -1), def.b = def.to_b = vec(0.23, -0.01, 1);
        assert_ok(world, sn_world_cut(world, &def, &info));
        for (uint32_t i = 0; i < s.run.count; ++i)
            assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(s.run, i), vec(0, -6, 0)));
        assert_ok(world, sn_world_step(world, real(1.0 / 30)));
    }
    const uint64_t before = sn_world_hash(world);
    memory.fail_at = memory.requests + at;
    const bool out = ran_out(world, before, sn_world_cut(world, &def, &info));
    const bool failed = memory.failures > 0;
    memory.fail_at = 0;
    if (out)
        assert_ok(world, sn_world_cut(world, &def, &info));
    assert_true(info.split > 0);
    tear_check(world);
    sn_world_destroy(world);
    assert_memory_clean(&memory);
    return failed;
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint32_t sweep = 0; sweep < 2; ++sweep)
        for (uint64_t at = 1; cut_with_little_memory(sweep, at);)
            ++at;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plane_cuts_a_sheet_in_two),
        cmocka_unit_test(test_a_cut_at_rest_strains_nothing),
        cmocka_unit_test(test_a_segment_cuts_a_slit),
        cmocka_unit_test(test_ropes_groups_and_nothing),
        cmocka_unit_test(test_anything_torn_and_cut_stays_a_mesh),
        cmocka_unit_test(test_constraints_are_told),
        cmocka_unit_test(test_cuts_are_the_same_everywhere),
        cmocka_unit_test(test_contact_with_skins_follows_cuts),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
