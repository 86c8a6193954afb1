/* Wide kernels: the projection of constraints in batches of sixteen, contacts, and the loops over particles that go
   with them. The same source is compiled for several instruction sets. The choice is made when a world is created, by
   the features of the machine, and does not change a bit of any result.

   Single precision only: with SINEW_DOUBLE everything uses the generic code, and sn_wide_choose returns NULL. */
#ifndef SN_WIDE_WIDE_H
#define SN_WIDE_WIDE_H

#include "base/vec.h"
#include "collision/touch.h"
#include "constraints/evaluate.h"
#include "integrators/integrator.h"

#include <sinew/constraints.h>
#include <sinew/world.h>

/* Constraints in a batch, whatever the width of the machine, because the plan must not depend on it. */
#define SN_BATCH 16u

/* Planes. Sixteen particles, one in each lane, form a row: sixteen values of x, then of y, z, w, then of each component
   of d, 64 bytes each. So a row has seven cache lines. Data that only loops over particles need are in separate
   rows. */
enum {
    SN_PLANE_X = 0,
    SN_PLANE_W = 3,
    SN_PLANE_D = 4, /* x_low of the state */
    SN_ROW = 7 * SN_BATCH,
    SN_PLANE_V = 0, /* in the rows of velocities */
    SN_PLANE_V_LOW = 3,
    SN_SIDE_ROW = 6 * SN_BATCH,
    SN_PLANE_OLD_D = 0, /* in the rows for BDF2 */
    SN_PLANE_OLD_V = 3,
    SN_PAST_ROW = 6 * SN_BATCH,
    SN_MARK_ROW = 3 * SN_BATCH /* in rows of marks, which are scratch */
};

/* A run of batches of one kind whose constraints share no particle, so that they can be projected in any order.

   Batch b, lane l of a kind with P points and N parameters, in every layout:
       index   of point p: index[(b * P + p) * 16 + l]       (near, far)
               or one for all lanes: offset[b * P + p]      (planes)
       parameter n: param[(b * N + n) * 16 + l]
       compliance: compliance[b * 16 + l]
       row:     row[b * 16 + l], whose multipliers are lambda[row * rows ...]
       lane l is empty unless bit l of mask[b] is set; then its numbers do not matter, but its index must be that
               of a particle of the run

   A result that is not finite ends up in d, where settle finds it. */
typedef struct sn_wide_run {
    uint32_t batches;
    const uint16_t *near;   /* particles of a tile: indices relative to x and d */
    const uint32_t *far;    /* particles anywhere */
    const uint32_t *offset; /* planes: where the x of sixteen consecutive particles begin */
    const uint16_t *mask;
    const float *param;
    const float *compliance; /* m/N or the like, finite and not negative; NULL: 0 for all, which is a little faster */
    const uint32_t *row;     /* for each lane: its constraint. NULL: lambda is by lane, from the first of this run on */
    float *lambda;           /* of the kind's pool */
    bool read_lambda;        /* false in the first pass of a substep: they count as 0 */
    bool write_lambda;       /* only if they may be read later */
    float inverse_h2;        /* 1 / h^2 of the effective substep */
    float *preload;        /* N, by row as lambda, or NULL. If given, the pass applies preloads instead of solving: see
                              solvers/preload.h */
    float preload_share;   /* share of the rest of lambda that is added to the preload */
    float preload_most;    /* limit, relative to the size of the constraint */
    bool holds;            /* see sn_preload_holds: no such limit, and SN_PRELOAD_GIVE; false without preloads */
    float last_inverse_h2; /* of the substep to which lambda belongs */
    float h2;              /* s^2, of this substep */
    float least;           /* m: where positions have no remainder, smaller corrections are dropped */
    /* For near and far: */
    const sn_vec4 *x; /* position, and w: inverse mass */
    sn_vec4 *d;       /* remainder and displacement; its w is unchanged. Equal to x: there are no remainders, and
                         positions themselves are moved */
    /* For planes: */
    float *plane; /* rows. Offsets may be such that lanes reach into the data before or after in the row, or 16 floats
                     beyond all rows: those lanes are empty, and what they touch is rewritten unchanged */
    bool coarse;  /* positions themselves are moved, and d is not used */
    uint32_t number; /* of the kind */
    const sn_kind *kind;
    uint32_t params;
    uint32_t bounded;                         /* a bit for each row that may be other than an equality; see
                                                 sn_wide_bounded */
    bool planar;                              /* a 2D world */
    const float *damping;                     /* as compliance; NULL: 0 for all */
    const float *stiffness;                   /* k; NULL: 1 for all */
    float inverse_h, h;                       /* 1/s, of the effective substep; s, of the substep */
    const float *state;                       /* of the kind's pool; NULL: none */
    const sn_vec4 *start, *start_low, *old_d; /* as in sn_frame, from the same particle on as x; old_d may be NULL, */
    const sn_vec4 *expected, *by_friction;    /*   and so may these */
    const float
        *start_plane; /* planes: the same; start in the place of d, old_d in that of x and its length in that of w */
    /* Points that are not particles. `fixed` has SN_ANCHOR_NUMBERS numbers for each point. `anchor` has the slots of
       its corners and the row of its body, or SN_NO_BODY. Both by batch, point, number and lane. NULL: points are
       particles. */
    const uint32_t *anchor;
    const float *fixed;
    uint32_t corners; /* for each point: 1, or 4 with weights */
    bool bodies;      /* some points are attached to bodies */
    bool shared;      /* some constraints use a particle or a body for two points */
    const struct sn_turn *turn;
    sn_vec4 *turned;    /* d of the turns of bodies, by body */
    uint32_t turn_node; /* their distance from x, in records */
    float *force,
        *torque;    /* by batch and lane, or NULL: force and torque on the last point, times h^2; see sn_tiled_watch */
    float *largest; /* m, one for each lane, or NULL: raised to the largest correction. For distances this is the
                       residual (see sn_settings.tolerance), for other kinds the largest displacement of a particle
                       along an axis */
    uint16_t *far_off; /* distances, by batch, or NULL: adds the lanes whose error before the correction was more */
    float off_from;    /* than this times the rest length; for upper bounds, only those that were longer */
    uint32_t *noted;   /* and adds their number to this */
} sn_wide_run;

