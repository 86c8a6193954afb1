#include "collision/distance_field.h"

#include "base/dvec.h"
#include "collision/roots.h"

/* Extra samples on every side of the mesh's bounds. */
#define MARGIN 2u

/* ns: the approximate time for one sample of a mesh, to decide whether threads share the work. */
#define SAMPLE_WORK 1000.0

/* Relative to the size: the step of finite differences. The rounding error of a gradient falls as the step grows; the
   truncation error grows with its square. */
#define SLOPE_STEP (SINEW_DOUBLE ? 1.0 / (1 << 20) : 1.0 / (1 << 11))

/* A gradient no longer than this has no direction. A true distance has a gradient of length 1. */
#define LEAST_SLOPE 1e-6

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* A position in a grid, in cells. */
typedef struct cell_place {
    uint32_t cell[3];
    double part[3]; /* 0 .. 1: position within the cell */
    sn_dvec3 out;   /* m: from the nearest point in the grid, which this is, to the actual position */
    bool is_inside;
} cell_place;

static double locate_axis(double u, uint32_t count, uint32_t *cell, double *part)
{
    double inside = u > 0 ? u < count - 1 ? u : count - 1 : 0;
    uint32_t i = (uint32_t)inside;
    *cell = i < count - 2 ? i : count - 2;
    *part = inside - *cell;
    return u - inside;
}

static cell_place locate(const sn_distance_grid *grid, sn_dvec3 p)
{
    cell_place c;
    double cell = (double)grid->cell;
    sn_dvec3 u = dvec3_scale(dvec3_sub(p, dvec3_from(grid->low)), 1 / cell);
    c.out.x = cell * locate_axis(u.x, grid->count[0], &c.cell[0], &c.part[0]);
    c.out.y = cell * locate_axis(u.y, grid->count[1], &c.cell[1], &c.part[1]);
    c.out.z = cell * locate_axis(u.z, grid->count[2], &c.cell[2], &c.part[2]);
    c.is_inside = c.out.x == 0 && c.out.y == 0 && c.out.z == 0;
    return c;
}

/* The samples at the corners of a cell; x varies fastest. */
static void corners_of(const sn_distance_grid *grid, const uint32_t cell[3], double v[8])
{
    size_t row = grid->count[0], layer = row * grid->count[1];
    const sn_real *first = grid->sample + cell[0] + row * cell[1] + layer * cell[2];
    for (uint32_t i = 0; i < 8; ++i)
        v[i] = (double)first[(i & 1) + (i >> 1 & 1) * row + (i >> 2) * layer];
}

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

static double trilinear(const double v[8], double x, double y, double z)
{
    double low = mix(mix(v[0], v[1], x), mix(v[2], v[3], x), y);
    double high = mix(mix(v[4], v[5], x), mix(v[6], v[7], x), y);
    return mix(low, high, z);
}

/* The gradient along each axis, in m per cell. */
static sn_dvec3 trilinear_slope(const double v[8], double x, double y, double z)
{
    return dvec3(mix(mix(v[1] - v[0], v[3] - v[2], y), mix(v[5] - v[4], v[7] - v[6], y), z),
                 mix(mix(v[2] - v[0], v[3] - v[1], x), mix(v[6] - v[4], v[7] - v[5], x), z),
                 mix(mix(v[4] - v[0], v[5] - v[1], x), mix(v[6] - v[2], v[7] - v[3], x), y));
}

static double grid_value(const sn_distance_grid *grid, sn_dvec3 p)
{
    double v[8];
    cell_place c = locate(grid, p);
    corners_of(grid, c.cell, v);
    return trilinear(v, c.part[0], c.part[1], c.part[2]) + (c.is_inside ? 0 : dvec3_length(c.out));
}

