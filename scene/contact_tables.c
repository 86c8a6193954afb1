/* The tables of contact. See record.h. */
#include "scene/contact.h"

#include <math.h>

#define UNLIMITED INFINITY
#define NOT_GIVEN ((sn_real)NAN)
#define ALL_BITS  4294967295.0
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* ---- Settings ---------------------------------------------------------------------------------------------------------- */

#define SETTING(key) offsetof(sn_contact_settings, key)

static const sn_key contact_keys[] = {
    {"on", SN_KEY_TRUTH, SETTING(on), .about = "whether anything collides at all"},
    {"particles", SN_KEY_TRUTH, SETTING(particles), .about = "particles with each other, if they have a radius"},
    {"push_out", SN_KEY_REAL, SETTING(push_out), .unit = "m/s", .flags = SN_KEY_POSITIVE,
     .about = "things that overlap when they first meet are parted at this speed, and keep none of it"},
    {"bounce_above", SN_KEY_REAL, SETTING(bounce_above), .unit = "m/s", .least = -1, .most = UNLIMITED,
     .about = "slower impacts do not bounce; -1: twice gravity times the substep"},
    {"sleep", SN_KEY_TRUTH, SETTING(sleep),
     .about = "what rests in contact for a while is left out of the step until something happens to it"},
    {"sleep_speed", SN_KEY_REAL, SETTING(sleep_speed), .unit = "m/s", .most = UNLIMITED, .about = "slower is rest"},
    {"sleep_time", SN_KEY_REAL, SETTING(sleep_time), .unit = "s", .most = UNLIMITED, .about = "for so long"},
    END};

static void contact_defaults(void *record)
{
    *(sn_contact_settings *)record = sn_default_contact_settings();
}

const sn_record sn_contact_record = {"contact", "How things collide.", sizeof(sn_contact_settings), contact_keys,
                                     contact_defaults};

/* ---- Materials and groups ---------------------------------------------------------------------------------------------- */

static const char *const mix_names[] = {"average", "least", "product", "most"};
static const char *const mix_about[] = {"the mean of the two", "the lesser of the two", "one times the other",
                                        "the greater of the two"};
const sn_choices sn_mix_choices = {4, mix_names, mix_about};

#define SURFACE(key) offsetof(sn_surface_keys, key)

static const sn_key surface_keys[] = {
    {"friction", SN_KEY_REAL, SURFACE(friction), .most = UNLIMITED,
     .about = "both of the next two, where they are not given; 0.5 if it is not given itself"},
    {"static_friction", SN_KEY_REAL, SURFACE(static_friction), .most = UNLIMITED,
     .about = "at rest: so much of what presses holds against sliding"},
    {"dynamic_friction", SN_KEY_REAL, SURFACE(dynamic_friction), .most = UNLIMITED,
     .about = "the same while sliding; not more than static_friction"},
    {"restitution", SN_KEY_REAL, SURFACE(restitution), .least = 0, .most = 1,
     .about = "the share of the speed of approach that is given back"},
    {"rolling", SN_KEY_REAL, SURFACE(rolling), .most = UNLIMITED,
     .about = "resistance to rolling, as a share of what presses, of groups that roll"},
    {"friction_mix", SN_KEY_CHOICE, SURFACE(friction_mix), .of = &sn_mix_choices,
     .about = "how the friction of two that touch becomes one; if they disagree, the later one in this list counts"},
    {"restitution_mix", SN_KEY_CHOICE, SURFACE(restitution_mix), .of = &sn_mix_choices,
     .about = "the same for restitution"},
    END};

static void surface_defaults(void *record)
{
    sn_contact_material standard = sn_default_contact_material();
    *(sn_surface_keys *)record = (sn_surface_keys){.friction = NOT_GIVEN,
                                                   .static_friction = NOT_GIVEN,
                                                   .dynamic_friction = NOT_GIVEN,
                                                   .restitution = standard.restitution,
                                                   .rolling = standard.rolling,
                                                   .friction_mix = standard.friction_mix,
                                                   .restitution_mix = standard.restitution_mix};
}

const sn_record sn_surface_record = {"contact_material", "What a surface does to another that touches it.",
                                     sizeof(sn_surface_keys), surface_keys, surface_defaults};

#define GROUP(key) offsetof(sn_group_keys, key)

