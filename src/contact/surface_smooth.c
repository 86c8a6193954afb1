/* Smooth cloth does not touch itself: a proof for two tiles of a flat skin, or one with itself, that saves listing
   their features.

   Let X be points of the rest shape, in its plane, and H a rectangle there that contains both tiles. If the skin covers
   H once, the line in H from p to q passes through triangles with the deformation gradients F_1, F_2 ... (3 x 2), and

       x_p - x_q = (sum s_i F_i) (X_p - X_q),  s_i >= 0, sum s_i = 1,

   so if no F_i is farther than e from F_0, |x_p - x_q| >= v |X_p - X_q|, where v is the smallest singular value of F_0
   less e. Features that share no corner are at least the least height of a triangle apart in the rest shape, since a
   line from one to the other has to leave the triangles around the first. They push each other if they are nearer than
   half of that distance, and nearer than the thickness. So where v is above one half their spare (distance minus reach)
   is positive, and it is larger the farther they are apart in the rest shape.

   Whether the skin covers H once is determined by walking from triangle to triangle, a single time. No border of the
   skin is inside H, the two triangles at an edge are on opposite sides of it, and the triangles around a vertex do not
   go round twice. So the walk is a covering of H, which has no holes, and what one walk reaches covers H once. Points X
   are rounded to a grid, so that all this is exact. */
#include "contact/surface_contacts.h"

#include "wide/wide.h"
#include "world/world.h"

#include <string.h>

#define FLAT         0.002           /* of the least height of a triangle: the largest step of the grid */
#define FINEST       4194304.0       /* steps of the grid in a skin, at most */
#define THINNEST     1e-3            /* of the mean edge: no proof for triangles with less height */
#define BESIDE       ((sn_real)2)    /* mean edges: features farther from the other tile at rest are not near it */
#define APART        ((sn_real)4)    /* mean edges: tiles farther apart in the rest shape are not tried */
#define LOST         ((sn_real)1e-3) /* relative error of v, with a wide margin */
#define WORK_OF_HOOD 20000.0         /* ns, about */
#define WORK_OF_TILE 2000.0
#define WAITS        8u              /* lists until a pair that was not smooth is tried again */
#define ENOUGH       ((sn_real)0.35) /* of the spare that the pair would have without bending */
#define NEVER        (SN_SURFACE_HOOD + 1)

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static sn_surface_sheet *sheets(const sn_surfaces *s)
{
    return s->triangle_table.column[5];
}

static const sn_surface_place *places(const sn_surfaces *s)
{
    return s->vertex_table.column[6];
}

static const uint32_t *triangles_of(const sn_surfaces *s, const sn_surface_tile *tile)
{
    return (const uint32_t *)s->tile_triangle_table.column[0] + tile->first_triangle;
}

/* ---- The plane of a skin ----------------------------------------------------------------------------------------- */

static bool has_rest(const sn_world *world, uint32_t vertex)
{
    const uint32_t number = surface_vertices(&world->contacts.surfaces)[vertex].number;
    return number < world->contact.rest_table.count &&
           ((const sn_vec4 *)world->contact.rest_table.column[0])[number].w != 0;
}

static sn_dvec3 rest_of(const sn_world *world, uint32_t vertex)
{
    const uint32_t number = surface_vertices(&world->contacts.surfaces)[vertex].number;
    return dvec3_from(vec4_xyz(((const sn_vec4 *)world->contact.rest_table.column[0])[number]));
}

/* The height of a triangle (m). False: some corner has no rest position. */
static bool height_of(const sn_world *world, const sn_surfaces *s, uint32_t triangle, double *height)
{
    const uint32_t *v = surface_triangles(s)[triangle].vertex;
    double longest = 0;
    if (!has_rest(world, v[0]) || !has_rest(world, v[1]) || !has_rest(world, v[2]))
        return false;
    const sn_dvec3 x[3] = {rest_of(world, v[0]), rest_of(world, v[1]), rest_of(world, v[2])};
    for (uint32_t k = 0; k < 3; ++k)
        longest = fmax(longest, dvec3_length(dvec3_sub(x[(k + 1) % 3], x[k])));
    const double area = dvec3_length(dvec3_cross(dvec3_sub(x[1], x[0]), dvec3_sub(x[2], x[0])));
    *height = longest > 0 ? area / longest : 0;
    return true;
}

