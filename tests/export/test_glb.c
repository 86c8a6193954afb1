/* Files of glTF: the text says what is in the numbers, and the numbers are what was put. Validator, three.js and Blender look at them in 'make
   test-files'. */
#include "support/support.h"

#include "export/glb.h"
#include "folder.h"
#include "glb_file.h"

static char message[512];

static sn_glb *open_glb(const char *path)
{
    sn_glb *glb = sn_glb_open(path, message, sizeof message);
    if (!glb)
        fail_msg("%s", message);
    return glb;
}

static void frame(sn_glb *glb, double time)
{
    if (!sn_glb_frame(glb, time, message, sizeof message))
        fail_msg("%s", message);
}

/* A square of two triangles; in the fifth frame of six its diagonal is cut open. */
static const uint32_t whole[] = {0, 1, 2, 0, 2, 3}, open_cut[] = {0, 1, 2, 4, 5, 3};

static sn_mesh_view square(uint32_t frame_number, sn_vec3 place[6])
{
    const sn_real lift = (sn_real)0.1 * (sn_real)frame_number;
    const sn_vec3 corner[6] = {vec(0, 0, lift), vec(1, 0, 0), vec(1, 1, lift),
                               vec(0, 1, 0),    vec(0, 0, 0), vec(1, 1, 0)};
    memcpy(place, corner, sizeof corner);
    const bool cut = frame_number >= 4;
    return (sn_mesh_view){
        .vertex_count = cut ? 6 : 4, .place = place, .triangle_count = 2, .triangle = cut ? open_cut : whole};
}

static void test_soft(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_glb *glb = open_glb(folder_file(&f, "x.glb"));
    assert_true(sn_glb_add_soft(glb, "a \"sheet\"\n", 0xff8000, 0));
    sn_vec3 place[6];
    for (uint32_t i = 0; i < 6; ++i) {
        const sn_mesh_view mesh = square(i, place);
        sn_glb_put_soft(glb, 0, &mesh);
        frame(glb, i / 30.0);
    }
    assert_false(folder_has(folder_file(&f, "x.glb.frames"))); /* gone even while it is open */
    assert_true(sn_glb_close(glb, message, sizeof message));
    glb_file g = glb_read(folder_file(&f, "x.glb"));
    assert_int_equal(items(&g, "nodes"), 2);
    assert_string_equal(find(&g, "nodes.0.name")->text, "a \"sheet\"\n");
    assert_null(find(&g, "nodes.0.scale"));
    assert_non_null(find(&g, "nodes.1.scale"));
    assert_true(number(&g, "nodes.1.extras.first_frame") == 4 && number(&g, "nodes.1.extras.frames") == 2);
    assert_int_equal(items(&g, "meshes.0.primitives.0.targets"), 3);
    assert_int_equal(items(&g, "meshes.1.primitives.0.targets"), 1);
    assert_int_equal(items(&g, "animations.0.channels"), 4); /* weights and scale of each */
    const char *base = data(&g, (uint32_t)number(&g, "meshes.0.primitives.0.attributes.POSITION"));
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_mesh_view mesh = square(k, place);
        char path[64];
        snprintf(path, sizeof path, "meshes.0.primitives.0.targets.%u.POSITION", (unsigned)k - 1);
        const char *off = k ? data(&g, (uint32_t)number(&g, path)) : NULL;
        for (uint32_t i = 0; i < 3 * mesh.vertex_count; ++i) {
            const float there = get_f32(base + 4 * i) + (off ? get_f32(off + 4 * i) : 0);
            assert_close((double)there, (double)(&place[0].x)[i], 1e-7);
        }
    }
    const char *normal = data(&g, (uint32_t)number(&g, "meshes.0.primitives.0.attributes.NORMAL"));
    assert_true(get_f32(normal + 8) == 1);
    const char *index = data(&g, (uint32_t)number(&g, "meshes.1.primitives.0.indices"));
    for (uint32_t i = 0; i < 6; ++i)
        assert_int_equal(get_u32(index + 4 * i), open_cut[i]);
    /* the second is seen from its first frame on, the first until then */
    const char *until = data(&g, (uint32_t)number(&g, "animations.0.samplers.1.input"));
    assert_true(get_f32(until) == 0 && get_f32(until + 4) == (float)(4 / 30.0));
    const char *size = data(&g, (uint32_t)number(&g, "animations.0.samplers.3.output"));
    assert_true(get_f32(size) == 0 && get_f32(size + 12) == 1);
    /* the weights: 1 at (1, 0), (2, 1), (3, 2) of 4 rows of 3 */
    const uint32_t weights = (uint32_t)number(&g, "animations.0.samplers.0.output");
    char path[64];
    snprintf(path, sizeof path, "accessors.%u.count", (unsigned)weights);
    assert_true(number(&g, path) == 12);
    snprintf(path, sizeof path, "accessors.%u.sparse.indices.bufferView", (unsigned)weights);
    const uint32_t view = (uint32_t)number(&g, path);
    snprintf(path, sizeof path, "bufferViews.%u.byteOffset", (unsigned)view);
    const char *ones = g.numbers + (size_t)number(&g, path);
    assert_true(get_u32(ones) == 3 && get_u32(ones + 4) == 7 && get_u32(ones + 8) == 11 && get_f32(ones + 12) == 1);
    glb_release(&g);
    folder_remove(&f);
}

