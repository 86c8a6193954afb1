#include "support/graphs.h"
#include "support/plan_check.h"

#include "world/world.h"

/* ---- Lists of links ---------------------------------------------------------------------------------------------- */

typedef struct links {
    uint32_t points;
    uint32_t count, capacity;
    uint32_t *index;
} links;

static void link_up(links *l, const uint32_t *index)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->index = realloc(l->index, (size_t)l->capacity * l->points * sizeof *l->index);
        assert_non_null(l->index);
    }
    memcpy(l->index + (size_t)l->count++ * l->points, index, l->points * sizeof *index);
}

static void link_two(links *l, uint32_t a, uint32_t b)
{
    link_up(l, (uint32_t[]){a, b});
}

static void link_four(links *l, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    link_up(l, (uint32_t[]){a, b, c, d});
}

/* Adds all links of a list, and clears it. */
static void add_links(sn_world *world, uint32_t kind, links *l, sn_real compliance)
{
    sn_material material = {compliance, 0};
    if (l->count && sn_constraints_add_kind(world, kind, l->count, l->index, NULL, &material).count != l->count)
        fail_msg("%u links of kind %u: %s", l->count, kind, sn_world_error(world));
    free(l->index);
    *l = (links){.points = l->points};
}

static sn_particles add_lattice(sn_world *world, uint32_t width, uint32_t height, uint32_t depth, uint64_t *seed)
{
    uint32_t count = width * height * depth;
    sn_real *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    assert_non_null(xyz);
    bool flat = sn_world_dimensions(world) == 2;
    for (uint32_t i = 0; i < count; ++i) {
        double jitter = seed ? 0.02 : 0;
        uint64_t none = 1, *from = seed ? seed : &none;
        xyz[3 * i] = real(0.1 * (i % width + support_random_in(from, -jitter, jitter)));
        xyz[3 * i + 1] = real(0.1 * (i / width % height + support_random_in(from, -jitter, jitter)));
        xyz[3 * i + 2] = flat ? 0 : real(0.1 * (i / width / height + support_random_in(from, -jitter, jitter)));
    }
    sn_particles run = sn_particles_add(world, count, xyz, 0, real(0.01));
    free(xyz);
    assert_int_equal(run.count, count);
    return run;
}

static uint32_t side_of(uint32_t size)
{
    uint32_t side = 2;
    while ((side + 1) * (side + 1) <= size)
        ++side;
    return side;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static void build_nothing(sn_world *world, uint32_t size, uint64_t *seed)
{
    (void)world, (void)size, (void)seed;
}

static void build_one(sn_world *world, uint32_t size, uint64_t *seed)
{
    (void)size;
    sn_particle p = sn_particles_at(add_lattice(world, 1, 1, 1, seed), 0);
    assert_true(sn_constraint_add_pin(world, p).generation != 0);
}

static void build_rope(sn_world *world, uint32_t size, uint64_t *seed)
{
    links rods = {.points = 2};
    sn_particles run = add_lattice(world, size, 1, 1, seed);
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, 0), SN_IMMOVABLE));
    for (uint32_t i = 1; i < size; ++i)
        link_two(&rods, run.first + i - 1, run.first + i);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
}

static void link_grid(links *rods, const uint32_t *number, uint32_t width, uint32_t height, uint32_t step)
{
    for (uint32_t i = 0; i < width * height; ++i) {
        if (i % width + step < width)
            link_two(rods, number[i], number[i + step]);
        if (i / width + step < height)
            link_two(rods, number[i], number[i + step * width]);
    }
}

static uint32_t *consecutive(uint32_t first, uint32_t count)
{
    uint32_t *number = malloc((count + 1) * sizeof *number);
    assert_non_null(number);
    for (uint32_t i = 0; i < count; ++i)
        number[i] = first + i;
    return number;
}

sn_particles graph_grid(sn_world *world, uint32_t width, uint32_t height, bool over_two)
{
    links rods = {.points = 2};
    sn_particles run = add_lattice(world, width, height, 1, NULL);
    uint32_t *number = consecutive(run.first, run.count);
    assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, 0), SN_IMMOVABLE));
    link_grid(&rods, number, width, height, 1);
    if (over_two)
        link_grid(&rods, number, width, height, 2);
    free(number);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
    return run;
}

