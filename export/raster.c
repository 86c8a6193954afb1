#include "export/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINE   2u    /* samples per pixel in each direction */
#define SHADOW 1536u /* texels of the shadow map in each direction */
#define SIDES  10u   /* of a tube */

static const float sun[3] = {-0.52f, 0.81f, 0.27f}; /* the direction towards it, of length 1 */

typedef struct vec {
    float x, y, z;
} vec;

static vec vec_of(const float a[3])
{
    return (vec){a[0], a[1], a[2]};
}

static vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec scale(vec a, float by)
{
    return (vec){a.x * by, a.y * by, a.z * by};
}

static float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec normal_of(vec a)
{
    const float length = sqrtf(dot(a, a));
    return length > 0 ? scale(a, 1 / length) : (vec){0, 1, 0};
}

/* Two unit vectors perpendicular to `along`. */
static void find_across(vec along, vec *u, vec *v)
{
    *u = normal_of(fabsf(along.y) < 0.9f ? (vec){along.z, 0, -along.x} : (vec){0, -along.z, along.y});
    *v = cross(along, *u);
}

/* ---- Models ------------------------------------------------------------------------------------------------------ */

static void *make_room(void *data, size_t size, size_t count, size_t *room, bool *failed)
{
    if (count < *room)
        return data;
    const size_t wanted = *room ? 2 * *room : 256;
    void *grown = realloc(data, wanted * size);
    if (!grown) {
        *failed = true;
        return data;
    }
    *room = wanted;
    return grown;
}

void sn_raster_add_triangle(sn_raster_model *model, const sn_raster_triangle *triangle)
{
    model->triangle =
        make_room(model->triangle, sizeof *model->triangle, model->triangles, &model->triangle_room, &model->failed);
    if (model->triangles < model->triangle_room)
        model->triangle[model->triangles++] = *triangle;
}

void sn_raster_add_ball(sn_raster_model *model, const sn_raster_ball *ball)
{
    model->ball = make_room(model->ball, sizeof *model->ball, model->balls, &model->ball_room, &model->failed);
    if (model->balls < model->ball_room)
        model->ball[model->balls++] = *ball;
}

