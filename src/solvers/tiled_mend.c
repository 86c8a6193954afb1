/* Repair of single rods of stiff meshes that a pass leaves far too long, at the front of a fold or near something that
   holds the mesh. Rods are shortened one after the other, with those around the particles that they move, until none is
   too long or a limit of work is reached.

   Layers mark the rods that were far off before they were projected. A particle that is moved far leaves the rods
   around it too long, so the ends of marked rods are put into a queue. Where many are marked, all rods of the tile are
   looked at instead, on lanes. For a particle from the queue all its rods are checked. One that is too long is
   shortened until it is only slightly too long (not to its full length, which would make its neighbours too long), and
   both ends are queued. A rod acts as an ordinary largest distance, so it conserves momentum and adds no energy.

   First the tiles are mended, in parallel: their own marked rods, and their particles with marked rods to other tiles.
   Then all rods between tiles are looked at, on lanes and in parallel, and those that are too long are mended on one
   thread. The order is that of batches, and then of the queue. */
#include "solvers/hierarchy_work.h"
#include "base/bits.h"
#include "solvers/tiled_work.h"

#include <string.h>

/* Rods that are off by more than a certain share (SN_HIERARCHY_OFF, see sn_tiled_off_from) are marked before they are
   moved. Rods that are too short are marked, too, since the particles that they push away leave others too long. A rod
   that is still too long by TOO_LONG times that share is shortened to SHORTENED times this excess.

   Where more than MANY of the particles of a mesh would be looked at, as in cloth that is pulled through the air fast,
   the threshold rises from that pass of a step on: LONGER times for each MORE times as many. Otherwise it is the same
   in all passes. With a threshold that fell towards the end of a step, all errors left by the passes before were
   removed at once, and a net gained a tenth of its energy. */
#define LONGER    1.5
#define TOO_LONG  1.6
#define SHORTENED 0.5
#define STEEPEST  9u
#define MANY      0.3
#define MORE      1.4

/* The most particles that are looked at, for each particle of a tile. A tile gets as many more for each particle of the
   mesh, times its share of the mesh's marked rods: the whole front of a fold may be in one tile. */
#define MOST_LOOKS 2.0

sn_real sn_tiled_off_from(const layer *l, const sn_tile *tile)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    const sn_real off = h->mesh_table.count ? h->home[tile->body].off : 0;
    return off > SN_HIERARCHY_OFF ? off : SN_HIERARCHY_OFF;
}

uint16_t *sn_tiled_far_off(const sn_tiled *t, const sn_plan_run *run)
{
    const sn_hierarchy *h = &((const tiled *)t->in->scratch->tiled)->hierarchy;
    const bool rods = run->kind == SN_KIND_DISTANCE || run->kind == SN_KIND_DISTANCE_MAX;
    return t->stiffens && h->mesh_table.count && rods && !run->corners ? h->far_off + run->batch : NULL;
}

bool sn_tiled_note_off(const sn_tiled *t, uint32_t batch, uint32_t lane, uint32_t kind, uint32_t row, sn_real off_from)
{
    const sn_frame *frame = &t->in->frame;
    const sn_pool *pool = t->in->store->pool[kind];
    const uint32_t *point = pool->point + (size_t)row * 2;
    const uint32_t a = frame->slot[point[0]], b = frame->slot[point[1]];
    const sn_vec3 apart = vec3_add(vec3_sub(vec4_xyz(frame->x[a]), vec4_xyz(frame->x[b])),
                                   vec3_sub(vec4_xyz(frame->d[a]), vec4_xyz(frame->d[b])));
    const sn_hierarchy *h = &((const tiled *)t->in->scratch->tiled)->hierarchy;
    const sn_real rest = pool->param[(size_t)row * pool->param_count], off = vec3_length(apart) - rest;
    const bool is_off = (kind == SN_KIND_DISTANCE && off < 0 ? -off : off) > off_from * rest;
    h->far_off[batch] |= (uint16_t)((uint32_t)is_off << lane);
    return is_off;
}

