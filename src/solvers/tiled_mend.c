/* Repair of single rods of stiff meshes that a pass leaves far too long, at the front of a fold or near something
   that holds the mesh: one after the other, and those around the particles that they move, until none is too long, or
   it would take too long.

   Layers note the rods that were far off before they were projected. A particle that is moved far leaves the rods
   around it too long, so the ends of such rods are where to look. For a particle in the queue all its rods are
   checked. One that is too long is shortened until it is not much too long (not to its full length, which would make
   its neighbours too long), and both ends are queued. It is an ordinary largest distance, so it keeps momentum and
   adds no energy. The order is that of batches, and then of the queue: first tiles in parallel, then, on one thread,
   rods from one tile to another. */
#include "solvers/hierarchy_work.h"
#include "solvers/tiled_work.h"

#include <string.h>

/* Rods that are off by more than this, by share, are noted before they are moved: those that are too short, too, since what they push away
   leaves others too long. What is left so much too long, times TOO_LONG, is shortened to SHORTENED times that.

   Where more than MANY of the particles of a mesh would be looked at, as in a cloth that is torn through the air, what is mended from that pass of
   a step on is what is off by more: LONGER times as much for each MORE times as many. Otherwise the threshold is the same in all passes. With one that fell towards the end of a step, what the passes
   before had left too long was shortened at once, and a net gained a tenth of its energy. */
#define LONGER    1.5
#define TOO_LONG  1.6
#define SHORTENED 0.5
#define STEEPEST  9u
#define MANY      0.3
#define MORE      1.4

/* Particles that are looked at, at most, for each one of a tile, and as many more for each one of a mesh, by the share of its noted rods that a
   tile has: all of the front of a fold may be in one. */
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

void sn_tiled_note_off(const sn_tiled *t, uint32_t batch, uint32_t lane, uint32_t kind, uint32_t row, sn_real off_from)
{
    const sn_frame *frame = &t->in->frame;
    const sn_pool *pool = t->in->store->pool[kind];
    const uint32_t *point = pool->point + (size_t)row * 2;
    const uint32_t a = frame->slot[point[0]], b = frame->slot[point[1]];
    const sn_vec3 apart = vec3_add(vec3_sub(vec4_xyz(frame->x[a]), vec4_xyz(frame->x[b])),
                                   vec3_sub(vec4_xyz(frame->d[a]), vec4_xyz(frame->d[b])));
    const sn_hierarchy *h = &((const tiled *)t->in->scratch->tiled)->hierarchy;
    const sn_real rest = pool->param[(size_t)row * pool->param_count], off = vec3_length(apart) - rest;
    if ((kind == SN_KIND_DISTANCE && off < 0 ? -off : off) > off_from * rest)
        h->far_off[batch] |= (uint16_t)(1u << lane);
}

typedef struct mending {
    const layer *l;
    const sn_hierarchy *h;
    const uint8_t *touched;
    sn_vec4 *x, *low;
    uint32_t first_slot, slots;    /* that are mended: of one tile, or all, */
    const sn_hierarchy_home *home; /*   of one tile: where it is; otherwise NULL */
    /* The queue: a ring of so many slots, */
    uint32_t *ring;
    uint32_t size, first, count; /*   of which these are in it */
} mending;

static void enqueue(mending *m, uint32_t slot)
{
    if (m->h->queued[slot])
        return;
    m->h->queued[slot] = true;
    const uint32_t at = m->first + m->count++;
    m->ring[at < m->size ? at : at - m->size] = slot;
}

/* The rods of a particle wait in memory, mostly: those of one that comes AHEAD later are fetched. */
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

/* Where a particle is: in planes, or in storage, where that of those that are exchanged is the last. */
typedef struct whereabouts {
    sn_real *x, *low; /* low: NULL where places themselves are moved */
    size_t apart;     /* from one coordinate to the next */
} whereabouts;

