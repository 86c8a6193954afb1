/* The internal state of a scene. */
#ifndef SN_SCENE_STATE_H
#define SN_SCENE_STATE_H

#include "scene/bodies.h"
#include "scene/scene.h"
#include "scene/tables.h"
#include "scene/triggers.h"

/* The particles of a selector, by their numbers. */
typedef struct sn_selection {
    uint32_t count;
    const uint32_t *number;
} sn_selection;

/* A list that grows in an arena; its earlier, smaller blocks stay there until the arena is released. */
typedef struct sn_growing {
    uint32_t count;
    uint32_t capacity;
    void *items;
} sn_growing;

/* Adds an item, zeroed; NULL when memory runs out. */
void *sn_growing_add(sn_growing *list, sn_arena *arena, size_t size);

/* Triangles of an object on which a wind acts, by their indices in its list. */
typedef struct sn_wind_sheet {
    const sn_object *object;
    uint32_t count;
    const uint32_t *triangle;
} sn_wind_sheet;

typedef struct sn_scene_force {
    sn_force_keys keys;
    sn_selection of;
    bool all;             /* acts on everything; the selection then has all particles of objects */
    uint32_t sheet_count; /* wind: the triangles that are selected whole, by object, */
    const sn_wind_sheet *sheet;
    sn_selection lone;               /* and the selected particles that are in none of these */
    const struct sn_wind_wave *wave; /* wind: its turbulence; NULL: none */
    uint32_t breeze;                 /* not 0: the wind of sn_scene_set_breeze, for a scene of breeze - 1 objects */
} sn_scene_force;

typedef struct sn_scene_motion {
    sn_motion_keys keys;
    sn_selection of;
    const sn_vec3 *start;  /* initial positions; for bodies, of their frames */
    const sn_quat *turned; /* initial orientations of bodies; NULL if there are none */
    bool leads_fixed;
    sn_body body;     /* a kinematic body, initially at start[0] */
    sn_quat rotation; /* and its initial orientation */
    sn_vec3 about;
    bool done; /* the things were released */
} sn_scene_motion;

typedef struct sn_scene_blade {
    sn_blade_keys keys;
    uint32_t group; /* of its object */
    bool cuts;      /* it has cut something already */
} sn_scene_blade;

