/* Which way is out of objects made of particles: from skins and from distance fields, however they are turned; and what
   of fields is refused, kept and forgotten. */
#include "world/contact_worlds.h"

#include "collision/best_rotation.h"
#include "world/world.h"

#include <string.h>

#define OBJECT 3u /* a group */

/* ---- Turns
   ---------------------------------------------------------------------------------------------------------------- */

static sn_quat random_turn(uint64_t *seed)
{
    sn_quat q = {real(support_random_in(seed, -1, 1)), real(support_random_in(seed, -1, 1)),
                 real(support_random_in(seed, -1, 1)), real(support_random_in(seed, -1, 1))};
    return sn_quat_normal(q);
}

static sn_vec3 random_place(uint64_t *seed, double size)
{
    const double x = support_random_in(seed, -size, size), y = support_random_in(seed, -size, size);
    return vec(x, y, support_random_in(seed, -size, size)); /* in the same order with any compiler */
}

static void add_products(double sum[3][3], sn_vec3 a, sn_vec3 b)
{
    const sn_real u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 9; ++i)
        sum[i / 3][i % 3] += (double)u[i / 3] * (double)v[i % 3];
}

/* Any rotation of any cloud is found, those by half a turn and of flat clouds too. */
static void turns_are_found(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < 300; ++round) {
        sn_quat q = random_turn(&seed);
        double sum[3][3] = {{0}}, flat = round % 3 == 1 ? 0 : 1, size = pow(10, support_random_in(&seed, -6, 6));
        if (round % 3 == 2)
            q = sn_quat_normal((sn_quat){q.x, q.y, q.z, 0});
        if (round < 3)
            q = (sn_quat){round == 0, round == 1, round == 2, 0};
        for (int i = 0; i < 8; ++i) {
            sn_vec3 a = random_place(&seed, size);
            a.z *= real(flat);
            add_products(sum, a, sn_quat_rotate(q, a));
        }
        sn_quat found = sn_best_rotation((const double(*)[3])sum);
        assert_vec_close(sn_quat_rotate(found, vec(1, 0, 0)), sn_quat_rotate(q, vec(1, 0, 0)), 1e-4);
        assert_vec_close(sn_quat_rotate(found, vec(0, 0, 1)), sn_quat_rotate(q, vec(0, 0, 1)), 1e-4);
    }
    const double none[3][3] = {{0}};
    sn_quat still = sn_best_rotation(none);
    assert_true(still.x == 0 && still.y == 0 && still.z == 0 && still.w == 1);
}

/* A cloud that is squashed and mirrored still gives a rotation, of length 1. */
static void turns_of_anything(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 200; ++round) {
        double sum[3][3];
        for (int i = 0; i < 9; ++i)
            sum[i / 3][i % 3] = round % 10 < i ? support_random_in(&seed, -1, 1) : 0;
        sn_quat q = sn_best_rotation((const double(*)[3])sum);
        assert_close((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                         (double)q.w * (double)q.w,
                     1, 1e-5);
    }
}

/* ---- Objects
   -------------------------------------------------------------------------------------------------------------- */

static sn_particle add_in(sn_world *world, sn_vec3 at, uint32_t group)
{
    sn_particle p = ball(world, at, 1, 0.02);
    assert_ok(world, sn_particle_set_group(world, p, group));
    return p;
}

static void make_directional(sn_world *world, uint32_t group)
{
    sn_group_contact contact = sn_default_group_contact(group);
    contact.directional = true;
    assert_ok(world, sn_world_set_group_contact(world, group, &contact));
}

/* Which way is out, as a step would find it. */
static const sn_outward *outward_of(sn_world *world, sn_particle p)
{
    assert_true(sn_outward_prepare(world));
    assert_true(world->contacts.directed);
    return (const sn_outward *)world->contacts.normal_table.column[0] + world->ids.value[p.index];
}

enum { POINTS = 60 };

/* An object, where its particles are in its own frame, and where that frame is. */
typedef struct object {
    sn_particle point[POINTS];
    sn_vec3 own[POINTS];
} object;

