/* SPDX-License-Identifier: MIT */
#include "common/peek.h"

#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static int read_head(struct source *source, void *data, size_t size,
		     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct peek_source *self = (struct peek_source *)source;
	size_t n = self->n - self->at;

	if (n == 0)
		return self->inner->read(self->inner, data, size, ret_n,
					 reterr);
	if (n > size)
		n = size;
	memcpy(data, self->head + self->at, n);
	self->at += n;
	*ret_n = n;
	return 0;
}

static void close_head(struct source *source)
{
	struct peek_source *self = (struct peek_source *)source;

	self->inner->close(self->inner);
	free(self);
}

int ssdpm__source_peek(struct source *inner, struct peek_source **ret_peek,
		       struct ssdpm_error *reterr)
{
	struct peek_source *head = calloc(1, sizeof(*head));

	if (!head)
		return ssdpm__no_memory(reterr);
	head->source.read = read_head;
	head->source.close = close_head;
	head->inner = inner;
	while (head->n < sizeof(head->head)) {
		size_t n = 0;
		int err = inner->read(inner, head->head + head->n,
				      sizeof(head->head) - head->n, &n, reterr);
		if (err) {
			free(head);
			return err;
		}
		if (n == 0)
			break;
		head->n += n;
	}
	*ret_peek = head;
	return 0;
}
