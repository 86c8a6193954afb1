#include "collision/trimesh.h"

#include "collision/bvh_quads.h"

#include "base/dvec.h"
#include "base/errors.h"
#include "base/math.h"
#include "base/sort.h"
#include "collision/triangle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

#define NO_TRIANGLE UINT32_MAX

/* Relative to its longest edge: a triangle of less height counts as a line. */
#define LEAST_HEIGHT (4 * REAL_EPSILON)

/* Relative to the sum of its parts' absolute values: a smaller volume counts as 0. */
#define LEAST_VOLUME 1e-12

/* Relative to the triangle: a shorter offset has no direction, because it is the rounding error of double precision. */
#define LEAST_OFFSET 1e-12

/* How far beyond the ends of its path, as a part of it, a point still passes through a triangle. The next path begins
   where this one ends. It must not begin behind a triangle that this one just failed to reach. */
#define END_SLACK 1e-12

typedef enum gap { GAP_NONE, GAP_RIM, GAP_CROWDED, GAP_TWISTED, GAP_FLAT, GAP_INSIDE_OUT } gap;

/* Why the mesh is not closed. */
typedef struct fault {
    gap type;
    uint32_t vertex[2];   /* of the edge */
    uint32_t triangle[2]; /* two that share it */
    uint32_t count;       /* triangles that share it */
    double volume;        /* m^3 */
} fault;

struct sn_trimesh {
    uint32_t vertices, triangles;
    sn_vec3 *vertex;
    uint32_t *index;     /* three for each triangle */
    uint32_t *neighbour; /* three for each triangle: the neighbour beyond the edges ab, bc, ca if it is the only one and
                            has the same orientation; otherwise NO_TRIANGLE */
    sn_dvec3 *corner_normal; /* of each vertex: the sum of the normals around it, weighted by the angles there */
    sn_bvh bvh;
    sn_bvh_quads quads; /* made from bvh */
    fault fault;
};

/* Corner a, and the other corners relative to it. The differences are exact where sn_real is float. */
typedef struct corners {
    sn_dvec3 a, ab, ac;
} corners;

static inline sn_dvec3 vertex_at(const sn_trimesh *mesh, uint32_t corner)
{
    return dvec3_from(mesh->vertex[mesh->index[corner]]);
}

static inline corners corners_of(const sn_trimesh *mesh, uint32_t triangle)
{
    sn_dvec3 a = vertex_at(mesh, 3 * triangle);
    return (corners){a, dvec3_sub(vertex_at(mesh, 3 * triangle + 1), a),
                     dvec3_sub(vertex_at(mesh, 3 * triangle + 2), a)};
}

static inline sn_dvec3 unit(sn_dvec3 a)
{
    return dvec3_scale(a, 1 / dvec3_length(a));
}

