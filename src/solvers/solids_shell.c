/* Shells: curved sheets that are stiff against bending, such as a dome of plastic or the roof of a car.

   A sheet of cloth under compression buckles. So the limits of stiff meshes only pull (hierarchy.h), and a lattice
   allows the rods of a sheet only little compression (SHEET_PUSH in solids.c). A shell carries loads by compression.
   With limits, a dome of 3,571 particles snapped through under a fifth of the load of bench/dome.json, which it should
   carry, and was 21 mm off under its own weight. With a lattice that allows compression it is 0.3 mm off in both cases.

   Two criteria distinguish a shell from cloth: its rest angles, which must add up, and the length over which it carries
   its own weight by bending: the stiffness D against the weight of a strip as long as the mesh. A cotton shirt has a
   millionth of the required value, a plastic dome twenty times that value. */
#include "solvers/solids_work.h"

/* The fewest hinges for each particle: a mesh of triangles has three. */
#define LEAST_HINGES 1.5

/* rad: the least sum of rest angles from one side of the mesh to the other. */
#define LEAST_FOLD 0.2

/* The least stiffness of a hinge, N m, by the weight of the mesh times its length. */
#define LEAST_STIFFNESS 0.01

/* m/s^2, for the weight, whatever the present gravity. */
#define WEIGHT 9.81

#define NONE SN_PLAN_NONE

void sn_shells_look(const sn_solver_in *in, const uint32_t *mesh, uint32_t slots, sn_shell_facts *facts)
{
    const sn_pool *pool = in->store->pool[SN_KIND_DIHEDRAL];
    for (uint32_t row = 0; row < pool->table.count; ++row) {
        const uint32_t point = pool->point[4 * (size_t)row];
        const bool live = pool->ids.value[row] != SN_ID_FREE && !(point & SN_ANCHOR_BIT);
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
