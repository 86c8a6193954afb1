/* The outward direction of an object made of particles, at each of them: for directional rejection.

   For an object with a distance field (object_fields.c) it is the gradient of the field at the particle's position in
   the rest shape, rotated with the object. Otherwise it comes from the skin: a corner has the area-weighted normal of
   its triangles, and an inner particle that of the nearest corner. */
#include "contact/particle_contacts.h"

#include "world/world.h"

#define WORK_OF_INSIDE 1000.0 /* ns, about: cost of finding the nearest corner */

static sn_outward *outwards(const sn_contacts *c)
{
    return c->normal_table.column[0];
}

static sn_vec3 place(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(world->particles.x[slot]);
}

static bool is_directional(const sn_world *world, uint32_t slot)
{
    return sn_contact_group(&world->contact, world->particles.group[slot])->directional;
}

bool sn_outward_any(const sn_world *world)
{
    const sn_group_record *group = world->contact.group_table.column[0];
    bool any = false;
    for (uint32_t i = 0; i < world->contact.group_table.count; ++i)
        any = any || group[i].contact.directional;
    return any && world->dimensions == 3 &&
           (world->contact.triangle_table.count || world->contact.object_field_table.count);
}

/* ---- From skins -------------------------------------------------------------------------------------------------- */

/* Reads the slots of the corners. True if the triangle contributes to the normals of its object. */
static bool read_triangle(const sn_world *world, uint32_t triangle, uint32_t *slot)
{
    const uint32_t *corner = ((const uint32_t(*)[3])world->contact.triangle_table.column[0])[triangle];
    for (uint32_t k = 0; k < 3; ++k)
        slot[k] = world->ids.value[corner[k]];
    return is_directional(world, slot[0]) && !sn_object_field_of(&world->contact, world->particles.group[slot[0]]);
}

static void sum_normals(const sn_world *world, sn_outward *out)
{
    for (uint32_t t = 0; t < world->contact.triangle_table.count; ++t) {
        uint32_t slot[3];
        if (!read_triangle(world, t, slot))
            continue;
        sn_vec3 a = place(world, slot[0]), b = place(world, slot[1]), c = place(world, slot[2]);
        sn_vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        for (uint32_t k = 0; k < 3; ++k)
            out[slot[k]] = (sn_outward){vec3_add(out[slot[k]].normal, n), 0};
    }
}

/* Corners get depth 0. Corners at which the triangles cancel out get no normal. */
static void normals_of_corners(const sn_world *world, sn_outward *out)
{
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        out[slot] = (sn_outward){.depth = SN_NO_OUTSIDE};
    sum_normals(world, out);
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot) {
        sn_real length = vec3_length(out[slot].normal);
        if (length > 0)
            out[slot].normal = vec3_scale(out[slot].normal, 1 / length);
        else
            out[slot] = (sn_outward){.depth = SN_NO_OUTSIDE};
    }
}

/* The search for the nearest corner of the same group; of two at the same distance, the one with the lower number. It
   finds none if all are so far that the distance overflows. */
typedef struct nearing {
    const sn_world *world;
    uint32_t slot, nearest;
    sn_real distance; /* m */
} nearing;

static bool near_triangle(void *data, uint32_t triangle)
{
    nearing *s = data;
    const sn_particle_store *p = &s->world->particles;
    uint32_t corner[3];
    if (!read_triangle(s->world, triangle, corner))
        return true;
    for (uint32_t k = 0; k < 3; ++k) {
        if (p->group[corner[k]] != p->group[s->slot])
            continue;
        sn_real far = vec3_length(vec3_sub(place(s->world, corner[k]), place(s->world, s->slot)));
        if (far < s->distance ||
            (s->nearest != SN_NO_SLOT && far == s->distance && p->index[corner[k]] < p->index[s->nearest])) {
            s->distance = far;
            s->nearest = corner[k];
        }
    }
    return true;
}

/* Only reads corners, and writes other particles: no thread reads what another writes. */
static void normals_inside(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    sn_outward *out = outwards(&world->contacts);
    for (uint32_t slot = first; slot < end; ++slot) {
        nearing s = {.world = world, .slot = slot, .nearest = SN_NO_SLOT, .distance = (sn_real)INFINITY};
        if (out[slot].depth != SN_NO_OUTSIDE || !is_directional(world, slot) ||
            sn_object_field_of(&world->contact, world->particles.group[slot]))
            continue;
        sn_bvh_near(&world->contacts.skin_tree, place(world, slot), &s.distance, near_triangle, &s);
        if (s.nearest != SN_NO_SLOT && out[s.nearest].depth == 0)
            out[slot] = (sn_outward){out[s.nearest].normal, s.distance};
    }
}

/* ---- From distance fields ---------------------------------------------------------------------------------------- */

static void normals_of_field(sn_world *world, const sn_object_field *field, sn_outward *out)
{
    const sn_particle_store *p = &world->particles;
    const sn_shape_data *data = contact_data(&world->contact)[field->data - 1];
    const sn_vec4 *own = world->contact.own_place_table.column[0];
    sn_quat turn = sn_object_field_turn(world, field->group);
    for (uint32_t slot = 0; slot < p->table.count; ++slot) {
        uint32_t number = p->index[slot];
        sn_touch touch;
        if (p->group[slot] != field->group || number >= world->contact.own_place_table.count || own[number].w == 0)
            continue;
        sn_distance_field_near(&data->field, vec4_xyz(own[number]), &touch);
        out[slot] = (sn_outward){sn_quat_rotate(turn, touch.normal), touch.distance < 0 ? -touch.distance : (sn_real)0};
    }
}

/* ---- All normals ------------------------------------------------------------------------------------------------- */

bool sn_outward_prepare(sn_world *world)
{
    sn_contacts *c = &world->contacts;
    uint32_t count = world->particles.table.count;
    c->directed = sn_outward_any(world);
    if (!c->directed)
        return true;
    if (!sn_table_reserve(&c->normal_table, &world->allocator, count))
        return false;
    normals_of_corners(world, outwards(c));
    if (world->contact.triangle_table.count) {
        if (!sn_parallel_wants(&world->parallel, count * WORK_OF_INSIDE))
            normals_inside(world, 0, count);
        else if (!sn_parallel_for(&world->parallel, count, normals_inside, world))
            sn_parallel_repair(&world->parallel);
    }
    const sn_object_field *field = world->contact.object_field_table.column[0];
    for (uint32_t i = 0; i < world->contact.object_field_table.count; ++i)
        if (sn_contact_group(&world->contact, field[i].group)->directional)
            normals_of_field(world, &field[i], outwards(c));
    return true;
}

bool sn_outward_direction(const sn_contacts *c, uint32_t a, uint32_t b, sn_vec3 *out)
{
    const sn_outward *one = &outwards(c)[a], *other = &outwards(c)[b];
    bool knows = one->depth != SN_NO_OUTSIDE, other_knows = other->depth != SN_NO_OUTSIDE;
    if (!knows && !other_knows)
        return false;
    bool by_other = other_knows && (!knows || other->depth <= one->depth);
    *out = by_other ? other->normal : vec3_scale(one->normal, -1);
    return true;
}
