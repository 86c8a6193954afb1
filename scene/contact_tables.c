/* The tables of the scene format for contact. See record.h. */
#include "scene/contact.h"

#include <math.h>

#define UNLIMITED INFINITY
#define NOT_GIVEN ((sn_real)NAN)
#define ALL_BITS  4294967295.0
#define END                                                                                                            \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

#define SETTING(key) offsetof(sn_contact_settings, key)

static const sn_key contact_keys[] = {
    {"on", SN_KEY_TRUTH, SETTING(on), .about = "whether anything collides at all"},
    {"particles", SN_KEY_TRUTH, SETTING(particles),
     .about = "whether particles that have a radius collide with each other"},
    {"push_out", SN_KEY_REAL, SETTING(push_out), .unit = "m/s", .flags = SN_KEY_POSITIVE,
     .about = "things that overlap when they first touch are parted at this speed, and keep none of it"},
    {"bounce_above", SN_KEY_REAL, SETTING(bounce_above), .unit = "m/s", .least = -1, .most = UNLIMITED,
     .about = "slower impacts do not bounce; -1: twice gravity times the substep"},
    {"sleep", SN_KEY_TRUTH, SETTING(sleep),
     .about = "what rests in contact for a while is left out of the step until something happens to it"},
    {"sleep_speed", SN_KEY_REAL, SETTING(sleep_speed), .unit = "m/s", .most = UNLIMITED,
     .about = "things that are slower than this count as resting"},
    {"sleep_time", SN_KEY_REAL, SETTING(sleep_time), .unit = "s", .most = UNLIMITED,
     .about = "how long things must rest before they sleep"},
    END};

static void contact_defaults(void *record)
{
    *(sn_contact_settings *)record = sn_default_contact_settings();
}

const sn_record sn_contact_record = {"contact", "How things collide.", sizeof(sn_contact_settings), contact_keys,
                                     contact_defaults};

/* ---- Materials and groups ---------------------------------------------------------------------------------------- */

static const char *const mix_names[] = {"average", "least", "product", "most"};
static const char *const mix_about[] = {"the mean of the two", "the lesser of the two", "one times the other",
                                        "the greater of the two"};
const sn_choices sn_mix_choices = {4, mix_names, mix_about};

#define SURFACE(key) offsetof(sn_surface_keys, key)

static const sn_key surface_keys[] = {
    {"friction", SN_KEY_REAL, SURFACE(friction), .most = UNLIMITED,
     .about = "the coefficient of friction, at rest and sliding, where these are not given; 0.5 if not given"},
    {"static_friction", SN_KEY_REAL, SURFACE(static_friction), .most = UNLIMITED,
     .about = "the coefficient of friction at rest: the share of the normal force that holds against sliding"},
    {"dynamic_friction", SN_KEY_REAL, SURFACE(dynamic_friction), .most = UNLIMITED,
     .about = "the coefficient of friction while sliding; not more than static_friction"},
    {"restitution", SN_KEY_REAL, SURFACE(restitution), .least = 0, .most = 1,
     .about = "the share of the speed of approach that is given back"},
    {"rolling", SN_KEY_REAL, SURFACE(rolling), .most = UNLIMITED,
     .about = "resistance to rolling, as a share of the normal force, of groups that roll"},
    {"friction_mix", SN_KEY_CHOICE, SURFACE(friction_mix), .of = &sn_mix_choices,
     .about = "how the friction of two that touch becomes one; if they disagree, the later one in this list counts"},
    {"restitution_mix", SN_KEY_CHOICE, SURFACE(restitution_mix), .of = &sn_mix_choices,
     .about = "how the restitutions of two that touch become one; if they disagree, the later one in this list counts"},
    {"surface_velocity", SN_KEY_VECTOR, SURFACE(surface_velocity), .unit = "m/s", .least = -1e15, .most = 1e15,
     .about = "the velocity of the surface of a shape, in the frame of its body: it carries along what lies on it, as "
              "a conveyor belt does"},
    END};

void sn_surface_defaults(void *record)
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
                                     sizeof(sn_surface_keys), surface_keys, sn_surface_defaults};

#define GROUP(key) offsetof(sn_group_keys, key)

static const sn_key group_keys[] = {
    {"material", SN_KEY_RECORD, GROUP(material), .of = &sn_surface_record, .about = "friction and restitution"},
    {"category", SN_KEY_COUNT, GROUP(category), .most = ALL_BITS,
     .about = "what the particles of the group are: a bit set"},
    {"mask", SN_KEY_COUNT, GROUP(mask), .most = ALL_BITS,
     .about = "the categories that the group collides with, if they collide with it, too; all if not given"},
    {"self", SN_KEY_TRUTH, GROUP(self),
     .about = "the particles of the group collide with each other; true for group 0 if not given"},
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
     .about = "the number of a group that has a name; a free one if not given"},
    END};

static void group_defaults(void *record)
{
    sn_group_keys *keys = record;
    sn_group_contact standard = sn_default_group_contact(1);
    sn_surface_defaults(&keys->material);
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
     .about = "nothing comes nearer to a triangle than this plus its own radius; of ropes it is their radius"},
    {"one_sided", SN_KEY_TRUTH, offsetof(sn_object_skin, one_sided),
     .about = "things collide with the skin from outside only; otherwise they stay on the side that they are on"},
    {"self_collision", SN_KEY_TRUTH, offsetof(sn_object_skin, self_collision),
     .about = "it never passes through itself, nor through others that say so; needs a thickness"},
    {"tear_strain", SN_KEY_REAL, offsetof(sn_object_skin, tear_strain), .most = UNLIMITED,
     .about = "it tears where a rod is longer than 1 + this times its rest length; if neither this nor tear_force is "
              "given, as the material says"},
    {"tear_force", SN_KEY_REAL, offsetof(sn_object_skin, tear_force), .unit = "N", .most = UNLIMITED,
     .about = "the material tears where a rod pulls with more than this force; 0: never by force"},
    {"tear_spread", SN_KEY_REAL, offsetof(sn_object_skin, tear_spread), .most = 0.9,
     .about = "tear strengths differ from rod to rod by this share, up and down"},
    {"tear_seed", SN_KEY_COUNT, offsetof(sn_object_skin, tear_seed), .most = 4294967295.0,
     .about = "the seed of the differences between tear strengths: another number gives another tear"},
    {"tear_fatigue", SN_KEY_REAL, offsetof(sn_object_skin, tear_fatigue), .most = 1,
     .about = "the share of its strength that a rod loses when it is loaded up to it and let go again; of half the "
              "load it is a sixteenth of that"},
    END};

static void skin_defaults(void *record)
{
    *(sn_object_skin *)record = (sn_object_skin){.on = true, .thickness = sn_default_skin_def().thickness};
}

const sn_record sn_skin_record = {"skin", "The surface of an object as something that others collide with.",
                                  sizeof(sn_object_skin), skin_keys, skin_defaults};
