/* SPDX-License-Identifier: MIT */
#include "watch/watch-screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The other screen of the terminal, no wrapped lines, no cursor; and back. */
#define ENTER "\033[?1049h\033[?7l\033[?25l"
#define LEAVE "\033[0m\033[?25h\033[?7h\033[?1049l"

void screen_write(struct screen *screen, const char *text, size_t size)
{
	while (size && !screen->is_lost) {
		ssize_t n = write(STDOUT_FILENO, text, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			screen->is_lost = true;
		else if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
}

static void see_size(struct screen *screen)
{
	struct winsize size;

	screen->columns = 80;
	screen->rows = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_col)
		screen->columns = size.ws_col;
	if (size.ws_row)
		screen->rows = size.ws_row;
}

/* Signals stay: Ctrl-C is no key. Ctrl-Z is one: the program gives the terminal
 * back before it stops. */
static void enter(struct screen *screen)
{
	struct termios raw = screen->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	screen_write(screen, ENTER, strlen(ENTER));
	screen->is_on = true;
}

static void leave(struct screen *screen)
{
	screen_write(screen, LEAVE, strlen(LEAVE));
	/* The shell does not get what was typed and not read. */
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen->before);
	screen->is_on = false;
}

/* Memory, because a file might be on a drive that is watched. */
static void hold_messages(struct screen *screen)
{
	screen->error_fd = -1;
	screen->held_fd =
		isatty(STDERR_FILENO) ? memfd_create("ssdpm", MFD_CLOEXEC) : -1;
	fflush(stderr);
	if (screen->held_fd >= 0)
		screen->error_fd = dup(STDERR_FILENO);
	if (screen->error_fd >= 0)
		dup2(screen->held_fd, STDERR_FILENO);
}

static void tell_messages(struct screen *screen)
{
	char text[512];
	ssize_t n;

	if (screen->error_fd >= 0) {
		fflush(stderr);
		dup2(screen->error_fd, STDERR_FILENO);
		close(screen->error_fd);
		lseek(screen->held_fd, 0, SEEK_SET);
		while ((n = read(screen->held_fd, text, sizeof(text))) > 0)
			fwrite(text, 1, (size_t)n, stderr);
	}
	if (screen->held_fd >= 0)
		close(screen->held_fd);
	screen->held_fd = screen->error_fd = -1;
}

enum exit_status screen_begin(struct screen *screen)
{
	if (tcgetattr(STDIN_FILENO, &screen->before))
		return failure("standard input: %s", strerror(errno));
	fflush(stdout);
	hold_messages(screen);
	enter(screen);
	return STATUS_DONE;
}

void screen_end(struct screen *screen)
{
	if (!screen->is_on)
		return;
	leave(screen);
	tell_messages(screen);
}

size_t screen_keys(struct screen *screen, char keys[MOST_KEYS])
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	const cc_t stops = screen->before.c_cc[VSUSP];
	ssize_t size;

	if (poll(&fd, 1, 0) <= 0 || !fd.revents)
		return 0;
	size = read(STDIN_FILENO, keys, MOST_KEYS);
	if (size <= 0) {
		screen->is_lost = !size || errno != EINTR;
		return 0;
	}
	if (stops != _POSIX_VDISABLE && memchr(keys, stops, (size_t)size)) {
		leave(screen);
		raise(SIGSTOP);
		enter(screen);
	}
	return (size_t)size;
}

static void see_messages(struct screen *screen)
{
	char text[512], *line;
	ssize_t n = 0;

	fflush(stderr);
	if (screen->error_fd >= 0)
		n = pread(screen->held_fd, text, sizeof(text), screen->said);
	if (n <= 0)
		return;
	screen->said += n;
	text[n - 1] = 0; /* the line feed */
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	line += strncmp(line, "ssdpm: ", 7) ? 0 : 7;
	snprintf(screen->message, sizeof(screen->message), "%.120s", line);
}

void screen_settle(struct screen *screen)
{
	see_size(screen);
	see_messages(screen);
}
