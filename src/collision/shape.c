#include "collision/shape.h"

#include "base/dvec.h"
#include "base/errors.h"
#include "base/hash.h"
#include "base/math.h"

#include <stdarg.h>
#include <stdio.h>

#if SINEW_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* Of the coordinates at hand: what is no farther than this from a surface is on it but for rounding. */
#define ON_SURFACE (8 * REAL_EPSILON)

/* Of the coordinates at hand: boxes are that much larger, for what rounding loses when they are turned. */
#define BOX_SLACK (8 * REAL_EPSILON)

/* ---- Poses ------------------------------------------------------------------------------------------------------- */

sn_pose sn_pose_between(const sn_pose *a, const sn_pose *b, sn_real t)
{
    if (t == 0 || t == 1)
        return t == 0 ? *a : *b;
    sn_vec3 turn = sn_quat_between(a->rotation, b->rotation);
    sn_dvec3 from = dvec3_from(a->position), way = dvec3_sub(dvec3_from(b->position), from);
    return (sn_pose){dvec3_round(dvec3_add(from, dvec3_scale(way, (double)t))),
                     sn_quat_turned(a->rotation, vec3_scale(turn, t))};
}

sn_vec3 sn_pose_to_own(const sn_pose *pose, sn_vec3 p)
{
    return sn_quat_turn_back(pose->rotation, vec3_sub(p, pose->position));
}

sn_vec3 sn_pose_to_world(const sn_pose *pose, sn_vec3 p)
{
    return vec3_add(sn_quat_turn(pose->rotation, p), pose->position);
}

/* ---- Where data come from ---------------------------------------------------------------------------------------- */

typedef enum source { SOURCE_NONE, SOURCE_MESH, SOURCE_BAKED, SOURCE_SAMPLES, SOURCE_FUNCTION } source;

static source source_of(const sn_collider_def *def)
{
    if (def->type == SN_COLLIDER_MESH)
        return SOURCE_MESH;
    if (def->type != SN_COLLIDER_FIELD)
        return SOURCE_NONE;
    return def->function ? SOURCE_FUNCTION : def->samples ? SOURCE_SAMPLES : SOURCE_BAKED;
}

static bool refuse(char *message, size_t size, const char *format, ...) SN_PRINTF(3, 4);

static bool refuse(char *message, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(message, size, format, list);
    va_end(list);
    return false;
}

static bool check_mesh(const sn_collider_def *def, char *message, size_t size)
{
    if (!def->triangle_count || !def->vertex_count)
        return refuse(message, size, "%s is 0: the mesh is empty",
                      def->triangle_count ? "vertex_count" : "triangle_count");
    if (!def->vertices || !def->triangles)
        return refuse(message, size, "%s is NULL, but %s is %u", def->vertices ? "triangles" : "vertices",
                      def->vertices ? "triangle_count" : "vertex_count",
                      def->vertices ? def->triangle_count : def->vertex_count);
    if (def->triangle_count > SN_TRIMESH_MOST)
        return refuse(message, size, "triangle_count is %u; at most %u are possible", def->triangle_count,
                      SN_TRIMESH_MOST);
    return true;
}

/* A place that is finite and not too far off. */
static bool check_place(const char *name, sn_vec3 a, char *message, size_t size)
{
    double most = fmax(fmax(fabs((double)a.x), fabs((double)a.y)), fabs((double)a.z));
    if (vec3_is_finite(a) && most <= SN_SHAPE_REACH)
        return true;
    return refuse(message, size, "%s is (%g, %g, %g) m; coordinates must be finite and within %g m of the origin", name,
                  (double)a.x, (double)a.y, (double)a.z, SN_SHAPE_REACH);
}

static bool check_cell(const sn_collider_def *def, bool may_be_zero, char *message, size_t size)
{
    double cell = (double)def->cell;
    if (cell <= SN_SHAPE_REACH && (cell > 0 || (may_be_zero && cell == 0)))
        return true;
    return refuse(message, size, "cell is %g m; it must be positive%s and at most %g", cell,
                  may_be_zero ? ", or 0 for a sixty-fourth of the longest side," : "", SN_SHAPE_REACH);
}

