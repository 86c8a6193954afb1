/* A scene as a document: every object as a set of particles, every constraint, and the actions that are still to
   come. */
#include "scene/characters.h"
#include "scene/save_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool sn_saver_fail(sn_saver *s, const char *text)
{
    if (s->size)
        snprintf(s->message, s->size, "%s", text);
    return false;
}

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

static void save_drags(sn_saver *s, sn_value *world)
{
    const uint32_t *number = s->scene->drags.items;
    const char *const *object = s->scene->drag_objects.items;
    sn_value *list = s->scene->drags.count ? sn_document_list(s->out, world, "drags") : NULL;
    for (uint32_t i = 0; i < s->scene->drags.count; ++i) {
        sn_drag_keys keys = {.object = object[i]};
        if (sn_drag_read(s->scene->world, number[i], &keys.def) != SN_OK)
            continue; /* removed in the meantime */
        sn_value *record = sn_document_record(s->out, list, NULL);
        sn_record_write(s->out, record, &sn_drag_record, &keys);
        if (keys.def.form != SN_DRAG_MATRIX)
            continue;
        sn_value *matrix = sn_document_list(s->out, record, "matrix");
        for (int row = 0; row < 3; ++row) {
            double x[3] = {(double)keys.def.matrix[row][0], (double)keys.def.matrix[row][1],
                           (double)keys.def.matrix[row][2]};
            sn_document_numbers(s->out, matrix, NULL, 3, x, NULL);
        }
    }
}

static void save_text(sn_saver *s, sn_value *root, const char *key, const char *text)
{
    if (text && text[0])
        sn_document_text(s->out, root, key, text);
}