/* The least height of the skin's triangles (m). False: some corner has no rest position. */
static bool least_height(const sn_world *world, const sn_surfaces *s, const sn_surface_skin *skin, double *least)
{
    *least = HUGE_VAL;
    for (uint32_t i = skin->first; i < skin->first + skin->count; ++i) {
        double height;
        if (!height_of(world, s, i, &height))
            return false;
        *least = fmin(*least, height);
    }
    return true;
}

/* The plane of the first triangle, with an axis along its shortest side: sheets are often grids. */
static bool find_plane(const sn_world *world, const sn_surfaces *s, const sn_surface_skin *skin, sn_surface_plane *p)
{
    const uint32_t *v = surface_triangles(s)[skin->first].vertex;
    sn_dvec3 side = {0, 0, 0};
    double least = HUGE_VAL;
    if (!least_height(world, s, skin, &least) || !(least > THINNEST * (double)skin->edge) || !isfinite(least))
        return false;
    const sn_dvec3 x[3] = {rest_of(world, v[0]), rest_of(world, v[1]), rest_of(world, v[2])};
    double shortest = HUGE_VAL;
    for (uint32_t k = 0; k < 3; ++k) {
        const sn_dvec3 d = dvec3_sub(x[(k + 1) % 3], x[k]);
        if (dvec3_dot(d, d) < shortest)
            shortest = dvec3_dot(d, d), side = d;
    }
    const sn_dvec3 n = dvec3_cross(dvec3_sub(x[1], x[0]), dvec3_sub(x[2], x[0]));
    p->origin = x[0];
    p->axis[0] = dvec3_scale(side, 1 / sqrt(shortest));
    p->axis[2] = dvec3_scale(n, 1 / dvec3_length(n));
    p->axis[1] = dvec3_cross(p->axis[2], p->axis[0]);
    p->step = 1;
    while (p->step > FLAT * least)
        p->step /= 2;
    while (2 * p->step <= FLAT * least)
        p->step *= 2;
    return true;
}

static double to_grid(double a)
{
    return (double)(int32_t)(a < 0 ? a - 0.5 : a + 0.5);
}

/* Puts the corners of a triangle on the grid. False: one is off the plane, or beyond the grid. */
static bool lay_out(const sn_world *world, sn_surfaces *s, uint32_t triangle, const sn_surface_plane *p)
{
    sn_surface_place *place = s->vertex_table.column[6];
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t v = surface_triangles(s)[triangle].vertex[i];
        const sn_dvec3 x = dvec3_scale(dvec3_sub(rest_of(world, v), p->origin), 1 / p->step);
        const double a = dvec3_dot(x, p->axis[0]), b = dvec3_dot(x, p->axis[1]);
        if (!(fabs(a) < FINEST && fabs(b) < FINEST && fabs(dvec3_dot(x, p->axis[2])) < 1))
            return false;
        place[v] = (sn_surface_place){(sn_real)(to_grid(a) * p->step), (sn_real)(to_grid(b) * p->step)};
    }
    return true;
}

/* Twice the signed area: exact, except for the last rounding. */
static double area_of(const sn_surface_place *a, const sn_surface_place *b, const sn_surface_place *c)
{
    return ((double)b->x - (double)a->x) * ((double)c->y - (double)a->y) -
           ((double)b->y - (double)a->y) * ((double)c->x - (double)a->x);
}

/* Computes what makes the deformation gradient of a triangle. around[] counts, for each vertex, the triangles that
   cross the ray from it along x. False: the triangle is degenerate, or a ray is crossed twice. */
static bool lay_triangle(sn_surfaces *s, uint32_t triangle, uint32_t *around)
{
    const uint32_t *v = surface_triangles(s)[triangle].vertex;
    const sn_surface_place *a = &places(s)[v[0]], *b = &places(s)[v[1]], *c = &places(s)[v[2]];
    const double area = area_of(a, b, c);
    sn_surface_sheet *sheet = &sheets(s)[triangle];
    if (area == 0)
        return false;
    sheet->inverse[0] = (sn_real)(((double)c->y - (double)a->y) / area);
    sheet->inverse[1] = (sn_real)(((double)a->x - (double)c->x) / area);
    sheet->inverse[2] = (sn_real)(((double)a->y - (double)b->y) / area);
    sheet->inverse[3] = (sn_real)(((double)b->x - (double)a->x) / area);
    for (uint32_t k = 0; k < 3; ++k) {
        const sn_surface_place *at = &places(s)[v[k]], *one = &places(s)[v[(k + (area > 0 ? 1 : 2)) % 3]],
                               *two = &places(s)[v[(k + (area > 0 ? 2 : 1)) % 3]];
        const bool below = one->y < at->y || (one->y == at->y && one->x > at->x);
        if (below && two->y > at->y && around[v[k]]++)
            return false;
    }
    return true;
}

