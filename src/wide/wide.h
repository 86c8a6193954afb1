/* Wide kernels: the projection of constraints in batches of sixteen, contacts, and the loops over particles that go with them. The same source is compiled for several instruction sets; which one runs is chosen when a world is made,
   from what the machine has, and does not change a bit of any result.

   Single precision only: with SINEW_DOUBLE everything goes the generic way, and sn_wide_choose gives NULL. */
#ifndef SN_WIDE_WIDE_H
#define SN_WIDE_WIDE_H

#include "base/vec.h"
#include "collision/touch.h"
#include "constraints/evaluate.h"
#include "integrators/integrator.h"

#include <sinew/constraints.h>
#include <sinew/world.h>

#define SN_BATCH 16u /* constraints in a batch, whatever the width of the machine: the plan must not depend on it */

/* Planes: sixteen particles, one in each lane, make a row: sixteen times x, then y, z, then w, then d of each, 64 bytes each, so
   that a row is seven cache lines. What only particles need is in rows of its own. */
enum {
    SN_PLANE_X = 0,
    SN_PLANE_W = 3,
    SN_PLANE_D = 4, /* x_low of the state */
    SN_ROW = 7 * SN_BATCH,
    SN_PLANE_V = 0, /* of the other rows */
    SN_PLANE_V_LOW = 3,
    SN_SIDE_ROW = 6 * SN_BATCH,
    SN_PLANE_OLD_D = 0, /* of rows for BDF2 */
    SN_PLANE_OLD_V = 3,
    SN_PAST_ROW = 6 * SN_BATCH,
    SN_MARK_ROW = 3 * SN_BATCH /* of marks, which are scratch */
};

/* A run of batches of one kind whose constraints share no particle, so that they can be projected in any order.

   Batch b, lane l of a kind with P points and N parameters, in every layout:
       index   of point p: index[(b * P + p) * 16 + l]       (near, far)
               or one for all lanes: offset[b * P + p]      (planes)
       parameter n: param[(b * N + n) * 16 + l]
       compliance: compliance[b * 16 + l]
       row:     row[b * 16 + l], whose multipliers are lambda[row * rows ...]
       lane l is empty unless bit l of mask[b] is set; what its numbers are does not matter, but its index must be
       one of the run's particles

   A result that is not finite ends up in d, where settle finds it. */
typedef struct sn_wide_run {
    uint32_t batches;
    const uint16_t *near;   /* particles of a tile: numbers from x and d on */
    const uint32_t *far;    /* particles anywhere */
    const uint32_t *offset; /* planes: where the x of the sixteen particles lie one after the other */
    const uint16_t *mask;
    const float *param;
    const float *compliance; /* m/N or the like, finite and not negative; NULL: 0 for all, which is a little faster */
    const uint32_t *row;     /* by lane: its constraint. NULL: lambda is by lane, from the first of this run on */
    float *lambda;           /* of the kind's pool */
    bool read_lambda;        /* not in the first pass of a substep: they count as 0 */
    bool write_lambda;       /* only where something may ask */
    float inverse_h2;        /* 1 / h^2 of the effective substep */
    float *preload;      /* N, by row as lambda, or NULL. If given, constraints are not solved: see solvers/preload.h */
    float preload_share; /*   of what lambda has besides, which is added to it, */
    float preload_most;  /*   of the size of the constraint at most, */
    float last_inverse_h2; /*   lambda being from a substep of this, */
    float h2;              /*   and s^2 of this one */
    float least;           /* m: where places have no remainder, smaller corrections are not made */
    /* near and far: */
    const sn_vec4 *x; /* place, and w: inverse mass */
    sn_vec4 *d;       /* what a place is short of, and was moved by; its w stays as it is. x itself: there is no such
                         thing, and places themselves are moved */
    /* planes: */
    float *plane; /* rows; offsets may be such that lanes reach into what lies before or behind in the row, or 16 floats
                     beyond all rows: those lanes are empty, and what they touch is written with what it holds */
    bool coarse;  /* places themselves are moved, and d is not looked at */
    uint32_t number; /* of the kind */
    const sn_kind *kind;
    uint32_t params;
    uint32_t bounded;                         /* by row: it may be other than an equality; see sn_wide_bounded */
    bool planar;                              /* a 2D world */
    const float *damping;                     /* as compliance; NULL: 0 for all */
    const float *stiffness;                   /* k; NULL: 1 for all */
    float inverse_h, h;                       /* 1/s, of the effective substep; s, of the substep */
    const float *state;                       /* of the kind's pool; NULL: none */
    const sn_vec4 *start, *start_low, *old_d; /* as in sn_frame, from the same particle on as x; old_d may be NULL, */
    const sn_vec4 *expected;                  /*   and so may this */
    const float
        *start_plane; /* planes: the same, start in the place of d, old_d in that of x and its length in that of w */
    /* Points that are not particles: SN_ANCHOR_NUMBERS numbers in `fixed` for each point, and in `anchor` the slots of its corners
       and the row of its body, or SN_NO_BODY; by batch, point, number and lane. NULL: points are particles. */
    const uint32_t *anchor;
    const float *fixed;
    uint32_t corners; /* of each point: 1, or 4, which then have weights */
    bool bodies;      /* some points are fixed to bodies */
    bool shared;      /* some constraints have a particle, or a body, behind two points */
    const struct sn_turn *turn;
    sn_vec4 *turned;    /* d of the turns of bodies, by body, */
    uint32_t turn_node; /*   which are so far behind x */
    float *force,
        *torque;    /* by batch and lane, or NULL: what is exerted on the last point, times h^2; see sn_tiled_watch */
    float *largest; /* m, one for each lane, or NULL: raised to the largest correction. Of distances it is the
                       residual (see sn_settings.tolerance), of other kinds the farthest that a particle is moved along an axis */
    uint16_t
        *far_off; /* distances, by batch, or NULL: the lanes in which they were off, before they were moved, by more */
    float off_from;  /*   than this times what they should be are added; of largest ones, those that were longer; */
    uint32_t *noted; /*   and their number is added to this */
} sn_wide_run;

