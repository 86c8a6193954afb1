/* The C side of the npm package: flat functions over the public API and over scene/. Only web/package/sinew.js calls
   them. It checks types first; other errors are reported with the engine's messages. Arrays of numbers to and from
   JavaScript are doubles in memory from web_take. */
#ifndef SN_WEB_GLUE_H
#define SN_WEB_GLUE_H

#include "scene/load.h"

#if defined(__wasm__)
#define WEB(name) __attribute__((export_name(#name)))
#else
#define WEB(name)
#endif

/* A file that a scene may name. */
typedef struct web_file {
    char *name;
    char *bytes;
    size_t size;
    struct web_file *next;
} web_file;

typedef struct web_pool web_pool;

/* Shared by all worlds of an instance. */
typedef struct web_engine {
    char *text; /* the last result that is a text: JSON (saved scenes: indented JSON) */
    size_t length;
    web_file *files; /* for the next scene that is loaded */
    web_pool *pool;  /* NULL: one thread */
} web_engine;

/* Arrays with a number per particle or body, computed on request. */
typedef enum web_array_of {
    WEB_POSITIONS,
    WEB_VELOCITIES,
    WEB_INVERSE_MASSES,
    WEB_RADII,
    WEB_BODY_POSES,
    WEB_LINKS,        /* integers, two per link */
    WEB_TIES,         /* ten each: of both ends the type (0 particle, 1 body, 2 point), number, position */
    WEB_DRAWN_POINTS, /* of debug drawing: position, radius, colour */
    WEB_DRAWN_LINES,  /* two positions, colour */
    WEB_TEARS,        /* tears */
    WEB_CHANGES,      /* changes of triangles */
    WEB_MESH,         /* triangles and lines of an object */
    WEB_ARRAY_COUNT
} web_array_of;

typedef struct web_array {
    void *data;
    size_t count, capacity; /* items of 4 bytes */
} web_array;

typedef struct web_world {
    web_engine *engine;
    char *name;
    sn_loaded loaded;
    sn_scene *scene;
    sn_world *world;
    web_array array[WEB_ARRAY_COUNT];
} web_world;

/* ---- Text results (engine.c) ------------------------------------------------------------------------------------- */

/* Makes a value, or a text, the engine's result. for_people: indented. False when memory runs out. */
bool web_answer(web_engine *engine, const sn_value *value, bool for_people);

/* The same for problems: a list of records. loaded NULL: they have no places. */
bool web_answer_problems(web_engine *engine, const sn_loaded *loaded, const sn_problems *problems, const char *name);

/* Makes room for so many numbers; NULL when memory runs out. */
void *web_array_take(web_array *array, size_t count);

/* ---- Threads (pool.c) -------------------------------------------------------------------------------------------- */

/* The task hook that runs loops on the pool's threads; without a pool all zero, the built-in way. */
sn_tasks web_pool_tasks(web_pool *pool);

#endif
