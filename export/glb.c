#include "export/glb_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in the file have 32 bits. The size of the text is an upper estimate: so many bytes for a frame of a soft
   thing, and for each thing. */
#define MOST_BYTES     UINT64_C(0xffffffff)
#define TEXT_OF_KEY    600u
#define TEXT_OF_OTHERS 2000u

/* The weights of n frames are n^2 numbers, whose count must fit into 32 bits. */
#define MOST_KEYS 65535u

/* A vertex is smooth if the normals of all faces around it are within this cosine of their mean. */
#define CREASE 0.8

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Makes room for one more item. */
static bool grow(void **items, uint32_t *room, uint32_t count, size_t bytes)
{
    if (count < *room)
        return true;
    uint32_t wanted = *room ? 2 * *room : 8;
    void *grown = wanted > *room ? realloc(*items, wanted * bytes) : NULL;
    if (!grown)
        return false;
    *items = grown;
    *room = wanted;
    return true;
}

static void forget_newest(sn_glb_shape *shape)
{
    free(shape->index);
    free(shape->base);
    free(shape->turn);
    shape->index = NULL;
    shape->base = shape->turn = NULL;
}

static void release(sn_glb *glb)
{
    for (uint32_t i = 0; i < glb->soft_count; ++i) {
        for (uint32_t k = 0; k < glb->soft[i].count; ++k) {
            forget_newest(&glb->soft[i].shape[k]);
            free(glb->soft[i].shape[k].key);
        }
        free(glb->soft[i].shape);
        free(glb->soft[i].name);
    }
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        free(glb->rigid[i].name);
    for (uint32_t i = 0; i < glb->group_count; ++i)
        free(glb->group[i]);
    sn_file_discard(&glb->frames);
    sn_file_discard(&glb->poses);
    free(glb->path);
    free(glb->time);
    free(glb->group);
    free(glb->soft);
    free(glb->mesh);
    free(glb->rigid);
    free(glb->normal);
    free(glb);
}

static bool open_beside(sn_file *file, const char *path, const char *ending, char *message, size_t size)
{
    size_t room = strlen(path) + strlen(ending) + 1;
    char *beside = malloc(room);
    bool good = beside != NULL;
    if (good)
        snprintf(beside, room, "%s%s", path, ending);
    else
        snprintf(message, size, "%s: no memory for frames", path);
    good = good && sn_file_open(file, beside, message, size);
    if (good)
        remove(beside); /* where the system allows it, so that no file is left if the program is killed */
    free(beside);
    return good;
}

sn_glb *sn_glb_open(const char *path, char *message, size_t size)
{
    sn_glb *glb = calloc(1, sizeof *glb);
    if (!glb || !(glb->path = sn_file_copy_text(path))) {
        snprintf(message, size, "%s: no memory for what is written there", path);
        free(glb);
        return NULL;
    }
    glb->frames.handle = glb->poses.handle = -1;
    /* The file itself is opened once here, so that a path that cannot be written is reported before the run. */
    sn_file file;
    if (sn_file_open(&file, path, message, size)) {
        sn_file_discard(&file);
        if (open_beside(&glb->frames, path, ".frames", message, size) &&
            open_beside(&glb->poses, path, ".poses", message, size))
            return glb;
    }
    release(glb);
    return NULL;
}

/* ---- Normals ----------------------------------------------------------------------------------------------------- */

