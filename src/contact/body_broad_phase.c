/* Contact of bodies, the broad phase: which pairs may touch, once a step. */
#include "contact/body_search.h"

#include "base/hash.h"
#include "base/sort.h"

#include <stddef.h>
#include <string.h>

#define SLOP ((sn_real)0.002) /* of the inner radius: so much overlap is left alone */

#define SPARE 16u

#define A_FEW                                                                                                          \
    8u /* contacts: room for them is made when there are none yet, so that the first ones need not ask for it */

void sn_body_contacts_init(sn_body_contacts *body_contacts)
{
    memset(body_contacts, 0, sizeof *body_contacts);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_kept_manifold), true);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_kept_manifold), false);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&body_contacts->mover_table, sizeof(sn_mover), false);
    sn_table_column(&body_contacts->box_table, sizeof(sn_bounds), false);
    sn_table_column(&body_contacts->box_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->box_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->box_table, sizeof(sn_body_contact_box), false);
    sn_table_column(&body_contacts->ball_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->count_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->found_table, sizeof(sn_body_contact_found), false);
    sn_table_column(&body_contacts->spare_table, SPARE * sizeof(sn_body_contact_found), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact), false);
    sn_table_column(&body_contacts->contact_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->contact_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact_watch), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact_ends), false);
    sn_table_column(&body_contacts->contact_table, 2 * sizeof(sn_real), false);
    sn_table_column(&body_contacts->cell_table, sizeof(sn_body_contact_cell), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->cell_table, (SN_BODY_CONTACT_LEVELS - 1) * sizeof(sn_body_contact_spot), false);
    sn_table_column(&body_contacts->cell_table, sizeof(sn_body_contact_blow), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint8_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(sn_body_contact_group), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint64_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->batch_table, sizeof(sn_wide_body_contact), false);
    sn_table_column(&body_contacts->batch_table, sizeof(sn_wide_manifold), false);
    sn_table_column(&body_contacts->fixed_shape_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->rank_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->apart_table, sizeof(sn_body_contact_apart), false);
    sn_table_column(&body_contacts->apart_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->record_table, sizeof(sn_vec4), false);
    for (uint32_t i = 0; i < 2; ++i) {
        sn_table_column(&body_contacts->leaf_table[i], sizeof(sn_bounds), false);
        sn_table_column(&body_contacts->leaf_table[i], sizeof(uint32_t), false);
    }
    sn_table_column(&body_contacts->row_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->left_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->list_table, sizeof(uint32_t), false);
    sn_bvh_init(&body_contacts->tree);
    sn_bvh_init(&body_contacts->rest);
}

