/* Skins and rest shapes: what is taken and refused, what they lose with their
   particles, and that they are state. */
#include "support/support.h"

#include "world/world.h"

#include <math.h>

#define SIDE 5 /* particles along each side of a sheet */

/* A sheet of SIDE x SIDE particles and the two triangles of each of its cells.
 */
typedef struct sheet {
    sn_particles run;
    uint32_t index[2 * (SIDE - 1) * (SIDE - 1) * 3];
    uint32_t triangles;
} sheet;

static sheet make_sheet(sn_world *world, double height)
{
    sheet s = {.triangles = 0};
    sn_real xyz[3 * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        xyz[3 * i] = real(i % SIDE);
        xyz[3 * i + 1] = real(height);
        xyz[3 * i + 2] = real(sn_world_dimensions(world) == 2 ? 0 : i / SIDE);
    }
    s.run = sn_particles_add(world, SIDE * SIDE, xyz, 0, 1);
    assert_int_equal(s.run.count, SIDE * SIDE);
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t k = 0; k + 1 < SIDE; ++k) {
            uint32_t a = s.run.first + i * SIDE + k, corner[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
            memcpy(s.index + 3 * s.triangles, corner, sizeof corner);
            s.triangles += 2;
        }
    return s;
}

static sn_skin_def skin_def(const sheet *s)
{
    sn_skin_def def = sn_default_skin_def();
    def.triangles = s->index;
    def.triangle_count = s->triangles;
    def.thickness = real(0.01);
    return def;
}

static sn_skin add_skin(sn_world *world, const sheet *s)
{
    sn_skin_def def = skin_def(s);
    sn_skin skin;
    assert_ok(world, sn_skin_add(world, &def, &skin));
    assert_true(skin.generation > 0 && sn_skin_is_valid(world, skin));
    return skin;
}

static const sn_skin_record *record_of(const sn_world *world, sn_skin skin)
{
    assert_true(sn_skin_is_valid(world, skin));
    return &contact_skins(&world->contact)[world->contact.skin_ids.value[skin.index]];
}

static const uint32_t *triangles_of(const sn_world *world, sn_skin skin)
{
    return (const uint32_t *)world->contact.triangle_table.column[0] + 3 * record_of(world, skin)->first;
}

/* Skins are stored by number, their triangles one behind the other, and all of their particles live. */
static void check_tables(const sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    const sn_skin_record *skin = contact_skins(c);
    const uint32_t *corner = c->triangle_table.column[0];
    uint32_t first = 0;
    assert_int_equal(c->skin_table.count, c->skin_ids.live);
    for (uint32_t i = 0; i < c->skin_table.count; ++i) {
        assert_true(i == 0 || skin[i].number > skin[i - 1].number);
        assert_int_equal(c->skin_ids.value[skin[i].number], i);
        assert_int_equal(skin[i].first, first);
        first += skin[i].count;
        for (uint32_t k = 3 * skin[i].first; k < 3 * first; ++k)
            assert_true(corner[k] >= skin[i].least && corner[k] <= skin[i].most &&
                        sn_ids_is_live(&world->ids, corner[k]));
    }
    assert_int_equal(c->triangle_table.count, first);
}

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

