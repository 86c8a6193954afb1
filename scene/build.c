/* Calls of builders: particles and constraints are added to the world, names and surfaces to the object. */
#include "scene/state.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An estimate of what a particle and a constraint take, in bytes, made before anything is allocated: the memory of
   the world (see `sinew info`), with room for tables that grow by doubling, the solver's order and a builder's own
   lists. */
#define BYTES_PER_PARTICLE   400.0
#define BYTES_PER_CONSTRAINT 200.0

#define REAL_MOST (sizeof(sn_real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX)

/* A limit that does not depend on memory: eight numbers for each item must be countable in 32 bits. */
#define MOST_COUNT 5e8

/* Damping is too strong for the solver beyond this many substeps per pass. */
#define MOST_DAMPING 4.0

void *sn_growing_add(sn_growing *list, sn_arena *arena, size_t size)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        void *items = sn_arena_take(arena, capacity, size);
        if (!items)
            return NULL;
        if (list->count)
            memcpy(items, list->items, list->count * size);
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->count++ * size;
    return memset(item, 0, size); /* the memory may have been used before, since lists also become shorter */
}

bool sn_scene_refused(const sn_scene *scene, sn_reader *reader)
{
    return sn_reader_fail(reader, "%s", sn_world_error(scene->world));
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

bool sn_build_fail(sn_build *build, const char *key, const char *format, ...)
{
    size_t length = strlen(build->reader->path);
    if (key)
        sn_reader_enter_key(build->reader, key);
    va_list arguments;
    va_start(arguments, format);
    sn_problems_add_list(build->reader->problems, SN_PROBLEM_ERROR, build->reader->path, false, format, arguments);
    va_end(arguments);
    sn_reader_leave(build->reader, length);
    return false;
}

void sn_build_note(sn_build *build, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_problems_add_list(build->reader->problems, SN_PROBLEM_NOTE, build->reader->path, false, format, arguments);
    va_end(arguments);
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

bool sn_scene_fits(const sn_scene *scene, sn_reader *reader, double bytes)
{
    double limit = (double)scene->options.memory;
    if (scene->planned + (double)scene->arena.bytes + (double)scene->scratch.bytes + bytes <= limit)
        return true;
    return sn_reader_fail(reader,
                          "this would take about %.3g GB; with what the scene has already that is more than the %.3g "
                          "GB it may take",
                          bytes / 1e9, limit / 1e9);
}

bool sn_scene_plan(sn_scene *scene, sn_reader *reader, double particles, double constraints)
{
    double bytes = particles * BYTES_PER_PARTICLE + constraints * BYTES_PER_CONSTRAINT;
    double limit = (double)scene->options.memory;
    if (!(scene->planned + bytes <= limit) || particles > MOST_COUNT || constraints > MOST_COUNT)
        return sn_reader_fail(reader,
                              "%.6g particles and %.6g constraints would take about %.3g GB; with what the scene has "
                              "already that is more than the %.3g GB it may take",
                              particles, constraints, bytes / 1e9, limit / 1e9);
    scene->planned += bytes;
    return true;
}

bool sn_build_begin(sn_build *build, double particles, double constraints)
{
    return sn_scene_plan(build->scene, build->reader, particles, constraints);
}

void *sn_build_take(sn_build *build, uint64_t count, size_t size)
{
    void *room = count <= SIZE_MAX ? sn_arena_take(build->scratch, (size_t)count, size) : NULL;
    if (!room)
        sn_build_fail(build, NULL, "no memory for %llu items of %llu bytes", (unsigned long long)count,
                      (unsigned long long)size);
    return room;
}

sn_real sn_build_mass(const sn_build *build, double measure)
{
    if (!isnan(build->def->mass))
        return build->def->mass;
    if (isnan(build->stuff->density))
        return 1;
    /* an infinite mass would mean immovable; the world refuses it */
    double mass = (double)build->stuff->density * measure;
    return mass > REAL_MOST ? (sn_real)REAL_MOST : (sn_real)mass;
}

double sn_build_scale(const sn_build *build)
{
    return (double)build->def->scale;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

sn_vec3 sn_turned(sn_vec3 v, sn_vec3 axis, double angle)
{
    double x[3] = {(double)v.x, (double)v.y, (double)v.z}, a[3] = {(double)axis.x, (double)axis.y, (double)axis.z};
    double largest = fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2])), s = sn_math_sin(angle), c = sn_math_cos(angle);
    if (angle == 0 || !(largest > 0))
        return v;
    for (int i = 0; i < 3; ++i)
        a[i] /= largest; /* so that no square overflows or underflows */
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; ++i)
        a[i] /= length;
    double along = (a[0] * x[0] + a[1] * x[1] + a[2] * x[2]) * (1 - c), r[3];
    for (int i = 0; i < 3; ++i) { /* Rodrigues */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = c * x[i] + s * (a[j] * x[k] - a[k] * x[j]) + along * a[i];
    }
    return (sn_vec3){(sn_real)r[0], (sn_real)r[1], (sn_real)r[2]};
}

