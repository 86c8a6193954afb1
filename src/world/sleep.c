/* Sleep: things that rest in contact are left out of the step.

   Particles that are joined by constraints or contacts form an island. Immovable particles and fixed shapes join
   nothing. An island falls asleep as a whole if it touches something static, or is held by it or by the world, and
   nothing in it was fast for a while. Its velocities are set to zero, and from then on its particles count as immovable
   during every step. So contacts between them are neither searched nor solved. Their impulses are kept, and a pile that
   wakes is held by the same impulses as before. Between steps the particles have their own masses, so nothing else
   needs to know what sleeps.

   The particles of a sleeping island form a ring, by number: waking one of them follows the ring. They wake when
   something that moves comes near one of them, and after every edit that may concern them. Awake or immovable particles
   that hold or touch sleepers may also be edited. Such an edit is recorded, and wakes the sleepers at the start of the
   next step.

   If a step fails, sleepers stay asleep: during a step, waking particles are only marked as stirred until it has
   succeeded. */
#include "world/sleep_work.h"

#include "base/hash.h"
#include "base/math.h"
#include "base/quat.h"
#include "collision/triangle.h"
#include "integrators/integrator.h"

#include <string.h>

/* Separates parts of the hash. */
#define HASH_SLEEP UINT64_C(0x736c656570)

/* Share of the radius: things at this distance count as touching. */
#define TOUCH ((sn_real)0.05)

/* A value of calm: the particle was added, removed or edited since the last step, and wakes things that it touches or
   holds. */
#define DISTURBED ((sn_real)-1)

static bool *stirred(const sn_world *world)
{
    return world->contact.sleep.table.column[SLEEP_STIRRED];
}

void sn_sleep_init(sn_sleep *sleep)
{
    *sleep = (sn_sleep){0};
    sn_table_column(&sleep->table, sizeof(sn_real), true);
    sn_table_column(&sleep->table, sizeof(uint32_t), true);
    sn_table_column(&sleep->table, sizeof(sn_real), false);
    sn_table_column(&sleep->table, sizeof(bool), false);
    for (int i = SLEEP_PARENT; i <= SLEEP_LAST; ++i)
        sn_table_column(&sleep->table, sizeof(uint32_t), false);
}

void sn_sleep_release(sn_sleep *sleep, const sn_allocator *allocator)
{
    sn_table_release(&sleep->table, allocator);
}

bool sn_sleep_has(const sn_sleep *sleep, uint32_t number)
{
    return sleep->sleepers && number < sleep->table.count &&
           ((const uint32_t *)sleep->table.column[SLEEP_NEXT])[number];
}

uint32_t sn_sleep_island(const sn_world *world, uint32_t number)
{
    while (number < world->contact.sleep.searched && sleep_column(world, SLEEP_PARENT)[number] < number)
        number = sleep_column(world, SLEEP_PARENT)[number];
    return number;
}

void sn_sleep_restored(sn_sleep *sleep)
{
    sleep->searched = 0;
    const uint32_t *next = sleep->table.column[SLEEP_NEXT];
    sleep->sleepers = 0;
    sleep->changes++;
    for (uint32_t i = 0; i < sleep->table.count; ++i)
        sleep->sleepers += next[i] != 0;
}

uint64_t sn_sleep_hash(uint64_t hash, const sn_world *world)
{
    const sn_table *table = &world->contact.sleep.table;
    if (!world->contact.settings.sleep)
        return hash;
    hash = hash_u64(hash_u64(hash, HASH_SLEEP), world->state.steps % SN_SLEEP_SEARCH_EVERY);
    for (uint32_t i = 0; i < world->ids.table.count; ++i) {
        bool there = i < table->count;
        sn_real own = there ? sleep_calm(world)[i] : DISTURBED;
        if (sn_ids_is_live(&world->ids, i))
            hash = hash_u64(hash_real(hash, own), there ? sleep_column(world, SLEEP_NEXT)[i] : 0);
        else if (there && own < 0) /* of a removed particle */
            hash = hash_u64(hash, i);
    }
    return hash;
}

