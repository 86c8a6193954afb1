/* Contact of balls and of bodies, one pair at a time. */
#define SN_VECTOR 0
#include "wide/contact.h"
#include "wide/meet.h"

const sn_wide_contact sn_contact_scalar = {contact_warm_all, contact_project_all, contact_sweep_all, contact_plane_all};
const sn_wide_meet_table sn_meet_scalar = MEET_TABLE;
