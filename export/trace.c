#include "export/trace.h"
#include "export/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sn_trace {
    sn_scene *scene;
    sn_arena arena; /* for names, units and labels */
    uint32_t column_count;
    sn_npy_field *column;
    const char **unit;
    uint32_t kind_count;
    uint32_t *kind; /* kinds with a residual column */
    sn_trace_list list;
    bool table; /* .npy */
    sn_npy npy;
    sn_file csv;
    uint64_t rows;
    uint32_t at; /* the next column */
    bool failed;
};

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *unit;
} fixed[] = {
    {"frame", "1"},
    {"time", "s"},
    {"kinetic", "J"},
    {"potential", "J"},
    {"elastic", "J"},
    {"energy", "J"},
    {"momentum_x", "kg m/s"},
    {"momentum_y", "kg m/s"},
    {"momentum_z", "kg m/s"},
    {"angular_x", "kg m^2/s"},
    {"angular_y", "kg m^2/s"},
    {"angular_z", "kg m^2/s"},
    {"centre_x", "m"},
    {"centre_y", "m"},
    {"centre_z", "m"},
};
#define FIXED_COUNT ((uint32_t)(sizeof fixed / sizeof fixed[0]))

static const char *const of_particle[6] = {"x", "y", "z", "vx", "vy", "vz"};

static char *join(sn_arena *arena, const char *a, const char *between, const char *b)
{
    size_t length = strlen(a) + strlen(between) + strlen(b);
    char *text = sn_arena_take(arena, length + 1, 1);
    if (text)
        snprintf(text, length + 1, "%s%s%s", a, between, b);
    return text;
}

/* name NULL: its allocation has failed. */
static bool add_column(sn_trace *trace, const char *name, const char *unit, sn_npy_type type)
{
    if (!name || !unit)
        return false;
    trace->column[trace->column_count] = (sn_npy_field){name, type};
    trace->unit[trace->column_count++] = unit;
    return true;
}

/* The unit of lambda / h^2, which is that of energy divided by that of C. */
static const char *force_unit(sn_trace *trace, const char *unit)
{
    static const char *const known[][2] = {{"m", "N"}, {"rad", "N m"}, {"1", "N m"}, {"m^2", "N/m"}, {"m^3", "N/m^2"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(unit, known[i][0]) == 0)
            return known[i][1];
    return join(&trace->arena, "J/(", unit, ")");
}

static const char *kind_unit(sn_trace *trace, uint32_t kind)
{
    const sn_kind *info = sn_kind_info(sn_scene_world(trace->scene), kind);
    return info && info->unit ? info->unit : "m";
}

/* Label i of a list, made different from the earlier ones, which are in labels. */
static const char *own_label(sn_trace *trace, const char **labels, uint32_t i, const char *label)
{
    char number[16];
    const char *own = label;
    for (uint32_t tried = 2, k = 0; own && k < i;) {
        if (strcmp(labels[k++], own) != 0)
            continue;
        snprintf(number, sizeof number, "%" PRIu32, tried++);
        own = join(&trace->arena, label, "#", number);
        k = 0;
    }
    return labels[i] = own;
}

static bool add_particle_columns(sn_trace *trace)
{
    const char **labels = sn_arena_take(&trace->arena, trace->list.particle_count, sizeof *labels);
    for (uint32_t i = 0; labels && i < trace->list.particle_count; ++i) {
        const char *label = own_label(trace, labels, i, trace->list.particle[i].label);
        for (int k = 0; k < 6; ++k)
            if (!label ||
                !add_column(trace, join(&trace->arena, of_particle[k], "_", label), k < 3 ? "m" : "m/s", SN_NPY_REAL))
                return false;
    }
    return labels;
}

static bool add_force_columns(sn_trace *trace)
{
    const char **labels = sn_arena_take(&trace->arena, trace->list.constraint_count, sizeof *labels);
    for (uint32_t i = 0; labels && i < trace->list.constraint_count; ++i) {
        const sn_traced_constraint *traced = &trace->list.constraint[i];
        const char *label = own_label(trace, labels, i, traced->label);
        const char *unit = force_unit(trace, kind_unit(trace, traced->constraint.kind));
        if (!label || !add_column(trace, join(&trace->arena, "force", "_", label), unit, SN_NPY_REAL))
            return false;
    }
    return labels;
}

static bool add_slope_columns(sn_trace *trace)
{
    const char **labels = sn_arena_take(&trace->arena, trace->list.heap_count, sizeof *labels);
    for (uint32_t i = 0; labels && i < trace->list.heap_count; ++i) {
        const char *label = own_label(trace, labels, i, trace->list.heap[i].label);
        if (!label || !add_column(trace, join(&trace->arena, "slope", "_", label), "rad", SN_NPY_F8))
            return false;
    }
    return labels;
}

static bool add_columns(sn_trace *trace, const sn_report *report)
{
    size_t count = (size_t)FIXED_COUNT + report->kind_count + 6 * (size_t)trace->list.particle_count +
                   trace->list.constraint_count + trace->list.heap_count;
    trace->column = sn_arena_take(&trace->arena, count, sizeof *trace->column);
    trace->unit = sn_arena_take(&trace->arena, count, sizeof *trace->unit);
    trace->kind = sn_arena_take(&trace->arena, report->kind_count, sizeof *trace->kind);
    if (!trace->column || !trace->unit || !trace->kind)
        return false;
    for (uint32_t i = 0; i < FIXED_COUNT; ++i)
        add_column(trace, fixed[i].name, fixed[i].unit, i ? SN_NPY_F8 : SN_NPY_U4);
    for (uint32_t i = 0; i < report->kind_count; ++i) {
        const sn_kind_report *kind = &report->kinds[i];
        trace->kind[trace->kind_count++] = kind->kind;
        if (!add_column(trace, join(&trace->arena, "residual", "_", kind->name), kind_unit(trace, kind->kind),
                        SN_NPY_F8))
            return false;
    }
    return add_particle_columns(trace) && add_force_columns(trace) && add_slope_columns(trace);
}

bool sn_trace_column(const sn_trace *trace, uint32_t i, const char **name, const char **unit)
{
    if (i >= trace->column_count)
        return false;
    if (name)
        *name = trace->column[i].name;
    if (unit)
        *unit = trace->unit[i];
    return true;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* RFC 4180: quoted if needed, quotes doubled. */
static void put_name(sn_file *file, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        sn_file_put_text(file, name);
        return;
    }
    sn_file_put_text(file, "\"");
    for (; *name; ++name)
        sn_file_put(file, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    sn_file_put_text(file, "\"");
}

static bool open_csv(sn_trace *trace, const char *path, char *message, size_t size)
{
    if (!sn_file_open(&trace->csv, path, message, size))
        return false;
    for (uint32_t i = 0; i < trace->column_count; ++i) {
        if (i)
            sn_file_put_text(&trace->csv, ",");
        put_name(&trace->csv, trace->column[i].name);
    }
    sn_file_put_text(&trace->csv, "\n");
    return sn_file_keep(&trace->csv, message, size);
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), count = strlen(ending);
    if (length <= count)
        return false;
    for (size_t i = 0; i < count; ++i) {
        char c = path[length - count + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i])
            return false;
    }
    return true;
}

