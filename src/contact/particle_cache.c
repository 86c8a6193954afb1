/* The impulses of particle contacts, kept from one step to the next for warm starts. */
#include "contact/particle_work.h"

#include "base/hash.h"
#include "integrators/integrator.h"

#include <string.h>

/* ---- Impulses of the step before --------------------------------------------------------------------------------- */

/* Runs a loop. Lost tasks are completed here: the kept impulses must not be lost in part. */
static void share_loop(sn_world *world, uint32_t count, sn_piece_fn *piece)
{
    if (!sn_parallel_for(&world->parallel, count, piece, world))
        sn_parallel_repair(&world->parallel);
}

/* The data of loops that store the impulses of pairs. */
typedef struct remembering {
    const sn_world *world;
    const sn_contact_pairs *pairs;
} remembering;

static void share_pairs(sn_world *world, sn_piece_fn *piece)
{
    for (uint32_t set = 0; set < SN_PAIR_SETS; ++set) {
        remembering r = {world, &world->contacts.pairs[set]};
        sn_batch_loop loop;
        if (!sn_contacts_run_batches(world, r.pairs, &loop, piece, &r))
            sn_parallel_repair(&world->parallel);
    }
}

/* Entries are counted by slot, and then written to the range of their particle. While writing, start[slot + 1] is the
   index of the next entry of the particle. */
static void count_impulse(const sn_world *world, uint32_t slot)
{
    atomic_uint *start = world->contact.impulse_start_table.column[0];
    atomic_fetch_add_explicit(&start[slot + 2], 1, memory_order_relaxed);
}

static sn_kept_impulse *open_impulse(const sn_world *world, uint32_t slot)
{
    atomic_uint *start = world->contact.impulse_start_table.column[0];
    uint32_t at = atomic_fetch_add_explicit(&start[slot + 1], 1, memory_order_relaxed);
    return (sn_kept_impulse *)world->contact.impulse_table.column[0] + at;
}

/* Threads write in any order, so the entries of a particle are sorted. */
static void sort_impulse(void *data, uint32_t first, uint32_t end)
{
    const sn_contact_world *c = &((const sn_world *)data)->contact;
    const uint32_t *start = c->impulse_start_table.column[0];
    sn_kept_impulse *kept = c->impulse_table.column[0];
    for (uint32_t slot = first; slot < end; ++slot)
        for (uint32_t i = start[slot] + 1; i < start[slot + 1]; ++i) {
            sn_kept_impulse here = kept[i];
            uint32_t at = i;
            for (; at > start[slot] && kept[at - 1].other > here.other; --at)
                kept[at] = kept[at - 1];
            kept[at] = here;
        }
}

static void clear_starts(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.impulse_start_table.column[0];
    memset(start + first, 0, (end - first) * sizeof *start);
}

/* Prefix sums within each piece. (On one thread the whole range is one piece.) */
static void add_up_pieces(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.impulse_start_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (i % SN_PIECE)
            start[i] += start[i - 1];
}

/* Adds the sum of all earlier pieces. The last item of each piece has it already. */
static void add_before_pieces(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.impulse_start_table.column[0];
    for (uint32_t from = first < SN_PIECE ? SN_PIECE : first; from < end; from += SN_PIECE) {
        const uint32_t last = end - from < SN_PIECE ? end - 1 : from + SN_PIECE - 1, before = start[from - 1];
        for (uint32_t i = from; i < last; ++i)
            start[i] += before;
    }
}

/* Turns counts into inclusive prefix sums. */
static void add_up(sn_world *world, uint32_t count)
{
    uint32_t *start = world->contact.impulse_start_table.column[0];
    share_loop(world, count, add_up_pieces);
    for (uint32_t from = SN_PIECE; from < count; from += SN_PIECE)
        start[count - from < SN_PIECE ? count - 1 : from + SN_PIECE - 1] += start[from - 1];
    share_loop(world, count, add_before_pieces);
}

