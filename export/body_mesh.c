#include "export/body_mesh.h"
#include "export/collider_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Room ----------------------------------------------------------------------------------------------------------- */

/* A mesh that grows. */
typedef struct growing {
    sn_body_mesh *mesh;
    uint32_t vertices, triangles; /* that there is room for */
} growing;

static bool reserve(growing *g, uint64_t vertices, uint64_t triangles)
{
    sn_body_mesh *m = g->mesh;
    vertices += m->vertex_count;
    triangles += m->triangle_count;
    if (vertices > UINT32_MAX / 8 || triangles > UINT32_MAX / 8)
        return false;
    if (vertices > g->vertices) {
        size_t count = (size_t)vertices * 2;
        sn_vec3 *vertex = realloc(m->vertex, count * sizeof *vertex);
        m->vertex = vertex ? vertex : m->vertex;
        uint32_t *of = vertex ? realloc(m->body_of, count * sizeof *of) : NULL;
        m->body_of = of ? of : m->body_of;
        if (!of)
            return false;
        g->vertices = (uint32_t)count;
    }
    if (triangles > g->triangles) {
        size_t count = (size_t)triangles * 2;
        uint32_t *triangle = realloc(m->triangle, 3 * count * sizeof *triangle);
        m->triangle = triangle ? triangle : m->triangle;
        if (!triangle)
            return false;
        g->triangles = (uint32_t)count;
    }
    return true;
}

/* Appends a mesh that is in the frame of a shape. */
static bool append(growing *g, uint32_t body, const sn_body_shape *shape, uint32_t vertices, const sn_vec3 *vertex,
                   uint32_t triangles, const uint32_t *triangle)
{
    sn_body_mesh *m = g->mesh;
    sn_collider_def frame = sn_default_collider_def();
    frame.position = shape->position;
    frame.rotation = shape->rotation;
    if (!reserve(g, vertices, triangles))
        return false;
    for (uint32_t i = 0; i < 3 * triangles; ++i)
        m->triangle[3 * (size_t)m->triangle_count + i] = m->vertex_count + triangle[i];
    for (uint32_t i = 0; i < vertices; ++i) {
        m->vertex[m->vertex_count + i] = sn_collider_place(&frame, vertex[i]);
        m->body_of[m->vertex_count + i] = body;
    }
    m->vertex_count += vertices;
    m->triangle_count += triangles;
    return true;
}

/* ---- Spheres, capsules, boxes ------------------------------------------------------------------------------------------ */

static bool append_plain(growing *g, uint32_t body, const sn_body_shape *shape)
{
    static const sn_collider_type types[] = {SN_COLLIDER_SPHERE, SN_COLLIDER_CAPSULE, SN_COLLIDER_BOX};
    sn_collider_def def = sn_default_collider_def();
    sn_collider_mesh mesh;
    bool nothing;
    def.type = types[shape->type];
    def.half = shape->half;
    def.radius = shape->radius;
    if (!sn_collider_mesh_make(&def, (sn_vec3){0, 0, 0}, 1, &mesh, &nothing))
        return false;
    bool good = append(g, body, shape, mesh.vertex_count, mesh.vertex, mesh.triangle_count, mesh.triangle);
    sn_collider_mesh_release(&mesh);
    return good;
}

/* A rounded box: a lattice of places on the box around it, of which those beyond the sharp box inside are drawn in to their
   distance from that. */
enum { STEPS = 3, ACROSS = 2 * STEPS + 2 }; /* of an edge's rounding, and places along an axis */

/* Place i along an axis of the box around. */
static double lattice(double half, double radius, uint32_t i)
{
    return i <= STEPS ? -half - radius * (STEPS - i) / STEPS : half + radius * (i - STEPS - 1) / STEPS;
}

