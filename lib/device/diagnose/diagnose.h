/* SPDX-License-Identifier: MIT */
/* The diagnosis: what its files share. */
#ifndef SSDPM_LIB_DEVICE_DIAGNOSE_H
#define SSDPM_LIB_DEVICE_DIAGNOSE_H

#include "device/internal.h"

/* A verdict, a line for each state, and each other thing at most twice. */
#define MAX_DIAGNOSES 96

enum saving {
	SAVING_UNKNOWN = 0,
	SAVING_YES,
	SAVING_NO,
};

/* A device with all that is known of it, and what was found. */
struct examination {
	const struct ssdpm_device *device;
	const struct ssdpm_device_facts *facts;
	const struct ssdpm_machine_facts *machine;
	const struct ssdpm_model *model; /* or NULL */
	const struct ssdpm_apst *table;	 /* or NULL */
	struct ssdpm_diagnosis *found;	 /* the first is for the verdict */
	size_t n;
	size_t cause; /* a note that says why it saves nothing; 0: none */
	enum saving saving;
	char how[216];			    /* the rest of the verdict */
	char warning[SSDPM__WARNING_BYTES]; /* of what is set */
};

/* Add one; it has no advice yet. */
struct ssdpm_diagnosis *ssdpm__found(struct examination *e, uint32_t code,
				     uint32_t severity, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The first of these is why a drive saves nothing, if no problem is. */
void ssdpm__is_cause(struct examination *e,
		     const struct ssdpm_diagnosis *diagnosis);

/* A setting may do harm, as this one says. */
void ssdpm__warn(struct examination *e,
		 const struct ssdpm_diagnosis *diagnosis);

void ssdpm__advise(struct ssdpm_diagnosis *diagnosis, uint32_t remedy);

/* One thing of it: a value for a file or a parameter. */
void ssdpm__advise_value(struct ssdpm_diagnosis *diagnosis, const char *value,
			 const char *target, ...)
	__attribute__((format(printf, 3, 4)));

/* The parts of the verdict. */
void ssdpm__conclude(struct examination *e, enum saving saving,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Is it this Linux or a later one? One that is not known counts as new. */
bool ssdpm__linux_is(const struct ssdpm_machine_facts *machine, uint32_t major,
		     uint32_t minor);

/* diagnose-nvme.c, diagnose-sata.c */
void ssdpm__diagnose_nvme(struct examination *e);
void ssdpm__diagnose_sata(struct examination *e);

/*
 * diagnose-link.c: the link of a PCI device, and what becomes of the drive when
 * the machine is suspended. The drive sleeps in deepest, with power_uw; 0: in
 * no state.
 */
void ssdpm__diagnose_link(struct examination *e, uint32_t deepest,
			  uint32_t power_uw);
void ssdpm__diagnose_suspend(struct examination *e, uint32_t quirks);

/*
 * port-mask.c: what the parameter mask_port_ext of ahci has to be so that this
 * port counts as internal too. false: it does already.
 */
bool ssdpm__port_mask(const char *now, const char *address, uint32_t port,
		      char *ret_mask, size_t size);

#endif