/* begin: before entries are counted. place: after that, when the total and the range of each particle are known. end:
   after entries are written. Behind the last particle are the entries of removed particles. */
static void begin_impulse(sn_world *world)
{
    world->contact.impulse_table.count = world->contact.impulse_start_table.count = 0;
    share_loop(world, world->particles.table.count + 3, clear_starts);
}

static void place_impulse(sn_world *world)
{
    const uint32_t *start = world->contact.impulse_start_table.column[0], count = world->particles.table.count;
    add_up(world, count + 3);
    world->contact.impulse_table.count = start[count + 2];
}

static void end_impulse(sn_world *world)
{
    world->contact.impulse_start_table.count =
        world->particles.table.count + 1; /* the end of the last range is kept, too */
    share_loop(world, world->particles.table.count, sort_impulse);
}

static bool reserve_starts(sn_world *world)
{
    uint64_t count = (uint64_t)world->particles.table.count + 3;
    return sn_table_reserve(&world->contact.impulse_start_table, &world->allocator, count) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count);
}

/* The slot of an entry's particle; behind the last slot if the particle was removed. Such entries are kept until a step
   has succeeded, because that step wakes what sleeps on the removed particle. */
static uint32_t impulse_slot(const sn_world *world, const sn_kept_impulse *kept)
{
    return sn_ids_is_live(&world->ids, kept->number) ? world->ids.value[kept->number] : world->particles.table.count;
}

static void copy_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_table *table = &((const sn_world *)data)->contact.impulse_table;
    memcpy((sn_kept_impulse *)table->column[1] + first, (sn_kept_impulse *)table->column[0] + first,
           (end - first) * sizeof(sn_kept_impulse));
}

static void count_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_kept_impulse *aside = world->contact.impulse_table.column[1];
    for (uint32_t i = first; i < end; ++i)
        count_impulse(world, impulse_slot(world, &aside[i]));
}

static void write_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_kept_impulse *aside = world->contact.impulse_table.column[1];
    for (uint32_t i = first; i < end; ++i)
        *open_impulse(world, impulse_slot(world, &aside[i])) = aside[i];
}

/* Sorts entries by the order of particles in storage, if that has changed. */
bool sn_contacts_index(sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    uint32_t count = c->impulse_table.count;
    if (!count || c->impulse_start_table.count)
        return true;
    if (!reserve_starts(world) || !sn_parallel_reserve(&world->parallel, &world->allocator, count))
        return false;
    share_loop(world, count, copy_aside);
    begin_impulse(world);
    share_loop(world, count, count_aside);
    place_impulse(world);
    share_loop(world, count, write_aside);
    end_impulse(world);
    return true;
}

uint32_t sn_contacts_generation(const sn_world *world, uint32_t other)
{
    const sn_ids *fixed_shapes = &world->contact.fixed_shape_ids;
    uint32_t number = other & ~(SN_IMPULSE_FIXED | SN_IMPULSE_TRIANGLE);
    if (other & SN_IMPULSE_FIXED)
        return number < fixed_shapes->table.count ? fixed_shapes->generation[number] : 0;
    if (other & SN_IMPULSE_TRIANGLE)
        return world->contact.skin_generation;
    return number < world->ids.table.count ? world->ids.generation[number] : 0;
}

const sn_kept_impulse *sn_contacts_recall(const sn_world *world, uint32_t slot, uint32_t other)
{
    const sn_contact_world *c = &world->contact;
    const uint32_t *start = c->impulse_start_table.column[0];
    const sn_kept_impulse *kept = c->impulse_table.column[0];
    if (slot + 1 >= c->impulse_start_table.count)
        return NULL;
    for (uint32_t i = start[slot]; i < start[slot + 1]; ++i)
        if (kept[i].other == other)
            return kept[i].generation == sn_contacts_generation(world, world->particles.index[slot]) &&
                           kept[i].other_generation == sn_contacts_generation(world, other)
                       ? &kept[i]
                       : NULL;
    return NULL;
}

