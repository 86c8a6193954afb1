#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/terminal.h"
#include "export/gif.h"
#include "export/png.h"
#include "export/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MESSAGE     1024
#define STILL_WIDTH 1280
#define MOST_PIXELS 8192
#define MOST_KEPT   ((size_t)1 << 30) /* most bytes of models that wait to be drawn */

typedef struct render_options {
    sn_texts set;
    const char *out, *still, *from, *size, *show, *time;
    uint32_t frame, frames, every, threads;
    uint64_t memory;
    bool dark, read_anywhere, quiet, help;
} render_options;

#define FIELD(name) offsetof(render_options, name)

static const sn_option options[] = {
    {"out", 'o', SN_OPTION_TEXT, FIELD(out), 0, "FILE",
     "a picture (.png) or a film (.gif; .apng, which browsers play; .webm and .mp4, which need ffmpeg); default "
     "SCENE.png here"},
    {"still", 0, SN_OPTION_TEXT, FIELD(still), 0, "FILE",
     "with a film: also its last frame as a picture (.png), 1280 pixels wide"},
    {"frame", 0, SN_OPTION_COUNT, FIELD(frame), 0, "N", "the frame that a picture shows; default the last"},
    {"time", 't', SN_OPTION_TEXT, FIELD(time), 0, "SECONDS",
     "the time that a picture shows, instead of --frame: the first frame at or after it"},
    {"frames", 'n', SN_OPTION_COUNT, FIELD(frames), 0, "N", "run N frames instead of as many as the scene says"},
    {"every", 0, SN_OPTION_COUNT, FIELD(every), 1, "N",
     "a film shows every Nth frame; default: 20 to 30 frames a second"},
    {"size", 0, SN_OPTION_TEXT, FIELD(size), 0, "WxH", "size in pixels; default 1280x720, for a film 640x360"},
    {"from", 'f', SN_OPTION_TEXT, FIELD(from), 0, "X,Y,Z", "look from this direction; default 0.36,0.33,0.9"},
    {"dark", 0, SN_OPTION_FLAG, FIELD(dark), 0, NULL, "draw a dark background"},
    {"show", 0, SN_OPTION_TEXT, FIELD(show), 0, "HOW",
     "also show the picture in the terminal: kitty, iterm, sixel or none; default auto, whatever the terminal "
     "supports"},
    {"set", 's', SN_OPTION_TEXTS, FIELD(set), 0, "PATH=VALUE", "change a value of the scene, as run does"},
    {"threads", 0, SN_OPTION_COUNT, FIELD(threads), 0, "N",
     "the number of threads, 1 to 256; default 0: one for each core. Results do not depend on it"},
    {"memory", 0, SN_OPTION_SIZE, FIELD(memory), 0, "SIZE",
     "the most memory that a scene may take, such as 512M; default 4G"},
    {"read-anywhere", 0, SN_OPTION_FLAG, FIELD(read_anywhere), 0, NULL,
     "let the scene read meshes outside of its folder"},
    {"quiet", 'q', SN_OPTION_FLAG, FIELD(quiet), 0, NULL, "print errors and warnings only"},
    SN_OPTION_END(render_options)};

static const char details[] = "SCENE is a file, - for standard input, or the name of a scene that comes with\n"
                              "Sinew. FOLDER is one that 'sinew run --out' wrote, with the formats pc2, obj or\n"
                              "ply, or one point cache (.pc2): then nothing is simulated, and the written frames\n"
                              "are drawn, counted from 0.\n\n"
                              "The camera is placed so that everything is in view, in every frame of a film.\n"
                              "Neither a display nor a graphics card is needed.\n\n"
                              "Examples:\n"
                              "  sinew render curtain\n"
                              "  sinew render curtain --out curtain.gif\n"
                              "  sinew render out --out curtain.webm\n"
                              "  sinew render curtain --time 1.5\n"
                              "  sinew render wrecking_ball --frame 90 --from=1,0.3,0.5 --size 1920x1080\n";

