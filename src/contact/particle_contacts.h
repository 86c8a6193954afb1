/* Contact on its way through a step: what may touch what, found at its start, and what was pushed. Scratch, never state. */
#ifndef SN_CONTACT_PARTICLE_CONTACTS_H
#define SN_CONTACT_PARTICLE_CONTACTS_H

#include "collision/bvh.h"
#include "collision/neighbours.h"
#include "collision/shape.h"
#include "contact/fixed_tree.h"
#include "world/contact.h"
#include "contact/particle_bodies.h"
#include "contact/skin_contacts.h"
#include "contact/surface_contacts.h"

/* A particle and a fixed shape that may touch. */
typedef struct sn_static_contact {
    uint32_t slot, number; /* of the particle's storage, of the fixed shape */
    uint32_t next;         /* of those that were found late: 1 + the next one of the same particle; 0: there is none */
    sn_friction friction;
    sn_real clear;                   /* m: no contact before they have come nearer by this */
    sn_real normal_impulse;          /* m: in this substep, as in wide/contact.h */
    sn_real last;                    /* m: pressed in the substep before */
    sn_vec3 tangent_impulse, rolled; /* m; N m s: against rolling */
    sn_vec3 before;                  /* m/s: the particle's velocity before the substep */
    sn_vec3 normal, point;           /* of the last contact */
    sn_real stopped;                 /* m/s: what was still going in at the end of the substep, and stopped */
    sn_real impulse;                 /* N s: in this step */
    sn_real impact;                  /* m/s: how fast they came together in it, at most */
    sn_vec3 belt;                    /* m/s: the surface runs so; see callbacks.c */
    uint32_t triangle;               /* of a mesh: of the last contact */
    bool sensor, touched;            /* in this step */
    bool shared;                     /* the particle has others */
    bool asked, off;                 /* the caller's functions were; and said no: a sensor without an event */
    bool belted;                     /* belt is not 0 */
    bool held;                       /* friction of this substep was found with constraints; see particle_supports.c */
    sn_contact_load load;
} sn_static_contact;

/* m: contact computes with coordinates and ways up to here, so that no product of two leaves the range of a float. A step in
   which something may come farther fails, and names it. */
#define SN_CONTACT_REACH 1e18

static inline bool contact_reaches(sn_vec3 x)
{
    const sn_real most = (sn_real)SN_CONTACT_REACH;
    return x.x >= -most && x.x <= most && x.y >= -most && x.y <= most && x.z >= -most && x.z <= most;
}

/* Where a fixed shape is in a substep. */
typedef struct sn_fixed_motion {
    sn_pose step_start, step_end; /* of the step */
    sn_pose start, end;           /* of the substep */
    sn_pose body_start, body_end; /* of its body, in the step, */
    sn_pose own;                  /*   and where it is in the frame of that */
    sn_vec3 velocity, spin;       /* m/s and rad/s */
    sn_vec3 normal;               /* its own y axis, at the end of the substep: of a plane */
    sn_real speed;                /* m/s: nothing of it within reach of the particles is faster; INFINITY: not known */
    sn_bounds swept;              /* in the world, during the step */
    bool live, moves;
    bool plain;   /* a plane that does not turn */
    bool bounces; /* its restitution is not 0 */
    bool beyond;  /* it is farther away than contact computes, or goes there */
    bool listed;  /* in mover_table */
} sn_fixed_motion;

/* A particle of a tree of constraints that leans on a fixed shape, in a substep. */
typedef struct sn_contact_support {
    uint32_t slot, contact;
    sn_vec3 from;            /* where it was when the substep began */
    sn_real before;          /* m: the gap when the substep began, or 0 if they were apart */
    bool held;               /* the tree was solved with it, */
    sn_real normal_impulse;  /*   and so much was exerted, m */
    sn_vec3 tangent_impulse; /* the same */
} sn_contact_support;

/* Particles whose contacts with fixed shapes are one task. A particle's piece is slot / SN_CONTACT_PIECE. */
#define SN_CONTACT_PIECE 512u

/* Pairs of balls that may touch, in batches. */
typedef struct sn_contact_pairs {
    sn_neighbours near;
    sn_table table; /* columns of sn_real by batch and lane, see PAIR_COLUMNS in particle_solve.c */
    sn_table
        given_table; /* of sn_real, 24 a batch: m/s, what they exerted in this substep; where there are rigid bodies of particles */
    sn_table belt_table; /* of sn_real, 24 a batch: m/s, of surfaces; where there is a pre-solve function */
} sn_contact_pairs;

/* A step beside the one before; see particle_cache.c. */
typedef struct sn_step_lengths {
    bool same;
    sn_real ratio;   /* of the lengths of their substeps, h / h', */
    sn_real more;    /* s^2: h (h - h'), */
    sn_real inverse; /* 1/s^2: and 1 / h^2 */
    sn_real newer;   /* the share of this step in a mean load */
} sn_step_lengths;

/* Those that were found when the step began, and those that were found in it, of balls that left their margins. */
enum { SN_PAIRS_FIRST, SN_PAIRS_LATE, SN_PAIR_SETS };

