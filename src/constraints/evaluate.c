#include "constraints/evaluate.h"

uint32_t sn_point_corners(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                          uint32_t point, uint32_t *slot, sn_real *weight)
{
    slot[0] = 0;
    weight[0] = 1;
    if (pool_has_lists(pool)) {
        sn_list list = pool_list(pool, row);
        slot[0] = frame->slot[list.particle[list.local[point]]];
        return 1;
    }
    uint32_t code = pool->point[(size_t)row * pool->kind->points + point];
    if (!(code & SN_ANCHOR_BIT)) {
        slot[0] = frame->slot[code];
        return 1;
    }
    const sn_anchor *anchor = &store->anchor[code & ~SN_ANCHOR_BIT];
    for (uint32_t i = 0; i < anchor->count; ++i) {
        slot[i] = frame->slot[anchor->particle[i]];
        weight[i] = anchor->weight[i];
    }
    return anchor->count;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* The correction of a body's rotation: half of the rotation vector, in the frame of `base`, relative to `base`. */
static inline sn_vec3 half_angle(const sn_frame *frame, uint32_t body, sn_quat *base)
{
    const sn_turn *turn = &frame->turn[body];
    const sn_vec4 *moved = frame->d ? frame->d : frame->turned;
    *base = frame->d ? turn->now : turn->start;
    if (!moved)
        return vec3(0, 0, 0);
    sn_vec3 by = vec4_xyz(moved[frame->turn_slot + body]), give = vec3_scale(turn->give, (sn_real)0.5);
    return vec3(by.x * give.x, by.y * give.y, by.z * give.z);
}

/* base (a, 1) / sqrt(1 + a^2): the rational form of a rotation by 2 atan |a|, which needs no sine. `inverse` is 1 / (1
   + a^2). */
static inline sn_quat turn_on(sn_quat base, sn_vec3 a, sn_real inverse)
{
    if (a.x == 0 && a.y == 0 && a.z == 0)
        return base;
    sn_vec3 v = vec3(base.x, base.y, base.z);
    sn_vec3 sum = vec3_add(vec3_add(v, vec3_scale(a, base.w)), vec3_cross(v, a));
    sn_real w = base.w - vec3_dot(v, a), scale = real_sqrt(inverse);
    return (sn_quat){sum.x * scale, sum.y * scale, sum.z * scale, w * scale};
}

sn_quat sn_frame_orientation(const sn_frame *frame, uint32_t body)
{
    sn_quat base;
    sn_vec3 a = half_angle(frame, body, &base);
    return turn_on(base, a, 1 / (1 + vec3_dot(a, a)));
}

/* Torques about locked axes have no effect. Their rounding errors must have none about the other axes. */
static sn_vec3 without_rounding(sn_vec3 t)
{
    double x = fabs((double)t.x), y = fabs((double)t.y), z = fabs((double)t.z), most = x > y ? x : y;
    double least = SN_EVALUATE_ROUNDING * (z > most ? z : most);
    return vec3(x > least ? t.x : 0, y > least ? t.y : 0, z > least ? t.z : 0);
}

/* An anchor on a body in a frame, prepared for the gradients of all rows. */
typedef struct body_anchor {
    sn_quat q;
    sn_vec3 a;       /* the correction of the rotation, see half_angle */
    sn_real inverse; /* 1 / (1 + a^2) */
    sn_vec3 arm;     /* from the centre to the anchor, in the world */
    sn_vec3 back[3]; /* rows of the matrix that maps a torque in the world to the gradient for the turn, except for
                        give */
    sn_vec3 give;
    bool locked; /* some axis is locked */
} body_anchor;

static inline void take_anchor(body_anchor *h, const sn_frame *frame, uint32_t body, sn_vec3 place)
{
    sn_quat base;
    h->a = half_angle(frame, body, &base);
    h->inverse = 1 / (1 + vec3_dot(h->a, h->a));
    h->q = turn_on(base, h->a, h->inverse);
    h->arm = sn_quat_rotate(h->q, place);
}

/* With t the torque in the body's present frame, dC/da = 2 (t + a x t) / (1 + a^2): a change da of a is a rotation by 2
   (da - a x da) / (1 + a^2) in that frame. And a is half of the turn's displacement times give. With e_i the columns of
   the rotation, t_i = e_i . torque. So row i of the matrix is (e_i + a_j e_k - a_k e_j) / (1 + a^2), with i, j, k
   cyclic. */
static void make_ready(body_anchor *h, sn_vec3 give)
{
    sn_quat q = h->q;
    sn_vec3 a = h->a, e[3];
    sn_real x2 = 2 * q.x, y2 = 2 * q.y, z2 = 2 * q.z, scale = h->inverse;
    sn_real xx = q.x * x2, yy = q.y * y2, zz = q.z * z2, xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    sn_real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    e[0] = vec3_scale(vec3(1 - (yy + zz), xy + wz, xz - wy), scale);
    e[1] = vec3_scale(vec3(xy - wz, 1 - (xx + zz), yz + wx), scale);
    e[2] = vec3_scale(vec3(xz + wy, yz - wx, 1 - (xx + yy)), scale);
    h->back[0] = vec3_add(e[0], vec3_sub(vec3_scale(e[2], a.y), vec3_scale(e[1], a.z)));
    h->back[1] = vec3_add(e[1], vec3_sub(vec3_scale(e[0], a.z), vec3_scale(e[2], a.x)));
    h->back[2] = vec3_add(e[2], vec3_sub(vec3_scale(e[1], a.x), vec3_scale(e[0], a.y)));
    h->give = give;
    h->locked = give.x == 0 || give.y == 0 || give.z == 0;
}

/* The gradient for the turn from a torque in the world. */
static inline sn_vec3 turn_gradient(const body_anchor *h, sn_vec3 torque)
{
    sn_vec3 t = vec3(vec3_dot(h->back[0], torque), vec3_dot(h->back[1], torque), vec3_dot(h->back[2], torque));
    if (h->locked)
        t = without_rounding(t);
    return vec3(h->give.x * t.x, h->give.y * t.y, h->give.z * t.z);
}

sn_vec3 sn_frame_turn_gradient(const sn_frame *frame, uint32_t body, sn_vec3 place, sn_vec3 push, sn_vec3 torque)
{
    body_anchor h;
    take_anchor(&h, frame, body, place);
    make_ready(&h, frame->turn[body].give);
    return turn_gradient(&h, vec3_add(vec3_cross(h.arm, push), torque));
}

sn_vec3 sn_frame_turning(const sn_frame *frame, const sn_anchor *anchor, const sn_vec4 *v)
{
    sn_vec3 rate = vec4_xyz(v[frame->turn_slot + anchor->body]), give = frame->turn[anchor->body].give;
    rate = vec3(rate.x * give.x, rate.y * give.y, rate.z * give.z);
    return sn_quat_rotate(sn_frame_orientation(frame, anchor->body), vec3_cross(rate, anchor->place));
}

const sn_anchor *sn_point_on_body(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t point)
{
    if (pool_has_lists(pool))
        return NULL;
    uint32_t code = pool->point[(size_t)row * pool->kind->points + point];
    const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
    return anchor && anchor->type == SN_POINT_BODY ? anchor : NULL;
}

uint32_t sn_evaluate_bodies(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t *body)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->kind->points; ++i) {
        const sn_anchor *anchor = sn_point_on_body(store, pool, row, i);
        uint32_t seen = 0;
        while (anchor && seen < count && body[seen] != anchor->body)
            ++seen;
        if (anchor && seen == count)
            body[count++] = anchor->body;
    }
    return count;
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

