/* What is cut, and what hangs on something else. */
#include "support/support.h"

#include "export/scenes.h"
#include "export/show_ties.h"

#include <math.h>

/* A rope that carries a ball by a string, and a bridge, whose hangers join its rails with its planks. */
#define SCENE                                                                                                          \
    "{\"objects\": [{\"type\": \"rope\", \"name\": \"rope\", \"segments\": 4, \"pins\": [\"start\"]},"                 \
    " {\"type\": \"bridge\", \"name\": \"bridge\", \"planks\": 3, \"position\": [5, 0, 0]}],"                          \
    " \"bodies\": [{\"name\": \"ball\", \"position\": [0, -2, 0], \"shapes\": {\"type\": \"sphere\", \"radius\": "     \
    "0.1}}],"                                                                                                          \
    " \"constraints\": [{\"kind\": \"distance\", \"name\": \"string\", \"points\": [\"rope.end\", \"ball\"]}]}"

static uint32_t count_ties(const sn_ties *ties, double *longest)
{
    sn_constraint_walk walk = {0};
    sn_vec3 a, b;
    uint32_t count = 0;
    *longest = 0;
    for (; sn_ties_next(ties, &walk, &a, &b); ++count)
        *longest = fmax(*longest,
                        sqrt(pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2)));
    return count;
}

static void what_is_cut(void **state)
{
    (void)state;
    sn_scene *scene = scene_from(SCENE);
    sn_world *world = sn_scene_world(scene);
    sn_ties *ties = sn_ties_create(scene);
    assert_non_null(ties);
    const uint32_t first = sn_object_describe(sn_scene_find_object(scene, "rope")).particles.first;
    for (uint32_t i = 0; i < 4; ++i)
        assert_false(sn_ties_is_cut(ties, first + i, first + i + 1));
    assert_false(sn_ties_is_cut(ties, first, first + 2)); /* nothing was there */
    double longest;
    const uint32_t hangers = count_ties(ties, &longest);
    assert_true(hangers > 3);
    assert_close(longest, 1, 1e-5); /* the string, from the end of the rope at -1 to -2 */
    assert_ok(world, sn_scene_cut(scene, "rope.links[1]"));
    for (uint32_t i = 0; i < 4; ++i) {
        assert_int_equal(sn_ties_is_cut(ties, first + i, first + i + 1), i == 1);
        assert_int_equal(sn_ties_is_cut(ties, first + i + 1, first + i), i == 1);
    }
    assert_ok(world, sn_scene_cut(scene, "string"));
    assert_int_equal(count_ties(ties, &longest), hangers - 1);
    assert_true(longest < 1);
    sn_ties_destroy(ties);
    sn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
