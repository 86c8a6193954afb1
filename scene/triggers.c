#include "scene/triggers.h"
#include "scene/state.h"
#include "scene/young.h"

#include <math.h>
#include <string.h>

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static bool read_side(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_trigger_side *side)
{
    const sn_scene_fixed *fixed = value->type == SN_VALUE_TEXT ? sn_scene_find_fixed(scene, value->text) : NULL;
    if (fixed) {
        side->fixed = fixed->handle;
        side->fixed_name = fixed->name;
        return true;
    }
    sn_selection of = {0};
    if (!sn_select(scene, reader, value, NULL, &scene->arena, &of))
        return false;
    uint32_t marks = sn_world_particle_count(scene->world);
    unsigned char *mark = sn_arena_take(&scene->arena, marks, 1);
    if (!mark)
        return sn_reader_fail(reader, "no memory for an event");
    for (uint32_t i = 0; i < of.count; ++i)
        if (of.number[i] < marks)
            mark[of.number[i]] = 1;
    side->count = of.count;
    side->number = of.number;
    side->marks = marks;
    side->mark = mark;
    return true;
}

/* One selector, or a list of one: contact with anything. A list of two: contact between these. */
static bool read_contact(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_trigger *trigger)
{
    const bool list = value->type == SN_VALUE_LIST;
    const uint32_t count = list ? value->count : 1;
    if (count < 1 || count > 2)
        return sn_reader_expected(reader, value, "a selector, or a list of two: what touches what");
    const sn_value *item = list ? value->first : value;
    bool good = true;
    trigger->side[1].anything = count == 1;
    for (uint32_t i = 0; i < count && good; ++i, item = item ? item->next : NULL) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = list && value->numbers ? value->numbers[i] : 0};
        good = read_side(scene, reader, item ? item : &number, &trigger->side[i]);
    }
    if (good && trigger->side[0].fixed.generation && trigger->side[1].fixed.generation)
        good = sn_reader_fail(reader, "two bodies that are static or kinematic never touch");
    sn_contact_settings settings = sn_world_contact_settings(scene->world);
    if (good && !settings.events) { /* contact events are recorded only if this setting asks for it */
        settings.events = true;
        good = sn_world_set_contact_settings(scene->world, &settings) == SN_OK || sn_scene_refused(scene, reader);
    }
    return good;
}

static bool read_points(sn_scene *scene, sn_reader *reader, const char *key, const sn_value *value, sn_point point[2])
{
    size_t length = sn_reader_enter_key(reader, key);
    bool good = value->type == SN_VALUE_LIST && value->count == 2;
    if (!good)
        sn_reader_expected(reader, value, "a list of two points");
    const sn_value *item = value->first;
    for (uint32_t i = 0; i < 2 && good; ++i, item = item ? item->next : NULL) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = value->numbers ? value->numbers[i] : 0};
        size_t inner = sn_reader_enter_item(reader, i);
        good = sn_select_point(scene, reader, item ? item : &number, &point[i]);
        sn_reader_leave(reader, inner);
    }
    sn_arena_release(&scene->scratch);
    sn_reader_leave(reader, length);
    return good;
}

static bool read_condition(sn_scene *scene, sn_reader *reader, const sn_when_keys *when, sn_trigger *trigger)
{
    const int given = (when->contact != NULL) + (when->broken != NULL) + (when->between != NULL);
    const bool bounded = !isnan(when->below) || !isnan(when->above);
    if (given > 1)
        return sn_reader_fail(reader, "expected one of the keys 'contact', 'broken' and 'between'");
    if (bounded != (when->between != NULL) || (!isnan(when->below) && !isnan(when->above)))
        return sn_reader_fail(reader, "expected 'between' together with 'below' or 'above'");
    if (when->between) {
        trigger->type = SN_TRIGGER_DISTANCE;
        return read_points(scene, reader, "between", when->between, trigger->between);
    }
    if (!given)
        return true;
    trigger->type = when->contact ? SN_TRIGGER_CONTACT : SN_TRIGGER_BROKEN;
    size_t length = sn_reader_enter_key(reader, when->contact ? "contact" : "broken");
    bool good = when->contact ? read_contact(scene, reader, when->contact, trigger)
                              : sn_select_constraints(scene, reader, when->broken, &scene->arena, &trigger->count,
                                                      &trigger->constraint);
    sn_reader_leave(reader, length);
    return good;
}

