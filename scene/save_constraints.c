/* A scene as a document: its constraints, in batches of equal keys. */
#include "scene/save_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A batch: constraints of one kind, consecutive in the order of the world, between particles only. */
typedef struct batch {
    uint32_t kind;
    uint32_t count;
    sn_constraint_walk begin; /* at its first constraint */
} batch;

enum { MOST_POINTS = 1 << 24 };

/* Reads a constraint; its points are in the scratch until the next release. */
static bool read_constraint(sn_saver *s, sn_constraint c, sn_constraint_def *def)
{
    uint32_t count = sn_constraint_point_count(s->scene->world, c);
    sn_point *points = sn_arena_take(&s->scratch, count, sizeof *points);
    return points && sn_constraint_read(s->scene->world, c, def, points, count) == SN_OK;
}

static bool is_plain(const sn_saver *s, const sn_kind *kind, const sn_constraint_def *def, sn_constraint c)
{
    sn_real force = 0, torque = 0;
    bool plain = kind->points != 0 && !kind->state && !sn_constraint_collides(s->scene->world, c);
    sn_tear_def tear = {0};
    if (plain && sn_constraint_strength(s->scene->world, c, &force, &torque) == SN_OK)
        plain = force == 0 && torque == 0;
    if (plain && sn_constraint_read_tear(s->scene->world, c, &tear) == SN_OK)
        plain = tear.strain == 0;
    for (uint32_t i = 0; i < def->point_count && plain; ++i)
        plain = def->points[i].count == 1;
    return plain;
}

/* The points of a constraint on bodies as they were defined, unless the program has changed them. */
static const sn_point *given_points(sn_saver *s, sn_constraint c, const sn_constraint_def *def)
{
    const sn_given_points *given = s->scene->given_points.items;
    uint32_t count = s->scene->given_points.count;
    for (uint32_t i = 0; i < count; ++i) { /* constraints usually come in the same order */
        const sn_given_points *g = &given[(s->given + i) % count];
        if (g->constraint.kind != c.kind || g->constraint.index != c.index || g->constraint.generation != c.generation)
            continue;
        s->given += i + 1;
        return g->count == def->point_count && memcmp(g->read, def->points, g->count * sizeof *g->read) == 0
                   ? g->given
                   : def->points;
    }
    return def->points;
}

/* Saves the name of a body, for a point. */
static void save_body_name(sn_saver *s, sn_value *record, sn_body body)
{
    char made[40];
    if (sn_body_type_of(s->scene->world, body) != SN_BODY_DYNAMIC) {
        sn_document_text(s->out, record, "body", sn_scene_fixed_name(s->scene, body, made, sizeof made));
        return;
    }
    uint32_t number = sn_body_particle(s->scene->world, body).index;
    sn_document_number(s->out, record, "body", number < s->number_count ? s->number[number] : UINT32_MAX);
}

static void save_place(sn_saver *s, sn_value *list, const sn_point *point)
{
    sn_value *record = sn_document_record(s->out, list, NULL);
    double place[3] = {(double)point->place.x, (double)point->place.y, (double)point->place.z};
    double turn[4] = {(double)point->turn.x, (double)point->turn.y, (double)point->turn.z, (double)point->turn.w};
    static const double none[4] = {0, 0, 0, 1};
    if (point->type == SN_POINT_BODY)
        save_body_name(s, record, point->body);
    sn_document_numbers(s->out, record, "place", 3, place, NULL);
    if (memcmp(turn, none, sizeof none) != 0)
        sn_document_numbers(s->out, record, "rotation", 4, turn, NULL);
}

