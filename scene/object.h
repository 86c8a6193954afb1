/* Objects: ropes, cloths, figures. An object type is one file in scene/objects/ and one line in scene/objects.def; the
   reader, the schema, the documentation and `sinew list` know it through that line.

   A builder places particles in the object's own frame, ties them with constraints, names parts of them for others to refer
   to ("top_left", "end"), and says what its surface or its lines are, for drawing. The frame is then moved, turned
   and scaled into the world, pins are set and velocities given: the builder sees none of that. */
#ifndef SN_SCENE_OBJECT_H
#define SN_SCENE_OBJECT_H

#include "scene/mesh.h"
#include "scene/record.h"

#include <sinew/scene_objects.h>

/* A few items of an object under a name. Its items are its particles, from 0 on, and behind them its bodies. */
typedef struct sn_part {
    const char *name;
    uint32_t count;
    const uint32_t *index; /* in the object, from 0 on; NULL: the items first .. first + count - 1 */
    uint32_t first;
} sn_part;

/* A rigid body of an object. */
typedef struct sn_object_body {
    sn_body handle;
    sn_body_def *def;  /* what it was made of, in the world; its lists live as long as the scene */
    sn_body_def first; /* how it read when it was made, without lists */
} sn_object_body;

/* Constraints of an object under a name: "links", "bend". */
typedef struct sn_hold {
    const char *name;
    sn_constraints run;
} sn_hold;

/* An object of a scene. All arrays live as long as the scene. */
struct sn_object {
    const char *name;
    const char *type;
    sn_particles run; /* its particles */
    uint32_t body_count, body_capacity;
    sn_object_body *body; /* its bodies */
    uint32_t part_count;
    sn_part *part;
    uint32_t hold_count;
    sn_hold *hold;
    uint32_t triangle_count;
    const uint32_t *triangle; /* its surface: three particles of the object each, from 0 on */
    uint32_t line_count;
    const uint32_t *line; /* what is drawn as lines: two each */
    uint32_t group;
    sn_object_skin skin_def;
    sn_skin skin;        /* null: it has none */
    const sn_vec3 *rest; /* m: where its particles were when the rest shape of its group was taken; NULL: it was not */
};

/* What a builder works with. */
typedef struct sn_build {
    struct sn_scene *scene;
    const sn_object_def *def;
    const sn_stuff *stuff; /* def->stuff with shear filled in */
    sn_arena *scratch;     /* empty at the start, given back when the builder returns */
    sn_object *object;     /* being made */
    uint32_t dimensions;   /* of the world */
    sn_reader *reader;     /* standing at the object, for messages */
} sn_build;

typedef struct sn_object_type {
    const char *name;
    const char *about;  /* one sentence */
    const char *parts;  /* the names of its parts, and of its constraints, for the documentation: "parts: start, end;
                          constraints: links, bend" */
    uint32_t dimension; /* 1 line, 2 sheet, 3 solid: the units of its stuff; 0: has none */
    bool lines;         /* its stretch is that of ropes in it, 1/N, whatever its dimension */
    bool spatial;       /* not in a 2D world */
    bool collides;      /* its bodies or particles collide with each other, unless its group says otherwise */
    const sn_record *record; /* its own keys */
    bool (*build)(sn_build *build,
                  const void *def); /* def is the record's struct; false after an error was written down */
} sn_object_type;

extern const sn_record sn_turn_record;

/* All of them: 0 .. sn_object_type_count() - 1, and by name (NULL if there is none). */
uint32_t sn_object_type_count(void);
const sn_object_type *sn_object_type_at(uint32_t i);
const sn_object_type *sn_object_type_find(const char *name);

/* The number in the world of the particle that an item is, or that is at the centre of mass of the body that it is. */
uint32_t sn_object_number(const sn_world *world, const sn_object *object, uint32_t item);

/* How many items it has. */
static inline uint32_t sn_object_items(const sn_object *object)
{
    return object->run.count + object->body_count;
}

/* The body that an item is; null if it is none. */
sn_body sn_object_body_at(const sn_object *object, uint32_t item);

/* What an item is called: "crate", "doll.head", "wall[12]". */
void sn_object_label(const sn_object *object, uint32_t item, char *text, size_t size);

/* ---- For builders --------------------------------------------------------------------------------------------------
   Each returns false, or NULL, after an error was written down; the builder then returns false at once. */

/* The first call of every builder: says how much it is going to make, in doubles so that absurd numbers stay absurd. Refused,
   naming the numbers, if that is beyond what the scene may take. */
