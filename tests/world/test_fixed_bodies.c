/* Static and kinematic bodies, groups and the settings of contact: what is taken and what is
   refused, handles, reading back, and that all of it is state. */
#include "support/fixed.h"
#include "support/support.h"

#include "world/world.h"

#include <math.h>

#define EXACTNESS(single, twice) (sizeof(sn_real) == sizeof(float) ? (single) : (twice))

#define NOT_A_NUMBER real((double)NAN)
#define ENDLESS      real((double)INFINITY)

static sn_quat quat(double x, double y, double z, double w)
{
    return (sn_quat){real(x), real(y), real(z), real(w)};
}

/* ---- Definitions
 * -------------------------------------------------------------------------------------------------
 */

static const sn_vec3 cube_vertex[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t cube_index[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
static sn_real grid_sample[27];
static sn_real ball_radius = 1;

static sn_real ball(void *context, sn_vec3 p)
{
    return real(sqrt((double)p.x * (double)p.x + (double)p.y * (double)p.y + (double)p.z * (double)p.z)) -
           *(const sn_real *)context;
}

enum { PLANE, BOX, SPHERE, CAPSULE, HULL, CYLINDER, CONE, HEIGHTS, MESH, FUNCTION, SAMPLES, BAKED, SORTS };

static const sn_shape_type type_of[SORTS] = {
    [PLANE] = SN_SHAPE_PLANE, [BOX] = SN_SHAPE_BOX,           [SPHERE] = SN_SHAPE_SPHERE, [CAPSULE] = SN_SHAPE_CAPSULE,
    [HULL] = SN_SHAPE_HULL,   [CYLINDER] = SN_SHAPE_CYLINDER, [CONE] = SN_SHAPE_CONE,     [HEIGHTS] = SN_SHAPE_HEIGHTS,
    [MESH] = SN_SHAPE_MESH,   [FUNCTION] = SN_SHAPE_FIELD,    [SAMPLES] = SN_SHAPE_FIELD, [BAKED] = SN_SHAPE_FIELD,
};

static sn_real heights[6] = {0, 1, 0, 1, 0, 1};

static const sn_shape *shape_of(const sn_world *world, sn_body body)
{
    return &contact_fixed_shape(&world->contact, sn_fixed_of(world, body.index)->first_shape)->shape;
}

/* One of every sort, with nothing at its default. */
static fixed_def def_of(int sort)
{
    fixed_def def = default_fixed();
    def.type = type_of[sort];
    def.position = vec(sort, 2, 3);
    def.rotation = quat(0.5, 0.5, 0.5, 0.5);
    def.velocity = vec(1, 0, -1);
    def.spin = vec(0, 0.5, 0);
    def.half = vec(1, 2, 3);
    def.radius = real(0.75);
    def.rounding = real(0.01);
    def.material.static_friction = real(0.8);
    def.material.restitution = real(0.25);
    def.material.friction_mix = SN_MIX_MOST;
    def.category = 2;
    def.mask = 0xff;
    def.sensor = true;
    def.one_sided = true;
    def.user = 77;
    if (sort == MESH || sort == BAKED) {
        def.vertices = cube_vertex;
        def.vertex_count = 8;
        def.triangles = cube_index;
        def.triangle_count = 12;
        def.cell = sort == BAKED ? real(0.25) : 0;
    }
    if (sort == HULL) {
        def.vertices = cube_vertex;
        def.vertex_count = 8;
    }
    if (sort == HEIGHTS) {
        def.heights = heights;
        def.height_count[0] = 3;
        def.height_count[1] = 2;
        def.cell = 1;
    }
    if (sort == FUNCTION) {
        def.function = ball;
        def.context = &ball_radius;
        def.low = vec(-1, -1, -1);
        def.high = vec(1, 1, 1);
    }
    if (sort == SAMPLES) {
        for (int i = 0; i < 27; ++i)
            grid_sample[i] = i == 13 ? real(-0.5) : real(0.5);
        def.samples = grid_sample;
        for (int k = 0; k < 3; ++k)
            def.sample_count[k] = 3;
        def.low = vec(-1, -1, -1);
        def.cell = 1;
    }
    return def;
}

static sn_body add(sn_world *world, const fixed_def *def)
{
    sn_body body;
    assert_ok(world, fixed_add(world, def, &body));
    assert_true(body.generation > 0 && sn_body_is_valid(world, body));
    return body;
}

static sn_body add_sort(sn_world *world, int sort)
{
    fixed_def def = def_of(sort);
    return add(world, &def);
}

static void refuse(sn_world *world, const fixed_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    uint32_t count = fixed_count(world), data = world->contact.data_table.count;
    sn_body body = {5, 5};
    assert_result(world, SN_ERROR_ARGUMENT, fixed_add(world, def, &body));
    assert_says(sn_world_error(world), words);
    assert_true(body.index == 0 && body.generation == 0);
    assert_true(sn_world_hash(world) == hash && fixed_count(world) == count);
    assert_int_equal(world->contact.data_table.count, data);
}

/* ---- Adding, reading, removing
 * -----------------------------------------------------------------------------------
 */

static void test_defaults(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def = default_fixed(), back;
    assert_true(def.type == SN_SHAPE_PLANE && def.rotation.w == 1 && def.category == 1 && def.mask == UINT32_MAX);
    assert_true(def.half.x == real(0.5) && def.radius == real(0.5) && !def.sensor && !def.one_sided);
    assert_true(def.material.static_friction == real(0.5) && def.material.dynamic_friction == real(0.5));
    assert_ok(world, fixed_read(world, add(world, &def), &back));
    def.half = vec(0, 0, 0); /* a plane has none */
    def.radius = 0;
    assert_memory_equal(&back, &def, sizeof def);
    assert_ok(world, fixed_add(world, &def, NULL));
    assert_int_equal(fixed_count(world), 2);
    assert_int_equal(fixed_count(NULL), 0);
    sn_world_destroy(world);
}

/* What is read back is what was given, and makes the same again. */
static void test_read_back(void **state)
{
    (void)state;
    sn_world *world = support_world();
    for (int sort = 0; sort < SORTS; ++sort) {
        fixed_def def = def_of(sort), back, again;
        sn_body first = add(world, &def);
        assert_ok(world, fixed_read(world, first, &back));
        assert_true(back.type == def.type && back.user == 77 && back.sensor && back.one_sided);
        assert_true(back.category == 2 && back.mask == 0xff && back.rounding == def.rounding);
        assert_vec_same(back.position, def.position);
        assert_vec_same(back.velocity, def.velocity);
        assert_vec_same(back.spin, def.spin);
        sn_filter filter;
        sn_shape_def tidy = fixed_shape(&def, &filter);
        sn_shape_def_tidy(&tidy);
        assert_vec_same(back.half, tidy.half);
        assert_true(back.radius == tidy.radius);
        assert_true(back.rotation.x == def.rotation.x && back.rotation.w == def.rotation.w);
        assert_memory_equal(&back.material, &def.material, sizeof def.material);
        assert_int_equal(back.vertex_count, def.vertex_count);
        assert_int_equal(back.triangle_count, def.triangle_count);
        if (def.vertices) {
            assert_true(back.vertices != def.vertices);
            assert_memory_equal(back.vertices, cube_vertex, sizeof cube_vertex);
        }
        if (def.triangles) {
            assert_true(back.triangles != def.triangles);
            assert_memory_equal(back.triangles, cube_index, sizeof cube_index);
        }
        if (def.heights) {
            assert_true(back.heights != def.heights);
            assert_memory_equal(back.heights, heights, sizeof heights);
        }
        assert_true(back.function == def.function && back.context == def.context && back.cell == def.cell);
        assert_memory_equal(back.sample_count, def.sample_count, sizeof def.sample_count);
        if (def.samples) {
            assert_true(back.samples != def.samples);
            assert_memory_equal(back.samples, grid_sample, sizeof grid_sample);
        }
        uint32_t data = world->contact.data_table.count;
        sn_body second = add(world, &back);
        assert_int_equal(world->contact.data_table.count, data); /* shared */
        assert_ok(world, fixed_read(world, second, &again));
        assert_memory_equal(&again, &back, sizeof back);
    }
    assert_int_equal(world->contact.data_table.count, SORTS - MESH + 2); /* and a hull, and heights */
    sn_world_destroy(world);
}

/* Pointers in definitions of other types are not looked at, nor are numbers
 * that a type does not have. */
static void test_only_what_belongs(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def = default_fixed(), back;
    def.vertices = (const sn_vec3 *)(const void *)&def;
    def.vertex_count = 1000000;
    def.half = vec(-1, -1, -1);
    def.radius = NOT_A_NUMBER;
    def.cell = -1;
    sn_body plane = add(world, &def);
    assert_ok(world, fixed_read(world, plane, &back));
    assert_true(!back.vertices && !back.vertex_count);
    def.type = SN_SHAPE_SPHERE;
    def.radius = 1;
    add(world, &def);
    def.type = SN_SHAPE_CAPSULE;
    def.half.y = 1;
    add(world, &def);
    sn_world_destroy(world);
}

static void test_short_forms(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def;
    const double slack = EXACTNESS(1e-6, 1e-14);
    sn_body plane = sn_static_add_plane(world, vec(1, 2, 3), vec(0, 0, 4));
    assert_ok(world, fixed_read(world, plane, &def));
    assert_true(def.type == SN_SHAPE_PLANE);
    assert_vec_same(def.position, vec(1, 2, 3));
    assert_vec_close(sn_quat_rotate(def.rotation, vec(0, 1, 0)), vec(0, 0, 1), slack);
    assert_ok(world, fixed_read(world, sn_static_add_plane(world, vec(0, 0, 0), vec(0, -1, 0)), &def));
    assert_vec_same(sn_quat_rotate(def.rotation, vec(0, 1, 0)), vec(0, -1, 0));
    assert_ok(world, fixed_read(world, sn_static_add_box(world, vec(1, 2, 3), vec(4, 5, 6)), &def));
    assert_true(def.type == SN_SHAPE_BOX);
    assert_vec_same(def.half, vec(4, 5, 6));
    assert_ok(world, fixed_read(world, sn_static_add_sphere(world, vec(1, 2, 3), 7), &def));
    assert_true(def.type == SN_SHAPE_SPHERE && def.radius == 7);
    sn_vec3 a = vec(1, 2, 3), b = vec(-3, 5, 3);
    assert_ok(world, fixed_read(world, sn_static_add_capsule(world, a, b, real(0.5)), &def));
    assert_true(def.type == SN_SHAPE_CAPSULE && def.radius == real(0.5));
    assert_close(def.half.y, 2.5, slack);
    sn_pose pose = {def.position, def.rotation};
    assert_vec_close(sn_pose_to_world(&pose, vec(0, -(double)def.half.y, 0)), a, slack);
    assert_vec_close(sn_pose_to_world(&pose, vec(0, (double)def.half.y, 0)), b, slack);

    uint64_t hash = sn_world_hash(world);
    assert_true(!sn_static_add_plane(world, vec(0, 0, 0), vec(0, 0, 0)).generation);
    assert_says(sn_world_error(world), "normal (0, 0, 0) direction");
    assert_true(!sn_static_add_plane(world, vec(0, 0, 0), vec(0, (double)NAN, 0)).generation);
    assert_says(sn_world_error(world), "normal nan finite");
    assert_true(!sn_static_add_plane(world, vec(0, (double)INFINITY, 0), vec(0, 1, 0)).generation);
    assert_says(sn_world_error(world), "position inf finite");
    assert_true(!sn_static_add_box(world, vec(0, 0, 0), vec(1, 0, 1)).generation);
    assert_says(sn_world_error(world), "half.y 0 positive");
    assert_true(!sn_static_add_sphere(world, vec(0, 0, 0), -1).generation);
    assert_says(sn_world_error(world), "radius -1 positive");
    assert_true(!sn_static_add_capsule(world, a, a, 1).generation);
    assert_says(sn_world_error(world), "capsule ends apart");
    assert_true(!sn_static_add_capsule(world, a, vec(0, (double)NAN, 0), 1).generation);
    assert_says(sn_world_error(world), "capsule b nan");
    assert_true(!sn_static_add_plane(NULL, a, b).generation && !sn_static_add_box(NULL, a, b).generation);
    assert_true(!sn_static_add_sphere(NULL, a, 1).generation && !sn_static_add_capsule(NULL, a, b, 1).generation);
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

static void expect_stale(sn_world *world, sn_body body, const char *words)
{
    fixed_def def = default_fixed(), before = def;
    sn_contact_material material = sn_default_contact_material();
    const sn_quat none = {0, 0, 0, 1};
    uint64_t hash = sn_world_hash(world);
    assert_false(sn_body_is_valid(world, body));
    assert_result(world, SN_ERROR_STALE, sn_body_remove(world, body));
    assert_says(sn_world_error(world), words);
    assert_result(world, SN_ERROR_STALE, fixed_read(world, body, &def));
    assert_memory_equal(&def, &before, sizeof def);
    assert_result(world, SN_ERROR_STALE, sn_body_set_pose(world, body, vec(1, 1, 1), none));
    assert_result(world, SN_ERROR_STALE, sn_body_move_to(world, body, vec(1, 1, 1), none));
    assert_result(world, SN_ERROR_STALE, sn_body_set_velocity(world, body, vec(1, 1, 1), vec(0, 0, 0)));
    assert_result(world, SN_ERROR_STALE, sn_body_set_material(world, body, 0, &material));
    assert_result(world, SN_ERROR_STALE, sn_body_set_filter(world, body, 0, &(sn_filter){1, 1}));
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash);
}

static void test_handles(void **state)
{
    (void)state;
    sn_world *world = support_world();
    expect_stale(world, (sn_body){0}, "body null");
    expect_stale(world, (sn_body){7, 1}, "body 7 generation 1 exist");
    sn_body c[SORTS];
    for (int sort = 0; sort < SORTS; ++sort) {
        c[sort] = add_sort(world, sort);
        assert_int_equal(c[sort].index, sort);
        sn_body found = sn_body_from_index(world, (uint32_t)sort);
        assert_true(found.index == c[sort].index && found.generation == c[sort].generation);
    }
    assert_ok(world, sn_body_remove(world, c[BOX]));
    expect_stale(world, c[BOX], "body 1 exist");
    assert_true(!sn_body_from_index(world, BOX).generation);
    assert_says(sn_world_error(world), "no body number 1");
    assert_true(!sn_body_from_index(world, 1000).generation);
    assert_true(!sn_body_from_index(NULL, 0).generation && !sn_body_is_valid(NULL, c[0]));
    assert_int_equal(fixed_count(world), SORTS - 1);
    for (int sort = 0; sort < SORTS; ++sort) { /* those that moved in storage are still themselves */
        fixed_def def;
        if (sort == BOX)
            continue;
        assert_ok(world, fixed_read(world, c[sort], &def));
        assert_true((double)def.position.x == sort);
    }
    sn_body again = add_sort(world, SPHERE); /* the number, under another generation */
    assert_true(again.index == c[BOX].index && again.generation != c[BOX].generation);
    expect_stale(world, c[BOX], "body 1 exist");
    for (int sort = 0; sort < SORTS; ++sort)
        assert_ok(world, sn_body_remove(world, sort == BOX ? again : c[sort]));
    assert_int_equal(fixed_count(world), 0);
    sn_world *empty = support_world();
    assert_true(sn_world_hash(world) == sn_world_hash(empty));
    sn_world_destroy(world);
    sn_world_destroy(empty);
}

/* However they came to be, it is the bodies that count, not their storage.
 */
static void test_storage_does_not_count(void **state)
{
    (void)state;
    sn_world *a = support_world(), *b = support_world();
    sn_body c[SORTS];
    for (int sort = 0; sort < SORTS; ++sort) {
        add_sort(a, sort);
        c[sort] = add_sort(b, sort);
    }
    assert_true(sn_world_hash(a) == sn_world_hash(b));
    for (int sort = 0; sort < SORTS; sort += 2)
        assert_ok(b, sn_body_remove(b, c[sort]));
    assert_true(sn_world_hash(a) != sn_world_hash(b));
    for (int sort = 0; sort < SORTS; sort += 2)
        add_sort(b, sort);
    assert_true(sn_world_hash(a) == sn_world_hash(b));
    sn_world_destroy(a);
    sn_world_destroy(b);
}

static void test_ten_thousand(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    sn_world *world = support_world();
    sn_body *c = calloc(MANY, sizeof *c);
    for (uint32_t i = 0; i < MANY; ++i)
        c[i] = sn_static_add_sphere(world, vec(i, 0, 0), 1);
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(fixed_count(world), MANY);
    for (uint32_t i = 0; i < MANY; i += 2)
        assert_ok(world, sn_body_remove(world, c[i]));
    for (uint32_t i = 1; i < MANY; i += 2) {
        fixed_def def;
        assert_ok(world, fixed_read(world, c[i], &def));
        assert_true((double)def.position.x == i);
    }
    for (uint32_t i = 0; i < MANY; i += 2)
        c[i] = sn_static_add_sphere(world, vec(i, 0, 0), 1);
    assert_true(sn_world_hash(world) == hash);
    for (uint32_t i = 0; i < MANY; ++i)
        assert_ok(world, sn_body_remove(world, c[i]));
    assert_int_equal(fixed_count(world), 0);
    free(c);
    sn_world_destroy(world);
}

/* Two thousand meshes that all differ, and as many that do not. */
static void test_many_meshes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_vec3 vertex[8];
    memcpy(vertex, cube_vertex, sizeof vertex);
    fixed_def def = def_of(MESH);
    def.vertices = vertex;
    for (int i = 0; i < 2000; ++i) {
        vertex[0].x = real(-1 - 0.001 * i);
        add(world, &def);
        add(world, &def);
    }
    assert_int_equal(world->contact.data_table.count, 2000);
    sn_world_destroy(world);
}

/* ---- Changing
 * ----------------------------------------------------------------------------------------------------
 */

static void test_changes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body c = add_sort(world, BOX);
    fixed_def def;
    const sn_quat half_turn = {0, 0, 2, 0}; /* not of length 1 */
    uint64_t hash[8];
    hash[0] = sn_world_hash(world);
    assert_ok(world, sn_body_set_pose(world, c, vec(7, 8, 9), half_turn));
    hash[1] = sn_world_hash(world);
    assert_ok(world, fixed_read(world, c, &def));
    assert_vec_same(def.position, vec(7, 8, 9));
    assert_true(def.rotation.z == 1 && def.rotation.w == 0);
    assert_vec_same(def.velocity, vec(1, 0, -1));
    assert_ok(world, sn_body_move_to(world, c, vec(0, 1, 0), half_turn));
    hash[2] = sn_world_hash(world);
    assert_ok(world, fixed_read(world, c, &def));
    assert_vec_same(def.position, vec(7, 8, 9)); /* not yet */
    assert_ok(world, sn_body_move_to(world, c, vec(0, 2, 0), half_turn));
    hash[3] = sn_world_hash(world);
    assert_ok(world, sn_body_set_pose(world, c, vec(7, 8, 9), half_turn)); /* and the target is gone */
    assert_true(sn_world_hash(world) == hash[1]);
    assert_ok(world, sn_body_set_velocity(world, c, vec(0, 0, 5), vec(1, 2, 3)));
    hash[4] = sn_world_hash(world);
    sn_contact_material material = sn_default_contact_material();
    material.rolling = 1;
    assert_ok(world, sn_body_set_material(world, c, 0, &material));
    hash[5] = sn_world_hash(world);
    assert_ok(world, sn_body_set_filter(world, c, 0, &(sn_filter){4, 8}));
    hash[6] = sn_world_hash(world);
    assert_ok(world, sn_body_set_filter(world, c, 0, &(sn_filter){8, 4}));
    hash[7] = sn_world_hash(world);
    assert_ok(world, fixed_read(world, c, &def));
    assert_vec_same(def.velocity, vec(0, 0, 5));
    assert_vec_same(def.spin, vec(1, 2, 3));
    assert_true(def.material.rolling == 1 && def.category == 8 && def.mask == 4);
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < i; ++k)
            assert_true(hash[i] != hash[k]);
    sn_world_destroy(world);
}