#define SN_NO_BODY UINT32_MAX

/* The numbers of an anchored point. */
enum {
    SN_ANCHOR_PLACE = 0,     /* 3, m: from the centre of a body along its principal axes; or in the world */
    SN_ANCHOR_TURN = 3,      /* 4: orientation of its own axes, in the same frame */
    SN_ANCHOR_WEIGHT = 7,    /* 4: of its corners */
    SN_ANCHOR_IS_PLACE = 11, /* 1: it is a place in the world; its corner is then any particle of the constraint */
    SN_ANCHOR_NUMBERS = 12
};

typedef void sn_wide_fn(const sn_wide_run *run);

/* The driver: constraints of any kind, with the kind's own function of the same width and precision. */
typedef void sn_wide_drive_fn(const sn_wide_run *run, sn_lanes_fn *evaluate);

/* A bit for each row that may be other than an equality. */
static inline uint32_t sn_wide_bounded(const sn_kind *kind)
{
    const uint32_t all = (1u << kind->rows) - 1;
    return !kind->own_rows ? kind->inequality : kind->bounded ? kind->bounded | kind->inequality : all;
}

/* Distances have kernels of their own, which combine the formula, the row solution and memory access. */
typedef struct sn_wide_fused {
    sn_wide_fn *near, *far, *planes;
} sn_wide_fused;

#define SN_FUSED_KINDS (SN_KIND_DISTANCE_MAX + 1)

#define SN_NEAR 8u /* pairs in a batch of contacts */

/* Batches of pairs of balls; no two pairs of a batch share a ball. See contact.h for the method. Numbers of pairs are
   by batch and lane: [batch * 8 + lane]. */
typedef struct sn_wide_contacts {
    uint32_t first, end;   /* batches */
    const uint32_t *index; /* 16 for each batch: eight slots a, then eight slots b; lanes without a pair repeat the
                              first */
    const uint8_t *lanes;  /* for each batch: number of lanes with a pair */
    sn_vec4 *x, *v;        /* position and inverse mass; velocity, which is that of the motion in this substep */
    sn_vec4 *x_low;        /* rounding remainders of positions */
    const sn_real *reach;  /* m: least distance of the centres */
    const sn_real *static_friction, *dynamic_friction,
        *restitution; /* static and dynamic friction and restitution; NULL: the same for all: */
    sn_real static_friction_all, dynamic_friction_all, restitution_all;
    sn_real *normal_impulse;  /* m: along the normal, in this substep; on entry that of the previous one */
    sn_real *last;            /* and in the one before that */
    sn_real *tangent_impulse; /* m: across the normal: 24 for each batch, eight x, eight y, eight z */
    sn_real h, inverse_h;     /* s */
    sn_real part;             /* m: most that an overlap is reduced in a visit */
    sn_real ease;             /* and the share of it */
    sn_real slop;             /* share of reach down to which it is reduced */
    sn_real bounce_above;     /* m/s: slower pairs do not bounce */
    sn_real
        *given; /* m/s, laid out like tangent_impulse: the change of the velocity of a relative to b is added; NULL: not
                   recorded */
    const sn_real *belt; /* m/s, laid out like tangent_impulse: wanted slip of a on b; NULL: none */
    sn_vec3 gravity;     /* m/s^2: included in the velocities of this substep */
    bool bounces;        /* some pair has restitution */
} sn_wide_contacts;

typedef void sn_wide_contacts_fn(const sn_wide_contacts *run);