static void defaults(void *given)
{
    render_options *o = given;
    o->frame = o->frames = UINT32_MAX;
    o->show = "auto";
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

typedef enum kind { PICTURE, FILM, GIF, FOREIGN } kind;

typedef struct job {
    const render_options *asked;
    const char *name;
    char *path; /* of the picture */
    kind kind;
    sn_scene *scene;
    sn_show *show;
    sn_replay *replay; /* drawn instead of a scene: frames from files */
    sn_raster *raster;
    sn_raster_model model;
    sn_raster_view view;
    float size, from[3];
    uint32_t width, height, frames, every, rate;
    uint32_t frame; /* that a picture shows */
    FILE *pipe;     /* to ffmpeg */
    sn_png png;
    sn_gif gif;
    sn_raster_model *kept; /* of a film: models of its frames, until the view is known */
    uint32_t keeps, drawn;
    sn_terminal terminal;
    const unsigned char *rgb; /* the last drawn pixels, owned by the raster */
    sn_progress progress;
    char message[MESSAGE];
} job;

static bool read_size(const char *text, uint32_t *width, uint32_t *height)
{
    char *end;
    const unsigned long w = strtoul(text, &end, 10), h = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
    if (*end || text[0] < '0' || text[0] > '9' || w < 16 || h < 16 || w > MOST_PIXELS || h > MOST_PIXELS)
        return false;
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}

static bool read_direction(const char *text, float to[3])
{
    char *end = NULL;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double value = strtod(i ? end + 1 : text, &end);
        if (!isfinite(value) || fabs(value) > 1e6 || *end != (i < 2 ? ',' : 0) || end == text)
            return false;
        to[i] = (float)value;
        sum += value * value;
    }
    return sum > 1e-12;
}

static bool read_kind(const char *path, kind *k)
{
    *k = sn_ends_with(path, ".apng")                                 ? FILM
         : sn_ends_with(path, ".gif")                                ? GIF
         : sn_ends_with(path, ".webm") || sn_ends_with(path, ".mp4") ? FOREIGN
                                                                     : PICTURE;
    return *k != PICTURE || sn_ends_with(path, ".png");
}

static bool check_time(const render_options *o, kind k)
{
    char *end;
    const double time = strtod(o->time, &end);
    if (k != PICTURE)
        sn_complain(0, "--time is for a picture; a film shows all of them");
    else if (o->frame != UINT32_MAX)
        sn_complain(0, "--time and --frame both say which frame to show; give one of them");
    else if (end == o->time || *end || !isfinite(time) || time < 0)
        sn_complain(0, "--time: found '%s', expected seconds, 0 or more", o->time);
    else
        return true;
    return false;
}

static bool check_asked(job *j)
{
    const render_options *o = j->asked;
    const char *wrong = NULL, *what = "";
    j->kind = PICTURE;
    if (o->out && !read_kind(o->out, &j->kind))
        wrong = "--out: expected a name that ends with .png, .gif, .apng, .webm or .mp4, found ", what = o->out;
    j->width = j->kind == PICTURE ? 1280 : 640;
    j->height = j->kind == PICTURE ? 720 : 360;
    memcpy(j->from, (float[3]){0.36f, 0.33f, 0.9f}, sizeof j->from);
    if (o->size && !read_size(o->size, &j->width, &j->height))
        wrong = "--size: expected WIDTHxHEIGHT, each 16 to 8192, such as 1280x720, found ", what = o->size;
    else if (o->from && !read_direction(o->from, j->from))
        wrong = "--from: expected three numbers that are not all 0, such as 0.4,0.3,1, found ", what = o->from;
    else if (o->still && (j->kind == PICTURE || !sn_ends_with(o->still, ".png")))
        wrong = j->kind == PICTURE ? "--still goes with a film; --out film.gif makes one"
                                   : "--still: expected a name that ends with .png, found ",
        what = j->kind == PICTURE ? "" : o->still;
    else if (o->frame != UINT32_MAX && j->kind != PICTURE)
        wrong = "--frame is for a picture; a film shows all of them";
    else if (o->frame != UINT32_MAX && o->frames < o->frame)
        wrong = "--frame is a frame that is run; --frames says how many these are";
    else if (!sn_terminal_read(o->quiet && strcmp(o->show, "auto") == 0 ? "none" : o->show, &j->terminal))
        wrong = "--show: expected auto, kitty, iterm, sixel or none, found ", what = o->show;
    else if (o->every && j->kind == PICTURE)
        wrong = "--every is for a film; --out film.gif makes one";
    if (wrong)
        sn_complain(0, "%s%s", wrong, what);
    return !wrong && (!o->time || check_time(o, j->kind));
}

