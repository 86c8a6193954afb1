#include "scene/problems.h"
#include "scene/words.h"

#include <stdio.h>
#include <string.h>

void sn_problems_init(sn_problems *problems, const sn_allocator *allocator)
{
    *problems = (sn_problems){0};
    sn_arena_init(&problems->arena, allocator);
}

void sn_problems_release(sn_problems *problems)
{
    sn_arena_release(&problems->arena);
    problems->first = problems->last = NULL;
    problems->errors = problems->warnings = 0;
    problems->out_of_memory = false;
}

/* Texts of the document appear in messages, whole or cut. Incomplete characters, and those that would control a
   terminal, become question marks. */
static void tidy(char *text)
{
    for (size_t length; *text; text += length) {
        length = sn_utf8_length(text, strlen(text));
        if (length == 0 || (unsigned char)*text < ' ' || *text == 127) {
            *text = '?';
            length = 1;
        }
    }
}

void sn_problems_add_list(sn_problems *problems, sn_severity severity, const char *path, bool at_key,
                          const char *format, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    tidy(text);
    const sn_problem *last = problems->last; /* an item that is repeated would report the same mistake again */
    if (last && last->severity == severity && strcmp(last->path, path) == 0 && strcmp(last->text, text) == 0)
        return;
    uint32_t *count = severity == SN_PROBLEM_ERROR ? &problems->errors : &problems->warnings;
    if (severity != SN_PROBLEM_NOTE && ++*count > SN_MOST_PROBLEMS)
        return;
    sn_problem *problem = sn_arena_take(&problems->arena, 1, sizeof *problem);
    char *path_copy = sn_arena_copy(&problems->arena, path, strlen(path));
    char *text_copy = sn_arena_copy(&problems->arena, text, strlen(text));
    if (!problem || !path_copy || !text_copy) {
        problems->out_of_memory = true;
        return;
    }
    *problem = (sn_problem){.severity = severity, .path = path_copy, .text = text_copy, .at_key = at_key};
    if (problems->last)
        problems->last->next = problem;
    else
        problems->first = problem;
    problems->last = problem;
}

void sn_problems_add(sn_problems *problems, sn_severity severity, const char *path, bool at_key, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    sn_problems_add_list(problems, severity, path, at_key, format, arguments);
    va_end(arguments);
}
