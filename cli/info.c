#include "cli/info.h"
#include "cli/cli.h"
#include "scene/contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct info_options {
    sn_texts set;
    uint64_t memory;
    bool read_anywhere, json, help;
} info_options;

#define FIELD(name) offsetof(info_options, name)

static const sn_option options[] = {
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change a value of the scene, as run does"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "what a scene may take, and how long a file may be; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"json", 'j', SN_OPTION_FLAG, FIELD(json), 0, NULL, "print a JSON object"},
    SN_OPTION_END(info_options)};

/* ---- Printing ---------------------------------------------------------------------------------------------------- */

static const char *unit_of(const char *key)
{
    static const char *const units[][2] = {{"area", " m^2"}, {"volume", " m^3"}, {"rate", " frames a second"},
                                           {"least", " m"},  {"most", " m"},     {"bytes_per_particle", " bytes"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
        if (strcmp(units[i][0], key) == 0)
            return units[i][1];
    return "";
}

static void print_label(const char *key, int indent)
{
    printf("%*s", indent, "");
    int width = 0;
    for (; *key; ++key, ++width)
        putchar(*key == '_' ? ' ' : *key);
    printf("%*s", width < 24 - indent ? 24 - indent - width : 1, "");
}

static void print_table(const sn_value *list, int indent)
{
    static const char *const keys[] = {"least", "most", "last"};
    putchar('\n');
    for (const sn_value *row = list->first; row; row = row->next) {
        const sn_value *name = sn_value_find(row, "name");
        printf("%*s%-26s", indent + 2, "", name ? name->text : "");
        for (int i = 0; i < 3; ++i) {
            const sn_value *v = sn_value_find(row, keys[i]);
            if (v)
                printf(" %s %-12.6g", keys[i], v->number);
        }
        putchar('\n');
    }
}

static void print_value(const sn_value *value, int indent);

static void print_record(const sn_value *record, int indent)
{
    for (const sn_value *v = record->first; v; v = v->next)
        if (strcmp(v->key, "event") != 0 && !(v->type == SN_VALUE_TEXT && !v->text[0])) {
            print_label(v->key, indent);
            print_value(v, indent);
        }
}

static void print_value(const sn_value *value, int indent)
{
    char text[32];
    size_t length = value->key ? strlen(value->key) : 0;
    bool bytes = length >= 5 && strcmp(value->key + length - 5, "bytes") == 0;
    switch (value->type) {
    case SN_VALUE_TRUTH:
        puts(value->number != 0 ? "yes" : "no");
        break;
    case SN_VALUE_NUMBER:
        if (bytes && value->number >= 1000)
            printf("%.0f (%s)\n", value->number, sn_bytes_text(value->number, text, sizeof text));
        else
            printf("%.10g%s\n", value->number, unit_of(value->key));
        break;
    case SN_VALUE_TEXT:
        printf("%s\n", value->text);
        break;
    case SN_VALUE_LIST:
        if (!value->numbers) {
            print_table(value, indent);
            break;
        }
        for (uint32_t i = 0; i < value->count; ++i)
            printf(i ? ", %.7g" : "%.7g", value->numbers[i]);
        printf("%s\n", unit_of(value->key));
        break;
    case SN_VALUE_RECORD:
        putchar('\n');
        print_record(value, indent + 2);
        break;
    case SN_VALUE_NULL:
        puts("-");
        break;
    }
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static void add_memory(sn_document *d, sn_value *root, sn_world *world, const sn_meter *built, const sn_meter *stepped)
{
    sn_value *memory = sn_document_record(d, root, "memory");
    uint32_t particles = sn_world_particle_count(world);
    sn_document_number(d, memory, "built_bytes", (double)built->now);
    sn_document_number(d, memory, "while_building_bytes", (double)built->peak);
    sn_document_number(d, memory, "after_a_step_bytes", (double)stepped->now);
    double each = sn_measure_particle(particles);
    if (isfinite(each))
        sn_document_number(d, memory, "bytes_per_particle", round(10 * each) / 10);
    sn_value *kinds = sn_document_record(d, memory, "bytes_per_constraint");
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind) {
        each = sn_measure_constraint(particles, kind, sn_world_constraint_count(world, kind));
        if (isfinite(each))
            sn_document_number(d, kinds, sn_kind_info(world, kind)->name, round(10 * each) / 10);
    }
}

static uint32_t dynamic_bodies(const sn_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_world_body_limit(world); ++i) {
        const sn_body body = sn_body_from_index(world, i);
        count += body.generation != 0 && sn_body_type_of(world, body) == SN_BODY_DYNAMIC;
    }
    return count;
}

static void add_statics(sn_document *d, sn_value *root, sn_scene *scene, sn_world *world)
{
    const sn_scene_fixed *found = sn_scene_fixed_at(scene, 0);
    sn_value *statics = found ? sn_document_record(d, root, "statics") : NULL;
    for (uint32_t i = 0; (found = sn_scene_fixed_at(scene, i)) != NULL; ++i) {
        sn_body_def def;
        char text[160], shapes[32];
        if (sn_body_read(world, found->handle, &def) != SN_OK)
            continue;
        snprintf(shapes, sizeof shapes, "%u shapes", def.shape_count);
        snprintf(text, sizeof text, "%s at %.6g, %.6g, %.6g m%s",
                 def.shape_count == 1 ? sn_shape_type_name(def.shapes[0].type) : shapes, (double)def.position.x,
                 (double)def.position.y, (double)def.position.z,
                 def.shapes[0].sensor            ? ", sensor"
                 : def.type == SN_BODY_KINEMATIC ? ", kinematic"
                                                 : "");
        sn_document_text(d, statics, found->name, text);
    }
}

static void add_counts(sn_document *d, sn_value *root, sn_scene *scene, sn_world *world)
{
    const sn_object *object;
    sn_value *objects = sn_document_record(d, root, "objects");
    char text[160];
    for (uint32_t i = 0; (object = sn_scene_object(scene, i)) != NULL; ++i) {
        int used = snprintf(text, sizeof text, "%s", object->type);
        if (object->run.count || !object->body_count)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, ", %u particles, %u triangles, %u lines",
                         (unsigned)object->run.count, (unsigned)object->triangle_count, (unsigned)object->line_count);
        if (object->body_count)
            snprintf(text + used, sizeof text - (size_t)used, ", %u bodies", (unsigned)object->body_count);
        sn_document_text(d, objects, object->name, text);
    }
    add_statics(d, root, scene, world);
    sn_document_number(d, root, "particles", sn_world_particle_count(world));
    if (dynamic_bodies(world))
        sn_document_number(d, root, "bodies", dynamic_bodies(world));
    sn_document_number(d, root, "constraints", sn_world_constraint_count(world, SN_KIND_NONE));
    sn_value *kinds = sn_document_record(d, root, "constraints_by_kind");
    for (uint32_t kind = 1; kind < sn_kind_count(world); ++kind)
        if (sn_world_constraint_count(world, kind))
            sn_document_number(d, kinds, sn_kind_info(world, kind)->name, sn_world_constraint_count(world, kind));
}

