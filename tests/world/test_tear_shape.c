/* Groups of shape matching that tear: members leave, groups become two. */
#include "world/tear_meshes.h"

/* A bar of particles, n along x and 2 x 2 across it, in one group. */
static sn_constraint bar_add(sn_world *world, uint32_t n, sn_particles *run)
{
    sn_real xyz[3 * 256];
    uint32_t member[256];
    for (uint32_t i = 0; i < 4 * n; ++i) {
        xyz[3 * i] = real(0.1 * (i / 4));
        xyz[3 * i + 1] = real(0.1 * (i % 2));
        xyz[3 * i + 2] = real(0.1 * (i / 2 % 2));
    }
    *run = sn_particles_add(world, 4 * n, xyz, 0, real(0.5));
    for (uint32_t i = 0; i < 4 * n; ++i)
        member[i] = sn_particles_at(*run, i).index;
    const sn_constraint group = sn_constraint_add_shape_match(world, SN_KIND_SHAPE_MATCH, 4 * n, member, real(0.5));
    assert_true(sn_constraint_is_valid(world, group));
    return group;
}

static sn_constraints run_of(sn_constraint c)
{
    return (sn_constraints){c.kind, c.index, 1, c.generation};
}

static sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = threads;
    return support_world_from(&def);
}

static void set_strength(sn_world *world, sn_constraint group, double strain)
{
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(strain);
    assert_ok(world, sn_constraints_set_tear(world, run_of(group), &def));
}

/* One that is pulled out leaves alone; the others stay a group. */
static void test_a_member_that_is_pulled_out_leaves(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_particles run;
    const sn_constraint group = bar_add(world, 4, &run);
    set_strength(world, group, 0.5);
    uint32_t left = 0;
    for (uint32_t frame = 1; frame <= 60; ++frame) {
        uint32_t count;
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 15), vec(0.3, 0.1 + 0.02 * frame, 0.1)));
        if (frame == 1)
            for (uint32_t i = 0; i < 4; ++i)
                assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, i), SN_IMMOVABLE));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i, ++left) {
            assert_int_equal(tear[i].type, SN_TEAR_LEAVE);
            assert_int_equal(tear[i].particle.index, run.first + 15);
            assert_int_equal(tear[i].constraint.index, group.index);
            assert_int_equal(tear[i].formed.generation, 0);
            assert_true((double)tear[i].strain > 0.5);
        }
    }
    assert_int_equal(left, 1);
    assert_true(sn_constraint_is_valid(world, group));
    assert_int_equal(sn_constraint_point_count(world, group), 15);
    /* the others are where they were */
    support_run(world, 60, 1.0 / 60);
    for (uint32_t i = 0; i < 15; ++i)
        assert_close(sn_particle_position(world, sn_particles_at(run, i)).x, 0.1 * (i / 4), 0.02);
    sn_world_destroy(world);
}

