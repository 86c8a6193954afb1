/* Sheets that tear, and what must be true of them: for tests of tearing and cutting. */
#ifndef SINEW_TESTS_WORLD_TEAR_MESHES_H
#define SINEW_TESTS_WORLD_TEAR_MESHES_H

#include "support/support.h"

#include "world/world.h"

#include <math.h>

/* A sheet of columns x rows particles in the plane z = 0, with rods along all edges of its triangles, the second diagonals of its cells, and hinges. */
typedef struct tear_sheet {
    uint32_t columns, rows;
    sn_particles run;
    sn_constraints rods, hinges;
    sn_skin skin;
} tear_sheet;

static inline uint32_t tear_at(const tear_sheet *s, uint32_t column, uint32_t row)
{
    return s->run.first + row * s->columns + column;
}

/* Edges are `edge` m long; every particle weighs `mass`. With jitter places are off by that share of an edge; if it is negative, in the plane only. */
static inline tear_sheet tear_sheet_add(sn_world *world, uint32_t columns, uint32_t rows, double edge, double mass,
                                        double compliance, double jitter, uint64_t seed)
{
    tear_sheet s = {.columns = columns, .rows = rows};
    const uint32_t n = columns * rows, cells = (columns - 1) * (rows - 1);
    sn_real *xyz = malloc(3 * n * sizeof *xyz);
    uint32_t *triangle = malloc(6 * cells * sizeof *triangle), *rod = malloc(12 * n * sizeof *rod),
             *hinge = malloc(16 * n * sizeof *hinge), rods = 0, hinges = 0, triangles = 0;
    const bool flat = sn_world_dimensions(world) == 2;
    for (uint32_t i = 0; i < n; ++i) {
        const double dx = jitter * support_random_in(&seed, -1, 1), dy = jitter * support_random_in(&seed, -1, 1);
        xyz[3 * i] = real(edge * (i % columns + dx));
        xyz[3 * i + 1] = real(edge * (i / columns + dy));
        xyz[3 * i + 2] = real(flat || jitter < 0 ? 0 : edge * jitter * support_random_in(&seed, -1, 1));
    }
    s.run = sn_particles_add(world, n, xyz, 0, real(mass));
    assert_int_equal(s.run.count, n);
    for (uint32_t j = 0; j < rows; ++j)
        for (uint32_t i = 0; i < columns; ++i) {
            const uint32_t p = tear_at(&s, i, j);
            if (i + 1 < columns)
                rod[2 * rods] = p, rod[2 * rods++ + 1] = p + 1;
            if (j + 1 < rows)
                rod[2 * rods] = p, rod[2 * rods++ + 1] = p + columns;
            if (i + 1 == columns || j + 1 == rows)
                continue;
            const uint32_t corner[6] = {p, p + 1, p + columns + 1, p, p + columns + 1, p + columns};
            memcpy(triangle + 3 * triangles, corner, sizeof corner);
            triangles += 2;
            rod[2 * rods] = p, rod[2 * rods++ + 1] = p + columns + 1;
            rod[2 * rods] = p + 1, rod[2 * rods++ + 1] = p + columns;
            const uint32_t diagonal[4] = {p + 1, p + columns, p, p + columns + 1};
            memcpy(hinge + 4 * hinges++, diagonal, sizeof diagonal);
            if (i + 2 < columns) { /* the edge from p + 1 up, between this cell and the next */
                const uint32_t up[4] = {p, p + columns + 2, p + 1, p + columns + 1};
                memcpy(hinge + 4 * hinges++, up, sizeof up);
            }
        }
    const sn_material give = {real(compliance), 0}, bend = {real(1e-3), 0};
    s.rods = sn_constraints_add_kind(world, SN_KIND_DISTANCE, rods, rod, NULL, &give);
    assert_int_equal(s.rods.count, rods);
    if (!flat) {
        s.hinges = sn_constraints_add_kind(world, SN_KIND_BENDING, hinges, hinge, NULL, &bend);
        assert_int_equal(s.hinges.count, hinges);
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangle;
    def.triangle_count = triangles;
    assert_ok(world, sn_skin_add(world, &def, &s.skin));
    free(xyz), free(triangle), free(rod), free(hinge);
    return s;
}

/* ---- What is kept ---------------------------------------------------------------------------------------------------------- */

typedef struct tear_sums {
    double mass, momentum[3], angular[3], centre[3], area, kinetic;
} tear_sums;

static inline void tear_cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Of all movable particles, with what rounding left over; and the area of all skins. */
static inline tear_sums tear_sum(const sn_world *world)
{
    tear_sums s = {0};
    const sn_particle_store *p = &world->particles;
    for (uint32_t number = 0; number < world->ids.table.count; ++number) {
        const uint32_t i = world->ids.value[number];
        if (i == SN_ID_FREE || p->x[i].w == 0)
            continue;
        const double m = (double)p->v[i].w;
        const double x[3] = {(double)p->x[i].x + (double)p->x_low[i].x, (double)p->x[i].y + (double)p->x_low[i].y,
                             (double)p->x[i].z + (double)p->x_low[i].z};
        const double v[3] = {(double)p->v[i].x + (double)p->v_low[i].x, (double)p->v[i].y + (double)p->v_low[i].y,
                             (double)p->v[i].z + (double)p->v_low[i].z};
        double l[3];
        tear_cross(x, v, l);
        s.mass += m;
        for (int k = 0; k < 3; ++k) {
            s.momentum[k] += m * v[k];
            s.angular[k] += m * l[k];
            s.centre[k] += m * x[k];
            s.kinetic += m * v[k] * v[k] / 2;
        }
    }
    const uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t t = 0; t < world->contact.triangle_table.count; ++t) {
        double x[3][3], e[2][3], n[3];
        for (int k = 0; k < 3; ++k) {
            const sn_vec4 at = p->x[world->ids.value[corner[3 * t + k]]];
            x[k][0] = (double)at.x, x[k][1] = (double)at.y, x[k][2] = (double)at.z;
        }
        for (int k = 0; k < 3; ++k)
            e[0][k] = x[1][k] - x[0][k], e[1][k] = x[2][k] - x[0][k];
        tear_cross(e[0], e[1], n);
        s.area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
    return s;
}

/* Mass to the last bit of the sums, the rest to rounding, in parts of what the things are large. */
static inline void tear_assert_kept(const tear_sums *before, const tear_sums *after, double tolerance)
{
    const double speed = sqrt(2 * before->kinetic / before->mass);
    double reach = 0;
    for (int k = 0; k < 3; ++k)
        reach = fmax(reach, fabs(before->centre[k]) / before->mass);
    reach += sqrt(before->area);
    assert_close(after->mass, before->mass, 1e-12 * before->mass);
    for (int k = 0; k < 3; ++k) {
        assert_close(after->momentum[k], before->momentum[k], tolerance * before->mass * (speed + 1e-9));
        assert_close(after->centre[k], before->centre[k], tolerance * before->mass * reach);
        assert_close(after->angular[k], before->angular[k], tolerance * before->mass * reach * (speed + 1e-9));
    }
}

/* ---- Valid meshes ---------------------------------------------------------------------------------------------------------- */

/* How many pieces all skins are, by edges. */
static inline uint32_t tear_pieces(const sn_world *world)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], count = world->contact.triangle_table.count;
    const uint32_t numbers = world->ids.table.count;
    uint32_t *of = malloc((numbers + 1) * sizeof *of), pieces = 0;
    bool changed = true, *used = calloc(numbers + 1, sizeof *used);
    for (uint32_t i = 0; i < numbers; ++i)
        of[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 3 * count; ++i) {
            uint32_t *a = &of[corner[i]], *b = &of[corner[i / 3 * 3 + (i + 1) % 3]];
            used[corner[i]] = true;
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t i = 0; i < numbers; ++i)
        pieces += used[i] && of[i] == i;
    free(of), free(used);
    return pieces;
}

