/* Selectors: how a scene names particles and constraints. */
#include "support/support.h"

#include "scene/scene_fixture.h"

/* Particles 0 to 4 are 'a', 5 to 7 are 'b'. */
#define TWO                                                                                                            \
    "'objects': [{'type': 'particles', 'name': 'a', 'positions': [0,0,0, 1,0,0, 2,0,0, 3,0,0, 4,0,0],"                 \
    " 'parts': {'odd': [1, 3], 'last': [4], 'none': []}},"                                                             \
    " {'type': 'particles', 'name': 'b-2_x', 'positions': [0,5,0, 1,5,0, 0,6,0]}]"

/* What a selector selects, through the particles that are recorded. */
static void expect(const char *selector, uint32_t count, const uint32_t *number)
{
    char text[1200];
    snprintf(text, sizeof text, "{" TWO ", 'record': {'particles': %s}}", selector);
    fixture f = fixture_good(text);
    sn_trace_list traces = sn_scene_traces(f.scene);
    if (traces.particle_count != count)
        fail_msg("%s gives %u particles", selector, traces.particle_count);
    for (uint32_t i = 0; i < count; ++i)
        if (traces.particle[i].particle.index != number[i])
            fail_msg("%s: item %u is particle %u", selector, i, traces.particle[i].particle.index);
    fixture_close(&f);
}

#define LIST(...)                                                                                                      \
    sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[])                                           \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void test_forms(void **state)
{
    (void)state;
    expect("'a'", LIST(0, 1, 2, 3, 4));
    expect("'a.all'", LIST(0, 1, 2, 3, 4));
    expect("'b-2_x'", LIST(5, 6, 7));
    expect("'a.odd'", LIST(1, 3));
    expect("'a.last'", LIST(4));
    expect("'a.none'", 0, NULL);
    expect("'a[0]'", LIST(0));
    expect("'b-2_x[2]'", LIST(7));
    expect("'a[-1]'", LIST(4));
    expect("'a[-5]'", LIST(0));
    expect("'a[1:3]'", LIST(1, 2));
    expect("'a[:2]'", LIST(0, 1));
    expect("'a[3:]'", LIST(3, 4));
    expect("'a[:]'", LIST(0, 1, 2, 3, 4));
    expect("'a[-2:]'", LIST(3, 4));
    expect("'a[:-3]'", LIST(0, 1));
    expect("'a[2:2]'", 0, NULL);
    expect("'a[5:5]'", 0, NULL);
    expect("'a[::2]'", LIST(0, 2, 4));
    expect("'a[1::3]'", LIST(1, 4));
    expect("'a[0:3:2]'", LIST(0, 2));
    expect("'a[:4:]'", LIST(0, 1, 2, 3));
    expect("'a[-4::9999999999]'", LIST(1));
    expect("'a[2:2:2]'", 0, NULL);
    expect("'a.odd[1]'", LIST(3));
    expect("'a.odd[-2:-1]'", LIST(1));
    expect("6", LIST(6));
    expect("[6, 0, 6]", LIST(6, 0, 6));
    expect("[]", 0, NULL);
    expect("['b-2_x[0]', 2, 'a.odd']", LIST(5, 2, 1, 3));
}

static void test_places(void **state)
{
    (void)state;
    expect("{'of': 'a', 'near': [2.6, 7, 0]}", LIST(3));
    expect("{'of': ['a', 'b-2_x'], 'near': [0.9, 4, 0]}", LIST(6));
    expect("{'of': 'a', 'inside': [[0.5, -1, -1], [2, 1, 1]]}", LIST(1, 2)); /* the corners belong to it */
    expect("{'of': {'of': 'a', 'inside': [[1, 0, 0], [3, 0, 0]]}, 'near': [9, 9, 0]}", LIST(3));
    expect("[{'of': 'a.odd', 'near': [0, 0, 0]}, 'a[0]']", LIST(1, 0));
    expect("{'of': 'a', 'near': [1.5, 0, 0]}", LIST(1)); /* the first of equals */
}

