/* Contact of bodies with each other, with particles and with fixed shapes: data and functions of a step. See
   body_solve.c. */
#ifndef SN_CONTACT_BODY_CONTACTS_H
#define SN_CONTACT_BODY_CONTACTS_H

#include "collision/bvh.h"
#include "collision/manifold.h"
#include "wide/wide.h"
#include "contact/skin_contacts.h"

#include <stdatomic.h>

struct sn_world;
struct sn_substep;

#define SN_NO_MOVER UINT32_MAX

/* A mover: a body, or a particle that may touch a body. Scratch. Members that every substep needs are in the first two
   cache lines. */
/* Movers that press on each other; see body_energy.c. Its sums are in the first of them. */
typedef struct sn_mover_island {
    uint32_t parent;
    bool stands, driven;                     /* it touches something static; or what may give it energy */
    double before, after, mass, momentum[3]; /* J, twice; kg; kg m/s */
} sn_mover_island;

typedef struct sn_mover {
    _Alignas(64) uint32_t slot; /* of its particle */
    uint32_t body;              /* its row; SN_ID_FREE: a particle, which does not rotate */
    uint32_t odd;               /* of a body: its axis of symmetry, SN_ALL_ALIKE or SN_NONE_ALIKE */
    sn_real w;                  /* 1/kg */
    double inverse[3]; /* 1/m^2: of a body: the inverse of its moments per unit of mass, along principal axes */

    /* read and written in fours: see SN_MOVER_SIZES */
    sn_real extent; /* m: of a body: the largest distance of a point from its centre */
    sn_real thin;   /* m: of a body: one that moves farther in a substep is fast */
    sn_real free;   /* m: its centre may move this far in any direction, less `turned`. Every loop reads up to here */
    sn_real share;  /* the share of its path in the substep that it moves along */
    sn_real spun;   /* m: largest displacement of its points by rotation in this step */
    sn_real turned; /* m: the same since `sought`, including forces that may still act */
    sn_real displacement; /* m: largest displacement of its points in the substep */
    sn_real carried;      /* see `carrier` */
    sn_vec3 sought;       /* m: of a body: its position when space was searched for it */
    sn_pose from;         /* of a body: at the start of the substep */

    sn_vec4 spin;   /* rad/s: at the start of the pass; w is not used */
    sn_bounds room; /* m: how far its points may move from `sought` before it is searched for again */
    /* 1 + the fixed shape that stopped it in this substep and then carries it along; 0: none. `carried` is the share of
       that shape's path that is over when it begins. */
    uint32_t carrier;
    double energy; /* m^2/s^2: before contact, if some body turns far; negative: contact did not act on it */
    sn_mover_island island;
    sn_vec3 load, load_twist; /* m/s, m^2/s: velocity and angular momentum per unit of mass by what lies on it; see
                                 body_expect.c */
} sn_mover;

/* Marks of a mover: it can be moved; it has a contact; it is in the list of movers; its record is that of the substep
   that begins; it has no contact, but its joints are held in this substep; it rotated so far by other things than its
   angular velocity that its contacts are weighed again. In bytes of their own, because loops over contacts read them
   all. */
enum {
    SN_MARK_MOVES = 1,
    SN_MARK_TOUCHES = 2,
    SN_MARK_LISTED = 4,
    SN_MARK_LOADED = 8,
    SN_MARK_HELD = 16,
    SN_MARK_TURNED = 32,
    SN_MARK_BEARS = 64,  /* constraints hold it, and another body lies on it, */
    SN_MARK_STANDS = 128 /*   or supports it; see body_loads.c */
};

/* Flags of a body: it left the space that was searched for it, so it must be searched for again; it has left that space
   at some time in this step; the guard of surfaces has moved it in this substep, and something is in its path. */
enum { SN_ROW_LEFT = 1, SN_ROW_STRAYED = 2, SN_ROW_CARRIED = 4, SN_ROW_BLOCKED = 8 };

