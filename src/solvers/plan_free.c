/* Closed surfaces on which nothing outside acts: see tiled_spin.c, which keeps their angular momentum.

   These are closed surfaces (SN_KIND_SURFACE_VOLUME) all of whose constraints conserve momentum and act only on
   particles of that surface. Whether all particles are movable is checked in each step. */
#include "solvers/plan_work.h"

#include <string.h>

/* In the column `of`, a surface is 1 + its index in plan.many. */
#define NO_SURFACE 0

typedef struct surfaces {
    plan_work *w;
    uint32_t *of; /* by particle: its surface */
    bool *bound;  /* by surface: it is not free */
    bool *pulled; /* by surface: a constraint acts on it besides its volume; without one nothing is to be gained */
} surfaces;

/* Marks the particles of a surface as its own. A shared particle makes both surfaces bound. */
static void claim(surfaces *s, uint32_t surface, const uint32_t *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *of = &s->of[number[i]];
        if (*of != NO_SURFACE && *of != surface)
            s->bound[*of] = s->bound[surface] = true;
        *of = surface;
    }
}

/* Marks the surfaces of a constraint: as pulled if it conserves momentum and all its particles are of one surface, else
   as bound. */
static void bind(surfaces *s, const sn_kind *kind, const uint32_t *number, uint32_t count)
{
    bool one = kind->internal;
    for (uint32_t i = 1; i < count; ++i)
        one = one && s->of[number[i]] == s->of[number[0]];
    for (uint32_t i = 0; i < count; ++i)
        (one ? s->pulled : s->bound)[s->of[number[i]]] = true;
}

static bool is_surface(sn_visit visit)
{
    return visit.kind == SN_KIND_SURFACE_VOLUME;
}

static void list_free(surfaces *s, const sn_visit *many, uint32_t count)
{
    uint32_t small[SN_MAX_BLOCK], points;
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_surface(many[i]) || s->bound[i + 1] || !s->pulled[i + 1])
            continue;
        uint32_t *free = sn_plan_grow(s->w, &s->w->plan->free_table, 1);
        if (!free)
            return;
        *free = i;
        const uint32_t *number =
            sn_store_particles(s->w->store, s->w->store->pool[many[i].kind], many[i].row, small, &points);
        for (uint32_t k = 0; k < points; ++k) /* so that edits of their constraints and masses are noticed */
            s->w->tree_like[number[k]] = true;
    }
}

void sn_plan_free_surfaces(plan_work *w)
{
    const sn_visit *many = w->plan->many_table.column[0];
    const uint32_t count = w->plan->many_table.count;
    uint32_t small[SN_MAX_BLOCK], points;
    bool any = false;
    for (uint32_t i = 0; i < count && !any; ++i)
        any = is_surface(many[i]);
    if (!any)
        return;
    surfaces s = {.w = w,
                  .of = sn_plan_scratch(w, w->particles->numbers, sizeof *s.of),
                  .bound = sn_plan_scratch(w, (size_t)count + 1, sizeof *s.bound),
                  .pulled = sn_plan_scratch(w, (size_t)count + 1, sizeof *s.pulled)};
    if (w->failed)
        return;
    memset(s.of, 0, w->particles->numbers * sizeof *s.of);
    memset(s.bound, 0, ((size_t)count + 1) * sizeof *s.bound);
    memset(s.pulled, 0, ((size_t)count + 1) * sizeof *s.pulled);
    for (int claims = 1; claims >= 0; --claims) /* first the particles of all surfaces, then the constraints on them */
        for (uint32_t i = 0; i < count; ++i) {
            const sn_pool *pool = w->store->pool[many[i].kind];
            const uint32_t *number = sn_store_particles(w->store, pool, many[i].row, small, &points);
            if (!claims && !is_surface(many[i]))
                bind(&s, pool->kind, number, points);
            else if (is_surface(many[i]))
                claim(&s, i + 1, number, points);
        }
    for (uint32_t i = 0; i < w->items; ++i)
        bind(&s, w->store->pool[w->item[i].kind]->kind, w->particle + w->item[i].first, w->item[i].count);
    list_free(&s, many, count);
}