static const sn_key group_keys[] = {
    {"material", SN_KEY_RECORD, GROUP(material), .of = &sn_surface_record, .about = "friction and restitution"},
    {"category", SN_KEY_COUNT, GROUP(category), .most = ALL_BITS, .about = "a bit set: what they are"},
    {"mask", SN_KEY_COUNT, GROUP(mask), .most = ALL_BITS,
     .about = "with which categories they collide, if those do with them, too; all if not given"},
    {"self", SN_KEY_TRUTH, GROUP(self), .about = "they collide with each other; true for group 0 if not given"},
    {"rest_gap", SN_KEY_REAL, GROUP(rest_gap), .unit = "m", .most = UNLIMITED,
     .about = "two of the group that are nearer at the start than the sum of their radii and this never collide with "
              "each other; if not given, all do"},
    {"rolls", SN_KEY_TRUTH, GROUP(rolls),
     .about = "friction makes them turn, and balls roll; otherwise they slide like blocks"},
    {"directional", SN_KEY_TRUTH, GROUP(directional),
     .about = "others are pushed along the normals of this object, of its field or skin, so that two objects cannot "
              "interlock"},
    {"field", SN_KEY_TRUTH, GROUP(field),
     .about = "its triangles, which must be closed, are made into a distance field that tells its normals"},
    {"number", SN_KEY_COUNT, GROUP(number), .most = 4294967294.0,
     .about = "its number, for a group with a name; one that nothing else has if not given"},
    END};

static void group_defaults(void *record)
{
    sn_group_keys *keys = record;
    sn_group_contact standard = sn_default_group_contact(1);
    surface_defaults(&keys->material);
    keys->category = standard.category;
    keys->mask = standard.mask;
    keys->self = standard.self;
    keys->rest_gap = NOT_GIVEN;
    keys->rolls = standard.rolls;
    keys->directional = standard.directional;
    keys->number = UINT32_MAX;
}

const sn_record sn_group_record = {"group", "How the particles of a group take part in contact.", sizeof(sn_group_keys),
                                   group_keys, group_defaults};

static const sn_key skin_keys[] = {
    {"thickness", SN_KEY_REAL, offsetof(sn_object_skin, thickness), .unit = "m", .most = UNLIMITED,
     .about = "nothing comes nearer to a triangle than this plus its own radius"},
    {"one_sided", SN_KEY_TRUTH, offsetof(sn_object_skin, one_sided),
     .about = "only from outside; otherwise things stay on the side that they are on"},
    {"self_collision", SN_KEY_TRUTH, offsetof(sn_object_skin, self_collision),
     .about = "it never passes through itself, nor through others that say so; needs a thickness"},
    END};

static void skin_defaults(void *record)
{
    *(sn_object_skin *)record = (sn_object_skin){.on = true, .thickness = sn_default_skin_def().thickness};
}

const sn_record sn_skin_record = {"skin", "The surface of an object as something that others collide with.",
                                  sizeof(sn_object_skin), skin_keys, skin_defaults};

/* ---- Colliders --------------------------------------------------------------------------------------------------------- */

#define COLLIDER(key) offsetof(sn_collider_keys, key)

