/* The bodies' chapter of the step: how they turn.

   Their centres are particles, and go through the step as such. Here is what is left. In a substep a body turns freely first,
   with the torque that acts on it (predict); then constraints move its *turn*, a particle of the body's mass that solvers find
   behind the last one, by phi, where phi / k is the angle about each principal axis, and k the radius of gyration; and then it
   is turned on by that angle, and gains the angular momentum that goes with it (settle):

       l += R (k phi) / h,

   per unit of mass. In exact numbers the angular velocity is what the orientations did, as it is for particles; but momentum
   is what is stored, and free bodies keep it to the last bit.

   R is how the body was turned where the gradients of the constraints were taken.

   BDF2 (stages.h) needs differences of places, and orientations have none. Momenta do, and so do their integrals. With l in the
   place of v, and h l_mean in that of d, where l_mean is the momentum with which free rotation of h leads from one orientation
   to the next,

       l' = (4 l - l_old) / 3 + 2h/3 (torque' + constraints),      l_mean = l_mean_old / 3 + 2/3 l',

   which is BDF2 for l and for its integral. Free rotation with the mean of a momentum instead of one that changes is wrong by
   a commutator, of third order in h, so the whole is of second. Where nothing turns the body, l_mean = l: it then turns as under
   every other integrator, with all of its momentum and without the loss of energy that differences of orientations would bring.
   Constraints turn it by phi, which is (2h/3)^2 of their accelerations: l gains R (k phi) / (2h/3), l_mean R (k phi) / h. */
#include "world/substep.h"

#include "base/math.h"
#include "bodies/rotation.h"

#include <stdatomic.h>

/* ---- Where turns are ---------------------------------------------------------------------------------------------- */

/* k times a vector along principal axes; about an axis that is locked there is nothing. */
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

bool sn_body_turns_soundly(const sn_body_state *body, const double q[4], const double l[3])
{
    double least = fmin(body->k[0], fmin(body->k[1], body->k[2])), limit = SN_TOO_FAST * least * least;
    return isfinite(q[0] + q[1] + q[2] + q[3]) && l[0] * l[0] + l[1] * l[1] + l[2] * l[2] < limit * limit;
}

