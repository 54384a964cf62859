/* SPDX-License-Identifier: MIT */
/* A terminal that a program has for itself, and gives back as it was. */
#ifndef SSDPM_COMMAND_WATCH_SCREEN_H
#define SSDPM_COMMAND_WATCH_SCREEN_H

#include "command.h"

#include <signal.h>
#include <termios.h>

/* Keys that are no character. */
enum key {
	KEY_NONE = 0,
	KEY_ESCAPE = 27,
	KEY_UP = 256,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
};

#define MOST_KEYS 64
#define N_SCREEN_SIGNALS 3

struct screen {
	int columns, rows;
	bool is_on;
	bool is_lost; /* the terminal went away */
	struct termios before;
	struct sigaction actions[N_SCREEN_SIGNALS]; /* before */
	/* Standard error: messages wait here, and come when the screen goes. */
	int held_fd, error_fd; /* -1: it is no terminal */
	off_t said;	       /* so much of them was shown */
	char message[128];     /* the latest; "": none */
};

enum exit_status screen_begin(struct screen *screen);
/* It may be called twice, or without a begin if all is 0. */
void screen_end(struct screen *screen);

/* Stop if Ctrl-Z asks for it, and see the size. true: draw all anew. */
bool screen_settle(struct screen *screen);

/* What was typed: characters, and enum key. Return: how many. */
size_t screen_keys(struct screen *screen, int keys[MOST_KEYS]);

/* A frame; false: the terminal is lost. */
bool screen_write(struct screen *screen, const char *text, size_t size);

/* Is there a new message? */
bool screen_hear(struct screen *screen);

#endif
