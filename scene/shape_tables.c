/* The tables of the scene format for shapes. See record.h. */
#include "scene/bodies.h"

#include <math.h>

#define UNLIMITED INFINITY
#define NOT_GIVEN ((sn_real)NAN)
#define ALL_BITS  4294967295.0
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

#define SHAPE(key) offsetof(sn_shape_keys, key)

static const sn_key shape_keys[] = {
    {"type", SN_KEY_TEXT, SHAPE(type), .flags = SN_KEY_REQUIRED,
     .about = "the type of the shape: sphere, box, hull and others"},
    {"position", SN_KEY_VECTOR, SHAPE(position), .unit = "m", .about = "where the shape is, in the frame of its body"},
    {"turn", SN_KEY_RECORD, SHAPE(turn), .of = &sn_turn_record,
     .about = "how the shape is turned, in the frame of its body"},
    {"rotation", SN_KEY_REALS, SHAPE(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"rounding", SN_KEY_REAL, SHAPE(rounding), .unit = "m", .most = UNLIMITED,
     .about = "the shape becomes larger by this all around, with round edges"},
    {"density", SN_KEY_REAL, SHAPE(density), .unit = "kg/m^3", .flags = SN_KEY_POSITIVE,
     .about = "the density of the shape, of a dynamic body; that of the body if not given"},
    {"material", SN_KEY_RECORD, SHAPE(material), .of = &sn_surface_record,
     .about = "friction and restitution of the shape; those of the group of its body if not given"},
    {"category", SN_KEY_COUNT, SHAPE(category), .most = ALL_BITS,
     .about = "a bit set: what it is; with mask, those of the group of its body if neither is given"},
    {"mask", SN_KEY_COUNT, SHAPE(mask), .most = ALL_BITS,
     .about = "the categories that the shape collides with, if they collide with it, too"},
    {"sensor", SN_KEY_TRUTH, SHAPE(sensor), .about = "the shape notices contact, exerts no force and has no mass"},
    END};

static void shape_defaults(void *record)
{
    const sn_filter filter = sn_default_filter();
    sn_shape_keys *keys = record;
    *keys = (sn_shape_keys){
        .turn = {.axis = {0, 1, 0}}, .density = NOT_GIVEN, .category = filter.category, .mask = filter.mask};
    sn_surface_defaults(&keys->material);
}

const sn_record sn_shape_record = {"shape", "What all shapes have.", sizeof(sn_shape_keys), shape_keys, shape_defaults};

static const sn_key ball_keys[] = {{"radius", SN_KEY_REAL, offsetof(sn_ball_keys, radius), .unit = "m",
                                    .flags = SN_KEY_POSITIVE, .about = "the radius of the sphere"},
                                   END};

static void ball_defaults(void *record)
{
    *(sn_ball_keys *)record = (sn_ball_keys){.radius = sn_default_shape_def(SN_SHAPE_SPHERE).radius};
}

static const sn_record ball_record = {"sphere", "A sphere.", sizeof(sn_ball_keys), ball_keys, ball_defaults};

#define ALONG_KEYS(about_radius, about_length, about_from, about_to)                                                   \
    {"radius",                                                                                                         \
     SN_KEY_REAL,                                                                                                      \
     offsetof(sn_capsule_keys, radius),                                                                                \
     .unit = "m",                                                                                                      \
     .flags = SN_KEY_POSITIVE,                                                                                         \
     .about = about_radius},                                                                                           \
        {"length",                                                                                                     \
         SN_KEY_REAL,                                                                                                  \
         offsetof(sn_capsule_keys, length),                                                                            \
         .unit = "m",                                                                                                  \
         .flags = SN_KEY_POSITIVE,                                                                                     \
         .about = about_length},                                                                                       \
        {"from", SN_KEY_VECTOR, offsetof(sn_capsule_keys, from), .unit = "m", .about = about_from},                    \
        {"to", SN_KEY_VECTOR, offsetof(sn_capsule_keys, to), .unit = "m", .about = about_to}, END

static const sn_key capsule_keys[] = {ALONG_KEYS("the radius of the tube and of its round ends",
                                                 "the distance between the centres of its ends, along its own y axis",
                                                 "the centre of one end, instead of position, turn and length",
                                                 "the centre of the other end")};

static const sn_key cylinder_keys[] = {
    ALONG_KEYS("the radius of its caps", "the distance between its caps, along its own y axis",
               "the centre of one cap, instead of position, turn and length", "the centre of the other end")};

static const sn_key cone_keys[] = {ALONG_KEYS(
    "the radius of its base", "the distance from its base to its tip, along its own y axis; its position is half way",
    "the centre of its base, instead of position, turn and length", "where its tip is, with from")};

static void along_defaults(void *record)
{
    sn_shape_def standard = sn_default_shape_def(SN_SHAPE_CAPSULE);
    *(sn_capsule_keys *)record = (sn_capsule_keys){.radius = standard.radius,
                                                   .length = 2 * standard.half.y,
                                                   .from = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN},
                                                   .to = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN}};
}

