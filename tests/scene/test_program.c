/* What happens while a scene runs: forces, wind, motions, events. */
#include "support/support.h"

#include "scene/scene_fixture.h"
#include "scene/state.h"
#include "scene/wind.h"

#include <math.h>

/* Nothing pulls; ten frames a second. One particle of 2 kg, 'p', unless said otherwise. */
#define VOID "'world': {'gravity': [0, 0, 0], 'substeps': 2}, 'run': {'rate': 10}"
#define ONE  VOID ", 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0, 0, 0], 'mass': 2}]"

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

static void test_force(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double per_frame; /* m/s gained along x in a frame in which it acts */
        uint32_t from, to;
    } cases[] = {{"'value': [4, 0, 0]", 0.2, 0, 8},
                 {"'value': [4, 0, 0], 'of': 'p'", 0.2, 0, 8},
                 {"'type': 'acceleration', 'value': [4, 0, 0]", 0.4, 0, 8},
                 {"'value': [4, 0, 0], 'from': 0.2, 'to': 0.5", 0.2, 2, 5},
                 {"'value': [4, 0, 0], 'from': 0.3", 0.2, 3, 8},
                 {"'value': [4, 0, 0], 'to': 0.7", 0.2, 0, 7},
                 {"'value': [4, 0, 0], 'from': 0.25, 'to': 0.45", 0.2, 3, 5},
                 {"'value': [4, 0, 0], 'from': 0.3, 'to': 0.3", 0.2, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char text[400];
        snprintf(text, sizeof text, "{" ONE ", 'forces': [{%s}]}", cases[i].keys);
        fixture f = fixture_good(text);
        double v = 0;
        for (uint32_t frame = 0; frame < 8; ++frame) {
            fixture_steps(&f, 1);
            v += frame >= cases[i].from && frame < cases[i].to ? cases[i].per_frame : 0;
            assert_vec_close(fixture_speed(&f, 0), vec(v, 0, 0), 1e-5);
        }
        fixture_close(&f);
    }
    /* those that are pinned feel nothing, and it is no error */
    fixture f = fixture_good("{" VOID ", 'objects': [{'type': 'particles', 'positions': [0,0,0, 1,0,0], 'fixed': [0]}],"
                             " 'forces': [{'type': 'acceleration', 'value': [1, 0, 0]}, {'value': [1, 0, 0]}]}");
    fixture_steps(&f, 1);
    assert_vec_close(fixture_speed(&f, 0), vec(0, 0, 0), 0);
    assert_vec_close(fixture_speed(&f, 1), vec(0.2, 0, 0), 1e-5);
    fixture_close(&f);
    assert_refused("{" ONE ", 'forces': [{}]}", "forces[0]", "'value' missing");
    assert_refused("{" ONE ", 'forces': [{'value': [1, 0, 0], 'of': 'q'}]}", "forces[0].of", "no object 'q'");
    assert_refused("{" ONE ", 'forces': [{'value': [1, 0, 0], 'from': 2, 'to': 1}]}", "forces[0].to", "1 after 2");
    assert_refused("{" ONE ", 'forces': [{'value': [1, 0, 0], 'type': 'windd'}]}", "forces[0].type", "mean 'wind'");
    assert_refused("{" ONE ", 'forces': [{'value': [1, 0, 0], 'typ': 'wind'}]}", "forces[0].typ", "mean 'type'");
    assert_refused("{" ONE ", 'forces': [7]}", "forces", "list");
    assert_refused("{" ONE ", 'forces': [{'type': 'wind', 'value': [1, 0, 0], 'gust': 2}]}", "forces[0].gust", "2 0 1");
    assert_refused("{" ONE ", 'forces': [{'type': 'wind', 'value': [1, 0, 0], 'period': 0}]}", "forces[0].period",
                   "more");
}

/* A time that a float cannot hold is still the time that was meant. */
static void test_times(void **state)
{
    (void)state;
    fixture f = fixture_good("{'world': {'gravity': [0, 0, 0], 'substeps': 1}, 'run': {'rate': 60}, 'objects':"
                             " [{'type': 'particles', 'name': 'p', 'positions': [0, 0, 0]}], 'events':"
                             " [{'time': 100.1, 'type': 'velocity', 'of': 'p', 'value': [1, 0, 0]}]}");
    fixture_steps(&f, 6006);
    assert_vec_close(fixture_speed(&f, 0), vec(0, 0, 0), 0);
    fixture_steps(&f, 1);
    assert_vec_close(fixture_speed(&f, 0), vec(1, 0, 0), 0);
    fixture_close(&f);
}