static void test_add_and_remove(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sheet s[4];
    sn_skin skin[4];
    for (int i = 0; i < 4; ++i)
        s[i] = make_sheet(world, i);
    uint64_t none = sn_world_hash(world), hash[5];
    for (int i = 0; i < 4; ++i) {
        hash[i] = sn_world_hash(world);
        skin[i] = add_skin(world, &s[i]);
        assert_int_equal(skin[i].index, i);
        check_tables(world);
    }
    hash[4] = sn_world_hash(world);
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < i; ++k)
            assert_true(hash[i] != hash[k]);
    for (int i = 0; i < 4; ++i)
        assert_memory_equal(triangles_of(world, skin[i]), s[i].index, sizeof s[i].index);
    assert_ok(world, sn_skin_remove(world, skin[1]));
    check_tables(world);
    assert_false(sn_skin_is_valid(world, skin[1]));
    assert_result(world, SN_ERROR_STALE, sn_skin_remove(world, skin[1]));
    assert_says(sn_world_error(world), "skin 1 generation exist");
    for (int i = 0; i < 4; ++i)
        if (i != 1)
            assert_memory_equal(triangles_of(world, skin[i]), s[i].index, sizeof s[i].index);
    sn_skin again = add_skin(world, &s[1]); /* in between, as its number says */
    assert_true(again.index == 1 && again.generation != skin[1].generation && !sn_skin_is_valid(world, skin[1]));
    check_tables(world);
    assert_true(sn_world_hash(world) == hash[4]);
    assert_memory_equal(triangles_of(world, again), s[1].index, sizeof s[1].index);
    skin[1] = again;
    for (int i = 0; i < 4; ++i) {
        assert_ok(world, sn_skin_remove(world, skin[(i + 2) % 4]));
        check_tables(world);
    }
    assert_true(sn_world_hash(world) == none);
    assert_result(world, SN_ERROR_STALE, sn_skin_remove(world, (sn_skin){0}));
    assert_says(sn_world_error(world), "skin null");
    assert_false(sn_skin_is_valid(world, (sn_skin){0}) || sn_skin_is_valid(NULL, skin[0]));
    assert_int_equal(sn_skin_remove(NULL, skin[0]), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void refuse(sn_world *world, const sn_skin_def *def, const char *words)
{
    uint64_t hash = sn_world_hash(world);
    sn_skin skin = {3, 3};
    assert_result(world, SN_ERROR_ARGUMENT, sn_skin_add(world, def, &skin));
    assert_says(sn_world_error(world), words);
    assert_true(skin.generation == 0 && skin.index == 0 && sn_world_hash(world) == hash);
    check_tables(world);
}

static void test_bad_input(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sheet s = make_sheet(world, 0);
    sn_skin_def def = skin_def(&s), bad;
    add_skin(world, &s);
    refuse(world, NULL, "def NULL sn_default_skin_def");
    bad = def;
    bad.triangle_count = 0;
    refuse(world, &bad, "triangle_count 0");
    bad = def;
    bad.triangles = NULL;
    refuse(world, &bad, "triangles NULL triangle_count 32");
    const double thickness[] = {-1, (double)NAN, (double)INFINITY};
    const char *const words[] = {"thickness -1 negative", "thickness nan", "thickness inf finite"};
    for (int i = 0; i < 3; ++i) {
        bad = def;
        bad.thickness = real(thickness[i]);
        refuse(world, &bad, words[i]);
    }
    uint32_t index[] = {0, 1, 2, 3, 4, SIDE * SIDE};
    bad = def;
    bad.triangles = index;
    bad.triangle_count = 2;
    refuse(world, &bad, "triangle 1 corner 2 particle 25 exist");
    index[5] = UINT32_MAX;
    refuse(world, &bad, "triangle 1 corner 2 particle 4294967295 exist");
    index[5] = 3;
    refuse(world, &bad, "triangle 1 particle 3 two corners");
    index[5] = 4;
    refuse(world, &bad, "triangle 1 particle 4 two corners");
    index[4] = 3;
    refuse(world, &bad, "triangle 1 particle 3 two corners");
    index[4] = 4;
    index[5] = 5;
    assert_ok(world, sn_particle_remove(world, sn_particles_at(s.run, 5)));
    refuse(world, &bad, "triangle 1 corner 2 particle 5 exist");
    bad.triangle_count = UINT32_MAX; /* the array is not read */
    uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_LIMIT, sn_skin_add(world, &bad, NULL));
    assert_true(sn_world_hash(world) == hash);
    assert_int_equal(sn_skin_add(NULL, &def, NULL), SN_ERROR_ARGUMENT);
    index[5] = 6;
    bad.triangle_count = 2;
    assert_ok(world, sn_skin_add(world, &bad, NULL));
    sn_world_destroy(world);
}

