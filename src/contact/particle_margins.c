/* Particles that leave their margins.

   Contacts were searched for with margins: how far particles may move in the step by their velocities, by gravity and
   by the user's forces. Fields, constraints and impacts move some of them farther. These particles alone are searched
   for again, within the substep and before contact acts in it. The new contacts, for this substep and the rest of the
   step, are added to the known ones. */
#include "contact/callbacks.h"
#include "contact/particle_work.h"

#include <string.h>

/* Relative to its radius: a ball that moved farther in a substep is fast. */
#define FAST ((sn_real)0.25)

/* Relative to the smallest radius: larger balls may make small ones fast without being fast themselves. */
#define SEVERAL_SIZES ((sn_real)2)

typedef struct following {
    sn_world *world;
    sn_contacts *contacts;
    sn_real h;
    bool whole_step; /* the step is complete */
    bool paths;      /* particles were moved since velocities were derived from positions: their paths count */
    atomic_bool left, fast;
    atomic_bool beyond; /* some particles are beyond SN_CONTACT_REACH */
} following;

/* False for particles that are handled elsewhere or do not move: those of bodies (body_solve.c), and immovable ones. */
static bool is_followed(const sn_world *world, uint32_t slot)
{
    return !world->particles.body[slot] && world->particles.x[slot].w != 0;
}

/* True if the particle has moved farther than its margin since it was searched for. */
static bool has_left(const following *f, uint32_t slot)
{
    const sn_particle_store *p = &f->world->particles;
    const sn_vec4 sphere = spheres(f->contacts)[slot];
    const sn_vec3 d = vec3_sub(vec4_xyz(p->x[slot]), vec4_xyz(sphere));
    const sn_real room = (sphere.w < 0 ? -sphere.w : sphere.w) - (1 - SN_BALL_LEAVES) * p->radius[slot];
    return vec3_dot(d, d) > room * room;
}

/* m: how far the particle has moved in this substep, squared. */
static sn_real path_of(const following *f, uint32_t slot)
{
    const sn_vec3 v = vec4_xyz(f->world->particles.v[slot]);
    const sn_real square = vec3_dot(v, v) * f->h * f->h;
    if (!f->paths)
        return square;
    const sn_vec3 d = vec3_sub(vec4_xyz(f->world->particles.x[slot]), vec4_xyz(starts(f->contacts)[slot]));
    return vec3_dot(d, d) > square ? vec3_dot(d, d) : square;
}

static void check_margins(void *data, uint32_t first, uint32_t end)
{
    following *f = data;
    const sn_particle_store *p = &f->world->particles;
    bool left = false, fast = false;
    for (uint32_t from = first; from < end; from += SN_CONTACT_PIECE) {
        const uint32_t to = end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE;
        for (uint32_t slot = contact_is_still(f->contacts, from) ? to : from; slot < to; ++slot) {
            const sn_real limit = FAST * p->radius[slot];
            left |= has_left(f, slot);
            fast |= limit > 0 && path_of(f, slot) > limit * limit;
        }
    }
    if (left)
        atomic_store_explicit(&f->left, true, memory_order_relaxed);
    if (fast)
        atomic_store_explicit(&f->fast, true, memory_order_relaxed);
}

static void note_starts(void *data, uint32_t first, uint32_t end)
{
    const following *f = data;
    const sn_particle_store *p = &f->world->particles;
    for (uint32_t slot = first; slot < end; ++slot)
        starts(f->contacts)[slot] =
            vec4(vec3_sub(vec4_xyz(p->x[slot]), vec3_scale(vec4_xyz(p->v[slot]), f->h)), p->x[slot].w);
}

/* m: how far the particle has moved; a margin around its position must reach back as far. */
static sn_real came(const following *f, uint32_t slot)
{
    const sn_particle_store *p = &f->world->particles;
    return f->whole_step ? vec3_length(vec3_sub(vec4_xyz(p->x[slot]), vec4_xyz(spheres(f->contacts)[slot])))
                         : real_sqrt(path_of(f, slot));
}