/* m/s: how fast its turn moves. */
static sn_vec3 turn_velocity(const sn_body_state *body)
{
    double m[3], v[3];
    sn_rotate_vector_back(body->q, body->l, m);
    for (int i = 0; i < 3; ++i)
        v[i] = m[i] / body->k[i];
    return vec3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

/* ns, about, of a body in one loop */
#define WORK_OF_BODY 200.0

/* All bodies that are awake. Half a world must not turn: tasks that got lost are done here, and reported when the step is over. */
static void share(sn_world *world, sn_piece_fn *piece, void *data)
{
    if (sn_parallel_few(&world->parallel, world->bodies.awake_table.count, WORK_OF_BODY, piece, data))
        return;
    sn_parallel_repair(&world->parallel);
    world->bodies.lost = true;
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
    sn_bodies_turned(&world->bodies, row);
}

static void lay_out_piece(void *data, uint32_t first, uint32_t end)
{
    sn_world *world = data;
    for (uint32_t i = first; i < end; ++i)
        lay_out(world, bodies_awake(&world->bodies)[i]);
}

/* Rows of bodies that sleep, and rows that are free, stay as they are laid out until something is edited, wakes or falls asleep. */
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

/* ---- Predict ------------------------------------------------------------------------------------------------------ */

/* m^2/s^2: what turns a body now, per unit of mass: what the user gave it, and what is exerted on its turn. */
static void gather_torque(const sn_substep *s, uint32_t row, double torque[3])
{
    const sn_world *world = s->world;
    const sn_body_state *body = &world->bodies.state[row];
    double w = (double)world->particles.x[world->ids.value[body->particle]].w, along[3] = {0};
    if (s->motion.force && s->motion.force == world->particles.f) {
        sn_vec3 f = world->particles.f[world->particles.table.count + row];
        double force[3] = {(double)f.x, (double)f.y, (double)f.z};
        times_k(body, force, along);
        sn_rotate_vector(body->q, along, along);
    }
    for (int i = 0; i < 3; ++i)
        torque[i] = w * (body->torque[i] + along[i]);
}

#define SMALL_TURN 1e-4 /* the square of the sine of half the angle */

/* The angle from one orientation to another, along the axes of the body. */
static void angle_between(const double from[4], const double to[4], double angle[3])
{
    const double back[4] = {-from[0], -from[1], -from[2], from[3]};
    double turn[4];
    sn_rotate_times(back, to, turn);
    double sign = turn[3] < 0 ? -1 : 1, square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
    double sine = sqrt(square), scale = 2 + square * (1.0 / 3 + square * (3.0 / 20 + square * (5.0 / 56)));
    if (square > SMALL_TURN) /* below that the series of arcsin has all digits */
        scale = 2 * math_atan2(sine, sign * turn[3]) / sine;
    for (int i = 0; i < 3; ++i)
        angle[i] = sign * scale * turn[i];
}

/* A body that is led makes an equal share of the turn that is left in each of the substeps that are left. */
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

/* By how much the user's torque made the acceleration jump since the substep before; see stages.h. */
static void torque_jump(const sn_substep *s, const sn_body_state *body, double jump[3])
{
    const double w = (double)s->world->particles.x[s->world->ids.value[body->particle]].w;
    for (int i = 0; i < 3; ++i)
        jump[i] = w * (body->torque[i] - body->old_given[i]);
}

/* The torque at the end of the substep, as far as it can be known: see end_acceleration in stages.h. */
static void end_torque(const sn_substep *s, const sn_body_state *body, const double torque[3], const double jump[3],
                       double end[3])
{
    const sn_real old_h = s->motion.old_d[s->world->ids.value[body->particle]].w, h = s->motion.h;
    for (int i = 0; i < 3; ++i)
        end[i] = old_h == h || old_h == -h ? 2 * torque[i] - (body->old_torque[i] + jump[i]) : torque[i];
}

/* With BDF2: the momentum at the end, and with which it turns. Written as changes, so that nothing changes where nothing
   acts. */
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

static void predict_momentum(const sn_substep *s, const sn_body_state *body, sn_body_motion *motion)
{
    const double h = (double)s->motion.h, share = (double)s->integrator->kick * h;
    double damping = s->still ? 0 : (double)(s->world->state.settings.damping + body->spin_damping);
    motion->keep = damping > 0 ? math_exp(-damping * h) : 1;
    motion->looks_back = false;
    if (s->integrator->looks_back && s->world->particles.x[s->world->ids.value[body->particle]].w != 0) {
        predict_smoothly(s, body, motion);
        return;
    }
    for (int i = 0; i < 3; ++i)
        motion->l[i] = motion->mean[i] = motion->keep * body->l[i] + share * motion->torque[i];
}

static void predict_body(const sn_substep *s, uint32_t row)
{
    sn_world *world = s->world;
    sn_particle_store *p = &world->particles;
    const sn_body_state *body = &world->bodies.state[row];
    sn_body_motion *motion = &world->bodies.motion[row];
    uint32_t centre = world->ids.value[body->particle], slot = p->table.count + row;
    double inverse[3], way[3];
    memcpy(motion->q, body->q, sizeof motion->q);
    gather_torque(s, row, motion->torque);
    predict_momentum(s, body, motion);
    if (body->led) {
        lead(body, motion, s->motion.h, s->substeps_left);
    } else if (p->x[centre].w != 0) {
        sn_body_inverse_moments(body, inverse);
        sn_rotate_free(motion->q, motion->mean, inverse, (double)s->motion.h);
    } else {
        motion->l[0] = motion->l[1] = motion->l[2] = 0;
    }
    sn_turn *turn = &world->bodies.turn[row];
    turn->now = (sn_quat){(sn_real)motion->q[0], (sn_real)motion->q[1], (sn_real)motion->q[2], (sn_real)motion->q[3]};
    angle_between(body->q, motion->q, way);
    times_k(body, way, way);
    p->x[slot] = vec4(vec3((sn_real)way[0], (sn_real)way[1], (sn_real)way[2]), p->x[centre].w);
    p->y[slot] = p->d[slot] = vec4(vec3(0, 0, 0), 0);
    if (motion->looks_back)
        s->motion.old_d[slot] =
            vec4(vec3((sn_real)body->old_way[0], (sn_real)body->old_way[1], (sn_real)body->old_way[2]), s->motion.h);
}

static void predict_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_substep *s = data;
    for (uint32_t i = first; i < end; ++i)
        predict_body(s, bodies_awake(&s->world->bodies)[i]);
}

void sn_turns_predict(sn_substep *s)
{
    share(s->world, predict_piece, s);
}

/* ---- Settle ------------------------------------------------------------------------------------------------------- */

static bool turns_soundly(const sn_world *world, uint32_t row)
{
    const sn_body_motion *motion = &world->bodies.motion[row];
    const sn_vec4 d = world->particles.x_low[world->particles.table.count + row];
    return sn_body_turns_soundly(&world->bodies.state[row], motion->q, motion->l) &&
           isfinite(motion->mean[0] + motion->mean[1] + motion->mean[2]) && vec3_is_finite(vec4_xyz(d));
}

typedef struct checking {
    const sn_world *world;
    atomic_bool unsound;
} checking;

static void check_piece(void *data, uint32_t first, uint32_t end)
{
    checking *c = data;
    bool sound = true;
    for (uint32_t i = first; i < end; ++i)
        sound = turns_soundly(c->world, bodies_awake(&c->world->bodies)[i]) && sound;
    if (!sound)
        atomic_store_explicit(&c->unsound, true, memory_order_relaxed);
}

