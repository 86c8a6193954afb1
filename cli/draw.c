#include "cli/cli.h"
#include "cli/progress.h"
#include "export/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct draw_options {
    sn_texts set;
    const char *out, *time, *layers, *from, *size;
    uint64_t memory;
    bool read_anywhere, quiet, help;
} draw_options;

#define FIELD(name) offsetof(draw_options, name)

static const sn_option options[] = {
    {"out", 'o', SN_OPTION_TEXT, FIELD(out), 0, "FILE", "the picture, an SVG file; default SCENE.svg here"},
    {"time", 't', SN_OPTION_TEXT, FIELD(time), 0, "SECONDS", "run the scene for so long first; default 0"},
    {"layers", 'l', SN_OPTION_TEXT, FIELD(layers), 0, "NAMES", "what to draw, such as shapes,contacts; or all"},
    {"from", 'f', SN_OPTION_TEXT, FIELD(from), 0, "X,Y,Z", "look from this direction; default 0.5,0.4,1"},
    {"size", 0, SN_OPTION_TEXT, FIELD(size), 0, "WxH", "pixels; default 1200x900"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change a value of the scene, as run does"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "the most memory that a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
    SN_OPTION_END(draw_options)};

static const struct {
    const char *name;
    uint32_t bits;
} layers[] = {{"particles", SN_DRAW_PARTICLES},
              {"constraints", SN_DRAW_CONSTRAINTS},
              {"skins", SN_DRAW_SKINS},
              {"shapes", SN_DRAW_SHAPES},
              {"axes", SN_DRAW_AXES},
              {"anchors", SN_DRAW_ANCHORS},
              {"contacts", SN_DRAW_CONTACTS},
              {"forces", SN_DRAW_FORCES},
              {"velocities", SN_DRAW_VELOCITIES},
              {"bounds", SN_DRAW_BOUNDS},
              {"names", SN_DRAW_NAMES},
              {"strain", SN_DRAW_STRAIN},
              {"islands", SN_DRAW_ISLANDS},
              {"tiles", SN_DRAW_TILES},
              {"batches", SN_DRAW_BATCHES},
              {"all", SN_DRAW_ALL}};

#define LAYERS (sizeof layers / sizeof layers[0])

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* The bit of a layer; 0, after a message, if there is no layer of this name. */
static uint32_t layer_bits(const char *word, size_t length)
{
    char name[32];
    const char *names[LAYERS];
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word);
    for (size_t i = 0; i < LAYERS; ++i) {
        names[i] = layers[i].name;
        if (strcmp(name, names[i]) == 0)
            return layers[i].bits;
    }
    const char *near = sn_nearest(name, names, LAYERS);
    if (near)
        sn_complain(0, "--layers: there is no layer '%s'; did you mean '%s'?", name, near);
    else
        sn_complain(0, "--layers: there is no layer '%s'; 'sinew draw --help' names them", name);
    return 0;
}

static bool read_layers(const char *text, uint32_t *bits)
{
    *bits = 0;
    while (*text) {
        const size_t length = strcspn(text, ",");
        const uint32_t more = layer_bits(text, length);
        if (!more)
            return false;
        *bits |= more;
        text += length + (text[length] == ',');
    }
    /* layers that only colour things need things to colour */
    const uint32_t things = SN_DRAW_PARTICLES | SN_DRAW_CONSTRAINTS | SN_DRAW_SHAPES | SN_DRAW_SKINS;
    if (!(*bits & SN_DRAW_ALL))
        *bits |= things;
    return true;
}

/* Reads `count` numbers with a separator and nothing after them. */
static bool read_numbers(const char *text, char between, double *number, int count)
{
    for (int i = 0; i < count; ++i) {
        char *end;
        number[i] = strtod(text, &end);
        if (end == text || !isfinite(number[i]) || *end != (i + 1 < count ? between : 0))
            return false;
        text = end + 1;
    }
    return true;
}

