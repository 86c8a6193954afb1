/* The hash of a world's state. It includes everything that determines the future, in the order of the numbers that
   users see, so that it does not depend on how things are stored. */
#include "world/world.h"

#include "base/hash.h"
#include "integrators/integrator.h"

uint64_t sn_settings_hash(uint64_t hash, const sn_settings *s)
{
    hash = hash_vec3(hash, s->gravity);
    hash = hash_u64(hash, (uint64_t)s->solver);
    hash = hash_u64(hash, (uint64_t)s->integrator);
    hash = hash_u64(hash, (uint64_t)s->order);
    hash = hash_u64(hash, s->substeps);
    hash = hash_u64(hash, s->iterations);
    hash = hash_real(hash, s->tolerance);
    hash = hash_real(hash, s->damping);
    hash = hash_u64(hash, (uint64_t)s->gradients);
    hash = hash_u64(hash, s->correct_stiffness);
    hash = hash_u64(hash, (uint64_t)s->jacobi);
    hash = hash_real(hash, s->relaxation);
    hash = hash_u64(hash, (uint64_t)s->drift);
    hash = hash_real(hash, s->baumgarte);
    hash = hash_u64(hash, s->warm_start);
    hash = hash_u64(hash, (uint64_t)s->linear);
    if (s->stiffening)
        hash = hash_u64(hash, (uint64_t)s->stiffening);
    hash = hash_real(hash, s->drift_time);
    if (s->k_s == SN_DRIFT_BY_TIME && s->k_d == SN_DRIFT_BY_TIME) /* states from before these settings existed keep
                                                                     their hash */
        return hash;
    return hash_real(hash_real(hash, s->k_s), s->k_d);
}

/* Separates constraints whose things collide from others. */
#define HASH_COLLIDES UINT64_C(0x636f6c6c69646573)

static uint64_t hash_history(uint64_t hash, const sn_world *world, uint32_t slot)
{
    const sn_history *history = &world->history;
    if (slot >= history->table.count || history->old_d[slot].w == 0)
        return hash;
    hash = hash_real(hash_vec3(hash, vec4_xyz(history->old_d[slot])), history->old_d[slot].w);
    hash = hash_vec3(hash_vec3(hash, vec4_xyz(history->old_v[slot])), vec4_xyz(history->old_a[slot]));
    return hash_vec3(hash, vec4_xyz(history->old_f[slot]));
}

