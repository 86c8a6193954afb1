#include "export/picture.h"

#include "export/file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKGROUND 0x1c2026
#define BORDER     40.0 /* pixels around the drawing */
#define PIECES     24.0 /* triangles are cut until no side is longer than the scene divided by this, */
#define MOST_CUTS  12

/* Layers drawn over everything else: arrows and labels that the things they belong to would otherwise hide. */
#define OVER (SN_DRAW_AXES | SN_DRAW_CONTACTS | SN_DRAW_FORCES | SN_DRAW_VELOCITIES | SN_DRAW_NAMES | SN_DRAW_ANCHORS)

typedef enum mark_type { MARK_POINT, MARK_LINE, MARK_TRIANGLE, MARK_TEXT } mark_type;

/* A thing that is drawn, in the world. */
typedef struct mark {
    mark_type type;
    uint32_t colour;
    double depth; /* larger is nearer */
    sn_vec3 x[3];
    sn_real radius;
    char text[24];
} mark;

typedef struct sheet {
    mark *item;
    size_t count, capacity;
    bool out_of_memory;
    double axis[3][3]; /* right, up, towards the eye */
    double scale, middle[2];
    double piece;           /* m: the longest side of a triangle */
    size_t over;            /* marks from here on are drawn last, whatever their depth */
    double low[3], high[3]; /* bounds along these axes */
    const sn_picture_def *def;
} sheet;

sn_picture_def sn_default_picture_def(const sn_world *world)
{
    const bool flat = sn_world_dimensions(world) == 2;
    return (sn_picture_def){
        .draw = sn_default_draw(), .from = {flat ? 0 : 0.5, flat ? 0 : 0.4, 1}, .width = 1200, .height = 900};
}

/* ---- Marks ------------------------------------------------------------------------------------------------------- */

static void add_mark(sheet *s, mark m)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 1024;
        mark *more = capacity > SIZE_MAX / sizeof *more ? NULL : realloc(s->item, capacity * sizeof *more);
        if (!more) {
            s->out_of_memory = true;
            return;
        }
        s->item = more;
        s->capacity = capacity;
    }
    s->item[s->count++] = m;
}

static void on_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    add_mark(context, (mark){.type = MARK_POINT, .colour = colour, .x = {place}, .radius = radius});
}

static double distance(sn_vec3 a, sn_vec3 b)
{
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static sn_vec3 between(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
}

/* A nearer mark hides a farther one as a whole, so large triangles are cut along their longest sides. */
static void cut_triangle(sheet *s, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour, int cuts)
{
    const double ab = distance(a, b), bc = distance(b, c), ca = distance(c, a), most = fmax(ab, fmax(bc, ca));
    if (cuts == 0 || !(most > s->piece)) {
        add_mark(s, (mark){.type = MARK_TRIANGLE, .colour = colour, .x = {a, b, c}});
        return;
    }
    if (most == bc && most > ab) {
        cut_triangle(s, b, c, a, colour, cuts);
    } else if (most == ca && most > ab) {
        cut_triangle(s, c, a, b, colour, cuts);
    } else {
        const sn_vec3 middle = between(a, b);
        cut_triangle(s, a, middle, c, colour, cuts - 1);
        cut_triangle(s, middle, b, c, colour, cuts - 1);
    }
}

static void on_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    sheet *s = context;
    const double wanted = ceil(distance(from, to) / s->piece);
    const int pieces = wanted < 100 ? (int)wanted : 100;
    sn_vec3 last = from;
    for (int i = 1; i <= pieces; ++i) {
        const sn_real t = (sn_real)i / (sn_real)pieces, left = 1 - t;
        const sn_vec3 next = {left * from.x + t * to.x, left * from.y + t * to.y, left * from.z + t * to.z};
        add_mark(s, (mark){.type = MARK_LINE, .colour = colour, .x = {last, next}});
        last = next;
    }
}

static void on_triangle(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour)
{
    cut_triangle(context, a, b, c, colour, MOST_CUTS);
}

static void on_text(void *context, sn_vec3 place, const char *text, uint32_t colour)
{
    mark m = {.type = MARK_TEXT, .colour = colour, .x = {place}};
    snprintf(m.text, sizeof m.text, "%s", text);
    add_mark(context, m);
}

/* ---- The view ---------------------------------------------------------------------------------------------------- */

static double along(const sheet *s, int axis, sn_vec3 x)
{
    const double *a = s->axis[axis];
    return a[0] * (double)x.x + a[1] * (double)x.y + a[2] * (double)x.z;
}

static void look_from(sheet *s, const double from[3])
{
    const double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    double *right = s->axis[0], *up = s->axis[1], *back = s->axis[2];
    for (int k = 0; k < 3; ++k)
        back[k] = length > 0 ? from[k] / length : k == 2;
    const bool above = fabs(back[1]) > 0.999;
    right[0] = above ? 1 : back[2];
    right[1] = 0;
    right[2] = above ? 0 : -back[0];
    const double flat = sqrt(right[0] * right[0] + right[2] * right[2]);
    for (int k = 0; k < 3; ++k)
        right[k] /= flat;
    up[0] = back[1] * right[2] - back[2] * right[1];
    up[1] = back[2] * right[0] - back[0] * right[2];
    up[2] = back[0] * right[1] - back[1] * right[0];
}

