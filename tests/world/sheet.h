/* A hanging sheet whose rods come and go: what a plan has to follow. */
#ifndef SINEW_TESTS_WORLD_SHEET_H
#define SINEW_TESTS_WORLD_SHEET_H

#include "support/support.h"

enum { SHEET_SIDE = 24, SHEET_NODES = SHEET_SIDE * SHEET_SIDE, SHEET_RODS = 2 * SHEET_SIDE * (SHEET_SIDE - 1) };

typedef struct sheet {
    sn_world *world;
    uint64_t seed; /* of its edits */
    sn_constraint rod[SHEET_RODS];
} sheet;

static inline sn_constraint sheet_join(sn_world *world, uint32_t a, uint32_t b)
{
    return sn_constraint_add_distance(world, sn_at(sn_particle_from_index(world, a)),
                                      sn_at(sn_particle_from_index(world, b)), SN_MEASURE);
}

/* In an empty world. */
static inline sheet sheet_in(sn_world *world)
{
    sheet s = {.world = world, .seed = 5};
    uint32_t count = 0;
    for (uint32_t i = 0; i < SHEET_NODES; ++i)
        sn_particle_add_at(world, vec(0.1 * (i % SHEET_SIDE), 0, 0.1 * (i / SHEET_SIDE)),
                           i < SHEET_SIDE ? SN_IMMOVABLE : 1);
    for (uint32_t i = 0; i < SHEET_NODES; ++i) {
        if (i % SHEET_SIDE + 1 < SHEET_SIDE)
            s.rod[count++] = sheet_join(world, i, i + 1);
        if (i + SHEET_SIDE < SHEET_NODES)
            s.rod[count++] = sheet_join(world, i, i + SHEET_SIDE);
    }
    assert_int_equal(count, SHEET_RODS);
    return s;
}

/* All that may be asked of a world between edits. */
static inline void sheet_look(sheet *s)
{
    sn_report report;
    assert_true(sn_world_hash(s->world) != 0);
    assert_ok(s->world, sn_world_report(s->world, &report));
    sn_snapshot *saved = sn_world_save(s->world);
    assert_non_null(saved);
    sn_snapshot_destroy(saved);
}

/* Something is there for a moment only. */
static inline void sheet_edit_and_undo(sheet *s, sn_constraint rod, uint32_t a, bool look)
{
    bool give = a % 2 && sn_constraint_is_valid(s->world, rod);
    sn_constraint passing = {0};
    if (give)
        assert_ok(s->world, sn_constraint_set_material(s->world, rod, (sn_material){real(1e-5), 1}));
    else
        passing = sheet_join(s->world, a, (a + 7) % SHEET_NODES);
    if (look)
        sheet_look(s);
    if (give)
        assert_ok(s->world, sn_constraint_set_material(s->world, rod, (sn_material){real(1e-5), 0}));
    else
        assert_ok(s->world, sn_constraint_remove(s->world, passing));
}

/* One edit of many, the same for the same seed: a rod goes, comes, gets other ends, or becomes shorter or soft, or a
   particle comes. */
static inline void sheet_edit(sheet *s, bool look)
{
    sn_world *world = s->world;
    sn_constraint *one = &s->rod[support_random_below(&s->seed, SHEET_RODS)];
    uint32_t a = support_random_below(&s->seed, SHEET_NODES), what = support_random_below(&s->seed, 6);
    bool there = sn_constraint_is_valid(world, *one);
    sn_point ends[2] = {sn_at(sn_particle_from_index(world, a)),
                        sn_at(sn_particle_from_index(world, (a + 2) % SHEET_NODES))};
    sn_constraint_def def = sn_default_constraint_def(SN_KIND_DISTANCE);
    def.points = ends;
    if (!there)
        *one = sheet_join(world, a, (a + 1) % SHEET_NODES);
    else if (what == 0)
        assert_ok(world, sn_constraint_remove(world, *one));
    else if (what == 1)
        assert_ok(world, sn_constraint_change(world, *one, &def));
    else if (what == 2)
        assert_ok(world, sn_constraint_set_param(world, *one, "rest", (const sn_real[]){real(0.09)}, 1));
    else if (what == 3)
        assert_ok(world, sn_constraint_set_material(world, *one, (sn_material){real(1e-5), 0}));
    else if (what == 4)
        sheet_edit_and_undo(s, *one, a, look);
    else
        sheet_join(world, sn_particle_add_at(world, vec(0.1 * a, 1, 0), 1).index, a);
}

static inline void sheet_edits(sheet *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        sheet_edit(s, false);
}

#endif
