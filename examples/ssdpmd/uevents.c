/* SPDX-License-Identifier: MIT */
/*
 * Events of the kernel itself: those of udevd do not reach another network
 * namespace.
 */
#include "service.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

enum { EVENT_BYTES = 16384, QUEUE_BYTES = 1 << 20, KERNEL_GROUP = 1 };

/* "KEY=" of an event, or "". */
static const char *find_value(const char *event, size_t size, const char *key)
{
	const size_t length = strlen(key);

	for (const char *at = event; at < event + size; at += strlen(at) + 1)
		if (!strncmp(at, key, length))
			return at + length;
	return "";
}

/*
 * An adapter was plugged in or out, maybe both. Batteries tell of themselves
 * all the time.
 */
static bool has_other_source(const struct service *service, const char *event,
			     size_t size)
{
	return strcmp(find_value(event, size, "POWER_SUPPLY_TYPE="),
		      "Battery") != 0 ||
	       service->run || read_source(service) != service->run_source;
}

/*
 * A controller is announced, and again when it is live; its disk comes after
 * that, as does that of a SATA port.
 */
static bool is_news(const struct service *service, const char *event,
		    size_t size)
{
	const char *subsystem = find_value(event, size, "SUBSYSTEM=");

	if (!strcmp(subsystem, "power_supply"))
		return has_other_source(service, event, size);
	if (!strcmp(subsystem, "block"))
		return !strcmp(find_value(event, size, "DEVTYPE="), "disk") &&
		       strcmp(find_value(event, size, "ACTION="), "change");
	return !strcmp(subsystem, "nvme") || !strcmp(subsystem, "scsi_host");
}

static ssize_t receive(int fd, char event[EVENT_BYTES])
{
	struct sockaddr_nl from = { 0 };
	struct iovec room = { event, EVENT_BYTES - 1 };
	struct msghdr message = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &room,
		.msg_iovlen = 1,
	};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	event[n] = 0;
	/* Others may write to the group, too. */
	return from.nl_pid ? 0 : n;
}

/* All that are there lead to one run. */
static int on_event(sd_event_source *source, int fd, uint32_t events,
		    void *userdata)
{
	struct service *service = userdata;
	char event[EVENT_BYTES];
	bool news = false;
	ssize_t n;

	(void)source;
	(void)events;
	while ((n = receive(fd, event)) >= 0 || n == -EINTR || n == -ENOBUFS)
		/* ENOBUFS: the kernel dropped events, maybe ours. */
		news = news || n == -ENOBUFS ||
		       (n > 0 && is_news(service, event, (size_t)n));
	if (news)
		notice(service);
	return 0;
}

int watch_uevents(struct service *service)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP,
	};
	const int room = QUEUE_BYTES;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	service->uevents = fd;
	/* Only root may have more than the usual. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return sd_event_add_io(service->event, NULL, fd, EPOLLIN, on_event,
			       service);
}
