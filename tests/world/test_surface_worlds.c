/* Random small worlds of all that collides with itself: sheets, ropes, rings, nets, balloons and solids, thrown at each
   other and at bodies of every shape, light and heavy, at any number of substeps. SINEW_SEED=n runs others. */
#include "support/support.h"

#include "world/world.h"

#include <math.h>

#define CELL  1.2 /* m: one thing begins in each */
#define WIDE  2u  /* cells along each axis */
#define CELLS (WIDE * WIDE * WIDE)
#define MOST  700u

typedef struct maker {
    sn_world *world;
    uint64_t random;
    double fast; /* m/s */
    bool drives; /* something is driven, and gives energy */
    bool holds;  /* something does not move, and takes momentum */
    bool felt;   /* bodies feel each other */
    bool rigid;  /* nothing gives */
    bool plain;  /* default solver and integrator */
    double dt;
    uint32_t group;
    sn_vec3 middle;
    double turn[3][3];
    uint32_t first[CELLS], last[CELLS]; /* particles of things; the same: it has none */
    uint32_t things;
} maker;

static double in(maker *m, double least, double most)
{
    return support_random_in(&m->random, least, most);
}

static double power(maker *m, double least, double most)
{
    return pow(10, in(m, log10(least), log10(most)));
}

static uint32_t below(maker *m, uint32_t limit)
{
    return support_random_below(&m->random, limit);
}

static sn_vec3 any(maker *m, double most)
{
    const double x = in(m, -most, most), y = in(m, -most, most), z = in(m, -most, most);
    return vec(x, y, z);
}

static sn_quat any_turn(maker *m)
{
    sn_quat q;
    do {
        const sn_vec3 v = any(m, 1);
        q = (sn_quat){v.x, v.y, v.z, real(in(m, -1, 1))};
    } while ((double)(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w) < 0.1);
    return q;
}

/* ---- Things of particles ----------------------------------------------------------------------------------------- */

static sn_particle particle(const maker *m, uint32_t number)
{
    return sn_particle_from_index(m->world, number);
}

/* Places about the origin become particles that fly as one and turn. */
static uint32_t add_particles(maker *m, const double (*x)[3], uint32_t count)
{
    const double mass = power(m, 1e-4, 0.1), spin = in(m, -2, 2);
    const sn_vec3 v = any(m, 0.2 * m->fast), aim = vec3_scale(m->middle, real(-m->fast * in(m, 0, 1) / CELL));
    const uint32_t group = ++m->group;
    sn_group_contact contact = sn_default_group_contact(group);
    contact.material.static_friction = contact.material.dynamic_friction = real(below(m, 3) ? in(m, 0, 1) : 0);
    contact.material.restitution = real(below(m, 3) ? 0 : in(m, 0, 1));
    assert_ok(m->world, sn_world_set_group_contact(m->world, group, &contact));
    const double radius = below(m, 4) ? 0.005 : 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double y[3];
        for (uint32_t k = 0; k < 3; ++k)
            y[k] = m->turn[k][0] * x[i][0] + m->turn[k][1] * x[i][1] + m->turn[k][2] * x[i][2];
        const sn_particle p = sn_particle_add_at(m->world, vec3_add(m->middle, vec(y[0], y[1], y[2])), real(mass));
        first = i ? first : p.index;
        sn_particle_set_group(m->world, p, group);
        sn_particle_set_radius(m->world, p, real(radius));
        sn_particle_set_velocity(m->world, p, vec3_add(vec3_add(v, aim), vec(-spin * y[1], spin * y[0], 0)));
    }
    m->first[m->things] = first;
    m->last[m->things] = first + count;
    return first;
}

static sn_constraint rod(const maker *m, uint32_t a, uint32_t b, double compliance, int kind)
{
    sn_constraint c =
        kind == 1 ? sn_constraint_add_distance_max(m->world, sn_at(particle(m, a)), sn_at(particle(m, b)), SN_MEASURE)
                  : sn_constraint_add_distance(m->world, sn_at(particle(m, a)), sn_at(particle(m, b)), SN_MEASURE);
    assert_true(c.generation > 0);
    if (compliance > 0)
        assert_ok(m->world, sn_constraint_set_material(m->world, c, (sn_material){real(compliance), 0}));
    return c;
}

