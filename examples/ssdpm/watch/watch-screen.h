/* SPDX-License-Identifier: MIT */
/* A terminal that a program has for itself, and gives back as it was. */
#ifndef SSDPM_COMMAND_WATCH_SCREEN_H
#define SSDPM_COMMAND_WATCH_SCREEN_H

#include "command.h"

#include <termios.h>

#define MOST_KEYS 64

struct screen {
	int columns, rows;
	bool is_on;
	bool is_lost; /* the terminal went away */
	struct termios before;
	/* Standard error: messages wait here, and come when the screen goes. */
	int held_fd, error_fd; /* -1: it is no terminal */
	off_t said;	       /* so much of them was shown */
	char message[128];     /* the latest; "": none */
};

enum exit_status screen_begin(struct screen *screen);
/* It may be called twice, or without a begin if all is 0. */
void screen_end(struct screen *screen);

/* The typed characters; Ctrl-Z stops the program. Return: how many. */
size_t screen_keys(struct screen *screen, char keys[MOST_KEYS]);

/* Sees the size, and new messages. */
void screen_settle(struct screen *screen);

/* A frame. */
void screen_write(struct screen *screen, const char *text, size_t size);

#endif
