-- Which instructions people had when they labelled: of a data set, or of a random sample.
alter table raw.datasets add column policy varchar;
alter table raw.samples add column policy varchar;
