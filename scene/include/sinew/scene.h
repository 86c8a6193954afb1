/* Scenes: scene files, and builders of ropes, cloth, figures and the like, for programs in C and C++.

   This is the library sinew::scene, which uses only the public interface of the engine. It needs jansson, the engine
   itself does not:

       find_package(sinew REQUIRED COMPONENTS scene)              # CMake
       target_link_libraries(program PRIVATE sinew::scene)

       cc program.c $(pkg-config --cflags --libs --static sinew-scene)

   A scene is a world, named objects in it, and their keyframes, forces, wind and events. sn_scene_step applies these
   for one frame and steps the world. For everything else use the world itself, sn_scene_world.

       char why[2000];
       sn_scene *scene;
       if (sn_scene_open("curtain.json", NULL, &scene, why, sizeof why) != SN_OK) {
           fputs(why, stderr);              // "curtain.json:12:5: error: objects[2].pins[0]: found ..., expected ..."
           return 1;
       }
       sn_particle hem = sn_scene_find_particle(scene, "curtain.bottom_left");
       for (int frame = 0; frame < 300; ++frame)
           if (sn_scene_step(scene) != SN_OK)
               return fputs(sn_scene_error(scene), stderr), 1;
       sn_vec3 x = sn_particle_position(sn_scene_world(scene), hem);
       sn_scene_destroy(scene);

   Names and return values of failing calls follow the conventions of sinew.h and sinew/base.h. A scene is used by one
   thread at a time. docs/scenes.md describes the scene format; `sinew check` lists the mistakes in a file. */
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include <sinew/scene_objects.h>

