/* Shared by the readers of OBJ and PLY: words, numbers, faces, messages. Private to scene/mesh_*.c and their tests. */
#ifndef SN_SCENE_MESH_READ_H
#define SN_SCENE_MESH_READ_H

#include "scene/mesh.h"

#include <inttypes.h>

#if defined(__GNUC__)
#define SN_FORMAT_LIKE(text, rest) __attribute__((format(printf, text, rest)))
#else
#define SN_FORMAT_LIKE(text, rest)
#endif

/* ---- Words (mesh_scan.c) ----------------------------------------------------------------------------------------- */

/* A position in a text that need not end with a zero. Lines end with LF, CR LF or CR. */
typedef struct sn_scan {
    const char *at, *end;
    uint64_t line; /* counted from 1 */
    bool joins;    /* a backslash before the end of a line joins it with the next */
    bool cr_alone; /* CR is a whole line end, even before LF */
} sn_scan;

typedef struct sn_word {
    const char *at;
    size_t length;
    uint64_t line;
} sn_word;

/* The next word of the line; false at its end. */
bool sn_scan_word(sn_scan *scan, sn_word *word);

/* Moves to the beginning of the next line; a backslash joins nothing here. False at the end of the text. */
bool sn_scan_next_line(sn_scan *scan);

bool sn_word_is(const sn_word *word, const char *text);

/* The word in quotation marks, shortened, with a question mark for each character that cannot be printed. */
#define SN_QUOTE_SIZE 48
const char *sn_word_quote(const sn_word *word, char text[SN_QUOTE_SIZE]);

/* ---- Numbers (mesh_scan.c) --------------------------------------------------------------------------------------- */

/* Each returns NULL, or the mistake in the word: "is not a number". */
const char *sn_word_real(const sn_word *word, sn_real *value);
const char *sn_word_integer(const sn_word *word, int64_t *value);

/* The same for a number that is already a double. */
const char *sn_real_from(double number, sn_real *value);

/* ---- The reader (mesh_read.c) ------------------------------------------------------------------------------------ */

typedef struct sn_mesh_reader {
    const char *text;
    size_t size;
    sn_arena *arena;  /* for the mesh */
    sn_arena scratch; /* for the time of reading only */
    sn_mesh mesh;     /* its counts say how much has been read so far */
    sn_mesh_notes notes;
    uint32_t vertex_total; /* how many vertices the file has */

    uint32_t *seen;        /* for each vertex, the number of the last face that uses it, counted from 1 */
    uint32_t face;         /* the number of the current face */
    uint32_t corner_count; /* corners that the current face has so far */
    uint32_t first, last;  /* of the current face's corners */

    char *message;
    size_t message_size;
} sn_mesh_reader;

/* Writes the message. Returns false, so that callers can `return sn_mesh_fail(...)`. */
bool sn_mesh_fail(sn_mesh_reader *reader, const char *format, ...) SN_FORMAT_LIKE(2, 3);
bool sn_mesh_fail_memory(sn_mesh_reader *reader, uint64_t count, const char *things);

/* Allocates room for so many; false, with a message, when memory runs out or a mesh cannot hold them. Vertices come
   first. */
bool sn_mesh_take_vertices(sn_mesh_reader *reader, uint64_t count);
bool sn_mesh_take_triangles(sn_mesh_reader *reader, uint64_t count);
bool sn_mesh_take_lines(sn_mesh_reader *reader, uint64_t count);

/* Adds a face, corner by corner; from the third on each corner makes a triangle. False if the face has the corner
   already. */
void sn_mesh_face_begin(sn_mesh_reader *reader);
bool sn_mesh_face_corner(sn_mesh_reader *reader, uint32_t vertex);
void sn_mesh_face_end(sn_mesh_reader *reader);

bool sn_mesh_read_obj(sn_mesh_reader *reader);
bool sn_mesh_read_ply(sn_mesh_reader *reader);

#endif
