/* The mass-spring lattice (lecture 001): structural springs along the axes, shear springs along the diagonals of
   faces, and, if asked for, of cells. As rods with compliance their stiffness follows from that of the stuff
   (grid.c). As forces each has the stiffness K and damping that the scene gives: K (|x| - l) and a damper along the
   spring. */
#include "scene/objects/lattice.h"
#include "scene/objects/grid.h"

sn_lattice_def sn_default_lattice_def(void)
{
    return (sn_lattice_def){.width = 1,
                            .height = 1,
                            .depth = 1,
                            .columns = 8,
                            .rows = 8,
                            .layers = 1,
                            .springs = SN_LATTICE_RODS,
                            .spring_stiffness = (sn_real)NAN,
                            .spring_damping = (sn_real)NAN};
}

static void lattice_defaults(void *record)
{
    *(sn_lattice_def *)record = sn_default_lattice_def();
}

static const char *const springs_name[] = {"rods", "forces"};
static const char *const springs_about[] = {"constraints, whose compliance follows from the material",
                                            "explicit forces with spring_stiffness and spring_damping"};
static const sn_choices springs_choices = {2, springs_name, springs_about};

static const sn_key lattice_keys[] = {
    {.name = "width",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_lattice_def, width),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how wide the box is, along x of its frame, whose origin is in the middle"},
    {.name = "height",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_lattice_def, height),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "how high it is, along y of its frame"},
    {.name = "depth",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_lattice_def, depth),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about =
         "how deep it is, along z of its frame; of a single layer the thickness, which counts for mass and stiffness"},
    {.name = "columns",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_lattice_def, columns),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along x"},
    {.name = "rows",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_lattice_def, rows),
     .least = 2,
     .most = 100000,
     .about = "how many particles lie along y"},
    {.name = "layers",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_lattice_def, layers),
     .least = 1,
     .most = 100000,
     .about = "how many particles lie along z; 1 makes a sheet, as it must be in a 2D world"},
    {.name = "body_diagonals",
     .type = SN_KEY_TRUTH,
     .offset = offsetof(sn_lattice_def, body_diagonals),
     .about = "whether cells also have shear springs from corner to corner through their middle"},
    {.name = "springs",
     .type = SN_KEY_CHOICE,
     .offset = offsetof(sn_lattice_def, springs),
     .of = &springs_choices,
     .about = "what the springs are"},
    {.name = "spring_stiffness",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_lattice_def, spring_stiffness),
     .unit = "N/m",
     .most = 1e30,
     .about = "the stiffness of each spring that is a force; times the square of a substep it should stay well below "
              "the mass of a particle"},
    {.name = "spring_damping",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_lattice_def, spring_damping),
     .unit = "N s/m",
     .most = 1e30,
     .about = "the damping of each spring that is a force, along the spring; 0 if not given"},
    {.name = NULL}};

static const sn_record lattice_record = {.name = "lattice",
                                         .about = "A mass-spring lattice with structural and shear springs",
                                         .size = sizeof(sn_lattice_def),
                                         .keys = lattice_keys,
                                         .defaults = lattice_defaults};

/* ---- Springs ---------------------------------------------------------------------------------------------------- */

/* Sets of links under one name, and the part of the stiffness of each that one cell contributes. */
typedef struct spring_set {
    uint32_t count;
    sn_grid_links links[4];
    double each_cell[4];
} spring_set;

static void set_add(spring_set *set, unsigned along, double each_cell)
{
    set->links[set->count] = (sn_grid_links){along, 1, false};
    set->each_cell[set->count++] = each_cell;
}

static spring_set structural_set(const sn_grid_stiffness *k)
{
    spring_set set = {.count = 0};
    set_add(&set, SN_ALONG_X, k->edge[0]);
    set_add(&set, SN_ALONG_Y, k->edge[1]);
    set_add(&set, SN_ALONG_Z, k->edge[2]);
    return set;
}

static spring_set shear_set(const sn_grid_stiffness *k, bool body)
{
    spring_set set = {.count = 0};
    set_add(&set, SN_ALONG_Y | SN_ALONG_Z, k->face[0]);
    set_add(&set, SN_ALONG_X | SN_ALONG_Z, k->face[1]);
    set_add(&set, SN_ALONG_X | SN_ALONG_Y, k->face[2]);
    if (body)
        set_add(&set, SN_ALONG_X | SN_ALONG_Y | SN_ALONG_Z, k->body);
    return set;
}

static double set_size(const sn_grid *grid, const spring_set *set)
{
    double sum = 0;
    for (uint32_t i = 0; i < set->count; ++i)
        sum += sn_grid_link_count(grid, set->links[i]);
    return sum;
}

