/* Strengths of objects, and events that set strengths and cut. */
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Strengths --------------------------------------------------------------------------------------------------- */

static bool is_shape(uint32_t kind)
{
    return kind == SN_KIND_SHAPE_MATCH || kind == SN_KIND_SHAPE_MATCH_LINEAR || kind == SN_KIND_SHAPE_MATCH_QUADRATIC;
}

static bool is_volume(uint32_t kind)
{
    return kind == SN_KIND_VOLUME;
}

static bool is_rod(const sn_hold *hold)
{
    const uint32_t kind = hold->run.kind;
    return (kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX || kind == SN_KIND_DISTANCE_BAND ||
            kind == SN_KIND_SPRING) &&
           strcmp(hold->name, "bend") != 0;
}

static bool has_kind(const sn_object *object, bool (*is)(uint32_t kind))
{
    for (uint32_t i = 0; i < object->hold_count; ++i)
        if (is(object->hold[i].run.kind))
            return true;
    return false;
}

static bool on_surface(const sn_object *object, const bool *surface, sn_point point)
{
    const uint32_t number = point.count == 1 ? point.particle[0].index - object->run.first : UINT32_MAX;
    return number < object->run.count && surface[number];
}

/* Whether both ends of a rod are on the surface of its object: such a rod tears with the skin. */
static bool is_on_skin(const sn_scene *scene, const sn_object *object, const bool *surface, sn_constraint c)
{
    sn_constraint_def def;
    sn_point point[SN_MAX_POINTS];
    return surface && sn_constraint_read(scene->world, c, &def, point, SN_MAX_POINTS) == SN_OK &&
           on_surface(object, surface, point[0]) && on_surface(object, surface, point[1]);
}

/* Sets the strength of the constraints of a run that exist and are not on the skin. */
static sn_result weaken_run(const sn_scene *scene, const sn_object *object, sn_constraints run, const bool *surface,
                            const sn_tear_def *def)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; i < run.count && result == SN_OK; ++i) {
        const sn_constraint c = sn_constraints_at(run, i);
        const sn_constraints one = {c.kind, c.index, 1, c.generation};
        if (sn_constraint_is_valid(scene->world, c) && !is_on_skin(scene, object, surface, c))
            result = sn_constraints_set_tear(scene->world, one, def);
    }
    return result;
}

/* Surfaces and solids tear by their skin, soft bodies by their groups, and all other objects by their rods; so do
   rods inside of a body with a skin. */
static sn_result weaken(sn_scene *scene, const sn_object *object, const sn_tear_def *def)
{
    const bool soft = has_kind(object, is_shape), surface_tears = object->triangle_count && !soft;
    sn_result result = surface_tears ? sn_skin_set_tear(scene->world, object->skin, def) : SN_OK;
    if (result != SN_OK || (surface_tears && (has_kind(object, is_volume) || object->cells[0])))
        return result;
    bool *surface = surface_tears ? sn_arena_take(&scene->scratch, object->run.count, sizeof *surface) : NULL;
    if (surface_tears && !surface)
        return SN_ERROR_MEMORY;
    if (surface)
        memset(surface, 0, object->run.count * sizeof *surface);
    for (size_t i = 0; surface && i < 3 * (size_t)object->triangle_count; ++i)
        surface[object->triangle[i]] = true;
    sn_tear_def own = def ? *def : sn_default_tear_def();
    if (soft)
        own.force = 0; /* groups have no such limit */
    const bool none = own.strain == 0 && own.force == 0;
    for (uint32_t i = 0; i < object->hold_count && result == SN_OK; ++i) {
        const sn_hold *hold = &object->hold[i];
        if (soft ? is_shape(hold->run.kind) : is_rod(hold))
            result = surface || sn_constraints_set_tear(scene->world, hold->run, none ? NULL : &own) != SN_OK
                         ? weaken_run(scene, object, hold->run, surface, none ? NULL : &own)
                         : SN_OK;
    }
    sn_arena_release(&scene->scratch);
    return result;
}

/* Whether an object has anything that tears: a surface, groups or rods. */
static bool can_tear(const sn_object *object)
{
    if (object->triangle_count || has_kind(object, is_shape))
        return true;
    for (uint32_t i = 0; i < object->hold_count; ++i)
        if (is_rod(&object->hold[i]))
            return true;
    return false;
}

