/* SPDX-License-Identifier: MIT */
/*
 * Quirks: each row of Linux, with a drive that matches and one that does not.
 * The rows are those of nvme_id_table, check_vendor_combination_bug and
 * core_quirks (drivers/nvme/host), and of __ata_dev_quirks and ahci_broken_lpm
 * (drivers/ata) of Linux 7.3.4.
 */
#include "fixture.h"

#include <stdio.h>

enum {
	NO_APST = SSDPM_QUIRK_NO_APST,
	DEEPEST = SSDPM_QUIRK_NO_DEEPEST_PS,
	SIMPLE = SSDPM_QUIRK_SIMPLE_SUSPEND,
	NOT_SIMPLE = SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND,
	NO_LPM = SSDPM_QUIRK_NO_LPM,
	ON_ATI = SSDPM_QUIRK_NO_LPM_ON_ATI,
	ON_AMD = SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD,
};

/* NULL, 0: unknown. A SATA drive has no vendor id. */
struct drive {
	const char *product, *firmware;
	uint16_t vendor_id;
	uint8_t kind, generations;
};

static struct ssdpm_model *model_of(struct drive drive)
{
	struct ssdpm_model_info info = { .size = sizeof(info) };
	struct ssdpm_power_state state = { .max_power_uw = 1 };
	bool sata = drive.kind == SSDPM_KIND_SATA;
	struct ssdpm_model *model;

	info.kind = sata ? SSDPM_KIND_SATA : SSDPM_KIND_NVME;
	info.vendor_id = drive.vendor_id;
	info.sata_generations = drive.generations;
	info.unknown = SSDPM_INFO_APSTA;
	if (!drive.vendor_id)
		info.unknown |= SSDPM_INFO_VENDOR_ID;
	if (sata && !drive.generations)
		info.unknown |= SSDPM_INFO_SATA_GENERATIONS;
	if (drive.product)
		snprintf(info.product, sizeof(info.product), "%s",
			 drive.product);
	else
		info.unknown |= SSDPM_INFO_PRODUCT;
	if (drive.firmware)
		snprintf(info.firmware, sizeof(info.firmware), "%s",
			 drive.firmware);
	else
		info.unknown |= SSDPM_INFO_FIRMWARE;
	assert_int_equal(ssdpm_model_new(&info, &state, 1, &model, NULL), 0);
	return model;
}

/* explain() finds the same as find(), and gives each bit a reason. */
static void check_explanation(const struct ssdpm_model *model,
			      const struct ssdpm_host *host, uint32_t quirks,
			      uint32_t unknown)
{
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	uint32_t all = 0, all_unknown = 0;
	size_t n;

	assert_int_equal(ssdpm_quirks_explain(model, host, matches,
					      SSDPM_MAX_QUIRK_MATCHES, &n,
					      NULL),
			 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(matches[i].quirks || matches[i].unknown);
		assert_true(strlen(matches[i].reason) > 10);
		all |= matches[i].quirks;
		all_unknown |= matches[i].unknown;
	}
	assert_int_equal(all, quirks);
	assert_int_equal(all_unknown & ~all, unknown);
}

static void check_drive(struct drive drive, const struct ssdpm_host *host,
			uint32_t quirks, uint32_t unknown)
{
	struct ssdpm_model *model = model_of(drive);
	uint32_t found = 77, perhaps = 77;

	assert_int_equal(ssdpm_quirks_find(model, host, &found, &perhaps, NULL),
			 0);
	if (found != quirks || perhaps != unknown)
		fail_msg("%s: quirks 0x%x, unknown 0x%x, not 0x%x, 0x%x",
			 drive.product ? drive.product : "(no name)", found,
			 perhaps, quirks, unknown);
	check_explanation(model, host, quirks, unknown);
	ssdpm_model_unref(model);
}

/* A host with known facts that no rule matches. */
static struct ssdpm_host plain_host(void)
{
	return (struct ssdpm_host){
		.size = sizeof(struct ssdpm_host),
		.linux_release = "7.3.4",
		.sys_vendor = "Plain",
		.product_name = "Plain 1",
		.product_version = "1",
		.board_vendor = "Plain",
		.board_name = "P1",
		.bios_date = "01/02/2024",
		.pci_vendor_id = 0xffff,
		.pci_device_id = 0xffff,
		.adapter_vendor_id = 0x8086,
	};
}

