/* Tiles of planes that stay in planes from the first pass of a step to the last.

   Other constraints move some of their particles in between. Later layers only move positions, in storage; the tile
   adds the velocity when it settles. So for these particles only positions are exchanged, and one column of four
   travels between the caches of cores. Constraints outside the layers settle what they move themselves: for their
   particles all columns are exchanged. */
#include "solvers/tiled_work.h"

/* A row with at least this many particles that others move is exchanged as a whole. */
#define LEAST_TOGETHER 4u

/* ---- Exchanged particles ----------------------------------------------------------------------------------------- */

static void touch_visits(const sn_solver_in *in, uint8_t *touched, const sn_visit *visit, uint32_t count, uint8_t how)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t small[SN_MAX_BLOCK], particles;
        if (!visit[i].kind)
            continue;
        const uint32_t *number =
            sn_store_particles(in->store, in->store->pool[visit[i].kind], visit[i].row, small, &particles);
        for (uint32_t k = 0; k < particles; ++k)
            touched[in->frame.slot[number[k]]] |= how;
    }
}

static bool add_exchange(tiled *t, const sn_allocator *allocator, const sn_tile *tile, uint32_t i, uint32_t rows)
{
    if (!sn_table_reserve(&t->exchange_table, allocator, (uint64_t)t->exchange_table.count + 1))
        return false;
    exchange *e = (exchange *)t->exchange_table.column[0] + t->exchange_table.count++;
    e->slot = tile->first + i;
    e->row = place_in_rows(tile, i, &e->lane);
    e->rows = rows;
    uint8_t *touched = (uint8_t *)t->touched_table.column[0] + e->slot;
    for (uint32_t k = 0; k < (rows ? LANES : 1); ++k)
        touched[k] |= TOUCHED_OUT;
    return true;
}

/* Lists the particles of a tile of planes that later layers move. Rows with many of them are listed as a whole. */
static bool list_later(tiled *t, const sn_allocator *allocator, const sn_tile *tile, uint8_t *touched)
{
    uint32_t full = in_full_rows(tile), rows = 0;
    for (uint32_t k = 0; k < tile->count; k += rows ? LANES : 1) {
        uint32_t here = 0;
        for (uint32_t l = 0; k % LANES == 0 && k < full && l < LANES; ++l)
            here += touched[tile->first + k + l] & TOUCHED_LATER;
        bool follows = rows > 0;
        rows = here >= LEAST_TOGETHER;
        for (uint32_t l = 0; follows && rows && l < LANES; ++l)
            touched[tile->first + k + l] |= TOUCHED_OUT;
        if (follows && rows)
            ((exchange *)t->exchange_table.column[0])[t->exchange_table.count - 1].rows++;
        else if ((rows || touched[tile->first + k] & TOUCHED_LATER) && !add_exchange(t, allocator, tile, k, rows))
            return false;
    }
    return true;
}

/* Lists the particles that constraints outside the layers move. *next: the first of these particles that is in no
   earlier tile. */
static bool list_wholes(tiled *t, const sn_allocator *allocator, const sn_tile *tile, uint32_t *next)
{
    const uint32_t *rest = t->rest_table.column[0];
    for (; *next < t->rest_table.count && rest[*next] < tile->first + tile->count; ++*next) {
        if (!tile->rows)
            continue;
        if (!add_exchange(t, allocator, tile, rest[*next] - tile->first, 0))
            return false;
        ((exchange *)t->exchange_table.column[0])[t->exchange_table.count - 1].rest = *next;
    }
    return true;
}

static bool list_tile(tiled *t, const sn_allocator *allocator, const sn_tile *tile, tile_home *home, uint32_t *rest)
{
    uint8_t *touched = t->touched_table.column[0];
    for (uint32_t k = 0; k < tile->count && !home->shared; ++k)
        home->shared = touched[tile->first + k] != 0;
    home->exchange = t->exchange_table.count;
    if (tile->rows && !list_later(t, allocator, tile, touched))
        return false;
    home->exchanges = t->exchange_table.count - home->exchange;
    if (!list_wholes(t, allocator, tile, rest))
        return false;
    home->wholes = t->exchange_table.count - home->exchange - home->exchanges;
    return true;
}

