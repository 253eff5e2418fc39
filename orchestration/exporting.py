"""Exports of a mart: the numbers with the version they come from and how to cite them."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.errors import UnknownMart
from warehouse.reader import Result, Version, run_query

FORMATS = ("csv", "parquet", "json", "latex")
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def export(version: Version, mart: str, file_format: str) -> bytes:
    """Return a whole mart in one of `FORMATS`.

    CSV begins with comment lines (`#`) that name version and citation; JSON holds them as fields,
    Parquet in its key-value metadata, LaTeX in the caption. LaTeX joins an estimate and its
    interval into one cell and keeps every count.

    Raises:
        UnknownMart: There is no such mart.
    """
    known = [
        row[0]
        for row in run_query(
            version, "select table_name from duckdb_tables() where schema_name = 'main' order by 1"
        ).rows
    ]
    if mart not in known:
        message = f"export: no mart named '{mart}'; there are {', '.join(known)}"
        raise UnknownMart(message)
    result = run_query(version, f'from "{mart}" order by all')
    provenance = _provenance(version, mart)
    if file_format == "csv":
        return _csv(result, provenance)
    if file_format == "json":
        return _json(result, provenance)
    if file_format == "latex":
        return _latex(result, provenance)
    return _parquet(result, provenance)


def _provenance(version: Version, mart: str) -> dict[str, str]:
    code_version = run_query(version, "select code_version from publication").rows[0][0]
    return {
        "mart": mart,
        "version": version.name,
        "published_at": f"{version.published_at:%Y-%m-%d %H:%M:%S} UTC",
        "citation": (
            f"Rostrum {code_version}, mart {mart}, warehouse version {version.name}, "
            f"published {version.published_at:%Y-%m-%d}"
        ),
    }


def _csv(result: Result, provenance: dict[str, str]) -> bytes:
    text = io.StringIO()
    for key, value in provenance.items():
        text.write(f"# {key}: {value}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([_plain(value) for value in row] for row in result.rows)
    return text.getvalue().encode()


def _json(result: Result, provenance: dict[str, str]) -> bytes:
    rows = [dict(zip(result.columns, map(_plain, row), strict=True)) for row in result.rows]
    return json.dumps(provenance | {"rows": rows}, indent=1, ensure_ascii=False).encode()


def _parquet(result: Result, provenance: dict[str, str]) -> bytes:
    table = result.arrow().replace_schema_metadata(provenance)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def _plain(value: Any) -> Any:
    return value.isoformat(sep=" ") if isinstance(value, datetime) else value


def _latex(result: Result, provenance: dict[str, str]) -> bytes:
    bounds = {
        name: (f"{stem}_low", f"{stem}_high")
        for name in result.columns
        for stem in (name, name.removeprefix("mean_"))
        if f"{stem}_low" in result.columns and f"{stem}_high" in result.columns
    }
    inner = {bound for pair in bounds.values() for bound in pair}
    shown = [name for name in result.columns if name not in inner]
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped(provenance['citation'])}. Brackets: 95\,\% intervals.}}",
        rf"\begin{{tabular}}{{{'l' * len(shown)}}}",
        r"\toprule",
        " & ".join(_escaped(name) for name in shown) + r" \\",
        r"\midrule",
    ]
    for row in result.rows:
        record = dict(zip(result.columns, row, strict=True))
        cells = []
        for name in shown:
            cell = _number(record[name])
            if name in bounds and record[bounds[name][0]] is not None:
                low, high = (record[bound] for bound in bounds[name])
                cell += f" [{_number(low)}, {_number(high)}]"
            cells.append(cell)
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines).encode()


def _number(value: Any) -> str:
    if value is None:
        return "--"
    if isinstance(value, float):
        return f"{value:.3g}"
    return _escaped(str(_plain(value)))


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
