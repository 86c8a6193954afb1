/* Contact of bodies: cuts space into cells.

   A box of bodies is cut across its longest side, and its parts again, until a cell has few enough bodies. Tasks share
   the work in rounds: as long as a part has many bodies, its two parts are one task each of the next round. */
#include "contact/body_work.h"

#include <string.h>

#define A_FEW 64u  /* entries: the least growth of a table */
#define CELL  128u /* bodies in a cell, at most */
#define ALONE 512u /* a task cuts up to this many bodies to the end */

/* By level: the share of the bodies on the first side of a cut. Planes of one level should be far from those of
   another. */
static const double cut[SN_BODY_CONTACT_LEVELS - 1] = {0.5, 0.4, 0.6};

#define WORK_OF_CUT   50.0 /* ns, about: a mover on a level in a round */
#define WORK_OF_CLEAR 5.0  /* ns, about: preparing a mover */

bool sn_body_contacts_make_room(sn_world *world, sn_table *table, uint64_t count)
{
    return count <= table->capacity ||
           sn_table_reserve(table, &world->allocator, count + (count < A_FEW ? A_FEW : count / 4));
}

/* ---- One box ----------------------------------------------------------------------------------------------------- */

static sn_real along(const sn_body_contact_position *position, int axis)
{
    return axis == 0 ? position->x.x : axis == 1 ? position->x.y : position->x.z;
}

/* Movers in the same place are ordered by their numbers. */
static bool is_before(const sn_body_contact_position *a, const sn_body_contact_position *b, int axis)
{
    sn_real xa = along(a, axis), xb = along(b, axis);
    return xa < xb || (xa == xb && a->mover < b->mover);
}

static void swap(sn_body_contact_position *a, sn_body_contact_position *b)
{
    sn_body_contact_position c = *a;
    *a = *b;
    *b = c;
}