/* Every number of a definition shows in the hash; what is the caller's own does
 * not. */
static void test_hash_sees_all(void **state)
{
    (void)state;
    uint64_t hash[20];
    for (int i = 0; i < 20; ++i) {
        sn_world *world = support_world();
        fixed_def def = def_of(CAPSULE);
        def.user = (uint64_t)i;
        switch (i) {
        case 1:
            def.type = SN_SHAPE_PLANE;
            break;
        case 2:
            def.position.x += 1;
            break;
        case 3:
            def.rotation.w = 1;
            break;
        case 4:
            def.velocity.y = 1;
            break;
        case 5:
            def.spin.z = 1;
            break;
        case 6:
            def.half.y = 5;
            break;
        case 7:
            def.radius = 5;
            break;
        case 8:
            def.rounding = 5;
            break;
        case 9:
            def.material.static_friction = 3;
            break;
        case 10:
            def.material.dynamic_friction = 0;
            break;
        case 11:
            def.material.restitution = 1;
            break;
        case 12:
            def.material.rolling = 1;
            break;
        case 13:
            def.material.friction_mix = SN_MIX_LEAST;
            break;
        case 14:
            def.material.restitution_mix = SN_MIX_PRODUCT;
            break;
        case 15:
            def.category = 3;
            break;
        case 16:
            def.mask = 3;
            break;
        case 17:
            def.sensor = false;
            break;
        case 18:
            add(world, &def); /* a second one */
            break;
        default:
            break;
        }
        add(world, &def);
        hash[i] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[19]);
    for (int i = 0; i < 19; ++i)
        for (int k = 0; k < i; ++k)
            if (hash[i] == hash[k])
                fail_msg("definitions %d and %d have the same hash", i, k);
}

