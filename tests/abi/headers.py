#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each public header stands alone, in C99 and in C++11, and keeps the grammar.

usage: headers.py INCLUDE_DIR
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from common import (  # noqa: E402
    Faults,
    core_headers,
    energy_headers,
    public_headers,
    without_comments,
    without_directives,
)

C = "-xc -std=c99 -Wall -Wextra -Wstrict-prototypes -Wundef -Wc++-compat".split()
CXX = "-xc++ -std=c++11 -Wall -Wextra -Wundef".split()
COMPILERS = [("gcc", C), ("g++", CXX), ("clang", C), ("clang++", CXX)]

# What a public header may include: types, nothing that does something.
SYSTEM_HEADERS = {"stdbool.h", "stddef.h", "stdint.h"}

# Members that are numbers without a unit, and why they have none.
UNITLESS = {
    # identity and marks
    "code", "risks_data", "stands", "takes_trial", "error", "nvme_status", "flags", "unknown", "not_reported", "kind",
    "provenance", "vendor_id", "apsta", "algorithm", "quirks", "kernel_quirks", "verdict", "is_main",
    "active_power_workload", "sent", "sets", "enabled", "link_state", "format",
    "refused", "sata_supported", "sata_supported_unknown", "sata_enabled",
    "quirks_unknown", "sata_enabled_unknown", "sata_words_valid", "scheme", "power_source", "exact",
    "advice", "remedy", "today_keeps_bounds", "kept", "patience", "advised", "left_alone",
    "n_pending", "price_per_kwh", "n_sure", "n_decided", "n_undecided", "n_unestimated", "n_unread", "has_range",
    "pci_vendor_id", "pci_device_id", "adapter_vendor_id",
    # ordinals
    "sampling", "contradiction", "gain_ppm", "clock_ppb",
    "line", "state", "target", "read_throughput_rank", "read_latency_rank",
    "write_throughput_rank", "write_latency_rank", "sata_generations",
    "apm_level", "rotational", "index", "table", "op",
    # how many
    "queue_depth", "n_undone", "n_left_alone", "n_changes", "n_errors", "n_diagnoses", "n_owners", "n_persists",
    "n_params",
    "n_excursions", "n_short", "n_rows", "n_matches", "n_tables", "seen", "n_ios", "n_records", "n_lines",
    "n_bad", "n_unmatched", "n_orphans", "n_saturated", "n_backward", "n_wrapped",
    "n_other_device", "n_cached", "n_late", "n_unsized", "n_untyped", "n_unknown_service", "n_sequential", "n_gaps", "gaps", "n_longer",
    # what a generator takes: a seed, what a workload says, thousandths
    "seed", "value", "shape_milli", "measured_wa_milli",
    # rates
    "bytes_per_second", "low_ps_per_byte", "nominal_ps_per_byte",
    "high_ps_per_byte",
    # bytes, and said so by the name
    "offset", "bytes",
    # in the unit of their kind
    "low", "nominal", "high",
    # the states around a power
    "fit", "above", "below", "n_states",
    # numbers, and which of them
    "n_parameters", "lpm", "loop", "d3cold", "pcie_link", "pcie_link_today", "operational_state", "n_entries", "n_idle_times",
    "n_wakes", "n_deepest", "deepest_per_day", "n_delayed", "axes",
    "loose_states", "loose_ops", "widest_axis", "max_states",
    # nanoseconds, and said so before the rest of the name
    "busy_ns_by_op",
    # a profile: bits, policies in order
    "set", "n_lpms", "lpms",
    # as for chmod(2)
    "mode", "is_limited", "n_powers",
    # what a drive says of its power
    "supported", "power_state", "workload_hint", "nopp", "power_measurement",
    # sustained writes: shares, counts, kinds
    "address_share", "write_share", "pages_per_block", "collector", "choices",
    "n_written", "n_trimmed", "n_moved", "n_erased", "n_mapped", "first_page",
    "n_classes", "order", "spare_factor", "measured_wa", "low_wa", "nominal_wa",
    "high_wa", "n_programmed",
    # consistency: counts, shares
    "n_holes", "n_below", "variation", "floor_share",
    # a budget: in the unit of its caller, counts
    "loss", "bound_loss", "n_examined", "n_fitting", "n_items", "n_max_powers", "n_commands", "fits",
    # a power cap: counts, shares, kinds, bits
    "write_amplification", "n_streams", "n_segments", "n_points", "n_cap_points", "n_words", "n_changes", "by_default", "hours_per_day", "assumed", "loss_share", "limit", "n_slowed", "outranked",
    # a trial: counts, kinds
    "n_pairs", "max_pairs", "setting", "decision",
    # a bisection: counts, kinds, indexes
    "n_errors", "n_trials", "entries", "likely_trials", "need_entries", "n_short", "n_candidates", "n_culprits", "running", "verdict", "steps",
    "all_drives",
    # an observation: device numbers, counts
    "major", "minor", "ctrl_id", "phase", "n_causes", "n_admin", "pid", "without_n_wakes", "n_lines",
    "n_events", "n_bad", "n_lost", "n_unmatched", "n_orphans", "n_clipped", "n_uncovered_ios", "cause", "part", "n_disks",
    # a suspend: kinds, counts, values in the unit of their counter
    "counter", "bearing", "before", "after", "outcome", "n_suspends", "n_failures",
    # flags of a recommendation
    "route", "possible",
    # what sysfs says of machines and devices
    "log_level", "suspend", "aspm_policy", "nvme_core_known", "nvme_core",
    "mobile_lpm_policy", "capture", "reach", "known", "pcie_capable",
    "pcie_enabled", "reset_count", "host", "ata_port", "lpm_supported",
    "ahci_port_cmd", "ahci_host_caps", "ahci_host_cap2", "devices_without_hipm",
    "n_devices", "port", "reported", "severity", "readable",
    # what is measured: counts, kinds, indexes of samples, shares
    "n", "n_activities", "n_not_finite", "n_seconds", "same_as", "spare_ppm", "n_negative", "n_duplicates", "n_backwards", "n_at_max",
    "remarks", "type", "method", "tolerance", "begin", "end", "open", "regular",
    "enter_sigmas", "leave_sigmas", "enter_samples", "leave_samples",
    "filter_samples", "window", "max_range", "max_slope", "parameter",
    "background", "n_tails", "trend", "trend_p",
    "status", "exceeds", "stated", "n_measured", "n_known", "n_bins", "n_spikes",
    "noise_phi", "noise_share",
    # of a survey: what is run, how many, factors, shares, probabilities
    "between_known", "between_sd", "block", "critical_q", "df", "different", "drive",
    "error_rate", "heterogeneity_q", "inconsistency", "mean", "missing", "n_blocks",
    "n_complete", "n_different", "n_drives", "n_effective", "n_left_out", "n_missing",
    "n_policies", "n_results", "n_runs", "n_samples", "n_scenarios", "order",
    "other_policy", "other_row", "p", "policy", "power", "power_high", "power_low",
    "row", "run_sigma_df", "scenario", "sd", "se_df", "share",
    "capacity", "other_capacity", "min_samples", "n_axes", "penalty", "same_as",
    # what is likely: a version, which parameter, cases in a million
    "priors_version", "decider_kind", "decider_index", "decider_ways", "saves_ppm", "decider_ppm", "certain",
    "length_differs",
    # a file of samples
    "scale", "n_samples", "n_wraps", "n_resets",
    # what a survey found: counts, kinds, shares
    "fio", "from", "n_empty", "n_fall", "n_few", "n_incomplete", "n_merged",
    "n_replaced", "n_rise", "n_surveys", "n_unsettled", "number", "quantity", "reason",
    "row_error_rate", "was_found",
    # the file of a survey
    "n_cut", "run", "test", "bytes_per_s",
    # bytes, by the rule for sized parameters
    "size",
}  # fmt: skip
UNITS = ("_us", "_ms", "_ns", "_uw", "_uj", "_nj", "_bytes", "_w", "_j")
UNITS += ("_mwh", "_k", "_hz", "_ohm", "_v", "_pj", "_per_s", "_pages", "_blocks", "_iops", "_s")
MEMBER = re.compile(
    r"\s*(?:const\s+)?((?:struct |enum |unsigned |signed )?\w+)\s+(.+)$", re.DOTALL
)
NUMBER = re.compile(
    r"u?int(?:8|16|32|64)_t$|size_t$|(?:un)?signed|int$|short$|long$|double$|float$"
)


