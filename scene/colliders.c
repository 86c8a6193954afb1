/* Colliders of a scene. */
#include "scene/solids.h"
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A field that is baked has so many samples along the longest side of its mesh if nothing else is said, and some beyond its
   ends: to know beforehand what it takes. */
#define DEFAULT_CELLS 64.0
#define CELLS_BEYOND  8.0

/* What a triangle and its share of a tree take, in bytes, about. */
#define BYTES_PER_TRIANGLE 200.0

/* ---- Rotations ----------------------------------------------------------------------------------------------------------- */

typedef struct turning {
    double x, y, z, w;
} turning;

static sn_quat rounded(turning q)
{
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (sn_quat){(sn_real)(q.x / length), (sn_real)(q.y / length), (sn_real)(q.z / length),
                     (sn_real)(q.w / length)};
}

/* Of length 1, whatever its length. */
static void direction_of(sn_vec3 v, double out[3])
{
    double x[3] = {(double)v.x, (double)v.y, (double)v.z};
    double largest = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])); /* so that no square leaves the range */
    double length = 0;
    for (int i = 0; i < 3; ++i) {
        out[i] = x[i] / largest;
        length += out[i] * out[i];
    }
    for (int i = 0; i < 3; ++i)
        out[i] /= sqrt(length);
}

sn_quat sn_rotation_about(sn_vec3 axis, double angle)
{
    if (angle == 0)
        return (sn_quat){0, 0, 0, 1};
    double a[3], s = sn_math_sin(angle / 2);
    direction_of(axis, a);
    return rounded((turning){s * a[0], s * a[1], s * a[2], sn_math_cos(angle / 2)});
}

sn_quat sn_rotation_after(sn_quat q, sn_quat p)
{
    turning a = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    turning b = {(double)p.x, (double)p.y, (double)p.z, (double)p.w};
    return rounded(
        (turning){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z});
}

sn_quat sn_rotation_facing(sn_vec3 direction)
{
    double d[3];
    direction_of(direction, d);
    if (d[0] == 0 && d[2] == 0) /* half a turn about x: also where the other formula has no axis */
        return d[1] > 0 ? (sn_quat){0, 0, 0, 1} : (sn_quat){1, 0, 0, 0};
    /* the half-way quaternion (y x d, 1 + y.d); 1 + y.d without cancellation where d is nearly -y */
    double w = d[1] > 0 ? 1 + d[1] : (d[0] * d[0] + d[2] * d[2]) / (1 - d[1]);
    return rounded((turning){d[2], 0, -d[0], w});
}

sn_vec3 sn_rotation_applied(sn_quat r, sn_vec3 v)
{
    double q[3] = {(double)r.x, (double)r.y, (double)r.z}, a[3] = {(double)v.x, (double)v.y, (double)v.z}, t[3], out[3];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = 2 * (q[j] * a[k] - q[k] * a[j]);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[i] + (double)r.w * t[i] + q[j] * t[k] - q[k] * t[j];
    }
    return (sn_vec3){(sn_real)out[0], (sn_real)out[1], (sn_real)out[2]};
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------------ */