static double any_compliance(maker *m)
{
    return m->rigid || below(m, 2) ? 0 : power(m, 1e-7, 1e-3);
}

static void add_skin(maker *m, const uint32_t *triangles, uint32_t triangle_count, const uint32_t *segments,
                     uint32_t segment_count, double thickness)
{
    sn_skin_def def = sn_default_skin_def();
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    def.segments = segments;
    def.segment_count = segment_count;
    def.thickness = real(thickness);
    def.self_collision = true;
    assert_ok(m->world, sn_skin_add(m->world, &def, NULL));
}

/* A few particles stay where they are. */
static void hold_some(maker *m, uint32_t first, uint32_t count)
{
    if (!m->holds || below(m, 3))
        return;
    for (uint32_t i = 0, n = 1 + below(m, 4); i < n; ++i)
        assert_ok(m->world, sn_particle_set_mass(m->world, particle(m, first + below(m, count)), SN_IMMOVABLE));
}

/* Rods along all edges of triangles, once each, and hinges over them. */
static void join(const maker *m, const uint32_t *corner, uint32_t corners, double compliance, double bending)
{
    for (uint32_t i = 0; i < corners; ++i) {
        const uint32_t a = corner[i], b = corner[i % 3 == 2 ? i - 2 : i + 1], c = corner[i / 3 * 3 + (i + 2) % 3];
        uint32_t before = UINT32_MAX;
        for (uint32_t k = 0; k < corners; ++k)
            if (corner[k] == b && corner[k % 3 == 2 ? k - 2 : k + 1] == a)
                before = k;
        if (before == UINT32_MAX || before > i)
            rod(m, a, b, compliance, 0);
        if (before == UINT32_MAX || before > i || !(bending > 0))
            continue;
        const uint32_t d = corner[before / 3 * 3 + (before + 2) % 3];
        const sn_constraint fold = sn_constraint_add_bending(m->world, sn_at(particle(m, c)), sn_at(particle(m, d)),
                                                             sn_at(particle(m, a)), sn_at(particle(m, b)));
        assert_true(fold.generation > 0);
        assert_ok(m->world, sn_constraint_set_material(m->world, fold, (sn_material){real(bending), 0}));
    }
}

static void add_sheet(maker *m)
{
    const uint32_t n = 3 + below(m, 9), k = 3 + below(m, 9);
    const double wide = in(m, 0.2, 0.7), high = in(m, 0.2, 0.7), thick = power(m, 0.001, 0.01);
    const double shake = below(m, 2) ? 0.2 * fmin(wide / n, high / k) : 0;
    double x[MOST][3];
    uint32_t corner[6 * MOST], corners = 0;
    for (uint32_t i = 0; i < n * k; ++i) {
        x[i][0] = wide * (i % n / (n - 1.0) - 0.5) + in(m, -shake, shake);
        x[i][1] = high * (i / n / (k - 1.0) - 0.5) + in(m, -shake, shake); /* NOLINT: whole rows */
        x[i][2] = in(m, -shake, shake);
    }
    const uint32_t first = add_particles(m, (const double(*)[3])x, n * k);
    for (uint32_t i = 0; i < n * k; ++i) {
        const uint32_t a = first + i, down[6] = {a, a + 1, a + n, a + 1, a + n + 1, a + n},
                       up[6] = {a, a + 1, a + n + 1, a, a + n + 1, a + n};
        if (i % n + 1 == n || i / n + 1 == k)
            continue;
        memcpy(corner + corners, (i / n + i) % 2 ? down : up, sizeof down);
        corners += 6;
    }
    const double compliance = any_compliance(m);
    join(m, corner, corners, compliance, m->rigid || below(m, 2) ? 0 : power(m, 1, 1e5));
    for (uint32_t i = 0, limits = below(m, 2); limits && i + 2 < n * k; ++i) /* over two cells */
        if (i % n + 2 < n)
            rod(m, first + i, first + i + 2, compliance, 1);
    hold_some(m, first, n * k);
    add_skin(m, corner, corners / 3, NULL, 0, thick);
}

