/* The bodies' part of the step: rotation.

   The centres of bodies are particles, and take part in the step as such. This file does the rest. In a substep a body
   first rotates freely, with the torque that acts on it (predict). Then constraints move its *turn*: a particle of the
   body's mass that solvers find behind the last particle. They move it by phi, where phi / k is the angle about each
   principal axis, and k the radius of gyration. Then the body is rotated by that angle, and gains the corresponding
   angular momentum (settle):

       l += R (k phi) / h,

   per unit of mass. In exact arithmetic the angular velocity is the change of orientation, as for particles. But
   momentum is what is stored, and free bodies conserve it to the last bit.

   R is the orientation of the body at which the gradients of the constraints were evaluated.

   BDF2 (stages.h) needs differences of positions, and orientations have none. Momenta do, and so do their integrals.
   With l in the place of v, and h l_mean in that of d, where l_mean is the momentum with which free rotation for h
   leads from one orientation to the next,

       l' = (4 l - l_old) / 3 + 2h/3 (torque' + constraints),      l_mean = l_mean_old / 3 + 2/3 l',

   which is BDF2 for l and for its integral. Free rotation with the mean of a varying momentum has an error of third
   order in h (a commutator), so the method is of second order. Without torque, l_mean = l: then the body rotates as
   with every other integrator, with all of its momentum and without the energy loss that differences of orientations
   would cause. Constraints rotate it by phi, which is (2h/3)^2 times their accelerations: l gains R (k phi) / (2h/3),
   l_mean R (k phi) / h. */
#include "contact/body_work.h"
#include "world/substep.h"

#include "base/dvec.h"
#include "base/math.h"
#include "base/quad.h"
#include "bodies/rotation.h"
#include "bodies/turning.h"

#include <stdatomic.h>

/* ---- Turns ------------------------------------------------------------------------------------------------------- */

/* k times a vector along principal axes; 0 along an axis that is locked. */
static void times_k(const sn_body_state *body, const double from[3], double to[3])
{
    for (int i = 0; i < 3; ++i)
        to[i] = isinf(body->k[i]) ? 0 : body->k[i] * from[i];
}

void sn_body_inverse_moments(const sn_body_state *body, double inverse[3])
{
    for (int i = 0; i < 3; ++i)
        inverse[i] = 1 / (body->k[i] * body->k[i]);
}

/* m/s: the velocity of its turn. */
static sn_vec3 turn_velocity(const sn_body_state *body)
{
    double m[3], v[3];
    sn_rotate_vector_back(body->q, body->l, m);
    for (int i = 0; i < 3; ++i)
        v[i] = m[i] / body->k[i];
    return vec3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

/* ns, about: cost of a body in one loop */
#define WORK_OF_BODY 200.0

/* and of a joint */
#define WORK_OF_JOINT 5.0

/* Runs a loop over bodies. It must be complete: tasks that were lost are done here, and reported after the step. */
static void share_all(sn_world *world, uint32_t count, double work, sn_piece_fn *piece, void *data)
{
    if (sn_parallel_few(&world->parallel, count, work, piece, data))
        return;
    sn_parallel_repair(&world->parallel);
    world->bodies.lost = true;
}

/* The same over all awake bodies. */
static void share(sn_world *world, sn_piece_fn *piece, void *data)
{
    share_all(world, world->bodies.awake_table.count, WORK_OF_BODY, piece, data);
}

/* ---- Several bodies at a time ------------------------------------------------------------------------------------
   The batch functions of bodies/turning.h take pointers to the numbers of bodies. */

typedef struct turn_group {
    const sn_turning *by;
    uint32_t row[SN_TURN_BATCH];
    sn_turn_batch batch;
} turn_group;

static void group_begin(turn_group *g, const sn_substep *s)
{
    g->by = sn_turning_by(s->world->wide ? s->world->wide->vector : 0);
    g->batch.count = g->batch.kinematic = 0;
    for (uint32_t i = 0; i < SN_TURN_BATCH; ++i)
        g->batch.h[i] = (double)s->motion.h;
}

/* Adds a body to the group, with the displacement of its turn. Returns its index in the group. */
static uint32_t group_add(turn_group *g, const sn_bodies *bodies, uint32_t row, sn_vec4 *turn)
{
    const uint32_t at = g->batch.count++;
    g->row[at] = row;
    g->batch.body[at] = &bodies->state[row];
    g->batch.motion[at] = &bodies->motion[row];
    g->batch.turn[at] = turn;
    g->batch.start[at] = &bodies->turn[row].start;
    g->batch.now[at] = &bodies->turn[row].now;
    return at;
}

static void group_end(turn_group *g)
{
    g->batch.count = g->batch.kinematic = 0;
}

static void lay_out(sn_world *world, uint32_t row)
{
    sn_particle_store *p = &world->particles;
    const sn_body_state *body = &world->bodies.state[row];
    uint32_t slot = p->table.count + row;
    bool lives = bodies_has(&world->bodies, row);
    sn_vec4 none = {0};
    p->x[slot] = vec4(vec3(0, 0, 0), lives ? p->x[world->ids.value[body->particle]].w : 0);
    p->x_low[slot] = none;
    p->v[slot] = vec4(lives ? turn_velocity(body) : vec3(0, 0, 0), 0);
    if (sn_integrators[world->state.settings.integrator]->looks_back)
        world->history.old_d[slot] = none;
    bodies_turned(&world->bodies, row);
}

static void lay_out_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    for (uint32_t i = first; i < end; ++i)
        lay_out(world, bodies_awake(&world->bodies)[i]);
}

