/* The deepest overlap at the end of a step: of the pairs that contact knows, at their positions now. */
#include "contact/deepest.h"

#include "contact/body_work.h"

#include <string.h>

typedef struct finding {
    const sn_world *world;
    double depth;
    uint32_t a, b; /* slots; SN_NO_SLOT: a fixed shape */
} finding;

static void note(finding *f, sn_real separation, uint32_t a, uint32_t b)
{
    if (-(double)separation > f->depth)
        *f = (finding){f->world, -(double)separation, a, b};
}

static sn_vec3 place(const finding *f, uint32_t slot)
{
    return vec4_xyz(f->world->particles.x[slot]);
}

static void look_at_balls(finding *f, uint32_t a, uint32_t b)
{
    const sn_real *radius = f->world->particles.radius;
    if (a != b)
        note(f, vec3_length(vec3_sub(place(f, a), place(f, b))) - radius[a] - radius[b], a, b);
}

static void look_at_pairs(finding *f, const sn_neighbours *near)
{
    for (uint32_t batch = 0; batch < near->batches; ++batch)
        for (uint32_t i = 0; i < near->lanes[batch]; ++i)
            look_at_balls(f, near->batch[batch].a[i], near->batch[batch].b[i]);
}

static void look_at_static(finding *f, const sn_static_contact *contact)
{
    const sn_fixed_shape *record = sn_body_contact_record(f->world, contact->number);
    const sn_vec3 own = sn_pose_to_own(&record->pose, place(f, contact->slot));
    const sn_real radius = f->world->particles.radius[contact->slot];
    sn_touch touch;
    if (!contact->sensor && !contact->off && sn_shape_near(&record->shape, own, radius, &touch))
        note(f, touch.distance - radius, contact->slot, SN_NO_SLOT);
}

/* Along the normal of the contact, so a particle that crossed the triangle counts as deep. */
static void look_at_skin(finding *f, const sn_skin_contact *contact)
{
    const uint32_t *slot = contact->slot;
    if (contact->triangle == SN_SKIN_CONTACT_PAIR) {
        look_at_balls(f, slot[0], slot[1]);
        return;
    }
    if (!contact->touched || contact->off)
        return;
    sn_vec3 contact_point = vec3(0, 0, 0);
    for (uint32_t k = 0; k < 3; ++k)
        contact_point = vec3_add(contact_point, vec3_scale(place(f, slot[1 + k]), contact->weight[k]));
    note(f, vec3_dot(vec3_sub(place(f, slot[0]), contact_point), contact->normal) - contact->reach, slot[0], slot[1]);
}

static sn_pose pose_of(const finding *f, uint32_t slot)
{
    const uint32_t body = f->world->particles.body[slot];
    return (sn_pose){place(f, slot), body ? f->world->bodies.turn[body - 1].start : (sn_quat){0, 0, 0, 1}};
}

/* At the anchors, which have moved with the bodies since they were found. */
static void look_at_bodies(finding *f, const sn_body_contact *contact)
{
    const sn_mover *mover = contact_movers(f->world);
    if (contact->sensor || contact->off || contact->clear)
        return;
    const uint32_t slot = mover[contact->a].slot,
                   other = contact->b == SN_NO_MOVER ? SN_NO_SLOT : mover[contact->b].slot;
    const sn_pose a = pose_of(f, slot);
    const sn_pose b =
        other == SN_NO_SLOT ? sn_body_contact_record(f->world, contact->fixed_shape)->pose : pose_of(f, other);
    const sn_vec3 n = contact->owner == SN_NORMAL_OF_A   ? sn_quat_rotate(a.rotation, contact->normal)
                      : contact->owner == SN_NORMAL_OF_B ? sn_quat_rotate(b.rotation, contact->normal)
                                                         : contact->normal;
    for (uint32_t k = 0; k < contact->count; ++k) {
        const sn_vec3 apart =
            vec3_sub(sn_pose_to_world(&a, contact->point[k].a), sn_pose_to_world(&b, contact->point[k].b));
        note(f, vec3_dot(apart, n) - contact->round_a - contact->round_b, slot, other);
    }
}

/* The deepest contact of bodies. The upper half has the bits of its depth, which have the order of the depth. The lower
   half has a number that is larger the earlier the contact comes. 0: none. */
typedef struct comparing {
    const sn_world *world;
    atomic_uint_least64_t most, looks; /* looks: how many manifolds were made */
} comparing;

static void compare_piece(void *data, uint32_t first, uint32_t end)
{
    comparing *c = data;
    uint_least64_t most = 0, looks = 0;
    for (uint32_t i = first; i < end; ++i) {
        finding f = {.world = c->world};
        look_at_bodies(&f, &contact_all(c->world)[i]);
        looks += contact_all(c->world)[i].looks;
        const float depth = (float)f.depth;
        uint32_t bits;
        memcpy(&bits, &depth, sizeof bits);
        const uint_least64_t here = depth > 0 ? (uint_least64_t)bits << 32 | (UINT32_MAX - i) : 0;
        most = here > most ? here : most;
    }
    atomic_fetch_add_explicit(&c->looks, looks, memory_order_relaxed);
    uint_least64_t known = atomic_load_explicit(&c->most, memory_order_relaxed);
    while (most > known &&
           !atomic_compare_exchange_weak_explicit(&c->most, &known, most, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static sn_particle handle_of(const sn_world *world, uint32_t slot)
{
    if (slot == SN_NO_SLOT)
        return (sn_particle){0};
    const uint32_t number = world->particles.index[slot];
    return (sn_particle){number, world->ids.generation[number]};
}

void sn_contacts_find_deepest(sn_world *world, sn_step_counts *counts)
{
    const sn_contacts *c = &world->contacts;
    finding f = {.world = world, .a = SN_NO_SLOT, .b = SN_NO_SLOT};
    for (uint32_t set = 0; c->any && set < (c->late ? SN_PAIR_SETS : 1); ++set)
        look_at_pairs(&f, &c->pairs[set].near);
    for (uint32_t i = 0; c->any && i < c->static_contacts; ++i)
        look_at_static(&f, (const sn_static_contact *)c->static_table.column[0] + i);
    for (uint32_t i = 0; c->any && i < c->skin_contacts; ++i)
        look_at_skin(&f, (const sn_skin_contact *)c->skin_contact_table.column[0] + i);
    comparing bodies = {.world = world};
    if (!sn_body_contacts_share(world, world->body_contacts.count, compare_piece, &bodies))
        sn_parallel_repair(&world->parallel);
    if (bodies.most)
        look_at_bodies(&f, &contact_all(world)[UINT32_MAX - (uint32_t)bodies.most]);
    counts->manifolds += bodies.looks;
    counts->penetration = f.depth;
    counts->deepest = handle_of(world, f.a);
    counts->deepest_other = handle_of(world, f.b);
}
