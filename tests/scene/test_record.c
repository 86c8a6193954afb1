/* Records: reading and writing structs by tables, and the tables of the format itself. */
#include "support/support.h"

#include "scene/scene_fixture.h"

#include <math.h>

typedef enum colour { RED, GREEN, BLUE } colour;

typedef struct inner {
    sn_real size;
    const char *name;
} inner;

typedef struct all {
    sn_real real, share, positive, optional;
    uint32_t count, some;
    bool truth;
    const char *text;
    colour choice;
    sn_vec3 vector, place;
    inner record;
    sn_list_of records;
    sn_numbers reals;
    const sn_value *value;
    sn_real private;
} all;

static const sn_key inner_keys[] = {
    {"size", SN_KEY_REAL, offsetof(inner, size), .flags = SN_KEY_REQUIRED | SN_KEY_POSITIVE, .about = "how large"},
    {"name", SN_KEY_TEXT, offsetof(inner, name), .about = "what it is called"},
    {.name = NULL}};
static const sn_record inner_record = {"inner", "A thing.", sizeof(inner), inner_keys, NULL};

static const char *const colour_names[] = {"red", "green", "blue"};
static const sn_choices colours = {3, colour_names, NULL};

#define KEY(key) offsetof(all, key)
static const sn_key all_keys[] = {
    {"real", SN_KEY_REAL, KEY(real), .unit = "m", .about = "any"},
    {"share", SN_KEY_REAL, KEY(share), .unit = "kg", .most = 1, .about = "0 to 1"},
    {"positive", SN_KEY_REAL, KEY(positive), .unit = "s", .flags = SN_KEY_POSITIVE, .about = "more than 0"},
    {"optional", SN_KEY_REAL, KEY(optional), .about = "may be missing"},
    {"count", SN_KEY_COUNT, KEY(count), .about = "whole"},
    {"some", SN_KEY_COUNT, KEY(some), .least = 2, .most = 9, .about = "whole, in a range"},
    {"truth", SN_KEY_TRUTH, KEY(truth), .about = "or not"},
    {"text", SN_KEY_TEXT, KEY(text), .about = "words"},
    {"choice", SN_KEY_CHOICE, KEY(choice), .of = &colours, .about = "a colour"},
    {"vector", SN_KEY_VECTOR, KEY(vector), .about = "a vector"},
    {"place", SN_KEY_VECTOR, KEY(place), .least = -1, .most = 1, .about = "a vector that may be missing"},
    {"record", SN_KEY_RECORD, KEY(record), .of = &inner_record, .about = "inside"},
    {"records", SN_KEY_RECORDS, KEY(records), .of = &inner_record, .about = "several inside"},
    {"reals", SN_KEY_REALS, KEY(reals), .most = 100, .about = "numbers"},
    {"value", SN_KEY_VALUE, KEY(value), .about = "anything"},
    {"private", SN_KEY_REAL, KEY(private), .flags = SN_KEY_NOT_SAVED, .about = "not saved"},
    {.name = NULL}};

static void all_defaults(void *record)
{
    *(all *)record = (all){.real = real(0.5),
                           .share = real(0.25),
                           .positive = 1,
                           .optional = (sn_real)NAN,
                           .count = UINT32_MAX,
                           .some = 3,
                           .truth = true,
                           .choice = GREEN,
                           .vector = {1, 2, 3},
                           .place = {(sn_real)NAN, 0, 0},
                           .record = {.size = 7}};
}
static const sn_record all_record = {"all", "Everything.", sizeof(all), all_keys, all_defaults};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
    sn_document document;
    sn_problems problems;
    sn_arena arena;
    sn_reader reader;
    bool good;
    all got;
} reading;

