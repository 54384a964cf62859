# SPDX-License-Identifier: MIT
# Written by hand; mypy.stubtest holds it against the module.
#
# The functions take what ssdpm/<stage>.py has checked. Errors of the library are
# raised as ssdpm.Error or MemoryError.
from typing import NoReturn, TypeAlias, type_check_only

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
FINDING_CODES: dict[str, int]
SATA_FEATURES: dict[str, int]
FIELDS: dict[str, int]
ALGORITHMS: dict[str, int]
SCHEMES: dict[str, int]
POWER_SOURCES: dict[str, int]
QUIRKS: dict[str, int]
VERDICTS: dict[str, int]

# words_valid, generations as bits, apm_level; supported and enabled, each with
# the mask of what is unknown.
_SataFacts: TypeAlias = tuple[
    bool | None, int | None, int | None, int, int, int, int
]

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
    def sata(self) -> _SataFacts | None: ...
    @property
    def states(self) -> npt.NDArray[np.void]: ...
    def to_json(self) -> str: ...
    def lint(self) -> list[tuple[str, int | None, str]]: ...

class Catalogue(metaclass=_Pybind11Type):
    def __init__(self, *args: object, **kwargs: object) -> NoReturn: ...
    @property
    def n_rows(self) -> int: ...
    def row(self, index: int) -> tuple[str, str | None, int, int]: ...
    def model(self, index: int) -> Model: ...
    def find(
        self, product: str, firmware: str | None
    ) -> tuple[int, bool, int, int, int, int]: ...
    def alternatives(
        self, product: str, firmware: str | None
    ) -> list[tuple[int, bool, int, int, int, int]]: ...

class ApstParams(metaclass=_Pybind11Type):
    algorithm: int
    quirks: int
    max_exit_latency_us: int
    primary_timeout_ms: int
    primary_latency_tolerance_us: int
    secondary_timeout_ms: int
    secondary_latency_tolerance_us: int
    scheme: int
    power_source: int
    idle_power_uw: int
    transition_power_uw: int
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
def catalogue_new(data: bytes | None) -> Catalogue: ...
def model_new(
    kind: int,
    vendor_id: int | None,
    product: str | None,
    firmware: str | None,
    apsta: int | None,
    provenance: int,
    format: int,
    sata: _SataFacts | None,
    states: npt.NDArray[np.void],
) -> Model: ...
def apst_generate(model: Model, params: ApstParams) -> ApstTable: ...
def apst_explain(model: Model, params: ApstParams) -> list[tuple[int, str, str]]: ...
def apst_decode(data: bytes, enabled: bool) -> ApstTable: ...