/* The value, and its gradient. */
static double grid_near(const sn_distance_grid *grid, sn_dvec3 p, sn_dvec3 *slope)
{
    double v[8];
    cell_place c = locate(grid, p);
    corners_of(grid, c.cell, v);
    double value = trilinear(v, c.part[0], c.part[1], c.part[2]);
    *slope = dvec3_scale(trilinear_slope(v, c.part[0], c.part[1], c.part[2]), 1 / (double)grid->cell);
    if (c.is_inside)
        return value;
    /* Outside the grid the value at the border changes only along the border, and the distance to the border is
       added. */
    double out = dvec3_length(c.out);
    *slope = dvec3(c.out.x == 0 ? slope->x : 0, c.out.y == 0 ? slope->y : 0, c.out.z == 0 ? slope->z : 0);
    *slope = dvec3_add(*slope, dvec3_scale(c.out, 1 / out));
    return value + out;
}

/* ---- Nearest point ----------------------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest_part(sn_vec3 a)
{
    return larger(larger(fabs((double)a.x), fabs((double)a.y)), fabs((double)a.z));
}

/* m: the size of the numbers with which a function computes near p. Infinite bounds count as a metre. */
static double size_about(const sn_distance_field *field, sn_vec3 p)
{
    double low = largest_part(field->bounds.low), high = largest_part(field->bounds.high);
    double size = larger(largest_part(p), larger(low < (double)INFINITY ? low : 1, high < (double)INFINITY ? high : 1));
    return size > 0 ? size : 1;
}

static double difference(const sn_distance_field *field, sn_vec3 below, sn_vec3 above, double width)
{
    return ((double)field->function(field->context, above) - (double)field->function(field->context, below)) / width;
}

/* The value, and its gradient by central differences. They are divided by the actual steps after p + step is
   rounded. */
static double function_near(const sn_distance_field *field, sn_vec3 p, sn_dvec3 *slope)
{
    sn_real step = (sn_real)(SLOPE_STEP * size_about(field, p));
    sn_vec3 low = {p.x - step, p.y - step, p.z - step}, high = {p.x + step, p.y + step, p.z + step};
    slope->x = difference(field, vec3(low.x, p.y, p.z), vec3(high.x, p.y, p.z), (double)high.x - (double)low.x);
    slope->y = difference(field, vec3(p.x, low.y, p.z), vec3(p.x, high.y, p.z), (double)high.y - (double)low.y);
    slope->z = difference(field, vec3(p.x, p.y, low.z), vec3(p.x, p.y, high.z), (double)high.z - (double)low.z);
    return (double)field->function(field->context, p);
}

static double value_at(const sn_distance_field *field, sn_dvec3 p)
{
    return field->grid.sample ? grid_value(&field->grid, p) : (double)field->function(field->context, dvec3_round(p));
}

void sn_distance_field_near(const sn_distance_field *field, sn_vec3 p, sn_touch *touch)
{
    sn_dvec3 place = dvec3_from(p);
    sn_dvec3 normal;
    double distance = field->grid.sample ? grid_near(&field->grid, place, &normal) : function_near(field, p, &normal);
    double length = dvec3_length(normal);
    normal = length > LEAST_SLOPE ? dvec3_scale(normal, 1 / length) : dvec3(0, 1, 0);
    touch->distance = (sn_real)distance;
    touch->normal = dvec3_round(normal);
    touch->point = dvec3_round(dvec3_sub(place, dvec3_scale(normal, distance)));
    touch->part = 0;
}

/* ---- Cast -------------------------------------------------------------------------------------------------------- */

/* The most steps of a cast; in grids twice more for every cell that can be on the path. During the last of them the
   steps become long enough to reach the end. */
#define MOST_STEPS 1024u
#define LAST_STEPS 128u

/* Relative to the path: the distance at which contact begins. The rounding error of a position is added. */
#define TOUCH_SLACK 1e-6

/* Relative to the sphere's radius: how much nearer than at the start a departing sphere must come for a new contact. */
#define LEAVE_PART (1.0 / 64)

/* Relative to the path: how far to step into the next cell, so that rounding does not find the last one again. */
#define CELL_NUDGE 1e-9

/* The steepest gradient of a trilinear field: 1 along each axis. */
#define STEEPEST 1.7320508075688772

typedef struct walk {
    const sn_distance_field *field;
    sn_dvec3 from, displacement; /* m */
    double length;               /* m: of the path */
    double radius;               /* m */
    double slack;                /* m */
} walk;

