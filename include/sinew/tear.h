/* Tearing and cutting of cloth, ropes and nets.

   Two kinds of things tear. A *skin* (contact.h) tears at its vertices. If a rod between two of them is longer, or
   pulls more, than its strength allows, one of the two becomes two particles, and the triangles around it part along
   a plane across the rod. No triangle is lost, and triangles that share an edge still do unless the tear runs along
   it. A *run of constraints*, such as the links of a rope or the threads of a net, tears constraint by constraint: a
   constraint above its strength is removed.

   What follows, in the same call: the mass of a vertex is divided by the areas of the triangles on each side. The
   parts sum to the old mass to the last bit, and keep its velocity: mass, momentum and angular momentum are kept. New
   particles have the radius, group, user number, kinematic target and place in the rest shape of the old one, and are
   held if it was held (immovable, or by a pin). A constraint goes to the side of its other particles and keeps its
   handle. A rod along the tear is doubled, each copy half as stiff. Bending across the tear, and everything else that
   would span it, is removed, and its stored energy is reported. No energy is added. Handles of everything that
   remains stay valid. Skins keep their handles and the order of their triangles.

   When: at the end of a successful step, as constraints break (joints.h). A vertex next to one that has just been
   split waits for the next step, so a tear runs by one edge per step. At most SN_TEARS_A_STEP vertices are split in a
   step, those under the greatest strain first. The result does not depend on threads, SIMD or addresses. The cost
   grows with the number of tears.

   Held vertices (immovable, pinned, or with a kinematic target), centres of bodies, and vertices of more than 64
   triangles or 256 constraints are not split by strain. The other end of the rod is split instead. docs/tearing.md
   has the derivations and pictures. */
#ifndef SINEW_TEAR_H
#define SINEW_TEAR_H

#include <sinew/contact.h>
#include <sinew/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Strength -------------------------------------------------------------------------------- */

#define SN_TEARS_A_STEP 1024u

/* The strength of a rod. Rods are constraints of the kinds distance, distance_max, distance_band and spring. */
typedef struct sn_tear_def {
    sn_real strain; /* it tears when it is longer than (1 + strain) times its rest (or most) length; 0: no limit;
                       default 0 */
    sn_real force; /* N: it tears when it pulls with more than this, in the last substep of a step; 0: no limit; default
                      0 */
    sn_real spread;  /* 0 to 0.9: strengths differ from rod to rod, by factors of 1 - spread to 1 + spread; default 0 */
    uint32_t seed;   /* of these random factors */
    sn_real fatigue; /* 0 to 1: the share of its strength that a rod loses when it is loaded up to it and unloaded
                        again. A load of the part r of its strength costs r^4 of that. Default 0: no loss */
} sn_tear_def;

SN_API sn_tear_def sn_default_tear_def(void);

/* How a skin tears, from the next step on; NULL: it does not, the default. Refused: a strain, force, spread or
   fatigue that is negative, not finite or out of range, and a def in which neither strain nor force is given. */
SN_API sn_result sn_skin_set_tear(sn_world *world, sn_skin skin, const sn_tear_def *def);

/* Reads it; all 0 if the skin does not tear. */
SN_API sn_result sn_skin_read_tear(const sn_world *world, sn_skin skin, sn_tear_def *def);

/* Tells that a skin is around a lattice: a solid of particles with rods between neighbours, which has no tetrahedra
   (constraints of the kind volume). A cell has eight corners, as particle numbers, the next cell follows. Bits 0, 1, 2
   of a corner's place in the list are its place along x, y, z. Cells exert no force. The solid tears and is cut along
   the faces between them, and rods inside tear as rods of the skin do. These cells replace earlier ones of the skin; 0
   removes them. A cell goes with its particles, and with the skin. Refused: particles that do not exist, and one that
   is two corners of a cell. */
SN_API sn_result sn_skin_set_cells(sn_world *world, sn_skin skin, const uint32_t *index, uint32_t count);

