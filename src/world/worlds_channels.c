/* Observations and actions of many worlds, as arrays. */
#include "world/worlds.h"

#include <string.h>

/* The object of a channel. */
typedef enum of_what { OF_PARTICLES, OF_BODY, OF_CONSTRAINT, OF_WORLD } of_what;

typedef struct channel_info {
    const char *name;
    of_what of;
    uint8_t numbers; /* for each particle, body or constraint */
    bool acts;
} channel_info;

static const channel_info infos[SN_CHANNEL_COUNT] = {
    [SN_CHANNEL_POSITION] = {"position", OF_PARTICLES, 3, false},
    [SN_CHANNEL_VELOCITY] = {"velocity", OF_PARTICLES, 3, false},
    [SN_CHANNEL_BODY_POSITION] = {"body position", OF_BODY, 3, false},
    [SN_CHANNEL_BODY_ROTATION] = {"body rotation", OF_BODY, 4, false},
    [SN_CHANNEL_BODY_VELOCITY] = {"body velocity", OF_BODY, 3, false},
    [SN_CHANNEL_BODY_SPIN] = {"body spin", OF_BODY, 3, false},
    [SN_CHANNEL_JOINT_ANGLE] = {"joint angle", OF_CONSTRAINT, 1, false},
    [SN_CHANNEL_JOINT_WAY] = {"joint way", OF_CONSTRAINT, 1, false},
    [SN_CHANNEL_TENSION] = {"tension", OF_CONSTRAINT, 1, false},
    [SN_CHANNEL_TIME] = {"time", OF_WORLD, 1, false},
    [SN_CHANNEL_FORCE] = {"force", OF_PARTICLES, 3, true},
    [SN_CHANNEL_BODY_FORCE] = {"body force", OF_BODY, 3, true},
    [SN_CHANNEL_TORQUE] = {"torque", OF_BODY, 3, true},
    [SN_CHANNEL_MOVE_TO] = {"move to", OF_PARTICLES, 3, true},
    [SN_CHANNEL_MOTOR] = {"motor", OF_CONSTRAINT, 1, true},
    [SN_CHANNEL_SET_POSITION] = {"set position", OF_PARTICLES, 3, true},
    [SN_CHANNEL_SET_VELOCITY] = {"set velocity", OF_PARTICLES, 3, true},
};

static uint32_t all_axes(const channel_info *info)
{
    return (1u << info->numbers) - 1;
}

static uint32_t axes_of(const sn_channel *c)
{
    return c->axes ? c->axes : all_axes(&infos[c->type]);
}

/* Numbers of a channel in a row. */
static uint32_t size_of(const sn_channel *c)
{
    uint32_t each = 0;
    for (uint32_t axes = axes_of(c); axes; axes >>= 1)
        each += axes & 1;
    return infos[c->type].of == OF_PARTICLES ? each * c->particles.count : each;
}

void sn_channels_release(sn_worlds *worlds, sn_channels *channels)
{
    sn_release(&worlds->allocator, channels->channel, channels->count * sizeof *channels->channel);
    *channels = (sn_channels){0};
}

/* ---- Setting channels -------------------------------------------------------------------------------------------- */

/* True if a world has the object of a channel. */
static bool has(const sn_world *world, const sn_channel *c)
{
    if (infos[c->type].of == OF_BODY)
        return sn_body_is_valid(world, c->body) &&
               (!infos[c->type].acts || sn_particle_is_valid(world, sn_body_particle(world, c->body)));
    if (infos[c->type].of == OF_CONSTRAINT)
        return sn_constraint_is_valid(world, c->constraint);
    for (uint32_t i = 0; infos[c->type].of == OF_PARTICLES && i < c->particles.count; ++i)
        if (!sn_particle_is_valid(world, sn_particles_at(c->particles, i)))
            return false;
    return true;
}

