/* SPDX-License-Identifier: MIT */
/*
 * Every smartctl file of the corpus gives the model that a person would read,
 * or the reason why it gives none.
 */
#include "corpus.h"

#include <ssdpm.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two of the files are of this drive. */
static const char evo_plus[] = "+7800000 0 0 0 0 0 0\n"
			       "+6000000 0 0 1 1 1 1\n"
			       "+3400000 0 0 2 2 2 2\n"
			       "-70000 210 1200 3 3 3 3\n"
			       "-10000 2000 8000 4 4 4 4";

/*
 * States as in the file, one a line: + operational or - not, maximum power in
 * microwatts, entry and exit latency in microseconds. Then come the ranks RRT
 * RRL RWT RWL; smartctl prints RL RT WL WT.
 */
static const struct nvme {
	const char *file;
	const char *product, *firmware; /* NULL: unknown */
	int vendor_id;			/* -1: unknown */
	const char *states;
} nvme[] = {
	{ "smartctl-all_nvme_KCM61VUL1T60_0105.txt", "KCM61VUL1T60", "0105",
	  0x1e0f,
	  "+27500000 500000 500000 0 0 0 0\n"
	  "+19800000 500000 500000 0 0 1 1\n"
	  "+17600000 500000 500000 0 0 2 2\n"
	  "+15400000 500000 500000 1 1 3 3\n"
	  "+12100000 500000 500000 2 2 4 4\n"
	  "+9900000 500000 500000 3 3 5 5\n"
	  "-5000000 500000 500000 6 6 6 6" },
	{ "smartctl-all_nvme_Samsung_SSD_970_EVO_Plus_500GB_2B2QEXM7.txt",
	  "Samsung SSD 970 EVO Plus 500GB", "2B2QEXM7", 0x144d, evo_plus },
	{ "smartctl-all_nvme_WDS200T1X0E-00AFY0_614600WD.txt",
	  "WDS200T1X0E-00AFY0", "614600WD", 0x15b7,
	  "+9000000 0 0 0 0 0 0\n"
	  "+4100000 0 0 0 0 0 0\n"
	  "+3500000 0 0 0 0 0 0\n"
	  "-25000 5000 10000 3 3 3 3\n"
	  "-5000 3900 45700 4 4 4 4" },
	{ "smartctl-all_nvme_behind-ASMedia-USB.txt", "Samsung Portable SSD T7",
	  "FXG44P2Q", 0x144d,
	  "+4830000 0 0 0 0 0 0\n"
	  "+3540000 0 0 1 1 1 1\n"
	  "+3040000 0 6000 2 2 2 2\n"
	  "-50000 6000 1500 3 3 3 3" },
	{ "smartctl-x_nvme_ADATA_FALCON_V9002s57.txt", "ADATA FALCON",
	  "V9002s57", 0x10ec,
	  "+8000000 0 50000 0 0 0 0\n"
	  "+4000000 0 50000 1 1 1 1\n"
	  "+3000000 0 50000 2 2 2 2\n"
	  "-50000 4000 50000 3 3 3 3\n"
	  "-8000 8000 100000 4 4 4 4" },
	{ "smartctl-x_nvme_APPLE_SSD_SM0256L_CXS6KA0Q.txt", "APPLE SSD SM0256L",
	  "CXS6KA0Q", 0x144d,
	  "+6000000 5 5 0 0 0 0\n"
	  "-40000 210 1200 1 1 1 1\n"
	  "-5000 1900 5300 2 2 2 2" },
	{ "smartctl-x_nvme_CT1000T700SSD5_PACR5103.txt", "CT1000T700SSD5",
	  "PACR5103", 0xc0a9,
	  "+11500000 800 1000 0 0 0 0\n"
	  "+8000000 800 1000 0 0 0 0\n"
	  "+6000000 800 1000 0 0 0 0\n"
	  "-144000 3000 3000 0 0 0 0\n"
	  "-144000 3000 3000 0 0 0 0" },
	{ "smartctl-x_nvme_E2M2_64GB_10100080.txt", "E2M2 64GB", "10100080",
	  0x1217,
	  "+5000000 0 0 0 0 0 0\n"
	  "-2500 4000 10000 1 1 1 1" },
	{ "smartctl-x_nvme_Fanxiang_S501_128GB_V0808A0.txt",
	  "Fanxiang S501 128GB", "T1103F0L", 0x126f, "+6000000 0 0 0 0 0 0" },
	{ "smartctl-x_nvme_HUSMR7632BDP301_KNGND110.txt", "HUSMR7632BDP301",
	  "KNGND110", 0x1c58,
	  "+25000000 15000 15000 0 0 0 0\n"
	  "+24000000 15000 15000 1 1 1 1\n"
	  "+23000000 15000 15000 2 2 2 2\n"
	  "+22000000 15000 15000 3 3 3 3\n"
	  "+21000000 15000 15000 4 4 4 4\n"
	  "+20000000 15000 15000 5 5 5 5\n"
	  "+19000000 15000 15000 6 6 6 6\n"
	  "+18000000 15000 15000 7 7 7 7\n"
	  "+17000000 15000 15000 8 8 8 8\n"
	  "+16000000 15000 15000 9 9 9 9\n"
	  "+15000000 15000 15000 10 10 10 10\n"
	  "+14000000 15000 15000 11 11 11 11\n"
	  "+13000000 15000 15000 12 12 12 12\n"
	  "+12000000 15000 15000 13 13 13 13\n"
	  "+11000000 15000 15000 14 14 14 14\n"
	  "-10000000 15000 15000 15 15 15 15" },
	{ "smartctl-x_nvme_INTEL_MEMPEK1J016GAL_K4110420.txt",
	  "INTEL MEMPEK1J016GAL", "K4110420", 0x8086,
	  "+2800000 1000000 30000 0 0 0 0\n"
	  "+2200000 1000000 30000 1 0 1 0\n"
	  "+1800000 1000000 30000 2 0 2 0\n"
	  "-8000 1150000 30000 0 0 0 0" },
	{ "smartctl-x_nvme_INTEL_SSDPEKKW256G8_001C.txt", "INTEL SSDPEKKW256G8",
	  "001C", 0x8086,
	  "+9000000 0 0 0 0 0 0\n"
	  "+4600000 0 0 1 1 1 1\n"
	  "+3800000 0 0 2 2 2 2\n"
	  "-45000 2000 2000 3 3 3 3\n"
	  "-4000 6000 8000 4 4 4 4" },
	{ "smartctl-x_nvme_INTEL_SSDPF2NV153TZ_ACV10024.txt",
	  "INTEL SSDPF2NV153TZ", "ACV10024", 0x8086,
	  "+25000000 0 0 0 0 0 0\n"
	  "+20000000 0 0 0 0 0 0\n"
	  "+12000000 0 0 0 0 0 0" },
	{ "smartctl-x_nvme_KBG40ZNS256G_NVMe_KIOXIA_256GB_10410106.txt",
	  "KBG40ZNS256G NVMe KIOXIA 256GB", "10410106", 0x1e0f,
	  "+3600000 1 1 0 0 0 0\n"
	  "+2600000 1 1 1 1 1 1\n"
	  "+2200000 1 1 2 2 2 2\n"
	  "-50000 800 1200 3 3 3 3\n"
	  "-5000 3000 32000 4 4 4 4" },
	{ "smartctl-x_nvme_KCM5DRUG960G_3202T2GB.txt", "KCM5DRUG960G",
	  "3202T2GB", 0x1179,
	  "+19800000 0 0 0 0 0 0\n"
	  "+17600000 0 0 0 0 1 1\n"
	  "+15400000 0 0 0 0 2 2\n"
	  "+12100000 0 0 1 1 3 3\n"
	  "+9900000 0 0 2 2 4 4" },
	{ "smartctl-x_nvme_KINGSTON_SKC3000S1024G_EIFK31.6.txt",
	  "KINGSTON SKC3000S1024G", "EIFK31.6", 0x2646,
	  "+8800000 0 0 0 0 0 0\n"
	  "+7100000 0 0 1 1 1 1\n"
	  "+5200000 0 0 2 2 2 2\n"
	  "-62000 2500 7500 3 3 3 3\n"
	  "-62000 2500 7500 4 4 4 4" },
	{ "smartctl-x_nvme_KINGSTON_SNV2S500G_ELFKAN.2.txt",
	  "KINGSTON SNV2S500G", "ELFKAN.2", 0x2646,
	  "+5000000 0 0 0 0 0 0\n"
	  "+5000000 0 0 1 1 1 1\n"
	  "+5000000 0 0 2 2 2 2\n"
	  "-5000000 3000 2000 3 3 3 3\n"
	  "-5000000 10000 40000 4 4 4 4" },
	{ "smartctl-x_nvme_KXG60ZNV256G_KIOXIA_AGHA4101.txt",
	  "KXG60ZNV256G KIOXIA", "AGHA4101", 0x1179,
	  "+6000000 1 1 0 0 0 0\n"
	  "+2700000 1 1 1 1 1 1\n"
	  "+1300000 1 1 2 2 2 2\n"
	  "-50000 1500 1500 3 3 3 3\n"
	  "-5000 6000 14000 4 4 4 4\n"
	  "-3000 50000 80000 5 5 5 5" },
	{ "smartctl-x_nvme_PCIe_SSD_EHFM90.1.txt", "PCIe SSD", "EHFM90.1",
	  0x1987,
	  "+5000000 0 0 0 0 0 0\n"
	  "+2400000 0 1000 1 1 1 1\n"
	  "+1900000 0 0 2 2 2 2\n"
	  "-50000 5000 10000 3 3 3 3\n"
	  "-5000 10000 45000 4 4 4 4" },
	{ "smartctl-x_nvme_PM991_NVMe_Samsung_256GB_25304039.txt",
	  "PM991 NVMe Samsung 256GB", "25304039", 0x144d,
	  "+4830000 0 0 0 0 0 0\n"
	  "+3540000 0 0 1 1 1 1\n"
	  "+3040000 0 500 2 2 2 2\n"
	  "-50000 210 1200 3 3 3 3\n"
	  "-5000 1000 9000 4 4 4 4" },
	{ "smartctl-x_nvme_SK_hynix_BC511_HFM256GDJTNI-82A0A_HPS0.txt",
	  "SK hynix BC511 HFM256GDJTNI-82A0A", "HPS0", 0x1c5c,
	  "+3500000 5 5 0 0 0 0\n"
	  "+2400000 30 30 1 1 1 1\n"
	  "+1900000 100 100 2 2 2 2\n"
	  "-35000 1000 1000 3 3 3 3\n"
	  "-5000 5000 5000 3 3 3 3" },
	{ "smartctl-x_nvme_SOLIDIGM_SSDPFKKW020X7_001C.txt",
	  "SOLIDIGM SSDPFKKW020X7", "001C", 0x025e,
	  "+7500000 5 305 0 0 0 0\n"
	  "+3900000 30 330 1 1 1 1\n"
	  "+1500000 100 400 2 2 2 2\n"
	  "-50000 500 1500 3 3 3 3\n"
	  "-5000 1000 9000 4 4 4 4" },
	{ "smartctl-x_nvme_Samsung_SSD_960_EVO_250GB_3B7QCXE7.txt",
	  "Samsung SSD 960 EVO 250GB", "3B7QCXE7", 0x144d,
	  "+6040000 0 0 0 0 0 0\n"
	  "+5090000 0 0 1 1 1 1\n"
	  "+4080000 0 0 2 2 2 2\n"
	  "-40000 210 1500 3 3 3 3\n"
	  "-5000 2200 6000 4 4 4 4" },
	{ "smartctl-x_nvme_Samsung_SSD_970_EVO_Plus_500GB_2B2QEXM7.txt",
	  "Samsung SSD 970 EVO Plus 500GB", "2B2QEXM7", 0x144d, evo_plus },
	{ "smartctl-x_nvme_Samsung_SSD_980_PRO_1TB_5B2QGXA7.txt",
	  "Samsung SSD 980 PRO 1TB", "5B2QGXA7", 0x144d,
	  "+8490000 0 0 0 0 0 0\n"
	  "+4480000 0 200 1 1 1 1\n"
	  "+3180000 0 1000 2 2 2 2\n"
	  "-40000 2000 1200 3 3 3 3\n"
	  "-5000 500 9500 4 4 4 4" },
	{ "smartctl-x_nvme_WDC_PC_SN530_SDBPNPZ-256G-1006_HPS2.txt",
	  "WDC PC SN530 SDBPNPZ-256G-1006", "HPS2", 0x15b7,
	  "+3500000 0 0 0 0 0 0\n"
	  "+2400000 0 0 0 0 0 0\n"
	  "+1900000 0 0 0 0 0 0\n"
	  "-25000 3900 11000 3 3 3 3\n"
	  "-5000 5000 39000 4 4 4 4" },
	{ "smartctl-x_nvme_WD_BLACK_SN770_1TB_731100WD.txt",
	  "WD_BLACK SN770 1TB", "731100WD", 0x15b7,
	  "+5000000 0 0 0 0 0 0\n"
	  "+3300000 0 0 0 0 0 0\n"
	  "+2200000 0 0 0 0 0 0\n"
	  "-15000 1500 2500 3 3 3 3\n"
	  "-5000 10000 6000 4 4 4 4\n"
	  "-3300 176000 25000 5 5 5 5" },
	{ "smartctl-x_nvme_WD_BLACK_SN850X_2000GB_620331WD.txt",
	  "WD_BLACK SN850X 2000GB", "620331WD", 0x15b7,
	  "+9000000 0 0 0 0 0 0\n"
	  "+6000000 0 0 0 0 0 0\n"
	  "+4500000 0 0 0 0 0 0\n"
	  "-25000 5000 10000 3 3 3 3\n"
	  "-5000 3900 45700 4 4 4 4" },
	{ "smartctl-x_same-drive-as-id-ctrl_INTEL_MEMPEK1J016GAL_K4110420.txt",
	  "INTEL MEMPEK1J016GAL", "K4110420", 0x8086,
	  "+2800000 1000000 30000 0 0 0 0\n"
	  "+2200000 1000000 30000 1 0 1 0\n"
	  "+1800000 1000000 30000 2 0 2 0\n"
	  "-8000 1150000 30000 0 0 0 0" },
	{ "smartctl-c_KXG6AZNV512G_5108AGLA.txt", NULL, NULL, -1,
	  "+8000000 1 1 0 0 0 0\n"
	  "+3900000 1 1 1 1 1 1\n"
	  "+2000000 1 1 2 2 2 2\n"
	  "-50000 1500 1500 3 3 3 3\n"
	  "-5000 6000 14000 4 4 4 4\n"
	  "-3000 50000 80000 5 5 5 5" },
	{ "smartctl-c_Samsung_SSD_980_500GB_1B4QFXO7.txt", NULL, NULL, -1,
	  "+5240000 0 0 0 0 0 0\n"
	  "+4490000 0 0 1 1 1 1\n"
	  "+2190000 0 500 2 2 2 2\n"
	  "-50000 210 1200 3 3 3 3\n"
	  "-5000 1000 9000 4 4 4 4" },
	{ "smartctl-j-a_SPCC_M.2_PCIe_SSD_VF140C6B_7.5.json",
	  "SPCC M.2 PCIe SSD", "VF140C6B", 0x10ec,
	  "+8000000 0 0 0 0 0 0\n"
	  "+5000000 0 0 1 1 1 1\n"
	  "+4000000 0 0 2 2 2 2\n"
	  "-100000 5000 10000 3 3 3 3\n"
	  "-5000 17000 60000 4 4 4 4" },
	{ "smartctl-j-a_TEAM_TM8FP6256G_VC3S500J_7.5.json", "TEAM TM8FP6256G",
	  "VC3S500J", 0x10ec,
	  "+8000000 230000 50000 0 0 0 0\n"
	  "+4000000 4000 50000 1 1 1 1\n"
	  "+3000000 4000 250000 2 2 2 2\n"
	  "-30000 5000 10000 3 3 3 3\n"
	  "-5000 54000 45000 4 4 4 4" },
	{ "smartctl-x-j_APPLE_SSD_AP0512Z_part.json", "APPLE SSD AP0512Z",
	  "561.100.", 0x106b, "+0 0 0 0 0 0 0" },
};

