/* The schema as a document: what tests/scripts/schema.sh, which knows what a schema means, is built on. */
#include "support/support.h"

#include "scene/scene_fixture.h"

static sn_document schema;
static const sn_value *defs;

static int write_schema(void **state)
{
    (void)state;
    sn_document_init(&schema, NULL);
    if (!sn_scene_schema(&schema))
        return -1;
    defs = sn_value_find(schema.root, "$defs");
    return defs ? 0 : -1;
}

static int release_schema(void **state)
{
    (void)state;
    sn_document_release(&schema);
    return 0;
}

static void follow(const sn_value *value)
{
    const sn_value *ref = sn_value_find(value, "$ref");
    if (ref && ref->type == SN_VALUE_TEXT) {
        assert_int_equal(strncmp(ref->text, "#/$defs/", 8), 0);
        if (!sn_value_find(defs, ref->text + 8))
            fail_msg("%s leads nowhere", ref->text);
    }
    for (const sn_value *item = value->first; item; item = item->next)
        follow(item);
}

static void test_references(void **state)
{
    (void)state;
    follow(schema.root);
    assert_string_equal(sn_value_find(schema.root, "$schema")->text, "https://json-schema.org/draft/2020-12/schema");
}

/* Every key of a table, with its description, among the properties of a definition. */
static void check_keys(const sn_value *definition, const sn_record *table)
{
    assert_non_null(definition);
    const sn_value *properties = sn_value_find(definition, "properties");
    const sn_value *required = sn_value_find(definition, "required");
    for (const sn_key *key = table->keys; key->name; ++key) {
        const sn_value *property = sn_value_find(properties, key->name);
        if (!property)
            fail_msg("%s lacks %s", table->name, key->name);
        assert_non_null(sn_value_find(property, "description"));
        bool must = false;
        for (const sn_value *item = required->first; item; item = item->next)
            must = must || strcmp(item->text, key->name) == 0;
        assert_int_equal(must, (key->flags & SN_KEY_REQUIRED) != 0);
    }
    const sn_value *more = sn_value_find(definition, "additionalProperties");
    assert_true(more && more->type == SN_VALUE_TRUTH && more->number == 0);
}

static void test_keys(void **state)
{
    (void)state;
    check_keys(schema.root, &sn_scene_record);
    const sn_record *const tables[] = {&sn_world_record,      &sn_run_record,     &sn_record_record, &sn_drag_record,
                                       &sn_stuff_record,      &sn_turn_record,    &sn_force_record,  &sn_motion_record,
                                       &sn_motion_key_record, &sn_event_record,   &sn_choose_record, &sn_spot_record,
                                       &sn_attachment_record, &sn_contact_record, &sn_group_record,  &sn_surface_record,
                                       &sn_skin_record};
    for (size_t i = 0; i < COUNT_OF(tables); ++i)
        check_keys(sn_value_find(defs, tables[i]->name), tables[i]);
}

static bool has_text(const sn_value *list, const char *text)
{
    for (const sn_value *item = list->first; item; item = item->next)
        if (strcmp(item->text, text) == 0)
            return true;
    return false;
}

static const sn_value *choices_of(const char *definition, const char *key)
{
    const sn_value *properties = sn_value_find(sn_value_find(defs, definition), "properties");
    return sn_value_find(sn_value_find(properties, key), "enum");
}

