/* A scene: a world, its objects, and the actions while it runs. It is made from a document, or in code.
   sinew/scene.h has the calls for programs; this header has those about documents and problems. */
#ifndef SN_SCENE_SCENE_H
#define SN_SCENE_SCENE_H

#include "scene/object.h"

#include <sinew/scene.h>

/* Reads a file that a scene names into memory of the arena. False, with the reason in message. */
typedef bool sn_read_file_fn(void *context, const char *name, sn_arena *arena, const void **bytes, size_t *size,
                             char *message, size_t message_size);

typedef struct sn_scene_options {
    sn_allocator allocator;
    sn_log log; /* warnings and errors of the world; problems of the document are not logged */
    sn_tasks tasks;
    uint64_t memory;            /* bytes that a scene may take; default 4 GiB */
    sn_read_file_fn *read_file; /* NULL: no file can be read */
    void *read_file_context;
} sn_scene_options;

sn_scene_options sn_default_scene_options(void);

/* Builds the scene that a document describes. NULL on failure, with all errors in problems, which also gets warnings
   and notes. The document may be released afterwards. options NULL means the default. */
sn_scene *sn_scene_create(const sn_document *document, const sn_scene_options *options, sn_problems *problems);
/* The static and kinematic bodies of the document, in their order; NULL beyond the last. */
typedef struct sn_scene_fixed {
    const char *name;
    sn_body handle;
} sn_scene_fixed;

const sn_scene_fixed *sn_scene_fixed_at(const sn_scene *scene, uint32_t i);

/* Adds an object in code: def and own are the structs that its records would fill. On failure NULL, with the reasons
   in problems, and nothing was added. */
const sn_object *sn_scene_add(sn_scene *scene, const sn_object_type *type, const sn_object_def *def, const void *own,
                              sn_problems *problems);

/* Adds the content of a document to an existing scene: groups, objects, bodies, constraints and actions, which may
   refer to names of the scene; materials are those of the document itself. The keys world, run, contact and record,
   which a scene has once, are refused. On failure false, with the reasons in problems, and the scene is unchanged. */
bool sn_scene_extend(sn_scene *scene, const sn_document *document, sn_problems *problems);

/* sn_scene_pin pins particles (or bodies, by the particle at their centre of mass) where they are, and stores their
   masses; sn_scene_release restores them. Particles that are immovable anyway, or were never pinned, are not
   changed. False when memory runs out. */
bool sn_scene_pin(sn_scene *scene, uint32_t count, const uint32_t *number);
bool sn_scene_release(sn_scene *scene, uint32_t count, const uint32_t *number);

/* ---- Values to record -------------------------------------------------------------------------------------------- */

typedef struct sn_traced_particle {
    const char *label; /* "rope.end" */
    sn_particle particle;
} sn_traced_particle;

typedef struct sn_traced_constraint {
    const char *label; /* "rope.links[0]" */
    sn_constraint constraint;
} sn_traced_constraint;

/* A heap whose slope is recorded. */
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
    uint32_t every; /* one row per so many frames; default 1 */
} sn_trace_list;

sn_trace_list sn_scene_traces(const sn_scene *scene);

/* The slope of the sides of a heap, rad: the angle of repose of loose grains that have come to rest. Seen along
   gravity, the highest grains of rings around the middle of the heap make its profile; the slope is that of a line
   through the part between a fifth and four fifths of its height. NaN if the object has too few particles, no
   radius, or is no heap. */
double sn_scene_slope(const sn_scene *scene, const sn_object *object);

/* ---- Saving ------------------------------------------------------------------------------------------------------ */

/* Writes the present scene into an empty document: settings, every object as a set of particles with its parts and
   surface, every constraint and body, and the actions that are still to come. If it is saved before the first step,
   the loaded world has the same state hash. Later, positions and velocities are saved as sn_real, without the
   rounding remainders that a world keeps, and the motion is the same up to rounding. False when memory runs out, or,
   with a message, if something cannot be saved (a constraint of a kind of your own, a shape that is a function). */
bool sn_scene_save(sn_scene *scene, sn_document *document, char *message, size_t size);

/* ---- The schema -------------------------------------------------------------------------------------------------- */

/* Writes the JSON Schema (draft 2020-12) of scene files into an empty document, from the tables. */
bool sn_scene_schema(sn_document *document);

#endif