/* ---- Wind -------------------------------------------------------------------------------------------------------- */

#define SHEET(mass, keys)                                                                                              \
    "{" VOID ", 'objects': [{'type': 'particles', 'name': 's', 'positions': [0,0,0, 1,0,0, 0,1,0], 'triangles':"       \
    " [0, 1, 2], 'mass': " mass "}], 'forces': [{'type': 'wind', " keys "}]}"

static sn_vec3 momentum(const fixture *f)
{
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < sn_world_particle_count(f->world); ++i) {
        sn_vec3 v = fixture_speed(f, i);
        sn_real m = fixture_mass(f, i);
        sum = (sn_vec3){sum.x + m * v.x, sum.y + m * v.y, sum.z + m * v.z};
    }
    return sum;
}

static void test_wind(void **state)
{
    (void)state;
    fixture f = fixture_good(SHEET("3e6", "'value': [0, 0, 3], 'drag': 0.8"));
    fixture_steps(&f, 1);
    assert_vec_close(momentum(&f), vec(0, 0, 0.8 * 0.5 * 9 * 0.1), 1e-5); /* drag A u^2 dt */
    fixture_close(&f);
    f = fixture_good(SHEET("3e6", "'value': [0, 0, -3], 'drag': 0.8"));
    fixture_steps(&f, 1);
    assert_vec_close(momentum(&f), vec(0, 0, -0.8 * 0.5 * 9 * 0.1), 1e-5); /* from behind as well */
    fixture_close(&f);
    f = fixture_good(SHEET("3e6", "'value': [4, 0, 3]"));
    fixture_steps(&f, 1);
    assert_vec_close(momentum(&f), vec(0, 0, 0.6 * 0.5 * 5 * 3 * 0.1), 1e-5); /* along the normal, |u| u.n */
    fixture_close(&f);
    f = fixture_good(SHEET("3e6", "'value': [4, 2, 0]"));
    fixture_steps(&f, 1);
    assert_vec_close(momentum(&f), vec(0, 0, 0), 1e-9); /* it slides along */
    fixture_close(&f);
    /* each corner gets its third */
    f = fixture_good(SHEET("3e6", "'value': [0, 0, 3], 'drag': 0.8"));
    fixture_steps(&f, 1);
    assert_close(fixture_speed(&f, 1).z, fixture_speed(&f, 0).z, 1e-12);
    fixture_close(&f);
}

/* However light, it never outruns the wind as a whole (corners of a sheet may flutter a little). */
static void test_light_sheet(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SHEET("1e-6", "'value': [0, 0, 20], 'drag': 5"), SHEET("0.01", "'value': [0, 0, 20]"),
        "{" VOID ", 'objects': [{'type': 'cloth', 'columns': 6, 'rows': 6, 'mass': 1e-4}], 'forces': [{'type': 'wind',"
        " 'value': [0, 0, 20]}]}",
        "{" VOID ", 'objects': [{'type': 'particles', 'positions': [0, 0, 0], 'radius': 1, 'mass': 1e-5}], 'forces':"
        " [{'type': 'wind', 'value': [0, 0, 20]}]}"};
    for (size_t i = 0; i < COUNT_OF(texts); ++i) {
        fixture f = fixture_good(texts[i]);
        for (int frame = 0; frame < 60; ++frame) {
            fixture_steps(&f, 1);
            sn_report report;
            assert_ok(f.world, sn_world_report(f.world, &report));
            assert_true(report.momentum[2] >= 0 && report.momentum[2] <= 20.01 * report.mass);
            for (uint32_t k = 0; k < sn_world_particle_count(f.world); ++k)
                assert_true((double)fixture_speed(&f, k).z < 22 && (double)fixture_speed(&f, k).z >= 0);
        }
        assert_true((double)fixture_speed(&f, 0).z > 10); /* but it goes along */
        fixture_close(&f);
    }
}

