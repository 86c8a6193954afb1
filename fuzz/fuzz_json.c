/* Input: any bytes. They are refused with a reason, or they are a document that is the same after writing and
   reading it again, and all of whose values can be found in the text. */
#include "fuzz/check.h"
#include "scene/json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Numbers keep the digits that sn_real needs; integers, and numbers that sn_real cannot hold, keep all. */
static bool same_number(double a, double b)
{
    double least = sizeof(sn_real) == 4 ? (double)FLT_MIN : DBL_MIN;
    double most = sizeof(sn_real) == 4 ? (double)FLT_MAX : DBL_MAX;
    if (a == b)
        return (signbit(a) != 0) == (signbit(b) != 0);
    bool real = fabs(a) >= least && fabs(a) <= most && fabs(b) <= most;
    bool whole = a == floor(a) && fabs(a) < 9007199254740992.0;
    return real && !whole && (sn_real)a == (sn_real)b;
}

static bool same(const sn_value *a, const sn_value *b)
{
    if (a->type != b->type || a->count != b->count || !a->numbers != !b->numbers)
        return false;
    if (a->type == SN_VALUE_NUMBER || a->type == SN_VALUE_TRUTH)
        return same_number(a->number, b->number);
    if (a->type == SN_VALUE_TEXT)
        return strcmp(a->text, b->text) == 0;
    for (uint32_t i = 0; a->numbers && i < a->count; ++i)
        if (!same_number(a->numbers[i], b->numbers[i]))
            return false;
    for (a = a->first, b = b->first; a && b; a = a->next, b = b->next)
        if ((a->key && strcmp(a->key, b->key) != 0) || !same(a, b))
            return false;
    return !a && !b;
}

typedef struct source {
    const char *text;
    size_t length;
    char path[400];
    uint32_t left; /* values still to look for: each search reads the whole text */
} source;

/* The byte at a line and column; NULL if it is outside of the text. */
static const char *byte_at(const source *in, sn_place place)
{
    for (size_t i = 0; i < in->length; ++i) {
        sn_place here = sn_json_place(in->text, in->length, i);
        bool mark = i < 3 && in->length >= 3 && memcmp(in->text, "\xef\xbb\xbf", 3) == 0;
        if (!mark && here.line == place.line && here.column == place.column)
            return in->text + i;
    }
    return NULL;
}

static void check_place(const source *in, const sn_value *value)
{
    const char *at = byte_at(in, sn_json_locate(in->text, in->length, in->path, false));
    CHECK(at);
    static const char *const begins[] = {
        [SN_VALUE_NULL] = "n",  [SN_VALUE_TRUTH] = "tf", [SN_VALUE_NUMBER] = "-0123456789",
        [SN_VALUE_TEXT] = "\"", [SN_VALUE_LIST] = "[",   [SN_VALUE_RECORD] = "{"};
    CHECK(*at && strchr(begins[value->type], *at));
    const char *key = byte_at(in, sn_json_locate(in->text, in->length, in->path, true));
    CHECK(key && *key == (value->key ? '"' : *at));
}

static void check_places(source *in, const sn_value *value)
{
    size_t length = strlen(in->path);
    if (in->left == 0 || length > sizeof in->path - 50)
        return; /* the path may have been cut */
    --in->left;
    check_place(in, value);
    if (value->numbers && value->count) {
        sn_value number = {.type = SN_VALUE_NUMBER};
        sn_path_item(in->path, sizeof in->path, value->count - 1);
        check_place(in, &number);
        in->path[length] = 0;
    }
    uint32_t index = 0;
    for (const sn_value *item = value->first; item; item = item->next, ++index) {
        if (item->key && strlen(item->key) > 40)
            continue;
        if (item->key)
            sn_path_key(in->path, sizeof in->path, item->key);
        else
            sn_path_item(in->path, sizeof in->path, index);
        check_places(in, item);
        in->path[length] = 0;
    }
}

/* Written by either writer and read again, the document must be the same. */
static void check_round_trip(const sn_value *root, bool line)
{
    char *text = NULL, message[200];
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    CHECK(file && (line ? sn_json_write_line(file, root) : sn_json_write(file, root)));
    fclose(file);
    sn_document back;
    sn_document_init(&back, NULL);
    if (!sn_json_read(&back, text, length, NULL, message, sizeof message)) {
        fprintf(stderr, "%s\n%s\n", message, text);
        abort();
    }
    CHECK(same(root, back.root));
    CHECK(!line || memchr(text, '\n', length) == text + length - 1);
    sn_document_release(&back);
    free(text);
}

/* Every path that a message can have must be accepted by sn_document_set. */
static void check_set(sn_document *document)
{
    char path[700] = "", message[100];
    const sn_value *value = document->root;
    for (int i = 0; i < 5 && value->first && (!value->first->key || strlen(value->first->key) < 50); ++i) {
        value = value->first;
        if (value->key)
            sn_path_key(path, sizeof path, value->key);
        else
            sn_path_item(path, sizeof path, 0);
        CHECK(sn_document_set(document, path, value, message, sizeof message));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_document document;
    sn_place place = {0, 0};
    char message[200] = "";
    source in = {(const char *)data, size, "", 20};
    sn_document_init(&document, NULL);
    if (sn_json_read(&document, in.text, size, &place, message, sizeof message)) {
        check_round_trip(document.root, false);
        check_round_trip(document.root, true);
        if (size < 2000)
            check_places(&in, document.root);
        check_set(&document);
        check_round_trip(document.root, false);
    } else {
        sn_place end = sn_json_place(in.text, size, size);
        CHECK(*message && !document.root && place.line <= end.line);
        CHECK(place.line < end.line || place.column <= end.column);
        for (const char *at = message; *at; at += sn_utf8_length(at, strlen(at)))
            CHECK(sn_utf8_length(at, strlen(at)) && (unsigned char)*at >= ' ');
    }
    sn_json_locate(in.text, size, "a[1].b", true);
    sn_document_release(&document);
    return 0;
}
