#include "solvers/plan.h"

#include "solvers/plan_work.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void sn_plan_init(sn_plan *plan)
{
    *plan = (sn_plan){0};
    sn_table_column(&plan->feature_table, sizeof *plan->feature, false);
    sn_table_column(&plan->watched_table, sizeof *plan->watched, false);
#define SN_PLAN_TABLE(type, name) sn_table_column(&plan->name##_table, sizeof(type), true);
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
}

void sn_plan_watch_none(sn_plan *plan)
{
    plan->any_watched = false;
    if (plan->run_table.count)
        memset(plan->watched, 0, plan->run_table.count * sizeof *plan->watched);
}

void sn_plan_release(sn_plan *plan, const sn_allocator *allocator)
{
#define SN_PLAN_TABLE(type, name) sn_table_release(&plan->name##_table, allocator);
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
    sn_table_release(&plan->feature_table, allocator);
    sn_table_release(&plan->watched_table, allocator);
    plan->made = false;
}

void sn_plan_bind(sn_plan *plan)
{
#define SN_PLAN_TABLE(type, name) plan->name = plan->name##_table.column[0];
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
}

static void clear(sn_plan *plan)
{
    plan->made = false;
    plan->loose = plan->widest_rows = 0;
#define SN_PLAN_TABLE(type, name) plan->name##_table.count = 0;
    SN_PLAN_ARRAYS(SN_PLAN_TABLE)
    SN_PLAN_COPIES(SN_PLAN_TABLE)
#undef SN_PLAN_TABLE
}

void *sn_plan_scratch(plan_work *w, size_t count, size_t size)
{
    size_t bytes = count * size + 1;
    void *block = w->failed || w->blocks == PLAN_BLOCKS ? NULL : sn_allocate(w->allocator, bytes);
    if (!block) {
        w->failed = true;
        return NULL;
    }
    w->block[w->blocks] = block;
    w->block_size[w->blocks++] = bytes;
    return block;
}