static bool check_sample_count(const sn_collider_def *def, char *message, size_t size)
{
    static const char axis[] = "xyz";
    uint64_t samples = 1;
    for (uint32_t i = 0; i < 3; ++i) {
        if (def->sample_count[i] < 2)
            return refuse(message, size, "sample_count[%u], along %c, is %u; it must be 2 or more", i, axis[i],
                          def->sample_count[i]);
        samples *= def->sample_count[i];
        if (samples > SN_SHAPE_SAMPLES)
            return refuse(message, size, "sample_count is (%u, %u, %u); at most %u samples are possible",
                          def->sample_count[0], def->sample_count[1], def->sample_count[2], SN_SHAPE_SAMPLES);
    }
    return true;
}

static size_t samples_of(const uint32_t count[3])
{
    return (size_t)count[0] * count[1] * count[2];
}

/* The least value of a trilinear field is that of a sample, so a grid whose samples are all farther out than the
   thickness is empty. */
static bool check_samples(const sn_collider_def *def, char *message, size_t size)
{
    if (!check_sample_count(def, message, size) || !check_cell(def, false, message, size) ||
        !check_place("low", def->low, message, size))
        return false;
    const uint32_t *n = def->sample_count;
    double least = (double)INFINITY;
    for (size_t i = 0; i < samples_of(n); ++i) {
        double value = (double)def->samples[i];
        if (!isfinite(value))
            return refuse(message, size, "the sample at (%zu, %zu, %zu) is %g m; all must be finite", i % n[0],
                          i / n[0] % n[1], i / n[0] / n[1], value);
        least = value < least ? value : least;
    }
    if (least > (double)def->thickness)
        return refuse(message, size,
                      "the field is empty: its least sample is %g m, and the thickness %g m, so nothing is solid",
                      least, (double)def->thickness);
    return true;
}

static bool check_function(const sn_collider_def *def, char *message, size_t size)
{
    if (!check_place("low", def->low, message, size) || !check_place("high", def->high, message, size))
        return false;
    if (def->low.x < def->high.x && def->low.y < def->high.y && def->low.z < def->high.z)
        return true;
    return refuse(message, size,
                  "low is (%g, %g, %g) and high (%g, %g, %g) m; a function needs a box around its surface, with high "
                  "greater than low",
                  (double)def->low.x, (double)def->low.y, (double)def->low.z, (double)def->high.x, (double)def->high.y,
                  (double)def->high.z);
}

bool sn_shape_source_check(const sn_collider_def *def, char *message, size_t size)
{
    switch (source_of(def)) {
    case SOURCE_NONE:
        break;
    case SOURCE_MESH:
        return check_mesh(def, message, size);
    case SOURCE_BAKED:
        if (!def->vertices && !def->triangles)
            return refuse(message, size, "the field has no function, no samples, and no mesh to bake");
        return check_mesh(def, message, size) && check_cell(def, true, message, size);
    case SOURCE_SAMPLES:
        return check_samples(def, message, size);
    case SOURCE_FUNCTION:
        return check_function(def, message, size);
    }
    return true;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; ++i)
        hash = hash_u64(hash, byte[i]);
    return hash;
}

static uint64_t hash_mesh(uint64_t hash, const sn_collider_def *def)
{
    hash = hash_u64(hash_u64(hash, def->vertex_count), def->triangle_count);
    for (size_t i = 0; i < def->vertex_count; ++i)
        hash = hash_vec3(hash, def->vertices[i]);
    for (size_t i = 0; i < (size_t)def->triangle_count * 3; ++i)
        hash = hash_u64(hash, def->triangles[i]);
    return hash;
}

