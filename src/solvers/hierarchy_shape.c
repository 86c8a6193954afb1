/* The rest shape of meshes, and limits derived from it.

   The positions of particles when a mesh is first stepped are its rest shape (sn_rest_place) for good: when a plan is
   made again the mesh may be folded. The straight distance between two centroids in the rest shape is a true limit
   where the mesh is flat and braced by triangles: then no motion that keeps the lengths of rods increases it. Where the
   mesh is curved, unrolling would. Two flat halves with an angle t between their normals, unfolded, are 1 / cos(t/2)
   times as far apart, and no other curve between them is worse. Curvature inside an aggregate counts by its thickness,
   or by the length m of the mean of normals: by 1 / m. Where the correction is not small there is no limit. Nor is
   there a limit where the path along rods is much longer than the straight one, which detects folds by more than a
   right angle, or where the mesh is not braced: a net shears while its rods keep their lengths. A solid cannot be
   flattened: it needs no correction.

   Rods may have got other lengths since, or the mesh was not at rest when it was noted. So a limit is scaled by the
   largest stretch of the rods around. Limits are never too short for the rods: that would pull all the time. */
#include "base/symmetric.h"
#include "solvers/hierarchy_work.h"

/* Limits are longer by this share: rounding of positions must not count as stretch. */
#define SLACK 1e-4

/* If a rod is longer than this, relative to the rest shape, the shape is no rest shape. */
#define LONGEST 1.1

/* The largest (thickness / length)^2 of a flat aggregate. Folded by t along its middle, three rows have sin^2(t/2) / 3,
   and are shorter by 1 - cos(t/2), which is one and a half times that. */
#define FLAT    0.02
#define SHORTER 1.5

/* The sine of half of the largest angle between normals, 45 degrees; and the least length of the mean of normals. */
#define LARGEST_SINE 0.3827
#define LEAST_NORMAL 0.95

/* In a flat mesh of triangles, the path along rods is longer than the straight one by up to a sixth. If it is longer
   than DETOUR times that, it goes round something. */
#define DETOUR 1.25

/* ---- Noting ------------------------------------------------------------------------------------------------------ */

bool sn_hierarchy_note_shapes(const sn_solver_in *in, const sn_allocator *allocator, const uint32_t *mesh,
                              uint32_t slots)
{
    const sn_stiffen *s = &in->stiffen;
    uint32_t numbers = 0;
    for (uint32_t slot = 0; slot < slots; ++slot)
        if (mesh[slot] != SN_PLAN_NONE && s->number[slot] >= numbers)
            numbers = s->number[slot] + 1;
    if (numbers > s->shape->count) {
        if (!sn_table_reserve(s->shape, allocator, numbers))
            return false;
        memset((sn_rest_place *)s->shape->column[0] + s->shape->count, 0,
               (numbers - s->shape->count) * sizeof(sn_rest_place));
        s->shape->count = numbers;
    }
    sn_rest_place *shape = s->shape->column[0];
    const uint64_t since = *s->shapes + 1;
    for (uint32_t slot = 0; slot < slots; ++slot) {
        if (mesh[slot] == SN_PLAN_NONE || shape[s->number[slot]].since)
            continue;
        shape[s->number[slot]] = (sn_rest_place){vec4_xyz(in->frame.x[slot]), since};
        *s->shapes = since;
    }
    return true;
}

static const sn_rest_place *shape_of(const hierarchy_work *w, uint32_t slot)
{
    return (const sn_rest_place *)w->in->stiffen.shape->column[0] + w->in->stiffen.number[slot];
}

/* ---- Aggregates of particles ------------------------------------------------------------------------------------- */