void sn_saver_put_point(sn_saver *s, sn_value *list, const sn_point *point)
{
    if (point->type != SN_POINT_PARTICLES) {
        save_place(s, list, point);
        return;
    }
    if (point->count == 1) {
        sn_document_number(s->out, list, NULL, s->number[point->particle[0].index]);
        return;
    }
    sn_value *record = sn_document_record(s->out, list, NULL);
    double number[4], weight[4];
    for (uint32_t i = 0; i < point->count; ++i) {
        number[i] = s->number[point->particle[i].index];
        weight[i] = (double)point->weight[i];
    }
    sn_document_numbers(s->out, record, "spot", point->count, number, NULL);
    sn_document_numbers(s->out, record, "weights", point->count, weight, NULL);
}

/* Saves the numbers of the points of a constraint, and its internal state. */
static void save_memory(sn_saver *s, sn_value *record, const sn_kind *kind, const sn_constraint_def *def)
{
    uint32_t stride = sn_kind_point_param_count(kind), at = 0;
    double *numbers;
    bool any = false;
    for (uint32_t i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name && def->point_param; ++i) {
        uint32_t size = kind->point_param[i].type == SN_PARAM_REAL ? 1 : 3;
        if (sn_document_numbers(s->out, record, kind->point_param[i].name, size * def->point_count, NULL, &numbers))
            for (uint32_t p = 0; p < def->point_count; ++p)
                for (uint32_t k = 0; k < size; ++k)
                    *numbers++ = (double)def->point_param[(size_t)p * stride + at + k];
        at += size;
    }
    for (uint32_t i = 0; i < kind->state && def->state && !any; ++i)
        any = def->state[i] != 0 || signbit(def->state[i]);
    if (any && sn_document_numbers(s->out, record, "state", kind->state, NULL, &numbers))
        for (uint32_t i = 0; i < kind->state; ++i)
            numbers[i] = (double)def->state[i];
}

static void save_strength(sn_saver *s, sn_value *record, sn_constraint c)
{
    sn_real force = 0, torque = 0;
    sn_tear_def tear = {0};
    if (sn_constraint_strength(s->scene->world, c, &force, &torque) != SN_OK ||
        sn_constraint_read_tear(s->scene->world, c, &tear) != SN_OK)
        s->out->failed = true;
    if (tear.strain != 0)
        sn_document_number(s->out, record, "tear_strain", (double)tear.strain);
    if (tear.force != 0)
        sn_document_number(s->out, record, "tear_force", (double)tear.force);
    if (tear.fatigue != 0)
        sn_document_number(s->out, record, "tear_fatigue", (double)tear.fatigue);
    if (force != 0 && tear.force == 0)
        sn_document_number(s->out, record, "strength", (double)force);
    if (torque != 0)
        sn_document_number(s->out, record, "torque_strength", (double)torque);
    if (sn_constraint_collides(s->scene->world, c))
        sn_document_truth(s->out, record, "collides", true);
}

/* Saves a single constraint: one with barycentric points or bodies, or of a kind with any number of points. */
static void save_single(sn_saver *s, sn_value *list, const sn_kind *kind, const sn_constraint_def *def, sn_constraint c)
{
    sn_value *record = sn_document_record(s->out, list, NULL);
    sn_document_text(s->out, record, "kind", kind->name);
    double *number;
    if (kind->points) {
        sn_value *list_of_points = sn_document_list(s->out, record, "points");
        const sn_point *points = given_points(s, c, def);
        for (uint32_t i = 0; i < def->point_count; ++i)
            sn_saver_put_point(s, list_of_points, &points[i]);
    } else if (sn_document_numbers(s->out, record, "points", def->point_count, NULL, &number)) {
        for (uint32_t i = 0; i < def->point_count; ++i)
            number[i] = s->number[def->points[i].particle[0].index];
    }
    const sn_real *at = def->param;
    for (uint32_t i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        double x[3] = {(double)at[0], 0, 0};
        bool vector = kind->param[i].type != SN_PARAM_REAL;
        if (vector) {
            x[1] = (double)at[1], x[2] = (double)at[2];
            sn_document_numbers(s->out, record, kind->param[i].name, 3, x, NULL);
        } else {
            sn_document_number(s->out, record, kind->param[i].name, x[0]);
        }
        at += vector ? 3 : 1;
    }
    save_memory(s, record, kind, def);
    save_strength(s, record, c);
    if (def->compliance != 0)
        sn_document_number(s->out, record, "compliance", (double)def->compliance);
    if (def->damping != 0 && !sn_value_find(record, "damping"))
        sn_document_number(s->out, record, "damping", (double)def->damping);
    if (def->stiffness != 1 && !sn_value_find(record, "stiffness"))
        sn_document_number(s->out, record, "stiffness", (double)def->stiffness);
}

