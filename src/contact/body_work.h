/* Shared by the files of contact of bodies. */
#ifndef SN_CONTACT_BODY_WORK_H
#define SN_CONTACT_BODY_WORK_H

#include "base/quad.h"
#include "base/quat.h"
#include "world/world.h"

#include <stdatomic.h>

#define SN_BODY_CONTACT_LAYERS 4u              /* manifolds of a part with a mesh or field, at most */
#define SN_BODY_CONTACT_EVER   ((sn_real)1e30) /* m, m/s: more than is ever needed */

/* Threads are awake during a pass. So sharing a loop pays for less work than one that has to wake them, by this. */
#define SN_BODY_CONTACTS_AWAKE 3.0

/* The running substep. */
typedef struct sn_body_contact_substep {
    sn_world *world;
    const sn_wide_body_contact_table *wide;
    const sn_turning *turning;
    sn_wide_body_contacts run; /* without a range */
    sn_real h, inverse_h, gravity;
    const sn_vec3 *force; /* N: by slot, those that act in it; NULL: none do */
    bool begins, again;   /* it is at its start; and bodies were searched for again since then */
    /* violent: set if a body moves far into another in this substep, or was pushed out as far */
    atomic_bool *violent;
} sn_body_contact_substep;

const sn_fixed_shape *sn_body_contact_record(const sn_world *world, uint32_t number);

/* A point of a part, in the frame of its body. */
sn_vec3 sn_part_point(const sn_world *world, uint32_t part, sn_vec3 contact_point);

/* The index of the manifold of the step before (body_cache.c), or the number of kept manifolds if there is none.
   *near: where the search begins; then where the manifold is or would be. */
uint32_t sn_body_contact_find_kept(const sn_world *world, const sn_body_contact *contact, uint32_t *near);

#define SN_KEPT_UNSEEN 0x80000000u /* added to sn_body_contact.kept until the kept manifold is read */

static inline const sn_kept_manifold *contact_kept(const sn_world *world, const sn_body_contact *contact)
{
    return contact->kept < world->body_contacts.kept_table.count
               ? (const sn_kept_manifold *)world->body_contacts.kept_table.column[0] + contact->kept
               : NULL;
}

/* Compares the substeps of a step of dt with those of the step before: sets per_second, longer and newer. */
void sn_body_contacts_compare(sn_world *world, sn_real dt);

/* Takes over the impulses of the step before, as far as a substep of this step begins with them: of the point with
   this feature; and friction. */
void sn_body_contact_recall(const sn_world *world, const sn_body_contact *contact, sn_body_contact_point *point);
void sn_body_contact_recall_friction(const sn_world *world, sn_body_contact *contact);

/* a in the frame of b. */
sn_pose sn_body_contact_seen(const sn_pose *a, const sn_pose *b);

/* Takes over the points of the step before, if the two bodies have moved by less than `most` (m) relative to each
   other since they were found. *moved: by how much. */
bool sn_body_contact_reuse(const sn_world *world, sn_body_contact *contact, sn_real most, sn_real *moved);

/* Runs a loop in small pieces. False if tasks were lost. */
bool sn_body_contacts_share(sn_world *world, uint32_t count, sn_piece_fn *piece, void *data);

/* The manifold of a contact pair at its present poses, up to a distance of reach (m). False if there is none
   (body_narrow_phase.c). */
bool sn_body_contact_manifold(const sn_world *world, sn_body_contact *contact, sn_real reach, sn_manifold *manifold);

/* m: up to this distance points of a pair are searched for in this substep. */
sn_real sn_body_contact_reach(const sn_body_contact_substep *s, const sn_body_contact *contact);

/* True if the last measured distance shows that the pair cannot come into contact in this substep (body_groups.c). */
bool sn_body_contact_stays_apart(const sn_body_contact_substep *s, const sn_body_contact_watch *watch);

/* The same for the contacts of a list, by a separating axis, from their present poses and velocities. apart: a lower
   bound of their distance (m); -1 if no axis shows that they stay apart (body_clear.c). */
void sn_body_contacts_clear(const sn_body_contact_substep *s, const uint32_t *list, uint32_t count, sn_real *apart);

