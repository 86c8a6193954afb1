/* seed 51107, 36 ops, twin: repeated
   op 0: crashes or hangs */
#define DIMENSIONS 3
#include <sinew/sinew.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static struct { int simd, threads, fill, mode, reload, again, scarce, asked; } twin;
static unsigned long long requests, fail_at, hashes[2][300];
static int second, failed, ever; /* memory fails once, or ever after */
static void *get(void *c, size_t n, size_t a)
{
    (void)c;
    ++requests;
    if (fail_at && (requests == fail_at || (ever && requests > fail_at))) { failed = 1; return NULL; }
    void *p = aligned_alloc(a < 16 ? 16 : a, (n + 63) / 64 * 64);
    return p ? memset(p, twin.fill, n) : NULL;
}
static void put(void *c, void *p, size_t n) { (void)c, (void)n; free(p); }
static sn_world *make(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *w = NULL;
    def.dimensions = DIMENSIONS;
    def.settings.substeps = 2;
    def.threads = twin.threads;
    def.simd = twin.simd;
    def.allocator = (sn_allocator){get, put, NULL};
    if (sn_world_create(&def, &w) != SN_OK)
        exit(2);
    return w;
}
static void mode(int m)
{
    fesetround((int[]){FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}[m]);
#if defined(__SSE2__)
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | (m == 4 ? 0x8040u : 0));
#endif
}
static void told(sn_world *w, int serial, const char *name, sn_result r, unsigned long long before)
{
    hashes[second][serial] = sn_world_hash(w);
    printf("%4d %-28s %-16s %016llx%s%s%s\n", serial, name, sn_result_text(r), hashes[second][serial],
           r != SN_OK && before != hashes[second][serial] ? " CHANGED BY A CALL THAT FAILED" : "",
           second && hashes[0][serial] != hashes[1][serial] ? " DIFFERS: " : " ", r ? sn_world_error(w) : "");
}
#define DO(serial, name, ...)                                                        \
    do {                                                                             \
        unsigned long long before = sn_world_hash(w);                                \
        sn_result r = SN_OK;                                                         \
        mode(twin.mode);                                                             \
        for (unsigned n = 1;; ++n) {                                                 \
            failed = 0;                                                              \
            fail_at = twin.scarce ? requests + n : 0, ever = n & 1;                  \
            r = (__VA_ARGS__);                                                       \
            fail_at = 0;                                                             \
            if (!failed || r == SN_OK) break;                                        \
            if (sn_world_hash(w) != before) printf("without request %u: ", n);       \
            if (sn_world_hash(w) != before) told(w, serial, name, r, before);        \
        }                                                                            \
        mode(0);                                                                     \
        told(w, serial, name, r, before);                                            \
    } while (0)