/* A column of a batch: `size` numbers of every constraint. It is written as one value if all are equal, and omitted
   if that is the default. */
typedef struct column {
    const char *name;
    uint32_t size;
    bool skip_default;
    double standard;
    double *numbers;
} column;

static void save_column(sn_saver *s, sn_value *record, const column *c, uint32_t count)
{
    bool same = true;
    for (uint64_t i = c->size; i < (uint64_t)count * c->size && same; ++i) /* -0 differs from 0 */
        same = memcmp(&c->numbers[i], &c->numbers[i - c->size], sizeof(double)) == 0;
    if (same && c->skip_default && c->numbers[0] == c->standard)
        return;
    if (same && c->size == 1)
        sn_document_number(s->out, record, c->name, c->numbers[0]);
    else
        sn_document_numbers(s->out, record, c->name, same ? c->size : count * c->size, c->numbers, NULL);
}

enum { GIVES = 3, MOST_COLUMNS = SN_MAX_PARAMS + GIVES };

static uint32_t make_columns(const sn_kind *kind, column *c)
{
    uint32_t count = 0;
    for (; count < SN_MAX_PARAMS && kind->param[count].name; ++count)
        c[count] = (column){.name = kind->param[count].name, .size = kind->param[count].type == SN_PARAM_REAL ? 1 : 3};
    c[count++] = (column){"compliance", 1, true, 0, NULL};
    c[count++] = (column){"damping", 1, true, 0, NULL};
    c[count++] = (column){"stiffness", 1, true, 1, NULL};
    return count;
}

/* Fills the numbers of one constraint into all columns. */
static void fill_columns(column *c, uint32_t columns, uint32_t i, const sn_constraint_def *def)
{
    const sn_real *at = def->param;
    for (uint32_t k = 0; k + GIVES < columns; ++k)
        for (uint32_t j = 0; j < c[k].size; ++j)
            c[k].numbers[(size_t)i * c[k].size + j] = (double)*at++;
    c[columns - 3].numbers[i] = (double)def->compliance;
    c[columns - 2].numbers[i] = (double)def->damping;
    c[columns - 1].numbers[i] = (double)def->stiffness;
}

static bool save_batch(sn_saver *s, sn_value *list, const batch *b)
{
    const sn_kind *kind = sn_kind_info(s->scene->world, b->kind);
    sn_value *record = sn_document_record(s->out, list, NULL);
    sn_document_text(s->out, record, "kind", kind->name);
    column c[MOST_COLUMNS];
    double *index;
    uint32_t columns = make_columns(kind, c);
    sn_arena room;
    sn_arena_init(&room, &s->scratch.allocator);
    bool good = sn_document_numbers(s->out, record, "index", b->count * kind->points, NULL, &index) != NULL;
    for (uint32_t k = 0; k < columns; ++k)
        good = (c[k].numbers = sn_arena_take(&room, (size_t)b->count * c[k].size, sizeof(double))) && good;
    sn_constraint_walk walk = b->begin;
    sn_point points[SN_MAX_POINTS];
    sn_constraint_def def;
    for (uint32_t i = 0; i < b->count && good; ++i, sn_constraint_next(s->scene->world, &walk)) {
        good = sn_constraint_read(s->scene->world, walk.constraint, &def, points, SN_MAX_POINTS) == SN_OK;
        for (uint32_t k = 0; k < kind->points && good; ++k)
            index[(size_t)i * kind->points + k] = s->number[points[k].particle[0].index];
        if (good)
            fill_columns(c, columns, i, &def);
    }
    for (uint32_t k = 0; k < columns && good; ++k)
        if (!sn_value_find(record, c[k].name)) /* for a spring, stiffness is a parameter, and k has no effect */
            save_column(s, record, &c[k], b->count);
    sn_arena_release(&room);
    return good || sn_saver_fail(s, "no memory for the constraints");
}

