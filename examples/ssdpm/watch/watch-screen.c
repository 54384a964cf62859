/* SPDX-License-Identifier: MIT */
#include "watch/watch-screen.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The other screen of the terminal, no wrapped lines, no cursor; and back. */
#define ENTER "\033[?1049h\033[?7l\033[?25l"
#define LEAVE "\033[0m\033[?25h\033[?7h\033[?1049l"

static const int numbers[N_SCREEN_SIGNALS] = { SIGWINCH, SIGTSTP, SIGCONT };

/* A handler can have nothing else. */
static volatile sig_atomic_t resized, stops, continued;

static void handle(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else if (number == SIGTSTP)
		stops = 1;
	else
		continued = 1;
}

bool screen_write(struct screen *screen, const char *text, size_t size)
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
	return !screen->is_lost;
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

/* Signals stay: Ctrl-C is no key. */
static void enter(struct screen *screen)
{
	struct termios raw = screen->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	screen_write(screen, ENTER, strlen(ENTER));
	see_size(screen);
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
	screen->held_fd = screen->error_fd = -1;
	if (!isatty(STDERR_FILENO))
		return;
	screen->held_fd = memfd_create("ssdpm", MFD_CLOEXEC);
	if (screen->held_fd < 0)
		return;
	fflush(stderr);
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
	const struct sigaction action = { .sa_handler = handle,
					  .sa_flags = SA_RESTART };

	if (tcgetattr(STDIN_FILENO, &screen->before))
		return failure("standard input: %s", strerror(errno));
	for (size_t i = 0; i < N_SCREEN_SIGNALS; i++)
		sigaction(numbers[i], &action, &screen->actions[i]);
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
	for (size_t i = 0; i < N_SCREEN_SIGNALS; i++)
		sigaction(numbers[i], &screen->actions[i], NULL);
	tell_messages(screen);
}

bool screen_settle(struct screen *screen)
{
	const bool changes = resized || stops || continued;

	if (stops) {
		stops = 0;
		leave(screen);
		raise(SIGSTOP);
		continued = 1;
	}
	if (continued) {
		continued = 0;
		enter(screen);
	}
	if (resized) {
		resized = 0;
		see_size(screen);
	}
	return changes;
}

/* After "ESC [" or "ESC O"; *ret_n: how many characters it has. */
static int sequence(const char *text, size_t size, size_t *ret_n)
{
	static const struct {
		const char *text;
		enum key key;
	} known[] = {
		{ "A", KEY_UP },       { "B", KEY_DOWN },
		{ "C", KEY_RIGHT },    { "D", KEY_LEFT },
		{ "H", KEY_HOME },     { "F", KEY_END },
		{ "5~", KEY_PAGE_UP }, { "6~", KEY_PAGE_DOWN },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*ret_n = strlen(known[i].text);
		if (size >= *ret_n && !memcmp(text, known[i].text, *ret_n))
			return known[i].key;
	}
	/* Another one ends with a letter or a tilde. */
	for (*ret_n = 0; *ret_n < size; (*ret_n)++)
		if (text[*ret_n] >= '@' && text[*ret_n] <= '~') {
			(*ret_n)++;
			break;
		}
	return KEY_NONE;
}

size_t screen_keys(struct screen *screen, int keys[MOST_KEYS])
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	char text[MOST_KEYS];
	size_t n = 0;
	ssize_t size;

	if (poll(&fd, 1, 0) <= 0 || !fd.revents)
		return 0;
	size = read(STDIN_FILENO, text, sizeof(text));
	if (size <= 0) {
		screen->is_lost = !size || errno != EINTR;
		return 0;
	}
	for (size_t i = 0, left = (size_t)size; i < left; i++) {
		size_t length;

		if (text[i] != KEY_ESCAPE || i + 2 >= left ||
		    (text[i + 1] != '[' && text[i + 1] != 'O')) {
			keys[n++] = (unsigned char)text[i];
			continue;
		}
		keys[n] = sequence(text + i + 2, left - i - 2, &length);
		n += keys[n] != KEY_NONE;
		i += 1 + length;
	}
	return n;
}

bool screen_hear(struct screen *screen)
{
	char text[512], *line, *end;
	ssize_t n;

	if (screen->error_fd < 0)
		return false;
	fflush(stderr);
	n = pread(screen->held_fd, text, sizeof(text) - 1, screen->said);
	if (n <= 0)
		return false;
	text[n] = 0;
	end = strrchr(text, '\n');
	if (!end)
		return false;
	screen->said += end + 1 - text;
	*end = 0;
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!strncmp(line, "ssdpm: ", 7))
		line += 7;
	snprintf(screen->message, sizeof(screen->message), "%.120s", line);
	ssdpm_text_blunt(screen->message);
	return true;
}
