# SPDX-License-Identifier: MIT
# A simulated drive; __init__.pyi says more.
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ssdpm._core import _Pybind11Type

BLOCKS: int
PAGES_PER_BLOCK: int
SPARES: tuple[float, ...]
COLLECTORS: dict[str, int]
ORDERS: dict[str, int]
second_dtype: np.dtype[np.void]

# The members of struct ssdpm_ftl_cost in their order.
def cost_calculate(
    program_bytes_per_s: int, pages_per_block: int, /
) -> list[int]: ...

# seed, n_blocks, pages_per_block, collector; a row for each second.
def simulate(
    drive: tuple[int, int, int, int],
    spare: float,
    cost: list[int] | None,
    n_seconds: int,
    /,
) -> npt.NDArray[np.void]: ...

# order, first_page, n_pages, (address_share, write_share) of each class
_Pattern: TypeAlias = tuple[int, int, int, list[tuple[float, float]]]

class Ftl(metaclass=_Pybind11Type):
    def __init__(
        self,
        seed: int,
        n_user_pages: int,
        n_blocks: int,
        pages_per_block: int,
        reserve_blocks: int,
        collector: int,
        choices: int,
    ) -> None: ...
    def write(self, first_page: int, n_pages: int) -> None: ...
    def trim(self, first_page: int, n_pages: int) -> None: ...
    def feed(self, ios: npt.NDArray[np.void], page_bytes: int) -> None: ...
    def write_pattern(self, pattern: _Pattern, n_writes: int) -> None: ...
    # The numbers are the members of struct ssdpm_ftl_cost in their order.
    def run(
        self, pattern: _Pattern, cost: list[int], n_seconds: int
    ) -> npt.NDArray[np.void]: ...
    # The members of struct ssdpm_ftl_counts in their order.
    def counts(self) -> tuple[int, int, int, int, int, int]: ...
