/* Scenes of things that tear: what there is to see in them. */
#include "loaded.h"

#include "scene/scene.h"

#define MOST 8192u

/* Pieces that hang together, by particle number: the first of each piece. Of skins these are made by triangles, of all else by rods. */
typedef struct pieces {
    uint32_t root[MOST];
    uint32_t size[MOST]; /* by root: triangles, or rods */
    uint32_t total;
} pieces;

static uint32_t root_of(pieces *p, uint32_t i)
{
    while (p->root[i] != i)
        i = p->root[i] = p->root[p->root[i]];
    return i;
}

static void join(pieces *p, uint32_t a, uint32_t b)
{
    assert_true(a < MOST && b < MOST);
    const uint32_t x = root_of(p, a), y = root_of(p, b);
    p->root[x > y ? x : y] = x < y ? x : y;
}

static pieces *find_pieces(const sn_world *world, sn_skin skin)
{
    uint32_t count;
    const uint32_t *corner = sn_skin_triangles(world, skin, &count);
    pieces *p = calloc(1, sizeof *p);
    for (uint32_t i = 0; i < MOST; ++i)
        p->root[i] = i;
    for (uint32_t i = 0; i < count; ++i)
        join(p, corner[3 * i], corner[3 * i + 1]), join(p, corner[3 * i], corner[3 * i + 2]);
    for (uint32_t i = 0; i < count; ++i)
        p->size[root_of(p, corner[3 * i])]++;
    p->total = count;
    return p;
}

/* The share of the largest pieces. */
static void largest(const pieces *p, double share[2])
{
    uint32_t most[2] = {0, 0};
    for (uint32_t i = 0; i < MOST; ++i)
        if (p->size[i] > most[0])
            most[1] = most[0], most[0] = p->size[i];
        else if (p->size[i] > most[1])
            most[1] = p->size[i];
    for (int k = 0; k < 2; ++k)
        share[k] = (double)most[k] / p->total;
}

/* m: where particles were at first, also those that came by a tear. */
typedef struct origins {
    double y[MOST];
} origins;

/* Steps, and counts vertices that were split, and those of them that were, at first, near to a height. */
static void watch(sn_scene *scene, uint32_t frames, origins *o, double y, double near, uint32_t *splits,
                  uint32_t *nearby)
{
    const sn_world *world = sn_scene_world(scene);
    for (uint32_t i = 0; i < frames; ++i) {
        uint32_t count;
        assert_ok(world, sn_scene_step(scene));
        const sn_tear *tear = sn_world_tears(world, &count);
        for (uint32_t k = 0; k < count; ++k) {
            if (tear[k].made.generation == 0)
                continue;
            assert_true(tear[k].made.index < MOST);
            o->y[tear[k].made.index] = o->y[tear[k].particle.index];
            *splits += tear[k].type == SN_TEAR_SPLIT && !tear[k].cut;
            *nearby += tear[k].type == SN_TEAR_SPLIT && !tear[k].cut && fabs(o->y[tear[k].made.index] - y) < near;
        }
    }
}

/* Paper with a row of holes parts along it: into two halves, and hardly anything is torn elsewhere. */
static void test_paper_parts_along_its_holes(void **state)
{
    (void)state;
    sn_loaded loaded;
    sn_scene *scene = load_scene("perforated_paper", &loaded);
    sn_world *world = sn_scene_world(scene);
    const sn_object *paper = sn_scene_find_object(scene, "paper");
    origins *o = calloc(1, sizeof *o);
    for (uint32_t i = 0; i < paper->run.count; ++i)
        o->y[paper->run.first + i] = (double)sn_particle_position(world, sn_particles_at(paper->run, i)).y;
    for (uint32_t i = paper->run.first + paper->run.count; i < MOST; ++i) /* a blade puts these at the holes */
        o->y[i] = 1.05;
    uint32_t splits = 0, nearby = 0;
    watch(scene, 60, o, 1.05, 0.08, &splits, &nearby);
    pieces *p = find_pieces(world, paper->skin);
    double share[2];
    largest(p, share);
    print_message("%u of %u splits are at the holes; pieces of %.3f and %.3f\n", nearby, splits, share[0], share[1]);
    assert_true(splits > 10 && nearby >= 0.9 * splits);
    assert_true(share[0] > 0.45 && share[1] > 0.45 && share[0] + share[1] > 0.995);
    free(p);
    free(o);
    sn_loaded_release(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper_parts_along_its_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