void sn_body_contacts_release(sn_body_contacts *body_contacts, const sn_allocator *allocator)
{
    sn_table *tables[] = {&body_contacts->kept_table,        &body_contacts->mover_table,   &body_contacts->box_table,
                          &body_contacts->ball_table,        &body_contacts->count_table,   &body_contacts->found_table,
                          &body_contacts->contact_table,     &body_contacts->cell_table,    &body_contacts->group_table,
                          &body_contacts->batch_table,       &body_contacts->record_table,  &body_contacts->spare_table,
                          &body_contacts->fixed_shape_table, &body_contacts->rank_table,    &body_contacts->apart_table,
                          &body_contacts->leaf_table[0],     &body_contacts->leaf_table[1], &body_contacts->row_table,
                          &body_contacts->list_table,        &body_contacts->left_table};
    for (uint32_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
    sn_bvh_release(&body_contacts->tree, allocator);
    sn_bvh_release(&body_contacts->rest, allocator);
}

/* ---- Small things --------------------------------------------------------------------------------------------------------- */

const sn_fixed_shape *sn_body_contact_record(const sn_world *world, uint32_t number)
{
    return &contact_fixed_shapes(&world->contact)[world->contact.fixed_shape_ids.value[number]];
}

sn_vec3 sn_part_spot(const sn_world *world, uint32_t part, sn_vec3 spot)
{
    const sn_body_part *p = &world->bodies.part[part];
    return vec3_add(p->place, sn_quat_turn(p->turn, spot));
}

/* ns, about, of a contact or of a mover in one loop */
#define WORK_OF_BODY_CONTACT 200.0

bool sn_body_contacts_share(sn_world *world, uint32_t count, sn_piece_fn *piece, void *data)
{
    return sn_parallel_few(&world->parallel, count, WORK_OF_BODY_CONTACT, piece, data);
}

/* Whether there can be any. */
static bool is_on(const sn_world *world)
{
    return world->contact.settings.on && world->bodies.part_table.count;
}

/* ---- Which pairs may touch ------------------------------------------------------------------------------------------------------ */

/* Filters of parts: SN_ID_FREE for a ball. */
static bool filters_agree(const sn_world *world, uint32_t a, uint32_t part_a, uint32_t b, uint32_t part_b)
{
    const sn_group_contact *gb = sn_contact_group(&world->contact, world->particles.group[b]);
    const sn_filter fa = sn_part_filter(world, part_a, a);
    const sn_filter fb = part_b == SN_ID_FREE ? (sn_filter){gb->category, gb->mask} : sn_part_filter(world, part_b, b);
    if (part_b != SN_ID_FREE && world->bodies.part[part_a].sensor && world->bodies.part[part_b].sensor)
        return false; /* sensors do not notice each other */
    return sn_contacts_agree(fa.category, fa.mask, fb.category, fb.mask);
}

static bool groups_agree(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_particle_store *p = &world->particles;
    if (p->x[a].w == 0 && p->x[b].w == 0 && !sn_sleep_asks(world, (uint32_t[]){a, b}, 2))
        return false;
    if (p->group[a] == p->group[b] && !sn_contact_group(&world->contact, p->group[a])->self)
        return false;
    return !sn_incidence_joins(&world->incidence, &world->constraints, p->index[a], p->index[b]);
}

/* One item of a loop that looks around. */
typedef struct looking {
    const sn_body_contact_finding *f;
    uint32_t item;
    uint32_t slot;        /* of the particle of the item */
    sn_bounds reach;      /* where it looks */
    const uint32_t *leaf; /* boxes of the tree that it looks in, */
    bool awake;           /*   of bodies that are awake: when a step begins all of them look around */
    uint32_t count, most; /* of what is written */
    sn_body_contact_found *to;
} looking;

static bool boxes_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Whether one of the axes of a lies between the two, wherever they fly: each may be stopped anywhere on its way. */
static bool has_axis_between(const sn_body_contact_box *a, const sn_body_contact_box *b)
{
    const sn_vec3 between = vec3_sub(b->centre, a->centre);
    const sn_real stray = a->stray + b->stray;
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_vec3 axis = a->axis[i];
        const sn_real along = vec3_dot(between, axis), sign = along < 0 ? -1 : 1;
        const sn_real way_a = sign * vec3_dot(a->way, axis), way_b = -sign * vec3_dot(b->way, axis);
        const sn_real size = a->half[i] + b->half[0] * contact_magnitude(vec3_dot(b->axis[0], axis)) +
                             b->half[1] * contact_magnitude(vec3_dot(b->axis[1], axis)) +
                             b->half[2] * contact_magnitude(vec3_dot(b->axis[2], axis));
        if (sign * along > size + stray + (way_a > 0 ? way_a : 0) + (way_b > 0 ? way_b : 0))
            return true;
    }
    return false;
}

static bool are_apart(const sn_body_contact_finding *f, uint32_t a, uint32_t b)
{
    const sn_body_contact_box *box = f->body_contacts->box_table.column[3];
    return has_axis_between(&box[a], &box[b]) || has_axis_between(&box[b], &box[a]);
}

static void note(looking *l, uint32_t a, uint32_t other, uint32_t type)
{
    if (l->to && l->count < l->most)
        l->to[l->count] = (sn_body_contact_found){a, other, type};
    l->count++;
}

static bool has_left(const sn_body_contact_finding *f, uint32_t at)
{
    return contact_movers(f->world)[f->body[at]].left;
}

static uint32_t slot_of(const sn_body_contact_finding *f, uint32_t at)
{
    return ((const sn_mover *)f->body_contacts->mover_table.column[0])[f->body[at]].slot;
}

/* Calls visit for boxes of bodies, awake or not. */
static void look_in_trees(looking *l, sn_bvh_visit *visit)
{
    const sn_body_contacts *body_contacts = l->f->body_contacts;
    l->leaf = body_contacts->leaf_table[SN_TREE_AWAKE].column[1];
    l->awake = true;
    sn_bvh_overlap(&body_contacts->tree, &l->reach, visit, l);
    l->leaf = body_contacts->leaf_table[SN_TREE_REST].column[1];
    l->awake = false;
    if (body_contacts->leaf_table[SN_TREE_REST].count)
        sn_bvh_overlap(&body_contacts->rest, &l->reach, visit, l);
}

/* The order in which trees visit things depends on their history. */
static bool comes_before(const sn_body_contact_found *a, const sn_body_contact_found *b)
{
    return a->a != b->a ? a->a < b->a : a->other != b->other ? a->other < b->other : a->type < b->type;
}

static void sort_found(looking *l, uint32_t first)
{
    sn_body_contact_found *all = l->to;
    for (uint32_t i = first + 1; l->to && l->count <= l->most && i < l->count; ++i) {
        const sn_body_contact_found here = all[i];
        uint32_t at = i;
        for (; at > first && comes_before(&here, &all[at - 1]); --at)
            all[at] = all[at - 1];
        all[at] = here;
    }
}

