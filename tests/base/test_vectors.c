/* Public helpers for vectors and turns. */
#include "support/support.h"

#include <math.h>

static void vectors(void **state)
{
    (void)state;
    const sn_vec3 a = sn_vec3_make(1, 2, 3), b = vec(-2, 0.5, 4);
    assert_vec_close(sn_vec3_add(a, b), vec(-1, 2.5, 7), 1e-6);
    assert_vec_close(sn_vec3_sub(a, b), vec(3, 1.5, -1), 1e-6);
    assert_vec_close(sn_vec3_scale(a, 2), vec(2, 4, 6), 1e-6);
    assert_close(sn_vec3_dot(a, b), 11, 1e-6);
    assert_vec_close(sn_vec3_cross(vec(1, 0, 0), vec(0, 1, 0)), vec(0, 0, 1), 0);
    assert_close(sn_vec3_length(vec(3, 4, 12)), 13, 1e-6);
    assert_close(sn_vec3_length(vec(3e30, 4e30, 0)), 5e30, 1e25); /* squares beyond the range of a float */
    assert_vec_close(sn_vec3_normalise(vec(0, -5, 0)), vec(0, -1, 0), 0);
    assert_vec_close(sn_vec3_normalise(vec(0, 0, 0)), vec(0, 0, 0), 0);
}

static void turns(void **state)
{
    (void)state;
    const sn_quat quarter = sn_quat_about(vec(0, 0, 3), real(SN_PI / 2)),
                  up = sn_quat_about(vec(1, 0, 0), real(SN_PI / 2));
    assert_vec_close(sn_quat_apply(quarter, vec(1, 0, 0)), vec(0, 1, 0), 1e-6);
    assert_vec_close(sn_quat_apply(sn_quat_after(up, quarter), vec(1, 0, 0)), vec(0, 0, 1), 1e-6);
    assert_vec_close(sn_quat_apply(sn_quat_back(quarter), vec(0, 1, 0)), vec(1, 0, 0), 1e-6);
    assert_vec_close(sn_quat_apply(sn_quat_facing(vec(0, 0, -2)), vec(0, 1, 0)), vec(0, 0, -1), 1e-6);
    assert_vec_close(sn_quat_apply(sn_quat_facing(vec(0, -1, 0)), vec(0, 1, 0)), vec(0, -1, 0), 1e-6);
    const sn_quat none = sn_quat_about(vec(0, 0, 0), 1), still = sn_quat_facing(vec(0, 0, 0));
    assert_true(none.w == 1 && none.x == 0 && still.w == 1 && still.x == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(turns)};
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
