"""The table and the picture of docs/performance.md are those of the figures beside them."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from scripts.lib import bench, bench_measure, bench_page, bench_peers
from scripts.lib.bench_page import DOCS, ROWS, Figure, draw, picture, ratio, read, table, time, write

PAGE = "# Performance\n\n<!-- figures -->\nold\n<!-- end of figures -->\n\nThe rest.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a page that has a place for the table."""
    (tmp_path / "performance.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def figure(ours: float, reference: float) -> Figure:
    return Figure(ours, reference, "abc1234", "2 CPUs, Linux, Python 3.11.7")


def test_the_page_shows_the_figures_that_lie_beside_it() -> None:
    figures = read()
    assert table(figures) in (DOCS / "performance.md").read_text(encoding="utf-8")
    assert picture(figures) == (DOCS / "performance.svg").read_text(encoding="utf-8")


def test_new_figures_replace_their_rows_and_leave_the_others(docs: Path) -> None:
    write({"grep": (0.005, 0.1), "edit": (0.003, 0.001)}, docs)
    write({"grep": (0.01, 0.1)}, docs)
    assert {name: figure[:2] for name, figure in read(docs).items()} == {"grep": (0.01, 0.1), "edit": (0.003, 0.001)}
    page = (docs / "performance.md").read_text(encoding="utf-8")
    assert page.startswith("# Performance\n\n<!-- figures -->\n| |")
    assert page.endswith("<!-- end of figures -->\n\nThe rest.\n")
    assert "| 10 ms | ripgrep | 100 ms | 10 times faster |" in page


def test_drawing_again_changes_nothing(docs: Path) -> None:
    write({"call": (0.001, 0.0001)}, docs)
    before = {file.name: file.read_bytes() for file in docs.iterdir()}
    draw(docs)
    assert {file.name: file.read_bytes() for file in docs.iterdir()} == before


@pytest.mark.parametrize(
    ("ours", "reference", "expected"),
    [
        (1.0, 1.05, "the same"),
        (1.0, 2.54, "2.5 times faster"),
        (1.0, 242.4, "242 times faster"),
        (3.7, 1.0, "3.7 times as long"),
    ],
)
def test_a_ratio_is_said_in_words(ours: float, reference: float, expected: str) -> None:
    assert ratio(figure(ours, reference)) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(5.06, "5.1 s"), (0.0573, "57 ms"), (0.00107, "1.1 ms"), (6e-5, "60 µs"), (4e-7, "0.4 µs")],
)
def test_a_time_is_said_in_the_unit_that_fits(seconds: float, expected: str) -> None:
    assert time(seconds) == expected


def test_the_picture_is_an_svg_with_every_row_inside_it() -> None:
    rows = {name: figure(10.0**-number, 10.0 ** (number - 9)) for number, name in enumerate(ROWS)}
    root = ET.fromstring(picture(rows))  # noqa: S314 - our own text
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(row.task in words for row in ROWS.values())
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for dot in root.iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 < float(dot.attrib["cx"]) < width
        assert 0 < float(dot.attrib["cy"]) < height
    assert "prefers-color-scheme: dark" in picture(rows)


def test_plot_draws_without_measuring(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_page, "draw", lambda: draw(docs))
    bench.main(["plot"])
    assert (docs / "performance.svg").exists()
    assert capsys.readouterr().out == ""


def test_what_a_section_measures_for_the_page_is_written_when_it_is_asked_for(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        bench_measure.compare("a title", {"ours": [1.0, 2.0, 3.0], "theirs": [4.0] * 3}, row="edit")

    monkeypatch.setattr(bench_measure, "MEASURED", {})
    monkeypatch.setattr(bench, "SECTIONS", {"rpc": ("One", run)})
    monkeypatch.setattr(bench_page, "write", lambda measured: write(measured, docs))
    bench.main(["rpc"])
    assert read(docs) == {}
    bench.main(["rpc", "--write"])
    assert read(docs)["edit"][:2] == (2.0, 4.0)


def test_every_row_of_the_page_is_measured_by_some_section() -> None:
    folder = Path(bench.__file__).parent
    code = "".join(file.read_text(encoding="utf-8") for file in folder.glob("bench_*.py") if file.stem != "bench_page")
    rows = {f"peer.{question}" for question in bench_peers.OURS} | set(re.findall(r'"([\w.]+)"', code))
    assert set(ROWS) <= rows
