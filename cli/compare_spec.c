/* Reads lists of solvers with their settings: the argument of `sinew compare --solvers`. */
#include "cli/compare.h"
#include "scene/record.h"
#include "scene/tables.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* The end of a piece of a list: the first of the separators outside of brackets and quotes. A + or : separates only
   before a letter, so that 1e+5 is a number. */
static const char *piece_end(const char *at, const char *separators)
{
    int depth = 0;
    bool quoted = false;
    for (; *at; ++at) {
        if (quoted && *at == '\\' && at[1])
            ++at;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && strchr("[{", *at))
            ++depth;
        else if (!quoted && strchr("]}", *at))
            --depth;
        else if (!quoted && depth <= 0 && strchr(separators, *at) && (*at == ',' || isalpha((unsigned char)at[1])))
            break;
    }
    return at;
}

static char *copy(const char *text, size_t length)
{
    char *made = malloc(length + 1);
    if (made) {
        memcpy(made, text, length);
        made[length] = 0;
    }
    return made;
}

/* ---- Settings of the world --------------------------------------------------------------------------------------- */

/* The setting that has a choice of this name, other than "solver". */
static const sn_key *key_of_choice(const char *word)
{
    for (const sn_key *key = sn_world_record.keys; key->name; ++key) {
        const sn_choices *choices = key->of;
        if (key->type != SN_KEY_CHOICE || choices == &sn_solver_choices)
            continue;
        for (uint32_t i = 0; i < choices->count; ++i)
            if (strcmp(choices->name[i], word) == 0)
                return key;
    }
    return NULL;
}