/* ---- Waking ------------------------------------------------------------------------------------------------------ */

/* For use between steps: at once. */
static void wake_ring(sn_world *world, uint32_t number)
{
    sn_sleep *sleep = &world->contact.sleep;
    while (sn_sleep_has(sleep, number)) {
        uint32_t following = sleep_column(world, SLEEP_NEXT)[number] - 1;
        sleep_column(world, SLEEP_NEXT)[number] = 0;
        sleep_calm(world)[number] = 0;
        sleep->sleepers--;
        sleep->changes++;
        number = following;
    }
}

void sn_sleep_disturb(sn_world *world, uint32_t number)
{
    if (number >= world->contact.sleep.table.count)
        return;
    wake_ring(world, number);
    sleep_calm(world)[number] = DISTURBED;
}

void sn_sleep_disturb_constraint(sn_world *world, const sn_pool *pool, uint32_t row)
{
    uint32_t small[4 * SN_MAX_POINTS], count;
    if (!world->contact.sleep.table.count)
        return;
    const uint32_t *held = sn_store_particles(&world->constraints, pool, row, small, &count);
    for (uint32_t i = 0; i < count; ++i)
        sn_sleep_disturb(world, held[i]);
}

/* All count as just added. */
void sn_sleep_wake_all(sn_world *world)
{
    world->contact.sleep.table.count = 0;
    world->contact.sleep.sleepers = 0;
    world->contact.sleep.changes++;
}

bool sn_particle_is_awake(const sn_world *world, sn_particle particle)
{
    return world && sn_world_slot(world, particle) != SN_NO_SLOT &&
           !sn_sleep_has(&world->contact.sleep, particle.index);
}

uint32_t sn_world_awake_count(const sn_world *world)
{
    return world ? world->particles.table.count - world->contact.sleep.sleepers : 0;
}

sn_result sn_particle_wake(sn_world *world, sn_particle particle)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    if (sn_world_slot(world, particle) == SN_NO_SLOT)
        return SN_ERROR_STALE;
    wake_ring(world, particle.index);
    return SN_OK;
}

/* The particle of a dynamic body, or the anchor of another; SN_ID_FREE: it has none. */
static uint32_t particle_of(const sn_world *world, uint32_t number)
{
    const uint32_t row = sn_body_row_of(world, number);
    return row == SN_ID_FREE ? SN_ID_FREE : world->bodies.state[row].particle;
}

bool sn_body_is_awake(const sn_world *world, sn_body body)
{
    const uint32_t number = world ? sn_body_number(world, body) : SN_ID_FREE;
    return number != SN_ID_FREE && !sn_sleep_has(&world->contact.sleep, particle_of(world, number));
}

sn_result sn_body_wake(sn_world *world, sn_body body)
{
    sn_result result = sn_world_enter(world);
    if (result != SN_OK)
        return result;
    const uint32_t number = sn_body_number(world, body);
    if (number == SN_ID_FREE)
        return SN_ERROR_STALE;
    wake_ring(world, particle_of(world, number));
    return SN_OK;
}

/* ---- Fixed shapes ------------------------------------------------------------------------------------------------ */

void sn_sleep_fixed_shape_leaves(sn_world *world, uint32_t number)
{
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < world->contact.impulse_table.count; ++i)
        if (kept[i].other == (SN_IMPULSE_FIXED | number))
            wake_ring(world, kept[i].number);
    const sn_kept_manifold *contact = world->body_contacts.kept_table.column[0];
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < world->body_contacts.kept_table.count; ++i)
        if ((uint32_t)contact[i].key[0] == (SN_IMPULSE_FIXED | number))
            wake_ring(world, (uint32_t)(contact[i].key[0] >> 32));
}

static bool is_within(const sn_bounds *box, sn_vec3 p, sn_real reach)
{
    return p.x + reach >= box->low.x && p.x - reach <= box->high.x && p.y + reach >= box->low.y &&
           p.y - reach <= box->high.y && p.z + reach >= box->low.z && p.z - reach <= box->high.z;
}

