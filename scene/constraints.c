/* The lists "constraints" and "attachments" of a scene. The keys of a constraint's parameters are those of its kind. */
#include "scene/state.h"
#include "scene/young.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool add_hold(sn_scene *scene, sn_reader *reader, const char *name, sn_constraints run)
{
    if (!name)
        return true;
    if (!sn_is_name(name))
        return sn_reader_fail_key(reader, "name", "'%.80s' is not a name: expected letters, digits, '_' and '-'", name);
    sn_hold *hold = sn_growing_add(&scene->holds, &scene->arena, sizeof *hold);
    if (!hold)
        return sn_reader_fail(reader, "no memory for a name");
    *hold = (sn_hold){name, run};
    return true;
}

/* ---- Kinds and parameters ---------------------------------------------------------------------------------------- */

static const sn_kind *read_kind(const sn_scene *scene, sn_reader *reader, const sn_value *value, uint32_t *number)
{
    const sn_value *name = sn_value_find(value, "kind");
    *number = name && name->type == SN_VALUE_TEXT ? sn_kind_find(scene->world, name->text) : 0;
    if (*number)
        return sn_kind_info(scene->world, *number);
    if (value->type != SN_VALUE_RECORD)
        sn_reader_expected(reader, value, "a record {...}: a constraint");
    else if (!name || name->type != SN_VALUE_TEXT)
        sn_reader_fail(reader, "the key 'kind' is missing, such as \"distance\"");
    else {
        const char *names[256];
        char near[900];
        uint32_t count = 0;
        for (; count + 1 < sn_kind_count(scene->world) && count < 256; ++count)
            names[count] = sn_kind_info(scene->world, count + 1)->name;
        sn_reader_fail_key(reader, "kind", "there is no kind '%.80s'%s", name->text,
                           sn_meant_or_all(name->text, names, count, near, sizeof near));
    }
    return NULL;
}

/* A record table for one kind: the keys of all constraints, the kind's own parameters, and the parameters of its
   points, as values. */
typedef struct kind_table {
    sn_key keys[SN_MAX_PARAMS + SN_MAX_POINT_PARAMS + 1];
    const sn_value *given[SN_MAX_PARAMS + SN_MAX_POINT_PARAMS];
    sn_record record;
} kind_table;

static void add_key(kind_table *table, uint32_t i, uint32_t at, const char *name, const char *about)
{
    table->keys[i] =
        (sn_key){.name = name, .type = SN_KEY_VALUE, .offset = at * sizeof(const sn_value *), .about = about};
}

static void table_of_kind(const sn_kind *kind, kind_table *table)
{
    memset(table, 0, sizeof *table);
    uint32_t count = 0;
    for (; count < SN_MAX_PARAMS && kind->param[count].name; ++count)
        add_key(table, count, count, kind->param[count].name, "a parameter of the kind");
    for (uint32_t i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i)
        add_key(table, count++, SN_MAX_PARAMS + i, kind->point_param[i].name, "a parameter of its points");
    table->record = (sn_record){kind->name, NULL, sizeof table->given, table->keys, NULL};
}

static uint32_t param_size(const sn_param *param)
{
    return param->type == SN_PARAM_REAL ? 1 : 3;
}

/* Reads one parameter of `count` constraints: a single value for all, or a flat list of count values. stride: the
   numbers of one constraint in out. */
