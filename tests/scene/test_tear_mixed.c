/* Worlds of everything that comes apart, made at random, torn and cut at random: ropes, nets, cloth, balloons, lattices, tetrahedra, shape matching, joints and what ties them, with
   contact, self-collision, sleep and a function that refuses some. After every cut and every step:

   - mass, momentum and, where nothing is held, angular momentum are kept, and no energy is gained;
   - meshes are valid, and what did not intersect does not;
   - what is told accounts for every particle and every constraint that came or went;
   - the changes of topology make the list of triangles that was into the one that is;
   - worlds on threads, without vectors, saved and loaded, and running out of memory have the same bits.

   SINEW_SEED=n SINEW_LONG_TESTS=1 takes others, and SINEW_ONE=1 only that. SINEW_TELL=1 prints them. */
#include "scene_fixture.h"

#include <stdarg.h>

#define FRAMES 16u

typedef struct text {
    char at[8192];
    size_t length;
} text;

static void put(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, list);
    va_end(list);
    assert_true(t->length < sizeof t->at);
}

static uint32_t below(uint64_t *random, uint32_t limit)
{
    return support_random_below(random, limit);
}

static double within(uint64_t *random, double least, double most)
{
    return support_random_in(random, least, most);
}

static double power_of_ten(uint64_t *random, double least, double most)
{
    return pow(10, within(random, least, most));
}

/* ---- A world ------------------------------------------------------------------------------------------------------ */

typedef struct plan {
    text text;
    uint32_t objects;
    bool held;     /* something is held, or stands on something that is */
    bool surfaces; /* skins collide with themselves and each other */
    double faster; /* 1/s */
} plan;

enum { CLOTH, ROPE, NET, BLOCK, LATTICE, JELLY, BALLOON, CHAIN, BOX, OBJECTS };

static const char *const type_name[OBJECTS] = {"cloth", "rope",    "net",   "block", "lattice",
                                               "jelly", "balloon", "chain", "box"};
static const char *const part_name[OBJECTS] = {"left", "start", "left", "left", "left", "left", "top", "start", "top"};

static void put_strength(text *t, uint64_t *random, bool strain_only)
{
    const uint32_t which = strain_only ? 0 : below(random, 3);
    if (which != 1)
        put(t, ", 'tear_strain': %g", power_of_ten(random, -2.3, -0.3));
    if (which != 0)
        put(t, ", 'tear_force': %g", power_of_ten(random, -0.5, 2.5));
    put(t, ", 'tear_spread': %g, 'tear_seed': %u", within(random, 0, 0.9), below(random, 1000));
    if (below(random, 3) == 0)
        put(t, ", 'tear_fatigue': %g", within(random, 0, 1));
}

static void put_size(text *t, uint64_t *random, uint32_t dimensions, uint32_t most)
{
    static const char *const size[3] = {"columns", "rows", "layers"};
    static const char *const edge[3] = {"width", "height", "depth"};
    for (uint32_t i = 0; i < dimensions; ++i)
        put(t, ", '%s': %u, '%s': %g", size[i], 2 + below(random, most - 1), edge[i], within(random, 0.3, 1));
}

static void put_object(plan *p, uint64_t *random, uint32_t type)
{
    text *t = &p->text;
    put(t, "%s{'type': '%s', 'name': 'o%u', 'position': [%g, %g, %g]", p->objects ? ", " : "", type_name[type],
        p->objects, 1.3 * p->objects + within(random, 0, 0.1), within(random, 0.7, 1), within(random, 0, 0.3));
    if (type == CLOTH)
        put_size(t, random, 2, 12);
    else if (type == NET)
        put_size(t, random, 2, 7), put(t, ", 'cord_segments': %u", 1 + below(random, 3));
    else if (type == BLOCK || type == LATTICE || type == JELLY)
        put_size(t, random, 3, 5);
    else if (type == ROPE)
        put(t, ", 'segments': %u, 'to': [0.9, 0.2, 0.1], 'rods': %s", 2 + below(random, 20),
            below(random, 2) ? "true" : "false");
    else if (type == CHAIN)
        put(t, ", 'links': %u", 2 + below(random, 10));
    else if (type == BALLOON)
        put(t, ", 'subdivisions': %u, 'diameter': 0.8, 'pressure': %g", 1 + below(random, 2), within(random, 0.9, 1.5));
    else
        put(t, ", 'width': 0.2, 'height': 0.2, 'depth': 0.2");
    if (type == LATTICE)
        put(t, ", 'body_diagonals': %s", below(random, 2) ? "true" : "false");
    if (type == JELLY)
        put(t, ", 'firmness': %g", power_of_ten(random, -2, 0));
    put(t, ", 'mass': %g, 'radius': %g", power_of_ten(random, -2, 1),
        below(random, 2) ? within(random, 0.001, 0.02) : 0);
    if (type == CLOTH || type == BALLOON || ((type == BLOCK || type == LATTICE) && p->surfaces))
        put(t, ", 'skin': {'thickness': %g, 'self_collision': %s}", within(random, 0.001, 0.006),
            p->surfaces ? "true" : "false");
    else if ((type == BLOCK || type == LATTICE || type == JELLY) && !p->surfaces && below(random, 2))
        put(t, ", 'skin': {'thickness': %g}", within(random, 0.001, 0.006));
    if (type != BOX) {
        const bool stiff = below(random, 4) == 0;
        put(t, ", 'material': {'stretch': %g", stiff ? 0 : power_of_ten(random, -6, -3));
        if (below(random, 2) && (type == CLOTH || type == ROPE || type == BALLOON))
            put(t, ", 'bend': %g", power_of_ten(random, -3, 1));
        put_strength(t, random, type == JELLY);
        put(t, "}");
    }
    if (p->held && below(random, 2))
        put(t, ", 'pins': '%s'", part_name[type]);
    put(t, "}");
    p->objects++;
}