/* A bar whose end is torn away becomes two groups, and each keeps its shape. The same on threads, and after loading. */
static void test_a_bar_becomes_two_groups(void **state)
{
    (void)state;
    sn_world *world[3];
    sn_particles run;
    sn_constraint group = {0}, formed = {0};
    for (uint32_t w = 0; w < 3; ++w) {
        world[w] = make_world(w == 1 ? 3 : 1);
        group = bar_add(world[w], 10, &run);
        set_strength(world[w], group, 0.3);
        for (uint32_t i = 0; i < 4; ++i)
            assert_ok(world[w], sn_particle_set_mass(world[w], sn_particles_at(run, i), SN_IMMOVABLE));
    }
    const double mass = tear_sum(world[0]).mass;
    for (uint32_t frame = 0; frame < 60; ++frame) {
        for (uint32_t w = 0; w < 3; ++w) {
            if (w == 2) {
                sn_snapshot *now = sn_world_save(world[2]);
                assert_ok(world[2], sn_world_load(world[2], now));
                sn_snapshot_destroy(now);
            }
            for (uint32_t i = 36; i < 40; ++i)
                assert_ok(world[w], sn_particle_move_to(world[w], sn_particles_at(run, i),
                                                        vec(0.9 + 0.03 * frame, 0.1 * (i % 2), 0.1 * (i / 2 % 2))));
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
        }
        uint32_t count;
        const sn_tear *tear = sn_world_tears(world[0], &count);
        for (uint32_t i = 0; i < count; ++i)
            formed = tear[i].formed.generation ? tear[i].formed : formed;
        assert_same_world(world[0], world[1]);
        assert_same_world(world[0], world[2]);
    }
    assert_true(formed.generation && sn_constraint_is_valid(world[0], formed));
    sn_tear_def def;
    assert_ok(world[0], sn_constraint_read_tear(world[0], formed, &def));
    assert_close(def.strain, 0.3, 1e-6);
    assert_true(sn_constraint_is_valid(world[0], group));
    const uint32_t points = sn_constraint_point_count(world[0], formed);
    print_message("groups of %u and %u\n", sn_constraint_point_count(world[0], group), points);
    assert_true(points >= 4 && sn_constraint_point_count(world[0], group) >= 4);
    assert_close(tear_sum(world[0]).mass, mass, 1e-12);
    /* the end has flown away, and is as long as it was */
    const sn_vec3 a = sn_particle_position(world[0], sn_particles_at(run, 39)),
                  b = sn_particle_position(world[0], sn_particles_at(run, 35));
    assert_true((double)a.x > 2);
    assert_close((double)a.x - (double)b.x, 0.1, 0.05);
    for (uint32_t w = 0; w < 3; ++w)
        sn_world_destroy(world[w]);
}

/* A group that has too few members left is gone, and told as broken. What makes no sense is refused. */
static void test_small_groups_go_and_nonsense_is_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_particles run;
    sn_constraint group = bar_add(world, 1, &run);
    const uint64_t before = sn_world_hash(world);
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(-1);
    assert_int_equal(sn_constraints_set_tear(world, run_of(group), &def), SN_ERROR_ARGUMENT);
    def.strain = 0, def.force = 3;
    assert_int_equal(sn_constraints_set_tear(world, run_of(group), &def), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_hash(world), before);
    set_strength(world, group, 0.2);
    uint32_t broken = 0, leave = 0;
    for (uint32_t i = 0; i < 5; ++i) {
        uint32_t count;
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 0), vec(0, 0, 0)));
        assert_ok(world, sn_particle_move_to(world, sn_particles_at(run, 3), vec(0, 0.1 + 0.05 * i, 0.1 + 0.05 * i)));
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t k = 0; k < count; ++k)
            broken += tear[k].type == SN_TEAR_BREAK, leave += tear[k].type == SN_TEAR_LEAVE;
    }
    assert_int_equal(broken, 1);
    assert_true(leave >= 1);
    assert_false(sn_constraint_is_valid(world, group));
    sn_world_destroy(world);
}

static sn_cut_info cut_across(sn_world *world, double x, double from, double to)
{
    sn_cut_def cut = sn_default_cut_def();
    cut.a = vec(x, from, -1), cut.b = vec(x, from, 1), cut.to_a = vec(x, to, -1), cut.to_b = vec(x, to, 1);
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &cut, &info));
    return info;
}

/* Whether members first .. end - 1 of the run are all where a group holds them: pulled at the first, all follow. */
static void assert_follow(sn_world *world, sn_particles run, uint32_t first, uint32_t end, bool follow)
{
    for (uint32_t i = first; i < end; ++i)
        assert_int_equal(fabs((double)sn_particle_velocity(world, sn_particles_at(run, i)).y) > 0.05, follow);
}

