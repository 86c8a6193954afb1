/* Words: the characters of texts, paths into a document, and the name that was meant. */
#ifndef SN_SCENE_WORDS_H
#define SN_SCENE_WORDS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Characters -------------------------------------------------------------------------------------------------- */

/* The bytes, 1 to 4, of the UTF-8 character at the start of a text of so many bytes; 0 if what is there is not one. */
size_t sn_utf8_length(const char *text, size_t length);

/* The largest length up to `length` at which a text can be cut without leaving half a character. */
size_t sn_utf8_cut(const char *text, size_t length);

/* How the character at the start of a text is written between double quotes: as it is, or escaped as in JSON. Bytes
   that are not UTF-8 become the replacement character. *text moves on; length must not be 0. Gives how many are
   written. */
#define SN_ESCAPE_SIZE 6
size_t sn_escape(const char **text, size_t *length, char written[SN_ESCAPE_SIZE]);

/* The other way round: the character that is written at *at, before end, plain or escaped. *at moves on. Gives its
   bytes, 0 (and does not move) if there is no character or its escape is not understood. */
size_t sn_unescape(const char **at, const char *end, char bytes[4]);

/* vsnprintf into the bytes of a message, which is cut, if it is too long, between characters. */
void sn_say(char *message, size_t size, const char *format, va_list arguments);

/* ---- Paths --------------------------------------------------------------------------------------------------------
   A path leads from the root of a document to a value: objects[2].pins[0]. A key that is not made of letters, digits, _
   and - alone stands in brackets and quotes: materials["raw silk"].bend. "" is the root. */

/* Appends a step to a path that lies in size bytes. If there is no room the path ends with "…" and further steps change
   nothing. To take a step back, cut the path at the length that it had. */
void sn_path_key(char *path, size_t size, const char *key);
void sn_path_item(char *path, size_t size, uint32_t index);

#define SN_PATH_KEY_SIZE 512

typedef struct sn_path_step {
    bool item; /* [index]; otherwise a key */
    uint32_t index;
    char key[SN_PATH_KEY_SIZE]; /* ends with a zero */
} sn_path_step;

/* Takes the next step off *path. first: it is the path's first, before which a key has no dot. False, with *path where
   it was, if there is no step or it is not understood. */
bool sn_path_next(const char **path, bool first, sn_path_step *step);

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* How many letters must be changed, added, left out or swapped to make one name of the other; case does not count, and
   '-' is '_'. SN_FAR if that is too much for the one to be meant by the other: more than a third of what was typed, or
   than 3. */
#define SN_FAR UINT32_MAX
uint32_t sn_word_distance(const char *typed, const char *name);

/* The one of count names that is nearest to what was typed, the first of equals; NULL if none is near enough to be
   meant. */
const char *sn_nearest(const char *typed, const char *const *names, uint32_t count);

#endif
