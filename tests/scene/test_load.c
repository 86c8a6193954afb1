/* Loading: files, folders that a scene may read, changes by --set, places in messages. */
#include "support/support.h"

#include "scene/load.h"
#include "scene/scene_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

/* A folder for the test, with a folder 'in' inside. */
static char outer[64], inner[80];

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void path_of(const char *folder, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[300], *json = fixture_json(text);
    path_of(folder, name, path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(json, file) >= 0 && fclose(file) == 0);
    free(json);
}

static int make_folders(void **state)
{
    (void)state;
    snprintf(outer, sizeof outer, "/tmp/sinew_load_XXXXXX");
    if (!mkdtemp(outer))
        return -1;
    snprintf(inner, sizeof inner, "%s/in", outer);
    return mkdir(inner, 0700);
}

static int remove_folders(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", outer);
    return system(command);
}

typedef struct loading {
    sn_loaded loaded;
    char path[300];
    char *printed; /* all problems as they are printed */
} loading;

static void load_with(loading *l, const char *name, const sn_load_options *options)
{
    size_t length;
    path_of(inner, name, l->path, sizeof l->path);
    bool good = sn_scene_load(strcmp(name, "-") == 0 ? "-" : l->path, options, &l->loaded);
    assert_true(good == (l->loaded.scene != NULL) && good == (l->loaded.problems.errors == 0));
    FILE *file = open_memstream(&l->printed, &length);
    assert_non_null(file);
    for (const sn_problem *p = l->loaded.problems.first; p; p = p->next)
        sn_loaded_print(&l->loaded, p, file);
    fclose(file);
}

static void unload(loading *l)
{
    sn_loaded_release(&l->loaded);
    assert_null(l->loaded.scene);
    free(l->printed);
}

static void test_load(void **state)
{
    (void)state;
    loading l;
    put(inner, "good.json", "{'objects': [{'type': 'rope'}]}");
    load_with(&l, "good.json", NULL);
    assert_non_null(l.loaded.scene);
    assert_string_equal(l.printed, "");
    unload(&l);
}

static void test_no_file(void **state)
{
    (void)state;
    loading l;
    load_with(&l, "nowhere.json", NULL);
    assert_null(l.loaded.scene);
    assert_says(l.printed, "nowhere.json: error: cannot be read: No such file");
    unload(&l);
    load_with(&l, ".", NULL);
    assert_says(l.printed, "folder");
    unload(&l);
    load_with(&l, "no/way.json", NULL);
    assert_says(l.printed, "cannot be read");
    unload(&l);
    put(inner, "empty.json", "");
    load_with(&l, "empty.json", NULL);
    assert_null(l.loaded.scene);
    unload(&l);
    /* larger than a scene may be */
    sn_load_options options = sn_default_load_options();
    options.scene.memory = 1000;
    char *large = malloc(200001);
    assert_non_null(large);
    memset(large, ' ', 200000);
    large[200000] = 0;
    put(inner, "large.json", large);
    free(large);
    load_with(&l, "large.json", &options);
    assert_says(l.printed, "has 200000 bytes 250 at most");
    unload(&l);
}

/* Neither is read: the one has no end, the others would take an hour. */
static void test_endless(void **state)
{
    (void)state;
    char path[300];
    loading l;
    path_of(inner, "zero.json", path, sizeof path);
    assert_int_equal(symlink("/dev/zero", path), 0);
    load_with(&l, "zero.json", NULL);
    assert_says(l.printed, "cannot be read: it is a device");
    unload(&l);
    put(inner, "endless.json", "{");
    path_of(inner, "endless.json", path, sizeof path);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    load_with(&l, "endless.json", NULL);
    assert_says(l.printed, "cannot be read: it has 1099511627776 bytes, and may have 1073741824 at most");
    unload(&l);
    put(inner, "endless.obj", triangle);
    path_of(inner, "endless.obj", path, sizeof path);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    put(inner, "mesh.json", "{'objects': [{'type': 'cloth', 'mesh': 'endless.obj'}]}");
    load_with(&l, "mesh.json", NULL);
    assert_says(l.printed, "objects[0].mesh: 'endless.obj' cannot be read: it has 1099511627776 bytes");
    unload(&l);
}