static void test_rigid(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_vec3 place[6];
    const sn_mesh_view mesh = square(0, place), none = {0};
    sn_glb *glb = open_glb(folder_file(&f, "x.glb"));
    const uint32_t pile = sn_glb_add_group(glb, "pile");
    assert_true(pile && sn_glb_add_rigid(glb, "one", 1, pile, &mesh) && sn_glb_add_rigid(glb, "two", 1, pile, &mesh) &&
                sn_glb_add_rigid(glb, "three", 2, 0, &mesh) && sn_glb_add_rigid(glb, "field", 2, 0, &none));
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_real h = (sn_real)sqrt(0.5), pose[4][7] = {{(sn_real)i, 2, 3, 0, 0, 0, 1},
                                                            {0, 0, 0, 0, i % 2 ? -h : h, 0, i % 2 ? -h : h},
                                                            {1, 1, 1, 0, 0, 0, 1},
                                                            {1, 1, 1, 0, 0, 0, 1}};
        for (uint32_t k = 0; k < 4; ++k)
            sn_glb_put_rigid(glb, k, pose[k]);
        frame(glb, i);
    }
    assert_true(sn_glb_close(glb, message, sizeof message));
    glb_file g = glb_read(folder_file(&f, "x.glb"));
    assert_int_equal(items(&g, "nodes"), 5);
    assert_int_equal(items(&g, "nodes.0.children"), 2);
    assert_int_equal(items(&g, "meshes"), 2); /* one and two share theirs, */
    assert_int_equal(items(&g, "materials"), 2);
    assert_true(number(&g, "meshes.0.primitives.0.attributes.POSITION") ==
                number(&g, "meshes.1.primitives.0.attributes.POSITION")); /* three is painted otherwise */
    assert_null(find(&g, "nodes.4.mesh"));
    /* q and -q are one rotation, so only the first has tracks */
    assert_int_equal(items(&g, "animations.0.channels"), 2);
    assert_true(number(&g, "animations.0.channels.0.target.node") == 1);
    const char *track = data(&g, (uint32_t)number(&g, "animations.0.samplers.0.output"));
    for (uint32_t i = 0; i < 3; ++i)
        assert_true(get_f32(track + 12 * i) == (float)i && get_f32(track + 12 * i + 4) == 2);
    glb_release(&g);
    folder_remove(&f);
}