/* The number of anchor particles of static and kinematic bodies. Such a particle exists if a constraint uses the
   body. */
static uint32_t count_anchors(const sn_scene *scene)
{
    uint32_t anchors = 0, limit = sn_world_body_limit(scene->world);
    for (uint32_t i = 0; i < limit; ++i) {
        const sn_body body = sn_body_from_index(scene->world, i);
        anchors += body.generation && sn_body_type_of(scene->world, body) != SN_BODY_DYNAMIC &&
                   sn_body_particle(scene->world, body).generation;
    }
    return anchors;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The corners of the skin of an object. */
static const uint32_t *skin_corners(const sn_saver *s, const sn_object *object, uint32_t *count)
{
    const sn_world *world = s->scene->world;
    *count = 0;
    const uint32_t *corner = object->triangle_count && sn_skin_is_valid(world, object->skin)
                                 ? sn_skin_triangles(world, object->skin, count)
                                 : NULL;
    *count *= 3;
    return corner;
}

/* Finds the particles that tears and cuts have added: corners of the skin of an object that are not its own. */
static bool find_torn(sn_saver *s)
{
    const sn_world *world = s->scene->world;
    const uint32_t objects = s->scene->objects.count;
    uint32_t limit = 0, corners;
    for (uint32_t i = 0; i < objects; ++i) {
        const sn_object *object = scene_object(s->scene, i);
        for (uint32_t k = 0; k < sn_object_items(object); ++k)
            limit = higher(limit, sn_object_number(world, object, k) + 1);
        const uint32_t *corner = skin_corners(s, object, &corners);
        for (uint32_t k = 0; k < corners; ++k)
            limit = higher(limit, corner[k] + 1);
    }
    s->number_count = limit;
    bool *seen = sn_arena_take(&s->ranks_arena, limit, sizeof *seen);
    s->torn = sn_arena_take(&s->ranks_arena, limit, sizeof *s->torn);
    s->torn_end = sn_arena_take(&s->ranks_arena, objects, sizeof *s->torn_end);
    if (!seen || !s->torn || !s->torn_end)
        return sn_saver_fail(s, "no memory for the particles");
    memset(seen, 0, limit * sizeof *seen);
    for (uint32_t i = 0; i < objects; ++i)
        for (uint32_t k = 0; k < sn_object_items(scene_object(s->scene, i)); ++k)
            seen[sn_object_number(world, scene_object(s->scene, i), k)] = true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < objects; ++i) {
        const uint32_t *corner = skin_corners(s, scene_object(s->scene, i), &corners);
        for (uint32_t k = 0; k < corners; ++k)
            if (!seen[corner[k]]) {
                seen[corner[k]] = true;
                s->torn[count++] = corner[k];
            }
        s->torn_end[i] = count;
    }
    return true;
}

/* Gives the particles of an object the numbers from *next on: its own, those that tears have added, then bodies. */
static void number_object(sn_saver *s, uint32_t i, uint32_t *next)
{
    const sn_object *object = scene_object(s->scene, i);
    uint32_t torn;
    const uint32_t *made = saver_torn(s, i, &torn);
    for (uint32_t k = 0; k < object->run.count; ++k)
        s->number[object->run.first + k] = (*next)++;
    for (uint32_t k = 0; k < torn; ++k)
        s->number[made[k]] = (*next)++;
    for (uint32_t k = object->run.count; k < sn_object_items(object); ++k)
        s->number[sn_object_number(s->scene->world, object, k)] = (*next)++;
}

