/* Records: tables that say which keys a record of a scene file has.

   Such a table is the only description of a part of the format. The reader fills a struct from it and refuses what it does
   not name, the writer writes a struct by it, and the JSON Schema, the reference in docs/ and "did you mean" come from it.
   Defaults are not in the table but in the struct that `defaults` fills, which for the engine's own settings is what
   sn_default_world_def() says. */
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
    SN_KEY_VALUE /* const sn_value *: anything, NULL when not given; read by hand. `of` is the name (const char *) of the
                       definition in the schema that describes it */
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
    SN_KEY_NOT_SAVED = 4 /* the writer leaves it out */
};

typedef struct sn_key {
    const char *name; /* NULL ends the list */
    sn_key_type type;
    size_t offset;      /* in the struct */
    const char *unit;   /* "m", "kg"; NULL for what has none */
    double least, most; /* of a number or of each number of a list or vector; both 0: any finite one */
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

/* Where a reader is. */
typedef struct sn_reader {
    sn_arena *arena; /* for lists of records and copies of texts, which live as long as it does */
    sn_problems *problems;
    uint32_t dimensions;    /* of the world: a vector of two numbers is refused in 3; 0: not known, it is not */
    struct sn_doubt *doubt; /* names of what could not be read, */
    bool doubts_numbers;    /*   and numbers of particles, which some of that would have had */
    char path[512];
} sn_reader;

void sn_reader_init(sn_reader *reader, sn_arena *arena, sn_problems *problems);

/* Steps into a key or an item, and back to where the path had the length that stepping in gave. */
size_t sn_reader_enter_key(sn_reader *reader, const char *key);
size_t sn_reader_enter_item(sn_reader *reader, uint32_t index);
void sn_reader_leave(sn_reader *reader, size_t length);

/* Writes an error down at the present path; false, so that callers can return it. */
bool sn_reader_fail(sn_reader *reader, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The same, one key further. */
bool sn_reader_fail_key(sn_reader *reader, const char *key, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* After an error, reading goes on, so that everything that is wrong is said at once. What names something that could not be read
   is not wrong for that: the value that failed, a record with a name, or one under a key, is doubtful from now on. A
   name that is not found is looked up among the doubtful ones before it is called an error. */
void sn_reader_doubt(sn_reader *reader, const sn_value *failed);
bool sn_reader_doubts(const sn_reader *reader, const char *name);

/* "found ..., expected ...": an error about a value. */
bool sn_reader_expected(sn_reader *reader, const sn_value *found, const char *expected);

/* Fills count structs from one record, each by its table (an object has the keys that all objects have, and its own). All
   are set to their defaults first; value NULL leaves it at that, unless a key is required. Every problem is written down
   before it returns, not only the first; false if there was an error. */
bool sn_record_read(sn_reader *reader, const sn_value *value, uint32_t count, const sn_record *const *tables,
                    void *const *structs);
bool sn_record_read_one(sn_reader *reader, const sn_value *value, const sn_record *table, void *out);

/* Checks a struct that was filled in code: numbers finite and in the ranges of the table, choices that exist. What equals
   its default is fine. */
bool sn_record_check(sn_reader *reader, const sn_record *table, const void *in);

/* Single values, for what is read by hand. what names the range in words or is NULL. */
bool sn_read_real(sn_reader *reader, const sn_value *value, sn_real *out);
bool sn_read_count(sn_reader *reader, const sn_value *value, uint32_t *out);
bool sn_read_vector(sn_reader *reader, const sn_value *value, sn_vec3 *out);
bool sn_read_text(sn_reader *reader, const sn_value *value, const char **out);

/* Numbers of a list; NULL (and no error written) if it is not a list of numbers alone. */
const double *sn_value_numbers(const sn_value *value, uint32_t *count);

/* Writes the keys of a struct that differ from their defaults into a record of a document. Values (SN_KEY_VALUE) are not
   written. */
void sn_record_write(sn_document *document, sn_value *record, const sn_record *table, const void *in);

/* "; did you mean 'x'?" if a name is near, else "". Written to text. */
const char *sn_did_you_mean(const char *typed, const char *const *names, uint32_t count, char *text, size_t size);

/* The same, but if none is near "; there are x, y, z". */
const char *sn_meant_or_all(const char *typed, const char *const *names, uint32_t count, char *text, size_t size);

#endif
