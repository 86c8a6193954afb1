#include "bodies/mass.h"

#include "base/dvec.h"
#include "base/errors.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/symmetric.h"
#include "bodies/rotation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Relative to the sum of the moments. A smaller off-diagonal entry is rounding, also in sums over many triangles. It is
   dropped. Otherwise axes of equal moments, such as those of a cube, would be rotated at random. */
#define NOT_MIXED 1e-12

/* Relative to the sum of the parts' absolute volumes: a smaller volume counts as none. */
#define LEAST_VOLUME 1e-12

/* Relative to its longest edge: a triangle with a smaller height has no normal of its own. */
#define LEAST_HEIGHT 1e-6

/* The most slivers in a row that are told apart from a surface without any direction. */
#define MOST_ROUNDS 64

/* rad^2: by how much the solid angles of all corners of a convex polyhedron may differ from the full sphere. */
#define SPHERE_SLACK 0.1

static bool refuse(char *message, size_t size, const char *format, ...) SN_PRINTF(3, 4);

static bool refuse(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

/* ---- Integrals over a solid -------------------------------------------------------------------------------------- */

/* The integrals of 1, x and x x^T over the solid. second: xx, yy, zz, xy, xz, yz, as everywhere here. */
typedef struct integrals {
    double volume;    /* m^3 */
    sn_dvec3 first;   /* m^4 */
    double second[6]; /* m^5 */
} integrals;

/* matrix += factor (a b^T + b a^T) / 2 */
static void add_product(double matrix[6], sn_dvec3 a, sn_dvec3 b, double factor)
{
    matrix[0] += factor * a.x * b.x;
    matrix[1] += factor * a.y * b.y;
    matrix[2] += factor * a.z * b.z;
    matrix[3] += factor * (a.x * b.y + b.x * a.y) / 2;
    matrix[4] += factor * (a.x * b.z + b.x * a.z) / 2;
    matrix[5] += factor * (a.y * b.z + b.y * a.z) / 2;
}

static bool check_density(double density, char *message, size_t size)
{
    if (density > 0 && isfinite(density))
        return true;
    return refuse(message, size, "the density is %g kg/m^3; it must be positive and finite", density);
}

static bool check_length(const char *what, double length, char *message, size_t size)
{
    if (length >= 0 && isfinite(length))
        return true;
    return refuse(message, size, "%s is %g m; it must not be negative, and be finite", what, length);
}

static bool check_range(const sn_mass_properties *mass, char *message, size_t size)
{
    const double *moment = mass->inertia;
    bool ok = mass->mass > 0 && isfinite(mass->mass);
    for (int i = 0; i < 6; ++i)
        ok = ok && isfinite(moment[i]) && (i >= 3 || moment[i] > 0);
    if (ok)
        return true;
    return refuse(message, size,
                  "the solid has a mass of %g kg and moments of inertia of %g, %g and %g kg m^2; they must be positive "
                  "and finite",
                  mass->mass, moment[0], moment[1], moment[2]);
}

/* The integrals are about a point near the centre, so that no digits are lost when they are moved there. */
static bool finish(sn_mass_properties *mass, const integrals *sum, sn_dvec3 about, double density, char *message,
                   size_t size)
{
    sn_dvec3 offset = dvec3_scale(sum->first, 1 / sum->volume), centre = dvec3_add(about, offset);
    double s[6];
    memcpy(s, sum->second, sizeof s);
    add_product(s, offset, offset, -sum->volume);
    sn_mass_properties result = {density * sum->volume,
                                 {centre.x, centre.y, centre.z},
                                 {density * (s[1] + s[2]), density * (s[0] + s[2]), density * (s[0] + s[1]),
                                  -density * s[3], -density * s[4], -density * s[5]}};
    if (!check_range(&result, message, size))
        return false;
    *mass = result;
    return true;
}

/* ---- Boxes, capsules, spheres: all within a radius of a box ------------------------------------------------------ */

/* The part of the solid where the coordinates in `beyond` are outside the inner box and the others inside. Seen from
   the box's face, edge or corner, the coordinates outside form a segment, disc or ball. The signs of the coordinates
   cut one piece each from it. */
static void add_region(integrals *sum, const double half[3], double r, unsigned beyond)
{
    static const double whole[4] = {1, 2, MATH_PI, 4 * MATH_PI / 3};        /* times r^k: its size */
    static const double mean[4] = {0, 1.0 / 2, 4 / (3 * MATH_PI), 3.0 / 8}; /* times r: mean distance |u_i| */
    static const double square[4] = {0, 1.0 / 3, 1.0 / 4, 1.0 / 5};         /* times r^2: mean of u_i^2 */
    int k = 0;
    double volume = 1;
    for (int i = 0; i < 3; ++i)
        if (beyond >> i & 1)
            volume *= r, ++k;
        else
            volume *= 2 * half[i];
    volume *= whole[k];
    sum->volume += volume;
    for (int i = 0; i < 3; ++i) {
        double a = half[i];
        sum->second[i] += volume * (beyond >> i & 1 ? a * a + 2 * a * mean[k] * r + square[k] * r * r : a * a / 3);
    }
}

bool sn_mass_of_box(sn_mass_properties *mass, const double half[3], double radius, double density, char *message,
                    size_t size)
{
    static const char *const name[3] = {"half the edge along x", "half the edge along y", "half the edge along z"};
    for (int i = 0; i < 3; ++i)
        if (!check_length(name[i], half[i], message, size))
            return false;
    if (!check_length("the radius", radius, message, size) || !check_density(density, message, size))
        return false;
    integrals sum = {0};
    for (unsigned beyond = 0; beyond < 8; ++beyond)
        add_region(&sum, half, radius, beyond);
    return finish(mass, &sum, dvec3(0, 0, 0), density, message, size);
}

bool sn_mass_of_capsule(sn_mass_properties *mass, double half_length, double radius, double density, char *message,
                        size_t size)
{
    const double half[3] = {0, half_length, 0};
    if (!check_length("half the length", half_length, message, size))
        return false;
    return sn_mass_of_box(mass, half, radius, density, message, size);
}

bool sn_mass_of_sphere(sn_mass_properties *mass, double radius, double density, char *message, size_t size)
{
    return sn_mass_of_capsule(mass, 0, radius, density, message, size);
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

/* Triangles, with positions relative to `about`: a vertex plus an offset, near the mesh, so that a mesh far from the
   origin keeps its digits. */
typedef struct surface {
    const sn_vec3 *vertex;
    const uint32_t *index;
    uint32_t vertices, triangles;
    sn_dvec3 start, offset;
} surface;

static sn_dvec3 seen(const surface *s, uint32_t vertex)
{
    return dvec3_sub(dvec3_sub(dvec3_from(s->vertex[vertex]), s->start), s->offset);
}

/* Sums over the tetrahedra between `about` and every triangle, with signed volumes. gross: the sum of their absolute
   volumes. */
static integrals integrate(const surface *s, double *gross)
{
    integrals sum = {0};
    *gross = 0;
    for (uint32_t i = 0; i < s->triangles; ++i) {
        const uint32_t *corner = &s->index[(size_t)i * 3];
        sn_dvec3 a = seen(s, corner[0]), b = seen(s, corner[1]), c = seen(s, corner[2]);
        sn_dvec3 all = dvec3_add(dvec3_add(a, b), c);
        double six = dvec3_dot(a, dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a))); /* six times the volume */
        sum.volume += six / 6;
        *gross += fabs(six) / 6;
        sum.first = dvec3_add(sum.first, dvec3_scale(all, six / 24));
        add_product(sum.second, a, a, six / 120);
        add_product(sum.second, b, b, six / 120);
        add_product(sum.second, c, c, six / 120);
        add_product(sum.second, all, all, six / 120);
    }
    return sum;
}