static bool list_tiles(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    uint64_t floats = 0, past = 0;
    uint32_t rest = 0;
    t->home_table.count = t->exchange_table.count = 0;
    t->any_shared = false;
    for (uint32_t i = plan->layer[0]; i < plan->layer[1]; ++i) {
        const sn_tile *tile = &plan->tile[i];
        tile_home home = {.plane = floats, .side = floats + plane_floats(tile->rows), .past = past, .start = NO_ROWS};
        if (!list_tile(t, allocator, tile, &home, &rest))
            return false;
        past += (uint64_t)tile->rows * SN_PAST_ROW;
        floats += tile->rows ? plane_floats(tile->rows) + (size_t)tile->rows * SN_SIDE_ROW : 0;
        if (tile->rows && in->asks) {
            home.start = floats;
            floats += plane_floats(tile->rows);
        }
        t->any_shared = t->any_shared || home.shared;
        ((tile_home *)t->home_table.column[0])[t->home_table.count++] = home;
    }
    t->past_table.count = 0;
    t->past_floats = past;
    return floats < UINT32_MAX && (!in->wide || sn_table_reserve(&t->resident_table, allocator, floats));
}

bool sn_resident_reserve(tiled *t, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    const bool starts = in->asks != NULL;
    if (t->serial == plan->serial && t->starts == starts)
        return true;
    t->serial = 0;
    if (!sn_table_reserve(&t->home_table, allocator, plan->layer[1]) ||
        !sn_table_reserve(&t->copied_table, allocator, plan->tile_table.count) ||
        !sn_table_reserve(&t->touched_table, allocator, in->particle_count))
        return false;
    uint8_t *touched = t->touched_table.column[0];
    uint32_t rest = 0;
    t->most_copied = 0;
    for (uint32_t i = plan->layer[1]; i < plan->tile_table.count; ++i) {
        bool copied = ((bool *)t->copied_table.column[0])[i] = plan->tile[i].copied;
        t->most_copied = copied && plan->tile[i].count > t->most_copied ? plan->tile[i].count : t->most_copied;
    }
    if (in->particle_count)
        memset(touched, 0, in->particle_count * sizeof *touched);
    for (uint32_t i = 0; i < plan->list_table.count; ++i)
        touched[plan->list[i]] |= TOUCHED_LATER;
    touch_visits(in, touched, plan->many, plan->many_table.count, TOUCHED_REST);
    touch_visits(in, touched, plan->hub, plan->hub_table.count, TOUCHED_REST);
    touch_visits(in, touched, plan->extra, plan->extra_table.count, TOUCHED_REST);
    touch_visits(in, touched, plan->tree, plan->tree_table.count, TOUCHED_LATER);
    for (uint32_t slot = 0; slot < plan->particles; ++slot)
        rest += touched[slot] / TOUCHED_REST;
    t->rest_table.count = 0;
    if (!sn_table_reserve(&t->rest_table, allocator, rest) || !sn_table_reserve(&t->rest_mark_table, allocator, rest))
        return false;
    for (uint32_t slot = 0; slot < plan->particles; ++slot)
        if (touched[slot] & TOUCHED_REST)
            ((uint32_t *)t->rest_table.column[0])[t->rest_table.count++] = slot;
    if (!list_tiles(t, allocator, in))
        return false;
    t->starts = starts;
    t->serial = plan->serial;
    return true;
}

/* ---- In and out -------------------------------------------------------------------------------------------------- */

planes sn_resident_planes(const layer *l, uint32_t index)
{
    const tile_home *h = (const tile_home *)l->scratch->home_table.column[0] + index;
    float *base = l->scratch->resident_table.column[0];
    void *mark = l->t->motion->mark + l->plan->tile[index].first;
    planes p = {base + h->plane + PLANE_MARGIN, base + h->side, mark, NULL, NULL};
    if (h->start != NO_ROWS)
        p.start = base + h->start + PLANE_MARGIN;
    if (l->t->motion->looks_back)
        p.back = (float *)l->scratch->past_table.column[0] + h->past;
    return p;
}

