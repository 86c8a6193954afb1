#define _POSIX_C_SOURCE 200809L
#include "cli/replay.h"
#include "cli/cli.h"
#include "cli/job.h"
#include "export/body_mesh.h"
#include "export/draw_mesh.h"
#include "export/npy.h"
#include "export/palette.h"
#include "export/point_cache.h"
#include "export/shape_mesh.h"
#include "scene/folder.h"
#include "scene/json.h"
#include "scene/mesh.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES  ((uint64_t)1 << 32) /* of a mesh */
#define MOST_FRAMES 1000000u
#define MOST_NAMES  1000000u /* objects */
#define POSE        7        /* numbers: a position and a quaternion */
#define HEAD        32       /* bytes of a point cache before its first frame */
#define MOST_TYPE   64       /* bytes of the type of an object, such as "static plane" */

/* What moves an object: a point cache, poses of its bodies, or a mesh per frame. */
typedef enum motion { POINTS, POSES, MESHES } motion;

typedef struct entry {
    const char *name; /* of its files */
    char type[MOST_TYPE];
    motion motion;
    sn_arena arena;
    sn_mesh mesh;       /* at the start; for MESHES, of the present frame */
    uint32_t *piece_of; /* the body of each vertex */
    uint32_t pieces;    /* the number of bodies */
    sn_real radius, rate;
    FILE *file; /* for POINTS and POSES: the data, */
    uint64_t head;
    uint32_t bodies, numbers; /* bodies and numbers per frame, */
    uint32_t number_bytes;    /* and bytes per number */
    unsigned char *row;
    sn_vec3 *own;         /* for POSES: each vertex in the frame of its body, */
    sn_body_pose *pose;   /* and the pose of each body */
    sn_vec3 *place;       /* of each vertex */
    sn_facets facets;     /* for rigid things */
    bool is_rigid, stays; /* stays: a static or kinematic body */
    bool is_clear, is_plane, is_ground;
} entry;

struct sn_replay {
    char *folder, *name;
    sn_folder *reader;
    sn_document about;
    const char *ending; /* of the meshes of each frame; NULL: none */
    double rate;
    uint32_t frames, count, first_colour;
    entry *entry;
    sn_vec3 *normal;
    unsigned char *drawn;
    uint32_t room;
    bool is_flat;
};

static bool failed(char *message, size_t size, const char *folder, const char *file, const char *why)
{
    snprintf(message, size, "%s%s%s: %s", folder, *file ? "/" : "", file, why);
    return false;
}

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

/* Reads a comment of the header: "sinew type cloth", after the comment sign. */
static void read_comment(entry *e, const char *line, const char *end)
{
    static const char sign[] = "sinew ";
    while (line < end && (*line == '#' || *line == ' '))
        ++line;
    if (end - line > 8 && strncmp(line, "comment ", 8) == 0)
        line += 8;
    if ((size_t)(end - line) < sizeof sign || strncmp(line, sign, sizeof sign - 1) != 0)
        return;
    line += sizeof sign - 1;
    if (strncmp(line, "type ", 5) == 0)
        snprintf(e->type, sizeof e->type, "%.*s", (int)(end - line - 5 < MOST_TYPE ? end - line - 5 : MOST_TYPE),
                 line + 5);
    else if (strncmp(line, "radius ", 7) == 0)
        e->radius = (sn_real)fmax(strtod(line + 7, NULL), 0);
    else if (strncmp(line, "rate ", 5) == 0)
        e->rate = (sn_real)fmax(strtod(line + 5, NULL), 0);
}