static inline whereabouts find(const mending *m, uint32_t slot)
{
    const sn_hierarchy_home *home = m->home ? m->home : &m->h->home[m->h->tile_of[slot]];
    if (!home->plane || m->touched[slot])
        return (whereabouts){&m->x[slot].x, home->coarse ? NULL : &m->low[slot].x, 1};
    sn_real *at = home->plane + m->h->place[slot];
    return (whereabouts){at, home->coarse ? NULL : at + SN_PLANE_D * SN_BATCH, SN_BATCH};
}

static sn_vec3 read(const sn_real *from, size_t apart)
{
    return from ? vec3(from[0], from[apart], from[2 * apart]) : vec3(0, 0, 0);
}

static void move(const whereabouts *at, sn_vec3 by)
{
    sn_real *to = at->low ? at->low : at->x;
    to[0] += by.x;
    to[at->apart] += by.y;
    to[2 * at->apart] += by.z;
}

/* Gives whether some of its rods lead out of the tile that is mended, and were left. */
static bool look_at(mending *m, uint32_t slot)
{
    bool left = false;
    const sn_hierarchy *h = m->h;
    if (h->rod_start[slot] == h->rod_start[slot + 1]) /* it is in no stiff mesh */
        return false;
    const sn_hierarchy_home *home =
        m->home ? m->home : &h->home[h->tile_of[slot]]; /* rods lead to tiles of the same mesh */
    const whereabouts a = find(m, slot);
    sn_vec3 x = read(a.x, a.apart), low = read(a.low, a.apart);
    for (uint32_t e = h->rod_start[slot]; e < h->rod_start[slot + 1]; ++e) {
        const uint32_t other = h->rod[e].to;
        if (other - m->first_slot >= m->slots) {
            left = true;
            continue;
        }
        const whereabouts b = find(m, other);
        const sn_vec3 apart = vec3_add(vec3_sub(x, read(b.x, b.apart)), vec3_sub(low, read(b.low, b.apart)));
        const sn_real rest = h->rod[e].rest, most = home->too_long * rest, square = vec3_dot(apart, apart);
        if (!(square > most * most))
            continue;
        const sn_real w = m->x[slot].w, w_other = m->x[other].w, give = w + w_other;
        if (!(give > 0))
            continue;
        const sn_real length = real_sqrt(square), share = (home->shortened * rest - length) / (give * length);
        move(&a, vec3_scale(apart, share * w));
        move(&b, vec3_scale(apart, -share * w_other));
        x = read(a.x, a.apart);
        low = read(a.low, a.apart);
        enqueue(m, slot);
        enqueue(m, other);
    }
    return left;
}

/* Where the tiles of stiff meshes are in this pass, and what is mended in them: by mesh, so that it does not depend on others. */
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
        home->too_long = (sn_real)(1 + TOO_LONG * by);
        home->shortened = (sn_real)(1 + SHORTENED * TOO_LONG * by);
    }
}

static void queue_batch(mending *m, const sn_tile *tile, const sn_plan_run *run, uint32_t batch)
{
    for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
        for (uint32_t k = 0; (m->h->far_off[batch] >> lane & 1) && k < 2; ++k) {
            enqueue(m, sn_plan_slot(m->l->plan, tile, run, 2, batch - run->batch, lane, k));
        }
    m->h->far_off[batch] = 0;
}

/* The next batch from b on, before `end`, in which something is noted: mostly nothing is, in many. What follows `end` may be another tile's, on
   another thread. */
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

static void queue_runs(mending *m, const sn_tile *tile)
{
    for (uint32_t r = tile->run; r < tile->run + tile->runs; ++r) {
        const sn_plan_run *run = &m->l->plan->run[r];
        const uint32_t end = run->batch + run->batches;
        for (uint32_t b = run->batch; (b = next_noted(m->h, b, end)) < end; ++b)
            queue_batch(m, tile, run, b);
    }
}

