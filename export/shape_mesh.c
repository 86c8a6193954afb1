#include "export/shape_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, RINGS = 8 }; /* of a sphere: facets around the axis, and rings from a pole to the equator */

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Rotates a by q. */
static void turn(const double q[4], const double a[3], double out[3])
{
    double t[3];
    for (int i = 0; i < 3; ++i)
        t[i] = 2 * (q[(i + 1) % 3] * a[(i + 2) % 3] - q[(i + 2) % 3] * a[(i + 1) % 3]);
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] + q[3] * t[i] + q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3];
}

sn_vec3 sn_frame_place(sn_vec3 position, sn_quat rotation, sn_vec3 own)
{
    double q[4] = {(double)rotation.x, (double)rotation.y, (double)rotation.z, (double)rotation.w};
    double a[3] = {(double)own.x, (double)own.y, (double)own.z}, r[3];
    turn(q, a, r);
    return (sn_vec3){(sn_real)(r[0] + (double)position.x), (sn_real)(r[1] + (double)position.y),
                     (sn_real)(r[2] + (double)position.z)};
}

sn_vec3 sn_frame_own(sn_vec3 position, sn_quat rotation, sn_vec3 place)
{
    double q[4] = {-(double)rotation.x, -(double)rotation.y, -(double)rotation.z, (double)rotation.w}, r[3];
    double a[3] = {(double)place.x - (double)position.x, (double)place.y - (double)position.y,
                   (double)place.z - (double)position.z};
    turn(q, a, r);
    return (sn_vec3){(sn_real)r[0], (sn_real)r[1], (sn_real)r[2]};
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static bool take(sn_shape_mesh *mesh, uint32_t vertices, uint32_t triangles)
{
    mesh->vertex = calloc(vertices, sizeof *mesh->vertex);
    mesh->triangle = calloc(3 * (size_t)triangles, sizeof *mesh->triangle);
    if (!mesh->vertex || !mesh->triangle) {
        sn_shape_mesh_release(mesh);
        return false;
    }
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    return true;
}

static bool copy(sn_shape_mesh *mesh, uint32_t vertices, const sn_vec3 *vertex, uint32_t triangles,
                 const uint32_t *triangle)
{
    if (!take(mesh, vertices, triangles))
        return false;
    memcpy(mesh->vertex, vertex, vertices * sizeof *vertex);
    memcpy(mesh->triangle, triangle, 3 * (size_t)triangles * sizeof *triangle);
    return true;
}

void sn_shape_mesh_release(sn_shape_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->triangle);
    *mesh = (sn_shape_mesh){0};
}

bool sn_shape_mesh_append(sn_shape_mesh *to, const sn_shape_mesh *from, sn_vec3 position, sn_quat rotation)
{
    const uint64_t vertices = (uint64_t)to->vertex_count + from->vertex_count;
    const uint64_t triangles = (uint64_t)to->triangle_count + from->triangle_count;
    if (vertices > UINT32_MAX / 8 || triangles > UINT32_MAX / 8)
        return false;
    sn_vec3 *vertex = realloc(to->vertex, (size_t)(vertices + 1) * sizeof *vertex);
    to->vertex = vertex ? vertex : to->vertex;
    uint32_t *triangle = vertex ? realloc(to->triangle, 3 * (size_t)(triangles + 1) * sizeof *triangle) : NULL;
    to->triangle = triangle ? triangle : to->triangle;
    if (!triangle)
        return false;
    for (uint32_t i = 0; i < 3 * from->triangle_count; ++i)
        triangle[3 * (size_t)to->triangle_count + i] = to->vertex_count + from->triangle[i];
    for (uint32_t i = 0; i < from->vertex_count; ++i)
        vertex[to->vertex_count + i] = sn_frame_place(position, rotation, from->vertex[i]);
    to->vertex_count = (uint32_t)vertices;
    to->triangle_count = (uint32_t)triangles;
    return true;
}

/* ---- Flat shapes ------------------------------------------------------------------------------------------------- */

