/* What a solver is given, and the list of solvers. */
#ifndef SN_SOLVERS_SOLVER_H
#define SN_SOLVERS_SOLVER_H

#include "base/parallel.h"
#include "base/sort.h"
#include "constraints/evaluate.h"

/* One constraint in an order. */
typedef struct sn_visit {
    uint32_t kind;
    uint32_t row;
} sn_visit;

/* For the order worst first: see worst_first.c. */
typedef struct sn_worst_scratch {
    sn_table table;       /* by constraint */
    sn_table first_table; /* by particle: where its constraints begin, */
    sn_table held_table;  /*   in this list of their numbers */
    uint64_t edits;       /* of the store when these were made; 0: never */
    uint32_t turn_size;   /* of a heap, from one pass of a substep to the next */
} sn_worst_scratch;

/* Scratch for solvers that reorder: kept between steps, so that a warmed-up step allocates nothing. */
typedef struct sn_solver_scratch {
    sn_worst_scratch worst;
    sn_table visit_table; /* of sn_visit: the order there and back; see order.h */
    uint64_t edits;       /* of the store when that order was last looked at */
    uint64_t fingerprint; /* of the constraints for which it was built; 0: none */
    void *jacobi;         /* what single methods keep, each its own; NULL until they first need it */
    void *lagrange;
    void *direct;
    void *tiled;
    void *hubs;
} sn_solver_scratch;

/* Where a particle was when its mesh was first stepped: its place in the rest shape. State, by number. */
typedef struct sn_rest_place {
    sn_vec3 place;
    uint64_t since; /* which time places were noted; 0: it has none */
} sn_rest_place;

/* Tells about one mesh, for reports. */
typedef enum sn_stiffened {
    SN_STIFFENED,    /* it has a hierarchy */
    SN_PLAIN_SMALL,  /* few particles can move: sweeps do */
    SN_PLAIN_TREE,   /* no loops */
    SN_PLAIN_SOFT,   /* rods give by more than what sweeps miss */
    SN_PLAIN_BREAKS, /* rods can break: what they exert must be known */
    SN_PLAIN_HELD,   /* rods contradict each other */
    SN_PLAIN_SHAPE,  /* no rest shape that limits could be taken from */
    SN_STIFFENED_COUNT
} sn_stiffened;

/* A rod of a mesh, between slots. */
typedef struct sn_mesh_rod {
    uint32_t a, b;
    sn_real rest; /* m */
} sn_mesh_rod;

/* A slot whose rods or mass a tear has changed: a is b. Or the ends of a rod that it has removed or changed. With SN_TORN_LAST in b it is the last of a step or a cut. */
typedef struct sn_torn {
    uint32_t a, b;
    sn_real w; /* of a slot: its inverse mass before, as in w_table */
} sn_torn;

#define SN_TORN_LAST 0x80000000u

/* What the limits of stiff meshes were made from, and where tears have changed it since: see hierarchy_follow.c. State while there are such places; otherwise limits
   follow from the constraints. */
typedef struct sn_limits_base {
    sn_table rod_table;                     /* of sn_mesh_rod: those of meshes that have limits */
    sn_table w_table;                       /* of sn_real, by slot: inverse masses, 0 of those with a target */
    sn_table torn_table;                    /* of sn_torn, */
    sn_table mark_table;                    /*   and of uint8_t, by slot: it is one of these */
    uint32_t most;                          /* so many may be torn before limits are made anew */
    uint64_t edits;                         /* sn_stiffen.edits, then, */
    uint64_t makes;                         /*   and sn_plan.makes; 0: there is no base */
    uint32_t count[SN_STIFFENED_COUNT];     /* other meshes, */
    uint32_t particles[SN_STIFFENED_COUNT]; /*   and their particles */
} sn_limits_base;

/* For the hierarchy of stiff meshes: see hierarchy.h. */
typedef struct sn_stiffen {
    bool on;
    sn_table *shape;        /* of sn_rest_place */
    uint64_t *shapes;       /* so many times places were noted */
    const uint32_t *number; /* by slot */
    const uint32_t *target; /* by slot: not 0 where there is a kinematic target; NULL: nowhere */
    sn_vec3 (*place_after)(const void *world,
                           uint32_t slot); /* where an immovable particle is at the end of the step */
    bool (*breaks)(const void *world, uint32_t kind, uint32_t row); /* NULL: nothing can break */
    bool (*tears)(const void *world, uint32_t kind, uint32_t row);  /* NULL: nothing can tear */
    bool solids; /* stress of solids is solved on lattices: see solids.h */
    const void *world;
    sn_vec4 *room; /* scratch, by slot */
    sn_limits_base *base;
    uint64_t edits; /* rises when constraints, what can break, or rest shapes change, other than by tears */
} sn_stiffen;