#define SN_NO_BODY UINT32_MAX

/* The numbers of an anchored point. */
enum {
    SN_ANCHOR_PLACE = 0,     /* 3, m: from the centre of a body along its principal axes; or in the world */
    SN_ANCHOR_TURN = 3,      /* 4: of its own axes, in the same frame */
    SN_ANCHOR_WEIGHT = 7,    /* 4: of its corners */
    SN_ANCHOR_IS_PLACE = 11, /* 1: it is a place in the world; its corner is then any particle of the constraint */
    SN_ANCHOR_NUMBERS = 12
};

typedef void sn_wide_fn(const sn_wide_run *run);

/* The driver: constraints of any kind, by the kind's own function of the same width and precision. */
typedef void sn_wide_drive_fn(const sn_wide_run *run, sn_lanes_fn *evaluate);

/* The rows that may be other than equalities. */
static inline uint32_t sn_wide_bounded(const sn_kind *kind)
{
    const uint32_t all = (1u << kind->rows) - 1;
    return !kind->own_rows ? kind->inequality : kind->bounded ? kind->bounded | kind->inequality : all;
}

/* Distances have kernels of their own, in which formula, row and memory are one. */
typedef struct sn_wide_fused {
    sn_wide_fn *near, *far, *planes;
} sn_wide_fused;

#define SN_FUSED_KINDS (SN_KIND_DISTANCE_MAX + 1)

#define SN_NEAR 8u /* pairs in a batch of contacts */

/* Batches of pairs of balls, of which no two in a batch share a ball; see contact.h for what is done to them. Numbers of pairs are
   by batch and lane: [batch * 8 + lane]. */
typedef struct sn_wide_contacts {
    uint32_t first, end;   /* batches */
    const uint32_t *index; /* 16 a batch: eight slots a, then eight slots b; lanes without a pair repeat the first */
    const uint8_t *lanes;  /* by batch: so many lanes have a pair */
    sn_vec4 *x, *v;        /* place and inverse mass; velocity, which is what the particle did in this substep */
    sn_vec4 *x_low;        /* what rounding left over of places */
    const sn_real *reach;  /* m: centres do not come nearer */
    const sn_real *hold, *drag, *restitution; /* static and dynamic friction and restitution; NULL: the same for all: */
    sn_real hold_all, drag_all, restitution_all;
    sn_real *normal_impulse;  /* m: what was pushed along the normal in this substep, or before it in the one before, */
    sn_real *last;            /*   and in the one before that */
    sn_real *tangent_impulse; /* m: and across it: 24 a batch, eight x, eight y, eight z */
    sn_real h, inverse_h;     /* s */
    sn_real part;             /* m: overlap is reduced by at most so much in a visit, */
    sn_real ease;             /*   and by this share of it, */
    sn_real slop;             /*   down to this share of reach */
    sn_real bounce_above;     /* m/s: slower ones do not bounce */
    sn_real *
        given; /* m/s: as rubbed: to which is added what changed of the velocity of a, seen from b; NULL: it is not asked for */
    const sn_real *belt; /* m/s: as rubbed: a is to slip on b so; NULL: nowhere */
    sn_vec3 gravity;     /* m/s^2: that velocities of this substep have in them */
    bool bounces;        /* some pair has restitution */
} sn_wide_contacts;

