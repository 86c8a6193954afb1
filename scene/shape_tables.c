/* The tables of the scene format that are about shapes. See record.h. */
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
    {"type", SN_KEY_TEXT, SHAPE(type), .flags = SN_KEY_REQUIRED, .about = "which shape it is"},
    {"position", SN_KEY_VECTOR, SHAPE(position), .unit = "m", .about = "where it is in the frame of its body"},
    {"turn", SN_KEY_RECORD, SHAPE(turn), .of = &sn_turn_record, .about = "how it is turned there"},
    {"rotation", SN_KEY_REALS, SHAPE(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"rounding", SN_KEY_REAL, SHAPE(rounding), .unit = "m", .most = UNLIMITED,
     .about = "it is so much larger all around, with round edges"},
    {"density", SN_KEY_REAL, SHAPE(density), .unit = "kg/m^3", .flags = SN_KEY_POSITIVE,
     .about = "of a dynamic body; that of the body if not given"},
    {"material", SN_KEY_RECORD, SHAPE(material), .of = &sn_surface_record,
     .about = "friction and restitution; those of the group of its body if not given"},
    {"category", SN_KEY_COUNT, SHAPE(category), .most = ALL_BITS,
     .about = "a bit set: what it is; with mask, those of the group of its body if neither is given"},
    {"mask", SN_KEY_COUNT, SHAPE(mask), .most = ALL_BITS,
     .about = "with which categories it collides, if those do with it, too"},
    {"sensor", SN_KEY_TRUTH, SHAPE(sensor), .about = "notices contact, and does nothing against it; has no mass"},
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
                                    .flags = SN_KEY_POSITIVE, .about = "about its position"},
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

static const sn_key capsule_keys[] = {
    ALONG_KEYS("of the tube and of its round ends", "between the centres of its ends, along its own y axis",
               "the centre of one end, instead of position, turn and length", "and that of the other")};

static const sn_key cylinder_keys[] = {ALONG_KEYS("of its caps", "between its caps, along its own y axis",
                                                  "the centre of one cap, instead of position, turn and length",
                                                  "and that of the other")};

static const sn_key cone_keys[] = {
    ALONG_KEYS("of its base", "from its base to its tip, along its own y axis; its position is half way",
               "the centre of its base, instead of position, turn and length", "and its tip")};

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
    {"scale", SN_KEY_REAL, offsetof(sn_shape_hull_keys, scale), .flags = SN_KEY_POSITIVE, .about = "of those"},
    END};

static void hull_defaults(void *record)
{
    *(sn_shape_hull_keys *)record = (sn_shape_hull_keys){.scale = 1};
}

static const sn_record hull_record = {"hull", "A convex hull.", sizeof(sn_shape_hull_keys), hull_keys, hull_defaults};

static const sn_key plane_keys[] = {{"normal", SN_KEY_VECTOR, offsetof(sn_plane_keys, normal),
                                     .about = "where it faces, in its frame; all behind it is solid"},
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
        {"scale", SN_KEY_REAL, offsetof(type, shell.scale), .flags = SN_KEY_POSITIVE, .about = "of its vertices"},     \
        {"vertices", SN_KEY_REALS, offsetof(type, shell.vertices), .unit = "m",                                        \
         .about = "instead of a file: x, y, z of each vertex, one after the other"},                                   \
    {                                                                                                                  \
        "triangles", SN_KEY_REALS, offsetof(type, shell.triangles),                                                    \
            .most = 4294967295.0, .about = "and three vertices for each triangle, counter-clockwise seen from outside" \
    }

static const sn_key sheet_keys[] = {SHELL_KEYS(sn_sheet_keys),
                                    {"one_sided", SN_KEY_TRUTH, offsetof(sn_sheet_keys, one_sided),
                                     .about = "of an open mesh: what comes from behind passes"},
                                    END};

static void sheet_defaults(void *record)
{
    *(sn_sheet_keys *)record = (sn_sheet_keys){.shell = {.scale = 1}};
}

static const sn_record sheet_record = {"mesh", "A mesh.", sizeof(sn_sheet_keys), sheet_keys, sheet_defaults};

static const sn_key heights_keys[] = {
    {"heights", SN_KEY_REALS, offsetof(sn_heights_keys, heights), .unit = "m", .flags = SN_KEY_REQUIRED,
     .about = "along its own y axis, on a grid, those along x first"},
    {"counts", SN_KEY_REALS, offsetof(sn_heights_keys, counts), .most = 4294967295.0, .flags = SN_KEY_REQUIRED,
     .about = "how many there are along x and z; the middle of the grid is at its position"},
    {"cell", SN_KEY_REAL, offsetof(sn_heights_keys, cell), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "how far they are apart"},
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
    [SN_SHAPE_PLANE] = {"plane", "All behind a plane, without an end; not of dynamic bodies", &plane_record},
    [SN_SHAPE_MESH] = {"mesh", "Triangles: solid inside if they are closed, otherwise a sheet; not of dynamic bodies",
                       &sheet_record},
    [SN_SHAPE_HEIGHTS] = {"heights", "Ground over a grid; not of dynamic bodies", &heights_record},
    [SN_SHAPE_FIELD] = {"field",
                        "A field of distances on a grid, made of a closed mesh or given: cheaper than a mesh of "
                        "many triangles, and solid all through; not of dynamic bodies",
                        &field_record},
};
