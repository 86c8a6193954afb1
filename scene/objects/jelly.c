#include "scene/objects/jelly.h"
#include "scene/objects/grid.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

/* The default length of a cluster in distances between particles, and the least: shorter clusters have no particle
   in common with the next. */
#define DEFAULT_SPACINGS 3.0
#define LEAST_SPACINGS   2.5

sn_jelly_def sn_default_jelly_def(void)
{
    return (sn_jelly_def){.width = 1,
                          .height = 1,
                          .depth = 1,
                          .columns = 6,
                          .rows = 6,
                          .layers = 6,
                          .match = SN_JELLY_LINEAR,
                          .cluster = (sn_real)NAN,
                          .firmness = (sn_real)0.3,
                          .beta = (sn_real)0.5,
                          .yield = (sn_real)NAN,
                          .creep = (sn_real)NAN,
                          .limit = (sn_real)NAN};
}

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

/* Sets a parameter by its name, if the kind has it and a value is given. */
static void give(const sn_kind *kind, const char *name, sn_real value, sn_real *param)
{
    for (const sn_param *p = kind->param; p->name; param += p->type == SN_PARAM_REAL ? 1 : 3, ++p)
        if (strcmp(p->name, name) == 0 && !isnan(value))
            *param = value;
}

static bool add_clusters(sn_build *build, const sn_jelly_def *def, double size)
{
    static const uint32_t kinds[] = {SN_KIND_SHAPE_MATCH, SN_KIND_SHAPE_MATCH_LINEAR, SN_KIND_SHAPE_MATCH_QUADRATIC};
    sn_world *world = sn_scene_world(build->scene);
    sn_particles run = build->object->run;
    sn_constraint_def shared = sn_default_constraint_def(kinds[def->match]);
    const sn_kind *kind = sn_kind_info(world, shared.kind);
    uint32_t *number = sn_build_take(build, run.count, sizeof *number);
    if (!number)
        return false;
    for (uint32_t i = 0; i < run.count; ++i)
        number[i] = run.first + i;
    shared.stiffness = def->firmness;
    give(kind, "beta", def->beta, shared.param);
    give(kind, "yield", def->yield, shared.param);
    give(kind, "creep", def->creep, shared.param);
    give(kind, "limit", def->limit, shared.param);
    sn_constraints clusters = sn_constraints_add_clusters(world, &shared, run.count, number, (sn_real)size);
    if (clusters.count == 0)
        return sn_build_fail(build, "cluster", "%s", sn_world_error(world));
    return sn_build_hold(build, "clusters", clusters);
}

/* The largest distance between two neighbouring particles, in the frame. */
static double spacing_of(const sn_grid *grid)
{
    double most = 0;
    for (int i = 0; i < 3; ++i)
        most = fmax(most, grid->size[i] / (grid->count[i] - 1));
    return most;
}

/* ---- The object -------------------------------------------------------------------------------------------------- */

static bool check(sn_build *build, const sn_jelly_def *def)
{
    if (def->layers < 2)
        return sn_build_fail(build, "layers", "found %u, expected 2 or more particles: it is solid", def->layers);
    if ((unsigned)def->match > SN_JELLY_QUADRATIC)
        return sn_build_fail(build, "match", "there is no way %u to match", (unsigned)def->match);
    if (!(def->firmness > 0 && def->firmness <= 1))
        return sn_build_fail(build, "firmness", "found %g, expected more than 0, and at most 1", (double)def->firmness);
    return true;
}