static void read_all(reading *r, const char *text)
{
    fixture_parse(&r->document, text);
    sn_problems_init(&r->problems, NULL);
    sn_arena_init(&r->arena, NULL);
    sn_reader_init(&r->reader, &r->arena, &r->problems);
    memset(&r->got, 0x5a, sizeof r->got);
    r->good = sn_record_read_one(&r->reader, r->document.root, &all_record, &r->got);
    assert_true(r->good == (r->problems.errors == 0));
    assert_string_equal(r->reader.path, ""); /* wherever it went, it came back */
}

static void done(reading *r)
{
    sn_document_release(&r->document);
    sn_problems_release(&r->problems);
    sn_arena_release(&r->arena);
}

static void test_every_type(void **state)
{
    (void)state;
    reading r;
    read_all(&r, "{'real': -2.5, 'share': 1, 'positive': 1e-30, 'optional': 4, 'count': 4294967295, 'some': 9,"
                 " 'truth': false, 'text': 'r\\u00e4tsel', 'choice': 'blue', 'vector': [4, 5], 'place': [1, -1, 0.5],"
                 " 'record': {'size': 2, 'name': 'x', 'comment': [1]}, 'records': [{'size': 1}, {'size': 2}],"
                 " 'reals': [0, 100], 'value': {'a': null}, 'private': 1, '$schema': 'x', 'comment': 'free'}");
    assert_true(r.good);
    assert_close(r.got.real, -2.5, 0);
    assert_close(r.got.share, 1, 0);
    assert_true(r.got.positive > 0);
    assert_close(r.got.optional, 4, 0);
    assert_int_equal(r.got.count, UINT32_MAX);
    assert_int_equal(r.got.some, 9);
    assert_false(r.got.truth);
    assert_string_equal(r.got.text, "r\xc3\xa4tsel");
    assert_int_equal(r.got.choice, BLUE);
    assert_vec_same(r.got.vector, vec(4, 5, 0));
    assert_vec_same(r.got.place, vec(1, -1, 0.5));
    assert_close(r.got.record.size, 2, 0);
    assert_string_equal(r.got.record.name, "x");
    assert_int_equal(r.got.records.count, 2);
    assert_close(((inner *)r.got.records.items)[1].size, 2, 0);
    assert_int_equal(r.got.reals.count, 2);
    assert_true(r.got.reals.data[1] == 100);
    assert_non_null(sn_value_find(r.got.value, "a"));
    done(&r);
}

static void test_defaults(void **state)
{
    (void)state;
    reading r;
    read_all(&r, "{}");
    assert_true(r.good);
    assert_true(isnan(r.got.optional) && isnan(r.got.place.x));
    assert_int_equal(r.got.count, UINT32_MAX);
    assert_null(r.got.text);
    assert_null(r.got.value);
    assert_close(r.got.record.size, 7, 0);
    assert_int_equal(r.got.records.count, 0);
    done(&r);
    sn_reader reader;
    sn_arena_init(&r.arena, NULL);
    sn_problems_init(&r.problems, NULL);
    sn_reader_init(&reader, &r.arena, &r.problems);
    assert_true(sn_record_read_one(&reader, NULL, &all_record, &r.got)); /* no record at all */
    assert_close(r.got.share, 0.25, 0);
    inner without;
    assert_false(sn_record_read_one(&reader, NULL, &inner_record, &without)); /* of which a key is required */
    sn_arena_release(&r.arena);
    sn_problems_release(&r.problems);
}

typedef struct bad {
    const char *text, *path, *words;
} bad;