static void face_normal(const sn_vec3 *place, const uint32_t *t, double n[3])
{
    const sn_vec3 a = place[t[0]], b = place[t[1]], c = place[t[2]];
    const double u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z},
                 v[3] = {(double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z};
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

/* Computes glb->normal: means over the faces around each vertex, weighted by area; up where there are no faces. */
static bool make_normals(sn_glb *glb, const sn_mesh_view *mesh)
{
    if (mesh->vertex_count > glb->normal_room) {
        float *grown = realloc(glb->normal, 3 * (size_t)mesh->vertex_count * sizeof *grown);
        if (!grown)
            return false;
        glb->normal = grown;
        glb->normal_room = mesh->vertex_count;
    }
    float *normal = glb->normal;
    memset(normal, 0, 3 * (size_t)mesh->vertex_count * sizeof *normal);
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangle + 3 * (size_t)i;
        double n[3];
        face_normal(mesh->place, t, n);
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j)
                normal[3 * (size_t)t[k] + (size_t)j] += (float)n[j];
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *n = normal + 3 * (size_t)i;
        const double length =
            sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
        const bool some = length > 0 && isfinite(length);
        for (int j = 0; j < 3; ++j)
            n[j] = some ? (float)((double)n[j] / length) : j == 1 ? 1.f : 0.f;
    }
    return true;
}

/* Whether these normals suit all faces, as for a smooth surface. */
static bool is_smooth(const sn_glb *glb, const sn_mesh_view *mesh)
{
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangle + 3 * (size_t)i;
        double n[3];
        face_normal(mesh->place, t, n);
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; ++k) {
            const float *own = glb->normal + 3 * (size_t)t[k];
            if (n[0] * (double)own[0] + n[1] * (double)own[1] + n[2] * (double)own[2] < CREASE * length)
                return false;
        }
    }
    return true;
}

/* ---- The things of a scene --------------------------------------------------------------------------------------- */

uint32_t sn_glb_add_group(sn_glb *glb, const char *name)
{
    char *copy = sn_file_copy_text(name);
    if (!copy || !grow((void **)&glb->group, &glb->group_room, glb->group_count, sizeof *glb->group)) {
        free(copy);
        return 0;
    }
    glb->group[glb->group_count++] = copy;
    return glb->group_count;
}

bool sn_glb_add_soft(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent)
{
    char *copy = sn_file_copy_text(name);
    if (!copy || !grow((void **)&glb->soft, &glb->soft_room, glb->soft_count, sizeof *glb->soft)) {
        free(copy);
        return false;
    }
    glb->soft[glb->soft_count++] = (sn_glb_soft){.name = copy, .colour = colour, .parent = parent};
    return true;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static float put_float(sn_glb *glb, double value, float *low, float *high)
{
    const float f = (float)value;
    glb->wild = glb->wild || !isfinite(f);
    *low = f < *low ? f : *low;
    *high = f > *high ? f : *high;
    sn_file_put_f32(&glb->frames, f);
    return f;
}

static void put_mesh(sn_glb *glb, sn_glb_mesh *to, const sn_mesh_view *mesh)
{
    to->at = glb->frames.length;
    for (int j = 0; j < 3; ++j) {
        to->low[j] = INFINITY;
        to->high[j] = -INFINITY;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        put_float(glb, (double)mesh->place[i].x, &to->low[0], &to->high[0]);
        put_float(glb, (double)mesh->place[i].y, &to->low[1], &to->high[1]);
        put_float(glb, (double)mesh->place[i].z, &to->low[2], &to->high[2]);
    }
    for (size_t i = 0; to->smooth && i < 3 * (size_t)mesh->vertex_count; ++i)
        sn_file_put_f32(&glb->frames, glb->normal[i]);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; ++i)
        sn_file_put_u32(&glb->frames, mesh->triangle[i]);
}

