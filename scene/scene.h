/* A scene: a world, the objects in it, and what happens to them while it runs. Made from a document, or in code. */
#ifndef SN_SCENE_SCENE_H
#define SN_SCENE_SCENE_H

#include "scene/object.h"

typedef struct sn_scene sn_scene;

/* Access to files: gives the content of a file that a scene names, in memory of the arena. False, with the reason in words. */
typedef bool sn_read_file_fn(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size,
                             char *message, size_t message_size);

typedef struct sn_scene_options {
    sn_allocator allocator;
    sn_log log; /* warnings and errors of the world; problems of the document do not come here */
    sn_tasks tasks;
    uint64_t memory;            /* bytes that a scene may ask for; default 4 GiB */
    sn_read_file_fn *read_file; /* NULL: no file can be read */
    void *read_file_context;
} sn_scene_options;

sn_scene_options sn_default_scene_options(void);

/* Builds the scene that a document describes. NULL if that fails, with all the reasons in problems, which also gets warnings
   and notes. The document may be released afterwards. options NULL means the default. */
sn_scene *sn_scene_create(const sn_document *document, const sn_scene_options *options, sn_problems *problems);
void sn_scene_destroy(sn_scene *scene);

/* The world. It belongs to the scene; use it as you like, but do not remove particles of objects. */
sn_world *sn_scene_world(sn_scene *scene);

/* What the document says about itself and about how long to run. */
typedef struct sn_scene_info {
    const char *title; /* "" when not given, like the next */
    const char *about;
    const char *topic; /* what it belongs to: "ropes", "integrators" */
    uint32_t frames;   /* to run; default 300 */
    sn_real rate;      /* frames a second; default 60 */
    uint32_t warm_up;  /* frames to run before the first that counts; default 0 */
} sn_scene_info;

sn_scene_info sn_scene_describe(const sn_scene *scene);

/* The objects; NULL beyond the last. */
const sn_object *sn_scene_object(const sn_scene *scene, uint32_t i);
const sn_object *sn_scene_find_object(const sn_scene *scene, const char *name);

/* The static and kinematic bodies that the document has, in their order; NULL beyond the last. */
typedef struct sn_scene_fixed {
    const char *name;
    sn_body handle;
} sn_scene_fixed;

const sn_scene_fixed *sn_scene_fixed_at(const sn_scene *scene, uint32_t i);

/* Adds an object in code: def and own are what its record reads into. NULL, with the reasons in problems, if that fails; what
   it had already made is taken back. */
const sn_object *sn_scene_add(sn_scene *scene, const sn_object_type *type, const sn_object_def *def, const void *own,
                              sn_problems *problems);

/* Adds what a document describes to a scene that is there: groups, objects, bodies, constraints and what happens to them,
   which may name what the scene has already; materials are those of the document itself. Not what there is once: world, run, contact,
   record. False, with the reasons in problems, and the scene is as it was. */
bool sn_scene_extend(sn_scene *scene, const sn_document *document, sn_problems *problems);

/* Pins particles (or bodies, by the particle in their middle) where they are, remembering their masses; lets them go again. Those
   that are immovable anyway are left alone, and so are those that were never pinned. False when memory runs out. */
bool sn_scene_pin(sn_scene *scene, uint32_t count, const uint32_t *number);
bool sn_scene_release(sn_scene *scene, uint32_t count, const uint32_t *number);

/* Advances the scene by one frame of 1 / rate seconds: sets keyframed particles and bodies on their way, applies the forces and events
   of the frame, and steps the world. As sn_world_step; the reason is in sn_world_error. SN_CANCELLED, from a function that the world
   was given (sn_world_set_cancel): the scene stands before the frame, its events done; the next call takes the same frame. */
sn_result sn_scene_step(sn_scene *scene);

/* The same with sn_world_step_budget; budget NULL: with sn_world_step. */
sn_result sn_scene_step_budget(sn_scene *scene, sn_budget *budget, sn_certificate *certificate);

/* Frames taken so far, and their time in seconds, which goes on where a saved scene left off. */
uint32_t sn_scene_frame(const sn_scene *scene);
double sn_scene_time(const sn_scene *scene);

/* ---- Going back ------------------------------------------------------------------------------------------------------ */

/* A moment of a scene: a snapshot of its world, and how far the scene is with its frames and events, which the world does not know. */
typedef struct sn_scene_moment sn_scene_moment;

/* Remembers how the scene is now; NULL when memory runs out. Destroy it before the scene. */
sn_scene_moment *sn_scene_mark(sn_scene *scene);

/* The same into a moment of the same scene; on failure it keeps what it held. */
sn_result sn_scene_mark_again(sn_scene *scene, sn_scene_moment *moment);

/* Puts the scene back: the same bits follow as followed then. As sn_world_load; what was added since is gone. */
sn_result sn_scene_return(sn_scene *scene, const sn_scene_moment *moment);

/* Its time in seconds, as of sn_scene_time; the bytes that it takes. */
double sn_scene_moment_time(const sn_scene_moment *moment);
size_t sn_scene_moment_size(const sn_scene_moment *moment);
void sn_scene_moment_destroy(sn_scene_moment *moment);

/* ---- What to record ------------------------------------------------------------------------------------------------ */

typedef struct sn_traced_particle {
    const char *label; /* "rope.end" */
    sn_particle particle;
} sn_traced_particle;

typedef struct sn_traced_constraint {
    const char *label; /* "rope.links[0]" */
    sn_constraint constraint;
} sn_traced_constraint;

/* A heap whose steepness is recorded. */
typedef struct sn_traced_heap {
    const char *label;
    const sn_object *object;
} sn_traced_heap;

typedef struct sn_trace_list {
    uint32_t particle_count;
    const sn_traced_particle *particle;
    uint32_t constraint_count;
    const sn_traced_constraint *constraint;
    uint32_t heap_count;
    const sn_traced_heap *heap;
    uint32_t every; /* a row every so many frames; default 1 */
} sn_trace_list;

sn_trace_list sn_scene_traces(const sn_scene *scene);

/* The slope of the sides of a heap, rad: the angle of repose of loose grains that have come to rest. Seen along gravity, the
   highest grains of rings around the middle of the heap make its profile; the slope is that of a line through what lies
   between a fifth and four fifths of its height. NaN if the object has too few particles, no radius, or is no heap. */
double sn_scene_slope(const sn_scene *scene, const sn_object *object);

/* ---- Saving -------------------------------------------------------------------------------------------------------- */

/* Writes the scene as it is now into an empty document: settings, every object as a set of particles with its parts and
   surface, every constraint and body, and what is still to happen. Loaded again it is the same world with the same state hash as at
   the time of saving, if it was saved before the first step; later, positions and velocities are saved as sn_real, without
   the remainders that a world carries, and the motion goes on the same up to rounding. False when memory runs out, or, with a
   message, if something cannot be saved (a constraint of a kind of your own, a shape that is a function). */
bool sn_scene_save(sn_scene *scene, sn_document *document, char *message, size_t size);

/* ---- The schema ---------------------------------------------------------------------------------------------------- */

/* Writes the JSON Schema (draft 2020-12) of scene files into an empty document, from the tables. */
bool sn_scene_schema(sn_document *document);

#endif
