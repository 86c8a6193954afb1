#include "scene/record.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest number that an sn_real holds. */
static const double real_most = sizeof(sn_real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX;

/* ---- The path of the reader, and messages ------------------------------------------------------------------------ */

void sn_reader_init(sn_reader *reader, sn_arena *arena, sn_problems *problems)
{
    *reader = (sn_reader){.arena = arena, .problems = problems};
}

size_t sn_reader_enter_key(sn_reader *reader, const char *key)
{
    size_t length = strlen(reader->path);
    sn_path_key(reader->path, sizeof reader->path, key);
    return length;
}

size_t sn_reader_enter_item(sn_reader *reader, uint32_t index)
{
    size_t length = strlen(reader->path);
    sn_path_item(reader->path, sizeof reader->path, index);
    return length;
}

void sn_reader_leave(sn_reader *reader, size_t length)
{
    reader->path[length] = 0;
}

bool sn_reader_fail(sn_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_problems_add_list(reader->problems, SN_PROBLEM_ERROR, reader->path, false, format, arguments);
    va_end(arguments);
    return false;
}

bool sn_reader_fail_key(sn_reader *reader, const char *key, const char *format, ...)
{
    size_t length = sn_reader_enter_key(reader, key);
    va_list arguments;
    va_start(arguments, format);
    sn_problems_add_list(reader->problems, SN_PROBLEM_ERROR, reader->path, false, format, arguments);
    va_end(arguments);
    sn_reader_leave(reader, length);
    return false;
}

typedef struct sn_doubt {
    const char *name;
    struct sn_doubt *next;
} sn_doubt;

void sn_reader_doubt(sn_reader *reader, const sn_value *failed)
{
    const sn_value *given = sn_value_find(failed, "name");
    const char *name = given && given->type == SN_VALUE_TEXT ? given->text : failed->key;
    sn_doubt *doubt = name ? sn_arena_take(reader->arena, 1, sizeof *doubt) : NULL;
    if (!doubt)
        return;
    *doubt = (sn_doubt){name, reader->doubt};
    reader->doubt = doubt;
}

/* A name that ends with a digit may be generated: that of an object without a name is its type and number, "rope1". */
bool sn_reader_doubts(const sn_reader *reader, const char *name)
{
    size_t length = strlen(name);
    for (const sn_doubt *doubt = reader->doubt; doubt; doubt = doubt->next)
        if (strcmp(doubt->name, name) == 0)
            return true;
    return reader->doubts_numbers && length && strchr("0123456789", name[length - 1]);
}

bool sn_reader_expected(sn_reader *reader, const sn_value *found, const char *expected)
{
    char text[160];
    return sn_reader_fail(reader, "found %s, expected %s", sn_value_describe(found, text, sizeof text), expected);
}

const char *sn_did_you_mean(const char *typed, const char *const *names, uint32_t count, char *text, size_t size)
{
    const char *near = sn_nearest(typed, names, count);
    text[0] = 0;
    if (near)
        snprintf(text, size, "; did you mean '%s'?", near);
    return text;
}

const char *sn_meant_or_all(const char *typed, const char *const *names, uint32_t count, char *text, size_t size)
{
    sn_did_you_mean(typed, names, count, text, size);
    size_t used = 0;
    for (uint32_t i = 0; !sn_nearest(typed, names, count) && i < count && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "; there are ", names[i]);
    return text;
}

/* ---- Single values ----------------------------------------------------------------------------------------------- */

/* Reads a number in the range of a key; key NULL: any number that an sn_real holds. */
static bool read_number(sn_reader *reader, const sn_value *value, const sn_key *key, double *out)
{
    if (value->type != SN_VALUE_NUMBER) {
        char expected[80];
        snprintf(expected, sizeof expected, "a number%s%s", key && key->unit ? " in " : "",
                 key && key->unit ? key->unit : "");
        return sn_reader_expected(reader, value, expected);
    }
    double x = value->number, least = key ? key->least : 0, most = key ? key->most : 0;
    *out = x;
    if (fabs(x) > real_most)
        return sn_reader_fail(reader, "%g is beyond the largest number that fits, %g", x, real_most);
    const char *unit = key && key->unit ? key->unit : "", *space = *unit ? " " : "";
    if (key && key->flags & SN_KEY_POSITIVE && !((sn_real)x > 0))
        return sn_reader_fail(reader, "found %g, expected more than 0%s%s", x, space, unit);
    if ((least != 0 || most != 0) && !(x >= least && x <= most)) {
        if (isinf(most))
            return sn_reader_fail(reader, "found %g, expected %g%s%s or more", x, least, space, unit);
        return sn_reader_fail(reader, "found %.10g, expected %.10g to %.10g%s%s", x, least, most, space, unit);
    }
    return true;
}

static bool read_whole(sn_reader *reader, const sn_value *value, const sn_key *key, uint32_t *out)
{
    double x = 0;
    if (value->type == SN_VALUE_NUMBER && (value->number != floor(value->number) || value->number < 0))
        return sn_reader_fail(reader, "found %g, expected a whole number, 0 or more", value->number);
    if (!read_number(reader, value, key, &x))
        return false;
    if (x > UINT32_MAX)
        return sn_reader_fail(reader, "found %.15g, which is more than the largest count, %lu", x,
                              (unsigned long)UINT32_MAX);
    *out = (uint32_t)x;
    return true;
}

const double *sn_value_numbers(const sn_value *value, uint32_t *count)
{
    *count = 0;
    if (!value || value->type != SN_VALUE_LIST)
        return NULL;
    static const double none[1];
    *count = value->count;
    return value->count == 0 ? none : value->numbers;
}

static bool check_each(sn_reader *reader, const double *numbers, uint32_t count, const sn_key *key)
{
    bool good = true;
    for (uint32_t i = 0; i < count && good; ++i) {
        sn_value item = {.type = SN_VALUE_NUMBER, .number = numbers[i]};
        double x;
        if (fabs(item.number) <= real_most && (!key || (key->least == 0 && key->most == 0 && !key->flags)))
            continue;
        size_t length = sn_reader_enter_item(reader, i);
        good = read_number(reader, &item, key, &x);
        sn_reader_leave(reader, length);
    }
    return good;
}

/* Reports a list that should have numbers only, with the item that is no number. */
static bool expected_numbers(sn_reader *reader, const sn_value *value, const char *expected)
{
    uint32_t i = 0;
    for (const sn_value *item = value->type == SN_VALUE_LIST ? value->first : NULL; item; item = item->next, ++i)
        if (item->type != SN_VALUE_NUMBER) {
            size_t length = sn_reader_enter_item(reader, i);
            sn_reader_expected(reader, item, "a number");
            sn_reader_leave(reader, length);
            return false;
        }
    return sn_reader_expected(reader, value, expected);
}

static bool read_vector(sn_reader *reader, const sn_value *value, const sn_key *key, sn_vec3 *out)
{
    uint32_t count;
    const double *x = sn_value_numbers(value, &count);
    if (!x || count < 2 || count > 3 || (count == 2 && reader->dimensions == 3))
        return expected_numbers(reader, value,
                                reader->dimensions == 3 ? "a list of three numbers"
                                                        : "a list of three numbers (two in the plane)");
    if (!check_each(reader, x, count, key))
        return false;
    *out = (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)(count == 3 ? x[2] : 0)};
    return true;
}

