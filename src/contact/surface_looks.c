/* The motion of tiles of surfaces, at the start and at the end of a substep.

   Both motions are a rigid motion and a remainder: see surface_pairs.c. The corners of a tile are visited once in a
   substep, when it ends, on lanes (wide/corners.h). At the start of the next one, positions are those at its end,
   and velocities are those of the motion so far, except for changes by contact, friction of the air or an
   integrator. So bounds of the displacements give bounds of the velocities, too:

       w = m + s × y + e  with |e| <= rest,  v = w / h + d,  and at y' = y + w - m, relative to the present centre,
       v = m / h + s / h × y' - (s × (s × y) + s × e - e) / h + d

   Corners with a d above a small limit are marked. Tiles with marked corners are measured again, and so are all in
   the first substep of a step. */
#include "contact/particle_contacts.h"
#include "base/quad.h"
#include "contact/surface_quiet.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "wide/wide.h"
#include "world/world.h"

#include <string.h>

#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? (sn_real)1e-15 : (sn_real)5e-7) /* of the coordinates: rounding error of relative positions */
#define SET_ASIDE    ((sn_real)1e-4) /* of an edge: a body farther from its last position was placed there */
#define WORK_OF_TILE 1000.0          /* ns, about */
#define THIN         ((sn_real)1e-3) /* sine of the angle between the two sums: below this they define no frame */
#define LITTLE                                                                                                         \
    ((sn_real)1e-3) /* of the thickness: a velocity that differs by this in a substep from the last one is marked */

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static void include(sn_bounds *box, sn_vec3 p)
{
    box->low = vec3(p.x < box->low.x ? p.x : box->low.x, p.y < box->low.y ? p.y : box->low.y,
                    p.z < box->low.z ? p.z : box->low.z);
    box->high = vec3(larger(box->high.x, p.x), larger(box->high.y, p.y), larger(box->high.z, p.z));
}

