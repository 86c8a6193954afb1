/* Runs a fuzz target without libFuzzer: first its corpus, then so many inputs derived from it, the same ones every
   time. It does not look for new paths as libFuzzer does ('make fuzz'), but needs no other compiler, and so is part
   of the tests.

       drive_NAME RUNS FOLDER [KEEP]

   KEEP is a file that always has the present input: after a failure, the input that failed. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, ROOM = 8192, CHANGES = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
#ifdef DRIVE_OWN_CHANGES /* the target has its own mutator */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
#endif

typedef struct input {
    char name[256];
    uint8_t *data;
    size_t size;
} input;

static input inputs[MOST];
static size_t input_count;
static uint64_t state = 88172645463325252u; /* state of Marsaglia's xorshift */

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * below >> 32);
}

/* ---- The corpus -------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const input *)a)->name, ((const input *)b)->name);
}

static bool read_input(const char *folder, input *in)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, in->name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    in->data = malloc(ROOM);
    in->size = in->data ? fread(in->data, 1, ROOM, file) : 0;
    bool whole = in->data && !ferror(file);
    fclose(file);
    return whole;
}

static bool read_corpus(const char *folder)
{
    DIR *all = opendir(folder);
    if (!all)
        return false;
    for (struct dirent *entry; (entry = readdir(all));) {
        if (entry->d_name[0] == '.' || input_count == MOST)
            continue;
        snprintf(inputs[input_count++].name, sizeof inputs->name, "%s", entry->d_name);
    }
    closedir(all);
    qsort(inputs, input_count, sizeof *inputs, by_name);
    for (size_t i = 0; i < input_count; ++i)
        if (!read_input(folder, &inputs[i]))
            return false;
    return input_count > 0;
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

/* Replaces `was` bytes at a place by others. */
static size_t put(uint8_t *data, size_t size, size_t room, size_t at, size_t was, const uint8_t *from, size_t length)
{
    if (size - was + length > room)
        return size;
    memmove(data + at + length, data + at + was, size - at - was);
    memcpy(data + at, from, length);
    return size - was + length;
}

static size_t draw_length(size_t most)
{
    size_t length = (size_t)1 << draw(8);
    length = length + draw((uint32_t)length);
    return length < most ? length : most;
}

/* Inserts a word from which numbers and texts are made, or an integer limit. */
static size_t put_word(uint8_t *data, size_t size, size_t room, size_t at)
{
    static const char *const words[] = {"0",
                                        "-1",
                                        "1e39",
                                        "-0",
                                        "nan",
                                        "inf",
                                        "1e-46",
                                        "4294967296",
                                        "2147483648",
                                        "\n",
                                        "\r\n",
                                        " ",
                                        "/",
                                        "//",
                                        "\"",
                                        "\\",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "\xff\xff\xff\xff",
                                        "\xff\xff\xff\x7f",
                                        "\xc3",
                                        "\xe2\x82\xac"};
    const char *word = words[draw(sizeof words / sizeof *words)];
    size_t length = strlen(word), was = draw(2) ? 0 : length < size - at ? length : size - at;
    return put(data, size, room, at, was, (const uint8_t *)word, length);
}

/* Copies a range of this input or of another one. */
static size_t put_stretch(uint8_t *data, size_t size, size_t room, size_t at)
{
    const input *other = &inputs[draw((uint32_t)input_count)];
    uint8_t copy[2 * ROOM];
    bool own = draw(2);
    const uint8_t *from = own ? data : other->data;
    size_t all = own ? size : other->size, begin = all ? draw((uint32_t)all) : 0, length = draw_length(all - begin);
    memcpy(copy, from + begin, length);
    return put(data, size, room, at, draw(2) ? draw_length(size - at) : 0, copy, length);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    size_t at = draw((uint32_t)size + 1);
    switch (draw(5)) {
    case 0: /* changes one bit */
        if (at < size)
            data[at] ^= (uint8_t)(1u << draw(8));
        return size;
    case 1: /* changes one byte */
        if (at < size)
            data[at] = (uint8_t)draw(256);
        return size;
    case 2:
        return put(data, size, room, at, draw_length(size - at), data, 0);
    case 3:
        return put_word(data, size, room, at);
    default:
        return put_stretch(data, size, room, at);
    }
}

static size_t change(uint8_t *data, size_t size)
{
#ifdef DRIVE_OWN_CHANGES
    return LLVMFuzzerCustomMutator(data, size, ROOM, draw(UINT32_MAX));
#else
    return LLVMFuzzerMutate(data, size, ROOM);
#endif
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void keep_input(const uint8_t *data, size_t size, const char *path)
{
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file)
        return;
    fwrite(data, 1, size, file);
    fclose(file);
}

/* Copies the input into a block of exactly its size, so that a sanitizer detects reads beyond its end. */
static void try_input(const uint8_t *data, size_t size, const char *keep)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return;
    memcpy(copy, data, size);
    keep_input(data, size, keep);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int argc, char **argv)
{
    static uint8_t data[ROOM];
    char *end = NULL;
    const char *keep = argc == 4 ? argv[3] : NULL;
    unsigned long runs = argc == 3 || argc == 4 ? strtoul(argv[1], &end, 10) : 0;
    if (runs == 0 || *end) {
        fprintf(stderr, "usage: %s RUNS FOLDER [KEEP]\n", argv[0]);
        return 2;
    }
    if (!read_corpus(argv[2])) {
        fprintf(stderr, "%s cannot be read, or is empty\n", argv[2]);
        return 2;
    }
    for (size_t i = 0; i < input_count; ++i)
        try_input(inputs[i].data, inputs[i].size, keep);
    for (unsigned long run = 0; run < runs; ++run) {
        const input *from = &inputs[draw((uint32_t)input_count)];
        size_t size = from->size;
        memcpy(data, from->data, size);
        for (uint32_t i = 0, count = 1 + draw(CHANGES); i < count; ++i)
            size = change(data, size);
        try_input(data, size, keep);
    }
    printf("%zu inputs and %lu made of them: nothing found\n", input_count, runs);
    for (size_t i = 0; i < input_count; ++i)
        free(inputs[i].data);
    return 0;
}