sn_real sn_contacts_recall_factor(const sn_world *world, sn_real dt)
{
    sn_real h = dt / (sn_real)world->state.settings.substeps;
    sn_real old = world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
    return old > 0 ? h * h / (old * old) : 0;
}

/* Pushes are of the form of an impulse times h. So what is said of impulses in body_cache.c reads, with a the load,

       P h / h' + a h (h - h'). */
#define NEWER                                                                                                          \
    ((sn_real)0.125) /* the share of a step in a mean load, if its substeps are not shorter than those before */

void sn_contacts_compare(sn_world *world, sn_real dt)
{
    const sn_real h = dt / (sn_real)world->state.settings.substeps;
    const sn_real old = world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
    const bool same = !(old > 0) || old == h;
    world->contacts.lengths = (sn_step_lengths){.same = same,
                                                .ratio = same ? 1 : h / old,
                                                .more = same ? 0 : h * (h - old),
                                                .inverse = 1 / (h * h),
                                                .newer = old > h ? NEWER * h / old : NEWER};
}

sn_real sn_contacts_push_again(const sn_step_lengths *lengths, sn_real push, sn_real load)
{
    if (lengths->same || !(push > 0))
        return push;
    const sn_real again = push * lengths->ratio + load * lengths->more;
    return again > 0 && isfinite(again) ? again : 0;
}

sn_vec3 sn_contacts_push_again_across(const sn_step_lengths *lengths, sn_vec3 push, sn_vec3 load)
{
    if (lengths->same)
        return push;
    const sn_vec3 again = vec3_add(vec3_scale(push, lengths->ratio), vec3_scale(load, lengths->more));
    return vec3_is_finite(again) ? again : vec3(0, 0, 0);
}

/* The mean with this step. An impact is no load. */
static sn_contact_load load_now(const sn_world *world, const sn_contact_load *load, sn_real push, sn_real last,
                                sn_vec3 across)
{
    const sn_step_lengths *lengths = &world->contacts.lengths;
    const sn_real along = (push < 2 * last ? push : 2 * last) * lengths->inverse;
    const sn_contact_load now = {along, vec3_scale(across, lengths->inverse)};
    if (!isfinite(along) || !vec3_is_finite(now.across))
        return (sn_contact_load){0};
    if (!(load->along > 0))
        return now;
    return (sn_contact_load){load->along + (now.along - load->along) * lengths->newer,
                             vec3_add(load->across, vec3_scale(vec3_sub(now.across, load->across), lengths->newer))};
}

/* ---- Remembering
   ------------------------------------------------------------------------------------------------------------ */

static void write_impulse(const sn_world *world, uint32_t slot, uint32_t other, sn_kept_impulse kept)
{
    kept.number = world->particles.index[slot];
    kept.other = other;
    kept.generation = sn_contacts_generation(world, kept.number);
    kept.other_generation = sn_contacts_generation(world, other);
    *open_impulse(world, slot) = kept;
}

static void count_pairs(void *data, uint32_t first, uint32_t end)
{
    const remembering *r = data;
    const sn_neighbours *near = &r->pairs->near;
    const sn_real *normal_impulse = pair_column(r->pairs, PAIR_NORMAL_IMPULSE);
    for (uint32_t b = first; b < end; ++b)
        for (uint32_t i = 0; i < near->lanes[b]; ++i)
            if (normal_impulse[(size_t)b * SN_NEAR + i] > 0)
                count_impulse(r->world, near->batch[b].a[i]);
}

