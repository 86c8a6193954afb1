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

/* The place of the byte at an offset. */
sn_place sn_json_place(const char *text, size_t length, size_t offset);

/* Where the value of a path (objects[2].pins[0]; "" is the whole) begins in a text that sn_json_read accepted; if the
   path names a key or item that is not there, where the value that should hold it begins. {0, 0} if the text cannot be
   followed. With key set, the place of the path's last key instead of its value. Scans the text: meant for error
   messages. */
sn_place sn_json_locate(const char *text, size_t length, const char *path, bool key);

/* Writes a value as JSON: indented, with short records and lists on one line, numbers with as many digits as sn_real
   needs to come back the same (9, or 17 in a double build), whole numbers without a fraction. Or in one line, for
   streams. Both end with a newline and flush. False when the stream has an error. NaN and infinities become null. Takes
   no memory. */
bool sn_json_write(FILE *file, const sn_value *value);
bool sn_json_write_line(FILE *file, const sn_value *value);

/* A number as it is written there. Gives its length; a zero follows. */
#define SN_NUMBER_SIZE 32
size_t sn_json_number(double number, char text[SN_NUMBER_SIZE]);

#endif
