import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { describeSchema } from '../../support/database/describe-schema.js';

const CHECKED_IN = readFileSync(new URL('../../../migrations/schema.sql', import.meta.url), 'utf8');

describe('migrations/schema.sql', () => {
  let test: TestDatabase;
  beforeAll(async () => (test = await createTestDatabase()));
  afterAll(() => test.close());

  it('is what the migrations make of an empty database; if not, `npm run schema` writes it', async () => {
    expect(await describeSchema(test.owner)).toBe(CHECKED_IN);
  });

  it('is the whole of it: a database without anything gets the same schema from it', async () => {
    const client = await test.owner.connect();
    try {
      await client.query('drop schema public cascade; create schema public authorization pg_database_owner');
      await client.query('grant usage on schema public to public');
      await client.query(CHECKED_IN);
      expect(await describeSchema(client)).toBe(CHECKED_IN);
    } finally {
      client.release(true);
    }
  });
});