/* Nothing that moves, nothing at all, and no frame. */
static void test_little(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_glb *glb = open_glb(folder_file(&f, "empty.glb"));
    frame(glb, 0);
    frame(glb, 1);
    assert_true(sn_glb_close(glb, message, sizeof message));
    glb_file g = glb_read(folder_file(&f, "empty.glb"));
    assert_null(g.numbers);
    assert_null(find(&g, "nodes"));
    assert_null(find(&g, "animations"));
    glb_release(&g);

    const sn_vec3 place[] = {vec(1, 2, 3)};
    const sn_mesh_view dust = {.vertex_count = 1, .place = place};
    glb = open_glb(folder_file(&f, "still.glb"));
    assert_true(sn_glb_add_soft(glb, "dust", 0, 0));
    sn_glb_put_soft(glb, 0, &dust);
    frame(glb, 0);
    assert_true(sn_glb_close(glb, message, sizeof message));
    g = glb_read(folder_file(&f, "still.glb"));
    assert_true(number(&g, "meshes.0.primitives.0.mode") == 0);
    assert_null(find(&g, "animations"));
    glb_release(&g);

    glb = open_glb(folder_file(&f, "none.glb"));
    assert_true(sn_glb_close(glb, message, sizeof message));
    assert_false(folder_has(folder_file(&f, "none.glb")));
    assert_true(sn_glb_close(NULL, message, sizeof message));
    folder_remove(&f);
}

/* A frame that cannot be does not count, and those before and behind it do. */
static void test_refused_frames(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_glb *glb = open_glb(folder_file(&f, "x.glb"));
    sn_vec3 place[6];
    assert_true(sn_glb_add_soft(glb, "sheet", 0, 0));
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_mesh_view mesh = square(i, place);
        sn_glb_put_soft(glb, 0, &mesh);
        frame(glb, i);
        sn_mesh_view wild = square(4, place);
        place[2].y = (sn_real)NAN;
        sn_glb_put_soft(glb, 0, &wild);
        assert_false(sn_glb_frame(glb, i + 0.5, message, sizeof message));
        assert_non_null(strstr(message, "x.glb: a frame has places that are not finite"));
        assert_false(sn_glb_frame(glb, i + 0.5, message, sizeof message));
        assert_non_null(strstr(message, "lacks something"));
    }
    const sn_mesh_view mesh = square(3, place);
    sn_glb_put_soft(glb, 0, &mesh);
    frame(glb, 3);
    sn_glb_keep(glb, 3); /* and it is taken back */
    assert_true(sn_glb_close(glb, message, sizeof message));
    glb_file g = glb_read(folder_file(&f, "x.glb"));
    uint32_t keys = 0;
    for (uint32_t i = 0; i < items(&g, "meshes"); ++i) {
        char path[64];
        snprintf(path, sizeof path, "meshes.%u.primitives.0.targets", (unsigned)i);
        keys += 1 + items(&g, path);
    }
    assert_int_equal(keys, 3);
    glb_release(&g);
    assert_null(sn_glb_open(folder_file(&f, "no/such/x.glb"), message, sizeof message));
    assert_non_null(strstr(message, "no/such/x.glb: cannot be opened for writing"));
    folder_remove(&f);
}

static void test_full_disk(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_glb *glb = open_glb(folder_file(&f, "x.glb"));
    sn_vec3 place[6];
    assert_true(sn_glb_add_soft(glb, "sheet", 0, 0));
    const sn_mesh_view mesh = square(0, place);
    sn_glb_put_soft(glb, 0, &mesh);
    frame(glb, 0);
    folder_disk(200);
    sn_glb_put_soft(glb, 0, &mesh);
    bool written = sn_glb_frame(glb, 1, message, sizeof message);
    folder_disk(UINT64_MAX);
    assert_false(written);
    assert_non_null(strstr(message, "x.glb.frames: cannot be written"));
    folder_disk(400);
    written = sn_glb_close(glb, message, sizeof message);
    folder_disk(UINT64_MAX);
    assert_false(written);
    assert_non_null(strstr(message, "x.glb: cannot be written"));
    assert_false(folder_has(folder_file(&f, "x.glb")));
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soft),           cmocka_unit_test(test_rigid),     cmocka_unit_test(test_little),
        cmocka_unit_test(test_refused_frames), cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
