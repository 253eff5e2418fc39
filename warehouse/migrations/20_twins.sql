-- The debate that a source declares to be this one with the sides exchanged.
alter table raw.debates add column twin_id varchar;
update raw.debates set twin_id = 'judgebench:' || (try_cast(extra as json) ->> 'pair_id')
where dataset_id = 'judgebench'
    and json_type(try_cast(extra as json), '$.pair_id') in ('VARCHAR', 'BIGINT', 'UBIGINT');
