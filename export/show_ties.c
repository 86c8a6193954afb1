#include "export/show_ties.h"
#include "scene/triggers.h"

#include <stdlib.h>

typedef struct tie {
    uint32_t a, b; /* numbers of particles, a < b */
    sn_constraint constraint;
} tie;

struct sn_ties {
    sn_scene *scene;
    uint32_t count;
    tie *tie;           /* sorted by a, then b */
    uint32_t particles; /* the number of particles at that time */
    uint32_t *object;   /* the object of each particle, from 1 on; 0: none */
};

static bool keeps_distance(uint32_t kind)
{
    return kind == SN_KIND_DISTANCE || kind == SN_KIND_DISTANCE_MAX || kind == SN_KIND_DISTANCE_BAND ||
           kind == SN_KIND_SPRING;
}

static bool read_points(const sn_world *world, sn_constraint c, sn_point point[SN_MAX_POINTS])
{
    sn_constraint_def def;
    return keeps_distance(c.kind) && sn_constraint_read(world, c, &def, point, SN_MAX_POINTS) == SN_OK;
}

static bool is_particle(const sn_point *point)
{
    return point->type == SN_POINT_PARTICLES && point->count == 1;
}

static int by_particles(const void *left, const void *right)
{
    const tie *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static void find_objects(sn_ties *ties)
{
    const sn_object *object;
    for (uint32_t i = 0; (object = sn_scene_object(ties->scene, i)); ++i)
        for (uint32_t k = 0; k < object->run.count && object->run.first + k < ties->particles; ++k)
            ties->object[object->run.first + k] = i + 1;
}

sn_ties *sn_ties_create(sn_scene *scene)
{
    sn_world *world = sn_scene_world(scene);
    sn_ties *ties = calloc(1, sizeof *ties);
    if (!ties)
        return NULL;
    *ties = (sn_ties){.scene = scene, .particles = sn_world_particle_count(world)};
    ties->tie = malloc((sn_world_constraint_count(world, SN_KIND_NONE) + (size_t)1) * sizeof *ties->tie);
    ties->object = calloc(ties->particles + (size_t)1, sizeof *ties->object);
    if (!ties->tie || !ties->object) {
        sn_ties_destroy(ties);
        return NULL;
    }
    find_objects(ties);
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        sn_point point[SN_MAX_POINTS];
        if (!read_points(world, walk.constraint, point) || !is_particle(&point[0]) || !is_particle(&point[1]))
            continue;
        const uint32_t a = point[0].particle[0].index, b = point[1].particle[0].index;
        ties->tie[ties->count++] = (tie){a < b ? a : b, a < b ? b : a, walk.constraint};
    }
    qsort(ties->tie, ties->count, sizeof *ties->tie, by_particles);
    return ties;
}

void sn_ties_destroy(sn_ties *ties)
{
    if (!ties)
        return;
    free(ties->tie);
    free(ties->object);
    free(ties);
}

bool sn_ties_is_cut(const sn_ties *ties, uint32_t a, uint32_t b)
{
    const tie wanted = {a < b ? a : b, a < b ? b : a, {0}};
    uint32_t low = 0, high = ties->count;
    while (low < high) { /* finds the first tie that is not before it */
        const uint32_t middle = low + (high - low) / 2;
        if (by_particles(&ties->tie[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool any = false;
    for (; low < ties->count && by_particles(&ties->tie[low], &wanted) == 0; ++low) {
        if (sn_constraint_is_valid(sn_scene_world(ties->scene), ties->tie[low].constraint))
            return false;
        any = true;
    }
    return any;
}

/* A particle that was added later comes from a tear, and is drawn with the torn object. */
static bool is_of_one_object(const sn_ties *ties, const sn_point point[2])
{
    if (!is_particle(&point[0]) || !is_particle(&point[1]))
        return false;
    const uint32_t a = point[0].particle[0].index, b = point[1].particle[0].index;
    if (a >= ties->particles || b >= ties->particles)
        return true;
    return ties->object[a] && ties->object[a] == ties->object[b];
}

bool sn_ties_next(const sn_ties *ties, sn_constraint_walk *walk, sn_vec3 *from, sn_vec3 *to)
{
    const sn_world *world = sn_scene_world(ties->scene);
    while (sn_constraint_next(world, walk)) {
        sn_point point[SN_MAX_POINTS];
        if (!read_points(world, walk->constraint, point) || is_of_one_object(ties, point))
            continue;
        *from = sn_scene_point_place(world, &point[0]);
        *to = sn_scene_point_place(world, &point[1]);
        return true;
    }
    return false;
}