static sn_dvec3 face_normal(const sn_trimesh *mesh, uint32_t triangle)
{
    corners c = corners_of(mesh, triangle);
    return unit(dvec3_cross(c.ab, c.ac));
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static bool refuse(char *message, size_t size, const char *format, ...) SN_PRINTF(3, 4);

static bool refuse(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

static bool check_vertices(const sn_vec3 *vertex, uint32_t vertices, char *message, size_t size)
{
    static const char axis[] = "xyz";
    for (uint32_t i = 0; i < vertices; ++i) {
        const double place[3] = {(double)vertex[i].x, (double)vertex[i].y, (double)vertex[i].z};
        for (uint32_t k = 0; k < 3; ++k) {
            if (!isfinite(place[k]))
                return refuse(message, size, "vertex %u: %c is %g; coordinates must be finite", i, axis[k], place[k]);
            if (fabs(place[k]) > SN_TRIMESH_REACH)
                return refuse(message, size, "vertex %u: %c is %g m; coordinates must be within %g m of the origin", i,
                              axis[k], place[k], SN_TRIMESH_REACH);
        }
    }
    return true;
}

static bool check_area(const sn_vec3 *vertex, const uint32_t *corner, uint32_t triangle, char *message, size_t size)
{
    uint32_t a = corner[0], b = corner[1], c = corner[2];
    if (a == b || b == c || c == a)
        return refuse(message, size, "triangle %u has no area: vertex %u is two of its corners", triangle,
                      a == b ? a : c);
    sn_dvec3 start = dvec3_from(vertex[a]);
    sn_dvec3 ab = dvec3_sub(dvec3_from(vertex[b]), start), ac = dvec3_sub(dvec3_from(vertex[c]), start);
    sn_dvec3 bc = dvec3_sub(ac, ab), normal = dvec3_cross(ab, ac);
    double longest = fmax(dvec3_dot(bc, bc), fmax(dvec3_dot(ab, ab), dvec3_dot(ac, ac))); /* squared */
    double least = LEAST_HEIGHT * longest;
    if (dvec3_dot(normal, normal) > least * least)
        return true;
    return refuse(message, size,
                  "triangle %u has no area: its corners, vertices %u, %u and %u, are on a line or in one place",
                  triangle, a, b, c);
}

static bool check_triangles(const sn_vec3 *vertex, uint32_t vertices, const uint32_t *index, uint32_t triangles,
                            char *message, size_t size)
{
    for (uint32_t i = 0; i < triangles; ++i) {
        const uint32_t *corner = &index[(size_t)i * 3];
        for (uint32_t k = 0; k < 3; ++k)
            if (corner[k] >= vertices)
                return refuse(message, size,
                              "triangle %u: corner %u is vertex %u, but there are %u vertices, counted from 0", i, k,
                              corner[k], vertices);
        if (!check_area(vertex, corner, i, message, size))
            return false;
    }
    return true;
}

/* ---- Neighbours across edges, and whether the mesh is closed ----------------------------------------------------- */

/* Lists the edges of all triangles. The key is the same for all that share an edge; a is the corner where it begins
   (three for each triangle); b is true if it runs from the lower vertex to the higher. */
static void list_edges(const sn_trimesh *mesh, sn_sort_item *edge)
{
    for (uint32_t i = 0; i < 3 * mesh->triangles; ++i) {
        uint32_t from = mesh->index[i], to = mesh->index[i % 3 == 2 ? i - 2 : i + 1];
        uint64_t low = from < to ? from : to, high = from < to ? to : from;
        edge[i] = (sn_sort_item){low << 32 | high, i, from < to};
    }
}

/* Handles all triangles at one edge. */
static void join_edge(sn_trimesh *mesh, const sn_sort_item *edge, uint32_t count)
{
    gap type = count == 1 ? GAP_RIM : count > 2 ? GAP_CROWDED : edge[0].b == edge[1].b ? GAP_TWISTED : GAP_NONE;
    if (type == GAP_NONE) {
        mesh->neighbour[edge[0].a] = edge[1].a / 3;
        mesh->neighbour[edge[1].a] = edge[0].a / 3;
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
        mesh->neighbour[edge[i].a] = NO_TRIANGLE;
    if (mesh->fault.type == GAP_NONE) /* the first fault is reported */
        mesh->fault = (fault){.type = type,
                              .vertex = {(uint32_t)(edge->key >> 32), (uint32_t)edge->key},
                              .triangle = {edge[0].a / 3, count > 1 ? edge[1].a / 3 : 0},
                              .count = count};
}

static void join_edges(sn_trimesh *mesh, sn_sort_item *edge, sn_sort_item *scratch)
{
    uint32_t edges = 3 * mesh->triangles;
    list_edges(mesh, edge);
    sn_sort(edge, scratch, edges);
    for (uint32_t i = 0, end; i < edges; i = end) {
        for (end = i + 1; end < edges && edge[end].key == edge[i].key; ++end)
            ;
        join_edge(mesh, &edge[i], end - i);
    }
}

/* Six times the volume is the sum of a . (b x c), with positions relative to one of the vertices. */
static void check_volume(sn_trimesh *mesh)
{
    sn_dvec3 origin = vertex_at(mesh, 0);
    double sum = 0, size = 0;
    for (uint32_t i = 0; i < mesh->triangles; ++i) {
        corners c = corners_of(mesh, i);
        double part = dvec3_dot(dvec3_sub(c.a, origin), dvec3_cross(c.ab, c.ac));
        sum += part;
        size += fabs(part);
    }
    mesh->fault.volume = sum / 6;
    if (fabs(sum) <= LEAST_VOLUME * size)
        mesh->fault.type = GAP_FLAT;
    else if (sum < 0)
        mesh->fault.type = GAP_INSIDE_OUT;
}

static void sum_normals(sn_trimesh *mesh)
{
    for (uint32_t i = 0; i < mesh->vertices; ++i)
        mesh->corner_normal[i] = dvec3(0, 0, 0);
    for (uint32_t i = 0; i < mesh->triangles; ++i) {
        sn_dvec3 normal = face_normal(mesh, i);
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t at = 3 * i + k, next = 3 * i + (k + 1) % 3, last = 3 * i + (k + 2) % 3;
            sn_dvec3 one = dvec3_sub(vertex_at(mesh, next), vertex_at(mesh, at));
            sn_dvec3 other = dvec3_sub(vertex_at(mesh, last), vertex_at(mesh, at));
            double angle = math_atan2(dvec3_length(dvec3_cross(one, other)), dvec3_dot(one, other));
            sn_dvec3 *sum = &mesh->corner_normal[mesh->index[at]];
            *sum = dvec3_add(*sum, dvec3_scale(normal, angle));
        }
    }
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static void *allocate_array(const sn_allocator *allocator, uint64_t count, size_t width)
{
    return count > SIZE_MAX / 2 / width ? NULL : sn_allocate(allocator, (size_t)count * width);
}

static void release_array(const sn_allocator *allocator, void *array, uint64_t count, size_t width)
{
    sn_release(allocator, array, (size_t)count * width);
}

static sn_trimesh *allocate_mesh(const sn_allocator *allocator, uint32_t vertices, uint32_t triangles)
{
    sn_trimesh *mesh = sn_allocate(allocator, sizeof *mesh);
    if (!mesh)
        return NULL;
    memset(mesh, 0, sizeof *mesh);
    sn_bvh_init(&mesh->bvh);
    sn_bvh_quads_init(&mesh->quads);
    mesh->vertices = vertices;
    mesh->triangles = triangles;
    mesh->vertex = allocate_array(allocator, vertices, sizeof *mesh->vertex);
    mesh->index = allocate_array(allocator, (uint64_t)triangles * 3, sizeof *mesh->index);
    mesh->neighbour = allocate_array(allocator, (uint64_t)triangles * 3, sizeof *mesh->neighbour);
    mesh->corner_normal = allocate_array(allocator, vertices, sizeof *mesh->corner_normal);
    if (mesh->vertex && mesh->index && mesh->neighbour && mesh->corner_normal)
        return mesh;
    sn_trimesh_destroy(mesh, allocator);
    return NULL;
}

void sn_trimesh_destroy(sn_trimesh *mesh, const sn_allocator *allocator)
{
    if (!mesh)
        return;
    release_array(allocator, mesh->vertex, mesh->vertices, sizeof *mesh->vertex);
    release_array(allocator, mesh->index, (uint64_t)mesh->triangles * 3, sizeof *mesh->index);
    release_array(allocator, mesh->neighbour, (uint64_t)mesh->triangles * 3, sizeof *mesh->neighbour);
    release_array(allocator, mesh->corner_normal, mesh->vertices, sizeof *mesh->corner_normal);
    sn_bvh_release(&mesh->bvh, allocator);
    sn_bvh_quads_release(&mesh->quads, allocator);
    sn_release(allocator, mesh, sizeof *mesh);
}

static bool join(sn_trimesh *mesh, const sn_allocator *allocator)
{
    uint64_t count = (uint64_t)mesh->triangles * 6; /* edges and scratch */
    sn_sort_item *edge = allocate_array(allocator, count, sizeof *edge);
    if (!edge)
        return false;
    join_edges(mesh, edge, edge + count / 2);
    release_array(allocator, edge, count, sizeof *edge);
    if (mesh->fault.type == GAP_NONE)
        check_volume(mesh);
    return true;
}

static sn_bounds triangle_bounds(const sn_trimesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = &mesh->index[(size_t)triangle * 3];
    sn_bounds all = {mesh->vertex[corner[0]], mesh->vertex[corner[0]]};
    for (uint32_t k = 1; k < 3; ++k) {
        sn_vec3 v = mesh->vertex[corner[k]];
        all.low = vec3(v.x < all.low.x ? v.x : all.low.x, v.y < all.low.y ? v.y : all.low.y,
                       v.z < all.low.z ? v.z : all.low.z);
        all.high = vec3(v.x > all.high.x ? v.x : all.high.x, v.y > all.high.y ? v.y : all.high.y,
                        v.z > all.high.z ? v.z : all.high.z);
    }
    return all;
}

static bool build_tree(sn_trimesh *mesh, const sn_allocator *allocator)
{
    sn_bounds *bounds = allocate_array(allocator, mesh->triangles, sizeof *bounds);
    if (!bounds)
        return false;
    for (uint32_t i = 0; i < mesh->triangles; ++i)
        bounds[i] = triangle_bounds(mesh, i);
    bool built = sn_bvh_build(&mesh->bvh, allocator, bounds, mesh->triangles) &&
                 sn_bvh_quads_make(&mesh->quads, allocator, &mesh->bvh);
    sn_bvh_trim(&mesh->bvh, allocator);
    release_array(allocator, bounds, mesh->triangles, sizeof *bounds);
    return built;
}

sn_trimesh *sn_trimesh_create(const sn_allocator *allocator, const sn_vec3 *vertex, uint32_t vertices,
                              const uint32_t *index, uint32_t triangles, bool *out_of_memory, char *message,
                              size_t size)
{
    *out_of_memory = false;
    if (!triangles)
        refuse(message, size, "the mesh has no triangle");
    else if (triangles > SN_TRIMESH_MOST)
        refuse(message, size, "the mesh has %u triangles, more than the %u that are possible", triangles,
               SN_TRIMESH_MOST);
    if (!triangles || triangles > SN_TRIMESH_MOST || !check_vertices(vertex, vertices, message, size) ||
        !check_triangles(vertex, vertices, index, triangles, message, size))
        return NULL;

    sn_trimesh *mesh = allocate_mesh(allocator, vertices, triangles);
    if (mesh) {
        memcpy(mesh->vertex, vertex, vertices * sizeof *vertex);
        memcpy(mesh->index, index, (size_t)triangles * 3 * sizeof *index);
        if (join(mesh, allocator) && build_tree(mesh, allocator)) {
            sum_normals(mesh);
            return mesh;
        }
        sn_trimesh_destroy(mesh, allocator);
    }
    *out_of_memory = true;
    refuse(message, size, "no memory for a mesh of %u triangles", triangles);
    return NULL;
}

uint32_t sn_trimesh_triangles(const sn_trimesh *mesh)
{
    return mesh->triangles;
}

uint32_t sn_trimesh_vertices(const sn_trimesh *mesh)
{
    return mesh->vertices;
}

const sn_vec3 *sn_trimesh_vertex(const sn_trimesh *mesh)
{
    return mesh->vertex;
}

const uint32_t *sn_trimesh_index(const sn_trimesh *mesh)
{
    return mesh->index;
}

sn_bounds sn_trimesh_bounds(const sn_trimesh *mesh)
{
    return ((const sn_bvh_node *)mesh->bvh.node_table.column[0])->bounds;
}

bool sn_trimesh_is_closed(const sn_trimesh *mesh, char *message, size_t size)
{
    const fault *f = &mesh->fault;
    uint32_t from = f->vertex[0], to = f->vertex[1];
    switch (f->type) {
    case GAP_NONE:
        return true;
    case GAP_RIM:
        return refuse(message, size, "the edge from vertex %u to vertex %u belongs to one triangle only, number %u",
                      from, to, f->triangle[0]);
    case GAP_CROWDED:
        return refuse(message, size, "the edge from vertex %u to vertex %u belongs to %u triangles instead of two",
                      from, to, f->count);
    case GAP_TWISTED:
        return refuse(
            message, size,
            "triangles %u and %u, which share the edge from vertex %u to vertex %u, run in opposite ways: one "
            "shows its front where the other shows its back",
            f->triangle[0], f->triangle[1], from, to);
    case GAP_FLAT:
        return refuse(message, size, "the mesh encloses no volume: it is flat");
    case GAP_INSIDE_OUT:
        break;
    }
    return refuse(message, size,
                  "the mesh is inside out, with a volume of %g m^3: its triangles must run counter-clockwise seen from "
                  "outside",
                  f->volume);
}

/* ---- The nearest point of a triangle ----------------------------------------------------------------------------- */

typedef struct near_point {
    uint32_t triangle;
    uint32_t feature; /* as returned by sn_triangle_near */
    sn_dvec3 offset;  /* m: from the triangle's point to the query point */
    double squared;   /* m^2: of the offset */
} near_point;

static sn_dvec3 offset_from_face(sn_dvec3 seen, const corners *c)
{
    sn_dvec3 normal = dvec3_cross(c->ab, c->ac);
    return dvec3_scale(normal, dvec3_dot(seen, normal) / dvec3_dot(normal, normal));
}

static sn_dvec3 offset_from_edge(sn_dvec3 seen, sn_dvec3 edge)
{
    double along = dvec3_dot(seen, edge) / dvec3_dot(edge, edge);
    return dvec3_sub(seen, dvec3_scale(edge, along < 0 ? 0 : along > 1 ? 1 : along));
}

/* seen: the point relative to corner a. feature: the part of the triangle nearest to it. Computed in double, so that
   points almost in contact also get a good normal. */
static near_point near_point_on(uint32_t triangle, uint32_t feature, const corners *c, sn_dvec3 seen)
{
    near_point s = {.triangle = triangle, .feature = feature};
    sn_dvec3 from_b = dvec3_sub(seen, c->ab), from_c = dvec3_sub(seen, c->ac);
    s.offset = feature == 0   ? offset_from_face(seen, c)
               : feature == 1 ? offset_from_edge(seen, c->ab)
               : feature == 2 ? offset_from_edge(from_b, dvec3_sub(c->ac, c->ab))
               : feature == 3 ? offset_from_edge(seen, c->ac)
               : feature == 4 ? seen
               : feature == 5 ? from_b
                              : from_c;
    s.squared = dvec3_dot(s.offset, s.offset);
    return s;
}

/* The unit normal of the surface feature that the point is on. A query point with this nearest point is outside a
   closed mesh exactly if it is on the side of this normal. For an edge it is the sum of both face normals, for a corner
   the angle-weighted sum of all (Baerentzen and Aanaes 2005). Where they cancel, it is the triangle's own. */
static sn_dvec3 outward(const sn_trimesh *mesh, const near_point *s)
{
    sn_dvec3 own = face_normal(mesh, s->triangle), sum = own;
    if (s->feature >= 4) {
        sum = mesh->corner_normal[mesh->index[3 * s->triangle + s->feature - 4]];
    } else if (s->feature >= 1) {
        uint32_t neighbour = mesh->neighbour[3 * s->triangle + s->feature - 1];
        if (neighbour != NO_TRIANGLE)
            sum = dvec3_add(own, face_normal(mesh, neighbour));
    }
    double length = dvec3_length(sum);
    return length > LEAST_OFFSET ? dvec3_scale(sum, 1 / length) : own;
}

/* m: a shorter offset has no direction. */
static double least_offset(const sn_trimesh *mesh, uint32_t triangle)
{
    corners c = corners_of(mesh, triangle);
    return LEAST_OFFSET * (dvec3_length(c.ab) + dvec3_length(c.ac));
}

static inline sn_dvec3 turned(sn_dvec3 a, bool turn)
{
    return turn ? dvec3_scale(a, -1) : a;
}

/* ---- Nearest point ----------------------------------------------------------------------------------------------- */

typedef struct near_search {
    const sn_trimesh *mesh;
    sn_vec3 p;
    sn_real reach;
    bool found;
    near_point best; /* squared: of the reach, until something is found */
} near_search;

static bool try_near(void *data, uint32_t triangle)
{
    near_search *search = data;
    const sn_trimesh *mesh = search->mesh;
    const uint32_t *corner = &mesh->index[3 * triangle];
    sn_real weight[3];
    uint32_t feature =
        sn_triangle_near(search->p, mesh->vertex[corner[0]], mesh->vertex[corner[1]], mesh->vertex[corner[2]], weight);
    corners c = corners_of(mesh, triangle);
    near_point s = near_point_on(triangle, feature, &c, dvec3_sub(dvec3_from(search->p), c.a));
    bool same = s.squared == search->best.squared;
    if (s.squared < search->best.squared || (same && (!search->found || triangle < search->best.triangle))) {
        search->found = true;
        search->best = s;
        search->reach = (sn_real)sqrt(s.squared);
    }
    return true;
}

/* The normal out of a solid, or to the side of the point. */
static sn_dvec3 near_normal(const sn_trimesh *mesh, const near_point *s, sn_dvec3 out, double distance, bool inside,
                            bool behind)
{
    if (s->feature == 0)
        return turned(out, behind && !inside);
    if (distance > least_offset(mesh, s->triangle))
        return dvec3_scale(s->offset, (inside ? -1 : 1) / distance);
    return out;
}

bool sn_trimesh_near(const sn_trimesh *mesh, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    near_search search = {.mesh = mesh, .p = p, .reach = reach};
    search.best.squared = (double)reach * (double)reach;
    sn_bvh_near(&mesh->bvh, p, &search.reach, try_near, &search);
    if (!search.found)
        return false;
    const near_point *s = &search.best;
    sn_dvec3 out = outward(mesh, s);
    double distance = sqrt(s->squared);
    bool behind = dvec3_dot(s->offset, out) < 0, inside = behind && mesh->fault.type == GAP_NONE;
    touch->distance = (sn_real)(inside ? -distance : distance);
    touch->point = dvec3_round(dvec3_sub(dvec3_from(p), s->offset));
    touch->normal = dvec3_round(near_normal(mesh, s, out, distance, inside, behind));
    touch->part = s->triangle;
    return true;
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

typedef struct hit {
    sn_real t;
    near_point near_point;
    bool blunt; /* the offset is too short to have a direction: the triangle's own normal is used */
} hit;

typedef struct cast_search {
    const sn_trimesh *mesh;
    const sn_path *path;
    sn_sides sides;
    sn_dvec3 from, displacement;
    double length; /* of the path */
    sn_real t;     /* of the best hit; 1 until there is one */
    bool found;
    hit best;
} cast_search;

/* The contact of the sphere with this triangle at t. The nearest feature is found with positions relative to corner a,
   because the centre at t, rounded in the world, would have a larger error. */
static hit hit_at(const cast_search *search, uint32_t triangle, const corners *c, sn_real t)
{
    sn_real weight[3];
    sn_dvec3 seen = dvec3_add(dvec3_sub(search->from, c->a), dvec3_scale(search->displacement, (double)t));
    uint32_t feature =
        sn_triangle_near(dvec3_round(seen), vec3(0, 0, 0), dvec3_round(c->ab), dvec3_round(c->ac), weight);
    hit h = {.t = t, .near_point = near_point_on(triangle, feature, c, seen)};
    /* t is rounded, which shifts the centre by a part of the path. */
    double noise = 4 * REAL_EPSILON * (double)t * search->length + least_offset(search->mesh, triangle);
    h.blunt = !(h.near_point.squared > noise * noise);
    return h;
}

/* True if the sphere hits from the front. For a closed mesh the normal of the edge or corner decides. For an open mesh,
   whose triangles may have any orientation, the triangle's own normal is also enough, so that a sphere is rather
   stopped than let through. */
static bool is_from_front(const cast_search *search, const hit *h)
{
    sn_dvec3 own = face_normal(search->mesh, h->near_point.triangle);
    if (h->blunt)
        return dvec3_dot(search->displacement, own) < 0;
    bool closed = search->mesh->fault.type == GAP_NONE;
    return dvec3_dot(h->near_point.offset, outward(search->mesh, &h->near_point)) > 0 ||
           (!closed && dvec3_dot(h->near_point.offset, own) > 0);
}

static void keep_hit(cast_search *search, const hit *h)
{
    const hit *best = &search->best;
    if (search->found) { /* of hits at the same time the deepest (this matters at the start); then the first triangle */
        if (h->t > best->t || (h->t == best->t && h->near_point.squared > best->near_point.squared))
            return;
        if (h->t == best->t && h->near_point.squared == best->near_point.squared &&
            h->near_point.triangle > best->near_point.triangle)
            return;
    }
    search->found = true;
    search->best = *h;
    search->t = h->t;
}

static inline double component(sn_dvec3 a, uint32_t axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Projects a corner, seen from the start, along the path onto the coordinate plane most across it. Returns the two
   coordinates in that plane, and the depth along the path. */
static sn_dvec3 project(sn_dvec3 seen, sn_dvec3 displacement, uint32_t deep)
{
    uint32_t x = (deep + 1) % 3, y = (deep + 2) % 3;
    double depth = component(seen, deep) / component(displacement, deep);
    return dvec3(component(seen, x) - depth * component(displacement, x),
                 component(seen, y) - depth * component(displacement, y), depth);
}

/* When the centre itself passes through the triangle. The areas that decide the side of an edge have exactly opposite
   signs for the two triangles of the edge, whatever the rounding, and 0 counts as inside. So there is no gap between
   neighbours (Woop, Benthin and Wald 2013). */
static bool passes_through(const cast_search *search, uint32_t triangle, double *t)
{
    sn_dvec3 displacement = search->displacement,
             size = dvec3(fabs(displacement.x), fabs(displacement.y), fabs(displacement.z));
    uint32_t deep = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (!(component(size, deep) > 0))
        return false;
    sn_dvec3 corner[3]; /* each computed from its vertex alone, so that neighbours agree */
    for (uint32_t k = 0; k < 3; ++k)
        corner[k] = project(dvec3_sub(vertex_at(search->mesh, 3 * triangle + k), search->from), displacement, deep);
    sn_dvec3 a = corner[0], b = corner[1], c = corner[2];
    double u = c.x * b.y - c.y * b.x, v = a.x * c.y - a.y * c.x, w = b.x * a.y - b.y * a.x, sum = u + v + w;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    if (sum == 0) /* the path is parallel to the triangle */
        return false;
    *t = (u * a.z + v * b.z + w * c.z) / sum;
    return *t >= -END_SLACK && *t <= 1 + END_SLACK;
}

/* A safeguard against rounding in the cast of a sphere: the centre never passes a triangle. A point that starts on the
   surface counts as in front of it. */
static void try_centre(cast_search *search, uint32_t triangle, const corners *c)
{
    double t;
    if (!passes_through(search, triangle, &t))
        return;
    bool from_front = dvec3_dot(search->displacement, dvec3_cross(c->ab, c->ac)) < 0;
    if (!from_front && (search->sides == SN_SIDES_FRONT || t <= 0))
        return;
    hit h = hit_at(search, triangle, c, (sn_real)(t < 0 ? 0 : t > 1 ? 1 : t));
    h.blunt = true;
    keep_hit(search, &h);
}

static bool try_cast(void *data, uint32_t triangle)
{
    cast_search *search = data;
    const sn_trimesh *mesh = search->mesh;
    const uint32_t *corner = &mesh->index[3 * triangle];
    corners c = corners_of(mesh, triangle);
    sn_real t, weight[3];
    if (sn_triangle_cast(search->path, mesh->vertex[corner[0]], mesh->vertex[corner[1]], mesh->vertex[corner[2]], &t,
                         weight)) {
        hit h = hit_at(search, triangle, &c, t);
        if (search->sides == SN_SIDES_BOTH || is_from_front(search, &h))
            keep_hit(search, &h);
    }
    try_centre(search, triangle, &c);
    return true;
}

/* The normal towards the side that the sphere comes from. */
static sn_dvec3 cast_normal(const cast_search *search)
{
    const near_point *s = &search->best.near_point;
    sn_dvec3 own = face_normal(search->mesh, s->triangle);
    if (search->best.blunt)
        return turned(own, dvec3_dot(search->displacement, own) > 0);
    if (s->feature == 0)
        return turned(own, dvec3_dot(s->offset, own) < 0);
    return unit(s->offset);
}

bool sn_trimesh_cast(const sn_trimesh *mesh, const sn_path *path, sn_sides sides, sn_real *t, sn_touch *touch)
{
    cast_search search = {.mesh = mesh, .path = path, .sides = sides, .t = 1};
    search.from = dvec3_from(path->from);
    search.displacement = dvec3_from(path->displacement);
    search.length = dvec3_length(search.displacement);
    sn_bvh_quads_cast(&mesh->quads, &mesh->bvh, path, &search.t, try_cast, &search);
    if (!search.found)
        return false;
    const hit *best = &search.best;
    sn_dvec3 centre = dvec3_add(search.from, dvec3_scale(search.displacement, (double)best->t));
    *t = best->t;
    touch->distance = 0;
    touch->point = dvec3_round(dvec3_sub(centre, best->near_point.offset));
    touch->normal = dvec3_round(cast_normal(&search));
    touch->part = best->near_point.triangle;
    return true;
}

void sn_trimesh_overlap(const sn_trimesh *mesh, const sn_bounds *box, sn_bvh_visit *visit, void *data)
{
    sn_bvh_overlap(&mesh->bvh, box, visit, data);
}
