#include "cli/list.h"
#include "cli/cli.h"
#include "export/output.h"
#include "scene/characters.h"
#include "scene/bodies.h"
#include "scene/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 9e29 /* larger limits only prevent overflow and are not shown */

static sn_value *begin_entry(sn_document *d, sn_value *list, const char *what, const char *name, const char *about)
{
    sn_value *entry = sn_document_record(d, list, NULL);
    sn_document_text(d, entry, "event", what);
    sn_document_text(d, entry, "name", name);
    if (about)
        sn_document_text(d, entry, "about", about);
    return entry;
}

/* ---- Choices ----------------------------------------------------------------------------------------------------- */

static bool list_choices(sn_document *d, sn_value *list, const char *what, const sn_choices *choices, uint32_t given)
{
    for (uint32_t i = 0; i < choices->count; ++i) {
        sn_value *entry = begin_entry(d, list, what, choices->name[i], choices->about ? choices->about[i] : NULL);
        sn_document_truth(d, entry, "default", i == given);
    }
    return !d->failed;
}

bool sn_list_solvers(sn_document *d, sn_value *list)
{
    return list_choices(d, list, "solver", &sn_solver_choices, sn_default_world_def().settings.solver);
}

bool sn_list_integrators(sn_document *d, sn_value *list)
{
    return list_choices(d, list, "integrator", &sn_integrator_choices, sn_default_world_def().settings.integrator);
}

bool sn_list_orders(sn_document *d, sn_value *list)
{
    return list_choices(d, list, "order", &sn_order_choices, sn_default_world_def().settings.order);
}

bool sn_list_gradients(sn_document *d, sn_value *list)
{
    return list_choices(d, list, "gradients", &sn_gradients_choices, sn_default_world_def().settings.gradients);
}

bool sn_list_formats(sn_document *d, sn_value *list)
{
    const char *name, *about;
    sn_format format;
    for (uint32_t i = 0; (name = sn_format_name(i, &format, &about)) != NULL; ++i)
        begin_entry(d, list, "format", name, about);
    return !d->failed;
}

/* ---- Keys of records --------------------------------------------------------------------------------------------- */

