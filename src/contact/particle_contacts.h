/* Contacts of particles during a step: the contact pairs that were found at its start, and their impulses. Scratch,
   never state. */
#ifndef SN_CONTACT_PARTICLE_CONTACTS_H
#define SN_CONTACT_PARTICLE_CONTACTS_H

#include "collision/bvh.h"
#include "collision/neighbours.h"
#include "collision/shape.h"
#include "contact/fixed_tree.h"
#include "world/contact.h"
#include "world/fixed.h"
#include "contact/particle_bodies.h"
#include "contact/skin_contacts.h"
#include "contact/surface_contacts.h"

/* A particle and a fixed shape that may come into contact. */
typedef struct sn_static_contact {
    uint32_t slot, number; /* of the particle, in storage; of the fixed shape */
    /* of a contact that was found late: 1 + the next late contact of the same particle; 0: none */
    uint32_t next;
    sn_friction friction;
    sn_real clear;                   /* m: clearance: no contact while the two have approached by less, */
    sn_vec3 seen;                    /*   since the particle was here */
    sn_real normal_impulse;          /* m: of this substep, as in wide/contact.h */
    sn_real last;                    /* m: normal impulse of the substep before */
    sn_vec3 tangent_impulse, rolled; /* m; N m s: angular impulse of rolling friction */
    sn_vec3 before;                  /* m/s: velocity of the particle before the substep */
    sn_vec3 normal, point;           /* of the last contact */
    sn_real stopped;                 /* m/s: added along the normal when the substep ended, to stop or bounce */
    sn_real impulse;                 /* N s: in this step */
    sn_real impact;                  /* m/s: the largest approach speed in this step */
    sn_vec3 belt;                    /* m/s: surface velocity (a conveyor belt); see callbacks.c */
    uint32_t triangle;               /* of a mesh: the triangle of the last contact */
    bool sensor, touched;            /* in this step */
    bool shared;          /* the particle has several, not all with planes unless it is a point; or it was found late */
    bool asked, off;      /* callbacks were called; they refused: like a sensor without events */
    bool belted;          /* belt is not 0 */
    bool held;            /* friction of this substep was found with constraints; see particle_supports.c */
    bool preloaded;       /* its load is a preload; see particle_preloads.c */
    sn_real ahead;        /* m: of the normal impulse of this substep, exerted before the constraints */
    sn_vec3 ahead_across; /* m: and of the tangential one, if ahead is not 0 */
    sn_contact_load load;
} sn_static_contact;

/* m: contact computes with coordinates and displacements up to this size, so that no product of two leaves the range of
   a float. If something may go farther, the step fails with a message that names it. */
#define SN_CONTACT_REACH 1e18

static inline bool contact_reaches(sn_vec3 x)
{
    const sn_real most = (sn_real)SN_CONTACT_REACH;
    return x.x >= -most && x.x <= most && x.y >= -most && x.y <= most && x.z >= -most && x.z <= most;
}

/* The motion of a fixed shape in a step and in a substep. */
typedef struct sn_fixed_motion {
    sn_pose step_start, step_end; /* of the step */
    sn_pose start, end;           /* of the substep */
    sn_pose body_start, body_end; /* pose of its body at both ends of the step */
    sn_pose own;                  /* pose of the shape in the frame of its body */
    sn_vec3 velocity, spin;       /* m/s and rad/s, in the substep */
    sn_fixed_course course;       /* of its body in the step, */
    sn_vec3 change, spin_change;  /* m/s, rad/s: and the change of its velocity in it; see sn_fixed_follow */
    sn_vec3 normal;               /* its local y axis at the end of the substep, in the world: the normal of a plane */
    /* m/s: no point of the shape within reach of the particles is faster; INFINITY: unknown */
    sn_real speed;
    sn_bounds swept; /* bounds in the world, over the whole step */
    bool live, moves;
    bool plain;   /* a plane that does not rotate */
    bool bounces; /* its restitution is not 0 */
    bool changes; /* `change` or `spin_change` is not 0 */
    bool beyond;  /* it is, or will be, outside SN_CONTACT_REACH */
    bool listed;  /* in mover_table */
} sn_fixed_motion;