/* The frame that a picture shows. False, after a message, if there are fewer frames. */
static bool choose_frame(job *j, double rate)
{
    const render_options *o = j->asked;
    const double most = j->replay ? sn_replay_frames(j->replay) - 1 : o->frames;
    const double frame = o->time                  ? ceil(strtod(o->time, NULL) * rate * (1 - 1e-9))
                         : o->frame != UINT32_MAX ? o->frame
                                                  : j->frames;
    if (frame > most)
        return sn_complain(0, "%s: frame %.0f is asked for, and the last frame of %s is %.0f",
                           o->time ? "--time" : "--frame", frame, j->name, most),
               false;
    j->frame = (uint32_t)frame;
    return true;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

static void extend_bounds(const job *j, float low[3], float high[3])
{
    if (j->replay)
        sn_replay_bounds(j->replay, low, high);
    else
        sn_show_bounds(j->show, low, high);
}

static bool make_model(const job *j, sn_raster_model *model)
{
    return j->replay ? sn_replay_model(j->replay, j->size, model) : sn_show_model(j->show, j->size, model);
}

static double time_at(const job *j, uint32_t frame)
{
    return j->replay ? frame / sn_replay_rate(j->replay) : (double)sn_scene_time(j->scene);
}

/* Steps the scene to a frame, or reads it. Returns SN_EXIT_FINE, or an exit code. */
static int run_to(job *j, uint32_t *frame, uint32_t to)
{
    if (j->replay) {
        const int signal = sn_signals_came();
        if (signal)
            return SN_EXIT_SIGNAL + signal;
        *frame = to;
        return sn_replay_go_to(j->replay, to, j->message, MESSAGE) ? SN_EXIT_FINE
                                                                   : sn_complain(SN_EXIT_INPUT, "%s", j->message);
    }
    for (; *frame < to; ++*frame) {
        const int signal = sn_signals_came();
        if (signal)
            return SN_EXIT_SIGNAL + signal;
        const sn_result result = sn_scene_step(j->scene);
        if (result == SN_CANCELLED)
            return SN_EXIT_SIGNAL + sn_signals_came();
        if (result != SN_OK)
            return sn_complain(SN_EXIT_FAILED, "%s: frame %u failed: %s", j->name, (unsigned)*frame + 1,
                               sn_world_error(sn_scene_world(j->scene)));
    }
    return SN_EXIT_FINE;
}

static void look_at(job *j, const float given_low[3], const float given_high[3])
{
    float low[3], high[3], square = 0;
    for (int k = 0; k < 3; ++k) {
        const bool any = given_low[k] <= given_high[k];
        low[k] = any ? given_low[k] : -0.5f;
        high[k] = any ? given_high[k] : 0.5f;
        square += (high[k] - low[k]) * (high[k] - low[k]);
    }
    const bool point = square < 1e-8f;
    for (int k = 0; k < 3 && point; ++k) {
        low[k] -= 0.1f;
        high[k] += 0.1f;
    }
    j->size = point ? 0.3f : sqrtf(square);
    j->view = (sn_raster_view){.slope = tanf(16 * 3.14159265f / 180), .dark = j->asked->dark, .has_ground = true};
    float height = 0;
    const bool plane = j->replay ? sn_replay_ground(j->replay, &height) : sn_show_ground(j->show, &height);
    j->view.ground = plane ? height : low[1] - 0.03f * j->size;
    if (plane && height < low[1] && low[1] - height < 0.5f * j->size)
        low[1] = height;
    j->view.square = powf(10, floorf(log10f(j->size * 0.7f)));
    const bool flat = j->replay ? sn_replay_is_flat(j->replay) : sn_world_dimensions(sn_scene_world(j->scene)) == 2;
    const float front[3] = {0, 0.05f, 1};
    sn_raster_fit(&j->view, low, high, flat && !j->asked->from ? front : j->from, (float)j->width / (float)j->height);
}

/* Fits the view to a box and to static bodies near it. */
static void look_at_all(job *j, const float given_low[3], const float given_high[3])
{
    float low[3], high[3], most = 0;
    memcpy(low, given_low, sizeof low);
    memcpy(high, given_high, sizeof high);
    for (int k = 0; k < 3; ++k)
        most = fmaxf(most, high[k] - low[k]);
    if (j->replay)
        sn_replay_static_bounds(j->replay, 0.5f * most, low, high);
    else
        sn_show_static_bounds(j->show, 0.5f * most, low, high);
    look_at(j, low, high);
}

static void forget(job *j)
{
    for (uint32_t i = 0; i < j->keeps; ++i)
        sn_raster_model_release(&j->kept[i]);
    free(j->kept);
    j->kept = NULL;
    j->keeps = 0;
}

/* Keeps a model of the present frame. If all models are too large, they are discarded, and the scene is run again
   for drawing. */
static void keep(job *j, size_t *bytes)
{
    if (!j->kept)
        return;
    sn_raster_model *model = &j->kept[j->keeps++];
    const bool good = make_model(j, model);
    *bytes += model->triangle_room * sizeof *model->triangle + model->ball_room * sizeof *model->ball;
    if (!good || *bytes > MOST_KEPT)
        forget(j);
}

static int return_to_start(job *j, sn_scene_moment *start)
{
    uint32_t frame = 0;
    if (j->replay)
        return run_to(j, &frame, 0);
    if (sn_scene_return(j->scene, start) == SN_OK)
        return SN_EXIT_FINE;
    return sn_complain(SN_EXIT_FAILED, "%s: %s", j->name, sn_world_error(sn_scene_world(j->scene)));
}

/* For a film: runs the whole scene to find the view, keeping models of its frames; if they are too large, returns to
   the start. Things that fly far away are ignored: the view is at most three times the size at the start. */
static int look_ahead(job *j)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, all_low[3], all_high[3];
    sn_scene_moment *start = j->replay ? NULL : sn_scene_mark(j->scene);
    if (!start && !j->replay)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    extend_bounds(j, low, high);
    memcpy(all_low, low, sizeof low);
    memcpy(all_high, high, sizeof high);
    look_at_all(j, low, high); /* sets the thickness of lines */
    int code = SN_EXIT_FINE;
    size_t bytes = 0;
    j->kept = calloc((size_t)j->frames / j->every + 2, sizeof *j->kept);
    sn_progress_begin(&j->progress, j->name, j->frames, j->asked->quiet);
    keep(j, &bytes);
    for (uint32_t frame = 0; frame < j->frames && code == SN_EXIT_FINE;) {
        code = run_to(j, &frame, j->frames - frame > j->every ? frame + j->every : j->frames);
        extend_bounds(j, all_low, all_high);
        keep(j, &bytes);
        sn_progress_update(&j->progress, frame, time_at(j, frame));
    }
    sn_progress_clear(&j->progress);
    if (code == SN_EXIT_FINE && !j->kept)
        code = return_to_start(j, start);
    sn_scene_moment_destroy(start);
    float most = 0;
    for (int k = 0; k < 3; ++k)
        most = fmaxf(most, high[k] - low[k]);
    for (int k = 0; k < 3; ++k) {
        low[k] = fmaxf(all_low[k], low[k] - most);
        high[k] = fminf(all_high[k], high[k] + most);
    }
    const float size = j->size;
    look_at_all(j, low, high);
    j->size = size;
    return code;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* ffmpeg reads frames from a pipe. File names are quoted for the shell. */
static bool open_pipe(job *j)
{
    const size_t room = 5 * strlen(j->path) + 512;
    char *command = malloc(room), *name = malloc(5 * strlen(j->path) + 8), *to = name;
    if (!command || !name) {
        free(command);
        free(name);
        return sn_complain(0, "out of memory"), false;
    }
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        free(command);
        free(name);
        sn_complain(0,
                    "%s: a film of this kind needs ffmpeg, which is not here (Debian: apt-get install ffmpeg); names "
                    "that end with .gif or .apng need nothing",
                    j->path);
        return false;
    }
    *to++ = '\'';
    for (const char *c = j->path; *c; ++c)
        if (*c == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *c;
        }
    memcpy(to, "'", 2);
    const char *how = sn_ends_with(j->path, ".mp4") ? "-c:v libx264 -crf 20 -pix_fmt yuv420p -movflags +faststart"
                                                    : "-c:v libvpx-vp9 -crf 30 -b:v 0 -pix_fmt yuv420p";
    snprintf(command, room, "ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -s %ux%u -r %u -i - %s -- file:%s",
             (unsigned)j->width, (unsigned)j->height, (unsigned)j->rate, how, name);
    j->pipe = popen(command, "w");
    if (!j->pipe)
        sn_complain(0, "%s: ffmpeg could not be started", j->path);
    free(command);
    free(name);
    return j->pipe != NULL;
}

