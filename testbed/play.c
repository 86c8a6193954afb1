#include "testbed/play.h"
#include "cli/cli.h"
#include "export/show.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

vec vec_of(sn_vec3 a)
{
    return (vec){(float)a.x, (float)a.y, (float)a.z};
}

sn_vec3 place_of(vec a)
{
    return (sn_vec3){(sn_real)a.x, (sn_real)a.y, (sn_real)a.z};
}

static bool is_planar(const play *p)
{
    return sn_world_dimensions(p->world) == 2;
}

/* ---- Scenes --------------------------------------------------------------------------------------------------------- */

#define LOOK_AHEAD  0.15 /* s: that a scene may take before it is shown, to see how far it gets, */
#define AHEAD_EVERY 6    /*   looked at after so many frames */

typedef struct box {
    float low[3], high[3];
} box;

/* Runs the scene for a while, and returns to its start: the same bits follow. What flies away counts up to the size that all had at the start. */
static void look_ahead(play *p, const sn_show *show, box *b)
{
    const box first = *b;
    const float size = fmaxf(b->high[0] - b->low[0], fmaxf(b->high[1] - b->low[1], b->high[2] - b->low[2]));
    const double start = sn_seconds_now();
    const uint32_t frames = sn_scene_describe(p->loaded.scene).frames;
    sn_scene_moment *moment = sn_scene_mark(p->loaded.scene);
    for (uint32_t i = 1; moment && i <= frames && sn_seconds_now() - start < LOOK_AHEAD; ++i) {
        if (sn_scene_step(p->loaded.scene) != SN_OK)
            break;
        if (i % AHEAD_EVERY == 0)
            sn_show_bounds(show, b->low, b->high);
    }
    if (moment && sn_scene_return(p->loaded.scene, moment) != SN_OK)
        snprintf(p->message, sizeof p->message, "%s", sn_world_error(p->world));
    sn_scene_moment_destroy(moment);
    for (int k = 0; k < 3; ++k) {
        b->low[k] = fmaxf(b->low[k], first.low[k] - size);
        b->high[k] = fminf(b->high[k], first.high[k] + size);
    }
}

void play_look(play *p, bool ahead)
{
    box b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    sn_show *show = p->world ? sn_show_create(p->loaded.scene) : NULL;
    if (show) {
        sn_show_bounds(show, b.low, b.high);
        if (ahead && b.low[0] <= b.high[0])
            look_ahead(p, show, &b);
        const float most = fmaxf(b.high[0] - b.low[0], fmaxf(b.high[1] - b.low[1], b.high[2] - b.low[2]));
        sn_show_static_bounds(show, 1.5f * most, b.low, b.high);
        p->has_ground = sn_show_ground(show, &p->ground);
        if (p->has_ground && p->ground < b.low[1] && b.low[1] - p->ground < most)
            b.low[1] = p->ground;
        sn_show_destroy(show);
    }
    if (!(b.low[0] <= b.high[0]))
        b = (box){{-1, -1, -1}, {1, 1, 1}};
    p->low = (vec){b.low[0], b.low[1], b.low[2]};
    p->high = (vec){b.high[0], b.high[1], b.high[2]};
}

static void weigh(play *p)
{
    const sn_view w = sn_world_view_inverse_masses(p->world);
    for (uint32_t i = 0; i < w.count; ++i)
        p->mass += *sn_view_at(&w, i) > 0 ? 1 / (double)*sn_view_at(&w, i) : 0;
}

float play_size(const play *p)
{
    const vec size = vec_sub(p->high, p->low);
    const float length = vec_dot(size, size);
    return length > 1e-6f && length < 1e12f ? sqrtf(length) : 1;
}

bool play_open(play *p, const char *name, const char *path)
{
    play_close(p);
    p->name = name;
    sn_load_options options = sn_default_load_options();
    if (!sn_scene_load(path, &options, &p->loaded)) {
        const sn_problem *first = p->loaded.problems.first;
        snprintf(p->message, sizeof p->message, "%s: %s", first && first->path ? first->path : path,
                 first ? first->text : "out of memory");
        return false;
    }
    p->world = sn_scene_world(p->loaded.scene);
    play_look(p, true);
    weigh(p);
    return p->message[0] == 0;
}

void play_close(play *p)
{
    if (p->name)
        sn_loaded_release(&p->loaded);
    *p = (play){0};
}

/* ---- Time ----------------------------------------------------------------------------------------------------------- */

