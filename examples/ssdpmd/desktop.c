/* SPDX-License-Identifier: MIT */
/*
 * Signals of other services on the bus: the profile of the desktop
 * (power-profiles-daemon, tuned-ppd), the power source (UPower), and the
 * wake-up of the machine (logind).
 */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PROPERTIES "org.freedesktop.DBus.Properties"

enum { ANSWER_US = 2000000 };

/* The name since power-profiles-daemon 0.20, and the one before. */
static const struct {
	const char *name, *path;
} desktops[N_DESKTOPS] = {
	{ "org.freedesktop.UPower.PowerProfiles",
	  "/org/freedesktop/UPower/PowerProfiles" },
	{ "net.hadess.PowerProfiles", "/net/hadess/PowerProfiles" },
};

/*
 * A broadcast reaches the service only if its sender owns the name in the
 * match, which the bus checks. A message to the service itself can come from
 * anyone, and libsystemd does not know who owns the name.
 */
static bool is_forged(sd_bus_message *signal)
{
	return sd_bus_message_get_destination(signal) != NULL;
}

/* NULL: unknown. True: it has changed. */
static bool set_profile(struct desktop *desktop, const char *profile)
{
	struct service *service = desktop->service;
	char before[sizeof(desktop->profile)];
	struct ssdpm_error error;
	const char *now;

	strcpy(before, desktop_profile(service));
	snprintf(desktop->profile, sizeof(desktop->profile), "%s",
		 profile ? profile : "");
	now = desktop_profile(service);
	if (ssdpm_intent_note_desktop(service->machine, *now ? now : NULL,
				      &error)) {
		say("%s", error.message);
		*desktop->profile = 0;
		return false;
	}
	return strcmp(before, now) != 0;
}

static void tell_profile(struct service *service)
{
	sd_bus_emit_properties_changed(service->bus, SSDPMD_PATH,
				       SSDPMD_MACHINE_INTERFACE,
				       "DesktopProfile", NULL);
}

static bool waits_for_profile(const struct service *service)
{
	for (size_t i = 0; i < N_DESKTOPS; i++)
		if (service->desktops[i].asked)
			return true;
	return false;
}

int begin_runs(struct service *service)
{
	if (service->has_begun || waits_for_profile(service))
		return 0;
	service->has_begun = true;
	return notice(service);
}

/* The first run may have waited for this. */
static void take_profile(struct desktop *desktop, const char *profile)
{
	struct service *service = desktop->service;
	int err;

	if (set_profile(desktop, profile)) {
		tell_profile(service);
		if (service->has_begun)
			notice(service);
	}
	err = begin_runs(service);
	if (err < 0)
		sd_event_exit(service->event, err);
}

/* A service that does not answer has an unknown profile. */
static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct desktop *desktop = userdata;
	const char *profile = NULL;

	(void)error;
	desktop->asked = sd_bus_slot_unref(desktop->asked);
	if (sd_bus_message_is_method_error(reply, NULL) ||
	    sd_bus_message_read(reply, "v", "s", &profile) < 0)
		profile = NULL;
	take_profile(desktop, profile);
	return 0;
}

/* Asks without starting the service or waiting for its answer. */
static int ask_profile(struct service *service, size_t i)
{
	struct desktop *desktop = &service->desktops[i];
	sd_bus_message *call = NULL;
	int err;

	desktop->asked = sd_bus_slot_unref(desktop->asked);
	err = sd_bus_message_new_method_call(service->bus, &call,
					     desktops[i].name, desktops[i].path,
					     PROPERTIES, "Get");
	if (err >= 0)
		err = sd_bus_message_set_auto_start(call, 0);
	if (err >= 0)
		err = sd_bus_message_append(call, "ss", desktops[i].name,
					    "ActiveProfile");
	if (err >= 0)
		err = sd_bus_call_async(service->bus, &desktop->asked, call,
					on_answer, desktop, ANSWER_US);
	sd_bus_message_unref(call);
	return err;
}