/* Of two parts the one of the first body asks; or the one that left, of two of which one did. The one with the lower particle is a. */
static bool look_at_part(void *data, uint32_t leaf)
{
    looking *l = data;
    const sn_body_contact_finding *f = l->f;
    const uint32_t other = l->leaf[leaf];
    if (f->body[other] == f->body[l->item] || !boxes_touch(&f->bounds[other], &l->reach) ||
        (f->body[other] < f->body[l->item] && (f->again ? has_left(f, other) : l->awake)) ||
        are_apart(f, l->item, other))
        return true;
    uint32_t b = slot_of(f, other);
    const uint32_t *number = f->world->particles.index;
    bool lower = number[l->slot] < number[b];
    if (filters_agree(f->world, l->slot, f->part[l->item], b, f->part[other]) && groups_agree(f->world, l->slot, b))
        note(l, lower ? l->item : other, lower ? other : l->item, FOUND_PART);
    return true;
}

static void look_for_parts(looking *l)
{
    l->item = l->f->box[l->item];
    l->slot = slot_of(l->f, l->item);
    l->reach = l->f->bounds[l->item];
    look_in_trees(l, look_at_part);
    sort_found(l, 0);
}

/* Whether rods keep a ball inside a part of a body, as they do where a rope is tied to a spot within it. */
static bool is_leashed(const sn_world *world, uint32_t body, uint32_t part, uint32_t ball)
{
    const uint32_t *number = world->particles.index;
    const sn_body_part *p = &world->bodies.part[part];
    return sn_incidence_leashes(&world->incidence, &world->constraints, number[body], number[ball], p->place,
                                sn_convex_inner(&p->convex) + world->particles.radius[ball]);
}

static bool look_at_body(void *data, uint32_t leaf)
{
    looking *l = data;
    const uint32_t at = l->leaf[leaf];
    if ((has_left(l->f, at) || !l->f->again) && boxes_touch(&l->f->bounds[at], &l->reach) &&
        filters_agree(l->f->world, slot_of(l->f, at), l->f->part[at], l->slot, SN_ID_FREE) &&
        groups_agree(l->f->world, slot_of(l->f, at), l->slot) &&
        !is_leashed(l->f->world, slot_of(l->f, at), l->f->part[at], l->slot))
        note(l, at, l->slot, FOUND_BALL);
    return true;
}

static bool stop_looking(void *data, uint32_t at)
{
    (void)at;
    *(bool *)data = true;
    return false;
}

/* The bodies of a piece of particles. */
static void look_for_bodies(looking *l)
{
    const sn_particle_store *p = &l->f->world->particles;
    const sn_bounds *box = (const sn_bounds *)l->f->world->contacts.box_table.column[0] + l->item;
    const uint32_t first = l->item * SN_CONTACT_PIECE, count = p->table.count;
    const uint32_t end = count - first < SN_CONTACT_PIECE ? count : first + SN_CONTACT_PIECE;
    bool near = l->f->again; /* then particles may have left their box */
    if (!near)
        sn_bvh_overlap(&l->f->body_contacts->tree, box, stop_looking, &near);
    if (!near && l->f->body_contacts->leaf_table[SN_TREE_REST].count)
        sn_bvh_overlap(&l->f->body_contacts->rest, box, stop_looking, &near);
    for (l->slot = first; near && l->slot < end; ++l->slot) {
        if (p->body[l->slot])
            continue;
        sn_real by = p->radius[l->slot] + sn_contacts_way(l->f->world, l->slot, l->f->dt);
        sn_vec3 x = vec4_xyz(p->x[l->slot]);
        l->reach = contact_grow((sn_bounds){x, x}, by);
        const uint32_t before = l->count;
        look_in_trees(l, look_at_body);
        sort_found(l, before);
    }
}

/* Whether a box, which already has room for the way of what is in it, is all above a plane. */
static bool is_above(const sn_bounds *box, const sn_fixed_shape *r, const sn_fixed_motion *m, sn_real dt)
{
    if (!m->plain)
        return false;
    sn_vec3 n = m->normal, low = vec3(n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                                      n.z > 0 ? box->low.z : box->high.z);
    return vec3_dot(vec3_sub(low, m->step_start.position), n) > r->shape.thickness + r->shape.guard + m->speed * dt;
}

