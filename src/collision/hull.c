#include "collision/hull.h"

#include "base/errors.h"
#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#define FLATNESS     1e-10
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#define FLATNESS     1e-5 /* relative to the size: smaller heights count as flat */
#endif

#define COORDINATE_NOISE 4.0 /* flat, too: heights below this many rounding errors of the largest coordinate */
#define LEAST_HEIGHT     4.0 /* times the flatness: a hull with less height is not a solid */

/* While the hull grows it may have more corners than in the end, because later points enclose earlier corners. */
#define WORK_VERTICES 512u
#define WORK_FACES    (2 * WORK_VERTICES)

#define NONE UINT32_MAX

static bool refuse(char *message, size_t size, const char *format, ...) SN_PRINTF(3, 4);

static bool refuse(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

/* ---- Growing: Quickhull (Barber, Dobkin and Huhdanpaa 1996) with triangles --------------------------------------- */

typedef struct triangle {
    uint32_t vertex[3];
    uint32_t beyond[3]; /* the neighbour across the edge from corner i to the next */
    sn_dvec3 normal;    /* length 1 */
    double offset;      /* m */
    uint32_t region;    /* while growing: 1 if the new point sees it; in the end: the flat face that it belongs to */
    bool alive;
} triangle;

typedef struct rim_edge {
    uint32_t from, to; /* corners, in the direction of the triangle that is removed */
    uint32_t outer;    /* the neighbour that stays */
    uint32_t side;     /* the index of its edge */
} rim_edge;

typedef struct growth {
    const sn_vec3 *point;
    uint32_t points;
    sn_dvec3 origin; /* m: the centre of the points, from which all positions are measured */
    double extent;   /* m: size of the points */
    double flat;     /* m */
    uint32_t vertices;
    sn_dvec3 vertex[WORK_VERTICES]; /* m */
    triangle face[WORK_FACES];
    uint32_t faces; /* slots, some of them free */
    uint32_t stack[WORK_FACES];
    rim_edge rim[WORK_FACES];
    uint32_t rim_at[WORK_VERTICES]; /* the rim edge that starts at a corner */
    triangle fresh[WORK_FACES];
    uint32_t *owner; /* for each point: a triangle that it is outside of, or NONE if it is inside */
    double *height;  /* m: height of each point above its owner */
} growth;

static sn_dvec3 seen(const growth *g, uint32_t point)
{
    return dvec3_sub(dvec3_from(g->point[point]), g->origin);
}

static double height_over(const triangle *t, sn_dvec3 p)
{
    return dvec3_dot(t->normal, p) - t->offset;
}

/* Finds the plane of a triangle. False if it is a line up to rounding. */
static bool find_plane(const growth *g, triangle *t)
{
    sn_dvec3 a = g->vertex[t->vertex[0]], ab = dvec3_sub(g->vertex[t->vertex[1]], a);
    sn_dvec3 ac = dvec3_sub(g->vertex[t->vertex[2]], a), n = dvec3_cross(ab, ac);
    double length = dvec3_length(n);
    if (!(length > 1e-14 * g->extent * g->extent * FLATNESS))
        return false;
    t->normal = dvec3_scale(n, 1 / length);
    t->offset = dvec3_dot(t->normal, a);
    return true;
}

/* The point farthest from the plane of its owner. NONE if all are inside. */
static uint32_t farthest(const growth *g)
{
    uint32_t best = NONE;
    double most = g->flat;
    for (uint32_t i = 0; i < g->points; ++i)
        if (g->owner[i] != NONE && g->height[i] > most) {
            most = g->height[i];
            best = i;
        }
    return best;
}

/* Marks the triangles that p is above by more than `least` and that are connected to `start` by such triangles. */
static void mark_seen(growth *g, sn_dvec3 p, uint32_t start, double least)
{
    for (uint32_t i = 0; i < g->faces; ++i)
        g->face[i].region = 0;
    uint32_t count = 0;
    g->face[start].region = 1;
    g->stack[count++] = start;
    while (count) {
        const triangle *t = &g->face[g->stack[--count]];
        for (uint32_t k = 0; k < 3; ++k) {
            triangle *next = &g->face[t->beyond[k]];
            if (next->region || !(height_over(next, p) > least))
                continue;
            next->region = 1;
            g->stack[count++] = t->beyond[k];
        }
    }
}

static uint32_t side_towards(const triangle *t, uint32_t other)
{
    return t->beyond[0] == other ? 0 : t->beyond[1] == other ? 1 : 2;
}

/* Finds the rim: the edges around the visible triangles, in order. Returns their number; 0 if they are not one simple
   ring. */
static uint32_t find_rim(growth *g)
{
    uint32_t count = 0, first = NONE, at, ordered = 0;
    for (uint32_t i = 0; i < g->vertices; ++i)
        g->rim_at[i] = NONE;
    for (uint32_t i = 0; i < g->faces; ++i) {
        const triangle *t = &g->face[i];
        for (uint32_t k = 0; k < 3 && t->alive && t->region; ++k) {
            uint32_t outer = t->beyond[k];
            if (g->face[outer].region)
                continue;
            if (g->rim_at[t->vertex[k]] != NONE)
                return 0;
            g->rim_at[t->vertex[k]] = count;
            first = first == NONE ? t->vertex[k] : first;
            g->rim[count++] = (rim_edge){t->vertex[k], t->vertex[(k + 1) % 3], outer, side_towards(&g->face[outer], i)};
        }
    }
    if (count < 3)
        return 0;
    rim_edge *sorted = g->rim + count; /* there is room: a rim has at most as many edges as there are corners */
    for (at = first; ordered < count && g->rim_at[at] != NONE; at = sorted[ordered++].to)
        sorted[ordered] = g->rim[g->rim_at[at]];
    if (ordered < count || at != first)
        return 0;
    for (uint32_t i = 1; i < count; ++i) /* a smaller ring was traversed more than once */
        if (sorted[i].from == first)
            return 0;
    memmove(g->rim, sorted, count * sizeof *sorted);
    return count;
}

/* Makes the triangles from the rim to the new corner. False if one of them has no plane. */
static bool make_fan(growth *g, uint32_t count, uint32_t apex)
{
    for (uint32_t i = 0; i < count; ++i) {
        g->fresh[i] = (triangle){.vertex = {g->rim[i].from, g->rim[i].to, apex}, .alive = true};
        if (!find_plane(g, &g->fresh[i]))
            return false;
    }
    return true;
}

/* The first free slot. There must be one. */
static uint32_t free_slot(growth *g)
{
    uint32_t slot = 0;
    while (slot < g->faces && g->face[slot].alive)
        ++slot;
    g->faces += slot == g->faces;
    return slot;
}

/* Reassigns the points whose owner was removed: to the new triangle that they are highest above, or to the inside. */
static void hand_over(growth *g, const uint32_t *slot, uint32_t count)
{
    for (uint32_t i = 0; i < g->points; ++i) {
        if (g->owner[i] == NONE || g->face[g->owner[i]].region != 1)
            continue;
        g->owner[i] = NONE;
        g->height[i] = g->flat;
        sn_dvec3 p = seen(g, i);
        for (uint32_t k = 0; k < count; ++k) {
            double height = height_over(&g->fresh[k], p);
            if (height > g->height[i]) {
                g->height[i] = height;
                g->owner[i] = slot[k];
            }
        }
    }
}

/* Removes the visible triangles and adds the fan. False if there are too many triangles. */
static bool put_fan(growth *g, uint32_t count)
{
    uint32_t *slot = g->stack, taken = 0;
    for (uint32_t i = 0; i < g->faces; ++i)
        taken += g->face[i].alive && !g->face[i].region;
    if (taken + count > WORK_FACES)
        return false;
    for (uint32_t i = 0; i < g->faces; ++i)
        if (g->face[i].alive && g->face[i].region)
            g->face[i].alive = false;
    uint32_t faces = g->faces; /* slots of removed triangles keep their mark until their points are reassigned */
    for (uint32_t i = 0; i < count; ++i) {
        slot[i] = free_slot(g);
        g->face[slot[i]].alive = true;
        if (slot[i] >= faces)
            g->face[slot[i]].region = 0;
    }
    hand_over(g, slot, count);
    for (uint32_t i = 0; i < count; ++i) {
        triangle *t = &g->face[slot[i]];
        *t = g->fresh[i];
        t->beyond[0] = g->rim[i].outer;
        t->beyond[1] = slot[(i + 1) % count];
        t->beyond[2] = slot[(i + count - 1) % count];
        g->face[g->rim[i].outer].beyond[g->rim[i].side] = slot[i];
    }
    return true;
}

/* Also removes triangles that are level with the point; the fan replaces them. Then the rim is well below the point,
   and no triangle is a sliver. If that leaves no ring, only triangles clearly below the point are removed. If that
   fails too, the point is treated as inside, which it is up to rounding. */
static bool add_point(growth *g, uint32_t point)
{
    if (g->vertices == WORK_VERTICES)
        return false;
    sn_dvec3 p = seen(g, point);
    uint32_t start = g->owner[point], apex = g->vertices++;
    g->vertex[apex] = p;
    for (uint32_t attempt = 0; attempt < 2; ++attempt) {
        mark_seen(g, p, start, attempt == 0 ? -g->flat : g->flat);
        uint32_t count = find_rim(g);
        if (count && make_fan(g, count, apex)) {
            g->owner[point] = NONE;
            return put_fan(g, count);
        }
    }
    g->owner[point] = NONE;
    --g->vertices;
    return true;
}

/* ---- The first four ---------------------------------------------------------------------------------------------- */

static double coordinate(sn_dvec3 a, uint32_t axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Finds the centre and the size of the points, and the flatness. */
static void measure(growth *g)
{
    sn_dvec3 low = dvec3_from(g->point[0]), high = low;
    double far = 0;
    for (uint32_t i = 0; i < g->points; ++i) {
        sn_dvec3 p = dvec3_from(g->point[i]);
        low = dvec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = dvec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        far = fmax(far, fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)));
    }
    g->origin = dvec3_scale(dvec3_add(low, high), 0.5);
    g->extent = dvec3_length(dvec3_sub(high, low));
    g->flat = fmax(FLATNESS * g->extent, COORDINATE_NOISE * REAL_EPSILON * far);
}