/* ---- Bad input
 * ---------------------------------------------------------------------------------------------------
 */

static void test_bad_numbers(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def;
#define REFUSE(sort, change, words)                                                                                    \
    do {                                                                                                               \
        def = def_of(sort);                                                                                            \
        change;                                                                                                        \
        refuse(world, &def, words);                                                                                    \
    } while (0)
    for (int sort = 0; sort < SORTS; ++sort) {
        REFUSE(sort, def.position.y = NOT_A_NUMBER, "position nan finite");
        REFUSE(sort, def.position.z = ENDLESS, "position inf finite");
        REFUSE(sort, def.rotation.x = NOT_A_NUMBER, "rotation nan finite");
        REFUSE(sort, def.rotation = quat(0, 0, 0, 0), "rotation (0, 0, 0, 0) no rotation");
        REFUSE(sort, def.velocity.x = ENDLESS, "velocity inf finite");
        REFUSE(sort, def.spin.x = NOT_A_NUMBER, "spin nan rad/s finite");
        REFUSE(sort, def.rounding = real(-0.5), "rounding -0.5 [0");
        REFUSE(sort, def.rounding = NOT_A_NUMBER, "rounding nan [0");
        REFUSE(sort, def.rounding = ENDLESS, "rounding inf [0");
        REFUSE(sort, def.material.static_friction = -1, "material.static_friction -1 negative");
        REFUSE(sort, def.material.static_friction = NOT_A_NUMBER, "material.static_friction nan");
        REFUSE(sort, def.material.dynamic_friction = 1, "dynamic_friction 1 static_friction 0.8 more");
        REFUSE(sort, def.material.dynamic_friction = ENDLESS, "dynamic_friction inf");
        REFUSE(sort, def.material.restitution = real(1.5), "restitution 1.5 [0, 1]");
        REFUSE(sort, def.material.restitution = real(-0.5), "restitution -0.5 [0, 1]");
        REFUSE(sort, def.material.restitution = NOT_A_NUMBER, "restitution nan [0, 1]");
        REFUSE(sort, def.material.rolling = -1, "rolling -1 negative");
        REFUSE(sort, def.material.friction_mix = (sn_mix)4, "friction_mix 4 sn_mix");
        REFUSE(sort, def.material.restitution_mix = (sn_mix)-1, "restitution_mix -1 sn_mix");
    }
    REFUSE(PLANE, def.type = (sn_shape_type)10, "type 10 sn_shape_type");
    REFUSE(PLANE, def.type = (sn_shape_type)-1, "type -1 sn_shape_type");
    REFUSE(BOX, def.half.x = 0, "half.x 0 positive");
    REFUSE(BOX, def.half.y = -1, "half.y -1 positive");
    REFUSE(BOX, def.half.z = NOT_A_NUMBER, "half.z nan positive");
    REFUSE(BOX, def.half.z = ENDLESS, "half.z inf at most");
    REFUSE(SPHERE, def.radius = 0, "radius 0 positive");
    REFUSE(SPHERE, def.radius = real(2e15), "radius 2e+15 at most");
    REFUSE(CAPSULE, def.radius = -2, "radius -2 positive");
    REFUSE(CAPSULE, def.half.y = 0, "half.y 0 positive");
    REFUSE(CYLINDER, def.radius = 0, "cylinder radius 0 positive");
    REFUSE(CYLINDER, def.half.y = NOT_A_NUMBER, "cylinder half.y nan positive");
    REFUSE(CONE, def.radius = ENDLESS, "cone radius inf at most");
    REFUSE(HULL, def.vertices = NULL, "hull vertices NULL points");
    REFUSE(HULL, def.vertex_count = 3, "hull 3 points");
    REFUSE(HULL, def.vertex_count = 4, "hull plane"); /* one side of the cube */
    REFUSE(HEIGHTS, def.heights = NULL, "heights NULL");
    REFUSE(HEIGHTS, def.height_count[0] = 1, "height_count[0] x 1");
    REFUSE(HEIGHTS, def.height_count[1] = 0, "height_count[1] z 0");
    REFUSE(HEIGHTS, (def.height_count[0] = def.height_count[1] = 1u << 14), "height_count 16384 at most");
    REFUSE(HEIGHTS, def.cell = 0, "cell 0 positive");
    REFUSE(HEIGHTS, heights[4] = NOT_A_NUMBER, "height (1, 1) nan finite");
    REFUSE(HEIGHTS, heights[4] = ENDLESS, "height (1, 1) inf finite");
    heights[4] = 0;
    refuse(world, NULL, "def NULL sn_default_body_def");
    assert_int_equal(fixed_count(world), 0);
    sn_world_destroy(world);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_vec3 vertex[8];
    uint32_t index[36];
    fixed_def def;
    for (int sort = MESH; sort < SORTS; sort += BAKED - MESH) {
        def = def_of(sort);
        def.vertices = vertex;
        def.triangles = index;
#define REFUSE_MESH(change, words)                                                                                     \
    do {                                                                                                               \
        fixed_def kept = def;                                                                                          \
        memcpy(vertex, cube_vertex, sizeof vertex);                                                                    \
        memcpy(index, cube_index, sizeof index);                                                                       \
        change;                                                                                                        \
        refuse(world, &def, words);                                                                                    \
        def = kept;                                                                                                    \
    } while (0)
        REFUSE_MESH(def.triangle_count = 0, "triangle_count 0 empty");
        REFUSE_MESH(def.vertex_count = 0, "vertex_count 0 empty");
        REFUSE_MESH(def.triangles = NULL, "triangles NULL triangle_count 12");
        REFUSE_MESH(def.vertices = NULL, "vertices NULL vertex_count 8");
        REFUSE_MESH(def.triangle_count = UINT32_MAX, "triangle_count at most");
        REFUSE_MESH(vertex[3].z = NOT_A_NUMBER, "vertex 3 z nan finite");
        REFUSE_MESH(vertex[5].x = real(1e20), "vertex 5 x 1e+20");
        REFUSE_MESH(index[10] = 8, "triangle 3 corner 1 vertex 8");
        REFUSE_MESH(index[1] = index[0], "triangle 0 area");
        REFUSE_MESH(vertex[2] = vertex[0], "triangle area");
    }
    REFUSE_MESH(def.triangle_count = 11, "closed edge"); /* of fields only: a mesh may be open */
    REFUSE_MESH(
        for (int i = 0; i < 36; i += 3) {
            uint32_t swap = index[i];
            index[i] = index[i + 1];
            index[i + 1] = swap;
        },
        "closed inside out");
    REFUSE_MESH(def.cell = NOT_A_NUMBER, "cell nan positive");
    REFUSE_MESH(def.cell = -1, "cell -1 positive");
    REFUSE_MESH(def.cell = real(1e-6), "cell 1e-06 samples at most 268435456");
    REFUSE_MESH((def.triangles = NULL, def.vertices = NULL), "field no function samples mesh");
    def = def_of(MESH); /* the open one, and the one inside out */
    def.triangle_count = 11;
    add(world, &def);
    sn_world_destroy(world);
}