static bool make_plane(const sn_shape_def *def, sn_vec3 centre, sn_real reach, sn_shape_mesh *mesh)
{
    static const uint32_t triangle[6] = {0, 1, 2, 0, 2, 3};
    static const int side[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}; /* counter-clockwise seen from above */
    if (!take(mesh, 4, 2))
        return false;
    for (int i = 0; i < 4; ++i)
        mesh->vertex[i] =
            (sn_vec3){centre.x + (sn_real)side[i][0] * reach, def->rounding, centre.z + (sn_real)side[i][1] * reach};
    memcpy(mesh->triangle, triangle, sizeof triangle);
    return true;
}

static bool make_box(const sn_shape_def *def, sn_shape_mesh *mesh)
{
    /* corner i is at the upper end of x, y, z where bits 0, 1, 2 of i are set */
    static const uint32_t triangle[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    const sn_vec3 h = def->half;
    if (!take(mesh, 8, 12))
        return false;
    for (int i = 0; i < 8; ++i)
        mesh->vertex[i] = (sn_vec3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    memcpy(mesh->triangle, triangle, sizeof triangle);
    return true;
}

/* A rounded box: a lattice of points on the box around it. Those outside of the sharp inner box are moved to a
   distance of one radius from it. */
enum { STEPS = 3, ACROSS = 2 * STEPS + 2 }; /* steps across the rounding of an edge, and points along an axis */

/* Coordinate i along an axis of the outer box. */
static double lattice(double half, double radius, uint32_t i)
{
    return i <= STEPS ? -half - radius * (STEPS - i) / STEPS : half + radius * (i - STEPS - 1) / STEPS;
}

static sn_vec3 rounded_place(const sn_shape_def *shape, const uint32_t at[3])
{
    double half[3] = {(double)shape->half.x, (double)shape->half.y, (double)shape->half.z}, p[3], e[3], square = 0;
    double radius = (double)shape->rounding;
    for (int k = 0; k < 3; ++k) {
        p[k] = lattice(half[k], radius, at[k]);
        e[k] = p[k] < -half[k] ? p[k] + half[k] : p[k] > half[k] ? p[k] - half[k] : 0;
        square += e[k] * e[k];
    }
    double size = sqrt(square); /* not 0: one coordinate is at an end */
    for (int k = 0; k < 3; ++k)
        p[k] += e[k] * (radius / size - 1);
    return (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
}

static bool make_rounded(const sn_shape_def *shape, sn_shape_mesh *mesh)
{
    uint32_t number[ACROSS][ACROSS][ACROSS], vertices = 0, triangles = 0;
    sn_vec3 vertex[ACROSS * ACROSS * ACROSS];
    uint32_t triangle[6 * (ACROSS - 1) * (ACROSS - 1) * 6];
    for (uint32_t i = 0; i < ACROSS; ++i)
        for (uint32_t j = 0; j < ACROSS; ++j)
            for (uint32_t k = 0; k < ACROSS; ++k)
                if (i % (ACROSS - 1) == 0 || j % (ACROSS - 1) == 0 || k % (ACROSS - 1) == 0) {
                    number[i][j][k] = vertices;
                    vertex[vertices++] = rounded_place(shape, (const uint32_t[]){i, j, k});
                }
    for (int axis = 0; axis < 3; ++axis)
        for (int far = 0; far < 2; ++far)
            for (uint32_t u = 0; u + 1 < ACROSS; ++u)
                for (uint32_t v = 0; v + 1 < ACROSS; ++v) {
                    uint32_t corner[4], *t = triangle + 3 * (size_t)triangles;
                    for (uint32_t c = 0; c < 4; ++c) { /* counter-clockwise seen along the axis, from its upper end */
                        uint32_t at[3];
                        at[axis] = far ? ACROSS - 1 : 0;
                        at[(axis + 1) % 3] = u + (c == 1 || c == 2);
                        at[(axis + 2) % 3] = v + (c >= 2);
                        corner[c] = number[at[0]][at[1]][at[2]];
                    }
                    uint32_t b = far ? 1 : 3, d = far ? 3 : 1;
                    t[0] = corner[0], t[1] = corner[b], t[2] = corner[2];
                    t[3] = corner[0], t[4] = corner[2], t[5] = corner[d];
                    triangles += 2;
                }
    return copy(mesh, vertices, vertex, triangles, triangle);
}

static bool make_heights(const sn_shape_def *def, sn_shape_mesh *mesh)
{
    const uint32_t nx = def->height_count[0], nz = def->height_count[1];
    if (!take(mesh, nx * nz, 2 * (nx - 1) * (nz - 1)))
        return false;
    uint32_t *t = mesh->triangle;
    for (uint32_t i = 0; i < nx * nz; ++i)
        mesh->vertex[i] =
            (sn_vec3){(sn_real)((double)def->cell * (i % nx - 0.5 * (nx - 1))), def->heights[i] + def->rounding,
                      (sn_real)((double)def->cell * (i / nx - 0.5 * (nz - 1)))};
    for (uint32_t z = 0; z + 1 < nz; ++z)
        for (uint32_t x = 0; x + 1 < nx; ++x) {
            const uint32_t at = z * nx + x;
            *t++ = at, *t++ = at + nx, *t++ = at + 1;
            *t++ = at + 1, *t++ = at + nx, *t++ = at + nx + 1;
        }
    return true;
}

/* ---- Round shapes ------------------------------------------------------------------------------------------------ */

/* Rings from the lower pole to the upper one. A capsule has its equator twice, half its length below and above the
   middle. */
static bool make_round(double radius, double half, sn_shape_mesh *mesh)
{
    uint32_t rings = 2 * RINGS - 1 + (half > 0), vertices = rings * AROUND + 2;
    if (!take(mesh, vertices, 2 * AROUND * rings))
        return false;
    for (uint32_t r = 0; r < rings; ++r) {
        bool upper = r >= RINGS;
        double latitude = SN_PI / 2 * ((double)(r + 1) - (upper && half > 0) - RINGS) / RINGS;
        double y = radius * sn_math_sin(latitude) + (half > 0 ? (upper ? half : -half) : 0);
        for (uint32_t i = 0; i < AROUND; ++i) {
            double a = 2 * SN_PI * i / AROUND, c = radius * sn_math_cos(latitude);
            mesh->vertex[r * AROUND + i] =
                (sn_vec3){(sn_real)(c * sn_math_sin(a)), (sn_real)y, (sn_real)(c * sn_math_cos(a))};
        }
    }
    uint32_t low = vertices - 2, high = vertices - 1, *t = mesh->triangle;
    mesh->vertex[low] = (sn_vec3){0, (sn_real)(-radius - half), 0};
    mesh->vertex[high] = (sn_vec3){0, (sn_real)(radius + half), 0};
    for (uint32_t i = 0; i < AROUND; ++i) {
        uint32_t j = (i + 1) % AROUND, last = (rings - 1) * AROUND;
        *t++ = low, *t++ = j, *t++ = i;
        *t++ = high, *t++ = last + i, *t++ = last + j;
        for (uint32_t r = 0; r + 1 < rings; ++r) {
            uint32_t a = r * AROUND + i, b = r * AROUND + j;
            *t++ = a, *t++ = b, *t++ = b + AROUND;
            *t++ = a, *t++ = b + AROUND, *t++ = a + AROUND;
        }
    }
    return true;
}

/* A cylinder or a cone: a ring below and one above, or a tip, and the centres of its caps. */
static bool make_revolved(double radius, double half, bool cone, sn_shape_mesh *mesh)
{
    const uint32_t rings = cone ? 1 : 2, low = rings * AROUND, high = low + 1;
    if (!take(mesh, rings * AROUND + 2, 2 * AROUND * rings))
        return false;
    uint32_t *t = mesh->triangle;
    mesh->vertex[low] = (sn_vec3){0, (sn_real)-half, 0};
    mesh->vertex[high] = (sn_vec3){0, (sn_real)half, 0};
    for (uint32_t i = 0; i < AROUND; ++i) {
        const double a = 2 * SN_PI * i / AROUND;
        const uint32_t j = (i + 1) % AROUND, last = (rings - 1) * AROUND;
        for (uint32_t r = 0; r < rings; ++r)
            mesh->vertex[r * AROUND + i] = (sn_vec3){(sn_real)(radius * sn_math_sin(a)), (sn_real)(r ? half : -half),
                                                     (sn_real)(radius * sn_math_cos(a))};
        *t++ = low, *t++ = j, *t++ = i;
        *t++ = high, *t++ = last + i, *t++ = last + j;
        if (cone)
            continue;
        *t++ = i, *t++ = j, *t++ = j + AROUND;
        *t++ = i, *t++ = j + AROUND, *t++ = i + AROUND;
    }
    return true;
}

/* ---- Hulls ------------------------------------------------------------------------------------------------------- */

/* A hull that is being made, triangle by triangle: each point that is outside of some triangles replaces them by
   triangles to the edges of the hole that they leave. All points are corners of the hull; there are only a few. */
typedef struct hull {
    uint32_t count;
    double (*x)[3];
    uint32_t faces, room;
    uint32_t (*face)[3];
    bool *seen;
    double slack; /* m: a point nearer to a plane than this counts as in it */
} hull;

static double height(const hull *h, const uint32_t f[3], const double p[3])
{
    double u[3], v[3], w[3], n[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = h->x[f[1]][k] - h->x[f[0]][k];
        v[k] = h->x[f[2]][k] - h->x[f[0]][k];
        w[k] = p[k] - h->x[f[0]][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return size > 0 ? (n[0] * w[0] + n[1] * w[1] + n[2] * w[2]) / size : 0;
}

static double apart(const hull *h, uint32_t a, uint32_t b)
{
    double d[3] = {h->x[a][0] - h->x[b][0], h->x[a][1] - h->x[b][1], h->x[a][2] - h->x[b][2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Twice the area of a triangle. */
static double area(const hull *h, uint32_t a, uint32_t b, uint32_t c)
{
    double ab = apart(h, a, b), bc = apart(h, b, c), ca = apart(h, c, a), s = (ab + bc + ca) / 2;
    return 2 * sqrt(fmax(s * (s - ab) * (s - bc) * (s - ca), 0));
}

/* Finds four corners that are far from each other. */
static bool begin_hull(hull *h)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    double most = 0;
    for (uint32_t i = 0; i < h->count; ++i)
        if (apart(h, 0, i) > most)
            most = apart(h, 0, i), b = i;
    h->slack = 1e-6 * most;
    most = 0;
    for (uint32_t i = 0; i < h->count; ++i)
        if (area(h, a, b, i) > most)
            most = area(h, a, b, i), c = i;
    const uint32_t base[3] = {a, b, c};
    most = 0;
    for (uint32_t i = 0; i < h->count; ++i)
        if (fabs(height(h, base, h->x[i])) > most)
            most = fabs(height(h, base, h->x[i])), d = i;
    if (!(most > h->slack))
        return false;
    if (height(h, base, h->x[d]) > 0) { /* the base must face away from d */
        uint32_t swap = b;
        b = c, c = swap;
    }
    const uint32_t first[4][3] = {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}};
    memcpy(h->face, first, sizeof first);
    h->faces = 4;
    return true;
}

/* Whether the face on the other side of the edge from a to b is seen as well. */
static bool is_inside(const hull *h, uint32_t a, uint32_t b)
{
    for (uint32_t f = 0; f < h->faces; ++f)
        for (int k = 0; k < 3; ++k)
            if (h->face[f][k] == b && h->face[f][(k + 1) % 3] == a)
                return h->seen[f];
    return false;
}

static void add_point(hull *h, uint32_t p)
{
    uint32_t old = h->faces, left = 0;
    bool any = false;
    for (uint32_t f = 0; f < old; ++f) {
        h->seen[f] = height(h, h->face[f], h->x[p]) > h->slack;
        any = any || h->seen[f];
    }
    for (uint32_t f = 0; f < old && any; ++f)
        for (int k = 0; k < 3 && h->seen[f] && h->faces < h->room; ++k) {
            uint32_t a = h->face[f][k], b = h->face[f][(k + 1) % 3];
            if (is_inside(h, a, b))
                continue;
            h->face[h->faces][0] = a, h->face[h->faces][1] = b, h->face[h->faces][2] = p;
            h->seen[h->faces++] = false;
        }
    for (uint32_t f = 0; f < h->faces && any; ++f)
        if (!h->seen[f])
            memmove(h->face[left++], h->face[f], sizeof h->face[0]);
    h->faces = any ? left : old;
}

static bool make_hull(const sn_shape_def *shape, sn_shape_mesh *mesh)
{
    uint32_t n = shape->vertex_count;
    hull h = {.count = n, .room = 8 * n + 8};
    h.x = calloc(n + (size_t)1, sizeof *h.x);
    h.face = calloc(h.room, sizeof *h.face);
    h.seen = calloc(h.room, sizeof *h.seen);
    sn_vec3 *vertex = calloc(n + (size_t)1, sizeof *vertex);
    bool good = h.x && h.face && h.seen && vertex;
    double middle[3] = {0, 0, 0};
    for (uint32_t i = 0; i < n && good; ++i) {
        h.x[i][0] = (double)shape->vertices[i].x, h.x[i][1] = (double)shape->vertices[i].y;
        h.x[i][2] = (double)shape->vertices[i].z;
        for (int k = 0; k < 3; ++k)
            middle[k] += h.x[i][k] / n;
    }
    if (good && begin_hull(&h))
        for (uint32_t i = 0; i < n; ++i)
            add_point(&h, i);
    for (uint32_t i = 0; i < n && good; ++i) { /* the rounding, approximately */
        double d[3] = {h.x[i][0] - middle[0], h.x[i][1] - middle[1], h.x[i][2] - middle[2]};
        double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double more = size > 0 ? (double)shape->rounding / size : 0;
        vertex[i] = (sn_vec3){(sn_real)(h.x[i][0] + more * d[0]), (sn_real)(h.x[i][1] + more * d[1]),
                              (sn_real)(h.x[i][2] + more * d[2])};
    }
    good = good && copy(mesh, n, vertex, h.faces, h.face[0]);
    free(h.x);
    free(h.face);
    free(h.seen);
    free(vertex);
    return good;
}

/* ---- All shapes -------------------------------------------------------------------------------------------------- */

bool sn_shape_mesh_make(const sn_shape_def *def, sn_vec3 centre, sn_real reach, sn_shape_mesh *mesh, bool *nothing)
{
    const double radius = (double)(def->radius + def->rounding), half = (double)def->half.y;
    *mesh = (sn_shape_mesh){0};
    *nothing = false;
    switch (def->type) {
    case SN_SHAPE_PLANE:
        return make_plane(def, centre, reach, mesh);
    case SN_SHAPE_BOX:
        return def->rounding > 0 ? make_rounded(def, mesh) : make_box(def, mesh);
    case SN_SHAPE_SPHERE:
        return make_round(radius, 0, mesh);
    case SN_SHAPE_CAPSULE:
        return make_round(radius, half, mesh);
    case SN_SHAPE_CYLINDER:
    case SN_SHAPE_CONE:
        return make_revolved(radius, half + (double)def->rounding, def->type == SN_SHAPE_CONE, mesh);
    case SN_SHAPE_HULL:
        return make_hull(def, mesh);
    case SN_SHAPE_HEIGHTS:
        return make_heights(def, mesh);
    case SN_SHAPE_MESH:
    case SN_SHAPE_FIELD:
        break;
    }
    *nothing = !def->vertices;
    return def->vertices && copy(mesh, def->vertex_count, def->vertices, def->triangle_count, def->triangles);
}

bool sn_shape_mesh_of_body(const sn_body_def *def, sn_vec3 centre, sn_real reach, sn_shape_mesh *mesh, bool *nothing)
{
    const sn_vec3 own = sn_frame_own(def->position, def->rotation, centre);
    bool good = true, some = false;
    *mesh = (sn_shape_mesh){0};
    for (uint32_t i = 0; i < def->shape_count && good; ++i) {
        const sn_shape_def *shape = &def->shapes[i];
        sn_shape_mesh one;
        bool none;
        if (!sn_shape_mesh_make(shape, sn_frame_own(shape->position, shape->rotation, own), reach, &one, &none)) {
            good = none;
            continue;
        }
        some = true;
        good = sn_shape_mesh_append(mesh, &one, shape->position, shape->rotation);
        sn_shape_mesh_release(&one);
    }
    *nothing = good && !some;
    if (!good || !some)
        sn_shape_mesh_release(mesh);
    return good && some;
}
