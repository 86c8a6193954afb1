/* Pieces of memory: aligned, zeroed, apart from each other, and all given back. */
#include "support/support.h"

#include "scene/arena.h"

static void test_pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_arena arena;
    unsigned char *pieces[300];
    sn_arena_init(&arena, &allocator);
    for (size_t i = 0; i < COUNT_OF(pieces); ++i) {
        size_t size = i * i % 997 + (i % 50 == 7 ? 100000 : 1); /* some larger than a block */
        pieces[i] = sn_arena_take(&arena, size, 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t j = 0; j < size; ++j)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 255 + 1), size);
    }
    for (size_t i = 0; i < COUNT_OF(pieces); ++i) {
        size_t size = i * i % 997 + (i % 50 == 7 ? 100000 : 1);
        for (size_t j = 0; j < size; ++j)
            assert_int_equal(pieces[i][j], i % 255 + 1);
    }
    assert_int_equal(arena.bytes, memory.bytes);
    sn_arena_release(&arena);
    assert_memory_clean(&memory);
}

/* A large piece must not end the block that small pieces are cut from. */
static void test_large_pieces_do_not_waste_blocks(void **state)
{
    (void)state;
    support_memory memory = {0};
    sn_allocator allocator = support_allocator(&memory);
    sn_arena arena;
    sn_arena_init(&arena, &allocator);
    for (int i = 0; i < 20; ++i) {
        assert_non_null(sn_arena_take(&arena, 16, 1));
        assert_non_null(sn_arena_take(&arena, 1000000, 1));
    }
    assert_int_equal(memory.blocks, 21);
    sn_arena_release(&arena);
    assert_memory_clean(&memory);
}

static void test_used_again_after_release(void **state)
{
    (void)state;
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    sn_arena_release(&arena);
    for (int i = 0; i < 3; ++i) {
        char *copy = sn_arena_copy(&arena, "silken thread", 6);
        assert_string_equal(copy, "silken");
        assert_true(arena.bytes > 0);
        sn_arena_release(&arena);
        assert_int_equal(arena.bytes, 0);
    }
}

static void test_nothing_is_something(void **state)
{
    (void)state;
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    void *a = sn_arena_take(&arena, 0, 8), *b = sn_arena_take(&arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_string_equal(sn_arena_copy(&arena, "", 0), "");
    sn_arena_release(&arena);
}

static void test_sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    sn_arena arena;
    sn_arena_init(&arena, NULL);
    assert_null(sn_arena_take(&arena, SIZE_MAX / 8 + 2, 8));
    assert_null(sn_arena_take(&arena, SIZE_MAX, 1));
    assert_null(sn_arena_take(&arena, SIZE_MAX, SIZE_MAX));
    assert_int_equal(arena.bytes, 0);
    sn_arena_release(&arena);
}

static void test_a_refused_block_leaves_the_arena_usable(void **state)
{
    (void)state;
    support_memory memory = {.fail_at = 2};
    sn_allocator allocator = support_allocator(&memory);
    sn_arena arena;
    sn_arena_init(&arena, &allocator);
    char *before = sn_arena_copy(&arena, "before", 6);
    assert_null(sn_arena_take(&arena, 100000, 1));
    assert_non_null(sn_arena_take(&arena, 100000, 1));
    assert_string_equal(before, "before");
    sn_arena_release(&arena);
    assert_memory_clean(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(test_large_pieces_do_not_waste_blocks),
        cmocka_unit_test(test_used_again_after_release),
        cmocka_unit_test(test_nothing_is_something),
        cmocka_unit_test(test_sizes_that_overflow_are_refused),
        cmocka_unit_test(test_a_refused_block_leaves_the_arena_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
