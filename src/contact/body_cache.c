/* Contact of bodies: manifolds that are kept from one step to the next, with the impulses of their points.

   Points are anchors on both bodies. They are as good in the next step as in the one in which they were found, as
   long as the two bodies have not moved relative to each other. So a pile at rest makes no manifolds again. Whether
   the two have moved is decided by the pose of one relative to the other, then and now, not by how they got there. So
   it does not matter whether a step, an edit or a snapshot brought them there.

   Steps of different lengths. An impulse P of the last substep, of length h', is what carries the load, F h', and what
   still moves to and fro between P and the velocities of a stack, because a few sweeps do not solve it. Only the first
   part changes with the length: with substeps of length h a step begins with

       P + F (h - h'),

   where F is the mean force of the last steps, weighted by their lengths. P h / h' would enlarge the second part with
   every longer step, too: a tower of ten boxes at rest, with steps of 7 and 33 ms in turn, then moved three times as
   much after every second step, and fell down in two seconds. */
#include "contact/body_work.h"

#include "base/hash.h"
#include "base/sort.h"
#include "integrators/integrator.h"

#include <string.h>

/* ---- Manifolds of the step before -------------------------------------------------------------------------------- */

#define NEAR 8u

/* The first manifold whose key is not less. It is usually not far from `near`, as contacts are searched for in nearly
   sorted order. */
