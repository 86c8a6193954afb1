#include "support/fixed.h"

#include <string.h>

fixed_def default_fixed(void)
{
    const sn_shape_def shape = sn_default_shape_def(SN_SHAPE_PLANE);
    const sn_filter filter = sn_default_filter();
    fixed_def def;
    memset(&def, 0, sizeof def);
    def.type = SN_SHAPE_PLANE;
    def.rotation.w = 1;
    def.half = shape.half;
    def.radius = shape.radius;
    def.material = sn_default_contact_material();
    def.category = filter.category;
    def.mask = filter.mask;
    return def;
}

sn_shape_def fixed_shape(const fixed_def *def, sn_filter *filter)
{
    sn_shape_def shape = sn_default_shape_def(def->type);
    *filter = (sn_filter){def->category, def->mask};
    shape.half = def->half;
    shape.radius = def->radius;
    shape.rounding = def->rounding;
    shape.material = &def->material;
    shape.filter = filter;
    shape.sensor = def->sensor;
    shape.one_sided = def->one_sided;
    shape.vertices = def->vertices;
    shape.vertex_count = def->vertex_count;
    shape.triangles = def->triangles;
    shape.triangle_count = def->triangle_count;
    shape.heights = def->heights;
    memcpy(shape.height_count, def->height_count, sizeof shape.height_count);
    shape.function = def->function;
    shape.context = def->context;
    shape.samples = def->samples;
    memcpy(shape.sample_count, def->sample_count, sizeof shape.sample_count);
    shape.low = def->low;
    shape.high = def->high;
    shape.cell = def->cell;
    return shape;
}

sn_result fixed_add(sn_world *world, const fixed_def *def, sn_body *body)
{
    sn_filter filter;
    if (!def)
        return sn_body_add(world, NULL, body);
    const sn_shape_def shape = fixed_shape(def, &filter);
    sn_body_def made = sn_default_body_def();
    made.type = SN_BODY_KINEMATIC;
    made.position = def->position;
    made.rotation = def->rotation;
    made.velocity = def->velocity;
    made.spin = def->spin;
    made.shapes = &shape;
    made.shape_count = 1;
    made.user = def->user;
    return sn_body_add(world, &made, body);
}

sn_result fixed_read(const sn_world *world, sn_body body, fixed_def *def)
{
    sn_body_def read;
    sn_result result = sn_body_read(world, body, &read);
    if (result != SN_OK)
        return result;
    const sn_shape_def *shape = &read.shapes[0];
    *def = default_fixed();
    def->type = shape->type;
    def->position = read.position;
    def->rotation = read.rotation;
    def->velocity = read.velocity;
    def->spin = read.spin;
    def->user = read.user;
    def->half = shape->half;
    def->radius = shape->radius;
    def->rounding = shape->rounding;
    if (shape->material)
        def->material = *shape->material;
    if (shape->filter) {
        def->category = shape->filter->category;
        def->mask = shape->filter->mask;
    }
    def->sensor = shape->sensor;
    def->one_sided = shape->one_sided;
    def->vertices = shape->vertices;
    def->vertex_count = shape->vertex_count;
    def->triangles = shape->triangles;
    def->triangle_count = shape->triangle_count;
    def->heights = shape->heights;
    memcpy(def->height_count, shape->height_count, sizeof def->height_count);
    def->function = shape->function;
    def->context = shape->context;
    def->samples = shape->samples;
    memcpy(def->sample_count, shape->sample_count, sizeof def->sample_count);
    def->low = shape->low;
    def->high = shape->high;
    def->cell = shape->cell;
    return SN_OK;
}

static sn_body led(sn_world *world, sn_body body)
{
    const sn_contact_material material = sn_default_contact_material();
    const sn_filter filter = sn_default_filter();
    if (body.generation) {
        sn_body_set_type(world, body, SN_BODY_KINEMATIC);
        sn_body_set_material(world, body, 0, &material);
        sn_body_set_filter(world, body, 0, &filter);
    }
    return body;
}

sn_body fixed_add_plane(sn_world *world, sn_vec3 point, sn_vec3 normal)
{
    return led(world, sn_static_add_plane(world, point, normal));
}

sn_body fixed_add_box(sn_world *world, sn_vec3 centre, sn_vec3 half)
{
    return led(world, sn_static_add_box(world, centre, half));
}

sn_body fixed_add_sphere(sn_world *world, sn_vec3 centre, sn_real radius)
{
    return led(world, sn_static_add_sphere(world, centre, radius));
}

sn_body fixed_add_capsule(sn_world *world, sn_vec3 a, sn_vec3 b, sn_real radius)
{
    return led(world, sn_static_add_capsule(world, a, b, radius));
}

uint32_t fixed_count(const sn_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_world_body_limit(world); ++i) {
        const sn_body body = sn_body_from_index(world, i);
        count += body.generation != 0 && sn_body_type_of(world, body) != SN_BODY_DYNAMIC;
    }
    return count;
}
