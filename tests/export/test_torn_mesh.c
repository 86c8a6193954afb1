/* Meshes of what tore or was cut: frames of a sequence have the triangles and lines of their own moment. */
#include "support/support.h"

#include "export/output.h"
#include "export/torn_mesh.h"
#include "folder.h"
#include "glb_file.h"
#include "scene/mesh.h"
#include "scenes.h"

#define CUT                                                                                                            \
    "{\"objects\": [{\"type\": \"cloth\", \"name\": \"cloth\", \"columns\": 7, \"rows\": 7, \"pins\": \"top\","        \
    " \"skin\": true}, {\"type\": \"rope\", \"name\": \"rope\", \"from\": [0.8, 0.5, 0], \"to\": [0.8, -0.5, 0],"      \
    " \"segments\": 10, \"pins\": \"start\"}],"                                                                        \
    " \"blades\": [{\"keys\": [{\"time\": 0.05, \"a\": [-0.7, 0.03, -1], \"b\": [-0.7, 0.03, 1]},"                     \
    " {\"time\": 0.1, \"a\": [1, 0.04, -1], \"b\": [1, 0.04, 1]}]}]}"

/* How many lines of a text file begin so. */
static uint32_t count_lines(const char *path, const char *with)
{
    size_t size;
    char *text = folder_read(path, &size);
    uint32_t count = 0;
    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        count += strncmp(line, with, strlen(with)) == 0;
    free(text);
    return count;
}

