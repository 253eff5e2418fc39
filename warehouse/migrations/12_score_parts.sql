-- Which of the scores that one reply held, from 0. Replies with one of them have none: it is 0.
alter table raw.scores add column part integer;