static void test_wind_on_balls(void **state)
{
    (void)state;
    fixture f = fixture_good("{" VOID ", 'objects': [{'type': 'particles', 'positions': [0,0,0, 5,0,0], 'radius': 0.5,"
                             " 'masses': [1e6, 1], 'fixed': [1]}], 'forces': [{'type': 'wind', 'value': [0, 4, 0],"
                             " 'drag': 0.5}]}");
    fixture_steps(&f, 1);
    assert_close(1e6 * (double)fixture_speed(&f, 0).y, 0.5 * 16 * 3.14159265 * 0.25 * 0.1, 1e-4);
    assert_vec_close(fixture_speed(&f, 1), vec(0, 0, 0), 0);
    fixture_close(&f);
    assert_warned("{" ONE ", 'forces': [{'type': 'wind', 'value': [1, 0, 0]}]}", "forces[0]", "nothing radius");
    /* in the plane nothing is a sheet */
    f = fixture_good("{'world': {'dimensions': 2, 'gravity': [0, 0]}, 'objects': [{'type': 'particles', 'positions':"
                     " [0,0,0, 1,0,0, 0,1,0], 'triangles': [0, 1, 2], 'radius': 0.1}], 'forces': [{'type': 'wind',"
                     " 'value': [4, 0, 0]}]}");
    fixture_steps(&f, 1);
    assert_true(fixture_speed(&f, 0).x > 0);
    fixture_close(&f);
}

static void test_gusts(void **state)
{
    (void)state;
    fixture f = fixture_good(SHEET("3e6", "'value': [0, 0, 3], 'gust': 1, 'period': 2"));
    double before = 0, least = 1e9, most = 0;
    for (int i = 0; i < 100; ++i) {
        fixture_steps(&f, 1);
        double now = (double)momentum(&f).z, push = (now - before) / (0.6 * 0.5 * 9 * 0.1);
        least = push < least ? push : least;
        most = push > most ? push : most;
        before = now;
    }
    assert_true(least >= -0.01 && least < 0.5 && most > 1.5 && most <= 4.01); /* up to twice the speed */
    fixture_close(&f);
}

/* ---- Turbulence --------------------------------------------------------------------------------------------------- */

static void air(const fixture *f, double time, double x, double y, double z, double out[3])
{
    const double place[3] = {x, y, z};
    sn_wind_at(f->scene->forces.items, time, place, out);
}

/* It has no mean, the given root mean square along each axis, and gathers air nowhere. */
static void test_turbulence(void **state)
{
    (void)state;
    fixture f = fixture_good(SHEET("3", "'value': [3, 0, 0], 'turbulence': 2, 'eddies': 0.5"));
    double sum[3] = {0}, square[3] = {0}, u[3], d[6][3];
    const int count = 4000;
    for (int i = 0; i < count; ++i) {
        double x = 0.37 * i, y = fmod(0.71 * i, 13), z = fmod(0.53 * i, 17), time = fmod(0.29 * i, 11);
        air(&f, time, x, y, z, u);
        for (int k = 0; k < 3; ++k) {
            double v = u[k] - (k == 0 ? 3 : 0);
            sum[k] += v;
            square[k] += v * v;
        }
        const double h = 1e-5;
        for (int k = 0; k < 6; ++k)
            air(&f, time,
                x + (k == 0   ? h
                     : k == 1 ? -h
                              : 0),
                y + (k == 2   ? h
                     : k == 3 ? -h
                              : 0),
                z + (k == 4   ? h
                     : k == 5 ? -h
                              : 0),
                d[k]);
        assert_close((d[0][0] - d[1][0] + d[2][1] - d[3][1] + d[4][2] - d[5][2]) / (2 * h), 0, 1e-5);
    }
    double all = 0;
    for (int k = 0; k < 3; ++k) {
        assert_close(sum[k] / count, 0, 0.15);
        assert_close(sqrt(square[k] / count), 2, 0.8); /* eighteen waves have no even share of all directions */
        all += square[k] / count;
    }
    assert_close(sqrt(all / 3), 2, 0.1);
    fixture_close(&f);
}

