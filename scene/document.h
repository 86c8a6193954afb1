/* A document: records, lists, numbers, texts. It stands between the parser of a file format and the code that builds
   scenes: what parses JSON (jansson in the command, the browser in the web page) builds a document with the calls
   below, and a saved scene is a document that is written. Nothing here knows JSON's syntax. */
#ifndef SN_SCENE_DOCUMENT_H
#define SN_SCENE_DOCUMENT_H

#include "scene/arena.h"
#include "scene/words.h"

/* Lists and records lie in each other at most this deep (the root is at 1), so that code that walks a document may
   recurse. */
#define SN_DOCUMENT_DEPTH 256

typedef enum sn_value_type {
    SN_VALUE_NULL,
    SN_VALUE_TRUTH,
    SN_VALUE_NUMBER,
    SN_VALUE_TEXT,
    SN_VALUE_LIST,
    SN_VALUE_RECORD
} sn_value_type;

/* One value. Read the fields freely; make and change values only through the calls below. */
typedef struct sn_value {
    sn_value_type type;
    uint32_t count;         /* items of a list or record, bytes of a text */
    const char *key;        /* its name in the record that holds it; NULL elsewhere */
    struct sn_value *next;  /* the next item of the list or record that holds it */
    struct sn_value *first; /* the items of a list or record; NULL for a list in `numbers` */
    struct sn_value *last;
    const double *numbers; /* a list that was made of numbers alone keeps them here, without items; never NULL then */
    double number;    /* of a number; 1 or 0 of a truth value; of a list or record how deep it lies, the root at 1 */
    const char *text; /* of a text, ends with a zero */
    uint32_t
        source; /* of an item of a list that was expanded (expand.h): its place in the file's list, plus 1; 0: where it is */
} sn_value;

/* The place of the i-th item of a list in the list of the file. */
static inline uint32_t sn_value_index(const sn_value *item, uint32_t i)
{
    return item->source ? item->source - 1 : i;
}

typedef struct sn_document {
    sn_arena arena;
    sn_value *root;            /* NULL in an empty document */
    bool failed;               /* a call failed, most likely for lack of memory: the document is not complete */
    struct sn_key_table *keys; /* of large records, to find a key that is already there; NULL until there is one */
} sn_document;

/* An empty document; allocator NULL means the C library's. */
void sn_document_init(sn_document *document, const sn_allocator *allocator);

/* Gives its memory back. The document is empty afterwards and can be used again. */
void sn_document_release(sn_document *document);

/* ---- Building -----------------------------------------------------------------------------------------------------
   Each adds a value at the end of parent, a list (key is not looked at) or a record (key is copied), or as the root if
   parent is NULL and there is none yet. NULL, with document->failed set, when memory runs out, when parent is neither,
   when a key is missing or already there, or beyond SN_DOCUMENT_DEPTH. After a failure all further calls fail, so a
   builder may hand NULL on as a parent and check `failed` once at the end. A list that was added with
   sn_document_numbers takes no more items. */

sn_value *sn_document_record(sn_document *document, sn_value *parent, const char *key);
sn_value *sn_document_list(sn_document *document, sn_value *parent, const char *key);
sn_value *sn_document_null(sn_document *document, sn_value *parent, const char *key);
sn_value *sn_document_truth(sn_document *document, sn_value *parent, const char *key, bool truth);
sn_value *sn_document_number(sn_document *document, sn_value *parent, const char *key, double number);
sn_value *sn_document_text(sn_document *document, sn_value *parent, const char *key, const char *text);

/* A list of numbers, copied. numbers NULL: zeros, to be filled in through what *filled gets (may be NULL). */
sn_value *sn_document_numbers(sn_document *document, sn_value *parent, const char *key, uint32_t count,
                              const double *numbers, double **filled);

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The value under a key of a record; NULL if there is none or it is no record. */
const sn_value *sn_value_find(const sn_value *record, const char *key);

/* What a message says that it found: "a number (2.5)", "a text ("silk")", "a list of 3", "an empty list", "a record",
   "true", "null"; "nothing" for NULL. Written to text, which is returned; a long text is cut. */
const char *sn_value_describe(const sn_value *value, char *text, size_t size);

/* ---- Editing: what --set does ------------------------------------------------------------------------------------ */

/* Puts a copy of value at a path such as world.substeps, objects[2].pins[0] or materials.silk.bend, replacing what was
   there or adding the keys of the path that are not there, or an item at the end of a list. The same path as in error
   messages. False, with the reason in words, naming the step of the path that failed, in message; the document is then as it was. Pointers to values that were replaced must not be used
   any more. */
bool sn_document_set(sn_document *document, const char *path, const sn_value *value, char *message, size_t size);

#endif
