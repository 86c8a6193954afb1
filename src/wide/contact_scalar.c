/* Contact of balls and of bodies, and proximity of surface features, one pair at a time. */
#define SN_VECTOR 0
#include "wide/contact.h"
#include "wide/body_clear.h"
#include "wide/nearness.h"

const sn_wide_contact sn_contact_scalar = {contact_warm_all, contact_project_all, contact_sweep_all, contact_plane_all};
const sn_wide_body_contact_table sn_body_contact_scalar = BODY_TABLE;
const sn_wide_near sn_near_scalar = NEAR_TABLE;
