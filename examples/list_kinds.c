/* Prints every constraint kind of the library as a Markdown table, from the table that the solvers use. */
#include <sinew/sinew.h>
#include <stdio.h>

static const char *type_text(const sn_param *param)
{
    switch (param->type) {
    case SN_PARAM_REAL:
        return "";
    case SN_PARAM_VECTOR:
        return " vector";
    case SN_PARAM_DIRECTION:
        return " direction";
    case SN_PARAM_POSITION:
        return " place";
    }
    return "";
}

static void print_param(const sn_param *p)
{
    printf("`%s`%s", p->name, type_text(p));
    if (p->unit && !(p->unit[0] == '1' && !p->unit[1]))
        printf(" (%s)", p->unit);
    if (p->has_default)
        printf(" = %g", (double)p->default_value);
}

static void print_params(const sn_kind *kind)
{
    for (int i = 0; i < SN_MAX_PARAMS && kind->param[i].name; ++i) {
        printf("%s", i ? ", " : "");
        print_param(&kind->param[i]);
    }
    for (int i = 0; i < SN_MAX_POINT_PARAMS && kind->point_param[i].name; ++i) {
        printf(i ? ", " : kind->param[0].name ? "; each point: " : "each point: ");
        print_param(&kind->point_param[i]);
    }
    if (!kind->param[0].name && !kind->point_param[0].name)
        printf("–");
}

/* What a user must know beyond the formula. */
static void print_notes(const sn_kind *kind)
{
    const char *note[] = {kind->measure || kind->measure_points ? "measures" : NULL, kind->internal ? "internal" : NULL,
                          kind->spatial ? "3D only" : NULL, kind->project ? "own projection" : NULL,
                          kind->force ? "force" : NULL};
    const char *separator = "";
    for (size_t i = 0; i < sizeof note / sizeof note[0]; ++i)
        if (note[i]) {
            printf("%s%s", separator, note[i]);
            separator = ", ";
        }
}

/* Prints a cell of a table, in which '|' must be escaped. */
static void print_cell(const char *text)
{
    for (; text && *text; ++text)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

int main(void)
{
    printf("| kind | what it does | C | points | rows | parameters | notes |\n");
    printf("|---|---|---|--:|--:|---|---|\n");
    for (uint32_t number = 1; number < sn_kind_count(NULL); ++number) {
        const sn_kind *kind = sn_kind_info(NULL, number);
        printf("| `%s` | ", kind->name);
        print_cell(kind->about);
        printf(" | ");
        print_cell(kind->formula);
        printf(kind->points ? " | %u | %u | " : " | %u… | %u | ", kind->points ? kind->points : kind->least_points,
               kind->rows);
        print_params(kind);
        printf(" | ");
        print_notes(kind);
        printf(" |\n");
    }
    return 0;
}
