/* A program as C source that needs the public API only. */
#include "random/net.h"

typedef struct writer {
    FILE *file;
    const net_program *program;
    const net_cell *cell; /* the next one */
} writer;

/* ---- What was made ---------------------------------------------------------------------------------------------------- */

static net_type made_type(const net_program *program, uint64_t serial)
{
    for (uint32_t i = 0; i < program->ops; ++i) {
        const net_op *op = &program->op[i];
        if (op->serial != serial)
            continue;
        if (op->call == OP_GRID)
            return TYPE_RUN;
        if (op->call == OP_COPY) {
            net_type type = made_type(program, op->cell[0].as.number);
            return type == TYPE_CONSTRAINTS ? TYPE_CONSTRAINT : type;
        }
        if (op->call >= CALL_COUNT)
            return TYPE_NONE;
        const net_call_info *call = net_call_of((net_call)op->call);
        if (call->returns != TYPE_RESULT)
            return call->returns;
        const net_type_info *last = net_type_of(call->argument[call->arguments - 1].type);
        return last->class == CLASS_OUT ? (net_type)last->of : TYPE_NONE;
    }
    return TYPE_NONE;
}

static const struct {
    net_type type;
    const char *prefix, *c_type, *good;
} variables[] = {
    {TYPE_PARTICLE, "p", "sn_particle", ".generation"},
    {TYPE_RUN, "run", "sn_particles", ".count"},
    {TYPE_BODY, "b", "sn_body", ".generation"},
    {TYPE_CONSTRAINT, "c", "sn_constraint", ".kind"},
    {TYPE_CONSTRAINTS, "cs", "sn_constraints", ".count"},
    {TYPE_FIXED, "k", "sn_body", ".generation"},
    {TYPE_SKIN, "s", "sn_skin", ".generation"},
    {TYPE_FIELD, "f", "uint32_t", ""},
    {TYPE_DRAG, "d", "uint32_t", ""},
    {TYPE_SNAPSHOT, "saved", "sn_snapshot *", ""},
    {TYPE_REWIND, "rewind", "sn_rewind *", ""},
    {TYPE_ACCUMULATOR, "accumulator", "sn_accumulator *", ""},
    {TYPE_NEW_KIND, "kind", "uint32_t", ""},
};

static uint32_t variable_of(net_type type)
{
    uint32_t i = 0;
    while (i < COUNT_OF(variables) && variables[i].type != type)
        ++i;
    return i;
}

static void write_handle(writer *w, net_type type, const net_cell *cell)
{
    net_type wanted = type == TYPE_PARTICLE_NUMBER ? TYPE_PARTICLE
                      : type == TYPE_BODY_OR_WORLD || type == TYPE_ANY_BODY
                          ? (made_type(w->program, cell->as.number) == TYPE_FIXED ? TYPE_FIXED : TYPE_BODY)
                      : type == TYPE_SAVED ? TYPE_SNAPSHOT
                                           : type;
    net_type made = made_type(w->program, cell->as.number);
    unsigned serial = (unsigned)cell->as.number;
    uint32_t v = variable_of(wanted);
    bool plain = wanted == TYPE_FIELD || wanted == TYPE_DRAG || wanted == TYPE_SNAPSHOT || wanted == TYPE_REWIND ||
                 wanted == TYPE_ACCUMULATOR;
    bool fits = made == wanted || (wanted == TYPE_PARTICLE && (made == TYPE_RUN || made == TYPE_BODY)) ||
                (wanted == TYPE_CONSTRAINT && made == TYPE_CONSTRAINTS);
    if (plain) {
        if (cell->flaw >= FLAW_GENERATION)
            fprintf(w->file, "2000000000");
        else if (fits && cell->flaw == FLAW_NONE)
            fprintf(w->file, "%s%u", variables[v].prefix, serial);
        else
            fprintf(w->file, "0");
        return;
    }
    if (cell->flaw == FLAW_GENERATION)
        fprintf(w->file, "stale_%s(", variables[v].prefix);
    if (cell->flaw == FLAW_WILD)
        fprintf(w->file, "wild_%s", variables[v].prefix);
    else if (!fits || cell->flaw == FLAW_NULL)
        fprintf(w->file, "(%s){0}", variables[v].c_type);
    else if (made == wanted)
        fprintf(w->file, "%s%u", variables[v].prefix, serial);
    else if (made == TYPE_RUN)
        fprintf(w->file, "sn_particles_at(run%u, %u)", serial, cell->item);
    else if (made == TYPE_BODY)
        fprintf(w->file, "sn_body_particle(w, b%u)", serial);
    else
        fprintf(w->file, "sn_constraints_at(cs%u, %u)", serial, cell->item);
    if (cell->flaw == FLAW_GENERATION)
        fprintf(w->file, ")");
    if (type == TYPE_PARTICLE_NUMBER)
        fprintf(w->file, ".index");
}