static const bad bads[] = {
    {"{'real': 'x'}", "real", "text \"x\" number"},
    {"{'real': null}", "real", "null number"},
    {"{'real': 1e300, 'vector': [1, 2e300]}", "real", ""}, /* a double holds it; see below */
    {"{'share': 1.0001}", "share", "1.0001 0 1 kg"},
    {"{'share': -1e-9}", "share", "-1e-09 0 1"},
    {"{'positive': 0}", "positive", "found 0 more 0 s"},
    {"{'positive': -1}", "positive", "-1 more"},
    {"{'count': 1.5}", "count", "1.5 whole"},
    {"{'count': -1}", "count", "-1 whole 0"},
    {"{'count': 4294967296}", "count", "4294967296 largest 4294967295"},
    {"{'count': true}", "count", "true number"},
    {"{'some': 1}", "some", "found 1 2 9"},
    {"{'some': 10}", "some", "found 10 2 9"},
    {"{'truth': 1}", "truth", "1 true false"},
    {"{'text': 3}", "text", "3 text"},
    {"{'choice': 'gren'}", "choice", "gren one of red green blue did you mean 'green'"},
    {"{'choice': 1}", "choice", "1 one of"},
    {"{'vector': [1]}", "vector", "list three"},
    {"{'vector': [1, 2, 3, 4]}", "vector", "list 4 three"},
    {"{'vector': [1, 'a', 3]}", "vector[1]", "\"a\" number"},
    {"{'vector': 5}", "vector", "5 list"},
    {"{'place': [0, 0, 2]}", "place[2]", "2 -1 1"},
    {"{'record': []}", "record", "empty list record inner"},
    {"{'record': {}}", "record", "'size' missing how large"},
    {"{'record': {'size': 1, 'sise': 2}}", "record.sise", "no such key an inner did you mean 'size'"},
    {"{'records': {}}", "records", "record list"},
    {"{'records': [1, 2]}", "records", "list of 2 records"},
    {"{'records': [{'size': 1}, 4]}", "records[1]", "4 record"},
    {"{'records': [{'size': 1}, {'size': 0}]}", "records[1].size", "0 more"},
    {"{'reals': [1, 2, 101]}", "reals[2]", "101 0 100"},
    {"{'reals': [1, null]}", "reals[1]", "null number"},
    {"{'reals': 1}", "reals", "1 list numbers"},
    {"{'shrae': 1}", "shrae", "no such key an all did you mean 'share'"},
    {"{'quite other': 1}", "[\"quite other\"]", "no such key"},
    {"[]", "", "empty list record all"},
    {"3", "", "3 record"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bads); ++i) {
        reading r;
        read_all(&r, bads[i].text);
        if (r.good) {
            assert_true(sizeof(sn_real) == sizeof(double) && bads[i].words[0] == 0);
        } else {
            assert_problem(&r.problems, bads[i].path, bads[i].words);
            assert_true(r.problems.first->at_key == support_says(bads[i].words, "no such key"));
        }
        done(&r);
    }
}

static void test_beyond_float(void **state)
{
    (void)state;
    reading r;
    if (sizeof(sn_real) == sizeof(double))
        return;
    read_all(&r, "{'real': 3.5e38, 'positive': 1e-60, 'vector': [0, -1e39, 0], 'reals': [1e39], 'place': [1e39, 0]}");
    assert_problem(&r.problems, "real", "3.5e+38 largest 3.40282e+38");
    assert_problem(&r.problems, "positive", "1e-60 more than 0"); /* it would be 0 */
    assert_problem(&r.problems, "vector[1]", "-1e+39 largest");
    assert_problem(&r.problems, "reals[0]", "1e+39");
    assert_problem(&r.problems, "place[0]", "1e+39");
    done(&r);
    read_all(&r, "{'real': 3.4e38, 'vector': [-3.4e38, 1e-50, 0]}");
    assert_true(r.good && isfinite(r.got.real) && isfinite(r.got.vector.x));
    done(&r);
}

/* All of them are told, and what is good is read all the same. */
static void test_several_errors(void **state)
{
    (void)state;
    reading r;
    read_all(&r,
             "{'real': 'x', 'share': 2, 'rela': 1, 'records': [{}, {'size': -1}, {'size': 1, 'nam': 1}], 'some': 4}");
    assert_int_equal(r.problems.errors, 6);
    assert_problem(&r.problems, "real", "text");
    assert_problem(&r.problems, "share", "2");
    assert_problem(&r.problems, "rela", "did you mean 'real'");
    assert_problem(&r.problems, "records[0]", "'size' missing");
    assert_problem(&r.problems, "records[1].size", "-1");
    assert_problem(&r.problems, "records[2].nam", "did you mean 'name'");
    assert_int_equal(r.got.some, 4);
    done(&r);
}