/* The same for the same seed, another one for another; the eddies drift with the wind. */
static void test_turbulence_seeds(void **state)
{
    (void)state;
    fixture f = fixture_good(SHEET("3", "'value': [3, 0, 0], 'turbulence': 0.5"));
    fixture same = fixture_again(f.scene);
    fixture other = fixture_good(SHEET("3", "'value': [3, 0, 0], 'turbulence': 0.5, 'seed': 2"));
    fixture still = fixture_good(SHEET("3", "'value': [0, 0, 0], 'turbulence': 0.5"));
    double a[3], b[3], c[3], d[3];
    air(&f, 1.25, 0.3, 0.4, 0.5, a);
    air(&same, 1.25, 0.3, 0.4, 0.5, b);
    air(&other, 1.25, 0.3, 0.4, 0.5, c);
    air(&still, 1.25, 0.3 - 3 * 1.25, 0.4, 0.5, d);
    for (int k = 0; k < 3; ++k) {
        assert_true(a[k] == b[k] && a[k] != c[k]);
        assert_close(a[k] - (k == 0 ? 3 : 0), d[k], 1e-12);
    }
    fixture_steps(&f, 20);
    fixture_steps(&same, 20);
    assert_true(sn_world_hash(f.world) == sn_world_hash(same.world));
    fixture_close(&still);
    fixture_close(&other);
    fixture_close_both(&same, &f);
    /* in the plane it stays there */
    f = fixture_good(
        "{'world': {'dimensions': 2, 'gravity': [0, 0]}, 'objects': [{'type': 'particles', 'positions': [0, 0, 0],"
        " 'radius': 0.1}], 'forces': [{'type': 'wind', 'value': [0, 0], 'turbulence': 1}]}");
    air(&f, 0.5, 1, 2, 0, a);
    assert_true(a[2] == 0 && a[0] != 0 && a[1] != 0);
    fixture_steps(&f, 20);
    assert_true(fixture_speed(&f, 0).x != 0 && fixture_place(&f, 0).z == 0);
    fixture_close(&f);
    assert_refused(SHEET("3", "'value': [1, 0, 0], 'turbulence': -1"), "forces[0].turbulence", "-1");
    assert_refused(SHEET("3", "'value': [1, 0, 0], 'eddies': 0"), "forces[0].eddies", "more");
}

/* ---- Motions ----------------------------------------------------------------------------------------------------- */

#define LED(keys)                                                                                                      \
    "{" VOID ", 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0.1, 0.2, 0.3, 1.1, 0.2, 0.3], 'pins':"   \
    " [0]}], 'motions': [{'of': 'p[0]', " keys "}]}"

