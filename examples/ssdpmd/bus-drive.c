/* SPDX-License-Identifier: MIT */
/* The objects of drives: see ssdpm-dbus(5). */
#include "service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Readers of properties need the service. */
static int find(sd_bus *bus, const char *path, const char *interface,
		void *userdata, void **ret_found, sd_bus_error *error)
{
	struct service *service = userdata;

	(void)bus;
	(void)interface;
	(void)error;
	for (size_t i = 0; i < service->state.n_drives; i++)
		if (!strcmp(service->state.drives[i].path, path)) {
			*ret_found = service;
			return 1;
		}
	return 0;
}

static int list(sd_bus *bus, const char *prefix, void *userdata,
		char ***ret_nodes, sd_bus_error *error)
{
	const struct service *service = userdata;
	char **nodes = calloc(service->state.n_drives + 1, sizeof(*nodes));

	(void)bus;
	(void)prefix;
	(void)error;
	for (size_t i = 0; nodes && i < service->state.n_drives; i++)
		nodes[i] = strdup(service->state.drives[i].path);
	*ret_nodes = nodes;
	return nodes ? 0 : -ENOMEM;
}

static const struct drive *drive_of(const struct service *service,
				    const char *path)
{
	return find_drive(&service->state, strrchr(path, '/') + 1);
}

static int get_text(sd_bus *bus, const char *path, const char *interface,
		    const char *property, sd_bus_message *reply, void *userdata,
		    sd_bus_error *error)
{
	const struct drive *drive = drive_of(userdata, path);
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const struct {
		const char *property, *text;
	} texts[] = {
		{ "Name", facts->name },
		{ "Product", facts->product },
		{ "Kind", ssdpm_kind_to_string(facts->kind) },
		{ "Address", facts->address },
		{ "Policy", drive->policy },
		{ "Verdict", drive->verdict },
		{ "Message", drive->message },
		{ "Reason", drive->reason },
	};
	size_t i = 0;

	(void)bus;
	(void)interface;
	(void)error;
	while (strcmp(texts[i].property, property) != 0)
		i++;
	return sd_bus_message_append(reply, "s",
				     texts[i].text ? texts[i].text : "");
}

static int append_number(sd_bus_message *reply, const char *key,
			 uint32_t number)
{
	return sd_bus_message_append(reply, "{sv}", key, "u", number);
}

static int append_numbers(sd_bus_message *reply, uint32_t number,
			  const struct ssdpm_power_state *state)
{
	const struct {
		uint32_t field;
		const char *key;
		uint32_t value;
	} numbers[] = {
		{ SSDPM_FIELD_MAX_POWER, "max_power_uw", state->max_power_uw },
		{ SSDPM_FIELD_ACTIVE_POWER, "active_power_uw",
		  state->active_power_uw },
		{ SSDPM_FIELD_IDLE_POWER, "idle_power_uw",
		  state->idle_power_uw },
		{ SSDPM_FIELD_ENTRY_LATENCY, "entry_latency_us",
		  state->entry_latency_us },
		{ SSDPM_FIELD_EXIT_LATENCY, "exit_latency_us",
		  state->exit_latency_us },
	};
	int err = append_number(reply, "state", number);

	if (err >= 0 && state->link_state)
		err = sd_bus_message_append(
			reply, "{sv}", "link_state", "s",
			ssdpm_link_state_to_string(state->link_state));
	if (err >= 0 && !state->link_state)
		err = sd_bus_message_append(
			reply, "{sv}", "operational", "b",
			!(state->flags & SSDPM_STATE_NON_OPERATIONAL));
	for (size_t i = 0; err >= 0 && i < sizeof(numbers) / sizeof(numbers[0]);
	     i++)
		if (!((state->unknown | state->not_reported) &
		      numbers[i].field))
			err = append_number(reply, numbers[i].key,
					    numbers[i].value);
	return err;
}

static int append_state(sd_bus_message *reply, uint32_t number,
			const struct ssdpm_power_state *state)
{
	int err = sd_bus_message_open_container(reply, 'a', "{sv}");

	if (err >= 0)
		err = append_numbers(reply, number, state);
	return err < 0 ? err : sd_bus_message_close_container(reply);
}

static int get_states(sd_bus *bus, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply,
		      void *userdata, sd_bus_error *error)
{
	const struct drive *drive = drive_of(userdata, path);
	const struct ssdpm_power_state *states = NULL;
	size_t n = 0;
	int err = sd_bus_message_open_container(reply, 'a', "a{sv}");

	(void)bus;
	(void)interface;
	(void)property;
	(void)error;
	if (drive->model)
		states = ssdpm_model_get_states(drive->model, &n);
	for (size_t i = 0; err >= 0 && i < n; i++)
		err = append_state(reply, (uint32_t)i, &states[i]);
	return err < 0 ? err : sd_bus_message_close_container(reply);
}

#if HAVE_ENERGY
static int get_saving(sd_bus *bus, const char *path, const char *interface,
		      const char *property, sd_bus_message *reply,
		      void *userdata, sd_bus_error *error)
{
	int err = sd_bus_message_open_container(reply, 'a', "{sv}");

	(void)bus;
	(void)interface;
	(void)property;
	(void)error;
	if (err >= 0)
		err = append_likely_saving(userdata, drive_of(userdata, path),
					   reply);
	return err < 0 ? err : sd_bus_message_close_container(reply);
}
#endif

#define CONST SD_BUS_VTABLE_PROPERTY_CONST
#define CHANGES SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Name", "s", get_text, 0, CONST),
	SD_BUS_PROPERTY("Product", "s", get_text, 0, CONST),
	SD_BUS_PROPERTY("Kind", "s", get_text, 0, CONST),
	SD_BUS_PROPERTY("Address", "s", get_text, 0, CONST),
	SD_BUS_PROPERTY("Policy", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Verdict", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Message", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Reason", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("StateTable", "aa{sv}", get_states, 0, CONST),
#if HAVE_ENERGY
	SD_BUS_PROPERTY("LikelySaving", "a{sv}", get_saving, 0,
			SD_BUS_VTABLE_PROPERTY_EMITS_INVALIDATION),
#endif
	SD_BUS_VTABLE_END
};

int add_drive_objects(struct service *service)
{
	int err = sd_bus_add_fallback_vtable(service->bus, NULL, SSDPMD_DRIVES,
					     SSDPMD_DRIVE_INTERFACE, vtable,
					     find, service);

	if (err >= 0)
		err = sd_bus_add_node_enumerator(service->bus, NULL,
						 SSDPMD_DRIVES, list, service);
	return err < 0 ? err : 0;
}
