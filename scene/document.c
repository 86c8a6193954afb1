#include "scene/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Keys of large records ----------------------------------------------------------------------------------------
   A record with few keys is searched one by one. Once it has more than FEW_KEYS, all its keys are entered in a hash
   table that the document's large records share, so that a record of n keys costs n steps and not n². Entries are never
   removed: a value that sn_document_set replaces leaves its key behind, which still is a key of the record. */

#define FEW_KEYS 16

typedef struct key_entry {
    const sn_value *record; /* NULL: free */
    const char *key;
} key_entry;

typedef struct sn_key_table {
    size_t capacity; /* a power of two; at least half of it is free */
    size_t count;
    key_entry *entries;
} sn_key_table;

/* FNV-1a. The hash depends on the address of the table, so that the author of a file cannot choose keys that
   collide. */
static size_t hash_key(const sn_key_table *table, const sn_value *record, const char *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uintptr_t)table;
    hash = (hash ^ (uintptr_t)record) * UINT64_C(0x9e3779b97f4a7c15);
    for (; *key; ++key)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    hash = (hash ^ (hash >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash ^ (hash >> 32));
}

/* The entry of a key, or the free entry where it belongs. */
static key_entry *find_entry(const sn_key_table *table, const sn_value *record, const char *key)
{
    for (size_t i = hash_key(table, record, key);; ++i) {
        key_entry *entry = &table->entries[i & (table->capacity - 1)];
        if (!entry->record || (entry->record == record && strcmp(entry->key, key) == 0))
            return entry;
    }
}

static void enter_key(sn_key_table *table, const sn_value *record, const char *key)
{
    *find_entry(table, record, key) = (key_entry){record, key};
    ++table->count;
}

/* Makes room for so many more keys; false when memory runs out. */
static bool reserve_keys(sn_document *document, size_t more)
{
    sn_key_table *table = document->keys;
    if (!table && !(table = document->keys = sn_arena_take(&document->arena, 1, sizeof *table)))
        return false;
    if ((table->count + more) * 2 <= table->capacity)
        return true;
    size_t capacity = table->capacity ? table->capacity * 2 : (size_t)FEW_KEYS * 8;
    key_entry *before = table->entries, *entries = sn_arena_take(&document->arena, capacity, sizeof *entries);
    if (!entries)
        return false;
    size_t before_capacity = table->capacity;
    *table = (sn_key_table){capacity, 0, entries};
    for (size_t i = 0; i < before_capacity; ++i)
        if (before[i].record)
            enter_key(table, before[i].record, before[i].key);
    return true;
}

static bool has_key(const sn_document *document, const sn_value *record, const char *key)
{
    if (record->count <= FEW_KEYS)
        return sn_value_find(record, key) != NULL;
    return find_entry(document->keys, record, key)->record != NULL;
}