/* Without a host, the name of an NVMe drive replaces its PCI id. */
static const struct named {
	struct drive drive;
	uint32_t quirks, unknown; /* NO_APST is always unknown: Lenovo N60z */
} named[] = {
	{ { "INTEL SSDPEKKW256G7", "PSF121C", 0x8086, 0, 0 }, DEEPEST, 0 },
	{ { "INTEL SSDPEKKW010T7", "PSF121C", 0x8086, 0, 0 }, DEEPEST, 0 },
	{ { "INTEL SSDPEKKA128G7", "PSF100C", 0x8086, 0, 0 }, DEEPEST, 0 },
	{ { "INTEL SSDPEKKW256G7", "PSF121C", 0, 0, 0 }, DEEPEST, 0 },
	{ { "INTEL SSDPEKKF256G7H", "HP01", 0x8086, 0, 0 }, 0, DEEPEST },
	/* the 760p, and the 660p */
	{ { "INTEL SSDPEKKW256G8", "001C", 0x8086, 0, 0 }, 0, 0 },
	{ { "INTEL SSDPEKKW010T8", "001C", 0x8086, 0, 0 }, 0, 0 },
	{ { "INTEL SSDPEKNW512G8", "002C", 0x8086, 0, 0 }, 0, 0 },
	/* Silicon Motion: any name */
	{ { "Netac NVMe SSD 512GB", "T0918A0L", 0x126f, 0, 0 }, 0, DEEPEST },
	{ { "ADATA SX8200NP", "SVN139B", 0x126f, 0, 0 }, 0, DEEPEST },
	{ { "Netac NVMe SSD 512GB", "T0918A0L", 0x1e4b, 0, 0 }, 0, 0 },
	{ { "ADATA SX8200PNP", "42A4SANA", 0x1cc1, 0, 0 }, DEEPEST, 0 },
	{ { "SX8200PNP-512GT", "42A4SANA", 0x1cc1, 0, 0 }, DEEPEST, 0 },
	{ { "ADATA SX8200PNP", "42A4SANA", 0x126f, 0, 0 }, 0, DEEPEST },
	{ { "XPG GAMMIX S11 Pro", "42A4SANA", 0x1cc1, 0, 0 }, 0, DEEPEST },
	{ { "ADATA SX6000PNP", "V9002s16", 0x1cc1, 0, 0 }, 0, 0 },
	{ { "XPG GAMMIX S5", "VC0S036H", 0x1cc1, 0, 0 }, 0, 0 },
	{ { "KINGSTON SKC2000M8500G", "S2681101", 0x2646, 0, 0 }, DEEPEST, 0 },
	{ { "KINGSTON SKC2500M8500G", "S7780101", 0x2646, 0, 0 }, DEEPEST, 0 },
	{ { "KINGSTON SKC3000S1024G", "EIFK31.6", 0x2646, 0, 0 }, 0, 0 },
	{ { "KINGSTON SA2000M8250G", "S5Z42105", 0x2646, 0, 0 },
	  DEEPEST,
	  NOT_SIMPLE },
	{ { "KINGSTON SA2000M8250G", "S5Z42105", 0x1987, 0, 0 }, 0, 0 },
	{ { "KINGSTON SA1000M8240G", "E8FK11.R", 0x2646, 0, 0 }, 0, 0 },
	{ { "KINGSTON SNVS500G", "S8H40104", 0x2646, 0, 0 }, 0, NOT_SIMPLE },
	{ { "kingston sa2000m8250g", "S5Z42105", 0x2646, 0, 0 }, 0, 0 },
	{ { "ZHITAI TiPro5000 1TB", "ZTA08322", 0x1e49, 0, 0 }, DEEPEST, 0 },
	{ { "ZHITAI TiPro7000 1TB", "ZTA10339", 0x1e49, 0, 0 }, DEEPEST, 0 },
	{ { "ZHITAI TiPlus5000 1TB", "ZTA09139", 0x1e49, 0, 0 }, 0, 0 },
	{ { "SOLIDIGM SSDPFKKW020X7", "001C", 0x025e, 0, 0 }, DEEPEST, 0 },
	{ { "SOLIDIGM SSDPFKNU010TZ", "001C", 0x025e, 0, 0 }, 0, 0 },
	{ { "WDC WDS250G2B0C-00PXH0", "211070WD", 0x15b7, 0, 0 }, DEEPEST, 0 },
	{ { "WDC WDS100T2B0C", "211070WD", 0, 0, 0 }, DEEPEST, 0 },
	/* SN500, Green SN350, SN570, SN750 */
	{ { "WDC WDS250G1B0C-00S6U0", "201000WD", 0x15b7, 0, 0 }, 0, 0 },
	{ { "WDC WDS240G2G0C-00AJM0", "231050WD", 0x15b7, 0, 0 }, 0, 0 },
	{ { "WD Blue SN570 1TB", "234110WD", 0x15b7, 0, 0 }, 0, 0 },
	{ { "WDS250G2X0C-00L350", "101110WD", 0x15b7, 0, 0 }, 0, 0 },
	/* Some of these have the PCI id of the SN550. */
	{ { "WDC PC SN530 SDBPNPZ-256G-1006", "HPS2", 0x15b7, 0, 0 },
	  0,
	  DEEPEST },
	{ { "PC SN530 NVMe WDC 256GB", "21113012", 0x15b7, 0, 0 }, 0, DEEPEST },
	{ { "WDC PC SN730 SDBPNTY-512G", "11120000", 0x15b7, 0, 0 }, 0, 0 },
	/* on some boards */
	{ { "SAMSUNG MZVPV256HDGL-000H1", "BXW74H0Q", 0x144d, 0, 0 },
	  0,
	  DEEPEST | SIMPLE },
	{ { "Samsung SSD 960 EVO 250GB", "3B7QCXE7", 0x144d, 0, 0 },
	  0,
	  SIMPLE },
	{ { "Samsung SSD 990 EVO Plus 4TB", "2B2QKXG7", 0x144d, 0, 0 },
	  0,
	  SIMPLE | NOT_SIMPLE },
	{ { "KBG40ZNS256G NVMe KIOXIA 256GB", "10410106", 0x1e0f, 0, 0 },
	  0,
	  SIMPLE },
	/* by Identify alone */
	{ { "THNSF5256GPUK TOSHIBA", "51055KLA", 0x1179, 0, 0 }, NO_APST, 0 },
	{ { "THNSF5256GPUK TOSHIBA", "51055KLA", 0x1e0f, 0, 0 }, 0, 0 },
	{ { "THNSF5256GPUK TOSHIBA 2", "51055KLA", 0x1179, 0, 0 }, 0, 0 },
	{ { "LITEON CL1-8D256", "22301111", 0x14a4, 0, 0 }, SIMPLE, 0 },
	{ { "LITEON CL1-8D256", "CT22101", 0x14a4, 0, 0 }, 0, 0 },
	{ { "LITEON CL1-8D256", NULL, 0x14a4, 0, 0 }, 0, SIMPLE },
	{ { "KCD6XVUL6T40", "0106", 0x1e0f, 0, 0 }, NO_APST, 0 },
	{ { "KCD6XVUL3T20", "0106", 0x1e0f, 0, 0 }, 0, 0 },
	{ { "Samsung Portable SSD X5", "2B0QCXP7", 0x144d, 0, 0 },
	  DEEPEST,
	  SIMPLE },
	{ { "Samsung Portable SSD X", "2B0QCXP7", 0x144d, 0, 0 }, 0, SIMPLE },
};

static void a_name_stands_for_the_pci_id_where_it_can(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		check_drive(named[i].drive, NULL, named[i].quirks,
			    (named[i].unknown | NO_APST) & ~named[i].quirks);
}