/* A part of a body and its path in a step: an oriented box. */
typedef struct sn_body_contact_box {
    sn_vec3 centre;       /* m */
    sn_vec3 axis[3];      /* of length 1 */
    sn_real half[3];      /* m */
    sn_real least;        /* m: the smallest of them */
    sn_vec3 displacement; /* m: its displacement by its velocity */
    sn_real stray;        /* m: how far it may deviate from that */
} sn_body_contact_box;

/* The parts whose enlarged boxes overlap that of a part; only parts of bodies that come after its own body. */
#define SN_BODY_CONTACT_NEARS 31u
typedef struct sn_body_contact_near {
    uint32_t count; /* above SN_BODY_CONTACT_NEARS: there is no room, and the tree is searched instead */
    uint32_t box[SN_BODY_CONTACT_NEARS];
} sn_body_contact_near;

/* A contact point. */
typedef struct sn_body_contact_point {
    /* m: anchors on both cores, from the centres of the bodies, along their principal axes; those of a fixed shape are
       in its own frame */
    sn_vec3 a, b;
    uint32_t feature;       /* identifies the point; see sn_manifold_point */
    sn_real normal_impulse; /* N s: in this substep, */
    sn_real last;           /*   and in the one before */
    sn_real impulse;        /* N s: in this step, without normal_impulse */
    sn_real held;           /* N: mean force of the last steps; 0: the point is new */
} sn_body_contact_point;

/* Friction of a manifold. It acts at the mean of the points, weighted by their normal impulses. */
typedef struct sn_body_friction_impulses {
    sn_vec3 tangent_impulse; /* N s: across the normal, in this substep */
    sn_real twisted;         /* N m s: about the normal */
    sn_vec3 rolled;          /* N m s: against rolling */
} sn_body_friction_impulses;

/* A contact pair: two convex pieces that may touch, or a piece and a ball or fixed shape; with its manifold. */
typedef struct sn_body_contact {
    uint32_t a, b;           /* movers; b is SN_NO_MOVER for a fixed shape */
    uint32_t part_a, part_b; /* indices among all parts of bodies; SN_ID_FREE: a ball */
    uint32_t fixed_shape;    /* its number; of a ball its slot */
    uint32_t layer;          /* which of several manifolds of the same pair; with a mesh */
    uint64_t key[2];         /* contacts are sorted by it, and found by it in the next step */
    sn_friction friction;
    uint32_t kept;  /* the manifold of the step before, if any; plus SN_KEPT_UNSEEN until that is read */
    uint32_t lane;  /* 1 + its lane, counted through all batches; 0: it has none, and exerts no impulse */
    uint32_t looks; /* how often its points were found in this step */
    bool sensor, touched;
    bool asked, off; /* callbacks were called; they refused, or it is a sensor without events */
    bool clear;      /* as the two move now, they miss each other in this substep, though they are within reach */
    uint8_t owner;   /* of the normal: an sn_normal_owner */
    uint8_t colour;
    sn_vec3 belt;        /* m/s: the wanted slip velocity of a on b; see callbacks.c */
    sn_vec3 course;      /* m/s: the velocity of a relative to b for which `clear` was determined */
    sn_real reach;       /* m: points are found up to this distance */
    sn_real nearest;     /* m: a lower bound of the distance when points were found */
    sn_real slid, moved; /* m: in a lane: how far the anchors slid since, and how far the two may have approached */
    sn_real slop;        /* m: overlap that is not corrected */
    sn_real round;       /* m: the radius at which rolling resistance acts; 0: there is none */
    sn_real round_a, round_b; /* m: from the cores to the surfaces */
    sn_vec3 normal;           /* from b to a, in the frame of its owner */
    sn_vec3 in_a;             /* the same, in the frame of a, when points were found */
    sn_pose seen;             /* a in the frame of b then */
    sn_vec3 n;                /* the normal in the world, in the last substep in which the contact was in a lane */
    sn_real gone;             /* N s: impulses of points in this step that no longer exist */
    sn_real impact;           /* m/s: largest approach speed in this step at a point with an impulse */
    sn_vec3
        contact_point; /* m: the mean of the points of `gone`, weighted by impulse: on a, from its centre along principal
                     axes */
    sn_body_friction_impulses friction_impulses;
    sn_body_friction_impulses held; /* the mean of the last steps, per second: N, N m */
    uint32_t count;
    sn_body_contact_point point[SN_MANIFOLD_MOST];
} sn_body_contact;

