/* SPDX-License-Identifier: MIT */
/* A file of ssdpm.conf(5) that is written, comes or goes. */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>

/* Of /etc only what is ours counts. */
static const struct {
	const char *path;
	const char *prefix;
} folders[] = {
	{ "/etc", "ssdpm.conf" },
	{ "/etc/ssdpm.conf.d", "" },
	{ "/usr/lib/ssdpm", "" },
	{ "/run/ssdpm.conf.d", "" },
};

enum { N_FOLDERS = sizeof(folders) / sizeof(folders[0]) };

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *userdata);

/* Those that are not there yet are tried again when /etc changes. */
static void watch_all(struct service *service)
{
	const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
			      IN_CREATE | IN_DELETE | IN_ONLYDIR;
	char path[4096];

	for (size_t i = 0; i < N_FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s%s",
			 service->root ? service->root : "", folders[i].path);
		if (service->watches[i] < 0 &&
		    sd_event_add_inotify(service->event, NULL, path, mask,
					 on_change, service) >= 0)
			service->watches[i] = 0;
	}
}

static bool is_ours(const struct inotify_event *event)
{
	const char *name = event->len ? event->name : "";
	const size_t length = strlen(name);

	return !strncmp(name, "ssdpm.conf", strlen("ssdpm.conf")) ||
	       (*name != '.' && length > 5 &&
		!strcmp(name + length - 5, ".conf"));
}

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *userdata)
{
	struct service *service = userdata;

	(void)source;
	if (!(event->mask & IN_Q_OVERFLOW) && !is_ours(event))
		return 0;
	watch_all(service);
	notice(service);
	return 0;
}

int watch_files(struct service *service)
{
	watch_all(service);
	return service->watches[0] < 0 ? -ENOENT : 0;
}
