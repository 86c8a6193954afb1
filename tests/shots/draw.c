/* What is shot at what: all from one number. */
#include "shots/shots.h"

#include "base/quat.h"

#include <math.h>

static const char *const arena_name[] = {"plate", "room", "tube", "pair"};
static const char *const target_name[] = {
    "plane",   "box",        "hull",         "solid mesh",   "sheet",        "one-sided sheet",
    "heights", "field",      "grid",         "row of boxes", "disk",         "sphere",
    "roller",  "coming box", "swinging box", "free plate",   "sliding plate"};
static const char *const thing_name[] = {"point", "ball", "rope",     "rigid group", "sphere",   "capsule",
                                         "box",   "hull", "cylinder", "cone",        "compound", "jointed pair"};
static const char *const driver_name[] = {"velocity", "force",   "field", "rope", "hand",
                                          "motor",    "impulse", "blow",  "press"};
static const char *const walls_name[] = {"planes", "boxes", "sheets", "a hollow mesh", "a hollow field"};
static const char *const motion_name[] = {"still", "moving", "turning", "shaken"};

double shot_exponential(uint64_t *seed, double least, double most)
{
    return least * pow(most / least, support_random_in(seed, 0, 1));
}

uint32_t shot_among(uint64_t *seed, uint32_t count)
{
    return support_random_below(seed, count);
}

sn_vec3 shot_direction(uint64_t *seed)
{
    for (;;) {
        /* One draw after the other: compilers evaluate arguments in different orders. */
        const double z = support_random_in(seed, -1, 1), y = support_random_in(seed, -1, 1),
                     x = support_random_in(seed, -1, 1);
        const sn_vec3 v = vec(x, y, z);
        const double length = (double)vec3_length(v);
        if (length > 0.1 && length <= 1)
            return vec3_scale(v, real(1 / length));
    }
}

static void draw_plate(shot *s)
{
    uint64_t *r = &s->seed;
    const bool pulled = s->by != BY_VELOCITY && s->by != BY_BLOW;
    if ((s->at == SPHERE || s->at == ROLLER || s->at == GRID || s->at == COMING || s->at == SWINGING) && pulled)
        s->by = BY_VELOCITY;
    if ((s->at == FREE || s->at == SLIDING) && s->by == BY_PRESS)
        s->by = BY_BLOW;
    s->gap = 2.2 * support_random_in(r, 1, 3); /* of extents, that a press leaves */
    if (s->at == GRID)                         /* its cells are even, so it is not wide */
        s->speed = fmin(s->speed, 6 * s->thick / s->dt);
    for (int k = 0; k < 2; ++k)
        s->aside[k] = shot_among(r, 3) ? support_random_in(r, -0.3, 0.3) : 0;
    s->far = support_random_in(r, 0.0005, fmin(2, 2 * s->speed * s->dt) + 0.001);
}

/* m/s: no point is faster than this. */
#define FASTEST 1000.0

shot shot_draw(uint64_t number)
{
    static const arena arenas[] = {AT_PLATE, AT_PLATE, AT_PLATE, AT_PLATE, IN_ROOM, IN_ROOM, IN_TUBE, AT_PAIR};
    static const uint32_t substeps[] = {1, 1, 2, 3, 4, 5, 8, 10, 10, 16, 20, 40};
    static const double restitutions[] = {0, 0, 0.5, 0.9, 1}, frictions[] = {0, 0.5, 1},
                        steps[] = {1.0 / 60, 1.0 / 60, 1.0 / 60, 1.0 / 30, 1.0 / 240};
    shot s = {.number = number, .seed = number * 2654435761u + 4242, .frames = 5};
    uint64_t *r = &s.seed;
    s.where = arenas[shot_among(r, COUNT_OF(arenas))];
    s.at = (target)shot_among(r, TARGETS);
    s.what = (thing)shot_among(r, THINGS);
    s.by = shot_among(r, 3) ? (driver)shot_among(r, DRIVERS) : BY_VELOCITY;
    s.walls = (walls)shot_among(r, WALLS);
    s.motion = shot_among(r, 2) ? STILL : (motion)shot_among(r, MOTIONS);
    s.substeps = substeps[shot_among(r, COUNT_OF(substeps))];
    s.passes = 1 + shot_among(r, 2);
    s.dt = steps[shot_among(r, COUNT_OF(steps))];
    s.speed = shot_exponential(r, 0.1, FASTEST);
    s.size = shot_exponential(r, 0.001, 1);
    s.spin = shot_among(r, 2) ? 0 : fmin(shot_exponential(r, 0.1, 10000), FASTEST / s.size);
    s.thick = shot_exponential(r, 0.002, 0.5);
    s.ratio = shot_exponential(r, 1e-4, 1e4);
    s.mass = shot_exponential(r, 1e-3, 1e3);
    s.restitution = restitutions[shot_among(r, COUNT_OF(restitutions))];
    s.friction = frictions[shot_among(r, COUNT_OF(frictions))];
    s.rolls = shot_among(r, 4) == 0;
    s.end = shot_among(r, 2) == 0;
    s.count = 1 + shot_among(r, 4);
    const double angle = support_random_in(r, 0, 3);
    s.turn = sn_quat_rotated((sn_quat){0, 0, 0, 1}, vec3_scale(shot_direction(r), real(angle)));
    if (shot_among(r, 8) == 0)
        s.turn = (sn_quat){0, 0, 0, 1};
    s.origin = vec3_scale(shot_direction(r), 5);
    if (s.where == AT_PLATE)
        draw_plate(&s);
    if (s.where == IN_ROOM) {
        s.size = fmin(s.size, 0.1);
        s.half = s.size * support_random_in(r, 5, 40);
        s.speed = s.motion == STILL ? s.speed : s.speed / 2;
        s.by = shot_among(r, 2) ? BY_IMPULSE : BY_VELOCITY;
        s.spin = fmin(s.spin, 1000);
    }
    if (s.where == IN_TUBE || s.where == AT_PAIR)
        s.by = s.by == BY_FIELD || s.by == BY_IMPULSE || s.by == BY_FORCE ? s.by : BY_VELOCITY;
    if (s.where == IN_TUBE)
        s.half = 1.02 * s.size;
    s.wide = 2 + 4 * s.size + 2 * (s.speed + fmin(FASTEST, s.spin * s.size)) * s.dt * s.frames;
    if (s.where == AT_PLATE && s.at == GRID)
        s.wide = 12 * s.thick;
    return s;
}

const char *shot_thing_name(thing what)
{
    return thing_name[what];
}

void shot_tell(const shot *s)
{
    printf("shot %llu: ", (unsigned long long)s->number);
    if (s->where == AT_PLATE)
        printf("%s at %s (thick %g, ratio %g)", thing_name[s->what], target_name[s->at], s->thick, s->ratio);
    else if (s->where == IN_ROOM)
        printf("%u things (first %s) in room of %s, %s (half %g, thick %g)", s->count, thing_name[s->what],
               walls_name[s->walls], motion_name[s->motion], s->half, s->thick);
    else
        printf("%s %s", arena_name[s->where], s->where == IN_TUBE && s->end ? "with an end" : "");
    printf("%s%s by %s, size %g m, %g m/s, %g rad/s, %u substeps of %u in %g s, e %g, mu %g, from %g m\n",
           s->rolls ? " rolls" : "", s->turn.w == 1 ? " straight" : "", driver_name[s->by], s->size, s->speed, s->spin,
           s->substeps, s->passes, s->dt, s->restitution, s->friction, s->far);
}
