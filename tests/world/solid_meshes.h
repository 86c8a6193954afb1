/* Blocks of tetrahedra for tests of cuts and tears, and what must hold for them. */
#ifndef SINEW_TESTS_WORLD_SOLID_MESHES_H
#define SINEW_TESTS_WORLD_SOLID_MESHES_H

#include "world/tear_meshes.h"

/* A block of cells, each of six tetrahedra around one of its diagonals, with rods along all edges and a skin around it. */
typedef struct block {
    sn_particles run;
    sn_constraints tetrahedra, rods;
    sn_skin skin;
} block;

static inline int compare(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(uint32_t));
}

static inline void sort_three(uint32_t *f)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k)
            if (f[k] > f[k + 1]) {
                const uint32_t t = f[k];
                f[k] = f[k + 1], f[k + 1] = t;
            }
}

static inline double volume(const sn_world *world, const uint32_t *p)
{
    double x[4][3], n[3], e[2][3];
    for (int i = 0; i < 4; ++i) {
        const sn_vec4 at = world->particles.x[world->ids.value[p[i]]];
        x[i][0] = (double)at.x, x[i][1] = (double)at.y, x[i][2] = (double)at.z;
    }
    for (int k = 0; k < 3; ++k)
        e[0][k] = x[1][k] - x[0][k], e[1][k] = x[2][k] - x[0][k];
    tear_cross(e[0], e[1], n);
    return (n[0] * (x[3][0] - x[0][0]) + n[1] * (x[3][1] - x[0][1]) + n[2] * (x[3][2] - x[0][2])) / 6;
}

/* Faces of all tetrahedra with their corners in order; those that are there once are the surface. Returns how many these are. */
static inline uint32_t surface_of(const sn_world *world, uint32_t (*out)[3])
{
    static const uint8_t of[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    uint32_t(*all)[3] = malloc(((size_t)pool->ids.table.count * 4 + 1) * sizeof *all), count = 0, kept = 0;
    for (uint32_t row = 0; row < pool->ids.table.count; ++row)
        for (uint32_t f = 0; sn_ids_is_live(&pool->ids, row) && f < 4; ++f, ++count) {
            for (int k = 0; k < 3; ++k)
                all[count][k] = pool->point[4 * row + of[f][k]];
            sort_three(all[count]);
        }
    qsort(all, count, sizeof *all, compare);
    for (uint32_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && compare(all[i], all[i + same]) == 0;)
            ++same;
        assert_true(same <= 2);
        if (same == 1)
            memcpy(out[kept++], all[i], sizeof *out);
    }
    free(all);
    return kept;
}