typedef struct mending {
    const layer *l;
    const sn_hierarchy *h;
    const uint8_t *touched;
    sn_vec4 *x, *low;
    bool in_tile; /* one tile is mended, and rods to other tiles are ignored */
    /* The queue: a ring of `size` slots */
    uint32_t *ring;
    uint32_t size, first, count; /* `count` entries from `first` on are in use */
} mending;

static void enqueue(mending *m, uint32_t slot)
{
    if (m->h->queued[slot])
        return;
    m->h->queued[slot] = true;
    const uint32_t at = m->first + m->count++;
    m->ring[at < m->size ? at : at - m->size] = slot;
}

/* The rods of a particle are usually not in the cache. Those of the particle AHEAD places later in the queue are
   fetched. */
#define AHEAD 4u

static uint32_t dequeue(mending *m)
{
    const uint32_t slot = m->ring[m->first++], next = m->first + AHEAD;
    if (m->count > AHEAD + 1)
        PLAN_FETCH(&m->h->rod[m->h->rod_start[m->ring[next < m->size ? next : next - m->size]]]);
    m->first = m->first < m->size ? m->first : 0;
    m->count--;
    m->h->queued[slot] = false;
    return slot;
}

/* Where a particle is: in planes, or in storage. For exchanged particles storage is up to date. */
typedef struct whereabouts {
    sn_real *x, *low; /* low: NULL in a coarse tile */
    size_t apart;     /* floats from one coordinate to the next */
} whereabouts;

static whereabouts find(const mending *m, uint32_t slot)
{
    const sn_hierarchy_home *home = &m->h->home[m->h->tile_of[slot]];
    if (!home->plane || m->touched[slot])
        return (whereabouts){&m->x[slot].x, home->coarse ? NULL : &m->low[slot].x, 1};
    sn_real *at = home->plane + m->h->place[slot];
    return (whereabouts){at, home->coarse ? NULL : at + SN_PLANE_D * SN_BATCH, SN_BATCH};
}

static inline sn_vec3 read(const sn_real *from, size_t apart)
{
    return vec3(from[0], from[apart], from[2 * apart]);
}

/* The vector from b to a. */
static sn_vec3 between(const whereabouts *a, const whereabouts *b)
{
    const sn_vec3 none = {0, 0, 0}, apart = vec3_sub(read(a->x, a->apart), read(b->x, b->apart));
    return vec3_add(apart, vec3_sub(a->low ? read(a->low, a->apart) : none, b->low ? read(b->low, b->apart) : none));
}

static void move(const whereabouts *at, sn_vec3 by)
{
    sn_real *to = at->low ? at->low : at->x;
    to[0] += by.x;
    to[at->apart] += by.y;
    to[2 * at->apart] += by.z;
}

/* A particle whose rods from `rod` to `end` are being looked at. */
typedef struct looking {
    const sn_hierarchy_home *home; /* rods lead to tiles of the same mesh, which have the same too_long */
    whereabouts at;
    uint32_t rod, end;
} looking;

/* Advances to the next rod that is too long, or to the end. All rods lead to particles of its own tile. in_planes and
   coarse are those of its home; they are constants at each call, since most of the time of mending is spent in this
   loop. */
static inline void skip_in_tile(const mending *m, looking *k, const bool in_planes, const bool coarse)
{
    const sn_vec3 none = {0, 0, 0}, x = read(k->at.x, k->at.apart), low = coarse ? none : read(k->at.low, k->at.apart);
    const sn_real *plane = k->home->plane, too_long = k->home->too_long;
    const hierarchy_edge *rod = m->h->rod + k->rod, *end = m->h->rod + k->end;
    for (; rod < end; ++rod) {
        const uint32_t other = rod->to;
        sn_vec3 apart;
        if (in_planes && !m->touched[other]) {
            const sn_real *at = plane + m->h->place[other];
            apart = vec3_sub(x, read(at, SN_BATCH));
            if (!coarse)
                apart = vec3_add(apart, vec3_sub(low, read(at + SN_PLANE_D * SN_BATCH, SN_BATCH)));
        } else {
            apart = vec3_sub(x, vec4_xyz(m->x[other]));
            if (!coarse)
                apart = vec3_add(apart, vec3_sub(low, vec4_xyz(m->low[other])));
        }
        const sn_real most = too_long * rod->rest;
        if (vec3_dot(apart, apart) > most * most && rod->rest != SN_TIE_REST)
            break;
    }
    k->rod = (uint32_t)(rod - m->h->rod);
}

