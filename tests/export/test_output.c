/* The folder that a run fills: what is in it, that it agrees with the world, and what happens when it cannot be
   written. */
#include "support/support.h"

#include "export/npy.h"
#include "export/output.h"
#include "export/shape_mesh.h"
#include "export/point_cache.h"
#include "folder.h"
#include "scene/mesh.h"
#include "scene/objects/particles.h"
#include "scenes.h"

static char message[512];

#define ALL                                                                                                            \
    (SN_FORMAT_PC2 | SN_FORMAT_OBJ | SN_FORMAT_PLY | SN_FORMAT_NPY | SN_FORMAT_POSES | SN_FORMAT_GLB | SN_FORMAT_VTK)

static sn_output *open_output(sn_scene *scene, const char *path, unsigned formats)
{
    sn_output *output = sn_output_open(scene, path, formats, message, sizeof message);
    if (!output)
        fail_msg("%s", message);
    return output;
}

static void write_frame(sn_output *output)
{
    if (!sn_output_frame(output, message, sizeof message))
        fail_msg("%s", message);
}

/* Steps and writes frames; the places of an object in each of them go to seen. */
static void run(sn_scene *scene, sn_output *output, uint32_t frames, const sn_object *object, sn_vec3 *seen)
{
    for (uint32_t i = 0; i < frames; ++i) {
        if (i)
            assert_ok(sn_scene_world(scene), sn_scene_step(scene));
        write_frame(output);
        assert_ok(sn_scene_world(scene),
                  sn_particles_read_positions(sn_scene_world(scene), object->run, &seen[i * object->run.count].x, 0));
    }
}

