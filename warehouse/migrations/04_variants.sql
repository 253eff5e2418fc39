-- How a verdict's labels and the order of the sides were chosen, and which debates belong together:
-- side-swapped twins, or debates on one story.
alter table raw.verdicts add column verbalizer varchar;
alter table raw.verdicts add column position varchar;
alter table raw.debates add column cluster_id varchar;