static void build_grid(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t width = side_of(size);
    (void)seed;
    graph_grid(world, width, size / width, true);
}

/* Triangles: links along edges, and bending across inner edges. */
static void link_cloth(sn_world *world, uint32_t first, uint32_t width, uint32_t height)
{
    links rods = {.points = 2}, bends = {.points = 4};
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x) {
            uint32_t i = first + y * width + x;
            bool right = x + 1 < width, up = y + 1 < height;
            if (right)
                link_two(&rods, i, i + 1);
            if (up)
                link_two(&rods, i, i + width);
            if (right && up) {
                link_two(&rods, i + 1, i + width);
                link_four(&bends, i, i + width + 1, i + 1, i + width);
            }
        }
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
    if (sn_world_dimensions(world) == 3)
        add_links(world, SN_KIND_BENDING, &bends, real(0.1));
    free(bends.index);
}

static void build_cloth(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t width = side_of(size);
    sn_particles run = add_lattice(world, width, size / width, 1, seed);
    link_cloth(world, run.first, width, size / width);
    uint32_t corners[] = {run.first, run.first + width - 1};
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_PIN, 2, corners, NULL, NULL).count, 2);
}

static void link_cube(links *rods, links *volumes, const uint32_t *corner)
{
    static const uint32_t tets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    for (uint32_t t = 0; t < 5; ++t) {
        const uint32_t *k = tets[t];
        link_four(volumes, corner[k[0]], corner[k[1]], corner[k[2]], corner[k[3]]);
    }
    link_two(rods, corner[0], corner[1]);
    link_two(rods, corner[0], corner[2]);
    link_two(rods, corner[0], corner[4]);
    link_two(rods, corner[1], corner[2]);
}

/* Tetrahedra: some edges, and volumes. */
static void build_block(sn_world *world, uint32_t size, uint64_t *seed)
{
    links rods = {.points = 2}, volumes = {.points = 4};
    uint32_t n = 2;
    while ((n + 1) * (n + 1) * (n + 1) <= size)
        ++n;
    uint32_t first = add_lattice(world, n, n, n, seed).first;
    for (uint32_t i = 0; i < n * n * n; ++i) {
        if (i % n == n - 1 || i / n % n == n - 1 || i / n / n == n - 1)
            continue;
        uint32_t corner[8];
        for (uint32_t k = 0; k < 8; ++k)
            corner[k] = first + i + k % 2 + k / 2 % 2 * n + k / 4 * n * n;
        link_cube(&rods, &volumes, corner);
    }
    add_links(world, SN_KIND_DISTANCE, &rods, real(1e-6));
    if (sn_world_dimensions(world) == 3)
        add_links(world, SN_KIND_VOLUME, &volumes, 0);
    free(volumes.index);
}

static void build_tree(sn_world *world, uint32_t size, uint64_t *seed)
{
    links rods = {.points = 2};
    uint32_t first = add_lattice(world, side_of(size), side_of(size), 1, seed).first;
    for (uint32_t i = 1; i < side_of(size) * side_of(size); ++i)
        link_two(&rods, first + (uint32_t)support_random_below(seed, i), first + i);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
}

sn_particles graph_star(sn_world *world, uint32_t count)
{
    links rods = {.points = 2};
    uint64_t seed = 3;
    sn_particles run = add_lattice(world, 8, (count + 7) / 8, 1, &seed);
    for (uint32_t i = 1; i < count; ++i)
        link_two(&rods, run.first, run.first + i);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
    return run;
}

/* A star, with barycentric points at the hub, and angles over it. */
static void build_star(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t count = size < 1001 ? 1001 : size;
    sn_particles run = graph_star(world, count);
    sn_real third = real(1.0 / 3);
    for (uint32_t i = 0; i < 20; ++i) {
        sn_particle hub = sn_particles_at(run, 0), a = sn_particles_at(run, 1 + 3 * i);
        sn_particle b = sn_particles_at(run, 2 + 3 * i), c = sn_particles_at(run, 3 + 3 * i);
        sn_constraint_add_distance(world, sn_on_triangle(hub, a, b, third, third, third), sn_at(c), SN_MEASURE);
        sn_constraint_add_angle(world, sn_at(a), sn_at(hub), sn_at(b), SN_MEASURE);
    }
    (void)seed;
}