uint32_t sn_turns_check(const sn_substep *s)
{
    const sn_bodies *bodies = &s->world->bodies;
    checking c = {.world = s->world};
    share(s->world, check_piece, &c);
    for (uint32_t i = 0; c.unsound && i < bodies->awake_table.count; ++i)
        if (!turns_soundly(s->world, bodies_awake(bodies)[i]))
            return bodies_awake(bodies)[i];
    return SN_ID_FREE;
}

/* l += R (k phi) / h. */
static void add_momentum(const sn_body_state *body, double l[3], const double q[4], sn_vec4 phi, double h)
{
    double gain[3] = {(double)phi.x / h, (double)phi.y / h, (double)phi.z / h};
    times_k(body, gain, gain);
    sn_rotate_vector(q, gain, gain);
    for (int i = 0; i < 3; ++i)
        l[i] += gain[i];
}

/* What BDF2 will look back to; q and l are those of the body at the start. */
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
    times_k(body, angle, body->old_way);
}

/* What constraints did to the turn of a body. */
static void turn_on(sn_substep *s, sn_body_state *body, sn_body_motion *motion, sn_vec4 phi, const double q[4])
{
    const double h = (double)s->motion.h;
    double half[3] = {(double)phi.x / 2, (double)phi.y / 2, (double)phi.z / 2};
    add_momentum(body, body->l, q, phi, motion->looks_back ? h * (double)s->integrator->step_factor : h);
    for (int i = 0; i < 3; ++i)
        half[i] /= body->k[i];
    sn_rotate_by(body->q, half);
    if (s->integrator->looks_back)
        add_momentum(body, motion->mean, motion->q, phi, h);
}

static void settle_body(sn_substep *s, uint32_t row)
{
    sn_world *world = s->world;
    sn_body_state *body = &world->bodies.state[row];
    sn_body_motion *motion = &world->bodies.motion[row];
    const sn_settings *settings = &world->state.settings;
    const sn_vec4 phi = world->particles.x_low[world->particles.table.count + row];
    const bool at_start =
        (settings->gradients == SN_GRADIENTS_START && !s->still) || settings->solver == SN_SOLVER_IMPULSES;
    double q[4], l[3];
    memcpy(q, body->q, sizeof q);
    memcpy(l, body->l, sizeof l);
    memcpy(body->q, motion->q, sizeof body->q);
    memcpy(body->l, motion->l, sizeof body->l);
    if (phi.x != 0 || phi.y != 0 || phi.z != 0)
        turn_on(s, body, motion, phi, at_start ? q : motion->q);
    /* the rest of the torque; where there is a kick, a first guess, which that puts right */
    const double rest = s->integrator->looks_back ? 0 : (1 - (double)s->integrator->kick) * (double)s->motion.h;
    for (int i = 0; rest > 0 && i < 3; ++i)
        body->l[i] += rest * motion->torque[i];
    if (s->integrator->looks_back)
        remember(q, l, motion, body);
    sn_bodies_turned(&world->bodies, row);
}

static void settle_piece(void *data, uint32_t first, uint32_t end)
{
    sn_substep *s = data;
    for (uint32_t i = first; i < end; ++i)
        settle_body(s, bodies_awake(&s->world->bodies)[i]);
}

void sn_turns_settle(sn_substep *s)
{
    share(s->world, settle_piece, s);
    if (!s->still) {
        sn_frame frame = sn_world_frame(s->world);
        sn_evaluate_settle(&s->world->constraints, &frame, s->motion.h, s->motion.h * s->integrator->step_factor);
    }
    if (s->integrator->asks_again || s->solver->after)
        sn_turns_lay_out(s->world);
}

/* ---- Kick and correct ---------------------------------------------------------------------------------------------- */

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
        gather_torque(s, row, torque);
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
    for (uint32_t i = 0; i < world->bodies.awake_table.count; ++i) {
        const uint32_t row = bodies_awake(&world->bodies)[i];
        add_momentum(&world->bodies.state[row], world->bodies.state[row].l, world->bodies.state[row].q,
                     world->particles.d[world->particles.table.count + row], (double)s->motion.h);
    }
}

/* ---- The end of a step ---------------------------------------------------------------------------------------------- */

/* They arrived, up to rounding. */
void sn_turns_finish(sn_world *world)
{
    for (uint32_t i = 0; i < world->bodies.awake_table.count; ++i) {
        const uint32_t row = bodies_awake(&world->bodies)[i];
        sn_body_state *body = &world->bodies.state[row];
        if (body->led)
            memcpy(body->q, body->target, sizeof body->q);
        body->led = false;
        memset(body->torque, 0, sizeof body->torque);
        sn_bodies_refresh(&world->bodies, row);
    }
}