def compile_alone(include: str, faults: Faults) -> None:
    found = [(shutil.which(name), flags) for name, flags in COMPILERS]
    if not any(path for path, _ in found):
        found = [(shutil.which("cc"), C), (shutil.which("c++"), CXX)]
    for header in public_headers(include):
        name = header.relative_to(include)
        for path, flags in found:
            if not path:
                continue
            # Twice: the include guard.
            text = f"#include <{name}>\n#include <{name}>\n"
            command = [path, *flags, "-pedantic", "-Werror", "-fsyntax-only"]
            done = subprocess.run(
                [*command, f"-I{include}", "-"],
                input=text,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                faults.add(f"{name}: {' '.join(command)} fails:\n{done.stderr}")


def check_includes(include: str, faults: Faults) -> None:
    ours = {str(path.relative_to(include)) for path in public_headers(include)}
    for header in public_headers(include):
        for name in re.findall(r"#\s*include\s*[<\"]([^>\"]+)", header.read_text()):
            if name not in ours | SYSTEM_HEADERS:
                faults.add(f"{header.name}: includes {name}")
    for umbrella, *others in core_headers(include), energy_headers(include):
        text = umbrella.read_text()
        for header in others:
            if f"<{header.relative_to(include)}>" not in text:
                faults.add(f"{umbrella.name}: does not include {header.name}")
    for header in core_headers(include):
        if "<ssdpm/energy/" in header.read_text():
            faults.add(f"{header.name}: the core includes energy")


def members(body: str) -> list[tuple[str, str]]:
    """(type, name) of each member of a struct; pointers are left out."""
    result = []
    for declaration in without_comments(body).split(";"):
        found = MEMBER.match(declaration)
        if not found or "*" in declaration:
            continue
        for name in found.group(2).split(","):
            result.append((found.group(1), re.sub(r"\[.*", "", name).strip()))
    return result


def check_structs(header: pathlib.Path, faults: Faults) -> None:
    text = header.read_text()
    for struct in re.finditer(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S):
        name, body = struct.groups()
        doc = re.search(rf"/\*\*\n \* struct {name} - .*?\*/", text, re.DOTALL)
        where = f"{header.name}: struct {name}"
        if not doc:
            faults.add(f"{where}: no /** struct {name} - ... */ comment")
        for kind, member in members(body):
            if kind.startswith("enum"):
                faults.add(f"{where}.{member}: an enum's size is up to the compiler")
            if member.startswith("reserved"):
                continue
            if doc and not re.search(rf"@{member}\b", doc.group()):
                faults.add(f"{where}.{member}: not in the comment")
            if not NUMBER.match(kind) or member in UNITLESS:
                continue
            if not member.endswith(UNITS):
                faults.add(f"{where}.{member}: a number without a unit")


# Sized structures inside others, which cannot grow there.
INSIDE = {"ssdpm_policy.params"}
FUNCTION = re.compile(r"SSDPM_API\s([^;(]*?)(\w+)\s*\(([^;]*)\)\s*;")


def check_inside(headers: list[pathlib.Path], faults: Faults) -> None:
    """No sized structure stands in another one; a pointer can."""
    text = without_comments("".join(header.read_text() for header in headers))
    bodies = dict(re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S))
    found = {
        f"{name}.{member}"
        for name, body in bodies.items()
        for kind, member in re.findall(r"^\tstruct (\w+) (\w+)(?:\[.*\])?;", body, re.M)
        if "size_t size;" in bodies[kind]
    }
    for name in sorted(found - INSIDE):
        faults.add(f"{name}: a sized structure inside another one")
    for name in sorted(INSIDE - found):
        faults.add(f"{name} is not there: it waits no longer")


