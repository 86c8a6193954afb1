/* Lattices: solids of particles with rods and no tetrahedra, which tear and are cut along the faces between their cells. */
#include "world/solid_meshes.h"

static const uint8_t face_at[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

typedef struct lattice {
    sn_particles run;
    sn_constraints rods;
    sn_skin skin;
    uint32_t cells;
} lattice;

/* Adds the rods of a grid that run along the axes, the diagonals of faces, and, if wanted, of cells. */
static uint32_t add_rods(const uint32_t *n, uint32_t first, bool body, uint32_t *rod)
{
    uint32_t rods = 0;
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; ++i)
        for (uint32_t step = 0; step < 27; ++step) {
            const uint32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
            const int way[3] = {(int)(step % 3) - 1, (int)(step / 3 % 3) - 1, (int)(step / 9) - 1};
            bool there = abs(way[0]) + abs(way[1]) + abs(way[2]) < (body ? 4 : 3);
            for (int k = 0; k < 3; ++k)
                there = there && (int)at[k] + way[k] >= 0 && (int)at[k] + way[k] < (int)n[k];
            const int to = (int)i + way[0] + (int)n[0] * (way[1] + (int)n[1] * way[2]);
            if (there && to > (int)i)
                rod[2 * rods] = first + i, rod[2 * rods++ + 1] = first + (uint32_t)to;
        }
    return rods;
}

/* A lattice of so many cells of 0.1 m, with or without diagonals of cells. Without `known` the world is not told its cells. */
static lattice lattice_add(sn_world *world, const uint32_t *cells, bool body, bool known, double jitter,
                           uint64_t *random)
{
    const uint32_t n[3] = {cells[0] + 1, cells[1] + 1, cells[2] + 1}, count = n[0] * n[1] * n[2];
    lattice l = {.cells = cells[0] * cells[1] * cells[2]};
    sn_real *xyz = malloc(3 * count * sizeof *xyz);
    uint32_t *rod = malloc(26 * count * sizeof *rod), *cell = malloc(8 * l.cells * sizeof *cell),
             *triangle = malloc(36 * l.cells * sizeof *triangle), triangles = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int k = 0; k < 3; ++k)
            xyz[3 * i + (uint32_t)k] = real(0.1 * (at[k] + jitter * support_random_in(random, -1, 1)));
    }
    l.run = sn_particles_add(world, count, xyz, 0, real(support_random_in(random, 0.01, 1)));
    for (uint32_t i = 0; i < l.cells; ++i) {
        const uint32_t at[3] = {i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]};
        for (uint32_t k = 0; k < 8; ++k)
            cell[8 * i + k] = l.run.first + at[0] + (k & 1) + n[0] * (at[1] + (k >> 1 & 1) + n[1] * (at[2] + (k >> 2)));
        for (uint32_t f = 0; f < 6; ++f) {
            const uint32_t axis = f / 2, *c = cell + 8 * i;
            const uint8_t *of = face_at[f];
            if (at[axis] != (f % 2 ? cells[axis] - 1 : 0))
                continue;
            const uint32_t corner[6] = {c[of[0]], c[of[1]], c[of[2]], c[of[0]], c[of[2]], c[of[3]]};
            memcpy(triangle + 3 * triangles, corner, sizeof corner);
            triangles += 2;
        }
    }
    const sn_material give = {real(1e-4), 0};
    l.rods = sn_constraints_add_kind(world, SN_KIND_DISTANCE, add_rods(n, l.run.first, body, rod), rod, NULL, &give);
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangle, def.triangle_count = triangles;
    assert_ok(world, sn_skin_add(world, &def, &l.skin));
    if (known)
        assert_ok(world, sn_skin_set_cells(world, l.skin, cell, l.cells));
    free(xyz), free(rod), free(cell), free(triangle);
    return l;
}

static void set_strength(sn_world *world, sn_skin skin, double strain, double force, uint32_t seed)
{
    sn_tear_def def = sn_default_tear_def();
    def.strain = real(strain), def.force = real(force), def.spread = real(0.3), def.seed = seed;
    assert_ok(world, sn_skin_set_tear(world, skin, &def));
}

static const sn_cell *cells_of(const sn_world *world, uint32_t *count)
{
    *count = world->contact.cell_table.count;
    return world->contact.cell_table.column[0];
}

static bool cell_has(const sn_cell *cell, uint32_t particle)
{
    for (uint32_t k = 0; k < 8; ++k)
        if (cell->corner[k] == particle)
            return true;
    return false;
}