static bool look_at_fixed_shape(void *data, uint32_t number)
{
    looking *l = data;
    const sn_world *world = l->f->world;
    const sn_fixed_shape *r = sn_body_contact_record(world, number);
    const sn_filter own = sn_part_filter(world, l->f->part[l->item], l->slot),
                    filter = sn_fixed_shape_filter(&world->contact, r);
    if (is_above(&l->reach, r, contact_motion(world, number), l->f->dt) ||
        !sn_contacts_agree(own.category, own.mask, filter.category, filter.mask) ||
        (r->def.sensor && world->bodies.part[l->f->part[l->item]].sensor) ||
        sn_fixed_joins(world, r->body, world->particles.index[l->slot]))
        return true;
    uint32_t layers = r->shape.type >= SN_SHAPE_MESH ? SN_BODY_CONTACT_LAYERS : 1;
    for (uint32_t k = 0; k < layers; ++k)
        note(l, l->item, number, FOUND_FIXED + k);
    return true;
}

/* The fixed shapes of a part. */
static void look_for_fixed_shapes(looking *l)
{
    const sn_world *world = l->f->world;
    l->item = l->f->box[l->item];
    l->slot = slot_of(l->f, l->item);
    if (world->particles.x[l->slot].w == 0 && !sn_sleep_asks(world, (uint32_t[]){l->slot}, 1))
        return;
    l->reach = l->f->bounds[l->item];
    sn_fixed_tree_overlap(&world->contacts.fixed_shapes, &l->reach, look_at_fixed_shape, l);
    sort_found(l, 0);
}

typedef void look_fn(looking *l);

typedef struct look_loop {
    sn_body_contact_finding *f;
    look_fn *look;
} look_loop;

static void look_piece(void *data, uint32_t first, uint32_t end)
{
    const look_loop *loop = data;
    sn_body_contact_finding *f = loop->f;
    for (uint32_t i = first; i < end; ++i) {
        looking l = {.f = f, .item = i, .most = SPARE, .to = f->spare ? f->spare + (size_t)SPARE * i : NULL};
        loop->look(&l);
        f->start[i] = l.count;
    }
}

/* Those that were found, each at its place. */
static void write_piece(void *data, uint32_t first, uint32_t end)
{
    const look_loop *loop = data;
    const sn_body_contact_finding *f = loop->f;
    for (uint32_t i = first; i < end; ++i) {
        uint32_t count = f->start[i + 1] - f->start[i];
        if (count == 0)
            continue; /* there may be no room at all */
        looking l = {.f = f, .item = i, .most = count, .to = f->to + f->start[i]};
        if (f->spare && count <= SPARE)
            memcpy(l.to, f->spare + (size_t)SPARE * i, count * sizeof *l.to);
        else
            loop->look(&l);
    }
}

/* Counts first, then writes: what was found is in the order of the items. */
static sn_result look_around(sn_body_contact_finding *f, uint32_t items, look_fn *look)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    look_loop loop = {f, look};
    uint64_t total = body_contacts->found_table.count;
    bool spare = look == look_for_parts;
    if (!sn_table_reserve(&body_contacts->count_table, &world->allocator, (uint64_t)items + 1) ||
        (spare && !sn_table_reserve(&body_contacts->spare_table, &world->allocator, items)) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, items / SN_FEW + 1))
        return SN_ERROR_MEMORY;
    f->start = body_contacts->count_table.column[0];
    f->spare = spare ? body_contacts->spare_table.column[0] : NULL;
    if (!sn_body_contacts_share(world, items, look_piece, &loop))
        return SN_ERROR_HOST;
    for (uint32_t i = 0; i < items; ++i) {
        uint32_t count = f->start[i];
        f->start[i] = (uint32_t)total;
        total += count;
        if (total > SN_MAX_COUNT)
            return SN_ERROR_MEMORY;
    }
    f->start[items] = (uint32_t)total;
    if (!sn_table_reserve(&body_contacts->found_table, &world->allocator, total + A_FEW))
        return SN_ERROR_MEMORY;
    f->to = body_contacts->found_table.column[0];
    body_contacts->found_table.count = (uint32_t)total;
    return sn_body_contacts_share(world, items, write_piece, &loop) ? SN_OK : SN_ERROR_HOST;
}

/* ---- Meets -------------------------------------------------------------------------------------------------------------------- */

static bool is_with_ball(const sn_body_contact *contact)
{
    return contact->b != SN_NO_MOVER && contact->part_b == SN_ID_FREE;
}

/* A mover for a particle, if it has none yet. */
static void add_ball(uint32_t *ball, uint32_t slot, uint32_t *movers)
{
    if (ball[slot] == SN_NO_MOVER)
        ball[slot] = (*movers)++;
}