static void build_cliques(sn_world *world, uint32_t size, uint64_t *seed)
{
    for (uint32_t at = 0; at < size; at += 40) {
        links rods = {.points = 2};
        sn_particles run = add_lattice(world, 4, 5, 2, seed);
        for (uint32_t i = 0; i < run.count; ++i)
            for (uint32_t j = 0; j < i; ++j)
                link_two(&rods, run.first + i, run.first + j);
        add_links(world, SN_KIND_DISTANCE, &rods, real(1e-4));
    }
}

static void build_ropes(sn_world *world, uint32_t size, uint64_t *seed)
{
    for (uint32_t at = 0; at < size; at += 13)
        build_rope(world, 13, seed);
}

static void build_cloths(sn_world *world, uint32_t size, uint64_t *seed)
{
    for (uint32_t at = 0; at < size; at += 36) {
        sn_particles run = add_lattice(world, 6, 6, 1, seed);
        link_cloth(world, run.first, 6, 6);
    }
}

/* A grid whose particles are numbered at random. */
static void build_shuffled(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t width = side_of(size), count = width * width;
    links rods = {.points = 2};
    sn_real *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    uint32_t *number = consecutive(0, count);
    assert_non_null(xyz);
    for (uint32_t i = count - 1; i > 0; --i) {
        uint32_t j = support_random_below(seed, i + 1), kept = number[i];
        number[i] = number[j];
        number[j] = kept;
    }
    for (uint32_t i = 0; i < count; ++i) {
        xyz[3 * number[i]] = real(0.1 * (i % width));
        xyz[3 * number[i] + 1] = real(0.1 * (i / width));
        xyz[3 * number[i] + 2] = 0;
    }
    sn_particles run = sn_particles_add(world, count, xyz, 0, real(0.01));
    assert_int_equal(run.count, count);
    for (uint32_t i = 0; i < count; ++i)
        number[i] += run.first;
    link_grid(&rods, number, width, width, 1);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
    free(number);
    free(xyz);
}

static void build_gaps(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t width = side_of(size);
    sn_particles run = graph_grid(world, width, width, false);
    for (uint32_t i = 1; i < run.count; ++i)
        if (support_random_below(seed, 10) == 0)
            assert_ok(world, sn_particle_remove(world, sn_particles_at(run, i)));
}

static void build_twice(sn_world *world, uint32_t size, uint64_t *seed)
{
    links rods = {.points = 2};
    sn_particles run = add_lattice(world, size, 1, 1, seed);
    for (uint32_t i = 1; i < size; ++i)
        for (uint32_t k = 0; k < 1 + support_random_below(seed, 3); ++k)
            link_two(&rods, run.first + i - k % 2, run.first + i - 1 + k % 2);
    add_links(world, SN_KIND_DISTANCE, &rods, 0);
    add_links(world, SN_KIND_DISTANCE_MAX, &rods, 0);
}

/* Rods between any two particles: no locality. */
static void build_wild(sn_world *world, uint32_t size, uint64_t *seed)
{
    links rods = {.points = 2};
    uint32_t width = side_of(size), count = width * width, first = add_lattice(world, width, width, 1, seed).first;
    for (uint32_t i = 0; i < 2 * count; ++i) {
        uint32_t a = support_random_below(seed, count), b = support_random_below(seed, count);
        if (a != b)
            link_two(&rods, first + a, first + b);
    }
    add_links(world, SN_KIND_DISTANCE, &rods, real(1e-3));
}

/* ---- Any constraint ---------------------------------------------------------------------------------------------- */