/* What a scene read, and nothing that it only mentions, can be read again by who loaded it, under the same rules. */
static void test_files(void **state)
{
    (void)state;
    char text[600], message[256] = "";
    size_t length;
    loading l;
    put(outer, "out.obj", triangle);
    put(inner, "a.obj", triangle);
    put(inner, "b.obj", triangle);
    snprintf(text, sizeof text,
             "{'about': '../out.obj', 'topic': 'b.obj', 'objects': [{'type': 'cloth', 'mesh': 'a.obj'}, {'type': "
             "'cloth', 'mesh': './a.obj'}, {'type': 'cloth', 'mesh': 'a.obj'}]}");
    put(inner, "files.json", text);
    load_with(&l, "files.json", NULL);
    assert_non_null(l.loaded.scene);
    assert_string_equal(sn_loaded_file(&l.loaded, 0), "a.obj");
    assert_string_equal(sn_loaded_file(&l.loaded, 1), "./a.obj");
    assert_null(sn_loaded_file(&l.loaded, 2));
    char *bytes = sn_loaded_read(&l.loaded, "a.obj", 1000, &length, message, sizeof message);
    assert_non_null(bytes);
    assert_string_equal(bytes, triangle);
    assert_int_equal(length, strlen(triangle));
    free(bytes);
    assert_null(sn_loaded_read(&l.loaded, "a.obj", 10, &length, message, sizeof message));
    assert_says(message, "32 bytes 10 at most");
    assert_null(sn_loaded_read(&l.loaded, "../out.obj", 1000, &length, message, sizeof message));
    assert_says(message, "outside");
    unload(&l);
    sn_loaded from_text;
    assert_true(sn_scene_load_text("text", "{}", 2, NULL, &from_text));
    assert_null(sn_loaded_file(&from_text, 0));
    assert_null(sn_loaded_read(&from_text, "a.obj", 1000, &length, message, sizeof message));
    sn_loaded_release(&from_text);
}

static void test_syntax(void **state)
{
    (void)state;
    loading l;
    put(inner, "bad.json", "{'world': {\n  'substeps' 3}}");
    load_with(&l, "bad.json", NULL);
    assert_null(l.loaded.scene);
    assert_true(l.loaded.syntax.line == 2);
    assert_non_null(strstr(l.printed, "bad.json:2:"));
    unload(&l);
}

static void test_places(void **state)
{
    (void)state;
    loading l;
    put(inner, "bad.json",
        "{'world': {\n  'substeps': 0,\n  'sbusteps': 1},\n 'objects': [{'type': 'rope',\n 'pins':"
        " ['start',\n  'middle']}]}");
    load_with(&l, "bad.json", NULL);
    assert_non_null(strstr(l.printed, "bad.json:2:15: error: world.substeps: found 0"));
    assert_non_null(strstr(l.printed, "bad.json:3:3: error: world.sbusteps: there is no such key")); /* at the key */
    assert_non_null(strstr(l.printed, "bad.json:6:3: error: objects[0].pins[1]: the rope 'rope1' has no part"));
    unload(&l);
}

/* A key that does not exist gets a similar one, one record deeper, or the list of those that there are. */
static void test_unknown_keys(void **state)
{
    (void)state;
    loading l;
    put(inner, "bad.json",
        "{'substeps': 3, 'contact': {'slep': true},\n"
        " 'objects': [{'type': 'jelly', 'name': 'j', 'colour': 'red', 'width': '1 m', 'contact': {'frictoin': 1}}, "
        "{'type': 'rope', 'possition': [0, 0, 0]}],\n"
        " 'forces': [{'of': 'jj', 'valeu': [1, 0, 0]}],\n 'world': {'solver': 'gauss'}}");
    load_with(&l, "bad.json", NULL);
    assert_non_null(strstr(l.printed, "substeps: there is no such key in a scene; did you mean 'world.substeps'?"));
    assert_non_null(strstr(l.printed, "frictoin: there is no such key in a group; did you mean 'material.friction'?"));
    assert_non_null(strstr(l.printed, "colour: there is no such key in a jelly. It has: width, "));
    assert_non_null(strstr(l.printed, "possition: there is no such key in a rope; did you mean 'position'?"));
    assert_non_null(strstr(l.printed, "valeu: there is no such key in a force; did you mean 'value'?"));
    assert_non_null(strstr(l.printed, "forces[0].of: there is no object or body 'jj'"));
    assert_non_null(strstr(l.printed, "width: found a text (\"1 m\"), expected a number in m"));
    assert_non_null(strstr(l.printed, "did you mean 'gauss_seidel'?"));
    unload(&l);
}

/* ---- Changes ----------------------------------------------------------------------------------------------------- */

static void load_set(loading *l, uint32_t count, const char *const *sets)
{
    sn_load_options options = sn_default_load_options();
    options.set_count = count;
    options.sets = sets;
    put(inner, "set.json",
        "{'materials': {'a=b': {'stretch': 1}, 'q\\\"=': {}}, 'objects': [{'type': 'rope', 'name':"
        " 'r', 'segments': 3, 'material': 'a=b', 'pins': [0]}]}");
    load_with(l, "set.json", &options);
}