typedef void sn_wide_contacts_fn(const sn_wide_contacts *run);

/* Up to eight balls, no two the same, and a plane; numbers by lane. Lanes beyond `lanes` repeat the first slot. */
typedef struct sn_wide_plane {
    uint32_t lanes;
    uint32_t slot[SN_NEAR];
    sn_vec4 *x, *x_low, *v;                 /* as in sn_wide_contacts */
    sn_vec3 normal, velocity;               /* of the plane */
    sn_real offset;                         /* m: normal * x of its points */
    sn_real h, inverse_h, part, ease, slop; /* as there; slop is a share of the radius */
    sn_real radius[SN_NEAR], hold[SN_NEAR], drag[SN_NEAR];
    sn_real normal_impulse[SN_NEAR], tangent_impulse[3 * SN_NEAR]; /* in and out */
    sn_real gap[SN_NEAR];                                          /* out, m */
} sn_wide_plane;

typedef struct sn_wide_contact {
    sn_wide_contacts_fn *warm;    /* begins with what the substep before ended with */
    sn_wide_contacts_fn *project; /* holds apart, and rubs */
    sn_wide_contacts_fn *sweep;   /* the same where some may have come far, which are swept, and for belts and given */
    void (*plane)(sn_wide_plane *run); /* as project, for a plane */
} sn_wide_contact;

/* A rope of rods that do not give, cut into stretches; see wide/chain.h. */
#define SN_CHAIN_STRETCHES 8u
enum { SN_CHAIN_REALS = 11, SN_CHAIN_DOUBLES = 20 }; /* so much scratch, (rows + 1) * 8 times */

typedef struct sn_wide_chain {
    uint32_t links, rows; /* rows: links of a stretch, the least for which there are stretches enough */
    /* By row and stretch, [row * 8 + stretch]: */
    const uint32_t *
        slot; /* rows + 1 of them: of the particle before the link, and behind the last. Beyond the end of the rope its last
                             two particles in turn */
    const sn_real *rest; /* m; beyond the end that of the last link */
    const uint32_t *row; /* the link's multiplier is lambda[row] */
    double *kappa;       /* in, if turning, that of the last solve; out, if turning, of this one */
    sn_real *lambda;     /* to which is added */
    bool fresh;          /* these are 0 */
    bool together;       /* of a team: its ropes' particles lie as SN_TEAM_PLACE has it, in every row */
    bool drops;          /* these stay as they are: nothing will read them */
    bool turning;        /* in: to be solved with kappa; out: kappa matters */
    const sn_vec4 *x;    /* place and inverse mass */
    sn_vec4 *d;          /* what a place is short of, and was moved by: to which is added; its w stays as it is */
    sn_real *real;       /* scratch */
    double *number;      /*   and more of it */
    /* Of solvers/tree.h: what rows give, the least pivot, from where ropes turn, by how much kappa may have grown, what may be
       missed, by the violation before, by length, and in any case; and so many rounds more. */
    double soft, least_pivot, turning_from, stale, calm, precise, rounding;
    uint32_t rounds;
} sn_wide_chain;

/* Solves it for C = 0, moves its particles and adds to its multipliers. False, with nothing changed, if it is none of the usual
   cases. */
typedef bool sn_wide_chain_fn(sn_wide_chain *run);

/* Ropes of as many links, a team, at once; see wide/chain_team.h. slot, rest and row are by stretch, row and rope,
   [(stretch * (rows + 1) + row) * 8 + rope], and scratch is as much as all of them take; none of them is turning, and kappa is not
   looked at. Bit i: rope i is solved, as it would have been alone, and need not turn. The others are as they were. */
#define SN_CHAIN_TEAM 8u
#define SN_TEAM_ALL   ((1u << SN_CHAIN_TEAM) - 1)

/* Where the particle of rope i is best stored beside those of the others: pairs are then vectors as eight lanes take them (RECORDS_AT in simd.h). */
#define SN_TEAM_PLACE(i) (2 * ((i) % 4) + (i) / 4)
typedef uint32_t sn_wide_team_fn(const sn_wide_chain *run);

/* For worlds without wide kernels, in either precision: what the machine has. */
sn_wide_chain_fn sn_wide_chain_plain, sn_wide_chain_avx2;
sn_wide_chain_fn *sn_wide_choose_chain(void);

/* One pair at a time, in either precision. */
extern const sn_wide_contact sn_contact_scalar;

/* Features of surfaces, all triangles or all edges: coordinate k of corner c of feature i is at[(3 c + k) stride + i]. What is behind the last can be read, up to a multiple of 16. */
typedef struct sn_wide_features {
    const sn_real *at;
    uint32_t stride, count;
} sn_wide_features;