static void test_bad_fields(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def;
    REFUSE(FUNCTION, def.high = def.low, "low high function box");
    REFUSE(FUNCTION, def.high.y = -2, "low high -2 function box");
    REFUSE(FUNCTION, (def.low = vec(0, 0, 0), def.high = vec(0, 0, 0)), "low high function box");
    REFUSE(FUNCTION, def.low.x = NOT_A_NUMBER, "low nan finite");
    REFUSE(FUNCTION, def.high.x = ENDLESS, "high inf finite");
    REFUSE(SAMPLES, def.sample_count[1] = 1, "sample_count[1] y 1 2");
    REFUSE(SAMPLES, def.sample_count[2] = 0, "sample_count[2] z 0 2");
    REFUSE(SAMPLES, def.sample_count[0] = def.sample_count[1] = UINT32_MAX, "sample_count at most 268435456");
    REFUSE(SAMPLES, (def.sample_count[0] = def.sample_count[1] = 1024, def.sample_count[2] = 257), "257 at most");
    REFUSE(SAMPLES, def.cell = 0, "cell 0 positive");
    REFUSE(SAMPLES, def.cell = ENDLESS, "cell inf");
    REFUSE(SAMPLES, def.low.z = NOT_A_NUMBER, "low nan finite");
    REFUSE(SAMPLES, grid_sample[5] = NOT_A_NUMBER, "sample (2, 1, 0) nan finite");
    REFUSE(SAMPLES, grid_sample[26] = ENDLESS, "sample (2, 2, 2) inf finite");
    REFUSE(SAMPLES, grid_sample[13] = real(0.25), "empty least sample 0.25 rounding 0.01");
    def = def_of(SAMPLES);
    grid_sample[13] = real(0.25);
    def.rounding = real(0.3); /* as thick as that, it is there */
    add(world, &def);
    sn_world_destroy(world);
}

