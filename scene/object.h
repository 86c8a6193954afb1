/* Objects: ropes, cloths, figures. An object type is one file in scene/objects/ and one line in scene/objects.def.
   The reader, the schema, the documentation and `sinew list` get it from that line.

   A builder places particles in the object's own frame, adds constraints between them, names parts of them by which
   others refer to them ("top_left", "end"), and lists the triangles or lines to draw. Then the frame is moved,
   rotated and scaled into the world, and pins and velocities are set; the builder has no part in that. */
#ifndef SN_SCENE_OBJECT_H
#define SN_SCENE_OBJECT_H

#include "scene/mesh.h"
#include "scene/record.h"

#include <sinew/scene_objects.h>

/* Some items of an object under a name. Its items are its particles, from 0 on, followed by its bodies. */
typedef struct sn_part {
    const char *name;
    uint32_t count;
    const uint32_t *index; /* of items in the object, from 0 on; NULL: the items first .. first + count - 1 */
    uint32_t first;
} sn_part;

/* A rigid body of an object. */
typedef struct sn_object_body {
    sn_body handle;
    sn_body_def *def;  /* its definition in the world; the lists live as long as the scene */
    sn_body_def first; /* what sn_body_read returned when it was made, without lists */
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
    const uint32_t *triangle; /* its surface: three particles each, as numbers in the object, from 0 on */
    uint32_t cells[3];        /* along x, y and z, of a lattice without tetrahedra; 0: none */
    uint32_t line_count;
    const uint32_t *line; /* lines to draw: two particles each */
    uint32_t group;
    sn_object_skin skin_def;
    sn_skin skin;        /* null: it has none */
    const sn_vec3 *rest; /* m: its particles in the rest shape of its group; NULL: no rest shape was taken */
};

/* The object that a builder makes, and what it needs for that. */
typedef struct sn_build {
    struct sn_scene *scene;
    const sn_object_def *def;
    const sn_stuff *stuff; /* def->stuff with shear filled in */
    sn_arena *scratch;     /* empty at the start, released when the builder returns */
    sn_object *object;     /* the object that is being made */
    uint32_t dimensions;   /* of the world */
    sn_reader *reader;     /* at the path of the object, for messages */
} sn_build;

typedef struct sn_object_type {
    const char *name;
    const char *about;  /* one sentence */
    const char *parts;  /* the names of its parts, and of its constraints, for the documentation: "parts: start, end;
                          constraints: links, bend" */
    uint32_t dimension; /* 1 line, 2 sheet, 3 solid: the units of its stuff; 0: it has no stuff */
    bool lines;         /* `stretch` is that of a rope, 1/N, whatever its dimension */
    bool spatial;       /* not possible in a 2D world */
    bool collides;      /* its bodies or particles collide with each other, unless its group is set otherwise */
    const sn_record *record;                         /* its own keys */
    bool (*build)(sn_build *build, const void *def); /* def is the record's struct; false after an error was reported */
} sn_object_type;

extern const sn_record sn_turn_record;

/* All types: 0 .. sn_object_type_count() - 1; and by name (NULL if there is none). */
uint32_t sn_object_type_count(void);
const sn_object_type *sn_object_type_at(uint32_t i);
const sn_object_type *sn_object_type_find(const char *name);

/* The world's number of the particle of an item; for a body, that of the particle at its centre of mass. */
uint32_t sn_object_number(const sn_world *world, const sn_object *object, uint32_t item);

/* The number of its items. */
static inline uint32_t sn_object_items(const sn_object *object)
{
    return object->run.count + object->body_count;
}

/* The body of an item; null if the item is a particle. */
sn_body sn_object_body_at(const sn_object *object, uint32_t item);

/* The name of an item: "crate", "doll.head", "wall[12]". */
void sn_object_label(const sn_object *object, uint32_t item, char *text, size_t size);

/* ---- For builders ---------------------------------------------------------------------------------------------------
   Each returns false, or NULL, after an error was reported; the builder then returns false at once. */

/* The first call of every builder: announces how much it will make, as doubles, in which absurd numbers do not
   overflow. Refused, with a message that has the numbers, if that is more than the scene may take. */
bool sn_build_begin(sn_build *build, double particles, double constraints);

/* Room for count items of so many bytes, until the builder returns. */
void *sn_build_take(sn_build *build, uint64_t count, size_t size);

