/* How the particles of a group take part in contact; materials, contact settings, and rest shapes. */
#include "world/world.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

/* ---- Materials --------------------------------------------------------------------------------------------------- */

#define PLAIN_MATERIAL                                                                                                 \
    {                                                                                                                  \
        .static_friction = (sn_real)0.5, .dynamic_friction = (sn_real)0.5                                              \
    }

/* m/s: a faster surface velocity is refused, so that squares do not overflow. */
#define SURFACE_SPEED ((sn_real)1e15)

sn_contact_material sn_default_contact_material(void)
{
    return (sn_contact_material)PLAIN_MATERIAL;
}

/* Checks that a number is finite and not negative. */
static sn_result check_number(const sn_world *world, const char *what, const char *name, const char *unit,
                              sn_real value)
{
    if (isfinite(value) && value >= 0)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s.%s is %g%s; it must be finite and not negative", what, name,
                      (double)value, unit);
}

static sn_result check_mix(const sn_world *world, const char *what, const char *name, sn_mix mix)
{
    if ((unsigned)mix <= SN_MIX_MOST)
        return SN_OK;
    return world_fail(world, SN_ERROR_ARGUMENT, "%s.%s is %d, which is no sn_mix", what, name, (int)mix);
}

sn_result sn_world_check_material(const sn_world *world, const char *what, const sn_contact_material *m)
{
    sn_result result;
    if ((result = check_number(world, what, "static_friction", "", m->static_friction)) != SN_OK ||
        (result = check_number(world, what, "dynamic_friction", "", m->dynamic_friction)) != SN_OK ||
        (result = check_number(world, what, "rolling", "", m->rolling)) != SN_OK ||
        (result = check_mix(world, what, "friction_mix", m->friction_mix)) != SN_OK ||
        (result = check_mix(world, what, "restitution_mix", m->restitution_mix)) != SN_OK)
        return result;
    if (m->dynamic_friction > m->static_friction)
        return world_fail(world, SN_ERROR_ARGUMENT,
                          "%s.dynamic_friction is %g, but static_friction is %g; it must not be more than that", what,
                          (double)m->dynamic_friction, (double)m->static_friction);
    if (!(m->restitution >= 0 && m->restitution <= 1))
        return world_fail(world, SN_ERROR_ARGUMENT, "%s.restitution is %g; it must lie in [0, 1]", what,
                          (double)m->restitution);
    const sn_vec3 v = m->surface_velocity;
    const sn_real number[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i)
        if (!(number[i] <= SURFACE_SPEED && number[i] >= -SURFACE_SPEED))
            return world_fail(world, SN_ERROR_ARGUMENT,
                              "%s.surface_velocity.%c is %g m/s; it must be at most %g either way", what, "xyz"[i],
                              (double)number[i], (double)SURFACE_SPEED);
    return SN_OK;
}

uint64_t sn_contact_hash_material(uint64_t hash, const sn_contact_material *m)
{
    hash = hash_real(hash_real(hash, m->static_friction), m->dynamic_friction);
    hash = hash_real(hash_real(hash, m->restitution), m->rolling);
    hash = hash_u64(hash_u64(hash, (uint64_t)m->friction_mix), (uint64_t)m->restitution_mix);
    return sn_contact_runs(m) ? hash_vec3(hash, m->surface_velocity) : hash;
}

bool sn_contact_runs(const sn_contact_material *m)
{
    return m->surface_velocity.x != 0 || m->surface_velocity.y != 0 || m->surface_velocity.z != 0;
}

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

sn_contact_settings sn_default_contact_settings(void)
{
    sn_contact_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.on = true;
    settings.particles = true;
    settings.push_out = 1;
    settings.bounce_above = settings.impact_above = -1;
    settings.sleep_speed = (sn_real)0.02;
    settings.sleep_time = (sn_real)0.5;
    return settings;
}

sn_contact_settings sn_world_contact_settings(const sn_world *world)
{
    sn_contact_settings none;
    memset(&none, 0, sizeof none);
    return world ? world->contact.settings : none;
}

static bool is_speed(sn_real v)
{
    return v == -1 || (isfinite(v) && v >= 0);
}

sn_result sn_contact_settings_check(const sn_contact_settings *s, char *message, size_t size)
{
    static const char suggest[] = "it must be finite and not negative, or -1 for what gravity and the substep suggest";
    if (!isfinite(s->push_out) || s->push_out <= 0)
        snprintf(message, size, "contact settings.push_out is %g m/s; it must be finite and positive",
                 (double)s->push_out);
    else if (!is_speed(s->bounce_above))
        snprintf(message, size, "contact settings.bounce_above is %g m/s; %s", (double)s->bounce_above, suggest);
    else if (!is_speed(s->impact_above))
        snprintf(message, size, "contact settings.impact_above is %g m/s; %s", (double)s->impact_above, suggest);
    else if (!isfinite(s->sleep_speed) || s->sleep_speed < 0)
        snprintf(message, size, "contact settings.sleep_speed is %g m/s; it must be finite and not negative",
                 (double)s->sleep_speed);
    else if (!isfinite(s->sleep_time) || s->sleep_time < 0)
        snprintf(message, size, "contact settings.sleep_time is %g s; it must be finite and not negative",
                 (double)s->sleep_time);
    else
        return SN_OK;
    return SN_ERROR_ARGUMENT;
}