/* The particle with the lower number is a. */
static void write_pairs(void *data, uint32_t first, uint32_t end)
{
    const remembering *r = data;
    const sn_world *world = r->world;
    const sn_contact_pairs *c = r->pairs;
    const uint32_t *index = world->particles.index, *generation = world->ids.generation;
    for (uint32_t b = first; b < end; ++b)
        for (uint32_t i = 0; i < c->near.lanes[b]; ++i) {
            const size_t at = (size_t)b * SN_NEAR + i;
            const sn_real normal_impulse = pair_column(c, PAIR_NORMAL_IMPULSE)[at];
            if (!(normal_impulse > 0))
                continue;
            const sn_real *tangent_impulse = pair_column(c, PAIR_FRICTION_IMPULSE) + (size_t)b * 3 * SN_NEAR + i;
            const uint32_t slot = c->near.batch[b].a[i], number = index[slot], other = index[c->near.batch[b].b[i]];
            sn_kept_impulse *kept = open_impulse(world, slot);
            kept->number = number;
            kept->other = other;
            kept->generation = generation[number];
            kept->other_generation = generation[other];
            kept->normal_impulse = normal_impulse;
            kept->last = pair_column(c, PAIR_LAST)[at];
            kept->tangent_impulse = vec3(tangent_impulse[0], tangent_impulse[SN_NEAR], tangent_impulse[2 * SN_NEAR]);
            const sn_real *across = pair_column(c, PAIR_LOAD_ACROSS) + (size_t)b * 3 * SN_NEAR + i;
            const sn_contact_load load = {pair_column(c, PAIR_LOAD)[at],
                                          vec3(across[0], across[SN_NEAR], across[2 * SN_NEAR])};
            kept->load = load_now(world, &load, normal_impulse, kept->last, kept->tangent_impulse);
            kept->rolled = kept->normal = vec3(0, 0, 0);
        }
}

static void count_statics(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_static_contact *contact = world->contacts.static_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (contact[i].normal_impulse > 0)
            count_impulse(world, contact[i].slot);
}

static void write_statics(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_static_contact *contact = world->contacts.static_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (contact[i].normal_impulse > 0)
            write_impulse(world, contact[i].slot, SN_IMPULSE_FIXED | contact[i].number,
                          (sn_kept_impulse){.normal_impulse = contact[i].normal_impulse,
                                            .last = contact[i].last,
                                            .tangent_impulse = contact[i].tangent_impulse,
                                            .load = contact[i].preloaded
                                                        ? contact[i].load
                                                        : load_now(world, &contact[i].load, contact[i].normal_impulse,
                                                                   contact[i].last, contact[i].tangent_impulse),
                                            .rolled = contact[i].rolled,
                                            .normal = contact[i].normal});
}

/* False for pairs in which nothing can move: they exist only to see whether one wakes. */
static bool has_impulse(const sn_world *world, const sn_skin_contact *g)
{
    for (uint32_t k = 0; g->normal_impulse > 0 && k < 4; ++k)
        if (world->particles.x[g->slot[k]].w != 0)
            return true;
    return false;
}

static void count_skin_contacts(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_skin_contact *skin_contact = world->contacts.skin_contact_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (has_impulse(world, &skin_contact[i]))
            count_impulse(world, skin_contact[i].slot[0]);
}

static void write_skin_contacts(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_skin_contact *skin_contact = world->contacts.skin_contact_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        const sn_skin_contact *g = &skin_contact[i];
        if (!has_impulse(world, g))
            continue;
        uint32_t corner = world->particles.index[g->slot[1]];
        write_impulse(
            world, g->slot[0], g->triangle == SN_SKIN_CONTACT_PAIR ? corner : SN_IMPULSE_TRIANGLE | g->triangle,
            (sn_kept_impulse){.normal_impulse = g->normal_impulse,
                              .last = g->last,
                              .tangent_impulse = g->tangent_impulse,
                              .load = load_now(world, &g->load, g->normal_impulse, g->last, g->tangent_impulse),
                              .rolled = g->rolled,
                              .normal = vec3(g->side, 0, 0)});
    }
}

