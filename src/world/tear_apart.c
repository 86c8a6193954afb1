/* Moves the parts of a split vertex apart, on a surface that collides with itself.

   The parts are at the same point, and surfaces must not touch at the start of a substep. So each part is moved a
   little. The centre of mass is conserved, and nothing intersects that did not before. The direction is mostly towards
   the middle of the triangles of each part. In cloth that is crumpled, or pressed between other cloth, that may lead
   through something. This is decided exactly, and other directions and shorter displacements are tried. If none of them
   is free, which is rare, the last is taken, and contact removes the intersection (contact/surface_tangles.c). */
#include "base/hash.h"
#include "world/query_tree.h"
#include "world/tear.h"
#include "world/tear_cells.h"
#include "world/world.h"

#include <string.h>

#define GAP      0.01 /* displacement, as a share of an edge */
#define LESS     0.25 /* factor by which it is reduced if parts would intersect something */
#define KNOWN    10u  /* number of directions that are tried first */
#define ATTEMPTS 32u  /* the same, with random directions */
#define SIZES    8u   /* number of displacements that are tried */
#define MORE     512u /* then as many others are tried: once in some hundred thousand tears one of these is free */
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE                                                                                                      \
         ? 2e-16                                                                                                       \
         : 1e-7)      /* share of the coordinates: displacement of a vertex that rounding made intersect something */
#define WIDE     2    /* the region near a split, in widths of its triangles */
#define SWEEPS   256u /* of the perceptron */
#define CLEAR    0.03 /* sine of an angle to a face that is enough */
#define TURN     0.1  /* share of the normal of a face that is added */
#define OPPOSITE 0.9  /* minus the cosine of the angle between the normals of the two sides of a face, at least */
#define ROUNDS   24u  /* vertices of solids are looked at again so often, */
#define SAME     4u   /* so often with the same displacement before it is reduced, */
#define TRIES    24u  /* and so many directions are tried, */
#define LAST     200u /* or so many where all else failed */
#define LOOKS    4u   /* after this many searches for the region, a tree of all triangles is made */

static sn_dvec3 seen_from(const sn_world *world, uint32_t vertex, uint32_t particle)
{
    const sn_particle_store *p = &world->particles;
    return dvec3_seen(vec4_xyz(p->x[world->ids.value[vertex]]), vec4_xyz(p->x[world->ids.value[particle]]));
}

void sn_split_begin(sn_world *world)
{
    sn_tearing *t = &world->tearing;
    t->gap_tree = NULL;
    t->gap_looks = 0;
    t->gap_moved = 0;
    t->gap_direction = dvec3(0, 0, 0);
}

/* True if a triangle of the fan belongs to a skin that collides with itself. */
static bool collides_with_itself(const sn_world *world, const sn_split *split)
{
    for (uint32_t i = 0; i < split->count; ++i)
        if (contact_skin_of(&world->contact, split->place[i] / 3)->self_collision)
            return true;
    return false;
}

/* Moves a part, and changes its constraints so that they store no more energy than before. */
static void move_part(sn_world *world, uint32_t vertex, sn_dvec3 by, uint32_t *removed, double *released)
{
    sn_particle_store *p = &world->particles;
    sn_tear_node node[SN_TEAR_CONSTRAINTS];
    double energy[SN_TEAR_CONSTRAINTS];
    const uint32_t slot = world->ids.value[vertex];
    const uint32_t count = sn_tear_constraints_at(world, vertex, node, SN_TEAR_CONSTRAINTS);
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i)
        energy[i] = sn_tear_energy(world, node[i].kind, node[i].row);
    /* with the rounding remainder */
    const sn_dvec3 at = dvec3_add(dvec3_from(vec4_xyz(p->x[slot])), dvec3_from(vec4_xyz(p->x_low[slot])));
    sn_tear_set_whole(&p->x[slot], &p->x_low[slot], dvec3_add(at, by));
    if (p->target[slot]) {
        sn_target *target = (sn_target *)world->target_table.column[0] + p->target[slot] - 1;
        target->place = vec3_add(target->place, dvec3_round(by));
    }
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const uint32_t before = *removed;
        sn_tear_ease(world, node[i].kind, node[i].row, energy[i], removed, released);
        if (*removed == before) /* energy that was lost is reported */
            *released += fmax(0, energy[i] - sn_tear_energy(world, node[i].kind, node[i].row));
    }
}