sn_vec3 sn_build_turn_vector(const sn_build *build, sn_vec3 v)
{
    return sn_turned(v, build->def->turn.axis, (double)build->def->turn.angle);
}

sn_vec3 sn_build_place(const sn_build *build, sn_vec3 place)
{
    sn_real scale = build->def->scale;
    sn_vec3 x = sn_build_turn_vector(build, (sn_vec3){place.x * scale, place.y * scale, place.z * scale});
    sn_vec3 p = build->def->position;
    return (sn_vec3){x.x + p.x, x.y + p.y, x.z + p.z};
}

/* Sets the object's velocity plus that of its rotation about its centre of mass. */
static bool set_velocities(sn_build *build, uint32_t count, const sn_vec3 *x, const sn_real *mass)
{
    const sn_object_def *def = build->def;
    const sn_vec3 w = def->spin, v0 = def->velocity;
    if (w.x == 0 && w.y == 0 && w.z == 0 && v0.x == 0 && v0.y == 0 && v0.z == 0)
        return true;
    double sum = 0, c[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        double m = mass ? (isinf(mass[i]) ? 0 : (double)mass[i]) : 1;
        sum += m, c[0] += m * (double)x[i].x, c[1] += m * (double)x[i].y, c[2] += m * (double)x[i].z;
    }
    sn_vec3 *v = sn_build_take(build, count, sizeof *v);
    if (!v)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        double r[3] = {(double)x[i].x, (double)x[i].y, (double)x[i].z};
        for (int k = 0; k < 3; ++k)
            r[k] -= sum > 0 ? c[k] / sum : 0;
        v[i].x = (sn_real)((double)v0.x + (double)w.y * r[2] - (double)w.z * r[1]);
        v[i].y = (sn_real)((double)v0.y + (double)w.z * r[0] - (double)w.x * r[2]);
        v[i].z = (sn_real)((double)v0.z + (double)w.x * r[1] - (double)w.y * r[0]);
    }
    return sn_particles_write_velocities(build->scene->world, build->object->run, &v->x, sizeof *v) == SN_OK ||
           sn_scene_refused(build->scene, build->reader);
}

/* Sets masses, radii and the group where they differ from those of a new particle. */
static bool set_particles(sn_build *build, const sn_real *mass)
{
    sn_world *world = build->scene->world;
    sn_particles run = build->object->run;
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_particle p = sn_particles_at(run, i);
        if ((mass && sn_particle_set_mass(world, p, mass[i]) != SN_OK) ||
            (build->def->radius != 0 && sn_particle_set_radius(world, p, build->def->radius) != SN_OK) ||
            sn_particle_set_group(world, p, build->object->group) != SN_OK)
            return sn_scene_refused(build->scene, build->reader);
    }
    return true;
}

