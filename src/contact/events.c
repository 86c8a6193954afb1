/* Contact events.

   Contacts with an impulse in this step, and touched sensors, are collected, sorted by the numbers of the two, and
   compared with those of the step before: new ones begin, others stay, and those that are missing end. Only this list
   is state. */
#include "contact/events.h"

#include "base/hash.h"
#include "contact/body_work.h"
#include "base/math.h"
#include "base/sort.h"
#include "contact/callbacks.h"

#include <string.h>

/* Separates the parts of the hash. */
#define HASH_TOUCHING UINT64_C(0x746f756368)

void sn_contact_events_init(sn_contact_events *e)
{
    *e = (sn_contact_events){0};
    sn_table_column(&e->touching_table, sizeof(sn_touching), true);
    sn_table_column(&e->touching_table, sizeof(sn_touching), false);
    sn_table_column(&e->event_table, sizeof(sn_contact_event), false);
    sn_table_column(&e->found_table, sizeof(sn_contact_event), false);
    sn_table_column(&e->found_table, sizeof(sn_sort_item), false);
    sn_table_column(&e->found_table, sizeof(sn_sort_item), false);
}

void sn_contact_events_release(sn_contact_events *e, const sn_allocator *allocator)
{
    sn_table_release(&e->touching_table, allocator);
    sn_table_release(&e->event_table, allocator);
    sn_table_release(&e->found_table, allocator);
}

void sn_contact_events_clear(sn_contact_events *e)
{
    e->touching_table.count = e->event_table.count = 0;
}

uint64_t sn_contact_events_hash(uint64_t hash, const sn_world *world)
{
    const sn_table *table = &world->contact.events.touching_table;
    const sn_touching *t = table->column[0];
    if (!world->contact.settings.events)
        return hash;
    hash = hash_u64(hash_u64(hash, HASH_TOUCHING), table->count);
    for (uint32_t i = 0; i < table->count; ++i)
        hash = hash_u64(hash, (uint64_t)t[i].number << 32 | t[i].other);
    for (uint32_t i = 0; i < table->count; ++i)
        if (t[i].sensor)
            hash = hash_u64(hash, (uint64_t)i << 32 | t[i].sensor);
    return hash;
}

bool sn_contact_events_reserve(sn_world *world)
{
    sn_contact_events *e = &world->contact.events;
    const sn_contacts *c = &world->contacts;
    uint64_t found = world->body_contacts.count;
    for (uint32_t set = 0; c->any && set < SN_PAIR_SETS; ++set)
        found += c->pairs[set].near.pairs;
    if (c->any)
        found += (uint64_t)c->static_contacts + c->skin_contacts;
    e->event_table.count = 0;
    e->room = found;
    return !world->contact.settings.events || sn_contact_events_make_room(world, 0);
}

bool sn_contact_events_make_room(sn_world *world, uint64_t more)
{
    sn_contact_events *e = &world->contact.events;
    const uint64_t found = e->room + more;
    return sn_table_reserve(&e->found_table, &world->allocator, found) &&
           sn_table_reserve(&e->touching_table, &world->allocator, found + e->touching_table.count) &&
           sn_table_reserve(&e->event_table, &world->allocator, found + e->touching_table.count);
}

/* ---- Contacts of the step ---------------------------------------------------------------------------------------- */

static sn_vec3 place(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(world->particles.x[slot]);
}

static sn_contact_event event_of(const sn_contact_pair *pair)
{
    return (sn_contact_event){.particle = pair->particle,
                              .other = pair->other,
                              .body = pair->body,
                              .other_body = pair->other_body,
                              .shape = pair->shape,
                              .other_shape = pair->other_shape,
                              .skin = pair->skin,
                              .triangle = pair->triangle};
}

/* sensor: see sn_touching. */
static void add_found(sn_world *world, const sn_contact_event *event, uint32_t sensor)
{
    sn_contact_events *e = &world->contact.events;
    uint32_t i = e->found_table.count++;
    uint32_t other = event->other.generation
                         ? event->other.index
                         : SN_IMPULSE_FIXED | sn_fixed_shape_of(world, event->other_body, event->other_shape);
    ((sn_contact_event *)e->found_table.column[0])[i] = *event;
    ((sn_sort_item *)e->found_table.column[1])[i] =
        (sn_sort_item){.key = (uint64_t)event->particle.index << 32 | other, .a = i, .b = sensor};
}