/* smartctl reports the links of these, and their speed. */
static const struct sata {
	const char *file;
	const char *product, *firmware;
	int generations;
	const char *apm; /* NULL: not told */
} sata[] = {
	{ "smartctl-json_TOSHIBA_THNSNH128GBST.json", "TOSHIBA THNSNH128GBST",
	  "HTRAN101", 14, NULL },
	{ "smartctl-x_sata_Crucial_CT512M550SSD1_MU01.txt",
	  "Crucial_CT512M550SSD1", "MU01", 14, "on, level 254" },
	{ "smartctl-x_sata_INTEL_SSDSC2BA200G3R_5DV1DL06.txt",
	  "INTEL SSDSC2BA200G3R", "5DV1DL06", 14, NULL },
	{ "smartctl-x_sata_LITEONIT_LCS-256M6S_2.5_7mm_256GB_DC8110E.txt",
	  "LITEONIT LCS-256M6S 2.5 7mm 256GB", "DC8110E", 14, "none" },
	{ "smartctl-x_sata_SSDSA2SH032G1GN_INTEL_045C8860.txt",
	  "SSDSA2SH032G1GN INTEL", "045C8860", 6, NULL },
	{ "smartctl-x_sata_Samsung_SSD_850_EVO_250GB_EMT02B6Q.txt",
	  "Samsung SSD 850 EVO 250GB", "EMT02B6Q", 14, "none" },
	{ "smartctl-x_sata_Samsung_SSD_860_EVO_500GB_RVT01B6Q.txt",
	  "Samsung SSD 860 EVO 500GB", "RVT01B6Q", 14, NULL },
};

