/* The reference of the scene format in Markdown, from the tables; docs/scenes.md contains it. */
#include "cli/cli.h"
#include "cli/list.h"
#include "scene/characters.h"
#include "scene/bodies.h"
#include "scene/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints a cell of a table, in which '|' must be escaped. */
static void print_cell(FILE *file, const char *text)
{
    for (; text && *text; ++text)
        fprintf(file, *text == '|' ? "\\|" : "%c", *text);
}

static void print_type(FILE *file, const sn_key *key)
{
    static const char *const name[] = {
        [SN_KEY_REAL] = "number",   [SN_KEY_COUNT] = "whole number", [SN_KEY_TRUTH] = "true or false",
        [SN_KEY_TEXT] = "text",     [SN_KEY_CHOICE] = "one of",      [SN_KEY_VECTOR] = "vector",
        [SN_KEY_RECORD] = "record", [SN_KEY_RECORDS] = "list of",    [SN_KEY_REALS] = "list of numbers",
        [SN_KEY_VALUE] = ""};
    fputs(name[key->type], file);
    if (key->type == SN_KEY_CHOICE) {
        const sn_choices *choices = key->of;
        for (uint32_t i = 0; i < choices->count; ++i)
            fprintf(file, "%s `%s`", i ? "," : "", choices->name[i]);
    } else if (key->type == SN_KEY_RECORDS || key->type == SN_KEY_RECORD) {
        fprintf(file, " [%s](#%s)", ((const sn_record *)key->of)->name, ((const sn_record *)key->of)->name);
    } else if (key->type == SN_KEY_VALUE) {
        fputs(sn_value_words(key->of), file);
    }
    if (key->flags & SN_KEY_POSITIVE)
        fputs(", more than 0", file);
    else if (isinf(key->most))
        fprintf(file, ", %g or more", key->least);
    else if (key->least != 0 || key->most != 0)
        fprintf(file, ", %.10g to %.10g", key->least, key->most);
}

static void print_default(FILE *file, const sn_key *key, const void *standard)
{
    const sn_vec3 *v = standard;
    if (key->flags & SN_KEY_REQUIRED)
        fputs("required", file);
    else if (key->type == SN_KEY_REAL && isfinite(*(const sn_real *)standard))
        fprintf(file, "%.7g", (double)*(const sn_real *)standard);
    else if (key->type == SN_KEY_COUNT && *(const uint32_t *)standard != UINT32_MAX)
        fprintf(file, "%u", *(const uint32_t *)standard);
    else if (key->type == SN_KEY_TRUTH)
        fputs(*(const bool *)standard ? "true" : "false", file);
    else if (key->type == SN_KEY_CHOICE)
        fprintf(file, "`%s`", ((const sn_choices *)key->of)->name[*(const unsigned *)standard]);
    else if (key->type == SN_KEY_VECTOR && !isnan(v->x))
        fprintf(file, "[%.7g, %.7g, %.7g]", (double)v->x, (double)v->y, (double)v->z);
}

/* The keys of a record as a table. False when memory runs out. */
static bool print_keys(FILE *file, const sn_record *record)
{
    void *standard = calloc(1, record->size);
    if (!standard)
        return false;
    if (record->defaults)
        record->defaults(standard);
    fputs("\n| key | what it is | type | unit | default |\n|---|---|---|---|---|\n", file);
    for (const sn_key *key = record->keys; key->name; ++key) {
        fprintf(file, "| `%s` | ", key->name);
        print_cell(file, key->about);
        fputs(" | ", file);
        print_type(file, key);
        fprintf(file, " | %s | ", key->unit ? key->unit : "");
        print_default(file, key, (const char *)standard + key->offset);
        fputs(" |\n", file);
    }
    free(standard);
    return true;
}

static bool print_record(FILE *file, const sn_record *record)
{
    fprintf(file, "\n### %s\n\n%s\n", record->name, record->about);
    return print_keys(file, record);
}

static bool print_choices(FILE *file, const char *title, const sn_choices *choices)
{
    fprintf(file, "\n| %s | |\n|---|---|\n", title);
    for (uint32_t i = 0; i < choices->count; ++i) {
        fprintf(file, "| `%s` | ", choices->name[i]);
        print_cell(file, choices->about ? choices->about[i] : "");
        fputs(" |\n", file);
    }
    return true;
}

static bool print_object(FILE *file, const sn_object_type *type)
{
    static const char *const made_of[] = {"", "a line", "a sheet", "a solid"};
    fprintf(file, "\n### %s\n\n%s", type->name, type->about);
    if (type->about[strlen(type->about) - 1] != '.')
        fputc('.', file);
    if (type->dimension)
        fprintf(file, " Its material is that of %s.", made_of[type->dimension]);
    if (type->spatial)
        fputs(" Three dimensions only.", file);
    fputc('\n', file);
    return print_keys(file, type->record) && (!type->parts || fprintf(file, "\n%s.\n", type->parts) >= 0);
}

static bool print_contact(FILE *file)
{
    return print_record(file, &sn_contact_record) && print_record(file, &sn_group_record) &&
           print_record(file, &sn_surface_record) && print_choices(file, "mix", &sn_mix_choices) &&
           print_record(file, &sn_skin_record);
}

static bool print_bodies(FILE *file)
{
    bool good = print_record(file, &sn_body_record) && print_record(file, &sn_lone_body_record) &&
                print_record(file, &sn_fixed_body_record) && print_choices(file, "type", &sn_body_type_choices) &&
                print_record(file, &sn_shape_record);
    for (uint32_t i = 0; i < SN_SHAPE_TYPES && good; ++i) {
        fprintf(file, "\n#### %s shape\n\n%s.\n", sn_shape_forms[i].name, sn_shape_forms[i].about);
        good = print_keys(file, sn_shape_forms[i].record);
    }
    return good;
}

bool sn_reference_print(FILE *file)
{
    bool good = print_record(file, &sn_scene_record) && print_record(file, &sn_world_record) &&
                print_choices(file, "integrator", &sn_integrator_choices) &&
                print_choices(file, "solver", &sn_solver_choices) && print_choices(file, "order", &sn_order_choices) &&
                print_choices(file, "gradients", &sn_gradients_choices) && print_record(file, &sn_drag_record) &&
                print_choices(file, "form", &sn_drag_choices) && print_record(file, &sn_run_record) &&
                print_record(file, &sn_record_record) && print_record(file, &sn_object_record) &&
                print_record(file, &sn_turn_record) && print_record(file, &sn_stuff_record) && print_contact(file);
    for (uint32_t i = 0; i < sn_object_type_count() && good; ++i)
        good = print_object(file, sn_object_type_at(i));
    return good && print_bodies(file) && print_record(file, &sn_constraint_record) &&
           print_record(file, &sn_place_record) && print_record(file, &sn_attachment_record) &&
           print_record(file, &sn_force_record) && print_choices(file, "type", &sn_force_choices) &&
           print_record(file, &sn_motion_record) && print_record(file, &sn_motion_key_record) &&
           print_record(file, &sn_blade_record) && print_record(file, &sn_blade_key_record) &&
           print_record(file, &sn_character_record) && print_record(file, &sn_move_record) &&
           print_record(file, &sn_event_record) && print_choices(file, "type", &sn_event_choices) &&
           print_record(file, &sn_when_record);
}