/* The particle with the lower number comes first. */
static void add_pair(sn_world *world, uint32_t a, uint32_t b, sn_real impulse, sn_real impact)
{
    const sn_particle_store *p = &world->particles;
    uint32_t one = p->index[a] < p->index[b] ? a : b, two = one == a ? b : a;
    sn_vec3 d = vec3_sub(place(world, one), place(world, two));
    sn_real length = vec3_length(d);
    const sn_contact_pair pair = sn_contact_pair_of(world, one, two);
    sn_contact_event event = event_of(&pair);
    event.impulse = impulse;
    event.impact = impact;
    event.normal = length > 0 ? vec3_scale(d, 1 / length) : vec3(0, 1, 0);
    event.point = vec3_add(place(world, two), vec3_scale(event.normal, p->radius[two]));
    add_found(world, &event, 0);
}

static void add_skin_contact(sn_world *world, const sn_skin_contact *g)
{
    if (g->triangle == SN_SKIN_CONTACT_PAIR) {
        add_pair(world, g->slot[0], g->slot[1], g->impulse, g->impact);
        return;
    }
    const sn_contact_pair pair = sn_contact_pair_of_skin_contact(world, g);
    sn_contact_event event = event_of(&pair);
    event.normal = g->normal;
    event.impulse = g->impulse;
    event.impact = g->impact;
    for (uint32_t k = 0; k < 3; ++k)
        event.point = vec3_add(event.point, vec3_scale(place(world, g->slot[k + 1]), g->weight[k]));
    add_found(world, &event, 0);
}

static void add_static(sn_world *world, const sn_static_contact *contact)
{
    const sn_contact_pair pair = sn_contact_pair_of_static(world, contact);
    sn_contact_event event = event_of(&pair);
    event.sensor = contact->sensor;
    event.point = contact->point;
    event.normal = contact->normal;
    event.impulse = contact->impulse;
    event.impact = contact->impact;
    add_found(world, &event, 0);
}

sn_real sn_body_contact_impulse(const sn_body_contact *contact, sn_vec3 *contact_point)
{
    sn_real sum = contact->gone;
    *contact_point = vec3_scale(contact->contact_point, contact->gone);
    for (uint32_t i = 0; i < contact->count; ++i) {
        sn_real impulse = contact->point[i].impulse + contact->point[i].normal_impulse;
        *contact_point = vec3_add(*contact_point, vec3_scale(contact->point[i].a, impulse));
        sum += impulse;
    }
    *contact_point = sum > 0          ? vec3_scale(*contact_point, 1 / sum)
                     : contact->count ? contact->point[0].a
                                      : vec3(0, 0, 0);
    return sum;
}

/* The sensor of a dynamic body in this contact; 0: none; see sn_touching. */
static uint32_t sensor_of(const sn_world *world, const sn_body_contact *contact, bool turned,
                          const sn_contact_pair *pair)
{
    const sn_body_part *part = world->bodies.part;
    const bool a = part[contact->part_a].sensor, b = contact->part_b != SN_ID_FREE && part[contact->part_b].sensor;
    if (!a && !b)
        return 0;
    return a != turned ? 1 + 2 * pair->shape : 2 + 2 * pair->other_shape;
}

/* Of bodies: at the mean of the contact points, weighted by their impulses. */
static void add_contact(sn_world *world, const sn_body_contact *contact)
{
    const sn_mover *a = (const sn_mover *)world->body_contacts.mover_table.column[0] + contact->a;
    const sn_pose pose = {place(world, a->slot), world->bodies.turn[a->body].start};
    sn_vec3 contact_point;
    const sn_real impulse = sn_body_contact_impulse(contact, &contact_point);
    const sn_vec3 point = vec3_sub(sn_pose_to_world(&pose, contact_point), vec3_scale(contact->n, contact->round_a));
    sn_contact_pair pair = sn_contact_pair_of_contact(world, contact, point);
    const bool turned = sn_contact_pair_sort(&pair);
    sn_contact_event event = event_of(&pair);
    event.sensor = contact->sensor;
    event.point = point;
    event.normal = vec3_scale(contact->n, turned ? -1 : 1);
    event.impulse = impulse;
    event.impact = contact->impact;
    add_found(world, &event, sensor_of(world, contact, turned, &pair));
}

static void find_contacts(sn_world *world)
{
    const sn_body_contact *contact = world->body_contacts.contact_table.column[0];
    for (uint32_t i = 0; i < world->body_contacts.count; ++i) {
        sn_vec3 contact_point;
        if (contact[i].sensor ? contact[i].touched && !contact[i].off
                              : sn_body_contact_impulse(&contact[i], &contact_point) > 0)
            add_contact(world, &contact[i]);
    }
}