/* Makes positions relative to the centre. False if the mesh has no volume. */
static bool go_to_centre(surface *s, double *gross)
{
    s->start = dvec3_from(s->vertex[s->index[0]]);
    s->offset = dvec3(0, 0, 0);
    integrals sum = integrate(s, gross);
    if (!(fabs(sum.volume) > LEAST_VOLUME * *gross))
        return false;
    s->offset = dvec3_scale(sum.first, 1 / sum.volume);
    return true;
}

static bool check_volume(const surface *s, const integrals *sum, char *message, size_t size)
{
    if (sum->volume > 0)
        return true;
    return refuse(message, size,
                  "the polyhedron of %u triangles is inside out, with a volume of %g m^3: its triangles must run "
                  "counter-clockwise seen from outside",
                  s->triangles, sum->volume);
}

bool sn_mass_of_trimesh(sn_mass_properties *mass, const sn_trimesh *mesh, double density, char *message, size_t size)
{
    if (!check_density(density, message, size) || !sn_trimesh_is_closed(mesh, message, size) ||
        sn_trimesh_crosses(mesh, message, size))
        return false;
    surface s = {.vertex = sn_trimesh_vertex(mesh),
                 .index = sn_trimesh_index(mesh),
                 .vertices = sn_trimesh_vertices(mesh),
                 .triangles = sn_trimesh_triangles(mesh)};
    double gross;
    if (!go_to_centre(&s, &gross))
        return refuse(message, size, "the mesh encloses no volume: it is flat");
    integrals sum = integrate(&s, &gross);
    return check_volume(&s, &sum, message, size) &&
           finish(mass, &sum, dvec3_add(s.start, s.offset), density, message, size);
}

