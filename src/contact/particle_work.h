/* Shared by the files of particle contact: particle_broad_phase.c finds contact pairs, particle_margins.c searches
   again for particles that leave their margins, particle_solve.c applies impulses, particle_sweep.c prevents
   tunnelling, and particle_cache.c keeps impulses from step to step. */
#ifndef SN_CONTACT_PARTICLE_WORK_H
#define SN_CONTACT_PARTICLE_WORK_H

#include "base/math.h"
#include "base/sort.h"
#include "world/world.h"

/* Columns of the table of pairs. */
enum {
    PAIR_REACH,
    PAIR_STATIC_FRICTION,
    PAIR_DYNAMIC_FRICTION,
    PAIR_RESTITUTION,
    PAIR_NORMAL_IMPULSE,
    PAIR_LAST,
    PAIR_LOAD,
    PAIR_IMPULSE,
    PAIR_IMPACT,
    PAIR_FRICTION_IMPULSE,
    PAIR_LOAD_ACROSS,
    PAIR_COLUMNS
};

/* Added to the reach of particles by their velocities: a share of the radius, for particles that others push. */
#define SLACK ((sn_real)0.05)

/* Relative to its radius: a particle leaves its margin only when it is this far beyond. */
#define SN_BALL_LEAVES ((sn_real)0.25)

/* The impulses of a late pair when pairs are searched for again. */
typedef struct sn_kept_pair {
    sn_real normal_impulse, last, impulse, impact;
    sn_vec3 tangent_impulse, given;
} sn_kept_pair;

typedef struct sn_contact_finding {
    sn_world *world;
    sn_contacts *contacts;
    sn_real dt;
    bool counting;           /* static contacts: count them, or write them */
    bool late;               /* within a substep */
    atomic_bool has_spheres; /* some particle can touch others */
    atomic_bool has_choice;  /* and some of those may not collide with all others */
    /* some particles have several static contacts, not all with planes */
    atomic_bool shared;
    atomic_bool sided;   /* some static contacts are not with planes: the side matters */
    atomic_bool close;   /* some piece of particles is near fixed shapes */
    atomic_bool too_far; /* some particle is, or may come, beyond SN_CONTACT_REACH */
} sn_contact_finding;

/* The search for the fixed shapes near one particle. */
typedef struct sn_contact_looking {
    sn_contact_finding *f;
    uint32_t slot;
    sn_real reach;         /* m: radius and displacement */
    sn_static_contact *to; /* NULL: only count */
    uint32_t found;
    bool sided;  /* not all of them are planes, */
    bool meshes; /*   and some are meshes or fields */
} sn_contact_looking;

/* Leaves balls at rest that nothing moving is near out of the input of a search for pairs; *left: it did so. Then pairs
   refer to places in a list, and sn_contacts_name_slots replaces these by slots (particle_quiet.c). False when memory
   runs out. */
bool sn_contacts_leave_quiet(sn_world *world, sn_near_input *input, bool *left);
void sn_contacts_name_slots(const sn_world *world, sn_neighbours *near);

/* True if some particle can be moved: not if all sleep. */
bool sn_contacts_any_moves(const sn_world *world);

/* The bounds of the positions and of the velocities of some particles, and their largest radius. */
typedef struct sn_contact_extremes {
    sn_real low[4], high[4], slowest[4], fastest[4], radius;
} sn_contact_extremes;

typedef struct sn_batch_loop {
    const sn_neighbours *near;
    sn_piece_fn *piece;
    void *data;
} sn_batch_loop;

/* The data of one loop of a substep. */
typedef struct sn_contact_pass {
    sn_world *world;
    sn_contacts *contacts;
    const sn_wide_contact *wide;
    sn_wide_contacts_fn *run;
    void (*contact)(const struct sn_contact_pass *p, sn_static_contact *contact);
    sn_wide_contacts pairs;
    const sn_contact_pairs *set; /* the set of these pairs */
    uint32_t block;              /* the first block of the colour */
    sn_real h;
    float preload_share; /* see solvers/preload.h; 0: there are none */
    bool first;
} sn_contact_pass;

/* ---- Helpers ----------------------------------------------------------------------------------------------------- */

static inline sn_bounds unite(sn_bounds a, sn_bounds b)
{
    a.low = vec3(a.low.x < b.low.x ? a.low.x : b.low.x, a.low.y < b.low.y ? a.low.y : b.low.y,
                 a.low.z < b.low.z ? a.low.z : b.low.z);
    a.high = vec3(a.high.x > b.high.x ? a.high.x : b.high.x, a.high.y > b.high.y ? a.high.y : b.high.y,
                  a.high.z > b.high.z ? a.high.z : b.high.z);
    return a;
}