/* The same for rods to any tile. */
static void skip_anywhere(const mending *m, looking *k)
{
    for (; k->rod < k->end; ++k->rod) {
        const whereabouts b = find(m, m->h->rod[k->rod].to);
        const sn_vec3 apart = between(&k->at, &b);
        const sn_real most = k->home->too_long * m->h->rod[k->rod].rest;
        if (vec3_dot(apart, apart) > most * most && m->h->rod[k->rod].rest != SN_TIE_REST)
            break;
    }
}

static bool finds_too_long(const mending *m, looking *k)
{
    if (!m->in_tile)
        skip_anywhere(m, k);
    else if (k->home->plane && k->home->coarse)
        skip_in_tile(m, k, true, true);
    else if (k->home->plane)
        skip_in_tile(m, k, true, false);
    else if (k->home->coarse)
        skip_in_tile(m, k, false, true);
    else
        skip_in_tile(m, k, false, false);
    return k->rod < k->end;
}

static looking look_from(const mending *m, uint32_t slot, uint32_t rod, uint32_t end)
{
    return (looking){&m->h->home[m->h->tile_of[slot]], find(m, slot), rod, end};
}

/* 0 also for what pins hold: moved by mending, it would slip until the pin acts in the next pass. */
static sn_real inverse_mass(const mending *m, uint32_t slot)
{
    return m->h->w_by_slot[slot] == 0 ? 0 : m->x[slot].w;
}

/* Shortens a rod from `length` to `to`. */
static void mend(mending *m, uint32_t slot, const whereabouts *a, uint32_t other, const whereabouts *b, sn_real length,
                 sn_real to)
{
    const sn_real w = inverse_mass(m, slot), w_other = inverse_mass(m, other), give = w + w_other;
    if (!(give > 0))
        return;
    const sn_vec3 apart = between(a, b);
    const sn_real share = (to - length) / (give * length);
    move(a, vec3_scale(apart, share * w));
    move(b, vec3_scale(apart, -share * w_other));
    if (m->h->notes && (w == 0 || w_other == 0))
        sn_hierarchy_note_mended(m->h, w == 0 ? slot : other, vec3_scale(apart, w == 0 ? -share : share));
    enqueue(m, slot);
    enqueue(m, other);
}

static void look_at(mending *m, uint32_t slot)
{
    const sn_hierarchy *h = m->h;
    looking k = look_from(m, slot, h->rod_start[slot], m->in_tile ? h->rod_leaves[slot] : h->rod_start[slot + 1]);
    for (; finds_too_long(m, &k); ++k.rod) {
        const uint32_t other = h->rod[k.rod].to;
        const whereabouts b = find(m, other);
        const sn_vec3 apart = between(&k.at, &b);
        mend(m, slot, &k.at, other, &b, real_sqrt(vec3_dot(apart, apart)), k.home->shortened * h->rod[k.rod].rest);
    }
}

static sn_real too_long_for(double off)
{
    return (sn_real)(1 + TOO_LONG * off);
}

/* Finds where the tiles of stiff meshes are in this pass, and the threshold of mending: by mesh, so that it does not
   depend on other meshes. */
static void find_homes(const mending *m)
{
    const sn_plan *plan = m->l->plan;
    sn_hierarchy_mended *mended = m->h->mended;
    for (uint32_t t = 0; t < plan->tile_table.count; ++t)
        mended[plan->tile[t].body].noted_in_mesh = mended[plan->tile[t].body].particles = 0;
    for (uint32_t t = 0; t < plan->tile_table.count; ++t)
        mended[plan->tile[t].body].noted_in_mesh += mended[t].noted;
    for (uint32_t i = 0; i < m->h->tile_table.count; ++i)
        mended[plan->tile[m->h->tile[i]].body].particles += plan->tile[m->h->tile[i]].count;
    for (uint32_t i = 0; i < m->h->tile_table.count; ++i) {
        const uint32_t index = m->h->tile[i];
        const sn_tile *tile = &plan->tile[index];
        void *plane = sn_tiled_is_resident(m->l, tile) ? sn_resident_planes(m->l, index).plane : NULL;
        double by = (double)SN_HIERARCHY_OFF, most = MANY * mended[tile->body].particles;
        for (uint32_t k = 0; k < STEEPEST && mended[tile->body].noted_in_mesh > most; ++k, by *= LONGER)
            most *= MORE;
        sn_hierarchy_home *home = &m->h->home[index], *first = &m->h->home[tile->body];
        by = by > (double)first->off ? by : (double)first->off;
        first->off = (sn_real)by;
        home->plane = plane;
        home->coarse = sn_tiled_motion(m->l, tile).coarse;
        home->too_long = too_long_for(by);
        home->shortened = (sn_real)(1 + SHORTENED * TOO_LONG * by);
    }
}