static void save_head(sn_saver *s, sn_value *root)
{
    const sn_scene_info *info = &s->scene->info;
    sn_document_number(s->out, root, "sinew", SN_SCENE_VERSION);
    save_text(s, root, "title", info->title);
    save_text(s, root, "about", info->about);
    save_text(s, root, "topic", info->topic);
    sn_world_keys world = {.settings = sn_world_settings(s->scene->world),
                           .dimensions = sn_world_dimensions(s->scene->world)};
    sn_value *record = sn_document_record(s->out, root, "world");
    sn_record_write(s->out, record, &sn_world_record, &world);
    save_drags(s, record);
    /* a scene runs the frames of the warm-up first, then the others */
    uint32_t taken = s->scene->frame, warm = info->warm_up < taken ? info->warm_up : taken;
    sn_run_keys run = {.frames = info->frames > taken - warm ? info->frames - (taken - warm) : 0,
                       .rate = info->rate,
                       .warm_up = info->warm_up - warm,
                       .time = (sn_real)s->scene->start_time,
                       .frame = s->scene->start_frame + taken};
    sn_record_write(s->out, sn_document_record(s->out, root, "run"), &sn_run_record, &run);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static sn_particle item_at(const sn_saver *s, uint32_t i)
{
    return sn_particle_from_index(s->scene->world, s->item[i]);
}

static void put_vector(double *numbers, uint32_t i, sn_vec3 x)
{
    numbers[3 * (size_t)i] = (double)x.x;
    numbers[3 * (size_t)i + 1] = (double)x.y;
    numbers[3 * (size_t)i + 2] = (double)x.z;
}

/* Saves a vector of every particle. always: also if all are 0; a -0 is not. */
static void save_vectors(sn_saver *s, sn_value *record, const char *key,
                         sn_vec3 (*read)(const sn_world *world, sn_particle particle), bool always)
{
    bool any = always;
    double *numbers;
    for (uint32_t i = 0; i < s->items && !any; ++i) {
        const sn_vec3 x = read(s->scene->world, item_at(s, i));
        any = x.x != 0 || x.y != 0 || x.z != 0 || signbit(x.x) || signbit(x.y) || signbit(x.z);
    }
    if (!any || !sn_document_numbers(s->out, record, key, 3 * s->items, NULL, &numbers))
        return;
    for (uint32_t i = 0; i < s->items; ++i)
        put_vector(numbers, i, read(s->scene->world, item_at(s, i)));
}

static void save_indices(sn_saver *s, sn_value *record, const char *key, uint64_t count, const uint32_t *index,
                         uint32_t first)
{
    double *numbers;
    if (!sn_document_numbers(s->out, record, key, (uint32_t)count, NULL, &numbers))
        return;
    for (uint64_t i = 0; i < count; ++i)
        numbers[i] = index ? index[i] : first + i;
}

/* Saves the masses, one each. Pinned particles have the mass from before the pin and are listed as pins. Other
   immovable particles are listed as fixed; their mass of 1 kg is ignored. */
static void save_masses(sn_saver *s, sn_value *record, sn_particles run)
{
    double *mass;
    uint32_t *still = sn_arena_take(&s->scratch, s->items, sizeof *still), fixed = 0;
    if (!still || !sn_document_numbers(s->out, record, "masses", s->items, NULL, &mass)) {
        s->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->items; ++i)
        mass[i] = (double)sn_particle_mass(s->scene->world, item_at(s, i));
    const sn_pinned *pinned = s->scene->pinned.items;
    for (uint32_t k = 0; k < s->scene->pinned.count; ++k) {
        uint32_t i = pinned[k].number - run.first;
        if (pinned[k].number < run.first || i >= run.count || !isinf(mass[i]))
            continue; /* of another object, or the program has set a mass since */
        mass[i] = (double)pinned[k].mass;
    }
    for (uint32_t i = 0; i < s->items; ++i)
        if (isinf(mass[i])) {
            mass[i] = 1;
            still[fixed++] = i;
        }
    if (fixed)
        save_indices(s, record, "fixed", fixed, still, 0);
}

static void save_radii(sn_saver *s, sn_value *record)
{
    sn_real first = s->items ? sn_particle_radius(s->scene->world, item_at(s, 0)) : 0;
    double *radius;
    bool same = true;
    for (uint32_t i = 0; i < s->items && same; ++i)
        same = sn_particle_radius(s->scene->world, item_at(s, i)) == first;
    if (same) {
        if (first != 0)
            sn_document_number(s->out, record, "radius", (double)first);
        return;
    }
    if (sn_document_numbers(s->out, record, "radii", s->items, NULL, &radius))
        for (uint32_t i = 0; i < s->items; ++i)
            radius[i] = (double)sn_particle_radius(s->scene->world, item_at(s, i));
}

/* The triangles of its skin, which tears and cuts change; without one, those that it was built with. */
static void save_triangles(sn_saver *s, sn_value *record, const sn_object *object)
{
    uint32_t count = 0;
    double *numbers;
    if (!sn_skin_is_valid(s->scene->world, object->skin)) {
        save_indices(s, record, "triangles", 3 * (uint64_t)object->triangle_count, object->triangle, 0);
        return;
    }
    const uint32_t *corner = sn_skin_triangles(s->scene->world, object->skin, &count);
    if (count && sn_document_numbers(s->out, record, "triangles", 3 * count, NULL, &numbers))
        for (uint32_t i = 0; i < 3 * count; ++i)
            numbers[i] = s->number[corner[i]] - s->number[object->run.first];
}

/* The number of an item in the saved object: bodies come behind the particles that tears have added. */
static uint32_t saved_item(const sn_saver *s, const sn_object *object, uint32_t item)
{
    return item < object->run.count ? item : item + s->items - object->run.count;
}

static void save_parts(sn_saver *s, sn_value *record, const sn_object *object)
{
    sn_value *parts = NULL;
    double *numbers;
    for (uint32_t i = 0; i < object->part_count; ++i) {
        const sn_part *part = &object->part[i];
        if (strcmp(part->name, "all") == 0)
            continue;
        if (!parts)
            parts = sn_document_record(s->out, record, "parts");
        if (sn_document_numbers(s->out, parts, part->name, part->count, NULL, &numbers))
            for (uint32_t k = 0; k < part->count; ++k)
                numbers[k] = saved_item(s, object, part->index ? part->index[k] : part->first + k);
    }
}

/* Saves a skin: true, or a record of what differs from the default. */
static void save_skin(sn_saver *s, sn_value *record, const sn_object *object)
{
    sn_object_skin plain;
    if (!sn_skin_is_valid(s->scene->world, object->skin))
        return;
    sn_skin_record.defaults(&plain);
    if (object->skin_def.thickness == plain.thickness && object->skin_def.one_sided == plain.one_sided &&
        object->skin_def.self_collision == plain.self_collision && object->skin_def.tear_strain == 0 &&
        object->skin_def.tear_force == 0)
        sn_document_truth(s->out, record, "skin", true);
    else
        sn_record_write(s->out, sn_document_record(s->out, record, "skin"), &sn_skin_record, &object->skin_def);
}

/* Saves the rest shape, unless it is the present shape. */
static void save_rest(sn_saver *s, sn_value *record, const sn_object *object)
{
    const sn_world *world = s->scene->world;
    sn_vec3 *rest = object->rest ? sn_arena_take(&s->scratch, s->items, sizeof *rest) : NULL;
    double *numbers;
    bool moved = false;
    if (!object->rest || !s->items)
        return;
    const sn_vec3 first = sn_particle_rest_position(world, item_at(s, 0));
    if (!rest) {
        s->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < s->items; ++i) {
        const sn_vec3 now = sn_particle_position(world, item_at(s, i));
        const sn_vec3 own = i < object->run.count ? now : sn_particle_rest_position(world, item_at(s, i));
        rest[i] = i < object->run.count ? object->rest[i]
                  : isnan(own.x)
                      ? now
                      : (sn_vec3){object->rest[0].x + (own.x - first.x), object->rest[0].y + (own.y - first.y),
                                  object->rest[0].z + (own.z - first.z)};
        moved = moved || memcmp(&now, &rest[i], sizeof now) != 0;
    }
    if (moved && sn_document_numbers(s->out, record, "rest", 3 * s->items, NULL, &numbers))
        for (uint32_t i = 0; i < s->items; ++i)
            put_vector(numbers, i, rest[i]);
}

/* The mass of a particle before it was pinned; NaN if it is not pinned. */
static sn_real pinned_mass(const sn_saver *s, uint32_t number)
{
    const sn_pinned *pinned = s->scene->pinned.items;
    sn_real now = sn_particle_mass(s->scene->world, sn_particle_from_index(s->scene->world, number));
    for (uint32_t k = 0; k < s->scene->pinned.count && isinf(now); ++k)
        if (pinned[k].number == number)
            return pinned[k].mass;
    return (sn_real)NAN;
}

/* Saves the items of an object that are pinned. */
static void save_pins(sn_saver *s, sn_value *record, const sn_object *object)
{
    const sn_pinned *pinned = s->scene->pinned.items;
    uint32_t *pin = sn_arena_take(&s->scratch, s->scene->pinned.count, sizeof *pin), pins = 0;
    for (uint32_t k = 0; pin && k < s->scene->pinned.count; ++k) {
        uint32_t i = pinned[k].number - object->run.first;
        if (pinned[k].number >= object->run.first && i < object->run.count && !isnan(pinned_mass(s, pinned[k].number)))
            pin[pins++] = i;
        for (i = 0; i < object->body_count; ++i)
            if (sn_object_number(s->scene->world, object, object->run.count + i) == pinned[k].number)
                pin[pins++] = saved_item(s, object, object->run.count + i);
    }
    if (pins)
        save_indices(s, record, "pins", pins, pin, 0);
    if (!pin)
        s->out->failed = true;
}

static void save_body(sn_saver *s, sn_value *record, const sn_object *object, uint32_t i)
{
    sn_real mass = pinned_mass(s, sn_object_number(s->scene->world, object, object->run.count + i));
    if (isnan(mass))
        mass = sn_body_mass(s->scene->world, object->body[i].handle);
    sn_scene_save_body(s->scene, s->out, record, &object->body[i], mass);
}

static void save_lone_body(sn_saver *s, sn_value *list, const sn_object *object)
{
    sn_value *record = sn_document_record(s->out, list, NULL);
    sn_document_text(s->out, record, "name", object->name);
    if (object->group != 0)
        sn_document_number(s->out, record, "group", object->group);
    if (!isnan(pinned_mass(s, sn_object_number(s->scene->world, object, 0))))
        sn_document_truth(s->out, record, "pinned", true);
    save_body(s, record, object, 0);
}

/* Saves the dynamic bodies of the list "bodies"; the others are in it already. */
static void save_bodies(sn_saver *s, sn_value *root)
{
    sn_value *list = (sn_value *)sn_value_find(root, "bodies");
    for (uint32_t i = 0; i < s->scene->objects.count; ++i) {
        const sn_object *object = scene_object(s->scene, i);
        if (!sn_scene_is_lone_body(object))
            continue;
        if (!list)
            list = sn_document_list(s->out, root, "bodies");
        save_lone_body(s, list, object);
    }
}

/* Saves data that only particles have. */
static void save_particles(sn_saver *s, sn_value *record, const sn_object *object);

/* Lists the particles of an object. */
static void take_items(sn_saver *s, uint32_t number)
{
    const sn_object *object = scene_object(s->scene, number);
    uint32_t torn;
    const uint32_t *made = saver_torn(s, number, &torn);
    s->items = object->run.count + torn;
    s->item = sn_arena_take(&s->scratch, s->items, sizeof *s->item);
    s->out->failed = s->out->failed || !s->item;
    for (uint32_t i = 0; s->item && i < s->items; ++i)
        s->item[i] = i < object->run.count ? object->run.first + i : made[i - object->run.count];
    s->items = s->item ? s->items : 0;
}

static void save_object(sn_saver *s, sn_value *list, uint32_t number)
{
    const sn_object *object = scene_object(s->scene, number);
    sn_value *record = sn_document_record(s->out, list, NULL);
    take_items(s, number);
    sn_document_text(s->out, record, "type", "particles");
    sn_document_text(s->out, record, "name", object->name);
    sn_document_number(s->out, record, "group", object->group);
    if (object->run.count)
        save_particles(s, record, object);
    sn_value *bodies = object->body_count ? sn_document_list(s->out, record, "bodies") : NULL;
    for (uint32_t i = 0; i < object->body_count; ++i)
        save_body(s, sn_document_record(s->out, bodies, NULL), object, i);
    save_pins(s, record, object);
    save_parts(s, record, object);
    sn_arena_release(&s->scratch);
}

static void save_particles(sn_saver *s, sn_value *record, const sn_object *object)
{
    save_vectors(s, record, "positions", sn_particle_position, true);
    save_vectors(s, record, "velocities", sn_particle_velocity, false);
    if (sn_world_group_contact(s->scene->world, object->group).rolls)
        save_vectors(s, record, "spins", sn_particle_spin, false);
    save_masses(s, record, object->run);
    save_radii(s, record);
    if (object->triangle_count)
        save_triangles(s, record, object);
    if (object->line_count)
        save_indices(s, record, "lines", 2 * (uint64_t)object->line_count, object->line, 0);
    save_skin(s, record, object);
    save_rest(s, record, object);
}

/* ---- Actions that are still to come ------------------------------------------------------------------------------ */

static void save_selection(sn_saver *s, sn_value *record, sn_selection of)
{
    double *numbers;
    if (!sn_document_numbers(s->out, record, "of", of.count, NULL, &numbers))
        return;
    for (uint32_t i = 0; i < of.count; ++i)
        numbers[i] = s->number[of.number[i]];
}

static void save_forces(sn_saver *s, sn_value *root)
{
    const sn_scene_force *force = s->scene->forces.items;
    sn_value *list = NULL;
    for (uint32_t i = 0; i < s->scene->forces.count; ++i) {
        if ((double)force[i].keys.to < sn_scene_time(s->scene))
            continue;
        if (!list)
            list = sn_document_list(s->out, root, "forces");
        sn_value *record = sn_document_record(s->out, list, NULL);
        sn_record_write(s->out, record, &sn_force_record, &force[i].keys);
        if (!force[i].all)
            save_selection(s, record, force[i].of);
    }
}

static bool is_body(const sn_saver *s, uint32_t number)
{
    return sn_particle_body(s->scene->world, sn_particle_from_index(s->scene->world, number)).generation != 0;
}

/* Saves the pose of a kinematic body at the start of its motion. */
static void save_start(sn_saver *s, sn_value *record, const sn_scene_motion *motion)
{
    sn_vec3 x = motion->start[0];
    sn_quat q = motion->rotation;
    double start[7] = {(double)x.x, (double)x.y, (double)x.z, (double)q.x, (double)q.y, (double)q.z, (double)q.w};
    sn_document_numbers(s->out, record, "start", 7, start, NULL);
}

/* Saves the poses of particles and bodies at the start of a motion. */
static void save_starts(sn_saver *s, sn_value *record, const sn_scene_motion *motion)
{
    double *start;
    uint32_t count = 3 * motion->of.count;
    for (uint32_t k = 0; k < motion->of.count; ++k)
        count += is_body(s, motion->of.number[k]) ? 4 : 0;
    if (!sn_document_numbers(s->out, record, "start", count, NULL, &start))
        return;
    for (uint32_t k = 0; k < motion->of.count; ++k) {
        *start++ = (double)motion->start[k].x;
        *start++ = (double)motion->start[k].y;
        *start++ = (double)motion->start[k].z;
        if (!is_body(s, motion->of.number[k]))
            continue;
        *start++ = (double)motion->turned[k].x;
        *start++ = (double)motion->turned[k].y;
        *start++ = (double)motion->turned[k].z;
        *start++ = (double)motion->turned[k].w;
    }
}

static void save_blades(sn_saver *s, sn_value *root)
{
    const sn_scene_blade *blade = s->scene->blades.items;
    sn_value *list = s->scene->blades.count ? sn_document_list(s->out, root, "blades") : NULL;
    for (uint32_t i = 0; i < s->scene->blades.count; ++i)
        sn_record_write(s->out, sn_document_record(s->out, list, NULL), &sn_blade_record, &blade[i].keys);
}

/* Saves the motions that have not ended: their keyframes, and the poses at their start. */
static void save_motions(sn_saver *s, sn_value *root)
{
    const sn_scene_motion *motion = s->scene->motions.items;
    sn_value *list = NULL;
    for (uint32_t i = 0; i < s->scene->motions.count; ++i) {
        if (motion[i].done || (motion[i].leads_fixed && !sn_body_is_valid(s->scene->world, motion[i].body)))
            continue;
        if (!list)
            list = sn_document_list(s->out, root, "motions");
        sn_motion_keys keys = motion[i].keys;
        keys.about = motion[i].about;
        sn_value *record = sn_document_record(s->out, list, NULL);
        sn_record_write(s->out, record, &sn_motion_record, &keys);
        if (motion[i].leads_fixed) {
            char made[40];
            sn_document_text(s->out, record, "of", sn_scene_fixed_name(s->scene, motion[i].body, made, sizeof made));
            save_start(s, record, &motion[i]);
            continue;
        }
        save_selection(s, record, motion[i].of);
        save_starts(s, record, &motion[i]);
    }
}

/* Saves characters in their present state; they find the ground again by themselves. */
static void save_characters(sn_saver *s, sn_value *root)
{
    const sn_scene_character *one = s->scene->characters.items;
    sn_value *list = NULL;
    for (uint32_t i = 0; i < s->scene->characters.count; ++i) {
        const sn_character *c = &one[i].character;
        if (!sn_body_is_valid(s->scene->world, one[i].body))
            continue;
        const uint32_t number = sn_body_particle(s->scene->world, one[i].body).index;
        if (!list)
            list = sn_document_list(s->out, root, "characters");
        sn_character_keys keys = {.radius = c->radius,
                                  .height = c->height,
                                  .step_height = c->step_height,
                                  .slope_limit = c->slope_limit,
                                  .mass = c->mass,
                                  .push = c->push,
                                  .moves = {one[i].move_count, (void *)one[i].move},
                                  .repeat = one[i].repeat,
                                  .foot = c->position,
                                  .velocity = c->velocity,
                                  .grounded = c->grounded};
        sn_value *record = sn_document_record(s->out, list, NULL);
        sn_record_write(s->out, record, &sn_character_record, &keys);
        save_selection(s, record, (sn_selection){1, &number});
    }
}

/* ---- Names of constraints -------------------------------------------------------------------------------------------

   In the saved scene constraints are lists by kind. "names" gives the names of constraints, by their numbers among
   those of the same kind: "#distance[0:19]". */

static void save_range(sn_saver *s, sn_value *list, uint32_t kind, uint32_t first, uint32_t end)
{
    char text[120];
    snprintf(text, sizeof text, end == first + 1 ? "#%s[%u]" : "#%s[%u:%u]", sn_kind_info(NULL, kind)->name, first,
             end);
    sn_document_text(s->out, list, NULL, text);
}

static void save_hold(sn_saver *s, sn_value *list, sn_constraints run)
{
    uint32_t first = 0, end = 0;
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_constraint c = sn_constraints_at(run, i);
        if (!sn_constraint_is_valid(s->scene->world, c)) {
            s->gaps = true;
            continue;
        }
        uint32_t rank = s->rank[run.kind][c.index];
        if (end > first && rank != end) {
            save_range(s, list, run.kind, first, end);
            first = end = rank;
        }
        if (end == first)
            first = rank;
        end = rank + 1;
    }
    if (end > first)
        save_range(s, list, run.kind, first, end);
}

