/* kitty: https://sw.kovidgoyal.net/kitty/graphics-protocol; iTerm2: https://iterm2.com/documentation-images.html;
   sixels: DEC's VT340 manual. The first two take PNG files in base64. A sixel is a column of six pixels of one
   colour; a picture consists of bands of sixels. */
#include "cli/terminal.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { MOST_COLUMNS = 100, SIXEL_WIDTH = 640, KITTY_CHUNK = 4096, ANSWER_MS = 300 };

/* ---- Choosing the protocol --------------------------------------------------------------------------------------- */

static bool is(const char *variable, const char *value)
{
    const char *found = getenv(variable);
    return found && strcmp(found, value) == 0;
}

static bool begins(const char *variable, const char *value)
{
    const char *found = getenv(variable);
    return found && strncmp(found, value, strlen(value)) == 0;
}

/* Reads the answer of the terminal to a query of its attributes: ESC [ ? 62 ; 4 ; 22 c, where 4 means sixels. */
static bool answer_has_sixels(int tty)
{
    char answer[64];
    size_t length = 0;
    while (length < sizeof answer - 1) {
        struct pollfd wait = {.fd = tty, .events = POLLIN};
        if (poll(&wait, 1, ANSWER_MS) != 1 || read(tty, answer + length, 1) != 1)
            return false;
        if (answer[length++] == 'c')
            break;
    }
    answer[length] = 0;
    const char *at = strchr(answer, '?');
    for (at = at ? strchr(at, ';') : NULL; at; at = strchr(at + 1, ';')) /* the first number is the terminal's class */
        if (atoi(at + 1) == 4)
            return true;
    return false;
}

/* Queries the terminal. Only in the foreground: a background job would be stopped. */
static bool has_sixels(void)
{
    struct termios before, raw;
    const int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool found = false;
    if (tty < 0)
        return false;
    if (tcgetpgrp(tty) == getpgrp() && tcgetattr(tty, &before) == 0) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        if (tcsetattr(tty, TCSAFLUSH, &raw) == 0) {
            found = write(tty, "\033[c", 3) == 3 && answer_has_sixels(tty);
            tcsetattr(tty, TCSAFLUSH, &before);
        }
    }
    close(tty);
    return found;
}

static sn_terminal look(void)
{
    if (!sn_is_terminal(stdout) || is("TERM", "dumb") || begins("TERM", "screen") || begins("TERM", "tmux") ||
        getenv("TMUX"))
        return SN_TERMINAL_NONE; /* multiplexers do not pass pictures on by default */
    if (getenv("KITTY_WINDOW_ID") || is("TERM", "xterm-kitty") || is("TERM", "xterm-ghostty"))
        return SN_TERMINAL_KITTY;
    if (is("TERM_PROGRAM", "iTerm.app") || is("TERM_PROGRAM", "WezTerm") || is("TERM_PROGRAM", "mintty") ||
        is("LC_TERMINAL", "iTerm2"))
        return SN_TERMINAL_ITERM;
    return has_sixels() ? SN_TERMINAL_SIXEL : SN_TERMINAL_NONE;
}

bool sn_terminal_read(const char *name, sn_terminal *out)
{
    static const char *const names[] = {"none", "kitty", "iterm", "sixel"};
    for (unsigned i = 0; i < 4; ++i)
        if (strcmp(name, names[i]) == 0) {
            *out = (sn_terminal)i;
            return true;
        }
    if (strcmp(name, "auto") != 0)
        return false;
    *out = look();
    return true;
}

/* ---- Files as text ----------------------------------------------------------------------------------------------- */

static void write_base64(FILE *file, const unsigned char *from, size_t bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes; i += 3) {
        const size_t left = bytes - i;
        const uint32_t bits =
            (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0);
        putc(digit[bits >> 18], file);
        putc(digit[bits >> 12 & 63], file);
        putc(left > 1 ? digit[bits >> 6 & 63] : '=', file);
        putc(left > 2 ? digit[bits & 63] : '=', file);
    }
}