/* m: its radius, or that of a sphere around a body. */
static sn_real reach_of(const sn_world *world, uint32_t slot)
{
    uint32_t row = world->particles.body[slot];
    return row ? sn_body_reach(world, row - 1, false) : world->particles.radius[slot];
}

/* True if a particle is within `reach` of a fixed shape at a pose, and may collide with it. box: of the shape. */
static bool is_near(const sn_world *world, uint32_t slot, const sn_fixed_shape *r, const sn_pose *pose,
                    const sn_bounds *box, sn_real reach)
{
    const sn_group_contact *group = sn_contact_group(&world->contact, world->particles.group[slot]);
    const sn_filter filter = sn_fixed_shape_filter(&world->contact, r);
    sn_vec3 x = vec4_xyz(world->particles.x[slot]);
    sn_touch touch;
    if (!is_within(box, x, reach) || !sn_contacts_agree(group->category, group->mask, filter.category, filter.mask))
        return false;
    return sn_shape_near(&r->shape, sn_pose_to_own(pose, x), reach, &touch) && touch.distance <= reach;
}

void sn_sleep_fixed_shape_comes(sn_world *world, uint32_t number)
{
    const sn_fixed_shape *r = contact_fixed_shape(&world->contact, number);
    const sn_pose pose = r->pose;
    if (!world->contact.sleep.sleepers)
        return;
    sn_bounds box = sn_shape_bounds_at(&r->shape, &pose);
    world->busy = true; /* a distance field may be the caller's function */
    for (uint32_t i = 0; i < world->contact.sleep.table.count; ++i) {
        if (!sn_sleep_has(&world->contact.sleep, i))
            continue;
        uint32_t slot = world->ids.value[i];
        if (is_near(world, slot, r, &pose, &box, reach_of(world, slot) * (1 + TOUCH)))
            wake_ring(world, i);
    }
    world->busy = false;
}

/* ---- At the start of a step -------------------------------------------------------------------------------------- */

static bool holds(const sn_world *world, uint32_t number)
{
    return sn_sleep_has(&world->contact.sleep, number) && !stirred(world)[number];
}

bool sn_sleep_holds(const sn_world *world, uint32_t number)
{
    return world->contact.sleep.held && holds(world, number);
}

static bool holds_slot(const sn_world *world, uint32_t slot)
{
    return holds(world, world->particles.index[slot]);
}

/* For use in a step: the particles of the ring move again, and stay awake if the step succeeds. */
static void stir(sn_world *world, uint32_t number)
{
    const sn_real *w = world->contact.sleep.table.column[SLEEP_W];
    for (; holds(world, number); number = sleep_column(world, SLEEP_NEXT)[number] - 1) {
        stirred(world)[number] = true;
        world->particles.x[world->ids.value[number]].w = w[number];
        world->contact.sleep.woke = true;
        world->contact.sleep.changes++;
    }
}

/* m: the displacement of a particle in a step of dt, as far as it is known at the start. */
static sn_vec3 displacement_of(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    if (p->target[slot]) {
        const sn_target *target = world->target_table.column[0];
        return vec3_sub(target[p->target[slot] - 1].place, vec4_xyz(p->x[slot]));
    }
    return p->x[slot].w == 0 ? vec3(0, 0, 0) : vec3_scale(vec4_xyz(p->v[slot]), dt);
}

sn_real sn_sleep_turning(const sn_world *world, uint32_t slot)
{
    if (world->particles.body[slot])
        return sn_body_turning(world, world->particles.body[slot] - 1);
    const sn_vec4 *spin = world->contact.spin_table.column[0];
    uint32_t number = world->particles.index[slot];
    if (number >= world->contact.spin_table.count)
        return 0;
    return vec3_length(vec4_xyz(spin[number])) * world->particles.radius[slot];
}

/* True if a particle wakes sleepers that it comes near. A particle with a target always does, however slow it is. */
static bool wakes_others(const sn_world *world, uint32_t slot, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    if (sleep_calm(world)[p->index[slot]] < 0)
        return true;
    if (!p->target[slot] && p->x[slot].w == 0)
        return false;
    sn_real displacement = vec3_length(displacement_of(world, slot, dt)),
            least = world->contact.settings.sleep_speed * dt;
    return p->target[slot] ? displacement > 0 : displacement > least || sn_sleep_turning(world, slot) * dt > least;
}

