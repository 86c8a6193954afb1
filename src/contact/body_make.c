/* Contact of bodies: the search of a step (sn_body_contacts_find). Boxes are made (body_bounds.c), pairs found
   (body_broad_phase.c), and contacts made from the pairs: once a step, and within it for pairs that are found then. */
#include "contact/body_search.h"

#include "base/hash.h"
#include "base/sort.h"

#include <stddef.h>
#include <string.h>

#define WORK_OF_KNOWING 4.0 /* ns, about, of a contact that is looked up when bodies left */

#define SLOP ((sn_real)0.002) /* of the inner radius: overlap that is not corrected */

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

static sn_mover ball_mover(const sn_world *world, uint32_t slot)
{
    return (sn_mover){
        .slot = slot, .body = SN_ID_FREE, .w = world->particles.x[slot].w, .thin = world->particles.radius[slot] / 4};
}

/* Makes movers. Those of particles come after those of bodies. kept: contacts that exist already. */
static bool make_movers(sn_body_contact_finding *f, sn_body_contact *kept, uint32_t count)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    uint32_t founds = body_contacts->found_table.count, movers = bodies_rows(&world->bodies);
    if (!body_contacts->balls)
        founds = count = 0;
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
            mover[ball[all[i].other]] = ball_mover(world, all[i].other);
    for (uint32_t i = 0; i < count; ++i)
        if (is_with_ball(&kept[i]))
            mover[kept[i].b] = ball_mover(world, kept[i].fixed_shape);
    body_contacts->mover_table.count = movers;
    return true;
}

/* m: the radius of a round part; 0: it is not round. */
static sn_real roundness(const sn_world *world, uint32_t part)
{
    const sn_convex *convex = &world->bodies.part[part].convex;
    if (convex->type == SN_SHAPE_CYLINDER)
        return convex->half.x + convex->radius;
    return convex->type == SN_SHAPE_SPHERE || convex->type == SN_SHAPE_CAPSULE ? convex->radius : 0;
}

/* m: the radius at which rolling resistance acts, as for particles. */
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

/* The key of a pair: unique, and the same in every step. */
static void name(const sn_body_contact_finding *f, const sn_body_contact_found *two, uint64_t key[2])
{
    const sn_world *world = f->world;
    const sn_body_state *state = world->bodies.state;
    uint32_t other, local = 0;
    if (two->type >= FOUND_FIXED) {
        other = SN_IMPULSE_FIXED | two->other;
        local = two->type - FOUND_FIXED;
    } else {
        other = world->particles.index[two->type == FOUND_BALL ? two->other : contact_slot_of(f, two->other)];
        if (two->type == FOUND_PART)
            local = f->part[two->other] - state[f->body[two->other]].part;
    }
    key[0] = (uint64_t)world->particles.index[contact_slot_of(f, two->a)] << 32 | other;
    key[1] = (uint64_t)(f->part[two->a] - state[f->body[two->a]].part) << 32 | local;
}

/* m/s: the surface velocity of a part, in the world. */
static sn_vec3 part_surface_velocity(const sn_world *world, const sn_contact_material *material, uint32_t slot)
{
    if (!sn_contact_runs(material))
        return vec3(0, 0, 0);
    return sn_quat_rotate(sn_body_rotation(world, sn_body_of_row(world, world->particles.body[slot] - 1)),
                          material->surface_velocity);
}