static void test_bad_changes(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body c = add_sort(world, SPHERE);
    const sn_quat none = {0, 0, 0, 1};
    uint64_t hash = sn_world_hash(world);
    sn_contact_material material = sn_default_contact_material();
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_pose(world, c, vec(0, (double)NAN, 0), none));
    assert_says(sn_world_error(world), "position nan");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_pose(world, c, vec(0, 0, 0), quat(0, 0, 0, 0)));
    assert_says(sn_world_error(world), "rotation (0, 0, 0, 0)");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_move_to(world, c, vec(0, (double)INFINITY, 0), none));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_move_to(world, c, vec(0, 0, 0), quat(0, (double)NAN, 0, 1)));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, c, vec(0, (double)NAN, 0), vec(0, 0, 0)));
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, c, vec(0, 0, 0), vec(0, (double)NAN, 0)));
    assert_says(sn_world_error(world), "spin nan");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_material(world, c, 1, NULL));
    assert_says(sn_world_error(world), "shape 1 body 1");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_filter(world, c, 1, NULL));
    material.restitution = 2;
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_material(world, c, 0, &material));
    assert_says(sn_world_error(world), "restitution 2 [0, 1]");
    assert_result(world, SN_ERROR_ARGUMENT, sn_body_read(world, c, NULL));
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_body_set_pose(NULL, c, vec(0, 0, 0), none), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_body_read(NULL, c, NULL), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void test_2d(void **state)
{
    (void)state;
    sn_world *world = support_world_2d();
    fixed_def def;
    for (int sort = 0; sort < SORTS; ++sort) {
        def = def_of(sort);
        def.position.z = def.velocity.z = 0;
        def.rotation = quat(0, 0, 3, 4);
        def.spin = vec(0, 0, 2);
        sn_body c = add(world, &def);
        assert_ok(world, fixed_read(world, c, &def));
        assert_true(def.rotation.z == real(0.6) && def.rotation.w == real(0.8));
        fixed_def bad = def;
        bad.position.z = 1;
        refuse(world, &bad, "position z 1 2D");
        bad = def;
        bad.velocity.z = 1;
        refuse(world, &bad, "velocity z 1 2D");
        bad = def;
        bad.rotation = quat(0.5, 0, 0, 1);
        refuse(world, &bad, "rotation x 0.5 2D z");
        bad = def;
        bad.spin.y = 1;
        refuse(world, &bad, "spin y 1 2D z");
        assert_result(world, SN_ERROR_ARGUMENT, sn_body_move_to(world, c, vec(0, 0, 1), quat(0, 0, 0, 1)));
        assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_pose(world, c, vec(0, 0, 0), quat(0, 1, 0, 1)));
        assert_result(world, SN_ERROR_ARGUMENT, sn_body_set_velocity(world, c, vec(0, 0, 0), vec(1, 0, 0)));
    }
    sn_vec3 normals[] = {vec(0, -1, 0), vec(1, 0, 0), vec(-1, -1e-3, 0), vec(0, 1, 0)};
    for (size_t i = 0; i < COUNT_OF(normals); ++i) {
        assert_ok(world, fixed_read(world, sn_static_add_plane(world, vec(0, 0, 0), normals[i]), &def));
        assert_true(def.rotation.x == 0 && def.rotation.y == 0);
    }
    assert_true(!sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 1)).generation);
    assert_says(sn_world_error(world), "normal z 2D");
    assert_true(sn_static_add_capsule(world, vec(0, 0, 0), vec(-1, -2, 0), 1).generation);
    assert_true(!sn_static_add_capsule(world, vec(0, 0, 0), vec(-1, -2, 1), 1).generation);
    sn_world_destroy(world);
}

