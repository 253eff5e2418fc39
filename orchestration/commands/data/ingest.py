"""Commands that bring data in: data sets, files of answers, new questions and transcripts.

The command line registers them among the others.
"""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from ingestion.formats import FORMATS
from ingestion.registry import settings_help, sources
from orchestration.console import State, say

MaxRejected = Annotated[
    float, typer.Option(min=0, max=1, help="Largest share of bad records before all are refused.")
]
Build = Annotated[
    bool,
    typer.Option(
        "--build/--no-build", help="Build and publish the figures, or leave that to rostrum build."
    ),
]


_OF_STUDIES = frozenset({"name", "scale", "policy", "check", "max_rejected"})
# Options that a source uses besides --build; others use those of `_OF_FILES`.
_USED = {
    "sample": frozenset[str](),
    "study": _OF_STUDIES | {"items", "ratings", "question", "column"},
    "study with --annotations": _OF_STUDIES
    | {"annotations", "models", "dimension", "kind", "text_before"},
}
_OF_FILES = frozenset({"location", "setting", "max_rejected"})


def _refuse_unused(context: typer.Context, source: str) -> None:
    """Refuse options that are given and that the source does not use."""
    used = _USED.get(source)
    if used is None:
        if source not in sources():
            return
        names = {each.name for each in fields(sources()[source].settings)}
        used = _OF_FILES | ({"split"} & names)
    options = {
        parameter.name or "": parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in ("source", "build")
    }
    for name, option in options.items():
        given = context.get_parameter_source(name)
        if given is not None and given.name == "COMMANDLINE" and name not in used:
            takes = ", ".join(options[each] for each in options if each in used) or "none of these"
            raise typer.BadParameter(f"{source} does not use {option}; it uses {takes}")


def ingest(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            help=f"{', '.join(sources())} or study.",
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
            help=f"A setting as name=value, repeatable. {settings_help()}.",
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
    annotations: Annotated[
        Path | None,
        typer.Option(
            help="study without texts, in place of --items and --ratings: JSON file of people's "
            "labels or scores, by annotator and instance."
        ),
    ] = None,
    models: Annotated[
        Path | None, typer.Option(help="study: the same of models, beside --annotations.")
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(help="study: what --annotations are about; score if absent.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="study: labels or scores, where --annotations do not tell."),
    ] = None,
    text_before: Annotated[
        str | None,
        typer.Option(
            help="study: what ends a text's name within an instance's, such as __; without it each "
            "instance of --annotations is its own text."
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(help="study: lowest and highest score; 1-5 for --ratings if absent."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="study: the instructions people had; a data set takes labels under one alone."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="study: our column = yours, such as text=body. Repeatable."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="study: validate only, load nothing.")
    ] = False,
    max_rejected: MaxRejected = 0.05,
    build: Build = True,
) -> None:
    """Load a data set: speeches people have scored, debates, questions, the sample, or a study.

    Then build and publish the figures.
    """
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.data import sources as commands

    with_annotations = source == "study" and annotations is not None
    _refuse_unused(context, "study with --annotations" if with_annotations else source)
    if source == "study" and annotations is not None:
        if name is None:
            raise typer.BadParameter("--annotations needs --name")
        for path in filter(None, (annotations, models)):
            commands.check_place(path)
        described = commands.annotation_config(
            name=name,
            people=annotations,
            models=models,
            dimension=dimension,
            kind=kind,
            text_before=text_before,
            scale=scale,
            policy=policy,
        )
        if check:
            raise typer.Exit(commands.check_annotations(described, max_rejected, say))
        commands.ingest(State.home, "annotations", described | {"max_rejected": max_rejected}, say)
    elif source == "study":
        if name is None or items is None or ratings is None:
            raise typer.BadParameter(
                "a study needs --name, --items and --ratings; one without texts --name and "
                "--annotations"
            )
        commands.check_place(items)
        commands.check_place(ratings)
        study = commands.study_config(
            name=name,
            items=items,
            ratings=ratings,
            question=question,
            scale=scale or "1-5",
            columns=column or [],
            policy=policy,
        )
        if check:
            raise typer.Exit(commands.check(study, max_rejected, say))
        commands.ingest(State.home, "study", study | {"max_rejected": max_rejected}, say)
    elif source == "sample":
        commands.ingest(State.home, "sample", {}, say)
    else:
        commands.check_source(source, location)
        if location is not None:
            commands.check_place(location)
        commands.ingest(
            State.home,
            "dataset",
            {
                "source": source,
                "location": location,
                "settings": commands.named_values(
                    "--set", [*(setting or []), *([f"split={split}"] if split else [])], "margin=2"
                ),
                "max_rejected": max_rejected,
            },
            say,
        )
    publish_loaded(State.home, say, is_wanted=build)


def import_(
    path: Annotated[
        Path,
        typer.Argument(help="File of answers (docs/import.md shows each format)."),
    ],
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"{', '.join(FORMATS)}; told from the content.",
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
    build: Build = True,
) -> None:
    """Import scores, verdicts or answers made elsewhere, or what people say of answers.

    Then build and publish the figures.
    """
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.data import sources as commands

    commands.check_place(path)

    config = commands.config_of(
        path=path,
        max_rejected=max_rejected,
        file_format=file_format,
        dataset=dataset,
        judge=judge,
        scorer=scorer,
        template=template,
    )
    commands.ingest(State.home, "imports", config, say)
    publish_loaded(State.home, say, is_wanted=build)


def curate(
    folder: Annotated[
        Path,
        typer.Argument(
            file_okay=False,
            help="The working folder, with questions/ and documents/ in it.",
        ),
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
    search: Annotated[
        str | None,
        typer.Option(help="A search service with SearXNG's JSON, instead of documents/."),
    ] = None,
    addresses: Annotated[
        Path | None,
        typer.Option(help="A file of addresses to fetch, instead of a search."),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Trusted top-level domain; the paper's five if absent. Repeatable."),
    ] = None,
    search_key_env: Annotated[
        str | None,
        typer.Option(help="Environment variable that holds the search service's key."),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(help="Name that fetched pages are kept under; another one fetches anew."),
    ] = None,
) -> None:
    """Make a set of debatable questions, going on where it stopped."""
    from orchestration.commands.data import sources as commands

    commands.check_place(folder)

    config = commands.config_of(
        folder=folder,
        model=model,
        embedder=embedder,
        reranker=reranker,
        threshold=threshold,
        test_questions=test_questions,
        search=search,
        domains=domain,
        addresses=addresses,
        search_key_env=search_key_env,
        snapshot=snapshot,
    )
    commands.curate(State.home, config, say)


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
    build: Build = True,
) -> None:
    """Bring a debate into text for a person to verify, going on where it stopped, and publish."""
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.data import sources as commands

    commands.check_place(path)

    config = commands.config_of(
        path=path,
        title=title,
        transcriber=transcriber,
        corrector=corrector,
        motion=motion,
        info_slide=info_slide,
        dataset=dataset,
        pause_s=pause,
        turns=turns,
        max_word_error_rate=max_wer,
    )
    commands.transcribe(State.home, config, say)
    publish_loaded(State.home, say, is_wanted=build)


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
    build: Build = True,
) -> None:
    """Say that a transcript is right: only then it becomes a debate that judges read."""
    from orchestration.commands.build import publish_loaded
    from orchestration.commands.data import sources as commands

    commands.verify(State.home, transcript, by, is_rejected=reject, text=text, say=say)
    publish_loaded(State.home, say, is_wanted=build)
