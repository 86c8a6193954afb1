/* A volley of random shots at everything.

       test_volley                      what make test fires; kinds of shots that are known to fail are only told
       test_volley --first 100000 --shots 50000
       test_volley --seed 4711          one shot alone, told step by step
       test_volley --energy             gains of energy are failures, too */
#include "shots/shots.h"

#include "base/quat.h"

#include <math.h>

static void tell_step(const shot *s, uint32_t step)
{
    printf("  step %u:", step);
    for (uint32_t i = 0; i < s->parts; ++i) {
        const sn_vec3 x = shot_seen(s, sn_particle_position(s->world, s->part[i].particle));
        const sn_vec3 v = sn_quat_rotate_back(s->turn, sn_particle_velocity(s->world, s->part[i].particle));
        printf("\n    %s (%g, %g, %g) m, (%g, %g, %g) m/s", shot_thing_name(s->part[i].what), (double)x.x, (double)x.y,
               (double)x.z, (double)v.x, (double)v.y, (double)v.z);
        printf(", extent %g", s->part[i].extent);
        if (s->part[i].is_body)
            printf(", %g kg, extent %g m, %g rad/s", (double)sn_particle_mass(s->world, s->part[i].particle),
                   s->part[i].extent, (double)vec3_length(sn_body_spin(s->world, s->part[i].body)));
    }
    if (s->pusher.generation)
        printf("\n    pusher at %g m", (double)shot_seen(s, sn_body_position(s->world, s->pusher)).z);
    printf("\n    deepest %g m, least energy %g of %g J\n", s->deepest, s->lowest, s->energy);
}

static void set_groups(shot *s)
{
    for (uint32_t group = 0; group < 10; ++group) {
        sn_group_contact contact = sn_default_group_contact(group);
        contact.self = group == 0;
        contact.rolls = s->rolls && group > 0;
        contact.material.restitution = real(s->restitution);
        contact.material.static_friction = contact.material.dynamic_friction = real(s->friction);
        assert_ok(s->world, sn_world_set_group_contact(s->world, group, &contact));
    }
}

/* What is wrong with a shot, or NULL. */
static const char *fire(uint64_t number, bool tells, shot *fired)
{
    shot *s = fired;
    const char *wrong = NULL;
    sn_world_def def = sn_default_world_def();
    *s = shot_draw(number);
    def.threads = 1;
    def.settings.gravity = vec(0, 0, 0);
    def.settings.substeps = s->substeps;
    def.settings.iterations = s->passes;
    s->world = support_world_from(&def);
    set_groups(s);
    shot_add_target(s);
    shot_add_things(s);
    shot_judge_start(s);
    if (tells)
        shot_tell(s);
    for (uint32_t i = 0; i < s->frames && (!wrong || tells); ++i) {
        shot_drive(s, i);
        const sn_result result = sn_world_step(s->world, real(s->dt));
        if (result != SN_OK)
            printf("shot %llu: step %u: %s\n", (unsigned long long)number, i, sn_world_error(s->world));
        const char *now = result != SN_OK ? "failed" : shot_judge(s);
        wrong = wrong ? wrong : now;
        if (tells) {
            tell_step(s, i);
            printf("    %s\n", now ? now : "");
        }
    }
    sn_world_destroy(s->world);
    return wrong;
}

/* Shots from here on are fired by make test. */
static uint64_t first_number = 1201, shots;
static bool energy_counts;

/* Shots of which a few in a thousand pass: docs/contact.md has them among what does not hold. */
static bool is_known_to_fail(const shot *s)
{
    bool known = s->where == IN_TUBE || (s->where == IN_ROOM ? s->walls == HOLLOW_FIELD : s->at == FIELD);
    for (uint32_t i = 0; i < s->parts; ++i)
        known = known || s->part[i].what == ROPE || s->part[i].what == GROUP || s->part[i].what == JOINTED;
    return known;
}

static void test_nothing_passes(void **state)
{
    (void)state;
    uint32_t passed = 0, known = 0, gained = 0;
    const uint64_t count = shots ? shots : support_long(100000, support_rounds(1, 0) ? 150 : 40);
    for (uint64_t number = first_number; number < first_number + count; ++number) {
        shot s;
        const char *wrong = fire(number, false, &s);
        const bool energy = wrong && strcmp(wrong, "energy") == 0;
        passed += wrong && !energy;
        known += wrong && !energy && is_known_to_fail(&s);
        gained += energy;
        if (wrong && (!energy || energy_counts)) {
            printf("%s (%s, %g m): ", wrong, shot_thing_name(s.part[s.culprit].what), energy ? s.gain : s.deepest);
            shot_tell(&s);
        }
    }
    if (passed || gained)
        printf("%u of %llu passed, %u of them of kinds that are known to, %u gained energy\n", passed,
               (unsigned long long)count, known, gained);
    if (count <= 1000)
        assert_int_equal(passed - known, 0);
    else
        assert_known_failure("none of many random shots at everything passes", passed == 0);
}

/* Shots that passed, or gained energy: a ball that a body threw at a wall; rolling balls, head-on; a light ball between
   heavy bodies; a point that left its margin through a one-sided sheet; a sphere before planes that rotate; points that
   slid along a face of a field or a mesh, and left through the next; a press that stopped, and went beyond its target
   within the step; a rope and a rigid group that were stopped on their paths and pulled back; a point between a
   kinematic box and a heavy one; a capsule and a compound that turn by radians in a substep, and a light box beside
   jointed bodies. */
static void test_found(void **state)
{
    (void)state;
    static const uint64_t found[] = {2940, 521,   671,   1846,  2059, 705,  2906,   289,
                                     4153, 14595, 12630, 14512, 823,  2939, 100105, 415};
    for (uint32_t i = 0; i < COUNT_OF(found); ++i) {
        shot s;
        const char *wrong = fire(found[i], false, &s);
        if (wrong)
            fail_msg("shot %llu: %s", (unsigned long long)found[i], wrong);
    }
}

int main(int count, char **argument)
{
    for (int i = 1; i < count; ++i) {
        const char *word = argument[i], *value = i + 1 < count ? argument[i + 1] : "0";
        if (strcmp(word, "--energy") == 0)
            energy_counts = true;
        else if (strcmp(word, "--first") == 0)
            first_number = strtoull(value, NULL, 10), ++i;
        else if (strcmp(word, "--shots") == 0)
            shots = strtoull(value, NULL, 10), ++i;
        else if (strcmp(word, "--seed") == 0) {
            shot s;
            return fire(strtoull(value, NULL, 10), true, &s) != NULL;
        }
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_passes), cmocka_unit_test(test_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