/* Enters the key of a value that is about to become the next item. False when memory runs out. */
static bool note_key(sn_document *document, const sn_value *record, const char *key)
{
    if (record->count < FEW_KEYS)
        return true;
    if (!reserve_keys(document, FEW_KEYS + 1))
        return false;
    if (record->count == FEW_KEYS)
        for (const sn_value *item = record->first; item; item = item->next)
            enter_key(document->keys, record, item->key);
    enter_key(document->keys, record, key);
    return true;
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

void sn_document_init(sn_document *document, const sn_allocator *allocator)
{
    *document = (sn_document){0};
    sn_arena_init(&document->arena, allocator);
}

void sn_document_release(sn_document *document)
{
    sn_arena_release(&document->arena);
    document->root = NULL;
    document->failed = false;
    document->keys = NULL;
}

static bool holds_values(const sn_value *value)
{
    return value->type == SN_VALUE_LIST || value->type == SN_VALUE_RECORD;
}

static void append(sn_value *parent, sn_value *value)
{
    value->next = NULL;
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    ++parent->count;
}

/* Makes value the next item of parent, or the root. On failure it returns false and nothing has changed. */
static bool attach(sn_document *document, sn_value *parent, const char *key, sn_value *value)
{
    double depth = parent ? parent->number + 1 : 1;
    if (parent ? !holds_values(parent) || parent->numbers || parent->count == UINT32_MAX : document->root != NULL)
        return false;
    if (holds_values(value)) {
        if (depth > SN_DOCUMENT_DEPTH)
            return false;
        value->number = depth;
    }
    if (!parent) {
        document->root = value;
        return true;
    }
    if (parent->type == SN_VALUE_RECORD) {
        if (!key || has_key(document, parent, key) ||
            !(value->key = sn_arena_copy(&document->arena, key, strlen(key))) ||
            !note_key(document, parent, value->key))
            return false;
    }
    append(parent, value);
    return true;
}

static sn_value *new_value(sn_document *document, sn_value_type type)
{
    sn_value *value = sn_arena_take(&document->arena, 1, sizeof *value);
    if (value)
        value->type = type;
    return value;
}

/* The last action of every building call; value is NULL if there was no memory for it. */
static sn_value *add(sn_document *document, sn_value *parent, const char *key, sn_value *value)
{
    if (!document->failed && value && attach(document, parent, key, value))
        return value;
    document->failed = true;
    return NULL;
}

static sn_value *begin(sn_document *document, sn_value_type type)
{
    return document->failed ? NULL : new_value(document, type);
}

sn_value *sn_document_record(sn_document *document, sn_value *parent, const char *key)
{
    return add(document, parent, key, begin(document, SN_VALUE_RECORD));
}

sn_value *sn_document_list(sn_document *document, sn_value *parent, const char *key)
{
    return add(document, parent, key, begin(document, SN_VALUE_LIST));
}

sn_value *sn_document_null(sn_document *document, sn_value *parent, const char *key)
{
    return add(document, parent, key, begin(document, SN_VALUE_NULL));
}

sn_value *sn_document_truth(sn_document *document, sn_value *parent, const char *key, bool truth)
{
    sn_value *value = begin(document, SN_VALUE_TRUTH);
    if (value)
        value->number = truth;
    return add(document, parent, key, value);
}

sn_value *sn_document_number(sn_document *document, sn_value *parent, const char *key, double number)
{
    sn_value *value = begin(document, SN_VALUE_NUMBER);
    if (value)
        value->number = number;
    return add(document, parent, key, value);
}

static bool copy_text(sn_document *document, sn_value *value, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (!text || length > UINT32_MAX)
        return false;
    value->text = sn_arena_copy(&document->arena, text, length);
    value->count = (uint32_t)length;
    return value->text != NULL;
}

sn_value *sn_document_text(sn_document *document, sn_value *parent, const char *key, const char *text)
{
    sn_value *value = begin(document, SN_VALUE_TEXT);
    if (value && !copy_text(document, value, text))
        value = NULL;
    return add(document, parent, key, value);
}

/* Copies count numbers into a list of `room`, with zeros at the end. */
static double *copy_numbers(sn_document *document, uint32_t room, uint32_t count, const double *numbers)
{
    double *copy = sn_arena_take(&document->arena, room, sizeof *copy);
    if (copy && numbers && count)
        memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

sn_value *sn_document_numbers(sn_document *document, sn_value *parent, const char *key, uint32_t count,
                              const double *numbers, double **filled)
{
    sn_value *value = begin(document, SN_VALUE_LIST);
    double *copy = value ? copy_numbers(document, count, count, numbers) : NULL;
    if (copy) {
        value->numbers = copy;
        value->count = count;
    }
    value = add(document, parent, key, copy ? value : NULL);
    if (filled)
        *filled = value ? copy : NULL;
    return value;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

const sn_value *sn_value_find(const sn_value *record, const char *key)
{
    if (!record || record->type != SN_VALUE_RECORD)
        return NULL;
    for (const sn_value *item = record->first; item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

/* Longer texts are cut in messages. */
#define MESSAGE_TEXT 40

/* A text as messages show it: in quotes, escaped, and cut if it is long. */
typedef struct quoted {
    char text[MESSAGE_TEXT + SN_ESCAPE_SIZE + 8];
} quoted;

static quoted quote(const char *text)
{
    quoted result;
    size_t length = strlen(text), used = 0;
    result.text[used++] = '"';
    while (length && used <= MESSAGE_TEXT) {
        char written[SN_ESCAPE_SIZE];
        size_t count = sn_escape(&text, &length, written);
        memcpy(result.text + used, written, count);
        used += count;
    }
    memcpy(result.text + used, length ? "\xe2\x80\xa6\"" : "\"", length ? 5 : 2);
    return result;
}

const char *sn_value_describe(const sn_value *value, char *text, size_t size)
{
    switch (value ? value->type : SN_VALUE_NULL) {
    case SN_VALUE_NULL:
        snprintf(text, size, "%s", value ? "null" : "nothing");
        break;
    case SN_VALUE_TRUTH:
        snprintf(text, size, "%s", value->number != 0 ? "true" : "false");
        break;
    case SN_VALUE_NUMBER:
        snprintf(text, size, "a number (%.9g)", value->number);
        break;
    case SN_VALUE_TEXT:
        snprintf(text, size, "a text (%s)", quote(value->text).text);
        break;
    case SN_VALUE_LIST:
        if (value->count)
            snprintf(text, size, "a list of %u", (unsigned)value->count);
        else
            snprintf(text, size, "an empty list");
        break;
    case SN_VALUE_RECORD:
        snprintf(text, size, "%s", value->count ? "a record" : "an empty record");
        break;
    }
    return text;
}

/* ---- Editing ----------------------------------------------------------------------------------------------------- */

/* The depth of nested lists and records in a value. */
static uint32_t height(const sn_value *value)
{
    uint32_t most = 0;
    for (const sn_value *item = holds_values(value) ? value->first : NULL; item; item = item->next) {
        uint32_t h = height(item);
        most = h > most ? h : most;
    }
    return most + (holds_values(value) ? 1 : 0);
}

/* A copy without a parent, with the depths that follow from `depth`. NULL when memory runs out. */
static sn_value *copy_value(sn_document *document, const sn_value *value, uint32_t depth)
{
    sn_value *copy = new_value(document, value->type);
    if (!copy)
        return NULL;
    copy->number = holds_values(value) ? depth : value->number;
    if (value->type == SN_VALUE_TEXT)
        return copy_text(document, copy, value->text) ? copy : NULL;
    if (value->numbers) {
        copy->count = value->count;
        copy->numbers = copy_numbers(document, value->count, value->count, value->numbers);
        return copy->numbers ? copy : NULL;
    }
    for (const sn_value *item = holds_values(value) ? value->first : NULL; item; item = item->next) {
        sn_value *item_copy = copy_value(document, item, depth + 1);
        if (!item_copy || !attach(document, copy, item->key, item_copy))
            return NULL;
    }
    return copy;
}

/* An edit in progress: how far the path has been followed, and where the message goes. */
typedef struct setting {
    sn_document *document;
    const char *path;
    const char *rest; /* of the path, after the steps that have been taken */
    char *message;
    size_t size;
} setting;

static bool refuse(const setting *edit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_say(edit->message, edit->size, format, arguments);
    va_end(arguments);
    return false;
}

/* The beginning of the path, as the name of a value in messages. */
typedef struct place_name {
    char text[160];
} place_name;

static place_name name_place(const setting *edit, const char *end)
{
    place_name name;
    int length = (int)(end - edit->path < 140 ? end - edit->path : 140);
    if (length == 0)
        snprintf(name.text, sizeof name.text, "the document");
    else
        snprintf(name.text, sizeof name.text, "%.*s%s", (int)sn_utf8_cut(edit->path, (size_t)length), edit->path,
                 end - edit->path > length ? "\xe2\x80\xa6" : "");
    return name;
}

static bool refuse_index(const setting *edit, const sn_value *list, const char *where, uint32_t index, bool adding)
{
    char found[32];
    sn_value_describe(list, found, sizeof found);
    if (adding)
        return refuse(edit, "there is no item [%u] in %s, which is %s; [%u] would add one", (unsigned)index, where,
                      found, (unsigned)list->count);
    return refuse(edit, "there is no item [%u] in %s, which is %s", (unsigned)index, where, found);
}

/* Whether the value at `where` can take the step: a record for a key, a list for an item. */
static bool fits(const setting *edit, const sn_value *holder, const char *where, const sn_path_step *step)
{
    if (holder->type == (step->item ? SN_VALUE_LIST : SN_VALUE_RECORD))
        return true;
    char found[80];
    sn_value_describe(holder, found, sizeof found);
    if (step->item)
        return refuse(edit, "%s is %s, not a list: it has no item [%u]", where, found, (unsigned)step->index);
    const bool list = holder->type == SN_VALUE_LIST && holder->count > 0;
    return refuse(edit, "%s is %s, not a record: it has no key %s%s%s%s", where, found, quote(step->key).text,
                  list ? "; its first item is " : "", list ? where : "", list ? "[0]" : "");
}

/* The value to which the step leads. NULL if there is no such key, or, with a message, no such item. An item of a
   list of numbers is no value of its own: `spare` is filled with it. */
static sn_value *take_step(const setting *edit, sn_value *holder, const char *where, const sn_path_step *step,
                           sn_value *spare)
{
    if (!step->item)
        return (sn_value *)sn_value_find(holder, step->key);
    if (step->index >= holder->count) {
        refuse_index(edit, holder, where, step->index, false);
        return NULL;
    }
    if (holder->numbers) {
        *spare = (sn_value){.type = SN_VALUE_NUMBER, .number = holder->numbers[step->index]};
        return spare;
    }
    sn_value *item = holder->first;
    for (uint32_t i = 0; i < step->index; ++i)
        item = item->next;
    return item;
}

/* Puts value in the place of `old`, an item of holder. */
static void replace(sn_value *holder, sn_value *old, sn_value *value)
{
    value->key = old->key;
    value->next = old->next;
    if (holder->last == old)
        holder->last = value;
    sn_value **link = &holder->first;
    while (*link != old)
        link = &(*link)->next;
    *link = value;
}

static bool no_memory(const setting *edit)
{
    return refuse(edit, "%s: out of memory", edit->path);
}

/* Changes a number of a list that stores numbers only, or appends one. */
static bool put_number(const setting *edit, sn_value *list, uint32_t index, double number)
{
    double *numbers = (double *)list->numbers; /* the document's own memory, const only for readers */
    if (index == list->count) {
        if (!(numbers = copy_numbers(edit->document, list->count + 1, list->count, list->numbers)))
            return no_memory(edit);
        list->numbers = numbers;
        ++list->count;
    }
    numbers[index] = number;
    return true;
}

/* Turns a list that stores numbers only into one with items. */
static bool unpack(sn_document *document, sn_value *list)
{
    sn_value items = {.type = SN_VALUE_LIST};
    for (uint32_t i = 0; i < list->count; ++i) {
        sn_value *item = new_value(document, SN_VALUE_NUMBER);
        if (!item)
            return false;
        item->number = list->numbers[i];
        append(&items, item);
    }
    list->numbers = NULL;
    list->first = items.first;
    list->last = items.last;
    return true;
}

static bool put_item(const setting *edit, sn_value *list, const char *where, uint32_t index, const sn_value *value)
{
    if (index > list->count || index == UINT32_MAX)
        return refuse_index(edit, list, where, index, true);
    if (list->numbers && value->type == SN_VALUE_NUMBER)
        return put_number(edit, list, index, value->number);
    sn_value *copy = copy_value(edit->document, value, (uint32_t)list->number + 1);
    if (!copy || (list->numbers && !unpack(edit->document, list)))
        return no_memory(edit);
    if (index == list->count) {
        append(list, copy);
        return true;
    }
    sn_value *old = list->first;
    for (uint32_t i = 0; i < index; ++i)
        old = old->next;
    replace(list, old, copy);
    return true;
}

static bool put_key(const setting *edit, sn_value *record, const char *key, const sn_value *value)
{
    sn_value *copy = copy_value(edit->document, value, (uint32_t)record->number + 1);
    if (!copy)
        return no_memory(edit);
    const sn_value *old = sn_value_find(record, key);
    if (old)
        replace(record, (sn_value *)old, copy);
    else if (!attach(edit->document, record, key, copy))
        return no_memory(edit);
    return true;
}

static bool next_step(setting *edit, sn_path_step *step)
{
    return sn_path_next(&edit->rest, edit->rest == edit->path, step) ||
           refuse(edit, "the path %s is not understood at %s: expected a path such as objects[2].name",
                  quote(edit->path).text, *edit->rest ? quote(edit->rest).text : "its end");
}

/* Wraps a value in the records and lists that the rest of the path needs: a record for a key, a list for an item. */
static const sn_value *wrap(setting *edit, const sn_value *value)
{
    place_name where = name_place(edit, edit->rest);
    sn_path_step step;
    if (!*edit->rest)
        return value;
    if (!next_step(edit, &step))
        return NULL;
    if (step.item && step.index > 0) {
        refuse(edit, "there is no %s; [0] would be its first item", where.text);
        return NULL;
    }
    const sn_value *inner = wrap(edit, value);
    if (!inner)
        return NULL;
    sn_value *outer = new_value(edit->document, step.item ? SN_VALUE_LIST : SN_VALUE_RECORD);
    bool good = outer != NULL;
    if (good && step.item && inner->type == SN_VALUE_NUMBER) {
        outer->count = 1;
        good = (outer->numbers = copy_numbers(edit->document, 1, 1, &inner->number)) != NULL;
    } else if (good) {
        sn_value *copy = copy_value(edit->document, inner, 1);
        good = copy && attach(edit->document, outer, step.item ? NULL : step.key, copy);
    }
    if (!good)
        no_memory(edit);
    return good ? outer : NULL;
}

static bool put(const setting *edit, sn_value *holder, const char *where, const sn_path_step *step,
                const sn_value *value)
{
    if (holder->number + height(value) > SN_DOCUMENT_DEPTH)
        return refuse(edit, "%s: lists and records may lie in each other %d deep at most", edit->path,
                      SN_DOCUMENT_DEPTH);
    return step->item ? put_item(edit, holder, where, step->index, value) : put_key(edit, holder, step->key, value);
}

bool sn_document_set(sn_document *document, const char *path, const sn_value *value, char *message, size_t size)
{
    setting edit = {document, path, path, message, size};
    sn_value *holder = document->root, spare;
    sn_path_step step;
    if (!holder || document->failed)
        return refuse(&edit, "%s: the document is %s", path, holder ? "not complete" : "empty");
    for (;;) {
        place_name where = name_place(&edit, edit.rest);
        if (!next_step(&edit, &step) || !fits(&edit, holder, where.text, &step))
            return false;
        if (!*edit.rest)
            return put(&edit, holder, where.text, &step, value);
        sn_value *next = take_step(&edit, holder, where.text, &step, &spare);
        if (!next && step.item)
            return false;
        if (!next) /* the key does not exist: it is added with all that follow in the path */
            return (value = wrap(&edit, value)) && put(&edit, holder, where.text, &step, value);
        holder = next;
    }
}