bool sn_mass_of_mesh(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                     const uint32_t *index, uint32_t triangles, double density, bool *out_of_memory, char *message,
                     size_t size)
{
    sn_trimesh *mesh = sn_trimesh_create(allocator, vertex, vertices, index, triangles, out_of_memory, message, size);
    if (!mesh)
        return false;
    bool ok = sn_mass_of_trimesh(mass, mesh, density, message, size);
    sn_trimesh_destroy(mesh, allocator);
    return ok;
}

/* ---- Rounded convex polyhedra ---------------------------------------------------------------------------------------
   The points within r of a convex polyhedron are the polyhedron, a prism of height r on every face, a sector of a
   cylinder along every edge, and a sector of a ball at every corner. Along an edge the normal rotates by the angle phi
   between the faces. At a corner the normals fill the solid angle Omega = 2 pi - (the angles of the faces there).

   Of the ball's sectors only Omega is needed. With n the normal, the integral of n over a sector is half the sum of phi
   t over its edges, t being their directions towards the corner (Lambert), so in the term

       r^4/4 sum over corners of p (integral of n)^T, and its transpose,

   each edge counts at both its ends with opposite t, and leaves r^4/4 l phi t t^T, with l its length. The sum of n n^T
   over all sectors is that of the whole ball. All of this holds with signs: an edge that rounding made slightly concave
   subtracts the excess of its neighbours. */

typedef struct edges {
    sn_sort_item *item;    /* after sorting two for each edge: the key is its vertices, a the triangle, b true if the
                              triangle runs from the lower vertex to the higher */
    sn_sort_item *scratch; /* as many */
    sn_dvec3 *normal;      /* of each triangle, length 1; 0 while unknown */
    double *angle;         /* rad: for each vertex, the sum of the triangle angles there */
    uint32_t count;        /* number of items */
} edges;

/* The size of the block that holds all arrays. */
static size_t edges_size(uint32_t vertices, uint32_t triangles)
{
    uint64_t bytes =
        (uint64_t)triangles * (6 * sizeof(sn_sort_item) + sizeof(sn_dvec3)) + (uint64_t)vertices * sizeof(double);
    return bytes > SIZE_MAX / 2 ? 0 : (size_t)bytes;
}

static void place_edges(edges *e, void *block, uint32_t triangles)
{
    e->count = 3 * triangles;
    e->item = block;
    e->scratch = e->item + e->count;
    e->normal = (sn_dvec3 *)(void *)(e->scratch + e->count);
    e->angle = (double *)(void *)(e->normal + triangles);
}

static bool check_vertex(const surface *s, uint32_t i, char *message, size_t size)
{
    sn_vec3 v = s->vertex[i];
    const double place[3] = {(double)v.x, (double)v.y, (double)v.z};
    for (int k = 0; k < 3; ++k)
        if (!(fabs(place[k]) <= SN_TRIMESH_REACH))
            return refuse(message, size, "vertex %u: %c is %g m; coordinates must be within %g m of the origin", i,
                          "xyz"[k], place[k], SN_TRIMESH_REACH);
    return true;
}

