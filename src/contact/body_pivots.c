/* Contact of bodies: the arms and gaps of joints that contact may have opened, several joints at a time; see
   body_joints.c. */
#define SN_LANE_DOUBLE 1
#include "contact/body_work.h"

#include "bodies/turning_lanes.h"
#include "world/world.h"

#define OPEN                                                                                                           \
    ((sn_real)0.005) /* of the arms: joints that are open by less are left alone; with twice as much, gaps grow to 90  \
                        mm */
#define MORE ((sn_real)0.00125) /* of the same: and joints that are opened further by less */

/* Numbers as they are stored, in lanes. */
#if SN_WIDTH == 1
#define PICK_REAL(of, number) ((sn_real)(of)[0] number)
#elif SN_WIDTH == 2
#define PICK_REAL(of, number) ((reals){(of)[0] number, (of)[1] number})
#else
#define PICK_REAL(of, number) ((reals){(of)[0] number, (of)[1] number, (of)[2] number, (of)[3] number})
#endif

typedef struct reals3 {
    reals x, y, z;
} reals3;

#define PICK_REALS(of, vector) ((reals3){PICK_REAL(of, vector x), PICK_REAL(of, vector y), PICK_REAL(of, vector z)})

#define PUT_REALS(of, vector, a)                                                                                       \
    (PUT(of, vector.x, (a).x), PUT(of, vector.y, (a).y), PUT(of, vector.z, (a).z),                                     \
     PUT(of, vector.w, REALS(lanes_all(0))))

SN_LANES_INLINE reals3 reals3_of(lanes3 a)
{
    return (reals3){REALS(a.x), REALS(a.y), REALS(a.z)};
}

/* Rounding the root in double once more gives the root of a sn_real, correctly rounded. */
SN_LANES_INLINE reals reals3_length(reals3 a)
{
    const lanes root = lanes_sqrt(lanes_of(a.x * a.x + a.y * a.y + a.z * a.z));
    return REALS(root);
}

/* One end of each joint. An end that is no point of a body has one that is nowhere and does not rotate, and an end that
   does not move one at rest. */
typedef struct some_ends {
    const sn_anchor *anchor[SN_WIDTH];
    const double *q[SN_WIDTH];
    const sn_vec4 *x[SN_WIDTH], *low[SN_WIDTH], *v[SN_WIDTH], *spin[SN_WIDTH];
    uint32_t on_body;
} some_ends;

SN_LANES_INLINE some_ends ends_of(const sn_world *world, sn_open_joint *const *joint, const sn_pivot_ends *const *two,
                                  uint32_t k)
{
    static const double still[4] = {0, 0, 0, 1};
    static const sn_vec4 none = {0, 0, 0, 0};
    const sn_mover *movers = contact_movers(world);
    some_ends e;
    e.on_body = 0;
    for (uint32_t i = 0; i < SN_WIDTH; ++i) {
        const uint32_t row = two[i]->body[k];
        const bool on_body = row != SN_ID_FREE, moves = (k ? joint[i]->b : joint[i]->a) != SN_NO_MOVER;
        const uint32_t slot = on_body ? movers[row].slot : 0;
        e.anchor[i] = &world->constraints.anchor[two[i]->anchor[k]];
        e.on_body |= (uint32_t)on_body << i;
        e.q[i] = on_body ? world->bodies.state[row].q : still;
        e.x[i] = on_body ? &world->particles.x[slot] : &none;
        e.low[i] = on_body ? &world->particles.x_low[slot] : &none;
        e.v[i] = moves ? &world->particles.v[slot] : &none;
        e.spin[i] = moves ? &movers[row].spin : &none;
    }
    return e;
}

/* The positions of the ends, and their arms. */
SN_LANES_INLINE lanes3 places_of(const some_ends *e, reals3 *arm)
{
    const lanes4 q = PICK4(e->q, );
    const lanes3 own = PICK_VECTOR(e->anchor, ->place.), x = PICK_VECTOR(e->x, ->), low = PICK_VECTOR(e->low, ->);
    const lanes3 place = turned(vector_part(q), q.w, own);
    *arm = reals3_of(lanes3_keep(flags_of(e->on_body), place));
    return lanes3_add(place, lanes3_add(x, low));
}