/* There is an end to what is told, but all are counted. */
static void test_many_errors(void **state)
{
    (void)state;
    reading r;
    char text[8000] = "{'records': [";
    for (int i = 0; i < 200; ++i)
        strcat(text, i ? ", {'size': 0}" : "{'size': 0}");
    strcat(text, "]}");
    read_all(&r, text);
    assert_int_equal(r.problems.errors, 200);
    uint32_t told = 0;
    for (const sn_problem *p = r.problems.first; p; p = p->next)
        ++told;
    assert_int_equal(told, SN_MOST_PROBLEMS);
    done(&r);
}

static void test_long_paths(void **state)
{
    (void)state;
    reading r;
    char text[2000] = "{'", key[1500];
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = 0;
    strcat(text, key);
    strcat(text, "': 1, 'share': 5}");
    read_all(&r, text);
    assert_int_equal(r.problems.errors, 2);
    assert_true(strlen(r.problems.first->path) < sizeof r.reader.path);
    assert_problem(&r.problems, "share", "5"); /* the path found its way back */
    done(&r);
}

/* Two tables share a record; the first that knows a key gets it. */
static void test_two_tables(void **state)
{
    (void)state;
    sn_document document;
    sn_problems problems;
    sn_arena arena;
    sn_reader reader;
    all first;
    inner second;
    fixture_parse(&document, "{'real': 3, 'size': 4, 'siez': 1}");
    sn_problems_init(&problems, NULL);
    sn_arena_init(&arena, NULL);
    sn_reader_init(&reader, &arena, &problems);
    const sn_record *tables[] = {&all_record, &inner_record};
    void *structs[] = {&first, &second};
    assert_false(sn_record_read(&reader, document.root, 2, tables, structs));
    assert_close(first.real, 3, 0);
    assert_close(second.size, 4, 0);
    assert_problem(&problems, "siez", "did you mean 'size'");
    sn_document_release(&document);
    sn_problems_release(&problems);
    sn_arena_release(&arena);
}