static void *zeroed(plan_work *w, size_t count, size_t size)
{
    void *block = sn_plan_scratch(w, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void *sn_plan_grow(plan_work *w, sn_table *table, uint32_t more)
{
    if (w->failed || !sn_table_reserve(table, w->allocator, (uint64_t)table->count + more)) {
        w->failed = true;
        return NULL;
    }
    void *at = table->capacity ? (char *)table->column[0] + (size_t)table->count * table->width[0]
                               : NULL; /* an empty table has no memory */
    table->count += more;
    return at;
}

bool sn_plan_open_layer(plan_work *w)
{
    uint32_t *layer = sn_plan_grow(w, &w->plan->layer_table, 1);
    if (layer)
        *layer = w->plan->tile_table.count;
    return layer != NULL;
}

/* ---- Reading the constraints ------------------------------------------------------------------------------------- */

/* Whether a constraint can be part of a tile. Other constraints are evaluated in scratch of the store. */
static bool fits_tile(const sn_pool *pool)
{
    return !pool_has_lists(pool) && !pool->kind->project;
}

sn_plan_form sn_plan_form_of(const sn_store *store, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = store->pool[kind];
    sn_plan_form form = SN_FORM_PLAIN;
    if (!pool->kind->lanes || pool->kind->force || !fits_tile(pool) || store_compromise(store, pool, row))
        return SN_FORM_SINGLE;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        uint32_t code = pool->point[(size_t)row * pool->kind->points + i];
        if (!(code & SN_ANCHOR_BIT))
            continue;
        if (store->anchor[code & ~SN_ANCHOR_BIT].type == SN_POINT_PARTICLES)
            return SN_FORM_WEIGHTED;
        form = SN_FORM_ANCHORED;
    }
    return form;
}

uint32_t sn_plan_owner(const sn_plan *plan, uint32_t slot)
{
    uint32_t low = 0, high = plan->layer[1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->tile[middle].first <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool sn_plan_damps(const sn_store *store, uint32_t kind, uint32_t row)
{
    const sn_pool *pool = store->pool[kind];
    return pool->kind->own_rows || pool->give[row].damping * pool->give[row].compliance != 0;
}

bool sn_plan_gives(const sn_store *store, uint32_t kind, uint32_t row)
{
    const sn_give *give = &store->pool[kind]->give[row];
    return give->damping * give->compliance != 0 || give->stiffness != 1;
}

uint32_t sn_plan_once(uint32_t *particle, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k = 0;
        while (k < kept && particle[k] != particle[i])
            ++k;
        if (k == kept)
            particle[kept++] = particle[i];
    }
    return kept;
}

static void read_items(plan_work *w)
{
    sn_store *store = w->store;
    uint32_t total = 0, room = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        if (!pool->ids.live || pool->kind->force || !fits_tile(pool))
            continue;
        room += pool->ids.live * pool->kind->points;
        total += pool->ids.live;
    }
    room += 4 * (store->anchor_table.count - store->counts.free_anchors);
    w->item = sn_plan_scratch(w, total, sizeof *w->item);
    w->particle = sn_plan_scratch(w, (size_t)room + SN_MAX_BLOCK, sizeof *w->particle);
    if (w->failed)
        return;
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i) {
        uint32_t kind = store->run[r].kind, row = store->run[r].first + i, count = 0;
        const sn_pool *pool = store->pool[kind];
        if (pool->kind->force)
            continue;
        if (!fits_tile(pool)) {
            sn_visit *visit = sn_plan_grow(w, &w->plan->many_table, 1);
            if (!visit)
                return;
            *visit = (sn_visit){kind, row};
            continue;
        }
        uint32_t *to = w->particle + w->particle_count;
        sn_plan_form form = sn_plan_form_of(store, kind, row);
        if (form == SN_FORM_PLAIN) { /* no particle is repeated */
            count = pool->kind->points;
            memcpy(to, pool->point + (size_t)row * count, count * sizeof *to);
        } else {
            sn_store_particles(store, pool, row, to, &count);
            count = sn_plan_once(to, count);
        }
        w->item[w->items++] = (plan_item){.kind = (uint16_t)kind,
                                          .row = row,
                                          .first = w->particle_count,
                                          .count = (uint16_t)count,
                                          .form = (uint8_t)form};
        w->particle_count += count;
    }
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static void find_bodies(plan_work *w)
{
    for (uint32_t i = 0; i < w->particles->numbers; ++i)
        w->parent[i] = i;
    for (uint32_t i = 0; i < w->items; ++i) {
        if (i + PLAN_AHEAD < w->items)
            for (uint32_t k = 0; k < w->item[i + PLAN_AHEAD].count; ++k)
                PLAN_FETCH(&w->parent[w->particle[w->item[i + PLAN_AHEAD].first + k]]);
        for (uint32_t k = 1; k < w->item[i].count; ++k)
            sets_join_marked(w->parent, w->particle[w->item[i].first], w->particle[w->item[i].first + k]);
    }
    for (uint32_t i = 0; i < w->items; ++i)
        w->body_work[sets_find_marked(w->parent, w->particle[w->item[i].first])]++;
    for (uint32_t i = 0; i < w->particles->numbers; ++i)
        w->loop[i] = sets_is_marked(w->parent, i);
}

/* Turns counts, at start[number + 1], into the beginnings of the lists of particles. */
static void add_up(uint32_t *start, uint32_t numbers)
{
    for (uint32_t i = 0; i < numbers; ++i)
        start[i + 1] += start[i];
}

/* Undoes the filling of the lists, which moved each beginning to its end. */
static void move_back(uint32_t *start, uint32_t numbers)
{
    memmove(start + 1, start, numbers * sizeof *start);
    start[0] = 0;
}

/* Prefetches where the particles of an item will be entered. */
static void ask_for_neighbours(const plan_work *w, uint32_t i)
{
    if (i >= w->items)
        return;
    const uint32_t *p = w->particle + w->item[i].first;
    PLAN_FETCH(&w->of_first[w->first[p[0]]]);
    for (uint32_t k = 0; k < w->item[i].count; ++k)
        PLAN_FETCH(&w->neighbour[w->start[p[k]]]);
}

static void find_neighbours(plan_work *w)
{
    uint32_t numbers = w->particles->numbers;
    for (uint32_t i = 0; i < w->items; ++i) {
        const plan_item *item = &w->item[i];
        const uint32_t *p = w->particle + item->first;
        w->first[p[0] + 1]++;
        for (uint32_t k = 0; k < item->count; ++k) {
            w->start[p[k] + 1] += item->count - 1u;
            w->valence[p[k]]++;
        }
    }
    add_up(w->start, numbers);
    add_up(w->first, numbers);
    w->neighbour = sn_plan_scratch(w, w->start[numbers], sizeof *w->neighbour);
    w->of_first = sn_plan_scratch(w, w->items, sizeof *w->of_first);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->items; ++i) {
        const plan_item *item = &w->item[i];
        const uint32_t *p = w->particle + item->first;
        ask_for_neighbours(w, i + PLAN_AHEAD);
        w->of_first[w->first[p[0]]++] = i;
        for (uint32_t k = 0; k < item->count; ++k)
            for (uint32_t other = 0; other < item->count; ++other)
                if (other != k)
                    w->neighbour[w->start[p[k]]++] = p[other];
    }
    move_back(w->start, numbers);
    move_back(w->first, numbers);
}