bool sn_read_real(sn_reader *reader, const sn_value *value, sn_real *out)
{
    double x = 0;
    if (!read_number(reader, value, NULL, &x))
        return false;
    *out = (sn_real)x;
    return true;
}

bool sn_read_count(sn_reader *reader, const sn_value *value, uint32_t *out)
{
    return read_whole(reader, value, NULL, out);
}

bool sn_read_vector(sn_reader *reader, const sn_value *value, sn_vec3 *out)
{
    return read_vector(reader, value, NULL, out);
}

bool sn_read_text(sn_reader *reader, const sn_value *value, const char **out)
{
    if (value->type != SN_VALUE_TEXT)
        return sn_reader_expected(reader, value, "a text");
    *out = sn_arena_copy(reader->arena, value->text, strlen(value->text));
    return *out || sn_reader_fail(reader, "no memory for a text");
}

static bool read_choice(sn_reader *reader, const sn_value *value, const sn_choices *choices, unsigned *out)
{
    char text[512], near[100];
    if (value->type == SN_VALUE_TEXT)
        for (uint32_t i = 0; i < choices->count; ++i)
            if (strcmp(value->text, choices->name[i]) == 0) {
                *out = i;
                return true;
            }
    size_t used = (size_t)snprintf(text, sizeof text, "one of");
    for (uint32_t i = 0; i < choices->count && used < sizeof text; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s \"%s\"", i ? "," : "", choices->name[i]);
    if (value->type == SN_VALUE_TEXT && used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s",
                 sn_did_you_mean(value->text, choices->name, choices->count, near, sizeof near));
    return sn_reader_expected(reader, value, text);
}