/* A support in a substep: the contact of a particle that a tree of constraints presses on a fixed shape. */
typedef struct sn_contact_support {
    uint32_t slot, contact;
    sn_vec3 from;            /* position when the substep began */
    sn_real before;          /* m: the gap when the substep began, or 0 if there was no overlap */
    bool held;               /* the tree was solved with this contact; its impulses are: */
    sn_real normal_impulse;  /* m */
    sn_vec3 tangent_impulse; /* m */
} sn_contact_support;

/* The number of particles whose contacts with fixed shapes form one task. The piece of a particle is slot /
   SN_CONTACT_PIECE. */
#define SN_CONTACT_PIECE 512u

/* Pairs of balls that may come into contact, in batches. */
typedef struct sn_contact_pairs {
    sn_neighbours near;
    sn_table table; /* columns of sn_real by batch and lane, see PAIR_COLUMNS in particle_solve.c */
    /* of sn_real, 24 a batch: m/s, the velocity changes of this substep; only where there are rigid bodies of
       particles */
    sn_table given_table;
    sn_table belt_table; /* of sn_real, 24 a batch: m/s, surface velocities; only with a pre-solve function */
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
    bool any;     /* there is contact in this step */
    bool watched; /* contacts are followed in this step, though nothing was near when it began */
    sn_contact_pairs pairs[SN_PAIR_SETS];
    sn_table
        sphere_table; /* of sn_vec4, by slot, twice: where a particle was when it was searched for, and its margin: its radius and
                              how far it may come before it is searched for again, or if it has no radius minus the latter; and the
                              input of the search for late pairs */
    bool searched;      /* in this step there is something to touch */
    bool has_margins;   /* they are those of this step, and decide whether a particle left, */
    bool knows_margins; /*   or only whether it may touch a body */
    sn_real step;       /* s: of the step */
    sn_step_lengths lengths;
    sn_real least_radius, most_radius; /* m: of the balls; INFINITY and 0 if there are none */
    bool all_wanted;                   /* every pair of balls may come into contact */
    bool late;                         /* some particles left their margins in this step */
    /* of uint8_t, by slot: the particle left its margin; of uint32_t, by slot: 1 + its last late static contact; of
       uint8_t, by slot: the particle is supported by something, in the rounds at the end of a substep */
    sn_table left_table;
    sn_table left_list_table; /* of uint32_t: slots of particles that have just left their margins */
    sn_table known_table;     /* of sn_sort_item, twice: known pairs of those particles */
    sn_table kept_table;      /* of sn_kept_pair, and of sn_sort_item twice: late pairs before a new search */
    bool fast;                /* in this substep some particle moved far for its size */
    bool shared;              /* some particles have several static contacts, not all with planes */
    bool sided;               /* some static contacts are not with planes: the side matters */
    bool has_starts;          /* the positions at the start of this substep are known */
    /* of uint32_t and of sn_vec4, by slot: scratch for sorting the storage of particles by position; see planning.c */
    sn_table store_table;
    bool spins;           /* some particles rotate */
    bool directed;        /* some pairs are pushed along normals of objects */
    bool varied, bounces; /* pairs have several materials; some pair bounces */
    bool belts;           /* some pairs have a surface velocity */
    sn_friction friction; /* of all pairs, if not varied */
    /* of sn_fixed_motion, by the fixed shape's number; shapes at rest keep theirs between steps */
    sn_table motion_table;
    sn_table mover_table;       /* of uint32_t: the fixed shapes that move in this step */
    uint32_t bouncing, beyond;  /* the numbers of fixed shapes with these flags */
    sn_fixed_tree fixed_shapes; /* trees of their bounds in this step */
    /* of sn_bounds, by piece of particles: the particles and their radii stay in it, by their velocities and forces; of
       bool, by piece: none of its particles moves in this step, as where all sleep */
    sn_table box_table;
    sn_table quiet_table;     /* of sn_vec4, and of uint32_t twice: spheres, numbers and slots; see particle_quiet.c */
    sn_table quiet_bit_table; /* of uint64_t */
    /* of sn_static_contact, twice (the second is scratch for sorting): in a piece sorted by number of the fixed shape,
       then by slot */
    sn_table static_table;
    /* by piece of particles, and one more: the first static contact of the piece, and bits of particles that have
       some */
    sn_table piece_table;
    uint32_t static_contacts, pieces;
    /* of sn_contact_support: see particle_supports.c; and of uint32_t, by slot: 1 + the support of the particle, 0:
       none */
    sn_table support_table;
    sn_table support_of_table;
    uint32_t most_supports; /* of this step */
    sn_real supports_h;     /* s: the substep */
    bool supports_warm;     /* in this substep contacts continue from the impulses found with trees */
    /* of sn_skin_contact, three times: by colour; in the order in which they were found; those of the search before */
    sn_table skin_contact_table;
    /* of uint32_t, by colour; the last colour has the contacts for which none was free, and is solved on one thread */
    sn_table skin_contact_start_table;
    sn_table triangle_table; /* of sn_bounds, and of uint32_t (skins), by triangle */
    sn_table colour_table;   /* of uint64_t, by slot: bits of colours in use */
    /* of sn_vec4, by slot, twice: positions when the substep began; positions when skin contacts were searched for, and
       in w how far (m) the particle may move from there before they must be searched for again */
    sn_table path_table;
    sn_table normal_table; /* of sn_outward, by slot; see outward.c */
    sn_bvh skin_tree;
    /* of the contact world, when the tree was built or last brought up to date */
    uint64_t tree_edits, tree_tears;
    uint32_t tree_age;                          /* steps since then */
    uint32_t skin_contacts, skin_contact_pairs; /* their numbers; the last of those found are the pairs of particles */
    bool watches;                 /* there are skins, and particles that may come into contact with them */
    sn_real time_left;            /* s: the rest of the step, with the current substep */
    sn_real longest_displacement; /* m: the longest displacement of a particle in this substep, when last checked */
    sn_surfaces surfaces;         /* skins that collide with themselves and each other */
    sn_rigid rigid;               /* bodies of particles that contact acts on */
    sn_result failed;             /* the error within a substep, if it was not the task hook */
} sn_contacts;

