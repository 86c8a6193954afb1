#include "cli/cli.h"
#include "scene/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sn_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

char *sn_path_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) {
        bool slash = folder[0] && folder[strlen(folder) - 1] == '/';
        snprintf(path, size, "%s%s%s", folder, slash || !folder[0] ? "" : "/", name);
    }
    return path;
}

char *sn_path_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strcmp(path, "-") == 0)
        name = "scene";
    char *stem = malloc(strlen(name) + 1);
    if (!stem)
        return NULL;
    strcpy(stem, name);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem)
        *dot = 0;
    return stem;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

char *sn_read_whole(const char *path, bool plain, uint64_t most, size_t *length)
{
    char message[256];
    char *text = sn_read_path(path, plain, most, length, message, sizeof message);
    if (!text)
        sn_complain(0, "%s: %s", path, message);
    return text;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static bool write_json(const char *path, const sn_value *value)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        sn_complain(0, "%s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    bool good = sn_json_write(file, value) && fflush(file) == 0;
    int reason = errno;
    if (fclose(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (!good)
        sn_complain(0, "%s: %s", path, reason ? strerror(reason) : "cannot be written");
    return good;
}

/* Written to a file beside it, which is then renamed, so that a full disk leaves the old file. What is no plain
   file, such as a terminal or a pipe, cannot be replaced and is written directly. */
bool sn_write_json_file(const char *path, const sn_value *value)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return write_json(path, value);
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    if (!part) {
        sn_complain(0, "%s: out of memory", path);
        return false;
    }
    snprintf(part, size, "%s.part", path);
    bool good = write_json(part, value);
    if (good && rename(part, path) != 0) {
        sn_complain(0, "%s: %s", path, strerror(errno));
        good = false;
    }
    if (!good)
        unlink(part);
    free(part);
    return good;
}
