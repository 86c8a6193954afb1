/* Sleep: finds islands, and decides which of them fall asleep. For sleep itself see sleep.c. */
#include "world/sleep_work.h"
#include "contact/surface_shells.h"

#include "base/math.h"
#include "base/quat.h"
#include "base/sets.h"

/* Times sleep_time: a body that stayed around one place for this long rests, whatever its velocity. */
#define A_WHILE ((sn_real)3)

/* Marks of islands. */
enum { TOUCHES = 1, RESTLESS = 2 };

static bool is_movable(const sn_world *world, uint32_t number)
{
    return sn_ids_is_live(&world->ids, number) && world->particles.x[world->ids.value[number]].w != 0;
}

/* True if it moved to a target in this step. */
static bool was_kinematic(const sn_world *world, uint32_t number)
{
    if (!sn_ids_is_live(&world->ids, number))
        return false;
    uint32_t slot = world->ids.value[number];
    return world->particles.target[slot] && vec3_length(vec4_xyz(world->particles.v[slot])) > 0;
}

/* True if a body stayed around one place for a while: it moved no farther than it would at sleep_speed in that time. In
   a heap the velocity of a body is not always that of its motion. Joints pull it into other bodies, and contact resists
   as well as it can; the velocity that is left moves nothing, because overlaps are reduced without velocity. Or the
   body trembles. */
static bool stays(const sn_world *world, uint32_t row, sn_real dt)
{
    const sn_contact_settings *settings = &world->contact.settings;
    sn_body_state *body = &world->bodies.state[row];
    const sn_vec3 place = vec4_xyz(world->particles.x[world->ids.value[body->particle]]);
    const sn_quat turn = world->bodies.turn[row].start;
    const sn_real long_time = A_WHILE * settings->sleep_time, most = settings->sleep_speed * long_time;
    bool known = body->rest_turn.x != 0 || body->rest_turn.y != 0 || body->rest_turn.z != 0 || body->rest_turn.w != 0;
    if (known && vec3_length(vec3_sub(place, body->rest_place)) < most &&
        sn_body_sweep(world, row, sn_quat_between(body->rest_turn, turn), false) < most) {
        body->rest_time += dt;
        return body->rested || body->rest_time >= long_time;
    }
    body->rested = known && body->rest_time >= long_time; /* it only creeps */
    body->rest_place = place;
    body->rest_turn = turn;
    body->rest_time = 0;
    return body->rested;
}

/* True if a particle or a body was slow in this step. */
static bool was_slow(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_real most = world->contact.settings.sleep_speed;
    bool at_rest = world->particles.body[slot] && stays(world, world->particles.body[slot] - 1, dt);
    return at_rest || (vec3_length(vec4_xyz(world->particles.v[slot])) < most && sn_sleep_turning(world, slot) <= most);
}

/* Updates the calm times. True if a particle has been calm for long enough. */
static bool count_calm(sn_world *world, sn_real dt)
{
    const sn_contact_settings *settings = &world->contact.settings;
    const sn_particle_store *p = &world->particles;
    bool ready = false;
    for (uint32_t i = 0; i < world->contact.sleep.table.count; ++i) {
        sn_real *own = &sleep_calm(world)[i];
        if (!is_movable(world, i)) {
            *own = 0;
            continue;
        }
        uint32_t slot = world->ids.value[i];
        if (sleep_column(world, SLEEP_NEXT)[i])
            continue;
        bool slow = !p->target[slot] && was_slow(world, slot, dt);
        *own = slow ? (*own > 0 ? *own : 0) + dt : 0;
        ready = ready || *own >= settings->sleep_time;
    }
    return ready;
}

/* By number: islands as sets. */
static uint32_t *islands(const sn_world *world)
{
    return sleep_column(world, SLEEP_PARENT);
}

/* Joins the movable particles of these. If some are not movable, marks the island as touching something. */
static void join_all(sn_world *world, const uint32_t *number, uint32_t count)
{
    uint32_t one = UINT32_MAX, said = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (is_movable(world, number[i])) {
            if (one != UINT32_MAX)
                sets_join(islands(world), one, number[i]);
            one = number[i];
        } else {
            said |= TOUCHES | (was_kinematic(world, number[i]) ? RESTLESS : 0);
        }
    }
    if (one != UINT32_MAX)
        sleep_column(world, SLEEP_MARKS)[one] |= said;
}

static void join_by_constraints(sn_world *world)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row)) {
                const uint32_t *held = sn_store_particles(&world->constraints, pool, row, small, &count);
                join_all(world, held, count);
                if (count == 1) /* it is held by the world */
                    sleep_column(world, SLEEP_MARKS)[held[0]] |= TOUCHES;
            }
    }
}