/* Sleeping bodies and free rows stay laid out until something is edited, wakes or falls asleep. */
void sn_turns_list_awake(sn_world *world)
{
    sn_bodies *bodies = &world->bodies;
    const uint64_t changes = world->contact.sleep.changes;
    const bool held = world->contact.sleep.held;
    uint32_t *awake = bodies->awake_table.column[0], count = 0;
    if (bodies->awake_moves + 1 == world->moves && bodies->awake_changes == changes && bodies->awake_held == held) {
        bodies->awake_moves = world->moves;
        return;
    }
    for (uint32_t row = 0; row < bodies_rows(bodies); ++row) {
        if (bodies_has(bodies, row) && !sn_sleep_holds(world, bodies->state[row].particle)) {
            awake[count++] = row;
            continue;
        }
        lay_out(world, row);
        uint32_t slot = world->particles.table.count + row;
        world->particles.y[slot] = world->particles.d[slot] = (sn_vec4){0};
    }
    bodies->awake_table.count = count;
    bodies->awake_moves = world->moves;
    bodies->awake_changes = changes;
    bodies->awake_held = held;
}

void sn_turns_lay_out(sn_world *world)
{
    share(world, lay_out_piece, world);
}

void sn_turns_refresh(const sn_world *world, const sn_pool *pool, uint32_t index)
{
    const sn_particle_store *p = &world->particles;
    uint32_t body[SN_MAX_POINTS];
    for (uint32_t i = sn_evaluate_bodies(&world->constraints, pool, index, body); i-- > 0;)
        p->v[p->table.count + body[i]] = vec4(turn_velocity(&world->bodies.state[body[i]]), 0);
}

/* ---- Predict ----------------------------------------------------------------------------------------------------- */

/* m^2/s^2: the torque on a body per unit of mass: that of the user, and the force on its turn. */
static void gather_torque(const sn_substep *s, uint32_t row, double w, double torque[3])
{
    const sn_world *world = s->world;
    const sn_body_state *body = &world->bodies.state[row];
    double along[3] = {0};
    if (s->motion.force && s->motion.force == world->particles.f) {
        sn_vec3 f = world->particles.f[world->particles.table.count + row];
        double force[3] = {(double)f.x, (double)f.y, (double)f.z};
        times_k(body, force, along);
        sn_rotate_vector(body->q, along, along);
    }
    for (int i = 0; i < 3; ++i)
        torque[i] = w * (body->torque[i] + along[i]);
}

#define SMALL_TURN 1e-4 /* square of the sine of half the angle */

