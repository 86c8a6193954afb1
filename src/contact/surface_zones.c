/* Zones of the guard: vertices that are stopped together, and the motion that they then have in common.

   Pairs that touch join their vertices. A zone moves as something rigid that has the momentum of its vertices, linear
   and angular:

       way of x:   d + w × (x - c),    c = Σ m x / M,  d = Σ m way / M,  I w = Σ m (x - c) × way,

   and the same of velocities. On the straight ways from x to x + t (d + w × (x - c)) nothing in it touches anything,
   as 1 + t [w]× is invertible (its determinant is 1 + t^2 w^2), and distances become no shorter. Of all motions like
   that it is the one nearest to what the vertices did, by mass: kinetic energy does not rise. (Rigid impact zones:
   Provot 1997, Bridson, Fedkiw and Anderson 2002.)

   If something in a zone touches even then, by what numbers round, the zone stays where it is in this substep, and
   keeps its momentum. A zone that touches vertices that are kinematic, or stand, moves as these do. One that touches a single
   body moves and turns exactly as that does: the motion above is right to first order of the angle only. They belong to
   no zone themselves: what lies on two places of a floor is not joined by that. Dynamic bodies are members of zones, as
   vertices are: surface_members.c. */
#include "contact/surface_contacts.h"
#include "contact/surface_shells.h"
#include "contact/surface_zones.h"

#include "base/math.h"
#include "bodies/rotation.h"
#include "world/world.h"

#include <string.h>

#define FLAT 1e-9 /* of the trace of the inertia: about lines and points nothing turns */

static sn_surface_zone *zones(const sn_surfaces *s)
{
    return s->zone_table.column[0];
}

bool sn_surface_is_kinematic(const sn_world *world, const sn_surfaces *s, uint32_t vertex)
{
    (void)world;
    return surface_motions(s)[vertex].kinematic && !sn_surface_member_of(s, vertex);
}

void sn_surface_zones_clear(sn_surfaces *s)
{
    s->zone_table.count = 0;
    s->kinematic_table.count = 0;
}

/* Zones are numbered by one of their vertices. */
static uint32_t root_of(const sn_surfaces *s, uint32_t vertex)
{
    sn_surface_zone *zone = zones(s);
    while (zone[vertex].parent != vertex) {
        zone[vertex].parent = zone[zone[vertex].parent].parent;
        vertex = zone[vertex].parent;
    }
    return vertex;
}

/* By which number: of a vertex its own, of a body that of its first shell behind all vertices. */
static uint32_t number_of(const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_shell *shell = sn_surface_shell_of(s, vertex);
    return shell ? s->vertex_table.count + shell->first : vertex;
}

/* Room is made when features are. */
static void begin(sn_surfaces *s)
{
    if (s->zone_table.count)
        return;
    s->zone_table.count = s->vertex_table.count + s->shell_table.count;
    for (uint32_t i = 0; i < s->zone_table.count; ++i)
        zones(s)[i] = (sn_surface_zone){.parent = i};
}

static bool add_kinematic(sn_world *world, sn_surfaces *s, uint32_t zone, uint32_t vertex)
{
    sn_surface_kinematic *kinematic = s->kinematic_table.column[0];
    for (uint32_t i = s->kinematic_table.count; i > 0; --i)
        if (kinematic[i - 1].vertex == vertex && root_of(s, kinematic[i - 1].zone) == root_of(s, zone))
            return false;
    if (!sn_table_reserve(&s->kinematic_table, &world->allocator, (uint64_t)s->kinematic_table.count + 1)) {
        s->zones_failed = true;
        return false;
    }
    kinematic = s->kinematic_table.column[0];
    kinematic[s->kinematic_table.count++] = (sn_surface_kinematic){zone, vertex};
    return true;
}

