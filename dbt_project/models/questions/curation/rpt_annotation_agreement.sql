{#
Labels of answers and of partial answers: one with k of m people for 1 has 2 k (m - k) ordered pairs that disagree. Fleiss' kappa
needs as many people for every answer, so it takes the answers that the most people labelled;
Krippendorff's alpha takes all that at least two did. Rankings: a pair of people is averaged over
questions before pairs are.
#}
{%- set measures = ['fleiss_kappa', 'krippendorff_alpha'] %}
with

labelled as (
    select
        dataset_id, 'dispute_awareness' as task, question_id, n_annotators, label_share, annotators
    from {{ ref('int_dispute_labels') }}
    union all
    select dataset_id, task, question_id, n_annotators, label_share, annotators
    from {{ ref('int_curation_labels') }}
),

labels as (
    select
        *,
        round(label_share * n_annotators) as n_first,
        max(n_annotators) over (partition by dataset_id, task) as n_panel
    from labelled
),

annotators as (
    select dataset_id, task, len(list_distinct(flatten(list(annotators))))::bigint as n_annotators
    from labels
    group by dataset_id, task
),

questions as (
    select
        dataset_id,
        task,
        question_id,
        any_value(n_panel) as n_panel,
        count(*) filter (n_annotators = n_panel) as units,
        coalesce(sum(n_first) filter (n_annotators = n_panel), 0) as first,
        coalesce(sum(2 * n_first * (n_annotators - n_first)) filter (n_annotators = n_panel), 0)
            as disagreeing,
        count(*) filter (n_annotators > 1) as pairable_units,
        coalesce(sum(n_annotators) filter (n_annotators > 1), 0) as pairable,
        coalesce(sum(n_first) filter (n_annotators > 1), 0) as pairable_first,
        coalesce(
            sum(2 * n_first * (n_annotators - n_first) / (n_annotators - 1)) filter (
                n_annotators > 1
            ),
            0
        ) as disagreement,
        count(*) as n_labelled
    from labels
    group by dataset_id, task, question_id
),

totals as (
    select
        dataset_id,
        task,
        any_value(n_panel) as n_panel,
        count(*) as n_questions,
        {% for name in [
            'units', 'first', 'disagreeing', 'pairable_units', 'pairable', 'pairable_first', 'disagreement',
            'n_labelled'
        ] %}
        sum({{ name }}) as {{ name }}{{ ',' if not loop.last }}
    {% endfor %}
    from questions
    group by dataset_id, task
),

replicates as (
    select
        totals.dataset_id,
        totals.task,
        {{ fleiss_kappa(
            '(totals.units - questions.units)', '(totals.first - questions.first)',
            '(totals.disagreeing - questions.disagreeing)', 'totals.n_panel'
        ) }} as fleiss_kappa,
        {{ krippendorff_alpha(
            '(totals.pairable - questions.pairable)', '(totals.pairable_first - questions.pairable_first)',
            '(totals.disagreement - questions.disagreement)'
        ) }} as krippendorff_alpha
    from questions
    inner join totals using (dataset_id, task)
),

spreads as (
    select
        dataset_id,
        task,
    {% for measure in measures %}
        {{ alike_half_width(measure, '1') }} as {{ measure }}_half{{ ',' if not loop.last }}
    {% endfor %}
    from replicates
    group by dataset_id, task
),

of_labels as (
    {% for measure, estimate, items in [
        ('fleiss_kappa', fleiss_kappa('units', 'first', 'disagreeing', 'n_panel'), 'units'),
        ('krippendorff_alpha', krippendorff_alpha('pairable', 'pairable_first', 'disagreement'), 'pairable_units'),
    ] %}
        select
            dataset_id,
            task,
            '{{ measure }}' as measure,
            n_questions,
            {{ items }}::bigint as n_items,
            (n_labelled - {{ items }})::bigint as excluded_count,
            annotators.n_annotators,
            0::bigint as n_undefined,
            {{ estimate }} as estimate,
            {{ measure }}_half as half_width,
            case
                when {{ items }} = 0 or n_panel < 2 then 'no answer with two labels'
                when {{ estimate }} is null then 'one label only'
                {{ when_too_few('n_questions', 'questions') }}
                when
                    {{ measure }}_half is null
                    then 'leaving a question out changes nothing or leaves one label'
            end as reason
        from totals
        inner join annotators using (dataset_id, task)
        left join spreads using (dataset_id, task)
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

rankings as (select * from {{ ref('int_annotator_rankings') }}),

pairs as (
    select
        dataset_id,
        annotator_a,
        annotator_b,
        count(spearman) as n_defined,
        avg(spearman) as spearman
    from rankings
    group by dataset_id, annotator_a, annotator_b
),

pair_means as (
    select dataset_id, count(spearman) as n_pairs, avg(spearman) as spearman
    from pairs
    group by dataset_id
),

influences as (
    select
        rankings.dataset_id,
        rankings.ranking_id,
        sum((rankings.spearman - pairs.spearman) / pairs.n_defined) as influence
    from rankings
    inner join pairs using (dataset_id, annotator_a, annotator_b)
    where rankings.spearman is not null
    group by rankings.dataset_id, rankings.ranking_id
),

pair_spreads as (
    select
        dataset_id,
        count(*) as n_questions,
        count(*) / nullif(count(*) - 1.0, 0) * sum(influence ^ 2) as variance
    from influences
    group by dataset_id
),

ranking_counts as (
    select
        dataset_id,
        count(*) as n_items,
        count(*) - count(spearman) as n_undefined,
        len(list_distinct(list_concat(list(annotator_a), list(annotator_b))))::bigint
            as n_annotators
    from rankings
    group by dataset_id
),

of_rankings as (
    select
        dataset_id,
        'preference' as task,
        'spearman' as measure,
        coalesce(n_questions, 0) as n_questions,
        n_items,
        0::bigint as excluded_count,
        n_annotators,
        n_undefined,
        spearman as estimate,
        {{ clustered_half_width('variance', 'n_questions') }} / n_pairs as half_width,
        case
            when spearman is null then 'no pair of rankings without all tied'
            {{ when_too_few('n_questions', 'questions') }}
            when {{ clustered_half_width('variance', 'n_questions') }} is null
                then 'every question has the same correlation'
        end as reason
    from ranking_counts
    inner join pair_means using (dataset_id)
    left join pair_spreads using (dataset_id)
),

united as (
    select * from of_labels
    union all
    select * from of_rankings
)

select
    * exclude (half_width),
    {{ clipped_ends('estimate', 'half_width', -1, 1) }}
from united