static const struct refused {
	const char *file, *reason;
} refused[] = {
	{ "smartctl-Hi_KXG6AZNV512G_5108AGLA.txt",
	  "without its table of power states: call smartctl -c" },
	{ "smartctl-Hi_Samsung_SSD_980_500GB_1B4QFXO7.txt",
	  "without its table of power states: call smartctl -c" },
	{ "smartctl-json_nvme-null-HUSMR7632BHP301-nvme0.json",
	  "smartctl 7.1 cannot write it, 7.5 can" },
	{ "smartctl-json_nvme-null-Micron_7450_MTFDKCB3T8TFR-nvme6.json",
	  "smartctl 7.3 cannot write it, 7.5 can" },
	{ "smartctl-json_scrutiny_smart-nvme.json",
	  "smartctl 7.1 cannot write it, 7.5 can" },
};

enum {
	N_NVME = sizeof(nvme) / sizeof(nvme[0]),
	N_SATA = sizeof(sata) / sizeof(sata[0]),
	N_REFUSED = sizeof(refused) / sizeof(refused[0]),
};

static int read_one(const char *directory, const char *file,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr)
{
	static uint8_t data[1 << 18];
	struct ssdpm_model **models;
	char path[4096];
	size_t n, size;
	int err;

	snprintf(path, sizeof(path), "%s/data/raw/%s", directory, file);
	size = read_file(path, data, sizeof(data));
	err = ssdpm_model_list_from_data(data, size, &models, &n, reterr);
	if (err)
		return err;
	if (n != 1)
		die("%s: %zu drives", file, n);
	*ret_model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	return 0;
}

