/* The tables of the scene format that are about rigid bodies. See record.h. */
#include "scene/bodies.h"
#include "scene/contact.h"

#include <math.h>

#define UNLIMITED INFINITY
#define NOT_GIVEN ((sn_real)NAN)
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* ---- Bodies ------------------------------------------------------------------------------------------------------------ */

#define BODY(key) offsetof(sn_body_keys, key)

static const sn_key body_keys[] = {
    {"position", SN_KEY_VECTOR, BODY(position), .unit = "m", .about = "where the origin of its own frame lies"},
    {"turn", SN_KEY_RECORD, BODY(turn), .of = &sn_turn_record, .about = "of its frame about its origin"},
    {"rotation", SN_KEY_REALS, BODY(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"velocity", SN_KEY_VECTOR, BODY(velocity), .unit = "m/s", .about = "of its centre of mass, at the start"},
    {"spin", SN_KEY_VECTOR, BODY(spin), .unit = "rad/s",
     .about = "turning at the start, as a vector along the axis, in the world"},
    {"shapes", SN_KEY_VALUE, BODY(shapes), .of = "shapes",
     .about = "the convex parts that it is made of: one, or a list; without them it collides with nothing"},
    {"density", SN_KEY_REAL, BODY(density), .unit = "kg/m^3", .flags = SN_KEY_POSITIVE,
     .about = "of shapes that have none of their own, and of the mesh"},
    {"mass", SN_KEY_REAL, BODY(mass), .unit = "kg", .least = 1e-30, .most = 1e30,
     .about = "if not given, by density and volume"},
    {"immovable", SN_KEY_TRUTH, BODY(immovable), .about = "nothing but a motion moves it"},
    {"centre", SN_KEY_VECTOR, BODY(centre), .unit = "m",
     .about = "of mass, in its frame; from its shapes or its mesh if not given"},
    {"moments", SN_KEY_VECTOR, BODY(moments), .unit = "kg m^2", .most = UNLIMITED,
     .about = "of inertia about the principal axes through the centre; 0: it does not turn about that one. From its "
              "shapes or its mesh, and in proportion to the mass, if not given"},
    {"axes", SN_KEY_REALS, BODY(axes),
     .about = "how the principal axes of those are turned in its frame: a quaternion x, y, z, w"},
    {"spin_damping", SN_KEY_REAL, BODY(spin_damping), .unit = "1/s", .most = UNLIMITED,
     .about = "its spin decays at this rate, besides that of the world"},
    {"mesh", SN_KEY_TEXT, BODY(mesh),
     .about = "an OBJ or PLY file with a closed mesh, in its frame, from which mass, centre and inertia are taken in "
              "place of the shapes, which then serve contact alone"},
    {"weld", SN_KEY_REAL, BODY(weld), .unit = "m", .most = 1e6,
     .about = "vertices of that file that are at most this far apart become one; 0 merges equal ones only"},
    {"scale", SN_KEY_REAL, BODY(scale), .flags = SN_KEY_POSITIVE, .about = "of its vertices"},
    {"vertices", SN_KEY_REALS, BODY(vertices), .unit = "m",
     .about = "instead of a file: x, y, z of each vertex, one after the other"},
    {"triangles", SN_KEY_REALS, BODY(triangles), .most = 4294967295.0,
     .about = "and three vertices for each triangle, counter-clockwise seen from outside"},
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

const sn_record sn_body_record = {"body", "A rigid body: convex parts that move and turn as one.", sizeof(sn_body_keys),
                                  body_keys, body_defaults};

#define LONE(key) offsetof(sn_lone_body_keys, key)

static const sn_key lone_keys[] = {
    {"name", SN_KEY_TEXT, LONE(name),
     .about = "by which the scene calls it, as it does objects: letters, digits, '_' and '-'; 'body' and its place in "
              "the list if not given"},
    {"group", SN_KEY_VALUE, LONE(group), .of = "group_use",
     .about = "affiliation: a number, or the name of a group; 0, whose members collide with each other, if not given"},
    {"contact", SN_KEY_VALUE, LONE(contact), .of = "group",
     .about = "how it takes part in contact: what its group is, if that is not said in groups. It then has a group of "
              "its own unless one is given"},
    {"pinned", SN_KEY_TRUTH, LONE(pinned), .about = "it does not move until an event releases it"},
    END};

const sn_record sn_lone_body_record = {"body_of_scene",
                                       "What bodies of the list 'bodies' have besides those of an object.",
                                       sizeof(sn_lone_body_keys), lone_keys, NULL};

/* ---- Shapes ------------------------------------------------------------------------------------------------------------- */

#define SHAPE(key) offsetof(sn_shape_keys, key)

static const sn_key shape_keys[] = {
    {"type", SN_KEY_TEXT, SHAPE(type), .flags = SN_KEY_REQUIRED, .about = "which shape it is"},
    {"position", SN_KEY_VECTOR, SHAPE(position), .unit = "m", .about = "where it is in the body's frame"},
    {"turn", SN_KEY_RECORD, SHAPE(turn), .of = &sn_turn_record, .about = "how it is turned there"},
    {"rotation", SN_KEY_REALS, SHAPE(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"density", SN_KEY_REAL, SHAPE(density), .unit = "kg/m^3", .flags = SN_KEY_POSITIVE,
     .about = "that of the body if not given"},
    END};

static void shape_defaults(void *record)
{
    *(sn_shape_keys *)record = (sn_shape_keys){.turn = {.axis = {0, 1, 0}}, .density = NOT_GIVEN};
}

const sn_record sn_shape_record = {"shape", "What all shapes of bodies have.", sizeof(sn_shape_keys), shape_keys,
                                   shape_defaults};

static const sn_key sphere_keys[] = {{"radius", SN_KEY_REAL, offsetof(sn_shape_sphere_keys, radius), .unit = "m",
                                      .flags = SN_KEY_POSITIVE, .about = "about its position"},
                                     END};

static void sphere_defaults(void *record)
{
    *(sn_shape_sphere_keys *)record = (sn_shape_sphere_keys){.radius = sn_default_body_shape(SN_BODY_SPHERE).radius};
}

static const sn_record sphere_record = {"sphere", "A sphere.", sizeof(sn_shape_sphere_keys), sphere_keys,
                                        sphere_defaults};

static const sn_key capsule_keys[] = {
    {"radius", SN_KEY_REAL, offsetof(sn_capsule_keys, radius), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "of the tube and of its round ends"},
    {"length", SN_KEY_REAL, offsetof(sn_capsule_keys, length), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "between the centres of its ends, along its own y axis"},
    {"from", SN_KEY_VECTOR, offsetof(sn_capsule_keys, from), .unit = "m",
     .about = "the centre of one end, instead of position, turn and length"},
    {"to", SN_KEY_VECTOR, offsetof(sn_capsule_keys, to), .unit = "m", .about = "and that of the other"},
    END};

static void capsule_defaults(void *record)
{
    sn_body_shape standard = sn_default_body_shape(SN_BODY_CAPSULE);
    *(sn_capsule_keys *)record = (sn_capsule_keys){.radius = standard.radius,
                                                   .length = 2 * standard.half.y,
                                                   .from = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN},
                                                   .to = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN}};
}

static const sn_record capsule_record = {"capsule", "A capsule.", sizeof(sn_capsule_keys), capsule_keys,
                                         capsule_defaults};

static const sn_key box_keys[] = {{"size", SN_KEY_VECTOR, offsetof(sn_shape_box_keys, size), .unit = "m",
                                   .most = UNLIMITED, .about = "its edges along its own x, y and z"},
                                  {"rounding", SN_KEY_REAL, offsetof(sn_shape_box_keys, rounding), .unit = "m",
                                   .most = UNLIMITED, .about = "it is so much larger all around, with round edges"},
                                  END};

static void box_defaults(void *record)
{
    *(sn_shape_box_keys *)record = (sn_shape_box_keys){.size = {1, 1, 1}};
}

static const sn_record box_record = {"box", "A box.", sizeof(sn_shape_box_keys), box_keys, box_defaults};

static const sn_key hull_keys[] = {
    {"points", SN_KEY_REALS, offsetof(sn_shape_hull_keys, points), .unit = "m",
     .about = "x, y, z of each point, one after the other; the hull has at most 128 corners"},
    {"mesh", SN_KEY_TEXT, offsetof(sn_shape_hull_keys, mesh),
     .about = "instead of points: an OBJ or PLY file, of which the vertices count"},
    {"scale", SN_KEY_REAL, offsetof(sn_shape_hull_keys, scale), .flags = SN_KEY_POSITIVE, .about = "of those"},
    {"rounding", SN_KEY_REAL, offsetof(sn_shape_hull_keys, rounding), .unit = "m", .most = UNLIMITED,
     .about = "it is so much larger all around, with round edges"},
    END};

static void hull_defaults(void *record)
{
    *(sn_shape_hull_keys *)record = (sn_shape_hull_keys){.scale = 1};
}

static const sn_record hull_record = {"hull", "A convex hull.", sizeof(sn_shape_hull_keys), hull_keys, hull_defaults};

const sn_shape_form sn_shape_forms[SN_SHAPE_FORMS] = {
    [SN_BODY_SPHERE] = {"sphere", "A sphere", &sphere_record},
    [SN_BODY_CAPSULE] = {"capsule", "All within a radius of a straight line: a tube with round ends", &capsule_record},
    [SN_BODY_BOX] = {"box", "A box", &box_record},
    [SN_BODY_HULL] = {"hull", "The convex hull of points", &hull_record},
};