static void test_all_formats(void **state)
{
    (void)state;
    enum { FRAMES = 4, COUNT = 4 };
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    const sn_object *rope = sn_scene_find_object(scene, "rope");
    assert_non_null(rope);
    assert_int_equal(rope->run.count, COUNT);
    sn_vec3 seen[FRAMES * COUNT];
    char path[256];
    snprintf(path, sizeof path, "%s/new/out", f.path);
    sn_output *output = open_output(scene, path, ALL & ~(unsigned)SN_FORMAT_GLB); /* whose size is known in the end */
    assert_string_equal(sn_output_name(output, 0), "rope");
    assert_string_equal(sn_output_name(output, 1), "dust");
    assert_null(sn_output_name(output, 2));
    run(scene, output, FRAMES, rope, seen);
    assert_int_equal(sn_output_frames(output), FRAMES);
    uint64_t bytes = sn_output_bytes(output), total = 0;
    assert_true(sn_output_close(output, message, sizeof message));

    size_t size;
    char *pc2 = folder_read(folder_file(&f, "new/out/rope.pc2"), &size);
    total += size;
    char *npy = folder_read(folder_file(&f, "new/out/rope.npy"), &size);
    total += size;
    assert_int_equal(get_u32(pc2 + 28), FRAMES);
    for (int i = 0; i < FRAMES * COUNT; ++i) {
        assert_true(get_f32(pc2 + 32 + 12 * i) == (float)seen[i].x);
        assert_true(get_f32(pc2 + 32 + 12 * i + 4) == (float)seen[i].y);
        assert_true(get_real(npy + 128 + 3 * sizeof(sn_real) * i) == seen[i].x);
        assert_true(get_real(npy + 128 + sizeof(sn_real) * (3 * i + 1)) == seen[i].y);
    }
    free(pc2);
    free(npy);
    static const char *const meshes[] = {"rope_0000.obj", "rope_0000.ply", "rope_0003.obj", "rope_0003.ply",
                                         "rope.obj"};
    for (size_t i = 0; i < COUNT_OF(meshes); ++i) {
        snprintf(path, sizeof path, "new/out/%s", meshes[i]);
        char *text = folder_read(folder_file(&f, path), &size);
        sn_arena arena;
        sn_arena_init(&arena, NULL);
        sn_mesh mesh;
        sn_mesh_notes notes = {0};
        if (!sn_mesh_read(&arena, text, size, &mesh, &notes, message, sizeof message))
            fail_msg("%s: %s", meshes[i], message);
        assert_int_equal(mesh.vertex_count, COUNT);
        assert_int_equal(mesh.line_count, 3);
        for (int k = 0; k < COUNT; ++k)
            assert_vec_same(mesh.vertex[k], seen[(strstr(meshes[i], "3") ? FRAMES - 1 : 0) * COUNT + k]);
        sn_arena_release(&arena);
        free(text);
    }
    char *text = folder_read(folder_file(&f, "new/out/rope.obj"), NULL);
    assert_non_null(strstr(text, "# sinew object rope\n# sinew type rope\n# sinew rate 25\n# sinew radius 0.01\n"));
    free(text);
    assert_false(folder_has(folder_file(&f, "new/out/rope_0004.obj")));

    static const char *const others[] = {"rope.obj",  "dust.obj",  "dust.pc2", "dust.npy",
                                         "poses.csv", "poses.npy", "scene.pvd"};
    for (size_t i = 0; i < COUNT_OF(others); ++i) {
        snprintf(path, sizeof path, "new/out/%s", others[i]);
        free(folder_read(folder_file(&f, path), &size));
        total += size;
    }
    for (int i = 0; i < 6 * FRAMES; ++i) {
        snprintf(path, sizeof path, "new/out/%s_%04d.%s", i % 2 ? "rope" : "dust", i / 6,
                 i / 2 % 3 == 0   ? "obj"
                 : i / 2 % 3 == 1 ? "ply"
                                  : "vtp");
        free(folder_read(folder_file(&f, path), &size));
        total += size;
    }
    assert_int_equal(bytes, total);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* Places are those of the first frame also after the origin moved. */
/* A shorter run after a longer one: only its own frames are there, and what is not of a run stays. */
static void test_shorter_run(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_vec3 seen[6 * 4];
    for (int round = 0; round < 2; ++round) {
        uint32_t frames = round ? 2 : 6;
        sn_scene *scene = scene_from(SCENE_ROPE);
        sn_output *output = open_output(scene, f.path, frames == 6 ? SN_FORMAT_OBJ | SN_FORMAT_PLY : SN_FORMAT_OBJ);
        run(scene, output, frames, sn_scene_find_object(scene, "rope"), seen);
        assert_true(sn_output_close(output, message, sizeof message));
        sn_scene_destroy(scene);
        if (frames == 6) {
            folder_write(folder_file(&f, "rope_0099.obj"), "v 0 0 0\n", 8);
            folder_write(folder_file(&f, "rope_01.obj"), "# sinew object rope\n", 20);
            folder_write(folder_file(&f, "rope_0005.obj.bak"), "# sinew object rope\n", 20);
            folder_write(folder_file(&f, "ropes_0005.obj"), "# sinew object rope\n", 20);
        }
    }
    static const char *const stay[] = {"rope_0000.obj", "rope_0001.obj",     "dust_0001.obj", "rope_0005.ply",
                                       "rope_0099.obj", "rope_0005.obj.bak", "rope_01.obj",   "ropes_0005.obj"};
    static const char *const gone[] = {"rope_0002.obj", "rope_0005.obj", "dust_0002.obj", "dust_0005.obj"};
    for (size_t i = 0; i < COUNT_OF(stay); ++i)
        if (!folder_has(folder_file(&f, stay[i])))
            fail_msg("%s is gone", stay[i]);
    for (size_t i = 0; i < COUNT_OF(gone); ++i)
        if (folder_has(folder_file(&f, gone[i])))
            fail_msg("%s is of the longer run", gone[i]);
    folder_remove(&f);
}

static void test_shifted_origin(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_NPY);
    write_frame(output);
    assert_ok(sn_scene_world(scene), sn_world_shift_origin(sn_scene_world(scene), vec(8, -4, 2)));
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    char *bytes = folder_read(folder_file(&f, "rope.npy"), NULL);
    for (size_t i = 0; i < 12; ++i)
        assert_close(get_real(bytes + 128 + (12 + i) * sizeof(sn_real)), get_real(bytes + 128 + i * sizeof(sn_real)),
                     8 * SUPPORT_ROUND_OFF);
    free(bytes);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_names(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from("{\"objects\": []}");
    static const struct {
        const char *name, *file;
    } cases[] = {{"rope", "rope"},
                 {"../etc/x y", "___etc_x_y"},
                 {"Rope", "Rope-2"},
                 {"r\xc3\xb6pe", "r_pe"},
                 {"r?pe", "r_pe-2"},
                 {"-rf", "_rf"},
                 {"rope_0001", "rope_0001-2"},
                 {"rope_001", "rope_001"},
                 {"b_00012", "b_00012"},
                 {"b", "b-2"},
                 {" ", "_"}};
    const double place[3] = {0, 0, 0};
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i) {
        sn_problems problems;
        sn_problems_init(&problems, NULL);
        sn_object_def def = sn_default_object_def();
        sn_particles_def own = sn_default_particles_def();
        own.positions = (sn_numbers){3, place};
        if (!sn_scene_add(scene, &sn_object_particles, &def, &own, &problems))
            fail_msg("%s", problems.first ? problems.first->text : "no object");
        ((sn_object *)sn_scene_object(scene, i))->name = cases[i].name; /* a scene takes fewer names than we have to */
        sn_problems_release(&problems);
    }
    sn_output *output = open_output(scene, f.path, SN_FORMAT_PC2);
    for (uint32_t i = 0; i < COUNT_OF(cases); ++i)
        assert_string_equal(sn_output_name(output, i), cases[i].file);
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    assert_true(folder_has(folder_file(&f, "___etc_x_y.pc2")));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* The rope's cache still fits, the dust's third frame does not: all files end with the second frame. */
static void test_full_disk(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_output *output = open_output(scene, f.path, ALL & ~(unsigned)(SN_FORMAT_PLY | SN_FORMAT_VTK));
    write_frame(output);
    write_frame(output);
    uint64_t bytes = sn_output_bytes(output);
    /* the third frame of the rope's array is the first thing that does not fit; its cache and mesh are smaller */
    folder_disk(128 + (2 * 4 + 3) * 3 * sizeof(sn_real));
    assert_false(sn_output_frame(output, message, sizeof message));
    folder_disk(UINT64_MAX);
    assert_non_null(strstr(message, "rope.npy: cannot be written: File too large"));
    assert_int_equal(sn_output_frames(output), 2);
    assert_int_equal(sn_output_bytes(output), bytes);
    assert_false(sn_output_frame(output, message, sizeof message)); /* also when there is room again */
    assert_true(sn_output_close(output, message, sizeof message));
    sn_point_cache_info cache;
    sn_npy_info npy;
    assert_true(sn_point_cache_read_header(folder_file(&f, "rope.pc2"), &cache, message, sizeof message));
    assert_int_equal(cache.frames, 2);
    assert_int_equal(cache.unfinished, 0);
    assert_true(sn_npy_read_header(folder_file(&f, "rope.npy"), &npy, message, sizeof message));
    assert_int_equal(npy.dimension[0], 2);
    assert_int_equal(npy.unfinished, 0);
    assert_true(sn_npy_read_header(folder_file(&f, "dust.npy"), &npy, message, sizeof message));
    assert_int_equal(npy.dimension[0], 2);
    assert_true(folder_has(folder_file(&f, "rope_0001.obj")));
    assert_false(folder_has(folder_file(&f, "rope_0002.obj")));
    char *glb = folder_read(folder_file(&f, "scene.glb"), NULL);
    assert_non_null(strstr(glb + 20, "\"targets\":[{\"POSITION\":2}]")); /* a first frame and one more */
    free(glb);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* The same, but the second object fails: the first takes its frame back. */
static void test_full_disk_later(void **state)
{
    (void)state;
    if (!folder_has_full())
        skip();
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_PC2 | SN_FORMAT_OBJ);
    write_frame(output);
    assert_int_equal(symlink("/dev/full", folder_file(&f, "dust_0001.obj")), 0);
    assert_false(sn_output_frame(output, message, sizeof message));
    assert_non_null(strstr(message, "dust_0001.obj: cannot be written: No space left on device"));
    assert_true(sn_output_close(output, message, sizeof message));
    assert_true(folder_has(folder_file(&f, "rope_0000.obj")));
    assert_false(folder_has(folder_file(&f, "rope_0001.obj")));
    sn_point_cache_info cache;
    assert_true(sn_point_cache_read_header(folder_file(&f, "rope.pc2"), &cache, message, sizeof message));
    assert_int_equal(cache.frames, 1);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    char path[512];
    assert_null(sn_output_open(scene, f.path, 0, message, sizeof message));
    assert_non_null(strstr(message, "pc2, obj, ply, npy"));
    assert_null(sn_output_open(scene, f.path, 128, message, sizeof message));
    assert_null(sn_output_open(scene, "", ALL, message, sizeof message));
    assert_non_null(strstr(message, "empty"));
    folder_write(folder_file(&f, "plain"), "x", 1);
    snprintf(path, sizeof path, "%s/out", f.name);
    assert_null(sn_output_open(scene, path, ALL, message, sizeof message));
    assert_non_null(strstr(message, "plain: cannot be made a folder"));
    assert_int_equal(mkdir(folder_file(&f, "rope.pc2"), 0777), 0);
    assert_null(sn_output_open(scene, f.path, ALL, message, sizeof message));
    assert_non_null(strstr(message, "rope.pc2: cannot be opened for writing: Is a directory"));
    assert_true(folder_has(f.name));
    assert_int_equal(mkdir(folder_file(&f, "rope_0000.ply"), 0777), 0);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_PLY);
    assert_false(sn_output_frame(output, message, sizeof message));
    assert_non_null(strstr(message, "rope_0000.ply: cannot be opened for writing: Is a directory"));
    assert_true(sn_output_close(output, message, sizeof message));
    assert_true(folder_has(f.name)); /* it was not ours to delete */
    assert_true(sn_output_close(NULL, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* A particle of an object is removed in spite of all warnings. */
static void test_removed_particle(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_PC2);
    write_frame(output);
    sn_particle end = sn_particles_at(sn_scene_object(scene, 0)->run, 3);
    assert_ok(sn_scene_world(scene), sn_particle_remove(sn_scene_world(scene), end));
    assert_false(sn_output_frame(output, message, sizeof message));
    assert_non_null(strstr(message, "particles of rope cannot be read"));
    assert_true(sn_output_close(output, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_format_names(void **state)
{
    (void)state;
    unsigned all = 0;
    uint32_t i = 0;
    sn_format format;
    const char *about;
    for (; sn_format_name(i, &format, &about); ++i) {
        all |= format;
        assert_true(strlen(about) > 10);
    }
    assert_int_equal(i, 7);
    assert_int_equal(all, ALL);
    assert_string_equal(sn_format_name(0, NULL, NULL), "pc2");
}

/* ---- Fixed shapes --------------------------------------------------------------------------------------------------- */

#define SCENE_FIXED                                                                                                    \
    "{\"objects\": [{\"type\": \"particles\", \"name\": \"p\", \"positions\": [5, 3, 0]}],"                            \
    " \"bodies\": [{\"name\": \"floor\", \"type\": \"static\", \"shapes\": {\"type\": \"plane\"}}, {\"name\": "        \
    "\"b\", \"type\": \"kinematic\", \"position\": [0, 1, 0], \"shapes\": {\"type\": \"box\", "                        \
    "\"size\": [2, 4, 6]}}, {\"name\": \"s\", \"type\": \"static\", \"shapes\": {\"type\": "                           \
    "\"sphere\", \"radius\": 1.5, \"rounding\": 0.5}}, {\"name\": \"c\", \"type\": \"static\", "                       \
    "\"shapes\": {\"type\": \"capsule\", \"radius\": 0.5, \"length\": 3}}, {\"name\": \"m\", "                         \
    "\"type\": \"static\", \"shapes\": {\"type\": \"mesh\", \"vertices\": [0,0,0, 1,0,0, 0,0,1], "                     \
    "\"triangles\": [0,2,1]}}, {\"name\": \"f\", \"type\": \"static\", \"shapes\": {\"type\": "                        \
    "\"field\", \"samples\": [-1,1,-1,1,-1,1,-1,1], \"counts\": [2,2,2], \"cell\": 1}}],"                              \
    " \"motions\": [{\"of\": \"b\", \"smooth\": false, \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\":"              \
    " [60, 0, 0]}]}]}"

static sn_mesh read_mesh(sn_arena *arena, const char *path)
{
    size_t size;
    sn_mesh mesh;
    char *text = folder_read(path, &size);
    if (!sn_mesh_read(arena, text, size, &mesh, NULL, message, sizeof message))
        fail_msg("%s: %s", path, message);
    free(text);
    return mesh;
}

/* What kind of mesh a file holds: closed and facing outwards, with about this volume; 0: a sheet. */
static void check_mesh(folder *f, const char *name, double volume)
{
    sn_arena arena;
    sn_mesh_topology topology;
    sn_arena_init(&arena, NULL);
    sn_mesh mesh = read_mesh(&arena, folder_file(f, name));
    assert_true(sn_mesh_connect(&arena, &mesh, &topology, message, sizeof message));
    assert_true(topology.oriented);
    assert_int_equal(topology.closed, volume > 0);
    if (volume > 0)
        assert_close(sn_mesh_volume(&mesh), volume, 0.02 * volume);
    sn_arena_release(&arena);
}

static void test_fixed_shapes(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_FIXED);
    sn_output *output = open_output(scene, f.path, ALL);
    static const char *const names[] = {"p", "floor", "b", "s", "c", "m"}; /* a field of samples has no surface */
    for (uint32_t i = 0; i < 6; ++i)
        assert_string_equal(sn_output_name(output, i), names[i]);
    assert_null(sn_output_name(output, 6));
    write_frame(output);
    assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    check_mesh(&f, "floor.obj", 0);
    check_mesh(&f, "b.obj", 48);
    check_mesh(&f, "b_0001.ply", 48);
    check_mesh(&f, "s.obj", 4 * SN_PI / 3 * 8);
    check_mesh(&f, "c_0000.obj", 4 * SN_PI / 3 * 0.125 + 3 * SN_PI * 0.25);
    check_mesh(&f, "m.obj", 0);
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_mesh floor = read_mesh(&arena, folder_file(&f, "floor.obj")), box;
    for (int i = 0; i < 4; ++i) /* flat, around what there is */
        assert_true(floor.vertex[i].y == 0);
    sn_vec3 *v = floor.vertex;
    assert_close((double)(v[0].x + v[2].x) / 2, 5, 1e-5);
    sn_vec3 a = {v[1].x - v[0].x, 0, v[1].z - v[0].z}, b = {v[2].x - v[1].x, 0, v[2].z - v[1].z};
    assert_true(a.z * b.x - a.x * b.z > 0); /* it faces up */
    floor = read_mesh(&arena, folder_file(&f, "b_0000.obj"));
    box = read_mesh(&arena, folder_file(&f, "b_0001.obj")); /* which has moved */
    for (int i = 0; i < 8; ++i)
        assert_close((double)(box.vertex[i].x - floor.vertex[i].x), 1, 1e-4);
    assert_false(folder_has(folder_file(&f, "b.pc2"))); /* a rigid body has poses instead */
    sn_npy_info info;
    assert_true(sn_npy_read_header(folder_file(&f, "b.poses.npy"), &info, message, sizeof message));
    assert_true(info.dimension[0] == 2 && info.dimension[1] == 1 && info.dimension[2] == 7);
    char *text = folder_read(folder_file(&f, "b.obj"), NULL);
    assert_non_null(strstr(text, "# sinew type kinematic box"));
    free(text);
    sn_arena_release(&arena);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* One that the program removes stays where it was last. */
static void test_removed_fixed_shape(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_FIXED);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_OBJ);
    assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    write_frame(output);
    assert_ok(sn_scene_world(scene), sn_body_remove(sn_scene_world(scene), sn_scene_fixed_at(scene, 1)->handle));
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    char *a = folder_read(folder_file(&f, "b_0000.obj"), NULL), *b = folder_read(folder_file(&f, "b_0001.obj"), NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

#define SCENE_BODIES                                                                                                   \
    "{\"objects\": [{\"type\": \"bridge\", \"name\": \"bridge\", \"planks\": 2, \"plank\": [0.5, 0.25, 2]},"           \
    " {\"type\": \"pile\", \"name\": \"poses\", \"columns\": 4, \"rows\": 1, \"layers\": 1, \"shapes\": \"mixed\","    \
    " \"size\": [1, 1, 1], \"position\": [9, 0, 0], \"spin\": [1, 2, 3]}],"                                            \
    " \"bodies\": [{\"name\": \"crate\", \"spin\": [0, 0, 5], \"velocity\": [1, 0, 0], \"position\": [0, 5, 0], "      \
    "\"shapes\":"                                                                                                      \
    " [{\"type\": \"box\", \"size\": [1, 2, 3], \"rounding\": 0.25}, {\"type\": \"sphere\", \"radius\": 0.5, "         \
    "\"position\":"                                                                                                    \
    " [5, 0, 0]}]}, {\"name\": \"gem\", \"position\": [0, 9, 0], \"shapes\": {\"type\": \"hull\", \"points\": "        \
    "[0,0,0, 1,0,0,"                                                                                                   \
    " 0,1,0, 1,1,0, 0,0,1, 1,0,1, 0,1,1, 1,1,1]}}]}"

/* Where the vertices of a mesh of one body are, against the engine's own idea of it. */
static void check_places(sn_scene *scene, const char *name, const sn_mesh *start, const sn_mesh *now)
{
    const sn_object *object = sn_scene_find_object(scene, name);
    sn_world *world = sn_scene_world(scene);
    sn_body_def *def = object->body[0].def;
    assert_int_equal(start->vertex_count, now->vertex_count);
    for (uint32_t i = 0; i < start->vertex_count; ++i) { /* it began without a rotation */
        sn_vec3 own = {start->vertex[i].x - def->position.x, start->vertex[i].y - def->position.y,
                       start->vertex[i].z - def->position.z};
        assert_vec_close(now->vertex[i], sn_body_to_world(world, object->body[0].handle, own), 2e-6);
    }
}

/* The pieces of NAME.obj, moved as NAME.poses.npy says, are where they are in the last frame. */
static void check_pieces(folder *f, sn_arena *arena, sn_scene *scene)
{
    char *text = folder_read(folder_file(f, "poses-2.obj"), NULL), *at = text;
    size_t size;
    uint32_t pieces = 0, piece_of[2000] = {0}, vertices = 0;
    for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n")) {
        pieces += line[0] == 'o' && line[1] == ' ';
        if (line[0] == 'v' && line[1] == ' ')
            piece_of[vertices++] = pieces - 1;
    }
    assert_int_equal(pieces, 4);
    free(text);
    sn_mesh start = read_mesh(arena, folder_file(f, "poses-2.obj")),
            last = read_mesh(arena, folder_file(f, "poses-2_0001.obj"));
    assert_int_equal(start.vertex_count, vertices);
    char *npy = folder_read(folder_file(f, "poses-2.poses.npy"), &size);
    sn_real pose[2][4][7];
    assert_true(size > sizeof pose);
    memcpy(pose, npy + size - sizeof pose, sizeof pose);
    free(npy);
    sn_world *world = sn_scene_world(scene);
    sn_body body = sn_scene_find_object(scene, "poses")->body[3].handle;
    assert_true(pose[1][3][0] == sn_body_position(world, body).x && pose[1][3][6] == sn_body_rotation(world, body).w);
    for (uint32_t i = 0; i < vertices; ++i) {
        const sn_real *a = pose[0][piece_of[i]], *b = pose[1][piece_of[i]];
        sn_quat back = {-a[3], -a[4], -a[5], a[6]}, now = {b[3], b[4], b[5], b[6]};
        sn_vec3 own = {start.vertex[i].x - a[0], start.vertex[i].y - a[1], start.vertex[i].z - a[2]};
        own = sn_frame_place((sn_vec3){0, 0, 0}, back, own);
        assert_vec_close(last.vertex[i], sn_frame_place((sn_vec3){b[0], b[1], b[2]}, now, own), 1e-5);
    }
}

/* Bodies are meshes, closed and as large as they are, and go where the world has them. */
static void test_bodies(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_BODIES);
    sn_output *output = open_output(scene, f.path, ALL);
    static const char *const names[] = {"bridge", "poses-2", "crate", "gem", "bridge_bodies"};
    for (uint32_t i = 0; i < 5; ++i)
        assert_string_equal(sn_output_name(output, i), names[i]);
    assert_null(sn_output_name(output, 5));
    write_frame(output);
    for (int i = 0; i < 10; ++i)
        assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    double rounded = 6 + 2 * 11 * 0.25 + SN_PI * 0.0625 * 6 + 4 * SN_PI / 3 / 64; /* faces, edges, corners */
    check_mesh(&f, "bridge_bodies.obj", 0.5);
    check_mesh(&f, "crate_0001.obj", rounded + SN_PI / 6);
    check_mesh(&f, "gem_0001.ply", 1);
    check_mesh(&f, "poses-2.obj", 1 + SN_PI / 6 + SN_PI * 0.0625 * 0.5 + 4 * SN_PI / 3 / 64 + 1.0 / 6);
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    for (int i = 0; i < 2; ++i) {
        char first[40], last[40];
        snprintf(first, sizeof first, "%s_0000.obj", names[2 + i]);
        snprintf(last, sizeof last, "%s_0001.obj", names[2 + i]);
        sn_mesh a = read_mesh(&arena, folder_file(&f, first)), b = read_mesh(&arena, folder_file(&f, last));
        check_places(scene, names[2 + i], &a, &b);
    }
    char *text = folder_read(folder_file(&f, "crate.obj"), NULL);
    assert_non_null(strstr(text, "# sinew type body"));
    free(text);
    check_pieces(&f, &arena, scene);
    sn_arena_release(&arena);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_poses(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_BODIES);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_POSES);
    write_frame(output);
    assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    write_frame(output);
    assert_true(sn_output_bytes(output) > 100);
    assert_true(sn_output_close(output, message, sizeof message));
    sn_npy_info info;
    assert_true(sn_npy_read_header(folder_file(&f, "poses.npy"), &info, message, sizeof message));
    assert_true(info.dimension_count == 3 && info.dimension[0] == 2 && info.dimension[1] == 8 &&
                info.dimension[2] == 7);
    char *text = folder_read(folder_file(&f, "poses.csv"), NULL), name[40];
    static const char *const bodies[] = {"bridge.first", "bridge.last", "poses[0]", "poses[1]",
                                         "poses[2]",     "poses[3]",    "crate",    "gem"};
    char *line = strtok(text, "\n");
    assert_string_equal(line, "frame,time,body,x,y,z,qx,qy,qz,qw");
    for (uint32_t row = 0; row < 16; ++row) {
        double x[7];
        unsigned frame;
        line = strtok(NULL, "\n");
        assert_non_null(line);
        assert_int_equal(sscanf(line, "%u,%*[^,],%39[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf", &frame, name, &x[0], &x[1],
                                &x[2], &x[3], &x[4], &x[5], &x[6]),
                         9);
        assert_int_equal(frame, row / 8);
        assert_string_equal(name, bodies[row % 8]);
        if (row != 14)
            continue;
        sn_body crate = sn_scene_find_object(scene, "crate")->body[0].handle;
        sn_vec3 p = sn_body_position(sn_scene_world(scene), crate);
        sn_quat q = sn_body_rotation(sn_scene_world(scene), crate);
        const sn_real wanted[7] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
        for (int i = 0; i < 7; ++i)
            assert_true((sn_real)x[i] == wanted[i]);
    }
    assert_null(strtok(NULL, "\n"));
    free(text);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* A body that the program removes stays where it was last. */
static void test_removed_body(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_BODIES);
    sn_output *output = open_output(scene, f.path, SN_FORMAT_OBJ | SN_FORMAT_POSES);
    write_frame(output);
    assert_ok(sn_scene_world(scene),
              sn_body_remove(sn_scene_world(scene), sn_scene_find_object(scene, "gem")->body[0].handle));
    write_frame(output);
    assert_true(sn_output_close(output, message, sizeof message));
    char *a = folder_read(folder_file(&f, "gem_0000.obj"), NULL),
         *b = folder_read(folder_file(&f, "gem_0001.obj"), NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_shapes),   cmocka_unit_test(test_removed_fixed_shape),
        cmocka_unit_test(test_bodies),         cmocka_unit_test(test_poses),
        cmocka_unit_test(test_removed_body),   cmocka_unit_test(test_all_formats),
        cmocka_unit_test(test_shifted_origin), cmocka_unit_test(test_names),
        cmocka_unit_test(test_full_disk),      cmocka_unit_test(test_full_disk_later),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_removed_particle),
        cmocka_unit_test(test_format_names),   cmocka_unit_test(test_shorter_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