/* Lists particles that left their margins. Gives them new ones, around their paths in this substep and the rest of the
   step. */
static bool list_left(following *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    const sn_particle_store *p = &world->particles;
    const uint32_t count = p->table.count;
    if (!sn_table_reserve(&c->left_list_table, &world->allocator, count))
        return false;
    uint8_t *left = c->left_table.column[0];
    uint32_t *list = c->left_list_table.column[0], found = 0;
    if (!c->late) {
        memset(left, 0, count);
        memset(late_statics(c), 0, count * sizeof(uint32_t));
        c->late = true;
    }
    for (uint32_t slot = 0; slot < count; ++slot) {
        if (!has_left(f, slot) || !is_followed(world, slot))
            continue;
        const sn_real ahead = f->whole_step ? 0 : sn_contacts_displacement(world, slot, c->time_left);
        spheres(c)[slot] = margin_of(p, slot, came(f, slot) + ahead);
        left[slot] = true;
        list[found++] = slot;
    }
    c->left_list_table.count = found;
    return true;
}

/* ---- Late static contacts ---------------------------------------------------------------------------------------- */

static uint32_t look_again(sn_contact_finding *f, uint32_t slot, sn_static_contact *to)
{
    const sn_vec4 sphere = spheres(f->contacts)[slot];
    const sn_real reach = sphere.w < 0 ? -sphere.w : sphere.w;
    const sn_bounds box = grow((sn_bounds){vec4_xyz(sphere), vec4_xyz(sphere)}, reach);
    sn_contact_looking l = {.f = f, .slot = slot, .reach = reach, .to = to};
    sn_fixed_tree_overlap(&f->contacts->fixed_shapes, &box, sn_contacts_look_at_fixed_shape, &l);
    return l.found;
}

static void sort_by_number(sn_static_contact *contact, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const sn_static_contact here = contact[i];
        uint32_t at = i;
        for (; at > 0 && contact[at - 1].number > here.number; --at)
            contact[at] = contact[at - 1];
        contact[at] = here;
    }
}

static bool find_late_statics(sn_contact_finding *f)
{
    sn_contacts *c = f->contacts;
    const uint32_t *list = c->left_list_table.column[0];
    uint64_t total = c->static_contacts;
    if (!c->pieces)
        return true;
    for (uint32_t i = 0; i < c->left_list_table.count; ++i)
        total += look_again(f, list[i], NULL);
    c->static_table.count = c->static_contacts;
    if (!sn_table_reserve(&c->static_table, &f->world->allocator, total))
        return false;
    sn_static_contact *contact = c->static_table.column[0];
    for (uint32_t i = 0; i < c->left_list_table.count; ++i) {
        const uint32_t found = look_again(f, list[i], contact + c->static_contacts);
        sort_by_number(contact + c->static_contacts, found);
        c->shared = c->shared || found;
        for (uint32_t k = 0; k < found; ++k) {
            contact[c->static_contacts].shared = true;
            contact[c->static_contacts].next = late_statics(c)[list[i]];
            late_statics(c)[list[i]] = ++c->static_contacts;
        }
    }
    return true;
}

/* ---- Late pairs -------------------------------------------------------------------------------------------------- */

/* The filter of the search for late pairs. */
typedef struct late_wishes {
    sn_world *world;
    const uint8_t *left;
    const sn_sort_item *known;
    uint32_t count;
} late_wishes;

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static bool is_known(const sn_sort_item *known, uint32_t count, uint64_t key, uint32_t *at)
{
    const uint32_t low = sort_lower_bound(known, count, key);
    *at = low < count ? known[low].a : 0;
    return low < count && known[low].key == key;
}

static bool is_wanted_late(void *data, uint32_t a, uint32_t b)
{
    const late_wishes *w = data;
    uint32_t at;
    return (w->left[a] || w->left[b]) && (w->world->contacts.all_wanted || sn_contacts_is_wanted(w->world, a, b)) &&
           !is_known(w->known, w->count, pair_key(a, b), &at);
}

