/* The choice of meshes that get a hierarchy.

   A mesh is a set of particles joined by rods: distances and largest distances. It gets a hierarchy if it has loops,
   enough movable particles, and rods that hardly stretch under the weight of the mesh. None of its rods may break
   (their force must be known, and limits would take a part of it), or have a target of its own because it contradicts
   others. Other meshes are only swept. */
#include "solvers/hierarchy_work.h"
#include "solvers/solids_work.h"

#include <string.h>

/* The fewest rods per particle: ropes and rings have one, nets two, triangles three. */
#define LEAST_RODS 1.5

/* The share of their length by which rods may stretch under the weight of the mesh. Above that they are soft: limits
   are rigid, and would make the mesh too stiff where sweeps converge. */
#define SOFT 1e-3

/* From this number of movable particles on a mesh is large: its own weight alone stretches it, if it is swept. Smaller
   ones get limits if they are braced, and give that little under a hundred times their weight: sweeps are good enough
   for soft ones, and what gives by the root of its strain, such as a net that is held all around, would become a
   board. */
#define LARGE_MESH  400u
#define SOFT_LOADED 1e-5

/* m/s^2, for the weight, whatever the present gravity. */
#define WEIGHT 9.81

#define NONE SN_PLAN_NONE

sn_real sn_hierarchy_inverse_mass(const sn_solver_in *in, uint32_t slot)
{
    return in->stiffen.target && in->stiffen.target[slot] ? 0 : in->frame.x[slot].w;
}

sn_real sn_hierarchy_limit_mass(const sn_solver_in *in, uint32_t slot)
{
    return hierarchy_is_pinned(in->stiffen.base, slot) ? 0 : sn_hierarchy_inverse_mass(in, slot);
}

/* Whether nothing pushes an anchor: a place of the world, or a point of an immovable body. x: by slot. */
static bool is_fixed(const sn_anchor *anchor, const uint32_t *slot, uint32_t slots, const sn_vec4 *x)
{
    const uint32_t centre = anchor->type == SN_POINT_BODY ? slot[anchor->particle[0]] : slots;
    return anchor->type == SN_POINT_PLACE || (centre < slots && x[centre].w == 0);
}

uint32_t sn_hierarchy_held_by(const sn_store *store, const sn_run *run, uint32_t i, const uint32_t *slot,
                              uint32_t slots, const sn_vec4 *x,
                              bool (*breaks)(const void *world, uint32_t kind, uint32_t row), const void *world,
                              bool *second)
{
    const sn_pool *pool = store->pool[run->kind];
    const bool attached = run->kind == SN_KIND_ATTACHMENT;
    const uint32_t row = run->first + i;
    if ((run->kind != SN_KIND_PIN && !attached) || !run_has(pool, run, i) || pool->give[row].compliance != 0 ||
        pool->give[row].stiffness != 1)
        return NONE;
    const uint32_t *point = pool->point + (size_t)pool->kind->points * row;
    *second = attached && point[0] & SN_ANCHOR_BIT;
    const uint32_t held = point[*second], other = attached ? point[!*second] : SN_ANCHOR_BIT;
    if (held & SN_ANCHOR_BIT || !(other & SN_ANCHOR_BIT) || slot[held] >= slots ||
        (attached && !is_fixed(&store->anchor[other & ~SN_ANCHOR_BIT], slot, slots, x)))
        return NONE;
    return breaks && breaks(world, run->kind, row) ? NONE : slot[held];
}

bool sn_hierarchy_has_pins(const sn_store *store)
{
    return store->pool[SN_KIND_PIN]->ids.live || store->pool[SN_KIND_ATTACHMENT]->ids.live;
}