/* True if the skin continues across a side with one triangle, on the other side of it. */
static bool goes_on(const sn_surfaces *s, uint32_t triangle, uint32_t side)
{
    const uint32_t *across = s->triangle_table.column[1], next = across[3 * (size_t)triangle + side];
    if (next == SN_SURFACE_NONE || surface_triangles(s)[next].skin != surface_triangles(s)[triangle].skin)
        return false;
    const uint32_t *v = surface_triangles(s)[triangle].vertex, *u = surface_triangles(s)[next].vertex;
    const uint32_t a = v[side], b = v[(side + 1) % 3];
    uint32_t back = 0, third = 0; /* of the next triangle: the side that leads back, and the opposite corner */
    while (back < 3 && across[3 * (size_t)next + back] != triangle)
        ++back;
    while (third < 3 && (u[third] == a || u[third] == b))
        ++third;
    if (back == 3 || third == 3)
        return false;
    const double one = area_of(&places(s)[a], &places(s)[b], &places(s)[v[(side + 2) % 3]]),
                 two = area_of(&places(s)[a], &places(s)[b], &places(s)[u[third]]);
    return (one > 0) != (two > 0);
}

static uint32_t goes_on_across(const sn_surfaces *s, uint32_t triangle)
{
    return goes_on(s, triangle, 0) | (uint32_t)goes_on(s, triangle, 1) << 1 | (uint32_t)goes_on(s, triangle, 2) << 2;
}

static bool lay_skin(const sn_world *world, sn_surfaces *s, sn_surface_skin *skin)
{
    if (skin->shell || !skin->count || skin->segments || !find_plane(world, s, skin, &skin->plane))
        return false;
    skin->lost = (sn_real)(4 * skin->plane.step);
    for (uint32_t i = skin->first; i < skin->first + skin->count; ++i)
        if (!lay_out(world, s, i, &skin->plane))
            return false;
    for (uint32_t i = skin->first; i < skin->first + skin->count; ++i)
        if (!lay_triangle(s, i, s->vertex_table.column[2]))
            return false;
    for (uint32_t i = skin->first; i < skin->first + skin->count; ++i)
        sheets(s)[i].goes_on = goes_on_across(s, i);
    return true;
}

/* Measures a tile in the rest shape: its rectangle, and the least height of its triangles. */
static void lay_tile(const sn_surfaces *s, sn_surface_tile *tile)
{
    const uint32_t *triangle = triangles_of(s, tile);
    const sn_real far = (sn_real)INFINITY;
    tile->rest = (sn_surface_rectangle){{far, far}, {-far, -far}};
    tile->height = far;
    for (uint32_t i = 0; i < tile->triangles; ++i) {
        const uint32_t *v = surface_triangles(s)[triangle[i]].vertex;
        double longest = 0;
        for (uint32_t k = 0; k < 3; ++k) {
            const sn_surface_place *a = &places(s)[v[k]], *b = &places(s)[v[(k + 1) % 3]];
            const double x = (double)b->x - (double)a->x, y = (double)b->y - (double)a->y;
            longest = fmax(longest, sqrt(x * x + y * y));
            tile->rest.low = (sn_surface_place){lower(tile->rest.low.x, a->x), lower(tile->rest.low.y, a->y)};
            tile->rest.high = (sn_surface_place){larger(tile->rest.high.x, a->x), larger(tile->rest.high.y, a->y)};
        }
        const double area = fabs(area_of(&places(s)[v[0]], &places(s)[v[1]], &places(s)[v[2]]));
        tile->height = lower(tile->height, (sn_real)(area / longest * (1 - 1e-6)));
    }
}

