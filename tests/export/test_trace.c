/* Traces: the columns, that they say what the world says, and what happens when they cannot be written. */
#include "support/support.h"

#include "export/npy.h"
#include "export/trace.h"
#include "folder.h"
#include "scenes.h"

static char message[512];

static sn_trace *open_trace(sn_scene *scene, const char *path)
{
    sn_trace *trace = sn_trace_open(scene, path, message, sizeof message);
    if (!trace)
        fail_msg("%s", message);
    return trace;
}

static void write_row(sn_trace *trace)
{
    if (!sn_trace_row(trace, message, sizeof message))
        fail_msg("%s", message);
}

static uint32_t find_column(const sn_trace *trace, const char *wanted, const char *wanted_unit)
{
    const char *name, *unit;
    for (uint32_t i = 0; sn_trace_column(trace, i, &name, &unit); ++i)
        if (strcmp(name, wanted) == 0) {
            assert_string_equal(unit, wanted_unit);
            return i;
        }
    fail_msg("there is no column %s", wanted);
    return 0;
}

/* The number in a line (0 is that of the names) and column of a CSV without quotes. */
static double number_at(const char *text, uint32_t line, uint32_t column)
{
    for (; line; --line)
        text = strchr(text, '\n') + 1;
    for (; column; --column)
        text = strchr(text, ',') + 1;
    return strtod(text, NULL);
}

