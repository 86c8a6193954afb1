#include "constraints/store.h"

#include "base/sort.h"
#include "constraints/table.h"

#include <string.h>

/* Compaction is done when removed constraints outnumber live ones by more than this. */
#define COMPACT_SLACK 64u

static void bind_pool(sn_pool *pool)
{
    pool->point = pool->table.column[0];
    pool->param = pool->table.column[1];
    pool->give = pool->table.column[2];
    pool->lambda = pool->table.column[3];
    pool->own = pool->table.column[4];
    pool->state = pool->table.column[5];
    pool->place = pool->table.column[6];
    pool->before = pool->table.column[7];
    pool->preload = pool->table.column[8];
}

static void bind_compromises(sn_store *store)
{
    const sn_compromised *held = store->compromise_table.column[0];
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        store->pool[kind]->compromise_count = 0;
    for (uint32_t i = store->compromise_table.count; i-- > 0;) {
        store->pool[held[i].kind]->compromise_first = i;
        store->pool[held[i].kind]->compromise_count++;
    }
}

void sn_store_bind(sn_store *store)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        bind_pool(store->pool[kind]);
    bind_compromises(store);
    store->run = store->run_table.column[0];
    store->anchor = store->anchor_table.column[0];
}

/* ---- Compromises ------------------------------------------------------------------------------------------------ */

/* Plans are rebuilt, because a held constraint is not of the usual shape. */
bool sn_store_set_compromise(sn_store *store, const sn_allocator *allocator, const sn_compromised *held)
{
    uint32_t at = store->compromise_table.count;
    if (!sn_table_reserve(&store->compromise_table, allocator, (uint64_t)at + 1))
        return false;
    sn_compromised *all = store->compromise_table.column[0];
    for (; at > 0 && (all[at - 1].kind > held->kind || (all[at - 1].kind == held->kind && all[at - 1].row > held->row));
         --at)
        all[at] = all[at - 1];
    all[at] = *held;
    store->compromise_table.count++;
    bind_compromises(store);
    store->log_lost = true;
    return true;
}

void sn_store_let_go(sn_store *store)
{
    store->compromise_table.count = 0;
    bind_compromises(store);
    store->log_lost = true;
}

/* ---- The log of edits ------------------------------------------------------------------------------------------- */

static void note_fresh(sn_fresh *fresh, sn_edit edit, bool held)
{
    sn_edit *last = fresh->count ? &fresh->edit[fresh->count - 1] : NULL;
    if (edit.what == SN_EDIT_REMOVED) {
        fresh->any = fresh->any || held;
        return;
    }
    fresh->any = true;
    if (last && last->kind == edit.kind && last->what == edit.what && last->row + last->count == edit.row) {
        last->count += edit.count;
    } else if (fresh->count < SN_FRESH_MOST) {
        fresh->edit[fresh->count++] = edit;
    } else {
        fresh->what = fresh->all && fresh->what == SN_EDIT_ADDED ? SN_EDIT_ADDED : edit.what;
        fresh->all = true;
    }
}

void sn_store_log(sn_store *store, uint32_t kind, uint32_t row, uint32_t count, sn_edit_what what)
{
    store->changes++;
    note_fresh(&store->counts.fresh, (sn_edit){kind, row, count, what}, store->compromise_table.count > 0);
    if (!store->logging || store->log_lost)
        return;
    if (count > store->edit_table.capacity || store->edit_table.count == store->edit_table.capacity) {
        store->log_lost = true;
        return;
    }
    ((sn_edit *)store->edit_table.column[0])[store->edit_table.count++] = (sn_edit){kind, row, count, what};
}

bool sn_store_log_reserve(sn_store *store, const sn_allocator *allocator, uint32_t count)
{
    return sn_table_reserve(&store->edit_table, allocator, count);
}

void sn_store_log_begin(sn_store *store)
{
    store->edit_table.count = 0;
    store->log_lost = store->all_changed = false;
    store->logging = true;
}

