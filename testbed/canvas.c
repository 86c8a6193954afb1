#include "testbed/canvas.h"
#include "testbed/letters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct canvas {
    int width, height; /* pixels, */
    int wide, high;    /*   and samples */
    int fine;          /* samples across a pixel: 1 or 2 */
    camera camera;
    float scale;  /* samples for a slope of 1 */
    float *depth; /* 1 / the distance along the axis of the view; 0: nothing */
    uint32_t *sample;
    uint8_t *shadow; /* 1: in a shadow already */
    uint32_t *pixel;
};

vec vec_add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

vec vec_scale(vec a, float by)
{
    return (vec){a.x * by, a.y * by, a.z * by};
}

float vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

vec vec_unit(vec a)
{
    const float length = sqrtf(vec_dot(a, a));
    return length > 0 && isfinite(length) ? vec_scale(a, 1 / length) : (vec){0, 1, 0};
}

canvas *canvas_create(int width, int height, bool fine)
{
    canvas *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->fine = fine ? 2 : 1;
    c->width = width;
    c->height = height;
    c->wide = c->fine * width;
    c->high = c->fine * height;
    const size_t samples = (size_t)c->wide * (size_t)c->high;
    c->depth = malloc(samples * sizeof *c->depth);
    c->sample = malloc(samples * sizeof *c->sample);
    c->shadow = malloc(samples);
    c->pixel = malloc((size_t)width * (size_t)height * sizeof *c->pixel);
    if (!c->depth || !c->sample || !c->shadow || !c->pixel) {
        canvas_destroy(c);
        return NULL;
    }
    return c;
}

void canvas_destroy(canvas *c)
{
    if (!c)
        return;
    free(c->depth);
    free(c->sample);
    free(c->shadow);
    free(c->pixel);
    free(c);
}

int canvas_width(const canvas *c)
{
    return c->width;
}

int canvas_height(const canvas *c)
{
    return c->height;
}

const uint32_t *canvas_pixels(const canvas *c)
{
    return c->pixel;
}

/* ---- Colours ------------------------------------------------------------------------------------------------------ */

static uint32_t mixed(uint32_t a, uint32_t b, float share)
{
    const uint32_t s = (uint32_t)(256 * share + 0.5f), rest = 256 - s;
    const uint32_t odd = ((a & 0xff00ff) * rest + (b & 0xff00ff) * s) >> 8 & 0xff00ff;
    return odd | (((a & 0x00ff00) * rest + (b & 0x00ff00) * s) >> 8 & 0x00ff00);
}

static uint32_t lit(uint32_t colour, float light)
{
    return light <= 1 ? mixed(0x080a10, colour, light) : mixed(colour, 0xffffff, light - 1 < 1 ? light - 1 : 1);
}

/* Light of a surface: from above left, a little from the eye, and the sky. */
static float light_on(const canvas *c, vec normal)
{
    const vec sun = {-0.40f, 0.80f, 0.45f};
    const float direct = vec_dot(normal, sun), front = fabsf(vec_dot(normal, c->camera.back));
    return 0.50f + 0.10f * normal.y + 0.16f * front + (direct > 0 ? 0.36f * direct : 0);
}

/* ---- A picture begins ---------------------------------------------------------------------------------------------- */

void canvas_begin(canvas *c, const camera *eye)
{
    c->camera = *eye;
    c->scale = (float)c->high / 2 / eye->slope;
    const size_t samples = (size_t)c->wide * (size_t)c->high;
    memset(c->depth, 0, samples * sizeof *c->depth);
    memset(c->shadow, 0, samples);
    for (int y = 0; y < c->high; ++y) {
        const uint32_t colour = mixed(0x2b3440, 0x161a21, (float)y / (float)c->high);
        uint32_t *row = c->sample + (size_t)y * (size_t)c->wide;
        for (int x = 0; x < c->wide; ++x)
            row[x] = colour;
    }
}

/* In the frame of the eye; z: the distance in front of it. */
static vec seen(const canvas *c, vec place)
{
    const vec way = vec_sub(place, c->camera.eye);
    return (vec){vec_dot(way, c->camera.right), vec_dot(way, c->camera.up), -vec_dot(way, c->camera.back)};
}

/* In samples; z: the depth. */
static vec project(const canvas *c, vec a)
{
    const float depth = 1 / a.z, by = c->scale * depth;
    return (vec){(float)c->wide / 2 + by * a.x, (float)c->high / 2 - by * a.y, depth};
}

