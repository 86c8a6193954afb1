/* Calls that change a running scene: a wind on everything, and the friction of everything. */
#include "scene/tables.h"
#include "scene/wind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BREEZE_GUST ((sn_real)0.3)

static sn_scene_force *find_breeze(sn_scene *scene, uint32_t *place)
{
    sn_scene_force *force = scene->forces.items;
    for (*place = 0; *place < scene->forces.count; ++*place)
        if (force[*place].breeze)
            return &force[*place];
    return NULL;
}

static bool make_breeze(sn_scene *scene, sn_reader *reader, sn_vec3 velocity, sn_scene_force *out)
{
    sn_force_record.defaults(&out->keys);
    out->keys.type = SN_FORCE_WIND;
    out->keys.value = velocity;
    out->keys.gust = BREEZE_GUST;
    out->all = true;
    out->breeze = scene->objects.count + 1;
    return sn_scene_select_everything(scene, reader, &out->of) && sn_wind_begin(scene, reader, out);
}

sn_result sn_scene_set_breeze(sn_scene *scene, sn_vec3 velocity)
{
    if (!scene)
        return SN_ERROR_ARGUMENT;
    const bool flat = sn_world_dimensions(scene->world) == 2;
    if (!isfinite(velocity.x) || !isfinite(velocity.y) || !isfinite(velocity.z) || (flat && velocity.z != 0)) {
        snprintf(scene->error, sizeof scene->error, "found a wind of (%g, %g, %g) m/s, expected finite numbers%s",
                 (double)velocity.x, (double)velocity.y, (double)velocity.z,
                 flat ? ", and z = 0 in two dimensions" : "");
        return SN_ERROR_ARGUMENT;
    }
    uint32_t place;
    sn_scene_force *found = find_breeze(scene, &place), made = {0};
    const bool calm = velocity.x == 0 && velocity.y == 0 && velocity.z == 0;
    if (found && found->breeze == scene->objects.count + 1 && !calm) {
        found->keys.value = velocity;
        return SN_OK;
    }
    sn_problems problems;
    sn_reader reader;
    sn_problems_init(&problems, &scene->options.allocator);
    sn_reader_init(&reader, &scene->scratch, &problems);
    bool good = calm || make_breeze(scene, &reader, velocity, &made);
    sn_scene_force *to = found || calm || !good ? found : sn_growing_add(&scene->forces, &scene->arena, sizeof *to);
    good = good && (calm || to);
    if (good && !calm)
        *to = made;
    else if (good && found)
        memmove(found, found + 1, (--scene->forces.count - place) * sizeof *found);
    if (!good)
        snprintf(scene->error, sizeof scene->error, "no memory for the wind");
    sn_problems_release(&problems);
    sn_arena_release(&scene->scratch);
    return good ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_scene_set_friction(sn_scene *scene, sn_real friction)
{
    if (!scene)
        return SN_ERROR_ARGUMENT;
    const sn_scene_group *group = scene->groups.items;
    sn_result result = SN_OK;
    for (uint32_t i = 0; i <= scene->groups.count + scene->objects.count && result == SN_OK; ++i) {
        uint32_t number = i == 0                     ? 0
                          : i <= scene->groups.count ? group[i - 1].number
                                                     : scene_object(scene, i - scene->groups.count - 1)->group;
        sn_group_contact contact = sn_world_group_contact(scene->world, number);
        contact.material.static_friction = contact.material.dynamic_friction = friction;
        result = sn_world_set_group_contact(scene->world, number, &contact);
    }
    if (result != SN_OK)
        snprintf(scene->error, sizeof scene->error, "%s", sn_world_error(scene->world));
    return result;
}