bool sn_surface_zones_join(sn_world *world, sn_surfaces *s, const sn_surface_candidate *c)
{
    uint32_t free = SN_SURFACE_NONE;
    bool news = false;
    begin(s);
    for (uint32_t k = 0; k < 4; ++k) {
        if (sn_surface_is_kinematic(world, s, c->vertex[k]))
            continue;
        const uint32_t number = number_of(s, c->vertex[k]);
        const uint32_t root = root_of(s, number), with = free == SN_SURFACE_NONE ? root : root_of(s, free);
        news = news || root != with;
        zones(s)[root].still = zones(s)[with].still = zones(s)[root].still || zones(s)[with].still;
        zones(s)[root > with ? root : with].parent = root > with ? with : root;
        free = number;
    }
    for (uint32_t k = 0; free != SN_SURFACE_NONE && k < 4; ++k)
        if (sn_surface_is_kinematic(world, s, c->vertex[k]))
            news = add_kinematic(world, s, free, c->vertex[k]) || news;
    return news;
}

/* A static or kinematic vertex that moves would go on into what is held. */
static bool is_driven(const sn_world *world, const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_motion *m = &surface_motions(s)[vertex];
    return sn_surface_is_kinematic(world, s, vertex) &&
           (m->end.x != m->start.x || m->end.y != m->start.y || m->end.z != m->start.z);
}

bool sn_surface_zones_hold(sn_world *world, sn_surfaces *s, const sn_surface_candidate *c)
{
    bool news = false;
    for (uint32_t k = 0; k < 4; ++k)
        if (is_driven(world, s, c->vertex[k]))
            return false;
    for (uint32_t k = 0; k < 4; ++k) {
        if (sn_surface_is_kinematic(world, s, c->vertex[k]))
            continue;
        sn_surface_zone *zone = &zones(s)[root_of(s, number_of(s, c->vertex[k]))];
        news = news || !zone->still;
        zone->still = true;
    }
    return news;
}

bool sn_surface_zone_hold(const sn_world *world, sn_surfaces *s, uint32_t number)
{
    const sn_surface_kinematic *kinematic = s->kinematic_table.column[0];
    sn_surface_zone *zone = &zones(s)[root_of(s, number)];
    for (uint32_t i = 0; i < s->kinematic_table.count; ++i)
        if (is_driven(world, s, kinematic[i].vertex) && root_of(s, kinematic[i].zone) == root_of(s, number))
            return false;
    const bool news = !zone->still;
    zone->still = true;
    return news;
}

/* ---- How they move
   ------------------------------------------------------------------------------------------------------------- */

static void add_mass(sn_surface_zone *z, double mass, sn_dvec3 x, sn_dvec3 displacement, sn_dvec3 velocity)
{
    z->mass += mass;
    z->centre = dvec3_add(z->centre, dvec3_scale(x, mass));
    z->displacement = dvec3_add(z->displacement, dvec3_scale(displacement, mass));
    z->velocity = dvec3_add(z->velocity, dvec3_scale(velocity, mass));
}

static void add_turn(sn_surface_zone *z, double mass, sn_dvec3 x, sn_dvec3 displacement, sn_dvec3 velocity)
{
    const sn_dvec3 y = dvec3_sub(x, z->centre);
    const double square = dvec3_dot(y, y);
    z->turn = dvec3_add(z->turn, dvec3_scale(dvec3_cross(y, displacement), mass));
    z->spin = dvec3_add(z->spin, dvec3_scale(dvec3_cross(y, velocity), mass));
    const double inertia[6] = {square - y.x * y.x, square - y.y * y.y, square - y.z * y.z,
                               -y.x * y.y,         -y.y * y.z,         -y.z * y.x};
    for (int k = 0; k < 6; ++k)
        z->inertia[k] += mass * inertia[k];
}

/* Solves I w = l. A little is added to I, so that there is a solution for lines and points: their l has nothing where
   that matters. */
static sn_dvec3 solve(const double i[6], sn_dvec3 l)
{
    const double more = FLAT * (i[0] + i[1] + i[2]), a = i[0] + more, b = i[1] + more, c = i[2] + more, d = i[3],
                 e = i[4], f = i[5];
    const double xx = b * c - e * e, xy = e * f - d * c, xz = d * e - b * f, yy = a * c - f * f, yz = d * f - a * e,
                 zz = a * b - d * d, det = a * xx + d * xy + f * xz;
    if (!(det > 0))
        return (sn_dvec3){0, 0, 0};
    return dvec3_scale(
        (sn_dvec3){xx * l.x + xy * l.y + xz * l.z, xy * l.x + yy * l.y + yz * l.z, xz * l.x + yz * l.y + zz * l.z},
        1 / det);
}