/* The movers of particles come after those of bodies. kept: contacts that there are already. */
static bool make_movers(sn_body_contact_finding *f, sn_body_contact *kept, uint32_t count)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    uint32_t founds = body_contacts->found_table.count, movers = bodies_rows(&world->bodies);
    if (!sn_table_reserve(&body_contacts->ball_table, &world->allocator, world->particles.table.count))
        return false;
    uint32_t *ball = body_contacts->ball_table.column[0];
    for (uint32_t i = 0; i < founds; ++i)
        if (all[i].type == FOUND_BALL)
            ball[all[i].other] = SN_NO_MOVER;
    for (uint32_t i = 0; i < count; ++i)
        if (is_with_ball(&kept[i]))
            ball[kept[i].fixed_shape] = SN_NO_MOVER;
    for (uint32_t i = 0; i < founds; ++i)
        if (all[i].type == FOUND_BALL)
            add_ball(ball, all[i].other, &movers);
    for (uint32_t i = 0; i < count; ++i)
        if (is_with_ball(&kept[i])) {
            add_ball(ball, kept[i].fixed_shape, &movers);
            kept[i].b = ball[kept[i].fixed_shape];
        }
    if (!sn_table_reserve(&body_contacts->mover_table, &world->allocator, movers))
        return false;
    sn_mover *mover = body_contacts->mover_table.column[0];
    for (uint32_t i = 0; i < founds; ++i)
        if (all[i].type == FOUND_BALL)
            mover[ball[all[i].other]] = (sn_mover){.slot = all[i].other, .body = SN_ID_FREE};
    for (uint32_t i = 0; i < count; ++i)
        if (is_with_ball(&kept[i]))
            mover[kept[i].b] = (sn_mover){.slot = kept[i].fixed_shape, .body = SN_ID_FREE};
    body_contacts->mover_table.count = movers;
    return true;
}

/* m: of a part that is round; 0: it is not. */
static sn_real roundness(const sn_world *world, uint32_t part)
{
    const sn_convex *convex = &world->bodies.part[part].convex;
    if (convex->type == SN_SHAPE_CYLINDER)
        return convex->half.x + convex->radius;
    return convex->type == SN_SHAPE_SPHERE || convex->type == SN_SHAPE_CAPSULE ? convex->radius : 0;
}

/* m: the radius at which rolling is resisted, as for particles. */
static sn_real rolls_at(const sn_world *world, const sn_body_contact *contact)
{
    sn_real a = roundness(world, contact->part_a),
            b = contact->part_b != SN_ID_FREE ? roundness(world, contact->part_b) : 0;
    if (!(contact->friction.rolling > 0))
        return 0;
    return a > 0 && b > 0 ? a * b / (a + b) : a + b;
}

/* m: from the core of b to its surface. */
static sn_real rounding_of_b(const sn_world *world, const sn_body_contact *contact)
{
    if (contact->part_b != SN_ID_FREE)
        return world->bodies.part[contact->part_b].convex.radius;
    if (contact->b != SN_NO_MOVER)
        return world->particles.radius[contact->fixed_shape];
    const sn_shape *shape = &sn_body_contact_record(world, contact->fixed_shape)->shape;
    return shape->thickness + (sn_shape_is_convex(shape->type) ? shape->convex.radius : 0);
}

/* The name of two, by which they are known: never that of others. */
static void name(const sn_body_contact_finding *f, const sn_body_contact_found *two, uint64_t key[2])
{
    const sn_world *world = f->world;
    const sn_body_state *state = world->bodies.state;
    uint32_t other, local = 0;
    if (two->type >= FOUND_FIXED) {
        other = SN_IMPULSE_FIXED | two->other;
        local = two->type - FOUND_FIXED;
    } else {
        other = world->particles.index[two->type == FOUND_BALL ? two->other : slot_of(f, two->other)];
        if (two->type == FOUND_PART)
            local = f->part[two->other] - state[f->body[two->other]].part;
    }
    key[0] = (uint64_t)world->particles.index[slot_of(f, two->a)] << 32 | other;
    key[1] = (uint64_t)(f->part[two->a] - state[f->body[two->a]].part) << 32 | local;
}

/* m/s: how the surface of a part runs, in the world. */
static sn_vec3 part_surface_velocity(const sn_world *world, const sn_contact_material *material, uint32_t slot)
{
    if (!sn_contact_runs(material))
        return vec3(0, 0, 0);
    return sn_quat_turn(sn_body_rotation(world, sn_body_of_row(world, world->particles.body[slot] - 1)),
                        material->surface_velocity);
}

