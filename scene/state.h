/* Inside a scene. */
#ifndef SN_SCENE_STATE_H
#define SN_SCENE_STATE_H

#include "scene/bodies.h"
#include "scene/scene.h"
#include "scene/tables.h"
#include "scene/triggers.h"

/* Particles by their numbers, chosen by a selector. */
typedef struct sn_selection {
    uint32_t count;
    const uint32_t *number;
} sn_selection;

/* A list that grows in an arena; what it outgrows stays there until the end. */
typedef struct sn_growing {
    uint32_t count;
    uint32_t capacity;
    void *items;
} sn_growing;

/* Adds an item, zeroed; NULL when memory runs out. */
void *sn_growing_add(sn_growing *list, sn_arena *arena, size_t size);

/* A force, a motion and an event as they run. */
/* Triangles of an object that a wind acts on, by their places in its list. */
typedef struct sn_wind_sheet {
    const sn_object *object;
    uint32_t count;
    const uint32_t *triangle;
} sn_wind_sheet;

typedef struct sn_scene_force {
    sn_force_keys keys;
    sn_selection of;
    bool all;             /* of everything; the selection then names all particles of objects */
    uint32_t sheet_count; /* wind: the triangles among them, */
    const sn_wind_sheet *sheet;
    sn_selection lone;               /*   and those that are in no triangle */
    const struct sn_wind_wave *wave; /* wind: its turbulence; NULL: none */
    uint32_t breeze; /* not 0: the wind of sn_scene_set_breeze, made when there were so many objects but one */
} sn_scene_force;

typedef struct sn_scene_motion {
    sn_motion_keys keys;
    sn_selection of;
    const sn_vec3 *start;  /* where each of them was; of bodies, their frames */
    const sn_quat *turned; /* and how bodies were turned; NULL if there are none */
    bool leads_fixed;
    sn_body body;     /* which was at start[0], and */
    sn_quat rotation; /* turned so */
    sn_vec3 about;
    bool done; /* let go */
} sn_scene_motion;

typedef struct sn_scene_blade {
    sn_blade_keys keys;
    uint32_t group; /* of its object */
    bool cuts;      /* it has cut something */
} sn_scene_blade;

/* A body that walks. */
typedef struct sn_scene_character {
    sn_character character; /* its filter is set for a move only */
    sn_body body;
    uint32_t move_count;
    const struct sn_move_keys *move;
    bool repeat;
    uint32_t jumped; /* the move whose jump is done; UINT32_MAX: none */
} sn_scene_character;

struct sn_scene_event {
    sn_event_keys keys;
    sn_trigger trigger;
    sn_point point[2]; /* of attach */
    sn_selection of;
    uint32_t cut_count;
    const sn_constraint *cut;
    bool done;
};

/* What a pinned particle weighed, for when it is let go. */
typedef struct sn_pinned {
    uint32_t number;
    sn_real mass;
} sn_pinned;

/* The points of a constraint that holds bodies as they were given: what is read back is rounded. */
typedef struct sn_given_points {
    sn_constraint constraint;
    uint32_t count;
    const sn_point *given;
    const sn_point *read; /* as they read then: if they do not any more, the program has changed them */
} sn_given_points;

/* A group that the scene describes. */
typedef struct sn_scene_group {
    const char *name; /* NULL: it goes by its number */
    uint32_t number;
    bool rest;  /* its rest shape is taken */
    bool field; /* it has a distance field, of the triangles of its objects at rest */
} sn_scene_group;

struct sn_scene {
    sn_arena arena;   /* everything that lives as long as the scene */
    sn_arena scratch; /* empty between calls */
    sn_scene_options options;
    sn_world *world;
    sn_scene_info info;
    sn_record_keys record;
    char error[1024];             /* why the last call of sinew/scene.h failed */
    struct sn_scene_files *files; /* that it may read, of a scene that was opened; NULL otherwise */
    void (*release_files)(struct sn_scene_files *files);
    double start_time;       /* of frame 0 of the scene that this may go on with, */
    uint32_t start_frame;    /*   after so many frames of it */
    uint32_t frame;          /* since then */
    bool prepared;           /* the next frame: a cancelled step left its events done and its forces pending */
    double planned;          /* bytes that the objects so far are expected to take */
    sn_growing objects;      /* sn_object * */
    sn_growing groups;       /* sn_scene_group */
    sn_growing fixed;        /* sn_scene_fixed */
    sn_growing holds;        /* sn_hold: constraints that the scene itself names */
    sn_growing given_points; /* sn_given_points, in the order of the world */
    sn_growing forces, motions, blades, characters, events, pinned;
    sn_growing traced_particles, traced_constraints, traced_heaps;
    sn_growing drags;        /* uint32_t: their numbers */
    sn_growing drag_objects; /* const char *: the object that each is of, or NULL */
};

static inline sn_object *scene_object(const sn_scene *scene, uint32_t i)
{
    return i < scene->objects.count ? ((sn_object **)scene->objects.items)[i] : NULL;
}

/* Whether so many bytes more are within what the scene may take; otherwise an error that names them. `plan` also counts
   particles and constraints that are about to be made. */
bool sn_scene_fits(const sn_scene *scene, sn_reader *reader, double bytes);
bool sn_scene_plan(sn_scene *scene, sn_reader *reader, double particles, double constraints);

/* All particles of objects, and the middles of their bodies. */
bool sn_scene_select_everything(sn_scene *scene, sn_reader *reader, sn_selection *out);