static void include(sheet *s, sn_vec3 x, double around)
{
    for (int k = 0; k < 3; ++k) {
        const double at = along(s, k, x);
        s->low[k] = fmin(s->low[k], at - around);
        s->high[k] = fmax(s->high[k], at + around);
    }
}

static void include_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    (void)colour;
    include(context, place, (double)radius);
}

static void include_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    (void)colour;
    include(context, from, 0);
    include(context, to, 0);
}

/* Fits the view to what moves and is near it: the box is that of particles and bodies, twice as large, and
   everything drawn in there. */
static void fit(sheet *s, const sn_world *world, sn_draw *draw)
{
    for (int k = 0; k < 3; ++k) {
        s->low[k] = DBL_MAX;
        s->high[k] = -DBL_MAX;
    }
    sn_vec3 low = {(sn_real)INFINITY, (sn_real)INFINITY, (sn_real)INFINITY}, high = {-low.x, -low.x, -low.x};
    const sn_view view = sn_world_view_positions(world);
    for (uint32_t i = 0; i < view.count; ++i) {
        const sn_real *x = (const sn_real *)(const void *)((const char *)view.data + i * view.stride);
        low = (sn_vec3){(x[0] < low.x ? x[0] : low.x), (x[1] < low.y ? x[1] : low.y), (x[2] < low.z ? x[2] : low.z)};
        high = (sn_vec3){(x[0] > high.x ? x[0] : high.x), (x[1] > high.y ? x[1] : high.y),
                         (x[2] > high.z ? x[2] : high.z)};
    }
    sn_draw measure = *draw;
    measure.layers = SN_DRAW_PARTICLES | SN_DRAW_SHAPES;
    measure.point = include_point;
    measure.line = include_line;
    measure.triangle = NULL;
    measure.text = NULL;
    measure.context = s;
    measure.plane_size = (sn_real)1e-3;
    if (view.count) {
        const sn_real dx = high.x - low.x, dy = high.y - low.y, dz = high.z - low.z;
        const sn_real more = 1 + (dx > dy ? dx > dz ? dx : dz : dy > dz ? dy : dz) / 2;
        measure.low = (sn_vec3){low.x - more, low.y - more, low.z - more};
        measure.high = (sn_vec3){high.x + more, high.y + more, high.z + more};
        sn_world_draw(world, &measure);
        for (int k = 0; k < 3; ++k) { /* a large floor need not be seen whole */
            double least = DBL_MAX, most = -DBL_MAX;
            for (int corner = 0; corner < 8; ++corner) {
                const sn_vec3 x = {corner & 1 ? measure.high.x : measure.low.x,
                                   corner & 2 ? measure.high.y : measure.low.y,
                                   corner & 4 ? measure.high.z : measure.low.z};
                least = fmin(least, along(s, k, x));
                most = fmax(most, along(s, k, x));
            }
            s->low[k] = fmax(s->low[k], least);
            s->high[k] = fmin(s->high[k], most);
        }
        draw->plane_size = more * 2;
    } else {
        measure.plane_size = draw->plane_size;
        sn_world_draw(world, &measure);
    }
    for (int k = 0; k < 3; ++k)
        if (!(s->high[k] > s->low[k])) {
            s->low[k] -= s->low[k] < DBL_MAX ? 0.5 : s->low[k] + 0.5;
            s->high[k] = s->low[k] + 1;
        }
    const double wide = (s->def->width - 2 * BORDER) / (s->high[0] - s->low[0]);
    const double tall = (s->def->height - 2 * BORDER) / (s->high[1] - s->low[1]);
    s->scale = wide < tall ? wide : tall;
    for (int k = 0; k < 2; ++k)
        s->middle[k] = (s->low[k] + s->high[k]) / 2;
    s->piece = fmax(s->high[0] - s->low[0], s->high[1] - s->low[1]) / PIECES;
}

/* The depth of a mark. Lines along the border of triangles are drawn after them. */
static void find_depth(const sheet *s, mark *m)
{
    static const int corners[] = {1, 2, 3, 1};
    const double lift = s->piece / 2;
    double sum = 0;
    for (int i = 0; i < corners[m->type]; ++i)
        sum += along(s, 2, m->x[i]) / corners[m->type];
    m->depth = sum + (m->type == MARK_TRIANGLE ? 0 : lift);
}

