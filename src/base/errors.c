#define __USE_MINGW_ANSI_STDIO 1 /* the C library of Windows does not know %zu */
#include "base/errors.h"

#include <stdarg.h>
#include <stdio.h>

/* While the caller's log function runs, the world is busy, and errors inside it are not logged again. */
static void log_text(sn_errors *errors, sn_log_level level, const char *text)
{
    if (!errors->log.write || errors->logging)
        return;
    bool was_busy = errors->busy && *errors->busy;
    errors->logging = true;
    if (errors->busy)
        *errors->busy = true;
    errors->log.write(errors->log.context, level, text);
    if (errors->busy)
        *errors->busy = was_busy;
    errors->logging = false;
}

sn_result sn_fail(sn_errors *errors, sn_result result, const char *format, ...)
{
    char text[SN_ERROR_SIZE]; /* the arguments may point into errors->text */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (errors->quiet && result == SN_ERROR_DIVERGED)
        return result;
    snprintf(errors->text, sizeof errors->text, "%s", text);
    log_text(errors, SN_LOG_ERROR, text);
    return result;
}

void sn_warn(sn_errors *errors, const char *text)
{
    log_text(errors, SN_LOG_WARNING, text);
}

const char *sn_result_text(sn_result result)
{
    switch (result) {
    case SN_OK:
        return "ok";
    case SN_ERROR_ARGUMENT:
        return "bad argument";
    case SN_ERROR_STALE:
        return "stale handle";
    case SN_ERROR_MEMORY:
        return "out of memory";
    case SN_ERROR_LIMIT:
        return "limit exceeded";
    case SN_ERROR_BUSY:
        return "world is busy";
    case SN_ERROR_DIVERGED:
        return "simulation diverged";
    case SN_ERROR_HOST:
        return "host hook failed";
    case SN_CANCELLED:
        return "cancelled";
    }
    return "unknown result";
}
