#define _XOPEN_SOURCE 700 /* for realpath */
#include "scene/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Kinds of files ---------------------------------------------------------------------------------------------- */

/* Whether an open file may be read, tested before any of it is read. *length: its length; 0 for a pipe, whose length
   is unknown. */
static bool is_readable(int file, bool plain, uint64_t most, uint64_t *length, char *message, size_t size)
{
    struct stat about;
    if (fstat(file, &about) != 0) {
        snprintf(message, size, "%s", strerror(errno));
        return false;
    }
    bool regular = S_ISREG(about.st_mode), device = S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode);
    *length = regular ? (uint64_t)about.st_size : 0;
    if (S_ISDIR(about.st_mode))
        snprintf(message, size, "it is a folder");
    else if (plain && !regular)
        snprintf(message, size, "it is not a plain file");
    else if (device && !isatty(file))
        snprintf(message, size, "it is a device, expected a file");
    else if (*length > most)
        snprintf(message, size, "it has %llu bytes, and may have %llu at most (see --memory)",
                 (unsigned long long)*length, (unsigned long long)most);
    else
        return true;
    return false;
}

/* Reads to the end into a block that doubles: the length of a pipe is unknown, and a file may grow. */
static char *read_all(int file, uint64_t expected, uint64_t most, size_t *length, char *message, size_t size)
{
    size_t room = expected < (1 << 16) ? 1 << 16 : (size_t)expected + 1;
    char *text = malloc(room + 1);
    for (*length = 0; text;) {
        ssize_t count = read(file, text + *length, room - *length < INT_MAX ? room - *length : INT_MAX);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            snprintf(message, size, "%s", strerror(errno));
        else if ((*length += (size_t)count) > most)
            snprintf(message, size, "it has more than the %llu bytes that it may have (see --memory)",
                     (unsigned long long)most);
        else if (count == 0) {
            text[*length] = 0;
            return text;
        } else if (*length < room) {
            continue;
        } else {
            char *more = realloc(text, (room *= 2) + 1);
            if (!more)
                free(text);
            text = more;
            continue;
        }
        free(text);
        return NULL;
    }
    snprintf(message, size, "no memory for it");
    return NULL;
}

char *sn_read_path(const char *path, bool plain, uint64_t most, size_t *length, char *message, size_t size)
{
    uint64_t expected;
    bool given = strcmp(path, "-") == 0;
    int file = given ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (plain ? O_NONBLOCK : 0));
    if (file < 0) {
        snprintf(message, size, "%s", strerror(errno));
        return NULL;
    }
    char *text = is_readable(file, plain, most, &expected, message, size)
                     ? read_all(file, expected, most, length, message, size)
                     : NULL;
    if (!given)
        close(file);
    return text;
}

/* ---- The folder -------------------------------------------------------------------------------------------------- */

struct sn_folder {
    bool anywhere;
    bool exists;
    char path[]; /* a real path, without links */
};

static char *real_folder(const char *path)
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

sn_folder *sn_folder_of(const char *path, bool anywhere)
{
    char *real = real_folder(path);
    size_t length = real ? strlen(real) : 0;
    sn_folder *folder = malloc(sizeof *folder + length + 1);
    if (folder) {
        *folder = (sn_folder){anywhere, real != NULL};
        memcpy(folder->path, real ? real : "", length + 1);
    }
    free(real);
    return folder;
}

void sn_folder_release(sn_folder *folder)
{
    free(folder);
}

static bool is_inside(const char *path, const char *outer)
{
    size_t length = strlen(outer);
    return strncmp(path, outer, length) == 0 && (path[length] == '/' || (length == 1 && path[0] == '/'));
}

/* Whether a path contains "..". */
static bool goes_up(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")); ++at)
        if ((at == name || at[-1] == '/') && (at[2] == 0 || at[2] == '/'))
            return true;
    return false;
}

/* The real path of a file that may be read, to be freed by the caller. NULL, with the reason in message. */
static char *allowed_path(const sn_folder *from, const char *name, char *message, size_t size)
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
    /* A name that points outside, or a link that does, gets the same answer whether or not such a file exists: a
       scene must not find out what exists outside of its folder. */
    static const char unless[] = "outside of which scenes may not read unless told so (--read-anywhere)";
    if (!from->anywhere && name[0] == '/')
        snprintf(message, size, "its path is absolute, expected one that starts in the scene's folder, %s", unless);
    else if (!from->anywhere && goes_up(name))
        snprintf(message, size, "its path goes up by '..', expected one that stays in the scene's folder, %s", unless);
    else if (!from->anywhere && (!real || !is_inside(real, from->path)))
        snprintf(message, size, "there is no such file in the scene's folder, %s", unless);
    else if (!real)
        snprintf(message, size, "%s", strerror(reason));
    else
        return real;
    free(real);
    return NULL;
}

int sn_folder_open(const sn_folder *folder, const char *name, uint64_t most, uint64_t *length, char *message,
                   size_t size)
{
    char *path = allowed_path(folder, name, message, size);
    if (!path)
        return -1;
    /* O_NOFOLLOW: the real path had no link just now; refused if it has one since */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0)
        snprintf(message, size, "%s", strerror(errno));
    free(path);
    if (file >= 0 && !is_readable(file, true, most, length, message, size)) {
        close(file);
        file = -1;
    }
    return file;
}

char *sn_folder_read(const sn_folder *folder, const char *name, uint64_t most, size_t *length, char *message,
                     size_t size)
{
    uint64_t expected;
    int file = sn_folder_open(folder, name, most, &expected, message, size);
    if (file < 0)
        return NULL;
    char *text = read_all(file, expected, most, length, message, size);
    close(file);
    return text;
}