/* The angle from one orientation to another, along the axes of the body. */
static void angle_between(const double from[4], const double to[4], double angle[3])
{
    const double back[4] = {-from[0], -from[1], -from[2], from[3]};
    double turn[4];
    sn_rotate_times(back, to, turn);
    double sign = turn[3] < 0 ? -1 : 1, square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
    double sine = sqrt(square), scale = 2 + square * (1.0 / 3 + square * (3.0 / 20 + square * (5.0 / 56)));
    if (square > SMALL_TURN) /* below it the series of arcsin is exact */
        scale = 2 * math_atan2(sine, sign * turn[3]) / sine;
    for (int i = 0; i < 3; ++i)
        angle[i] = sign * scale * turn[i];
}

/* A body with a target makes an equal share of the remaining rotation in each of the remaining substeps. */
static void lead(const sn_body_state *body, sn_body_motion *motion, sn_real h, uint32_t substeps_left)
{
    double angle[3], turn[4];
    angle_between(body->q, body->target, angle);
    for (int i = 0; i < 3; ++i)
        angle[i] /= substeps_left;
    double length = sqrt(angle[0] * angle[0] + angle[1] * angle[1] + angle[2] * angle[2]);
    double scale = length > 0 ? math_sin(length / 2) / length : 0.5;
    for (int i = 0; i < 3; ++i) {
        turn[i] = scale * angle[i];
        angle[i] *= isinf(body->k[i]) ? 0 : body->k[i] * body->k[i] / (double)h;
    }
    turn[3] = math_cos(length / 2);
    sn_rotate_times(body->q, turn, motion->q);
    sn_rotate_normalise(motion->q);
    sn_rotate_vector(body->q, angle, motion->l);
}

/* The jump of the acceleration due to the user's torque since the previous substep; see stages.h. */
static void torque_jump(const sn_substep *s, const sn_body_state *body, double jump[3])
{
    const double w = (double)s->world->particles.x[s->world->ids.value[body->particle]].w;
    for (int i = 0; i < 3; ++i)
        jump[i] = w * (body->torque[i] - body->old_given[i]);
}

/* The torque at the end of the substep, extrapolated: see end_acceleration in stages.h. */
static void end_torque(const sn_substep *s, const sn_body_state *body, const double torque[3], const double jump[3],
                       double end[3])
{
    const sn_real old_h = s->motion.old_d[s->world->ids.value[body->particle]].w, h = s->motion.h;
    for (int i = 0; i < 3; ++i)
        end[i] = old_h == h || old_h == -h ? 2 * torque[i] - (body->old_torque[i] + jump[i]) : torque[i];
}

/* For BDF2: the momentum at the end, and the mean with which the body rotates. Written as changes, so that nothing
   changes if nothing acts. */
static void predict_smoothly(const sn_substep *s, const sn_body_state *body, sn_body_motion *motion)
{
    const double h = (double)s->motion.h;
    double end[3], jump[3];
    motion->looks_back = motion_has_past(&s->motion, s->world->ids.value[body->particle]);
    torque_jump(s, body, jump);
    end_torque(s, body, motion->torque, jump, end);
    for (int i = 0; i < 3; ++i) {
        double l = motion->keep * body->l[i];
        if (motion->looks_back) {
            motion->l[i] = l + motion->keep * (body->l[i] - body->old_l[i] + h * jump[i]) / 3 + 2 * h / 3 * end[i];
            motion->mean[i] = motion->l[i] + (body->old_mean[i] - h / 2 * jump[i] - motion->l[i]) / 3;
        } else {
            motion->mean[i] = l + h / 2 * motion->torque[i];
            motion->l[i] = motion->mean[i] + h / 2 * end[i];
        }
    }
}

static void predict_momentum(const sn_substep *s, const sn_body_state *body, double w, sn_body_motion *motion)
{
    const double h = (double)s->motion.h, share = (double)s->integrator->kick * h;
    double damping = s->still ? 0 : (double)(s->world->state.settings.damping + body->spin_damping);
    motion->keep = damping > 0 ? math_exp(-damping * h) : 1;
    motion->looks_back = false;
    if (s->integrator->looks_back && w != 0) {
        predict_smoothly(s, body, motion);
        return;
    }
    for (int i = 0; i < 3; ++i)
        motion->l[i] = motion->mean[i] = motion->keep * body->l[i] + share * motion->torque[i];
}