static int by_depth(const void *a, const void *b)
{
    const double one = ((const mark *)a)->depth, two = ((const mark *)b)->depth;
    return one < two ? -1 : one > two;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static double across(const sheet *s, sn_vec3 x)
{
    return s->def->width / 2.0 + (along(s, 0, x) - s->middle[0]) * s->scale;
}

static double down(const sheet *s, sn_vec3 x)
{
    return s->def->height / 2.0 - (along(s, 1, x) - s->middle[1]) * s->scale;
}

/* The colour of a triangle lit from the eye and a little from above; both sides are lit. */
static uint32_t lit(const sheet *s, const mark *m)
{
    const sn_vec3 a = m->x[0], b = m->x[1], c = m->x[2];
    const double u[3] = {(double)(b.x - a.x), (double)(b.y - a.y), (double)(b.z - a.z)};
    const double v[3] = {(double)(c.x - a.x), (double)(c.y - a.y), (double)(c.z - a.z)};
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double light = 0;
    for (int k = 0; k < 3 && length > 0; ++k)
        light += n[k] / length * (0.7 * s->axis[2][k] + 0.5 * (k == 1) + 0.3 * s->axis[0][k]);
    light = 0.25 + 0.4 * fabs(light);
    uint32_t colour = 0;
    for (int shift = 0; shift < 24; shift += 8)
        colour |= (uint32_t)((m->colour >> shift & 255) * (light < 1 ? light : 1)) << shift;
    return colour;
}

static void put_mark(sn_file *file, const sheet *s, const mark *m)
{
    char text[400];
    const double x = across(s, m->x[0]), y = down(s, m->x[0]);
    if (m->type == MARK_POINT) {
        const double radius = (double)m->radius * s->scale;
        snprintf(text, sizeof text,
                 "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\" stroke=\"#%06x\" stroke-width=\".5\"/>\n",
                 x, y, radius > 1.5 ? radius : 1.5, (unsigned)m->colour, BACKGROUND);
    } else if (m->type == MARK_LINE) {
        snprintf(text, sizeof text, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#%06x\"/>\n", x, y, across(s, m->x[1]),
                 down(s, m->x[1]), (unsigned)m->colour);
    } else if (m->type == MARK_TRIANGLE) {
        snprintf(text, sizeof text, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\" fill=\"#%06x\" stroke=\"#%06x\"/>\n",
                 x, y, across(s, m->x[1]), down(s, m->x[1]), across(s, m->x[2]), down(s, m->x[2]), (unsigned)lit(s, m),
                 (unsigned)lit(s, m));
    } else {
        snprintf(text, sizeof text, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#%06x\">%s</text>\n", x + 3, y - 3,
                 (unsigned)m->colour, m->text);
    }
    sn_file_put_text(file, text);
}

static void put_escaped(sn_file *file, const char *text)
{
    for (; *text; ++text) {
        const char one[2] = {*text, 0};
        sn_file_put_text(file, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : one);
    }
}

static bool write_file(const sheet *s, const char *path, char *message, size_t size)
{
    sn_file file = {0};
    char text[400];
    if (!sn_file_open(&file, path, message, size))
        return false;
    snprintf(text, sizeof text,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
             "font-family=\"sans-serif\" font-size=\"11\" fill=\"none\" stroke-linecap=\"round\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
             s->def->width, s->def->height, s->def->width, s->def->height, BACKGROUND);
    sn_file_put_text(&file, text);
    for (size_t i = 0; i < s->count; ++i)
        put_mark(&file, s, &s->item[i]);
    if (s->def->title) {
        sn_file_put_text(&file, "<text x=\"14\" y=\"24\" font-size=\"15\" fill=\"#d0d4d8\">");
        put_escaped(&file, s->def->title);
        sn_file_put_text(&file, "</text>\n");
    }
    sn_file_put_text(&file, "</svg>\n");
    if (!sn_file_keep(&file, message, size)) {
        sn_file_discard(&file);
        return false;
    }
    return sn_file_close(&file, message, size);
}

bool sn_picture_write(const sn_world *world, const sn_picture_def *def, const char *path, char *message, size_t size)
{
    sheet s = {.def = def};
    sn_draw draw = def->draw;
    look_from(&s, def->from);
    draw.point = on_point;
    draw.line = on_line;
    draw.triangle = on_triangle;
    draw.text = on_text;
    draw.context = &s;
    fit(&s, world, &draw);
    draw.layers = def->draw.layers & ~(uint32_t)OVER;
    bool good = sn_world_draw(world, &draw) == SN_OK;
    if (!good)
        snprintf(message, size, "%s", sn_world_error(world));
    s.over = s.count;
    draw.layers = def->draw.layers & OVER;
    good = good && sn_world_draw(world, &draw) == SN_OK;
    if (good && s.out_of_memory)
        snprintf(message, size, "no memory for a picture of %zu marks", s.count);
    good = good && !s.out_of_memory;
    for (size_t i = 0; i < s.count; ++i)
        find_depth(&s, &s.item[i]);
    if (good && s.over)
        qsort(s.item, s.over, sizeof *s.item, by_depth);
    good = good && write_file(&s, path, message, size);
    free(s.item);
    return good;
}