/* Finds the points of a contact at its present poses (body_narrow_phase.c). */
void sn_body_contact_look(const sn_world *world, sn_body_contact *contact, sn_real h);

/* The same at the start of a substep, unless the points of the step before are still good. True if the contact may
   exert an impulse in it (body_prepare.c). */
bool sn_body_contact_look_again(const sn_body_contact_substep *s, sn_body_contact *contact);

/* For a contact in a lane whose points are stale. is_idle: it has no impulse, so new points are not needed if the pair
   stays apart in this substep. pass_clear: for a pair that does; removes its points. apart: m, its distance, or
   less. */
bool sn_body_contact_is_idle(const sn_body_contact *contact);
void sn_body_contact_pass_clear(const sn_body_contact_substep *s, sn_body_contact *contact, sn_real apart);
void sn_body_contact_lose_points(sn_body_contact *contact);

/* Writes a contact to a lane of a batch: a new one, or its own after its points were found again. */
void sn_body_contact_fill(const sn_body_contact_substep *s, uint32_t index, uint32_t batch, uint32_t lane);

/* Reads the results of a contact from its lane. */
void sn_body_contact_note(const sn_world *world, sn_body_contact *contact);

/* N s: the normal impulse of a contact in this step, as far as it was read from lanes. *contact_point: m, where it acts on a,
   from its centre along principal axes (events.c). */
sn_real sn_body_contact_impulse(const sn_body_contact *contact, sn_vec3 *contact_point);

/* The movers of a contact before it is made; b: SN_NO_MOVER for a fixed shape. */
typedef struct sn_body_contact_ends {
    uint32_t a, b;
} sn_body_contact_ends;

/* Divides all movable bodies with contacts into cells, and marks them. *groups: the number of groups that this makes;
   there is room for them (body_cells.c). */
sn_result sn_body_contacts_cut_space(sn_world *world, uint32_t contacts, uint32_t *groups);

/* Makes room for `count` items and some more: counts that differ a little from step to step should not need an
   allocation for each new maximum. */
bool sn_body_contacts_make_room(sn_world *world, sn_table *table, uint64_t count);

/* True if a body turns far in the substep, so that energies are limited: noted before a mover gets its impulses, and
   compared when all have got theirs (body_energy.c). */
bool sn_body_contacts_any_turns_far(const sn_world *world, sn_real h);
void sn_body_contacts_note_energy(const sn_world *world, sn_mover *m);
void sn_body_contacts_limit_energy(sn_world *world);

/* m^2/s^2: twice the energy of its rotation, per unit of mass. */
double sn_body_contact_spin_energy(const sn_world *world, const sn_mover *m);

/* Distributes contacts to groups by their ends, and finds the index of each (body_groups.c). */
sn_result sn_body_contacts_group(sn_world *world, uint32_t count);

/* The same for contacts that were added since, up to `count` in all: they go to the last group. */
bool sn_body_contacts_append(sn_world *world, uint32_t count);

/* Reads the results of all contacts from their lanes. After that no contact has a lane. False if tasks were lost. */
bool sn_body_contacts_leave_lanes(sn_world *world);

/* Loads the records of fixed shapes, as they are at the start of a substep. */
void sn_body_contacts_load_fixed_shapes(const sn_world *world);

/* Computes the motion that contact is expected to cause in a substep; and clears it (body_expect.c). False if tasks
   were lost. */
bool sn_body_contacts_expect(sn_body_contact_substep *s);
void sn_body_contacts_forget_expected(sn_world *world);

typedef void sn_body_contact_group_fn(const sn_body_contact_substep *s, sn_body_contact_group *group);

/* Runs a function for all groups that applies impulses to the records of corrections, which are empty when the substep
   begins. False if tasks were lost. */
bool sn_body_contacts_apply_kept(sn_body_contact_substep *s, sn_body_contact_group_fn *apply_kept);

/* carry: adds what lies on bodies that constraints hold to their predicted motion; unload: takes it out of their
   records in a pass. See body_loads.c. False if tasks were lost. */
bool sn_body_contacts_carry(sn_body_contact_substep *s, struct sn_substep *substep);
void sn_body_contacts_unload(const sn_body_contact_substep *s);