static bool open_file(job *j)
{
    if (j->kind == FOREIGN)
        return open_pipe(j);
    const bool good = j->kind == GIF ? sn_gif_open(&j->gif, j->path, j->width, j->height, j->rate, j->message, MESSAGE)
                                     : sn_png_open(&j->png, j->path, j->width, j->height, j->kind == FILM ? j->rate : 0,
                                                   j->message, MESSAGE);
    if (!good)
        sn_complain(0, "%s", j->message);
    return good;
}

static bool write_frame(job *j, const unsigned char *rgb)
{
    const size_t count = 3 * (size_t)j->width * j->height;
    const bool good = j->pipe          ? fwrite(rgb, 1, count, j->pipe) == count
                      : j->kind == GIF ? sn_gif_frame(&j->gif, rgb, j->message, MESSAGE)
                                       : sn_png_frame(&j->png, rgb, j->message, MESSAGE);
    if (!good)
        sn_complain(0, "%s", j->pipe ? "ffmpeg did not take the film" : j->message);
    return good;
}

static bool close_file(job *j, bool good)
{
    if (j->pipe) {
        const bool done = pclose(j->pipe) == 0;
        j->pipe = NULL;
        if (!done && good)
            sn_complain(0, "%s: ffmpeg could not write it", j->path);
        return done && good;
    }
    const bool closed =
        j->kind == GIF ? sn_gif_close(&j->gif, j->message, MESSAGE) : sn_png_close(&j->png, j->message, MESSAGE);
    if (!closed)
        sn_complain(0, "%s", j->message);
    return closed && good;
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

static int draw_frame(job *j)
{
    if (j->kept) { /* the model of the previous frame is no longer needed */
        sn_raster_model_release(&j->model);
        j->model = j->kept[j->drawn];
        j->kept[j->drawn] = (sn_raster_model){0};
    } else if (!make_model(j, &j->model)) {
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    }
    ++j->drawn;
    j->rgb = sn_raster_draw(j->raster, &j->model, &j->view);
    return write_frame(j, j->rgb) ? SN_EXIT_FINE : SN_EXIT_OUTPUT;
}

static int draw_picture(job *j)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const uint32_t last = j->frame;
    int code = SN_EXIT_FINE;
    sn_progress_begin(&j->progress, j->name, last, j->asked->quiet);
    for (uint32_t frame = 0; frame < last && code == SN_EXIT_FINE;) {
        code = run_to(j, &frame, j->replay ? last : frame + 1);
        sn_progress_update(&j->progress, frame, time_at(j, frame));
    }
    sn_progress_clear(&j->progress);
    extend_bounds(j, low, high);
    look_at_all(j, low, high);
    return code == SN_EXIT_FINE ? draw_frame(j) : code;
}