static void test_errors(void **state)
{
    (void)state;
    static const fixture_bad bads[] = {
        {"'c'", "", "no object 'c'"},
        {"'b-2x'", "", "no object 'b-2x' did you mean 'b-2_x'"},
        {"'a.odds'", "", "'a' no part 'odds' did you mean 'odd' all, odd, last"},
        {"'a[5]'", "", "no item 5 'all' has 5"},
        {"'a[-6]'", "", "no item -6"},
        {"'a.odd[2]'", "", "no item 2 'odd' 2"},
        {"'a[3:1]'", "", "no range 3 1 'all' 5"},
        {"'a[:9]'", "", "no range 0 9 5"},
        {"'a[-9:]'", "", "no range -9 5"},
        {"''", "", "does not read selector"},
        {"'a.'", "", "'a.' does not read"},
        {"'.odd'", "", "does not read"},
        {"'.odd[0]'", "", "does not read"},
        {"'a.b.c'", "", "does not read"},
        {"'a['", "", "does not read"},
        {"'a[]'", "", "does not read"},
        {"'a[-]'", "", "does not read"},
        {"'a[1'", "", "does not read"},
        {"'a[1]x'", "", "does not read"},
        {"'a[1:2:3:4]'", "", "does not read"},
        {"'a[::0]'", "", "does not read"},
        {"'a[::-1]'", "", "does not read"},
        {"'a[1.5]'", "", "does not read"},
        {"'a[99999999999]'", "", "does not read"},
        {"8", "", "8 whole below 8"},
        {"-1", "", "-1 whole"}, /* outside of an object nothing counts from the end */
        {"1.5", "", "1.5 whole"},
        {"[0, 8, 1.5]", "[1]", "8 whole"},
        {"[0, 8, 1.5]", "[2]", "1.5 whole"},
        {"['a', 'x', 'a[7]']", "[1]", "no object 'x'"},
        {"['a', 'x', 'a[7]']", "[2]", "no item 7"}, /* both are told */
        {"['a', ['a']]", "[1]", "list selector"},
        {"null", "", "null selector"},
        {"true", "", "true selector"},
        {"{}", "", "'of' missing"},
        {"{'near': [0, 0, 0]}", "", "'of' missing"},
        {"{'of': 'a'}", "", "near inside"},
        {"{'of': 'a', 'near': [0, 0, 0], 'inside': [[0, 0, 0], [1, 1, 0]]}", "", "one of near inside"},
        {"{'of': 'a', 'naer': [0, 0]}", ".naer", "did you mean 'near'"},
        {"{'of': 'a', 'near': 3}", ".near", "3 list"},
        {"{'of': 'a', 'inside': [[9, 9, 0], [10, 10, 0]]}", "", "no particle of 5 inside"},
        {"{'of': 'a', 'inside': [[1, 1, 0]]}", ".inside", "list two corners"},
        {"{'of': 'a', 'inside': [1, 1]}", ".inside", "list two corners"},
        {"{'of': 'a', 'inside': [[1, 1, 0], 3]}", ".inside[1]", "3 list"},
        {"{'of': 'a.none', 'near': [0, 0, 0]}", ".of", "no particle"},
        {"{'of': 'c', 'near': [0, 0, 0]}", "", "no object 'c'"},
        {"{'spot': [0, 1, 2], 'weights': [1, 0, 0]}", "", "spot constraints"},
    };
    assert_all_refused("{" TWO ", 'record': {'particles': %s}}", "record.particles", bads);
    char longer[1800] = "{" TWO ", 'record': {'particles': '";
    memset(longer + strlen(longer), 'n', 300);
    strcat(longer, "'}}");
    assert_refused(longer, "record.particles", "does not read");
}

/* Inside an object its own name may be left out, and numbers are its own. */
static void test_inside_an_object(void **state)
{
    (void)state;
    static const struct {
        const char *pins;
        uint32_t pinned; /* bits */
    } cases[] = {{"'odd'", 10},
                 {"'[0:2]'", 3},
                 {"'[-1]'", 16},
                 {"-1", 16},
                 {"[0, -2]", 1 | 8},
                 {"'p'", 31},
                 {"'all'", 31},
                 {"'p.odd[0]'", 2},
                 {"[]", 0},
                 {"['odd', 'odd']", 10},
                 {"{'near': [9, 9, 0]}", 16},
                 {"{'inside': [[0, 0, 0], [1, 0, 0]]}", 3},
                 {"'odd[1]'", 8}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 "{'objects': [{'type': 'particles', 'positions': [7, 7, 7]}, {'type': 'particles', 'name': 'p',"
                 " 'positions': [0,0,0, 1,0,0, 2,0,0, 3,0,0, 4,0,0], 'parts': {'odd': [1, 3]}, 'pins': %s}]}",
                 cases[i].pins);
        fixture f = fixture_good(text);
        for (uint32_t k = 0; k < 5; ++k)
            assert_int_equal(isfinite(fixture_mass(&f, 1 + k)) ? 0 : 1, cases[i].pinned >> k & 1);
        assert_true(isfinite(fixture_mass(&f, 0)));
        fixture_close(&f);
    }
    assert_refused("{'objects': [{'type': 'rope', 'pins': ['strat']}]}", "objects[0].pins[0]",
                   "no part 'strat' did you mean 'start'");
    assert_refused("{'objects': [{'type': 'particles', 'positions': [0, 0, 0], 'pins': [1]}]}", "objects[0].pins[0]",
                   "1 whole below 1");
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

