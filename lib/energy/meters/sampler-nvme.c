/* SPDX-License-Identifier: MIT */
/*
 * Drives that measure their power: NVMe Base 2.3 and later, SMART / Health
 * Information (log 02h).
 *
 * Bytes 232 to 239, Operational Lifetime Energy Consumed: watt hours, rounded
 * up; 0: not reported. Bytes 240 to 243, Interval Power Measurement: the mean
 * power of the last second; 0: not reported. Its bits 15 to 0 are the number.
 * Bits 17 and 16 are its scale, as that of a power state's idle power. Bits 25
 * to 20 are the type of the measurement. libnvme 3's struct nvme_smart_log and
 * nvme-cli's nvme-print-stdout.c have the same offsets and bits.
 */
#include "meters/sampler.h"
#include "base/bytes.h"

#include <errno.h>

#define ENERGY 232
#define POWER 240
#define JOULES_PER_WH 3600

int ssdpm__nvme_decode_power(const uint8_t health[SSDPM_NVME_HEALTH_BYTES],
			     struct meter_value *ret_value)
{
	struct meter_value value = { .joules = JOULES_PER_WH };
	const uint64_t power = ssdpm__little_endian(health + POWER, 4);

	if (!power)
		return -EOPNOTSUPP;
	switch (power >> 16 & 3) {
	case 1:
		value.power_w = (double)(power & 0xffff) / 1e4;
		break;
	case 2:
		value.power_w = (double)(power & 0xffff) / 1e2;
		break;
	default:
		return -EINVAL;
	}
	value.count = ssdpm__little_endian(health + ENERGY, 8);
	value.counts = value.count;
	*ret_value = value;
	return 0;
}

int ssdpm__nvme_look(const struct ssdpm_machine *machine, const char *name,
		     struct meter_value *ret_value, struct ssdpm_error *reterr)
{
	uint8_t health[SSDPM_NVME_HEALTH_BYTES] = { 0 };
	int err;

	err = ssdpm_machine_read_nvme_health(machine, name, health, reterr);
	if (err)
		return err;
	err = ssdpm__nvme_decode_power(health, ret_value);
	if (err == -EOPNOTSUPP)
		return ssdpm__fail(reterr, err, 0,
				   "%s does not measure its power: its SMART "
				   "log has no Interval Power Measurement, "
				   "which is of NVMe 2.3",
				   name);
	if (err)
		return ssdpm__fail(reterr, err, 0,
				   "%s says its power in a scale that NVMe "
				   "reserves",
				   name);
	return 0;
}
