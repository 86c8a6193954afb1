/* The large data of shapes: their source, its checks, and the stored data. */
#include "collision/shape.h"

#include "base/dvec.h"
#include "base/errors.h"
#include "base/hash.h"
#include "base/math.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- Sources of data --------------------------------------------------------------------------------------------- */

typedef enum source {
    SOURCE_NONE,
    SOURCE_MESH,
    SOURCE_BAKED,
    SOURCE_SAMPLES,
    SOURCE_FUNCTION,
    SOURCE_HULL,
    SOURCE_HEIGHTS
} source;

static source source_of(const sn_shape_def *def)
{
    if (def->type == SN_SHAPE_MESH)
        return SOURCE_MESH;
    if (def->type == SN_SHAPE_HULL)
        return SOURCE_HULL;
    if (def->type == SN_SHAPE_HEIGHTS)
        return SOURCE_HEIGHTS;
    if (def->type != SN_SHAPE_FIELD)
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

static bool check_mesh(const sn_shape_def *def, char *message, size_t size)
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

/* A point must be finite and not too far away. */
static bool check_place(const char *name, sn_vec3 a, char *message, size_t size)
{
    double most = fmax(fmax(fabs((double)a.x), fabs((double)a.y)), fabs((double)a.z));
    if (vec3_is_finite(a) && most <= SN_SHAPE_REACH)
        return true;
    return refuse(message, size, "%s is (%g, %g, %g) m; coordinates must be finite and within %g m of the origin", name,
                  (double)a.x, (double)a.y, (double)a.z, SN_SHAPE_REACH);
}

static bool check_cell(const sn_shape_def *def, bool may_be_zero, char *message, size_t size)
{
    double cell = (double)def->cell;
    if (cell <= SN_SHAPE_REACH && (cell > 0 || (may_be_zero && cell == 0)))
        return true;
    return refuse(message, size, "cell is %g m; it must be positive%s and at most %g", cell,
                  may_be_zero ? ", or 0 for a sixty-fourth of the longest side," : "", SN_SHAPE_REACH);
}

static bool check_sample_count(const sn_shape_def *def, char *message, size_t size)
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

/* The least value of a trilinear field is that of a sample. So a grid whose samples are all farther out than the
   thickness is empty. */
static bool check_samples(const sn_shape_def *def, char *message, size_t size)
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
    if (least > (double)def->rounding)
        return refuse(message, size,
                      "the field is empty: its least sample is %g m, and the rounding %g m, so nothing is solid", least,
                      (double)def->rounding);
    return true;
}

static bool check_function(const sn_shape_def *def, char *message, size_t size)
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

static size_t heights_of(const sn_shape_def *def)
{
    return (size_t)def->height_count[0] * def->height_count[1];
}

static bool check_heights(const sn_shape_def *def, char *message, size_t size)
{
    const uint32_t *n = def->height_count;
    if (!def->heights)
        return refuse(message, size, "heights is NULL; a height field needs them");
    for (uint32_t i = 0; i < 2; ++i)
        if (n[i] < 2)
            return refuse(message, size, "height_count[%u], along %c, is %u; it must be 2 or more", i, "xz"[i], n[i]);
    if ((uint64_t)n[0] * n[1] > SN_SHAPE_HEIGHTS_MOST)
        return refuse(message, size, "height_count is (%u, %u); at most %u heights are possible", n[0], n[1],
                      SN_SHAPE_HEIGHTS_MOST);
    if (!check_cell(def, false, message, size))
        return false;
    for (size_t i = 0; i < heights_of(def); ++i)
        if (!(fabs((double)def->heights[i]) <= SN_SHAPE_REACH))
            return refuse(message, size, "the height at (%zu, %zu) is %g m; all must be finite and at most %g",
                          i % n[0], i / n[0], (double)def->heights[i], SN_SHAPE_REACH);
    return true;
}

bool sn_shape_source_check(const sn_shape_def *def, char *message, size_t size)
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
    case SOURCE_HULL:
        if (!def->vertices)
            return refuse(message, size, "vertices is NULL; a hull needs points");
        break;
    case SOURCE_HEIGHTS:
        return check_heights(def, message, size);
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

static uint64_t hash_mesh(uint64_t hash, const sn_shape_def *def)
{
    hash = hash_u64(hash_u64(hash, def->vertex_count), def->triangle_count);
    for (size_t i = 0; i < def->vertex_count; ++i)
        hash = hash_vec3(hash, def->vertices[i]);
    for (size_t i = 0; i < (size_t)def->triangle_count * 3; ++i)
        hash = hash_u64(hash, def->triangles[i]);
    return hash;
}

