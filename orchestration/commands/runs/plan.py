"""Plans of runs: requests, tokens and cost, before money is spent."""

from collections.abc import Sequence
from statistics import median

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from inference.errors import InferenceError
from inference.experiment import Experiment
from inference.experiments import list_experiments, load_experiment
from inference.items import ItemSource, find_item_sources
from inference.kinds import KIND
from inference.plan import RunOptions
from inference.prices import as_dollars, load_prices, sum_of
from inference.questions.web.access import Web
from inference.registry import spec_for
from inference.runs.estimate import Debates, Estimate, Variant, estimate
from orchestration.commands.run_commands import Plan
from orchestration.console import print_line
from warehouse.home import Home
from warehouse.records.ids import SAMPLES


def sources_of(home: Home, experiment: Experiment, datasets: Sequence[str]) -> list[ItemSource]:
    """Return the item files a run reads.

    Args:
        experiment: Names its data sets, or `*` for all.
        datasets: The user's choice; empty for the experiment's. Then the bundled sample is left out
            where there are real data: nobody should pay for answers about it by accident.
    """
    if datasets:
        return find_item_sources(home.items, datasets)
    found = find_item_sources(home.items, experiment.datasets)
    if experiment.datasets != ("*",):
        return found
    # A data set may have debates alone, or no debate that has two sides.
    fit = [source for source in found if KIND[experiment.kind].items(experiment, source).exist()]
    real = [source for source in fit if source.dataset_id not in SAMPLES]
    return real or fit or found


def web_of(home: Home, *, is_offline: bool = False) -> Web:
    """Return the way to the web that runs and curations of a home have."""
    return Web(home.landing, home.experiments, is_offline=is_offline)


def options_of(
    home: Home, limit: int | None = None, *, is_fresh: bool = False, is_offline: bool = False
) -> RunOptions:
    """Return the options of a run in a home: extent, prompts, settings, prices, the web."""
    return RunOptions(
        limit=limit,
        is_fresh=is_fresh,
        prompts_folder=home.prompts,
        judges_file=home.judges_file,
        prices=load_prices(home.prices_file),
        services={"web": web_of(home, is_offline=is_offline)},
    )


def planned(
    home: Home,
    experiment_name: str,
    judge_id: str,
    *,
    limit: int | None = None,
    datasets: Sequence[str] = (),
    fresh: bool = False,
) -> Estimate:
    """Return the requests and cost of `rostrum run` with the same arguments."""
    experiment = load_experiment(experiment_name, [home.experiments])
    return estimate(
        experiment,
        spec_for(judge_id, home.judges_file),
        sources_of(home, experiment, datasets),
        journal_root=home.journal,
        **options_of(home, limit, is_fresh=fresh, is_offline=True),
    )


def plan_and_show(home: Home, wanted: Plan, out: Console) -> None:
    """Print what a run would ask and cost and, for debates, the smallest effects it would find."""
    judge_id = str(wanted.judge)
    found = planned(home, wanted.experiment, judge_id, **wanted.extent)
    show_plan(found, out)
    experiment = load_experiment(wanted.experiment, [home.experiments])
    if experiment.superseded_by is not None:
        print_line(
            out,
            f"{experiment.name} is kept for the answers it has; its settings are superseded: use "
            f"{experiment.superseded_by}",
        )
    if experiment.kind == "debate":
        from orchestration.commands.runs.detectable import show_detectable

        sources = sources_of(home, experiment, wanted.datasets)
        show_detectable(home, experiment, judge_id, sources, wanted.limit, out)


def show_experiments(
    home: Home, judge_id: str | None, datasets: Sequence[str], out: Console
) -> None:
    """Print every experiment with what it asks and, for a judge, what is to come and its cost.

    An experiment that cannot be planned (it judges something else, or there are no items) says why
    in one line beneath the table.
    """
    if judge_id is not None:
        spec_for(judge_id, home.judges_file)
    table = Table("experiment", "judges", "per item", Column("what it asks", overflow="fold"))
    if judge_id is not None:
        for name in ("to ask", "cost in", "cost out", "cost at most"):
            table.add_column(name, justify="right")
    aside: list[str] = []
    bases: set[str] = set()
    for name in list_experiments([home.experiments]):
        experiment = load_experiment(name, [home.experiments])
        cells = [name, experiment.kind, f"{experiment.requests_per_item:,}", experiment.description]
        if judge_id is not None:
            try:
                found = planned(home, name, judge_id, datasets=datasets).variants
            except InferenceError as error:
                aside.append(f"{name}: {error}")
                found = ()
            if found:
                total = plan_total(found)
                bases |= {each.basis for each in found if each.to_ask}
                usd = (total.usd_in, _cost_out(total), total.usd_most)
                cells += [f"{total.to_ask:,}", *map(dollars, usd)]
            else:
                cells += ["–"] * 4
        table.add_row(*map(Text, cells))
    out.print(table)
    for basis in sorted(bases):
        print_line(out, f"cost out: expected by {basis}")
    for line in aside:
        print_line(out, line)