static sn_dvec3 place_at(const walk *w, double t)
{
    return dvec3_add(w->from, dvec3_scale(w->displacement, t));
}

static double gap_at(const walk *w, double t)
{
    return value_at(w->field, place_at(w, t)) - w->radius;
}

/* Bisection between a time without contact and one with: returns a time at which contact begins. */
static double halve_to_touch(const walk *w, double before, double after)
{
    for (uint32_t i = 0; i < 60 && (after - before) * w->length > w->slack / 4; ++i) {
        double middle = before + (after - before) / 2;
        *(gap_at(w, middle) > w->slack ? &before : &after) = middle;
    }
    return after;
}

/* The time at which the path leaves the cell that it is in at t. */
static double leave_time(const walk *w, const cell_place *c, double t)
{
    const double displacement[3] = {w->displacement.x, w->displacement.y, w->displacement.z};
    double cell = (double)w->field->grid.cell, least = (double)INFINITY;
    for (uint32_t i = 0; i < 3; ++i) {
        double left = displacement[i] > 0 ? 1 - c->part[i] : c->part[i];
        double after = displacement[i] != 0 ? left * cell / fabs(displacement[i]) : (double)INFINITY;
        least = after < least ? after : least;
    }
    return t + least;
}

/* Inside one cell, the field along a line is a cubic in the time. Its Bernstein coefficients are values of the
   trilinear form with mixed coordinates of the start and of the end. */
static bool hits_in_cell(const walk *w, const cell_place *c, double t, double end, double *hit)
{
    double v[8], k = (end - t) / (double)w->field->grid.cell;
    double x[2] = {c->part[0], c->part[0] + k * w->displacement.x},
           y[2] = {c->part[1], c->part[1] + k * w->displacement.y};
    double z[2] = {c->part[2], c->part[2] + k * w->displacement.z};
    corners_of(&w->field->grid, c->cell, v);
    double b[4] = {
        trilinear(v, x[0], y[0], z[0]) - w->radius,
        (trilinear(v, x[1], y[0], z[0]) + trilinear(v, x[0], y[1], z[0]) + trilinear(v, x[0], y[0], z[1])) / 3 -
            w->radius,
        (trilinear(v, x[1], y[1], z[0]) + trilinear(v, x[1], y[0], z[1]) + trilinear(v, x[0], y[1], z[1])) / 3 -
            w->radius,
        trilinear(v, x[1], y[1], z[1]) - w->radius};
    double root = sn_roots_first(b, 3, 2, NULL, NULL);
    *hit = t + root * (end - t);
    return root <= 1;
}

/* In a grid, near the surface the path is followed cell by cell, so that nothing is passed. Farther off a step is as
   long as the value allows. *next: the time of the next look. */
static bool cross_cell(const walk *w, double t, double gap, double end, double *hit, double *next)
{
    *next = t + gap / (STEEPEST * w->length);
    if (gap > STEEPEST * (double)w->field->grid.cell)
        return false;
    cell_place c = locate(&w->field->grid, place_at(w, t));
    if (!c.is_inside)
        return false;
    double leave = leave_time(w, &c, t);
    leave = leave < end ? leave : end;
    *next = leave + CELL_NUDGE;
    return hits_in_cell(w, &c, t, leave, hit);
}

static uint64_t most_steps(const sn_distance_field *field)
{
    const uint32_t *count = field->grid.count;
    return field->grid.sample ? MOST_STEPS + 2 * ((uint64_t)count[0] + count[1] + count[2]) : MOST_STEPS;
}

/* Sphere tracing: a step as long as the distance is safe. A step may be unsafe because the field is no true distance,
   or because it had to be longer. This shows as a contact that has already begun; its beginning is then searched
   for. */
static bool walk_to_touch(const walk *w, double t, double end, double *hit)
{
    double before = t;
    uint64_t most = most_steps(w->field);
    for (uint64_t left = most; left > 0; --left) {
        double gap = gap_at(w, t), next = t + gap / w->length;
        if (gap <= w->slack) {
            *hit = gap >= -w->slack ? t : halve_to_touch(w, before, t);
            return true;
        }
        if (!(t < end))
            return false;
        if (w->field->grid.sample && cross_cell(w, t, gap, end, hit, &next))
            return true;
        if (left <= LAST_STEPS && left > 1)
            next = larger(next, t + (end - t) / (double)(left - 1));
        before = t;
        t = next < end ? next : end;
    }
    return false;
}

