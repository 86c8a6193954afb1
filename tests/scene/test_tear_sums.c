/* Everything that comes apart, at default settings: mass, momentum, angular momentum and energy through all of its tears; and the same bits on threads, one by one instead of in lanes, and
   saved and loaded while it tears. Things are free and fly apart. A step
   that tears is taken again with a function that refuses all tears: the difference is what the tears did. */
#include "scene_fixture.h"

#define FRAMES 24u

typedef struct thing {
    const char *name, *text;
    double faster; /* 1/s: velocity by distance from the middle */
    bool whole;    /* a blade leaves it so */
} thing;

#define FREE(objects) "{'world': {'gravity': [0, 0, 0]}, 'objects': [" objects "]"

#define BODY "{'shapes': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, "
#define JOINTS                                                                                                         \
    "{'world': {'gravity': [0, 0, 0]}, 'bodies': [" BODY                                                               \
    "'name': 'a', 'mass': 2, 'velocity': [-2, 0.3, 1], 'spin': [3, 1, 4]}, " BODY                                      \
    "'name': 'b', 'mass': 1, 'position': [0.3, 0, 0], 'velocity': [4, 2, 0], 'spin': [-3, 1, 2]}, " BODY               \
    "'name': 'c', 'mass': 3, 'position': [0.6, 0, 0], 'velocity': [1, -3, 2]}], 'constraints': ["                      \
    "{'kind': 'joint_ball', 'bodies': ['a', 'b'], 'anchor': [0.15, 0, 0], 'strength': 200}, "                          \
    "{'kind': 'joint_fixed', 'bodies': ['b', 'c'], 'anchor': [0.45, 0, 0], 'torque_strength': 30}]}"

static const thing things[] = {
    {"cloth, by strain",
     FREE("{'type': 'cloth', 'name': 'a', 'columns': 13, 'rows': 11, 'material': {'stretch': 1e-4, 'tear_strain': "
          "0.1, "
          "'tear_spread': 0.3}}") "}",
     40, false},
    {"cloth, by force",
     FREE("{'type': 'cloth', 'name': 'a', 'columns': 13, 'rows': 11, 'material': {'stretch': 1e-4, 'bend': 10, "
          "'tear_force': 3}}") "}",
     40, false},
    {"cloth that collides with itself",
     FREE("{'type': 'cloth', 'name': 'a', 'columns': 11, 'rows': 11, 'skin': {'thickness': 0.004, "
          "'self_collision': "
          "true}, 'material': {'stretch': 1e-4, 'tear_strain': 0.04}}") "}",
     150, false},
    {"a large stiff cloth, with limits",
     FREE("{'type': 'cloth', 'name': 'a', 'columns': 25, 'rows': 25, 'material': {'tear_strain': 0.05}}") "}", 40,
     false},
    {"a rope",
     FREE("{'type': 'rope', 'name': 'a', 'from': [0, 0, 0], 'to': [2, 0.3, 0], 'segments': 30, 'material': {'stretch': "
          "1e-3, 'bend': "
          "0.01, 'tear_strain': 0.1, 'tear_spread': 0.5}}") "}",
     40, false},
    {"a net",
     FREE("{'type': 'net', 'name': 'a', 'columns': 9, 'rows': 8, 'material': {'tear_force': 20, 'tear_spread': "
          "0.5}}") "}",
     40, false},
    {"a block of tetrahedra",
     FREE("{'type': 'block', 'name': 'a', 'columns': 6, 'rows': 4, 'layers': 4, 'material': {'stretch': 1e-5, "
          "'tear_strain': 0.03, 'tear_spread': 0.3}}") "}",
     300, false},
    {"a lattice",
     FREE("{'type': 'lattice', 'name': 'a', 'columns': 6, 'rows': 4, 'layers': 3, 'material': {'stretch': "
          "1e-5, 'tear_strain': 0.01, 'tear_spread': 0.3}}") "}",
     300, false},
    {"a soft body of shape matching",
     FREE("{'type': 'jelly', 'name': 'a', 'columns': 7, 'rows': 3, 'layers': 3, 'firmness': 0.02, 'material': "
          "{'tear_strain': 0.05}}") "}",
     150, true},
    {"cloth beside a soft body whose skin loses triangles",
     FREE("{'type': 'jelly', 'name': 'a', 'columns': 7, 'rows': 3, 'layers': 3, 'firmness': 0.02, 'skin': "
          "{'thickness': 0.004}, 'material': {'tear_strain': 0.05}}, {'type': 'cloth', 'name': 'b', 'columns': 5, "
          "'rows': 5, 'material': {'stretch': 1e-4, 'tear_strain': 0.1}}, {'type': 'cloth', 'name': 'c', 'columns': "
          "5, 'rows': 5}, {'type': 'cloth', 'name': 'd', 'columns': 5, 'rows': 5, 'material': {'stretch': 1e-4, "
          "'tear_strain': 0.1}}") "}",
     100, false},
    {"attachments, and a seam",
     FREE("{'type': 'cloth', 'name': 'a', 'columns': 7, 'rows': 7}, {'type': 'cloth', 'name': 'b', 'columns': 7, "
          "'rows': 7, 'position': [1.2, 0, 0]}, {'type': 'box', 'name': 'c', 'mass': 2, 'width': 0.2, 'height': 0.2, "
          "'depth': 0.2, 'position': [0, -1, 0.3]}") ", 'attachments': [{'between': ['a.right', 'b.left'], "
                                                     "'tear_force': 8}, {'between': ['a.bottom[2]', "
                                                     "'c.top_left_front'], 'tear_force': 5}]}",
     40, false},
    {"joints", JOINTS, 0, true},
};