/* Reads what the mesh reader ignores: comments and, in an OBJ, the `o` of each vertex. The text is zero-terminated. */
static bool read_extras(entry *e, const char *text, size_t length)
{
    const bool is_ply = strncmp(text, "ply", 3) == 0;
    const char *stop = text + length;
    uint32_t vertex = 0, piece = 0;
    e->pieces = 1;
    e->piece_of = sn_arena_take(&e->arena, e->mesh.vertex_count, sizeof *e->piece_of);
    if (!e->piece_of)
        return false;
    for (const char *line = text, *end; line < stop; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop;
        if (is_ply && strncmp(line, "end_header", 10) == 0)
            break;
        if (is_ply || line[0] == '#') {
            read_comment(e, line, end);
        } else if (line[0] == 'o' && line[1] == ' ') {
            const unsigned long given = strtoul(line + 2, NULL, 10);
            piece = given < MOST_NAMES ? (uint32_t)given : 0;
            e->pieces = piece >= e->pieces ? piece + 1 : e->pieces;
        } else if (line[0] == 'v' && line[1] == ' ' && vertex < e->mesh.vertex_count) {
            e->piece_of[vertex++] = piece;
        }
    }
    return true;
}

static bool is_one_of(const char *type, const char *const *list)
{
    for (; *list; ++list)
        if (strcmp(type, *list) == 0)
            return true;
    return false;
}

/* Decides from the type how the entry is drawn. */
static void judge(entry *e, bool has_poses)
{
    static const char *const smooth[] = {"cloth", "balloon", "block", "lattice", "box", NULL};
    e->stays = strncmp(e->type, "static ", 7) == 0 || strncmp(e->type, "kinematic ", 10) == 0;
    e->is_rigid = has_poses || e->stays || !is_one_of(e->type, smooth);
    e->is_plane = e->stays && strstr(e->type, "plane") != NULL;
    e->is_clear =
        strcmp(e->type, "container") == 0 || e->is_plane || strstr(e->name, "glass") || strstr(e->name, "funnel");
}

static bool read_mesh(sn_replay *r, entry *e, const char *file, char *message, size_t size)
{
    char why[512] = "";
    size_t length;
    char *text = sn_folder_read(r->reader, file, MOST_BYTES, &length, why, sizeof why);
    sn_arena_release(&e->arena);
    e->place = NULL;
    bool good = text && sn_mesh_read(&e->arena, text, length, &e->mesh, NULL, why, sizeof why);
    if (good && !read_extras(e, text, length))
        good = (snprintf(why, sizeof why, "out of memory"), false);
    free(text);
    return good || failed(message, size, r->folder, file, why);
}

static char *file_name(const char *name, const char *ending)
{
    const size_t room = strlen(name) + strlen(ending) + 1;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s%s", name, ending);
    return path;
}

