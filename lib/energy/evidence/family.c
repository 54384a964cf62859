/* SPDX-License-Identifier: MIT */
#include "evidence/evidence.h"

/* Families are known by the active power that smartctl shows. */
static bool may_have_family(const struct ssdpm_model *model)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++)
		if (states[i].flags & SSDPM_STATE_ACTIVE_POWER_SHOWN)
			return true;
	return false;
}

static bool get_vendor(const struct ssdpm_model *model, uint32_t *ret_vendor)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);

	*ret_vendor = info->vendor_id;
	return !(info->unknown & SSDPM_INFO_VENDOR_ID);
}

/* A text without a vendor gets that of a drive with the same name. */
static int find_vendor(const struct ssdpm_catalogue *catalogue,
		       const struct ssdpm_model *model, bool *ret_found,
		       uint32_t *ret_vendor, struct ssdpm_error *reterr)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	struct ssdpm_catalogue_match match;
	struct ssdpm_model *other;
	int err;

	*ret_found = get_vendor(model, ret_vendor);
	if (*ret_found || !info->product[0] ||
	    ssdpm_catalogue_find(catalogue, info->product, NULL, &match,
				 NULL) ||
	    !match.exact)
		return 0;
	err = ssdpm_catalogue_get_model(catalogue, match.index, &other, reterr);
	if (err)
		return err;
	*ret_found = get_vendor(other, ret_vendor);
	ssdpm_model_unref(other);
	return 0;
}

/* As far as smartctl prints it. */
static bool is_same_state(const struct ssdpm_power_state *a,
			  const struct ssdpm_power_state *b)
{
	const uint32_t family = SSDPM_STATE_IDLE_POWER_OF_FAMILY;

	return (a->flags & ~family) == (b->flags & ~family) &&
	       a->shown_active_power_uw == b->shown_active_power_uw &&
	       a->max_power_uw == b->max_power_uw &&
	       a->entry_latency_us == b->entry_latency_us &&
	       a->exit_latency_us == b->exit_latency_us &&
	       a->read_throughput_rank == b->read_throughput_rank &&
	       a->read_latency_rank == b->read_latency_rank &&
	       a->write_throughput_rank == b->write_throughput_rank &&
	       a->write_latency_rank == b->write_latency_rank;
}

static bool is_relative(const struct ssdpm_model *model, uint32_t vendor,
			const struct ssdpm_model *other)
{
	const struct ssdpm_power_state *a, *b;
	uint32_t other_vendor;
	size_t n, n_other;

	a = ssdpm_model_get_states(model, &n);
	b = ssdpm_model_get_states(other, &n_other);
	if (n != n_other || !get_vendor(other, &other_vendor) ||
	    vendor != other_vendor)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_same_state(&a[i], &b[i]))
			return false;
	return true;
}

static void add_relative(const struct ssdpm_model *model, uint32_t seen,
			 struct family *family)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++) {
		if (!(states[i].flags & SSDPM_STATE_IDLE_POWER_OF_FAMILY))
			continue;
		family->reported |= UINT32_C(1) << i;
		family->idle_power_uw[i] = states[i].idle_power_uw;
	}
	if (family->reported)
		family->n_drives += seen;
}

static int add_relatives(const struct ssdpm_catalogue *catalogue,
			 const struct ssdpm_model *model, struct family *family,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	struct ssdpm_model *other;
	uint32_t vendor, i = 0;
	bool found;
	int err = find_vendor(catalogue, model, &found, &vendor, reterr);

	for (; !err && found && !ssdpm_catalogue_get_row(catalogue, i, &row);
	     i++) {
		err = ssdpm_catalogue_get_model(catalogue, i, &other, reterr);
		if (err)
			break;
		if (is_relative(model, vendor, other))
			add_relative(other, row.seen, family);
		ssdpm_model_unref(other);
	}
	return err;
}

int ssdpm__find_family(const struct ssdpm_model *model,
		       struct family *ret_family, struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue *catalogue;
	struct family family = { 0 };
	int err;

	*ret_family = family;
	if (!may_have_family(model))
		return 0;
	err = ssdpm_catalogue_new(NULL, 0, &catalogue, reterr);
	if (err)
		return err;
	err = add_relatives(catalogue, model, &family, reterr);
	ssdpm_catalogue_free(catalogue);
	if (!err)
		*ret_family = family;
	return err;
}