bool canvas_project(const canvas *c, vec place, float *x, float *y)
{
    const vec at = seen(c, place);
    if (!(at.z > c->camera.nearest))
        return false;
    const vec p = project(c, at);
    *x = p.x / (float)c->fine;
    *y = p.y / (float)c->fine;
    return true;
}

/* NaN becomes the lower one. */
static int limited(float a, int most)
{
    return !(a > 0) ? 0 : a > (float)most ? most : (int)a;
}

/* Along a row of the picture a level ground is equally far, if the eye is not tilted. */
void canvas_ground(canvas *c, float height, float far, uint32_t colour)
{
    const float above = c->camera.eye.y - height;
    for (int y = 0; above > 0 && y < c->high; ++y) {
        const float slope = ((float)c->high / 2 - (float)y - 0.5f) / c->scale;
        const float fall = c->camera.back.y - slope * c->camera.up.y, way = above / fall;
        if (!(fall > 0) || !(way > c->camera.nearest))
            continue;
        const float haze = way > far ? 1 - far / way : 0;
        const size_t row = (size_t)y * (size_t)c->wide;
        const uint32_t paint = mixed(colour, c->sample[row], haze * haze);
        for (size_t at = row; at < row + (size_t)c->wide; ++at) {
            c->depth[at] = 1 / way;
            c->sample[at] = paint;
        }
    }
}

/* ---- Triangles ------------------------------------------------------------------------------------------------------ */

static inline void paint_surface(canvas *c, size_t at, float depth, uint32_t colour)
{
    if (depth > c->depth[at]) {
        c->depth[at] = depth;
        c->sample[at] = colour;
    }
}

/* What lies in the plane of the shadow is darkened, once. */
static inline void paint_shadow(canvas *c, size_t at, float depth)
{
    const float ratio = c->depth[at] / depth;
    if (ratio > 0.997f && ratio < 1.003f && !c->shadow[at]) {
        c->shadow[at] = 1;
        c->sample[at] = mixed(c->sample[at], 0x05070a, 0.42f);
    }
}

/* Rows between edges: of each row the part that is inside of all three is found, and then filled. */
static void fill(canvas *c, vec a, vec b, vec d, uint32_t colour, bool shadow)
{
    const float area = (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x);
    if (!(fabsf(area) > 1e-9f))
        return;
    const float by = 1 / area;
    const vec e[3] = {a, b, d};
    const int top = limited(ceilf(fminf(a.y, fminf(b.y, d.y)) - 0.5f), c->high),
              bottom = limited(ceilf(fmaxf(a.y, fmaxf(b.y, d.y)) - 0.5f), c->high);
    const float slope = ((b.z - a.z) * (d.y - a.y) - (d.z - a.z) * (b.y - a.y)) * by;
    for (int y = top; y < bottom; ++y) {
        const float at = (float)y + 0.5f;
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; ++i) {
            const vec p = e[i], q = e[(i + 1) % 3];
            if ((p.y <= at) == (q.y <= at))
                continue;
            const float x = p.x + (q.x - p.x) * (at - p.y) / (q.y - p.y);
            low = fminf(low, x);
            high = fmaxf(high, x);
        }
        const int left = limited(ceilf(low - 0.5f), c->wide), right = limited(ceilf(high - 0.5f), c->wide);
        const float down = ((d.z - a.z) * (b.x - a.x) - (b.z - a.z) * (d.x - a.x)) * by;
        float depth = a.z + slope * ((float)left + 0.5f - a.x) + down * (at - a.y);
        const size_t row = (size_t)y * (size_t)c->wide;
        if (shadow)
            for (int x = left; x < right; ++x, depth += slope)
                paint_shadow(c, row + (size_t)x, depth);
        else
            for (int x = left; x < right; ++x, depth += slope)
                paint_surface(c, row + (size_t)x, depth, colour);
    }
}

/* What is behind the near plane is cut off: of three corners up to four are left. */
static void clip_and_fill(canvas *c, const vec in[3], uint32_t colour, bool shadow)
{
    vec out[4];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const vec a = in[i], b = in[(i + 1) % 3];
        const float da = a.z - c->camera.nearest, db = b.z - c->camera.nearest;
        if (da >= 0)
            out[count++] = a;
        if ((da >= 0) != (db >= 0))
            out[count++] = vec_add(a, vec_scale(vec_sub(b, a), da / (da - db)));
    }
    for (int i = 0; i < count; ++i)
        out[i] = project(c, out[i]);
    for (int i = 2; i < count; ++i)
        fill(c, out[0], out[i - 1], out[i], colour, shadow);
}