static void test_hash_sees_all(void **state)
{
    (void)state;
    uint64_t hash[5];
    for (int i = 0; i < 5; ++i) {
        sn_world *world = support_world();
        sheet s = make_sheet(world, 0);
        sn_skin_def def = skin_def(&s);
        if (i == 1)
            def.thickness = 1;
        if (i == 2)
            def.one_sided = true;
        if (i == 3)
            def.triangle_count--;
        if (i == 4) { /* the other way round */
            s.index[0] = s.index[1];
            s.index[1] = 0;
        }
        assert_ok(world, sn_skin_add(world, &def, NULL));
        hash[i] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < i; ++k)
            assert_true(hash[i] != hash[k]);
}

/* ---- Particles that go ------------------------------------------------------------------------------------------- */

static uint32_t triangles_without(const sheet *s, uint32_t first, uint32_t last)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->triangles; ++i) {
        const uint32_t *c = s->index + 3 * i;
        left +=
            !((c[0] >= first && c[0] <= last) || (c[1] >= first && c[1] <= last) || (c[2] >= first && c[2] <= last));
    }
    return left;
}

static void test_lost_triangles(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sheet s[3];
    sn_skin skin[3];
    for (int i = 0; i < 3; ++i)
        s[i] = make_sheet(world, i);
    for (int i = 0; i < 3; ++i)
        skin[i] = add_skin(world, &s[i]);
    sn_particle middle = sn_particles_at(s[1].run, 12);
    assert_ok(world, sn_particle_remove(world, middle));
    check_tables(world);
    assert_int_equal(record_of(world, skin[1])->count, s[1].triangles - 6);
    assert_int_equal(record_of(world, skin[1])->count, triangles_without(&s[1], middle.index, middle.index));
    for (int i = 0; i < 3; i += 2)
        assert_memory_equal(triangles_of(world, skin[i]), s[i].index, sizeof s[i].index);
    /* its number is used again, and the skin does not take the new one for it */
    uint64_t hash = sn_world_hash(world);
    sn_particle other = sn_particle_add_at(world, vec(9, 9, 9), 1);
    assert_int_equal(other.index, middle.index);
    assert_int_equal(record_of(world, skin[1])->count, s[1].triangles - 6);
    assert_ok(world, sn_particle_remove(world, other));
    assert_true(sn_world_hash(world) == hash);
    /* all of another's */
    assert_ok(world, sn_particles_remove(world, s[0].run));
    check_tables(world);
    assert_int_equal(record_of(world, skin[0])->count, 0); /* it is there, and empty */
    assert_memory_equal(triangles_of(world, skin[2]), s[2].index, sizeof s[2].index);
    assert_ok(world, sn_skin_remove(world, skin[0]));
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) /* one by one */
        assert_ok(world, sn_particle_remove(world, sn_particles_at(s[2].run, i)));
    check_tables(world);
    assert_int_equal(record_of(world, skin[2])->count, 0);
    sn_world_destroy(world);
}

/* Random edits: the tables stay in order, and hold what a list kept beside them holds. */
static void test_random_edits(void **state)
{
    (void)state;
    enum { SKINS = 12 };
    uint64_t seed = 11;
    sn_world *world = support_world();
    sheet s[SKINS];
    sn_skin skin[SKINS] = {{0}};
    bool alive[SKINS][SIDE * SIDE];
    for (int i = 0; i < SKINS; ++i)
        s[i].triangles = 0;
    for (uint32_t round = 0; round < 400; ++round) {
        uint32_t i = support_random_below(&seed, SKINS), k = support_random_below(&seed, SIDE * SIDE);
        if (!s[i].triangles) {
            s[i] = make_sheet(world, i);
            memset(alive[i], true, sizeof alive[i]);
            skin[i] = add_skin(world, &s[i]);
        } else if (round % 4 == 0) {
            assert_ok(world, sn_skin_remove(world, skin[i]));
            for (uint32_t p = 0; p < SIDE * SIDE; ++p)
                if (alive[i][p])
                    assert_ok(world, sn_particle_remove(world, sn_particles_at(s[i].run, p)));
            s[i].triangles = 0;
        } else if (alive[i][k]) {
            alive[i][k] = false;
            assert_ok(world, sn_particle_remove(world, sn_particles_at(s[i].run, k)));
        }
        check_tables(world);
        for (int n = 0; n < SKINS; ++n) {
            if (!s[n].triangles)
                continue;
            const uint32_t *corner = triangles_of(world, skin[n]);
            uint32_t at = 0, first = s[n].run.first;
            for (uint32_t t = 0; t < s[n].triangles; ++t) {
                const uint32_t *c = s[n].index + 3 * t;
                if (!alive[n][c[0] - first] || !alive[n][c[1] - first] || !alive[n][c[2] - first])
                    continue;
                assert_memory_equal(corner + 3 * at, c, 3 * sizeof *c);
                ++at;
            }
            assert_int_equal(record_of(world, skin[n])->count, at);
        }
    }
    sn_world_destroy(world);
}