/* Up to eight different balls, and a plane. Numbers by lane. Lanes beyond `lanes` repeat the first slot. */
typedef struct sn_wide_plane {
    uint32_t lanes;
    uint32_t slot[SN_NEAR];
    sn_vec4 *x, *x_low, *v;                 /* as in sn_wide_contacts */
    sn_vec3 normal, velocity;               /* of the plane */
    sn_real offset;                         /* m: normal . x for points of the plane */
    sn_real h, inverse_h, part, ease, slop; /* as in sn_wide_contacts; slop is a share of the radius */
    sn_real radius[SN_NEAR], static_friction[SN_NEAR], dynamic_friction[SN_NEAR];
    sn_real normal_impulse[SN_NEAR], tangent_impulse[3 * SN_NEAR]; /* in and out */
    sn_real gap[SN_NEAR];                                          /* out, m */
} sn_wide_plane;

typedef struct sn_wide_contact {
    sn_wide_contacts_fn *warm;    /* applies the impulses of the previous substep */
    sn_wide_contacts_fn *project; /* non-penetration and friction */
    sn_wide_contacts_fn *sweep;   /* the same where some balls may have moved far (they are swept), and for belt and
                                     given */
    void (*plane)(sn_wide_plane *run); /* like project, for a plane */
} sn_wide_contact;

/* A rope of rigid rods, cut into stretches; see wide/chain.h. */
#define SN_CHAIN_STRETCHES 8u
enum { SN_CHAIN_REALS = 11, SN_CHAIN_DOUBLES = 20 }; /* scratch numbers, times (rows + 1) * 8 */

typedef struct sn_wide_chain {
    uint32_t links, rows; /* rows: links in a stretch, the smallest number that is enough */
    /* By row and stretch, [row * 8 + stretch]: */
    const uint32_t *
        slot; /* for rows + 1 rows: slot of the particle before the link, and after the last. Beyond the end of the rope
                 its last two particles alternate */
    const sn_real *rest; /* m; beyond the end that of the last link */
    const uint32_t *row; /* the link's multiplier is lambda[row] */
    double *kappa;       /* in, if turning: from the last solve; out, if turning: from this one */
    sn_real *lambda;     /* the result is added */
    bool fresh;          /* lambda is 0 on entry */
    bool together;       /* of a team: its ropes' particles are stored as in SN_TEAM_PLACE, in every row */
    bool drops;          /* lambda is not written, because it will not be read */
    bool turning;        /* in: solve with kappa; out: kappa matters */
    const sn_vec4 *x;    /* position and inverse mass */
    sn_vec4 *d;          /* remainder and displacement: the result is added; its w is unchanged */
    sn_real *real;       /* scratch */
    double *number;      /* more scratch */
    /* From solvers/tree.h: compliance of rows, least pivot, the tension from which turning counts, the allowed growth
       of kappa, the allowed errors (relative to the violation before, relative to the length, and in any case); and the
       number of additional rounds. */
    double soft, least_pivot, turning_from, stale, calm, precise, rounding;
    uint32_t rounds;
} sn_wide_chain;

/* Solves it for C = 0, moves its particles and adds to its multipliers. False, with nothing changed, in unusual
   cases. */
typedef bool sn_wide_chain_fn(sn_wide_chain *run);

/* A team: ropes with the same number of links, solved at once; see wide/chain_team.h. slot, rest and row are by
   stretch, row and rope, [(stretch * (rows + 1) + row) * 8 + rope]. Scratch is enough for all of them. None of them is
   turning, and kappa is not used. Returns bit i if rope i is solved, exactly as it would have been alone, and without
   turning. The other ropes are unchanged. */
#define SN_CHAIN_TEAM 8u
#define SN_TEAM_ALL   ((1u << SN_CHAIN_TEAM) - 1)

/* The best position of the particle of rope i in storage, beside those of the other ropes: pairs are then the vectors
   that eight lanes load (RECORDS_AT in simd.h). */
#define SN_TEAM_PLACE(i) (2 * ((i) % 4) + (i) / 4)
typedef uint32_t sn_wide_team_fn(const sn_wide_chain *run);

/* For worlds without wide kernels, in either precision: the best for the machine. */
sn_wide_chain_fn sn_wide_chain_plain, sn_wide_chain_avx2;
sn_wide_chain_fn *sn_wide_choose_chain(void);

/* One pair at a time, in either precision. */
extern const sn_wide_contact sn_contact_scalar;

/* Features of surfaces, all triangles or all edges: coordinate k of corner c of feature i is at[(3 c + k) stride + i].
   Memory after the last is readable up to a multiple of 16. */
typedef struct sn_wide_features {
    const sn_real *at;
    uint32_t stride, count;
} sn_wide_features;

/* Finds the features, from `first` on, that may be nearer than `far` to one feature given by its corners: triangles for
   a point, or edges for an edge. Writes their numbers to `to`, in order. Returns how many. */
