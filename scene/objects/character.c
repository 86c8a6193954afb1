#include "scene/objects/character.h"
#include "scene/characters.h"

#include <math.h>

/* The body of a character: an immovable capsule that stands on its foot. Particles, cloth and other bodies come into
   contact with it. */
static bool build_character(sn_build *build, const void *own)
{
    sn_character_keys keys = *(const sn_character_keys *)own;
    const sn_real scale = (sn_real)sn_build_scale(build);
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_CAPSULE);
    sn_body_def body = sn_default_body_def();
    if (build->def->radius > 0)
        keys.radius = build->def->radius;
    if (keys.height < 2 * keys.radius)
        return sn_build_fail(build, "height", "found %g m, expected at least twice the radius, %g m",
                             (double)keys.height, 2 * (double)keys.radius);
    shape.radius = keys.radius;
    shape.half.y = keys.height / 2 - keys.radius;
    if (shape.half.y < keys.radius * (sn_real)1e-3) { /* a sphere */
        shape = sn_default_shape_def(SN_SHAPE_SPHERE);
        shape.radius = keys.radius;
    }
    body.shapes = &shape;
    body.shape_count = 1;
    body.mass = SN_IMMOVABLE;
    body.position.y = keys.height / 2;
    if (!sn_build_begin(build, 3, 0) || !sn_build_body(build, &body, NULL))
        return false;
    keys.radius *= scale;
    keys.height *= scale;
    keys.step_height *= scale;
    keys.mass = isnan(build->def->mass) ? keys.mass : build->def->mass;
    keys.velocity = build->def->velocity;
    const sn_vec3 foot = {0, 0, 0};
    keys.foot = sn_build_place(build, foot);
    return sn_scene_add_character(build->scene, build->reader, &keys, build->object->body[0].handle);
}

static const sn_key character_keys[] = {SN_CHARACTER_KEYS, {.name = NULL}};

static const sn_record character_record = {"character", "A character.", sizeof(sn_character_keys), character_keys,
                                           sn_character_defaults};

const sn_object_type sn_object_character = {
    .name = "character",
    .about = "A capsule that walks: it slides along walls, climbs steps and slopes, rides what it stands on, pushes "
             "bodies and passes through nothing, from its foot, the origin of the frame, upwards along y; of 80 kg, "
             "and with a radius of 0.3 m, unless told otherwise",
    .parts = "no parts; no constraints",
    .dimension = 0,
    .record = &character_record,
    .build = build_character,
};