static bool read_param(sn_reader *reader, const sn_value *value, const sn_param *param, uint32_t count, uint32_t stride,
                       sn_real *out)
{
    uint32_t size = param_size(param), given = 0;
    const double *x = sn_value_numbers(value, &given);
    double one;
    if (value->type == SN_VALUE_TEXT && strcmp(value->text, "measure") == 0)
        return true; /* out holds the measured value already */
    if (value->type == SN_VALUE_NUMBER && size == 1) {
        one = value->number;
        x = &one;
        given = 1;
    }
    double two[3] = {0, 0, 0};
    if (x && size == 3 && given == 2 && reader->dimensions != 3) { /* a vector of two numbers in the plane: z is 0 */
        two[0] = x[0], two[1] = x[1];
        x = two;
        given = 3;
    }
    if (!x || (given != size && given != (uint64_t)size * count)) {
        char text[120];
        snprintf(text, sizeof text,
                 size == 1 ? (count == 1 ? "a number" : "a number, or a list of %u")
                           : (count == 1 ? "a list of 3 numbers" : "a list of 3 numbers, or of 3 times %u"),
                 count);
        return sn_reader_expected(reader, value, text);
    }
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < size; ++k) {
            double number = x[given == size ? k : (size_t)i * size + k];
            out[(size_t)i * stride + k] = (sn_real)number;
            if (!isfinite(out[(size_t)i * stride + k]))
                return sn_reader_fail(reader, "%g is beyond the largest number that fits", number);
        }
    return true;
}

static bool read_params(sn_reader *reader, const sn_kind *kind, const kind_table *table, uint32_t count, sn_real *out)
{
    uint32_t stride = sn_kind_param_count(kind), at = 0;
    bool good = true;
    for (size_t i = 0; i < (size_t)count * stride; ++i)
        out[i] = SN_MEASURE;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        if (table->given[i]) {
            size_t length = sn_reader_enter_key(reader, kind->param[i].name);
            good = read_param(reader, table->given[i], &kind->param[i], count, stride, out + at) && good;
            sn_reader_leave(reader, length);
        }
        at += param_size(&kind->param[i]);
    }
    return good;
}

/* Reads compliance, damping or stiffness: a number, or a list with one for each constraint. *each is NULL unless it
   is a list. */
static bool read_give(sn_reader *reader, const char *key, const sn_value *value, uint32_t count, sn_real *all,
                      const double **each)
{
    *each = NULL;
    if (!value)
        return true;
    size_t length = sn_reader_enter_key(reader, key);
    uint32_t given;
    bool good = true;
    if (value->type == SN_VALUE_NUMBER) {
        good = sn_read_real(reader, value, all);
    } else if (!(*each = sn_value_numbers(value, &given)) || given != count) {
        good = sn_reader_expected(reader, value, "a number, or a list with one for each constraint");
    } else if (count == 1) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = (*each)[0]};
        *each = NULL;
        good = sn_read_real(reader, &number, all);
    }
    sn_reader_leave(reader, length);
    return good;
}

/* ---- One constraint ---------------------------------------------------------------------------------------------- */

static bool read_points(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const sn_value *value,
                        sn_constraint_def *def)
{
    uint32_t count = 1;
    bool many = value->type == SN_VALUE_LIST, good = true;
    if (many)
        count = value->count;
    if (kind->points && count != kind->points)
        return sn_reader_fail(reader, "found %u point%s, expected the %u of a %s", count, count == 1 ? "" : "s",
                              kind->points, kind->name);
    sn_point *points = sn_arena_take(&scene->scratch, count, sizeof *points);
    if (!points)
        return sn_reader_fail(reader, "no memory for %u points", count);
    const sn_value *item = value->first;
    for (uint32_t i = 0; i < count; ++i) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = many && value->numbers ? value->numbers[i] : 0};
        size_t length = strlen(reader->path);
        if (many)
            sn_reader_enter_item(reader, i);
        good = sn_select_point(scene, reader, !many ? value : value->numbers ? &number : item, &points[i]) && good;
        sn_reader_leave(reader, length);
        item = item ? item->next : NULL;
    }
    def->points = points;
    def->point_count = count;
    return good;
}

/* For a kind with any number of points, one selector may name many particles, which then are all of its points. */
static bool read_all_points(sn_scene *scene, sn_reader *reader, const sn_value *value, sn_constraint_def *def)
{
    sn_selection all = {0};
    if (!sn_select(scene, reader, value, NULL, &scene->scratch, &all))
        return false;
    sn_point *points = sn_arena_take(&scene->scratch, all.count, sizeof *points);
    if (!points)
        return sn_reader_fail(reader, "no memory for %u points", all.count);
    for (uint32_t i = 0; i < all.count; ++i)
        points[i] = sn_at(sn_particle_from_index(scene->world, all.number[i]));
    def->points = points;
    def->point_count = all.count;
    return true;
}