static sn_vec3 rounded_place(const sn_body_shape *shape, const uint32_t at[3])
{
    double half[3] = {(double)shape->half.x, (double)shape->half.y, (double)shape->half.z}, p[3], e[3], square = 0;
    double radius = (double)shape->radius;
    for (int k = 0; k < 3; ++k) {
        p[k] = lattice(half[k], radius, at[k]);
        e[k] = p[k] < -half[k] ? p[k] + half[k] : p[k] > half[k] ? p[k] - half[k] : 0;
        square += e[k] * e[k];
    }
    double size = sqrt(square); /* not 0: one of them is at an end */
    for (int k = 0; k < 3; ++k)
        p[k] += e[k] * (radius / size - 1);
    return (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
}

static bool append_rounded(growing *g, uint32_t body, const sn_body_shape *shape)
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
                    for (uint32_t c = 0; c < 4; ++c) { /* counter-clockwise seen along the axis, from its far end */
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
    return append(g, body, shape, vertices, vertex, triangles, triangle);
}

/* ---- Hulls ------------------------------------------------------------------------------------------------------------- */

/* A hull that is being made, triangle by triangle: each point that is beyond some of them takes their place, with the edges
   around the hole that they leave. Points are corners of the hull all of them, a few at most. */
typedef struct hull {
    uint32_t count;
    double (*x)[3];
    uint32_t faces, room;
    uint32_t (*face)[3];
    bool *seen;
    double slack; /* m: nearer to a plane is in it */
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

/* Four corners that are far from each other. */
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
    if (height(h, base, h->x[d]) > 0) { /* the base is to face away from it */
        uint32_t swap = b;
        b = c, c = swap;
    }
    const uint32_t first[4][3] = {{a, b, c}, {a, d, b}, {b, d, c}, {c, d, a}};
    memcpy(h->face, first, sizeof first);
    h->faces = 4;
    return true;
}

/* Whether the edge from a to b has a face that is seen on its other side. */
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

static bool append_hull(growing *g, uint32_t body, const sn_body_shape *shape)
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
    for (uint32_t i = 0; i < n && good; ++i) { /* rounding, more or less */
        double d[3] = {h.x[i][0] - middle[0], h.x[i][1] - middle[1], h.x[i][2] - middle[2]};
        double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double more = size > 0 ? (double)shape->radius / size : 0;
        vertex[i] = (sn_vec3){(sn_real)(h.x[i][0] + more * d[0]), (sn_real)(h.x[i][1] + more * d[1]),
                              (sn_real)(h.x[i][2] + more * d[2])};
    }
    good = good && append(g, body, shape, n, vertex, h.faces, h.face[0]);
    free(h.x);
    free(h.face);
    free(h.seen);
    free(vertex);
    return good;
}

/* ---- The mesh ---------------------------------------------------------------------------------------------------------- */

static bool append_shape(growing *g, uint32_t body, const sn_body_shape *shape)
{
    if (shape->type == SN_BODY_HULL)
        return append_hull(g, body, shape);
    return shape->type == SN_BODY_BOX && shape->radius > 0 ? append_rounded(g, body, shape)
                                                           : append_plain(g, body, shape);
}

bool sn_body_mesh_make(const sn_world *world, const sn_object *object, sn_body_mesh *mesh)
{
    *mesh = (sn_body_mesh){.body_count = object->body_count};
    growing g = {.mesh = mesh};
    bool good = reserve(&g, 1, 1) && (mesh->pose = calloc(object->body_count + (size_t)1, sizeof *mesh->pose));
    for (uint32_t i = 0; i < object->body_count && good; ++i) {
        sn_body_def def;
        if (!sn_body_is_valid(world, object->body[i].handle))
            continue;
        good = sn_body_read(world, object->body[i].handle, &def) == SN_OK;
        for (uint32_t k = 0; k < def.shape_count && good; ++k)
            good = append_shape(&g, i, &def.shapes[k]);
    }
    if (!good)
        sn_body_mesh_release(mesh);
    return good;
}

void sn_body_mesh_release(sn_body_mesh *mesh)
{
    free(mesh->vertex);
    free(mesh->body_of);
    free(mesh->triangle);
    free(mesh->pose);
    *mesh = (sn_body_mesh){0};
}

bool sn_body_pose_read(const sn_world *world, sn_body body, sn_body_pose *pose)
{
    if (!sn_body_is_valid(world, body))
        return true;
    pose->position = sn_body_position(world, body);
    pose->rotation = sn_body_rotation(world, body);
    pose->centre = sn_body_centre(world, body);
    pose->velocity = sn_body_velocity(world, body);
    pose->spin = sn_body_spin(world, body);
    return isfinite(pose->position.x) && isfinite(pose->rotation.w);
}

bool sn_body_mesh_place(const sn_world *world, const sn_object *object, sn_body_mesh *mesh, sn_vec3 *place,
                        sn_vec3 *velocity)
{
    for (uint32_t i = 0; i < mesh->body_count; ++i)
        if (!sn_body_pose_read(world, object->body[i].handle, &mesh->pose[i]))
            return false;
    sn_collider_def frame = sn_default_collider_def();
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        const sn_body_pose *pose = &mesh->pose[mesh->body_of[i]];
        frame.position = pose->position;
        frame.rotation = pose->rotation;
        place[i] = sn_collider_place(&frame, mesh->vertex[i]);
        if (!velocity)
            continue;
        sn_vec3 r = {place[i].x - pose->centre.x, place[i].y - pose->centre.y, place[i].z - pose->centre.z};
        sn_vec3 w = pose->spin, v = pose->velocity;
        velocity[i] = (sn_vec3){v.x + w.y * r.z - w.z * r.y, v.y + w.z * r.x - w.x * r.z, v.z + w.x * r.y - w.y * r.x};
    }
    return true;
}