/* The number of an equal mesh, or of a new one. */
static bool find_mesh(sn_glb *glb, uint32_t colour, const sn_mesh_view *mesh, uint32_t *number)
{
    *number = UINT32_MAX;
    if (!mesh->triangle_count)
        return true;
    sn_glb_mesh new = {.colour = colour, .vertices = mesh->vertex_count, .triangles = mesh->triangle_count};
    new.hash = hash_bytes(UINT64_C(0xcbf29ce484222325), mesh->place, mesh->vertex_count * sizeof *mesh->place);
    new.hash = hash_bytes(new.hash, mesh->triangle, 3 * (size_t)mesh->triangle_count * sizeof *mesh->triangle);
    const sn_glb_mesh *same = NULL;
    for (uint32_t i = 0; i < glb->mesh_count; ++i) {
        const sn_glb_mesh *m = &glb->mesh[i];
        if (m->hash != new.hash || m->vertices != new.vertices || m->triangles != new.triangles)
            continue;
        same = m;
        *number = i;
        if (m->colour == colour)
            return true;
    }
    if (same) {
        new = *same;
        new.colour = colour;
    } else {
        if (!make_normals(glb, mesh))
            return false;
        new.smooth = is_smooth(glb, mesh);
        put_mesh(glb, &new, mesh);
    }
    if (!grow((void **)&glb->mesh, &glb->mesh_room, glb->mesh_count, sizeof *glb->mesh))
        return false;
    *number = glb->mesh_count;
    glb->mesh[glb->mesh_count++] = new;
    glb->frames_end = glb->frames.length;
    return true;
}

bool sn_glb_add_rigid(sn_glb *glb, const char *name, uint32_t colour, uint32_t parent, const sn_mesh_view *mesh)
{
    uint32_t number;
    char *copy = sn_file_copy_text(name);
    if (!copy || !grow((void **)&glb->rigid, &glb->rigid_room, glb->rigid_count, sizeof *glb->rigid) ||
        !find_mesh(glb, colour, mesh, &number)) {
        free(copy);
        return false;
    }
    glb->rigid[glb->rigid_count++] = (sn_glb_rigid){.name = copy, .parent = parent, .mesh = number};
    return true;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static size_t index_count(const sn_glb_shape *shape)
{
    return 3 * (size_t)shape->triangles + 2 * (size_t)shape->lines + shape->points;
}

/* All indices of a mesh: triangles, lines, and vertices that are in neither. With a surface these last ones are
   omitted, since they are inside of it. NULL when memory runs out. */
static uint32_t *make_index(const sn_mesh_view *mesh, sn_glb_shape *shape)
{
    const size_t corners = 3 * (size_t)mesh->triangle_count, ends = 2 * (size_t)mesh->line_count;
    uint32_t *index = malloc((corners + ends + mesh->vertex_count + 1) * sizeof *index);
    unsigned char *used = calloc((size_t)mesh->vertex_count + 1, 1);
    if (!index || !used) {
        free(index);
        free(used);
        return NULL;
    }
    if (corners)
        memcpy(index, mesh->triangle, corners * sizeof *index);
    if (ends)
        memcpy(index + corners, mesh->line, ends * sizeof *index);
    for (size_t i = 0; i < corners + ends; ++i)
        used[index[i]] = 1;
    shape->vertices = mesh->vertex_count;
    shape->triangles = mesh->triangle_count;
    shape->lines = mesh->line_count;
    shape->points = 0;
    for (uint32_t i = 0; corners == 0 && i < mesh->vertex_count; ++i)
        if (!used[i])
            index[corners + ends + shape->points++] = i;
    free(used);
    return index;
}

/* Whether triangles and lines of a mesh are still those of the shape. */
static bool is_same(const sn_glb_shape *shape, const sn_mesh_view *mesh)
{
    const size_t corners = 3 * (size_t)mesh->triangle_count, ends = 2 * (size_t)mesh->line_count;
    return shape->index && shape->vertices == mesh->vertex_count && shape->triangles == mesh->triangle_count &&
           shape->lines == mesh->line_count &&
           (!corners || memcmp(shape->index, mesh->triangle, corners * sizeof *shape->index) == 0) &&
           (!ends || memcmp(shape->index + corners, mesh->line, ends * sizeof *shape->index) == 0);
}

static bool begin_shape(sn_glb *glb, sn_glb_soft *soft, const sn_mesh_view *mesh)
{
    sn_glb_shape new = {.first = glb->frame_count, .at = glb->frames.length};
    new.index = make_index(mesh, &new);
    new.base = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *new.base);
    new.turn = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *new.turn);
    if (!new.index || !new.base || !new.turn ||
        !grow((void **)&soft->shape, &soft->room, soft->count, sizeof *soft->shape)) {
        forget_newest(&new);
        return false;
    }
    for (size_t i = 0; i < index_count(&new); ++i)
        sn_file_put_u32(&glb->frames, new.index[i]);
    if (soft->count)
        forget_newest(&soft->shape[soft->count - 1]);
    soft->shape[soft->count++] = new;
    return true;
}