static bool is_inside(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

static const sn_wide_near *functions(const sn_world *world)
{
    return world->wide ? world->wide->near : &sn_near_scalar;
}

typedef struct looking {
    const sn_world *world;
    const sn_surfaces *s;
    sn_real h;
    bool follows;   /* the displacements of tiles in the last substep give their velocities, except for marked ones */
    bool marked;    /* there are marked ones */
    sn_real differ; /* m/s: velocities of the others have changed by no more */
    sn_real little; /* m^2: see little() */
} looking;

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Axes of a frame from two sums. If these define none, any axes will do. */
static void make_axes(sn_surface_tile *tile, sn_vec3 u, sn_vec3 v)
{
    const sn_real length = vec3_length(u), second = vec3_length(v);
    const sn_vec3 n = vec3_cross(u, v);
    const sn_real third = vec3_length(n);
    sn_vec3 *axis = tile->axis;
    axis[0] = vec3(1, 0, 0), axis[1] = vec3(0, 1, 0), axis[2] = vec3(0, 0, 1);
    tile->length = 0;
    if (!(third > THIN * length * second) || !isfinite(third))
        return;
    axis[0] = vec3_scale(u, 1 / length);
    axis[2] = vec3_scale(n, 1 / third);
    axis[1] = vec3_cross(axis[2], axis[0]);
    tile->length = length;
    tile->along = vec3_dot(v, axis[0]);
    tile->across = vec3_dot(v, axis[1]);
}

/* The angular velocity or rotation of a tile, from the sums of the motions of its corners. Any value is valid: `rest`
   is measured relative to it. */
static sn_vec3 spin_of(const sn_surface_tile *tile, sn_vec3 u, sn_vec3 v)
{
    if (tile->length == 0)
        return vec3(0, 0, 0);
    const sn_real third = vec3_dot(tile->axis[1], u) / tile->length,
                  second = -vec3_dot(tile->axis[2], u) / tile->length;
    const sn_real first = (vec3_dot(tile->axis[2], v) + second * tile->along) / tile->across;
    return vec3_add(vec3_add(vec3_scale(tile->axis[0], first), vec3_scale(tile->axis[1], second)),
                    vec3_scale(tile->axis[2], third));
}

static void set_rigid(const sn_surface_tile *tile, sn_surface_rigid *rigid, sn_vec3 mean, sn_vec3 spin, sn_real rest)
{
    const sn_real fast = vec3_length(spin) * tile->radius;
    *rigid = (sn_surface_rigid){
        .mean = mean, .spin = spin, .rest = (rest + ROUNDED * (vec3_length(mean) + fast)) * SN_SURFACE_LONGER};
    rigid->spread = (rigid->rest + fast) * SN_SURFACE_LONGER;
}

/* ---- At the start of a substep ----------------------------------------------------------------------------------- */

static const uint32_t *corners_of(const sn_surfaces *s, const sn_surface_tile *tile)
{
    return (const uint32_t *)s->corner_table.column[0] + tile->first_corner;
}

static void set_row(sn_real *row, sn_vec3 a)
{
    row[0] = a.x;
    row[SN_WIDE_CORNERS] = a.y;
    row[2 * SN_WIDE_CORNERS] = a.z;
}

/* Loads the corners of a tile, with their velocities or their ends. */
static void take_corners(sn_wide_corners *to, const sn_surfaces *s, const sn_surface_tile *tile, bool displacements)
{
    const uint32_t *corner = corners_of(s, tile);
    const sn_real *weight = (const sn_real *)s->corner_table.column[1] + 2 * (size_t)tile->first_corner;
    const sn_surface_motion *motion = surface_motions(s);
    to->count = tile->corners;
    to->displacements = displacements;
    for (uint32_t k = 0; k < tile->corners || k % SN_BATCH; ++k) {
        const bool there = k < tile->corners;
        const sn_surface_motion *m = &motion[corner[there ? k : 0]];
        sn_real *row = to->rows + k;
        set_row(row, m->start);
        set_row(row + 3 * (size_t)SN_WIDE_CORNERS, displacements ? m->end : m->velocity);
        row[6 * SN_WIDE_CORNERS] = there ? weight[2 * k] : 0;
        row[7 * SN_WIDE_CORNERS] = there ? weight[2 * k + 1] : 0;
        row[8 * SN_WIDE_CORNERS] = there;
    }
}

static void look_at_start(const looking *l, sn_surface_tile *tile)
{
    const sn_surfaces *s = l->s;
    const uint32_t *corner = corners_of(s, tile);
    const sn_real share = 1 / (sn_real)tile->corners;
    sn_wide_corners c;
    take_corners(&c, s, tile, false);
    functions(l->world)->corners(&c);
    tile->kinematic = true;
    for (uint32_t k = 0; k < tile->corners && tile->kinematic; ++k)
        tile->kinematic = surface_motions(s)[corner[k]].kinematic && !sn_surface_member_of(s, corner[k]);
    tile->box = c.box;
    tile->centre = vec3_add(surface_motions(s)[corner[0]].start, vec3_scale(c.place, share));
    tile->u = c.u;
    tile->v = c.v;
    make_axes(tile, c.u, c.v);
    const sn_vec3 mean = vec3_scale(c.vector, share), spin = spin_of(tile, c.du, c.dv);
    functions(l->world)->rest(&c, tile->centre, mean, spin);
    tile->radius = real_sqrt(c.radius) * SN_SURFACE_LONGER;
    set_rigid(tile, &tile->velocity, mean, spin, real_sqrt(c.rest));
}

/* Bounds of velocities from displacements. */
static void follow_displacements(const looking *l, sn_surface_tile *tile)
{
    const sn_surface_rigid *displacement = &tile->displacement;
    const sn_real turn = vec3_length(displacement->spin), inverse_h = 1 / l->h;
    const sn_real off = turn * (turn * tile->radius + displacement->rest +
                                ROUNDED * (vec3_length(tile->centre) + vec3_length(displacement->mean)));
    tile->box = tile->ends;
    tile->centre = vec3_add(tile->centre, displacement->mean);
    tile->radius = (tile->radius * (1 + turn * turn) + displacement->rest + ROUNDED * vec3_length(tile->centre)) *
                   SN_SURFACE_LONGER;
    tile->u = vec3_add(tile->u, tile->du);
    tile->v = vec3_add(tile->v, tile->dv);
    make_axes(tile, tile->u, tile->v);
    set_rigid(tile, &tile->velocity, vec3_scale(displacement->mean, inverse_h),
              vec3_scale(displacement->spin, inverse_h), (displacement->rest + off) * inverse_h + l->differ);
}

static bool has_jumped(const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint32_t *corner = corners_of(s, tile);
    for (uint32_t k = 0; k < tile->corners; ++k)
        if (surface_motions(s)[corner[k]].jumped)
            return true;
    return false;
}

static bool has_marked(const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint32_t *corner = corners_of(s, tile);
    for (uint32_t k = 0; k < tile->corners; ++k)
        if (surface_motions(s)[corner[k]].marked)
            return true;
    return false;
}

static void look_at_starts(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    const sn_surfaces *s = l->s;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        if (tile->off || surface_tile_rests(s, i))
            continue;
        tile->strays = false;
        tile->jumped = s->jump > 0 && has_jumped(s, tile);
        if (l->follows && !surface_skins(s)[tile->skin].shell && !(l->marked && has_marked(s, tile)))
            follow_displacements(l, tile);
        else
            look_at_start(l, tile);
    }
}