static sn_vec3 posed(sn_quat turn, sn_vec3 at, sn_vec3 own)
{
    sn_vec3 x = sn_quat_rotate(turn, own);
    return vec3_add(x, at);
}

static object make_object(sn_world *world, sn_quat turn, sn_vec3 at, double size, uint64_t *seed)
{
    object o;
    for (int i = 0; i < POINTS; ++i) {
        o.own[i] = random_place(seed, size);
        o.point[i] = add_in(world, posed(turn, at, o.own[i]), OBJECT);
    }
    return o;
}

static void move_object(sn_world *world, const object *o, sn_quat turn, sn_vec3 at)
{
    for (int i = 0; i < POINTS; ++i)
        assert_ok(world, sn_particle_set_position(world, o->point[i], posed(turn, at, o->own[i])));
}

static sn_real ball_distance(void *context, sn_vec3 p)
{
    return vec3_length(p) - *(sn_real *)context;
}

static sn_shape_def ball_field(sn_real *radius)
{
    sn_shape_def def = sn_default_shape_def(SN_SHAPE_FIELD);
    def.type = SN_SHAPE_FIELD;
    def.function = ball_distance;
    def.context = radius;
    def.low = vec(-1, -1, -1);
    def.high = vec(1, 1, 1);
    return def;
}

static const sn_vec3 box_vertex[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t box_triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static sn_shape_def box_field(void)
{
    sn_shape_def def = sn_default_shape_def(SN_SHAPE_FIELD);
    def.type = SN_SHAPE_FIELD;
    def.vertices = box_vertex;
    def.vertex_count = 8;
    def.triangles = box_triangle;
    def.triangle_count = 12;
    def.cell = real(0.125);
    return def;
}

/* ---- From fields
   ------------------------------------------------------------------------------------------------------------ */

/* The normals of a ball point away from its centre, and turn and travel with it; what is deeper says so. */
static void normals_of_a_ball(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 20; ++round) {
        sn_world *world = support_void();
        sn_real radius = real(0.8);
        sn_shape_def def = ball_field(&radius);
        sn_quat turn = random_turn(&seed), later = random_turn(&seed);
        sn_vec3 at = random_place(&seed, 10), then = random_place(&seed, 10);
        object o = make_object(world, turn, at, 0.5, &seed);
        def.position = at;
        def.rotation = turn;
        make_directional(world, OBJECT);
        assert_ok(world, sn_world_set_group_field(world, OBJECT, &def));
        assert_true(sn_world_has_group_field(world, OBJECT) && !sn_world_has_group_field(world, OBJECT + 1));
        if (round % 2)
            move_object(world, &o, later, then);
        for (int i = 0; i < POINTS; ++i) {
            const sn_outward *out = outward_of(world, o.point[i]);
            double far = length(o.own[i]);
            if (far < 0.1)
                continue;
            sn_vec3 expected = vec3_scale(sn_quat_rotate(round % 2 ? later : turn, o.own[i]), real(1 / far));
            assert_vec_close(out->normal, expected, 0.01);
            assert_close(out->depth, fmax(0, 0.8 - far), 1e-3);
        }
        sn_world_destroy(world);
    }
}

/* Baked from a mesh: the normal is that of the nearest face. */
static void normals_of_a_box(void **state)
{
    (void)state;
    uint64_t seed = 6;
    sn_world *world = support_void();
    sn_shape_def def = box_field();
    object o = make_object(world, (sn_quat){0, 0, 0, 1}, vec(0, 0, 0), 0.9, &seed);
    make_directional(world, OBJECT);
    assert_ok(world, sn_world_set_group_field(world, OBJECT, &def));
    int looked = 0;
    for (int round = 0; round < 10; ++round) {
        sn_quat turn = random_turn(&seed);
        move_object(world, &o, turn, random_place(&seed, 5));
        for (int i = 0; i < POINTS; ++i) {
            double x[3] = {(double)o.own[i].x, (double)o.own[i].y, (double)o.own[i].z}, second = 0;
            int most = 0;
            for (int k = 1; k < 3; ++k)
                most = fabs(x[k]) > fabs(x[most]) ? k : most;
            for (int k = 0; k < 3; ++k)
                second = k == most ? second : fmax(second, fabs(x[k]));
            if (fabs(x[most]) - second < 0.3) /* near the diagonals, between two cells of the grid, it is neither */
                continue;
            ++looked;
            double sign = x[most] < 0 ? -1 : 1;
            sn_vec3 face = vec(most == 0 ? sign : 0, most == 1 ? sign : 0, most == 2 ? sign : 0);
            const sn_outward *out = outward_of(world, o.point[i]);
            assert_vec_close(out->normal, sn_quat_rotate(turn, face), 0.01);
            assert_close(out->depth, 1 - fabs(x[most]), 0.01);
        }
    }
    assert_true(looked > 20);
    sn_world_destroy(world);
}

