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

/* Fused kernels are those of the same kinds at every width; and every kind with a fixed number of points has a formula over lanes,
   for all sizes of vectors that were compiled. */
static void widths_have_the_same_kinds(void **state)
{
    (void)state;
    for (int simd = SN_SIMD_SCALAR; simd <= SN_SIMD_16; ++simd) {
        const sn_wide *wide = sn_wide_choose((sn_simd)simd);
        for (uint32_t kind = 1; wide && kind < SN_FUSED_KINDS; ++kind)
            assert_true(wide->fused[kind].near && wide->fused[kind].far && wide->fused[kind].planes);
        for (uint32_t kind = 1; wide && kind < SN_KIND_BUILTIN_END; ++kind) {
            const sn_kind *about = sn_builtin_kinds[kind];
            if (about->points && about->lanes)
                assert_non_null(about->lanes->eval[wide->vector / 16]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_take_what_there_is),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(the_widest_is_taken),
        cmocka_unit_test(widths_have_the_same_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