/* The rows of one particle, at its lane. */
typedef struct row_place {
    float *at, *beside, *mark;
} row_place;

static row_place find_place(planes p, uint32_t row, uint32_t lane)
{
    return (row_place){p.plane + (size_t)row * SN_ROW + lane, p.side + (size_t)row * SN_SIDE_ROW + lane,
                       p.mark + (size_t)row * SN_MARK_ROW + lane};
}

static void pull_whole(const sn_motion *m, uint32_t slot, row_place to)
{
    put3(to.at + SN_PLANE_X * LANES, m->x[slot]);
    put3(to.at + SN_PLANE_D * LANES, m->x_low[slot]);
    put3(to.beside + SN_PLANE_V * LANES, m->v[slot]);
    put3(to.beside + SN_PLANE_V_LOW * LANES, m->v_low[slot]);
}

static void push_whole(const sn_motion *m, uint32_t slot, row_place from)
{
    get3(&m->x[slot], from.at + SN_PLANE_X * LANES);
    get3(&m->x_low[slot], from.at + SN_PLANE_D * LANES);
    get3(&m->v[slot], from.beside + SN_PLANE_V * LANES);
    get3(&m->v_low[slot], from.beside + SN_PLANE_V_LOW * LANES);
}

void sn_resident_enter(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p)
{
    sn_motion full = *motion;
    uint32_t lane, rows = in_full_rows(tile) / LANES, more = tile->rows - rows;
    full.count = rows * LANES;
    memset(p.plane - PLANE_MARGIN, 0, PLANE_MARGIN * sizeof *p.plane); /* lanes read beside the particles */
    memset(p.plane + (size_t)rows * SN_ROW, 0, (plane_floats(more) - PLANE_MARGIN) * sizeof *p.plane);
    memset(p.side + (size_t)rows * SN_SIDE_ROW, 0, (size_t)more * SN_SIDE_ROW * sizeof *p.side);
    if (p.start)
        memset(p.start - PLANE_MARGIN, 0, plane_floats(tile->rows) * sizeof *p.start);
    l->t->wide->enter(&full, p.plane, p.side);
    if (p.back) {
        memset(p.back + (size_t)rows * SN_PAST_ROW, 0, (size_t)more * SN_PAST_ROW * sizeof *p.back);
        l->t->wide->enter_past(&full, p.back);
    }
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane), slot = tile->first + i;
        row_place place = find_place(p, row, lane);
        pull_whole(motion, slot, place);
        place.at[SN_PLANE_W * LANES] = (float)motion->x[slot].w;
        if (p.back) {
            put3(p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_D * LANES + lane, motion->old_d[slot]);
            put3(p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_V * LANES + lane, motion->old_v[slot]);
        }
    }
}

void sn_resident_leave(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p)
{
    sn_motion full = *motion;
    uint32_t lane;
    full.count = in_full_rows(tile);
    l->t->wide->leave(&full, p.plane, p.side);
    if (p.back)
        l->t->wide->leave_past(&full, p.back);
    for (uint32_t i = full.count; i < tile->count; ++i) {
        uint32_t row = place_in_rows(tile, i, &lane), slot = tile->first + i;
        push_whole(motion, slot, find_place(p, row, lane));
        if (p.back) {
            get3(&motion->old_d[slot], p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_D * LANES + lane);
            get3(&motion->old_v[slot], p.back + (size_t)row * SN_PAST_ROW + SN_PLANE_OLD_V * LANES + lane);
        }
    }
}

/* ---- Exchanging -------------------------------------------------------------------------------------------------- */