/* Lists the pairs of the first search with a particle that has left its margin: their keys, sorted. */
static bool list_known(following *f)
{
    sn_contacts *c = f->contacts;
    const sn_neighbours *near = &c->pairs[SN_PAIRS_FIRST].near;
    const uint8_t *left = c->left_table.column[0];
    uint32_t count = 0;
    if (!sn_table_reserve(&c->known_table, &f->world->allocator, near->pairs))
        return false;
    sn_sort_item *known = c->known_table.column[0];
    for (uint32_t b = 0; b < near->batches; ++b)
        for (uint32_t i = 0; i < near->lanes[b]; ++i)
            if (left[near->batch[b].a[i]] || left[near->batch[b].b[i]])
                known[count++] = (sn_sort_item){pair_key(near->batch[b].a[i], near->batch[b].b[i]), 0, 0};
    c->known_table.count = count;
    if (count)
        sn_sort(known, c->known_table.column[1], count);
    return true;
}

/* Copies the impulses of late pairs, by key. */
static bool keep_late_pairs(following *f)
{
    sn_contacts *c = f->contacts;
    const sn_contact_pairs *pairs = &c->pairs[SN_PAIRS_LATE];
    uint32_t count = 0;
    if (!sn_table_reserve(&c->kept_table, &f->world->allocator, pairs->near.pairs))
        return false;
    sn_kept_pair *kept = c->kept_table.column[0];
    sn_sort_item *key = c->kept_table.column[1];
    for (uint32_t b = 0; b < pairs->near.batches; ++b)
        for (uint32_t i = 0; i < pairs->near.lanes[b]; ++i, ++count) {
            const size_t at = (size_t)b * SN_NEAR + i;
            const sn_real *tangent_impulse = pair_column(pairs, PAIR_FRICTION_IMPULSE) + (size_t)b * 3 * SN_NEAR + i;
            const sn_real *given = pair_given(c, pairs, b, i);
            kept[count] = (sn_kept_pair){
                .normal_impulse = pair_column(pairs, PAIR_NORMAL_IMPULSE)[at],
                .last = pair_column(pairs, PAIR_LAST)[at],
                .impulse = pair_column(pairs, PAIR_IMPULSE)[at],
                .impact = pair_column(pairs, PAIR_IMPACT)[at],
                .tangent_impulse = vec3(tangent_impulse[0], tangent_impulse[SN_NEAR], tangent_impulse[2 * SN_NEAR])};
            if (given)
                kept[count].given = vec3(given[0], given[SN_NEAR], given[2 * SN_NEAR]);
            key[count] = (sn_sort_item){pair_key(pairs->near.batch[b].a[i], pairs->near.batch[b].b[i]), count, 0};
        }
    c->kept_table.count = count;
    if (count)
        sn_sort(key, c->kept_table.column[2], count);
    return true;
}

/* Fills in the spheres of particles that left their margins, and of those in their neighbourhood. */
static void fill_late_spheres(following *f)
{
    sn_contacts *c = f->contacts;
    const sn_real far = (sn_real)INFINITY;
    const uint8_t *left = c->left_table.column[0];
    const uint32_t count = f->world->particles.table.count;
    sn_vec4 *sphere = c->sphere_table.column[1];
    sn_bounds all = {{far, far, far}, {-far, -far, -far}};
    for (uint32_t slot = 0; slot < count; ++slot)
        if (left[slot] && spheres(c)[slot].w > 0)
            include(&all, vec4_xyz(spheres(c)[slot]), spheres(c)[slot].w);
    for (uint32_t slot = 0; slot < count; ++slot) {
        const sn_vec4 s = spheres(c)[slot];
        sphere[slot] = s;
        if (!(s.x + s.w >= all.low.x && s.x - s.w <= all.high.x && s.y + s.w >= all.low.y && s.y - s.w <= all.high.y &&
              s.z + s.w >= all.low.z && s.z - s.w <= all.high.z))
            sphere[slot].w = -1;
    }
}

