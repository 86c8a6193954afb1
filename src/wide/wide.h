/* Wide kernels: the projections of the most used kinds, sixteen constraints at a time, and the loops over particles that
   go with them. The same source is compiled for several instruction sets; which one runs is chosen when a world is made,
   from what the machine has, and does not change a bit of any result.

   Single precision only: with SINEW_DOUBLE everything goes the generic way, and sn_wide_choose gives NULL. */
#ifndef SN_WIDE_WIDE_H
#define SN_WIDE_WIDE_H

#include "base/vec.h"
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

   Rows are constraints without damping and with stiffness 1. A result that is not finite ends up in d, where settle finds
   it. */
typedef struct sn_wide_run {
    uint32_t batches;
    const uint16_t *near;   /* particles of a tile: numbers from x and d on */
    const uint32_t *far;    /* particles anywhere */
    const uint32_t *offset; /* planes: where the x of the sixteen particles lie one after the other */
    const uint16_t *mask;
    const float *param;
    const float *compliance; /* m/N or the like, finite and not negative; NULL: 0 for all, which is a little faster */
    const uint32_t *row;     /* may be NULL if multipliers are neither read nor written */
    float *lambda;           /* of the kind's pool */
    bool read_lambda;        /* not in the first pass of a substep: they count as 0 */
    bool write_lambda;       /* only where somebody may ask */
    float inverse_h2;        /* 1 / h^2 of the effective substep */
    float least;             /* m: where places have no remainder, smaller corrections are not made */
    /* near and far: */
    const sn_vec4 *x; /* place, and w: inverse mass */
    sn_vec4 *d;       /* what a place is short of, and was moved by; its w stays as it is. x itself: there is no such
                         thing, and places themselves are moved */
    /* planes: */
    float *plane; /* rows; offsets may be such that lanes reach into what lies before or behind in the row, or 16 floats
                     beyond all rows: those lanes are empty, and what they touch is written with what it holds */
    bool coarse;  /* places themselves are moved, and d is not looked at */
    float *largest; /* m, one for each lane, or NULL: raised to the largest correction. Of distances it is the
                       residual (see sn_settings.tolerance), of other kinds the farthest that a particle is moved along an axis */
} sn_wide_run;

typedef void sn_wide_fn(const sn_wide_run *run);

/* A kind; all zero for those that have no wide form. */
typedef struct sn_wide_kind {
    uint32_t points, params, rows;
    bool rigid_only; /* a constraint with compliance must go the generic way */
    bool spatial;    /* in a 2D world all must: this one does not know that z is locked */
    sn_wide_fn *near, *far, *planes;
} sn_wide_kind;

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
    sn_real *pressed;     /* m: what was pushed along the normal in this substep, or before it in the one before, */
    sn_real *last;        /*   and in the one before that */
    sn_real *rubbed;      /* m: and across it: 24 a batch, eight x, eight y, eight z */
    sn_real h, inverse_h; /* s */
    sn_real part;         /* m: overlap is reduced by at most so much in a visit, */
    sn_real ease;         /*   and by this share of it, */
    sn_real slop;         /*   down to this share of reach */
    sn_real bounce_above; /* m/s: slower ones do not bounce */
    sn_vec3 gravity;      /* m/s^2: that velocities of this substep have in them */
    bool bounces;         /* somebody has restitution */
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
    sn_real pressed[SN_NEAR], rubbed[3 * SN_NEAR]; /* in and out */
    sn_real gap[SN_NEAR];                          /* out, m */
} sn_wide_plane;

typedef struct sn_wide_contact {
    sn_wide_contacts_fn *warm;         /* begins with what the substep before ended with */
    sn_wide_contacts_fn *project;      /* holds apart, and rubs */
    sn_wide_contacts_fn *sweep;        /* the same where some may have come far, which are swept */
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
    bool turning;        /* in: to be solved with kappa; out: kappa matters */
    const sn_vec4 *x;    /* place and inverse mass */
    sn_vec4 *d;          /* what a place is short of, and was moved by: to which is added; its w stays as it is */
    sn_real *real;       /* scratch */
    double *number;      /*   and more of it */
    /* Of solvers/tree.h: what rows give, the least pivot, from where ropes turn, by how much kappa may have grown, what may be
       missed; and so many rounds more. */
    double soft, least_pivot, turning_from, stale, calm;
    uint32_t rounds;
} sn_wide_chain;