static int complain_of_word(const char *word, const char *label)
{
    const char *names[64], *near;
    uint32_t count = 0;
    for (const sn_key *key = sn_world_record.keys; key->name; ++key) {
        const sn_choices *choices = key->of;
        if (key->type == SN_KEY_CHOICE && choices != &sn_solver_choices)
            for (uint32_t i = 0; i < choices->count && count < 64; ++i)
                names[count++] = choices->name[i];
    }
    near = sn_nearest(word, names, count);
    return sn_complain(SN_EXIT_USAGE, "--solvers: %s: no setting of the world has a choice '%s'%s%s%s", label, word,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int complain_of_solver(const char *word)
{
    char hint[96];
    sn_did_you_mean(word, sn_solver_choices.name, sn_solver_choices.count, hint, sizeof hint);
    return sn_complain(SN_EXIT_USAGE, "--solvers: there is no solver '%s'%s; 'sinew list solvers' shows them all", word,
                       hint);
}

static bool is_solver(const char *word)
{
    for (uint32_t i = 0; i < sn_solver_choices.count; ++i)
        if (strcmp(sn_solver_choices.name[i], word) == 0)
            return true;
    return false;
}

/* ---- One contestant ---------------------------------------------------------------------------------------------- */

/* Adds KEY=VALUE from two parts, or, with an empty key, PATH=VALUE as it is. */
static int add_set(sn_contestant *c, const char *key, const char *text)
{
    size_t size = strlen("world.") + strlen(key) + strlen(text) + 2;
    char **more = realloc(c->set, (c->set_count + 1) * sizeof *c->set);
    char *set = more ? malloc(size) : NULL;
    if (more)
        c->set = more;
    if (!set)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    size_t path = strcspn(text, "=");
    bool bare = key[0] || (!memchr(text, '.', path) && !memchr(text, '[', path));
    snprintf(set, size, "%s%s%s%s", bare ? "world." : "", key, key[0] ? "=" : "", text);
    c->set[c->set_count++] = set;
    c->iterations = c->iterations || strncmp(set, "world.iterations=", strlen("world.iterations=")) == 0;
    c->substeps = c->substeps || strncmp(set, "world.substeps=", strlen("world.substeps=")) == 0;
    return SN_EXIT_FINE;
}

static int add_piece(sn_contestant *c, char separator, const char *text)
{
    if (separator == 0)
        return is_solver(text) ? add_set(c, "solver", text) : complain_of_solver(text);
    if (separator == ':') {
        const sn_key *key = key_of_choice(text);
        return key ? add_set(c, key->name, text) : complain_of_word(text, c->label);
    }
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return sn_complain(SN_EXIT_USAGE, "--solvers: %s: expected +PATH=VALUE, such as +relaxation=1.5, found '+%s'",
                           c->label, text);
    return add_set(c, "", text);
}

static int read_contestant(sn_contestant *c, const char *text, size_t length)
{
    c->label = copy(text, length);
    if (!c->label)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    int code = SN_EXIT_FINE;
    char separator = 0;
    for (const char *at = c->label; code == SN_EXIT_FINE;) {
        /* a colon separates words, but may be part of a value */
        const char *end = piece_end(at, separator == '+' ? "+" : "+:");
        char *piece = copy(at, (size_t)(end - at));
        code = piece ? add_piece(c, separator, piece) : sn_complain(SN_EXIT_FAILED, "out of memory");
        free(piece);
        if (!*end)
            break;
        separator = *end;
        at = end + 1;
    }
    return code;
}

static int add_contestant(sn_contestants *all, const char *text, size_t length)
{
    sn_contestant *more = realloc(all->item, (all->count + 1) * sizeof *more);
    if (!more)
        return sn_complain(SN_EXIT_FAILED, "out of memory");
    all->item = more;
    more[all->count] = (sn_contestant){0};
    int code = read_contestant(&more[all->count++], text, length);
    for (uint32_t i = 0; code == SN_EXIT_FINE && i + 1 < all->count; ++i)
        if (strcmp(more[i].label, more[all->count - 1].label) == 0)
            code = sn_complain(SN_EXIT_USAGE, "--solvers: '%s' is there twice", more[i].label);
    return code;
}

int sn_contestants_read(const char *list, sn_contestants *all)
{
    *all = (sn_contestants){0};
    int code = SN_EXIT_FINE;
    for (uint32_t i = 0; !list && i < sn_solver_choices.count && code == SN_EXIT_FINE; ++i)
        code = add_contestant(all, sn_solver_choices.name[i], strlen(sn_solver_choices.name[i]));
    for (const char *at = list; at && code == SN_EXIT_FINE;) {
        const char *end = piece_end(at, ",");
        code = add_contestant(all, at, (size_t)(end - at));
        at = *end ? end + 1 : NULL;
    }
    return code;
}

void sn_contestants_release(sn_contestants *all)
{
    for (uint32_t i = 0; i < all->count; ++i) {
        sn_contestant *c = &all->item[i];
        for (uint32_t k = 0; k < c->set_count; ++k)
            free(c->set[k]);
        free(c->set);
        free(c->label);
    }
    free(all->item);
    *all = (sn_contestants){0};
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

/* Reads a positive number of the list; 0 if it is invalid. */
static uint32_t read_count(const char *at, size_t length)
{
    unsigned long value = 0;
    for (size_t i = 0; i < length; ++i) {
        if (!isdigit((unsigned char)at[i]) || value > 100000)
            return 0;
        value = 10 * value + (unsigned long)(at[i] - '0');
    }
    return value <= 100000 ? (uint32_t)value : 0;
}

bool sn_counts_read(const char *option, const char *list, uint32_t **count, uint32_t *length)
{
    *length = 0;
    *count = calloc(strlen(list) + 1, sizeof **count);
    if (!*count) {
        sn_complain(0, "out of memory");
        return false;
    }
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t size = strcspn(at, ",");
        uint32_t value = size ? read_count(at, size) : 0;
        if (value == 0) {
            sn_complain(0,
                        "--%s: found '%.*s', expected a whole number from 1 to 100000, or several with commas between",
                        option, (int)size, at);
            return false;
        }
        if (*length && value <= (*count)[*length - 1]) {
            sn_complain(0, "--%s: expected numbers that rise, found %u after %u", option, (unsigned)value,
                        (unsigned)(*count)[*length - 1]);
            return false;
        }
        (*count)[(*length)++] = value;
    }
    return true;
}