/* The part of a contact that every substep reads while the two are apart, so that it need not read all of it. */
typedef struct sn_body_contact_watch {
    uint32_t a, b;   /* records */
    sn_real nearest; /* m: a lower bound of the distance when points were found, */
    sn_vec3 between; /* m: from the position of b to that of a then, */
    sn_real spun;    /* m: and the displacement of points of both by rotation until then */
    bool idle;       /* nothing needs to be done until the two have approached by `nearest`, */
    bool laned;      /*   or the contact is in a lane, and is handled there */
} sn_body_contact_watch;

/* A pair that was apart at the end of a step. This only saves measurements in the next step: no result depends on
   it. */
typedef struct sn_body_contact_apart {
    uint64_t key[2];
    sn_real nearest; /* m: as in the watch, less the displacement by rotation */
    sn_vec3 between; /* m */
} sn_body_contact_apart;

#define SN_BODY_CONTACT_COLOURS 64u /* of the contacts of a group; contacts of the last one are solved one by one */

/* The contacts of a cell. One task solves them one after the other. No other task of the same level shares a body with
   them. See body_groups.c. */
typedef struct sn_body_contact_group {
    uint32_t first, end;                    /* contacts */
    uint32_t batch, batches;                /* of the contacts that may exert an impulse in this substep */
    uint32_t capacity, level;               /* capacity for batches; the level, whose masks of colours are used */
    bool begun;                             /* it has batches */
    bool deep, bends;                       /* some contacts overlap; some bodies rotate far in the substep */
    uint32_t stirred;                       /* contacts of disturbed bodies, see body_violent.c */
    uint32_t open[SN_BODY_CONTACT_COLOURS]; /* by colour: 1 + a batch that is not full; 0: there is none */
} sn_body_contact_group;

#define SN_BODY_CONTACT_LEVELS 4u /* the last one has the remaining contacts, in one group */

/* The cells of a mover, and its colours. */
typedef struct sn_body_contact_cell {
    uint32_t cell[SN_BODY_CONTACT_LEVELS - 1]; /* by level: its group */
    uint64_t used[SN_BODY_CONTACT_LEVELS];     /* by level: colours in use */
} sn_body_contact_cell;

/* Movers of a level that are still to be divided into cells. Their cells are numbered from `cell` on. */
typedef struct sn_body_contact_slice {
    uint32_t level, first, count, cell;
} sn_body_contact_slice;

/* How far beyond its path by velocity a body may be thrown by fast bodies in a substep. See body_throws.c. */
typedef struct sn_body_contact_throw {
    sn_real now;           /* m */
    _Atomic uint32_t next; /* bits of a float, m: the largest value of this round */
} sn_body_contact_throw;

/* The position of a mover, for cutting space into cells. */
typedef struct sn_body_contact_position {
    sn_vec3 x; /* m */
    uint32_t mover;
} sn_body_contact_position;

/* A point of a kept manifold. */
typedef struct sn_kept_point {
    sn_vec3 a, b; /* as in sn_body_contact_point */
    uint32_t feature;
    sn_real normal_impulse, last; /* N s */
    sn_real held;                 /* N */
} sn_kept_point;