/* Takes out the constraints of hubs, which come after all others. */
static void set_hubs_aside(plan_work *w)
{
    for (uint32_t i = 0; i < w->items; ++i) {
        plan_item *item = &w->item[i];
        bool hub = false;
        for (uint32_t k = 0; k < item->count && item->count > 1 && !item->done; ++k)
            hub = hub || w->valence[w->particle[item->first + k]] > HUB_VALENCE;
        if (!hub)
            continue;
        sn_visit *visit = sn_plan_grow(w, &w->plan->hub_table, 1);
        if (!visit)
            return;
        *visit = (sn_visit){item->kind, item->row};
        item->done = true;
        item->form = SN_FORM_SINGLE;
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

static void take(plan_work *w, uint32_t number, uint32_t tile)
{
    w->tile[w->ordered] = tile;
    w->slot[number] = w->ordered;
    w->order[w->ordered++] = number;
}

/* The growth of the tiles of one body. Particles that did not fit into one tile are the seeds of the next. */
typedef struct growth {
    uint32_t *queue;
    uint32_t *seed;
    uint32_t seeds, next_seed;
    const uint32_t *member; /* of the body, by number; those in planes have slots already */
    uint32_t members, next_member;
} growth;

/* Grows a tile from a seed, nearest particles first, until the tile or the body is full. It does not grow through hubs.
   Returns the number of particles. */
static uint32_t grow_tile(plan_work *w, growth *g, uint32_t from, uint32_t tile, uint32_t room)
{
    uint32_t head = 0, tail = 0;
    g->queue[tail++] = from;
    take(w, from, tile);
    while (head < tail) {
        uint32_t number = g->queue[head++];
        if (w->valence[number] > HUB_VALENCE)
            continue;
        for (uint32_t i = w->start[number]; i < w->start[number + 1]; ++i) {
            uint32_t other = w->neighbour[i];
            if (w->slot[other] != PLAN_NONE)
                continue;
            if (tail < room) {
                take(w, other, tile);
                g->queue[tail++] = other;
            } else if (!w->shared[other]) { /* `shared` marks seeds here; it is not yet in use otherwise */
                w->shared[other] = true;
                g->seed[g->seeds++] = other;
            }
        }
    }
    return tail;
}

static uint32_t next_seed(plan_work *w, growth *g)
{
    while (g->next_seed < g->seeds)
        if (w->slot[g->seed[g->next_seed++]] == PLAN_NONE)
            return g->seed[g->next_seed - 1];
    while (g->next_member < g->members)
        if (w->slot[g->member[g->next_member++]] == PLAN_NONE)
            return g->member[g->next_member - 1];
    return PLAN_NONE;
}

/* Stores particles without constraints, in tiles of their own: whether a tile is coarse or still depends on all of its
   particles. */
static void cut_loose_tiles(plan_work *w)
{
    sn_tile *tile = NULL;
    w->plan->loose = w->ordered;
    for (uint32_t number = 0; number < w->particles->numbers; ++number) {
        if (w->slot[number] != PLAN_NONE || w->particles->slot[number] == SN_NO_SLOT)
            continue;
        if (!tile || tile->count == TILE_LOOSE) {
            tile = sn_plan_grow(w, &w->plan->tile_table, 1);
            if (!tile)
                return;
            *tile = (sn_tile){.first = w->ordered};
        }
        take(w, number, w->plan->tile_table.count - 1);
        tile->count++;
    }
}

/* The number of particles of a tile of a body with this work, in constraints, and this many particles in tiles of
   records. There are enough tiles to distribute, all of the same size. If there are 16 or more, their number is a
   multiple of 16. */
static uint32_t tile_size(uint32_t work, uint32_t particles)
{
    uint32_t tiles = work < BODY_WHOLE ? 1 : work / TILE_WORK, least = (particles + TILE_RECORDS - 1) / TILE_RECORDS;
    tiles = tiles > TILES_OF_BODY ? TILES_OF_BODY : tiles;
    tiles = tiles >= 16 ? tiles / 16 * 16 : tiles;
    tiles = tiles < least ? least : tiles;
    return (particles + tiles - 1) / tiles;
}

/* Cuts a body. A body of one tile shares it with other such bodies, if there is space; a larger one has tiles of its
   own. So where a body is cut depends only on the body. A body without loops, such as a rope, is cut only if it must
   be: it is visited from end to end. *room: the space left in the tile of small bodies, which is the last tile if it is
   not 0. */
static void cut_body(plan_work *w, growth *g, uint32_t *room)
{
    uint32_t body = sets_find_marked(w->parent, g->member[0]), work = w->loop[body] ? w->body_work[body] : 0;
    const uint32_t packed = w->particles->numbers > TILE_SMALL ? TILE_PACKED : TILE_SMALL;
    uint32_t size = tile_size(work, g->members), left = size == g->members && *room >= size ? *room : 0;
    sn_tile *tile = w->plan->tile_table.column[0]; /* no other table grows meanwhile */
    tile = left ? tile + w->plan->tile_table.count - 1 : NULL;
    for (uint32_t seed; (seed = next_seed(w, g)) != PLAN_NONE;) {
        if (!left) {
            tile = sn_plan_grow(w, &w->plan->tile_table, 1);
            if (!tile)
                return;
            *tile = (sn_tile){.first = w->ordered};
            left = size == g->members && size < packed ? packed : size;
        }
        uint32_t taken = grow_tile(w, g, seed, w->plan->tile_table.count - 1, left);
        tile->count += taken;
        left -= taken;
    }
    *room = size == g->members ? left : 0;
}

/* Lists the particles of tiles of records body by body, by number. end: by the lowest number of a body, the end of its
   list. Returns their number. */
static uint32_t list_members(plan_work *w, uint32_t *member, uint32_t *end)
{
    uint32_t numbers = w->particles->numbers, total = 0;
    for (uint32_t i = 0; i < numbers; ++i)
        if (w->slot[i] == PLAN_NONE && w->valence[i] > 0)
            end[sets_find_marked(w->parent, i)]++;
    for (uint32_t i = 0; i < numbers; ++i) {
        uint32_t count = end[i];
        end[i] = total;
        total += count;
    }
    for (uint32_t i = 0; i < numbers; ++i)
        if (w->slot[i] == PLAN_NONE && w->valence[i] > 0)
            member[end[sets_find_marked(w->parent, i)]++] = i;
    return total;
}

static bool joins_tiles(const plan_work *w, uint32_t number)
{
    uint32_t tile = w->tile[w->slot[number]];
    for (uint32_t i = w->start[number]; i < w->start[number + 1]; ++i)
        if (w->tile[w->slot[w->neighbour[i]]] != tile)
            return true;
    return false;
}

/* Walks along the border of a tile, from neighbour to neighbour. stack has space for the tile. */
static void walk_border(plan_work *w, uint32_t from, uint32_t *stack, uint32_t *order, uint32_t *ordered)
{
    uint32_t depth = 0, tile = w->tile[w->slot[from]];
    stack[depth++] = from;
    w->shared[from] = false;
    while (depth) {
        uint32_t number = order[(*ordered)++] = stack[--depth];
        for (uint32_t i = w->start[number]; i < w->start[number + 1]; ++i) {
            uint32_t other = w->neighbour[i];
            if (!w->shared[other] || w->tile[w->slot[other]] != tile)
                continue;
            w->shared[other] = false;
            stack[depth++] = other;
        }
    }
}

/* Stores the particles at the border of a tile last, neighbours beside each other. Later layers move them between
   cores, and so use few cache lines, and whole ones. */
static void store_borders_last(plan_work *w, const sn_tile *tile, uint32_t *order)
{
    uint32_t ordered = 0, end = tile->first + tile->count;
    for (uint32_t slot = tile->first; slot < end; ++slot) {
        uint32_t number = w->order[slot];
        w->shared[number] = joins_tiles(w, number);
        if (!w->shared[number])
            order[ordered++] = number;
    }
    for (uint32_t slot = tile->first; slot < end; ++slot)
        if (w->shared[w->order[slot]])
            walk_border(w, w->order[slot], w->queue, order, &ordered);
    for (uint32_t i = 0; i < tile->count; ++i) {
        w->order[tile->first + i] = order[i];
        w->slot[order[i]] = tile->first + i;
    }
}

static void cut_tiles(plan_work *w)
{
    uint32_t numbers = w->particles->numbers, *member = sn_plan_scratch(w, numbers, sizeof *member), room = 0;
    uint32_t *end = zeroed(w, numbers, sizeof *end);
    if (w->failed)
        return;
    uint32_t total = list_members(w, member, end);
    for (uint32_t i = 0, from = 0; i < numbers && from < total && !w->failed; from = end[i++]) {
        growth g = {.queue = w->queue, .seed = w->claim, .member = member + from, .members = end[i] - from};
        if (g.members)
            cut_body(w, &g, &room);
    }
    memset(w->shared, 0, numbers * sizeof *w->shared);
    const sn_tile *tile = w->plan->tile_table.column[0];
    for (uint32_t t = 0; t < w->plan->tile_table.count && !w->failed; ++t)
        if (!tile[t].rows)
            store_borders_last(w, &tile[t], member);
    cut_loose_tiles(w);
    memset(w->claim, 0, numbers * sizeof *w->claim);
}

/* ---- By slot: from here on, particles are given by slot ---------------------------------------------------------- */

static uint32_t lowest_slot(const plan_work *w, const plan_item *item)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t k = 0; k < item->count; ++k) {
        uint32_t slot = w->slot[w->particle[item->first + k]];
        lowest = slot < lowest ? slot : lowest;
    }
    return lowest;
}