/* A pseudorandom vector in a cube of side two, for a vertex, a try and a part. */
static sn_dvec3 any_direction(uint32_t vertex, uint32_t attempt, uint32_t part)
{
    const uint64_t hash = hash_u64(hash_u64(SN_HASH_SEED, attempt * SN_TEAR_PARTS + part), vertex);
    const uint32_t mask = 0x1fffff;
    const sn_dvec3 direction = {(double)(hash & mask), (double)(hash >> 21 & mask), (double)(hash >> 42 & mask)};
    return dvec3_add(dvec3_scale(direction, 2.0 / mask), dvec3(-1, -1, -1));
}

/* The displacements of the parts, with a mean by mass of zero, for try `attempt`: towards the middles of their
   triangles; also, or only, one above the other along the normal; the same along the direction of the last vertex; one
   part alone; or random, with and without the first. Returns the mean edge length, m; 0 if the parts would not
   separate. */
static double find_directions(const sn_world *world, const sn_split *split, uint32_t attempt,
                              sn_dvec3 direction[SN_TEAR_PARTS])
{
    const sn_particle_store *p = &world->particles;
    const bool movable = p->x[world->ids.value[split->vertex]].w != 0;
    sn_dvec3 mean = {0, 0, 0}, normal = mean;
    double number[SN_TEAR_PARTS] = {0}, mass = 0, size = 0, most = 0;
    for (uint32_t i = 0; i < split->parts; ++i)
        direction[i] = mean;
    for (uint32_t i = 0; i < split->count; ++i) {
        const sn_dvec3 a = seen_from(world, split->vertex, split->other[i][0]),
                       b = seen_from(world, split->vertex, split->other[i][1]);
        direction[split->part[i]] = dvec3_add(direction[split->part[i]], dvec3_add(a, b));
        number[split->part[i]] += 2;
        size += (dvec3_length(a) + dvec3_length(b)) / (2 * split->count);
        normal = dvec3_add(normal, dvec3_cross(a, b));
    }
    const double sign = attempt == 0 || attempt > 6 ? 0 : attempt % 2 ? size : -size, area = dvec3_length(normal);
    normal = attempt > 4 ? world->tearing.gap_direction : dvec3_scale(normal, area > 0 ? 1 / area : 0);
    for (uint32_t i = 0; i < split->parts; ++i) {
        const double m = movable ? (double)p->v[world->ids.value[split->made[i]]].w : 1;
        const bool inward = attempt < 3 || attempt == 7 + i || (attempt >= KNOWN && attempt % 2);
        direction[i] = dvec3_add(dvec3_scale(direction[i], inward / number[i]), dvec3_scale(normal, sign * i));
        if (attempt >= KNOWN)
            direction[i] = dvec3_add(direction[i], dvec3_scale(any_direction(split->vertex, attempt, i), size));
        mean = dvec3_add(mean, dvec3_scale(direction[i], m));
        mass += m;
    }
    for (uint32_t i = 0; i < split->parts; ++i) {
        direction[i] = dvec3_sub(direction[i], dvec3_scale(mean, 1 / mass));
        most = fmax(most, dvec3_length(direction[i]));
    }
    for (uint32_t i = 0; most > 0 && i < split->parts; ++i)
        direction[i] = dvec3_scale(direction[i], 1 / most);
    return most > 0 ? size : 0;
}

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static sn_real higher(sn_real a, sn_real b)
{
    return b > a ? b : a;
}

static sn_bounds grown(sn_bounds a, sn_real by)
{
    const sn_vec3 more = {by, by, by};
    return (sn_bounds){vec3_sub(a.low, more), vec3_add(a.high, more)};
}