/* Finds the part of the path on which the centre is within the radius of the bounds. */
static bool clip(const walk *w, double *start, double *end)
{
    const sn_bounds *b = &w->field->bounds;
    const double from[3] = {w->from.x, w->from.y, w->from.z},
                 displacement[3] = {w->displacement.x, w->displacement.y, w->displacement.z};
    const double low[3] = {(double)b->low.x, (double)b->low.y, (double)b->low.z};
    const double high[3] = {(double)b->high.x, (double)b->high.y, (double)b->high.z};
    double reach = larger(w->radius, 0) + 2 * w->slack;
    for (uint32_t i = 0; i < 3; ++i) {
        double below = low[i] - reach - from[i], above = high[i] + reach - from[i];
        if (displacement[i] == 0) {
            if (below > 0 || above < 0)
                return false;
            continue;
        }
        double in = (displacement[i] > 0 ? below : above) / displacement[i],
               out = (displacement[i] > 0 ? above : below) / displacement[i];
        *start = in > *start ? in : *start;
        *end = out < *end ? out : *end;
    }
    return *start <= *end;
}

static walk walk_along(const sn_distance_field *field, const sn_path *path)
{
    walk w = {field, dvec3_from(path->from), dvec3_from(path->displacement), 0, (double)path->radius, 0};
    w.length = dvec3_length(w.displacement);
    double epsilon = SINEW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    w.slack = TOUCH_SLACK * w.length + 2 * epsilon * (largest_part(path->from) + w.length + w.radius);
    return w;
}

static void touch_at(const walk *w, double t, sn_real *when, sn_touch *touch)
{
    sn_distance_field_near(w->field, dvec3_round(place_at(w, t)), touch);
    touch->distance = 0;
    *when = (sn_real)t;
}

bool sn_distance_field_cast(const sn_distance_field *field, const sn_path *path, sn_real *t, sn_touch *touch)
{
    walk w = walk_along(field, path);
    double start = 0, end = 1, hit = 0, gap = gap_at(&w, 0);
    if (!(w.length > 0) || isnan(gap))
        return false;
    if (gap <= w.slack) {
        touch_at(&w, 0, t, touch);
        if (vec3_dot_double(touch->normal, path->displacement) < 0)
            return true;
        /* It departs, or slides along: a later contact must be nearer than this. */
        w.radius += (gap < 0 ? gap : 0) - LEAVE_PART * w.radius - 4 * w.slack;
    }
    if (!clip(&w, &start, &end) || !walk_to_touch(&w, start, end, &hit))
        return false;
    touch_at(&w, hit, t, touch);
    return true;
}

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static double samples_along(double extent, double cell)
{
    return ceil(extent / cell) + 1 + 2 * MARGIN;
}

static double samples_with(sn_dvec3 extent, double cell)
{
    return samples_along(extent.x, cell) * samples_along(extent.y, cell) * samples_along(extent.z, cell);
}

/* The shortest cell, no shorter than the requested one, for which there are not too many samples. */
static double fitting_cell(sn_dvec3 extent, double cell, double most)
{
    double longest = larger(larger(extent.x, extent.y), extent.z);
    if (!(cell > 0))
        cell = longest / most;
    if (samples_with(extent, cell) <= most || cell >= longest)
        return cell;
    double low = cell, high = longest;
    for (uint32_t i = 0; i < 100; ++i) {
        double middle = low + (high - low) / 2;
        *(samples_with(extent, middle) <= most ? &high : &low) = middle;
    }
    return high;
}

