#include "cli/cli.h"

#include <errno.h>
#include <string.h>

typedef struct schema_options {
    bool help;
} schema_options;

static const sn_option options[] = {SN_OPTION_END(schema_options)};

static int run(const void *unused, const sn_texts *operands)
{
    (void)unused;
    (void)operands;
    sn_document document;
    int code = SN_EXIT_FINE;
    sn_document_init(&document, NULL);
    if (!sn_scene_schema(&document))
        code = sn_complain(SN_EXIT_FAILED, "schema: out of memory");
    else if (!sn_json_write(stdout, document.root))
        code = sn_complain(SN_EXIT_OUTPUT, "standard output: %s", strerror(errno));
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
