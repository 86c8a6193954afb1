/* Which meshes are shells: curved sheets that are stiff against bending, such as a dome of plastic or the roof of a car.

   A sheet of cloth that is pushed gives way: it buckles. So the limits of stiff meshes only pull (hierarchy.h), and a lattice lets the rods of a sheet push a little only (SHEET_PUSH
   in solids.c). A shell carries loads by pushing. With limits a dome of 3,571 particles snapped through under a fifth of the load of bench/dome.json, which it bears,
   and under its own weight it was 21 mm off. With a lattice whose rods may push it is 0.3 mm off in both.

   It is told from cloth by its folds at rest, which must add up to an angle, and by the length over which it carries its own weight by bending: D against the weight of a strip as long as the
   mesh. A shirt of cotton has a millionth of what is asked, a dome of plastic twenty times as much. */
#include "solvers/solids_work.h"

/* Hinges for each particle, at least: a mesh of triangles has three. */
#define LEAST_HINGES 1.5

/* rad: what hinges are folded by at rest, from one side of the mesh to the other. */
#define LEAST_FOLD 0.2

/* Stiffness of a hinge, N m, by the weight of the mesh times its length. */
#define LEAST_STIFFNESS 0.01

/* m/s^2: the weight is what it is here, whatever gravity is now. */
#define WEIGHT 9.81

#define NONE SN_PLAN_NONE

void sn_shells_look(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, sn_shell_facts *facts)
{
    const sn_pool *pool = in->store->pool[SN_KIND_DIHEDRAL];
    for (uint32_t row = 0; row < pool->table.count; ++row) {
        const uint32_t point = pool->point[4 * (size_t)row];
        const bool live = pool->ids.value[row] != SN_ID_FREE && !(point & SN_SPOT_BIT);
        const uint32_t slot = live ? in->frame.slot[point] : slots;
        if (slot >= slots || mesh[slot] == NONE)
            continue;
        sn_shell_facts *f = &facts[mesh[slot]];
        f->hinges++;
        f->compliance += (double)pool->give[row].compliance;
        f->fold += fabs((double)pool->param[(size_t)row * pool->param_count]);
    }
    sn_solids_mark_closed(in, mesh, slots, &facts->flags, sizeof *facts / sizeof facts->flags);
}

bool sn_shells_is(const sn_shell_facts *f, uint32_t particles, double mass, double length)
{
    const double across = sqrt((double)particles), hinges = (double)f->hinges;
    return !(f->flags & SN_SOFT_CLOSED) && hinges >= LEAST_HINGES * particles &&
           f->fold * across >= LEAST_FOLD * hinges &&
           hinges >= LEAST_STIFFNESS * mass * WEIGHT * length * across * f->compliance;
}

void sn_solids_note_shells(solid_work *w)
{
    sn_solids *s = w->s;
    sn_shell_facts *facts = sn_solids_room(w, s->count, sizeof *facts);
    if (w->failed)
        return;
    sn_shells_look(w->in, w->body, w->slots, facts);
    for (uint32_t i = 0; i < s->count; ++i) {
        sn_soft *solid = &s->solid[i];
        double mass = 0, length = 0;
        for (uint32_t v = solid->vertex; v < solid->vertex + solid->vertices; ++v)
            mass += s->vertex[v].w > 0 ? 1 / (double)s->vertex[v].w : 0;
        for (uint32_t r = solid->rod; r < solid->rod + solid->rods; ++r)
            length += (double)w->rod[r].rest / solid->rods;
        solid->shell = solid->flat && sn_shells_is(&facts[i], solid->vertices, mass, length);
    }
}
