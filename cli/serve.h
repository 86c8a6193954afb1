/* An HTTP server for one folder, on this machine alone: libmicrohttpd, and what may be asked of it. */
#ifndef SN_CLI_SERVE_H
#define SN_CLI_SERVE_H

#include "cli/cli.h"

typedef struct sn_server sn_server;

/* Listens on 127.0.0.1. port 0: any that is free. NULL, after a message, if that fails, or if this program was built without
   libmicrohttpd. It serves the plain files of the folder; links that lead out of it are not followed. */
sn_server *sn_server_open(const char *folder, uint32_t port);

/* The port that it got. */
uint32_t sn_server_port(const sn_server *server);

/* A page that is in no file: answers to its path ("/view") with this text, HTML, which is not copied. */
void sn_server_add(sn_server *server, const char *path, const char *html, size_t length);

/* Answers what can be answered now, and waits at most so many milliseconds for something to come. False if it cannot go on. */
bool sn_server_turn(sn_server *server, int32_t milliseconds);

/* Answers until a signal comes. */
void sn_server_run(sn_server *server);
void sn_server_close(sn_server *server);

#endif
