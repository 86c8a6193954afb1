/* The choice of solids with a lattice, and lists of their particles and constraints: see solids.h. */
#include "solvers/solids_work.h"

#define NONE SN_PLAN_NONE

/* ---- The choice -------------------------------------------------------------------------------------------------- */

/* An iteration over the constraints of a kind between particles of the plan, in the order of addition. */
typedef struct walk {
    uint32_t kind, run, i;
    uint32_t row, slot[4];
} walk;

static bool next(const solid_work *w, walk *k)
{
    const sn_store *store = w->in->store;
    const sn_pool *pool = store->pool[k->kind];
    const uint32_t points = pool->kind->points;
    for (; k->run < store->run_table.count; ++k->run, k->i = 0) {
        const sn_run *run = &store->run[k->run];
        while (run->kind == k->kind && k->i < run->count) {
            const uint32_t at = k->i++;
            const uint32_t *point = pool->point + (size_t)(run->first + at) * points;
            bool plain = run_has(pool, run, at);
            k->row = run->first + at;
            for (uint32_t i = 0; plain && i < points; ++i) {
                plain = !(point[i] & SN_ANCHOR_BIT);
                k->slot[i] = plain ? w->in->frame.slot[point[i]] : 0;
                plain = plain && k->slot[i] < w->slots;
            }
            if (plain)
                return true;
        }
    }
    return false;
}

/* Marks constraints outside the layers: only sweeps of layers begin with given multipliers. */
static void mark_apart(solid_work *w)
{
    const sn_plan *plan = w->in->plan;
    const sn_visit *list[3] = {plan->extra, plan->tree, plan->many};
    const uint32_t count[3] = {plan->extra_table.count, plan->tree_table.count, plan->many_table.count};
    static const uint32_t kind[2] = {SN_KIND_DISTANCE, SN_KIND_VOLUME};
    for (uint32_t k = 0; k < 2; ++k) {
        w->apart[k] = sn_solids_room(w, w->in->store->pool[kind[k]]->table.count, 1);
        for (uint32_t l = 0; l < 3 && !w->failed; ++l)
            for (uint32_t i = 0; i < count[l]; ++i)
                if (list[l][i].kind == kind[k])
                    w->apart[k][list[l][i].row] = 1;
    }
}

static bool has_limits(const solid_work *w, uint32_t slot)
{
    const uint32_t tile = sn_plan_owner(w->in->plan, slot);
    return w->h->mesh_table.count && w->h->part_of[tile] < w->h->part_of[tile + 1];
}

bool sn_solids_may(uint32_t particles, uint32_t rods, uint32_t tets)
{
    const bool tetrahedra = 2 * (uint64_t)tets >= particles;
    return particles >= SN_LEAST_SOLID && (double)rods > (tetrahedra ? SN_SOFT_RODS : SN_LATTICE_RODS) * particles;
}

/* Flag in the number of tetrahedra of a mesh: it is never a solid. With SN_SOFT_CLOSED it is never a sheet. */
#define NEVER 0x80000000u

static bool may_be(uint32_t particles, uint32_t rods, uint32_t tets)
{
    const bool sheet =
        !(tets & SN_SOFT_CLOSED) && particles >= SN_LEAST_SOLID && (double)rods > SN_SHEET_RODS * particles;
    return !(tets & NEVER) && (sheet || sn_solids_may(particles, rods, tets & ~SN_SOFT_CLOSED));
}

/* Closed surfaces have substeps of their own: see tiled_closed.c. */
void sn_solids_mark_closed(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, uint32_t *flags, size_t stride)
{
    const sn_plan *plan = in->plan;
    for (uint32_t i = 0; i < plan->many_table.count; ++i) {
        uint32_t small[SN_MAX_BLOCK], count;
        const sn_visit visit = plan->many[i];
        if (visit.kind != SN_KIND_SURFACE_VOLUME)
            continue;
        const uint32_t *number = sn_store_particles(in->store, in->store->pool[visit.kind], visit.row, small, &count);
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t slot = in->frame.slot[number[k]];
            if (slot < slots && mesh[slot] != NONE)
                flags[mesh[slot] * stride] |= SN_SOFT_CLOSED;
        }
    }
}

/* Counts compliant rods and tetrahedra by the lowest slot of a mesh. The choice must not depend on positions: they
   differ after a world is loaded. */
