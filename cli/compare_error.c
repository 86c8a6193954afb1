#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>

/* Buffers for the points of one constraint, which grow. */
typedef struct room {
    uint32_t points;
    sn_point *point;
    sn_vec3 *x;
    sn_vec3 *gradient;
} room;

static bool grow(room *r, uint32_t points)
{
    if (points <= r->points)
        return true;
    free(r->point);
    free(r->x);
    free(r->gradient);
    r->points = points;
    r->point = malloc(points * sizeof *r->point);
    r->x = malloc(points * sizeof *r->x);
    r->gradient = malloc((size_t)points * SN_MAX_ROWS * sizeof *r->gradient);
    return r->point && r->x && r->gradient;
}

static double length_of(sn_vec3 v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

/* The mean distance of the other points from the first. */
static double extent(const room *r, uint32_t points)
{
    double sum = 0;
    for (uint32_t i = 1; i < points; ++i)
        sum += length_of(r->x[i]);
    return points > 1 ? sum / (points - 1) : 0;
}

/* The largest gradient of any row with respect to any point; 0 if there is none. For joints, which are evaluated
   with axes, it is 1, that of a displacement along an axis. */
static double steepest(const sn_kind *kind, const sn_constraint_def *def, room *r, uint32_t points)
{
    if (kind->oriented)
        return 1;
    sn_real c[SN_MAX_ROWS] = {0};
    sn_row row[SN_MAX_ROWS] = {{0}};
    for (uint32_t i = 0; i < points * kind->rows; ++i)
        r->gradient[i] = (sn_vec3){0, 0, 0};
    sn_eval_in in = {.x = r->x,
                     .param = def->param,
                     .points = points,
                     .context = kind->context,
                     .point_param = def->point_param,
                     .state = def->state};
    sn_eval_out out = {.c = c, .gradient = r->gradient, .row = kind->own_rows ? row : NULL};
    if (!kind->eval(&in, &out))
        return 0;
    double largest = 0;
    for (uint32_t i = 0; i < points * kind->rows; ++i)
        if (length_of(r->gradient[i]) > largest)
            largest = length_of(r->gradient[i]);
    return isfinite(largest) ? largest : 0;
}

typedef struct sums {
    double extent, gradient;
    uint32_t extents, gradients;
} sums;

/* Adds size and gradient of one constraint to the sums. Positions are relative to its first point if the kind allows
   that. */
static bool add_constraint(sn_world *world, sn_constraint constraint, room *r, sums *all, sums *of_kind)
{
    const sn_kind *kind = sn_kind_info(world, constraint.kind);
    uint32_t points = sn_constraint_point_count(world, constraint);
    sn_constraint_def def;
    if (kind->force)
        return true;
    if (!grow(r, points) || sn_constraint_read(world, constraint, &def, r->point, points) != SN_OK)
        return false;
    sn_vec3 origin = sn_point_position(world, r->point[0]);
    for (uint32_t i = 0; i < points; ++i) {
        sn_vec3 x = sn_point_position(world, r->point[i]);
        r->x[i] = (sn_vec3){x.x - origin.x, x.y - origin.y, x.z - origin.z};
    }
    double size = extent(r, points);
    if (size > 0) {
        all->extent += size;
        all->extents++;
    }
    for (uint32_t i = 0; !kind->internal && i < points; ++i)
        r->x[i] = sn_point_position(world, r->point[i]);
    double gradient = steepest(kind, &def, r, points);
    if (gradient > 0) {
        of_kind->gradient += gradient;
        of_kind->gradients++;
    }
    return true;
}

static bool has(const sn_value *record, const char *key)
{
    const sn_value *value = sn_value_find(record, key);
    return value && !(value->type == SN_VALUE_LIST && value->count == 0);
}

/* Whether something other than gravity can change the momentum. */
static bool is_held(const sn_document *document, sn_world *world)
{
    const sn_value *settings = sn_value_find(document->root, "world");
    if (has(document->root, "forces") || has(document->root, "motions") || has(settings, "drags") ||
        sn_world_settings(world).damping > 0)
        return true;
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind)
        if (!sn_kind_info(world, kind)->internal && sn_world_constraint_count(world, kind))
            return true;
    sn_view w = sn_world_view_inverse_masses(world);
    for (uint32_t i = 0; i < w.count; ++i)
        if (*sn_view_at(&w, i) == 0)
            return true;
    return false;
}

bool sn_error_scale_take(sn_error_scale *scale, const sn_document *document, sn_world *world)
{
    room r = {0};
    sums all = {0};
    *scale = (sn_error_scale){.length = 1, .kinds = sn_kind_count(world), .held = is_held(document, world)};
    scale->gradient = calloc(scale->kinds, sizeof *scale->gradient);
    sums *by_kind = calloc(scale->kinds, sizeof *by_kind);
    bool good = scale->gradient && by_kind;
    for (sn_constraint_walk walk = {0}; good && sn_constraint_next(world, &walk);)
        good = add_constraint(world, walk.constraint, &r, &all, &by_kind[walk.constraint.kind]);
    for (uint32_t kind = 0; good && kind < scale->kinds; ++kind)
        scale->gradient[kind] = by_kind[kind].gradients ? by_kind[kind].gradient / by_kind[kind].gradients : 1;
    if (all.extents)
        scale->length = all.extent / all.extents;
    free(by_kind);
    free(r.point);
    free(r.x);
    free(r.gradient);
    return good;
}

void sn_error_scale_release(sn_error_scale *scale)
{
    free(scale->gradient);
    scale->gradient = NULL;
}

void sn_error_of(const sn_error_scale *scale, sn_world *world, const sn_report *report, double *mean, double *worst)
{
    double count = 0;
    *mean = *worst = 0;
    for (uint32_t i = 0; i < report->kind_count; ++i) {
        const sn_kind_report *kind = &report->kinds[i];
        if (sn_kind_info(world, kind->kind)->force || kind->kind >= scale->kinds)
            continue;
        double unit = scale->gradient[kind->kind] * scale->length;
        double evaluated = (double)kind->count - kind->undefined;
        *mean += kind->mean / unit * evaluated;
        *worst = fmax(*worst, kind->largest / unit);
        count += evaluated;
    }
    *mean /= count > 0 ? count : 1;
}