static void make_plan(plan *p, uint64_t *random)
{
    text *t = &p->text;
    uint32_t type[4];
    *p = (plan){.held = below(random, 2), .surfaces = below(random, 3) == 0, .faster = power_of_ten(random, -1, 2)};
    const bool floor = p->held && below(random, 2);
    put(t, "{'world': {'substeps': %u, 'iterations': %u, 'gravity': [0, %g, 0]%s}", 2 + below(random, 10),
        1 + below(random, 2), p->held ? -9.81 : 0, below(random, 4) ? "" : ", 'stiffening': 'off'");
    put(t, ", 'contact': {'sleep': %s, 'sleep_speed': 5, 'sleep_time': 0.05}", below(random, 2) ? "true" : "false");
    put(t, ", 'objects': [");
    const uint32_t count = 1 + below(random, 4);
    for (uint32_t i = 0; i < count; ++i) {
        static const uint32_t of_surfaces[] = {CLOTH, CLOTH, BALLOON, ROPE, NET, CHAIN, BOX, BLOCK, LATTICE};
        type[i] = p->surfaces ? of_surfaces[below(random, COUNT_OF(of_surfaces))] : below(random, OBJECTS);
        put_object(p, random, type[i]);
    }
    put(t, "], 'attachments': [");
    const char *comma = "";
    for (uint32_t i = 0; i + 1 < count; ++i)
        if (below(random, 2) && !p->surfaces) { /* what ties two surfaces lets them pass through each other there */
            put(t, "%s{'between': ['o%u.%s[0]', 'o%u.%s[0]']", comma, i, part_name[type[i]], i + 1,
                part_name[type[i + 1]]);
            if (below(random, 2))
                put(t, ", 'tear_force': %g", power_of_ten(random, 0, 2));
            put(t, "}");
            comma = ", ";
        }
    put(t,
        "], 'bodies': [{'shapes': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'name': 'a', 'mass': 2, 'position': "
        "[-1, 1, 0], 'velocity': [-2, 0.3, 1]}, {'shapes': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'name': 'b', "
        "'mass': 1, 'position': [-0.7, 1, 0], 'spin': [-3, 1, 2]}%s], 'constraints': [{'kind': '%s', 'bodies': "
        "['a', 'b'], 'anchor': [-0.85, 1, 0], 'strength': %g}]}",
        floor ? ", {'name': 'floor', 'type': 'static', 'shapes': {'type': 'plane'}}" : "",
        below(random, 2) ? "joint_ball" : "joint_fixed", power_of_ten(random, 0, 3));
}

static void fling(sn_scene *scene, const plan *p, uint64_t *random)
{
    sn_world *world = sn_scene_world(scene);
    const sn_object *object;
    for (uint32_t n = 0; (object = sn_scene_object(scene, n)) != NULL; ++n)
        for (uint32_t i = 0; i < object->run.count; ++i) {
            const sn_particle at = sn_particles_at(object->run, i);
            const sn_vec3 x = sn_particle_position(world, at);
            const double off = p->faster * 0.1, from = 1.3 * n;
            assert_ok(world, sn_particle_set_velocity(
                                 world, at,
                                 vec(p->faster * ((double)x.x - from) - 3 * (double)x.y + within(random, -off, off),
                                     p->faster * ((double)x.y - 1) + 3 * (double)x.x + within(random, -off, off),
                                     p->faster * (double)x.z + within(random, -off, off))));
        }
}