static bool check_surface(const surface *s, char *message, size_t size)
{
    if (!s->triangles || s->triangles > SN_TRIMESH_MOST)
        return refuse(message, size, "the polyhedron has %u triangles; it must have 1 to %u", s->triangles,
                      SN_TRIMESH_MOST);
    for (uint32_t i = 0; i < s->vertices; ++i)
        if (!check_vertex(s, i, message, size))
            return false;
    for (uint32_t i = 0; i < 3 * s->triangles; ++i) {
        uint32_t next = s->index[i % 3 == 2 ? i - 2 : i + 1];
        if (s->index[i] >= s->vertices)
            return refuse(message, size,
                          "triangle %u: corner %u is vertex %u, but there are %u vertices, counted from 0", i / 3,
                          i % 3, s->index[i], s->vertices);
        if (s->index[i] == next)
            return refuse(message, size, "triangle %u: vertex %u is two of its corners", i / 3, next);
    }
    return true;
}

/* Every edge must join two triangles that run in opposite directions along it. */
static bool join_edges(edges *e, const surface *s, char *message, size_t size)
{
    for (uint32_t i = 0; i < e->count; ++i) {
        uint32_t from = s->index[i], to = s->index[i % 3 == 2 ? i - 2 : i + 1];
        uint64_t low = from < to ? from : to, high = from < to ? to : from;
        e->item[i] = (sn_sort_item){low << 32 | high, i / 3, from < to};
    }
    sn_sort(e->item, e->scratch, e->count);
    for (uint32_t i = 0, end; i < e->count; i = end) {
        const sn_sort_item *item = &e->item[i];
        for (end = i + 1; end < e->count && e->item[end].key == item->key; ++end)
            ;
        if (end - i != 2 || item[0].b == item[1].b)
            return refuse(message, size,
                          "the edge from vertex %u to vertex %u belongs to %u triangles%s; each edge must have one "
                          "triangle on either side",
                          (uint32_t)(item->key >> 32), (uint32_t)item->key, end - i,
                          end - i == 2 ? " that run the same way along it" : "");
    }
    return true;
}

static double squared(sn_dvec3 a)
{
    return dvec3_dot(a, a);
}

/* Finds the normals of triangles that are not slivers, and the angles at their corners. */
static void find_normals(edges *e, const surface *s)
{
    for (uint32_t i = 0; i < s->vertices; ++i)
        e->angle[i] = 0;
    for (uint32_t i = 0; i < s->triangles; ++i) {
        const uint32_t *corner = &s->index[(size_t)i * 3];
        const sn_dvec3 p[3] = {seen(s, corner[0]), seen(s, corner[1]), seen(s, corner[2])};
        double longest = 0;
        for (int k = 0; k < 3; ++k) {
            sn_dvec3 u = dvec3_sub(p[(k + 1) % 3], p[k]), v = dvec3_sub(p[(k + 2) % 3], p[k]);
            e->angle[corner[k]] += math_atan2(dvec3_length(dvec3_cross(u, v)), dvec3_dot(u, v));
            longest = fmax(longest, squared(u));
        }
        sn_dvec3 cross = dvec3_cross(dvec3_sub(p[1], p[0]), dvec3_sub(p[2], p[0]));
        double area = dvec3_length(cross);
        e->normal[i] = area > LEAST_HEIGHT * longest ? dvec3_scale(cross, 1 / area) : dvec3(0, 0, 0);
    }
}

/* True if the edge, given its squared length, is the longest of the triangle, up to rounding. */
static bool is_longest(const surface *s, uint32_t triangle, double length)
{
    const uint32_t *corner = &s->index[(size_t)triangle * 3];
    for (int k = 0; k < 3; ++k)
        if (squared(dvec3_sub(seen(s, corner[(k + 1) % 3]), seen(s, corner[k]))) > length * (1 + 1e-9))
            return false;
    return true;
}

/* A sliver takes the normal of the triangle across its longest edge. Then the normal rotates at its two other edges as
   it would have at that one. Slivers next to slivers need several rounds. */
