/* Plates in a substep: see plates.h. */
#include "solvers/plates.h"

#include "base/dvec.h"
#include "base/math.h"
#include "solvers/hierarchy.h"
#include "solvers/plan_work.h"

#include <stdio.h>
#include <string.h>

/* A sine below which a direction is only rounding. */
#define FLAT 1e-12

/* rad: below this the sine of an angle is the angle. */
#define SMALL 1e-4

/* Rounds of a curved wire in a substep, and the change of a fold, as a share of its rest angle, from which another one is
   taken. With one round, rings thrown at 0.3 m/s by several times their fold in a substep gained energy. */
#define WIRE_ROUNDS 8u
#define FAR         0.1

typedef double quad[4]; /* a vector, and 0, for machines that compute four numbers at a time */

static void take_places(const sn_plates *p, const sn_plate *plate, const sn_frame *frame)
{
    const sn_vec4 *origin = &frame->x[p->slot[plate->vertex]];
    for (uint32_t v = plate->vertex; v < plate->vertex + plate->vertices; ++v) {
        const sn_vec4 x = frame->x[p->slot[v]], d = frame->d[p->slot[v]];
        p->at[v][0] = (double)(x.x - origin->x) + (double)d.x;
        p->at[v][1] = (double)(x.y - origin->y) + (double)d.y;
        p->at[v][2] = (double)(x.z - origin->z) + (double)d.z;
        if (!plate->damped)
            continue;
        const sn_vec4 start = frame->start[p->slot[v]], low = frame->x_low[p->slot[v]];
        p->from[v][0] = (double)(start.x - origin->x) + (double)low.x;
        p->from[v][1] = (double)(start.y - origin->y) + (double)low.y;
        p->from[v][2] = (double)(start.z - origin->z) + (double)low.z;
    }
}

/* The force of a linear hinge, times h^2: by the present C, and by damping from its change since the start of the
   substep. */
static void bend(const sn_plates *p, const sn_plate *plate, const sn_plate_hinge *hinge, double h, quad lambda)
{
    const double share = h * h * hinge->stiffness + h * hinge->damping, loss = h * hinge->damping;
    quad c = {0}, c0 = {0};
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            c[k] += hinge->k[i] * p->at[hinge->vertex[i]][k];
    for (uint32_t i = 0; plate->damped && i < 4; ++i)
        for (uint32_t k = 0; k < 4; ++k)
            c0[k] += hinge->k[i] * p->from[hinge->vertex[i]][k];
    for (uint32_t k = 0; k < 4; ++k)
        lambda[k] = loss * c0[k] - share * c[k];
}

static sn_dvec3 place(const quad x)
{
    return (sn_dvec3){x[0], x[1], x[2]};
}

/* Finds an angle, and the direction in which the sum of k x grows with it: see dihedral.c and angle.c. False if there
   is none. */
static bool find_fold(const sn_dvec3 at[4], sn_dvec3 *direction, double *angle)
{
    const sn_dvec3 a = at[0], b = at[1], c = at[2], d = at[3];
    const sn_dvec3 e = dvec3_sub(d, c), n1 = dvec3_cross(dvec3_sub(c, a), dvec3_sub(d, a)),
                   n2 = dvec3_cross(dvec3_sub(d, b), dvec3_sub(c, b));
    const double length = dvec3_length(e), size1 = dvec3_length(n1), size2 = dvec3_length(n2);
    const sn_dvec3 sum = dvec3_add(dvec3_scale(n1, size2), dvec3_scale(n2, size1)); /* between both normals */
    const double size = dvec3_length(sum);
    if (!(size > FLAT * size1 * size2 && length > 0))
        return false;
    *angle = math_atan2(dvec3_dot(dvec3_cross(n1, n2), e) / length, dvec3_dot(n1, n2));
    *direction = dvec3_scale(sum, -1 / size);
    return true;
}

