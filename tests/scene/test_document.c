/* Documents: built, read, edited, and short of memory. */
#include "support/support.h"

#include "scene/document.h"

/* world { substeps: 10, name: "silk" }, objects [ { position [0 1 2], pins [] }, true, null ] */
static void build_example(sn_document *document)
{
    const double position[] = {0, 1, 2};
    sn_value *root = sn_document_record(document, NULL, NULL);
    sn_value *world = sn_document_record(document, root, "world");
    sn_document_number(document, world, "substeps", 10);
    sn_document_text(document, world, "name", "silk");
    sn_value *objects = sn_document_list(document, root, "objects");
    sn_value *object = sn_document_record(document, objects, NULL);
    sn_document_numbers(document, object, "position", 3, position, NULL);
    sn_document_list(document, object, "pins");
    sn_document_truth(document, objects, NULL, true);
    sn_document_null(document, objects, NULL);
}

static sn_value number_of(double number)
{
    return (sn_value){.type = SN_VALUE_NUMBER, .number = number};
}

static const sn_value *example_object(const sn_document *document)
{
    return sn_value_find(document->root, "objects")->first;
}

static void test_what_was_built_is_there(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    assert_false(document.failed);
    const sn_value *world = sn_value_find(document.root, "world"), *objects = sn_value_find(document.root, "objects");
    assert_int_equal(document.root->count, 2);
    assert_ptr_equal(document.root->first, world);
    assert_ptr_equal(document.root->last, objects);
    assert_true(sn_value_find(world, "substeps")->number == 10);
    assert_string_equal(sn_value_find(world, "name")->text, "silk");
    assert_int_equal(sn_value_find(world, "name")->count, 4);
    assert_null(sn_value_find(world, "nam"));
    assert_null(sn_value_find(objects, "world"));
    assert_null(sn_value_find(NULL, "world"));
    assert_int_equal(objects->count, 3);
    const sn_value *position = sn_value_find(objects->first, "position");
    assert_int_equal(position->type, SN_VALUE_LIST);
    assert_int_equal(position->count, 3);
    assert_null(position->first);
    assert_true(position->numbers[2] == 2);
    assert_int_equal(objects->first->next->type, SN_VALUE_TRUTH);
    assert_true(objects->first->next->number == 1);
    assert_int_equal(objects->last->type, SN_VALUE_NULL);
    sn_document_release(&document);
    assert_null(document.root);
}

static void test_numbers_can_be_filled_in(void **state)
{
    (void)state;
    sn_document document;
    double *filled;
    sn_document_init(&document, NULL);
    sn_value *list = sn_document_numbers(&document, NULL, NULL, 1000, NULL, &filled);
    assert_true(list->numbers[999] == 0);
    filled[999] = 3;
    assert_true(list->numbers[999] == 3);
    sn_document_release(&document);
    list = sn_document_numbers(&document, NULL, NULL, 0, NULL, &filled);
    assert_non_null(list->numbers); /* which is how such a list is told */
    assert_int_equal(list->count, 0);
    sn_document_release(&document);
}

/* After each of these the document has failed, and stays so. */
static void test_misuse_fails(void **state)
{
    (void)state;
    for (int which = 0; which < 8; ++which) {
        sn_document document;
        const double one = 1;
        double *filled = (double *)&one;
        sn_document_init(&document, NULL);
        sn_value *root = sn_document_record(&document, NULL, NULL);
        sn_value *list = sn_document_numbers(&document, root, "list", 1, &one, NULL);
        sn_value *number = sn_document_number(&document, root, "number", 1), *got = root;
        assert_false(document.failed);
        if (which == 0)
            got = sn_document_number(&document, root, "number", 2); /* there already */
        else if (which == 1)
            got = sn_document_number(&document, number, "x", 2); /* no place for values */
        else if (which == 2)
            got = sn_document_number(&document, list, NULL, 2); /* packed */
        else if (which == 3)
            got = sn_document_record(&document, NULL, NULL); /* a second root */
        else if (which == 4)
            got = sn_document_null(&document, root, NULL); /* no key */
        else if (which == 5)
            got = sn_document_text(&document, root, "text", NULL);
        else if (which == 6)
            got = sn_document_numbers(&document, root, "list", 1, &one, &filled);
        else
            got = sn_document_truth(&document, root, "list", true);
        assert_null(got);
        assert_true(document.failed);
        assert_true(which != 6 || !filled);
        assert_int_equal(root->count, 2);
        assert_null(sn_document_number(&document, root, "fine", 2));
        assert_int_equal(root->count, 2);
        sn_document_release(&document);
        assert_false(document.failed);
    }
}