static void a_drive_without_a_name_may_have_any_quirk_of_its_vendor(
	void **state)
{
	(void)state;
	check_drive((struct drive){ .vendor_id = 0x2646 }, NULL, 0,
		    DEEPEST | NO_APST | NOT_SIMPLE);
	check_drive((struct drive){ .vendor_id = 0x1344 }, NULL, 0, NO_APST);
	check_drive((struct drive){ 0 }, NULL, 0,
		    NO_APST | DEEPEST | SIMPLE | NOT_SIMPLE);
}

/* With a PCI id from the host, the name does not matter. */
static void each_pci_id_has_its_quirk(void **state)
{
	static const uint16_t ids[][2] = {
		{ 0x8086, 0xf1a5 }, { 0x126f, 0x2262 }, { 0x126f, 0x1001 },
		{ 0x1cc1, 0x8201 }, { 0x2646, 0x2262 }, { 0x2646, 0x2263 },
		{ 0x1e49, 0x0021 }, { 0x1e49, 0x0041 }, { 0x025e, 0xf1ac },
		{ 0x15b7, 0x5009 },
	};
	struct ssdpm_host host = plain_host();

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct drive drive = { "Any", "1", ids[i][0], 0, 0 };

		host.pci_vendor_id = ids[i][0];
		host.pci_device_id = ids[i][1];
		check_drive(drive, &host, DEEPEST, 0);
		host.pci_device_id += 2;
		check_drive(drive, &host, 0, 0);
		host.pci_vendor_id = 0x1987;
		host.pci_device_id -= 2;
		check_drive(drive, &host, 0, 0);
	}
	/* This one turns out to be an SN530. */
	host.pci_vendor_id = 0x15b7;
	host.pci_device_id = 0x5008;
	check_drive((struct drive){ "WDC WDS250G2B0C", "1", 0x15b7, 0, 0 },
		    &host, 0, 0);
}

static const struct platform {
	uint16_t vendor_id, device_id;
	const char *sys_vendor, *product_name, *board_vendor, *board_name;
	uint32_t quirks;
} platforms[] = {
	{ 0x144d, 0xa802, "Dell Inc.", "XPS 15 9550", "", "", DEEPEST },
	{ 0x144d, 0xa802, "Dell Inc.", "Precision 5510", "", "", DEEPEST },
	{ 0x144d, 0xa802, "Dell Inc.", "XPS 15 9560", "", "", 0 },
	{ 0x144d, 0xa802, "Dell", "XPS 15 9550", "", "", 0 },
	{ 0x144d, 0xa804, "Dell Inc.", "XPS 15 9550", "", "", 0 },
	{ 0x144d, 0xa804, "", "", "ASUSTeK COMPUTER INC.", "PRIME B350M-A",
	  NO_APST },
	{ 0x144d, 0xa804, "", "", "ASUSTeK COMPUTER INC.", "PRIME Z370-A",
	  NO_APST },
	{ 0x144d, 0xa804, "", "", "ASUSTeK COMPUTER INC.", "PRIME Z370-A II",
	  0 },
	{ 0x144d, 0xa802, "", "", "ASUSTeK COMPUTER INC.", "PRIME Z370-A", 0 },
	{ 0x144d, 0xa801, "", "", "LENOVO", "LNVNB161216", SIMPLE },
	{ 0x144d, 0xa808, "", "", "LENOVO", "LNVNB161216", SIMPLE },
	{ 0x144d, 0xa809, "", "", "LENOVO", "LNVNB161216", SIMPLE },
	{ 0x1e0f, 0x0001, "", "", "LENOVO", "LNVNB161216", SIMPLE },
	{ 0x1e0f, 0x0002, "", "", "LENOVO", "LNVNB161216", 0 },
	{ 0x144d, 0xa80a, "", "", "LENOVO", "LNVNB161216", 0 },
	{ 0x144d, 0xa808, "", "", "LENOVO", "LNVNB161217", 0 },
	{ 0x2646, 0x500f, "", "", "", "NS5X_NS7XAU", NOT_SIMPLE },
	{ 0x2646, 0x2263, "", "", "", "NS5x_7xAU", NOT_SIMPLE | DEEPEST },
	{ 0x2646, 0x2263, "", "", "", "NS5x_7xPU", NOT_SIMPLE | DEEPEST },
	{ 0x2646, 0x500f, "", "", "", "PH4PRX1_PH6PRX1", NOT_SIMPLE },
	{ 0x2646, 0x500e, "", "", "", "NS5X_NS7XAU", 0 },
	{ 0x144d, 0xa80d, "", "", "", "DN50Z-140HC-YD", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "GMxPXxx", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "GXxMRXx", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "NS5X_NS7XAU", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "PH4PG31", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "PH4PRX1_PH6PRX1", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "PH6PG01_PH6PG71", NOT_SIMPLE },
	{ 0x144d, 0xa80d, "", "", "", "NS5x_7xAU", 0 },
	{ 0x144d, 0xa80c, "", "", "", "PH4PG31", 0 },
	{ 0x1344, 0x5410, "", "", "", "LXKT-ZXEG-N6", NO_APST },
	{ 0x1344, 0x5410, "", "", "", "LXKT-ZXEG-N7", 0 },
};

static void each_platform_has_its_quirk(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
		const struct platform *p = &platforms[i];
		struct ssdpm_host host = plain_host();

		host.pci_vendor_id = p->vendor_id;
		host.pci_device_id = p->device_id;
		host.sys_vendor = p->sys_vendor;
		host.product_name = p->product_name;
		host.board_vendor = p->board_vendor;
		host.board_name = p->board_name;
		check_drive((struct drive){ "Any", "1", p->vendor_id, 0, 0 },
			    &host, p->quirks, 0);
	}
}