struct sn_world;

/* True if no particle of the piece of this slot moves in this step. */
static inline bool contact_is_still(const sn_contacts *contacts, uint32_t slot)
{
    return ((const bool *)contacts->box_table.column[1])[slot / SN_CONTACT_PIECE];
}

void sn_contacts_init(sn_contacts *contacts);
void sn_contacts_release(sn_contacts *contacts, const sn_allocator *allocator);

/* Finds the contact pairs of a step of dt. SN_ERROR_MEMORY or SN_ERROR_HOST on failure; nothing has changed then. */
sn_result sn_contacts_find(struct sn_world *world, sn_real dt);

/* Around the passes of a substep of h, number i of `substeps`. False if the task hook lost tasks. */
bool sn_contacts_begin(struct sn_world *world, uint32_t i, uint32_t substeps, sn_real h);
bool sn_contacts_load(struct sn_world *world, sn_real h); /* after the pass of preloads */
bool sn_contacts_pass(struct sn_world *world, sn_real h, bool first);
bool sn_contacts_end(struct sn_world *world, sn_real h);
bool sn_contacts_end_thrown(struct sn_world *world, sn_real h); /* after contact of bodies */

/* After the substeps of a step in which nothing was near. *strayed: particles moved so much farther than predicted that
   they may have come into contact. Then the step has to be taken again, watched. Fails like sn_contacts_find. */
sn_result sn_contacts_strayed(struct sn_world *world, bool *strayed);

/* reserve: makes room for the impulses of the contacts that were found. remember: stores them at the end of a step. */
bool sn_contacts_reserve_memory(struct sn_world *world);
void sn_contacts_remember(struct sn_world *world);

uint64_t sn_contacts_hash(uint64_t hash, const sn_contact_world *contact);

/* ---- spin.c: balls that rotate ----------------------------------------------------------------------------------- */

/* One of two bodies in contact: a ball, or a fixed shape, which does not rotate. */
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

/* m/s: the tangential velocity of the surface of a relative to that of b where they touch, as far as it is due to
   rotation; n from b to a. */
sn_vec3 sn_spin_slip(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n);

/* The share of a slip that positions remove; rotation removes the rest. give: the inverse masses of the positions. */
sn_real sn_spin_share(const sn_spinning *a, const sn_spinning *b, sn_real give);

/* Applies friction to the rotation of both: impulse (N s) on a, across n. */
void sn_spin_push(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 n, sn_vec3 impulse);

/* Rolling friction. *rolled: the angular impulse against the difference of spins in this substep so far (N m s). warm:
   a substep begins with a share of that of the substep before. resist: adds what stops the rolling, limited to `limit`
   in all. */
void sn_spin_warm(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_vec3 *rolled,
                  sn_real share);
