/* Contact of bodies on its way through a step: with each other, with particles and with fixed shapes. See body_solve.c. */
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

/* What takes part in a pass: a body, or a particle that may touch one. Scratch. What every substep needs is in the
   first two lines of the cache. */
typedef struct sn_mover {
    _Alignas(64) uint32_t slot; /* of its particle */
    uint32_t body;              /* its row; SN_ID_FREE: a particle, which does not turn */
    uint32_t odd;               /* of a body: around which it looks alike: an axis, SN_ALL_ALIKE or SN_NONE_ALIKE */
    sn_real w;                  /* 1/kg */
    double inverse[3]; /* 1/m^2: of a body: the inverse of its moments per unit of mass, along principal axes */

    /* read and written in fours: see SN_MOVER_SIZES */
    sn_real extent;  /* m: of a body: how far it reaches from its centre */
    sn_real thin;    /* m: of a body: one that comes farther in a substep is fast */
    sn_real free;    /* m: its centre may come so far in any direction, less `turned`. So far every loop looks */
    sn_real share;   /* of its way in the substep: so much of it it goes */
    sn_real spun;    /* m: how far its spots came by turning in this step, at most */
    sn_real turned;  /* m: how far they came by turning since `sought`, and by what may yet act on it */
    sn_real way;     /* m: of any of its spots in the substep, at most */
    sn_real carried; /* see `carrier` */
    sn_vec3 sought;  /* m: of a body: where it was when space was searched for it */
    sn_pose from;    /* when the substep began; of a body */

    sn_vec4 spin;   /* rad/s: when the pass began; w counts for nothing */
    sn_bounds room; /* m: how far its spots may come from `sought` before that is to be done again */
    /* 1 + the fixed shape that takes it along from its share on; 0: none does. `carried` of the way of that shape is
       over then. */
    uint32_t carrier;
} sn_mover;

/* Of a mover: it can be moved; it is in a contact; it is in the list of movers; its record is that of the substep that begins; it
   touches nothing, but its joints are held in this substep. In bytes of
   their own, which loops over contacts pass through quickly. */
enum { SN_MARK_MOVES = 1, SN_MARK_TOUCHES = 2, SN_MARK_LISTED = 4, SN_MARK_LOADED = 8, SN_MARK_HELD = 16, SN_MARK_TURNED = 32 };

/* Of a body: it left the space that was searched for it, and that must be done again; and it did so in this step, now or before. */
enum { SN_ROW_LEFT = 1, SN_ROW_STRAYED = 2 };

/* A part of a body, in the box that is turned with it, on its way in a step. */
typedef struct sn_body_contact_box {
    sn_vec3 centre;  /* m */
    sn_vec3 axis[3]; /* of length 1 */
    sn_real half[3]; /* m */
    sn_real least;   /* m: of those */
    sn_vec3 way;     /* m: where it flies to */
    sn_real stray;   /* m: how far it may come from there */
} sn_body_contact_box;

/* Parts whose wide boxes touch that of one: those of bodies behind its own. */
#define SN_BODY_CONTACT_NEARS 31u
typedef struct sn_body_contact_near {
    uint32_t count; /* more than there is room for: they are looked for in the tree */
    uint32_t box[SN_BODY_CONTACT_NEARS];
} sn_body_contact_near;

/* A point where two touch. */
typedef struct sn_body_contact_point {
    sn_vec3 a,
        b; /* m: anchors on the cores of both, from their centres along principal axes; of a fixed shape in its own frame */
    uint32_t feature;       /* its name */
    sn_real normal_impulse; /* N s: in this substep, along the normal, and */
    sn_real last;           /*   in the one before */
    sn_real impulse;        /* N s: in this step, but for what it presses now */
    sn_real held;           /* N: its force in the mean of the last steps; 0: it is new */
} sn_body_contact_point;

/* What rubs where two touch: at the middle of their points, weighted by what they press. */
typedef struct sn_body_contact_rub {
    sn_vec3 tangent_impulse; /* N s: across the normal, in this substep */
    sn_real twisted;         /* N m s: about it */
    sn_vec3 rolled;          /* N m s: against rolling */
} sn_body_contact_rub;

