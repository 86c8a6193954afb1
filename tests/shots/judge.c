/* Whether something is on the wrong side, and how much energy there is. */
#include "shots/shots.h"

#include "base/quat.h"

#include <math.h>

#define GAIN 0.001 /* of the energy at the start */

bool shot_keeps_energy(const shot *s)
{
    const bool moved =
        s->where == IN_ROOM ? s->motion != STILL : s->where == AT_PLATE && (s->at == COMING || s->at == SWINGING);
    return !moved && (s->by == BY_VELOCITY || (s->where == AT_PLATE && s->by == BY_BLOW));
}

static double energy_of(const sn_world *world)
{
    double sum = 0;
    for (uint32_t i = 0; i < sn_world_particle_count(world); ++i) {
        const sn_particle p = sn_particle_from_index(world, i);
        const sn_body body = sn_particle_body(world, p);
        const sn_vec3 v = sn_particle_velocity(world, p);
        const double mass = (double)sn_particle_mass(world, p), radius = (double)sn_particle_radius(world, p);
        if (!isfinite(mass))
            continue;
        sum += mass / 2 * (double)vec3_dot(v, v);
        if (body.generation) {
            sum += (double)vec3_dot(sn_body_spin(world, body), sn_body_angular_momentum(world, body)) / 2;
        } else {
            const sn_vec3 spin = sn_particle_spin(world, p);
            sum += mass * 0.2 * radius * radius * (double)vec3_dot(spin, spin);
        }
    }
    return sum;
}

static sn_vec3 centre_of(const shot *s, const shot_part *p)
{
    return shot_seen(s, sn_particle_position(s->world, p->particle));
}

/* m: how far a point of it is below z = 0 of the target. */
static double depth_of(const shot *s, const shot_part *p)
{
    double low = INFINITY;
    for (uint32_t i = 0; i < p->points; ++i) {
        const sn_vec3 at =
            p->is_body ? sn_body_to_world(s->world, p->body, p->point[i]) : sn_particle_position(s->world, p->particle);
        low = fmin(low, (double)shot_seen(s, at).z - p->round);
    }
    return -low;
}

void shot_judge_start(shot *s)
{
    for (uint32_t i = 0; i < s->parts; ++i)
        s->part[i].was = centre_of(s, &s->part[i]);
    s->energy = s->lowest = energy_of(s->world);
    s->deepest = -INFINITY;
}

/* m: rounding of positions. */
static double rounding(const shot *s)
{
    return 1e-5 + 1e-6 * s->wide;
}

static const char *judge_plate(shot *s)
{
    const bool round = s->at == SPHERE || s->at == ROLLER, free_one = s->at == FREE;
    if (free_one) {
        const sn_vec3 up = sn_quat_rotate(sn_body_rotation(s->world, s->frame), vec(0, 0, 1));
        s->tumbles = s->tumbles || (double)vec3_dot(up, shot_along(s, vec(0, 0, 1))) < 0.9;
    }
    for (uint32_t i = 0; i < s->parts; ++i) {
        shot_part *p = &s->part[i];
        const sn_vec3 at = centre_of(s, p);
        const double side = s->at == ROLLER ? fabs((double)at.x)
                            : round         ? hypot((double)at.x, (double)at.y)
                                            : fmax(fabs((double)at.x), fabs((double)at.y));
        const double before = fmax(fabs((double)p->was.x), fabs((double)p->was.y));
        const bool over = round ? side < 7 * s->size && fabs((double)at.y) < 0.9 * s->wide
                                : side < 0.9 * s->wide && before < 0.9 * s->wide;
        p->was = at;
        if (!over || s->tumbles)
            continue;
        if (round ? (double)at.z < -5 * s->size : (double)at.z < -rounding(s))
            return "through";
        if (!round)
            s->deepest = fmax(s->deepest, depth_of(s, p));
        if (s->by == BY_PRESS && (double)at.z > (double)shot_seen(s, sn_body_position(s->world, s->pusher)).z)
            return "through the press";
    }
    return NULL;
}

/* Rounding: a particle is on a surface up to 1e-6 of its distance from the origin, 5 m, and of its path. What leans on walls that
   turn may be a little behind one when a substep ends. */
static const char *judge_room(shot *s)
{
    const double allowed = 1e-5 * s->half + (s->by == BY_IMPULSE ? 4e-6 : 1e-6) * s->speed * s->dt * 2 + 4e-5 +
                           (s->motion == TURNING ? 0.01 * s->half : 0);
    for (uint32_t i = 0; i < s->parts; ++i) {
        const sn_vec3 at = centre_of(s, &s->part[i]);
        const double by = fmax(fabs((double)at.x), fmax(fabs((double)at.y), fabs((double)at.z))) - s->half;
        if (!(by < allowed)) {
            s->deepest = by;
            s->culprit = i;
            return "out of the room";
        }
    }
    return NULL;
}

static const char *judge_tube(shot *s)
{
    for (uint32_t i = 0; i < s->parts; ++i) {
        const sn_vec3 at = centre_of(s, &s->part[i]);
        s->left = s->left || fabs((double)at.z) > s->wide - s->size;
        if (s->left) /* the tube ends there */
            return NULL;
        if (!(fmax(fabs((double)at.x), fabs((double)at.y)) < s->half + rounding(s)))
            return "out of the tube";
        if (s->end && !((double)at.z > -rounding(s)))
            return "through the end";
        if (i && !((double)at.z > (double)centre_of(s, &s->part[i - 1]).z))
            return "past each other";
    }
    return NULL;
}

static const char *judge_pair(shot *s)
{
    const sn_vec3 a = centre_of(s, &s->part[0]), b = centre_of(s, &s->part[1]);
    const double aside = hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
    return !((double)b.z > (double)a.z) && aside < 0.3 * (s->part[0].extent + s->part[1].extent) ? "past each other"
                                                                                                 : NULL;
}

const char *shot_judge(shot *s)
{
    for (uint32_t i = 0; i < s->parts; ++i)
        if (!support_is_finite(sn_particle_position(s->world, s->part[i].particle)))
            return "not finite";
    if (shot_keeps_energy(s)) {
        const double energy = energy_of(s->world);
        s->gain = fmax(s->gain, (energy - s->lowest) / s->energy);
        s->lowest = fmin(s->lowest, energy);
        if (s->gain > GAIN)
            return "energy";
    }
    return s->where == AT_PLATE  ? judge_plate(s)
           : s->where == IN_ROOM ? judge_room(s)
           : s->where == IN_TUBE ? judge_tube(s)
                                 : judge_pair(s);
}