bool sn_build_begin(sn_build *build, double particles, double constraints);

/* Room for count items of so many bytes, until the builder returns. */
void *sn_build_take(sn_build *build, uint64_t count, size_t size);

/* The mass of the whole object, kg: what was given, or density times measure (length, area or volume in m, m^2, m^3, scaled
   already), or otherwise 1 kg. */
sn_real sn_build_mass(const sn_build *build, double measure);

/* def.scale, for builders that need to know real lengths. Places given to sn_build_particles are in the frame, unscaled. */
double sn_build_scale(const sn_build *build);

/* A vector of the object's frame as it lies in the world. */
sn_vec3 sn_build_turn_vector(const sn_build *build, sn_vec3 v);

/* The particles, once per object: places in the object's frame, masses in kg (SN_IMMOVABLE is fine) one each, or mass NULL:
   the whole mass `total` in equal shares. */
bool sn_build_particles(sn_build *build, uint32_t count, const sn_vec3 *place, const sn_real *mass, sn_real total);

/* Constraints of one kind; index holds particles of the object, from 0 on. param as in sn_constraints_add: the parameters of
   each, or NULL, and then those in def (whose compliance and stiffness are not looked at). compliance is that of one
   constraint in the kind's own unit; factor, one each, multiplies it (NULL: 1). Damping and stiffness come from the stuff. */
bool sn_build_constraints(sn_build *build, const char *name, const sn_constraint_def *def, uint32_t count,
                          const uint32_t *index, const sn_real *param, double compliance, const sn_real *factor);

/* The same, measured, and rigid where compliance is 0. */
bool sn_build_ties(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                   double compliance);

/* One constraint of a kind with any number of points. */
bool sn_build_constraint_of(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                            const sn_real *param, double compliance);

/* A vector or place of the object's frame as it lies in the world. */
sn_vec3 sn_build_place(const sn_build *build, sn_vec3 place);

/* A rigid body, behind all particles: def as for sn_body_add, but in the object's frame, with which it is moved, turned and
   scaled. Its group is the object's. *item, which may be NULL, gets what it is in the object. */
bool sn_build_body(sn_build *build, const sn_body_def *def, uint32_t *item);

/* A capsule's place, rotation and half from the centres of its ends; for boxes along y, too. Gives their distance. */
double sn_shape_between(sn_vec3 a, sn_vec3 b, sn_shape_def *shape);

#define SN_NO_ITEM UINT32_MAX

/* A joint between two bodies of the object, or one (SN_NO_ITEM) and the world. joint as for sn_joint_add, but anchor and axis
   in the object's frame; its a and b are not looked at. */
bool sn_build_joint(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b);

/* The same where the axis of b is another one now: a limb that leans in a cone whose middle is joint->axis. */
bool sn_build_joint_leaning(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b,
                            sn_vec3 axis_b);

/* kg/m^3 of an object of so many m^3, scaled: by its mass, or its density, or, if neither is given, 1000. */
double sn_build_density(const sn_build *build, double volume);

/* Any other constraint, with points in the world. */
bool sn_build_tie(sn_build *build, const char *name, const sn_constraint_def *def);

/* Names constraints; those that follow each other under one name are one run. */
bool sn_build_hold(sn_build *build, const char *name, sn_constraints run);

/* Names a part: these items, copied; or a range. Every object has "all". */
bool sn_build_part(sn_build *build, const char *name, uint32_t count, const uint32_t *index);
bool sn_build_range(sn_build *build, const char *name, uint32_t first, uint32_t count);

/* What is drawn, copied. Triangles are counter-clockwise seen from outside. */
bool sn_build_triangles(sn_build *build, uint32_t count, const uint32_t *triangle);
bool sn_build_lines(sn_build *build, uint32_t count, const uint32_t *line);

/* Where the particles were when the rest shape of their group was taken, m, copied: for what was saved on the way. Otherwise
   that is where they are. */
bool sn_build_rest(sn_build *build, const sn_vec3 *rest);

/* Reads a mesh file, named by a key of the object, through the scene's access to files; it lies in the scratch. */
bool sn_build_mesh(sn_build *build, const char *key, const char *file, sn_mesh *mesh, sn_mesh_notes *notes);

/* An error about a key of the object (NULL: the object as a whole), or a note, such as how many vertices were welded. */
bool sn_build_fail(sn_build *build, const char *key, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
void sn_build_note(sn_build *build, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
