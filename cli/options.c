#include "cli/options.h"
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 24

static uint32_t count_options(const sn_command *command)
{
    uint32_t count = 0;
    while (command->options[count].name)
        ++count;
    return count;
}

static void *field(const sn_option *option, void *options)
{
    return (char *)options + option->offset;
}

static int usage(const sn_command *command)
{
    return sn_complain(SN_EXIT_USAGE, "'sinew help %s' shows how it is used", command->name);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

bool sn_size_read(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0)
        return false;
    unsigned shift = 0;
    const char *unit = *end ? strchr(units, *end >= 'a' && *end <= 'z' ? *end - 'a' + 'A' : *end) : NULL;
    if (unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        ++end;
    }
    if (unit && *end == 'i')
        ++end;
    if (*end == 'B')
        ++end;
    if (*end != 0 || number > UINT64_MAX >> shift)
        return false;
    *bytes = (uint64_t)number << shift;
    return true;
}

static bool read_count(const char *text, uint32_t least, uint32_t *count)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || errno != 0 || *end != 0 || number > UINT32_MAX || number < least)
        return false;
    *count = (uint32_t)number;
    return true;
}

static bool read_value(const sn_option *option, const char *value, void *options)
{
    void *out = field(option, options);
    switch (option->type) {
    case SN_OPTION_FLAG:
    case SN_OPTION_HELP:
        *(bool *)out = true;
        return true;
    case SN_OPTION_COUNT:
        if (read_count(value, option->least, out))
            return true;
        sn_complain(0, "--%s: found '%s', expected a whole number, %u or more", option->name, value,
                    (unsigned)option->least);
        return false;
    case SN_OPTION_SIZE:
        if (sn_size_read(value, out) && *(const uint64_t *)out > 0)
            return true;
        sn_complain(0, "--%s: found '%s', expected a number of bytes, such as 512M or 4G", option->name, value);
        return false;
    case SN_OPTION_TEXT:
        if (value[0] == 0) {
            sn_complain(0, "--%s: found nothing, expected %s", option->name, option->value);
            return false;
        }
        *(const char **)out = value;
        return true;
    case SN_OPTION_TEXTS: {
        sn_texts *texts = out;
        texts->item[texts->count++] = value;
        return true;
    }
    case SN_OPTION_PICTURE:
        *(const char **)out = value ? value : "";
        return true;
    }
    return false;
}

/* ---- Reading the command line ------------------------------------------------------------------------------------ */

static bool refuse_unknown(const sn_command *command, const char *word)
{
    const char *names[MOST_OPTIONS];
    uint32_t count = count_options(command);
    for (uint32_t i = 0; i < count; ++i)
        names[i] = command->options[i].name;
    char typed[64] = "";
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    const char *name = typed[0] == '-' && typed[1] == '-' ? typed + 2 : NULL;
    const char *near = name ? sn_nearest(name, names, count) : NULL;
    if (near)
        sn_complain(0, "%s has no option '%s'; did you mean '--%s'?", command->name, typed, near);
    else
        sn_complain(0, "%s has no option '%s'", command->name, typed);
    usage(command);
    return false;
}

/* The tables for getopt_long: the long names, and the letters. "-:" makes it return operands in their order and
   distinguish a missing value from an unknown option. */
static void make_tables(const sn_command *command, struct option *long_options, char *letters)
{
    *letters++ = '-';
    *letters++ = ':';
    uint32_t count = count_options(command);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_option *o = &command->options[i];
        bool flag = o->type == SN_OPTION_FLAG || o->type == SN_OPTION_HELP;
        int argument = flag ? no_argument : o->type == SN_OPTION_PICTURE ? optional_argument : required_argument;
        long_options[i] = (struct option){o->name, argument, NULL, 256 + (int)i};
        if (o->letter) {
            *letters++ = o->letter;
            if (argument == required_argument)
                *letters++ = ':';
        }
    }
    long_options[count] = (struct option){NULL, 0, NULL, 0};
    *letters = 0;
}

static const sn_option *find_option(const sn_command *command, int code)
{
    if (code >= 256)
        return &command->options[code - 256];
    for (const sn_option *o = command->options; o->name; ++o)
        if (o->letter && o->letter == code)
            return o;
    return NULL;
}

static bool looks_like_picture(const char *word)
{
    return word && word[0] != '-' && (sn_ends_with(word, ".svg") || sn_ends_with(word, ".png"));
}

