/* Vertices and bodies that the guard stops together: surface_zones.c, surface_members.c. */
#ifndef SN_CONTACT_SURFACE_ZONES_H
#define SN_CONTACT_SURFACE_ZONES_H

#include "contact/surface_shells.h"

/* Vertices and dynamic bodies that the guard stops together: a zone. By the number of one of its vertices, or, behind
   all vertices, of the first shell of a body. Positions and velocities without a remark are those at the start of the
   substep. */
typedef struct sn_surface_zone {
    uint32_t parent;                       /* union-find: another member of the zone; the root numbers the zone */
    bool kinematic;                        /* it touches static or kinematic vertices, */
    const struct sn_surface_shell *leader; /* if all of these are of one body, a shape of that body; otherwise NULL */
    bool bodies;                           /* bodies are members of it */
    bool still;                            /* it does not move in this substep */
    double mass;                           /* kg */
    sn_dvec3 centre;                       /* m */
    sn_dvec3 displacement, turn;
    sn_dvec3 velocity, spin;
    double inertia[6]; /* kg m^2: xx, yy, zz, xy, yz, zx */
    double q[4];       /* the exact rotation, about `hub`: of zones with a leader or with bodies */
    sn_dvec3 hub;      /* m */
    float share;       /* the smallest share of its members */
} sn_surface_zone;

/* A static or kinematic vertex, and the zone that touches it. */
typedef struct sn_surface_kinematic {
    uint32_t zone, vertex;
} sn_surface_kinematic;

/* The pose of a body: its centre, the rounding remainder of that, and its orientation. */
typedef struct sn_surface_stand {
    sn_vec4 x, low;
    double q[4];
} sn_surface_stand;

/* The motion of a dynamic body in a substep, by its first shell; see surface_members.c. */
typedef struct sn_surface_member {
    sn_surface_stand start, end; /* at the start and at the end of the substep */
    uint32_t slot;               /* of its particle */
    bool moves;                  /* it is movable and has no kinematic target */
    sn_vec3 velocity;            /* m/s: at the start of the substep, */
    double momentum[3];          /* angular momentum, as sn_body_state.l */
    float share, next;           /* as in sn_surface_motion */
} sn_surface_member;

/* surface_zones.c. is_led: a vertex is static or kinematic. join: makes the vertices of a candidate one zone; true if
   they were not. */
bool sn_surface_is_kinematic(const struct sn_world *world, const sn_surfaces *s, uint32_t vertex);
void sn_surface_zones_clear(sn_surfaces *s);
bool sn_surface_zones_join(struct sn_world *world, sn_surfaces *s, const sn_surface_candidate *c);

/* Makes the zone of a candidate stay in place. True if it did not. False also if one of the vertices is static or
   kinematic and moves: then nothing is held. */
bool sn_surface_zones_hold(struct sn_world *world, sn_surfaces *s, const sn_surface_candidate *c);

/* The same for a zone by one of its numbers: false also if a static or kinematic vertex that moves drives it. */
bool sn_surface_zone_hold(const struct sn_world *world, sn_surfaces *s, uint32_t number);

/* measure: computes the motions of zones, once all are joined and `next` is known. way, velocity: those of a vertex as
   a part of its zone. */
bool sn_surface_zones_measure(struct sn_world *world, sn_surfaces *s, sn_real h);
sn_vec3 sn_surface_zone_displacement(const sn_surfaces *s, uint32_t vertex);
sn_vec3 sn_surface_zone_velocity(const sn_surfaces *s, uint32_t vertex);

/* share: finds the smallest share of each zone's vertices, once these are known. zone_share: of the zone of a
   vertex. */
void sn_surface_zones_share(sn_surfaces *s);
float sn_surface_zone_share(const sn_surfaces *s, uint32_t vertex);

/* at: the zone of a vertex or body, by its number in zone_table. place: where a position moves with a zone. add_body:
   adds a body to a zone, in two passes as below, without the body's own rotation. */
sn_surface_zone *sn_surface_zone_at(const sn_surfaces *s, uint32_t number);
sn_vec3 sn_surface_zone_place(const sn_surface_zone *zone, sn_vec3 x);
void sn_surface_zone_add_body(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 displacement,
                              sn_dvec3 velocity);

/* surface_members.c: dynamic bodies as members of zones.

   - begin, end: at the start of a substep, and when the guard begins.
   - start: the pose of a shell's body at the start of the substep.
   - of: the body that a vertex is of. NULL: none, or it is not movable.
   - add: adds them to the motions of zones, in two passes as below.
   - move: moves them along their share; stay: all return to where they began. True if one has moved.
   - hold: holds the zones of bodies that would move into other bodies or fixed shapes. *news: some were not held.
     False: lost tasks, or contacts.failed.
   - share: gives zones the smallest share of their bodies.
   - settle: gives them their final velocities. */
void sn_surface_members_begin(const struct sn_world *world, sn_surfaces *s);
void sn_surface_members_end(const struct sn_world *world, sn_surfaces *s);
sn_pose sn_surface_member_start(const sn_surfaces *s, const sn_surface_shell *shell);
sn_surface_member *sn_surface_member_of(const sn_surfaces *s, uint32_t vertex);
void sn_surface_members_add(const struct sn_world *world, sn_surfaces *s, uint32_t turn);
bool sn_surface_members_move(struct sn_world *world, sn_surfaces *s, bool stay);
bool sn_surface_members_hold(struct sn_world *world, sn_surfaces *s, sn_real h, bool *news);
void sn_surface_members_share(sn_surfaces *s);
void sn_surface_members_settle(struct sn_world *world, sn_surfaces *s);

/* The same for the energy of pieces (surface_energy.c), by the first shell of a body.

   - account: kinetic energy at the start and at the end of a substep, and the work of gravity and forces (NULL: none).
   - add: adds a body to the motion of a piece.
   - within: J, kinetic energy of its motion relative to that of the piece.
   - slow: reduces this relative motion to a share. */
bool sn_surface_is_member(const sn_surfaces *s, uint32_t shell);
typedef struct sn_surface_account {
    double mass, before, kinetic, work;
} sn_surface_account;
bool sn_surface_member_account(const struct sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_vec3 *force,
                               sn_surface_account *account);
void sn_surface_member_add(const struct sn_world *world, const sn_surfaces *s, uint32_t shell, sn_surface_zone *zone,
                           uint32_t turn);
double sn_surface_member_within(const struct sn_world *world, const sn_surfaces *s, uint32_t shell,
                                const sn_surface_zone *zone);
void sn_surface_member_slow(struct sn_world *world, const sn_surfaces *s, uint32_t shell, const sn_surface_zone *zone,
                            double share);

/* of: the zone of a vertex. root: of a vertex or body, by its number in zone_table. add: adds a vertex to the motion of
   a zone, in two passes: turn 0 sums masses and momenta, turn 1 inertias and angular momenta. settle: ends a pass. */
uint32_t sn_surface_zone_of(const sn_surfaces *s, uint32_t vertex);
uint32_t sn_surface_zone_root(const sn_surfaces *s, uint32_t number);
void sn_surface_zone_add(sn_surface_zone *zone, uint32_t turn, double mass, sn_dvec3 x, sn_dvec3 velocity);
void sn_surface_zone_settle(sn_surface_zone *zone, uint32_t turn);

#endif
