#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of scenes in the sources, for a program in its build tree. */
#ifndef SINEW_SCENES_DIR
#define SINEW_SCENES_DIR ""
#endif

static const char *const scenes_in_sources = SINEW_SCENES_DIR;

/* ---- The program's own place ------------------------------------------------------------------------------------- */

/* The folder above that of the program: PREFIX of PREFIX/bin/sinew. NULL if the system does not tell. */
static char *program_prefix(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    for (int i = 0; i < 2; ++i) { /* the program, then its folder */
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = 0;
    }
    return sn_path_join(path, "");
}

/* share/sinew/name beside the program's bin. */
static char *shared_path(const char *name)
{
    char *folder = program_prefix();
    char *share = folder ? sn_path_join(*folder ? folder : "/", "share/sinew") : NULL;
    char *path = share ? sn_path_join(share, name) : NULL;
    free(folder);
    free(share);
    return path;
}

static bool is_file(const char *path)
{
    struct stat about;
    return path && stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

char *sn_find_shared(const char *installed, const char *in_sources)
{
    char *path = shared_path(installed);
    if (is_file(path))
        return path;
    free(path);
    char *sources = sn_path_join(scenes_in_sources, "");
    char *slash = sources ? strrchr(sources, '/') : NULL; /* the slash that sn_path_join may have appended */
    if (slash && slash[1] == 0) {
        *slash = 0;
        slash = strrchr(sources, '/');
    }
    if (slash)
        *slash = 0;
    path = slash ? sn_path_join(sources, in_sources) : NULL;
    free(sources);
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

/* The i-th non-empty part of a list separated by colons; NULL beyond the last. */
static char *part_of_list(const char *list, uint32_t i)
{
    while (list && *list) {
        size_t length = strcspn(list, ":");
        if (length > 0 && i-- == 0) {
            char *part = malloc(length + 1);
            if (part) {
                memcpy(part, list, length);
                part[length] = 0;
            }
            return part;
        }
        list += length;
        list += *list == ':';
    }
    return NULL;
}

static uint32_t count_parts(const char *list)
{
    uint32_t count = 0;
    for (char *part; (part = part_of_list(list, count)) != NULL; ++count)
        free(part);
    return count;
}

char *sn_scene_folder(uint32_t i)
{
    const char *list = getenv("SINEW_SCENES");
    uint32_t given = count_parts(list);
    if (i < given)
        return part_of_list(list, i);
    if (i == given) {
        char *share = shared_path("scenes");
        return share ? share : sn_path_join(scenes_in_sources, "");
    }
    return i == given + 1 && strlen(scenes_in_sources) > 0 ? sn_path_join(scenes_in_sources, "") : NULL;
}

/* ---- All scenes -------------------------------------------------------------------------------------------------- */

void sn_scene_names_release(sn_scene_names *names)
{
    for (uint32_t i = 0; i < names->count; ++i) {
        free(names->name[i]);
        free(names->path[i]);
    }
    free(names->name);
    free(names->path);
    *names = (sn_scene_names){0, NULL, NULL};
}

static bool knows(const sn_scene_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; ++i)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

/* Takes ownership of both texts. */
static bool add_name(sn_scene_names *names, char *name, char *path)
{
    bool again = name && knows(names, name);
    char **name_list = realloc(names->name, (names->count + 1) * sizeof *name_list);
    if (name_list)
        names->name = name_list;
    char **path_list = realloc(names->path, (names->count + 1) * sizeof *path_list);
    if (path_list)
        names->path = path_list;
    bool room = name && path && name_list && path_list;
    if (again || !room) {
        free(name);
        free(path);
        return again || room;
    }
    names->name[names->count] = name;
    names->path[names->count++] = path;
    return true;
}

static bool add_folder(sn_scene_names *names, const char *folder, const char *subfolder)
{
    bool good = true;
    char *place = sn_path_join(folder, subfolder);
    DIR *directory = place ? opendir(place) : NULL;
    for (struct dirent *entry; directory && good && (entry = readdir(directory)) != NULL;) {
        if (!sn_ends_with(entry->d_name, ".json") || entry->d_name[0] == '.')
            continue;
        char *name = sn_path_join(subfolder, entry->d_name);
        if (name)
            name[strlen(name) - strlen(".json")] = 0;
        good = add_name(names, name, sn_path_join(place, entry->d_name));
    }
    if (directory)
        closedir(directory);
    good = good && place;
    free(place);
    return good;
}

/* Insertion sort, for a few dozen names. */
static void sort_names(sn_scene_names *names)
{
    for (uint32_t i = 1; i < names->count; ++i)
        for (uint32_t k = i; k > 0 && strcmp(names->name[k - 1], names->name[k]) > 0; --k) {
            char *name = names->name[k], *path = names->path[k];
            names->name[k] = names->name[k - 1];
            names->path[k] = names->path[k - 1];
            names->name[k - 1] = name;
            names->path[k - 1] = path;
        }
}

bool sn_scene_names_find(const char *subfolder, sn_scene_names *names)
{
    *names = (sn_scene_names){0, NULL, NULL};
    bool good = true;
    char *folder;
    for (uint32_t i = 0; good && (folder = sn_scene_folder(i)) != NULL; ++i) {
        good = add_folder(names, folder, subfolder);
        free(folder);
    }
    sort_names(names);
    return good;
}

/* ---- One scene --------------------------------------------------------------------------------------------------- */

/* folder/name.json if it exists. */
static char *scene_in(const char *folder, const char *name)
{
    size_t size = strlen(name) + sizeof ".json";
    char *file = malloc(size);
    if (!file)
        return NULL;
    snprintf(file, size, "%s.json", name);
    char *path = sn_path_join(folder, file);
    free(file);
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

static void complain_unknown(const char *name)
{
    char *here = scene_in("", name);
    if (here) {
        sn_complain(0, "there is no scene '%s'; did you mean the file '%s'?", name, here);
        free(here);
        return;
    }
    sn_scene_names names;
    bool found = sn_scene_names_find("", &names);
    const char *near = found && names.count ? sn_nearest(name, (const char *const *)names.name, names.count) : NULL;
    if (near)
        sn_complain(0, "there is no file and no scene '%s'; did you mean '%s'?", name, near);
    else
        sn_complain(0, "there is no file and no scene '%s'; 'sinew list scenes' shows what comes with Sinew", name);
    sn_scene_names_release(&names);
}

char *sn_find_scene(const char *name)
{
    struct stat about;
    if (strcmp(name, "-") == 0 || is_file(name))
        return sn_path_join("", name);
    char *folder, *path = NULL;
    for (uint32_t i = 0; !path && (folder = sn_scene_folder(i)) != NULL; ++i) {
        path = scene_in(folder, name);
        free(folder);
    }
    if (path)
        return path;
    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode))
        sn_complain(0, "%s: is a folder, expected a scene", name);
    else if (strchr(name, '/') || sn_ends_with(name, ".json"))
        sn_complain(0, "%s: %s", name, strerror(errno ? errno : ENOENT));
    else
        complain_unknown(name);
    return NULL;
}