/* Velocities away from the middle, a turn, and what a seed adds. */
static void fling(const fixture *f, double faster, uint64_t seed)
{
    const sn_object *object;
    for (uint32_t n = 0; faster > 0 && (object = sn_scene_object(f->scene, n)); ++n)
        for (uint32_t i = 0; i < object->run.count; ++i) {
            const sn_particle p = sn_particles_at(object->run, i);
            const sn_vec3 x = sn_particle_position(f->world, p);
            const double off[3] = {support_random_in(&seed, -1, 1), support_random_in(&seed, -1, 1),
                                   support_random_in(&seed, -1, 1)};
            assert_ok(f->world, sn_particle_set_velocity(f->world, p,
                                                         vec(faster * (double)x.x - 3 * (double)x.y + off[0],
                                                             faster * (double)x.y + 3 * (double)x.x + off[1],
                                                             faster * (double)x.z + off[2])));
        }
}

static sn_world *another(const sn_snapshot *saved, uint32_t threads, sn_simd simd)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.threads = threads;
    def.simd = simd;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    assert_ok(world, sn_world_load(world, saved));
    return world;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

typedef struct sums {
    double mass, momentum[3], turning[3], kinetic, elastic;
} sums;

static sums sum(sn_world *world)
{
    sn_report r;
    assert_ok(world, sn_world_report(world, &r));
    sums s = {.mass = r.mass, .kinetic = r.kinetic, .elastic = r.elastic};
    memcpy(s.momentum, r.momentum, sizeof s.momentum);
    memcpy(s.turning, r.angular_momentum, sizeof s.turning);
    return s;
}

/* By the momentum of all if it went one way, 1 m from the middle. A vertex whose parts are set apart is rounded to places again. */
#define ROUNDING 1e-7

/* What a tear did, beside the same step in which nothing was allowed to tear. calmed: of the kinetic energy, what may be gone. */
static void check_kept(const char *name, const sums *whole, const sums *torn, double released, double calmed)
{
    const double scale = sqrt(2 * whole->kinetic * whole->mass);
    double off[3], turned[3];
    for (int k = 0; k < 3; ++k) {
        off[k] = torn->momentum[k] - whole->momentum[k];
        turned[k] = torn->turning[k] - whole->turning[k];
    }
    if (!(fabs(torn->mass - whole->mass) <= 1e-12 * whole->mass) || !(length(off) <= ROUNDING * scale) ||
        !(length(turned) <= ROUNDING * scale) || !(torn->kinetic <= whole->kinetic * (1 + ROUNDING)) ||
        !(torn->kinetic >= whole->kinetic * (1 - calmed)) ||
        !(fabs(torn->elastic + released - whole->elastic) <= 1e-5 * (whole->elastic + whole->kinetic)))
        fail_msg("%s: mass off by %g, momentum by %g, angular momentum by %g, of 1; kinetic energy %g of %g J; elastic "
                 "%g and %g released of %g J",
                 name, torn->mass / whole->mass - 1, length(off) / scale, length(turned) / scale, torn->kinetic,
                 whole->kinetic, torn->elastic, released, whole->elastic);
}

