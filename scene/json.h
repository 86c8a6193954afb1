/* JSON: text to document and back. json_read.c needs jansson; the rest does not. */
#ifndef SN_SCENE_JSON_H
#define SN_SCENE_JSON_H

#include "scene/document.h"

#include <stdio.h>

/* A place in a text. line and column count from 1; 0 is unknown. */
typedef struct sn_place {
    uint32_t line;
    uint32_t column; /* in characters */
} sn_place;

/* Parses a text of so many bytes, in UTF-8 with or without a byte order mark, into an empty document. Duplicate keys,
   numbers that are not finite, integers beyond 2^53, texts with a zero inside and nesting beyond SN_DOCUMENT_DEPTH are
   errors. Lists of numbers alone become lists in `numbers`, empty ones do not. False, with the reason and place ({0, 0}
   if there is none to name), and the document is empty again. place may be NULL. */
bool sn_json_read(sn_document *document, const char *text, size_t length, sn_place *place, char *message, size_t size);

/* The line and column of the byte at an offset. */
sn_place sn_json_place(const char *text, size_t length, size_t offset);

/* Where the value of a path (objects[2].pins[0]; "" is the whole) begins in a text that sn_json_read accepted. If
   the path names a key or item that does not exist, the place is that of the value that should hold it. {0, 0} if
   the text cannot be followed. With key set, the place of the path's last key instead of its value. It scans the
   text, so it is meant for error messages. */
sn_place sn_json_locate(const char *text, size_t length, const char *path, bool key);

/* sn_json_write writes a value as JSON: indented, with short records and lists on one line, numbers with as many
   digits as are needed to read the same sn_real again (9, or 17 in a double build), whole numbers without a
   fraction. sn_json_write_line writes it on one line, for streams. Both end with a newline and flush. False when the
   stream has an error. NaN and infinities become null. No memory is allocated. */
bool sn_json_write(FILE *file, const sn_value *value);
bool sn_json_write_line(FILE *file, const sn_value *value);

/* Formats a number as sn_json_write does. Returns its length; a zero follows. */
#define SN_NUMBER_SIZE 32
size_t sn_json_number(double number, char text[SN_NUMBER_SIZE]);

#endif