/* The next batch from b on, before `end`, with a marked rod. Most batches have none, so several are checked at once.
   What follows `end` may belong to another tile on another thread. */
static uint32_t next_noted(const sn_hierarchy *h, uint32_t b, uint32_t end)
{
    uint64_t some = 0;
    for (; b + SN_AT_ONCE <= end; b += SN_AT_ONCE) {
        memcpy(&some, h->far_off + b, sizeof some);
        if (some)
            break;
    }
    while (b < end && !h->far_off[b])
        ++b;
    return b;
}

/* Calls `take` for each marked rod of a tile, with its two slots, and its rest length if that is in lanes. */
static void take_noted(mending *m, const sn_tile *tile, void (*take)(mending *m, const uint32_t *slot, float rest))
{
    const sn_plan *plan = m->l->plan;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const uint32_t end = run->batch + run->batches;
        for (uint32_t b = run->batch; (b = next_noted(m->h, b, end)) < end; ++b) {
            for (uint32_t left = m->h->far_off[b]; left; left &= left - 1) {
                const uint32_t lane = bits_lowest(left), at = b - run->batch;
                const uint32_t slot[2] = {sn_plan_slot(plan, tile, run, 2, at, lane, 0),
                                          sn_plan_slot(plan, tile, run, 2, at, lane, 1)};
                take(m, slot, plan->param ? plan->param[run->param + at * SN_BATCH + lane] : 0);
            }
            m->h->far_off[b] = 0;
        }
    }
}

static void take_both(mending *m, const uint32_t *slot, float rest)
{
    (void)rest;
    enqueue(m, slot[0]);
    enqueue(m, slot[1]);
}

/* One end is enough: it finds the rods that are too long. */
static void take_one(mending *m, const uint32_t *slot, float rest)
{
    (void)rest;
    enqueue(m, slot[0]);
}

/* Shortens a rod if it is still too long. */
static void take_too_long(mending *m, const uint32_t *slot, float rest)
{
    const sn_hierarchy_home *home = &m->h->home[m->h->tile_of[slot[0]]];
    const whereabouts a = find(m, slot[0]), b = find(m, slot[1]);
    const sn_vec3 apart = between(&a, &b);
    const sn_real length = real_sqrt(vec3_dot(apart, apart));
    if (length > home->too_long * (sn_real)rest)
        mend(m, slot[0], &a, slot[1], &b, length, home->shortened * (sn_real)rest);
}

/* Marks the ends of a rod between tiles. Other tiles may mark them at the same time. */
static void note_outside(mending *m, const uint32_t *slot, float rest)
{
    const sn_hierarchy *h = m->h;
    (void)rest;
    for (uint32_t i = 0; i < 2; ++i)
        if (h->rod_start[slot[i]] < h->rod_start[slot[i] + 1]) /* the particle is in a stiff mesh */
            atomic_store_explicit(&h->off_outside[slot[i]], true, memory_order_relaxed);
}

void sn_tiled_count_off(const layer *l, const sn_tile *tile, uint32_t noted)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    if (!l->t->stiffens || !h->mesh_table.count)
        return;
    const uint32_t index = (uint32_t)(tile - l->plan->tile);
    /* A tile of the first layer in no stiff mesh is not mended. */
    const bool others = l->is_first && h->part_of[index] == h->part_of[index + 1];
    h->mended[index].noted = others ? 0 : noted;
    mending m = {.l = l, .h = h};
    if (noted && !l->is_first)
        take_noted(&m, tile, note_outside);
}