void sn_hierarchy_note_pinned(sn_limits_base *base, const sn_store *store, const uint32_t *slot, uint32_t slots,
                              const sn_vec4 *x, bool (*breaks)(const void *world, uint32_t kind, uint32_t row),
                              const void *world)
{
    bool *pinned = base->pinned_table.column[0], some = false, second;
    const uint32_t runs = slots && sn_hierarchy_has_pins(store) ? store->run_table.count : 0;
    if (runs)
        memset(pinned, 0, slots * sizeof *pinned);
    for (uint32_t r = 0; r < runs; ++r)
        for (uint32_t i = 0; i < store->run[r].count; ++i) {
            if (store->run[r].kind != SN_KIND_PIN && store->run[r].kind != SN_KIND_ATTACHMENT)
                break;
            const uint32_t held =
                sn_hierarchy_held_by(store, &store->run[r], i, slot, slots, x, breaks, world, &second);
            if (held != NONE)
                some = pinned[held] = true;
        }
    base->pinned_table.count = some ? slots : 0;
}

/* Facts about a mesh that is large enough. */
typedef struct mesh_facts {
    uint32_t first, particles, free, rods;
    uint32_t gives, tets; /* rods with compliance, and tetrahedra */
    double mass;          /* kg, of movable particles */
    double compliance;    /* largest compliance by length, 1/N */
    double length;        /* m, sum of all rods */
    bool breaks, tears, held;
    sn_shell_facts shell;
} mesh_facts;

/* The next rod between two particles of the plan, in the order of addition. */
typedef struct rod_walk {
    uint32_t next, i; /* next: the run after this one; i: the next constraint of this run */
    const sn_run *run;
    const sn_pool *pool;
    uint32_t row, a, b;
} rod_walk;

/* The next run of rods. */
static bool next_run(const hierarchy_work *w, rod_walk *walk)
{
    const sn_store *store = w->in->store;
    for (walk->i = 0; walk->next < store->run_table.count;) {
        walk->run = &store->run[walk->next++];
        walk->pool = store->pool[walk->run->kind];
        if (walk->run->kind == SN_KIND_DISTANCE || walk->run->kind == SN_KIND_DISTANCE_MAX)
            return true;
    }
    return false;
}

static inline bool next_rod(const hierarchy_work *w, rod_walk *walk)
{
    while (walk->run || walk->next == 0) {
        for (uint32_t count = walk->run ? walk->run->count : 0; walk->i < count;) {
            const sn_pool *pool = walk->pool;
            const uint32_t at = walk->i++, row = walk->run->first + at, *point = pool->point + (size_t)row * 2;
            if (!run_has(pool, walk->run, at) || (point[0] | point[1]) & SN_ANCHOR_BIT ||
                pool->give[row].stiffness != 1)
                continue;
            walk->row = row;
            walk->a = w->in->frame.slot[point[0]];
            walk->b = w->in->frame.slot[point[1]];
            if (walk->a < w->slots && walk->b < w->slots && walk->a != walk->b)
                return true;
        }
        if (!next_run(w, walk))
            break;
    }
    return false;
}

static sn_real rest_of(const rod_walk *walk)
{
    return walk->pool->param[(size_t)walk->row * walk->pool->param_count];
}

/* Joins particles by rods: w->mesh has the lowest slot of the mesh, by slot. */
static void find_meshes(hierarchy_work *w)
{
    w->mesh = (uint32_t *)(void *)w->in->stiffen.room;
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = i;
    for (rod_walk walk = {0}; next_rod(w, &walk);)
        sets_join(w->mesh, walk.a, walk.b);
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = sets_find(w->mesh, i);
}

/* What is solved directly (plan_loops.c) needs no limits: such a mesh gets the size 0. */
static void leave_direct(const hierarchy_work *w, uint32_t *size)
{
    const sn_store *store = w->in->store;
    const sn_visit *tree = w->in->plan->tree;
    uint32_t small[SN_MAX_BLOCK], count;
    for (uint32_t i = 0; i < w->in->plan->tree_table.count; ++i) {
        if (!tree[i].kind) /* it has been removed */
            continue;
        const uint32_t *number = sn_store_particles(store, store->pool[tree[i].kind], tree[i].row, small, &count);
        for (uint32_t k = 0; k < count; ++k)
            if (w->in->frame.slot[number[k]] < w->slots)
                size[w->mesh[w->in->frame.slot[number[k]]]] = 0;
    }
}