static void add_rope(maker *m)
{
    const bool ring = below(m, 2), slack = below(m, 2);
    const uint32_t count = 8 + below(m, 40);
    const double thick = power(m, 0.002, 0.02);
    double x[MOST][3];
    uint32_t end[2 * MOST];
    for (uint32_t i = 0; i < count; ++i) {
        const double a = 6.283185307 * i / count;
        x[i][0] = ring ? 0.35 * cos(a) : 0.9 * (i / (count - 1.0) - 0.5);
        x[i][1] = ring ? 0.35 * sin(a) : 0.05 * cos(a);
        x[i][2] = 0.05 * sin(2 * a);
    }
    const uint32_t first = add_particles(m, (const double(*)[3])x, count), pieces = ring ? count : count - 1;
    const double compliance = any_compliance(m);
    for (uint32_t i = 0; i < pieces; ++i) {
        end[2 * i] = first + i, end[2 * i + 1] = first + (i + 1) % count;
        rod(m, end[2 * i], end[2 * i + 1], compliance, slack);
    }
    hold_some(m, first, count);
    add_skin(m, NULL, 0, end, pieces, thick);
}

static void add_net(maker *m)
{
    const uint32_t n = 3 + below(m, 6);
    double x[MOST][3];
    uint32_t end[4 * MOST], ends = 0;
    for (uint32_t i = 0; i < n * n; ++i) {
        x[i][0] = 0.7 * (i % n / (n - 1.0) - 0.5);
        x[i][1] = 0.7 * (i / n / (n - 1.0) - 0.5); /* NOLINT: whole rows */
        x[i][2] = 0;
    }
    const uint32_t first = add_particles(m, (const double(*)[3])x, n * n);
    const double compliance = any_compliance(m);
    for (uint32_t i = 0; i < 2 * n * n; ++i) {
        const uint32_t a = i / 2, b = i % 2 ? a + n : a + 1;
        if (i % 2 ? b >= n * n : b % n == 0)
            continue;
        end[ends++] = first + a, end[ends++] = first + b;
        rod(m, first + a, first + b, compliance, 0);
    }
    hold_some(m, first, n * n);
    add_skin(m, NULL, 0, end, ends / 2, power(m, 0.002, 0.01));
}

/* A ball of triangles that holds its volume. */
static void add_balloon(maker *m)
{
    const uint32_t around = 6 + below(m, 6), rows = 4 + below(m, 4), count = around * (rows - 1) + 2;
    const double radius = in(m, 0.15, 0.4);
    double x[MOST][3] = {{0, radius, 0}, {0, -radius, 0}};
    uint32_t corner[6 * MOST], corners = 0;
    for (uint32_t i = 0; i + 2 < count; ++i) {
        const double a = 6.283185307 * (i % around) / around, b = 3.141592654 * (i / around + 1) / rows; /* NOLINT */
        x[i + 2][0] = radius * cos(a) * sin(b);
        x[i + 2][1] = radius * cos(b);
        x[i + 2][2] = radius * sin(a) * sin(b);
    }
    const uint32_t first = add_particles(m, (const double(*)[3])x, count);
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < around; ++i) {
            const uint32_t j = (i + 1) % around, high = first + 2 + (row - 1) * around, low = first + 2 + row * around;
            const uint32_t top[3] = {first, low + j, low + i}, bottom[3] = {first + 1, high + i, high + j},
                           both[6] = {high + i, high + j, low + i, high + j, low + j, low + i};
            const uint32_t *from = row == 0 ? top : row + 1 == rows ? bottom : both, n = from == both ? 6 : 3;
            memcpy(corner + corners, from, n * sizeof *from);
            corners += n;
        }
    join(m, corner, corners, any_compliance(m), 0);
    const sn_constraint air =
        sn_constraint_add_surface(m->world, SN_KIND_SURFACE_VOLUME, corners / 3, corner, SN_MEASURE, 1);
    assert_true(air.generation > 0);
    hold_some(m, first, count);
    add_skin(m, corner, corners / 3, NULL, 0, power(m, 0.001, 0.01));
}