static bool find_turn(const sn_dvec3 at[4], sn_dvec3 *direction, double *angle)
{
    const sn_dvec3 a = at[0], b = at[1], c = at[2];
    const sn_dvec3 u = dvec3_sub(b, a), v = dvec3_sub(c, b);
    const double size1 = dvec3_length(u), size2 = dvec3_length(v);
    const sn_dvec3 sum = dvec3_sub(dvec3_scale(v, size1), dvec3_scale(u, size2));
    const double size = dvec3_length(sum);
    if (!(size > FLAT * size1 * size2))
        return false;
    *angle = math_atan2(dvec3_length(dvec3_cross(u, v)), dvec3_dot(u, v));
    *direction = dvec3_scale(sum, 1 / size);
    return true;
}

/* How a hinge of a wire resists: see plates_wires.c. */
static sn_plate_bend find_bend(const sn_plate_hinge *hinge, double h, sn_dvec3 direction, double angle)
{
    const double all = h * h * hinge->stiffness + h * hinge->damping;
    if (fabs(hinge->rest) < SN_PLATE_FLAT)
        return (sn_plate_bend){direction, all, all};
    return (sn_plate_bend){direction, all,
                           angle > hinge->rest ? h * h * hinge->stiffness * (1 - hinge->rest / angle) : 0};
}

/* The force of an angle t, times h^2, along its fold direction. There |C| is 2 sin(t / 2), if triangles and sides have
   their rest size. (If not, using t itself would disagree with the matrix, and steps would be too long.) The part of C
   across the fold direction comes from strain, not from bending: a dome would resist strain by it. A hinge that is flat
   at rest includes that part nevertheless, and is then linear: so it is stable for steps of any length, such as one
   substep of 1/60 s with rigid hinges. */
static double fold(const sn_plates *p, const sn_plate *plate, const sn_plate_hinge *hinge, double h, quad lambda)
{
    sn_dvec3 direction;
    double angle, along = 0, rate = 0;
    memset(lambda, 0, sizeof(quad));
    const sn_dvec3 at[4] = {place(p->at[hinge->vertex[0]]), place(p->at[hinge->vertex[1]]),
                            place(p->at[hinge->vertex[2]]), place(p->at[hinge->vertex[3]])};
    const bool exists = (hinge->kind == SN_KIND_ANGLE ? find_turn : find_fold)(at, &direction, &angle);
    if (plate->wire)
        p->bend[hinge - p->hinge] = exists ? find_bend(hinge, h, direction, angle) : (sn_plate_bend){{0, 0, 0}, 0, 0};
    if (!exists)
        return 0;
    for (uint32_t i = 0; i < 4; ++i) {
        const double now = dvec3_dot(direction, place(p->at[hinge->vertex[i]]));
        along += hinge->k[i] * now;
        rate += plate->damped ? hinge->k[i] * (now - dvec3_dot(direction, place(p->from[hinge->vertex[i]]))) : 0;
    }
    const double sine = 2 * math_sin(angle / 2), share = fabs(sine) > SMALL ? angle / sine : 1;
    const double by = -h * h * hinge->stiffness * (share * along - hinge->rest) - h * hinge->damping * rate;
    if (fabs(hinge->rest) < SN_PLATE_FLAT) {
        const double more = h * h * hinge->stiffness * (1 - share), rest = h * h * hinge->stiffness * hinge->rest;
        bend(p, plate, hinge, h, lambda);
        lambda[0] += (more * along + rest) * direction.x;
        lambda[1] += (more * along + rest) * direction.y;
        lambda[2] += (more * along + rest) * direction.z;
        return by;
    }
    lambda[0] = by * direction.x;
    lambda[1] = by * direction.y;
    lambda[2] = by * direction.z;
    return by;
}

/* The forces of all hinges: by the matrix if they are linear, otherwise one by one. */
static void push_all(const sn_plates *p, const sn_plate *plate, double h)
{
    memset(p->push + plate->vertex, 0, plate->vertices * sizeof *p->push);
    if (!plate->folds) {
        sn_plates_multiply(p, plate, h * h, h, p->at, p->push);
        if (plate->damped)
            sn_plates_multiply(p, plate, 0, -h, p->from, p->push);
        return;
    }
    for (uint32_t i = plate->hinge; i < plate->hinge + plate->hinges; ++i) {
        const sn_plate_hinge *hinge = &p->hinge[i];
        quad lambda;
        if (hinge->kind == SN_KIND_BENDING)
            bend(p, plate, hinge, h, lambda);
        else
            fold(p, plate, hinge, h, lambda);
        for (uint32_t n = 0; n < 4; ++n)
            for (uint32_t k = 0; k < 4; ++k)
                p->push[hinge->vertex[n]][k] += hinge->k[n] * lambda[k];
    }
}