sn_particle graph_any_particle(const sn_world *world, uint64_t *seed)
{
    for (uint32_t tries = 0; tries < 20 && world->ids.table.count; ++tries) {
        uint32_t number = support_random_below(seed, world->ids.table.count);
        if (sn_ids_is_live(&world->ids, number))
            return (sn_particle){number, world->ids.generation[number]};
    }
    return (sn_particle){0};
}

/* Counted in the order in which constraints were added, so that freed rows have no effect. */
sn_constraint graph_any_constraint(const sn_world *world, uint64_t *seed)
{
    sn_constraint_walk walk = {0};
    uint32_t count = sn_world_constraint_count(world, SN_KIND_NONE);
    if (count)
        for (uint32_t left = 1 + support_random_below(seed, count); left > 0; --left)
            assert_true(sn_constraint_next(world, &walk));
    return walk.constraint;
}

/* Chooses particles with numbers close to each other, each once; false if that is impossible. */
static bool choose_neighbours(const sn_world *world, uint64_t *seed, uint32_t count, sn_particle *chosen)
{
    sn_particle first = graph_any_particle(world, seed);
    uint32_t number = first.index, found = 0;
    if (!first.generation)
        return false;
    for (uint32_t tries = 0; tries < 200 && found < count; ++tries, number += 1 + support_random_below(seed, 3)) {
        uint32_t at = number % world->ids.table.count;
        bool known = !sn_ids_is_live(&world->ids, at);
        for (uint32_t i = 0; i < found; ++i)
            known = known || chosen[i].index == at;
        if (!known)
            chosen[found++] = (sn_particle){at, world->ids.generation[at]};
    }
    return found == count;
}

/* Adds a constraint of any kind, on particles or, sometimes, on barycentric points. */
static void add_any(sn_world *world, uint64_t *seed)
{
    uint32_t kind = 1 + support_random_below(seed, sn_kind_count(world) - 1);
    const sn_kind *info = sn_kind_info(world, kind);
    sn_particle near[SUPPORT_MOST_POINTS + 2];
    sn_point points[SUPPORT_MOST_POINTS];
    uint32_t count = support_point_count(info, false);
    bool spots = support_random_below(seed, 4) == 0 && support_kind_takes_spots(info);
    uint32_t give = support_random_below(seed, 4);
    sn_real third = real(1.0 / 3);
    if (!support_kind_fits(world, kind) || !choose_neighbours(world, seed, count + 2, near))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = support_particle_of_point(info, false, i);
        points[i] = spots && i == 0 ? sn_on_triangle(near[at], near[count], near[count + 1], third, third, third)
                                    : sn_at(near[at]);
    }
    sn_constraint_def def = support_constraint_def(world, kind, points);
    if (support_kind_gives(info)) {
        def.compliance = give > 1 ? real(1e-3) : 0;
        def.damping = give == 3 ? real(0.1) : 0;
    }
    def.stiffness = support_random_below(seed, 5) == 0 ? real(0.5) : 1;
    sn_constraint_add(world, &def, NULL); /* may be refused: three points in a line bound no volume */
}

static void build_mixed(sn_world *world, uint32_t size, uint64_t *seed)
{
    uint32_t width = side_of(size);
    sn_particles run = add_lattice(world, width, width, 1, seed);
    for (uint32_t i = 0; i < 3 * size; ++i)
        add_any(world, seed);
    for (uint32_t i = 0; i < run.count; i += 7)
        assert_ok(world, sn_particle_set_mass(world, sn_particles_at(run, i), SN_IMMOVABLE));
}

const graph_shape graph_shapes[GRAPH_SHAPES] = {
    [GRAPH_EMPTY] = {"nothing", build_nothing, 0},
    [GRAPH_ONE] = {"one particle", build_one, 1},
    [GRAPH_ROPE] = {"a rope", build_rope, 9000},
    [GRAPH_GRID] = {"a grid", build_grid, 9000},
    [GRAPH_CLOTH] = {"a cloth", build_cloth, 9000},
    [GRAPH_BLOCK] = {"a block of tetrahedra", build_block, 5000},
    [GRAPH_TREE] = {"a tree", build_tree, 6000},
    [GRAPH_STAR] = {"a star", build_star, 3000},
    [GRAPH_CLIQUES] = {"cliques", build_cliques, 2400},
    [GRAPH_ROPES] = {"ropes", build_ropes, 9000},
    [GRAPH_CLOTHS] = {"cloths", build_cloths, 9000},
    [GRAPH_SHUFFLED] = {"a shuffled grid", build_shuffled, 9000},
    [GRAPH_GAPS] = {"a grid with gaps", build_gaps, 9000},
    [GRAPH_TWICE] = {"a rope of doubled rods", build_twice, 5000},
    [GRAPH_WILD] = {"rods between any two", build_wild, 6000},
    [GRAPH_MIXED] = {"all kinds", build_mixed, 5000},
};