static uint32_t most_looks(const sn_hierarchy_mended *mended, const sn_tile *tile, uint32_t noted)
{
    const sn_hierarchy_mended *mesh = &mended[tile->body];
    const double share = noted ? (double)noted / mesh->noted_in_mesh : 0;
    return (uint32_t)(MOST_LOOKS * (tile->count + share * mesh->particles));
}

/* Above this number of marked rods, by batch of a tile, all of its rods are looked at on lanes: in planes that is
   cheaper. */
#define MANY_IN_PLANES 0.1
#define MANY_NEAR      0.25

static bool are_many(const mending *m, const sn_tile *tile, uint32_t noted)
{
    uint32_t batches = 0;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r)
        batches += m->l->plan->run[r].batches;
    return m->l->t->wide && noted > (tile->rows ? MANY_IN_PLANES : MANY_NEAR) * batches;
}

/* Marks all rods of a tile that are too long, in place of its earlier marks. `all` has the places of the particles; its
   near and far are those of the plan. */
static void find_too_long(const mending *m, const sn_tile *tile, const sn_wide_run *all)
{
    const layer *l = m->l;
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &l->plan->run[r];
        sn_wide_run rods = *all;
        rods.batches = run->batches;
        rods.mask = l->plan->mask + run->batch;
        rods.param = l->plan->param + run->param;
        rods.far_off = sn_tiled_far_off(l->t, run);
        rods.off_from = (float)too_long_for((double)m->h->home[tile->body].off);
        rods.offset = l->plan->offset + run->index;
        rods.near = all->near ? all->near + run->index : NULL;
        rods.far = all->far ? all->far + run->index : NULL;
        if (run->batches && rods.far_off)
            l->t->wide->find_too_long(&rods);
    }
}

/* The same for a tile of the first layer. */
static void find_inside(const mending *m, uint32_t number, const sn_tile *tile, uint32_t worker)
{
    const sn_hierarchy_home *home = &m->h->home[number];
    sn_wide_run rods = {.coarse = home->coarse};
    if (home->plane) { /* particles that others move are in storage */
        const planes p = sn_resident_planes(m->l, number);
        const sn_motion motion = sn_tiled_motion(m->l, tile);
        sn_resident_pull(m->l, number, &motion, p);
        rods.plane = p.plane - PLANE_MARGIN;
    } else if (tile->rows) {
        rods.plane = sn_tiled_margin(m->l, worker);
        sn_tiled_spread(m->l, tile, m->x, m->low, rods.plane);
    } else {
        rods.near = m->l->plan->near;
        rods.x = m->x + tile->first;
        rods.d = (home->coarse ? m->x : m->low) + tile->first;
    }
    find_too_long(m, tile, &rods);
}

/* Queues the particles of a tile with marked rods to other tiles, in the order of storage, if `looks`. Clears the
   marks. */
static void take_outside(mending *m, const sn_tile *tile, bool looks)
{
    atomic_bool *off = m->h->off_outside + tile->first;
    for (uint32_t i = 0; i < tile->count; i += 8) {
        bool some[8] = {false};
        if (tile->count - i >= 8)
            memcpy(some, (const void *)(off + i), 8);
        else
            memcpy(some, (const void *)(off + i), tile->count - i);
        for (uint32_t left = bits_of_bytes(some); left; left &= left - 1) {
            const uint32_t k = i + bits_lowest(left);
            atomic_store_explicit(&off[k], false, memory_order_relaxed);
            if (looks)
                enqueue(m, tile->first + k);
        }
    }
}

/* Mends a tile by itself. */
static void mend_tile(void *data, uint32_t index, uint32_t worker)
{
    mending m = *(const mending *)data;
    const uint32_t number = m.h->tile[index], noted = m.h->mended[number].noted;
    const sn_tile *tile = &m.l->plan->tile[number];
    const bool many = are_many(&m, tile, noted);
    m.in_tile = true;
    m.ring = m.h->queue + tile->first;
    m.size = tile->count;
    if (many)
        find_inside(&m, number, tile, worker);
    take_outside(&m, tile, !many);
    if (noted)
        take_noted(&m, tile, many ? take_too_long : take_both);
    for (uint32_t looks = most_looks(m.h->mended, tile, noted); m.count; looks -= looks > 0) {
        const uint32_t slot = dequeue(&m);
        if (looks)
            look_at(&m, slot);
    }
}

