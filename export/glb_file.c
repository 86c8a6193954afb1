/* Writes the .glb: a header, the text, and the numbers. Numbers are copied from the file of frames, followed by
   times, weights and the tracks of bodies. First everything gets its offset (lay_out), then the lists of the text
   are written in the same order. */
#include "export/glb_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES ((size_t)1 << 20)

/* Tracks are stored frame by frame and written body by body; they are reordered in pieces of about this many bytes. */
#define TRACK_BYTES ((size_t)32 << 20)

enum { FLOATS = 5126, INDICES = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

typedef struct writer {
    sn_glb *glb;
    sn_file file;
    uint32_t views, accessors, nodes, samplers;
    uint64_t end; /* the size of the numbers */
    bool animated, comma;
    bool times, all_times; /* a view and an accessor have the times of all frames; both are number 0 */
    uint32_t colours;
    uint32_t *colour; /* one for each colour */
} writer;

#if defined(__GNUC__)
#define PRINTS __attribute__((format(printf, 2, 3)))
#else
#define PRINTS
#endif

/* ---- Text -------------------------------------------------------------------------------------------------------- */

PRINTS static void put(writer *w, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_file_put_text(&w->file, text);
}

/* Writes what separates two items of a list. */
static void next(writer *w)
{
    if (w->comma)
        sn_file_put_text(&w->file, ",");
    w->comma = true;
}

/* Begins a list of the root. */
static void list(writer *w, const char *name)
{
    put(w, ",\n\"%s\":[", name);
    w->comma = false;
}

static void put_name(writer *w, const char *name)
{
    sn_file_put_text(&w->file, "\"");
    for (; *name; ++name)
        if ((unsigned char)*name < ' ')
            put(w, "\\u%04x", (unsigned char)*name);
        else if (*name == '"' || *name == '\\')
            put(w, "\\%c", *name);
        else
            sn_file_put(&w->file, name, 1);
    sn_file_put_text(&w->file, "\"");
}

static void put_numbers(writer *w, const char *before, const float *number, uint32_t count)
{
    char text[SN_NUMBER_TEXT];
    sn_file_put_text(&w->file, before);
    for (uint32_t i = 0; i < count; ++i) {
        sn_number_f32(text, number[i] == 0 ? 0.f : number[i]);
        put(w, "%s%s", i ? "," : "[", text);
    }
    sn_file_put_text(&w->file, "]");
}

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

static uint32_t attributes(const sn_glb_shape *shape)
{
    return shape->triangles ? 2 : 1;
}

static uint32_t index_lists(const sn_glb_shape *shape)
{
    return (shape->triangles > 0) + (shape->lines > 0) + (shape->points > 0);
}

/* The times at which a shape appears and disappears, with its scale from then on. Returns their number; 0 if it is
   always visible. */
static uint32_t seen_times(const sn_glb_soft *soft, uint32_t shape, float time[3], float scale[3], const sn_glb *glb)
{
    uint32_t count = 0;
    if (soft->count < 2)
        return 0;
    if (soft->shape[shape].first > 0) {
        time[count] = glb->time[0];
        scale[count++] = 0;
    }
    time[count] = glb->time[soft->shape[shape].first];
    scale[count++] = 1;
    if (shape + 1 < soft->count) {
        time[count] = glb->time[soft->shape[shape + 1].first];
        scale[count++] = 0;
    }
    return count;
}

static bool is_shown(const sn_glb_shape *shape)
{
    return shape->vertices > 0;
}

/* Whether the shape exists only in some frames, so that it needs its own times. */
static bool has_times(const writer *w, const sn_glb_shape *shape)
{
    return shape->count > 1 && shape->count < w->glb->frame_count;
}

static bool is_moving(const sn_glb_rigid *rigid)
{
    return rigid->moves || rigid->turns;
}

/* Finds out whether tracks use the times of all frames. */
static void look_for_times(writer *w)
{
    const sn_glb *glb = w->glb;
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count; ++k) {
            const sn_glb_shape *shape = &glb->soft[i].shape[k];
            w->times = w->times || (is_shown(shape) && shape->count > 1);
            w->all_times = w->all_times || (is_shown(shape) && shape->count > 1 && !has_times(w, shape));
        }
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        w->all_times = w->all_times || is_moving(&glb->rigid[i]);
    w->times = w->times || w->all_times;
}

