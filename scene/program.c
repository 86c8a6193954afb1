/* Actions of a running scene: drags, forces over time, motions of particles and kinematic bodies along keyframes,
   events. */
#include "scene/characters.h"
#include "scene/state.h"
#include "scene/wind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Times are compared with this slack, in seconds and as a share of the time, so that an event at 0.1 s happens in
   frame 6 of 60 a second, and one at 100.1 s, which a float cannot represent, in frame 6006. */
#define TIME_SLACK      1e-7
#define TIME_SLACK_PART 1.2e-7

static double slack_at(double time)
{
    return TIME_SLACK + TIME_SLACK_PART * fabs(time);
}

/* Whether the time has reached a moment, which may be infinite. */
static bool has_come(double time, sn_real moment)
{
    return time - (double)moment >= -slack_at(time);
}

static sn_particle particle(const sn_scene *scene, uint32_t number)
{
    return sn_particle_from_index(scene->world, number);
}

/* ---- Drags ------------------------------------------------------------------------------------------------------- */

static bool read_matrix(sn_reader *reader, const sn_value *value, sn_drag_def *def)
{
    size_t length = sn_reader_enter_key(reader, "matrix");
    bool good = value->type == SN_VALUE_LIST && value->count == 3 && value->first;
    if (!good)
        sn_reader_expected(reader, value, "three lists of three numbers");
    uint32_t row = 0;
    for (const sn_value *item = good ? value->first : NULL; item; item = item->next, ++row) {
        uint32_t count;
        const double *x = sn_value_numbers(item, &count);
        size_t inner = sn_reader_enter_item(reader, row);
        if (!x || count != 3)
            good = sn_reader_expected(reader, item, "a list of three numbers");
        for (uint32_t k = 0; good && k < 3; ++k)
            def->matrix[row][k] = (sn_real)x[k];
        sn_reader_leave(reader, inner);
    }
    sn_reader_leave(reader, length);
    return good;
}

static bool add_drag(sn_scene *scene, sn_reader *reader, const sn_drag_keys *keys)
{
    sn_drag_def def = keys->def;
    if (keys->matrix && !read_matrix(reader, keys->matrix, &def))
        return false;
    if (keys->object) {
        const sn_object *object = sn_scene_find_object(scene, keys->object);
        if (!object && sn_reader_doubts(reader, keys->object))
            return false;
        if (!object)
            return sn_reader_fail_key(reader, "object", "there is no object '%.80s'", keys->object);
        def.one_group = true;
        def.group = object->group;
        for (uint32_t i = 0; i < scene->objects.count; ++i)
            if (scene_object(scene, i) != object && scene_object(scene, i)->group == object->group)
                sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false,
                                "this drag also acts on '%s', which is of the same group as '%s'",
                                scene_object(scene, i)->name, object->name);
    }
    uint32_t *number = sn_growing_add(&scene->drags, &scene->arena, sizeof *number);
    const char **name = sn_growing_add(&scene->drag_objects, &scene->arena, sizeof *name);
    if (!number || !name)
        return sn_reader_fail(reader, "no memory for a drag");
    *name = keys->object;
    return sn_drag_add(scene->world, &def, number) == SN_OK || sn_scene_refused(scene, reader);
}

bool sn_scene_read_drags(sn_scene *scene, sn_reader *reader, const sn_list_of *drags)
{
    size_t length = sn_reader_enter_key(reader, "world");
    sn_reader_enter_key(reader, "drags");
    bool good = true;
    for (uint32_t i = 0; i < drags->count; ++i) {
        size_t inner = sn_reader_enter_item(reader, i);
        good = add_drag(scene, reader, (const sn_drag_keys *)drags->items + i) && good;
        sn_reader_leave(reader, inner);
    }
    sn_reader_leave(reader, length);
    return good;
}

/* ---- Reading forces, motions, blades and events ------------------------------------------------------------------ */