typedef struct sn_contacts {
    bool any;     /* in this step */
    bool watched; /* it is to be followed though nothing was near when it began */
    sn_contact_pairs pairs[SN_PAIR_SETS];
    sn_table
        sphere_table; /* of sn_vec4, by slot, twice: where a particle was when it was searched for, and its margin: its radius and
                              how far it may come before it is searched for again, or if it has no radius minus the latter; and the
                              input of the search for late pairs */
    bool searched;    /* in this step there is something to touch */
    bool has_margins; /* they are those of this step */
    sn_real step;     /* s: of the step */
    sn_step_lengths lengths;
    sn_real least_radius, most_radius; /* m: of the balls; INFINITY and 0 if there are none */
    bool all_wanted;                   /* every pair of balls may touch */
    bool late;                         /* in this step some particles left their margins: */
    sn_table
        left_table; /* of uint8_t, by slot: it did; of uint32_t, by slot: 1 + the last of its late static contacts; of uint8_t, by slot: it leans on
                                          something, in the rounds at the end of a substep */
    sn_table left_list_table; /* of uint32_t: slots of those that just did */
    sn_table known_table;     /* of sn_sort_item, twice: pairs of theirs that are known */
    sn_table kept_table;      /* of sn_kept_pair, and of sn_sort_item, twice: late pairs as they were */
    bool fast;                /* in this substep some came far for their size */
    bool shared;     /* some particles have several static contacts, not all of them planes, which nothing passes */
    bool sided;      /* some static contacts are no planes: it matters from where a particle comes */
    bool has_starts; /* it is known where particles were when this substep began */
    sn_table store_table; /* of uint32_t and of sn_vec4, by slot: for storing particles by place; see planning.c */
    bool spins;           /* some particles turn */
    bool directed;        /* some pairs are pushed along normals of objects */
    bool varied, bounces; /* pairs of several materials; some pair bounces */
    bool belts;           /* surfaces of some pairs run */
    sn_friction friction; /* of all pairs, if not varied */
    sn_table
        motion_table; /* of sn_fixed_motion, by the fixed shape's number; those that stand keep theirs between steps */
    sn_table mover_table;       /* of uint32_t: the fixed shapes that move in this step */
    uint32_t bouncing, beyond;  /* so many fixed shapes do, or are */
    sn_fixed_tree fixed_shapes; /* within their bounds in this step */
    sn_table
        box_table; /* of sn_bounds, by piece of particles: they and their radii stay in it, by their velocities and forces; of
                      bool, by piece: none of them moves in this step, as where all sleep */
    sn_table quiet_table;     /* of sn_vec4, and of uint32_t, twice: spheres, numbers and slots; see particle_quiet.c */
    sn_table quiet_bit_table; /* of uint64_t */
    sn_table
        static_table; /* of sn_static_contact, and room for sorting: in a piece by number of the fixed shape, then by slot */
    sn_table
        piece_table; /* by piece of particles, and one more: where its static contacts begin, and which particles have some */
    uint32_t static_contacts, pieces;
    sn_table
        support_table; /* of sn_contact_support: see particle_supports.c; and by slot, 1 + which of them is of its particle */
    sn_table support_of_table;
    uint32_t most_supports;      /* in this step */
    sn_real supports_h;          /* s: the substep */
    bool supports_warm;          /* in this substep contact has gone on from what they exerted in trees */
    sn_table skin_contact_table; /* of sn_skin_contact: by colour; as they were found; and as they were before that */
    sn_table
        skin_contact_start_table; /* of uint32_t, by colour; the last colour is for what found no other, one by one */
    sn_table triangle_table;      /* of sn_bounds, and of uint32_t skins, by triangle */
    sn_table colour_table;        /* of uint64_t, by slot: colours in use */
    sn_table path_table;   /* of sn_vec4, by slot: where the substep began; where grazes were looked for, and in w how
                                   far from there (m) it may come before they must be looked for again */
    sn_table normal_table; /* of sn_outward, by slot; see outward.c */
    sn_bvh skin_tree;
    uint64_t tree_edits, tree_tears;            /* of the contact world, when the tree was built, or last followed */
    uint32_t tree_age;                          /* steps since then */
    uint32_t skin_contacts, skin_contact_pairs; /* how many; the last of those that were found are pairs of particles */
    bool watches;                               /* there are skins, and particles that may touch them */
    sn_real time_left;                          /* s: of the step, with the substep that runs */
    sn_real longest_way;  /* m: no particle has come farther in this substep, as of the last look at it */
    sn_surfaces surfaces; /* skins that collide with themselves and each other */
    sn_rigid rigid;       /* bodies of particles that contact presses on */
    sn_result failed;     /* what went wrong within a substep, if it was not the task hook */
} sn_contacts;

struct sn_world;

/* Whether none of the particles of a piece, which this slot is in, moves in this step. */
static inline bool contact_is_still(const sn_contacts *contacts, uint32_t slot)
{
    return ((const bool *)contacts->box_table.column[1])[slot / SN_CONTACT_PIECE];
}

