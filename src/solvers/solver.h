/* The input and output of a solver, and the list of solvers. */
#ifndef SN_SOLVERS_SOLVER_H
#define SN_SOLVERS_SOLVER_H

#include "base/parallel.h"
#include "base/sort.h"
#include "constraints/evaluate.h"

/* A constraint, as an element of an order. */
typedef struct sn_visit {
    uint32_t kind;
    uint32_t row;
} sn_visit;

/* Scratch of the order worst first: see worst_first.c. */
typedef struct sn_worst_scratch {
    sn_table table;            /* by constraint */
    sn_table first_table;      /* by particle: where its constraints begin in compromise_table */
    sn_table compromise_table; /* numbers of constraints */
    uint64_t edits;            /* of the store when these tables were made; 0: never */
    uint32_t turn_size;        /* of a heap; kept from one pass of a substep to the next */
} sn_worst_scratch;

/* Scratch of solvers. It is kept between steps, so that later steps allocate nothing. */
typedef struct sn_solver_scratch {
    sn_worst_scratch worst;
    sn_table visit_table; /* of sn_visit: the order there and back, see order.h */
    uint64_t edits;       /* of the store when this order was last checked */
    uint64_t fingerprint; /* of the constraints for which this order was built; 0: none */
    void *jacobi;         /* data of single methods; NULL until first used */
    void *lagrange;
    void *direct;
    void *tiled;
    void *hubs;
} sn_solver_scratch;

/* The position of a particle in the rest shape: where it was when its mesh was first stepped. State, by number. */
typedef struct sn_rest_place {
    sn_vec3 place;
    uint64_t since; /* *sn_stiffen.shapes when it was noted; 0: there is none */
} sn_rest_place;

/* Whether a mesh has limits, or why not. For reports. */
typedef enum sn_stiffened {
    SN_STIFFENED,    /* it has a hierarchy */
    SN_PLAIN_SMALL,  /* few particles can move: sweeps are enough */
    SN_PLAIN_TREE,   /* it has no loops */
    SN_PLAIN_SOFT,   /* rods stretch by more than the error of sweeps */
    SN_PLAIN_BREAKS, /* rods can break: their forces must be known */
    SN_PLAIN_HELD,   /* rods contradict each other */
    SN_PLAIN_SHAPE,  /* there is no rest shape from which limits could follow */
    SN_STIFFENED_COUNT
} sn_stiffened;

/* A rod of a mesh, between two slots. */
typedef struct sn_mesh_rod {
    uint32_t a, b;
    sn_real rest; /* m */
} sn_mesh_rod;

/* A change by a tear. If a is b: a slot whose rods or mass have changed. Otherwise the two ends of a rod that was
   removed or changed. SN_TORN_LAST in b marks the last entry of a step or a cut. */
typedef struct sn_torn {
    uint32_t a, b;
    sn_real w; /* of a slot: its inverse mass before the change, as in w_table */
} sn_torn;

#define SN_TORN_LAST 0x80000000u

/* The data from which the limits of stiff meshes were made, and the slots that tears have changed since: see
   hierarchy_follow.c. It is state while there are such slots. Otherwise limits follow from the constraints. */
typedef struct sn_limits_base {
    sn_table rod_table;                 /* of sn_mesh_rod: rods of meshes with limits */
    sn_table w_table;                   /* of sn_real, by slot: inverse masses; 0 for slots with a target or a pin */
    sn_table pinned_table;              /* of bool, by slot: a rigid pin holds it; empty: no slot has one */
    sn_table torn_table;                /* of sn_torn */
    sn_table mark_table;                /* of uint8_t, by slot: whether it is in torn_table */
    uint32_t most;                      /* if more slots are torn, limits are made anew */
    uint64_t edits;                     /* sn_stiffen.edits when the base was made */
    uint64_t makes;                     /* sn_plan.makes when the base was made; 0: there is no base */
    uint32_t count[SN_STIFFENED_COUNT]; /* by reason: meshes without limits */
    uint32_t particles[SN_STIFFENED_COUNT]; /* their particles */
} sn_limits_base;

/* Kinds of rods that meshes with limits have: see hierarchy_rods.c. */
#define SN_LIMITED_KINDS 3u

/* Input for the hierarchy of stiff meshes: see hierarchy.h. */
typedef struct sn_stiffen {
    bool on;
    sn_table *shape;        /* of sn_rest_place */
    uint64_t *shapes;       /* how many times rest shapes were noted */
    const uint32_t *number; /* by slot: the number of the particle */
    const uint32_t *target; /* by slot: not 0 for particles with a kinematic target; NULL: there are none */
    /* The position of an immovable particle at the end of the step. */
    sn_vec3 (*place_after)(const void *world, uint32_t slot);
    /* NULL: nothing can break. */
    bool (*breaks)(const void *world, uint32_t kind, uint32_t row);
    /* NULL: nothing can tear. */
    bool (*tears)(const void *world, uint32_t kind, uint32_t row);
    bool solids; /* stress of solids is solved on lattices: see solids.h */
    const void *world;
    sn_vec4 *room; /* scratch, by slot */
    sn_limits_base *base;
    uint64_t edits; /* is raised when constraints, what can break, or rest shapes change, other than by tears */
} sn_stiffen;

