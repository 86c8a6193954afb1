/* Layers after the first: constraints between tiles.

   The remaining constraints are cut as particles were for the first layer, until none is left: their particles are cut
   into tiles, and the constraints inside one of these belong to the layer. Tiles grow from particles with the most
   remaining constraints. These are where several tiles of the previous layer meet. So the new cuts are elsewhere, and
   cut little. */
#include "solvers/plan_work.h"

#include <string.h>

#define MOST_LAYERS 24u

typedef struct seams {
    uint32_t *item; /* remaining items, body by body */
    uint32_t *stay; /* items that wait for the next layer */
    uint32_t *list; /* items of a tile */
    uint32_t count;
    uint32_t *start, *of;         /* by slot: the items of a particle are of[start[slot] .. start[slot + 1]] */
    sn_sort_item *sort, *scratch; /* particles, and then the items of a layer */
    uint32_t group;               /* the last group of particles that was grown; several may become one tile */
    uint32_t *first;              /* by group, 1 + the first of its items; 0: none yet */
} seams;

static uint32_t body_of_item(const plan_work *w, uint32_t item)
{
    return plan_body(w, w->particle[w->item[item].first]);
}

/* Plans a tile of a later layer: its constraints, and the list of its particles. */
static void plan_seam(plan_work *w, const uint32_t *list, uint32_t count)
{
    sn_plan *plan = w->plan;
    sn_tile tile = {.first = plan->list_table.count};
    uint32_t stamp = ++w->stamps;
    sn_plan_grow(w, &plan->tile_table, 1);
    for (uint32_t i = 0; i < count && !w->failed; ++i)
        for (uint32_t k = 0; k < w->item[list[i]].count; ++k) {
            uint32_t slot = w->particle[w->item[list[i]].first + k];
            if (w->stamp[slot] == stamp)
                continue;
            w->stamp[slot] = stamp;
            uint32_t *to = sn_plan_grow(w, &plan->list_table, 1);
            if (!to)
                return;
            *to = slot;
            w->claim[slot] = tile.count++;
        }
    if (w->failed)
        return;
    bool batches = true;
    for (uint32_t i = 0; i < count; ++i)
        batches = batches && w->item[list[i]].form == SN_FORM_PLAIN &&
                  !sn_plan_damps(w->store, w->item[list[i]].kind, w->item[list[i]].row);
    w->copied = batches && plan_is_copied(count, tile.count);
    tile.copied = w->copied;
    sn_plan_records(w, list, count, w->copied, &tile);
    w->copied = false;
    ((sn_tile *)plan->tile_table.column[0])[plan->tile_table.count - 1] = tile;
}

/* Lists the items of each particle, and the particles body by body, those with the most items first. Returns the number
   of particles. */
static uint32_t list_particles(plan_work *w, seams *s)
{
    uint32_t found = 0;
    memset(s->start, 0, ((size_t)w->ordered + 2) * sizeof *s->start);
    for (uint32_t i = 0; i < s->count; ++i)
        for (uint32_t k = 0; k < w->item[s->item[i]].count; ++k)
            s->start[w->particle[w->item[s->item[i]].first + k] + 1]++;
    for (uint32_t slot = 0; slot < w->ordered; ++slot) {
        uint32_t count = s->start[slot + 1];
        if (count)
            s->sort[found++] = (sn_sort_item){(uint64_t)plan_body(w, slot) << 32 | (UINT32_MAX - count), slot, 0};
        s->start[slot + 1] += s->start[slot];
    }
    for (uint32_t i = 0; i < s->count; ++i)
        for (uint32_t k = 0; k < w->item[s->item[i]].count; ++k)
            s->of[s->start[w->particle[w->item[s->item[i]].first + k]]++] = s->item[i];
    memmove(s->start + 1, s->start, (size_t)w->ordered * sizeof *s->start);
    s->start[0] = 0;
    sn_sort(s->sort, s->scratch, found);
    return found;
}

