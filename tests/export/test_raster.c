/* Drawing: what is in front is seen, in its colour, where it should be; shadows fall; nothing bad comes of bad numbers. */
#include "support/support.h"

#include "export/raster.h"

#include <math.h>
#include <string.h>

#define WIDE 96u
#define HIGH 64u

static sn_raster_view view_of(const float low[3], const float high[3])
{
    sn_raster_view view = {.slope = 0.3f, .has_ground = true, .ground = 0, .square = 1};
    sn_raster_fit(&view, low, high, (const float[3]){0, 0.3f, 1}, (float)WIDE / HIGH);
    return view;
}

static const unsigned char *pixel(const unsigned char *rgb, uint32_t x, uint32_t y)
{
    return rgb + 3 * (y * WIDE + x);
}

static sn_raster_triangle square_half(float z, int half, uint32_t colour)
{
    sn_raster_triangle t = {{{-1, 0, z}, {1, 0, z}, {1, 2, z}}, {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}, colour};
    if (half) {
        memcpy(t.place[1], (float[3]){1, 2, z}, sizeof t.place[1]);
        memcpy(t.place[2], (float[3]){-1, 2, z}, sizeof t.place[2]);
    }
    return t;
}

static void what_is_in_front_is_seen(void **state)
{
    (void)state;
    sn_raster *raster = sn_raster_create(WIDE, HIGH);
    sn_raster_model model = {0};
    const sn_raster_view view = view_of((float[3]){-1, 0, -1}, (float[3]){1, 2, 1});
    assert_non_null(raster);
    for (int half = 0; half < 2; ++half) { /* green behind red, whichever comes first */
        const sn_raster_triangle red = square_half(0.5f, half, 0xff0000), green = square_half(-0.5f, half, 0x00ff00);
        sn_raster_add_triangle(&model, half ? &green : &red);
        sn_raster_add_triangle(&model, half ? &red : &green);
    }
    const unsigned char *rgb = sn_raster_draw(raster, &model, &view);
    const unsigned char *middle = pixel(rgb, WIDE / 2, HIGH / 2), *corner = pixel(rgb, 1, 1);
    assert_true(middle[0] > 100 && middle[1] < 40 && middle[2] < 40);
    assert_true(corner[0] > 200 && corner[1] > 200 && corner[2] > 200); /* the sky */

    sn_raster_model_clear(&model);
    const sn_raster_ball blue = {{0, 1, 1}, 0.4f, 0x0000ff};
    const sn_raster_triangle red = square_half(0.5f, 0, 0xff0000);
    sn_raster_add_ball(&model, &blue);
    sn_raster_add_triangle(&model, &red);
    rgb = sn_raster_draw(raster, &model, &view);
    middle = pixel(rgb, WIDE / 2, HIGH / 2);
    assert_true(middle[2] > 100 && middle[0] < middle[2] / 2);
    sn_raster_model_release(&model);
    sn_raster_destroy(raster);
}

/* The eight corners of a box are all in the picture: a ball at each is seen, so that edges of the picture stay sky or ground. */
static void everything_is_in_the_picture(void **state)
{
    (void)state;
    static const float boxes[][6] = {{-1, 0, -1, 1, 2, 1},
                                     {-10, 0, -0.1f, 10, 0.2f, 0.1f},
                                     {5, 0, 5, 5.001f, 30, 5.001f},
                                     {-0.001f, 0, 0, 0.001f, 0.002f, 0.001f}};
    static const float from[][3] = {{0, 0.3f, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 2, -3}};
    sn_raster *raster = sn_raster_create(WIDE, HIGH);
    for (uint32_t b = 0; b < COUNT_OF(boxes); ++b)
        for (uint32_t f = 0; f < COUNT_OF(from); ++f) {
            const float *low = boxes[b], *high = boxes[b] + 3;
            sn_raster_view view = {.slope = 0.3f};
            sn_raster_model model = {0};
            sn_raster_fit(&view, low, high, from[f], (float)WIDE / HIGH);
            const float size = sqrtf((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
                                     (high[2] - low[2]) * (high[2] - low[2]));
            for (int i = 0; i < 8; ++i) {
                const sn_raster_ball ball = {
                    {i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]},
                    size / 60,
                    0x000000};
                sn_raster_add_ball(&model, &ball);
            }
            const unsigned char *rgb = sn_raster_draw(raster, &model, &view);
            uint32_t dark = 0;
            for (uint32_t y = 0; y < HIGH; ++y)
                for (uint32_t x = 0; x < WIDE; ++x) {
                    const bool is = pixel(rgb, x, y)[0] < 180;
                    dark += is;
                    if (is && (x == 0 || y == 0 || x == WIDE - 1 || y == HIGH - 1))
                        fail_msg("box %u, view %u: something is cut off", b, f);
                }
            assert_true(dark > 0);
            sn_raster_model_release(&model);
        }
    sn_raster_destroy(raster);
}