static sn_result check_channel(sn_worlds *worlds, const sn_channel *c, uint32_t at, bool acts)
{
    if ((unsigned)c->type >= SN_CHANNEL_COUNT)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channel %u: type is %d, which is no sn_channel_type", at,
                       (int)c->type);
    const channel_info *info = &infos[c->type];
    if (info->acts != acts)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channel %u: '%s' is %s", at, info->name,
                       acts ? "observed, and is no action" : "an action, and cannot be observed");
    if (c->axes & ~all_axes(info))
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channel %u: axes is %#x, but '%s' has %u", at, c->axes,
                       info->name, info->numbers);
    if (info->of == OF_PARTICLES && !c->particles.count)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channel %u: '%s' needs particles, and has none", at,
                       info->name);
    if (c->type == SN_CHANNEL_MOTOR && !(isfinite(c->most) && c->most >= 0))
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channel %u: most is %g; it must be finite and not negative",
                       at, (double)c->most);
    for (uint32_t i = 0; i < worlds->count; ++i) {
        if (!has(worlds->entry[i].world, c))
            return sn_fail(&worlds->errors, SN_ERROR_STALE, "channel %u: world %u does not have what '%s' is of", at, i,
                           info->name);
    }
    return SN_OK;
}

static sn_result set_channels(sn_worlds *worlds, sn_channels *to, const sn_channel *channels, uint32_t count, bool acts)
{
    sn_result result = sn_worlds_enter(worlds);
    if (result != SN_OK)
        return result;
    if (count && !channels)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "channels is NULL");
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if ((result = check_channel(worlds, &channels[i], i, acts)) != SN_OK)
            return result;
        size += size_of(&channels[i]);
    }
    if (size > UINT32_MAX)
        return sn_fail(&worlds->errors, SN_ERROR_LIMIT, "a row of the channels has more than %u numbers", UINT32_MAX);
    sn_channels made = {.count = count, .size = (uint32_t)size};
    if (count && !(made.channel = sn_allocate(&worlds->allocator, count * sizeof *made.channel)))
        return sn_fail(&worlds->errors, SN_ERROR_MEMORY, "no memory for %u channels", count);
    if (count)
        memcpy(made.channel, channels, count * sizeof *made.channel);
    sn_channels_release(worlds, to);
    *to = made;
    return SN_OK;
}

sn_result sn_worlds_set_observations(sn_worlds *worlds, const sn_channel *channels, uint32_t count)
{
    return worlds ? set_channels(worlds, &worlds->observed, channels, count, false) : SN_ERROR_ARGUMENT;
}

sn_result sn_worlds_set_actions(sn_worlds *worlds, const sn_channel *channels, uint32_t count)
{
    return worlds ? set_channels(worlds, &worlds->acted, channels, count, true) : SN_ERROR_ARGUMENT;
}

uint32_t sn_worlds_observation_size(const sn_worlds *worlds)
{
    return worlds ? worlds->observed.size : 0;
}

uint32_t sn_worlds_action_size(const sn_worlds *worlds)
{
    return worlds ? worlds->acted.size : 0;
}

/* ---- Observing --------------------------------------------------------------------------------------------------- */

static uint32_t put(sn_real *to, uint32_t axes, const sn_real *from)
{
    uint32_t count = 0;
    for (uint32_t i = 0; axes >> i; ++i)
        if (axes >> i & 1)
            to[count++] = from[i];
    return count;
}

static uint32_t put_vec3(sn_real *to, uint32_t axes, sn_vec3 v)
{
    return put(to, axes, (const sn_real[]){v.x, v.y, v.z});
}

static uint32_t observe_particles(const sn_world *world, const sn_channel *c, sn_real *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->particles.count; ++i) {
        const uint32_t slot = world->ids.value[c->particles.first + i];
        const sn_vec4 *column = c->type == SN_CHANNEL_POSITION ? world->particles.x : world->particles.v;
        count += put_vec3(to + count, axes_of(c), vec4_xyz(column[slot]));
    }
    return count;
}