/* The path of the mesh of a frame. */
static char *numbered(const sn_replay *r, const entry *e, uint32_t frame)
{
    char ending[32];
    snprintf(ending, sizeof ending, "_%04u%s", (unsigned)frame, r->ending);
    return file_name(e->name, ending);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static double read_number(const unsigned char *bytes, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = count; i--;)
        bits = bits << 8 | bytes[i];
    if (count == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
}

static sn_vec3 read_vec3(const entry *e, size_t at)
{
    const uint32_t b = e->number_bytes;
    return (sn_vec3){(sn_real)read_number(e->row + at * b, b), (sn_real)read_number(e->row + (at + 1) * b, b),
                     (sn_real)read_number(e->row + (at + 2) * b, b)};
}

static bool read_row(const entry *e, uint32_t frame)
{
    const size_t bytes = (size_t)e->numbers * e->number_bytes;
    return fseeko(e->file, (off_t)(e->head + (uint64_t)frame * bytes), SEEK_SET) == 0 &&
           fread(e->row, 1, bytes, e->file) == bytes;
}

static void read_poses(entry *e)
{
    for (uint32_t i = 0; i < e->bodies; ++i) {
        const sn_vec3 axis = read_vec3(e, (size_t)POSE * i + 3);
        const double w = read_number(e->row + ((size_t)POSE * i + 6) * e->number_bytes, e->number_bytes);
        e->pose[i].position = read_vec3(e, (size_t)POSE * i);
        e->pose[i].rotation = (sn_quat){axis.x, axis.y, axis.z, (sn_real)w};
    }
}

static const sn_body_pose *pose_of(const entry *e, uint32_t vertex)
{
    return &e->pose[e->piece_of[vertex]];
}

static bool remake_facets(entry *e)
{
    free(e->facets.normal);
    e->facets.normal = NULL;
    return sn_facets_make(&e->facets, e->own ? e->own : e->place, e->mesh.vertex_count, e->mesh.triangle,
                          e->mesh.triangle_count);
}

static bool go_to(sn_replay *r, entry *e, uint32_t frame, char *message, size_t size)
{
    if (e->motion == MESHES) {
        char *file = numbered(r, e, frame);
        const bool good = file && read_mesh(r, e, file, message, size);
        if (!file)
            failed(message, size, r->folder, e->name, "out of memory");
        free(file);
        if (!good)
            return false;
        e->place = e->mesh.vertex;
        judge(e, e->pieces > 1);
        return !e->is_rigid || remake_facets(e) || failed(message, size, r->folder, e->name, "out of memory");
    }
    if (!read_row(e, frame))
        return failed(message, size, r->folder, e->name, "the frame cannot be read");
    for (uint32_t i = 0; e->motion == POINTS && i < e->mesh.vertex_count; ++i)
        e->place[i] = read_vec3(e, 3 * (size_t)i);
    if (e->motion == POSES)
        read_poses(e);
    for (uint32_t i = 0; e->motion == POSES && i < e->mesh.vertex_count; ++i)
        e->place[i] = sn_frame_place(pose_of(e, i)->position, pose_of(e, i)->rotation, e->own[i]);
    return true;
}

bool sn_replay_go_to(sn_replay *r, uint32_t frame, char *message, size_t size)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < r->count; ++i) {
        if (!go_to(r, &r->entry[i], frame, message, size))
            return false;
        most = r->entry[i].mesh.vertex_count > most ? r->entry[i].mesh.vertex_count : most;
    }
    if (most >= r->room) {
        free(r->normal);
        free(r->drawn);
        r->room = most + 1;
        r->normal = malloc(r->room * sizeof *r->normal);
        r->drawn = malloc(r->room);
        if (!r->normal || !r->drawn)
            return failed(message, size, r->folder, "", "out of memory");
    }
    return true;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Opens the file at path that moves the mesh of an entry. *frames: the number of its frames. */
static bool open_motion(sn_replay *r, entry *e, const char *file, const char *path, uint64_t *frames, char *message,
                        size_t size)
{
    char text[160];
    if (e->motion == POINTS) {
        sn_point_cache_info info;
        if (!sn_point_cache_read_header(path, &info, message, size))
            return false;
        snprintf(text, sizeof text, "has %u points, and %s.obj %u vertices", (unsigned)info.points, e->name,
                 (unsigned)e->mesh.vertex_count);
        if (info.points != e->mesh.vertex_count)
            return failed(message, size, r->folder, file, text);
        *frames = info.frames;
        e->head = HEAD;
        e->numbers = 3 * info.points;
        e->number_bytes = 4;
        return true;
    }
    sn_npy_info info;
    if (!sn_npy_read_header(path, &info, message, size))
        return false;
    const bool fits = info.dimension_count == 3 && info.dimension[2] == POSE && !info.field_count &&
                      !info.fortran_order && (strcmp(info.type, "'<f4'") == 0 || strcmp(info.type, "'<f8'") == 0) &&
                      info.dimension[1] >= e->pieces && info.dimension[1] < MOST_NAMES;
    if (!fits)
        return failed(message, size, r->folder, file, "is not an array of poses, or not of the bodies of the mesh");
    *frames = info.dimension[0];
    e->bodies = (uint32_t)info.dimension[1];
    e->numbers = POSE * e->bodies;
    e->number_bytes = (uint32_t)info.item_bytes;
    e->head = info.bytes - info.unfinished - *frames * e->numbers * e->number_bytes;
    return true;
}