/* The width of the picture in columns: that of the window, but at most MOST_COLUMNS. */
static unsigned columns(void)
{
    struct winsize window;
    const bool known = ioctl(fileno(stdout), TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    return known && window.ws_col < MOST_COLUMNS ? window.ws_col : MOST_COLUMNS;
}

static void show_kitty(FILE *file, const unsigned char *png, size_t bytes)
{
    const size_t step = KITTY_CHUNK / 4 * 3;
    for (size_t i = 0; i < bytes; i += step) {
        const size_t count = bytes - i < step ? bytes - i : step;
        if (i == 0)
            fprintf(file, "\033_Ga=T,f=100,c=%u,m=%d;", columns(), count < bytes);
        else
            fprintf(file, "\033_Gm=%d;", i + count < bytes);
        write_base64(file, png + i, count);
        fputs("\033\\", file);
    }
}

static void show_iterm(FILE *file, const unsigned char *png, size_t bytes)
{
    fprintf(file, "\033]1337;File=inline=1;size=%zu;width=%u:", bytes, columns());
    write_base64(file, png, bytes);
    putc('\a', file);
}

/* ---- Sixels ------------------------------------------------------------------------------------------------------ */

enum { LEVELS = 6, COLOURS = LEVELS * LEVELS * LEVELS };

typedef struct small_picture {
    uint32_t width, height;
    unsigned char *colour; /* for each pixel: one of a cube of 216 */
} small_picture;

/* The mean over a block of pixels, with an ordered dither: the same picture always gives the same sixels. */
static unsigned char colour_at(const unsigned char *rgb, uint32_t width, uint32_t by, uint32_t x, uint32_t y)
{
    static const unsigned char bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    const uint32_t threshold = bayer[y % 4][x % 4] * 255u / 16 + 8;
    uint32_t colour = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < by; ++j)
            for (uint32_t i = 0; i < by; ++i)
                sum += rgb[3 * ((size_t)(by * y + j) * width + by * x + i) + k];
        colour = colour * LEVELS + (sum / (by * by) * (LEVELS - 1) + threshold) / 255;
    }
    return (unsigned char)colour;
}

static bool make_small(const unsigned char *rgb, uint32_t width, uint32_t height, small_picture *p)
{
    const uint32_t by = (width + SIXEL_WIDTH - 1) / SIXEL_WIDTH;
    *p = (small_picture){.width = width / by, .height = height / by};
    p->colour = malloc((size_t)p->width * p->height);
    for (uint32_t y = 0; p->colour && y < p->height; ++y)
        for (uint32_t x = 0; x < p->width; ++x)
            p->colour[(size_t)y * p->width + x] = colour_at(rgb, width, by, x, y);
    return p->colour != NULL;
}

static void write_run(FILE *file, char sixel, uint32_t count)
{
    if (count > 3)
        fprintf(file, "!%u%c", (unsigned)count, sixel);
    else
        while (count-- > 0)
            putc(sixel, file);
}

/* Writes one colour of a band of six rows. */
static void write_colour(FILE *file, const small_picture *p, uint32_t top, unsigned colour)
{
    char last = 0;
    uint32_t count = 0;
    fprintf(file, "#%u", colour);
    for (uint32_t x = 0; x < p->width; ++x) {
        unsigned bits = 0;
        for (uint32_t k = 0; k < 6 && top + k < p->height; ++k)
            bits |= (unsigned)(p->colour[(size_t)(top + k) * p->width + x] == colour) << k;
        const char sixel = (char)(63 + bits);
        if (sixel != last) {
            write_run(file, last, count);
            last = sixel;
            count = 0;
        }
        ++count;
    }
    if (last != 63)
        write_run(file, last, count);
    putc('$', file);
}

static bool show_sixels(FILE *file, const unsigned char *rgb, uint32_t width, uint32_t height)
{
    small_picture p;
    if (!make_small(rgb, width, height, &p))
        return false;
    fprintf(file, "\033P0;1;0q\"1;1;%u;%u", (unsigned)p.width, (unsigned)p.height);
    for (unsigned i = 0; i < COLOURS; ++i)
        fprintf(file, "#%u;2;%u;%u;%u", i, i / 36 * 20, i / 6 % 6 * 20, i % 6 * 20);
    for (uint32_t top = 0; top < p.height; top += 6) {
        bool used[COLOURS] = {false};
        for (size_t i = (size_t)top * p.width; i < (size_t)p.width * (top + 6 < p.height ? top + 6 : p.height); ++i)
            used[p.colour[i]] = true;
        for (unsigned colour = 0; colour < COLOURS; ++colour)
            if (used[colour])
                write_colour(file, &p, top, colour);
        putc('-', file);
    }
    fputs("\033\\", file);
    free(p.colour);
    return true;
}

/* ---- Showing ----------------------------------------------------------------------------------------------------- */

bool sn_terminal_show(FILE *file, sn_terminal how, const unsigned char *png, size_t bytes, const unsigned char *rgb,
                      uint32_t width, uint32_t height)
{
    if (how == SN_TERMINAL_NONE)
        return true;
    if (how == SN_TERMINAL_SIXEL && !show_sixels(file, rgb, width, height))
        return false;
    if (how == SN_TERMINAL_KITTY)
        show_kitty(file, png, bytes);
    if (how == SN_TERMINAL_ITERM)
        show_iterm(file, png, bytes);
    putc('\n', file);
    return !ferror(file);
}