static bool lend_normals(edges *e, const surface *s, char *message, size_t size)
{
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; ++round) {
        changed = false;
        for (uint32_t i = 0; i < e->count; ++i) {
            uint32_t to = e->item[i].a, from = e->item[i ^ 1].a;
            uint32_t a = (uint32_t)(e->item[i].key >> 32), b = (uint32_t)e->item[i].key;
            if (squared(e->normal[to]) > 0 || !(squared(e->normal[from]) > 0) ||
                !is_longest(s, to, squared(dvec3_sub(seen(s, b), seen(s, a)))))
                continue;
            e->normal[to] = e->normal[from];
            changed = true;
        }
    }
    for (uint32_t i = 0; i < s->triangles; ++i)
        if (!(squared(e->normal[i]) > 0))
            return refuse(message, size, "triangle %u has no area, and none beside it has any to lend it a direction",
                          i);
    return true;
}

/* The triangle, extruded from 0 to r along its normal. */
static void add_prism(integrals *sum, const surface *s, uint32_t triangle, sn_dvec3 n, double r)
{
    const uint32_t *corner = &s->index[(size_t)triangle * 3];
    sn_dvec3 a = seen(s, corner[0]), b = seen(s, corner[1]), c = seen(s, corner[2]);
    sn_dvec3 all = dvec3_add(dvec3_add(a, b), c), middle = dvec3_scale(all, 1.0 / 3);
    double area = dvec3_length(dvec3_cross(dvec3_sub(b, a), dvec3_sub(c, a))) / 2;
    sum->volume += area * r;
    sum->first = dvec3_add(sum->first, dvec3_scale(dvec3_add(middle, dvec3_scale(n, r / 2)), area * r));
    add_product(sum->second, a, a, area * r / 12);
    add_product(sum->second, b, b, area * r / 12);
    add_product(sum->second, c, c, area * r / 12);
    add_product(sum->second, all, all, area * r / 12);
    add_product(sum->second, middle, n, area * r * r);
    add_product(sum->second, n, n, area * r * r * r / 3);
}

/* The sector of a cylinder along the edge from p to q between two normals, and the edge's share in the balls at its
   ends. Returns the angle between the normals, negative for a concave edge. */
static double add_sector(integrals *sum, sn_dvec3 p, sn_dvec3 q, sn_dvec3 one, sn_dvec3 other, double r)
{
    sn_dvec3 displacement = dvec3_sub(q, p), all = dvec3_add(p, q), middle = dvec3_scale(all, 0.5);
    double l = dvec3_length(displacement);
    if (l == 0)
        return 0;
    sn_dvec3 t = dvec3_scale(displacement, 1 / l);
    double phi = math_atan2(dvec3_dot(dvec3_cross(one, other), t), dvec3_dot(one, other));
    double s = math_sin(phi / 2), c = math_cos(phi / 2), sine = 2 * s * c;
    sn_dvec3 out = dvec3_add(dvec3_scale(one, c), dvec3_scale(dvec3_cross(t, one), s)); /* halfway between them */
    sn_dvec3 across = dvec3_cross(t, out), flux = dvec3_scale(out, 2 * s * r * r * r / 3);
    double area = r * r * phi / 2, fourth = r * r * r * r;
    sum->volume += area * l;
    sum->first = dvec3_add(sum->first, dvec3_add(dvec3_scale(middle, area * l), dvec3_scale(flux, l)));
    add_product(sum->second, p, p, area * l / 6);
    add_product(sum->second, q, q, area * l / 6);
    add_product(sum->second, all, all, area * l / 6);
    add_product(sum->second, middle, flux, 2 * l);
    add_product(sum->second, out, out, l * fourth * (phi + sine) / 8);
    add_product(sum->second, across, across, l * fourth * (phi - sine) / 8);
    add_product(sum->second, t, t, l * fourth * phi / 4);
    return phi;
}