static void set(float to[3], vec a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

void sn_raster_add_tube(sn_raster_model *model, const float from[3], const float to[3], float radius, uint32_t colour)
{
    const vec a = vec_of(from), b = vec_of(to), way = sub(b, a);
    vec u, v;
    if (!(dot(way, way) > 0))
        return;
    find_across(normal_of(way), &u, &v);
    vec n[2] = {u, u};
    for (uint32_t i = 1; i <= SIDES; ++i) {
        const float angle = 6.2831853f * (float)i / SIDES;
        n[0] = n[1];
        n[1] = add(scale(u, cosf(angle)), scale(v, sinf(angle)));
        const vec corner[4] = {add(a, scale(n[0], radius)), add(a, scale(n[1], radius)), add(b, scale(n[1], radius)),
                               add(b, scale(n[0], radius))};
        static const int of[2][3] = {{0, 1, 2}, {0, 2, 3}}, side[4] = {0, 1, 1, 0};
        for (int t = 0; t < 2; ++t) {
            sn_raster_triangle triangle = {.colour = colour};
            for (int k = 0; k < 3; ++k) {
                set(triangle.place[k], corner[of[t][k]]);
                set(triangle.normal[k], n[side[of[t][k]]]);
            }
            sn_raster_add_triangle(model, &triangle);
        }
    }
}

void sn_raster_model_clear(sn_raster_model *model)
{
    model->triangles = model->balls = 0;
}

void sn_raster_model_release(sn_raster_model *model)
{
    free(model->triangle);
    free(model->ball);
    *model = (sn_raster_model){0};
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

#define MARGIN 1.13f /* factor around the content */

void sn_raster_fit(sn_raster_view *view, const float low[3], const float high[3], const float from[3], float aspect)
{
    const vec middle = scale(add(vec_of(low), vec_of(high)), 0.5f), back = normal_of(vec_of(from));
    const vec right = normal_of(fabsf(back.y) < 0.999f ? (vec){back.z, 0, -back.x} : (vec){1, 0, 0});
    const vec up = cross(back, right);
    const float y = view->slope / MARGIN, x = y * aspect;
    float far = 1e-3f;
    for (int i = 0; i < 8; ++i) {
        const vec corner =
            sub((vec){i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]}, middle);
        far = fmaxf(far, dot(corner, back) + fmaxf(fabsf(dot(corner, right)) / x, fabsf(dot(corner, up)) / y));
    }
    const vec size = sub(vec_of(high), vec_of(low));
    set(view->target, middle);
    set(view->eye, add(middle, scale(back, far)));
    set(view->centre, middle);
    view->radius = fmaxf(0.75f * sqrtf(dot(size, size)), 1e-3f);
}

/* ---- Buffers ----------------------------------------------------------------------------------------------------- */

/* A sample: the thing that is visible there. */
typedef struct sample {
    float depth; /* 1 / the distance along the axis of the view; 0: nothing */
    float normal[3];
    uint32_t colour;
} sample;

struct sn_raster {
    uint32_t width, height; /* in pixels, */
    uint32_t wide, high;    /* and in samples */
    sample *sample;
    float *shadow; /* m: the position nearest to the sun, along its direction */
    unsigned char *rgb;
    unsigned char srgb[4096]; /* sRGB by linear light from 0 to 1 */
    float light[256];         /* linear light by sRGB */
};

sn_raster *sn_raster_create(uint32_t width, uint32_t height)
{
    sn_raster *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->width = width;
    r->height = height;
    r->wide = FINE * width;
    r->high = FINE * height;
    r->sample = malloc((size_t)r->wide * r->high * sizeof *r->sample);
    r->shadow = malloc((size_t)SHADOW * SHADOW * sizeof *r->shadow);
    r->rgb = malloc(3 * (size_t)width * height);
    for (int i = 0; i < 4096; ++i) {
        const double l = i / 4095.0, s = l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055;
        r->srgb[i] = (unsigned char)(255 * s + 0.5);
    }
    for (int i = 0; i < 256; ++i) {
        const double s = i / 255.0;
        r->light[i] = (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
    }
    if (!r->sample || !r->shadow || !r->rgb) {
        sn_raster_destroy(r);
        return NULL;
    }
    return r;
}

void sn_raster_destroy(sn_raster *raster)
{
    if (!raster)
        return;
    free(raster->sample);
    free(raster->shadow);
    free(raster->rgb);
    free(raster);
}

/* ---- Cameras ----------------------------------------------------------------------------------------------------- */

/* A camera: the eye, or the sun. Positions get two coordinates, in samples or texels, and a depth that is linear
   across a triangle. */
typedef struct camera {
    vec eye, right, up, back;
    float scale, middle_x, middle_y, near;
    uint32_t wide, high;
    bool is_sun;
} camera;

static camera eye_of(const sn_raster *r, const sn_raster_view *view)
{
    camera c = {.eye = vec_of(view->eye), .wide = r->wide, .high = r->high};
    c.back = normal_of(sub(c.eye, vec_of(view->target)));
    c.right = normal_of(fabsf(c.back.y) < 0.999f ? (vec){c.back.z, 0, -c.back.x} : (vec){1, 0, 0});
    c.up = cross(c.back, c.right);
    c.scale = (float)r->high / 2 / view->slope;
    c.middle_x = (float)r->wide / 2;
    c.middle_y = (float)r->high / 2;
    const vec way = sub(c.eye, vec_of(view->target));
    c.near = sqrtf(dot(way, way)) / 200;
    return c;
}

static camera sun_of(const sn_raster_view *view)
{
    camera c = {.eye = vec_of(view->centre), .wide = SHADOW, .high = SHADOW, .is_sun = true};
    c.back = normal_of(vec_of(sun));
    find_across(c.back, &c.right, &c.up);
    c.scale = (float)SHADOW / (2 * view->radius);
    c.middle_x = c.middle_y = (float)SHADOW / 2;
    return c;
}

/* In the frame of a camera; z is the distance in front of it. */
static vec seen(const camera *c, vec place)
{
    const vec way = sub(place, c->eye);
    return (vec){dot(way, c->right), dot(way, c->up), -dot(way, c->back)};
}

/* In the picture; z is the depth. */
static vec project(const camera *c, vec a)
{
    const float by = c->is_sun ? c->scale : c->scale / a.z;
    return (vec){c->middle_x + by * a.x, c->middle_y - by * a.y, c->is_sun ? -a.z : 1 / a.z};
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

typedef struct corner {
    vec at, normal; /* in the frame of the camera; in the world */
} corner;

static void put_sample(sn_raster *r, size_t at, float depth, vec normal, uint32_t colour)
{
    sample *s = &r->sample[at];
    if (!(depth > s->depth))
        return;
    s->depth = depth;
    set(s->normal, normal);
    s->colour = colour;
}

/* Clamps a. NaN becomes low. */
static float limit(float a, float low, float high)
{
    return !(a > low) ? low : a > high ? high : a;
}

static void fill_triangle(sn_raster *r, const camera *c, const corner *k, uint32_t colour)
{
    const vec a = project(c, k[0].at), b = project(c, k[1].at), d = project(c, k[2].at);
    const float area = (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x);
    if (!(fabsf(area) > 1e-12f))
        return;
    const float wide = (float)c->wide, high = (float)c->high, by = 1 / area;
    const bool clear = colour & SN_RASTER_CLEAR;
    const int left = (int)limit(fminf(a.x, fminf(b.x, d.x)), 0, wide),
              right = (int)limit(ceilf(fmaxf(a.x, fmaxf(b.x, d.x))), 0, wide);
    const int top = (int)limit(fminf(a.y, fminf(b.y, d.y)), 0, high),
              bottom = (int)limit(ceilf(fmaxf(a.y, fmaxf(b.y, d.y))), 0, high);
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const float px = (float)x + 0.5f, py = (float)y + 0.5f;
            const float u = ((d.x - b.x) * (py - b.y) - (d.y - b.y) * (px - b.x)) * by;
            const float v = ((a.x - d.x) * (py - d.y) - (a.y - d.y) * (px - d.x)) * by, w = 1 - u - v;
            if (u < 0 || v < 0 || w < 0)
                continue;
            const float depth = u * a.z + v * b.z + w * d.z;
            const size_t at = (size_t)y * c->wide + (size_t)x;
            if (c->is_sun)
                r->shadow[at] = depth > r->shadow[at] ? depth : r->shadow[at];
            /* a clear triangle covers every second sample */
            else if (depth > r->sample[at].depth && !(clear && (x ^ y) & 1))
                put_sample(
                    r, at, depth,
                    add(add(scale(k[0].normal, u * a.z), scale(k[1].normal, v * b.z)), scale(k[2].normal, w * d.z)),
                    colour);
        }
}

/* Clips the triangle at the near plane: three to four corners are left. */
static void draw_triangle(sn_raster *r, const camera *c, const sn_raster_triangle *t)
{
    corner in[3], out[4];
    int count = 0;
    for (int i = 0; i < 3; ++i)
        in[i] = (corner){seen(c, vec_of(t->place[i])), vec_of(t->normal[i])};
    if (c->is_sun) {
        if (!(t->colour & SN_RASTER_CLEAR))
            fill_triangle(r, c, in, t->colour);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const corner *a = &in[i], *b = &in[(i + 1) % 3];
        const float da = a->at.z - c->near, db = b->at.z - c->near;
        if (da >= 0)
            out[count++] = *a;
        if ((da >= 0) != (db >= 0)) {
            const float f = da / (da - db);
            out[count++] =
                (corner){add(a->at, scale(sub(b->at, a->at), f)), add(scale(a->normal, 1 - f), scale(b->normal, f))};
        }
    }
    for (int i = 2; i < count; ++i) {
        const corner three[3] = {out[0], out[i - 1], out[i]};
        fill_triangle(r, c, three, t->colour);
    }
}

/* ---- Balls ------------------------------------------------------------------------------------------------------- */

/* Intersects the ray through each sample with the ball. */
static void draw_ball(sn_raster *r, const camera *c, const sn_raster_ball *ball)
{
    const vec m = seen(c, vec_of(ball->place));
    const float radius = ball->radius;
    if (!c->is_sun && m.z - radius < c->near)
        return;
    const vec p = project(c, m);
    const float reach = (c->is_sun ? c->scale : c->scale / (m.z - radius)) * radius * 1.05f + 1;
    const float wide = (float)c->wide, high = (float)c->high;
    const int left = (int)limit(p.x - reach, 0, wide), right = (int)limit(p.x + reach + 1, 0, wide);
    const int top = (int)limit(p.y - reach, 0, high), bottom = (int)limit(p.y + reach + 1, 0, high);
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const float px = ((float)x + 0.5f - c->middle_x) / c->scale,
                        py = (c->middle_y - (float)y - 0.5f) / c->scale;
            const size_t at = (size_t)y * c->wide + (size_t)x;
            if (c->is_sun) {
                const float dx = px - m.x, dy = py - m.y, square = radius * radius - dx * dx - dy * dy;
                const float depth = square > 0 ? sqrtf(square) - m.z : -INFINITY;
                r->shadow[at] = depth > r->shadow[at] ? depth : r->shadow[at];
                continue;
            }
            const vec ray = {px, py, 1};
            const float aa = dot(ray, ray), bb = dot(ray, m), root = bb * bb - aa * (dot(m, m) - radius * radius);
            if (root < 0)
                continue;
            const float z = (bb - sqrtf(root)) / aa;
            const vec n = scale(sub(scale(ray, z), m), 1 / radius);
            put_sample(r, at, 1 / z, sub(add(scale(c->right, n.x), scale(c->up, n.y)), scale(c->back, n.z)),
                       ball->colour);
        }
}

/* ---- Light ------------------------------------------------------------------------------------------------------- */

typedef struct colours {
    vec sky, ground, line, above, below; /* above, below: the light of the sky and of the ground */
    float sun;
} colours;

static vec light_of(const sn_raster *r, uint32_t colour)
{
    return (vec){r->light[colour >> 16 & 255], r->light[colour >> 8 & 255], r->light[colour & 255]};
}

static colours colours_of(const sn_raster *r, bool dark)
{
    if (dark)
        return (colours){light_of(r, 0x1a212b), light_of(r, 0x3a4655), light_of(r, 0x55647a),
                         {0.42f, 0.46f, 0.54f}, {0.16f, 0.17f, 0.19f}, 0.72f};
    return (colours){light_of(r, 0xe9eef4), light_of(r, 0xdae1e9), light_of(r, 0xbcc7d3),
                     {0.46f, 0.49f, 0.54f}, {0.27f, 0.26f, 0.25f}, 0.62f};
}

/* The share of sunlight that reaches a position: the mean over nine texels. */
static float sunlight(const sn_raster *r, const camera *c, vec place, vec normal)
{
    const float texel = 1 / c->scale, lift = texel * (1.5f + 2 * (1 - fabsf(dot(normal, c->back))));
    const vec p = project(c, seen(c, add(place, scale(normal, lift))));
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int x = (int)limit(floorf(p.x), -9, 2 * SHADOW) + dx,
                      y = (int)limit(floorf(p.y), -9, 2 * SHADOW) + dy;
            if (x < 0 || y < 0 || x >= (int)SHADOW || y >= (int)SHADOW)
                sum += 1;
            else
                sum += r->shadow[(size_t)y * SHADOW + (size_t)x] <= p.z + 0.5f * texel;
        }
    return sum / 9;
}