/* A plane, a triangle or a segment, now and then one that goes on where the last one ended, or goes exactly through a particle. */
static sn_cut_def any_cut(const sn_world *world, uint64_t *random, sn_vec3 end[2])
{
    sn_cut_def def = sn_default_cut_def();
    sn_vec3 place[4];
    for (uint32_t i = 0; i < 4; ++i) {
        place[i] = vec(within(random, -1.2, 4), within(random, -0.5, 2), within(random, -1, 1));
        const sn_particle p = sn_particle_from_index(world, below(random, sn_world_particle_count(world) + 1));
        if (below(random, 4) == 0 && sn_particle_is_valid(world, p))
            place[i] = sn_particle_position(world, p);
    }
    def.blade = (sn_blade)below(random, 3);
    def.a = place[0], def.b = place[1], def.to_a = place[2], def.to_b = place[3];
    if (below(random, 3) == 0)
        def.b = vec((double)def.a.x, (double)def.a.y, (double)def.a.z + 2), def.a.z -= 2;
    if (def.blade == SN_BLADE_SEGMENT && below(random, 2))
        def.a = end[0], def.b = end[1];
    def.edges_only = below(random, 3) == 0;
    end[0] = def.to_a, end[1] = def.to_b;
    return def;
}

/* ---- What is kept -------------------------------------------------------------------------------------------------- */

typedef struct sums {
    double mass, momentum[3], turning[3], kinetic, elastic;
} sums;

static sums sum(sn_world *world)
{
    sn_report r;
    assert_ok(world, sn_world_report(world, &r));
    sums s = {.mass = r.mass, .kinetic = r.kinetic, .elastic = r.elastic};
    memcpy(s.momentum, r.momentum, sizeof s.momentum);
    memcpy(s.turning, r.angular_momentum, sizeof s.turning);
    return s;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void check_sums(uint32_t seed, uint32_t frame, const char *what, const sums *whole, const sums *torn,
                       double released, bool held)
{
    const double scale = sqrt(2 * whole->kinetic * whole->mass) + 1e-9 * whole->mass;
    const double energy = whole->kinetic + whole->elastic + 1e-12;
    double off[3], turned[3];
    for (int k = 0; k < 3; ++k) {
        off[k] = torn->momentum[k] - whole->momentum[k];
        turned[k] = torn->turning[k] - whole->turning[k];
    }
    if (!(fabs(torn->mass - whole->mass) <= (held ? 1 : 1e-9) * whole->mass) ||
        (!held && !(length(off) <= 1e-6 * scale)) || (!held && !(length(turned) <= 1e-5 * scale)) ||
        !(torn->kinetic + torn->elastic + released <= whole->kinetic + whole->elastic + 1e-5 * energy))
        fail_msg("seed %u, frame %u, %s: mass off by %g, momentum by %g, angular momentum by %g, of 1; kinetic energy "
                 "%.9g of %.9g J; elastic %.9g and %.9g released of %.9g J",
                 seed, frame, what, torn->mass / whole->mass - 1, length(off) / scale, length(turned) / scale,
                 torn->kinetic, whole->kinetic, torn->elastic, released, whole->elastic);
}

/* ---- What is told -------------------------------------------------------------------------------------------------- */

typedef struct listing {
    sn_constraint *constraint;
    uint32_t constraints, particles;
    sn_skin skin[8];
    uint32_t *corner[8], triangles[8], skins;
    bool solid[8], whole[8]; /* tetrahedra or cells; and no triangle of it goes */
    uint64_t topology;
} listing;

static listing list(const sn_scene *scene, const sn_world *world)
{
    listing l = {.constraint = malloc((sn_world_constraint_count(world, SN_KIND_NONE) + 1) * sizeof(sn_constraint))};
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk))
        l.constraint[l.constraints++] = walk.constraint;
    l.particles = sn_world_particle_count(world);
    l.topology = sn_world_topology(world);
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(scene, i)) != NULL; ++i) {
        const sn_skin skin = object->skin;
        if (!sn_skin_is_valid(world, skin))
            continue;
        const uint32_t *corner = sn_skin_triangles(world, skin, &l.triangles[l.skins]);
        l.skin[l.skins] = skin;
        l.solid[l.skins] = strcmp(object->type, "block") == 0 || strcmp(object->type, "lattice") == 0;
        l.whole[l.skins] = !l.solid[l.skins] && strcmp(object->type, "jelly") != 0;
        l.corner[l.skins] = malloc((3 * (size_t)l.triangles[l.skins] + 3) * sizeof(uint32_t));
        if (l.triangles[l.skins])
            memcpy(l.corner[l.skins], corner, 3 * (size_t)l.triangles[l.skins] * sizeof(uint32_t));
        l.skins++;
    }
    return l;
}

