/* Pictures of traces, drawn by gnuplot. */
#ifndef SN_CLI_PLOT_H
#define SN_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether gnuplot can be started; says how to get it if not. */
bool sn_plot_possible(void);

/* Draws a trace (.csv) into a picture (.svg or .png). columns: names with commas between, in one panel; NULL: energies,
   momenta and residuals. SN_EXIT_FINE, or another exit code after a message; no half a picture is left behind then. */
int sn_plot(const char *trace, const char *picture, const char *columns);

/* Draws what a script says. put writes the script, `set terminal` first and with the data in it. The picture appears under
   its name whole or not at all. Codes as above. */
typedef void sn_plot_script(FILE *script, bool png, const void *context);
int sn_plot_draw(const char *picture, sn_plot_script *put, const void *context);

/* Puts a text between quotes, so that gnuplot takes it literally. */
void sn_plot_put_quoted(FILE *script, const char *text);

#endif