/* Solves it for C = 0, moves its particles and adds to its multipliers. False, with nothing changed, if it is none of the usual
   cases. */
typedef bool sn_wide_chain_fn(sn_wide_chain *run);

/* For worlds without wide kernels, in either precision: what the machine has. */
sn_wide_chain_fn sn_wide_chain_plain, sn_wide_chain_avx2;
sn_wide_chain_fn *sn_wide_choose_chain(void);

/* One pair at a time, in either precision. */
extern const sn_wide_contact sn_contact_scalar;

/* ---- Contact of bodies -------------------------------------------------------------------------------------------- */

#define SN_MEETS       8u /* meets in a batch, whatever the width of the machine */
#define SN_MEET_POINTS 4u /* of a meet, at most */

/* A row: one number of each meet of a batch. */
typedef sn_real sn_meet_row[SN_MEETS];

/* A vector of each, and a turn. */
typedef struct sn_meet_rows {
    sn_meet_row x, y, z;
} sn_meet_rows;

typedef struct sn_meet_turns {
    sn_meet_row x, y, z, w;
} sn_meet_turns;

/* One point of each. What is missing is 0, but for room, which is so large that nothing ever presses. */
typedef struct sn_wide_meet_point {
    sn_meet_rows arm_a, arm_b; /* m: r x n, in the world; before set_up: spots, along the axes of the bodies */
    sn_meet_row yield, mass;   /* 1/kg: what a push does to the point itself; kg: its inverse */
    sn_meet_row room;          /* m/s: so fast they may come nearer, or must part */
    sn_meet_row pressed;       /* N s: in this substep */
    sn_meet_row gap;           /* m: at the start of the substep */
    sn_meet_row far;           /* m: from the middle of the points, across the normal */
    sn_meet_row before;        /* m/s: how fast they came nearer before the substep; negative */
    sn_meet_row slide;         /* m/s: of that, how fast a collider's surface moves against the normal there */
} sn_wide_meet_point;

/* Eight pairs of bodies that touch, of which no two share one that moves; see meet.h. */
typedef struct sn_wide_meet {
    uint32_t a[SN_MEETS],
        b[SN_MEETS]; /* where their records begin; of a collider, or of a lane without a meet, one that is all 0 */
    uint32_t meet[SN_MEETS];                   /* whose they are */
    uint32_t lanes, points;                    /* so many lanes have a meet, and none more points than this */
    uint32_t moves_a, moves_b;                 /* a bit for each lane: it may be moved */
    bool misses, rolls, twists, deep, bounces; /* whether there is one that may miss, roll, twist, overlap, bounce */
    sn_meet_rows n;                            /* from b to a, in the world */
    sn_meet_row slop;                          /* m: so much overlap is left alone */
    sn_meet_row coupling[6]; /* 1/kg: what a push at one point does to another: 01, 02, 03, 12, 13, 23 */

    /* where they rub */
    sn_meet_rows ra, rb;    /* m: arms, in the world */
    sn_meet_row across;     /* kg: in the direction that yields most */
    sn_meet_row about;      /* kg m^2: about the normal */
    sn_meet_row hold, drag; /* friction */
    sn_meet_rows rubbed;    /* N s: across the normal, in this substep */
    sn_meet_row twisted;    /* N m s: about it */
    sn_meet_rows surface;   /* m/s: of a collider there */
    sn_meet_row spin;       /* rad/s: of it, about the normal */
    sn_meet_row roll;       /* kg m^2: about the axis that yields most; 0: nothing resists rolling */
    sn_meet_row rolling;    /* m: the largest torque against it, by what presses */
    sn_meet_rows rolled;    /* N m s */
    sn_meet_rows roller;    /* rad/s: of a collider */

    sn_meet_rows course; /* m/s: unless a turns from this velocity, seen from b, */
    sn_meet_row stray;   /*   by more than the root of that, they miss; of others it is negative */
    sn_meet_row restitution;
    sn_wide_meet_point point[SN_MEET_POINTS];
} sn_wide_meet;

