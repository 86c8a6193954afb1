/* Constraints that are in no layer: trees that are solved directly, constraints with any number of points, those of
   hubs, and those added after the plan was made. */
#include "solvers/tiled_work.h"

#include "base/hash.h"
#include "solvers/hubs.h"

/* Trees that carry much, at once, and then loops. They move places alone, as tiles of later layers do. What is no tree
   any more, since something was set free, is projected one by one. */
bool sn_tiled_solve_trees(const sn_tiled *t, sn_solver_out *out, sn_real *largest)
{
    const sn_plan *plan = t->in->plan;
    sn_forest *forest = &((tiled *)t->in->scratch->tiled)->forest;
    sn_loops *loops = &((tiled *)t->in->scratch->tiled)->loops;
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h, .drops = t->drops_trees};
    if (!plan->tree_table.count || tiled_loads(t))
        return true;
    bool good = sn_direct_pass(&sweep, forest, tiled_starts(t));
    good = good && (!loops->solved || sn_direct_loops(&sweep, loops, tiled_starts(t)));
    for (uint32_t i = 0; good && sn_forest_count(forest) + loops->solved < forest->all && i < plan->tree_table.count;
         ++i)
        if (plan->tree[i].kind && !sn_forest_has_listed(forest, i) && !sn_loops_have(loops, i))
            good = sn_tiled_project(t, &sweep, plan->tree[i].kind, plan->tree[i].row);
    out->lost_tasks = sweep.out.lost_tasks;
    if (sweep.out.fault_kind) {
        out->fault_kind = sweep.out.fault_kind;
        out->fault_row = sweep.out.fault_row;
    }
    *largest = sweep.largest > *largest ? sweep.largest : *largest;
    return good;
}

void sn_tiled_count_trees(const sn_solver_scratch *scratch, const sn_plan *plan, uint32_t *trees, uint32_t *constraints)
{
    const tiled *t = scratch->tiled;
    const bool any = t && plan->made && plan->tree_table.count;
    *trees = any ? t->forest.tree_table.count : 0;
    *constraints = any ? t->forest.count + t->loops.solved : 0;
    for (uint32_t i = 0; any && i < t->loops.count; ++i)
        *trees += t->loops.loop[i].acts;
}

const sn_forest *sn_tiled_forest(const sn_solver_scratch *scratch)
{
    const tiled *t = scratch->tiled;
    return t ? &t->forest : NULL;
}

static sn_vec4 *marks(const sn_tiled *t)
{
    return ((const tiled *)t->in->scratch->tiled)->mark_table.column[0];
}

/* Projects a constraint outside the tiles. Its particles are marked and settled for this constraint alone. */
static bool project_alone(const sn_tiled *t, sn_sweep *sweep, sn_visit visit)
{
    uint32_t small[SN_MAX_BLOCK];
    const sn_solver_in *in = t->in;
    if (!visit.kind)
        return true;
    bool lists = pool_has_lists(in->store->pool[visit.kind]);
    uint32_t *list = lists ? in->store->many.column[SN_MANY_NUMBER] : small;
    sn_motion motion = *t->motion;
    motion.first = 0;
    motion.count = sn_tiled_slots(in, visit, list);
    motion.list = list;
    motion.mark = marks(t);
    t->table->note(&motion);
    if (!sn_tiled_project(t, sweep, visit.kind, visit.row))
        return false;
    if (lists) /* evaluation used the same scratch */
        sn_tiled_slots(in, visit, list);
    return t->table->settle(&motion);
}

/* Constraints added later have no colour. In the order of their addition, a body that was added at once would be swept
   in one direction, and gain energy. So a hash sends half of them to the way back. Constraints of one particle come
   last. */
typedef enum displacement { PASS_THERE, PASS_BACK, AT_THE_END } displacement;

static displacement displacement_of(const sn_tiled *t, uint32_t i)
{
    sn_visit visit = t->in->plan->extra[i];
    if (visit.kind && t->in->store->pool[visit.kind]->kind->points == 1)
        return AT_THE_END;
    return hash_u64(hash_u64(SN_HASH_SEED, i), i) >> 63 ? PASS_BACK : PASS_THERE;
}

static bool project_extra(const sn_tiled *t, sn_sweep *sweep)
{
    const sn_plan *plan = t->in->plan;
    uint32_t count = plan->extra_table.count;
    bool good = true;
    for (uint32_t i = 0; good && i < count; ++i)
        good = displacement_of(t, i) != PASS_THERE || project_alone(t, sweep, plan->extra[i]);
    for (uint32_t i = count; good && i-- > 0;)
        good = displacement_of(t, i) != PASS_BACK || project_alone(t, sweep, plan->extra[i]);
    for (uint32_t i = 0; good && i < count; ++i)
        good = displacement_of(t, i) != AT_THE_END || project_alone(t, sweep, plan->extra[i]);
    return good;
}

/* Goes through the particles that constraints outside the layers move: settles them before these constraints, or marks
   them after. The constraints themselves settle what they move. */
