/* SPDX-License-Identifier: MIT */
/*
 * The model: what an SSD says of its power states, as exact integers.
 *
 * A model is immutable and counted: share it between threads, ref it to keep
 * it, unref it when done. See ssdpm_model(3).
 */
#ifndef SSDPM_MODEL_H
#define SSDPM_MODEL_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most power states that an NVMe controller can have (NPSS is 0 to 31). */
#define SSDPM_MAX_STATES 32

/** Size of the Identify Controller data structure (NVMe Base, CNS 01h). */
#define SSDPM_NVME_IDENTIFY_BYTES 4096

enum ssdpm_kind {
	SSDPM_KIND_NVME = 1,
	SSDPM_KIND_SATA = 2,
};

/** Where the numbers of a model come from; 0 = the input did not say. */
enum ssdpm_provenance {
	SSDPM_PROVENANCE_REPORTED = 1,	/* the drive says so */
	SSDPM_PROVENANCE_MEASURED = 2,	/* somebody measured it */
	SSDPM_PROVENANCE_CATALOGUE = 3, /* a drive of the same name says so */
	SSDPM_PROVENANCE_ASSUMED = 4,	/* unknown: a guess by a rule */
	SSDPM_PROVENANCE_STATED = 5,	/* whoever asks says so */
	SSDPM_PROVENANCE_FAMILY = 6,	/* a drive of the same family says so */
	SSDPM_PROVENANCE_PUBLISHED = 7, /* of drives of this name */
};

/** How the input of a model was written; 0 = it was made from numbers. */
enum ssdpm_format {
	SSDPM_FORMAT_NVME_IDENTIFY = 1,	   /* raw Identify Controller */
	SSDPM_FORMAT_NVME_CLI_TEXT = 2,	   /* nvme id-ctrl */
	SSDPM_FORMAT_NVME_CLI_JSON = 3,	   /* nvme id-ctrl -o json */
	SSDPM_FORMAT_SMARTCTL_TEXT = 4,	   /* smartctl -c, -x, -a */
	SSDPM_FORMAT_SMARTCTL_JSON = 5,	   /* the same with -j */
	SSDPM_FORMAT_ATA_IDENTIFY = 6,	   /* raw IDENTIFY DEVICE */
	SSDPM_FORMAT_ATA_IDENTIFY_HEX = 7, /* sysfs id, hdparm --Istdout */
	SSDPM_FORMAT_HDPARM_TEXT = 8,	   /* hdparm -I */
	SSDPM_FORMAT_ATASMART_BLOB = 9,	   /* skdump --save */
};

enum ssdpm_state_flag {
	SSDPM_STATE_NON_OPERATIONAL = 1 << 0, /* NOPS: no I/O in this state */
	/* smartctl shows an active power: so the drive reports one. */
	SSDPM_STATE_ACTIVE_POWER_SHOWN = 1 << 1,
	/* IDLP is that of other drives of its family. */
	SSDPM_STATE_IDLE_POWER_OF_FAMILY = 1 << 2,
};

/** Bits of ssdpm_power_state.unknown and .not_reported. */
enum ssdpm_field {
	SSDPM_FIELD_MAX_POWER = 1 << 0,
	SSDPM_FIELD_ACTIVE_POWER = 1 << 1,
	SSDPM_FIELD_IDLE_POWER = 1 << 2,
	SSDPM_FIELD_ENTRY_LATENCY = 1 << 3,
	SSDPM_FIELD_EXIT_LATENCY = 1 << 4,
	SSDPM_FIELD_READ_THROUGHPUT_RANK = 1 << 5,
	SSDPM_FIELD_READ_LATENCY_RANK = 1 << 6,
	SSDPM_FIELD_WRITE_THROUGHPUT_RANK = 1 << 7,
	SSDPM_FIELD_WRITE_LATENCY_RANK = 1 << 8,
	SSDPM_FIELD_ACTIVE_POWER_WORKLOAD = 1 << 9,
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME = 1 << 10,
	SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME = 1 << 11,
	SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME = 1 << 12,
};