static void test_single_values(void **state)
{
    (void)state;
    sn_problems problems;
    sn_arena arena;
    sn_reader reader;
    sn_problems_init(&problems, NULL);
    sn_arena_init(&arena, NULL);
    sn_reader_init(&reader, &arena, &problems);
    sn_value number = {.type = SN_VALUE_NUMBER, .number = 2.5}, text = {.type = SN_VALUE_TEXT, .text = "t", .count = 1};
    sn_real x;
    uint32_t count;
    sn_vec3 v;
    const char *words;
    assert_true(sn_read_real(&reader, &number, &x) && x == real(2.5));
    assert_false(sn_read_count(&reader, &number, &count));
    assert_false(sn_read_vector(&reader, &number, &v));
    assert_false(sn_read_text(&reader, &number, &words));
    assert_true(sn_read_text(&reader, &text, &words) && strcmp(words, "t") == 0 && words != text.text);
    assert_false(sn_read_real(&reader, &text, &x));
    size_t length = sn_reader_enter_key(&reader, "a");
    sn_reader_enter_item(&reader, 3);
    assert_false(sn_reader_fail_key(&reader, "b", "bad %d", 7));
    sn_reader_leave(&reader, length);
    assert_problem(&problems, "a[3].b", "bad 7");
    assert_int_equal(problems.errors, 5);
    sn_problems_release(&problems);
    sn_arena_release(&arena);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void test_write(void **state)
{
    (void)state;
    reading r, back;
    sn_document out;
    read_all(&r,
             "{'real': -0.1, 'share': 0, 'count': 12, 'truth': false, 'text': 'a', 'choice': 'red', 'vector': [0, 0],"
             " 'place': [0.1, 0.2, 0.3], 'record': {'size': 3}, 'records': [{'size': 1, 'name': 'n'}], 'reals': [3, 4],"
             " 'private': 9, 'value': 3}");
    sn_document_init(&out, NULL);
    sn_value *root = sn_document_record(&out, NULL, NULL);
    sn_record_write(&out, root, &all_record, &r.got);
    assert_false(out.failed);
    assert_null(sn_value_find(root, "positive")); /* the default */
    assert_null(sn_value_find(root, "optional")); /* not given */
    assert_null(sn_value_find(root, "private"));  /* not saved */
    assert_null(sn_value_find(root, "value"));
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_true(file && sn_json_write(file, root));
    fclose(file);
    read_all(&back, text);
    assert_true(back.good);
    assert_true(back.got.real == r.got.real && back.got.share == 0 && back.got.count == 12 && !back.got.truth);
    assert_string_equal(back.got.text, "a");
    assert_int_equal(back.got.choice, RED);
    assert_vec_same(back.got.vector, r.got.vector);
    assert_vec_same(back.got.place, r.got.place);
    assert_close(back.got.record.size, 3, 0);
    assert_string_equal(((inner *)back.got.records.items)->name, "n");
    assert_true(back.got.reals.count == 2 && back.got.reals.data[1] == 4);
    free(text);
    sn_document_release(&out);
    done(&r);
    done(&back);
}

static void test_write_defaults(void **state)
{
    (void)state;
    all standard;
    memset(&standard, 0, sizeof standard);
    all_defaults(&standard);
    sn_document out;
    sn_document_init(&out, NULL);
    sn_value *root = sn_document_record(&out, NULL, NULL);
    sn_record_write(&out, root, &all_record, &standard);
    assert_false(out.failed);
    assert_int_equal(root->count, 0);
    sn_document_release(&out);
}

/* ---- The tables of the format ------------------------------------------------------------------------------------ */

/* Every key of a table can be told from the others, is described, and lies within the struct. */
static void check_table(const sn_record *table, const sn_record *beside)
{
    assert_non_null(table->name);
    void *defaults = calloc(1, table->size);
    assert_non_null(defaults);
    if (table->defaults)
        table->defaults(defaults);
    for (const sn_key *key = table->keys; key->name; ++key) {
        assert_true(key->offset < table->size);
        assert_non_null(key->about);
        assert_true(key->about[strlen(key->about) - 1] != '.');
        for (const sn_key *other = table->keys; other != key; ++other)
            assert_string_not_equal(other->name, key->name);
        for (const sn_key *other = beside ? beside->keys : key; other->name && beside; ++other)
            assert_string_not_equal(other->name, key->name);
        if (key->type == SN_KEY_CHOICE || key->type == SN_KEY_RECORD || key->type == SN_KEY_RECORDS ||
            key->type == SN_KEY_VALUE)
            assert_non_null(key->of);
        if (key->type == SN_KEY_CHOICE) {
            const sn_choices *choices = key->of;
            assert_true(*(unsigned *)((char *)defaults + key->offset) < choices->count);
            for (uint32_t i = 0; i < choices->count; ++i)
                assert_true(choices->name[i][0] && (!choices->about || choices->about[i][0]));
        }
        if (key->type == SN_KEY_RECORD || key->type == SN_KEY_RECORDS)
            check_table(key->of, NULL);
    }
    free(defaults);
}

static void test_tables(void **state)
{
    (void)state;
    const sn_record *const tables[] = {&sn_scene_record,  &sn_attachment_record, &sn_force_record,
                                       &sn_motion_record, &sn_event_record,      &sn_constraint_record,
                                       &sn_choose_record, &sn_spot_record,       &sn_stuff_record,
                                       &sn_object_record, &sn_motion_key_record, &sn_turn_record};
    for (size_t i = 0; i < COUNT_OF(tables); ++i)
        check_table(tables[i], NULL);
    for (uint32_t i = 0; i < sn_object_type_count(); ++i)
        check_table(sn_object_type_at(i)->record, &sn_object_record);
}

/* Choices are in the order of the enums: the last is accepted, and one more is not. */
static void test_choices(void **state)
{
    (void)state;
    sn_world *world = support_world();
    sn_settings good = sn_world_settings(world), s;
#define EDGES(field, choices)                                                                                          \
    for (uint32_t i = 0; i <= (choices).count; ++i) {                                                                  \
        s = good;                                                                                                      \
        memcpy(&s.field, &i, sizeof i);                                                                                \
        assert_true((sn_world_configure(world, &s) == SN_OK) == (i < (choices).count));                                \
    }
    EDGES(solver, sn_solver_choices)
    EDGES(integrator, sn_integrator_choices)
    good.solver = SN_SOLVER_GAUSS_SEIDEL;
    EDGES(order, sn_order_choices)
    EDGES(gradients, sn_gradients_choices)
    for (uint32_t i = 0; i <= sn_drag_choices.count; ++i) {
        sn_drag_def drag = sn_default_drag_def();
        memcpy(&drag.form, &i, sizeof i);
        assert_true((sn_drag_add(world, &drag, NULL) == SN_OK) == (i < sn_drag_choices.count));
    }
    assert_string_equal(sn_integrator_choices.name[SN_INTEGRATOR_SYMPLECTIC_EULER], "symplectic_euler");
    assert_string_equal(sn_integrator_choices.name[SN_INTEGRATOR_FORWARD_EULER], "forward_euler");
    assert_string_equal(sn_integrator_choices.name[SN_INTEGRATOR_LEAPFROG], "leapfrog");
    assert_string_equal(sn_integrator_choices.name[SN_INTEGRATOR_VERLET], "verlet");
    assert_string_equal(sn_integrator_choices.name[SN_INTEGRATOR_BDF2], "bdf2");
    assert_string_equal(sn_order_choices.name[SN_ORDER_INSERTION], "insertion");
    assert_string_equal(sn_order_choices.name[SN_ORDER_SYMMETRIC], "symmetric");
    assert_string_equal(sn_order_choices.name[SN_ORDER_WORST_FIRST], "worst_first");
    assert_string_equal(sn_order_choices.name[SN_ORDER_THERE_AND_BACK], "there_and_back");
    assert_string_equal(sn_gradients_choices.name[SN_GRADIENTS_START], "start");
    static const char *const solvers[] = {
        [SN_SOLVER_GAUSS_SEIDEL] = "gauss_seidel", [SN_SOLVER_JACOBI] = "jacobi", [SN_SOLVER_IMPULSES] = "impulses",
        [SN_SOLVER_LAGRANGE] = "lagrange",         [SN_SOLVER_DIRECT] = "direct", [SN_SOLVER_TILED] = "tiled"};
    for (size_t i = 0; i < COUNT_OF(solvers); ++i)
        assert_string_equal(sn_solver_choices.name[i], solvers[i]);
    static const char *const forms[] = {
        [SN_DRAG_RATE] = "rate",     [SN_DRAG_LOSS] = "loss",     [SN_DRAG_FORCE] = "force",
        [SN_DRAG_PLANAR] = "planar", [SN_DRAG_MATRIX] = "matrix", [SN_DRAG_RIGID] = "rigid"};
    for (size_t i = 0; i < COUNT_OF(forms); ++i)
        assert_string_equal(sn_drag_choices.name[i], forms[i]);
    assert_string_equal(sn_event_choices.name[SN_EVENT_CUT], "cut");
    assert_string_equal(sn_force_choices.name[SN_FORCE_WIND], "wind");
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type),     cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_beyond_float),
        cmocka_unit_test(test_several_errors), cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_long_paths),     cmocka_unit_test(test_two_tables),
        cmocka_unit_test(test_single_values),  cmocka_unit_test(test_write),
        cmocka_unit_test(test_write_defaults), cmocka_unit_test(test_tables),
        cmocka_unit_test(test_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
