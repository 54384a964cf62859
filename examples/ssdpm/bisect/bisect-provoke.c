/* SPDX-License-Identifier: MIT */
/* A drive that is read now and then, so that it sleeps in between. */
#include "bisect/bisect-run.h"
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096

enum exit_status open_provoked(const struct watched *watched, uint64_t after_ns,
			       struct provoked *ret_provoked)
{
	struct provoked p = { .random = (uint64_t)survey_now_ns() | 1 };
	char path[64];
	off_t size;

	/* A tenth more, since a timer of a drive need not be exact. */
	p.gap_ns = (int64_t)(after_ns + after_ns / 10);
	snprintf(path, sizeof(path), "/dev/%s", watched->disks[0].name);
	p.fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	size = p.fd < 0 ? -1 : lseek(p.fd, 0, SEEK_END);
	if (size < BLOCK || posix_memalign(&p.buffer, BLOCK, BLOCK)) {
		complain("--provoke: %s: %s", path,
			 size < 0 ? strerror(errno) : "it is too small");
		close_provoked(&p);
		return STATUS_FAILED;
	}
	p.n_blocks = (uint64_t)size / BLOCK;
	*ret_provoked = p;
	return STATUS_DONE;
}

void close_provoked(struct provoked *provoked)
{
	if (provoked->fd >= 0)
		close(provoked->fd);
	free(provoked->buffer);
	*provoked = (struct provoked){ .fd = -1 };
}

/* Another block each time, so that the drive's own memory does not have it. */
void provoke(struct provoked *provoked)
{
	uint64_t block;

	if (survey_now_ns() < provoked->next_ns)
		return;
	provoked->random = provoked->random * UINT64_C(6364136223846793005) + 1;
	block = (provoked->random >> 16) % provoked->n_blocks;
	if (pread(provoked->fd, provoked->buffer, BLOCK,
		  (off_t)(block * BLOCK)) != BLOCK)
		remark("--provoke: a read failed: %s", strerror(errno));
	provoked->next_ns = survey_now_ns() + provoked->gap_ns;
}