/* The duplicate check of large records: two at a time, so that their keys share a table. */
static void test_large_records_find_duplicates(void **state)
{
    (void)state;
    enum { KEYS = 30000 };
    for (int again = 0; again < KEYS; again += KEYS / 7) {
        sn_document document;
        char key[32];
        sn_document_init(&document, NULL);
        sn_value *root = sn_document_list(&document, NULL, NULL);
        sn_value *a = sn_document_record(&document, root, NULL), *b = sn_document_record(&document, root, NULL);
        for (int i = 0; i < KEYS; ++i) {
            snprintf(key, sizeof key, "key %d", i);
            sn_document_number(&document, a, key, i);
            snprintf(key, sizeof key, "key %d", i * 2);
            sn_document_number(&document, b, key, i);
        }
        assert_false(document.failed);
        assert_int_equal(a->count, KEYS);
        snprintf(key, sizeof key, "key %d", KEYS); /* b has it, a does not */
        assert_non_null(sn_document_number(&document, a, key, 0));
        snprintf(key, sizeof key, "key %d", again);
        assert_null(sn_document_number(&document, a, key, 0));
        assert_true(document.failed);
        sn_document_release(&document);
    }
}

/* Duplicates on either side of the number of keys at which the table comes in. */
static void test_duplicates_around_the_threshold(void **state)
{
    (void)state;
    for (int count = 1; count < 40; ++count) {
        for (int again = 0; again < count; ++again) {
            sn_document document;
            char key[32];
            sn_document_init(&document, NULL);
            sn_value *root = sn_document_record(&document, NULL, NULL);
            for (int i = 0; i < count; ++i) {
                snprintf(key, sizeof key, "%d", i);
                assert_non_null(sn_document_number(&document, root, key, i));
            }
            snprintf(key, sizeof key, "%d", again);
            assert_null(sn_document_number(&document, root, key, 0));
            sn_document_release(&document);
        }
    }
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    sn_value *list = sn_document_list(&document, NULL, NULL);
    for (int i = 1; i < SN_DOCUMENT_DEPTH; ++i)
        list = sn_document_list(&document, list, NULL);
    assert_non_null(sn_document_number(&document, list, NULL, 1));
    assert_false(document.failed);
    assert_null(sn_document_record(&document, list, NULL));
    assert_true(document.failed);
    sn_document_release(&document);
}

static void test_values_are_described(void **state)
{
    (void)state;
    sn_document document;
    char text[400], tiny[6];
    sn_document_init(&document, NULL);
    sn_value *list = sn_document_list(&document, NULL, NULL);
    assert_string_equal(sn_value_describe(NULL, text, sizeof text), "nothing");
    assert_string_equal(sn_value_describe(list, text, sizeof text), "an empty list");
    assert_string_equal(sn_value_describe(sn_document_null(&document, list, NULL), text, sizeof text), "null");
    assert_string_equal(sn_value_describe(sn_document_truth(&document, list, NULL, true), text, sizeof text), "true");
    assert_string_equal(sn_value_describe(sn_document_truth(&document, list, NULL, false), text, sizeof text), "false");
    assert_string_equal(sn_value_describe(sn_document_number(&document, list, NULL, -2.5), text, sizeof text),
                        "a number (-2.5)");
    assert_string_equal(sn_value_describe(sn_document_text(&document, list, NULL, "raw\n\"silk\""), text, sizeof text),
                        "a text (\"raw\\n\\\"silk\\\"\")");
    assert_string_equal(sn_value_describe(list, text, sizeof text), "a list of 5");
    assert_string_equal(sn_value_describe(list, tiny, sizeof tiny), "a lis");
    char endless[1000];
    memset(endless, '\x01', sizeof endless);
    endless[999] = 0;
    sn_value_describe(sn_document_text(&document, list, NULL, endless), text, sizeof text);
    assert_says(text, "\\u0001\xe2\x80\xa6");
    assert_true(strlen(text) < 300);
    sn_document_release(&document);
}

/* ---- Editing ----------------------------------------------------------------------------------------------------- */