static void ask(const sn_world *w, int serial, const char *name, int which, const double *x, unsigned what)
{
    sn_query_filter f = {what, UINT32_MAX};
    sn_vec3 a = {x[0], x[1], x[2]}, b = {x[3], x[4], x[5]};
    sn_hit h[8] = {0};
    sn_real t = 0;
    unsigned n = 0;
    if (which == 0) n = sn_query_ray(w, a, b, x[6], f, h);
    if (which == 1) n = sn_query_sphere_cast(w, a, x[7], b, x[6], f, h);
    if (which == 2) n = sn_query_closest(w, a, x[6], f, h);
    if (which == 3) n = sn_query_overlap(w, a, x[7], f, h, 8);
    if (which == 4) n = sn_query_pick(w, a, b, x[6], x[7], &t).count;
    printf("%4d %-28s", serial, name);
    for (unsigned i = 0; i < n && i < 8 && which < 4; ++i)
        printf(" (%g %g %g) (%g %g %g) %g", h[i].point.x, h[i].point.y, h[i].point.z, h[i].normal.x, h[i].normal.y, h[i].normal.z, h[i].distance);
    printf(" %g\n", t);
}
static sn_result remove_in_events(sn_world *w, unsigned which)
{
    uint32_t n = 0;
    sn_result r = sn_world_step(w, (sn_real)(1.0 / 60));
    if (r) return r;
    const sn_contact_event *e = sn_world_contact_events(w, &n);
    if (!n) return SN_OK;
    sn_contact_event it = e[which % n];
    if (which & 1 && it.collider.generation) return sn_collider_remove(w, it.collider);
    if (which & 2 && sn_particle_is_valid(w, it.other)) return sn_particle_remove(w, it.other);
    return sn_particle_is_valid(w, it.particle) ? sn_particle_remove(w, it.particle) : SN_OK;
}
static sn_result copy_b(sn_world *w, sn_body from, sn_body *to)
{
    sn_body_def d;
    sn_result r = sn_body_read(w, from, &d);
    return r ? r : sn_body_add(w, &d, to);
}
static sn_result copy_k(sn_world *w, sn_collider from, sn_collider *to)
{
    sn_collider_def d;
    sn_result r = sn_collider_read(w, from, &d);
    return r ? r : sn_collider_add(w, &d, to);
}
static sn_result copy_c(sn_world *w, sn_constraint from, sn_constraint *to)
{
    sn_constraint_def d;
    sn_point points[64];
    sn_result r = sn_constraint_read(w, from, &d, points, 64);
    return r ? r : sn_constraint_add(w, &d, to);
}
static sn_result add_grid(sn_world *w, uint32_t n, int cloth, sn_particles *run)
{
    static sn_real xyz[3 * 80 * 80];
    static uint32_t index[4 * 80 * 80];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n; ++i) xyz[3 * i] = (sn_real)(i % n) / 8, xyz[3 * i + 1] = (sn_real)(i / n) / 8;
    *run = sn_add_particles(w, n * n, xyz, 0, 1);
    for (uint32_t i = 0; i < n * n; ++i) {
        if (i % n + 1 < n) index[count++] = run->first + i, index[count++] = run->first + i + 1;
        if (i / n + 1 < n) index[count++] = run->first + i, index[count++] = run->first + i + n;
    }
    return run->count && (!cloth || sn_add_constraints(w, SN_KIND_DISTANCE, count / 2, index, NULL, NULL).count) ? SN_OK : SN_ERROR_MEMORY;
}
static sn_world *reload(sn_world *w)
{
    sn_snapshot *s = sn_world_save(w);
    sn_world *fresh = make();
    if (sn_world_load(fresh, s)) { /* kinds and meshes would have to be made known */
        printf("     load: %s\n", sn_world_error(fresh));
        exit(3);
    }
    sn_snapshot_destroy(s);
    sn_world_destroy(w);
    return fresh;
}
static void again(sn_world *w)
{
    sn_snapshot *s = sn_world_save(w);
    sn_world_step(w, (sn_real)0.01);
    sn_add_particle(w, (sn_vec3){0, 0, 0}, 1);
    sn_world_step(w, (sn_real)0.02);
    sn_world_load(w, s);
    sn_snapshot_destroy(s);
}
#define HANDLE(prefix, type) static inline type stale_##prefix(type h) { h.generation += 0x40000000; return h; }
HANDLE(p, sn_particle) HANDLE(run, sn_particles) HANDLE(b, sn_body) HANDLE(c, sn_constraint)
HANDLE(cs, sn_constraints) HANDLE(k, sn_collider) HANDLE(s, sn_skin)
#define wild_p ((sn_particle){2000000000, 1})
#define wild_b ((sn_body){2000000000, 1})
#define wild_k ((sn_collider){2000000000, 1})
#define wild_s ((sn_skin){2000000000, 1})
#define wild_c ((sn_constraint){2000000000, 0, 1})
#define wild_run ((sn_particles){2000000000, 1, 1})
#define wild_cs ((sn_constraints){SN_KIND_DISTANCE, 2000000000, 1, 1})