static uint32_t observe_other(const sn_world *world, const sn_channel *c, sn_real *to)
{
    const uint32_t axes = axes_of(c);
    sn_quat q;
    switch (c->type) {
    case SN_CHANNEL_BODY_POSITION:
        return put_vec3(to, axes, sn_body_position(world, c->body));
    case SN_CHANNEL_BODY_ROTATION:
        q = sn_body_rotation(world, c->body);
        return put(to, axes, (const sn_real[]){q.x, q.y, q.z, q.w});
    case SN_CHANNEL_BODY_VELOCITY:
        return put_vec3(to, axes, sn_body_velocity(world, c->body));
    case SN_CHANNEL_BODY_SPIN:
        return put_vec3(to, axes, sn_body_spin(world, c->body));
    case SN_CHANNEL_JOINT_ANGLE:
        *to = sn_joint_angle(world, c->constraint);
        return 1;
    case SN_CHANNEL_JOINT_WAY:
        *to = sn_joint_way(world, c->constraint);
        return 1;
    case SN_CHANNEL_TENSION:
        *to = sn_constraint_force(world, c->constraint).magnitude;
        return 1;
    default:
        *to = (sn_real)world->state.time;
        return 1;
    }
}

static sn_result lacks(sn_world *world, const sn_channel *c, uint32_t at)
{
    return world_fail(world, SN_ERROR_STALE, "channel %u: what '%s' is of was removed", at, infos[c->type].name);
}

static void observe(sn_worlds *worlds, uint32_t number)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    sn_real *to = worlds->out + (size_t)number * worlds->observed.size;
    entry->result = SN_OK;
    for (uint32_t i = 0; entry->result == SN_OK && i < worlds->observed.count; ++i) {
        const sn_channel *c = &worlds->observed.channel[i];
        if (!has(entry->world, c))
            entry->result = lacks(entry->world, c, i);
        else if (infos[c->type].of == OF_PARTICLES)
            to += observe_particles(entry->world, c, to);
        else
            to += observe_other(entry->world, c, to);
    }
}

sn_result sn_worlds_observe(sn_worlds *worlds, sn_real *numbers)
{
    const sn_result result = sn_worlds_enter(worlds);
    if (result != SN_OK || !worlds->observed.size)
        return result;
    if (!numbers)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "numbers is NULL");
    worlds->out = numbers;
    return sn_worlds_end(worlds, sn_worlds_each(worlds, observe));
}

/* ---- Acting ------------------------------------------------------------------------------------------------------ */

/* Writes the numbers of a row to the axes of its channel; others are unchanged. Returns how many there are. */
static uint32_t take(const sn_real *from, uint32_t axes, sn_vec3 *v)
{
    sn_real *const to[] = {&v->x, &v->y, &v->z};
    uint32_t count = 0;
    for (uint32_t i = 0; axes >> i; ++i)
        if (axes >> i & 1)
            *to[i] = from[count++];
    return count;
}

static sn_result act_on_particle(sn_world *world, const sn_channel *c, uint32_t which, const sn_real **from)
{
    const sn_particle particle = sn_particles_at(c->particles, which);
    const bool of_place = c->type == SN_CHANNEL_MOVE_TO || c->type == SN_CHANNEL_SET_POSITION;
    sn_vec3 v = vec3(0, 0, 0);
    if (of_place)
        v = sn_particle_position(world, particle);
    else if (c->type == SN_CHANNEL_SET_VELOCITY)
        v = sn_particle_velocity(world, particle);
    *from += take(*from, axes_of(c), &v);
    switch (c->type) {
    case SN_CHANNEL_FORCE:
        return sn_particle_apply_force(world, particle, v);
    case SN_CHANNEL_MOVE_TO:
        return sn_particle_move_to(world, particle, v);
    case SN_CHANNEL_SET_POSITION:
        return sn_particle_set_position(world, particle, v);
    default:
        return sn_particle_set_velocity(world, particle, v);
    }
}