/* A blade parts a bar into two groups of their own; swept frame by frame as well as at once, on threads, and saved between. */
static void test_a_blade_parts_a_bar(void **state)
{
    (void)state;
    uint64_t hash[4];
    for (uint32_t way = 0; way < 4; ++way) { /* at once; in slices; on threads; and saved between */
        sn_world *world = make_world(way == 2 ? 3 : 1);
        sn_particles run;
        const sn_constraint group = bar_add(world, 8, &run);
        const uint32_t slices = way ? 5 : 1;
        uint32_t left = 0;
        assert_int_equal(cut_across(world, 5, -1, 1).left, 0); /* beside it */
        for (uint32_t i = 0; i < slices; ++i) {
            left += cut_across(world, 0.25, -0.21 + 0.6 * i / slices, -0.21 + 0.6 * (i + 1) / slices).left;
            assert_true(left == 0 || left == 12);
            if (way == 3) {
                sn_snapshot *now = sn_world_save(world);
                assert_int_equal(cut_across(world, 0.45, -1, 1).left > 0, true); /* and back */
                assert_ok(world, sn_world_load(world, now));
                sn_snapshot_destroy(now);
            }
        }
        assert_int_equal(left, 12);
        assert_int_equal(sn_constraint_point_count(world, group), 20);
        uint32_t count;
        const sn_tear *tear = sn_world_tears(world, &count);
        if (way != 3) { /* a load forgets events */
            assert_int_equal(count, 12);
            assert_true(tear[0].cut && tear[0].type == SN_TEAR_LEAVE);
            assert_int_equal(sn_constraint_point_count(world, tear[0].formed), 12);
        }
        assert_int_equal(cut_across(world, 0.25, -1, 1).left, 0); /* there is nothing left to cut */
        assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(run, 0), vec(0, 12, 0)));
        support_run(world, 1, 1.0 / 60);
        assert_follow(world, run, 0, 12, true);
        assert_follow(world, run, 12, 32, false);
        hash[way] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_int_equal(hash[2], hash[1]);
    assert_int_equal(hash[3], hash[1]);
}

/* Slits that leave a bar whole, and then a cut along it that parts all at once: many groups, in the room that was asked for. The request for memory with this number fails
   in the last cut, and then nothing has changed. */
static bool cut_into_many(uint64_t at)
{
    enum { LONG = 60, PARTS = LONG / 2 };
    support_memory memory = {0};
    sn_world_def def = support_scarce(&memory);
    sn_world *world = support_world_from(&def);
    sn_particles run;
    set_strength(world, bar_add(world, LONG, &run), 100);
    for (uint32_t i = 1; i < PARTS; ++i) /* up to half of its height */
        assert_int_equal(cut_across(world, 0.2 * i - 0.05, -0.4, 0.05).left, 0);
    sn_cut_def cut = sn_default_cut_def();
    cut.blade = SN_BLADE_PLANE, cut.a = vec(0, 0.05, 0), cut.b = vec(0, 1, 0);
    sn_cut_info info;
    const uint64_t before = sn_world_hash(world);
    memory.fail_at = memory.requests + at;
    const bool out = ran_out(world, before, sn_world_cut(world, &cut, &info)), failed = memory.failures > 0;
    memory.fail_at = 0;
    if (out)
        assert_ok(world, sn_world_cut(world, &cut, &info));
    assert_int_equal(info.left, 2 * LONG);
    assert_int_equal(sn_world_constraint_count(world, SN_KIND_NONE), 1 + PARTS);
    for (uint32_t i = 0; i < 3; ++i)
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    sn_world_destroy(world);
    assert_memory_clean(&memory);
    return failed;
}

static void test_a_cut_makes_many_groups(void **state)
{
    (void)state;
    for (uint64_t at = 1; cut_into_many(at);)
        ++at;
}

static bool refuse(void *context, const sn_tear *tear)
{
    (void)context, (void)tear;
    return false;
}

