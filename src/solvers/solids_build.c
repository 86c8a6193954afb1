/* Making solids: memory, and when they have to be made. See solids.h. */
#include "solvers/solids_work.h"

#define NONE SN_PLAN_NONE

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void sn_solids_release(sn_solids *s, const sn_allocator *allocator)
{
    for (uint32_t i = 0; i < SN_SOFT_BLOCKS; ++i)
        sn_release(allocator, s->block[i], s->block_size[i]);
    *s = (sn_solids){0};
}

void *sn_solids_room(solid_work *w, size_t count, size_t size)
{
    sn_solids *s = w->s;
    const size_t bytes = count * size + 1;
    void **block = &s->block[s->blocks];
    size_t *has = &s->block_size[s->blocks++];
    if (!w->failed && bytes > *has) {
        sn_release(w->allocator, *block, *has);
        *has = bytes + bytes / 4;
        *block = sn_allocate(w->allocator, *has);
        *has = *block ? *has : 0;
    }
    w->failed = w->failed || !*block;
    return w->failed ? NULL : memset(*block, 0, bytes);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Reserves memory for constraints of a kind, in fours. */
static void reserve_list(solid_work *w, sn_soft_list *list, uint32_t points, uint32_t count)
{
    for (uint32_t i = 0; i < points; ++i)
        list->point[i] = sn_solids_room(w, count, sizeof **list->point);
    list->row = sn_solids_room(w, count, sizeof *list->row);
    list->rest = sn_solids_room(w, count, sizeof *list->rest);
    list->compliance = sn_solids_room(w, count, sizeof *list->compliance);
    list->damping = sn_solids_room(w, count, sizeof *list->damping);
}

static uint32_t in_fours(uint32_t count)
{
    return (count + 3) / 4 * 4;
}

/* Lays out constraints in the form in which they are solved. */
static void lay_out(solid_work *w)
{
    sn_solids *s = w->s;
    uint32_t rods = 0, tets = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        rods += in_fours(s->solid[i].rods);
        tets += in_fours(s->solid[i].tets);
    }
    reserve_list(w, &s->rod, 2, rods);
    reserve_list(w, &s->tet, 4, tets);
    s->q = sn_solids_room(w, (size_t)rods * SN_SOFT_STRIDE, sizeof *s->q);
    s->off = sn_solids_room(w, rods, sizeof *s->off);
    rods = tets = 0;
    for (uint32_t i = 0; i < s->count && !w->failed; ++i) {
        sn_soft *solid = &s->solid[i];
        for (uint32_t k = 0; k < in_fours(solid->rods); ++k) {
            const solid_rod *rod = k < solid->rods ? &w->rod[solid->rod + k] : NULL;
            for (uint32_t p = 0; p < 2; ++p)
                s->rod.point[p][rods + k] = rod ? rod->end[p] : solid->vertex;
            s->rod.row[rods + k] = rod ? rod->row : NONE;
            s->rod.rest[rods + k] = rod ? rod->rest : 0;
            s->rod.compliance[rods + k] = rod ? rod->compliance : 0;
            s->rod.damping[rods + k] = rod ? rod->damping : 0;
            for (uint32_t m = 0; rod && m < 6; ++m)
                s->q[(size_t)(rods + k) * SN_SOFT_STRIDE + m] = (sn_real)rod->q[m];
        }
        for (uint32_t k = 0; k < in_fours(solid->tets); ++k) {
            const solid_tet *tet = k < solid->tets ? &w->tet[solid->tet + k] : NULL;
            for (uint32_t p = 0; p < 4; ++p)
                s->tet.point[p][tets + k] = tet ? tet->corner[p] : solid->vertex;
            s->tet.row[tets + k] = tet ? tet->row : NONE;
            s->tet.rest[tets + k] = tet ? tet->rest : 0;
            s->tet.compliance[tets + k] = tet ? tet->compliance : 0;
            s->tet.damping[tets + k] = tet ? tet->damping : 0;
        }
        solid->rod = rods;
        solid->tet = tets;
        rods += solid->rods = in_fours(solid->rods);
        tets += solid->tets = in_fours(solid->tets);
    }
}

static void reserve_substeps(solid_work *w)
{
    sn_solids *s = w->s;
    s->at = sn_solids_room(w, s->vertices, sizeof *s->at);
    s->from = sn_solids_room(w, s->vertices, sizeof *s->from);
    s->smooth = sn_solids_room(w, s->vertices, sizeof *s->smooth);
    s->push = sn_solids_room(w, s->vertices, sizeof *s->push);
    s->moved = sn_solids_room(w, s->vertices, sizeof *s->moved);
    s->mode = sn_solids_room(w, (size_t)s->vertices * SN_SOFT_STRIDE, sizeof *s->mode);
    s->mark = sn_solids_room(w, s->vertices, sizeof *s->mark);
    s->list = sn_solids_room(w, s->vertices, sizeof *s->list);
    s->near = sn_solids_room(w, (size_t)s->vertices * SN_SOFT_NODES, sizeof *s->near);
    s->motion = sn_solids_room(w, s->nodes, sizeof *s->motion);
    s->unknown = sn_solids_room(w, 3 * (size_t)s->nodes * SN_SOFT_MODES, sizeof *s->unknown);
    for (uint32_t i = 0; i < s->count && !w->failed; ++i)
        for (uint32_t v = s->solid[i].vertex; v < s->solid[i].vertex + s->solid[i].vertices; ++v) {
            const sn_soft_vertex *vertex = &s->vertex[v];
            s->list[v] = vertex->slot;
            for (uint32_t k = 0; s->solid[i].sound && k < vertex->nodes; ++k) {
                const double *place = s->node[s->solid[i].node + vertex->node[k]].place,
                             weight = (double)vertex->weight[k];
                s->near[(size_t)v * SN_SOFT_NODES + k] =
                    (sn_vec4){(sn_real)(weight * ((double)vertex->rest.x - place[0])),
                              (sn_real)(weight * ((double)vertex->rest.y - place[1])),
                              (sn_real)(weight * ((double)vertex->rest.z - place[2])), vertex->weight[k]};
            }
        }
}