/* How many pieces the cells are, by common corners. */
static uint32_t lattice_pieces(const sn_world *world)
{
    uint32_t count, pieces = 0, *of = malloc((world->ids.table.count + 1) * sizeof *of);
    const sn_cell *cell = cells_of(world, &count);
    bool changed = true, *used = calloc(world->ids.table.count + 1, sizeof *used);
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        of[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 8 * count; ++i) {
            uint32_t *a = &of[cell[i / 8].corner[i % 8]], *b = &of[cell[i / 8].corner[(i + 1) % 8]];
            used[cell[i / 8].corner[i % 8]] = true;
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        pieces += used[i] && of[i] == i;
    free(of), free(used);
    return pieces;
}

/* The skin has two triangles for each face that one cell alone has, and both are in that face; edges are passed as often one way as the other; cells have eight
   particles that live; every rod is in a cell, so none spans a tear; every particle is a corner of a cell. */
static void check_lattice(sn_world *world)
{
    uint32_t count, faces = 0, triangles = world->contact.triangle_table.count,
                    *at_face = calloc(triangles + 1, sizeof *at_face);
    const uint32_t *corner = world->contact.triangle_table.column[0];
    const sn_cell *cell = cells_of(world, &count);
    bool *used = calloc(world->ids.table.count + 1, sizeof *used);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t f = 0; f < 6; ++f) {
            uint32_t beside = 0, found = 0;
            for (uint32_t k = 0; k < count; ++k) {
                bool all = k != i;
                for (uint32_t j = 0; j < 4; ++j)
                    all = all && cell_has(&cell[k], cell[i].corner[face_at[f][j]]);
                beside += all;
            }
            assert_true(beside <= 1);
            faces += !beside;
            for (uint32_t t = 0; t < triangles; ++t) {
                uint32_t in = 0;
                for (uint32_t j = 0; j < 4; ++j)
                    for (uint32_t k = 0; k < 3; ++k)
                        in += corner[3 * t + k] == cell[i].corner[face_at[f][j]];
                found += in == 3;
                at_face[t] += in == 3;
            }
            assert_int_equal(found, beside ? 0 : 2);
        }
    assert_int_equal(2 * faces, triangles);
    for (uint32_t t = 0; t < triangles; ++t)
        assert_int_equal(at_face[t], 1);
    for (uint32_t i = 0; i < 3 * triangles; ++i) {
        int ways = 0;
        const uint32_t a = corner[i], b = corner[i / 3 * 3 + (i + 1) % 3];
        for (uint32_t k = 0; k < 3 * triangles; ++k) {
            const uint32_t c = corner[k], d = corner[k / 3 * 3 + (k + 1) % 3];
            ways += (c == a && d == b) - (c == b && d == a);
        }
        assert_int_equal(ways, 0);
    }
    for (uint32_t i = 0; i < 8 * count; ++i) {
        assert_true(sn_ids_is_live(&world->ids, cell[i / 8].corner[i % 8]));
        used[cell[i / 8].corner[i % 8]] = true;
        for (uint32_t k = i / 8 * 8; k < i; ++k)
            assert_int_not_equal(cell[i / 8].corner[i % 8], cell[k / 8].corner[k % 8]);
    }
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        assert_int_equal(used[i], sn_ids_is_live(&world->ids, i));
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        const uint32_t *p = world->constraints.pool[walk.constraint.kind]->point + 2 * (size_t)walk.constraint.index;
        bool inside = false;
        for (uint32_t i = 0; i < count && !inside; ++i)
            inside = cell_has(&cell[i], p[0]) && cell_has(&cell[i], p[1]);
        assert_true(inside);
    }
    check_index(world);
    free(at_face), free(used);
}

/* Pulls its ends apart by 4 mm a frame until it is in two, or for 240 frames. Returns the number of frames. */
static uint32_t pull_in_two(sn_world *world, const lattice *l, uint32_t row, uint32_t *splits)
{
    uint32_t frame = 0;
    *splits = 0;
    for (; frame < 240 && lattice_pieces(world) < 2; ++frame) {
        for (uint32_t i = 0; i < l->run.count; ++i)
            if (i % row == 0 || i % row == row - 1) {
                sn_vec3 x = sn_particle_position(world, sn_particles_at(l->run, i));
                x.x += real(i % row ? 0.002 : -0.002);
                assert_ok(world, sn_particle_move_to(world, sn_particles_at(l->run, i), x));
            }
        uint32_t count;
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(tear[i].type, SN_TEAR_SPLIT);
            assert_int_equal(tear[i].skin.index, l->skin.index);
            assert_true(sn_particle_is_valid(world, tear[i].made) && sn_particle_is_valid(world, tear[i].particle));
        }
        *splits += count;
        check_lattice(world);
    }
    return frame;
}

