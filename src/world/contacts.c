/* Contact in a step: finding, once; and in every substep parting, friction and restitution.

   It acts on places and velocities after the constraints have been solved and velocities are what the particles did, so it has
   the last word; what it pushes, it adds to both. Pairs of particles come first, colour by colour (collision/neighbours.h),
   then colliders, each particle by itself. */
#include "world/contacts.h"

#include "base/hash.h"
#include "base/math.h"
#include "integrators/integrator.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* ns, about: to know whether sharing pays. */
#define WORK_OF_PAIR 10.0
#define WORK_OF_WALL 40.0
#define WORK_OF_LOOK 40.0 /* a particle, looking for colliders */

/* Columns of numbers of pairs. */
enum {
    PAIR_REACH,
    PAIR_HOLD,
    PAIR_DRAG,
    PAIR_RESTITUTION,
    PAIR_PRESSED,
    PAIR_LAST,
    PAIR_IMPULSE,
    PAIR_RUBBED,
    PAIR_COLUMNS
};

/* What contact looks for beyond what particles can come by their velocities: a share of the radius, for those that others
   push. */
#define SLACK ((sn_real)0.05)

/* Of an overlap, this share is parted in a visit, down to this share of the sum of the radii. */
#define EASE ((sn_real)0.2)
#define SLOP ((sn_real)0.002)

#define NEARBY                                                                                                         \
    32u /* colliders near a piece of particles: so many are compared with each of them, without asking the tree again */

void sn_contacts_init(sn_contacts *c)
{
    *c = (sn_contacts){0};
    sn_neighbours_init(&c->near);
    sn_table_column(&c->sphere_table, sizeof(sn_vec4), false);
    sn_table_column(&c->store_table, sizeof(uint32_t), false);
    sn_table_column(&c->store_table, sizeof(sn_vec4), false);
    for (int i = 0; i < PAIR_COLUMNS; ++i)
        sn_table_column(&c->pair_table, (i == PAIR_RUBBED ? 3 : 1) * SN_NEAR * sizeof(sn_real), false);
    sn_table_column(&c->motion_table, sizeof(sn_collider_motion), false);
    sn_table_column(&c->mover_table, sizeof(uint32_t), false);
    sn_collider_tree_init(&c->colliders);
    sn_table_column(&c->box_table, sizeof(sn_bounds), false);
    sn_table_column(&c->wall_table, sizeof(sn_wall), false);
    sn_table_column(&c->wall_table, sizeof(sn_wall), false);
    sn_table_column(&c->graze_table, sizeof(sn_graze), false);
    sn_table_column(&c->graze_table, sizeof(sn_graze), false);
    sn_table_column(&c->graze_start_table, sizeof(uint32_t), false);
    sn_table_column(&c->triangle_table, sizeof(sn_bounds), false);
    sn_table_column(&c->triangle_table, sizeof(uint32_t), false);
    sn_table_column(&c->colour_table, sizeof(uint64_t), false);
    sn_table_column(&c->normal_table, sizeof(sn_vec4), false);
    sn_bvh_init(&c->skin_tree);
    sn_table_column(&c->piece_table, sizeof(uint32_t), false);
    sn_table_column(&c->piece_table, SN_CONTACT_PIECE / 8, false);
    sn_grazes_init(c);
}

void sn_contacts_release(sn_contacts *c, const sn_allocator *allocator)
{
    sn_neighbours_release(&c->near, allocator);
    sn_table_release(&c->sphere_table, allocator);
    sn_table_release(&c->store_table, allocator);
    sn_table_release(&c->pair_table, allocator);
    sn_table_release(&c->motion_table, allocator);
    sn_table_release(&c->mover_table, allocator);
    sn_collider_tree_release(&c->colliders, allocator);
    sn_table_release(&c->box_table, allocator);
    sn_table_release(&c->wall_table, allocator);
    sn_table_release(&c->graze_table, allocator);
    sn_table_release(&c->graze_start_table, allocator);
    sn_table_release(&c->triangle_table, allocator);
    sn_table_release(&c->colour_table, allocator);
    sn_table_release(&c->normal_table, allocator);
    sn_bvh_release(&c->skin_tree, allocator);
    sn_table_release(&c->piece_table, allocator);
    sn_grazes_release(c, allocator);
}

/* ---- Loops over pairs ------------------------------------------------------------------------------------------------- */

static sn_parallel *share(sn_world *world, double work)
{
    return sn_parallel_wants(&world->parallel, work) ? &world->parallel : NULL;
}

/* Blocks in a task. */
#define BLOCKS_A_TASK 4u

typedef struct batch_loop {
    const sn_neighbours *near;
    sn_piece_fn *piece;
    void *data;
} batch_loop;

static void run_batches_task(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const batch_loop *loop = data;
    const sn_neighbours *near = loop->near;
    for (uint32_t i = index * BLOCKS_A_TASK; i < near->blocks && i < (index + 1) * BLOCKS_A_TASK; ++i)
        loop->piece(loop->data, near->block[near->by_place[i]], near->block[near->by_place[i] + 1]);
}

/* Runs a loop over batches, in pieces, by place: so that a thread gets those that it found, or that it will solve. False if
   the task hook lost tasks. */
static bool run_batches(sn_world *world, batch_loop *loop, sn_piece_fn *piece, void *data)
{
    const sn_neighbours *near = &world->contacts.near;
    *loop = (batch_loop){near, piece, data};
    return !near->batches || sn_parallel_tasks(share(world, near->batches * WORK_OF_PAIR * SN_NEAR),
                                               near->blocks / BLOCKS_A_TASK + (near->blocks % BLOCKS_A_TASK != 0),
                                               run_batches_task, loop);
}

/* ---- Materials ------------------------------------------------------------------------------------------------------ */

static sn_real mix(sn_mix a, sn_mix b, sn_real x, sn_real y)
{
    switch (a > b ? a : b) {
    case SN_MIX_LEAST:
        return x < y ? x : y;
    case SN_MIX_PRODUCT:
        return x * y;
    case SN_MIX_MOST:
        return x > y ? x : y;
    case SN_MIX_AVERAGE:
        break;
    }
    return (x + y) / 2;
}

sn_grip sn_contacts_grip(const sn_contact_material *a, const sn_contact_material *b)
{
    return (sn_grip){mix(a->friction_mix, b->friction_mix, a->static_friction, b->static_friction),
                     mix(a->friction_mix, b->friction_mix, a->dynamic_friction, b->dynamic_friction),
                     mix(a->restitution_mix, b->restitution_mix, a->restitution, b->restitution),
                     mix(a->friction_mix, b->friction_mix, a->rolling, b->rolling)};
}

bool sn_contacts_agree(uint32_t category, uint32_t mask, uint32_t other_category, uint32_t other_mask)
{
    return (category & other_mask) && (other_category & mask);
}

/* ---- Boxes -------------------------------------------------------------------------------------------------------------- */

static sn_bounds unite(sn_bounds a, sn_bounds b)
{
    a.low = vec3(a.low.x < b.low.x ? a.low.x : b.low.x, a.low.y < b.low.y ? a.low.y : b.low.y,
                 a.low.z < b.low.z ? a.low.z : b.low.z);
    a.high = vec3(a.high.x > b.high.x ? a.high.x : b.high.x, a.high.y > b.high.y ? a.high.y : b.high.y,
                  a.high.z > b.high.z ? a.high.z : b.high.z);
    return a;
}

