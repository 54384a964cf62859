/* SPDX-License-Identifier: MIT */
/* The known formats of delimited text, and how each is recognised. */
#include <string.h>

#include "workload/delimited.h"

/*
 * The sources of the maps:
 *
 * - MSR Cambridge: README.txt of the traces (SNIA IOTTA 387):
 *   "Timestamp,Hostname, DiskNumber,Type,Offset,Size,ResponseTime". Times are
 *   Windows filetime units of 100 ns.
 * - SPC: "SPC Trace File Format Specification", 1.0.1: ASU, LBA, size, opcode,
 *   timestamp, and optional fields. The UMass traces have LBAs of 512 bytes.
 * - FIU: README of the FIU traces (SNIA IOTTA 390):
 *     "[ts in ns] [pid] [process] [lba] [size in 512 Bytes blocks] [Write or
 *     Read] [major device number] [minor device number] [MD5 per 4096 Bytes]"
 * - MQSim and SSDsim: README of MQSim's traces: arrival time, device, sector,
 *   sectors, type (0 write, 1 read).
 * - DiskSim: "The DiskSim Simulation Environment 4.0 Reference Manual", input
 *   traces: arrival time in ms, device, block, blocks, flags in hexadecimal.
 *   The lowest bit of the flags means a read.
 * - blkreplay: the head of its .load files. The duration is 0.0 before a
 *   replay. RA is a read ahead.
 * - Pixel: the header of Mobile Block IO Traces (doi 10.1145/3688351.3689157),
 *   with its spelling. Sectors have 512 bytes.
 * - procmon: the CSV of Process Monitor, reduced to block I/O.
 * - CloudPhysics: data/trace.csv of libCacheSim. Times are whole seconds,
 *   sectors have 512 bytes. The commands of SCSI are hexadecimal (SBC-4, table
 *   33): READ, WRITE (6), (10), (12), (16), SYNCHRONIZE CACHE (10), (16), and
 *   UNMAP.
 */
static const struct preset {
	uint32_t format;
	const char *map;
	bool has_point; /* in the first row; else any numbers would do */
} presets[] = {
	{ SSDPM_TRACE_MSR,
	  "time:filetime,device,device,op,offset,bytes,"
	  "service:filetime;read=Read;write=Write",
	  false },
	{ SSDPM_TRACE_SPC,
	  "device,offset:sectors,bytes,op,time:s,...;read=r;write=w", false },
	{ SSDPM_TRACE_FIU,
	  "time:ns,-,-,offset:sectors,bytes:sectors,op,"
	  "device,device,-,...;separator=blank;"
	  "read=R;write=W",
	  false },
	/* Before DiskSim, which has fractions. */
	{ SSDPM_TRACE_MQSIM,
	  "time:ns,device,offset:sectors,bytes:sectors,op;"
	  "separator=blank;read=1;write=0",
	  false },
	{ SSDPM_TRACE_DISKSIM,
	  "time:ms,device,offset:sectors,bytes:sectors,op;separator=blank;"
	  "read=1|3|5|7|9|b|d|f;write=0|2|4|6|8|a|c|e",
	  true },
	{ SSDPM_TRACE_BLKREPLAY,
	  "time:s,offset:sectors,bytes:sectors,op,-,service:s;"
	  "separator=semicolon;read=R|RA|RS;write=W|WS;flush=F;discard=D;"
	  "unknown=0.0;after=start ; sector; length ; op ;",
	  false },
	{ SSDPM_TRACE_PIXEL,
	  "-,device,op,offset:sectors,bytes:sectors,time:s;"
	  "after=proces,device,rw_flag,sector,size,timestamp",
	  false },
	{ SSDPM_TRACE_PROCMON,
	  "time:s,-,op,offset,bytes,service:s;read=ReadFile;"
	  "write=WriteFile;flush=FlushBuffersFile;"
	  "after=rel_time_s,process,op,offset,length,duration_s",
	  false },
	{ SSDPM_TRACE_CLOUDPHYSICS,
	  "-,time:s,op,bytes,offset:sectors;read=8|08|28|a8|88;"
	  "write=a|0a|2a|aa|8a;flush=35|91;discard=42;"
	  "after=version,time,op,size,lbn",
	  false },
};

/* A head is judged by so many of its rows: the first, and most of them. */
#define SAMPLE_ROWS 16

#define N_PRESETS (sizeof(presets) / sizeof(presets[0]))

const char *ssdpm__delimited_preset(uint32_t format)
{
	for (size_t i = 0; i < N_PRESETS; i++)
		if (presets[i].format == format)
			return presets[i].map;
	return NULL;
}

bool ssdpm__delimited_begins(struct span line, const char *text)
{
	size_t length = strlen(text);

	while (line.at < line.end && (*line.at == ' ' || *line.at == '\t'))
		line.at++;
	return (size_t)(line.end - line.at) >= length &&
	       !memcmp(line.at, text, length);
}

static bool is_first_row(const struct preset *preset,
			 const struct delimited_map *map, struct span line)
{
	struct delimited_row row;
	uint32_t column;

	if (preset->has_point &&
	    !memchr(line.at, '.', (size_t)(line.end - line.at)))
		return false;
	return !ssdpm__delimited_row(map, line, &row, &column);
}

static bool head_has_rows(struct lines lines, const struct preset *preset,
			  const struct delimited_map *map)
{
	struct delimited_row row;
	uint32_t n = 0, n_good = 0, column;
	struct span line;

	while (n < SAMPLE_ROWS && ssdpm__next_line(&lines, &line)) {
		if (line.at == line.end)
			continue;
		if (n++ == 0 && !is_first_row(preset, map, line))
			return false;
		n_good += !ssdpm__delimited_row(map, line, &row, &column);
	}
	return 2 * n_good > n;
}

static bool is_preset(struct lines lines, const struct preset *preset)
{
	struct delimited_map map;
	struct span line;

	if (ssdpm__delimited_map(preset->map, &map, NULL))
		return false;
	if (!map.after[0])
		return head_has_rows(lines, preset, &map);
	while (ssdpm__next_line(&lines, &line))
		if (ssdpm__delimited_begins(line, map.after))
			return true;
	return false;
}

uint32_t ssdpm__delimited_recognise(const char *head, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(head, size) }, first;
	struct delimited_map map;
	struct span line;

	/* A line that is cut off says nothing. */
	while (size >= TRACE_HEAD_BYTES && lines.rest.end > head &&
	       lines.rest.end[-1] != '\n')
		lines.rest.end--;
	first = lines;
	if (ssdpm__next_line(&first, &line) &&
	    ssdpm__delimited_header(line, &map))
		return SSDPM_TRACE_DELIMITED;
	for (size_t i = 0; i < N_PRESETS; i++)
		if (is_preset(lines, &presets[i]))
			return presets[i].format;
	return 0;
}