bool sn_store_init(sn_store *store, const sn_allocator *allocator)
{
    *store = (sn_store){.kind_count = 1, .counts.free_anchor = SN_ID_FREE};
    static const size_t many_width[SN_MANY_COLUMNS] = {
        [SN_MANY_X] = sizeof(sn_vec3),         [SN_MANY_MOVE] = sizeof(sn_vec3),
        [SN_MANY_FORCE] = sizeof(sn_vec3),     [SN_MANY_BY_POINT] = SN_MAX_ROWS * sizeof(sn_vec3),
        [SN_MANY_NUMBER] = sizeof(uint32_t),   [SN_MANY_SLOT] = sizeof(uint32_t),
        [SN_MANY_W] = sizeof(sn_real),         [SN_MANY_GRADIENT] = SN_MAX_ROWS * sizeof(sn_vec3),
        [SN_MANY_SORT] = sizeof(sn_sort_item), [SN_MANY_SORT_SCRATCH] = sizeof(sn_sort_item),
    };
    for (uint32_t i = 0; i < SN_MANY_COLUMNS; ++i)
        sn_table_column(&store->many, many_width[i], false);
    sn_table_column(&store->edit_table, sizeof(sn_edit), false);
    sn_table_column(&store->copy_table, sizeof(sn_real), false);
    sn_table_column(&store->run_table, sizeof *store->run, true);
    sn_table_column(&store->anchor_table, sizeof *store->anchor, true);
    sn_table_column(&store->compromise_table, sizeof(sn_compromised), true);
    for (uint32_t kind = 1; kind < SN_KIND_BUILTIN_END; ++kind)
        if (!sn_store_register(store, allocator, sn_builtin_kinds[kind]))
            return false;
    return sn_store_reserve_many(store, allocator, SN_MAX_POINTS);
}

static void release_pool(sn_pool *pool, const sn_allocator *allocator)
{
    sn_table_release(&pool->list_table, allocator);
    sn_table_release(&pool->own_table, allocator);
    sn_table_release(&pool->user_table, allocator);
    sn_table_release(&pool->free_table, allocator);
    sn_ids_release(&pool->ids, allocator);
    sn_table_release(&pool->table, allocator);
    sn_release(allocator, pool->own_kind, pool->own_kind_size);
    sn_release(allocator, pool, sizeof *pool);
}

void sn_store_release(sn_store *store, const sn_allocator *allocator)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        release_pool(store->pool[kind], allocator);
    sn_table_release(&store->edit_table, allocator);
    sn_table_release(&store->run_table, allocator);
    sn_table_release(&store->anchor_table, allocator);
    sn_table_release(&store->copy_table, allocator);
    sn_table_release(&store->compromise_table, allocator);
    sn_table_release(&store->many, allocator);
    store->kind_count = 1;
}

/* Visits every string of a kind. Counts their bytes, or with `to` copies each there and redirects the pointer. */
static size_t copy_texts(sn_kind *kind, char *to)
{
    const char **text[4 + 2 * SN_MAX_PARAMS + 2 * SN_MAX_POINT_PARAMS] = {&kind->name, &kind->about, &kind->formula,
                                                                          &kind->unit};
    uint32_t count = 4;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        text[count++] = &kind->param[i].name;
        text[count++] = &kind->param[i].unit;
    }
    for (uint32_t i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i) {
        text[count++] = &kind->point_param[i].name;
        text[count++] = &kind->point_param[i].unit;
    }
    size_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!*text[i])
            continue;
        size_t size = strlen(*text[i]) + 1;
        if (to)
            *text[i] = memcpy(to + total, *text[i], size);
        total += size;
    }
    return total;
}

static bool copy_kind(sn_pool *pool, const sn_allocator *allocator)
{
    sn_kind kind = *pool->kind;
    pool->own_kind_size = sizeof kind + copy_texts(&kind, NULL);
    pool->own_kind = sn_allocate(allocator, pool->own_kind_size);
    if (!pool->own_kind)
        return false;
    *pool->own_kind = kind;
    copy_texts(pool->own_kind, (char *)(pool->own_kind + 1));
    pool->kind = pool->own_kind;
    return true;
}

