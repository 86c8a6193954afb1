/* Shapes of bodies, of all types. */
#include "scene/bodies.h"
#include "scene/solids.h"
#include "scene/state.h"

#include <math.h>
#include <string.h>

/* A baked field has this many samples along the longest side of its mesh by default, and some beyond its ends. Its
   memory is estimated from these. */
#define DEFAULT_CELLS 64.0
#define CELLS_BEYOND  8.0

/* Roughly what a triangle and its share of a tree take, in bytes. */
#define BYTES_PER_TRIANGLE 200.0

/* Reads a list of points into the scratch. */
sn_vec3 *sn_read_vectors(sn_scene *scene, sn_reader *reader, const char *key, const sn_numbers *list)
{
    uint32_t count = list->count / 3;
    if (list->count % 3 || !count) {
        sn_reader_fail_key(reader, key, "found %u numbers, expected three for each of them", list->count);
        return NULL;
    }
    sn_vec3 *vector = sn_arena_take(&scene->scratch, count, sizeof *vector);
    if (!vector)
        sn_reader_fail_key(reader, key, "no memory for %u of them", count);
    for (uint32_t i = 0; vector && i < count; ++i)
        vector[i] = (sn_vec3){(sn_real)list->data[3 * (size_t)i], (sn_real)list->data[3 * (size_t)i + 1],
                              (sn_real)list->data[3 * (size_t)i + 2]};
    return vector;
}

bool sn_scale_points(sn_reader *reader, sn_vec3 *point, uint32_t count, sn_real scale)
{
    for (uint32_t i = 0; i < count && scale != 1; ++i) {
        point[i] = (sn_vec3){point[i].x * scale, point[i].y * scale, point[i].z * scale};
        if (!isfinite(point[i].x) || !isfinite(point[i].y) || !isfinite(point[i].z))
            return sn_reader_fail_key(reader, "scale", "point %u would be beyond the largest number", i);
    }
    return true;
}

double sn_shape_between(sn_vec3 a, sn_vec3 b, sn_shape_def *shape)
{
    return sn_segment_pose(a, b, &shape->half.y, &shape->position, &shape->rotation);
}

/* A shape that is being read. */
typedef struct making {
    sn_scene *scene;
    sn_reader *reader;
    bool placed; /* its keys give a pose */
    const void *own;
    sn_shape_def *def;
} making;

static bool make_plane(making *m)
{
    const sn_plane_keys *own = m->own;
    if (sn_is_zero(own->normal))
        return sn_reader_fail_key(m->reader, "normal", "it has length 0, expected a direction");
    if (own->normal.x != 0 || own->normal.z != 0 || own->normal.y < 0)
        m->def->rotation = sn_rotation_after(m->def->rotation, sn_rotation_facing(own->normal));
    return true;
}

/* Each of these checks the keys of a type, and sets half sizes and radii in the definition. */
static bool make_box(making *m)
{
    return sn_read_size(m->scene, m->reader, ((const sn_cuboid_keys *)m->own)->size, &m->def->half);
}

static bool make_sphere(making *m)
{
    m->def->radius = ((const sn_ball_keys *)m->own)->radius;
    return sn_read_length(m->reader, "radius", m->def->radius, 1);
}

static bool make_capsule(making *m)
{
    const sn_capsule_keys *own = m->own;
    sn_shape_def *def = m->def;
    def->radius = own->radius;
    return sn_read_capsule(m->reader, own, m->placed, &def->half.y, &def->position, &def->rotation);
}

static bool make_hull(making *m)
{
    const sn_shape_hull_keys *own = m->own;
    sn_vec3 *point;
    sn_mesh mesh = {0};
    sn_mesh_notes notes = {0};
    if (!own->mesh == !own->points.data)
        return sn_reader_fail(m->reader, own->mesh ? "both 'mesh' and 'points' are given, expected one of them"
                                                   : "the key 'points' is missing, or 'mesh', a file");
    if (own->mesh) {
        if (!sn_scene_read_mesh(m->scene, m->reader, "mesh", own->mesh, &mesh, &notes))
            return false;
        point = mesh.vertex;
    } else if (!(point = sn_read_vectors(m->scene, m->reader, "points", &own->points))) {
        return false;
    }
    m->def->vertex_count = own->mesh ? mesh.vertex_count : own->points.count / 3;
    m->def->vertices = point;
    return sn_scale_points(m->reader, point, m->def->vertex_count, own->scale);
}

