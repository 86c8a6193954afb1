/* Reads files of glTF, for tests. Include after folder.h. */
#ifndef SINEW_TESTS_EXPORT_GLB_FILE_H
#define SINEW_TESTS_EXPORT_GLB_FILE_H

#include "scene/json.h"

typedef struct glb_file {
    char *bytes;
    const char *numbers; /* the second chunk */
    sn_document document;
} glb_file;

static inline glb_file glb_read(const char *path)
{
    glb_file g = {0};
    size_t size;
    char message[256];
    g.bytes = folder_read(path, &size);
    assert_memory_equal(g.bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(get_u32(g.bytes + 8), size);
    const uint32_t text = get_u32(g.bytes + 12);
    assert_memory_equal(g.bytes + 16, "JSON", 4);
    assert_int_equal(text % 4, 0);
    sn_document_init(&g.document, NULL);
    if (!sn_json_read(&g.document, g.bytes + 20, text, NULL, message, sizeof message))
        fail_msg("%s", message);
    if (size > 20 + text) {
        assert_memory_equal(g.bytes + 20 + text + 4, "BIN", 4);
        assert_int_equal(get_u32(g.bytes + 20 + text), size - 28 - text);
        g.numbers = g.bytes + 28 + text;
    }
    return g;
}

static inline void glb_release(glb_file *g)
{
    sn_document_release(&g->document);
    free(g->bytes);
}

/* A value by a path of keys and numbers: "nodes.0.mesh". NULL: it is not there. */
static inline const sn_value *find(const glb_file *g, const char *path)
{
    const sn_value *value = g->document.root;
    char word[64];
    while (*path && value) {
        const size_t length = strcspn(path, ".");
        snprintf(word, sizeof word, "%.*s", (int)length, path);
        path += length + (path[length] == '.');
        if (value->type == SN_VALUE_RECORD) {
            value = sn_value_find(value, word);
            continue;
        }
        unsigned long i = strtoul(word, NULL, 10);
        for (value = value->first; value && i; --i)
            value = value->next;
    }
    return value;
}

static inline double number(const glb_file *g, const char *path)
{
    const sn_value *value = find(g, path);
    if (!value || value->type != SN_VALUE_NUMBER)
        fail_msg("%s is no number", path);
    return value->number;
}

static inline uint32_t items(const glb_file *g, const char *path)
{
    const sn_value *value = find(g, path);
    return value ? value->count : 0;
}

/* The numbers of an accessor. */
static inline const char *data(const glb_file *g, uint32_t accessor)
{
    char path[64];
    snprintf(path, sizeof path, "accessors.%u.bufferView", (unsigned)accessor);
    const unsigned view = (unsigned)number(g, path);
    snprintf(path, sizeof path, "accessors.%u.byteOffset", (unsigned)accessor);
    const size_t offset = (size_t)number(g, path);
    snprintf(path, sizeof path, "bufferViews.%u.byteOffset", view);
    return g->numbers + offset + (size_t)number(g, path);
}

#endif