const char *sn_value_words(const char *sort)
{
    static const char *const words[][2] = {{"amounts", "number, or a list of numbers"},
                                           {"shares", "number, or a list of numbers"},
                                           {"constraint_names", "name, or a list of names"},
                                           {"group", "record"},
                                           {"group_use", "name or number"},
                                           {"groups", "records by name"},
                                           {"materials", "records by name"},
                                           {"material_use", "name or record"},
                                           {"matrix", "three lists of three numbers"},
                                           {"names", "names by name"},
                                           {"object_names", "list of names"},
                                           {"one_selector", "selector"},
                                           {"parts", "lists of numbers by name"},
                                           {"points", "list of points"},
                                           {"selectors", "selector, or a list of selectors"},
                                           {"selectors_or_constraints", "selectors, or names of constraints"},
                                           {"shapes", "record, or a list of records"},
                                           {"skin_use", "true or false, or a record"},
                                           {"two_bodies", "list of two names"},
                                           {"two_selectors", "list of two selectors"},
                                           {"two_vectors", "list of two vectors"},
                                           {"variables", "values by name"},
                                           {"whole_numbers", "list of whole numbers"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strcmp(sort, words[i][0]) == 0)
            return words[i][1];
    return "list of records";
}

static void name_type(const sn_key *key, char *text, size_t size)
{
    static const char *const plain[] = {
        [SN_KEY_REAL] = "number",   [SN_KEY_COUNT] = "whole number",      [SN_KEY_TRUTH] = "true or false",
        [SN_KEY_TEXT] = "text",     [SN_KEY_CHOICE] = "one of ",          [SN_KEY_VECTOR] = "vector",
        [SN_KEY_RECORD] = "record", [SN_KEY_RECORDS] = "list of records", [SN_KEY_REALS] = "list of numbers",
        [SN_KEY_VALUE] = ""};
    size_t used = (size_t)snprintf(text, size, "%s", plain[key->type]);
    if (key->type == SN_KEY_VALUE && key->of)
        snprintf(text + used, size - used, "%s", sn_value_words(key->of));
    const sn_choices *choices = key->of;
    for (uint32_t i = 0; key->type == SN_KEY_CHOICE && i < choices->count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", choices->name[i]);
}

static void name_range(const sn_key *key, char *text, size_t size)
{
    bool any = key->least == 0 && key->most == 0, open = key->most > LARGE;
    text[0] = 0;
    if (key->flags & SN_KEY_POSITIVE)
        snprintf(text, size, any || open ? "more than 0" : "more than 0, at most %g", key->most);
    else if (!any && open)
        snprintf(text, size, "%g or more", key->least);
    else if (!any)
        snprintf(text, size, "%g to %g", key->least, key->most);
}

static void name_real(double value, char *text, size_t size)
{
    if (isinf(value))
        snprintf(text, size, "no limit");
    else if (!isnan(value))
        snprintf(text, size, "%.7g", value);
}

/* The default of a key, from the struct of defaults; "" if it has none. */
static void name_default(const sn_key *key, const void *defaults, char *text, size_t size)
{
    const void *at = (const char *)defaults + key->offset;
    const sn_vec3 *v = at;
    text[0] = 0;
    if (key->flags & SN_KEY_REQUIRED)
        return;
    if (key->type == SN_KEY_REAL)
        name_real((double)*(const sn_real *)at, text, size);
    else if (key->type == SN_KEY_COUNT && *(const uint32_t *)at != UINT32_MAX) /* UINT32_MAX stands for "not given" */
        snprintf(text, size, "%u", (unsigned)*(const uint32_t *)at);
    else if (key->type == SN_KEY_TRUTH)
        snprintf(text, size, "%s", *(const bool *)at ? "true" : "false");
    else if (key->type == SN_KEY_TEXT && *(const char *const *)at)
        snprintf(text, size, "%s", *(const char *const *)at);
    else if (key->type == SN_KEY_CHOICE) {
        const sn_choices *choices = key->of;
        unsigned i = *(const unsigned *)at;
        snprintf(text, size, "%s", i < choices->count ? choices->name[i] : "");
    } else if (key->type == SN_KEY_VECTOR && !isnan(v->x)) {
        snprintf(text, size, "[%.7g, %.7g, %.7g]", (double)v->x, (double)v->y, (double)v->z);
    }
}

static void add_text(sn_document *d, sn_value *record, const char *key, const char *text)
{
    if (text && text[0])
        sn_document_text(d, record, key, text);
}

static bool list_keys(sn_document *d, sn_value *list, const sn_record *table);

static bool list_key(sn_document *d, sn_value *list, const sn_key *key, const void *defaults)
{
    char text[512];
    sn_value *entry = sn_document_record(d, list, NULL);
    sn_document_text(d, entry, "name", key->name);
    name_type(key, text, sizeof text);
    sn_document_text(d, entry, "type", text);
    add_text(d, entry, "unit", key->unit);
    name_range(key, text, sizeof text);
    add_text(d, entry, "range", text);
    name_default(key, defaults, text, sizeof text);
    add_text(d, entry, "default", text);
    if (key->flags & SN_KEY_REQUIRED)
        sn_document_truth(d, entry, "required", true);
    add_text(d, entry, "about", key->about);
    if (key->type == SN_KEY_RECORD || key->type == SN_KEY_RECORDS)
        return list_keys(d, sn_document_list(d, entry, "keys"), key->of);
    return true;
}

static bool list_keys(sn_document *d, sn_value *list, const sn_record *table)
{
    void *defaults = calloc(1, table->size ? table->size : 1);
    if (!defaults)
        return false;
    if (table->defaults)
        table->defaults(defaults);
    bool good = true;
    for (const sn_key *key = table->keys; key->name && good; ++key)
        good = list_key(d, list, key, defaults);
    free(defaults);
    return good && !d->failed;
}

bool sn_list_settings(sn_document *d, sn_value *list)
{
    static const sn_record *const tables[] = {
        &sn_scene_record, &sn_world_record,      &sn_run_record,       &sn_record_record, &sn_drag_record,
        &sn_stuff_record, &sn_attachment_record, &sn_force_record,     &sn_motion_record, &sn_blade_record,
        &sn_event_record, &sn_constraint_record, &sn_contact_record,   &sn_group_record,  &sn_surface_record,
        &sn_skin_record,  &sn_body_record,       &sn_lone_body_record, &sn_place_record,  &sn_character_record,
        &sn_move_record};
    bool good = true;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && good; ++i) {
        sn_value *entry = begin_entry(d, list, "settings", tables[i]->name, tables[i]->about);
        good = list_keys(d, sn_document_list(d, entry, "keys"), tables[i]);
    }
    return good;
}

bool sn_list_objects(sn_document *d, sn_value *list)
{
    static const char *const stuff[] = {"none", "a line", "a sheet", "a solid"};
    bool good = true;
    for (uint32_t i = 0; i < sn_object_type_count() && good; ++i) {
        const sn_object_type *type = sn_object_type_at(i);
        sn_value *entry = begin_entry(d, list, "object", type->name, type->about);
        add_text(d, entry, "parts", type->parts);
        sn_document_text(d, entry, "material", stuff[type->dimension < 4 ? type->dimension : 0]);
        sn_document_truth(d, entry, "only_in_3d", type->spatial);
        good = list_keys(d, sn_document_list(d, entry, "keys"), type->record);
        if (good)
            good = list_keys(d, sn_document_list(d, entry, "keys_of_all_objects"), &sn_object_record);
    }
    return good;
}

bool sn_list_shapes(sn_document *d, sn_value *list)
{
    bool good = true;
    for (uint32_t i = 0; i < SN_SHAPE_TYPES && good; ++i) {
        const sn_shape_form *form = &sn_shape_forms[i];
        sn_value *entry = begin_entry(d, list, "shape", form->name, form->about);
        good = list_keys(d, sn_document_list(d, entry, "keys"), form->record) &&
               list_keys(d, sn_document_list(d, entry, "keys_of_all_shapes"), &sn_shape_record);
    }
    return good;
}

/* ---- Kinds of constraints ---------------------------------------------------------------------------------------- */

static void list_param(sn_document *d, sn_value *list, const sn_param *param)
{
    static const char *const types[] = {"number", "vector", "direction", "place"};
    char text[64] = "";
    sn_value *entry = sn_document_record(d, list, NULL);
    sn_document_text(d, entry, "name", param->name);
    sn_document_text(d, entry, "type", types[param->type]);
    add_text(d, entry, "unit", param->unit);
    if (param->least != 0 || param->most != 0)
        snprintf(text, sizeof text, (double)param->most > LARGE ? "%.7g or more" : "%.7g to %.7g", (double)param->least,
                 (double)param->most);
    add_text(d, entry, "range", text);
    text[0] = 0;
    if (param->has_default)
        name_real((double)param->default_value, text, sizeof text);
    else
        snprintf(text, sizeof text, "as it is at the start");
    add_text(d, entry, "default", text);
}

static void name_points(const sn_kind *kind, char *text, size_t size)
{
    if (kind->points)
        snprintf(text, size, "%u", (unsigned)kind->points);
    else if (kind->point_step > 1)
        snprintf(text, size, "%u or more, in steps of %u", (unsigned)kind->least_points, (unsigned)kind->point_step);
    else
        snprintf(text, size, "%u or more", (unsigned)kind->least_points);
}

bool sn_list_kinds(sn_document *d, sn_value *list)
{
    for (uint32_t i = 1; i < sn_kind_count(NULL); ++i) {
        const sn_kind *kind = sn_kind_info(NULL, i);
        char points[64], compliance[64];
        const char *unit = kind->unit ? kind->unit : "m";
        name_points(kind, points, sizeof points);
        sn_value *entry = begin_entry(d, list, "kind", kind->name, kind->about);
        add_text(d, entry, "formula", kind->formula);
        sn_document_text(d, entry, "unit", unit);
        if (!kind->force && !kind->project) {
            snprintf(compliance, sizeof compliance, strcmp(unit, "m") == 0 ? "m/N" : "(%s)^2/J", unit);
            sn_document_text(d, entry, "compliance", compliance);
        }
        sn_document_text(d, entry, "points", points);
        sn_document_number(d, entry, "rows", kind->rows);
        sn_document_truth(d, entry, "inequality", kind->inequality != 0);
        sn_document_truth(d, entry, "force", kind->force != NULL);
        sn_document_truth(d, entry, "only_in_3d", kind->spatial);
        sn_value *params = sn_document_list(d, entry, "parameters");
        for (const sn_param *p = kind->param; p->name; ++p)
            list_param(d, params, p);
        sn_value *each = kind->point_param[0].name ? sn_document_list(d, entry, "parameters_of_points") : NULL;
        for (const sn_param *p = kind->point_param; p->name; ++p)
            list_param(d, each, p);
    }
    return !d->failed;
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* Lists the description in a scene file, without building the scene. A file that is not JSON is listed without one. */
static bool list_scene(sn_document *d, sn_value *list, const char *name, const char *path)
{
    static const char *const keys[] = {"title", "topic", "about"};
    sn_document scene;
    size_t length = 0;
    char message[256];
    sn_value *entry = begin_entry(d, list, "scene", name, NULL);
    char *text = sn_read_whole(path, true, UINT64_C(1) << 30, &length);
    sn_document_init(&scene, NULL);
    if (text && sn_json_read(&scene, text, length, NULL, message, sizeof message)) {
        for (int i = 0; i < 3; ++i) {
            const sn_value *value = sn_value_find(scene.root, keys[i]);
            if (value && value->type == SN_VALUE_TEXT)
                sn_document_text(d, entry, keys[i], value->text);
        }
    }
    sn_document_text(d, entry, "file", path);
    sn_document_release(&scene);
    free(text);
    return !d->failed;
}

bool sn_list_scenes(sn_document *d, sn_value *list)
{
    sn_scene_names names;
    bool good = sn_scene_names_find("", &names);
    for (uint32_t i = 0; i < names.count && good; ++i)
        good = list_scene(d, list, names.name[i], names.path[i]);
    sn_scene_names_release(&names);
    return good;
}