static sn_bounds grow(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

/* ---- How far particles reach ------------------------------------------------------------------------------------------ */

typedef struct finding {
    sn_world *world;
    sn_contacts *contacts;
    sn_real dt;
    bool counting;           /* walls: count them, or write them */
    atomic_bool has_spheres; /* some particle can meet others, */
    atomic_bool has_choice;  /*   and some of those may have their reasons not to */
    atomic_bool too_far;     /* some particle is beyond SN_CONTACT_REACH, or may come there */
} finding;

/* m: how far forces carry it, beyond its velocity. */
static sn_real forced_way(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    sn_real speed_up = vec3_length(world->state.settings.gravity);
    if (world->state.forces_pending)
        speed_up += vec3_length(p->force[slot]) * p->x[slot].w;
    return speed_up * dt * dt;
}

sn_real sn_contacts_way(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    sn_real room = SLACK * p->radius[slot];
    if (p->target[slot]) {
        const sn_target *target = (const sn_target *)world->target_table.column[0] + p->target[slot] - 1;
        return room + vec3_length(vec3_sub(target->place, vec4_xyz(p->x[slot])));
    }
    return vec3_length(vec4_xyz(p->v[slot])) * dt + forced_way(world, slot, dt) + room;
}

static sn_real way_of(const finding *f, uint32_t slot)
{
    return sn_contacts_way(f->world, slot, f->dt);
}

static bool is_too_far(const finding *f, uint32_t slot)
{
    const sn_particle_store *p = &f->world->particles;
    return !contact_reaches(vec4_xyz(p->x[slot])) || !(p->radius[slot] + way_of(f, slot) <= (sn_real)SN_CONTACT_REACH);
}

/* The first particle that is too far: which one it is, is found after the loop. */
static sn_result blame_too_far(const finding *f)
{
    const sn_particle_store *p = &f->world->particles;
    uint32_t slot = 0;
    while (slot + 1 < p->table.count && !is_too_far(f, slot))
        ++slot;
    char what[SN_ERROR_SIZE];
    sn_vec3 x = vec4_xyz(p->x[slot]);
    snprintf(what, sizeof what,
             "it is at (%g, %g, %g) m and reaches %g m in this step; contact computes up to %g m from the origin",
             (double)x.x, (double)x.y, (double)x.z, (double)(p->radius[slot] + way_of(f, slot)), SN_CONTACT_REACH);
    return sn_world_blame(f->world, slot, what);
}

/* The box around places and the box around velocities of some particles, and their largest radius. */
typedef struct extremes {
    sn_real low[4], high[4], slowest[4], fastest[4], radius;
} extremes;

static extremes extremes_of(const sn_particle_store *p, uint32_t first, uint32_t end)
{
    const sn_real far = (sn_real)INFINITY;
    extremes e = {{far, far, far, far}, {-far, -far, -far, -far}, {0}, {0}, 0};
    for (uint32_t slot = first; slot < end; ++slot) {
        const sn_real *x = &p->x[slot].x, *v = &p->v[slot].x;
        for (uint32_t k = 0; k < 4; ++k) { /* the fourth for the sake of vectors */
            e.low[k] = x[k] < e.low[k] ? x[k] : e.low[k];
            e.high[k] = x[k] > e.high[k] ? x[k] : e.high[k];
            e.slowest[k] = v[k] < e.slowest[k] ? v[k] : e.slowest[k];
            e.fastest[k] = v[k] > e.fastest[k] ? v[k] : e.fastest[k];
        }
    }
    for (uint32_t slot = first; slot < end; ++slot)
        e.radius = p->radius[slot] > e.radius ? p->radius[slot] : e.radius;
    return e;
}

static void include(sn_bounds *box, sn_vec3 p, sn_real by)
{
    *box = unite(*box, grow((sn_bounds){p, p}, by));
}

/* Where the particles of a piece may come in the step, with their radii. */
static sn_bounds box_of(const finding *f, uint32_t first, uint32_t end)
{
    const sn_world *world = f->world;
    const sn_real fall = vec3_length(world->state.settings.gravity) * f->dt * f->dt;
    const extremes e = extremes_of(&world->particles, first, end);
    const sn_real by = e.radius * (1 + SLACK) + fall;
    sn_bounds box = {
        vec3(e.low[0] + e.slowest[0] * f->dt, e.low[1] + e.slowest[1] * f->dt, e.low[2] + e.slowest[2] * f->dt),
        vec3(e.high[0] + e.fastest[0] * f->dt, e.high[1] + e.fastest[1] * f->dt, e.high[2] + e.fastest[2] * f->dt)};
    box = grow(box, by);
    for (uint32_t slot = first; slot < end && (world->state.forces_pending || world->target_table.count); ++slot)
        include(&box, vec4_xyz(world->particles.x[slot]), world->particles.radius[slot] + way_of(f, slot));
    return box;
}

static void measure_piece(void *data, uint32_t first, uint32_t end)
{
    finding *f = data;
    sn_bounds *box = f->contacts->box_table.column[0];
    for (uint32_t from = first; from < end; from += SN_CONTACT_PIECE) {
        const uint32_t to = end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE;
        sn_bounds *here = &box[from / SN_CONTACT_PIECE];
        *here = box_of(f, from, to);
        if (contact_reaches(here->low) && contact_reaches(here->high))
            continue;
        for (uint32_t slot = from; slot < to; ++slot)
            if (is_too_far(f, slot))
                atomic_store_explicit(&f->too_far, true, memory_order_relaxed);
    }
}

/* The spheres in which pairs are looked for. */
static void fill_spheres(void *data, uint32_t first, uint32_t end)
{
    finding *f = data;
    const sn_particle_store *p = &f->world->particles;
    sn_vec4 *sphere = f->contacts->sphere_table.column[0];
    bool any = false, choice = false;
    for (uint32_t slot = first; slot < end; ++slot) {
        sphere[slot] = p->x[slot];
        sphere[slot].w = p->radius[slot] > 0 ? p->radius[slot] + way_of(f, slot) : -1;
        any = any || p->radius[slot] > 0;
        choice = choice || p->x[slot].w == 0 || p->group[slot] != 0;
    }
    if (any)
        atomic_store_explicit(&f->has_spheres, true, memory_order_relaxed);
    if (choice)
        atomic_store_explicit(&f->has_choice, true, memory_order_relaxed);
}

/* ---- What was pushed in the step before ------------------------------------------------------------------------------------ */

/* Lost tasks are done here: what was pushed is known, and must not be forgotten in part. */
static void share_loop(sn_world *world, uint32_t count, sn_piece_fn *piece)
{
    if (!sn_parallel_for(&world->parallel, count, piece, world))
        sn_parallel_repair(&world->parallel);
}

static void share_pairs(sn_world *world, sn_piece_fn *piece)
{
    batch_loop loop;
    if (!run_batches(world, &loop, piece, world))
        sn_parallel_repair(&world->parallel);
}

/* Entries are counted by slot, and then written to where those of their particle belong: start[slot + 1] is where the next
   one goes. */
static void count_press(const sn_world *world, uint32_t slot)
{
    atomic_uint *start = world->contact.press_start_table.column[0];
    atomic_fetch_add_explicit(&start[slot + 2], 1, memory_order_relaxed);
}

static sn_press *open_press(const sn_world *world, uint32_t slot)
{
    atomic_uint *start = world->contact.press_start_table.column[0];
    uint32_t at = atomic_fetch_add_explicit(&start[slot + 1], 1, memory_order_relaxed);
    return (sn_press *)world->contact.press_table.column[0] + at;
}

/* Who came first to write is chance: those of a particle are sorted. */
static void sort_press(void *data, uint32_t first, uint32_t end)
{
    const sn_contact_world *c = &((const sn_world *)data)->contact;
    const uint32_t *start = c->press_start_table.column[0];
    sn_press *press = c->press_table.column[0];
    for (uint32_t slot = first; slot < end; ++slot)
        for (uint32_t i = start[slot] + 1; i < start[slot + 1]; ++i) {
            sn_press here = press[i];
            uint32_t at = i;
            for (; at > start[slot] && press[at - 1].other > here.other; --at)
                press[at] = press[at - 1];
            press[at] = here;
        }
}

static void clear_starts(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.press_start_table.column[0];
    memset(start + first, 0, (end - first) * sizeof *start);
}

/* Sums from the start of each piece on. (One thread does all of them as one.) */
static void add_up_pieces(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.press_start_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (i % SN_PIECE)
            start[i] += start[i - 1];
}

/* The last of a piece has what comes before it already. */
static void add_before_pieces(void *data, uint32_t first, uint32_t end)
{
    uint32_t *start = ((const sn_world *)data)->contact.press_start_table.column[0];
    for (uint32_t from = first < SN_PIECE ? SN_PIECE : first; from < end; from += SN_PIECE) {
        const uint32_t last = end - from < SN_PIECE ? end - 1 : from + SN_PIECE - 1, before = start[from - 1];
        for (uint32_t i = from; i < last; ++i)
            start[i] += before;
    }
}

/* Numbers become sums of all up to each. */
static void add_up(sn_world *world, uint32_t count)
{
    uint32_t *start = world->contact.press_start_table.column[0];
    share_loop(world, count, add_up_pieces);
    for (uint32_t from = SN_PIECE; from < count; from += SN_PIECE)
        start[count - from < SN_PIECE ? count - 1 : from + SN_PIECE - 1] += start[from - 1];
    share_loop(world, count, add_before_pieces);
}

/* Before entries are written, and after: how many there are, and where those of each particle begin, is known then. Behind the last
   particle come those of particles that are gone. */
static void begin_press(sn_world *world)
{
    world->contact.press_table.count = world->contact.press_start_table.count = 0;
    share_loop(world, world->particles.table.count + 3, clear_starts);
}

static void place_press(sn_world *world)
{
    const uint32_t *start = world->contact.press_start_table.column[0], count = world->particles.table.count;
    add_up(world, count + 3);
    world->contact.press_table.count = start[count + 2];
}

static void end_press(sn_world *world)
{
    world->contact.press_start_table.count =
        world->particles.table.count + 1; /* where the last ones end is kept, too */
    share_loop(world, world->particles.table.count, sort_press);
}

static bool reserve_starts(sn_world *world)
{
    uint64_t count = (uint64_t)world->particles.table.count + 3;
    return sn_table_reserve(&world->contact.press_start_table, &world->allocator, count) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, (uint32_t)count);
}

/* Where an entry's particle is stored; behind the last one if it was removed. Those are kept until a step has succeeded, in which
   whatever sleeps on the removed particle is told. */
static uint32_t press_slot(const sn_world *world, const sn_press *press)
{
    return sn_ids_is_live(&world->ids, press->number) ? world->ids.value[press->number] : world->particles.table.count;
}

static void copy_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_table *table = &((const sn_world *)data)->contact.press_table;
    memcpy((sn_press *)table->column[1] + first, (sn_press *)table->column[0] + first,
           (end - first) * sizeof(sn_press));
}

static void count_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_press *aside = world->contact.press_table.column[1];
    for (uint32_t i = first; i < end; ++i)
        count_press(world, press_slot(world, &aside[i]));
}

static void write_aside(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_press *aside = world->contact.press_table.column[1];
    for (uint32_t i = first; i < end; ++i)
        *open_press(world, press_slot(world, &aside[i])) = aside[i];
}

/* Brings entries into the order of storage, if that is another one now. */
static bool index_press(sn_world *world)
{
    const sn_contact_world *c = &world->contact;
    uint32_t count = c->press_table.count;
    if (!count || c->press_start_table.count)
        return true;
    if (!reserve_starts(world) || !sn_parallel_reserve(&world->parallel, &world->allocator, count))
        return false;
    share_loop(world, count, copy_aside);
    begin_press(world);
    share_loop(world, count, count_aside);
    place_press(world);
    share_loop(world, count, write_aside);
    end_press(world);
    return true;
}