bool play_step(play *p)
{
    if (!p->world || p->message[0])
        return false;
    if (p->held.kind) {
        const sn_real target[3] = {(sn_real)p->target.x, (sn_real)p->target.y, (sn_real)p->target.z};
        if (sn_constraint_set_param(p->world, p->held, "target", target, 3) != SN_OK)
            p->held = (sn_constraint){0}; /* what it held is gone */
    }
    const double start = sn_seconds_now();
    if (sn_scene_step(p->loaded.scene) != SN_OK) {
        snprintf(p->message, sizeof p->message, "at %.2f s: %s", sn_scene_time(p->loaded.scene),
                 sn_world_error(p->world));
        return false;
    }
    const double took = 1000 * (sn_seconds_now() - start);
    p->step_ms = p->step_ms > 0 ? 0.9 * p->step_ms + 0.1 * took : took;
    return true;
}

void play_advance(play *p, double seconds, double most)
{
    if (!p->world)
        return;
    const double frame = 1 / (double)sn_scene_describe(p->loaded.scene).rate, start = sn_seconds_now();
    for (p->owed += seconds; p->owed >= frame; p->owed -= frame)
        if (!play_step(p) || sn_seconds_now() - start > most) {
            p->owed = 0;
            return;
        }
}

/* ---- The mouse ------------------------------------------------------------------------------------------------------ */

#define PULL_FREQUENCY 4.0 /* 1/s: of the spring by which something is held, with what hangs on it, */
#define PULL_SHARE     0.2 /*   which is taken for this share of its group if it is a particle */

/* kg: what has to be moved. */
static double mass_at(const play *p, const sn_point *spot)
{
    if (spot->body.generation)
        return (double)sn_body_mass(p->world, spot->body);
    double sum = 0;
    const uint32_t group = sn_particle_group(p->world, spot->particle[0]);
    const sn_view w = sn_world_view_inverse_masses(p->world);
    for (uint32_t i = 0; i < w.count; ++i)
        if (*sn_view_at(&w, i) > 0 &&
            sn_particle_group(p->world, sn_particle_from_index(p->world, w.index[i])) == group)
            sum += 1 / (double)*sn_view_at(&w, i);
    const double own = (double)sn_particle_mass(p->world, spot->particle[0]);
    return PULL_SHARE * sum > own ? PULL_SHARE * sum : own;
}

bool play_grab(play *p, vec from, vec direction, float reach)
{
    sn_real distance;
    play_drop(p);
    if (!p->world || p->message[0])
        return false;
    p->spot = sn_query_pick(p->world, place_of(from), place_of(direction), 1e6f, (sn_real)reach, &distance);
    if (!(distance >= 0))
        return false;
    const double mass = mass_at(p, &p->spot), rate = 2 * 3.14159265 * PULL_FREQUENCY;
    if (!(mass > 0) || isinf(mass))
        return false;
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_PIN);
    def.points = &p->spot;
    def.compliance = (sn_real)(1 / (mass * rate * rate));
    def.damping = (sn_real)(2 * mass * rate);
    if (sn_constraint_add(p->world, &def, &p->held) != SN_OK)
        return false;
    p->target = vec_of(sn_point_position(p->world, p->spot));
    return true;
}

void play_pull(play *p, vec target)
{
    p->target = target;
    if (p->held.kind && is_planar(p))
        p->target.z = 0;
}

void play_drop(play *p)
{
    if (p->held.kind && sn_constraint_is_valid(p->world, p->held))
        sn_constraint_remove(p->world, p->held);
    p->held = (sn_constraint){0};
}

bool play_held_at(const play *p, vec *spot)
{
    if (!p->held.kind || !sn_constraint_is_valid(p->world, p->held))
        return false;
    *spot = vec_of(sn_point_position(p->world, p->spot));
    return true;
}

bool play_throw(play *p, vec from, vec direction)
{
    const float size = play_size(p), radius = size / 50;
    if (!p->world || p->message[0])
        return false;
    vec start = from, way = vec_scale(vec_unit(direction), 2.5f * size);
    if (is_planar(p)) { /* from the left, through where the eye looks at the plane */
        const vec aim = vec_add(from, vec_scale(direction, direction.z < 0 ? -from.z / direction.z : 0));
        start = (vec){p->low.x - 0.2f * size, aim.y + 0.1f * size, 0};
        way = vec_scale(vec_unit(vec_sub(aim, start)), 2.5f * size);
        way.z = 0;
    }
    const sn_body ball = sn_body_add_sphere(p->world, place_of(start), (sn_real)radius, 2000);
    return ball.generation && sn_body_set_velocity(p->world, ball, place_of(way), (sn_vec3){0, 0, 0}) == SN_OK;
}
