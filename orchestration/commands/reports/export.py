"""Exports of a mart: the numbers with the version they come from and how to cite them."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from orchestration import result_files
from warehouse.errors import UnknownMart
from warehouse.files import write_atomically
from warehouse.reader import Result, Version, run_query
from warehouse.safe_text import latex

FORMATS = (*result_files.FORMATS, "latex")
# What holds its own version and citation needs no file beside it.
HOLDS_METADATA = ("parquet", "latex")


def export(
    version: Version, mart: str, file_format: str, *, is_raw: bool = False
) -> tuple[bytes, dict[str, str]]:
    """Return a whole mart in one of `FORMATS`, and its metadata: version and citation.

    Parquet holds the metadata as its own, LaTeX in the caption; CSV and JSON are rows and nothing
    else. LaTeX joins an estimate and its interval into one cell and keeps every count.
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
    if file_format in result_files.TEXT_FORMATS:
        data = result_files.text_of(result, file_format, is_raw=is_raw).encode()
    elif file_format == "latex":
        data = _latex(result, provenance)
    else:
        data = _parquet(result, provenance)
    return data, provenance


def write_export(
    data: bytes, metadata: dict[str, str], file_format: str, out: Path | None
) -> list[str]:
    """Write an export, and its metadata beside it, and return what to say of it."""
    if out is None:
        if file_format == "parquet":
            sys.stdout.buffer.write(data)
        else:
            result_files.write_text(data.decode())
        return [] if file_format in HOLDS_METADATA else [metadata["citation"]]
    path = out.expanduser().absolute()
    write_atomically(path, data)
    if file_format in HOLDS_METADATA:
        return [f"wrote {out}"]
    beside = path.with_name(f"{path.name}.meta.json")
    write_atomically(beside, (json.dumps(metadata, indent=2, ensure_ascii=False) + "\n").encode())
    return [f"wrote {out}, and its version and citation to {beside.name}"]


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


def _parquet(result: Result, provenance: dict[str, str]) -> bytes:
    table = result.arrow().replace_schema_metadata(provenance)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


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
        rf"\caption{{{latex(provenance['citation'])}. Brackets: 95\,\% intervals.}}",
        rf"\begin{{tabular}}{{{'l' * len(shown)}}}",
        r"\toprule",
        " & ".join(latex(name) for name in shown) + r" \\",
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
    return latex(str(value))
