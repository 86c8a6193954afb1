/* Boxes around features and their paths, for tiles that move far: by tile, once for all tiles that they are compared
   with. See surface_listing.c. */
#include "contact/particle_contacts.h"

#include "base/quad.h"
#include "wide/wide.h"
#include "world/world.h"

#define WORK_OF_TILE 5000.0 /* ns, about */

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

/* By velocity, paths are relative to the mean velocity of the four vertices. */
bool sn_surface_sweeps_touch(const sn_surfaces *s, const sn_surface_candidate *c, sn_surface_sweep sweep, sn_real h,
                             sn_real by)
{
    const sn_surface_motion *m = surface_motions(s);
    const uint32_t second = c->edges ? 2 : 1;
    const quad far = quad_all((sn_real)INFINITY), near = quad_all(-(sn_real)INFINITY), gap = quad_all(by);
    quad low[2] = {far, far}, high[2] = {near, near}, with = quad_all(0);
    if (sweep == SN_SURFACE_ALL)
        return true;
    for (uint32_t k = 0; k < 4 && sweep == SN_SURFACE_BY_VELOCITY; ++k)
        with = quad_add(with, quad_scale(quad_load(&m[c->vertex[k]].velocity), (sn_real)0.25));
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_motion *v = &m[c->vertex[k]];
        const quad a = quad_load(&v->start),
                   b = sweep == SN_SURFACE_BY_DISPLACEMENT
                           ? quad_load(&v->end)
                           : quad_add(a, quad_scale(quad_sub(quad_load(&v->velocity), with), h));
        const uint32_t of = k >= second;
        low[of] = quad_lower(low[of], quad_lower(a, b));
        high[of] = quad_larger(high[of], quad_larger(a, b));
    }
    return quad_is_below3(quad_sub(low[0], gap), high[1]) && quad_is_below3(quad_sub(low[1], gap), high[0]);
}

/* ---- By tile ----------------------------------------------------------------------------------------------------- */

typedef struct sweeping {
    const sn_surfaces *s;
    sn_real h;
    sn_surface_sweep sweep;
} sweeping;

static uint32_t blocks(uint32_t count)
{
    return (count + SN_BATCH - 1) / SN_BATCH;
}

uint32_t sn_surface_sweeps_stride(uint32_t count)
{
    return blocks(count) * SN_BATCH;
}

/* The rows of triangles come first, then those of edges, then those of vertices. */
sn_real *sn_surface_sweeps_of(const sn_surfaces *s, const sn_surface_tile *tile, uint32_t sort)
{
    const uint32_t before = (sort ? blocks(tile->triangles) : 0) + (sort > 1 ? blocks(tile->edges) : 0);
    return (sn_real *)s->sweep_table.column[0] +
           (size_t)SN_WIDE_SWEEP_ROWS * SN_BATCH * ((size_t)tile->first_sweep + before);
}

/* The path of a corner: start, end, and its part of the mean displacement of four vertices: see
   sn_surface_sweeps_touch. */
typedef struct corner_displacement {
    sn_vec3 start, end, with;
} corner_displacement;

/* Stores boxes around starts and around ends of all features of one sort. */
static void set_sweeps(const corner_displacement *of, const uint8_t *local, uint32_t corners, uint32_t count,
                       sn_real *rows)
{
    const uint32_t stride = sn_surface_sweeps_stride(count);
    for (uint32_t i = 0; i < count; ++i, local += corners) {
        sn_vec3 low = of[local[0]].start, high = low, low_end = of[local[0]].end, high_end = low_end,
                with = of[local[0]].with;
        for (uint32_t k = 1; k < corners; ++k) {
            const sn_vec3 a = of[local[k]].start, b = of[local[k]].end;
            low = vec3(lower(low.x, a.x), lower(low.y, a.y), lower(low.z, a.z));
            high = vec3(larger(high.x, a.x), larger(high.y, a.y), larger(high.z, a.z));
            low_end = vec3(lower(low_end.x, b.x), lower(low_end.y, b.y), lower(low_end.z, b.z));
            high_end = vec3(larger(high_end.x, b.x), larger(high_end.y, b.y), larger(high_end.z, b.z));
            with = vec3_add(with, of[local[k]].with);
        }
        const sn_vec3 five[5] = {low, high, low_end, high_end, with};
        for (uint32_t k = 0; k < 5; ++k) {
            rows[3 * k * stride + i] = five[k].x;
            rows[(3 * k + 1) * stride + i] = five[k].y;
            rows[(3 * k + 2) * stride + i] = five[k].z;
        }
    }
    for (uint32_t row = 0; count && row < SN_WIDE_SWEEP_ROWS; ++row) /* fills the rest of the last vector */
        for (uint32_t i = count; i < stride; ++i)
            rows[row * stride + i] = rows[row * stride + count - 1];
}

static void include(sn_bounds *box, sn_vec3 p)
{
    box->low = vec3(lower(box->low.x, p.x), lower(box->low.y, p.y), lower(box->low.z, p.z));
    box->high = vec3(larger(box->high.x, p.x), larger(box->high.y, p.y), larger(box->high.z, p.z));
}

static void sweep_tile(const sweeping *p, sn_surface_tile *tile)
{
    const sn_surfaces *s = p->s;
    const uint32_t *corner = (const uint32_t *)s->corner_table.column[0] + tile->first_corner;
    const sn_real far = (sn_real)INFINITY;
    corner_displacement displacement[SN_TILE_CORNERS];
    tile->leads = tile->displacements = (sn_bounds){{far, far, far}, {-far, -far, -far}};
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_surface_motion *m = &surface_motions(s)[corner[k]];
        const sn_vec3 ahead = vec3_scale(m->velocity, p->h);
        const sn_vec3 end = p->sweep == SN_SURFACE_BY_DISPLACEMENT ? m->end : vec3_add(m->start, ahead);
        displacement[k] = (corner_displacement){
            m->start, end, vec3_scale(ahead, p->sweep == SN_SURFACE_BY_DISPLACEMENT ? 0 : (sn_real)0.25)};
        include(&tile->leads, end);
        include(&tile->displacements, ahead);
    }
    set_sweeps(displacement, (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)tile->first_triangle, 3,
               tile->triangles, sn_surface_sweeps_of(s, tile, 0));
    set_sweeps(displacement, (const uint8_t *)s->tile_edge_table.column[1] + 2 * (size_t)tile->first_edge, 2,
               tile->edges, sn_surface_sweeps_of(s, tile, 1));
    set_sweeps(displacement, (const uint8_t *)s->tile_vertex_table.column[1] + tile->first_vertex, 1, tile->vertices,
               sn_surface_sweeps_of(s, tile, 2));
}

static void sweep_piece(void *data, uint32_t first, uint32_t end)
{
    const sweeping *p = data;
    for (uint32_t i = first; i < end; ++i)
        if (surface_tiles(p->s)[i].sweeps)
            sweep_tile(p, &surface_tiles(p->s)[i]);
}

bool sn_surface_sweeps_take(sn_world *world, sn_real h, sn_surface_sweep sweep)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sweeping of = {s, h, sweep};
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        tile->first_sweep = count;
        if (tile->sweeps)
            count += blocks(tile->triangles) + blocks(tile->edges) + blocks(tile->vertices);
    }
    if (!sn_table_reserve(&s->sweep_table, &world->allocator, count)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    return sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, sweep_piece, &of);
}