static bool read_records(sn_reader *reader, const sn_value *value, const sn_record *table, sn_list_of *out)
{
    if (value->type != SN_VALUE_LIST || value->numbers)
        return sn_reader_expected(reader, value, "a list of records");
    char *items = sn_arena_take(reader->arena, value->count, table->size);
    if (!items)
        return sn_reader_fail(reader, "no memory for %u items", value->count);
    bool good = true;
    uint32_t i = 0;
    for (const sn_value *item = value->first; item; item = item->next, ++i) {
        size_t length = sn_reader_enter_item(reader, sn_value_index(item, i));
        good = sn_record_read_one(reader, item, table, items + i * table->size) && good;
        sn_reader_leave(reader, length);
    }
    *out = (sn_list_of){value->count, items};
    return good;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static bool read_key(sn_reader *reader, const sn_value *value, const sn_key *key, void *out)
{
    double x = 0;
    switch (key->type) {
    case SN_KEY_REAL:
        if (!read_number(reader, value, key, &x))
            return false;
        *(sn_real *)out = (sn_real)x;
        return true;
    case SN_KEY_COUNT:
        return read_whole(reader, value, key, out);
    case SN_KEY_TRUTH:
        if (value->type != SN_VALUE_TRUTH)
            return sn_reader_expected(reader, value, "true or false");
        *(bool *)out = value->number != 0;
        return true;
    case SN_KEY_TEXT:
        return sn_read_text(reader, value, out);
    case SN_KEY_CHOICE:
        return read_choice(reader, value, key->of, out);
    case SN_KEY_VECTOR:
        return read_vector(reader, value, key, out);
    case SN_KEY_RECORD:
        return sn_record_read_one(reader, value, key->of, out);
    case SN_KEY_RECORDS:
        return read_records(reader, value, key->of, out);
    case SN_KEY_REALS: {
        sn_numbers numbers;
        numbers.data = sn_value_numbers(value, &numbers.count);
        if (!numbers.data)
            return expected_numbers(reader, value, "a list of numbers");
        if (!check_each(reader, numbers.data, numbers.count, key))
            return false;
        *(sn_numbers *)out = numbers;
        return true;
    }
    case SN_KEY_VALUE:
        *(const sn_value **)out = value;
        return true;
    }
    return true;
}

static const sn_key *find_key(uint32_t count, const sn_record *const *tables, const char *name, uint32_t *table)
{
    for (*table = 0; *table < count; ++*table)
        for (const sn_key *key = tables[*table]->keys; key->name; ++key)
            if (strcmp(key->name, name) == 0)
                return key;
    return NULL;
}

/* Keys that every record may have: "$schema" for editors, and remarks for readers. */
static bool is_remark(const char *key)
{
    return strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0;
}

static const char *article(const char *name)
{
    return strchr("aeiou", *name) ? "an" : "a";
}

enum { MOST_NAMES = 128, MOST_LISTED = 16 };

/* The names of the keys of a table, after those that are there already. */
static uint32_t list_names(const sn_record *table, const char **names, uint32_t known)
{
    for (const sn_key *key = table->keys; key->name && known < MOST_NAMES; ++key)
        names[known++] = key->name;
    return known;
}

/* A similar key one record deeper, such as 'material.friction' for 'friction'; false if there is none. */
static bool find_inside(uint32_t count, const sn_record *const *tables, const char *typed, char *text, size_t size)
{
    for (uint32_t t = 0; t < count; ++t)
        for (const sn_key *key = tables[t]->keys; key->name; ++key) {
            const char *names[MOST_NAMES], *near = NULL;
            if (key->type == SN_KEY_RECORD)
                near = sn_nearest(typed, names, list_names(key->of, names, 0));
            if (near) {
                snprintf(text, size, "; did you mean '%s.%s'?", key->name, near);
                return true;
            }
        }
    return false;
}

/* Says which key may have been meant: a similar one, one record deeper, or else those that the last table has. */
static void suggest(uint32_t count, const sn_record *const *tables, const char *typed, char *text, size_t size)
{
    const char *names[MOST_NAMES];
    uint32_t known = 0;
    for (uint32_t t = 0; t < count; ++t)
        known = list_names(tables[t], names, known);
    if (sn_did_you_mean(typed, names, known, text, size)[0] || find_inside(count, tables, typed, text, size))
        return;
    known = list_names(tables[count - 1], names, 0);
    size_t used = 0;
    for (uint32_t i = 0; i < known && i < MOST_LISTED && used < size; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : ". It has: ", names[i]);
    if (known > MOST_LISTED && used < size)
        snprintf(text + used, size - used, ", ...");
}

static void fail_unknown(sn_reader *reader, uint32_t count, const sn_record *const *tables, const char *key)
{
    char text[400];
    size_t length = sn_reader_enter_key(reader, key);
    const char *name = tables[count - 1]->name;
    suggest(count, tables, key, text, sizeof text);
    sn_problems_add(reader->problems, SN_PROBLEM_ERROR, reader->path, true, "there is no such key in %s %s%s",
                    article(name), name, text);
    sn_reader_leave(reader, length);
}

static bool read_given(sn_reader *reader, const sn_value *value, uint32_t count, const sn_record *const *tables,
                       void *const *structs)
{
    bool good = true;
    for (const sn_value *item = value->first; item; item = item->next) {
        uint32_t table;
        if (is_remark(item->key))
            continue;
        const sn_key *key = find_key(count, tables, item->key, &table);
        if (!key) {
            fail_unknown(reader, count, tables, item->key);
            good = false;
            continue;
        }
        size_t length = sn_reader_enter_key(reader, item->key);
        good = read_key(reader, item, key, (char *)structs[table] + key->offset) && good;
        sn_reader_leave(reader, length);
    }
    return good;
}

static bool check_required(sn_reader *reader, const sn_value *value, const sn_record *table)
{
    bool good = true;
    for (const sn_key *key = table->keys; key->name; ++key)
        if (key->flags & SN_KEY_REQUIRED && !sn_value_find(value, key->name))
            good = sn_reader_fail(reader, "the key '%s' is missing: %s", key->name, key->about);
    return good;
}

bool sn_record_read(sn_reader *reader, const sn_value *value, uint32_t count, const sn_record *const *tables,
                    void *const *structs)
{
    for (uint32_t t = 0; t < count; ++t) {
        memset(structs[t], 0, tables[t]->size);
        if (tables[t]->defaults)
            tables[t]->defaults(structs[t]);
    }
    if (value && value->type != SN_VALUE_RECORD) {
        char text[100];
        const char *name = tables[count - 1]->name;
        snprintf(text, sizeof text, "a record {...}: %s %s", article(name), name);
        return sn_reader_expected(reader, value, text);
    }
    bool good = !value || read_given(reader, value, count, tables, structs);
    for (uint32_t t = 0; t < count; ++t)
        good = check_required(reader, value, tables[t]) && good;
    return good;
}

bool sn_record_read_one(sn_reader *reader, const sn_value *value, const sn_record *table, void *out)
{
    return sn_record_read(reader, value, 1, &table, &out);
}

/* Whether two values of a key are the same. Structs have padding, which may hold anything. */
static bool same_value(const sn_key *key, const void *a, const void *b)
{
    static const size_t size[] = {
        [SN_KEY_REAL] = sizeof(sn_real),       [SN_KEY_COUNT] = sizeof(uint32_t),  [SN_KEY_TRUTH] = sizeof(bool),
        [SN_KEY_TEXT] = sizeof(const char *),  [SN_KEY_CHOICE] = sizeof(unsigned), [SN_KEY_VECTOR] = sizeof(sn_vec3),
        [SN_KEY_VALUE] = sizeof(const void *),
    };
    const sn_list_of *records = a, *other_records = b;
    const sn_numbers *numbers = a, *other_numbers = b;
    switch (key->type) {
    case SN_KEY_RECORD:
        for (const sn_key *k = ((const sn_record *)key->of)->keys; k->name; ++k)
            if (!same_value(k, (const char *)a + k->offset, (const char *)b + k->offset))
                return false;
        return true;
    case SN_KEY_RECORDS:
        return records->count == other_records->count && records->items == other_records->items;
    case SN_KEY_REALS:
        return numbers->count == other_numbers->count && numbers->data == other_numbers->data;
    default:
        return memcmp(a, b, size[key->type]) == 0;
    }
}

/* ---- Checking structs that were filled in code ------------------------------------------------------------------- */

static bool check_number(sn_reader *reader, const sn_key *key, double x)
{
    sn_value value = {.type = SN_VALUE_NUMBER, .number = x};
    if (isnan(x) || isinf(x))
        return sn_reader_fail(reader, "is %g, expected a finite number", x);
    return read_number(reader, &value, key, &x);
}

static bool check_key(sn_reader *reader, const sn_key *key, const void *in)
{
    const sn_vec3 *v = in;
    const sn_record *inner = key->of;
    switch (key->type) {
    case SN_KEY_REAL:
        return check_number(reader, key, (double)*(const sn_real *)in);
    case SN_KEY_COUNT:
        return check_number(reader, key, *(const uint32_t *)in);
    case SN_KEY_CHOICE:
        return *(const unsigned *)in < ((const sn_choices *)key->of)->count ||
               sn_reader_fail(reader, "is %u, and there are %u choices", *(const unsigned *)in,
                              ((const sn_choices *)key->of)->count);
    case SN_KEY_VECTOR:
        return check_number(reader, key, (double)v->x) && check_number(reader, key, (double)v->y) &&
               check_number(reader, key, (double)v->z);
    case SN_KEY_RECORD:
        return sn_record_check(reader, inner, in);
    case SN_KEY_REALS:
        return check_each(reader, ((const sn_numbers *)in)->data, ((const sn_numbers *)in)->count, key);
    default:
        return true;
    }
}

bool sn_record_check(sn_reader *reader, const sn_record *table, const void *in)
{
    void *standard = sn_arena_take(reader->arena, 1, table->size);
    if (!standard)
        return sn_reader_fail(reader, "no memory to check a %s", table->name);
    if (table->defaults)
        table->defaults(standard);
    bool good = true;
    for (const sn_key *key = table->keys; key->name; ++key) {
        const char *is = (const char *)in + key->offset, *was = (const char *)standard + key->offset;
        if (same_value(key, is, was))
            continue;
        size_t length = sn_reader_enter_key(reader, key->name);
        good = check_key(reader, key, is) && good;
        sn_reader_leave(reader, length);
    }
    return good;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_vector(sn_document *document, sn_value *record, const char *name, sn_vec3 v)
{
    double x[3] = {(double)v.x, (double)v.y, (double)v.z};
    if (!isnan(x[0]))
        sn_document_numbers(document, record, name, 3, x, NULL);
}

static void write_inner(sn_document *document, sn_value *record, const sn_key *key, const void *in)
{
    const sn_record *table = key->of;
    if (key->type == SN_KEY_RECORD) {
        sn_record_write(document, sn_document_record(document, record, key->name), table, in);
        return;
    }
    const sn_list_of *list = in;
    sn_value *items = sn_document_list(document, record, key->name);
    for (uint32_t i = 0; i < list->count; ++i)
        sn_record_write(document, sn_document_record(document, items, NULL), table,
                        (const char *)list->items + i * table->size);
}

static void write_key(sn_document *document, sn_value *record, const sn_key *key, const void *in)
{
    switch (key->type) {
    case SN_KEY_REAL:
        if (isfinite(*(const sn_real *)in))
            sn_document_number(document, record, key->name, (double)*(const sn_real *)in);
        break;
    case SN_KEY_COUNT:
        if (*(const uint32_t *)in != UINT32_MAX)
            sn_document_number(document, record, key->name, *(const uint32_t *)in);
        break;
    case SN_KEY_TRUTH:
        sn_document_truth(document, record, key->name, *(const bool *)in);
        break;
    case SN_KEY_TEXT:
        if (*(const char *const *)in)
            sn_document_text(document, record, key->name, *(const char *const *)in);
        break;
    case SN_KEY_CHOICE:
        sn_document_text(document, record, key->name, ((const sn_choices *)key->of)->name[*(const unsigned *)in]);
        break;
    case SN_KEY_VECTOR:
        write_vector(document, record, key->name, *(const sn_vec3 *)in);
        break;
    case SN_KEY_REALS:
        sn_document_numbers(document, record, key->name, ((const sn_numbers *)in)->count,
                            ((const sn_numbers *)in)->data, NULL);
        break;
    case SN_KEY_RECORD:
    case SN_KEY_RECORDS:
        write_inner(document, record, key, in);
        break;
    case SN_KEY_VALUE:
        break;
    }
}

void sn_record_write(sn_document *document, sn_value *record, const sn_record *table, const void *in)
{
    void *defaults = sn_arena_take(&document->arena, 1, table->size);
    if (!defaults || !record) {
        document->failed = true;
        return;
    }
    if (table->defaults)
        table->defaults(defaults);
    for (const sn_key *key = table->keys; key->name; ++key) {
        const char *is = (const char *)in + key->offset, *was = (const char *)defaults + key->offset;
        if (key->flags & SN_KEY_NOT_SAVED || (!(key->flags & SN_KEY_REQUIRED) && same_value(key, is, was)))
            continue;
        write_key(document, record, key, is);
    }
}