/* ready_groups: prepares all groups for the pass at the end of the substep. by_level: runs a function for all groups,
   level by level. False if tasks were lost. */
bool sn_body_contacts_ready_groups(sn_body_contact_substep *s);
bool sn_body_contacts_by_level(const sn_body_contact_substep *s, sn_body_contact_group_fn *one);

/* Sweeps over a part of the contacts. With run.stirred_only, only those groups are processed in which a body was
   disturbed in sweep run.since or later. calm: clears that, before the first sweep. stir: for the disturbed bodies of
   `count` batches, marks all groups that they may be in. stir_mover: the same for one body. */
void sn_body_contacts_calm(const sn_world *world);
void sn_body_contacts_stir(const sn_body_contact_substep *s, const sn_wide_body_contact *batch, uint32_t count);
void sn_body_contacts_stir_mover(const sn_body_contact_substep *s, uint32_t mover);
bool sn_body_contacts_is_stirred(const sn_body_contact_substep *s, uint32_t group);

/* Runs some sweeps over contacts of bodies that were disturbed in sweep run.since or later. Returns their number
   (body_violent.c). *good becomes false if tasks were lost. */
uint32_t sn_body_contacts_sweep_violent(const sn_body_contact_substep *s, bool *good);

/* Closes joints that the sweeps opened (body_joints.c). False if tasks were lost. */
bool sn_body_contacts_hold_joints(sn_body_contact_substep *s);

/* Prepares the pivots of an articulation whose bodies are loaded, but for their masses. One that cannot be held gets no
   movable ends (body_pivots.c). The others are the same for vectors of so many bytes. */
typedef void sn_body_pivots_fn(const sn_body_contact_substep *s, const sn_pivots *swing, sn_open_joint *joint);
sn_body_pivots_fn sn_body_pivots_ready, sn_body_pivots_ready_lanes_0, sn_body_pivots_ready_lanes_16,
    sn_body_pivots_ready_lanes_32;

/* Stops fast bodies on their paths of this substep where they would move into others (body_sweep.c). stores: there was
   a pass, whose results are stored before that. False if tasks were lost. */
bool sn_body_contacts_stop(sn_body_contact_substep *s, bool stores);

/* ---- body_balls.c ------------------------------------------------------------------------------------------------ */

/* When a step begins. False when memory runs out. */
bool sn_body_balls_prepare(sn_world *world);

/* When a substep begins: notes where balls are. False: lost tasks. */
bool sn_body_balls_begin(sn_world *world);

/* m: where a ball was when the substep began. */
sn_vec3 sn_body_ball_start(const sn_world *world, uint32_t slot);

/* At the end of a substep: whether some balls left the space in which bodies near them were searched for. False: lost
   tasks. */
bool sn_body_balls_left(sn_world *world, bool *left);

/* True for those that did; then around is the space in which bodies have to be searched for. */
bool sn_body_ball_is_sought(const sn_world *world, uint32_t slot, sn_bounds *around);

/* Stores the results of a pass for listed movers first to end. Returns true if it is certain that all of them move
   soundly (body_solve.c). */
bool sn_body_contacts_store(const sn_body_contact_substep *s, uint32_t first, uint32_t end);

/* Determines how far bodies may be thrown in the substep that begins, in the records of movers (body_throws.c). False
   if tasks were lost. */
bool sn_body_contacts_pass_throws_on(const sn_body_contact_substep *s);

/* True if a body that is displaced by `displacement` (m) stays in the space that was searched for it (body_begin.c). */
bool sn_body_contact_has_room(const sn_world *world, const sn_mover *mover, sn_vec3 displacement);

/* m: the largest displacement of points of a mover by rotation since the start of the substep. */
sn_real sn_body_contact_spins(const sn_world *world, const sn_mover *mover);

/* Pairs that were apart at the end of the step before. recall: what is known of one. reserve: makes room for `count`.
   remember: keeps them for the next step (body_apart.c). */
void sn_body_contact_recall_apart(const sn_world *world, const sn_body_contact *contact, sn_body_contact_watch *watch);
bool sn_body_contacts_reserve_apart(sn_world *world, uint64_t count);
void sn_body_contacts_remember_apart(sn_world *world);