/* Small parts are loose; a function may refuse; and only the group of particles that is asked for is cut. */
static void test_blades_and_what_stays(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_particles run;
    const sn_constraint group = bar_add(world, 3, &run);
    sn_cut_def cut = sn_default_cut_def();
    cut.blade = SN_BLADE_PLANE, cut.a = vec(0.05, 0, 0), cut.b = vec(1, 0, 0), cut.one_group = true, cut.group = 7;
    sn_cut_info info;
    assert_ok(world, sn_world_cut(world, &cut, &info));
    assert_int_equal(info.left, 0);
    cut.one_group = false;
    assert_ok(world, sn_world_set_tear_function(world, refuse, NULL));
    assert_ok(world, sn_world_cut(world, &cut, &info));
    assert_int_equal(info.left, 0);
    assert_int_equal(sn_constraint_point_count(world, group), 12);
    assert_ok(world, sn_world_set_tear_function(world, NULL, NULL));
    cut.a = vec(0, 0.08, 0.08), cut.b = vec(0, 1, 1); /* an edge of the bar: three of its members */
    assert_ok(world, sn_world_cut(world, &cut, &info));
    assert_int_equal(info.left, 3);
    assert_int_equal(sn_constraint_point_count(world, group), 9);
    sn_world_destroy(world);
}

/* Joints between bodies part where a blade passes between their centres. */
static void test_blades_part_joints(void **state)
{
    (void)state;
    sn_world *world = make_world(1);
    sn_body body[3];
    sn_constraint joint[2];
    for (uint32_t i = 0; i < 3; ++i) {
        sn_body_def def = sn_default_body_def();
        const sn_shape_def shape = {.type = SN_SHAPE_SPHERE, .radius = real(0.1), .rotation = {0, 0, 0, 1}};
        def.shapes = &shape, def.shape_count = 1, def.position = vec(i, 0, 0);
        assert_ok(world, sn_body_add(world, &def, &body[i]));
        if (i)
            joint[i - 1] = sn_joint_add_ball(world, body[i - 1], body[i], vec(i - 0.5, 0, 0));
    }
    assert_int_equal(cut_across(world, 0.7, 1, 2).removed, 0); /* above it */
    assert_int_equal(cut_across(world, 0.7, -1, 1).removed, 1);
    assert_false(sn_constraint_is_valid(world, joint[0]));
    assert_true(sn_constraint_is_valid(world, joint[1]));
    uint32_t count;
    const sn_tear *tear = sn_world_tears(world, &count);
    assert_int_equal(count, 1);
    assert_true(tear[0].cut && tear[0].type == SN_TEAR_BREAK && tear[0].constraint.index == joint[0].index);
    assert_int_equal(cut_across(world, 0.7, -1, 1).removed, 0);
    sn_world_destroy(world);
}

/* A skin around a bar of n: four sides and two ends. */
static sn_skin wrap(sn_world *world, sn_particles run, uint32_t n, bool collides)
{
    static const uint32_t ring[5] = {0, 1, 3, 2, 0};
    uint32_t triangle[3 * 256], count = 0;
    for (uint32_t i = 0; i < 4 * (n - 1); ++i) {
        const uint32_t at = run.first + i / 4 * 4, a = at + ring[i % 4], b = at + ring[i % 4 + 1];
        const uint32_t two[6] = {a, b, b + 4, a, b + 4, a + 4};
        memcpy(triangle + 3 * count, two, sizeof two), count += 2;
    }
    for (uint32_t k = 0; k < 2; ++k) {
        const uint32_t at = run.first + k * 4 * (n - 1), one = at + 2 - k, other = at + 1 + k;
        const uint32_t two[6] = {at, one, at + 3, at, at + 3, other};
        memcpy(triangle + 3 * count, two, sizeof two), count += 2;
    }
    sn_skin_def def = sn_default_skin_def();
    sn_skin skin;
    def.triangles = triangle, def.triangle_count = count, def.thickness = real(0.01), def.self_collision = collides;
    assert_ok(world, sn_skin_add(world, &def, &skin));
    return skin;
}

