/* Pictures of traces, drawn by gnuplot. */
#ifndef SN_CLI_PLOT_H
#define SN_CLI_PLOT_H

#include <stdbool.h>

/* Whether gnuplot can be started; says how to get it if not. */
bool sn_plot_possible(void);

/* Draws a trace (.csv) into a picture (.svg or .png). columns: names with commas between, in one panel; NULL: energies,
   momenta and residuals. SN_EXIT_FINE, or another exit code after a message; no half a picture is left behind then. */
int sn_plot(const char *trace, const char *picture, const char *columns);

#endif