static void lay_out_shape(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    sn_glb_shape *shape = &soft->shape[number];
    float time[3], scale[3];
    const uint32_t seen = seen_times(soft, number, time, scale, w->glb);
    shape->view = w->views;
    shape->accessor = w->accessors;
    shape->node = w->nodes++;
    shape->end = w->end;
    w->views += shape->count + 1 + (shape->count > 1) + (seen > 0);
    w->accessors += shape->count * attributes(shape) + index_lists(shape) + (shape->count > 1) + has_times(w, shape) +
                    2 * (seen > 0);
    w->end += 8 * (uint64_t)(shape->count - 1) + 16 * (uint64_t)seen;
    w->animated = w->animated || shape->count > 1 || seen;
}

static void lay_out_meshes(writer *w)
{
    for (uint32_t i = 0; i < w->glb->mesh_count; ++i) {
        sn_glb_mesh *mesh = &w->glb->mesh[i];
        uint32_t same = 0;
        while (w->glb->mesh[same].at != mesh->at)
            ++same;
        mesh->view = w->glb->mesh[same].view;
        mesh->accessor = w->glb->mesh[same].accessor;
        if (same < i)
            continue;
        mesh->view = w->views;
        mesh->accessor = w->accessors;
        w->views += 2;
        w->accessors += mesh->smooth ? 3 : 2;
    }
}

static void lay_out(writer *w)
{
    sn_glb *glb = w->glb;
    const uint64_t frames = glb->frame_count;
    look_for_times(w);
    w->views = w->times;
    w->accessors = w->all_times;
    w->nodes = glb->group_count;
    w->end = glb->frames_end + (w->times ? 4 * frames : 0);
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count; ++k)
            if (is_shown(&glb->soft[i].shape[k]))
                lay_out_shape(w, &glb->soft[i], k);
    lay_out_meshes(w);
    for (uint32_t i = 0; i < glb->rigid_count; ++i) {
        sn_glb_rigid *r = &glb->rigid[i];
        r->node = w->nodes++;
        if (!is_moving(r))
            continue;
        r->view = w->views++;
        r->accessor = w->accessors;
        r->end = w->end;
        w->accessors += 2;
        w->end += frames * 28;
        w->animated = true;
    }
}

static bool take_colour(writer *w, uint32_t colour)
{
    for (uint32_t i = 0; i < w->colours; ++i)
        if (w->colour[i] == colour)
            return true;
    uint32_t *grown = realloc(w->colour, (w->colours + (size_t)1) * sizeof *grown);
    if (!grown)
        return false;
    w->colour = grown;
    w->colour[w->colours++] = colour;
    return true;
}

static uint32_t material(const writer *w, uint32_t colour)
{
    uint32_t i = 0;
    while (w->colour[i] != colour)
        ++i;
    return i;
}

static bool take_colours(writer *w)
{
    bool good = true;
    for (uint32_t i = 0; i < w->glb->soft_count && good; ++i)
        good = !w->glb->soft[i].count || take_colour(w, w->glb->soft[i].colour);
    for (uint32_t i = 0; i < w->glb->mesh_count && good; ++i)
        good = take_colour(w, w->glb->mesh[i].colour);
    return good;
}

/* Calls a function for every shape with vertices. */
typedef void shape_fn(writer *w, const sn_glb_soft *soft, uint32_t shape);

static void each_shape(writer *w, shape_fn *call)
{
    for (uint32_t i = 0; i < w->glb->soft_count; ++i)
        for (uint32_t k = 0; k < w->glb->soft[i].count; ++k)
            if (is_shown(&w->glb->soft[i].shape[k]))
                call(w, &w->glb->soft[i], k);
}

/* Whether the numbers of a mesh are its own, and not those of an earlier mesh with another colour. */
static bool has_own(const sn_glb *glb, uint32_t mesh)
{
    uint32_t same = 0;
    while (glb->mesh[same].at != glb->mesh[mesh].at)
        ++same;
    return same == mesh;
}

/* ---- Nodes and meshes -------------------------------------------------------------------------------------------- */

static void put_child(writer *w, uint32_t parent, uint32_t wanted, uint32_t node)
{
    if (parent != wanted)
        return;
    put(w, "%s%" PRIu32, w->comma ? "," : "[", node);
    w->comma = true;
}

