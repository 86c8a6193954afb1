/* An HTTP server for one folder, only on this machine, with libmicrohttpd. */
#ifndef SN_CLI_SERVE_H
#define SN_CLI_SERVE_H

#include "cli/cli.h"

typedef struct sn_server sn_server;

/* Listens on 127.0.0.1. port 0: any free port. NULL, after a message, on failure, or if this program was built
   without libmicrohttpd. It serves the plain files of the folder, but not links that lead outside. */
sn_server *sn_server_open(const char *folder, uint32_t port);

/* The port on which it listens. */
uint32_t sn_server_port(const sn_server *server);

/* Adds a page without a file: its path ("/view") is answered with this HTML text, which is not copied. */
void sn_server_add(sn_server *server, const char *path, const char *html, size_t length);

/* Handles pending requests, after waiting at most so many milliseconds for one. False if it cannot continue. */
bool sn_server_turn(sn_server *server, int32_t milliseconds);

/* Handles requests until a signal is received. */
void sn_server_run(sn_server *server);
void sn_server_close(sn_server *server);

#endif