static void test_spots(void **state)
{
    (void)state;
    fixture f = fixture_good("{" TWO ", 'constraints': [{'kind': 'distance', 'points': ["
                             "{'spot': ['b-2_x[0]', 'b-2_x[1]', 7], 'weights': [0.5, 0.25, 0.25]}, 'a[0]']}]}");
    sn_constraint_walk walk = {0};
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    assert_true(sn_constraint_next(f.world, &walk));
    assert_ok(f.world, sn_constraint_read(f.world, walk.constraint, &def, points, SN_MAX_POINTS));
    assert_int_equal(points[0].count, 3);
    assert_int_equal(points[0].particle[2].index, 7);
    assert_close(points[0].weight[0], 0.5, 0);
    assert_vec_close(sn_point_position(f.world, points[0]), vec(0.25, 5.25, 0), 1e-6);
    assert_close(def.param[0], sqrt(0.25 * 0.25 + 5.25 * 5.25), 1e-5); /* measured */
    fixture_close(&f);
    f = fixture_good("{" TWO
                     ", 'constraints': [{'kind': 'pin', 'points': {'spot': 'a[0:4]', 'weights': [1, 0, 0, 0]}}]}");
    fixture_close(&f);
#define SPOT(spot) "{" TWO ", 'constraints': [{'kind': 'pin', 'points': " spot "}]}"
    assert_refused(SPOT("{'spot': [0, 1], 'weights': [0.5, 0.5]}"), "constraints[0].points",
                   "2 particles 2 weights 3 4");
    assert_refused(SPOT("{'spot': [0, 1, 2], 'weights': [0.5, 0.5]}"), "constraints[0].points", "3 2 weights");
    assert_refused(SPOT("{'spot': [0, 1, 2]}"), "constraints[0].points", "'weights' missing");
    assert_refused(SPOT("{'spot': [0, 1, 2], 'weights': [1, 1, 1]}"), "constraints[0]", "weight sum|add|one|1");
    assert_refused(SPOT("{'spot': [0, 1, 9], 'weights': [1, 0, 0]}"), "constraints[0].points.spot[2]", "9 whole");
    assert_refused(SPOT("{'spot': [0, 0, 1], 'weights': [1, 0, 0]}"), "constraints[0]", "particle|twice|same");
    assert_refused(SPOT("{'spot': {'spot': [0, 1, 2], 'weights': [1, 0, 0]}, 'weights': [1, 0, 0]}"),
                   "constraints[0].points.spot", "spot no particle");
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

#define TIED                                                                                                           \
    TWO ", 'constraints': [{'kind': 'distance', 'name': 'rods', 'index': [0, 1, 1, 2]},"                               \
        " {'kind': 'pin', 'points': 0}, {'kind': 'distance', 'points': [2, 3]},"                                       \
        " {'kind': 'distance_max', 'name': 'rods', 'index': [3, 4]}],"                                                 \
        " 'attachments': [{'between': ['a[0]', 'b-2_x[0]'], 'distance': 5, 'name': 'tie'}],"                           \
        " 'names': {'b-2_x.mine': ['#distance[1:3]', 'rods[2]']}"

static void expect_constraints(const char *names, uint32_t count, const uint32_t (*expected)[2])
{
    char text[1500];
    snprintf(text, sizeof text, "{" TIED ", 'record': {'forces': %s}}", names);
    fixture f = fixture_good(text);
    sn_trace_list traces = sn_scene_traces(f.scene);
    if (traces.constraint_count != count)
        fail_msg("%s gives %u constraints", names, traces.constraint_count);
    for (uint32_t i = 0; i < count; ++i) {
        sn_constraint c = traces.constraint[i].constraint;
        if (c.kind != expected[i][0] || c.index != expected[i][1] || !sn_constraint_is_valid(f.world, c))
            fail_msg("%s: item %u is %u of kind %u", names, i, c.index, c.kind);
    }
    fixture_close(&f);
}

#define D SN_KIND_DISTANCE
#define PAIRS(...)                                                                                                     \
    sizeof((uint32_t[][2]){__VA_ARGS__}) / sizeof(uint32_t[2]), (const uint32_t[][2])                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void test_constraints(void **state)
{
    (void)state;
    expect_constraints("'rods'", PAIRS({D, 0}, {D, 1}, {SN_KIND_DISTANCE_MAX, 0})); /* several of one name count on */
    expect_constraints("'rods[1:]'", PAIRS({D, 1}, {SN_KIND_DISTANCE_MAX, 0}));
    expect_constraints("'rods[-1]'", PAIRS({SN_KIND_DISTANCE_MAX, 0}));
    expect_constraints("'#distance'", PAIRS({D, 0}, {D, 1}, {D, 2}, {D, 3}));
    expect_constraints("'#distance[2]'", PAIRS({D, 2}));
    expect_constraints("'#distance[-2:]'", PAIRS({D, 2}, {D, 3}));
    expect_constraints("'#volume'", 0, NULL);
    expect_constraints("'tie'", PAIRS({D, 3}));
    expect_constraints("['tie', 'rods[0]']", PAIRS({D, 3}, {D, 0}));
    expect_constraints("'b-2_x.mine'", PAIRS({D, 1}, {D, 2}, {SN_KIND_DISTANCE_MAX, 0}));
    expect_constraints("'b-2_x.mine[0]'", PAIRS({D, 1}));
    static const fixture_bad bads[] = {
        {"'rod'", "", "no constraints 'rod' did you mean 'rods' There are: rods, tie"},
        {"'a.links'", "", "'a' has no constraints 'links'"},
        {"'c.links'", "", "no object 'c'"},
        {"'b-2_x.mein'", "", "no constraints 'mein' mine"},
        {"'rods[3]'", "", "no item 3 'rods' 3"},
        {"'#distance[4]'", "", "no item 4 #distance 4"},
        {"'#distanz'", "", "no kind 'distanz'"},
        {"'#distance.x'", "", "no kind 'distance.x'"},
        {"'#'", "", "no kind"},
        {"'[0]'", "", "does not read constraints"},
        {"'rods[::2]'", "", "does not read constraints"},
        {"''", "", "does not read"},
        {"3", "", "3 name"},
        {"[3]", "", "list name"},
        {"['rods', 3]", "[1]", "3 name"},
        {"['rods', ['rods']]", "[1]", "list name"},
        {"{}", "", "record name"},
    };
    assert_all_refused("{" TIED ", 'record': {'forces': %s}}", "record.forces", bads);
}

/* What is recorded has a name under which it alone can be found again. */
static void test_labels(void **state)
{
    (void)state;
    fixture f = fixture_good("{" TIED ", 'record': {'particles': ['a.last', 'a[0]', 7], 'forces':"
                             " ['rods', 'rods[-2:]', 'rods[0]', '#distance[1:3]', 'tie']}}");
    static const char *const particles[] = {"a.last", "a[0]", "b-2_x[2]"};
    static const char *const forces[] = {"rods[0]", "rods[1]",      "rods[2]",      "rods[1]", "rods[2]",
                                         "rods[0]", "#distance[1]", "#distance[2]", "tie"};
    sn_trace_list traces = sn_scene_traces(f.scene);
    assert_int_equal(traces.particle_count, COUNT_OF(particles));
    assert_int_equal(traces.constraint_count, COUNT_OF(forces));
    for (size_t i = 0; i < COUNT_OF(particles); ++i)
        assert_string_equal(traces.particle[i].label, particles[i]);
    for (size_t i = 0; i < COUNT_OF(forces); ++i)
        assert_string_equal(traces.constraint[i].label, forces[i]);
    fixture_close(&f);
}

/* Names of names of names double each time: refused long before memory ends. */
static void test_too_much(void **state)
{
    (void)state;
    char text[6000] = "{" TWO ", 'constraints': [{'kind': 'distance', 'name': 'n0', 'index': [0, 1]}], 'names': {";
    for (int i = 1; i <= 60; ++i) {
        char name[60];
        snprintf(name, sizeof name, "%s'n%d': ['n%d', 'n%d']", i > 1 ? ", " : "", i, i - 1, i - 1);
        strcat(text, name);
    }
    strcat(text, "}}");
    sn_scene_options options = sn_default_scene_options();
    options.memory = 8 << 20;
    fixture f = fixture_try(text, &options);
    assert_null(f.scene);
    assert_true(support_says(f.problems.first->text, "GB may take"));
    fixture_close(&f);
    char many[20000] = "{'objects': [{'type': 'cloth', 'name': 'c', 'columns': 60, 'rows': 60}], 'constraints':"
                       " [{'kind': 'pin', 'each': ['c'";
    for (int i = 0; i < 900; ++i)
        strcat(many, ", 'c'");
    strcat(many, "]}]}");
    f = fixture_try(many, &options);
    assert_null(f.scene);
    fixture_close(&f);
    options.memory = 64 << 20;
    f = fixture_try(many, &options);
    assert_null(f.scene);
    assert_problem(&f.problems, "constraints[0]", "constraints GB");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_errors), cmocka_unit_test(test_inside_an_object),
        cmocka_unit_test(test_spots),  cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
