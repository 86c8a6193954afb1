/* Slings: heavy particles that hang from light ones.

   A sweep shortens a rod by moving its light end, and what holds that end puts it back afterwards. So 5 kg on a particle
   of a gram sank by g h^2 times 5,000 in every substep: a cloth of 20 by 20 particles had rods 160 % too long where a
   ball of 5 kg hung from it. The tether of the ball helps only where it pulls along it.

   The light end cannot leave its two tethers: it stays within two balls around immovable particles. So the heavy end is
   at most as far from where these intersect as the rod is long. That depends on nothing that is light and trembles, and
   what is held by immovable particles to a convex set gains no energy. In place of a rod there may be a rope of light
   particles, each of which has only two rods. (Moving the heavy end to where the light one happens to be threw it up by
   its own height.) tiled_mend.c holds slings, at the end of a pass. */
#include "solvers/hierarchy_work.h"

#include <math.h>

#define NONE SN_PLAN_NONE

/* A particle with less than this part of the mean inverse mass of its mesh is heavy: it is held at any distance from
   immovable particles, as is the one that it hangs from. It has no limits with others: it would be the centroid of its
   aggregate. */
#define HEAVY 0.03

#define FEW 16u /* slings */

/* The particle at the end of a rope that begins with an edge of `from`: the first with more or fewer than two edges, or
   that is immovable or heavy. *most: the length of the rope, m; infinite: it is torn. */
static uint32_t end_of_rope(const hierarchy_work *w, uint32_t from, uint32_t edge, sn_real *most)
{
    uint32_t before = from, at = w->edge[edge].to;
    *most = w->edge[edge].rest;
    for (uint32_t links = 0; links < w->slots; ++links) {
        const uint32_t first = w->start[at];
        if (w->tears.torn && w->tears.torn[at])
            *most = (sn_real)INFINITY;
        if (at == from || w->held[at] == HIERARCHY_HEAVY || !(w->w[at] > 0) || w->start[at + 1] - first != 2)
            return at;
        const hierarchy_edge *next = &w->edge[w->edge[first].to == before ? first + 1 : first];
        before = at;
        at = next->to;
        *most += next->rest;
    }
    return from;
}

static void find_heavy(hierarchy_work *w)
{
    const uint32_t meshes = w->h->mesh_table.count;
    double *sum = sn_hierarchy_scratch(w, meshes, sizeof *sum);
    uint32_t *count = sn_hierarchy_scratch(w, meshes, sizeof *count);
    w->held = sn_hierarchy_scratch(w, w->slots, sizeof *w->held);
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i)
        if (w->mesh[i] != NONE && w->w[i] > 0) {
            sum[w->mesh[i]] += (double)w->w[i];
            count[w->mesh[i]]++;
        }
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i)
        if (w->mesh[i] != NONE && w->w[i] > 0 && (double)w->w[i] * count[w->mesh[i]] <= HEAVY * sum[w->mesh[i]])
            w->held[i] = HIERARCHY_HEAVY;
}

void sn_hierarchy_find_slings(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    find_heavy(w);
    w->failed = w->failed || !sn_table_reserve(&h->sling_table, w->allocator, FEW); /* an edit may make some */
    sn_hierarchy_bind(h);
    for (uint32_t i = 0; i < w->slots && !w->failed; ++i)
        for (uint32_t e = w->start[i]; w->held[i] == HIERARCHY_HEAVY && e < w->start[i + 1] && !w->failed; ++e) {
            sn_real most;
            const uint32_t end = end_of_rope(w, i, e, &most);
            if (end == i || w->held[end] == HIERARCHY_HEAVY || !(w->w[end] > 0) ||
                !sn_hierarchy_grow(w, &h->sling_table, 1))
                continue;
            h->sling[h->sling_table.count - 1] =
                (sn_hierarchy_sling){w->mesh[i], end, i, {NONE, NONE}, most * SN_TETHER_SLACK, {0, 0, 0}};
            w->held[end] = HIERARCHY_BEARS;
        }
}

void sn_hierarchy_tie_slings(hierarchy_work *w)
{
    sn_hierarchy *h = w->h;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->sling_table.count; ++i) {
        sn_hierarchy_sling sling = h->sling[i];
        for (uint32_t k = 0; k < w->tether_visits[sling.light]; ++k)
            sling.tether[k] = w->tether_visit[SN_TETHER_GROUPS * sling.light + k].tether;
        if (sling.tether[0] != NONE && sling.tether[1] != NONE)
            h->sling[kept++] = sling;
    }
    h->sling_table.count = kept;
}

void sn_hierarchy_free_slings(hierarchy_work *w)
{
    for (uint32_t i = 0; i < w->h->sling_table.count; ++i) {
        sn_hierarchy_sling *sling = &w->h->sling[i];
        for (uint32_t e = w->start[sling->heavy]; e < w->start[sling->heavy + 1]; ++e) {
            sn_real most;
            const bool same = end_of_rope(w, sling->heavy, e, &most) == sling->light;
            if (w->tears.torn[sling->heavy] || (same && !isfinite(most)))
                sling->most = (sn_real)INFINITY;
        }
    }
}