static void shadows_fall(void **state)
{
    (void)state;
    sn_raster *raster = sn_raster_create(WIDE, HIGH);
    const sn_raster_view view = view_of((float[3]){-2, 0, -2}, (float[3]){2, 2, 2});
    sn_raster_model model = {0};
    static unsigned char empty[3 * WIDE * HIGH];
    memcpy(empty, sn_raster_draw(raster, &model, &view), sizeof empty);
    const sn_raster_ball ball = {{0, 1.5f, 0}, 0.4f, 0xff0000};
    sn_raster_add_ball(&model, &ball);
    const unsigned char *rgb = sn_raster_draw(raster, &model, &view);
    uint32_t shaded = 0;
    for (uint32_t i = 0; i < WIDE * HIGH; ++i) /* grey, and darker than without the ball */
        shaded += rgb[3 * i] + 15 < empty[3 * i] && rgb[3 * i] > 100 && abs(rgb[3 * i] - rgb[3 * i + 1]) < 25;
    assert_in_range(shaded, 20, 600);

    sn_raster_model_clear(&model); /* what is clear throws none */
    for (int half = 0; half < 2; ++half) {
        const sn_raster_triangle glass = square_half(0, half, 0xff0000 | SN_RASTER_CLEAR);
        sn_raster_add_triangle(&model, &glass);
    }
    rgb = sn_raster_draw(raster, &model, &view);
    for (uint32_t i = 0; i < WIDE * HIGH; ++i)
        assert_true(rgb[3 * i] + 3 >= empty[3 * i] || rgb[3 * i] > rgb[3 * i + 2] + 5);
    sn_raster_model_release(&model);
    sn_raster_destroy(raster);
}

static void bad_numbers_do_no_harm(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0};
    sn_raster *raster = sn_raster_create(16, 16);
    const sn_raster_view view = view_of((float[3]){-1, 0, -1}, (float[3]){1, 2, 1});
    sn_raster_model model = {0};
    for (uint32_t i = 0; i < COUNT_OF(bad); ++i) {
        sn_raster_triangle t = square_half(0, 0, 0xffffff);
        t.place[i % 3][i % 2] = bad[i];
        t.normal[0][0] = bad[i];
        sn_raster_add_triangle(&model, &t);
        sn_raster_add_ball(&model, &(sn_raster_ball){{0, bad[i], 0}, 1, 0});
        sn_raster_add_ball(&model, &(sn_raster_ball){{0, 1, 0}, bad[i], 0});
        sn_raster_add_tube(&model, (float[3]){0, bad[i], 0}, (float[3]){0, 1, bad[i]}, 0.1f, 0);
    }
    assert_non_null(sn_raster_draw(raster, &model, &view));
    assert_false(model.failed);
    sn_raster_model_release(&model);
    sn_raster_destroy(raster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_front_is_seen),
        cmocka_unit_test(everything_is_in_the_picture),
        cmocka_unit_test(shadows_fall),
        cmocka_unit_test(bad_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
