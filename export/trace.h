/* A trace: one row of numbers per frame. Time, energies, momenta, the centre, residuals by kind, and the values that
   the scene records: chosen particles and the forces of chosen constraints.

       frame  time                                      1, s
       kinetic  potential  elastic  energy              J; energy is their sum
       momentum_x  momentum_y  momentum_z               kg m/s
       angular_x  angular_y  angular_z                  kg m^2/s, about the first origin
       centre_x  centre_y  centre_z                     m
       residual_KIND                                    the largest of the kind, in the unit of its C
       x_LABEL  y_LABEL  z_LABEL                        m, relative to the first origin
       vx_LABEL  vy_LABEL  vz_LABEL                     m/s
       force_LABEL                                      N; N m for angles
       slope_NAME                                       rad: of the sides of a heap of grains

   The columns of a particle or constraint that no longer exists are NaN. */
#ifndef SN_EXPORT_TRACE_H
#define SN_EXPORT_TRACE_H

#include "scene/scene.h"

typedef struct sn_trace sn_trace;

/* Opens a file. Its ending decides the format: .csv (names in the first line; for units see above) or .npy (a
   structured array with the same names). NULL, with the reason in message. The columns are fixed now: kinds of which
   the world now has a constraint get a residual column each. A label that appears twice gets a number the second
   time. */
sn_trace *sn_trace_open(sn_scene *scene, const char *path, char *message, size_t size);

/* Writes a row for the present state; the caller decides which frames get one (sn_trace_list.every). False, with the
   reason; the file then ends with the previous row. */
bool sn_trace_row(sn_trace *trace, char *message, size_t size);
bool sn_trace_close(sn_trace *trace, char *message, size_t size);

/* The name and the unit ("m", "kg m/s", "1") of column i; false beyond the last. Both live as long as the trace. */
bool sn_trace_column(const sn_trace *trace, uint32_t i, const char **name, const char **unit);

uint64_t sn_trace_rows(const sn_trace *trace);

#endif