/* What set_up needs to know besides. */
typedef struct sn_wide_meet_start {
    sn_meet_row count;                  /* of points */
    sn_meet_turns turn_a, turn_b;       /* from the axes of the bodies to the world: x, y, z, w */
    sn_meet_rows between;               /* m: from the centre of b to that of a */
    sn_meet_rows n;                     /* the normal that gaps are measured along */
    sn_meet_row lean, other;            /* the shares of what is between two spots that are in the arms of a and b */
    sn_meet_row guard;                  /* m: less than the distance, gaps are by that */
    sn_meet_row weight[SN_MEET_POINTS]; /* in the middle of the points */
} sn_wide_meet_start;

/* Batches, in the order in which they are worked on. Records of who moves are four sn_vec4: velocity and 1/kg, spin, and the inverse of
   the inertia in the world: xx, yy, zz, xy and xz, yz. For `part` ways and turns take the places of velocity and spin. */
typedef struct sn_wide_meets {
    uint32_t first, end;
    sn_wide_meet *batch;
    sn_vec4 *mover;
    sn_real h, inverse_h; /* s */
    sn_real far_off;      /* times slop: who would come so far into another in a substep is violent */
    sn_real most;         /* m: overlap is reduced by at most so much in a visit */
    sn_real bounce_above; /* m/s: slower ones do not bounce */
} sn_wide_meets;

typedef struct sn_wide_meet_table {
    /* Along the normal and where they rub: what does not change in a substep. Of batches without motion of colliders. */
    void (*set_up)(const sn_wide_meets *run, sn_wide_meet *batch, const sn_wide_meet_start *start);
    void (*warm)(const sn_wide_meets *run);    /* begins with what the batches say was pushed */
    bool (*project)(const sn_wide_meets *run); /* rubs, and presses; whether somebody is violent */
    void (*bounce)(const sn_wide_meets *run);
    void (*part)(const sn_wide_meets *run); /* moves apart what overlaps */
} sn_wide_meet_table;

/* One pair at a time, in either precision. */
extern const sn_wide_meet_table sn_meet_scalar;

typedef struct sn_wide {
    const char *name;
    const sn_wide_contact *contact;
    const sn_wide_meet_table *meet;
    sn_wide_chain_fn *chain;
    const sn_wide_kind *kind; /* by kind number, below SN_KIND_BUILTIN_END */

    const sn_motion_table *motion;

    /* Between records and rows: particle i of the range goes to lane i % 16 of row i / 16. count is a multiple of 16. */
    void (*spread)(const sn_vec4 *x, const sn_vec4 *d, uint32_t count, float *plane);
    void (*collect)(sn_vec4 *to, uint32_t count, const float *plane, bool coarse); /* d, or x if coarse; w stays */

    /* A tile that stays in planes, with rows of velocities beside them, and of BDF2's past (NULL: none): in and out again (a
       range, of a multiple of 16), and predict and settle as sn_motion_table has them, without forces. */
    void (*enter)(const sn_motion *motion, float *plane, float *side);
    void (*leave)(const sn_motion *motion, const float *plane, const float *side);
    void (*enter_past)(const sn_motion *motion, float *back);
    void (*leave_past)(const sn_motion *motion, const float *back);
    void (*predict_planes)(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows);
    bool (*settle_planes)(const sn_motion *motion, float *plane, float *side, uint32_t rows);
} sn_wide;

/* The same kinds without their functions, for plans of worlds that have no kernels: they have the same order then. */
extern const sn_wide_kind sn_wide_shapes[SN_KIND_BUILTIN_END];

/* The fastest that the machine has, or the one asked for, if it has it and NULL otherwise. */
const sn_wide *sn_wide_choose(sn_simd simd);

#endif