uint64_t sn_shape_source_hash(const sn_collider_def *def)
{
    source from = source_of(def);
    uint64_t hash = hash_u64(SN_HASH_SEED, (uint64_t)from);
    if (from == SOURCE_MESH || from == SOURCE_BAKED)
        hash = hash_mesh(hash, def);
    if (from == SOURCE_BAKED)
        return hash_real(hash, def->cell);
    if (from == SOURCE_FUNCTION) {
        hash = hash_bytes(hash, &def->function, sizeof def->function);
        hash = hash_bytes(hash, &def->context, sizeof def->context);
        return hash_vec3(hash_vec3(hash, def->low), def->high);
    }
    if (from != SOURCE_SAMPLES)
        return hash;
    hash = hash_real(hash_vec3(hash, def->low), def->cell);
    for (uint32_t i = 0; i < 3; ++i)
        hash = hash_u64(hash, def->sample_count[i]);
    for (size_t i = 0; i < samples_of(def->sample_count); ++i)
        hash = hash_real(hash, def->samples[i]);
    return hash;
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static bool same_place(sn_vec3 a, sn_vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_mesh(const sn_trimesh *mesh, const sn_collider_def *def)
{
    return mesh && sn_trimesh_vertices(mesh) == def->vertex_count &&
           sn_trimesh_triangles(mesh) == def->triangle_count &&
           memcmp(sn_trimesh_vertex(mesh), def->vertices, def->vertex_count * sizeof(sn_vec3)) == 0 &&
           memcmp(sn_trimesh_index(mesh), def->triangles, (size_t)def->triangle_count * 3 * sizeof(uint32_t)) == 0;
}

static bool same_samples(const sn_distance_grid *grid, const sn_collider_def *def)
{
    return grid->sample && memcmp(grid->count, def->sample_count, sizeof grid->count) == 0 &&
           same_place(grid->low, def->low) && memcmp(&grid->cell, &def->cell, sizeof grid->cell) == 0 &&
           memcmp(grid->sample, def->samples, samples_of(grid->count) * sizeof(sn_real)) == 0;
}

bool sn_shape_data_is(const sn_shape_data *data, const sn_collider_def *def)
{
    if (data->type != def->type)
        return false;
    switch (source_of(def)) {
    case SOURCE_NONE:
        return false;
    case SOURCE_MESH:
        return same_mesh(data->mesh, def);
    case SOURCE_BAKED:
        return same_mesh(data->mesh, def) && memcmp(&data->cell, &def->cell, sizeof data->cell) == 0;
    case SOURCE_SAMPLES:
        return !data->mesh && same_samples(&data->field.grid, def);
    case SOURCE_FUNCTION:
        break;
    }
    return data->field.function == def->function && data->field.context == def->context &&
           same_place(data->field.bounds.low, def->low) && same_place(data->field.bounds.high, def->high);
}

static bool make_mesh(sn_shape_data *data, const sn_allocator *allocator, const sn_collider_def *def,
                      bool *out_of_memory, char *message, size_t size)
{
    data->mesh = sn_trimesh_create(allocator, def->vertices, def->vertex_count, def->triangles, def->triangle_count,
                                   out_of_memory, message, size);
    data->closed = data->mesh && sn_trimesh_is_closed(data->mesh, NULL, 0);
    return data->mesh;
}

/* About as many samples as baking would take: a cell between each, and some around. */
static double samples_with(sn_bounds b, double cell)
{
    sn_dvec3 extent = dvec3_sub(dvec3_from(b.high), dvec3_from(b.low));
    return (ceil(extent.x / cell) + 5) * (ceil(extent.y / cell) + 5) * (ceil(extent.z / cell) + 5);
}

static sn_real longest_side(sn_bounds b)
{
    sn_vec3 extent = vec3_sub(b.high, b.low);
    sn_real most = extent.x > extent.y ? extent.x : extent.y;
    return most > extent.z ? most : extent.z;
}

static bool bake(sn_shape_data *data, const sn_allocator *allocator, sn_parallel *parallel, const sn_collider_def *def,
                 bool *out_of_memory, char *message, size_t size)
{
    char reason[SN_ERROR_SIZE / 2];
    if (!make_mesh(data, allocator, def, out_of_memory, message, size))
        return false;
    if (!sn_trimesh_is_closed(data->mesh, reason, sizeof reason))
        return refuse(message, size, "a field can be baked from a closed mesh only: %s", reason);
    sn_bounds bounds = sn_trimesh_bounds(data->mesh);
    sn_real cell = def->cell > 0 ? def->cell : longest_side(bounds) / SN_SHAPE_BAKE_CELLS;
    double samples = samples_with(bounds, (double)cell);
    if (samples > SN_SHAPE_SAMPLES)
        return refuse(message, size, "cell is %g m: the field would have %.4g samples; at most %u are possible",
                      (double)cell, samples, SN_SHAPE_SAMPLES);
    data->field.bounds = bounds;
    data->cell = def->cell;
    *out_of_memory = !sn_distance_grid_bake(&data->field.grid, allocator, parallel, data->mesh, cell, SN_SHAPE_SAMPLES);
    return !*out_of_memory;
}

static bool copy_samples(sn_shape_data *data, const sn_allocator *allocator, const sn_collider_def *def,
                         bool *out_of_memory)
{
    sn_distance_grid *grid = &data->field.grid;
    size_t samples = samples_of(def->sample_count);
    sn_real *copy = sn_allocate(allocator, samples * sizeof(sn_real));
    *out_of_memory = !copy;
    if (!copy)
        return false;
    *grid = (sn_distance_grid){
        def->low, def->cell, {def->sample_count[0], def->sample_count[1], def->sample_count[2]}, copy};
    memcpy(copy, def->samples, samples * sizeof(sn_real));
    double cell = (double)def->cell;
    sn_dvec3 side = {cell * (grid->count[0] - 1), cell * (grid->count[1] - 1), cell * (grid->count[2] - 1)};
    data->field.bounds = (sn_bounds){def->low, dvec3_round(dvec3_add(dvec3_from(def->low), side))};
    return true;
}

sn_shape_data *sn_shape_data_create(const sn_allocator *allocator, sn_parallel *parallel, const sn_collider_def *def,
                                    bool *out_of_memory, char *message, size_t size)
{
    sn_shape_data *data = sn_allocate(allocator, sizeof *data);
    bool made = false;
    *out_of_memory = !data;
    if (!data)
        return NULL;
    *data = (sn_shape_data){.type = def->type, .hash = sn_shape_source_hash(def)};
    switch (source_of(def)) {
    case SOURCE_NONE:
        break;
    case SOURCE_MESH:
        made = make_mesh(data, allocator, def, out_of_memory, message, size);
        break;
    case SOURCE_BAKED:
        made = bake(data, allocator, parallel, def, out_of_memory, message, size);
        break;
    case SOURCE_SAMPLES:
        made = copy_samples(data, allocator, def, out_of_memory);
        break;
    case SOURCE_FUNCTION:
        data->field.function = def->function;
        data->field.context = def->context;
        data->field.bounds = (sn_bounds){def->low, def->high};
        made = true;
        break;
    }
    if (made)
        return data;
    sn_shape_data_destroy(data, allocator);
    return NULL;
}

void sn_shape_data_destroy(sn_shape_data *data, const sn_allocator *allocator)
{
    if (!data)
        return;
    sn_trimesh_destroy(data->mesh, allocator);
    sn_distance_grid_release(&data->field.grid, allocator);
    sn_release(allocator, data, sizeof *data);
}

void sn_shape_data_read(const sn_shape_data *data, sn_collider_def *def)
{
    const sn_distance_grid *grid = &data->field.grid;
    if (data->mesh) {
        def->vertices = sn_trimesh_vertex(data->mesh);
        def->vertex_count = sn_trimesh_vertices(data->mesh);
        def->triangles = sn_trimesh_index(data->mesh);
        def->triangle_count = sn_trimesh_triangles(data->mesh);
        def->cell = data->cell;
    } else if (grid->sample) {
        def->samples = grid->sample;
        memcpy(def->sample_count, grid->count, sizeof def->sample_count);
        def->low = grid->low;
        def->cell = grid->cell;
    } else {
        def->function = data->field.function;
        def->context = data->field.context;
        def->low = data->field.bounds.low;
        def->high = data->field.bounds.high;
    }
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* A sheet that is infinitely thin has no side to be on for a point that lies in it. */
static sn_real least_thickness(const sn_trimesh *mesh)
{
    sn_bounds b = sn_trimesh_bounds(mesh);
    sn_real least = vec3_length(vec3_sub(b.high, b.low)) * (sn_real)1e-4;
    return least < (sn_real)1e-3 ? least : (sn_real)1e-3;
}

sn_shape sn_shape_from(const sn_collider_def *def, const sn_shape_data *data)
{
    static const sn_solid_type solid[] = {[SN_COLLIDER_PLANE] = SN_SOLID_PLANE,
                                          [SN_COLLIDER_BOX] = SN_SOLID_BOX,
                                          [SN_COLLIDER_SPHERE] = SN_SOLID_SPHERE,
                                          [SN_COLLIDER_CAPSULE] = SN_SOLID_CAPSULE};
    sn_shape shape = {.type = def->type,
                      .solid = {.half = def->half, .radius = def->radius},
                      .data = data,
                      .sides = def->one_sided || (data && data->closed) ? SN_SIDES_FRONT : SN_SIDES_BOTH,
                      .thickness = def->thickness};
    if (def->type <= SN_COLLIDER_CAPSULE)
        shape.solid.type = solid[def->type];
    if (def->type == SN_COLLIDER_MESH && data && !data->closed) {
        sn_real least = least_thickness(data->mesh);
        shape.guard = least > shape.thickness ? least - shape.thickness : 0;
    }
    return shape;
}

static bool is_in(const sn_bounds *b, sn_vec3 p)
{
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y && p.z >= b->low.z &&
           p.z <= b->high.z;
}

static sn_dvec3 front_of(const sn_trimesh *mesh, uint32_t triangle)
{
    const uint32_t *corner = sn_trimesh_index(mesh) + (size_t)triangle * 3;
    const sn_vec3 *vertex = sn_trimesh_vertex(mesh);
    sn_dvec3 a = dvec3_from(vertex[corner[0]]);
    sn_dvec3 normal =
        dvec3_cross(dvec3_sub(dvec3_from(vertex[corner[1]]), a), dvec3_sub(dvec3_from(vertex[corner[2]]), a));
    return dvec3_scale(normal, 1 / dvec3_length(normal));
}

/* Whether p, which this spot is nearest to, is in front of an open mesh: it is where a small sphere from there meets the
   front, which is right at edges and corners, too. On the surface the front counts. */
static bool is_in_front(const sn_trimesh *mesh, sn_vec3 p, sn_touch *touch)
{
    double most = fmax(fmax(fabs((double)p.x), fabs((double)p.y)), fabs((double)p.z));
    if ((double)touch->distance <= ON_SURFACE * most) {
        touch->normal = dvec3_round(front_of(mesh, touch->part));
        touch->distance = 0;
        return true;
    }
    sn_real t;
    sn_touch met;
    sn_path path = {p, vec3_scale(touch->normal, -touch->distance), touch->distance / 16};
    return sn_trimesh_cast(mesh, &path, SN_SIDES_FRONT, &t, &met);
}

static bool near_mesh(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    const sn_trimesh *mesh = shape->data->mesh;
    sn_bounds bounds = sn_trimesh_bounds(mesh);
    if (shape->data->closed && is_in(&bounds, p)) /* it may be deep inside */
        return sn_trimesh_near(mesh, p, (sn_real)INFINITY, touch);
    if (!(reach >= 0) || !sn_trimesh_near(mesh, p, reach, touch))
        return false;
    return shape->data->closed || shape->sides == SN_SIDES_BOTH || is_in_front(mesh, p, touch);
}

bool sn_shape_near(const sn_shape *shape, sn_vec3 p, sn_real reach, sn_touch *touch)
{
    if (shape->type == SN_COLLIDER_MESH) {
        if (!near_mesh(shape, p, reach + shape->thickness, touch))
            return false;
    } else if (shape->type == SN_COLLIDER_FIELD) {
        sn_distance_field_near(&shape->data->field, p, touch);
    } else {
        sn_solid_near(&shape->solid, p, touch);
    }
    touch->distance -= shape->thickness;
    touch->point = vec3_add(touch->point, vec3_scale(touch->normal, shape->thickness));
    return touch->distance <= reach;
}

bool sn_shape_cast(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch)
{
    sn_path thick = {path->from, path->way, path->radius + shape->thickness};
    bool met = shape->type == SN_COLLIDER_MESH    ? sn_trimesh_cast(shape->data->mesh, &thick, shape->sides, t, touch)
               : shape->type == SN_COLLIDER_FIELD ? sn_distance_field_cast(&shape->data->field, &thick, t, touch)
                                                  : sn_solid_cast(&shape->solid, &thick, t, touch);
    if (met)
        touch->point = vec3_add(touch->point, vec3_scale(touch->normal, shape->thickness));
    return met;
}

sn_bounds sn_shape_bounds(const sn_shape *shape)
{
    sn_bounds b = shape->type == SN_COLLIDER_MESH    ? sn_trimesh_bounds(shape->data->mesh)
                  : shape->type == SN_COLLIDER_FIELD ? shape->data->field.bounds
                                                     : sn_solid_bounds(&shape->solid);
    sn_vec3 out = vec3(shape->thickness, shape->thickness, shape->thickness);
    return (sn_bounds){vec3_sub(b.low, out), vec3_add(b.high, out)};
}

/* A plane that is normal to an axis ends there; others are everywhere. */
static sn_bounds plane_bounds(const sn_shape *shape, const sn_pose *pose)
{
    const sn_real far = (sn_real)INFINITY;
    sn_bounds b = {vec3(-far, -far, -far), vec3(far, far, far)};
    sn_vec3 n = sn_quat_turn(pose->rotation, vec3(0, 1, 0)), p = pose->position;
    sn_real out[3] = {n.x * shape->thickness, n.y * shape->thickness, n.z * shape->thickness};
    bool x = n.y == 0 && n.z == 0, y = n.x == 0 && n.z == 0, z = n.x == 0 && n.y == 0;
    if (x)
        *(n.x > 0 ? &b.high.x : &b.low.x) = p.x + out[0];
    if (y)
        *(n.y > 0 ? &b.high.y : &b.low.y) = p.y + out[1];
    if (z)
        *(n.z > 0 ? &b.high.z : &b.low.z) = p.z + out[2];
    return b;
}

sn_bounds sn_shape_bounds_at(const sn_shape *shape, const sn_pose *pose)
{
    if (shape->type == SN_COLLIDER_PLANE)
        return plane_bounds(shape, pose);
    sn_bounds own = sn_shape_bounds(shape);
    sn_dvec3 low = dvec3_from(own.low), high = dvec3_from(own.high);
    sn_dvec3 middle = dvec3_scale(dvec3_add(low, high), 0.5), half = dvec3_scale(dvec3_sub(high, low), 0.5);
    sn_dvec3 axis[3] = {dvec3_from(sn_quat_turn(pose->rotation, vec3(1, 0, 0))),
                        dvec3_from(sn_quat_turn(pose->rotation, vec3(0, 1, 0))),
                        dvec3_from(sn_quat_turn(pose->rotation, vec3(0, 0, 1)))};
    const double m[3] = {middle.x, middle.y, middle.z}, h[3] = {half.x, half.y, half.z};
    sn_dvec3 centre = dvec3_from(pose->position), reach = {0, 0, 0};
    double most = fmax(fmax(fabs(centre.x), fabs(centre.y)), fabs(centre.z));
    for (int i = 0; i < 3; ++i) {
        centre = dvec3_add(centre, dvec3_scale(axis[i], m[i]));
        reach = dvec3_add(reach, dvec3_scale(dvec3(fabs(axis[i].x), fabs(axis[i].y), fabs(axis[i].z)), h[i]));
        most = fmax(most, fabs(m[i]) + h[i]);
    }
    double slack = BOX_SLACK * most;
    reach = dvec3_add(reach, dvec3(slack, slack, slack));
    return (sn_bounds){dvec3_round(dvec3_sub(centre, reach)), dvec3_round(dvec3_add(centre, reach))};
}

uint64_t sn_shape_hash(uint64_t hash, const sn_shape *shape)
{
    hash = hash_real(hash_u64(hash, (uint64_t)shape->type), shape->thickness);
    if (shape->type == SN_COLLIDER_BOX)
        return hash_vec3(hash, shape->solid.half);
    if (shape->type == SN_COLLIDER_SPHERE)
        return hash_real(hash, shape->solid.radius);
    if (shape->type == SN_COLLIDER_CAPSULE)
        return hash_real(hash_real(hash, shape->solid.half.y), shape->solid.radius);
    if (!shape->data)
        return hash;
    hash = hash_u64(hash, (uint64_t)shape->sides);
    if (!shape->data->field.function)
        return hash_u64(hash, shape->data->hash);
    return hash_vec3(hash_vec3(hash, shape->data->field.bounds.low), shape->data->field.bounds.high);
}
