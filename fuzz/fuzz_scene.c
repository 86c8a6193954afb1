/* Input: any bytes. Up to the first zero they are the text of a scene, and the rest is the mesh that it may name.
   The scene is refused with a reason, or it is the same world after saving and loading it, and can be run, and saved
   and loaded in between. */
#include "fuzz/check.h"
#include "scene/json.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room); /* from libFuzzer */

/* Small limits, so that no input takes long. A saved scene may be larger than its original, since builders describe
   objects more briefly. */
enum { MEMORY = 4 << 20, MEMORY_AGAIN = 256 << 20, FRAMES = 3 };

/* n balls that all touch each other are n^2 / 2 pairs. */
enum { MOST_IN_CONTACT = 500 };

typedef struct file {
    const uint8_t *data;
    size_t size;
} file;

static bool read_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    const file *mesh = context;
    (void)name;
    *size = mesh->size;
    *bytes = sn_arena_copy(arena, (const char *)mesh->data, mesh->size);
    if (!*bytes)
        snprintf(message, message_size, "no memory");
    return *bytes != NULL;
}

/* Runs tasks one after the other: libFuzzer keeps an input for the code that it reaches, which would be random on
   several threads. */
static void run_tasks(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
        task(data, i);
}

static sn_scene_options options_of(uint64_t memory)
{
    sn_scene_options options = sn_default_scene_options();
    options.memory = memory;
    options.tasks.run = run_tasks;
    return options;
}

/* Every refusal must have a reason, in valid UTF-8. */
static void check_problems(const sn_problems *problems, const sn_scene *scene)
{
    CHECK((scene == NULL) == (problems->errors > 0));
    for (const sn_problem *p = problems->first; p; p = p->next) {
        CHECK(p->text[0]);
        for (const char *at = p->text; *at; at += sn_utf8_length(at, strlen(at)))
            CHECK(sn_utf8_length(at, strlen(at)) && (unsigned char)*at >= ' ');
        for (const char *at = p->path; *at; at += sn_utf8_length(at, strlen(at)))
            CHECK(sn_utf8_length(at, strlen(at)));
    }
}

static sn_scene *create(const char *text, size_t length, const sn_scene_options *options, bool again)
{
    sn_document document;
    sn_problems problems;
    char message[200] = "";
    sn_scene *scene = NULL;
    sn_document_init(&document, NULL);
    sn_problems_init(&problems, NULL);
    bool read = sn_json_read(&document, text, length, NULL, message, sizeof message);
    if (read) {
        scene = sn_scene_create(&document, options, &problems);
        check_problems(&problems, scene);
    }
    if (again && !scene) {
        fprintf(stderr, "%s\n", message);
        for (const sn_problem *p = problems.first; p; p = p->next)
            fprintf(stderr, "%s: %s\n", p->path, p->text);
        fwrite(text, 1, length, stderr);
        abort();
    }
    sn_document_release(&document);
    sn_problems_release(&problems);
    return scene;
}

/* Saves to a document, writes its text, and loads that. */
static sn_scene *save_and_load(sn_scene *scene)
{
    sn_document document;
    char message[200] = "", *text = NULL;
    size_t length = 0;
    sn_document_init(&document, NULL);
    if (!sn_scene_save(scene, &document, message, sizeof message)) {
        fprintf(stderr, "not saved: %s\n", message);
        abort();
    }
    FILE *stream = open_memstream(&text, &length);
    CHECK(stream && sn_json_write(stream, document.root));
    fclose(stream);
    sn_document_release(&document);
    sn_scene_options options = options_of(MEMORY_AGAIN);
    sn_scene *again = create(text, length, &options, true);
    free(text);
    return again;
}