sn_result sn_world_set_contact_settings(sn_world *world, const sn_contact_settings *settings)
{
    char reason[SN_ERROR_SIZE];
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!settings)
        return world_fail(world, SN_ERROR_ARGUMENT, "settings is NULL; start from sn_default_contact_settings()");
    if (sn_contact_settings_check(settings, reason, sizeof reason) != SN_OK)
        return world_fail(world, SN_ERROR_ARGUMENT, "%s", reason);
    world->contact.settings = *settings;
    world->contact.edits++;
    sn_sleep_wake_all(world);
    if (!settings->events)
        sn_contact_events_clear(&world->contact.events);
    return SN_OK;
}

static uint64_t hash_settings(uint64_t hash, const sn_contact_settings *s)
{
    hash = hash_u64(hash, (uint64_t)s->on << 3 | (uint64_t)s->particles << 2 | (uint64_t)s->sleep << 1 | s->events);
    hash = hash_real(hash_real(hash, s->push_out), s->bounce_above);
    hash = hash_real(hash_real(hash, s->sleep_speed), s->sleep_time);
    return s->impact_above == -1 ? hash : hash_real(hash, s->impact_above);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/* For group 0, and for the others. */
static const sn_group_contact plain_group[2] = {
    {.material = PLAIN_MATERIAL, .category = 1, .mask = UINT32_MAX, .self = true},
    {.material = PLAIN_MATERIAL, .category = 1, .mask = UINT32_MAX},
};

static const sn_group_contact *plain(uint32_t group)
{
    return &plain_group[group != 0];
}

sn_group_contact sn_default_group_contact(uint32_t group)
{
    return *plain(group);
}

static uint64_t hash_group(uint64_t hash, const sn_group_contact *c)
{
    hash = sn_contact_hash_material(hash, &c->material);
    hash = hash_u64(hash_u64(hash, c->category), c->mask);
    return hash_real(hash_u64(hash, (uint64_t)c->rolls << 2 | (uint64_t)c->self << 1 | c->directional), c->rest_gap);
}

static bool is_plain(uint32_t group, const sn_group_contact *c)
{
    const sn_group_contact *p = plain(group);
    const sn_contact_material *m = &c->material, *n = &p->material;
    return m->static_friction == n->static_friction && m->dynamic_friction == n->dynamic_friction &&
           m->restitution == n->restitution && m->rolling == n->rolling && m->friction_mix == n->friction_mix &&
           m->restitution_mix == n->restitution_mix && !sn_contact_runs(m) && c->category == p->category &&
           c->mask == p->mask && c->self == p->self && c->rest_gap == p->rest_gap && c->directional == p->directional &&
           c->rolls == p->rolls;
}

/* The row of the group's record, or the row at which it would be inserted. */
static uint32_t find_row(const sn_contact_world *contact, uint32_t group)
{
    const sn_group_record *record = contact->group_table.column[0];
    uint32_t low = 0, high = contact->group_table.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (record[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_record(const sn_contact_world *contact, uint32_t group, uint32_t row)
{
    return row < contact->group_table.count && ((sn_group_record *)contact->group_table.column[0])[row].group == group;
}

const sn_group_contact *sn_contact_group(const sn_contact_world *contact, uint32_t group)
{
    uint32_t row = contact->group_table.count ? find_row(contact, group) : 0;
    if (!has_record(contact, group, row))
        return plain(group);
    return &((const sn_group_record *)contact->group_table.column[0])[row].contact;
}

sn_group_contact sn_world_group_contact(const sn_world *world, uint32_t group)
{
    return world ? *sn_contact_group(&world->contact, group) : (sn_group_contact){0};
}

/* A group with default settings has no record, so that setting defaults leaves no trace. */
static void remove_record(sn_contact_world *contact, uint32_t group, uint32_t row)
{
    sn_group_record *record = contact->group_table.column[0];
    if (!has_record(contact, group, row))
        return;
    contact->group_table.count--;
    memmove(record + row, record + row + 1, (contact->group_table.count - row) * sizeof *record);
}

/* There must be room for one more. */
static void write_record(sn_contact_world *contact, uint32_t group, uint32_t row, const sn_group_contact *c)
{
    sn_group_record *record = contact->group_table.column[0], made;
    memset(&made, 0, sizeof made);
    made.group = group;
    made.contact = *c;
    if (!has_record(contact, group, row))
        memmove(record + row + 1, record + row, (contact->group_table.count++ - row) * sizeof *record);
    record[row] = made;
}

sn_result sn_world_set_group_contact(sn_world *world, uint32_t group, const sn_group_contact *contact)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (!contact)
        return world_fail(world, SN_ERROR_ARGUMENT, "contact is NULL; start from sn_default_group_contact(%u)", group);
    if ((result = sn_world_check_material(world, "group contact: material", &contact->material)) != SN_OK ||
        (result = check_number(world, "group contact", "rest_gap", " m", contact->rest_gap)) != SN_OK)
        return result;
    sn_contact_world *c = &world->contact;
    uint32_t row = find_row(c, group);
    if (is_plain(group, contact)) {
        remove_record(c, group, row);
    } else {
        if (!has_record(c, group, row) &&
            !sn_table_reserve(&c->group_table, &world->allocator, (uint64_t)c->group_table.count + 1))
            return world_fail(world, SN_ERROR_MEMORY, "no memory for the contact of group %u", group);
        write_record(c, group, row, contact);
    }
    c->edits++;
    sn_sleep_wake_all(world);
    return SN_OK;
}

/* ---- Rest shapes ------------------------------------------------------------------------------------------------- */

void sn_contact_forget_rest(sn_contact_world *contact, uint32_t index)
{
    sn_vec4 *rest = contact->rest_table.column[0];
    sn_object_fields_forget(contact, index);
    if (index >= contact->rest_table.count || rest[index].w == 0)
        return;
    rest[index] = (sn_vec4){0};
    contact->edits++;
}

/* The first particle of the group, by number; SN_NO_SLOT if there is none. */
static uint32_t first_of_group(const sn_world *world, uint32_t group)
{
    for (uint32_t index = 0; index < world->ids.table.count; ++index) {
        uint32_t slot = world->ids.value[index];
        if (slot != SN_ID_FREE && world->particles.group[slot] == group)
            return slot;
    }
    return SN_NO_SLOT;
}

/* The position of a particle relative to another, with the rounding remainders of both, so that a shape far from the
   origin is as precise as one near it. */
static sn_vec3 seen_from(const sn_particle_store *p, uint32_t slot, uint32_t from)
{
    sn_vec3 high = vec3_sub(vec4_xyz(p->x[slot]), vec4_xyz(p->x[from]));
    return vec3_add(high, vec3_sub(vec4_xyz(p->x_low[slot]), vec4_xyz(p->x_low[from])));
}

/* Extends the table to all particle numbers. False when memory runs out. */
static bool make_rest_places(sn_world *world)
{
    sn_table *table = &world->contact.rest_table;
    if (!sn_table_reserve(table, &world->allocator, world->ids.table.count))
        return false;
    for (; table->count < world->ids.table.count; table->count++)
        ((sn_vec4 *)table->column[0])[table->count] = (sn_vec4){0};
    return true;
}

bool sn_contact_take_rest(sn_world *world, uint32_t from, const uint32_t *numbers, uint32_t count)
{
    if (!count)
        return true;
    if (!make_rest_places(world))
        return false;
    sn_vec4 *rest = world->contact.rest_table.column[0];
    const uint32_t first = world->ids.value[from];
    for (uint32_t i = 0; i < count; ++i)
        if (rest[numbers[i]].w == 0)
            rest[numbers[i]] = vec4(seen_from(&world->particles, world->ids.value[numbers[i]], first), 1);
    return true;
}

sn_result sn_world_take_rest_shape(sn_world *world, uint32_t group)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    uint32_t first = first_of_group(world, group);
    if (first == SN_NO_SLOT)
        return world_fail(world, SN_ERROR_ARGUMENT, "group %u has no particles, so it has no rest shape", group);
    sn_contact_world *c = &world->contact;
    if (!make_rest_places(world))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for the rest shape of group %u", group);
    sn_vec4 *rest = c->rest_table.column[0];
    for (uint32_t slot = 0; slot < world->particles.table.count; ++slot)
        if (world->particles.group[slot] == group)
            rest[world->particles.index[slot]] = vec4(seen_from(&world->particles, slot, first), 1);
    c->edits++;
    sn_sleep_wake_all(world);
    return SN_OK;
}

sn_vec3 sn_particle_rest_position(const sn_world *world, sn_particle particle)
{
    const sn_vec3 none = vec3((sn_real)NAN, (sn_real)NAN, (sn_real)NAN);
    if (!world || sn_world_slot(world, particle) == SN_NO_SLOT)
        return none;
    const sn_table *table = &world->contact.rest_table;
    const sn_vec4 *rest = table->column[0];
    return particle.index < table->count && rest[particle.index].w != 0 ? vec4_xyz(rest[particle.index]) : none;
}

/* ---- Hash -------------------------------------------------------------------------------------------------------- */

uint64_t sn_contact_hash_groups(uint64_t hash, const sn_contact_world *contact)
{
    sn_contact_settings plain_settings = sn_default_contact_settings();
    uint64_t settings = hash_settings(SN_HASH_SEED, &contact->settings);
    if (settings != hash_settings(SN_HASH_SEED, &plain_settings))
        hash = hash_u64(hash, settings);
    const sn_group_record *record = contact->group_table.column[0];
    for (uint32_t i = 0; i < contact->group_table.count; ++i)
        hash = hash_group(hash_u64(hash, record[i].group), &record[i].contact);
    const sn_vec4 *rest = contact->rest_table.column[0];
    for (uint32_t i = 0; i < contact->rest_table.count; ++i)
        if (rest[i].w != 0)
            hash = hash_vec3(hash_u64(hash, i), vec4_xyz(rest[i]));
    return hash;
}
