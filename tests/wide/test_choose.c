/* Which kernels a world takes. */
#include "wide/cases.h"

#include "world/world.h"

static sn_result check_simd(int simd, char *message, size_t size)
{
    sn_world_def def = sn_default_world_def();
    def.simd = (sn_simd)simd;
    return sn_world_def_check(&def, message, size);
}

static void worlds_take_what_there_is(void **state)
{
    (void)state;
    char message[256];
    for (int simd = SN_SIMD_AUTO; simd <= SN_SIMD_16; ++simd) {
        const sn_wide *wide = sn_wide_choose((sn_simd)simd);
        bool there = wide || simd <= SN_SIMD_SCALAR;
        assert_int_equal(check_simd(simd, message, sizeof message), there ? SN_OK : SN_ERROR_ARGUMENT);
        if (!there)
            assert_says(message, "simd lanes machine");
        sn_world_def def = sn_default_world_def();
        def.simd = (sn_simd)simd;
        sn_world *world;
        assert_int_equal(sn_world_create(&def, &world), there ? SN_OK : SN_ERROR_ARGUMENT);
        if (world)
            assert_ptr_equal(world->wide, wide);
        sn_world_destroy(world);
    }
    assert_int_equal(sn_default_world_def().simd, SN_SIMD_AUTO);
}

static void what_is_none_is_refused(void **state)
{
    (void)state;
    char message[256];
    assert_int_equal(check_simd(5, message, sizeof message), SN_ERROR_ARGUMENT);
    assert_says(message, "simd 5");
    assert_int_equal(check_simd(-1, message, sizeof message), SN_ERROR_ARGUMENT);
}

static void the_widest_is_taken(void **state)
{
    (void)state;
    const sn_wide *best = NULL;
    for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd)
        if (sn_wide_choose((sn_simd)simd))
            best = sn_wide_choose((sn_simd)simd);
    assert_ptr_equal(sn_wide_choose(SN_SIMD_AUTO), best);
#if SINEW_DOUBLE
    assert_null(best);
#elif defined(SINEW_SCALAR)
    assert_ptr_equal(best, sn_wide_choose(SN_SIMD_SCALAR));
#else
    assert_non_null(best);
#endif
}

/* The same kinds, and what a plan has to know of them, at every width; and it agrees with the table of kinds. */
static void widths_have_the_same_kinds(void **state)
{
    (void)state;
    for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
        const sn_wide *wide = sn_wide_choose((sn_simd)simd), *scalar = sn_wide_choose(SN_SIMD_SCALAR);
        for (uint32_t kind = 1; wide && kind < SN_KIND_BUILTIN_END; ++kind) {
            const sn_wide_kind *a = &wide->kind[kind], *b = &scalar->kind[kind];
            assert_true(a->points == b->points && a->params == b->params && a->rows == b->rows);
            assert_true(a->rigid_only == b->rigid_only && a->spatial == b->spatial);
            assert_true(!a->near == !a->points && !a->far == !a->points && !a->planes == !a->points);
            if (!a->near)
                continue;
            uint32_t params = 0;
            for (uint32_t i = 0; i < SN_MAX_PARAMS && sn_builtin_kinds[kind]->param[i].name; ++i)
                params += param_width(&sn_builtin_kinds[kind]->param[i]);
            assert_int_equal(a->points, sn_builtin_kinds[kind]->points);
            assert_int_equal(a->rows, sn_builtin_kinds[kind]->rows);
            assert_int_equal(a->params, params);
        }
    }
}

/* Plans without kernels are made with the same shapes. */
static void shapes_are_those_of_the_kernels(void **state)
{
    (void)state;
    for (uint32_t kind = 0; sn_wide_choose(SN_SIMD_SCALAR) && kind < SN_KIND_BUILTIN_END; ++kind) {
        const sn_wide_kind *a = &sn_wide_choose(SN_SIMD_SCALAR)->kind[kind], *b = &sn_wide_shapes[kind];
        assert_true(a->points == b->points && a->params == b->params && a->rows == b->rows);
        assert_true(a->rigid_only == b->rigid_only && a->spatial == b->spatial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_of_the_kernels), cmocka_unit_test(worlds_take_what_there_is),
        cmocka_unit_test(what_is_none_is_refused),         cmocka_unit_test(the_widest_is_taken),
        cmocka_unit_test(widths_have_the_same_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