/* "name": [the children of this node], unless it has none. */
static void put_children(writer *w, const char *name, uint32_t parent)
{
    const sn_glb *glb = w->glb;
    bool some = parent == 0 && glb->group_count;
    for (uint32_t i = 0; i < glb->soft_count && !some; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count && !some; ++k)
            some = glb->soft[i].parent == parent && is_shown(&glb->soft[i].shape[k]);
    for (uint32_t i = 0; i < glb->rigid_count && !some; ++i)
        some = glb->rigid[i].parent == parent;
    if (!some)
        return;
    put(w, ",\"%s\":", name);
    w->comma = false;
    for (uint32_t i = 0; parent == 0 && i < glb->group_count; ++i)
        put_child(w, 0, 0, i);
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count; ++k)
            if (is_shown(&glb->soft[i].shape[k]))
                put_child(w, glb->soft[i].parent, parent, glb->soft[i].shape[k].node);
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        put_child(w, glb->rigid[i].parent, parent, glb->rigid[i].node);
    sn_file_put_text(&w->file, "]");
}

static void put_shape_node(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    next(w);
    put(w, "\n{\"mesh\":%" PRIu32 ",\"name\":", shape->node - w->glb->group_count);
    put_name(w, soft->name);
    if (shape->first > 0)
        put(w, ",\"scale\":[0,0,0]");
    if (soft->count > 1)
        put(w, ",\"extras\":{\"first_frame\":%" PRIu32 ",\"frames\":%" PRIu32 "}", shape->first, shape->count);
    sn_file_put_text(&w->file, "}");
}

static uint32_t shown_shapes(const sn_glb *glb)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < glb->soft_count; ++i)
        for (uint32_t k = 0; k < glb->soft[i].count; ++k)
            count += is_shown(&glb->soft[i].shape[k]);
    return count;
}

static void put_nodes(writer *w)
{
    const sn_glb *glb = w->glb;
    const uint32_t shapes = shown_shapes(glb);
    list(w, "nodes");
    for (uint32_t i = 0; i < glb->group_count; ++i) {
        next(w);
        sn_file_put_text(&w->file, "\n{\"name\":");
        put_name(w, glb->group[i]);
        put_children(w, "children", i + 1);
        sn_file_put_text(&w->file, "}");
        w->comma = true;
    }
    each_shape(w, put_shape_node);
    for (uint32_t i = 0; i < glb->rigid_count; ++i) {
        const sn_glb_rigid *r = &glb->rigid[i];
        next(w);
        sn_file_put_text(&w->file, "\n{\"name\":");
        put_name(w, r->name);
        if (r->mesh != UINT32_MAX)
            put(w, ",\"mesh\":%" PRIu32, shapes + r->mesh);
        put_numbers(w, ",\"translation\":", r->first, 3);
        put_numbers(w, ",\"rotation\":", r->first + 3, 4);
        sn_file_put_text(&w->file, "}");
    }
    sn_file_put_text(&w->file, "]");
}

static void put_primitive(writer *w, const sn_glb_soft *soft, const sn_glb_shape *shape, int mode, uint32_t indices)
{
    const uint32_t each = attributes(shape);
    next(w);
    for (uint32_t i = 0; i < shape->count; ++i) {
        const uint32_t accessor = shape->accessor + i * each;
        if (i < 2)
            put(w, i == 0 ? "{\"attributes\":" : ",\"targets\":[");
        put(w, "%s{\"POSITION\":%" PRIu32, i > 1 ? "," : "", accessor);
        if (mode == 4)
            put(w, ",\"NORMAL\":%" PRIu32, accessor + 1);
        sn_file_put_text(&w->file, "}");
    }
    put(w, "%s,\"indices\":%" PRIu32 ",\"mode\":%d,\"material\":%" PRIu32 "}", shape->count > 1 ? "]" : "", indices,
        mode, material(w, soft->colour));
}

static void put_shape_mesh(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    uint32_t indices = shape->accessor + shape->count * attributes(shape);
    next(w);
    sn_file_put_text(&w->file, "\n{\"name\":");
    put_name(w, soft->name);
    sn_file_put_text(&w->file, ",\"primitives\":[");
    w->comma = false;
    if (shape->triangles)
        put_primitive(w, soft, shape, 4, indices++);
    if (shape->lines)
        put_primitive(w, soft, shape, 1, indices++);
    if (shape->points)
        put_primitive(w, soft, shape, 0, indices);
    sn_file_put_text(&w->file, "]}");
    w->comma = true;
}

