/* What the files of contact of bodies share. */
#ifndef SN_WORLD_MEETS_WORK_H
#define SN_WORLD_MEETS_WORK_H

#include "base/quat.h"
#include "world/world.h"

#include <stdatomic.h>

#define SN_MEET_LAYERS 4u              /* manifolds of a part with a mesh or field, at most */
#define SN_MEET_EVER   ((sn_real)1e30) /* m, m/s: more than anybody ever needs */

/* A substep that runs. */
typedef struct sn_meet_substep {
    sn_world *world;
    const sn_wide_meet_table *wide;
    sn_wide_meets run; /* without a range */
    sn_real h, inverse_h, factor, gravity;
    bool begins;
    atomic_bool *violent; /* gets true when somebody would come far into another, or was pushed out of it as far */
} sn_meet_substep;

const sn_collider_record *sn_meet_record(const sn_world *world, uint32_t number);

/* A spot of a part, in the frame of its body. */
sn_vec3 sn_part_spot(const sn_world *world, uint32_t part, sn_vec3 spot);

/* The manifold of the step before (meets_cache.c): its place, or the number of those that are kept if there is none. */
uint32_t sn_meet_find_kept(const sn_world *world, const sn_meet *meet);

static inline const sn_kept_manifold *meet_kept(const sn_world *world, const sn_meet *meet)
{
    return meet->kept < world->meets.kept_table.count
               ? (const sn_kept_manifold *)world->meets.kept_table.column[0] + meet->kept
               : NULL;
}

/* What was pressed then at a point of this feature, and what rubbed, times factor. */
void sn_meet_recall(const sn_world *world, const sn_meet *meet, sn_real factor, sn_meet_point *point);
void sn_meet_recall_rub(const sn_world *world, sn_meet *meet, sn_real factor);

/* a in the frame of b. */
sn_pose sn_meet_seen(const sn_world *world, const sn_meet *meet);

/* Takes the points of the step before, if the two have not moved against each other by more than `most` (m) since they were found; by
   how much they did. */
bool sn_meet_reuse(const sn_world *world, sn_meet *meet, sn_real factor, sn_real most, sn_real *moved);

/* A loop in small pieces. */
bool sn_meets_share(sn_world *world, uint32_t count, sn_piece_fn *piece, void *data);

/* Where two that are no farther apart than reach touch, as they are now; false: nowhere (meets_look.c). */
bool sn_meet_manifold(const sn_world *world, sn_meet *meet, sn_real reach, sn_manifold *manifold);

/* m: how far apart two may be that are to be looked at in this substep. */
sn_real sn_meet_reach(const sn_meet_substep *s, const sn_meet *meet);

/* Whether what is known of two says that they do not press in this substep (meets_group.c). */
bool sn_meet_stays_apart(const sn_meet_substep *s, const sn_meet_watch *watch);

/* Whether an axis between two says so, as they are and move now; how far apart (m) they are at least (meets_clear.c). */
bool sn_meet_stays_clear(const sn_meet_substep *s, const sn_meet *meet, sn_real *apart);

/* Looks where two touch, as they are now (meets_look.c). */
void sn_meet_look(const sn_world *world, sn_meet *meet, sn_real factor, sn_real h);

/* The same when a substep begins; whether they may press in it (meets_ready.c). */
bool sn_meet_look_again(const sn_meet_substep *s, sn_meet *meet);

/* Makes room for a meet in a lane of a batch, or fills it in again once its points were looked for anew. */
void sn_meet_fill(const sn_meet_substep *s, uint32_t index, uint32_t batch, uint32_t lane);

/* What its lane says of a meet. */
void sn_meet_note(const sn_world *world, sn_meet *meet);

/* The movers of a meet before it is made; b: SN_NO_MOVER for a collider. */
typedef struct sn_meet_ends {
    uint32_t a, b;
} sn_meet_ends;

/* Deals meets, whose ends are known, to groups, and finds the place of each (meets_group.c). */
sn_result sn_meets_group(sn_world *world, uint32_t count);