void sn_contacts_init(sn_contacts *contacts);
void sn_contacts_release(sn_contacts *contacts, const sn_allocator *allocator);

/* Finds what may touch in a step of dt. SN_ERROR_MEMORY or SN_ERROR_HOST if it could not; nothing has changed then. */
sn_result sn_contacts_find(struct sn_world *world, sn_real dt);

/* Around the passes of a substep of h, which is number i of so many. False if the task hook lost tasks. */
bool sn_contacts_begin(struct sn_world *world, uint32_t i, uint32_t substeps, sn_real h);
bool sn_contacts_pass(struct sn_world *world, sn_real h, bool first);
bool sn_contacts_end(struct sn_world *world, sn_real h);

/* After the substeps of a step in which nothing was near: whether particles came so much farther than was thought that they may have
   touched something. Then the step is to be taken again, watched. An error as in sn_contacts_find. */
sn_result sn_contacts_strayed(struct sn_world *world, bool *strayed);

/* Makes room for remembering what was found; and remembers, at the end of a step, what was pushed last. */
bool sn_contacts_reserve_memory(struct sn_world *world);
void sn_contacts_remember(struct sn_world *world);

uint64_t sn_contacts_hash(uint64_t hash, const sn_contact_world *contact);

/* ---- spin.c: balls that turn ------------------------------------------------------------------------------------------------ */

/* One of two that touch, or a fixed shape, which does not turn. */
typedef struct sn_spinning {
    uint32_t slot;
    bool turns;
    sn_real radius, w;
} sn_spinning;

bool sn_spin_has(const struct sn_world *world, uint32_t slot);
bool sn_spin_any(const struct sn_world *world);
bool sn_spin_reserve(struct sn_world *world); /* for all particles; false when memory runs out */
void sn_spin_forget(struct sn_world *world, uint32_t number);
uint64_t sn_spin_hash(uint64_t hash, const struct sn_world *world);
sn_spinning sn_spin_of(const struct sn_world *world, uint32_t slot);

/* m/s: how fast a's surface passes b's where they touch because they turn; n from b to a. */
sn_vec3 sn_spin_slip(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n);

/* What share of a slip the places have to make up for; the rest is made up for by turning. give: of the places. */
sn_real sn_spin_share(const sn_spinning *a, const sn_spinning *b, sn_real give);

/* Friction turns both: impulse (N s) on a across n. */
void sn_spin_push(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n, sn_vec3 impulse);

/* Resistance to rolling: what was exerted against the difference of spins in this substep so far (N m s) becomes what stops it,
   or limit if that is less. A substep begins with a share of what the one before ended with. */
void sn_spin_warm(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 *rolled,
                  sn_real share);
void sn_spin_resist(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_real limit,
                    sn_vec3 *rolled);

/* ---- What finding shares ---------------------------------------------------------------------------------------------------- */

sn_friction sn_contacts_friction(const sn_contact_material *a, const sn_contact_material *b);

/* Whether two sets of categories and masks let each other collide. */
bool sn_contacts_agree(uint32_t category, uint32_t mask, uint32_t other_category, uint32_t other_mask);

/* m: how far a particle may come in a step of dt. */
sn_real sn_contacts_way(const struct sn_world *world, uint32_t slot, sn_real dt);

/* The generation of what is kept under a number, which may be used again: of a particle, or of what SN_IMPULSE_ says. */
uint32_t sn_contacts_generation(const struct sn_world *world, uint32_t other);

/* What was pushed at the end of the last step; NULL if they did not touch. Times the factor it is what a substep of this step
   begins with: pushes are accelerations times the square of the substep. */
const sn_kept_impulse *sn_contacts_recall(const struct sn_world *world, uint32_t slot, uint32_t other);
sn_real sn_contacts_recall_factor(const struct sn_world *world, sn_real dt);

/* What a substep of a step begins with: a push, and one across the normal. And how long its substeps are beside those of the step
   before. */
sn_real sn_contacts_push_again(const sn_step_lengths *lengths, sn_real push, sn_real load);
sn_vec3 sn_contacts_push_again_across(const sn_step_lengths *lengths, sn_vec3 push, sn_vec3 load);
void sn_contacts_compare(struct sn_world *world, sn_real dt);

/* Moves a particle, without losing what rounding drops of the way. */
void sn_contacts_add(const struct sn_world *world, uint32_t slot, sn_vec3 by);

/* N s: how hard a pair of particles was pressed together in this step, if events are collected. */
sn_real sn_contacts_pair_impulse(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane);

/* m/s: and how fast it came together, at most. */
sn_real sn_contacts_pair_impact(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane);

/* Takes a pair of particles out of its batch, to be solved elsewhere. */
sn_skin_contact sn_contacts_take_pair(struct sn_world *world, uint32_t batch, uint32_t lane);

/* Integrators that look back start anew with particles that were pushed. */
void sn_contacts_forget(struct sn_world *world);

/* Fixed shapes are where the step ends. */
void sn_contacts_leave(struct sn_world *world);

#endif
