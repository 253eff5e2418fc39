{# A pair of labels against the same pair flipped (Figure 3, Tables 6 and 8). #}
{{ paired_report('label', alike='position') }}