def check_functions(header: pathlib.Path, faults: Faults) -> None:
    """At most six parameters, and one word for each way to let go."""
    for kind, name, given in FUNCTION.findall(without_directives(header.read_text())):
        parameters = given.split(",")
        if len(parameters) > 6:
            faults.add(f"{header.name}: {name}() has more than six parameters")
        # What takes an object and returns its type keeps it, or lets it go.
        same = re.escape(kind.strip())
        if len(parameters) == 1 and re.match(rf"struct .*{same}\w+$", given.strip()):
            if not name.endswith(("_ref", "_unref", "_free")):
                faults.add(f"{header.name}: {name}(): _unref if shared, else _free")
        if name.endswith(("_close", "_destroy", "_delete", "_release", "_put")):
            faults.add(f"{header.name}: {name}(): _unref if shared, else _free")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    faults = Faults()
    compile_alone(sys.argv[1], faults)
    check_includes(sys.argv[1], faults)
    check_inside(public_headers(sys.argv[1]), faults)
    for header in public_headers(sys.argv[1]):
        check_structs(header, faults)
        check_functions(header, faults)
    faults.report(
        "include what the header needs; uint32_t instead of an enum; the unit "
        "in the name, or the member in UNITLESS of tests/abi/headers.py; a sized "
        "structure of parameters"
    )


if __name__ == "__main__":
    main()
