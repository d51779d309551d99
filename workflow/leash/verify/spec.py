"""The --spec argument of the verification stages."""

from typing import Final

from leash import records
from leash.errors import InputError
from leash.verify.stream import Options
from leash.verify.verdict import VERIFIER_VERSION, VERIFIERS, check_rules

_KEYS: Final = {
    "verifier": (str,),
    "rules": (list, type(None)),
    "timeout": (int, float),
    "tolerance": (int, float),
    "task": (str,),
    "open_ended": (bool,),
    "version": (int,),
}
HELP: Final = "JSON: " + ", ".join(_KEYS)


def parse(text: str) -> Options:
    """The options of a verification. Raises InputError for a key that is missing, unknown or of another type."""
    spec = records.parse_spec(text)
    if not isinstance(spec, dict) or spec.keys() != _KEYS.keys():
        raise InputError(f"--spec: must be a JSON object with exactly the keys {', '.join(_KEYS)}")
    for key, kinds in _KEYS.items():
        if type(spec[key]) not in kinds:
            raise InputError(f"--spec: {key} cannot be {spec[key]!r}")
    if spec["verifier"] not in VERIFIERS:
        raise InputError(f"--spec: no verifier {spec['verifier']!r}; known are {', '.join(VERIFIERS)}")
    if spec["timeout"] <= 0:
        raise InputError(f"--spec: timeout must be more than 0 seconds, not {spec['timeout']}")
    if spec["version"] != VERIFIER_VERSION:
        raise InputError(f"--spec: version is {spec['version']}, and this code makes {VERIFIER_VERSION}")
    rules = check_rules(spec["rules"], spec["verifier"])
    return Options(
        spec["verifier"], rules, spec["timeout"], spec["tolerance"], spec["task"], spec["open_ended"]
    )