/* Finds those of them, from the first given on, that may be nearer than `far` to one feature, by its corners: a point and triangles, or two edges. Numbers go to `to`, in their order; gives how many. */
typedef struct sn_wide_nearness {
    const sn_wide_features *of;
    sn_real far;   /* m: what is nearer than that is found, and some more */
    sn_real small; /* m^2: edges whose squared lengths are less are too short to measure */
} sn_wide_nearness;

typedef uint32_t sn_wide_near_fn(const sn_wide_nearness *run, const sn_vec3 *corner, uint32_t first, uint16_t *to);

/* Pairs of features, all of a vertex and a triangle or all of two edges: coordinate k of corner c of pair i, less that of corner 0, is places[(3 (c - 1) + k) SN_WIDE_COUPLES + i]. What is behind the last
   can be read and written, up to a multiple of 16. */
#define SN_WIDE_COUPLES 64u

typedef struct sn_wide_couples {
    const sn_real *places;
    uint32_t count;
    bool edges;
    sn_real *low, *high; /* m: bounds of their distance; or what differences gives, in high */
    sn_real *inner;      /* 0: one of the nearest spots is on the rim of the triangle, or is an end of an edge */
} sn_wide_couples;

typedef void sn_wide_couples_fn(const sn_wide_couples *run);

/* Features that go far, all of one sort: coordinate k of vector c of feature i is rows[(3 c + k) stride + i]. The five vectors are the least and the most place at the start, the same at the end, and what the
   feature adds to the mean way of two features. The stride is a multiple of 16. */
#define SN_WIDE_SWEEP_ROWS 15u

typedef struct sn_wide_sweeps {
    const sn_real *rows;
    uint32_t stride, count;
    sn_real *around; /* three rows of least places and three of most, seen from any mean way that may be */
    uint16_t *near;  /* features that come near, in their order, */
    uint16_t *group; /*   and first ones of vectors of them */
    uint32_t near_count, group_count;
} sn_wide_sweeps;

/* Sets what is below `count` there, with those near that come to a box. box: the least and the most place of that, and of mean ways. */
typedef void sn_wide_reaching_fn(sn_wide_sweeps *of, const sn_real box[4][3]);

/* Those of the groups of `of`, from the first given on, whose ways come as near as `far` to that of feature i of `from`; as sn_wide_near_fn. */
typedef uint32_t sn_wide_sweeps_fn(const sn_wide_sweeps *from, uint32_t i, const sn_wide_sweeps *of, sn_real far,
                                   uint32_t first, uint16_t *to);

/* Corners of a tile: rows of x, y and z of places; of vectors, or of where the ways of places lead; of two weights
   for sums; and of 1. What is behind the last can be read, up to a multiple of 16: there places and vectors are
   those of the first, and weights and what should be 1 are 0. */
#define SN_WIDE_CORNERS     64u
#define SN_WIDE_CORNER_ROWS 9u

typedef struct sn_wide_corners {
    sn_real rows[SN_WIDE_CORNER_ROWS * SN_WIDE_CORNERS];
    uint32_t count;
    bool ways;
    /* add sets: */
    sn_bounds box;         /* of places, or of where ways lead */
    sn_vec3 place, vector; /* sums; of places seen from the first corner */
    sn_vec3 u, v, du, dv;  /* the same with weights */
    /* rest sets: */
    sn_real rest, radius; /* the largest square of what is left of a vector, and of the distance from the centre */
} sn_wide_corners;

typedef void sn_wide_corners_add_fn(sn_wide_corners *corners);
typedef void sn_wide_corners_rest_fn(sn_wide_corners *corners, sn_vec3 centre, sn_vec3 mean, sn_vec3 spin);

/* Triangles of a tile: rows of two of their sides, a and b, and of four numbers m that make deformation gradients
   of them: a m0 + b m2 and a m1 + b m3. What is behind the last is like some other one, up to a multiple of 16. */
#define SN_WIDE_GRADIENTS     96u
#define SN_WIDE_GRADIENT_ROWS 10u

typedef struct sn_wide_gradients {
    sn_real rows[SN_WIDE_GRADIENT_ROWS][SN_WIDE_GRADIENTS];
    uint32_t count;
    sn_real least[6], most[6]; /* is set: of the numbers of all gradients */
} sn_wide_gradients;

typedef void sn_wide_gradients_fn(sn_wide_gradients *gradients);

/* Vertices of surfaces: where they lie among particles, and what is noted of them, one after the other. Up to a multiple of
   8 behind the last, slots are those of some other one, and the rest can be read and written. */
