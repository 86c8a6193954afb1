/* Tearing and cutting: cloth, ropes and nets come apart, and everything follows.

   Two kinds of things tear. A *skin* (contact.h) tears at its vertices: where a rod between two of them is longer, or pulls more, than it
   can bear, one of the two becomes two particles, and the triangles around it part along a plane across the rod. No triangle is lost, and
   triangles that share an edge still do unless the tear runs along it. A *run of constraints*, such as the links of a rope or the threads of a
   net, tears constraint by constraint: what gives way is removed.

   What follows, in the same call: the mass of a vertex is shared out by the areas of the triangles on each side, so that the masses sum to what it was to
   the last bit, and all of them move as it did: mass, momentum and angular momentum are kept. New particles have the radius, group, user
   number, kinematic target and place in the rest shape of the one that they came from, and are held where it was held (immovable, or by a pin). A
   constraint goes to the side that its other particles are on and keeps its handle; a rod along the tear is there twice, each half as
   stiff; bending across the tear, and what else would span it, is removed, and the energy that was stored in it is told. No energy is gained. Handles of what is left stay
   valid. Skins keep their handles and the order of their triangles.

   When: at the end of a step that succeeded, as constraints break (joints.h). A vertex next to one that has just been split waits for the next
   step, so a tear runs at one edge a step. At most SN_TEARS_A_STEP vertices are split in a step, those under the greatest strain first.
   The result does not depend on threads, SIMD or addresses. Tearing costs what tears: the plan of the solver, skins and snapshots follow.

   Held vertices (immovable, pinned, or with a kinematic target), centres of bodies, and vertices of more than 64 triangles or 256
   constraints are not split by strain; the other end of the rod is. docs/tearing.md has the derivations and pictures. */
#ifndef SINEW_TEAR_H
#define SINEW_TEAR_H

#include <sinew/contact.h>
#include <sinew/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Strength ------------------------------------------------------------------------------------------------------- */

#define SN_TEARS_A_STEP 1024u

/* What a rod bears. Rods are constraints of the kinds distance, distance_max, distance_band and spring. */
typedef struct sn_tear_def {
    sn_real
        strain; /* it gives way when it is longer than (1 + strain) times its rest (or most) length; 0: never by that; default 0 */
    sn_real
        force; /* N: or when it pulls with more than this, in the last substep of a step; 0: never by that; default 0 */
    sn_real spread; /* 0 to 0.9: strengths differ from rod to rod, by factors of 1 - spread to 1 + spread; default 0 */
    uint32_t seed;  /* of the factors: another seed, another tear */
    sn_real
        fatigue; /* 0 to 1: the share of its strength that a rod loses when it is loaded up to it and let go again; a load of the part r of it costs r^4 of that; default 0: it does not wear */
} sn_tear_def;

SN_API sn_tear_def sn_default_tear_def(void);

/* How a skin tears, from the next step on; NULL: it does not, the default. Refused: a strain, force, spread or fatigue that is negative, not finite or
   out of range, and a def in which neither strain nor force is given. */
SN_API sn_result sn_skin_set_tear(sn_world *world, sn_skin skin, const sn_tear_def *def);

/* Reads it; all 0 if the skin does not tear. */
SN_API sn_result sn_skin_read_tear(const sn_world *world, sn_skin skin, sn_tear_def *def);

/* How the constraints of a run give way: as sn_constraint_set_strength with a force, and by strain, which only rods have. What has no strength of its own
   and holds both ends of a rod that gives way, or spans it (bending of a rope at the link), goes with it. NULL takes all strengths
   away. Refused as above; and strain for kinds that are no rods, and a stale run. */
SN_API sn_result sn_constraints_set_tear(sn_world *world, sn_constraints run, const sn_tear_def *def);

/* What one of these bears now, with spread and wear in it (and 0 as its spread); all 0 if it was never told by sn_constraints_set_tear. */
SN_API sn_result sn_constraint_read_tear(const sn_world *world, sn_constraint constraint, sn_tear_def *def);

/* ---- Cutting -------------------------------------------------------------------------------------------------------- */

typedef enum sn_blade {
    SN_BLADE_SEGMENT = 0, /* what the segment from a to b sweeps over on its straight ways to to_a and to_b */
    SN_BLADE_TRIANGLE,    /* the triangle a, b, to_a */
    SN_BLADE_PLANE        /* the plane through a across b, which is its normal */
} sn_blade;

typedef struct sn_cut_def {
    sn_blade blade;
    sn_vec3 a, b, to_a, to_b; /* m; of a plane b is a direction */
    bool one_group;           /* only what belongs to `group` is cut; default false */
    uint32_t group;
    bool
        edges_only; /* skins are parted along their edges, at the vertices nearest to the blade, and no vertex is inserted; default false */
} sn_cut_def;

SN_API sn_cut_def sn_default_cut_def(void);

