#include "scene/objects/particles.h"
#include "scene/bodies.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Whether a list is not given, or has `each` numbers for each particle. */
static bool check_count(sn_build *build, const char *key, sn_numbers list, uint32_t each, uint32_t particles)
{
    uint64_t expected = (uint64_t)each * particles;
    return list.count == 0 || list.count == expected ||
           sn_build_fail(build, key, "found %u numbers, expected %llu: %u for each of the %u particles", list.count,
                         (unsigned long long)expected, each, particles);
}

/* Reads particle numbers, in groups whose members all differ. */
static uint32_t *read_index(sn_build *build, const double *number, uint32_t count, uint32_t group, uint32_t particles)
{
    uint32_t *index = sn_build_take(build, count, sizeof *index);
    for (uint32_t i = 0; index && i < count; ++i) {
        bool whole = number[i] >= 0 && number[i] < particles && number[i] == floor(number[i]), again = false;
        for (uint32_t k = i - i % group; whole && k < i; ++k)
            again = again || number[k] == number[i];
        if (!whole || again) {
            size_t length = sn_reader_enter_item(build->reader, i);
            if (again)
                sn_reader_fail(build->reader, "found %g for a second time, expected different particles", number[i]);
            else
                sn_reader_fail(build->reader, "found %g, expected a particle of the object, 0 to %u", number[i],
                               particles - 1);
            sn_reader_leave(build->reader, length);
            return NULL;
        }
        index[i] = (uint32_t)number[i];
    }
    return index;
}