/* Writes the multipliers for the new positions, and what they exert on what cannot move. */
static void keep_multipliers(const sn_plates *p, const sn_plate *plate, const sn_solver_in *in)
{
    memset(p->push + plate->vertex + plate->unknowns, 0, (plate->vertices - plate->unknowns) * sizeof *p->push);
    for (uint32_t i = plate->hinge; i < plate->hinge + plate->hinges; ++i) {
        const sn_plate_hinge *hinge = &p->hinge[i];
        sn_real *to = in->store->pool[hinge->kind]->lambda;
        quad lambda;
        if (hinge->kind == SN_KIND_BENDING)
            bend(p, plate, hinge, (double)in->h, lambda);
        else
            to[hinge->row] = (sn_real)fold(p, plate, hinge, (double)in->h, lambda);
        for (uint32_t k = 0; k < 3 && hinge->kind == SN_KIND_BENDING; ++k)
            to[3 * (size_t)hinge->row + k] = (sn_real)lambda[k];
        for (uint32_t n = 0; n < hinge->points; ++n)
            for (uint32_t k = 0; k < 3 && hinge->vertex[n] >= plate->vertex + plate->unknowns; ++k)
                p->push[hinge->vertex[n]][k] += hinge->k[n] * lambda[k];
    }
}

/* Moves the particles, and settles their velocities. */
static bool move_particles(const sn_plates *p, const sn_plate *plate, const sn_frame *frame, sn_motion motion,
                           const sn_motion_table *table)
{
    motion.list = p->slot + plate->vertex;
    motion.first = 0;
    motion.count = plate->vertices;
    motion.mark = p->mark + plate->vertex;
    motion.coarse = false;
    table->note(&motion);
    for (uint32_t v = plate->vertex; v < plate->vertex + plate->unknowns; ++v) {
        sn_vec4 *low = &frame->d[p->slot[v]];
        const sn_vec3 by = {(sn_real)p->moved[v][0], (sn_real)p->moved[v][1], (sn_real)p->moved[v][2]};
        *low = vec4(vec3_add(vec4_xyz(*low), by), low->w);
    }
    return table->settle(&motion);
}

/* Whether the last round changed the fold of a wire so far that its directions are not those of the matrix. */
static bool turned_far(const sn_plates *p, const sn_plate *plate)
{
    for (uint32_t i = plate->hinge; i < plate->hinge + plate->hinges; ++i) {
        const sn_plate_hinge *hinge = &p->hinge[i];
        const double most = FAR * hinge->rest;
        quad change = {0};
        for (uint32_t n = 0; n < 4; ++n)
            for (uint32_t k = 0; k < 4; ++k)
                change[k] += hinge->k[n] * p->push[hinge->vertex[n]][k];
        if (fabs(hinge->rest) >= SN_PLATE_FLAT && dvec3_dot(place(change), place(change)) > most * most)
            return true;
    }
    return false;
}

/* A step of the implicit equation of all hinges from where the particles are. Returns whether another one is needed. */
static bool take_round(const sn_plates *p, const sn_plate *plate, double h)
{
    const uint32_t end = plate->vertex + plate->unknowns;
    push_all(p, plate, h);
    for (uint32_t v = plate->vertex; v < end; ++v)
        for (uint32_t k = 0; k < 3; ++k)
            p->push[v][k] -= p->mass[v] * p->moved[v][k];
    (plate->wire ? sn_plates_solve_wire : sn_plates_solve)(p, plate, p->push);
    for (uint32_t v = plate->vertex; v < end; ++v)
        for (uint32_t k = 0; k < 3; ++k) {
            p->at[v][k] += p->push[v][k];
            p->moved[v][k] += p->push[v][k];
        }
    return plate->wire && turned_far(p, plate);
}