/* Of vertices that were stopped, or, in zones that touch such, of those that are led. */
static void sum_up(const sn_world *world, sn_surfaces *s, double h,
                   void (*add)(sn_surface_zone *, double, sn_dvec3, sn_dvec3, sn_dvec3))
{
    const sn_surface_kinematic *kinematic = s->kinematic_table.column[0];
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_motion *m = &surface_motions(s)[i];
        const uint32_t slot = surface_vertices(s)[i].slot;
        if (m->next == 1 || zones(s)[root_of(s, i)].kinematic)
            continue;
        add(&zones(s)[root_of(s, i)], 1 / (double)world->particles.x[slot].w, dvec3_from(m->start),
            dvec3_sub(dvec3_from(vec4_xyz(world->particles.x[slot])), dvec3_from(m->start)),
            dvec3_from(vec4_xyz(world->particles.v[slot])));
    }
    for (uint32_t i = 0; i < s->kinematic_table.count; ++i) {
        const sn_surface_motion *m = &surface_motions(s)[kinematic[i].vertex];
        const sn_dvec3 displacement = dvec3_sub(dvec3_from(m->end), dvec3_from(m->start));
        add(&zones(s)[root_of(s, kinematic[i].zone)], 1, dvec3_from(m->start), displacement,
            dvec3_scale(displacement, 1 / h));
    }
}

/* The rotation itself, instead of its first order: bodies have it, and what moves with them. */
static void rotate_exactly(sn_surface_zone *z)
{
    if (z->leader) {
        const sn_pose *from = &z->leader->start, *to = &z->leader->end;
        const double a[4] = {(double)to->rotation.x, (double)to->rotation.y, (double)to->rotation.z,
                             (double)to->rotation.w},
                     b[4] = {-(double)from->rotation.x, -(double)from->rotation.y, -(double)from->rotation.z,
                             (double)from->rotation.w};
        sn_rotate_times(a, b, z->q);
        sn_rotate_normalise(z->q);
        z->hub = dvec3_from(from->position);
        z->displacement = dvec3_sub(dvec3_from(to->position), z->hub);
        return;
    }
    const double angle = dvec3_length(z->turn), by = angle > 0 ? math_sin(angle / 2) / angle : 0;
    const double q[4] = {z->turn.x * by, z->turn.y * by, z->turn.z * by, math_cos(angle / 2)};
    memcpy(z->q, q, sizeof q);
    z->hub = z->centre;
}

sn_surface_zone *sn_surface_zone_at(const sn_surfaces *s, uint32_t number)
{
    return &zones(s)[root_of(s, number)];
}

void sn_surface_zone_add_body(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 displacement,
                              sn_dvec3 velocity)
{
    (turn ? add_turn : add_mass)(zone, mass, x, displacement, velocity);
}

/* Of its way, seen from where that begins. */
static sn_dvec3 exact_displacement(const sn_surface_zone *z, sn_vec3 x)
{
    const sn_dvec3 y = dvec3_sub(dvec3_from(x), z->hub);
    double a[3] = {y.x, y.y, y.z};
    sn_rotate_vector(z->q, a, a);
    return dvec3_add(z->displacement, dvec3_sub((sn_dvec3){a[0], a[1], a[2]}, y));
}

sn_vec3 sn_surface_zone_place(const sn_surface_zone *z, sn_vec3 x)
{
    return z->still ? x : dvec3_round(dvec3_add(dvec3_from(x), exact_displacement(z, x)));
}

