#define _FILE_OFFSET_BITS 64 /* files beyond 2 GiB, also on 32-bit systems */

#include "export/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUFFER_SIZE ((size_t)64 * 1024)

/* ---- Differences between systems --------------------------------------------------------------------------------- */

#ifdef _WIN32
#include <direct.h>
#include <io.h>

static int create_file(const char *path)
{
    return _open(path, _O_RDWR | _O_CREAT | _O_TRUNC | _O_BINARY, _S_IREAD | _S_IWRITE);
}

static int write_some(int handle, const unsigned char *bytes, size_t count)
{
    return _write(handle, bytes, (unsigned)count);
}

static int read_some(int handle, unsigned char *bytes, size_t count)
{
    return _read(handle, bytes, (unsigned)(count < INT_MAX ? count : INT_MAX));
}

static bool seek_to(int handle, uint64_t at)
{
    return _lseeki64(handle, (__int64)at, SEEK_SET) >= 0;
}

static bool shorten(int handle, uint64_t length)
{
    return _chsize_s(handle, (__int64)length) == 0;
}

static int close_file(int handle)
{
    return _close(handle);
}

static bool is_folder(const char *path)
{
    struct _stat64 about;
    return _stat64(path, &about) == 0 && (about.st_mode & _S_IFDIR);
}

static bool is_regular(int handle)
{
    struct _stat64 about;
    return _fstat64(handle, &about) == 0 && (about.st_mode & _S_IFREG);
}

static bool is_plain(const char *path)
{
    struct _stat64 about;
    return _stat64(path, &about) == 0 && (about.st_mode & _S_IFREG);
}

