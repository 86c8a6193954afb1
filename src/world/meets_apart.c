/* Contact of bodies: which pairs were apart at the end of a step, and how far.

   Most pairs whose boxes touch are apart, and stay so for many steps. How far they were apart when they were last looked at bounds how
   far they are apart now: no less than that, less how far they came since. So they need not be looked at before that is used up. A pair
   that may press is always looked at; so this changes no result, and is no part of the state. */
#include "world/meets_work.h"

#include "base/hash.h"

#include <string.h>

static sn_meet_apart *all(const sn_world *world)
{
    return world->meets.apart_table.column[0];
}

/* The place of a name, or the free place where it would be. */
static sn_meet_apart *find(const sn_world *world, const uint64_t key[2])
{
    const uint32_t mask = world->meets.apart_table.count - 1;
    uint32_t i = (uint32_t)hash_u64(hash_u64(1, key[0]), key[1]) & mask;
    while (all(world)[i].nearest > 0 && (all(world)[i].key[0] != key[0] || all(world)[i].key[1] != key[1]))
        i = (i + 1) & mask;
    return &all(world)[i];
}

void sn_meet_recall_apart(const sn_world *world, const sn_meet *meet, sn_meet_watch *watch)
{
    if (meet->part_b == SN_ID_FREE || !world->meets.apart_table.count ||
        world->meets.apart_moves + 1 != world->moves) /* something was edited */
        return;
    const sn_meet_apart *apart = find(world, meet->key);
    if (!(apart->nearest > 0))
        return;
    watch->nearest = apart->nearest;
    watch->between = apart->between;
    watch->idle = true;
}

bool sn_meets_reserve_apart(sn_world *world, uint64_t count)
{
    uint64_t size = 16;
    while (size < 2 * count)
        size *= 2;
    return sn_table_reserve(&world->meets.apart_table, &world->allocator, size);
}

/* Places are where they will be when the next step begins. */
static void note(sn_world *world, const sn_meet *meet, const sn_meet_watch *watch)
{
    const sn_mover *a = &meet_movers(world)[meet->a], *b = &meet_movers(world)[meet->b];
    const sn_real turned = a->spun + b->spun - watch->spun, nearest = watch->nearest - turned;
    if (!(nearest > 0))
        return;
    sn_meet_apart *apart = find(world, meet->key);
    *apart = (sn_meet_apart){{meet->key[0], meet->key[1]}, nearest, watch->between};
}

void sn_meets_remember_apart(sn_world *world)
{
    sn_meets *meets = &world->meets;
    const sn_meet_watch *watch = meets->meet_table.column[4];
    uint32_t size = 16;
    while (size < 2 * meets->meets)
        size *= 2;
    meets->apart_table.count = meets->apart_table.capacity >= size ? size : 0;
    if (!meets->apart_table.count)
        return;
    memset(all(world), 0, size * sizeof(sn_meet_apart));
    for (uint32_t i = 0; i < meets->list_table.count; ++i) {
        sn_mover *m = &meet_movers(world)[meet_listed(world)[i]];
        m->spun += sn_meet_spins(world, m);
    }
    for (uint32_t i = 0; i < meets->meets; ++i)
        if (watch[i].idle && !watch[i].laned && meet_all(world)[i].part_b != SN_ID_FREE)
            note(world, &meet_all(world)[i], &watch[i]);
    meets->apart_moves = world->moves;
}