static void test_frames_have_their_own_triangles(void **state)
{
    (void)state;
    char message[256];
    folder f = folder_make();
    sn_scene *scene = scene_from(CUT);
    sn_world *world = sn_scene_world(scene);
    sn_output *output =
        sn_output_open(scene, f.path, SN_FORMAT_OBJ | SN_FORMAT_PLY | SN_FORMAT_PC2, message, sizeof message);
    assert_non_null(output);
    for (uint32_t i = 0; i < 12; ++i) {
        assert_ok(world, sn_scene_step(scene));
        assert_true(sn_output_frame(output, message, sizeof message));
    }
    const sn_object *cloth = sn_scene_find_object(scene, "cloth");
    const uint32_t came = sn_world_particle_count(world) - 49 - 11;
    uint32_t triangles;
    sn_skin_triangles(world, cloth->skin, &triangles);
    assert_true(came > 10 && triangles > 72);
    assert_int_equal(count_lines(folder_file(&f, "cloth_0000.obj"), "v "), 49);
    assert_int_equal(count_lines(folder_file(&f, "cloth_0000.obj"), "f "), 72);
    assert_int_equal(count_lines(folder_file(&f, "cloth_0011.obj"), "v "), 49 + came);
    assert_int_equal(count_lines(folder_file(&f, "cloth_0011.obj"), "f "), triangles);
    assert_int_equal(count_lines(folder_file(&f, "rope_0000.obj"), "l "), 10);
    assert_int_equal(count_lines(folder_file(&f, "rope_0011.obj"), "l "), 9);
    size_t size;
    char *ply = folder_read(folder_file(&f, "cloth_0011.ply"), &size), expected[64];
    snprintf(expected, sizeof expected, "element vertex %u\n", 49 + came);
    assert_non_null(strstr(ply, expected));
    free(ply);
    assert_true(sn_output_close(output, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* A mesh that was written. */
static sn_mesh read_mesh(sn_arena *arena, folder *f, const char *name, uint32_t frame, const char *format)
{
    char file[64], message[256];
    size_t size;
    sn_mesh mesh;
    snprintf(file, sizeof file, "%s_%04u.%s", name, (unsigned)frame, format);
    char *bytes = folder_read(folder_file(f, file), &size);
    if (!sn_mesh_read(arena, bytes, size, &mesh, NULL, message, sizeof message))
        fail_msg("%s: %s", file, message);
    free(bytes);
    return mesh;
}

/* What the world had in a frame. */
typedef struct moment {
    uint32_t triangles, vertices;
    sn_vec3 *corner; /* m: three for each triangle */
} moment;

static moment take_moment(const sn_world *world, const sn_object *object)
{
    moment m = {.vertices = object->run.count};
    const uint32_t *corner = sn_skin_triangles(world, object->skin, &m.triangles);
    m.corner = malloc(3 * m.triangles * sizeof *m.corner);
    for (uint32_t i = 0; i < 3 * m.triangles; ++i) {
        bool first = corner[i] >= object->run.first + object->run.count;
        for (uint32_t k = 0; k < i && first; ++k)
            first = corner[k] != corner[i];
        m.vertices += first; /* a new particle of the skin is a vertex */
        m.corner[i] = sn_particle_position(world, sn_particle_from_index(world, corner[i]));
    }
    return m;
}

/* Edges are passed as often one way as the other. */
static bool is_closed(const sn_mesh *mesh)
{
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const uint32_t a = mesh->triangle[i], b = mesh->triangle[i / 3 * 3 + (i + 1) % 3];
        int ways = 0;
        for (uint32_t k = 0; k < 3 * mesh->triangle_count; ++k) {
            const uint32_t c = mesh->triangle[k], d = mesh->triangle[k / 3 * 3 + (k + 1) % 3];
            ways += (c == a && d == b) - (c == b && d == a);
        }
        if (ways)
            return false;
    }
    return true;
}

/* How many pieces the triangles are, by common vertices. */
static uint32_t pieces_of(const sn_mesh *mesh)
{
    uint32_t *of = malloc((mesh->vertex_count + 1) * sizeof *of), pieces = 0;
    bool *used = calloc(mesh->vertex_count + 1, sizeof *used), changed = true;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        of[i] = i;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
            uint32_t *a = &of[mesh->triangle[i]], *b = &of[mesh->triangle[i / 3 * 3 + (i + 1) % 3]];
            used[mesh->triangle[i]] = true;
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        pieces += used[i] && of[i] == i;
    free(of), free(used);
    return pieces;
}

/* A file has the triangles of its frame, where they were in it, and no vertex that none has, unless it is inside a solid. Returns the number of pieces. */
static uint32_t check_file(folder *f, const char *name, const moment *m, uint32_t frame, const char *format, bool solid)
{
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    const sn_mesh mesh = read_mesh(&arena, f, name, frame, format);
    uint32_t *used = calloc(mesh.vertex_count, sizeof *used), unused = 0;
    assert_int_equal(mesh.triangle_count, m->triangles);
    assert_int_equal(mesh.vertex_count, m->vertices);
    for (uint32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
        assert_vec_same(mesh.vertex[mesh.triangle[i]], m->corner[i]);
        used[mesh.triangle[i]] = 1;
    }
    for (uint32_t i = 0; i < mesh.vertex_count; ++i)
        unused += !used[i];
    assert_true(solid ? is_closed(&mesh) : unused == 0);
    const uint32_t pieces = pieces_of(&mesh);
    free(used);
    sn_arena_release(&arena);
    return pieces;
}

/* Of a cloth and a rope. */
static void check_files(folder *f, const moment *m, uint32_t frame)
{
    static const char *const formats[] = {"obj", "ply"};
    for (uint32_t format = 0; format < 2; ++format) {
        sn_arena arena;
        sn_arena_init(&arena, NULL);
        check_file(f, "cloth", m, frame, formats[format], false);
        const sn_mesh rope = read_mesh(&arena, f, "rope", frame, formats[format]);
        for (uint32_t i = 0; i < rope.line_count; ++i) /* none goes from one part to the other: these fall apart */
            assert_true(sn_vec3_length(sn_vec3_sub(rope.vertex[rope.line[2 * i]], rope.vertex[rope.line[2 * i + 1]])) <
                        real(0.12));
        assert_int_equal(rope.line_count, frame < 5 ? 10 : frame > 10 ? 9 : rope.line_count);
        sn_arena_release(&arena);
    }
}

/* Meshes of an object in a file of glTF follow each other without gaps, each with the triangles of its frames. */
static void check_glb(folder *f, const char *name, const moment *m, uint32_t frames)
{
    glb_file g = glb_read(folder_file(f, "scene.glb"));
    uint32_t next = 0, meshes = 0;
    for (uint32_t node = 0; node < items(&g, "nodes"); ++node) {
        char path[96];
        snprintf(path, sizeof path, "nodes.%u.name", (unsigned)node);
        if (strncmp(find(&g, path)->text, name, strlen(name)) != 0)
            continue;
        snprintf(path, sizeof path, "nodes.%u.extras.first_frame", (unsigned)node);
        const uint32_t first = find(&g, path) ? (uint32_t)number(&g, path) : 0;
        snprintf(path, sizeof path, "nodes.%u.extras.frames", (unsigned)node);
        const uint32_t count = find(&g, path) ? (uint32_t)number(&g, path) : frames;
        snprintf(path, sizeof path, "nodes.%u.mesh", (unsigned)node);
        const unsigned mesh = (unsigned)number(&g, path);
        snprintf(path, sizeof path, "meshes.%u.primitives.0.indices", mesh);
        const unsigned index = (unsigned)number(&g, path);
        snprintf(path, sizeof path, "meshes.%u.primitives.0.attributes.POSITION", mesh);
        const unsigned place = (unsigned)number(&g, path);
        snprintf(path, sizeof path, "accessors.%u.count", index);
        assert_int_equal((uint32_t)number(&g, path), 3 * m[first].triangles);
        snprintf(path, sizeof path, "accessors.%u.count", place);
        const uint32_t vertices = (uint32_t)number(&g, path);
        const char *corner = data(&g, index), *x = data(&g, place);
        for (uint32_t i = 0; i < 3 * m[first].triangles; ++i) {
            const uint32_t at = get_u32(corner + 4 * i);
            assert_true(at < vertices);
            for (uint32_t k = 0; k < 3; ++k)
                assert_close((double)get_f32(x + 12 * at + 4 * k), (double)(&m[first].corner[i].x)[k], 1e-6);
        }
        assert_int_equal(first, next);
        for (uint32_t i = first; i < first + count; ++i)
            assert_int_equal(m[i].triangles, m[first].triangles);
        next = first + count;
        ++meshes;
    }
    assert_int_equal(next, frames);
    assert_true(meshes > 2);
    glb_release(&g);
}

static void test_files_have_what_is_left(void **state)
{
    (void)state;
    enum { FRAMES = 24 };
    char message[256];
    moment m[FRAMES];
    folder f = folder_make();
    sn_scene *scene = scene_from(CUT);
    sn_world *world = sn_scene_world(scene);
    const sn_object *cloth = sn_scene_find_object(scene, "cloth");
    sn_output *output =
        sn_output_open(scene, f.path, SN_FORMAT_OBJ | SN_FORMAT_PLY | SN_FORMAT_GLB, message, sizeof message);
    assert_non_null(output);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        if (i)
            assert_ok(world, sn_scene_step(scene));
        m[i] = take_moment(world, cloth);
        assert_true(sn_output_frame(output, message, sizeof message));
    }
    assert_true(sn_output_close(output, message, sizeof message));
    assert_true(m[FRAMES - 1].triangles > m[0].triangles);
    for (uint32_t i = 0; i < FRAMES; ++i)
        check_files(&f, &m[i], i);
    check_glb(&f, "cloth", m, FRAMES);
    for (uint32_t i = 0; i < FRAMES; ++i)
        free(m[i].corner);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* What is pulled in two tears: in every frame files have what is there, closed where it is solid, and at last two pieces. The mass of the world does not
   change. */
static void test_files_have_what_tore(void **state)
{
    (void)state;
    enum { FRAMES = 60 };
    static const char *const object[] = {
        "\"type\": \"cloth\", \"width\": 2, \"height\": 0.6, \"columns\": 12, \"rows\": 5",
        "\"type\": \"block\", \"width\": 2, \"height\": 0.6, \"depth\": 0.6, \"columns\": 8, \"rows\": 3, \"layers\": "
        "3",
        "\"type\": \"lattice\", \"width\": 2, \"height\": 0.6, \"depth\": 0.6, \"columns\": 8, \"rows\": 3, "
        "\"layers\": 3"};
    for (uint32_t i = 0; i < COUNT_OF(object); ++i) {
        char text[1024], message[256];
        moment m[FRAMES];
        snprintf(text, sizeof text,
                 "{\"world\": {\"gravity\": [0, 0, 0], \"damping\": 2, \"substeps\": 20}, \"materials\": {\"m\": "
                 "{\"density\": 200, \"stretch\": "
                 "1e-4, \"tear_strain\": 0.2, \"tear_spread\": 0.3, \"tear_seed\": 3}}, \"objects\": [{%s, \"name\": "
                 "\"it\", \"material\": \"m\"}], "
                 "\"motions\": [{\"of\": \"it.left\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [-1, 0, 0]}]}, "
                 "{\"of\": \"it.right\", "
                 "\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [1, 0, 0]}]}]}",
                 object[i]);
        folder f = folder_make();
        sn_scene *scene = scene_from(text);
        sn_world *world = sn_scene_world(scene);
        sn_output *output =
            sn_output_open(scene, f.path, SN_FORMAT_OBJ | SN_FORMAT_PLY | SN_FORMAT_GLB, message, sizeof message);
        sn_report before, after;
        uint32_t pieces[2] = {0, 0};
        assert_non_null(output);
        assert_ok(world, sn_world_report(world, &before));
        for (uint32_t frame = 0; frame < FRAMES; ++frame) {
            if (frame)
                assert_ok(world, sn_scene_step(scene));
            m[frame] = take_moment(world, sn_scene_find_object(scene, "it"));
            assert_true(sn_output_frame(output, message, sizeof message));
        }
        assert_ok(world, sn_world_report(world, &after));
        assert_true(sn_output_close(output, message, sizeof message));
        assert_close(after.mass, before.mass, 1e-9 * before.mass);
        for (uint32_t frame = 0; frame < FRAMES; ++frame) {
            pieces[0] = check_file(&f, "it", &m[frame], frame, "obj", i > 0);
            pieces[1] = check_file(&f, "it", &m[frame], frame, "ply", i > 0);
            assert_int_equal(pieces[0], pieces[1]);
            assert_true(frame || pieces[0] == 1);
        }
        check_glb(&f, "it", m, FRAMES);
        print_message("%u pieces, %u vertices came\n", pieces[0], m[FRAMES - 1].vertices - m[0].vertices);
        assert_true(pieces[0] > 1);
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
            free(m[frame].corner);
        sn_scene_destroy(scene);
        folder_remove(&f);
    }
}

/* Every vertex is used, every index is one of a vertex, and vertices are where their particles are. */
static void test_meshes_agree_with_the_world(void **state)
{
    (void)state;
    sn_scene *scene = scene_from(CUT);
    sn_world *world = sn_scene_world(scene);
    const sn_object *cloth = sn_scene_find_object(scene, "cloth");
    sn_torn_mesh mesh = {0};
    for (uint32_t i = 0; i < 12; ++i) {
        uint32_t count;
        assert_ok(world, sn_scene_step(scene));
        assert_true(sn_torn_mesh_read(&mesh, world, cloth));
        const uint32_t *corner = sn_skin_triangles(world, cloth->skin, &count);
        assert_int_equal(mesh.triangle_count, count);
        for (uint32_t k = 0; k < 3 * count; ++k) {
            assert_true(mesh.triangle[k] < mesh.vertex_count);
            assert_int_equal(sn_torn_mesh_particle(&mesh, world, cloth, mesh.triangle[k]).index, corner[k]);
        }
    }
    sn_torn_mesh_release(&mesh);
    sn_scene_destroy(scene);
}

/* A soft body that is pulled apart has no triangles between its parts. */
static void test_a_soft_body_is_drawn_torn(void **state)
{
    (void)state;
    sn_scene *scene =
        scene_from("{\"world\": {\"gravity\": [0, 0, 0], \"damping\": 2}, \"materials\": {\"m\": {\"density\": 200, "
                   "\"tear_strain\": 0.3}}, "
                   "\"objects\": ["
                   "{\"type\": \"jelly\", \"name\": \"it\", \"width\": 2, \"height\": 0.6, \"depth\": 0.6, "
                   "\"columns\": 10, \"rows\": 4, \"layers\": "
                   "4, "
                   "\"material\": \"m\"}], \"motions\": [{\"of\": \"it.left\", \"keys\": [{\"time\": 0}, {\"time\": 1, "
                   "\"move\": [-1, 0, 0]}]}, "
                   "{\"of\": \"it.right\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [1, 0, 0]}]}]}");
    sn_world *world = sn_scene_world(scene);
    const sn_object *it = sn_scene_find_object(scene, "it");
    sn_torn_mesh mesh = {0};
    assert_true(sn_torn_mesh_read(&mesh, world, it));
    assert_int_equal(mesh.triangle_count, it->triangle_count);
    for (uint32_t i = 0; i < 70; ++i)
        assert_ok(world, sn_scene_step(scene));
    assert_true(sn_torn_mesh_read(&mesh, world, it));
    assert_true(mesh.triangle_count < it->triangle_count && mesh.triangle_count > it->triangle_count / 2);
    for (uint32_t i = 0; i < mesh.triangle_count; ++i) {
        double x[3];
        for (uint32_t k = 0; k < 3; ++k)
            x[k] = (double)sn_particle_position(
                       world, sn_torn_mesh_particle(&mesh, world, it, mesh.triangle[3 * (size_t)i + k]))
                       .x;
        assert_true(fabs(x[0] - x[1]) < 0.8 &&
                    fabs(x[0] - x[2]) < 0.8); /* the parts are farther away from each other */
    }
    sn_torn_mesh_release(&mesh);
    sn_scene_destroy(scene);
}

/* A soft body without a strength that a plane cuts, and one that a blade passes step by step: no triangle spans the cut, and no particle comes. */
static void test_a_soft_body_is_cut(void **state)
{
    (void)state;
    static const char *const cut[] = {
        "\"events\": [{\"time\": 0.1, \"type\": \"cut\", \"through\": [0.05, 0, 0], \"normal\": [1, 0, 0]}]",
        "\"blades\": [{\"keys\": [{\"time\": 0.05, \"a\": [0.05, -2, -2], \"b\": [0.05, -2, 2]}, "
        "{\"time\": 0.25, \"a\": [0.05, 2, -2], \"b\": [0.05, 2, 2]}]}]"};
    for (uint32_t way = 0; way < 2; ++way) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"world\": {\"gravity\": [0, 0, 0]}, \"objects\": [{\"type\": \"jelly\", \"name\": \"it\", "
                 "\"width\": 2, \"height\": 0.6, \"depth\": 0.6, \"columns\": 10, \"rows\": 4, \"layers\": 4}], %s}",
                 cut[way]);
        sn_scene *scene = scene_from(text);
        sn_world *world = sn_scene_world(scene);
        const sn_object *it = sn_scene_find_object(scene, "it");
        const uint32_t particles = sn_world_particle_count(world);
        sn_torn_mesh mesh = {0};
        for (uint32_t i = 0; i < 30; ++i)
            assert_ok(world, sn_scene_step(scene));
        assert_int_equal(sn_world_particle_count(world), particles);
        assert_true(sn_torn_mesh_read(&mesh, world, it));
        assert_true(mesh.triangle_count < it->triangle_count && mesh.triangle_count > it->triangle_count / 2);
        for (uint32_t i = 0; i < mesh.triangle_count; ++i)
            for (uint32_t k = 0; k < 3; ++k) {
                double x[2];
                for (uint32_t n = 0; n < 2; ++n)
                    x[n] =
                        (double)sn_particle_position(
                            world, sn_torn_mesh_particle(&mesh, world, it, mesh.triangle[3 * (size_t)i + (k + n) % 3]))
                            .x;
                assert_true((x[0] > 0.05) == (x[1] > 0.05));
            }
        sn_torn_mesh_release(&mesh);
        sn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_have_their_own_triangles),
        cmocka_unit_test(test_files_have_what_is_left),
        cmocka_unit_test(test_files_have_what_tore),
        cmocka_unit_test(test_meshes_agree_with_the_world),
        cmocka_unit_test(test_a_soft_body_is_drawn_torn),
        cmocka_unit_test(test_a_soft_body_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
