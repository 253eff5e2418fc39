-- Labelled answers are judged, not judged, or tied, and the judged ones fill the table of four
-- cells.
select dataset_id, evaluator_id, evaluator_template
from {{ ref('rpt_dispute_accuracy') }}
where
    n_answers + label_tie_count + not_scored_count + failed_count != n_labelled
    or abs(tp + fn + fp + tn - n_answers) > 1e-6
    or abs(tp + fn - positive_count) > 1e-6
