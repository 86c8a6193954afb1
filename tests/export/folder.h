/* A folder of its own for a test, and what is in its files. Include after support.h. */
#ifndef SINEW_TESTS_EXPORT_FOLDER_H
#define SINEW_TESTS_EXPORT_FOLDER_H

#include <sys/resource.h>
#include <sys/stat.h>

#include <signal.h>
#include <unistd.h>

typedef struct folder {
    char path[64];
    char name[400]; /* the last that folder_file made */
} folder;

static inline folder folder_make(void)
{
    folder f = {.path = "/tmp/sinew-export-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline void folder_remove(folder *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->path);
    assert_int_equal(system(command), 0);
}

static inline const char *folder_file(folder *f, const char *name)
{
    snprintf(f->name, sizeof f->name, "%s/%s", f->path, name);
    return f->name;
}

/* The whole of a file, with a zero after it; to be freed. */
static inline char *folder_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    size_t count = fread(text, 1, (1 << 22) - 1, file);
    fclose(file);
    if (size)
        *size = count;
    return text;
}

static inline void folder_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline bool folder_has(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* A disk that is full after so many bytes of any file; UINT64_MAX: no longer. Writing beyond it stops in the middle
   and then fails, as it does there, with "File too large". */
static inline void folder_disk(uint64_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == UINT64_MAX ? limit.rlim_max : (rlim_t)bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline bool folder_has_full(void) /* /dev/full, where every write fails */
{
    return access("/dev/full", W_OK) == 0;
}

/* The little-endian numbers of a file. */
static inline uint32_t get_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float get_f32(const char *bytes)
{
    uint32_t bits = get_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double get_f64(const char *bytes)
{
    uint64_t bits = get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline sn_real get_real(const char *bytes)
{
    return (sn_real)(sizeof(sn_real) == 8 ? get_f64(bytes) : (double)get_f32(bytes));
}

#endif