/* A block of tetrahedra, six for each cell. */
static void add_block(maker *m)
{
    const uint32_t n = 2 + below(m, 3), cells = n - 1, all = n * n * n;
    static const uint8_t way[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}; /* of corners, bits x y z */
    static const uint8_t quad[3][4] = {{0, 2, 6, 4}, {0, 4, 5, 1}, {0, 1, 3, 2}};      /* at the least x, y, z */
    const double wide = in(m, 0.2, 0.6), compliance = any_compliance(m);
    double x[MOST][3];
    static bool joined[64][64];
    uint32_t corner[6 * MOST], corners = 0;
    memset(joined, 0, sizeof joined);
    for (uint32_t i = 0; i < all; ++i) {
        const uint32_t at[3] = {i % n, i / n % n, i / n / n};
        for (uint32_t k = 0; k < 3; ++k)
            x[i][k] = wide * (at[k] / (double)cells - 0.5);
    }
    const uint32_t first = add_particles(m, (const double(*)[3])x, all);
    for (uint32_t c = 0; c < cells * cells * cells; ++c) {
        const uint32_t at[3] = {c % cells, c / cells % cells, c / cells / cells};
        uint32_t p[8];
        for (uint32_t k = 0; k < 8; ++k)
            p[k] = at[0] + (k & 1) + n * (at[1] + (k >> 1 & 1) + n * (at[2] + (k >> 2)));
        for (uint32_t k = 0; k < 6; ++k) {
            const uint32_t t[4] = {p[0], p[way[k][0]], p[way[k][1]], p[7]};
            const sn_constraint v = sn_constraint_add_volume(
                m->world, sn_at(particle(m, first + t[0])), sn_at(particle(m, first + t[1])),
                sn_at(particle(m, first + t[2])), sn_at(particle(m, first + t[3])), SN_MEASURE);
            assert_true(v.generation > 0);
            for (uint32_t e = 0; e < 16; ++e) {
                const uint32_t a = t[e / 4] < t[e % 4] ? t[e / 4] : t[e % 4], b = t[e / 4] + t[e % 4] - a;
                if (a == b || joined[a][b])
                    continue;
                joined[a][b] = true;
                rod(m, first + a, first + b, compliance, 0);
            }
        }
        for (uint32_t side = 0; side < 6; ++side) { /* its diagonal runs from corner 0, or to corner 7 */
            const uint32_t axis = side / 2, far = side % 2;
            if (far ? at[axis] + 1 < cells : at[axis] > 0)
                continue;
            uint32_t q[4];
            for (uint32_t k = 0; k < 4; ++k)
                q[k] = first + p[far ? quad[axis][3 - k] | 1u << axis : quad[axis][k]];
            const uint32_t near[6] = {q[0], q[1], q[2], q[0], q[2], q[3]},
                           away[6] = {q[1], q[2], q[3], q[1], q[3], q[0]};
            memcpy(corner + corners, far ? away : near, sizeof near);
            corners += 6;
        }
    }
    hold_some(m, first, all);
    add_skin(m, corner, corners / 3, NULL, 0, power(m, 0.001, 0.01));
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static sn_real ball(void *context, sn_vec3 p)
{
    (void)context;
    return vec3_length(p) - real(0.3);
}

static void add_body(maker *m)
{
    static const uint32_t box[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const sn_body_type type = m->drives && below(m, 2)  ? SN_BODY_KINEMATIC
                              : m->holds && below(m, 2) ? SN_BODY_STATIC
                                                        : SN_BODY_DYNAMIC;
    sn_shape_def shape = sn_default_shape_def((sn_shape_type)below(m, type == SN_BODY_DYNAMIC ? 6 : SN_SHAPE_TYPES));
    sn_body_def def = sn_default_body_def();
    sn_vec3 vertex[20];
    sn_real height[36];
    const double size = power(m, 0.03, 0.3);
    shape.radius = real(size * in(m, 0.1, 1));
    const double z = size * in(m, 0.5, 1), y = size * in(m, 0.1, 1), x = size * in(m, 0.03, 1);
    shape.half = vec(x, y, z);
    shape.rounding = real(below(m, 4) ? 0 : in(m, 0, 0.02));
    if (shape.type == SN_SHAPE_HULL) {
        shape.vertex_count = 5 + below(m, 15);
        for (uint32_t i = 0; i < shape.vertex_count; ++i)
            vertex[i] = any(m, size);
        shape.vertices = vertex;
    } else if (shape.type == SN_SHAPE_MESH) {
        for (uint32_t i = 0; i < 8; ++i)
            vertex[i] = vec(i & 1 ? size : -size, i & 2 ? size : -size, i & 4 ? size : -size);
        shape.vertices = vertex, shape.vertex_count = 8;
        shape.triangles = box, shape.triangle_count = below(m, 2) ? 12 : 10;
    } else if (shape.type == SN_SHAPE_HEIGHTS) {
        for (uint32_t i = 0; i < 36; ++i)
            height[i] = real(in(m, -0.1, 0.1));
        shape.heights = height, shape.height_count[0] = shape.height_count[1] = 6, shape.cell = real(0.15);
    } else if (shape.type == SN_SHAPE_FIELD) {
        shape.function = ball;
        shape.low = vec(-0.4, -0.4, -0.4), shape.high = vec(0.4, 0.4, 0.4);
    }
    const bool ground = shape.type == SN_SHAPE_PLANE || shape.type == SN_SHAPE_HEIGHTS;
    def.type = type;
    def.shapes = &shape, def.shape_count = 1;
    def.position = ground ? vec((double)m->middle.x, -CELL * WIDE / 2 - 0.15, (double)m->middle.z) : m->middle;
    def.rotation = ground ? (sn_quat){0, 0, 0, 1} : any_turn(m);
    def.density = real(power(m, 10, 1e4));
    def.group = m->felt ? 200 : 201;
    if (type != SN_BODY_STATIC) {
        const sn_vec3 aim = vec3_scale(m->middle, real(ground ? 0 : -m->fast * in(m, 0, 1) / CELL));
        def.velocity = vec3_add(any(m, ground ? 0.1 : 0.3 * m->fast), aim);
        def.spin = any(m, ground ? 0 : fmin(20, 3 * m->fast));
    }
    if (type == SN_BODY_DYNAMIC)
        m->first[m->things] = m->last[m->things] = 0;
    assert_ok(m->world, sn_body_add(m->world, &def, NULL));
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------ */

static void choose_turn(maker *m)
{
    const sn_quat r = any_turn(m);
    const double x = (double)r.x, y = (double)r.y, z = (double)r.z, w = (double)r.w, n = x * x + y * y + z * z + w * w;
    const double turn[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (uint32_t i = 0; i < 9; ++i)
        m->turn[i / 3][i % 3] = turn[i / 3][i % 3] / n;
}

/* Walls all around, which may close. */
static void add_room(maker *m)
{
    for (uint32_t side = 0; side < 6; ++side) {
        const double out = side % 2 ? 1 : -1, at = out * (CELL * WIDE / 2 + 0.15), v = m->drives ? -out * 0.4 : 0;
        const bool x = side / 2 == 0, y = side / 2 == 1, z = side / 2 == 2;
        const sn_body wall =
            sn_static_add_plane(m->world, vec(x * at, y * at, z * at), vec(x * -out, y * -out, z * -out));
        if (v == 0)
            continue;
        assert_ok(m->world, sn_body_set_type(m->world, wall, SN_BODY_KINEMATIC));
        assert_ok(m->world, sn_body_set_velocity(m->world, wall, vec(x * v, y * v, z * v), vec(0, 0, 0)));
    }
}

static void choose_settings(maker *m, uint32_t threads)
{
    static const uint32_t substeps[] = {1, 2, 3, 4, 5, 8, 10, 20};
    sn_settings settings = sn_world_settings(m->world);
    sn_contact_settings contact = sn_world_contact_settings(m->world);
    settings.substeps = substeps[below(m, 8)];
    settings.iterations = below(m, 4) ? 1 : 4;
    m->holds = below(m, 3) > 0;
    m->drives = m->holds && below(m, 3) == 0;
    m->felt = below(m, 2);
    m->rigid = below(m, 2);
    if (!m->holds && below(m, 2))
        settings.gravity = vec(0, 0, 0);
    m->fast = power(m, 0.3, 40);
    m->dt = below(m, 3) ? 1.0 / 60 : below(m, 2) ? 1.0 / 30 : 1.0 / 240;
    settings.iterations = below(m, 12) ? settings.iterations : 0;
    m->plain = below(m, 4) > 0;
    if (!m->plain && below(m, 2))
        settings.integrator = (sn_integrator)below(m, 5);
    else if (!m->plain)
        settings.solver = (sn_solver)below(m, 5);
    contact.sleep = below(m, 2);
    assert_ok(m->world, sn_world_configure(m->world, &settings));
    assert_ok(m->world, sn_world_set_contact_settings(m->world, &contact));
    assert_ok(m->world, sn_world_set_threads(m->world, threads));
    m->world->parallel.eager = threads > 1;
    if (!m->felt) {
        sn_group_contact apart = sn_default_group_contact(201);
        apart.category = 2, apart.mask = 1;
        assert_ok(m->world, sn_world_set_group_contact(m->world, 201, &apart));
    }
}

/* Strings from one thing to another. What they join collides: otherwise features at their ends would pass. */
static void add_strings(maker *m)
{
    for (uint32_t i = 0; m->things > 1 && i < 2; ++i) {
        const uint32_t a = below(m, m->things), b = below(m, m->things), k = below(m, 64), j = below(m, 64);
        if (a == b || m->first[a] == m->last[a] || m->first[b] == m->last[b] || below(m, 3))
            continue;
        const uint32_t one = m->first[a] + k % (m->last[a] - m->first[a]),
                       two = m->first[b] + j % (m->last[b] - m->first[b]);
        assert_ok(m->world, sn_constraint_set_collides(m->world, rod(m, one, two, any_compliance(m), 1), true));
    }
}

static maker make(uint64_t seed, uint32_t threads)
{
    maker m = {.world = support_world(), .random = seed * 7919};
    choose_settings(&m, threads);
    if (m.holds && below(&m, 2))
        add_room(&m);
    const uint32_t filled = 2 + below(&m, 6);
    for (uint32_t cell = 0; cell < CELLS; ++cell) {
        m.middle = vec(CELL * (cell % WIDE - 0.5), CELL * (cell / WIDE % WIDE - 0.5), /* NOLINT: whole cells */
                       CELL * (cell / WIDE / WIDE - 0.5));                            /* NOLINT */
        if (below(&m, CELLS) >= filled)
            continue;
        choose_turn(&m);
        const uint32_t kind = below(&m, 9);
        (kind < 3    ? add_sheet
         : kind == 3 ? add_rope
         : kind == 4 ? add_net
         : kind == 5 ? add_balloon
         : kind == 6 ? add_block
                     : add_body)(&m);
        m.things++;
    }
    add_strings(&m);
    return m;
}

static void assert_finite(const sn_world *world, uint64_t seed, uint32_t frame)
{
    const sn_particle_store *p = &world->particles;
    for (uint32_t slot = 0; slot < p->table.count; ++slot)
        if (!support_is_finite(vec4_xyz(p->x[slot])) || !support_is_finite(vec4_xyz(p->v[slot])))
            fail_msg("world %u, frame %u: particle %u is not finite", (uint32_t)seed, frame, p->index[slot]);
}

/* kg m/s, kg m^2/s: what momenta are compared with. */
static double sum_of_momenta(const sn_world *world, double *turning)
{
    const sn_particle_store *p = &world->particles;
    double sum = 0;
    *turning = 0;
    for (uint32_t slot = 0; slot < p->table.count; ++slot)
        if (p->x[slot].w != 0) {
            const double one = (double)vec3_length(vec4_xyz(p->v[slot])) / (double)p->x[slot].w;
            sum += one;
            *turning += one * (1 + (double)vec3_length(vec4_xyz(p->x[slot])));
        }
    return sum;
}

static void reload(sn_world *world)
{
    sn_snapshot *saved = sn_world_save(world);
    assert_non_null(saved);
    assert_ok(world, sn_world_load(world, saved));
    sn_snapshot_destroy(saved);
}

/* How a world began. */
typedef struct beginning {
    sn_report report;
    double lowest; /* J: least potential energy so far */
    double sum, turning;
} beginning;

/* What is not driven has no more energy than it began with, and what is free keeps its momentum. Projections keep
   angular momentum to first order in the substep only. */
static void check_sums(const maker *m, beginning *b, uint64_t seed, uint32_t frame)
{
    const sn_settings settings = sn_world_settings(m->world);
    const bool free = !m->holds && vec3_length(settings.gravity) == 0, fine = settings.substeps >= 8;
    sn_report now;
    if (!m->plain)
        return;
    assert_ok(m->world, sn_world_report(m->world, &now));
    b->lowest = fmin(b->lowest, now.potential);
    const double start = b->report.kinetic + b->report.elastic + b->report.potential;
    const double most = start - b->lowest, has = now.kinetic + now.potential - b->lowest;
    if (!m->drives && has > most * (1 + 1e-3) + 1e-6)
        fail_msg("world %u, frame %u: %g J after %g J", (uint32_t)seed, frame, has, most);
    for (uint32_t k = 0; free && k < 3; ++k)
        if (fabs(now.momentum[k] - b->report.momentum[k]) > 1e-4 * b->sum ||
            (fine && fabs(now.angular_momentum[k] - b->report.angular_momentum[k]) > 0.1 * b->turning))
            fail_msg("world %u, frame %u: momentum %g after %g, angular momentum %g after %g", (uint32_t)seed, frame,
                     now.momentum[k], b->report.momentum[k], now.angular_momentum[k], b->report.angular_momentum[k]);
}

typedef struct tally {
    uint32_t worlds, contacts, stops;
} tally;

/* Some worlds have a twin on three threads that is saved and loaded before every step. */
static void run_world(uint64_t seed, tally *all)
{
    maker m = make(seed, 1), twin = {0};
    beginning b = {0};
    if (seed % 5 == 0)
        twin = make(seed, 3);
    assert_ok(m.world, sn_world_report(m.world, &b.report));
    assert_int_equal(sn_query_intersections(m.world, NULL, 0), 0);
    b.lowest = b.report.potential;
    b.sum = sum_of_momenta(m.world, &b.turning);
    for (uint32_t frame = 0; frame < 60; ++frame) {
        const sn_result result = sn_world_step(m.world, real(m.dt));
        if (!m.plain && result == SN_ERROR_DIVERGED)
            break; /* as other solvers may */
        assert_ok(m.world, result);
        assert_finite(m.world, seed, frame);
        const uint32_t met = sn_query_intersections(m.world, NULL, 0);
        if (met)
            fail_msg("world %u, frame %u: %u intersections", (uint32_t)seed, frame, met);
        check_sums(&m, &b, seed, frame);
        if (twin.world) {
            reload(twin.world);
            assert_ok(twin.world, sn_world_step(twin.world, real(m.dt)));
            assert_same_world(m.world, twin.world);
        }
        all->contacts += m.world->contacts.surfaces.contact_table.count;
    }
    all->worlds++;
    all->stops += (uint32_t)m.world->contacts.surfaces.stops;
    sn_world_destroy(m.world);
    if (twin.world)
        sn_world_destroy(twin.world);
}

static void random_worlds_hold(void **state)
{
    (void)state;
    const char *from = getenv("SINEW_SEED");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    tally all = {0};
    for (uint64_t seed = first, end = first + support_rounds(64, 2); seed < end; ++seed)
        run_world(seed, &all);
    print_message("%u worlds, %u contacts, %u stops of the guard\n", all.worlds, all.contacts, all.stops);
    assert_true(all.contacts > 20 * all.worlds);
}

/* Worlds that failed once. 5626: what fell in one piece and was nearer than numbers round stayed in the air. 5505: a
   block of rods lost what other surfaces gave it. 5874, 5414, 5619: balloons and blocks gained energy where they
   bounced. 20310: what lists knew decided whether a near pair stopped. */
static void worlds_that_failed_hold(void **state)
{
    (void)state;
    support_skip_watched();
    static const uint64_t seeds[] = {5626, 5505, 5874, 5414, 5619, 20310};
    tally all = {0};
    for (uint32_t i = 0; i < support_long(COUNT_OF(seeds), COUNT_OF(seeds) - 1); ++i) /* the last takes long */
        run_world(seeds[i], &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_worlds_hold), cmocka_unit_test(worlds_that_failed_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
