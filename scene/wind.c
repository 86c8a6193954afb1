/* Wind: the velocity of the air at a place and time, and its force on triangles and balls.

   Turbulence is a sum of waves (Kraichnan 1970), each of which moves the air perpendicularly to its own direction,
   so that the flow has no divergence. Waves come in octaves. The longest has the length of the largest eddies, and
   an octave of half the length has 2^(-1/3) of the speed, as in Kolmogorov's cascade. All drift with the wind, and
   the phase of each advances in the time in which its own air crosses it. The result depends only on the seed, the
   place and the time. */
#include "scene/wind.h"

#include "scene/chance.h"

#include <math.h>
#include <string.h>

enum { OCTAVES = 3, WAVES_PER_OCTAVE = 6 };

/* One wave: the air has the velocity amplitude * sin(along . x + turning * t + begin). */
struct sn_wind_wave {
    double along[3];     /* 1/m */
    double amplitude[3]; /* m/s, perpendicular to along */
    double turning;      /* 1/s */
    double begin;
};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

enum { CHOSEN = 1, IN_SHEET = 2 };

static bool sheet_triangle(const sn_object *object, uint32_t t, uint32_t corner[3], const char *mark)
{
    bool all = true;
    for (int k = 0; k < 3; ++k) {
        corner[k] = object->run.first + object->triangle[3 * (size_t)t + k];
        all = all && mark[corner[k]] & CHOSEN;
    }
    return all;
}

/* Warns of a wind that acts on nothing: most likely a radius is missing. */
static void warn_of_calm(const sn_scene *scene, sn_reader *reader, const sn_scene_force *force)
{
    bool felt = force->sheet_count > 0;
    for (uint32_t i = 0; i < force->lone.count && !felt; ++i)
        felt = sn_particle_radius(scene->world, sn_particle_from_index(scene->world, force->lone.number[i])) > 0;
    if (!felt)
        sn_problems_add(reader->problems, SN_PROBLEM_WARNING, reader->path, false,
                        "this wind acts on nothing: what is no surface needs a radius to be blown at");
}

/* Finds the triangles of an object all corners of which are selected; false when memory runs out. */
static bool find_sheet(sn_scene *scene, const sn_object *object, char *mark, sn_wind_sheet *sheet)
{
    uint32_t corner[3], *triangle = sn_arena_take(&scene->arena, object->triangle_count, sizeof *triangle);
    *sheet = (sn_wind_sheet){.object = object, .triangle = triangle};
    for (uint32_t t = 0; triangle && t < object->triangle_count; ++t) {
        if (!sheet_triangle(object, t, corner, mark))
            continue;
        triangle[sheet->count++] = t;
        for (int k = 0; k < 3; ++k)
            mark[corner[k]] |= IN_SHEET;
    }
    return triangle != NULL;
}

/* Finds the triangles that are selected whole, and the selected particles that are in none of these. */
static bool find_sheets(sn_scene *scene, sn_reader *reader, sn_scene_force *force)
{
    uint32_t particles = sn_world_view_positions(scene->world).slot_count, triangles = 0;
    /* in two dimensions wind does not act on triangles */
    uint32_t objects = sn_world_dimensions(scene->world) == 3 ? scene->objects.count : 0;
    for (uint32_t i = 0; i < objects; ++i)
        triangles += scene_object(scene, i)->triangle_count;
    if (!sn_scene_fits(scene, reader, particles + 4.0 * triangles + 4.0 * force->of.count))
        return false;
    char *mark = sn_arena_take(&scene->scratch, particles, 1);
    sn_wind_sheet *sheet = sn_arena_take(&scene->arena, objects, sizeof *sheet);
    uint32_t *lone = sn_arena_take(&scene->arena, force->of.count, sizeof *lone);
    bool good = mark && sheet && lone;
    for (uint32_t i = 0; i < force->of.count && good; ++i)
        mark[force->of.number[i]] |= CHOSEN;
    for (uint32_t i = 0; i < objects && good; ++i) {
        good = find_sheet(scene, scene_object(scene, i), mark, &sheet[force->sheet_count]);
        force->sheet_count += good && sheet[force->sheet_count].count > 0;
    }
    for (uint32_t i = 0; i < force->of.count && good; ++i)
        if (!(mark[force->of.number[i]] & IN_SHEET))
            lone[force->lone.count++] = force->of.number[i];
    force->sheet = sheet;
    force->lone.number = lone;
    sn_arena_release(&scene->scratch);
    if (!good)
        return sn_reader_fail(reader, "no memory for the wind");
    warn_of_calm(scene, reader, force);
    return true;
}