static bool select_key(sn_scene *scene, sn_reader *reader, const char *key, const sn_value *value, sn_selection *out)
{
    size_t length = sn_reader_enter_key(reader, key);
    bool good = sn_select(scene, reader, value, NULL, &scene->arena, out);
    sn_reader_leave(reader, length);
    return good;
}

/* Refuses a z component in a world of two dimensions. */
static bool check_flat(const sn_scene *scene, sn_reader *reader, const char *key, sn_vec3 v)
{
    if (sn_world_dimensions(scene->world) == 3 || v.z == 0 || isnan(v.x))
        return true;
    return sn_reader_fail_key(reader, key, "found z = %g, expected 0 in a world of two dimensions", (double)v.z);
}

/* Whether an item of an object still exists. */
static bool is_there(const sn_world *world, const sn_object *object, uint32_t item)
{
    return item < object->run.count ? sn_particle_is_valid(world, sn_particles_at(object->run, item))
                                    : sn_body_is_valid(world, object->body[item - object->run.count].handle);
}

bool sn_scene_select_everything(sn_scene *scene, sn_reader *reader, sn_selection *out)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < scene->objects.count; ++i)
        count += sn_object_items(scene_object(scene, i));
    if (!sn_scene_fits(scene, reader, (double)count * sizeof(uint32_t)))
        return false;
    uint32_t *number = sn_arena_take(&scene->arena, count, sizeof *number);
    if (!number)
        return sn_reader_fail(reader, "no memory for %u particles", count);
    for (uint32_t i = 0; i < scene->objects.count; ++i)
        for (uint32_t k = 0; k < sn_object_items(scene_object(scene, i)); ++k)
            if (is_there(scene->world, scene_object(scene, i), k))
                number[at++] = sn_object_number(scene->world, scene_object(scene, i), k);
    *out = (sn_selection){at, number};
    return true;
}

/* Warns of a time that is not reached: what begins after the beginning of the last frame never happens. */
static void warn_of_end(const sn_scene *scene, sn_reader *reader, const char *key, sn_real time)
{
    double frames = (double)scene->info.warm_up + scene->info.frames;
    double last = scene->start_time + (scene->start_frame + frames - 1) / (double)scene->info.rate;
    if (frames == 0 || !isfinite(time) || has_come(last, time))
        return;
    size_t length = sn_reader_enter_key(reader, key);
    sn_problems_add(
        reader->problems, SN_PROBLEM_WARNING, reader->path, false,
        "%g s is after the end: the scene runs %.0f frames at %g a second, the last of which begins at %g s",
        (double)time, frames, (double)scene->info.rate, last);
    sn_reader_leave(reader, length);
}

static bool read_force(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_scene_force *force = sn_growing_add(&scene->forces, &scene->arena, sizeof *force);
    if (!force)
        return sn_reader_fail(reader, "no memory for a force");
    const bool good = sn_record_read_one(reader, value, &sn_force_record, &force->keys);
    force->all = !force->keys.of;
    if (!(force->all ? sn_scene_select_everything(scene, reader, &force->of)
                     : select_key(scene, reader, "of", force->keys.of, &force->of)) ||
        !good)
        return false;
    force->keys.of = NULL; /* the value is freed with the document */
    if (force->keys.to < force->keys.from)
        return sn_reader_fail_key(reader, "to", "found %g s, expected a time after 'from', which is %g s",
                                  (double)force->keys.to, (double)force->keys.from);
    if (!check_flat(scene, reader, "value", force->keys.value))
        return false;
    warn_of_end(scene, reader, "from", force->keys.from);
    return force->keys.type != SN_FORCE_WIND || sn_wind_begin(scene, reader, force);
}

static bool check_keyframes(sn_reader *reader, const sn_list_of *keys)
{
    const sn_motion_key *key = keys->items;
    if (keys->count == 0)
        return sn_reader_fail_key(reader, "keys", "expected at least one keyframe");
    for (uint32_t i = 1; i < keys->count; ++i)
        if (!(key[i].time > key[i - 1].time))
            return sn_reader_fail_key(reader, "keys", "keyframe %u is at %g s, not later than the one before at %g s",
                                      i, (double)key[i].time, (double)key[i - 1].time);
    return true;
}