bool sn_contacts_reserve_memory(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    sn_contact_world *contact = &world->contact;
    if (!c->any && !contact->impulse_table.count)
        return true;
    if (!sn_rigid_prepare(world))
        return false;
    uint32_t asleep = contact->sleep.sleepers ? contact->impulse_table.count : 0;
    return sn_table_reserve(&contact->impulse_table, &world->allocator,
                            (uint64_t)c->pairs[SN_PAIRS_FIRST].near.pairs + c->pairs[SN_PAIRS_LATE].near.pairs +
                                c->static_contacts + c->skin_contacts + asleep) &&
           reserve_starts(world) &&
           sn_parallel_reserve(&world->parallel, &world->allocator,
                               c->static_contacts > c->skin_contacts ? c->static_contacts : c->skin_contacts);
}

/* Copies the entries of sleeping contacts, scaled to this step. Returns their number. */
static uint32_t set_aside(const sn_world *world, sn_kept_impulse *to)
{
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    const sn_step_lengths *lengths = &world->contacts.lengths;
    uint32_t count = 0;
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < world->contact.impulse_table.count; ++i) {
        if (!sn_sleep_has_impulse(world, &kept[i]))
            continue;
        to[count] = kept[i];
        to[count].normal_impulse = sn_contacts_push_again(lengths, kept[i].normal_impulse, kept[i].load.along);
        to[count].last = sn_contacts_push_again(lengths, kept[i].last, kept[i].load.along);
        to[count].tangent_impulse =
            sn_contacts_push_again_across(lengths, kept[i].tangent_impulse, kept[i].load.across);
        ++count;
    }
    return count;
}

/* Like open_impulse, for a single thread: atomic operations took half of the time. */
static sn_kept_impulse *open_alone(const sn_world *world, uint32_t slot)
{
    uint32_t *start = world->contact.impulse_start_table.column[0];
    return (sn_kept_impulse *)world->contact.impulse_table.column[0] + start[slot + 1]++;
}

void sn_contacts_remember(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const sn_kept_impulse *aside = world->contact.impulse_table.column[1];
    const uint32_t before = world->contact.impulse_table.count;
    uint32_t kept = set_aside(world, world->contact.impulse_table.column[1]);
    if (!c->any && kept == before && world->contacts.lengths.same && world->contact.impulse_start_table.count)
        return; /* all sleep: they are what and where they were */
    world->contact.impulse_table.count = world->contact.impulse_start_table.count = 0;
    if (!c->any && !kept)
        return;
    begin_impulse(world);
    share_pairs(world, count_pairs);
    share_loop(world, c->static_contacts, count_statics);
    share_loop(world, c->skin_contacts, count_skin_contacts);
    for (uint32_t i = 0; i < kept; ++i)
        ((uint32_t *)world->contact.impulse_start_table.column[0])[impulse_slot(world, &aside[i]) + 2]++;
    place_impulse(world);
    share_pairs(world, write_pairs);
    share_loop(world, c->static_contacts, write_statics);
    share_loop(world, c->skin_contacts, write_skin_contacts);
    for (uint32_t i = 0; i < kept; ++i)
        *open_alone(world, impulse_slot(world, &aside[i])) = aside[i];
    end_impulse(world);
}

/* A sum, because the order of entries depends on storage. */
uint64_t sn_contacts_hash(uint64_t hash, const sn_contact_world *contact)
{
    const sn_kept_impulse *kept = contact->impulse_table.column[0];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < contact->impulse_table.count; ++i) {
        uint64_t one = hash_u64(SN_HASH_SEED, (uint64_t)kept[i].number << 32 | kept[i].other);
        one = hash_real(hash_real(one, kept[i].normal_impulse), kept[i].last);
        one = hash_vec3(hash_real(one, kept[i].load.along), kept[i].load.across);
        sum += hash_vec3(hash_vec3(hash_vec3(one, kept[i].tangent_impulse), kept[i].rolled), kept[i].normal);
    }
    return contact->impulse_table.count ? hash_u64(hash, sum) : hash;
}