/* A uniformly distributed direction; in a world of two dimensions, one of the plane. */
static void any_direction(uint64_t *seed, bool flat, double out[3])
{
    for (;;) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            out[k] = k == 2 && flat ? 0 : sn_chance(seed);
            square += out[k] * out[k];
        }
        if (!(square <= 1 && square > 0.01))
            continue;
        for (int k = 0; k < 3; ++k)
            out[k] /= sqrt(square);
        return;
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* A random direction perpendicular to another one. */
static void any_direction_across(uint64_t *seed, bool flat, const double along[3], double out[3])
{
    const double up[3] = {0, 0, 1};
    double other[3], size = 0;
    while (!(size > 0.1)) {
        any_direction(seed, flat, other);
        cross(along, flat ? up : other, out);
        size = sqrt(dot(out, out));
    }
    for (int k = 0; k < 3; ++k)
        out[k] /= size;
}

/* `turbulence` is the rms speed along each axis. So the mean squares of all waves, half of their squared amplitudes,
   add up to its square times the number of axes. */
static bool make_waves(sn_scene *scene, sn_reader *reader, sn_scene_force *force)
{
    const sn_force_keys *keys = &force->keys;
    const bool flat = sn_world_dimensions(scene->world) == 2;
    const double w[3] = {(double)keys->value.x, (double)keys->value.y, (double)keys->value.z};
    struct sn_wind_wave *wave = sn_arena_take(&scene->arena, OCTAVES * WAVES_PER_OCTAVE, sizeof *wave);
    if (!wave)
        return sn_reader_fail(reader, "no memory for the turbulence");
    double length = (double)keys->eddies, share = 1, sum = 0;
    uint64_t seed = keys->seed;
    for (int i = 0; i < OCTAVES; ++i, share *= 0.79370052598409974)
        sum += WAVES_PER_OCTAVE * share * share / 2;
    double speed = (double)keys->turbulence * sqrt((flat ? 2 : 3) / sum);
    for (int i = 0; i < OCTAVES * WAVES_PER_OCTAVE; ++i) {
        if (i > 0 && i % WAVES_PER_OCTAVE == 0)
            length /= 2, speed *= 0.79370052598409974;
        any_direction(&seed, flat, wave[i].along);
        any_direction_across(&seed, flat, wave[i].along, wave[i].amplitude);
        for (int k = 0; k < 3; ++k) {
            wave[i].along[k] *= 2 * SN_PI / length;
            wave[i].amplitude[k] *= speed;
        }
        wave[i].turning = 2 * SN_PI / length * speed - dot(wave[i].along, w);
        wave[i].begin = SN_PI * sn_chance(&seed);
    }
    force->wave = wave;
    return true;
}