struct sn_support;

/* Particles that rest on surfaces, for trees that are solved directly: see sn_forest_job. */
typedef struct sn_leaning {
    bool (*lean)(void *world, uint32_t slot, struct sn_support *out);
    void (*leant)(void *world, uint32_t slot, const struct sn_support *support);
    void *world;
} sn_leaning;

typedef struct sn_solver_in {
    sn_store *store;
    sn_frame frame;
    sn_real h;           /* the effective substep, s */
    sn_real last_h;      /* the effective substep that the multipliers in the store belong to, s; 0: there was none */
    float preload_share; /* see preload.h; 0: no preloads */
    sn_order order;
    sn_gradients gradients;
    uint32_t iterations;
    sn_real tolerance;       /* m */
    uint32_t stiffness_root; /* n of k' = 1 - (1 - k)^(1/n); 1: k is used as it is */
    sn_solver_scratch *scratch;
    sn_parallel *parallel;       /* for loops over constraints and particles */
    const sn_settings *settings; /* for settings that only single methods use */
    /* By slot: a constraint needs the position of the particle at the start of the substep. NULL: none does. */
    const bool *asks;
    uint32_t particle_count;
    uint32_t node_count;  /* slots: first those of particles, then those of the orientations of bodies (turns) */
    struct sn_plan *plan; /* for SN_SOLVER_TILED */
    const struct sn_wide *wide;
    sn_stiffen stiffen;
    sn_leaning leaning; /* for SN_SOLVER_TILED; all NULL: there are none */
} sn_solver_in;

/* Further input of a method that works by forces. */
typedef struct sn_forces_in {
    const sn_vec4 *v; /* velocities */
    sn_vec3 gravity;  /* m/s^2 */
    sn_vec3 *f;       /* N. In: forces on particles without gravity. Out: with those of the constraints added */
} sn_forces_in;

typedef struct sn_solver_out {
    uint32_t passes;
    uint32_t fault_kind; /* of the constraint whose projection was not finite; 0: none */
    uint32_t fault_row;
    bool lost_tasks; /* the task hook did not run all tasks of a loop */
} sn_solver_out;

typedef struct sn_solver_method {
    const char *name;
    bool own_projections; /* it can use kinds with a projection of their own, which have no gradient */
    /* Reserves memory for a step over the constraints of the store. False when memory runs out. */
    bool (*reserve)(const sn_solver_in *in, const sn_allocator *allocator);
    /* Moves frame.d until the constraints hold as well as the settings demand. NULL for a method that works by
       forces. */
    sn_solver_out (*solve)(const sn_solver_in *in);
    /* Adds the forces of the constraints at the present positions (frame.x; frame.d is NULL) and velocities, before the
       integrator moves anything. Writes lambda = force times h^2. NULL for a method that moves positions. */
    sn_solver_out (*forces)(const sn_solver_in *in, const sn_forces_in *forces);
    /* A further pass over the velocities, when positions and velocities are those at the end of the substep (frame.x
       and v). It fills frame.d, which is uninitialised, with h times the change of velocities, and may change lambda.
       out.passes = 0: there is no change, and frame.d need not be filled. May be NULL. */
    sn_solver_out (*after)(const sn_solver_in *in, const sn_vec4 *v);
    /* Releases the data of this method. May be NULL. */
    void (*release)(sn_solver_scratch *scratch, const sn_allocator *allocator);
} sn_solver_method;

/* The inverse mass of a slot. For the orientation of a body it is the inverse mass of the body. */
static inline sn_real solver_weight(const sn_frame *frame, uint32_t slot)
{
    if (frame->turn && slot >= frame->turn_slot)
        slot = frame->slot[frame->turn[slot - frame->turn_slot].centre];
    return frame->x[slot].w;
}

/* Adds to `push`, in the order of the block, the displacements by a step of its rows: w grad C dlambda. */
static inline void solver_push(const sn_frame *frame, const sn_block *block, const sn_real *dlambda, sn_vec3 *push)
{
    for (uint32_t r = 0; r < block->rows; ++r)
        for (uint32_t i = 0; i < block->count && dlambda[r] != 0; ++i) {
            const sn_real s = solver_weight(frame, block->slot[i]) * dlambda[r];
            push[i] = vec3_add(push[i], vec3_scale(block->gradient[r * block->count + i], s));
        }
}

void sn_solver_scratch_init(sn_solver_scratch *scratch);
void sn_solver_scratch_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* Whether all constraints are in trees of the direct solver, which has been reserved, so that none is left to
   Gauss-Seidel. */
bool sn_direct_solves_all(const sn_solver_in *in);

#define SN_SOLVER_COUNT 6

extern const sn_solver_method sn_solver_gauss_seidel, sn_solver_jacobi, sn_solver_impulses, sn_solver_lagrange,
    sn_solver_direct, sn_solver_tiled;
extern const sn_solver_method *const sn_solvers[SN_SOLVER_COUNT]; /* by sn_solver */

#endif