uint32_t sn_store_register(sn_store *store, const sn_allocator *allocator, const sn_kind *kind)
{
    sn_pool *pool = sn_allocate(allocator, sizeof *pool);
    if (!pool)
        return 0;
    *pool = (sn_pool){
        .kind = kind, .param_count = sn_kind_param_count(kind), .point_param_count = sn_kind_point_param_count(kind)};
    if (store->kind_count >= SN_KIND_BUILTIN_END && !copy_kind(pool, allocator)) {
        sn_release(allocator, pool, sizeof *pool);
        return 0;
    }
    sn_ids_init(&pool->ids);
    sn_table_column(&pool->table, (kind->points ? kind->points : 2) * sizeof *pool->point, true);
    sn_table_column(&pool->table, pool->param_count * sizeof *pool->param, true);
    sn_table_column(&pool->table, sizeof *pool->give, true);
    sn_table_column(&pool->table, kind->rows * sizeof *pool->lambda, true);
    sn_table_column(&pool->table, pool->point_param_count ? sizeof *pool->own : 0, true);
    sn_table_column(&pool->table, kind->state * sizeof *pool->state, true);
    sn_table_column(&pool->table, sizeof *pool->place, false);
    sn_table_column(&pool->table, kind->state * sizeof *pool->before, false);
    sn_table_column(&pool->table, kind->rows * sizeof *pool->preload, true);
    sn_table_column(&pool->list_table, sizeof(uint32_t), true);
    sn_table_column(&pool->own_table, pool->point_param_count * sizeof(sn_real), true);
    sn_table_column(&pool->user_table, sizeof(uint64_t), true);
    sn_table_column(&pool->free_table, sizeof(uint32_t), true);
    store->pool[store->kind_count] = pool;
    return store->kind_count++;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

bool sn_store_reserve_many(sn_store *store, const sn_allocator *allocator, uint32_t points)
{
    return sn_table_reserve(&store->many, allocator, points);
}

bool sn_store_reserve_list(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t points)
{
    sn_table *table = &store->pool[kind]->list_table, *own = &store->pool[kind]->own_table;
    return sn_store_reserve_many(store, allocator, points) &&
           (!store->pool[kind]->point_param_count || sn_table_reserve(own, allocator, own->count + (uint64_t)points)) &&
           sn_table_reserve(table, allocator, table->count + 1 + 2 * (uint64_t)points);
}

/* For each point, the first point with the same particle, found by sorting. */
static uint32_t *find_firsts(sn_store *store, const uint32_t *particle, uint32_t count)
{
    sn_sort_item *item = store->many.column[SN_MANY_SORT];
    uint32_t *first = store->many.column[SN_MANY_SLOT];
    for (uint32_t i = 0; i < count; ++i)
        item[i] = (sn_sort_item){particle[i], i, 0};
    sn_sort(item, store->many.column[SN_MANY_SORT_SCRATCH], count);
    for (uint32_t i = 0; i < count; ++i) /* the sort is stable, so the first of equal keys appeared first */
        first[item[i].a] = i && item[i].key == item[i - 1].key ? first[item[i - 1].a] : item[i].a;
    return first;
}

uint32_t sn_store_find_repeat(sn_store *store, const uint32_t *particle, uint32_t count)
{
    const uint32_t *first = find_firsts(store, particle, count);
    uint32_t i = 0;
    while (i < count && first[i] == i)
        ++i;
    return i;
}

/* Particles get local numbers in the order of their first appearance in the list. */
void sn_store_set_list(sn_store *store, uint32_t kind, uint32_t row, const uint32_t *particle, uint32_t count)
{
    sn_pool *pool = store->pool[kind];
    uint32_t *list = (uint32_t *)pool->list_table.column[0] + pool->list_table.count;
    const uint32_t *first = find_firsts(store, particle, count);
    uint32_t unique = 0;
    for (uint32_t i = 0; i < count; ++i)
        unique += first[i] == i;
    uint32_t *numbers = list + 1, *local = numbers + unique, next = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (first[i] == i) {
            numbers[next] = particle[i];
            local[i] = next++;
        } else {
            local[i] = local[first[i]];
        }
    }
    list[0] = unique;
    pool->point[2 * (size_t)row] = pool->list_table.count;
    pool->point[2 * (size_t)row + 1] = count;
    pool->list_table.count += 1 + unique + count;
    if (pool->point_param_count) {
        pool->own[row] = pool->own_table.count;
        pool->own_table.count += count;
    }
    if (count > store->counts.most_points)
        store->counts.most_points = count;
}

