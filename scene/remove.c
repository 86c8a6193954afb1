/* Removing an object, or one body, from a scene. Its particles are taken out of forces, motions, events and records,
   since new particles may get their numbers. */
#include "scene/state.h"

#include <stdio.h>
#include <string.h>

/* A removal: the numbers of the particles that are removed are marked. */
typedef struct removal {
    sn_scene *scene;
    const sn_object *object; /* NULL: one body is removed */
    sn_body body;            /* null: an object is removed */
    bool *gone;
    uint32_t limit;
    bool failed;
} removal;

static bool is_gone(const removal *r, uint32_t number)
{
    return number < r->limit && r->gone[number];
}

static void mark(removal *r, uint32_t number)
{
    if (number < r->limit)
        r->gone[number] = true;
}

static void mark_object(removal *r, const sn_object *object)
{
    const sn_world *world = r->scene->world;
    uint32_t corners = 0;
    const uint32_t *corner =
        sn_skin_is_valid(world, object->skin) ? sn_skin_triangles(world, object->skin, &corners) : NULL;
    for (uint32_t i = 0; i < object->run.count; ++i)
        if (sn_particle_is_valid(world, sn_particles_at(object->run, i)))
            mark(r, object->run.first + i);
    for (uint32_t i = 0; i < 3 * corners; ++i) /* tearing may have added particles, which are only in the skin */
        mark(r, corner[i]);
    for (uint32_t i = 0; i < object->body_count; ++i)
        if (sn_body_is_valid(world, object->body[i].handle))
            mark(r, sn_body_particle(world, object->body[i].handle).index);
}

/* ---- References -------------------------------------------------------------------------------------------------- */

static void *take(removal *r, size_t count, size_t size)
{
    void *room = sn_arena_take(&r->scene->arena, count ? count : 1, size);
    r->failed = r->failed || !room;
    return room;
}

static uint32_t count_gone(const removal *r, const sn_selection *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->count; ++i)
        count += is_gone(r, of->number[i]);
    return count;
}

/* Removes these particles from a selection. The list is copied, since an earlier moment of the scene may use it. */
static void thin(removal *r, sn_selection *of)
{
    uint32_t lost = count_gone(r, of), kept = 0;
    uint32_t *number = lost ? take(r, of->count - lost, sizeof *number) : NULL;
    if (!number)
        return;
    for (uint32_t i = 0; i < of->count; ++i)
        if (!is_gone(r, of->number[i]))
            number[kept++] = of->number[i];
    *of = (sn_selection){kept, number};
}

static void thin_sheets(removal *r, sn_scene_force *force)
{
    uint32_t kept = 0;
    sn_wind_sheet *sheet = take(r, force->sheet_count, sizeof *sheet);
    for (uint32_t i = 0; sheet && i < force->sheet_count; ++i)
        if (force->sheet[i].object != r->object)
            sheet[kept++] = force->sheet[i];
    force->sheet = sheet;
    force->sheet_count = kept;
}

static bool keeps_force(removal *r, void *item)
{
    sn_scene_force *force = item;
    if (!count_gone(r, &force->of))
        return true;
    thin(r, &force->of);
    thin(r, &force->lone);
    thin_sheets(r, force);
    return force->of.count > 0;
}

static bool keeps_motion(removal *r, void *item)
{
    sn_scene_motion *motion = item;
    if (motion->leads_fixed)
        return motion->body.index != r->body.index || motion->body.generation != r->body.generation;
    uint32_t lost = count_gone(r, &motion->of), kept = 0;
    if (!lost)
        return true;
    sn_vec3 *start = take(r, motion->of.count - lost, sizeof *start);
    sn_quat *turned = motion->turned ? take(r, motion->of.count - lost, sizeof *turned) : NULL;
    for (uint32_t i = 0; !r->failed && i < motion->of.count; ++i) {
        if (is_gone(r, motion->of.number[i]))
            continue;
        start[kept] = motion->start[i];
        if (turned)
            turned[kept] = motion->turned[i];
        kept++;
    }
    motion->start = start;
    motion->turned = turned;
    thin(r, &motion->of);
    return motion->of.count > 0;
}

static void thin_side(removal *r, sn_trigger_side *side)
{
    sn_selection of = {side->count, side->number};
    unsigned char *left = count_gone(r, &of) ? take(r, side->marks, sizeof *left) : NULL;
    if (!left)
        return;
    thin(r, &of);
    for (uint32_t i = 0; i < side->marks; ++i)
        left[i] = side->mark[i] && !is_gone(r, i);
    side->count = of.count;
    side->number = of.number;
    side->mark = left;
}

static bool keeps_event(removal *r, void *item)
{
    sn_scene_event *event = item;
    bool had = event->of.count > 0;
    thin(r, &event->of);
    thin_side(r, &event->trigger.side[0]);
    thin_side(r, &event->trigger.side[1]);
    return !had || event->of.count > 0;
}

static bool keeps_pinned(removal *r, void *item)
{
    return !is_gone(r, ((const sn_pinned *)item)->number);
}

static bool keeps_traced(removal *r, void *item)
{
    return !is_gone(r, ((const sn_traced_particle *)item)->particle.index);
}

static bool keeps_heap(removal *r, void *item)
{
    return ((const sn_traced_heap *)item)->object != r->object;
}

static bool keeps_character(removal *r, void *item)
{
    const sn_scene_character *character = item;
    return !is_gone(r, sn_body_particle(r->scene->world, character->body).index);
}