void sn_solids_choose(solid_work *w)
{
    const sn_stiffen *stiffen = &w->in->stiffen;
    const sn_pool *pool = w->in->store->pool[SN_KIND_DISTANCE];
    w->body = (uint32_t *)(void *)stiffen->room;
    w->s->all_tear = true;
    uint32_t *particles = w->body + w->slots, *rods = particles + w->slots, *tets = rods + w->slots;
    memset(particles, 0, 3 * (size_t)w->slots * sizeof *particles);
    for (uint32_t i = 0; i < w->slots; ++i)
        w->body[i] = i;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);)
        sets_join(w->body, k.slot[0], k.slot[1]);
    for (uint32_t i = 0; i < w->slots; ++i)
        particles[w->body[i] = sets_find(w->body, i)]++;
    for (walk k = {.kind = SN_KIND_VOLUME}; next(w, &k);)
        tets[w->body[k.slot[0]]]++;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);) {
        const uint32_t mesh = w->body[k.slot[0]];
        const bool tears = (stiffen->tears && stiffen->tears(stiffen->world, SN_KIND_DISTANCE, k.row)) ||
                           (stiffen->breaks && stiffen->breaks(stiffen->world, SN_KIND_DISTANCE, k.row));
        w->s->all_tear = w->s->all_tear && tears;
        rods[mesh] += pool->give[k.row].compliance > 0;
        if (tears || store_compromise(w->in->store, pool, k.row))
            tets[mesh] |= NEVER;
    }
    sn_solids_mark_closed(w->in, w->body, w->slots, tets, 1);
    w->s->count = 0;
    for (uint32_t i = 0; i < w->slots; ++i) {
        const bool is = w->body[i] == i && may_be(particles[i], rods[i], tets[i]) && !has_limits(w, i);
        particles[i] = is ? w->s->count++ : NONE;
    }
    for (uint32_t i = 0; i < w->slots; ++i)
        w->body[i] = particles[w->body[i]];
}

/* ---- Rest shapes ------------------------------------------------------------------------------------------------- */

static sn_vec3 rest_place(const solid_work *w, uint32_t slot)
{
    return ((const sn_rest_place *)w->in->stiffen.shape->column[0])[w->in->stiffen.number[slot]].place;
}

/* ---- Vertices and constraints ------------------------------------------------------------------------------------ */

static void list_vertices(solid_work *w)
{
    sn_solids *s = w->s;
    s->vertices = 0;
    for (uint32_t i = 0; i < w->slots; ++i)
        s->vertices += w->body[i] != NONE;
    s->solid = sn_solids_room(w, s->count, sizeof *s->solid);
    s->vertex = sn_solids_room(w, s->vertices, sizeof *s->vertex);
    s->vertex_of = w->vertex_of = sn_solids_room(w, w->slots, sizeof *w->vertex_of);
    s->slots = w->slots;
    if (w->failed)
        return;
    for (uint32_t i = 0; i < w->slots; ++i)
        if (w->body[i] != NONE)
            s->solid[w->body[i]].vertices++;
    for (uint32_t i = 1; i < s->count; ++i)
        s->solid[i].vertex = s->solid[i - 1].vertex + s->solid[i - 1].vertices;
    for (uint32_t i = 0; i < s->count; ++i)
        s->solid[i].vertices = 0;
    for (uint32_t i = 0; i < w->slots; ++i) {
        if (w->body[i] == NONE)
            continue;
        sn_soft *solid = &s->solid[w->body[i]];
        w->vertex_of[i] = solid->vertex + solid->vertices++;
        const sn_real inverse = sn_hierarchy_inverse_mass(w->in, i);
        solid->held += !(inverse > 0);
        solid->body = w->in->plan->tile[sn_plan_owner(w->in->plan, i)].body;
        s->vertex[w->vertex_of[i]] = (sn_soft_vertex){.slot = i, .w = inverse, .rest = rest_place(w, i)};
    }
    /* Relative to the middle, so that no precision is lost far from the origin. */
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_soft_vertex *v = s->vertex + s->solid[i].vertex;
        const sn_vec3 middle = v[s->solid[i].vertices / 2].rest;
        for (uint32_t k = 0; k < s->solid[i].vertices; ++k)
            v[k].rest = vec3_sub(v[k].rest, middle);
    }
}

/* Whether the lattice takes a constraint: it is solved in a layer, and all of its particles are in one solid. */
static bool takes(const solid_work *w, const walk *k, uint32_t which, uint32_t *body)
{
    const sn_pool *pool = w->in->store->pool[k->kind];
    *body = w->body[k->slot[0]];
    for (uint32_t i = 1; i < pool->kind->points; ++i)
        *body = w->body[k->slot[i]] == *body ? *body : NONE;
    return *body != NONE && !w->apart[which][k->row] && pool->give[k->row].stiffness == 1 &&
           pool->param[(size_t)k->row * pool->param_count] != 0;
}

static void count_constraints(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t body;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);)
        if (takes(w, &k, 0, &body))
            s->solid[body].rods++;
    for (walk k = {.kind = SN_KIND_VOLUME}; next(w, &k);)
        if (takes(w, &k, 1, &body))
            s->solid[body].tets++;
    s->rods = s->tets = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        s->solid[i].rod = s->rods;
        s->solid[i].tet = s->tets;
        s->rods += s->solid[i].rods;
        s->tets += s->solid[i].tets;
        s->solid[i].rods = s->solid[i].tets = 0;
    }
    w->rod = sn_solids_room(w, s->rods, sizeof *w->rod);
    w->tet = sn_solids_room(w, s->tets, sizeof *w->tet);
}