/* A little bent, the object still has a turn, and those who came later, or left, have no normal. */
static void members_of_an_object(void **state)
{
    (void)state;
    uint64_t seed = 7;
    sn_world *world = support_void();
    sn_real radius = 1;
    sn_shape_def def = ball_field(&radius);
    object o = make_object(world, (sn_quat){0, 0, 0, 1}, vec(0, 0, 0), 0.5, &seed);
    make_directional(world, OBJECT);
    assert_ok(world, sn_world_set_group_field(world, OBJECT, &def));
    sn_quat turn = random_turn(&seed);
    move_object(world, &o, turn, vec(3, 0, 0));
    for (int i = 0; i < POINTS; ++i) {
        sn_vec3 x = place(world, o.point[i]), off = random_place(&seed, 0.01);
        assert_ok(world, sn_particle_set_position(world, o.point[i], vec3_add(x, off)));
    }
    sn_vec3 expected = sn_quat_rotate(turn, vec3_scale(o.own[1], real(1 / length(o.own[1]))));
    assert_vec_close(outward_of(world, o.point[1])->normal, expected, 0.05);
    sn_particle late = add_in(world, vec(0, 0, 0), OBJECT), stranger = add_in(world, vec(1, 1, 1), 1);
    assert_true(outward_of(world, late)->depth == SN_NO_OUTSIDE);
    assert_true(outward_of(world, stranger)->depth == SN_NO_OUTSIDE);
    assert_ok(world, sn_particle_set_group(world, o.point[2], 1));
    assert_ok(world, sn_particle_set_group(world, o.point[2], OBJECT));
    assert_true(outward_of(world, o.point[2])->depth == SN_NO_OUTSIDE);
    assert_ok(world, sn_particle_remove(world, o.point[3]));
    sn_particle heir = add_in(world, vec(0, 0, 0), OBJECT);
    assert_int_equal(heir.index, o.point[3].index);
    assert_true(outward_of(world, heir)->depth == SN_NO_OUTSIDE);
    assert_true(outward_of(world, o.point[1])->depth >= 0);
    sn_world_destroy(world);
}

/* ---- From skins
   ------------------------------------------------------------------------------------------------------------- */

/* What is inside has the normal of the nearest corner of its own object; of two that are as near, that of the lower
   number. */
static void normals_of_a_skin(void **state)
{
    (void)state;
    uint64_t seed = 8;
    sn_world *world = support_void();
    sn_particle corner[2][8], inside[2][40];
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t triangle[36];
        for (int i = 0; i < 8; ++i)
            corner[k][i] = add_in(world, vec3_add(box_vertex[i], vec(k * 0.5, 0, 0)), OBJECT + k);
        for (int i = 0; i < 40; ++i)
            inside[k][i] = add_in(world, i ? random_place(&seed, 0.9) : vec(k * 0.5, 0, 0), OBJECT + k);
        for (int i = 0; i < 36; ++i)
            triangle[i] = corner[k][box_triangle[i]].index;
        sn_skin_def def = sn_default_skin_def();
        def.triangles = triangle;
        def.triangle_count = 12;
        assert_ok(world, sn_skin_add(world, &def, NULL));
        make_directional(world, OBJECT + k);
    }
    assert_ok(world, sn_world_step(world, real(1e-4))); /* makes the tree */
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 40; ++i) {
            int nearest = 0;
            for (int n = 1; n < 8; ++n)
                if (support_gap(place(world, corner[k][n]), place(world, inside[k][i])) <
                    support_gap(place(world, corner[k][nearest]), place(world, inside[k][i])) - 1e-6)
                    nearest = n;
            const sn_outward own = *outward_of(world, inside[k][i]);
            const sn_outward of = *outward_of(world, corner[k][nearest]);
            assert_true(of.depth == 0);
            assert_vec_close(own.normal, of.normal, 1e-6);
            assert_close(own.depth, support_gap(place(world, corner[k][nearest]), place(world, inside[k][i])), 1e-5);
        }
    sn_world_destroy(world);
}

