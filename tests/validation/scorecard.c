/* Prints how the engine, as built, measures up to the validation rows: a markdown table, or with --tsv one record a
   line for scripts/accuracy.sh. Numbers choose rows. Exit status 1 if a record fails. */
#include "validation/rows.h"

#include <sinew/sinew.h>
#include <stdlib.h>
#include <string.h>

static void print_record(const record *r, const char *begin, const char *between, const char *end)
{
    char number[16] = "–";
    if (r->row > 0)
        snprintf(number, sizeof number, "%d", r->row);
    printf("%s%s%s%s%s", begin, number, between, r->setup, between);
    record_write_expected(r, stdout);
    fputs(between, stdout);
    record_write_measured(r, stdout);
    fputs(between, stdout);
    record_write_tolerance(r, stdout);
    printf("%s%s%s\n", between, record_passes(r) ? "yes" : "NO", end);
    fflush(stdout);
}

/* With numbers after the option: only those rows, to look at some of them. */
static bool wanted(const row *which, int argc, char **argv, int first)
{
    for (int i = first; i < argc; ++i)
        if (strtol(argv[i], NULL, 10) == which->number)
            return true;
    return first >= argc;
}

int main(int argc, char **argv)
{
    bool tsv = argc > 1 && strcmp(argv[1], "--tsv") == 0;
    size_t failed = 0;
    if (!tsv) {
        printf("Sinew %s, sn_real of %zu bytes\n\n", sn_version(), sn_real_size());
        puts("| # | set-up | expected | measured | tolerance | pass |\n|---|---|---|---|---|---|");
    }
    for (size_t i = 0; i < validation_row_count; ++i) {
        if (!wanted(&validation_rows[i], argc, argv, tsv ? 2 : 1))
            continue;
        records list = {NULL, 0, 0};
        validation_rows[i].run(&list);
        for (size_t j = 0; j < list.count; ++j) {
            print_record(&list.item[j], tsv ? "" : "| ", tsv ? "\t" : " | ", tsv ? "" : " |");
            failed += !record_passes(&list.item[j]);
        }
        records_free(&list);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