static void half_of_a_platform_leaves_it_unknown(void **state)
{
	struct ssdpm_host host = { .size = sizeof(host) };
	struct drive drive = { "Samsung SSD 960 EVO 1TB", "2B7QCXE7", 0x144d, 0,
			       0 };

	(void)state;
	host.board_vendor = "ASUSTeK COMPUTER INC.";
	check_drive(drive, &host, 0, NO_APST);
	host.board_name = "PRIME Z370-A";
	check_drive(drive, &host, NO_APST, 0);
	host.board_name = "PRIME Z370-P";
	check_drive(drive, &host, 0, 0);
	host.board_vendor = NULL;
	check_drive(drive, &host, 0, 0);
}

/* SATA drives: name, firmware, generations; the rest is in the table's order */
static const struct {
	const char *product, *firmware;
	uint32_t quirks;
} sata[] = {
	{ "ADATA SU680", "V2", NO_LPM },
	{ "ADATA SU650", "V2", 0 },
	{ "ADATA SU680X", "V2", 0 },
	{ "ST1000DM010-2EP102", "Z9", NO_LPM },
	{ "ST2000DM008-2FR102", "Z9", NO_LPM },
	{ "ST2000DM008-2FR103", "Z9", 0 },
	{ "ST1000LM024 HN-M101MBB", "2A", NO_LPM },
	{ "ST1000LM024", "2A", 0 },
	{ "PIONEER BD-RW   BDR-207M", "1", NO_LPM },
	{ "PIONEER BD-RW   BDR-205", "1", NO_LPM },
	{ "PIONEER BD-RW   BDR-206", "1", 0 },
	{ "CT500BX100SSD1", "MU02", NO_LPM },
	{ "CT120BX500SSD1", "M6CR013", NO_LPM },
	{ "CT1000BX500SSD1", "M6CR061", NO_LPM },
	{ "CT500MX500SSD1", "M3CR020", 0 },
	{ "CT1000BX500SSD4", "M6CR061", 0 },
	{ "Crucial_CT512MX100SSD1", "MU01", NO_LPM },
	{ "Crucial_CT512MX100SSD1", "MU02", NO_LPM },
	{ "Crucial_CT512MX100SSD1", NULL, NO_LPM },
	{ "Crucial_CT128MX100SSD1", "MU01", 0 },
	{ "Crucial_CT480M500SSD1", "MU03", NO_LPM },
	{ "Crucial_CT960M500SSD3", "MU05", NO_LPM },
	{ "Crucial_CT240M500SSD1", "MU03", 0 },
	{ "R3SL240G", "O1026A", NO_LPM },
	{ "R3SL120G", "O1026A", 0 },
	{ "Apacer AS340 120GB", "AP612PE0", NO_LPM },
	{ "Apacer AS350 120GB", "AP612PE0", 0 },
	{ "PNY CS900 1TB SSD", "CS900615", NO_LPM },
	{ "PNY CS900 120GB SSD", "CS900615", 0 },
	{ "MD619HXCLDE3TC", "TCVAID", NO_LPM },
	{ "MD619HXCLDE3TC", "TCV35D", 0 },
	{ "MD619GXCLDE3TC", "TCV35D", NO_LPM },
	{ "MD619GXCLDE3TC", "TCVAID", 0 },
	{ "SAMSUNG MZMPC128HBFU-000MV", "CXM14M1Q", NO_LPM },
	{ "SAMSUNG MZMPC128HBFU-000MV", "CXM15M1Q", 0 },
	{ "SAMSUNG SSD PM830 mSATA 256GB", "CXM13D1Q", NO_LPM },
	{ "SAMSUNG SSD PM830 mSATA 256GB", "CXM14D1Q", 0 },
	{ "SAMSUNG MZ7TD256HAFV-000L9", "DXT04L6Q", NO_LPM },
	{ "SAMSUNG MZ7TD256HAFV-000L7", "DXT04L6Q", 0 },
	{ "SAMSUNG MZ7TE512HMHP-000L1", "EXT06L0Q", NO_LPM },
	{ "SAMSUNG MZ7TE512HMHP-000L1", "EXT07L0Q", 0 },
	{ "Samsung SSD 860 EVO 500GB", "RVT01B6Q", ON_AMD },
	{ "Samsung SSD 870 QVO 1TB", "SVQ02B6Q", ON_AMD },
	{ "SAMSUNG MZ7LH480HAHQ-00005", "HXT7404Q", ON_AMD },
	{ "Samsung SSD 850 EVO 500GB", "EMT02B6Q", 0 },
	{ "SAMSUNG MZ7LN512HMJP-000L7", "MAV01L6Q", 0 },
	{ "WDC WD100EFGX-68CPLN0", "85", NO_LPM },
	{ "WDC WD102KFBX-68M95N0", "83", NO_LPM },
	{ "WDC WD141KFGX-68FH9N0", "83", NO_LPM },
	{ "WDC WD141KFGX-68FH9N1", "83", 0 },
	{ "WD Green 2.5 480GB", "UK450000", NO_LPM },
	{ "WD Green 2.5 240GB", "UK450000", 0 },
};

static void each_sata_row_has_its_quirk(void **state)
{
	struct ssdpm_host host = plain_host();

	(void)state;
	for (size_t i = 0; i < sizeof(sata) / sizeof(sata[0]); i++)
		check_drive((struct drive){ sata[i].product, sata[i].firmware,
					    0, SSDPM_KIND_SATA, 14 },
			    &host, sata[i].quirks, 0);
}

static void old_western_digitals_count_if_they_know_gen1_only(void **state)
{
	static const char *const capacities[] = {
		"800", "1200", "1600", "2000", "2500", "3000", "3200",
	};
	struct ssdpm_host host = plain_host();
	char product[32];

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		struct drive drive = { product, "08.05J08", 0, SSDPM_KIND_SATA,
				       2 };

		snprintf(product, sizeof(product), "WDC WD%sJD-75MSA1",
			 capacities[i]);
		check_drive(drive, &host, NO_LPM, 0);
		drive.generations = 6;
		check_drive(drive, &host, 0, 0);
		drive.generations = 0; /* unknown */
		check_drive(drive, &host, 0, NO_LPM);
	}
	check_drive((struct drive){ "WDC WD2500JS-75NCB3", "10.02E04", 0,
				    SSDPM_KIND_SATA, 2 },
		    &host, 0, 0);
	check_drive((struct drive){ "WDC WD400JD-75MSA1", "10.02E04", 0,
				    SSDPM_KIND_SATA, 2 },
		    &host, 0, 0);
}