static sn_result act_on_other(sn_world *world, const sn_channel *c, const sn_real **from)
{
    sn_vec3 v = vec3(0, 0, 0);
    if (c->type == SN_CHANNEL_MOTOR)
        return sn_joint_set_motor(world, c->constraint, *(*from)++, c->most);
    *from += take(*from, axes_of(c), &v);
    return c->type == SN_CHANNEL_TORQUE ? sn_body_apply_torque(world, c->body, v)
                                        : sn_particle_apply_force(world, sn_body_particle(world, c->body), v);
}

void sn_channels_act(sn_worlds *worlds, uint32_t number)
{
    sn_worlds_entry *entry = &worlds->entry[number];
    sn_world *world = entry->world;
    const sn_real *from = worlds->in + (size_t)number * worlds->acted.size;
    const bool judged = entry->judged_calls == world->calls;
    bool only_moves = true;
    entry->result = SN_OK;
    for (uint32_t i = 0; i < worlds->acted.count; ++i) {
        const sn_channel *c = &worlds->acted.channel[i];
        sn_result result = SN_OK;
        only_moves = only_moves && (c->type == SN_CHANNEL_FORCE || c->type == SN_CHANNEL_SET_POSITION ||
                                    c->type == SN_CHANNEL_SET_VELOCITY);
        if (!has(world, c)) {
            result = lacks(world, c, i);
            from += size_of(c);
        } else if (infos[c->type].of == OF_PARTICLES) {
            for (uint32_t p = 0; p < c->particles.count; ++p) {
                const sn_result one = act_on_particle(world, c, p, &from);
                result = result == SN_OK ? one : result;
            }
        } else {
            result = act_on_other(world, c, &from);
        }
        entry->result = entry->result == SN_OK ? result : entry->result;
    }
    if (judged && only_moves) /* this does not change its form */
        entry->judged_calls = world->calls;
}

/* Checks that all numbers are acceptable. */
static sn_result check_actions(sn_worlds *worlds, const sn_real *numbers)
{
    for (uint32_t i = 0; i < worlds->count; ++i) {
        const bool flat = worlds->entry[i].world->dimensions == 2;
        uint32_t column = 0;
        for (uint32_t j = 0; j < worlds->acted.count; ++j) {
            const sn_channel *c = &worlds->acted.channel[j];
            const uint32_t size = size_of(c), axes = axes_of(c);
            const bool has_z = flat && axes >> 2 & 1 && c->type != SN_CHANNEL_TORQUE;
            for (uint32_t k = 0; k < size; ++k, ++column) {
                const sn_real value = numbers[(size_t)i * worlds->acted.size + column];
                if (!isfinite(value))
                    return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT,
                                   "world %u: number %u of its actions ('%s') is %g; it must be finite", i, column,
                                   infos[c->type].name, (double)value);
                const uint32_t each = (axes & 1) + (axes >> 1 & 1) + (axes >> 2 & 1);
                if (has_z && value != 0 && k % each == each - 1)
                    return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT,
                                   "world %u: number %u of its actions ('%s') is z = %g; in a 2D world it must be 0", i,
                                   column, infos[c->type].name, (double)value);
            }
        }
    }
    return SN_OK;
}

sn_result sn_worlds_act(sn_worlds *worlds, const sn_real *numbers)
{
    sn_result result = sn_worlds_enter(worlds);
    if (result != SN_OK || !worlds->acted.size)
        return result;
    if (!numbers)
        return sn_fail(&worlds->errors, SN_ERROR_ARGUMENT, "numbers is NULL");
    if ((result = check_actions(worlds, numbers)) != SN_OK)
        return result;
    worlds->in = numbers;
    return sn_worlds_end(worlds, sn_worlds_each(worlds, sn_channels_act));
}