/* The two points farthest apart along an axis, for the axis where this distance is largest. */
static void first_two(const growth *g, uint32_t found[4])
{
    double most = -1;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        uint32_t low = 0, high = 0;
        for (uint32_t i = 1; i < g->points; ++i) {
            double x = coordinate(seen(g, i), axis);
            low = x < coordinate(seen(g, low), axis) ? i : low;
            high = x > coordinate(seen(g, high), axis) ? i : high;
        }
        double length = coordinate(seen(g, high), axis) - coordinate(seen(g, low), axis);
        if (length > most) {
            most = length;
            found[0] = low;
            found[1] = high;
        }
    }
}

/* The third point is the farthest from the line of the first two, the fourth the farthest from the plane of these
   three. False, with a message, if they do not form a solid. */
static bool first_four(growth *g, uint32_t found[4], char *message, size_t size)
{
    double least = LEAST_HEIGHT * g->flat, most = 0;
    if (!(g->extent > least) || !(g->extent > 1e-100))
        return refuse(message, size, "the %u points of the hull are all in one place", g->points);
    first_two(g, found);
    sn_dvec3 a = seen(g, found[0]), ab = dvec3_sub(seen(g, found[1]), a), n = {0, 0, 0};
    for (uint32_t i = 0; i < g->points; ++i) {
        sn_dvec3 across = dvec3_cross(ab, dvec3_sub(seen(g, i), a));
        double distance = dvec3_length(across) / dvec3_length(ab);
        if (distance > most) {
            most = distance;
            n = dvec3_scale(across, 1 / dvec3_length(across));
            found[2] = i;
        }
    }
    if (!(most > least))
        return refuse(message, size, "the %u points of the hull are all on one line, through points %u and %u",
                      g->points, found[0], found[1]);
    most = 0;
    for (uint32_t i = 0; i < g->points; ++i) {
        double distance = fabs(dvec3_dot(n, dvec3_sub(seen(g, i), a)));
        if (distance > most) {
            most = distance;
            found[3] = i;
        }
    }
    if (!(most > least))
        return refuse(
            message, size,
            "the %u points of the hull are all in one plane, through points %u, %u and %u; a hull must be solid",
            g->points, found[0], found[1], found[2]);
    return true;
}

