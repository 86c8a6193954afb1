/* Options of a command: one table from which they are read and from which its help is printed. */
#ifndef SN_CLI_OPTIONS_H
#define SN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sn_option_type {
    SN_OPTION_FLAG,    /* bool */
    SN_OPTION_COUNT,   /* uint32_t: a whole number, `least` or more */
    SN_OPTION_SIZE,    /* uint64_t: bytes; 512M and 4G are accepted */
    SN_OPTION_TEXT,    /* const char * */
    SN_OPTION_TEXTS,   /* sn_texts: may be given several times */
    SN_OPTION_PICTURE, /* const char *: an optional file name, "" if left out. It follows as --plot=FILE, or as the
                          next word if that ends with .svg or .png, which no scene does */
    SN_OPTION_HELP     /* prints the help of the command; bool */
} sn_option_type;

typedef struct sn_option {
    const char *name; /* --name; NULL ends the table */
    char letter;      /* -l; 0: none */
    sn_option_type type;
    size_t offset;     /* in the struct that the options fill */
    uint32_t least;    /* of a count */
    const char *value; /* the name of its value in the help; NULL for a flag */
    const char *about;
} sn_option;

/* The last entries of every table. OPTIONS is the struct, with a field `bool help`. */
#define SN_OPTION_END(OPTIONS)                                                                                         \
    {"help", 'h', SN_OPTION_HELP, offsetof(OPTIONS, help), 0, NULL, "print this help"},                                \
    {                                                                                                                  \
        NULL, 0, SN_OPTION_FLAG, 0, 0, NULL, NULL                                                                      \
    }

typedef struct sn_texts {
    uint32_t count;
    const char **item;
} sn_texts;

/* A command of `sinew`. */
typedef struct sn_command {
    const char *name;
    const char *operands; /* "SCENE", "[SCENE...]" */
    const char *about;    /* one line, without a full stop */
    const char *details;  /* paragraphs after the options, in lines that fit a terminal. May be NULL */
    uint32_t least, most; /* operands */
    const sn_option *options;
    void (*defaults)(void *options); /* of a zeroed struct; may be NULL */
    int (*run)(const void *options, const sn_texts *operands);
} sn_command;

/* Room for the options of any command. */
#define SN_OPTIONS_BYTES 512

/* Reads the words after the command's name into options (zeroed, then set to defaults) and operands. False, after a
   message, if they are wrong. sn_options_release frees the memory, also after a failure. */
bool sn_options_read(const sn_command *command, int argc, char **argv, void *options, sn_texts *operands);
bool sn_options_want_help(const sn_command *command, const void *options);
void sn_options_release(const sn_command *command, void *options, sn_texts *operands);

/* Prints the help of a command. */
void sn_command_help(const sn_command *command, FILE *file);

/* Reads "4G", "512M", "100000": bytes. False if the text is no size or exceeds 64 bits. */
bool sn_size_read(const char *text, uint64_t *bytes);

#endif