static vec mix(vec a, vec b, float share)
{
    return add(scale(a, 1 - share), scale(b, share));
}

/* The share of a sample that lines on the ground cover; a line is a hundredth of a square wide. */
static float line_share(float at, float square, float width)
{
    const float place = at / square, near = fabsf(place - floorf(place + 0.5f)) * square, half = 0.008f * square;
    return limit((half + width / 2 - near) / width, 0, 1) * limit(2 * half / width, 0, 1);
}

typedef struct shading {
    const sn_raster *r;
    const sn_raster_view *view;
    camera eye, sun;
    colours colour;
    float far; /* m: distance of the eye from its target */
} shading;

static vec ground_light(const shading *s, vec ray)
{
    const vec eye = s->eye.eye;
    if (!s->view->has_ground || !(ray.y < -1e-4f) || eye.y <= s->view->ground)
        return s->colour.sky;
    const float way = (s->view->ground - eye.y) / ray.y;
    const vec place = add(eye, scale(ray, way));
    const float width = way / s->eye.scale,
                lines = fmaxf(line_share(place.x, s->view->square, width), line_share(place.z, s->view->square, width));
    const vec up = {0, 1, 0};
    const vec paint = mix(s->colour.ground, s->colour.line, lines);
    const float light = 0.72f + 0.28f * sunlight(s->r, &s->sun, place, up);
    const float haze = limit((way - 1.2f * s->far) / (3.5f * s->far), 0, 1);
    return mix(scale(paint, light), s->colour.sky, haze * (2 - haze));
}

