/* SPDX-License-Identifier: MIT */
/* A file of ssdpm.conf(5) that is written, comes or goes. */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>

/* With a prefix: other files in there are not ours. */
static const struct {
	const char *path;
	const char *prefix;
} folders[N_FOLDERS] = {
	{ "/etc", "ssdpm.conf" }, { "/etc/ssdpm.conf.d", NULL },
	{ "/usr/lib", "ssdpm" },  { "/usr/lib/ssdpm", NULL },
	{ "/run", "ssdpm.conf" }, { "/run/ssdpm.conf.d", NULL },
};

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *userdata);

/* Those that are not there yet are tried again when the one around changes. */
static void watch_all(struct service *service)
{
	const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
			      IN_CREATE | IN_DELETE | IN_DELETE_SELF |
			      IN_MOVE_SELF | IN_ONLYDIR;
	char path[4096];

	for (size_t i = 0; i < N_FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s%s",
			 service->root ? service->root : "", folders[i].path);
		if (!service->watches[i])
			sd_event_add_inotify(service->event,
					     &service->watches[i], path, mask,
					     on_change, service);
	}
}

static size_t find_folder(const struct service *service,
			  const sd_event_source *source)
{
	size_t i = 0;

	while (i < N_FOLDERS - 1 && service->watches[i] != source)
		i++;
	return i;
}

static bool is_ours(size_t folder, const struct inotify_event *event)
{
	const char *name = event->len ? event->name : "";
	const char *prefix = folders[folder].prefix;
	const size_t length = strlen(name);

	if (prefix)
		return !strncmp(name, prefix, strlen(prefix));
	return *name != '.' && length > 5 &&
	       !strcmp(name + length - 5, ".conf");
}

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *userdata)
{
	const uint32_t gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED;
	struct service *service = userdata;
	const size_t i = find_folder(service, source);

	/* Another one may be there by now, under the same name. */
	if (event->mask & gone)
		service->watches[i] =
			sd_event_source_disable_unref(service->watches[i]);
	else if (!(event->mask & IN_Q_OVERFLOW) && !is_ours(i, event))
		return 0;
	watch_all(service);
	notice(service);
	return 0;
}

void forget_files(struct service *service)
{
	for (size_t i = 0; i < N_FOLDERS; i++)
		service->watches[i] =
			sd_event_source_disable_unref(service->watches[i]);
}

int watch_files(struct service *service)
{
	watch_all(service);
	return service->watches[0] ? 0 : -ENOENT;
}