static bool add_sectors(integrals *sum, const edges *e, const surface *s, double r, char *message, size_t size)
{
    for (uint32_t i = 0; i < e->count; i += 2) {
        const sn_sort_item *item = &e->item[i];
        uint32_t low = (uint32_t)(item->key >> 32), high = (uint32_t)item->key;
        const sn_dvec3 *one = &e->normal[item[!item->b].a], *other = &e->normal[item[item->b].a]; /* one: of the
                                                                                                     triangle that runs
                                                                                                     from low to high */
        double phi = add_sector(sum, seen(s, low), seen(s, high), *one, *other, r);
        if (phi < -SN_MASS_MOST_HOLLOW)
            return refuse(
                message, size,
                "the polyhedron is not convex: at the edge from vertex %u to vertex %u it is hollow by %g rad", low,
                high, -phi);
    }
    return true;
}

static bool add_corners(integrals *sum, const edges *e, const surface *s, double r, char *message, size_t size)
{
    double sphere = 0;
    for (uint32_t i = 0; i < s->vertices; ++i) {
        if (e->angle[i] == 0) /* no triangle uses it */
            continue;
        double omega = 2 * MATH_PI - e->angle[i], volume = omega * r * r * r / 3;
        sn_dvec3 p = seen(s, i);
        sphere += omega;
        sum->volume += volume;
        sum->first = dvec3_add(sum->first, dvec3_scale(p, volume));
        add_product(sum->second, p, p, volume);
    }
    for (int i = 0; i < 3; ++i)
        sum->second[i] += 4 * MATH_PI / 15 * (r * r * r * r * r);
    if (fabs(sphere - 4 * MATH_PI) <= SPHERE_SLACK)
        return true;
    return refuse(
        message, size,
        "the triangles are not one convex polyhedron: the solid angles of its corners add up to %g instead of "
        "4 pi",
        sphere);
}

static bool integrate_convex(integrals *sum, edges *e, surface *s, double r, char *message, size_t size)
{
    double gross;
    if (!join_edges(e, s, message, size))
        return false;
    if (!go_to_centre(s, &gross))
        return refuse(message, size, "the polyhedron of %u triangles encloses no volume: it is flat", s->triangles);
    *sum = integrate(s, &gross);
    if (!check_volume(s, sum, message, size))
        return false;
    find_normals(e, s);
    if (!lend_normals(e, s, message, size) || !add_sectors(sum, e, s, r, message, size))
        return false;
    for (uint32_t i = 0; i < s->triangles; ++i)
        add_prism(sum, s, i, e->normal[i], r);
    return add_corners(sum, e, s, r, message, size);
}

bool sn_mass_of_convex(sn_mass_properties *mass, const sn_allocator *allocator, const sn_vec3 *vertex,
                       uint32_t vertices, const uint32_t *index, uint32_t triangles, double radius, double density,
                       bool *out_of_memory, char *message, size_t size)
{
    surface s = {.vertex = vertex, .index = index, .vertices = vertices, .triangles = triangles};
    *out_of_memory = false;
    if (!check_surface(&s, message, size) || !check_length("the radius", radius, message, size) ||
        !check_density(density, message, size))
        return false;
    size_t bytes = edges_size(vertices, triangles);
    void *block = bytes ? sn_allocate(allocator, bytes) : NULL;
    if (!block) {
        *out_of_memory = true;
        return refuse(message, size, "no memory for the edges of %u triangles", triangles);
    }
    edges e;
    integrals sum;
    place_edges(&e, block, triangles);
    bool ok = integrate_convex(&sum, &e, &s, radius, message, size) &&
              finish(mass, &sum, dvec3_add(s.start, s.offset), density, message, size);
    sn_release(allocator, block, bytes);
    return ok;
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------------- */

static void unpack(const double inertia[6], double matrix[3][3])
{
    const double full[3][3] = {{inertia[0], inertia[3], inertia[4]},
                               {inertia[3], inertia[1], inertia[5]},
                               {inertia[4], inertia[5], inertia[2]}};
    memcpy(matrix, full, sizeof full);
}

/* Entry i, j of R A R^T. */
static double rotated_entry(double r[3][3], double a[3][3], int i, int j)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += r[i][k] * (a[k][0] * r[j][0] + a[k][1] * r[j][1] + a[k][2] * r[j][2]);
    return sum;
}