#ifdef __cplusplus
extern "C" {
#endif

#if SINEW_DOUBLE /* a program and a library that disagree about sn_real do not link */
#define sn_scene_open         sn_scene_open_double
#define sn_scene_open_text    sn_scene_open_text_double
#define sn_scene_create_empty sn_scene_create_empty_double
#endif

/* ---- Making a scene -------------------------------------------------------------------------- */

typedef struct sn_scene_def {
    sn_allocator allocator; /* of the scene and its world; all zero: the C library's */
    sn_log log;             /* warnings and errors of the world; mistakes in a file are in the message instead */
    sn_tasks tasks;         /* all zero: the world's own threads */
    uint32_t threads;       /* the number of these; 0: as sn_world_set_threads */
    uint64_t memory;        /* bytes that a scene may take; more is refused. Default 4 GiB */
    bool read_anywhere;     /* a scene may read meshes outside of its folder; default false */
    uint32_t set_count;     /* changes to a scene file before it is built, as of `sinew run --set`: */
    const char *const *set; /*   "world.substeps=20", "objects[0].length=2" */
    const char *folder;     /* from which an empty scene reads meshes; NULL, the default: the current folder */
    sn_real rate;           /* frames per second of an empty scene; default 60 */
} sn_scene_def;

sn_scene_def sn_default_scene_def(void);

/* Builds the scene of a file. def NULL means the default. On failure *scene is NULL, and message (which may be NULL),
   of size bytes, has all mistakes, a line each, with file, line, column, what was found and what was expected. On
   success message has warnings and notes, or is empty. Lines that do not fit are left out.

   SN_ERROR_ARGUMENT: the file cannot be read, is not JSON, or is not a scene; SN_ERROR_MEMORY. */
sn_result sn_scene_open(const char *path, const sn_scene_def *def, sn_scene **scene, char *message, size_t size);

/* The same for a text of length bytes. name is what messages call it. It may read meshes in def->folder. */
sn_result sn_scene_open_text(const char *name, const char *text, size_t length, const sn_scene_def *def,
                             sn_scene **scene, char *message, size_t size);

/* A scene without objects. Fill it with the calls below. world is as for sn_world_create; NULL means its default.
   Allocator, log, tasks and threads are taken from world, not from def. On failure *scene is NULL and message as
   above. */
sn_result sn_scene_create_empty(const sn_scene_def *def, const sn_world_def *world, sn_scene **scene, char *message,
                                size_t size);

/* Frees the scene and its world. NULL is ignored. */
void sn_scene_destroy(sn_scene *scene);

/* Why the last failing call on this scene failed; "" if none has. The text is valid until the next failing call. For
   calls on the world itself see sn_world_error. */
const char *sn_scene_error(const sn_scene *scene);

/* Adds the contents of a text to the scene: groups, objects, bodies, constraints, attachments, forces, motions and
   events, as in a scene file. It may refer to existing names, so a program can use it to add keyframes or events to
   objects that it has built:

       sn_scene_extend_text(scene, "gust",
           "{\"forces\": [{\"type\": \"wind\", \"of\": \"flag\", \"value\": [6, 0, 2]}]}", SIZE_MAX);

   length SIZE_MAX: up to the terminating zero. The keys world, run, contact and record are refused. On failure the
   scene is unchanged, and sn_scene_error has every problem, a line each. */
sn_result sn_scene_extend_text(sn_scene *scene, const char *name, const char *text, size_t length);

/* Removes the object of this name with all its particles, bodies and constraints, or one body ("crate", "floor",
   "wall[3]"). Forces, motions, events and records no longer include it; those of this object alone are removed.
   Constraints of other things on it are removed, too. The name is free again. sn_scene_return to an earlier moment
   restores it. Fails, with the scene unchanged, if there is no such name, and for lack of memory. A scene that lost
   one body of an object cannot be saved. */
sn_result sn_scene_remove(sn_scene *scene, const char *name);

/* A wind on everything, in m/s, in addition to the winds of the scene. It can be changed at any time. Its strength
   varies by 30 %. (0, 0, 0) ends it. Call it again after adding objects. Refused: numbers that are not finite, and a
   z in two dimensions. */
sn_result sn_scene_set_breeze(sn_scene *scene, sn_vec3 velocity);

/* The friction of all groups, and so of everything but shapes that have a material of their own. Refused as by
   sn_world_set_group_contact. */
sn_result sn_scene_set_friction(sn_scene *scene, sn_real friction);

/* As sn_world_cut. In addition, objects without a skin get one if the blade goes through their surface, so that they
   are cut as well. The parts stay in their object: they are drawn, feel the wind and are removed with it. A blade
   that touches nothing, and one that is refused, change nothing. */
sn_result sn_scene_slice(sn_scene *scene, const sn_cut_def *def, sn_cut_info *info);

/* Writes the current scene as a scene file. If it is saved before the first step, the loaded scene has the same state
   hash; later, its motion is the same up to rounding. Fails if a scene file cannot describe something: a constraint
   of a kind of your own, a shape that is a function. */
sn_result sn_scene_save_file(sn_scene *scene, const char *path);

/* ---- Running a scene ------------------------------------------------------------------------- */

/* The world. It belongs to the scene. Every call may be made on it, but do not destroy it, and remove parts of
   objects with sn_scene_remove. */
sn_world *sn_scene_world(sn_scene *scene);

/* Advances the scene by one frame of 1 / rate seconds: sets targets from keyframes, applies forces and events of the
   frame, and steps the world. Results as sn_world_step; the reason is in sn_scene_error. SN_CANCELLED, from a
   function of sn_world_set_cancel: the scene is before the frame, with its events done; the next call takes the same
   frame.

   In a game with frames of any length, take as many steps as time has passed, with an sn_accumulator of one step of 1
   / rate (docs/games.md). If a program calls sn_world_step itself, only the world advances: keyframes, forces and
   events wait. */
sn_result sn_scene_step(sn_scene *scene);

/* The same with sn_world_step_budget; budget NULL: with sn_world_step. certificate may be NULL. */
sn_result sn_scene_step_budget(sn_scene *scene, sn_budget *budget, sn_certificate *certificate);

/* Frames taken so far, and the time in seconds. A saved scene continues with its time. */
uint32_t sn_scene_frame(const sn_scene *scene);
double sn_scene_time(const sn_scene *scene);

/* Title, description and length of a scene. The texts are valid as long as the scene. */
typedef struct sn_scene_info {
    const char *title; /* "" when not given, like the next */
    const char *about;
    const char *topic; /* its topic: "ropes", "integrators" */
    uint32_t frames;   /* to run; default 300 */
    sn_real rate;      /* frames per second; default 60 */
    uint32_t warm_up;  /* frames to run before the first frame; default 0 */
} sn_scene_info;

sn_scene_info sn_scene_describe(const sn_scene *scene);

/* A moment of a scene, to return to: a snapshot of its world, and the state of its frames and events. NULL when
   memory runs out. Destroy it before the scene. */
typedef struct sn_scene_moment sn_scene_moment;
sn_scene_moment *sn_scene_mark(sn_scene *scene);

/* The same into a moment of the same scene; on failure it keeps what it held. */
sn_result sn_scene_mark_again(sn_scene *scene, sn_scene_moment *moment);

/* Puts the scene back: the same bits follow as followed then. As sn_world_load; objects that were added since are
   removed. */
sn_result sn_scene_return(sn_scene *scene, const sn_scene_moment *moment);

/* Its time in seconds, as of sn_scene_time; the bytes that it takes. */
double sn_scene_moment_time(const sn_scene_moment *moment);
size_t sn_scene_moment_size(const sn_scene_moment *moment);
void sn_scene_moment_destroy(sn_scene_moment *moment);

/* ---- Objects by name ------------------------------------------------------------------------- */

/* The objects in their order, NULL beyond the last; and by name, NULL if there is none. */
const sn_object *sn_scene_object(const sn_scene *scene, uint32_t i);
const sn_object *sn_scene_find_object(const sn_scene *scene, const char *name);

/* The parts of an object, and its mesh for drawing. Indices count its particles from 0 on: corner i is the particle
   sn_particles_at(particles, i). All of it is valid as long as the scene. */
typedef struct sn_object_info {
    const char *name;
    const char *type; /* "rope", "cloth" */
    uint32_t group;
    sn_particles particles;
    uint32_t body_count;
    uint32_t triangle_count;
    const uint32_t *triangles; /* its surface: three indices each, counter-clockwise seen from outside */
    uint32_t line_count;
    const uint32_t *lines; /* two indices each */
    sn_skin skin;          /* null: it has none */
} sn_object_info;

sn_object_info sn_object_describe(const sn_object *object);

/* Its i-th body; null beyond the last. */
sn_body sn_object_nth_body(const sn_object *object, uint32_t i);

/* ---- Selectors ----------------------------------------------------------------------------------
   A selector names particles, bodies or constraints, as in scene files:

       "rope.end"               a part of an object
       "cloth"                  all of an object
       "cloth[7]", "cloth[-1]"  one of its particles; from the end if negative
       "cloth.top[0:5]"         some of a part, the last one excluded; "cloth.top[::4]" is every fourth
       "crate", "doll.head"     a body
       "rope.links[3]"          a constraint; "rope.links" are all of that name
       "{\"of\": \"cloth\", \"near\": [0, 1, 0]}"   any other selector of a scene file, as JSON: a record or a list

   If a part or object does not exist, sn_scene_error names it, and those that do. */

/* Writes the particles of a selector to particles, which has room for capacity; for a body, the one at its centre of
   mass. Returns their number, also if there is room for fewer (particles NULL: only counts); 0 if it fails. */
uint32_t sn_scene_select(sn_scene *scene, const char *selector, uint32_t capacity, sn_particle *particles);

/* One particle, one body, one point for a constraint ("rope.end", or JSON: {"body": "crate", "place": [0, 0.5, 0]}),
   one constraint. Null if it fails, or if the selector matches several. */
sn_particle sn_scene_find_particle(sn_scene *scene, const char *selector);
sn_body sn_scene_find_body(sn_scene *scene, const char *selector);
sn_point sn_scene_find_point(sn_scene *scene, const char *selector);
sn_constraint sn_scene_find_constraint(sn_scene *scene, const char *selector);

/* Pins the particles of a selector where they are, keeping their masses; and releases them again. Particles that are
   immovable anyway, or were never pinned, are not changed. */
sn_result sn_scene_pin_selected(sn_scene *scene, const char *selector);
sn_result sn_scene_release_selected(sn_scene *scene, const char *selector);

/* Removes the constraints of a selector. Those that broke or were cut before are skipped. */
sn_result sn_scene_cut(sn_scene *scene, const char *selector);

/* ---- Meshes ---------------------------------------------------------------------------------- */

typedef struct sn_mesh {
    uint32_t vertex_count;
    sn_vec3 *vertex; /* m */
    uint32_t triangle_count;
    uint32_t *triangle; /* three vertices each, counter-clockwise seen from outside */
    uint32_t line_count;
    uint32_t *line; /* two vertices each: the `l` elements of an OBJ, the `edge` elements of a PLY */
} sn_mesh;

/* A mesh that was read from a file. */
typedef struct sn_mesh_file sn_mesh_file;

/* Reads an OBJ or PLY file (PLY: ascii or binary). Faces with more corners are divided into triangles. Vertices
   within weld metres of each other become one (0: equal ones; negative: none), and triangles without area are then
   dropped. On failure *file is NULL and message names line, thing and value. */
sn_result sn_mesh_file_open(const char *path, sn_real weld, sn_mesh_file **file, char *message, size_t size);

/* The mesh; valid as long as the file. NULL for NULL. */
const sn_mesh *sn_mesh_file_mesh(const sn_mesh_file *file);
void sn_mesh_file_destroy(sn_mesh_file *file);

#ifdef __cplusplus
}
#endif

#endif