/* A collider that is being read. */
typedef struct making {
    sn_scene *scene;
    sn_reader *reader;
    const sn_collider_keys *keys;
    const void *own;
    sn_collider_def *def;
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

/* What the engine takes for half a length, or a radius. */
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
    sn_collider_def *def = m->def;
    bool placed = !sn_is_zero(m->keys->position) || m->keys->turn.angle != 0 || m->keys->rotation.data;
    def->radius = own->radius;
    return sn_read_capsule(m->reader, own, placed, &def->half.y, &def->position, &def->rotation);
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

/* To the engine a mesh that is closed, but faces inwards, is a sheet: a room, if that was meant, and no solid, if that was. */
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

/* What baking is going to take. */
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

static bool (*const make[SN_COLLIDER_FORMS])(making *) = {make_plane,   make_box,  make_sphere,
                                                          make_capsule, make_mesh, make_field};

/* ---- Reading ------------------------------------------------------------------------------------------------------------- */

const sn_scene_collider *sn_scene_find_collider(const sn_scene *scene, const char *name)
{
    const sn_scene_collider *collider = scene->colliders.items;
    for (uint32_t i = 0; i < scene->colliders.count; ++i)
        if (strcmp(collider[i].name, name) == 0)
            return &collider[i];
    return NULL;
}

static const char *name_collider(sn_scene *scene, sn_reader *reader, const char *given, const char *type)
{
    char made[140];
    if (given && !sn_is_name(given)) {
        sn_reader_fail_key(reader, "name", "'%.80s' is no name: expected letters, digits, '_' and '-', a letter first",
                           given);
        return NULL;
    }
    if (given && sn_scene_find_collider(scene, given)) {
        sn_reader_fail_key(reader, "name", "there is another collider called '%s'", given);
        return NULL;
    }
    for (uint32_t i = scene->colliders.count + 1; !given; ++i) {
        snprintf(made, sizeof made, "%s%u", type, i);
        if (!sn_scene_find_collider(scene, made))
            given = made;
    }
    char *copy = sn_arena_copy(&scene->arena, given, strlen(given));
    if (!copy)
        sn_reader_fail(reader, "no memory for a name");
    return copy;
}

/* Its number in sn_collider_forms; SN_COLLIDER_FORMS after an error. */
static uint32_t read_form(sn_reader *reader, const sn_value *value)
{
    const sn_value *type = sn_value_find(value, "type");
    const char *names[SN_COLLIDER_FORMS];
    char near[160];
    if (value->type != SN_VALUE_RECORD) {
        sn_reader_expected(reader, value, "a record {...}: a collider");
        return SN_COLLIDER_FORMS;
    }
    if (!type || type->type != SN_VALUE_TEXT) {
        sn_reader_fail(reader, type ? "'type' is no text, expected a type of collider, such as \"plane\""
                                    : "the key 'type' is missing: which shape is it?");
        return SN_COLLIDER_FORMS;
    }
    for (uint32_t i = 0; i < SN_COLLIDER_FORMS; ++i) {
        names[i] = sn_collider_forms[i].name;
        if (strcmp(names[i], type->text) == 0)
            return i;
    }
    sn_reader_fail_key(reader, "type", "there is no type of collider '%.80s'%s", type->text,
                       sn_did_you_mean(type->text, names, SN_COLLIDER_FORMS, near, sizeof near));
    return SN_COLLIDER_FORMS;
}

static bool add_collider(sn_scene *scene, sn_reader *reader, const sn_collider_def *def, const char *given,
                         const char *type)
{
    const char *name = name_collider(scene, reader, given, type);
    if (!name)
        return false;
    sn_scene_collider *collider = sn_growing_add(&scene->colliders, &scene->arena, sizeof *collider);
    if (!collider)
        return sn_reader_fail(reader, "no memory for a collider");
    collider->name = name;
    return sn_collider_add(scene->world, def, &collider->handle) == SN_OK || sn_scene_refused(scene, reader);
}

static bool read_collider(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    uint32_t form = read_form(reader, value);
    if (form == SN_COLLIDER_FORMS)
        return false;
    const sn_record *record = sn_collider_forms[form].record;
    sn_collider_keys keys;
    void *own = sn_arena_take(&scene->scratch, 1, record->size);
    if (!own)
        return sn_reader_fail(reader, "no memory for a collider");
    const sn_record *tables[] = {&sn_collider_record, record};
    void *structs[] = {&keys, own};
    sn_collider_def def = sn_default_collider_def();
    making m = {scene, reader, &keys, own, &def};
    bool good = sn_record_read(reader, value, 2, tables, structs);
    good = good &&
           sn_read_rotation(reader, sn_world_dimensions(scene->world) == 2, &keys.turn, &keys.rotation, &def.rotation);
    def.type = (sn_collider_type)form;
    def.position = keys.position;
    def.velocity = keys.velocity;
    def.spin = keys.spin;
    def.thickness = keys.thickness;
    def.material = sn_surface_material(&keys.material);
    def.category = keys.category;
    def.mask = keys.mask;
    def.sensor = keys.sensor;
    good = good && make[form](&m) && add_collider(scene, reader, &def, keys.name, sn_collider_forms[form].name);
    sn_arena_release(&scene->scratch);
    return good;
}

bool sn_scene_read_colliders(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return sn_each_item(scene, reader, list, read_collider);
}