/* Two pieces that may touch. */
typedef struct sn_body_contact {
    uint32_t a, b;           /* movers; b may be SN_NO_MOVER: a fixed shape */
    uint32_t part_a, part_b; /* of the bodies' parts; SN_ID_FREE: a ball */
    uint32_t fixed_shape;    /* its number, if b is one; of a ball its slot */
    uint32_t layer;          /* of several manifolds of the same two, with a mesh, which one */
    uint64_t key[2];         /* by which contacts are sorted, and found again in the next step */
    sn_friction friction;
    uint32_t kept; /* the manifold of the step before, if there is one; SN_KEPT_UNSEEN is added until it is looked at */
    uint32_t lane; /* 1 + its lane, counted through all batches; 0: it has none, and does not press */
    uint32_t looks; /* so often its points were found anew in this step */
    bool sensor, touched;
    bool asked, off; /* the caller's functions were; and said no: a sensor without events */
    bool clear;    /* as they fly the two do not touch in this substep, though they are within reach, unless they are */
    uint8_t owner; /* of the normal: an sn_normal_owner */
    uint8_t colour;
    sn_vec3 belt;    /* m/s: a is to slip on b at this velocity; see callbacks.c */
    sn_vec3 course;  /* m/s: turned from this velocity of a, seen from b */
    sn_real reach;   /* m: how far apart points may be to be looked at */
    sn_real nearest; /* m: how far apart they were at least when points were looked for */
    sn_real slid,
        moved;     /* m: in a lane: how far the anchors slid since, and the two may have come towards each other */
    sn_real slop;  /* m: so much overlap is left alone */
    sn_real round; /* m: the radius that rolling is resisted at; 0: it is not */
    sn_real round_a, round_b; /* m: from the cores to the surfaces */
    sn_vec3 normal;           /* from b to a, in the frame of its owner */
    sn_vec3 in_a;             /* it, in the frame of a when points were looked for; and a seen from b then */
    sn_pose seen;
    sn_vec3 n;      /* it, in the world, in the last substep in which they might press */
    sn_real gone;   /* N s: what points pressed in this step that are no more, */
    sn_real impact; /* m/s: how fast they came together in this step where they touched, at most */
    sn_vec3 spot;   /* m: and where that was on a, from its centre along principal axes */
    sn_body_contact_rub rub;
    sn_body_contact_rub held; /* what rubbed in the mean of the last steps, by seconds: N, N m */
    uint32_t count;
    sn_body_contact_point point[SN_MANIFOLD_MOST];
} sn_body_contact;

/* What is looked at in every substep of two that are apart, without looking at all of the contact. */
typedef struct sn_body_contact_watch {
    uint32_t a, b;   /* records */
    sn_real nearest; /* m: so far apart they were at least when points were looked for; */
    sn_vec3 between; /* m: from the place of b to that of a then, */
    sn_real spun;    /* m: and how far spots of both had come by turning */
    bool idle;       /* nothing needs to be done until they came as near as that, */
    bool laned;      /*   or not here: it has a lane */
} sn_body_contact_watch;

/* Two bodies that were apart at the end of a step, by their name. Nothing depends on it but which pairs are looked at in the next one. */
typedef struct sn_body_contact_apart {
    uint64_t key[2];
    sn_real nearest; /* m: as of the watch, less what they turned */
    sn_vec3 between; /* m */
} sn_body_contact_apart;

#define SN_BODY_CONTACT_COLOURS 64u /* of the contacts of a group; those of the last one are worked on one by one */

/* contacts that one task works on, one after the other: those of a cell, which no other task of the same level shares a body with. See
   body_groups.c. */
typedef struct sn_body_contact_group {
    uint32_t first, end;                    /* contacts */
    uint32_t batch, batches;                /* of those that may press in this substep */
    uint32_t capacity, level;               /* of batches; and which of its masks the movers use */
    bool begun;                             /* it has batches */
    bool deep, bends;                       /* some overlap; some turn far in the substep */
    uint32_t open[SN_BODY_CONTACT_COLOURS]; /* by colour: 1 + a batch that is not full; 0: there is none */
} sn_body_contact_group;

