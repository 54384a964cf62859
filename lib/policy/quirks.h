/* SPDX-License-Identifier: MIT */
/* Rules about drives: read from a text, one by one, and judged as they come. */
#ifndef SSDPM_LIB_POLICY_QUIRKS_H
#define SSDPM_LIB_POLICY_QUIRKS_H

#include "base/text.h"
#include "policy/internal.h"

/*
 * lib/data/quirks.ini with a letter for each key and a digit for each quirk;
 * made at build time.
 */
extern const char ssdpm__quirks_nvme[];
extern const size_t ssdpm__quirks_nvme_size;
extern const char ssdpm__quirks_sata[]; /* and ahci */
extern const size_t ssdpm__quirks_sata_size;

/* In this order: NO and anything is NO, YES or anything is YES. */
enum fit {
	FIT_NO = 0,
	FIT_MAYBE, /* something is unknown that the rule asks for */
	FIT_YES,
};

/* What rules ask for. */
enum fact {
	FACT_VENDOR,
	FACT_PRODUCT,
	FACT_FIRMWARE,
	FACT_GENERATIONS,
	FACT_PCI,
	FACT_PCI_PRODUCT,
	FACT_PCI_PERHAPS,
	FACT_SYS_VENDOR,
	FACT_PRODUCT_NAME,
	FACT_PRODUCT_VERSION,
	FACT_BOARD_VENDOR,
	FACT_BOARD_NAME,
	FACT_BIOS_DATE,
	FACT_RELEASE,
	N_FACTS,
};

/* The known facts of the drive and its host. */
struct facts {
	const struct ssdpm_model_info *info;
	struct ssdpm_host host;
	uint32_t release;   /* as a number that can be compared; 0: unknown */
	uint32_t bios_date; /* yyyymmdd; 0: unknown */
};

enum rule_kind {
	RULE_NVME = 'n',
	RULE_SATA = 's', /* only the first one that fits counts */
	RULE_AHCI = 'a',
};

struct rule {
	enum rule_kind kind;
	uint32_t line;
	uint32_t quirks;
	uint32_t given; /* bit of each key of the text */
	enum fit fits[N_FACTS];
	enum fit fit; /* all together */
	struct span name, linux_release, source;
	uint32_t since, absent; /* releases as numbers; 0: not given */
};

struct rules {
	struct lines lines;
	bool packed; /* a text of the library: sound, with letters as keys */
};

/*
 * Take what the host says, and check it. host may be NULL.
 */
int ssdpm__facts(const struct ssdpm_model_info *info,
		 const struct ssdpm_host *host, struct facts *ret_facts,
		 struct ssdpm_error *reterr);

/* Read and judge the next rule. 1: here it is; 0: there is none; -EINVAL. */
int ssdpm__next_rule(struct rules *rules, const struct facts *facts,
		     struct rule *ret_rule, struct ssdpm_error *reterr);

/* The member of struct ssdpm_host or ssdpm_model_info that has a fact. */
const char *ssdpm__fact_name(enum fact fact);

#endif