/* A manifold with impulses in the last substep, kept for the next step. This is state. Sorted by key. */
typedef struct sn_kept_manifold {
    uint64_t key[2];
    uint32_t generation[2]; /* of the particles of both, or of the fixed shape */
    uint32_t owner, count;
    sn_vec3 normal; /* from b to a, in the frame of b if b is the owner, otherwise in that of a */
    sn_pose seen;   /* a in the frame of b, when the points were found */
    sn_real reach;  /* m: as in sn_body_contact; 0: points are always found again */
    sn_body_friction_impulses friction_impulses, held;
    sn_kept_point point[SN_MANIFOLD_MOST];
} sn_kept_manifold;

typedef struct sn_body_contacts {
    sn_table kept_table; /* of sn_kept_manifold: state */

    /* scratch */
    sn_table mover_table; /* of sn_mover: bodies by row, then particles */
    /* Of sn_bounds: the boxes of parts in the tree; of uint32_t, twice: their bodies, and the indices of the parts; of
       sn_body_contact_box; of sn_bounds: enlarged boxes, good for several steps, of which the tree is made if
       `wide`. */
    sn_table box_table;
    sn_table near_table;          /* of sn_body_contact_near, by leaf of the tree of awake bodies, */
    bool wide, near_known;        /*   valid if near_known: see body_broad_phase.c; */
    uint32_t near_age, near_wait; /*   its age in steps; the number of steps until it is made again */
    uint32_t tree_age;            /* steps since `tree` was built: */
    sn_bvh tree;                  /* of parts of awake bodies, */
    sn_bvh rest;                  /*   of parts of sleeping bodies, rebuilt when a body wakes or falls asleep, */
    sn_bvh stray; /*   and of bodies that left their space in this step. Their boxes in the first tree are outdated */
    sn_table leaf_table[3]; /* for each tree, of sn_bounds and of uint32_t: its boxes */
    sn_table row_table;     /* of uint32_t: the first box of a body; of uint8_t: its SN_ROW_ flags */
    /* Of uint32_t, thrice: boxes of bodies that are searched for again within a step; rows of these bodies; and rows of
       all that were in this step, */
    sn_table left_table;
    uint32_t strayed;                  /*   which are this many */
    uint64_t rest_moves, rest_changes; /* world->moves and sn_sleep.changes when `rest` was built, */
    sn_real rest_fall;                 /* m: and how far gravity may move a body in a step; */
    bool rest_known;                   /*   false: there is no such tree */
    sn_table list_table;               /* of uint32_t: movers that are awake or have a contact */
    sn_table ball_table;               /* of uint32_t: by slot, the movers of particles that may touch bodies */
    /* By slot, of particles near bodies: of sn_vec4, twice, and of uint8_t; see body_balls.c. They are followed; some
       left in this step */
    sn_table ball_way_table;
    bool follows_balls, balls_left;
    atomic_bool
        balls_moved;      /* contact of bodies moved some of them since they were last kept apart from other things */
    sn_table count_table; /* of uint32_t: the number of results of each item of a loop */
    sn_table found_table; /* see body_broad_phase.c */
    sn_table spare_table;
    /* Of sn_body_contact, twice: by group, and a copy of them from before more were found; of uint32_t, twice: by
       group, contacts that may exert impulses, by colour and in the order in which they were found; of
       sn_body_contact_watch; of sn_body_contact_ends; two of sn_real, for body_sweep.c. */
    sn_table contact_table;
    /* By mover: of sn_body_contact_cell; of uint32_t; of sn_body_contact_position, one for each level that is cut; of
       sn_body_contact_throw; of uint8_t, for throws; of uint8_t: its SN_MARK_ flags; of atomic uint32_t, one for each
       level: the number of its contacts; of uint64_t, for body_violent.c; of atomic uint32_t: the last sweep in which
       it was disturbed. */
    sn_table cell_table;
    /* Of sn_body_contact_group; of atomic uint32_t: the largest number of contacts that a mover has in the group; of
       atomic uint32_t: the last sweep in which it was disturbed; of uint32_t: the groups that a sweep runs; of
       sn_body_contact_slice. */
    sn_table group_table;
    sn_table batch_table;       /* of sn_wide_body_contact and of sn_wide_manifold */
    sn_table violent_table;     /* of sn_wide_body_contact: see body_violent.c */
    sn_table record_table;      /* of sn_vec4: a record for each mover, an empty one, and those of fixed shapes; see
                                   wide/wide.h */
    sn_table fixed_shape_table; /* of uint32_t: numbers of fixed shapes with contacts */
    sn_table rank_table;        /* of uint32_t: by number of a fixed shape, its index there; SN_ID_FREE: it has none */
    sn_table apart_table;       /* of sn_body_contact_apart and of atomic uint32_t: see body_apart.c */
    uint64_t apart_moves;       /* world->moves when that was made */
    uint32_t level[SN_BODY_CONTACT_LEVELS + 1]; /* the first group of each */
    uint32_t count, balls;                      /* the number of contacts; and of those with particles */
    bool bounces, fast;                         /* some contact has restitution; some body may be thrown */
    sn_table
        expect_table;    /* of sn_vec4, by particle and then by body: the velocity and angular velocity that contact is
                              expected to add, see body_expect.c; */
    bool buried;         /* some contact overlaps deeply, and is looked at when the substep ends */
    bool expects;        /*   it is in use: some are not 0 */
    bool loaded;         /* the records of movers are those for the pass of this substep */
    bool looked;         /* the pass checked that all bodies move soundly, */
    atomic_bool suspect; /*   and some may not */
    bool tumbles;        /* some mover turns far, and energies are limited */
    atomic_bool turned;  /* some mover is SN_MARK_TURNED: its inertia changed much since the substep began */
    uint32_t searches;   /* in this step: above 1 if bodies became faster than expected */
    sn_real left;        /* s: the rest of the step, including the running substep */
    sn_real per_second;  /* 1/s: substeps of the step, */
    sn_real longer;      /* s:   and by how much they are longer than those of the step before: see body_cache.c */
    sn_real newer;       /* the weight of this step in the mean forces of the last ones */
} sn_body_contacts;