static bool read_file(making *m, const sn_shell_keys *own, sn_mesh *mesh)
{
    sn_mesh_notes notes = {0};
    if (own->vertices.data || own->triangles.data)
        return sn_reader_fail_key(m->reader, "mesh", "both a file and 'vertices' or 'triangles' are given");
    if (!sn_scene_read_mesh(m->scene, m->reader, "mesh", own->mesh, mesh, &notes))
        return false;
    if (!sn_mesh_weld(&m->scene->scratch, mesh, own->weld, true, &notes))
        return sn_reader_fail_key(m->reader, "weld", "no memory to weld vertices");
    if (notes.merged || notes.degenerate)
        sn_problems_add(m->reader->problems, SN_PROBLEM_NOTE, m->reader->path, false,
                        "%s: %u vertices were welded, %u triangles without area dropped", own->mesh, notes.merged,
                        notes.degenerate);
    return true;
}

static bool read_lists(making *m, const sn_shell_keys *own, sn_mesh *mesh)
{
    const sn_numbers *v = &own->vertices, *t = &own->triangles;
    if (!v->data || !t->data)
        return sn_reader_fail(m->reader, "expected 'mesh', a file, or both 'vertices' and 'triangles'");
    if (v->count % 3 || !v->count)
        return sn_reader_fail_key(m->reader, "vertices", "found %u numbers, expected three for each vertex", v->count);
    if (t->count % 3 || !t->count)
        return sn_reader_fail_key(m->reader, "triangles", "found %u numbers, expected three for each triangle",
                                  t->count);
    mesh->vertex_count = v->count / 3;
    mesh->triangle_count = t->count / 3;
    mesh->vertex = sn_arena_take(&m->scene->scratch, mesh->vertex_count, sizeof *mesh->vertex);
    mesh->triangle = sn_arena_take(&m->scene->scratch, t->count, sizeof *mesh->triangle);
    if (!mesh->vertex || !mesh->triangle)
        return sn_reader_fail(m->reader, "no memory for a mesh");
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        mesh->vertex[i] = (sn_vec3){(sn_real)v->data[3 * (size_t)i], (sn_real)v->data[3 * (size_t)i + 1],
                                    (sn_real)v->data[3 * (size_t)i + 2]};
    for (uint32_t i = 0; i < t->count; ++i) {
        double x = t->data[i];
        if (!(x >= 0 && x < mesh->vertex_count && x == floor(x))) {
            size_t length = sn_reader_enter_key(m->reader, "triangles");
            sn_reader_enter_item(m->reader, i);
            sn_reader_fail(m->reader, "found %g, expected a vertex, 0 to %u", x, mesh->vertex_count - 1);
            sn_reader_leave(m->reader, length);
            return false;
        }
        mesh->triangle[i] = (uint32_t)x;
    }
    return true;
}

static bool scale_mesh(making *m, const sn_mesh *mesh, sn_real scale)
{
    for (uint32_t i = 0; scale != 1 && i < mesh->vertex_count; ++i) {
        sn_vec3 v = mesh->vertex[i];
        mesh->vertex[i] = v = (sn_vec3){v.x * scale, v.y * scale, v.z * scale};
        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
            return sn_reader_fail_key(m->reader, "scale", "vertex %u would be beyond the largest number", i);
    }
    return true;
}

static bool make_shell(making *m, const sn_shell_keys *own, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    if (!(own->mesh ? read_file(m, own, mesh) : read_lists(m, own, mesh)) || !scale_mesh(m, mesh, own->scale) ||
        !sn_scene_fits(m->scene, m->reader, BYTES_PER_TRIANGLE * mesh->triangle_count))
        return false;
    m->scene->planned += BYTES_PER_TRIANGLE * mesh->triangle_count;
    m->def->vertices = mesh->vertex;
    m->def->vertex_count = mesh->vertex_count;
    m->def->triangles = mesh->triangle;
    m->def->triangle_count = mesh->triangle_count;
    return true;
}

/* A closed mesh that faces inwards is a sheet for the engine. That is right for a room and wrong for a solid, so a
   note is added. */
static void note_inside_out(making *m, const sn_mesh *mesh)
{
    sn_mesh_topology topology;
    char message[160];
    if (!sn_mesh_connect(&m->scene->scratch, mesh, &topology, message, sizeof message) || !topology.closed ||
        !topology.oriented || !(sn_mesh_volume(mesh) < 0))
        return;
    sn_problems_add(
        m->reader->problems, SN_PROBLEM_NOTE, m->reader->path, false,
        "this mesh is closed, but its triangles face inwards: it is a sheet around its inside, and would be "
        "solid if they ran counter-clockwise seen from outside");
}