/**
 * struct ssdpm_power_state - one power state (frozen, 128 bytes)
 * @flags:            bits of enum ssdpm_state_flag
 * @unknown:          bits of enum ssdpm_field: there is no value, the member
 *                    is 0 and means nothing (JSON: null)
 * @not_reported:     bits of enum ssdpm_field: the drive itself gives the
 *                    value that NVMe defines as "not reported". For
 *                    @max_power_uw and the latencies that value is 0, and it
 *                    stands (Linux computes with it); for @active_power_uw
 *                    and @idle_power_uw the field is unknown too
 * @max_power_uw:     MP with its scale MXPS
 * @active_power_uw:  ACTP with its scale APS, for @active_power_workload
 * @idle_power_uw:    IDLP with its scale IPS
 * @entry_latency_us: ENLAT, the most that entering takes
 * @exit_latency_us:  EXLAT, the most that leaving takes
 * @read_throughput_rank:  RRT, 0 is best; likewise the next three
 * @read_latency_rank:     RRL
 * @write_throughput_rank: RWT
 * @write_latency_rank:    RWL
 * @active_power_workload: APW, 1 or 2; 0 = none named; 3 to 7 are reserved,
 *                    and kept as the drive gives them
 * @link_state:  enum ssdpm_link_state; 0 for NVMe
 * @emergency_power_fail_recovery_time_us: EPFRT with EPFRTS (NVMe 2.1)
 * @forced_quiescence_vault_time_us:       FQVT with FQVTS (NVMe 2.1)
 * @emergency_power_fail_vault_time_us:    EPFVT with EPFVTS (NVMe 2.1)
 * @shown_active_power_uw: with SSDPM_STATE_ACTIVE_POWER_SHOWN: what smartctl
 *                    prints. It may take the scale from the wrong bits, so
 *                    @active_power_uw is as much, or a hundred times more or
 *                    less
 *
 * Source: NVM Express Base Specification 2.1, Identify Controller, Power State
 * Descriptor Data Structure. A state's number is its index in the table.
 */
struct ssdpm_power_state {
	uint32_t flags;
	uint32_t unknown;
	uint32_t not_reported;
	uint32_t max_power_uw;
	uint32_t active_power_uw;
	uint32_t idle_power_uw;
	uint32_t entry_latency_us;
	uint32_t exit_latency_us;
	uint8_t read_throughput_rank;
	uint8_t read_latency_rank;
	uint8_t write_throughput_rank;
	uint8_t write_latency_rank;
	uint8_t active_power_workload;
	uint8_t link_state;
	uint8_t reserved0[2];
	uint64_t emergency_power_fail_recovery_time_us;
	uint64_t forced_quiescence_vault_time_us;
	uint64_t emergency_power_fail_vault_time_us;
	uint32_t shown_active_power_uw;
	uint8_t reserved1[60];
};

/**
 * Power states of a SATA drive: those of its link (Serial ATA 3.x, interface
 * power states). Partial, slumber and DevSleep carry no I/O.
 */
enum ssdpm_link_state {
	SSDPM_LINK_ACTIVE = 1,
	SSDPM_LINK_PARTIAL = 2,
	SSDPM_LINK_SLUMBER = 3,
	SSDPM_LINK_DEVSLEEP = 4,
};

/**
 * Bits of ssdpm_model_info.sata_supported and the three masks after it; the
 * bits of words 76 to 79, 83 and 86 of IDENTIFY DEVICE (ACS-4) are named.
 */
enum ssdpm_sata_feature {
	SSDPM_SATA_HIPM = 1 << 0, /* host-initiated requests: 76.9 */
	SSDPM_SATA_DIPM = 1 << 1, /* device-initiated: 78.3, 79.3 */
	/* Automatic partial to slumber transitions of device and host. */
	SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER = 1 << 2, /* 76.14, 79.7 */
	SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER = 1 << 3,   /* 76.13 */
	SSDPM_SATA_DEVSLEEP = 1 << 4,			    /* 78.8, 79.8 */
	SSDPM_SATA_APM = 1 << 5, /* advanced power management: 83.3, 86.3 */
};

