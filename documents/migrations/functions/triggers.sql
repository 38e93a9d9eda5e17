-- Functions of triggers, which exist before the tables do.

-- For tables whose rows never change, whoever asks.
create or replace function docsvc_refuse_change()
returns trigger
language plpgsql
as $$
begin
  raise exception 'rows of % never change', tg_table_name using errcode = 'restrict_violation';
end
$$;