/* ---- Rest shapes ------------------------------------------------------------------------------------------------- */

static sn_vec4 rest_of(const sn_world *world, sn_particle p)
{
    sn_vec4 none = {0, 0, 0, 0};
    return p.index < world->contact.rest_table.count ? ((sn_vec4 *)world->contact.rest_table.column[0])[p.index] : none;
}

static sn_particle add_in(sn_world *world, sn_vec3 position, uint32_t group)
{
    sn_particle_def def = sn_default_particle_def();
    sn_particle p;
    def.position = position;
    def.group = group;
    assert_ok(world, sn_particle_add(world, &def, &p));
    return p;
}

static void test_rest_shape(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle p[6];
    for (uint32_t i = 0; i < 6; ++i)
        p[i] = add_in(world, vec(100 + i, 2 * i, 0), i % 2);
    uint64_t none = sn_world_hash(world);
    assert_result(world, SN_ERROR_ARGUMENT, sn_world_take_rest_shape(world, 7));
    assert_says(sn_world_error(world), "group 7 no particles");
    assert_int_equal(sn_world_take_rest_shape(NULL, 0), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(world) == none);
    assert_ok(world, sn_world_take_rest_shape(world, 1));
    uint64_t one = sn_world_hash(world);
    assert_true(one != none);
    for (uint32_t i = 0; i < 6; ++i)
        assert_int_equal(rest_of(world, p[i]).w, i % 2);
    sn_vec3 apart = vec3_sub(vec4_xyz(rest_of(world, p[5])), vec4_xyz(rest_of(world, p[3])));
    assert_vec_close(apart, vec(2, 4, 0), 1e-6);
    assert_ok(world, sn_world_take_rest_shape(world, 0));
    assert_int_equal(rest_of(world, p[4]).w, 1);
    /* a rest shape is a shape: where the world's origin is does not matter to it
   */
    uint64_t before = sn_world_hash(world);
    sn_vec4 place = rest_of(world, p[5]);
    assert_ok(world, sn_world_shift_origin(world, vec(5000, 0, 0)));
    sn_vec4 after = rest_of(world, p[5]);
    assert_memory_equal(&place, &after, sizeof place);
    assert_ok(world, sn_world_shift_origin(world, vec(-5000, 0, 0)));
    assert_true(sn_world_hash(world) == before);
    /* a particle that leaves the group, or goes, has no place any more; nor has
   * the one that gets its number */
    assert_ok(world, sn_particle_set_group(world, p[1], 1));
    assert_int_equal(rest_of(world, p[1]).w, 1);
    assert_ok(world, sn_particle_set_group(world, p[1], 2));
    assert_int_equal(rest_of(world, p[1]).w, 0);
    assert_ok(world, sn_particle_remove(world, p[3]));
    sn_particle q = add_in(world, vec(0, 0, 0), 1);
    assert_int_equal(q.index, p[3].index);
    assert_int_equal(rest_of(world, q).w, 0);
    /* taken again */
    assert_ok(world, sn_particle_set_position(world, p[5], vec(0, 1, 0)));
    assert_ok(world, sn_world_take_rest_shape(world, 1));
    apart = vec3_sub(vec4_xyz(rest_of(world, p[5])), vec4_xyz(rest_of(world, q)));
    assert_vec_close(apart, vec(0, 1, 0), 1e-6);
    sn_world_destroy(world);
}

