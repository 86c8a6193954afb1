/* A file that grows frame by frame and is valid at any time: what was kept stays, and what was added since can be
   cut off. Numbers are little-endian on every machine; text is the same in every locale. */
#ifndef SN_EXPORT_FILE_H
#define SN_EXPORT_FILE_H

#include <sinew/sinew.h>

typedef struct sn_file {
    char *path;
    int handle;      /* of the operating system; -1: closed */
    int error;       /* errno of the first failure since the last cut; 0: none */
    uint64_t length; /* in bytes, including those in the buffer */
    uint64_t kept;   /* its length at the last sn_file_keep */
    size_t pending;  /* bytes in the buffer */
    unsigned char
        *buffer; /* no stdio: after a failure it would try again to write its buffer when the file is closed */
} sn_file;

/* Creates the file, or empties it. False, with the file's name and the system's error in message. */
bool sn_file_open(sn_file *file, const char *path, char *message, size_t size);

/* Append data. A failure is stored and reported by sn_file_keep, so that writers need not check every number. */
void sn_file_put(sn_file *file, const void *bytes, size_t count);
void sn_file_put_text(sn_file *file, const char *text);
void sn_file_put_u32(sn_file *file, uint32_t value);
void sn_file_put_f32(sn_file *file, float value);
void sn_file_put_f64(sn_file *file, double value);
void sn_file_put_real(sn_file *file, sn_real value); /* as float or double, the type of sn_real */

/* Writes the buffer, and keeps everything. False, with the reason in message, if something could not be written
   since the last call; the caller then cuts the file back. */
bool sn_file_keep(sn_file *file, char *message, size_t size);

/* Replaces bytes that are already kept. */
bool sn_file_patch(sn_file *file, uint64_t at, const void *bytes, size_t count, char *message, size_t size);

/* Reads bytes that are already kept. */
bool sn_file_read(sn_file *file, uint64_t at, void *bytes, size_t count, char *message, size_t size);

/* Cuts the file after this many bytes, and clears a stored failure. */
void sn_file_cut(sn_file *file, uint64_t length);

/* Cuts what was not kept, and closes the file. A closed file, or one that is zeroed and was never opened, is
   accepted. */
bool sn_file_close(sn_file *file, char *message, size_t size);

/* The same, and deletes it. */
void sn_file_discard(sn_file *file);

/* Makes a folder, and those above it; true if it exists already. */
bool sn_folder_make(const char *path, char *message, size_t size);

/* Removes from a folder the files NAME_0000.ENDING, with numbers of at least so many digits, if they are plain files
   and have mark in their first kilobyte. Other files are kept. False, with the file and the system's error, if a
   file cannot be removed. */
bool sn_files_remove_numbered(const char *folder, const char *name, size_t digits, const char *ending, const char *mark,
                              char *message, size_t size);

/* For readers: the first bytes of a file, at most capacity, and the size of the file. */
bool sn_file_head(const char *path, void *bytes, size_t capacity, size_t *count, uint64_t *length, char *message,
                  size_t size);

/* A copy of a text, to be freed; NULL if memory runs out. */
char *sn_file_copy_text(const char *text);

/* Writes a number as text that is read as the same number, with a point and never a comma: the shortest such text
   with few digits (6 or 15), otherwise all digits (9 or 17). Returns the length. */
#define SN_NUMBER_TEXT 40
size_t sn_number_f32(char text[SN_NUMBER_TEXT], float value);
size_t sn_number_f64(char text[SN_NUMBER_TEXT], double value);
size_t sn_number_real(char text[SN_NUMBER_TEXT], sn_real value);

#endif