static uint32_t lower_bound(const sn_kept_manifold *kept, uint32_t count, uint64_t key, uint32_t near)
{
    uint32_t low = near > NEAR && kept[near - NEAR].key[0] < key ? near - NEAR : 0;
    uint32_t high = near + NEAR < count && kept[near + NEAR].key[0] >= key ? near + NEAR : count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kept[middle].key[0] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t sn_body_contact_find_kept(const sn_world *world, const sn_body_contact *contact, uint32_t *near)
{
    const sn_kept_manifold *kept = world->body_contacts.kept_table.column[0];
    const uint32_t count = world->body_contacts.kept_table.count;
    uint32_t low = *near = lower_bound(kept, count, contact->key[0], *near);
    while (low < count && kept[low].key[0] == contact->key[0] && kept[low].key[1] != contact->key[1])
        ++low;
    bool known = low < count && kept[low].key[0] == contact->key[0] &&
                 kept[low].generation[0] == sn_contacts_generation(world, (uint32_t)(contact->key[0] >> 32)) &&
                 kept[low].generation[1] == sn_contacts_generation(world, (uint32_t)contact->key[0]);
    return known ? low : count;
}

#define NEWER                                                                                                          \
    ((sn_real)0.125) /* the weight of a step in a mean force, if its substeps are not shorter than those before */

void sn_body_contacts_compare(sn_world *world, sn_real dt)
{
    const sn_real h = dt / (sn_real)world->state.settings.substeps;
    const sn_real before = world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
    world->body_contacts.per_second = 1 / h;
    world->body_contacts.longer = before > 0 ? h - before : 0;
    world->body_contacts.newer = before > h ? NEWER * h / before : NEWER;
}

/* Numbers that are too large to compute with become 0. */
static sn_real sound(sn_real x)
{
    return isfinite(x) ? x : 0;
}

static sn_vec3 sound_vector(sn_vec3 v)
{
    return vec3_is_finite(v) ? v : vec3(0, 0, 0);
}

/* The impulse that a substep begins with. */
static sn_real impulse_to_begin(const sn_world *world, sn_real impulse, sn_real held)
{
    const sn_real now = sound(impulse + held * world->body_contacts.longer);
    return now > 0 ? now : 0;
}

static sn_body_friction_impulses friction_to_begin(const sn_world *world,
                                                   const sn_body_friction_impulses *friction_impulses,
                                                   const sn_body_friction_impulses *held)
{
    const sn_real longer = world->body_contacts.longer;
    return (sn_body_friction_impulses){
        sound_vector(vec3_add(friction_impulses->tangent_impulse, vec3_scale(held->tangent_impulse, longer))),
        sound(friction_impulses->twisted + held->twisted * longer),
        sound_vector(vec3_add(friction_impulses->rolled, vec3_scale(held->rolled, longer)))};
}

void sn_body_contact_recall(const sn_world *world, const sn_body_contact *contact, sn_body_contact_point *point)
{
    const sn_kept_manifold *kept = contact_kept(world, contact);
    for (uint32_t i = 0; kept && i < kept->count; ++i)
        if (kept->point[i].feature == point->feature) {
            point->normal_impulse = impulse_to_begin(world, kept->point[i].normal_impulse, kept->point[i].held);
            point->last = impulse_to_begin(world, kept->point[i].last, kept->point[i].held);
            point->held = kept->point[i].held;
            return;
        }
}

void sn_body_contact_recall_friction(const sn_world *world, sn_body_contact *contact)
{
    const sn_kept_manifold *kept = contact_kept(world, contact);
    if (!kept)
        return;
    contact->friction_impulses = friction_to_begin(world, &kept->friction_impulses, &kept->held);
    contact->held = kept->held;
}

/* Quaternions have length 1 up to rounding, and so has this rotation from b to a. It is not normalised, because it is
   only compared with others. */
sn_pose sn_body_contact_seen(const sn_pose *a, const sn_pose *b)
{
    const sn_quat p = b->rotation, q = a->rotation;
    const sn_quat turn = {
        (p.w * q.x - p.x * q.w) - (p.y * q.z - p.z * q.y), (p.w * q.y - p.y * q.w) - (p.z * q.x - p.x * q.z),
        (p.w * q.z - p.z * q.w) - (p.x * q.y - p.y * q.x), (p.w * q.w + p.x * q.x) + (p.y * q.y + p.z * q.z)};
    return (sn_pose){sn_pose_to_own(b, a->position), turn};
}

/* m: an upper bound of the displacement of points of a relative to b. */
static sn_real displacement_between(const sn_mover *a, const sn_pose *from, const sn_pose *to)
{
    return vec3_length(vec3_sub(to->position, from->position)) +
           contact_turned(a->extent, &from->rotation, &to->rotation);
}

bool sn_body_contact_reuse(const sn_world *world, sn_body_contact *contact, sn_real most, sn_real *moved)
{
    const sn_kept_manifold *kept = contact_kept(world, contact);
    const sn_mover *a = &contact_movers(world)[contact->a];
    const sn_pose here = contact_pose(world, a), b = contact_pose_of_b(world, contact);
    const sn_pose seen = sn_body_contact_seen(&here, &b);
    *moved = displacement_between(a, &kept->seen, &seen);
    if (!(*moved <= most))
        return false;
    contact->owner = (uint8_t)kept->owner;
    contact->in_a = kept->normal;
    contact->normal = kept->owner <= SN_NORMAL_OF_A ? kept->normal : sn_quat_rotate(here.rotation, kept->normal);
    contact->seen = kept->seen;
    contact->reach = kept->reach;
    contact->nearest = 0;
    contact->count = kept->count;
    for (uint32_t i = 0; i < kept->count; ++i) {
        const sn_kept_point *from = &kept->point[i];
        const sn_real impulse = impulse_to_begin(world, from->normal_impulse, from->held);
        contact->point[i] = (sn_body_contact_point){.a = from->a,
                                                    .b = from->b,
                                                    .feature = from->feature,
                                                    .normal_impulse = impulse,
                                                    .last = impulse_to_begin(world, from->last, from->held),
                                                    .impulse = -impulse, /* which belongs to the step before */
                                                    .held = from->held};
    }
    return true;
}

/* ---- Manifolds for the next step --------------------------------------------------------------------------------- */

/* True if the core of a part depends on where it is touched. */
static bool is_cylinder(const sn_world *world, uint32_t part)
{
    return world->bodies.part[part].convex.type == SN_SHAPE_CYLINDER;
}

/* Not for meshes and fields: their points were the nearest of many. */
static bool can_be_reused_on(sn_shape_type type)
{
    return type < SN_SHAPE_MESH && type != SN_SHAPE_CYLINDER;
}

static bool can_be_reused(const sn_world *world, const sn_body_contact *contact)
{
    if (contact->clear || is_cylinder(world, contact->part_a) ||
        (contact->part_b != SN_ID_FREE && is_cylinder(world, contact->part_b)))
        return false;
    return contact->b == SN_NO_MOVER ? can_be_reused_on(sn_body_contact_record(world, contact->fixed_shape)->shape.type)
                                     : contact->part_b != SN_ID_FREE;
}

/* Changes -0 to 0. Lanes without an impulse are skipped together. How many those are depends on the width of vectors,
   and so would the sign of a zero. */
static sn_vec3 without_signs_of_zeros(sn_vec3 a)
{
    return vec3_add(a, vec3(0, 0, 0));
}

static bool kept_impulses(const sn_body_contact *contact)
{
    for (uint32_t k = 0; k < contact->count && !contact->sensor; ++k)
        if (contact->point[k].normal_impulse > 0)
            return true;
    return false;
}

/* The mean force including that of this step. */
static sn_real held_now(const sn_world *world, sn_real held, sn_real force)
{
    return sound(held + (force - held) * world->body_contacts.newer) + 0;
}

static sn_vec3 held_across(const sn_world *world, sn_vec3 held, sn_vec3 force)
{
    return without_signs_of_zeros(
        sound_vector(vec3_add(held, vec3_scale(vec3_sub(force, held), world->body_contacts.newer))));
}

/* The mean friction force, with that of the last substep. A new contact has only the latter. */
static sn_body_friction_impulses keep_held(const sn_world *world, const sn_body_contact *contact,
                                           const sn_body_friction_impulses *friction_impulses)
{
    const sn_real by = world->body_contacts.per_second;
    const sn_body_friction_impulses force = {sound_vector(vec3_scale(friction_impulses->tangent_impulse, by)),
                                             sound(friction_impulses->twisted * by),
                                             sound_vector(vec3_scale(friction_impulses->rolled, by))};
    if (!contact_kept(world, contact))
        return force;
    return (sn_body_friction_impulses){held_across(world, contact->held.tangent_impulse, force.tangent_impulse),
                                       held_now(world, contact->held.twisted, force.twisted),
                                       held_across(world, contact->held.rolled, force.rolled)};
}

/* An impact is not a load: the limit is the one at the start of a substep (wide/body_manifold.h). */
static sn_kept_point keep_point(const sn_world *world, const sn_body_contact_point *p)
{
    const sn_real load = p->normal_impulse < 2 * p->last ? p->normal_impulse : 2 * p->last;
    const sn_real force = sound(load * world->body_contacts.per_second);
    const sn_real held = p->held > 0 ? held_now(world, p->held, force) : force + 0;
    return (sn_kept_point){p->a, p->b, p->feature, p->normal_impulse + 0, p->last + 0, held};
}

static void keep(const sn_world *world, const sn_body_contact *contact, sn_kept_manifold *to)
{
    memset(to, 0, sizeof *to); /* padding goes into snapshots, too */
    to->key[0] = contact->key[0];
    to->key[1] = contact->key[1];
    to->generation[0] = sn_contacts_generation(world, (uint32_t)(contact->key[0] >> 32));
    to->generation[1] = sn_contacts_generation(world, (uint32_t)contact->key[0]);
    to->owner = contact->owner;
    to->count = contact->count;
    to->normal = contact->owner == SN_NORMAL_OF_B ? contact->normal : contact->in_a;
    to->seen = contact->seen;
    to->reach = can_be_reused(world, contact) ? contact->reach : 0;
    to->friction_impulses.tangent_impulse = without_signs_of_zeros(contact->friction_impulses.tangent_impulse);
    to->friction_impulses.twisted = contact->friction_impulses.twisted + 0;
    if (contact->round > 0)
        to->friction_impulses.rolled = without_signs_of_zeros(contact->friction_impulses.rolled);
    to->held = keep_held(world, contact, &to->friction_impulses);
    for (uint32_t k = 0; k < contact->count; ++k)
        to->point[k] = keep_point(world, &contact->point[k]);
}

/* Contacts with impulses, sorted. */
typedef struct keeping {
    sn_world *world;
    sn_kept_manifold *to;
} keeping;

static void keep_piece(void *data, uint32_t first, uint32_t end)
{
    const keeping *k = data;
    const sn_sort_item *item = k->world->body_contacts.kept_table.column[2];
    for (uint32_t i = first; i < end; ++i)
        keep(k->world, &contact_all(k->world)[item[i].a], &k->to[i]);
}

/* Reads lanes. Lists, by contact, its key, and its index if it has an impulse. */
static void leave_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    sn_sort_item *item = world->body_contacts.kept_table.column[3];
    for (uint32_t i = first; i < end; ++i) {
        sn_body_contact *contact = &contact_all(world)[i];
        if (contact->lane)
            sn_body_contact_note(world, contact);
        contact->lane = 0;
        item[i] = (sn_sort_item){contact->key[0], kept_impulses(contact) ? i : SN_ID_FREE, 0};
    }
}

