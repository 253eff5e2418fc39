"""What `rostrum keypoints` does: why judges say what they say, in a few sentences."""

from typing import Annotated, Any

import typer

from orchestration.commands.data.ingest import Build
from orchestration.console import Say, State, say
from warehouse.home import Home


def keypoints(
    name: Annotated[str, typer.Argument(help="What the analysis is called.")],
    data: Annotated[str, typer.Option(help="The data set whose speeches were scored.")],
    template: Annotated[
        str, typer.Option(help="The prompt that asked for reasons.")
    ] = "speech_score_justified",
    judge: Annotated[
        list[str] | None, typer.Option(help="Whose reasons; of all judges if absent. Repeatable.")
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(help="What was scored, where the data set has several.")
    ] = None,
    rephraser: Annotated[
        str | None,
        typer.Option(
            help="Who divides reasons into sentences: rules, or provider/model. If absent the "
            "model that judges.toml marks with key_points = true, else rules."
        ),
    ] = None,
    embedder: Annotated[
        str, typer.Option(help="What compares sentences: tfidf, local/MODEL, or an endpoint's id.")
    ] = "tfidf",
    polarity: Annotated[
        str | None,
        typer.Option(
            help="Who says what is for and against: rules, or provider/model. If absent as for "
            "--rephraser."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="From which cosine on a sentence matches; fits one embedder only."),
    ] = None,
    redundancy: Annotated[
        float | None,
        typer.Option(help="From which cosine on two key points say the same."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Stop before models have cost more dollars, over all starts."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the order of what is equal otherwise.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be asked and cost; send nothing.")
    ] = False,
    build: Build = True,
) -> None:
    """Find the key points in judges' reasons, going on where it stopped, and publish."""
    from orchestration.commands.data.sources import config_of

    config = config_of(
        name=name,
        dataset=data,
        template=template,
        judges=judge or [],
        embedder=embedder,
        seed=seed,
        dimension=dimension,
        threshold=threshold,
        redundancy=redundancy,
        budget_usd=budget,
        rephraser=rephraser,
        polarity=polarity,
    )
    show_plan(State.home, config, say)
    if dry_run:
        say("nothing was sent (--dry-run)")
        return
    from orchestration.commands.build import publish_loaded

    analyse(State.home, config, say)
    publish_loaded(State.home, say, is_wanted=build)


def show_plan(home: Home, config: dict[str, Any], say: Say) -> None:
    """Say what an analysis will read, ask and cost.

    Raises:
        InferenceError: A model, a prompt or a threshold cannot be used.
        UnknownSource: There are no replies to analyse.
    """
    from inference.embeddings import TFIDF
    from inference.prices import as_dollars
    from inference.speeches.keypoints.costs import costs_of
    from inference.templates import load_template
    from ingestion.errors import UnknownSource
    from ingestion.speeches.justifications import current_replies
    from orchestration.assets.key_points import KeyPointsConfig, tools_of

    home.ensure()
    task = KeyPointsConfig(**config).task_in(home)
    if not load_template(task.template.partition("@")[0], home.prompts).is_justified:
        raise UnknownSource(
            f"key points: the prompt '{task.template}' asks for no reasons; use one that does, "
            "such as speech_score_justified"
        )
    rows = current_replies(
        home, task.dataset, task.template, dimension=task.dimension, judges=task.judges, notify=say
    )
    judges = len({row["judge_id"] for row in rows})
    of_whom = f"{judges} judge{'' if judges == 1 else 's'}"
    say(f"{task.name}: {len(rows):,} replies of {of_whom} to {task.template}")
    say(f"  sentences by {task.rephraser}, polarity by {task.polarity_by}")
    for cost in costs_of(task, tools_of(home), rows):
        about = "" if cost.is_exact else "about "
        usd = "unknown (no price is known)"
        if cost.usd is not None and cost.usd_most is not None:
            usd = f"about {as_dollars(cost.usd)}, at most {as_dollars(cost.usd_most)}"
        say(
            f"  {cost.what} by {cost.model}: {about}{cost.requests:,} requests, {cost.known:,} "
            f"answered before, about {cost.tokens_in:,} tokens in, cost {usd}"
        )
    if task.embedder != TFIDF and not task.embedder.startswith("local/"):
        say(
            f"  embeddings by {task.embedder}: every sentence once, and what that costs is not said"
        )


def analyse(home: Home, config: dict[str, Any], say: Say) -> None:
    """Do the steps whose inputs have changed, load what they found, and say what came of it."""
    from inference.speeches.keypoints.results import STEPS
    from orchestration.execute import materialize, metadata_of
    from orchestration.progress import progress_bar

    names = [*STEPS, "loaded"]
    with progress_bar(config["name"]):
        result = materialize(
            home,
            [f"key_points/{name}" for name in names],
            config={f"key_points__{name}": config for name in names},
        )
    for name in STEPS:
        found = metadata_of(result, f"key_points/{name}")
        facts = ", ".join(
            f"{key.replace('_', ' ')} {value:,}"
            for key, value in found.items()
            if isinstance(value, int)
        )
        say(f"{name.replace('_', ' ')}: {found['status']}; {facts}")