static void forget(listing *l)
{
    free(l->constraint);
    for (uint32_t i = 0; i < l->skins; ++i)
        free(l->corner[i]);
}

static bool same(sn_constraint a, sn_constraint b)
{
    return a.kind == b.kind && a.index == b.index && a.generation == b.generation;
}

/* Every particle and constraint that is there now and was not, or the other way round, is told, and what is told is so. Returns what was released. */
static double check_told(const sn_scene *scene, const sn_world *world, const listing *before, uint32_t seed,
                         uint32_t frame)
{
    uint32_t tears, copies, made = 0, gone = 0;
    const sn_tear *tear = sn_world_tears(world, &tears);
    const sn_tear_copy *copy = sn_world_tear_copies(world, &copies);
    double released = 0;
    for (uint32_t i = 0; i < tears; ++i) {
        assert_true(tear[i].released >= 0 && isfinite((double)tear[i].released));
        released += (double)tear[i].released;
        if (tear[i].type == SN_TEAR_SPLIT || tear[i].type == SN_TEAR_INSERT) {
            const sn_particle p = tear[i].particle, m = tear[i].made;
            assert_true(sn_particle_is_valid(world, p) && sn_particle_is_valid(world, m));
            assert_true(sn_skin_is_valid(world, tear[i].skin));
            assert_int_equal(sn_particle_group(world, p), sn_particle_group(world, m));
            assert_true(tear[i].type == SN_TEAR_INSERT || sn_particle_radius(world, p) == sn_particle_radius(world, m));
            ++made;
        } else if (tear[i].type == SN_TEAR_BREAK) {
            assert_false(sn_constraint_is_valid(world, tear[i].constraint));
        } else {
            assert_true(sn_particle_is_valid(world, tear[i].particle));
        }
    }
    if (sn_world_particle_count(world) != before->particles + made)
        fail_msg("seed %u, frame %u: %u particles, and were %u; %u were told", seed, frame,
                 sn_world_particle_count(world), before->particles, made);
    for (uint32_t i = 0; i < before->constraints; ++i) {
        bool told = sn_constraint_is_valid(world, before->constraint[i]);
        gone += !told;
        told = told || tears > 0; /* what would span a tear goes with that */
        for (uint32_t k = 0; k < tears && !told; ++k)
            told = tear[k].type == SN_TEAR_BREAK && same(tear[k].constraint, before->constraint[i]);
        if (!told)
            fail_msg("seed %u, frame %u: a %s went and was not told", seed, frame,
                     sn_kind_info(world, before->constraint[i].kind)->name);
    }
    listing now = list(scene, world);
    uint32_t come = 0, next = 0;
    for (uint32_t i = 0; i < now.constraints; ++i) {
        bool told = false;
        for (uint32_t at = next; at < before->constraints && !told; ++at) { /* their order stays */
            told = same(now.constraint[i], before->constraint[at]);
            next = told ? at + 1 : next;
        }
        come += !told;
        for (uint32_t k = 0; k < copies && !told; ++k)
            told = same(copy[k].made, now.constraint[i]) && copy[k].parent.kind == copy[k].made.kind;
        for (uint32_t k = 0; k < tears && !told; ++k)
            told = tear[k].type == SN_TEAR_LEAVE && same(tear[k].formed, now.constraint[i]);
        if (!told)
            fail_msg("seed %u, frame %u: a %s came and was not told", seed, frame,
                     sn_kind_info(world, now.constraint[i].kind)->name);
    }
    assert_int_equal(now.constraints, before->constraints + come - gone);
    forget(&now);
    return released;
}