/* If words 76 to 79 are invalid, the kernel sees no generation. */
static void invalid_words_are_no_gen1(void **state)
{
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = SSDPM_KIND_SATA };
	struct ssdpm_host host = plain_host();
	struct ssdpm_model *model;
	uint32_t quirks, unknown;

	(void)state;
	strcpy(info.product, "WDC WD800JD-00");
	assert_int_equal(ssdpm_model_new(&info, NULL, 0, &model, NULL), 0);
	assert_int_equal(
		ssdpm_quirks_find(model, &host, &quirks, &unknown, NULL), 0);
	assert_int_equal(quirks | unknown, 0);
	ssdpm_model_unref(model);
}

static void a_condition_of_the_adapter_is_asked_for(void **state)
{
	struct drive drive = { "Samsung SSD 860 EVO 1TB", "RVT01B6Q", 0,
			       SSDPM_KIND_SATA, 14 };
	struct ssdpm_host host = plain_host();

	(void)state;
	host.adapter_vendor_id = 0x1002;
	check_drive(drive, &host, ON_AMD | NO_LPM, 0);
	host.adapter_vendor_id = 0x1022;
	check_drive(drive, &host, ON_AMD | NO_LPM, 0);
	host.adapter_vendor_id = 0;
	check_drive(drive, &host, ON_AMD, NO_LPM);
	/* Linux 7.2 asks for ATI only. */
	host.linux_release = "7.2.13";
	host.adapter_vendor_id = 0x1002;
	check_drive(drive, &host, ON_ATI | NO_LPM, 0);
	host.adapter_vendor_id = 0x1022;
	check_drive(drive, &host, ON_ATI, 0);
	/* 7.3.0 may have either. */
	host.linux_release = "7.3.0-rc1";
	check_drive(drive, &host, 0, ON_ATI | ON_AMD | NO_LPM);
	host.adapter_vendor_id = 0x1002;
	check_drive(drive, &host, NO_LPM, ON_ATI | ON_AMD);
	host.linux_release = "6.1.192";
	check_drive(drive, &host, 0, 0);
}

static void the_firmware_of_some_thinkpads_and_boards_forbids_lpm(void **state)
{
	static const struct {
		const char *vendor, *product, *version, *board, *date;
		uint32_t quirks, unknown;
	} cases[] = {
		{ "LENOVO", "20CM", "ThinkPad X250", "", "04/05/2018", NO_LPM,
		  0 },
		{ "LENOVO", "20CM", "ThinkPad X250", "", "04/06/2018", 0, 0 },
		{ "LENOVO", "20CM", "ThinkPad X250", "", NULL, 0, NO_LPM },
		{ "LENOVO", "20CM", "ThinkPad X250", "", "soon", 0, NO_LPM },
		{ "LENOVO", "20CM", NULL, "", "04/05/2018", 0, NO_LPM },
		{ "LENOVO", "20DS", "ThinkPad L450", "", "04/19/2018", NO_LPM,
		  0 },
		{ "LENOVO", "20DS", "ThinkPad L450", "", "04/20/2018", 0, 0 },
		{ "LENOVO", "20BX", "ThinkPad T450s", "", "03/14/2018", NO_LPM,
		  0 },
		{ "LENOVO", "20BX", "ThinkPad T450s", "", "03/15/2018", 0, 0 },
		{ "LENOVO", "20EF", "ThinkPad W541", "", "04/08/2018", NO_LPM,
		  0 },
		{ "LENOVO", "20EF", "ThinkPad W541", "", "04/09/2018", 0, 0 },
		{ "LENOVO", "20EF", "ThinkPad W540", "", "04/08/2018", 0, 0 },
		{ "ASUSTeK COMPUTER INC.", "ASUSPRO D840MB_M840SA", "1", "",
		  NULL, NO_LPM, 0 },
		{ "ASUSTeK COMPUTER INC.", "ASUSPRO D841", "1", "", NULL, 0,
		  0 },
		{ "ASUSTeK COMPUTER INC.", "1", "1",
		  "ROG STRIX B550-F GAMING (WI-FI)", NULL, NO_LPM, 0 },
		{ "ASUSTeK COMPUTER INC.", "1", "1", "ROG STRIX B550-F GAMING",
		  NULL, 0, 0 },
	};
	struct drive drive = { "Any", "1", 0, SSDPM_KIND_SATA, 14 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_host host = plain_host();

		host.sys_vendor = host.board_vendor = cases[i].vendor;
		host.product_name = cases[i].product;
		host.product_version = cases[i].version;
		host.board_name = cases[i].board;
		host.bios_date = cases[i].date;
		check_drive(drive, &host, cases[i].quirks, cases[i].unknown);
	}
}