static bool first_solid(growth *g, char *message, size_t size)
{
    static const uint32_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint32_t beyond[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    uint32_t found[4] = {0, 0, 0, 0};
    if (!first_four(g, found, message, size))
        return false;
    sn_dvec3 a = seen(g, found[0]), n = dvec3_cross(dvec3_sub(seen(g, found[1]), a), dvec3_sub(seen(g, found[2]), a));
    if (dvec3_dot(n, dvec3_sub(seen(g, found[3]), a)) > 0) { /* the first three must face away from the fourth */
        uint32_t swap = found[1];
        found[1] = found[2];
        found[2] = swap;
    }
    for (uint32_t i = 0; i < 4; ++i)
        g->vertex[i] = seen(g, found[i]);
    g->vertices = g->faces = 4;
    for (uint32_t i = 0; i < 4; ++i) {
        triangle *t = &g->face[i];
        memset(t, 0, sizeof *t);
        t->alive = true;
        t->region = 1;
        memcpy(t->vertex, corner[i], sizeof t->vertex);
        memcpy(t->beyond, beyond[i], sizeof t->beyond);
        if (!find_plane(g, t))
            return refuse(message, size, "the %u points of the hull are all in one plane; a hull must be solid",
                          g->points);
        g->fresh[i] = *t;
    }
    return true;
}

static bool grow(growth *g, char *message, size_t size)
{
    static const uint32_t slot[4] = {0, 1, 2, 3};
    measure(g);
    if (!first_solid(g, message, size))
        return false;
    for (uint32_t i = 0; i < g->points; ++i)
        g->owner[i] = 0;
    hand_over(g, slot, 4);
    for (uint32_t next; (next = farthest(g)) != NONE;)
        if (!add_point(g, next))
            return refuse(message, size,
                          "the hull of the %u points has more than %u corners, the most that is possible", g->points,
                          SN_HULL_VERTICES);
    return true;
}

/* ---- Faces of several triangles ---------------------------------------------------------------------------------- */

typedef struct outline {
    uint32_t faces, edges, loops, vertices;
    uint32_t first[WORK_FACES], count[WORK_FACES]; /* of each face */
    uint32_t loop[3 * WORK_FACES];
    uint32_t touches[WORK_VERTICES]; /* number of faces at a corner */
    uint32_t number[WORK_VERTICES];  /* its final number; NONE: the corner is not needed */
    sn_hull_edge edge[WORK_FACES * 3 / 2];
} outline;

static double doubled_area(const growth *g, const triangle *t)
{
    sn_dvec3 a = g->vertex[t->vertex[0]];
    return dvec3_length(dvec3_cross(dvec3_sub(g->vertex[t->vertex[1]], a), dvec3_sub(g->vertex[t->vertex[2]], a)));
}

static bool is_level(const growth *g, const triangle *with, const triangle *t)
{
    for (uint32_t k = 0; k < 3; ++k)
        if (fabs(height_over(with, g->vertex[t->vertex[k]])) > 2 * g->flat)
            return false;
    return dvec3_dot(with->normal, t->normal) > 0 || doubled_area(g, t) <= 4 * g->flat * g->extent;
}

/* Numbers the flat faces. Each begins with the largest triangle without a number and takes in the triangles level with
   it. Returns the number of faces. */
static uint32_t number_faces(growth *g, bool merge)
{
    uint32_t regions = 0;
    for (uint32_t i = 0; i < g->faces; ++i)
        g->face[i].region = NONE;
    for (;; ++regions) {
        uint32_t largest = NONE, count = 0;
        double most = -1;
        for (uint32_t i = 0; i < g->faces; ++i)
            if (g->face[i].alive && g->face[i].region == NONE && doubled_area(g, &g->face[i]) > most) {
                most = doubled_area(g, &g->face[i]);
                largest = i;
            }
        if (largest == NONE)
            return regions;
        const triangle *first = &g->face[largest];
        g->face[largest].region = regions;
        g->stack[count++] = largest;
        while (merge && count) {
            const triangle *t = &g->face[g->stack[--count]];
            for (uint32_t k = 0; k < 3; ++k) {
                triangle *next = &g->face[t->beyond[k]];
                if (next->region != NONE || !is_level(g, first, next))
                    continue;
                next->region = regions;
                g->stack[count++] = t->beyond[k];
            }
        }
    }
}

/* Finds the corners around a face, in order. False if they are not one simple ring. */
static bool find_loop(growth *g, uint32_t region, outline *o)
{
    uint32_t count = 0, first = NONE, length = 0, at;
    for (uint32_t i = 0; i < g->vertices; ++i)
        g->rim_at[i] = NONE;
    for (uint32_t i = 0; i < g->faces; ++i) {
        const triangle *t = &g->face[i];
        for (uint32_t k = 0; k < 3 && t->alive && t->region == region; ++k) {
            if (g->face[t->beyond[k]].region == region)
                continue;
            if (g->rim_at[t->vertex[k]] != NONE)
                return false;
            g->rim_at[t->vertex[k]] = t->vertex[(k + 1) % 3];
            first = first == NONE ? t->vertex[k] : first;
            ++count;
        }
    }
    if (count < 3)
        return false;
    o->first[region] = o->loops;
    at = first;
    do {
        o->loop[o->loops + length++] = at;
        ++o->touches[at];
        at = g->rim_at[at];
    } while (length < count && at != first && at != NONE);
    o->count[region] = count;
    o->loops += count;
    return length == count && at == first;
}

/* Drops corners of only two faces: they are on a straight edge. A face with fewer than three other corners is a sliver
   between two faces, which then become neighbours. The corners are renumbered. */
static void drop_corners(const growth *g, outline *o)
{
    uint32_t loops = 0, faces = 0;
    for (uint32_t f = 0; f < o->faces; ++f) {
        uint32_t first = loops;
        for (uint32_t i = 0; i < o->count[f]; ++i) {
            uint32_t v = o->loop[o->first[f] + i];
            if (o->touches[v] >= 3)
                o->loop[loops++] = v;
        }
        if (loops - first < 3) {
            loops = first;
            continue;
        }
        o->first[faces] = first;
        o->count[faces++] = loops - first;
    }
    o->faces = faces;
    o->loops = loops;
    for (uint32_t v = 0; v < g->vertices; ++v)
        o->number[v] = NONE;
    for (uint32_t i = 0; i < loops; ++i)
        o->number[o->loop[i]] = 0;
    o->vertices = 0;
    for (uint32_t v = 0; v < g->vertices; ++v)
        if (o->number[v] != NONE)
            o->number[v] = o->vertices++;
    for (uint32_t i = 0; i < loops; ++i)
        o->loop[i] = o->number[o->loop[i]];
}

/* How often the edge from one corner to another is in the loops; *face: the face that has it. */
static uint32_t find_edge(const outline *o, uint32_t from, uint32_t to, uint32_t *face)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < o->faces; ++f)
        for (uint32_t i = 0; i < o->count[f]; ++i) {
            const uint32_t *loop = &o->loop[o->first[f]];
            if (loop[i] != from || loop[(i + 1) % o->count[f]] != to)
                continue;
            *face = f;
            ++found;
        }
    return found;
}