typedef struct sn_wide_quiet {
    uint32_t count;
    const uint32_t *slot;
    sn_vec4 *x, *low, *v;               /* of particles */
    sn_vec4 *start, *start_low, *speed; /* as a substep begins */
    sn_vec4 *end;                       /* places as it ends */
    sn_vec4 *from, *from_speed;         /* as it began to be quiet */
    sn_real *
        square; /* is set. starts, m^2/s^2: how far velocities are from those; ends, m^2: how far places are from where those led in t; gains, J */
    sn_real t;  /* s */
    sn_vec3 gravity;     /* m/s^2 */
    sn_real share, lost; /* of the energy that is taken off; of the parts of a sum, which rounding may lose */
} sn_wide_quiet;

typedef struct sn_wide_near {
    sn_wide_near_fn *triangles, *edges;
    sn_wide_reaching_fn *reaching;
    sn_wide_sweeps_fn *sweeps;
    sn_wide_couples_fn *couples, *differences;
    sn_wide_corners_add_fn *corners;
    sn_wide_corners_rest_fn *rest;
    sn_wide_gradients_fn *gradients;
    bool (*quiet_starts)(const sn_wide_quiet *run); /* whether some place is not where the last substep ended */
    void (*quiet_ends)(const sn_wide_quiet *run), (*quiet_gains)(const sn_wide_quiet *run);
} sn_wide_near;

extern const sn_wide_near sn_near_scalar;

/* ---- Contact of bodies -------------------------------------------------------------------------------------------- */

#define SN_BODY_CONTACTS       8u /* contacts in a batch, whatever the width of the machine */
#define SN_BODY_CONTACT_POINTS 4u /* of a contact, at most */

/* A row: one number of each contact of a batch. */
typedef sn_real sn_lane_row[SN_BODY_CONTACTS];

/* A vector of each. */
typedef struct sn_lane_rows {
    sn_lane_row x, y, z;
} sn_lane_rows;

/* One point of each. What is missing is 0, but for room, which is so large that nothing ever presses. */
typedef struct sn_wide_body_contact_point {
    sn_lane_rows arm;           /* m: r x n of a, in the world; of b it is more by between x n */
    sn_lane_row mass;           /* kg: the inverse of yield */
    sn_lane_row room;           /* m/s: so fast they may come nearer, or must part */
    sn_lane_row normal_impulse; /* N s: in this substep */
    sn_lane_row far;            /* m: from the middle of the points, across the normal */
} sn_wide_body_contact_point;

/* What not every sweep needs of it. */
typedef struct sn_wide_body_contact_rest {
    sn_lane_row yield;  /* 1/kg: what a push does to the point itself */
    sn_lane_row gap;    /* m: at the start of the substep */
    sn_lane_row before; /* m/s: how fast they came nearer before the substep; negative */
    sn_lane_row parted; /* kg m: how far they were pushed apart */
    sn_lane_row struck; /* N s: what impacts pushed in this substep */
    sn_lane_row pull;   /* m/s^2: how fast they would come apart faster without contact */
} sn_wide_body_contact_rest;

/* Eight pairs of bodies that touch, of which no two share one that moves; see body_contact.h. What every sweep needs lies together: many
   batches are more than the caches near a core hold, and every pass goes through all of them. */
typedef struct sn_wide_body_contact {
    _Alignas(64) uint32_t a[SN_BODY_CONTACTS];
    uint32_t b[SN_BODY_CONTACTS]; /* where their records begin; of a lane without a contact, one that is all 0 */
    uint32_t lanes, points;       /* so many lanes have a contact, and none more points than this */
    uint32_t moves_a, moves_b;    /* a bit for each lane: it may be moved */
    bool misses, rolls, twists, deep, bounces; /* whether there is one that may miss, roll, twist, overlap, bounce; */
    bool was_parted;                           /* in this substep: `parted` is known */
    bool bends;                  /* or turns so far in the substep that its inertia is another at its end; */
    bool belted;                 /* or is on a belt; */
    bool arcs;                   /* or rotates, so that what sticks goes on an arc */
    sn_real stirred;             /* the last sweep in which one was violent, or a later one of before */
    _Alignas(32) sn_lane_rows n; /* from b to a, in the world */
    sn_lane_rows between;        /* m: from the centre of b to that of a */
    sn_lane_row violent_above;   /* m/s: what comes nearer so fast at a point is violent */
    sn_lane_row coupling[6];     /* 1/kg: what a push at one point does to another: 01, 02, 03, 12, 13, 23 */

    /* where they rub */
    sn_lane_rows ra;              /* m: the arm of a, in the world; that of b is more by `between` */
    sn_lane_row across;           /* kg: in the direction that yields most */
    sn_lane_row about;            /* kg m^2: about the normal */
    sn_lane_row hold, drag;       /* friction */
    sn_lane_rows tangent_impulse; /* N s: across the normal, in this substep */
    sn_lane_row twisted;          /* N m s: about it */
    sn_lane_row steady;           /* above 0: it pressed in the two substeps before */
    sn_wide_body_contact_point point[SN_BODY_CONTACT_POINTS];

    /* what not every sweep needs */
    sn_wide_body_contact_rest rest[SN_BODY_CONTACT_POINTS];
    uint32_t contact[SN_BODY_CONTACTS]; /* whose they are */
    sn_lane_row slop;                   /* m: so much overlap is left alone */
    sn_lane_row far_off;                /* m: what would come so far into the other in a substep is violent */
    sn_lane_row roll;                   /* kg m^2: about the axis that yields most; 0: nothing resists rolling */
    sn_lane_row rolling;                /* m: the largest torque against it, by what presses */
    sn_lane_rows rolled;                /* N m s */
    sn_lane_rows belt;                  /* m/s: a is to slip on b so, if belted */
    sn_lane_rows arc;    /* m/s: a slips on b by so much more than velocities say, because both rotate, if it arcs */
    sn_lane_rows course; /* m/s: unless a turns from this velocity, seen from b, */
    sn_lane_row stray;   /*   by more than the root of that, they miss; of others it is negative */
    sn_lane_row restitution;
    sn_lane_row met; /* not 0: n and arms are those where the two touch first in this substep */
} sn_wide_body_contact;