bool sn_surface_zones_measure(sn_world *world, sn_surfaces *s, sn_real h)
{
    const sn_surface_kinematic *kinematic = s->kinematic_table.column[0];
    if (s->zones_failed) {
        s->zones_failed = false;
        world->contacts.failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces");
        return false;
    }
    for (uint32_t i = 0; i < s->zone_table.count; ++i)
        zones(s)[i] = (sn_surface_zone){.parent = zones(s)[i].parent, .still = zones(s)[i].still, .q = {0, 0, 0, 1}};
    for (uint32_t i = 0; i < s->kinematic_table.count; ++i) {
        sn_surface_zone *z = &zones(s)[root_of(s, kinematic[i].zone)];
        const sn_surface_shell *shell = sn_surface_shell_of(s, kinematic[i].vertex);
        z->leader = shell && (!z->kinematic || sn_surface_shells_are_one(world, z->leader, shell)) ? shell : NULL;
        z->kinematic = true;
    }
    for (uint32_t i = s->vertex_table.count; i < s->zone_table.count; ++i)
        zones(s)[root_of(s, i)].bodies = zones(s)[root_of(s, i)].bodies || root_of(s, i) != i || zones(s)[i].kinematic;
    sum_up(world, s, (double)h, add_mass);
    sn_surface_members_add(world, s, 0);
    for (uint32_t i = 0; i < s->zone_table.count; ++i) {
        sn_surface_zone *z = &zones(s)[i];
        const double share = z->mass > 0 ? 1 / z->mass : 0;
        z->centre = dvec3_scale(z->centre, share);
        z->displacement = dvec3_scale(z->displacement, share);
        z->velocity = dvec3_scale(z->velocity, share);
    }
    sum_up(world, s, (double)h, add_turn);
    sn_surface_members_add(world, s, 1);
    for (uint32_t i = 0; i < s->zone_table.count; ++i) {
        sn_surface_zone *z = &zones(s)[i];
        if (z->mass > 0) {
            z->turn = solve(z->inertia, z->turn);
            z->spin = solve(z->inertia, z->spin);
        }
        if (z->still)
            z->displacement = z->turn = (sn_dvec3){0, 0, 0};
        else if (z->bodies || z->leader)
            rotate_exactly(z);
    }
    return true;
}

sn_vec3 sn_surface_zone_displacement(const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_zone *z = &zones(s)[root_of(s, vertex)];
    if (!z->still && (z->bodies || z->leader))
        return dvec3_round(exact_displacement(z, surface_motions(s)[vertex].start));
    const sn_dvec3 y = dvec3_sub(dvec3_from(surface_motions(s)[vertex].start), z->centre);
    return dvec3_round(dvec3_add(z->displacement, dvec3_cross(z->turn, y)));
}

sn_vec3 sn_surface_zone_velocity(const sn_surfaces *s, uint32_t vertex)
{
    const sn_surface_zone *z = &zones(s)[root_of(s, vertex)];
    const sn_dvec3 y = dvec3_sub(dvec3_from(surface_motions(s)[vertex].start), z->centre);
    return dvec3_round(dvec3_add(z->velocity, dvec3_cross(z->spin, y)));
}

void sn_surface_zones_share(sn_surfaces *s)
{
    for (uint32_t i = 0; i < s->zone_table.count; ++i)
        zones(s)[i].share = 1;
    for (uint32_t i = 0; s->zone_table.count && i < s->vertex_table.count; ++i) {
        sn_surface_zone *zone = &zones(s)[root_of(s, i)];
        const float share = surface_motions(s)[i].share;
        zone->share = share < zone->share ? share : zone->share;
    }
    if (s->zone_table.count)
        sn_surface_members_share(s);
}

float sn_surface_zone_share(const sn_surfaces *s, uint32_t vertex)
{
    return zones(s)[root_of(s, vertex)].share;
}

uint32_t sn_surface_zone_of(const sn_surfaces *s, uint32_t vertex)
{
    return root_of(s, number_of(s, vertex));
}

uint32_t sn_surface_zone_root(const sn_surfaces *s, uint32_t number)
{
    return root_of(s, number);
}

void sn_surface_zone_add(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 velocity)
{
    (turn ? add_turn : add_mass)(zone, mass, x, (sn_dvec3){0, 0, 0}, velocity);
}

void sn_surface_zone_settle(sn_surface_zone *zone, uint32_t turn)
{
    if (!(zone->mass > 0))
        return;
    if (turn) {
        zone->spin = solve(zone->inertia, zone->spin);
        return;
    }
    zone->centre = dvec3_scale(zone->centre, 1 / zone->mass);
    zone->velocity = dvec3_scale(zone->velocity, 1 / zone->mass);
}