static void assert_set(sn_document *document, const char *path, const sn_value *value)
{
    char message[400] = "";
    if (!sn_document_set(document, path, value, message, sizeof message))
        fail_msg("%s: %s", path, message);
}

static void test_set_replaces_and_adds(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    const sn_value value = number_of(20), text = {.type = SN_VALUE_TEXT, .text = "wool", .count = 4};
    assert_set(&document, "world.substeps", &value);
    assert_set(&document, "world.name", &text);
    assert_set(&document, "world[\"a new key\"]", &value);
    assert_set(&document, "objects[1]", &text);
    assert_set(&document, "objects[3]", &value);
    assert_set(&document, "objects[0].pins[0]", &text);
    const sn_value *world = sn_value_find(document.root, "world"), *objects = sn_value_find(document.root, "objects");
    assert_int_equal(world->count, 3);
    assert_true(sn_value_find(world, "substeps")->number == 20);
    assert_string_equal(sn_value_find(world, "name")->text, "wool");
    assert_ptr_not_equal(sn_value_find(world, "name")->text, text.text);
    assert_string_equal(world->last->key, "a new key");
    assert_int_equal(objects->count, 4);
    assert_string_equal(objects->first->next->text, "wool");
    assert_null(objects->first->next->key);
    assert_true(objects->last->number == 20);
    assert_string_equal(sn_value_find(objects->first, "pins")->first->text, "wool");
    sn_document_release(&document);
}

static void test_set_keeps_the_order(void **state)
{
    (void)state;
    const sn_value value = number_of(-1);
    for (uint32_t which = 0; which < 3; ++which) {
        sn_document document;
        char path[32];
        sn_document_init(&document, NULL);
        sn_value *list = sn_document_list(&document, NULL, NULL);
        for (int i = 0; i < 3; ++i)
            sn_document_number(&document, list, NULL, i);
        snprintf(path, sizeof path, "[%u]", (unsigned)which);
        assert_set(&document, path, &value);
        assert_int_equal(list->count, 3);
        uint32_t i = 0;
        for (const sn_value *item = list->first; item; item = item->next, ++i) {
            assert_true(item->number == (i == which ? -1.0 : (double)i));
            assert_true(item->next || item == list->last);
        }
        assert_int_equal(i, 3);
        sn_document_release(&document);
    }
}

static void test_set_inside_of_packed_numbers(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    const sn_value value = number_of(7), truth = {.type = SN_VALUE_TRUTH, .number = 1};
    assert_set(&document, "objects[0].position[1]", &value);
    assert_set(&document, "objects[0].position[3]", &value);
    const sn_value *position = sn_value_find(example_object(&document), "position");
    assert_non_null(position->numbers);
    assert_int_equal(position->count, 4);
    const double expected[] = {0, 7, 2, 7};
    assert_memory_equal(position->numbers, expected, sizeof expected);
    assert_set(&document, "objects[0].position[0]", &truth); /* no number: the list has items from now on */
    position = sn_value_find(example_object(&document), "position");
    assert_null(position->numbers);
    assert_int_equal(position->count, 4);
    assert_int_equal(position->first->type, SN_VALUE_TRUTH);
    uint32_t i = 0;
    for (const sn_value *item = position->first; item; item = item->next, ++i)
        assert_true(i == 0 || (item->type == SN_VALUE_NUMBER && item->number == expected[i]));
    assert_int_equal(i, 4);
    assert_set(&document, "objects[0].position[4]", &value);
    assert_true(position->last->number == 7);
    sn_document_release(&document);
}

/* A copy of a whole tree, also of one that holds the place where it goes. */
static void test_set_copies_trees(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    assert_set(&document, "objects[0].self", document.root);
    const sn_value *self = sn_value_find(example_object(&document), "self");
    assert_ptr_not_equal(self, document.root);
    const sn_value *object = sn_value_find(self, "objects")->first;
    assert_null(sn_value_find(object, "self"));
    assert_true(sn_value_find(object, "position")->numbers[2] == 2);
    assert_set(&document, "objects", sn_value_find(self, "world"));
    assert_string_equal(sn_value_find(sn_value_find(document.root, "objects"), "name")->text, "silk");
    sn_document_release(&document);
}