static const sn_key collider_keys[] = {
    {"type", SN_KEY_TEXT, COLLIDER(type), .flags = SN_KEY_REQUIRED, .about = "which shape it is"},
    {"name", SN_KEY_TEXT, COLLIDER(name),
     .about = "by which the scene calls it: letters, digits, '_' and '-'; its type and place in the list if not given"},
    {"position", SN_KEY_VECTOR, COLLIDER(position), .unit = "m", .about = "where the origin of its frame lies"},
    {"turn", SN_KEY_RECORD, COLLIDER(turn), .of = &sn_turn_record, .about = "of its frame about its origin"},
    {"rotation", SN_KEY_REALS, COLLIDER(rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {"velocity", SN_KEY_VECTOR, COLLIDER(velocity), .unit = "m/s", .about = "it moves on at this velocity"},
    {"spin", SN_KEY_VECTOR, COLLIDER(spin), .unit = "rad/s",
     .about = "and turns about its origin at this one, as a vector along the axis"},
    {"thickness", SN_KEY_REAL, COLLIDER(thickness), .unit = "m", .most = UNLIMITED,
     .about = "its surface is so much farther out"},
    {"material", SN_KEY_RECORD, COLLIDER(material), .of = &sn_surface_record, .about = "friction and restitution"},
    {"category", SN_KEY_COUNT, COLLIDER(category), .most = ALL_BITS, .about = "a bit set: what it is"},
    {"mask", SN_KEY_COUNT, COLLIDER(mask), .most = ALL_BITS,
     .about = "with which categories it collides, if those do with it, too; all if not given"},
    {"sensor", SN_KEY_TRUTH, COLLIDER(sensor), .about = "notices contact, and does nothing against it"},
    END};

static void collider_defaults(void *record)
{
    sn_collider_def standard = sn_default_collider_def();
    sn_collider_keys *keys = record;
    *keys = (sn_collider_keys){.turn = {.axis = {0, 1, 0}},
                               .thickness = standard.thickness,
                               .category = standard.category,
                               .mask = standard.mask,
                               .sensor = standard.sensor};
    surface_defaults(&keys->material);
}

const sn_record sn_collider_record = {"collider", "What all colliders have: pieces of the world that nothing pushes.",
                                      sizeof(sn_collider_keys), collider_keys, collider_defaults};

/* ---- Types of colliders -------------------------------------------------------------------------------------------------- */

static const sn_key plane_keys[] = {{"normal", SN_KEY_VECTOR, offsetof(sn_plane_keys, normal),
                                     .about = "where it faces, in its frame; all behind it is solid"},
                                    END};

static void plane_defaults(void *record)
{
    *(sn_plane_keys *)record = (sn_plane_keys){.normal = {0, 1, 0}};
}

static const sn_record plane_record = {"plane", "A plane.", sizeof(sn_plane_keys), plane_keys, plane_defaults};

static const sn_key cuboid_keys[] = {
    {"size", SN_KEY_VECTOR, offsetof(sn_cuboid_keys, size), .unit = "m", .most = UNLIMITED,
     .about = "its edges along x, y and z of its frame, whose origin is in the middle"},
    END};

static void cuboid_defaults(void *record)
{
    *(sn_cuboid_keys *)record = (sn_cuboid_keys){.size = {1, 1, 1}};
}

static const sn_record cuboid_record = {"box", "A box.", sizeof(sn_cuboid_keys), cuboid_keys, cuboid_defaults};

static const sn_key ball_keys[] = {{"radius", SN_KEY_REAL, offsetof(sn_ball_keys, radius), .unit = "m",
                                    .flags = SN_KEY_POSITIVE, .about = "about the origin of its frame"},
                                   END};

static void ball_defaults(void *record)
{
    *(sn_ball_keys *)record = (sn_ball_keys){.radius = sn_default_collider_def().radius};
}

static const sn_record ball_record = {"sphere", "A sphere.", sizeof(sn_ball_keys), ball_keys, ball_defaults};

static const sn_key capsule_keys[] = {
    {"radius", SN_KEY_REAL, offsetof(sn_capsule_keys, radius), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "of the tube and of its round ends"},
    {"length", SN_KEY_REAL, offsetof(sn_capsule_keys, length), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "between the centres of its ends, along y of its frame, whose origin is in the middle"},
    {"from", SN_KEY_VECTOR, offsetof(sn_capsule_keys, from), .unit = "m",
     .about = "the centre of one end, instead of position, turn and length"},
    {"to", SN_KEY_VECTOR, offsetof(sn_capsule_keys, to), .unit = "m", .about = "and that of the other"},
    END};

static void capsule_defaults(void *record)
{
    *(sn_capsule_keys *)record = (sn_capsule_keys){.radius = sn_default_collider_def().radius,
                                                   .length = 2 * sn_default_collider_def().half.y,
                                                   .from = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN},
                                                   .to = {NOT_GIVEN, NOT_GIVEN, NOT_GIVEN}};
}

static const sn_record capsule_record = {"capsule", "A capsule.", sizeof(sn_capsule_keys), capsule_keys,
                                         capsule_defaults};

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

const sn_collider_form sn_collider_forms[SN_COLLIDER_FORMS] = {
    [SN_COLLIDER_PLANE] = {"plane", "All behind a plane, without an end", &plane_record},
    [SN_COLLIDER_BOX] = {"box", "A box", &cuboid_record},
    [SN_COLLIDER_SPHERE] = {"sphere", "A sphere", &ball_record},
    [SN_COLLIDER_CAPSULE] = {"capsule", "All within a radius of a straight line: a tube with round ends",
                             &capsule_record},
    [SN_COLLIDER_MESH] = {"mesh", "Triangles: solid inside if they are closed, otherwise a sheet", &sheet_record},
    [SN_COLLIDER_FIELD] = {"field",
                           "A field of distances on a grid, made of a closed mesh or given: cheaper than a mesh of "
                           "many triangles, and solid all through",
                           &field_record},
};