/* Sorts the remaining items by their first particle in storage, so that a colour goes through memory from one end to
   the other, as does what follows here. Particles are given by slot from now on. */
static void go_by_slot(plan_work *w)
{
    uint32_t *start = zeroed(w, (size_t)w->ordered + 2, sizeof *start), left = 0, used = 0;
    uint32_t *lowest = sn_plan_scratch(w, w->items, sizeof *lowest),
             *sorted = sn_plan_scratch(w, w->items, sizeof *sorted);
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->items; ++i)
        if (!w->item[i].done) {
            lowest[i] = lowest_slot(w, &w->item[i]);
            start[lowest[i] + 1]++;
            used += w->item[i].count;
            left++;
        }
    add_up(start, w->ordered);
    for (uint32_t i = 0; i < w->items; ++i) {
        if (i + PLAN_AHEAD < w->items && !w->item[i + PLAN_AHEAD].done)
            PLAN_FETCH(&sorted[start[lowest[i + PLAN_AHEAD]]]);
        if (!w->item[i].done)
            sorted[start[lowest[i]]++] = i;
    }
    plan_item *item = sn_plan_scratch(w, left, sizeof *item);
    uint32_t *particle = sn_plan_scratch(w, used, sizeof *particle), count = 0;
    if (w->failed)
        return;
    for (uint32_t i = 0; i < left; ++i) {
        if (i + 2 * PLAN_AHEAD < left)
            PLAN_FETCH(&w->item[sorted[i + 2 * PLAN_AHEAD]]);
        if (i + PLAN_AHEAD < left)
            PLAN_FETCH(w->particle + w->item[sorted[i + PLAN_AHEAD]].first);
        plan_item it = w->item[sorted[i]];
        const uint32_t *p = w->particle + it.first;
        it.phase = it.count == 1 ? PLAN_SINGLES : w->loop[p[0]] ? PLAN_WITH_LOOPS : PLAN_WITHOUT_LOOPS;
        it.first = count;
        for (uint32_t k = 0; k < it.count; ++k)
            particle[count++] = w->slot[p[k]];
        item[i] = it;
    }
    w->item = item;
    w->items = left;
    w->particle = particle;
    w->particle_count = count;
}