/* Far from the origin, where places have lost their digits to x_low, shapes have not. */
static void test_rest_shape_far_away(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_particle a = add_in(world, vec(0.123, 0, 0), 0), b = add_in(world, vec(0.456, 0, 0), 0);
    double apart = (double)sn_particle_position(world, b).x - (double)sn_particle_position(world, a).x;
    assert_ok(world, sn_world_shift_origin(world, vec(-1e6, 0, 0)));
    assert_ok(world, sn_world_take_rest_shape(world, 0));
    assert_close((double)rest_of(world, b).x - (double)rest_of(world, a).x, apart, 1e-6);
    sn_world_destroy(world);
}

/* ---- State ------------------------------------------------------------------------------------------------------- */

static void test_snapshot(void **state)
{
    (void)state;
    sn_world *world = support_world(), *other = support_world();
    sheet s = make_sheet(world, 0), t = make_sheet(world, 1);
    sn_snapshot *before = sn_world_save(world);
    uint64_t none = sn_world_hash(world);
    sn_skin skin[2] = {add_skin(world, &s), add_skin(world, &t)};
    assert_ok(world, sn_world_take_rest_shape(world, 0));
    sn_snapshot *saved = sn_world_save(world);
    uint64_t full = sn_world_hash(world);
    assert_ok(world, sn_particles_remove(world, t.run));
    assert_ok(world, sn_skin_remove(world, skin[0]));
    assert_ok(world, sn_world_load(world, saved));
    check_tables(world);
    assert_true(sn_world_hash(world) == full && sn_skin_is_valid(world, skin[0]) && sn_skin_is_valid(world, skin[1]));
    assert_memory_equal(triangles_of(world, skin[1]), t.index, sizeof t.index);
    assert_ok(other, sn_world_load(other, saved));
    check_tables(other);
    assert_true(sn_world_hash(other) == full && sn_skin_is_valid(other, skin[1]));
    assert_int_equal(rest_of(other, sn_particles_at(t.run, 3)).w, 1);
    assert_ok(other, sn_world_load(other, before));
    assert_true(sn_world_hash(other) == none && !sn_skin_is_valid(other, skin[0]));
    sn_world_destroy(world);
    sn_world_destroy(other);
    sn_snapshot_destroy(before);
    sn_snapshot_destroy(saved);
}

/* Each request for memory fails once: the call changes nothing, and works the
   second time. Removing asks for none. The sheet has a tetrahedron: a skin that
   collides with itself takes the rest shape of that, too. */
static void test_memory(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint64_t n = 0;; ++n) {
        support_memory memory = {.fail_at = 0};
        sn_world_def def = support_scarce(&memory);
        sn_world *world = support_world_from(&def);
        sheet s = make_sheet(world, 0);
        const sn_particle top = sn_particle_add_at(world, vec(0, 1, 0), 1);
        const uint32_t cell[4] = {s.index[0], s.index[1], s.index[2], top.index};
        assert_int_equal(sn_constraints_add_kind(world, SN_KIND_VOLUME, 1, cell, NULL, NULL).count, 1);
        sn_skin_def made = skin_def(&s);
        made.self_collision = true;
        sn_skin skin[30];
        memory.fail_at = n ? memory.requests + n : 0;
        for (int i = 0; i < 31; ++i) {
            uint64_t hash = sn_world_hash(world);
            if (!ran_out(world, hash,
                         i < 30 ? sn_skin_add(world, &made, &skin[i]) : sn_world_take_rest_shape(world, 0)))
                continue;
            check_tables(world);
            --i;
        }
        uint64_t requests = memory.requests;
        for (int i = 0; i < 30; i += 2)
            assert_ok(world, sn_skin_remove(world, skin[i]));
        assert_true(memory.requests == requests);
        if (n == 0)
            expected = sn_world_hash(world);
        assert_true(sn_world_hash(world) == expected);
        if (!support_had_failed(world, &memory) && n)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_remove),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_hash_sees_all),
        cmocka_unit_test(test_lost_triangles),
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_rest_shape),
        cmocka_unit_test(test_rest_shape_far_away),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("skins", tests, NULL, NULL);
}