/* Moves the `first` lowest ones to the front (Hoare 1961). */
static void divide(sn_body_contact_position *list, uint32_t count, uint32_t first, int axis)
{
    int64_t low = 0, high = (int64_t)count - 1;
    while (low < high) {
        const sn_body_contact_position pivot = list[low + (high - low) / 2];
        int64_t i = low, k = high;
        while (i <= k) {
            while (is_before(&list[i], &pivot, axis))
                ++i;
            while (is_before(&pivot, &list[k], axis))
                --k;
            if (i <= k)
                swap(&list[i++], &list[k--]);
        }
        if (first <= k)
            high = k;
        else if (first >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const sn_body_contact_position *list, uint32_t count)
{
    sn_vec3 low = list[0].x, high = low;
    for (uint32_t i = 1; i < count; ++i) {
        sn_vec3 x = list[i].x;
        low = vec3(x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z);
        high = vec3(x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y, x.z > high.z ? x.z : high.z);
    }
    sn_vec3 size = vec3_sub(high, low);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

static uint32_t first_side(uint32_t level, uint32_t count)
{
    return (uint32_t)(count * cut[level]);
}

/* The number of cells that a box will be cut into. */
static uint32_t count_cells(uint32_t level, uint32_t count)
{
    if (count <= CELL)
        return 1;
    const uint32_t first = first_side(level, count);
    return count_cells(level, first) + count_cells(level, count - first);
}

/* Cuts a box into cells, numbered from `cell` on. The depth is logarithmic, because both sides get a fair share. */
static void cut_box(const sn_world *world, uint32_t level, sn_body_contact_position *list, uint32_t count,
                    uint32_t cell)
{
    if (count <= CELL) {
        for (uint32_t i = 0; i < count; ++i)
            contact_cell(world, list[i].mover)->cell[level] = cell;
        return;
    }
    const uint32_t first = first_side(level, count);
    divide(list, count, first, longest_axis(list, count));
    cut_box(world, level, list, first, cell);
    cut_box(world, level, list + first, count - first, cell + count_cells(level, first));
}

/* ---- Rounds ------------------------------------------------------------------------------------------------------ */

static sn_body_contact_slice *slices(const sn_world *world)
{
    return world->body_contacts.group_table.column[4];
}

/* Positions of movers, by level. */
static sn_body_contact_position *contact_points(const sn_world *world, uint32_t level)
{
    return (sn_body_contact_position *)world->body_contacts.cell_table.column[2] +
           (size_t)level * world->body_contacts.mover_table.count;
}

/* Cuts a slice. It is stored at the number of its first cell, and so are both its parts. */
static void cut_slice(void *data, uint32_t index, uint32_t worker)
{
    const sn_world *world = data;
    sn_body_contact_slice *s = &slices(world)[((const uint32_t *)world->body_contacts.group_table.column[3])[index]];
    sn_body_contact_position *list = contact_points(world, s->level) + s->first;
    (void)worker;
    if (s->count <= ALONE) {
        cut_box(world, s->level, list, s->count, s->cell);
        s->count = 0;
        return;
    }
    const uint32_t first = first_side(s->level, s->count), cell = s->cell + count_cells(s->level, first);
    divide(list, s->count, first, longest_axis(list, s->count));
    slices(world)[cell] = (sn_body_contact_slice){s->level, s->first + first, s->count - first, cell};
    s->count = first;
}

/* Cuts all levels that have several cells. */
static bool cut_all(sn_world *world, uint32_t movers)
{
    const uint32_t *level = world->body_contacts.level, last = SN_BODY_CONTACT_LEVELS - 1;
    uint32_t *list = world->body_contacts.group_table.column[3];
    memset(slices(world), 0, (size_t)level[last] * sizeof *slices(world));
    for (uint32_t i = 0; i < last; ++i)
        if (level[i] != level[i + 1])
            slices(world)[level[i]] = (sn_body_contact_slice){i, 0, movers, level[i]};
    for (;;) {
        uint32_t count = 0, items = 0;
        for (uint32_t i = 0; i < level[last]; ++i)
            if (slices(world)[i].count) {
                list[count++] = i;
                items += slices(world)[i].count;
            }
        if (!count)
            return true;
        const bool shared = sn_parallel_wants(&world->parallel, items * WORK_OF_CUT);
        if (!sn_parallel_tasks(shared ? &world->parallel : NULL, count, cut_slice, world))
            return false;
    }
}

/* ---- All together ------------------------------------------------------------------------------------------------ */

static void clear_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t slot = contact_movers(world)[i].slot;
        const bool moves = slot != SN_NO_SLOT && world->particles.x[slot].w != 0;
        *contact_cell(world, i) = (sn_body_contact_cell){{0}, {0}};
        contact_marks(world)[i] = moves ? SN_MARK_MOVES : 0;
        for (uint32_t k = 0; k < SN_BODY_CONTACT_LEVELS; ++k)
            atomic_store_explicit(&contact_degrees(world, i)[k], 0, memory_order_relaxed);
    }
}

/* Lists bodies that move and have contacts. */
static uint32_t list_moving(const sn_world *world, uint32_t contacts)
{
    const sn_body_contact_ends *ends = world->body_contacts.contact_table.column[5];
    uint32_t *list = world->body_contacts.cell_table.column[1], listed = 0;
    uint8_t *mark = contact_marks(world);
    for (uint32_t i = 0; i < contacts; ++i)
        for (int side = 0; side < 2; ++side) {
            const uint32_t mover = side ? ends[i].b : ends[i].a;
            if (!contact_moves(world, mover) || mark[mover] & SN_MARK_TOUCHES)
                continue;
            mark[mover] |= SN_MARK_TOUCHES;
            list[listed++] = mover;
        }
    return listed;
}

static void positions_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    const uint32_t *list = world->body_contacts.cell_table.column[1], *level = world->body_contacts.level;
    for (uint32_t i = first; i < end; ++i) {
        const sn_body_contact_position position = {vec4_xyz(world->particles.x[contact_movers(world)[list[i]].slot]),
                                                   list[i]};
        for (uint32_t k = 0; k + 1 < SN_BODY_CONTACT_LEVELS; ++k)
            if (level[k] != level[k + 1])
                contact_points(world, k)[i] = position;
    }
}

sn_result sn_body_contacts_cut_space(sn_world *world, uint32_t contacts, uint32_t *groups)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    uint32_t *level = body_contacts->level, last = SN_BODY_CONTACT_LEVELS - 1;
    if (!sn_body_contacts_make_room(world, &body_contacts->cell_table, body_contacts->mover_table.count))
        return SN_ERROR_MEMORY;
    if (!sn_parallel_few(&world->parallel, body_contacts->mover_table.count, WORK_OF_CLEAR, clear_piece, world))
        return SN_ERROR_HOST;
    const uint32_t moving = list_moving(world, contacts);
    level[0] = 0;
    for (uint32_t i = 0; i < last; ++i)
        level[i + 1] = level[i] + (moving && (i == 0 || moving > CELL) ? count_cells(i, moving) : 0);
    *groups = level[last + 1] = level[last] + 1;
    if (!sn_body_contacts_make_room(world, &body_contacts->group_table, *groups) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, body_contacts->group_table.capacity))
        return SN_ERROR_MEMORY;
    if (!sn_parallel_few(&world->parallel, moving, WORK_OF_CLEAR, positions_piece, world) || !cut_all(world, moving))
        return SN_ERROR_HOST;
    return SN_OK;
}
