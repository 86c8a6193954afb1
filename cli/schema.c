#include "cli/cli.h"

#include <string.h>

typedef struct schema_options {
    bool help;
    bool reference;
} schema_options;

static const sn_option options[] = {{"reference", 0, SN_OPTION_FLAG, offsetof(schema_options, reference), 0, NULL,
                                     "print the reference of the format in Markdown instead"},
                                    SN_OPTION_END(schema_options)};

static int print_reference(void)
{
    const bool whole = sn_reference_print(stdout);
    if (fflush(stdout) != 0 || ferror(stdout))
        return sn_complain_of_output();
    return whole ? SN_EXIT_FINE : sn_complain(SN_EXIT_FAILED, "schema: out of memory");
}

static int run(const void *given, const sn_texts *operands)
{
    (void)operands;
    if (((const schema_options *)given)->reference)
        return print_reference();
    sn_document document;
    int code = SN_EXIT_FINE;
    sn_document_init(&document, NULL);
    if (!sn_scene_schema(&document))
        code = sn_complain(SN_EXIT_FAILED, "schema: out of memory");
    else if (!sn_json_write(stdout, document.root))
        code = sn_complain_of_output();
    sn_document_release(&document);
    return code;
}

const sn_command sn_command_schema = {
    .name = "schema",
    .operands = "",
    .about = "Prints the JSON Schema of scene files",
    .details = "Editors that know JSON Schema then complete keys and mark mistakes while you type:\n"
               "  sinew schema > scene.schema.json\n",
    .options = options,
    .run = run};