static bool is_in(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x >= b->low.x && a->low.y >= b->low.y && a->low.z >= b->low.z && a->high.x <= b->high.x &&
           a->high.y <= b->high.y && a->high.z <= b->high.z;
}

/* The box of the triangles of a split. */
static sn_bounds fan_bounds(const sn_world *world, const sn_split *split)
{
    sn_bounds box = sn_query_bounds(world, SN_SET_SKINS, split->place[0] / 3);
    for (uint32_t i = 1; i < split->count; ++i) {
        const sn_bounds b = sn_query_bounds(world, SN_SET_SKINS, split->place[i] / 3);
        box.low = vec3(lower(box.low.x, b.low.x), lower(box.low.y, b.low.y), lower(box.low.z, b.low.z));
        box.high = vec3(higher(box.high.x, b.high.x), higher(box.high.y, b.high.y), higher(box.high.z, b.high.z));
    }
    return box;
}

/* The triangles that those in a box may touch. They come from a list for its region, which is reused for boxes nearby.
   If splits are all over the mesh, a tree of all triangles is used. */
static sn_query_triangles find_near(sn_world *world, sn_bounds box)
{
    sn_tearing *t = &world->tearing;
    const uint32_t all = sn_query_items(world, SN_SET_SKINS);
    if (t->gap_tree || (t->gap_looks && is_in(&box, &t->gap_near)))
        return (sn_query_triangles){t->gap_tree, t->gap_table.column[0], t->gap_table.count};
    const bool room = sn_table_reserve(&t->gap_table, &world->allocator, all);
    if (!room || ++t->gap_looks > LOOKS)
        t->gap_tree = sn_query_tree_within(world, SN_SET_SKINS);
    if (!room || t->gap_tree)
        return (sn_query_triangles){t->gap_tree, NULL, all};
    t->gap_near = grown(box, WIDE * vec3_length(vec3_sub(box.high, box.low)));
    t->gap_table.count = 0;
    for (uint32_t i = 0; i < all; ++i) {
        const sn_bounds its = sn_query_bounds(world, SN_SET_SKINS, i);
        ((uint32_t *)t->gap_table.column[0])[t->gap_table.count] = i;
        t->gap_table.count += bounds_touch(&its, &t->gap_near);
    }
    return (sn_query_triangles){NULL, t->gap_table.column[0], t->gap_table.count};
}

/* How many triangles of the parts would intersect others, or each other, after displacements of by * direction (m):
   `most` are enough. hit: set for each of them. */
static uint32_t count_intersecting(sn_world *world, const sn_split *split, const sn_dvec3 *direction, double by,
                                   uint32_t most, bool hit[SN_TEAR_FAN])
{
    sn_tearing *t = &world->tearing;
    sn_particle_store *p = &world->particles;
    sn_vec4 x[SN_TEAR_PARTS], low;
    uint32_t found = 0;
    for (uint32_t i = 0; i < split->parts; ++i) {
        const uint32_t slot = world->ids.value[split->made[i]];
        x[i] = p->x[slot], low = p->x_low[slot];
        const sn_dvec3 at = dvec3_add(dvec3_from(vec4_xyz(x[i])), dvec3_from(vec4_xyz(low)));
        sn_tear_set_whole(&p->x[slot], &low, dvec3_add(at, dvec3_scale(direction[i], by)));
    }
    const sn_real moved = SN_SPLITS_AT_ONCE * t->gap_moved + (sn_real)by;
    const sn_query_triangles near = find_near(world, grown(fan_bounds(world, split), moved));
    for (uint32_t i = 0; i < split->count && found < most; ++i) {
        hit[i] = sn_query_triangle_intersects(world, &near, moved, split->place[i] / 3);
        found += hit[i];
    }
    for (uint32_t i = 0; i < split->parts; ++i)
        p->x[world->ids.value[split->made[i]]] = x[i];
    return found;
}

static bool would_intersect(sn_world *world, const sn_split *split, const sn_dvec3 *direction, double by)
{
    bool hit[SN_TEAR_FAN];
    return count_intersecting(world, split, direction, by, 1, hit) > 0;
}