bool sn_scene_add_tear(sn_scene *scene, sn_reader *reader, sn_object *object, const sn_stuff *stuff)
{
    sn_object_skin *skin = &object->skin_def;
    sn_tear_def def = {skin->tear_strain, skin->tear_force, skin->tear_spread, skin->tear_seed, skin->tear_fatigue};
    if (def.strain == 0 && def.force == 0)
        def = (sn_tear_def){stuff->tear_strain, stuff->tear_force, stuff->tear_spread, stuff->tear_seed,
                            stuff->tear_fatigue};
    const bool soft = has_kind(object, is_shape);
    const bool given = def.strain > 0 || def.force > 0;
    const char *mistake = given && !can_tear(object) ? "has a strength, but neither a surface nor rods"
                          : def.strain > 0 || (def.force > 0 && !soft) ? NULL
                          : def.force > 0
                              ? "has 'tear_force', but a soft body of shape matching tears by 'tear_strain' alone"
                          : def.spread > 0 || def.fatigue > 0
                              ? "has 'tear_spread' or 'tear_fatigue', but neither 'tear_strain' nor 'tear_force'"
                              : NULL;
    if (mistake)
        sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false, "'%.80s' %s: it does not tear",
                        object->name, mistake);
    if (def.strain == 0 && def.force == 0)
        return true;
    if (object->triangle_count && !soft) {
        skin->on = true;
        skin->tear_strain = def.strain, skin->tear_force = def.force, skin->tear_spread = def.spread;
        skin->tear_seed = def.seed, skin->tear_fatigue = def.fatigue;
        if (!sn_skin_is_valid(scene->world, object->skin) && !sn_scene_add_skin(scene, reader, object, skin))
            return false;
    }
    return weaken(scene, object, &def) == SN_OK || sn_scene_refused(scene, reader);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

bool sn_scene_read_parting(sn_scene *scene, sn_reader *reader, sn_event_keys *keys)
{
    const bool plane = !isnan(keys->through.x), strength = keys->tear.strain > 0 || keys->tear.force > 0;
    if (plane && keys->type != SN_EVENT_CUT)
        return sn_reader_fail_key(reader, "through", "only an event of type \"cut\" has it");
    if (plane && keys->normal.x == 0 && keys->normal.y == 0 && keys->normal.z == 0)
        return sn_reader_fail_key(reader, "normal", "found [0, 0, 0], expected a direction");
    if (strength && keys->type != SN_EVENT_TEAR)
        return sn_reader_fail(reader, "'tear_strain' and 'tear_force' are for events of type \"tear\"");
    if (keys->object && !plane && keys->type != SN_EVENT_TEAR)
        return sn_reader_fail_key(reader, "object", "only a tear, and a cut with 'through', has it");
    if (keys->type == SN_EVENT_TEAR && !keys->object)
        return sn_reader_fail(reader, "the key 'object' is missing: what is to tear?");
    sn_object *object = NULL;
    for (uint32_t i = 0; keys->object && i < scene->objects.count; ++i)
        if (strcmp(scene_object(scene, i)->name, keys->object) == 0)
            object = scene_object(scene, i);
    if (keys->object && !object && sn_reader_doubts(reader, keys->object))
        return false;
    if (keys->object && !object)
        return sn_reader_fail_key(reader, "object", "there is no object '%.80s'", keys->object);
    keys->object = object ? object->name : NULL;
    if (keys->type == SN_EVENT_TEAR && !can_tear(object))
        sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false,
                        "'%.80s' has neither a surface nor rods: it does not tear", object->name);
    if (keys->type != SN_EVENT_TEAR || !object->triangle_count || has_kind(object, is_shape) ||
        sn_skin_is_valid(scene->world, object->skin))
        return true;
    object->skin_def.on = true; /* so that it can tear at its vertices; a saved scene has the skin, too */
    return sn_scene_add_skin(scene, reader, object, &object->skin_def);
}

sn_result sn_scene_part(sn_scene *scene, const sn_event_keys *keys)
{
    const sn_object *object = keys->object ? sn_scene_find_object(scene, keys->object) : NULL;
    if (keys->object && !object) /* the object was removed */
        return SN_OK;
    if (keys->type == SN_EVENT_TEAR)
        return weaken(scene, object, keys->tear.strain > 0 || keys->tear.force > 0 ? &keys->tear : NULL);
    sn_cut_def def = sn_default_cut_def();
    def.blade = SN_BLADE_PLANE;
    def.a = keys->through;
    def.b = keys->normal;
    def.one_group = object != NULL;
    def.group = object ? object->group : 0;
    sn_cut_info info;
    const sn_result result = sn_scene_slice(scene, &def, &info);
    if (result == SN_OK && !info.inserted && !info.split && !info.removed && !info.left && scene->options.log.write) {
        char text[160];
        snprintf(text, sizeof text, "the event 'cut' at %g s cuts nothing: its plane does not cross %.80s",
                 (double)keys->time, object ? object->name : "the scene");
        scene->options.log.write(scene->options.log.context, SN_LOG_WARNING, text);
    }
    return result;
}