static void list_constraints(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t body;
    for (walk k = {.kind = SN_KIND_DISTANCE}; next(w, &k);) {
        const sn_pool *pool = w->in->store->pool[k.kind];
        if (!takes(w, &k, 0, &body))
            continue;
        w->rod[s->solid[body].rod + s->solid[body].rods++] =
            (solid_rod){.end = {w->vertex_of[k.slot[0]], w->vertex_of[k.slot[1]]},
                        .row = k.row,
                        .rest = pool->param[(size_t)k.row * pool->param_count],
                        .compliance = pool->give[k.row].compliance,
                        .damping = pool->give[k.row].damping};
    }
    for (walk k = {.kind = SN_KIND_VOLUME}; next(w, &k);) {
        const sn_pool *pool = w->in->store->pool[k.kind];
        if (!takes(w, &k, 1, &body))
            continue;
        solid_tet *tet = &w->tet[s->solid[body].tet + s->solid[body].tets++];
        *tet = (solid_tet){.row = k.row,
                           .rest = pool->param[(size_t)k.row * pool->param_count],
                           .compliance = pool->give[k.row].compliance,
                           .damping = pool->give[k.row].damping};
        for (uint32_t i = 0; i < 4; ++i)
            tet->corner[i] = w->vertex_of[k.slot[i]];
    }
}

/* Whether a constraint that may begin with a multiplier is in no list. */
static bool is_beside(const solid_work *w, uint32_t kind, uint32_t row)
{
    if (!sn_preload_takes(w->in->store, kind, row) || sn_preload_holds(kind))
        return false;
    return kind == SN_KIND_DISTANCE ? !w->mine[0][row] : kind == SN_KIND_VOLUME ? !w->mine[1][row] : true;
}

/* Writes such constraints of a run to `list`, if that is not NULL. Returns their number. */
static uint32_t list_run(const solid_work *w, const sn_plan_run *run, sn_visit *list)
{
    const sn_plan *plan = w->in->plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->visits; ++i) {
        const sn_visit visit = plan->visit[run->visit + i];
        if (!visit.kind || !is_beside(w, visit.kind, visit.row))
            continue;
        if (list)
            list[count] = visit;
        count++;
    }
    for (uint32_t i = run->batch * SN_BATCH; i < (run->batch + run->batches) * SN_BATCH; ++i) {
        if (!(plan->mask[i / SN_BATCH] >> i % SN_BATCH & 1) || run->corners || !is_beside(w, run->kind, plan->row[i]))
            continue;
        if (list)
            list[count] = (sn_visit){run->kind, plan->row[i]};
        count++;
    }
    return count;
}

/* A body of the plan is a set of particles joined by constraints of any kind: a solid, and ropes tied to it. Where
   solids act, the pass of preloads skips their bodies. The other constraints of these bodies would begin with the
   multipliers of the last substep, so they are listed. */
static void list_others(solid_work *w)
{
    sn_solids *s = w->s;
    const sn_plan *plan = w->in->plan;
    w->mine[0] = sn_solids_room(w, w->in->store->pool[SN_KIND_DISTANCE]->table.count, 1);
    w->mine[1] = sn_solids_room(w, w->in->store->pool[SN_KIND_VOLUME]->table.count, 1);
    bool *has_solid = sn_solids_room(w, plan->tile_table.count, sizeof *has_solid);
    s->waits = sn_solids_room(w, plan->tile_table.count, sizeof *s->waits);
    for (uint32_t i = 0; i < s->rods && !w->failed; ++i)
        w->mine[0][w->rod[i].row] = 1;
    for (uint32_t i = 0; i < s->tets && !w->failed; ++i)
        w->mine[1][w->tet[i].row] = 1;
    for (uint32_t i = 0; i < s->count && !w->failed; ++i)
        has_solid[s->solid[i].body] = true;
    for (uint32_t pass = 0; pass < 2 && !w->failed; ++pass) {
        s->other = pass ? sn_solids_room(w, s->others, sizeof *s->other) : NULL;
        s->other_body = pass ? sn_solids_room(w, s->others, sizeof *s->other_body) : NULL;
        s->others = 0;
        for (uint32_t i = 0; i < plan->tile_table.count && !w->failed; ++i)
            for (uint32_t r = plan->tile[i].run;
                 has_solid[plan->tile[i].body] && r < plan->tile[i].run + plan->tile[i].runs; ++r) {
                const uint32_t more = list_run(w, &plan->run[r], pass ? s->other + s->others : NULL);
                for (uint32_t k = 0; pass && k < more; ++k)
                    s->other_body[s->others + k] = plan->tile[i].body;
                s->others += more;
            }
    }
}

void sn_solids_list(solid_work *w)
{
    mark_apart(w);
    w->failed = w->failed || !sn_hierarchy_note_shapes(w->in, w->allocator, w->body, w->slots);
    if (!w->failed)
        list_vertices(w);
    if (!w->failed)
        count_constraints(w);
    if (w->failed)
        return;
    list_constraints(w);
    list_others(w);
}