/* A character: a body that walks. */
typedef struct sn_scene_character {
    sn_character character; /* its filter is set only during a move */
    sn_body body;
    uint32_t move_count;
    const struct sn_move_keys *move;
    bool repeat;
    uint32_t jumped; /* the move whose jump is done already; UINT32_MAX: none */
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

/* The mass of a pinned particle, which is restored when it is released. */
typedef struct sn_pinned {
    uint32_t number;
    sn_real mass;
} sn_pinned;

/* The points of a constraint on bodies as they were defined; points that are read from the world are rounded. */
typedef struct sn_given_points {
    sn_constraint constraint;
    uint32_t count;
    const sn_point *given;
    const sn_point *read; /* as read from the world at that time; if they now differ, the program has changed them */
} sn_given_points;

/* A group of the scene file. */
typedef struct sn_scene_group {
    const char *name; /* NULL: it has only a number */
    uint32_t number;
    bool rest;  /* its rest shape is taken */
    bool field; /* it has a distance field of the triangles of its objects in the rest shape */
} sn_scene_group;

struct sn_scene {
    sn_arena arena;   /* everything that lives as long as the scene */
    sn_arena scratch; /* empty between calls */
    sn_scene_options options;
    sn_world *world;
    sn_scene_info info;
    sn_record_keys record;
    char error[1024];             /* why the last call of sinew/scene.h failed */
    struct sn_scene_files *files; /* files that an opened scene may read; NULL otherwise */
    void (*release_files)(struct sn_scene_files *files);
    double start_time;       /* the time of frame 0, in the scene that this one continues, */
    uint32_t start_frame;    /* and the frames of that scene before this one */
    uint32_t frame;          /* frames since then */
    bool prepared;           /* the next frame is prepared: a cancelled step left its events done, its forces pending */
    double planned;          /* bytes that the objects so far are estimated to take */
    sn_growing objects;      /* sn_object * */
    sn_growing groups;       /* sn_scene_group */
    sn_growing fixed;        /* sn_scene_fixed */
    sn_growing holds;        /* sn_hold: constraints that the scene itself names, outside of objects */
    sn_growing given_points; /* sn_given_points, in the order of the world */
    sn_growing forces, motions, blades, characters, events, pinned;
    sn_growing traced_particles, traced_constraints, traced_heaps;
    sn_growing drags;        /* uint32_t: numbers of drags */
    sn_growing drag_objects; /* const char *: the object on which each acts, or NULL */
};

static inline sn_object *scene_object(const sn_scene *scene, uint32_t i)
{
    return i < scene->objects.count ? ((sn_object **)scene->objects.items)[i] : NULL;
}

/* Whether `bytes` more still fit into the memory of the scene; otherwise an error that names them. sn_scene_plan
   also counts particles and constraints that are about to be made. */
bool sn_scene_fits(const sn_scene *scene, sn_reader *reader, double bytes);
bool sn_scene_plan(sn_scene *scene, sn_reader *reader, double particles, double constraints);

/* Selects all particles of objects, and the centre particles of their bodies. */
bool sn_scene_select_everything(sn_scene *scene, sn_reader *reader, sn_selection *out);

/* Reports a constraint or call that the world refused, as a problem. Returns false. */
bool sn_scene_refused(const sn_scene *scene, sn_reader *reader);

/* Writes the name of a particle, "rope.end" or "cloth[7]", and returns its object; NULL if it has none. */
const sn_object *sn_scene_label(const sn_scene *scene, uint32_t number, char *text, size_t size);

/* ---- Selectors (select.c) -------------------------------------------------------------------------------------------
   With an object, a selector may use the names of its parts and numbers of its particles alone. The result is in
   arena. */

bool sn_select(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_object *object, sn_arena *arena,
               sn_selection *out);

/* Selects one body. */
bool sn_select_body(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body *out);

/* Selects one point: a particle, a barycentric point, or an anchor on a body or in the world. */
bool sn_select_point(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_point *out);

/* Selects constraints by name, one name or a list of them. */
bool sn_select_constraints(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_arena *arena, uint32_t *count,
                           const sn_constraint **out);

/* ---- Parts of reading and running -------------------------------------------------------------------------------- */

/* Groups are read before the objects that name them; skins are added with their object. Rest shapes, and fields of
   these, are taken after all objects, for the groups from a number on. */
bool sn_scene_read_groups(sn_scene *scene, sn_reader *reader, const sn_value *record);
bool sn_scene_use_group(sn_scene *scene, sn_reader *reader, const sn_value *value, uint32_t *group);
bool sn_scene_describe_group(sn_scene *scene, sn_reader *reader, const sn_value *value, const char *name,
                             uint32_t number);
bool sn_scene_use_skin(sn_reader *reader, const sn_value *value, sn_object_skin *skin);
/* Events that set strengths or cut along planes: sn_scene_read_parting checks the keys, sn_scene_part executes the
   event. */
bool sn_scene_read_parting(sn_scene *scene, sn_reader *reader, sn_event_keys *keys);
sn_result sn_scene_part(sn_scene *scene, const sn_event_keys *keys);

/* Makes an object tear by its skin or its material. A surface then gets a skin. */
bool sn_scene_add_tear(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_stuff *stuff);

bool sn_scene_add_skin(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_object_skin *skin);
bool sn_scene_take_rest_shapes(sn_scene *scene, sn_reader *reader, uint32_t from);
bool sn_scene_read_fixed(sn_scene *scene, sn_reader *reader, const sn_value *list);
const sn_scene_fixed *sn_scene_find_fixed(const sn_scene *scene, const char *name);

/* Whether an item of the list "bodies" is a static or kinematic body. */
bool sn_scene_is_fixed(const sn_value *body);

/* The name of a static or kinematic body in the file. A body that the program has added gets a name with its number,
   written to made. */
const char *sn_scene_fixed_name(const sn_scene *scene, sn_body body, char *made, size_t size);

/* sn_scene_has_name: whether an object or a body has this name. sn_scene_name: the given name, or, if that is NULL,
   one made of the type and count + 1. NULL after an error. */
bool sn_scene_has_name(const sn_scene *scene, const char *name);
const char *sn_scene_name(sn_scene *scene, sn_reader *reader, const char *given, const char *type, uint32_t count);

/* Reads the mesh file that a key names, through the scene's access to files, into the scratch. */
bool sn_scene_read_mesh(sn_scene *scene, sn_reader *reader, const char *key, const char *file, sn_mesh *mesh,
                        sn_mesh_notes *notes);

bool sn_scene_read_constraints(sn_scene *scene, sn_reader *reader, const sn_value *list);

/* Makes an object. NULL after an error; what the builder had made is then removed. */
const sn_object *sn_scene_build(sn_scene *scene, sn_reader *reader, const sn_object_type *type,
                                const sn_object_def *def, const void *own);

/* Reads the list "bodies"; each body is an object of a type of its own. */
bool sn_scene_read_bodies(sn_scene *scene, sn_reader *reader, const sn_value *list);
bool sn_scene_is_lone_body(const sn_object *object);

/* At the end of a build: sets the motion of the object on its bodies, and stores their definitions as read from the
   world. */
bool sn_build_move_bodies(sn_build *build);

/* Stores points as they were defined; false when memory runs out. */
bool sn_scene_keep_points(sn_scene *scene, sn_constraint c, uint32_t count, const sn_point *points);

/* Saves a body; mass is its mass without a pin. */
void sn_scene_save_body(sn_scene *scene, sn_document *out, sn_value *record, const sn_object_body *body, sn_real mass);
bool sn_scene_read_names(sn_scene *scene, sn_reader *reader, const sn_value *record);
bool sn_scene_read_attachments(sn_scene *scene, sn_reader *reader, const sn_value *list);
bool sn_scene_read_program(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys);
bool sn_scene_read_drags(sn_scene *scene, sn_reader *reader, const sn_list_of *drags);

/* Saves contact settings, groups, and static and kinematic bodies. Returns NULL, or the reason why that is
   impossible. */
const char *sn_scene_save_contact(sn_scene *scene, sn_document *document, sn_value *root);

/* Before a step: applies forces, motions and events of the frame. */
sn_result sn_scene_prepare(sn_scene *scene, double time, double dt);

/* Warns of damping that is too strong for the solver. */
void sn_build_warn_damping(sn_build *build);

/* Calls read for every item of a list of records. False if a call fails, or, with an error, if the value is no such
   list. */
typedef bool sn_item_fn(sn_scene *scene, sn_reader *reader, const sn_value *item);
bool sn_each_item(sn_scene *scene, sn_reader *reader, const sn_value *list, sn_item_fn *read);

/* Whether a text can be the name of an object or of constraints. */
bool sn_is_name(const char *text);

/* v rotated about an axis by an angle in radians. */
sn_vec3 sn_turned(sn_vec3 v, sn_vec3 axis, double angle);

#endif