/* True if sleepers must learn of a change of this particle: it is disturbed, or moves to a target. */
static bool is_disturbed(const sn_world *world, uint32_t number)
{
    if (sleep_calm(world)[number] < 0)
        return true;
    if (!sn_ids_is_live(&world->ids, number))
        return false;
    uint32_t slot = world->ids.value[number];
    return world->particles.target[slot] && wakes_others(world, slot, 1);
}

uint32_t sn_sleep_members(const sn_contact_world *c, const sn_kept_impulse *kept, uint32_t *number)
{
    const uint32_t(*triangle)[3] = (const uint32_t(*)[3])c->triangle_table.column[0];
    number[0] = kept->number;
    if (kept->other & SN_IMPULSE_FIXED)
        return 1;
    if (!(kept->other & SN_IMPULSE_TRIANGLE)) {
        number[1] = kept->other;
        return 2;
    }
    uint32_t at = kept->other & ~SN_IMPULSE_TRIANGLE;
    if (at >= c->triangle_table.count)
        return 1;
    memcpy(number + 1, triangle[at], sizeof *triangle);
    return 4;
}

sn_kept_impulse sn_sleep_impulse_of_bodies(const sn_kept_manifold *kept)
{
    return (sn_kept_impulse){.number = (uint32_t)(kept->key[0] >> 32), .other = (uint32_t)kept->key[0]};
}

/* If one of these is disturbed, wakes the others. */
static void tell(sn_world *world, const uint32_t *number, uint32_t count)
{
    bool disturbed = false;
    for (uint32_t i = 0; i < count; ++i)
        disturbed = disturbed || (number[i] < world->contact.sleep.table.count && is_disturbed(world, number[i]));
    for (uint32_t i = 0; disturbed && i < count; ++i)
        stir(world, number[i]);
}

/* Wakes particles that touched, or are held by, something that was edited. */
static void tell_all(sn_world *world)
{
    const sn_kept_impulse *kept = world->contact.impulse_table.column[0];
    uint32_t number[4 * SN_MAX_POINTS], count;
    for (uint32_t i = 0; i < world->contact.impulse_table.count; ++i)
        tell(world, number, sn_sleep_members(&world->contact, &kept[i], number));
    const sn_kept_manifold *contact = world->body_contacts.kept_table.column[0];
    for (uint32_t i = 0; i < world->body_contacts.kept_table.count; ++i) {
        sn_kept_impulse two = sn_sleep_impulse_of_bodies(&contact[i]);
        tell(world, number, sn_sleep_members(&world->contact, &two, number));
    }
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind) {
        const sn_pool *pool = world->constraints.pool[kind];
        for (uint32_t row = 0; row < pool->ids.table.count; ++row)
            if (sn_ids_is_live(&pool->ids, row)) {
                const uint32_t *held = sn_store_particles(&world->constraints, pool, row, number, &count);
                tell(world, held, count);
            }
    }
}

bool sn_sleep_is_on(const sn_world *world)
{
    return world->contact.settings.sleep && world->contact.settings.on;
}

/* Impulses are accelerations times the square of the substep. The state has the effective step of the integrator. */
static sn_real factor_for(const sn_world *world, sn_real h)
{
    sn_real old = world->state.h / sn_integrators[world->state.settings.integrator]->step_factor;
    return old > 0 && old != h ? h * h / (old * old) : 1;
}