/* The same as find_too_long, without lanes, for a tile of a later layer. */
static void find_one_by_one(const mending *m, const sn_tile *tile)
{
    const sn_plan *plan = m->l->plan;
    const sn_real too_long = too_long_for((double)m->h->home[tile->body].off);
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const sn_pool *pool = m->l->t->in->store->pool[run->kind];
        if (!sn_tiled_far_off(m->l->t, run))
            continue;
        for (uint32_t b = 0; b < run->batches; ++b)
            for (uint32_t lane = 0; lane < SN_BATCH; ++lane) {
                const uint32_t batch = run->batch + b, row = plan->row[batch * SN_BATCH + lane];
                if (!(plan->mask[batch] >> lane & 1))
                    continue;
                const whereabouts from = find(m, sn_plan_slot(plan, tile, run, 2, b, lane, 0)),
                                  to = find(m, sn_plan_slot(plan, tile, run, 2, b, lane, 1));
                const sn_vec3 apart = between(&from, &to);
                const sn_real most = too_long * pool->param[(size_t)row * pool->param_count];
                if (vec3_dot(apart, apart) > most * most)
                    m->h->far_off[batch] |= (uint16_t)(1u << lane);
            }
    }
}

/* Marks the rods of a tile of a later layer that are too long after the tiles have been mended. */
static void find_outside(void *data, uint32_t index, uint32_t worker)
{
    const mending *m = data;
    const sn_tile *tile = &m->l->plan->tile[m->l->plan->layer[1] + index];
    if (!m->h->mended[tile->body].particles) /* it is not stiff */
        return;
    if (!m->l->t->wide) {
        find_one_by_one(m, tile);
        return;
    }
    const bool coarse = sn_tiled_is_coarse(m->l, tile);
    sn_wide_run rods = {.x = m->x, .d = coarse ? m->x : m->low};
    if (tile->copied) {
        sn_vec4 *copy = sn_tiled_copy(m->l, tile, coarse, worker);
        rods.near = m->l->plan->near;
        rods.x = copy;
        rods.d = copy + (coarse ? 0 : tile->count);
    } else {
        rods.far = m->l->plan->far;
    }
    find_too_long(m, tile, &rods);
}

/* Mends the rods between tiles, and the rods around them. */
static void mend_between(mending *m)
{
    const sn_hierarchy *h = m->h;
    const sn_plan *plan = m->l->plan;
    m->ring = h->queue;
    m->size = h->slots;
    for (uint32_t t = plan->layer[1]; t < plan->tile_table.count; ++t)
        if (h->mended[plan->tile[t].body].particles)
            take_noted(m, &plan->tile[t], take_one);
    for (uint32_t looks = (uint32_t)(MOST_LOOKS * h->slots); m->count; looks -= looks > 0) {
        const uint32_t slot = dequeue(m);
        if (looks)
            look_at(m, slot);
    }
}

/* ---- Slings ------------------------------------------------------------------------------------------------------ */

/* Sweeps over slings: one thing may hang from several. */
#define SLING_SWEEPS 4u

/* The nearest point to x within two balls: around 0, and around `apart`. Where neither sphere alone decides it, it is on
   the circle in which they intersect. */
static sn_vec3 nearest_in_both(sn_vec3 x, sn_real first, sn_vec3 apart, sn_real second)
{
    const sn_real far = vec3_length(x), off = vec3_length(vec3_sub(x, apart)), distance = vec3_length(apart);
    const sn_vec3 on_first = far > first ? vec3_scale(x, first / far) : x;
    if (!(vec3_length(vec3_sub(on_first, apart)) > second))
        return on_first;
    const sn_vec3 on_second = vec3_add(apart, vec3_scale(vec3_sub(x, apart), off > second ? second / off : 1));
    if (!(vec3_length(on_second) > first))
        return on_second;
    const sn_real at = (distance * distance + first * first - second * second) / (2 * distance);
    const sn_vec3 along = vec3_scale(apart, 1 / distance), centre = vec3_scale(along, at);
    const sn_vec3 aside = vec3_sub(x, vec3_scale(along, vec3_dot(x, along)));
    const sn_real square = first * first - at * at, out = vec3_length(aside);
    return square > 0 && out > 0 ? vec3_add(centre, vec3_scale(aside, real_sqrt(square) / out)) : centre;
}