/* The array of points is not initialised: count is 0. */
static void make_contact(const sn_body_contact_finding *f, const sn_body_contact_found *two, sn_body_contact *contact)
{
    const sn_world *world = f->world;
    const sn_contact_world *rules = &world->contact;
    uint32_t slot = contact_slot_of(f, two->a);
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
        others = sn_part_material(world, contact->part_b, contact_slot_of(f, two->other));
        contact->belt = part_surface_velocity(world, others, contact_slot_of(f, two->other));
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

/* Makes a record for each fixed shape with a contact, in the order in which they were found. */
static bool rank_fixed_shapes(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    const uint32_t numbers = f->world->contact.fixed_shape_ids.table.count;
    if (!sn_table_reserve(&body_contacts->rank_table, &f->world->allocator, numbers) ||
        !sn_table_reserve(&body_contacts->fixed_shape_table, &f->world->allocator, numbers))
        return false;
    uint32_t *rank = body_contacts->rank_table.column[0], *found = body_contacts->fixed_shape_table.column[0];
    if (numbers && !body_contacts->fixed_shape_table.count)
        memset(rank, 0xff, numbers * sizeof *rank);
    for (uint32_t i = 0; i < body_contacts->found_table.count; ++i)
        if (all[i].type >= FOUND_FIXED && rank[all[i].other] == SN_ID_FREE) {
            rank[all[i].other] = body_contacts->fixed_shape_table.count;
            found[body_contacts->fixed_shape_table.count++] = all[i].other;
        }
    return true;
}

/* Makes room for this many contacts, and for their impulses at the end of the step. Existing ones are kept. */
static bool reserve_contacts(sn_world *world, uint64_t count)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    body_contacts->contact_table.count = body_contacts->count;
    return count <= SN_MAX_COUNT &&
           sn_table_reserve(&body_contacts->contact_table, &world->allocator, count + SN_BODY_CONTACTS_FEW) &&
           sn_table_reserve(&body_contacts->kept_table, &world->allocator,
                            count + SN_BODY_CONTACTS_FEW + body_contacts->kept_table.count) &&
           sn_body_contacts_reserve_apart(world, count + SN_BODY_CONTACTS_FEW) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, count / SN_FEW + 1);
}

typedef struct making {
    sn_body_contact_finding *f;
    uint32_t kept; /* contacts that existed already, in the second column */
    atomic_bool bounces;
} making;

/* Sets up a new contact: its kept manifold and its watch. near: where the search for kept manifolds begins. */
static void watch_made(making *m, uint32_t at, uint32_t *near)
{
    const sn_world *world = m->f->world;
    sn_body_contact *contact = &contact_all(world)[at];
    if (contact->kept == SN_ID_FREE)
        contact->kept = SN_KEPT_UNSEEN | sn_body_contact_find_kept(world, contact, near);
    sn_body_contact_watch *watch = (sn_body_contact_watch *)world->body_contacts.contact_table.column[4] + at;
    *watch = (sn_body_contact_watch){.a = contact->a, .b = contact_other(world, contact)};
    if (!m->f->again)
        sn_body_contact_recall_apart(world, contact, watch);
    if (contact->friction.restitution > 0)
        contact_raise(&m->bounces);
}

/* Writes contacts to their indices. */
static void make_piece(void *data, uint32_t first, uint32_t end)
{
    making *m = data;
    const sn_body_contact_found *all = m->f->body_contacts->found_table.column[0];
    const sn_body_contact *kept = m->f->body_contacts->contact_table.column[1];
    const uint32_t *place = m->f->body_contacts->contact_table.column[2];
    uint32_t near = 0;
    for (uint32_t i = first; i < end; ++i) {
        sn_body_contact *contact = &contact_all(m->f->world)[place[i]];
        if (i < m->kept)
            *contact = kept[i];
        else
            make_contact(m->f, &all[i - m->kept], contact);
        watch_made(m, place[i], &near);
    }
}

static sn_body_contact_ends ends_of(const sn_body_contact_finding *f, const sn_body_contact_found *two)
{
    const uint32_t *ball = f->body_contacts->ball_table.column[0];
    return (sn_body_contact_ends){f->body[two->a], two->type == FOUND_PART   ? f->body[two->other]
                                                   : two->type == FOUND_BALL ? ball[two->other]
                                                                             : SN_NO_MOVER};
}

/* The ends of all contacts, existing and found. */
static void ends_piece(void *data, uint32_t first, uint32_t end)
{
    const making *m = data;
    const sn_body_contacts *body_contacts = m->f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    const sn_body_contact *kept = body_contacts->contact_table.column[1];
    sn_body_contact_ends *ends = body_contacts->contact_table.column[5];
    for (uint32_t i = first; i < end; ++i)
        ends[i] = i < m->kept ? (sn_body_contact_ends){kept[i].a, kept[i].b} : ends_of(m->f, &all[i - m->kept]);
}

