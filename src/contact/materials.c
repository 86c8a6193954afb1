/* What the materials and filters of the two sides of a contact make together. */
#include "contact/particle_contacts.h"

static sn_real mix(sn_mix a, sn_mix b, sn_real x, sn_real y)
{
    switch (a > b ? a : b) {
    case SN_MIX_LEAST:
        return x < y ? x : y;
    case SN_MIX_PRODUCT:
        return x * y;
    case SN_MIX_MOST:
        return x > y ? x : y;
    case SN_MIX_AVERAGE:
        break;
    }
    return (x + y) / 2;
}

sn_friction sn_contacts_friction(const sn_contact_material *a, const sn_contact_material *b)
{
    return (sn_friction){mix(a->friction_mix, b->friction_mix, a->static_friction, b->static_friction),
                         mix(a->friction_mix, b->friction_mix, a->dynamic_friction, b->dynamic_friction),
                         mix(a->restitution_mix, b->restitution_mix, a->restitution, b->restitution),
                         mix(a->friction_mix, b->friction_mix, a->rolling, b->rolling)};
}

bool sn_contacts_agree(uint32_t category, uint32_t mask, uint32_t other_category, uint32_t other_mask)
{
    return (category & other_mask) && (other_category & mask);
}