static void check_topology(const sn_scene *scene, const sn_world *world, listing *before, uint32_t seed, uint32_t frame)
{
    const sn_topology_change *change;
    uint32_t count;
    listing now = list(scene, world);
    if (sn_world_topology_since(world, before->topology, &change, &count)) {
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t at = 0;
            while (at < before->skins && memcmp(&before->skin[at], &change[i].skin, sizeof(sn_skin)) != 0)
                ++at;
            assert_true(at < before->skins);
            assert_true(change[i].triangle <= before->triangles[at]);
            if (change[i].triangle == before->triangles[at])
                before->corner[at] =
                    realloc(before->corner[at], 3 * (size_t)(++before->triangles[at] + 1) * sizeof(uint32_t));
            memcpy(before->corner[at] + 3 * (size_t)change[i].triangle, change[i].corner, sizeof change[i].corner);
        }
        assert_int_equal(now.skins, before->skins);
        for (uint32_t i = 0; i < now.skins; ++i)
            if (now.triangles[i] != before->triangles[i] ||
                memcmp(now.corner[i], before->corner[i], 3 * (size_t)now.triangles[i] * sizeof(uint32_t)) != 0)
                fail_msg("seed %u, frame %u: the changes of topology do not make what is there", seed, frame);
    }
    forget(&now);
}

/* ---- Pieces ---------------------------------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *of, uint32_t i)
{
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

/* The free particles that triangles join: their energy, and that of the rigid motion with the same momentum and angular
   momentum. No motion with these has less. */
typedef struct piece {
    double mass, first[3], momentum[3], turning[3], inertia[3][3], kinetic;
} piece;

static void add_to_piece(piece *p, const sn_world *world, sn_particle at)
{
    const sn_vec3 place = sn_particle_position(world, at), speed = sn_particle_velocity(world, at);
    const double m = (double)sn_particle_mass(world, at), x[3] = {(double)place.x, (double)place.y, (double)place.z},
                 v[3] = {(double)speed.x, (double)speed.y, (double)speed.z};
    p->mass += m;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        p->first[i] += m * x[i];
        p->momentum[i] += m * v[i];
        p->turning[i] += m * (x[j] * v[k] - x[k] * v[j]);
        p->kinetic += m * v[i] * v[i] / 2;
        p->inertia[i][i] += m * (x[j] * x[j] + x[k] * x[k]);
        p->inertia[i][j] -= m * x[i] * x[j];
        p->inertia[j][i] -= m * x[i] * x[j];
    }
}

static double rigid_energy(const piece *p)
{
    double l[3], a[3][3], c[3], energy = 0, trace = 0;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = p->first[i] / p->mass;
        energy += p->momentum[i] * p->momentum[i] / (2 * p->mass);
        l[i] = p->turning[i] - (p->first[j] * p->momentum[k] - p->first[k] * p->momentum[j]) / p->mass;
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            a[i][k] = p->inertia[i][k] + p->mass * c[i] * c[k];
    for (int i = 0; i < 3; ++i)
        a[i][i] -= p->mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), trace += a[i][i];
    for (int i = 0; i < 3; ++i)
        a[i][i] += 1e-10 * trace; /* a piece on a line has no moment about that */
    double cofactor[3][3], determinant = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            cofactor[i][k] = a[(i + 1) % 3][(k + 1) % 3] * a[(i + 2) % 3][(k + 2) % 3] -
                             a[(i + 1) % 3][(k + 2) % 3] * a[(i + 2) % 3][(k + 1) % 3];
    for (int k = 0; k < 3; ++k)
        determinant += a[0][k] * cofactor[0][k];
    for (int i = 0; i < 3 && determinant > 0; ++i)
        for (int k = 0; k < 3; ++k)
            energy += l[i] * cofactor[i][k] * l[k] / (2 * determinant);
    return energy;
}

enum { NUMBERS = 4096 };

/* By number of a particle of the piece. Parts of a cut count to the piece that was there before the cut. */
typedef struct pieces {
    uint32_t of[NUMBERS];
    bool was[NUMBERS]; /* the particle was there before the cut */
    piece whole[NUMBERS], cut[NUMBERS];
} pieces;

static void sum_pieces(pieces *all, const sn_world *world, piece *sum)
{
    for (uint32_t i = 0; i < NUMBERS; ++i) {
        const sn_particle at = sn_particle_from_index(world, i);
        if (sn_particle_is_valid(world, at) && isfinite((double)sn_particle_mass(world, at)))
            add_to_piece(&sum[root_of(all->of, i)], world, at);
    }
}

static pieces *find_pieces(const sn_world *world, const listing *meshes)
{
    pieces *all = calloc(1, sizeof *all);
    for (uint32_t i = 0; i < NUMBERS; ++i)
        all->of[i] = i, all->was[i] = sn_particle_is_valid(world, sn_particle_from_index(world, i));
    for (uint32_t s = 0; s < meshes->skins; ++s)
        for (uint32_t i = 0; i < 3 * meshes->triangles[s]; ++i)
            all->of[root_of(all->of, meshes->corner[s][i])] = root_of(all->of, meshes->corner[s][i / 3 * 3]);
    sum_pieces(all, world, all->whole);
    return all;
}