/* ---- Values --------------------------------------------------------------------------------------------------------- */

static void write_real(writer *w, double x)
{
    if (isnan(x))
        fprintf(w->file, "NAN");
    else if (isinf(x))
        fprintf(w->file, "%sINFINITY", x < 0 ? "-" : "");
    else if (x == (double)SN_MEASURE)
        fprintf(w->file, "SN_MEASURE");
    else
        fprintf(w->file, "%.*g", sizeof(sn_real) == 4 ? 9 : 17, x);
}

static void write_reals(writer *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(w->file, i ? ", " : "");
        write_real(w, (w->cell++)->as.real);
    }
}

static void write_value(writer *w, net_type type, bool in_struct);

static void write_point(writer *w)
{
    const net_cell *c = w->cell;
    uint64_t count = c[8].as.number, type = c[9].as.number;
    w->cell += 18;
    if (type == SN_POINT_PARTICLES && count == 1) {
        fprintf(w->file, "sn_at(");
        write_handle(w, TYPE_PARTICLE, c);
        fprintf(w->file, ")");
    } else if (type == SN_POINT_PARTICLES) {
        fprintf(w->file, count == 3 ? "sn_on_triangle(" : "sn_in_tetrahedron(");
        for (uint64_t i = 0; i < count; ++i) {
            write_handle(w, TYPE_PARTICLE, c + i);
            fprintf(w->file, ", ");
        }
        for (uint64_t i = 0; i < count; ++i) {
            write_real(w, c[4 + i].as.real);
            fprintf(w->file, i + 1 < count ? ", " : ")");
        }
    } else {
        writer place = *w;
        place.cell = c + 11;
        fprintf(w->file, type == SN_POINT_BODY ? "sn_on_body_turned(" : "sn_at_place_turned(");
        if (type == SN_POINT_BODY) {
            write_handle(w, TYPE_BODY, c + 10);
            fprintf(w->file, ", ");
        }
        fprintf(w->file, "(sn_vec3){");
        write_reals(&place, 3);
        fprintf(w->file, "}, (sn_quat){");
        write_reals(&place, 4);
        fprintf(w->file, "})");
    }
}

/* The cells of a value that is not looked at. */
static const net_cell *behind(net_type type, const net_cell *cell)
{
    const net_type_info *info = net_type_of(type);
    switch (info->class) {
    case CLASS_REALS:
        return cell + info->size / sizeof(sn_real);
    case CLASS_NUMBER:
        return cell + info->size / sizeof(uint32_t);
    case CLASS_POINT:
        return cell + 18;
    case CLASS_LIST: {
        uint64_t count = (cell++)->as.number;
        while (count-- > 0)
            cell = behind((net_type)info->of, cell);
        return cell;
    }
    case CLASS_STRUCT:
    case CLASS_RECORD: {
        const net_struct_info *s = net_struct_of((net_struct)info->of);
        cell += info->class == CLASS_RECORD;
        for (uint32_t i = 0; i < s->fields; ++i)
            cell = behind(s->field[i].type, cell);
        return cell;
    }
    default:
        return cell + 1;
    }
}

/* Whether a field is 0, as it is when it is left out. */
static bool is_nothing(const net_cell *cell, const net_cell *end)
{
    for (; cell < end; ++cell)
        if (cell->type == CELL_LIST     ? !cell->flaw
            : cell->type == CELL_HANDLE ? cell->flaw != FLAW_NULL
                                        : cell->as.number != 0)
            return false;
    return true;
}