/* Finds the normal of a flat aggregate; a line or a point has none. False if the aggregate is thick. */
static bool find_normal(const hierarchy_work *w, uint32_t node, hierarchy_form *form)
{
    const sn_hierarchy *h = w->h;
    double mean[3] = {0}, a[3][3] = {{0}}, value[3], axis[3][3];
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const sn_vec3 p = shape_of(w, h->member[k])->place;
        mean[0] += (double)p.x / form->count;
        mean[1] += (double)p.y / form->count;
        mean[2] += (double)p.z / form->count;
    }
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const sn_vec3 p = shape_of(w, h->member[k])->place;
        const double d[3] = {(double)p.x - mean[0], (double)p.y - mean[1], (double)p.z - mean[2]};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                a[i][j] += d[i] * d[j];
    }
    sn_symmetric_eigen(a, value, axis);
    int least = 0, most = 0;
    for (int i = 1; i < 3; ++i) {
        least = value[i] < value[least] ? i : least;
        most = value[i] >= value[most] ? i : most;
    }
    const double thick = value[least], wide = value[most], middle = value[0] + value[1] + value[2] - thick - wide;
    if (form->count < 3 || middle <= 1e-4 * wide) /* a line: any normal would do */
        return true;
    for (int i = 0; i < 3; ++i)
        form->normal[i] = axis[least][i];
    form->longer = 1 + SHORTER * thick / wide;
    return thick <= FLAT * wide;
}

static bool is_flat_triangle(double a, double b, double c)
{
    return a >= 0.97 * (b + c) || b >= 0.97 * (c + a) || c >= 0.97 * (a + b);
}

/* Looks at the rods of the aggregate: their lengths relative to the shape, and the triangles that they form with its
   root. */
static void look_at_rods(const hierarchy_work *w, uint32_t node, hierarchy_form *form, uint32_t *spokes,
                         uint32_t *braces)
{
    const sn_hierarchy *h = w->h;
    double known = 0;
    *spokes = *braces = 0;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const uint32_t slot = h->member[k];
        *spokes += w->root[slot] != SN_PLAN_NONE && w->root[slot] != slot;
        const sn_vec3 p = shape_of(w, slot)->place;
        for (uint32_t e = w->start[slot]; e < w->start[slot + 1]; ++e) {
            const uint32_t other = w->edge[e].to;
            if (!isfinite(w->edge[e].rest) || w->edge[e].rest == SN_TIE_REST) /* it is torn, or an attachment */
                continue;
            const sn_vec3 path = vec3_sub(shape_of(w, other)->place, p);
            const double square = vec3_dot_double(path, path), rest = (double)w->edge[e].rest;
            if (!(rest * rest < known * square)) {         /* otherwise shorter by more than rounding, as most are */
                const double longer = rest / sqrt(square); /* infinite if the points coincide */
                form->longest = longer > form->longest ? longer : form->longest;
                form->sound = form->sound && isfinite(longer);
                known = form->longest * form->longest * (1 - 1e-12);
            }
            if (slot < other && w->node[other] == node && w->root[slot] != SN_PLAN_NONE &&
                w->root[slot] == w->root[other] && w->root[slot] != slot && w->root[slot] != other)
                *braces += !is_flat_triangle((double)w->to_root[slot], (double)w->to_root[other], rest);
        }
    }
}

void sn_hierarchy_find_form(hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    hierarchy_form form = {.count = h->last[node] - h->first[node], .sound = true};
    if (!form.count) { /* a lane may be shorter than others */
        w->form[node] = (hierarchy_form){0};
        return;
    }
    const uint8_t class = hierarchy_class(w, h->member[h->first[node]]);
    form.since = shape_of(w, h->member[h->first[node]])->since;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const sn_rest_place *shape = shape_of(w, h->member[k]);
        form.centre[0] += (double)h->weight[k] * (double)shape->place.x;
        form.centre[1] += (double)h->weight[k] * (double)shape->place.y;
        form.centre[2] += (double)h->weight[k] * (double)shape->place.z;
        form.sound = form.sound && shape->since == form.since;
    }
    uint32_t spokes, braces;
    look_at_rods(w, node, &form, &spokes, &braces);
    form.longer = 1;
    const bool flat = find_normal(w, node, &form);
    form.solid = !flat && braces > 2 * spokes;
    if (form.solid) {
        form.normal[0] = form.normal[1] = form.normal[2] = 0;
        form.longer = 1;
    }
    form.sound = form.sound && form.longest <= LONGEST && (flat || form.solid) &&
                 (class == HIERARCHY_FIXED || 2 * braces >= spokes) && class != HIERARCHY_WEIGHT;
    w->form[node] = form;
}

