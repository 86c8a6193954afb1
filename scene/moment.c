/* Moments of a scene: a snapshot of the world, and copies of the scene's frame and lists, which are all that changes
   while it runs or is added to. What the lists point to stays in the scene's arena as long as the scene lives. */
#include "scene/state.h"

#include <stdio.h>
#include <string.h>

/* The lists of a scene that a moment copies, and the size of their items. */
static const struct {
    size_t offset, item;
} lists[] = {
#define LIST(name, type)                                                                                               \
    {                                                                                                                  \
        offsetof(sn_scene, name), sizeof(type)                                                                         \
    }
    LIST(objects, sn_object *),
    LIST(groups, sn_scene_group),
    LIST(fixed, sn_scene_fixed),
    LIST(holds, sn_hold),
    LIST(given_points, sn_given_points),
    LIST(forces, sn_scene_force),
    LIST(motions, sn_scene_motion),
    LIST(blades, sn_scene_blade),
    LIST(characters, sn_scene_character),
    LIST(events, sn_scene_event),
    LIST(pinned, sn_pinned),
    LIST(traced_particles, sn_traced_particle),
    LIST(traced_constraints, sn_traced_constraint),
    LIST(traced_heaps, sn_traced_heap),
    LIST(drags, uint32_t),
    LIST(drag_objects, const char *),
#undef LIST
};

enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

struct sn_scene_moment {
    sn_allocator allocator;
    sn_snapshot *world;
    char *copies; /* the items of all lists in turn, then the skins of all objects (a cut may add one) */
    size_t size;  /* of copies, in bytes */
    uint32_t count[LIST_COUNT];
    double time;
    double planned;
    uint32_t frame;
    bool prepared;
};

static sn_growing *list_of(sn_scene *scene, size_t i)
{
    return (sn_growing *)(void *)((char *)scene + lists[i].offset);
}

/* Copies the lists; false when memory runs out; then nothing has changed. */
static bool copy_lists(sn_scene *scene, sn_scene_moment *moment)
{
    const sn_allocator *allocator = &moment->allocator;
    size_t size = 0;
    for (size_t i = 0; i < LIST_COUNT; ++i)
        size += list_of(scene, i)->count * lists[i].item;
    size += scene->objects.count * sizeof(sn_skin);
    if (!moment->copies || size > moment->size) {
        char *copies = allocator->allocate(allocator->context, size ? size : 1, sizeof(void *));
        if (!copies)
            return false;
        if (moment->copies)
            allocator->release(allocator->context, moment->copies, moment->size ? moment->size : 1);
        moment->copies = copies;
        moment->size = size;
    }
    char *to = moment->copies;
    for (size_t i = 0; i < LIST_COUNT; ++i) {
        const sn_growing *from = list_of(scene, i);
        size_t bytes = from->count * lists[i].item;
        if (bytes)
            memcpy(to, from->items, bytes);
        to += bytes;
        moment->count[i] = from->count;
    }
    for (uint32_t i = 0; i < scene->objects.count; ++i, to += sizeof(sn_skin))
        memcpy(to, &scene_object(scene, i)->skin, sizeof(sn_skin));
    moment->time = sn_scene_time(scene);
    moment->frame = scene->frame;
    moment->prepared = scene->prepared;
    moment->planned = scene->planned;
    return true;
}

sn_scene_moment *sn_scene_mark(sn_scene *scene)
{
    const sn_allocator *allocator = &scene->arena.allocator;
    sn_scene_moment *moment = allocator->allocate(allocator->context, sizeof *moment, sizeof(void *));
    if (!moment)
        return NULL;
    *moment = (sn_scene_moment){.allocator = *allocator, .world = sn_world_save(scene->world)};
    if (!moment->world || !copy_lists(scene, moment)) {
        sn_scene_moment_destroy(moment);
        return NULL;
    }
    return moment;
}

sn_result sn_scene_mark_again(sn_scene *scene, sn_scene_moment *moment)
{
    sn_scene_moment before = *moment;
    before.copies = NULL;
    if (!copy_lists(scene, &before))
        return SN_ERROR_MEMORY;
    sn_result result = sn_world_save_into(scene->world, moment->world);
    char *gone = result == SN_OK ? moment->copies : before.copies;
    size_t size = result == SN_OK ? moment->size : before.size;
    if (result == SN_OK)
        *moment = before;
    moment->allocator.release(moment->allocator.context, gone, size ? size : 1);
    return result;
}

/* Whether the lists of a moment fit. The capacity of a list never decreases, so a moment that does not fit is from
   another scene. */
static bool has_room(sn_scene *scene, const sn_scene_moment *moment)
{
    bool room = true;
    for (size_t i = 0; i < LIST_COUNT; ++i)
        room = room && moment->count[i] <= list_of(scene, i)->capacity;
    return room;
}

sn_result sn_scene_return(sn_scene *scene, const sn_scene_moment *moment)
{
    const bool fits = has_room(scene, moment);
    sn_result result = fits ? sn_world_load(scene->world, moment->world) : SN_ERROR_ARGUMENT;
    if (result != SN_OK) {
        snprintf(scene->error, sizeof scene->error, "%s",
                 fits ? sn_world_error(scene->world) : "the moment is of another scene");
        return result;
    }
    const char *from = moment->copies;
    for (size_t i = 0; i < LIST_COUNT; ++i) {
        sn_growing *to = list_of(scene, i);
        size_t bytes = moment->count[i] * lists[i].item;
        if (bytes)
            memcpy(to->items, from, bytes);
        to->count = moment->count[i];
        from += bytes;
    }
    for (uint32_t i = 0; i < scene->objects.count; ++i, from += sizeof(sn_skin))
        memcpy(&scene_object(scene, i)->skin, from, sizeof(sn_skin));
    scene->frame = moment->frame;
    scene->prepared = moment->prepared;
    scene->planned = moment->planned;
    return SN_OK;
}

double sn_scene_moment_time(const sn_scene_moment *moment)
{
    return moment->time;
}

size_t sn_scene_moment_size(const sn_scene_moment *moment)
{
    return sizeof *moment + moment->size + sn_snapshot_size(moment->world);
}

void sn_scene_moment_destroy(sn_scene_moment *moment)
{
    if (!moment)
        return;
    sn_allocator allocator = moment->allocator;
    sn_snapshot_destroy(moment->world);
    if (moment->copies)
        allocator.release(allocator.context, moment->copies, moment->size ? moment->size : 1);
    allocator.release(allocator.context, moment, sizeof *moment);
}
