/* SPDX-License-Identifier: MIT */
#include "model/internal.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_power_state) == 128, "frozen");
static_assert(offsetof(struct ssdpm_power_state, max_power_uw) == 12, "frozen");
static_assert(offsetof(struct ssdpm_power_state, exit_latency_us) == 28,
	      "frozen");
static_assert(offsetof(struct ssdpm_power_state, active_power_workload) == 36,
	      "frozen");
static_assert(offsetof(struct ssdpm_power_state, link_state) == 37, "frozen");
static_assert(offsetof(struct ssdpm_power_state,
		       emergency_power_fail_recovery_time_us) == 40,
	      "frozen");
static_assert(offsetof(struct ssdpm_power_state, reserved1) == 68, "frozen");

#define MEMBER_SIZE(member) sizeof(((struct ssdpm_power_state *)0)->member)

#define FIELD(flag, member, largest)                                  \
	{                                                             \
		.name = #member, .bit = (flag),                       \
		.offset = offsetof(struct ssdpm_power_state, member), \
		.width = MEMBER_SIZE(member), .max = (largest),       \
	}

/* In the order of JSON. */
const struct field ssdpm__fields[N_FIELDS] = {
	FIELD(SSDPM_FIELD_MAX_POWER, max_power_uw, UINT32_MAX),
	FIELD(SSDPM_FIELD_ACTIVE_POWER, active_power_uw, UINT32_MAX),
	FIELD(SSDPM_FIELD_IDLE_POWER, idle_power_uw, UINT32_MAX),
	FIELD(SSDPM_FIELD_ENTRY_LATENCY, entry_latency_us, UINT32_MAX),
	FIELD(SSDPM_FIELD_EXIT_LATENCY, exit_latency_us, UINT32_MAX),
	FIELD(SSDPM_FIELD_READ_THROUGHPUT_RANK, read_throughput_rank, RANK_MAX),
	FIELD(SSDPM_FIELD_READ_LATENCY_RANK, read_latency_rank, RANK_MAX),
	FIELD(SSDPM_FIELD_WRITE_THROUGHPUT_RANK, write_throughput_rank,
	      RANK_MAX),
	FIELD(SSDPM_FIELD_WRITE_LATENCY_RANK, write_latency_rank, RANK_MAX),
	FIELD(SSDPM_FIELD_ACTIVE_POWER_WORKLOAD, active_power_workload, 7),
	FIELD(SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME,
	      emergency_power_fail_recovery_time_us, 255000000000000),
	FIELD(SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME,
	      forced_quiescence_vault_time_us, 255000000000000),
	FIELD(SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME,
	      emergency_power_fail_vault_time_us, 255000000000000),
};

uint64_t ssdpm__field_get(const struct field *field,
			  const struct ssdpm_power_state *state)
{
	const char *at = (const char *)state + field->offset;
	uint32_t value32;
	uint64_t value;

	switch (field->width) {
	case 1:
		return *(const uint8_t *)at;
	case 4:
		memcpy(&value32, at, sizeof(value32));
		return value32;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

void ssdpm__field_set(const struct field *field,
		      struct ssdpm_power_state *state, uint64_t value)
{
	char *at = (char *)state + field->offset;
	uint32_t value32 = (uint32_t)value;

	switch (field->width) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 4:
		memcpy(at, &value32, sizeof(value32));
		break;
	default:
		memcpy(at, &value, sizeof(value));
	}
}

void ssdpm__state_set(struct ssdpm_power_state *state, uint32_t bit,
		      uint64_t value)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (ssdpm__fields[i].bit == bit)
			ssdpm__field_set(&ssdpm__fields[i], state, value);
	state->unknown &= ~bit;
}

bool ssdpm__field_has_value(const struct field *field,
			    const struct ssdpm_power_state *state)
{
	if (state->unknown & field->bit)
		return false;
	return !(field->bit & FIELDS_ZERO_STANDS) ||
	       ssdpm__field_get(field, state);
}

uint32_t ssdpm_field_from_string(const char *word)
{
	for (size_t i = 0; word && i < N_FIELDS; i++)
		if (!strcmp(ssdpm__fields[i].name, word))
			return ssdpm__fields[i].bit;
	return 0;
}

const char *ssdpm_field_to_string(uint32_t field)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (ssdpm__fields[i].bit == field)
			return ssdpm__fields[i].name;
	return NULL;
}
