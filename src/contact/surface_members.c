/* Dynamic bodies as members of zones (surface_zones.c). A body that touches what the guard stops belongs to the zone,
   as a vertex does, with its mass and its inertia. It keeps a share of what its motion differs from that of the zone:
   its place, its orientation, and both velocities. So both momenta are kept, and kinetic energy does not rise. Bodies
   with a target or without a finite mass lead, as static and kinematic ones do. */
#include "contact/body_work.h"
#include "contact/particle_contacts.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "base/math.h"
#include "bodies/rotation.h"
#include "world/world.h"

#include <string.h>

static sn_surface_shell *shells(const sn_surfaces *s)
{
    return s->shell_table.column[0];
}

static sn_surface_member *members(const sn_surfaces *s)
{
    return s->shell_table.column[1];
}

/* Shells that stand for a body: its first one. */
static bool is_first(const sn_surfaces *s, uint32_t i)
{
    return shells(s)[i].number == SN_SURFACE_NONE && shells(s)[i].first == i;
}

static sn_surface_stand stand_of(const sn_world *world, uint32_t row, uint32_t slot)
{
    sn_surface_stand stand = {.x = world->particles.x[slot], .low = world->particles.x_low[slot]};
    memcpy(stand.q, world->bodies.state[row].q, sizeof stand.q);
    return stand;
}

void sn_surface_members_begin(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        if (!is_first(s, i))
            continue;
        const uint32_t row = shells(s)[i].row, slot = world->ids.value[world->bodies.state[row].particle];
        const sn_body_state *body = &world->bodies.state[row];
        members(s)[i] =
            (sn_surface_member){.slot = slot,
                                .velocity = vec4_xyz(world->particles.v[slot]),
                                .momentum = {body->l[0], body->l[1], body->l[2]},
                                .moves = world->particles.x[slot].w != 0 && !world->particles.target[slot] &&
                                         !world->bodies.state[row].kinematic,
                                .start = stand_of(world, row, slot),
                                .share = 1,
                                .next = 1};
    }
}

void sn_surface_members_end(const sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        if (is_first(s, i))
            members(s)[i].end = stand_of(world, shells(s)[i].row, members(s)[i].slot);
}

sn_pose sn_surface_member_start(const sn_surfaces *s, const sn_surface_shell *shell)
{
    const sn_surface_stand *start = &members(s)[shell->first].start;
    const double *q = start->q;
    return (sn_pose){vec4_xyz(start->x), {(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]}};
}

sn_surface_member *sn_surface_member_of(const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_shell *shell = sn_surface_shell_of(s, vertex);
    if (!shell || shell->number != SN_SURFACE_NONE || !members(s)[shell->first].moves)
        return NULL;
    return &members(s)[shell->first];
}

/* ---- In a zone
   ---------------------------------------------------------------------------------------------------------- */

/* The rotation from one orientation to another, in the world: rad. */
static sn_dvec3 rotation_between(const double from[4], const double to[4])
{
    const double back[4] = {-from[0], -from[1], -from[2], from[3]};
    double d[4];
    sn_rotate_times(to, back, d);
    const double sign = d[3] < 0 ? -1 : 1, sine = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double angle = 2 * math_atan2(sine, sign * d[3]), by = sine > 0 ? sign * angle / sine : 0;
    return (sn_dvec3){d[0] * by, d[1] * by, d[2] * by};
}

/* Turns an orientation about axes of the world by so much (rad). */
static void rotate_by(double q[4], sn_dvec3 angle)
{
    const double length = dvec3_length(angle);
    if (!(length > 0))
        return;
    const double by = math_sin(length / 2) / math_cos(length / 2) / length;
    double a[3] = {angle.x * by, angle.y * by, angle.z * by};
    sn_rotate_vector_back(q, a, a);
    sn_rotate_by(q, a);
}

/* kg m^2: xx, yy, zz, xy, yz, zx, about its centre, in the world. */
static void inertia_of(const sn_body_state *body, const sn_surface_member *m, const double q[4], double inertia[6])
{
    double row[3][3];
    sn_rotate_matrix(q, row);
    for (uint32_t k = 0; k < 6; ++k) {
        const uint32_t a = k % 3, b = k < 3 ? a : (a + 1) % 3;
        inertia[k] = 0;
        for (uint32_t n = 0; n < 3; ++n) {
            const double r = isinf(body->k[n]) ? 0 : body->k[n];
            inertia[k] += row[a][n] * row[b][n] * r * r / (double)m->start.x.w;
        }
    }
}

static sn_dvec3 times(const double i[6], sn_dvec3 a)
{
    return (sn_dvec3){i[0] * a.x + i[3] * a.y + i[5] * a.z, i[3] * a.x + i[1] * a.y + i[4] * a.z,
                      i[5] * a.x + i[4] * a.y + i[2] * a.z};
}