static bool check_flat_motion(const sn_scene *scene, sn_reader *reader, const sn_motion_keys *motion)
{
    const sn_motion_key *key = motion->keys.items;
    bool good = check_flat(scene, reader, "about", motion->about), turns = false;
    for (uint32_t i = 0; i < motion->keys.count && good; ++i) {
        turns = turns || key[i].angle != 0;
        good = check_flat(scene, reader, "keys", key[i].move);
    }
    if (good && turns && sn_world_dimensions(scene->world) == 2 && (motion->axis.x != 0 || motion->axis.y != 0))
        return sn_reader_fail_key(reader, "axis", "in a 2D world things turn about the axis [0, 0, 1] only");
    return good;
}

static sn_body body_of(const sn_scene *scene, uint32_t number)
{
    return sn_particle_body(scene->world, particle(scene, number));
}

/* The count of numbers in `start` for a moved particle or body: 3 for a position, 7 with the orientation of a body. */
static uint32_t start_size(const sn_scene *scene, uint32_t number)
{
    return body_of(scene, number).generation ? 7 : 3;
}

static bool check_start(const sn_scene *scene, sn_reader *reader, const sn_scene_motion *motion)
{
    const sn_numbers *given = &motion->keys.start;
    uint64_t expected = 0;
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < motion->of.count; ++i) {
        uint32_t size = start_size(scene, motion->of.number[i]);
        const double *x = given->data && expected + size <= given->count ? given->data + expected : NULL;
        if (x && size == 7 && x[3] == 0 && x[4] == 0 && x[5] == 0 && x[6] == 0)
            return sn_reader_fail_key(reader, "start", "the quaternion of body %u of them is 0", i);
        expected += size;
        bodies += size == 7;
    }
    if (!given->data || given->count == expected)
        return true;
    if (reader->doubts_numbers)
        return false;
    if (bodies)
        return sn_reader_fail_key(reader, "start",
                                  "found %u numbers, expected three for each of %u particles and seven "
                                  "for each of %u bodies",
                                  given->count, motion->of.count - bodies, bodies);
    return sn_reader_fail_key(reader, "start", "found %u numbers, expected three for each of %u particles",
                              given->count, motion->of.count);
}

/* The pose of a moved particle or body at the start of the motion: from the file if x is given, else the present
   one. */
static void start_at(const sn_scene *scene, uint32_t number, const double *x, sn_vec3 *place, sn_quat *turned)
{
    sn_body body = body_of(scene, number);
    bool turns = body.generation != 0;
    if (x)
        *place = (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]};
    else
        *place =
            turns ? sn_body_position(scene->world, body) : sn_particle_position(scene->world, particle(scene, number));
    if (turns)
        *turned = x ? (sn_quat){(sn_real)x[3], (sn_real)x[4], (sn_real)x[5], (sn_real)x[6]}
                    : sn_body_rotation(scene->world, body);
}

/* Reads or stores the poses of particles and dynamic bodies at the start of the motion. */
static bool begin_with_particles(sn_scene *scene, sn_reader *reader, sn_scene_motion *motion)
{
    if (!select_key(scene, reader, "of", motion->keys.of, &motion->of) ||
        !sn_scene_fits(scene, reader, (double)motion->of.count * (sizeof(sn_vec3) + sizeof(sn_quat))))
        return false;
    sn_vec3 *start = sn_arena_take(&scene->arena, motion->of.count, sizeof *start);
    sn_quat *turned = sn_arena_take(&scene->arena, motion->of.count, sizeof *turned);
    if (!start || !turned)
        return sn_reader_fail(reader, "no memory for %u particles", motion->of.count);
    if (!check_start(scene, reader, motion))
        return false;
    const double *x = motion->keys.start.data;
    double middle[3] = {0, 0, 0};
    for (uint32_t i = 0; i < motion->of.count; ++i) {
        start_at(scene, motion->of.number[i], x, &start[i], &turned[i]);
        if (x)
            x += start_size(scene, motion->of.number[i]);
        middle[0] += (double)start[i].x, middle[1] += (double)start[i].y, middle[2] += (double)start[i].z;
    }
    motion->turned = turned;
    double count = motion->of.count ? motion->of.count : 1;
    motion->about = (sn_vec3){(sn_real)(middle[0] / count), (sn_real)(middle[1] / count), (sn_real)(middle[2] / count)};
    motion->start = start;
    return true;
}

