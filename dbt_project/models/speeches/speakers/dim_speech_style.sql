{#
How a speech is written, by rules that take linear time on any text. They are made for English: letters
of other scripts leave what depends on words and sentences unknown.
#}
{% set sentence_end = "[.!?…]+[\"''”’)\\]*_]*(?:\\s+|$)" %}
{% set blank_line = "\\r?\\n[ \\t]*\\r?\\n\\s*" %}
-- Full stops of initials and of these words end no sentence.
{% set abbreviation = "\\b((?:[A-Z]\\.)*[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|vs|e\\.g|i\\.e)\\." %}
{% set heading = "(?m)^[ \\t]*(?:#{1,6}[ \\t]+\\S|\\*\\*[^*\\n]+\\*\\*:?[ \\t]*\\r?$)" %}
{% set list_marker = "(?m)^[ \\t]*(?:[-*•–]|\\d{1,3}[.)]|\\(\\d{1,3}\\))[ \\t]+\\S" %}
-- Endings whose e is not spoken: makes, used, time, while; not houses, wanted, table.
{% set silent_e = "(?:[^aeiouytd]ed|[^aeiouysxzcghl]es|[^aeiouyl]e|[aeiouy]le)$" %}
with

measured as (
    select
        speeches.item_id, speeches.dataset_id, speeches.source, speeches.text, speeches.word_count,
        length(regexp_replace(text, '[^\p{L}]', '', 'g')) as letter_count,
        length(regexp_replace(text, '[^\p{Latin}]', '', 'g')) as latin_count,
        len(list_filter(
            regexp_split_to_array(text, '{{ blank_line }}'), lambda part: trim(part) != ''
        )) as paragraph_count,
        len(regexp_extract_all(text, '{{ heading }}')) as heading_count,
        len(regexp_extract_all(text, '{{ list_marker }}')) as list_marker_count,
        regexp_replace(text, '{{ abbreviation }}', '\1', 'g') as unabbreviated,
        regexp_extract_all(strip_accents(lower(text)), '[a-z](?:[a-z''’]*[a-z])?') as words
    from {{ ref('stg_raw__speeches') }} as speeches
    inner join {{ ref('int_speakers') }} as speakers using (dataset_id, source)
),

known as (
    select
        *,
        case
            when letter_count = 0 then 'no words'
            when latin_count < 0.9 * letter_count then 'over a tenth of the letters are not Latin'
            when not regexp_matches(unabbreviated, '{{ sentence_end }}') then 'no sentence ends'
        end as undefined_reason,
        len(list_filter(
            regexp_split_to_array(unabbreviated, '{{ sentence_end }}|{{ blank_line }}'),
            lambda part: regexp_matches(part, '\p{L}')
        )) as sentence_count,
        list_sum(list_transform(words, lambda word: greatest(
            1,
            len(regexp_extract_all(word, '[aeiouy]+'))
            - regexp_matches(word, '{{ silent_e }}')::integer
        ))) / nullif(len(words), 0)::double as syllables_per_word,
        case when undefined_reason is null then word_count / sentence_count::double end
            as mean_sentence_words
    from measured
)

select
    item_id,
    dataset_id,
    source,
    word_count,
    paragraph_count,
    heading_count,
    list_marker_count,
    case when undefined_reason is null then sentence_count end as sentence_count,
    mean_sentence_words,
    case when undefined_reason is null then syllables_per_word end as syllables_per_word,
    206.835 - 1.015 * mean_sentence_words - 84.6 * syllables_per_word as reading_ease,
    undefined_reason
from known