bool sn_build_particles(sn_build *build, uint32_t count, const sn_vec3 *place, const sn_real *mass, sn_real total)
{
    sn_vec3 *x = sn_build_take(build, count, sizeof *x);
    if (!x)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        x[i] = sn_build_place(build, place[i]);
    build->object->run =
        sn_particles_add(build->scene->world, count, &x->x, sizeof *x, mass ? 1 : total / (sn_real)count);
    if (build->object->run.count != count)
        return sn_scene_refused(build->scene, build->reader);
    return set_particles(build, mass) && set_velocities(build, count, x, mass) &&
           sn_build_range(build, "all", 0, count);
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

bool sn_build_hold(sn_build *build, const char *name, sn_constraints run)
{
    sn_object *object = build->object;
    sn_hold *last = object->hold_count ? &object->hold[object->hold_count - 1] : NULL;
    if (last && strcmp(last->name, name) == 0 && last->run.kind == run.kind && last->run.generation == run.generation &&
        last->run.first + last->run.count == run.first) {
        last->run.count += run.count;
        return true;
    }
    /* full, so the list is copied each time it grows; it is short */
    sn_growing list = {object->hold_count, object->hold_count, object->hold};
    sn_hold *hold = sn_growing_add(&list, &build->scene->arena, sizeof *hold);
    char *copy = sn_arena_copy(&build->scene->arena, name, strlen(name));
    if (!hold || !copy)
        return sn_build_fail(build, NULL, "no memory for the name '%s'", name);
    *hold = (sn_hold){copy, run};
    object->hold = list.items;
    object->hold_count = list.count;
    return true;
}

/* The world numbers of particles of the object. */
static uint32_t *world_numbers(sn_build *build, uint64_t count, const uint32_t *index)
{
    uint32_t *number = sn_build_take(build, count, sizeof *number);
    for (uint64_t i = 0; number && i < count; ++i)
        number[i] = build->object->run.first + index[i];
    return number;
}

/* Stiff damping couples all particles with each other. A solver that makes few passes over the constraints does not
   propagate it fully, and the error appears as energy. Measured on blocks of tetrahedra with 20 substeps: a damping
   of 5 substeps is stable with one pass; one of 12 gains energy with one pass and with four, and is stable with 16. */
void sn_build_warn_damping(sn_build *build)
{
    sn_settings settings = sn_world_settings(build->scene->world);
    double h = 1 / ((double)build->scene->info.rate * settings.substeps), time = (double)build->stuff->damping;
    double passes = settings.iterations > 1 ? settings.iterations : 1;
    if (time > MOST_DAMPING * h * passes)
        sn_problems_add(build->reader->problems, SN_PROBLEM_WARNING, build->reader->path, false,
                        "a damping of %g s is %.3g substeps long, more than %g passes over the constraints can follow: "
                        "it may gain energy. Take at most %.2g s, or more iterations",
                        time, time / h, passes, MOST_DAMPING * h * passes);
}

/* The damping of the stuff is a time in seconds; the damping of a constraint has a unit that depends on its kind. */
static sn_material give_of(const sn_build *build, double compliance)
{
    bool soft = (sn_real)compliance > 0; /* a compliance that is too small for sn_real is rigid */
    return (sn_material){(sn_real)compliance, soft ? (sn_real)((double)build->stuff->damping / compliance) : 0};
}

static bool is_force(uint32_t kind)
{
    const sn_kind *info = sn_kind_info(NULL, kind);
    return info && info->force;
}

bool sn_build_constraints(sn_build *build, const char *name, const sn_constraint_def *def, uint32_t count,
                          const uint32_t *index, const sn_real *param, double compliance, const sn_real *factor)
{
    sn_world *world = build->scene->world;
    const sn_kind *kind = sn_kind_info(world, def->kind);
    uint32_t *number = count ? world_numbers(build, (uint64_t)count * kind->points, index) : NULL;
    if (!number)
        return count == 0;
    sn_constraint_def shared = *def;
    sn_material give = give_of(build, compliance);
    shared.compliance = give.compliance;
    shared.damping = give.damping;
    shared.stiffness = is_force(def->kind) ? 1 : build->stuff->stiffness;
    sn_constraints run;
    if (sn_constraints_add(world, &shared, count, number, param, &run) != SN_OK)
        return sn_scene_refused(build->scene, build->reader);
    for (uint32_t i = 0; factor && i < count; ++i) {
        give = give_of(build, compliance * (double)factor[i]);
        if (sn_constraint_set_material(world, sn_constraints_at(run, i), give) != SN_OK)
            return sn_scene_refused(build->scene, build->reader);
    }
    return sn_build_hold(build, name, run);
}

bool sn_build_ties(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                   double compliance)
{
    sn_constraint_def def = sn_default_constraint_def(kind);
    return sn_build_constraints(build, name, &def, count, index, NULL, compliance, NULL);
}

bool sn_build_constraint_of(sn_build *build, const char *name, uint32_t kind, uint32_t count, const uint32_t *index,
                            const sn_real *param, double compliance)
{
    sn_world *world = build->scene->world;
    sn_constraint_def def = sn_default_constraint_def(kind);
    sn_point *points = sn_build_take(build, count, sizeof *points);
    if (!points)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        points[i] = sn_at(sn_particles_at(build->object->run, index[i]));
    sn_material give = give_of(build, compliance);
    def.points = points;
    def.point_count = count;
    def.compliance = give.compliance;
    def.damping = give.damping;
    def.stiffness = build->stuff->stiffness;
    if (param)
        memcpy(def.param, param, sn_kind_param_count(sn_kind_info(world, kind)) * sizeof *param);
    sn_constraint c;
    if (sn_constraint_add(world, &def, &c) != SN_OK)
        return sn_scene_refused(build->scene, build->reader);
    return sn_build_hold(build, name, (sn_constraints){c.kind, c.index, 1, c.generation});
}

/* ---- Names and surfaces ------------------------------------------------------------------------------------------ */

static uint32_t *keep(sn_build *build, uint64_t count, const uint32_t *index)
{
    uint32_t *copy = sn_arena_take(&build->scene->arena, (size_t)count, sizeof *copy);
    if (!copy)
        sn_build_fail(build, NULL, "no memory for %llu indices", (unsigned long long)count);
    else if (count)
        memcpy(copy, index, (size_t)count * sizeof *copy);
    return copy;
}

static bool add_part(sn_build *build, sn_part part)
{
    sn_object *object = build->object;
    sn_growing list = {object->part_count, object->part_count, object->part};
    sn_part *place = sn_growing_add(&list, &build->scene->arena, sizeof *place);
    part.name = sn_arena_copy(&build->scene->arena, part.name, strlen(part.name));
    if (!place || !part.name)
        return sn_build_fail(build, NULL, "no memory for the name of a part");
    *place = part;
    object->part = list.items;
    object->part_count = list.count;
    return true;
}

bool sn_build_part(sn_build *build, const char *name, uint32_t count, const uint32_t *index)
{
    uint32_t *copy = keep(build, count, index);
    return copy && add_part(build, (sn_part){name, count, copy, 0});
}

bool sn_build_range(sn_build *build, const char *name, uint32_t first, uint32_t count)
{
    return add_part(build, (sn_part){name, count, NULL, first});
}

bool sn_build_triangles(sn_build *build, uint32_t count, const uint32_t *triangle)
{
    build->object->triangle_count = count;
    build->object->triangle = keep(build, 3 * (uint64_t)count, triangle);
    return build->object->triangle != NULL;
}

bool sn_build_lines(sn_build *build, uint32_t count, const uint32_t *line)
{
    build->object->line_count = count;
    build->object->line = keep(build, 2 * (uint64_t)count, line);
    return build->object->line != NULL;
}

bool sn_build_rest(sn_build *build, const sn_vec3 *rest)
{
    size_t count = build->object->run.count;
    sn_vec3 *copy = sn_arena_take(&build->scene->arena, count, sizeof *copy);
    if (!copy)
        return sn_build_fail(build, NULL, "no memory for the rest shape");
    memcpy(copy, rest, count * sizeof *copy);
    build->object->rest = copy;
    return true;
}

bool sn_scene_read_mesh(sn_scene *scene, sn_reader *reader, const char *key, const char *file, sn_mesh *mesh,
                        sn_mesh_notes *notes)
{
    const sn_scene_options *options = &scene->options;
    const void *bytes;
    size_t size;
    char message[512] = "";
    if (!options->read_file)
        return sn_reader_fail_key(reader, key, "'%s' cannot be read: this program gives scenes no files", file);
    if (!options->read_file(options->read_file_context, file, &scene->scratch, &bytes, &size, message, sizeof message))
        return sn_reader_fail_key(reader, key, "'%s' cannot be read: %s", file, message);
    if (!sn_mesh_read(&scene->scratch, bytes, size, mesh, notes, message, sizeof message))
        return sn_reader_fail_key(reader, key, "%s: %s", file, message);
    return true;
}

bool sn_build_mesh(sn_build *build, const char *key, const char *file, sn_mesh *mesh, sn_mesh_notes *notes)
{
    return sn_scene_read_mesh(build->scene, build->reader, key, file, mesh, notes);
}