/* Notes the tile of each triangle, and measures tiles that have not been measured. */
static void lay_tiles(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        sn_surface_tile *tile = &surface_tiles(s)[i];
        const uint32_t *triangle = triangles_of(s, tile);
        for (uint32_t k = 0; k < tile->triangles; ++k) {
            sheets(s)[triangle[k]].tile = i;
            sheets(s)[triangle[k]].place = k;
        }
        if (surface_skins(s)[tile->skin].flat && tile->height == 0)
            lay_tile(s, tile);
    }
}

void sn_surface_smooth_make(const sn_world *world, sn_surfaces *s)
{
    memset(s->vertex_table.column[2], 0, s->all_vertices * sizeof(uint32_t));
    for (uint32_t i = 0; i < s->all_skins; ++i)
        surface_skins(s)[i].flat = lay_skin(world, s, &surface_skins(s)[i]);
    lay_tiles(s);
}

/* The grid is kept: it is only finer or coarser than a new one. `triangle` has all triangles around each vertex that is
   new or has other triangles around it. */
void sn_surface_smooth_follow(const sn_world *world, sn_surfaces *s, const uint32_t *triangle, uint32_t count)
{
    memset(s->vertex_table.column[2], 0, s->all_vertices * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[surface_triangles(s)[triangle[i]].skin];
        double height;
        skin->flat = skin->flat && height_of(world, s, triangle[i], &height) &&
                     height > THINNEST * (double)skin->edge && lay_out(world, s, triangle[i], &skin->plane);
    }
    for (uint32_t i = 0; i < count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[surface_triangles(s)[triangle[i]].skin];
        skin->flat = skin->flat && lay_triangle(s, triangle[i], s->vertex_table.column[2]);
    }
    for (uint32_t i = 0; i < count; ++i)
        if (surface_skins(s)[surface_triangles(s)[triangle[i]].skin].flat)
            sheets(s)[triangle[i]].goes_on = goes_on_across(s, triangle[i]);
    lay_tiles(s);
}

/* ---- The surroundings of two tiles ------------------------------------------------------------------------------- */

typedef struct walk {
    const sn_surfaces *s;
    sn_surface_pair *pair;
    sn_surface_rectangle box;
    uint64_t seen[SN_SURFACE_HOOD][2]; /* bits of triangles, by tile of the hood */
    uint32_t last;                     /* tile visited */
    uint32_t count, queue[SN_SURFACE_HOOD * SN_TILE_TRIANGLES];
} walk;

/* Visits a triangle. False: there are too many tiles. */
static bool come_to(walk *w, uint32_t triangle)
{
    const sn_surface_sheet *sheet = &sheets(w->s)[triangle];
    sn_surface_pair *pair = w->pair;
    uint32_t i = w->last;
    if (i >= pair->hoods || pair->hood[i] != sheet->tile)
        for (i = 0; i < pair->hoods && pair->hood[i] != sheet->tile; ++i) {
        }
    if (i == SN_SURFACE_HOOD)
        return false;
    if (i == pair->hoods) {
        pair->hood[pair->hoods++] = sheet->tile;
        w->seen[i][0] = w->seen[i][1] = 0;
    }
    w->last = i;
    uint64_t *seen = &w->seen[i][sheet->place / 64];
    const uint64_t bit = UINT64_C(1) << sheet->place % 64;
    if (!(*seen & bit))
        w->queue[w->count++] = triangle;
    *seen |= bit;
    return true;
}

static bool is_inside(const sn_surface_rectangle *box, const sn_surface_place *a, const sn_surface_place *b)
{
    return !((a->x <= box->low.x && b->x <= box->low.x) || (a->x >= box->high.x && b->x >= box->high.x) ||
             (a->y <= box->low.y && b->y <= box->low.y) || (a->y >= box->high.y && b->y >= box->high.y));
}

/* Visits the neighbours across the sides of a triangle that are inside the box. False: the skin ends there, or is
   folded. */
static bool walk_on(walk *w, uint32_t triangle)
{
    const sn_surfaces *s = w->s;
    const uint32_t *v = surface_triangles(s)[triangle].vertex, *across = s->triangle_table.column[1];
    for (uint32_t k = 0; k < 3; ++k)
        if (is_inside(&w->box, &places(s)[v[k]], &places(s)[v[(k + 1) % 3]]) &&
            (!(sheets(s)[triangle].goes_on >> k & 1) || !come_to(w, across[3 * (size_t)triangle + k])))
            return false;
    return true;
}

