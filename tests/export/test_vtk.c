/* VTK's files: heads, offsets and numbers agree. VTK itself reads them in 'make test-files'. */
#include "support/support.h"

#include "export/vtk.h"
#include "folder.h"

static char message[512];

/* The numbers of an array: where its offset says, behind the first '_' after the head. */
static const char *array(const char *text, const char *inside, const char *name, uint64_t *bytes)
{
    char wanted[64];
    const char *at = strstr(text, inside);
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    assert_non_null(at);
    at = strstr(at, wanted);
    assert_non_null(at);
    at = strstr(at, "offset=\"");
    assert_non_null(at);
    const unsigned long offset = strtoul(at + 8, NULL, 10);
    const char *data = strstr(text, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(data);
    data = strchr(data, '_') + 1 + offset;
    *bytes = get_u32(data) | (uint64_t)get_u32(data + 4) << 32;
    return data + 8;
}

static void test_mesh(void **state)
{
    (void)state;
    folder f = folder_make();
    const sn_vec3 place[] = {vec(0, 1, 2), vec(3, 4, 5), vec(6, 7, 8), vec(-1, 0.1, 1e-9), vec(5, 5, 5), vec(9, 9, 9)},
                  velocity[] = {vec(1, 0, 0), vec(2, 0, 0), vec(3, 0, 0), vec(4, 0, 0), vec(5, 0, 0), vec(6, 0, 0)};
    const uint32_t triangle[] = {0, 1, 2, 2, 1, 4}, line[] = {1, 4}, piece[] = {0, 0, 0, 1, 1, 2};
    const char *const comment[] = {"sinew object a--->b\n", NULL};
    const sn_mesh_view mesh = {.vertex_count = 6,
                               .place = place,
                               .velocity = velocity,
                               .triangle_count = 2,
                               .triangle = triangle,
                               .line_count = 1,
                               .line = line,
                               .piece_of = piece,
                               .comment = comment};
    uint64_t told, bytes;
    size_t size;
    assert_true(sn_vtp_write(folder_file(&f, "x.vtp"), &mesh, &told, message, sizeof message));
    char *text = folder_read(folder_file(&f, "x.vtp"), &size);
    assert_int_equal(told, size);
    assert_non_null(strstr(text, "<!-- sinew object a__->b  -->\n"));
    assert_non_null(strstr(
        text, "NumberOfPoints=\"6\" NumberOfVerts=\"2\" NumberOfLines=\"1\" NumberOfStrips=\"0\" NumberOfPolys=\"2\""));
    const char *x = array(text, "<Points>", "Points", &bytes);
    assert_int_equal(bytes, sizeof place);
    for (size_t i = 0; i < 18; ++i)
        assert_true(get_real(x + i * sizeof(sn_real)) == (&place[0].x)[i]);
    const char *v = array(text, "<PointData", "velocity", &bytes);
    assert_true(get_real(v + 15 * sizeof(sn_real)) == 6);
    const char *body = array(text, "<PointData", "body", &bytes);
    assert_int_equal(bytes, 24);
    assert_int_equal(get_u32(body + 20), 2);
    const char *loose = array(text, "<Verts>", "connectivity", &bytes);
    assert_true(bytes == 8 && get_u32(loose) == 3 && get_u32(loose + 4) == 5);
    const char *polys = array(text, "<Polys>", "connectivity", &bytes);
    assert_true(bytes == 24 && get_u32(polys + 20) == 4);
    const char *ends = array(text, "<Polys>", "offsets", &bytes);
    assert_true(bytes == 16 && get_u32(ends) == 3 && get_u32(ends + 8) == 6);
    assert_string_equal(ends + 16, "\n</AppendedData>\n</VTKFile>\n"); /* the last array ends where the text goes on */
    free(text);
    assert_false(sn_vtp_write(folder_file(&f, "no/x.vtp"), &mesh, NULL, message, sizeof message));
    assert_non_null(strstr(message, "no/x.vtp: cannot be opened for writing"));
    folder_remove(&f);
}

static void check_collection(folder *f, const char *const *line)
{
    char *text = folder_read(folder_file(f, "x.pvd"), NULL), *at = strstr(text, "<Collection>\n");
    assert_non_null(at);
    at += strlen("<Collection>\n");
    for (; *line; ++line) {
        assert_memory_equal(at, *line, strlen(*line));
        at += strlen(*line);
    }
    assert_string_equal(at, "</Collection>\n</VTKFile>\n");
    free(text);
}

/* It can be opened at any moment, and frames can be taken back. */
static void test_collection(void **state)
{
    (void)state;
    folder f = folder_make();
    sn_pvd pvd;
    const char *lines[] = {"<DataSet timestep=\"0\" part=\"0\" file=\"a_0001.vtp\"/>\n",
                           "<DataSet timestep=\"0\" part=\"1\" file=\"b_0001.vtp\"/>\n",
                           "<DataSet timestep=\"0.5\" part=\"0\" file=\"a_0002.vtp\"/>\n", NULL};
    const char *const first[] = {lines[0], lines[1], NULL}, *const none[] = {NULL};
    assert_true(sn_pvd_open(&pvd, folder_file(&f, "x.pvd"), message, sizeof message));
    check_collection(&f, none);
    sn_pvd_begin(&pvd);
    sn_pvd_put(&pvd, 0, 0, "a_0001.vtp");
    sn_pvd_put(&pvd, 0, 1, "b_0001.vtp");
    assert_true(sn_pvd_frame(&pvd, message, sizeof message));
    check_collection(&f, first);
    sn_pvd_begin(&pvd);
    sn_pvd_put(&pvd, 0.5, 0, "a_0002.vtp");
    sn_pvd_take_back(&pvd);
    check_collection(&f, first);
    sn_pvd_begin(&pvd);
    sn_pvd_put(&pvd, 0.5, 0, "a_0002.vtp");
    assert_true(sn_pvd_frame(&pvd, message, sizeof message));
    check_collection(&f, lines);
    sn_pvd_take_back(&pvd);
    assert_true(sn_pvd_close(&pvd, message, sizeof message));
    check_collection(&f, first);
    folder_remove(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mesh), cmocka_unit_test(test_collection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