static uint32_t list_size(const sn_pool *pool, uint32_t row)
{
    sn_list list = pool_list(pool, row);
    return 1 + list.particle_count + list.point_count;
}

/* Closes the same gaps in the parameters of points. */
static bool tidy_own(sn_pool *pool, const sn_allocator *allocator)
{
    sn_table table = {0};
    const size_t width = pool->own_table.width[0];
    if (!pool->point_param_count)
        return true;
    sn_table_column(&table, width, true);
    if (!sn_table_reserve(&table, allocator, pool->own_table.capacity))
        return false;
    char *to = table.column[0];
    for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
        if (!sn_ids_is_live(&pool->ids, row))
            continue;
        uint32_t count = pool->point[2 * (size_t)row + 1];
        memcpy(to + table.count * width, pool_own(pool, row), count * width);
        pool->own[row] = table.count;
        table.count += count;
    }
    sn_table_release(&pool->own_table, allocator);
    pool->own_table = table;
    return true;
}

/* Closes the gaps of removed lists once they are more than half of all. If memory is short, it is done later. */
static void tidy_lists(sn_pool *pool, const sn_allocator *allocator)
{
    if (pool->list_waste <= pool->list_table.count / 2)
        return;
    sn_table table = {0};
    sn_table_column(&table, sizeof(uint32_t), true);
    if (!sn_table_reserve(&table, allocator, pool->list_table.capacity)) /* a step may count on its room */
        return;
    if (!tidy_own(pool, allocator)) {
        sn_table_release(&table, allocator);
        return;
    }
    uint32_t *to = table.column[0];
    const uint32_t *from = pool->list_table.column[0];
    for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
        if (!sn_ids_is_live(&pool->ids, row))
            continue;
        uint32_t size = list_size(pool, row);
        memcpy(to + table.count, from + pool->point[2 * (size_t)row], size * sizeof *to);
        pool->point[2 * (size_t)row] = table.count;
        table.count += size;
    }
    sn_table_release(&pool->list_table, allocator);
    pool->list_table = table;
    pool->list_waste = 0;
}

/* ---- The order -------------------------------------------------------------------------------------------------- */

bool sn_store_next(const sn_store *store, uint32_t *r, uint32_t *i)
{
    for (; *r < store->run_table.count; ++*r, *i = 0) {
        const sn_run *run = &store->run[*r];
        const sn_pool *pool = store->pool[run->kind];
        for (; *i < run->count; ++*i)
            if (run_has(pool, run, *i))
                return true;
    }
    return false;
}

/* Visits the constraints in order and forms the longest possible runs. Unless out is NULL, writes the runs there and
   gives each constraint its new sequence number. A reused row appears first in a stale run and later in its own. So
   renumbering on the way never makes a stale entry valid. */
static uint32_t form_runs(sn_store *store, sn_run *out)
{
    uint32_t count = 0, sequence = 0;
    sn_run last = {0};
    for (uint32_t r = 0, i = 0; sn_store_next(store, &r, &i); ++i, ++sequence) {
        uint32_t kind = store->run[r].kind, row = store->run[r].first + i;
        if (count && last.kind == kind && last.first + last.count == row) {
            last.count++;
        } else {
            ++count;
            last = (sn_run){kind, row, 1, sequence};
        }
        if (out) {
            out[count - 1] = last;
            store->pool[kind]->ids.value[row] = sequence;
        }
    }
    return count;
}

