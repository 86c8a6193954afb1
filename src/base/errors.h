/* The message of the last error. */
#ifndef SN_BASE_ERRORS_H
#define SN_BASE_ERRORS_H

#include <sinew/base.h>

#define SN_ERROR_SIZE 320

#if defined(__MINGW32__)
#define SN_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define SN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SN_PRINTF(text, first)
#endif

typedef struct sn_errors {
    char text[SN_ERROR_SIZE];
    sn_log log;
    bool *busy;   /* of the world: set while the caller's log function runs. NULL: no world yet */
    bool quiet;   /* errors of divergence are neither stored nor logged: the step is repeated to find the cause */
    bool logging; /* the log function runs: errors inside it are not logged again */
} sn_errors;

/* Stores and logs the message. Returns result, so that a check reads `return sn_fail(...)`. */
sn_result sn_fail(sn_errors *errors, sn_result result, const char *format, ...) SN_PRINTF(3, 4);

/* Logs something that is allowed but hardly intended. */
void sn_warn(sn_errors *errors, const char *text);

#endif