uint64_t sn_shape_source_hash(const sn_shape_def *def)
{
    source from = source_of(def);
    uint64_t hash = hash_u64(SN_HASH_SEED, (uint64_t)from);
    if (from == SOURCE_MESH || from == SOURCE_BAKED)
        hash = hash_mesh(hash, def);
    if (from == SOURCE_BAKED)
        return hash_real(hash, def->cell);
    if (from == SOURCE_HULL) {
        hash = hash_u64(hash, def->vertex_count);
        for (size_t i = 0; i < def->vertex_count; ++i)
            hash = hash_vec3(hash, def->vertices[i]);
        return hash;
    }
    if (from == SOURCE_HEIGHTS) {
        hash = hash_real(hash_u64(hash_u64(hash, def->height_count[0]), def->height_count[1]), def->cell);
        for (size_t i = 0; i < heights_of(def); ++i)
            hash = hash_real(hash, def->heights[i]);
        return hash;
    }
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

static bool same_mesh(const sn_trimesh *mesh, const sn_shape_def *def)
{
    return mesh && sn_trimesh_vertices(mesh) == def->vertex_count &&
           sn_trimesh_triangles(mesh) == def->triangle_count &&
           memcmp(sn_trimesh_vertex(mesh), def->vertices, def->vertex_count * sizeof(sn_vec3)) == 0 &&
           memcmp(sn_trimesh_index(mesh), def->triangles, (size_t)def->triangle_count * 3 * sizeof(uint32_t)) == 0;
}

static bool same_samples(const sn_distance_grid *grid, const sn_shape_def *def)
{
    return grid->sample && memcmp(grid->count, def->sample_count, sizeof grid->count) == 0 &&
           same_place(grid->low, def->low) && memcmp(&grid->cell, &def->cell, sizeof grid->cell) == 0 &&
           memcmp(grid->sample, def->samples, samples_of(grid->count) * sizeof(sn_real)) == 0;
}

bool sn_shape_data_is(const sn_shape_data *data, const sn_shape_def *def)
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
    case SOURCE_HULL:
        return data->points == def->vertex_count &&
               memcmp(data->point, def->vertices, data->points * sizeof(sn_vec3)) == 0;
    case SOURCE_HEIGHTS:
        return memcmp(data->height_count, def->height_count, sizeof data->height_count) == 0 &&
               memcmp(&data->cell, &def->cell, sizeof data->cell) == 0 &&
               memcmp(data->height, def->heights, heights_of(def) * sizeof(sn_real)) == 0;
    case SOURCE_SAMPLES:
        return !data->mesh && same_samples(&data->field.grid, def);
    case SOURCE_FUNCTION:
        break;
    }
    return data->field.function == def->function && data->field.context == def->context &&
           same_place(data->field.bounds.low, def->low) && same_place(data->field.bounds.high, def->high);
}

static bool make_mesh(sn_shape_data *data, const sn_allocator *allocator, const sn_shape_def *def, bool *out_of_memory,
                      char *message, size_t size)
{
    data->mesh = sn_trimesh_create(allocator, def->vertices, def->vertex_count, def->triangles, def->triangle_count,
                                   out_of_memory, message, size);
    data->closed = data->mesh && sn_trimesh_is_closed(data->mesh, NULL, 0);
    return data->mesh && !(data->closed && sn_trimesh_crosses(data->mesh, message, size));
}

/* The approximate number of samples that baking would take: one per cell, and some around. */
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

static bool bake(sn_shape_data *data, const sn_allocator *allocator, sn_parallel *parallel, const sn_shape_def *def,
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

static bool copy_samples(sn_shape_data *data, const sn_allocator *allocator, const sn_shape_def *def,
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

static void *copy_of(const sn_allocator *allocator, const void *from, size_t bytes, bool *out_of_memory)
{
    void *copy = sn_allocate(allocator, bytes);
    *out_of_memory = !copy;
    if (copy)
        memcpy(copy, from, bytes);
    return copy;
}

static bool make_hull(sn_shape_data *data, const sn_allocator *allocator, const sn_shape_def *def, bool *out_of_memory,
                      char *message, size_t size)
{
    data->hull = sn_hull_create(allocator, def->vertices, def->vertex_count, out_of_memory, message, size);
    if (!data->hull)
        return false;
    data->point = copy_of(allocator, def->vertices, def->vertex_count * sizeof(sn_vec3), out_of_memory);
    data->points = data->point ? def->vertex_count : 0;
    return data->point;
}

static bool make_heights(sn_shape_data *data, const sn_allocator *allocator, const sn_shape_def *def,
                         bool *out_of_memory, char *message, size_t size)
{
    memcpy(data->height_count, def->height_count, sizeof data->height_count);
    data->cell = def->cell;
    data->height = copy_of(allocator, def->heights, heights_of(def) * sizeof(sn_real), out_of_memory);
    if (!data->height)
        return false;
    data->mesh = sn_heights_mesh(allocator, data->height, data->height_count, data->cell, out_of_memory, message, size);
    data->closed = data->mesh && sn_trimesh_is_closed(data->mesh, NULL, 0);
    return data->mesh;
}

sn_shape_data *sn_shape_data_create(const sn_allocator *allocator, sn_parallel *parallel, const sn_shape_def *def,
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
    case SOURCE_HULL:
        made = make_hull(data, allocator, def, out_of_memory, message, size);
        break;
    case SOURCE_HEIGHTS:
        made = make_heights(data, allocator, def, out_of_memory, message, size);
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
    sn_hull_destroy(data->hull, allocator);
    sn_release(allocator, data->point, data->points * sizeof(sn_vec3));
    if (data->height)
        sn_release(allocator, data->height, (size_t)data->height_count[0] * data->height_count[1] * sizeof(sn_real));
    sn_distance_grid_release(&data->field.grid, allocator);
    sn_release(allocator, data, sizeof *data);
}

void sn_shape_data_read(const sn_shape_data *data, sn_shape_def *def)
{
    const sn_distance_grid *grid = &data->field.grid;
    if (data->hull) {
        def->vertices = data->point;
        def->vertex_count = data->points;
    } else if (data->height) {
        def->heights = data->height;
        memcpy(def->height_count, data->height_count, sizeof def->height_count);
        def->cell = data->cell;
    } else if (data->mesh) {
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