static bool has_all(const walk *w, uint32_t tile)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < w->pair->hoods; ++i)
        if (w->pair->hood[i] == tile)
            seen = (uint32_t)(__builtin_popcountll(w->seen[i][0]) + __builtin_popcountll(w->seen[i][1]));
    return seen == surface_tiles(w->s)[tile].triangles;
}

/* m: the gap between two rectangles along an axis, the larger one. */
static sn_real gap(const sn_surface_rectangle *a, const sn_surface_rectangle *b)
{
    return larger(larger(a->low.x - b->high.x, b->low.x - a->high.x),
                  larger(a->low.y - b->high.y, b->low.y - a->high.y));
}

/* A bit for each corner of a triangle of b that is near a in the rest shape. */
static uint64_t find_border(const sn_surfaces *s, const sn_surface_tile *a, const sn_surface_tile *b)
{
    const uint8_t *three = (const uint8_t *)s->tile_triangle_table.column[1] + 3 * (size_t)b->first_triangle;
    const uint32_t *triangle = triangles_of(s, b);
    const sn_real far = BESIDE * surface_skins(s)[b->skin].edge;
    uint64_t border = 0;
    for (uint32_t i = 0; i < b->triangles; ++i, three += 3) {
        const uint32_t *v = surface_triangles(s)[triangle[i]].vertex;
        sn_surface_rectangle box = {places(s)[v[0]], places(s)[v[0]]};
        for (uint32_t k = 1; k < 3; ++k) {
            const sn_surface_place *p = &places(s)[v[k]];
            box.low = (sn_surface_place){lower(box.low.x, p->x), lower(box.low.y, p->y)};
            box.high = (sn_surface_place){larger(box.high.x, p->x), larger(box.high.y, p->y)};
        }
        if (gap(&a->rest, &box) <= far)
            border |= UINT64_C(1) << three[0] | UINT64_C(1) << three[1] | UINT64_C(1) << three[2];
    }
    return border;
}

/* Finds out whether the skin covers a rectangle around both tiles once, and with which tiles. */
static void find_hood(const sn_surfaces *s, sn_surface_pair *pair)
{
    const sn_surface_tile *a = &surface_tiles(s)[pair->a], *b = &surface_tiles(s)[pair->b];
    walk w;
    w.s = s;
    w.pair = pair;
    w.count = w.last = 0;
    w.box = (sn_surface_rectangle){{lower(a->rest.low.x, b->rest.low.x), lower(a->rest.low.y, b->rest.low.y)},
                                   {larger(a->rest.high.x, b->rest.high.x), larger(a->rest.high.y, b->rest.high.y)}};
    bool good = a->skin == b->skin && surface_skins(s)[a->skin].flat && a->triangles && b->triangles &&
                gap(&a->rest, &b->rest) < APART * surface_skins(s)[a->skin].edge && come_to(&w, *triangles_of(s, a));
    for (uint32_t i = 0; good && i < w.count; ++i)
        good = walk_on(&w, w.queue[i]);
    if (good && has_all(&w, pair->a) && has_all(&w, pair->b))
        pair->rest_border = find_border(s, a, b);
    else
        pair->hoods = NEVER;
}

/* ---- Smoothness -------------------------------------------------------------------------------------------------- */

static void set_rows(sn_wide_gradients *to, uint32_t i, sn_vec3 a, sn_vec3 b, const sn_real *m)
{
    const sn_real ten[SN_WIDE_GRADIENT_ROWS] = {a.x, a.y, a.z, b.x, b.y, b.z, m[0], m[1], m[2], m[3]};
    for (uint32_t k = 0; k < SN_WIDE_GRADIENT_ROWS; ++k)
        to->rows[k][i] = ten[k];
}

/* Copies sides of triangles, from the first corner, and what makes gradients of them. rates: also how fast they change,
   in a frame that turns with the tile; NULL: no. */