/* Displacements conserve the centre of mass and, because all particles of a part move alike, the angular momentum. They
   are reduced where there is no room. */
bool sn_split_set_apart(sn_world *world, const sn_split *split, uint32_t *removed, double *released)
{
    sn_tearing *t = &world->tearing;
    sn_dvec3 direction[SN_TEAR_PARTS];
    bool free = false;
    if (!collides_with_itself(world, split))
        return true;
    double by = 0;
    for (uint32_t round = 0; round < 2 && !free; ++round) {
        const uint32_t attempts = round ? MORE : ATTEMPTS;
        double gap = GAP;
        for (uint32_t i = 0; i < SIZES * attempts && !free; ++i) {
            by = gap * find_directions(world, split, (round ? ATTEMPTS : 0) + i % attempts, direction);
            free = by > 0 && !would_intersect(world, split, direction, by);
            gap *= i % attempts == attempts - 1 ? LESS : 1;
        }
    }
    for (uint32_t i = 0; by > 0 && i < split->parts; ++i)
        move_part(world, split->made[i], dvec3_scale(direction[i], by), removed, released);
    t->gap_direction = dvec3_sub(direction[1], direction[0]);
    t->gap_moved = (sn_real)by > t->gap_moved ? (sn_real)by : t->gap_moved;
    return free;
}

/* ---- Solids ------------------------------------------------------------------------------------------------------ */

/* The parts of the next vertex of a solid, from the events of a step or a cut. *at: where to look from, then the event
   behind. *event: its first event. False if there are no more. */
static bool next_parts(const sn_world *world, uint32_t *at, uint32_t *event, sn_split *split)
{
    const sn_tear *tear = world->tearing.event_table.column[0];
    const uint32_t count = world->tearing.event_table.count;
    while (*at < count && (tear[*at].type != SN_TEAR_SPLIT || !sn_solid_has(world, tear[*at].particle.index)))
        ++*at;
    if (*at == count)
        return false;
    const uint32_t vertex = tear[*at].particle.index;
    *event = *at;
    *split = (sn_split){.vertex = vertex, .parts = 1, .made = {vertex}};
    for (; *at < count && split->parts < SN_TEAR_PARTS && tear[*at].type == SN_TEAR_SPLIT &&
           tear[*at].particle.index == vertex;
         ++*at)
        split->made[split->parts++] = tear[*at].made.index;
    const uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < split->parts; ++i) {
        uint32_t place[SN_TEAR_FAN];
        const uint32_t found = sn_tear_triangles_at(world, split->made[i], place, SN_TEAR_FAN);
        for (uint32_t k = 0; found != UINT32_MAX && k < found && split->count < SN_TEAR_FAN; ++k) {
            split->place[split->count] = place[k];
            split->other[split->count][0] = corner[place[k] / 3 * 3 + (place[k] % 3 + 1) % 3];
            split->other[split->count][1] = corner[place[k] / 3 * 3 + (place[k] % 3 + 2) % 3];
            split->part[split->count++] = (uint8_t)i;
        }
    }
    return true;
}

/* Adds energy to an event, and to a sum. */
static void release(sn_world *world, uint32_t event, double energy, double *released)
{
    ((sn_tear *)world->tearing.event_table.column[0])[event].released += (sn_real)energy;
    *released += energy;
}

/* True for a triangle that a torn or cut face has added. */
static bool is_new(const sn_world *world, uint32_t item, const uint32_t *more)
{
    const sn_skin_record *skin = contact_skin_of(&world->contact, item);
    return item - skin->first >= skin->count - more[skin - contact_skins(&world->contact)];
}