/* A constraint or call that the world refused, as a problem. */
bool sn_scene_refused(const sn_scene *scene, sn_reader *reader);

/* What a particle is called, "rope.end" or "cloth[7]", and the object that it is of; NULL if it is of none. */
const sn_object *sn_scene_label(const sn_scene *scene, uint32_t number, char *text, size_t size);

/* ---- Selectors (select.c) ------------------------------------------------------------------------------------------
   An object may be given, whose parts and numbers a selector can then name without saying so. The result lies in arena. */

bool sn_select(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_object *object, sn_arena *arena,
               sn_selection *out);

/* One body. */
bool sn_select_body(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body *out);

/* One point: a particle, a spot or a place. */
bool sn_select_point(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_point *out);

/* Constraints by name, one name or a list of them. */
bool sn_select_constraints(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_arena *arena, uint32_t *count,
                           const sn_constraint **out);

/* ---- Parts of reading and running ---------------------------------------------------------------------------------- */

/* Groups come before objects, which name them; skins with the object; rest shapes, and fields of them, behind all objects,
   of the groups from a number on. */
bool sn_scene_read_groups(sn_scene *scene, sn_reader *reader, const sn_value *record);
bool sn_scene_use_group(sn_scene *scene, sn_reader *reader, const sn_value *value, uint32_t *group);
bool sn_scene_describe_group(sn_scene *scene, sn_reader *reader, const sn_value *value, const char *name,
                             uint32_t number);
bool sn_scene_use_skin(sn_reader *reader, const sn_value *value, sn_object_skin *skin);
/* Events that give strengths or cut along planes: checks the keys; and does it. */
bool sn_scene_read_parting(sn_scene *scene, sn_reader *reader, sn_event_keys *keys);
sn_result sn_scene_part(sn_scene *scene, const sn_event_keys *keys);

/* What tears, by its skin or its material: a surface then has a skin. */
bool sn_scene_add_tear(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_stuff *stuff);

bool sn_scene_add_skin(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_object_skin *skin);
bool sn_scene_take_rest_shapes(sn_scene *scene, sn_reader *reader, uint32_t from);
bool sn_scene_read_fixed(sn_scene *scene, sn_reader *reader, const sn_value *list);
const sn_scene_fixed *sn_scene_find_fixed(const sn_scene *scene, const char *name);

/* Whether a record of the list "bodies" is of a static or kinematic one. */
bool sn_scene_is_fixed(const sn_value *body);

/* A static or kinematic body by its name in the file: the program's own have one made of their numbers. */
const char *sn_scene_fixed_name(const sn_scene *scene, sn_body body, char *made, size_t size);

/* Whether an object or a body is called so; and the name that one was given, or, if it was given none, one of its type and the place behind
   count others. NULL after an error. */
bool sn_scene_has_name(const sn_scene *scene, const char *name);
const char *sn_scene_name(sn_scene *scene, sn_reader *reader, const char *given, const char *type, uint32_t count);

/* Reads a mesh file, named by a key, through the scene's access to files; it lies in the scratch. */
bool sn_scene_read_mesh(sn_scene *scene, sn_reader *reader, const char *key, const char *file, sn_mesh *mesh,
                        sn_mesh_notes *notes);

bool sn_scene_read_constraints(sn_scene *scene, sn_reader *reader, const sn_value *list);

/* Makes an object. NULL after an error; what it had made is then taken back. */
const sn_object *sn_scene_build(sn_scene *scene, sn_reader *reader, const sn_object_type *type,
                                const sn_object_def *def, const void *own);

/* The list "bodies"; those are objects of a type of their own. */
bool sn_scene_read_bodies(sn_scene *scene, sn_reader *reader, const sn_value *list);
bool sn_scene_is_lone_body(const sn_object *object);

/* At the end of a build: gives bodies the motion of the object, and notes how they read. */
bool sn_build_move_bodies(sn_build *build);

/* Remembers points that were given; false when memory runs out. */
bool sn_scene_keep_points(sn_scene *scene, sn_constraint c, uint32_t count, const sn_point *points);

/* Writes a body; mass is what it weighs when it is not pinned. */
void sn_scene_save_body(sn_scene *scene, sn_document *out, sn_value *record, const sn_object_body *body, sn_real mass);
bool sn_scene_read_names(sn_scene *scene, sn_reader *reader, const sn_value *record);
bool sn_scene_read_attachments(sn_scene *scene, sn_reader *reader, const sn_value *list);
bool sn_scene_read_program(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys);
bool sn_scene_read_drags(sn_scene *scene, sn_reader *reader, const sn_list_of *drags);

/* Writes contact settings, groups, and static and kinematic bodies. NULL, or why that cannot be. */
const char *sn_scene_save_contact(sn_scene *scene, sn_document *document, sn_value *root);

/* Before a step: forces, motions and events of the frame. */
sn_result sn_scene_prepare(sn_scene *scene, double time, double dt);

/* Warns of a damping that the solver cannot follow. */
void sn_build_warn_damping(sn_build *build);

/* Calls read for every item of a list (or for the value itself, if single is allowed and it is no list). */
typedef bool sn_item_fn(sn_scene *scene, sn_reader *reader, const sn_value *item);
bool sn_each_item(sn_scene *scene, sn_reader *reader, const sn_value *list, sn_item_fn *read);

/* Whether a text can be the name of an object or of constraints. */
bool sn_is_name(const char *text);

/* v turned about an axis (of length 1) by an angle. */
sn_vec3 sn_turned(sn_vec3 v, sn_vec3 axis, double angle);

#endif
