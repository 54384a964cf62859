# SPDX-License-Identifier: MIT
"""What all stages share: the errors, and the checks of arguments."""
