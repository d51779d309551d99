from decimal import Decimal
from pathlib import Path

import pytest

from leash import published
from leash.errors import InputError
from leash.published.record import FILES

FOLDER = Path(__file__).parents[3] / "results/published"


@pytest.fixture(scope="module")
def record() -> published.Record:
    return published.read(FOLDER)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    return tmp_path


def test_every_file_of_the_folder_is_read(record: published.Record) -> None:
    assert sorted(FILES) == sorted(path.name for path in FOLDER.glob("*.csv"))
    assert [len(rows) for rows in record] == [81, 66, 20, 216, 90, 28]


def test_a_value_is_as_printed_and_only_at_its_own_budget(record: published.Record) -> None:
    assert str(published.value(record, "prorl-1.5b-v1", "AIME2024", 8192, "NDR")) == "0.000"
    assert published.value(record, "olmo2-1b", "AMC23", 256, "base_pass") == Decimal("85.00")
    assert published.value(record, "olmo2-1b", "AMC23", 128, "base_pass") is None
    assert published.value(record, "olmo2-1b", "SciBench", 256, "P") is None


def test_a_step_is_one_of_table_4_and_its_base_is_step_0(record: published.Record) -> None:
    place = "deepseek-1.5b-dapo", "AIME2025", 256
    assert published.value(record, *place, "P", step=300) == 18
    assert published.value(record, *place, "target_pass", step=300) == Decimal("66.67")
    assert published.value(record, *place, "base_pass", step=300) == 70
    assert published.value(record, *place, "SRR", step=0) is None
    assert published.value(record, *place, "P", step=301) is None


def test_table_1(record: published.Record) -> None:
    assert published.aggregate(record, "prorl-1.5b-v1", "overall", "NDR") == Decimal("0.02")
    assert published.aggregate(record, "olmo2-1b", "overall", "P") is None


def test_what_the_paper_does_not_have_is_named(record: published.Record) -> None:
    with pytest.raises(ValueError, match="no column 'pass'; there are base_pass"):
        published.value(record, "olmo2-1b", "AMC23", 256, "pass")
    with pytest.raises(ValueError, match=r"no pair 'olmo'; there are prorl-1.5b-v1"):
        published.value(record, "olmo", "AMC23", 256, "P")
    with pytest.raises(ValueError, match="no column 'base_pass'"):
        published.aggregate(record, "olmo2-1b", "math", "base_pass")
    with pytest.raises(ValueError, match=r"no pair 'deepseek-1.5b-dapo'"):
        published.aggregate(record, "deepseek-1.5b-dapo", "math", "P")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",25,0,3,2\n", ",25,0,-3,2\n", "line 2: S is '-3', not a whole number"),
        (",25,0,3,2\n", ",25,0,3.5,2\n", "line 2: S is '3.5', not a whole number"),
        (",25,0,3,2\n", ",25,0,3\n", "line 2: O is '', not a whole number"),
        (",25,0,3,2\n", ",25,0,3,2,9\n", "line 2 has more cells"),
        (",0.893,", ",nan,", "line 2: SRR is 'nan', not a number"),
        (",0.893,", ",x,", "line 2: SRR is 'x', not a number"),
        ("math,AIME2024,", "math,,", "line 2: benchmark is empty"),
        ("AIME2025,", "AIME2024,", "lines 2 and 3 are both prorl-1.5b-v1, AIME2024, 8192"),
        (",SDS,", ",,", "lacks the columns SDS"),
    ],
)
def test_a_broken_row_is_named(copied: Path, old: str, new: str, message: str) -> None:
    path = copied / "support_counts.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(InputError, match=message) as raised:
        published.read(copied)
    assert str(raised.value).startswith(str(path))


def test_a_missing_an_empty_and_a_foreign_file_are_named(copied: Path) -> None:
    path = copied / "pass_at_k.csv"
    path.write_text("table,model,benchmark,k,pass_at_k\n")
    with pytest.raises(InputError, match=r"pass_at_k.csv: no rows"):
        published.read(copied)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"pass_at_k.csv: not a CSV file in UTF-8"):
        published.read(copied)
    path.unlink()
    with pytest.raises(InputError, match=r"pass_at_k.csv: not there"):
        published.read(copied)