/* Points are left as they are: there are none. */
static void make_contact(const sn_body_contact_finding *f, const sn_body_contact_found *two, sn_body_contact *contact)
{
    const sn_world *world = f->world;
    const sn_contact_world *rules = &world->contact;
    uint32_t slot = slot_of(f, two->a);
    const sn_contact_material *material = sn_part_material(world, f->part[two->a], slot), *others;
    memset(contact, 0, offsetof(sn_body_contact, point));
    contact->a = f->body[two->a];
    contact->b = SN_NO_MOVER;
    contact->part_a = f->part[two->a];
    contact->part_b = contact->kept = SN_ID_FREE;
    contact->fixed_shape = two->other;
    contact->sensor = world->bodies.part[contact->part_a].sensor;
    sn_real inner = sn_convex_inner(&world->bodies.part[contact->part_a].convex);
    if (two->type >= FOUND_FIXED) {
        const sn_fixed_shape *r = sn_body_contact_record(world, two->other);
        contact->layer = two->type - FOUND_FIXED;
        contact->sensor = contact->sensor || r->def.sensor;
        others = sn_fixed_shape_material(rules, r);
        if (sn_contact_runs(others))
            contact->belt = sn_fixed_surface_velocity(world, r);
    } else if (two->type == FOUND_BALL) {
        contact->b = ((const uint32_t *)f->body_contacts->ball_table.column[0])[two->other];
        others = &sn_contact_group(rules, world->particles.group[two->other])->material;
    } else {
        contact->b = f->body[two->other];
        contact->part_b = f->part[two->other];
        contact->sensor = contact->sensor || world->bodies.part[contact->part_b].sensor;
        others = sn_part_material(world, contact->part_b, slot_of(f, two->other));
        contact->belt = part_surface_velocity(world, others, slot_of(f, two->other));
        sn_real inner_b = sn_convex_inner(&world->bodies.part[contact->part_b].convex);
        inner = inner_b < inner ? inner_b : inner;
    }
    contact->belt = vec3_sub(contact->belt, part_surface_velocity(world, material, slot));
    contact->friction = sn_contacts_friction(material, others);
    contact->slop = SLOP * inner;
    contact->round = rolls_at(world, contact);
    contact->round_a = world->bodies.part[contact->part_a].convex.radius;
    contact->round_b = rounding_of_b(world, contact);
    name(f, two, contact->key);
}

/* Fixed shapes that are met have a record each, in the order in which they were found. */
static bool rank_fixed_shapes(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    const uint32_t numbers = f->world->contact.fixed_shape_ids.table.count;
    if (!sn_table_reserve(&body_contacts->rank_table, &f->world->allocator, numbers) ||
        !sn_table_reserve(&body_contacts->fixed_shape_table, &f->world->allocator, numbers))
        return false;
    uint32_t *rank = body_contacts->rank_table.column[0], *met = body_contacts->fixed_shape_table.column[0];
    if (numbers && !body_contacts->fixed_shape_table.count)
        memset(rank, 0xff, numbers * sizeof *rank);
    for (uint32_t i = 0; i < body_contacts->found_table.count; ++i)
        if (all[i].type >= FOUND_FIXED && rank[all[i].other] == SN_ID_FREE) {
            rank[all[i].other] = body_contacts->fixed_shape_table.count;
            met[body_contacts->fixed_shape_table.count++] = all[i].other;
        }
    return true;
}

/* Room for so many contacts, and for remembering what they push. Those that there are stay. */
static bool reserve_contacts(sn_world *world, uint64_t count)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    body_contacts->contact_table.count = body_contacts->count;
    return count <= SN_MAX_COUNT && sn_table_reserve(&body_contacts->contact_table, &world->allocator, count + A_FEW) &&
           sn_table_reserve(&body_contacts->kept_table, &world->allocator,
                            count + A_FEW + body_contacts->kept_table.count) &&
           sn_body_contacts_reserve_apart(world, count + A_FEW) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, count / SN_FEW + 1);
}

static void watch_contact(const sn_body_contact_finding *f, uint32_t at)
{
    const sn_body_contact *contact = &contact_all(f->world)[at];
    sn_body_contact_watch *watch = (sn_body_contact_watch *)f->body_contacts->contact_table.column[4] + at;
    *watch = (sn_body_contact_watch){.a = contact->a, .b = contact_other(f->world, contact)};
    if (!f->again)
        sn_body_contact_recall_apart(f->world, contact, watch);
}

typedef struct making {
    sn_body_contact_finding *f;
    uint32_t kept; /* contacts that there were already, in the second column */
    atomic_bool bounces;
} making;

/* Each at its place. */
static void make_piece(void *data, uint32_t first, uint32_t end)
{
    making *m = data;
    const sn_body_contact_found *all = m->f->body_contacts->found_table.column[0];
    const sn_body_contact *kept = m->f->body_contacts->contact_table.column[1];
    const uint32_t *place = m->f->body_contacts->contact_table.column[2];
    for (uint32_t i = first; i < end; ++i) {
        sn_body_contact *contact = &contact_all(m->f->world)[place[i]];
        if (i < m->kept)
            *contact = kept[i];
        else
            make_contact(m->f, &all[i - m->kept], contact);
        watch_contact(m->f, place[i]);
        if (contact->friction.restitution > 0)
            atomic_store_explicit(&m->bounces, true, memory_order_relaxed);
    }
}