/* The generation of who is named so in an entry: numbers are used again. */
static uint32_t generation_of(const sn_world *world, uint32_t other)
{
    const sn_ids *colliders = &world->contact.collider_ids;
    uint32_t number = other & ~(SN_PRESS_COLLIDER | SN_PRESS_TRIANGLE);
    if (other & SN_PRESS_COLLIDER)
        return number < colliders->table.count ? colliders->generation[number] : 0;
    if (other & SN_PRESS_TRIANGLE)
        return world->contact.skin_generation;
    return number < world->ids.table.count ? world->ids.generation[number] : 0;
}

const sn_press *sn_contacts_recall(const sn_world *world, uint32_t slot, uint32_t other)
{
    const sn_contact_world *c = &world->contact;
    const uint32_t *start = c->press_start_table.column[0];
    const sn_press *press = c->press_table.column[0];
    if (slot + 1 >= c->press_start_table.count)
        return NULL;
    for (uint32_t i = start[slot]; i < start[slot + 1]; ++i)
        if (press[i].other == other)
            return press[i].generation == generation_of(world, world->particles.index[slot]) &&
                           press[i].other_generation == generation_of(world, other)
                       ? &press[i]
                       : NULL;
    return NULL;
}

sn_real sn_contacts_recall_factor(const sn_world *world, sn_real dt)
{
    sn_real h = dt / (sn_real)world->state.settings.substeps;
    sn_real old = world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
    return old > 0 ? h * h / (old * old) : 0;
}

/* ---- Pairs of particles ------------------------------------------------------------------------------------------------- */

/* Whether a constraint joins two particles. */
static bool are_joined(const sn_world *world, uint32_t a, uint32_t b)
{
    const uint32_t *number = world->particles.index;
    return sn_incidence_joins(&world->incidence, &world->constraints, number[a], number[b]);
}

static bool near_in_rest(const sn_contact_world *c, const sn_particle_store *p, uint32_t a, uint32_t b, sn_real gap)
{
    uint32_t na = p->index[a], nb = p->index[b], count = c->rest_table.count;
    const sn_vec4 *rest = c->rest_table.column[0];
    if (na >= count || nb >= count || rest[na].w == 0 || rest[nb].w == 0)
        return false;
    sn_vec3 d = vec3_sub(vec4_xyz(rest[na]), vec4_xyz(rest[nb]));
    sn_real reach = p->radius[a] + p->radius[b] + gap;
    return vec3_dot(d, d) < reach * reach;
}

static bool is_wanted(void *data, uint32_t a, uint32_t b)
{
    const sn_world *world = data;
    const sn_particle_store *p = &world->particles;
    if (p->x[a].w == 0 && p->x[b].w == 0 && !sn_sleep_asks(world, (uint32_t[]){a, b}, 2))
        return false;
    const sn_group_contact *ga = sn_contact_group(&world->contact, p->group[a]), *gb = ga;
    if (p->group[a] == p->group[b]) {
        if (!ga->self || near_in_rest(&world->contact, p, a, b, ga->rest_gap))
            return false;
    } else {
        gb = sn_contact_group(&world->contact, p->group[b]);
    }
    return sn_contacts_agree(ga->category, ga->mask, gb->category, gb->mask) && !are_joined(world, a, b);
}

/* Whether that is said of every pair, as in sand, which saves asking. */
static bool wants_all(finding *f)
{
    const sn_world *world = f->world;
    const sn_contact_world *c = &world->contact;
    return !atomic_load_explicit(&f->has_choice, memory_order_relaxed) && !c->group_table.count &&
           !c->rest_table.count && !world->constraints.counts.live;
}

static sn_real *pair_column(const sn_contacts *c, int column)
{
    return c->pair_table.column[column];
}

static void fill_batch(const sn_world *world, sn_contacts *c, uint32_t batch, sn_real factor)
{
    const sn_near_batch *pairs = &c->near.batch[batch];
    const sn_particle_store *p = &world->particles;
    for (uint32_t i = 0; i < SN_NEAR; ++i) {
        size_t at = (size_t)batch * SN_NEAR + i;
        uint32_t a = pairs->a[i], b = pairs->b[i];
        pair_column(c, PAIR_REACH)[at] = p->radius[a] + p->radius[b];
        pair_column(c, PAIR_IMPULSE)[at] = 0;
        const sn_press *old = sn_contacts_recall(world, a, p->index[b]);
        if (p->x[a].w == 0 && p->x[b].w == 0) /* one of them sleeps: only to see whether it wakes */
            old = NULL;
        sn_vec3 rubbed = old ? vec3_scale(old->rubbed, factor) : vec3(0, 0, 0);
        pair_column(c, PAIR_PRESSED)[at] = old ? old->pressed * factor : 0;
        pair_column(c, PAIR_LAST)[at] = old ? old->last * factor : 0;
        for (uint32_t k = 0; k < 3; ++k)
            pair_column(c, PAIR_RUBBED)[((size_t)batch * 3 + k) * SN_NEAR + i] = (&rubbed.x)[k];
        if (!c->varied)
            continue;
        sn_grip grip = sn_contacts_grip(&sn_contact_group(&world->contact, p->group[a])->material,
                                        &sn_contact_group(&world->contact, p->group[b])->material);
        pair_column(c, PAIR_HOLD)[at] = grip.hold;
        pair_column(c, PAIR_DRAG)[at] = grip.drag;
        pair_column(c, PAIR_RESTITUTION)[at] = grip.restitution;
    }
}

static void fill_batches(void *data, uint32_t first, uint32_t end)
{
    finding *f = data;
    sn_real factor = sn_contacts_recall_factor(f->world, f->dt);
    for (uint32_t b = first; b < end; ++b)
        fill_batch(f->world, f->contacts, b, factor);
}

sn_graze sn_contacts_take_pair(sn_world *world, uint32_t batch, uint32_t lane)
{
    sn_contacts *c = &world->contacts;
    const sn_particle_store *p = &world->particles;
    const sn_near_batch *pairs = &c->near.batch[batch];
    size_t at = (size_t)batch * SN_NEAR + lane;
    uint32_t a = pairs->a[lane], b = pairs->b[lane];
    const sn_real *rubbed = pair_column(c, PAIR_RUBBED) + (size_t)batch * 3 * SN_NEAR + lane;
    sn_graze g = {.slot = {a, b, b, b},
                  .triangle = SN_GRAZE_PAIR,
                  .side = 1,
                  .reach = p->radius[a] + p->radius[b],
                  .grip = sn_contacts_grip(&sn_contact_group(&world->contact, p->group[a])->material,
                                           &sn_contact_group(&world->contact, p->group[b])->material),
                  .pressed = pair_column(c, PAIR_PRESSED)[at],
                  .last = pair_column(c, PAIR_LAST)[at],
                  .rubbed = vec3(rubbed[0], rubbed[SN_NEAR], rubbed[2 * SN_NEAR]),
                  .weight = {1, 0, 0}};
    const sn_press *old = sn_contacts_recall(world, a, p->index[b]);
    g.rolled = old ? old->rolled : vec3(0, 0, 0);
    pair_column(c, PAIR_REACH)[at] = pair_column(c, PAIR_PRESSED)[at] = pair_column(c, PAIR_LAST)[at] = 0;
    return g;
}

/* The materials of groups that collide: one grip for all pairs, or one for each. */
static void look_at_materials(sn_world *world, sn_contacts *c)
{
    const sn_group_record *group = world->contact.group_table.column[0];
    sn_contact_material plain = sn_default_contact_material();
    c->varied = world->contact.group_table.count > 0;
    c->grip = sn_contacts_grip(&plain, &plain);
    c->bounces = false;
    for (uint32_t i = 0; i < world->contact.group_table.count; ++i)
        c->bounces = c->bounces || group[i].contact.material.restitution > 0;
}

/* Whether anybody can be pushed: not if all sleep. */
static bool anybody_moves(const sn_world *world)
{
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        if (world->particles.x[slot].w > 0)
            return true;
    return false;
}