#define SN_BODY_CONTACT_LEVELS 4u /* the last is for what is left: one group */

/* Where a mover is. */
typedef struct sn_body_contact_cell {
    uint32_t cell[SN_BODY_CONTACT_LEVELS - 1]; /* by level: its group */
    uint64_t used[SN_BODY_CONTACT_LEVELS];     /* by level: colours in use */
} sn_body_contact_cell;

/* Movers of a level that are still to be cut into cells: those of the cells from `cell` on. */
typedef struct sn_body_contact_slice {
    uint32_t level, first, count, cell;
} sn_body_contact_slice;

/* How far beyond where it flies something fast may throw a body in a substep. */
typedef struct sn_body_contact_blow {
    sn_real now;           /* m */
    _Atomic uint32_t next; /* bits of a float, m: what it was told in this round, at most */
} sn_body_contact_blow;

/* What space is cut by. */
typedef struct sn_body_contact_spot {
    sn_vec3 x; /* m */
    uint32_t mover;
} sn_body_contact_spot;

/* A point of a manifold that is kept. */
typedef struct sn_kept_point {
    sn_vec3 a, b; /* as of sn_body_contact_point */
    uint32_t feature;
    sn_real normal_impulse, last; /* N s */
    sn_real held;                 /* N */
} sn_kept_point;

/* A manifold whose points pressed in the last substep: state. Sorted by key. */
typedef struct sn_kept_manifold {
    uint64_t key[2];
    uint32_t generation[2]; /* of the particles of both, or of the fixed shape */
    uint32_t owner, count;
    sn_vec3 normal; /* from b to a, in the frame of b if it is the owner, otherwise in that of a */
    sn_pose seen;   /* a in the frame of b, when the points were found */
    sn_real reach;  /* m: as of sn_body_contact; 0: points are always found anew */
    sn_body_contact_rub rub, held;
    sn_kept_point point[SN_MANIFOLD_MOST];
} sn_kept_manifold;