bool sn_plates_load(const sn_plates *p, const sn_solver_in *in, sn_motion motion, const sn_motion_table *table,
                    uint32_t index, bool keeps)
{
    sn_plate *plate = &p->plate[index];
    if (!plate->wire && plate->h != (double)in->h)
        sn_plates_factor(p, plate, (double)in->h);
    take_places(p, plate, &in->frame);
    memset(p->moved + plate->vertex, 0, plate->vertices * sizeof *p->moved);
    for (uint32_t round = 0; round < (plate->wire ? WIRE_ROUNDS : 1); ++round)
        if (!take_round(p, plate, (double)in->h))
            break;
    if (!move_particles(p, plate, &in->frame, motion, table))
        return false;
    if (keeps)
        keep_multipliers(p, plate, in);
    return true;
}

/* ---- Once a step ------------------------------------------------------------------------------------------------- */

/* Removes the lanes of active plates from the masks of batches that are swept. */
static void take_out(sn_plates *p, const sn_solver_in *in)
{
    const sn_plan *plan = in->plan;
    memcpy(p->mask, plan->mask, plan->mask_table.count * sizeof *p->mask);
    for (uint32_t i = 0; i < p->count; ++i)
        for (uint32_t k = p->plate[i].hinge; p->plate[i].acts && k < p->plate[i].hinge + p->plate[i].hinges; ++k) {
            const uint32_t at = (in->store->pool[p->hinge[k].kind]->place[p->hinge[k].row] - 1) & PLACE_MASK;
            p->mask[at / SN_BATCH] &= (uint16_t) ~(1u << at % SN_BATCH);
        }
    for (uint32_t r = 0; r < plan->run_table.count; ++r) {
        const sn_plan_run *run = &plan->run[r];
        const bool hinges = run->kind == SN_KIND_BENDING || run->kind == SN_KIND_DIHEDRAL || run->kind == SN_KIND_ANGLE;
        uint32_t left = run->batches && hinges ? 0 : 1;
        for (uint32_t b = run->batch; !left && b < run->batch + run->batches; ++b)
            left = p->mask[b];
        p->solved[r] = !left;
    }
}

bool sn_plates_begin(sn_plates *p, const sn_solver_in *in)
{
    const double h = (double)in->h / in->settings->substeps; /* `in` is the input of the step */
    bool any = false, same = p->taken == in->plan->serial;
    for (uint32_t i = 0; i < p->count; ++i) {
        sn_plate *plate = &p->plate[i];
        const bool acted = plate->acts;
        plate->acts =
            !plate->too_large && plate->ratio * h * h >= SN_PLATE_RATIO && plate->ratio * h * h <= plate->most;
        for (uint32_t v = plate->vertex; plate->acts && v < plate->vertex + plate->vertices; ++v)
            plate->acts = hierarchy_is_pinned(in->stiffen.base, p->slot[v]) ||
                          (p->mass[v] > 0) == (in->frame.x[p->slot[v]].w > 0); /* otherwise it sleeps */
        same = same && acted == plate->acts;
        any = any || plate->acts;
    }
    if (any && !same) {
        take_out(p, in);
        p->taken = in->plan->serial;
    }
    return p->any = any;
}

/* ---- After a step ------------------------------------------------------------------------------------------------ */