typedef struct sn_wide_nearness {
    const sn_wide_features *of;
    sn_real far;   /* m: everything nearer is found, and some more */
    sn_real small; /* m^2: edges with smaller squared lengths are too short to measure */
} sn_wide_nearness;

typedef uint32_t sn_wide_near_fn(const sn_wide_nearness *run, const sn_vec3 *corner, uint32_t first, uint16_t *to);

/* Pairs of features, all of a vertex and a triangle or all of two edges: coordinate k of corner c of pair i, relative
   to corner 0, is places[(3 (c - 1) + k) SN_WIDE_COUPLES + i]. Memory after the last is readable and writable up to a
   multiple of 16. */
#define SN_WIDE_COUPLES 64u

typedef struct sn_wide_couples {
    const sn_real *places;
    uint32_t count;
    bool edges;
    sn_real *low, *high; /* m: bounds of their distance; `differences` writes its result to high */
    sn_real *inner;      /* 0: one of the nearest points is on the rim of the triangle, or is an end of an edge */
} sn_wide_couples;

typedef void sn_wide_couples_fn(const sn_wide_couples *run);

/* Fast-moving features, all of one sort: coordinate k of vector c of feature i is rows[(3 c + k) stride + i]. The five
   vectors are the minimum and maximum position at the start, the same at the end, and the feature's contribution to the
   mean displacement of two features. The stride is a multiple of 16. */
#define SN_WIDE_SWEEP_ROWS 15u

typedef struct sn_wide_sweeps {
    const sn_real *rows;
    uint32_t stride, count;
    sn_real *around; /* three rows of minimum and three of maximum positions, relative to any possible mean
                        displacement */
    uint16_t *near;  /* features that come near, in order */
    uint16_t *group; /* first features of vectors that have such features */
    uint32_t near_count, group_count;
} sn_wide_sweeps;

/* Sets the fields of `of` after count: `near` gets the features that may reach a box. box: minimum and maximum position
   of the box, and of mean displacements. */
typedef void sn_wide_reaching_fn(sn_wide_sweeps *of, const sn_real box[4][3]);

/* Finds the features in the groups of `of`, from `first` on, whose paths come within `far` of that of feature i of
   `from`. Results as in sn_wide_near_fn. */
typedef uint32_t sn_wide_sweeps_fn(const sn_wide_sweeps *from, uint32_t i, const sn_wide_sweeps *of, sn_real far,
                                   uint32_t first, uint16_t *to);

/* Corners of a tile: rows of x, y and z of positions; of vectors, or of end positions; of two weights for sums; and of
   1. Memory after the last is readable up to a multiple of 16: there positions and vectors are those of the first, and
   weights (and the 1) are 0. */
#define SN_WIDE_CORNERS     64u
#define SN_WIDE_CORNER_ROWS 9u

typedef struct sn_wide_corners {
    sn_real rows[SN_WIDE_CORNER_ROWS * SN_WIDE_CORNERS];
    uint32_t count;
    bool displacements;
    /* Set by add: */
    sn_bounds box;         /* of positions, or of end positions */
    sn_vec3 place, vector; /* sums; positions relative to the first corner */
    sn_vec3 u, v, du, dv;  /* weighted sums */
    /* Set by rest: */
    sn_real rest, radius; /* largest squared residual of a vector, and largest squared distance from the centre */
} sn_wide_corners;

typedef void sn_wide_corners_add_fn(sn_wide_corners *corners);
typedef void sn_wide_corners_rest_fn(sn_wide_corners *corners, sn_vec3 centre, sn_vec3 mean, sn_vec3 spin);

/* Triangles of a tile: rows of two of their sides, a and b, and of four numbers m that turn them into deformation
   gradients: a m0 + b m2 and a m1 + b m3. Entries after the last, up to a multiple of 16, are copies of another one. */
#define SN_WIDE_GRADIENTS     96u
#define SN_WIDE_GRADIENT_ROWS 10u

typedef struct sn_wide_gradients {
    sn_real rows[SN_WIDE_GRADIENT_ROWS][SN_WIDE_GRADIENTS];
    uint32_t count;
    sn_real least[6], most[6]; /* output: range of each component of all gradients */
} sn_wide_gradients;

typedef void sn_wide_gradients_fn(sn_wide_gradients *gradients);

/* Vertices of surfaces: their slots among particles, and recorded data, one after the other. Up to a multiple of 8
   after the last, slots are copies of another one, and the rest is readable and writable. */
typedef struct sn_wide_quiet {
    uint32_t count;
    const uint32_t *slot;
    sn_vec4 *x, *low, *v;               /* by slot: of particles */
    sn_vec4 *start, *start_low, *speed; /* at the start of a substep */
    sn_vec4 *end;                       /* positions at its end */
    sn_vec4 *from, *from_speed;         /* when it became quiet */
    sn_real *square;     /* output. starts, m^2/s^2: squared deviation of velocities from from_speed; ends, m^2: squared
                            deviation of positions from those extrapolated over t; gains, J */
    sn_real t;           /* s */
    sn_vec3 gravity;     /* m/s^2 */
    sn_real share, lost; /* share of the energy that is subtracted; share of the parts of a sum that rounding may
                            lose */
} sn_wide_quiet;

