/* A program in two worlds that must agree to the bit, op by op. */
#include "random/net.h"

const net_variant net_variant_list[NET_VARIANTS] = {
    {.name = "plain", .simd = SN_SIMD_SCALAR},
    {.name = "width 4", .simd = SN_SIMD_4},
    {.name = "width 8", .simd = SN_SIMD_8},
    {.name = "width 16", .simd = SN_SIMD_16},
    {.name = "2 threads", .threads = 2, .eager = true},
    {.name = "4 threads", .threads = 4, .eager = true},
    {.name = "7 threads", .threads = 7, .eager = true, .simd = SN_SIMD_SCALAR},
    {.name = "task hook", .hooked = true, .eager = true},
    {.name = "memory of NaN", .fill = 0xff},
    {.name = "memory of ones", .fill = 0x01},
    {.name = "rounding up", .mode = MODE_UP},
    {.name = "rounding down", .mode = MODE_DOWN},
    {.name = "rounding to zero", .mode = MODE_ZERO},
    {.name = "flushing denormals", .mode = MODE_FLUSH},
    {.name = "reloaded", .reload = true},
    {.name = "repeated", .again = true},
    {.name = "scarce memory", .scarce = true},
    {.name = "asked", .asked = true},
};

bool net_compare(const net_program *program, uint32_t variant, uint32_t checks, net_failure *failure)
{
    static net_moment one[NET_OPS], other[NET_OPS];
    const net_variant *v = &net_variant_list[variant];
    memset(one, 0, sizeof one);
    memset(other, 0, sizeof other);
    if (!net_play(program, &net_variant_list[0], checks, one, failure))
        return false;
    memcpy(other, one, sizeof other); /* so a width that is not there agrees */
    if (variant == 0)
        return true;
    if (!net_play(program, v, checks, other, failure))
        return false;
    for (uint32_t i = 0; i < program->ops && (checks & CHECK_TWINS); ++i) {
        const char *what = one[i].result != other[i].result   ? "the result"
                           : one[i].hash != other[i].hash     ? "the hash"
                           : one[i].events != other[i].events ? "the events"
                                                              : NULL;
        if (!what)
            continue;
        failure->check = CHECK_TWINS;
        failure->serial = program->op[i].serial;
        bool result = one[i].result != other[i].result;
        snprintf(failure->text, sizeof failure->text, "%s after op %u differs from the plain world: %s%s%s", what,
                 program->op[i].serial, v->name, result ? ", " : "", result ? sn_result_text(other[i].result) : "");
        return false;
    }
    return true;
}
