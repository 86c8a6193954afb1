/* Contact of bodies: pairs that were apart at the end of a step, and how far.

   Most pairs whose boxes touch are apart, and stay so for many steps. The last measured distance, less the motion
   since then, is a lower bound of the distance now. So a pair need not be measured until that is used up. A pair that
   may press is always measured. So this changes no result, and is not part of the state. */
#include "contact/body_work.h"

#include "base/hash.h"

#include <string.h>

/* Two columns. The first has what is known of contacts of the last step, by their index. The second is a hash table of
   1 + such indices, whose size is a power of two. Threads fill it in any order; lookups give the same results. */
static sn_body_contact_apart *all(const sn_world *world)
{
    return world->body_contacts.apart_table.column[0];
}

static _Atomic uint32_t *places(const sn_world *world)
{
    return world->body_contacts.apart_table.column[1];
}

static uint32_t place_of(const sn_world *world, const uint64_t key[2])
{
    return (uint32_t)hash_u64(hash_u64(1, key[0]), key[1]) & (world->body_contacts.apart_table.count - 1);
}

void sn_body_contact_recall_apart(const sn_world *world, const sn_body_contact *contact, sn_body_contact_watch *watch)
{
    const uint32_t size = world->body_contacts.apart_table.count;
    if (contact->part_b == SN_ID_FREE || !size ||
        world->body_contacts.apart_moves + 1 != world->moves) /* something was edited */
        return;
    for (uint32_t i = place_of(world, contact->key);; i = (i + 1) & (size - 1)) {
        const uint32_t at = atomic_load_explicit(&places(world)[i], memory_order_relaxed);
        if (!at)
            return;
        const sn_body_contact_apart *apart = &all(world)[at - 1];
        if (apart->key[0] == contact->key[0] && apart->key[1] == contact->key[1]) {
            watch->nearest = apart->nearest;
            watch->between = apart->between;
            watch->idle = true;
            return;
        }
    }
}

static uint64_t size_for(uint64_t count)
{
    uint64_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return size;
}

bool sn_body_contacts_reserve_apart(sn_world *world, uint64_t count)
{
    return sn_table_reserve(&world->body_contacts.apart_table, &world->allocator, size_for(count)) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, world->body_contacts.apart_table.capacity);
}

static void clear_piece(void *data, uint32_t first, uint32_t end)
{
    memset(places(data) + first, 0, (end - first) * sizeof *places(data));
}

static void turn_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_mover *m = &contact_movers(world)[contact_listed(world)[i]];
        m->spun += sn_body_contact_spins(world, m);
    }
}

/* Called at the end of a step: positions are those with which the next step begins. */
static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_body_contact_watch *watch = world->body_contacts.contact_table.column[4];
    const uint32_t mask = world->body_contacts.apart_table.count - 1;
    for (uint32_t i = first; i < end; ++i) {
        const sn_body_contact *contact = &contact_all(world)[i];
        if (!watch[i].idle || watch[i].laned || contact->part_b == SN_ID_FREE)
            continue;
        const sn_mover *a = &contact_movers(world)[contact->a], *b = &contact_movers(world)[contact->b];
        const sn_real nearest = watch[i].nearest - (a->spun + b->spun - watch[i].spun);
        if (!(nearest > 0))
            continue;
        all(world)[i] = (sn_body_contact_apart){{contact->key[0], contact->key[1]}, nearest, watch[i].between};
        for (uint32_t at = place_of(world, contact->key), none = 0; !atomic_compare_exchange_strong_explicit(
                 &places(world)[at], &none, i + 1, memory_order_relaxed, memory_order_relaxed);
             at = (at + 1) & mask)
            none = 0;
    }
}

void sn_body_contacts_remember_apart(sn_world *world)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const uint64_t size = size_for(body_contacts->count);
    body_contacts->apart_table.count = body_contacts->apart_table.capacity >= size ? (uint32_t)size : 0;
    if (!body_contacts->apart_table.count)
        return;
    if (!sn_parallel_for(&world->parallel, body_contacts->apart_table.count, clear_piece, world))
        sn_parallel_repair(&world->parallel);
    if (!sn_body_contacts_share(world, body_contacts->list_table.count, turn_piece, world))
        sn_parallel_repair(&world->parallel);
    if (!sn_body_contacts_share(world, body_contacts->count, note_piece, world))
        sn_parallel_repair(&world->parallel);
    body_contacts->apart_moves = world->moves;
}