/* Numbers the meshes with enough particles; w->mesh then has these numbers. */
static mesh_facts *list_large(hierarchy_work *w, uint32_t *count)
{
    uint32_t *size = w->mesh + w->slots;
    memset(size, 0, w->slots * sizeof *size);
    for (uint32_t i = 0; i < w->slots; ++i)
        size[w->mesh[i]]++;
    leave_direct(w, size);
    *count = 0;
    for (uint32_t i = 0; i < w->slots; ++i) {
        const bool large = w->mesh[i] == i && size[i] >= SN_LEAST_MESH;
        size[i] = large ? (*count)++ : NONE;
    }
    mesh_facts *facts = sn_hierarchy_scratch(w, *count, sizeof *facts);
    for (uint32_t i = 0; i < w->slots && facts; ++i) {
        w->mesh[i] = size[w->mesh[i]];
        if (w->mesh[i] == NONE)
            continue;
        mesh_facts *f = &facts[w->mesh[i]];
        const sn_real inverse = sn_hierarchy_limit_mass(w->in, i);
        f->first = f->particles++ ? f->first : i;
        f->free += inverse > 0;
        f->mass += inverse > 0 ? 1 / (double)inverse : 0;
    }
    return facts;
}

static void look_at_meshes(const hierarchy_work *w, mesh_facts *facts)
{
    const sn_stiffen *s = &w->in->stiffen;
    for (rod_walk walk = {0}; next_rod(w, &walk);) {
        if (w->mesh[walk.a] == NONE)
            continue;
        mesh_facts *f = &facts[w->mesh[walk.a]];
        const double rest = (double)rest_of(&walk);
        const double gives = (double)walk.pool->give[walk.row].compliance / rest;
        f->rods++;
        f->length += rest;
        f->gives += gives > 0;
        f->compliance = gives > f->compliance ? gives : f->compliance;
        f->held = f->held || store_compromise(w->in->store, walk.pool, walk.row);
        f->breaks = f->breaks || (s->breaks && s->breaks(s->world, walk.run->kind, walk.row));
        f->tears = f->tears || (s->tears && s->tears(s->world, walk.run->kind, walk.row));
    }
}

/* Counts the tetrahedra of each mesh. */
static void count_tets(const hierarchy_work *w, mesh_facts *facts)
{
    const sn_pool *pool = w->in->store->pool[SN_KIND_VOLUME];
    for (uint32_t row = 0; row < pool->table.count; ++row) {
        const uint32_t point = pool->point[4 * (size_t)row];
        const bool live = pool->ids.value[row] != SN_ID_FREE && !(point & SN_ANCHOR_BIT);
        const uint32_t slot = live ? w->in->frame.slot[point] : w->slots;
        if (slot < w->slots && w->mesh[slot] != NONE)
            facts[w->mesh[slot]].tets++;
    }
}

/* Under the assumption that a row of particles from one side of the mesh to the other hangs from one rod. */
static bool is_soft(const mesh_facts *f, double most)
{
    return !(f->compliance * f->mass * WEIGHT <= most * sqrt((double)f->free));
}

static bool is_small(const mesh_facts *f)
{
    return f->free < LARGE_MESH && (is_soft(f, SOFT_LOADED) || !hierarchy_braces(f->free, f->rods));
}

/* Limits only pull. In a beam that bends, the rods under compression would be left without. */
static bool is_solid(const hierarchy_work *w, const mesh_facts *f)
{
    return w->in->stiffen.solids && sn_solids_may(f->particles, f->gives, f->tets);
}

/* Pressure may stretch a balloon far more than its weight does: limits took nearly all of it. */
static bool is_balloon(const mesh_facts *f)
{
    return f->shell.flags & SN_SOFT_CLOSED && f->gives == f->rods;
}

/* Limits only pull, and a shell also carries load by compression. If all of its rods have compliance, it gets a
   lattice. */
static bool is_shell(const hierarchy_work *w, const mesh_facts *f)
{
    return w->in->stiffen.solids && f->gives == f->rods && !f->tears &&
           sn_shells_is(&f->shell, f->particles, f->mass, f->length / f->rods);
}

