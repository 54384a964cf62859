/* SPDX-License-Identifier: MIT */
/* Where the bytes of a trace come from: a descriptor of the caller, memory. */
#include "common/input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/internal.h"

struct fd_source {
	struct source source;
	int fd;
};

/* Somebody may have made the descriptor non-blocking: nothing there is no end.
 */
static bool is_worth_waiting(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	return poll(&wanted, 1, -1) > 0 || errno == EINTR;
}

static int read_fd(struct source *source, void *data, size_t size,
		   size_t *ret_n, struct ssdpm_error *reterr)
{
	struct fd_source *self = (struct fd_source *)source;
	ssize_t n;

	do {
		n = read(self->fd, data, size);
	} while (n < 0 && is_worth_waiting(self->fd));
	if (n < 0)
		return ssdpm__fail(reterr, -errno, 0, "cannot read it: %s",
				   ssdpm_strerror(-errno));
	*ret_n = (size_t)n;
	return 0;
}

struct data_source {
	struct source source;
	const char *at;
	size_t left;
};

static int read_data(struct source *source, void *data, size_t size,
		     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct data_source *self = (struct data_source *)source;
	size_t n = size < self->left ? size : self->left;

	(void)reterr;
	if (n)
		memcpy(data, self->at, n);
	self->at += n;
	self->left -= n;
	*ret_n = n;
	return 0;
}

static void close_source(struct source *source)
{
	free(source);
}

int ssdpm__source_fd(int fd, struct source **ret_source,
		     struct ssdpm_error *reterr)
{
	struct fd_source *self = calloc(1, sizeof(*self));

	if (!self)
		return ssdpm__no_memory(reterr);
	self->source.read = read_fd;
	self->source.close = close_source;
	self->fd = fd;
	*ret_source = &self->source;
	return 0;
}

int ssdpm__source_data(const void *data, size_t size,
		       struct source **ret_source, struct ssdpm_error *reterr)
{
	struct data_source *self = calloc(1, sizeof(*self));

	if (!self)
		return ssdpm__no_memory(reterr);
	self->source.read = read_data;
	self->source.close = close_source;
	self->at = data;
	self->left = size;
	*ret_source = &self->source;
	return 0;
}