/* Finds the numbers up to `most` among at most SN_WIDE_BELOW: writes their indices to `to`, in order. Returns the least
   of the others, or infinity. */
#define SN_WIDE_BELOW 256u
typedef sn_real sn_wide_below_fn(const sn_real *a, uint32_t count, sn_real most, uint16_t *to, uint32_t *found);

typedef struct sn_wide_near {
    sn_wide_near_fn *triangles, *edges;
    sn_wide_reaching_fn *reaching;
    sn_wide_sweeps_fn *sweeps;
    sn_wide_couples_fn *couples, *differences;
    sn_wide_corners_add_fn *corners;
    sn_wide_corners_rest_fn *rest;
    sn_wide_gradients_fn *gradients;
    bool (*quiet_starts)(const sn_wide_quiet *run); /* true if some position is not that at the end of the last
                                                       substep */
    void (*quiet_ends)(const sn_wide_quiet *run), (*quiet_gains)(const sn_wide_quiet *run);
    sn_real (*quiet_most)(const sn_real *a, uint32_t count);
    sn_wide_below_fn *below;
} sn_wide_near;

extern const sn_wide_near sn_near_scalar;

/* ---- Contact of bodies ------------------------------------------------------------------------------------------- */

#define SN_BODY_CONTACTS       8u /* contacts in a batch, whatever the width of the machine */
#define SN_BODY_CONTACT_POINTS 4u /* of a contact, at most */

/* A row: one number for each contact of a batch. */
typedef sn_real sn_lane_row[SN_BODY_CONTACTS];

/* A vector for each contact. */
typedef struct sn_lane_rows {
    sn_lane_row x, y, z;
} sn_lane_rows;

/* One point of each contact. For missing points everything is 0, except room, which is so large that there is never an
   impulse. */
typedef struct sn_wide_body_contact_point {
    sn_lane_rows arm;           /* m: r x n for a, in the world; for b, between x n is added */
    sn_lane_row mass;           /* kg: the inverse of yield */
    sn_lane_row room;           /* m/s: allowed approach velocity; not negative */
    sn_lane_row normal_impulse; /* N s: in this substep */
    sn_lane_row far;            /* m: distance from the centre of the points, across the normal */
} sn_wide_body_contact_point;

/* The data of a point that not every sweep needs. */
typedef struct sn_wide_body_contact_rest {
    sn_lane_row yield;  /* 1/kg: response of the point to an impulse at itself */
    sn_lane_row gap;    /* m: at the start of the substep */
    sn_lane_row before; /* m/s: relative normal velocity before the substep; negative: approach */
    sn_lane_row parted; /* kg m: accumulated impulse of overlap correction */
    sn_lane_row struck; /* N s: impulse of impacts in this substep, */
    sn_lane_row thrown; /* m/s: and the velocity of separation after them */
    sn_lane_row pull;   /* m/s^2: normal acceleration without contact */
} sn_wide_body_contact_rest;

/* Eight pairs of bodies in contact; no two share a movable body. See body_contact.h. Data that every sweep needs are
   contiguous: many batches exceed the nearest caches, and every pass goes through all of them. */