void sn_spin_resist(const struct sn_world *world, const sn_spinning *a, const sn_spinning *b, sn_real limit,
                    sn_vec3 *rolled);

/* ---- Shared by the searches -------------------------------------------------------------------------------------- */

sn_friction sn_contacts_friction(const sn_contact_material *a, const sn_contact_material *b);

/* True if two pairs of category and mask let each other collide. */
bool sn_contacts_agree(uint32_t category, uint32_t mask, uint32_t other_category, uint32_t other_mask);

/* m: how far a particle may move in a step of dt. */
sn_real sn_contacts_displacement(const struct sn_world *world, uint32_t slot, sn_real dt);

/* The generation of a number, which may be used again: of a particle, or of what SN_IMPULSE_ marks. */
uint32_t sn_contacts_generation(const struct sn_world *world, uint32_t other);

/* recall: the impulses at the end of the last step; NULL if there was no contact. Multiplied by the factor they are the
   warm start of this step: impulses here are accelerations times the square of the substep. */
const sn_kept_impulse *sn_contacts_recall(const struct sn_world *world, uint32_t slot, uint32_t other);
sn_real sn_contacts_recall_factor(const struct sn_world *world, sn_real dt);

/* What a substep of a step begins with: a push, and one across the normal. And how long its substeps are beside those
   of the step before. */
sn_real sn_contacts_push_again(const sn_step_lengths *lengths, sn_real push, sn_real load);
sn_vec3 sn_contacts_push_again_across(const sn_step_lengths *lengths, sn_vec3 push, sn_vec3 load);
void sn_contacts_compare(struct sn_world *world, sn_real dt);

/* Relative to the sum of the radii: the centres of two balls come no nearer on their paths in a substep. If they were
   nearer before, they come no nearer than they were, but for a little. Directional ones, which part by going past each
   other, come as near as SN_BALLS_PASS of their distance. */
#define SN_BALLS_PASS   ((sn_real)0.5)
#define SN_BALLS_LITTLE ((sn_real)1e-4)

/* Of the path to the first contact: what is stopped stops shortly before it. */
#define SN_STOPS_BEFORE ((sn_real)0.99)

/* True if two balls pass through each other: one begins at `from`, seen from the other, and moves by u. *t: the time at
   which they should stop. */
static inline bool sn_contacts_balls_pass(sn_vec3 from, sn_vec3 u, sn_real reach, bool directional, sn_real *t)
{
    const sn_real square = vec3_dot(u, u), first = vec3_length(from), least = first < reach ? first : reach;
    const sn_real before = directional ? SN_BALLS_PASS * first : first - SN_BALLS_LITTLE * reach;
    const sn_real limit = before < SN_BALLS_PASS * reach ? before : SN_BALLS_PASS * reach;
    const sn_real s = -vec3_dot(from, u) / square, near = s < 1 ? s : 1;
    const sn_vec3 q = vec3_add(from, vec3_scale(u, near)), middle = vec3_add(from, vec3_scale(u, s));
    if (!(s > 0) || !(vec3_length(q) < limit))
        return false;
    const sn_real inside = least * least - vec3_dot(middle, middle);
    const sn_real touch = s - (inside > 0 ? real_sqrt(inside / square) : 0);
    *t = touch > 0 ? touch * SN_STOPS_BEFORE : 0;
    return true;
}

/* Stops a particle at a share t of its path in the substep. */
void sn_contacts_stop_particle(struct sn_world *world, uint32_t slot, sn_vec3 at, sn_real t);

/* Moves a particle, without losing what rounding drops of the way. */
void sn_contacts_add(const struct sn_world *world, uint32_t slot, sn_vec3 by);

/* N s: the normal impulse of a pair of particles in this step, if events are collected. */
sn_real sn_contacts_pair_impulse(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane);

/* m/s: its largest approach speed in this step. */
sn_real sn_contacts_pair_impact(const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane);

/* Takes a pair of particles out of its batch, to be solved as a skin contact. */
sn_skin_contact sn_contacts_take_pair(struct sn_world *world, uint32_t batch, uint32_t lane);

/* Multistep integrators restart for particles on which contact acted. */
void sn_contacts_forget(struct sn_world *world);

/* Moves fixed shapes to their poses at the end of the step. */
void sn_contacts_leave(struct sn_world *world);

#endif
