/* Debug drawing: a world as lines and points, in a picture.

   A crate hangs from a rope, a sheet of cloth falls onto a ball, and boxes have piled up. After two seconds the
   world is drawn with all layers, seen from the side, to draw.svg in the folder given to the program (default: out). */
#include "output.h"

#include <math.h>
#include <sinew/sinew.h>
#include <stdlib.h>

/* ---- A picture: x and z are to the right and upwards on the page, y upwards -------------------------------------- */

enum { WIDTH = 1100, HEIGHT = 700 };

typedef struct page {
    FILE *file;
    unsigned points, lines, triangles, texts;
} page;

static double across(sn_vec3 p)
{
    return 420 + 110 * ((double)p.x - 0.35 * (double)p.z);
}

static double down(sn_vec3 p)
{
    return 560 - 110 * ((double)p.y - 0.25 * (double)p.z);
}

static void draw_point(void *context, sn_vec3 place, sn_real radius, uint32_t colour)
{
    page *p = context;
    const double r = 110 * (double)radius;
    fprintf(p->file, "<circle cx='%.1f' cy='%.1f' r='%.1f' stroke='#%06x'/>\n", across(place), down(place),
            r > 2 ? r : 2, (unsigned)colour);
    p->points++;
}

static void draw_line(void *context, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    page *p = context;
    fprintf(p->file, "<path d='M%.1f %.1fL%.1f %.1f' stroke='#%06x'/>\n", across(from), down(from), across(to),
            down(to), (unsigned)colour);
    p->lines++;
}

static void draw_triangle(void *context, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour)
{
    page *p = context;
    fprintf(p->file, "<path d='M%.1f %.1fL%.1f %.1fL%.1f %.1fz' fill='#%06x' fill-opacity='.15'/>\n", across(a),
            down(a), across(b), down(b), across(c), down(c), (unsigned)colour);
    p->triangles++;
}

static void draw_text(void *context, sn_vec3 place, const char *text, uint32_t colour)
{
    page *p = context;
    if (*text >= '0' && *text <= '9')
        return; /* numbers of particles: there are too many */
    fprintf(p->file, "<text x='%.1f' y='%.1f' fill='#%06x'>%s</text>\n", across(place), down(place), (unsigned)colour,
            text);
    p->texts++;
}

static bool draw_world(const sn_world *world, page *p)
{
    sn_draw draw = sn_default_draw();
    draw.layers = SN_DRAW_ALL | SN_DRAW_STRAIN;
    draw.point = draw_point;
    draw.line = draw_line;
    draw.triangle = draw_triangle;
    draw.text = draw_text;
    draw.context = p;
    draw.force_length = 0.0005f; /* m/N */
    draw.plane_size = 4;
    return sn_world_draw(world, &draw) == SN_OK;
}

/* ---- The world ---- */

enum { SIDE = 12 };

/* Adds a horizontal square of cloth with a skin. */
static void add_cloth(sn_world *world, float height)
{
    uint32_t corner[(SIDE - 1) * (SIDE - 1) * 6], count = 0;
    sn_particle grid[SIDE][SIDE];
    for (int i = 0; i < SIDE; ++i)
        for (int k = 0; k < SIDE; ++k) {
            grid[i][k] = sn_particle_add_at(world, (sn_vec3){0.12f * i + 1.8f, height, 0.12f * k - 0.6f}, 0.01f);
            sn_particle_set_radius(world, grid[i][k], 0.02f);
            sn_particle_set_group(world, grid[i][k], 1);
            if (i)
                sn_constraint_add_distance(world, sn_at(grid[i - 1][k]), sn_at(grid[i][k]), SN_MEASURE);
            if (k)
                sn_constraint_add_distance(world, sn_at(grid[i][k - 1]), sn_at(grid[i][k]), SN_MEASURE);
            if (!i || !k)
                continue;
            const uint32_t a = grid[i - 1][k - 1].index, b = grid[i][k - 1].index, c = grid[i][k].index;
            const uint32_t d = grid[i - 1][k].index, two[6] = {a, c, b, a, d, c};
            for (int j = 0; j < 6; ++j)
                corner[count++] = two[j];
        }
    sn_skin_def def = sn_default_skin_def();
    def.triangles = corner;
    def.triangle_count = count / 3;
    sn_skin skin;
    sn_skin_add(world, &def, &skin);
}

static void add_crate_on_a_rope(sn_world *world)
{
    sn_particle last = sn_particle_add_at(world, (sn_vec3){-1.5f, 4, 0}, SN_IMMOVABLE);
    for (int i = 1; i <= 12; ++i) {
        sn_particle next = sn_particle_add_at(world, (sn_vec3){-1.5f + 0.1f * i, 4 - 0.1f * i, 0}, 0.05f);
        sn_constraint_add_distance(world, sn_at(last), sn_at(next), SN_MEASURE);
        last = next;
    }
    sn_body crate = sn_body_add_box(world, (sn_vec3){0, 2.5f, 0}, (sn_vec3){0.25f, 0.25f, 0.25f}, 300);
    sn_constraint_add_attachment(world, sn_at(last), sn_on_body(crate, (sn_vec3){-0.25f, 0.25f, 0}));
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "out";
    if ((make_folder(folder) != 0 && errno != EEXIST) || enter_folder(folder) != 0) {
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
        return 1;
    }
    sn_world_def def = sn_default_world_def();
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_static_add_plane(world, (sn_vec3){0, 0, 0}, (sn_vec3){0, 1, 0});
    sn_static_add_sphere(world, (sn_vec3){2.5f, 0.8f, 0}, 0.5f);
    for (int i = 0; i < 4; ++i)
        sn_body_add_box(world, (sn_vec3){-2.6f + 0.05f * i, 0.3f + 0.45f * i, 0}, (sn_vec3){0.25f, 0.2f, 0.25f}, 500);
    add_crate_on_a_rope(world);
    add_cloth(world, 2);
    for (int frame = 0; frame < 120; ++frame)
        if (sn_world_step(world, 1.0f / 60) != SN_OK) {
            puts(sn_world_error(world));
            return 1;
        }

    page p = {.file = fopen("draw.svg", "w")};
    if (!p.file) {
        fprintf(stderr, "draw.svg: %s\n", strerror(errno));
        return 1;
    }
    fprintf(p.file,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-size='11' fill='none'>\n"
            "<rect width='100%%' height='100%%' fill='#1c2026'/>\n",
            WIDTH, HEIGHT);
    const bool drawn = draw_world(world, &p);
    fputs("</svg>\n", p.file);
    const bool whole = close_whole(p.file);
    printf("draw.svg: %u points, %u lines, %u triangles, %u labels\n", p.points, p.lines, p.triangles, p.texts);
    sn_world_destroy(world);
    return drawn && whole && p.points && p.lines && p.triangles && p.texts ? 0 : 1;
}