static void test_set(void **state)
{
    (void)state;
    loading l;
    static const char *const good[] = {
        "objects[0].segments=7",        "title=two words = one text", "about=",
        "world={\"substeps\": 4}",      "world.iterations=2",         "materials[\"a=b\"].stretch=3",
        "materials[\"q\\\"=\"].bend=5", "objects[0].pins[1]=-1",      "topic=\"quoted=\""};
    load_set(&l, COUNT_OF(good), good);
    if (!l.loaded.scene)
        fail_msg("%s", l.printed);
    sn_settings s = sn_world_settings(sn_scene_world(l.loaded.scene));
    assert_true(s.substeps == 4 && s.iterations == 2);
    const sn_object *rope = sn_scene_find_object(l.loaded.scene, "r");
    assert_int_equal(rope->run.count, 8);
    sn_scene_info info = sn_scene_describe(l.loaded.scene);
    assert_string_equal(info.title, "two words = one text");
    assert_string_equal(info.about, "");
    assert_string_equal(info.topic, "quoted=");
    sn_constraint_def def;
    sn_point points[SN_MAX_POINTS];
    assert_int_equal(sn_constraint_read(sn_scene_world(l.loaded.scene), sn_constraints_at(rope->hold[0].run, 0), &def,
                                        points, SN_MAX_POINTS),
                     SN_OK);
    assert_true(def.compliance > 0);
    assert_true(!isfinite(sn_particle_mass(sn_scene_world(l.loaded.scene), sn_particles_at(rope->run, 7))));
    unload(&l);
}

/* All that is wrong, in the order of the file, and nothing that only follows from it. */
static void test_everything_at_once(void **state)
{
    (void)state;
    static const char *const expected[] = {"events[0].of",   /* 'good' is there, and has no such constraints */
                                           "events[1].time", /* what it is of is doubtful, but not the time */
                                           "objects[0].lenght",
                                           "objects[0].pins[0]",
                                           "objects[1].pins[1]",
                                           "objects[2].type",
                                           "objects[3].position",
                                           "groups.g.friction",
                                           "forces[0].type",
                                           "forces[2].of",
                                           "bodies[0].shapes.radius",
                                           "motions[1].of",
                                           "constraints[0].points",
                                           "world.substeps",
                                           "attachments[1].between[0]",
                                           "record.particles[0]"};
    loading l;
    put(inner, "many.json",
        "{\n'events': [{'time': 0.1, 'type': 'cut', 'of': 'good.lnks'},\n"
        "{'time': 'x', 'type': 'cut', 'of': 'bad.links[40]'},\n"
        "{'time': 0.1, 'type': 'cut', 'of': 'broken'}],\n"
        "'objects': [\n"
        "{'type': 'rope', 'name': 'bad', 'lenght': 2, 'pins': ['strat']},\n"
        "{'type': 'rope', 'name': 'good', 'pins': ['start', 'good[99]']},\n"
        "{'type': 'rop', 'name': 'lost'},\n"
        "{'type': 'rope', 'position': [0, 0], 'group': 'g'}],\n"
        "'groups': {'g': {'friction': -1}},\n"
        "'forces': [{'type': 'wnd', 'value': [1, 0, 0], 'of': 'good'},\n"
        "{'type': 'force', 'of': ['lost', 'rope4', 70], 'value': [0, 1, 0]},\n"
        "{'type': 'force', 'of': 'nobody', 'value': [0, 1, 0]}],\n"
        "'bodies': [{'name': 'ball', 'type': 'static', 'shapes': {'type': 'sphere', 'radius': 0}}],\n"
        "'motions': [{'of': 'ball', 'keys': [{'time': 0}]},\n"
        "{'of': 'none', 'keys': [{'time': 0}]}],\n"
        "'constraints': [{'kind': 'distance', 'name': 'broken', 'points': ['good.start']}],\n"
        "'world': {'substeps': 0},\n"
        "'attachments': [{'between': ['lost.end', 'good.end']},\n"
        "{'between': ['good.fin', 'good.end']}],\n"
        "'record': {'particles': ['god.end']}}");
    load_with(&l, "many.json", NULL);
    assert_null(l.loaded.scene);
    size_t i = 0;
    for (const sn_problem *p = l.loaded.problems.first; p; p = p->next, ++i)
        if (i >= COUNT_OF(expected) || strcmp(p->path, expected[i]) != 0)
            fail_msg("%s instead of %s, in\n%s", p->path, i < COUNT_OF(expected) ? expected[i] : "the end", l.printed);
    assert_int_equal(i, COUNT_OF(expected));
    unload(&l);
    /* Neither does a list that is none, nor one with a number that is none. */
    put(inner, "many.json",
        "{'objects': [{'type': 'particles', 'positions': [0, 0, 0, 1, 0, 0], 'velocities': ['x', 0, 0, 0, 0, 0], "
        "'pins': "
        "'no'},\n{'type': 'particles', 'positions': 7, 'pins': 'no'},\n{'type': 'particles', 'positions': [0, 0, 0], "
        "'masses': [-1], 'pins': 'no'}]}");
    load_with(&l, "many.json", NULL);
    assert_says(l.printed,
                "objects[0].velocities[0] objects[0].pins objects[1].positions objects[2].masses[0] objects[2].pins");
    unload(&l);
    /* Settings that exclude each other hide nothing either. */
    put(inner, "many.json", "{'objects': [{'type': 'rop'}], 'world': {'integrator': 'bdf2', 'gradients': 'start'}}");
    load_with(&l, "many.json", NULL);
    assert_int_equal(l.loaded.problems.errors, 2);
    assert_says(l.printed, "objects[0].type world: bdf2|BDF2");
    unload(&l);
}

