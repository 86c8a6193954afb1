/* Pairs of bodies that are kept from step to step: the same ones as a search finds. */
#include "world/body_worlds.h"

#include "world/world.h"

#define SIDE  6
#define STEPS 150

/* Boxes on a plate that more of them touch than are kept by box, side by side and in three layers, a little apart. */
static sn_world *make_boxes(void)
{
    sn_world *world = contact_world(sn_default_world_def(), false, false);
    add_floor(world);
    box_body(world, vec(1.5, 0.1, 1.5), vec(2, 0.1, 2), 1000);
    for (int i = 0; i < 3 * SIDE * SIDE; ++i)
        box_body(world, vec(0.52 * (i % SIDE), 0.47 + 0.51 * (i / (SIDE * SIDE)), 0.52 * (i / SIDE % SIDE)),
                 vec(0.25, 0.25, 0.25), 1000);
    return world;
}

/* A world that was just restored knows no pairs, and searches. */
static void same_as_a_search(void **state)
{
    (void)state;
    sn_world *kept = make_boxes(), *fresh = contact_world(sn_default_world_def(), false, false);
    uint32_t known = 0, lost = 0, crowded = 0;
    sn_body ball = sphere_body(kept, vec(1.3, 6, 1.3), 0.2, 4000);
    for (uint32_t i = 0; i < STEPS; ++i) {
        const bool before = kept->body_contacts.near_known;
        if (i == STEPS / 2)
            assert_ok(kept, sn_body_set_velocity(kept, ball, vec(1, -20, 2), vec(3, 2, 1)));
        sn_snapshot *snapshot = sn_world_save(kept);
        assert_non_null(snapshot);
        assert_ok(fresh, sn_world_load(fresh, snapshot));
        sn_snapshot_destroy(snapshot);
        step(kept);
        step(fresh);
        assert_true(sn_world_hash(kept) == sn_world_hash(fresh));
        assert_false(fresh->body_contacts.near_known);
        known += before && kept->body_contacts.near_known;
        lost += before && !kept->body_contacts.near_known;
        const sn_body_contact_near *near = kept->body_contacts.near_table.column[0];
        for (uint32_t k = 0; kept->body_contacts.near_known && k < kept->body_contacts.tree.items; ++k)
            crowded += near[k].count > SN_BODY_CONTACT_NEARS;
    }
    assert_true(known > STEPS / 2); /* otherwise nothing was tested */
    assert_true(lost > 0);
    assert_true(crowded > 0);
    sn_world_destroy(kept);
    sn_world_destroy(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_a_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