static sn_result find_pairs(finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    bool lost = false;
    sn_near_input input = {.count = world->particles.table.count,
                           .sphere = c->sphere_table.column[0],
                           .number = world->particles.index,
                           .wanted = wants_all(f) ? NULL : is_wanted,
                           .data = world};
    c->near.pairs = c->near.batches = c->near.blocks = c->near.colours = 0;
    if (!world->contact.settings.particles || !atomic_load_explicit(&f->has_spheres, memory_order_relaxed) ||
        (world->contact.sleep.sleepers && !world->contact.sleep.news && !anybody_moves(world)))
        return SN_OK;
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    if (!sn_neighbours_find(&c->near, &world->allocator, &world->parallel, &input, &lost))
        return lost ? world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop")
                    : world_fail(world, SN_ERROR_MEMORY, "no memory for contact of particles");
    if (!sn_table_reserve(&c->pair_table, &world->allocator, c->near.batches) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, c->near.blocks))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u pairs of particles in contact", c->near.pairs);
    batch_loop loop;
    if (!run_batches(world, &loop, fill_batches, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    return SN_OK;
}

/* ---- Colliders -------------------------------------------------------------------------------------------------------- */

static sn_collider_motion *motions(const sn_contacts *c)
{
    return c->motion_table.column[0];
}

static const sn_collider_record *record_of(const sn_world *world, uint32_t number)
{
    return &contact_colliders(&world->contact)[world->contact.collider_ids.value[number]];
}

/* The distance of its farthest point from its own origin; unbounded for planes. */
static sn_real extent(const sn_shape *shape)
{
    sn_bounds b = sn_shape_bounds(shape);
    sn_vec3 most = vec3(fmax((double)-b.low.x, (double)b.high.x), fmax((double)-b.low.y, (double)b.high.y),
                        fmax((double)-b.low.z, (double)b.high.z));
    return vec3_length(most);
}

/* What a collider does in a step. */
static sn_collider_motion motion_of(const sn_collider_record *r, sn_real dt)
{
    sn_pose now = {r->def.position, r->def.rotation};
    sn_collider_motion m = {.step_start = now, .step_end = now, .start = now, .end = now, .live = true};
    if (r->has_target) {
        m.step_end = r->target;
        m.velocity = vec3_scale(vec3_sub(r->target.position, now.position), 1 / dt);
        m.spin = vec3_scale(sn_quat_between(now.rotation, r->target.rotation), 1 / dt);
    } else {
        m.velocity = r->def.velocity;
        m.spin = r->def.spin;
        m.step_end.position = vec3_add(now.position, vec3_scale(m.velocity, dt));
        m.step_end.rotation = sn_quat_turned(now.rotation, vec3_scale(m.spin, dt));
    }
    sn_real turns = vec3_length(m.spin);
    m.normal = sn_quat_turn(now.rotation, vec3(0, 1, 0));
    m.plain = r->shape.type == SN_COLLIDER_PLANE && !(turns > 0);
    m.moves = turns > 0 || vec3_length(m.velocity) > 0;
    m.bounces = r->def.material.restitution > 0;
    m.speed = vec3_length(m.velocity) + (turns > 0 ? turns * extent(&r->shape) : 0);
    m.swept = sn_shape_bounds_at(&r->shape, &now);
    if (m.moves) { /* a point of it strays from the straight line between start and end by no more than it turns */
        sn_real bow = turns > 0 ? turns * dt * extent(&r->shape) : 0;
        m.swept = grow(unite(m.swept, sn_shape_bounds_at(&r->shape, &m.step_end)), bow);
    }
    return m;
}

/* Colliders move on in every step, whether anything is near or not. */
static sn_result check_colliders(const finding *f)
{
    const sn_contacts *c = f->contacts;
    for (uint32_t number = 0; c->beyond && number < c->motion_table.count; ++number) {
        const sn_collider_motion *m = &motions(c)[number];
        sn_vec3 end = m->step_end.position;
        if (m->live && m->beyond)
            return world_fail(
                f->world, SN_ERROR_DIVERGED,
                "at %g s collider %u: it would come to (%g, %g, %g) m at (%g, %g, %g) rad/s; contact computes "
                "up to %g m from the origin",
                f->world->state.time, number, (double)end.x, (double)end.y, (double)end.z, (double)m->spin.x,
                (double)m->spin.y, (double)m->spin.z, SN_CONTACT_REACH);
    }
    return SN_OK;
}

/* What a collider does in this step, anew. */
static void follow_collider(finding *f, uint32_t number)
{
    sn_contacts *c = f->contacts;
    sn_collider_motion *m = &motions(c)[number], was = *m;
    if (sn_ids_is_live(&f->world->contact.collider_ids, number)) {
        *m = motion_of(record_of(f->world, number), f->dt);
        m->beyond = !(contact_reaches(m->step_start.position) && contact_reaches(m->step_end.position) &&
                      vec3_length(m->spin) * f->dt <= (sn_real)SN_CONTACT_REACH);
        sn_collider_tree_set(&c->colliders, number, &m->swept, m->moves);
    } else {
        *m = (sn_collider_motion){0};
        sn_collider_tree_remove(&c->colliders, number);
    }
    c->bouncing += (uint32_t)m->bounces - (uint32_t)was.bounces;
    c->beyond += (uint32_t)m->beyond - (uint32_t)was.beyond;
    m->listed = was.listed;
    if (m->moves && !m->listed) {
        ((uint32_t *)c->mover_table.column[0])[c->mover_table.count++] = number;
        m->listed = true;
    }
}

/* Those that move go on, or stand from now on. */
static void follow_movers(finding *f)
{
    sn_contacts *c = f->contacts;
    uint32_t *mover = c->mover_table.column[0], count = c->mover_table.count, kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        follow_collider(f, mover[i]);
        motions(c)[mover[i]].listed = motions(c)[mover[i]].moves;
        if (motions(c)[mover[i]].moves)
            mover[kept++] = mover[i];
    }
    c->mover_table.count = kept;
}

static void forget_colliders(sn_contacts *c)
{
    c->motion_table.count = c->mover_table.count = c->bouncing = c->beyond = 0;
    sn_collider_tree_clear(&c->colliders);
}

/* Brings motions and the tree up to date: those of colliders that were edited, and of those that move. */
static bool prepare_colliders(finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    sn_contact_world *contact = &world->contact;
    const uint32_t count = contact->collider_ids.table.count, room = contact->edited_table.capacity;
    if (contact->all_edited)
        forget_colliders(c);
    if (!sn_table_reserve(&c->motion_table, &world->allocator, count) ||
        !sn_table_reserve(&c->mover_table, &world->allocator, count) ||
        !sn_table_reserve(&contact->edited_table, &world->allocator, count) ||
        !sn_collider_tree_reserve(&c->colliders, &world->allocator, count))
        return false;
    for (; c->motion_table.count < count; c->motion_table.count++)
        motions(c)[c->motion_table.count] = (sn_collider_motion){0};
    uint32_t *edited = contact->edited_table.column[0];
    bool *noted = contact->edited_table.column[1];
    for (uint32_t number = 0; contact->all_edited && number < count; ++number)
        follow_collider(f, number);
    for (uint32_t i = 0; i < contact->edited_table.count && !contact->all_edited; ++i)
        follow_collider(f, edited[i]);
    follow_movers(f);
    if (contact->all_edited || contact->edited_table.capacity > room)
        memset(noted, 0, contact->edited_table.capacity * sizeof *noted);
    for (uint32_t i = 0; i < contact->edited_table.count; ++i)
        noted[edited[i]] = false;
    contact->edited_table.count = 0;
    contact->all_edited = false;
    return sn_collider_tree_build(&c->colliders, &world->allocator);
}

/* Looking for the colliders of one particle. */
typedef struct looking {
    finding *f;
    uint32_t slot;
    sn_real reach; /* m: radius and way */
    sn_wall *to;   /* NULL: only count */
    uint32_t found;
} looking;

static bool look_at(void *data, uint32_t number)
{
    looking *l = data;
    sn_world *world = l->f->world;
    const sn_collider_motion *m = &motions(l->f->contacts)[number];
    const sn_collider_record *r = record_of(world, number);
    const sn_particle_store *p = &world->particles;
    sn_touch touch;
    sn_vec3 x = vec4_xyz(p->x[l->slot]);
    sn_real reach = l->reach + m->speed * l->f->dt;
    if (r->shape.type == SN_COLLIDER_PLANE &&
        vec3_dot(vec3_sub(x, m->step_start.position), m->normal) - r->shape.thickness > reach)
        return true; /* the usual case, quickly */
    const sn_group_contact *group = sn_contact_group(&world->contact, p->group[l->slot]);
    if (!sn_contacts_agree(group->category, group->mask, r->def.category, r->def.mask))
        return true;
    if (!isfinite(reach)) /* of a plane that turns */
        reach = (sn_real)INFINITY;
    if (!sn_shape_near(&r->shape, sn_pose_to_own(&m->step_start, x), reach, &touch) || touch.distance > reach)
        return true;
    if (l->to) {
        const sn_press *old = sn_contacts_recall(world, l->slot, SN_PRESS_COLLIDER | number);
        sn_real factor = sn_contacts_recall_factor(world, l->f->dt);
        l->to[l->found] = (sn_wall){.slot = l->slot,
                                    .number = number,
                                    .grip = sn_contacts_grip(&group->material, &r->def.material),
                                    .sensor = r->def.sensor,
                                    .normal = old ? old->normal : vec3(0, 0, 0),
                                    .pressed = old ? old->pressed * factor : 0,
                                    .last = old ? old->last * factor : 0,
                                    .rolled = old ? old->rolled : vec3(0, 0, 0),
                                    .rubbed = old ? vec3_scale(old->rubbed, factor) : vec3(0, 0, 0)};
    }
    l->found++;
    return true;
}

/* By the number of the collider, and then as they are, by slot: merging, bottom up. */
static void sort_piece(sn_wall *wall, uint32_t count, sn_wall *scratch)
{
    sn_wall *from = wall, *to = scratch;
    bool sorted = true;
    for (uint32_t i = 1; i < count; ++i)
        sorted = sorted && wall[i - 1].number <= wall[i].number;
    for (uint32_t width = 1; !sorted && width < count; width *= 2) {
        for (uint32_t low = 0; low < count; low += 2 * width) {
            uint32_t a = low, middle = low + width < count ? low + width : count, b = middle;
            uint32_t high = low + 2 * width < count ? low + 2 * width : count;
            for (uint32_t i = low; i < high; ++i)
                to[i] = a < middle && (b >= high || from[a].number <= from[b].number) ? from[a++] : from[b++];
        }
        sn_wall *swap = from;
        from = to;
        to = swap;
    }
    if (from != wall)
        memcpy(wall, from, count * sizeof *wall);
}

