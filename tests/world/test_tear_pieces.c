/* Pieces of self-colliding cloth after tears and cuts: those that were followed are those that would be found anew. */
#include "world/tear_meshes.h"

#include "contact/surface_pieces.h"

static tear_sheet add_surface(sn_world *world, uint32_t columns, uint32_t rows, double z, uint64_t seed)
{
    tear_sheet s = tear_sheet_add(world, columns, rows, 0.1, 0.01, 1e-5, -0.2, seed);
    uint32_t count;
    const uint32_t *corner = sn_skin_triangles(world, s.skin, &count);
    uint32_t *copy = malloc(3 * (size_t)count * sizeof *copy);
    memcpy(copy, corner, 3 * (size_t)count * sizeof *copy);
    assert_ok(world, sn_skin_remove(world, s.skin));
    for (uint32_t i = 0; i < s.run.count; ++i) {
        sn_vec3 x = sn_particle_position(world, sn_particles_at(s.run, i));
        x.z += real(z);
        assert_ok(world, sn_particle_set_position(world, sn_particles_at(s.run, i), x));
    }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = copy, def.triangle_count = count;
    def.self_collision = true, def.thickness = real(0.01);
    assert_ok(world, sn_skin_add(world, &def, &s.skin));
    free(copy);
    return s;
}

/* Two lists of names are the same but for the names. */
static void assert_same_parts(const uint32_t *a, const uint32_t *b, uint32_t count, uint32_t most)
{
    uint32_t *to = malloc((most + 1) * sizeof *to), *back = malloc((most + 1) * sizeof *back);
    memset(to, 0xff, (most + 1) * sizeof *to);
    memset(back, 0xff, (most + 1) * sizeof *back);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(a[i] == SN_SURFACE_NONE, b[i] == SN_SURFACE_NONE);
        if (a[i] == SN_SURFACE_NONE)
            continue;
        assert_true(a[i] < most && b[i] < most);
        to[a[i]] = to[a[i]] == UINT32_MAX ? b[i] : to[a[i]];
        back[b[i]] = back[b[i]] == UINT32_MAX ? a[i] : back[b[i]];
        assert_int_equal(to[a[i]], b[i]);
        assert_int_equal(back[b[i]], a[i]);
    }
    free(to), free(back);
}

/* The piece of each vertex, then of each constraint. */
static uint32_t *list_pieces(const sn_surfaces *s, uint32_t *count)
{
    *count = s->vertex_table.count + s->stored_table.count;
    uint32_t *list = malloc((*count + 1) * sizeof *list);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        list[i] = surface_vertices(s)[i].piece;
    if (s->stored_table.count)
        memcpy(list + s->vertex_table.count, s->stored_table.column[0], s->stored_table.count * sizeof *list);
    return list;
}

/* Does what the next step begins with, compares with pieces that are found anew, and puts back those that were followed. Returns the number of pieces. */
static uint32_t check_pieces(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    uint32_t count, again;
    assert_ok(world, sn_surfaces_find(world, real(1.0 / 60)));
    uint32_t *followed = list_pieces(s, &count);
    const uint32_t pieces = s->piece_table.count;
    sn_surface_piece *all = malloc((pieces + 1) * sizeof *all);
    memcpy(all, s->piece_table.column[0], pieces * sizeof *all);
    s->pieces = 0;
    s->pieces_follow = false;
    assert_true(sn_surface_pieces_find(world, s));
    uint32_t *found = list_pieces(s, &again);
    assert_int_equal(count, again);
    const uint32_t anew = s->piece_table.count;
    assert_same_parts(followed, found, count, pieces > anew ? pieces : anew);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        assert_int_equal(all[followed[i]].open, ((const sn_surface_piece *)s->piece_table.column[0])[found[i]].open);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_vertices(s)[i].piece = followed[i];
    memcpy(s->stored_table.column[0], followed + s->vertex_table.count, s->stored_table.count * sizeof *found);
    memcpy(s->piece_table.column[0], all, pieces * sizeof *all);
    s->piece_table.count = pieces;
    free(followed), free(found), free(all);
    return anew;
}

static void add_rod(sn_world *world, uint32_t a, uint32_t b)
{
    const sn_material give = {real(1e-4), 0};
    const uint32_t end[2] = {a, b};
    assert_int_equal(sn_constraints_add_kind(world, SN_KIND_DISTANCE, 1, end, NULL, &give).count, 1);
}