bool sn_sleep_begin(sn_world *world, sn_real dt)
{
    sn_sleep *sleep = &world->contact.sleep;
    uint32_t numbers = world->ids.table.count;
    sleep->changes += sleep->woke; /* those that woke in a failed step sleep again */
    sleep->woke = sleep->news = false;
    if (!sn_sleep_is_on(world))
        return true;
    sn_stage_enter(world, SN_STAGE_SLEEP);
    if (!sn_table_reserve(&sleep->table, &world->allocator, numbers))
        return false;
    for (uint32_t i = sleep->table.count; i < numbers; sleep->table.count = ++i) {
        sleep_calm(world)[i] = sn_ids_is_live(&world->ids, i) ? DISTURBED : 0; /* if it was added and removed since, it
                                                                                  touched nothing */
        sleep_column(world, SLEEP_NEXT)[i] = 0;
    }
    if (!sleep->sleepers)
        return true;
    sleep->held = true;
    sleep->factor = factor_for(world, dt / (sn_real)world->state.settings.substeps);
    memset(stirred(world), 0, numbers * sizeof(bool));
    for (uint32_t i = 0; i < numbers; ++i) {
        sleep->news = sleep->news || is_disturbed(world, i);
        if (!holds(world, i))
            continue;
        sn_vec4 *x = &world->particles.x[world->ids.value[i]];
        ((sn_real *)sleep->table.column[SLEEP_W])[i] = x->w;
        x->w = 0;
    }
    if (sleep->news)
        tell_all(world);
    return true;
}

/* m: how much closer things that count as resting may come in a step, because of gravity. */
static sn_real slack(const sn_world *world, sn_real dt)
{
    return vec3_length(world->state.settings.gravity) * dt * dt;
}

void sn_sleep_touch_fixed_shapes(sn_world *world, sn_real dt)
{
    const sn_contacts *c = &world->contacts;
    const sn_fixed_motion *m = c->motion_table.column[0];
    const sn_ids *ids = &world->contact.fixed_shape_ids;
    const uint32_t *mover = c->mover_table.column[0];
    for (uint32_t at = 0; world->contact.sleep.sleepers && at < c->mover_table.count; ++at) {
        const uint32_t k = mover[at];
        const sn_fixed_shape *r = &contact_fixed_shapes(&world->contact)[ids->value[k]];
        for (uint32_t i = 0; i < world->contact.sleep.table.count; ++i) {
            if (!holds(world, i))
                continue;
            uint32_t slot = world->ids.value[i];
            sn_real touch = reach_of(world, slot) * (1 + TOUCH) + slack(world, dt), far = m[k].speed * dt;
            far = isfinite(far) ? far : (sn_real)INFINITY; /* a rotating plane */
            if (is_within(&m[k].swept, vec4_xyz(world->particles.x[slot]), touch) &&
                is_near(world, slot, r, &m[k].step_start, &m[k].swept, touch + far))
                stir(world, i);
        }
    }
}

bool sn_sleep_asks(const sn_world *world, const uint32_t *slot, uint32_t count)
{
    bool sleeps = false, wakes = false;
    for (uint32_t i = 0; world->contact.sleep.sleepers && world->contact.sleep.news && i < count; ++i) {
        uint32_t number = world->particles.index[slot[i]];
        if (holds(world, number))
            sleeps = true;
        else
            wakes = wakes || is_disturbed(world, number);
    }
    return sleeps && wakes;
}

/* True if a moving particle passes closely by another. */
static bool comes_to(const sn_world *world, uint32_t mover, uint32_t sleeper, sn_real dt)
{
    const sn_particle_store *p = &world->particles;
    sn_vec3 displacement = displacement_of(world, mover, dt),
            d = vec3_sub(vec4_xyz(p->x[sleeper]), vec4_xyz(p->x[mover]));
    sn_real length2 = vec3_dot(displacement, displacement),
            along = length2 > 0 ? vec3_dot(d, displacement) / length2 : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    sn_real reach = (p->radius[mover] + p->radius[sleeper]) * (1 + TOUCH) + slack(world, dt);
    return vec3_length(vec3_sub(d, vec3_scale(displacement, along))) <= reach;
}

static void wake_pair(sn_world *world, uint32_t a, uint32_t b, sn_real dt)
{
    if (holds_slot(world, b)) {
        uint32_t other = a;
        a = b;
        b = other;
    }
    if (holds_slot(world, a) && !holds_slot(world, b) && wakes_others(world, b, dt) && comes_to(world, b, a, dt))
        stir(world, world->particles.index[a]);
}

