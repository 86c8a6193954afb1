#include "cli/list.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct list_options {
    bool json, help;
} list_options;

static const sn_option options[] = {
    {"json", 'j', SN_OPTION_FLAG, offsetof(list_options, json), 0, NULL, "print one JSON object per line"},
    SN_OPTION_END(list_options)};

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

/* Everything that can be listed, by section. */
typedef struct section {
    const char *name;      /* on the command line */
    const char *singular;  /* of an entry: "kind" */
    sn_list_section *read; /* fills a list with its entries */
} section;

static const section sections[] = {
    {"scenes", "scene", sn_list_scenes},        {"objects", "object", sn_list_objects},
    {"shapes", "shape", sn_list_shapes},        {"kinds", "kind", sn_list_kinds},
    {"solvers", "solver", sn_list_solvers},     {"integrators", "integrator", sn_list_integrators},
    {"orders", "order", sn_list_orders},        {"gradients", "gradients", sn_list_gradients},
    {"settings", "settings", sn_list_settings}, {"formats", "format", sn_list_formats},
};
#define SECTIONS (sizeof sections / sizeof sections[0])

static const section *find_section(const char *name)
{
    for (size_t i = 0; i < SECTIONS; ++i)
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
    return NULL;
}

static const char *text_of(const sn_value *record, const char *key)
{
    const sn_value *value = sn_value_find(record, key);
    return value && value->type == SN_VALUE_TEXT ? value->text : "";
}