/* The impulses that a sleeping contact would begin with in this step. */
static void lengthen(const sn_world *world, sn_kept_manifold *kept)
{
    kept->friction_impulses = friction_to_begin(world, &kept->friction_impulses, &kept->held);
    for (uint32_t p = 0; p < kept->count; ++p) {
        kept->point[p].normal_impulse = impulse_to_begin(world, kept->point[p].normal_impulse, kept->point[p].held);
        kept->point[p].last = impulse_to_begin(world, kept->point[p].last, kept->point[p].held);
    }
}

/* Keeps the manifolds of sleeping bodies, which were not searched for. Returns their number. */
static uint32_t leave_asleep(const sn_world *world)
{
    sn_kept_manifold *kept = world->body_contacts.kept_table.column[0];
    uint32_t count = 0;
    for (uint32_t i = 0; world->contact.sleep.held && i < world->body_contacts.kept_table.count; ++i) {
        sn_kept_impulse two = {.number = (uint32_t)(kept[i].key[0] >> 32), .other = (uint32_t)kept[i].key[0]};
        if (!sn_sleep_has_impulse(world, &two))
            continue;
        if (i != count)
            kept[count] = kept[i];
        if (world->body_contacts.longer != 0)
            lengthen(world, &kept[count]);
        ++count;
    }
    return count;
}