static void list_mover(const sn_world *world, sn_table *list, uint32_t i, bool touches)
{
    uint8_t *mark = &contact_marks(world)[i];
    if (!(*mark & SN_MARK_LISTED))
        ((uint32_t *)list->column[0])[list->count++] = i;
    if (touches && !(*mark & SN_MARK_TOUCHES)) /* inertia is loaded for movers with contacts */
        *mark &= (uint8_t)~SN_MARK_LOADED;
    *mark |= touches ? SN_MARK_LISTED | SN_MARK_TOUCHES : SN_MARK_LISTED;
}

/* Lists movers that are awake, or have a contact with an index of at least `first`. first 0: the list is empty
   before. */
static bool list_movers(sn_world *world, uint32_t first)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_bodies *bodies = &world->bodies;
    sn_table *list = &body_contacts->list_table;
    const sn_body_contact_ends *ends = body_contacts->contact_table.column[5];
    if (!sn_table_reserve(list, &world->allocator, body_contacts->mover_table.count))
        return false;
    body_contacts->list_table.count = first == 0 ? 0 : body_contacts->list_table.count;
    for (uint32_t i = 0; first == 0 && i < bodies->awake_table.count; ++i)
        list_mover(world, list, bodies_awake(bodies)[i], false);
    for (uint32_t i = first; i < body_contacts->count; ++i) {
        list_mover(world, list, ends[i].a, true);
        if (ends[i].b != SN_NO_MOVER)
            list_mover(world, list, ends[i].b, true);
    }
    return true;
}

/* Adds contacts of the pairs that were found to the first `kept` ones. */
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
    if (!sn_body_contacts_share(f->world, kept + founds, ends_piece, &m))
        return SN_ERROR_HOST;
    const sn_result result = sn_body_contacts_group(f->world, kept + founds);
    if (result != SN_OK)
        return result;
    if (!sn_body_contacts_share(f->world, kept + founds, make_piece, &m))
        return SN_ERROR_HOST;
    body_contacts->count = kept + founds;
    body_contacts->bounces = m.bounces;
    return list_movers(f->world, 0) ? SN_OK : SN_ERROR_MEMORY;
}

/* True if there can be any contacts of bodies. */
static bool is_on(const sn_world *world)
{
    return world->contact.settings.on && world->bodies.part_table.count;
}

/* ---- All together ------------------------------------------------------------------------------------------------ */

static sn_result fail(const sn_world *world, sn_result result)
{
    if (result == SN_ERROR_DIVERGED) /* which has set a message */
        return result;
    if (result == SN_ERROR_HOST)
        return world_fail(world, result, "the task hook did not run all tasks of a loop");
    return world_fail(world, SN_ERROR_MEMORY, "no memory for contact of %u bodies", world->bodies.ids.live);
}

sn_result sn_body_contacts_find(sn_world *world, sn_real dt)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    sn_body_contact_finding f = {.world = world, .body_contacts = body_contacts, .dt = dt};
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    body_contacts->count = body_contacts->found_table.count = body_contacts->fixed_shape_table.count = 0;
    body_contacts->balls = 0;
    body_contacts->searches = 1;
    body_contacts->left = dt;
    body_contacts->follows_balls = false;
    if (!is_on(world)) {
        body_contacts->mover_table.count = body_contacts->list_table.count = 0;
        body_contacts->rest_known = false;
        return SN_OK;
    }
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return fail(world, SN_ERROR_MEMORY);
    sn_result result = sn_body_balls_prepare(world) ? sn_body_contacts_make_boxes(&f) : SN_ERROR_MEMORY;
    if (result == SN_OK)
        result = sn_body_contacts_search(&f);
    if (result == SN_OK)
        result = make_contacts(&f, 0);
    if (result != SN_OK)
        return fail(world, result);
    sn_body_contacts_compare(world, dt);
    return SN_OK;
}

/* A hash of a key, to sort by. */
static uint64_t mixed(const uint64_t key[2])
{
    return hash_u64(hash_u64(1, key[0]), key[1]);
}

/* True if there is a contact with this key. */
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

typedef struct knowing {
    const sn_body_contact_finding *f;
    sn_sort_item *item; /* contacts of bodies that left, and of balls, by hash: unsorted, then sorted */
    atomic_uint items;
} knowing;