void sn_mass_move(sn_mass_properties *mass, sn_quat rotation, const double displacement[3])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double q[4] = {(double)rotation.x, (double)rotation.y, (double)rotation.z, (double)rotation.w}, r[3][3], a[3][3];
    sn_rotate_normalise(q);
    sn_rotate_matrix(q, r);
    unpack(mass->inertia, a);
    for (int i = 0; i < 6; ++i)
        mass->inertia[i] = rotated_entry(r, a, row[i], column[i]);
    sn_rotate_vector(q, mass->centre, mass->centre);
    for (int i = 0; i < 3; ++i)
        mass->centre[i] += displacement[i];
}

/* About the common centre, two masses have the inertia of one reduced mass, m1 m2 / (m1 + m2), at the distance between
   them. */
void sn_mass_add(sn_mass_properties *sum, const sn_mass_properties *part)
{
    double all = sum->mass + part->mass;
    if (!(all != 0))
        return;
    double share = part->mass / all, reduced = sum->mass * share;
    sn_dvec3 d =
        dvec3(part->centre[0] - sum->centre[0], part->centre[1] - sum->centre[1], part->centre[2] - sum->centre[2]);
    const double apart[6] = {
        d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y, -d.x * d.y, -d.x * d.z, -d.y * d.z};
    for (int i = 0; i < 6; ++i)
        sum->inertia[i] += part->inertia[i] + reduced * apart[i];
    sum->centre[0] += share * d.x;
    sum->centre[1] += share * d.y;
    sum->centre[2] += share * d.z;
    sum->mass = all;
}

/* ---- Principal axes ---------------------------------------------------------------------------------------------- */

/* Starts from the largest of the four numbers, so that none is divided by a small one (Shepperd 1978). */
static void quaternion_of(double axis[3][3], double q[4])
{
    double trace = axis[0][0] + axis[1][1] + axis[2][2];
    int most = 3;
    double largest = trace;
    for (int i = 0; i < 3; ++i)
        if (axis[i][i] > largest) {
            largest = axis[i][i];
            most = i;
        }
    if (most == 3) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            q[i] = axis[j][k] - axis[k][j];
        }
        q[3] = 1 + trace;
    } else {
        int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = 1 + 2 * axis[i][i] - trace;
        q[j] = axis[i][j] + axis[j][i];
        q[k] = axis[i][k] + axis[k][i];
        q[3] = axis[j][k] - axis[k][j];
    }
    double sign = q[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        q[i] *= sign;
    sn_rotate_normalise(q);
}

/* Moments of any sign, and their axes. */
static void find_axes(const double inertia[6], double moment[3], double axis[3][3])
{
    double a[3][3], least = NOT_MIXED * (fabs(inertia[0]) + fabs(inertia[1]) + fabs(inertia[2]));
    unpack(inertia, a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (i != j && fabs(a[i][j]) <= least)
                a[i][j] = 0;
    sn_symmetric_eigen(a, moment, axis);
}

void sn_mass_principal(const double inertia[6], double moment[3], double q[4])
{
    double axis[3][3];
    find_axes(inertia, moment, axis);
    quaternion_of(axis, q);
    for (int i = 0; i < 3; ++i)
        if (moment[i] < 0)
            moment[i] = 0;
}

/* The index of the moment that is larger than the sum of the two others, or -1. No moment is negative. */
static int too_great(const double moment[3])
{
    for (int i = 0; i < 3; ++i)
        if (moment[i] * (1 - SN_MASS_SLACK) > moment[(i + 1) % 3] + moment[(i + 2) % 3])
            return i;
    return -1;
}

bool sn_mass_check_moments(const double moment[3], char *message, size_t size)
{
    for (int i = 0; i < 3; ++i)
        if (!(moment[i] >= 0) || !isfinite(moment[i]))
            return refuse(message, size,
                          "the moment of inertia about %c is %g kg m^2; it must not be negative, and be finite",
                          "xyz"[i], moment[i]);
    int i = too_great(moment);
    if (i < 0)
        return true;
    return refuse(message, size,
                  "the moment of inertia about %c is %g kg m^2, more than the two others together, %g and %g: no body "
                  "is like that",
                  "xyz"[i], moment[i], moment[(i + 1) % 3], moment[(i + 2) % 3]);
}