/* The history of a body's rotation for BDF2, if its particle has a history. */
static uint64_t hash_turn_history(uint64_t hash, const sn_world *world, uint32_t slot)
{
    const sn_history *history = &world->history;
    if (!world->particles.body[slot] || slot >= history->table.count || history->old_d[slot].w == 0 ||
        !sn_integrators[world->state.settings.integrator]->looks_back)
        return hash;
    const sn_body_state *body = &world->bodies.state[world->particles.body[slot] - 1];
    const double *lists[] = {body->old_mean, body->old_l, body->old_torque, body->old_given, body->old_displacement};
    for (uint32_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        for (uint32_t j = 0; j < 3; ++j)
            hash = hash_double(hash, lists[i][j]);
    return hash;
}

static uint64_t hash_particles(uint64_t hash, const sn_world *world)
{
    const sn_particle_store *p = &world->particles;
    const sn_target *target = world->target_table.column[0];
    for (uint32_t index = 0; index < world->ids.table.count; ++index) {
        uint32_t slot = world->ids.value[index];
        if (slot == SN_ID_FREE)
            continue;
        hash = hash_u64(hash, index);
        hash = hash_real(hash_vec3(hash, vec4_xyz(p->x[slot])), p->x[slot].w);
        hash = hash_real(hash_vec3(hash, vec4_xyz(p->v[slot])), p->v[slot].w);
        hash = hash_vec3(hash_vec3(hash, vec4_xyz(p->v_low[slot])), vec4_xyz(p->x_low[slot]));
        hash = hash_vec3(hash, p->force[slot]);
        hash = hash_real(hash, p->radius[slot]);
        hash = hash_u64(hash, p->group[slot]);
        hash = hash_history(hash, world, slot);
        hash = hash_turn_history(hash, world, slot);
        if (p->target[slot])
            hash = hash_vec3(hash_u64(hash, 1), target[p->target[slot] - 1].place);
    }
    return hash;
}

static uint64_t hash_drags(uint64_t hash, const sn_world *world)
{
    const sn_drag *drag = world->drag_table.column[0];
    for (uint32_t d = 0; d < world->drag_table.count; ++d) {
        const sn_drag_def *def = &drag[d].def;
        hash = hash_u64(hash, (uint64_t)def->form);
        hash = hash_u64(hash, def->one_group ? UINT64_C(1) << 32 | def->group : 0);
        if (def->form == SN_DRAG_PLANAR) {
            hash = hash_vec3(hash_vec3(hash, def->normal), def->origin);
            hash = hash_real(hash_real(hash_real(hash, def->distance), def->parallel), def->orthogonal);
        } else if (def->form == SN_DRAG_MATRIX) {
            for (int i = 0; i < 9; ++i)
                hash = hash_real(hash, def->matrix[i / 3][i % 3]);
        } else {
            hash = hash_real(hash, def->strength);
        }
    }
    return hash;
}

static uint64_t hash_point(uint64_t hash, const sn_store *store, uint32_t point)
{
    if (!(point & SN_ANCHOR_BIT))
        return hash_u64(hash, point);
    const sn_anchor *anchor = &store->anchor[point & ~SN_ANCHOR_BIT];
    hash = hash_u64(hash, SN_ANCHOR_BIT | anchor->count);
    for (uint32_t i = 0; i < anchor->count; ++i)
        hash = hash_real(hash_u64(hash, anchor->particle[i]), anchor->weight[i]);
    if (anchor->type == SN_POINT_PARTICLES)
        return hash;
    const sn_real numbers[] = {anchor->place.x, anchor->place.y, anchor->place.z, anchor->turn.x,
                               anchor->turn.y,  anchor->turn.z,  anchor->turn.w};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        hash = hash_real(hash, numbers[i]);
    return hash_u64(hash, anchor->type);
}

/* warm: the next substep begins with the multipliers of the last one. */
static uint64_t hash_constraint(uint64_t hash, const sn_store *store, const sn_pool *pool, uint32_t row, bool warm)
{
    hash = hash_text(hash, pool->kind->name);
    for (uint32_t i = 0; i < pool->kind->points; ++i)
        hash = hash_point(hash, store, pool->point[(size_t)row * pool->kind->points + i]);
    for (uint32_t i = 0; pool_has_lists(pool) && i < pool_point_count(pool, row); ++i)
        hash = hash_u64(hash, pool_list(pool, row).particle[pool_list(pool, row).local[i]]);
    for (uint32_t i = 0; i < pool->param_count; ++i)
        hash = hash_real(hash, pool->param[(size_t)row * pool->param_count + i]);
    const uint32_t own = pool->point_param_count ? pool_point_count(pool, row) * pool->point_param_count : 0;
    for (uint32_t i = 0; i < own; ++i)
        hash = hash_real(hash, pool_own(pool, row)[i]);
    for (uint32_t i = 0; i < pool->kind->state; ++i)
        hash = hash_real(hash, pool_state(pool, row)[i]);
    for (uint32_t i = 0; warm && i < pool->kind->rows; ++i)
        hash = hash_real(hash_real(hash, pool->lambda[(size_t)row * pool->kind->rows + i]),
                         pool->preload[(size_t)row * pool->kind->rows + i]);
    const sn_give *give = &pool->give[row];
    const sn_compromised *held = store_compromise(store, pool, row);
    for (uint32_t i = 0; held && i < pool->kind->rows; ++i)
        hash = hash_real(hash, held->c[i]);
    if (sn_pool_collides(pool, row))
        hash = hash_u64(hash, HASH_COLLIDES);
    return hash_real(hash_real(hash_real(hash, give->compliance), give->damping), give->stiffness);
}

static uint64_t hash_constraints(uint64_t hash, const sn_store *store, bool warm)
{
    for (uint32_t r = 0; r < store->run_table.count; ++r) {
        const sn_run *run = &store->run[r];
        const sn_pool *pool = store->pool[run->kind];
        for (uint32_t i = 0; i < run->count; ++i)
            if (run_has(pool, run, i))
                hash = hash_constraint(hash, store, pool, run->first + i, warm);
    }
    return hash;
}

/* Adds a plan that differs from the one that would be made now: constraints were edited, or particles were added, which
   may move the boundaries between tiles. */
static uint64_t hash_plan(uint64_t hash, const sn_plan *plan, uint32_t particles)
{
    const sn_visit *lists[] = {plan->visit, plan->many, plan->hub, plan->extra, plan->tree};
    const uint32_t counts[] = {plan->visit_table.count, plan->many_table.count, plan->hub_table.count,
                               plan->extra_table.count, plan->tree_table.count};
    if (!plan->made || (plan->canonical && plan->particles == particles))
        return hash;
    for (uint32_t r = 0; r < plan->run_table.count; ++r)
        hash = hash_u64(hash, (uint64_t)plan->run[r].kind << 32 | plan->run[r].batches);
    for (uint32_t i = 0; i < plan->mask_table.count; ++i)
        for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
            hash = hash_u64(hash, plan->mask[i] >> lane & 1 ? plan->row[i * SN_BATCH + lane] : UINT32_MAX);
    for (uint32_t k = 0; k < 5; ++k)
        for (uint32_t i = 0; i < counts[k]; ++i)
            hash = hash_u64(hash, lists[k][i].kind ? (uint64_t)lists[k][i].kind << 32 | lists[k][i].row : 0);
    return hash;
}

/* Rest shapes of stiff meshes. */
static uint64_t hash_shapes(uint64_t hash, const sn_world *world)
{
    const sn_rest_place *shape = world->rest_shape_table.column[0];
    for (uint32_t index = 0; index < world->rest_shape_table.count; ++index)
        if (index < world->ids.table.count && world->ids.value[index] != SN_ID_FREE && shape[index].since)
            hash = hash_u64(hash_vec3(hash_u64(hash, index), shape[index].place), shape[index].since);
    return hash;
}

uint64_t sn_world_hash(const sn_world *world)
{
    if (!world)
        return 0;
    uint64_t hash = hash_u64(SN_HASH_SEED, world->dimensions);
    hash = sn_settings_hash(hash, &world->state.settings);
    hash = hash_double(hash, world->state.time);
    for (int i = 0; i < 3; ++i)
        hash = hash_double(hash, world->state.origin[i]);
    hash = hash_u64(hash, world->field_table.count);
    if (sn_integrators[world->state.settings.integrator]->looks_back)
        hash = hash_u64(hash_u64(hash, world->state.contacts), world->state.unsettled);
    hash = hash_particles(hash, world);
    hash = hash_drags(hash, world);
    hash = sn_surfaces_hash(sn_contacts_hash(sn_contact_hash(hash, world), &world->contact), &world->contact);
    hash = sn_spin_hash(hash, world);
    hash = sn_body_contacts_hash(sn_bodies_hash(hash, &world->bodies), &world->body_contacts);
    hash = sn_contact_events_hash(sn_sleep_hash(hash, world), world);
    const bool warm = sn_world_is_warm(&world->state.settings);
    if (warm || world->contact.impulse_table.count || world->contact.surface_impulse_table.count ||
        world->body_contacts.kept_table.count) /* the next step scales impulses by it */
        hash = hash_real(hash, world->state.h);
    if (world->state.settings.solver == SN_SOLVER_TILED) {
        sn_world_follow_edits((sn_world *)world); /* as the next step would; the plan is not part of the state that
                                                     const calls must not change */
        hash = hash_shapes(hash_plan(hash, &world->plan, world->particles.table.count), world);
        hash = sn_limits_hash(hash, world);
    }
    return sn_tear_hash(sn_breaking_hash(hash_constraints(hash, &world->constraints, warm), world), world);
}