static void take_sides(const sn_surfaces *s, const sn_surface_tile *tile, sn_wide_gradients *to,
                       sn_wide_gradients *rates)
{
    const uint32_t *triangle = triangles_of(s, tile), count = tile->triangles;
    const sn_surface_motion *motion = surface_motions(s);
    const sn_vec3 spin = tile->velocity.spin;
    to->count = count;
    for (uint32_t i = 0; i < count || i % SN_BATCH; ++i) {
        const uint32_t of = triangle[i < count ? i : 0], *v = surface_triangles(s)[of].vertex;
        const sn_surface_motion *one = &motion[v[0]], *two = &motion[v[1]], *three = &motion[v[2]];
        const sn_vec3 a = vec3_sub(two->start, one->start), b = vec3_sub(three->start, one->start);
        set_rows(to, i, a, b, sheets(s)[of].inverse);
        if (rates)
            set_rows(rates, i, vec3_sub(vec3_sub(two->velocity, one->velocity), vec3_cross(spin, a)),
                     vec3_sub(vec3_sub(three->velocity, one->velocity), vec3_cross(spin, b)), sheets(s)[of].inverse);
    }
}

static void measure_tile(const sn_world *world, const sn_surfaces *s, sn_surface_tile *tile)
{
    sn_wide_gradients g;
    take_sides(s, tile, &g, NULL);
    (world->wide ? world->wide->near : &sn_near_scalar)->gradients(&g);
    memcpy(tile->least, g.least, sizeof tile->least);
    memcpy(tile->most, g.most, sizeof tile->most);
}

/* An upper bound of the norm of 3 x 2 matrices with these bounds of their numbers. */
static sn_real norm_below(const sn_real least[6], const sn_real most[6])
{
    sn_real square = 0;
    for (uint32_t k = 0; k < 6; ++k) {
        const sn_real number = larger(most[k], -least[k]);
        square += number * number;
    }
    return real_sqrt(square) * (1 + LOST);
}

static void measure_rate(const sn_world *world, const sn_surfaces *s, sn_surface_tile *tile)
{
    const sn_wide_near *wide = world->wide ? world->wide->near : &sn_near_scalar;
    sn_wide_gradients g, rates;
    take_sides(s, tile, &g, &rates);
    rates.count = g.count;
    wide->gradients(&g);
    wide->gradients(&rates);
    memcpy(tile->least, g.least, sizeof tile->least);
    memcpy(tile->most, g.most, sizeof tile->most);
    tile->stretch = norm_below(g.least, g.most);
    tile->rate = norm_below(rates.least, rates.most) + LOST * vec3_length(tile->velocity.spin) * tile->stretch;
}

/* v: distances in space are at least v times those in the rest shape. */
static sn_real least_stretch(const sn_surfaces *s, const sn_surface_pair *pair)
{
    sn_real least[6], most[6], f[6], square = 0;
    memcpy(least, surface_tiles(s)[pair->hood[0]].least, sizeof least);
    memcpy(most, surface_tiles(s)[pair->hood[0]].most, sizeof most);
    for (uint32_t i = 1; i < pair->hoods; ++i)
        for (uint32_t k = 0; k < 6; ++k) {
            least[k] = lower(least[k], surface_tiles(s)[pair->hood[i]].least[k]);
            most[k] = larger(most[k], surface_tiles(s)[pair->hood[i]].most[k]);
        }
    for (uint32_t k = 0; k < 6; ++k) {
        const sn_real half = (most[k] - least[k]) / 2;
        f[k] = least[k] + half;
        square += half * half;
    }
    const sn_real one = f[0] * f[0] + f[1] * f[1] + f[2] * f[2], two = f[3] * f[3] + f[4] * f[4] + f[5] * f[5],
                  both = f[0] * f[3] + f[1] * f[4] + f[2] * f[5], differ = (one - two) / 2;
    const sn_real smallest = (one + two) / 2 - real_sqrt(differ * differ + both * both);
    return smallest > 0 ? real_sqrt(smallest) * (1 - LOST) - real_sqrt(square) * (1 + LOST) : 0;
}

/* m: the least spare of features that are this far apart in the rest shape, or farther. */
static sn_real spare_at(const sn_surface_skin *skin, sn_real stretch, sn_real apart)
{
    return stretch * apart - lower((apart + skin->lost) / 2, 2 * skin->thickness);
}

/* m: features that share no corner are at least this far apart in the rest shape. */
static sn_real least_apart(const sn_surfaces *s, const sn_surface_pair *pair)
{
    sn_real height = (sn_real)INFINITY;
    for (uint32_t i = 0; i < pair->hoods; ++i)
        height = lower(height, surface_tiles(s)[pair->hood[i]].height);
    return height;
}