/* The unit normal of a triangle at a part, into the cell of that part that it is a face of. False if there is none. */
static bool find_inside(sn_world *world, const sn_split *split, uint32_t i, sn_dvec3 *normal)
{
    const uint32_t *corner = (const uint32_t *)world->contact.triangle_table.column[0] + split->place[i] / 3 * 3;
    uint32_t cell[SN_TEAR_FAN];
    const uint32_t count = sn_cells_at(world, split->made[split->part[i]], cell);
    const sn_dvec3 x = sn_cell_place(world, corner[0]);
    *normal = dvec3_cross(dvec3_sub(sn_cell_place(world, corner[1]), x), dvec3_sub(sn_cell_place(world, corner[2]), x));
    const double area = dvec3_length(*normal);
    for (uint32_t k = 0; count != UINT32_MAX && k < count && area > 0; ++k) {
        if (!sn_cell_has(world, cell[k], corner[0]) || !sn_cell_has(world, cell[k], corner[1]) ||
            !sn_cell_has(world, cell[k], corner[2]))
            continue;
        const sn_dvec3 middle = sn_cell_middle(world, sn_cell_corners(world, cell[k]), sn_cell_corner_count(cell[k]));
        *normal = dvec3_scale(*normal, (dvec3_dot(*normal, dvec3_sub(middle, x)) < 0 ? -1 : 1) / area);
        return true;
    }
    return false;
}

/* The unit vector from a corner of cells towards their middles. */
static sn_dvec3 into_cells(sn_world *world, uint32_t particle)
{
    uint32_t cell[SN_TEAR_FAN];
    const uint32_t count = sn_cells_at(world, particle, cell);
    sn_dvec3 sum = {0, 0, 0};
    for (uint32_t i = 0; count != UINT32_MAX && i < count; ++i) {
        const sn_dvec3 middle = sn_cell_middle(world, sn_cell_corners(world, cell[i]), sn_cell_corner_count(cell[i]));
        sum = dvec3_add(sum, dvec3_sub(middle, sn_cell_place(world, particle)));
    }
    const double length = dvec3_length(sum);
    return dvec3_scale(sum, length > 0 ? 1 / length : 0);
}

/* The weight of a part: its mass. */
static double weight_of(const sn_world *world, const sn_split *split, uint32_t i)
{
    const sn_particle_store *p = &world->particles;
    return p->x[world->ids.value[split->vertex]].w != 0 ? (double)p->v[world->ids.value[split->made[i]]].w : 1;
}

/* Subtracts from some vectors of the parts their mean by mass. */
static void centre(const sn_world *world, const sn_split *split, sn_dvec3 direction[SN_TEAR_PARTS])
{
    sn_dvec3 sum = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = 0; i < split->parts; ++i) {
        const double m = weight_of(world, split, i);
        sum = dvec3_add(sum, dvec3_scale(direction[i], m));
        mass += m;
    }
    for (uint32_t i = 0; i < split->parts; ++i)
        direction[i] = dvec3_sub(direction[i], dvec3_scale(sum, 1 / mass));
}

/* Triangles at a vertex of a solid that the displacements of its parts have to lead away from. */
typedef struct walls {
    uint32_t opened, count;                          /* the faces that opened, and all: these and what was hit */
    uint32_t triangle[SN_TEAR_FAN];                  /* of the split */
    uint32_t part[SN_TEAR_FAN], behind[SN_TEAR_FAN]; /* behind: the part on the other side; the same if there is none */
    sn_dvec3 normal[SN_TEAR_FAN];                    /* into the part */
} walls;

static void add_wall(sn_world *world, const sn_split *split, uint32_t i, walls *of)
{
    sn_dvec3 normal;
    for (uint32_t k = 0; k < of->count; ++k)
        if (of->triangle[k] == i)
            return;
    if (!find_inside(world, split, i, &normal))
        return;
    of->triangle[of->count] = i;
    of->part[of->count] = of->behind[of->count] = split->part[i];
    of->normal[of->count++] = normal;
}

/* The faces that opened, between two parts. Their two sides follow each other in the list of triangles
   (sn_solid_close). Where both are of one part, as at a slit, no displacement parts them. */