void canvas_triangle(canvas *c, vec a, vec b, vec d, uint32_t colour)
{
    const vec in[3] = {seen(c, a), seen(c, b), seen(c, d)};
    vec normal = vec_unit(vec_cross(vec_sub(b, a), vec_sub(d, a)));
    if (vec_dot(normal, vec_sub(c->camera.eye, a)) < 0)
        normal = vec_scale(normal, -1);
    clip_and_fill(c, in, lit(colour, light_on(c, normal)), false);
}

/* ---- Balls ------------------------------------------------------------------------------------------------------------ */

void canvas_ball(canvas *c, vec place, float radius, float least_pixels, uint32_t colour)
{
    const vec m = seen(c, place);
    if (!(m.z - radius > c->camera.nearest))
        return;
    const vec p = project(c, m);
    const float least = 0.5f * least_pixels * (float)c->fine, r = fmaxf(c->scale * p.z * radius, least);
    const float depth_of = r > least ? radius : 0;
    const int left = limited(p.x - r, c->wide), right = limited(p.x + r + 1, c->wide);
    const int top = limited(p.y - r, c->high), bottom = limited(p.y + r + 1, c->high);
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const float dx = ((float)x + 0.5f - p.x) / r, dy = (p.y - (float)y - 0.5f) / r,
                        rest = 1 - dx * dx - dy * dy;
            if (rest < 0)
                continue;
            const float dz = sqrtf(rest), depth = 1 / (m.z - depth_of * dz) * 1.0005f;
            const size_t at = (size_t)y * (size_t)c->wide + (size_t)x;
            if (!(depth > c->depth[at]))
                continue;
            const vec normal = vec_add(vec_add(vec_scale(c->camera.right, dx), vec_scale(c->camera.up, dy)),
                                       vec_scale(c->camera.back, dz));
            c->depth[at] = depth;
            c->sample[at] = lit(colour, light_on(c, normal) + 0.06f);
        }
}

/* ---- Lines -------------------------------------------------------------------------------------------------------------- */

#define NEARER 1.002f /* lines go before the surface that they are on */

/* Steps along the axis along which it is longer, and covers at each step what is across. */
static void stroke(canvas *c, vec a, vec b, float half, uint32_t colour)
{
    const bool flat = fabsf(b.x - a.x) >= fabsf(b.y - a.y);
    const float start = flat ? a.x : a.y, end = flat ? b.x : b.y;
    if (!(fabsf(end - start) > 0) || !isfinite(start) || !isfinite(end))
        return;
    if (end < start) {
        const vec other = a;
        a = b;
        b = other;
    }
    const int along = flat ? c->wide : c->high, across = flat ? c->high : c->wide;
    const float low = fminf(start, end), by = 1 / fabsf(end - start);
    const float slope = (flat ? b.y - a.y : b.x - a.x) * by, depth_slope = (b.z - a.z) * by;
    const int first = limited(ceilf(low - 0.5f), along), last = limited(ceilf(fmaxf(start, end) + 0.5f), along);
    const size_t step = flat ? (size_t)c->wide : 1, line = flat ? 1 : (size_t)c->wide;
    half *= sqrtf(1 + slope * slope);
    for (int i = first; i < last; ++i) {
        const float on = (float)i + 0.5f - low, middle = (flat ? a.y : a.x) + slope * on,
                    depth = a.z + depth_slope * on;
        const int from = limited(ceilf(middle - half - 0.5f), across),
                  to = limited(ceilf(middle + half - 0.5f), across);
        for (int k = from; k < to; ++k)
            paint_surface(c, (size_t)i * line + (size_t)k * step, depth, colour);
    }
}

void canvas_line(canvas *c, vec from, vec to, float pixels, uint32_t colour)
{
    vec a = seen(c, from), b = seen(c, to);
    const float da = a.z - c->camera.nearest, db = b.z - c->camera.nearest;
    if (da < 0 && db < 0)
        return;
    if (da < 0)
        a = vec_add(a, vec_scale(vec_sub(b, a), da / (da - db)));
    if (db < 0)
        b = vec_add(b, vec_scale(vec_sub(a, b), db / (db - da)));
    a = project(c, a);
    b = project(c, b);
    a.z *= NEARER;
    b.z *= NEARER;
    stroke(c, a, b, 0.5f * pixels * (float)c->fine, colour);
}

