"""The command line. Commands that only look never import Dagster; the others run its assets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from orchestration.failures import explanation
from warehouse.home import Home, find_home

# Into a pipe or a file a table is as wide as it needs; on a terminal, as wide as that.
OUT = Console(width=None if sys.stdout.isatty() else 200)
ERR = Console(stderr=True)

app = typer.Typer(
    help="Judge the judges of debates: ingest data, run judge models, read their agreement.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
judges_app = typer.Typer(help="List judges, or add one.", rich_markup_mode=None)
app.add_typer(judges_app, name="judges")

MaxRejected = Annotated[
    float, typer.Option(min=0, max=1, help="Largest share of bad records before all are refused.")
]


class _State:
    """What holds for the whole call."""

    home: Home


@app.callback()
def _options(
    home: Annotated[
        Path | None, typer.Option(help="Where all state lives; ROSTRUM_HOME, else .rostrum.")
    ] = None,
) -> None:
    _State.home = find_home(home)


@app.command(epilog="Example: rostrum demo --no-serve")
def demo(
    serve: Annotated[
        bool, typer.Option(help="Leave the dashboard and the Dagster UI up until Ctrl-C.")
    ] = True,
) -> None:
    """Load the bundled sample, judge it offline, build, publish, and serve."""
    from orchestration.demo import run_demo  # noqa: PLC0415

    raise typer.Exit(run_demo(_State.home, serve=serve, say=_say))


@app.command(epilog="Example: rostrum ingest speeches --from data.csv")
def ingest(
    source: Annotated[
        str,
        typer.Argument(
            help="sample, speeches, speeches-ibm, judgebench, ddo, iq2, nyu-debates, debateqa, "
            "debatebench, tabbycat, debatexml, panelbench, transcripts, curated or study."
        ),
    ],
    location: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="A file, or hf://datasets/OWNER/NAME[@revision]; for debates and questions also a "
            "folder, a zip or https://; for iq2 'convokit' fetches that corpus; for curated the "
            "folder of 'rostrum curate'.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="ddo: margin, min_rounds or max_rounds, such as margin=2; debateqa and curated: "
            "dataset; debatebench: dataset, motions, transcripts, aliases; tabbycat and debatexml: "
            "dataset, motions, transcripts; panelbench: dataset, motions; transcripts: "
            "dataset. Repeatable.",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(help="debateqa: part of the data set, where the file's name does not say."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="study: id of the data set.")] = None,
    items: Annotated[Path | None, typer.Option(help="study: file of items.")] = None,
    ratings: Annotated[Path | None, typer.Option(help="study: file of ratings.")] = None,
    question: Annotated[
        str, typer.Option(help="study: what people were asked.")
    ] = "How good is it?",
    scale: Annotated[str, typer.Option(help="study: lowest and highest score.")] = "1-5",
    column: Annotated[
        list[str] | None,
        typer.Option(help="study: our column = yours, such as text=body. Repeatable."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="study: validate only, load nothing.")
    ] = False,
    max_rejected: MaxRejected = 0.05,
) -> None:
    """Load a data set: speeches people have scored, debates, questions, the sample, or a study."""
    from orchestration import commands  # noqa: PLC0415

    if source == "study":
        if name is None or items is None or ratings is None:
            raise typer.BadParameter("a study needs --name, --items and --ratings")
        study = commands.study_config(
            name=name, items=items, ratings=ratings, question=question, scale=scale,
            columns=column or [],
        )  # fmt: skip
        if check:
            raise typer.Exit(commands.check(study, max_rejected, _say))
        commands.ingest(_State.home, "study", study | {"max_rejected": max_rejected}, _say)
    elif check:
        raise typer.BadParameter("--check is for 'rostrum ingest study'")
    elif source == "sample":
        commands.ingest(_State.home, "sample", {}, _say)
    else:
        commands.check_source(source, location)
        commands.ingest(
            _State.home,
            "speeches",
            {
                "source": source,
                "location": location,
                "settings": commands.source_settings(
                    [*(setting or []), *([f"split={split}"] if split else [])]
                ),
                "max_rejected": max_rejected,
            },
            _say,
        )


@app.command("import", epilog="Example: rostrum import my_scores.jsonl")
def import_(
    path: Annotated[
        Path, typer.Argument(help="File of answers (docs/import.md shows each format).")
    ],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="scores, verdicts, rulings, answers, preferences, dispute-labels, debateqa, "
            "inspect, lm-eval, judgebench, fastchat; told from the content.",
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Data set that ids without one belong to.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Who answered, as provider/model, where the file does not say."),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="inspect: scorer that holds the score; else the reply is read."),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(help="answers, debateqa: prompt used, where the file does not say."),
    ] = None,
    max_rejected: MaxRejected = 0.05,
) -> None:
    """Import scores, verdicts or answers made elsewhere, or what people say of answers."""
    from orchestration import commands  # noqa: PLC0415

    options = {
        "file_format": file_format, "dataset": dataset, "judge": judge, "scorer": scorer,
        "template": template,
    }  # fmt: skip
    config = {"path": str(path.expanduser().absolute()), "max_rejected": max_rejected}
    config |= {name: value for name, value in options.items() if value is not None}
    commands.ingest(_State.home, "imported_scores", config, _say)


@app.command(
    epilog="Example: rostrum curate my-folder --model openai/gpt-4.1 --embedder local/BAAI/bge-m3"
)
def curate(
    folder: Annotated[
        Path, typer.Argument(help="The working folder, with questions/ and documents/ in it.")
    ],
    model: Annotated[
        str, typer.Option(help="Who writes queries, points of view and explanations.")
    ],
    embedder: Annotated[
        str, typer.Option(help="What compares texts: tfidf, local/MODEL, or an endpoint's id.")
    ] = "tfidf",
    reranker: Annotated[
        str | None,
        typer.Option(
            help="What orders documents: a cross-encoder as local/MODEL, or a model that is asked."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="From which cosine on two questions count as one."),
    ] = None,
    test_questions: Annotated[
        int | None,
        typer.Option(min=0, help="How many questions are drawn for a test set; the rest are dev."),
    ] = None,
) -> None:
    """Make a set of debatable questions, going on where it stopped."""
    from orchestration import commands  # noqa: PLC0415

    options = {
        "embedder": embedder, "reranker": reranker, "threshold": threshold,
        "test_questions": test_questions,
    }  # fmt: skip
    config = {"folder": str(folder.expanduser().absolute()), "model": model}
    commands.curate(
        _State.home,
        config | {name: value for name, value in options.items() if value is not None},
        _say,
    )


@app.command(
    epilog="Example: rostrum transcribe final.wav --title Final --transcriber openai/whisper-1 "
    "--corrector openai/gpt-4.1-mini"
)
def transcribe(
    path: Annotated[
        Path,
        typer.Argument(help="A recording (wav, flac, ogg, mp3), or a transcript (txt, srt, vtt)."),
    ],
    title: Annotated[str, typer.Option(help="What the debate is called.")],
    transcriber: Annotated[
        str | None,
        typer.Option(help="Who listens: openai/whisper-1, another endpoint, or local/MODEL."),
    ] = None,
    corrector: Annotated[
        str | None,
        typer.Option(help="Who corrects punctuation, as provider/model; nobody if absent."),
    ] = None,
    motion: Annotated[str | None, typer.Option(help="What is debated.")] = None,
    info_slide: Annotated[
        str | None, typer.Option(help="What all in the room were told beforehand.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Data set it is to belong to; transcripts if absent.")
    ] = None,
    turns: Annotated[
        Path | None,
        typer.Option(help="csv file with role, start_s, end_s: when each speech was held."),
    ] = None,
    pause: Annotated[
        float | None,
        typer.Option(help="From how many seconds on a silence ends a turn, if nothing else tells."),
    ] = None,
    max_wer: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Largest share of words a correction may change."),
    ] = None,
) -> None:
    """Bring a debate into text for a person to verify, going on where it stopped."""
    from orchestration import transcribing  # noqa: PLC0415

    options = {
        "transcriber": transcriber, "corrector": corrector, "motion": motion,
        "info_slide": info_slide, "dataset": dataset, "pause_s": pause,
        "turns": None if turns is None else str(turns.expanduser().absolute()),
        "max_word_error_rate": max_wer,
    }  # fmt: skip
    config = {"path": str(path.expanduser().absolute()), "title": title}
    transcribing.transcribe(
        _State.home,
        config | {name: value for name, value in options.items() if value is not None},
        _say,
    )


@app.command(epilog="Example: rostrum verify final-1a2b3c4d --by 'Ada Lovelace'")
def verify(
    transcript: Annotated[str, typer.Argument(help="The transcript's id.")],
    by: Annotated[str, typer.Option(help="Who has listened and read.")],
    reject: Annotated[
        bool, typer.Option("--reject", help="It is not to be used; verified text is withdrawn.")
    ] = False,
    text: Annotated[
        Path | None,
        typer.Option(
            "--from", help="The text as it should be, tagged <PM> to </PM>; as it stands if absent."
        ),
    ] = None,
) -> None:
    """Say that a transcript is right: only then it becomes a debate that judges read."""
    from orchestration import transcribing  # noqa: PLC0415

    transcribing.verify(_State.home, transcript, by, is_rejected=reject, text=text, say=_say)


@judges_app.callback(invoke_without_command=True, epilog="Example: rostrum judges")
def judges(context: typer.Context) -> None:
    """List the judges of this home."""
    if context.invoked_subcommand is None:
        from orchestration.reports import judge_table  # noqa: PLC0415

        OUT.print(judge_table(_State.home))


@judges_app.command(
    "add", epilog="Example: rostrum judges add openai/gpt-4.1-mini --set temperature=0.2"
)
def judges_add(
    judge_id: Annotated[str, typer.Argument(help="The judge, as provider/model.")],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting=value. Repeatable.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The endpoint's name for it, or a folder, where the id has another."),
    ] = None,
    family: Annotated[str | None, typer.Option(help="Model family.")] = None,
    size: Annotated[float | None, typer.Option(help="Billions of parameters.")] = None,
) -> None:
    """Add a judge, and the partition that lets the Dagster UI pick it."""
    from orchestration import commands  # noqa: PLC0415

    commands.judges_add(
        _State.home,
        judge_id,
        settings or [],
        model=model,
        family=family,
        size_b_params=size,
        say=_say,
    )


ExperimentName = Annotated[
    str, typer.Argument(help="speech-score, debate-winner, or another (docs/experiments.md).")
]
JudgeId = Annotated[str, typer.Option(help="The judge, as provider/model.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask about this many items at most.")]
Datasets = Annotated[list[str] | None, typer.Option(help="Data set to run on. Repeatable.")]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Ask anew what was answered before, in a run of its own.")
]


@app.command(epilog="Example: rostrum run speech-score --judge openai/gpt-4.1-mini --limit 50")
def run(
    experiment: ExperimentName,
    judge: JudgeId,
    limit: Limit = None,
    dataset: Datasets = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0, help="Stop before the run has cost more dollars than this, over all its starts."
        ),
    ] = None,
    fresh: Fresh = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be asked and cost; send nothing.")
    ] = False,
) -> None:
    """Run an experiment with a judge, going on where an earlier run stopped."""
    if dry_run:
        plan(experiment, judge, limit=limit, dataset=dataset, fresh=fresh)
        return
    from orchestration import commands  # noqa: PLC0415

    raise typer.Exit(
        commands.run(
            _State.home, experiment, judge, limit=limit, datasets=dataset or [],
            budget_usd=budget, is_fresh=fresh, say=_say,
        )
    )  # fmt: skip


@app.command(epilog="Example: rostrum plan speech-score --judge openai/gpt-4.1-mini")
def plan(
    experiment: ExperimentName,
    judge: JudgeId,
    limit: Limit = None,
    dataset: Datasets = None,
    fresh: Fresh = False,
) -> None:
    """Show the requests, tokens and cost to come, and of verdicts what could be found.

    Nothing is sent.
    """
    from orchestration.planning import plan_and_show  # noqa: PLC0415

    plan_and_show(
        _State.home, experiment, judge, limit=limit, datasets=dataset or [], fresh=fresh, out=OUT
    )


@app.command(epilog="Example: rostrum build")
def build() -> None:
    """Build and test the marts from what is loaded, and publish them."""
    from orchestration import commands  # noqa: PLC0415

    commands.build(_State.home, _say)


@app.command(epilog="Example: rostrum replicate llm_debate_bias")
def replicate(
    paper: Annotated[
        str, typer.Argument(help="llm_debate_bias, debatebench, or persuasive_debate.")
    ] = "llm_debate_bias",
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every figure, not only what asks for a look.")
    ] = False,
) -> None:
    """Send a paper's printed figures through the models, and compare with what it prints.

    They are built in replication/PAPER within the home, apart from your data. Exit code 1 if a
    figure that the printed ones give comes out otherwise.
    """
    from orchestration import commands  # noqa: PLC0415

    raise typer.Exit(commands.replicate(_State.home, paper, OUT, _say, show_all=show_all))


@app.command(epilog="Example: rostrum reparse --dry-run")
def reparse(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show which answers would change; write nothing.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="CSV file for every changed number, not the largest only.")
    ] = None,
) -> None:
    """Read every stored reply again with the present parser, and show what that changes."""
    from orchestration import commands  # noqa: PLC0415

    if dry_run:
        commands.reparse_dry(_State.home, OUT)
        return
    if out is not None and not out.expanduser().absolute().parent.is_dir():
        raise typer.BadParameter(f"--out names a file in a folder that is not there: {out}")
    commands.reparse(_State.home, out.expanduser().absolute() if out else None, OUT, _say)


@app.command(epilog="Example: rostrum serve --dashboard-port 9000")
def serve(
    dashboard_port: Annotated[
        int, typer.Option(help="First port to try for the dashboard.")
    ] = 8501,
    dagster_port: Annotated[int, typer.Option(help="First port to try for the Dagster UI.")] = 3000,
) -> None:
    """Leave the dashboard and the Dagster UI up until Ctrl-C."""
    from orchestration.demo import serve_home  # noqa: PLC0415

    raise typer.Exit(
        serve_home(_State.home, say=_say, dashboard_port=dashboard_port, dagster_port=dagster_port)
    )


@app.command(epilog='Example: rostrum sql "from rpt_rater_agreement" --format csv')
def sql(
    query: Annotated[str, typer.Argument(help="DuckDB SQL over the published version, read-only.")],
    file_format: Annotated[
        str, typer.Option("--format", help="table, csv, json or parquet (to standard output).")
    ] = "table",
) -> None:
    """Query the published version."""
    from orchestration.reports import write_result  # noqa: PLC0415
    from warehouse.reader import current_version, run_query  # noqa: PLC0415

    if file_format not in ("table", "csv", "json", "parquet"):
        raise typer.BadParameter(f"--format is table, csv, json or parquet, not {file_format}")
    write_result(run_query(current_version(_State.home), query), file_format, OUT)


@app.command(epilog="Example: rostrum export rpt_rank_agreement --format latex --out table.tex")
def export(
    mart: Annotated[str, typer.Argument(help="A mart, such as rpt_rank_agreement.")],
    file_format: Annotated[
        str, typer.Option("--format", help="csv, parquet, json or latex.")
    ] = "csv",
    out: Annotated[
        Path | None, typer.Option(help="File to write; standard output if absent.")
    ] = None,
) -> None:
    """Export a mart with its version, counts, intervals and citation."""
    from orchestration.exporting import FORMATS  # noqa: PLC0415
    from orchestration.exporting import export as exported  # noqa: PLC0415
    from warehouse.files import write_atomically  # noqa: PLC0415
    from warehouse.reader import current_version  # noqa: PLC0415

    if file_format not in FORMATS:
        raise typer.BadParameter(f"--format is one of {', '.join(FORMATS)}, not {file_format}")
    data = exported(current_version(_State.home), mart, file_format)
    if out is None:
        sys.stdout.buffer.write(data)
    else:
        write_atomically(out.expanduser().absolute(), data)
        _say(f"wrote {out}")


@app.command(epilog="Example: rostrum status")
def status() -> None:
    """Show the home: versions, row counts, runs and who holds the writer lock."""
    from orchestration.reports import status_report  # noqa: PLC0415

    status_report(_State.home, OUT)


@app.command(epilog="Example: rostrum doctor")
def doctor() -> None:
    """Check versions, ports and which keys are set, without showing any."""
    from orchestration.reports import doctor_report  # noqa: PLC0415

    raise typer.Exit(doctor_report(_State.home, OUT))


def _say(message: str) -> None:
    OUT.print(message, markup=False, highlight=False, soft_wrap=True)


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line. Exit codes: 0 done, 1 failed with a named error, 2 wrong usage."""
    try:
        app(args=arguments)
    except KeyboardInterrupt:
        ERR.print("stopped; what was finished is kept", markup=False)
        sys.exit(1)
    except Exception as error:
        home: Home | None = getattr(_State, "home", None)
        said = explanation(error, home.root if home else None)
        if said is None:
            raise
        ERR.print(f"error: {said}", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