static void find_walls(sn_world *world, const sn_split *split, const uint32_t *more, walls *of)
{
    uint32_t kept = 0;
    of->count = 0;
    for (uint32_t i = 0; i < split->count; ++i)
        if (is_new(world, split->place[i] / 3, more))
            add_wall(world, split, i, of);
    for (uint32_t i = 0; i < of->count; ++i)
        for (uint32_t k = 0; k < of->count; ++k) {
            const uint32_t one = split->place[of->triangle[i]] / 3, other = split->place[of->triangle[k]] / 3;
            if (one + 2 >= other && other + 2 >= one && dvec3_dot(of->normal[i], of->normal[k]) < -OPPOSITE)
                of->behind[i] = of->part[k];
        }
    for (uint32_t i = 0; i < of->count; ++i)
        if (of->behind[i] != of->part[i]) {
            of->triangle[kept] = of->triangle[i];
            of->part[kept] = of->part[i], of->behind[kept] = of->behind[i];
            of->normal[kept++] = of->normal[i];
        }
    of->opened = of->count = kept;
}

/* Adds the normals of walls to directions of the parts that do not lead away from them, again and again (the
   perceptron). Centred: with a mean by mass of zero. False if that does not come to an end. */
static bool lead_away(const sn_world *world, const sn_split *split, const walls *of, uint32_t count, bool centred,
                      sn_dvec3 direction[SN_TEAR_PARTS])
{
    bool adds = true;
    if (centred)
        centre(world, split, direction);
    for (uint32_t sweep = 0; sweep < SWEEPS && adds; ++sweep) {
        adds = false;
        for (uint32_t i = 0; i < count; ++i) {
            sn_dvec3 *one = &direction[of->part[i]], *other = centred ? &direction[of->behind[i]] : one;
            const sn_dvec3 apart = one == other ? *one : dvec3_sub(*one, *other);
            if (dvec3_dot(apart, of->normal[i]) > CLEAR * dvec3_length(apart))
                continue;
            *one = dvec3_add(*one, dvec3_scale(of->normal[i], TURN));
            if (one != other)
                *other = dvec3_sub(*other, dvec3_scale(of->normal[i], TURN));
            adds = true;
        }
        if (centred)
            centre(world, split, direction);
    }
    return !adds;
}

/* The corners of a cell that are where corners of another are: those of the face between them, whose vertices may have
   been split, but are still in one place. Returns their number. */
static uint32_t common_corners(sn_world *world, uint32_t a, uint32_t b, uint32_t corner[8])
{
    const uint32_t *one = sn_cell_corners(world, a), *other = sn_cell_corners(world, b);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sn_cell_corner_count(a); ++i)
        for (uint32_t k = 0; k < sn_cell_corner_count(b); ++k) {
            const sn_dvec3 d = dvec3_sub(sn_cell_place(world, one[i]), sn_cell_place(world, other[k]));
            if (d.x == 0 && d.y == 0 && d.z == 0) {
                corner[count++] = one[i];
                break;
            }
        }
    return count;
}

bool sn_solid_may_part(sn_world *world, uint32_t vertex, uint32_t parts, uint32_t count, const uint32_t *cell,
                       const uint8_t *part)
{
    const sn_dvec3 x = sn_cell_place(world, vertex);
    const uint32_t row = ((const sn_tear_head *)world->tearing.head_table.column[0])[vertex].solid;
    sn_split split = {.vertex = vertex, .parts = parts};
    sn_dvec3 direction[SN_TEAR_PARTS] = {{0}};
    uint32_t corner[8];
    walls of = {0};
    if (row < 2 || !contact_skins(&world->contact)[row - 2].self_collision)
        return true;
    for (uint32_t i = 0; i < parts; ++i)
        split.made[i] = vertex;
    for (uint32_t i = 1; i < count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const uint32_t common = part[i] != part[k] ? common_corners(world, cell[i], cell[k], corner) : 0;
            const sn_dvec3 in =
                dvec3_sub(sn_cell_middle(world, sn_cell_corners(world, cell[i]), sn_cell_corner_count(cell[i])), x);
            for (uint32_t a = 0; common > 2 && a < common; ++a) /* a square may be divided by either diagonal */
                for (uint32_t b = 0; b < a && of.count < SN_TEAR_FAN; ++b) {
                    const sn_dvec3 n = dvec3_cross(dvec3_sub(sn_cell_place(world, corner[a]), x),
                                                   dvec3_sub(sn_cell_place(world, corner[b]), x));
                    const double area = dvec3_length(n);
                    if (!(area > 0))
                        continue;
                    of.part[of.count] = part[i], of.behind[of.count] = part[k];
                    of.normal[of.count++] = dvec3_scale(n, (dvec3_dot(n, in) < 0 ? -1 : 1) / area);
                }
        }
    return lead_away(world, &split, &of, of.count, true, direction);
}