bool sn_wind_begin(sn_scene *scene, sn_reader *reader, sn_scene_force *force)
{
    return (!(force->keys.turbulence > 0) || make_waves(scene, reader, force)) && find_sheets(scene, reader, force);
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* The velocity of the air. Gusts are two waves of different length that travel with the wind. */
void sn_wind_at(const sn_scene_force *force, double time, const double x[3], double out[3])
{
    const sn_force_keys *wind = &force->keys;
    double w[3] = {(double)wind->value.x, (double)wind->value.y, (double)wind->value.z};
    double speed2 = dot(w, w), swell = 1;
    if (wind->gust > 0 && speed2 > 0) {
        double along = dot(w, x) / speed2; /* s: travel time of the air to this place */
        double phase = 2 * SN_PI * (time - along) / (double)wind->period;
        swell += (double)wind->gust * (0.6 * sn_math_sin(phase) + 0.4 * sn_math_sin(2.6180339887 * phase + 1));
    }
    for (int k = 0; k < 3; ++k)
        out[k] = swell * w[k];
    for (int i = 0; force->wave && i < OCTAVES * WAVES_PER_OCTAVE; ++i) {
        const struct sn_wind_wave *wave = &force->wave[i];
        double s = sn_math_sin(dot(wave->along, x) + wave->turning * time + wave->begin);
        for (int k = 0; k < 3; ++k)
            out[k] += s * wave->amplitude[k];
    }
}

typedef struct blown {
    sn_particle particle;
    double x[3], v[3], mass; /* infinite for an immovable particle */
} blown;

static blown look_at(const sn_scene *scene, uint32_t number)
{
    blown b = {.particle = sn_particle_from_index(scene->world, number)};
    sn_vec3 x = sn_particle_position(scene->world, b.particle), v = sn_particle_velocity(scene->world, b.particle);
    b.x[0] = (double)x.x, b.x[1] = (double)x.y, b.x[2] = (double)x.z;
    b.v[0] = (double)v.x, b.v[1] = (double)v.y, b.v[2] = (double)v.z;
    b.mass = (double)sn_particle_mass(scene->world, b.particle);
    return b;
}

static sn_result add_force(sn_scene *scene, sn_particle p, const double f[3], double factor)
{
    return sn_particle_apply_force(
        scene->world, p, (sn_vec3){(sn_real)(f[0] * factor), (sn_real)(f[1] * factor), (sn_real)(f[2] * factor)});
}

/* The air pushes a triangle along its normal with drag * area * |u| * u.n, where u is the velocity of the air
   relative to the triangle. The force acts for a whole frame, in which a light sheet would overshoot the speed of
   the wind. So the force is that of an implicit step: it accelerates the corners at most to the speed of the air,
   where each corner belongs to about six triangles. */
static sn_result blow_triangle(sn_scene *scene, const sn_scene_force *force, const uint32_t *corner, double time,
                               double dt)
{
    blown b[3];
    double x[3], u[3], e[2][3], n[3], mass = 0;
    for (int i = 0; i < 3; ++i) {
        b[i] = look_at(scene, corner[i]);
        mass += isinf(b[i].mass) ? 0 : b[i].mass;
    }
    for (int k = 0; k < 3; ++k) {
        x[k] = (b[0].x[k] + b[1].x[k] + b[2].x[k]) / 3;
        e[0][k] = b[1].x[k] - b[0].x[k], e[1][k] = b[2].x[k] - b[0].x[k];
    }
    sn_wind_at(force, time, x, u);
    for (int k = 0; k < 3; ++k) {
        u[k] -= (b[0].v[k] + b[1].v[k] + b[2].v[k]) / 3;
        n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    }
    double twice_area = sqrt(dot(n, n));
    if (!(twice_area > 0) || !(mass > 0))
        return SN_OK;
    for (int k = 0; k < 3; ++k)
        n[k] /= twice_area;
    double rate = (double)force->keys.drag * sqrt(dot(u, u)) * twice_area / 2;
    double f = rate / (1 + 6 * rate * dt / mass) * dot(u, n);
    for (int i = 0; i < 3; ++i) {
        sn_result result = isinf(b[i].mass) ? SN_OK : add_force(scene, b[i].particle, n, f / 3);
        if (result != SN_OK)
            return result;
    }
    return SN_OK;
}

/* A particle without a surface is a ball of its radius. */
static sn_result blow_particle(sn_scene *scene, const sn_scene_force *force, uint32_t number, double time, double dt)
{
    blown b = look_at(scene, number);
    double u[3], radius = (double)sn_particle_radius(scene->world, b.particle);
    if (isinf(b.mass))
        return SN_OK;
    sn_wind_at(force, time, b.x, u);
    for (int k = 0; k < 3; ++k)
        u[k] -= b.v[k];
    double rate = (double)force->keys.drag * sqrt(dot(u, u)) * SN_PI * radius * radius;
    return add_force(scene, b.particle, u, rate / (1 + rate * dt / b.mass));
}

/* On a torn or cut surface the force acts on the present triangles: triangles keep their indices in the list of a
   skin, and those that a cut adds come after them. */
static sn_result blow_sheet(sn_scene *scene, const sn_scene_force *force, const sn_wind_sheet *sheet, double time,
                            double dt)
{
    const sn_object *object = sheet->object;
    uint32_t corner[3], skinned = 0;
    const uint32_t *now =
        sn_skin_is_valid(scene->world, object->skin) ? sn_skin_triangles(scene->world, object->skin, &skinned) : NULL;
    uint32_t more = now && sheet->count == object->triangle_count && skinned > object->triangle_count
                        ? skinned - object->triangle_count
                        : 0;
    sn_result result = SN_OK;
    for (uint32_t i = 0; i < sheet->count + more && result == SN_OK; ++i) {
        uint32_t t = i < sheet->count ? sheet->triangle[i] : object->triangle_count + (i - sheet->count);
        if (now && t >= skinned)
            continue;
        for (int k = 0; k < 3; ++k)
            corner[k] = now ? now[3 * (size_t)t + k] : object->run.first + object->triangle[3 * (size_t)t + k];
        result = blow_triangle(scene, force, corner, time, dt);
    }
    return result;
}

sn_result sn_wind_blow(sn_scene *scene, const sn_scene_force *force, double time, double dt)
{
    sn_result result = SN_OK;
    for (uint32_t i = 0; i < force->sheet_count && result == SN_OK; ++i)
        result = blow_sheet(scene, force, &force->sheet[i], time, dt);
    for (uint32_t i = 0; i < force->lone.count && result == SN_OK; ++i)
        result = blow_particle(scene, force, force->lone.number[i], time, dt);
    return result;
}
