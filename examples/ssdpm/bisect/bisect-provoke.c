/* SPDX-License-Identifier: MIT */
/*
 * A drive that is read now and then, so that it sleeps in between. For NCQ it
 * gets several reads at once: one at a time never fills its queue.
 */
#include "bisect/bisect-run.h"
#include "survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 4096

/* What a search of this suspect alone would count; 0: no memory. */
static uint32_t exposure_alone(const struct search *search, size_t i)
{
	const struct ssdpm_bisect_params params = { .size = sizeof(params),
						    .n_errors = 1,
						    .n_entries = 1 };
	const char *steps[SSDPM_BISECT_STEPS];
	struct ssdpm_bisect *alone;
	const size_t n = last_step(search, i) + 1;
	uint32_t exposure = 0;

	for (size_t j = 0; j < n; j++)
		steps[j] = ssdpm_bisect_get_step_name(search->bisect, i, j);
	if (ssdpm_bisect_new(&params, &alone, NULL))
		return 0;
	if (!ssdpm_bisect_add_suspect(
		    alone, ssdpm_bisect_get_suspect(search->bisect, i), steps,
		    n, NULL))
		exposure = ssdpm_bisect_get_exposure(alone);
	ssdpm_bisect_free(alone);
	return exposure;
}

/*
 * In everyday use a drive has more idle times than entries, and more I/Os than
 * idle times. Nobody knows how many more, and provoked reads have one of each.
 */
enum exit_status check_suspects_to_provoke(const struct search *search)
{
	const uint32_t exposure = ssdpm_bisect_get_exposure(search->bisect);

	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		const uint32_t alone = exposure_alone(search, i);

		if (!alone)
			return out_of_memory();
		if (alone != exposure)
			return failure(
				"--provoke exposes settings of one kind: %s "
				"fails by %s, and this search counts %s; try: "
				"ssdpm bisect start --only %s",
				ssdpm_bisect_get_suspect(search->bisect, i),
				exposure_word(alone), entries_word(search),
				ssdpm_bisect_setting_to_string(
					setting_of(search, i)));
	}
	return STATUS_DONE;
}

uint32_t depth_of_drive(const struct search *search, const char *drive,
			bool before)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		const size_t step =
			before ? last_step(search, i) :
				 ssdpm_bisect_get_step(search->bisect, i);

		if (setting_of(search, i) == SSDPM_BISECT_QUEUE_DEPTH &&
		    !strcmp(drive_of(search, i)->name, drive))
			return (uint32_t)strtoul(
				ssdpm_bisect_get_step_name(search->bisect, i,
							   step),
				NULL, 10);
	}
	return 1;
}

static const char *prepare(struct provoked *p)
{
	const off_t size = p->fd < 0 ? -1 : lseek(p->fd, 0, SEEK_END);

	if (size < 0)
		return strerror(errno);
	if (size < BLOCK)
		return "it is too small";
	p->n_blocks = (uint64_t)size / BLOCK;
	if (posix_memalign(&p->buffer, BLOCK, (size_t)p->n_reads * BLOCK))
		return strerror(ENOMEM);
	return syscall(SYS_io_setup, p->n_reads, &p->aio) ? strerror(errno) :
							    NULL;
}

enum exit_status open_provoked(const struct watched *watched,
			       struct provoked *provoked)
{
	const char *const disk = watched->disks[0].name;
	const struct cell path = cell("/dev/%s", disk);
	const char *fault;

	provoked->random = (uint64_t)survey_now_ns() | 1;
	snprintf(provoked->disk, sizeof(provoked->disk), "%s", disk);
	provoked->fd = open(path.text, O_RDONLY | O_DIRECT | O_CLOEXEC);
	fault = prepare(provoked);
	if (!fault)
		return STATUS_DONE;
	complain("--provoke: %s: %s", path.text, fault);
	close_provoked(provoked);
	return STATUS_FAILED;
}

void close_provoked(struct provoked *provoked)
{
	if (provoked->aio)
		syscall(SYS_io_destroy, provoked->aio);
	if (provoked->fd >= 0)
		close(provoked->fd);
	free(provoked->buffer);
	*provoked = (struct provoked){ .fd = -1 };
}

/* Other blocks each time, so that the drive's own memory does not have them. */
static long submit(struct provoked *p)
{
	struct iocb reads[MAX_READS] = { { .aio_data = 0 } };
	struct iocb *list[MAX_READS];

	for (uint32_t i = 0; i < p->n_reads; i++) {
		p->random = p->random * UINT64_C(6364136223846793005) + 1;
		reads[i].aio_lio_opcode = IOCB_CMD_PREAD;
		reads[i].aio_fildes = (uint32_t)p->fd;
		reads[i].aio_buf = (uint64_t)(uintptr_t)p->buffer + i * BLOCK;
		reads[i].aio_nbytes = BLOCK;
		reads[i].aio_offset =
			(int64_t)((p->random >> 16) % p->n_blocks * BLOCK);
		list[i] = &reads[i];
	}
	return syscall(SYS_io_submit, p->aio, (long)p->n_reads, list);
}

/* Requests that Linux has given to the drive. */
static uint64_t count_in_flight(const struct search *search,
				const struct provoked *p)
{
	char text[64];

	if (ssdpm_machine_read_attribute(
		    search->live->machine,
		    cell("sys/class/block/%s/inflight", p->disk).text, text,
		    sizeof(text), NULL))
		return 0;
	return strtoull(text, NULL, 10);
}

static void finish(struct provoked *p, long n)
{
	struct io_event done[MAX_READS];

	while (n > 0) {
		const long n_done =
			syscall(SYS_io_getevents, p->aio, 1L, n, done, NULL);

		if (n_done < 0 && errno != EINTR)
			return;
		for (long i = 0; i < n_done; i++)
			if (done[i].res != BLOCK)
				remark("--provoke: a read failed: %s",
				       done[i].res < 0 ?
					       strerror((int)-done[i].res) :
					       "the drive is shorter now");
		n -= n_done < 0 ? 0 : n_done;
	}
}

void provoke(const struct search *search, struct provoked *p)
{
	uint64_t in_flight;
	long n;

	if (survey_now_ns() < p->next_ns)
		return;
	n = submit(p);
	if (n < 0)
		remark("--provoke: a read failed: %s", strerror(errno));
	in_flight = p->n_reads > 1 ? count_in_flight(search, p) : 0;
	if (in_flight > p->most)
		p->most = in_flight;
	finish(p, n);
	p->next_ns = survey_now_ns() + p->gap_ns;
}
