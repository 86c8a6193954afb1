/* Pieces of surfaces: what hangs together. For surface_pieces.c and surface_energy.c. */
#ifndef SN_CONTACT_SURFACE_PIECES_H
#define SN_CONTACT_SURFACE_PIECES_H

#include "contact/surface_contacts.h"

static inline sn_surface_piece *surface_pieces(const sn_surfaces *s)
{
    return s->piece_table.column[0];
}

static inline const sn_surface_shell *surface_shells(const sn_surfaces *s)
{
    return s->shell_table.column[0];
}

/* Union-find: the root is the lowest of a set. */
static inline uint32_t pieces_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void pieces_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = pieces_root(parent, a), b = pieces_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* 1 + the vertex that a particle is; 0: none. */
static inline uint32_t surface_vertex_of(const sn_surfaces *s, uint32_t number)
{
    return number < s->index_table.count ? ((const uint32_t *)s->index_table.column[0])[number] : 0;
}

/* Pieces of shells are behind those of vertices. */
static inline uint32_t surface_piece_of_shell(const sn_surfaces *s, uint32_t shell)
{
    return s->piece_table.count - s->shell_table.count + shell;
}

#endif