static bool open_trace(sn_trace *trace, const char *path, char *message, size_t size)
{
    trace->table = ends_with(path, ".npy");
    if (!trace->table && !ends_with(path, ".csv")) {
        snprintf(message, size, "%s: the name of a trace has to end in .csv or .npy", path);
        return false;
    }
    sn_world *world = sn_scene_world(trace->scene);
    sn_report report;
    if (sn_world_report(world, &report) != SN_OK) {
        snprintf(message, size, "%s: there is nothing to trace: %s", path, sn_world_error(world));
        return false;
    }
    if (!add_columns(trace, &report)) {
        snprintf(message, size, "%s: no memory for the columns", path);
        return false;
    }
    return trace->table ? sn_npy_open_table(&trace->npy, path, trace->column_count, trace->column, message, size)
                        : open_csv(trace, path, message, size);
}

sn_trace *sn_trace_open(sn_scene *scene, const char *path, char *message, size_t size)
{
    sn_trace *trace = calloc(1, sizeof *trace);
    if (!trace) {
        snprintf(message, size, "%s: no memory for a trace", path);
        return NULL;
    }
    trace->scene = scene;
    trace->list = sn_scene_traces(scene);
    sn_arena_init(&trace->arena, NULL);
    if (open_trace(trace, path, message, size))
        return trace;
    sn_trace_close(trace, NULL, 0);
    return NULL;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void put_number(sn_trace *trace, const char *text, size_t length)
{
    if (trace->at)
        sn_file_put(&trace->csv, ",", 1);
    sn_file_put(&trace->csv, text, length);
}

static void put_f64(sn_trace *trace, double value)
{
    char text[SN_NUMBER_TEXT];
    if (trace->table)
        sn_file_put_f64(&trace->npy.file, value);
    else
        put_number(trace, text, sn_number_f64(text, value));
    ++trace->at;
}

static void put_real(sn_trace *trace, sn_real value)
{
    char text[SN_NUMBER_TEXT];
    if (trace->table)
        sn_file_put_real(&trace->npy.file, value);
    else
        put_number(trace, text, sn_number_real(text, value));
    ++trace->at;
}

static void put_u32(sn_trace *trace, uint32_t value)
{
    char text[SN_NUMBER_TEXT];
    if (trace->table)
        sn_file_put_u32(&trace->npy.file, value);
    else
        put_number(trace, text, (size_t)snprintf(text, sizeof text, "%" PRIu32, value));
    ++trace->at;
}

static void put_report(sn_trace *trace, const sn_report *report)
{
    put_u32(trace, sn_scene_frame(trace->scene));
    put_f64(trace, sn_scene_time(trace->scene));
    put_f64(trace, report->kinetic);
    put_f64(trace, report->potential);
    put_f64(trace, report->elastic);
    put_f64(trace, report->kinetic + report->potential + report->elastic);
    for (int i = 0; i < 3; ++i)
        put_f64(trace, report->momentum[i]);
    for (int i = 0; i < 3; ++i)
        put_f64(trace, report->angular_momentum[i]);
    for (int i = 0; i < 3; ++i)
        put_f64(trace, report->centre[i]);
    for (uint32_t i = 0; i < trace->kind_count; ++i) {
        const sn_kind_report *kind = sn_report_kind(report, trace->kind[i]);
        put_f64(trace, kind ? kind->largest : 0); /* no constraint of the kind is left */
    }
}

/* Relative to the first origin, as the centre is. Without a shift nothing is added, so that the bits are the same. */
static sn_real shifted(sn_real value, double origin)
{
    return origin == 0 ? value : (sn_real)(value + origin);
}

static void put_particle(sn_trace *trace, sn_particle particle, const double origin[3])
{
    const sn_world *world = sn_scene_world(trace->scene);
    sn_real gone = (sn_real)NAN;
    sn_vec3 place = {gone, gone, gone}, velocity = place;
    if (sn_particle_is_valid(world, particle)) {
        place = sn_particle_position(world, particle);
        velocity = sn_particle_velocity(world, particle);
    }
    put_real(trace, shifted(place.x, origin[0]));
    put_real(trace, shifted(place.y, origin[1]));
    put_real(trace, shifted(place.z, origin[2]));
    put_real(trace, velocity.x);
    put_real(trace, velocity.y);
    put_real(trace, velocity.z);
}

static void put_force(sn_trace *trace, sn_constraint constraint)
{
    const sn_world *world = sn_scene_world(trace->scene);
    bool valid = sn_constraint_is_valid(world, constraint);
    put_real(trace, valid ? sn_constraint_force(world, constraint).magnitude : (sn_real)NAN);
}

/* Ends the row, or removes the incomplete row. */
static bool end_row(sn_trace *trace, char *message, size_t size)
{
    if (trace->table)
        return sn_npy_row(&trace->npy, message, size);
    sn_file_put_text(&trace->csv, "\n");
    if (sn_file_keep(&trace->csv, message, size))
        return true;
    sn_file_cut(&trace->csv, trace->csv.kept);
    return false;
}

bool sn_trace_row(sn_trace *trace, char *message, size_t size)
{
    sn_world *world = sn_scene_world(trace->scene);
    const char *path = trace->table ? trace->npy.file.path : trace->csv.path;
    if (trace->failed) {
        snprintf(message, size, "%s: a row could not be written before; nothing more can be", path);
        return false;
    }
    sn_report report;
    double origin[3] = {0, 0, 0};
    if (sn_world_report(world, &report) != SN_OK || sn_world_origin(world, origin) != SN_OK) {
        snprintf(message, size, "%s: there is nothing to trace: %s", path, sn_world_error(world));
        return false;
    }
    trace->at = 0;
    put_report(trace, &report);
    for (uint32_t i = 0; i < trace->list.particle_count; ++i)
        put_particle(trace, trace->list.particle[i].particle, origin);
    for (uint32_t i = 0; i < trace->list.constraint_count; ++i)
        put_force(trace, trace->list.constraint[i].constraint);
    for (uint32_t i = 0; i < trace->list.heap_count; ++i)
        put_f64(trace, sn_scene_slope(trace->scene, trace->list.heap[i].object));
    trace->failed = !end_row(trace, message, size);
    trace->rows += !trace->failed;
    return !trace->failed;
}

bool sn_trace_close(sn_trace *trace, char *message, size_t size)
{
    if (!trace)
        return true;
    bool closed = trace->table ? sn_npy_close(&trace->npy, message, size) : sn_file_close(&trace->csv, message, size);
    sn_arena_release(&trace->arena);
    free(trace);
    return closed;
}

uint64_t sn_trace_rows(const sn_trace *trace)
{
    return trace->rows;
}