/* Adds all springs of a set, as rods or as forces. */
static bool add_set(sn_build *build, const sn_lattice_def *own, const sn_grid *grid, const char *name,
                    const spring_set *set)
{
    uint64_t count = (uint64_t)set_size(grid, set), n = 0;
    uint32_t first = set->count - 1;
    while (first > 0 && sn_grid_link_count(grid, set->links[first]) < 1)
        --first;
    double compliance = 1 / set->each_cell[first]; /* factors are relative to this compliance */
    bool forces = own->springs == SN_LATTICE_FORCES, soft = !forces && compliance > 0;
    uint32_t *index = sn_build_take(build, 2 * count, sizeof *index);
    sn_real *factor = soft ? sn_build_take(build, count, sizeof *factor) : NULL;
    if (!index || (soft && !factor))
        return false;
    for (uint32_t i = 0; i < set->count; ++i) {
        double softness = soft ? set->each_cell[first] / set->each_cell[i] : 1;
        sn_grid_link(grid, set->links[i], index + 2 * n, factor ? factor + n : NULL, softness);
        n += (uint64_t)sn_grid_link_count(grid, set->links[i]);
    }
    sn_constraint_def def = sn_default_constraint_def(forces ? SN_KIND_SPRING : SN_KIND_DISTANCE);
    if (forces) {
        def.param[1] = own->spring_stiffness;
        def.param[2] = isnan(own->spring_damping) ? 0 : own->spring_damping;
    }
    return sn_build_constraints(build, name, &def, (uint32_t)count, index, NULL, soft ? compliance : 0, factor);
}

/* ---- The object ------------------------------------------------------------------------------------------------- */

static bool check_springs(sn_build *build, const sn_lattice_def *def)
{
    bool forces = def->springs == SN_LATTICE_FORCES;
    if (forces && isnan(def->spring_stiffness))
        return sn_build_fail(build, "spring_stiffness", "is missing, expected N/m: springs that are forces need it");
    if (!forces && !isnan(def->spring_stiffness))
        return sn_build_fail(build, "spring_stiffness",
                             "is for springs that are forces; the stiffness of rods is that of "
                             "the material (stretch, shear)");
    if (!forces && !isnan(def->spring_damping))
        return sn_build_fail(build, "spring_damping",
                             "is for springs that are forces; the damping of rods is that of the material");
    return true;
}

static bool check_layers(sn_build *build, const sn_lattice_def *def)
{
    if (def->layers > 1 && build->dimensions == 2)
        return sn_build_fail(build, "layers", "found %u, expected 1 in a 2D world", (unsigned)def->layers);
    if (def->layers == 1 && def->body_diagonals)
        return sn_build_fail(build, "body_diagonals", "a single layer has no cells to have them");
    return true;
}

static sn_grid_stiffness stiffness(sn_build *build, const sn_lattice_def *def, const sn_grid *grid)
{
    sn_grid_stuff stuff = {.stretch = 1 / (double)build->stuff->stretch,
                           .shear = sn_grid_shear(grid) / (double)build->stuff->shear,
                           .body = def->body_diagonals};
    sn_grid_stiffness k = sn_grid_stiffness_of(build, grid, stuff);
    if (k.softened && def->springs == SN_LATTICE_RODS)
        sn_build_note(build,
                      "its springs cannot resist shear as much as asked for without resisting stretching more; it "
                      "gives more in shear");
    return k;
}

static bool build_lattice(sn_build *build, const void *own)
{
    const sn_lattice_def *def = own;
    sn_grid grid = {{def->columns, def->rows, def->layers},
                    {(double)def->width, (double)def->height, (double)def->depth}};
    if (!sn_grid_check(build, &grid) || !check_layers(build, def) || !check_springs(build, def))
        return false;
    sn_grid_stiffness k = stiffness(build, def, &grid);
    spring_set structural = structural_set(&k), shear = shear_set(&k, def->body_diagonals);
    double springs = set_size(&grid, &structural) + set_size(&grid, &shear);
    sn_grid_cells(build, &grid);
    return sn_build_begin(build, sn_grid_particle_count(&grid), springs) && sn_grid_particles(build, &grid, NULL) &&
           sn_grid_surface(build, &grid) && sn_grid_side_parts(build, &grid) && sn_grid_corner_part(build, &grid) &&
           add_set(build, def, &grid, "structural", &structural) && add_set(build, def, &grid, "shear", &shear);
}

const sn_object_type sn_object_lattice = {
    .name = "lattice",
    .about = "A mass-spring lattice: a box or a sheet of particles with springs along axes and diagonals.",
    .parts = "parts: left, right (x least, most), bottom, top (y), back, front (z; not of a single layer), corners; "
             "constraints: structural, shear",
    .dimension = 3,
    .spatial = false,
    .record = &lattice_record,
    .build = build_lattice,
};
