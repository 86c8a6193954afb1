/* Reading files: what they are and how large is looked at first. And the folder that a scene, or a page, may read, which is the
   one place that decides what lies in it. */
#ifndef SN_SCENE_FOLDER_H
#define SN_SCENE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file that the user named, whole, into a block of malloc with a zero after its end. "-" is standard input. Pipes and
   terminals are read, too. NULL, with the reason in message, of what is a folder, a device, larger than most bytes, or cannot
   be read. plain: a file names it, not the user, so only a plain file is read; a pipe would wait for ever. */
char *sn_read_path(const char *path, bool plain, uint64_t most, size_t *length, char *message, size_t size);

typedef struct sn_folder sn_folder;

/* The folder in which a file lies ("-": the present one), or, with a slash at its end, the folder itself. anywhere: all files
   may be read, also those outside. NULL when memory runs out. Release it with sn_folder_release; NULL is fine. */
sn_folder *sn_folder_of(const char *path, bool anywhere);
void sn_folder_release(sn_folder *folder);

/* Opens a plain file of the folder, or of one that lies in it, for reading. Names that go up, start at the root or are links
   that lead out of it are refused, and a name that is refused gets the same answer whether there is such a file or not. -1,
   with the reason in message. */
int sn_folder_open(const sn_folder *folder, const char *name, uint64_t most, uint64_t *length, char *message,
                   size_t size);

/* The same as sn_read_path does it. */
char *sn_folder_read(const sn_folder *folder, const char *name, uint64_t most, size_t *length, char *message,
                     size_t size);

#endif