/* Adds the next frame of a shape. */
static bool put_key(sn_glb *glb, sn_glb_shape *shape, const sn_mesh_view *mesh)
{
    if (!grow((void **)&shape->key, &shape->room, shape->count, sizeof *shape->key) ||
        (shape->triangles && !make_normals(glb, mesh)))
        return false;
    const bool first = shape->count == 0;
    sn_glb_key *key = &shape->key[shape->count++];
    *key = (sn_glb_key){
        .at = glb->frames.length, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        const double x[3] = {(double)mesh->place[i].x, (double)mesh->place[i].y, (double)mesh->place[i].z};
        float *base = shape->base + 3 * (size_t)i;
        for (int j = 0; j < 3; ++j) {
            const float put = put_float(glb, first ? x[j] : x[j] - (double)base[j], &key->low[j], &key->high[j]);
            if (first)
                base[j] = put;
        }
    }
    for (size_t i = 0; shape->triangles && i < 3 * (size_t)mesh->vertex_count; ++i) {
        if (first)
            shape->turn[i] = glb->normal[i];
        sn_file_put_f32(&glb->frames, first ? glb->normal[i] : glb->normal[i] - shape->turn[i]);
    }
    return true;
}

void sn_glb_put_soft(sn_glb *glb, uint32_t soft, const sn_mesh_view *mesh)
{
    sn_glb_soft *s = &glb->soft[soft];
    if (s->given || glb->no_memory)
        return;
    s->given = true;
    if (!mesh->vertex_count && !s->count)
        return;
    if (s->count && is_same(&s->shape[s->count - 1], mesh)) {
        glb->no_memory = !put_key(glb, &s->shape[s->count - 1], mesh);
        return;
    }
    glb->no_memory = !begin_shape(glb, s, mesh) || !put_key(glb, &s->shape[s->count - 1], mesh);
}

void sn_glb_put_rigid(sn_glb *glb, uint32_t rigid, const sn_real pose[7])
{
    sn_glb_rigid *r = &glb->rigid[rigid];
    double along = 0;
    for (int i = 3; i < 7; ++i)
        along += (double)pose[i] * (double)r->last[i];
    for (int i = 0; i < 7; ++i) {
        /* q and -q are the same rotation: takes the nearer one */
        r->last[i] = i >= 3 && along < 0 ? (float)-pose[i] : (float)pose[i];
        glb->wild = glb->wild || !isfinite(r->last[i]);
    }
    if (glb->frame_count == 0)
        memcpy(r->first, r->last, sizeof r->first);
    r->given = true;
}

/* The reason why the frame cannot be written; NULL: none. */
static const char *what_is_wrong(const sn_glb *glb, double time)
{
    uint64_t text =
        TEXT_OF_OTHERS * ((uint64_t)glb->rigid_count + glb->mesh_count + glb->soft_count + glb->group_count + 16);
    uint32_t most = 0;
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count; ++k) {
            const uint32_t keys = glb->soft[i].shape[k].count;
            most = keys > most ? keys : most;
            text += (uint64_t)keys * TEXT_OF_KEY + TEXT_OF_OTHERS;
        }
    const uint64_t frames = (uint64_t)glb->frame_count + 1, row = (uint64_t)glb->rigid_count * 7 * sizeof(float);
    if (glb->no_memory)
        return "no memory for a frame";
    if (glb->wild || !isfinite(time))
        return "a frame has places that are not finite; they cannot be written there";
    if (most > MOST_KEYS)
        return "more than 65535 frames of something that deforms; write only every second frame, or fewer";
    if (glb->frames.length + frames * row + 12 * frames + text > MOST_BYTES)
        return "a frame more would make it larger than 4 GiB, which is the most that the format can hold; write only "
               "every "
               "second frame, or fewer";
    return NULL;
}

