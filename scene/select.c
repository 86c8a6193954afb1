/* Selectors: names of particles and constraints in a scene.

       "rope.end"             a part of an object
       "cloth"                all of an object
       "cloth[7]"             one of its particles; from the end if negative
       "cloth.top[0:5]"       some of a part, the last one excluded
       "cloth.top[::4]"       every fourth
       7                      inside an object: one of its particles; elsewhere: the particle with this number in the
                              world
       {"of": ..., "near": [x, y, z]}                  the nearest of those
       {"of": ..., "inside": [[x, y, z], [x, y, z]]}   those in a box
       {"spot": [..., ..., ...], "weights": [...]}     a point inside a triangle or tetrahedron; for constraints
       {"body": "crate", "place": [x, y, z]}           an anchor on a body; for constraints
       {"place": [x, y, z]}                            an anchor in the world; for constraints
       [..., ...]             all of these

   Inside an object (its pins) the object's name may be left out: "end", "[0:5]". A body stands for the particle at
   its centre of mass; the bodies of an object are numbered after its particles. */
#include "scene/solids.h"
#include "scene/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256, NAME_ROOM = 128 };

/* The parts of a reference "name.part[first:last]". */
typedef struct reference {
    char name[NAME_ROOM], part[NAME_ROOM];
    bool ranged, single;
    double first, last, step; /* last is not included; NaN: not given */
} reference;

/* ---- Parsing ----------------------------------------------------------------------------------------------------- */

static const char *take_name(const char *at, char *name)
{
    size_t length = strcspn(at, ".[");
    if (length >= NAME_ROOM)
        return NULL;
    memcpy(name, at, length);
    name[length] = 0;
    return at + length;
}

/* Reads a whole number. NULL if there is none. */
static const char *take_number(const char *at, double *number)
{
    size_t digits = strspn(at + (*at == '-'), "0123456789");
    *number = NAN;
    if (digits > 10 || (digits == 0 && *at == '-'))
        return NULL;
    if (digits) {
        double x = 0;
        for (size_t i = 0; i < digits; ++i)
            x = 10 * x + (at[i + (*at == '-')] - '0');
        *number = *at == '-' ? -x : x;
        at += digits + (*at == '-');
    }
    return at;
}

static bool take_apart(const char *text, reference *r)
{
    *r = (reference){.first = NAN, .last = NAN, .step = NAN};
    const char *at = take_name(text, r->name);
    if (at && *at == '.') {
        at = take_name(at + 1, r->part);
        if (!r->part[0])
            return false;
    }
    if (!at || (*at && *at != '['))
        return false;
    if (*at == '[') {
        r->ranged = true;
        at = take_number(at + 1, &r->first);
        r->single = !at || *at != ':';
        if (at && *at == ':')
            at = take_number(at + 1, &r->last);
        if (at && *at == ':' && !r->single)
            at = take_number(at + 1, &r->step);
        if (!at || strcmp(at, "]") != 0 || (r->single && isnan(r->first)) || r->step < 1)
            return false;
    }
    return r->name[0] || (r->ranged && !r->part[0]);
}

/* The range of a reference to `count` things. A range beyond them is an error, unless their number is doubtful. */
static bool range_of(sn_reader *reader, const reference *r, uint32_t count, const char *of, bool doubtful,
                     uint32_t *first, uint32_t *last)
{
    double a = isnan(r->first) ? 0 : r->first, b = isnan(r->last) ? count : r->last;
    if (!r->ranged)
        a = 0, b = count;
    a += a < 0 ? count : 0;
    b += b < 0 ? count : 0;
    if (r->single)
        b = a + 1;
    if (!(a >= 0 && b <= count && a <= b)) {
        if (doubtful)
            return false;
        if (r->single)
            return sn_reader_fail(reader, "there is no item %.0f in '%s', which has %u", r->first, of, count);
        return sn_reader_fail(reader, "there is no range from item %.0f up to %.0f in '%s', which has %u",
                              isnan(r->first) ? 0 : r->first, isnan(r->last) ? count : r->last, of, count);
    }
    *first = (uint32_t)a;
    *last = (uint32_t)b;
    return true;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const sn_part *find_part(const sn_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->part_count; ++i)
        if (strcmp(object->part[i].name, name) == 0)
            return &object->part[i];
    return NULL;
}