/* Finds the edges. False if the surface is not closed. The search is quadratic; the hull is small enough. */
static bool find_edges(outline *o)
{
    o->edges = 0;
    for (uint32_t f = 0; f < o->faces; ++f)
        for (uint32_t i = 0; i < o->count[f]; ++i) {
            uint32_t from = o->loop[o->first[f] + i], to = o->loop[o->first[f] + (i + 1) % o->count[f]], back, own;
            if (find_edge(o, from, to, &own) != 1 || find_edge(o, to, from, &back) != 1)
                return false;
            if (from < to)
                o->edge[o->edges++] = (sn_hull_edge){{(uint8_t)from, (uint8_t)to}, {(uint8_t)f, (uint8_t)back}};
        }
    return o->vertices + o->faces == o->edges + 2;
}

/* Merges triangles into faces. False if the faces do not fit together. */
static bool draw(growth *g, bool merge, outline *o)
{
    memset(o->touches, 0, sizeof o->touches);
    o->loops = 0;
    o->faces = number_faces(g, merge);
    for (uint32_t f = 0; f < o->faces; ++f)
        if (!find_loop(g, f, o))
            return false;
    drop_corners(g, o);
    return o->vertices > SN_HULL_VERTICES || o->faces > SN_HULL_FACES || find_edges(o);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* The offsets of the parts in the block, each aligned. */
typedef struct layout {
    size_t vertex, face, edge, loop, size;
} layout;

static size_t place(size_t *end, size_t size)
{
    size_t start = (*end + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
    *end = start + size;
    return start;
}

static layout lay_out(const outline *o)
{
    layout l = {.size = sizeof(sn_hull)};
    l.vertex = place(&l.size, o->vertices * sizeof(sn_dvec3));
    l.face = place(&l.size, o->faces * sizeof(sn_hull_face));
    l.edge = place(&l.size, o->edges * sizeof(sn_hull_edge));
    l.loop = place(&l.size, o->loops * sizeof(uint8_t));
    return l;
}

/* Volume and centroid, from the tetrahedra from the first corner. */
static void weigh(sn_hull *hull)
{
    sn_dvec3 origin = hull->vertex[0], sum = {0, 0, 0};
    double volume = 0;
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const uint8_t *loop = &hull->loop[hull->face[f].first];
        sn_dvec3 a = dvec3_sub(hull->vertex[loop[0]], origin);
        for (uint32_t i = 2; i < hull->face[f].count; ++i) {
            sn_dvec3 b = dvec3_sub(hull->vertex[loop[i - 1]], origin), c = dvec3_sub(hull->vertex[loop[i]], origin);
            double part = dvec3_dot(a, dvec3_cross(b, c)) / 6;
            volume += part;
            sum = dvec3_add(sum, dvec3_scale(dvec3_add(dvec3_add(a, b), c), part / 4));
        }
    }
    hull->volume = volume;
    hull->centroid = dvec3_add(origin, dvec3_scale(sum, 1 / volume));
}

/* Newell's normal of a face. It is right also for corners that are only nearly in a plane. */
static void find_face_plane(const sn_hull *hull, sn_hull_face *face)
{
    sn_dvec3 n = {0, 0, 0}, a = hull->vertex[hull->loop[face->first]];
    for (uint32_t i = 2; i < face->count; ++i) {
        sn_dvec3 b = dvec3_sub(hull->vertex[hull->loop[face->first + i - 1]], a);
        n = dvec3_add(n, dvec3_cross(b, dvec3_sub(hull->vertex[hull->loop[face->first + i]], a)));
    }
    double length = dvec3_length(n);
    face->area = length / 2;
    face->normal = dvec3_scale(n, 1 / length);
    face->offset = dvec3_dot(face->normal, a);
    for (uint32_t i = 0; i < hull->vertices; ++i)
        face->offset = fmax(face->offset, dvec3_dot(face->normal, hull->vertex[i]));
}

static uint64_t hash_hull(const sn_hull *hull)
{
    uint64_t hash = hash_u64(hash_u64(SN_HASH_SEED, hull->vertices), hull->faces);
    for (uint32_t i = 0; i < hull->vertices; ++i)
        hash = hash_vec3(hash, dvec3_round(hull->vertex[i]));
    for (uint32_t i = 0; i < hull->loops; ++i)
        hash = hash_u64(hash, hull->loop[i]);
    return hash;
}

static void fill(sn_hull *hull, const growth *g, const outline *o, const layout *l)
{
    char *block = (char *)hull;
    sn_dvec3 *vertex = (sn_dvec3 *)(void *)(block + l->vertex);
    sn_hull_face *face = (sn_hull_face *)(void *)(block + l->face);
    uint8_t *loop = (uint8_t *)(block + l->loop);
    *hull = (sn_hull){.vertices = o->vertices, .faces = o->faces, .edges = o->edges, .loops = o->loops};
    hull->vertex = vertex;
    hull->face = face;
    hull->loop = loop;
    hull->edge = memcpy(block + l->edge, o->edge, o->edges * sizeof *o->edge);
    hull->size = l->size;
    for (uint32_t v = 0; v < g->vertices; ++v)
        if (o->number[v] != NONE)
            vertex[o->number[v]] = g->vertex[v];
    for (uint32_t i = 0; i < o->loops; ++i)
        loop[i] = (uint8_t)o->loop[i];
    for (uint32_t f = 0; f < o->faces; ++f) {
        face[f].first = o->first[f];
        face[f].count = o->count[f];
    }
    weigh(hull);
    hull->inner = (double)INFINITY;
    for (uint32_t i = 0; i < hull->vertices; ++i) {
        vertex[i] = dvec3_sub(vertex[i], hull->centroid);
        hull->outer = fmax(hull->outer, dvec3_length(vertex[i]));
    }
    hull->centroid = dvec3_add(hull->centroid, g->origin);
    for (uint32_t f = 0; f < hull->faces; ++f) {
        find_face_plane(hull, &face[f]);
        hull->inner = fmin(hull->inner, face[f].offset);
    }
    hull->hash = hash_hull(hull);
}

/* The working memory of the construction, in one block. */
typedef struct workshop {
    growth growth;
    outline outline;
} workshop;

static sn_hull *build(const sn_allocator *allocator, workshop *w, bool *out_of_memory, char *message, size_t size)
{
    growth *g = &w->growth;
    outline *o = &w->outline;
    if (!grow(g, message, size))
        return NULL;
    if (!draw(g, true, o) && !draw(g, false, o)) {
        refuse(message, size, "the %u points of the hull make no solid with flat faces", g->points);
        return NULL;
    }
    if (o->vertices > SN_HULL_VERTICES || o->faces > SN_HULL_FACES) {
        refuse(message, size, "the hull of the %u points has %u corners and %u faces, more than the %u and %u possible",
               g->points, o->vertices, o->faces, SN_HULL_VERTICES, SN_HULL_FACES);
        return NULL;
    }
    layout l = lay_out(o);
    sn_hull *hull = sn_allocate(allocator, l.size);
    if (hull)
        fill(hull, g, o, &l);
    *out_of_memory = !hull;
    return hull;
}

static bool check_points(const sn_vec3 *point, uint32_t points, char *message, size_t size)
{
    static const char axis[] = "xyz";
    if (points < 4)
        return refuse(message, size, "the hull has %u point%s; a solid needs at least 4", points,
                      points == 1 ? "" : "s");
    for (uint32_t i = 0; i < points; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            double x = coordinate(dvec3_from(point[i]), k);
            if (!isfinite(x))
                return refuse(message, size, "point %u of the hull: %c is %g; coordinates must be finite", i, axis[k],
                              x);
            if (fabs(x) > SN_HULL_REACH)
                return refuse(message, size,
                              "point %u of the hull: %c is %g m; coordinates must be within %g m of the origin", i,
                              axis[k], x, SN_HULL_REACH);
        }
    return true;
}

sn_hull *sn_hull_create(const sn_allocator *allocator, const sn_vec3 *point, uint32_t points, bool *out_of_memory,
                        char *message, size_t size)
{
    *out_of_memory = false;
    if (!check_points(point, points, message, size))
        return NULL;
    uint64_t height_at = (sizeof(workshop) + SN_ALIGNMENT - 1) / SN_ALIGNMENT * SN_ALIGNMENT;
    uint64_t owner_at = height_at + (uint64_t)points * sizeof(double);
    uint64_t bytes = owner_at + (uint64_t)points * sizeof(uint32_t);
    char *block = bytes > SIZE_MAX / 2 ? NULL : sn_allocate(allocator, (size_t)bytes);
    sn_hull *hull = NULL;
    *out_of_memory = !block;
    if (block) {
        workshop *w = (workshop *)(void *)block;
        w->growth.point = point;
        w->growth.points = points;
        w->growth.height = (double *)(void *)(block + height_at);
        w->growth.owner = (uint32_t *)(void *)(block + owner_at);
        hull = build(allocator, w, out_of_memory, message, size);
        sn_release(allocator, block, (size_t)bytes);
    }
    if (*out_of_memory)
        refuse(message, size, "no memory for the hull of %u points", points);
    return hull;
}

void sn_hull_destroy(sn_hull *hull, const sn_allocator *allocator)
{
    if (hull)
        sn_release(allocator, hull, hull->size);
}