/* Whether the first parameter of a kind is a length. */
static bool has_length(const sn_world *world, sn_constraint c)
{
    const sn_kind *kind = sn_kind_info(world, c.kind);
    return kind && kind->param[0].name && kind->param[0].type == SN_PARAM_REAL && kind->param[0].unit &&
           strcmp(kind->param[0].unit, "m") == 0;
}

static bool check_lengths(const sn_scene *scene, sn_reader *reader, const sn_scene_event *event)
{
    const sn_event_keys *keys = &event->keys;
    if (isnan(keys->length) == isnan(keys->scale))
        return sn_reader_fail(reader, "expected one of the keys 'length' and 'scale'");
    for (uint32_t i = 0; i < event->cut_count; ++i)
        if (!has_length(scene->world, event->cut[i]))
            return sn_reader_fail_key(reader, "of", "a constraint of the kind '%s' has no length to change",
                                      sn_kind_info(scene->world, event->cut[i].kind)->name);
    return true;
}

static bool check_young(sn_reader *reader, const sn_event_keys *keys)
{
    const double newtons = sn_young_of_rod(reader, &keys->young, keys->compliance > 0);
    if (isnan(newtons) || newtons == 0)
        return isnan(newtons);
    if (keys->type != SN_EVENT_ATTACH)
        return sn_reader_fail_key(reader, "young", "only an event of type \"attach\" has it");
    if (keys->distance == 0)
        return sn_reader_fail_key(reader, "young", "Young's modulus needs a length: 'distance' is 0");
    return true;
}

bool sn_scene_read_trigger(sn_scene *scene, sn_reader *reader, sn_scene_event *event)
{
    sn_event_keys *keys = &event->keys;
    size_t length = sn_reader_enter_key(reader, "when");
    bool good = read_condition(scene, reader, &keys->when, &event->trigger);
    sn_reader_leave(reader, length);
    if (keys->type == SN_EVENT_ATTACH && !keys->between)
        good = sn_reader_fail(reader, "the key 'between' is missing: which two points?");
    else if (keys->type == SN_EVENT_ATTACH)
        good = read_points(scene, reader, "between", keys->between, event->point) && good;
    else if (keys->between)
        good = sn_reader_fail_key(reader, "between", "only an event of type \"attach\" has it");
    if (keys->type == SN_EVENT_LENGTH)
        good = check_lengths(scene, reader, event) && good;
    else if (!isnan(keys->length) || !isnan(keys->scale))
        good = sn_reader_fail(reader, "'length' and 'scale' are for events of type \"length\"");
    good = check_young(reader, keys) && good;
    /* these values are freed with the document */
    keys->when.contact = keys->when.broken = keys->when.between = keys->between = NULL;
    return good;
}

/* ---- Conditions -------------------------------------------------------------------------------------------------- */

static bool is_side(const sn_trigger_side *side, sn_particle particle, sn_body body)
{
    if (side->anything)
        return true;
    if (side->fixed.generation)
        return body.index == side->fixed.index && body.generation == side->fixed.generation;
    return particle.generation && particle.index < side->marks && side->mark[particle.index];
}

static bool touched(const sn_scene *scene, const sn_trigger *trigger)
{
    uint32_t count = 0;
    const sn_contact_event *event = sn_world_contact_events(scene->world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_contact_event *e = &event[i];
        const sn_trigger_side *a = &trigger->side[0], *b = &trigger->side[1];
        if (e->phase != SN_CONTACT_END && ((is_side(a, e->particle, e->body) && is_side(b, e->other, e->other_body)) ||
                                           (is_side(b, e->particle, e->body) && is_side(a, e->other, e->other_body))))
            return true;
    }
    return false;
}

