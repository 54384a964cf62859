# SPDX-License-Identifier: MIT
"""The model: what an SSD says of its power states, as exact integers."""