static size_t find_desktop(const char *text)
{
	size_t i = 0;

	while (i < N_DESKTOPS && strcmp(desktops[i].name, text) != 0)
		i++;
	return i;
}

/* A signal only triggers another reading, whatever it contains. */
static int on_profile(sd_bus_message *signal, void *userdata,
		      sd_bus_error *error)
{
	struct service *service = userdata;
	const char *interface;
	size_t i;

	(void)error;
	if (is_forged(signal) ||
	    sd_bus_message_read(signal, "s", &interface) < 0)
		return 0;
	i = find_desktop(interface);
	if (i < N_DESKTOPS && ask_profile(service, i) < 0)
		take_profile(&service->desktops[i], NULL);
	return 0;
}

static int on_owner(sd_bus_message *signal, void *userdata, sd_bus_error *error)
{
	struct service *service = userdata;
	const char *name, *before, *now;
	struct desktop *desktop;
	size_t i;

	(void)error;
	if (is_forged(signal) ||
	    sd_bus_message_read(signal, "sss", &name, &before, &now) < 0)
		return 0;
	i = find_desktop(name);
	if (i == N_DESKTOPS)
		return 0;
	if (*now && ask_profile(service, i) >= 0)
		return 0;
	desktop = &service->desktops[i];
	desktop->asked = sd_bus_slot_unref(desktop->asked);
	take_profile(desktop, NULL);
	return 0;
}

static int on_source(sd_bus_message *signal, void *userdata,
		     sd_bus_error *error)
{
	struct service *service = userdata;

	(void)error;
	/* This comes from batteries, too. */
	if (is_forged(signal))
		return 0;
	if (service->run || read_source(service) != service->run_source)
		notice(service);
	return 0;
}

static int on_sleep(sd_bus_message *signal, void *userdata, sd_bus_error *error)
{
	int begins;

	(void)error;
	if (!is_forged(signal) &&
	    sd_bus_message_read(signal, "b", &begins) >= 0 && !begins)
		notice(userdata);
	return 0;
}

static int watch_desktop_service(struct service *service, size_t i)
{
	char rule[256];
	int err;

	snprintf(rule, sizeof(rule),
		 "type='signal',sender='org.freedesktop.DBus',"
		 "interface='org.freedesktop.DBus',member='NameOwnerChanged',"
		 "arg0='%s'",
		 desktops[i].name);
	err = sd_bus_add_match(service->bus, NULL, rule, on_owner, service);
	if (err >= 0)
		err = sd_bus_match_signal(
			service->bus, NULL, desktops[i].name, desktops[i].path,
			PROPERTIES, "PropertiesChanged", on_profile, service);
	if (err >= 0)
		err = ask_profile(service, i);
	return err;
}

/* A note without a listener soon becomes wrong. */
void forget_desktop(struct service *service)
{
	/* If this service has not begun, any note is another service's. */
	if (service->desktops[0].service)
		ssdpm_intent_note_desktop(service->machine, NULL, NULL);
	for (size_t i = 0; i < N_DESKTOPS; i++)
		service->desktops[i].asked =
			sd_bus_slot_unref(service->desktops[i].asked);
}

int watch_desktop(struct service *service)
{
	int err = 0;

	for (size_t i = 0; err >= 0 && i < N_DESKTOPS; i++) {
		service->desktops[i].service = service;
		err = watch_desktop_service(service, i);
	}
	if (err >= 0)
		err = sd_bus_match_signal(
			service->bus, NULL, "org.freedesktop.UPower",
			"/org/freedesktop/UPower", PROPERTIES,
			"PropertiesChanged", on_source, service);
	if (err >= 0)
		err = sd_bus_match_signal(service->bus, NULL,
					  "org.freedesktop.login1",
					  "/org/freedesktop/login1",
					  "org.freedesktop.login1.Manager",
					  "PrepareForSleep", on_sleep, service);
	return err < 0 ? err : 0;
}