/* How the constraints of a run tear: by force, as with sn_constraint_set_strength, and by strain, which only rods
   have. A constraint without a strength of its own that joins both ends of a torn rod, or spans it (bending of a rope
   at the link), is removed with it. NULL removes all strengths. Refused as above; also strain for kinds that are not
   rods, and a stale run. */
SN_API sn_result sn_constraints_set_tear(sn_world *world, sn_constraints run, const sn_tear_def *def);

/* The strength of one of these now, with its random factor and its wear applied (and 0 as its spread); all 0 if
   sn_constraints_set_tear never set one. */
SN_API sn_result sn_constraint_read_tear(const sn_world *world, sn_constraint constraint, sn_tear_def *def);

/* ---- Cutting --------------------------------------------------------------------------------- */

typedef enum sn_blade {
    SN_BLADE_SEGMENT =
        0,             /* the surface that the segment from a to b sweeps when its ends go straight to to_a and to_b */
    SN_BLADE_TRIANGLE, /* the triangle a, b, to_a */
    SN_BLADE_PLANE     /* the plane through a across b, which is its normal */
} sn_blade;

typedef struct sn_cut_def {
    sn_blade blade;
    sn_vec3 a, b, to_a, to_b; /* m; of a plane b is a direction */
    bool one_group;           /* only particles of `group` are cut; default false */
    uint32_t group;
    bool edges_only; /* skins are parted along their edges, at the vertices nearest to the blade, and no vertex is
                        inserted; default false */
} sn_cut_def;

SN_API sn_cut_def sn_default_cut_def(void);

/* What a cut did. */
typedef struct sn_cut_info {
    uint32_t inserted; /* vertices that were inserted on edges of skins */
    uint32_t split;    /* particles that were made by splitting vertices */
    uint32_t removed;  /* constraints that were removed */
    uint32_t left;     /* particles that left a group of shape matching, with others or alone */
    sn_real released;  /* J: elastic energy that was stored in these */
} sn_cut_info;

/* Cuts everything that the blade touches, at once. A blade that touches nothing changes nothing, and all of info is
   0. info may be NULL.

   A segment may be moved on by one cut after another, with steps between them: where a cut begins where an earlier one
   ended, in the 64 steps before, it goes on with that sweep. What moved over the segment since then is cut as well,
   and what only moved along with it is not. The segment may also stand (to_a = a, to_b = b). For that the world
   remembers where segments went, and where its particles were then.

   Rods that belong to no skin are removed.

   Skins are cut through their triangles. If the blade crosses an edge, a vertex is inserted, with mass from both ends,
   so that mass, momentum and angular momentum are kept; rods and bending are divided with the edge. A crossing closer
   to a vertex than a tenth of the edge goes through that vertex instead. The area of a skin does not change. A blade
   that ends inside a triangle cuts up to the edge before it.

   Tetrahedra (constraints of the kind volume) and cells of lattices (sn_skin_set_cells) part along the faces between
   those whose centres are on different sides. The skin around them gets triangles on both sides of each such face, and
   stays closed. Of a skin that collides with itself, a face whose two sides would have no room is not cut.

   Groups of shape matching part between members that are neighbours at rest. When a group is no longer connected,
   parts of four members and more are groups of their own, and the largest keeps the handle. Triangles of skins that no
   group holds whole any more are removed, and the skin is open there. Cut pairs are remembered, so the blade may be
   swept step by step.

   Joints are removed where the blade crosses the line from the centre of one body over the anchors to the centre of
   the other.

   Your tear function is called for every constraint and every vertex that would part. Refused: positions that are not
   finite, a blade or normal without extent, an unknown type. If memory runs out, nothing has changed. */
SN_API sn_result sn_world_cut(sn_world *world, const sn_cut_def *def, sn_cut_info *info);

/* ---- Events ---------------------------------------------------------------------------------- */