static bool has_group(const plan_work *w, uint32_t slot, uint32_t stamp)
{
    return w->claim_stamp[slot] == stamp;
}

static void set_group(plan_work *w, uint32_t slot, uint32_t group, uint32_t stamp)
{
    w->claim_stamp[slot] = stamp;
    w->claim[slot] = group;
}

/* Grows a group from a particle, through the remaining items, until it has `room` particles. If fewer than half as many
   more can be reached, it takes all of them: then nothing is cut. (With three times the room, instead of one and a
   half, a tenth less was cut, and the largest tiles were twice as large.) */
static void grow_seam(plan_work *w, seams *s, uint32_t from, uint32_t room, uint32_t stamp)
{
    uint32_t *queue = w->queue, tail = 0, most = room + room / 2;
    queue[tail++] = from;
    set_group(w, from, ++s->group, stamp);
    for (uint32_t head = 0; head < tail && tail < most; ++head)
        for (uint32_t i = s->start[queue[head]]; i < s->start[queue[head] + 1]; ++i) {
            const plan_item *item = &w->item[s->of[i]];
            for (uint32_t k = 0; k < item->count; ++k) {
                uint32_t slot = w->particle[item->first + k];
                if (has_group(w, slot, stamp) || tail == most)
                    continue;
                set_group(w, slot, s->group, stamp);
                queue[tail++] = slot;
            }
        }
    for (uint32_t i = room; tail == most && i < tail; ++i)
        w->claim_stamp[queue[i]] = 0; /* too many: the last ones are released */
}

static uint32_t tiles_for(uint32_t items)
{
    uint32_t tiles = items / SEAM_LEAST;
    return tiles < 1 ? 1 : tiles > SEAMS_OF_BODY ? SEAMS_OF_BODY : tiles;
}

/* Cuts the particles of the remaining items into groups. */
static void cut_seams(plan_work *w, seams *s, uint32_t stamp)
{
    uint32_t found = list_particles(w, s);
    for (uint32_t first = 0, item = 0, end, next; first < found; first = end, item = next) {
        uint32_t body = (uint32_t)(s->sort[first].key >> 32);
        for (end = first + 1; end < found && s->sort[end].key >> 32 == body;)
            ++end;
        for (next = item; next < s->count && body_of_item(w, s->item[next]) == body;)
            ++next;
        uint32_t tiles = tiles_for(next - item), room = (end - first + tiles - 1) / tiles;
        for (uint32_t i = first; i < end; ++i)
            if (!has_group(w, s->sort[i].a, stamp))
                grow_seam(w, s, s->sort[i].a, room < SN_MAX_BLOCK ? SN_MAX_BLOCK : room, stamp);
    }
}

/* Takes the items inside one group; the others stay. Tiles are in the order of storage: then the thread that runs a
   tile has worked on its particles in the layer before. Returns the number of items. */
static uint32_t take_layer(plan_work *w, seams *s)
{
    uint32_t taken = 0, stays = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const plan_item *item = &w->item[s->item[i]];
        uint32_t group = w->claim[w->particle[item->first]], k = 1;
        while (k < item->count && w->claim[w->particle[item->first + k]] == group)
            ++k;
        if (k < item->count) {
            s->stay[stays++] = s->item[i];
            continue;
        }
        s->first[group] = s->first[group] ? s->first[group] : i + 1;
        s->sort[taken++] = (sn_sort_item){s->first[group], s->item[i], 0};
    }
    memcpy(s->item, s->stay, stays * sizeof *s->item);
    s->count = stays;
    sn_sort(s->sort, s->scratch, taken);
    return taken;
}

/* Whether a tile may have items of two bodies: the motion of a large body must not depend on others. */
static bool may_share(const plan_work *w, uint32_t a, uint32_t b)
{
    return a == b || (w->body_work[a] < PLAN_LEAST_LARGE && w->body_work[b] < PLAN_LEAST_LARGE);
}