static bool no_part(sn_reader *reader, const sn_object *object, const char *name)
{
    const char *names[MOST_NAMES];
    char near[NAME_ROOM + 40], all[400];
    uint32_t count = 0;
    size_t used = 0;
    all[0] = 0;
    for (; count < object->part_count && count < MOST_NAMES; ++count) {
        names[count] = object->part[count].name;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", names[count]);
    }
    return sn_reader_fail(reader, "the %s '%s' has no part '%s'%s It has: %s", object->type, object->name, name,
                          *sn_did_you_mean(name, names, count, near, sizeof near) ? near : ".", all);
}

static bool no_object(const sn_scene *scene, sn_reader *reader, const char *name)
{
    const char *names[MOST_NAMES];
    char near[NAME_ROOM + 40];
    uint32_t count = 0;
    if (sn_reader_doubts(reader, name))
        return false;
    if (sn_scene_find_fixed(scene, name))
        return sn_reader_fail(reader, "'%s' is static or kinematic and has no particles", name);
    for (; count < scene->objects.count && count < MOST_NAMES; ++count)
        names[count] = scene_object(scene, count)->name;
    return sn_reader_fail(reader, "there is no object or body '%s'%s", name,
                          sn_did_you_mean(name, names, count, near, sizeof near));
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static bool take_room(const sn_scene *scene, sn_reader *reader, sn_arena *arena, uint32_t count, uint32_t **out)
{
    if (!sn_scene_fits(scene, reader, (double)count * sizeof **out))
        return false;
    *out = sn_arena_take(arena, count, sizeof **out);
    return *out || sn_reader_fail(reader, "no memory for %u particles", count);
}

static bool select_part(const sn_scene *scene, sn_reader *reader, const sn_object *object, const sn_part *part,
                        const reference *r, sn_arena *arena, sn_selection *out)
{
    uint32_t first = 0, last = 0, count = 0, *number;
    uint64_t step = isnan(r->step) ? 1 : (uint64_t)r->step;
    if (!range_of(reader, r, part->count, part->name, sn_reader_doubts(reader, object->name), &first, &last) ||
        !take_room(scene, reader, arena, last - first, &number))
        return false;
    for (uint64_t i = first; i < last; i += step)
        number[count++] =
            sn_object_number(scene->world, object, part->index ? part->index[i] : part->first + (uint32_t)i);
    *out = (sn_selection){count, number};
    return true;
}

static bool select_text(const sn_scene *scene, sn_reader *reader, const char *text, const sn_object *object,
                        sn_arena *arena, sn_selection *out)
{
    reference r;
    if (!take_apart(text, &r))
        return sn_reader_fail(reader, "'%.80s' does not read as a selector such as 'rope', 'rope.end' or 'rope[3]'",
                              text);
    const sn_part *part;
    if (object && !r.part[0] && (part = find_part(object, r.name[0] ? r.name : "all")))
        return select_part(scene, reader, object, part, &r, arena, out);
    const sn_object *named = sn_scene_find_object(scene, r.name);
    if (!named)
        return object && !r.part[0] ? no_part(reader, object, r.name) : no_object(scene, reader, r.name);
    part = find_part(named, r.part[0] ? r.part : "all");
    return part ? select_part(scene, reader, named, part, &r, arena, out) : no_part(reader, named, r.part);
}

static bool find_number(const sn_scene *scene, sn_reader *reader, double x, const sn_object *object, uint32_t *number)
{
    uint32_t count = object ? sn_object_items(object) : sn_world_particle_count(scene->world);
    double i = object && x < 0 ? x + count : x;
    if (!(i >= 0 && i < count && i == floor(i)) && reader->doubts_numbers)
        return false;
    if (!(i >= 0 && i < count && i == floor(i)))
        return sn_reader_fail(reader, "found %.10g, expected a particle: a whole number below %u", x, count);
    *number = object ? sn_object_number(scene->world, object, (uint32_t)i) : (uint32_t)i;
    return true;
}

static bool select_numbers(const sn_scene *scene, sn_reader *reader, uint32_t count, const double *x,
                           const sn_object *object, sn_arena *arena, sn_selection *out)
{
    uint32_t *number;
    if (!take_room(scene, reader, arena, count, &number))
        return false;
    bool good = true;
    for (uint32_t i = 0; i < count; ++i) {
        size_t length = sn_reader_enter_item(reader, i);
        good = find_number(scene, reader, x[i], object, &number[i]) && good;
        sn_reader_leave(reader, length);
    }
    *out = (sn_selection){count, number};
    return good;
}

static bool select_number(const sn_scene *scene, sn_reader *reader, double x, const sn_object *object, sn_arena *arena,
                          sn_selection *out)
{
    uint32_t *number;
    if (!take_room(scene, reader, arena, 1, &number) || !find_number(scene, reader, x, object, number))
        return false;
    *out = (sn_selection){1, number};
    return true;
}

typedef struct choose_keys {
    const sn_value *of;
    sn_vec3 near;
    const sn_value *inside;
} choose_keys;

static void choose_defaults(void *record)
{
    ((choose_keys *)record)->near.x = (sn_real)NAN;
}

static const sn_key choose_key_list[] = {
    {"of", SN_KEY_VALUE, offsetof(choose_keys, of), .of = "selectors", .about = "the particles to choose from"},
    {"near", SN_KEY_VECTOR, offsetof(choose_keys, near), .unit = "m",
     .about = "chooses the particle nearest to this place"},
    {"inside", SN_KEY_VALUE, offsetof(choose_keys, inside), .unit = "m", .of = "two_vectors",
     .about = "chooses the particles in a box, given by two opposite corners"},
    {.name = NULL}};

const sn_record sn_choose_record = {"selector", "Particles chosen by their places.", sizeof(choose_keys),
                                    choose_key_list, choose_defaults};

static sn_vec3 place_of(const sn_scene *scene, uint32_t number)
{
    return sn_particle_position(scene->world, sn_particle_from_index(scene->world, number));
}

static double distance2(sn_vec3 a, sn_vec3 b)
{
    double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool within(sn_vec3 x, sn_vec3 least, sn_vec3 most)
{
    return x.x >= least.x && x.x <= most.x && x.y >= least.y && x.y <= most.y && x.z >= least.z && x.z <= most.z;
}

static bool read_corners(sn_reader *reader, const sn_value *value, sn_vec3 corner[2])
{
    size_t length = sn_reader_enter_key(reader, "inside");
    bool good = value->type == SN_VALUE_LIST && value->count == 2 && value->first;
    if (!good)
        sn_reader_expected(reader, value, "two corners, [[x, y, z], [x, y, z]]");
    uint32_t i = 0;
    for (const sn_value *item = good ? value->first : NULL; item && good; item = item->next) {
        size_t inner = sn_reader_enter_item(reader, i);
        good = sn_read_vector(reader, item, &corner[i++]);
        sn_reader_leave(reader, inner);
    }
    sn_reader_leave(reader, length);
    return good;
}

static bool select_chosen(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_object *object,
                          sn_arena *arena, sn_selection *out)
{
    choose_keys keys;
    sn_selection from = {0};
    sn_value all = {.type = SN_VALUE_TEXT, .text = "all", .count = 3};
    if (!sn_record_read_one(reader, value, &sn_choose_record, &keys))
        return false;
    if (!keys.of && !object)
        return sn_reader_fail(reader, "the key 'of' is missing: among which particles?");
    bool near = !isnan(keys.near.x), inside = keys.inside != NULL;
    if (near == inside)
        return sn_reader_fail(reader, "expected one of the keys 'near', 'inside' and 'spot'");
    if (!sn_select(scene, reader, keys.of ? keys.of : &all, object, arena, &from))
        return false;
    uint32_t *number, count = 0;
    if (from.count == 0)
        return sn_reader_fail_key(reader, "of", "this names no particle");
    if (!take_room(scene, reader, arena, from.count, &number))
        return false;
    sn_vec3 corner[2];
    if (keys.inside && !read_corners(reader, keys.inside, corner))
        return false;
    double best = INFINITY;
    for (uint32_t i = 0; i < from.count; ++i) {
        sn_vec3 x = place_of(scene, from.number[i]);
        if (keys.inside) {
            if (within(x, corner[0], corner[1]))
                number[count++] = from.number[i];
        } else if (distance2(x, keys.near) < best) {
            best = distance2(x, keys.near);
            number[0] = from.number[i];
            count = 1;
        }
    }
    *out = (sn_selection){count, number};
    if (!count && reader->doubts_numbers)
        return false;
    return count || sn_reader_fail(reader, "no particle of %u is %s", from.count, inside ? "inside the box" : "near");
}

/* Selects all items of a list, one after the other. */
static bool select_list(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_object *object,
                        sn_arena *arena, sn_selection *out)
{
    if (value->numbers)
        return select_numbers(scene, reader, value->count, value->numbers, object, arena, out);
    sn_growing all = {0};
    bool good = true;
    uint32_t i = 0;
    for (const sn_value *item = value->first; item; item = item->next) {
        sn_selection some = {0};
        size_t length = sn_reader_enter_item(reader, i++);
        bool one = item->type == SN_VALUE_LIST ? sn_reader_expected(reader, item, "a selector")
                                               : sn_select(scene, reader, item, object, arena, &some);
        good = one && good && sn_scene_fits(scene, reader, 2 * (double)some.count * sizeof(uint32_t));
        for (uint32_t k = 0; k < some.count && good; ++k) {
            uint32_t *place = sn_growing_add(&all, arena, sizeof *place);
            if (place)
                *place = some.number[k];
            else
                good = sn_reader_fail(reader, "no memory for a selection");
        }
        sn_reader_leave(reader, length);
    }
    *out = (sn_selection){all.count, all.items};
    return good;
}

bool sn_select(sn_scene *scene, sn_reader *reader, const sn_value *value, const sn_object *object, sn_arena *arena,
               sn_selection *out)
{
    switch (value->type) {
    case SN_VALUE_TEXT:
        return select_text(scene, reader, value->text, object, arena, out);
    case SN_VALUE_NUMBER:
        return select_number(scene, reader, value->number, object, arena, out);
    case SN_VALUE_LIST:
        return select_list(scene, reader, value, object, arena, out);
    case SN_VALUE_RECORD:
        if (sn_value_find(value, "spot") || sn_value_find(value, "place"))
            return sn_reader_fail(reader, "a spot is no particle; only points of constraints can be spots");
        return select_chosen(scene, reader, value, object, arena, out);
    default:
        return sn_reader_expected(reader, value, "a selector: a name, a number, a record or a list of them");
    }
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

typedef struct spot_keys {
    const sn_value *spot;
    sn_numbers weights;
} spot_keys;

static const sn_key spot_key_list[] = {{"spot", SN_KEY_VALUE, offsetof(spot_keys, spot), .flags = SN_KEY_REQUIRED,
                                        .of = "selectors",
                                        .about = "the corners of a triangle or tetrahedron: three or four particles"},
                                       {"weights", SN_KEY_REALS, offsetof(spot_keys, weights), .flags = SN_KEY_REQUIRED,
                                        .about = "the weights of the corners, which sum to 1"},
                                       {.name = NULL}};

const sn_record sn_spot_record = {"spot", "A place inside a triangle or tetrahedron of particles.", sizeof(spot_keys),
                                  spot_key_list, NULL};

static bool select_spot(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_point *out)
{
    spot_keys keys;
    sn_selection corner = {0};
    if (!sn_record_read_one(reader, value, &sn_spot_record, &keys))
        return false;
    size_t length = sn_reader_enter_key(reader, "spot");
    bool good = sn_select(scene, reader, keys.spot, NULL, &scene->scratch, &corner);
    sn_reader_leave(reader, length);
    if (!good)
        return false;
    if (corner.count != keys.weights.count || corner.count < 3 || corner.count > 4)
        return sn_reader_fail(reader, "found %u particles and %u weights, expected 3 or 4 of both", corner.count,
                              keys.weights.count);
    *out = (sn_point){.count = corner.count};
    for (uint32_t i = 0; i < corner.count; ++i) {
        out->particle[i] = sn_particle_from_index(scene->world, corner.number[i]);
        out->weight[i] = (sn_real)keys.weights.data[i];
    }
    return true;
}

typedef struct place_keys {
    const sn_value *body;
    sn_vec3 place;
    sn_turn turn;
    sn_numbers rotation;
} place_keys;

static void place_defaults(void *record)
{
    ((place_keys *)record)->turn.axis = (sn_vec3){0, 1, 0};
}

static const sn_key place_key_list[] = {
    {"body", SN_KEY_VALUE, offsetof(place_keys, body), .of = "one_selector",
     .about = "the name of a body, such as 'crate', 'doll.head' or 'wall[3]'; otherwise it is a place in the world"},
    {"place", SN_KEY_VECTOR, offsetof(place_keys, place), .unit = "m",
     .about = "where the point is, in the frame of the body, or in the world"},
    {"turn", SN_KEY_RECORD, offsetof(place_keys, turn), .of = &sn_turn_record,
     .about = "how the axes of the point are turned in that frame; the x axis is the axis of a joint"},
    {"rotation", SN_KEY_REALS, offsetof(place_keys, rotation), .about = "instead of turn: a quaternion x, y, z, w"},
    {.name = NULL}};

const sn_record sn_place_record = {"place_point", "A point of a body, or a place in the world.", sizeof(place_keys),
                                   place_key_list, place_defaults};

bool sn_select_body(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_body *out)
{
    sn_selection one = {0};
    const sn_scene_fixed *fixed = value->type == SN_VALUE_TEXT ? sn_scene_find_fixed(scene, value->text) : NULL;
    if (fixed) {
        *out = fixed->handle;
        return true;
    }
    if (!sn_select(scene, reader, value, NULL, &scene->scratch, &one))
        return false;
    if (one.count != 1)
        return sn_reader_fail(reader, "this names %u things, expected one body", one.count);
    *out = sn_particle_body(scene->world, sn_particle_from_index(scene->world, one.number[0]));
    return out->generation || sn_reader_fail(reader, "this is a particle, expected a body");
}

static bool select_place(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_point *out)
{
    place_keys keys;
    sn_body body = {0, 0};
    sn_quat turn;
    if (!sn_record_read_one(reader, value, &sn_place_record, &keys) ||
        !sn_read_rotation(reader, sn_world_dimensions(scene->world) == 2, &keys.turn, &keys.rotation, &turn))
        return false;
    if (keys.body) {
        size_t length = sn_reader_enter_key(reader, "body");
        bool good = sn_select_body(scene, reader, keys.body, &body);
        sn_reader_leave(reader, length);
        if (!good)
            return false;
    }
    *out = keys.body ? sn_on_body_turned(body, keys.place, turn) : sn_at_place_turned(keys.place, turn);
    return true;
}

bool sn_select_point(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_point *out)
{
    if (sn_value_find(value, "spot"))
        return select_spot(scene, reader, value, out);
    if (sn_value_find(value, "place") || sn_value_find(value, "body"))
        return select_place(scene, reader, value, out);
    if (value->type == SN_VALUE_LIST)
        return sn_reader_expected(reader, value, "a selector of one particle, or a spot");
    sn_selection one = {0};
    if (!sn_select(scene, reader, value, NULL, &scene->scratch, &one))
        return false;
    if (one.count != 1)
        return sn_reader_fail(reader, "this names %u particles, expected one", one.count);
    *out = sn_at(sn_particle_from_index(scene->world, one.number[0]));
    return true;
}

/* ---- Constraints ------------------------------------------------------------------------------------------------- */

static bool add_run(const sn_scene *scene, sn_reader *reader, sn_arena *arena, sn_growing *all, sn_constraints run,
                    uint32_t first, uint32_t last)
{
    if (!sn_scene_fits(scene, reader, 2 * (double)(last - first) * sizeof(sn_constraint)))
        return false;
    for (uint32_t i = first; i < last; ++i) {
        sn_constraint *place = sn_growing_add(all, arena, sizeof *place);
        if (!place)
            return sn_reader_fail(reader, "no memory for a list of constraints");
        *place = sn_constraints_at(run, i);
    }
    return true;
}

/* Adds the constraints of all runs of one name; they are numbered consecutively. */
static bool add_holds(const sn_scene *scene, sn_reader *reader, sn_arena *arena, sn_growing *all, uint32_t count,
                      const sn_hold *hold, const char *name, bool doubtful, const reference *r)
{
    uint64_t total = 0;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < count; ++i)
        total += strcmp(hold[i].name, name) == 0 ? hold[i].run.count : 0;
    if (total > UINT32_MAX) /* names can contain each other, so the total can exceed any count */
        return sn_reader_fail(reader, "'%s' stands for more constraints than can be counted", name);
    if (!range_of(reader, r, (uint32_t)total, name, doubtful, &first, &last))
        return false;
    for (uint32_t i = 0, at = 0; i < count; ++i) {
        if (strcmp(hold[i].name, name) != 0)
            continue;
        uint32_t end = at + hold[i].run.count, a = first > at ? first : at, b = last < end ? last : end;
        if (a < b && !add_run(scene, reader, arena, all, hold[i].run, a - at, b - at))
            return false;
        at = end;
    }
    return true;
}

static bool has_hold(uint32_t count, const sn_hold *hold, const char *name)
{
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(hold[i].name, name) == 0)
            return true;
    return false;
}

static bool no_hold(sn_reader *reader, uint32_t count, const sn_hold *hold, const char *of, const char *name)
{
    const char *names[MOST_NAMES];
    char near[NAME_ROOM + 40], all[400] = "none";
    uint32_t known = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < count && known < MOST_NAMES; ++i) {
        uint32_t k = 0; /* runs may be many, different names are few */
        while (k < known && strcmp(names[k], hold[i].name) != 0)
            ++k;
        if (k < known)
            continue;
        names[known] = hold[i].name;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", known ? ", " : "", names[known]);
        ++known;
    }
    return sn_reader_fail(reader, "%s no constraints '%s'%s There are: %s", of, name,
                          *sn_did_you_mean(name, names, known, near, sizeof near) ? near : ".", all);
}