static const sn_record capsule_record = {"capsule", "A capsule.", sizeof(sn_capsule_keys), capsule_keys,
                                         along_defaults};
static const sn_record cylinder_record = {"cylinder", "A cylinder.", sizeof(sn_capsule_keys), cylinder_keys,
                                          along_defaults};
static const sn_record cone_record = {"cone", "A cone.", sizeof(sn_capsule_keys), cone_keys, along_defaults};

static const sn_key cuboid_keys[] = {
    {"size", SN_KEY_VECTOR, offsetof(sn_cuboid_keys, size), .unit = "m", .most = UNLIMITED,
     .about = "its edges along x, y and z of its frame, whose origin is in the middle"},
    END};

static void cuboid_defaults(void *record)
{
    *(sn_cuboid_keys *)record = (sn_cuboid_keys){.size = {1, 1, 1}};
}

static const sn_record cuboid_record = {"box", "A box.", sizeof(sn_cuboid_keys), cuboid_keys, cuboid_defaults};

static const sn_key hull_keys[] = {
    {"points", SN_KEY_REALS, offsetof(sn_shape_hull_keys, points), .unit = "m",
     .about = "x, y, z of each point, one after the other; the hull has at most 128 corners"},
    {"mesh", SN_KEY_TEXT, offsetof(sn_shape_hull_keys, mesh),
     .about = "instead of points: an OBJ or PLY file, of which the vertices count"},
    {"scale", SN_KEY_REAL, offsetof(sn_shape_hull_keys, scale), .flags = SN_KEY_POSITIVE,
     .about = "the scale of the points of the mesh"},
    END};

static void hull_defaults(void *record)
{
    *(sn_shape_hull_keys *)record = (sn_shape_hull_keys){.scale = 1};
}

static const sn_record hull_record = {"hull", "A convex hull.", sizeof(sn_shape_hull_keys), hull_keys, hull_defaults};

static const sn_key plane_keys[] = {{"normal", SN_KEY_VECTOR, offsetof(sn_plane_keys, normal),
                                     .about = "the normal of the plane, in its frame; everything behind it is solid"},
                                    END};

static void plane_defaults(void *record)
{
    *(sn_plane_keys *)record = (sn_plane_keys){.normal = {0, 1, 0}};
}

static const sn_record plane_record = {"plane", "A plane.", sizeof(sn_plane_keys), plane_keys, plane_defaults};

#define SHELL_KEYS(type)                                                                                               \
    {"mesh", SN_KEY_TEXT, offsetof(type, shell.mesh), .about = "an OBJ or PLY file with its triangles"},               \
        {"weld",                                                                                                       \
         SN_KEY_REAL,                                                                                                  \
         offsetof(type, shell.weld),                                                                                   \
         .unit = "m",                                                                                                  \
         .most = 1e6,                                                                                                  \
         .about = "vertices of the file that are at most this far apart become one; 0 merges equal ones only"},        \
        {"scale", SN_KEY_REAL, offsetof(type, shell.scale), .flags = SN_KEY_POSITIVE,                                  \
         .about = "the scale of its vertices"},                                                                        \
        {"vertices", SN_KEY_REALS, offsetof(type, shell.vertices), .unit = "m",                                        \
         .about = "instead of a file: x, y, z of each vertex, one after the other"},                                   \
    {                                                                                                                  \
        "triangles", SN_KEY_REALS, offsetof(type, shell.triangles),                                                    \
            .most = 4294967295.0,                                                                                      \
            .about = "with vertices: three of them for each triangle, counter-clockwise seen from outside"             \
    }