struct sn_support;

/* Particles that lean on surfaces, for trees that are solved at once: see sn_forest_job. */
typedef struct sn_leaning {
    bool (*lean)(void *world, uint32_t slot, struct sn_support *out);
    void (*leant)(void *world, uint32_t slot, const struct sn_support *support);
    void *world;
} sn_leaning;

typedef struct sn_solver_in {
    sn_store *store;
    sn_frame frame;
    sn_real h;           /* the effective substep, s */
    sn_real last_h;      /* the one that the multipliers in the store are from; 0: there was none */
    float preload_share; /* see preload.h; 0: there are none */
    sn_order order;
    sn_gradients gradients;
    uint32_t iterations;
    sn_real tolerance;       /* m */
    uint32_t stiffness_root; /* n of k' = 1 - (1 - k)^(1/n); 1: k as it is */
    sn_solver_scratch *scratch;
    sn_parallel *parallel;       /* for loops over constraints and particles */
    const sn_settings *settings; /* for what only single methods want to know */
    const bool *asks; /* by slot: a constraint asks where the particle was when the substep started; NULL: of none */
    uint32_t particle_count;
    uint32_t node_count;  /* slots: of particles, and behind these of the turns of bodies */
    struct sn_plan *plan; /* SN_SOLVER_TILED */
    const struct sn_wide *wide;
    sn_stiffen stiffen;
    sn_leaning leaning; /* SN_SOLVER_TILED; all NULL: nothing does */
    bool
        surfaces; /* that must not pass each other take part: what is solved at once is not made more precise than contact lets it be */
} sn_solver_in;

/* What a method that works by forces is given besides. */
typedef struct sn_forces_in {
    const sn_vec4 *v; /* velocities */
    sn_vec3 gravity;  /* m/s^2 */
    sn_vec3 *f;       /* N: in, the forces on each particle but gravity; out, with those of the constraints added */
} sn_forces_in;

typedef struct sn_solver_out {
    uint32_t passes;
    uint32_t fault_kind; /* the constraint whose projection was not finite; 0: none */
    uint32_t fault_row;
    bool lost_tasks; /* the task hook did not run all tasks of a loop */
} sn_solver_out;

typedef struct sn_solver_method {
    const char *name;
    bool own_projections; /* it can use kinds that project by themselves, which have no gradient to offer */
    /* Makes room for a step over the constraints of the store; false when memory runs out. */
    bool (*reserve)(const sn_solver_in *in, const sn_allocator *allocator);
    /* Moves frame.d until the constraints hold as well as the settings ask. NULL for a method that works by forces. */
    sn_solver_out (*solve)(const sn_solver_in *in);
    /* Adds the forces of the constraints at the present positions (frame.x, frame.d is NULL) and velocities, before the
       integrator moves anything. Leaves lambda = force times h^2. NULL for a method that moves positions. */
    sn_solver_out (*forces)(const sn_solver_in *in, const sn_forces_in *forces);
    /* A further pass over the velocities once positions and velocities are those at the end of the substep (frame.x
       and v). Fills frame.d, which holds nothing yet, with h times the change of velocities that it wants, and may
       change lambda. out.passes 0: it wants none, and frame.d need not be filled. May be NULL. */
    sn_solver_out (*after)(const sn_solver_in *in, const sn_vec4 *v);
    void (*release)(sn_solver_scratch *scratch, const sn_allocator *allocator); /* of what it keeps; may be NULL */
} sn_solver_method;

/* The inverse mass of what is in a slot: of a turn that of its body. */
static inline sn_real solver_weight(const sn_frame *frame, uint32_t slot)
{
    if (frame->turn && slot >= frame->turn_slot)
        slot = frame->slot[frame->turn[slot - frame->turn_slot].centre];
    return frame->x[slot].w;
}

void sn_solver_scratch_init(sn_solver_scratch *scratch);
void sn_solver_scratch_release(sn_solver_scratch *scratch, const sn_allocator *allocator);

/* Whether the direct solver, for which there is room, finds nothing but trees, and leaves nothing to the cascade. */
bool sn_direct_solves_all(const sn_solver_in *in);

#define SN_SOLVER_COUNT 6

extern const sn_solver_method sn_solver_gauss_seidel, sn_solver_jacobi, sn_solver_impulses, sn_solver_lagrange,
    sn_solver_direct, sn_solver_tiled;
extern const sn_solver_method *const sn_solvers[SN_SOLVER_COUNT]; /* by sn_solver */

#endif