/* A type of objects, or a kind, is in the schema the day it is added. */
static void test_types_and_kinds(void **state)
{
    (void)state;
    char name[120];
    for (uint32_t i = 0; i < sn_object_type_count(); ++i) {
        const sn_object_type *type = sn_object_type_at(i);
        snprintf(name, sizeof name, "object_%s", type->name);
        check_keys(sn_value_find(defs, name), &sn_object_record);
        check_keys(sn_value_find(defs, name), type->record);
        assert_true(has_text(choices_of("object", "type"), type->name));
    }
    assert_int_equal(choices_of("object", "type")->count, sn_object_type_count());
    for (uint32_t i = 1; i < sn_kind_count(NULL); ++i) {
        const sn_kind *kind = sn_kind_info(NULL, i);
        snprintf(name, sizeof name, "constraint_%s", kind->name);
        const sn_value *properties = sn_value_find(sn_value_find(defs, name), "properties");
        for (uint32_t p = 0; kind->param[p].name; ++p)
            assert_non_null(sn_value_find(properties, kind->param[p].name));
        for (const sn_key *key = sn_constraint_record.keys; key->name; ++key)
            assert_non_null(sn_value_find(properties, key->name));
        assert_true(has_text(choices_of("constraint", "kind"), kind->name));
    }
    assert_int_equal(choices_of("constraint", "kind")->count, sn_kind_count(NULL) - 1);
}

static void test_bodies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SN_SHAPE_TYPES; ++i) {
        char name[120];
        snprintf(name, sizeof name, "shape_%s", sn_shape_forms[i].name);
        check_keys(sn_value_find(defs, name), &sn_shape_record);
        check_keys(sn_value_find(defs, name), sn_shape_forms[i].record);
        assert_true(has_text(choices_of("shape", "type"), sn_shape_forms[i].name));
    }
    assert_int_equal(choices_of("shape", "type")->count, SN_SHAPE_TYPES);
    check_keys(sn_value_find(defs, "body"), &sn_body_record);
    check_keys(sn_value_find(defs, "body_alone"), &sn_body_record);
    check_keys(sn_value_find(defs, "body_alone"), &sn_lone_body_record);
    check_keys(sn_value_find(defs, "fixed_body"), &sn_fixed_body_record);
    check_keys(sn_value_find(defs, "place_point"), &sn_place_record);
}

static const sn_value *property(const char *definition, const char *key)
{
    return sn_value_find(sn_value_find(sn_value_find(defs, definition), "properties"), key);
}

static double number_of(const sn_value *value, const char *key)
{
    assert_non_null(sn_value_find(value, key));
    return sn_value_find(value, key)->number;
}

static void test_ranges_and_defaults(void **state)
{
    (void)state;
    sn_settings standard = sn_default_world_def().settings;
    const sn_value *substeps = property("world", "substeps");
    assert_true(number_of(substeps, "default") == standard.substeps);
    assert_true(number_of(substeps, "minimum") == 1 && number_of(substeps, "maximum") == 100000);
    assert_string_equal(sn_value_find(property("world", "order"), "default")->text,
                        sn_order_choices.name[standard.order]);
    assert_true(number_of(property("object_rope", "scale"), "exclusiveMinimum") == 0);
    assert_null(sn_value_find(property("object_rope", "scale"), "minimum"));
    assert_null(sn_value_find(property("material", "bend"), "default")); /* not given is not a number */
    assert_null(sn_value_find(property("force", "to"), "default"));      /* for ever */
    assert_true(number_of(property("force", "gust"), "maximum") == 1);
    assert_true(number_of(property("world", "gravity"), "minItems") == 2);
    assert_true(number_of(property("world", "gravity"), "maxItems") == 3);
}

static void test_no_memory(void **state)
{
    (void)state;
    bool made = false;
    for (uint64_t fail_at = 1; !made && fail_at < 1000; ++fail_at) {
        support_memory memory = {.fail_at = fail_at};
        sn_allocator allocator = support_allocator(&memory);
        sn_document document;
        sn_document_init(&document, &allocator);
        made = sn_scene_schema(&document);
        assert_true(made == (memory.failures == 0));
        sn_document_release(&document);
        assert_memory_clean(&memory);
    }
    assert_true(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),      cmocka_unit_test(test_keys),
        cmocka_unit_test(test_types_and_kinds), cmocka_unit_test(test_ranges_and_defaults),
        cmocka_unit_test(test_no_memory),       cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, write_schema, release_schema);
}
