/* Reading files, after a look at their types and sizes. This is the one place that decides which files a scene, or a
   page, may read. */
#ifndef SN_SCENE_FOLDER_H
#define SN_SCENE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file that the user named, whole, into a block of malloc with a zero after its end. "-" is standard input.
   Pipes and terminals are read, too. NULL, with the reason in message, for a folder, a device, a file of more than
   `most` bytes, or one that cannot be read. plain: the name is from a file, not from the user, so that only a plain
   file is read; a pipe could block for ever. */
char *sn_read_path(const char *path, bool plain, uint64_t most, size_t *length, char *message, size_t size);

typedef struct sn_folder sn_folder;

/* The folder in which a file lies ("-": the current folder), or, if path ends with a slash, the folder itself.
   anywhere: all files may be read, also those outside. NULL when memory runs out. sn_folder_release frees it; NULL
   is ignored. */
sn_folder *sn_folder_of(const char *path, bool anywhere);
void sn_folder_release(sn_folder *folder);

/* Opens a plain file of the folder, or of a folder inside it, for reading. Names that contain "..", absolute names
   and links that lead outside are refused; the answer to a refused name is the same whether or not such a file
   exists. -1, with the reason in message. */
int sn_folder_open(const sn_folder *folder, const char *name, uint64_t most, uint64_t *length, char *message,
                   size_t size);

/* Reads such a file, with a result as of sn_read_path. */
char *sn_folder_read(const sn_folder *folder, const char *name, uint64_t most, size_t *length, char *message,
                     size_t size);

#endif