/* Reads the parameters of points, for kinds that have such: lists with the numbers of all points. */
static bool read_point_params(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const kind_table *table,
                              sn_constraint_def *def)
{
    uint32_t stride = sn_kind_point_param_count(kind), at = 0;
    bool any = false, good = true;
    for (uint32_t i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i)
        any = any || table->given[SN_MAX_PARAMS + i];
    if (!any)
        return true;
    sn_real *out = sn_arena_take(&scene->scratch, (size_t)def->point_count * stride, sizeof *out);
    if (!out)
        return sn_reader_fail(reader, "no memory for %u points", def->point_count);
    for (size_t i = 0; i < (size_t)def->point_count * stride; ++i)
        out[i] = SN_MEASURE;
    for (uint32_t i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i) {
        const sn_value *given = table->given[SN_MAX_PARAMS + i];
        size_t length = sn_reader_enter_key(reader, kind->point_param[i].name);
        if (given)
            good = read_param(reader, given, &kind->point_param[i], def->point_count, stride, out + at) && good;
        sn_reader_leave(reader, length);
        at += param_size(&kind->point_param[i]);
    }
    def->point_param = out;
    return good;
}

static bool read_state(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const sn_numbers *state,
                       sn_constraint_def *def)
{
    if (!state->data)
        return true;
    if (state->count != kind->state || !kind->state)
        return sn_reader_fail_key(reader, "state", "found %u numbers, and a %s remembers %u", state->count, kind->name,
                                  kind->state);
    sn_real *out = sn_arena_take(&scene->scratch, state->count, sizeof *out);
    if (!out)
        return sn_reader_fail_key(reader, "state", "no memory for %u numbers", state->count);
    for (uint32_t i = 0; i < state->count; ++i)
        out[i] = (sn_real)state->data[i];
    def->state = out;
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------------------------------ */

static bool read_body(sn_scene *scene, sn_reader *reader, const sn_value *value, uint32_t i, sn_body *out)
{
    size_t length = sn_reader_enter_item(reader, i);
    bool world = value->type == SN_VALUE_TEXT && strcmp(value->text, "world") == 0;
    *out = (sn_body){0, 0};
    bool good = world || sn_select_body(scene, reader, value, out);
    sn_reader_leave(reader, length);
    return good;
}

/* Makes two points of two bodies and an anchor and an axis in the world. */
static bool read_joint(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const sn_constraint_keys *keys,
                       sn_constraint_def *def)
{
    sn_body body[2];
    const sn_value *list = keys->bodies;
    if (kind->points != 2 || !kind->oriented)
        return sn_reader_fail_key(reader, "bodies", "a %s is no joint: name its points in 'points'", kind->name);
    if (list->type != SN_VALUE_LIST || list->count != 2 || list->numbers) {
        size_t length = sn_reader_enter_key(reader, "bodies");
        sn_reader_expected(reader, list, "a list of two bodies, one of which may be \"world\"");
        sn_reader_leave(reader, length);
        return false;
    }
    size_t length = sn_reader_enter_key(reader, "bodies");
    bool good =
        read_body(scene, reader, list->first, 0, &body[0]) && read_body(scene, reader, list->first->next, 1, &body[1]);
    if (good && !body[0].generation && !body[1].generation)
        good = sn_reader_fail(reader, "neither of them is a body");
    if (good && body[0].index == body[1].index && body[0].generation == body[1].generation)
        good = sn_reader_fail(reader, "both are the same body, expected two");
    sn_reader_leave(reader, length);
    sn_vec3 axis = isnan(keys->axis.x) ? (sn_vec3){1, 0, 0} : keys->axis;
    if (good && axis.x == 0 && axis.y == 0 && axis.z == 0)
        good = sn_reader_fail_key(reader, "axis", "it has length 0, expected a direction");
    sn_point *points = good ? sn_arena_take(&scene->scratch, 2, sizeof *points) : NULL;
    if (!points)
        return good ? sn_reader_fail(reader, "no memory for a joint") : false;
    sn_vec3 anchor =
        !isnan(keys->anchor.x) ? keys->anchor : sn_body_centre(scene->world, body[1].generation ? body[1] : body[0]);
    sn_quat turn = isnan(keys->second_axis.x) ? sn_rotation_along(axis) : sn_joint_axes(axis, keys->second_axis);
    for (int i = 0; i < 2; ++i)
        points[i] = sn_point_of_body(scene->world, body[i], anchor, turn);
    def->points = points;
    def->point_count = 2;
    return true;
}

static bool is_held(const sn_point *point)
{
    return point->type != SN_POINT_PARTICLES;
}

static bool set_strengths(sn_scene *scene, sn_reader *reader, const sn_constraint_keys *keys, sn_constraints run)
{
    const sn_tear_def tear = {.strain = keys->tear_strain, .force = keys->tear_force, .fatigue = keys->tear_fatigue};
    for (uint32_t i = 0; i < run.count && (keys->strength > 0 || keys->torque_strength > 0); ++i)
        if (sn_constraint_set_strength(scene->world, sn_constraints_at(run, i), keys->strength,
                                       keys->torque_strength) != SN_OK)
            return sn_scene_refused(scene, reader);
    for (uint32_t i = 0; i < run.count && keys->collides; ++i)
        if (sn_constraint_set_collides(scene->world, sn_constraints_at(run, i), true) != SN_OK)
            return sn_scene_refused(scene, reader);
    if ((tear.strain > 0 || tear.force > 0) && sn_constraints_set_tear(scene->world, run, &tear) != SN_OK)
        return sn_scene_refused(scene, reader);
    return true;
}

/* What follows after a constraint was added: its strength, its points if they are not particles, its name. */
static bool finish_one(sn_scene *scene, sn_reader *reader, const sn_constraint_keys *keys, const sn_constraint_def *def,
                       sn_constraint c)
{
    bool held = false;
    if (!set_strengths(scene, reader, keys, (sn_constraints){c.kind, c.index, 1, c.generation}))
        return false;
    for (uint32_t i = 0; i < def->point_count && !held; ++i)
        held = is_held(&def->points[i]);
    if (held && !sn_scene_keep_points(scene, c, def->point_count, def->points))
        return sn_reader_fail(reader, "no memory for the points of a constraint");
    return add_hold(scene, reader, keys->name, (sn_constraints){c.kind, c.index, 1, c.generation});
}

/* A motor or a drive that may exert nothing does nothing, however fast it is to be: warns. */
static void warn_of_idle(sn_reader *reader, const sn_kind *kind, const kind_table *table)
{
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        const sn_param *most = &kind->param[i];
        const size_t length = strlen(most->name);
        if (table->given[i] || !most->has_default || most->default_value != 0 || length < 5 ||
            strcmp(most->name + length - 5, "_most") != 0)
            continue;
        for (uint32_t k = 0; k < SN_MAX_PARAMS && kind->param[k].name; ++k)
            if (table->given[k] && strlen(kind->param[k].name) == length - 5 &&
                strncmp(kind->param[k].name, most->name, length - 5) == 0) {
                const size_t path = sn_reader_enter_key(reader, kind->param[k].name);
                sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, true,
                                "it does nothing, because '%s', the most that may be exerted (%s), is 0 if not given",
                                most->name, most->unit);
                sn_reader_leave(reader, path);
            }
    }
}