/* ---- The first layer --------------------------------------------------------------------------------------------- */

/* The tile of records that has all particles of an item; PLAN_NONE if there is none. */
static uint32_t home_of(const plan_work *w, const plan_item *item)
{
    uint32_t tile = w->tile[w->particle[item->first]];
    for (uint32_t k = 1; k < item->count; ++k)
        if (w->tile[w->particle[item->first + k]] != tile)
            return PLAN_NONE;
    /* Tiles of planes have their constraints already. */
    return ((const sn_tile *)w->plan->tile_table.column[0])[tile].rows ? PLAN_NONE : tile;
}

static void mark_shared(plan_work *w)
{
    for (uint32_t i = 0; i < w->items; ++i) {
        const plan_item *item = &w->item[i];
        if (item->count == 1 || home_of(w, item) != PLAN_NONE)
            continue;
        for (uint32_t k = 0; k < item->count; ++k)
            w->shared[w->particle[item->first + k]] = true;
    }
}

/* The tile of the first layer for an item. Constraints of one particle come last: in its tile, unless later layers act
   on the particle. */
static uint32_t first_layer_tile(const plan_work *w, const plan_item *item)
{
    return item->count == 1 && w->shared[w->particle[item->first]] ? PLAN_NONE : home_of(w, item);
}