static void restore_late_pairs(following *f)
{
    sn_contacts *c = f->contacts;
    const sn_contact_pairs *pairs = &c->pairs[SN_PAIRS_LATE];
    const sn_kept_pair *kept = c->kept_table.column[0];
    const sn_sort_item *key = c->kept_table.column[1];
    for (uint32_t b = 0; b < pairs->near.batches; ++b) {
        sn_contacts_fill_batch(f->world, pairs, b, false);
        for (uint32_t i = 0; i < pairs->near.lanes[b]; ++i) {
            const size_t at = (size_t)b * SN_NEAR + i;
            uint32_t from;
            sn_real *given = pair_given(c, pairs, b, i);
            for (uint32_t k = 0; given && k < 3; ++k)
                given[k * SN_NEAR] = 0;
            if (!is_known(key, c->kept_table.count, pair_key(pairs->near.batch[b].a[i], pairs->near.batch[b].b[i]),
                          &from))
                continue;
            pair_column(pairs, PAIR_NORMAL_IMPULSE)[at] = kept[from].normal_impulse;
            pair_column(pairs, PAIR_LAST)[at] = kept[from].last;
            pair_column(pairs, PAIR_IMPULSE)[at] = kept[from].impulse;
            pair_column(pairs, PAIR_IMPACT)[at] = kept[from].impact;
            for (uint32_t k = 0; k < 3; ++k)
                pair_column(pairs, PAIR_FRICTION_IMPULSE)[((size_t)b * 3 + k) * SN_NEAR + i] =
                    vec3_part(&kept[from].tangent_impulse, k);
            for (uint32_t k = 0; given && k < 3; ++k)
                given[k * SN_NEAR] = vec3_part(&kept[from].given, k);
        }
    }
}

/* Finds all late pairs again. Pairs of particles that left before keep their impulses. */
static sn_result find_late_pairs(following *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    sn_contact_pairs *pairs = &c->pairs[SN_PAIRS_LATE];
    sn_neighbours *near = &pairs->near;
    const sn_result no_memory = SN_ERROR_MEMORY;
    bool lost = false;
    if (!world->contact.settings.particles || !(c->most_radius > 0))
        return SN_OK;
    if (!list_known(f))
        return no_memory;
    late_wishes wishes = {world, c->left_table.column[0], c->known_table.column[0], c->known_table.count};
    const sn_near_input input = {.count = world->particles.table.count,
                                 .sphere = c->sphere_table.column[1],
                                 .number = world->particles.index,
                                 .wanted = is_wanted_late,
                                 .data = &wishes};
    fill_late_spheres(f);
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count) ||
        !keep_late_pairs(f))
        return no_memory;
    if (!sn_neighbours_find(near, &world->allocator, &world->parallel, &input, &lost))
        return lost ? SN_ERROR_HOST : no_memory;
    if (!sn_table_reserve(&pairs->table, &world->allocator, near->batches) ||
        (c->rigid.groups && !sn_table_reserve(&pairs->given_table, &world->allocator, near->batches)) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, near->blocks))
        return no_memory;
    restore_late_pairs(f);
    return SN_OK;
}

static bool search_again(following *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    sn_contact_finding again = {.world = world, .contacts = c, .dt = c->step, .late = true};
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    sn_result result = list_left(f) && find_late_statics(&again) ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && c->left_list_table.count && !c->surfaces.alone)
        result = find_late_pairs(f);
    if (result == SN_OK && !f->whole_step)
        result = c->failed = sn_callbacks_late(world);
    if (result == SN_OK && !(sn_contacts_reserve_memory(world) && sn_contact_events_reserve(world)))
        result = SN_ERROR_MEMORY;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    if (result != SN_OK) /* pairs without columns must not be solved; the step fails, and is undone */
        c->pairs[SN_PAIRS_LATE].near.batches = c->pairs[SN_PAIRS_LATE].near.pairs = 0;
    if (result == SN_ERROR_MEMORY && c->failed == SN_OK)
        c->failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    return result == SN_OK;
}