/* ---- Settings and groups
 * -----------------------------------------------------------------------------------------
 */

static void test_settings(void **state)
{
    (void)state;
    sn_world *world = support_world(), *fresh = support_world();
    sn_contact_settings settings = sn_default_contact_settings(), bad, back = sn_world_contact_settings(world);
    assert_memory_equal(&back, &settings, sizeof settings);
    assert_true(settings.on && settings.particles && settings.push_out == 1 && settings.bounce_above == -1);
    assert_true(!settings.sleep && !settings.events && settings.sleep_time == real(0.5));
    uint64_t hash = sn_world_hash(world);
    const struct {
        sn_real *number;
        double value;
        const char *words;
    } cases[] = {{&bad.push_out, 0, "push_out 0 positive"},
                 {&bad.push_out, -1, "push_out -1 positive"},
                 {&bad.push_out, (double)NAN, "push_out nan finite"},
                 {&bad.push_out, (double)INFINITY, "push_out inf finite"},
                 {&bad.bounce_above, -2, "bounce_above -2 negative -1"},
                 {&bad.bounce_above, (double)NAN, "bounce_above nan"},
                 {&bad.impact_above, -2, "impact_above -2 negative -1"},
                 {&bad.impact_above, (double)NAN, "impact_above nan"},
                 {&bad.sleep_speed, -1, "sleep_speed -1 m/s negative"},
                 {&bad.sleep_speed, (double)NAN, "sleep_speed nan"},
                 {&bad.sleep_time, (double)INFINITY, "sleep_time inf s"},
                 {&bad.sleep_time, -1, "sleep_time -1"}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        bad = settings;
        *cases[i].number = real(cases[i].value);
        assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_contact_settings(world, &bad));
        assert_says(sn_world_error(world), cases[i].words);
        assert_true(sn_world_hash(world) == hash);
    }
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_contact_settings(world, NULL));
    assert_int_equal(sn_world_set_contact_settings(NULL, &settings), SN_ERROR_ARGUMENT);
    assert_false(sn_world_contact_settings(NULL).on);
    settings.bounce_above = 0;
    settings.events = true;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    assert_true(sn_world_hash(world) != hash && sn_world_contact_settings(world).bounce_above == 0);
    settings = sn_default_contact_settings();
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    assert_true(sn_world_hash(world) == sn_world_hash(fresh));
    sn_world_destroy(world);
    sn_world_destroy(fresh);
}

static void test_groups(void **state)
{
    (void)state;
    sn_world *world = support_world(), *other = support_world();
    assert_true(sn_default_group_contact(0).self && !sn_default_group_contact(1).self);
    assert_true(sn_world_group_contact(world, 0).self && !sn_world_group_contact(world, 9).self);
    assert_true(sn_world_group_contact(NULL, 0).category == 0);
    uint64_t empty = sn_world_hash(world);
    /* in another order than that of their numbers */
    const uint32_t groups[] = {7, 0, UINT32_MAX, 3, 100, 1};
    for (size_t i = 0; i < COUNT_OF(groups); ++i)
        for (int k = 0; k < 2; ++k) {
            size_t at = k ? COUNT_OF(groups) - 1 - i : i;
            sn_group_contact contact = sn_default_group_contact(groups[at]);
            contact.category = 100 + (uint32_t)at;
            contact.rest_gap = real(0.5);
            assert_ok(world, sn_world_set_group_contact(k ? other : world, groups[at], &contact));
        }
    assert_true(sn_world_hash(world) == sn_world_hash(other) && sn_world_hash(world) != empty);
    for (size_t i = 0; i < COUNT_OF(groups); ++i)
        assert_int_equal(sn_world_group_contact(world, groups[i]).category, 100 + i);
    for (uint32_t group = 4; group < 7; ++group)
        assert_int_equal(sn_world_group_contact(world, group).category, 1);
    for (size_t i = 0; i < COUNT_OF(groups); ++i) { /* back to the default, and nothing is left */
        sn_group_contact contact = sn_default_group_contact(groups[i]);
        assert_ok(world, sn_world_set_group_contact(world, groups[i], &contact));
        assert_ok(world, sn_world_set_group_contact(world, groups[i], &contact));
        assert_int_equal(sn_world_group_contact(world, groups[i]).category, 1);
    }
    assert_true(sn_world_hash(world) == empty);
    sn_world_destroy(world);
    sn_world_destroy(other);
}

static void test_hash_sees_groups(void **state)
{
    (void)state;
    uint64_t hash[9];
    for (int i = 0; i < 9; ++i) {
        sn_world *world = support_world();
        sn_group_contact contact = sn_default_group_contact(2);
        contact.material.rolling = i == 1;
        contact.category += i == 2;
        contact.mask -= i == 3;
        contact.self = i == 4;
        contact.directional = i == 5;
        contact.rolls = i == 6;
        contact.rest_gap = i == 7;
        assert_ok(world, sn_world_set_group_contact(world, i == 8 ? 3 : 2, &contact));
        hash[i] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[8]); /* the default of either */
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < i; ++k)
            assert_true(hash[i] != hash[k]);
}