/* Whose normal it is: that of a face turns with its body. */
typedef enum sn_normal_owner {
    SN_NORMAL_OF_B,
    SN_NORMAL_OF_A,
    SN_NORMAL_OF_NONE, /* it stays as it is in the world */
    SN_NORMAL_BETWEEN  /* it leads from the anchor on b to that on a */
} sn_normal_owner;

/* One point of the manifold of each: its anchors on the cores of both, along the axes of the bodies. */
typedef struct sn_wide_anchor {
    sn_lane_rows a, b;         /* m */
    sn_lane_row last, impulse; /* N s: pressed in the substep before, and in all substeps that are over */
} sn_wide_anchor;

/* The manifolds of a batch as they were found. Substeps move the anchors with their bodies, until one has slid too far. */
typedef struct sn_wide_manifold {
    sn_lane_row count;            /* of points */
    sn_lane_row owner;            /* of the normal: an sn_normal_owner */
    sn_lane_rows normal;          /* from b to a, in the frame of its owner */
    sn_lane_row round_a, round_b; /* m: from the cores to the surfaces */
    sn_lane_row lean;             /* the share of what is between two anchors that is in the arm of a */
    sn_lane_row spread; /* how far from their middle they press in the mean, as a share of how far points are */
    sn_lane_row guard;  /* m: less than the distance, gaps are by that */
    sn_lane_row bent;   /* m^2: a way that turns by more than the root of this is bent; negative: its gaps are not */
    sn_lane_row size;   /* m: how far the core of the smaller one reaches: its turn moves points by no more */
    sn_lane_row slid, most_slid; /* m: how far the anchors slid off each other since, and may */
    sn_lane_row impact;          /* m/s: how fast they came together in substeps that are over, at most */
    sn_lane_row moved, reach;    /* m: how far the two may have come towards each other since, and may */
    sn_wide_anchor point[SN_BODY_CONTACT_POINTS];
} sn_wide_manifold;

/* sn_vec4 in the record of what moves: velocity and 1/kg; spin, and how fast spots go because of it, or, in a pass, the last sweep in
   which it was violent; the inverse of the inertia in the
   world, xx, yy, zz, xy, and xz, yz, how far it may be thrown, and how thin it is; place; turn; and by how much less than its velocities say it goes
   and turns, because they changed within the substep: for `part`, which changes these, records begin there. */
#define SN_BODY_CONTACT_RECORD 8u

/* Batches, in the order in which they are worked on. */
typedef struct sn_wide_body_contacts {
    uint32_t first, end;
    sn_wide_body_contact *batch;
    sn_wide_manifold *manifold;
    sn_vec4 *mover;
    const sn_vec4 *inertia; /* of these */
    sn_real h, inverse_h;   /* s */
    sn_real fall;           /* m: what gravity may add to a way in a substep */
    sn_real deep;           /* times slop: what overlaps by so much is violent when it is parted */
    sn_real most;           /* m: overlap is reduced by at most so much in a visit */
    sn_real bounce_above;   /* m/s: slower ones do not bounce */
    sn_real sweep;          /* its number, from 1 on */
    bool stirred_only;      /* project, part: only those of which one was violent in sweep `since` or later */
    sn_real since;
} sn_wide_body_contacts;