static void write_fields(writer *w, net_struct number)
{
    const net_struct_info *s = net_struct_of(number);
    bool first = true;
    fprintf(w->file, "{");
    for (uint32_t i = 0; i < s->fields; ++i) {
        const net_cell *end = behind(s->field[i].type, w->cell);
        if (is_nothing(w->cell, end)) {
            w->cell = end;
            continue;
        }
        fprintf(w->file, "%s.%s = ", first ? "" : ", ", s->field[i].name);
        first = false;
        write_value(w, s->field[i].type, true);
    }
    fprintf(w->file, first ? "0}" : "}");
}

static void write_list(writer *w, net_type type)
{
    const net_type_info *info = net_type_of(type), *item = net_type_of((net_type)info->of);
    const net_cell *head = w->cell++;
    bool flat = item->class == CLASS_REALS && strcmp(info->c_name, "const sn_real *") == 0;
    if (head->flaw || !head->as.number) {
        fprintf(w->file, "NULL");
        while (head->as.number && w->cell < head + 1)
            w->cell = behind((net_type)info->of, w->cell);
        for (uint64_t i = 0; i < head->as.number; ++i)
            w->cell = behind((net_type)info->of, w->cell);
        return;
    }
    fprintf(w->file, "(%.*s[]){", (int)(strlen(info->c_name) - 2), info->c_name);
    for (uint64_t i = 0; i < head->as.number; ++i) {
        fprintf(w->file, i ? ", " : "");
        if (flat)
            write_reals(w, (uint32_t)(item->size / sizeof(sn_real)));
        else
            write_value(w, (net_type)info->of, true);
    }
    fprintf(w->file, "}");
}

static void write_code(writer *w, net_type type)
{
    uint64_t i = (w->cell++)->as.number;
    fprintf(w->file, "%s",
            type == TYPE_FIELD_FUNCTION       ? net_field_name[i % NET_FIELDS]
            : type == TYPE_DISTANCE_FUNCTION  ? net_distance_name[i % NET_DISTANCES]
            : type == TYPE_CANCEL_FUNCTION    ? net_cancel_name[i % NET_CANCELS]
            : type == TYPE_FILTER_FUNCTION    ? net_filter_name[i % NET_FILTERS]
            : type == TYPE_TEAR_FUNCTION      ? net_tear_name[i % NET_TEARS]
            : type == TYPE_PRE_SOLVE_FUNCTION ? net_pre_solve_name[i % NET_PRE_SOLVES]
            : type == TYPE_TRACE_FUNCTION     ? net_trace_name[i % NET_TRACES]
            : type == TYPE_NEW_KIND           ? net_kind_name[i % NET_KINDS]
                                              : "NULL");
}