double sn_plates_pull(const sn_plates *p, uint32_t slot, uint32_t axis)
{
    const uint32_t v = slot < p->slots ? p->vertex_of[slot] : SN_PLAN_NONE; /* it may be newer than the plates */
    for (uint32_t i = 0; v != SN_PLAN_NONE && i < p->count; ++i)
        if (p->plate[i].acts && v >= p->plate[i].vertex + p->plate[i].unknowns &&
            v < p->plate[i].vertex + p->plate[i].vertices)
            return p->push[v][axis];
    return 0;
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

static size_t tell(uint32_t count, uint32_t particles, const char *what, char *text, size_t size, size_t at)
{
    const char *join = at ? "; " : "";
    if (!count || at >= size)
        return at;
    const int more =
        count == 1 ? snprintf(text + at, size - at, "%sbending of %u particles is %s", join, particles, what)
                   : snprintf(text + at, size - at, "%sbending of %u sheets and lines of %u particles in all is %s",
                              join, count, particles, what);
    return at + (size_t)more;
}

/* The number of substeps for which w k^2 h^2 / a is `most`. */
static uint32_t substeps_for(const sn_plates *p, double ratio, double most)
{
    const double count = ceil(p->h * p->steps * sqrt(ratio / most));
    return count < 1e6 ? (uint32_t)count : 1000000;
}

/* Reports stiff hinges that are in no plate. */
static size_t tell_left(const sn_plates *p, uint32_t which, const char *why, char *text, size_t size, size_t at)
{
    const sn_plates_left *left = &p->left[which];
    const double ratio = left->hinges ? left->ratio / left->hinges : 0;
    if (ratio * p->h * p->h < SN_PLATE_RATIO || at >= size)
        return at;
    return at + (size_t)snprintf(text + at, size - at,
                                 "%sbending at %u hinge%s is left to sweeps, which need %u substeps: %s",
                                 at ? "; " : "", left->hinges, left->hinges == 1 ? "" : "s",
                                 substeps_for(p, ratio, SN_PLATE_RATIO), why);
}

void sn_plates_tell(const sn_plates *p, char *text, size_t size)
{
    enum { SOLVED, LARGE, CURVED, STATES };
    uint32_t count[STATES] = {0}, particles[STATES] = {0};
    double ratio[STATES] = {0};
    char what[128];
    for (uint32_t i = 0; i < p->count; ++i) {
        const sn_plate *plate = &p->plate[i];
        const bool curved = plate->ratio * p->h * p->h > plate->most;
        const uint32_t state = plate->too_large ? LARGE : plate->acts ? SOLVED : curved ? CURVED : STATES;
        if (state == STATES)
            continue;
        count[state]++;
        particles[state] += plate->vertices;
        const double needs = state == CURVED ? plate->ratio / plate->most : plate->ratio;
        ratio[state] = needs > ratio[state] ? needs : ratio[state];
    }
    size_t at = tell(count[SOLVED], particles[SOLVED], "solved at once", text, size, strlen(text));
    snprintf(what, sizeof what, "left to sweeps, which need %u substeps: it is too large to be solved at once",
             substeps_for(p, ratio[LARGE], SN_PLATE_RATIO));
    at = tell(count[LARGE], particles[LARGE], what, text, size, at);
    snprintf(what, sizeof what, "left to sweeps: it is curved, and is solved at once from %u substeps on",
             substeps_for(p, ratio[CURVED], 1));
    at = tell(count[CURVED], particles[CURVED], what, text, size, at);
    at = tell_left(p, SN_LEFT_BREAKS, "it can break or tear there", text, size, at);
    tell_left(p, SN_LEFT_EDGES, "not all edges there are rods that also push, or it is folded far", text, size, at);
}

/* The directions of a fold's force, by its points, for a multiplier of 1: see fold(). */
static void direct(const sn_plates *p, const sn_plate_hinge *hinge, sn_vec3 *gradient)
{
    sn_dvec3 at[4], direction, by = {0, 0, 0};
    double angle;
    for (uint32_t n = 0; n < 4; ++n)
        at[n] = place(p->at[hinge->vertex[n]]);
    if (!(hinge->kind == SN_KIND_ANGLE ? find_turn : find_fold)(at, &direction, &angle))
        return;
    for (uint32_t n = 0; n < 4; ++n)
        by = dvec3_add(by, dvec3_scale(at[n], hinge->k[n]));
    const double along = dvec3_dot(by, direction), sine = 2 * math_sin(angle / 2),
                 share = fabs(sine) > SMALL ? angle / sine : 1, off = share * along - hinge->rest;
    by = dvec3_add(by, dvec3_scale(direction, off - along));
    const bool linear = fabs(hinge->rest) < SN_PLATE_FLAT && fabs(off) > SMALL * dvec3_length(by);
    if (!linear)
        by = direction;
    for (uint32_t n = 0; n < hinge->points; ++n)
        gradient[n] = dvec3_round(dvec3_scale(by, hinge->k[n] / (linear ? off : 1)));
}

void sn_plates_direct(const sn_plates *p, uint32_t kind, uint32_t row, sn_vec3 *gradient)
{
    for (uint32_t i = 0; i < p->count; ++i)
        for (uint32_t k = p->plate[i].hinge; p->plate[i].acts && k < p->plate[i].hinge + p->plate[i].hinges; ++k)
            if (p->hinge[k].row == row && p->hinge[k].kind == kind)
                direct(p, &p->hinge[k], gradient);
}
