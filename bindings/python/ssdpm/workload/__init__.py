# SPDX-License-Identifier: MIT
"""The workload: what a host asks of a drive, read from traces or generated."""