/* Saves all runs of one name under it. `before` is the name of their object and a point, or empty. */
static void save_holds(sn_saver *s, sn_value *root, sn_value **names, const char *before, uint32_t count,
                       const sn_hold *hold)
{
    for (uint32_t i = 0; i < count; ++i) {
        char name[260];
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; ++k)
            seen = strcmp(hold[k].name, hold[i].name) == 0;
        if (seen)
            continue;
        if (!*names)
            *names = sn_document_record(s->out, root, "names");
        snprintf(name, sizeof name, "%s%s", before, hold[i].name);
        sn_value *list = sn_document_list(s->out, *names, name);
        for (uint32_t k = i; k < count; ++k)
            if (strcmp(hold[k].name, hold[i].name) == 0)
                save_hold(s, list, hold[k].run);
    }
}

static void save_names(sn_saver *s, sn_value *root)
{
    sn_value *names = NULL;
    for (uint32_t i = 0; i < s->scene->objects.count; ++i) {
        const sn_object *object = scene_object(s->scene, i);
        char before[120];
        snprintf(before, sizeof before, "%s.", object->name);
        save_holds(s, root, &names, before, object->hold_count, object->hold);
    }
    save_holds(s, root, &names, "", s->scene->holds.count, s->scene->holds.items);
}