/* True if the settings allow free rotation: bodies without own torques rotate with constant momentum. */
static bool leaves_free(const sn_substep *s)
{
    const sn_world *world = s->world;
    return !s->integrator->looks_back && !(s->motion.force && s->motion.force == world->particles.f) &&
           (s->still || !(world->state.settings.damping > 0)) && s->integrator->kick == 1 && !s->integrator->asks_again;
}

/* Prepares a body that is not free. A body with a target, or an immovable one, does not rotate freely. */
static void begin_driven(const sn_substep *s, turn_group *g, uint32_t at, double w)
{
    static double none[3] = {0};
    const sn_body_state *body = g->batch.body[at];
    sn_body_motion *motion = g->batch.motion[at];
    const uint32_t slot = s->world->particles.table.count + g->row[at];
    g->batch.l[at] = body->kinematic || w == 0 ? none : motion->mean;
    gather_torque(s, g->row[at], w, motion->torque);
    predict_momentum(s, body, w, motion);
    g->batch.kinematic |= (uint32_t)body->kinematic << at;
    if (body->kinematic)
        lead(body, motion, s->motion.h, s->substeps_left);
    else if (w == 0)
        motion->l[0] = motion->l[1] = motion->l[2] = 0;
    if (s->integrator->looks_back)
        s->motion.old_d[slot] = (sn_vec4){0};
    if (motion->looks_back)
        s->motion.old_d[slot] = vec4(vec3((sn_real)body->old_displacement[0], (sn_real)body->old_displacement[1],
                                          (sn_real)body->old_displacement[2]),
                                     s->motion.h);
}

/* m/s: what forces add to the velocity of a body in the substep. */
static inline sn_dvec3 kick_of(const sn_substep *s, uint32_t slot)
{
    return dvec3_scale(dvec3_from(motion_acceleration(&s->motion, slot)), (double)s->motion.kick);
}

/* Stores its motion without joints; see articulations.c. */
static inline void note_free_motion(const sn_substep *s, sn_articulated *body, const sn_body_state *state,
                                    uint32_t slot, sn_dvec3 kick)
{
    const sn_dvec3 v = dvec3_from(vec4_xyz(s->world->particles.v[slot]));
    const sn_dvec3 sum = dvec3_add(dvec3_scale(v, (double)s->motion.keep), kick);
    body->v[0] = sum.x, body->v[1] = sum.y, body->v[2] = sum.z;
    body->kick[0] = kick.x, body->kick[1] = kick.y, body->kick[2] = kick.z;
    body->w = (double)s->world->particles.x[slot].w;
    body->slot = slot;
    memcpy(body->start, state->q, sizeof body->start);
}

/* Prepares the rotation of a body. leaves: see leaves_free. */
static inline void begin_turn(const sn_substep *s, const sn_particle_store *p, turn_group *g, uint32_t row, bool leaves,
                              const sn_dvec3 *kick)
{
    const sn_vec4 none = {0};
    const sn_body_state *body = &s->world->bodies.state[row];
    sn_body_motion *motion = &s->world->bodies.motion[row];
    const uint32_t centre = s->world->ids.value[body->particle], slot = p->table.count + row;
    const sn_real w = p->x[centre].w;
    const uint32_t at = group_add(g, &s->world->bodies, row, &p->x[slot]);
    p->x[slot].w = w;
    p->x_low[slot] = p->y[slot] = p->d[slot] = none;
    if (s->world->articulations.count)
        note_free_motion(s, &sn_articulated_bodies(s->world)[row], body, centre, kick ? *kick : kick_of(s, centre));
    motion->is_free =
        leaves && w != 0 && !body->kinematic && !(!s->still && body->spin_damping > 0) && !body_is_pulled(body);
    if (!motion->is_free) {
        begin_driven(s, g, at, (double)w);
        return;
    }
    for (int i = 0; i < 3; ++i)
        motion->l[i] = body->l[i] + 0; /* as with a torque, where -0 becomes 0 */
    motion->looks_back = false;
    g->batch.l[at] = motion->l;
}

