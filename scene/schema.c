/* The JSON Schema of scene files, from the tables. */
#include "scene/characters.h"
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    sn_document *out;
    sn_value *defs;
} writer;

/* ---- Small pieces ------------------------------------------------------------------------------------------------ */

/* A number or a truth value may be an expression instead. */
#define EXPRESSION "^=|\\$[A-Za-z_]"

static void put_type(writer *w, sn_value *at, const char *type)
{
    if (strcmp(type, "number") != 0 && strcmp(type, "integer") != 0 && strcmp(type, "boolean") != 0) {
        sn_document_text(w->out, at, "type", type);
        return;
    }
    sn_value *types = sn_document_list(w->out, at, "type");
    sn_document_text(w->out, types, NULL, type);
    sn_document_text(w->out, types, NULL, "string");
    sn_document_text(w->out, at, "pattern", EXPRESSION);
}

static void put_ref(writer *w, sn_value *at, const char *name)
{
    char text[160];
    snprintf(text, sizeof text, "#/$defs/%s", name);
    sn_document_text(w->out, at, "$ref", text);
}

static sn_value *put_list_of(writer *w, sn_value *at)
{
    put_type(w, at, "array");
    return sn_document_record(w->out, at, "items");
}

static void put_about(writer *w, sn_value *at, const char *about, const char *unit)
{
    char text[600];
    if (!about)
        return;
    snprintf(text, sizeof text, unit ? "%s (%s)" : "%s", about, unit);
    sn_document_text(w->out, at, "description", text);
}

static void put_range(writer *w, sn_value *at, double least, double most, bool positive)
{
    if (positive)
        sn_document_number(w->out, at, "exclusiveMinimum", 0);
    else if (least != 0 || most != 0)
        sn_document_number(w->out, at, "minimum", least);
    if (most != 0 && isfinite(most))
        sn_document_number(w->out, at, "maximum", most);
}

static void put_vector(writer *w, sn_value *at, double least, double most)
{
    sn_value *types = sn_document_list(w->out, at, "type");
    sn_document_text(w->out, types, NULL, "array");
    sn_document_text(w->out, types, NULL, "string");
    sn_document_text(w->out, at, "pattern", EXPRESSION);
    sn_value *items = sn_document_record(w->out, at, "items");
    put_type(w, items, "number");
    put_range(w, items, least, most, false);
    sn_document_number(w->out, at, "minItems", 2);
    sn_document_number(w->out, at, "maxItems", 3);
}