/* ---- Events and records ------------------------------------------------------------------------------------------ */

static void save_constraints_of(sn_saver *s, sn_value *record, const char *key, uint32_t count,
                                const sn_constraint *list)
{
    sn_value *of = sn_document_list(s->out, record, key);
    uint32_t kind = SN_KIND_NONE, first = 0, end = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_constraint c = list[i];
        if (!sn_constraint_is_valid(s->scene->world, c))
            continue;
        uint32_t rank = s->rank[c.kind][c.index];
        if (c.kind != kind || rank != end) {
            if (kind)
                save_range(s, of, kind, first, end);
            kind = c.kind;
            first = rank;
        }
        end = rank + 1;
    }
    if (kind)
        save_range(s, of, kind, first, end);
}

static void save_two(sn_saver *s, sn_value *record, const char *key, const sn_point point[2])
{
    sn_value *list = sn_document_list(s->out, record, key);
    for (int i = 0; i < 2; ++i)
        sn_saver_put_point(s, list, &point[i]);
}

static void save_sides(sn_saver *s, sn_value *when, const sn_trigger *trigger)
{
    sn_value *list = sn_document_list(s->out, when, "contact");
    for (int i = 0; i < 2; ++i) {
        const sn_trigger_side *side = &trigger->side[i];
        char made[160];
        double *numbers;
        if (side->anything)
            continue;
        if (side->fixed.generation)
            sn_document_text(s->out, list, NULL, sn_scene_fixed_name(s->scene, side->fixed, made, sizeof made));
        else if (sn_document_numbers(s->out, list, NULL, side->count, NULL, &numbers))
            for (uint32_t k = 0; k < side->count; ++k)
                numbers[k] = s->number[side->number[k]];
    }
}