typedef struct sn_wide_body_contact {
    _Alignas(64) uint32_t a[SN_BODY_CONTACTS];
    uint32_t b[SN_BODY_CONTACTS]; /* where their records begin; for a lane without a contact, a record that is all 0 */
    uint32_t lanes, points;       /* number of lanes with a contact; the largest number of points */
    uint32_t moves_a, moves_b;    /* a bit for each lane: the body is movable */
    bool misses, rolls, twists, deep, bounces; /* whether some contact may miss, roll, twist, overlap, bounce; */
    bool was_parted;                           /* `parted` is valid in this substep */
    bool bends;                  /* or rotates so far in the substep that its inertia changes by its end; */
    bool belted;                 /* or is on a belt; */
    bool arcs;                   /* or rotates, so that a sticking contact moves on an arc */
    sn_real stirred;             /* the last sweep in which a contact was violent; may be a stale, later number from
                                    before */
    _Alignas(32) sn_lane_rows n; /* from b to a, in the world */
    sn_lane_rows between;        /* m: from the centre of b to that of a */
    sn_lane_row violent_above;   /* m/s: a faster approach at a point is violent */
    sn_lane_row coupling[6];     /* 1/kg: response at a point to an impulse at another: 01, 02, 03, 12, 13, 23 */

    /* For friction: */
    sn_lane_rows ra;                               /* m: arm of a, in the world; for b add `between` */
    sn_lane_row across;                            /* kg: effective mass, in the direction of largest response */
    sn_lane_row about;                             /* kg m^2: effective inertia about the normal */
    sn_lane_row static_friction, dynamic_friction; /* static and dynamic friction */
    sn_lane_rows tangent_impulse;                  /* N s: across the normal, in this substep */
    sn_lane_row twisted;                           /* N m s: about it */
    sn_lane_row steady; /* above 0: it had a normal impulse in the two substeps before; below 0: an impact */
    sn_wide_body_contact_point point[SN_BODY_CONTACT_POINTS];

    /* Data that not every sweep needs: */
    sn_wide_body_contact_rest rest[SN_BODY_CONTACT_POINTS];
    uint32_t contact[SN_BODY_CONTACTS]; /* numbers of the contacts */
    sn_lane_row slop;                   /* m: overlap that is not corrected */
    sn_lane_row far_off;                /* m: penetration in a substep from which an approach is violent */
    sn_lane_row roll;                   /* kg m^2: about the axis of largest response; 0: no rolling resistance */
    sn_lane_row rolling;                /* m: largest torque against it, per normal impulse */
    sn_lane_rows rolled;                /* N m s */
    sn_lane_rows belt;                  /* m/s: wanted slip of a on b, if belted */
    sn_lane_rows arc;                   /* m/s: additional slip of a on b because both rotate, if it arcs */
    sn_lane_rows course;                /* m/s: velocity of a relative to b with which they miss each other, */
    sn_lane_row stray; /* (m/s)^2: squared deviation from it up to which they do; negative if they do not miss */
    sn_lane_row restitution;
    sn_lane_rows slip;   /* m/s: tangential velocity of a relative to b before the substep, if one bounces */
    sn_lane_row touched; /* not 0: n and arms are those where the two touch first in this substep */
} sn_wide_body_contact;

/* The owner of the normal. The normal of a face rotates with its body. */
typedef enum sn_normal_owner {
    SN_NORMAL_OF_B,
    SN_NORMAL_OF_A,
    SN_NORMAL_OF_NONE, /* it is fixed in the world */
    SN_NORMAL_BETWEEN  /* it points from the anchor on b to that on a */
} sn_normal_owner;

/* One point of each manifold: its anchors on both cores, along the axes of the bodies. */
typedef struct sn_wide_anchor {
    sn_lane_rows a, b;         /* m */
    sn_lane_row last, impulse; /* N s: normal impulse in the previous substep, and sum over completed substeps */
} sn_wide_anchor;

/* The manifolds of a batch as they were found. Substeps move the anchors with their bodies, until one has slid too
   far. */
typedef struct sn_wide_manifold {
    sn_lane_row count;            /* of points */
    sn_lane_row owner;            /* the sn_normal_owner of the normal */
    sn_lane_rows normal;          /* from b to a, in the frame of its owner */
    sn_lane_row round_a, round_b; /* m: from the cores to the surfaces */
    sn_lane_row rim_a,
        rim_b;          /* 1: a solid of revolution touches with its rim, on which the contact point goes round; else
                                 0 */
    sn_lane_row lean;   /* share of the offset between two anchors that is added to the arm of a */
    sn_lane_row spread; /* mean distance of the pressure from its centre, relative to that of the points */
    sn_lane_row guard;  /* m: subtracted from the distance to give the gap */
    sn_lane_row bent;   /* m^2: squared rotation displacement from which gaps are corrected for bending; negative:
                         never */
    sn_lane_row size; /* m: extent of the core of the smaller body, which limits the effect of its rotation on points */
    sn_lane_row slid, most_slid; /* m: how far the anchors have slid apart, and the limit of that */
    sn_lane_row impact;          /* m/s: largest approach velocity in completed substeps */
    sn_lane_row moved, reach;    /* m: how far the two may have approached since, and the limit of that */
    sn_wide_anchor point[SN_BODY_CONTACT_POINTS];
} sn_wide_manifold;

/* sn_vec4 in the record of a body: velocity and 1/kg; angular velocity, and the speed of points due to it or, in a
   pass, the last violent sweep; two of the inverse inertia in the world (xx, yy, zz, xy, and xz, yz, how far it may be
   thrown, how thin it is); position; orientation; and the corrections of its displacement and rotation against its
   velocities, because these changed within the substep: for `part`, which changes these, records begin there. */
#define SN_BODY_CONTACT_RECORD 8u

/* Batches, in the order in which they are processed. */
typedef struct sn_wide_body_contacts {
    uint32_t first, end;
    sn_wide_body_contact *batch;
    sn_wide_manifold *manifold;
    sn_vec4 *mover;
    const sn_vec4 *inertia; /* of the movers */
    sn_real h, inverse_h;   /* s */
    sn_real fall;           /* m: what gravity may add to a way in a substep */
    sn_real deep;           /* times slop: what overlaps by so much is violent when it is parted */
    sn_real most;           /* m: overlap is reduced by at most so much in a visit */
    sn_real bounce_above;   /* m/s: slower ones do not bounce */
    sn_real sweep;          /* its number, from 1 on */
    bool friction_only;     /* warm: leaves out what presses */
    bool eager;             /* project: over-relaxation, where no joint has to carry a load; see body_contact.h */
    bool stirred_only;      /* project, part: only those of which one was violent in sweep `since` or later */
    bool settles;           /* project: impacts are solved to the end; those that bounce are in any case */
    sn_real since;
} sn_wide_body_contacts;