/* ---- Shadows ------------------------------------------------------------------------------------------------------------ */

/* Towards the light: from above, a little to the left and from the front, so that shadows are seen and do not lead far away. */
static vec light_above(vec up)
{
    const vec aside = fabsf(up.y) > 0.5f ? (vec){-0.35f, 0, 0.25f} : (vec){0, 0.35f, 0.25f};
    return vec_unit(vec_add(up, aside));
}

/* Above the ground its shadow on it; below, false. */
static bool cast(vec ground, vec up, vec light, vec place, vec *to)
{
    const float height = vec_dot(vec_sub(place, ground), up);
    *to = vec_sub(place, vec_scale(light, height / vec_dot(light, up)));
    return height > -1e-3f;
}

void canvas_shadow_triangle(canvas *c, vec ground, vec up, vec a, vec b, vec d)
{
    const vec light = light_above(up);
    vec on[3];
    if (!cast(ground, up, light, a, &on[0]) || !cast(ground, up, light, b, &on[1]) ||
        !cast(ground, up, light, d, &on[2]))
        return;
    const vec in[3] = {seen(c, on[0]), seen(c, on[1]), seen(c, on[2])};
    clip_and_fill(c, in, 0, true);
}

void canvas_shadow_ball(canvas *c, vec ground, vec up, vec place, float radius)
{
    enum { SIDES = 12 };
    const vec light = light_above(up), u = vec_unit(vec_cross(light, (vec){0.3f, 0.1f, 1})), v = vec_cross(light, u);
    vec on, last = {0, 0, 0};
    if (!cast(ground, up, light, place, &on))
        return;
    for (int i = 0; i <= SIDES; ++i) {
        const float angle = 6.2831853f * (float)i / SIDES;
        vec next;
        cast(ground, up, light,
             vec_add(place, vec_add(vec_scale(u, radius * cosf(angle)), vec_scale(v, radius * sinf(angle)))), &next);
        const vec in[3] = {seen(c, on), seen(c, last), seen(c, next)};
        if (i)
            clip_and_fill(c, in, 0, true);
        last = next;
    }
}

/* ---- Pixels ------------------------------------------------------------------------------------------------------------- */

void canvas_over(canvas *c)
{
    memset(c->depth, 0, (size_t)c->wide * (size_t)c->high * sizeof *c->depth);
}

void canvas_finish(canvas *c)
{
    if (c->fine == 1) {
        memcpy(c->pixel, c->sample, (size_t)c->wide * (size_t)c->high * sizeof *c->pixel);
        return;
    }
    for (int y = 0; y < c->height; ++y) {
        const uint32_t *above = c->sample + 2 * (size_t)y * (size_t)c->wide, *below = above + c->wide;
        uint32_t *to = c->pixel + (size_t)y * (size_t)c->width;
        for (int x = 0; x < c->width; ++x, above += 2, below += 2) {
            const uint32_t odd =
                (above[0] & 0xff00ff) + (above[1] & 0xff00ff) + (below[0] & 0xff00ff) + (below[1] & 0xff00ff);
            const uint32_t even =
                (above[0] & 0x00ff00) + (above[1] & 0x00ff00) + (below[0] & 0x00ff00) + (below[1] & 0x00ff00);
            to[x] = (odd >> 2 & 0xff00ff) | (even >> 2 & 0x00ff00);
        }
    }
}

void canvas_box(canvas *c, int x, int y, int width, int height, uint32_t colour, float opacity)
{
    for (int v = y < 0 ? 0 : y; v < y + height && v < c->height; ++v)
        for (int u = x < 0 ? 0 : x; u < x + width && u < c->width; ++u) {
            uint32_t *p = &c->pixel[(size_t)v * (size_t)c->width + (size_t)u];
            *p = mixed(*p, colour, opacity);
        }
}

void canvas_text(canvas *c, int x, int y, int size, uint32_t colour, const char *text)
{
    for (; *text; ++text, x += 6 * size)
        for (int v = 0; v < 8 * size; ++v)
            for (int u = 0; u < 5 * size; ++u) {
                const int px = x + u, py = y + v;
                if (px >= 0 && py >= 0 && px < c->width && py < c->height && letter_covers(*text, u, v, size))
                    c->pixel[(size_t)py * (size_t)c->width + (size_t)px] = colour;
            }
}