/* Saves the condition of an event; none, if it holds already: the event then happens in the next frame. */
static void save_trigger(sn_saver *s, sn_value *record, const sn_scene_event *event)
{
    const sn_trigger *trigger = &event->trigger;
    if (trigger->type == SN_TRIGGER_NONE || trigger->holds)
        return;
    sn_value *when = (sn_value *)sn_value_find(record, "when");
    when = when ? when : sn_document_record(s->out, record, "when");
    if (trigger->type == SN_TRIGGER_DISTANCE) {
        save_two(s, when, "between", trigger->between);
    } else if (trigger->type == SN_TRIGGER_BROKEN) {
        save_constraints_of(s, when, "broken", trigger->count, trigger->constraint);
    } else {
        save_sides(s, when, trigger);
    }
}

static void save_events(sn_saver *s, sn_value *root)
{
    const sn_scene_event *event = s->scene->events.items;
    sn_value *list = NULL;
    for (uint32_t i = 0; i < s->scene->events.count; ++i) {
        if (event[i].done)
            continue;
        if (!list)
            list = sn_document_list(s->out, root, "events");
        sn_value *record = sn_document_record(s->out, list, NULL);
        sn_event_keys keys = event[i].keys;
        if (event[i].trigger.holds) /* its condition holds already */
            sn_when_record.defaults(&keys.when);
        sn_record_write(s->out, record, &sn_event_record, &keys);
        const bool apart = event[i].keys.type == SN_EVENT_TEAR || !isnan(event[i].keys.through.x);
        if (event[i].keys.type == SN_EVENT_ATTACH)
            save_two(s, record, "between", event[i].point);
        else if (!apart && (event[i].keys.type == SN_EVENT_CUT || event[i].keys.type == SN_EVENT_LENGTH))
            save_constraints_of(s, record, "of", event[i].cut_count, event[i].cut);
        else if (!apart)
            save_selection(s, record, event[i].of);
        save_trigger(s, record, &event[i]);
    }
}