/* ---- What is refused
   --------------------------------------------------------------------------------------------------------- */

static void refuse(sn_world *world, uint32_t group, const sn_shape_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_set_group_field(world, group, def));
    assert_says(sn_world_error(world), words);
    assert_true(sn_world_hash(world) == hash && !sn_world_has_group_field(world, group));
}

static void bad_input(void **state)
{
    (void)state;
    uint64_t seed = 9;
    sn_world *world = support_void(), *flat = support_world_2d();
    sn_shape_def def = box_field(), bad;
    make_object(world, (sn_quat){0, 0, 0, 1}, vec(0, 0, 0), 0.5, &seed);
    refuse(world, OBJECT + 1, &def, "group 4 no particles");
    for (int i = 0; i < 4; ++i)
        add_in(world, vec(i, 2 * i, 3 * i), OBJECT + 2);
    refuse(world, OBJECT + 2, &def, "group 5 line turned three");
    add_in(world, vec(1, 1, 1), OBJECT + 3);
    refuse(world, OBJECT + 3, &def, "group 6 line");
    bad = def;
    bad.type = SN_SHAPE_MESH;
    refuse(world, OBJECT, &bad, "group field type SN_SHAPE_FIELD");
    bad = def;
    bad.position.y = (sn_real)NAN;
    refuse(world, OBJECT, &bad, "group field: position nan");
    bad = def;
    bad.rotation = (sn_quat){0, 0, 0, 0};
    refuse(world, OBJECT, &bad, "group field: rotation (0, 0, 0, 0)");
    bad = def;
    bad.triangle_count = 11;
    refuse(world, OBJECT, &bad, "group field closed edge");
    bad = def;
    bad.vertices = NULL;
    refuse(world, OBJECT, &bad, "group field vertices");
    bad = def;
    bad.cell = -1;
    refuse(world, OBJECT, &bad, "group field cell -1");
    refuse(flat, 0, &def, "group field 2D");
    assert_int_equal(sn_world_set_group_field(NULL, 0, &def), SN_ERROR_ARGUMENT);
    assert_ok(world, sn_world_set_group_field(world, OBJECT + 9, NULL)); /* nothing to take away */
    assert_ok(world, sn_world_set_group_field(world, OBJECT, &def));
    assert_false(sn_world_has_group_field(NULL, OBJECT));
    sn_world_destroy(world);
    sn_world_destroy(flat);
}

/* ---- State
   -------------------------------------------------------------------------------------------------------------------
   */

/* Two objects that have got into each other, with fields. */
static void make_pair(sn_world *world, uint32_t fields)
{
    sn_shape_def def = box_field();
    uint64_t seed = 10;
    for (uint32_t k = 0; k < 2; ++k) {
        for (int i = 0; i < 20; ++i)
            add_in(world, vec3_add(random_place(&seed, 0.1), vec(k * 0.1, 0, 0)), OBJECT + k);
        make_directional(world, OBJECT + k);
        def.position = vec(k * 0.1, 0, 0);
        if (k < fields)
            assert_ok(world, sn_world_set_group_field(world, OBJECT + k, &def));
    }
}

