/* The built-in kinds, from the table include/sinew/constraints.def. */
#ifndef SN_CONSTRAINTS_TABLE_H
#define SN_CONSTRAINTS_TABLE_H

#include <sinew/constraints.h>

#define SN_KIND(NAME, name) extern const sn_kind sn_kind_##name;
#include <sinew/constraints.def>
#undef SN_KIND

/* Measures the parameter at index `rest` of a kind whose row has C = value - rest: it becomes C for a rest of 0. It
   stays unchanged where C does not exist. */
static inline void sn_measure_rest(sn_eval_fn *eval, uint32_t row, const sn_eval_in *in, sn_real *param, uint32_t rest)
{
    sn_real c[SN_MAX_ROWS], kept = param[rest];
    sn_vec3 gradient[SN_MAX_ROWS * SN_MAX_POINTS];
    sn_eval_in at = *in;
    at.param = param;
    param[rest] = 0;
    param[rest] = eval(&at, &(sn_eval_out){.c = c, .gradient = gradient}) ? c[row] : kept;
}

/* sn_builtin_kinds[SN_KIND_DISTANCE] and so on; entry 0 is NULL. */
extern const sn_kind *const sn_builtin_kinds[SN_KIND_BUILTIN_END];

/* True if the kind is valid. Otherwise false and the reason. */
bool sn_kind_check(const sn_kind *kind, char *reason, size_t size);

/* The number of values of a parameter of this type: 1 or 3. */
static inline uint32_t param_width(const sn_param *param)
{
    return param->type == SN_PARAM_REAL ? 1 : 3;
}

/* Checks, normalises and completes the parameters of one constraint in place: values in range, directions of length 1,
   SN_MEASURE replaced by `measured` (NULL: not measured) or by the default. False and the reason otherwise. */
bool sn_kind_complete_params(const sn_kind *kind, const sn_real *measured, sn_real *param, char *reason, size_t size);

/* The same for the parameters of `points` points. `value` holds measured values and is completed; `given` may be
   NULL. */
bool sn_kind_complete_points(const sn_kind *kind, const sn_real *given, uint32_t points, sn_real *value, char *reason,
                             size_t size);

#endif