static sn_body_contact_ends ends_of(const sn_body_contact_finding *f, const sn_body_contact_found *two)
{
    const uint32_t *ball = f->body_contacts->ball_table.column[0];
    return (sn_body_contact_ends){f->body[two->a], two->type == FOUND_PART   ? f->body[two->other]
                                                   : two->type == FOUND_BALL ? ball[two->other]
                                                                             : SN_NO_MOVER};
}

static void list_mover(sn_body_contacts *body_contacts, uint32_t i, bool contacts_somebody)
{
    sn_mover *m = (sn_mover *)body_contacts->mover_table.column[0] + i;
    if (!m->listed)
        ((uint32_t *)body_contacts->list_table.column[0])[body_contacts->list_table.count++] = i;
    m->listed = true;
    sn_body_contact_cell *cell = (sn_body_contact_cell *)body_contacts->cell_table.column[0] + i;
    m->loaded = m->loaded && (cell->listed || !contacts_somebody); /* inertia is loaded of those that touch something */
    cell->listed = cell->listed || contacts_somebody;
}

/* Movers that are awake, or at one of the ends of contacts from the first on. */
static bool list_movers(sn_world *world, uint32_t first)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_bodies *bodies = &world->bodies;
    const sn_body_contact_ends *ends = body_contacts->contact_table.column[5];
    if (!sn_table_reserve(&body_contacts->list_table, &world->allocator, body_contacts->mover_table.count))
        return false;
    for (uint32_t i = 0; first == 0 && i < body_contacts->list_table.count; ++i)
        contact_movers(world)[contact_listed(world)[i]].listed =
            contact_movers(world)[contact_listed(world)[i]].loaded = false;
    body_contacts->list_table.count = first == 0 ? 0 : body_contacts->list_table.count;
    for (uint32_t i = 0; first == 0 && i < bodies->awake_table.count; ++i)
        list_mover(body_contacts, bodies_awake(bodies)[i], false);
    for (uint32_t i = first; i < body_contacts->count; ++i) {
        list_mover(body_contacts, ends[i].a, true);
        if (ends[i].b != SN_NO_MOVER)
            list_mover(body_contacts, ends[i].b, true);
    }
    return true;
}

/* Adds what was found to the first `kept` contacts. */
static sn_result make_contacts(sn_body_contact_finding *f, uint32_t kept)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    uint32_t founds = body_contacts->found_table.count;
    making m = {.f = f, .kept = kept};
    if (!reserve_contacts(f->world, (uint64_t)kept + founds))
        return SN_ERROR_MEMORY;
    sn_body_contact *raw = body_contacts->contact_table.column[1];
    if (kept && !sn_body_contacts_leave_lanes(f->world))
        return SN_ERROR_HOST;
    if (kept)
        memcpy(raw, body_contacts->contact_table.column[0], kept * sizeof *raw);
    if (!make_movers(f, raw, kept) || !rank_fixed_shapes(f))
        return SN_ERROR_MEMORY;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    sn_body_contact_ends *ends = body_contacts->contact_table.column[5];
    for (uint32_t i = 0; i < kept; ++i)
        ends[i] = (sn_body_contact_ends){raw[i].a, raw[i].b};
    for (uint32_t i = 0; i < founds; ++i)
        ends[kept + i] = ends_of(f, &all[i]);
    const sn_result result = sn_body_contacts_group(f->world, kept + founds);
    if (result != SN_OK)
        return result;
    if (!sn_body_contacts_share(f->world, kept + founds, make_piece, &m))
        return SN_ERROR_HOST;
    body_contacts->count = kept + founds;
    body_contacts->bounces = m.bounces;
    return list_movers(f->world, 0) ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- All together --------------------------------------------------------------------------------------------------------------- */

static sn_result fail(const sn_world *world, sn_result result)
{
    if (result == SN_ERROR_DIVERGED) /* which has said why */
        return result;
    if (result == SN_ERROR_HOST)
        return world_fail(world, result, "the task hook did not run all tasks of a loop");
    return world_fail(world, SN_ERROR_MEMORY, "no memory for contact of %u bodies", world->bodies.ids.live);
}

static sn_result look_for_all(sn_body_contact_finding *f)
{
    sn_result result = look_around(f, f->sought, look_for_parts);
    if (result == SN_OK && !f->ended) /* nothing stops before a ball */
        result = look_around(f, (f->world->particles.table.count + SN_CONTACT_PIECE - 1) / SN_CONTACT_PIECE,
                             look_for_bodies);
    if (result == SN_OK)
        result = look_around(f, f->sought, look_for_fixed_shapes);
    return result;
}

