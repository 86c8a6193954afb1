/* A testbed: every scene in a window, with the mouse, layers of debug drawing and keys to stop and go. The window, the mouse and the keys are
   SDL's; the picture is drawn in software, so it needs no graphics card. `make testbed` builds and opens it. */
#include "export/png.h"
#include "testbed/panel.h"
#include "testbed/view.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *size, *picture, *layers;
    uint32_t frames;
    bool list, pause, quick, tour, help;
} options;

typedef struct testbed {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    canvas *canvas;
    view *view;
    sn_scene_names names;
    char *file; /* a scene that is none of those, given by its path */
    play play;
    panel panel;
    orbit orbit;
    int mouse_x, mouse_y;
    enum { IDLE, PULLING, TURNING, MOVING } mouse;
    vec plane; /* a place of the plane in which the mouse pulls */
    bool step, quit;
    char note[200];
    double note_until;
} testbed;

static void say(testbed *t, const char *text)
{
    snprintf(t->note, sizeof t->note, "%s", text);
    t->note_until = sn_seconds_now() + 3;
}

/* ---- The window ----------------------------------------------------------------------------------------------------- */

/* A canvas and a texture of the window's size. */
static bool fit(testbed *t)
{
    int width = 0, height = 0;
    SDL_GetRendererOutputSize(t->renderer, &width, &height);
    canvas *c = canvas_create(width > 64 ? width : 64, height > 64 ? height : 64, t->panel.fine);
    SDL_Texture *texture = c ? SDL_CreateTexture(t->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING,
                                                 canvas_width(c), canvas_height(c))
                             : NULL;
    if (!texture) {
        canvas_destroy(c);
        return false;
    }
    canvas_destroy(t->canvas);
    if (t->texture)
        SDL_DestroyTexture(t->texture);
    t->canvas = c;
    t->texture = texture;
    return true;
}

static bool open_window(testbed *t, int width, int height)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return false;
    t->window = SDL_CreateWindow("Sinew testbed", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                                 SDL_WINDOW_RESIZABLE);
    if (!t->window)
        return false;
    t->renderer = SDL_CreateRenderer(t->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (!t->renderer)
        t->renderer = SDL_CreateRenderer(t->window, -1, SDL_RENDERER_SOFTWARE);
    return t->renderer && fit(t);
}

static void close_window(testbed *t)
{
    play_close(&t->play);
    view_destroy(t->view);
    canvas_destroy(t->canvas);
    sn_scene_names_release(&t->names);
    free(t->file);
    if (t->texture)
        SDL_DestroyTexture(t->texture);
    if (t->renderer)
        SDL_DestroyRenderer(t->renderer);
    if (t->window)
        SDL_DestroyWindow(t->window);
    SDL_Quit();
}

/* ---- Scenes --------------------------------------------------------------------------------------------------------- */

static float aspect(const testbed *t)
{
    return (float)canvas_width(t->canvas) / (float)canvas_height(t->canvas);
}

static void open_scene(testbed *t, uint32_t scene, bool same_view)
{
    t->panel.scene = scene;
    play_open(&t->play, t->names.name[scene], t->names.path[scene]);
    if (!same_view)
        t->orbit = orbit_around(&t->play, aspect(t));
    t->mouse = IDLE;
    panel_show_scene(&t->panel, t->canvas);
}

/* A name, a number as the list has it, or a file, which then comes last in the list. */
static bool find_scene(testbed *t, const char *word, uint32_t *scene)
{
    char *end;
    const long number = strtol(word, &end, 10);
    if (!*end && end != word) {
        *scene = (uint32_t)(number - 1);
        return (number >= 1 && (unsigned long)number <= t->names.count) ||
               sn_complain(0, "there is no scene %s; there are %u", word, (unsigned)t->names.count) != 0;
    }
    for (*scene = 0; *scene < t->names.count; ++*scene)
        if (strcmp(t->names.name[*scene], word) == 0)
            return true;
    char *path = sn_find_scene(word), *name = path ? sn_path_stem(path) : NULL;
    char **names = name ? realloc(t->names.name, (t->names.count + 1) * sizeof *names) : NULL;
    if (names)
        t->names.name = names;
    char **paths = names ? realloc(t->names.path, (t->names.count + 1) * sizeof *paths) : NULL;
    if (!paths) {
        free(path);
        free(name);
        return false;
    }
    t->names.path = paths;
    t->names.name[t->names.count] = name;
    t->names.path[t->names.count] = path;
    *scene = t->names.count++;
    return true;
}