static bool make_mesh(making *m)
{
    const sn_sheet_keys *own = m->own;
    sn_mesh mesh;
    m->def->one_sided = own->one_sided;
    if (!make_shell(m, &own->shell, &mesh))
        return false;
    note_inside_out(m, &mesh);
    return true;
}

/* Whether baking fits into the memory of the scene. */
static bool fits_baked(making *m, const sn_mesh *mesh, double cell)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0, samples = 1;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        double x[3] = {(double)mesh->vertex[i].x, (double)mesh->vertex[i].y, (double)mesh->vertex[i].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    for (int k = 0; k < 3; ++k)
        most = fmax(most, high[k] - low[k]);
    if (isnan(cell))
        cell = most / DEFAULT_CELLS;
    for (int k = 0; k < 3 && cell > 0; ++k)
        samples *= (high[k] - low[k]) / cell + CELLS_BEYOND;
    if (!sn_scene_fits(m->scene, m->reader, samples * sizeof(sn_real)))
        return false;
    m->scene->planned += samples * sizeof(sn_real);
    return true;
}

static bool make_grid(making *m, const sn_field_keys *own)
{
    const sn_numbers *counts = &own->counts, *samples = &own->samples;
    double whole = 1;
    if (counts->count != 3)
        return sn_reader_fail_key(m->reader, "counts", "found %u numbers, expected three", counts->count);
    for (int k = 0; k < 3; ++k) {
        double n = counts->data[k];
        if (!(n >= 2) || n != floor(n))
            return sn_reader_fail_key(m->reader, "counts", "found %.10g along %c, expected a whole number, 2 or more",
                                      n, "xyz"[k]);
        m->def->sample_count[k] = (uint32_t)n;
        whole *= n;
    }
    if (whole != samples->count)
        return sn_reader_fail_key(m->reader, "samples", "found %u numbers, expected %.10g, as 'counts' says",
                                  samples->count, whole);
    if (isnan(own->cell))
        return sn_reader_fail(m->reader, "the key 'cell' is missing: how far samples are apart");
    sn_real *copy = sn_arena_take(&m->scene->scratch, samples->count, sizeof *copy);
    if (!copy)
        return sn_reader_fail(m->reader, "no memory for %u samples", samples->count);
    for (uint32_t i = 0; i < samples->count; ++i)
        copy[i] = (sn_real)samples->data[i];
    m->def->samples = copy;
    m->def->low = own->low;
    m->def->cell = own->cell;
    return true;
}

static bool make_field(making *m)
{
    const sn_field_keys *own = m->own;
    sn_mesh mesh;
    if (own->samples.data || own->counts.data) {
        if (own->shell.mesh || own->shell.vertices.data || own->shell.triangles.data)
            return sn_reader_fail(m->reader, "both a mesh and 'samples' or 'counts' are given, expected one of them");
        return make_grid(m, own);
    }
    if (!make_shell(m, &own->shell, &mesh) || !fits_baked(m, &mesh, (double)own->cell))
        return false;
    if (!isnan(own->cell))
        m->def->cell = own->cell;
    return true;
}

static bool make_heights(making *m)
{
    const sn_heights_keys *own = m->own;
    const sn_numbers *counts = &own->counts, *heights = &own->heights;
    double whole = 1;
    if (counts->count != 2)
        return sn_reader_fail_key(m->reader, "counts", "found %u numbers, expected two", counts->count);
    for (int k = 0; k < 2; ++k) {
        double n = counts->data[k];
        if (!(n >= 2) || n != floor(n))
            return sn_reader_fail_key(m->reader, "counts", "found %.10g along %c, expected a whole number, 2 or more",
                                      n, "xz"[k]);
        m->def->height_count[k] = (uint32_t)n;
        whole *= n;
    }
    if (whole != heights->count)
        return sn_reader_fail_key(m->reader, "heights", "found %u numbers, expected %.10g, as 'counts' says",
                                  heights->count, whole);
    if (!sn_scene_fits(m->scene, m->reader, 2 * BYTES_PER_TRIANGLE * whole))
        return false;
    m->scene->planned += 2 * BYTES_PER_TRIANGLE * whole;
    sn_real *copy = sn_arena_take(&m->scene->scratch, heights->count, sizeof *copy);
    if (!copy)
        return sn_reader_fail(m->reader, "no memory for %u heights", heights->count);
    for (uint32_t i = 0; i < heights->count; ++i)
        copy[i] = (sn_real)heights->data[i];
    m->def->heights = copy;
    m->def->cell = own->cell;
    return true;
}

