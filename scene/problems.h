/* Problems of a document: a list of errors, warnings and notes, each with the path of the value that it is about. */
#ifndef SN_SCENE_PROBLEMS_H
#define SN_SCENE_PROBLEMS_H

#include "scene/arena.h"

#include <stdarg.h>

typedef enum sn_severity { SN_PROBLEM_ERROR, SN_PROBLEM_WARNING, SN_PROBLEM_NOTE } sn_severity;

typedef struct sn_problem {
    sn_severity severity;
    const char *path; /* objects[2].pins[0]; "" is the whole document */
    const char *text; /* what was found and what was expected */
    bool at_key;      /* the problem is about the last key of the path, not about its value */
    struct sn_problem *next;
    uint32_t line, column; /* in the file, once sn_loaded_place has found it */
} sn_problem;

/* After this many errors no more are stored; they are still counted. */
#define SN_MOST_PROBLEMS 50

typedef struct sn_problems {
    sn_arena arena;
    sn_problem *first, *last;
    uint32_t errors;
    uint32_t warnings;
    bool out_of_memory; /* a problem could not be stored */
} sn_problems;

void sn_problems_init(sn_problems *problems, const sn_allocator *allocator);
void sn_problems_release(sn_problems *problems);

/* Adds a problem, unless it is the same as the last one. path and text are copied. */
void sn_problems_add(sn_problems *problems, sn_severity severity, const char *path, bool at_key, const char *format,
                     ...)
#ifdef __GNUC__
    __attribute__((format(printf, 5, 6)))
#endif
    ;
void sn_problems_add_list(sn_problems *problems, sn_severity severity, const char *path, bool at_key,
                          const char *format, va_list arguments);

#endif
