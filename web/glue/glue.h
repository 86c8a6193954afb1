/* The C side of the npm package: flat functions over the public API and over scene/. web/package/sinew.js is the only one who calls
   them, and checks types before it does; what the engine refuses is told as the engine tells it. Numbers that JavaScript hands over in
   bulk, and gets, are doubles in memory that it took with web_take. */
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

/* What all worlds of an instance share. */
typedef struct web_engine {
    char *text; /* the last answer that is a text: JSON, but for the saved scenes, which are JSON for people */
    size_t length;
    web_file *files; /* for the scene that is about to be loaded */
    web_pool *pool;  /* NULL: one thread */
} web_engine;

/* Numbers by particle or body, put in order when they are asked for. */
typedef enum web_array_of {
    WEB_POSITIONS,
    WEB_VELOCITIES,
    WEB_INVERSE_MASSES,
    WEB_RADII,
    WEB_BODY_POSES,
    WEB_LINKS,        /* whole numbers, two a link */
    WEB_DRAWN_POINTS, /* of debug drawing: place, radius, colour */
    WEB_DRAWN_LINES,  /*   two places, colour */
    WEB_TEARS,        /* what came apart */
    WEB_CHANGES,      /* of triangles */
    WEB_MESH,         /* triangles and lines of an object */
    WEB_ARRAY_COUNT
} web_array_of;

typedef struct web_array {
    void *data;
    size_t count, capacity; /* numbers of 4 bytes */
} web_array;

typedef struct web_world {
    web_engine *engine;
    char *name;
    sn_loaded loaded;
    sn_scene *scene;
    sn_world *world;
    web_array array[WEB_ARRAY_COUNT];
} web_world;

/* ---- Answers in words (engine.c) --------------------------------------------------------------------------------------- */

/* Makes a value, or a text, the engine's answer. False when memory runs out. */
bool web_answer(web_engine *engine, const sn_value *value, bool for_people);

/* The same with problems: a list of records. loaded NULL: they have no places. */
bool web_answer_problems(web_engine *engine, const sn_loaded *loaded, const sn_problems *problems, const char *name);

/* Room for so many numbers; NULL when memory runs out. */
void *web_array_take(web_array *array, size_t count);

/* ---- Threads (pool.c) ------------------------------------------------------------------------------------------------------ */

/* The hook that shares loops among the pool's threads; all zero, the built-in way, without a pool. */
sn_tasks web_pool_tasks(web_pool *pool);

#endif