static void know_piece(void *data, uint32_t first, uint32_t end)
{
    knowing *k = data;
    const sn_world *world = k->f->world;
    const sn_body_contact_watch *watch = world->body_contacts.contact_table.column[4];
    const uint32_t rows = bodies_rows(&world->bodies);
    for (uint32_t i = first; i < end; ++i)
        if (contact_has_left(world, watch[i].a) || (watch[i].b < rows && contact_has_left(world, watch[i].b)) ||
            (watch[i].b >= rows && is_with_ball(&contact_all(world)[i])))
            k->item[atomic_fetch_add_explicit(&k->items, 1, memory_order_relaxed)] =
                (sn_sort_item){mixed(contact_all(world)[i].key), i, 0};
}

#define KNOWN UINT32_MAX /* a type: there is a contact already */

static void leave_piece(void *data, uint32_t first, uint32_t end)
{
    const knowing *k = data;
    sn_body_contact_found *all = k->f->body_contacts->found_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        uint64_t key[2];
        name(k->f, &all[i], key);
        if (is_known(k->f->body_contacts, k->item, k->items, key))
            all[i].type = KNOWN;
    }
}

/* Removes found pairs that are contacts already. They are of bodies that left. */
static bool leave_known(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    sn_body_contact_found *all = body_contacts->found_table.column[0];
    knowing k = {.f = f, .item = body_contacts->kept_table.column[2]};
    const uint32_t founds = body_contacts->found_table.count;
    if (!founds)
        return true;
    if (!sn_parallel_few(&f->world->parallel, body_contacts->count, WORK_OF_KNOWING, know_piece, &k))
        return false;
    if (k.items)
        sn_sort(k.item, body_contacts->kept_table.column[3], k.items);
    if (!sn_body_contacts_share(f->world, founds, leave_piece, &k))
        return false;
    body_contacts->found_table.count = 0;
    for (uint32_t i = 0; i < founds; ++i)
        if (all[i].type != KNOWN)
            all[body_contacts->found_table.count++] = all[i];
    return true;
}

/* True if found pairs can simply be appended to the contacts: they are few, and need no new movers. */
static bool can_append(const sn_body_contact_finding *f)
{
    const sn_body_contact_found *all = f->body_contacts->found_table.column[0];
    for (uint32_t i = 0; i < f->body_contacts->found_table.count; ++i)
        if (all[i].type == FOUND_BALL)
            return false;
    return f->body_contacts->found_table.count <= f->body_contacts->count / 4;
}

static void append_piece(void *data, uint32_t first, uint32_t end)
{
    making *m = data;
    const sn_body_contacts *body_contacts = m->f->body_contacts;
    const sn_body_contact_found *all = body_contacts->found_table.column[0];
    sn_body_contact_ends *ends = body_contacts->contact_table.column[5];
    uint32_t near = 0;
    for (uint32_t i = first; i < end; ++i) {
        ends[m->kept + i] = ends_of(m->f, &all[i]);
        make_contact(m->f, &all[i], &contact_all(m->f->world)[m->kept + i]);
        watch_made(m, m->kept + i, &near);
    }
}

static sn_result append(sn_body_contact_finding *f)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const uint32_t kept = body_contacts->count, founds = body_contacts->found_table.count;
    making m = {.f = f, .kept = kept};
    if (!reserve_contacts(f->world, (uint64_t)kept + founds) || !rank_fixed_shapes(f))
        return SN_ERROR_MEMORY;
    if (!sn_body_contacts_share(f->world, founds, append_piece, &m))
        return SN_ERROR_HOST;
    body_contacts->bounces = body_contacts->bounces || m.bounces;
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
        result = sn_body_contacts_search(&f);
    if (result != SN_OK)
        return fail(world, result);
    if (!leave_known(&f))
        return fail(world, SN_ERROR_HOST);
    if (!body_contacts->found_table.count)
        return SN_OK;
    result = can_append(&f) ? append(&f) : make_contacts(&f, body_contacts->count);
    if (result == SN_OK && !sn_contact_events_reserve(world))
        result = SN_ERROR_MEMORY;
    return result == SN_OK ? SN_OK : fail(world, result);
}