static void wake_skin_contact(sn_world *world, const sn_skin_contact *g, sn_real dt)
{
    bool sleeps = false, wakes = false;
    sn_real weight[3], far = g->reach * (1 + TOUCH) + slack(world, dt);
    sn_vec3 x[4];
    for (uint32_t k = 0; k < 4; ++k) {
        x[k] = vec4_xyz(world->particles.x[g->slot[k]]);
        if (holds_slot(world, g->slot[k])) {
            sleeps = true;
        } else if (wakes_others(world, g->slot[k], dt)) {
            wakes = true;
            far += vec3_length(displacement_of(world, g->slot[k], dt));
        }
    }
    if (!sleeps || !wakes)
        return;
    sn_triangle_near(x[0], x[1], x[2], x[3], weight);
    for (uint32_t k = 0; k < 3; ++k)
        x[0] = vec3_sub(x[0], vec3_scale(x[k + 1], weight[k]));
    for (uint32_t k = 0; k < 4 && vec3_length(x[0]) <= far; ++k)
        stir(world, world->particles.index[g->slot[k]]);
}

void sn_sleep_touch_surfaces(sn_world *world, const uint32_t slot[4], sn_real distance, sn_real reach, sn_real dt)
{
    bool sleeps = false, wakes = false;
    sn_real far = reach * (1 + TOUCH) + slack(world, dt);
    for (uint32_t k = 0; k < 4; ++k) {
        if (holds_slot(world, slot[k])) {
            sleeps = true;
        } else if (wakes_others(world, slot[k], dt)) {
            wakes = true;
            far += vec3_length(displacement_of(world, slot[k], dt));
        }
    }
    for (uint32_t k = 0; k < 4 && sleeps && wakes && distance <= far; ++k)
        stir(world, world->particles.index[slot[k]]);
}

sn_real sn_sleep_surface_slack(const sn_world *world, sn_real dt)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    sn_real thickest = 0, kinematic = 0;
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        thickest = surface_skins(s)[i].thickness > thickest ? surface_skins(s)[i].thickness : thickest;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const uint32_t slot = surface_vertices(s)[i].slot;
        const sn_real displacement = world->particles.target[slot] ? vec3_length(displacement_of(world, slot, dt)) : 0;
        kinematic = displacement > kinematic ? displacement : kinematic;
    }
    return 2 * (thickest * TOUCH + kinematic) + slack(world, dt);
}

bool sn_sleep_touch(sn_world *world, sn_real dt)
{
    const sn_contacts *c = &world->contacts;
    const sn_skin_contact *skin_contact = c->skin_contact_table.column[0];
    const sn_vec4 *x = world->particles.x;
    if (!world->contact.sleep.sleepers)
        return false;
    bool before = world->contact.sleep.woke;
    world->contact.sleep.woke = false;
    for (uint32_t b = 0; b < c->pairs[SN_PAIRS_FIRST].near.batches; ++b)
        for (uint32_t i = 0; i < c->pairs[SN_PAIRS_FIRST].near.lanes[b]; ++i)
            if (x[c->pairs[SN_PAIRS_FIRST].near.batch[b].a[i]].w == 0 ||
                x[c->pairs[SN_PAIRS_FIRST].near.batch[b].b[i]].w == 0)
                wake_pair(world, c->pairs[SN_PAIRS_FIRST].near.batch[b].a[i],
                          c->pairs[SN_PAIRS_FIRST].near.batch[b].b[i], dt);
    for (uint32_t i = 0; i < c->skin_contacts; ++i)
        if (skin_contact[i].triangle != SN_SKIN_CONTACT_PAIR) /* contacts of pairs are still in their batches */
            wake_skin_contact(world, &skin_contact[i], dt);
    bool now = world->contact.sleep.woke;
    world->contact.sleep.woke = before || now;
    return now;
}