/* Numbers of what moves, in fours, one behind the other. */
enum {
    SN_MOVER_SIZES = 0, /* m: how far it reaches from its centre, how thin it is, how far it may come */
    SN_MOVER_WAYS =
        4, /* m: how far its spots came by turning in the step; the same and by what may yet act on it; its way in the
                             substep */
    SN_MOVER_SOUGHT = 8, /* m: where it was when space was searched for it */
    SN_MOVER_PLACE = 11, /* m: where it was when the substep began, */
    SN_MOVER_TURN = 14,  /*   and how it was turned; all 0: the step begins */
    SN_MOVER_NUMBERS = 18
};

/* Up to eight of them, and where all about them is. Behind the last one that one is repeated. */
typedef struct sn_wide_movers {
    uint32_t count;
    uint32_t watched; /* bits: it moves, so that `ways` are to be kept */
    uint32_t left;    /* bits: gets which of those may leave the space that was searched for them; */
    bool fast;        /*   and whether one may come farther than it is thin */
    sn_real fall;     /* m/s: what gravity adds to a velocity in the substep */
    sn_real *record[SN_BODY_CONTACTS], *own[SN_BODY_CONTACTS]; /* as of SN_BODY_CONTACT_RECORD and SN_MOVER_SIZES */
    sn_real *x[SN_BODY_CONTACTS], *v[SN_BODY_CONTACTS], *turn[SN_BODY_CONTACTS];
    sn_lane_row driven; /* m/s: how much faster spots become by what acts on it, at most */
} sn_wide_movers;

#define SN_CERTAIN ((sn_real)0.999) /* of a distance: rounding takes less */

/* m: how far a spot at this distance comes by a turn from p to q, at most: its angle is no more than so many times the
   distance of the quaternions. */
#define SN_CHORD ((sn_real)2.25)

/* Where parts are on their bodies. */
typedef struct sn_wide_part_rows {
    sn_lane_rows place;
    sn_lane_row turn[4];
} sn_wide_part_rows;

#define SN_CLEAR_CUSHION ((sn_real)0.25) /* of the way that two may come in any direction: others may push them aside */
#define SN_CLEAR_ROOM    ((sn_real)5) /* times the slop: so near to each other they are looked at, whatever they do */

/* Two solids in each lane, rounded boxes: see wide/body_clear.h. */
typedef struct sn_wide_pairs {
    uint32_t count;
    uint32_t a[SN_BODY_CONTACTS], b[SN_BODY_CONTACTS]; /* records, as in sn_wide_body_contact */
    bool parts;                       /* some are not where their bodies are: part_a and part_b count */
    bool boxes, segments;             /* some are boxes; some are none, neither of the two */
    sn_lane_row half_a[3], half_b[3]; /* m: half their edges, */
    sn_lane_row radius;               /* and of both together */
    sn_lane_row slop;
    sn_lane_rows normal; /* a direction of a, in its own frame; 0: none */
    sn_wide_part_rows part_a, part_b;
    sn_lane_row apart; /* m: gets how far apart they are, of those that stay so */
} sn_wide_pairs;

typedef struct sn_wide_body_contact_table {
    /* When a substep begins, and spins are known: where movers are, how fast they are, and how far they may come. */
    void (*begin)(const sn_wide_body_contacts *run, sn_wide_movers *movers);
    /* A bit for each lane of which an axis shows that the two do not touch in this substep. */
    uint32_t (*clear)(const sn_wide_body_contacts *run, sn_wide_pairs *pairs);
    /* When a substep begins: how far the manifolds of one batch have drifted by its end. A bit for each lane of which it is too far. */
    uint32_t (*drift)(const sn_wide_body_contacts *run, uint32_t batch);
    void (*set_up)(
        const sn_wide_body_contacts *run); /* anchors, gaps and masses of the substep, and what it begins with */
    void (*weigh)(const sn_wide_body_contacts *run);   /* masses once more, of what turned far */
    void (*warm)(const sn_wide_body_contacts *run);    /* begins with what the batches say was pushed */
    bool (*project)(const sn_wide_body_contacts *run); /* friction, and normal impulses; whether a contact is violent */
    bool (*strike)(
        const sn_wide_body_contacts *run); /* impacts; whether there was one. Sweep 0 comes first, and has none */
    bool (*part)(const sn_wide_body_contacts *run); /* moves apart what overlaps; whether some is deep */
} sn_wide_body_contact_table;

/* One pair at a time, in either precision. */
extern const sn_wide_body_contact_table sn_body_contact_scalar;

