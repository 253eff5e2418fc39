"""The questions the page about published figures puts to the marts."""

from dashboard.core.data import query

# Papers with figures to compare, the one with most of them recomputed first.
papers = query("""
with figures as (
    select
        paper_id,
        count(*) as figure_count,
        count(*) filter (agreement_status in ('agrees', 'differs')) as known_count
    from rpt_published_comparison
    group by paper_id
)
select * from figures order by known_count desc, figure_count desc, paper_id""")

# How the figures of each table came out.
counts = query("""
select location, agreement_status, count(*) as figure_count
from rpt_published_comparison
where paper_id = $paper
group by location, agreement_status
order by location, agreement_status""")

# Every printed figure beside the recomputed one; what asks for a look comes first.
figures = query("""
select *
from rpt_published_comparison
where paper_id = $paper
    and list_contains($statuses, agreement_status)
order by
    list_position(
        ['differs', 'contradicted', 'no_data', 'agrees', 'shipped', 'not_published',
            'not_comparable'],
        agreement_status
    ),
    warehouse_value is null, location, statistic, qualifier""")

# How often people whose verdicts are here name the winner, beside those the paper prints.
people = query("""
select qualifier, warehouse_value, warehouse_low, warehouse_high, n, published_text, note
from rpt_published_comparison
where paper_id = $paper and statistic = 'accuracy of a person'
order by warehouse_value desc, qualifier""")

# Figures of data sets of debates beside those a paper prints of them.
corpora = query("""
select
    rpt_corpus_statistics.*, coalesce(dim_dataset.title, rpt_corpus_statistics.dataset_id) as title
from rpt_corpus_statistics
left join dim_dataset on rpt_corpus_statistics.dataset_id = dim_dataset.dataset_id
order by published_value is null, rpt_corpus_statistics.dataset_id, statistic,
    round_count nulls first""")
