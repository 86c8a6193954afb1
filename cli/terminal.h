/* Pictures in a terminal, by its protocol: kitty's, iTerm2's or DEC's sixels. */
#ifndef SN_CLI_TERMINAL_H
#define SN_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sn_terminal { SN_TERMINAL_NONE, SN_TERMINAL_KITTY, SN_TERMINAL_ITERM, SN_TERMINAL_SIXEL } sn_terminal;

/* Reads a protocol: "kitty", "iterm", "sixel", "none", or "auto", which stands for what standard output supports:
   none if it is no terminal, or an unknown one. False for any other name. */
bool sn_terminal_read(const char *name, sn_terminal *out);

/* Shows a picture, and ends the line. png is the content of a file, of that many bytes; rgb has its pixels, 3 bytes
   each, rows from top to bottom. False if it could not be written. */
bool sn_terminal_show(FILE *file, sn_terminal how, const unsigned char *png, size_t bytes, const unsigned char *rgb,
                      uint32_t width, uint32_t height);

#endif