/* Before contact acts: searches again for particles that left their margins, and notes whether some moved far. */
bool sn_contacts_follow(sn_world *world, sn_real h, bool first)
{
    sn_contacts *c = &world->contacts;
    following f = {.world = world, .contacts = c, .h = h, .paths = !first && c->has_starts};
    const uint32_t count = world->particles.table.count;
    if (sn_surfaces_are_alone(world)) {
        c->fast = c->has_starts = false;
        return true; /* there is nothing else to collide with */
    }
    if (!sn_parallel_for(&world->parallel, count, check_margins, &f))
        return false;
    c->fast = atomic_load_explicit(&f.fast, memory_order_relaxed);
    const bool left = atomic_load_explicit(&f.left, memory_order_relaxed);
    if (first && !c->watches) {
        const bool pairs = c->pairs[SN_PAIRS_FIRST].near.batches > 0;
        c->has_starts =
            c->fast || c->shared || left || (pairs && (c->sided || c->most_radius > SEVERAL_SIZES * c->least_radius));
        if (c->has_starts && !sn_parallel_for(&world->parallel, count, note_starts, &f))
            return false;
    }
    return !left || search_again(&f);
}

/* ---- Steps in which nothing was near ----------------------------------------------------------------------------- */

static bool is_within(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

static bool follows_one(const sn_world *world, uint32_t first, uint32_t end)
{
    while (first < end && !is_followed(world, first))
        ++first;
    return first < end;
}

/* True if a particle of a piece left its margin; or, without margins, if particles left the piece's box, and a fixed
   shape may now be near. */
static bool has_piece_left(following *f, uint32_t first, uint32_t end)
{
    const sn_contacts *c = f->contacts;
    const sn_bounds *box = (const sn_bounds *)c->box_table.column[0] + first / SN_CONTACT_PIECE;
    const sn_contact_extremes e = sn_contacts_extremes(&f->world->particles, first, end);
    sn_bounds now =
        grow((sn_bounds){vec3(e.low[0], e.low[1], e.low[2]), vec3(e.high[0], e.high[1], e.high[2])}, e.radius);
    if (!contact_reaches(now.low) || !contact_reaches(now.high)) {
        atomic_store_explicit(&f->beyond, true, memory_order_relaxed);
        return true;
    }
    for (uint32_t slot = first; c->has_margins && slot < end; ++slot)
        if (has_left(f, slot))
            return true;
    if (c->has_margins || is_within(&now, box) || !follows_one(f->world, first, end))
        return false;
    now = unite(now, *box);
    return sn_fixed_tree_touches(&c->fixed_shapes, &now);
}

static void check_pieces(void *data, uint32_t first, uint32_t end)
{
    following *f = data;
    for (uint32_t from = first; from < end; from += SN_CONTACT_PIECE)
        if (has_piece_left(f, from, end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE))
            atomic_store_explicit(&f->left, true, memory_order_relaxed);
}

sn_result sn_contacts_strayed(sn_world *world, bool *strayed)
{
    sn_contacts *c = &world->contacts;
    following f = {.world = world, .contacts = c, .h = c->step, .whole_step = true};
    *strayed = false;
    if (c->any || !c->searched)
        return SN_OK;
    if (!sn_parallel_for(&world->parallel, world->particles.table.count, check_pieces, &f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    *strayed = atomic_load_explicit(&f.left, memory_order_relaxed);
    if (!*strayed || !c->has_margins || atomic_load_explicit(&f.beyond, memory_order_relaxed))
        return SN_OK; /* the watched step reports what is beyond the reach */
    if (!search_again(&f))
        return c->failed != SN_OK ? c->failed
                                  : world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    *strayed = c->static_contacts || c->pairs[SN_PAIRS_LATE].near.batches;
    return SN_OK;
}