static void put_meshes(writer *w)
{
    list(w, "meshes");
    each_shape(w, put_shape_mesh);
    for (uint32_t i = 0; i < w->glb->mesh_count; ++i) {
        const sn_glb_mesh *mesh = &w->glb->mesh[i];
        next(w);
        put(w, "\n{\"primitives\":[{\"attributes\":{\"POSITION\":%" PRIu32, mesh->accessor);
        if (mesh->smooth)
            put(w, ",\"NORMAL\":%" PRIu32, mesh->accessor + 1);
        put(w, "},\"indices\":%" PRIu32 ",\"material\":%" PRIu32 "}]}", mesh->accessor + (mesh->smooth ? 2 : 1),
            material(w, mesh->colour));
    }
    sn_file_put_text(&w->file, "]");
}

/* sRGB to linear, as materials need it. */
static float linear(uint32_t tone)
{
    const double s = tone / 255.0;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

static void put_materials(writer *w)
{
    list(w, "materials");
    for (uint32_t i = 0; i < w->colours; ++i) {
        const uint32_t c = w->colour[i];
        const float colour[4] = {linear(c >> 16 & 255), linear(c >> 8 & 255), linear(c & 255), 1};
        next(w);
        put(w, "\n{\"name\":\"#%06" PRIx32 "\",\"doubleSided\":true,\"pbrMetallicRoughness\":{", c & 0xffffff);
        put_numbers(w, "\"baseColorFactor\":", colour, 4);
        sn_file_put_text(&w->file, ",\"metallicFactor\":0,\"roughnessFactor\":0.7}}");
    }
    sn_file_put_text(&w->file, "]");
}

/* ---- Animation --------------------------------------------------------------------------------------------------- */

static void put_sampler(writer *w, uint32_t input, uint32_t output, const char *way)
{
    next(w);
    put(w, "\n{\"input\":%" PRIu32 ",\"output\":%" PRIu32 ",\"interpolation\":\"%s\"}", input, output, way);
}

static void put_channel(writer *w, uint32_t node, const char *path)
{
    next(w);
    put(w, "\n{\"sampler\":%" PRIu32 ",\"target\":{\"node\":%" PRIu32 ",\"path\":\"%s\"}}", w->samplers++, node, path);
}

static void put_shape_samplers(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    uint32_t at = shape->accessor + shape->count * attributes(shape) + index_lists(shape);
    if (shape->count > 1) {
        const bool own = has_times(w, shape);
        put_sampler(w, own ? at : 0, own ? at + 1 : at, "LINEAR");
        at += own ? 2 : 1;
    }
    if (soft->count > 1)
        put_sampler(w, at, at + 1, "STEP");
}

static void put_shape_channels(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    if (soft->shape[number].count > 1)
        put_channel(w, soft->shape[number].node, "weights");
    if (soft->count > 1)
        put_channel(w, soft->shape[number].node, "scale");
}

static void put_animation(writer *w)
{
    const sn_glb *glb = w->glb;
    sn_file_put_text(&w->file, ",\n\"animations\":[{\"name\":\"simulation\",\"samplers\":[");
    w->comma = false;
    each_shape(w, put_shape_samplers);
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        if (is_moving(&glb->rigid[i])) {
            put_sampler(w, 0, glb->rigid[i].accessor, "LINEAR");
            put_sampler(w, 0, glb->rigid[i].accessor + 1, "LINEAR");
        }
    sn_file_put_text(&w->file, "],\"channels\":[");
    w->comma = false;
    each_shape(w, put_shape_channels);
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        if (is_moving(&glb->rigid[i])) {
            put_channel(w, glb->rigid[i].node, "translation");
            put_channel(w, glb->rigid[i].node, "rotation");
        }
    sn_file_put_text(&w->file, "]}]");
}

/* ---- Accessors and views ----------------------------------------------------------------------------------------- */

static void put_accessor(writer *w, uint32_t view, uint64_t offset, int component, uint64_t count, const char *type)
{
    next(w);
    put(w,
        "\n{\"bufferView\":%" PRIu32 ",\"byteOffset\":%" PRIu64 ",\"componentType\":%d,\"count\":%" PRIu64
        ",\"type\":\"%s\"",
        view, offset, component, count, type);
}

static void put_range(writer *w, const float *low, const float *high, uint32_t count)
{
    put_numbers(w, ",\"min\":", low, count);
    put_numbers(w, ",\"max\":", high, count);
}

static void end_accessor(writer *w)
{
    sn_file_put_text(&w->file, "}");
}

static void put_index_accessor(writer *w, uint32_t view, uint64_t *offset, uint64_t count)
{
    if (!count)
        return;
    put_accessor(w, view, *offset, INDICES, count, "SCALAR");
    end_accessor(w);
    *offset += 4 * count;
}

/* The weights: every frame but the first has a target, whose weight is 1 at that frame; all others are 0 and need
   not be written. */
static void put_weights(writer *w, const sn_glb_shape *shape, uint32_t view)
{
    const uint64_t targets = shape->count - 1;
    next(w);
    put(w,
        "\n{\"componentType\":%d,\"count\":%" PRIu64 ",\"type\":\"SCALAR\",\"sparse\":{\"count\":%" PRIu64
        ",\"indices\":{\"bufferView\":%" PRIu32 ",\"componentType\":%d},\"values\":{\"bufferView\":%" PRIu32
        ",\"byteOffset\":%" PRIu64 "}}}",
        FLOATS, shape->count * targets, targets, view, INDICES, view, 4 * targets);
}

static void put_shape_accessors(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    const sn_glb *glb = w->glb;
    for (uint32_t i = 0; i < shape->count; ++i) {
        put_accessor(w, shape->view + i, 0, FLOATS, shape->vertices, "VEC3");
        put_range(w, shape->key[i].low, shape->key[i].high, 3);
        end_accessor(w);
        if (!shape->triangles)
            continue;
        put_accessor(w, shape->view + i, 12 * (uint64_t)shape->vertices, FLOATS, shape->vertices, "VEC3");
        end_accessor(w);
    }
    uint32_t view = shape->view + shape->count;
    uint64_t offset = 0;
    put_index_accessor(w, view, &offset, 3 * (uint64_t)shape->triangles);
    put_index_accessor(w, view, &offset, 2 * (uint64_t)shape->lines);
    put_index_accessor(w, view, &offset, shape->points);
    if (has_times(w, shape)) {
        put_accessor(w, 0, 4 * (uint64_t)shape->first, FLOATS, shape->count, "SCALAR");
        put_range(w, &glb->time[shape->first], &glb->time[shape->first + shape->count - 1], 1);
        end_accessor(w);
    }
    if (shape->count > 1)
        put_weights(w, shape, ++view);
    float time[3], scale[3];
    const uint32_t seen = seen_times(soft, number, time, scale, glb);
    if (seen) {
        put_accessor(w, ++view, 0, FLOATS, seen, "SCALAR");
        put_range(w, &time[0], &time[seen - 1], 1);
        end_accessor(w);
        put_accessor(w, view, 4 * (uint64_t)seen, FLOATS, seen, "VEC3");
        end_accessor(w);
    }
}

static void put_accessors(writer *w)
{
    const sn_glb *glb = w->glb;
    list(w, "accessors");
    if (w->all_times) {
        put_accessor(w, 0, 0, FLOATS, glb->frame_count, "SCALAR");
        put_range(w, &glb->time[0], &glb->time[glb->frame_count - 1], 1);
        end_accessor(w);
    }
    each_shape(w, put_shape_accessors);
    for (uint32_t i = 0; i < glb->mesh_count; ++i) {
        const sn_glb_mesh *mesh = &glb->mesh[i];
        if (!has_own(glb, i))
            continue;
        put_accessor(w, mesh->view, 0, FLOATS, mesh->vertices, "VEC3");
        put_range(w, mesh->low, mesh->high, 3);
        end_accessor(w);
        if (mesh->smooth) {
            put_accessor(w, mesh->view, 12 * (uint64_t)mesh->vertices, FLOATS, mesh->vertices, "VEC3");
            end_accessor(w);
        }
        put_accessor(w, mesh->view + 1, 0, INDICES, 3 * (uint64_t)mesh->triangles, "SCALAR");
        end_accessor(w);
    }
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        if (is_moving(&glb->rigid[i])) {
            put_accessor(w, glb->rigid[i].view, 0, FLOATS, glb->frame_count, "VEC3");
            end_accessor(w);
            put_accessor(w, glb->rigid[i].view, 12 * (uint64_t)glb->frame_count, FLOATS, glb->frame_count, "VEC4");
            end_accessor(w);
        }
    sn_file_put_text(&w->file, "]");
}

static void put_view(writer *w, uint64_t at, uint64_t bytes, int target)
{
    next(w);
    put(w, "\n{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64, at, bytes);
    if (target)
        put(w, ",\"target\":%d", target);
    if (target == VERTEX_DATA)
        put(w, ",\"byteStride\":12");
    sn_file_put_text(&w->file, "}");
}

static void put_shape_views(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    float time[3], scale[3];
    for (uint32_t i = 0; i < shape->count; ++i)
        put_view(w, shape->key[i].at, 12 * (uint64_t)shape->vertices * attributes(shape), VERTEX_DATA);
    put_view(w, shape->at, 4 * (3 * (uint64_t)shape->triangles + 2 * (uint64_t)shape->lines + shape->points),
             INDEX_DATA);
    const uint64_t weights = 8 * (uint64_t)(shape->count - 1);
    if (shape->count > 1)
        put_view(w, shape->end, weights, 0);
    const uint32_t seen = seen_times(soft, number, time, scale, w->glb);
    if (seen)
        put_view(w, shape->end + weights, 16 * (uint64_t)seen, 0);
}

static void put_views(writer *w)
{
    const sn_glb *glb = w->glb;
    list(w, "bufferViews");
    if (w->times)
        put_view(w, glb->frames_end, 4 * (uint64_t)glb->frame_count, 0);
    each_shape(w, put_shape_views);
    for (uint32_t i = 0; i < glb->mesh_count; ++i) {
        const sn_glb_mesh *mesh = &glb->mesh[i];
        const uint64_t bytes = 12 * (uint64_t)mesh->vertices * (mesh->smooth ? 2 : 1);
        if (!has_own(glb, i))
            continue;
        put_view(w, mesh->at, bytes, VERTEX_DATA);
        put_view(w, mesh->at + bytes, 12 * (uint64_t)mesh->triangles, INDEX_DATA);
    }
    for (uint32_t i = 0; i < glb->rigid_count; ++i)
        if (is_moving(&glb->rigid[i]))
            put_view(w, glb->rigid[i].end, 28 * (uint64_t)glb->frame_count, 0);
    sn_file_put_text(&w->file, "]");
}

static void put_text(writer *w)
{
    const sn_glb *glb = w->glb;
    put(w, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Sinew %s\"},\"scene\":0,\"scenes\":[{\"name\":\"scene\"",
        sn_version());
    put_children(w, "nodes", 0);
    sn_file_put_text(&w->file, "}]");
    if (w->nodes)
        put_nodes(w);
    if (shown_shapes(glb) || glb->mesh_count) {
        put_meshes(w);
        put_materials(w);
    }
    if (w->animated)
        put_animation(w);
    if (w->accessors) {
        put_accessors(w);
        put_views(w);
        put(w, ",\n\"buffers\":[{\"byteLength\":%" PRIu64 "}]", w->end);
    }
    sn_file_put_text(&w->file, "}");
    while (w->file.length % 4)
        sn_file_put_text(&w->file, " ");
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static bool copy_frames(writer *w, char *message, size_t size)
{
    unsigned char *bytes = malloc(COPY_BYTES);
    bool good = bytes != NULL;
    if (!good)
        snprintf(message, size, "%s: no memory to write it", w->glb->path);
    for (uint64_t at = 0; good && at < w->glb->frames_end; at += COPY_BYTES) {
        const uint64_t left = w->glb->frames_end - at;
        const size_t count = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
        good = sn_file_read(&w->glb->frames, at, bytes, count, message, size);
        if (good)
            sn_file_put(&w->file, bytes, count);
    }
    free(bytes);
    return good;
}

static void put_shape_numbers(writer *w, const sn_glb_soft *soft, uint32_t number)
{
    const sn_glb_shape *shape = &soft->shape[number];
    const uint32_t targets = shape->count - 1;
    float time[3], scale[3];
    const uint32_t seen = seen_times(soft, number, time, scale, w->glb);
    for (uint32_t i = 1; i <= targets; ++i)
        sn_file_put_u32(&w->file, i * targets + i - 1);
    for (uint32_t i = 0; i < targets; ++i)
        sn_file_put_f32(&w->file, 1);
    for (uint32_t i = 0; i < seen; ++i)
        sn_file_put_f32(&w->file, time[i]);
    for (uint32_t i = 0; i < 3 * seen; ++i)
        sn_file_put_f32(&w->file, scale[i / 3]);
}

/* Writes the tracks of some bodies, one after the other, from rows that have one frame of all bodies. */
static bool put_some_tracks(writer *w, uint32_t first, uint32_t count, unsigned char *bytes, char *message, size_t size)
{
    const sn_glb *glb = w->glb;
    const size_t row = (size_t)count * 28;
    for (uint32_t f = 0; f < glb->frame_count; ++f)
        if (!sn_file_read(&w->glb->poses, ((uint64_t)f * glb->rigid_count + first) * 28, bytes + f * row, row, message,
                          size))
            return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_moving(&glb->rigid[first + i]))
            continue;
        for (uint32_t f = 0; f < glb->frame_count; ++f)
            sn_file_put(&w->file, bytes + f * row + (size_t)i * 28, 12);
        for (uint32_t f = 0; f < glb->frame_count; ++f)
            sn_file_put(&w->file, bytes + f * row + (size_t)i * 28 + 12, 16);
    }
    return true;
}

static bool put_tracks(writer *w, char *message, size_t size)
{
    const sn_glb *glb = w->glb;
    if (!glb->rigid_count)
        return true;
    const size_t track = (size_t)glb->frame_count * 28;
    size_t most = TRACK_BYTES / track > 0 ? TRACK_BYTES / track : 1;
    most = most < glb->rigid_count ? most : glb->rigid_count;
    unsigned char *bytes = malloc(most * track);
    bool good = bytes != NULL;
    if (!good)
        snprintf(message, size, "%s: no memory to write it", glb->path);
    for (uint32_t first = 0; good && first < glb->rigid_count; first += (uint32_t)most) {
        const uint32_t left = glb->rigid_count - first;
        good = put_some_tracks(w, first, left < most ? left : (uint32_t)most, bytes, message, size);
    }
    free(bytes);
    return good;
}

static void put_u32_at(unsigned char *to, uint64_t value)
{
    for (int i = 0; i < 4; ++i)
        to[i] = (unsigned char)(value >> 8 * i & 255);
}

static bool write_all(writer *w, char *message, size_t size)
{
    unsigned char head[20] = "glTF\2\0\0\0....----JSON", chunk[8] = {0, 0, 0, 0, 'B', 'I', 'N', 0};
    sn_file_put(&w->file, head, sizeof head);
    put_text(w);
    const uint64_t text = w->file.length - sizeof head;
    put_u32_at(chunk, w->end);
    if (w->end)
        sn_file_put(&w->file, chunk, sizeof chunk);
    if (!copy_frames(w, message, size))
        return false;
    for (uint32_t i = 0; w->times && i < w->glb->frame_count; ++i)
        sn_file_put_f32(&w->file, w->glb->time[i]);
    each_shape(w, put_shape_numbers);
    if (!put_tracks(w, message, size))
        return false;
    if (w->file.length > UINT32_MAX) {
        snprintf(message, size, "%s: larger than 4 GiB, which is the most that the format can hold", w->glb->path);
        return false;
    }
    put_u32_at(head + 8, w->file.length);
    put_u32_at(head + 12, text);
    return sn_file_keep(&w->file, message, size) && sn_file_patch(&w->file, 0, head, sizeof head, message, size);
}

bool sn_glb_write(sn_glb *glb, char *message, size_t size)
{
    writer w = {.glb = glb};
    lay_out(&w);
    bool good = take_colours(&w);
    if (!good)
        snprintf(message, size, "%s: no memory to write it", glb->path);
    good = good && sn_file_open(&w.file, glb->path, message, size);
    if (good && !(good = write_all(&w, message, size)))
        sn_file_discard(&w.file);
    good = good && sn_file_close(&w.file, message, size);
    free(w.colour);
    return good;
}