void sn_surface_members_add(const sn_world *world, sn_surfaces *s, uint32_t turn)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_surface_member *m = &members(s)[i];
        if (!is_first(s, i) || m->next == 1)
            continue;
        sn_surface_zone *zone = sn_surface_zone_at(s, s->vertex_table.count + i);
        if (zone->kinematic)
            continue;
        const sn_body_state *body = &world->bodies.state[shells(s)[i].row];
        const double mass = 1 / (double)m->start.x.w;
        const sn_dvec3 x = dvec3_from(vec4_xyz(m->start.x)),
                       displacement = dvec3_sub(dvec3_from(vec4_xyz(m->end.x)), x);
        sn_surface_zone_add_body(zone, turn, mass, x, displacement, dvec3_from(vec4_xyz(world->particles.v[m->slot])));
        if (!turn)
            continue;
        double inertia[6];
        inertia_of(body, m, m->start.q, inertia);
        zone->turn = dvec3_add(zone->turn, times(inertia, rotation_between(m->start.q, m->end.q)));
        zone->spin = dvec3_add(zone->spin, dvec3_scale((sn_dvec3){body->l[0], body->l[1], body->l[2]}, mass));
        for (uint32_t k = 0; k < 6; ++k)
            zone->inertia[k] += inertia[k];
    }
}

/* Between where it goes with its zone, or where it began, and where it would go. */
static void place(sn_world *world, const sn_surface_shell *shell, const sn_surface_member *m,
                  const sn_surface_zone *zone)
{
    sn_body_state *state = &world->bodies.state[shell->row];
    sn_surface_stand at = m->start;
    if (zone) {
        at.x = vec4(sn_surface_zone_place(zone, vec4_xyz(m->start.x)), at.x.w);
        sn_rotate_times(zone->q, m->start.q, at.q);
        sn_rotate_normalise(at.q);
        at.low = vec4(vec3(0, 0, 0), at.low.w);
    }
    if (m->share > 0) {
        const sn_dvec3 from = dvec3_from(vec4_xyz(at.x)), to = dvec3_from(vec4_xyz(m->end.x));
        const sn_dvec3 displacement = dvec3_scale(dvec3_sub(to, from), (double)m->share);
        rotate_by(at.q, dvec3_scale(rotation_between(at.q, m->end.q), (double)m->share));
        at.x = vec4(dvec3_round(dvec3_add(from, displacement)), at.x.w);
        at.low = vec4(vec3(0, 0, 0), at.low.w);
    }
    world->particles.x[m->slot] = at.x;
    world->particles.x_low[m->slot] = at.low;
    memcpy(state->q, at.q, sizeof state->q);
    bodies_turned(&world->bodies, shell->row);
}

bool sn_surface_members_move(sn_world *world, sn_surfaces *s, bool stay)
{
    bool any = false;
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        sn_surface_member *m = &members(s)[i];
        if (!is_first(s, i) || !m->moves || (stay ? !shells(s)[i].near : m->next == 1))
            continue;
        m->share = stay ? 0 : m->next;
        place(world, &shells(s)[i], m, stay ? NULL : sn_surface_zone_at(s, s->vertex_table.count + i));
        any = true;
    }
    return any;
}

bool sn_surface_members_hold(sn_world *world, sn_surfaces *s, sn_real h, bool *news)
{
    bool any = false;
    *news = false;
    if (!world->body_contacts.list_table.count)
        return true;
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        if (is_first(s, i) && members(s)[i].next < 1) {
            contact_flags(world)[shells(s)[i].row] |= SN_ROW_CARRIED;
            any = true;
        }
    if (any && !sn_body_contacts_look_at_paths(world, h))
        return false;
    for (uint32_t i = 0; any && i < s->shell_table.count; ++i) {
        if (!is_first(s, i))
            continue;
        uint8_t *flags = &contact_flags(world)[shells(s)[i].row];
        if ((*flags & (SN_ROW_CARRIED | SN_ROW_BLOCKED)) == (SN_ROW_CARRIED | SN_ROW_BLOCKED))
            *news = sn_surface_zone_hold(world, s, s->vertex_table.count + i) || *news;
        *flags &= (uint8_t) ~(SN_ROW_CARRIED | SN_ROW_BLOCKED);
    }
    return true;
}

void sn_surface_members_share(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i)
        if (is_first(s, i) && members(s)[i].next < 1) {
            sn_surface_zone *zone = sn_surface_zone_at(s, s->vertex_table.count + i);
            zone->share = members(s)[i].share < zone->share ? members(s)[i].share : zone->share;
        }
}