static void state_and_snapshots(void **state)
{
    (void)state;
    sn_world *world = support_void(), *other = support_void(), *stranger = support_void();
    uint64_t hash[3];
    for (uint32_t i = 0; i < 3; ++i) {
        sn_world *one = support_void();
        make_pair(one, i);
        hash[i] = sn_world_hash(one);
        sn_world_destroy(one);
    }
    assert_true(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[2]);
    make_pair(world, 2);
    make_pair(other, 2);
    support_run(world, 2, FRAME);
    sn_snapshot *saved = sn_world_save(world);
    uint64_t then = sn_world_hash(world);
    support_run(world, 5, FRAME);
    uint64_t later = sn_world_hash(world);
    assert_ok(world, sn_world_set_group_field(world, OBJECT, NULL));
    assert_ok(world, sn_world_load(world, saved));
    assert_true(sn_world_hash(world) == then && sn_world_has_group_field(world, OBJECT));
    support_run(world, 5, FRAME);
    assert_true(sn_world_hash(world) == later);
    assert_ok(other, sn_world_load(other, saved));
    support_run(other, 5, FRAME);
    assert_true(sn_world_hash(other) == later);
    assert_result(stranger, SN_ERROR_ARGUMENT, sn_world_load(stranger, saved));
    assert_says(sn_world_error(stranger), "snapshot field group 3");
    /* taken away again, it is as if it had never been there */
    sn_world_destroy(world);
    world = support_void();
    make_pair(world, 2);
    assert_ok(world, sn_world_set_group_field(world, OBJECT, NULL));
    assert_ok(world, sn_world_set_group_field(world, OBJECT + 1, NULL));
    assert_true(sn_world_hash(world) == hash[0]);
    sn_snapshot_destroy(saved);
    sn_world_destroy(world);
    sn_world_destroy(other);
    sn_world_destroy(stranger);
}

/* A field makes a difference in a step. The origin of the world makes none, but for the order in which contacts are
   solved, which depends on cells of space. Particles 2 cm wide move by some mm. */
static void fields_reject(void **state)
{
    (void)state;
    sn_world *with = support_void(), *without = support_void(), *shifted = support_void();
    make_pair(with, 2);
    make_pair(without, 0);
    make_pair(shifted, 2);
    assert_ok(shifted, sn_world_shift_origin(shifted, vec(-8, 16, 4)));
    support_run(with, 5, FRAME);
    support_run(without, 5, FRAME);
    support_run(shifted, 5, FRAME);
    double apart = 0, off = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        const sn_vec3 x = place(with, sn_particle_from_index(with, i));
        const sn_vec3 y = vec3_sub(place(shifted, sn_particle_from_index(shifted, i)), vec(8, -16, -4));
        apart = fmax(apart, support_gap(x, place(without, sn_particle_from_index(without, i))));
        off = fmax(off, support_gap(x, y));
    }
    assert_true(apart > 5e-3 && off < 2e-3); /* measured: 9.7 and 1.1 mm */
    sn_world_destroy(with);
    sn_world_destroy(without);
    sn_world_destroy(shifted);
}

static void memory_fails(void **state)
{
    (void)state;
    for (uint64_t n = 1;; ++n) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = sn_default_world_def();
        uint64_t seed = 11;
        def.allocator = support_allocator(&memory);
        sn_world *world = support_world_from(&def);
        sn_shape_def field = box_field();
        make_object(world, (sn_quat){0, 0, 0, 1}, vec(0, 0, 0), 0.5, &seed);
        uint64_t hash = sn_world_hash(world);
        memory.fail_at = memory.requests + n;
        sn_result result = sn_world_set_group_field(world, OBJECT, &field);
        if (result != SN_OK) {
            assert_int_equal(result, SN_ERROR_MEMORY);
            assert_says(sn_world_error(world), "memory");
            assert_true(sn_world_hash(world) == hash && !sn_world_has_group_field(world, OBJECT));
            assert_ok(world, sn_world_set_group_field(world, OBJECT, &field));
        }
        bool failed = memory.failures > 0;
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_found),  cmocka_unit_test(turns_of_anything),    cmocka_unit_test(normals_of_a_ball),
        cmocka_unit_test(normals_of_a_box), cmocka_unit_test(members_of_an_object), cmocka_unit_test(normals_of_a_skin),
        cmocka_unit_test(bad_input),        cmocka_unit_test(state_and_snapshots),  cmocka_unit_test(fields_reject),
        cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests_name("normals of objects", tests, NULL, NULL);
}