/* The displacements of the parts of a solid: into their cells, and away from the walls; if not all of these can be left,
   from the faces that opened. Returns the mean edge length, m. */
static double find_ways_inside(sn_world *world, const sn_split *split, const walls *of, bool centred,
                               sn_dvec3 direction[SN_TEAR_PARTS])
{
    sn_dvec3 inside[SN_TEAR_PARTS];
    double size = 0, most = 0;
    for (uint32_t i = 0; i < split->parts; ++i)
        direction[i] = inside[i] = into_cells(world, split->made[i]);
    for (uint32_t i = 0; i < split->count; ++i)
        for (uint32_t k = 0; k < 2; ++k)
            size += dvec3_length(seen_from(world, split->vertex, split->other[i][k])) / (2 * split->count);
    if (!lead_away(world, split, of, of->count, centred, direction) && of->count > of->opened) {
        memcpy(direction, inside, split->parts * sizeof *direction);
        lead_away(world, split, of, of->opened, centred, direction);
    }
    for (uint32_t i = 0; i < split->parts; ++i)
        most = fmax(most, dvec3_length(direction[i]));
    for (uint32_t i = 0; most > 0 && i < split->parts; ++i)
        direction[i] = dvec3_scale(direction[i], 1 / most);
    return most > 0 ? size : 0;
}

/* Moves the parts of a vertex back to one place, their centre of mass. */
static void bring_together(sn_world *world, const sn_split *split, uint32_t *removed, double *released)
{
    const sn_particle_store *p = &world->particles;
    sn_dvec3 at[SN_TEAR_PARTS], sum = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = 0; i < split->parts; ++i) {
        const uint32_t slot = world->ids.value[split->made[i]];
        const double m = weight_of(world, split, i);
        at[i] = dvec3_add(dvec3_from(vec4_xyz(p->x[slot])), dvec3_from(vec4_xyz(p->x_low[slot])));
        sum = dvec3_add(sum, dvec3_scale(at[i], m));
        mass += m;
    }
    for (uint32_t i = 0; i < split->parts; ++i)
        move_part(world, split->made[i], dvec3_sub(dvec3_scale(sum, 1 / mass), at[i]), removed, released);
}

/* m: a displacement that is not lost by rounding. */
static double last_places(const sn_world *world, uint32_t vertex)
{
    return 16 * ROUNDED * dvec3_length(dvec3_from(vec4_xyz(world->particles.x[world->ids.value[vertex]])));
}

/* Moves the parts of a vertex from their centre of mass into their cells. What they then intersect is a wall, too, and
   other directions are taken. Where none is free, it is the one with the fewest triangles that intersect something, and
   the displacement is less in a later round. */
