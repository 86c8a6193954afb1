/* Pictures of traces, drawn by gnuplot. */
#ifndef SN_CLI_PLOT_H
#define SN_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether gnuplot can be started; if not, a message explains how to install it. */
bool sn_plot_possible(void);

/* Draws a trace (.csv) into a picture (.svg or .png). columns: names with commas, in one panel; NULL: energies,
   momenta and residuals. Returns SN_EXIT_FINE, or, after a message, another exit code; there is then no partial
   picture. */
int sn_plot(const char *trace, const char *picture, const char *columns);

/* Draws a script. put writes it: `set terminal` first, and the data in it. The picture is complete or does not
   exist. Codes as above. */
typedef void sn_plot_script(FILE *script, bool png, const void *context);
int sn_plot_draw(const char *picture, sn_plot_script *put, const void *context);

/* Writes a text in quotes, so that gnuplot takes it literally. */
void sn_plot_put_quoted(FILE *script, const char *text);

#endif