static int make_folder(const char *path)
{
    return _mkdir(path);
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool file_size(FILE *stream, uint64_t *length)
{
    __int64 end = _fseeki64(stream, 0, SEEK_END) == 0 ? _ftelli64(stream) : -1;
    *length = (uint64_t)end;
    return end >= 0 && _fseeki64(stream, 0, SEEK_SET) == 0;
}

#else
#include <unistd.h>

static int create_file(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static int write_some(int handle, const unsigned char *bytes, size_t count)
{
    return (int)write(handle, bytes, count); /* at most the size of the buffer, so it fits an int */
}

static int read_some(int handle, unsigned char *bytes, size_t count)
{
    return (int)read(handle, bytes, count < INT_MAX ? count : INT_MAX);
}

static bool seek_to(int handle, uint64_t at)
{
    return lseek(handle, (off_t)at, SEEK_SET) >= 0;
}

static bool shorten(int handle, uint64_t length)
{
    return ftruncate(handle, (off_t)length) == 0;
}

static int close_file(int handle)
{
    return close(handle);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_regular(int handle)
{
    struct stat about;
    return fstat(handle, &about) == 0 && S_ISREG(about.st_mode);
}

/* Whether this is a plain file. Links are not followed: their targets were not made by this program. */
static bool is_plain(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int make_folder(const char *path)
{
    return mkdir(path, 0777);
}

static bool is_separator(char c)
{
    return c == '/';
}

static bool file_size(FILE *stream, uint64_t *length)
{
    off_t end = fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : -1;
    *length = (uint64_t)end;
    return end >= 0 && fseeko(stream, 0, SEEK_SET) == 0;
}
#endif

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static bool fail(char *message, size_t size, const char *path, const char *what, int error)
{
    snprintf(message, size, "%s: %s: %s", path, what, strerror(error));
    return false;
}

char *sn_file_copy_text(const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = malloc(length);
    return copy ? memcpy(copy, text, length) : NULL;
}

static void forget(sn_file *file)
{
    free(file->path);
    free(file->buffer);
    *file = (sn_file){.handle = -1};
}

bool sn_file_open(sn_file *file, const char *path, char *message, size_t size)
{
    *file = (sn_file){.handle = -1, .path = sn_file_copy_text(path), .buffer = malloc(BUFFER_SIZE)};
    if (!file->path || !file->buffer) {
        forget(file);
        return fail(message, size, path, "cannot be opened for writing", ENOMEM);
    }
    do
        file->handle = create_file(path);
    while (file->handle < 0 && errno == EINTR);
    if (file->handle < 0) {
        int error = errno;
        forget(file);
        return fail(message, size, path, "cannot be opened for writing", error);
    }
    return true;
}

bool sn_file_close(sn_file *file, char *message, size_t size)
{
    if (!file->path) /* zeroed, or closed already */
        return true;
    if (file->length > file->kept)
        sn_file_cut(file, file->kept);
    bool closed = close_file(file->handle) == 0 || errno == EINTR;
    if (!closed)
        fail(message, size, file->path, "cannot be written to its end", errno);
    forget(file);
    return closed;
}

void sn_file_discard(sn_file *file)
{
    if (!file->path)
        return;
    bool regular = is_regular(file->handle); /* a device must not be deleted */
    close_file(file->handle);
    if (regular)
        remove(file->path);
    forget(file);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static bool write_all(sn_file *file, const unsigned char *bytes, size_t count)
{
    while (count && !file->error) {
        int done = write_some(file->handle, bytes, count);
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        } else if (done == 0) {
            file->error = ENOSPC; /* nothing was written, and the system gives no reason */
        } else if (errno != EINTR) {
            file->error = errno;
        }
    }
    return !file->error;
}

static void send_pending(sn_file *file)
{
    write_all(file, file->buffer, file->pending);
    file->pending = 0;
}

void sn_file_put(sn_file *file, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    file->length += count;
    while (count) {
        if (file->pending == BUFFER_SIZE)
            send_pending(file);
        size_t room = BUFFER_SIZE - file->pending, part = count < room ? count : room;
        memcpy(file->buffer + file->pending, from, part);
        file->pending += part;
        from += part;
        count -= part;
    }
}

void sn_file_put_text(sn_file *file, const char *text)
{
    sn_file_put(file, text, strlen(text));
}

void sn_file_put_u32(sn_file *file, uint32_t value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; ++i)
        bytes[i] = (unsigned char)(value >> 8 * i & 0xff);
    sn_file_put(file, bytes, sizeof bytes);
}

void sn_file_put_f32(sn_file *file, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_file_put_u32(file, bits);
}

void sn_file_put_f64(sn_file *file, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_file_put_u32(file, (uint32_t)(bits & 0xffffffff));
    sn_file_put_u32(file, (uint32_t)(bits >> 32));
}

void sn_file_put_real(sn_file *file, sn_real value)
{
#if SINEW_DOUBLE
    sn_file_put_f64(file, value);
#else
    sn_file_put_f32(file, value);
#endif
}

bool sn_file_keep(sn_file *file, char *message, size_t size)
{
    send_pending(file);
    if (file->error)
        return fail(message, size, file->path, "cannot be written", file->error);
    file->kept = file->length;
    return true;
}

bool sn_file_patch(sn_file *file, uint64_t at, const void *bytes, size_t count, char *message, size_t size)
{
    send_pending(file);
    if (!file->error && !seek_to(file->handle, at))
        file->error = errno;
    write_all(file, bytes, count);
    if (!file->error && !seek_to(file->handle, file->length))
        file->error = errno;
    return file->error ? fail(message, size, file->path, "cannot be written", file->error) : true;
}

bool sn_file_read(sn_file *file, uint64_t at, void *bytes, size_t count, char *message, size_t size)
{
    unsigned char *to = bytes;
    send_pending(file);
    int error = file->error ? file->error : seek_to(file->handle, at) ? 0 : errno;
    while (count && !error) {
        int done = read_some(file->handle, to, count);
        if (done > 0) {
            to += done;
            count -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            error = done == 0 ? EIO : errno;
        }
    }
    if (!seek_to(file->handle, file->length) && !error)
        error = errno;
    return error ? fail(message, size, file->path, "cannot be read", error) : true;
}

void sn_file_cut(sn_file *file, uint64_t length)
{
    file->pending = 0;
    file->error = 0;
    file->length = length;
    if (file->kept > length)
        file->kept = length;
    /* A pipe or a device cannot be shortened; this is ignored. */
    if (shorten(file->handle, length))
        seek_to(file->handle, length);
}

/* ---- Folders and reading ----------------------------------------------------------------------------------------- */

static bool make_one_folder(const char *path, char *message, size_t size)
{
    if (make_folder(path) == 0)
        return true;
    int error = errno;
    if (is_folder(path)) /* also if it cannot be made because it is a drive, or a mount that is read-only */
        return true;
    return fail(message, size, path, "cannot be made a folder", error);
}

bool sn_folder_make(const char *path, char *message, size_t size)
{
    if (!path[0]) {
        snprintf(message, size, "the name of the folder is empty");
        return false;
    }
    char *part = sn_file_copy_text(path);
    if (!part)
        return fail(message, size, path, "cannot be made a folder", ENOMEM);
    bool made = is_folder(path);
    for (size_t i = 1; !made && part[i]; ++i) {
        if (!is_separator(part[i]) || is_separator(part[i - 1]))
            continue;
        char separator = part[i];
        part[i] = 0;
        bool above = make_one_folder(part, message, size);
        part[i] = separator;
        if (!above) {
            free(part);
            return false;
        }
    }
    made = made || make_one_folder(part, message, size);
    free(part);
    return made;
}

bool sn_file_head(const char *path, void *bytes, size_t capacity, size_t *count, uint64_t *length, char *message,
                  size_t size)
{
    if (is_folder(path))
        return fail(message, size, path, "cannot be read", EISDIR);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return fail(message, size, path, "cannot be read", errno);
    errno = 0;
    bool read = file_size(stream, length);
    if (read) {
        *count = fread(bytes, 1, capacity, stream);
        read = !ferror(stream);
    }
    int error = errno;
    fclose(stream);
    return read ? true : fail(message, size, path, "cannot be read", error ? error : EIO);
}

/* ---- Files of an earlier run ------------------------------------------------------------------------------------- */

/* Whether a file name has the form NAME_0001.ENDING. */
static bool is_numbered(const char *file, const char *name, size_t digits, const char *ending)
{
    size_t length = strlen(name);
    if (strncmp(file, name, length) != 0 || file[length] != '_')
        return false;
    const char *number = file + length + 1;
    size_t count = strspn(number, "0123456789");
    return count >= digits && number[count] == '.' && strcmp(number + count + 1, ending) == 0;
}

static bool has_mark(const char *path, const char *mark)
{
    char head[1025], unused[256];
    size_t count = 0;
    uint64_t length;
    if (!is_plain(path) || !sn_file_head(path, head, sizeof head - 1, &count, &length, unused, sizeof unused))
        return false;
    head[count] = 0;
    return strstr(head, mark) != NULL;
}

bool sn_files_remove_numbered(const char *folder, const char *name, size_t digits, const char *ending, const char *mark,
                              char *message, size_t size)
{
    bool good = true;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; good && directory && (entry = readdir(directory)) != NULL;) {
        if (!is_numbered(entry->d_name, name, digits, ending))
            continue;
        size_t room = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(room);
        if (!path) {
            good = fail(message, size, folder, "cannot be cleared of earlier frames", ENOMEM);
            break;
        }
        snprintf(path, room, "%s/%s", folder, entry->d_name);
        if (has_mark(path, mark) && remove(path) != 0)
            good = fail(message, size, path, "is of an earlier run and cannot be removed", errno);
        free(path);
    }
    if (directory)
        closedir(directory);
    return good;
}

/* ---- Numbers as text --------------------------------------------------------------------------------------------- */

/* Replaces the decimal point of the locale, which may have several bytes, by '.': it is whatever is not otherwise
   part of a number. Returns the new length. */
static size_t plain_point(char *text)
{
    size_t length = 0;
    for (const char *from = text; *from;) {
        if (strchr("0123456789+-einfa", *from)) {
            text[length++] = *from++;
            continue;
        }
        text[length++] = '.';
        while (*from && !strchr("0123456789e", *from))
            ++from;
    }
    text[length] = 0;
    return length;
}

/* Writes infinities and NaN; false for finite values. The sign and bits of a NaN are not written. */
static bool is_special(char *text, double value)
{
    if (isfinite(value))
        return false;
    memcpy(text, isnan(value) ? "nan\0" : value > 0 ? "inf\0" : "-inf", 5);
    return true;
}

size_t sn_number_f32(char text[SN_NUMBER_TEXT], float value)
{
    if (is_special(text, (double)value))
        return strlen(text);
    snprintf(text, SN_NUMBER_TEXT, "%.6g", (double)value);
    if (strtof(text, NULL) != value)
        snprintf(text, SN_NUMBER_TEXT, "%.9g", (double)value);
    return plain_point(text);
}

size_t sn_number_f64(char text[SN_NUMBER_TEXT], double value)
{
    if (is_special(text, value))
        return strlen(text);
    snprintf(text, SN_NUMBER_TEXT, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, SN_NUMBER_TEXT, "%.17g", value);
    return plain_point(text);
}

size_t sn_number_real(char text[SN_NUMBER_TEXT], sn_real value)
{
#if SINEW_DOUBLE
    return sn_number_f64(text, value);
#else
    return sn_number_f32(text, value);
#endif
}