/* m: the space in which shells count as near: large enough for a substep in which vertices keep their velocities. */
static sn_bounds reached(const sn_surfaces *s, sn_bounds box, sn_real displacement)
{
    sn_real thickest = 0;
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        thickest = larger(thickest, surface_skins(s)[i].thickness);
    const sn_real by = displacement + 2 * thickest;
    return (sn_bounds){vec3_sub(box.low, vec3(by, by, by)), vec3_add(box.high, vec3(by, by, by))};
}

/* Places the bodies that are near at the start of the substep. Returns the largest squared distance (m^2) of a known
   corner from its last position. */
static sn_real place_shells(sn_world *world, sn_surfaces *s, sn_real h)
{
    sn_real fastest = 0;
    sn_bounds box = {surface_motions(s)[0].start, surface_motions(s)[0].start};
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_motion *m = &surface_motions(s)[i];
        include(&box, m->start);
        fastest = larger(fastest, vec3_dot(m->velocity, m->velocity));
    }
    s->reached = reached(s, box, 2 * h * real_sqrt(fastest));
    const sn_real square = sn_surface_shells_place(world, s, &s->reached, h, true);
    s->suspect = s->suspect || !(real_sqrt(square) < SET_ASIDE * surface_skins(s)[0].edge);
    return square;
}

/* m^2: vertices whose velocity differs by more in a substep from their last displacement are marked. */
static sn_real little(const sn_surfaces *s)
{
    sn_real thinnest = surface_skins(s)[0].thickness;
    for (uint32_t i = 1; i < s->skin_table.count; ++i)
        if (surface_skins(s)[i].thickness < thinnest)
            thinnest = surface_skins(s)[i].thickness;
    return LITTLE * thinnest * (LITTLE * thinnest);
}

/* Loads positions and velocities of vertices, and marks those with a changed velocity. */
static void vertex_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    const sn_surfaces *s = l->s;
    const sn_surface_vertex *vertex = surface_vertices(s);
    const sn_particle_store *p = &l->world->particles;
    sn_surface_motion *motion = surface_motions(s);
    const sn_real most = l->little;
    sn_real jump = 0, differ = 0;
    bool marked = false;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t slot = vertex[i].slot;
        sn_surface_motion *m = &motion[i];
        const quad at = quad_load(&p->x[slot]), v = quad_load(&p->v[slot]),
                   before = quad_load(&m->end), /* and what follows */
            d = quad_sub(at, before), other = quad_sub(quad_scale(v, l->h), quad_sub(before, quad_load(&m->start)));
        const sn_real square = quad_dot3(d, d), off = quad_dot3(other, other);
        jump = square <= jump ? jump : square; /* NaN counts as infinitely far */
        m->jumped = !(square <= 0);
        m->suspect |= m->jumped ? SN_SUSPECT : 0;
        m->marked = !(off <= most);
        marked = marked || m->marked;
        differ = off <= differ || m->marked ? differ : off;
        m->start = m->end = vec4_xyz(p->x[slot]);
        surface_start_lows(s)[i] = vec4_xyz(p->x_low[slot]);
        m->kinematic = p->x[slot].w == 0;
        m->velocity = vec4_xyz(p->v[slot]);
    }
    ((sn_surface_change *)s->change_table.column[0])[first / SN_PIECE] = (sn_surface_change){jump, differ, marked};
}

/* Loads all vertices. Sets jump, and what `l` has of changed velocities. */
static bool take_vertices(sn_world *world, sn_surfaces *s, looking *l)
{
    const uint32_t pieces = s->vertex_table.count / SN_PIECE + 1;
    sn_real differ = 0;
    if (!sn_table_reserve(&s->change_table, &world->allocator, pieces)) {
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    sn_surface_change *change = s->change_table.column[0];
    memset(change, 0, pieces * sizeof *change);
    l->little = little(s);
    if (!sn_parallel_for(&world->parallel, s->vertex_table.count, vertex_piece, l))
        return false;
    s->jump = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
        s->jump = change[i].jump <= s->jump ? s->jump : change[i].jump;
        differ = larger(change[i].differ, differ);
        l->marked = l->marked || change[i].marked;
    }
    l->differ = real_sqrt(differ) / l->h * SN_SURFACE_LONGER;
    return true;
}