/* Velocities keep a share of what they differ from those of something rigid, at this place. */
static void keep_share(sn_world *world, const sn_surface_shell *shell, const sn_surface_member *m, sn_vec4 x,
                       const sn_surface_zone *zone, double share)
{
    const sn_dvec3 y = dvec3_sub(dvec3_from(vec4_xyz(x)), zone->centre);
    const sn_vec3 base = dvec3_round(dvec3_add(zone->velocity, dvec3_cross(zone->spin, y)));
    const double spin[3] = {zone->spin.x, zone->spin.y, zone->spin.z};
    sn_vec4 *v = &world->particles.v[m->slot];
    sn_body_state *body = &world->bodies.state[shell->row];
    double moment[3], l[3];
    *v = vec4(vec3_add(base, vec3_scale(vec3_sub(vec4_xyz(*v), base), (sn_real)share)), v->w);
    for (uint32_t k = 0; k < 3; ++k)
        moment[k] = isinf(body->k[k]) ? 0 : body->k[k] * body->k[k];
    sn_rotate_momentum(body->q, spin, moment, l);
    for (uint32_t k = 0; k < 3; ++k)
        body->l[k] = l[k] + share * (body->l[k] - l[k]);
    bodies_turned(&world->bodies, shell->row);
    world->particles.v_low[m->slot] = vec4(vec3(0, 0, 0), 0);
    sn_history_forget(&world->history, m->slot);
}

void sn_surface_members_settle(sn_world *world, sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->shell_table.count; ++i) {
        const sn_surface_member *m = &members(s)[i];
        if (!is_first(s, i) || m->next == 1)
            continue;
        const sn_surface_zone *zone = sn_surface_zone_at(s, s->vertex_table.count + i);
        keep_share(world, &shells(s)[i], m, m->start.x, zone, (double)zone->share);
        s->stops++;
    }
}

bool sn_surface_is_member(const sn_surfaces *s, uint32_t shell)
{
    return is_first(s, shell) && members(s)[shell].moves;
}

/* ---- In the books of energy
   ---------------------------------------------------------------------------------------------- */

/* J */
static double energy_of(const sn_body_state *body, const sn_surface_member *m, sn_vec3 velocity, const double q[4],
                        const double l[3])
{
    const sn_dvec3 v = dvec3_from(velocity);
    double inverse[3];
    sn_body_inverse_moments(body, inverse);
    return (dvec3_dot(v, v) / 2 + sn_rotate_energy(q, l, inverse)) / (double)m->start.x.w;
}

bool sn_surface_member_account(const sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_vec3 *force,
                               sn_surface_account *account)
{
    const sn_surface_member *m = &members(s)[shell];
    if (!sn_surface_is_member(s, shell))
        return false;
    const sn_body_state *body = &world->bodies.state[shells(s)[shell].row];
    const sn_vec4 x = world->particles.x[m->slot];
    const sn_dvec3 displacement = dvec3_sub(dvec3_from(vec4_xyz(x)), dvec3_from(vec4_xyz(m->start.x)));
    account->mass = 1 / (double)x.w;
    account->before = energy_of(body, m, m->velocity, m->start.q, m->momentum);
    account->kinetic = energy_of(body, m, vec4_xyz(world->particles.v[m->slot]), body->q, body->l);
    account->work = account->mass * dvec3_dot(displacement, dvec3_from(world->state.settings.gravity)) +
                    (force ? dvec3_dot(displacement, dvec3_from(force[m->slot])) : 0);
    return true;
}

void sn_surface_member_add(const sn_world *world, const sn_surfaces *s, uint32_t shell, sn_surface_zone *zone,
                           uint32_t turn)
{
    const sn_surface_member *m = &members(s)[shell];
    const sn_body_state *body = &world->bodies.state[shells(s)[shell].row];
    const sn_vec4 x = world->particles.x[m->slot];
    const double mass = 1 / (double)x.w;
    sn_surface_zone_add(zone, turn, mass, dvec3_from(vec4_xyz(x)), dvec3_from(vec4_xyz(world->particles.v[m->slot])));
    if (!turn)
        return;
    double inertia[6];
    inertia_of(body, m, body->q, inertia);
    zone->spin = dvec3_add(zone->spin, dvec3_scale((sn_dvec3){body->l[0], body->l[1], body->l[2]}, mass));
    for (uint32_t k = 0; k < 6; ++k)
        zone->inertia[k] += inertia[k];
}

double sn_surface_member_within(const sn_world *world, const sn_surfaces *s, uint32_t shell,
                                const sn_surface_zone *zone)
{
    const sn_surface_member *m = &members(s)[shell];
    const sn_body_state *body = &world->bodies.state[shells(s)[shell].row];
    const sn_dvec3 y = dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[m->slot])), zone->centre);
    const sn_dvec3 base = dvec3_add(zone->velocity, dvec3_cross(zone->spin, y));
    const double spin[3] = {zone->spin.x, zone->spin.y, zone->spin.z};
    double moment[3], l[3];
    for (uint32_t k = 0; k < 3; ++k)
        moment[k] = isinf(body->k[k]) ? 0 : body->k[k] * body->k[k];
    sn_rotate_momentum(body->q, spin, moment, l);
    for (uint32_t k = 0; k < 3; ++k)
        l[k] = body->l[k] - l[k];
    const sn_vec3 v = vec3_sub(vec4_xyz(world->particles.v[m->slot]), dvec3_round(base));
    return energy_of(body, m, v, body->q, l);
}

void sn_surface_member_slow(sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_surface_zone *zone,
                            double share)
{
    const sn_surface_member *m = &members(s)[shell];
    keep_share(world, &shells(s)[shell], m, world->particles.x[m->slot], zone, share);
}