/* No triangle spans members of which no group holds all, and all others are there: so many. */
static void assert_skin(sn_world *world, sn_skin skin, sn_particles run, uint32_t before, uint32_t count)
{
    uint32_t triangles;
    const uint32_t *corner = sn_skin_triangles(world, skin, &triangles);
    assert_int_equal(triangles, count);
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
        assert_true(corner[i] - run.first < run.count);
        assert_int_equal(corner[i] - run.first < before, corner[i / 3 * 3] - run.first < before);
    }
}

/* A skin around a soft body is cut with it: what spans the cut goes, and is open there. Swept, on threads, saved between; a plain skin, and one that collides with itself. */
static void test_a_skin_is_cut_with_its_body(void **state)
{
    (void)state;
    for (uint32_t collides = 0; collides < 2; ++collides) {
        uint64_t hash[3];
        for (uint32_t way = 0; way < 3; ++way) {
            sn_world *world = make_world(way == 1 ? 3 : 1);
            sn_particles run;
            bar_add(world, 8, &run);
            const sn_skin skin = wrap(world, run, 8, collides);
            const uint64_t topology = sn_world_topology(world);
            assert_ok(world, sn_world_set_tear_function(world, refuse, NULL));
            cut_across(world, 0.25, -1, 1);
            assert_ok(world, sn_world_set_tear_function(world, NULL, NULL));
            assert_skin(world, skin, run, 0, 60);
            assert_int_equal(sn_world_topology(world), topology);
            cut_across(world, 0.25, -0.21, 0.05);
            assert_skin(world, skin, run, 0, 60); /* half through it hangs together */
            support_run(world, 2, 1.0 / 60);
            if (way == 2) {
                sn_snapshot *now = sn_world_save(world);
                sn_world_destroy(world);
                world = make_world(1);
                assert_ok(world, sn_world_load(world, now));
                sn_snapshot_destroy(now);
            }
            assert_int_equal(cut_across(world, 0.25, 0.05, 0.4).left, 12);
            assert_skin(world, skin, run, 12, 52);
            assert_true(sn_world_topology(world) > topology);
            for (uint32_t i = 0; i < 12; ++i)
                assert_ok(world, sn_particle_set_velocity(world, sn_particles_at(run, i), vec(-2, 1, 0)));
            support_run(world, 30, 1.0 / 60);
            assert_close(sn_particle_position(world, sn_particles_at(run, 31)).y, 0.1, 0.02); /* left behind */
            assert_int_equal(cut_across(world, 0.55, -1, 1).left, 8);
            assert_skin(world, skin, run, 12, 44);
            uint32_t count;
            const sn_tear *tear = sn_world_tears(world, &count); /* of the end that left, each of its members */
            assert_int_equal(count, 8);
            for (uint32_t i = 0; i < 8; ++i)
                assert_int_equal(tear[i].particle.index, run.first + 24 + i);
            hash[way] = sn_world_hash(world);
            sn_world_destroy(world);
        }
        assert_int_equal(hash[1], hash[0]);
        assert_int_equal(hash[2], hash[0]);
    }
}