typedef enum sn_tear_type {
    SN_TEAR_SPLIT = 0, /* a vertex of a skin became two */
    SN_TEAR_BREAK,     /* a constraint tore, was cut or broke (sn_constraint_set_strength), and was removed */
    SN_TEAR_INSERT,    /* a cut inserted a vertex on an edge */
    SN_TEAR_LEAVE      /* a particle left a group of shape matching */
} sn_tear_type;

typedef struct sn_tear {
    sn_tear_type type;
    bool cut;             /* by sn_world_cut; otherwise by strain or force */
    sn_skin skin;         /* whose vertex it is; null for BREAK */
    sn_particle particle; /* the parent: SPLIT: the vertex that was split; INSERT: one end of the edge; BREAK: null */
    sn_particle other;    /* INSERT: the other end; otherwise null */
    sn_particle made;     /* the new particle; before a tear, and for BREAK, null */
    sn_constraint constraint; /* SPLIT: the rod above its strength, which still exists; BREAK: the constraint that was
                                 removed; INSERT, and SPLIT by a cut: null */
    sn_vec3 place;            /* m: of the vertex, or of the first point of the constraint */
    sn_real strain;           /* of the rod: length / rest - 1; 0 if not known */
    sn_real force;            /* N: of the constraint */
    sn_real released;         /* J: elastic energy of what was removed; 0 before */
    sn_constraint formed;     /* LEAVE: the group that it is a member of now; null: none, and for other events */
} sn_tear;

/* The tears of the last step and of cuts right before it; after that, of cuts since. In the order in which they
   happened. NULL if there are none. Valid until the next step or the next cut. A vertex that becomes several gives an
   event for each, all with the same parent. */
SN_API const sn_tear *sn_world_tears(const sn_world *world, uint32_t *count);

/* A constraint that tears and cuts added: beside a tear a rod becomes two, and a vertex on an edge brings rods. It has
   the user data of its parent. */
typedef struct sn_tear_copy {
    sn_constraint made;   /* stale if it was removed again in the same tear */
    sn_constraint parent; /* the one that it was made like, of the same kind; it may have gone since */
} sn_tear_copy;

/* Those that came with sn_world_tears, in their order; NULL if there are none. Valid as long as these. (New groups of
   shape matching are not among them: they are in SN_TEAR_LEAVE.) */
SN_API const sn_tear_copy *sn_world_tear_copies(const sn_world *world, uint32_t *count);

/* Called before something tears, or is cut. If it returns false, the thing holds, and the function is called again in
   the next step if the load is still too high. Called on the thread that steps or cuts, in a fixed order. It may read
   the world; calls that change it are refused with SN_ERROR_BUSY. Not part of the state. NULL removes it. */
typedef bool sn_tear_fn(void *context, const sn_tear *tear);
SN_API sn_result sn_world_set_tear_function(sn_world *world, sn_tear_fn *function, void *context);

/* ---- Topology, for renderers ----------------------------------------------------------------- */

/* The triangles of a skin: particle numbers, three each. Their order does not change: a tear changes corners, a cut
   appends, and a soft body of shape matching that parts takes some away. *count gets their number. NULL, 0 and an
   error for a bad handle. Valid until the next step or call that changes the world. */
SN_API const uint32_t *sn_skin_triangles(const sn_world *world, sn_skin skin, uint32_t *count);

/* A number that increases whenever a triangle of a skin is added, changed or removed. It is never the same for two
   different topologies of a world, also across sn_world_load. 0 for NULL. */
SN_API uint64_t sn_world_topology(const sn_world *world);

typedef struct sn_topology_change {
    sn_skin skin;
    uint32_t triangle;  /* of the skin; one beyond the last is new */
    uint32_t corner[3]; /* particle numbers, as of that change */
} sn_topology_change;

/* The changes since the topology had that number, in order: applied one after the other they bring a copy up to date.
   *count gets their number. False, with a count of 0, if the changes are not known: they are too long ago, skins were
   added, removed or lost triangles, or a state was loaded. Then read the skins again. Valid as long as
   sn_skin_triangles. */
SN_API bool sn_world_topology_since(const sn_world *world, uint64_t since, const sn_topology_change **change,
                                    uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