static bool refuse(void *context, const sn_tear *tear)
{
    (void)tear;
    ++*(uint32_t *)context;
    return false;
}

/* The sums after a step in which everything holds. */
static sums sum_of_whole(const sn_snapshot *before, uint32_t *asked)
{
    sn_world *world = another(before, 1, SN_SIMD_AUTO);
    uint32_t tears;
    assert_ok(world, sn_world_set_tear_function(world, refuse, asked));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    sn_world_tears(world, &tears);
    assert_int_equal(tears, 0);
    const sums s = sum(world);
    sn_world_destroy(world);
    return s;
}

enum { THREADS_2, THREADS_8, ONE_BY_ONE, LOADED, WORLDS };

static uint32_t run_thing(const thing *t, uint64_t seed)
{
    fixture f = fixture_try(t->text, NULL);
    if (!f.scene)
        fixture_print(&f.problems);
    assert_non_null(f.scene);
    fling(&f, t->faster, seed);
    sn_snapshot *saved = sn_world_save(f.world);
    sn_world *world[WORLDS] = {another(saved, 2, SN_SIMD_AUTO), another(saved, 8, SN_SIMD_AUTO),
                               another(saved, 1, SN_SIMD_SCALAR), another(saved, 1, SN_SIMD_AUTO)};
    sn_snapshot_destroy(saved);
    const double kinetic = sum(f.world).kinetic;
    uint32_t tears = 0;
    for (uint32_t frame = 0; frame < FRAMES; ++frame) {
        uint32_t count, asked = 0;
        double released = 0;
        sn_snapshot *before = sn_world_save(f.world);
        assert_ok(f.world, sn_world_step(f.world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(f.world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_true(tear[i].released >= 0);
            released += (double)tear[i].released;
        }
        const sums torn = sum(f.world);
        assert_true(torn.kinetic <= kinetic * (1 + 1e-5)); /* all that there ever is */
        if (count) {
            const sums whole = sum_of_whole(before, &asked);
            assert_true(asked > 0);
            check_kept(t->name, &whole, &torn, released, ROUNDING);
        }
        tears += count;
        sn_snapshot_destroy(before);
        if (frame % 3 == 1) {
            sn_snapshot *now = sn_world_save(world[LOADED]);
            sn_world_destroy(world[LOADED]);
            world[LOADED] = another(now, 3, SN_SIMD_AUTO);
            sn_snapshot_destroy(now);
        }
        for (uint32_t w = 0; w < WORLDS; ++w) {
            assert_ok(world[w], sn_world_step(world[w], real(1.0 / 60)));
            assert_int_equal(sn_world_hash(world[w]), sn_world_hash(f.world));
        }
    }
    for (uint32_t w = 0; w < WORLDS; ++w)
        sn_world_destroy(world[w]);
    fixture_close(&f);
    return tears;
}

static void test_sums_stay_and_bits_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        uint32_t tears = 0;
        for (uint64_t seed = 1; seed <= support_long(20, 1); ++seed)
            tears += run_thing(&things[i], seed);
        print_message("%s: %u tears\n", things[i].name, tears);
        assert_true(tears > 0);
    }
}

