#include "scene/objects/body_chain.h"
#include "scene/contact.h"

#include <math.h>

#define MOST_LINKS 1e6

/* Round links end this share of their radius before the joint, so that they look like links. */
#define LINK_ENDS 1.0

sn_body_chain_def sn_default_body_chain_def(void)
{
    return (sn_body_chain_def){.links = 10,
                               .link_length = (sn_real)0.2,
                               .thickness = (sn_real)0.05,
                               .direction = {0, -1, 0},
                               .held = true,
                               .bob_radius = (sn_real)0.2};
}

/* A chain that is being made; d is its direction, a unit vector. */
typedef struct chain {
    sn_build *build;
    const sn_body_chain_def *def;
    double d[3];
    sn_quat turn; /* rotates y to d */
    sn_real link_mass;
} chain;

/* The point at a distance in metres along the chain. */
static sn_vec3 place_at(const chain *c, double way)
{
    return (sn_vec3){(sn_real)(way * c->d[0]), (sn_real)(way * c->d[1]), (sn_real)(way * c->d[2])};
}

static bool add_links(chain *c)
{
    const sn_body_chain_def *def = c->def;
    sn_real half = def->link_length / 2, thick = def->thickness / 2;
    sn_shape_def shape = sn_default_shape_def(def->shape == SN_LINK_BOX ? SN_SHAPE_BOX : SN_SHAPE_CAPSULE);
    shape.half = (sn_vec3){thick, half, thick};
    if (def->shape == SN_LINK_CAPSULE) {
        shape.radius = thick;
        shape.half.y = half - (sn_real)LINK_ENDS * thick;
    }
    sn_body_def body = sn_default_body_def();
    body.shapes = &shape;
    body.shape_count = 1;
    body.mass = c->link_mass;
    body.rotation = c->turn;
    for (uint32_t i = 0; i < def->links; ++i) {
        body.position = place_at(c, (i + 0.5) * (double)def->link_length);
        if (!sn_build_body(c->build, &body, NULL))
            return false;
    }
    return true;
}

static bool add_bob(chain *c)
{
    const sn_body_chain_def *def = c->def;
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_SPHERE);
    sn_body_def body = sn_default_body_def();
    shape.radius = def->bob_radius;
    body.shapes = &shape;
    body.shape_count = 1;
    body.mass = def->bob;
    body.rotation = c->turn;
    body.position = place_at(c, def->links * (double)def->link_length + (double)def->bob_radius);
    return sn_build_body(c->build, &body, NULL);
}

static bool add_joints(chain *c)
{
    const sn_body_chain_def *def = c->def;
    uint32_t bodies = def->links + (def->bob > 0);
    sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_BALL);
    joint.friction = def->friction;
    joint.strength = def->strength;
    joint.axis = place_at(c, 1);
    if (def->held && !sn_build_joint(c->build, "hook", &joint, SN_NO_ITEM, 0))
        return false;
    for (uint32_t i = 0; i + 1 < bodies; ++i) {
        joint.anchor = place_at(c, (i + 1) * (double)def->link_length);
        if (!sn_build_joint(c->build, "joints", &joint, i, i + 1))
            return false;
    }
    return true;
}

static bool check(sn_build *build, const sn_body_chain_def *def)
{
    if (def->links == 0)
        return sn_build_fail(build, "links", "found 0, expected 1 or more");
    if (!(def->link_length > 0))
        return sn_build_fail(build, "link_length", "found %g, expected more than 0 m", (double)def->link_length);
    if (!(def->thickness > 0) || (def->shape == SN_LINK_CAPSULE && !(def->thickness < def->link_length)))
        return sn_build_fail(build, "thickness",
                             "found %g m, expected more than 0, and of capsules less than the length of a link, %g m",
                             (double)def->thickness, (double)def->link_length);
    if (def->bob > 0 && !(def->bob_radius > 0))
        return sn_build_fail(build, "bob_radius", "found %g, expected more than 0 m", (double)def->bob_radius);
    return true;
}

static bool build_chain(sn_build *build, const void *own)
{
    const sn_body_chain_def *def = own;
    chain c = {.build = build, .def = def};
    double d[3] = {(double)def->direction.x, (double)def->direction.y, (double)def->direction.z};
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), scale = sn_build_scale(build);
    if (!(size > 0 && isfinite(size)))
        return sn_build_fail(build, "direction", "it has no length, expected a vector that points somewhere");
    if (!check(build, def) || !sn_build_begin(build, 3.0 * (def->links + 1.0), def->links + 1.0))
        return false;
    for (int i = 0; i < 3; ++i)
        c.d[i] = d[i] / size;
    c.turn = sn_rotation_facing(place_at(&c, 1));
    double thick = (double)def->thickness * scale,
           area = def->shape == SN_LINK_BOX ? thick * thick : SN_PI / 4 * thick * thick;
    double volume = area * (double)def->link_length * scale * def->links;
    c.link_mass = (sn_real)(sn_build_density(build, volume) * volume / def->links);
    uint32_t last = def->links - 1;
    return add_links(&c) && (!(def->bob > 0) || add_bob(&c)) && add_joints(&c) &&
           sn_build_range(build, "start", 0, 1) && sn_build_range(build, "end", last, 1) &&
           sn_build_range(build, "links", 0, def->links) &&
           (!(def->bob > 0) || sn_build_range(build, "bob", def->links, 1));
}

static void chain_defaults(void *record)
{
    *(sn_body_chain_def *)record = sn_default_body_chain_def();
}

static const char *const shape_names[] = {"capsule", "box"};
static const char *const shape_about[] = {"round links", "links with edges"};
static const sn_choices shapes = {2, shape_names, shape_about};

#define KEY(key) offsetof(sn_body_chain_def, key)

static const sn_key chain_keys[] = {
    {"links", SN_KEY_COUNT, KEY(links), .least = 1, .most = MOST_LINKS, .about = "how many links"},
    {"link_length", SN_KEY_REAL, KEY(link_length), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the length of a link, from joint to joint"},
    {"thickness", SN_KEY_REAL, KEY(thickness), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the thickness of a link, across"},
    {"shape", SN_KEY_CHOICE, KEY(shape), .of = &shapes, .about = "the shape of a link"},
    {"direction", SN_KEY_VECTOR, KEY(direction),
     .about = "the direction in which it runs from the origin of its frame; its length does not matter"},
    {"held", SN_KEY_TRUTH, KEY(held), .about = "its start is fixed to the world"},
    {"bob", SN_KEY_REAL, KEY(bob), .unit = "kg", .most = 1e30,
     .about = "a ball that hangs at its end; 0: there is none"},
    {"bob_radius", SN_KEY_REAL, KEY(bob_radius), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the radius of the bob"},
    {"friction", SN_KEY_REAL, KEY(friction), .unit = "N m", .most = 1e30, .about = "the dry friction of each joint"},
    {"strength", SN_KEY_REAL, KEY(strength), .unit = "N", .most = 1e30,
     .about = "the force at which a joint breaks; 0: none breaks"},
    {.name = NULL}};

static const sn_record chain_record = {"body_chain", "A chain of bodies.", sizeof(sn_body_chain_def), chain_keys,
                                       chain_defaults};

const sn_object_type sn_object_body_chain = {
    .name = "body_chain",
    .about = "A chain of rigid bodies with ball joints, of 1000 kg/m^3 unless told otherwise",
    .parts = "parts: start, end, links, bob; constraints: joints, hook",
    .dimension = 3,
    .spatial = true,
    .record = &chain_record,
    .build = build_chain,
};