/** Bits of ssdpm_model_info.unknown. */
enum ssdpm_info_field {
	SSDPM_INFO_VENDOR_ID = 1 << 0,
	SSDPM_INFO_PRODUCT = 1 << 1,
	SSDPM_INFO_FIRMWARE = 1 << 2,
	SSDPM_INFO_APSTA = 1 << 3,
	SSDPM_INFO_SATA_WORDS_VALID = 1 << 4,
	SSDPM_INFO_SATA_GENERATIONS = 1 << 5,
	SSDPM_INFO_APM_LEVEL = 1 << 6,
	SSDPM_INFO_ROTATIONAL = 1 << 7,
};

/**
 * struct ssdpm_model_info - the drive as a whole (sized parameters)
 * @size:       sizeof(struct ssdpm_model_info) of whoever filled it
 * @kind:       enum ssdpm_kind
 * @unknown:    bits of enum ssdpm_info_field: there is no value (JSON: null)
 * @provenance: enum ssdpm_provenance, or 0
 * @vendor_id:  PCI vendor ID (VID)
 * @apsta:      the whole APSTA byte; Linux takes any value but 0 for support
 * @product:    model number (MN), printable ASCII, trailing blanks removed
 * @firmware:   firmware revision (FR), likewise
 * @format:     enum ssdpm_format, or 0
 * @sata_supported: bits of enum ssdpm_sata_feature; 0 for NVMe, as are all
 *              members after it
 * @sata_supported_unknown: likewise: the input does not say
 * @sata_enabled: likewise: switched on when the input was made
 * @sata_enabled_unknown: likewise; HIPM and the host's automatic transitions
 *              are the host's, so that a drive never says
 * @sata_words_valid: 1: words 76 to 79 mean something; 0: word 76 is 0000h or
 *              FFFFh: the drive says nothing, and Linux takes that for not
 *              supported
 * @sata_generations: bits 1 to 3: Gen1 (1.5 Gb/s) to Gen3 (6 Gb/s)
 * @apm_level:  1 (least power) to 254 (most); unknown where APM is not enabled
 * @rotational: 1: a hard disk, whose motor no model of this library has; 0: an
 *              SSD (word 217)
 *
 * The serial number is left out on purpose: no power question needs it.
 */
struct ssdpm_model_info {
	size_t size;
	uint32_t kind;
	uint32_t unknown;
	uint32_t provenance;
	uint16_t vendor_id;
	uint8_t apsta;
	char product[41];
	char firmware[9];
	uint8_t reserved[3];
	uint32_t format;
	uint32_t sata_supported;
	uint32_t sata_supported_unknown;
	uint32_t sata_enabled;
	uint32_t sata_enabled_unknown;
	uint8_t sata_words_valid;
	uint8_t sata_generations;
	uint8_t apm_level;
	uint8_t rotational;
	uint8_t reserved1[4];
};

struct ssdpm_model;

/**
 * ssdpm_model_new() - make a model from numbers
 * @info:      the drive
 * @states:    its power states, from state 0 on
 * @n_states:  how many; 1 to 32 for NVMe, 0 to 32 for SATA
 * @ret_model: where the new model goes; free it with ssdpm_model_unref()
 * @reterr:    where words about a failure go, or NULL
 *
 * not_reported is completed: a maximum power or latency of 0 always has its
 * bit. Other fields may have it only where they are unknown.
 *
 * Return: 0; -EINVAL (members that contradict each other, an unknown bit, a
 * reserved byte, text that is not printable ASCII, an impossible number of
 * states), -ERANGE (a number or text beyond its field), -E2BIG (@info is longer
 * than this library knows, and its tail is not zero), -ENOMEM.
 */