/* Loads the velocities and inertias of movers: load_piece is a piece of a loop over them (body_begin.c). */
void sn_body_contacts_load_piece(void *substep, uint32_t first, uint32_t end);
void sn_body_contacts_load(const sn_body_contact_substep *s, const uint32_t *mover, uint32_t count);

/* ---- Small things ------------------------------------------------------------------------------------------------ */

static inline sn_real contact_magnitude(sn_real a)
{
    return a < 0 ? -a : a;
}

static inline uint32_t contact_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* m: the distance from the origin to the nearest side of a box around it. */
static inline sn_real contact_innermost(const sn_bounds *box)
{
    const sn_real side[6] = {-box->low.x, -box->low.y, -box->low.z, box->high.x, box->high.y, box->high.z};
    sn_real least = side[0];
    for (int i = 1; i < 6; ++i)
        least = side[i] < least ? side[i] : least;
    return least;
}

static inline bool contact_is_zero(sn_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

/* m: the largest displacement of a point at this distance from the centre by a rotation from p to q. */
static inline sn_real contact_turned(sn_real extent, const sn_quat *p, const sn_quat *q)
{
    const quad from = quad_load(p), to = quad_load(q);
    const sn_real sign = quad_sum4(quad_times(from, to)) < 0 ? -1 : 1;
    const quad displacement = quad_sub(to, quad_scale(from, sign));
    return SN_CHORD * extent * real_sqrt(quad_sum4(quad_times(displacement, displacement)));
}

/* ---- Where things are, and how they move ------------------------------------------------------------------------- */

static inline sn_mover *contact_movers(const sn_world *world)
{
    return world->body_contacts.mover_table.column[0];
}

/* By row: SN_ROW_ flags. */
static inline uint8_t *contact_flags(const sn_world *world)
{
    return world->body_contacts.row_table.column[1];
}

static inline bool contact_has_left(const sn_world *world, uint32_t row)
{
    return contact_flags(world)[row] & SN_ROW_LEFT;
}

static inline void contact_set_left(const sn_world *world, uint32_t row, bool left)
{
    uint8_t *flags = &contact_flags(world)[row];
    *flags = (uint8_t)((*flags & ~SN_ROW_LEFT) | (left ? SN_ROW_LEFT : 0));
}

/* Movers that are awake or have a contact. */
static inline const uint32_t *contact_listed(const sn_world *world)
{
    return world->body_contacts.list_table.column[0];
}

static inline sn_body_contact *contact_all(const sn_world *world)
{
    return world->body_contacts.contact_table.column[0];
}

/* Prefetches a contact that is needed soon. It is not contiguous with others, and is not read in most substeps. */
static inline void contact_fetch(const sn_body_contact *contact)
{
#ifdef __GNUC__
    for (size_t at = 0; at < sizeof *contact; at += 64)
        __builtin_prefetch((const char *)contact + at, 1);
#else
    (void)contact;
#endif
}

static inline sn_body_contact_cell *contact_cell(const sn_world *world, uint32_t mover)
{
    return (sn_body_contact_cell *)world->body_contacts.cell_table.column[0] + mover;
}

/* By mover: SN_MARK_ flags. */
static inline uint8_t *contact_marks(const sn_world *world)
{
    return world->body_contacts.cell_table.column[5];
}

/* By mover: the number of its contacts on each level. */
static inline _Atomic uint32_t *contact_degrees(const sn_world *world, uint32_t mover)
{
    return (_Atomic uint32_t *)world->body_contacts.cell_table.column[6] + (size_t)SN_BODY_CONTACT_LEVELS * mover;
}

/* By mover: the last sweep of a pass in which it was disturbed; 0: none. The same as in its record, but contiguous, and
   it also counts while overlaps are corrected. */
static inline _Atomic uint32_t *contact_stirred(const sn_world *world)
{
    return world->body_contacts.cell_table.column[8];
}

/* The same by articulation: the last sweep in which one of its bodies was disturbed. */
static inline _Atomic uint32_t *contact_stirred_articulations(const sn_world *world)
{
    return world->articulations.first_table.column[4];
}

static inline bool contact_is_stirred(const sn_world *world, uint32_t mover, uint32_t since)
{
    return atomic_load_explicit(&contact_stirred(world)[mover], memory_order_relaxed) >= since;
}

/* The columns of data of movers, for loops. Local pointers, because for a compiler a store to any of these columns may
   change any pointer in the world. */
typedef struct sn_mover_columns {
    const uint32_t *listed;
    sn_mover *mover;
    sn_vec4 *record;
    uint8_t *mark, *flags;
    const sn_body_contact_cell *cell;
    sn_vec4 *x, *v;
    sn_body_state *state;
    sn_body_motion *motion;
    sn_turn *turn;
} sn_mover_columns;

static inline sn_mover_columns contact_columns(const sn_world *world)
{
    return (sn_mover_columns){.listed = contact_listed(world),
                              .mover = contact_movers(world),
                              .record = world->body_contacts.record_table.column[0],
                              .mark = contact_marks(world),
                              .flags = contact_flags(world),
                              .cell = world->body_contacts.cell_table.column[0],
                              .x = world->particles.x,
                              .v = world->particles.v,
                              .state = world->bodies.state,
                              .motion = world->bodies.motion,
                              .turn = world->bodies.turn};
}

/* True if a mover has a contact in a lane, or a joint of it is held, or it cannot be moved. */
static inline bool columns_have_impulse(const sn_mover_columns *c, uint32_t mover)
{
    const uint64_t *used = c->cell[mover].used;
    return (c->mark[mover] & (SN_MARK_MOVES | SN_MARK_HELD)) != SN_MARK_MOVES ||
           (used[0] | used[1] | used[2] | used[3]);
}

static inline bool contact_moves(const sn_world *world, uint32_t mover)
{
    return mover != SN_NO_MOVER && contact_marks(world)[mover] & SN_MARK_MOVES;
}

/* Sets a flag. Most threads find it set, and do not write: writes by several threads to one cache line are slow. */
static inline void contact_raise(atomic_bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

/* Raises *known to `value`, if it is less. For several threads. */
static inline void contact_raise_to(_Atomic uint32_t *known, uint32_t value)
{
    uint32_t was = atomic_load_explicit(known, memory_order_relaxed);
    while (value > was &&
           !atomic_compare_exchange_weak_explicit(known, &was, value, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static inline sn_vec4 *contact_records(const sn_world *world)
{
    return world->body_contacts.record_table.column[0];
}

static inline sn_vec4 *contact_record(const sn_world *world, uint32_t index)
{
    return &contact_records(world)[SN_BODY_CONTACT_RECORD * (size_t)index];
}

/* m: how much more a pair may approach because one of the two may be thrown; see body_throws.c. */
static inline sn_real contact_thrown(const sn_world *world, const sn_vec4 *a, const sn_vec4 *b)
{
    return !world->body_contacts.fast ? 0 : a[3].z > b[3].z ? a[3].z : b[3].z;
}

/* The index of the record of b. */
static inline uint32_t contact_other(const sn_world *world, const sn_body_contact *contact)
{
    if (contact->b != SN_NO_MOVER)
        return contact->b;
    return world->body_contacts.mover_table.count + 1 +
           ((const uint32_t *)world->body_contacts.rank_table.column[0])[contact->fixed_shape];
}

/* The pose of a mover at the start of a substep, from its record, once that is loaded. */
static inline sn_pose contact_recorded_pose(const sn_vec4 *record)
{
    return (sn_pose){vec4_xyz(record[4]), {record[5].x, record[5].y, record[5].z, record[5].w}};
}

/* The same, whether it is loaded or not. */
static inline sn_pose contact_pose(const sn_world *world, const sn_mover *mover)
{
    sn_pose pose = {vec4_xyz(world->particles.x[mover->slot]), {0, 0, 0, 1}};
    if (mover->body != SN_ID_FREE)
        pose.rotation = world->bodies.turn[mover->body].start;
    return pose;
}

static inline sn_pose contact_part_pose(const sn_world *world, const sn_pose *body, uint32_t part)
{
    const sn_body_part *p = &world->bodies.part[part];
    if (p->plain)
        return *body;
    return (sn_pose){sn_pose_to_world(body, p->place), sn_quat_times(body->rotation, p->turn)};
}

static inline const sn_fixed_motion *contact_motion(const sn_world *world, uint32_t number)
{
    return (const sn_fixed_motion *)world->contacts.motion_table.column[0] + number;
}

/* The frame of the anchors on b. */
static inline sn_pose contact_pose_of_b(const sn_world *world, const sn_body_contact *contact)
{
    return contact->b == SN_NO_MOVER ? contact_motion(world, contact->fixed_shape)->start
                                     : contact_pose(world, &contact_movers(world)[contact->b]);
}

/* m/s: velocity of the centre of a relative to b. */
static inline sn_vec3 contact_course(const sn_world *world, const sn_body_contact *contact)
{
    return vec3_sub(vec4_xyz(contact_record(world, contact->a)[0]),
                    contact->b == SN_NO_MOVER ? contact_motion(world, contact->fixed_shape)->velocity
                                              : vec4_xyz(contact_record(world, contact->b)[0]));
}

/* The pose of a body at the end of a substep, if it keeps its velocities. */
static inline sn_pose contact_goes_to(const sn_world *world, const sn_mover *m, sn_real h)
{
    const sn_vec4 *record = contact_record(world, (uint32_t)(m - contact_movers(world)));
    sn_pose pose = contact_pose(world, m);
    sn_vec3 half = vec3_scale(vec4_xyz(record[1]), h / 2);
    pose.position = vec3_add(pose.position, vec3_scale(vec4_xyz(record[0]), h));
    pose.rotation = sn_quat_normal(sn_quat_times((sn_quat){half.x, half.y, half.z, 1}, pose.rotation));
    return pose;
}

/* m: the largest displacement of points of the two by rotation in a substep. */
static inline sn_real contact_turns(const sn_world *world, const sn_body_contact *contact, sn_real h)
{
    const sn_real sum = contact_record(world, contact->a)[1].w;
    if (contact->b != SN_NO_MOVER)
        return h * (sum + contact_record(world, contact->b)[1].w);
    const sn_fixed_motion *m = contact_motion(world, contact->fixed_shape);
    return h * (contact_is_zero(m->spin) ? sum : sum + m->speed);
}

/* Times slop, which is a hundredth of the size. As long as a contact has a penetration error above this, there are
   more sweeps over such contacts and their neighbours. With a tenth of the size, boxes that fell on each other were
   crushed. */
#define SN_BODY_CONTACT_FAR_OFF ((sn_real)5)

/* True if a mover is a body that constraints hold, with a load; see body_loads.c. */
static inline bool contact_bears(const sn_world *world, uint32_t mover)
{
    return (contact_marks(world)[mover] & (SN_MARK_BEARS | SN_MARK_STANDS)) == SN_MARK_BEARS;
}

/* The angular velocity that an angular impulse gives to the body of a record. */
static inline sn_vec3 contact_turn_by(const sn_vec4 *record, sn_vec3 torque)
{
    const sn_vec4 i = record[2], j = record[3];
    return vec3(i.x * torque.x + i.w * torque.y + j.x * torque.z, i.w * torque.x + i.y * torque.y + j.y * torque.z,
                j.x * torque.x + j.y * torque.y + i.z * torque.z);
}

static inline sn_body_contact_substep contact_substep(sn_world *world, sn_real h)
{
    const sn_contact_settings *settings = &world->contact.settings;
    sn_real gravity = vec3_length(world->state.settings.gravity);
    return (sn_body_contact_substep){
        .world = world,
        .wide = world->wide ? world->wide->body_contact : &sn_body_contact_scalar,
        .turning = sn_turning_by(world->wide ? world->wide->vector : 0),
        .run = {.batch = world->body_contacts.batch_table.column[0],
                .manifold = world->body_contacts.batch_table.column[1],
                .mover = contact_records(world),
                .inertia = contact_records(world) + 2,
                .h = h,
                .inverse_h = 1 / h,
                .fall = 2 * h * h * gravity,
                .deep = SN_BODY_CONTACT_FAR_OFF,
                .most = settings->push_out * h,
                .bounce_above = settings->bounce_above >= 0 ? settings->bounce_above : 2 * gravity * h,
                .eager = !world->articulations.carries},
        .h = h,
        .inverse_h = 1 / h,
        .gravity = gravity};
}

#endif