static void save_record(sn_saver *s, sn_value *root)
{
    sn_trace_list traces = sn_scene_traces(s->scene);
    if (traces.particle_count == 0 && traces.constraint_count == 0 && traces.heap_count == 0 && traces.every == 1)
        return;
    sn_value *record = sn_document_record(s->out, root, "record");
    sn_value *particles = traces.particle_count ? sn_document_list(s->out, record, "particles") : NULL;
    for (uint32_t i = 0; i < traces.particle_count; ++i)
        sn_document_number(s->out, particles, NULL, s->number[traces.particle[i].particle.index]);
    sn_value *forces = traces.constraint_count ? sn_document_list(s->out, record, "forces") : NULL;
    for (uint32_t i = 0; i < traces.constraint_count; ++i) {
        sn_constraint c = traces.constraint[i].constraint;
        if (!sn_constraint_is_valid(s->scene->world, c))
            continue;
        if (s->gaps || traces.constraint[i].label[0] == '#')
            save_range(s, forces, c.kind, s->rank[c.kind][c.index], s->rank[c.kind][c.index] + 1);
        else
            sn_document_text(s->out, forces, NULL, traces.constraint[i].label);
    }
    sn_value *slopes = traces.heap_count ? sn_document_list(s->out, record, "slopes") : NULL;
    for (uint32_t i = 0; i < traces.heap_count; ++i)
        sn_document_text(s->out, slopes, NULL, traces.heap[i].label);
    if (traces.every != 1)
        sn_document_number(s->out, record, "every", traces.every);
}

