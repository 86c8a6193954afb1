/* The characters of texts, paths into a document, and similar names. */
#ifndef SN_SCENE_WORDS_H
#define SN_SCENE_WORDS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Characters -------------------------------------------------------------------------------------------------- */

/* The length in bytes, 1 to 4, of the UTF-8 character at the start of a text; 0 if there is none. */
size_t sn_utf8_length(const char *text, size_t length);

/* The largest length up to `length` at which a text can be cut without splitting a character. */
size_t sn_utf8_cut(const char *text, size_t length);

/* Writes the character at the start of a text as between double quotes: as it is, or escaped as in JSON. Bytes that
   are not UTF-8 become the replacement character. *text moves on; length must not be 0. Returns the number of bytes
   written. */
#define SN_ESCAPE_SIZE 6
size_t sn_escape(const char **text, size_t *length, char written[SN_ESCAPE_SIZE]);

/* The reverse: reads the character that is written at *at, before end, plain or escaped, and moves *at on. Returns
   its length in bytes; 0, without moving, if there is no character or its escape is invalid. */
size_t sn_unescape(const char **at, const char *end, char bytes[4]);

/* vsnprintf into a message. A message that is too long is cut between characters. */
void sn_say(char *message, size_t size, const char *format, va_list arguments);

/* ---- Paths --------------------------------------------------------------------------------------------------------
   A path leads from the root of a document to a value: objects[2].pins[0]. A key that is not made of letters, digits, _
   and - alone stands in brackets and quotes: materials["raw silk"].bend. "" is the root. */

/* Appends a step to a path in a buffer of size bytes. If there is no room the path ends with "…" and further steps
   change nothing. To remove a step, cut the path at its earlier length. */
void sn_path_key(char *path, size_t size, const char *key);
void sn_path_item(char *path, size_t size, uint32_t index);

#define SN_PATH_KEY_SIZE 512

typedef struct sn_path_step {
    bool item; /* [index]; otherwise a key */
    uint32_t index;
    char key[SN_PATH_KEY_SIZE]; /* zero-terminated */
} sn_path_step;

/* Removes the next step from the beginning of *path. first: the first step of a path, a key without a dot before it.
   False, with *path unchanged, if there is no valid step. */
bool sn_path_next(const char **path, bool first, sn_path_step *step);

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* The number of letters to change, add, leave out or swap to make one name of the other; case does not count, and
   '-' is equal to '_'. SN_FAR if that is more than a third of the typed name, or more than 3: the names are then not
   similar. */
#define SN_FAR UINT32_MAX
uint32_t sn_word_distance(const char *typed, const char *name);

/* The most similar of count names, the first of equals; otherwise the first that begins with what was typed, if that
   is SN_BEGINNING letters or more; NULL if there is none. */
enum { SN_BEGINNING = 3 };
const char *sn_nearest(const char *typed, const char *const *names, uint32_t count);

#endif