static bool make_room(entry *e)
{
    const size_t vertices = e->mesh.vertex_count;
    e->row = sn_arena_take(&e->arena, e->numbers, e->number_bytes);
    e->place = sn_arena_take(&e->arena, vertices, sizeof *e->place);
    if (e->motion == POSES) {
        e->own = sn_arena_take(&e->arena, vertices, sizeof *e->own);
        e->pose = sn_arena_take(&e->arena, e->bodies, sizeof *e->pose);
    }
    return e->row && e->place && (e->motion == POINTS || (e->own && e->pose));
}

/* Computes the vertices in the frames of the bodies: the mesh shows the first frame, whose poses are known. */
static bool start_bodies(const sn_replay *r, entry *e, char *message, size_t size)
{
    if (!read_row(e, 0))
        return failed(message, size, r->folder, e->name, "the first frame cannot be read");
    read_poses(e);
    for (uint32_t i = 0; i < e->mesh.vertex_count; ++i)
        e->own[i] = sn_frame_own(pose_of(e, i)->position, pose_of(e, i)->rotation, e->mesh.vertex[i]);
    return remake_facets(e) || failed(message, size, r->folder, e->name, "out of memory");
}

/* Opens a file of an entry. It may be a link, but not to outside of the folder. */
static FILE *open_inside(const sn_replay *r, const char *file)
{
    char why[256];
    uint64_t length;
    const int handle = sn_folder_open(r->reader, file, UINT64_MAX, &length, why, sizeof why);
    FILE *opened = handle >= 0 ? fdopen(handle, "rb") : NULL;
    if (handle >= 0 && !opened)
        close(handle);
    return opened;
}

/* Opens a mesh at the start, with a point cache or poses beside it. */
static bool open_cached(sn_replay *r, entry *e, uint64_t *frames, char *message, size_t size)
{
    char *mesh = file_name(e->name, ".obj"), *file = file_name(e->name, ".pc2");
    e->motion = POINTS;
    e->file = file ? open_inside(r, file) : NULL;
    if (!e->file) {
        free(file);
        file = file_name(e->name, ".poses.npy");
        e->motion = POSES;
        e->file = file ? open_inside(r, file) : NULL;
    }
    char *path = file ? sn_path_join(r->folder, file) : NULL;
    bool good = false;
    if (!mesh || !file || !path)
        failed(message, size, r->folder, e->name, "out of memory");
    else if (!e->file)
        failed(message, size, r->folder, e->name, "there is neither a .pc2 nor a .poses.npy of it");
    else
        good = read_mesh(r, e, mesh, message, size) && open_motion(r, e, file, path, frames, message, size);
    if (good && !make_room(e))
        good = failed(message, size, r->folder, e->name, "out of memory");
    if (good && *frames && e->motion == POSES)
        good = start_bodies(r, e, message, size);
    judge(e, e->motion == POSES);
    free(mesh);
    free(file);
    free(path);
    return good;
}

static uint64_t count_meshes(const sn_replay *r, const entry *e)
{
    for (uint32_t frame = 0; frame < MOST_FRAMES; ++frame) {
        char *file = numbered(r, e, frame);
        FILE *found = file ? open_inside(r, file) : NULL;
        free(file);
        if (!found)
            return frame;
        fclose(found);
    }
    return MOST_FRAMES;
}

/* Opens an entry, and updates the number of frames that all entries have. */
static bool open_entry(sn_replay *r, entry *e, char *message, size_t size)
{
    uint64_t frames = 0;
    e->motion = MESHES;
    if (r->ending)
        frames = count_meshes(r, e);
    else if (!open_cached(r, e, &frames, message, size))
        return false;
    r->frames = frames < r->frames ? (uint32_t)frames : r->frames;
    return true;
}