static void test_motion_by_frames(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double x[11]; /* how far it has moved after each frame */
    } cases[] = {
        {"'smooth': false, 'keys': [{'time': 0}, {'time': 0.5, 'move': [1, 0, 0]}]",
         {0, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, 1, 1, 1}},
        {"'keys': [{'time': 0}, {'time': 0.5, 'move': [1, 0, 0]}]", {0, 0.104, 0.352, 0.648, 0.896, 1, 1, 1, 1, 1, 1}},
        {"'smooth': false, 'keys': [{'time': 0.2, 'move': [1, 0, 0]}, {'time': 0.4, 'move': [2, 0, 0]},"
         " {'time': 0.8, 'move': [0, 0, 0]}]",
         {0, 1, 1, 1.5, 2, 1.5, 1, 0.5, 0, 0, 0}},
        {"'smooth': false, 'repeat': true, 'keys': [{'time': 0}, {'time': 0.3, 'move': [3, 0, 0]}]",
         {0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1}},
        {"'smooth': false, 'repeat': true, 'keys': [{'time': 0.1}, {'time': 0.3, 'move': [2, 0, 0]},"
         " {'time': 0.5, 'move': [0, 0, 0]}]",
         {0, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1}},
        {"'keys': [{'time': 0.3, 'move': [4, 0, 0]}]", {0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char text[700];
        snprintf(text, sizeof text, LED("%s"), cases[i].keys);
        fixture f = fixture_good(text);
        for (uint32_t frame = 0; frame <= 10; ++frame) {
            assert_vec_close(fixture_place(&f, 0), vec(0.1 + cases[i].x[frame], 0.2, 0.3), 1e-6);
            assert_vec_same(fixture_place(&f, 1), vec(1.1, 0.2, 0.3)); /* nobody leads it */
            if (frame < 10)
                fixture_steps(&f, 1);
        }
        fixture_close(&f);
    }
}

/* Where it stands it stands to the last bit, whatever it turns about. */
static void test_standing(void **state)
{
    (void)state;
    fixture f = fixture_good(LED("'about': [0.7, 100.3, -3], 'keys': [{'time': 0}, {'time': 9, 'move': [0, 0, 0]}]"));
    fixture_steps(&f, 30);
    assert_vec_same(fixture_place(&f, 0), vec(0.1, 0.2, 0.3));
    fixture_close(&f);
}

static void test_turning(void **state)
{
    (void)state;
    fixture f = fixture_good("{" VOID ", 'objects': [{'type': 'particles', 'name': 'p', 'positions': [1,0,0, -1,0,0],"
                             " 'pins': 'all'}], 'motions': [{'of': 'p', 'axis': [0, 0, 2], 'smooth': false, 'keys':"
                             " [{'time': 0}, {'time': 0.2, 'angle': 3.141592653589793, 'move': [0, 0, 2]}]}]}");
    fixture_steps(&f, 1);
    assert_vec_close(fixture_place(&f, 0), vec(0, 1, 1), 1e-6); /* about their middle, which moves along */
    assert_vec_close(fixture_place(&f, 1), vec(0, -1, 1), 1e-6);
    fixture_steps(&f, 1);
    assert_vec_close(fixture_place(&f, 0), vec(-1, 0, 2), 1e-6);
    fixture_close(&f);
    f = fixture_good("{" VOID ", 'objects': [{'type': 'particles', 'name': 'p', 'positions': [1,0,0]}], 'motions':"
                     " [{'of': 'p', 'about': [1, 0, 5], 'keys': [{'time': 0}, {'time': 0.1, 'angle':"
                     " 1.5707963267948966}]}]}");
    fixture_steps(&f, 1);
    assert_vec_close(fixture_place(&f, 0), vec(-4, 0, 5), 1e-5); /* about y, and about a point */
    fixture_close(&f);
}

/* Let go, it flies on with the speed that it had, and with its own mass. */
static void test_release_motion(void **state)
{
    (void)state;
    fixture f = fixture_good(LED("'smooth': false, 'release': true, 'keys': [{'time': 0}, {'time': 0.3, 'move':"
                                 " [3, 0, 0]}]"));
    fixture_steps(&f, 3);
    assert_vec_close(fixture_place(&f, 0), vec(3.1, 0.2, 0.3), 1e-6);
    assert_true(!isfinite(fixture_mass(&f, 0)));
    fixture_steps(&f, 2);
    assert_close(fixture_mass(&f, 0), 1, 0);
    assert_vec_close(fixture_place(&f, 0), vec(5.1, 0.2, 0.3), 1e-5);
    assert_vec_close(fixture_speed(&f, 0), vec(10, 0, 0), 1e-4);
    fixture_close(&f);
}

static void test_bad_motions(void **state)
{
    (void)state;
    assert_refused(LED("'keys': []"), "motions[0].keys", "one keyframe");
    assert_refused(LED("'smooth': true"), "motions[0]", "'keys' missing");
    assert_refused(LED("'keys': [{'move': [1, 0, 0]}]"), "motions[0].keys[0]", "'time' missing");
    assert_refused(LED("'keys': [{'time': 1}, {'time': 1}]"), "motions[0].keys", "keyframe 1 later");
    assert_refused(LED("'keys': [{'time': 1}], 'axis': [0, 0, 0]"), "motions[0].axis", "length 0");
    assert_refused(LED("'keys': [{'time': 1}], 'repeat': true, 'release': true"), "motions[0]", "exclude");
    assert_refused(LED("'keys': [{'time': 1}], 'start': [1, 2]"), "motions[0].start", "2 three 1");
    assert_refused(LED("'keys': [{'time': 1, 'mvoe': [1, 0]}]"), "motions[0].keys[0].mvoe", "mean 'move'");
    assert_refused("{'motions': [{'of': 'q', 'keys': [{'time': 0}]}]}", "motions[0].of", "no object");
    assert_refused("{'motions': [{'keys': [{'time': 0}]}]}", "motions[0]", "'of' missing");
}

/* What a flat world would refuse in the middle of a run is refused when it is read. */
static void test_flat(void **state)
{
    (void)state;
#define FLAT(more)                                                                                                     \
    "{'world': {'dimensions': 2}, 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0, 0, 0]}], " more "}"
    assert_refused(FLAT("'forces': [{'value': [0, 0, 1]}]"), "forces[0].value", "z = 1 two dimensions");
    assert_refused(FLAT("'events': [{'type': 'impulse', 'of': 'p', 'value': [0, 0, 1]}]"), "events[0].value", "z = 1");
    assert_refused(FLAT("'motions': [{'of': 'p', 'keys': [{'time': 0, 'move': [0, 0, 1]}]}]"), "motions[0].keys", "z");
    assert_refused(FLAT("'motions': [{'of': 'p', 'about': [0, 0, 1], 'keys': [{'time': 0}]}]"), "motions[0].about",
                   "z");
    assert_refused(FLAT("'motions': [{'of': 'p', 'keys': [{'time': 0, 'angle': 1}]}]"), "motions[0].axis", "[0, 0, 1]");
    fixture f = fixture_good(FLAT("'motions': [{'of': 'p', 'about': [1, 0], 'axis': [0, 0, 1], 'keys': [{'time': 0,"
                                  " 'angle': 3.141592653589793}]}], 'forces': [{'value': [1, 0, 0]}]"));
    fixture_steps(&f, 3);
    assert_vec_close(fixture_place(&f, 0), vec(2, 0, 0), 1e-6);
    fixture_close(&f);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

#define AT(event) "{" ONE ", 'events': [{'time': 0.3, 'of': 'p', " event "}]}"

static void test_events(void **state)
{
    (void)state;
    fixture f = fixture_good(AT("'type': 'impulse', 'value': [4, 0, 0]"));
    fixture_steps(&f, 3);
    assert_vec_close(fixture_speed(&f, 0), vec(0, 0, 0), 0);
    fixture_steps(&f, 1);
    assert_vec_close(fixture_speed(&f, 0), vec(2, 0, 0), 1e-6); /* at the start of the frame after 0.3 s */
    assert_vec_close(fixture_place(&f, 0), vec(0.2, 0, 0), 1e-6);
    fixture_steps(&f, 3);
    assert_vec_close(fixture_speed(&f, 0), vec(2, 0, 0), 1e-6); /* once */
    fixture_close(&f);
    f = fixture_good(AT("'type': 'velocity', 'value': [0, 3, 0]"));
    fixture_steps(&f, 5);
    assert_vec_close(fixture_place(&f, 0), vec(0, 0.6, 0), 1e-6);
    fixture_close(&f);
    f = fixture_good(AT("'type': 'teleport', 'value': [7, 8, 9]"));
    fixture_steps(&f, 3);
    assert_vec_close(fixture_place(&f, 0), vec(0, 0, 0), 0);
    fixture_steps(&f, 1);
    assert_vec_close(fixture_place(&f, 0), vec(7, 8, 9), 0);
    assert_vec_close(fixture_speed(&f, 0), vec(0, 0, 0), 0);
    fixture_close(&f);
    f = fixture_good(AT("'type': 'pin'}, {'type': 'velocity', 'of': 'p', 'value': [1, 0, 0]"));
    fixture_steps(&f, 9);
    assert_vec_close(fixture_place(&f, 0), vec(0.3, 0, 0), 1e-6);
    assert_true(!isfinite(fixture_mass(&f, 0)));
    fixture_close(&f);
    f = fixture_good("{" VOID ", 'objects': [{'type': 'particles', 'name': 'p', 'positions': [0,0,0, 1,0,0, 2,0,0],"
                     " 'masses': [2, 3, 4], 'pins': 'all'}], 'forces': [{'type': 'acceleration', 'value': [1, 0, 0]}],"
                     " 'events': [{'time': 0.2, 'type': 'release', 'of': 'p[:2]'}, {'time': 0.3, 'type': 'release',"
                     " 'of': 'p'}, {'time': 0.3, 'type': 'release', 'of': 'p'}]}");
    fixture_steps(&f, 2);
    assert_true(!isfinite(fixture_mass(&f, 0)));
    fixture_steps(&f, 1);
    assert_close(fixture_mass(&f, 0), 2, 0);
    assert_close(fixture_mass(&f, 1), 3, 0);
    assert_true(!isfinite(fixture_mass(&f, 2)));
    assert_close(fixture_speed(&f, 1).x, 0.1, 1e-6);
    fixture_steps(&f, 1);
    assert_close(fixture_mass(&f, 2), 4, 0);
    fixture_close(&f);
}

static void test_cuts(void **state)
{
    (void)state;
    fixture f = fixture_good("{" VOID ", 'objects': [{'type': 'chain', 'name': 'c', 'links': 6}], 'events': [{'time':"
                             " 0.1, 'type': 'cut', 'of': ['c.links[1]', 'c.links[0]']}, {'time': 0.2, 'type': 'cut',"
                             " 'of': 'c.links[0:3]'}]}");
    uint32_t links = sn_scene_object(f.scene, 0)->hold[0].run.count;
    fixture_steps(&f, 1);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), links);
    fixture_steps(&f, 1);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), links - 2);
    fixture_steps(&f, 1);
    assert_int_equal(sn_world_constraint_count(f.world, SN_KIND_NONE), links - 3); /* what is cut already stays so */
    fixture_close(&f);
}