static void find_pairs(sn_world *world, const sn_contact_pairs *pairs)
{
    for (uint32_t b = 0; b < pairs->near.batches; ++b)
        for (uint32_t i = 0; i < pairs->near.lanes[b]; ++i) {
            sn_real impulse = sn_contacts_pair_impulse(pairs, b, i);
            if (impulse > 0)
                add_pair(world, pairs->near.batch[b].a[i], pairs->near.batch[b].b[i], impulse,
                         sn_contacts_pair_impact(pairs, b, i));
        }
}

static void find_surfaces(sn_world *world)
{
    const sn_table *table = &world->contacts.surfaces.told_table;
    const sn_surface_told *told = table->column[0];
    for (uint32_t i = 0; world->contacts.surfaces.on && i < table->count; ++i) {
        sn_contact_event event = event_of(&told[i].pair);
        event.point = told[i].point;
        event.normal = told[i].normal;
        event.impulse = told[i].impulse;
        event.impact = told[i].impact;
        add_found(world, &event, 0);
    }
}

static void find_all(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const sn_static_contact *contact = c->static_table.column[0];
    const sn_skin_contact *skin_contact = c->skin_contact_table.column[0];
    world->contact.events.found_table.count = 0;
    find_contacts(world);
    if (!c->any)
        return;
    find_pairs(world, &c->pairs[SN_PAIRS_FIRST]);
    find_pairs(world, &c->pairs[SN_PAIRS_LATE]);
    for (uint32_t i = 0; i < c->skin_contacts; ++i)
        if (skin_contact[i].impulse > 0)
            add_skin_contact(world, &skin_contact[i]);
    find_surfaces(world);
    for (uint32_t i = 0; i < c->static_contacts; ++i)
        if (contact[i].sensor ? contact[i].touched && !contact[i].off : contact[i].impulse > 0)
            add_static(world, &contact[i]);
}

/* Sorts what was found, and unites contacts of the same two. A particle may touch another at several points, of
   triangles around a corner: these become one contact, at the point with the largest impulse. Returns the number of
   contacts, which are the first of the sorted items. */
static uint32_t sort_and_unite(sn_contact_events *e)
{
    sn_contact_event *found = e->found_table.column[0];
    sn_sort_item *item = e->found_table.column[1];
    uint32_t count = 0;
    sn_sort(item, e->found_table.column[2], e->found_table.count);
    for (uint32_t i = 1; i < e->found_table.count; ++i) /* few have the same key: these are sorted by sensor */
        for (uint32_t k = i; k > 0 && item[k].key == item[k - 1].key && item[k].b < item[k - 1].b; --k) {
            const sn_sort_item one = item[k];
            item[k] = item[k - 1];
            item[k - 1] = one;
        }
    for (uint32_t i = 0; i < e->found_table.count; ++i) {
        if (!count || item[count - 1].key != item[i].key || item[count - 1].b != item[i].b) {
            item[count++] = item[i];
            continue;
        }
        sn_contact_event *one = &found[item[count - 1].a], *more = &found[item[i].a];
        sn_real sum = one->impulse + more->impulse, impact = one->impact > more->impact ? one->impact : more->impact;
        if (more->impulse > one->impulse)
            *one = *more;
        one->impulse = sum;
        one->impact = impact;
    }
    return count;
}

/* ---- Comparing with the step before ------------------------------------------------------------------------------ */

static bool has_fixed_shape(const sn_touching *t)
{
    return t->other & SN_IMPULSE_FIXED;
}

static bool both_exist(const sn_world *world, const sn_touching *t)
{
    const sn_ids *ids = has_fixed_shape(t) ? &world->contact.fixed_shape_ids : &world->ids;
    return sn_ids_is_valid(&world->ids, t->number, t->generation) &&
           sn_ids_is_valid(ids, t->other & ~SN_IMPULSE_FIXED, t->other_generation);
}

static bool stands(const sn_world *world, uint32_t number)
{
    return sn_sleep_has(&world->contact.sleep, number) ||
           world->particles.v[world->ids.value[number]].w == SN_IMMOVABLE;
}

/* True if the contact is of things that sleep: it is not tested, so it has not ended. */
static bool sleeps_on(const sn_world *world, const sn_touching *t)
{
    const sn_sleep *sleep = &world->contact.sleep;
    if (has_fixed_shape(t))
        return sn_sleep_has(sleep, t->number);
    return (sn_sleep_has(sleep, t->number) || sn_sleep_has(sleep, t->other)) && stands(world, t->number) &&
           stands(world, t->other);
}