static bool (*const make[SN_SHAPE_TYPES])(making *) = {
    [SN_SHAPE_SPHERE] = make_sphere, [SN_SHAPE_CAPSULE] = make_capsule,  [SN_SHAPE_BOX] = make_box,
    [SN_SHAPE_HULL] = make_hull,     [SN_SHAPE_CYLINDER] = make_capsule, [SN_SHAPE_CONE] = make_capsule,
    [SN_SHAPE_PLANE] = make_plane,   [SN_SHAPE_MESH] = make_mesh,        [SN_SHAPE_HEIGHTS] = make_heights,
    [SN_SHAPE_FIELD] = make_field,
};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* The number of the type in sn_shape_forms; SN_SHAPE_TYPES after an error. */
static uint32_t read_form(sn_reader *reader, const sn_value *value)
{
    const sn_value *type = sn_value_find(value, "type");
    const char *names[SN_SHAPE_TYPES];
    char near[300];
    if (value->type != SN_VALUE_RECORD) {
        sn_reader_expected(reader, value, "a record {...}: a shape");
        return SN_SHAPE_TYPES;
    }
    if (!type || type->type != SN_VALUE_TEXT) {
        sn_reader_fail(reader, type ? "'type' is not a text, expected a type of shape, such as \"box\""
                                    : "the key 'type' is missing: which shape is it?");
        return SN_SHAPE_TYPES;
    }
    for (uint32_t i = 0; i < SN_SHAPE_TYPES; ++i) {
        names[i] = sn_shape_forms[i].name;
        if (strcmp(names[i], type->text) == 0)
            return i;
    }
    sn_reader_fail_key(reader, "type", "there is no type of shape '%.80s'%s", type->text,
                       sn_meant_or_all(type->text, names, SN_SHAPE_TYPES, near, sizeof near));
    return SN_SHAPE_TYPES;
}

/* Reads density, rounding, material, filter and so on, which all types have, into the scratch. */
static bool read_surface(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_shape_keys *keys,
                         sn_shape_def *shape)
{
    sn_contact_material *material = sn_arena_take(&scene->scratch, 1, sizeof *material);
    sn_filter *filter = sn_arena_take(&scene->scratch, 1, sizeof *filter);
    if (!material || !filter)
        return sn_reader_fail(reader, "no memory for a shape");
    *material = sn_surface_material(&keys->material);
    *filter = (sn_filter){keys->category, keys->mask};
    shape->material = sn_value_find(value, "material") ? material : NULL;
    shape->filter = sn_value_find(value, "category") || sn_value_find(value, "mask") ? filter : NULL;
    shape->density = isnan(keys->density) ? 0 : keys->density;
    shape->rounding = keys->rounding;
    shape->sensor = keys->sensor;
    return true;
}

static bool read_shape(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_shape_def *shape)
{
    uint32_t form = read_form(reader, value);
    if (form == SN_SHAPE_TYPES)
        return false;
    const sn_record *record = sn_shape_forms[form].record;
    sn_shape_keys keys;
    void *own = sn_arena_take(&scene->scratch, 1, record->size);
    if (!own)
        return sn_reader_fail(reader, "no memory for a shape");
    const sn_record *tables[] = {&sn_shape_record, record}; /* unknown keys are reported for the last one */
    void *structs[] = {&keys, own};
    *shape = sn_default_shape_def((sn_shape_type)form);
    if (!sn_record_read(reader, value, 2, tables, structs) ||
        !sn_read_rotation(reader, sn_world_dimensions(scene->world) == 2, &keys.turn, &keys.rotation,
                          &shape->rotation) ||
        !read_surface(scene, reader, value, &keys, shape))
        return false;
    shape->position = keys.position;
    making m = {scene, reader, !sn_is_zero(keys.position) || keys.turn.angle != 0 || keys.rotation.data, own, shape};
    return make[form](&m);
}

bool sn_read_shapes(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body_def *def)
{
    bool list = value->type == SN_VALUE_LIST, good = true;
    uint32_t count = list ? value->count : 1, i = 0;
    if (list && (value->numbers || !count))
        return sn_reader_expected(reader, value, "a shape, or a list of shapes");
    sn_shape_def *shape = sn_arena_take(&scene->scratch, count, sizeof *shape);
    if (!shape)
        return sn_reader_fail(reader, "no memory for %u shapes", count);
    if (!list)
        good = read_shape(scene, reader, value, shape);
    for (const sn_value *item = list ? value->first : NULL; item; item = item->next, ++i) {
        size_t length = sn_reader_enter_item(reader, i);
        good = read_shape(scene, reader, item, &shape[i]) && good;
        sn_reader_leave(reader, length);
    }
    def->shapes = shape;
    def->shape_count = count;
    return good;
}