/* What a cut did. */
typedef struct sn_cut_info {
    uint32_t inserted; /* vertices of skins that were put on edges */
    uint32_t split;    /* vertices that became two or more: particles made by that */
    uint32_t removed;  /* constraints that are gone */
    sn_real released;  /* J: elastic energy that was stored in these */
} sn_cut_info;

/* Cuts what the blade touches, now: rods that belong to no skin are removed, skins are cut through their triangles, and tetrahedra (constraints of the kind volume) part along the
   faces between those whose middles are on different sides; the skin around them gets two triangles for each such face, and stays closed. Where the blade crosses an edge a vertex is
   inserted, with mass from both ends, so that mass, momentum and angular momentum are kept; its rods and bending are divided with it. A crossing that is nearer to a
   vertex than a tenth of the edge goes through that vertex instead. The area of a skin does not change. A blade that ends inside a triangle cuts up to the edge before.
   A blade that touched nothing changes nothing, and all of info is 0. info may be NULL. The caller's tear function is asked about every constraint and every vertex that is to part.
   Refused: places that are not finite, a blade or normal without extent, an unknown type. Without memory nothing has changed. */
SN_API sn_result sn_world_cut(sn_world *world, const sn_cut_def *def, sn_cut_info *info);

/* ---- Events --------------------------------------------------------------------------------------------------------- */

typedef enum sn_tear_type {
    SN_TEAR_SPLIT = 0, /* a vertex of a skin became two */
    SN_TEAR_BREAK, /* a constraint gave way, or was cut, and is gone; also those that break by sn_constraint_set_strength */
    SN_TEAR_INSERT, /* a cut put a vertex on an edge */
    SN_TEAR_LEAVE   /* a particle left a group of shape matching */
} sn_tear_type;

typedef struct sn_tear {
    sn_tear_type type;
    bool cut;             /* by sn_world_cut; otherwise by strain or force */
    sn_skin skin;         /* whose vertex it is; null for BREAK */
    sn_particle particle; /* the parent: SPLIT: that was one; INSERT: one end of the edge; BREAK: null */
    sn_particle other;    /* INSERT: the other end; otherwise null */
    sn_particle made;     /* the particle that came; before a tear, and for BREAK, null */
    sn_constraint
        constraint; /* that gave way. SPLIT: the rod, which is still there; BREAK: gone; INSERT, and SPLIT by a cut: null */
    sn_vec3 place;        /* m: of the vertex, or of the first point of the constraint */
    sn_real strain;       /* of the rod: length / rest - 1; 0 if not known */
    sn_real force;        /* N: of the constraint */
    sn_real released;     /* J: elastic energy of what was removed; 0 before */
    sn_constraint formed; /* LEAVE: the group that it is a member of now; null: none, and otherwise */
} sn_tear;

/* What came apart in the last step and in cuts right before it, or, after that, in cuts since: in the order in which it happened. NULL if nothing did. The pointer dies with the next step and the
   next cut. A vertex that becomes several gives as many events, all with the same parent. */
SN_API const sn_tear *sn_world_tears(const sn_world *world, uint32_t *count);

/* Asked before something gives way, or is cut: false, and it holds. One that refuses is asked again in the next step if the load is still too much.
   Called on the thread that steps or cuts, in a fixed order. It may read the world; calls that change it are refused with SN_ERROR_BUSY. No part of the state. NULL takes
   it away. */
typedef bool sn_tear_fn(void *context, const sn_tear *tear);
SN_API sn_result sn_world_set_tear_function(sn_world *world, sn_tear_fn *function, void *context);

/* ---- Topology, for renderers ---------------------------------------------------------------------------------------- */

/* The triangles of a skin, particle numbers, three each, in an order that only grows: a tear changes corners, and a cut appends. *count gets how many. NULL, 0 and an error
   for a bad handle. Good until the next step or call that changes the world. */
SN_API const uint32_t *sn_skin_triangles(const sn_world *world, sn_skin skin, uint32_t *count);

/* A number that rises whenever a triangle of a skin changes, comes or goes; never the same for two different topologies of a world, also across
   sn_world_load. 0 for NULL. */
SN_API uint64_t sn_world_topology(const sn_world *world);

typedef struct sn_topology_change {
    sn_skin skin;
    uint32_t triangle;  /* of the skin; one beyond the last is new */
    uint32_t corner[3]; /* particle numbers, as of that change */
} sn_topology_change;

/* The changes since the topology had that number, in order: applied one after the other they bring a copy up to date. *count gets how many. False, with a
   count of 0, if that is not known (any more), because it is too long ago, because skins were added, removed or lost particles, or because a
   state was loaded: then read the skins anew. Good as long as sn_skin_triangles. */
SN_API bool sn_world_topology_since(const sn_world *world, uint64_t since, const sn_topology_change **change,
                                    uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
