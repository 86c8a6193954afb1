/* What processes of a sweep share: claims, rows, and the values of runs. The command is driven by scripts/sweep.sh. */
#include "support/support.h"

#include "cli/sweep.h"

#include <sys/wait.h>
#include <unistd.h>

static char *two[] = {"1", "2"}, *three[] = {"a", "b", "c"};
static sn_sweep_axis axes[] = {{"one.path", 2, two, false}, {"other", 3, three, false}};

typedef struct bench {
    sn_sweep_options options;
    sn_sweep sweep;
    char folder[64], scene[80];
} bench;

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    snprintf(b->folder, sizeof b->folder, "/tmp/sinew-sweep-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->scene, sizeof b->scene, "%s/scene.json", b->folder);
    FILE *file = fopen(b->scene, "w");
    assert_non_null(file);
    fputs("{}", file);
    fclose(file);
    b->sweep = (sn_sweep){.asked = &b->options,
                          .scene = b->scene,
                          .name = "scene",
                          .folder = b->folder,
                          .axis = axes,
                          .axes = 2,
                          .runs = 6,
                          .claims = -1};
    assert_int_equal(sn_sweep_open(&b->sweep), SN_EXIT_FINE);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    char command[128];
    sn_sweep_close(&b->sweep);
    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    const int code = system(command);
    free(b);
    return code;
}

/* The last path changes fastest. */
static void test_values(void **state)
{
    const bench *b = *state;
    static const char *const expected[6][2] = {{"1", "a"}, {"1", "b"}, {"1", "c"}, {"2", "a"}, {"2", "b"}, {"2", "c"}};
    for (uint32_t run = 0; run < 6; ++run)
        for (uint32_t axis = 0; axis < 2; ++axis)
            assert_string_equal(sn_sweep_value(&b->sweep, run, axis), expected[run][axis]);
}

/* What another process makes cannot be taken until it ends, however it ends. */
static void test_claims(void **state)
{
    bench *b = *state;
    int told[2];
    bool lost;
    char byte;
    assert_int_equal(pipe(told), 0);
    const pid_t child = fork();
    if (child == 0) {
        bool gone;
        const bool took = sn_sweep_take(&b->sweep, 3, &gone);
        (void)!write(told[1], took ? "t" : "f", 1);
        pause();
        _exit(0);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_int_equal(byte, 't');
    assert_false(sn_sweep_take(&b->sweep, 3, &lost));
    assert_true(sn_sweep_take(&b->sweep, 4, &lost));
    sn_sweep_leave(&b->sweep, 4);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(sn_sweep_take(&b->sweep, 3, &lost));
    assert_false(lost);
    sn_sweep_leave(&b->sweep, 3);
    close(told[0]);
    close(told[1]);
}

static sn_sweep_row row_of(uint32_t run, sn_sweep_status status, char *message)
{
    return (sn_sweep_row){
        .run = run, .status = status, .relative = 0.25, .names = "x,y", .values = "1,2.5", .message = message};
}

static void release(sn_sweep_row *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        sn_sweep_row_release(&row[i]);
}

/* A run that was begun three times and never ended is lost, until the next command tries again. */
static void test_lost(void **state)
{
    bench *b = *state;
    bool lost, found[6] = {false};
    sn_sweep_row row[6] = {{0}};
    unsigned char states[6];
    assert_true(sn_sweep_begin(&b->sweep));
    for (int i = 0; i < SN_SWEEP_ATTEMPTS; ++i) {
        assert_true(sn_sweep_take(&b->sweep, 2, &lost));
        assert_false(lost);
        sn_sweep_leave(&b->sweep, 2);
    }
    assert_true(sn_sweep_take(&b->sweep, 2, &lost));
    assert_true(lost);
    sn_sweep_row gone = row_of(2, SN_SWEEP_LOST, "three workers");
    assert_true(sn_sweep_put(&b->sweep, &gone));
    sn_sweep_leave(&b->sweep, 2);
    assert_false(sn_sweep_take(&b->sweep, 2, &lost));
    assert_true(sn_sweep_states(&b->sweep, states));
    assert_true(sn_sweep_is_over(states[2]));
    assert_false(sn_sweep_is_over(states[1]));
    assert_true(sn_sweep_read(&b->sweep, row, found));
    assert_int_equal(row[2].status, SN_SWEEP_LOST);

    assert_true(sn_sweep_try_again(&b->sweep));
    assert_true(sn_sweep_take(&b->sweep, 2, &lost));
    assert_false(lost);
    sn_sweep_row made = row_of(2, SN_SWEEP_DONE, "");
    assert_true(sn_sweep_put(&b->sweep, &made));
    sn_sweep_leave(&b->sweep, 2);
    assert_true(sn_sweep_read(&b->sweep, row, found)); /* what was made counts, whatever was lost before */
    assert_int_equal(row[2].status, SN_SWEEP_DONE);
    assert_true(sn_sweep_try_again(&b->sweep));
    assert_false(sn_sweep_take(&b->sweep, 2, &lost)); /* and stays */
    release(row, 6);
}

/* A row is whole or it is none: every part of a line, and every line with a byte changed. */
static void test_rows(void **state)
{
    bench *b = *state;
    char path[256] = "", line[512];
    bool lost;
    assert_true(sn_sweep_begin(&b->sweep));
    assert_true(sn_sweep_take(&b->sweep, 5, &lost));
    sn_sweep_row made = row_of(5, SN_SWEEP_FAILED, "frame 3:\tit\nbroke");
    assert_true(sn_sweep_put(&b->sweep, &made));
    sn_sweep_leave(&b->sweep, 5);
    snprintf(line, sizeof line, "ls '%s'/*.rows", b->folder);
    FILE *list = popen(line, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, sizeof path, list));
    pclose(list);
    path[strcspn(path, "\n")] = 0;
    FILE *file = fopen(path, "r");
    const size_t length = fread(line, 1, sizeof line, file);
    fclose(file);
    assert_true(length > 40 && length < sizeof line);
    for (size_t i = 0; i <= 2 * length; ++i) {
        char text[512];
        bool found[6] = {false};
        sn_sweep_row row[6] = {{0}};
        memcpy(text, line, length);
        if (i > length)
            text[i - length - 1] ^= 4;
        file = fopen(path, "w");
        fwrite(text, 1, i > length ? length : i, file);
        fclose(file);
        assert_true(sn_sweep_read(&b->sweep, row, found));
        assert_int_equal(found[5], i == length);
        if (found[5]) {
            assert_string_equal(row[5].values, "1,2.5");
            assert_string_equal(row[5].message, "frame 3: it broke");
            assert_true(row[5].relative == 0.25 && row[5].status == SN_SWEEP_FAILED);
        }
        release(row, 6);
    }
    /* it says that it is done, and has no row: the machine stopped */
    assert_false(sn_sweep_take(&b->sweep, 5, &lost));
    assert_true(sn_sweep_try_again(&b->sweep));
    assert_true(sn_sweep_take(&b->sweep, 5, &lost));
    sn_sweep_leave(&b->sweep, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_claims, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
    };
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
