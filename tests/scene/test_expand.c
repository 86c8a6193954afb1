/* Variables, expressions and repetition in scene files. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include "scene/expand.h"
#include "scene/json.h"
#include "scene/scope.h"

#include <math.h>
#include <string.h>

/* ---- Expressions -------------------------------------------------------------------------------------------------------------- */

static double value_of(const char *text)
{
    static const double numbers[] = {4, 5, 6};
    static const sn_value width = {.type = SN_VALUE_NUMBER, .number = 3};
    static const sn_value list = {.type = SN_VALUE_LIST, .count = 3, .numbers = numbers};
    static const sn_scope outer = {"width", &width, NULL}, scope = {"size", &list, &outer};
    char message[400] = "";
    double value = NAN;
    if (!sn_expression(text, strlen(text), &scope, &value, message, sizeof message))
        fail_msg("%s", message);
    return value;
}

static void expect_error(const char *text, const char *wanted)
{
    static const sn_value width = {.type = SN_VALUE_NUMBER, .number = 3}, name = {.type = SN_VALUE_TEXT, .text = "red"};
    static const sn_scope outer = {"width", &width, NULL}, scope = {"colour", &name, &outer};
    char message[400] = "";
    double value;
    assert_false(sn_expression(text, strlen(text), &scope, &value, message, sizeof message));
    if (!strstr(message, wanted))
        fail_msg("'%s' gives \"%s\", expected \"%s\"", text, message, wanted);
}

static void expressions_have_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } known[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"2 ^ 3 ^ 2", 512},
        {"-2 ^ 2", -4},
        {"2 ^ -2", 0.25},
        {"7 % 4 + 0.5", 3.5},
        {"$width / 2", 1.5},
        {"width * -width", -9},
        {"$size[2] - size[$width - 3]", 2},
        {"1e3 + 2.5e-1 + .5", 1000.75},
        {"max(2, min(5, 3)) + sqrt(16) + abs(-1) + floor(2.7) + ceil(0.2) + round(2.5)", 3 + 4 + 1 + 2 + 1 + 3},
        {"9 ^ 0.5", 3},
        {"cos(0) + sin(pi / 6)", 1.5},
        {"atan2(1, 1) * 4 - pi", 0},
        {"exp(log(5)) + tan(0)", 5}};
    for (size_t i = 0; i < COUNT_OF(known); ++i)
        if (fabs(value_of(known[i].text) - known[i].value) > 1e-12 * fabs(known[i].value) + 1e-15)
            fail_msg("'%s' is %.17g, expected %.17g", known[i].text, value_of(known[i].text), known[i].value);
    double sum = 0;
    for (int i = 0; i < 1000; ++i) {
        char text[40];
        snprintf(text, sizeof text, "random(%d)", i);
        double x = value_of(text);
        assert_true(x >= 0 && x < 1 && x == value_of(text));
        sum += x;
    }
    assert_close(sum / 1000, 0.5, 0.04); /* four standard errors of 0.29 / sqrt(1000) */
}

static void mistakes_are_named(void **state)
{
    (void)state;
    expect_error("", "expected a number, a variable or '('");
    expect_error("1 +", "at character 4");
    expect_error("(1", "expected ')'");
    expect_error("1 2", "expected the end");
    expect_error("widht * 2", "there is no such variable; did you mean 'width'?");
    expect_error("colour * 2", "the variable is not a number but a text (\"red\")");
    expect_error("width[0]", "no list of numbers");
    expect_error("1 / 0", "not a finite number");
    expect_error("1.2.3", "this is not a number");
    expect_error("foo(1)", "there is no such function");
    expect_error("min(1)", "a second number");
    expect_error("(-2) ^ 0.5", "a positive base");
    char deep[400];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = 0;
    expect_error(deep, "too much in each other");
    memset(deep, '-', sizeof deep - 1);
    expect_error(deep, "too much in each other");
}

/* ---- Documents ---------------------------------------------------------------------------------------------------------------- */

/* The same scene, written with and without: the same world. */
static void same_scene(const char *with, const char *without)
{
    fixture a = fixture_good(with), b = fixture_good(without);
    assert_true(sn_world_hash(sn_scene_world(a.scene)) == sn_world_hash(sn_scene_world(b.scene)));
    for (uint32_t i = 0; sn_scene_object(b.scene, i) || sn_scene_object(a.scene, i); ++i)
        assert_string_equal(sn_scene_object(a.scene, i)->name, sn_scene_object(b.scene, i)->name);
    fixture_close(&a);
    fixture_close(&b);
}

