/* Loading a scene from a file or a text: JSON, the folder from which the scene may read, and messages with line and
   column. Needs a reader of JSON, sn_json_read. */
#ifndef SN_SCENE_LOAD_H
#define SN_SCENE_LOAD_H

#include "scene/json.h"
#include "scene/scene.h"

typedef struct sn_load_options {
    sn_scene_options scene;  /* read_file is set by sn_scene_load, but not by sn_scene_load_text */
    bool read_anywhere;      /* the scene may name files outside of its folder; default false */
    uint32_t set_count;      /* changes to the document before it is built: "world.substeps=20" */
    const char *const *sets; /* the value is JSON; if it is not valid JSON, it is a text */
} sn_load_options;

sn_load_options sn_default_load_options(void);

/* The result of loading. Release it with sn_loaded_release whether loading succeeded or not. */
typedef struct sn_loaded {
    sn_scene *scene; /* NULL on failure */
    sn_document document;
    sn_problems problems;
    char *text; /* the file, for places in messages; NULL if it could not be read */
    size_t length;
    const char *path;             /* as given by the caller, not copied */
    struct sn_scene_files *files; /* the files that the scene may read; NULL if it is not from a file */
    void (*release_files)(struct sn_scene_files *files);
    sn_place syntax;            /* where the file stops being JSON; 0 if it is valid JSON */
    struct sn_applied_set *set; /* the changes that were made to it */
} sn_loaded;

/* path "-" is standard input; its folder is then the current one. False if there is no scene; the reasons are in
   problems. The file and each mesh that it names may have at most a quarter of options->scene.memory. */
bool sn_scene_load(const char *path, const sn_load_options *options, sn_loaded *loaded);

/* The files of the folder in which path lies, for a scene to read. NULL when memory runs out. */
struct sn_scene_files *sn_scene_files_open(const char *path, bool anywhere, sn_scene_options *options);
void sn_scene_files_release(struct sn_scene_files *files);

/* The i-th file that the scene read, as it names it; NULL beyond the last. */
const char *sn_loaded_file(const sn_loaded *loaded, uint32_t i);

/* The content of a file, under the rules for the scene's own reading: a plain file in its folder. Of malloc, with a
   zero after its end; NULL, with the reason in message. */
char *sn_loaded_read(const sn_loaded *loaded, const char *name, uint64_t most, size_t *length, char *message,
                     size_t size);

/* The same for a text, which is copied. name stands for the file in messages; it is not copied. */
bool sn_scene_load_text(const char *name, const char *text, size_t length, const sn_load_options *options,
                        sn_loaded *loaded);

/* The two steps of loading: sn_loaded_begin makes an empty result; sn_loaded_build then builds the scene of its
   text, which is of malloc and ends with a zero. */
void sn_loaded_begin(sn_loaded *loaded, const char *name, const sn_load_options *options);
bool sn_loaded_build(sn_loaded *loaded, const sn_load_options *options);

void sn_loaded_release(sn_loaded *loaded);

/* The place of a problem in the file; {0, 0} if it is unknown, or if the problem is in what a change put there.
   Problems are sorted by place; those without a place come first. */
sn_place sn_loaded_place(const sn_loaded *loaded, const sn_problem *problem);

/* The change, "world.substeps=0", that causes a problem; NULL if the cause is in the file. */
const char *sn_loaded_set(const sn_loaded *loaded, const sn_problem *problem);

/* sn_loaded_tell writes a problem as a line: "curtain.json:12:5: error: objects[2].pins[0]: found ..., expected
   ...", with a newline at its end. It returns the length, as snprintf does. sn_loaded_print prints the line. */
size_t sn_loaded_tell(const sn_loaded *loaded, const sn_problem *problem, char *text, size_t size);
void sn_loaded_print(const sn_loaded *loaded, const sn_problem *problem, FILE *file);

#endif