/* A large record that is replaced leaves nothing behind that its successor could be mistaken for having. */
static void test_set_replaces_large_records(void **state)
{
    (void)state;
    sn_document document, other;
    char key[32];
    sn_document_init(&document, NULL);
    sn_document_init(&other, NULL);
    sn_value *root = sn_document_record(&document, NULL, NULL), *large = sn_document_record(&document, root, "large");
    sn_value *fresh = sn_document_record(&other, NULL, NULL);
    for (int i = 0; i < 100; ++i) {
        snprintf(key, sizeof key, "%d", i);
        sn_document_number(&document, large, key, i);
        snprintf(key, sizeof key, "%d", i + 50);
        sn_document_number(&other, fresh, key, i);
    }
    const sn_value value = number_of(-3);
    assert_set(&document, "large", fresh);
    assert_set(&document, "large.3", &value);   /* the old one had it */
    assert_set(&document, "large.149", &value); /* the new one has it */
    assert_set(&document, "large.200", &value); /* neither */
    const sn_value *now = sn_value_find(document.root, "large");
    assert_int_equal(now->count, 102);
    assert_true(sn_value_find(now, "149")->number == -3);
    assert_null(sn_value_find(now, "4"));
    assert_non_null(sn_document_number(&document, (sn_value *)now, "4", 4));
    assert_null(sn_document_number(&document, (sn_value *)now, "3", 4));
    sn_document_release(&document);
    sn_document_release(&other);
}

/* Keys that lead to a value, and lists whose first item it is, are made if they are not there. */
static void test_set_adds_what_leads_there(void **state)
{
    (void)state;
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    const sn_value value = number_of(7);
    assert_set(&document, "new.deep.er", &value);
    assert_set(&document, "new.deep.est", &value);
    assert_set(&document, "list[0].x", &value);
    assert_set(&document, "list[1]", &value);
    assert_set(&document, "objects[0].numbers[0]", &value);
    const sn_value *deep = sn_value_find(sn_value_find(document.root, "new"), "deep");
    assert_int_equal(deep->count, 2);
    assert_true(sn_value_find(deep, "er")->number == 7 && sn_value_find(deep, "est")->number == 7);
    const sn_value *list = sn_value_find(document.root, "list");
    assert_int_equal(list->count, 2);
    assert_true(sn_value_find(list->first, "x")->number == 7 && list->first->next->number == 7);
    const sn_value *numbers = sn_value_find(sn_value_find(document.root, "objects")->first, "numbers");
    assert_true(numbers->count == 1 && numbers->numbers && numbers->numbers[0] == 7);
    sn_document_release(&document);
}

static void test_set_says_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *path, *words;
    } cases[] = {
        {"", "path not understood its end"},
        {"world..substeps", "not understood ..substeps"},
        {"world.", "not understood"},
        {"elsewhere[1].substeps", "there is no elsewhere; [0] would be its first item"},
        {"elsewhere.a[0].b[2]", "there is no elsewhere.a[0].b; [0] would be its first item"},
        {"elsewhere.a..b", "not understood ..b"},
        {"world.substeps.x", "world.substeps is a number (10), not a record \"x\""},
        {"world[0]", "world is a record, not a list [0]"},
        {"objects.pins", "objects is a list of 3, not a record \"pins\"; its first item is objects[0]"},
        {"objects[4]", "no item [4] in objects, list of 3; [3] would add"},
        {"objects[3].x", "no item [3] in objects, list of 3"},
        {"objects[0].position[4]", "[4] in objects[0].position, list of 3; [3]"},
        {"objects[0].position[1].x", "objects[0].position[1] is a number (1), not a record"},
        {"objects[0].pins[1]", "pins, which is an empty list; [0] would add"},
        {"objects[4294967295]", "no item [4294967295]"},
        {"objects[4294967296]", "not understood [4294967296]"},
        {"objects[1][\"a b\"]", "objects[1] is true, not a record"},
    };
    sn_document document;
    sn_document_init(&document, NULL);
    build_example(&document);
    const sn_value value = number_of(1);
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        char message[300], tiny[5];
        assert_false(sn_document_set(&document, cases[i].path, &value, message, sizeof message));
        assert_says(message, cases[i].words);
        assert_false(sn_document_set(&document, cases[i].path, &value, tiny, sizeof tiny));
    }
    assert_false(document.failed);
    assert_int_equal(sn_value_find(document.root, "objects")->count, 3);
    assert_int_equal(sn_value_find(document.root, "world")->count, 2);
    sn_document_release(&document);
    char message[300];
    assert_false(sn_document_set(&document, "world", &value, message, sizeof message));
    assert_says(message, "empty");
}