static void keep(sn_contact_events *e, uint32_t *count, const sn_touching *t)
{
    ((sn_touching *)e->touching_table.column[1])[(*count)++] = *t;
}

static void tell(sn_contact_events *e, const sn_contact_event *event, sn_contact_phase phase)
{
    sn_contact_event *to = (sn_contact_event *)e->event_table.column[0] + e->event_table.count++;
    *to = *event;
    to->phase = phase;
    if (to->impact < e->impact_above)
        to->impact = 0;
}

/* Ends the contact of two that touched before and were not found now, unless they sleep. */
static void miss(sn_world *world, const sn_touching *t, uint32_t *kept)
{
    sn_contact_events *e = &world->contact.events;
    if (!both_exist(world, t))
        return;
    if (sleeps_on(world, t)) {
        keep(e, kept, t);
        return;
    }
    const uint32_t other = t->other & ~SN_IMPULSE_FIXED, slot = world->ids.value[t->number];
    const sn_contact_pair pair =
        sn_contact_pair_of(world, slot, has_fixed_shape(t) ? SN_NO_SLOT : world->ids.value[other]);
    sn_contact_event event = event_of(&pair);
    event.point = place(world, slot);
    if (has_fixed_shape(t)) {
        const sn_fixed_shape *record = contact_fixed_shape(&world->contact, other);
        event.other_body = (sn_body){record->body, world->bodies.names.generation[record->body]};
        event.other_shape = record->index;
        event.sensor = record->def.sensor;
    }
    if (t->sensor) {
        event.sensor = true;
        *(t->sensor & 1 ? &event.shape : &event.other_shape) = (t->sensor - 1) / 2;
    }
    tell(e, &event, SN_CONTACT_END);
}

static void contact(sn_world *world, const sn_contact_event *event, const sn_sort_item *item, const sn_touching *before,
                    uint32_t *kept)
{
    sn_contact_events *e = &world->contact.events;
    const uint32_t other = (uint32_t)item->key & ~SN_IMPULSE_FIXED;
    sn_touching now = {.number = event->particle.index,
                       .generation = event->particle.generation,
                       .other = (uint32_t)item->key,
                       .sensor = item->b,
                       .other_generation = event->other.generation ? event->other.generation
                                                                   : world->contact.fixed_shape_ids.generation[other]};
    bool same = before && before->generation == now.generation && before->other_generation == now.other_generation;
    keep(e, kept, &now);
    tell(e, event, same ? SN_CONTACT_STAY : SN_CONTACT_BEGIN);
}

void sn_contact_events_collect(sn_world *world)
{
    sn_contact_events *e = &world->contact.events;
    if (!world->contact.settings.events)
        return;
    sn_stage_enter(world, SN_STAGE_EVENTS);
    const sn_contact_settings *settings = &world->contact.settings;
    e->impact_above = settings->impact_above >= 0 ? settings->impact_above
                                                  : 2 * vec3_length(world->state.settings.gravity) * world->state.h;
    find_all(world);
    const uint32_t count = sort_and_unite(e), old_count = e->touching_table.count;
    const sn_contact_event *found = e->found_table.column[0];
    const sn_sort_item *item = e->found_table.column[1];
    const sn_touching *old = e->touching_table.column[0];
    uint32_t kept = 0;
    for (uint32_t i = 0, j = 0; i < count || j < old_count;) {
        const uint64_t key = j < old_count ? (uint64_t)old[j].number << 32 | old[j].other : UINT64_MAX;
        const uint32_t sensor = j < old_count ? old[j].sensor : UINT32_MAX;
        if (i == count || key < item[i].key || (key == item[i].key && sensor < item[i].b)) {
            miss(world, &old[j++], &kept);
            continue;
        }
        bool before = j < old_count && key == item[i].key && sensor == item[i].b;
        contact(world, &found[item[i].a], &item[i], before ? &old[j] : NULL, &kept);
        j += before;
        ++i;
    }
    if (kept)
        memcpy(e->touching_table.column[0], e->touching_table.column[1], kept * sizeof(sn_touching));
    e->touching_table.count = kept;
}

const sn_contact_event *sn_world_contact_events(const sn_world *world, uint32_t *count)
{
    uint32_t there = world ? world->contact.events.event_table.count : 0;
    if (count)
        *count = there;
    return there ? world->contact.events.event_table.column[0] : NULL;
}
