/* Output of the rows: as text, as JSON and in files. */
#include "cli/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <string.h>

sn_bench_row sn_bench_row_new(const char *scene, uint32_t n, const char *engine, const char *path, uint32_t threads)
{
    sn_bench_row row;
    memset(&row, 0, sizeof row);
    snprintf(row.scene, sizeof row.scene, "%s", scene);
    snprintf(row.engine, sizeof row.engine, "%s", engine);
    snprintf(row.path, sizeof row.path, "%s", path);
    row.n = n;
    row.threads = threads;
    row.projections = row.ns = row.ms = row.spread = row.stretch_mean = row.stretch_max = NAN;
    row.kinetic = row.fastest = row.contacts = NAN;
    row.build_ms = row.first_ms = row.bytes = row.edit_ns = row.volume_ns = NAN;
    row.wall_ms = row.speed_up = row.limit_ns = row.limit_share = row.bullet = row.bullet_stretch = NAN;
    row.residual_mean = row.residual_worst = NAN;
    row.ratio = row.ratio_spread = row.ratio_target = NAN;
    for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
        row.cost[i] = row.cost_spread[i] = NAN;
    return row;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

#define CELL 24

static const char *cell(char text[CELL], const char *format, double value)
{
    if (isnan(value))
        return "-";
    snprintf(text, CELL, format, value);
    return text;
}

void sn_bench_print_head(const sn_bench_machine *m)
{
    printf("Sinew %s, %s precision, %s\n", sn_version(), sn_real_size() == 4 ? "single" : "double", m->compiler);
    printf("%s, %u cores, %s\n", m->cpu, (unsigned)m->cores, m->system);
    printf("limits: %.2f ns a projection in contiguous arrays (%s), copy %.1f GB/s\n", m->contiguous_ns, m->lanes,
           m->copy_bandwidth / 1e9);
    printf(
        "CPU time on one thread, wall time on several; median of blocks of frames, spread between the quartiles\n\n");
    printf("| scene            | particles | constraints |  passes | engine     | thr | ns/project | ms per frame | "
           "spread | mean stretch |  max stretch | limit | speed-up | to Bullet | J/particle | frames |\n");
    printf("|------------------|----------:|------------:|--------:|------------|----:|-----------:|-------------:|-"
           "------:|-------------:|-------------:|------:|---------:|----------:|-----------:|-------:|\n");
    fflush(stdout);
}

static void print_name(const sn_bench_row *r)
{
    char name[2 * SN_BENCH_NAME + 16];
    if (r->bodies > 0)
        snprintf(name, sizeof name, "%s-%u %s", r->scene, (unsigned)r->n, r->path);
    else if (r->n > 0 && (strcmp(r->scene, "cloth") == 0 || strcmp(r->scene, "pile") == 0))
        snprintf(name, sizeof name, "%s-%u", r->scene, (unsigned)r->n);
    else
        snprintf(name, sizeof name, "%s", r->scene);
    printf("| %-16s ", name);
}

void sn_bench_print_feature_head(uint32_t n, const char *path)
{
    printf("\nWhat a feature costs: cloth-%u, %s, one thread; medians of rounds in which both run by turns\n\n",
           (unsigned)n, path);
    printf("| %-52s | ms per frame |  ratio | spread | target | to          | mean stretch |\n", "feature");
    printf("|%.54s|-------------:|-------:|-------:|-------:|-------------|-------------:|\n",
           "------------------------------------------------------");
    fflush(stdout);
}

static void print_feature(const sn_bench_row *r)
{
    char c[5][CELL];
    if (r->status[0])
        printf("| %-52s | %s\n", r->about, r->status);
    else
        printf("| %-52s | %12s | %6s | %6s | %6s | %-11s | %12s |\n", r->about, cell(c[0], "%.4g", r->ms),
               cell(c[1], "%.2f", r->ratio), cell(c[2], "%.1f %%", 100 * r->ratio_spread),
               cell(c[3], "%.1f", r->ratio_target), r->against, cell(c[4], "%.3g", r->stretch_mean));
    fflush(stdout);
}

void sn_bench_print_kind_head(uint32_t n)
{
    printf("\nWhat a kind costs: %u constraints that share nothing, in any order, one thread, at width 1 and at the "
           "machine's; "
           "ns a row\n"
           "and pass, then ns a constraint and pass, with each feature. Medians of what a frame takes longer with "
           "them\n\n",
           (unsigned)n);
    printf("| %-16s | rows | width   | ns/row |", "kind");
    for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
        printf(" %10s |", sn_bench_cost_name(i));
    printf(" spread |\n|------------------|-----:|---------|-------:|");
    for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
        printf("-----------:|");
    printf("-------:|\n");
    fflush(stdout);
}

static void print_kind(const sn_bench_row *r)
{
    char c[CELL];
    printf("| %-16s | %4u | %-7s | %6s |", r->kind, (unsigned)r->rows, r->wide ? "machine" : "1",
           cell(c, "%.2f", r->rows ? r->cost[0] / r->rows : NAN));
    for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
        printf(" %10s |", cell(c, "%.2f", r->cost[i]));
    printf(" %6s | %s\n", cell(c, "%.1f %%", 100 * r->spread), r->status);
    fflush(stdout);
}

void sn_bench_print_row(const sn_bench_row *r)
{
    if (r->kind[0]) {
        print_kind(r);
        return;
    }
    if (r->feature[0]) {
        print_feature(r);
        return;
    }
    char passes[32], c[9][CELL];
    bool plain = strcmp(r->engine, "bullet") == 0 || r->bodies > 0 || !r->path[0]; /* the path is not shown for these */
    print_name(r);
    if (r->status[0]) {
        printf("| %s%s%s: %s\n", r->engine, r->path[0] ? ", " : "", r->path, r->status);
        fflush(stdout);
        return;
    }
    snprintf(passes, sizeof passes, "%u x %u", (unsigned)r->substeps, (unsigned)r->iterations);
    printf("| %9u | %11u | %7s | %-10s | %3u | %10s | %12s | %6s | %12s | %12s | %5s | %8s | %9s | %10s | %6u |\n",
           (unsigned)r->particles, (unsigned)r->constraints, passes, plain ? r->engine : r->path, (unsigned)r->threads,
           cell(c[0], "%.2f", r->ns), cell(c[1], "%.4g", r->ms), cell(c[2], "%.1f %%", 100 * r->spread),
           cell(c[3], "%.3g", r->stretch_mean), cell(c[4], "%.3g", r->stretch_max),
           cell(c[5], "%.0f %%", 100 * r->limit_share), cell(c[6], "%.2f", r->speed_up), cell(c[7], "%.1f", r->bullet),
           cell(c[8], "%.2g", r->kinetic), (unsigned)r->frames);
    fflush(stdout);
}

void sn_bench_print_list(void)
{
    for (uint32_t i = 0; i < sn_bench_case_count(); ++i) {
        const sn_bench_case *c = sn_bench_case_at(i);
        char name[SN_BENCH_NAME];
        printf("  %-12s n = %-7u %2u passes, %3u frames; ", sn_bench_case_name(c, name, sizeof name), (unsigned)c->n,
               (unsigned)c->substeps, (unsigned)c->frames);
        const char *comma = "";
        for (uint32_t path = 1; path < SN_BENCH_PATH_END; path <<= 1)
            if (c->paths & path) {
                printf("%s%s", comma, sn_bench_path_name(path));
                comma = ", ";
            }
        printf("%s%s%s\n", c->bullet ? ", bullet" : "", c->about[0] ? ": " : "", c->about);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void number(sn_document *d, sn_value *record, const char *key, double value)
{
    if (isnan(value))
        sn_document_null(d, record, key);
    else
        sn_document_number(d, record, key, value);
}

/* Adds a number that only some rows have. */
static void number_if(sn_document *d, sn_value *record, const char *key, double value)
{
    if (!isnan(value))
        sn_document_number(d, record, key, value);
}

static void fill_row(sn_document *d, sn_value *root, const sn_bench_row *r)
{
    sn_document_text(d, root, "scene", r->scene);
    sn_document_number(d, root, "n", r->n);
    sn_document_text(d, root, "engine", r->engine);
    sn_document_text(d, root, "path", r->path);
    sn_document_number(d, root, "threads", r->threads);
    sn_document_text(d, root, "status", r->status[0] ? r->status : "measured");
    sn_document_text(d, root, "version", r->version);
    sn_document_text(d, root, "precision",
                     sn_real_size() == 8 && strcmp(r->engine, "sinew") == 0 ? "double" : "single");
    sn_document_number(d, root, "particles", r->particles);
    if (r->bodies > 0)
        sn_document_number(d, root, "bodies", r->bodies);
    sn_document_number(d, root, "constraints", r->constraints);
    sn_document_number(d, root, "substeps", r->substeps);
    sn_document_number(d, root, "iterations", r->iterations);
    sn_document_number(d, root, "frames", r->frames);
    sn_document_number(d, root, "blocks", r->blocks);
    sn_document_text(d, root, "clock", r->threads == 1 ? "cpu" : "wall");
    number(d, root, "projections_per_frame", r->projections);
    number(d, root, "ns_per_projection", r->ns);
    number(d, root, "ms_per_frame", r->ms);
    number(d, root, "wall_ms_per_frame", r->wall_ms);
    number(d, root, "spread", r->spread);
    number(d, root, "stretch_mean", r->stretch_mean);
    number(d, root, "stretch_max", r->stretch_max);
    number_if(d, root, "contacts_per_particle", r->contacts);
    number_if(d, root, "kinetic_per_particle", r->kinetic);
    number_if(d, root, "speed_max", r->fastest);
    if (r->settled > 0)
        sn_document_number(d, root, "settle_frames", r->settled);
    number_if(d, root, "ratio_to_one_thread", r->speed_up);
    number_if(d, root, "ratio_to_bullet", r->bullet);
    number_if(d, root, "stretch_ratio_to_bullet", r->bullet_stretch);
    number_if(d, root, "limit_ns", r->limit_ns);
    if (!isnan(r->limit_ns))
        sn_document_text(d, root, "limit", r->memory_bound ? "memory" : "arithmetic");
    number_if(d, root, "limit_share", r->limit_share);
    number_if(d, root, "build_ms", r->build_ms);
    number_if(d, root, "first_ms", r->first_ms);
    number_if(d, root, "bytes", r->bytes);
    number_if(d, root, "edit_ns", r->edit_ns);
    number_if(d, root, "ns_per_volume", r->volume_ns);
    if (r->feature[0]) {
        sn_document_text(d, root, "feature", r->feature);
        sn_document_text(d, root, "about", r->about);
        sn_document_text(d, root, "against", r->against);
        number(d, root, "ratio", r->ratio);
        number(d, root, "ratio_spread", r->ratio_spread);
        number(d, root, "ratio_target", r->ratio_target);
    }
    if (r->kind[0]) {
        sn_document_text(d, root, "kind", r->kind);
        sn_document_text(d, root, "width", r->wide ? "machine" : "1");
        sn_document_number(d, root, "points", r->points);
        sn_document_number(d, root, "rows", r->rows);
        number(d, root, "ns_per_row", r->rows ? r->cost[0] / r->rows : NAN);
        sn_value *cost = sn_document_record(d, root, "ns_per_constraint");
        for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
            number(d, cost, sn_bench_cost_name(i), r->cost[i]);
        sn_value *spread = sn_document_record(d, root, "spreads");
        for (uint32_t i = 0; i < SN_BENCH_COSTS; ++i)
            number(d, spread, sn_bench_cost_name(i), r->cost_spread[i]);
    }
    if (r->residual_kind[0]) {
        sn_document_text(d, root, "residual_kind", r->residual_kind);
        number(d, root, "residual_worst", r->residual_worst);
        number(d, root, "residual_mean", r->residual_mean);
    }
}

bool sn_bench_say_row(const sn_bench_row *row)
{
    sn_document d;
    sn_value *root = sn_say_begin(&d, "bench");
    fill_row(&d, root, row);
    return sn_say_end(&d);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void fill_machine(sn_document *d, sn_value *root, const sn_bench_machine *m)
{
    sn_value *machine = sn_document_record(d, root, "machine");
    sn_document_text(d, machine, "cpu", m->cpu);
    sn_document_number(d, machine, "cores", m->cores);
    sn_document_text(d, machine, "system", m->system);
    sn_document_text(d, machine, "compiler", m->compiler);
    sn_document_number(d, machine, "l1_bytes", m->l1);
    sn_document_number(d, machine, "l2_bytes", m->l2);
    sn_document_number(d, machine, "l3_bytes", m->l3);
    sn_value *limits = sn_document_record(d, root, "limits");
    sn_document_number(d, limits, "contiguous_ns", m->contiguous_ns);
    sn_document_text(d, limits, "contiguous_lanes", m->lanes);
    sn_document_number(d, limits, "copy_bytes_per_second", m->copy_bandwidth);
}

bool sn_bench_save(const char *path, const sn_bench_machine *machine, uint32_t count, const sn_bench_row *rows)
{
    sn_document d;
    sn_document_init(&d, NULL);
    sn_value *root = sn_document_record(&d, NULL, NULL);
    sn_document_text(&d, root, "version", sn_version());
    sn_document_text(&d, root, "precision", sn_real_size() == 8 ? "double" : "single");
    fill_machine(&d, root, machine);
    sn_value *list = sn_document_list(&d, root, "rows");
    for (uint32_t i = 0; i < count; ++i)
        fill_row(&d, sn_document_record(&d, list, NULL), &rows[i]);
    bool good = !d.failed;
    if (!good)
        sn_complain(0, "out of memory");
    good = good && sn_write_json_file(path, d.root);
    sn_document_release(&d);
    return good;
}