/* Numbers of a body, in fours, one after the other. */
enum {
    SN_MOVER_SIZES = 0, /* m: extent from its centre, thinness, how far it may move */
    SN_MOVER_DISPLACEMENTS =
        4, /* m: displacement of its points by rotation in the step; the same including forces that may still act; its
              displacement in the substep */
    SN_MOVER_SOUGHT = 8, /* m: its position when its space was searched */
    SN_MOVER_PLACE = 11, /* m: its position at the start of the substep */
    SN_MOVER_TURN = 14,  /* its orientation then; all 0: the step begins */
    SN_MOVER_NUMBERS = 18
};

/* Up to eight bodies, and the addresses of their data. After the last one it is repeated. */
typedef struct sn_wide_movers {
    uint32_t count;
    uint32_t watched; /* bits: the body moves, so its `displacements` are updated */
    uint32_t left;    /* output, bits: bodies that may leave the space searched for them */
    bool fast;        /* output: one of them may move farther than it is thin */
    sn_real fall;     /* m/s: change of a velocity by gravity in the substep */
    sn_real *record[SN_BODY_CONTACTS], *own[SN_BODY_CONTACTS]; /* see SN_BODY_CONTACT_RECORD and SN_MOVER_SIZES */
    sn_real *x[SN_BODY_CONTACTS], *v[SN_BODY_CONTACTS], *turn[SN_BODY_CONTACTS];
    sn_lane_row driven; /* m/s: largest increase of the speed of points by forces on the body */
} sn_wide_movers;

#define SN_CERTAIN ((sn_real)0.999) /* share of a distance that remains certain after rounding */

/* m: the largest displacement of a point at this distance by a rotation from p to q: the angle is at most this many
   times the distance of the quaternions. */
#define SN_CHORD ((sn_real)2.25)

/* The poses of parts on their bodies. */
typedef struct sn_wide_part_rows {
    sn_lane_rows place;
    sn_lane_row turn[4];
} sn_wide_part_rows;

/* Share of their displacement by which two may move in any direction, because others may push them. */
#define SN_CLEAR_CUSHION ((sn_real)0.25)
#define SN_CLEAR_ROOM    ((sn_real)5) /* times the slop: pairs this near to each other are always tested */

/* Two solids in each lane, rounded boxes: see wide/body_clear.h. */
typedef struct sn_wide_pairs {
    uint32_t count;
    uint32_t a[SN_BODY_CONTACTS], b[SN_BODY_CONTACTS]; /* records, as in sn_wide_body_contact */
    bool parts;                       /* some are parts with a pose on their body: part_a and part_b are used */
    bool boxes, segments;             /* some pairs have a box; some have none */
    sn_lane_row half_a[3], half_b[3]; /* m: half edges */
    sn_lane_row radius;               /* m: sum of both roundings */
    sn_lane_row slop;
    sn_lane_rows normal; /* a direction in the frame of a; 0: none */
    sn_wide_part_rows part_a, part_b;
    sn_lane_row apart; /* output, m: separation of those that stay separated */
} sn_wide_pairs;

typedef struct sn_wide_body_contact_table {
    /* At the start of a substep, when angular velocities are known: writes poses, speeds and possible displacements of
       bodies. */
    void (*begin)(const sn_wide_body_contacts *run, sn_wide_movers *movers);
    /* A bit for each lane with an axis that shows that there is no contact in this substep. */
    uint32_t (*clear)(const sn_wide_body_contacts *run, sn_wide_pairs *pairs);
    /* At the start of a substep: the drift of the manifolds of one batch until its end. A bit for each lane where it is
       too large. */
    uint32_t (*drift)(const sn_wide_body_contacts *run, uint32_t batch);
    void (*set_up)(
        const sn_wide_body_contacts *run); /* anchors, gaps and effective masses of the substep, and the initial
                                              impulses */
    void (*weigh)(const sn_wide_body_contacts *run);   /* effective masses again, for bodies that rotate far */
    void (*warm)(const sn_wide_body_contacts *run);    /* applies the initial impulses */
    bool (*project)(const sn_wide_body_contacts *run); /* friction, and normal impulses; true if a contact is violent */
    bool (*strike)(
        const sn_wide_body_contacts *run); /* impacts; true if there was one. Sweep 0 comes first, and only prepares */
    bool (*part)(const sn_wide_body_contacts *run); /* separates overlaps; true if some are deep */
} sn_wide_body_contact_table;

/* One pair at a time, in either precision. */
extern const sn_wide_body_contact_table sn_body_contact_scalar;