/* ---- Edits ------------------------------------------------------------------------------------------------------- */

static void add_rod(sn_world *world, uint64_t *seed)
{
    sn_particle a = graph_any_particle(world, seed), b = graph_any_particle(world, seed);
    if (a.generation && b.generation && a.index != b.index)
        sn_constraint_add_distance(world, sn_at(a), sn_at(b), SN_MEASURE);
}

static void change_points(sn_world *world, uint64_t *seed)
{
    sn_constraint c = graph_any_constraint(world, seed);
    sn_constraint_def def;
    sn_point points[SUPPORT_MOST_POINTS];
    if (!c.generation || sn_constraint_read(world, c, &def, points, SUPPORT_MOST_POINTS) != SN_OK)
        return;
    uint32_t which = support_random_below(seed, sn_constraint_point_count(world, c));
    sn_particle p = graph_any_particle(world, seed);
    if (p.generation)
        points[which] = sn_at(p);
    sn_constraint_change(world, c, &def);
}

/* Changes the stiffness, the material or the rest length of a constraint. */
static void change_give(sn_world *world, uint64_t *seed)
{
    sn_constraint c = graph_any_constraint(world, seed);
    uint32_t which = support_random_below(seed, 6);
    sn_real half = real(0.5), rest = real(support_random_in(seed, 0.05, 0.2));
    if (!c.generation)
        return;
    if (which == 0)
        sn_constraint_set_stiffness(world, c, half);
    else if (which == 1)
        sn_constraint_set_stiffness(world, c, 1);
    else if (which == 2)
        sn_constraint_set_material(world, c, (sn_material){real(1e-3), real(0.1)});
    else if (which == 3)
        sn_constraint_set_material(world, c, (sn_material){real(support_random_in(seed, 0, 1e-3)), 0});
    else if (which == 4)
        sn_constraint_set_material(world, c, (sn_material){0, 0});
    else if (c.kind == SN_KIND_DISTANCE)
        sn_constraint_set_param(world, c, "rest", &rest, 1);
}

static void add_newcomer(sn_world *world, uint64_t *seed)
{
    double z = sn_world_dimensions(world) == 2 ? 0 : support_random_in(seed, -1, 1);
    sn_particle p = sn_particle_add_at(world, vec(support_random_in(seed, -1, 1), 2, z), 1);
    sn_particle other = graph_any_particle(world, seed);
    if (support_random_below(seed, 2) && other.index != p.index)
        sn_constraint_add_distance(world, sn_at(p), sn_at(other), SN_MEASURE);
}

static void remove_one(sn_world *world, uint64_t *seed)
{
    sn_constraint c = graph_any_constraint(world, seed);
    if (c.generation)
        assert_ok(world, sn_constraint_remove(world, c));
}

/* Removes the last particle of all, which was usually added late. */
static void remove_last(sn_world *world)
{
    uint32_t count = world->particles.table.count;
    if (!count)
        return;
    uint32_t number = world->particles.index[count - 1];
    assert_ok(world, sn_particle_remove(world, (sn_particle){number, world->ids.generation[number]}));
}

static void edit_rarely(sn_world *world, uint64_t *seed)
{
    sn_particle p = graph_any_particle(world, seed);
    switch (support_random_below(seed, 4)) {
    case 0:
        if (p.generation)
            assert_ok(world, sn_particle_remove(world, p));
        break;
    case 1:
        assert_ok(world, sn_world_shift_origin(world, vec(0.5, -0.25, 0)));
        break;
    case 2:
        assert_ok(world, sn_world_replan(world));
        break;
    default:
        remove_last(world);
    }
}