static inline block block_add(sn_world *world, uint32_t n, uint32_t m, uint32_t l, double jitter, uint64_t *random)
{
    static const uint8_t way[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}; /* of corners, bits x y z */
    const uint32_t count = (n + 1) * (m + 1) * (l + 1), cells = n * m * l;
    block b = {0};
    sn_real *xyz = malloc(3 * count * sizeof *xyz);
    uint32_t *tet = malloc(24 * cells * sizeof *tet), (*pair)[3] = malloc(36 * cells * sizeof *pair), tets = 0,
             pairs = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at[3] = {i % (n + 1), i / (n + 1) % (m + 1), i / ((n + 1) * (m + 1))};
        for (int k = 0; k < 3; ++k)
            xyz[3 * i + (uint32_t)k] = real(0.1 * (at[k] + jitter * support_random_in(random, -1, 1)));
    }
    b.run = sn_particles_add(world, count, xyz, 0, real(support_random_in(random, 0.01, 1)));
    for (uint32_t c = 0; c < cells; ++c) {
        const uint32_t at[3] = {c % n, c / n % m, c / (n * m)};
        uint32_t corner[8];
        for (uint32_t k = 0; k < 8; ++k)
            corner[k] = b.run.first + (at[0] + (k & 1)) + (n + 1) * (at[1] + (k >> 1 & 1)) +
                        (n + 1) * (m + 1) * (at[2] + (k >> 2));
        for (uint32_t k = 0; k < 6; ++k, ++tets) {
            uint32_t p[4] = {corner[0], corner[way[k][0]], corner[way[k][1]], corner[7]};
            if (volume(world, p) < 0)
                p[1] = corner[way[k][1]], p[2] = corner[way[k][0]];
            memcpy(tet + 4 * tets, p, sizeof p);
            for (int e = 0; e < 6; ++e) {
                static const uint8_t end[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
                const uint32_t a = p[end[e][0]], d = p[end[e][1]];
                pair[pairs][0] = a < d ? a : d, pair[pairs][1] = a < d ? d : a, pair[pairs++][2] = 0;
            }
        }
    }
    qsort(pair, pairs, sizeof *pair, compare);
    uint32_t *rod = malloc(2 * pairs * sizeof *rod), rods = 0;
    for (uint32_t i = 0; i < pairs; ++i)
        if (i == 0 || compare(pair[i], pair[i - 1]) != 0)
            memcpy(rod + 2 * rods++, pair[i], 2 * sizeof *rod);
    const sn_material give = {real(1e-4), 0}, keep = {real(1e-6), 0};
    b.tetrahedra = sn_constraints_add_kind(world, SN_KIND_VOLUME, tets, tet, NULL, &keep);
    b.rods = sn_constraints_add_kind(world, SN_KIND_DISTANCE, rods, rod, NULL, &give);
    assert_int_equal(b.tetrahedra.count, tets);
    assert_int_equal(b.rods.count, rods);
    uint32_t(*face)[3] = malloc(4 * (size_t)world->constraints.pool[SN_KIND_VOLUME]->ids.table.count * sizeof *face);
    const uint32_t all = surface_of(world, face);
    uint32_t faces = 0;
    for (uint32_t i = 0; i < all; ++i) /* not those of a block that was there before */
        if (face[i][0] >= b.run.first)
            memmove(face[faces++], face[i], sizeof *face);
    for (uint32_t i = 0; i < faces; ++i) /* seen from outside counter-clockwise: the fourth corner is behind */
        for (uint32_t t = 0; t < tets; ++t) {
            uint32_t other = UINT32_MAX, found = 0;
            for (int k = 0; k < 4; ++k) {
                const uint32_t p = tet[4 * t + (uint32_t)k];
                const bool has = p == face[i][0] || p == face[i][1] || p == face[i][2];
                found += has;
                other = has ? other : p;
            }
            const uint32_t turned[4] = {face[i][0], face[i][1], face[i][2], other};
            if (found == 3 && volume(world, turned) > 0)
                face[i][1] = turned[2], face[i][2] = turned[1];
        }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = &face[0][0], def.triangle_count = faces;
    assert_ok(world, sn_skin_add(world, &def, &b.skin));
    free(xyz), free(tet), free(pair), free(rod), free(face);
    return b;
}

/* The skin has the faces that are at the surface, no other and each once, and every edge is passed once in both ways. */
static inline void check_closed(const sn_world *world)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], count = world->contact.triangle_table.count;
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    uint32_t(*face)[3] = malloc(4 * (size_t)pool->ids.table.count * sizeof *face);
    uint32_t(*own)[3] = malloc((count + 1) * sizeof *own), (*edge)[3] = malloc((3 * count + 1) * sizeof *edge);
    assert_int_equal(surface_of(world, face), count);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(own[i], corner + 3 * i, sizeof *own);
        sort_three(own[i]);
        for (uint32_t k = 0; k < 3; ++k)
            edge[3 * i + k][0] = corner[3 * i + k], edge[3 * i + k][1] = corner[3 * i + (k + 1) % 3],
                         edge[3 * i + k][2] = 0;
    }
    qsort(own, count, sizeof *own, compare);
    assert_memory_equal(own, face, count * sizeof *own);
    qsort(edge, 3 * count, sizeof *edge, compare);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        uint32_t ways[2] = {
            0, 0}; /* several closed sheets may have an edge in common: as many pass it one way as the other */
        const uint32_t back[3] = {edge[i][1], edge[i][0], 0};
        for (uint32_t k = 0; k < 3 * count; ++k)
            ways[0] += compare(edge[k], edge[i]) == 0, ways[1] += compare(edge[k], back) == 0;
        assert_int_equal(ways[0], ways[1]);
    }
    free(face), free(own), free(edge);
}

