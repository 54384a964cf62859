/* SPDX-License-Identifier: MIT */
/*
 * Many events, few runs. A request is a byte of the file "requests". The file
 * "served" says how many have had their run, and by its age when that was. A
 * process that serves holds a lock on the requests.
 */
#include "apply/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	QUIET_MS = 300,	   /* what ends a row of requests */
	LONGEST_MS = 2000, /* a row that does not end is served all the same */
	MOST_BYTES = 65536,
};

struct requests {
	struct ssdpm_plan *plan; /* it knows what params mean */
	struct site site;
	int fd;
	int served_fd;
};

static int open_file(const struct site *site, const char *name, int flags,
		     int *ret_fd, struct ssdpm_error *reterr)
{
	int err = ssdpm__check_file(site, name, reterr);

	if (err)
		return err;
	*ret_fd = openat(site->directory_fd, name,
			 flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
			 0600);
	if (*ret_fd < 0)
		return ssdpm__fail_state(site, name, -errno, reterr);
	return 0;
}

static void close_requests(struct requests *requests)
{
	if (requests->fd >= 0)
		close(requests->fd);
	if (requests->served_fd >= 0)
		close(requests->served_fd);
	ssdpm__site_close(&requests->site);
	ssdpm_plan_free(requests->plan);
}

static int open_requests(struct ssdpm_machine *machine,
			 const struct ssdpm_plan_params *params,
			 struct requests *ret_requests,
			 struct ssdpm_error *reterr)
{
	struct requests requests = {
		.site = { .directory_fd = -1, .lock_fd = -1, .journal_fd = -1 },
		.fd = -1,
		.served_fd = -1,
	};
	int err = ssdpm_plan_new(machine, params, &requests.plan, reterr);

	if (!err)
		err = ssdpm__check_writable(machine, reterr);
	if (!err)
		err = ssdpm__site_find(requests.plan, true, &requests.site,
				       reterr);
	if (!err)
		err = open_file(&requests.site, "requests", O_RDWR | O_APPEND,
				&requests.fd, reterr);
	if (err)
		close_requests(&requests);
	else
		*ret_requests = requests;
	return err;
}

int ssdpm_request_add(struct ssdpm_machine *machine,
		      const struct ssdpm_plan_params *params,
		      struct ssdpm_error *reterr)
{
	struct requests requests;
	int err = open_requests(machine, params, &requests, reterr);

	if (err)
		return err;
	err = ssdpm__write_all(requests.fd, "\n", 1);
	if (err)
		err = ssdpm__fail_state(&requests.site, "requests", err,
					reterr);
	close_requests(&requests);
	return err;
}

static uint64_t count_added(const struct requests *requests)
{
	struct stat status;

	return fstat(requests->fd, &status) ? 0 : (uint64_t)status.st_size;
}

/* None if it cannot be read: a run too many does no harm. */
static uint64_t count_served(const struct requests *requests)
{
	uint64_t n = 0;

	if (pread(requests->served_fd, &n, sizeof(n), 0) != sizeof(n))
		return 0;
	return n;
}

static int write_served(const struct requests *requests, uint64_t n,
			struct ssdpm_error *reterr)
{
	const ssize_t size = pwrite(requests->served_fd, &n, sizeof(n), 0);

	if (size == sizeof(n))
		return 0;
	return ssdpm__fail_state(&requests->site, "served",
				 size < 0 ? -errno : -ENOSPC, reterr);
}

/* If the file of requests was removed, their number begins anew. */
static bool has_later_requests(const struct requests *requests)
{
	struct stat added, served;

	if (!count_added(requests) || fstat(requests->fd, &added) ||
	    fstat(requests->served_fd, &served))
		return false;
	return added.st_mtim.tv_sec > served.st_mtim.tv_sec ||
	       (added.st_mtim.tv_sec == served.st_mtim.tv_sec &&
		added.st_mtim.tv_nsec > served.st_mtim.tv_nsec);
}

/* How long ago a file was written. */
static uint64_t age_of(const struct requests *requests, const char *name)
{
	uint64_t age_ms = 0;

	ssdpm__file_age(&requests->site, name, &age_ms);
	return age_ms;
}

/* The first run does not wait. The file of requests is as old as the last one.
 */
static void await_quiet(const struct requests *requests)
{
	const uint64_t end = ssdpm__now_ms() + LONGEST_MS;

	if (!count_served(requests) || age_of(requests, "served") >= QUIET_MS)
		return;
	while (ssdpm__now_ms() < end) {
		const uint64_t age_ms = age_of(requests, "requests");

		if (age_ms >= QUIET_MS)
			return;
		ssdpm__sleep_ms(QUIET_MS - (uint32_t)age_ms);
	}
}

/* One byte stays: a run for it begins. */
static int shorten(const struct requests *requests, struct ssdpm_error *reterr)
{
	int err = write_served(requests, 0, reterr);

	if (!err && ftruncate(requests->fd, 1))
		err = ssdpm__fail_state(&requests->site, "requests", -errno,
					reterr);
	return err;
}

static int serve(const struct requests *requests, ssdpm_request_run_fn run,
		 void *userdata, size_t *ret_n, struct ssdpm_error *reterr)
{
	bool is_asked = has_later_requests(requests);
	struct ssdpm_error error;
	int err = 0, run_err = 0;

	while (!err && !run_err &&
	       (is_asked || count_added(requests) != count_served(requests))) {
		uint64_t n;

		is_asked = false;
		await_quiet(requests);
		if (count_added(requests) > MOST_BYTES)
			err = shorten(requests, reterr);
		n = count_added(requests);
		if (err)
			break;
		++*ret_n;
		run_err = run(userdata, &error);
		err = write_served(requests, n, reterr);
	}
	return run_err ? ssdpm__pass_on(run_err, &error, reterr) : err;
}

/* However long a run takes: the wait ends with it. */
static int lock_requests(struct requests *requests, struct ssdpm_error *reterr)
{
	int fd, err = ssdpm__lock_file(&requests->site, "requests",
				       O_RDWR | O_APPEND, UINT32_MAX, &fd);

	if (err)
		return ssdpm__fail_state(&requests->site, "requests", err,
					 reterr);
	close(requests->fd);
	requests->fd = fd;
	return 0;
}

int ssdpm_request_serve(struct ssdpm_machine *machine,
			const struct ssdpm_plan_params *params,
			ssdpm_request_run_fn run, void *userdata, size_t *ret_n,
			struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	struct requests requests;
	size_t n = 0;
	int err = open_requests(machine, params, &requests, reterr);

	if (err)
		return err;
	err = lock_requests(&requests, &error);
	if (!err)
		err = open_file(&requests.site, "served", O_RDWR,
				&requests.served_fd, &error);
	if (!err)
		err = serve(&requests, run, userdata, &n, &error);
	close_requests(&requests);
	if (!err && ret_n)
		*ret_n = n;
	return ssdpm__pass_on(err, &error, reterr);
}