static bool has_text(const sn_value *list, const char *text)
{
    for (const sn_value *item = list ? list->first : NULL; item; item = item->next)
        if (item->type == SN_VALUE_TEXT && strcmp(item->text, text) == 0)
            return true;
    return false;
}

static double number_of(const sn_value *root, const char *key, double otherwise)
{
    const sn_value *value = sn_value_find(root, key);
    return value && value->type == SN_VALUE_NUMBER && value->number > 0 ? value->number : otherwise;
}

/* Reads the file that describes the run. Meshes per frame are preferred to point caches, since they show tears. */
static bool read_run_file(sn_replay *r, char *message, size_t size)
{
    char why[512] = "";
    size_t length;
    char *text = sn_folder_read(r->reader, SN_RUN_FILE, (uint64_t)1 << 28, &length, why, sizeof why);
    if (!text)
        return failed(message, size, r->folder, "",
                      "is a folder without a " SN_RUN_FILE "; expected a scene, or a folder of 'sinew run --out'");
    const bool read = sn_json_read(&r->about, text, length, NULL, why, sizeof why);
    free(text);
    if (!read)
        return failed(message, size, r->folder, SN_RUN_FILE, why);
    const sn_value *root = r->about.root, *names = sn_value_find(root, "names"),
                   *formats = sn_value_find(root, "formats"), *scene = sn_value_find(root, "scene");
    r->ending = has_text(formats, "obj") ? ".obj" : has_text(formats, "ply") ? ".ply" : NULL;
    if (!r->ending && !has_text(formats, "pc2"))
        return failed(
            message, size, r->folder, "",
            "has no files of the formats pc2, obj or ply, which can be drawn; run the scene with one of them");
    if (!names || names->type != SN_VALUE_LIST || !names->first)
        return failed(message, size, r->folder, SN_RUN_FILE, "names no objects");
    r->rate = fmax(number_of(root, "rate", 60) / number_of(root, "every", 1), 1e-6);
    r->is_flat = number_of(root, "dimensions", 3) == 2;
    r->name = file_name(scene && scene->type == SN_VALUE_TEXT ? scene->text : "run", "");
    r->entry = calloc(names->count, sizeof *r->entry);
    for (const sn_value *item = names->first; r->entry && item; item = item->next)
        if (item->type == SN_VALUE_TEXT)
            r->entry[r->count++].name = item->text;
    return (r->name && r->entry) || failed(message, size, r->folder, "", "out of memory");
}

/* Opens a single point cache, which has no file that describes a run. */
static bool take_one(sn_replay *r, const char *path, char *message, size_t size)
{
    r->name = sn_path_stem(path);
    r->entry = calloc(1, sizeof *r->entry);
    if (!r->name || !r->entry)
        return failed(message, size, path, "", "out of memory");
    r->entry[r->count++].name = r->name;
    return true;
}