static bool go_through_rest(const layer *l, bool settles)
{
    const tiled *scratch = l->scratch;
    const uint32_t *slot = scratch->rest_table.column[0], count = scratch->rest_table.count;
    const sn_tile *tile = l->plan->tile, *last = tile + l->plan->layer[1];
    sn_motion of_tile = count ? sn_tiled_motion(l, tile) : (sn_motion){0};
    bool sound = true;
    for (uint32_t i = 0, end; i < count; i = end) {
        if (tile + 1 < last && tile[1].first <= slot[i]) { /* slots are ascending, and so are tiles */
            while (tile + 1 < last && tile[1].first <= slot[i])
                ++tile;
            of_tile = sn_tiled_motion(l, tile);
        }
        sn_motion motion = of_tile;
        for (end = i + 1; end < count && slot[end] == slot[end - 1] + 1 && slot[end] < tile->first + tile->count;)
            ++end;
        motion.mark = sn_tiled_is_resident(l, tile) ? (sn_vec4 *)scratch->rest_mark_table.column[0] + i
                                                    : motion.mark + (slot[i] - tile->first);
        motion.first = slot[i];
        motion.count = end - i;
        if (settles)
            sound = l->t->table->settle(&motion) && sound;
        else
            l->t->table->note(&motion);
    }
    return sound;
}

static void tell(const sn_sweep *sweep, sn_solver_out *out, sn_real *largest)
{
    if (sweep->out.fault_kind) {
        out->fault_kind = sweep->out.fault_kind;
        out->fault_row = sweep->out.fault_row;
    }
    *largest = sweep->largest > *largest ? sweep->largest : *largest;
}

static bool project_many(const sn_tiled *t, sn_sweep *sweep)
{
    const sn_plan *plan = t->in->plan;
    bool good = true;
    for (uint32_t i = 0; good && i < plan->many_table.count; ++i)
        good = tiled_leaves_out(t, i) || project_alone(t, sweep, plan->many[i]);
    return good;
}

bool sn_tiled_project_many(const sn_tiled *t, sn_solver_out *out, sn_real *largest)
{
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h, .preload_most = t->preloads ? SN_PRELOAD_MOST : 0};
    const bool good = project_many(t, &sweep);
    tell(&sweep, out, largest);
    return good;
}

/* Projects the constraints that are in no layer, other than trees. */
bool sn_tiled_project_others(const sn_tiled *t, const layer *l, sn_solver_out *out, sn_real *largest)
{
    sn_sweep sweep = {.in = t->in, .inverse_h = 1 / t->in->h, .preload_most = t->preloads ? SN_PRELOAD_MOST : 0};
    bool good = go_through_rest(l, true) && project_many(t, &sweep) &&
                (tiled_loads(t) || sn_hubs_pass(t, marks(t), out, largest)) && project_extra(t, &sweep) &&
                sn_tiled_keep_spins(t);
    go_through_rest(l, false);
    tell(&sweep, out, largest);
    return good;
}

/* ---- Stresses of solids, after all other preloads ---- */

#define WORK_OF_ROD 40.0 /* ns, about, with its share of tetrahedra */

typedef struct solid_tasks {
    const sn_tiled *t;
    const sn_solids *solids;
    atomic_bool failed;
} solid_tasks;

static void load_solid(void *data, uint32_t index, uint32_t worker)
{
    solid_tasks *s = data;
    (void)worker;
    if (s->solids->solid[index].acts && !sn_solids_load(s->solids, s->t->in, *s->t->motion, s->t->table, index))
        atomic_store_explicit(&s->failed, true, memory_order_relaxed);
}

/* ---- Plates ---- */

#define WORK_OF_HINGE 150.0 /* ns, about, with its share of the factor */

typedef struct plate_tasks {
    const sn_tiled *t;
    const sn_plates *plates;
    atomic_bool failed;
} plate_tasks;

static void load_plate(void *data, uint32_t index, uint32_t worker)
{
    plate_tasks *s = data;
    const sn_tiled *t = s->t;
    (void)worker;
    if (s->plates->plate[index].acts && !sn_plates_load(s->plates, t->in, *t->motion, t->table, index, t->keep_lambda))
        atomic_store_explicit(&s->failed, true, memory_order_relaxed);
}

bool sn_tiled_load_plates(const sn_tiled *t, sn_solver_out *out)
{
    const tiled *scratch = t->in->scratch->tiled;
    plate_tasks s = {.t = t, .plates = &scratch->plates};
    if (!tiled_loads(t) || !s.plates->any)
        return true;
    const bool share = sn_parallel_wants(t->in->parallel, WORK_OF_HINGE * s.plates->hinges);
    out->lost_tasks = !sn_parallel_tasks(share ? t->in->parallel : NULL, s.plates->count, load_plate, &s);
    return !out->lost_tasks && !s.failed;
}

bool sn_tiled_load_solids(const sn_tiled *t, sn_solver_out *out)
{
    const tiled *scratch = t->in->scratch->tiled;
    solid_tasks s = {.t = t, .solids = &scratch->solids};
    if (!tiled_loads(t) || !scratch->any_solids)
        return true;
    sn_solids_clear_others(s.solids, t->in->store);
    const bool share = sn_parallel_wants(t->in->parallel, WORK_OF_ROD * s.solids->rods);
    out->lost_tasks = !sn_parallel_tasks(share ? t->in->parallel : NULL, s.solids->count, load_solid, &s);
    return !out->lost_tasks && !s.failed;
}