/* J: what pieces gained that have the motion of a rigid body now. Mass was inserted nearer to their middles, so that they
   rotate faster; momenta before the cut count where nothing is held. */
static double gain_of_rigid(pieces *all, const sn_world *world, bool held)
{
    double gain = 0;
    uint32_t tears;
    const sn_tear *tear = sn_world_tears(world, &tears);
    for (uint32_t i = 0; i < tears; ++i) {
        assert_true(tear[i].made.index < NUMBERS);
        if ((tear[i].type == SN_TEAR_SPLIT || tear[i].type == SN_TEAR_INSERT) && !all->was[tear[i].made.index])
            all->of[tear[i].made.index] = root_of(all->of, tear[i].particle.index);
    }
    sum_pieces(all, world, all->cut);
    for (uint32_t i = 0; i < NUMBERS; ++i) {
        piece *cut = &all->cut[i], *whole = &all->whole[i];
        if (!(cut->mass > 0))
            continue;
        if (!held) {
            memcpy(cut->momentum, whole->momentum, sizeof cut->momentum);
            memcpy(cut->turning, whole->turning, sizeof cut->turning);
        }
        gain += fmax(0, fmin(cut->kinetic, rigid_energy(cut)) - whole->kinetic);
    }
    return gain;
}

/* ---- Valid meshes ------------------------------------------------------------------------------------------------------ */

typedef struct side {
    uint32_t low, high, corner; /* of a triangle, the first of the two in its order */
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->high > y->high) - (x->high < y->high);
}

static uint32_t next_of(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

/* Corners live and differ. An edge has at most two triangles, which run along it in opposite ways, and the triangles at a vertex hang together by edges. Of solids as many triangles pass an edge one way as
   the other: they may hang together by edges. A soft body of shape matching loses triangles. */
static void check_mesh(const sn_world *world, const uint32_t *corner, uint32_t triangles, bool solid, bool whole,
                       uint32_t seed, uint32_t frame)
{
    side *sides = malloc((3 * (size_t)triangles + 1) * sizeof *sides);
    uint32_t *of = malloc((3 * (size_t)triangles + 1) * sizeof *of), most = 0;
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
        const uint32_t a = corner[i], b = corner[next_of(i)];
        assert_true(a != b && sn_particle_is_valid(world, sn_particle_from_index(world, a)));
        sides[i] = (side){a < b ? a : b, a < b ? b : a, i};
        of[i] = i;
        most = a > most ? a : most;
    }
    qsort(sides, 3 * (size_t)triangles, sizeof *sides, compare_sides);
    for (uint32_t i = 1; i < 3 * triangles; ++i) {
        const uint32_t c = sides[i - 1].corner, d = sides[i].corner;
        if (compare_sides(&sides[i - 1], &sides[i]) != 0)
            continue;
        if (!solid && ((i + 1 < 3 * triangles && compare_sides(&sides[i], &sides[i + 1]) == 0) ||
                       corner[c] != corner[next_of(d)]))
            fail_msg("seed %u, frame %u: an edge has more than two triangles, or they run along it the same way", seed,
                     frame);
        of[root_of(of, c)] = root_of(of, next_of(d));
        of[root_of(of, next_of(c))] = root_of(of, d);
    }
    int32_t way = 0;
    for (uint32_t i = 0; solid && i < 3 * triangles; ++i) {
        way += corner[sides[i].corner] == sides[i].low ? 1 : -1;
        if (i + 1 < 3 * triangles && compare_sides(&sides[i], &sides[i + 1]) == 0)
            continue;
        if (way)
            fail_msg("seed %u, frame %u: a solid is open", seed, frame);
    }
    uint32_t *fan = malloc(((size_t)most + 1) * sizeof *fan);
    memset(fan, 0xff, ((size_t)most + 1) * sizeof *fan);
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
        if (whole && fan[corner[i]] != UINT32_MAX && fan[corner[i]] != root_of(of, i))
            fail_msg("seed %u, frame %u: triangles hang together by vertex %u alone", seed, frame, corner[i]);
        fan[corner[i]] = root_of(of, i);
    }
    free(sides), free(of), free(fan);
}

static void check_meshes(const sn_scene *scene, const sn_world *world, uint32_t seed, uint32_t frame)
{
    listing l = list(scene, world);
    for (uint32_t i = 0; i < l.skins; ++i)
        check_mesh(world, l.corner[i], l.triangles[i], l.solid[i], l.whole[i], seed, frame);
    forget(&l);
}