static void open_parts(sn_world *world, const sn_split *split, uint32_t round, const uint32_t *more, uint32_t *removed,
                       double *released)
{
    sn_dvec3 inside[SN_TEAR_PARTS], best[SN_TEAR_PARTS] = {{0}}, direction[SN_TEAR_PARTS];
    bool hit[SN_TEAR_FAN] = {false};
    uint32_t least = UINT32_MAX;
    const bool centred = round + SAME < ROUNDS;
    const uint32_t tries = round == 0 ? 1 : centred ? TRIES : LAST;
    double size = 0, by = 0;
    walls of;
    if (round) {
        count_intersecting(world, split, best, 0, UINT32_MAX, hit);
        bring_together(world, split, removed, released);
    }
    find_walls(world, split, more, &of);
    for (uint32_t attempt = 0; attempt < tries && least; ++attempt) {
        const uint32_t before = of.count;
        for (uint32_t i = 0; i < split->count; ++i)
            if (hit[i])
                add_wall(world, split, i, &of);
        if (attempt == 0 || of.count > before) {
            size = find_ways_inside(world, split, &of, centred, inside);
            by = centred ? GAP * pow(LESS, round / SAME) * size : last_places(world, split->vertex);
            memcpy(direction, inside, sizeof direction);
        } else {
            for (uint32_t i = 0; i < split->parts; ++i)
                direction[i] = dvec3_add(inside[i], any_direction(split->vertex, round * LAST + attempt, i));
            if (centred)
                centre(world, split, direction);
        }
        const uint32_t found = round ? count_intersecting(world, split, direction, by, least, hit) : 0;
        if (found < least)
            least = found, memcpy(best, direction, sizeof best);
    }
    for (uint32_t i = 0; size > 0 && i < split->parts; ++i)
        move_part(world, split->made[i], dvec3_scale(best[i], by), removed, released);
}

bool sn_solid_may_open(sn_world *world, const uint32_t corner[3])
{
    const sn_real moved = SN_SPLITS_AT_ONCE * world->tearing.gap_moved;
    const sn_vec3 first = vec4_xyz(world->particles.x[world->ids.value[corner[0]]]);
    sn_bounds box = {first, first};
    for (uint32_t i = 1; i < 3; ++i) {
        const sn_vec4 x = world->particles.x[world->ids.value[corner[i]]];
        box.low = vec3(lower(box.low.x, x.x), lower(box.low.y, x.y), lower(box.low.z, x.z));
        box.high = vec3(higher(box.high.x, x.x), higher(box.high.y, x.y), higher(box.high.z, x.z));
    }
    const sn_query_triangles near = find_near(world, grown(box, moved));
    return !sn_query_corners_intersect(world, &near, moved, corner);
}

/* All parts are moved first, because most that are next to each other are also at the same places. Then those that
   intersect something. */
void sn_solid_set_apart(sn_world *world, uint32_t first, const uint32_t *more, uint32_t *removed, double *released)
{
    const sn_dvec3 direction[SN_TEAR_PARTS] = {{0}};
    sn_split split;
    bool any = true;
    for (uint32_t round = 0; any && round < ROUNDS; ++round) {
        any = false;
        sn_split_begin(world);
        for (uint32_t at = first, event; next_parts(world, &at, &event, &split);) {
            double energy = 0;
            if (!collides_with_itself(world, &split) || (round && !would_intersect(world, &split, direction, 0)))
                continue;
            open_parts(world, &split, round, more, removed, &energy);
            release(world, event, energy, released);
            any = true;
        }
    }
}

/* The position of an inserted vertex is rounded. If something is as close to the edge as the rounding error, the
   triangles may intersect it. Then the vertex is moved to a position nearby. */
void sn_tear_free_vertex(sn_world *world, uint32_t vertex, uint32_t *removed, double *released)
{
    sn_tearing *t = &world->tearing;
    sn_split split = {.vertex = vertex, .parts = 1, .made = {vertex}};
    sn_dvec3 direction = {0, 0, 0};
    split.count = sn_tear_triangles_at(world, vertex, split.place, SN_TEAR_FAN);
    if (split.count == UINT32_MAX || !collides_with_itself(world, &split) ||
        !would_intersect(world, &split, &direction, 0))
        return;
    double by = ROUNDED * dvec3_length(dvec3_from(vec4_xyz(world->particles.x[world->ids.value[vertex]])));
    for (uint32_t i = 0; i < SIZES * ATTEMPTS; ++i) {
        direction = any_direction(vertex, i, 0);
        if (!would_intersect(world, &split, &direction, by)) {
            move_part(world, vertex, dvec3_scale(direction, by), removed, released);
            t->gap_moved = (sn_real)by > t->gap_moved ? (sn_real)by : t->gap_moved;
            return;
        }
        by *= i % ATTEMPTS == ATTEMPTS - 1 ? 1 / LESS : 1;
    }
}