void sn_turns_predict_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_substep *s = data;
    const uint32_t *awake = bodies_awake(&s->world->bodies);
    const sn_particle_store particles = s->world->particles;
    const bool leaves = leaves_free(s);
    const sn_dvec3 kick = s->motion.force ? dvec3(0, 0, 0) : kick_of(s, 0); /* without forces, the same for all */
    turn_group g;
    group_begin(&g, s);
    for (uint32_t i = first; i < end; ++i) {
        begin_turn(s, &particles, &g, awake[i], leaves, s->motion.force ? NULL : &kick);
        if (g.batch.count < SN_TURN_BATCH && i + 1 < end)
            continue;
        g.by->predict(&g.batch);
        group_end(&g);
    }
}

void sn_turns_predict_again(sn_substep *s, uint32_t row, sn_vec3 gain)
{
    const sn_particle_store particles = s->world->particles;
    turn_group g;
    group_begin(&g, s);
    begin_turn(s, &particles, &g, row, leaves_free(s), NULL);
    g.by->predict(&g.batch);
    if (s->world->articulations.count) {
        sn_articulated *body = &sn_articulated_bodies(s->world)[row];
        body->kick[0] += (double)gain.x, body->kick[1] += (double)gain.y, body->kick[2] += (double)gain.z;
    }
}

void sn_turns_predict(sn_substep *s)
{
    share(s->world, sn_turns_predict_piece, s);
}

/* ---- Settle ------------------------------------------------------------------------------------------------------ */

static bool turns_soundly(const sn_world *world, uint32_t row)
{
    const sn_body_motion *motion = &world->bodies.motion[row];
    const sn_vec4 d = world->particles.x_low[world->particles.table.count + row];
    return body_turns_soundly(&world->bodies.state[row], motion->q, motion->l) &&
           (motion->is_free || isfinite(motion->mean[0] + motion->mean[1] + motion->mean[2])) &&
           vec3_is_finite(vec4_xyz(d));
}

uint32_t sn_turns_find_unsound(const sn_world *world)
{
    const sn_bodies *bodies = &world->bodies;
    for (uint32_t i = 0; i < bodies->awake_table.count; ++i)
        if (!turns_soundly(world, bodies_awake(bodies)[i]))
            return bodies_awake(bodies)[i];
    return SN_ID_FREE;
}

/* Stores the history for BDF2. q and l: of the body at the start. */
static void remember(const double q[4], const double l[3], const sn_body_motion *motion, sn_body_state *body)
{
    double angle[3];
    for (int i = 0; i < 3; ++i) {
        body->old_mean[i] = motion->mean[i];
        body->old_l[i] = motion->keep * l[i];
        body->old_torque[i] = motion->torque[i];
        body->old_given[i] = body->torque[i];
    }
    angle_between(q, body->q, angle);
    times_k(body, angle, body->old_displacement);
}

/* With BDF2, bodies with history gain momentum over a longer step, and so does the mean with which they rotate. */
static void settle_smoothly(const sn_substep *s, turn_group *g)
{
    double q[SN_TURN_BATCH][4], l[SN_TURN_BATCH][3];
    sn_turn_batch mean = g->batch;
    for (uint32_t i = 0; i < g->batch.count; ++i) {
        sn_body_motion *motion = g->batch.motion[i];
        memcpy(q[i], g->batch.body[i]->q, sizeof q[i]);
        memcpy(l[i], g->batch.body[i]->l, sizeof l[i]);
        g->batch.h[i] = (double)s->motion.h * (motion->looks_back ? (double)s->integrator->step_factor : 1);
        mean.l[i] = motion->mean;
        mean.as[i] = motion->q;
    }
    g->by->settle(&g->batch);
    g->by->gain(&mean);
    for (uint32_t i = 0; i < g->batch.count; ++i)
        remember(q[i], l[i], g->batch.motion[i], g->batch.body[i]);
}

