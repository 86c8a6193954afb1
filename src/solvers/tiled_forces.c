/* What a step leaves for reading forces. */
#include "solvers/tiled_work.h"

/* The state of the solver after the last step; NULL: it did not take that step, or another plan has been made since. */
static const tiled *after_step(const sn_solver_scratch *scratch, const sn_plan *plan)
{
    const tiled *t = scratch->tiled;
    return t && t->read == plan->makes ? t : NULL;
}

void sn_tiled_forget_forces(const sn_solver_scratch *scratch)
{
    tiled *t = scratch->tiled;
    if (!t)
        return;
    t->read = 0;
    t->hierarchy.noted = false;
}

const sn_hierarchy *sn_tiled_noted(const sn_solver_scratch *scratch, const sn_plan *plan)
{
    const tiled *t = after_step(scratch, plan);
    return t && t->hierarchy.noted ? &t->hierarchy : NULL;
}

void sn_tiled_place_points(const sn_solver_scratch *scratch, const sn_plan *plan, const sn_store *store, uint32_t kind,
                           uint32_t row, const uint32_t *slot, sn_vec3 *x)
{
    const tiled *t = after_step(scratch, plan);
    const bool rod = kind == SN_KIND_DISTANCE, in_solid = rod || kind == SN_KIND_VOLUME;
    uint32_t of[4];
    if (!t || !t->any_solids || !in_solid)
        return;
    const uint32_t points = rod ? 2 : 4, *point = store->pool[kind]->point + (size_t)row * points;
    for (uint32_t i = 0; i < points; ++i) {
        if (point[i] & SN_ANCHOR_BIT)
            return;
        of[i] = slot[point[i]];
    }
    sn_solids_smooth(&t->solids, of, points, x);
}

void sn_tiled_direct(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t kind, uint32_t row,
                     sn_vec3 *gradient)
{
    const tiled *t = after_step(scratch, plan);
    if (t && t->plates.any && (kind == SN_KIND_ANGLE || kind == SN_KIND_DIHEDRAL))
        sn_plates_direct(&t->plates, kind, row, gradient);
}

double sn_tiled_held_load(const sn_solver_scratch *scratch, const sn_plan *plan, const sn_store *store, uint32_t kind,
                          uint32_t row, const uint32_t *slot, uint32_t axis)
{
    const tiled *t = after_step(scratch, plan);
    if (!t || !t->plates.any || (kind != SN_KIND_PIN && kind != SN_KIND_ATTACHMENT))
        return 0;
    const sn_pool *pool = store->pool[kind];
    const uint32_t points = pool->kind->points, *point = pool->point + (size_t)row * points;
    const bool second = points == 2 && point[0] & SN_ANCHOR_BIT;
    const sn_give *give = &pool->give[row];
    if (point[second] & SN_ANCHOR_BIT || (points == 2 && !(point[!second] & SN_ANCHOR_BIT)) || give->compliance != 0 ||
        give->stiffness != 1)
        return 0;
    return (second ? 1 : -1) * sn_plates_pull(&t->plates, slot[point[second]], axis);
}