/* The mass of the whole object, kg: the one given, or density times measure (length, area or volume in m, m^2, m^3,
   scaled already), or else 1 kg. */
sn_real sn_build_mass(const sn_build *build, double measure);

/* def.scale, for builders that need real lengths. Positions for sn_build_particles are in the frame, unscaled. */
double sn_build_scale(const sn_build *build);

/* Rotates a vector of the object's frame into the world, without scaling it. */
sn_vec3 sn_build_turn_vector(const sn_build *build, sn_vec3 v);

/* Adds the particles; called once per object. place: positions in the object's frame. mass: one each, kg
   (SN_IMMOVABLE is allowed), or NULL: equal shares of `total`. */
bool sn_build_particles(sn_build *build, uint32_t count, const sn_vec3 *place, const sn_real *mass, sn_real total);

/* Adds constraints of one kind; index holds particles of the object, from 0 on. param as in sn_constraints_add: the
   parameters of each, or NULL, and then those in def (whose compliance and stiffness are ignored). compliance is
   that of one constraint in the kind's own unit; factor, one each, multiplies it (NULL: 1). Damping and stiffness
   come from the stuff. */
bool sn_build_constraints(sn_build *build, const char *name, const sn_constraint_def *def, uint32_t count,
                          const uint32_t *index, const sn_real *param, double compliance, const sn_real *factor);

/* The same, with parameters measured from the positions; rigid where compliance is 0. */
bool sn_build_ties(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                   double compliance);

/* One constraint of a kind with any number of points. */
bool sn_build_constraint_of(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                            const sn_real *param, double compliance);

/* A point of the object's frame in the world. */
sn_vec3 sn_build_place(const sn_build *build, sn_vec3 place);

/* Adds a rigid body; all particles come first. def as for sn_body_add, but in the object's frame, with which it is
   moved, rotated and scaled. Its group is the object's. *item, which may be NULL, gets its item number in the
   object. */
bool sn_build_body(sn_build *build, const sn_body_def *def, uint32_t *item);

/* Sets position, rotation and half of a capsule from the centres of its ends; also of a box along y. Returns their
   distance. */
double sn_shape_between(sn_vec3 a, sn_vec3 b, sn_shape_def *shape);

#define SN_NO_ITEM UINT32_MAX

/* A joint between two bodies of the object, or between one and the world (SN_NO_ITEM). joint as for sn_joint_add,
   but anchor and axis in the object's frame; its a and b are ignored. */
bool sn_build_joint(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b);

/* The same with another present axis of b: a limb that now leans away from joint->axis, the middle of its cone. */
bool sn_build_joint_leaning(sn_build *build, const char *name, const sn_joint_def *joint, uint32_t a, uint32_t b,
                            sn_vec3 axis_b);

/* The density, kg/m^3, of an object of that volume (m^3, scaled): from its mass, or its own density, or, if neither
   is given, 1000. */
double sn_build_density(const sn_build *build, double volume);

/* Adds any other constraint, with points in the world. */
bool sn_build_tie(sn_build *build, const char *name, const sn_constraint_def *def);

/* Names constraints; consecutive runs of the same name become one run. */
bool sn_build_hold(sn_build *build, const char *name, sn_constraints run);

/* Names a part: these items, copied; or a range of items. Every object has the part "all". */
bool sn_build_part(sn_build *build, const char *name, uint32_t count, const uint32_t *index);
bool sn_build_range(sn_build *build, const char *name, uint32_t first, uint32_t count);

/* Sets the triangles or lines to draw, copied. Triangles are counter-clockwise seen from outside. */
bool sn_build_triangles(sn_build *build, uint32_t count, const uint32_t *triangle);
bool sn_build_lines(sn_build *build, uint32_t count, const uint32_t *line);

/* Sets the positions of the rest shape, m, copied, for objects of a saved scene. Without this call, the rest shape
   is the present shape. */
bool sn_build_rest(sn_build *build, const sn_vec3 *rest);

/* Reads the mesh file that a key of the object names, through the scene's access to files, into the scratch. */
bool sn_build_mesh(sn_build *build, const char *key, const char *file, sn_mesh *mesh, sn_mesh_notes *notes);

/* Reports an error about a key of the object (NULL: the object as a whole), or a note, such as the number of welded
   vertices. */
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