/* A bar whose ends are pulled apart parts in two closed parts: by strain and by force, with diagonals of cells and without. No rod is removed, and handles
   stay. */
static void test_a_bar_is_pulled_in_two(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 4; ++how) {
        uint64_t random = 3;
        const uint32_t cells[3] = {8, 2, 2};
        sn_world *world = make_world(1);
        const lattice l = lattice_add(world, cells, how % 2, true, 0.05, &random);
        set_strength(world, l.skin, how / 2 ? 0 : 0.2, how / 2 ? 50 : 0, 5);
        const double mass = tear_sum(world).mass;
        uint32_t splits;
        const uint32_t frames = pull_in_two(world, &l, 9, &splits);
        print_message("%u frames, %u splits, %u pieces\n", frames, splits, lattice_pieces(world));
        assert_true(frames > 3 && frames < 240);
        assert_true(splits >= 9 && splits < 120); /* nine particles are across it */
        assert_close(tear_sum(world).mass, mass, 1e-12 * mass);
        for (uint32_t i = 0; i < l.rods.count; ++i)
            assert_true(sn_constraint_is_valid(world, sn_constraints_at(l.rods, i)));
        sn_world_destroy(world);
    }
}

/* Lattices that fly apart: whole after every step, the same on threads and after loading, and momentum stays. */
static void test_random_tears_leave_closed_lattices(void **state)
{
    (void)state;
    uint32_t splits = 0;
    for (uint64_t seed = 1; seed <= support_long(200, 6); ++seed) {
        sn_world *world[3];
        const uint32_t cells[2][3] = {{3, 3, 2}, {2, 2, 2}};
        for (uint32_t w = 0; w < 3; ++w) {
            uint64_t same = seed * 77;
            world[w] = make_world(w == 1 ? 3 : 1);
            const lattice l = lattice_add(world[w], cells[0], seed % 2, true, 0.1, &same),
                          m = lattice_add(world[w], cells[1], seed % 2, true, 0.05, &same);
            for (uint32_t i = 0; i < l.run.count + m.run.count; ++i) {
                const sn_particle p =
                    i < l.run.count ? sn_particles_at(l.run, i) : sn_particles_at(m.run, i - l.run.count);
                const sn_vec3 x = sn_particle_position(world[w], p);
                assert_ok(world[w], sn_particle_set_velocity(world[w], p,
                                                             vec(40 * (double)x.x + support_random_in(&same, -2, 2),
                                                                 20 * (double)x.y + support_random_in(&same, -2, 2),
                                                                 5 * (double)x.z)));
            }
            set_strength(world[w], l.skin, 0.1, 0, (uint32_t)seed);
            set_strength(world[w], m.skin, 0.05, 0, (uint32_t)seed);
        }
        const tear_sums before = tear_sum(world[0]);
        for (uint32_t round = 0; round < 12; ++round) {
            for (uint32_t w = 0; w < 3; ++w) {
                if (w == 2) {
                    sn_snapshot *now = sn_world_save(world[2]);
                    assert_ok(world[2], sn_world_load(world[2], now));
                    sn_snapshot_destroy(now);
                }
                assert_ok(world[w], sn_world_step(world[w], real(1.0 / 240)));
            }
            uint32_t count;
            sn_world_tears(world[0], &count);
            splits += count;
            check_lattice(world[0]);
            assert_same_world(world[0], world[1]);
            assert_same_world(world[0], world[2]);
        }
        const tear_sums after = tear_sum(world[0]);
        assert_close(after.mass, before.mass, 1e-12 * before.mass);
        for (int k = 0; k < 3; ++k)
            assert_close(after.momentum[k], before.momentum[k],
                         1e-5 * before.mass * sqrt(2 * before.kinetic / before.mass));
        for (uint32_t w = 0; w < 3; ++w)
            sn_world_destroy(world[w]);
    }
    print_message("%u splits\n", splits);
    assert_true(splits > 100);
}