void sn_tiled_count_off(const layer *l, const sn_tile *tile)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    uint32_t count = 0;
    if (!l->t->stiffens || !h->mesh_table.count)
        return;
    const uint32_t index = (uint32_t)(tile - l->plan->tile);
    const bool others = l->is_first && h->part_of[index] == h->part_of[index + 1]; /* nothing of it is mended */
    for (uint32_t r = others ? tile->run + tile->runs : tile->run; r < tile->run + tile->runs; ++r)
        for (uint32_t b = l->plan->run[r].batch, end = b + l->plan->run[r].batches; (b = next_noted(h, b, end)) < end;
             ++b)
            for (uint32_t left = h->far_off[b]; left; left &= left - 1)
                count++;
    h->mended[index] = (sn_hierarchy_mended){.noted = count};
}

static uint32_t most_looks(const sn_hierarchy_mended *mended, const sn_tile *tile, uint32_t noted)
{
    const sn_hierarchy_mended *mesh = &mended[tile->body];
    const double share = noted ? (double)noted / mesh->noted_in_mesh : 0;
    return (uint32_t)(MOST_LOOKS * (tile->count + share * mesh->particles));
}

/* A tile by itself. What has rods that lead out of it is noted, for when all tiles have been mended. */
static void mend_tile(void *data, uint32_t index, uint32_t worker)
{
    mending m = *(const mending *)data;
    const sn_tile *tile = &m.l->plan->tile[m.h->tile[index]];
    uint32_t *left = &m.h->mended[m.h->tile[index]].left;
    (void)worker;
    m.home = &m.h->home[m.h->tile[index]];
    m.first_slot = tile->first;
    m.slots = tile->count;
    m.ring = m.h->queue + tile->first;
    m.size = tile->count;
    queue_runs(&m, tile);
    for (uint32_t looks = most_looks(m.h->mended, tile, m.h->mended[m.h->tile[index]].noted); m.count;
         looks -= looks > 0) {
        const uint32_t slot = dequeue(&m);
        if (looks && look_at(&m, slot) && !m.h->leads_out[slot]) {
            m.h->leads_out[slot] = true;
            m.h->left[tile->first + (*left)++] = slot;
        }
    }
}

/* What is left between tiles, and what that moves. */
static void mend_between(mending *m)
{
    const sn_hierarchy *h = m->h;
    const sn_plan *plan = m->l->plan;
    m->ring = h->queue;
    m->size = h->slots;
    for (uint32_t i = 0; i < h->tile_table.count; ++i) {
        const uint32_t first = plan->tile[h->tile[i]].first;
        for (uint32_t k = 0; k < h->mended[h->tile[i]].left; ++k) {
            h->leads_out[h->left[first + k]] = false;
            enqueue(m, h->left[first + k]);
        }
    }
    for (uint32_t t = plan->layer[1]; t < plan->tile_table.count; ++t)
        if (h->mended[t].noted)
            queue_runs(m, &plan->tile[t]);
    for (uint32_t looks = (uint32_t)(MOST_LOOKS * h->slots); m->count; looks -= looks > 0) {
        const uint32_t slot = dequeue(m);
        if (looks)
            look_at(m, slot);
    }
}

/* ns of a particle that is looked at, about. */
#define WORK_OF_LOOK 100.0

bool sn_tiled_mend(const layer *l)
{
    const sn_hierarchy *h = &l->scratch->hierarchy;
    const sn_plan *plan = l->plan;
    mending m = {.l = l,
                 .h = h,
                 .touched = l->scratch->touched_table.column[0],
                 .x = l->t->motion->x,
                 .low = l->t->motion->x_low,
                 .slots = h->slots};
    if (!l->t->stiffens || !h->mesh_table.count)
        return true;
    uint32_t noted = 0;
    for (uint32_t t = 0; t < plan->tile_table.count; ++t)
        noted += h->mended[t].noted;
    if (!noted)
        return true;
    find_homes(&m);
    const bool share = sn_parallel_wants(l->t->in->parallel, noted * WORK_OF_LOOK);
    if (!sn_parallel_tasks(share ? l->t->in->parallel : NULL, h->tile_table.count, mend_tile, &m))
        return false;
    mend_between(&m);
    return true;
}