/* The end of the items of the group of item `from` of a layer; and of its body. */
static uint32_t end_of_tile(const seams *s, uint32_t from, uint32_t taken)
{
    uint32_t end = from + 1;
    while (end < taken && s->sort[end].key == s->sort[from].key)
        ++end;
    return end;
}

static uint32_t end_of_body(const plan_work *w, const seams *s, uint32_t from, uint32_t taken)
{
    uint32_t end = from + 1, body = body_of_item(w, s->sort[from].a);
    while (end < taken && body_of_item(w, s->sort[end].a) == body)
        ++end;
    return end;
}

/* Plans a layer. Small groups are merged into one tile. */
static void plan_layer(plan_work *w, seams *s)
{
    uint32_t stamp = ++w->stamps, listed = 0, fair = 0, body = PLAN_NONE;
    if (!sn_plan_open_layer(w))
        return;
    s->group = 0;
    cut_seams(w, s, stamp);
    memset(s->first, 0, ((size_t)s->group + 1) * sizeof *s->first);
    uint32_t taken = take_layer(w, s);
    for (uint32_t i = 0, end; i < taken && !w->failed; i = end) {
        uint32_t now = body_of_item(w, s->sort[i].a);
        end = end_of_tile(s, i, taken);
        if (listed && (listed + (end - i) / 2 > fair || !may_share(w, body, now))) {
            plan_seam(w, s->list, listed);
            listed = 0;
        }
        if (body != now) {
            uint32_t items = end_of_body(w, s, i, taken) - i;
            fair = items / tiles_for(items);
            fair += fair / 8; /* prefer fewer tiles */
            body = now;
        }
        for (uint32_t k = i; k < end; ++k)
            s->list[listed++] = s->sort[k].a;
    }
    if (listed)
        plan_seam(w, s->list, listed);
}

/* Lists the remaining items of one particle, or those of several. */
static void list_left(plan_work *w, seams *s, bool singles)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->items; ++i)
        if (!w->item[i].done && (w->item[i].count == 1) == singles)
            s->sort[count++] = (sn_sort_item){body_of_item(w, i), i, 0};
    sn_sort(s->sort, s->scratch, count);
    for (uint32_t i = 0; i < count; ++i)
        s->item[i] = s->sort[i].a;
    s->count = count;
}

void sn_plan_later_layers(plan_work *w)
{
    uint32_t count = 0, particles = 0;
    for (uint32_t i = 0; i < w->items; ++i) {
        count += !w->item[i].done;
        particles += w->item[i].done ? 0 : w->item[i].count;
    }
    if (!count)
        return;
    seams s = {.item = sn_plan_scratch(w, count, sizeof *s.item),
               .stay = sn_plan_scratch(w, count, sizeof *s.stay),
               .list = sn_plan_scratch(w, count, sizeof *s.list),
               .start = sn_plan_scratch(w, (size_t)w->ordered + 2, sizeof *s.start),
               .first = sn_plan_scratch(w, (size_t)w->ordered + 1, sizeof *s.first),
               .of = sn_plan_scratch(w, particles, sizeof *s.of),
               .sort = sn_plan_scratch(w, particles, sizeof *s.sort),
               .scratch = sn_plan_scratch(w, particles, sizeof *s.scratch)};
    for (int singles = 0; singles < 2 && !w->failed; ++singles) { /* constraints of one particle after all others */
        list_left(w, &s, singles);
        for (uint32_t layer = 1; s.count && layer <= MOST_LAYERS && !w->failed; ++layer)
            plan_layer(w, &s);
        for (uint32_t i = 0; i < s.count && !w->failed; ++i) { /* a rare tangle: these are projected one by one */
            sn_visit *visit = sn_plan_grow(w, &w->plan->many_table, 1);
            if (visit)
                *visit = (sn_visit){w->item[s.item[i]].kind, w->item[s.item[i]].row};
        }
    }
}