/* Stores an option or operand that getopt_long returned. */
static bool take(const sn_command *command, int code, int argc, char **argv, void *options, sn_texts *operands)
{
    if (code == 1) {
        operands->item[operands->count++] = optarg;
        return true;
    }
    if (code == ':') {
        const sn_option *option = find_option(command, optopt);
        sn_complain(0, "--%s needs a value: %s", option ? option->name : "?", option ? option->value : "?");
        return false;
    }
    if (code == '?' && optopt >= 256) {
        sn_complain(0, "--%s takes no value", command->options[optopt - 256].name);
        return false;
    }
    const sn_option *option = code == '?' ? NULL : find_option(command, code);
    if (!option) {
        char letter[] = {'-', (char)optopt, 0}; /* it may be in the middle of a word */
        return refuse_unknown(command, optopt > 0 ? letter : argv[optind - 1]);
    }
    const char *value = optarg;
    if (option->type == SN_OPTION_PICTURE && !value && optind < argc && looks_like_picture(argv[optind]))
        value = argv[optind++];
    return read_value(option, value, options);
}

bool sn_options_want_help(const sn_command *command, const void *options)
{
    for (const sn_option *o = command->options; o->name; ++o)
        if (o->type == SN_OPTION_HELP && *(const bool *)((const char *)options + o->offset))
            return true;
    return false;
}

static bool check_operands(const sn_command *command, const sn_texts *operands)
{
    if (operands->count < command->least) {
        sn_complain(0, "%s: expected %s", command->name, command->operands);
    } else if (operands->count > command->most) {
        sn_complain(0, "%s: '%s' is one word too many", command->name, operands->item[command->most]);
    } else {
        return true;
    }
    usage(command);
    return false;
}

/* Allocates as many texts as there are words for each place that takes texts. */
static bool take_room(const sn_command *command, int argc, void *options, sn_texts *operands)
{
    size_t words = (size_t)argc + 1;
    operands->item = calloc(words, sizeof *operands->item);
    bool good = operands->item != NULL;
    for (const sn_option *o = command->options; o->name; ++o)
        if (o->type == SN_OPTION_TEXTS) {
            sn_texts *texts = field(o, options);
            texts->item = calloc(words, sizeof *texts->item);
            good = good && texts->item;
        }
    if (!good)
        sn_complain(0, "out of memory");
    return good;
}

bool sn_options_read(const sn_command *command, int argc, char **argv, void *options, sn_texts *operands)
{
    struct option long_options[MOST_OPTIONS + 1];
    char letters[2 * MOST_OPTIONS + 3];
    memset(options, 0, SN_OPTIONS_BYTES);
    *operands = (sn_texts){0, NULL};
    if (command->defaults)
        command->defaults(options);
    if (!take_room(command, argc, options, operands))
        return false;
    make_tables(command, long_options, letters);
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, letters, long_options, NULL)) != -1;)
        if (!take(command, code, argc, argv, options, operands))
            return false;
    while (optind < argc)
        operands->item[operands->count++] = argv[optind++];
    return sn_options_want_help(command, options) || check_operands(command, operands);
}

void sn_options_release(const sn_command *command, void *options, sn_texts *operands)
{
    free(operands->item);
    for (const sn_option *o = command->options; o->name; ++o)
        if (o->type == SN_OPTION_TEXTS)
            free(((sn_texts *)field(o, options))->item);
}

/* ---- Help -------------------------------------------------------------------------------------------------------- */

static void print_option(FILE *file, const sn_option *o)
{
    enum { COLUMN = 26 };
    char name[64];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    bool optional = o->type == SN_OPTION_PICTURE;
    snprintf(name, sizeof name, "  %s--%s%s%s%s", letter, o->name,
             optional   ? "[="
             : o->value ? " "
                        : "",
             o->value ? o->value : "", optional ? "]" : "");
    int width = (int)strlen(name);
    fprintf(file, "%s", name);
    if (width + 2 > COLUMN) {
        fputc('\n', file);
        width = 0;
    }
    fprintf(file, "%*s", COLUMN - width, "");
    sn_print_wrapped(file, o->about, COLUMN, 79);
}

void sn_command_help(const sn_command *command, FILE *file)
{
    fprintf(file, "usage: sinew %s [OPTIONS]%s%s\n\n", command->name, command->operands[0] ? " " : "",
            command->operands);
    fprintf(file, "%s.\n\nOptions:\n", command->about);
    for (const sn_option *o = command->options; o->name; ++o)
        print_option(file, o);
    if (command->details)
        fprintf(file, "\n%s", command->details);
}