def show_plan(found: Estimate, out: Console) -> None:
    """Print an estimate, by variant, with what it rests on."""
    table = Table(title="what is to come", title_justify="left")
    for name in ("data set", "prompt", "asks"):
        table.add_column(name, overflow="fold")
    for name in (
        "requests",
        "answered",
        "reused",
        "to ask",
        "over window",
        "tokens in",
        "tokens out",
        "at most",
        "cost in",
        "cost out",
        "cost at most",
    ):
        table.add_column(name, justify="right")
    for variant in found.variants:
        table.add_row(*_cells(variant))
    if len(found.variants) > 1:
        table.add_section()
        table.add_row(*_cells(plan_total(found.variants)))
    out.print(table)
    for debates in found.debates:
        print_line(out, _lengths(debates))
    print_line(out, f"tokens in: {found.method}")
    for basis in sorted({each.basis for each in found.variants if each.to_ask}):
        names = sorted({each.template for each in found.variants if each.basis == basis})
        which = f" ({', '.join(names)})" if len({each.basis for each in found.variants}) > 1 else ""
        print_line(out, f"tokens out{which}: expected by {basis}; at most what the judge may write")
    if found.variants and (total := plan_total(found.variants)).usd_in is not None:
        print_line(
            out,
            f"cost: input {dollars(total.usd_in)}, output {dollars(_cost_out(total))} expected, "
            f"{dollars(total.usd_most)} at most in all",
        )
    if found.price is None:
        out.print("cost: no price is known for this judge; add one to prices.toml in your home")
    else:
        as_of = f", as of {found.price.as_of}" if found.price.as_of else ""
        print_line(out, f"price: {found.price.source}{as_of}")


def _lengths(debates: Debates) -> str:
    """Return how long debates are, and how many are too long."""
    least, most = debates.tokens[0], debates.tokens[-1]
    about = "" if debates.is_exact else " (estimated)"
    words = (
        f"{debates.dataset_id}: a debate's longest prompt has {least:,} to {most:,} tokens, median "
        f"{median(debates.tokens):,.0f}{about}; "
    )
    if debates.window is None:
        return words + "the judge's window is not known; name it as its setting context_window"
    certainly = "" if debates.is_exact else "certainly "
    return words + (
        f"{debates.overflowing} of {len(debates.tokens)} debates {certainly}do not fit the window "
        f"of {debates.window:,}, and are not sent"
    )


def _cells(variant: Variant) -> list[str]:
    counts = (
        variant.requests,
        variant.answered,
        variant.reused,
        variant.to_ask,
        variant.overflowing,
        variant.tokens_in,
    )
    return [
        variant.dataset_id,
        variant.template,
        variant.asks,
        *(f"{count:,}" for count in counts),
        f"{variant.tokens_out:,.0f}",
        f"{variant.tokens_out_most:,}",
        dollars(variant.usd_in),
        dollars(_cost_out(variant)),
        dollars(variant.usd_most),
    ]


def dollars(usd: float | None) -> str:
    """Return a cost as text."""
    return "unknown" if usd is None else as_dollars(usd)


def _cost_out(variant: Variant) -> float | None:
    is_known = variant.usd is not None and variant.usd_in is not None
    return (variant.usd or 0.0) - (variant.usd_in or 0.0) if is_known else None


def plan_total(variants: Sequence[Variant]) -> Variant:
    """Return the sum of all variants; a cost is None where that of any is."""
    total = Variant("all", "", "")
    for name in (
        "requests",
        "answered",
        "reused",
        "to_ask",
        "overflowing",
        "tokens_in",
        "tokens_in_most",
        "tokens_out",
        "tokens_out_most",
    ):
        setattr(total, name, sum(getattr(variant, name) for variant in variants))
    for name in ("usd_in", "usd", "usd_most"):
        setattr(total, name, sum_of(getattr(variant, name) for variant in variants))
    return total