/* Whether all things have this frame: one that is missing would shift all later ones. */
static bool is_whole(const sn_glb *glb)
{
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        if (!glb->soft[i].given)
            return false;
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        if (!glb->rigid[i].given)
            return false;
    return true;
}

static void forget_given(sn_glb *glb)
{
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        glb->soft[i].given = false;
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        glb->rigid[i].given = false;
    glb->no_memory = glb->wild = false;
}

bool sn_glb_frame(sn_glb *glb, double time, char *message, size_t size)
{
    if (!grow((void **)&glb->time, &glb->frame_room, glb->frame_count, sizeof *glb->time))
        glb->no_memory = true;
    const char *wrong = is_whole(glb) ? what_is_wrong(glb, time) : "a frame lacks something";
    bool good = !wrong;
    if (wrong)
        snprintf(message, size, "%s: %s", glb->path, wrong);
    for (uint32_t i = 0; good && i < glb->rigid_count; ++i)
        for (int k = 0; k < 7; ++k)
            sn_file_put_f32(&glb->poses, glb->rigid[i].last[k]);
    if (!good || !sn_file_keep(&glb->frames, message, size) || !sn_file_keep(&glb->poses, message, size)) {
        sn_glb_keep(glb, glb->frame_count);
        return false;
    }
    for (uint32_t i = 0; i < glb->rigid_count; ++i) {
        sn_glb_rigid *r = &glb->rigid[i];
        for (int k = 0; k < 3; ++k)
            r->moves = r->moves || r->first[k] != r->last[k];
        for (int k = 3; k < 7; ++k)
            r->turns = r->turns || r->first[k] != r->last[k];
    }
    glb->time[glb->frame_count++] = (float)time;
    glb->frames_end = glb->frames.length;
    forget_given(glb);
    return true;
}

/* A body that moved only in a frame that is removed again keeps its track, in which nothing moves. */
void sn_glb_keep(sn_glb *glb, uint32_t frames)
{
    frames = frames < glb->frame_count ? frames : glb->frame_count;
    for (uint32_t i = 0; i < glb->soft_count; ++i) {
        sn_glb_soft *s = &glb->soft[i];
        for (uint32_t k = s->count; k-- > 0;) {
            sn_glb_shape *shape = &s->shape[k];
            const uint32_t most = frames > shape->first ? frames - shape->first : 0;
            shape->count = shape->count < most ? shape->count : most;
            if (shape->count)
                continue;
            forget_newest(shape);
            free(shape->key);
            --s->count;
        }
    }
    /* the frames that are cut off stay in the file of frames, where nothing refers to them */
    sn_file_cut(&glb->frames, frames == glb->frame_count ? glb->frames_end : glb->frames.kept);
    sn_file_cut(&glb->poses, (uint64_t)frames * glb->rigid_count * 7 * sizeof(float));
    glb->frame_count = frames;
    forget_given(glb);
}

uint64_t sn_glb_bytes(const sn_glb *glb)
{
    return glb->frames.length + glb->poses.length;
}

bool sn_glb_close(sn_glb *glb, char *message, size_t size)
{
    if (!glb)
        return true;
    sn_glb_keep(glb, glb->frame_count);
    bool good = glb->frame_count == 0 || sn_glb_write(glb, message, size);
    release(glb);
    return good;
}