static int draw_film(job *j)
{
    int code = look_ahead(j);
    if (j->kept) {
        sn_progress_begin(&j->progress, "drawing", j->keeps, j->asked->quiet);
        while (code == SN_EXIT_FINE && j->drawn < j->keeps) {
            code = sn_signals_came() ? SN_EXIT_SIGNAL + sn_signals_came() : draw_frame(j);
            sn_progress_update(&j->progress, j->drawn, (double)j->drawn / j->rate);
        }
        sn_progress_clear(&j->progress);
        return code;
    }
    sn_progress_begin(&j->progress, j->name, j->frames, j->asked->quiet);
    for (uint32_t frame = 0; code == SN_EXIT_FINE;) {
        code = draw_frame(j);
        sn_progress_update(&j->progress, frame, time_at(j, frame));
        if (frame == j->frames || code != SN_EXIT_FINE)
            break;
        code = run_to(j, &frame, j->frames - frame > j->every ? frame + j->every : j->frames);
    }
    sn_progress_clear(&j->progress);
    return code;
}

static int draw_all(job *j)
{
    if (!open_file(j))
        return SN_EXIT_OUTPUT;
    int code = j->kind == PICTURE ? draw_picture(j) : draw_film(j);
    if (!close_file(j, code == SN_EXIT_FINE) && code == SN_EXIT_FINE)
        code = SN_EXIT_OUTPUT;
    return code;
}