/* Read in 5.10.223, 6.1.192, 6.12.117 and 7.3.4. */
static void older_releases_have_fewer_rows(void **state)
{
	static const struct {
		const char *release;
		uint32_t a2000, sn550, tipro, toshiba, bx500, bx100;
	} cases[] = {
		/* 5.10 is the oldest that was read. */
		{ "5.10.223", DEEPEST, 0, 0, UINT32_MAX, 0, NO_LPM },
		{ "5.10.300", DEEPEST, 0, UINT32_MAX, UINT32_MAX, 0, NO_LPM },
		{ "6.1.192-amd64", DEEPEST, 0, DEEPEST, NO_APST, 0, NO_LPM },
		{ "6.6.0", DEEPEST, UINT32_MAX, DEEPEST, NO_APST, UINT32_MAX,
		  NO_LPM },
		{ "6.12.117+deb13-amd64", DEEPEST, DEEPEST, DEEPEST, NO_APST,
		  NO_LPM, NO_LPM },
		{ "6.13", DEEPEST, DEEPEST, DEEPEST, NO_APST, NO_LPM, NO_LPM },
		{ "9.0.0", DEEPEST, DEEPEST, DEEPEST, NO_APST, NO_LPM, NO_LPM },
		{ "5.4.0", UINT32_MAX, 0, 0, UINT32_MAX, 0, UINT32_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct {
			struct drive drive;
			uint32_t quirks, mask;
		} drives[] = {
			{ { "KINGSTON SA2000M8250G", "1", 0x2646, 0, 0 },
			  cases[i].a2000,
			  DEEPEST },
			{ { "WDC WDS250G2B0C", "1", 0x15b7, 0, 0 },
			  cases[i].sn550,
			  DEEPEST },
			{ { "ZHITAI TiPro7000 1TB", "1", 0x1e49, 0, 0 },
			  cases[i].tipro,
			  DEEPEST },
			{ { "THNSF5256GPUK TOSHIBA", "1", 0x1179, 0, 0 },
			  cases[i].toshiba,
			  NO_APST },
			{ { "CT240BX500SSD1", "1", 0, SSDPM_KIND_SATA, 14 },
			  cases[i].bx500,
			  NO_LPM },
			{ { "CT500BX100SSD1", "1", 0, SSDPM_KIND_SATA, 14 },
			  cases[i].bx100,
			  NO_LPM },
		};

		for (size_t j = 0; j < 6; j++) {
			struct ssdpm_host host = { .size = sizeof(host) };
			struct ssdpm_model *model = model_of(drives[j].drive);
			bool open = drives[j].quirks == UINT32_MAX;
			uint32_t quirks, unknown;

			host.linux_release = cases[i].release;
			host.board_vendor = host.sys_vendor = "Plain";
			assert_int_equal(ssdpm_quirks_find(model, &host,
							   &quirks, &unknown,
							   NULL),
					 0);
			assert_int_equal(quirks, open ? 0 : drives[j].quirks);
			assert_int_equal(unknown & drives[j].mask,
					 open ? drives[j].mask : 0);
			ssdpm_model_unref(model);
		}
	}
}

static void a_release_that_is_none_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "6", "6.", "six", "v6.1", "0.99", "6.1000", "6.1.", ".1",
	};
	struct ssdpm_model *model = model_of((struct drive){ 0 });
	struct ssdpm_host host = { .size = sizeof(host) };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_error error = fixture_error();
		uint32_t quirks = 5, unknown = 6;

		host.linux_release = bad[i];
		assert_int_equal(ssdpm_quirks_find(model, &host, &quirks,
						   &unknown, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "linux_release");
		assert_int_equal(quirks, 5);
		assert_int_equal(unknown, 6);
	}
	ssdpm_model_unref(model);
}

static const struct drive nvme_drive = { "Mine 1TB", "FW1", 0x1234, 0, 0 };
static const struct drive sata_drive = { "Mine 1TB", "FW1", 0, SSDPM_KIND_SATA,
					 2 };

static void check_rules(struct drive drive, const char *rules, uint32_t quirks,
			uint32_t unknown)
{
	struct ssdpm_host host = plain_host();

	/* No zero byte follows. */
	host.rules_bytes = strlen(rules);
	host.rules = memcpy(malloc(strlen(rules) + 1), rules, strlen(rules));
	check_drive(drive, &host, quirks, unknown);
	free((char *)host.rules);
}

static void rules_of_the_owner_add_to_those_of_linux(void **state)
{
	(void)state;
	check_rules(nvme_drive, "", 0, 0);
	check_rules(nvme_drive, "# nothing\n\n; nothing\r\n", 0, 0);
	check_rules(nvme_drive, "[nvme x]\nquirks = no-apst\n", NO_APST, 0);
	check_rules(nvme_drive,
		    "\t[nvme a b]\r\n  product=Mine*\r\n\r\n"
		    "quirks\t= no-apst simple-suspend",
		    NO_APST | SIMPLE, 0);
	check_rules(nvme_drive,
		    "[nvme x]\nproduct = Yours*\nproduct = M*B\n"
		    "firmware = FW?\nvendor = 1234\nquirks = no-apst",
		    NO_APST, 0);
	check_rules(nvme_drive,
		    "[nvme x]\nproduct = Mine*\nfirmware = FW2\n"
		    "quirks = no-apst",
		    0, 0);
	check_rules(nvme_drive, "[nvme x]\npci = FFFF:ffff\nquirks = no-apst",
		    NO_APST, 0);
	check_rules(nvme_drive, "[sata x]\nquirks = no-apst", 0, 0);
	check_rules(sata_drive, "[nvme x]\nquirks = no-apst", 0, 0);
	check_rules(sata_drive, "[ahci x]\nquirks = no-lpm", NO_LPM, 0);
	check_rules(sata_drive,
		    "[sata x]\nsata_generations = 1\nquirks = no-lpm", NO_LPM,
		    0);
	check_rules(sata_drive,
		    "[sata x]\nsata_generations = 1 2\nquirks = no-lpm", 0, 0);
	check_rules(nvme_drive,
		    "[nvme x]\ndmi.bios_before = 20240103\nlinux = 7.3\n"
		    "quirks = no-apst",
		    NO_APST, 0);
	check_rules(nvme_drive,
		    "[nvme x]\nlinux = 7.4\nabsent = 7.3.4\nquirks = no-apst",
		    0, 0);
}

