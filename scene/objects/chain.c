#include "scene/objects/chain.h"
#include "scene/objects/rope.h"

#include <math.h>

#define MOST_LINKS 1e8

static sn_vec3 *lay(sn_build *build, const sn_chain_def *def, double size)
{
    sn_vec3 *place = sn_build_take(build, def->links + (uint64_t)1, sizeof *place);
    for (uint32_t i = 0; place && i <= def->links; ++i) {
        double way = i * (double)def->link_length / size;
        place[i] = (sn_vec3){(sn_real)(way * (double)def->direction.x), (sn_real)(way * (double)def->direction.y),
                             (sn_real)(way * (double)def->direction.z)};
    }
    return place;
}

static bool build_chain(sn_build *build, const void *own)
{
    const sn_chain_def *def = own;
    double x = (double)def->direction.x, y = (double)def->direction.y, z = (double)def->direction.z;
    double size = sqrt(x * x + y * y + z * z), scale = sn_build_scale(build);
    if (!(size > 0 && isfinite(size)))
        return sn_build_fail(build, "direction", "it has no length, expected a vector that points somewhere");
    if (def->links == 0)
        return sn_build_fail(build, "links", "found 0, expected 1 or more");
    if (!(def->link_length > 0))
        return sn_build_fail(build, "link_length", "found %g, expected more than 0 m", (double)def->link_length);
    if (!isnan(def->link_mass) && !isnan(build->def->mass))
        return sn_build_fail(build, "link_mass", "both 'link_mass' and 'mass' are given, expected one of them");
    if (!sn_build_begin(build, def->links + 1.0, def->links))
        return false;
    sn_strand strand = {.hold = "links",
                        .kind = SN_KIND_DISTANCE,
                        .pieces = def->links,
                        .piece = (double)def->link_length * scale,
                        .bob = (double)def->bob};
    strand.mass = isnan(def->link_mass) ? (double)sn_build_mass(build, strand.piece * def->links)
                                        : (double)def->link_mass * def->links;
    sn_vec3 *place = lay(build, def, size);
    return place && sn_build_strand(build, &strand, place);
}

sn_chain_def sn_default_chain_def(void)
{
    return (sn_chain_def){.links = 10, .link_length = (sn_real)0.1, .link_mass = (sn_real)NAN, .direction = {0, -1, 0}};
}

static void chain_defaults(void *record)
{
    *(sn_chain_def *)record = sn_default_chain_def();
}

#define KEY(key) offsetof(sn_chain_def, key)

static const sn_key chain_keys[] = {
    {"links", SN_KEY_COUNT, KEY(links), .least = 1, .most = MOST_LINKS, .about = "how many links"},
    {"link_length", SN_KEY_REAL, KEY(link_length), .unit = "m", .flags = SN_KEY_POSITIVE,
     .about = "the length of one link"},
    {"link_mass", SN_KEY_REAL, KEY(link_mass), .unit = "kg", .least = 1e-30, .most = 1e30,
     .about = "the mass of one link, half of it at either end; if not given, its share of the mass of the chain"},
    {"direction", SN_KEY_VECTOR, KEY(direction),
     .about = "the direction in which it runs from the origin of its frame; its length does not matter"},
    {"bob", SN_KEY_REAL, KEY(bob), .unit = "kg", .most = 1e30,
     .about = "the mass of a bob on the last particle, besides the chain's own mass"},
    {.name = NULL}};

static const sn_record chain_record = {"chain", "A chain.", sizeof(sn_chain_def), chain_keys, chain_defaults};

const sn_object_type sn_object_chain = {
    .name = "chain",
    .about = "A chain of links that keep their length, with free joints",
    .parts = "parts: start, end; constraints: links",
    .dimension = 1,
    .record = &chain_record,
    .build = build_chain,
};