static void test_csv(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_world *world = sn_scene_world(scene);
    sn_trace *trace = open_trace(scene, folder_file(&f, "a.csv"));
    write_row(trace);
    for (int i = 0; i < 10; ++i)
        assert_ok(world, sn_scene_step(scene));
    write_row(trace);
    assert_int_equal(sn_trace_rows(trace), 2);
    sn_report report;
    assert_ok(world, sn_world_report(world, &report));
    char *text = folder_read(f.name, NULL); /* while it is open */
    static const char head[] = "frame,time,kinetic,potential,elastic,energy,momentum_x,momentum_y,momentum_z,"
                               "angular_x,angular_y,angular_z,centre_x,centre_y,centre_z,residual_";
    assert_memory_equal(text, head, strlen(head));
    assert_non_null(
        strstr(text, ",x_rope.end,y_rope.end,z_rope.end,vx_rope.end,vy_rope.end,vz_rope.end,force_rope.links[0]\n"));

    assert_true(number_at(text, 1, find_column(trace, "frame", "1")) == 0);
    assert_true(number_at(text, 2, find_column(trace, "frame", "1")) == 10);
    assert_true(number_at(text, 2, find_column(trace, "time", "s")) == sn_scene_time(scene));
    assert_true(number_at(text, 2, find_column(trace, "kinetic", "J")) == report.kinetic);
    assert_true(number_at(text, 2, find_column(trace, "energy", "J")) ==
                report.kinetic + report.potential + report.elastic);
    assert_true(number_at(text, 2, find_column(trace, "momentum_y", "kg m/s")) == report.momentum[1]);
    assert_true(number_at(text, 2, find_column(trace, "angular_z", "kg m^2/s")) == report.angular_momentum[2]);
    assert_true(number_at(text, 2, find_column(trace, "centre_x", "m")) == report.centre[0]);
    assert_true(report.kind_count > 0);
    for (uint32_t i = 0; i < report.kind_count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "residual_%s", report.kinds[i].name);
        assert_true(number_at(text, 2, find_column(trace, name, "m")) == report.kinds[i].largest);
    }
    sn_particle end = sn_particles_at(sn_scene_object(scene, 0)->run, 3);
    assert_true((sn_real)number_at(text, 2, find_column(trace, "y_rope.end", "m")) ==
                sn_particle_position(world, end).y);
    assert_true((sn_real)number_at(text, 2, find_column(trace, "vx_rope.end", "m/s")) ==
                sn_particle_velocity(world, end).x);
    sn_trace_list list = sn_scene_traces(scene);
    sn_real force = sn_constraint_force(world, list.constraint[0].constraint).magnitude;
    assert_true(force > 0);
    assert_true((sn_real)number_at(text, 2, find_column(trace, "force_rope.links[0]", "N")) == force);
    free(text);
    assert_true(sn_trace_close(trace, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* The array has the same columns and, to the last bit, the same numbers. */
static void test_npy(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_trace *csv = open_trace(scene, folder_file(&f, "a.csv")), *npy = open_trace(scene, folder_file(&f, "a.NPY"));
    for (int i = 0; i < 3; ++i) {
        write_row(csv);
        write_row(npy);
        assert_ok(sn_scene_world(scene), sn_scene_step(scene));
    }
    uint32_t columns = 0, kinds = 0;
    const char *name;
    for (; sn_trace_column(npy, columns, &name, NULL); ++columns)
        kinds += strncmp(name, "residual_", 9) == 0;
    assert_int_equal(columns, 15 + kinds + 6 + 1);
    assert_true(sn_trace_close(csv, message, sizeof message));
    assert_true(sn_trace_close(npy, message, sizeof message));
    sn_npy_info info;
    assert_true(sn_npy_read_header(f.name, &info, message, sizeof message));
    assert_int_equal(info.field_count, columns);
    assert_int_equal(info.dimension_count, 1);
    assert_int_equal(info.dimension[0], 3);
    size_t doubles = 14 + kinds;
    assert_int_equal(info.item_bytes, 4 + 8 * doubles + 7 * sizeof(sn_real));
    size_t size;
    char *bytes = folder_read(f.name, &size), *text = folder_read(folder_file(&f, "a.csv"), NULL);
    for (uint32_t row = 0; row < 3; ++row) {
        const char *at = bytes + size - (3 - row) * info.item_bytes;
        assert_int_equal(get_u32(at), row);
        for (uint32_t i = 0; i < doubles; ++i)
            assert_true(get_f64(at + 4 + 8 * i) == number_at(text, row + 1, i + 1));
        for (uint32_t i = 0; i < 7; ++i)
            assert_true(get_real(at + 4 + 8 * doubles + i * sizeof(sn_real)) ==
                        (sn_real)number_at(text, row + 1, (uint32_t)doubles + 1 + i));
    }
    free(bytes);
    free(text);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* Labels with everything in them that CSV has to quote, and twice the same. */
static void test_labels(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene =
        scene_from("{\"objects\": [{\"type\": \"particles\", \"name\": \"a\", \"positions\": [0, 1, 0, 0, 2, 0]}],"
                   " \"record\": {\"particles\": [\"a[0]\", \"a[1]\", \"a[0]\"]}}");
    sn_trace_list list = sn_scene_traces(scene);
    assert_int_equal(list.particle_count, 3);
    for (int i = 0; i < 3; ++i) /* a scene takes fewer names than we have to */
        ((sn_traced_particle *)&list.particle[i])->label = i == 1 ? "plain" : "a,\"b\"[0]";
    sn_trace *trace = open_trace(scene, folder_file(&f, "a.csv"));
    write_row(trace);
    const char *name, *other;
    uint32_t count = 0;
    for (; sn_trace_column(trace, count, &name, NULL); ++count)
        for (uint32_t k = 0; k < count; ++k) {
            assert_true(sn_trace_column(trace, k, &other, NULL));
            assert_string_not_equal(name, other);
        }
    assert_int_equal(count, 15 + 18);
    assert_true(sn_trace_close(trace, message, sizeof message));
    char *text = folder_read(f.name, NULL);
    assert_non_null(strstr(text, ",\"x_a,\"\"b\"\"[0]\",\"y_a,\"\"b\"\"[0]\","));
    assert_non_null(strstr(text, ",\"x_a,\"\"b\"\"[0]#2\","));
    free(text);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* What is gone has NaN, and no error is logged every frame; what is left goes on. */
static void test_gone(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    sn_world *world = sn_scene_world(scene);
    sn_trace *trace = open_trace(scene, folder_file(&f, "a.csv"));
    sn_trace_list list = sn_scene_traces(scene);
    uint32_t x = find_column(trace, "x_rope.end", "m"), force = find_column(trace, "force_rope.links[0]", "N");
    assert_ok(world, sn_constraint_remove(world, list.constraint[0].constraint));
    assert_ok(world, sn_particle_remove(world, list.particle[0].particle));
    write_row(trace);
    assert_string_equal(sn_world_error(world), "");
    char *text = folder_read(f.name, NULL);
    assert_true(isnan(number_at(text, 1, x)));
    assert_true(isnan(number_at(text, 1, force)));
    free(text);
    assert_true(sn_trace_close(trace, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

/* A disk that is full in the middle of a row: the rows before it stay, whole. */
static void check_full(const char *ending)
{
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    char name[32];
    snprintf(name, sizeof name, "a.%s", ending);
    sn_trace *trace = open_trace(scene, folder_file(&f, name));
    write_row(trace);
    write_row(trace);
    size_t size, after;
    free(folder_read(f.name, &size));
    folder_disk(size + 30);
    assert_false(sn_trace_row(trace, message, sizeof message));
    folder_disk(UINT64_MAX);
    assert_non_null(strstr(message, name));
    assert_non_null(strstr(message, "File too large"));
    assert_false(sn_trace_row(trace, message, sizeof message));
    assert_int_equal(sn_trace_rows(trace), 2);
    assert_true(sn_trace_close(trace, message, sizeof message));
    free(folder_read(f.name, &after));
    assert_int_equal(size, after);
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_full_disk(void **state)
{
    (void)state;
    check_full("csv");
    check_full("npy");
}

static void test_refusals(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from(SCENE_ROPE);
    char path[512];
    assert_null(sn_trace_open(scene, folder_file(&f, "a.txt"), message, sizeof message));
    assert_non_null(strstr(message, "a.txt: the name of a trace has to end in .csv or .npy"));
    assert_null(sn_trace_open(scene, ".csv", message, sizeof message));
    assert_null(sn_trace_open(scene, folder_file(&f, "none/a.csv"), message, sizeof message));
    assert_non_null(strstr(message, "none/a.csv: cannot be opened for writing: No such file or directory"));
    folder_write(folder_file(&f, "plain"), "x", 1);
    snprintf(path, sizeof path, "%s/a.npy", f.name);
    assert_null(sn_trace_open(scene, path, message, sizeof message));
    assert_non_null(strstr(message, "Not a directory"));
    assert_int_equal(mkdir(folder_file(&f, "b.csv"), 0777), 0);
    assert_null(sn_trace_open(scene, f.name, message, sizeof message));
    assert_non_null(strstr(message, "Is a directory"));
    if (folder_has_full()) {
        assert_int_equal(symlink("/dev/full", folder_file(&f, "c.csv")), 0);
        assert_null(sn_trace_open(scene, f.name, message, sizeof message));
        assert_non_null(strstr(message, "c.csv: cannot be written: No space left on device"));
        assert_int_equal(symlink("/dev/full", folder_file(&f, "c.npy")), 0);
        assert_null(sn_trace_open(scene, f.name, message, sizeof message));
        assert_non_null(strstr(message, "c.npy: cannot be written: No space left on device"));
    }
    assert_true(sn_trace_close(NULL, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

static void test_slopes(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_scene *scene = scene_from("{\"objects\": [{\"type\": \"grains\", \"name\": \"g\", \"radius\": 0.1}, {\"type\":"
                                 " \"particles\", \"name\": \"p\", \"positions\": [0, 9, 0]}], \"record\": {\"slopes\":"
                                 " [\"g\", \"p\"]}}");
    sn_trace *trace = open_trace(scene, folder_file(&f, "a.csv"));
    write_row(trace);
    char *text = folder_read(f.name, NULL);
    double slope = sn_scene_slope(scene, sn_scene_object(scene, 0));
    assert_true(slope > 0.5 && number_at(text, 1, find_column(trace, "slope_g", "rad")) == slope);
    assert_true(isnan(number_at(text, 1, find_column(trace, "slope_p", "rad"))));
    free(text);
    assert_true(sn_trace_close(trace, message, sizeof message));
    sn_scene_destroy(scene);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),   cmocka_unit_test(test_csv),  cmocka_unit_test(test_npy),
        cmocka_unit_test(test_labels),   cmocka_unit_test(test_gone), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