/* The same for a blade: through what is strained, at random. */
static void test_cuts_keep_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        uint32_t parted = 0;
        for (uint64_t seed = 1; seed <= support_long(40, 3); ++seed) {
            uint64_t random = seed;
            fixture f = fixture_try(things[i].text, NULL);
            assert_non_null(f.scene);
            fling(&f, 0.2 * things[i].faster, seed);
            assert_ok(f.world, sn_world_step(f.world, real(1.0 / 60)));
            sn_cut_def def = sn_default_cut_def();
            sn_cut_info info;
            def.blade = SN_BLADE_PLANE;
            def.a = vec(support_random_in(&random, -0.1, 0.3), support_random_in(&random, -0.1, 0.1), 0);
            def.b = vec(1, support_random_in(&random, -0.8, 0.8), support_random_in(&random, -0.3, 0.3));
            const sums whole = sum(f.world);
            assert_ok(f.world, sn_world_cut(f.world, &def, &info));
            const sums cut = sum(f.world);
            parted += info.split + info.removed > 0;
            check_kept(things[i].name, &whole, &cut, (double)info.released, 0.01); /* a new vertex moves as the edge */
            fixture_close(&f);
        }
        print_message("%s: %u cuts\n", things[i].name, parted);
        assert_true(things[i].whole == (parted == 0));
    }
}

/* One frame: a blade goes through it in pieces, frame by frame, and then it steps. */
static void slice_and_step(sn_world *world, uint32_t frame)
{
    sn_cut_def def = sn_default_cut_def();
    const double x = -0.6 + 0.12 * frame;
    def.a = vec(x, -1, -1), def.b = vec(x, -1, 1), def.to_a = vec(x + 0.12, 1, -1), def.to_b = vec(x + 0.12, 1, 1);
    if (frame % 2 == 0 && frame < 12)
        assert_ok(world, sn_world_cut(world, &def, NULL));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
}

/* Recorded while it tears and is cut, and taken back again and again: what follows has the same bits and the same events, and so it is in a world with other threads that goes back to
   records of the first. */
static void test_rewound_through_tears_and_cuts(void **state)
{
    (void)state;
    enum { END = 16 };
    for (size_t i = 0; i < COUNT_OF(things); ++i) {
        fixture f = fixture_try(things[i].text, NULL);
        assert_non_null(f.scene);
        fling(&f, 0.5 * things[i].faster, 5);
        sn_snapshot *one = sn_world_save(f.world);
        sn_rewind *past = sn_rewind_create(f.world, 8 * END * sn_snapshot_size(one));
        sn_world *other = another(one, 4, SN_SIMD_SCALAR);
        assert_non_null(past);
        sn_snapshot_destroy(one);
        uint64_t hash[END + 1], random = 3;
        uint32_t tears[END + 1] = {0}, total = 0;
        for (uint32_t frame = 0; frame < END; ++frame) {
            hash[frame] = sn_world_hash(f.world);
            assert_ok(f.world, sn_rewind_record(past, f.world));
            slice_and_step(f.world, frame);
            sn_world_tears(f.world, &tears[frame + 1]);
            total += tears[frame + 1];
        }
        hash[END] = sn_world_hash(f.world);
        assert_true(total > 0);
        uint32_t frame = END - 1; /* of the newest record */
        for (uint32_t round = 0; round < support_long(12, 3); ++round) {
            sn_world *world = round % 3 == 2 ? other : f.world;
            const uint32_t ago = support_random_below(&random, frame + 1);
            assert_ok(world, sn_rewind_back(past, world, ago));
            frame -= ago;
            assert_int_equal(sn_world_hash(world), hash[frame]);
            for (uint32_t now = frame; now < END; ++now) {
                uint32_t count;
                if (now > frame)
                    assert_ok(world, sn_rewind_record(past, world));
                slice_and_step(world, now);
                sn_world_tears(world, &count);
                assert_int_equal(count, tears[now + 1]);
                assert_int_equal(sn_world_hash(world), hash[now + 1]);
            }
            frame = END - 1;
            assert_int_equal(sn_rewind_count(past), END);
        }
        print_message("%s: %u tears, again and again\n", things[i].name, total);
        sn_rewind_destroy(past);
        sn_world_destroy(other);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums_stay_and_bits_are_the_same),
                                       cmocka_unit_test(test_cuts_keep_sums),
                                       cmocka_unit_test(test_rewound_through_tears_and_cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