/* Describes the states in the words of the tables above. */
static void describe(const struct ssdpm_model *model, char *text, size_t size)
{
	const struct ssdpm_power_state *s;
	size_t n, length = 0;

	s = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++, s++)
		length += (size_t)snprintf(
			text + length, size - length,
			"%s%c%u %u %u %u %u %u %u", i ? "\n" : "",
			s->flags & SSDPM_STATE_NON_OPERATIONAL ? '-' : '+',
			s->max_power_uw, s->entry_latency_us,
			s->exit_latency_us, s->read_throughput_rank,
			s->read_latency_rank, s->write_throughput_rank,
			s->write_latency_rank);
}

static bool same_text(const char *text, bool unknown, const char *expected)
{
	return unknown == !expected && !strcmp(text, expected ? expected : "");
}

static void check_format(const struct ssdpm_model_info *info, const char *file)
{
	bool json = strstr(file, ".json");

	if (info->format != (json ? SSDPM_FORMAT_SMARTCTL_JSON :
				    SSDPM_FORMAT_SMARTCTL_TEXT) ||
	    info->provenance != SSDPM_PROVENANCE_REPORTED)
		die("%s: format %u", file, info->format);
}

static void check_texts(const struct ssdpm_model_info *info, const char *file,
			const char *product, const char *firmware)
{
	if (!same_text(info->product, info->unknown & SSDPM_INFO_PRODUCT,
		       product) ||
	    !same_text(info->firmware, info->unknown & SSDPM_INFO_FIRMWARE,
		       firmware))
		die("%s: \"%s\", \"%s\"", file, info->product, info->firmware);
}