/* Groups of rows of a tile in planes, for aggregates of which there is one in each lane: see solvers/hierarchy.h. */
typedef struct sn_wide_row {
    uint32_t row;
    float weight[SN_BATCH]; /* by lane; 0: the particle is in no aggregate */
} sn_wide_row;

typedef struct sn_wide_groups {
    uint32_t groups;
    const uint32_t *first; /* by group, and one more: of its rows */
    const sn_wide_row *row;
    float *plane;
    sn_vec4 *node;  /* sixteen for each group, every other one: x with w, and d between these */
    float *nodes;   /* the same as rows, as of particles */
    sn_vec3 origin; /* m: sums are from here on */
    bool coarse;
} sn_wide_groups;

/* Limits between aggregates: at most so far apart. No two of a run share an aggregate. */
typedef struct sn_wide_limits {
    uint32_t batches;
    const uint32_t *end;  /* 32 a batch: sixteen ends a, then sixteen ends c, where they are in */
    sn_vec4 *node;        /*   this: x and w, and then d, which is moved */
    const float *most;    /* m, 16 a batch */
    const uint16_t *mask; /* by batch; lanes without a limit name others of the run */
} sn_wide_limits;

/* An immovable particle: where it is in this substep. */
typedef struct sn_wide_pin {
    sn_vec4 x, low;
} sn_wide_pin;

/* Particles that some of these hold, one each: of a row of planes, or any. */
typedef struct sn_wide_hold {
    uint32_t row;
    bool again;              /* of a row: these are the same as of the one before: */
    uint32_t pin[SN_BATCH];  /* by lane, twice their numbers */
    float most[SN_BATCH];    /* m, by lane: the particle is no farther from it; infinite: it is not held */
    uint32_t slot[SN_BATCH]; /* by lane: where the particles are in storage */
} sn_wide_hold;

typedef struct sn_wide_holds {
    const sn_wide_hold *hold; /* one after the other */
    uint32_t count;
    const sn_wide_pin *pin;
    float *plane;     /* of rows; */
    bool nodes;       /*   of aggregates, seen from */
    sn_vec3 origin;   /*   here. Otherwise: */
    const sn_vec4 *x; /* by slot, */
    sn_vec4 *moved;   /*   and this: x where places are coarse, otherwise what they have left */
    bool coarse;
} sn_wide_holds;

typedef struct sn_wide {
    const char *name;
    uint32_t vector; /* bytes */
    const sn_wide_contact *contact;
    const sn_wide_near *near;
    const sn_wide_body_contact_table *body_contact;
    sn_wide_chain_fn *chain;
    sn_wide_team_fn *team;
    const sn_wide_fused *fused; /* by kind number, below SN_FUSED_KINDS */

    const sn_motion_table *motion;

    /* Between records and rows: particle i of the range goes to lane i % 16 of row i / 16. count is a multiple of 16. */
    void (*spread)(const sn_vec4 *x, const sn_vec4 *d, uint32_t count, float *plane);
    void (*collect)(sn_vec4 *to, uint32_t count, const float *plane, bool coarse);   /* d, or x if coarse; w stays; */
    void (*restore)(const sn_vec4 *from, uint32_t count, float *plane, bool coarse); /*   and the same back again */

    /* A tile that stays in planes, with rows of velocities beside them, and of BDF2's past (NULL: none): in and out again (a
       range, of a multiple of 16), and predict and settle as sn_motion_table has them, without forces. */
    void (*enter)(const sn_motion *motion, float *plane, float *side);
    void (*leave)(const sn_motion *motion, const float *plane, const float *side);
    void (*enter_past)(const sn_motion *motion, float *back);
    void (*leave_past)(const sn_motion *motion, const float *back);
    bool (*predict_planes)(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows);
    bool (*settle_planes)(const sn_motion *motion, float *plane, float *side, uint32_t rows);

    /* x of node becomes the weighted sum of places; nodes become node; and what has a weight is moved by d of nodes. */
    void (*gather_rows)(const sn_wide_groups *run);
    void (*take_nodes)(const sn_wide_groups *run);
    void (*move_rows)(const sn_wide_groups *run);

    void (*sweep_limits)(const sn_wide_limits *run);

    /* What is too far away is pulled back. */
    void (*hold_rows)(const sn_wide_holds *run);
    void (*hold_lanes)(const sn_wide_holds *run);

    /* Notes in far_off the rods of a run that are longer than off_from times their rest length. */
    sn_wide_fn *find_too_long;
} sn_wide;

/* Projects the constraints of a run. Its kind has a formula over lanes. */
void sn_wide_project(const sn_wide *wide, const sn_wide_run *run);

/* The fastest that the machine has, or the one asked for, if it has it and NULL otherwise. */
const sn_wide *sn_wide_choose(sn_simd simd);

#endif