void sn_body_contacts_remember(sn_world *world)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    sn_kept_manifold *kept = body_contacts->kept_table.column[0], *raw = body_contacts->kept_table.column[1];
    sn_sort_item *item = body_contacts->kept_table.column[2], *all = body_contacts->kept_table.column[3];
    bool on = world->contact.settings.on && world->bodies.part_table.count;
    uint32_t asleep = on ? leave_asleep(world) : 0, count = 0;
    sn_body_contacts_remember_apart(world);
    if (!sn_body_contacts_share(world, body_contacts->count, leave_piece, world))
        sn_parallel_repair(&world->parallel);
    for (uint32_t i = 0; i < body_contacts->count; ++i)
        if (all[i].a != SN_ID_FREE)
            item[count++] = all[i];
    if (count)
        sn_sort(item, all, count);
    keeping k = {world, asleep ? raw : kept};
    if (!sn_body_contacts_share(world, count, keep_piece, &k))
        sn_parallel_repair(&world->parallel);
    body_contacts->kept_table.count = asleep + count;
    for (uint32_t at = asleep + count; asleep > 0 && count > 0; --at) /* merged from the end */
        if (kept[asleep - 1].key[0] > item[count - 1].key)
            kept[at - 1] = kept[--asleep];
        else
            kept[at - 1] = raw[--count];
    if (k.to == raw && count)
        memcpy(kept, raw, count * sizeof *raw);
}

/* ---- Hash -------------------------------------------------------------------------------------------------------- */

uint64_t sn_body_contacts_hash(uint64_t hash, const sn_body_contacts *body_contacts)
{
    const sn_kept_manifold *kept = body_contacts->kept_table.column[0];
    for (uint32_t i = 0; i < body_contacts->kept_table.count; ++i) {
        const sn_kept_manifold *k = &kept[i];
        const sn_quat q = k->seen.rotation;
        hash = hash_u64(hash_u64(hash_u64(hash, k->key[0]), k->key[1]), (uint64_t)k->owner << 32 | k->count);
        hash = hash_vec3(hash_vec3(hash, k->normal), k->seen.position);
        hash = hash_real(hash_real(hash_real(hash_real(hash, q.x), q.y), q.z), q.w);
        hash = hash_real(hash_vec3(hash_vec3(hash, k->friction_impulses.tangent_impulse), k->friction_impulses.rolled),
                         k->friction_impulses.twisted);
        hash = hash_real(hash_vec3(hash_vec3(hash, k->held.tangent_impulse), k->held.rolled), k->held.twisted);
        hash = hash_real(hash, k->reach);
        for (uint32_t p = 0; p < k->count; ++p) {
            hash = hash_vec3(hash_vec3(hash_u64(hash, k->point[p].feature), k->point[p].a), k->point[p].b);
            hash =
                hash_real(hash_real(hash_real(hash, k->point[p].normal_impulse), k->point[p].last), k->point[p].held);
        }
    }
    return hash;
}