static bool overlaps(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The colliders near a piece of particles. */
typedef struct nearby {
    const finding *f;
    const sn_bounds *box; /* of the piece */
    uint32_t count;       /* more than NEARBY: not all of them are here */
    uint32_t number[NEARBY];
} nearby;

/* Whether a box is all above a plane. */
static bool is_above(const nearby *near, uint32_t number)
{
    const sn_collider_motion *m = &motions(near->f->contacts)[number];
    const sn_vec3 n = m->normal;
    if (!m->plain)
        return false;
    sn_vec3 low = vec3(n.x > 0 ? near->box->low.x : near->box->high.x, n.y > 0 ? near->box->low.y : near->box->high.y,
                       n.z > 0 ? near->box->low.z : near->box->high.z);
    return vec3_dot(vec3_sub(low, m->step_start.position), n) - record_of(near->f->world, number)->shape.thickness >
           m->speed * near->f->dt;
}

static bool add_nearby(void *data, uint32_t number)
{
    nearby *near = data;
    if (is_above(near, number))
        return true;
    if (near->count < NEARBY)
        near->number[near->count] = number;
    near->count++;
    return near->count <= NEARBY;
}

static nearby colliders_near(const finding *f, uint32_t piece)
{
    nearby near;
    near.f = f;
    near.box = (const sn_bounds *)f->contacts->box_table.column[0] + piece;
    near.count = 0;
    sn_collider_tree_overlap(&f->contacts->colliders, near.box, add_nearby, &near);
    return near;
}

static uint32_t look_around(finding *f, uint32_t slot, const nearby *near, sn_wall *to)
{
    const sn_particle_store *p = &f->world->particles;
    sn_contacts *c = f->contacts;
    looking l = {.f = f, .slot = slot, .reach = p->radius[slot] + way_of(f, slot), .to = to};
    sn_vec3 x = vec4_xyz(p->x[slot]);
    sn_bounds box = grow((sn_bounds){x, x}, l.reach);
    if (p->x[slot].w == 0 || p->body[slot]) /* bodies: meets.c */
        return 0;
    if (near->count > NEARBY)
        sn_collider_tree_overlap(&c->colliders, &box, look_at, &l);
    for (uint32_t i = 0; i < near->count && near->count <= NEARBY; ++i)
        if (overlaps(&motions(c)[near->number[i]].swept, &box))
            look_at(&l, near->number[i]);
    return l.found;
}

/* Which particles of a piece found some when they were counted: the others need not look again. */
typedef struct wall_finders {
    uint64_t bits[SN_CONTACT_PIECE / 64];
} wall_finders;

static void walls_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    finding *f = data;
    uint32_t *start = f->contacts->piece_table.column[0], count = f->world->particles.table.count;
    uint32_t first = index * SN_CONTACT_PIECE,
             end = count - first < SN_CONTACT_PIECE ? count : first + SN_CONTACT_PIECE, found = 0;
    wall_finders *finders = (wall_finders *)f->contacts->piece_table.column[1] + index;
    sn_wall *wall = f->counting ? NULL : (sn_wall *)f->contacts->wall_table.column[0] + start[index];
    if (f->counting)
        memset(finders, 0, sizeof *finders);
    const nearby near = colliders_near(f, index);
    for (uint32_t slot = near.count ? first : end; slot < end; ++slot) {
        uint64_t *word = &finders->bits[(slot - first) / 64], bit = UINT64_C(1) << slot % 64;
        if (!f->counting && !(*word & bit))
            continue;
        uint32_t here = look_around(f, slot, &near, wall ? wall + found : NULL);
        *word |= here ? bit : 0;
        found += here;
    }
    if (f->counting)
        start[index] = found;
    else
        sort_piece(wall, found, (sn_wall *)f->contacts->wall_table.column[1] + start[index]);
}