static sn_stiffened choose(const hierarchy_work *w, const mesh_facts *f)
{
    const bool gives = is_soft(f, SOFT) || is_balloon(f) || is_solid(w, f) || is_shell(w, f);
    return f->rods < LEAST_RODS * f->particles ? SN_PLAIN_TREE
           : is_small(f)                       ? SN_PLAIN_SMALL
           : f->held                           ? SN_PLAIN_HELD
           : f->breaks                         ? SN_PLAIN_BREAKS
           : gives                             ? SN_PLAIN_SOFT
                                               : SN_STIFFENED;
}

/* ---- What is attached to meshes ---------------------------------------------------------------------------------- */

/* The next attachment of two particles that is rigid and cannot break. */
typedef struct tie_walk {
    uint32_t run, i;
    uint32_t a, b;
} tie_walk;

static bool next_tie(const hierarchy_work *w, tie_walk *walk)
{
    const sn_store *store = w->in->store;
    const sn_pool *pool = store->pool[SN_KIND_ATTACHMENT];
    const sn_stiffen *s = &w->in->stiffen;
    for (; pool->ids.live && walk->run < store->run_table.count; walk->run++, walk->i = 0) {
        const sn_run *run = &store->run[walk->run];
        while (run->kind == SN_KIND_ATTACHMENT && walk->i < run->count) {
            const uint32_t at = walk->i++, row = run->first + at, *point = pool->point + 2 * (size_t)row;
            if (!run_has(pool, run, at) || (point[0] | point[1]) & SN_ANCHOR_BIT)
                continue;
            walk->a = w->in->frame.slot[point[0]];
            walk->b = w->in->frame.slot[point[1]];
            if (pool->give[row].compliance == 0 && pool->give[row].stiffness == 1 && walk->a < w->slots &&
                walk->b < w->slots && walk->a != walk->b && !store_compromise(store, pool, row) &&
                !(s->breaks && s->breaks(s->world, SN_KIND_ATTACHMENT, row)))
                return true;
        }
    }
    return false;
}

/* By the lowest slot of particles joined by rods: the number of rods that may be in a rope; NONE: it is no rope. */
static uint32_t *find_ropes(const hierarchy_work *w, const uint32_t *of)
{
    const sn_stiffen *s = &w->in->stiffen;
    uint32_t *rods = w->mesh + 3 * (size_t)w->slots, *size = w->mesh + w->slots;
    memset(rods, 0, w->slots * sizeof *rods);
    memset(size, 0, w->slots * sizeof *size);
    for (uint32_t i = 0; i < w->slots; ++i)
        size[of[i]]++;
    for (rod_walk walk = {0}; next_rod(w, &walk);) {
        uint32_t *here = &rods[of[walk.a]];
        const bool weak = walk.pool->give[walk.row].compliance > 0 ||
                          store_compromise(w->in->store, walk.pool, walk.row) ||
                          (s->breaks && s->breaks(s->world, walk.run->kind, walk.row)) ||
                          (s->tears && s->tears(s->world, walk.run->kind, walk.row));
        *here = weak || *here == NONE ? NONE : *here + 1;
    }
    for (uint32_t i = 0; i < w->slots; ++i)
        rods[i] = rods[i] != NONE && rods[i] + 1 == size[i] ? rods[i] : NONE;
    return rods;
}

/* A rigid rope, or a particle, that is attached to a mesh with limits becomes a part of it. Otherwise the particle of
   the mesh, which is light, would follow the rope, and the rods put it back: a rope of 5 kg hung half a metre below a
   cloth of 0.3 kg that it was tied to. of: by slot, the lowest one that rods join it to. Returns the number of rods
   and attachments that come with it. */
static uint32_t take_ropes(hierarchy_work *w, const uint32_t *of)
{
    uint32_t more = 0, *ropes = NULL;
    for (bool found = true; found;) {
        found = false;
        for (tie_walk tie = {0}; next_tie(w, &tie);) {
            const uint32_t from = w->mesh[tie.a] != NONE ? tie.a : tie.b, to = from == tie.a ? tie.b : tie.a;
            if (w->mesh[from] == NONE || w->mesh[to] != NONE)
                continue;
            ropes = ropes ? ropes : find_ropes(w, of);
            if (ropes[of[to]] == NONE)
                continue;
            more += ropes[of[to]];
            found = true;
            for (uint32_t i = 0; i < w->slots; ++i)
                w->mesh[i] = of[i] == of[to] ? w->mesh[from] : w->mesh[i];
        }
    }
    for (tie_walk tie = {0}; next_tie(w, &tie);)
        more += w->mesh[tie.a] != NONE && w->mesh[tie.a] == w->mesh[tie.b];
    return more;
}