static const sn_value *find_entry(const sn_value *list, const char *name)
{
    for (const sn_value *entry = list->first; entry; entry = entry->next)
        if (strcmp(text_of(entry, "name"), name) == 0)
            return entry;
    return NULL;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static int longest_name(const sn_value *list)
{
    int longest = 0;
    for (const sn_value *entry = list->first; entry; entry = entry->next) {
        int length = (int)strlen(text_of(entry, "name"));
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void print_names(const sn_value *list)
{
    int longest = longest_name(list);
    for (const sn_value *entry = list->first; entry; entry = entry->next) {
        const char *title = text_of(entry, "title");
        printf("  %-*s  ", longest, text_of(entry, "name"));
        sn_print_wrapped(stdout, title[0] ? title : text_of(entry, "about"), longest + 4, 100);
    }
}

/* Prints a key of a record: "length  number, m, more than 0, default 1: about". */
static void print_key(const sn_value *key, int longest, int indent)
{
    printf("%*s%-*s  %s", indent, "", longest, text_of(key, "name"), text_of(key, "type"));
    static const char *const parts[] = {"unit", "range", "default"};
    for (int i = 0; i < 3; ++i) {
        const char *text = text_of(key, parts[i]);
        if (text[0])
            printf(", %s%s", i == 2 ? "default " : "", text);
    }
    const sn_value *required = sn_value_find(key, "required");
    printf("%s\n", required && required->number != 0 ? ", must be given" : "");
    if (text_of(key, "about")[0]) {
        printf("%*s", indent + longest + 2, "");
        sn_print_wrapped(stdout, text_of(key, "about"), indent + longest + 2, 100);
    }
    const sn_value *inner = sn_value_find(key, "keys");
    if (inner)
        for (const sn_value *k = inner->first; k; k = k->next)
            print_key(k, longest_name(inner), indent + longest + 4);
}

static void print_entry(const char *singular, const sn_value *entry)
{
    printf("%s (%s)\n", text_of(entry, "name"), singular);
    for (const sn_value *v = entry->first; v; v = v->next) {
        if (strcmp(v->key, "name") == 0 || strcmp(v->key, "event") == 0)
            continue;
        if (v->type == SN_VALUE_TEXT && v->text[0]) {
            printf("  %-12s", v->key);
            sn_print_wrapped(stdout, v->text, 14, 100);
        } else if (v->type == SN_VALUE_NUMBER) {
            printf("  %-12s%g\n", v->key, v->number);
        } else if (v->type == SN_VALUE_TRUTH) {
            printf("  %-12s%s\n", v->key, v->number != 0 ? "yes" : "no");
        } else if (v->type == SN_VALUE_LIST && v->first) {
            printf("  %s\n", v->key);
            for (const sn_value *key = v->first; key; key = key->next)
                print_key(key, longest_name(v), 4);
        }
    }
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Fills a document with one section; NULL after a message. Release the document in either case. */
static sn_value *read_section(const section *s, sn_document *d)
{
    sn_document_init(d, NULL);
    sn_value *list = sn_document_list(d, NULL, NULL);
    if (!s->read(d, list) || d->failed) {
        sn_complain(0, "list: out of memory");
        return NULL;
    }
    return list;
}

static int list_section(const section *s, bool json, bool heading)
{
    sn_document d;
    int code = SN_EXIT_FINE;
    sn_value *list = read_section(s, &d);
    if (!list)
        code = SN_EXIT_FAILED;
    if (list && heading && !json)
        printf("%s\n", s->name);
    if (list && !json)
        print_names(list);
    for (const sn_value *e = list && json ? list->first : NULL; e && code == SN_EXIT_FINE; e = e->next)
        code = sn_json_write_line(stdout, e) ? SN_EXIT_FINE : SN_EXIT_OUTPUT;
    sn_document_release(&d);
    return code;
}

/* Prints an entry if the section has it; an empty line separates it from a previous one. */
static int show(const section *s, const char *name, bool json, bool *found)
{
    sn_document d;
    int code = SN_EXIT_FINE;
    sn_value *list = read_section(s, &d);
    const sn_value *entry = list ? find_entry(list, name) : NULL;
    if (!list)
        code = SN_EXIT_FAILED;
    if (entry && json)
        code = sn_json_write_line(stdout, entry) ? SN_EXIT_FINE : SN_EXIT_OUTPUT;
    else if (entry) {
        if (*found)
            putchar('\n');
        print_entry(s->singular, entry);
    }
    *found = *found || entry != NULL;
    sn_document_release(&d);
    return code;
}

/* Reports two words of which the first is no section. */
static int no_section(const char *name)
{
    const char *names[SECTIONS];
    char hint[160];
    for (size_t i = 0; i < SECTIONS; ++i)
        names[i] = sections[i].name;
    sn_did_you_mean(name, names, SECTIONS, hint, sizeof hint);
    return sn_complain(SN_EXIT_USAGE, "there is no section '%s'%s%s", name, hint,
                       hint[0] ? "" : "; 'sinew help list' shows them all");
}

/* Reports an unknown name, with the most similar name of a section, or of all sections and their entries. */
static int unknown(const section *only, const char *name)
{
    sn_document d[SECTIONS];
    const char *names[512];
    uint32_t count = 0, read = 0;
    for (size_t i = 0; i < SECTIONS; ++i) {
        if (only && only != &sections[i])
            continue;
        sn_value *list = read_section(&sections[i], &d[read++]);
        if (!only && count < 512)
            names[count++] = sections[i].name;
        for (const sn_value *e = list ? list->first : NULL; e && count < 512; e = e->next)
            names[count++] = text_of(e, "name");
    }
    char hint[160];
    sn_did_you_mean(name, names, count, hint, sizeof hint);
    sn_complain(0, "there is no %s '%s'%s%s", only ? only->singular : "section or entry", name, hint,
                hint[0] ? "" : "; 'sinew list' shows them all");
    for (uint32_t i = 0; i < read; ++i)
        sn_document_release(&d[i]);
    return SN_EXIT_USAGE;
}

static int run(const void *given, const sn_texts *operands)
{
    const list_options *o = given;
    const char *first = operands->count > 0 ? operands->item[0] : NULL;
    const char *name = operands->count > 1 ? operands->item[1] : first;
    const section *s = first ? find_section(first) : NULL;
    int code = SN_EXIT_FINE;
    bool found = false;
    if (!first) {
        for (size_t i = 0; i < SECTIONS && code == SN_EXIT_FINE; ++i)
            code = list_section(&sections[i], o->json, true);
        if (!o->json)
            puts("\n'sinew list NAME' explains one of them.");
        return code;
    }
    if (s && operands->count == 1)
        return list_section(s, o->json, false);
    if (operands->count > 1 && !s)
        return no_section(first);
    for (size_t i = 0; i < SECTIONS && code == SN_EXIT_FINE; ++i)
        if (!s || s == &sections[i])
            code = show(&sections[i], name, o->json, &found);
    return code == SN_EXIT_FINE && !found ? unknown(s, name) : code;
}

const sn_command sn_command_list = {
    .name = "list",
    .operands = "[SECTION] [NAME]",
    .about = "Lists scenes, objects, shapes, kinds of constraints, settings and their values",
    .details = "SECTION is scenes, objects, shapes, kinds, solvers, integrators, orders, gradients,\n"
               "settings or formats. With a NAME it explains that one: its parameters or keys, with\n"
               "units, ranges and defaults. A name that several sections have is explained for each.\n\n"
               "Examples:\n"
               "  sinew list kinds\n"
               "  sinew list rope\n",
    .most = 2,
    .options = options,
    .run = run};
