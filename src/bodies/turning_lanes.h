/* Numbers of several bodies in lanes of doubles, and rotations of these. Included by files that are compiled for each
   width; they define SN_LANE_DOUBLE as 1. */
#ifndef SN_BODIES_TURNING_LANES_H
#define SN_BODIES_TURNING_LANES_H

#include "base/vec.h"

#include <sinew/lanes.h>

/* Gather one field of several bodies into lanes, and scatter it. */
#if SN_WIDTH == 1
#define PICK(of, number)   ((lane_number)(of)[0] number)
#define PUT(of, number, a) ((of)[0] number = (a))
#elif SN_WIDTH == 2
#define PICK(of, number)   ((lanes){(lane_number)(of)[0] number, (lane_number)(of)[1] number})
#define PUT(of, number, a) ((of)[0] number = (a)[0], (of)[1] number = (a)[1])
#else
#define PICK(of, number)                                                                                               \
    ((lanes){(lane_number)(of)[0] number, (lane_number)(of)[1] number, (lane_number)(of)[2] number,                    \
             (lane_number)(of)[3] number})
#define PUT(of, number, a)                                                                                             \
    ((of)[0] number = (a)[0], (of)[1] number = (a)[1], (of)[2] number = (a)[2], (of)[3] number = (a)[3])
#endif
#define PICK3(of, numbers) ((lanes3){PICK(of, numbers[0]), PICK(of, numbers[1]), PICK(of, numbers[2])})
#define PICK4(of, numbers)                                                                                             \
    ((lanes4){PICK(of, numbers[0]), PICK(of, numbers[1]), PICK(of, numbers[2]), PICK(of, numbers[3])})
#define PICK_VECTOR(of, vector) ((lanes3){PICK(of, vector x), PICK(of, vector y), PICK(of, vector z)})
#define PICK_TURN(of, turn)     ((lanes4){PICK(of, turn x), PICK(of, turn y), PICK(of, turn z), PICK(of, turn w)})
#define PUT3(of, numbers, a)    (PUT(of, numbers[0], (a).x), PUT(of, numbers[1], (a).y), PUT(of, numbers[2], (a).z))
#define PUT4(of, numbers, a)    (PUT3(of, numbers, a), PUT(of, numbers[3], (a).w))

/* Lanes converted to sn_real. */
#if SN_VECTOR && !SINEW_DOUBLE
typedef float reals __attribute__((vector_size(SN_VECTOR / 2)));
#define REALS(a) __builtin_convertvector(a, reals)
#elif SN_VECTOR
typedef lanes reals;
#define REALS(a) (a)
#else
typedef sn_real reals;
#define REALS(a) ((reals)(a))
#endif

SN_LANES_INLINE lanes lanes_of(reals a)
{
#if SN_VECTOR
    return __builtin_convertvector(a, lanes);
#else
    return (lanes)a;
#endif
}

SN_LANES_INLINE lanes load_reals(const sn_real *from)
{
    reals a;
    memcpy(&a, from, sizeof a);
    return lanes_of(a);
}

SN_LANES_INLINE lanes3 vector_part(lanes4 q)
{
    return (lanes3){q.x, q.y, q.z};
}

/* The product: first b, then a. */
SN_LANES_INLINE lanes4 times(lanes4 a, lanes4 b)
{
    const lanes3 u = vector_part(a), v = vector_part(b), cross = lanes3_cross(u, v);
    const lanes3 sum = lanes3_add(lanes3_add(lanes3_scale(v, a.w), lanes3_scale(u, b.w)), cross);
    return (lanes4){sum.x, sum.y, sum.z, a.w * b.w - lanes3_dot(u, v)};
}

/* a + 2 w (v x a) + 2 v x (v x a). Exactly a for no rotation. */
SN_LANES_INLINE lanes3 turned(lanes3 v, lanes w, lanes3 a)
{
    const lanes3 t = lanes3_scale(lanes3_cross(v, a), lanes_all(2));
    return lanes3_add(lanes3_add(a, lanes3_scale(t, w)), lanes3_cross(v, t));
}

SN_LANES_INLINE lanes4 choose4(flags where, lanes4 a, lanes4 b)
{
    return (lanes4){lanes_choose(where, a.x, b.x), lanes_choose(where, a.y, b.y), lanes_choose(where, a.z, b.z),
                    lanes_choose(where, a.w, b.w)};
}

#endif
