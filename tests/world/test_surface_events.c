/* Contacts of surfaces as a program sees them: events, the filter, and the pre-solve function. */
#include "world/cloth_sheets.h"

/* A sheet above one that is immovable. */
static sn_world *make_two(double gap, sheet s[2])
{
    sn_world *world = make_world(6);
    sn_contact_settings contact = sn_world_contact_settings(world);
    contact.events = true;
    assert_ok(world, sn_world_set_contact_settings(world, &contact));
    for (uint32_t i = 0; i < 2; ++i)
        s[i] = add_sheet(world, vec(0.03 * i, i * gap, 0.02 * i), vec(1, 0, 0), vec(0, 0, 1), 1 + i);
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        sn_particle_set_mass(world, sn_particle_from_index(world, s[0].first + i), SN_IMMOVABLE);
    return world;
}

/* N s: upwards on the upper sheet; counts phases. */
static double sum_of_events(const sn_world *world, const sheet s[2], uint32_t count[3])
{
    uint32_t events;
    double sum = 0;
    const sn_contact_event *e = sn_world_contact_events(world, &events);
    memset(count, 0, 3 * sizeof *count);
    for (uint32_t i = 0; i < events; ++i) {
        count[e[i].phase]++;
        assert_true(e[i].particle.index < e[i].other.index);
        assert_true(e[i].particle.index < s[1].first &&
                    e[i].other.index >= s[1].first); /* the immovable one is first */
        if (e[i].phase == SN_CONTACT_END)
            continue;
        assert_int_equal(e[i].skin.index, s[1].skin.index);
        assert_int_equal(e[i].skin.generation, s[1].skin.generation);
        assert_true(e[i].triangle < 2 * (SIDE - 1) * (SIDE - 1));
        assert_true(e[i].impulse > 0);
        assert_close(vec3_length(e[i].normal), 1, 1e-5);
        assert_true(fabs((double)e[i].point.y) < 0.03 && fabs((double)e[i].point.x) < 0.6);
        sum -= (double)e[i].impulse * (double)e[i].normal.y; /* it points at the immovable one, which is below */
    }
    return sum;
}

/* A sheet falls on another one: contacts begin, stay and press with its weight; it is taken away, and they end. */
static void a_sheet_falls_and_rests(void **state)
{
    (void)state;
    sheet s[2];
    sn_world *world = make_two(0.03, s);
    uint32_t count[3];
    assert_ok(world, sn_world_step(world, real(DT)));
    assert_close(sum_of_events(world, s, count), 0, 0);
    assert_int_equal(count[SN_CONTACT_BEGIN], 0);
    bool begun = false;
    for (uint32_t i = 0; i < 90; ++i) {
        run_apart(world, 1);
        sum_of_events(world, s, count);
        begun = begun || count[SN_CONTACT_BEGIN] > 10;
    }
    assert_true(begun);
    double sum = 0;
    for (uint32_t i = 0; i < 10; ++i) {
        run_apart(world, 1);
        sum += sum_of_events(world, s, count);
        assert_true(count[SN_CONTACT_STAY] > 10);
    }
    assert_close(sum, 10 * 0.2 * 9.81 * DT, 0.03 * 10 * 0.2 * 9.81 * DT); /* its weight */
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        sn_particle_set_velocity(world, sn_particle_from_index(world, s[1].first + i), vec(0, 3, 0));
    uint32_t ended = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        run_apart(world, 1);
        sum_of_events(world, s, count);
        ended += count[SN_CONTACT_END];
    }
    assert_true(ended > 10);
    assert_int_equal(count[SN_CONTACT_STAY] + count[SN_CONTACT_BEGIN], 0);
    sn_world_destroy(world);
}

/* ---- Callbacks ------------------------------------------------------------------------------------------------------------- */

typedef struct asked {
    const sn_world *world;
    uint32_t count;
    bool answer;
    sn_real friction, belt;
} asked;

static bool filter(void *context, const sn_contact_pair *pair)
{
    asked *a = context;
    a->count++;
    assert_true(pair->particle.generation && pair->other.generation && pair->skin.generation);
    return a->answer;
}

static bool pre_solve(void *context, sn_contact *contact)
{
    asked *a = context;
    a->count++;
    assert_close(vec3_length(contact->normal), 1, 1e-5);
    assert_true(contact->separation < real(0.1));
    if (a->friction != 0)
        contact->static_friction = contact->dynamic_friction = a->friction;
    contact->surface_velocity.x = -a->belt; /* of the upper one, below the immovable one: their order is by number */
    return a->answer;
}

/* A filter that refuses lets a sheet fall through; so does a pre-solve function. One that changes nothing changes no bit. */
static void contacts_are_refused(void **state)
{
    (void)state;
    uint64_t plain = 0;
    for (int i = 0; i < 5; ++i) { /* nothing; filter and pre-solve, which refuse or do not */
        sheet s[2];
        sn_world *world = make_two(0.03, s);
        asked a = {.world = world, .answer = i >= 3};
        if (i == 1 || i == 3)
            assert_ok(world, sn_world_set_contact_filter(world, filter, &a));
        if (i == 2 || i == 4)
            assert_ok(world, sn_world_set_pre_solve(world, pre_solve, &a));
        for (uint32_t k = 0; k < 20; ++k)
            assert_ok(world, sn_world_step(world, real(DT)));
        plain = i ? plain : sn_world_hash(world);
        assert_true(i == 0 || a.count > 0);
        assert_true((mean_of(world, &s[1]).y > 0) == a.answer || i == 0);
        assert_true(i < 3 || sn_world_hash(world) == plain);
        sn_world_destroy(world);
    }
}

/* A belt of 1 m/s takes a sheet along, by the friction that the function gives. */
static void a_belt_runs(void **state)
{
    (void)state;
    double x[2];
    for (int rough = 0; rough < 2; ++rough) {
        sheet s[2];
        sn_world *world = make_two(0.0101, s);
        asked a = {.world = world, .answer = true, .friction = real(rough ? 0.8 : 0.01), .belt = 1};
        assert_ok(world, sn_world_set_pre_solve(world, pre_solve, &a));
        run_apart(world, 30);
        x[rough] = (double)mean_of(world, &s[1]).x - 0.03;
        sn_world_destroy(world);
    }
    assert_true(fabs(x[0]) < 0.03);
    assert_true(fabs(x[1]) > 0.3 && fabs(x[1]) < 0.51); /* half a second, less 0.13 s to come to speed */
}

static void bad_answers_are_refused(void **state)
{
    (void)state;
    sheet s[2];
    sn_world *world = make_two(0.0101, s);
    asked a = {.world = world, .answer = true, .friction = -1};
    assert_ok(world, sn_world_set_pre_solve(world, pre_solve, &a));
    const uint64_t hash = sn_world_hash(world);
    assert_result(world, SN_ERROR_HOST, sn_world_step(world, real(DT)));
    assert_says(sn_world_error(world), "pre-solve triangle skin static_friction -1");
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_falls_and_rests),
        cmocka_unit_test(contacts_are_refused),
        cmocka_unit_test(a_belt_runs),
        cmocka_unit_test(bad_answers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
