#include "scene/expand.h"
#include "scene/json.h"
#include "scene/scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most items that one `for` may make. */
#define MOST_REPEATS 1000000.0

/* ---- Variables --------------------------------------------------------------------------------------------------- */

const sn_value *sn_scope_find(const sn_scope *scope, const char *name, size_t length)
{
    for (; scope; scope = scope->outer)
        if (strlen(scope->name) == length && strncmp(scope->name, name, length) == 0)
            return scope->value;
    return NULL;
}

void sn_scope_near(const sn_scope *scope, const char *name, size_t length, char *text, size_t size)
{
    const char *names[64];
    char typed[64];
    uint32_t count = 0;
    snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed - 1), name);
    for (; scope && count < 64; scope = scope->outer)
        if (scope->name[0])
            names[count++] = scope->name;
    sn_meant_or_all(typed, names, count, text, size);
    if (count == 0)
        snprintf(text, size, "; the scene has no 'variables' before this");
}

/* ---- Finding expressions ----------------------------------------------------------------------------------------- */

/* Texts for readers, and keys that are no part of the scene. */
static bool is_left_alone(const char *key)
{
    static const char *const keys[] = {"title", "about", "topic", "comment", "$schema"};
    for (size_t i = 0; key && i < sizeof keys / sizeof keys[0]; ++i)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Whether a text has a variable in it. */
static bool names_variable(const char *text)
{
    for (const char *at = strchr(text, '$'); at; at = strchr(at + 1, '$')) {
        if (at[1] == '$')
            ++at;
        else if ((at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z') || at[1] == '_')
            return true;
    }
    return false;
}

static bool has_expression(const char *text)
{
    return text[0] == '=' || names_variable(text) || strstr(text, "${") || strstr(text, "$$");
}

static bool is_needed(const sn_value *value)
{
    if (is_left_alone(value->key))
        return false;
    if (value->key && (strcmp(value->key, "variables") == 0 || strcmp(value->key, "for") == 0))
        return true;
    if (value->type == SN_VALUE_TEXT)
        return has_expression(value->text);
    for (const sn_value *item = value->first; item; item = item->next)
        if (is_needed(item))
            return true;
    return false;
}

bool sn_expand_needed(const sn_value *root)
{
    return root && is_needed(root);
}

/* ---- Copying ----------------------------------------------------------------------------------------------------- */

typedef struct expander {
    sn_document *out;
    uint64_t most; /* bytes that the copy may take */
    sn_reader reader;
} expander;

static bool copy(expander *e, const sn_value *from, sn_value *parent, const char *key, const sn_scope *scope);

static bool done(expander *e, const sn_value *made)
{
    return made || sn_reader_fail(&e->reader, "no memory for it");
}

/* Expands ${...} within a text, and $$, which becomes $. A variable may be a text; everything else is a number. */
static bool put_piece(expander *e, const char *from, size_t length, const sn_scope *scope, char *to, size_t room,
                      size_t *used)
{
    char message[300], digits[SN_NUMBER_SIZE];
    const sn_value *named = sn_scope_find(scope, from, length);
    const char *text = digits;
    double value;
    if (named && named->type == SN_VALUE_TEXT)
        text = named->text;
    else if (!sn_expression(from, length, scope, &value, message, sizeof message))
        return sn_reader_fail(&e->reader, "%s", message);
    else
        sn_json_number(value, digits);
    if (strlen(text) >= room - *used)
        return sn_reader_fail(&e->reader, "the text is too long, with what is in it");
    memcpy(to + *used, text, strlen(text) + 1);
    *used += strlen(text);
    return true;
}

static bool copy_template(expander *e, const char *text, sn_value *parent, const char *key, const sn_scope *scope)
{
    char made[2000];
    size_t used = 0;
    while (*text) {
        if (text[0] == '$' && text[1] == '{') {
            const char *close = strchr(text, '}');
            if (!close)
                return sn_reader_fail(&e->reader, "'%.80s': there is no } behind ${", text);
            if (!put_piece(e, text + 2, (size_t)(close - text - 2), scope, made, sizeof made, &used))
                return false;
            text = close + 1;
        } else if (used + 1 < sizeof made) {
            text += text[0] == '$' && text[1] == '$';
            made[used++] = *text++;
        } else {
            return sn_reader_fail(&e->reader, "the text is too long, with what is in it");
        }
    }
    made[used] = 0;
    return done(e, sn_document_text(e->out, parent, key, made));
}

static bool copy_text(expander *e, const char *text, sn_value *parent, const char *key, const sn_scope *scope)
{
    char message[400];
    double value;
    if (text[0] == '=' && text[1] == '=')
        return done(e, sn_document_text(e->out, parent, key, text + 1));
    if (text[0] != '=' && (!names_variable(text) || strstr(text, "${")))
        return copy_template(e, text, parent, key, scope);
    const sn_value *named = text[0] == '$' ? sn_scope_find(scope, text + 1, strlen(text + 1)) : NULL;
    if (named) /* the value of a variable is expanded already */
        return copy(e, named, parent, key, NULL);
    text += text[0] == '=';
    if (!sn_expression(text, strlen(text), scope, &value, message, sizeof message))
        return sn_reader_fail(&e->reader, "%s", message);
    return done(e, sn_document_number(e->out, parent, key, value));
}

/* Whether a list has numbers only. Such a list is stored as an array, as readers of files do. */
static bool all_numbers(const sn_value *list)
{
    for (const sn_value *item = list->first; item; item = item->next)
        if (item->type != SN_VALUE_NUMBER)
            return false;
    return list->count > 0;
}

static bool gather_numbers(expander *e, const sn_value *list, sn_value *parent, const char *key)
{
    double *to;
    if (!done(e, sn_document_numbers(e->out, parent, key, list->count, NULL, &to)))
        return false;
    for (const sn_value *item = list->first; item; item = item->next)
        *to++ = item->number;
    return true;
}

/* ---- Repetition -------------------------------------------------------------------------------------------------- */

#define MOST_LOOPS 4

typedef struct loop {
    const char *name;
    double count;
} loop;

static bool read_loop(expander *e, const sn_value *value, const sn_scope *scope, const char *name, loop *to)
{
    char message[400];
    double count = value->number;
    if (value->type == SN_VALUE_TEXT) {
        const char *text = value->text + (value->text[0] == '=');
        if (!sn_expression(text, strlen(text), scope, &count, message, sizeof message))
            return sn_reader_fail(&e->reader, "%s", message);
    } else if (value->type != SN_VALUE_NUMBER) {
        return sn_reader_expected(&e->reader, value, "how often: a number, or a record of names and numbers");
    }
    if (!(count >= 0 && count <= MOST_REPEATS && count == floor(count)))
        return sn_reader_fail(&e->reader, "found %g, expected a whole number from 0 to %g", count, MOST_REPEATS);
    *to = (loop){name, count};
    return true;
}

static bool read_loops(expander *e, const sn_value *repeat, const sn_scope *scope, loop loops[MOST_LOOPS],
                       uint32_t *count)
{
    double all = 1;
    *count = 0;
    if (repeat->type != SN_VALUE_RECORD) {
        *count = 1;
        return read_loop(e, repeat, scope, "i", &loops[0]);
    }
    for (const sn_value *item = repeat->first; item; item = item->next) {
        if (*count == MOST_LOOPS)
            return sn_reader_fail(&e->reader, "found %u names, expected at most %d", repeat->count, MOST_LOOPS);
        size_t length = sn_reader_enter_key(&e->reader, item->key);
        bool good = read_loop(e, item, scope, item->key, &loops[*count]);
        sn_reader_leave(&e->reader, length);
        if (!good)
            return false;
        all *= loops[(*count)++].count;
    }
    return all <= MOST_REPEATS || sn_reader_fail(&e->reader, "found %g times, expected at most %g", all, MOST_REPEATS);
}

/* Adds one item for each round of the loops, the last of which is the innermost. */
static bool repeat_item(expander *e, const sn_value *item, sn_value *list, const sn_scope *scope, const loop *loops,
                        uint32_t count)
{
    if (count == 0)
        return copy(e, item, list, NULL, scope);
    bool good = true;
    for (double i = 0; i < loops->count && good; ++i) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = i};
        sn_scope inner = {loops->name, &number, scope};
        good = repeat_item(e, item, list, &inner, loops + 1, count - 1);
        if (good && e->out->arena.bytes > e->most)
            good = sn_reader_fail_key(&e->reader, "for",
                                      "it makes more than %.3g MB of text, which is all that is allowed",
                                      (double)e->most / 1e6);
    }
    return good;
}

static bool copy_items(expander *e, const sn_value *from, sn_value *list, const sn_scope *scope)
{
    bool good = true;
    uint32_t i = 0;
    for (const sn_value *item = from->first; item; item = item->next, ++i) {
        const sn_value *repeat = sn_value_find(item, "for");
        sn_value *before = list->last;
        size_t length = sn_reader_enter_item(&e->reader, sn_value_index(item, i));
        if (repeat) {
            loop loops[MOST_LOOPS];
            uint32_t count;
            size_t inner = sn_reader_enter_key(&e->reader, "for");
            bool known = read_loops(e, repeat, scope, loops, &count);
            sn_reader_leave(&e->reader, inner);
            good = known && repeat_item(e, item, list, scope, loops, count) && good;
        } else {
            good = copy(e, item, list, NULL, scope) && good;
        }
        sn_reader_leave(&e->reader, length);
        for (sn_value *made = before ? before->next : list->first; made; made = made->next)
            made->source = sn_value_index(item, i) + 1;
    }
    return good;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static bool copy_list(expander *e, const sn_value *from, sn_value *parent, const char *key, const sn_scope *scope)
{
    if (from->numbers)
        return done(e, sn_document_numbers(e->out, parent, key, from->count, from->numbers, NULL));
    /* Numbers are first added to a list of a temporary document. */
    sn_document beside;
    sn_document *out = e->out;
    bool plain = from->count > 0;
    for (const sn_value *item = from->first; item && plain; item = item->next)
        plain = item->type == SN_VALUE_NUMBER || (item->type == SN_VALUE_TEXT && has_expression(item->text));
    if (!plain) {
        sn_value *list = sn_document_list(out, parent, key);
        return done(e, list) && copy_items(e, from, list, scope);
    }
    sn_document_init(&beside, &out->arena.allocator);
    e->out = &beside;
    sn_value *list = sn_document_list(&beside, NULL, NULL);
    bool good = done(e, list) && copy_items(e, from, list, scope);
    e->out = out;
    if (good && all_numbers(list)) {
        good = gather_numbers(e, list, parent, key);
    } else if (good) {
        sn_value *kept = sn_document_list(out, parent, key);
        good = done(e, kept) && copy_items(e, list, kept, NULL);
    }
    sn_document_release(&beside);
    return good;
}

static bool copy_record(expander *e, const sn_value *from, sn_value *parent, const char *key, const sn_scope *scope)
{
    sn_value *record = sn_document_record(e->out, parent, key);
    const bool item = parent && parent->type == SN_VALUE_LIST;
    bool good = done(e, record);
    for (const sn_value *value = from->first; value && record; value = value->next) {
        if ((item && strcmp(value->key, "for") == 0) || (!parent && strcmp(value->key, "variables") == 0))
            continue;
        size_t length = sn_reader_enter_key(&e->reader, value->key);
        good = copy(e, value, record, value->key, is_left_alone(value->key) ? NULL : scope) && good;
        sn_reader_leave(&e->reader, length);
    }
    return good;
}

/* Copies and expands a value. scope NULL: texts are copied as they are. */
static bool copy(expander *e, const sn_value *from, sn_value *parent, const char *key, const sn_scope *scope)
{
    switch (from->type) {
    case SN_VALUE_NULL:
        return done(e, sn_document_null(e->out, parent, key));
    case SN_VALUE_TRUTH:
        return done(e, sn_document_truth(e->out, parent, key, from->number != 0));
    case SN_VALUE_NUMBER:
        return done(e, sn_document_number(e->out, parent, key, from->number));
    case SN_VALUE_TEXT:
        if (scope && has_expression(from->text))
            return copy_text(e, from->text, parent, key, scope);
        return done(e, sn_document_text(e->out, parent, key, from->text));
    case SN_VALUE_LIST:
        return copy_list(e, from, parent, key, scope);
    default:
        return copy_record(e, from, parent, key, scope);
    }
}

/* ---- The document ------------------------------------------------------------------------------------------------ */

static bool is_variable(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return *name && strchr(letters, *name) &&
           strspn(name, letters) + strspn(name + strspn(name, letters), "0123456789") > 0 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(name);
}

/* Variables are stored in a record of their own, in which later ones find earlier ones. */
static bool read_variables(expander *e, const sn_value *root, sn_document *values, const sn_scope **scope)
{
    const sn_value *variables = sn_value_find(root, "variables");
    sn_value *record = sn_document_record(values, NULL, NULL);
    if (!variables)
        return done(e, record);
    size_t length = sn_reader_enter_key(&e->reader, "variables");
    bool good = done(e, record) && (variables->type == SN_VALUE_RECORD ||
                                    sn_reader_expected(&e->reader, variables, "a record of variables by name"));
    sn_document *out = e->out;
    for (const sn_value *v = good ? variables->first : NULL; v; v = v->next) {
        size_t inner = sn_reader_enter_key(&e->reader, v->key);
        sn_scope *next = sn_arena_take(&values->arena, 1, sizeof *next);
        e->out = values;
        bool one =
            is_variable(v->key)
                ? done(e, (const sn_value *)next) && copy(e, v, record, v->key, *scope)
                : sn_reader_fail(
                      &e->reader,
                      "'%.60s' is not a name of a variable: expected letters, digits and '_', a letter first", v->key);
        e->out = out;
        if (one) {
            *next = (sn_scope){v->key, record->last, *scope};
            *scope = next;
        }
        good = one && good;
        sn_reader_leave(&e->reader, inner);
    }
    sn_reader_leave(&e->reader, length);
    return good;
}

bool sn_expand(const sn_value *root, uint64_t most, sn_document *out, sn_problems *problems)
{
    static const sn_value zero = {.type = SN_VALUE_NUMBER};
    static const sn_scope none = {"", &zero, NULL}; /* no variable has an empty name: this scope has none */
    const sn_scope *scope = &none;
    expander e = {.out = out, .most = most};
    sn_document values;
    sn_document_init(&values, &out->arena.allocator);
    sn_reader_init(&e.reader, &out->arena, problems);
    bool good = read_variables(&e, root, &values, &scope);
    good = good && copy(&e, root, NULL, NULL, scope) && !out->failed;
    sn_document_release(&values);
    return good;
}

/* An expanded document may take this fraction of the memory of a scene: 1 / PART_OF_MEMORY. */
#define PART_OF_MEMORY 4

const sn_value *sn_expanded(const sn_document *document, uint64_t memory, sn_document *expanded, sn_problems *problems)
{
    static const sn_value nothing = {.type = SN_VALUE_NULL};
    if (!sn_expand_needed(document->root))
        return document->root ? document->root : &nothing;
    return sn_expand(document->root, memory / PART_OF_MEMORY, expanded, problems) ? expanded->root : NULL;
}