bool sn_sleep_touch_bodies(sn_world *world, sn_real dt)
{
    const sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_body_contact *contact = body_contacts->contact_table.column[0];
    const sn_mover *mover = body_contacts->mover_table.column[0];
    bool before = world->contact.sleep.woke;
    if (!world->contact.sleep.sleepers)
        return false;
    world->contact.sleep.woke = false;
    for (uint32_t i = 0; i < body_contacts->count; ++i) {
        if (contact[i].b == SN_NO_MOVER || contact[i].sensor)
            continue;
        uint32_t a = mover[contact[i].a].slot, b = mover[contact[i].b].slot;
        if (holds_slot(world, a) && !holds_slot(world, b) && wakes_others(world, b, dt))
            stir(world, world->particles.index[a]);
        else if (holds_slot(world, b) && !holds_slot(world, a) && wakes_others(world, a, dt))
            stir(world, world->particles.index[b]);
    }
    bool now = world->contact.sleep.woke;
    world->contact.sleep.woke = before || now;
    return now;
}

bool sn_sleep_struck(sn_world *world)
{
    const sn_body_contacts *body_contacts = &world->body_contacts;
    const sn_body_contact *contact = body_contacts->contact_table.column[0];
    const sn_mover *mover = body_contacts->mover_table.column[0];
    const sn_real *w = world->contact.sleep.table.column[SLEEP_W], least = world->contact.settings.sleep_speed;
    const uint64_t before = world->contact.sleep.changes;
    for (uint32_t i = 0; world->contact.sleep.sleepers && i < body_contacts->count; ++i) {
        if (contact[i].b == SN_NO_MOVER || contact[i].sensor)
            continue;
        const uint32_t a = mover[contact[i].a].slot, b = mover[contact[i].b].slot;
        if (holds_slot(world, a) == holds_slot(world, b))
            continue;
        const uint32_t number = world->particles.index[holds_slot(world, a) ? a : b];
        sn_vec3 contact_point;
        if (sn_body_contact_impulse(&contact[i], &contact_point) * w[number] > least)
            stir(world, number);
    }
    return world->contact.sleep.changes != before;
}

void sn_sleep_stir_again(sn_world *world)
{
    const sn_sleep *sleep = &world->contact.sleep;
    const sn_real *w = sleep->table.column[SLEEP_W];
    for (uint32_t i = 0; i < sleep->table.count; ++i)
        if (sleep_column(world, SLEEP_NEXT)[i] && stirred(world)[i])
            world->particles.x[world->ids.value[i]].w = w[i];
}

void sn_sleep_keep_awake(sn_world *world)
{
    sn_sleep *sleep = &world->contact.sleep;
    for (uint32_t i = 0; sleep->woke && i < sleep->table.count; ++i)
        if (sleep_column(world, SLEEP_NEXT)[i] && stirred(world)[i]) {
            sleep_column(world, SLEEP_NEXT)[i] = 0;
            sleep_calm(world)[i] = 0;
            sleep->sleepers--;
        }
    sleep->woke = false;
}

/* ---- At the end of a step ---------------------------------------------------------------------------------------- */

bool sn_sleep_has_impulse(const sn_world *world, const sn_kept_impulse *kept)
{
    uint32_t number[4], count = sn_sleep_members(&world->contact, kept, number);
    bool sleeps = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (!sn_ids_is_live(&world->ids, number[i]) || world->particles.x[world->ids.value[number[i]]].w != 0)
            return false;
        sleeps = sleeps || sn_sleep_has(&world->contact.sleep, number[i]);
    }
    if (kept->other & SN_IMPULSE_FIXED)
        return sleeps && sn_ids_is_live(&world->contact.fixed_shape_ids, kept->other & ~SN_IMPULSE_FIXED);
    return sleeps && (count == 4 || !(kept->other & SN_IMPULSE_TRIANGLE));
}

void sn_sleep_end(sn_world *world)
{
    sn_sleep *sleep = &world->contact.sleep;
    if (!sleep->held)
        return;
    sleep->held = false;
    const sn_real *w = sleep->table.column[SLEEP_W];
    for (uint32_t i = 0; i < sleep->table.count; ++i)
        if (sn_sleep_has(sleep, i))
            world->particles.x[world->ids.value[i]].w = w[i];
}