/* ---- Actions -------------------------------------------------------------------------------------------------------- */

static bool save_picture(const testbed *t, const char *path)
{
    const int width = canvas_width(t->canvas), height = canvas_height(t->canvas);
    const size_t count = (size_t)width * (size_t)height;
    unsigned char *rgb = malloc(3 * count);
    char message[300];
    sn_png png;
    if (!rgb)
        return sn_complain(0, "out of memory"), false;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k)
            rgb[3 * i + k] = (unsigned char)(canvas_pixels(t->canvas)[i] >> (16 - 8 * k));
    const bool good = sn_png_open(&png, path, (uint32_t)width, (uint32_t)height, 0, message, sizeof message) &&
                      sn_png_frame(&png, rgb, message, sizeof message) && sn_png_close(&png, message, sizeof message);
    free(rgb);
    if (!good)
        sn_complain(0, "%s", message);
    return good;
}

static vec mouse_ray(const testbed *t, const camera *c)
{
    return camera_ray(c, canvas_width(t->canvas), canvas_height(t->canvas), (float)t->mouse_x, (float)t->mouse_y);
}

static void toggle_layer(testbed *t, int i)
{
    const uint32_t colours = SN_DRAW_STRAIN | SN_DRAW_ISLANDS | SN_DRAW_TILES | SN_DRAW_BATCHES;
    const uint32_t bit = layers[i].bit, before = t->panel.layers;
    if (bit & colours) /* one of them at a time */
        t->panel.layers &= ~colours;
    t->panel.layers = (t->panel.layers & ~bit) | (~before & bit);
}

static void close_something(testbed *t)
{
    if (t->panel.help)
        t->panel.help = false;
    else if (t->panel.list)
        t->panel.list = false;
    else
        t->quit = true;
}

static void act(testbed *t, int what)
{
    const camera c = orbit_camera(&t->orbit);
    const uint32_t count = t->names.count, scene = t->panel.scene;
    if (what >= ACTION_LAYER) {
        toggle_layer(t, what - ACTION_LAYER);
        return;
    }
    if (what >= ACTION_SCENE) {
        open_scene(t, (uint32_t)(what - ACTION_SCENE), false);
        return;
    }
    switch ((action)what) {
    case ACTION_QUIT:
        close_something(t);
        break;
    case ACTION_PAUSE:
        t->panel.paused = !t->panel.paused;
        break;
    case ACTION_STEP:
        t->panel.paused = t->step = true;
        break;
    case ACTION_RESTART:
        open_scene(t, scene, true);
        break;
    case ACTION_NEXT:
        open_scene(t, (scene + 1) % count, false);
        break;
    case ACTION_PREVIOUS:
        open_scene(t, (scene + count - 1) % count, false);
        break;
    case ACTION_SLOWER:
        t->panel.speed = t->panel.speed > 0.02 ? t->panel.speed / 2 : t->panel.speed;
        break;
    case ACTION_FASTER:
        t->panel.speed = t->panel.speed < 8 ? t->panel.speed * 2 : t->panel.speed;
        break;
    case ACTION_ALL:
        play_look(&t->play, false);
        t->orbit = orbit_around(&t->play, aspect(t));
        break;
    case ACTION_THROW:
        if (!play_throw(&t->play, c.eye, mouse_ray(t, &c)))
            say(t, t->play.world ? sn_world_error(t->play.world) : "there is no scene");
        break;
    case ACTION_FINE:
        t->panel.fine = !t->panel.fine;
        fit(t);
        break;
    case ACTION_LIST:
        t->panel.list = !t->panel.list;
        panel_show_scene(&t->panel, t->canvas);
        break;
    case ACTION_HELP:
        t->panel.help = !t->panel.help;
        break;
    case ACTION_PANELS:
        t->panel.hidden = !t->panel.hidden;
        break;
    case ACTION_SAVE:
        say(t, save_picture(t, "testbed.png") ? "testbed.png is written" : "testbed.png could not be written");
        break;
    default:
        break;
    }
}