static bool read_one(sn_scene *scene, sn_reader *reader, uint32_t kind_number, const sn_constraint_keys *keys,
                     const kind_table *table)
{
    const sn_kind *kind = sn_kind_info(scene->world, kind_number);
    sn_constraint_def def = sn_default_constraint_def(kind_number);
    const double *each;
    bool good = read_params(reader, kind, table, 1, def.param);
    warn_of_idle(reader, kind, table);
    good = read_give(reader, "compliance", keys->compliance, 1, &def.compliance, &each) && good;
    good = read_give(reader, "damping", keys->damping, 1, &def.damping, &each) && good;
    good = read_give(reader, "stiffness", keys->stiffness, 1, &def.stiffness, &each) && good;
    if (keys->bodies) {
        good = read_joint(scene, reader, kind, keys, &def) && good;
    } else {
        size_t length = sn_reader_enter_key(reader, "points");
        good = (kind->points ? read_points(scene, reader, kind, keys->points, &def)
                             : read_all_points(scene, reader, keys->points, &def)) &&
               good;
        sn_reader_leave(reader, length);
    }
    good = good && read_point_params(scene, reader, kind, table, &def);
    good = good && read_state(scene, reader, kind, &keys->state, &def);
    if (!good || !sn_scene_plan(scene, reader, 0, 1 + def.point_count / 8.0))
        return false;
    double newtons = sn_young_of_rod(reader, &keys->young, keys->compliance != NULL);
    if (newtons == 0)
        return false;
    const sn_real damping = def.damping;
    if (!isnan(newtons))
        def.damping = 0; /* damping needs a compliance; that follows from the rest length, in sn_young_give */
    sn_constraint c;
    if (sn_constraint_add(scene->world, &def, &c) != SN_OK)
        return sn_scene_refused(scene, reader);
    if (!isnan(newtons) &&
        !sn_young_give(scene, reader, (sn_constraints){c.kind, c.index, 1, c.generation}, newtons, damping))
        return false;
    return finish_one(scene, reader, keys, &def, c);
}