/* A plane cuts a lattice in two closed ones; mass, momenta and energy are those of before. A second cut there finds nothing. */
static void test_a_plane_cuts_a_lattice_in_two(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= support_rounds(24, 6); ++seed) {
        uint64_t random = seed;
        const uint32_t cells[3] = {4, 3, 3};
        sn_world *world = make_world(1);
        const lattice l = lattice_add(world, cells, seed % 2, true, 0.1, &random);
        for (uint32_t i = 0; i < l.run.count; ++i)
            assert_ok(world,
                      sn_particle_set_velocity(world, sn_particles_at(l.run, i),
                                               vec(support_random_in(&random, -1, 1), support_random_in(&random, -1, 1),
                                                   support_random_in(&random, -1, 1))));
        assert_ok(world, sn_world_step(world, real(1.0 / 120)));
        sn_cut_def def = sn_default_cut_def();
        def.blade = SN_BLADE_PLANE;
        def.a = vec(0.21, 0.15, 0.15);
        def.b = vec(1, support_random_in(&random, -0.5, 0.5), support_random_in(&random, -0.5, 0.5));
        sn_cut_info info;
        sn_report energy[2];
        const tear_sums before = tear_sum(world);
        assert_ok(world, sn_world_report(world, &energy[0]));
        assert_ok(world, sn_world_cut(world, &def, &info));
        assert_ok(world, sn_world_report(world, &energy[1]));
        const tear_sums after = tear_sum(world);
        assert_true(info.split >= 16);
        assert_int_equal(info.inserted + info.removed, 0);
        assert_int_equal(lattice_pieces(world), 2);
        tear_assert_kept(&before, &after, 1e-12);
        assert_close(energy[1].kinetic, energy[0].kinetic, 1e-9 * energy[0].kinetic);
        assert_close(energy[1].elastic, energy[0].elastic, 1e-5 * energy[0].elastic);
        check_lattice(world);
        const uint64_t hash = sn_world_hash(world);
        assert_ok(world, sn_world_cut(world, &def, &info)); /* it is cut already, and says so */
        assert_int_equal(info.split + info.inserted + info.removed, 0);
        assert_int_equal(sn_world_hash(world), hash);
        sn_world_destroy(world);
    }
}

static sn_vec3 any_place(uint64_t *random)
{
    return vec(support_random_in(random, -0.2, 0.6), support_random_in(random, -0.2, 0.5),
               support_random_in(random, -0.2, 0.5));
}

/* Random cuts, with steps between: whole after each, and the same saved and loaded in between. */
static void test_random_cuts_leave_closed_lattices(void **state)
{
    (void)state;
    uint32_t cuts = 0, parted = 0;
    for (uint64_t seed = 1; seed <= support_long(200, 10); ++seed) {
        sn_world *world[2];
        const uint32_t cells[3] = {3, 3, 3};
        uint64_t random = seed;
        for (uint32_t w = 0; w < 2; ++w) {
            uint64_t same = seed * 31;
            world[w] = make_world(w + 1);
            const lattice l = lattice_add(world[w], cells, seed % 2, true, 0.1, &same);
            set_strength(world[w], l.skin, 0.3, 0, (uint32_t)seed);
        }
        for (uint32_t round = 0; round < 6; ++round) {
            sn_cut_def def = sn_default_cut_def();
            def.blade = (sn_blade)support_random_below(&random, 3);
            def.a = any_place(&random), def.b = any_place(&random);
            def.to_a = any_place(&random), def.to_b = any_place(&random);
            for (uint32_t w = 0; w < 2; ++w) {
                sn_cut_info info;
                if (w) {
                    sn_snapshot *now = sn_world_save(world[1]);
                    assert_ok(world[1], sn_world_load(world[1], now));
                    sn_snapshot_destroy(now);
                }
                const tear_sums before = tear_sum(world[w]);
                assert_ok(world[w], sn_world_cut(world[w], &def, &info));
                const tear_sums after = tear_sum(world[w]);
                tear_assert_kept(&before, &after, 1e-12);
                parted += !w && info.split > 0, cuts += !w;
                assert_ok(world[w], sn_world_step(world[w], real(1.0 / 2400)));
            }
            check_lattice(world[0]);
            assert_same_world(world[0], world[1]);
        }
        sn_world_destroy(world[0]), sn_world_destroy(world[1]);
    }
    print_message("%u cuts, %u of which parted something\n", cuts, parted);
    assert_true(parted > cuts / 4);
}

static bool refuse(void *context, const sn_tear *tear)
{
    assert_int_equal(tear->made.generation, 0);
    ++*(uint32_t *)context;
    return false;
}

/* What the caller refuses holds, in tears and in cuts. */
static void test_refused_lattices_hold(void **state)
{
    (void)state;
    uint64_t random = 9;
    uint32_t asked = 0, splits;
    const uint32_t cells[3] = {4, 2, 2};
    sn_world *world = make_world(1);
    const lattice l = lattice_add(world, cells, false, true, 0, &random);
    set_strength(world, l.skin, 0.05, 0, 1);
    assert_ok(world, sn_world_set_tear_function(world, refuse, &asked));
    assert_int_equal(pull_in_two(world, &l, 5, &splits), 240);
    assert_true(asked > 100);
    assert_int_equal(splits, 0);
    const uint32_t before = asked;
    sn_cut_def def = sn_default_cut_def();
    sn_cut_info info;
    def.blade = SN_BLADE_PLANE, def.a = sn_particle_position(world, sn_particles_at(l.run, 2)), def.a.x += real(0.01);
    def.b = vec(1, 0, 0);
    assert_ok(world, sn_world_cut(world, &def, &info));
    assert_true(asked > before);
    assert_int_equal(info.split + info.removed, 0);
    check_lattice(world);
    sn_world_destroy(world);
}