/* The same for a kinematic body. */
static bool begin_with_fixed(sn_scene *scene, sn_reader *reader, sn_scene_motion *motion, const sn_scene_fixed *found)
{
    sn_body_def def;
    const sn_scene_motion *other = scene->motions.items;
    for (uint32_t i = 0; i + 1 < scene->motions.count; ++i)
        if (other[i].leads_fixed && other[i].body.index == found->handle.index)
            return sn_reader_fail_key(reader, "of", "another motion moves '%s' already", found->name);
    if (sn_body_type_of(scene->world, found->handle) == SN_BODY_STATIC)
        return sn_reader_fail_key(reader, "of", "'%s' is static and does not move; give it \"type\": \"kinematic\"",
                                  found->name);
    if (motion->keys.release)
        return sn_reader_fail_key(reader, "release", "a kinematic body cannot be let go: nothing pushes it");
    sn_vec3 *start = sn_arena_take(&scene->arena, 1, sizeof *start);
    if (!start || sn_body_read(scene->world, found->handle, &def) != SN_OK)
        return sn_reader_fail(reader, "no memory for a motion");
    const sn_numbers *given = &motion->keys.start;
    const double *x = given->data;
    if (x && (given->count != 7 || (x[3] == 0 && x[4] == 0 && x[5] == 0 && x[6] == 0)))
        return sn_reader_fail_key(
            reader, "start", "found %u numbers, expected seven: a place and a quaternion that is not 0", given->count);
    motion->leads_fixed = true;
    motion->body = found->handle;
    *start = x ? (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]} : def.position;
    motion->rotation = x ? (sn_quat){(sn_real)x[3], (sn_real)x[4], (sn_real)x[5], (sn_real)x[6]} : def.rotation;
    motion->start = start;
    motion->about = *start;
    return true;
}

