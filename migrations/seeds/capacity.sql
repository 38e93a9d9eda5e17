-- The deployment's own counter; those of organizations come with them.
insert into capacity_counters (scope) values ('deployment');