/* The same under a key. */
static uint32_t *read_index_key(sn_build *build, const char *key, sn_numbers list, uint32_t group, uint32_t particles)
{
    if (list.count % group != 0) {
        sn_build_fail(build, key, "found %u numbers, expected a multiple of %u", list.count, group);
        return NULL;
    }
    size_t length = sn_reader_enter_key(build->reader, key);
    uint32_t *index = read_index(build, list.data, list.count, group, particles);
    sn_reader_leave(build->reader, length);
    return index;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static sn_vec3 vector_at(sn_numbers list, uint32_t i)
{
    const double *x = list.data + (size_t)3 * i;
    return (sn_vec3){(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]};
}

static bool check_masses(sn_build *build, sn_numbers masses, uint32_t particles)
{
    if (!check_count(build, "masses", masses, 1, particles))
        return false;
    if (masses.count && !isnan(build->def->mass))
        return sn_build_fail(build, "masses", "both 'masses' and 'mass' are given, expected one of them");
    return true;
}

/* The mass of each. Immovable particles do not share the mass of the object. */
static sn_real *weigh(sn_build *build, const sn_particles_def *def, uint32_t particles)
{
    uint32_t *fixed = read_index_key(build, "fixed", def->fixed, 1, particles);
    sn_real *mass = fixed ? sn_build_take(build, particles, sizeof *mass) : NULL;
    if (!mass)
        return NULL;
    for (uint32_t i = 0; i < def->fixed.count; ++i)
        mass[fixed[i]] = SN_IMMOVABLE;
    uint32_t movable = 0;
    for (uint32_t i = 0; i < particles; ++i)
        movable += mass[i] == 0;
    sn_real share = isnan(build->def->mass) || movable == 0 ? 1 : build->def->mass / (sn_real)movable;
    for (uint32_t i = 0; i < particles; ++i)
        if (mass[i] == 0)
            mass[i] = def->masses.count ? (sn_real)def->masses.data[i] : share;
    return mass;
}

/* A sum that keeps the sign of a zero, so that a saved scene is loaded bit for bit. */
static sn_real added(sn_real whole, sn_real own)
{
    return whole == 0 ? own : whole + own;
}

/* Adds these velocities to the object's own. */
static bool set_velocities(sn_build *build, sn_numbers velocities)
{
    sn_world *world = sn_scene_world(build->scene);
    sn_particles run = build->object->run;
    sn_vec3 *v = sn_build_take(build, run.count, sizeof *v);
    if (!v)
        return false;
    bool good = sn_particles_read_velocities(world, run, &v->x, sizeof *v) == SN_OK;
    for (uint32_t i = 0; i < run.count; ++i) {
        sn_vec3 own = sn_build_turn_vector(build, vector_at(velocities, i));
        v[i] = (sn_vec3){added(v[i].x, own.x), added(v[i].y, own.y), added(v[i].z, own.z)};
    }
    good = good && sn_particles_write_velocities(world, run, &v->x, sizeof *v) == SN_OK;
    return good || sn_build_fail(build, "velocities", "%s", sn_world_error(world));
}

static bool set_spins(sn_build *build, sn_numbers spins)
{
    sn_world *world = sn_scene_world(build->scene);
    for (uint32_t i = 0; i < spins.count / 3; ++i) {
        sn_vec3 w = sn_build_turn_vector(build, vector_at(spins, i));
        if (sn_particle_set_spin(world, sn_particles_at(build->object->run, i), w) != SN_OK)
            return sn_build_fail(build, "spins", "%s", sn_world_error(world));
    }
    return true;
}

static bool set_radii(sn_build *build, sn_numbers radii)
{
    sn_world *world = sn_scene_world(build->scene);
    for (uint32_t i = 0; i < radii.count; ++i)
        if (sn_particle_set_radius(world, sn_particles_at(build->object->run, i), (sn_real)radii.data[i]) != SN_OK)
            return sn_build_fail(build, "radii", "%s", sn_world_error(world));
    return true;
}

static bool add_particles(sn_build *build, const sn_particles_def *def, uint32_t particles)
{
    sn_real *mass = weigh(build, def, particles);
    sn_vec3 *place = mass ? sn_build_take(build, particles, sizeof *place) : NULL;
    if (!place)
        return false;
    for (uint32_t i = 0; i < particles; ++i)
        place[i] = vector_at(def->positions, i);
    return sn_build_particles(build, particles, place, mass, 0) &&
           (def->velocities.count == 0 || set_velocities(build, def->velocities)) && set_radii(build, def->radii) &&
           set_spins(build, def->spins);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Reads a part. marked has a byte for each particle, 0 between calls. */
static bool read_part(sn_build *build, const sn_value *part, uint32_t particles, unsigned char *marked)
{
    uint32_t count;
    const double *number = sn_value_numbers(part, &count);
    if (!number)
        return sn_reader_expected(build->reader, part, "a list of particles of the object");
    if (strcmp(part->key, "all") == 0)
        return sn_reader_fail(build->reader, "'all' is the name of all particles already");
    uint32_t *index = read_index(build, number, count, 1, particles);
    bool good = index != NULL;
    uint32_t done = 0;
    for (; good && done < count; ++done) {
        good = !marked[index[done]];
        if (!good)
            sn_reader_fail(build->reader, "particle %u is named twice", index[done]);
        else
            marked[index[done]] = 1;
    }
    for (uint32_t i = 0; good && i < count; ++i)
        marked[index[i]] = 0;
    return good && sn_build_part(build, part->key, count, index);
}

static bool read_parts(sn_build *build, const sn_value *parts, uint32_t particles)
{
    if (parts->type != SN_VALUE_RECORD)
        return sn_reader_expected(build->reader, parts, "a record of names and lists of particles");
    unsigned char *marked = sn_build_take(build, particles, 1);
    bool good = marked != NULL;
    for (const sn_value *part = parts->first; good && part; part = part->next) {
        size_t length = sn_reader_enter_key(build->reader, part->key);
        good = read_part(build, part, particles, marked);
        sn_reader_leave(build->reader, length);
    }
    return good;
}

static bool name_parts(sn_build *build, const sn_value *parts, uint32_t particles)
{
    size_t length = sn_reader_enter_key(build->reader, "parts");
    bool good = !parts || read_parts(build, parts, particles);
    sn_reader_leave(build->reader, length);
    return good;
}

static bool set_rest(sn_build *build, sn_numbers rest, uint32_t particles)
{
    sn_vec3 *x = rest.count ? sn_build_take(build, particles, sizeof *x) : NULL;
    if (!x)
        return rest.count == 0;
    for (uint32_t i = 0; i < particles; ++i)
        x[i] = vector_at(rest, i);
    return sn_build_rest(build, x);
}

/* ---- The object -------------------------------------------------------------------------------------------------- */

static bool draw(sn_build *build, const sn_particles_def *def, uint32_t particles)
{
    uint32_t *triangle = read_index_key(build, "triangles", def->triangles, 3, particles);
    uint32_t *line = triangle ? read_index_key(build, "lines", def->lines, 2, particles) : NULL;
    return line && sn_build_triangles(build, def->triangles.count / 3, triangle) &&
           sn_build_lines(build, def->lines.count / 2, line);
}

static bool build_particles(sn_build *build, const void *own)
{
    const sn_particles_def *def = own;
    uint32_t particles = def->positions.count / 3;
    if (!def->positions.data && !def->bodies)
        return sn_build_fail(build, NULL, "the key 'positions' is missing, or 'bodies': what it consists of");
    if ((particles == 0 && !def->bodies) || def->positions.count % 3 != 0)
        return sn_build_fail(build, "positions", "found %u numbers, expected three for each particle: x, y, z",
                             def->positions.count);
    if (particles == 0)
        return sn_build_bodies(build, def->bodies) && name_parts(build, def->parts, sn_object_items(build->object));
    return sn_build_begin(build, particles, 0) && check_count(build, "velocities", def->velocities, 3, particles) &&
           check_count(build, "spins", def->spins, 3, particles) && check_masses(build, def->masses, particles) &&
           check_count(build, "radii", def->radii, 1, particles) &&
           check_count(build, "rest", def->rest, 3, particles) && add_particles(build, def, particles) &&
           set_rest(build, def->rest, particles) && draw(build, def, particles) &&
           (!def->bodies || sn_build_bodies(build, def->bodies)) &&
           name_parts(build, def->parts, sn_object_items(build->object));
}

sn_particles_def sn_default_particles_def(void)
{
    return (sn_particles_def){.parts = NULL};
}

static void particles_defaults(void *record)
{
    *(sn_particles_def *)record = sn_default_particles_def();
}

#define KEY(key)   offsetof(sn_particles_def, key)
#define MOST_INDEX 4294967295.0

static const sn_key particles_keys[] = {
    {"positions", SN_KEY_REALS, KEY(positions), .unit = "m",
     .about = "x, y, z of each particle in the frame, one after the other; must be given unless it has bodies"},
    {"velocities", SN_KEY_REALS, KEY(velocities), .unit = "m/s",
     .about = "the velocity x, y, z of each particle in the frame, on top of the object's velocity and spin"},
    {"spins", SN_KEY_REALS, KEY(spins), .unit = "rad/s",
     .about = "the spin x, y, z of each particle in the frame, if their group rolls"},
    {"masses", SN_KEY_REALS, KEY(masses), .unit = "kg", .least = 1e-30, .most = 1e30,
     .about = "the mass of each particle; if not given, equal shares of the object's mass, and without that 1 kg each"},
    {"fixed", SN_KEY_REALS, KEY(fixed), .most = MOST_INDEX,
     .about = "particles that are immovable, by their numbers from 0 on"},
    {"radii", SN_KEY_REALS, KEY(radii), .unit = "m", .most = INFINITY,
     .about = "the radius of each particle, not scaled; if not given, the object's radius"},
    {"triangles", SN_KEY_REALS, KEY(triangles), .most = MOST_INDEX,
     .about = "the surface: three particles for each triangle, counter-clockwise seen from outside"},
    {"lines", SN_KEY_REALS, KEY(lines), .most = MOST_INDEX, .about = "what is drawn as lines: two particles for each"},
    {"rest", SN_KEY_REALS, KEY(rest), .unit = "m",
     .about = "where they were when the rest shape of their group was taken, x, y, z of each in the world, if that is "
              "not where they are: for saved scenes"},
    {"bodies", SN_KEY_VALUE, KEY(bodies), .of = "object_bodies",
     .about = "rigid bodies in the frame, behind the particles"},
    {"parts", SN_KEY_VALUE, KEY(parts), .of = "parts",
     .about = "names of parts, each with a list of its particles, and of its bodies, which count on behind them"},
    {.name = NULL}};

static const sn_record particles_record = {"particles", "Particles given one by one.", sizeof(sn_particles_def),
                                           particles_keys, particles_defaults};

const sn_object_type sn_object_particles = {
    .name = "particles",
    .about = "Particles, or bodies, given one by one",
    .parts = "parts: those in 'parts'; no constraints",
    .dimension = 0,
    .record = &particles_record,
    .build = build_particles,
};