static void the_first_sata_rule_that_fits_counts(void **state)
{
	struct drive su680 = { "ADATA SU680", "1", 0, SSDPM_KIND_SATA, 14 };
	struct drive unknown = { "ADATA SU680", NULL, 0, SSDPM_KIND_SATA, 14 };

	(void)state;
	check_rules(su680, "", NO_LPM, 0);
	check_rules(su680, "[sata x]\nproduct=ADATA*\nquirks=none", 0, 0);
	check_rules(su680,
		    "[sata x]\nproduct=ADATA*\nquirks=no-apst\n"
		    "[sata y]\nproduct=ADATA*\nquirks=no-deepest-ps\n",
		    NO_APST, 0);
	/* A rule that may match leaves its result open. */
	check_rules(unknown, "[sata x]\nfirmware=1\nquirks=none", 0, NO_LPM);
	check_rules(unknown, "[sata x]\nfirmware=1\nquirks=no-apst no-lpm",
		    NO_LPM, NO_APST);
	/* Rules for hosts count, too. */
	check_rules(su680,
		    "[ahci x]\nquirks=no-apst\n[sata y]\nquirks=none\n"
		    "[ahci z]\nquirks=simple-suspend\n",
		    NO_APST | SIMPLE, 0);
}

static void faulty_rules_are_refused_with_their_line(void **state)
{
	static const struct {
		const char *rules;
		uint32_t line;
		const char *fragment;
	} cases[] = {
		{ "quirks = no-apst", 1, "a rule begins with [KIND NAME]" },
		{ "\n[nvme x", 2, "no ] at the end" },
		{ "[]", 1, "its kind and its name" },
		{ "[nvme]", 1, "its kind and its name" },
		{ "[scsi x]", 1, "its kind and its name" },
		{ "[nvmex y]", 1, "its kind and its name" },
		{ "[nvme x]\n", 1, "a rule without quirks" },
		{ "[nvme x]\n[nvme y]\nquirks=none", 1, "without quirks" },
		{ "[nvme x]\nquirks", 2, "neither a key" },
		{ "[nvme x]\ncolour = red", 2, "neither a key" },
		{ "[nvme x]\nquirks =", 2, "quirks: this is no value" },
		{ "[nvme x]\nquirks = fast", 2, "quirks: this is no value" },
		{ "[nvme x]\nquirks = no-apst fast", 2, "quirks: this is no" },
		{ "[nvme x]\nquirks = none no-apst", 2, "quirks: this is no" },
		{ "[nvme x]\nquirks = none\nquirks = none", 3, "given twice" },
		{ "[nvme x]\npci = 1234", 2, "pci: this is no value" },
		{ "[nvme x]\npci = 12345678", 2, "pci: this is no value" },
		{ "[nvme x]\npci = 1234:56789", 2, "pci: this is no value" },
		{ "[nvme x]\npci = 1234:567g", 2, "pci: this is no value" },
		{ "[nvme x]\npci = 12G4:5678", 2, "pci: this is no value" },
		{ "[nvme x]\nvendor = 12345", 2, "vendor: this is no value" },
		{ "[nvme x]\nvendor = 123", 2, "vendor: this is no value" },
		{ "[nvme x]\nlinux = 7", 2, "linux: this is no value" },
		{ "[nvme x]\nabsent = x", 2, "absent: this is no value" },
		{ "[nvme x]\nquirks=none\nabsent = 7.3", 1, "with absent" },
		{ "[nvme x]\nquirks=none\nabsent=7.3\nlinux=7.2", 1,
		  "with absent" },
		{ "[nvme x]\ndmi.bios_before = 2018", 2, "no value" },
		{ "[nvme x]\ndmi.bios_before = 20180101x", 2, "no value" },
		{ "[sata x]\nsata_generations = 4", 2, "no value" },
		{ "[sata x]\nsata_generations = 0", 2, "no value" },
		{ "[sata x]\nsata_generations = 1,2", 2, "no value" },
		{ "[nvme x]\nquirks=none\npci.product=y", 1, "without pci" },
		{ "[nvme x]\nquirks=none\npci.perhaps=y", 1, "without pci" },
		{ "[sata x]\nquirks=none\npci=1234:5678", 1, "for rules of" },
		{ "[ahci x]\nquirks=none\nvendor=1234", 1, "for rules of" },
	};
	struct ssdpm_model *model = model_of(nvme_drive);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
		struct ssdpm_host host = { .size = sizeof(host) };
		struct ssdpm_error error = fixture_error();
		uint32_t quirks = 5, unknown = 6;
		size_t n = 7;

		host.rules = cases[i].rules;
		host.rules_bytes = strlen(cases[i].rules);
		assert_int_equal(ssdpm_quirks_find(model, &host, &quirks,
						   &unknown, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, cases[i].line,
				     cases[i].fragment);
		assert_int_equal(ssdpm_quirks_explain(model, &host, matches,
						      SSDPM_MAX_QUIRK_MATCHES,
						      &n, NULL),
				 -EINVAL);
		assert_int_equal(quirks, 5);
		assert_int_equal(unknown, 6);
		assert_int_equal(n, 7);
	}
	ssdpm_model_unref(model);
}

static void a_host_is_sized(void **state)
{
	struct ssdpm_model *model = model_of(nvme_drive);
	struct ssdpm_host host = { .size = sizeof(host) };
	uint32_t quirks;
	struct {
		struct ssdpm_host host;
		uint64_t tail;
	} longer = { .host.size = sizeof(longer) };

	(void)state;
	assert_int_equal(
		ssdpm_quirks_find(model, &longer.host, &quirks, NULL, NULL), 0);
	longer.tail = 1;
	assert_int_equal(
		ssdpm_quirks_find(model, &longer.host, &quirks, NULL, NULL),
		-E2BIG);
	/* The missing part is unknown. */
	host.size = offsetof(struct ssdpm_host, linux_release);
	host.linux_release = "none";
	assert_int_equal(ssdpm_quirks_find(model, &host, &quirks, NULL, NULL),
			 0);
	host.size = 0;
	assert_int_equal(ssdpm_quirks_find(model, &host, &quirks, NULL, NULL),
			 -EINVAL);
	ssdpm_model_unref(model);
}

static void check_reason(struct drive drive, const struct ssdpm_host *host,
			 size_t which, const char *reason)
{
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	struct ssdpm_model *model = model_of(drive);
	size_t n;

	assert_int_equal(ssdpm_quirks_explain(model, host, matches,
					      SSDPM_MAX_QUIRK_MATCHES, &n,
					      NULL),
			 0);
	assert_true(which < n);
	assert_string_equal(matches[which].reason, reason);
	ssdpm_model_unref(model);
}