static void put_names(writer *w, sn_value *at, const char *key, uint32_t count, const char *const *names)
{
    sn_value *list = sn_document_list(w->out, at, key);
    for (uint32_t i = 0; i < count; ++i)
        sn_document_text(w->out, list, NULL, names[i]);
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static void put_default(writer *w, sn_value *at, const sn_key *key, const void *standard)
{
    const sn_vec3 *v = standard;
    double x[3];
    switch (key->type) {
    case SN_KEY_REAL:
        if (isfinite(*(const sn_real *)standard))
            sn_document_number(w->out, at, "default", (double)*(const sn_real *)standard);
        break;
    case SN_KEY_COUNT:
        if (*(const uint32_t *)standard != UINT32_MAX)
            sn_document_number(w->out, at, "default", *(const uint32_t *)standard);
        break;
    case SN_KEY_TRUTH:
        sn_document_truth(w->out, at, "default", *(const bool *)standard);
        break;
    case SN_KEY_CHOICE:
        sn_document_text(w->out, at, "default", ((const sn_choices *)key->of)->name[*(const unsigned *)standard]);
        break;
    case SN_KEY_VECTOR:
        x[0] = (double)v->x, x[1] = (double)v->y, x[2] = (double)v->z;
        if (!isnan(x[0]))
            sn_document_numbers(w->out, at, "default", 3, x, NULL);
        break;
    default:
        break;
    }
}

static void define_record(writer *w, const sn_record *record);

static void put_key_type(writer *w, sn_value *at, const sn_key *key)
{
    bool positive = key->flags & SN_KEY_POSITIVE;
    switch (key->type) {
    case SN_KEY_REAL:
    case SN_KEY_COUNT:
        put_type(w, at, key->type == SN_KEY_REAL ? "number" : "integer");
        if (key->type == SN_KEY_COUNT && key->least == 0 && key->most == 0 && !positive)
            sn_document_number(w->out, at, "minimum", 0);
        else
            put_range(w, at, key->least, key->most, positive);
        break;
    case SN_KEY_TRUTH:
        put_type(w, at, "boolean");
        break;
    case SN_KEY_TEXT:
        put_type(w, at, "string");
        break;
    case SN_KEY_CHOICE:
        put_names(w, at, "enum", ((const sn_choices *)key->of)->count, ((const sn_choices *)key->of)->name);
        break;
    case SN_KEY_VECTOR:
        put_vector(w, at, key->least, key->most);
        break;
    case SN_KEY_REALS: {
        sn_value *items = put_list_of(w, at);
        put_type(w, items, "number");
        put_range(w, items, key->least, key->most, positive);
        break;
    }
    case SN_KEY_RECORD:
        define_record(w, key->of);
        put_ref(w, at, ((const sn_record *)key->of)->name);
        break;
    case SN_KEY_RECORDS:
        define_record(w, key->of);
        put_ref(w, put_list_of(w, at), ((const sn_record *)key->of)->name);
        break;
    case SN_KEY_VALUE:
        put_ref(w, at, key->of);
        break;
    }
}

static void put_keys(writer *w, sn_value *properties, sn_value *required, const sn_record *record)
{
    void *standard = sn_arena_take(&w->out->arena, 1, record->size);
    if (!standard) {
        w->out->failed = true;
        return;
    }
    if (record->defaults)
        record->defaults(standard);
    for (const sn_key *key = record->keys; key->name; ++key) {
        if (sn_value_find(properties, key->name))
            continue;
        sn_value *at = sn_document_record(w->out, properties, key->name);
        put_about(w, at, key->about, key->unit);
        put_key_type(w, at, key);
        put_default(w, at, key, (const char *)standard + key->offset);
        if (key->flags & SN_KEY_REQUIRED)
            sn_document_text(w->out, required, NULL, key->name);
    }
}

/* Begins a record: its type and remarks. Returns its properties. */
static sn_value *put_record(writer *w, sn_value *at, const char *about)
{
    put_about(w, at, about, NULL);
    put_type(w, at, "object");
    sn_document_truth(w->out, at, "additionalProperties", false);
    sn_value *properties = sn_document_record(w->out, at, "properties");
    put_type(w, sn_document_record(w->out, properties, "$schema"), "string");
    sn_document_record(w->out, properties, "comment");
    put_ref(w, sn_document_record(w->out, properties, "for"), "for");
    return properties;
}

static void define_record(writer *w, const sn_record *record)
{
    if (sn_value_find(w->defs, record->name))
        return;
    sn_value *at = sn_document_record(w->out, w->defs, record->name);
    sn_value *properties = put_record(w, at, record->about);
    put_keys(w, properties, sn_document_list(w->out, at, "required"), record);
}

/* The definition requires exactly one of these keys. */
static void put_one_of(writer *w, const char *definition, uint32_t count, const char *const *keys)
{
    sn_value *one = sn_document_list(w->out, (sn_value *)sn_value_find(w->defs, definition), "oneOf");
    for (uint32_t i = 0; i < count; ++i)
        put_names(w, sn_document_record(w->out, one, NULL), "required", 1, &keys[i]);
}

/* ---- Alternatives chosen by a key -------------------------------------------------------------------------------- */

/* Adds a case: if the key has this value, the definition applies. */
static void put_case(writer *w, sn_value *cases, const char *key, const char *name, const char *definition)
{
    sn_value *item = sn_document_record(w->out, cases, NULL);
    sn_value *condition = sn_document_record(w->out, item, "if");
    sn_value *properties = sn_document_record(w->out, condition, "properties");
    sn_document_text(w->out, sn_document_record(w->out, properties, key), "const", name);
    put_names(w, condition, "required", 1, &key);
    put_ref(w, sn_document_record(w->out, item, "then"), definition);
}

/* A record in which one key chooses the alternative. Returns the list of cases and the list of names. */
static sn_value *put_switch(writer *w, const char *definition, const char *key, sn_value **names)
{
    sn_value *at = sn_document_record(w->out, w->defs, definition);
    put_type(w, at, "object");
    put_names(w, at, "required", 1, &key);
    sn_value *properties = sn_document_record(w->out, at, "properties");
    *names = sn_document_list(w->out, sn_document_record(w->out, properties, key), "enum");
    return sn_document_list(w->out, at, "allOf");
}

/* One of these alternatives: the common keys, and its own. */
static sn_value *put_form(writer *w, const char *name, const char *about, const sn_record *all, const sn_record *own)
{
    sn_value *at = sn_document_record(w->out, w->defs, name);
    sn_value *properties = put_record(w, at, about), *required = sn_document_list(w->out, at, "required");
    put_keys(w, properties, required, all);
    put_keys(w, properties, required, own);
    return at;
}

static void define_objects(writer *w)
{
    sn_value *names, *cases = put_switch(w, "object", "type", &names);
    for (uint32_t i = 0; i < sn_object_type_count(); ++i) {
        const sn_object_type *type = sn_object_type_at(i);
        char name[120], about[700];
        snprintf(name, sizeof name, "object_%s", type->name);
        snprintf(about, sizeof about, "%s %s", type->about, type->parts ? type->parts : "");
        put_form(w, name, about, &sn_object_record, type->record);
        sn_document_text(w->out, names, NULL, type->name);
        put_case(w, cases, "type", type->name, name);
    }
}

/* Defines shapes; the pose of a shape may be given by its ends. */
static void define_shapes(writer *w)
{
    sn_value *names, *cases = put_switch(w, "shape", "type", &names);
    for (uint32_t i = 0; i < SN_SHAPE_TYPES; ++i) {
        const sn_shape_form *form = &sn_shape_forms[i];
        char name[120];
        snprintf(name, sizeof name, "shape_%s", form->name);
        sn_value *at = put_form(w, name, form->about, &sn_shape_record, form->record);
        sn_document_text(w->out, names, NULL, form->name);
        put_case(w, cases, "type", form->name, name);
        if (i == SN_SHAPE_HULL)
            put_one_of(w, name, 2, (const char *[]){"points", "mesh"});
        if (i != SN_SHAPE_CAPSULE && i != SN_SHAPE_CYLINDER && i != SN_SHAPE_CONE)
            continue;
        sn_value *together = sn_document_record(w->out, at, "dependentRequired"); /* from and to */
        put_names(w, together, "from", 1, (const char *[]){"to"});
        put_names(w, together, "to", 1, (const char *[]){"from"});
    }
}

static void define_bodies(writer *w)
{
    define_shapes(w);
    define_record(w, &sn_body_record);
    sn_value *at = sn_document_record(w->out, w->defs, "body_alone");
    sn_value *properties = put_record(w, at, sn_body_record.about),
             *required = sn_document_list(w->out, at, "required");
    put_keys(w, properties, required, &sn_lone_body_record);
    put_keys(w, properties, required, &sn_body_record);
    define_record(w, &sn_fixed_body_record);
    sn_value *either = sn_document_record(w->out, w->defs, "body_of_list"), *fixed;
    put_about(w, either, "A rigid body of any type", NULL);
    fixed = sn_document_record(w->out, either, "if");
    put_names(w, fixed, "required", 1, (const char *[]){"type"});
    put_names(w, sn_document_record(w->out, sn_document_record(w->out, fixed, "properties"), "type"), "enum", 2,
              (const char *[]){"static", "kinematic"});
    put_ref(w, sn_document_record(w->out, either, "then"), sn_fixed_body_record.name);
    put_ref(w, sn_document_record(w->out, either, "else"), "body_alone");
}

/* A number for all, or a list with one for each, in a range; both 0: any. */
static sn_value *put_numbers(writer *w, sn_value *at, double least, double most)
{
    sn_value *list = sn_document_list(w->out, at, "anyOf");
    sn_value *one = sn_document_record(w->out, list, NULL), *many = sn_document_record(w->out, list, NULL);
    put_type(w, one, "number");
    put_range(w, one, least, most, false);
    sn_value *items = put_list_of(w, many);
    put_type(w, items, "number");
    put_range(w, items, least, most, false);
    sn_document_number(w->out, many, "minItems", 1);
    return list;
}

static void define_numbers(writer *w, const char *name, double least, double most)
{
    sn_value *at = sn_document_record(w->out, w->defs, name);
    put_about(w, at, "One for all, or one for each", NULL);
    put_numbers(w, at, least, most);
}

/* The meaning of parameters that several kinds share. The others are described with their kinds. */
static const char *meaning_of(const char *param)
{
    static const char *const known[][2] = {
        {"rest", "the value at rest"},
        {"least", "the least that it may be"},
        {"most", "the most that it may be"},
        {"target", "where it is held, or driven to"},
        {"target_most", "the most that the drive to the target exerts; 0: there is none"},
        {"target_compliance", "the compliance of the drive to the target; 0 is rigid"},
        {"target_damping", "the damping of the drive to the target"},
        {"speed", "the speed that a motor keeps"},
        {"speed_most", "the most that the motor exerts; 0: there is none"},
        {"friction", "dry friction: the most that it exerts against motion"},
        {"force", "the largest force that it exerts"},
        {"swing", "how far it may lean from its axis"},
        {"linear_compliance", "how much it gives under a force; 0 is rigid"},
        {"linear_damping", "the damping of that give under a force"},
        {"angular_compliance", "how much it gives under a torque; 0 is rigid"},
        {"angular_damping", "the damping of that give under a torque"},
        {"axis", "the direction in which it acts"},
        {"normal", "the normal of a plane or circle"},
        {"origin", "a point of the line or plane"},
        {"direction", "the direction of the line"},
        {"centre", "the centre of the circle or sphere"},
        {"radius", "the radius of the circle or sphere"},
        {"thickness", "the distance that it keeps"},
        {"ratio", "the ratio of the two motions"},
        {"pressure", "the volume that it keeps, as a multiple of that at rest"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(param, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

static void put_param(writer *w, sn_value *properties, const sn_kind *kind, const sn_param *param)
{
    char about[200], standard[60] = "";
    if (param->has_default)
        snprintf(standard, sizeof standard, "; %g if not given", (double)param->default_value);
    else if (kind->measure)
        snprintf(standard, sizeof standard, "; measured if not given");
    const char *meaning = meaning_of(param->name);
    if (meaning)
        snprintf(about, sizeof about, "%s: %s%s", kind->name, meaning, standard);
    else
        snprintf(about, sizeof about, "%s of the kind %s%s", param->name, kind->name, standard);
    sn_value *at = sn_document_record(w->out, properties, param->name);
    put_about(w, at, about, param->unit);
    if (param->type != SN_PARAM_REAL) {
        put_ref(w, at, "param_vector");
        return;
    }
    sn_value *forms = put_numbers(w, at, (double)param->least, (double)param->most);
    put_ref(w, sn_document_record(w->out, forms, NULL), "measure");
}

static void define_constraints(writer *w)
{
    sn_value *names, *cases = put_switch(w, "constraint", "kind", &names);
    put_one_of(w, "constraint", 4, (const char *[]){"points", "each", "index", "bodies"});
    for (uint32_t i = 1; i < sn_kind_count(NULL); ++i) {
        const sn_kind *kind = sn_kind_info(NULL, i);
        char name[120];
        snprintf(name, sizeof name, "constraint_%s", kind->name);
        sn_value *at = sn_document_record(w->out, w->defs, name);
        sn_value *properties = put_record(w, at, kind->about);
        for (uint32_t p = 0; p < SN_MAX_PARAMS && kind->param[p].name; ++p)
            put_param(w, properties, kind, &kind->param[p]);
        for (uint32_t p = 0; p < SN_MAX_POINT_PARAMS && kind->point_param[p].name; ++p)
            put_param(w, properties, kind, &kind->point_param[p]);
        put_keys(w, properties, sn_document_list(w->out, at, "required"), &sn_constraint_record);
        sn_document_text(w->out, names, NULL, kind->name);
        put_case(w, cases, "kind", kind->name, name);
    }
}

/* ---- Values without a table -------------------------------------------------------------------------------------- */

/* A definition that allows several types and references: "number", or "$name" for a reference. */
static sn_value *define_any(writer *w, const char *name, const char *about, uint32_t count, const char *const *of)
{
    sn_value *at = sn_document_record(w->out, w->defs, name);
    put_about(w, at, about, NULL);
    sn_value *list = sn_document_list(w->out, at, "anyOf");
    for (uint32_t i = 0; i < count; ++i) {
        sn_value *item = sn_document_record(w->out, list, NULL);
        if (of[i][0] == '$')
            put_ref(w, item, of[i] + 1);
        else
            put_type(w, item, of[i]);
    }
    return list;
}

/* A definition that is a list of something else. */
static sn_value *define_list(writer *w, const char *name, const char *about, const char *of)
{
    sn_value *at = sn_document_record(w->out, w->defs, name);
    put_about(w, at, about, NULL);
    sn_value *items = put_list_of(w, at);
    if (of[0] == '$')
        put_ref(w, items, of + 1);
    else
        put_type(w, items, of);
    return at;
}

static void put_length(writer *w, sn_value *at, uint32_t least, uint32_t most)
{
    sn_document_number(w->out, at, "minItems", least);
    sn_document_number(w->out, at, "maxItems", most);
}

/* A record with any keys, whose values have one definition. */
static void define_by_name(writer *w, const char *name, const char *about, const char *of)
{
    sn_value *at = sn_document_record(w->out, w->defs, name);
    put_about(w, at, about, NULL);
    put_type(w, at, "object");
    put_ref(w, sn_document_record(w->out, at, "additionalProperties"), of);
}

#define ANY(name, about, ...)                                                                                          \
    define_any(w, name, about, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void define_selectors(writer *w)
{
    define_record(w, &sn_choose_record);
    put_one_of(w, sn_choose_record.name, 2, (const char *[]){"near", "inside"});
    define_record(w, &sn_spot_record);
    define_record(w, &sn_place_record);
    ANY("one_selector",
        "Particles: a name such as 'rope', 'rope.end', 'rope[3]' or 'rope.end[0:2]', a number, or a record", "string",
        "integer", "$selector");
    define_list(w, "selector_list", NULL, "$one_selector");
    ANY("one_point", "A particle, a spot between some, a spot of a body, or a place in the world", "$one_selector",
        "$spot", "$place_point");
    put_length(w, define_list(w, "two_bodies", "Two bodies, of which one may be \"world\"", "$one_selector"), 2, 2);
    define_list(w, "point_list", NULL, "$one_point");
    ANY("points", "Points: one, or a list of them", "$one_point", "$point_list");
    ANY("selectors", "Particles: one selector, or a list of them", "$one_selector", "$selector_list");
    put_length(w, define_list(w, "two_selectors", "Two selectors", "$selectors"), 2, 2);
    define_list(w, "texts", NULL, "string");
    ANY("constraint_names", "Constraints: names such as 'rope.links[3]', or a list of them", "string", "$texts");
    ANY("object_names", "Objects: a name, or a list of them", "string", "$texts");
    ANY("selectors_or_constraints", "Particles, or of a cut, constraints", "$selectors", "$constraint_names");
}

/* Defines variables and `for`. */
static void define_expansion(writer *w)
{
    sn_value *variables = sn_document_record(w->out, w->defs, "variables");
    put_about(w, variables, "Values by name, for expressions such as \"$width / 2\"", NULL);
    put_type(w, variables, "object");
    sn_value *repeat = sn_document_record(w->out, w->defs, "for");
    put_about(
        w, repeat,
        "How often this item of a list is made, with the variable i from 0 on; or names of variables and how often, "
        "in each other",
        NULL);
    sn_value *forms = sn_document_list(w->out, repeat, "anyOf"), *once = sn_document_record(w->out, forms, NULL);
    put_type(w, once, "integer");
    put_range(w, once, 0, 1e6, false);
    sn_value *nested = sn_document_record(w->out, forms, NULL);
    put_type(w, nested, "object");
    sn_value *each = sn_document_record(w->out, nested, "additionalProperties");
    put_type(w, each, "integer");
    put_range(w, each, 0, 1e6, false);
}

static void define_values(writer *w)
{
    define_list(w, "numbers", "Numbers", "number");
    sn_value *whole = define_list(w, "whole_numbers", "Whole numbers, 0 or more", "integer");
    sn_document_number(w->out, (sn_value *)sn_value_find(whole, "items"), "minimum", 0);
    put_length(w, define_list(w, "three_numbers", "Three numbers", "number"), 3, 3);
    put_length(w, define_list(w, "place", "A place: two or three numbers", "number"), 2, 3);
    put_length(w, define_list(w, "matrix", "Three rows of three numbers", "$three_numbers"), 3, 3);
    put_length(w, define_list(w, "two_vectors", "Two corners of a box", "$place"), 2, 2);
    define_numbers(w, "amounts", 0, INFINITY);
    define_numbers(w, "shares", 0, 1);
    sn_document_text(w->out, sn_document_record(w->out, w->defs, "measure"), "const", "measure");
    ANY("param_vector", "A vector, 'measure', or one after the other for many constraints", "$numbers", "$measure");
    define_by_name(w, "parts", "Particles by the name of a part", "whole_numbers");
    define_record(w, &sn_stuff_record);
    ANY("material_use", "The name of a material, or a material", "string", "$material");
    define_expansion(w);
    define_by_name(w, "materials", "Materials by name", "material");
    define_by_name(w, "names", "Constraints by name", "constraint_names");
    define_record(w, &sn_group_record);
    define_by_name(w, "groups", "Groups by name or number", "group");
    sn_value *forms = ANY("group_use", "The name of a group, or its number", "string", "integer");
    sn_value *number = forms && forms->first ? forms->first->next : NULL;
    sn_document_number(w->out, number, "minimum", 0);
    sn_document_number(w->out, number, "maximum", SN_OWN_GROUP - 1);
    define_record(w, &sn_skin_record);
    ANY("skin_use", "Whether there is one, or what it is like", "boolean", "$skin");
    define_list(w, "objects", "Objects", "$object");
    define_list(w, "bodies", "Rigid bodies", "$body_of_list");
    define_list(w, "object_bodies", "Rigid bodies of an object", "$body");
    define_list(w, "shape_list", NULL, "$shape");
    ANY("shapes", "A shape, or a list of shapes", "$shape", "$shape_list");
    define_list(w, "constraints", "Constraints", "$constraint");
}

static void define_list_of_records(writer *w, const char *name, const sn_record *record)
{
    char of[100];
    define_record(w, record);
    snprintf(of, sizeof of, "$%s", record->name);
    define_list(w, name, record->about, of);
}

bool sn_scene_schema(sn_document *document)
{
    sn_value *root = sn_document_record(document, NULL, NULL);
    sn_document_text(document, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    sn_document_text(document, root, "title", "Sinew scene");
    writer w = {document, NULL};
    sn_value *properties = put_record(&w, root, sn_scene_record.about);
    sn_value *required = sn_document_list(document, root, "required");
    w.defs = sn_document_record(document, root, "$defs");
    define_selectors(&w);
    define_values(&w);
    define_objects(&w);
    define_bodies(&w);
    define_constraints(&w);
    define_list_of_records(&w, "attachments", &sn_attachment_record);
    define_list_of_records(&w, "forces", &sn_force_record);
    define_list_of_records(&w, "motions", &sn_motion_record);
    define_list_of_records(&w, "blades", &sn_blade_record);
    define_list_of_records(&w, "characters", &sn_character_record);
    define_list_of_records(&w, "events", &sn_event_record);
    put_keys(&w, properties, required, &sn_scene_record);
    return !document->failed;
}