/* Every constraint is found at its particles, which are there and different. */
static inline void check_index(sn_world *world)
{
    assert_true(sn_tear_index(world));
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        uint32_t small[4 * SN_MAX_POINTS], held;
        sn_tear_node node[SN_TEAR_CONSTRAINTS];
        const uint32_t *number = sn_store_particles(&world->constraints, world->constraints.pool[walk.constraint.kind],
                                                    walk.constraint.index, small, &held);
        for (uint32_t i = 0; i < held; ++i) {
            bool found = false;
            const uint32_t nodes = sn_tear_constraints_at(world, number[i], node, SN_TEAR_CONSTRAINTS);
            for (uint32_t k = 0; k < nodes && !found; ++k)
                found = node[k].kind == walk.constraint.kind && node[k].row == walk.constraint.index;
            assert_true(found && sn_ids_is_live(&world->ids, number[i]));
            for (uint32_t k = 0; k < i; ++k)
                assert_int_not_equal(number[i], number[k]);
        }
    }
}

static inline void check_constraints(sn_world *world, double whole)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    double sum = 0;
    for (uint32_t row = 0; row < pool->ids.table.count; ++row)
        if (sn_ids_is_live(&pool->ids, row)) {
            const double v = volume(world, pool->point + 4 * row);
            assert_true(v > 0);
            sum += v;
        }
    assert_close(sum, whole, 1e-6 * whole);
    check_index(world);
}

static inline double whole_of(const sn_world *world)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    double sum = 0;
    for (uint32_t row = 0; row < pool->ids.table.count; ++row)
        sum += sn_ids_is_live(&pool->ids, row) ? volume(world, pool->point + 4 * row) : 0;
    return sum;
}

static inline uint32_t pieces_of(const sn_world *world)
{
    const sn_pool *pool = world->constraints.pool[SN_KIND_VOLUME];
    uint32_t *of = malloc((world->ids.table.count + 1) * sizeof *of), pieces = 0;
    bool changed = true, *used = calloc(world->ids.table.count + 1, sizeof *used);
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        of[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 4 * pool->ids.table.count; ++i) {
            uint32_t *a = &of[pool->point[i]], *b = &of[pool->point[i / 4 * 4 + (i + 1) % 4]];
            used[pool->point[i]] = true;
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t i = 0; i < world->ids.table.count; ++i)
        pieces += used[i] && of[i] == i;
    free(of), free(used);
    return pieces;
}

static inline sn_world *make_world(uint32_t threads)
{
    sn_world_def def = sn_default_world_def();
    def.settings.gravity = vec(0, 0, 0);
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    return world;
}

static inline void set_moving(sn_world *world, const block *b)
{
    for (uint32_t i = 0; i < b->run.count; ++i) {
        const sn_particle p = sn_particles_at(b->run, i);
        const sn_vec3 x = sn_particle_position(world, p);
        assert_ok(world, sn_particle_set_velocity(
                             world, p, vec(3 * (double)x.y + 1, 2 - 5 * (double)x.x, 4 * (double)x.x - (double)x.z)));
    }
}

/* Its skin collides with itself. */
static inline void collide_with_itself(sn_world *world, block *b)
{
    uint32_t count;
    const uint32_t *corner = sn_skin_triangles(world, b->skin, &count);
    uint32_t *triangle = malloc(3 * (size_t)count * sizeof *triangle);
    memcpy(triangle, corner, 3 * (size_t)count * sizeof *triangle);
    assert_ok(world, sn_skin_remove(world, b->skin));
    sn_skin_def skin = sn_default_skin_def();
    skin.triangles = triangle, skin.triangle_count = count;
    skin.thickness = real(0.004), skin.self_collision = true;
    assert_ok(world, sn_skin_add(world, &skin, &b->skin));
    free(triangle);
}

/* A plane across the middle of a block, askew. */
static inline sn_cut_def random_plane(uint64_t *random)
{
    sn_cut_def def = sn_default_cut_def();
    def.blade = SN_BLADE_PLANE;
    def.a = vec(0.21, 0.15, 0.15);
    def.b = vec(1, support_random_in(random, -0.5, 0.5), support_random_in(random, -0.5, 0.5));
    return def;
}

#endif