static bool keeps_object(removal *r, void *item)
{
    return *(sn_object **)item != r->object;
}

static bool keeps_fixed(removal *r, void *item)
{
    const sn_scene_fixed *fixed = item;
    return fixed->handle.index != r->body.index || fixed->handle.generation != r->body.generation;
}

/* Keeps the items of a list for which a function returns true, in their order. */
static void sift(removal *r, sn_growing *list, size_t size, bool (*keeps)(removal *r, void *item))
{
    char *items = list->items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count && !r->failed; ++i) {
        if (!keeps(r, items + i * size))
            continue;
        if (kept != i)
            memcpy(items + kept * size, items + i * size, size);
        kept++;
    }
    list->count = kept;
}

static void forget(removal *r)
{
    sn_scene *scene = r->scene;
    const char **drag = scene->drag_objects.items;
    uint32_t *number = scene->drags.items, kept = 0;
    sift(r, &scene->forces, sizeof(sn_scene_force), keeps_force);
    sift(r, &scene->motions, sizeof(sn_scene_motion), keeps_motion);
    sift(r, &scene->events, sizeof(sn_scene_event), keeps_event);
    sift(r, &scene->pinned, sizeof(sn_pinned), keeps_pinned);
    sift(r, &scene->traced_particles, sizeof(sn_traced_particle), keeps_traced);
    sift(r, &scene->traced_heaps, sizeof(sn_traced_heap), keeps_heap);
    sift(r, &scene->characters, sizeof(sn_scene_character), keeps_character);
    sift(r, &scene->fixed, sizeof(sn_scene_fixed), keeps_fixed);
    for (uint32_t i = 0; i < scene->drags.count; ++i) {
        if (r->object && drag[i] && strcmp(drag[i], r->object->name) == 0)
            continue; /* without members in its group this drag has no effect */
        drag[kept] = drag[i];
        number[kept++] = number[i];
    }
    scene->drags.count = scene->drag_objects.count = kept;
    sift(r, &scene->objects, sizeof(sn_object *), keeps_object);
}

/* ---- The world --------------------------------------------------------------------------------------------------- */

static sn_result take_out(removal *r)
{
    sn_world *world = r->scene->world;
    const sn_object *object = r->object;
    sn_result result = SN_OK;
    if (r->body.generation)
        return sn_body_remove(world, r->body);
    for (uint32_t i = 0; i < object->body_count && result == SN_OK; ++i)
        if (sn_body_is_valid(world, object->body[i].handle))
            result = sn_body_remove(world, object->body[i].handle);
    if (result == SN_OK && sn_skin_is_valid(world, object->skin))
        result = sn_skin_remove(world, object->skin);
    for (uint32_t i = 0; i < r->limit && result == SN_OK; ++i) {
        sn_particle p = r->gone[i] ? sn_particle_from_index(world, i) : (sn_particle){0, 0};
        if (p.generation)
            result = sn_particle_remove(world, p);
    }
    return result;
}

/* ---- Finding the object ------------------------------------------------------------------------------------------ */

static bool find_body(sn_scene *scene, const char *name, removal *r)
{
    const sn_scene_fixed *fixed = sn_scene_find_fixed(scene, name);
    if (fixed) {
        r->body = fixed->handle;
        return true;
    }
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        const sn_object *object = scene_object(scene, i);
        for (uint32_t k = 0; k < object->body_count; ++k) {
            char label[160];
            sn_object_label(object, object->run.count + k, label, sizeof label);
            if (strcmp(label, name) != 0 || !sn_body_is_valid(scene->world, object->body[k].handle))
                continue;
            r->body = object->body[k].handle;
            mark(r, sn_body_particle(scene->world, r->body).index);
            return true;
        }
    }
    return false;
}

static bool find(sn_scene *scene, const char *name, removal *r)
{
    for (uint32_t i = 0; i < scene->objects.count; ++i) {
        const sn_object *object = scene_object(scene, i);
        if (strcmp(object->name, name) != 0)
            continue;
        r->object = object;
        mark_object(r, object);
        return true;
    }
    return find_body(scene, name, r);
}

sn_result sn_scene_remove(sn_scene *scene, const char *name)
{
    if (!scene)
        return SN_ERROR_ARGUMENT;
    removal r = {.scene = scene, .limit = sn_world_view_positions(scene->world).slot_count};
    sn_scene_moment *before = NULL;
    sn_result result = SN_OK;
    r.gone = sn_arena_take(&scene->scratch, r.limit ? r.limit : 1, sizeof *r.gone);
    if (r.gone)
        memset(r.gone, 0, r.limit * sizeof *r.gone);
    if (!name || !r.gone || !find(scene, name, &r)) {
        result = r.gone ? SN_ERROR_ARGUMENT : SN_ERROR_MEMORY;
        snprintf(scene->error, sizeof scene->error, "there is no object and no body '%s'", name ? name : "(null)");
    } else if (!(before = sn_scene_mark(scene))) {
        result = SN_ERROR_MEMORY;
    } else {
        forget(&r); /* first, since it looks things up that are then removed */
        result = r.failed ? SN_ERROR_MEMORY : take_out(&r);
        if (result != SN_OK)
            sn_scene_return(scene, before);
    }
    if (result == SN_ERROR_MEMORY)
        snprintf(scene->error, sizeof scene->error, "no memory to remove '%s'", name ? name : "");
    sn_scene_moment_destroy(before);
    sn_arena_release(&scene->scratch);
    return result;
}