static int action_of_key(SDL_Keycode key)
{
    for (int i = 0; i < LAYERS; ++i)
        if (key == SDL_tolower(layers[i].key[0]))
            return ACTION_LAYER + i;
    static const struct {
        SDL_Keycode key;
        action action;
    } keys[] = {{SDLK_ESCAPE, ACTION_QUIT},     {SDLK_q, ACTION_QUIT},
                {SDLK_SPACE, ACTION_PAUSE},     {SDLK_n, ACTION_STEP},
                {SDLK_RIGHT, ACTION_STEP},      {SDLK_r, ACTION_RESTART},
                {SDLK_PAGEDOWN, ACTION_NEXT},   {SDLK_RIGHTBRACKET, ACTION_NEXT},
                {SDLK_PAGEUP, ACTION_PREVIOUS}, {SDLK_LEFTBRACKET, ACTION_PREVIOUS},
                {SDLK_COMMA, ACTION_SLOWER},    {SDLK_PERIOD, ACTION_FASTER},
                {SDLK_f, ACTION_ALL},           {SDLK_HOME, ACTION_ALL},
                {SDLK_x, ACTION_THROW},         {SDLK_a, ACTION_FINE},
                {SDLK_TAB, ACTION_LIST},        {SDLK_l, ACTION_LIST},
                {SDLK_h, ACTION_HELP},          {SDLK_F1, ACTION_HELP},
                {SDLK_p, ACTION_PANELS},        {SDLK_F12, ACTION_SAVE}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (keys[i].key == key)
            return (int)keys[i].action;
    return ACTION_NONE;
}

/* ---- The mouse ------------------------------------------------------------------------------------------------------ */

#define PICK_PIXELS 8 /* a particle is found so near to the mouse */

static void press(testbed *t, int button)
{
    bool over;
    const camera c = orbit_camera(&t->orbit);
    const int what = panel_action(&t->panel, t->canvas, t->mouse_x, t->mouse_y, &over);
    if (over) {
        if (button == SDL_BUTTON_LEFT)
            act(t, what);
        return;
    }
    const bool shift = SDL_GetModState() & KMOD_SHIFT;
    if (button == SDL_BUTTON_LEFT) {
        const float reach = PICK_PIXELS * 2 * c.slope * t->orbit.distance / (float)canvas_height(t->canvas);
        t->mouse = play_grab(&t->play, c.eye, mouse_ray(t, &c), reach) ? PULLING : TURNING;
        t->plane = t->play.target;
    } else {
        t->mouse = button == SDL_BUTTON_MIDDLE || shift ? MOVING : TURNING;
    }
}

static void release(testbed *t)
{
    play_drop(&t->play);
    t->mouse = IDLE;
}

/* Where the mouse is in the plane across the view in which it took hold. */
static vec mouse_place(const testbed *t, const camera *c)
{
    const vec ray = mouse_ray(t, c);
    return vec_add(c->eye, vec_scale(ray, vec_dot(vec_sub(c->eye, t->plane), c->back)));
}

static void move(testbed *t, int x, int y)
{
    const float dx = (float)(x - t->mouse_x), dy = (float)(y - t->mouse_y), high = (float)canvas_height(t->canvas);
    bool over;
    t->mouse_x = x;
    t->mouse_y = y;
    t->panel.hover = panel_action(&t->panel, t->canvas, x, y, &over);
    if (t->mouse == TURNING)
        orbit_turn(&t->orbit, -4 * dx / high, 4 * dy / high);
    else if (t->mouse == MOVING)
        orbit_pan(&t->orbit, dx / high, -dy / high);
}

static void turn_wheel(testbed *t, int by)
{
    bool over;
    panel_action(&t->panel, t->canvas, t->mouse_x, t->mouse_y, &over);
    if (over && t->panel.list && t->mouse_x < 420)
        panel_scroll(&t->panel, t->canvas, -3 * by);
    else
        orbit_zoom(&t->orbit, by > 0 ? 1.15f : 1 / 1.15f);
}

static void listen(testbed *t)
{
    SDL_Event e;
    while (SDL_PollEvent(&e)) {
        if (e.type == SDL_QUIT)
            t->quit = true;
        else if (e.type == SDL_KEYDOWN)
            act(t, action_of_key(e.key.keysym.sym));
        else if (e.type == SDL_MOUSEBUTTONDOWN)
            press(t, e.button.button);
        else if (e.type == SDL_MOUSEBUTTONUP)
            release(t);
        else if (e.type == SDL_MOUSEMOTION)
            move(t, e.motion.x, e.motion.y);
        else if (e.type == SDL_MOUSEWHEEL && e.wheel.y != 0)
            turn_wheel(t, e.wheel.y);
        else if (e.type == SDL_WINDOWEVENT && e.window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
            fit(t);
    }
}

/* ---- The loop ------------------------------------------------------------------------------------------------------- */

static void paint(testbed *t)
{
    const camera c = orbit_camera(&t->orbit);
    const double start = sn_seconds_now();
    t->panel.note = start < t->note_until ? t->note : NULL;
    view_draw(t->view, &t->play, t->panel.layers, &c, t->canvas);
    panel_draw(&t->panel, t->canvas);
    t->panel.draw_ms = 0.9 * t->panel.draw_ms + 100 * (sn_seconds_now() - start);
    SDL_UpdateTexture(t->texture, NULL, canvas_pixels(t->canvas), 4 * canvas_width(t->canvas));
    SDL_RenderCopy(t->renderer, t->texture, NULL, NULL);
    SDL_RenderPresent(t->renderer);
}

#define LONGEST_PAUSE     0.1  /* s: what takes longer is not caught up with */
#define STEPS_PER_PICTURE 0.05 /* s: so long a picture waits for steps */

static void loop(testbed *t, uint32_t frames)
{
    double before = sn_seconds_now();
    for (uint32_t i = 0; !t->quit && (!frames || i < frames); ++i) {
        listen(t);
        if (t->mouse == PULLING) {
            const camera c = orbit_camera(&t->orbit);
            play_pull(&t->play, mouse_place(t, &c));
        }
        const double now = sn_seconds_now(), passed = now - before;
        before = now;
        t->panel.fps = 0.95 * t->panel.fps + 0.05 * (passed > 0 ? 1 / passed : 0);
        if (t->step || frames) /* so many pictures are so many frames of the scene */
            play_step(&t->play);
        else if (!t->panel.paused)
            play_advance(&t->play, t->panel.speed * (passed < LONGEST_PAUSE ? passed : LONGEST_PAUSE),
                         STEPS_PER_PICTURE);
        t->step = false;
        paint(t);
        const double rest = 1.0 / 60 - (sn_seconds_now() - now);
        if (rest > 0.001 && !frames)
            SDL_Delay((Uint32)(1000 * rest));
    }
}

/* Every scene: some frames, something pulled in the middle of the picture, a ball thrown, all layers, and each way to colour. False if one of
   them cannot be played. */
static bool tour(testbed *t, uint32_t frames, const sn_texts *words)
{
    bool good = true;
    const uint32_t count = words->count ? words->count : t->names.count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t scene = i;
        if (words->count && !find_scene(t, words->item[i], &scene))
            return false;
        open_scene(t, scene, false);
        const bool whole = t->play.world != NULL;
        t->panel.layers = SN_DRAW_ALL | VIEW_SURFACES;
        t->mouse_x = canvas_width(t->canvas) / 2;
        t->mouse_y = canvas_height(t->canvas) / 2;
        loop(t, frames / 2);
        press(t, SDL_BUTTON_LEFT);
        const bool held = t->mouse == PULLING;
        move(t, t->mouse_x + 40, t->mouse_y - 40);
        act(t, ACTION_THROW);
        for (int k = FIRST_COLOURS; k < LAYERS; ++k) {
            toggle_layer(t, k);
            loop(t, frames / 8 + 1);
        }
        release(t);
        loop(t, 1);
        printf("%-32s %s%s\n", t->names.name[scene], whole ? "played" : "no scene", held ? ", pulled" : "");
        if (t->play.message[0]) {
            sn_complain(0, "%s: %s", t->names.name[scene], t->play.message);
            good = false;
        }
    }
    return good;
}

/* ---- The command line ----------------------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(options, name)

static const sn_option table[] = {
    {"size", 0, SN_OPTION_TEXT, FIELD(size), 0, "WxH", "of the window, pixels; default 1280x720"},
    {"layers", 'l', SN_OPTION_TEXT, FIELD(layers), 0, "NAMES", "what is drawn at first, such as shapes,contacts"},
    {"pause", 'p', SN_OPTION_FLAG, FIELD(pause), 0, NULL, "begin paused"},
    {"quick", 0, SN_OPTION_FLAG, FIELD(quick), 0, NULL, "one sample a pixel instead of four"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), 1, "COUNT", "end after so many frames, as fast as they come"},
    {"picture", 'o', SN_OPTION_TEXT, FIELD(picture), 0, "FILE", "write the last picture as a PNG file"},
    {"list", 0, SN_OPTION_FLAG, FIELD(list), 0, NULL, "print the scenes with their numbers"},
    {"tour", 0, SN_OPTION_FLAG, FIELD(tour), 0, NULL, "play every scene, or those named, for --frames each, and end"},
    SN_OPTION_END(options)};

static bool read_size(const char *text, int *width, int *height)
{
    char rest;
    if (!text)
        return true;
    if (sscanf(text, "%dx%d%c", width, height, &rest) == 2 && *width >= 320 && *height >= 240 && *width <= 7680 &&
        *height <= 4320)
        return true;
    sn_complain(0, "--size is '%s'; it must be pixels such as 1280x720, from 320x240 to 7680x4320", text);
    return false;
}

static bool read_layers(const char *text, uint32_t *bits)
{
    if (!text)
        return true;
    for (*bits = 0; *text;) {
        const size_t length = strcspn(text, ",");
        int i = 0;
        while (i < LAYERS && (strncmp(layers[i].name, text, length) != 0 || layers[i].name[length]))
            ++i;
        if (i == LAYERS)
            return sn_complain(0, "--layers: there is no layer '%.*s'; the window lists them", (int)length, text),
                   false;
        *bits |= layers[i].bit;
        text += length + (text[length] == ',');
    }
    return true;
}

static int run(const void *given, const sn_texts *operands)
{
    const options *o = given;
    testbed t = {
        .panel = {
            .speed = 1, .fine = !o->quick, .paused = o->pause, .layers = sn_default_draw().layers | VIEW_SURFACES}};
    int width = 1280, height = 720;
    uint32_t scene = 0;
    if (!read_size(o->size, &width, &height) || !read_layers(o->layers, &t.panel.layers))
        return SN_EXIT_USAGE;
    if (!sn_scene_names_find("", &t.names) || !t.names.count) {
        sn_complain(0, "there are no scenes; SINEW_SCENES may name their folder");
        return SN_EXIT_INPUT;
    }
    int code = SN_EXIT_INPUT;
    if (!operands->count || find_scene(&t, operands->item[0], &scene)) {
        code = SN_EXIT_FINE;
        t.panel.names = &t.names;
        t.panel.play = &t.play;
        if (o->list) {
            for (uint32_t i = 0; i < t.names.count; ++i)
                printf("%3u %s\n", (unsigned)i + 1, t.names.name[i]);
        } else if (!open_window(&t, width, height) || !(t.view = view_create())) {
            code = sn_complain(SN_EXIT_FAILED, "there is no window: %s", SDL_GetError());
        } else if (o->tour) {
            code = tour(&t, o->frames ? o->frames : 60, operands) ? SN_EXIT_FINE : SN_EXIT_FAILED;
        } else {
            open_scene(&t, scene, false);
            loop(&t, o->frames);
            code = t.play.message[0] ? sn_complain(SN_EXIT_FAILED, "%s", t.play.message) : SN_EXIT_FINE;
        }
        if (t.canvas && o->picture && !save_picture(&t, o->picture))
            code = SN_EXIT_OUTPUT;
    }
    close_window(&t);
    return code;
}

static const sn_command command = {.name = "testbed",
                                   .operands = "[SCENE...]",
                                   .about = "Shows scenes in a window, to play with",
                                   .details = "A scene is a name, a number as --list prints it, or a file.\n"
                                              "In the window H shows the keys.\n",
                                   .least = 0,
                                   .most = 1000,
                                   .options = table,
                                   .run = run};

int main(int argc, char **argv)
{
    union {
        options given;
        unsigned char room[SN_OPTIONS_BYTES];
    } o;
    sn_texts operands;
    int code = SN_EXIT_USAGE;
    if (sn_options_read(&command, argc, argv, &o, &operands)) {
        if (sn_options_want_help(&command, &o)) {
            sn_command_help(&command, stdout);
            code = SN_EXIT_FINE;
        } else {
            code = run(&o.given, &operands);
        }
    }
    sn_options_release(&command, &o, &operands);
    return code;
}
