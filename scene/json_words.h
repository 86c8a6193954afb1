/* Messages for texts that are not JSON. Two readers share them: that of the command (json_read.c, with jansson) and
   that of the web package (web/glue/json_read.c). */
#ifndef SN_SCENE_JSON_WORDS_H
#define SN_SCENE_JSON_WORDS_H

#include "scene/json.h"

/* Texts that a message quotes are cut at this many bytes. */
#define SN_QUOTE_LENGTH 40

/* Integers up to here in magnitude are exact in a double. */
#define SN_INTEGER_LIMIT ((int64_t)1 << 53)

/* A text that is being read, and where messages about it are written. */
typedef struct sn_json_text {
    const char *text;
    size_t length;
    sn_place *place;
    char *message;
    size_t size;
} sn_json_text;

/* A piece of the text for a message. Control characters are escaped: messages go to terminals. */
typedef struct sn_excerpt {
    char text[SN_QUOTE_LENGTH + SN_ESCAPE_SIZE + 4];
} sn_excerpt;

/* Writes the message. Returns false, so that callers can return it. */
bool sn_json_fail(const sn_json_text *of, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Sets the place of the message to that of the byte at an offset. */
void sn_json_set_offset(const sn_json_text *of, size_t offset);

/* Whether the bytes are UTF-8 without zeros. */
bool sn_json_check_bytes(const sn_json_text *of);

sn_excerpt sn_json_quote(const char *text, size_t length);
bool sn_json_is_one_of(char c, const char *set);

/* The length of the word, number or sign at an offset, as a reader of the text would see it. */
size_t sn_json_word_length(const sn_json_text *of, size_t start);

/* The last byte before an offset that is not space; 0 if there is none. */
char sn_json_byte_before(const sn_json_text *of, size_t offset);

/* Writes a message about what is found in place of a value or key. The place is not set. */
bool sn_json_explain_token(const sn_json_text *of, size_t start, const char *expected);

/* The mistakes that a quoted text can have. */
typedef enum sn_json_flaw {
    SN_JSON_LINE_BREAK,
    SN_JSON_CONTROL,
    SN_JSON_ESCAPE,
    SN_JSON_HALF_PAIR,
    SN_JSON_ZERO,
    SN_JSON_OPEN
} sn_json_flaw;

bool sn_json_explain_flaw(const sn_json_text *of, sn_json_flaw flaw, size_t offset);

/* The text ends where something else was expected. */
bool sn_json_explain_end(const sn_json_text *of, const char *expected);

bool sn_json_explain_depth(const sn_json_text *of);
bool sn_json_explain_duplicate(const sn_json_text *of, size_t start, size_t end);
bool sn_json_explain_rest(const sn_json_text *of, size_t start);
bool sn_json_explain_number(const sn_json_text *of, bool integer, size_t start, size_t end);

#endif
