import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { describeSchema } from '../../../../test/support/database/describe-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';

const CHECKED_IN = readFileSync(new URL('../../../migrations/schema.sql', import.meta.url), 'utf8');

describe('documents/migrations/schema.sql', () => {
  let test: TestDatabase;
  beforeAll(async () => (test = await createTestDatabase()));
  afterAll(() => test.close());

  it('is what the migrations make of an empty database; if not, `npm run schema` writes it', async () => {
    expect(await describeSchema(test.owner)).toBe(CHECKED_IN);
  });

  it('isolates organizations by force in every table but those that say what ran', () => {
    const names = (pattern: RegExp) => [...CHECKED_IN.matchAll(pattern)].map(([, name]) => name);
    const tables = names(/^create table (\w+) \(/gm).filter(
      (name) => !/^schema_(functions|migrations)$/.test(name ?? ''),
    );
    expect(tables.length).toBeGreaterThan(20);
    expect(names(/^alter table (\w+) enable row level security, force row level security;/gm)).toEqual(tables);
  });
});
