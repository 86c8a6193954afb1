/* Pictures in a terminal, by the protocol that it has: kitty's, iTerm2's or DEC's sixels. */
#ifndef SN_CLI_TERMINAL_H
#define SN_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sn_terminal { SN_TERMINAL_NONE, SN_TERMINAL_KITTY, SN_TERMINAL_ITERM, SN_TERMINAL_SIXEL } sn_terminal;

/* By name: "kitty", "iterm", "sixel", "none", or "auto", which is what standard output can show: none if it is no terminal, or
   one that is not known. False for any other name. */
bool sn_terminal_read(const char *name, sn_terminal *out);

/* Shows a picture, and ends the line. png is the file, of bytes; rgb are its pixels, 3 bytes each, rows from above. False if it
   could not be written. */
bool sn_terminal_show(FILE *file, sn_terminal how, const unsigned char *png, size_t bytes, const unsigned char *rgb,
                      uint32_t width, uint32_t height);

#endif