static void test_bad_events(void **state)
{
    (void)state;
    assert_refused("{" ONE ", 'events': [{'of': 'p', 'value': [1, 0, 0]}]}", "events[0]", "'type' missing");
    assert_refused("{" ONE ", 'events': [{'type': 'cut'}]}", "events[0]", "'of' missing");
    assert_refused("{" ONE ", 'events': [{'type': 'cut', 'of': 'p'}]}", "events[0].of", "no constraints 'p'");
    assert_refused("{" ONE ", 'events': [{'type': 'cut', 'of': 3}]}", "events[0].of", "3 name");
    assert_refused("{" ONE ", 'events': [{'type': 'pin', 'of': 'q'}]}", "events[0].of", "no object");
    assert_refused("{" ONE ", 'events': [{'type': 'pinn', 'of': 'p'}]}", "events[0].type", "mean 'pin'");
    assert_refused("{" ONE ", 'events': {}}", "events", "record list");
}

/* A step that the world refuses says why, and does not count. */
static void test_divergence(void **state)
{
    (void)state;
    fixture f = fixture_good("{" ONE ", 'forces': [{'type': 'acceleration', 'value': [3e38, 0, 0]}]}");
    if (sizeof(sn_real) == sizeof(float)) {
        assert_true(sn_scene_step(f.scene) != SN_OK);
        assert_true(sn_world_error(f.world)[0] != 0);
        assert_int_equal(sn_scene_frame(f.scene), 0);
    }
    fixture_close(&f);
}