static bool read_motion(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_scene_motion *motion = sn_growing_add(&scene->motions, &scene->arena, sizeof *motion);
    if (!motion)
        return sn_reader_fail(reader, "no memory for a motion");
    if (!sn_record_read_one(reader, value, &sn_motion_record, &motion->keys) ||
        !check_keyframes(reader, &motion->keys.keys))
        return false;
    sn_vec3 axis = motion->keys.axis;
    if (axis.x == 0 && axis.y == 0 && axis.z == 0)
        return sn_reader_fail_key(reader, "axis", "the axis has length 0");
    if (motion->keys.repeat && motion->keys.release)
        return sn_reader_fail(reader, "'repeat' and 'release' exclude each other");
    const sn_value *of = motion->keys.of;
    const sn_scene_fixed *fixed = of->type == SN_VALUE_TEXT ? sn_scene_find_fixed(scene, of->text) : NULL;
    if (!check_flat_motion(scene, reader, &motion->keys) ||
        !(fixed ? begin_with_fixed(scene, reader, motion, fixed) : begin_with_particles(scene, reader, motion)))
        return false;
    if (!isnan(motion->keys.about.x))
        motion->about = motion->keys.about;
    motion->keys.of = NULL; /* these values are freed with the document */
    motion->keys.start = (sn_numbers){0, NULL};
    return true;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether a blade sweeps over an area between two keyframes. */
static bool sweeps_area(const sn_blade_key *from, const sn_blade_key *to)
{
    const double u[3] = {(double)(from->b.x - from->a.x), (double)(from->b.y - from->a.y),
                         (double)(from->b.z - from->a.z)};
    const sn_vec3 way[2] = {{to->a.x - from->a.x, to->a.y - from->a.y, to->a.z - from->a.z},
                            {to->b.x - from->b.x, to->b.y - from->b.y, to->b.z - from->b.z}};
    double area = 0, length = dot(u, u);
    for (int i = 0; i < 2; ++i) {
        const double w[3] = {(double)way[i].x, (double)way[i].y, (double)way[i].z}, along = dot(u, w);
        const double square = dot(u, u) * dot(w, w) - along * along;
        area = square > area ? square : area;
    }
    return area > 1e-16 * length * length;
}

static bool read_blade(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_scene_blade *blade = sn_growing_add(&scene->blades, &scene->arena, sizeof *blade);
    if (!blade)
        return sn_reader_fail(reader, "no memory for a blade");
    if (!sn_record_read_one(reader, value, &sn_blade_record, &blade->keys))
        return false;
    const sn_blade_key *key = blade->keys.keys.items;
    if (blade->keys.keys.count < 2)
        return sn_reader_fail_key(reader, "keys", "found %u keyframe%s, expected two or more: a blade cuts by moving",
                                  blade->keys.keys.count, blade->keys.keys.count == 1 ? "" : "s");
    bool sweeps = false;
    for (uint32_t i = 1; i < blade->keys.keys.count; ++i) {
        if (!(key[i].time > key[i - 1].time))
            return sn_reader_fail_key(reader, "keys", "keyframe %u is at %g s, not later than the one before at %g s",
                                      i, (double)key[i].time, (double)key[i - 1].time);
        sweeps = sweeps || sweeps_area(&key[i - 1], &key[i]) || sweeps_area(&key[i], &key[i - 1]);
    }
    if (!sweeps)
        return sn_reader_fail_key(reader, "keys", "the blade sweeps over no area: a and b must differ, and move");
    if (blade->keys.object) {
        const sn_object *object = sn_scene_find_object(scene, blade->keys.object);
        if (!object && sn_reader_doubts(reader, blade->keys.object))
            return false;
        if (!object)
            return sn_reader_fail_key(reader, "object", "there is no object '%.80s'", blade->keys.object);
        blade->group = object->group;
        blade->keys.object = object->name;
    }
    warn_of_end(scene, reader, "keys", key[0].time);
    return true;
}

static bool read_event(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_scene_event *event = sn_growing_add(&scene->events, &scene->arena, sizeof *event);
    if (!event)
        return sn_reader_fail(reader, "no memory for an event");
    if (!sn_record_read_one(reader, value, &sn_event_record, &event->keys))
        return false;
    bool good = true;
    const bool apart = event->keys.type == SN_EVENT_TEAR || !isnan(event->keys.through.x);
    if (!sn_scene_read_parting(scene, reader, &event->keys))
        return false;
    if (!event->keys.of && event->keys.type != SN_EVENT_ATTACH && !apart)
        return sn_reader_fail(reader, "the key 'of' is missing: to what does it happen?");
    if (event->keys.type == SN_EVENT_ATTACH || apart) {
        if (event->keys.of)
            good = sn_reader_fail_key(reader, "of",
                                      apart ? "a tear, and a cut along a plane, has 'object' instead"
                                            : "an attach has 'between' instead");
    } else if (event->keys.type == SN_EVENT_CUT || event->keys.type == SN_EVENT_LENGTH) {
        size_t length = sn_reader_enter_key(reader, "of");
        good = sn_select_constraints(scene, reader, event->keys.of, &scene->arena, &event->cut_count, &event->cut);
        sn_reader_leave(reader, length);
    } else {
        good = select_key(scene, reader, "of", event->keys.of, &event->of);
    }
    event->keys.of = NULL;
    good = good && sn_scene_read_trigger(scene, reader, event);
    warn_of_end(scene, reader, "time", event->keys.time);
    return check_flat(scene, reader, "value", event->keys.value) && good;
}

bool sn_scene_read_program(sn_scene *scene, sn_reader *reader, const sn_scene_keys *keys)
{
    const struct {
        const char *key;
        const sn_value *list;
        sn_item_fn *read;
    } part[] = {{"forces", keys->forces, read_force},
                {"motions", keys->motions, read_motion},
                {"blades", keys->blades, read_blade},
                {"characters", keys->characters, sn_scene_read_character},
                {"events", keys->events, read_event}};
    bool good = true;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; ++i) {
        size_t length = sn_reader_enter_key(reader, part[i].key);
        if (part[i].list)
            good = sn_each_item(scene, reader, part[i].list, part[i].read) && good;
        sn_reader_leave(reader, length);
    }
    return good;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

static sn_result push(sn_scene *scene, const sn_scene_force *force)
{
    for (uint32_t i = 0; i < force->of.count; ++i) {
        sn_particle p = particle(scene, force->of.number[i]);
        sn_real m = force->keys.type == SN_FORCE_ACCELERATION ? sn_particle_mass(scene->world, p) : 1;
        sn_vec3 f = force->keys.value;
        if (isinf(m))
            continue;
        sn_result result = sn_particle_apply_force(scene->world, p, (sn_vec3){f.x * m, f.y * m, f.z * m});
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

static sn_result apply_force(sn_scene *scene, const sn_scene_force *force, double time, double dt)
{
    if (!has_come(time, force->keys.from) || has_come(time, force->keys.to))
        return SN_OK;
    return force->keys.type == SN_FORCE_WIND ? sn_wind_blow(scene, force, time, dt) : push(scene, force);
}

/* ---- Motions ----------------------------------------------------------------------------------------------------- */

/* The displacement and rotation of a motion at a time. */
static sn_motion_key pose_at(const sn_motion_keys *motion, double time)
{
    const sn_motion_key *key = motion->keys.items;
    uint32_t last = motion->keys.count - 1, i = 0;
    double begin = (double)key[0].time, end = (double)key[last].time;
    if (motion->repeat && end > begin && time > end + slack_at(time)) {
        double slack = slack_at(time);
        time = begin + fmod(time - begin, end - begin);
        /* the keyframe at the end of a round takes precedence over the first one of the next round */
        if (time < begin + slack)
            time = end;
    }
    while (i < last && has_come(time, key[i + 1].time))
        ++i;
    if (i == last || time <= (double)key[i].time)
        return key[i];
    double s = (time - (double)key[i].time) / ((double)key[i + 1].time - (double)key[i].time);
    sn_real t = (sn_real)(motion->smooth ? s * s * (3 - 2 * s) : s);
    sn_motion_key a = key[i], b = key[i + 1];
    return (sn_motion_key){.move = {a.move.x + t * (b.move.x - a.move.x), a.move.y + t * (b.move.y - a.move.y),
                                    a.move.z + t * (b.move.z - a.move.z)},
                           .angle = a.angle + t * (b.angle - a.angle)};
}

/* The position to which a pose moves a point that was at x. */
static sn_vec3 led_to(const sn_scene_motion *motion, const sn_motion_key *pose, sn_vec3 x)
{
    sn_vec3 c = motion->about, m = pose->move;
    if (pose->angle != 0) { /* without a rotation the position is exact to the last bit */
        sn_vec3 r = {x.x - c.x, x.y - c.y, x.z - c.z};
        r = sn_turned(r, motion->keys.axis, (double)pose->angle);
        x = (sn_vec3){c.x + r.x, c.y + r.y, c.z + r.z};
    }
    return (sn_vec3){x.x + m.x, x.y + m.y, x.z + m.z};
}

static bool same_vector(sn_vec3 a, sn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Moves a kinematic body. A body that is at its target already, at rest, is not moved, so that what rests on it can
   sleep. */
static sn_result lead_static(sn_scene *scene, const sn_scene_motion *motion, const sn_motion_key *pose)
{
    const sn_vec3 none = {0, 0, 0};
    sn_vec3 target = led_to(motion, pose, motion->start[0]);
    sn_quat q = motion->rotation;
    if (pose->angle != 0)
        q = sn_rotation_after(sn_rotation_about(motion->keys.axis, (double)pose->angle), q);
    sn_body_def now;
    if (!sn_body_is_valid(scene->world, motion->body)) /* the body was removed by the program */
        return SN_OK;
    sn_result result = sn_body_read(scene->world, motion->body, &now);
    bool there = result == SN_OK && same_vector(now.position, target) && now.rotation.x == q.x &&
                 now.rotation.y == q.y && now.rotation.z == q.z && now.rotation.w == q.w &&
                 same_vector(now.velocity, none) && same_vector(now.spin, none);
    return result != SN_OK || there ? result : sn_body_move_to(scene->world, motion->body, target, q);
}

/* The orientation that a pose gives to the i-th item, a body. */
static sn_quat turned_to(const sn_scene_motion *motion, const sn_motion_key *pose, uint32_t i)
{
    return pose->angle == 0
               ? motion->turned[i]
               : sn_rotation_after(sn_rotation_about(motion->keys.axis, (double)pose->angle), motion->turned[i]);
}

static sn_result lead(sn_scene *scene, sn_scene_motion *motion, double time, double dt)
{
    const sn_motion_key *key = motion->keys.keys.items;
    if (motion->done)
        return SN_OK;
    if (motion->keys.release && has_come(time, key[motion->keys.keys.count - 1].time)) {
        motion->done = true;
        return sn_scene_release(scene, motion->of.count, motion->of.number) ? SN_OK : SN_ERROR_MEMORY;
    }
    sn_motion_key pose = pose_at(&motion->keys, time + dt);
    if (motion->leads_fixed)
        return lead_static(scene, motion, &pose);
    for (uint32_t i = 0; i < motion->of.count; ++i) {
        sn_vec3 target = led_to(motion, &pose, motion->start[i]);
        sn_body body = body_of(scene, motion->of.number[i]);
        sn_result result = body.generation
                               ? sn_body_move_to(scene->world, body, target, turned_to(motion, &pose, i))
                               : sn_particle_move_to(scene->world, particle(scene, motion->of.number[i]), target);
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

/* ---- Blades ------------------------------------------------------------------------------------------------------ */

static sn_vec3 vector_between(sn_vec3 a, sn_vec3 b, double s)
{
    const sn_real t = (sn_real)s;
    return (sn_vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static sn_blade_key blade_at(const sn_blade_keys *blade, double time)
{
    const sn_blade_key *key = blade->keys.items;
    const uint32_t last = blade->keys.count - 1;
    uint32_t i = 0;
    while (i + 1 < last && time >= (double)key[i + 1].time)
        ++i;
    double s = (time - (double)key[i].time) / ((double)key[i + 1].time - (double)key[i].time);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return (sn_blade_key){(sn_real)time, vector_between(key[i].a, key[i + 1].a, s),
                          vector_between(key[i].b, key[i + 1].b, s)};
}

/* Cuts surfaces over which the blade sweeps in a frame, and those that move over it. */
static sn_result sweep(sn_scene *scene, sn_scene_blade *blade, double time, double dt)
{
    const sn_blade_key *key = blade->keys.keys.items;
    const double first = (double)key[0].time, last = (double)key[blade->keys.keys.count - 1].time;
    if (!has_come(time + dt, key[0].time) || time > last)
        return SN_OK;
    const sn_blade_key from = blade_at(&blade->keys, time), to = blade_at(&blade->keys, time + dt);
    sn_cut_def def = sn_default_cut_def();
    sn_cut_info info = {0};
    def.a = from.a, def.b = from.b, def.to_a = to.a, def.to_b = to.b;
    def.one_group = blade->keys.object != NULL;
    def.group = blade->group;
    def.edges_only = blade->keys.edges_only;
    const bool is_point =
        from.a.x == from.b.x && from.a.y == from.b.y && from.a.z == from.b.z && !sweeps_area(&from, &to);
    const sn_result result = is_point ? SN_OK : sn_scene_slice(scene, &def, &info);
    blade->cuts = blade->cuts || info.inserted || info.split || info.removed || info.left;
    if (!blade->cuts && time + dt > last && scene->options.log.write) {
        char text[120];
        snprintf(text, sizeof text, "a blade cuts nothing on its way from %g s to %g s: it crosses nothing", first,
                 last);
        scene->options.log.write(scene->options.log.context, SN_LOG_WARNING, text);
    }
    return result;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static sn_result happen_to(sn_scene *scene, const sn_event_keys *event, sn_particle p)
{
    sn_vec3 x;
    switch (event->type) {
    case SN_EVENT_IMPULSE:
        return sn_particle_apply_impulse(scene->world, p, event->value);
    case SN_EVENT_VELOCITY:
        return sn_particle_set_velocity(scene->world, p, event->value);
    case SN_EVENT_TELEPORT:
        x = sn_particle_position(scene->world, p);
        return sn_particle_set_position(scene->world, p,
                                        (sn_vec3){x.x + event->value.x, x.y + event->value.y, x.z + event->value.z});
    default:
        return SN_OK;
    }
}

static sn_result happen(sn_scene *scene, sn_scene_event *event)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; i < event->of.count && result == SN_OK; ++i)
        result = happen_to(scene, &event->keys, particle(scene, event->of.number[i]));
    if (event->keys.type == SN_EVENT_PIN && !sn_scene_pin(scene, event->of.count, event->of.number))
        result = SN_ERROR_MEMORY;
    if (event->keys.type == SN_EVENT_RELEASE && !sn_scene_release(scene, event->of.count, event->of.number))
        result = SN_ERROR_MEMORY;
    if (result == SN_OK)
        result = sn_scene_happen_to_constraints(scene, event);
    if (result == SN_OK && (event->keys.type == SN_EVENT_TEAR || !isnan(event->keys.through.x)))
        result = sn_scene_part(scene, &event->keys);
    for (uint32_t i = 0; event->keys.type == SN_EVENT_CUT && i < event->cut_count && result == SN_OK; ++i)
        if (sn_constraint_is_valid(scene->world, event->cut[i])) /* it may be gone already */
            result = sn_constraint_remove(scene->world, event->cut[i]);
    event->done = true;
    return result;
}

/* ---- A frame ----------------------------------------------------------------------------------------------------- */

sn_result sn_scene_prepare(sn_scene *scene, double time, double dt)
{
    sn_result result = SN_OK;
    sn_scene_event *event = scene->events.items;
    sn_scene_motion *motion = scene->motions.items;
    const sn_scene_force *force = scene->forces.items;
    for (uint32_t i = 0; i < scene->events.count && result == SN_OK; ++i)
        if (!event[i].done && has_come(time, event[i].keys.time) &&
            (event[i].trigger.type == SN_TRIGGER_NONE || event[i].trigger.holds))
            result = happen(scene, &event[i]);
    sn_scene_blade *blade = scene->blades.items;
    for (uint32_t i = 0; i < scene->blades.count && result == SN_OK; ++i)
        result = sweep(scene, &blade[i], time, dt);
    for (uint32_t i = 0; i < scene->motions.count && result == SN_OK; ++i)
        result = lead(scene, &motion[i], time, dt);
    if (result == SN_OK)
        result = sn_scene_lead_characters(scene);
    for (uint32_t i = 0; i < scene->forces.count && result == SN_OK; ++i)
        result = apply_force(scene, &force[i], time, dt);
    return result;
}