static void test_set_is_bounded_in_depth(void **state)
{
    (void)state;
    sn_document document;
    char message[300];
    sn_document_init(&document, NULL);
    sn_document_list(&document, NULL, NULL);
    for (int i = 0; i < 7; ++i) /* doubles the height each time */
        assert_set(&document, "[0]", document.root), assert_set(&document, "[0]", document.root->first);
    while (sn_document_set(&document, "[0]", document.root, message, sizeof message))
        ;
    assert_says(message, "256 deep");
    int depth = 0;
    for (const sn_value *value = document.root; value; value = value->first)
        assert_true(value->number == ++depth);
    assert_int_equal(depth, SN_DOCUMENT_DEPTH);
    sn_document_release(&document);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* A document that takes many blocks: large records, long texts, packed numbers. */
static void build_large(sn_document *document)
{
    char text[3000], key[32];
    memset(text, 't', sizeof text);
    text[2999] = 0;
    sn_value *root = sn_document_record(document, NULL, NULL);
    for (int i = 0; i < 100; ++i) {
        snprintf(key, sizeof key, "%d", i);
        sn_value *list = sn_document_list(document, root, key);
        sn_document_text(document, list, NULL, text);
        sn_document_numbers(document, list, NULL, 3000, NULL, NULL);
        sn_document_truth(document, list, NULL, false);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    bool failed = true;
    for (uint64_t at = 1; failed; ++at) {
        support_memory memory = {.fail_at = at, .fail_ever_after = at % 2};
        sn_allocator allocator = support_allocator(&memory);
        sn_document document;
        sn_document_init(&document, &allocator);
        build_large(&document);
        failed = memory.failures > 0;
        assert_int_equal(document.failed, failed);
        sn_document_release(&document);
        assert_memory_clean(&memory);
        assert_true(failed || at > 70);
    }
}

static void make_edits(sn_document *document, const sn_value *large, uint32_t *refused)
{
    static const char *const paths[] = {"objects[0].position[3]", "objects[0].position[2]", "world.new", "objects[2]"};
    for (size_t i = 0; i < COUNT_OF(paths); ++i) {
        char message[300] = "";
        if (!sn_document_set(document, paths[i], large, message, sizeof message)) {
            assert_says(message, "out of memory");
            assert_says(message, paths[i]);
            ++*refused;
        }
    }
}

static void test_edits_without_memory_change_nothing(void **state)
{
    (void)state;
    sn_document source;
    sn_document_init(&source, NULL);
    build_large(&source);
    for (uint64_t at = 2; at < 300; at += 7) {
        support_memory memory = {.fail_at = at, .fail_ever_after = true};
        sn_allocator allocator = support_allocator(&memory);
        sn_document document;
        uint32_t refused = 0;
        sn_document_init(&document, &allocator);
        build_example(&document);
        make_edits(&document, source.root, &refused);
        assert_true(refused > 0);
        assert_false(document.failed);
        const sn_value *object = example_object(&document), *position = sn_value_find(object, "position");
        assert_int_equal(position->count, refused == 4 ? 3 : 4);
        assert_int_equal(position->numbers != NULL, refused == 4);
        assert_true(refused < 4 || position->numbers[1] == 1);
        assert_int_equal(sn_value_find(document.root, "world")->count, refused > 1 ? 2 : 3);
        assert_int_equal(sn_value_find(document.root, "objects")->last->type, SN_VALUE_NULL);
        sn_document_release(&document);
        assert_memory_clean(&memory);
    }
    sn_document_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_built_is_there),
        cmocka_unit_test(test_numbers_can_be_filled_in),
        cmocka_unit_test(test_misuse_fails),
        cmocka_unit_test(test_large_records_find_duplicates),
        cmocka_unit_test(test_duplicates_around_the_threshold),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_values_are_described),
        cmocka_unit_test(test_set_replaces_and_adds),
        cmocka_unit_test(test_set_keeps_the_order),
        cmocka_unit_test(test_set_inside_of_packed_numbers),
        cmocka_unit_test(test_set_copies_trees),
        cmocka_unit_test(test_set_replaces_large_records),
        cmocka_unit_test(test_set_says_what_is_wrong),
        cmocka_unit_test(test_set_adds_what_leads_there),
        cmocka_unit_test(test_set_is_bounded_in_depth),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_edits_without_memory_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