static void set_bounds(const sn_surface_skin *skin, sn_surface_pair *pair, sn_real stretch, sn_real next)
{
    pair->next = next;
    pair->others = pair->a == pair->b ? (sn_real)INFINITY : larger(next, spare_at(skin, stretch, BESIDE * skin->edge));
    pair->border = pair->rest_border;
}

bool sn_surface_smooth_apart(const sn_surfaces *s, sn_surface_pair *pair, sn_real wanted)
{
    const sn_surface_skin *skin = &surface_skins(s)[surface_tiles(s)[pair->a].skin];
    if (!pair->hoods || pair->hoods == NEVER || pair->waits)
        return false;
    const sn_real stretch = least_stretch(s, pair), height = least_apart(s, pair);
    const sn_real next = spare_at(skin, stretch, height), most = ENOUGH * spare_at(skin, 1, height);
    if (s->quiet.deep && wanted > most)
        wanted = most; /* a list would hardly give more */
    if (!(stretch > (sn_real)0.5 && next > wanted)) {
        pair->waits = WAITS;
        return false;
    }
    set_bounds(skin, pair, stretch, next);
    return true;
}

void sn_surface_smooth_again(const sn_surfaces *s, sn_surface_pair *pair)
{
    const sn_surface_skin *skin = &surface_skins(s)[surface_tiles(s)[pair->a].skin];
    const sn_real stretch = least_stretch(s, pair), next = spare_at(skin, stretch, least_apart(s, pair));
    if (!(stretch > (sn_real)0.5 && next > pair->next - (sn_real)pair->moved))
        return;
    set_bounds(skin, pair, stretch, next);
    pair->moved = pair->turned = 0;
}

/* On the line from p to q a gradient F changes by F', and the two approach by no more than the norm of F' - [s]F times
   their distance in the rest shape, for any angular velocity s: here that of the first tile. That of the tile itself, r,
   gives the bound |F' - [r]F| + |s - r| |F|. */
sn_real sn_surface_smooth_nearer(const sn_surfaces *s, const sn_surface_pair *pair)
{
    const sn_vec3 spin = surface_tiles(s)[pair->a].velocity.spin;
    sn_real most = 0;
    for (uint32_t i = 0; i < pair->hoods; ++i) {
        const sn_surface_tile *tile = &surface_tiles(s)[pair->hood[i]];
        most = larger(tile->rate + vec3_length(vec3_sub(spin, tile->velocity.spin)) * tile->stretch, most);
    }
    return most * least_apart(s, pair) * SN_SURFACE_LONGER;
}

typedef struct looking {
    const sn_world *world;
    const sn_surfaces *s;
} looking;

static void hood_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_pair *pair = &surface_pairs(l->s)[((const uint32_t *)l->s->due_table.column[0])[i]];
        pair->waits -= pair->waits > 0;
        if (!pair->hoods)
            find_hood(l->s, pair);
    }
}

static void tile_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    for (uint32_t i = first; i < end; ++i)
        if (surface_tiles(l->s)[i].asked)
            measure_tile(l->world, l->s, &surface_tiles(l->s)[i]);
}

bool sn_surface_smooth_look(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {world, s};
    bool any = false;
    if (!sn_parallel_few(&world->parallel, s->due_table.count, WORK_OF_HOOD, hood_piece, &l))
        return false;
    for (uint32_t i = 0; i < s->tile_table.count; ++i)
        surface_tiles(s)[i].asked = false;
    for (uint32_t i = 0; i < s->due_table.count; ++i) {
        const sn_surface_pair *pair = &surface_pairs(s)[((const uint32_t *)s->due_table.column[0])[i]];
        for (uint32_t k = 0; pair->hoods != NEVER && !pair->waits && k < pair->hoods; ++k)
            any = surface_tiles(s)[pair->hood[k]].asked = true;
    }
    return !any || sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, tile_piece, &l);
}

static void rate_piece(void *data, uint32_t first, uint32_t end)
{
    const looking *l = data;
    for (uint32_t i = first; i < end; ++i) {
        sn_surface_tile *tile = &surface_tiles(l->s)[i];
        if (!tile->off && surface_skins(l->s)[tile->skin].flat)
            measure_rate(l->world, l->s, tile);
    }
}

bool sn_surface_smooth_rates(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    looking l = {world, s};
    return sn_parallel_few(&world->parallel, s->tile_table.count, WORK_OF_TILE, rate_piece, &l);
}