/* How the default solver has planned the constraints, after a step. */
static void add_solving(sn_document *d, sn_value *root, sn_world *world)
{
    sn_report report;
    char text[160];
    if (sn_world_settings(world).solver != SN_SOLVER_TILED || sn_world_report(world, &report) != SN_OK)
        return;
    sn_value *solving = sn_document_record(d, root, "solving");
    snprintf(text, sizeof text, "%u constraints", (unsigned)(report.constraints - report.direct_constraints));
    sn_document_text(d, solving, "swept", text);
    if (report.direct_trees)
        snprintf(text, sizeof text, "%u constraints in %u %s, which carry 8 times their lightest particle, or more",
                 (unsigned)report.direct_constraints, (unsigned)report.direct_trees,
                 report.direct_trees == 1 ? "tree or loop" : "trees or loops");
    else if (sn_world_settings(world).stiffening == SN_STIFFENING_OFF)
        snprintf(text, sizeof text, "none: stiffening is off");
    else
        snprintf(text, sizeof text, "none: no tree or loop of constraints carries 8 times what it moves");
    sn_document_text(d, solving, "directly", text);
}

static int info_scene(const info_options *o, const char *name, sn_document *d, sn_value *root)
{
    sn_meter meter = {0, 0};
    sn_allocator allocator = sn_meter_allocator(&meter);
    sn_loading loading = {.scene = name,
                          .sets = &o->set,
                          .memory = o->memory,
                          .read_anywhere = o->read_anywhere,
                          .json = o->json,
                          .allocator = &allocator};
    sn_loaded loaded;
    char *path;
    int code = sn_load(&loading, &loaded, &path);
    if (code == SN_EXIT_FINE) {
        sn_world *world = sn_scene_world(loaded.scene);
        sn_scene_info info = sn_scene_describe(loaded.scene);
        sn_document_text(d, root, "format", "scene");
        sn_document_text(d, root, "file", path);
        sn_document_text(d, root, "title", info.title);
        sn_document_text(d, root, "about", info.about);
        sn_document_text(d, root, "topic", info.topic);
        sn_document_number(d, root, "frames", info.frames);
        sn_document_number(d, root, "rate", (double)info.rate);
        add_counts(d, root, loaded.scene, world);
        sn_document_release(&loaded.document); /* not counted: memory is reported for the running scene */
        sn_meter built = meter;
        (void)sn_scene_step(loaded.scene); /* allocates the solver's memory; the step may fail */
        sn_report report;
        if (sn_world_report(world, &report) == SN_OK && report.meshes[0])
            sn_document_text(d, root, "meshes", report.meshes);
        add_memory(d, root, world, &built, &meter);
        add_solving(d, root, world);
    }
    sn_loaded_release(&loaded);
    free(path);
    return code;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

typedef enum file_type {
    FILE_SCENE,
    FILE_CACHE,
    FILE_ARRAY,
    FILE_MESH,
    FILE_TRACE,
    FILE_UNKNOWN,
    FILE_UNREADABLE
} file_type;

/* By the first bytes, or, for text without a signature, by the name. */
static file_type recognise(const char *path)
{
    unsigned char head[16] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return FILE_UNREADABLE;
    size_t length = fread(head, 1, sizeof head, file);
    fclose(file);
    if (length >= 12 && memcmp(head, "POINTCACHE2", 12) == 0)
        return FILE_CACHE;
    if (length >= 6 && memcmp(head, "\x93NUMPY", 6) == 0)
        return FILE_ARRAY;
    if (length >= 4 && memcmp(head, "ply", 3) == 0 && (head[3] == '\n' || head[3] == '\r'))
        return FILE_MESH;
    if (sn_ends_with(path, ".obj") || sn_ends_with(path, ".ply"))
        return FILE_MESH;
    if (sn_ends_with(path, ".csv"))
        return FILE_TRACE;
    if (sn_ends_with(path, ".pc2"))
        return FILE_CACHE;
    if (sn_ends_with(path, ".npy"))
        return FILE_ARRAY;
    size_t at = strspn((const char *)head, " \t\r\n\xef\xbb\xbf");
    return sn_ends_with(path, ".json") || (at < length && head[at] == '{') ? FILE_SCENE : FILE_UNKNOWN;
}

static int info_bytes(const info_options *o, const char *path, file_type type, sn_document *d, sn_value *root)
{
    char message[SN_INFO_MESSAGE] = "";
    size_t length;
    char *bytes = sn_read_whole(path, false, o->memory ? o->memory : UINT64_C(1) << 32, &length);
    if (!bytes)
        return SN_EXIT_INPUT;
    bool good = type == FILE_MESH ? sn_info_mesh(bytes, length, d, root, message)
                                  : sn_info_trace(bytes, length, d, root, message);
    free(bytes);
    return good ? SN_EXIT_FINE : sn_complain(SN_EXIT_INPUT, "%s: %s", path, message);
}

static int info_file(const info_options *o, const char *path, sn_document *d, sn_value *root)
{
    char message[SN_INFO_MESSAGE] = "";
    file_type type = strcmp(path, "-") == 0 ? FILE_SCENE : recognise(path);
    switch (type) {
    case FILE_SCENE:
    case FILE_UNREADABLE: /* may be the name of a scene */
        return info_scene(o, path, d, root);
    case FILE_MESH:
    case FILE_TRACE:
        sn_document_text(d, root, "file", path);
        return info_bytes(o, path, type, d, root);
    case FILE_CACHE:
    case FILE_ARRAY:
        sn_document_text(d, root, "file", path);
        if (type == FILE_CACHE ? sn_info_point_cache(path, d, root, message) : sn_info_array(path, d, root, message))
            return SN_EXIT_FINE;
        return sn_complain(SN_EXIT_INPUT, "%s", message);
    case FILE_UNKNOWN:
        break;
    }
    return sn_complain(SN_EXIT_INPUT,
                       "%s: is none of the files that Sinew knows: scene (.json), mesh (.obj, .ply), point cache "
                       "(.pc2), array (.npy), trace (.csv)",
                       path);
}

static int run(const void *given, const sn_texts *operands)
{
    const info_options *o = given;
    sn_document d;
    sn_value *root = sn_say_begin(&d, "info");
    int code = info_file(o, operands->item[0], &d, root);
    if (code == SN_EXIT_FINE && d.failed)
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE && o->json)
        return sn_say_end(&d) ? SN_EXIT_FINE : SN_EXIT_OUTPUT;
    if (code == SN_EXIT_FINE)
        print_record(root, 0);
    sn_document_release(&d);
    return code;
}

const sn_command sn_command_info = {
    .name = "info",
    .operands = "FILE",
    .about = "Shows what is in a scene, mesh, point cache, array or trace",
    .details = "For a scene it also shows how the solver treats its constraints, and the memory that\n"
               "the engine allocates: for the built scene, at most while it is built, and after one\n"
               "step. The memory of a particle, and of a constraint of each kind, is measured on\n"
               "worlds with as many of them as the scene has, and nothing else.\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run};