static void write_numbers(writer *w, const net_type_info *info, bool in_struct)
{
    uint32_t count = (uint32_t)(info->size / sizeof(uint32_t));
    (void)in_struct;
    if (count == 1) {
        fprintf(w->file, "%llu", (unsigned long long)(w->cell++)->as.number);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
        fprintf(w->file, "%s%llu", i ? ", " : "{", (unsigned long long)(w->cell++)->as.number);
    fprintf(w->file, "}");
}

static void write_name(writer *w)
{
    const net_cell *cell = w->cell++;
    const sn_kind *kind = sn_kind_info(NULL, cell->item);
    if (cell->flaw)
        fprintf(w->file, "NULL");
    else if (!kind)
        fprintf(w->file, "\"gap\"");
    else
        fprintf(w->file, "\"%s\"",
                cell->as.number < SN_MAX_PARAMS && kind->param[cell->as.number].name ? kind->param[cell->as.number].name
                                                                                     : "no_such_parameter");
}

static void write_value(writer *w, net_type type, bool in_struct)
{
    const net_type_info *info = net_type_of(type);
    uint32_t reals = (uint32_t)(info->size / sizeof(sn_real));
    switch (info->class) {
    case CLASS_WORLD:
        fprintf(w->file, (w->cell++)->as.number ? "w" : "NULL");
        break;
    case CLASS_HANDLE:
        write_handle(w, type, w->cell);
        w->cell++;
        break;
    case CLASS_DOUBLE:
        write_reals(w, 1);
        break;
    case CLASS_REALS:
        if (reals == 1) {
            write_reals(w, 1);
            break;
        }
        fprintf(w->file, in_struct ? "{" : "(%s){", info->c_name);
        write_reals(w, reals);
        fprintf(w->file, "}");
        break;
    case CLASS_NUMBER:
        if (type == TYPE_MADE) {
            fprintf(w->file, w->cell->as.number ? "%lluu" : "%llu", (unsigned long long)w->cell->as.number);
            w->cell++;
            break;
        }
        write_numbers(w, info, in_struct);
        break;
    case CLASS_SIZE:
    case CLASS_USER:
    case CLASS_TRUTH:
    case CLASS_CHOICE:
        fprintf(w->file, "%llu", (unsigned long long)(w->cell++)->as.number);
        break;
    case CLASS_POINT:
        write_point(w);
        break;
    case CLASS_STRUCT:
        if (!in_struct)
            fprintf(w->file, "(%s)", info->c_name);
        write_fields(w, (net_struct)info->of);
        break;
    case CLASS_RECORD:
        if ((w->cell++)->flaw) {
            fprintf(w->file, "NULL");
            w->cell = behind(type, w->cell - 1);
            break;
        }
        fprintf(w->file, "&(%s)", net_struct_of((net_struct)info->of)->c_name);
        write_fields(w, (net_struct)info->of);
        break;
    case CLASS_LIST:
        write_list(w, type);
        break;
    case CLASS_CODE:
        write_code(w, type);
        break;
    case CLASS_TEXT:
        write_name(w);
        break;
    case CLASS_OUT:
        break; /* the caller does that */
    }
}

/* ---- Ops --------------------------------------------------------------------------------------------------------------- */

static void write_call(writer *w, const net_op *op)
{
    const net_call_info *call = net_call_of((net_call)op->call);
    uint32_t v = variable_of(call->returns);
    fprintf(w->file, "    DO(%u, \"%s\", ", op->serial, call->name);
    if (call->returns != TYPE_RESULT)
        fprintf(w->file, "(%s%u = ", variables[v].prefix, op->serial);
    fprintf(w->file, "%s(", call->name);
    w->cell = op->cell;
    for (uint32_t i = 0; i < call->arguments; ++i) {
        const net_type_info *info = net_type_of(call->argument[i].type);
        fprintf(w->file, i ? ", " : "");
        if (info->class != CLASS_OUT) {
            write_value(w, call->argument[i].type, false);
            continue;
        }
        bool null = (w->cell++)->as.number == 0;
        if (null)
            fprintf(w->file, "NULL");
        else if (info->of == TYPE_NONE)
            fprintf(w->file, call->argument[i].type == TYPE_REPORT ? "&(sn_report){0}" : "&(sn_relax_info){0}");
        else
            fprintf(w->file, "&%s%u", variables[variable_of((net_type)info->of)].prefix, op->serial);
    }
    if (call->returns != TYPE_RESULT)
        fprintf(w->file, "))%s ? SN_OK : SN_ERROR_ARGUMENT);\n", variables[v].good);
    else
        fprintf(w->file, "));\n");
}

static void write_query(writer *w, const net_op *op)
{
    static const char *const names[] = {"sn_query_ray", "sn_query_sphere_cast", "sn_query_closest", "sn_query_overlap",
                                        "sn_query_pick"};
    const net_cell *c = op->cell;
    fprintf(w->file, "    ask(w, %u, \"%s\", %llu, (double[]){", op->serial, names[c[0].as.number % 5],
            (unsigned long long)c[0].as.number);
    w->cell = c + 1;
    write_reals(w, 8);
    fprintf(w->file, "}, %llu);\n", (unsigned long long)c[9].as.number);
}

static void write_op(writer *w, const net_op *op)
{
    if (op->bad)
        fprintf(w->file, "    /* bad on purpose */\n");
    switch (op->call) {
    case OP_QUERY:
        write_query(w, op);
        break;
    case OP_EVENTS:
        fprintf(w->file, "    DO(%u, \"a step, removing what an event names\", remove_in_events(w, %llu));\n",
                op->serial, (unsigned long long)op->cell[0].as.number);
        break;
    case OP_COPY: {
        net_type type = made_type(w->program, op->serial);
        uint32_t v = variable_of(type);
        if (v == COUNT_OF(variables))
            break;
        fprintf(w->file, "    DO(%u, \"copying\", copy_%s(w, ", op->serial, variables[v].prefix);
        write_handle(w, type, op->cell);
        fprintf(w->file, ", &%s%u));\n", variables[v].prefix, op->serial);
        break;
    }
    case OP_GRID:
        fprintf(w->file, "    DO(%u, \"adding a grid\", add_grid(w, %llu, %llu, &run%u));\n", op->serial,
                (unsigned long long)op->cell[0].as.number, (unsigned long long)op->cell[1].as.number, op->serial);
        break;
    default:
        write_call(w, op);
    }
}

/* ---- The program ------------------------------------------------------------------------------------------------------- */

static const char frame[] =
    "#include <sinew/sinew.h>\n#include <fenv.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#if defined(__SSE2__)\n#include <xmmintrin.h>\n#endif\n\n"
    "static struct { int simd, threads, fill, mode, reload, again, scarce, asked; } twin;\n"
    "static unsigned long long requests, fail_at, hashes[2][300];\n"
    "static int second, failed, ever; /* memory fails once, or ever after */\n"
    "static void *get(void *c, size_t n, size_t a)\n{\n    (void)c;\n"
    "    ++requests;\n    if (fail_at && (requests == fail_at || (ever && requests > fail_at))) { failed = 1; return "
    "NULL; }\n"
    "    void *p = aligned_alloc(a < 16 ? 16 : a, (n + 63) / 64 * 64);\n"
    "    return p ? memset(p, twin.fill ? twin.fill : 0xCD, n) : NULL;\n}\n"
    "static void put(void *c, void *p, size_t n) { (void)c, (void)n; free(p); }\n"
    "static sn_world *make(void)\n{\n    sn_world_def def = sn_default_world_def();\n    sn_world *w = NULL;\n"
    "    def.dimensions = DIMENSIONS;\n    def.settings.substeps = 2;\n    def.threads = twin.threads;\n"
    "    def.simd = twin.simd;\n    def.allocator = (sn_allocator){get, put, NULL};\n"
    "    if (sn_world_create(&def, &w) != SN_OK)\n        exit(2);\n    return w;\n}\n"
    "static void mode(int m)\n{\n    fesetround((int[]){FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, "
    "FE_TONEAREST}[m]);\n#if defined(__SSE2__)\n    _mm_setcsr((_mm_getcsr() & ~0x8040u) | (m == 4 ? 0x8040u : 0));\n"
    "#endif\n}\n"
    "static void told(sn_world *w, int serial, const char *name, sn_result r, unsigned long long before)\n{\n"
    "    hashes[second][serial] = sn_world_hash(w);\n"
    "    printf(\"%4d %-28s %-16s %016llx%s%s%s\\n\", serial, name, sn_result_text(r), hashes[second][serial],\n"
    "           r != SN_OK && before != hashes[second][serial] ? \" CHANGED BY A CALL THAT FAILED\" : \"\",\n"
    "           second && hashes[0][serial] != hashes[1][serial] ? \" DIFFERS: \" : \" \", r ? sn_world_error(w) : "
    "\"\");\n}\n"
    "#define DO(serial, name, ...)                                                        \\\n"
    "    do {                                                                             \\\n"
    "        unsigned long long before = sn_world_hash(w);                                \\\n"
    "        sn_result r = SN_OK;                                                         \\\n"
    "        mode(twin.mode);                                                             \\\n"
    "        for (unsigned n = 1;; ++n) {                                                 \\\n"
    "            failed = 0;                                                              \\\n"
    "            fail_at = twin.scarce ? requests + n : 0, ever = n & 1;                  \\\n"
    "            r = (__VA_ARGS__);                                                       \\\n"
    "            fail_at = 0;                                                             \\\n"
    "            if (!failed || r == SN_OK) break;                                        \\\n"
    "            if (sn_world_hash(w) != before) printf(\"without request %u: \", n);       \\\n"
    "            if (sn_world_hash(w) != before) told(w, serial, name, r, before);        \\\n"
    "        }                                                                            \\\n"
    "        mode(0);                                                                     \\\n"
    "        told(w, serial, name, r, before);                                            \\\n"
    "    } while (0)\n";

static const char helpers[] =
    "static void ask(const sn_world *w, int serial, const char *name, int which, const double *x, unsigned what)\n{\n"
    "    sn_query_filter f = {what, UINT32_MAX};\n    sn_vec3 a = {x[0], x[1], x[2]}, b = {x[3], x[4], x[5]};\n"
    "    sn_hit h[8] = {0};\n    sn_real t = 0;\n    unsigned n = 0;\n"
    "    if (which == 0) n = sn_query_ray(w, a, b, x[6], f, h);\n"
    "    if (which == 1) n = sn_query_sphere_cast(w, a, x[7], b, x[6], f, h);\n"
    "    if (which == 2) n = sn_query_closest(w, a, x[6], f, h);\n"
    "    if (which == 3) n = sn_query_overlap(w, a, x[7], f, h, 8);\n"
    "    if (which == 4) n = sn_query_pick(w, a, b, x[6], x[7], &t).count;\n"
    "    printf(\"%4d %-28s\", serial, name);\n"
    "    for (unsigned i = 0; i < n && i < 8 && which < 4; ++i)\n"
    "        printf(\" (%g %g %g) (%g %g %g) %g\", h[i].point.x, h[i].point.y, h[i].point.z, h[i].normal.x, "
    "h[i].normal.y, h[i].normal.z, h[i].distance);\n    printf(\" %g\\n\", t);\n}\n"
    "static sn_result remove_in_events(sn_world *w, unsigned which)\n{\n    uint32_t n = 0;\n"
    "    sn_result r = sn_world_step(w, (sn_real)(1.0 / 60));\n    if (r) return r;\n"
    "    const sn_contact_event *e = sn_world_contact_events(w, &n);\n    if (!n) return SN_OK;\n"
    "    sn_contact_event it = e[which % n];\n"
    "    if (which & 1 && !it.other.generation) return sn_body_remove(w, it.other_body);\n"
    "    if (which & 2 && sn_particle_is_valid(w, it.other)) return sn_particle_remove(w, it.other);\n"
    "    return sn_particle_is_valid(w, it.particle) ? sn_particle_remove(w, it.particle) : SN_OK;\n}\n"
    "static sn_result copy_b(sn_world *w, sn_body from, sn_body *to)\n{\n    sn_body_def d;\n"
    "    sn_result r = sn_body_read(w, from, &d);\n    return r ? r : sn_body_add(w, &d, to);\n}\n"
    "static sn_result copy_k(sn_world *w, sn_body from, sn_body *to)\n{\n    sn_body_def d;\n"
    "    sn_result r = sn_body_read(w, from, &d);\n    return r ? r : sn_body_add(w, &d, to);\n}\n"
    "static sn_result copy_c(sn_world *w, sn_constraint from, sn_constraint *to)\n{\n    sn_constraint_def d;\n"
    "    sn_point points[64];\n    sn_result r = sn_constraint_read(w, from, &d, points, 64);\n"
    "    return r ? r : sn_constraint_add(w, &d, to);\n}\n"
    "static sn_result add_grid(sn_world *w, uint32_t n, int cloth, sn_particles *run)\n{\n"
    "    static sn_real xyz[3 * 80 * 80];\n    static uint32_t index[4 * 80 * 80];\n    uint32_t count = 0;\n"
    "    for (uint32_t i = 0; i < n * n; ++i) xyz[3 * i] = (sn_real)(i % n) / 8, xyz[3 * i + 1] = (sn_real)(i / n) / "
    "8;\n"
    "    *run = sn_particles_add(w, n * n, xyz, 0, 1);\n    for (uint32_t i = 0; i < n * n; ++i) {\n"
    "        if (i % n + 1 < n) index[count++] = run->first + i, index[count++] = run->first + i + 1;\n"
    "        if (i / n + 1 < n) index[count++] = run->first + i, index[count++] = run->first + i + n;\n    }\n"
    "    return run->count && (!cloth || sn_constraints_add_kind(w, SN_KIND_DISTANCE, count / 2, index, NULL, "
    "NULL).count) "
    "? "
    "SN_OK : SN_ERROR_MEMORY;\n}\n"
    "static sn_world *reload(sn_world *w)\n{\n    sn_snapshot *s = sn_world_save(w);\n    sn_world *fresh = make();\n"
    "    if (sn_world_load(fresh, s)) { /* kinds and meshes would have to be made known */\n"
    "        printf(\"     load: %s\\n\", sn_world_error(fresh));\n        exit(3);\n    }\n"
    "    sn_snapshot_destroy(s);\n    sn_world_destroy(w);\n    return fresh;\n}\n"
    "static void again(sn_world *w)\n{\n    sn_snapshot *s = sn_world_save(w);\n    sn_world_step(w, (sn_real)0.01);\n"
    "    sn_particle_add_at(w, (sn_vec3){0, 0, 0}, 1);\n    sn_world_step(w, (sn_real)0.02);\n    sn_world_load(w, "
    "s);\n"
    "    sn_snapshot_destroy(s);\n}\n"
    "#define HANDLE(prefix, type) static inline type stale_##prefix(type h) { h.generation += 0x40000000; return h; }\n"
    "HANDLE(p, sn_particle) HANDLE(run, sn_particles) HANDLE(b, sn_body) HANDLE(c, sn_constraint)\n"
    "HANDLE(cs, sn_constraints) HANDLE(k, sn_body) HANDLE(s, sn_skin)\n"
    "#define wild_p ((sn_particle){2000000000, 1})\n#define wild_b ((sn_body){2000000000, 1})\n"
    "#define wild_k ((sn_body){2000000000, 1})\n#define wild_s ((sn_skin){2000000000, 1})\n"
    "#define wild_c ((sn_constraint){2000000000, 0, 1})\n#define wild_run ((sn_particles){2000000000, 1, 1})\n"
    "#define wild_cs ((sn_constraints){SN_KIND_DISTANCE, 2000000000, 1, 1})\n";

static bool now_and_then(const net_program *program, const net_op *op, uint32_t every)
{
    uint64_t random = program->seed + op->serial;
    return support_random_below(&random, every) == 0;
}

void net_write(FILE *file, const net_program *program, uint32_t variant, const net_failure *failure)
{
    writer w = {.file = file, .program = program};
    const net_variant *v = &net_variant_list[variant];
    fprintf(file, "/* seed %llu, %u ops, twin: %s\n   op %u: %s */\n", (unsigned long long)program->seed, program->ops,
            v->name, failure->serial, failure->text);
    fprintf(file, "#define DIMENSIONS %u\n%s%s\n%s\n", program->dimensions, frame, helpers, net_code());
    fprintf(file, "static void run(void)\n{\n    sn_world *w = make();\n");
    for (uint32_t i = 0; i < program->ops; ++i) {
        uint32_t k = variable_of(made_type(program, program->op[i].serial));
        if (k < COUNT_OF(variables))
            fprintf(file, "    %s %s%u = {0};\n", variables[k].c_type, variables[k].prefix, program->op[i].serial);
    }
    for (uint32_t i = 0; i < program->ops; ++i) {
        const net_op *op = &program->op[i];
        if (v->again && op->call == CALL_sn_world_step && now_and_then(program, op, 2))
            fprintf(file, "    if (twin.again) again(w);\n");
        write_op(&w, op);
        if (v->reload && now_and_then(program, op, 4))
            fprintf(file, "    if (twin.reload) w = reload(w);\n");
    }
    fprintf(file,
            "    sn_world_destroy(w);\n}\n\nint main(void)\n{\n    twin.simd = SN_SIMD_SCALAR, twin.threads = 1;\n"
            "    run();\n");
    if (variant) {
        fprintf(file,
                "    puts(\"twin: %s\");\n    twin.simd = %d, twin.threads = %u, twin.fill = %u, twin.mode = %d;\n",
                v->name, (int)v->simd, v->threads ? v->threads : 1, v->fill, (int)v->mode);
        fprintf(file, "    twin.reload = %d, twin.again = %d, twin.scarce = %d, second = 1;\n    run();\n", v->reload,
                v->again, v->scarce);
    }
    fprintf(file, "    return 0;\n}\n");
}