/* The same for those behind the ones that were dealt out: they are left to the last group, up to `count` in all. */
bool sn_meets_append(sn_world *world, uint32_t count);

/* Puts what lanes and watches know into their meets; they have no lanes then. False if tasks were lost. */
bool sn_meets_leave_lanes(sn_world *world);

/* Makes the record of a collider, if it has none; its place. Room was made. */
uint32_t sn_meets_rank(sn_world *world, uint32_t number);

/* Colliders as they are when a substep begins. */
void sn_meets_load_colliders(const sn_world *world);

/* Gets all groups ready for the pass at the end of the substep, and runs a piece of it over all of them. False if tasks were lost. */
bool sn_meets_ready_groups(sn_meet_substep *s);
typedef void sn_meet_group_fn(const sn_meet_substep *s, sn_meet_group *group);
bool sn_meets_by_level(const sn_meet_substep *s, sn_meet_group_fn *one);

/* Stops bodies on their ways of this substep that have come into others, as fast ones may (meets_stop.c). False if tasks were lost. */
bool sn_meets_stop(sn_world *world);

/* Who may be thrown in the substep that begins, into the records of movers (meets_blows.c). False if tasks were lost. */
bool sn_meets_hand_on_blows(const sn_meet_substep *s);

/* Whether a body that goes that way stays where it was looked for what it meets (meets_begin.c). */
bool sn_meet_has_room(const sn_world *world, const sn_mover *mover, sn_vec3 way);

/* m: how far spots of a mover came by turning since the substep began, at most. */
sn_real sn_meet_spins(const sn_world *world, const sn_mover *mover);

/* What is known of two bodies that were apart at the end of the step before; and what the next step is to know (meets_apart.c). */
void sn_meet_recall_apart(const sn_world *world, const sn_meet *meet, sn_meet_watch *watch);
bool sn_meets_reserve_apart(sn_world *world, uint64_t count);
void sn_meets_remember_apart(sn_world *world);

/* How movers move now, and what they resist with: a piece of a loop over them (meets_begin.c). */
void sn_meets_load_piece(void *substep, uint32_t first, uint32_t end);

/* ---- Small things -------------------------------------------------------------------------------------------------------- */

static inline sn_real meet_magnitude(sn_real a)
{
    return a < 0 ? -a : a;
}

