/* Loading a scene from a file, which may name other files in its folder. */
#include "scene/load.h"
#include "scene/folder.h"

#include <stdlib.h>
#include <string.h>

/* A text takes about four times its length while it is read: itself, the tree of its parser, and the document. A
   mesh takes about as much: the file, what was read of it, and its particles. So each may have this fraction of the
   memory of the scene: 1 / PART_OF_MEMORY. */
#define PART_OF_MEMORY 4

/* ---- Files that the scene names ---------------------------------------------------------------------------------- */

typedef struct sn_scene_files {
    sn_folder *folder;
    uint64_t most; /* the most bytes of one file */
    uint32_t count;
    char **name; /* the names of the files that were read, in order, each once */
} files;

static bool take_note(files *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; ++i)
        if (strcmp(f->name[i], name) == 0)
            return true;
    size_t length = strlen(name) + 1;
    char *copy = malloc(length), **names = realloc(f->name, (f->count + 1) * sizeof *names);
    if (names)
        f->name = names;
    if (!copy || !names) {
        free(copy);
        return false;
    }
    f->name[f->count++] = memcpy(copy, name, length);
    return true;
}

static bool read_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    files *f = context;
    char *text = sn_folder_read(f->folder, name, f->most, size, message, message_size);
    if (!text)
        return false;
    *bytes = take_note(f, name) ? sn_arena_copy(arena, text, *size) : NULL;
    free(text);
    if (!*bytes)
        snprintf(message, message_size, "no memory for it");
    return *bytes != NULL;
}

files *sn_scene_files_open(const char *path, bool anywhere, sn_scene_options *options)
{
    files *f = malloc(sizeof *f);
    if (f)
        *f = (files){.folder = sn_folder_of(path, anywhere), .most = options->memory / PART_OF_MEMORY};
    if (!f || !f->folder) {
        free(f);
        return NULL;
    }
    options->read_file = read_file;
    options->read_file_context = f;
    return f;
}

void sn_scene_files_release(files *f)
{
    for (uint32_t i = 0; i < f->count; ++i)
        free(f->name[i]);
    free(f->name);
    sn_folder_release(f->folder);
    free(f);
}

const char *sn_loaded_file(const sn_loaded *loaded, uint32_t i)
{
    return loaded->files && i < loaded->files->count ? loaded->files->name[i] : NULL;
}

char *sn_loaded_read(const sn_loaded *loaded, const char *name, uint64_t most, size_t *length, char *message,
                     size_t size)
{
    if (loaded->files)
        return sn_folder_read(loaded->files->folder, name, most, length, message, size);
    snprintf(message, size, "the scene has no folder");
    return NULL;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */

bool sn_scene_load(const char *path, const sn_load_options *options, sn_loaded *loaded)
{
    sn_load_options defaults = sn_default_load_options();
    if (!options)
        options = &defaults;
    char message[512] = "";
    sn_loaded_begin(loaded, path, options);
    loaded->text =
        sn_read_path(path, false, options->scene.memory / PART_OF_MEMORY, &loaded->length, message, sizeof message);
    if (!loaded->text) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "cannot be read: %s", message);
        return false;
    }
    sn_load_options mine = *options;
    if (!(loaded->files = sn_scene_files_open(path, options->read_anywhere, &mine.scene))) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "no memory for a scene");
        return false;
    }
    loaded->release_files = sn_scene_files_release;
    return sn_loaded_build(loaded, &mine);
}
