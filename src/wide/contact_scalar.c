/* Contact of balls, one pair at a time. */
#define SN_WIDTH 1
#include "wide/contact.h"

const sn_wide_contact sn_contact_scalar = {contact_warm_all, contact_project_all, contact_plane_all};