/* ---- Many constraints -------------------------------------------------------------------------------------------- */

static bool read_index(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const sn_value *value, uint32_t *count,
                       const uint32_t **out)
{
    uint32_t given, particles = sn_world_particle_count(scene->world);
    const double *x = sn_value_numbers(value, &given);
    size_t length = sn_reader_enter_key(reader, "index");
    bool good = true;
    if (!kind->points)
        good = sn_reader_fail(reader, "a %s has any number of points: name them in 'points', one constraint at a time",
                              kind->name);
    else if (!x || given % kind->points || given == 0)
        good = sn_reader_expected(reader, value,
                                  kind->points == 1
                                      ? "a list of whole numbers"
                                      : "a list of whole numbers, as many for each constraint as its kind has points");
    uint32_t *number = good ? sn_arena_take(&scene->scratch, given, sizeof *number) : NULL;
    if (good && !number)
        good = sn_reader_fail(reader, "no memory for %u numbers", given);
    for (uint32_t i = 0; good && i < given; ++i) {
        if (!(x[i] >= 0 && x[i] < particles && x[i] == floor(x[i])))
            good = sn_reader_fail(reader, "item %u is %g; expected the number of a particle, below %u", i, x[i],
                                  particles);
        else
            number[i] = (uint32_t)x[i];
    }
    sn_reader_leave(reader, length);
    *count = good ? given / kind->points : 0;
    *out = number;
    return good;
}

static bool read_each(sn_scene *scene, sn_reader *reader, const sn_kind *kind, const sn_value *value, uint32_t *count,
                      const uint32_t **out)
{
    sn_selection all = {0};
    size_t length = sn_reader_enter_key(reader, "each");
    bool good = kind->points == 1
                    ? sn_select(scene, reader, value, NULL, &scene->scratch, &all)
                    : sn_reader_fail(reader, "a %s has more than one point: use 'points' or 'index'", kind->name);
    if (good && all.count == 0)
        good = sn_reader_fail(reader, "this names no particle");
    sn_reader_leave(reader, length);
    *count = all.count;
    *out = all.number;
    return good;
}

/* Sets compliance, damping and stiffness where they differ from one constraint to the next. */
static bool set_each(sn_scene *scene, sn_reader *reader, sn_constraints run, sn_material all, const double *compliance,
                     const double *damping, const double *stiffness)
{
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_constraint c = sn_constraints_at(run, i);
        sn_material m = {compliance ? (sn_real)compliance[i] : all.compliance,
                         damping ? (sn_real)damping[i] : all.damping};
        if (((compliance || damping) && sn_constraint_set_material(scene->world, c, m) != SN_OK) ||
            (stiffness && sn_constraint_set_stiffness(scene->world, c, (sn_real)stiffness[i]) != SN_OK))
            return sn_scene_refused(scene, reader);
    }
    return true;
}

