/* What the commands of `sinew` share. */
#ifndef SN_CLI_CLI_H
#define SN_CLI_CLI_H

#include "cli/options.h"
#include "scene/load.h"

/* How the program ends. These are documented in the help, in sinew.1 and in docs/command.md. */
enum {
    SN_EXIT_FINE = 0,
    SN_EXIT_FAILED = 1,  /* it failed: the world diverged, memory ran out */
    SN_EXIT_USAGE = 2,   /* the command line is wrong */
    SN_EXIT_INPUT = 3,   /* a scene or another input file is wrong or cannot be read */
    SN_EXIT_OUTPUT = 4,  /* something could not be written */
    SN_EXIT_SIGNAL = 128 /* plus the number of the signal that stopped it: 130 for Ctrl-C, 143 for SIGTERM */
};

/* ---- The commands (commands.c) ----------------------------------------------------------------------------------- */

const sn_command *sn_command_at(uint32_t i); /* NULL beyond the last */
const sn_command *sn_command_find(const char *name);
int sn_command_unknown(const char *typed); /* says so, and which may have been meant; SN_EXIT_USAGE */
void sn_help_print(FILE *file);            /* the help of the whole program */

extern const sn_command sn_command_run, sn_command_check, sn_command_list, sn_command_info, sn_command_plot,
    sn_command_bench, sn_command_compare, sn_command_view, sn_command_render, sn_command_draw, sn_command_schema,
    sn_command_help_command;

/* Prints the reference of scene files in Markdown (reference.c). False when memory runs out. */
bool sn_reference_print(FILE *file);

/* ---- Messages (message.c) ---------------------------------------------------------------------------------------- */

#ifdef __GNUC__
#define SN_PRINTS(FORMAT, REST) __attribute__((format(printf, FORMAT, REST)))
#else
#define SN_PRINTS(FORMAT, REST)
#endif

/* Prints "sinew: ..." to standard error and returns code, so that callers can return it. */
int sn_complain(int code, const char *format, ...) SN_PRINTS(2, 3);

/* Says that standard output cannot be written, by errno, but not of a pipe whose reader is gone: `sinew list | head -n 1` is no
   mistake. SN_EXIT_OUTPUT in either case. */
int sn_complain_of_output(void);

/* Whether a stream is a terminal that can move its cursor, and whether colour is welcome there (NO_COLOR, TERM). */
bool sn_is_terminal(FILE *file);
bool sn_is_colourful(FILE *file);

/* Seconds of a clock that only goes forwards. */
double sn_seconds_now(void);

/* Seconds that this process has computed so far. */
double sn_cpu_seconds(void);

/* "1.5 MB", "3:05" and the like, for people. Written to text. */
const char *sn_bytes_text(double bytes, char *text, size_t size);
const char *sn_time_text(double seconds, char *text, size_t size);

/* Prints words from the present column on in lines of at most width columns, and ends the line. */
void sn_print_wrapped(FILE *file, const char *text, int column, int width);

/* ---- Records for programs (say.c) -----------------------------------------------------------------------------------
   With --json every line of standard output is an object. */

/* Starts a document with a record {"event": name} as its root. */
sn_value *sn_say_begin(sn_document *document, const char *name);

/* Writes it as a line, at once, and releases it. False, after a message, if that fails. */
bool sn_say_end(sn_document *document);

/* A problem of a scene as an event. loaded may be NULL: the problem has no place then. */
bool sn_say_problem(const sn_loaded *loaded, const sn_problem *problem);

/* A list of three numbers in a record. */
void sn_say_vector(sn_document *document, sn_value *record, const char *key, const double vector[3]);

/* ---- Scenes by name (find_scene.c) ------------------------------------------------------------------------------- */

/* The folders in which scenes that come with Sinew are looked for, first to last: the ones in SINEW_SCENES, the
   program's ../share/sinew/scenes, and where they lay when it was built. NULL beyond the last or when memory runs
   out; free it. */
char *sn_scene_folder(uint32_t i);

/* The file of a scene: a file, "-", or the bare name of a scene that comes with Sinew. NULL, after a message, if
   there is none of it; free it. */
char *sn_find_scene(const char *name);

/* The scenes of all folders, by name, each name once; subfolder "" or "bench". False when memory runs out. Free with
   sn_scene_names_release. */
typedef struct sn_scene_names {
    uint32_t count;
    char **name; /* without .json, with the subfolder: "curtain", "bench/rope_1000" */
    char **path;
} sn_scene_names;

bool sn_scene_names_find(const char *subfolder, sn_scene_names *names);
void sn_scene_names_release(sn_scene_names *names);

/* A file that comes with Sinew, by its path in share/sinew or, in a build tree, in the folder of that name in the
   sources. NULL if it is not there; free it. */
char *sn_find_shared(const char *installed, const char *in_sources);

/* ---- Files (files.c) --------------------------------------------------------------------------------------------- */

/* The content of a file, with a zero behind it. NULL, after a message, if it cannot be read, is a folder or a device or has
   more than `most` bytes; plain: also if it is no plain file. Free it. */
char *sn_read_whole(const char *path, bool plain, uint64_t most, size_t *length);

bool sn_ends_with(const char *text, const char *end);

/* folder/name, allocated; NULL when memory runs out. */
char *sn_path_join(const char *folder, const char *name);

/* The last part of a path without its last ending: "curtain" of "scenes/curtain.json". Allocated. */
char *sn_path_stem(const char *path);

/* Writes a value to a file as JSON. It appears there whole or not at all. False, after a message. */
bool sn_write_json_file(const char *path, const sn_value *value);

/* ---- Loading (loading.c) ----------------------------------------------------------------------------------------- */

typedef struct sn_loading {
    const char *scene;    /* as typed */
    const sn_texts *sets; /* may be NULL */
    uint64_t memory;      /* 0: the default */
    uint32_t threads;     /* of the world; 0: one for each core */
    bool read_anywhere;
    bool json;                     /* problems as events on standard output, else as text on standard error */
    bool quiet;                    /* no notes */
    const sn_allocator *allocator; /* may be NULL */
} sn_loading;

/* Finds and loads a scene and prints its problems. *path is the file (free it). SN_EXIT_FINE, or the code to end
   with, after messages. Release loaded with sn_loaded_release in either case. */
int sn_load(const sn_loading *loading, sn_loaded *loaded, char **path);

/* ---- Interruption (signals.c) ------------------------------------------------------------------------------------ */

/* From now on Ctrl-C, SIGTERM and SIGHUP only take note, the first time; the second time they end the program at
   once. */
void sn_signals_catch(void);

/* The signal that came, or 0. */
int sn_signals_came(void);

/* From now on a step of the scene ends with SN_CANCELLED if a signal comes meanwhile: it is then not taken. */
void sn_signals_end_steps(sn_scene *scene);

/* A pipe whose reader is gone is an error of the write rather than the end of the program. */
void sn_signals_ignore_pipe(void);

#endif
