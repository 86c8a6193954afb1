/* What is shot at: one body, whose frame is that of the shot. */
#include "shots/shots.h"

#include "base/quat.h"

#include <math.h>

enum { MOST_SHAPES = 9, MOST_CELLS = 8, MOST_SAMPLES = 24 * 24 * 13 };

/* The shapes of a target, and what they point to. */
typedef struct target_shapes {
    sn_body_def body;
    sn_shape_def shape[MOST_SHAPES];
    uint32_t count;
    sn_vec3 vertex[(MOST_CELLS + 1) * (MOST_CELLS + 1)];
    uint32_t corner[6 * MOST_CELLS * MOST_CELLS];
    sn_real height[(MOST_CELLS + 1) * (MOST_CELLS + 1)], sample[MOST_SAMPLES];
} target_shapes;

static const sn_quat UPRIGHT = {(sn_real)0.70710678, 0, 0, (sn_real)0.70710678}; /* takes y to z */

static const uint32_t CUBE[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

sn_vec3 shot_place(const shot *s, sn_vec3 own)
{
    return vec3_add(s->origin, sn_quat_rotate(s->turn, own));
}

sn_vec3 shot_along(const shot *s, sn_vec3 own)
{
    return sn_quat_rotate(s->turn, own);
}

sn_vec3 shot_seen(const shot *s, sn_vec3 place)
{
    const bool framed = s->frame.generation != 0;
    const sn_vec3 at = framed ? sn_body_position(s->world, s->frame) : s->origin;
    return sn_quat_rotate_back(framed ? sn_body_rotation(s->world, s->frame) : s->turn, vec3_sub(place, at));
}

static sn_shape_def *add_shape(target_shapes *t, sn_shape_type type)
{
    sn_shape_def *shape = &t->shape[t->count++];
    *shape = sn_default_shape_def(type);
    return shape;
}

static void add_box(target_shapes *t, sn_vec3 at, sn_vec3 half)
{
    sn_shape_def *shape = add_shape(t, SN_SHAPE_BOX);
    shape->position = at;
    shape->half = half;
}

/* ---- Plates ------------------------------------------------------------------------------------------------------ */

static void cube_corners(sn_vec3 *vertex, sn_vec3 low, sn_vec3 high)
{
    for (uint32_t i = 0; i < 8; ++i)
        vertex[i] = vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

static void add_mesh(target_shapes *t, uint32_t vertices, uint32_t triangles)
{
    sn_shape_def *shape = add_shape(t, SN_SHAPE_MESH);
    shape->vertices = t->vertex;
    shape->vertex_count = vertices;
    shape->triangles = t->corner;
    shape->triangle_count = triangles;
}

/* A sheet whose front is up. */
static void add_sheet(shot *s, target_shapes *t)
{
    const uint32_t cells = 1 + shot_among(&s->seed, MOST_CELLS);
    uint32_t count = 0;
    for (uint32_t i = 0; i <= cells; ++i)
        for (uint32_t j = 0; j <= cells; ++j)
            t->vertex[i * (cells + 1) + j] = vec((2.0 * i / cells - 1) * s->wide, (2.0 * j / cells - 1) * s->wide, 0);
    for (uint32_t i = 0; i < cells; ++i)
        for (uint32_t j = 0; j < cells; ++j) {
            const uint32_t a = i * (cells + 1) + j, b = a + cells + 1;
            const uint32_t two[] = {a, b, a + 1, b, b + 1, a + 1};
            for (uint32_t k = 0; k < 6; ++k)
                t->corner[count++] = two[k];
        }
    add_mesh(t, (cells + 1) * (cells + 1), count / 3);
    t->shape[0].one_sided = s->at == ONE_SIDED;
}

static sn_real slab(void *context, sn_vec3 p)
{
    const double *half = context, d[3] = {fabs((double)p.x) - half[0], fabs((double)p.y) - half[0],
                                          fabs((double)p.z + half[1]) - half[1]};
    double square = 0;
    for (int k = 0; k < 3; ++k)
        square += d[k] > 0 ? d[k] * d[k] : 0;
    return real(square > 0 ? sqrt(square) : fmax(d[0], fmax(d[1], d[2])));
}

/* Two numbers live as long as the process: a field reads them whenever the world asks. */
static double *slab_of(double wide, double half)
{
    static double size[2];
    size[0] = wide;
    size[1] = half;
    return size;
}

static void add_field(shot *s, target_shapes *t)
{
    sn_shape_def *shape = add_shape(t, SN_SHAPE_FIELD);
    double *size = slab_of(s->wide, s->thick / 2);
    if (s->at == FIELD) {
        shape->function = slab;
        shape->context = size;
        shape->low = vec(-1.01 * s->wide, -1.01 * s->wide, -1.5 * s->thick);
        shape->high = vec(1.01 * s->wide, 1.01 * s->wide, 0.5 * s->thick);
        return;
    }
    const double cell = s->thick / (shot_among(&s->seed, 2) ? 2 : 1);
    const uint32_t n[3] = {24, 24, 13};
    size[0] = 9 * cell;
    s->wide = 8 * cell;
    shape->samples = t->sample;
    shape->low = vec(-11.5 * cell, -11.5 * cell, -s->thick / 2 - 6 * cell);
    shape->cell = real(cell);
    for (uint32_t k = 0; k < n[2]; ++k)
        for (uint32_t j = 0; j < n[1]; ++j)
            for (uint32_t i = 0; i < n[0]; ++i)
                t->sample[(k * n[1] + j) * n[0] + i] =
                    slab(size, vec3_add(shape->low, vec(i * cell, j * cell, k * cell)));
    memcpy(shape->sample_count, n, sizeof n);
}

static void add_heights(shot *s, target_shapes *t)
{
    const uint32_t n = 2 + shot_among(&s->seed, MOST_CELLS - 1);
    sn_shape_def *shape = add_shape(t, SN_SHAPE_HEIGHTS);
    shape->heights = t->height;
    shape->height_count[0] = shape->height_count[1] = n;
    shape->cell = real(2 * s->wide / (n - 1));
    shape->rotation = UPRIGHT;
}

static void add_row(const shot *s, target_shapes *t)
{
    const double each = 2 * s->wide / MOST_SHAPES;
    for (int i = 0; i < MOST_SHAPES; ++i)
        add_box(t, vec((i - MOST_SHAPES / 2) * each, 0, -s->thick / 2), vec(each / 2, s->wide, s->thick / 2));
}

static void add_disk(const shot *s, target_shapes *t)
{
    sn_shape_def *shape = add_shape(t, SN_SHAPE_CYLINDER);
    shape->rotation = UPRIGHT;
    shape->radius = real(s->wide);
    shape->half.y = real(s->thick / 2);
    shape->position.z = real(-s->thick / 2);
}

static void add_plate_shapes(shot *s, target_shapes *t)
{
    if (s->at == HULL) /* a flatter one counts as flat */
        s->wide = fmin(s->wide, 500 * s->thick);
    const sn_vec3 at = vec(0, 0, -s->thick / 2), half = vec(s->wide, s->wide, s->thick / 2);
    switch (s->at) {
    case PLANE:
        add_shape(t, SN_SHAPE_PLANE)->rotation = UPRIGHT;
        break;
    case HULL:
        cube_corners(t->vertex, vec3_sub(at, half), vec3_add(at, half));
        add_shape(t, SN_SHAPE_HULL)->vertices = t->vertex;
        t->shape[0].vertex_count = 8;
        break;
    case SOLID_MESH:
        cube_corners(t->vertex, vec3_sub(at, half), vec3_add(at, half));
        memcpy(t->corner, CUBE, sizeof CUBE);
        add_mesh(t, 8, 12);
        break;
    case SHEET:
    case ONE_SIDED:
        add_sheet(s, t);
        break;
    case HEIGHTS:
        add_heights(s, t);
        break;
    case FIELD:
    case GRID:
        add_field(s, t);
        break;
    case ROW:
        add_row(s, t);
        break;
    case DISK:
        add_disk(s, t);
        break;
    case SPHERE:
        add_shape(t, SN_SHAPE_SPHERE)->radius = real(10 * s->size);
        t->shape[0].position.z = real(-10 * s->size);
        break;
    case ROLLER: {
        sn_shape_def *shape = add_shape(t, shot_among(&s->seed, 2) ? SN_SHAPE_CAPSULE : SN_SHAPE_CYLINDER);
        shape->radius = real(10 * s->size);
        shape->half.y = real(s->wide);
        shape->position.z = -shape->radius;
        break;
    }
    default:
        add_box(t, at, half);
    }
}

/* What moves: a speed of its own for what comes along, mass for what is free. */
static void set_plate_motion(shot *s, sn_body_def *def)
{
    if (s->at == COMING)
        def->velocity = shot_along(s, vec(0, 0, s->speed));
    if (s->at == SWINGING) {
        const double most = s->speed / (1 + s->size), angle = 0.4 / (s->dt * s->frames);
        def->spin = shot_along(s, vec(0, -fmin(most, angle), 0));
    }
    if (s->at == FREE || s->at == SLIDING) {
        def->mass = real(s->mass * s->ratio);
        if (s->at == SLIDING)
            def->moments = vec(INFINITY, INFINITY, INFINITY);
    }
}

/* ---- Rooms and tubes --------------------------------------------------------------------------------------------- */

static sn_real hollow(void *context, sn_vec3 p)
{
    const double *half = context;
    const double most = fmax(fabs((double)p.x), fmax(fabs((double)p.y), fabs((double)p.z)));
    return real(fmax(half[0] - most, most - half[0] - half[1]));
}

/* A solid with a cavity: its inner faces look inwards. */
static void add_hollow_mesh(const shot *s, target_shapes *t)
{
    const double in = s->half, out = s->half + s->thick;
    cube_corners(t->vertex, vec(-out, -out, -out), vec(out, out, out));
    cube_corners(t->vertex + 8, vec(-in, -in, -in), vec(in, in, in));
    memcpy(t->corner, CUBE, sizeof CUBE);
    for (uint32_t i = 0; i < COUNT_OF(CUBE); i += 3) {
        t->corner[COUNT_OF(CUBE) + i] = 8 + CUBE[i];
        t->corner[COUNT_OF(CUBE) + i + 1] = 8 + CUBE[i + 2];
        t->corner[COUNT_OF(CUBE) + i + 2] = 8 + CUBE[i + 1];
    }
    add_mesh(t, 16, 24);
}

/* A wall whose inner face is at a distance `half` from the middle, and looks to it. */
static void add_wall(const shot *s, target_shapes *t, walls kind, sn_vec3 angle, uint32_t number)
{
    const double wide = 1.5 * s->half;
    const sn_quat turn = sn_quat_rotated((sn_quat){0, 0, 0, 1}, angle);
    const sn_vec3 out = sn_quat_rotate(turn, vec(0, -1, 0));
    if (kind == PLANES) {
        sn_shape_def *shape = add_shape(t, SN_SHAPE_PLANE);
        shape->rotation = turn;
        shape->position = vec3_scale(out, real(s->half));
    } else if (kind == BOXES) {
        sn_shape_def *shape = add_shape(t, SN_SHAPE_BOX);
        shape->rotation = turn;
        shape->half = vec(wide, s->thick / 2, s->where == IN_TUBE ? s->wide : wide);
        shape->position = vec3_scale(out, real(s->half + s->thick / 2));
    } else {
        static const uint32_t two[] = {0, 2, 1, 1, 2, 3};
        for (uint32_t i = 0; i < 4; ++i)
            t->vertex[4 * number + i] = vec(i & 1 ? wide : -wide, 0, i & 2 ? wide : -wide);
        memcpy(t->corner + 6 * number, two, sizeof two);
        add_mesh(t, 4, 2);
        t->shape[t->count - 1].vertices = t->vertex + 4 * number;
        t->shape[t->count - 1].triangles = t->corner + 6 * number;
        t->shape[t->count - 1].rotation = turn;
        t->shape[t->count - 1].position = vec3_scale(out, real(s->half));
    }
}

static void add_room_shapes(shot *s, target_shapes *t)
{
    const double q = 1.5707963267948966;
    const sn_vec3 angle[] = {vec(0, 0, 0), vec(2 * q, 0, 0), vec(0, 0, q), vec(0, 0, -q), vec(q, 0, 0), vec(-q, 0, 0)};
    if (s->where == IN_ROOM && s->walls == HOLLOW_MESH) {
        add_hollow_mesh(s, t);
        return;
    }
    if (s->where == IN_ROOM && s->walls == HOLLOW_FIELD) {
        sn_shape_def *shape = add_shape(t, SN_SHAPE_FIELD);
        const double out = s->half + s->thick;
        shape->function = hollow;
        shape->context = slab_of(s->half, s->thick);
        shape->low = vec(-out, -out, -out);
        shape->high = vec(out, out, out);
        return;
    }
    const walls kind = s->where == IN_ROOM ? s->walls : s->walls == PLANES ? PLANES : BOXES;
    for (uint32_t i = 0; i < (s->where == IN_ROOM ? 6 : 4); ++i) /* a tube is open along z */
        add_wall(s, t, kind, angle[i], i);
    if (s->where == IN_TUBE && s->end)
        add_box(t, vec(0, 0, -s->thick / 2), vec(1.5 * s->half, 1.5 * s->half, s->thick / 2));
}

static void set_room_motion(shot *s, sn_body_def *def)
{
    if (s->where != IN_ROOM || s->motion == STILL)
        return;
    def->type = SN_BODY_KINEMATIC;
    if (s->motion == MOVING)
        def->velocity = vec3_scale(shot_direction(&s->seed), real(s->speed));
    if (s->motion == TURNING) {
        const double spin = fmin(shot_exponential(&s->seed, 0.1, 100), 0.5 * 500 / s->half);
        def->spin = vec3_scale(shot_direction(&s->seed), real(spin));
    }
}

void shot_add_target(shot *s)
{
    static target_shapes shapes;
    target_shapes *t = &shapes;
    memset(t, 0, sizeof *t);
    if (s->where == AT_PAIR)
        return;
    t->body = sn_default_body_def();
    t->body.type = shot_among(&s->seed, 2) ? SN_BODY_STATIC : SN_BODY_KINEMATIC;
    t->body.position = s->origin;
    t->body.rotation = s->turn;
    if (s->where == AT_PLATE) {
        add_plate_shapes(s, t);
        if (s->at == FREE || s->at == SLIDING)
            t->body.type = SN_BODY_DYNAMIC;
        else if (s->at == COMING || s->at == SWINGING)
            t->body.type = SN_BODY_KINEMATIC;
        set_plate_motion(s, &t->body);
    } else {
        add_room_shapes(s, t);
        set_room_motion(s, &t->body);
    }
    t->body.shapes = t->shape;
    t->body.shape_count = t->count;
    assert_ok(s->world, sn_body_add(s->world, &t->body, &s->frame));
}