static bool read_many(sn_scene *scene, sn_reader *reader, uint32_t kind_number, const sn_constraint_keys *keys,
                      const kind_table *table)
{
    const sn_kind *kind = sn_kind_info(scene->world, kind_number);
    sn_constraint_def def = sn_default_constraint_def(kind_number);
    const uint32_t *index = NULL;
    const double *compliance, *damping, *stiffness;
    uint32_t count = 0;
    if (!(keys->index ? read_index(scene, reader, kind, keys->index, &count, &index)
                      : read_each(scene, reader, kind, keys->each, &count, &index)) ||
        !sn_scene_plan(scene, reader, 0, count))
        return false;
    sn_real *param = sn_arena_take(&scene->scratch, (size_t)count * sn_kind_param_count(kind), sizeof *param);
    if (!param)
        return sn_reader_fail(reader, "no memory for the parameters of %u constraints", count);
    bool good = read_params(reader, kind, table, count, param);
    good = read_give(reader, "compliance", keys->compliance, count, &def.compliance, &compliance) && good;
    good = read_give(reader, "damping", keys->damping, count, &def.damping, &damping) && good;
    good = read_give(reader, "stiffness", keys->stiffness, count, &def.stiffness, &stiffness) && good;
    if (!good)
        return false;
    double newtons = sn_young_of_rod(reader, &keys->young, keys->compliance != NULL);
    if (newtons == 0)
        return false;
    if (!isnan(newtons) && damping)
        return sn_reader_fail_key(reader, "damping", "with Young's modulus it is one number for all of them");
    sn_constraints run;
    sn_material all = {def.compliance, def.damping};
    /* damping needs the compliance of each: set_each or sn_young_give sets both */
    if ((compliance || !isnan(newtons)) && !damping)
        def.damping = 0;
    if (sn_constraints_add(scene->world, &def, count, index, param, &run) != SN_OK)
        return sn_scene_refused(scene, reader);
    if ((compliance || damping || stiffness) && !set_each(scene, reader, run, all, compliance, damping, stiffness))
        return false;
    if (!isnan(newtons) && !sn_young_give(scene, reader, run, newtons, all.damping))
        return false;
    return set_strengths(scene, reader, keys, run) && add_hold(scene, reader, keys->name, run);
}

static bool read_constraint(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    uint32_t number;
    const sn_kind *kind = read_kind(scene, reader, value, &number);
    if (!kind)
        return false;
    sn_constraint_keys keys;
    kind_table table;
    table_of_kind(kind, &table);
    /* The kind's parameters come first: a spring has its own stiffness and damping. */
    const sn_record *tables[] = {&table.record, &sn_constraint_record};
    void *structs[] = {table.given, &keys};
    if (!sn_record_read(reader, value, 2, tables, structs))
        return false;
    if (!!keys.points + !!keys.each + !!keys.index + !!keys.bodies != 1)
        return sn_reader_fail(reader, "expected one of the keys 'points', 'each', 'index' and, of joints, 'bodies'");
    if (!keys.bodies && (!isnan(keys.anchor.x) || !isnan(keys.axis.x) || !isnan(keys.second_axis.x)))
        return sn_reader_fail_key(reader,
                                  !isnan(keys.axis.x)     ? "axis"
                                  : !isnan(keys.anchor.x) ? "anchor"
                                                          : "second_axis",
                                  "it goes with 'bodies'");
    bool good = (keys.points || keys.bodies ? read_one : read_many)(scene, reader, number, &keys, &table);
    sn_arena_release(&scene->scratch);
    return good;
}