static bool broken(const sn_scene *scene, const sn_trigger *trigger)
{
    for (uint32_t i = 0; i < trigger->count; ++i)
        if (!sn_constraint_is_valid(scene->world, trigger->constraint[i]))
            return true;
    return false;
}

sn_vec3 sn_scene_point_place(const sn_world *world, const sn_point *point)
{
    if (point->type == SN_POINT_PLACE)
        return point->place;
    if (point->type == SN_POINT_BODY)
        return sn_body_to_world(world, point->body, point->place);
    double x[3] = {0, 0, 0};
    for (uint32_t i = 0; i < point->count; ++i) {
        const sn_vec3 at = sn_particle_position(world, point->particle[i]);
        const double w = point->count == 1 ? 1 : (double)point->weight[i];
        x[0] += w * (double)at.x;
        x[1] += w * (double)at.y;
        x[2] += w * (double)at.z;
    }
    return (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]};
}

static bool is_apart(const sn_scene *scene, const sn_scene_event *event)
{
    const sn_vec3 a = sn_scene_point_place(scene->world, &event->trigger.between[0]),
                  b = sn_scene_point_place(scene->world, &event->trigger.between[1]);
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    const double distance = sqrt(x * x + y * y + z * z); /* NaN if something was removed; no comparison then holds */
    const sn_when_keys *when = &event->keys.when;
    return isnan(when->below) ? distance > (double)when->above : distance < (double)when->below;
}

void sn_scene_look_at_triggers(sn_scene *scene)
{
    sn_scene_event *event = scene->events.items;
    for (uint32_t i = 0; i < scene->events.count; ++i) {
        sn_trigger *trigger = &event[i].trigger;
        if (event[i].done || trigger->holds || trigger->type == SN_TRIGGER_NONE ||
            (double)event[i].keys.time > sn_scene_time(scene))
            continue;
        trigger->holds = trigger->type == SN_TRIGGER_CONTACT  ? touched(scene, trigger)
                         : trigger->type == SN_TRIGGER_BROKEN ? broken(scene, trigger)
                                                              : is_apart(scene, &event[i]);
    }
}

/* ---- Actions ----------------------------------------------------------------------------------------------------- */

static sn_result attach(sn_scene *scene, const sn_scene_event *event)
{
    const sn_event_keys *keys = &event->keys;
    const bool glued = keys->distance == 0;
    sn_constraint_def def = sn_default_constraint_def(glued ? SN_KIND_ATTACHMENT : SN_KIND_DISTANCE);
    sn_constraint made;
    def.points = (sn_point *)event->point;
    def.point_count = 2;
    def.compliance = keys->compliance;
    if (!glued)
        def.param[0] = isnan(keys->distance) ? SN_MEASURE : keys->distance;
    sn_result result = sn_constraint_add(scene->world, &def, &made);
    const double newtons = sn_young_newtons(&keys->young);
    return result == SN_OK && !isnan(newtons) ? sn_young_set(scene->world, made, newtons, 0) : result;
}

static sn_result set_length(sn_scene *scene, const sn_event_keys *keys, sn_constraint c)
{
    sn_constraint_def def;
    if (!sn_constraint_is_valid(scene->world, c)) /* the constraint may have been removed or cut before */
        return SN_OK;
    sn_point points[SN_MAX_POINTS];
    sn_result result = sn_constraint_read(scene->world, c, &def, points, SN_MAX_POINTS);
    const sn_real length = isnan(keys->length) ? def.param[0] * keys->scale : keys->length;
    return result == SN_OK
               ? sn_constraint_set_param(scene->world, c, sn_kind_info(scene->world, c.kind)->param[0].name, &length, 1)
               : result;
}

sn_result sn_scene_happen_to_constraints(sn_scene *scene, const sn_scene_event *event)
{
    sn_result result = event->keys.type == SN_EVENT_ATTACH ? attach(scene, event) : SN_OK;
    for (uint32_t i = 0; event->keys.type == SN_EVENT_LENGTH && i < event->cut_count && result == SN_OK; ++i)
        result = set_length(scene, &event->keys, event->cut[i]);
    return result;
}