static uint32_t lowest_of(const plan_work *w, const plan_item *item)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t k = 0; k < item->count; ++k)
        lowest = w->particle[item->first + k] < lowest ? w->particle[item->first + k] : lowest;
    return lowest;
}

/* Items are in the order of storage, so those of a tile are consecutive, except for some that leave it. */
static void plan_first_layer(plan_work *w)
{
    uint32_t *list = sn_plan_scratch(w, w->items, sizeof *list), at = 0;
    for (uint32_t t = 0; t < w->plan->tile_table.count && !w->failed; ++t) {
        sn_tile tile = ((sn_tile *)w->plan->tile_table.column[0])[t];
        uint32_t count = 0;
        for (; at < w->items && w->tile[lowest_of(w, &w->item[at])] == t; ++at)
            if (first_layer_tile(w, &w->item[at]) == t)
                list[count++] = at;
        if (tile.rows)
            continue;
        sn_plan_records(w, list, count, true, &tile);
        ((sn_tile *)w->plan->tile_table.column[0])[t] = tile;
        for (uint32_t i = 0; i < count; ++i)
            w->item[list[i]].done = true;
    }
}

/* ---- Memory of batches ------------------------------------------------------------------------------------------- */

/* Reserves the tables of batches, which are nearly full where there are many constraints. Otherwise the tables would be
   copied as they grow. */