static void test_bad_groups(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_group_contact contact;
    uint64_t hash = sn_world_hash(world);
#define REFUSE_GROUP(change, words)                                                                                    \
    do {                                                                                                               \
        contact = sn_default_group_contact(4);                                                                         \
        change;                                                                                                        \
        assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_group_contact(world, 4, &contact));                       \
        assert_says(sn_world_error(world), words);                                                                     \
        assert_true(sn_world_hash(world) == hash);                                                                     \
    } while (0)
    REFUSE_GROUP(contact.rest_gap = -1, "rest_gap -1 m negative");
    REFUSE_GROUP(contact.rest_gap = NOT_A_NUMBER, "rest_gap nan");
    REFUSE_GROUP(contact.material.restitution = 2, "material.restitution 2 [0, 1]");
    REFUSE_GROUP(contact.material.static_friction = real(0.1), "dynamic_friction 0.5 static_friction 0.1");
    REFUSE_GROUP(contact.material.friction_mix = (sn_mix)77, "friction_mix 77");
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_group_contact(world, 4, NULL));
    assert_says(sn_world_error(world), "contact NULL sn_default_group_contact");
    assert_int_equal(sn_world_set_group_contact(NULL, 4, &contact), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

/* ---- State
 * -------------------------------------------------------------------------------------------------------
 */

/* All of it, in a world that may lack some of the shapes. */
static void fill(sn_world *world, sn_body c[SORTS])
{
    sn_group_contact group = sn_default_group_contact(3);
    group.material.static_friction = 2;
    assert_ok(world, sn_world_set_group_contact(world, 3, &group));
    sn_contact_settings settings = sn_default_contact_settings();
    settings.push_out = 3;
    assert_ok(world, sn_world_set_contact_settings(world, &settings));
    for (int sort = 0; sort < SORTS; ++sort)
        c[sort] = add_sort(world, sort);
    assert_ok(world, sn_body_move_to(world, c[MESH], vec(1, 2, 3), quat(0, 1, 0, 0)));
}

static void test_snapshot(void **state)
{
    (void)state;
    sn_world *world = support_world(), *empty = support_world();
    uint64_t none = sn_world_hash(world);
    sn_snapshot *before = sn_world_save(world);
    sn_body c[SORTS];
    fill(world, c);
    uint64_t full = sn_world_hash(world);
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    assert_ok(world, sn_body_remove(world, c[SAMPLES]));
    assert_ok(world, sn_body_set_pose(world, c[MESH], vec(0, 0, 0), quat(0, 0, 0, 1)));
    sn_body late = add_sort(world, BOX);
    assert_ok(world, sn_world_load(world, before));
    assert_true(sn_world_hash(world) == none && fixed_count(world) == 0);
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_hash(world) == full);
    assert_int_equal(fixed_count(world), SORTS);
    assert_int_equal(sn_world_group_contact(world, 3).material.static_friction, 2);
    for (int sort = 0; sort < SORTS; ++sort) {
        fixed_def def;
        assert_ok(world, fixed_read(world, c[sort], &def));
        assert_true(def.user == 77 && (double)def.position.x == sort);
        assert_int_equal(def.vertex_count, sort == MESH || sort == BAKED || sort == HULL ? 8 : 0);
        sn_touch touch; /* shapes have their data again */
        assert_true(sn_shape_near(shape_of(world, c[sort]), vec(0, 5, 0), 100, &touch));
    }
    assert_false(sn_body_is_valid(world, late));
    sn_body next = add_sort(world, BOX); /* a generation is not given out twice */
    assert_false(sn_body_is_valid(world, late) || next.generation == late.generation);

    /* a world without the shapes refuses it, and changes nothing */
    assert_result(empty, SN_ERROR_ARGUMENT, sn_world_load(empty, saved));
    assert_says(sn_world_error(empty), "snapshot body 4 hull this world does not have");
    assert_true(sn_world_hash(empty) == none);
    for (int sort = BAKED; sort >= HULL; --sort) { /* in another order; and gone again, but known */
        if (sort == CYLINDER || sort == CONE)
            continue;
        assert_result(empty, SN_ERROR_ARGUMENT, sn_world_load(empty, saved));
        assert_ok(empty, sn_body_remove(empty, add_sort(empty, sort)));
    }
    assert_ok(empty, sn_world_load(empty, saved));
    assert_true(sn_world_hash(empty) == full);
    for (int sort = 0; sort < SORTS; ++sort) {
        fixed_def a, b;
        assert_ok(world, fixed_read(world, c[sort], &a));
        assert_ok(empty, fixed_read(empty, c[sort], &b));
        assert_int_equal(a.vertex_count, b.vertex_count);
        assert_true(a.function == b.function && !a.samples == !b.samples);
    }
    sn_world_destroy(world);
    sn_world_destroy(empty);
    sn_snapshot_destroy(before);
    sn_snapshot_destroy(saved);
}

static void test_rewind(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body c[SORTS];
    fill(world, c);
    uint64_t hash = sn_world_hash(world);
    sn_rewind *rewind = sn_rewind_create(world, 1 << 20);
    assert_non_null(rewind);
    assert_ok(world, sn_rewind_record(rewind, world));
    assert_ok(world, sn_body_remove(world, c[BOX]));
    assert_ok(world, sn_rewind_record(rewind, world));
    assert_ok(world, sn_rewind_back(rewind, world, 1));
    assert_true(sn_world_hash(world) == hash && sn_body_is_valid(world, c[BOX]));
    sn_rewind_destroy(rewind);
    sn_world_destroy(world);
}

static void test_shift_origin(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_body c[SORTS];
    fill(world, c);
    assert_ok(world, sn_world_shift_origin(world, vec(10, -20, 30)));
    for (int sort = 0; sort < SORTS; ++sort) {
        fixed_def def;
        assert_ok(world, fixed_read(world, c[sort], &def));
        assert_vec_same(def.position, vec(sort - 10, 22, -27));
    }
    assert_vec_same(sn_fixed_of(world, c[MESH].index)->target.position, vec(-9, 22, -27));
    uint64_t hash = sn_world_hash(world);
    assert_ok(world, sn_body_set_pose(world, c[BOX], vec(-SUPPORT_REAL_MAX, 0, 0), quat(0, 0, 0, 1)));
    hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_shift_origin(world, vec(SUPPORT_REAL_MAX, 0, 0)));
    assert_true(sn_world_hash(world) == hash);
    assert_ok(world, sn_body_remove(world, c[BOX]));
    assert_ok(world, sn_body_move_to(world, c[PLANE], vec(-SUPPORT_REAL_MAX, 0, 0), quat(0, 0, 0, 1)));
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_shift_origin(world, vec(SUPPORT_REAL_MAX, 0, 0)));
    sn_world_destroy(world);
}

/* ---- Memory and callbacks
 * ----------------------------------------------------------------------------------------
 */

/* One call of a script that may run out of memory. */
static sn_result script_call(sn_world *world, int i, sn_snapshot **saved, sn_snapshot *full)
{
    fixed_def def = def_of(i % SORTS);
    sn_group_contact group = sn_default_group_contact(1);
    group.self = true;
    if (i < 2 * SORTS)
        return fixed_add(world, &def, NULL);
    if (i < 2 * SORTS + 12)
        return sn_world_set_group_contact(world, (uint32_t)i, &group);
    if (i == 2 * SORTS + 12)
        return sn_body_remove(world, sn_body_from_index(world, 3));
    if (i == 2 * SORTS + 13) {
        *saved = sn_world_save(world);
        return *saved ? SN_OK : SN_ERROR_MEMORY;
    }
    if (i == 2 * SORTS + 14)
        return sn_world_load(world, full);
    return sn_world_load(world, *saved);
}