/* Finds the ground: a static plane that faces up. Also sets the colours from the names of objects, as in a scene. */
static void find_ground(sn_replay *r)
{
    for (uint32_t i = 0; i < r->count; ++i) {
        entry *e = &r->entry[i];
        float from[3] = {INFINITY, INFINITY, INFINITY}, to[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (uint32_t k = 0; k < e->mesh.vertex_count; ++k)
            sn_draw_extend(from, to, e->place[k], 0);
        e->is_ground = e->is_plane && strncmp(e->type, "static", 6) == 0 && to[1] - from[1] < 0.1f;
        if (!e->stays)
            r->first_colour = sn_palette_after(r->first_colour, e->name);
    }
}

sn_replay *sn_replay_open(const char *path, char *message, size_t size)
{
    const bool is_one = sn_ends_with(path, ".pc2");
    const char *slash = is_one ? strrchr(path, '/') : NULL;
    sn_replay *r = calloc(1, sizeof *r);
    char *inside = NULL;
    if (r) {
        sn_document_init(&r->about, NULL);
        r->frames = MOST_FRAMES;
        r->folder = slash ? file_name(path, "") : file_name(is_one ? "." : path, "");
        if (r->folder && slash)
            r->folder[slash == path ? 1 : slash - path] = 0;
        inside = r->folder ? file_name(r->folder, "/") : NULL;
        r->reader = inside ? sn_folder_of(inside, false) : NULL;
        free(inside);
    }
    bool good = (r && r->reader) || failed(message, size, path, "", "out of memory");
    good = good && (is_one ? take_one(r, path, message, size) : read_run_file(r, message, size));
    for (uint32_t i = 0; good && i < r->count; ++i) {
        sn_arena_init(&r->entry[i].arena, NULL);
        good = open_entry(r, &r->entry[i], message, size);
    }
    if (good && (!r->frames || !r->count))
        good = failed(message, size, path, "", "has no frames");
    if (good && is_one)
        r->rate = r->entry[0].rate > 0 ? (double)r->entry[0].rate : 60;
    good = good && sn_replay_go_to(r, 0, message, size);
    if (good)
        find_ground(r);
    if (good)
        return r;
    sn_replay_destroy(r);
    return NULL;
}

void sn_replay_destroy(sn_replay *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->count; ++i) {
        if (r->entry[i].file)
            fclose(r->entry[i].file);
        free(r->entry[i].facets.normal);
        sn_arena_release(&r->entry[i].arena);
    }
    sn_folder_release(r->reader);
    sn_document_release(&r->about);
    free(r->entry);
    free(r->normal);
    free(r->drawn);
    free(r->folder);
    free(r->name);
    free(r);
}

uint32_t sn_replay_frames(const sn_replay *r)
{
    return r->frames;
}

double sn_replay_rate(const sn_replay *r)
{
    return r->rate;
}

const char *sn_replay_name(const sn_replay *r)
{
    return r->name;
}