bool sn_store_compact(sn_store *store, const sn_allocator *allocator)
{
    sn_table table = {0};
    sn_table_column(&table, sizeof *store->run, true);
    uint32_t count = form_runs(store, NULL);
    if (!sn_table_reserve(&table, allocator, (uint64_t)count + 1))
        return false;
    form_runs(store, table.column[0]);
    table.count = count;
    sn_table_release(&store->run_table, allocator);
    store->run_table = table;
    store->run = table.column[0];
    store->counts.removed = 0;
    store->counts.next_sequence = store->counts.live;
    store->counts.compactions++;
    return true;
}

bool sn_pool_reserve_user(sn_pool *pool, const sn_allocator *allocator, uint32_t first, uint32_t count, uint64_t user)
{
    return !user || sn_table_reserve(&pool->user_table, allocator, (uint64_t)first + count);
}

void sn_pool_set_user(sn_pool *pool, uint32_t first, uint32_t count, uint64_t user)
{
    uint64_t *all = pool->user_table.column[0];
    for (; user && pool->user_table.count < first + count; pool->user_table.count++)
        all[pool->user_table.count] = 0;
    for (uint32_t row = first; row < first + count && row < pool->user_table.count; ++row)
        all[row] = user;
}

uint64_t sn_pool_user(const sn_pool *pool, uint32_t row)
{
    return row < pool->user_table.count ? ((const uint64_t *)pool->user_table.column[0])[row] : 0;
}

bool sn_pool_reserve_collides(sn_pool *pool, const sn_allocator *allocator, uint32_t row, bool collides)
{
    return !collides || sn_table_reserve(&pool->free_table, allocator, (uint64_t)row + 1);
}

void sn_pool_set_collides(sn_pool *pool, uint32_t row, bool collides)
{
    uint32_t *all = pool->free_table.column[0];
    for (; collides && pool->free_table.count <= row; pool->free_table.count++)
        all[pool->free_table.count] = 0;
    if (row < pool->free_table.count)
        all[row] = collides;
}

bool sn_pool_collides(const sn_pool *pool, uint32_t row)
{
    return row < pool->free_table.count && ((const uint32_t *)pool->free_table.column[0])[row];
}

bool sn_store_reserve(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count, uint32_t anchors,
                      uint32_t *first)
{
    sn_pool *pool = store->pool[kind];
    if (!sn_ids_find(&pool->ids, allocator, count, SN_MAX_COUNT, first))
        return false;
    if (!sn_table_reserve(&pool->table, allocator, (uint64_t)*first + count))
        return false;
    bind_pool(pool);
    if (!sn_table_reserve(&store->run_table, allocator, (uint64_t)store->run_table.count + 1))
        return false;
    store->run = store->run_table.column[0];
    uint64_t new_anchors = anchors > store->counts.free_anchors ? anchors - store->counts.free_anchors : 0;
    if (!sn_table_reserve(&store->anchor_table, allocator, store->anchor_table.count + new_anchors))
        return false;
    store->anchor = store->anchor_table.column[0];
    if ((uint64_t)store->counts.next_sequence + count >= SN_ID_FREE)
        return sn_store_compact(store, allocator); /* sequence numbers ran out after billions of additions: renumber */
    return true;
}

bool sn_store_reserve_rows(sn_store *store, const sn_allocator *allocator, uint32_t kind, uint32_t count)
{
    sn_pool *pool = store->pool[kind];
    if (!sn_ids_reserve(&pool->ids, allocator, count) ||
        !sn_table_reserve(&pool->table, allocator, (uint64_t)pool->ids.table.count + count))
        return false;
    bind_pool(pool);
    sn_table *given[] = {&pool->user_table, &pool->free_table};
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i) /* copies of constraints get those of the first */
        if (given[i]->count && !sn_table_reserve(given[i], allocator, (uint64_t)pool->ids.table.count + count))
            return false;
    if (!sn_table_reserve(&store->run_table, allocator, (uint64_t)store->run_table.count + count))
        return false;
    store->run = store->run_table.column[0];
    return true;
}