static sn_vec3 net_wind(void *context, const sn_field_in *in) { (void)context; sn_vec3 f = {(sn_real)(2 - in->position.y), (sn_real)(in->position.x * in->mass), 0}; return f; }
static sn_vec3 net_drift(void *context, const sn_field_in *in) { (void)context; sn_vec3 f = {(sn_real)(-in->velocity.x), (sn_real)(in->time > 0.05 ? 3 : -3), 0}; return f; }
static sn_vec3 net_fails_later(void *context, const sn_field_in *in) { (void)context; sn_vec3 f = {(sn_real)(in->time > 0.07 ? NAN : 1), 0, 0}; return f; }
static sn_vec3 net_storm(void *context, const sn_field_in *in) { (void)context; sn_vec3 f = {(sn_real)(1e6 * in->position.y), (sn_real)1e6, 0}; return f; }
static sn_real net_ball(void *context, sn_vec3 p) { (void)context; return (sn_real)sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z)) - (sn_real)0.5; }
static sn_real net_slab(void *context, sn_vec3 p) { (void)context; return (p.y > 0 ? p.y : -p.y) - (sn_real)0.25; }
static bool net_go_on(void *context) { (void)context; return false; } static bool net_cancel(void *context) { (void)context; return true; }
static bool net_gap_eval(const sn_eval_in *in, const sn_eval_out *out) { out->c[0] = in->x[1].x - in->x[0].x - in->param[0]; out->gradient[0].x = -1; out->gradient[1].x = 1; return true; } static void net_gap_measure(const sn_eval_in *in, sn_real *param) { param[0] = in->x[1].x - in->x[0].x; } static const sn_kind net_gap = {.name = "net_gap", .points = 2, .rows = 1, .internal = true, .param = {{.name = "gap", .unit = "m"}}, .eval = net_gap_eval, .measure = net_gap_measure};
static bool net_comb_eval(const sn_eval_in *in, const sn_eval_out *out) { for (uint32_t i = 0; i < in->points; ++i) { out->c[0] += in->x[i].y - in->point_param[i]; out->gradient[i].y = 1; } return true; } static bool net_comb_project(const sn_eval_in *in, const sn_real *w, sn_vec3 *move) { for (uint32_t i = 0; i < in->points; ++i) if (w[i] > 0) move[i].y = (sn_real)0.5 * (in->point_param[i] - in->x[i].y); if (in->keep) in->keep[0] += 1; return true; } static void net_comb_measure(const sn_eval_in *in, sn_real *param) { for (uint32_t i = 0; i < in->points; ++i) param[i] = in->x[i].y; } static void net_comb_settle(const sn_eval_in *in, sn_real h) { in->keep[1] += h; } static const sn_kind net_comb = {.name = "net_comb", .least_points = 2, .rows = 1, .eval = net_comb_eval, .project = net_comb_project, .point_param = {{.name = "height", .unit = "m"}}, .measure_points = net_comb_measure, .state = 2, .settle = net_comb_settle};
static bool net_pull_eval(const sn_eval_in *in, const sn_eval_out *out) { (void)in; (void)out; return false; } static sn_real net_pull_force(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force) { (void)v; force[0].x = in->param[0] * (in->x[1].x - in->x[0].x); force[1].x = -force[0].x; return 0; } static const sn_kind net_pull = {.name = "net_pull", .points = 2, .rows = 1, .internal = true, .param = {{.name = "strength", .unit = "N/m", .has_default = true, .default_value = 3, .least = 0, .most = 100}}, .eval = net_pull_eval, .force = net_pull_force};
static const sn_kind net_taken = {.name = "distance", .points = 2, .rows = 1, .eval = net_gap_eval}; static const sn_kind net_no_eval = {.name = "net_no_eval", .points = 2, .rows = 1}; static const sn_kind net_no_rows = {.name = "net_no_rows", .points = 2, .eval = net_gap_eval}; static const sn_kind net_many_points = {.name = "net_many", .points = 99, .rows = 1, .eval = net_gap_eval};

