#include "export/output_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FORMATS                                                                                                   \
    (SN_FORMAT_PC2 | SN_FORMAT_OBJ | SN_FORMAT_PLY | SN_FORMAT_NPY | SN_FORMAT_POSES | SN_FORMAT_GLB | SN_FORMAT_VTK)

#define WITH_VELOCITY (SN_FORMAT_PLY | SN_FORMAT_VTK)
#define NO_FRAME      UINT32_MAX

typedef sn_output_entry entry;

/* A plane is shown up to this many times the size of everything else, and at least up to LEAST_REACH, m. */
#define PLANE_REACH 4.0
#define LEAST_REACH 1.0

const char *sn_format_name(uint32_t i, sn_format *format, const char **about)
{
    static const struct {
        const char *name;
        sn_format format;
        const char *about;
    } formats[] = {
        {"pc2", SN_FORMAT_PC2,
         "NAME.obj, the mesh at the start, and NAME.pc2, a point cache with all frames; of rigid bodies "
         "NAME.poses.npy, positions and quaternions, instead."},
        {"obj", SN_FORMAT_OBJ, "NAME_0000.obj: a mesh a frame, as text."},
        {"ply", SN_FORMAT_PLY, "NAME_0000.ply: a mesh a frame, binary, with velocities."},
        {"npy", SN_FORMAT_NPY, "NAME.npy: places as a NumPy array [frame][particle][3]."},
        {"poses", SN_FORMAT_POSES,
         "poses.csv and poses.npy: position and rotation (a quaternion) of every rigid body in every frame."},
        {"glb", SN_FORMAT_GLB, "scene.glb: everything that moves, in one file of glTF, when the run has ended."},
        {"vtk", SN_FORMAT_VTK, "scene.pvd and NAME_0000.vtp: a mesh a frame for ParaView, with times and velocities."},
    };
    if (i >= sizeof formats / sizeof formats[0])
        return NULL;
    if (format)
        *format = formats[i].format;
    if (about)
        *about = formats[i].about;
    return formats[i].name;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Writes a safe file name: one '_' for every unsafe character, also if it has several bytes; never a leading '-',
   which commands would read as an option. */
static void make_safe(char *safe, const char *name)
{
    size_t length = 0;
    for (; *name && length < SN_MOST_NAME; ++name) {
        if (((unsigned char)*name & 0xc0) == 0x80) /* a continuation byte of a character */
            continue;
        safe[length] = is_safe(*name) && (length || *name != '-') ? *name : '_';
        ++length;
    }
    safe[length] = 0;
    if (!length)
        strcpy(safe, "object");
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether b equals a (without regard to capitals, as some file systems compare), or is a with the number of a frame:
   their files could have the same names. */
static bool may_touch(const char *a, const char *b)
{
    for (; *a; ++a, ++b)
        if (lower(*a) != lower(*b))
            return false;
    if (!*b)
        return true;
    if (*b++ != '_')
        return false;
    size_t digits = strspn(b, "0123456789");
    return digits >= SN_FRAME_DIGITS && !b[digits];
}

static bool is_taken(const sn_output *output, uint32_t count, const char *name)
{
    if (output->formats & SN_FORMAT_POSES && (may_touch("poses", name) || may_touch(name, "poses")))
        return true;
    for (uint32_t i = 0; i < count; ++i)
        if (may_touch(output->entry[i].name, name) || may_touch(name, output->entry[i].name))
            return true;
    return false;
}

static void choose_name(sn_output *output, uint32_t i)
{
    char *name = output->entry[i].name;
    make_safe(name, output->entry[i].title ? output->entry[i].title : "");
    size_t length = strlen(name);
    for (uint32_t number = 2; is_taken(output, i, name); ++number)
        snprintf(name + length, sizeof output->entry[i].name - length, "-%" PRIu32, number);
}

const char *sn_output_name(const sn_output *output, uint32_t i)
{
    return i < output->count ? output->entry[i].name : NULL;
}

/* FOLDER/NAME_0000.ending, or FOLDER/NAME.ending if frame is NO_FRAME. The text is valid until the next call. */
static const char *path_of(sn_output *output, const entry *e, uint32_t frame, const char *ending)
{
    if (frame != NO_FRAME)
        snprintf(output->path, output->path_size, "%s/%s_%0*" PRIu32 ".%s", output->folder, e->name, SN_FRAME_DIGITS,
                 frame, ending);
    else
        snprintf(output->path, output->path_size, "%s/%s.%s", output->folder, e->name, ending);
    return output->path;
}

/* ---- The state of an object or a body ---------------------------------------------------------------------------- */

/* Makes room for particles that tearing added. */
static bool make_room(sn_output *output, uint32_t count)
{
    if (count <= output->room)
        return true;
    sn_vec3 *place = realloc(output->place, count * sizeof *place);
    output->place = place ? place : output->place;
    sn_vec3 *velocity = output->velocity ? realloc(output->velocity, count * sizeof *velocity) : NULL;
    output->velocity = velocity ? velocity : output->velocity;
    if (!place || (output->velocity && !velocity))
        return false;
    output->room = count;
    return true;
}

static sn_result read_particles(sn_output *output, entry *e)
{
    sn_world *world = sn_scene_world(output->scene);
    sn_particles run = e->object->run;
    if (!sn_torn_mesh_read(&e->torn, world, e->object) || !make_room(output, e->torn.vertex_count))
        return SN_ERROR_MEMORY;
    for (uint32_t i = run.count; i < e->torn.vertex_count; ++i) {
        const sn_particle particle = sn_torn_mesh_particle(&e->torn, world, e->object, i);
        output->place[i] = sn_particle_position(world, particle);
        if (output->velocity)
            output->velocity[i] = sn_particle_velocity(world, particle);
    }
    sn_result result = run.count ? sn_particles_read_positions(world, run, &output->place[0].x, 0) : SN_OK;
    if (result == SN_OK && run.count && (output->formats & WITH_VELOCITY))
        result = sn_particles_read_velocities(world, run, &output->velocity[0].x, 0);
    return result;
}

static sn_result read_bodies(sn_output *output, entry *e)
{
    return sn_body_mesh_place(sn_scene_world(output->scene), e->object, &e->body_mesh, output->place,
                              output->formats & WITH_VELOCITY ? output->velocity : NULL)
               ? SN_OK
               : SN_ERROR_STALE;
}

/* Reads a static or kinematic body. One that no longer exists keeps its last pose. */
static sn_result read_static(sn_output *output, entry *e)
{
    sn_world *world = sn_scene_world(output->scene);
    if (!sn_body_pose_read(world, e->body, &e->last))
        return SN_ERROR_STALE;
    for (uint32_t i = 0; i < e->count; ++i)
        output->place[i] = sn_frame_place(e->last.position, e->last.rotation, e->mesh.vertex[i]);
    return SN_OK;
}

static bool read_entry(sn_output *output, entry *e, char *message, size_t size)
{
    sn_world *world = sn_scene_world(output->scene);
    double origin[3] = {0, 0, 0};
    sn_result result = sn_world_origin(world, origin);
    if (result == SN_OK)
        result = e->bodies ? read_bodies(output, e) : e->object ? read_particles(output, e) : read_static(output, e);
    if (result != SN_OK) {
        snprintf(message, size, "%s of %s cannot be read: %s", e->object ? "the particles" : "the place", e->title,
                 sn_world_error(world));
        return false;
    }
    /* without an origin nothing is added, which would turn -0 into 0 */
    if (origin[0] == 0 && origin[1] == 0 && origin[2] == 0)
        return true;
    const uint32_t count = e->object && !e->bodies ? e->torn.vertex_count : e->count;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 *place = &output->place[i];
        place->x = (sn_real)(place->x + origin[0]);
        place->y = (sn_real)(place->y + origin[1]);
        place->z = (sn_real)(place->z + origin[2]);
    }
    return true;
}

typedef bool write_mesh_fn(const char *path, const sn_mesh_view *mesh, uint64_t *bytes, char *message, size_t size);

/* The formats that write a mesh for each frame. */
static const struct {
    sn_format format;
    const char *ending;
    write_mesh_fn *write;
} mesh_formats[] = {
    {SN_FORMAT_OBJ, "obj", sn_obj_write}, {SN_FORMAT_PLY, "ply", sn_ply_write}, {SN_FORMAT_VTK, "vtp", sn_vtp_write}};
#define MESH_FORMATS (sizeof mesh_formats / sizeof mesh_formats[0])

/* The first words of every mesh file, after the comment sign: the mark of files from an earlier run. */
#define MARK "sinew object "

/* Writes the mesh that read_entry read. Our importer for Blender looks for "sinew" in the comments. */
static bool write_mesh(sn_output *output, const entry *e, const char *path, write_mesh_fn *write, char *message,
                       size_t size)
{
    char title[SN_MOST_NAME + 32], type[SN_MOST_NAME + 32],
        rate[SN_NUMBER_TEXT + 32] = "sinew rate ", radius[SN_NUMBER_TEXT + 32] = "sinew radius ";
    snprintf(title, sizeof title, MARK "%.*s", SN_MOST_NAME, e->title ? e->title : "");
    snprintf(type, sizeof type, "sinew type %.*s", SN_MOST_NAME, e->type ? e->type : "");
    sn_number_real(rate + strlen(rate), sn_scene_describe(output->scene).rate);
    sn_world *world = sn_scene_world(output->scene);
    bool thick = e->object && !e->bodies && e->count;
    sn_number_real(radius + strlen(radius), thick ? sn_particle_radius(world, sn_particles_at(e->object->run, 0)) : 0);
    const char *comment[] = {title, type, rate, radius, NULL};
    sn_mesh_view mesh = sn_output_view(output, e);
    mesh.comment = comment;
    uint64_t bytes = 0;
    bool written = write(path, &mesh, &bytes, message, size);
    output->mesh_bytes += bytes;
    return written;
}

/* ---- Poses of rigid bodies --------------------------------------------------------------------------------------- */

static bool open_motion(sn_output *output, entry *e, char *message, size_t size)
{
    if (!sn_output_is_rigid(e))
        return sn_point_cache_open(&e->cache, path_of(output, e, NO_FRAME, "pc2"), e->count, 0, 1, message, size);
    const uint32_t shape[2] = {sn_output_bodies(e), 7};
    return sn_npy_open_array(&e->poses, path_of(output, e, NO_FRAME, "poses.npy"), SN_NPY_REAL, 2, shape, message,
                             size);
}

/* Writes what read_entry read: positions, or poses. */
static bool write_motion(sn_output *output, entry *e, char *message, size_t size)
{
    if (!sn_output_is_rigid(e))
        return sn_point_cache_frame(&e->cache, output->place, message, size);
    for (uint32_t i = 0; i < sn_output_bodies(e); ++i) {
        sn_real pose[7];
        sn_output_pose(output, e, i, pose);
        for (int k = 0; k < 7; ++k)
            sn_file_put_real(&e->poses.file, pose[k]);
    }
    return sn_npy_row(&e->poses, message, size);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Removes frames of an earlier, longer run, which would look like frames of this one. */
static bool remove_earlier(const sn_output *output, const entry *e, char *message, size_t size)
{
    for (size_t i = 0; i < MESH_FORMATS; ++i)
        if (output->formats & mesh_formats[i].format &&
            !sn_files_remove_numbered(output->folder, e->name, SN_FRAME_DIGITS, mesh_formats[i].ending, MARK, message,
                                      size))
            return false;
    return true;
}

static bool open_entry(sn_output *output, entry *e, char *message, size_t size)
{
    if (!remove_earlier(output, e, message, size))
        return false;
    if (output->formats & SN_FORMAT_PC2) {
        if (!read_entry(output, e, message, size) ||
            !write_mesh(output, e, path_of(output, e, NO_FRAME, "obj"), sn_obj_write, message, size) ||
            !open_motion(output, e, message, size))
            return false;
    }
    const uint32_t shape[2] = {e->count, 3};
    return !(output->formats & SN_FORMAT_NPY) ||
           sn_npy_open_array(&e->npy, path_of(output, e, NO_FRAME, "npy"), SN_NPY_REAL, 2, shape, message, size);
}

/* The middle of everything finite, and how far around it a plane is shown. */
static void measure(sn_scene *scene, sn_vec3 *centre, sn_real *reach)
{
    sn_world *world = sn_scene_world(scene);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0, c[3];
    for (uint32_t i = 0; sn_scene_object(scene, i); ++i)
        for (uint32_t k = 0; k < sn_object_items(sn_scene_object(scene, i)); ++k) {
            uint32_t number = sn_object_number(world, sn_scene_object(scene, i), k);
            sn_vec3 x = sn_particle_position(world, sn_particle_from_index(world, number));
            double at[3] = {(double)x.x, (double)x.y, (double)x.z};
            for (int j = 0; j < 3; ++j) {
                low[j] = fmin(low[j], at[j]);
                high[j] = fmax(high[j], at[j]);
            }
        }
    for (int j = 0; j < 3; ++j) {
        bool any = low[j] <= high[j];
        c[j] = any ? (low[j] + high[j]) / 2 : 0;
        most = fmax(most, any ? high[j] - low[j] : 0);
    }
    *centre = (sn_vec3){(sn_real)c[0], (sn_real)c[1], (sn_real)c[2]};
    *reach = (sn_real)fmax(PLANE_REACH * most, LEAST_REACH);
}

static bool take_statics(sn_output *output)
{
    sn_world *world = sn_scene_world(output->scene);
    sn_vec3 centre;
    sn_real reach;
    const sn_scene_fixed *found;
    measure(output->scene, &centre, &reach);
    for (uint32_t i = 0; (found = sn_scene_fixed_at(output->scene, i)); ++i) {
        entry *e = &output->entry[output->count];
        sn_body_def def;
        bool nothing;
        if (!sn_body_is_valid(world, found->handle) || sn_body_read(world, found->handle, &def) != SN_OK)
            continue;
        if (!sn_shape_mesh_of_body(&def, centre, reach, &e->mesh, &nothing)) {
            if (nothing)
                continue;
            return false;
        }
        e->body = found->handle;
        e->title = found->name;
        snprintf(e->own_type, sizeof e->own_type, "%s %s", def.type == SN_BODY_STATIC ? "static" : "kinematic",
                 def.shape_count == 1 ? sn_shape_type_name(def.shapes[0].type) : "body");
        e->type = e->own_type;
        e->count = e->mesh.vertex_count;
        ++output->count;
    }
    return true;
}

/* Adds an entry for the bodies of an object. */
static bool take_bodies(sn_output *output, const sn_object *object, uint32_t number)
{
    entry *e = &output->entry[output->count++];
    e->object = object;
    e->number = number;
    e->bodies = true;
    e->type = object->type;
    e->title = object->name;
    if (object->run.count) {
        snprintf(e->own_title, sizeof e->own_title, "%.*s_bodies", SN_MOST_NAME, object->name);
        e->title = e->own_title;
    }
    if (!sn_body_mesh_make(sn_scene_world(output->scene), object, &e->body_mesh))
        return false;
    e->count = e->body_mesh.vertex_count;
    return true;
}

static bool take_object(sn_output *output, const sn_object *object, uint32_t number)
{
    if (!object->run.count && object->body_count)
        return take_bodies(output, object, number);
    entry *e = &output->entry[output->count++];
    e->object = object;
    e->number = number;
    e->title = object->name;
    e->type = object->type;
    e->count = object->run.count;
    return true;
}

static bool take_entries(sn_output *output)
{
    uint32_t objects = 0, statics = 0;
    bool good = true;
    while (sn_scene_object(output->scene, objects))
        ++objects;
    while (sn_scene_fixed_at(output->scene, statics))
        ++statics;
    output->entry = calloc(2 * (size_t)objects + statics + 1, sizeof *output->entry);
    if (!output->entry)
        return false;
    for (uint32_t i = 0; i < objects && good; ++i)
        good = take_object(output, sn_scene_object(output->scene, i), i);
    good = good && take_statics(output);
    for (uint32_t i = 0; i < objects && good; ++i)
        if (sn_scene_object(output->scene, i)->run.count && sn_scene_object(output->scene, i)->body_count)
            good = take_bodies(output, sn_scene_object(output->scene, i), i);
    return good;
}

static bool take_memory(sn_output *output, const char *folder)
{
    uint32_t most = 1;
    bool entries = take_entries(output);
    for (uint32_t i = 0; i < output->count; ++i)
        most = output->entry[i].count > most ? output->entry[i].count : most;
    size_t length = strlen(folder);
    output->path_size = length + SN_MOST_NAME + 64;
    output->path = malloc(output->path_size);
    output->folder = malloc(length + 1);
    output->room = most;
    output->place = calloc(most, sizeof *output->place);
    if (output->formats & WITH_VELOCITY)
        output->velocity = calloc(most, sizeof *output->velocity);
    if (!entries || !output->path || !output->folder || !output->place ||
        ((output->formats & WITH_VELOCITY) && !output->velocity))
        return false;
    memcpy(output->folder, folder, length + 1);
    return true;
}

static void release(sn_output *output)
{
    for (uint32_t i = 0; i < output->count; ++i) {
        sn_shape_mesh_release(&output->entry[i].mesh);
        sn_body_mesh_release(&output->entry[i].body_mesh);
        sn_torn_mesh_release(&output->entry[i].torn);
    }
    free(output->path);
    free(output->folder);
    free(output->entry);
    free(output->place);
    free(output->velocity);
    free(output);
}

sn_output *sn_output_open(sn_scene *scene, const char *folder, unsigned formats, char *message, size_t size)
{
    if (!formats || (formats & ~(unsigned)MOST_FORMATS)) {
        snprintf(message, size, "formats are 0x%x, expected one or more of pc2, obj, ply, npy, poses, glb, vtk",
                 formats);
        return NULL;
    }
    sn_output *output = calloc(1, sizeof *output);
    if (output)
        *output = (sn_output){.scene = scene, .formats = formats};
    if (!output || !take_memory(output, folder)) {
        snprintf(message, size, "%s: no memory for what is written there", folder);
        if (output)
            release(output);
        return NULL;
    }
    bool opened = sn_folder_make(folder, message, size);
    for (uint32_t i = 0; i < output->count; ++i)
        choose_name(output, i);
    for (uint32_t i = 0; opened && i < output->count; ++i)
        opened = open_entry(output, &output->entry[i], message, size);
    opened = opened && sn_output_scene_open(output, message, size);
    if (opened)
        return output;
    sn_output_close(output, NULL, 0);
    return NULL;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static bool write_frame_meshes(sn_output *output, entry *e, char *message, size_t size)
{
    for (size_t i = 0; i < MESH_FORMATS; ++i) {
        if (!(output->formats & mesh_formats[i].format))
            continue;
        const char *path = path_of(output, e, output->frames, mesh_formats[i].ending);
        if (!write_mesh(output, e, path, mesh_formats[i].write, message, size))
            return false;
        e->meshes |= mesh_formats[i].format;
    }
    return true;
}

static bool write_entry(sn_output *output, entry *e, char *message, size_t size)
{
    e->meshes = 0;
    if (!read_entry(output, e, message, size))
        return false;
    if ((output->formats & SN_FORMAT_PC2) && !write_motion(output, e, message, size))
        return false;
    if (!write_frame_meshes(output, e, message, size))
        return false;
    sn_output_scene_put(output, e);
    if (!(output->formats & SN_FORMAT_NPY))
        return true;
    for (uint32_t i = 0; i < e->count; ++i) {
        sn_file_put_real(&e->npy.file, output->place[i].x);
        sn_file_put_real(&e->npy.file, output->place[i].y);
        sn_file_put_real(&e->npy.file, output->place[i].z);
    }
    return sn_npy_row(&e->npy, message, size);
}

/* Removes the last frame from the first `count` entries, so that all files end with the same frame. */
static void take_back(sn_output *output, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        entry *e = &output->entry[i];
        if (output->formats & SN_FORMAT_PC2 && sn_output_is_rigid(e))
            sn_npy_keep(&e->poses, output->frames, NULL, 0);
        else if (output->formats & SN_FORMAT_PC2)
            sn_point_cache_keep(&e->cache, output->frames, NULL, 0);
        if (output->formats & SN_FORMAT_NPY)
            sn_npy_keep(&e->npy, output->frames, NULL, 0);
        for (size_t k = 0; k < MESH_FORMATS; ++k)
            if (e->meshes & mesh_formats[k].format)
                remove(path_of(output, e, output->frames, mesh_formats[k].ending));
    }
}

bool sn_output_frame(sn_output *output, char *message, size_t size)
{
    if (output->failed) {
        snprintf(message, size, "%s: a frame could not be written before; nothing more can be", output->folder);
        return false;
    }
    if (output->frames == UINT32_MAX - 1) {
        snprintf(message, size, "%s: more frames than can be counted", output->folder);
        return false;
    }
    uint64_t before = output->mesh_bytes;
    uint32_t written = 0;
    bool good = true;
    sn_output_scene_begin(output);
    while (good && written < output->count)
        good = write_entry(output, &output->entry[written++], message, size);
    if (!good || !sn_output_scene_frame(output, message, size)) {
        take_back(output, written);
        sn_output_scene_take_back(output);
        output->mesh_bytes = before;
        output->failed = true;
        return false;
    }
    ++output->frames;
    return true;
}

bool sn_output_close(sn_output *output, char *message, size_t size)
{
    if (!output)
        return true;
    bool closed = true;
    for (uint32_t i = 0; i < output->count; ++i) {
        entry *e = &output->entry[i];
        /* only the first failure is reported */
        closed = sn_point_cache_close(&e->cache, closed ? message : NULL, closed ? size : 0) && closed;
        closed = sn_npy_close(&e->poses, closed ? message : NULL, closed ? size : 0) && closed;
        closed = sn_npy_close(&e->npy, closed ? message : NULL, closed ? size : 0) && closed;
    }
    closed = sn_output_scene_close(output, closed ? message : NULL, closed ? size : 0) && closed;
    release(output);
    return closed;
}

uint32_t sn_output_frames(const sn_output *output)
{
    return output->frames;
}

uint64_t sn_output_bytes(const sn_output *output)
{
    uint64_t bytes = output->mesh_bytes;
    for (uint32_t i = 0; i < output->count; ++i)
        bytes +=
            output->entry[i].cache.file.length + output->entry[i].poses.file.length + output->entry[i].npy.file.length;
    return bytes + sn_output_scene_bytes(output);
}