/* Finds the mean of compliance times damping; and the stiffness of rods relative to inverse masses. */
static void note_losses(solid_work *w)
{
    sn_solids *s = w->s;
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_soft *solid = &s->solid[i];
        double sum = 0, moves = 0, gives = 0;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r) {
            const solid_rod *rod = &w->rod[r];
            sum += (double)rod->compliance * (double)rod->damping;
            gives += (double)rod->compliance;
            moves += (double)s->vertex[rod->end[0]].w + (double)s->vertex[rod->end[1]].w;
            solid->damped = solid->damped || rod->damping > 0;
        }
        solid->loss = solid->rods ? sum / solid->rods : 0;
        solid->ratio = gives > 0 ? moves / gives : HUGE_VAL;
    }
}

static void make(solid_work *w)
{
    sn_solids_choose(w);
    if (w->failed || !w->s->count)
        return;
    sn_solids_list(w);
    if (!w->failed)
        sn_solids_make_lattices(w);
    if (w->failed)
        return;
    if (!w->s->nodes) { /* no rest shape is valid */
        sn_solids_release(w->s, w->allocator);
        return;
    }
    sn_solids_make_matrices(w);
    if (w->failed)
        return;
    note_losses(w);
    sn_solids_note_shells(w);
    lay_out(w);
    reserve_substeps(w);
}

/* Whether inverse masses are those for which the solids were made. */
static bool are_masses_same(const sn_solids *s, const sn_solver_in *in)
{
    for (uint32_t i = 0; i < s->vertices; ++i)
        if (s->vertex[i].w != sn_hierarchy_inverse_mass(in, s->vertex[i].slot))
            return false;
    return true;
}

bool sn_solids_reserve(sn_solids *s, const sn_hierarchy *h, const sn_allocator *allocator, const sn_solver_in *in)
{
    const sn_store *store = in->store;
    const bool may = in->stiffen.on && in->stiffen.solids && !in->frame.planar &&
                     (double)store->pool[SN_KIND_DISTANCE]->ids.live > SN_SOFT_RODS * SN_LEAST_SOLID;
    if (may && s->made && s->edits == in->stiffen.edits &&
        (s->all_tear || (s->makes == in->plan->makes && s->changes == store->changes && are_masses_same(s, in))))
        return true;
    s->made = false;
    s->count = s->vertices = s->rods = s->tets = s->nodes = s->others = s->blocks = 0;
    s->entries = 0;
    if (!may)
        return true;
    solid_work w = {.s = s, .in = in, .h = h, .allocator = allocator, .slots = in->plan->particles};
    make(&w);
    if (w.failed) {
        s->count = 0;
        return false;
    }
    s->made = true;
    s->makes = in->plan->makes;
    s->changes = store->changes;
    s->edits = in->stiffen.edits;
    return true;
}

bool sn_solids_begin(sn_solids *s, const sn_solver_in *in)
{
    const double h = (double)in->h / in->settings->substeps; /* `in` is the input of the step */
    bool any = false;
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_soft *solid = &s->solid[i];
        solid->acts = solid->sound && (!solid->flat || solid->ratio * h * h >= SN_SHEET_STIFF);
        solid->begins = true;
        for (uint32_t v = solid->vertex; solid->acts && v < solid->vertex + solid->vertices; ++v)
            solid->acts = s->vertex[v].w == in->frame.x[s->vertex[v].slot].w;
        s->waits[solid->body] = false;
    }
    for (uint32_t i = 0; i < s->count; ++i)
        s->waits[s->solid[i].body] = s->waits[s->solid[i].body] || (s->solid[i].acts && !s->solid[i].flat);
    for (uint32_t i = 0; i < s->count;
         ++i) { /* preloads of sheets are those of all rods; a sheet in a body with an active solid has no lattice */
        sn_soft *solid = &s->solid[i];
        if (solid->flat)
            solid->acts = solid->acts && !s->waits[solid->body] && sn_solids_is_open(s, in, solid);
        any = any || solid->acts;
    }
    for (uint32_t i = 0; i < s->count; ++i)
        if (s->solid[i].flat && s->solid[i].acts && !(in->preload_share > 0))
            s->waits[s->solid[i].body] = true;
    return any;
}