/* ---- The document ------------------------------------------------------------------------------------------------ */

/* Looks for a number that JSON cannot express, and leaves its place in path. */
static bool is_finite(const sn_value *value, char *path, size_t size)
{
    const size_t length = strlen(path);
    bool good = value->type != SN_VALUE_NUMBER || isfinite(value->number);
    for (uint32_t i = 0; value->numbers && i < value->count && good; ++i) {
        good = isfinite(value->numbers[i]);
        if (!good)
            snprintf(path + length, size - length, "[%u]", i);
    }
    const sn_value *item = value->numbers ? NULL : value->first;
    for (uint32_t i = 0; item && good; ++i, item = item->next) {
        if (item->key)
            snprintf(path + length, size - length, "%s%s", length ? "." : "", item->key);
        else
            snprintf(path + length, size - length, "[%u]", i);
        good = is_finite(item, path, size);
        if (good)
            path[length] = 0;
    }
    return good;
}

static bool save_all(sn_saver *s)
{
    if (!sn_saver_number_particles(s) || !sn_saver_rank_constraints(s))
        return false;
    sn_value *root = sn_document_record(s->out, NULL, NULL);
    save_head(s, root);
    const char *cannot = sn_scene_save_contact(s->scene, s->out, root);
    if (cannot)
        return sn_saver_fail(s, cannot);
    sn_value *objects = sn_document_list(s->out, root, "objects");
    for (uint32_t i = 0; i < s->scene->objects.count; ++i)
        if (!sn_scene_is_lone_body(scene_object(s->scene, i)))
            save_object(s, objects, i);
    save_bodies(s, root);
    if (!sn_saver_put_constraints(s, root))
        return false;
    save_names(s, root);
    save_forces(s, root);
    save_motions(s, root);
    save_blades(s, root);
    save_characters(s, root);
    save_events(s, root);
    save_record(s, root);
    char path[160] = "", text[240];
    if (s->out->failed)
        return sn_saver_fail(s, "no memory for the document");
    if (is_finite(root, path, sizeof path))
        return true;
    snprintf(text, sizeof text, "%s is infinite or no number, and a scene file can hold neither", path);
    return sn_saver_fail(s, text);
}

bool sn_scene_save(sn_scene *scene, sn_document *document, char *message, size_t size)
{
    sn_saver s = {.scene = scene, .out = document, .message = message, .size = size};
    sn_arena_init(&s.scratch, &scene->options.allocator);
    sn_arena_init(&s.ranks_arena, &scene->options.allocator);
    bool good = save_all(&s);
    sn_arena_release(&s.scratch);
    sn_arena_release(&s.ranks_arena);
    return good;
}