static sn_distance_grid plan_grid(const sn_bounds *b, sn_real cell, uint32_t most)
{
    sn_dvec3 low = dvec3_from(b->low), extent = dvec3_sub(dvec3_from(b->high), low);
    double fit = fitting_cell(extent, (double)cell, most > SN_GRID_LEAST ? most : SN_GRID_LEAST);
    sn_distance_grid grid = {.cell = (sn_real)fit};
    grid.count[0] = (uint32_t)samples_along(extent.x, fit);
    grid.count[1] = (uint32_t)samples_along(extent.y, fit);
    grid.count[2] = (uint32_t)samples_along(extent.z, fit);
    sn_dvec3 whole = {fit * (grid.count[0] - 1), fit * (grid.count[1] - 1), fit * (grid.count[2] - 1)};
    grid.low = dvec3_round(dvec3_add(low, dvec3_scale(dvec3_sub(extent, whole), 0.5))); /* centres the grid on the
                                                                                           mesh */
    return grid;
}

static size_t grid_bytes(const sn_distance_grid *grid)
{
    return (size_t)grid->count[0] * grid->count[1] * grid->count[2] * sizeof(sn_real);
}

typedef struct baking {
    const sn_distance_grid *grid;
    const sn_trimesh *mesh;
    sn_bounds bounds;
} baking;

/* m: no point of the mesh is farther from p than this. */
static double farthest(const sn_bounds *b, sn_vec3 p)
{
    sn_dvec3 low = dvec3_sub(dvec3_from(p), dvec3_from(b->low)), high = dvec3_sub(dvec3_from(b->high), dvec3_from(p));
    return dvec3_length(dvec3(larger(low.x, high.x), larger(low.y, high.y), larger(low.z, high.z)));
}

/* Bakes a row along x. From one sample to the next the distance changes by at most the cell size, which shortens the
   search. Every row starts anew, so that the values do not depend on which thread handles it. */
static void bake_row(void *data, uint32_t row, uint32_t worker)
{
    (void)worker;
    const baking *k = data;
    const sn_distance_grid *grid = k->grid;
    double cell = (double)grid->cell, reach = (double)INFINITY;
    sn_vec3 p = {0, (sn_real)((double)grid->low.y + cell * (row % grid->count[1])),
                 (sn_real)((double)grid->low.z + cell * (row / grid->count[1]))};
    sn_real *sample = grid->sample + (size_t)row * grid->count[0];
    for (uint32_t i = 0; i < grid->count[0]; ++i) {
        p.x = (sn_real)((double)grid->low.x + cell * i);
        sn_touch touch;
        double most = farthest(&k->bounds, p) * 1.001;
        if (!sn_trimesh_near(k->mesh, p, (sn_real)(reach < most ? reach : most), &touch) &&
            !sn_trimesh_near(k->mesh, p, (sn_real)INFINITY, &touch))
            touch.distance = (sn_real)most;
        sample[i] = touch.distance;
        reach = (fabs((double)touch.distance) + cell) * 1.001;
    }
}

bool sn_distance_grid_bake(sn_distance_grid *grid, const sn_allocator *allocator, sn_parallel *parallel,
                           const sn_trimesh *mesh, sn_real cell, uint32_t most)
{
    baking k = {grid, mesh, sn_trimesh_bounds(mesh)};
    sn_distance_grid planned = plan_grid(&k.bounds, cell, most);
    uint32_t rows = planned.count[1] * planned.count[2];
    double samples = (double)rows * planned.count[0];
    *grid = (sn_distance_grid){.sample = NULL};
    bool share = parallel && sn_parallel_wants(parallel, samples * SAMPLE_WORK);
    if (samples * sizeof(sn_real) > (double)PTRDIFF_MAX ||
        (share && !sn_parallel_reserve_tasks(parallel, allocator, rows)))
        return false;
    planned.sample = sn_allocate(allocator, grid_bytes(&planned));
    if (!planned.sample)
        return false;
    *grid = planned;
    if (!sn_parallel_tasks(share ? parallel : NULL, rows, bake_row, &k))
        sn_parallel_repair(parallel);
    return true;
}

void sn_distance_grid_release(sn_distance_grid *grid, const sn_allocator *allocator)
{
    if (grid->sample)
        sn_release(allocator, grid->sample, grid_bytes(grid));
    *grid = (sn_distance_grid){.sample = NULL};
}