static void hold_sling(const mending *m, sn_hierarchy_sling *sling)
{
    const sn_hierarchy *h = m->h;
    const sn_hierarchy_tether *a = &h->tether[sling->tether[0]], *b = &h->tether[sling->tether[1]];
    const sn_hierarchy_pin *pin = &h->pin[a->pin], *other = &h->pin[b->pin];
    const sn_vec3 none = {0, 0, 0};
    if (!h->mesh[sling->mesh].acts || !(a->most < (sn_real)INFINITY) || !(b->most < (sn_real)INFINITY))
        return;
    const whereabouts at = find(m, sling->heavy);
    const sn_vec3 low = at.low ? read(at.low, at.apart) : none;
    const sn_vec3 x = vec3_add(vec3_sub(read(at.x, at.apart), vec4_xyz(pin->x)), vec3_sub(low, vec4_xyz(pin->low)));
    const sn_vec3 apart =
        vec3_add(vec3_sub(vec4_xyz(other->x), vec4_xyz(pin->x)), vec3_sub(vec4_xyz(other->low), vec4_xyz(pin->low)));
    const sn_vec3 nearest = nearest_in_both(x, a->most, apart, b->most), away = vec3_sub(x, nearest);
    const sn_real length = vec3_length(away);
    if (!(length > sling->most))
        return;
    const sn_vec3 by = vec3_scale(away, sling->most / length - 1);
    move(&at, by);
    if (h->notes)
        sn_hierarchy_note_sling(h, sling, nearest, vec3_sub(nearest, apart),
                                dvec3_scale(dvec3_from(by), 1 / (double)m->x[sling->heavy].w));
}

static void hold_slings(const mending *m)
{
    const uint32_t count = m->h->sling_table.count;
    for (uint32_t sweep = 0; sweep < (count > 1 ? SLING_SWEEPS : count); ++sweep)
        for (uint32_t i = 0; i < count; ++i)
            hold_sling(m, &m->h->sling[i]);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* ns, about, of a marked rod, and of a rod between tiles. */
#define WORK_OF_NOTED   60.0
#define WORK_OF_OUTSIDE 1.5

/* The threads for the rods between tiles. */
static sn_parallel *threads_outside(const layer *l)
{
    double work = 0;
    for (uint32_t t = l->plan->layer[1]; t < l->plan->tile_table.count && work < SN_LEAST_SHARED_WORK; ++t)
        work += l->plan->tile[t].work * WORK_OF_OUTSIDE;
    return sn_parallel_wants(l->t->in->parallel, work) ? l->t->in->parallel : NULL;
}

bool sn_tiled_mend(const layer *l)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    const sn_plan *plan = l->plan;
    mending m = {.l = l,
                 .h = h,
                 .touched = l->scratch->touched_table.column[0],
                 .x = l->t->motion->x,
                 .low = l->t->motion->x_low};
    if (!l->t->stiffens || !h->mesh_table.count)
        return true;
    uint32_t noted = 0;
    for (uint32_t t = 0; t < plan->tile_table.count; ++t)
        noted += h->mended[t].noted;
    if (!noted && !h->sling_table.count)
        return true;
    find_homes(&m);
    const bool share = sn_parallel_wants(l->t->in->parallel, noted * WORK_OF_NOTED);
    if (!sn_parallel_tasks(share ? l->t->in->parallel : NULL, h->tile_table.count, mend_tile, &m) ||
        !sn_parallel_tasks(threads_outside(l), plan->tile_table.count - plan->layer[1], find_outside, &m))
        return false;
    mend_between(&m);
    hold_slings(&m);
    return true;
}
