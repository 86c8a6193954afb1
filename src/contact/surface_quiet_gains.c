/* The energy of surfaces after a substep that was quiet, or partly so: a bound of what vertices gained, on lanes, shows of
   most pieces that they gained nothing. Then they need no exact sums: surface_energy.c. */
#include "contact/particle_contacts.h"
#include "contact/surface_pieces.h"
#include "contact/surface_quiet.h"

#include "world/substep.h"
#include "world/world.h"

#define CLEAR   ((sn_real)1e-5) /* of the energy: see surface_energy.c */
#define CLEARLY ((sn_real)0.9)  /* of that limit */
#define LOST    ((sn_real)4e-6) /* of the parts of a sum: more than its rounding error */

/* J: of an inner particle, as of vertices in wide/quiet.h. */
static double gain_of(const sn_world *world, const sn_surface_mass *m)
{
    const sn_vec4 x = world->particles.x[m->slot];
    const sn_dvec3 v = dvec3_from(vec4_xyz(world->particles.v[m->slot])), before = dvec3_from(m->velocity),
                   displacement = dvec3_sub(dvec3_from(vec4_xyz(x)), dvec3_from(*m->start)),
                   g = dvec3_from(world->state.settings.gravity);
    const double now = dvec3_dot(v, v) / 2,
                 parts = now + dvec3_dot(before, before) / 2 + fabs(dvec3_dot(displacement, g));
    const double gain = now - dvec3_dot(before, before) / 2 - dvec3_dot(displacement, g);
    return x.w > 0 ? (gain + (double)LOST * parts - (double)(CLEARLY * CLEAR) * now) / (double)x.w : 0;
}

/* Sums the energy gains of vertices by piece, including rounding errors. */
static void sum_gains(sn_world *world, sn_surfaces *s)
{
    sn_wide_quiet run = sn_surface_quiet_run(world, s);
    sn_surface_piece *piece = surface_pieces(s);
    run.gravity = world->state.settings.gravity;
    run.share = CLEARLY * CLEAR;
    run.lost = LOST;
    (world->wide ? world->wide->near : &sn_near_scalar)->quiet_gains(&run);
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        piece[i].kinetic = 0;
    for (uint32_t i = 0; i < s->tile_table.count; ++i) {
        const sn_surface_quiet_tile *q = &surface_quiet_tiles(s)[i];
        double sum = 0;
        for (uint32_t k = q->first; k < q->first + q->count; ++k) {
            sum += (double)run.square[k];
            if (q->piece == SN_SURFACE_NONE)
                piece[surface_vertices(s)[surface_quiet_vertex(s, k)].piece].kinetic += (double)run.square[k];
        }
        if (q->piece != SN_SURFACE_NONE)
            piece[q->piece].kinetic += sum;
    }
    for (uint32_t i = s->vertex_table.count; i < surface_masses(s); ++i) {
        const sn_surface_mass m = surface_mass(s, i);
        piece[m.piece].kinetic += gain_of(world, &m);
    }
}

static bool has_forces(const sn_world *world)
{
    return sn_forces_needed(world) || world->state.forces_pending;
}

/* True if no piece can have gained more than is allowed. */
static bool gains_nothing(sn_world *world, sn_surfaces *s)
{
    sum_gains(world, s);
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        if (!(surface_pieces(s)[i].kinetic <= 0))
            return false;
    return true;
}

bool sn_surface_quiet_rests(sn_world *world, bool *lost)
{
    sn_surfaces *s = &world->contacts.surfaces;
    *lost = false;
    if (!s->quiet.held || s->quiet.busy)
        return false;
    if (!has_forces(world) && gains_nothing(world, s)) {
        s->is_stored = false;
        return true;
    }
    *lost = !sn_surface_quiet_fill(world, s);
    return false;
}

void sn_surface_quiet_mark_resting(sn_world *world, sn_surfaces *s)
{
    const uint32_t *parent = s->piece_table.column[1];
    sn_surface_piece *piece = surface_pieces(s);
    if (!s->quiet.held || !s->quiet.busy || has_forces(world))
        return;
    sum_gains(world, s);
    for (uint32_t i = 0; i < s->piece_table.count; ++i) {
        piece[i].rests = parent[i] == i && !piece[i].touches && piece[i].kinetic <= 0;
        piece[i].kinetic = 0;
    }
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        if (parent[i] != i)
            piece[parent[i]].rests = false;
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        surface_piece_root(s, sn_surface_piece_of_shell(s, i))->rests = false;
}
