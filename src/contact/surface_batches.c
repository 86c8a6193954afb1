/* Pairs of features, many at a time: their distance, their relative motion and their reach. Bounds that are computed on
   lanes (wide/nearness.h) save exact measurements of pairs that cannot come into contact. Most such pairs are near in
   the rest shape, too. No result depends on a bound. */
#include "contact/particle_contacts.h"

#include "world/world.h"

#define REST ((sn_real)0.5) /* of the distance in the rest shape: neighbours that are nearer push each other */

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

/* ---- Reach ------------------------------------------------------------------------------------------------------- */

static const sn_vec4 *rest_of(const sn_world *world, uint32_t vertex)
{
    const uint32_t number = surface_vertices(&world->contacts.surfaces)[vertex].number;
    return (const sn_vec4 *)world->contact.rest_table.column[0] + number;
}

/* True if all four vertices have a rest position. */
static bool has_rest(const sn_world *world, const sn_surface_candidate *c)
{
    for (uint32_t k = 0; k < 4; ++k)
        if (surface_vertices(&world->contacts.surfaces)[c->vertex[k]].number >= world->contact.rest_table.count ||
            rest_of(world, c->vertex[k])->w == 0)
            return false;
    return true;
}

/* m: features that are near each other in the rest shape may be nearer than the thickness. */
static sn_real reach_at_rest(const sn_world *world, const sn_surface_candidate *c, sn_real thickness)
{
    sn_dvec3 x[4];
    for (uint32_t k = 0; k < 4; ++k)
        x[k] = dvec3_from(vec4_xyz(*rest_of(world, c->vertex[k])));
    return lower(REST * (sn_real)sn_surface_nearest(c->edges, x).distance, thickness);
}

sn_real sn_surface_reach(const sn_world *world, const sn_surface_candidate *c)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    if (!c->rough)
        return c->reach;
    const uint32_t triangle = c->edges ? surface_edges(s)[c->one].triangle : c->other; /* both are of one skin */
    return reach_at_rest(world, c, 2 * surface_skins(s)[surface_triangles(s)[triangle].skin].thickness);
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

static const sn_wide_near *functions(const sn_world *world)
{
    return world->wide ? world->wide->near : &sn_near_scalar;
}

/* Stores three vectors of pair i, relative to `from`. */
SN_INLINE void set_rows(sn_real *rows, uint32_t i, sn_vec3 from, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    const sn_vec3 row[3] = {vec3_sub(a, from), vec3_sub(b, from), vec3_sub(c, from)};
    for (uint32_t k = 0; k < 3; ++k) {
        rows[(3 * k) * SN_WIDE_COUPLES + i] = row[k].x;
        rows[(3 * k + 1) * SN_WIDE_COUPLES + i] = row[k].y;
        rows[(3 * k + 2) * SN_WIDE_COUPLES + i] = row[k].z;
    }
}

/* Fills the rest of the last vector. */
static void fill_up(sn_real *rows, uint32_t count)
{
    const sn_vec3 zero = {0, 0, 0};
    for (; count % SN_BATCH; ++count)
        set_rows(rows, count, zero, zero, zero, zero);
}

void sn_surface_batch_measure(const sn_world *world, sn_surface_batch *b)
{
    const sn_surface_motion *m = surface_motions(&world->contacts.surfaces);
    sn_real rows[9 * SN_WIDE_COUPLES], high[SN_WIDE_COUPLES];
    for (uint32_t i = 0; i < b->count; ++i) {
        const uint32_t *v = b->of[i]->vertex;
        set_rows(rows, i, m[v[0]].start, m[v[1]].start, m[v[2]].start, m[v[3]].start);
    }
    fill_up(rows, b->count);
    functions(world)->couples(&(sn_wide_couples){rows, b->count, b->edges, b->low, high, b->inner});
}

static sn_vec3 displacement_of(const sn_surface_motion *m)
{
    return vec3_sub(m->end, m->start);
}

void sn_surface_batch_compare(const sn_world *world, sn_surface_batch *b, bool displacements)
{
    const sn_surface_motion *m = surface_motions(&world->contacts.surfaces);
    sn_real rows[9 * SN_WIDE_COUPLES];
    for (uint32_t i = 0; i < b->count; ++i) {
        const uint32_t *v = b->of[i]->vertex;
        if (displacements)
            set_rows(rows, i, displacement_of(&m[v[0]]), displacement_of(&m[v[1]]), displacement_of(&m[v[2]]),
                     displacement_of(&m[v[3]]));
        else
            set_rows(rows, i, m[v[0]].velocity, m[v[1]].velocity, m[v[2]].velocity, m[v[3]].velocity);
    }
    fill_up(rows, b->count);
    functions(world)->differences(
        &(sn_wide_couples){.places = rows, .count = b->count, .edges = b->edges, .high = b->differ});
}

/* The reach of segments: by their distance along the strand, otherwise as in the rest shape. */
static sn_real reach_of_segments(const sn_world *world, const sn_surface_candidate *c, sn_real thickness, bool same)
{
    sn_real apart;
    if (sn_surface_along_strand(&world->contacts.surfaces, c, &apart))
        return lower(REST * apart, thickness);
    return same && has_rest(world, c) ? reach_at_rest(world, c, thickness) : thickness;
}

void sn_surface_batch_reach(const sn_world *world, sn_surface_batch *b, sn_real thickness, bool same)
{
    sn_real rows[9 * SN_WIDE_COUPLES], low[SN_WIDE_COUPLES], high[SN_WIDE_COUPLES], inner[SN_WIDE_COUPLES];
    const sn_vec3 zero = {0, 0, 0};
    bool any = false;
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_surface_candidate *c = b->of[i];
        c->reach = c->segments ? reach_of_segments(world, c, thickness, same) : thickness;
        c->rough = same && !c->segments && has_rest(world, c);
        any = any || c->rough;
        if (c->rough)
            set_rows(rows, i, vec4_xyz(*rest_of(world, c->vertex[0])), vec4_xyz(*rest_of(world, c->vertex[1])),
                     vec4_xyz(*rest_of(world, c->vertex[2])), vec4_xyz(*rest_of(world, c->vertex[3])));
        else
            set_rows(rows, i, zero, zero, zero, zero);
    }
    if (!any)
        return;
    fill_up(rows, b->count);
    functions(world)->couples(&(sn_wide_couples){rows, b->count, b->edges, low, high, inner});
    for (uint32_t i = 0; i < b->count; ++i) {
        sn_surface_candidate *c = b->of[i];
        if (c->rough && REST * high[i] * SN_SURFACE_LONGER < thickness)
            c->reach = REST * high[i] * SN_SURFACE_LONGER;
        c->rough = c->rough && !(REST * low[i] > thickness * SN_SURFACE_LONGER);
    }
}