void graph_edit(sn_world *world, uint64_t *seed, bool rare)
{
    switch (support_random_below(seed, 12)) {
    case 0:
    case 1:
        add_rod(world, seed);
        break;
    case 2:
    case 3:
        remove_one(world, seed);
        break;
    case 4:
        change_points(world, seed);
        break;
    case 5:
    case 6:
    case 7:
        change_give(world, seed);
        break;
    case 8:
        add_newcomer(world, seed);
        break;
    case 9:
        if (rare && support_random_below(seed, 4) == 0)
            edit_rarely(world, seed);
        else
            remove_one(world, seed);
        break;
    default:
        add_any(world, seed);
    }
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

void graph_assert_planned(sn_world *world, const char *what, const char *file, int line)
{
    char message[512] = "";
    if (!sn_world_plan(world)) {
        print_error("%s: no plan was made\n", what);
        _fail(file, line);
    }
    sn_plan_particles particles = {.count = world->particles.table.count,
                                   .numbers = world->ids.table.count,
                                   .slot = world->ids.value,
                                   .index = world->particles.index};
    if (!support_check_plan(&world->plan, &world->constraints, &particles, message, sizeof message)) {
        print_error("%s: %s\n", what, message);
        _fail(file, line);
    }
}

void graph_assert_same_plan(const sn_world *a, const sn_world *b, const char *what, const char *file, int line)
{
    const char *wrong = a->plan.made != b->plan.made             ? "made"
                        : a->plan.canonical != b->plan.canonical ? "canonical"
                        : a->plan.particles != b->plan.particles ? "particles"
                        : a->plan.live != b->plan.live           ? "live"
                                                                 : NULL;
#define SN_PLAN_TABLE(type, name)                                                                                      \
    if (!wrong && (a->plan.name##_table.count != b->plan.name##_table.count ||                                         \
                   (a->plan.name##_table.count &&                                                                      \
                    memcmp(a->plan.name, b->plan.name, a->plan.name##_table.count * sizeof(type)) != 0)))              \
        wrong = #name;
    SN_PLAN_ARRAYS(SN_PLAN_TABLE) /* copies of constraint data are compared with the constraints */
#undef SN_PLAN_TABLE
    uint32_t count = a->particles.table.count;
    if (!wrong && (count != b->particles.table.count ||
                   (count && memcmp(a->particles.index, b->particles.index, count * sizeof(uint32_t)) != 0)))
        wrong = "order of storage";
    if (!wrong)
        return;
    print_error("%s: the plans differ in: %s\n", what, wrong);
    _fail(file, line);
}

double graph_share_in_planes(const sn_world *world)
{
    const sn_plan *plan = &world->plan;
    uint32_t in_planes = 0, live = 0;
    for (uint32_t t = 0; t < plan->tile_table.count; ++t)
        for (uint32_t r = plan->tile[t].run; plan->tile[t].rows && r < plan->tile[t].run + plan->tile[t].runs; ++r)
            for (uint32_t b = 0; b < plan->run[r].batches; ++b)
                for (uint32_t lane = 0; lane < SN_BATCH; ++lane)
                    in_planes += plan->mask[plan->run[r].batch + b] >> lane & 1;
    for (uint32_t kind = 1; kind < world->constraints.kind_count; ++kind)
        live += world->constraints.pool[kind]->kind->force ? 0 : world->constraints.pool[kind]->ids.live;
    return live ? (double)in_planes / live : 0;
}

double graph_distance(const sn_world *a, const sn_world *b)
{
    double most = 0;
    for (uint32_t i = 0; i < a->ids.table.count; ++i)
        if (sn_ids_is_live(&a->ids, i)) {
            sn_particle p = {i, a->ids.generation[i]}, q = {i, b->ids.generation[i]};
            double gap = support_gap(sn_particle_position(a, p), sn_particle_position(b, q));
            most = gap > most || gap != gap ? gap : most;
        }
    return most;
}
