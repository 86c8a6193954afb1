/* Trees with particles that rest on surfaces, such as a rope over a peg.

   Constraints that are solved without contact pull a light particle under a high load T into the surface, by T theta
   h^2 / m where the rope bends by theta, and contact pushes it out again. When that distance is as large as the one to
   the next particle, the two do not agree any more: a rope over a peg stretched by a quarter under 10,000 times the
   mass of its particles. So the forces of surfaces are part of the equations: see "Supports" in elimination.c. */
#include "solvers/forest_work.h"

/* A tree has supports if its heaviest particle has at least LOADED times the mass of its lightest. This criterion must
   not depend on contact forces: errors of constraints that were solved without contact would be corrected at once, and
   become velocity. */
#define LOADED 8.0

static bool is_loaded(const sn_forest_job *job, const uint32_t *number, const sn_tree *t)
{
    double least = (double)INFINITY, most = 0;
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        const double w = number[i] & SN_TURN_BIT ? 0 : (double)job->frame->x[job->frame->slot[number[i]]].w;
        least = w > 0 && w < least ? w : least;
        most = w > most ? w : most;
    }
    return most >= LOADED * least;
}

bool sn_tree_lean(const sn_trees *w, const sn_forest_job *job, const uint32_t *number, const sn_tree *t)
{
    bool any = false;
    for (uint32_t i = t->node; i < t->node_end; ++i) {
        sn_support *s = &w->supports[i];
        s->normal_force = 0;
        s->slides = s->splits = false;
        s->push = dvec3(0, 0, 0);
        s->acts = s->leans = !(number[i] & SN_TURN_BIT) && !(t->whole && w->whole_of[i]) &&
                             job->lean(job->context, job->frame->slot[number[i]], s);
        any |= s->acts;
    }
    return any && is_loaded(job, number, t);
}

/* Chains only use inverse masses, which here depend on the direction. So a chain ends at particles that rest on a
   surface. */
void sn_tree_split_chains(const sn_trees *w, const sn_tree *t)
{
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        sn_item *it = &w->items[i];
        const uint32_t child = it->chained ? w->node_of[it->mention + 1] : 0;
        if (!it->chained || !w->supports[child].acts)
            continue;
        w->supports[child].splits = true;
        w->inner[child] = it[0].chained = it[1].hanging = false;
    }
}

void sn_tree_join_chains(const sn_trees *w, const sn_tree *t)
{
    for (uint32_t i = t->item; i < t->item_end; ++i) {
        sn_item *it = &w->items[i];
        const uint32_t child = it->is_link ? w->node_of[it->mention + 1] : 0;
        if (it->is_link && child >= t->node && child < t->node_end && w->supports[child].splits) /* not the ground */
            w->inner[child] = it[0].chained = it[1].hanging = true;
    }
}

static void drop(sn_support *s)
{
    s->acts = false;
    s->normal_force = 0;
    s->push = dvec3_scale(s->by_friction, -1);
}

/* Updates the friction. True if static friction does not suffice: it becomes dynamic. */
static bool friction_impulses(sn_support *s, const sn_node *n, bool may)
{
    const sn_dvec3 x = load3(n->u), across = dvec3_sub(x, dvec3_scale(s->normal, dvec3_dot(x, s->normal)));
    const sn_dvec3 all = s->slides ? s->friction : dvec3_sub(s->friction, dvec3_scale(across, SN_SUPPORT_GRIP));
    s->push = dvec3_sub(all, s->by_friction);
    const double much = sqrt(dvec3_dot(all, all));
    if (!may || s->slides || much <= s->static_friction)
        return false;
    s->slides = true;
    s->friction = dvec3_scale(all, s->dynamic_friction / much);
    return true;
}

/* Updates the normal force. True if it would pull: the support is dropped. */
static bool apply_kept(sn_support *s, const sn_node *n, bool may)
{
    s->normal_force = -s->gap - n->w * dvec3_dot(s->normal, load3(n->f));
    if (s->exerted + s->normal_force >= 0)
        return false;
    if (may)
        drop(s);
    else
        s->normal_force = -s->exerted;
    return may;
}

bool sn_tree_solve_supports(const sn_trees *w, const sn_tree *t, bool may)
{
    bool slides = false, pulls = false;
    for (uint32_t i = t->node; i < t->node_end; ++i)
        if (w->supports[i].acts)
            slides |= friction_impulses(&w->supports[i], &w->nodes[i], may);
    for (uint32_t i = t->node; i < t->node_end; ++i)
        if (w->supports[i].acts)
            pulls |= apply_kept(&w->supports[i], &w->nodes[i], may && !slides);
    return slides || pulls;
}

void sn_tree_drop_supports(const sn_trees *w, const sn_tree *t)
{
    for (uint32_t i = t->node; i < t->node_end; ++i)
        drop(&w->supports[i]);
}