/* Gives particles the numbers that they will have when the scene is loaded: object after object. */
bool sn_saver_number_particles(sn_saver *s)
{
    const uint32_t objects = s->scene->objects.count;
    uint32_t next = 0;
    for (uint32_t i = 0; i < objects; ++i) {
        const sn_object *object = scene_object(s->scene, i);
        for (uint32_t k = 0; k < object->body_count; ++k)
            if (!sn_body_is_valid(s->scene->world, object->body[k].handle))
                return sn_saver_fail(s, "the world lacks a body of an object: a scene file cannot say so");
        next += sn_object_items(object);
    }
    if (!find_torn(s))
        return false;
    if (next + (objects ? s->torn_end[objects - 1] : 0) + count_anchors(s->scene) !=
        sn_world_particle_count(s->scene->world))
        return sn_saver_fail(
            s, "the world has particles that belong to no object, or lacks some of an object: a scene file "
               "cannot say so");
    if (!(s->number = sn_arena_take(&s->ranks_arena, s->number_count, sizeof *s->number)))
        return sn_saver_fail(s, "no memory for the particles");
    next = 0;
    for (int lone = 0; lone < 2; ++lone) /* bodies of the list "bodies" come after all objects */
        for (uint32_t i = 0; i < objects; ++i)
            if (sn_scene_is_lone_body(scene_object(s->scene, i)) == (lone == 1))
                number_object(s, i, &next);
    return true;
}

/* Gives constraints their ranks: the numbers that they will have when the scene is loaded. */
bool sn_saver_rank_constraints(sn_saver *s)
{
    sn_world *world = s->scene->world;
    uint32_t next[SN_KIND_BUILTIN_END] = {0};
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        uint32_t kind = walk.constraint.kind;
        if (kind >= SN_KIND_BUILTIN_END)
            return sn_saver_fail(s, "the world has constraints of a kind of its own, which a scene file cannot name");
        if (walk.constraint.index >= s->rank_count[kind])
            s->rank_count[kind] = walk.constraint.index + 1;
    }
    for (uint32_t kind = 0; kind < SN_KIND_BUILTIN_END; ++kind)
        if (!(s->rank[kind] = sn_arena_take(&s->ranks_arena, s->rank_count[kind], sizeof(uint32_t))))
            return sn_saver_fail(s, "no memory for the constraints");
    walk = (sn_constraint_walk){0};
    while (sn_constraint_next(world, &walk))
        s->rank[walk.constraint.kind][walk.constraint.index] = next[walk.constraint.kind]++;
    return true;
}

bool sn_saver_put_constraints(sn_saver *s, sn_value *root)
{
    if (sn_world_constraint_count(s->scene->world, SN_KIND_NONE) == 0)
        return true;
    sn_value *list = sn_document_list(s->out, root, "constraints");
    batch b = {0};
    sn_constraint_walk walk = {0};
    bool good = true;
    while (good && sn_constraint_next(s->scene->world, &walk)) {
        sn_constraint_def def;
        const sn_kind *kind = sn_kind_info(s->scene->world, walk.constraint.kind);
        if (!read_constraint(s, walk.constraint, &def))
            return sn_saver_fail(s, "no memory for the constraints");
        bool plain = is_plain(s, kind, &def, walk.constraint);
        if (b.count && (!plain || b.kind != walk.constraint.kind || b.count >= MOST_POINTS)) {
            good = save_batch(s, list, &b);
            b.count = 0;
        }
        if (plain && b.count++ == 0) {
            b.kind = walk.constraint.kind;
            b.begin = walk;
        }
        if (!plain)
            save_single(s, list, kind, &def, walk.constraint);
        sn_arena_release(&s->scratch);
    }
    return good && (!b.count || save_batch(s, list, &b));
}
