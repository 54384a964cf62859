# SPDX-License-Identifier: MIT
# Written by hand; mypy.stubtest holds it against the module.
#
# The functions take what ssdpm/<stage>.py has checked. Errors of the library are
# raised as ssdpm.Error or MemoryError.
from typing import NoReturn, type_check_only

import numpy as np
import numpy.typing as npt

JSON_MAX_BYTES: int
STATE_NON_OPERATIONAL: int
APST_BYTES: int
LATENCY_ANY: int

# Words of the library, each with its number or bit.
KINDS: dict[str, int]
PROVENANCES: dict[str, int]
FORMATS: dict[str, int]
LINK_STATES: dict[str, int]
FIELDS: dict[str, int]
ALGORITHMS: dict[str, int]
QUIRKS: dict[str, int]
VERDICTS: dict[str, int]

power_state_dtype: np.dtype[np.void]
apst_entry_dtype: np.dtype[np.void]

@type_check_only
class _Pybind11Type(type): ...

class Model(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def kind(self) -> str: ...
    @property
    def vendor_id(self) -> int | None: ...
    @property
    def product(self) -> str | None: ...
    @property
    def firmware(self) -> str | None: ...
    @property
    def apsta(self) -> int | None: ...
    @property
    def provenance(self) -> str | None: ...
    @property
    def format(self) -> str | None: ...
    @property
    def states(self) -> npt.NDArray[np.void]: ...
    def to_json(self) -> str: ...

class ApstParams(metaclass=_Pybind11Type):
    algorithm: int
    quirks: int
    max_exit_latency_us: int
    primary_timeout_ms: int
    primary_latency_tolerance_us: int
    secondary_timeout_ms: int
    secondary_latency_tolerance_us: int
    def __init__(self) -> None: ...

class ApstTable(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def array(self) -> npt.NDArray[np.void]: ...
    @property
    def sent(self) -> bool: ...
    @property
    def enabled(self) -> bool: ...
    def encode(self) -> bytes: ...
    def validate(self, model: Model) -> None: ...
    def equals(self, other: ApstTable) -> bool: ...

def version() -> str: ...
def models_from_data(data: bytes) -> list[Model]: ...
def model_new(
    kind: int,
    vendor_id: int | None,
    product: str | None,
    firmware: str | None,
    apsta: int | None,
    provenance: int,
    format: int,
    states: npt.NDArray[np.void],
) -> Model: ...
def apst_generate(model: Model, params: ApstParams) -> ApstTable: ...
def apst_explain(model: Model, params: ApstParams) -> list[tuple[int, str, str]]: ...
def apst_decode(data: bytes, enabled: bool) -> ApstTable: ...
def quirks_find(
    model: Model, host: dict[str, str | int | None], rules: bytes
) -> tuple[int, int, list[tuple[int, int, str]]]: ...