sn_result sn_body_contacts_find(sn_world *world, sn_real dt)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    sn_body_contact_finding f = {.world = world, .body_contacts = body_contacts, .dt = dt};
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    body_contacts->count = body_contacts->found_table.count = body_contacts->fixed_shape_table.count = 0;
    body_contacts->searches = 1;
    body_contacts->left = dt;
    if (!is_on(world)) {
        body_contacts->mover_table.count = body_contacts->list_table.count = 0;
        body_contacts->rest_known = false;
        return SN_OK;
    }
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return fail(world, SN_ERROR_MEMORY);
    sn_result result = sn_body_contacts_make_boxes(&f);
    if (result == SN_OK)
        result = look_for_all(&f);
    if (result == SN_OK)
        result = make_contacts(&f, 0);
    if (result != SN_OK)
        return fail(world, result);
    body_contacts->factor = sn_contacts_recall_factor(world, dt);
    body_contacts->factor = body_contacts->factor > 0 ? real_sqrt(body_contacts->factor)
                                                      : 0; /* impulses go with h, pushes with its square */
    return SN_OK;
}

/* A number for a name, to sort by. */
static uint64_t mixed(const uint64_t key[2])
{
    return hash_u64(hash_u64(1, key[0]), key[1]);
}

/* Whether there is a contact of this name. */
static bool is_known(const sn_body_contacts *body_contacts, const sn_sort_item *item, uint32_t items,
                     const uint64_t key[2])
{
    const sn_body_contact *contact = body_contacts->contact_table.column[0];
    uint64_t wanted = mixed(key);
    uint32_t low = sort_lower_bound(item, items, wanted);
    for (; low < items && item[low].key == wanted; ++low)
        if (contact[item[low].a].key[0] == key[0] && contact[item[low].a].key[1] == key[1])
            return true;
    return false;
}

/* Takes those that are contacts already out of what was found. They are of bodies that left. */
static void leave_known(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact *contact = body_contacts->contact_table.column[0];
    const sn_mover *mover = body_contacts->mover_table.column[0];
    sn_body_contact_found *all = body_contacts->found_table.column[0];
    sn_sort_item *item = body_contacts->kept_table.column[2];
    uint32_t count = 0, items = 0;
    for (uint32_t i = 0; body_contacts->found_table.count && i < body_contacts->count; ++i)
        if (mover[contact[i].a].left || (contact[i].b < bodies_rows(&f->world->bodies) && mover[contact[i].b].left))
            item[items++] = (sn_sort_item){mixed(contact[i].key), i, 0};
    if (items)
        sn_sort(item, body_contacts->kept_table.column[3], items);
    for (uint32_t i = 0; i < body_contacts->found_table.count; ++i) {
        uint64_t key[2];
        name(f, &all[i], key);
        if (!is_known(body_contacts, item, items, key))
            all[count++] = all[i];
    }
    body_contacts->found_table.count = count;
}

/* Whether what was found can simply be added to what there is: it is little, and needs no new mover. */
static bool can_append(const sn_body_contact_finding *f)
{
    const sn_body_contact_found *all = f->body_contacts->found_table.column[0];
    for (uint32_t i = 0; i < f->body_contacts->found_table.count; ++i)
        if (all[i].type == FOUND_BALL)
            return false;
    return f->body_contacts->found_table.count <= f->body_contacts->count / 4;
}

static sn_result append(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    uint32_t kept = body_contacts->count, founds = body_contacts->found_table.count;
    if (!reserve_contacts(f->world, (uint64_t)kept + founds) || !rank_fixed_shapes(f))
        return SN_ERROR_MEMORY;
    for (uint32_t i = 0; i < founds; ++i) {
        make_contact(f, &all[i], &contact_all(f->world)[kept + i]);
        ((sn_body_contact_ends *)body_contacts->contact_table.column[5])[kept + i] = ends_of(f, &all[i]);
        watch_contact(f, kept + i);
        body_contacts->bounces = body_contacts->bounces || contact_all(f->world)[kept + i].friction.restitution > 0;
    }
    body_contacts->count = kept + founds;
    return list_movers(f->world, kept) && sn_body_contacts_append(f->world, body_contacts->count) ? SN_OK
                                                                                                  : SN_ERROR_MEMORY;
}

sn_result sn_body_contacts_find_again(sn_world *world, bool ended)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    sn_body_contact_finding f = {
        .world = world, .body_contacts = body_contacts, .dt = body_contacts->left, .again = true, .ended = ended};
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    body_contacts->found_table.count = 0;
    body_contacts->searches++;
    sn_result result = sn_body_contacts_make_boxes(&f);
    if (result == SN_OK)
        result = look_for_all(&f);
    if (result != SN_OK)
        return fail(world, result);
    leave_known(&f);
    if (!body_contacts->found_table.count)
        return SN_OK;
    result = can_append(&f) ? append(&f) : make_contacts(&f, body_contacts->count);
    if (result == SN_OK && !sn_contact_events_reserve(world))
        result = SN_ERROR_MEMORY;
    return result == SN_OK ? SN_OK : fail(world, result);
}