/* Settles the bodies of a group after constraints. False if one is not sound. */
static bool settle_group(sn_substep *s, turn_group *g)
{
    sn_world *world = s->world;
    /* the rest of the torque; if there is a kick, a first guess, which the kick corrects */
    const double rest = s->integrator->looks_back ? 0 : (1 - (double)s->integrator->kick) * (double)s->motion.h;
    bool sound = true;
    if (s->integrator->looks_back) {
        for (uint32_t i = 0; i < g->batch.count; ++i)
            sound = turns_soundly(world, g->row[i]) && sound;
        settle_smoothly(s, g);
    } else {
        sound = g->by->settle(&g->batch);
    }
    for (uint32_t i = 0; i < g->batch.count; ++i) {
        sn_body_state *body = g->batch.body[i];
        for (int k = 0; rest > 0 && k < 3; ++k)
            body->l[k] += rest * g->batch.motion[i]->torque[k];
        if (body_is_pulled(body))
            sn_bodies_pull(&world->bodies, g->row[i]);
    }
    group_end(g);
    return sound;
}

/* Settles a free body that no constraint rotated: takes the prediction. */
static bool settle_alone(sn_bodies *bodies, uint32_t row)
{
    const sn_body_motion *motion = &bodies->motion[row];
    sn_body_state *body = &bodies->state[row];
    sn_turn *turn = &bodies->turn[row];
    memcpy(body->q, motion->q, sizeof body->q);
    memcpy(body->l, motion->l, sizeof body->l);
    turn->start = turn->now;
    return body_turns_soundly(body, body->q, body->l);
}

void sn_turns_settle_some(sn_substep *s, const uint32_t *row, uint32_t count)
{
    const sn_world *world = s->world;
    const sn_settings *settings = &world->state.settings;
    const bool at_start =
        (settings->gradients == SN_GRADIENTS_START && !s->still) || settings->solver == SN_SOLVER_IMPULSES;
    turn_group g;
    bool sound = true;
    group_begin(&g, s);
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec4 *by = &world->particles.x_low[world->particles.table.count + row[i]];
        if (world->bodies.motion[row[i]].is_free && quad_is_zero(quad_xyz(quad_load(by)))) {
            sound = settle_alone(&s->world->bodies, row[i]) && sound;
            continue;
        }
        const uint32_t at = group_add(&g, &world->bodies, row[i], by);
        g.batch.as[at] = at_start ? world->bodies.state[row[i]].q : world->bodies.motion[row[i]].q;
        if (g.batch.count == SN_TURN_BATCH)
            sound = settle_group(s, &g) && sound;
    }
    if (g.batch.count)
        sound = settle_group(s, &g) && sound;
    if (!sound)
        atomic_store_explicit(&s->unsound, true, memory_order_relaxed);
}

typedef struct settling {
    const sn_substep *s;
    sn_frame frame;
    uint32_t kind;
} settling;

static void settle_joints_piece(void *data, uint32_t first, uint32_t end)
{
    const settling *j = data;
    const sn_real h = j->s->motion.h;
    sn_evaluate_settle(&j->s->world->constraints, j->kind, first, end, &j->frame, h, h * j->s->integrator->step_factor);
}

/* Only few joints have state to settle. */
static void settle_joints(const sn_substep *s)
{
    settling j = {.s = s, .frame = sn_world_frame(s->world)};
    const sn_store *store = &s->world->constraints;
    for (j.kind = 1; j.kind < store->kind_count; ++j.kind) {
        const sn_pool *pool = store->pool[j.kind];
        if (pool->ids.live && pool->kind->settle && pool->kind->oriented)
            share_all(s->world, pool->ids.table.count, WORK_OF_JOINT, settle_joints_piece, &j);
    }
}

/* Bodies settle, and are then loaded for the contact pass while they are in the cache. Those of articulations that are
   watched do so in articulations.c. */
typedef struct loading {
    sn_substep *s;
    sn_body_contact_substep contact;
    bool others; /* only bodies of no such articulation */
} loading;