/* Counted first, then written, so that each has its place. */
static sn_result find_walls(finding *f)
{
    sn_world *world = f->world;
    sn_contacts *c = f->contacts;
    uint32_t count = world->particles.table.count, total = 0;
    c->walls = 0;
    c->pieces = (count + SN_CONTACT_PIECE - 1) / SN_CONTACT_PIECE;
    if (!world->contact.collider_ids.live || !count) {
        c->pieces = 0;
        return SN_OK;
    }
    if (!sn_table_reserve(&c->piece_table, &world->allocator, c->pieces + 1) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, c->pieces))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact with colliders");
    f->counting = true;
    if (!sn_parallel_tasks(share(world, count * WORK_OF_LOOK), c->pieces, walls_piece, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    uint32_t *start = c->piece_table.column[0];
    for (uint32_t i = 0; i < c->pieces; ++i) {
        uint32_t here = start[i];
        start[i] = total;
        total += here;
    }
    start[c->pieces] = total;
    if (!sn_table_reserve(&c->wall_table, &world->allocator, total))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u contacts with colliders", total);
    f->counting = false;
    if (total && !sn_parallel_tasks(share(world, count * WORK_OF_LOOK), c->pieces, walls_piece, f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    c->walls = total;
    return SN_OK;
}

sn_result sn_contacts_find(sn_world *world, sn_real dt)
{
    sn_contacts *c = &world->contacts;
    finding f = {.world = world, .contacts = c, .dt = dt};
    uint32_t count = world->particles.table.count;
    sn_stage_enter(world, SN_STAGE_BROAD_PHASE);
    c->any = false;
    c->walls = c->near.batches = c->grazes = 0;
    look_at_materials(world, c);
    c->spins = sn_spin_any(world);
    if (!prepare_colliders(&f)) {
        world->contact.all_edited = true;
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u colliders", world->contact.collider_ids.live);
    }
    c->bounces = c->bounces || c->bouncing;
    sn_result result = check_colliders(&f);
    if (result != SN_OK)
        return result;
    if (!world->contact.settings.on || !count ||
        !(world->contact.collider_ids.live || world->contact.skin_ids.live || world->contact.has_radii ||
          world->bodies.part_table.count))
        return SN_OK;
    if (!sn_table_reserve(&c->box_table, &world->allocator, count / SN_CONTACT_PIECE + 1) ||
        !sn_table_reserve(&c->sphere_table, &world->allocator, world->contact.has_radii ? count : 0) ||
        !index_press(world) || !sn_spin_reserve(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    if (!sn_parallel_for(&world->parallel, count, measure_piece, &f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    if (atomic_load_explicit(&f.too_far, memory_order_relaxed))
        return blame_too_far(&f);
    if (world->contact.has_radii && !sn_parallel_for(&world->parallel, count, fill_spheres, &f))
        return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
    world->contact.has_radii = atomic_load_explicit(&f.has_spheres, memory_order_relaxed);
    sn_sleep_meet_colliders(world, dt);
    do { /* again, if somebody who moves wakes others */
        result = find_walls(&f);
        if (result == SN_OK)
            result = find_pairs(&f);
        if (result == SN_OK)
            result = sn_grazes_find(world, dt);
    } while (result == SN_OK && sn_sleep_meet(world, dt));
    if (result != SN_OK) {
        c->walls = c->near.batches = c->grazes = 0;
        return result;
    }
    c->any = c->walls || c->near.batches || c->grazes || c->watches;
    return SN_OK;
}

/* ---- A substep ---------------------------------------------------------------------------------------------------------- */

/* One loop of a substep on its way. */
typedef struct passing {
    sn_world *world;
    sn_contacts *contacts;
    const sn_wide_contact *wide;
    sn_wide_contacts_fn *run;
    void (*wall)(const struct passing *p, sn_wall *wall);
    sn_wide_contacts pairs;
    uint32_t block; /* the first of the colour */
    sn_real h;
    bool first;
} passing;

static passing make_passing(sn_world *world, sn_real h)
{
    sn_contacts *c = &world->contacts;
    const sn_contact_settings *settings = &world->contact.settings;
    sn_real gravity = vec3_length(world->state.settings.gravity);
    passing p = {.world = world,
                 .contacts = c,
                 .wide = world->wide ? world->wide->contact : &sn_contact_scalar,
                 .h = h,
                 .pairs = {.index = c->near.batches ? c->near.batch[0].a : NULL,
                           .lanes = c->near.lanes,
                           .x = world->particles.x,
                           .x_low = world->particles.x_low,
                           .v = world->particles.v,
                           .bounces = c->bounces,
                           .reach = pair_column(c, PAIR_REACH),
                           .pressed = pair_column(c, PAIR_PRESSED),
                           .last = pair_column(c, PAIR_LAST),
                           .rubbed = pair_column(c, PAIR_RUBBED),
                           .hold_all = c->grip.hold,
                           .drag_all = c->grip.drag,
                           .restitution_all = c->grip.restitution,
                           .h = h,
                           .inverse_h = 1 / h,
                           .part = settings->push_out * h,
                           .ease = EASE,
                           .slop = SLOP,
                           .bounce_above = settings->bounce_above >= 0 ? settings->bounce_above : 2 * gravity * h}};
    if (c->varied) {
        p.pairs.hold = pair_column(c, PAIR_HOLD);
        p.pairs.drag = pair_column(c, PAIR_DRAG);
        p.pairs.restitution = pair_column(c, PAIR_RESTITUTION);
    }
    return p;
}

/* ---- For events: impulses of pairs */

sn_real sn_contacts_pair_impulse(const sn_contacts *c, uint32_t batch, uint32_t lane)
{
    return pair_column(c, PAIR_IMPULSE)[(size_t)batch * SN_NEAR + lane];
}

/* Adds an impulse that changed the speed between two by so much. */
static void add_impulse(const passing *p, uint32_t batch, uint32_t lane, sn_real change)
{
    const sn_near_batch *pairs = &p->contacts->near.batch[batch];
    const sn_vec4 *x = p->world->particles.x;
    sn_real give = x[pairs->a[lane]].w + x[pairs->b[lane]].w;
    if (give > 0)
        pair_column(p->contacts, PAIR_IMPULSE)[(size_t)batch * SN_NEAR + lane] += change / give;
}

static void count_pushes(void *data, uint32_t first, uint32_t end)
{
    const passing *p = data;
    for (uint32_t b = first; b < end; ++b)
        for (uint32_t i = 0; i < p->contacts->near.lanes[b]; ++i) {
            sn_real pressed = pair_column(p->contacts, PAIR_PRESSED)[(size_t)b * SN_NEAR + i];
            if (pressed > 0)
                add_impulse(p, b, i, pressed * p->pairs.inverse_h);
        }
}

/* A step begins, perhaps anew. */
static void forget_impulses(sn_contacts *c)
{
    sn_wall *wall = c->wall_table.column[0];
    sn_graze *graze = c->graze_table.column[0];
    for (uint32_t i = 0; i < c->walls; ++i) {
        wall[i].impulse = 0;
        wall[i].touched = false;
    }
    for (uint32_t i = 0; i < c->grazes; ++i)
        graze[i].impulse = 0;
    if (c->near.batches)
        memset(pair_column(c, PAIR_IMPULSE), 0, (size_t)c->near.batches * SN_NEAR * sizeof(sn_real));
}

static void run_block(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const passing *p = data;
    sn_wide_contacts run = p->pairs;
    run.first = p->contacts->near.block[p->block + index];
    run.end = p->contacts->near.block[p->block + index + 1];
    p->run(&run);
}

/* Colours one after the other; the blocks of one share no particle. */
static bool run_pairs(passing *p, sn_wide_contacts_fn *run)
{
    const sn_neighbours *near = &p->contacts->near;
    p->run = run;
    for (uint32_t c = 0; near->batches && c < near->colours; ++c) {
        uint32_t first = near->colour[c], end = near->colour[c + 1];
        double work = (near->block[end] - near->block[first]) * WORK_OF_PAIR * SN_NEAR;
        p->block = first;
        if (!sn_parallel_tasks(share(p->world, work), end - first, run_block, p))
            return false;
    }
    return true;
}

static void run_walls_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const passing *p = data;
    const uint32_t *start = p->contacts->piece_table.column[0];
    sn_wall *wall = p->contacts->wall_table.column[0];
    for (uint32_t i = start[index]; i < start[index + 1]; ++i)
        p->wall(p, &wall[i]);
}

static bool run_walls(passing *p, void (*one)(const passing *p, sn_wall *wall))
{
    p->wall = one;
    return !p->contacts->walls || sn_parallel_tasks(share(p->world, p->contacts->walls * WORK_OF_WALL),
                                                    p->contacts->pieces, run_walls_piece, p);
}

/* ---- A particle and a collider -------------------------------------------------------------------------------------------- */

static sn_vec3 surface_velocity(const sn_collider_motion *m, sn_vec3 p)
{
    if (!m->moves)
        return vec3(0, 0, 0);
    return vec3_add(m->velocity, vec3_cross(m->spin, vec3_sub(p, m->end.position)));
}

/* How far the spot of a collider that is now at p came in the substep. */
static sn_vec3 surface_way(const sn_collider_motion *m, sn_vec3 p, sn_real h)
{
    if (m->spin.x == 0 && m->spin.y == 0 && m->spin.z == 0)
        return vec3_scale(m->velocity, h);
    return vec3_sub(p, sn_pose_to_world(&m->start, sn_pose_to_own(&m->end, p)));
}

/* The gap between a particle and a collider, negative if they overlap. A particle that came far is followed along its way,
   as seen from the collider, and its gap is then that to the plane through where it entered. */
static sn_real gap_to(const sn_shape *shape, const sn_collider_motion *m, sn_vec3 from, sn_vec3 to, sn_real radius,
                      sn_touch *touch)
{
    if (shape->type == SN_COLLIDER_PLANE) { /* nothing can pass it unseen */
        touch->normal = vec3(0, 1, 0);
        touch->distance = vec3_dot(vec3_sub(to, m->end.position), m->normal) - shape->thickness;
        return touch->distance - radius;
    }
    sn_vec3 own = sn_pose_to_own(&m->end, to), start = sn_pose_to_own(&m->start, from), way = vec3_sub(own, start);
    sn_real length = vec3_length(way), t;
    if (length > (radius + shape->thickness) / 2) {
        sn_path path = {start, way, radius};
        if (sn_shape_cast(shape, &path, &t, touch)) {
            sn_vec3 centre = vec3_add(start, vec3_scale(way, t));
            return vec3_dot(vec3_sub(own, centre), touch->normal);
        }
    }
    sn_real reach = 2 * radius + length + shape->thickness;
    if (!sn_shape_near(shape, own, reach, touch)) {
        touch->distance = (sn_real)INFINITY;
        return reach - radius;
    }
    return touch->distance - radius;
}

/* Adds to a place, and what rounding drops of that to its remainder; see wide/contact.h. */
void sn_contacts_add(const sn_world *world, uint32_t slot, sn_vec3 by)
{
    sn_vec4 *x = &world->particles.x[slot], *low = &world->particles.x_low[slot];
    sn_vec3 was = vec4_xyz(*x), sum = vec3_add(was, by), dropped = vec3_sub(by, vec3_sub(sum, was));
    *x = vec4(sum, x->w);
    *low = vec4(vec3_add(vec4_xyz(*low), dropped), low->w);
}

static void move(const passing *p, const sn_wall *wall, sn_vec3 place, sn_vec3 push)
{
    sn_vec4 *v = &p->world->particles.v[wall->slot];
    sn_contacts_add(p->world, wall->slot, place);
    *v = vec4(vec3_add(vec4_xyz(*v), vec3_scale(push, p->pairs.inverse_h)), v->w);
}

static void warm_wall(const passing *p, sn_wall *wall)
{
    sn_real last = wall->pressed, steady = last < 2 * wall->last ? last : 2 * wall->last;
    wall->last = last;
    if (!(last > 0))
        return;
    wall->pressed = steady;
    wall->rubbed = vec3_scale(wall->rubbed, steady / last);
    sn_vec3 push = vec3_add(vec3_scale(wall->normal, steady), wall->rubbed);
    const sn_spinning ball = sn_spin_of(p->world, wall->slot), none = {0};
    if (ball.turns) {
        sn_spin_push(p->world, &ball, &none, wall->normal, vec3_scale(wall->rubbed, p->pairs.inverse_h / ball.w));
        sn_spin_warm(p->world, &ball, &none, &wall->rolled, steady / last);
    }
    wall->clear = 0;
    move(p, wall, push, push);
}

#define CORNER_TRIES 8u
#define CORNER_SLACK ((sn_real)0.01) /* of the radius */
#define SAME_FACE    ((sn_real)0.9)  /* the cosine between two normals of what counts as one face */

/* Planes, eight balls at a time. */
typedef struct plane_batch {
    sn_wide_plane run;
    sn_wall *wall[SN_NEAR];
} plane_batch;

static void flush(const passing *p, plane_batch *b)
{
    sn_wide_plane *run = &b->run;
    if (!run->lanes)
        return;
    for (uint32_t i = run->lanes; i < SN_NEAR; ++i)
        run->slot[i] = run->slot[0];
    p->wide->plane(run);
    for (uint32_t i = 0; i < run->lanes; ++i) {
        sn_wall *wall = b->wall[i];
        bool acts = run->gap[i] < 0 || wall->pressed > 0;
        wall->clear = acts ? 0 : run->gap[i]; /* what acts, moves */
        if (!acts)
            continue;
        wall->touched = true;
        wall->normal = run->normal;
        wall->point = vec3_sub(vec4_xyz(run->x[wall->slot]), vec3_scale(run->normal, run->radius[i]));
        wall->pressed = run->pressed[i];
        wall->rubbed = vec3(run->rubbed[i], run->rubbed[SN_NEAR + i], run->rubbed[2 * SN_NEAR + i]);
    }
    run->lanes = 0;
}

/* Whether a contact can go eight at a time: of a plane that does not turn with a ball that does not either. */
static bool is_plain(const passing *p, const sn_wall *wall)
{
    const sn_collider_motion *m = &motions(p->contacts)[wall->number];
    return m->plain && !wall->sensor && !(p->contacts->spins && sn_spin_has(p->world, wall->slot));
}

static void add_plane(const passing *p, plane_batch *b, sn_wall *wall)
{
    const sn_particle_store *store = &p->world->particles;
    const sn_collider_motion *m = &motions(p->contacts)[wall->number];
    sn_wide_plane *run = &b->run;
    sn_real came = (vec3_length(vec4_xyz(store->v[wall->slot])) + m->speed) * p->h;
    if (wall->clear > came && p->first) {
        wall->clear -= came;
        return;
    }
    if (run->lanes == SN_NEAR || (run->lanes && b->wall[0]->number != wall->number))
        flush(p, b);
    if (!run->lanes) {
        run->normal = m->normal;
        run->velocity = m->velocity;
        run->offset = vec3_dot(m->normal, m->end.position) + record_of(p->world, wall->number)->shape.thickness;
    }
    uint32_t i = run->lanes++;
    b->wall[i] = wall;
    run->slot[i] = wall->slot;
    run->radius[i] = store->radius[wall->slot];
    run->hold[i] = wall->grip.hold;
    run->drag[i] = wall->grip.drag;
    run->pressed[i] = wall->pressed;
    for (uint32_t k = 0; k < 3; ++k)
        run->rubbed[k * SN_NEAR + i] = (&wall->rubbed.x)[k];
}

/* The last word about sheets: a ball that slides along one face touches it from the start, which hides from a cast what its way
   meets later. Its centre does not touch: where the way of that meets the sheet itself, it goes on along that face, and
   after a few of them it stays where the substep began. */
#define FACES_TO_TRY 4

static void keep_out(const passing *p, const sn_wall *wall, const sn_shape *shape, const sn_collider_motion *m,
                     sn_vec3 from, sn_real radius)
{
    sn_particle_store *store = &p->world->particles;
    sn_vec3 start = sn_pose_to_own(&m->start, from);
    for (int i = 0; i <= FACES_TO_TRY; ++i) {
        sn_real t;
        sn_touch touch;
        sn_vec3 own = sn_pose_to_own(&m->end, vec4_xyz(store->x[wall->slot]));
        sn_path path = {start, vec3_sub(own, start), 0};
        sn_shape thin = *shape;
        thin.thickness = 0; /* the surface itself; `radius` has guard and thickness */
        if (!sn_shape_cast(&thin, &path, &t, &touch))
            return;
        sn_vec3 n = touch.normal;
        sn_real side = vec3_dot(vec3_sub(start, touch.point), n), gap = vec3_dot(vec3_sub(own, touch.point), n);
        sn_real want = radius < side ? radius : side;
        sn_vec3 push = sn_quat_turn(m->end.rotation, vec3_scale(n, want - gap));
        if (i == FACES_TO_TRY)
            push = vec3_sub(sn_pose_to_world(&m->end, start), vec4_xyz(store->x[wall->slot]));
        move(p, wall, push, push);
    }
}

static bool has_faces(const sn_shape *shape)
{
    return shape->type == SN_COLLIDER_MESH || shape->type == SN_COLLIDER_FIELD || shape->type == SN_COLLIDER_BOX;
}

/* Undoes a warm start. */
static void take_back(const passing *p, sn_wall *wall)
{
    sn_vec3 push = vec3_scale(vec3_add(vec3_scale(wall->normal, wall->pressed), wall->rubbed), -1);
    move(p, wall, push, push);
    wall->pressed = 0;
    wall->rubbed = vec3(0, 0, 0);
}

/* A push away from one face may lead through another one: what is left to do after it. */
static void hold_in_corner(const passing *p, sn_wall *wall, sn_vec3 from, sn_real radius)
{
    const sn_collider_motion *m = &motions(p->contacts)[wall->number];
    const sn_shape *shape = &record_of(p->world, wall->number)->shape;
    sn_touch touch;
    for (uint32_t i = 0; i < CORNER_TRIES; ++i) {
        sn_vec3 x = vec4_xyz(p->world->particles.x[wall->slot]);
        sn_real gap = gap_to(shape, m, from, x, radius, &touch);
        if (!(gap < -CORNER_SLACK * radius))
            return;
        sn_vec3 n = sn_quat_turn(m->end.rotation, touch.normal);
        if (i == 0 && vec3_dot(n, wall->normal) > SAME_FACE)
            return; /* what has just been done, and may overlap a little */
        sn_vec3 push = vec3_scale(n, -gap);
        move(p, wall, push, push);
        wall->pressed = 0; /* between several faces none of them is what it will lean on in the next substep */
        wall->rubbed = vec3(0, 0, 0);
    }
    if (!m->moves) { /* too narrow: it stays where it came from */
        sn_vec3 back = vec3_sub(from, vec4_xyz(p->world->particles.x[wall->slot]));
        move(p, wall, back, back);
    }
}

static void project_wall(const passing *p, sn_wall *wall)
{
    const sn_particle_store *store = &p->world->particles;
    const sn_collider_motion *m = &motions(p->contacts)[wall->number];
    sn_vec3 x = vec4_xyz(store->x[wall->slot]), u = vec3_scale(vec4_xyz(store->v[wall->slot]), p->h);
    sn_real came = vec3_length(u) + m->speed * p->h;
    const sn_vec3 came_from = vec3_sub(x, u);
    if (wall->clear > came && p->first) {
        wall->clear -= came;
        return;
    }
    sn_touch touch;
    const sn_shape *shape = &record_of(p->world, wall->number)->shape;
    sn_real radius = store->radius[wall->slot] + shape->guard, gap = gap_to(shape, m, came_from, x, radius, &touch);
    if (wall->pressed > 0 && has_faces(shape) && touch.distance < (sn_real)INFINITY &&
        vec3_dot(sn_quat_turn(m->end.rotation, touch.normal), wall->normal) < SAME_FACE) {
        take_back(p, wall); /* it leans on another face now */
        x = vec4_xyz(store->x[wall->slot]);
        u = vec3_sub(x, came_from);
        gap = gap_to(shape, m, came_from, x, radius, &touch);
    }
    wall->clear = gap;
    bool sheet = shape->type == SN_COLLIDER_MESH && !wall->sensor;
    if (!(gap < 0) && !(wall->pressed > 0)) {
        if (sheet && came > radius / 2)
            keep_out(p, wall, shape, m, came_from, radius + shape->thickness);
        return;
    }
    wall->clear = 0; /* what acts, moves */
    if (shape->type == SN_COLLIDER_PLANE) {
        wall->normal = m->normal;
        wall->point = vec3_sub(x, vec3_scale(m->normal, touch.distance));
    } else if (touch.distance <
               (sn_real)INFINITY) { /* otherwise it is far, and was pushed to there by the last normal */
        wall->normal = sn_quat_turn(m->end.rotation, touch.normal);
        wall->point = sn_pose_to_world(&m->end, touch.point);
    }
    wall->touched = true;
    if (wall->sensor)
        return;
    sn_vec3 n = wall->normal;
    u = vec3_sub(u, surface_way(m, wall->point, p->h));
    sn_real along = vec3_dot(u, n), before = gap - along, pressed = wall->pressed + (before < 0 ? before : 0) - gap;
    pressed = pressed > 0 ? pressed : 0;
    sn_vec3 rubbed = vec3_sub(wall->rubbed, vec3_scale(n, vec3_dot(wall->rubbed, n)));
    const sn_spinning ball = sn_spin_of(p->world, wall->slot), none = {0};
    sn_vec3 slip = vec3_sub(u, vec3_scale(n, along));
    if (ball.turns)
        slip = vec3_scale(vec3_add(slip, vec3_scale(sn_spin_slip(p->world, &ball, &none, n), p->h)),
                          sn_spin_share(&ball, &none, ball.w));
    sn_vec3 rubs = vec3_sub(rubbed, slip);
    sn_real much = vec3_length(rubs);
    if (much > wall->grip.hold * pressed)
        rubs = vec3_scale(rubs, wall->grip.drag * pressed / much);
    if (ball.turns) {
        sn_real impulse = p->pairs.inverse_h / ball.w;
        sn_spin_push(p->world, &ball, &none, n, vec3_scale(vec3_sub(rubs, rubbed), impulse));
        sn_spin_resist(p->world, &ball, &none, wall->grip.rolling * ball.radius * pressed * impulse, &wall->rolled);
    }
    sn_vec3 push = vec3_add(vec3_scale(n, pressed - wall->pressed), vec3_sub(rubs, rubbed));
    sn_real deep = -before - p->pairs.slop * radius;
    deep = deep < 0 ? 0 : deep * p->pairs.ease < p->pairs.part ? deep * p->pairs.ease : p->pairs.part;
    move(p, wall, vec3_add(push, vec3_scale(n, deep)), push);
    wall->pressed = pressed;
    wall->rubbed = rubs;
    if (has_faces(shape))
        hold_in_corner(p, wall, came_from, radius);
    if (sheet)
        keep_out(p, wall, shape, m, came_from, radius + shape->thickness);
}

static void meet_wall(const passing *p, sn_wall *wall)
{
    wall->before = vec4_xyz(p->world->particles.v[wall->slot]);
}

static void bounce_wall(const passing *p, sn_wall *wall)
{
    if (!(wall->pressed > 0))
        return;
    sn_particle_store *store = &p->world->particles;
    sn_vec3 v = vec4_xyz(store->v[wall->slot]), n = wall->normal;
    sn_vec3 surface = surface_velocity(&motions(p->contacts)[wall->number], wall->point);
    sn_real along = vec3_dot(vec3_sub(v, surface), n), wanted = 0;
    wall->impulse += wall->pressed * p->pairs.inverse_h * store->v[wall->slot].w;
    if (wall->grip.restitution > 0) {
        sn_real approach = -vec3_dot(vec3_sub(wall->before, surface), n);
        wanted = approach > p->pairs.bounce_above ? wall->grip.restitution * approach : 0;
    }
    if (wanted > 0 || along < 0) { /* what is still going in after a blow has come to a stop there */
        store->v[wall->slot] = vec4(vec3_add(v, vec3_scale(n, wanted - along)), store->v[wall->slot].w);
        wall->impulse += (wanted - along) * store->v[wall->slot].w;
    }
}

/* ---- The chapters of a substep -------------------------------------------------------------------------------------------- */

/* Where colliders are in substep i. */
static void move_colliders(sn_contacts *c, uint32_t i, uint32_t substeps)
{
    const uint32_t *mover = c->mover_table.column[0];
    for (uint32_t k = 0; k < c->mover_table.count; ++k) {
        sn_collider_motion *m = &motions(c)[mover[k]];
        m->start = sn_pose_between(&m->step_start, &m->step_end, (sn_real)i / (sn_real)substeps);
        m->end = sn_pose_between(&m->step_start, &m->step_end, (sn_real)(i + 1) / (sn_real)substeps);
        m->normal = sn_quat_turn(m->end.rotation, vec3(0, 1, 0));
    }
}

bool sn_contacts_begin(sn_world *world, uint32_t i, uint32_t substeps, sn_real h)
{
    sn_contacts *c = &world->contacts;
    if (c->walls || world->meets.mover_table.count)
        move_colliders(c, i, substeps);
    if (!c->any)
        return true;
    sn_stage_enter(world, SN_STAGE_NARROW_PHASE);
    if (i == 0 && world->contact.settings.events)
        forget_impulses(c);
    if (!sn_grazes_begin(world, i, substeps, h))
        return false;
    if (!c->bounces)
        return true;
    passing p = make_passing(world, h);
    return sn_grazes_meet(world) && run_walls(&p, meet_wall);
}

/* Walls of a piece are in the order of colliders, and no particle meets one twice: so those that follow one another are of
   different particles. */
static void project_walls_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const passing *p = data;
    const uint32_t *start = p->contacts->piece_table.column[0];
    sn_wall *wall = p->contacts->wall_table.column[0];
    plane_batch b = {.run = {.x = p->world->particles.x,
                             .x_low = p->world->particles.x_low,
                             .v = p->world->particles.v,
                             .h = p->h,
                             .inverse_h = p->pairs.inverse_h,
                             .part = p->pairs.part,
                             .ease = p->pairs.ease,
                             .slop = p->pairs.slop}};
    for (uint32_t i = start[index]; i < start[index + 1]; ++i) {
        if (is_plain(p, &wall[i])) {
            add_plane(p, &b, &wall[i]);
        } else {
            flush(p, &b);
            project_wall(p, &wall[i]);
        }
    }
    flush(p, &b);
}

static bool project_walls(passing *p)
{
    return !p->contacts->walls || sn_parallel_tasks(share(p->world, p->contacts->walls * WORK_OF_WALL),
                                                    p->contacts->pieces, project_walls_piece, p);
}

bool sn_contacts_pass(sn_world *world, sn_real h, bool first)
{
    if (!world->contacts.any)
        return true;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    passing p = make_passing(world, h);
    p.first = first;
    sn_graze_pass graze = {.h = h, .part = p.pairs.part, .ease = p.pairs.ease, .bounce_above = p.pairs.bounce_above};
    if (first && !(run_pairs(&p, p.wide->warm) && sn_grazes_warm(world, &graze) && run_walls(&p, warm_wall)))
        return false;
    return run_pairs(&p, p.wide->project) && sn_grazes_project(world, &graze) && project_walls(&p);
}

bool sn_contacts_end(sn_world *world, sn_real h)
{
    if (!world->contacts.any)
        return true;
    sn_stage_enter(world, SN_STAGE_CONTACT);
    passing p = make_passing(world, h);
    sn_graze_pass graze = {.h = h, .bounce_above = p.pairs.bounce_above};
    batch_loop loop;
    if (world->contact.settings.events && !run_batches(world, &loop, count_pushes, &p))
        return false;
    return sn_grazes_bounce(world, &graze) && run_walls(&p, bounce_wall);
}

void sn_contacts_leave(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const uint32_t *mover = c->mover_table.column[0];
    for (uint32_t k = 0; k < c->mover_table.count; ++k) {
        sn_collider_record *r = &contact_colliders(&world->contact)[world->contact.collider_ids.value[mover[k]]];
        r->def.position = motions(c)[mover[k]].step_end.position;
        r->def.rotation = motions(c)[mover[k]].step_end.rotation;
        r->has_target = false;
    }
}

void sn_contacts_forget(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const sn_wall *wall = c->wall_table.column[0];
    if (!c->any || !world->history.table.count)
        return;
    for (uint32_t i = 0; i < c->walls; ++i)
        if (wall[i].pressed > 0)
            sn_history_forget(&world->history, wall[i].slot);
    const sn_graze *graze = c->graze_table.column[0];
    for (uint32_t i = 0; i < c->grazes; ++i)
        for (uint32_t k = 0; graze[i].pressed > 0 && k < 4; ++k)
            sn_history_forget(&world->history, graze[i].slot[k]);
    for (uint32_t b = 0; b < c->near.batches; ++b)
        for (uint32_t i = 0; i < c->near.lanes[b]; ++i)
            if (pair_column(c, PAIR_PRESSED)[b * SN_NEAR + i] > 0) {
                sn_history_forget(&world->history, c->near.batch[b].a[i]);
                sn_history_forget(&world->history, c->near.batch[b].b[i]);
            }
}

/* ---- Remembering ------------------------------------------------------------------------------------------------------------ */

static void write_press(const sn_world *world, uint32_t slot, uint32_t other, sn_press press)
{
    press.number = world->particles.index[slot];
    press.other = other;
    press.generation = generation_of(world, press.number);
    press.other_generation = generation_of(world, other);
    *open_press(world, slot) = press;
}

static void count_pairs(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_neighbours *near = &world->contacts.near;
    const sn_real *pressed = pair_column(&world->contacts, PAIR_PRESSED);
    for (uint32_t b = first; b < end; ++b)
        for (uint32_t i = 0; i < near->lanes[b]; ++i)
            if (pressed[(size_t)b * SN_NEAR + i] > 0)
                count_press(world, near->batch[b].a[i]);
}

/* The lower number is that of a. */
static void write_pairs(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_contacts *c = &world->contacts;
    const uint32_t *index = world->particles.index, *generation = world->ids.generation;
    for (uint32_t b = first; b < end; ++b)
        for (uint32_t i = 0; i < c->near.lanes[b]; ++i) {
            const size_t at = (size_t)b * SN_NEAR + i;
            const sn_real pressed = pair_column(c, PAIR_PRESSED)[at];
            if (!(pressed > 0))
                continue;
            const sn_real *rubbed = pair_column(c, PAIR_RUBBED) + (size_t)b * 3 * SN_NEAR + i;
            const uint32_t slot = c->near.batch[b].a[i], number = index[slot], other = index[c->near.batch[b].b[i]];
            sn_press *press = open_press(world, slot);
            press->number = number;
            press->other = other;
            press->generation = generation[number];
            press->other_generation = generation[other];
            press->pressed = pressed;
            press->last = pair_column(c, PAIR_LAST)[at];
            press->rubbed = vec3(rubbed[0], rubbed[SN_NEAR], rubbed[2 * SN_NEAR]);
            press->rolled = press->normal = vec3(0, 0, 0);
        }
}

static void count_walls(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_wall *wall = world->contacts.wall_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (wall[i].pressed > 0)
            count_press(world, wall[i].slot);
}

static void write_walls(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_wall *wall = world->contacts.wall_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (wall[i].pressed > 0)
            write_press(world, wall[i].slot, SN_PRESS_COLLIDER | wall[i].number,
                        (sn_press){.pressed = wall[i].pressed,
                                   .last = wall[i].last,
                                   .rubbed = wall[i].rubbed,
                                   .rolled = wall[i].rolled,
                                   .normal = wall[i].normal});
}

/* Those of which nobody moves are there to see whether somebody wakes. */
static bool is_pressed(const sn_world *world, const sn_graze *g)
{
    for (uint32_t k = 0; g->pressed > 0 && k < 4; ++k)
        if (world->particles.x[g->slot[k]].w != 0)
            return true;
    return false;
}

static void count_grazes(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_graze *graze = world->contacts.graze_table.column[0];
    for (uint32_t i = first; i < end; ++i)
        if (is_pressed(world, &graze[i]))
            count_press(world, graze[i].slot[0]);
}

static void write_grazes(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const sn_graze *graze = world->contacts.graze_table.column[0];
    for (uint32_t i = first; i < end; ++i) {
        const sn_graze *g = &graze[i];
        if (!is_pressed(world, g))
            continue;
        uint32_t corner = world->particles.index[g->slot[1]];
        write_press(world, g->slot[0], g->triangle == SN_GRAZE_PAIR ? corner : SN_PRESS_TRIANGLE | g->triangle,
                    (sn_press){.pressed = g->pressed,
                               .last = g->last,
                               .rubbed = g->rubbed,
                               .rolled = g->rolled,
                               .normal = vec3(g->side, 0, 0)});
    }
}

bool sn_contacts_reserve_memory(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    sn_contact_world *contact = &world->contact;
    if (!c->any && !contact->press_table.count)
        return true;
    uint32_t asleep = contact->sleep.sleepers ? contact->press_table.count : 0;
    return sn_table_reserve(&contact->press_table, &world->allocator,
                            (uint64_t)c->near.pairs + c->walls + c->grazes + asleep) &&
           reserve_starts(world) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, c->walls > c->grazes ? c->walls : c->grazes);
}

/* Contacts of those who sleep stay what they were. How many there are. */
static uint32_t set_aside(const sn_world *world, sn_press *to)
{
    const sn_press *press = world->contact.press_table.column[0];
    const sn_real factor = world->contact.sleep.factor;
    uint32_t count = 0;
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < world->contact.press_table.count; ++i) {
        if (!sn_sleep_has_press(world, &press[i]))
            continue;
        to[count] = press[i];
        to[count].pressed *= factor;
        to[count].last *= factor;
        to[count].rubbed = vec3_scale(to[count].rubbed, factor);
        ++count;
    }
    return count;
}

void sn_contacts_remember(sn_world *world)
{
    const sn_contacts *c = &world->contacts;
    const sn_press *aside = world->contact.press_table.column[1];
    uint32_t kept = set_aside(world, world->contact.press_table.column[1]);
    world->contact.press_table.count = world->contact.press_start_table.count = 0;
    if (!c->any && !kept)
        return;
    begin_press(world);
    share_pairs(world, count_pairs);
    share_loop(world, c->walls, count_walls);
    share_loop(world, c->grazes, count_grazes);
    for (uint32_t i = 0; i < kept; ++i)
        count_press(world, press_slot(world, &aside[i]));
    place_press(world);
    share_pairs(world, write_pairs);
    share_loop(world, c->walls, write_walls);
    share_loop(world, c->grazes, write_grazes);
    for (uint32_t i = 0; i < kept; ++i)
        *open_press(world, press_slot(world, &aside[i])) = aside[i];
    end_press(world);
}

/* A sum, because their order is a matter of storage. */
uint64_t sn_contacts_hash(uint64_t hash, const sn_contact_world *contact)
{
    const sn_press *press = contact->press_table.column[0];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < contact->press_table.count; ++i) {
        uint64_t one = hash_u64(SN_HASH_SEED, (uint64_t)press[i].number << 32 | press[i].other);
        one = hash_real(hash_real(one, press[i].pressed), press[i].last);
        sum += hash_vec3(hash_vec3(hash_vec3(one, press[i].rubbed), press[i].rolled), press[i].normal);
    }
    return contact->press_table.count ? hash_u64(hash, sum) : hash;
}