/* In each state, exactly the fields that smartctl cannot show are unknown. */
static void check_unknown(const struct ssdpm_model *model, const char *file)
{
	const uint32_t told =
		SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ENTRY_LATENCY |
		SSDPM_FIELD_EXIT_LATENCY | SSDPM_FIELD_READ_THROUGHPUT_RANK |
		SSDPM_FIELD_READ_LATENCY_RANK |
		SSDPM_FIELD_WRITE_THROUGHPUT_RANK |
		SSDPM_FIELD_WRITE_LATENCY_RANK;
	const struct ssdpm_power_state *states;
	size_t n;

	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++)
		if (states[i].unknown != (((1 << 13) - 1) & ~told))
			die("%s: state %zu: unknown 0x%x", file, i,
			    states[i].unknown);
}

static void check_nvme(const char *directory, const struct nvme *expected)
{
	const char *file = expected->file;
	const struct ssdpm_model_info *info;
	struct ssdpm_error error;
	struct ssdpm_model *model;
	char states[4096];

	if (read_one(directory, file, &model, &error))
		die("%s:%u: %s", file, error.line, error.message);
	info = ssdpm_model_get_info(model);
	check_format(info, file);
	check_texts(info, file, expected->product, expected->firmware);
	if (info->kind != SSDPM_KIND_NVME ||
	    !(info->unknown & SSDPM_INFO_APSTA) ||
	    !(info->unknown & SSDPM_INFO_VENDOR_ID) !=
		    (expected->vendor_id >= 0) ||
	    (expected->vendor_id >= 0 &&
	     info->vendor_id != expected->vendor_id))
		die("%s: the drive is another", file);
	check_unknown(model, file);
	describe(model, states, sizeof(states));
	if (strcmp(states, expected->states))
		die("%s:\n%s\nexpected:\n%s", file, states, expected->states);
	ssdpm_model_unref(model);
}