void sn_pool_forget(sn_pool *pool, uint32_t first, uint32_t count)
{
    const size_t at = (size_t)first * pool->kind->rows, size = (size_t)count * pool->kind->rows * sizeof *pool->lambda;
    memset(pool->lambda + at, 0, size);
    memset(pool->preload + at, 0, size);
}

uint32_t sn_store_take(sn_store *store, uint32_t kind, uint32_t first, uint32_t count)
{
    sn_pool *pool = store->pool[kind];
    uint32_t generation = sn_ids_take(&pool->ids, first, count);
    uint32_t sequence = store->counts.next_sequence;
    for (; pool->table.count < first + count; pool->table.count++)
        pool->place[pool->table.count] = 0; /* for a reused row it is corrected when the log is read */
    for (uint32_t i = 0; i < count; ++i)
        pool->ids.value[first + i] = sequence + i;
    sn_pool_forget(pool, first, count);
    sn_pool_set_user(pool, first, count, 0); /* a row that is used again has those of another constraint */
    for (uint32_t row = first; row < first + count && row < pool->free_table.count; ++row)
        sn_pool_set_collides(pool, row, false);
    if (pool->kind->state)
        memset(pool->state + (size_t)first * pool->kind->state, 0,
               (size_t)count * pool->kind->state * sizeof *pool->state);

    sn_run *last = store->run_table.count ? &store->run[store->run_table.count - 1] : NULL;
    if (last && last->kind == kind && last->first + last->count == first && last->sequence + last->count == sequence)
        last->count += count;
    else
        store->run[store->run_table.count++] = (sn_run){kind, first, count, sequence};
    store->counts.next_sequence += count;
    store->counts.live += count;
    store->edits++;
    sn_store_log(store, kind, first, count, SN_EDIT_ADDED);
    return generation;
}

void sn_store_remove(sn_store *store, uint32_t kind, uint32_t row)
{
    sn_pool *pool = store->pool[kind];
    sn_store_log(store, kind, row, 1, SN_EDIT_REMOVED);
    sn_store_free_anchors(store, pool, row);
    sn_ids_free(&pool->ids, row);
    store->counts.live--;
    store->counts.removed++;
    store->edits++;
}

void sn_store_tidy(sn_store *store, const sn_allocator *allocator)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind)
        if (pool_has_lists(store->pool[kind]))
            tidy_lists(store->pool[kind], allocator);
    if (store->counts.removed > store->counts.live + COMPACT_SLACK)
        sn_store_compact(store, allocator); /* if memory is short, it is done later */
}

const uint32_t *sn_store_particles(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *small,
                                   uint32_t *count)
{
    if (pool_has_lists(pool)) {
        sn_list list = pool_list(pool, row);
        *count = list.particle_count;
        return list.particle;
    }
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    *count = 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        if (!(point[i] & SN_ANCHOR_BIT)) {
            small[(*count)++] = point[i];
            continue;
        }
        const sn_anchor *anchor = &store->anchor[point[i] & ~SN_ANCHOR_BIT];
        for (uint32_t j = 0; j < anchor->count; ++j)
            small[(*count)++] = anchor->particle[j];
    }
    return small;
}

uint32_t sn_store_add_anchor(sn_store *store, const sn_anchor *anchor)
{
    uint32_t row = store->counts.free_anchor;
    if (row != SN_ID_FREE) {
        store->counts.free_anchor = store->anchor[row].particle[0];
        store->counts.free_anchors--;
    } else {
        row = store->anchor_table.count++;
    }
    store->anchor[row] = *anchor;
    return SN_ANCHOR_BIT | row;
}