/* "#distance[3:5]": constraints of one kind, by their indices in the order of the world. */
static bool select_by_kind(sn_scene *scene, sn_reader *reader, const reference *r, sn_arena *arena, sn_growing *all)
{
    uint32_t kind = sn_kind_find(scene->world, r->name + 1), first = 0, last = 0, rank = 0;
    if (!kind || r->part[0])
        return sn_reader_fail(reader, "there is no kind '%s%s%s'", r->name + 1, r->part[0] ? "." : "", r->part);
    bool doubtful = reader->doubt || reader->doubts_numbers;
    if (!range_of(reader, r, sn_world_constraint_count(scene->world, kind), r->name, doubtful, &first, &last))
        return false;
    if (!sn_scene_fits(scene, reader, 2 * (double)(last - first) * sizeof(sn_constraint)))
        return false;
    sn_constraint_walk walk = {0};
    while (rank < last && sn_constraint_next(scene->world, &walk)) {
        if (walk.constraint.kind != kind || rank++ < first)
            continue;
        sn_constraint *place = sn_growing_add(all, arena, sizeof *place);
        if (!place)
            return sn_reader_fail(reader, "no memory for a list of constraints");
        *place = walk.constraint;
    }
    return true;
}

static bool select_named(sn_scene *scene, sn_reader *reader, const char *text, sn_arena *arena, sn_growing *all)
{
    reference r;
    if (!take_apart(text, &r) || !r.name[0] || !isnan(r.step))
        return sn_reader_fail(reader, "'%.80s' does not read as the name of constraints, such as 'rope.links[3]'",
                              text);
    if (r.name[0] == '#')
        return select_by_kind(scene, reader, &r, arena, all);
    if (!r.part[0]) {
        const sn_hold *hold = scene->holds.items;
        if (has_hold(scene->holds.count, hold, r.name))
            return add_holds(scene, reader, arena, all, scene->holds.count, hold, r.name,
                             sn_reader_doubts(reader, r.name), &r);
        if (sn_reader_doubts(reader, r.name))
            return false;
        return no_hold(reader, scene->holds.count, hold, "the scene names", r.name);
    }
    const sn_object *object = sn_scene_find_object(scene, r.name);
    if (!object)
        return no_object(scene, reader, r.name);
    bool doubtful = sn_reader_doubts(reader, object->name);
    if (!has_hold(object->hold_count, object->hold, r.part)) {
        if (doubtful)
            return false;
        char of[NAME_ROOM + 20];
        snprintf(of, sizeof of, "'%s' has", object->name);
        return no_hold(reader, object->hold_count, object->hold, of, r.part);
    }
    return add_holds(scene, reader, arena, all, object->hold_count, object->hold, r.part, doubtful, &r);
}

bool sn_select_constraints(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_arena *arena, uint32_t *count,
                           const sn_constraint **out)
{
    sn_growing all = {0};
    bool good = true;
    if (value->type == SN_VALUE_TEXT) {
        good = select_named(scene, reader, value->text, arena, &all);
    } else if (value->type == SN_VALUE_LIST && !value->numbers) {
        uint32_t i = 0;
        for (const sn_value *item = value->first; item; item = item->next) {
            size_t length = sn_reader_enter_item(reader, i++);
            good = (item->type == SN_VALUE_TEXT ? select_named(scene, reader, item->text, arena, &all)
                                                : sn_reader_expected(reader, item, "the name of constraints")) &&
                   good;
            sn_reader_leave(reader, length);
        }
    } else {
        good = sn_reader_expected(reader, value, "the name of constraints, or a list of names");
    }
    *count = all.count;
    *out = all.items;
    return good;
}