static void reserve_batches(plan_work *w)
{
    uint64_t lanes = 0, indices = 0, params = 0;
    for (uint32_t i = 0; i < w->items; ++i)
        if (w->item[i].form == SN_FORM_PLAIN) {
            lanes++;
            indices += w->store->pool[w->item[i].kind]->kind->points;
            params += w->store->pool[w->item[i].kind]->param_count;
        }
    sn_table *const table[] = {&w->plan->row_table, &w->plan->compliance_table, &w->plan->near_table,
                               &w->plan->param_table, &w->plan->mask_table};
    const uint64_t more[] = {lanes, lanes, indices, params, lanes / SN_BATCH};
    for (uint32_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (lanes >= TILE_RECORDS &&
            !sn_table_reserve(table[i], w->allocator, table[i]->count + more[i] + more[i] / SN_BATCH))
            w->failed = true;
}

/* ---- Making it --------------------------------------------------------------------------------------------------- */

/* Whether all owners of the particles of a tile of a later layer are large: the tile can be coarse only if they are. */
static bool are_owners_large(const plan_work *w, const sn_tile *tile, const uint32_t *list)
{
    const sn_tile *first = w->plan->tile_table.column[0];
    bool large = true;
    for (uint32_t i = 0; i < tile->count && large; ++i)
        large = first[w->tile[list[i]]].large;
    return large;
}

/* The body of a tile; SN_ID_FREE: it has particles of several bodies. */
static uint32_t body_of(const plan_work *w, const sn_tile *tile, const uint32_t *list)
{
    uint32_t body = tile->count ? plan_body(w, list ? list[0] : tile->first) : SN_ID_FREE;
    for (uint32_t i = 1; i < tile->count && body != SN_ID_FREE; ++i)
        if (plan_body(w, list ? list[i] : tile->first + i) != body)
            body = SN_ID_FREE;
    return body;
}

/* Whether a particle of a tile of the first layer is marked. */
static bool has_tree(const plan_work *w, const sn_tile *tile, const bool *mark)
{
    bool any = false;
    for (uint32_t i = 0; i < tile->count && !any; ++i)
        any = mark[w->order[tile->first + i]];
    return any;
}

/* Sets `large`, `tree_like` and `body` of all tiles. */
static void name_bodies(plan_work *w)
{
    sn_tile *tile = w->plan->tile_table.column[0];
    const uint32_t *layer = w->plan->layer_table.column[0], *list = w->plan->list_table.column[0];
    uint32_t *first = w->queue; /* by the lowest number of a body: 1 + the first tile; 0: none */
    memset(first, 0, w->particles->numbers * sizeof *first);
    for (uint32_t i = 0; i < w->plan->tile_table.count; ++i) {
        const uint32_t *own = i < layer[1] ? NULL : list + tile[i].first;
        uint32_t body = body_of(w, &tile[i], own);
        tile[i].large = body != SN_ID_FREE && w->body_work[body] >= PLAN_LEAST_LARGE &&
                        (own ? are_owners_large(w, &tile[i], own) : !has_tree(w, &tile[i], w->in_tree));
        tile[i].tree_like = !own && has_tree(w, &tile[i], w->tree_like);
        tile[i].body = i;
        if (!tile[i].large)
            continue;
        first[body] = first[body] ? first[body] : i + 1;
        tile[i].body = first[body] - 1;
    }
}

static void make(plan_work *w)
{
    uint32_t numbers = w->particles->numbers, count = w->particles->count;
    read_items(w);
    w->parent = sn_plan_scratch(w, numbers, sizeof *w->parent);
    w->start = zeroed(w, (size_t)numbers + 2, sizeof *w->start);
    w->first = zeroed(w, (size_t)numbers + 2, sizeof *w->first);
    w->valence = zeroed(w, numbers, sizeof *w->valence);
    w->loop = sn_plan_scratch(w, numbers, sizeof *w->loop);
    w->slot = sn_plan_scratch(w, numbers, sizeof *w->slot);
    w->claim = zeroed(w, numbers, sizeof *w->claim);
    w->body_work = zeroed(w, numbers, sizeof *w->body_work);
    w->shared = zeroed(w, numbers, sizeof *w->shared);
    w->in_tree = zeroed(w, numbers, sizeof *w->in_tree);
    w->tree_like = zeroed(w, numbers, sizeof *w->tree_like);
    w->queue = sn_plan_scratch(w, (size_t)numbers + 2 * 128 + 2, sizeof *w->queue);
    w->tile = sn_plan_scratch(w, count, sizeof *w->tile);
    w->stamp = zeroed(w, count, sizeof *w->stamp);
    w->used = sn_plan_scratch(w, count, sizeof *w->used);
    w->last = sn_plan_scratch(w, count, sizeof *w->last);
    w->claim_stamp = zeroed(w, count, sizeof *w->claim_stamp);
    uint32_t most = w->items > 32 * (TILE_MOST / SN_BATCH) ? w->items : 32 * (TILE_MOST / SN_BATCH);
    w->sort = sn_plan_scratch(w, most, sizeof *w->sort);
    w->sort_scratch = sn_plan_scratch(w, most, sizeof *w->sort_scratch);
    if (w->failed)
        return;
    memset(w->slot, 0xff, numbers * sizeof *w->slot);
    find_bodies(w);
    find_neighbours(w);
    if (w->failed)
        return;
    sn_plan_trees(w);
    if (!w->failed)
        sn_plan_loops(w);
    sn_plan_free_surfaces(w);
    set_hubs_aside(w);
    if (!w->failed && sn_plan_open_layer(w))
        sn_plan_regular(w);
    if (!w->failed)
        cut_tiles(w);
    if (!w->failed)
        go_by_slot(w);
    if (!w->failed)
        reserve_batches(w);
    if (w->failed)
        return;
    mark_shared(w);
    plan_first_layer(w);
    if (!w->failed)
        sn_plan_later_layers(w);
    if (!w->failed && sn_plan_open_layer(w))
        name_bodies(w);
}

bool sn_plan_make(sn_plan *plan, const sn_allocator *allocator, sn_store *store, const sn_plan_particles *particles,
                  uint32_t *order)
{
    plan_work w = {.plan = plan, .store = store, .allocator = allocator, .particles = particles, .order = order};
    clear(plan);
    make(&w);
    for (uint32_t i = 0; i < w.blocks; ++i)
        sn_release(allocator, w.block[i], w.block_size[i]);
    plan->live = store->counts.live;
    if (w.failed || !sn_plan_reserve_edits(plan, allocator, store)) {
        clear(plan);
        return false;
    }
    sn_plan_bind(plan);
    sn_plan_find_places(plan, store);
    plan->particles = particles->count;
    plan->made = plan->canonical = plan->filled = true;
    plan->serial++;
    plan->makes++;
    sn_store_log_begin(store);
    return true;
}