static inline sn_bounds grow(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

static inline sn_vec4 *spheres(const sn_contacts *c)
{
    return c->sphere_table.column[0];
}

/* A margin, as in sphere_table. A particle without a radius is left out of the search for pairs by a negative w. The
   1e-30 avoids -0, which is not negative. */
static inline sn_vec4 margin_of(const sn_particle_store *p, uint32_t slot, sn_real displacement)
{
    const sn_real radius = p->radius[slot];
    return vec4(vec4_xyz(p->x[slot]), radius > 0 ? radius + displacement : -displacement - (sn_real)1e-30);
}

static inline void include(sn_bounds *box, sn_vec3 p, sn_real by)
{
    *box = unite(*box, grow((sn_bounds){p, p}, by));
}

static inline sn_real *pair_column(const sn_contact_pairs *pairs, int column)
{
    return pairs->table.column[column];
}

/* m/s: the velocity change that a pair exerted in this substep; NULL if there are no rigid bodies of particles. x, y
   and z are SN_NEAR apart. */
static inline sn_real *pair_given(const sn_contacts *c, const sn_contact_pairs *pairs, uint32_t batch, uint32_t lane)
{
    return c->rigid.groups ? (sn_real *)pairs->given_table.column[0] + (size_t)batch * 3 * SN_NEAR + lane : NULL;
}

static inline sn_fixed_motion *motions(const sn_contacts *c)
{
    return c->motion_table.column[0];
}

static inline const sn_fixed_shape *record_of(const sn_world *world, uint32_t number)
{
    return &contact_fixed_shapes(&world->contact)[world->contact.fixed_shape_ids.value[number]];
}

/* The component of a vector across a normal. */
static inline sn_vec3 across(sn_vec3 a, sn_vec3 n)
{
    return vec3_sub(a, vec3_scale(n, vec3_dot(a, n)));
}

/* m: the displacement in the substep of the point of a fixed shape that is now at p. */
static inline sn_vec3 surface_displacement(const sn_fixed_motion *m, sn_vec3 p, sn_real h)
{
    if (m->spin.x == 0 && m->spin.y == 0 && m->spin.z == 0)
        return vec3_scale(m->velocity, h);
    return vec3_sub(p, sn_pose_to_world(&m->start, sn_pose_to_own(&m->end, p)));
}

/* By slot: 1 + the last late static contact of a particle. */
static inline uint32_t *late_statics(const sn_contacts *c)
{
    return c->left_table.column[1];
}

/* Positions of particles when the substep began. */
static inline sn_vec4 *starts(const sn_contacts *c)
{
    return c->path_table.column[0];
}

static inline sn_parallel *share(sn_world *world, double work)
{
    return sn_parallel_wants(&world->parallel, work) ? &world->parallel : NULL;
}

/* ---- particle_solve.c -------------------------------------------------------------------------------------------- */

/* Runs a loop over batches in pieces, ordered by place: so a thread gets the pairs that it found, or that it will
   solve. False if the task hook lost tasks. */
bool sn_contacts_run_batches(sn_world *world, const sn_contact_pairs *pairs, sn_batch_loop *loop, sn_piece_fn *piece,
                             void *data);

/* Selects the set of pairs that loops work on. */
void sn_contacts_choose_pairs(sn_contact_pass *p, uint32_t set);

/* m: the displacement of the surface in this substep where the contact is. */
sn_vec3 sn_contacts_surface_way(const sn_contact_pass *p, const sn_static_contact *contact);

/* Moves the particle; push: the part that changes its velocity. */
void sn_contacts_move(const sn_contact_pass *p, const sn_static_contact *contact, sn_vec3 place, sn_vec3 push);

/* The time of first contact of a particle on its path with a fixed shape, both in the frame of the shape. */
bool sn_contacts_first_touch(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch);

/* ---- particle_statics.c ------------------------------------------------------------------------------------------ */

/* Calls a function for all static contacts. False if the task hook lost tasks. */
bool sn_contacts_run_statics(sn_contact_pass *p, void (*one)(const sn_contact_pass *p, sn_static_contact *contact));

/* For these: the velocity before constraints, for restitution; the warm start; a visit of a pass; restitution. */
void sn_contacts_note_static(const sn_contact_pass *p, sn_static_contact *contact);
void sn_contacts_warm_static(const sn_contact_pass *p, sn_static_contact *contact);
void sn_contacts_project_static(const sn_contact_pass *p, sn_static_contact *contact);
void sn_contacts_bounce_static(const sn_contact_pass *p, sn_static_contact *contact);

/* A visit of all. False if the task hook lost tasks. */
bool sn_contacts_project_statics(sn_contact_pass *p);

/* True if velocities are those of half a substep before; see contact/restitution.h. */
static inline bool contact_is_behind(const sn_world *world)
{
    return world->state.settings.integrator == SN_INTEGRATOR_SYMPLECTIC_EULER;
}

/* ---- particle_preloads.c ----------------------------------------------------------------------------------------- */

/* begin: before particles are predicted; first: in the first substep. give_back: when constraints have exerted their
   preloads, before the first pass. False if the task hook lost tasks. */
bool sn_contact_preloads_begin(sn_contact_pass *p, bool first);
bool sn_contact_preloads_give_back(sn_contact_pass *p);

/* ---- particle_cache.c -------------------------------------------------------------------------------------------- */

/* Sorts the kept impulses by the order of particles in storage, if that has changed. False when memory runs out. */
bool sn_contacts_index(sn_world *world);

/* ---- particle_broad_phase.c -------------------------------------------------------------------------------------- */

sn_contact_extremes sn_contacts_extremes(const sn_particle_store *p, uint32_t first, uint32_t end);

/* True if two balls may come into contact; data: the world. */
bool sn_contacts_is_wanted(void *data, uint32_t a, uint32_t b);

/* Fills the columns of a batch, with what the step before pushed if it recalls that. */
void sn_contacts_fill_batch(const sn_world *world, const sn_contact_pairs *set, uint32_t batch, bool recalls);

/* Adds (or counts) the static contact of a particle with a fixed shape, if they may come into contact; data:
   sn_contact_looking. */
bool sn_contacts_look_at_fixed_shape(void *data, uint32_t number);

/* ---- particle_margins.c ------------------------------------------------------------------------------------------ */

/* Before contact acts: searches again for particles that left their margins, and notes whether some moved far. False:
   lost tasks, or contacts.failed. */
bool sn_contacts_follow(sn_world *world, sn_real h, bool first);

/* ---- particle_sweep.c -------------------------------------------------------------------------------------------- */

/* The end of a substep: particles that cross something are pushed again, or stopped. first: the first round; *any: some
   crossed something. */
bool sn_contacts_keep_apart(sn_contact_pass *p, const sn_skin_contact_pass *skin_contact, uint32_t first, bool *any);

#endif