static bool build_jelly(sn_build *build, const void *own)
{
    const sn_jelly_def *def = own;
    sn_grid grid = {{def->columns, def->rows, def->layers},
                    {(double)def->width, (double)def->height, (double)def->depth}};
    double longest = fmax(fmax(grid.size[0], grid.size[1]), grid.size[2]), scale = sn_build_scale(build);
    if (!check(build, def) || !sn_grid_check(build, &grid))
        return false;
    double spacing = spacing_of(&grid), size = fmax(longest / 2, DEFAULT_SPACINGS * spacing);
    if (!isnan(def->cluster))
        size = def->cluster == 0 ? 2 * longest : (double)def->cluster;
    if (!(size >= LEAST_SPACINGS * spacing))
        return sn_build_fail(build, "cluster",
                             "found %g m, expected at least %g, %g times the distance between particles: it would fall "
                             "apart",
                             size, LEAST_SPACINGS * spacing, LEAST_SPACINGS);
    double each = 1; /* an estimate: clusters overlap by half; along an axis there are at most two per particle */
    for (int i = 0; i < 3; ++i)
        each *= fmin(2 * grid.size[i] / size + 1, 2.0 * grid.count[i]);
    return sn_build_begin(build, sn_grid_particle_count(&grid), each + sn_grid_particle_count(&grid)) &&
           sn_grid_particles(build, &grid, NULL) && sn_grid_surface(build, &grid) && sn_grid_side_parts(build, &grid) &&
           sn_grid_corner_part(build, &grid) && add_clusters(build, def, size * scale);
}

static void jelly_defaults(void *record)
{
    *(sn_jelly_def *)record = sn_default_jelly_def();
}

static const char *const match_names[] = {"rigid", "linear", "quadratic"};
static const char *const match_about[] = {"each cluster wants to be as it was, moved and turned",
                                          "it may also be stretched and sheared, by the share beta",
                                          "it may also be bent and twisted"};
static const sn_choices matches = {3, match_names, match_about};

#define KEY(key) offsetof(sn_jelly_def, key)

static const sn_key jelly_keys[] = {
    {"width", SN_KEY_REAL, KEY(width), .unit = "m", .most = 1e6, .flags = SN_KEY_POSITIVE,
     .about = "how wide it is, along x of its frame, whose origin is in the middle"},
    {"height", SN_KEY_REAL, KEY(height), .unit = "m", .most = 1e6, .flags = SN_KEY_POSITIVE,
     .about = "how high it is, along y of its frame"},
    {"depth", SN_KEY_REAL, KEY(depth), .unit = "m", .most = 1e6, .flags = SN_KEY_POSITIVE,
     .about = "how deep it is, along z of its frame"},
    {"columns", SN_KEY_COUNT, KEY(columns), .least = 2, .most = 100000, .about = "how many particles lie along x"},
    {"rows", SN_KEY_COUNT, KEY(rows), .least = 2, .most = 100000, .about = "how many particles lie along y"},
    {"layers", SN_KEY_COUNT, KEY(layers), .least = 2, .most = 100000, .about = "how many particles lie along z"},
    {"match", SN_KEY_CHOICE, KEY(match), .of = &matches, .about = "what shape a cluster may take"},
    {"cluster", SN_KEY_REAL, KEY(cluster), .unit = "m", .most = 1e6,
     .about = "the size of clusters, which overlap by half: larger ones are stiffer; 0: one for all; if not given, "
              "half the longest side"},
    {"firmness", SN_KEY_REAL, KEY(firmness), .least = 1e-6, .most = 1,
     .about = "the classic stiffness k of each cluster: how much of its shape a pass gives back"},
    {"beta", SN_KEY_REAL, KEY(beta), .least = 0, .most = 1,
     .about = "linear and quadratic: the share of the deformation that a cluster does not resist"},
    {"yield", SN_KEY_REAL, KEY(yield), .least = 0, .most = 1e30,
     .about = "a deformation beyond this stays; none does if not given"},
    {"creep", SN_KEY_REAL, KEY(creep), .unit = "1/s", .least = 0, .most = 1e30,
     .about = "the rate at which a deformation beyond yield becomes permanent"},
    {"limit", SN_KEY_REAL, KEY(limit), .least = 0, .most = 1e30,
     .about = "the largest deformation that becomes permanent"},
    {.name = NULL}};

static const sn_record jelly_record = {"jelly", "A jelly.", sizeof(sn_jelly_def), jelly_keys, jelly_defaults};

const sn_object_type sn_object_jelly = {
    .name = "jelly",
    .about = "A soft block of particles in overlapping clusters that keep their shape by shape matching; of its "
             "material only the density counts. Needs the solver tiled or gauss_seidel",
    .parts = "parts: left, right (x least, most), bottom, top (y), back, front (z), corners; constraints: clusters",
    .dimension = 3,
    .spatial = true,
    .record = &jelly_record,
    .build = build_jelly,
};