static void test_bad_set(void **state)
{
    (void)state;
    static const struct {
        const char *set, *words;
    } bads[] = {
        {"world.substeps", "world.substeps: expected path=value"},
        {"=3", "expected path=value"},
        {"", "expected path=value"},
        {"materials[\"a=b\"]", "expected path=value"},
        {"wrold.substeps=3", "set.json: error: wrold: no such key mean 'world' (from --set wrold.substeps=3)"},
        {"run.frames=-1", "set.json: error: run.frames: found -1 (from --set run.frames=-1)"},
        {"objects[0][\"segments\"]=0.5", "set.json: error: objects[0].segments: found 0.5 (from --set"},
        {"objects[1].length=3", "no item [1] objects"},
        {"objects[2]={}", "no item [2]"},
        {"objects.length=3", "objects list not a record"},
        {"objects[0].segments.x=3", "not a record"},
        {"objects[0]..x=3", "not understood"},
        {"objects[0].segments=many", "segments: found text \"many\""},
        {"objects[0].segmnets=3", "segmnets did you mean 'segments'"},
    };
    for (size_t i = 0; i < COUNT_OF(bads); ++i) {
        loading l;
        load_set(&l, 1, &bads[i].set);
        assert_null(l.loaded.scene);
        assert_says(l.printed, bads[i].words);
        unload(&l);
    }
    char set[800] = "world.";
    memset(set + 6, 'x', 700);
    strcpy(set + 706, "=1");
    const char *sets[] = {set, "objects[7].x=1"};
    loading l;
    load_set(&l, 2, sets);
    assert_null(l.loaded.scene);
    assert_true(l.loaded.problems.errors >= 1);
    unload(&l);
}

/* ---- What a scene may read --------------------------------------------------------------------------------------- */

static void load_mesh(loading *l, const char *mesh, bool anywhere)
{
    char text[500];
    sn_load_options options = sn_default_load_options();
    options.read_anywhere = anywhere;
    snprintf(text, sizeof text, "{'objects': [{'type': 'cloth', 'mesh': '%s'}]}", mesh);
    put(inner, "mesh.json", text);
    load_with(l, "mesh.json", &options);
}

/* What is said about a file, without its name. */
static void said_about(const char *mesh, char *text, size_t size)
{
    loading l;
    load_mesh(&l, mesh, false);
    assert_null(l.loaded.scene);
    const char *reason = strstr(l.printed, "cannot be read: ");
    if (!reason)
        fail_msg("%s", l.printed);
    snprintf(text, size, "%s", reason);
    unload(&l);
}

static void test_inside(void **state)
{
    (void)state;
    char path[300];
    path_of(inner, "sub", path, sizeof path);
    assert_int_equal(mkdir(path, 0700), 0);
    put(inner, "t.obj", triangle);
    put(inner, "sub/t.obj", triangle);
    put(inner, "..t.obj", triangle);
    path_of(inner, "link.obj", path, sizeof path);
    assert_int_equal(symlink("sub/t.obj", path), 0);
    static const char *const good[] = {"t.obj", "./t.obj", "sub/t.obj", "sub//./t.obj", "..t.obj", "link.obj"};
    for (size_t i = 0; i < COUNT_OF(good); ++i) {
        loading l;
        load_mesh(&l, good[i], false);
        if (!l.loaded.scene)
            fail_msg("%s", l.printed);
        assert_int_equal(sn_scene_object(l.loaded.scene, 0)->run.count, 3);
        unload(&l);
    }
    loading l;
    load_mesh(&l, "sub", false);
    assert_says(l.printed, "objects[0].mesh folder");
    unload(&l);
    load_mesh(&l, "mesh.json", false); /* it is no mesh */
    assert_null(l.loaded.scene);
    unload(&l);
}