/* Shows a picture in the terminal. */
static int show_picture(const job *j, const char *path, const unsigned char *rgb, uint32_t width, uint32_t height)
{
    if (j->terminal == SN_TERMINAL_NONE)
        return SN_EXIT_FINE;
    FILE *file = fopen(path, "rb");
    long bytes = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char *png = bytes > 0 ? malloc((size_t)bytes) : NULL;
    const bool read = png && fseek(file, 0, SEEK_SET) == 0 && fread(png, 1, (size_t)bytes, file) == (size_t)bytes;
    int code = SN_EXIT_FINE;
    if (!read)
        code = sn_complain(SN_EXIT_OUTPUT, "%s: the picture cannot be read back", path);
    else if (!sn_terminal_show(stdout, j->terminal, png, (size_t)bytes, rgb, width, height))
        code = sn_complain_of_output();
    free(png);
    if (file)
        fclose(file);
    return code;
}

/* Draws the last frame of a film in the size of a picture. */
static int draw_still(job *j)
{
    const double scale = fmin((double)STILL_WIDTH / j->width, (double)MOST_PIXELS / j->height);
    const uint32_t width = (uint32_t)fmax(j->width * scale, 1), height = (uint32_t)fmax(j->height * scale, 1);
    sn_raster *raster = sn_raster_create(width, height);
    if (!raster)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    sn_png png;
    const unsigned char *rgb = sn_raster_draw(raster, &j->model, &j->view);
    int code = SN_EXIT_FINE;
    if (!sn_png_open(&png, j->asked->still, width, height, 0, j->message, MESSAGE))
        code = sn_complain(SN_EXIT_OUTPUT, "%s", j->message);
    else if (!sn_png_frame(&png, rgb, j->message, MESSAGE) || !sn_png_close(&png, j->message, MESSAGE))
        code = sn_complain(SN_EXIT_OUTPUT, "%s", j->message);
    else
        code = show_picture(j, j->asked->still, rgb, width, height);
    if (code == SN_EXIT_FINE && !j->asked->quiet)
        printf("%s: a picture of %ux%u\n", j->asked->still, (unsigned)width, (unsigned)height);
    sn_raster_destroy(raster);
    return code;
}

/* Runs the frames before the first frame of the scene. */
static int warm_up(job *j)
{
    int code = SN_EXIT_FINE;
    sn_signals_end_steps(j->scene);
    for (uint32_t i = sn_scene_describe(j->scene).warm_up; i && code == SN_EXIT_FINE; --i) {
        uint32_t frame = 0;
        code = run_to(j, &frame, 1);
    }
    return code;
}