/* An anchor on a body or on a fixed place. NULL for other points. */
static const sn_anchor *fixed_anchor(const sn_store *store, const sn_pool *pool, uint32_t row, uint32_t point)
{
    if (pool_has_lists(pool))
        return NULL;
    uint32_t code = pool->point[(size_t)row * pool->kind->points + point];
    const sn_anchor *anchor = code & SN_ANCHOR_BIT ? &store->anchor[code & ~SN_ANCHOR_BIT] : NULL;
    return anchor && anchor->type != SN_POINT_PARTICLES ? anchor : NULL;
}

/* First b, then a. Of unit length up to rounding. */
static sn_quat times(sn_quat a, sn_quat b)
{
    return (sn_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                     a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static sn_vec3 anchor_position(const sn_frame *frame, const sn_anchor *anchor, sn_vec3 origin, sn_quat *q,
                               body_anchor *held)
{
    if (anchor->type == SN_POINT_PLACE) {
        if (q)
            *q = anchor->turn;
        return vec3_sub(anchor->place, origin);
    }
    take_anchor(held, frame, anchor->body, anchor->place);
    if (q)
        *q = times(held->q, anchor->turn);
    return vec3_add(frame_position(frame, frame->slot[anchor->particle[0]], origin), held->arm);
}

/* What a point is: particles, one or a weighted sum of them, or an anchor. */
typedef struct standing {
    const sn_anchor *anchor; /* an anchor on a body, or a place; NULL: particles */
    body_anchor held;        /* for an anchor on a body */
} standing;

/* The origin relative to which the positions of a constraint are given. */
static inline sn_vec3 origin_of(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame)
{
    uint32_t slot[4];
    sn_real weight[4];
    if (!pool->kind->internal)
        return vec3(0, 0, 0);
    const sn_anchor *first = fixed_anchor(store, pool, row, 0);
    if (first && first->type == SN_POINT_PLACE)
        return first->place;
    if (first)
        slot[0] = frame->slot[first->particle[0]];
    else
        sn_point_corners(store, pool, row, frame, 0, slot, weight);
    return vec4_xyz(frame->x[slot[0]]);
}

/* The positions of the points of a list. All of them are particles, and a particle may be used by several points. */
static void gather_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_vec3 origin,
                        sn_vec3 *x)
{
    const sn_list list = pool_list(pool, row);
    sn_vec3 *place = store->many.column[SN_MANY_GRADIENT]; /* scratch; the evaluation overwrites it later */
    for (uint32_t i = 0; i < list.particle_count; ++i)
        place[i] = frame_position(frame, frame->slot[list.particle[i]], origin);
    for (uint32_t i = 0; i < list.point_count; ++i)
        x[i] = place[list.local[i]];
}

/* See sn_evaluate_input. Unless `stand` is NULL, stores there what each point is. */
static sn_eval_in gather(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_vec3 *x,
                         sn_quat *q, standing *stand)
{
    const uint32_t points = pool_point_count(pool, row);
    uint32_t slot[4];
    sn_real weight[4];
    const sn_vec3 origin = origin_of(store, pool, row, frame);
    if (pool_has_lists(pool))
        gather_list(store, pool, row, frame, origin, x);
    for (uint32_t i = 0; i < points && !pool_has_lists(pool); ++i) {
        const sn_anchor *anchor = fixed_anchor(store, pool, row, i);
        body_anchor here;
        if (stand)
            stand[i].anchor = anchor;
        if (anchor) {
            x[i] = anchor_position(frame, anchor, origin, pool->kind->oriented ? &q[i] : NULL,
                                   stand ? &stand[i].held : &here);
            continue;
        }
        uint32_t count = sn_point_corners(store, pool, row, frame, i, slot, weight);
        x[i] = vec3_scale(frame_position(frame, slot[0], origin), weight[0]);
        for (uint32_t j = 1; j < count; ++j)
            x[i] = vec3_add(x[i], vec3_scale(frame_position(frame, slot[j], origin), weight[j]));
    }
    return (sn_eval_in){.x = x,
                        .param = pool->param + (size_t)row * pool->param_count,
                        .points = points,
                        .context = pool->kind->context,
                        .q = pool->kind->oriented ? q : NULL,
                        .point_param = pool_own(pool, row),
                        .state = pool_state(pool, row),
                        .planar = frame->planar};
}

sn_eval_in sn_evaluate_input(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                             sn_vec3 *x, sn_quat *q)
{
    return gather(store, pool, row, frame, x, q, NULL);
}

/* ---- Weighted points and anchors --------------------------------------------------------------------------------- */

/* The index of a particle in the block. Adds it if it is new; otherwise sets `apart` to false. */
static inline uint32_t block_index(sn_block *block, uint32_t slot, sn_real w, bool *apart)
{
    for (uint32_t i = 0; i < block->count; ++i)
        if (block->slot[i] == slot) {
            *apart = false;
            return i;
        }
    block->slot[block->count] = slot;
    block->w[block->count] = w;
    return block->count++;
}

/* Distribution of the gradients of the points to the entries of the block. */
typedef struct spreading {
    const sn_vec3 *by_point, *by_turn; /* by_turn: NULL if there is none */
    uint32_t points, rows;
    uint32_t count[SN_MAX_POINTS], owner[SN_MAX_POINTS][4];
    sn_real weight[SN_MAX_POINTS][4];
    standing *stand;
    uint32_t turn[SN_MAX_POINTS]; /* index in the block */
    bool apart;                   /* no entry is used by two points: gradients need not be summed */
} spreading;

static bool on_body(const standing *stand)
{
    return stand->anchor && stand->anchor->type == SN_POINT_BODY;
}

/* Finds the entries behind the points: first particles, then turns. */
SN_INLINE void find_owners(spreading *s, const sn_store *store, const sn_pool *pool, uint32_t row,
                           const sn_frame *frame, sn_block *block)
{
    uint32_t slot[4];
    block->count = 0;
    s->apart = true;
    for (uint32_t i = 0; i < s->points; ++i) {
        if (on_body(&s->stand[i])) {
            s->count[i] = 1;
            s->weight[i][0] = 1;
            slot[0] = frame->slot[s->stand[i].anchor->particle[0]];
        } else {
            s->count[i] = sn_point_corners(store, pool, row, frame, i, slot, s->weight[i]);
        }
        for (uint32_t j = 0; j < s->count[i]; ++j)
            s->owner[i][j] = block_index(block, slot[j], frame->x[slot[j]].w, &s->apart);
    }
    for (uint32_t i = 0; i < s->points; ++i)
        if (on_body(&s->stand[i])) {
            uint32_t body = s->stand[i].anchor->body;
            s->turn[i] = block_index(block, frame->turn_slot + body, block->w[s->owner[i][0]], &s->apart);
            make_ready(&s->stand[i].held, frame->turn[body].give);
        }
}

static inline double largest_part(sn_vec3 a)
{
    double x = fabs((double)a.x), y = fabs((double)a.y), z = fabs((double)a.z), most = x > y ? x : y;
    return z > most ? z : most;
}

/* Adds a share of a gradient. Two points of one body may act against each other, and the rounding error that remains
   must not rotate it. size: magnitude of the numbers from which the share was computed. */
static inline void give_share(const spreading *s, sn_vec3 *gradient, sn_vec3 share, double size)
{
    if (s->apart) {
        *gradient = share;
        return;
    }
    const double least = SN_EVALUATE_ROUNDING * size;
    sn_vec3 sum = vec3_add(*gradient, share);
    *gradient = vec3(fabs((double)sum.x) <= least ? 0 : sum.x, fabs((double)sum.y) <= least ? 0 : sum.y,
                     fabs((double)sum.z) <= least ? 0 : sum.z);
}

/* Distributes the gradient of a point on a body. */
SN_INLINE void spread_on_body(const spreading *s, uint32_t i, bool planar, sn_block *block)
{
    const body_anchor *held = &s->stand[i].held;
    for (uint32_t r = 0; r < s->rows; ++r) {
        sn_vec3 at = s->by_point[r * s->points + i], torque = vec3_cross(held->arm, at);
        if (s->by_turn)
            torque = vec3_add(torque, s->by_turn[r * s->points + i]);
        if (planar)
            at = gradient_in_plane(at);
        const double size = largest_part(at);
        give_share(s, &block->gradient[r * block->count + s->owner[i][0]], at, size);
        give_share(s, &block->gradient[r * block->count + s->turn[i]], turn_gradient(held, torque),
                   size * largest_part(held->arm) * largest_part(held->give));
    }
}

/* Distributes gradients to the particles: dC/dx_particle = sum over its points of weight * dC/dx_point. The sum must be
   taken before weighting with w: this is right also for two points that share a particle, where the sum of b^2 w for
   each point alone is wrong. A point on a body also has a gradient for the turn. */
SN_INLINE void spread(const spreading *s, const sn_frame *frame, sn_block *block)
{
    if (!s->apart)
        memset(block->gradient, 0, (size_t)s->rows * block->count * sizeof *block->gradient);
    for (uint32_t i = 0; i < s->points; ++i) {
        if (on_body(&s->stand[i])) {
            spread_on_body(s, i, frame->planar, block);
            continue;
        }
        for (uint32_t r = 0; r < s->rows; ++r)
            for (uint32_t j = 0; j < s->count[i]; ++j) {
                sn_vec3 share = vec3_scale(s->by_point[r * s->points + i], s->weight[i][j]);
                if (frame->planar)
                    share = gradient_in_plane(share);
                give_share(s, &block->gradient[r * block->count + s->owner[i][j]], share, largest_part(share));
            }
    }
}

SN_INLINE bool evaluate_anchors(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                sn_block *block, sn_block_room *room, uint32_t points, uint32_t rows)
{
    const uint32_t own_rows = pool->kind->rows, each = own_rows * pool->kind->points; /* constant-size memset: gcc would
                                                                                         make a slow loop of a memset
                                                                                         with variable size */
    sn_vec3 x[SN_MAX_POINTS], by_point[2 * SN_MAX_ROWS * SN_MAX_POINTS], *by_turn = by_point + each;
    sn_quat q[SN_MAX_POINTS];
    standing stand[SN_MAX_POINTS];
    memset(block->c, 0, sizeof block->c);
    memset(by_point, 0, 2 * each * sizeof *by_point);
    memset(room->row, 0, own_rows * sizeof *room->row);
    sn_eval_in in = gather(store, pool, row, frame, x, q, stand);
    sn_eval_out out = {block->c, by_point, pool->kind->oriented ? by_turn : NULL,
                       pool->kind->own_rows ? room->row : NULL};
    if (!pool->kind->eval(&in, &out))
        return false;
    spreading s;
    s.by_point = by_point;
    s.by_turn = out.turn;
    s.points = points;
    s.rows = rows;
    s.stand = stand;
    find_owners(&s, store, pool, row, frame, block);
    block->rows = rows;
    block->row = out.row;
    spread(&s, frame, block);
    block_hold(store, pool, row, frame, block);
    return true;
}

/* Joints get their own instance, like the usual shapes. */
bool sn_evaluate_anchors(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                         sn_block *block, sn_block_room *room)
{
    if (pool->kind->points == 2 && pool->kind->rows == 6)
        return evaluate_anchors(store, pool, row, frame, block, room, 2, 6);
    return evaluate_anchors(store, pool, row, frame, block, room, pool->kind->points, pool->kind->rows);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

bool sn_evaluate_list(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_block *block)
{
    const uint32_t rows = pool->kind->rows;
    sn_list list = pool_list(pool, row);
    sn_vec3 *by_point = store->many.column[SN_MANY_BY_POINT];
    memset(block->c, 0, rows * sizeof *block->c);
    memset(by_point, 0, (size_t)rows * list.point_count * sizeof *by_point);
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, store->many.column[SN_MANY_X], NULL);
    sn_eval_out out = {block->c, by_point, NULL, NULL};
    if (!pool->kind->eval(&in, &out))
        return false;

    block->rows = rows;
    block->row = NULL;
    block->count = list.particle_count;
    block->slot = store->many.column[SN_MANY_SLOT];
    block->w = store->many.column[SN_MANY_W];
    block->gradient = store->many.column[SN_MANY_GRADIENT];
    for (uint32_t i = 0; i < list.particle_count; ++i) {
        block->slot[i] = frame->slot[list.particle[i]];
        block->w[i] = frame->x[block->slot[i]].w;
    }
    memset(block->gradient, 0, (size_t)rows * list.particle_count * sizeof *block->gradient);
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t i = 0; i < list.point_count; ++i) {
            sn_vec3 *g = &block->gradient[r * list.particle_count + list.local[i]];
            *g = vec3_add(*g, by_point[r * list.point_count + i]);
        }
    block_hold(store, pool, row, frame, block);
    flatten(frame, block);
    return true;
}