static bool read_options(const draw_options *o, sn_picture_def *def, double *time)
{
    double size[2] = {def->width, def->height};
    *time = 0;
    if (o->layers && !read_layers(o->layers, &def->draw.layers))
        return false;
    if (o->time && (!read_numbers(o->time, 0, time, 1) || *time < 0))
        return sn_complain(0, "--time: found '%s', expected seconds, 0 or more", o->time), false;
    if (o->from &&
        (!read_numbers(o->from, ',', def->from, 3) || (def->from[0] == 0 && def->from[1] == 0 && def->from[2] == 0)))
        return sn_complain(0, "--from: found '%s', expected three numbers that are not all 0, such as 1,0.5,1",
                           o->from),
               false;
    if (o->size &&
        (!read_numbers(o->size, 'x', size, 2) || size[0] < 100 || size[1] < 100 || size[0] > 10000 || size[1] > 10000))
        return sn_complain(0, "--size: found '%s', expected WIDTHxHEIGHT, each 100 to 10000, such as 800x600", o->size),
               false;
    def->width = (uint32_t)size[0];
    def->height = (uint32_t)size[1];
    return true;
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

static int run_until(sn_scene *scene, const char *name, double time, bool quiet)
{
    const double rate = (double)sn_scene_describe(scene).rate;
    sn_progress progress;
    sn_progress_begin(&progress, name, (uint32_t)ceil(time * rate * (1 - 1e-9)), quiet);
    while (sn_scene_time(scene) < time * (1 - 1e-9)) {
        sn_progress_update(&progress, sn_scene_frame(scene), sn_scene_time(scene));
        if (sn_scene_step(scene) != SN_OK)
            return sn_complain(SN_EXIT_FAILED, "at %g s: %s", sn_scene_time(scene),
                               sn_world_error(sn_scene_world(scene)));
        if (sn_signals_came())
            return SN_EXIT_SIGNAL + sn_signals_came();
    }
    sn_progress_clear(&progress);
    return SN_EXIT_FINE;
}

static int draw_scene(const draw_options *o, sn_loaded *loaded, const char *path)
{
    sn_world *world = sn_scene_world(loaded->scene);
    sn_picture_def def = sn_default_picture_def(world);
    char title[200], message[400];
    double time;
    if (!read_options(o, &def, &time))
        return SN_EXIT_USAGE;
    const double most = UINT32_MAX / (double)sn_scene_describe(loaded->scene).rate;
    if (time > most)
        return sn_complain(SN_EXIT_USAGE, "--time: found '%s', expected %g s at most", o->time, most);
    char *stem = sn_path_stem(path), *file = NULL;
    if (!stem)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    int code = run_until(loaded->scene, stem, time, o->quiet);
    if (code != SN_EXIT_FINE) {
        free(stem);
        return code;
    }
    snprintf(title, sizeof title, "%s, %.3g s", stem, sn_scene_time(loaded->scene));
    def.title = title;
    const size_t length = strlen(stem) + 5;
    if (!o->out && (file = malloc(length)))
        snprintf(file, length, "%s.svg", stem);
    const char *out = o->out ? o->out : file;
    if (!out)
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    else if (!sn_picture_write(world, &def, out, message, sizeof message))
        code = sn_complain(SN_EXIT_OUTPUT, "%s", message);
    else if (!o->quiet)
        printf("%s: %s\n", out, title);
    free(file);
    free(stem);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    const draw_options *o = given;
    sn_loading loading = {.scene = operands->item[0],
                          .sets = &o->set,
                          .memory = o->memory,
                          .read_anywhere = o->read_anywhere,
                          .quiet = o->quiet};
    sn_loaded loaded;
    char *path;
    sn_signals_catch();
    int code = sn_load(&loading, &loaded, &path);
    if (code == SN_EXIT_FINE)
        code = draw_scene(o, &loaded, path);
    sn_loaded_release(&loaded);
    free(path);
    return code;
}

const sn_command sn_command_draw = {
    .name = "draw",
    .operands = "SCENE",
    .about = "Draws a scene as the engine sees it, for debugging",
    .details = "SCENE is a file, - for standard input, or the name of a scene that comes with Sinew.\n\n"
               "Layers: particles, constraints, skins, shapes (these four by default), axes (of bodies),\n"
               "anchors (of constraints), contacts (with their normals), forces, velocities, bounds,\n"
               "names; all means all of these. These set the colours: strain (by the error of a\n"
               "constraint), islands (things that fall asleep together), tiles and batches (groups of\n"
               "the solver).\n",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run};
