#include "testbed/panel.h"
#include "testbed/view.h"

#include <stdio.h>
#include <string.h>

#define INK    0xdfe6ee
#define DIM    0x8d9aa9
#define BRIGHT 0xffe066
#define BACK   0x0c0f14
#define LINE   20 /* pixels from one line to the next */
#define LETTER 12 /* pixels across; of small ones half */

const layer layers[LAYERS] = {{"particles", "1", SN_DRAW_PARTICLES},
                              {"constraints", "2", SN_DRAW_CONSTRAINTS},
                              {"skins", "3", SN_DRAW_SKINS},
                              {"shapes", "4", SN_DRAW_SHAPES},
                              {"axes", "5", SN_DRAW_AXES},
                              {"anchors", "6", SN_DRAW_ANCHORS},
                              {"contacts", "7", SN_DRAW_CONTACTS},
                              {"forces", "8", SN_DRAW_FORCES},
                              {"velocities", "9", SN_DRAW_VELOCITIES},
                              {"bounds", "0", SN_DRAW_BOUNDS},
                              {"names", "-", SN_DRAW_NAMES},
                              {"surfaces", "O", VIEW_SURFACES},
                              {"strain", "S", SN_DRAW_STRAIN},
                              {"islands", "I", SN_DRAW_ISLANDS},
                              {"tiles", "T", SN_DRAW_TILES},
                              {"batches", "B", SN_DRAW_BATCHES}};

static const char *const help[][2] = {{"Space", "pause or go on"},
                                      {"N, Right", "one frame"},
                                      {"R", "from the start again (reads the file again)"},
                                      {"PgUp, PgDn", "the scene before, the next one"},
                                      {"Tab, L", "list of scenes; click on one"},
                                      {",  .", "slower, faster"},
                                      {"left drag", "pull what is under the mouse; elsewhere turn the view"},
                                      {"right drag", "turn the view"},
                                      {"middle drag", "move the view (or Shift and right)"},
                                      {"wheel", "nearer, farther"},
                                      {"F, Home", "see all"},
                                      {"X", "throw a ball to where the mouse is"},
                                      {"1 to 9, 0, -, O", "layers, as listed on the right"},
                                      {"S I T B", "colours: strain, islands, tiles, batches"},
                                      {"A", "fine or quick picture"},
                                      {"P", "hide what is written here, or show it"},
                                      {"F12", "save the picture as testbed.png"},
                                      {"H, F1", "this help"},
                                      {"Esc, Q", "close what is open; leave"}};

#define HELP_LINES ((int)(sizeof help / sizeof help[0]))

/* ---- Where panels are ----------------------------------------------------------------------------------------------- */

typedef struct area {
    int x, y, width, height;
} area;

static bool is_in(area a, int x, int y)
{
    return x >= a.x && y >= a.y && x < a.x + a.width && y < a.y + a.height;
}

static area layer_area(const canvas *c)
{
    return (area){canvas_width(c) - 200, 10, 190, (LAYERS + 2) * LINE + 10};
}

static int list_lines(const panel *p, const canvas *c)
{
    const int room = (canvas_height(c) - 150) / LINE, all = (int)p->names->count;
    return room < 1 ? 1 : room < all ? room : all;
}

static area list_area(const panel *p, const canvas *c)
{
    return (area){10, 112, 400, (list_lines(p, c) + 1) * LINE + 10};
}

static area help_area(const canvas *c)
{
    const int width = 910, height = (HELP_LINES + 2) * LINE + 20;
    return (area){(canvas_width(c) - width) / 2, (canvas_height(c) - height) / 2, width, height};
}

/* ---- Drawing them --------------------------------------------------------------------------------------------------- */

static void draw_area(canvas *c, area a)
{
    canvas_box(c, a.x, a.y, a.width, a.height, BACK, 0.72f);
}

static void draw_layers(const panel *p, canvas *c)
{
    const area a = layer_area(c);
    draw_area(c, a);
    canvas_text(c, a.x + 10, a.y + 8 + FIRST_COLOURS * LINE, 2, DIM, "coloured by");
    for (int i = 0; i < LAYERS; ++i) {
        const bool on = p->layers & layers[i].bit, under = p->hover == ACTION_LAYER + i;
        const int y = a.y + 8 + (i + (i >= FIRST_COLOURS)) * LINE;
        canvas_text(c, a.x + 10, y, 2, under ? BRIGHT : on ? INK : 0x5d6875, layers[i].key);
        canvas_text(c, a.x + 36, y, 2, under ? BRIGHT : on ? INK : 0x5d6875, layers[i].name);
        if (on)
            canvas_box(c, a.x + 3, y, 3, 14, BRIGHT, 1);
    }
}

