import { migrate } from '../platform/postgres/migrate.js';

/** A process of its own, so that the supervisor does not carry the database layer for the rest of its life. */
const url = process.env['DATABASE_URL'];
if (url === undefined || url === '') throw new Error('DATABASE_URL must be set');
for (const name of await migrate(url)) process.stdout.write(`migrated ${name}\n`);