/* ---- Forces ----------------------------------------------------------------------------------------------------- */

const sn_vec3 *sn_evaluate_force(const sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame,
                                 const sn_vec4 *v, sn_real *energy)
{
    sn_vec3 *velocity = store->many.column[SN_MANY_MOVE], *force = store->many.column[SN_MANY_FORCE];
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, store->many.column[SN_MANY_X], NULL);
    for (uint32_t i = 0; i < in.points; ++i) {
        uint32_t slot[4];
        sn_real weight[4];
        uint32_t count = sn_point_corners(store, pool, row, frame, i, slot, weight);
        const sn_anchor *anchor = sn_point_on_body(store, pool, row, i);
        force[i] = vec3(0, 0, 0);
        velocity[i] = anchor ? sn_frame_turning(frame, anchor, v) : vec3(0, 0, 0);
        for (uint32_t j = 0; j < count; ++j)
            velocity[i] = vec3_add(velocity[i], vec3_scale(vec4_xyz(v[slot[j]]), weight[j]));
    }
    *energy = pool->kind->force(&in, velocity, force);
    return force;
}

/* ---- The end of a substep ---------------------------------------------------------------------------------------- */

static void settle_row(sn_store *store, const sn_pool *pool, uint32_t row, const sn_frame *frame, sn_real h,
                       sn_real effective_h)
{
    sn_vec3 x[SN_MAX_POINTS];
    sn_quat q[SN_MAX_POINTS];
    sn_real exerted[SN_MAX_ROWS];
    sn_eval_in in = sn_evaluate_input(store, pool, row, frame, x, q);
    for (uint32_t r = 0; r < pool->kind->rows; ++r)
        exerted[r] = pool->lambda[(size_t)row * pool->kind->rows + r] / (effective_h * effective_h);
    in.keep = pool_state(pool, row);
    in.exerted = exerted;
    pool->kind->settle(&in, h);
}

void sn_evaluate_settle(sn_store *store, uint32_t kind, uint32_t first, uint32_t end, const sn_frame *frame, sn_real h,
                        sn_real effective_h)
{
    const sn_pool *pool = store->pool[kind];
    for (uint32_t row = first; row < end; ++row)
        if (sn_ids_is_live(&pool->ids, row) && pool_settles(pool, row))
            settle_row(store, pool, row, frame, h, effective_h);
}