/* What would begin after the last frame has begun never does. */
static void test_after_the_end(void **state)
{
    (void)state;
#define ENDS(warm, what)                                                                                               \
    "{'objects': [{'type': 'particles', 'name': 'p', 'positions': [0, 0, 0]}], 'run': {'frames': 30, 'rate': 60, "     \
    "'warm_up': " warm "}, " what "}"
#define CUT(time) "'events': [{'time': " time ", 'type': 'velocity', 'of': 'p', 'value': [1, 0, 0]}]"
    assert_warned(ENDS("0", CUT("99")), "events[0].time", "99 s after the end 30 frames 60");
    assert_warned(ENDS("0", CUT("0.5")), "events[0].time", "after the end 0.483333 s");
    assert_warned(ENDS("0", "'forces': [{'value': [1, 0, 0], 'from': 7}]"), "forces[0].from", "7 s after the end");
    static const char *const fine[] = {ENDS("0", CUT("0.4833")), ENDS("30", CUT("0.95")), ENDS("0", CUT("0")),
                                       ENDS("0", "'forces': [{'value': [1, 0, 0], 'to': 99}]")};
    for (size_t k = 0; k < COUNT_OF(fine); ++k) {
        fixture f = fixture_good(fine[k]);
        assert_int_equal(f.problems.warnings, 0);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_the_end),
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_wind),
        cmocka_unit_test(test_light_sheet),
        cmocka_unit_test(test_wind_on_balls),
        cmocka_unit_test(test_gusts),
        cmocka_unit_test(test_turbulence),
        cmocka_unit_test(test_turbulence_seeds),
        cmocka_unit_test(test_motion_by_frames),
        cmocka_unit_test(test_standing),
        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_release_motion),
        cmocka_unit_test(test_bad_motions),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_bad_events),
        cmocka_unit_test(test_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
