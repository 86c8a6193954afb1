/* Forces of rods of stiff meshes, and reactions of immovable particles: see solvers/hierarchy_forces.c. */
#include "solvers/hierarchy.h"
#include "solvers/tiled.h"
#include "world/world.h"

#include <string.h>

void sn_limit_forces_init(sn_limit_forces *f)
{
    for (uint32_t i = 0; i < SN_LIMITED_KINDS; ++i)
        sn_table_column(&f->table[i], sizeof(sn_real), false);
    atomic_flag_clear(&f->gate);
}

void sn_limit_forces_release(sn_limit_forces *f, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < SN_LIMITED_KINDS; ++i)
        sn_table_release(&f->table[i], allocator);
}

/* Finds the multipliers of all rods. False when memory runs out. */
static bool find_all(sn_world *world, const sn_hierarchy *h)
{
    sn_limit_forces *f = &world->limit_forces;
    sn_real *to[SN_LIMITED_KINDS];
    for (uint32_t i = 0; i < SN_LIMITED_KINDS; ++i) {
        const sn_pool *pool = world->constraints.pool[sn_limited_kinds[i]];
        const uint32_t count = pool->table.count * pool->kind->rows;
        if (!sn_table_reserve(&f->table[i], &world->allocator, count))
            return false;
        f->table[i].count = count;
        to[i] = f->table[i].column[0];
        if (count)
            memset(to[i], 0, count * sizeof *to[i]);
    }
    const sn_solver_in in = {.store = &world->constraints, .frame = sn_world_frame(world)};
    return sn_hierarchy_share_out(h, &in, &world->allocator, to);
}

double sn_limit_lambda(const sn_world *world, const sn_pool *pool, uint32_t index, uint32_t row)
{
    const sn_hierarchy *h = world->busy ? NULL : sn_tiled_noted(&world->scratch, &world->plan);
    sn_limit_forces *f =
        &((sn_world *)world)->limit_forces; /* not part of the state that const calls must not change */
    uint32_t kind = 0;
    while (kind < SN_LIMITED_KINDS && world->constraints.pool[sn_limited_kinds[kind]] != pool)
        ++kind;
    if (!h || kind == SN_LIMITED_KINDS || !sn_hierarchy_carries(h, pool, index, world->ids.value))
        return 0;
    while (atomic_flag_test_and_set_explicit(&f->gate, memory_order_acquire)) /* another thread is finding them */
        ;
    const bool found = f->made == h->notes_made || find_all((sn_world *)world, h);
    const uint32_t at = index * pool->kind->rows + row;
    const sn_real *lambda = f->table[kind].column[0];
    f->made = found ? h->notes_made : 0;
    const double all = !found ? (double)NAN : at < f->table[kind].count ? (double)lambda[at] : 0;
    atomic_flag_clear_explicit(&f->gate, memory_order_release);
    return all;
}

sn_dvec3 sn_limit_force_on(const sn_world *world, uint32_t slot)
{
    const sn_hierarchy *h = sn_tiled_noted(&world->scratch, &world->plan);
    const double step = (double)world->state.h;
    if (!h || !(step > 0))
        return dvec3(0, 0, 0);
    return dvec3_scale(sn_hierarchy_exerted_on(h, world->particles.x, slot), 1 / (step * step));
}