/* Their velocities before contact. */
SN_LANES_INLINE reals3 speeds_of(const some_ends *e, reals3 arm)
{
    const reals3 v = PICK_REALS(e->v, ->), spin = PICK_REALS(e->spin, ->);
    return (reals3){v.x + (spin.y * arm.z - spin.z * arm.y), v.y + (spin.z * arm.x - spin.x * arm.z),
                    v.z + (spin.x * arm.y - spin.y * arm.x)};
}

/* The movers of the ends of a joint; none if it cannot be held. */
static inline void find_movers(const sn_world *world, const sn_pivot_ends *ends, sn_open_joint *joint)
{
    uint32_t mover[2];
    bool holds = ends->holds;
    for (uint32_t k = 0; k < 2; ++k) {
        const uint32_t row = ends->body[k];
        mover[k] = ends->moves[k] ? row : SN_NO_MOVER;
        if (row != SN_ID_FREE && !ends->moves[k]) /* what moves to a target is not held */
            holds = holds && !world->particles.target[contact_movers(world)[row].slot] &&
                    !world->bodies.state[row].kinematic;
    }
    joint->a = holds ? mover[0] : SN_NO_MOVER;
    joint->b = holds ? mover[1] : SN_NO_MOVER;
}

SN_LANES_INLINE void ready_some(const sn_body_contact_substep *s, sn_open_joint *const *joint,
                                const sn_pivot_ends *const *two)
{
    const some_ends a = ends_of(s->world, joint, two, 0), b = ends_of(s->world, joint, two, 1);
    const reals h = REALS(lanes_all((double)s->h));
    const reals open = REALS(lanes_all((double)OPEN)), further = REALS(lanes_all((double)MORE));
    reals3 ra, rb;
    const lanes3 place_a = places_of(&a, &ra), place_b = places_of(&b, &rb);
    const reals3 now = reals3_of(lanes3_sub(place_b, place_a)), va = speeds_of(&a, ra), vb = speeds_of(&b, rb);
    const reals3 gap = {now.x - (vb.x - va.x) * h, now.y - (vb.y - va.y) * h, now.z - (vb.z - va.z) * h};
    const reals size = reals3_length(ra) + reals3_length(rb), more = reals3_length(gap) + further * size;
    const lanes most = lanes_max(lanes_of(open * size), lanes_of(more));
    const reals limit = REALS(most);
    PUT_REALS(joint, ->arm_a, ra);
    PUT_REALS(joint, ->arm_b, rb);
    PUT_REALS(joint, ->gap, gap);
    PUT(joint, ->most, limit);
}

void SN_LANES_NAME(sn_body_pivots_ready, SN_VECTOR)(const sn_body_contact_substep *s, const sn_pivots *swing,
                                                    sn_open_joint *joint)
{
    for (uint32_t at = 0; at < swing->count; ++at) {
        find_movers(s->world, &swing->ends[at], &joint[at]);
        joint[at].held = vec4(vec3(0, 0, 0), 0);
    }
    for (uint32_t at = 0; at < swing->count; at += SN_WIDTH) {
        sn_open_joint *some[SN_WIDTH];
        const sn_pivot_ends *ends[SN_WIDTH];
        for (uint32_t i = 0; i < SN_WIDTH; ++i) {
            const uint32_t index = at + i < swing->count ? at + i : swing->count - 1;
            some[i] = &joint[index];
            ends[i] = &swing->ends[index];
        }
        ready_some(s, some, ends);
    }
}

#if !SN_VECTOR
void sn_body_pivots_ready(const sn_body_contact_substep *s, const sn_pivots *swing, sn_open_joint *joint)
{
    const uint32_t vector = s->world->wide ? s->world->wide->vector : 0;
#if SN_LANES_32
    if (vector >= 32) {
        sn_body_pivots_ready_lanes_32(s, swing, joint);
        return;
    }
#endif
#if SN_LANES_16 && !defined(__wasm__) /* on WebAssembly one lane is used */
    if (vector >= 16) {
        sn_body_pivots_ready_lanes_16(s, swing, joint);
        return;
    }
#endif
    (void)vector;
    sn_body_pivots_ready_lanes_0(s, swing, joint);
}
#endif