SSDPM_API int ssdpm_model_new(const struct ssdpm_model_info *info,
			      const struct ssdpm_power_state *states,
			      size_t n_states, struct ssdpm_model **ret_model,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_model_ref() - keep a model
 * @model: a model, or NULL
 *
 * Thread-safe. Return: @model.
 */
SSDPM_API struct ssdpm_model *ssdpm_model_ref(struct ssdpm_model *model);

/**
 * ssdpm_model_unref() - let a model go; the last one to do so frees it
 * @model: a model, or NULL
 *
 * Thread-safe. Return: NULL.
 */
SSDPM_API struct ssdpm_model *ssdpm_model_unref(struct ssdpm_model *model);

/**
 * ssdpm_model_get_info() - the drive as a whole
 *
 * Return: borrowed from @model, valid as long as it. Its size member says how
 * much of it this library fills.
 */
SSDPM_API const struct ssdpm_model_info *ssdpm_model_get_info(
	const struct ssdpm_model *model);

/**
 * ssdpm_model_get_states() - the table of power states
 * @ret_n: how many there are, or NULL
 *
 * Return: an array borrowed from @model, valid as long as it.
 */
SSDPM_API const struct ssdpm_power_state *ssdpm_model_get_states(
	const struct ssdpm_model *model, size_t *ret_n);

/**
 * ssdpm_model_get_power_range() - what is known of a power of a state
 * @state:       its number
 * @field:       SSDPM_FIELD_MAX_POWER, SSDPM_FIELD_ACTIVE_POWER or
 *               SSDPM_FIELD_IDLE_POWER
 * @ret_low_uw:  the least that it can be, in microwatts
 * @ret_high_uw: the most; a power with a value is both
 *
 * An active or idle power that has its bit in unknown can still have a range.
 * nvme-cli 0.7 to 1.11 prints 02 for any fraction of a power in units of
 * 0.01 W: N.02W is N W to N.99 W. The range ends at the maximum of the state.
 * If that is unknown, it ends at that of the nearest shallower state that
 * reports one, unless the maximums rise before it. A limit below N W is no
 * limit: the drive contradicts itself. A low of 0 is 0.02W. These versions also
 * print that for a power that the drive does not report: the range holds only
 * if it does. Allocates nothing.
 *
 * Return: 0; -EINVAL (@field is none of these powers), -ERANGE (no such state),
 * -ENODATA (nothing is known of the power, or the drive does not report it).
 */
SSDPM_API int ssdpm_model_get_power_range(const struct ssdpm_model *model,
					  uint32_t state, uint32_t field,
					  uint32_t *ret_low_uw,
					  uint32_t *ret_high_uw,
					  struct ssdpm_error *reterr);

/**
 * ssdpm_model_from_nvme_identify() - read an Identify Controller structure
 * @data: the structure as the controller returns it
 * @size: 4096
 *
 * Powers are exact: 0.01 W (MXPS 0, IPS and APS 2) and 0.0001 W (MXPS 1, IPS
 * and APS 1) are whole microwatts. Idle and active power with scale 0 or 3, or
 * with value 0, are unknown. Bytes of the firmware revision that are not
 * printable ASCII become '?'.
 *
 * Return: 0; -EINVAL (another size, nothing but zeros, NPSS above 31, a model
 * number that is not ASCII: this is no Identify Controller structure), -ENOMEM.
 */
SSDPM_API int ssdpm_model_from_nvme_identify(const void *data, size_t size,
					     struct ssdpm_model **ret_model,
					     struct ssdpm_error *reterr);

/**
 * ssdpm_model_to_json() - write one drive as our JSON
 * @ret_text: a string with a final newline, to be freed with free()
 *
 * ssdpm_model_list_from_data() makes an equal model of it.
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_model_to_json(const struct ssdpm_model *model,
				  char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_model_list_from_data() - read drives from whatever somebody saved
 * @data:       the contents of a file
 * @size:       how many bytes
 * @ret_models: an array of models; free it with ssdpm_model_list_free()
 * @ret_n:      how many, at least one
 *
 * The format is recognised by content. NVMe drives:
 * - a raw Identify Controller structure;
 * - the text of nvme id-ctrl of nvme-cli 1 and 2, as people paste it;
 * - the text of smartctl -c, -a or -x;
 * - JSON of nvme id-ctrl, of smartctl (7.5 and later), or ours (an object, or
 *   an array of them).
 *
 * A text has one drive.
 *
 * SATA drives:
 * - IDENTIFY DEVICE data (512 bytes);
 * - their 256 words in hexadecimal digits (sysfs, hdparm --Istdout);
 * - the text of hdparm -I;
 * - a blob of libatasmart.
 *
 * smartctl: maximum power, latencies and ranks are exact. Active and idle power
 * are unknown: it reads their scale from the wrong bits. So is APSTA, which it
 * does not print. For a SATA drive it gives the active link, speed and APM.
 *
 * A SATA drive gets the states that its link is known to support: active,
 * partial (exit at most 10 us), slumber (10 ms) and DevSleep. The exit of
 * DevSleep is its DETO if the text of hdparm has that, otherwise 20 ms.
 * Sources: ACS-4, Serial ATA 3.x. Nothing but these exit latencies is known of
 * them.
 *
 * Our JSON is UTF-8 with "schema": "ssdpm.model/1". Unknown keys are ignored,
 * known ones are checked: type, range, no key twice.
 *
 * Return: 0; as ssdpm_model_from_nvme_identify(); -EINVAL too (another format,
 * a text without a power state or with several drives). JSON: -EINVAL (another
 * schema, a wrong type), -ERANGE (a number or text beyond its field), -E2BIG
 * (more than 16 MiB). SATA: -EINVAL (all zeros, no ATA device, a wrong
 * checksum, too short). @reterr has the line.
 */
SSDPM_API int ssdpm_model_list_from_data(const void *data, size_t size,
					 struct ssdpm_model ***ret_models,
					 size_t *ret_n,
					 struct ssdpm_error *reterr);

/**
 * ssdpm_model_list_free() - unref every model and free the array
 * @models: from ssdpm_model_list_from_data(), or NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_model **ssdpm_model_list_free(
	struct ssdpm_model **models, size_t n);

/**
 * struct ssdpm_catalogue_match - one table among the rows that have a name
 *                                (frozen, 32 bytes)
 * @index:     the row of this table that was seen most often
 * @exact:     1: products are the name; 0: they begin with it, or have its
 *             words
 * @n_rows:    how many of the matching rows have this table
 * @n_matches: how many rows match
 * @n_tables:  how many different tables these have
 * @other_capacity: 1: the name has a capacity, and products have another one
 * @seen:      how many drives were seen with this table, in its rows together
 */
struct ssdpm_catalogue_match {
	uint32_t index;
	uint32_t exact;
	uint32_t n_rows;
	uint32_t n_matches;
	uint32_t n_tables;
	uint32_t other_capacity;
	uint64_t seen;
};

struct ssdpm_catalogue;

/**
 * ssdpm_catalogue_new() - the drives that are built in, and those of a caller
 * @data:          drives to add, in any form that ssdpm_model_list_from_data()
 *                 reads, such as an array of our JSON; NULL: none
 * @size:          how many bytes
 * @ret_catalogue: where the catalogue goes; free it with
 *                 ssdpm_catalogue_free()
 *
 * A row is a drive of one product and firmware; one firmware has several where
 * it was seen with different tables. A drive of the caller takes the place of
 * the built-in rows of the same product and firmware, and outweighs all that
 * are built in. Products and firmwares are the same in capitals and small
 * letters. A catalogue never changes: share it between threads. Built-in rows
 * lie in constant memory, so that one without own drives costs a few bytes.
 *
 * Return: 0; as ssdpm_model_list_from_data(); -EINVAL too where a drive has no
 * product, -E2BIG where the drives have more than 1024 different tables.
 */
SSDPM_API int ssdpm_catalogue_new(const void *data, size_t size,
				  struct ssdpm_catalogue **ret_catalogue,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_catalogue_free() - free a catalogue
 * @catalogue: a catalogue, or NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_catalogue *ssdpm_catalogue_free(
	struct ssdpm_catalogue *catalogue);

/**
 * ssdpm_catalogue_find() - the row that best fits a name
 * @product:   model number, its beginning, or words of it; blanks around it do
 *             not count
 * @firmware:  firmware revision, the whole of it, or NULL for any
 * @ret_match: the table that is taken, and its row that was seen most often
 *
 * Rows of the products that fit best count. Each fit is tried only if no
 * product has one before it:
 * 1. the product is the name;
 * 2. it begins with the name;
 * 3. it has the words of the name in their order, and the name has at least
 *    three characters;
 * 4. only their capacities differ, as in CT4000P3SSD8 and CT1000P3SSD8.
 *
 * If none fits and the last word of the name is a capacity, the rest of the
 * name is looked for, from 2 on. Then only rows with @firmware count. If their
 * tables differ, the one with the most drives seen is taken, and of equal ones
 * the first. If a firmware has several rows, the one that says more counts.
 * Allocates nothing.
 *
 * Return: 0; -EINVAL (an empty name); -ENOENT, and @reterr names similar
 * products, or the firmwares that there are.
 */
SSDPM_API int ssdpm_catalogue_find(const struct ssdpm_catalogue *catalogue,
				   const char *product, const char *firmware,
				   struct ssdpm_catalogue_match *ret_match,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_catalogue_find_alternatives() - the tables that were not taken
 * @product:     as for ssdpm_catalogue_find()
 * @firmware:    likewise
 * @ret_matches: where one match for each other table goes, most seen first
 * @n:           for how many there is room; then how many were written.
 *               ssdpm_catalogue_find() says that there are n_tables - 1
 *
 * Allocates nothing. Return: as ssdpm_catalogue_find().
 */
SSDPM_API int ssdpm_catalogue_find_alternatives(
	const struct ssdpm_catalogue *catalogue, const char *product,
	const char *firmware, struct ssdpm_catalogue_match *ret_matches,
	size_t *n, struct ssdpm_error *reterr);

/**
 * ssdpm_catalogue_get_model() - a row as a model
 * @index:     a row, as for ssdpm_catalogue_get_row()
 * @ret_model: free it with ssdpm_model_unref()
 *
 * Its provenance is "catalogue", unless a drive of the caller says "measured"
 * or "assumed". No built-in row says whether a drive has APST.
 *
 * Return: 0; -ERANGE (no such row), -ENOMEM.
 */
SSDPM_API int ssdpm_catalogue_get_model(const struct ssdpm_catalogue *catalogue,
					uint32_t index,
					struct ssdpm_model **ret_model,
					struct ssdpm_error *reterr);

/**
 * struct ssdpm_catalogue_row - a row (sized; the caller sets size)
 * @size:     sizeof(struct ssdpm_catalogue_row)
 * @seen:     how many drives say this; 1 for a drive of the caller
 * @table:    its table, from 1 on: rows with the same facts have the same
 *            number. It holds for this catalogue only: another version of the
 *            library has other numbers
 * @product:  borrowed from the catalogue, as is @firmware
 * @firmware: NULL: not known
 */
struct ssdpm_catalogue_row {
	size_t size;
	uint32_t seen;
	uint32_t table;
	const char *product;
	const char *firmware;
};

/**
 * ssdpm_catalogue_get_row() - what a row says of itself, from 0 on
 *
 * Rows are sorted by product, then by firmware, as if all letters were small.
 *
 * Return: 0; -ERANGE (no such row), -EINVAL, -E2BIG (size of @ret_row).
 */
SSDPM_API int ssdpm_catalogue_get_row(const struct ssdpm_catalogue *catalogue,
				      uint32_t index,
				      struct ssdpm_catalogue_row *ret_row);

/**
 * ssdpm_kind_to_string() - "nvme", "sata", or NULL
 */
SSDPM_API const char *ssdpm_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_kind_from_string(const char *word);

/**
 * ssdpm_provenance_to_string() - "reported" and so on, or NULL
 */
SSDPM_API const char *ssdpm_provenance_to_string(uint32_t provenance);
SSDPM_API uint32_t ssdpm_provenance_from_string(const char *word);

/**
 * ssdpm_format_to_string() - "nvme-identify", "smartctl-text" and so on, or
 * NULL
 */
SSDPM_API const char *ssdpm_format_to_string(uint32_t format);
SSDPM_API uint32_t ssdpm_format_from_string(const char *word);

/**
 * ssdpm_link_state_to_string() - "active", "partial", "slumber", "devsleep", or
 * NULL
 */
SSDPM_API const char *ssdpm_link_state_to_string(uint32_t link_state);
SSDPM_API uint32_t ssdpm_link_state_from_string(const char *word);

/**
 * ssdpm_sata_feature_to_string() - name of one bit of enum ssdpm_sata_feature:
 * "hipm" and so on, or NULL
 */
SSDPM_API const char *ssdpm_sata_feature_to_string(uint32_t feature);
SSDPM_API uint32_t ssdpm_sata_feature_from_string(const char *word);

/**
 * ssdpm_field_to_string() - name of one bit of enum ssdpm_field, or NULL
 *
 * The name is the member of struct ssdpm_power_state and the key in JSON.
 */
SSDPM_API const char *ssdpm_field_to_string(uint32_t field);
SSDPM_API uint32_t ssdpm_field_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