/* ---- Runs ----------------------------------------------------------------------------------------------------------- */

enum { THREADS, ONE_BY_ONE, LOADED, SCARCE, WORLDS };

static bool refuse_some(void *context, const sn_tear *tear)
{
    (void)context;
    return (tear->particle.index + tear->constraint.index) % 3 != 0;
}

static bool refuse_all(void *context, const sn_tear *tear)
{
    (void)context, (void)tear;
    return false;
}

static sn_world *another(const sn_snapshot *saved, uint32_t threads, sn_simd simd, support_memory *memory)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.threads = threads;
    def.simd = simd;
    if (memory)
        def.allocator = support_allocator(memory);
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    assert_ok(world, sn_world_load(world, saved));
    return world;
}

/* What the same step does if nothing may tear. */
static sums sum_of_whole(const sn_snapshot *before)
{
    sn_world *world = another(before, 1, SN_SIMD_AUTO, NULL);
    assert_ok(world, sn_world_set_tear_function(world, refuse_all, NULL));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    const sums s = sum(world);
    sn_world_destroy(world);
    return s;
}

/* Cuts or steps, and again if a request for memory fails: then nothing has changed. */
static void act(sn_world *world, const sn_cut_def *cut, support_memory *memory, uint64_t *random)
{
    const uint64_t hash = memory ? sn_world_hash(world) : 0;
    if (memory)
        memory->fail_at = memory->requests + 1 + below(random, 12);
    sn_result result = cut ? sn_world_cut(world, cut, NULL) : sn_world_step(world, real(1.0 / 60));
    if (memory) {
        memory->fail_at = 0;
        if (result == SN_ERROR_MEMORY) {
            assert_int_equal(sn_world_hash(world), hash);
            result = cut ? sn_world_cut(world, cut, NULL) : sn_world_step(world, real(1.0 / 60));
        }
    }
    assert_ok(world, result);
}

typedef struct counts {
    uint32_t worlds, cuts, parted, tears;
} counts;

/* A world that is looked at, and its twins. */
typedef struct trial {
    uint32_t seed, frame;
    uint64_t random;
    plan p;
    sn_scene *scene;
    sn_world *first, *world[WORLDS];
    support_memory memory;
    bool apart, refuses;
    sn_vec3 end[2]; /* of the blade before */
    counts *c;
} trial;

static void check_apart(trial *t, const char *what)
{
    if (t->apart && sn_query_intersections(t->first, NULL, 0))
        fail_msg("seed %u, frame %u: a %s made something intersect", t->seed, t->frame, what);
}

static void check_cut(trial *t, const sn_cut_info *info, listing *l, const sums *whole, pieces *all)
{
    sums least = sum(t->first);
    if (info->inserted)
        least.kinetic -= gain_of_rigid(all, t->first, t->p.held);
    check_sums(t->seed, t->frame, "cut", whole, &least, (double)info->released, t->p.held);
    check_apart(t, "cut");
    const bool nothing = !info->inserted && !info->split && !info->removed && !info->left;
    if (nothing) {
        assert_int_equal(l->constraints, sn_world_constraint_count(t->first, SN_KIND_NONE));
        assert_int_equal(l->particles, sn_world_particle_count(t->first));
        assert_true(l->topology == sn_world_topology(t->first) && info->released == 0);
    }
    (void)check_told(t->scene, t->first, l, t->seed, t->frame);
    check_topology(t->scene, t->first, l, t->seed, t->frame);
    t->c->cuts++, t->c->parted += !nothing;
}

/* Cuts all worlds. False: the blade has no area. */
static bool cut_all(trial *t)
{
    const sn_cut_def def = any_cut(t->first, &t->random, t->end);
    sn_cut_info info;
    listing l = list(t->scene, t->first);
    const sums whole = sum(t->first);
    pieces *all = find_pieces(t->first, &l);
    const sn_result result = sn_world_cut(t->first, &def, &info);
    const bool has_area = result != SN_ERROR_ARGUMENT;
    if (has_area) {
        assert_ok(t->first, result);
        check_cut(t, &info, &l, &whole, all);
    } else {
        assert_says(sn_world_error(t->first), "cut no area|extent");
    }
    free(all);
    forget(&l);
    for (uint32_t w = 0; has_area && w < WORLDS; ++w) {
        act(t->world[w], &def, w == SCARCE ? &t->memory : NULL, &t->random);
        assert_int_equal(sn_world_hash(t->world[w]), sn_world_hash(t->first));
    }
    return has_area;
}

