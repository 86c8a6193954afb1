#define _XOPEN_SOURCE 700 /* realpath */
#include "scene/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ----------------------------------------------------------------------------------------------------------- */

/* Reads all of a stream into a block of malloc, with a zero after its end. NULL, with the reason, if it is larger than most
   or cannot be read. */
static char *read_all(FILE *file, uint64_t most, size_t *length, char *message, size_t size)
{
    size_t room = 1 << 16;
    char *text = malloc(room + 1);
    for (*length = 0; text;) {
        *length += fread(text + *length, 1, room - *length, file);
        if (*length < room)
            break;
        if (room >= most) {
            snprintf(message, size, "it is larger than the %llu bytes that a scene may take", (unsigned long long)most);
            free(text);
            return NULL;
        }
        char *more = realloc(text, (room *= 2) + 1);
        if (!more)
            free(text);
        text = more;
    }
    if (!text) {
        snprintf(message, size, "no memory for it");
    } else if (ferror(file)) {
        snprintf(message, size, "%s", strerror(errno));
        free(text);
        return NULL;
    } else {
        text[*length] = 0;
    }
    return text;
}

/* plain: nothing but a plain file is read, since a pipe would make us wait. */
static char *read_path(const char *path, bool plain, uint64_t most, size_t *length, char *message, size_t size)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | (plain ? O_NONBLOCK | O_NOCTTY : 0));
    FILE *file = descriptor >= 0 && fstat(descriptor, &status) == 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file) {
        snprintf(message, size, "%s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        return NULL;
    }
    char *text = NULL;
    if (S_ISDIR(status.st_mode))
        snprintf(message, size, "it is a folder");
    else if (plain && !S_ISREG(status.st_mode))
        snprintf(message, size, "it is not a plain file");
    else
        text = read_all(file, most, length, message, size);
    fclose(file);
    return text;
}

/* ---- The folder that a scene may read ----------------------------------------------------------------------------------- */

typedef struct sn_folder {
    bool anywhere;
    bool exists;
    uint64_t most;
    char path[]; /* real, without links */
} folder;

/* The folder of a file, as a real path. */
static char *folder_of(const char *path)
{
    const char *slash = strcmp(path, "-") == 0 ? NULL : strrchr(path, '/');
    if (!slash)
        return realpath(".", NULL);
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    char *name = malloc(length + 1), *real;
    if (!name)
        return NULL;
    memcpy(name, path, length);
    name[length] = 0;
    real = realpath(name, NULL);
    free(name);
    return real;
}

static bool is_inside(const char *path, const char *outer)
{
    size_t length = strlen(outer);
    return strncmp(path, outer, length) == 0 && (path[length] == '/' || (length == 1 && path[0] == '/'));
}

/* Whether a name goes up somewhere. */
static bool goes_up(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")); ++at)
        if ((at == name || at[-1] == '/') && (at[2] == 0 || at[2] == '/'))
            return true;
    return false;
}

/* The real path of a file that the scene names, if it may be read. To be freed. */
static char *allowed_path(const folder *from, const char *name, char *message, size_t size)
{
    size_t room = strlen(name) + strlen(from->path) + 2;
    char *joined = malloc(room);
    if (!joined || !from->exists) {
        snprintf(message, size, joined ? "the scene has no folder" : "no memory");
        free(joined);
        return NULL;
    }
    snprintf(joined, room, "%s%s%s", name[0] == '/' ? "" : from->path, name[0] == '/' ? "" : "/", name);
    char *real = realpath(joined, NULL);
    int reason = errno;
    free(joined);
    /* A name that points outside, or a link that does, gets the same answer whether something is there or not: a scene
       must not find out what else exists. */
    static const char unless[] = "outside of which scenes may not read unless told so (--read-anywhere)";
    if (!from->anywhere && (name[0] == '/' || goes_up(name)))
        snprintf(message, size, "it does not lie in the scene's folder, %s", unless);
    else if (!from->anywhere && (!real || !is_inside(real, from->path)))
        snprintf(message, size, "there is no such file in the scene's folder, %s", unless);
    else if (!real)
        snprintf(message, size, "%s", strerror(reason));
    else
        return real;
    free(real);
    return NULL;
}

static bool read_file(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size, char *message,
                      size_t message_size)
{
    const folder *from = context;
    char *path = allowed_path(from, name, message, message_size);
    if (!path)
        return false;
    char *text = read_path(path, true, from->most, size, message, message_size);
    free(path);
    if (!text)
        return false;
    *bytes = sn_arena_copy(arena, text, *size);
    free(text);
    if (!*bytes)
        snprintf(message, message_size, "no memory for it");
    return *bytes != NULL;
}

/* ---- Loading -------------------------------------------------------------------------------------------------------------- */

static folder *open_folder(const char *path, const sn_load_options *options)
{
    char *real = folder_of(path);
    size_t length = real ? strlen(real) : 0;
    folder *made = malloc(sizeof *made + length + 1);
    if (made) {
        *made = (folder){options->read_anywhere, real != NULL, options->scene.memory};
        memcpy(made->path, real ? real : "", length + 1);
    }
    free(real);
    return made;
}

bool sn_scene_load(const char *path, const sn_load_options *options, sn_loaded *loaded)
{
    sn_load_options defaults = sn_default_load_options();
    if (!options)
        options = &defaults;
    char message[512] = "";
    uint64_t most = options->scene.memory;
    sn_loaded_begin(loaded, path, options);
    errno = 0;
    loaded->text = strcmp(path, "-") == 0 ? read_all(stdin, most, &loaded->length, message, sizeof message)
                                          : read_path(path, false, most, &loaded->length, message, sizeof message);
    if (!loaded->text) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "cannot be read: %s", message);
        return false;
    }
    if (!(loaded->folder = open_folder(path, options))) {
        sn_problems_add(&loaded->problems, SN_PROBLEM_ERROR, "", false, "no memory for a scene");
        return false;
    }
    sn_load_options mine = *options;
    mine.scene.read_file = read_file;
    mine.scene.read_file_context = loaded->folder;
    return sn_loaded_build(loaded, &mine);
}