static void draw_state(const panel *p, canvas *c)
{
    char text[200];
    const char *title = "";
    draw_area(c, (area){10, 10, canvas_width(c) < 900 ? canvas_width(c) - 220 : 680, 96});
    snprintf(text, sizeof text, "%u  %s", (unsigned)p->scene + 1, p->play->name ? p->play->name : "");
    canvas_text(c, 20, 18, 2, BRIGHT, text);
    if (p->play->world) {
        const sn_scene_info info = sn_scene_describe(p->play->loaded.scene);
        title = info.title;
        snprintf(text, sizeof text, "%.2f s%s%s   %.1f fps   step %.2f ms   draw %.1f ms",
                 sn_scene_time(p->play->loaded.scene), p->paused ? "  paused" : "", p->speed != 1 ? "  " : "", p->fps,
                 p->play->step_ms, p->draw_ms);
        canvas_text(c, 20, 18 + 2 * LINE, 2, INK, text);
        snprintf(text, sizeof text, "%u particles   %u bodies   %u constraints   speed %g",
                 (unsigned)sn_world_particle_count(p->play->world), (unsigned)sn_world_body_count(p->play->world),
                 (unsigned)sn_world_constraint_count(p->play->world, SN_KIND_NONE), p->speed);
        canvas_text(c, 20, 18 + 3 * LINE, 2, DIM, text);
    }
    snprintf(text, sizeof text, "%.54s", title);
    canvas_text(c, 20, 18 + LINE, 2, INK, text);
}

static void draw_list(const panel *p, canvas *c)
{
    char text[64];
    const area a = list_area(p, c);
    const int lines = list_lines(p, c);
    draw_area(c, a);
    snprintf(text, sizeof text, "scenes %d to %d of %u", p->list_from + 1, p->list_from + lines,
             (unsigned)p->names->count);
    canvas_text(c, a.x + 10, a.y + 8, 2, DIM, text);
    for (int i = 0; i < lines; ++i) {
        const uint32_t scene = (uint32_t)(p->list_from + i);
        const bool here = scene == p->scene, under = p->hover == ACTION_SCENE + (int)scene;
        snprintf(text, sizeof text, "%3u %.26s", (unsigned)scene + 1, p->names->name[scene]);
        canvas_text(c, a.x + 10, a.y + 8 + (i + 1) * LINE, 2, under || here ? BRIGHT : INK, text);
    }
}

static void draw_help(canvas *c)
{
    const area a = help_area(c);
    canvas_box(c, a.x, a.y, a.width, a.height, BACK, 0.9f);
    canvas_text(c, a.x + 20, a.y + 14, 2, BRIGHT, "Sinew testbed");
    for (int i = 0; i < HELP_LINES; ++i) {
        canvas_text(c, a.x + 20, a.y + 18 + (i + 1) * LINE, 2, BRIGHT, help[i][0]);
        canvas_text(c, a.x + 215, a.y + 18 + (i + 1) * LINE, 2, INK, help[i][1]);
    }
}

/* A line at the bottom, shortened to fit. */
static void draw_note(canvas *c, const char *note, uint32_t colour)
{
    char text[200];
    const int most = (canvas_width(c) - 40) / LETTER;
    snprintf(text, sizeof text, "%.*s", most < 199 ? most : 199, note);
    canvas_box(c, 10, canvas_height(c) - 34, (int)strlen(text) * LETTER + 20, 26, BACK, 0.72f);
    canvas_text(c, 20, canvas_height(c) - 28, 2, colour, text);
}

void panel_draw(const panel *p, canvas *c)
{
    if (!p->hidden) {
        draw_state(p, c);
        draw_layers(p, c);
        if (p->list)
            draw_list(p, c);
    }
    if (p->play->message[0])
        draw_note(c, p->play->message, 0xff7b72);
    else if (p->note)
        draw_note(c, p->note, INK);
    else if (!p->hidden)
        draw_note(c, "H help   Tab scenes   Space pause   N step   R restart", DIM);
    if (p->help)
        draw_help(c);
}

/* ---- What a click means --------------------------------------------------------------------------------------------- */

int panel_action(const panel *p, const canvas *c, int x, int y, bool *is_over)
{
    const area side = layer_area(c), list = list_area(p, c);
    *is_over = true;
    if (p->help && is_in(help_area(c), x, y))
        return ACTION_HELP;
    if (!p->hidden && is_in(side, x, y)) {
        int line = (y - side.y - 6) / LINE;
        line -= line > FIRST_COLOURS;
        return line >= 0 && line < LAYERS && (y - side.y - 6) / LINE != FIRST_COLOURS ? ACTION_LAYER + line
                                                                                      : ACTION_NONE;
    }
    if (!p->hidden && p->list && is_in(list, x, y)) {
        const int line = (y - list.y - 6) / LINE - 1;
        return line >= 0 && line < list_lines(p, c) ? ACTION_SCENE + p->list_from + line : ACTION_NONE;
    }
    *is_over = false;
    return ACTION_NONE;
}

void panel_scroll(panel *p, const canvas *c, int lines)
{
    const int most = (int)p->names->count - list_lines(p, c), from = p->list_from + lines;
    p->list_from = from > most ? most : from;
    if (p->list_from < 0)
        p->list_from = 0;
}

void panel_show_scene(panel *p, const canvas *c)
{
    const int lines = list_lines(p, c), at = (int)p->scene;
    if (at < p->list_from || at >= p->list_from + lines)
        p->list_from = 0, panel_scroll(p, c, at - lines / 2);
}