static void join_by_contacts(sn_world *world)
{
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    const sn_fixed_motion *m = world->contacts.motion_table.column[0];
    uint32_t number[4];
    for (uint32_t i = 0; i < world->contact.impulse_table.count; ++i) {
        join_all(world, number, sn_sleep_members(&world->contact, &kept[i], number));
        if (kept[i].other & SN_IMPULSE_FIXED)
            sleep_column(world, SLEEP_MARKS)[kept[i].number] |=
                m[kept[i].other & ~SN_IMPULSE_FIXED].moves ? TOUCHES | RESTLESS : TOUCHES;
    }
    const sn_surface_contact *touch = world->contacts.surfaces.contact_table.column[0]; /* of the last substep */
    for (uint32_t i = 0; world->contacts.surfaces.on && i < world->contacts.surfaces.contact_table.count; ++i) {
        for (uint32_t k = 0; k < 4; ++k)
            number[k] = world->particles.index[touch[i].slot[k]];
        if (touch[i].normal_impulse > 0)
            join_all(world, number, 4);
        if (touch[i].normal_impulse > 0 && touch[i].shell && !touch[i].body) /* the other corners have other slots */
            sleep_column(world, SLEEP_MARKS)[number[0]] |=
                m[touch[i].shell->number].moves ? TOUCHES | RESTLESS : TOUCHES;
    }
    const sn_kept_manifold *contact = world->body_contacts.kept_table.column[0];
    for (uint32_t i = 0; i < world->body_contacts.kept_table.count; ++i) {
        sn_kept_impulse two = sn_sleep_impulse_of_bodies(&contact[i]);
        join_all(world, number, sn_sleep_members(&world->contact, &two, number));
        if (two.other & SN_IMPULSE_FIXED)
            sleep_column(world, SLEEP_MARKS)[two.number] |=
                m[two.other & ~SN_IMPULSE_FIXED].moves ? TOUCHES | RESTLESS : TOUCHES;
    }
}

/* Adds the marks of each particle to the first one of its island. */
static void gather_marks(sn_world *world)
{
    uint32_t *marks = sleep_column(world, SLEEP_MARKS);
    for (uint32_t i = 0; i < world->contact.sleep.table.count; ++i) {
        bool waits = !sleep_column(world, SLEEP_NEXT)[i] && sleep_calm(world)[i] < world->contact.settings.sleep_time;
        if (is_movable(world, i))
            marks[sets_find(islands(world), i)] |= marks[i] | (waits ? RESTLESS : 0);
    }
}

static void fall_asleep(sn_world *world, uint32_t number)
{
    sn_particle_store *p = &world->particles;
    uint32_t slot = world->ids.value[number];
    p->v[slot] = vec4(vec3(0, 0, 0), p->v[slot].w);
    p->x[slot] = vec4(vec3_add(vec4_xyz(p->x[slot]), vec4_xyz(p->x_low[slot])), p->x[slot].w);
    p->v_low[slot] = p->x_low[slot] = vec4(vec3(0, 0, 0), 0);
    sn_spin_forget(world, number);
    if (p->body[slot])
        sn_body_stop(world, p->body[slot] - 1);
    sn_world_break_motion(world);
    world->contact.sleep.sleepers++;
    world->contact.sleep.changes++;
}

/* Makes rings of resting islands, in the order of numbers: so the first of an island comes first. An island that sleeps
   already may be joined by others. */
static void make_rings(sn_world *world)
{
    uint32_t *next = sleep_column(world, SLEEP_NEXT), *last = sleep_column(world, SLEEP_LAST);
    for (uint32_t i = 0; i < world->contact.sleep.table.count; ++i) {
        uint32_t first = is_movable(world, i) ? sets_find(islands(world), i) : i;
        if (!is_movable(world, i) || sleep_column(world, SLEEP_MARKS)[first] != TOUCHES)
            continue;
        if (!next[i])
            fall_asleep(world, i);
        next[i] = first + 1;
        if (i != first)
            next[last[first] - 1] = i + 1;
        last[first] = i + 1;
    }
}

void sn_sleep_settle(sn_world *world, sn_real dt)
{
    if (!sn_sleep_is_on(world))
        return;
    sn_stage_enter(world, SN_STAGE_SLEEP);
    if (!count_calm(world, dt) || world->state.steps % SN_SLEEP_SEARCH_EVERY)
        return;
    uint32_t count = world->contact.sleep.table.count, *next = sleep_column(world, SLEEP_NEXT);
    for (uint32_t i = 0; i < count; ++i) {
        sleep_column(world, SLEEP_PARENT)[i] = i;
        sleep_column(world, SLEEP_MARKS)[i] = 0;
    }
    join_by_constraints(world);
    join_by_contacts(world);
    for (uint32_t i = 0; i < count; ++i)
        if (next[i])
            sets_join(islands(world), i, next[i] - 1);
    gather_marks(world);
    make_rings(world);
    world->contact.sleep.searched = count;
}