static void describe_apm(const struct ssdpm_model_info *info, char text[32])
{
	if (info->sata_supported_unknown & SSDPM_SATA_APM)
		text[0] = 0;
	else if (!info->sata_supported)
		strcpy(text, "none");
	else if (!info->sata_enabled)
		strcpy(text, "off");
	else
		snprintf(text, 32, "on, level %u", info->apm_level);
}

static void check_sata(const char *directory, const struct sata *expected)
{
	const uint32_t others = ((1 << 6) - 1) & ~SSDPM_SATA_APM;
	const char *file = expected->file;
	const struct ssdpm_model_info *info;
	const struct ssdpm_power_state *states;
	struct ssdpm_error error;
	struct ssdpm_model *model;
	char apm[32];
	size_t n;

	if (read_one(directory, file, &model, &error))
		die("%s:%u: %s", file, error.line, error.message);
	info = ssdpm_model_get_info(model);
	check_format(info, file);
	check_texts(info, file, expected->product, expected->firmware);
	describe_apm(info, apm);
	if (info->kind != SSDPM_KIND_SATA || !info->sata_words_valid ||
	    info->sata_generations != expected->generations ||
	    (info->sata_supported_unknown & others) != others ||
	    (info->sata_enabled_unknown & others) != others ||
	    strcmp(apm, expected->apm ? expected->apm : ""))
		die("%s: generations %u, APM \"%s\"", file,
		    info->sata_generations, apm);
	states = ssdpm_model_get_states(model, &n);
	if (n != 1 || states->link_state != SSDPM_LINK_ACTIVE || states->flags)
		die("%s: not the active link alone", file);
	ssdpm_model_unref(model);
}

static void check_refused(const char *directory, const struct refused *expected)
{
	struct ssdpm_error error;
	struct ssdpm_model *model;

	if (!read_one(directory, expected->file, &model, &error))
		die("%s: gives a model", expected->file);
	if (!strstr(error.message, expected->reason))
		die("%s: %s", expected->file, error.message);
}

/* No file is left out. */
static void check_complete(const char *directory)
{
	char pattern[4096];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/data/raw/smartctl*", directory);
	if (glob(pattern, 0, NULL, &files) ||
	    files.gl_pathc != N_NVME + N_SATA + N_REFUSED)
		die("%s: not the %d files that are looked at here", pattern,
		    N_NVME + N_SATA + N_REFUSED);
	globfree(&files);
}

int main(int argc, char **argv)
{
	const char *directory = corpus_directory(argc, argv);

	check_complete(directory);
	for (int i = 0; i < N_NVME; i++)
		check_nvme(directory, &nvme[i]);
	for (int i = 0; i < N_SATA; i++)
		check_sata(directory, &sata[i]);
	for (int i = 0; i < N_REFUSED; i++)
		check_refused(directory, &refused[i]);
	printf("%d NVMe drives, %d SATA drives, %d reasons\n", N_NVME, N_SATA,
	       N_REFUSED);
	return 0;
}