bool sn_replay_is_flat(const sn_replay *r)
{
    return r->is_flat;
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

void sn_replay_bounds(const sn_replay *r, float low[3], float high[3])
{
    for (uint32_t i = 0; i < r->count; ++i) {
        const entry *e = &r->entry[i];
        for (uint32_t k = 0; !e->stays && k < e->mesh.vertex_count; ++k)
            sn_draw_extend(low, high, e->place[k], e->mesh.triangle_count ? 0 : e->radius);
    }
}

void sn_replay_static_bounds(const sn_replay *r, float most, float low[3], float high[3])
{
    float all_low[3], all_high[3];
    memcpy(all_low, low, sizeof all_low);
    memcpy(all_high, high, sizeof all_high);
    for (uint32_t i = 0; i < r->count; ++i) {
        const entry *e = &r->entry[i];
        for (uint32_t k = 0; e->stays && !e->is_plane && k < e->mesh.vertex_count; ++k)
            sn_draw_extend(all_low, all_high, e->place[k], 0);
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = fmaxf(all_low[k], low[k] - most);
        high[k] = fminf(all_high[k], high[k] + most);
    }
}

bool sn_replay_ground(const sn_replay *r, float *height)
{
    bool found = false;
    for (uint32_t i = 0; i < r->count; ++i) {
        const entry *e = &r->entry[i];
        if (!e->is_ground || !e->mesh.vertex_count)
            continue;
        const float y = (float)e->place[0].y;
        *height = found && *height > y ? *height : y;
        found = true;
    }
    return found;
}

static void add_rigid(const entry *e, uint32_t colour, uint32_t first, uint32_t number, sn_raster_model *model)
{
    for (uint32_t t = 0; t < e->facets.triangles; ++t) {
        const uint32_t *corner = e->facets.triangle + 3 * (size_t)t;
        const uint32_t piece = e->piece_of[corner[0]];
        sn_raster_triangle triangle = {
            .colour = piece && !e->is_clear && !e->stays ? sn_palette_object(first, number, piece) : colour};
        bool finite = true;
        for (uint32_t k = 0; k < 3; ++k) {
            sn_vec3 normal = e->facets.normal[3 * (size_t)t + k];
            if (e->pose)
                normal = sn_frame_place((sn_vec3){0}, pose_of(e, corner[k])->rotation, normal);
            finite = sn_draw_corner(&triangle, k, e->place[corner[k]], normal) && finite;
        }
        if (finite)
            sn_raster_add_triangle(model, &triangle);
    }
}

static void add_lines(const sn_replay *r, const entry *e, float size, uint32_t colour, sn_raster_model *model)
{
    const float thin = fminf(SN_DRAW_MOST_THIN, SN_DRAW_THIN * size);
    bool is_net;
    const float radius = sn_draw_line_radius(e->mesh.line_count, e->mesh.vertex_count, thin, (float)e->radius, &is_net);
    const float ball_radius = fmaxf(radius * 1.02f, is_net ? 0 : (float)e->radius);
    for (uint32_t i = 0; i < e->mesh.line_count; ++i) {
        const uint32_t *end = e->mesh.line + 2 * (size_t)i;
        float from[3], to[3];
        r->drawn[end[0]] = r->drawn[end[1]] = 1;
        if (!sn_draw_is_finite(e->place[end[0]]) || !sn_draw_is_finite(e->place[end[1]]))
            continue;
        sn_draw_floats(from, e->place[end[0]]);
        sn_draw_floats(to, e->place[end[1]]);
        sn_raster_add_tube(model, from, to, radius, colour);
    }
    for (uint32_t i = 0; i < e->mesh.vertex_count; ++i) {
        sn_raster_ball ball = {.radius = ball_radius, .colour = colour};
        if (!r->drawn[i] || !sn_draw_is_finite(e->place[i]))
            continue;
        sn_draw_floats(ball.place, e->place[i]);
        sn_raster_add_ball(model, &ball);
    }
}

static void add_single(const sn_replay *r, const entry *e, float size, uint32_t colour, sn_raster_model *model)
{
    for (uint32_t i = 0; i < e->mesh.vertex_count; ++i) {
        sn_raster_ball ball = {.radius = e->radius > 0 ? (float)e->radius : SN_DRAW_SINGLE * size,
                               .colour = e->mesh.vertex_count > 60 ? sn_draw_varied(colour, i) : colour};
        if (r->drawn[i] || !sn_draw_is_finite(e->place[i]))
            continue;
        sn_draw_floats(ball.place, e->place[i]);
        sn_raster_add_ball(model, &ball);
    }
}

bool sn_replay_model(sn_replay *r, float size, sn_raster_model *model)
{
    sn_raster_model_clear(model);
    for (uint32_t i = 0; i < r->count; ++i) {
        const entry *e = &r->entry[i];
        const uint32_t obstacle = SN_COLOUR_OBSTACLE | (e->is_clear ? SN_RASTER_CLEAR : 0);
        const uint32_t colour = e->stays || e->is_clear ? obstacle : sn_palette_object(r->first_colour, i, 0);
        memset(r->drawn, 0, e->mesh.vertex_count);
        if (e->is_ground)
            continue;
        if (e->mesh.triangle_count && e->is_rigid)
            add_rigid(e, colour, r->first_colour, i, model);
        else if (e->mesh.triangle_count)
            sn_draw_surface(e->place, r->normal, r->drawn, e->mesh.vertex_count, e->mesh.triangle,
                            e->mesh.triangle_count, colour, NULL, NULL, model);
        else if (e->mesh.line_count)
            add_lines(r, e, size, colour, model);
        if (!e->is_rigid || !e->mesh.triangle_count)
            add_single(r, e, size, colour, model);
    }
    return !model->failed;
}