/* What makes no sense is refused and changes nothing. Cells go with their particles and with their skin. */
static void test_cells_are_checked_and_go(void **state)
{
    (void)state;
    uint64_t random = 2;
    const uint32_t cells[3] = {2, 2, 2};
    sn_world *world = make_world(1);
    const lattice l = lattice_add(world, cells, false, true, 0, &random);
    uint32_t bad[16], count;
    memcpy(bad, cells_of(world, &count), 8 * sizeof *bad);
    memcpy(bad + 8, bad, 8 * sizeof *bad);
    assert_int_equal(count, 8);
    const uint64_t hash = sn_world_hash(world);
    bad[11] = 1000;
    assert_result(world, SN_ERROR_ARGUMENT, sn_skin_set_cells(world, l.skin, bad, 2));
    bad[11] = bad[12];
    assert_result(world, SN_ERROR_ARGUMENT, sn_skin_set_cells(world, l.skin, bad, 2));
    assert_result(world, SN_ERROR_ARGUMENT, sn_skin_set_cells(world, l.skin, NULL, 2));
    assert_result(world, SN_ERROR_LIMIT, sn_skin_set_cells(world, l.skin, bad, UINT32_MAX));
    assert_result(world, SN_ERROR_STALE, sn_skin_set_cells(world, (sn_skin){9, 1}, bad, 1));
    assert_int_equal(sn_skin_set_cells(NULL, l.skin, bad, 1), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_hash(world), hash);
    assert_ok(world, sn_particle_remove(world, sn_particles_at(l.run, 0)));
    cells_of(world, &count);
    assert_int_equal(count, 7);
    const lattice m = lattice_add(world, cells, false, true, 0, &random);
    cells_of(world, &count);
    assert_int_equal(count, 15);
    assert_ok(world, sn_skin_remove(world, l.skin));
    cells_of(world, &count);
    assert_int_equal(count, 8);
    assert_ok(world, sn_skin_set_cells(world, m.skin, NULL, 0));
    cells_of(world, &count);
    assert_int_equal(count, 0);
    sn_world_destroy(world);
}

/* Without memory nothing is cut, and no cells are taken. */
static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t at = 1;; ++at) {
        support_memory memory = {0};
        sn_world_def scarce = support_scarce(&memory);
        sn_world *world = NULL;
        uint64_t random = 3;
        const uint32_t cells[3] = {2, 2, 2};
        uint32_t list[64];
        assert_int_equal(sn_world_create(&scarce, &world), SN_OK);
        const lattice l = lattice_add(world, cells, false, true, 0, &random);
        for (uint32_t i = 0, count; i < 64; ++i)
            list[i] = cells_of(world, &count)[i / 8].corner[i % 8];
        assert_ok(world, sn_skin_set_cells(world, l.skin, NULL, 0));
        sn_cut_def def = sn_default_cut_def();
        def.blade = SN_BLADE_PLANE, def.a = vec(0.11, 0, 0), def.b = vec(1, 0.1, 0);
        sn_cut_info info;
        uint64_t before = sn_world_hash(world);
        memory.fail_at = memory.requests + at;
        bool out = ran_out(world, before, sn_skin_set_cells(world, l.skin, list, 8));
        const bool none = out;
        before = sn_world_hash(world);
        if (!none)
            out = ran_out(world, before, sn_world_cut(world, &def, &info));
        const bool failed = memory.failures > 0;
        memory.fail_at = 0;
        if (none)
            assert_ok(world, sn_skin_set_cells(world, l.skin, list, 8));
        if (out)
            assert_ok(world, sn_world_cut(world, &def, &info));
        assert_true(info.split > 0);
        check_lattice(world);
        sn_world_destroy(world);
        assert_memory_clean(&memory);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bar_is_pulled_in_two),
        cmocka_unit_test(test_random_tears_leave_closed_lattices),
        cmocka_unit_test(test_a_plane_cuts_a_lattice_in_two),
        cmocka_unit_test(test_random_cuts_leave_closed_lattices),
        cmocka_unit_test(test_refused_lattices_hold),
        cmocka_unit_test(test_cells_are_checked_and_go),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