/* ---- Larger aggregates ------------------------------------------------------------------------------------------- */

void sn_hierarchy_join_forms(hierarchy_work *w, uint32_t node)
{
    const sn_hierarchy *h = w->h;
    hierarchy_form form = {.since = w->form[h->member[h->first[node]]].since, .sound = true};
    double sum[3] = {0}, normals = 0, solids = 0, longer = 1;
    for (uint32_t k = h->first[node]; k < h->last[node]; ++k) {
        const hierarchy_form *part = &w->form[h->member[k]];
        double along = 0;
        for (int i = 0; i < 3; ++i) {
            form.centre[i] += (double)h->weight[k] * part->centre[i];
            along += sum[i] * part->normal[i];
        }
        for (int i = 0; i < 3; ++i)
            sum[i] +=
                (along < 0 ? -1.0 : 1.0) * part->count * part->normal[i]; /* (an unsigned count times -1 would wrap) */
        normals += part->count * sqrt(part->normal[0] * part->normal[0] + part->normal[1] * part->normal[1] +
                                      part->normal[2] * part->normal[2]);
        solids += part->solid ? part->count : 0;
        form.count += part->count;
        longer = part->longer > longer ? part->longer : longer;
        form.longest = part->longest > form.longest ? part->longest : form.longest;
        form.sound = form.sound && part->sound && part->since == form.since;
    }
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    form.solid = 2 * solids > form.count;
    for (int i = 0; i < 3 && !form.solid && length > 0; ++i)
        form.normal[i] = sum[i] / length;
    form.longer = longer * (!form.solid && length > 0 ? normals / length : 1);
    form.sound = form.sound && (form.solid || length >= LEAST_NORMAL * normals);
    w->form[node] = form;
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

void sn_hierarchy_put_form(const hierarchy_work *w, hierarchy_form *form, uint32_t slot)
{
    const sn_rest_place *rest = shape_of(w, slot);
    form->centre[0] = (double)rest->place.x;
    form->centre[1] = (double)rest->place.y;
    form->centre[2] = (double)rest->place.z;
    form->sound = form->sound && rest->since == form->since;
}

sn_real sn_hierarchy_distance(const hierarchy_form *a, const hierarchy_form *b)
{
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += (a->centre[i] - b->centre[i]) * (a->centre[i] - b->centre[i]);
    return (sn_real)sqrt(square);
}

double sn_hierarchy_limit(const hierarchy_form *a, const hierarchy_form *b)
{
    if (!a->sound || !b->sound || a->since != b->since)
        return 0;
    double square = 0, cosine = 0, own_a = 0, own_b = 0;
    for (int i = 0; i < 3; ++i) {
        const double d = a->centre[i] - b->centre[i];
        square += d * d;
        cosine += a->normal[i] * b->normal[i];
        own_a += a->normal[i] * a->normal[i];
        own_b += b->normal[i] * b->normal[i];
    }
    cosine = fabs(cosine);
    cosine = cosine > 1 ? 1 : cosine;
    const double sine = own_a > 0 && own_b > 0 ? sqrt((1 - cosine) / 2) : 0;
    const double longest = a->longest > b->longest ? a->longest : b->longest;
    const double longer = a->longer > b->longer ? a->longer : b->longer;
    if (sine > LARGEST_SINE || a->solid != b->solid)
        return 0;
    return sqrt(square) / sqrt(1 - sine * sine) * longest * longer * (1 + SLACK);
}

bool sn_hierarchy_is_detour(const hierarchy_form *a, const hierarchy_form *b, double path)
{
    return path > DETOUR * (double)sn_hierarchy_distance(a, b);
}