void sn_hierarchy_choose(hierarchy_work *w)
{
    uint32_t count, rods = 0;
    find_meshes(w);
    uint32_t *of = w->mesh + 2 * (size_t)w->slots;
    memcpy(of, w->mesh, w->slots * sizeof *of);
    mesh_facts *facts = w->failed ? NULL : list_large(w, &count);
    if (w->failed)
        return;
    sn_shell_facts *shell = sn_hierarchy_scratch(w, count, sizeof *shell);
    if (w->failed)
        return;
    sn_shells_look(w->in, w->mesh, w->slots, shell);
    for (uint32_t m = 0; m < count; ++m)
        facts[m].shell = shell[m];
    look_at_meshes(w, facts);
    count_tets(w, facts);
    for (uint32_t m = 0; m < count; ++m) {
        const sn_stiffened choice = choose(w, &facts[m]);
        w->h->by_mass = w->h->by_mass || choice != SN_PLAIN_TREE;
        const bool chosen = choice == SN_STIFFENED && sn_hierarchy_grow(w, &w->h->mesh_table, 1);
        if (chosen) {
            w->h->mesh[w->h->mesh_table.count - 1] = (sn_hierarchy_mesh){.first = facts[m].first};
            rods += facts[m].rods;
        }
        const bool told = !chosen && facts[m].particles >= LARGE_MESH;
        w->h->count[choice] += told; /* chosen meshes are counted later, when their limits are known */
        w->h->particles[choice] += told ? facts[m].particles : 0;
        facts[m].first = chosen ? w->h->mesh_table.count - 1 : NONE;
    }
    if (w->failed || !rods)
        return;
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = w->mesh[i] == NONE ? NONE : facts[w->mesh[i]].first;
    rods += take_ropes(w, of);
    sn_limits_base *base = w->in->stiffen.base;
    w->failed = !sn_table_reserve(&base->rod_table, w->allocator, rods);
    sn_mesh_rod *rod = base->rod_table.column[0];
    for (rod_walk walk = {0}; !w->failed && next_rod(w, &walk);)
        if (w->mesh[walk.a] != NONE)
            rod[w->rods++] = (sn_mesh_rod){walk.a, walk.b, rest_of(&walk)};
    for (tie_walk tie = {0}; !w->failed && next_tie(w, &tie);)
        if (w->mesh[tie.a] != NONE && w->mesh[tie.a] == w->mesh[tie.b])
            rod[w->rods++] = (sn_mesh_rod){tie.a, tie.b, SN_TIE_REST};
    base->rod_table.count = w->rods;
    w->rod = rod;
}

void sn_hierarchy_choose_again(hierarchy_work *w)
{
    const sn_limits_base *base = w->in->stiffen.base;
    w->rod = base->rod_table.column[0];
    w->rods = base->rod_table.count;
    w->h->by_mass = true;
    w->mesh = (uint32_t *)(void *)w->in->stiffen.room;
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = i;
    for (uint32_t i = 0; i < w->rods; ++i)
        sets_join(w->mesh, w->rod[i].a, w->rod[i].b);
    uint32_t *number = w->mesh + w->slots; /* by the lowest slot of a mesh; NONE: not joined by rods of the base */
    for (uint32_t i = 0; i < w->slots; ++i)
        number[i] = NONE;
    for (uint32_t i = 0; i < w->rods; ++i)
        number[sets_find(w->mesh, w->rod[i].a)] = 0;
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i) {
        if (number[i] == NONE || !sn_hierarchy_grow(w, &w->h->mesh_table, 1))
            continue;
        number[i] = w->h->mesh_table.count - 1;
        w->h->mesh[number[i]] = (sn_hierarchy_mesh){.first = i};
    }
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = sets_find(w->mesh, i);
    for (uint32_t i = 0; i < w->slots; ++i)
        w->mesh[i] = number[w->mesh[i]];
}
