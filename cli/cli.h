/* Shared by the commands of `sinew`. */
#ifndef SN_CLI_CLI_H
#define SN_CLI_CLI_H

#include "cli/options.h"
#include "scene/load.h"

/* Exit codes. They are documented in the help, in sinew.1 and in docs/command.md. */
enum {
    SN_EXIT_FINE = 0,
    SN_EXIT_FAILED = 1,  /* the run failed: the world diverged, memory ran out */
    SN_EXIT_USAGE = 2,   /* the command line is wrong */
    SN_EXIT_INPUT = 3,   /* a scene or another input file is wrong or cannot be read */
    SN_EXIT_OUTPUT = 4,  /* something could not be written */
    SN_EXIT_SIGNAL = 128 /* plus the number of the signal that stopped it: 130 for Ctrl-C, 143 for SIGTERM */
};

/* ---- The commands (commands.c) ----------------------------------------------------------------------------------- */

const sn_command *sn_command_at(uint32_t i); /* NULL beyond the last */
const sn_command *sn_command_find(const char *name);
int sn_command_unknown(const char *typed); /* says so, with a similar name if there is one; returns SN_EXIT_USAGE */
void sn_help_print(FILE *file);            /* the help of the whole program */

extern const sn_command sn_command_run, sn_command_check, sn_command_list, sn_command_info, sn_command_plot,
    sn_command_bench, sn_command_compare, sn_command_sweep, sn_command_view, sn_command_render, sn_command_draw,
    sn_command_schema, sn_command_help_command;

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

/* Reports that standard output cannot be written, with the reason of errno. A pipe whose reader has ended is not
   reported: `sinew list | head -n 1` is no mistake. Returns SN_EXIT_OUTPUT in either case. */
int sn_complain_of_output(void);

/* Whether a stream is a terminal that can move its cursor, and whether it may show colour (NO_COLOR, TERM). */
bool sn_is_terminal(FILE *file);
bool sn_is_colourful(FILE *file);

/* Seconds of a monotonic clock. */
double sn_seconds_now(void);

/* CPU time of this process so far, s. */
double sn_cpu_seconds(void);

/* Format "1.5 MB", "3:05" and the like. Written to text. */
const char *sn_bytes_text(double bytes, char *text, size_t size);
const char *sn_time_text(double seconds, char *text, size_t size);

/* Prints a text from the present column on, wrapped to lines of at most width columns, and ends the line. */
void sn_print_wrapped(FILE *file, const char *text, int column, int width);

/* ---- JSON output (say.c) --------------------------------------------------------------------------------------------
   With -json every line of standard output is an object. */

/* Starts a document with a record {"event": name} as its root. */
sn_value *sn_say_begin(sn_document *document, const char *name);

/* Writes it as a line, flushes, and releases it. False, after a message, on failure. */
bool sn_say_end(sn_document *document);

/* Writes a problem of a scene as an event. loaded may be NULL: the problem then has no place. */
bool sn_say_problem(const sn_loaded *loaded, const sn_problem *problem);

/* Adds a list of three numbers to a record. */
void sn_say_vector(sn_document *document, sn_value *record, const char *key, const double vector[3]);

/* ---- Scenes by name (find_scene.c) ------------------------------------------------------------------------------- */

/* The folders with scenes of Sinew, in the order of search: those in SINEW_SCENES, the program's
   ../share/sinew/scenes, and the folder in the sources from which it was built. NULL beyond the last or when memory
   runs out; free it. */
char *sn_scene_folder(uint32_t i);

/* The path of a scene: a file, "-", or the bare name of a scene that comes with Sinew. NULL, after a message, if
   there is no such scene; free it. */
char *sn_find_scene(const char *name);

/* The scenes of all folders, sorted by name, each name once; subfolder "" or "bench". False when memory runs out.
   Free with sn_scene_names_release. */
typedef struct sn_scene_names {
    uint32_t count;
    char **name; /* without .json, with the subfolder: "curtain", "bench/rope_1000" */
    char **path;
} sn_scene_names;

bool sn_scene_names_find(const char *subfolder, sn_scene_names *names);
void sn_scene_names_release(sn_scene_names *names);

/* The path of a file that comes with Sinew, from its path in share/sinew or, in a build tree, in the folder of that
   name in the sources. NULL if it does not exist; free it. */
char *sn_find_shared(const char *installed, const char *in_sources);

/* ---- Files (files.c) --------------------------------------------------------------------------------------------- */

/* The content of a file, with a zero after its end. NULL, after a message, if it cannot be read, is a folder or a
   device or has more than `most` bytes; with plain, also if it is no plain file. Free it. */
char *sn_read_whole(const char *path, bool plain, uint64_t most, size_t *length);

bool sn_ends_with(const char *text, const char *end);

/* folder/name, allocated; NULL when memory runs out. */
char *sn_path_join(const char *folder, const char *name);

/* The last part of a path without its last ending: "curtain" of "scenes/curtain.json". Allocated. */
char *sn_path_stem(const char *path);

/* Writes a value to a file as JSON. The file is replaced completely or not at all. False, after a message. */
bool sn_write_json_file(const char *path, const sn_value *value);

/* ---- Loading (loading.c) ----------------------------------------------------------------------------------------- */

typedef struct sn_loading {
    const char *scene;    /* as typed */
    const sn_texts *sets; /* may be NULL */
    uint64_t memory;      /* 0: the default */
    uint32_t threads;     /* of the world; 0: one per core */
    bool read_anywhere;
    bool json;                     /* problems as events on standard output, else as text on standard error */
    bool quiet;                    /* print no notes */
    const sn_allocator *allocator; /* may be NULL */
} sn_loading;

/* Finds and loads a scene and prints its problems. *path is the file (free it). Returns SN_EXIT_FINE, or, after
   messages, the exit code. Release loaded with sn_loaded_release in either case. */
int sn_load(const sn_loading *loading, sn_loaded *loaded, char **path);

/* ---- Interruption (signals.c) ------------------------------------------------------------------------------------ */

/* From now on the first Ctrl-C, SIGTERM or SIGHUP is only stored; the second one ends the program at once. */
void sn_signals_catch(void);

/* The signal that was received, or 0. */
int sn_signals_came(void);

/* From now on a signal during a step of the scene cancels the step: SN_CANCELLED. */
void sn_signals_end_steps(sn_scene *scene);

/* From now on writing to a pipe whose reader has ended is an error of the write and does not end the program. */
void sn_signals_ignore_pipe(void);

#endif