/* The same, in a cut that inserts triangles into another skin. */
static void test_a_skin_is_cut_beside_others(void **state)
{
    (void)state;
    uint32_t left[3];
    for (uint32_t order = 0; order < 3; ++order) { /* alone; with cloth before it, and behind it */
        support_memory memory = {0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        sn_particles run;
        sn_skin skin = {0};
        for (uint32_t i = 0; i < 2; ++i) {
            if (i == (order == 2))
                bar_add(world, 6, &run), skin = wrap(world, run, 6, false);
            else if (order)
                tear_sheet_add(world, 20, 20, 0.03, 0.01, 1e-4, 0, 1);
        }
        cut_across(world, 0.25, -2, 2);
        sn_skin_triangles(world, skin, &left[order]);
        assert_int_equal(left[order], left[0]);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        sn_world_destroy(world);
        assert_memory_clean(&memory);
    }
}

/* And torn with it; in the same steps a sheet tears, too. A member that is loose has no triangles. */
static void test_a_skin_tears_with_its_body(void **state)
{
    (void)state;
    sn_world *world[2];
    sn_particles run;
    sn_skin skin = {0};
    uint32_t tears = 0, splits = 0, corners;
    for (uint32_t w = 0; w < 2; ++w) {
        world[w] = make_world(w ? 3 : 1);
        const sn_constraint group = bar_add(world[w], 10, &run);
        set_strength(world[w], group, 0.3);
        skin = wrap(world[w], run, 10, false);
        const tear_sheet s = tear_sheet_add(world[w], 6, 6, 0.1, 0.1, 1e-4, 0, 1);
        sn_tear_def tear = sn_default_tear_def();
        tear.strain = real(0.1);
        assert_ok(world[w], sn_skin_set_tear(world[w], s.skin, &tear));
        for (uint32_t i = 0; i < s.run.count; ++i) {
            const sn_particle p = sn_particles_at(s.run, i);
            const sn_vec3 x = sn_particle_position(world[w], p);
            assert_ok(world[w], sn_particle_set_position(world[w], p, vec((double)x.x, (double)x.y + 2, 0)));
            assert_ok(world[w], sn_particle_set_velocity(world[w], p, vec(0, 40 * (double)x.y, 0)));
        }
        for (uint32_t i = 0; i < 4; ++i)
            assert_ok(world[w], sn_particle_set_mass(world[w], sn_particles_at(run, i), SN_IMMOVABLE));
    }
    for (uint32_t frame = 0; frame < 60; ++frame) {
        for (uint32_t w = 0; w < 2; ++w) {
            for (uint32_t i = 36; i < 40; ++i)
                assert_ok(world[w], sn_particle_move_to(world[w], sn_particles_at(run, i),
                                                        vec(0.9 + 0.03 * frame, 0.1 * (i % 2), 0.1 * (i / 2 % 2))));
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
        }
        uint32_t count;
        const sn_tear *tear = sn_world_tears(world[0], &count);
        for (uint32_t i = 0; i < count; ++i)
            tears += tear[i].type == SN_TEAR_LEAVE, splits += tear[i].type == SN_TEAR_SPLIT;
        assert_same_world(world[0], world[1]);
        tear_check(world[0]);
    }
    assert_true(tears >= 4 && splits > 0);
    const uint32_t *corner = sn_skin_triangles(world[0], skin, &corners);
    assert_true(corners < 76 && corners > 40);
    for (uint32_t i = 0; i < corners; ++i) { /* none is drawn out across the tear */
        const sn_vec3 a = sn_particle_position(world[0], sn_particle_from_index(world[0], corner[3 * i])),
                      b = sn_particle_position(world[0], sn_particle_from_index(world[0], corner[3 * i + 1])),
                      c = sn_particle_position(world[0], sn_particle_from_index(world[0], corner[3 * i + 2]));
        assert_close(a.x, b.x, 0.3);
        assert_close(a.x, c.x, 0.3);
    }
    for (uint32_t w = 0; w < 2; ++w)
        sn_world_destroy(world[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_member_that_is_pulled_out_leaves),
        cmocka_unit_test(test_a_bar_becomes_two_groups),
        cmocka_unit_test(test_small_groups_go_and_nonsense_is_refused),
        cmocka_unit_test(test_a_blade_parts_a_bar),
        cmocka_unit_test(test_a_cut_makes_many_groups),
        cmocka_unit_test(test_blades_and_what_stays),
        cmocka_unit_test(test_blades_part_joints),
        cmocka_unit_test(test_a_skin_is_cut_with_its_body),
        cmocka_unit_test(test_a_skin_is_cut_beside_others),
        cmocka_unit_test(test_a_skin_tears_with_its_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