static vec surface_light(const shading *s, const sample *at, vec ray)
{
    const vec place = add(s->eye.eye, scale(ray, 1 / at->depth)), to_eye = normal_of(scale(ray, -1));
    vec n = normal_of(vec_of(at->normal));
    if (dot(n, to_eye) < 0)
        n = scale(n, -1);
    const float lambert = fmaxf(dot(n, s->sun.back), 0), share = lambert > 0 ? sunlight(s->r, &s->sun, place, n) : 0;
    const float shine = powf(fmaxf(dot(n, normal_of(add(s->sun.back, to_eye))), 0), 48);
    const vec ambient = mix(s->colour.below, s->colour.above, 0.5f + 0.5f * n.y), paint = light_of(s->r, at->colour);
    const float direct = s->colour.sun * 1.55f * lambert * share;
    return (vec){paint.x * (ambient.x + direct) + 0.12f * shine * share,
                 paint.y * (ambient.y + direct * 0.97f) + 0.12f * shine * share,
                 paint.z * (ambient.z + direct * 0.92f) + 0.12f * shine * share};
}

static void shade(sn_raster *r, const shading *s)
{
    for (uint32_t y = 0; y < r->height; ++y)
        for (uint32_t x = 0; x < r->width; ++x) {
            vec sum = {0, 0, 0};
            for (uint32_t k = 0; k < FINE * FINE; ++k) {
                const uint32_t sx = FINE * x + k % FINE, sy = FINE * y + k / FINE;
                const sample *at = &r->sample[(size_t)sy * r->wide + sx];
                const float px = ((float)sx + 0.5f - s->eye.middle_x) / s->eye.scale,
                            py = (s->eye.middle_y - (float)sy - 0.5f) / s->eye.scale;
                const vec ray = sub(add(scale(s->eye.right, px), scale(s->eye.up, py)), s->eye.back);
                const float ground =
                    s->view->has_ground && ray.y < -1e-4f ? (s->view->ground - s->eye.eye.y) / ray.y : -1;
                const bool hidden =
                    ground > 0 && s->eye.eye.y > s->view->ground && at->depth * ground < 0.998f; /* below the ground */
                sum = add(sum, at->depth > 0 && !hidden ? surface_light(s, at, ray) : ground_light(s, ray));
            }
            const float part[3] = {sum.x, sum.y, sum.z};
            for (int i = 0; i < 3; ++i)
                r->rgb[3 * ((size_t)y * r->width + x) + (size_t)i] =
                    r->srgb[(int)(4095 * limit(part[i] / (FINE * FINE), 0, 1))];
        }
}

const unsigned char *sn_raster_draw(sn_raster *raster, const sn_raster_model *model, const sn_raster_view *view)
{
    shading s = {.r = raster,
                 .view = view,
                 .eye = eye_of(raster, view),
                 .sun = sun_of(view),
                 .colour = colours_of(raster, view->dark)};
    s.far = 200 * s.eye.near;
    for (size_t i = 0; i < (size_t)raster->wide * raster->high; ++i)
        raster->sample[i].depth = 0;
    for (size_t i = 0; i < (size_t)SHADOW * SHADOW; ++i)
        raster->shadow[i] = -INFINITY;
    for (size_t i = 0; i < model->triangles; ++i) {
        draw_triangle(raster, &s.sun, &model->triangle[i]);
        draw_triangle(raster, &s.eye, &model->triangle[i]);
    }
    for (size_t i = 0; i < model->balls; ++i) {
        draw_ball(raster, &s.sun, &model->ball[i]);
        draw_ball(raster, &s.eye, &model->ball[i]);
    }
    shade(raster, &s);
    return raster->rgb;
}