/* Refused, and in the same words whether there is something or not. */
static void test_outside(void **state)
{
    (void)state;
    char path[300], there[300], yes[600], no[600];
    put(outer, "secret.obj", triangle);
    put(outer, "in_evil.obj", triangle); /* its path begins like that of the folder */
    path_of(outer, "secret.obj", there, sizeof there);
    said_about(there, yes, sizeof yes);
    assert_says(yes, "scene's folder outside --read-anywhere");
    path_of(outer, "none.obj", path, sizeof path);
    said_about(path, no, sizeof no);
    assert_string_equal(yes, no);
    said_about("../secret.obj", yes, sizeof yes);
    said_about("../none.obj", no, sizeof no);
    assert_string_equal(yes, no);
    said_about("sub/../../secret.obj", no, sizeof no);
    assert_string_equal(yes, no);
    said_about("..", no, sizeof no);
    assert_string_equal(yes, no);
    said_about("../in_evil.obj", no, sizeof no);
    assert_string_equal(yes, no);
    path_of(inner, "out1.obj", path, sizeof path);
    assert_int_equal(symlink(there, path), 0);
    path_of(inner, "out2.obj", path, sizeof path);
    assert_int_equal(symlink("/none/at/all", path), 0);
    path_of(inner, "out3", path, sizeof path);
    assert_int_equal(symlink("..", path), 0);
    said_about("out1.obj", yes, sizeof yes); /* a link to something */
    assert_says(yes, "no such file outside --read-anywhere");
    said_about("out2.obj", no, sizeof no); /* and one to nothing */
    assert_string_equal(yes, no);
    said_about("out3/secret.obj", no, sizeof no); /* through a folder */
    assert_string_equal(yes, no);
    said_about("not_there.obj", no, sizeof no);
    assert_string_equal(yes, no);
    said_about("", no, sizeof no);
}

static void test_anywhere(void **state)
{
    (void)state;
    char there[300];
    path_of(outer, "secret.obj", there, sizeof there);
    const char *const good[] = {there, "../secret.obj", "out1.obj"};
    for (size_t i = 0; i < COUNT_OF(good); ++i) {
        loading l;
        load_mesh(&l, good[i], true);
        if (!l.loaded.scene)
            fail_msg("%s", l.printed);
        unload(&l);
    }
    loading l;
    load_mesh(&l, "../none.obj", true);
    assert_says(l.printed, "No such file");
    unload(&l);
}

/* A pipe without a writer would make us wait for ever. */
static void test_pipe(void **state)
{
    (void)state;
    char path[300];
    path_of(inner, "pipe.obj", path, sizeof path);
    assert_int_equal(mkfifo(path, 0600), 0);
    loading l;
    load_mesh(&l, "pipe.obj", false);
    assert_says(l.printed, "not a plain file");
    unload(&l);
    load_mesh(&l, "/dev/zero", true);
    assert_says(l.printed, "not a plain file");
    unload(&l);
}

static void test_standard_input(void **state)
{
    (void)state;
    char path[300];
    put(inner, "in.json", "{'objects': [{'type': 'rope', 'lenth': 1}]}");
    path_of(inner, "in.json", path, sizeof path);
    assert_non_null(freopen(path, "rb", stdin));
    loading l;
    load_with(&l, "-", NULL);
    assert_null(l.loaded.scene);
    assert_says(l.printed, "(standard input):1: lenth did you mean 'length'");
    unload(&l);
    put(inner, "in.json", "{'objects': [{'type': 'rope'}]}");
    assert_non_null(freopen(path, "rb", stdin));
    load_with(&l, "-", NULL);
    assert_non_null(l.loaded.scene);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),           cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_endless),        cmocka_unit_test(test_files),
        cmocka_unit_test(test_syntax),         cmocka_unit_test(test_places),
        cmocka_unit_test(test_unknown_keys),   cmocka_unit_test(test_set),
        cmocka_unit_test(test_bad_set),        cmocka_unit_test(test_everything_at_once),
        cmocka_unit_test(test_inside),         cmocka_unit_test(test_outside),
        cmocka_unit_test(test_anywhere),       cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_standard_input),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