/* Groups of rows of a tile in planes, with one aggregate in each lane: see solvers/hierarchy.h. */
typedef struct sn_wide_row {
    uint32_t row;
    float weight[SN_BATCH]; /* for each lane; 0: the particle is in no aggregate */
} sn_wide_row;

typedef struct sn_wide_groups {
    uint32_t groups;
    const uint32_t *first; /* for each group, and one more: its first row */
    const sn_wide_row *row;
    float *plane;
    sn_vec4 *node;  /* sixteen for each group, every other one: x with w, and d between these */
    float *nodes;   /* the same as rows, like those of particles */
    sn_vec3 origin; /* m: sums are relative to this */
    bool coarse;
} sn_wide_groups;

/* Limits of the distance between two aggregates. No two limits of a run share an aggregate. */
typedef struct sn_wide_limits {
    uint32_t batches;
    const uint32_t *end;  /* 32 for each batch: sixteen ends a, then sixteen ends c, as indices into */
    sn_vec4 *node;        /* this: x and w, followed by d, which is moved */
    const float *most;    /* m, 16 for each batch */
    const uint16_t *mask; /* for each batch; lanes without a limit refer to other aggregates of the run */
} sn_wide_limits;

/* An immovable particle: its position in this substep. */
typedef struct sn_wide_pin {
    sn_vec4 x, low;
} sn_wide_pin;

/* Particles that are each held by an immovable one: of a row of planes, or any. */
typedef struct sn_wide_tether {
    uint32_t row;
    bool again;              /* of a row: the pins are the same as in the previous entry */
    uint32_t pin[SN_BATCH];  /* for each lane, twice the pin's number */
    float most[SN_BATCH];    /* m, for each lane: largest distance from the pin; infinite: not held */
    uint32_t slot[SN_BATCH]; /* for each lane: slot of the particle */
} sn_wide_tether;

/* kg m: mass times displacement of what each lane of an sn_wide_tether pulled back. */
typedef struct sn_wide_pulled {
    float by[3][SN_BATCH];
} sn_wide_pulled;

typedef struct sn_wide_tethers {
    const sn_wide_tether *tether; /* one after the other */
    sn_wide_pulled *pulled;       /* for each of these, is added to; NULL: it is not noted */
    uint32_t count;
    const sn_wide_pin *pin;
    float *plane;     /* of rows; */
    bool nodes;       /* of aggregates, relative to */
    sn_vec3 origin;   /* this origin. Otherwise: */
    const sn_vec4 *x; /* by slot */
    sn_vec4 *moved;   /* by slot: x if positions are coarse, otherwise the remainders */
    bool coarse;
} sn_wide_tethers;

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

    /* Transfer between records and rows: particle i of the range is in lane i % 16 of row i / 16. count is a multiple
       of 16. */
    void (*spread)(const sn_vec4 *x, const sn_vec4 *d, uint32_t count, float *plane);
    void (*collect)(sn_vec4 *to, uint32_t count, const float *plane, bool coarse);   /* d, or x if coarse; w is
                                                                                        unchanged */
    void (*restore)(const sn_vec4 *from, uint32_t count, float *plane, bool coarse); /* the reverse */

    /* A tile that stays in planes, with rows of velocities, and of BDF2's past (NULL: none): transfer in and out (a
       range, of a multiple of 16), and predict and settle as in sn_motion_table, without forces. */
    void (*enter)(const sn_motion *motion, float *plane, float *side);
    void (*leave)(const sn_motion *motion, const float *plane, const float *side);
    void (*enter_past)(const sn_motion *motion, float *back);
    void (*leave_past)(const sn_motion *motion, const float *back);
    bool (*predict_planes)(const sn_motion *motion, float *plane, float *side, float *back, uint32_t rows);
    bool (*settle_planes)(const sn_motion *motion, float *plane, float *side, uint32_t rows);

    /* gather_rows: x of node becomes the weighted sum of positions. take_nodes: nodes become node. move_rows: particles
       with a weight are moved by d of nodes. */
    void (*gather_rows)(const sn_wide_groups *run);
    void (*take_nodes)(const sn_wide_groups *run);
    void (*move_rows)(const sn_wide_groups *run);

    void (*sweep_limits)(const sn_wide_limits *run);

    /* Pulls back particles that are too far from their pins. */
    void (*tether_rows)(const sn_wide_tethers *run);
    void (*tether_lanes)(const sn_wide_tethers *run);

    /* Records in far_off the rods of a run that are longer than off_from times their rest length. */
    sn_wide_fn *find_too_long;
} sn_wide;

/* Projects the constraints of a run. Its kind must have a formula over lanes. */
void sn_wide_project(const sn_wide *wide, const sn_wide_run *run);

/* The fastest kernels that the machine has. For a specific request: those, or NULL if the machine does not have
   them. */
const sn_wide *sn_wide_choose(sn_simd simd);

#endif
