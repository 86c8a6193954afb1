/* --certify: checks whether surfaces intersect, at the start and in every Nth frame. */
#include "cli/job.h"

void sn_job_certify(sn_job *job)
{
    sn_job_certificate *c = &job->certificate;
    sn_intersection first;
    if (!job->asked->certify || job->done % job->asked->certify != 0)
        return;
    const uint32_t count = sn_query_intersections(job->world, &first, 1);
    c->checked++;
    if (!count)
        return;
    if (!c->bad++) {
        c->first_frame = job->done;
        c->first = first;
    }
    if (count > c->worst) {
        c->worst = count;
        c->worst_frame = job->done;
    }
}

void sn_job_certify_end(sn_job *job)
{
    const sn_job_certificate *c = &job->certificate;
    if (c->bad)
        sn_job_fail(job, SN_EXIT_FAILED,
                    "%s: surfaces intersect in %u of the %u frames that were looked at; first in frame %u: triangle %u "
                    "of skin %u and "
                    "%s %u of skin %u",
                    job->name, c->bad, c->checked, c->first_frame, c->first.triangle, c->first.skin.index,
                    c->first.segment ? "segment" : "triangle", c->first.other_triangle, c->first.other_skin.index);
}

void sn_job_certify_print(const sn_job *job)
{
    const sn_job_certificate *c = &job->certificate;
    if (!job->asked->certify)
        return;
    if (c->bad)
        printf("  %-13s%u pairs intersect at worst, in frame %u\n", "surfaces", c->worst, c->worst_frame);
    else
        printf("  %-13sno intersections in the %u frames that were looked at\n", "surfaces", c->checked);
}

void sn_job_certify_say(const sn_job *job, sn_document *d, sn_value *root)
{
    const sn_job_certificate *c = &job->certificate;
    if (!job->asked->certify)
        return;
    sn_value *told = sn_document_record(d, root, "intersections");
    sn_document_number(d, told, "frames_checked", c->checked);
    sn_document_number(d, told, "frames_with", c->bad);
    sn_document_number(d, told, "worst", c->worst);
    if (!c->bad)
        return;
    sn_document_number(d, told, "worst_frame", c->worst_frame);
    sn_document_number(d, told, "first_frame", c->first_frame);
}