typedef struct sn_body_contacts {
    sn_table kept_table; /* of sn_kept_manifold: state */

    /* scratch */
    sn_table mover_table; /* of sn_mover: bodies by row, then particles */
    sn_table
        box_table; /* of sn_bounds, of uint32_t, twice, and of sn_body_contact_box: parts in the tree, their bodies and numbers; of sn_bounds:
                      wider ones, for several steps, which the tree is made of if `wide` says so */
    sn_table near_table;          /* of sn_body_contact_near, by leaf of the tree of those that are awake, */
    bool wide, near_known;        /*   if it is known: see body_broad_phase.c; */
    uint32_t near_age, near_wait; /*   for so many steps; and so many are made without it */
    uint32_t tree_age;            /* steps since it was built: */
    sn_bvh tree;                  /* of parts of bodies that are awake, */
    sn_bvh rest;  /*   of those that sleep, which is made anew when one of them wakes or another falls asleep, */
    sn_bvh stray; /*   and of those that left in this step; what the first tree has of these is old */
    sn_table leaf_table[3]; /* of sn_bounds and of uint32_t, for each of the trees: its boxes */
    sn_table row_table;     /* of uint32_t: the first box of a body; of uint8_t: its SN_ROW_ flags */
    sn_table
        left_table; /* of uint32_t, thrice: boxes of bodies that are searched for again within a step; rows of those; and rows of all that
                            were in this step, */
    uint32_t strayed;                  /*   so many */
    uint64_t rest_moves, rest_changes; /* what world->moves and sn_sleep.changes were when the second was made, */
    sn_real rest_fall;                 /* m: and what gravity may do in a step; */
    bool rest_known;                   /*   false: there is none */
    sn_table list_table;               /* of uint32_t: movers that are awake, or in a contact */
    sn_table ball_table;               /* of uint32_t: particles that may touch bodies, by slot: their movers */
    sn_table count_table;              /* of uint32_t: how many each item of a loop found */
    sn_table found_table;              /* see body_broad_phase.c */
    sn_table spare_table;
    sn_table
        contact_table; /* of sn_body_contact, twice: by group, and those that there were before more were found; of uint32_t, twice: by group, those
                              that press, by colour and as they come; of sn_body_contact_watch; of sn_body_contact_ends; two sn_real, for body_sweep.c */
    sn_table
        cell_table; /* by mover: of sn_body_contact_cell, of uint32_t, of so many sn_body_contact_spot as levels are cut, of sn_body_contact_blow, of
                       uint8_t for those, of uint8_t: its SN_MARK_ flags; of as many atomic uint32_t as levels: contacts of each; and of uint64_t, for body_violent.c */
    sn_table
        group_table; /* of sn_body_contact_group; of atomic uint32_t: the largest number of contacts that one has in it; of atomic uint32_t:
                            the sweep in which it was stirred last; of uint32_t: those that a sweep runs; and of sn_body_contact_slice */
    sn_table batch_table;   /* of sn_wide_body_contact and of sn_wide_manifold */
    sn_table violent_table; /* of sn_wide_body_contact: see body_violent.c */
    sn_table record_table; /* of sn_vec4: a record by mover, an empty one, and those of fixed shapes; see wide/wide.h */
    sn_table fixed_shape_table; /* of uint32_t: numbers of fixed shapes in contacts */
    sn_table
        rank_table; /* of uint32_t, by number of a fixed shape: its place among those; SN_ID_FREE: it is none of them */
    sn_table apart_table;                       /* of sn_body_contact_apart and of atomic uint32_t: see body_apart.c */
    uint64_t apart_moves;                       /* what world->moves was when that was made */
    uint32_t level[SN_BODY_CONTACT_LEVELS + 1]; /* the first group of each */
    uint32_t count, balls;                      /* contacts; and of those with particles */
    bool bounces, fast;                         /* some contact does; some body may be thrown */
    sn_table
        expect_table; /* of sn_vec4, by particle and then by body: how contact is about to move and turn it, see body_expect.c; */
    bool expects;        /*   it is in use: some are not 0 */
    bool loaded;         /* movers are, for the pass of this substep */
    bool looked;         /* whether bodies move soundly was looked at in the pass, */
    atomic_bool turned;  /* some mover is SN_MARK_TURNED: since the substep began its inertia changed much */
    atomic_bool suspect; /*   and one may not */
    uint32_t searches;   /* in this step: more than one if bodies became faster than was thought */
    sn_real left;        /* s: of the step, with the substep that runs */
    sn_real per_second;  /* 1/s: substeps of the step, */
    sn_real longer;      /* s:   which are longer by so much than those of the step before: see body_cache.c */
    sn_real newer;       /* the share of this step in the mean forces of the last ones */
} sn_body_contacts;

void sn_body_contacts_init(sn_body_contacts *body_contacts);
void sn_body_contacts_release(sn_body_contacts *body_contacts, const sn_allocator *allocator);

/* Finds what may touch in a step of dt, once the motions of fixed shapes are known. */
sn_result sn_body_contacts_find(struct sn_world *world, sn_real dt);

/* Within a step, if bodies became faster than was thought: adds what those that left may touch besides. ended: what bodies may have touched
   that left on their ways of the substep that ends. */
sn_result sn_body_contacts_find_again(struct sn_world *world, bool ended);

/* Before the velocities of a substep are made, and bodies are predicted; and once they are. False if the task hook lost tasks. */
bool sn_body_contacts_begin(struct sn_substep *s);
bool sn_body_contacts_pass(struct sn_world *world, sn_real h);

/* Room for what contact is about to do (body_expect.c). */
bool sn_body_contacts_reserve_expected(struct sn_world *world);

/* At the end of a step: what was pushed last. Room was made by finding. */
void sn_body_contacts_remember(struct sn_world *world);

uint64_t sn_body_contacts_hash(uint64_t hash, const sn_body_contacts *body_contacts);

#endif
