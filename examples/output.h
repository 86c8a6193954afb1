/* Folders, files and pictures, for examples that write files. */
#ifndef SINEW_EXAMPLES_OUTPUT_H
#define SINEW_EXAMPLES_OUTPUT_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define make_folder(path) _mkdir(path)
#define enter_folder      _chdir
#define NOWHERE           ">nul 2>&1"
#else
#include <unistd.h>
#define make_folder(path) mkdir(path, 0777)
#define enter_folder      chdir
#define NOWHERE           ">/dev/null 2>&1"
#endif

/* Closes a file. Returns whether all of it was written. */
static inline bool close_whole(FILE *file)
{
    bool whole = ferror(file) == 0;
    return fclose(file) == 0 && whole;
}

/* Whether a picture is complete. gnuplot does not report a full disk, but a complete PNG ends with IEND. */
static inline bool is_whole_png(const char *path)
{
    char end[8] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool whole = fseek(file, -8, SEEK_END) == 0 && fread(end, 1, 8, file) == 8 && memcmp(end, "IEND", 4) == 0;
    fclose(file);
    return whole;
}

#endif
