"""Pipelines step by step: curated questions, transcripts, and key points in judges' reasons."""

from __future__ import annotations

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

from orchestration.console import Say, say
from orchestration.operation import ExistingPath, Operation, Publishing, UserPath, argument, option
from warehouse.home import Home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inference.speeches.keypoints.pipeline import Task

_MARKED = "If absent the model that judges.toml marks with key_points = true, else rules."


def _materialize(
    home: Home, stage: str, steps: Sequence[str], operation: Operation
) -> dict[str, dict[str, Any]]:
    """Do the steps whose inputs have changed, and return the facts of each."""
    from orchestration.execute import materialize, metadata_of

    assets = [f"{stage}/{step}" for step in steps]
    config = {f"{stage}__{step}": operation.config() for step in steps}
    result = materialize(home, assets, config=config)
    return {step: metadata_of(result, f"{stage}/{step}") for step in steps}


class Curate(Operation):
    """Make a set of debatable questions, going on where it stopped."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = "curate my-folder --model openai/gpt-4.1 --embedder local/BAAI/bge-m3"

    folder: ExistingPath = argument("The working folder, with questions/ and documents/ in it.")
    model: str = option("Model that writes queries, points of view and explanations.")
    embedder: str = option("What compares texts: tfidf, local/MODEL, or an endpoint's id.", "tfidf")
    reranker: str | None = option(
        "What orders documents: local/MODEL is a cross-encoder, any other "
        "provider/model is asked how relevant each document is; the embedder if absent.",
        None,
    )
    threshold: float | None = option(
        "From which cosine on two questions count as one; fits one embedder only.", None
    )
    test_questions: int | None = option(
        "How many questions are drawn for a test set; the rest are dev.", None, ge=0
    )
    search: str | None = option(
        "A search service with SearXNG's JSON, instead of documents/.", None
    )
    addresses: UserPath | None = option(
        "A file of addresses to fetch, instead of a search: one a line, or a CSV.", None
    )
    domains: list[str] = option(
        "Trusted top-level domain; the paper's five if absent. Repeatable.", [], name="domain"
    )
    search_key_env: str | None = option(
        "Environment variable that holds the search service's key.", None
    )
    snapshot: str | None = option(
        "Name that fetched pages are kept under; another one fetches again.", None
    )

    def run(self, home: Home, say: Say = say) -> None:
        """Do the steps whose inputs have changed, and say what each removed."""
        from inference.questions.curation.pipeline import STEPS
        from inference.steps.pipeline import WAITING

        found = _materialize(home, "curation", STEPS, self)
        for name, facts in found.items():
            status = facts["waits_for"] if facts["status"] == WAITING else facts["status"]
            say(f"{name.replace('_', ' ')}: {status}; {facts['removed']:,} removed")
        is_waiting = found[STEPS[-1]]["status"] == WAITING
        aside = " (the funnel so far; the questions once they are annotated)" if is_waiting else ""
        folder = shlex.quote(str(self.folder))
        say(f"next: rostrum ingest curated --from {folder} --dataset NAME{aside}")


class Transcribe(Publishing):
    """Bring a debate into text for a person to verify, going on where it stopped, and publish."""

    needs_home: ClassVar[bool] = False
    example: ClassVar[str] = (
        "transcribe final.wav --title Final --transcriber openai/whisper-1 "
        "--corrector openai/gpt-4.1-mini"
    )

    path: ExistingPath = argument(
        "A recording (wav, flac, ogg, mp3), or a transcript (txt, srt, vtt)."
    )
    title: str = option("What the debate is called.")
    transcriber: str | None = option(
        "Who listens: openai/whisper-1, another endpoint, or local/MODEL.", None
    )
    corrector: str | None = option(
        "Who corrects punctuation, as provider/model; the raw text stands if absent.", None
    )
    motion: str | None = option("What is debated.", None)
    info_slide: str | None = option("What all in the room were told beforehand.", None)
    dataset: str = option("Data set it is to belong to.", "transcripts")
    turns: UserPath | None = option(
        "csv file with role, start_s, end_s: when each speech was held.", None
    )
    pause_s: float | None = option(
        "From how many seconds on a silence ends a turn, if nothing else tells.",
        None,
        gt=0,
        name="pause",
    )
    max_word_error_rate: float | None = option(
        "Largest share of words a correction may change.", None, ge=0, le=1, name="max_wer"
    )

    def run(self, home: Home, say: Say = say) -> None:
        """Do the steps whose inputs have changed, say what came, and publish."""
        from inference.parliamentary.transcription.records import STEPS

        steps = _materialize(home, "transcripts", [*STEPS, "queued"], self)
        queued = steps.pop("queued")
        for name, facts in steps.items():
            more = "".join(
                f"; {fact.replace('_', ' ')} {facts[fact]}"
                for fact in ("transcriber", "segmenter", "corrector", "word_error_rate")
                if fact in facts
            )
            say(f"{name}: {facts['status']}, {facts['records']:,} records{more}")
        name = queued["transcript"]
        say(f"{name}: {queued['status']}, {queued['reason']}")
        if queued["reverted"] != "none":
            say(f"raw text stands where the correction does not:\n{queued['reverted']}")
        say(f"look at it on the page of transcripts, or: rostrum verify {name} --by NAME")
        self.publish(home, say)


class Verify(Publishing):
    """Say that a transcript is right: only then it becomes a debate that judges read."""

    example: ClassVar[str] = "verify final-1a2b3c4d --by 'Ada Lovelace'"

    transcript: str = argument("The transcript's id.")
    by: str = option("Who has listened and read.")
    reject: bool = option("It is not to be used; verified text is withdrawn.", False)
    text: UserPath | None = option(
        "The text as it should be, tagged <PM> to </PM>; as it stands if absent.", None, name="from"
    )

    def run(self, home: Home, say: Say = say) -> None:
        """Hand in the decision, as the dashboard would, load it, and publish."""
        from ingestion.parliamentary.transcripts.load import decision
        from orchestration.commands.ingest import Import

        content = decision(home, self.transcript, self.by, is_rejected=self.reject, text=self.text)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"verification-{self.transcript}.json"
            path.write_bytes(content)
            Import(path=path, build=self.build).run(home, say)


class KeyPoints(Publishing):
    """Find the key points in judges' reasons, going on where it stopped, and publish."""

    example: ClassVar[str] = "keypoints reasons --data sample --judge simulated/faithful"

    name: str = argument("What the analysis is called.")
    dataset: str = option("The data set whose speeches were scored.", name="data")
    template: str = option("The prompt that asked for reasons.", "speech_score_justified")
    judges: list[str] = option(
        "Whose reasons; of all judges if absent. Repeatable.", [], name="judge"
    )
    dimension: str | None = option("What was scored, where the data set has several.", None)
    rephraser: str | None = option(
        f"Who divides reasons into sentences: rules, or provider/model. {_MARKED}", None
    )
    embedder: str = option(
        "What compares sentences: tfidf, local/MODEL, or an endpoint's id.", "tfidf"
    )
    polarity: str | None = option(
        f"Who says what is for and against: rules, or provider/model. {_MARKED}", None
    )
    threshold: float | None = option(
        "From which cosine on a sentence matches; fits one embedder only.", None
    )
    redundancy: float | None = option("From which cosine on two key points say the same.", None)
    budget_usd: float | None = option(
        "Stop before models have cost more dollars, over all starts.", None, ge=0, name="budget"
    )
    seed: int = option("Draws the order of what is equal otherwise.", 0)
    dry_run: bool = option("Show what would be asked and cost; send nothing.", False, exclude=True)

    def task_in(self, home: Home) -> Task:
        """Return the task in a home, whose `judges.toml` may name a model for its steps."""
        from inference.registry import key_point_model
        from inference.speeches.keypoints.pipeline import Task, limits_for
        from inference.speeches.keypoints.polarity import RULES

        usual = key_point_model(home.judges_file) or RULES
        return Task(
            self.name,
            self.dataset,
            self.template,
            self.dimension,
            tuple(sorted(self.judges)),
            self.rephraser or usual,
            self.embedder,
            self.polarity or usual,
            limits_for(self.embedder, self.threshold, self.redundancy, self.seed),
        )

    def run(self, home: Home, say: Say = say) -> None:
        """Say what is to be asked, do the steps whose inputs have changed, load and publish."""
        self.show_plan(home, say)
        if self.dry_run:
            say("nothing was sent (--dry-run)")
            return
        self.analyse(home, say)
        self.publish(home, say)

    def show_plan(self, home: Home, say: Say) -> None:
        """Say what the analysis will read, ask and cost."""
        from inference.embeddings import TFIDF
        from inference.prices import as_dollars
        from inference.speeches.keypoints.pipeline import costs_of
        from inference.templates import load_template
        from ingestion.errors import UnknownSource
        from ingestion.speeches.justifications import current_replies
        from orchestration.assets.key_points import tools_of

        task = self.task_in(home.ensure())
        if not load_template(task.template.partition("@")[0], home.prompts).is_justified:
            raise UnknownSource(
                f"key points: the prompt '{task.template}' asks for no reasons; use one that does, "
                "such as speech_score_justified"
            )
        rows = current_replies(
            home,
            task.dataset,
            task.template,
            dimension=task.dimension,
            judges=task.judges,
            notify=say,
        )
        judges = len({row["judge_id"] for row in rows})
        of_judges = f"{judges} judge{'' if judges == 1 else 's'}"
        say(f"{task.name}: {len(rows):,} replies of {of_judges} to {task.template}")
        say(f"  sentences by {task.rephraser}, polarity by {task.polarity_by}")
        for cost in costs_of(task, tools_of(home), rows):
            usd = "unknown (no price is known)"
            if cost.usd is not None and cost.usd_most is not None:
                usd = f"about {as_dollars(cost.usd)}, at most {as_dollars(cost.usd_most)}"
            say(
                f"  {cost.what} by {cost.model}: {'' if cost.is_exact else 'about '}"
                f"{cost.requests:,} requests, {cost.known:,} answered before, about "
                f"{cost.tokens_in:,} tokens in, cost {usd}"
            )
        if task.embedder != TFIDF and not task.embedder.startswith("local/"):
            say(f"  embeddings by {task.embedder}: every sentence once; their cost is not included")

    def analyse(self, home: Home, say: Say) -> None:
        """Do the steps whose inputs have changed, load what they found, and say what came."""
        from inference.speeches.keypoints.results import STEPS
        from orchestration.progress import progress_bar

        with progress_bar(self.name):
            found = _materialize(home, "key_points", [*STEPS, "loaded"], self)
        for name in STEPS:
            counts = ", ".join(
                f"{key.replace('_', ' ')} {value:,}"
                for key, value in found[name].items()
                if isinstance(value, int)
            )
            say(f"{name.replace('_', ' ')}: {found[name]['status']}; {counts}")