static void reasons_name_the_rule_and_where_it_stands(void **state)
{
	struct ssdpm_host host = { .size = sizeof(host) };
	char rules[300] = "[nvme ", reason[120] = "";

	(void)state;
	check_reason(
		(struct drive){ "KINGSTON SA2000M8250G", "1", 0x2646, 0, 0 },
		NULL, 0,
		"Kingston A2000: Linux 5.10.223 and later, nvme_id_table");
	check_reason(
		(struct drive){ "WDC PC SN530 SDBPNPZ", "1", 0x15b7, 0, 0 },
		NULL, 0,
		"WD Blue SN550: depends on pci_device_id; Linux 6.12.117 and "
		"later, nvme_id_table");
	check_reason((struct drive){ "Samsung SSD 860 EVO 1TB", "1", 0,
				     SSDPM_KIND_SATA, 14 },
		     NULL, 0,
		     "Samsung 860, 870, MZ7LH behind ATI or AMD: depends on "
		     "adapter_vendor_id; Linux 7.3.4 and later, "
		     "__ata_dev_quirks");
	host.rules = "[nvme mine]\nfirmware=FW1\nquirks=no-apst";
	host.rules_bytes = strlen(host.rules);
	check_reason(nvme_drive, &host, 0, "mine: line 1 of the rules");
	host.rules = "\n[nvme m\xc3\xa9]\nquirks=no-apst\nlinux=6.1";
	host.rules_bytes = strlen(host.rules);
	check_reason(nvme_drive, &host, 0,
		     "m??: Linux 6.1 and later, line 2 of the rules");
	host.rules = "[nvme x]\nquirks=no-apst\nlinux=6.1\nsource=my own";
	host.rules_bytes = strlen(host.rules);
	check_reason(nvme_drive, &host, 0, "x: Linux 6.1 and later, my own");
	/* A long name is cut. */
	memset(rules + 6, 'y', 200);
	strcpy(rules + 206, "]\nquirks=no-apst");
	host.rules = rules;
	host.rules_bytes = strlen(rules);
	memset(reason, 'y', sizeof(reason) - 1);
	check_reason(nvme_drive, &host, 0, reason);
}

static void more_rules_than_are_explained_are_too_many(void **state)
{
	struct ssdpm_quirk_match matches[33];
	struct ssdpm_model *model = model_of(nvme_drive);
	struct ssdpm_host host = plain_host();
	char rules[33 * 32] = "";
	uint32_t quirks;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 33; i++)
		strcat(rules, "[nvme x]\nquirks=no-apst\n");
	host.rules = rules;
	host.rules_bytes = strlen(rules) * 32 / 33;
	assert_int_equal(ssdpm_quirks_explain(model, &host, matches,
					      SSDPM_MAX_QUIRK_MATCHES, &n,
					      NULL),
			 0);
	assert_int_equal(n, 32);
	host.rules_bytes = strlen(rules);
	assert_int_equal(ssdpm_quirks_explain(model, &host, matches,
					      SSDPM_MAX_QUIRK_MATCHES, &n,
					      NULL),
			 -E2BIG);
	assert_int_equal(n, 32);
	assert_int_equal(
		ssdpm_quirks_explain(model, &host, matches, 33, &n, NULL), 0);
	assert_int_equal(n, 33);
	assert_int_equal(ssdpm_quirks_find(model, &host, &quirks, NULL, NULL),
			 0);
	ssdpm_model_unref(model);
}

/* A quirk that was found can be given to an algorithm. */
static void what_is_found_may_be_given_to_an_algorithm(void **state)
{
	struct ssdpm_apst_params params;
	struct ssdpm_model *model;
	struct ssdpm_apst table;

	(void)state;
	ssdpm_apst_params_init(&params, sizeof(params));
	model = model_of((struct drive){ "KCD6XVUL6T40", "1", 0x1e0f, 0, 0 });
	assert_int_equal(
		ssdpm_quirks_find(model, NULL, &params.quirks, NULL, NULL), 0);
	assert_int_equal(ssdpm_apst_generate(model, &params, &table, NULL), 0);
	assert_int_equal(table.enabled, 0);
	params.quirks = SIMPLE | NOT_SIMPLE | NO_LPM | ON_ATI | ON_AMD;
	assert_int_equal(ssdpm_apst_generate(model, &params, &table, NULL), 0);
	assert_int_equal(table.enabled, 1);
	ssdpm_model_unref(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stands_for_the_pci_id_where_it_can),
		cmocka_unit_test(
			a_drive_without_a_name_may_have_any_quirk_of_its_vendor),
		cmocka_unit_test(each_pci_id_has_its_quirk),
		cmocka_unit_test(each_platform_has_its_quirk),
		cmocka_unit_test(half_of_a_platform_leaves_it_unknown),
		cmocka_unit_test(each_sata_row_has_its_quirk),
		cmocka_unit_test(
			old_western_digitals_count_if_they_know_gen1_only),
		cmocka_unit_test(invalid_words_are_no_gen1),
		cmocka_unit_test(a_condition_of_the_adapter_is_asked_for),
		cmocka_unit_test(
			the_firmware_of_some_thinkpads_and_boards_forbids_lpm),
		cmocka_unit_test(older_releases_have_fewer_rows),
		cmocka_unit_test(a_release_that_is_none_is_refused),
		cmocka_unit_test(rules_of_the_owner_add_to_those_of_linux),
		cmocka_unit_test(the_first_sata_rule_that_fits_counts),
		cmocka_unit_test(faulty_rules_are_refused_with_their_line),
		cmocka_unit_test(a_host_is_sized),
		cmocka_unit_test(reasons_name_the_rule_and_where_it_stands),
		cmocka_unit_test(more_rules_than_are_explained_are_too_many),
		cmocka_unit_test(what_is_found_may_be_given_to_an_algorithm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
