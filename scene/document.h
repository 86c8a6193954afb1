/* A document: records, lists, numbers, texts. It connects parsers of file formats with the code that builds scenes.
   A JSON parser (jansson in the command, the browser in the web page) builds a document with the calls below; a
   saved scene is a document that is written. Nothing here knows the syntax of JSON. */
#ifndef SN_SCENE_DOCUMENT_H
#define SN_SCENE_DOCUMENT_H

#include "scene/arena.h"
#include "scene/words.h"

/* Lists and records are nested at most this deep (the root is at 1), so that code that visits a document may
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
    const double *numbers; /* the numbers of a list of numbers alone, which has no items; never NULL for such a list */
    double number;         /* of a number; 1 or 0 of a truth value; of a list or record its depth, the root at 1 */
    const char *text;      /* of a text, zero-terminated */
    /* of an item of a list that was expanded (expand.h): its index in the file's list, plus 1; 0: it was not
       expanded */
    uint32_t source;
} sn_value;

/* The index that the i-th item of a list had in the list of the file. */
static inline uint32_t sn_value_index(const sn_value *item, uint32_t i)
{
    return item->source ? item->source - 1 : i;
}

typedef struct sn_document {
    sn_arena arena;
    sn_value *root;            /* NULL in an empty document */
    bool failed;               /* a call failed, usually for lack of memory: the document is incomplete */
    struct sn_key_table *keys; /* of large records, to find keys that exist already; NULL until there is one */
} sn_document;

/* An empty document; allocator NULL means the C library's. */
void sn_document_init(sn_document *document, const sn_allocator *allocator);

/* Frees its memory. The document is empty afterwards and can be used again. */
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

/* A list of numbers, copied. numbers NULL: zeros, which the caller fills in through *filled (filled may be NULL). */
sn_value *sn_document_numbers(sn_document *document, sn_value *parent, const char *key, uint32_t count,
                              const double *numbers, double **filled);

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The value under a key of a record; NULL if there is none or the value is not a record. */
const sn_value *sn_value_find(const sn_value *record, const char *key);

/* Describes a value for messages: "a number (2.5)", "a text ("silk")", "a list of 3", "an empty list", "a record",
   "true", "null"; "nothing" for NULL. Written to text, which is returned; a long text is cut. */
const char *sn_value_describe(const sn_value *value, char *text, size_t size);

/* ---- Editing: what --set does ------------------------------------------------------------------------------------ */

/* Puts a copy of value at a path such as world.substeps, objects[2].pins[0] or materials.silk.bend, as in error
   messages. It replaces the value there, or adds the missing keys of the path, or adds an item at the end of a list.
   On failure it returns false, the document is unchanged, and message has the reason and the step of the path that
   failed. Pointers to values that were replaced must not be used any more. */
bool sn_document_set(sn_document *document, const char *path, const sn_value *value, char *message, size_t size);

#endif