/* Also frees its list, which becomes waste. */
void sn_store_free_anchors(sn_store *store, sn_pool *pool, uint32_t row)
{
    if (pool_has_lists(pool)) {
        pool->list_waste += list_size(pool, row);
        return;
    }
    const uint32_t *point = pool->point + (size_t)row * pool->kind->points;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        if (!(point[i] & SN_ANCHOR_BIT))
            continue;
        uint32_t anchor = point[i] & ~SN_ANCHOR_BIT;
        store->anchor[anchor] = (sn_anchor){.particle = {store->counts.free_anchor}};
        store->counts.free_anchor = anchor;
        store->counts.free_anchors++;
    }
}

void sn_store_clear_lambda(sn_store *store)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        sn_pool *pool = store->pool[kind];
        if (pool->table.count)
            memset(pool->lambda, 0, (size_t)pool->table.count * pool->kind->rows * sizeof *pool->lambda);
    }
}

void sn_store_clear_preload(sn_store *store)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        sn_pool *pool = store->pool[kind];
        if (pool->table.count)
            memset(pool->preload, 0, (size_t)pool->table.count * pool->kind->rows * sizeof *pool->preload);
    }
}

/* Saves the state of all constraints, or restores it (back). */
static void copy_state(sn_store *store, bool back)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        sn_pool *pool = store->pool[kind];
        if (pool->table.count && pool->kind->state)
            memcpy(back ? pool->state : pool->before, back ? pool->before : pool->state,
                   (size_t)pool->table.count * pool->kind->state * sizeof *pool->state);
    }
}

void sn_store_note_state(sn_store *store)
{
    copy_state(store, false);
}

void sn_store_restore_state(sn_store *store)
{
    copy_state(store, true);
}

typedef enum copying { MEASURE, KEEP, PUT_BACK } copying;

/* Visits all arrays that a failed step restores, one after the other. Returns the total count of numbers. */
static uint64_t copy_all(sn_store *store, copying what, bool warm)
{
    sn_real *at = store->copy_table.column[0];
    uint64_t total = 0;
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        sn_pool *pool = store->pool[kind];
        if (!pool->table.count)
            continue;
        sn_real *const array[] = {pool->state, pool->lambda, pool->preload};
        const size_t width[] = {pool->kind->state, warm ? pool->kind->rows : 0, warm ? pool->kind->rows : 0};
        for (uint32_t i = 0; i < 3; ++i) {
            const size_t count = pool->table.count * width[i];
            if (count && what != MEASURE)
                memcpy(what == KEEP ? at + total : array[i], what == KEEP ? array[i] : at + total, count * sizeof *at);
            total += count;
        }
    }
    return total;
}

bool sn_store_reserve_copy(sn_store *store, const sn_allocator *allocator, bool warm)
{
    return sn_table_reserve(&store->copy_table, allocator, copy_all(store, MEASURE, warm));
}

void sn_store_keep(sn_store *store, bool warm)
{
    copy_all(store, KEEP, warm);
}

void sn_store_put_back(sn_store *store, bool warm)
{
    if (!warm)
        sn_store_clear_lambda(store);
    copy_all(store, PUT_BACK, warm);
}

void sn_store_settle(sn_store *store, sn_real h, bool planar)
{
    for (uint32_t kind = 1; kind < store->kind_count; ++kind) {
        const sn_pool *pool = store->pool[kind];
        if (!pool->ids.live || !pool->kind->settle || pool->kind->oriented)
            continue;
        for (uint32_t row = 0; row < pool->ids.table.count; ++row) {
            if (!sn_ids_is_live(&pool->ids, row) || !pool_settles(pool, row))
                continue;
            sn_eval_in in = {.param = pool->param + (size_t)row * pool->param_count,
                             .points = pool_point_count(pool, row),
                             .context = pool->kind->context,
                             .point_param = pool_own(pool, row),
                             .state = pool_state(pool, row),
                             .keep = pool_state(pool, row),
                             .planar = planar};
            pool->kind->settle(&in, h);
        }
    }
}
