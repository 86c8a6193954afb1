/* Records: tables of the keys that a record of a scene file can have.

   Such a table is the only description of a part of the format. The reader fills a struct from it and refuses keys
   that it does not have, the writer writes a struct by it, and the JSON Schema, the reference in docs/ and "did you
   mean" come from it. Defaults are not in the table but in the struct that `defaults` fills; for the engine's own
   settings these are from sn_default_world_def(). */
#ifndef SN_SCENE_RECORD_H
#define SN_SCENE_RECORD_H

#include "scene/document.h"
#include "scene/problems.h"

#include <sinew/scene_objects.h>

typedef enum sn_key_type {
    SN_KEY_REAL,    /* sn_real. A default that is NaN means "not given"; an infinite one stands for "no limit" */
    SN_KEY_COUNT,   /* uint32_t: a whole number, 0 or more. A default of UINT32_MAX means "not given" */
    SN_KEY_TRUTH,   /* bool */
    SN_KEY_TEXT,    /* const char *: a text, NULL when not given */
    SN_KEY_CHOICE,  /* an enum of the size of an unsigned int: one of the names in `of`, an sn_choices */
    SN_KEY_VECTOR,  /* sn_vec3: a list of three numbers, in 2D or of two. NaN in x means "not given" */
    SN_KEY_RECORD,  /* a struct in place, described by `of`, an sn_record */
    SN_KEY_RECORDS, /* sn_list_of: a list of records, described by `of` */
    SN_KEY_REALS,   /* sn_numbers: a list of numbers, which lives as long as the document */
    SN_KEY_VALUE    /* const sn_value *: any value, NULL when not given; its reader is written by hand. `of` is the name
                    (const char *) of its definition in the schema */
} sn_key_type;

/* Names of the values 0, 1, 2 ... of an enum. */
typedef struct sn_choices {
    uint32_t count;
    const char *const *name;
    const char *const *about; /* one sentence each; may be NULL */
} sn_choices;

typedef struct sn_list_of {
    uint32_t count;
    void *items; /* structs, one after the other */
} sn_list_of;

enum {
    SN_KEY_REQUIRED = 1, /* must be given */
    SN_KEY_POSITIVE = 2, /* more than 0 */
    SN_KEY_NOT_SAVED = 4 /* not written */
};

typedef struct sn_key {
    const char *name; /* NULL ends the list */
    sn_key_type type;
    size_t offset;      /* in the struct */
    const char *unit;   /* "m", "kg"; NULL for what has none */
    double least, most; /* of a number, or of each number of a list or vector; both 0: any finite number */
    unsigned flags;
    const void *of;
    const char *about; /* one sentence, without a full stop */
} sn_key;

typedef struct sn_record {
    const char *name; /* its name in the schema: "world", "rope" */
    const char *about;
    size_t size; /* of the struct */
    const sn_key *keys;
    void (*defaults)(void *record);
} sn_record;

/* A reader: the path that it has reached, and where its results and problems go. */
typedef struct sn_reader {
    sn_arena *arena; /* for lists of records and copies of texts, which live as long as the arena */
    sn_problems *problems;
    uint32_t dimensions;    /* of the world; 3: a vector of two numbers is refused; 0: unknown, it is not */
    struct sn_doubt *doubt; /* names of things that could not be read; */
    bool doubts_numbers;    /* some object could not be read: numbers of particles and generated names are doubtful */
    char path[512];
} sn_reader;

void sn_reader_init(sn_reader *reader, sn_arena *arena, sn_problems *problems);

/* Append a key or an item to the path. They return the previous length, with which sn_reader_leave goes back. */
size_t sn_reader_enter_key(sn_reader *reader, const char *key);
size_t sn_reader_enter_item(sn_reader *reader, uint32_t index);
void sn_reader_leave(sn_reader *reader, size_t length);

/* Reports an error at the present path. Returns false, so that callers can return it. */
bool sn_reader_fail(sn_reader *reader, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The same, with a key appended to the path. */
bool sn_reader_fail_key(sn_reader *reader, const char *key, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* After an error, reading goes on, so that all mistakes are reported at once. A reference to something that could
   not be read is no mistake of its own. So names in the value that failed, of a record with a name, or of one under
   a key, become doubtful. sn_reader_doubts: whether a name that is not found is doubtful; if so, it is not reported. */
void sn_reader_doubt(sn_reader *reader, const sn_value *failed);
bool sn_reader_doubts(const sn_reader *reader, const char *name);

/* Reports an error about a value: "found ..., expected ...". */
bool sn_reader_expected(sn_reader *reader, const sn_value *found, const char *expected);

/* Fills count structs from one record, each by its own table (an object has the keys of all objects, and those of
   its type). All are set to their defaults first; with value NULL nothing else happens, unless a key is required.
   All problems are reported, not only the first; false if there was an error. */
bool sn_record_read(sn_reader *reader, const sn_value *value, uint32_t count, const sn_record *const *tables,
                    void *const *structs);
bool sn_record_read_one(sn_reader *reader, const sn_value *value, const sn_record *table, void *out);

/* Checks a struct that was filled in code: finite numbers in the ranges of the table, and valid choices. A value
   equal to its default is always accepted. */
bool sn_record_check(sn_reader *reader, const sn_record *table, const void *in);

/* Read single values, for code without a table. what describes the range in words, or is NULL. */
bool sn_read_real(sn_reader *reader, const sn_value *value, sn_real *out);
bool sn_read_count(sn_reader *reader, const sn_value *value, uint32_t *out);
bool sn_read_vector(sn_reader *reader, const sn_value *value, sn_vec3 *out);
bool sn_read_text(sn_reader *reader, const sn_value *value, const char **out);

/* The numbers of a list; NULL, without an error, if the value is not a list of numbers only. */
const double *sn_value_numbers(const sn_value *value, uint32_t *count);

/* Writes the keys of a struct that differ from their defaults into a record of a document. Keys of the type
   SN_KEY_VALUE are not written. */
void sn_record_write(sn_document *document, sn_value *record, const sn_record *table, const void *in);

/* Writes "; did you mean 'x'?" if a name is similar, else "". Returns text. */
const char *sn_did_you_mean(const char *typed, const char *const *names, uint32_t count, char *text, size_t size);

/* The same, but "; there are x, y, z" if none is similar. */
const char *sn_meant_or_all(const char *typed, const char *const *names, uint32_t count, char *text, size_t size);

#endif