static int render(job *j)
{
    sn_signals_catch();
    sn_signals_ignore_pipe();
    int code = j->scene ? warm_up(j) : SN_EXIT_FINE;
    if (code != SN_EXIT_FINE)
        return code;
    j->show = j->scene ? sn_show_create(j->scene) : NULL;
    j->raster = sn_raster_create(j->width, j->height);
    code = (j->show || j->replay) && j->raster ? draw_all(j) : sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE && j->kind == PICTURE)
        code = show_picture(j, j->path, j->rgb, j->width, j->height);
    else if (code == SN_EXIT_FINE && j->asked->still)
        code = draw_still(j);
    if (code == SN_EXIT_FINE && !j->asked->quiet)
        printf("%s: %s of %ux%u, %u frame%s\n", j->path, j->kind == PICTURE ? "a picture" : "a film",
               (unsigned)j->width, (unsigned)j->height, (unsigned)j->drawn, j->drawn == 1 ? "" : "s");
    forget(j);
    sn_raster_destroy(j->raster);
    sn_raster_model_release(&j->model);
    sn_show_destroy(j->show);
    return code;
}

/* Chooses the path of the picture and the frame rate of a film, then draws. */
static int render_as(job *j, const char *name, uint32_t frames, double rate)
{
    const render_options *o = j->asked;
    const size_t length = o->out ? strlen(o->out) : strlen(name) + 4;
    j->name = name;
    j->frames = frames;
    j->every = o->every ? o->every : rate > 30 ? (uint32_t)(rate / 20 + 0.5) : 1;
    j->rate = (uint32_t)fmax(fmin(rate / j->every + 0.5, 1000), 1);
    if (j->kind == GIF && j->rate > SN_GIF_MOST_RATE)
        return sn_complain(SN_EXIT_USAGE, "--every %u: a GIF shows at most %d frames a second, and these are %u",
                           (unsigned)j->every, SN_GIF_MOST_RATE, (unsigned)j->rate);
    if (!choose_frame(j, rate))
        return SN_EXIT_USAGE;
    j->path = malloc(length + 1);
    if (!j->path)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    snprintf(j->path, length + 1, "%s%s", o->out ? o->out : name, o->out ? "" : ".png");
    const int code = render(j);
    free(j->path);
    return code;
}

static bool is_replay(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (S_ISDIR(about.st_mode) || sn_ends_with(path, ".pc2"));
}

static int run_replay(job *j, const char *path)
{
    const render_options *o = j->asked;
    if (o->set.count)
        return sn_complain(SN_EXIT_USAGE, "--set changes a scene; %s has frames that were written already", path);
    j->replay = sn_replay_open(path, j->message, MESSAGE);
    if (!j->replay)
        return sn_complain(SN_EXIT_INPUT, "%s", j->message);
    const uint32_t last = sn_replay_frames(j->replay) - 1;
    const int code =
        render_as(j, sn_replay_name(j->replay), o->frames < last ? o->frames : last, sn_replay_rate(j->replay));
    sn_replay_destroy(j->replay);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    const render_options *o = given;
    job j = {.asked = o};
    if (!check_asked(&j))
        return SN_EXIT_USAGE;
    if (is_replay(operands->item[0]))
        return run_replay(&j, operands->item[0]);
    const sn_loading loading = {.scene = operands->item[0],
                                .sets = &o->set,
                                .memory = o->memory,
                                .threads = o->threads,
                                .read_anywhere = o->read_anywhere,
                                .quiet = o->quiet};
    sn_loaded loaded;
    char *file, *name = NULL;
    int code = sn_load(&loading, &loaded, &file);
    if (code == SN_EXIT_FINE && !(name = sn_path_stem(file)))
        code = sn_complain(SN_EXIT_FAILED, "out of memory");
    if (code == SN_EXIT_FINE) {
        const sn_scene_info info = sn_scene_describe(loaded.scene);
        j.scene = loaded.scene;
        code = render_as(&j, name, o->frames == UINT32_MAX ? info.frames : o->frames, (double)info.rate);
    }
    sn_loaded_release(&loaded);
    free(name);
    free(file);
    return code;
}

const sn_command sn_command_render = {.name = "render",
                                      .operands = "SCENE|FOLDER",
                                      .about = "Draws a picture or a film of a scene, or of the files of a run",
                                      .details = details,
                                      .least = 1,
                                      .most = 1,
                                      .options = options,
                                      .defaults = defaults,
                                      .run = run};
