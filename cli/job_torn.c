/* Counts what breaks and tears in a run: a bridge that fell because its ties broke is no riddle then. */
#include "cli/job.h"

void sn_job_torn_frame(sn_job *job)
{
    sn_job_torn *t = &job->torn;
    uint32_t count;
    const sn_tear *tear = sn_world_tears(job->world, &count);
    for (uint32_t i = 0; i < count; ++i) {
        if (tear[i].cut || (tear[i].type != SN_TEAR_BREAK && tear[i].type != SN_TEAR_SPLIT))
            continue;
        t->first_frame = t->broken + t->split ? t->first_frame : job->done;
        ++*(tear[i].type == SN_TEAR_BREAK ? &t->broken : &t->split);
    }
}

void sn_job_torn_print(const sn_job *job)
{
    const sn_job_torn *t = &job->torn;
    if (t->broken + t->split == 0)
        return;
    printf("  %-13s", "torn");
    if (t->broken)
        printf("%u constraint%s broke%s", t->broken, t->broken == 1 ? "" : "s", t->split ? " and " : "");
    if (t->split)
        printf("%u %s split", t->split, t->split == 1 ? "vertex" : "vertices");
    printf(", first in frame %u\n", t->first_frame);
}

void sn_job_torn_say(const sn_job *job, sn_document *d, sn_value *root)
{
    sn_value *told = sn_document_record(d, root, "torn");
    sn_document_number(d, told, "broken", job->torn.broken);
    sn_document_number(d, told, "split", job->torn.split);
    if (job->torn.broken + job->torn.split)
        sn_document_number(d, told, "first_frame", job->torn.first_frame);
}