/* The means of all vertices, from those of tiles. */
static void sum_up(sn_surfaces *s)
{
    sn_dvec3 sum = {0, 0, 0}, velocity = sum;
    double count = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        if (tile->off || surface_skins(s)[tile->skin].shell)
            continue;
        sum = dvec3_add(sum, dvec3_scale(dvec3_from(tile->centre), tile->corners));
        velocity = dvec3_add(velocity, dvec3_scale(dvec3_from(tile->velocity.mean), tile->corners));
        count += tile->corners;
    }
    s->mean = dvec3_scale(sum, 1 / count);
    s->velocity = dvec3_scale(velocity, 1 / count);
}

bool sn_surface_tiles_measure(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {.world = world, .s = s, .h = h};
    if (!take_vertices(world, s, &l))
        return false;
    sn_real jump = s->jump;
    l.follows = s->ended && jump == 0;
    s->ended = false;
    s->some_suspect = s->some_suspect || !(jump <= 0);
    if (s->shell_table.count) {
        const sn_real square = place_shells(world, s, h);
        jump = square <= jump ? jump : square;
    }
    s->jump = jump >= 0 ? real_sqrt(jump) * SN_SURFACE_LONGER : (sn_real)INFINITY;
    if (!sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, look_at_starts, &l))
        return false;
    sum_up(s);
    return true;
}

bool sn_surface_tiles_measure_again(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {.world = world, .s = s, .h = h};
    s->ended = false;
    if (!sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, look_at_starts, &l))
        return false;
    if (!s->quiet.held)
        sum_up(s);
    return true;
}

/* ---- At the end of a substep ------------------------------------------------------------------------------------- */

/* m: no corner ends farther from where its velocity led. */
static sn_real measure_astray(const sn_surfaces *s, const sn_surface_tile *tile, sn_real h)
{
    const uint32_t *corner = corners_of(s, tile);
    sn_real astray = 0;
    for (uint32_t k = 0; k < tile->corners; ++k) {
        const sn_surface_motion *m = &surface_motions(s)[corner[k]];
        const sn_vec3 off = vec3_sub(vec3_sub(m->end, m->start), vec3_scale(m->velocity, h));
        astray = larger(astray, vec3_dot(off, off));
    }
    return real_sqrt(astray) * SN_SURFACE_LONGER;
}

static void look_at_end(const looking *l, sn_surface_tile *tile)
{
    const sn_surfaces *s = l->s;
    sn_wide_corners c;
    take_corners(&c, s, tile, true);
    functions(l->world)->corners(&c);
    const sn_vec3 mean = vec3_scale(c.vector, 1 / (sn_real)tile->corners), spin = spin_of(tile, c.du, c.dv);
    functions(l->world)->rest(&c, tile->centre, mean, spin);
    tile->ends = c.box;
    tile->du = c.du;
    tile->dv = c.dv;
    tile->astray = tile->strays ? measure_astray(s, tile, l->h) : 0;
    set_rigid(tile, &tile->displacement, mean, spin, real_sqrt(c.rest));
}

static bool has_changed(const sn_surfaces *s, const sn_surface_tile *tile)
{
    const uint32_t *corner = corners_of(s, tile);
    for (uint32_t k = 0; k < tile->corners; ++k)
        if (surface_motions(s)[corner[k]].changed)
            return true;
    return false;
}

static void look_at_ends(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_tile *tile = &surface_tiles(l->s)[i];
        tile->changed = !tile->off && !surface_tile_rests(l->s, i) && has_changed(l->s, tile);
        if (tile->changed)
            look_at_end(l, tile);
    }
}

/* Vertices may have moved farther than expected at the start of the substep. Shells that are near now are added, with
   their start. */
static bool reach_shells(sn_world *world, sn_surfaces *s, looking *l)
{
    sn_bounds box = {surface_motions(s)[0].end, surface_motions(s)[0].end};
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        include(&box, surface_motions(s)[i].end);
    box = reached(s, box, 0);
    if (is_inside(&box, &s->reached))
        return true;
    include(&s->reached, box.low);
    include(&s->reached, box.high);
    sn_surface_shells_place(world, s, &s->reached, l->h, false);
    return s->searched || sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, look_at_starts, l);
}

bool sn_surface_tiles_measure_ends(sn_world *world, sn_real h)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {.world = world, .s = s, .h = h};
    if (s->shell_table.count && !s->quiet.held && !reach_shells(world, s, &l))
        return false;
    if (!sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, look_at_ends, &l))
        return false;
    if (s->quiet.held)
        return true;
    sn_dvec3 displacement = {0, 0, 0};
    double count = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[i];
        if (tile->off || surface_skins(s)[tile->skin].shell)
            continue;
        displacement = dvec3_add(displacement, dvec3_scale(dvec3_from(tile->displacement.mean), tile->corners));
        count += tile->corners;
    }
    s->end = dvec3_add(s->mean, dvec3_scale(displacement, 1 / count));
    s->ended = true;
    return true;
}