/* Later layers move x of coarse tiles, and x_low of others. */
static void pull(const layer *l, const sn_motion *m, const exchange *e, planes p)
{
    const sn_vec4 *from = (m->coarse ? m->x : m->x_low) + e->slot;
    if (e->rows)
        l->t->wide->restore(from, e->rows * LANES, p.plane + (size_t)e->row * SN_ROW, m->coarse);
    else
        put3(find_place(p, e->row, e->lane).at + (m->coarse ? SN_PLANE_X : SN_PLANE_D) * LANES, *from);
}

/* Copies two columns of particles to storage, from the rows of x and of d. */
static void copy_out(const layer *l, const exchange *e, const float *plane, sn_vec4 *x, sn_vec4 *d)
{
    const float *row = plane + (size_t)e->row * SN_ROW;
    if (e->rows) {
        l->t->wide->collect(x + e->slot, e->rows * LANES, row, true);
        l->t->wide->collect(d + e->slot, e->rows * LANES, row, false);
    } else {
        get3(&x[e->slot], row + e->lane + SN_PLANE_X * LANES);
        get3(&d[e->slot], row + e->lane + SN_PLANE_D * LANES);
    }
}

void sn_resident_pull_kinematic(const layer *l, const sn_tile *tile, const sn_motion *motion, planes p)
{
    for (uint32_t i = tile->first; i < tile->first + tile->count; ++i) {
        if (!l->t->in->stiffen.target[i])
            continue;
        uint32_t lane, row = place_in_rows(tile, i - tile->first, &lane);
        const row_place place = find_place(p, row, lane);
        pull_whole(motion, i, place);
        put3(place.mark, (motion->coarse ? motion->x : motion->x_low)[i]); /* so settling adds no velocity */
    }
}

void sn_resident_pull(const layer *l, uint32_t index, const sn_motion *motion, planes p)
{
    const tile_home *h = (const tile_home *)l->scratch->home_table.column[0] + index;
    const exchange *e = (const exchange *)l->scratch->exchange_table.column[0] + h->exchange;
    const sn_vec4 *mark = l->scratch->rest_mark_table.column[0];
    for (uint32_t i = 0; i < h->exchanges; ++i)
        pull(l, motion, &e[i], p);
    e += h->exchanges;
    for (uint32_t i = 0; i < h->wholes; ++i) {
        row_place place = find_place(p, e[i].row, e[i].lane);
        pull_whole(motion, e[i].slot, place);
        put3(place.mark, mark[e[i].rest]);
    }
}

void sn_resident_push(const layer *l, uint32_t index, const sn_motion *motion, planes p)
{
    const tile_home *h = (const tile_home *)l->scratch->home_table.column[0] + index;
    const exchange *e = (const exchange *)l->scratch->exchange_table.column[0] + h->exchange;
    sn_vec4 *mark = l->scratch->rest_mark_table.column[0];
    for (uint32_t i = 0; i < h->exchanges; ++i)
        copy_out(l, &e[i], p.plane, motion->x, motion->x_low);
    e += h->exchanges;
    for (uint32_t i = 0; i < h->wholes; ++i) {
        row_place place = find_place(p, e[i].row, e[i].lane);
        push_whole(motion, e[i].slot, place);
        get3(&mark[e[i].rest], place.mark);
    }
}

void sn_resident_push_start(const layer *l, uint32_t index, const sn_motion *motion)
{
    const tile_home *h = (const tile_home *)l->scratch->home_table.column[0] + index;
    const exchange *e = (const exchange *)l->scratch->exchange_table.column[0] + h->exchange;
    for (uint32_t i = 0; i < h->exchanges + h->wholes; ++i)
        copy_out(l, &e[i], motion->start_rows, motion->start_low, motion->start);
}

void sn_resident_mark(const sn_motion *motion, planes p, uint32_t rows)
{
    const float *from = p.plane + (motion->coarse ? SN_PLANE_X : SN_PLANE_D) * LANES;
    for (uint32_t r = 0; r < rows; ++r, from += SN_ROW, p.mark += SN_MARK_ROW)
        memcpy(p.mark, from, SN_MARK_ROW * sizeof *p.mark);
}
