/* The tables of the scene format for rigid bodies. See record.h. */
#include "scene/bodies.h"
#include "scene/contact.h"

#include <math.h>

#define UNLIMITED INFINITY
#define NOT_GIVEN ((sn_real)NAN)
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

#define BODY(key) offsetof(sn_body_keys, key)

static const sn_key body_keys[] = {
    {"position", SN_KEY_VECTOR, BODY(position), .unit = "m", .about = "where the origin of its own frame lies"},
    {"turn", SN_KEY_RECORD, BODY(turn), .of = &sn_turn_record,
     .about = "how the object's frame is turned about its origin"},
    {"rotation", SN_KEY_REALS, BODY(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"velocity", SN_KEY_VECTOR, BODY(velocity), .unit = "m/s",
     .about = "the velocity of its centre of mass at the start"},
    {"spin", SN_KEY_VECTOR, BODY(spin), .unit = "rad/s",
     .about = "turning at the start, as a vector along the axis, in the world"},
    {"shapes", SN_KEY_VALUE, BODY(shapes), .of = "shapes",
     .about = "the convex shapes that it is made of: one, or a list; without them it collides with nothing"},
    {"density", SN_KEY_REAL, BODY(density), .unit = "kg/m^3", .flags = SN_KEY_POSITIVE,
     .about = "the density of shapes that have none of their own, and of the mesh"},
    {"mass", SN_KEY_REAL, BODY(mass), .unit = "kg", .least = 1e-30, .most = 1e30,
     .about = "the mass of the body; if not given, by density and volume"},
    {"immovable", SN_KEY_TRUTH, BODY(immovable), .about = "nothing but a motion moves it"},
    {"centre", SN_KEY_VECTOR, BODY(centre), .unit = "m",
     .about = "the centre of mass, in its frame; from its shapes or its mesh if not given"},
    {"moments", SN_KEY_VECTOR, BODY(moments), .unit = "kg m^2", .most = UNLIMITED,
     .about = "the moments of inertia about the principal axes through the centre; 0: it does not turn about that one. "
              "From its shapes or its mesh, and in proportion to the mass, if not given"},
    {"axes", SN_KEY_REALS, BODY(axes),
     .about = "how the principal axes of those are turned in its frame: a quaternion x, y, z, w"},
    {"spin_damping", SN_KEY_REAL, BODY(spin_damping), .unit = "1/s", .most = UNLIMITED,
     .about = "its spin decays at this rate, besides that of the world"},
    {"mesh", SN_KEY_TEXT, BODY(mesh),
     .about = "an OBJ or PLY file with a closed mesh, in its frame, from which mass, centre and inertia are taken in "
              "place of the shapes, which then serve contact alone"},
    {"weld", SN_KEY_REAL, BODY(weld), .unit = "m", .most = 1e6,
     .about = "vertices of that file that are at most this far apart become one; 0 merges equal ones only"},
    {"scale", SN_KEY_REAL, BODY(scale), .flags = SN_KEY_POSITIVE, .about = "the scale of its vertices"},
    {"vertices", SN_KEY_REALS, BODY(vertices), .unit = "m",
     .about = "instead of a file: x, y, z of each vertex, one after the other"},
    {"triangles", SN_KEY_REALS, BODY(triangles), .most = 4294967295.0,
     .about = "with vertices: three of them for each triangle, counter-clockwise seen from outside"},
    END};

static void body_defaults(void *record)
{
    sn_body_def standard = sn_default_body_def();
    *(sn_body_keys *)record = (sn_body_keys){.turn = {.axis = {0, 1, 0}},
                                             .density = standard.density,
                                             .mass = NOT_GIVEN,
                                             .centre = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN},
                                             .moments = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN},
                                             .scale = 1};
}

const sn_record sn_body_record = {"body", "A dynamic rigid body: convex shapes that move and turn as one.",
                                  sizeof(sn_body_keys), body_keys, body_defaults};

static const char *const type_names[] = {"dynamic", "static", "kinematic"};
static const char *const type_about[] = {"forces, constraints and contact move it", "it stands",
                                         "it moves as the scene says, and pushes what is in its way"};
const sn_choices sn_body_type_choices = {3, type_names, type_about};

#define LONE(key) offsetof(sn_lone_body_keys, key)

static const sn_key lone_keys[] = {
    {"name", SN_KEY_TEXT, LONE(name),
     .about = "the name by which the scene refers to it, as it does objects: letters, digits, '_' and '-'; 'body' and "
              "its place in the list if not given"},
    {"type", SN_KEY_CHOICE, LONE(type), .of = &sn_body_type_choices,
     .about = "whether it is dynamic; other types have the keys of a fixed body"},
    {"group", SN_KEY_VALUE, LONE(group), .of = "group_use",
     .about = "its group: a number, or the name of a group; 0, whose members collide with each other, if not given"},
    {"contact", SN_KEY_VALUE, LONE(contact), .of = "group",
     .about = "how it takes part in contact: what its group is, if that is not said in groups. It then has a group of "
              "its own unless one is given"},
    {"pinned", SN_KEY_TRUTH, LONE(pinned), .about = "it does not move until an event releases it"},
    END};

const sn_record sn_lone_body_record = {"body_of_scene",
                                       "What dynamic bodies of the list 'bodies' have besides those of an object.",
                                       sizeof(sn_lone_body_keys), lone_keys, NULL};

/* ---- Static and kinematic bodies --------------------------------------------------------------------------------- */

#define FIXED(key) offsetof(sn_fixed_body_keys, key)

static const sn_key fixed_keys[] = {
    {"name", SN_KEY_TEXT, FIXED(name),
     .about = "the name by which the scene refers to it, as it does objects: letters, digits, '_' and '-'; the type of "
              "its first shape and a number if not given"},
    {"type", SN_KEY_CHOICE, FIXED(type), .of = &sn_body_type_choices, .flags = SN_KEY_REQUIRED,
     .about = "static: it stands; kinematic: it moves on at its velocity, or moves along keyframes"},
    {"group", SN_KEY_VALUE, FIXED(group), .of = "group_use",
     .about = "its group: a number, or the name of a group, whose material and filter it has where its shapes have "
              "none; 0 if not given"},
    {"position", SN_KEY_VECTOR, FIXED(position), .unit = "m",
     .about = "where the origin of the object's frame lies in the world"},
    {"turn", SN_KEY_RECORD, FIXED(turn), .of = &sn_turn_record,
     .about = "how the object's frame is turned about its origin"},
    {"rotation", SN_KEY_REALS, FIXED(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"velocity", SN_KEY_VECTOR, FIXED(velocity), .unit = "m/s",
     .about = "the velocity at which a kinematic body moves on"},
    {"spin", SN_KEY_VECTOR, FIXED(spin), .unit = "rad/s",
     .about = "how fast a kinematic body turns about its origin, as a vector along the axis"},
    {"shapes", SN_KEY_VALUE, FIXED(shapes), .of = "shapes", .flags = SN_KEY_REQUIRED,
     .about = "what it is made of: one shape of any type, or a list"},
    END};

static void fixed_defaults(void *record)
{
    *(sn_fixed_body_keys *)record = (sn_fixed_body_keys){.turn = {.axis = {0, 1, 0}}};
}

const sn_record sn_fixed_body_record = {"fixed_body", "A static or kinematic body, which nothing pushes.",
                                        sizeof(sn_fixed_body_keys), fixed_keys, fixed_defaults};
