#include "cli/cli.h"

sn_value *sn_say_begin(sn_document *document, const char *name)
{
    sn_document_init(document, NULL);
    sn_value *root = sn_document_record(document, NULL, NULL);
    sn_document_text(document, root, "event", name);
    return root;
}

bool sn_say_end(sn_document *document)
{
    bool whole = !document->failed && document->root;
    if (!whole)
        sn_complain(0, "out of memory");
    bool good = whole && sn_json_write_line(stdout, document->root) && fflush(stdout) == 0;
    if (whole && !good)
        sn_complain_of_output();
    sn_document_release(document);
    return good;
}

void sn_say_vector(sn_document *document, sn_value *record, const char *key, const double vector[3])
{
    sn_document_numbers(document, record, key, 3, vector, NULL);
}

static const char *severity_name(sn_severity severity)
{
    return severity == SN_PROBLEM_ERROR ? "error" : severity == SN_PROBLEM_WARNING ? "warning" : "note";
}

bool sn_say_problem(const sn_loaded *loaded, const sn_problem *problem)
{
    sn_document document;
    sn_value *root = sn_say_begin(&document, "problem");
    sn_document_text(&document, root, "severity", severity_name(problem->severity));
    if (loaded) {
        sn_place place = sn_loaded_place(loaded, problem);
        sn_document_text(&document, root, "file", loaded->path);
        if (place.line) {
            sn_document_number(&document, root, "line", place.line);
            sn_document_number(&document, root, "column", place.column);
        }
        sn_document_text(&document, root, "path", problem->path);
        if (sn_loaded_set(loaded, problem))
            sn_document_text(&document, root, "set", sn_loaded_set(loaded, problem));
    }
    sn_document_text(&document, root, "text", problem->text);
    return sn_say_end(&document);
}