static void run(void)
{
    sn_world *w = make();
    sn_constraint c3 = {0};
    sn_particles run4 = {0};
    sn_constraints cs5 = {0};
    sn_body b6 = {0};
    sn_body b8 = {0};
    sn_particle p9 = {0};
    sn_collider k10 = {0};
    sn_constraint c11 = {0};
    sn_constraint c12 = {0};
    sn_particle p14 = {0};
    sn_particles run16 = {0};
    sn_body b17 = {0};
    sn_constraint c26 = {0};
    sn_constraint c27 = {0};
    DO(1, "sn_world_configure", sn_world_configure(w, &(sn_settings){.gravity = {657.759521, -350.945343, 352.722504}, .solver = 5, .integrator = 1, .order = 3, .substeps = 4, .iterations = 3, .tolerance = 0.00125951134, .correct_stiffness = 1, .gradients = 1, .jacobi = 1, .relaxation = 1.05277967, .baumgarte = 0.761853039, .warm_start = 1, .linear = 1, .k_s = 274.25}));
    DO(2, "sn_world_set_contact_settings", sn_world_set_contact_settings(w, &(sn_contact_settings){.on = 1, .particles = 1, .push_out = 1.61494684, .bounce_above = -1, .sleep_speed = 0.8497141}));
    DO(3, "sn_add_joint", (c3 = sn_add_joint(w, &(sn_joint_def){.made = 85294610u, .kind = 40, .anchor = {-0.25, -1.25, 0.719396889}, .axis = {1, 0, 0}, .least = SN_MEASURE, .most = 0.832406759, .target = SN_MEASURE, .target_most = SN_MEASURE, .target_compliance = SN_MEASURE, .target_damping = SN_MEASURE, .speed = SN_MEASURE, .speed_most = SN_MEASURE, .friction = SN_MEASURE, .linear_compliance = SN_MEASURE, .linear_damping = SN_MEASURE, .angular_compliance = SN_MEASURE, .angular_damping = SN_MEASURE, .swing = SN_MEASURE, .target_turn = {SN_MEASURE, SN_MEASURE, SN_MEASURE}, .torque_strength = 23.1533298})).kind ? SN_OK : SN_ERROR_ARGUMENT);
    DO(4, "adding a grid", add_grid(w, 38, 0, &run4));
    DO(5, "sn_add_clusters", (cs5 = sn_add_clusters(w, &(sn_constraint_def){.made = 85294609u, .kind = 35, .point_count = 4, .param = {SN_MEASURE, 0.75, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE, SN_MEASURE}, .stiffness = 0.5}, 5, (const uint32_t[]){sn_particles_at(run4, 1405).index, sn_particles_at(run4, 73).index, sn_particles_at(run4, 170).index, sn_particles_at(run4, 1337).index, sn_particles_at(run4, 249).index}, 1.50814748)).count ? SN_OK : SN_ERROR_ARGUMENT);
    DO(6, "sn_add_box_body", (b6 = sn_add_box_body(w, (sn_vec3){1.25313437, -0.25, 1.06114745}, (sn_vec3){0.550726295, 0.17073065, 0.37259227}, 329.342926)).generation ? SN_OK : SN_ERROR_ARGUMENT);
    DO(7, "sn_particle_set_mass", sn_particle_set_mass(w, sn_particles_at(run4, 955), 1.19667232));
    DO(8, "sn_add_box_body", (b8 = sn_add_box_body(w, (sn_vec3){1.29759467, -0.373013943, 0.673187137}, (sn_vec3){0.378831774, 0.25, 0.557631135}, 114.217102)).generation ? SN_OK : SN_ERROR_ARGUMENT);
    DO(9, "sn_add_particle", (p9 = sn_add_particle(w, (sn_vec3){0.55063802, -1.5, 0.774083912}, 2.5)).generation ? SN_OK : SN_ERROR_ARGUMENT);
    DO(10, "sn_collider_add", sn_collider_add(w, &(sn_collider_def){.type = 1, .position = {0.274874479, -1.25, -1.17354608}, .rotation = {0, 0, 0, 1}, .velocity = {-2.25, 1.77010465, 1.198897}, .spin = {1.37616086, -4.5, -3}, .half = {0.539334297, 0.164850518, 0.287248015}, .radius = 0.465638429, .thickness = 0.25, .material = {.static_friction = 0.75, .dynamic_friction = 0.0946533382, .restitution = 0.578128457, .rolling = 0.477361143, .friction_mix = 2}, .category = 2, .mask = 4294967295, .one_sided = 1, .user = 2, .context = NULL, .sample_count = {5, 5, 5}, .low = {-1, -1, -1}, .high = {1, 1, 1}, .cell = 1.38050842}, &k10));
    DO(11, "sn_add_hinge_band", (c11 = sn_add_hinge_band(w, sn_at(sn_body_particle(w, b6)), sn_on_body_turned(b8, (sn_vec3){-0.25, -0.276788712, -0.229387015}, (sn_quat){0, 0, 0, 1}), sn_on_triangle(p9, sn_particles_at(run4, 909), sn_particles_at(run4, 298), 0.5, 0.25, 0.25), (sn_vec3){0, 1, 0}, -0.907785058, 0.25)).kind ? SN_OK : SN_ERROR_ARGUMENT);
    DO(12, "sn_add_distance", (c12 = sn_add_distance(w, sn_at(sn_body_particle(w, b8)), sn_at(sn_body_particle(w, b6)), SN_MEASURE)).kind ? SN_OK : SN_ERROR_ARGUMENT);
    /* bad on purpose */
    DO(13, "sn_particle_set_mass", sn_particle_set_mass(w, sn_particles_at(run4, 815), 1e-31));
    DO(14, "sn_add_particle", (p14 = sn_add_particle(w, (sn_vec3){-1.5, -1, -0.25}, 2.65050936)).generation ? SN_OK : SN_ERROR_ARGUMENT);
    if (twin.again) again(w);
    /* bad on purpose */
    DO(15, "sn_world_step", sn_world_step(w, NAN));
    DO(16, "sn_add_particles", (run16 = sn_add_particles(w, 4, (const sn_real[]){0.550469935, -0.25, -1.25, -0.826178253, -0.933309197, -0.550382257, -0.5, 1, -0.337708354, -0.879854023, 0.906905234, -1.47942865}, 0, INFINITY)).count ? SN_OK : SN_ERROR_ARGUMENT);
    DO(17, "sn_add_box_body", (b17 = sn_add_box_body(w, (sn_vec3){-0.807692111, -0.254091322, -1}, (sn_vec3){0.25, 0.254768729, 0.25}, 783)).generation ? SN_OK : SN_ERROR_ARGUMENT);
    DO(18, "sn_world_remove_drag", sn_world_remove_drag(w, 0));
    DO(19, "sn_collider_set_material", sn_collider_set_material(w, k10, &(sn_contact_material){.static_friction = 0.746237874, .restitution = 0.25, .rolling = 0.608316362, .friction_mix = 2, .restitution_mix = 1}));
    /* bad on purpose */
    DO(20, "sn_world_step", sn_world_step(NULL, 0.0166666675));
    DO(21, "sn_world_step", sn_world_step(w, 0.0166666675));
    DO(22, "sn_world_step", sn_world_step(w, 0.0166666675));
    if (twin.again) again(w);
    DO(23, "sn_world_step", sn_world_step(w, 0.0402025543));
    DO(24, "sn_world_step", sn_world_step(w, 0.0166666675));
    DO(25, "sn_rewind_back", sn_rewind_back(0, w, 0));
    DO(26, "sn_add_edge_edge", (c26 = sn_add_edge_edge(w, sn_on_body_turned(b6, (sn_vec3){-0.0861181319, -0.413114518, -0.160391897}, (sn_quat){0.0850136057, 0.5, -0.25, 0.600825906}), sn_in_tetrahedron(sn_body_particle(w, b8), sn_body_particle(w, b17), sn_particles_at(run16, 2), sn_particles_at(run4, 944), 0.25, 0.25, 0.125, 0.375), sn_on_body_turned(b6, (sn_vec3){-0.0690463111, 0.25, -0.142861918}, (sn_quat){0, 0, 0, 1}), sn_on_triangle(p9, p14, sn_particles_at(run16, 0), 0.5, 0.25, 0.25), SN_MEASURE)).kind ? SN_OK : SN_ERROR_ARGUMENT);
    DO(27, "sn_add_hinge", (c27 = sn_add_hinge(w, sn_at(sn_body_particle(w, b17)), sn_on_body_turned(b6, (sn_vec3){-0.290414333, 0.246288255, 0.0720812976}, (sn_quat){0.18973738, -0.25, -0.199196696, 0.428291649}), sn_on_triangle(sn_particles_at(run4, 939), sn_particles_at(run4, 722), sn_particles_at(run16, 3), 0.5, 0.25, 0.25), (sn_vec3){0, 0, 1}, SN_MEASURE)).kind ? SN_OK : SN_ERROR_ARGUMENT);
    DO(41, "sn_world_step", sn_world_step(w, 0.0166666675));
    if (twin.again) again(w);
    DO(42, "sn_world_step", sn_world_step(w, 0.0166666675));
    /* bad on purpose */
    DO(43, "sn_world_step", sn_world_step(w, -1));
    if (twin.again) again(w);
    DO(44, "sn_world_step", sn_world_step(w, 0.0166666675));
    DO(45, "sn_world_step", sn_world_step(w, 0.0166666675));
    if (twin.again) again(w);
    DO(46, "sn_world_step", sn_world_step(w, 0.0166666675));
    DO(47, "sn_world_step", sn_world_step(w, 0.0186089948));
    DO(49, "sn_world_step", sn_world_step(w, 0.0166666675));
    if (twin.again) again(w);
    DO(50, "sn_world_step", sn_world_step(w, 0.0166666675));
    sn_world_destroy(w);
}

int main(void)
{
    twin.simd = SN_SIMD_SCALAR, twin.threads = 1;
    run();
    puts("twin: repeated");
    twin.simd = 0, twin.threads = 1, twin.fill = 0, twin.mode = 0;
    twin.reload = 0, twin.again = 1, twin.scarce = 0, second = 1;
    run();
    return 0;
}