/* After a cut, events are of that, too, which was looked at. */
static void step_first(trial *t, bool cuts)
{
    listing l = list(t->scene, t->first);
    sn_snapshot *before = sn_world_save(t->first);
    uint32_t tears;
    assert_ok(t->first, sn_world_step(t->first, real(1.0 / 60)));
    sn_world_tears(t->first, &tears);
    if (!cuts) {
        const double released = check_told(t->scene, t->first, &l, t->seed, t->frame);
        if (tears) {
            const sums whole = sum_of_whole(before), torn = sum(t->first);
            check_sums(t->seed, t->frame, "step", &whole, &torn, released, t->p.held);
        }
        t->c->tears += tears;
    }
    check_topology(t->scene, t->first, &l, t->seed, t->frame);
    forget(&l);
    sn_snapshot_destroy(before);
    check_apart(t, "step");
}

static void step_twins(trial *t)
{
    if (t->frame % 3 == 1) {
        sn_snapshot *now = sn_world_save(t->world[LOADED]);
        sn_world_destroy(t->world[LOADED]);
        t->world[LOADED] = another(now, 1 + t->frame % 4, SN_SIMD_AUTO, NULL);
        if (t->refuses)
            sn_world_set_tear_function(t->world[LOADED], refuse_some, NULL);
        sn_snapshot_destroy(now);
    }
    for (uint32_t w = 0; w < WORLDS; ++w) {
        act(t->world[w], NULL, w == SCARCE ? &t->memory : NULL, &t->random);
        if (sn_world_hash(t->world[w]) != sn_world_hash(t->first))
            fail_msg("seed %u, frame %u: world %u has other bits", t->seed, t->frame, w);
    }
}

static void run(uint32_t seed, counts *c)
{
    trial t = {.seed = seed, .random = seed * UINT64_C(7919) + 5, .c = c};
    make_plan(&t.p, &t.random);
    fixture f = fixture_try(t.p.text.at, NULL);
    if (!f.scene) {
        fixture_print(&f.problems);
        fail_msg("seed %u: %s", seed, t.p.text.at);
    }
    if (getenv("SINEW_TELL"))
        print_message("%u: %s\n", seed, t.p.text.at);
    t.scene = f.scene, t.first = f.world;
    fling(t.scene, &t.p, &t.random);
    sn_snapshot *saved = sn_world_save(t.first);
    t.world[0] = another(saved, 3, SN_SIMD_AUTO, NULL);
    t.world[1] = another(saved, 1, SN_SIMD_SCALAR, NULL);
    t.world[2] = another(saved, 1, SN_SIMD_AUTO, NULL);
    t.world[3] = another(saved, 1, SN_SIMD_AUTO, &t.memory);
    sn_snapshot_destroy(saved);
    t.refuses = below(&t.random, 3) == 0;
    for (uint32_t w = 0; t.refuses && w <= WORLDS; ++w)
        sn_world_set_tear_function(w < WORLDS ? t.world[w] : t.first, refuse_some, NULL);
    check_meshes(t.scene, t.first, seed, UINT32_MAX);
    t.apart = t.p.surfaces && sn_query_intersections(t.first, NULL, 0) == 0;
    c->worlds++;
    for (t.frame = 0; t.frame < FRAMES; ++t.frame) {
        const bool cuts = below(&t.random, 3) == 0;
        if (cuts && !cut_all(&t))
            continue;
        step_first(&t, cuts);
        step_twins(&t);
        check_meshes(t.scene, t.first, seed, t.frame);
    }
    for (uint32_t w = 0; w < WORLDS; ++w)
        sn_world_destroy(t.world[w]);
    assert_memory_clean(&t.memory);
    fixture_close(&f);
}

static void test_whatever_tears_and_is_cut(void **state)
{
    (void)state;
    const char *from = getenv("SINEW_SEED");
    const uint32_t start = from ? (uint32_t)strtoul(from, NULL, 10) : 1,
                   worlds = getenv("SINEW_ONE") ? 1 : support_long(2000, support_rounds(1, 0) ? 12 : 4);
    counts c = {0};
    for (uint32_t seed = start; seed < start + worlds; ++seed)
        run(seed, &c);
    print_message("%u worlds, %u cuts, %u of which parted something, %u tears\n", c.worlds, c.cuts, c.parted, c.tears);
    assert_true(worlds == 1 || (c.tears > worlds && c.parted > worlds / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whatever_tears_and_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
