{#
Con named second against Con named first, and fixed against shuffled (Figure 2, Tables 5 and 7).
#}
{{ paired_report('position', alike='verbalizer') }}