static const sn_key sheet_keys[] = {SHELL_KEYS(sn_sheet_keys),
                                    {"one_sided", SN_KEY_TRUTH, offsetof(sn_sheet_keys, one_sided),
                                     .about = "an open mesh is solid from the front only"},
                                    END};

static void sheet_defaults(void *record)
{
    *(sn_sheet_keys *)record = (sn_sheet_keys){.shell = {.scale = 1}};
}

static const sn_record sheet_record = {"mesh", "A mesh.", sizeof(sn_sheet_keys), sheet_keys, sheet_defaults};

static const sn_key heights_keys[] = {
    {"heights", SN_KEY_REALS, offsetof(sn_heights_keys, heights), .unit = "m", .flags = SN_KEY_REQUIRED,
     .about = "the heights along its own y axis, on a grid, those along x first"},
    {"counts", SN_KEY_REALS, offsetof(sn_heights_keys, counts), .most = 4294967295.0, .flags = SN_KEY_REQUIRED,
     .about = "how many heights there are along x and z; the middle of the grid is at the position of the shape"},
    {"cell", SN_KEY_REAL, offsetof(sn_heights_keys, cell), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the distance between neighbouring heights"},
    END};

static void heights_defaults(void *record)
{
    *(sn_heights_keys *)record = (sn_heights_keys){.cell = 1};
}

static const sn_record heights_record = {"heights", "A height field.", sizeof(sn_heights_keys), heights_keys,
                                         heights_defaults};

static const sn_key field_keys[] = {
    SHELL_KEYS(sn_field_keys),
    {"cell", SN_KEY_REAL, offsetof(sn_field_keys, cell), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "how fine: between samples; of a mesh, a sixty-fourth of its longest side if not given"},
    {"samples", SN_KEY_REALS, offsetof(sn_field_keys, samples), .unit = "m",
     .about = "instead of a mesh: distances from the surface, negative inside, on a grid, those along x first"},
    {"counts", SN_KEY_REALS, offsetof(sn_field_keys, counts), .most = 4294967295.0,
     .about = "how many samples there are along x, y and z"},
    {"low", SN_KEY_VECTOR, offsetof(sn_field_keys, low), .unit = "m", .about = "where the first sample lies"},
    END};

static void field_defaults(void *record)
{
    *(sn_field_keys *)record = (sn_field_keys){.shell = {.scale = 1}, .cell = NOT_GIVEN};
}

static const sn_record field_record = {"field", "A field.", sizeof(sn_field_keys), field_keys, field_defaults};

const sn_shape_form sn_shape_forms[SN_SHAPE_TYPES] = {
    [SN_SHAPE_SPHERE] = {"sphere", "A sphere", &ball_record},
    [SN_SHAPE_CAPSULE] = {"capsule", "All within a radius of a straight line: a tube with round ends", &capsule_record},
    [SN_SHAPE_BOX] = {"box", "A box", &cuboid_record},
    [SN_SHAPE_HULL] = {"hull", "The convex hull of points", &hull_record},
    [SN_SHAPE_CYLINDER] = {"cylinder", "A cylinder", &cylinder_record},
    [SN_SHAPE_CONE] = {"cone", "A cone", &cone_record},
    [SN_SHAPE_PLANE] = {"plane", "A half space: all that is behind a plane; not of dynamic bodies", &plane_record},
    [SN_SHAPE_MESH] = {"mesh", "Triangles: solid inside if they are closed, otherwise a sheet; not of dynamic bodies",
                       &sheet_record},
    [SN_SHAPE_HEIGHTS] = {"heights", "Ground over a grid; not of dynamic bodies", &heights_record},
    [SN_SHAPE_FIELD] = {"field",
                        "A field of distances on a grid, made of a closed mesh or given: cheaper than a mesh of "
                        "many triangles, and solid all through; not of dynamic bodies",
                        &field_record},
};
