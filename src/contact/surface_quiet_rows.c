/* The vertices of surfaces in the order of tiles, with the numbers that surface_quiet.c compares. */
#include "contact/surface_quiet.h"

#include "world/world.h"

#include <assert.h>

static sn_vec4 *column(const sn_surfaces *s, uint32_t number)
{
    return s->quiet.vertex_table.column[number];
}

void sn_surface_quiet_init(sn_surface_quiet *q)
{
    for (uint32_t i = SN_QUIET_START; i < SN_QUIET_FAR; ++i)
        sn_table_column(&q->vertex_table, sizeof(sn_vec4), false);
    sn_table_column(&q->vertex_table, sizeof(sn_real), false);
    for (uint32_t i = SN_QUIET_SLOT; i <= SN_QUIET_ROW; ++i)
        sn_table_column(&q->vertex_table, sizeof(uint32_t), false);
    sn_table_column(&q->borrowed_table, sizeof(uint32_t), false);
}

bool sn_surface_quiet_reserve(sn_world *world, sn_surfaces *s)
{
    s->quiet.ordered = false;
    return sn_table_reserve(&s->quiet.vertex_table, &world->allocator,
                            (uint64_t)s->vertex_table.count + SN_SURFACE_QUIET_MORE) &&
           sn_table_reserve(&s->quiet.borrowed_table, &world->allocator, s->corner_table.count);
}

/* Puts vertices in the order of tiles. */
static void order(sn_surfaces *s)
{
    const uint32_t *owned = s->tile_vertex_table.column[0], *corner = s->corner_table.column[0];
    uint32_t *vertex = s->quiet.vertex_table.column[SN_QUIET_VERTEX], *row = s->quiet.vertex_table.column[SN_QUIET_ROW];
    uint32_t *borrowed = s->quiet.borrowed_table.column[0], rows = 0, borrows = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        const bool off = surface_skins(s)[tile->skin].shell > 0;
        surface_quiet_tiles(s)[i] = (sn_surface_quiet_tile){.first = rows, .count = off ? 0 : tile->vertices};
        for (uint32_t k = 0; k < surface_quiet_tiles(s)[i].count; ++k) {
            vertex[rows] = owned[tile->first_vertex + k];
            row[vertex[rows]] = rows;
            ++rows;
        }
    }
    assert(rows == s->vertex_table.count);
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        q->borrowed = borrows;
        for (uint32_t k = 0; q->count && k < tile->corners; ++k) {
            const uint32_t at = row[corner[tile->first_corner + k]];
            if (at < q->first || at >= q->first + q->count)
                borrowed[borrows++] = at;
        }
        q->borrows = borrows - q->borrowed;
    }
    s->quiet.ordered = true;
}

void sn_surface_quiet_slots(sn_surfaces *s)
{
    if (!s->quiet.ordered)
        order(s);
    uint32_t *slot = s->quiet.vertex_table.column[SN_QUIET_SLOT];
    const uint32_t *vertex = s->quiet.vertex_table.column[SN_QUIET_VERTEX];
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        for (uint32_t k = q->first; k < q->first + q->count; ++k) {
            const sn_surface_vertex *v = &surface_vertices(s)[vertex[k]];
            slot[k] = v->slot;
            q->piece = k == q->first || v->piece == q->piece ? v->piece : SN_SURFACE_NONE;
        }
    }
    for (uint32_t i = s->vertex_table.count; i < s->vertex_table.count + SN_SURFACE_QUIET_MORE; ++i)
        slot[i] = slot[s->vertex_table.count - 1];
}

sn_wide_quiet sn_surface_quiet_run(sn_world *world, sn_surfaces *s)
{
    return (sn_wide_quiet){.count = s->vertex_table.count,
                           .slot = s->quiet.vertex_table.column[SN_QUIET_SLOT],
                           .x = world->particles.x,
                           .low = world->particles.x_low,
                           .v = world->particles.v,
                           .start = column(s, SN_QUIET_START),
                           .start_low = column(s, SN_QUIET_LOW),
                           .speed = column(s, SN_QUIET_SPEED),
                           .end = column(s, SN_QUIET_END),
                           .from = column(s, SN_QUIET_FROM),
                           .from_speed = column(s, SN_QUIET_FROM_SPEED),
                           .square = s->quiet.vertex_table.column[SN_QUIET_FAR]};
}