static void scenes_expand(void **state)
{
    (void)state;
    same_scene("{'variables': {'w': 2, 'half': '$w / 2', 'to': ['$half', 0, 0], 'stuff': {'density': '= w * 0.5'}, "
               "'on': true},"
               " 'world': {'substeps': '5 * $w'},"
               " 'objects': [{'type': 'rope', 'name': 'rope${w + 1}', 'to': '$to', 'rods': '$on',"
               " 'segments': '= 3', 'material': '$stuff', 'pins': ['start']}]}",
               "{'world': {'substeps': 10}, 'objects': [{'type': 'rope', 'name': 'rope3', 'to': [1, 0, 0],"
               " 'rods': true, 'segments': 3, 'material': {'density': 1}, 'pins': ['start']}]}");
    same_scene("{'objects': [{'type': 'rope', 'name': 'a${i}', 'for': 2, 'position': ['$i', 0, 0]},"
               " {'type': 'rope', 'name': 'last'}],"
               " 'attachments': [{'between': ['a${i}.end', 'last.end'], 'for': '= 2', 'distance': 2}]}",
               "{'objects': [{'type': 'rope', 'name': 'a0'}, {'type': 'rope', 'name': 'a1', 'position':"
               " [1, 0, 0]}, {'type': 'rope', 'name': 'last'}], 'attachments': [{'between': ['a0.end',"
               " 'last.end'], 'distance': 2}, {'between': ['a1.end', 'last.end'], 'distance': 2}]}");
    same_scene(
        "{'title': '$5 and ${this}', 'objects': [{'type': 'box', 'name': 'b${row}${k}', 'for': {'row': 2, 'k': 2},"
        " 'position': ['10 * $row + $k', 0, 0]}, {'type': 'box', 'name': 'none', 'for': 0}]}",
        "{'objects': [{'type': 'box', 'name': 'b00'}, {'type': 'box', 'name': 'b01', 'position': [1, 0, 0]},"
        " {'type': 'box', 'name': 'b10', 'position': [10, 0, 0]}, {'type': 'box', 'name': 'b11', 'position': [11, 0, "
        "0]}]}");
}

static void bad_scene(const char *text, const char *path, const char *wanted)
{
    fixture f = fixture_try(text, NULL);
    assert_null(f.scene);
    assert_non_null(f.problems.first);
    assert_string_equal(f.problems.first->path, path);
    if (!strstr(f.problems.first->text, wanted))
        fail_msg("'%s', expected '%s'", f.problems.first->text, wanted);
    fixture_close(&f);
}

/* Paths are those of the file, also behind an item that is made several times. */
static void places_are_those_of_the_file(void **state)
{
    (void)state;
    bad_scene("{'objects': [{'type': 'rope', 'for': 3}, {'type': 'rope', 'length': -1}]}", "objects[1].length", "-1");
    bad_scene("{'objects': [{'type': 'rope', 'for': 2, 'length': '0 - $i'}]}", "objects[0].length", "0");
    bad_scene("{'objects': [{'type': 'rope', 'for': 2.5}]}", "objects[0].for", "whole number");
    bad_scene("{'objects': [{'type': 'rope', 'for': {'i': 2000, 'j': 2000}}]}", "objects[0].for", "at most 1e+06");
    bad_scene("{'objects': [{'type': 'rope', 'for': []}]}", "objects[0].for", "how often");
    bad_scene("{'objects': [{'type': 'rope', 'to': [1, '$h', 0]}]}", "objects[0].to[1]",
              "the scene has no 'variables' before this");
    bad_scene("{'variables': {'a b': 1}}", "variables[\"a b\"]", "not a name of a variable");
    bad_scene("{'variables': {'a': '$b', 'b': 1}}", "variables.a", "no such variable");
    bad_scene("{'variables': [1]}", "variables", "a record of variables");
    bad_scene("{'objects': [{'type': 'rope', 'name': 'a${1'}]}", "objects[0].name", "no }");
    bad_scene("{'world': {'for': 2}}", "world.for", "no such key");
}

/* A short file cannot ask for all memory. */
static void what_it_takes_is_bounded(void **state)
{
    (void)state;
    sn_scene_options options = sn_default_scene_options();
    options.memory = 4 << 20;
    fixture f = fixture_try(
        "{'objects': [{'type': 'particles', 'for': {'i': 1000, 'j': 1000}, 'positions': [1, 2, 3, 4, 5, 6]}]}",
        &options);
    assert_null(f.scene);
    assert_string_equal(f.problems.first->path, "objects[0].for");
    assert_non_null(strstr(f.problems.first->text, "MB of text"));
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(scenes_expand),
        cmocka_unit_test(places_are_those_of_the_file),
        cmocka_unit_test(what_it_takes_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
