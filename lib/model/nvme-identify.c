/* SPDX-License-Identifier: MIT */
/*
 * The Identify Controller data structure.
 *
 * Source: NVM Express Base Specification 2.1, Identify Controller Data
 * Structure and Power State Descriptor Data Structure. Read byte by byte: no
 * alignment, no byte order and no compiler's bit fields to depend on.
 */
#include "model/internal.h"

#include <errno.h>
#include <string.h>

enum {
	VID = 0,
	MN = 24,
	MN_BYTES = 40,
	FR = 64,
	FR_BYTES = 8,
	NPSS = 263,
	APSTA = 265,
	PSD = 2048,
	PSD_BYTES = 32,
};

static uint32_t le16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t le32(const uint8_t *at)
{
	return le16(at) | le16(at + 2) << 16;
}

/*
 * Scale of IDLP and ACTP, bits 7:6 of their bytes: 0 not reported, 1 0.0001 W,
 * 2 0.01 W, 3 reserved. A reserved scale reports nothing that could be read. A
 * value of 0 is "not reported" too.
 */
uint32_t ssdpm__nvme_power_uw(uint32_t value, unsigned int scale)
{
	static const uint16_t uw_per_unit[4] = { 0, 100, 10000, 0 };

	return value * uw_per_unit[scale & 3];
}

/* Time scale values: powers of ten microseconds, 13 to 15 reserved. */
uint64_t ssdpm__nvme_time_us(uint8_t value, unsigned int scale)
{
	uint64_t us = scale <= 12 ? value : 0;

	while (scale-- && us)
		us *= 10;
	return us;
}

static void decode_powers(const uint8_t *psd, struct ssdpm_power_state *state)
{
	uint8_t flags = psd[3];

	state->max_power_uw = le16(psd) * (flags & 1 ? 100 : 10000);
	state->idle_power_uw =
		ssdpm__nvme_power_uw(le16(psd + 16), psd[18] >> 6);
	state->active_power_uw =
		ssdpm__nvme_power_uw(le16(psd + 20), psd[22] >> 6);
	state->active_power_workload = psd[22] & 7;
	if (!state->idle_power_uw)
		state->unknown |= SSDPM_FIELD_IDLE_POWER;
	if (!state->active_power_uw)
		state->unknown |= SSDPM_FIELD_ACTIVE_POWER;
	state->not_reported = state->unknown;
}

static void decode_times(const uint8_t *psd, struct ssdpm_power_state *state)
{
	state->entry_latency_us = le32(psd + 4);
	state->exit_latency_us = le32(psd + 8);
	state->emergency_power_fail_recovery_time_us =
		ssdpm__nvme_time_us(psd[23], psd[26] & 15);
	state->forced_quiescence_vault_time_us =
		ssdpm__nvme_time_us(psd[24], psd[26] >> 4);
	state->emergency_power_fail_vault_time_us =
		ssdpm__nvme_time_us(psd[25], psd[27] & 15);
	if (!state->emergency_power_fail_recovery_time_us)
		state->unknown |=
			SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME;
	if (!state->forced_quiescence_vault_time_us)
		state->unknown |= SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME;
	if (!state->emergency_power_fail_vault_time_us)
		state->unknown |= SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME;
}

static void decode_state(const uint8_t *psd, struct ssdpm_power_state *state)
{
	if (psd[3] & 2)
		state->flags |= SSDPM_STATE_NON_OPERATIONAL;
	decode_powers(psd, state);
	decode_times(psd, state);
	state->read_throughput_rank = psd[12] & RANK_MAX;
	state->read_latency_rank = psd[13] & RANK_MAX;
	state->write_throughput_rank = psd[14] & RANK_MAX;
	state->write_latency_rank = psd[15] & RANK_MAX;
}

static bool is_printable(uint8_t byte)
{
	return byte >= ' ' && byte <= '~';
}

/* ASCII padded with blanks; some drives pad with NUL. */
static void copy_text(char *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = is_printable(from[i]) ? (char)from[i] :
			from[i]		      ? '?' :
						' ';
	while (size && to[size - 1] == ' ')
		size--;
	to[size] = 0;
}

static int check_identify(const uint8_t *id, size_t size,
			  struct ssdpm_error *reterr)
{
	if (size != SSDPM_NVME_IDENTIFY_BYTES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%zu bytes of binary data; an Identify "
				   "Controller structure has %d",
				   size, SSDPM_NVME_IDENTIFY_BYTES);
	if (!id[0] && !memcmp(id, id + 1, size - 1))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "not an Identify Controller structure: all "
				   "bytes are 0");
	for (int i = MN; i < MN + MN_BYTES; i++)
		if (id[i] && !is_printable(id[i]))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "not an Identify Controller "
					   "structure: byte 0x%02x in the "
					   "model number",
					   id[i]);
	if (id[NPSS] >= SSDPM_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "NPSS is %u: %u power states; NVMe has "
				   "at most %d",
				   id[NPSS], id[NPSS] + 1, SSDPM_MAX_STATES);
	return 0;
}

int ssdpm_model_from_nvme_identify(const void *data, size_t size,
				   struct ssdpm_model **ret_model,
				   struct ssdpm_error *reterr)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.format = SSDPM_FORMAT_NVME_IDENTIFY,
	};
	const uint8_t *id = data;
	size_t n_states;
	int err;

	err = check_identify(id, size, reterr);
	if (err)
		return err;
	info.vendor_id = (uint16_t)le16(id + VID);
	info.apsta = id[APSTA];
	copy_text(info.product, id + MN, MN_BYTES);
	copy_text(info.firmware, id + FR, FR_BYTES);
	n_states = (size_t)id[NPSS] + 1;
	memset(states, 0, n_states * sizeof(*states));
	for (size_t i = 0; i < n_states; i++)
		decode_state(id + PSD + i * PSD_BYTES, &states[i]);
	return ssdpm_model_new(&info, states, n_states, ret_model, reterr);
}