static void settle_and_load_piece(void *data, uint32_t first, uint32_t end)
{
    const loading *l = data;
    const sn_world *world = l->s->world;
    const uint32_t *awake = bodies_awake(&world->bodies);
    for (uint32_t at = first, next; at < end; at = next) {
        const uint32_t *row = awake + at;
        uint32_t list[SN_FEW], count = 0;
        next = contact_least(at + SN_FEW, end);
        for (uint32_t i = at; l->others && i < next; ++i)
            if (!sn_articulations_have(&world->articulations, awake[i]))
                list[count++] = awake[i];
        row = l->others ? list : row;
        count = l->others ? count : next - at;
        sn_turns_settle_some(l->s, row, count);
        if (world->body_contacts.loaded)
            sn_body_contacts_load(&l->contact, row, count);
    }
}

/* True if nothing changes the motion of bodies before the contact pass, and all movers are awake bodies. */
static bool may_load(const sn_substep *s)
{
    const sn_world *world = s->world;
    return world->body_contacts.count && !world->contacts.any && !s->integrator->asks_again &&
           !s->integrator->looks_back && !s->solver->after &&
           world->body_contacts.list_table.count == world->bodies.awake_table.count;
}

void sn_turns_settle(sn_substep *s)
{
    sn_world *world = s->world;
    world->body_contacts.loaded = may_load(s);
    world->articulations.limits = world->articulations.count && !s->still;
    const loading l = {s, contact_substep(world, s->h), world->articulations.limits};
    share(world, settle_and_load_piece, (void *)&l);
    if (world->articulations.limits && !sn_articulations_settle(s)) {
        sn_parallel_repair(&world->parallel);
        world->bodies.lost = true;
    }
    if (!s->still && !s->world->fleeting)
        settle_joints(s);
    if (world->articulations.limits)
        sn_articulations_tell(world);
    if (s->integrator->asks_again || s->solver->after)
        sn_turns_lay_out(s->world);
}

/* ---- Kick and correct -------------------------------------------------------------------------------------------- */

void sn_turns_kick(sn_substep *s)
{
    sn_world *world = s->world;
    for (uint32_t i = 0; i < world->bodies.awake_table.count; ++i) {
        const uint32_t row = bodies_awake(&world->bodies)[i];
        sn_body_state *body = &world->bodies.state[row];
        sn_body_motion *motion = &world->bodies.motion[row];
        double torque[3];
        if (world->particles.x[world->ids.value[body->particle]].w == 0)
            continue;
        gather_torque(s, row, (double)world->particles.x[world->ids.value[body->particle]].w, torque);
        for (int k = 0; k < 3; ++k) {
            body->l[k] += (double)s->motion.h / 2 * (torque[k] - motion->torque[k]);
            motion->torque[k] = torque[k];
        }
        world->particles.v[world->particles.table.count + row] = vec4(turn_velocity(body), 0);
    }
}

void sn_turns_correct(sn_substep *s)
{
    sn_world *world = s->world;
    const uint32_t *awake = bodies_awake(&world->bodies), count = world->bodies.awake_table.count;
    turn_group g;
    group_begin(&g, s);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at =
            group_add(&g, &world->bodies, awake[i], &world->particles.d[world->particles.table.count + awake[i]]);
        g.batch.as[at] = g.batch.body[at]->q;
        g.batch.l[at] = g.batch.body[at]->l;
        if (g.batch.count < SN_TURN_BATCH && i + 1 < count)
            continue;
        g.by->gain(&g.batch);
        group_end(&g);
    }
}

/* ---- The end of a step ------------------------------------------------------------------------------------------- */

/* Bodies have reached their targets, up to rounding. */
static void finish_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t row = bodies_awake(&world->bodies)[i];
        sn_body_state *body = &world->bodies.state[row];
        if (body->kinematic)
            memcpy(body->q, body->target, sizeof body->q);
        body->kinematic = false;
        memset(body->torque, 0, sizeof body->torque);
        sn_bodies_refresh(&world->bodies, row);
    }
}

void sn_turns_finish(sn_world *world)
{
    if (!sn_parallel_few(&world->parallel, world->bodies.awake_table.count, WORK_OF_BODY, finish_piece, world))
        sn_parallel_repair(&world->parallel);
}