/* Sheets that fly apart and are cut, of which two are joined and one is on a rope. */
static void test_pieces_follow_tears(void **state)
{
    (void)state;
    uint64_t follows = 0, features = 0;
    uint32_t most = 0, tears = 0;
    for (uint64_t seed = 1; seed <= support_long(200, 6); ++seed) {
        uint64_t random = seed;
        sn_world_def def = sn_default_world_def();
        sn_world *world = NULL;
        def.settings.gravity = vec(0, 0, 0);
        assert_int_equal(sn_world_create(&def, &world), SN_OK);
        tear_sheet s[3];
        for (uint32_t i = 0; i < 3; ++i) {
            s[i] = add_surface(world, 9 + 6 * (uint32_t)(seed % 4), 12, 0.3 * i, seed + i);
            sn_tear_def tear = sn_default_tear_def();
            tear.strain = real(0.1), tear.spread = real(0.5), tear.seed = (uint32_t)seed;
            assert_ok(world, sn_skin_set_tear(world, s[i].skin, &tear));
        }
        if (seed % 2)
            add_rod(world, s[0].run.first + 3, s[1].run.first + 3);
        if (seed % 3 == 0) {
            const sn_particle end = sn_particle_add_at(world, vec(0, 0, -0.5), real(0.1));
            add_rod(world, s[2].run.first, end.index);
        }
        for (uint32_t frame = 0; frame < 14; ++frame) {
            if (frame % 3 == 1) {
                sn_cut_def cut = sn_default_cut_def();
                const double x = support_random_in(&random, 0, 0.8), y = support_random_in(&random, 0, 0.8);
                cut.edges_only = frame % 2;
                cut.a = vec(x, y, -1), cut.b = vec(x, y, 1);
                cut.to_a =
                    vec(x + support_random_in(&random, -0.6, 0.6), y + support_random_in(&random, -0.6, 0.6), -1);
                cut.to_b = cut.to_a, cut.to_b.z = 1;
                assert_ok(world, sn_world_cut(world, &cut, NULL));
            }
            for (uint32_t k = 0; k < 6; ++k) {
                const tear_sheet *of = &s[support_random_below(&random, 3)];
                const sn_particle kicked = sn_particles_at(of->run, support_random_below(&random, of->run.count));
                assert_ok(world, sn_particle_set_velocity(
                                     world, kicked,
                                     vec(support_random_in(&random, -9, 9), support_random_in(&random, -9, 9), 0)));
            }
            assert_ok(world, sn_world_step(world, real(1.0 / 60)));
            uint32_t count;
            sn_world_tears(world, &count);
            tears += count;
            const uint32_t pieces = check_pieces(world);
            most = pieces > most ? pieces : most;
        }
        follows += world->contacts.surfaces.piece_follows;
        features += world->contacts.surfaces.follows;
        sn_world_destroy(world);
    }
    print_message("%u tears, features followed %u times, pieces %u times, up to %u pieces\n", tears, (unsigned)features,
                  (unsigned)follows, most);
    assert_true(tears > 200 && follows > 10 && most > 6);
}

static bool refuse_breaks(void *context, const sn_tear *tear)
{
    return tear->type != SN_TEAR_BREAK || tear->constraint.index != *(const uint32_t *)context;
}

static void cut_across(sn_world *world, double x, bool first_alone)
{
    sn_cut_def cut = sn_default_cut_def();
    cut.blade = SN_BLADE_PLANE;
    cut.a = vec(x, 0, 0), cut.b = vec(1, 0, 0);
    cut.one_group = first_alone, cut.group = 1;
    assert_ok(world, sn_world_cut(world, &cut, NULL));
}

/* Planes part two sheets, which is followed each time. A string between two parts of the first holds them together until it is cut as well, far from any vertex that splits. */
static void test_pieces_are_parted(void **state)
{
    (void)state;
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.settings.gravity = vec(0, 0, 0);
    assert_int_equal(sn_world_create(&def, &world), SN_OK);
    const tear_sheet one = add_surface(world, 20, 12, 0, 1);
    add_surface(world, 20, 12, 0.5, 2);
    for (uint32_t i = 0; i < one.run.count; ++i)
        assert_ok(world, sn_particle_set_group(world, sn_particles_at(one.run, i), 1));
    add_rod(world, tear_at(&one, 1, 5), tear_at(&one, 8, 5));
    uint32_t string = 0;
    sn_constraint_walk walk = {0};
    while (sn_constraint_next(world, &walk)) /* the string is the last of its kind */
        string = walk.constraint.kind == SN_KIND_DISTANCE ? walk.constraint.index : string;
    assert_ok(world, sn_world_set_tear_function(world, refuse_breaks, &string));
    assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    const sn_surfaces *s = &world->contacts.surfaces;
    static const struct {
        double x;
        bool first_alone, cuts_string;
        uint32_t pieces;
    } cut[] = {{1.23, true, false, 3}, {0.43, true, false, 3}, {0.43, false, true, 5}, {1.61, false, false, 7}};
    assert_int_equal(check_pieces(world), 2);
    for (uint32_t i = 0; i < COUNT_OF(cut); ++i) {
        if (cut[i].cuts_string)
            assert_ok(world, sn_world_set_tear_function(world, NULL, NULL));
        cut_across(world, cut[i].x, cut[i].first_alone);
        assert_int_equal(check_pieces(world), cut[i].pieces);
        assert_int_equal(s->piece_follows, i + 1);
        assert_ok(world, sn_world_step(world, real(1.0 / 60)));
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_follow_tears),
        cmocka_unit_test(test_pieces_are_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