static inline bool tear_has_edge(const uint32_t *corner, uint32_t a, uint32_t b)
{
    int found = 0;
    for (int k = 0; k < 3; ++k)
        found += corner[k] == a || corner[k] == b;
    return found == 2;
}

/* Every corner lives, no triangle has one twice, no two triangles have the same three, no edge has more than two triangles, both of which run along it in opposite
   ways; the triangles at a vertex hang together by edges there; every constraint has particles that live; and no constraint of a skin spans
   parts of it that do not hang together. That the index is true, too, is looked at if there is one. */
static inline void tear_check(sn_world *world)
{
    const uint32_t *corner = world->contact.triangle_table.column[0], count = world->contact.triangle_table.count;
    const uint32_t numbers = world->ids.table.count;
    uint32_t *piece = malloc((numbers + 1) * sizeof *piece);
    for (uint32_t i = 0; i < numbers; ++i)
        piece[i] = i;
    bool changed = true, *on_skin = calloc(numbers + 1, sizeof *on_skin);
    for (uint32_t t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) {
            on_skin[corner[3 * t + k]] = true;
            assert_true(sn_ids_is_live(&world->ids, corner[3 * t + k]));
            assert_int_not_equal(corner[3 * t + k], corner[3 * t + (k + 1) % 3]);
        }
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < count; ++t)
            for (int k = 0; k < 3; ++k) {
                uint32_t *a = &piece[corner[3 * t + k]], *b = &piece[corner[3 * t + (k + 1) % 3]];
                changed = changed || *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
    }
    assert_true(sn_tear_index(world));
    for (uint32_t v = 0; v < numbers; ++v) {
        uint32_t place[SN_TEAR_FAN], seen = 0;
        bool reached[SN_TEAR_FAN] = {true};
        if (!sn_ids_is_live(&world->ids, v))
            continue;
        const uint32_t fan = sn_tear_triangles_at(world, v, place, SN_TEAR_FAN);
        assert_int_not_equal(fan, UINT32_MAX);
        for (uint32_t i = 0; i < fan; ++i)
            assert_int_equal(corner[place[i]], v);
        changed = fan > 0;
        while (changed) { /* by edges at the vertex */
            changed = false;
            for (uint32_t i = 0; i < fan; ++i)
                for (uint32_t k = 0; k < fan && !reached[i]; ++k)
                    for (uint32_t j = 1; reached[k] && j < 3; ++j) {
                        const uint32_t other = corner[place[k] / 3 * 3 + (place[k] % 3 + j) % 3];
                        if (tear_has_edge(corner + place[i] / 3 * 3, v, other))
                            reached[i] = changed = true;
                    }
        }
        for (uint32_t i = 0; i < fan; ++i) {
            seen += reached[i];
            for (uint32_t j = 1; j < 3; ++j) {
                const uint32_t other = corner[place[i] / 3 * 3 + (place[i] % 3 + j) % 3];
                uint32_t beside = 0, same_way = 0;
                for (uint32_t k = 0; k < fan; ++k) {
                    const uint32_t *c = corner + place[k] / 3 * 3;
                    const bool has = tear_has_edge(c, v, other);
                    beside += has;
                    same_way += has && c[(place[k] % 3 + j) % 3] == other;
                }
                assert_true(beside <= 2);
                assert_int_equal(same_way, 1);
            }
        }
        assert_int_equal(seen, fan);
    }
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) {
        uint32_t small[4 * SN_MAX_POINTS], held;
        const sn_pool *pool = world->constraints.pool[walk.constraint.kind];
        const uint32_t *number = sn_store_particles(&world->constraints, pool, walk.constraint.index, small, &held);
        sn_tear_node node[SN_TEAR_CONSTRAINTS];
        for (uint32_t i = 0; i < held; ++i) {
            assert_true(sn_ids_is_live(&world->ids, number[i]));
            for (uint32_t k = 0; k < i; ++k)
                assert_int_not_equal(number[i], number[k]);
            for (uint32_t k = 0; k < i; ++k)
                if (on_skin[number[i]] && on_skin[number[k]] && piece[number[i]] != piece[number[k]])
                    fail_msg("%s %u of %u particles joins %u and %u, which are of two pieces", pool->kind->name,
                             walk.constraint.index, held, number[i], number[k]);
            bool found = false;
            const uint32_t nodes = sn_tear_constraints_at(world, number[i], node, SN_TEAR_CONSTRAINTS);
            for (uint32_t k = 0; k < nodes && !found; ++k)
                found = node[k].kind == walk.constraint.kind && node[k].row == walk.constraint.index;
            assert_true(found);
        }
    }
    free(piece), free(on_skin);
}

#endif