bool sn_scene_read_constraints(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return sn_each_item(scene, reader, list, read_constraint);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* Adds a run to the named constraints of an object, or of the scene if object is NULL. */
static bool add_named(sn_scene *scene, sn_reader *reader, sn_object *object, const char *name, sn_constraints run)
{
    if (!object)
        return add_hold(scene, reader, name, run);
    sn_growing list = {object->hold_count, object->hold_count, object->hold};
    sn_hold *hold = sn_growing_add(&list, &scene->arena, sizeof *hold);
    if (!hold)
        return sn_reader_fail(reader, "no memory for a name");
    *hold = (sn_hold){name, run};
    object->hold = list.items;
    object->hold_count = list.count;
    return true;
}

/* The same for single constraints; consecutive ones become one run. */
static bool add_runs(sn_scene *scene, sn_reader *reader, sn_object *object, const char *name, uint32_t count,
                     const sn_constraint *c)
{
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && c[end].kind == c[i].kind && c[end].generation == c[i].generation &&
                          c[end].index == c[i].index + (end - i);)
            ++end;
        if (!add_named(scene, reader, object, name, (sn_constraints){c[i].kind, c[i].index, end - i, c[i].generation}))
            return false;
    }
    return true;
}

static bool read_name(sn_scene *scene, sn_reader *reader, const sn_value *item)
{
    const char *dot = strchr(item->key, '.');
    const char *name = dot ? dot + 1 : item->key;
    sn_object *object = NULL;
    for (uint32_t i = 0; dot && i < scene->objects.count; ++i) {
        const char *of = scene_object(scene, i)->name;
        if (strlen(of) == (size_t)(dot - item->key) && strncmp(of, item->key, strlen(of)) == 0)
            object = scene_object(scene, i);
    }
    if (!sn_is_name(name) || (dot && !object))
        return sn_reader_fail(reader, "expected a name, or that of an object, a point and a name");
    uint32_t count;
    const sn_constraint *c;
    char *copy = sn_arena_copy(&scene->arena, name, strlen(name));
    if (!copy)
        return sn_reader_fail(reader, "no memory for a name");
    bool good = sn_select_constraints(scene, reader, item, &scene->scratch, &count, &c) &&
                add_runs(scene, reader, object, copy, count, c);
    sn_arena_release(&scene->scratch);
    return good;
}

bool sn_scene_read_names(sn_scene *scene, sn_reader *reader, const sn_value *record)
{
    if (record->type != SN_VALUE_RECORD)
        return sn_reader_expected(reader, record, "a record of names");
    bool good = true;
    for (const sn_value *item = record->first; item; item = item->next) {
        size_t length = sn_reader_enter_key(reader, item->key);
        good = read_name(scene, reader, item) && good;
        sn_reader_leave(reader, length);
    }
    return good;
}

/* ---- Attachments ------------------------------------------------------------------------------------------------- */

static bool read_sides(sn_scene *scene, sn_reader *reader, const sn_value *between, sn_selection side[2])
{
    size_t length = sn_reader_enter_key(reader, "between");
    bool good = between->type == SN_VALUE_LIST && between->count == 2;
    if (!good)
        sn_reader_expected(reader, between, "a list of two selectors");
    const sn_value *item = good ? between->first : NULL;
    for (uint32_t i = 0; i < 2 && (item || between->numbers) && good; ++i, item = item ? item->next : NULL) {
        sn_value number = {.type = SN_VALUE_NUMBER, .number = between->numbers ? between->numbers[i] : 0};
        size_t inner = sn_reader_enter_item(reader, i);
        good = sn_select(scene, reader, item ? item : &number, NULL, &scene->scratch, &side[i]) &&
               (side[i].count || sn_reader_fail(reader, "this names no particle"));
        sn_reader_leave(reader, inner);
    }
    if (good && side[0].count != side[1].count && side[0].count != 1 && side[1].count != 1)
        good =
            !reader->doubts_numbers &&
            sn_reader_fail(reader, "found %u and %u particles, expected as many on both sides, or one on one of them",
                           side[0].count, side[1].count);
    sn_reader_leave(reader, length);
    return good;
}

/* Attached particles should touch. A gap of more than this share of the larger of the two objects is most likely a
   mistake. */
#define LARGE_GAP 0.05

static double size_of(const sn_scene *scene, const sn_object *object)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    uint32_t count = object ? sn_object_items(object) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 x = sn_particle_position(
            scene->world, sn_particle_from_index(scene->world, sn_object_number(scene->world, object, i)));
        const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    for (int k = 0; k < 3 && count; ++k)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(square);
}