void sn_body_contacts_init(sn_body_contacts *body_contacts);
void sn_body_contacts_release(sn_body_contacts *body_contacts, const sn_allocator *allocator);

/* Finds the contact pairs of a step of dt, once the motions of fixed shapes are known. */
sn_result sn_body_contacts_find(struct sn_world *world, sn_real dt);

/* Within a step, if bodies became faster than expected: adds the contact pairs of bodies that left their space. ended:
   those that they may have touched on their paths in the substep that ends. */
sn_result sn_body_contacts_find_again(struct sn_world *world, bool ended);

/* begin: before velocities of a substep are computed and bodies are predicted. pass: after that. Both return false if
   the task hook lost tasks. */
bool sn_body_contacts_begin(struct sn_substep *s);
bool sn_body_contacts_pass(struct sn_world *world, sn_real h);

/* True if contact of bodies has moved particles since this was last asked. Where they were when the substep began. And
   bodies stop again, before particles that were stopped since. */
bool sn_body_balls_moved(struct sn_world *world);
void sn_body_balls_copy_starts(const struct sn_world *world, sn_vec4 *to);
bool sn_body_contacts_stop_again(struct sn_world *world, sn_real h);

/* If something else has moved the bodies with SN_ROW_CARRIED since: those that other bodies or fixed shapes are in the
   path of get SN_ROW_BLOCKED (body_sweep.c). False if tasks were lost, or contacts.failed. */
bool sn_body_contacts_look_at_paths(struct sn_world *world, sn_real h);

/* Makes room for the expected effect of contact (body_expect.c). */
bool sn_body_contacts_reserve_expected(struct sn_world *world);

/* At the end of a step: keeps the manifolds with impulses in the last substep. The search has made room. */
void sn_body_contacts_remember(struct sn_world *world);

uint64_t sn_body_contacts_hash(uint64_t hash, const sn_body_contacts *body_contacts);

#endif