static inline bool meet_is_zero(sn_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

/* ---- Where things are, and how they move ------------------------------------------------------------------------------- */

static inline sn_mover *meet_movers(const sn_world *world)
{
    return world->meets.mover_table.column[0];
}

/* Those that are awake, or in a meet. */
static inline const uint32_t *meet_listed(const sn_world *world)
{
    return world->meets.list_table.column[0];
}

static inline sn_meet *meet_all(const sn_world *world)
{
    return world->meets.meet_table.column[0];
}

static inline sn_meet_cell *meet_cell(const sn_world *world, uint32_t mover)
{
    return (sn_meet_cell *)world->meets.cell_table.column[0] + mover;
}

/* Whether a mover is in a lane, or moves whatever is in its way. */
static inline bool meet_is_pressed(const sn_world *world, uint32_t mover)
{
    const sn_meet_cell *cell = meet_cell(world, mover);
    return !cell->moves || (cell->used[0] | cell->used[1] | cell->used[2] | cell->used[3]);
}

static inline sn_vec4 *meet_records(const sn_world *world)
{
    return world->meets.record_table.column[0];
}

static inline sn_vec4 *meet_record(const sn_world *world, uint32_t index)
{
    return &meet_records(world)[SN_MEET_RECORD * (size_t)index];
}

/* m: how much farther than by themselves two may come because one of them may be thrown; see meets_blows.c. */
static inline sn_real meet_thrown(const sn_world *world, const sn_vec4 *a, const sn_vec4 *b)
{
    return !world->meets.fast ? 0 : a[3].z > b[3].z ? a[3].z : b[3].z;
}

/* The record of b. */
static inline uint32_t meet_other(const sn_world *world, const sn_meet *meet)
{
    if (meet->b != SN_NO_MOVER)
        return meet->b;
    return world->meets.mover_table.count + 1 + ((const uint32_t *)world->meets.rank_table.column[0])[meet->collider];
}

/* Where a mover is when a substep begins. */
static inline sn_pose meet_pose(const sn_world *world, const sn_mover *mover)
{
    sn_pose pose = {vec4_xyz(world->particles.x[mover->slot]), {0, 0, 0, 1}};
    if (mover->body != SN_ID_FREE)
        pose.rotation = world->bodies.turn[mover->body].start;
    return pose;
}

static inline sn_pose meet_part_pose(const sn_world *world, const sn_pose *body, uint32_t part)
{
    const sn_body_part *p = &world->bodies.part[part];
    if (p->plain)
        return *body;
    return (sn_pose){sn_pose_to_world(body, p->place), sn_quat_times(body->rotation, p->turn)};
}

static inline const sn_collider_motion *meet_motion(const sn_world *world, uint32_t number)
{
    return (const sn_collider_motion *)world->contacts.motion_table.column[0] + number;
}

/* The frame that the spots of b are seen in. */
static inline sn_pose meet_pose_of_b(const sn_world *world, const sn_meet *meet)
{
    return meet->b == SN_NO_MOVER ? meet_motion(world, meet->collider)->start
                                  : meet_pose(world, &meet_movers(world)[meet->b]);
}

/* m/s: of a's centre, seen from b. */
static inline sn_vec3 meet_course(const sn_world *world, const sn_meet *meet)
{
    sn_vec3 v = meet_movers(world)[meet->a].v;
    return vec3_sub(v, meet->b == SN_NO_MOVER ? meet_motion(world, meet->collider)->velocity
                                              : meet_movers(world)[meet->b].v);
}

/* Where a body is at the end of a substep in which it goes on as it does. */
static inline sn_pose meet_goes_to(const sn_world *world, const sn_mover *m, sn_real h)
{
    sn_pose pose = meet_pose(world, m);
    sn_vec3 half = vec3_scale(m->spin, h / 2);
    pose.position = vec3_add(pose.position, vec3_scale(m->v, h));
    pose.rotation = sn_quat_normal(sn_quat_times((sn_quat){half.x, half.y, half.z, 1}, pose.rotation));
    return pose;
}

/* m: how far spots of the two may come by turning. */
static inline sn_real meet_turns(const sn_world *world, const sn_meet *meet, sn_real h)
{
    const sn_mover *a = &meet_movers(world)[meet->a];
    sn_real sum = a->turning;
    if (meet->b != SN_NO_MOVER)
        return h * (sum + meet_movers(world)[meet->b].turning);
    const sn_collider_motion *m = meet_motion(world, meet->collider);
    return h * (meet_is_zero(m->spin) ? sum : sum + m->speed);
}

/* Times the overlap that is left alone, a hundredth of the size: as long as somebody is wrong by so much there are more sweeps, over
   those that are and their neighbours. With a tenth, boxes that fell on each other were crushed. */
#define SN_MEET_FAR_OFF ((sn_real)5)

static inline sn_meet_substep meet_substep(sn_world *world, sn_real h)
{
    const sn_contact_settings *settings = &world->contact.settings;
    sn_real gravity = vec3_length(world->state.settings.gravity);
    return (sn_meet_substep){
        .world = world,
        .wide = world->wide ? world->wide->meet : &sn_meet_scalar,
        .run = {.batch = world->meets.batch_table.column[0],
                .manifold = world->meets.batch_table.column[1],
                .mover = meet_records(world),
                .h = h,
                .inverse_h = 1 / h,
                .fall = 2 * h * h * gravity,
                .deep = SN_MEET_FAR_OFF,
                .most = settings->push_out * h,
                .bounce_above = settings->bounce_above >= 0 ? settings->bounce_above : 2 * gravity * h},
        .h = h,
        .inverse_h = 1 / h,
        .factor = world->meets.factor,
        .gravity = gravity};
}

#endif