static double distance_between(const sn_scene *scene, uint32_t a, uint32_t b)
{
    sn_vec3 x = sn_particle_position(scene->world, sn_particle_from_index(scene->world, a));
    sn_vec3 y = sn_particle_position(scene->world, sn_particle_from_index(scene->world, b));
    double d[3] = {(double)x.x - (double)y.x, (double)x.y - (double)y.y, (double)x.z - (double)y.z};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* A rigid attachment closes its gap in the first substep, at whatever speed that takes: warns. A soft attachment may
   be meant to pull. */
static void warn_of_gap(const sn_scene *scene, sn_reader *reader, const sn_attachment_keys *keys, uint32_t count,
                        const uint32_t *index)
{
    double worst = 0, apart = 0, rest = isnan(keys->distance) ? 0 : (double)keys->distance;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double d = distance_between(scene, index[2 * i], index[2 * i + 1]);
        if (fabs(d - rest) > worst) {
            worst = fabs(d - rest);
            apart = d;
            at = i;
        }
    }
    char a[160], b[160], wanted[60] = "";
    if (keys->compliance > 0 || worst == 0)
        return;
    double size = fmax(size_of(scene, sn_scene_label(scene, index[2 * at], a, sizeof a)),
                       size_of(scene, sn_scene_label(scene, index[2 * at + 1], b, sizeof b)));
    if (!(worst > LARGE_GAP * size))
        return;
    if (rest > 0)
        snprintf(wanted, sizeof wanted, ", and are to be %.4g m apart", rest);
    sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false,
                    "'%s' and '%s' are %.4g m apart at the start%s: the first frame pulls them together at once", a, b,
                    apart, wanted);
}

static bool read_attachment(sn_scene *scene, sn_reader *reader, const sn_value *value)
{
    sn_attachment_keys keys;
    sn_selection side[2] = {{0}, {0}};
    if (!sn_record_read_one(reader, value, &sn_attachment_record, &keys) ||
        !read_sides(scene, reader, keys.between, side))
        return false;
    double newtons = sn_young_of_rod(reader, &keys.young, keys.compliance > 0);
    if (newtons == 0)
        return false;
    if (!isnan(newtons) && isnan(keys.distance))
        return sn_reader_fail_key(reader, "young", "Young's modulus needs a length: add 'distance'");
    uint32_t count = side[0].count > side[1].count ? side[0].count : side[1].count;
    if (!sn_scene_plan(scene, reader, 0, count))
        return false;
    uint32_t *index = sn_arena_take(&scene->scratch, 2 * (size_t)count, sizeof *index);
    if (!index)
        return sn_reader_fail(reader, "no memory for %u attachments", count);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < 2; ++k)
            index[2 * i + k] = side[k].number[side[k].count == 1 ? 0 : i];
    bool rods = !isnan(keys.distance);
    sn_constraint_def def = sn_default_constraint_def(rods ? SN_KIND_DISTANCE : SN_KIND_ATTACHMENT);
    if (!isnan(newtons))
        keys.compliance = sn_young_compliance(newtons, (double)keys.distance);
    def.compliance = keys.compliance;
    def.damping = keys.damping;
    if (rods)
        def.param[0] = keys.distance;
    sn_constraints run;
    sn_result result = sn_constraints_add(scene->world, &def, count, index, NULL, &run);
    if (result == SN_OK && !reader->doubts_numbers)
        warn_of_gap(scene, reader, &keys, count, index);
    sn_arena_release(&scene->scratch);
    if (result == SN_OK && (keys.tear.strain > 0 || keys.tear.force > 0))
        result = sn_constraints_set_tear(scene->world, run, &keys.tear);
    return result == SN_OK ? add_hold(scene, reader, keys.name, run) : sn_scene_refused(scene, reader);
}

bool sn_scene_read_attachments(sn_scene *scene, sn_reader *reader, const sn_value *list)
{
    return sn_each_item(scene, reader, list, read_attachment);
}