static void hurry(sn_scene *scene)
{
    sn_settings settings = sn_world_settings(sn_scene_world(scene));
    if (settings.substeps > 2)
        settings.substeps = 2;
    if (settings.iterations > 2)
        settings.iterations = 2;
    CHECK(sn_world_configure(sn_scene_world(scene), &settings) == SN_OK);
    sn_contact_settings contact = sn_world_contact_settings(sn_scene_world(scene));
    if (sn_world_particle_count(sn_scene_world(scene)) > MOST_IN_CONTACT)
        contact.on = false;
    CHECK(sn_world_set_contact_settings(sn_scene_world(scene), &contact) == SN_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - data) : size;
    file mesh = {zero ? zero + 1 : data, zero ? size - length - 1 : 0};
    sn_scene_options options = options_of(MEMORY);
    options.read_file = read_file;
    options.read_file_context = &mesh;
    sn_scene *scene = create((const char *)data, length, &options, false);
    if (!scene)
        return 0;
    sn_scene *again = save_and_load(scene);
    CHECK(sn_world_hash(sn_scene_world(scene)) == sn_world_hash(sn_scene_world(again)));
    CHECK(sn_scene_time(scene) == sn_scene_time(again));
    sn_scene_destroy(again);
    hurry(scene);
    for (uint32_t i = 0; i < FRAMES && sn_scene_step(scene) == SN_OK; ++i)
        ;
    again = save_and_load(scene);
    CHECK(sn_scene_time(scene) == sn_scene_time(again));
    sn_scene_destroy(again);
    sn_scene_destroy(scene);
    return 0;
}

/* ---- Changes that keep the text well-formed -------------------------------------------------------------------------

   Bytes changed at random are hardly ever JSON, so the code after the parser would not be tested. So every other
   change replaces a value by another value of the text, or by one that caused trouble elsewhere. */

typedef struct span {
    size_t begin, end;
} span;

/* The end of the value that begins at a byte; 0 if none does. */
static size_t value_end(const uint8_t *data, size_t size, size_t at)
{
    uint32_t depth = 0;
    bool quoted = false;
    for (size_t i = at; i < size; ++i) {
        uint8_t c = data[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"' && (quoted = false, depth == 0))
                return i + 1;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            if (depth == 0)
                return i > at ? i : 0;
            if (--depth == 0)
                return i + 1;
        } else if (depth == 0 && (c == ',' || c == ':')) {
            return i > at ? i : 0;
        }
    }
    return 0;
}

/* Chooses a value after a random byte. */
static bool pick(const uint8_t *data, size_t size, unsigned *seed, span *out)
{
    for (int tries = 0; tries < 20 && size; ++tries) {
        size_t at = (*seed = *seed * 1664525 + 1013904223) / 7 % size;
        while (at < size && !strchr("[,:", data[at]))
            ++at;
        while (at < size && strchr("[,: ", data[at]))
            ++at;
        *out = (span){at, at < size ? value_end(data, size, at) : 0};
        if (out->end > out->begin && out->end <= size)
            return true;
    }
    return false;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static const char *const values[] = {
        "0",    "-1",    "1",  "2",  "3",   "0.5",    "1e38",      "3e38",      "1e-30", "-0",         "1e-45",  "true",
        "null", "\"a\"", "[]", "{}", "[0]", "[0, 1]", "[0, 0, 0]", "[1, 0, 0]", "1000",  "4294967295", "\"all\""};
    span to, from;
    const uint8_t *zero = memchr(data, 0, size);
    size_t length = zero ? (size_t)(zero - data) : size;
    if (seed % 2 || !pick(data, length, &seed, &to) || !pick(data, length, &seed, &from))
        return LLVMFuzzerMutate(data, size, room);
    bool known = seed / 16 % 2;
    const char *value = values[seed / 32 % (sizeof values / sizeof values[0])];
    size_t put = known ? strlen(value) : from.end - from.begin, was = to.end - to.begin;
    bool add = seed / 8 % 4 == 0; /* inserted beside the value, not in its place */
    if (add)
        to.begin = to.end, was = 0, ++put;
    if (size - was + put > room)
        return LLVMFuzzerMutate(data, size, room);
    uint8_t *copy = malloc(put);
    if (!copy)
        return size;
    memcpy(copy + add, known ? (const uint8_t *)value : data + from.begin, put - add);
    if (add)
        copy[0] = ',';
    memmove(data + to.begin + put, data + to.end, size - to.end);
    memcpy(data + to.begin, copy, put);
    free(copy);
    return size - was + put;
}