/* The n-th request fails, for every n: the call changes nothing, and works the
 * second time. */
static void test_memory(void **state)
{
    (void)state;
    sn_world *large = support_world();
    for (int i = 0; i < 100; ++i)
        add_sort(large, i % SORTS);
    sn_snapshot *full = sn_world_save(large);
    sn_world_destroy(large);
    uint64_t expected = 0;
    for (uint64_t n = 0;; ++n) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = sn_default_world_def();
        def.allocator = support_allocator(&memory);
        def.threads = 1;
        sn_world *world = support_world_from(&def);
        sn_snapshot *saved = NULL;
        memory.fail_at = n ? memory.requests + n : 0;
        for (int i = 0; i < 2 * SORTS + 16; ++i) {
            uint64_t hash = sn_world_hash(world);
            uint32_t data = world->contact.data_table.count;
            sn_result result = script_call(world, i, &saved, full);
            if (result == SN_OK)
                continue;
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_says(sn_world_error(world), "memory");
            assert_true(sn_world_hash(world) == hash && world->contact.data_table.count == data);
            --i;
        }
        if (n == 0)
            expected = sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        bool failed = memory.failures > 0;
        sn_snapshot_destroy(saved);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (n && !failed)
            break;
    }
    sn_snapshot_destroy(full);
}

/* Baking: the same whoever does it, and also if tasks get lost. */
static void test_baking_by_tasks(void **state)
{
    (void)state;
    const support_task_mode modes[] = {SUPPORT_TASKS_FORWARD, SUPPORT_TASKS_THREADS, SUPPORT_TASKS_LOSE};
    sn_real first[8] = {0};
    for (size_t i = 0; i < COUNT_OF(modes); ++i) {
        support_tasks tasks = {.mode = modes[i], .threads = 3, .lost = SUPPORT_LOSE_ALL};
        sn_world_def world_def = sn_default_world_def();
        world_def.tasks = support_tasks_hook(&tasks);
        sn_world *world = support_world_from(&world_def);
        sn_body c = add_sort(world, BAKED);
        assert_true(tasks.runs > 0);
        for (int k = 0; k < 8; ++k) {
            sn_touch touch;
            assert_true(sn_shape_near(shape_of(world, c), vec(0.3 * k - 1, 0.5, 0.1), 100, &touch));
            if (i == 0)
                first[k] = touch.distance;
            assert_true(first[k] == touch.distance);
        }
        sn_world_destroy(world);
    }
}

static sn_vec3 call_back(void *context, const sn_field_in *in)
{
    sn_world *world = context;
    fixed_def def = default_fixed();
    sn_contact_settings settings = sn_default_contact_settings();
    sn_group_contact group = sn_default_group_contact(0);
    sn_body c = sn_body_from_index(world, 0);
    (void)in;
    assert_int_equal(fixed_add(world, &def, NULL), SN_ERROR_BUSY);
    assert_int_equal(sn_body_remove(world, c), SN_ERROR_BUSY);
    assert_int_equal(sn_body_set_pose(world, c, vec(0, 0, 0), quat(0, 0, 0, 1)), SN_ERROR_BUSY);
    assert_int_equal(sn_body_move_to(world, c, vec(0, 0, 0), quat(0, 0, 0, 1)), SN_ERROR_BUSY);
    assert_int_equal(sn_body_set_velocity(world, c, vec(0, 0, 0), vec(0, 0, 0)), SN_ERROR_BUSY);
    assert_int_equal(sn_body_set_material(world, c, 0, &def.material), SN_ERROR_BUSY);
    assert_int_equal(sn_body_set_filter(world, c, 0, &(sn_filter){1, 1}), SN_ERROR_BUSY);
    assert_int_equal(sn_world_set_contact_settings(world, &settings), SN_ERROR_BUSY);
    assert_int_equal(sn_world_set_group_contact(world, 0, &group), SN_ERROR_BUSY);
    assert_int_equal(sn_world_take_rest_shape(world, 0), SN_ERROR_BUSY);
    assert_true(!sn_static_add_plane(world, vec(0, 0, 0), vec(0, 1, 0)).generation);
    return vec(0, 0, 0);
}

static void test_busy(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle_add_at(world, vec(0, 50, 0), 1);
    sn_static_add_plane(world, vec(0, -50, 0), vec(0, 1, 0));
    assert_ok(world, sn_field_add(world, call_back, world, false, NULL));
    support_run(world, 1, 1.0 / 60);
    sn_world_destroy(world);
}

/* A step so long that the way to the target is no velocity at all: it arrives all the same. */
static void slow_targets_are_reached(void **state)
{
    (void)state;
    sn_world *world = support_world();
    fixed_def def;
    sn_body c = fixed_add_plane(world, vec(0, 0, 1), vec(1, 0, 1));
    assert_ok(world, sn_body_move_to(world, c, vec(1, 2, 3), (sn_quat){0, 0, 0, 1}));
    assert_ok(world, sn_world_step(world, real(3e38)));
    assert_ok(world, fixed_read(world, c, &def));
    assert_vec_same(def.position, vec(1, 2, 3));
    sn_world_destroy(world);
}

/* A particle without a radius that is tied to a spot inside a static ball stays there, from the first step on. */
static void what_is_tied_inside_stays(void **state)
{
    (void)state;
    sn_world *world = support_void();
    sn_body ball = sn_static_add_sphere(world, vec(0, 0, 0), 1);
    sn_particle p = sn_particle_add_at(world, vec(0.5, 0, 0), 1);
    assert_true(
        sn_constraint_is_valid(world, sn_constraint_add_attachment(world, sn_at(p), sn_on_body(ball, vec(0.5, 0, 0)))));
    for (int i = 0; i < 3; ++i) {
        assert_ok(world, sn_world_step(world, 1 / (sn_real)60));
        assert_vec_close(sn_particle_position(world, p), vec(0.5, 0, 0), 1e-6);
        assert_vec_close(sn_particle_velocity(world, p), vec(0, 0, 0), 1e-6);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_tied_inside_stays),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_only_what_belongs),
        cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_storage_does_not_count),
        cmocka_unit_test(test_ten_thousand),
        cmocka_unit_test(test_many_meshes),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_hash_sees_all),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_bad_fields),
        cmocka_unit_test(test_bad_changes),
        cmocka_unit_test(test_2d),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_hash_sees_groups),
        cmocka_unit_test(test_bad_groups),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_rewind),
        cmocka_unit_test(test_shift_origin),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_baking_by_tasks),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(slow_targets_are_reached),
    };
    return cmocka_run_group_tests_name("fixed_bodies", tests, NULL, NULL);
}
