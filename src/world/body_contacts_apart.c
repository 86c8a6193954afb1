/* Contact of bodies: which pairs were apart at the end of a step, and how far.

   Most pairs whose boxes touch are apart, and stay so for many steps. How far they were apart when they were last looked at bounds how
   far they are apart now: no less than that, less how far they came since. So they need not be looked at before that is used up. A pair
   that may press is always looked at; so this changes no result, and is no part of the state. */
#include "world/body_contacts_work.h"

#include "base/hash.h"

#include <string.h>

static sn_body_contact_apart *all(const sn_world *world)
{
    return world->body_contacts.apart_table.column[0];
}

/* The place of a name, or the free place where it would be. */
static sn_body_contact_apart *find(const sn_world *world, const uint64_t key[2])
{
    const uint32_t mask = world->body_contacts.apart_table.count - 1;
    uint32_t i = (uint32_t)hash_u64(hash_u64(1, key[0]), key[1]) & mask;
    while (all(world)[i].nearest > 0 && (all(world)[i].key[0] != key[0] || all(world)[i].key[1] != key[1]))
        i = (i + 1) & mask;
    return &all(world)[i];
}

void sn_body_contact_recall_apart(const sn_world *world, const sn_body_contact *contact, sn_body_contact_watch *watch)
{
    if (contact->part_b == SN_ID_FREE || !world->body_contacts.apart_table.count ||
        world->body_contacts.apart_moves + 1 != world->moves) /* something was edited */
        return;
    const sn_body_contact_apart *apart = find(world, contact->key);
    if (!(apart->nearest > 0))
        return;
    watch->nearest = apart->nearest;
    watch->between = apart->between;
    watch->idle = true;
}

bool sn_body_contacts_reserve_apart(sn_world *world, uint64_t count)
{
    uint64_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return sn_table_reserve(&world->body_contacts.apart_table, &world->allocator, size);
}

/* Places are where they will be when the next step begins. */
static void note(sn_world *world, const sn_body_contact *contact, const sn_body_contact_watch *watch)
{
    const sn_mover *a = &contact_movers(world)[contact->a], *b = &contact_movers(world)[contact->b];
    const sn_real turned = a->spun + b->spun - watch->spun, nearest = watch->nearest - turned;
    if (!(nearest > 0))
        return;
    sn_body_contact_apart *apart = find(world, contact->key);
    *apart = (sn_body_contact_apart){{contact->key[0], contact->key[1]}, nearest, watch->between};
}

void sn_body_contacts_remember_apart(sn_world *world)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_body_contact_watch *watch = body_contacts->contact_table.column[4];
    uint32_t size = 16;
    while (size < 2 * body_contacts->count)
        size *= 2;
    body_contacts->apart_table.count = body_contacts->apart_table.capacity >= size ? size : 0;
    if (!body_contacts->apart_table.count)
        return;
    memset(all(world), 0, size * sizeof(sn_body_contact_apart));
    for (uint32_t i = 0; i < body_contacts->list_table.count; ++i) {
        sn_mover *m = &contact_movers(world)[contact_listed(world)[i]];
        m->spun += sn_body_contact_spins(world, m);
    }
    for (uint32_t i = 0; i < body_contacts->count; ++i)
        if (watch[i].idle && !watch[i].laned && contact_all(world)[i].part_b != SN_ID_FREE)
            note(world, &contact_all(world)[i], &watch[i]);
    body_contacts->apart_moves = world->moves;
}
