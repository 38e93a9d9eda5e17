import { Organizations, type Organization } from '../organizations/organizations.js';
import type { FixerHarness } from '../organizations/seed-agent.js';
import type { Database } from './database.js';

const DEFAULT_FIXER: FixerHarness = { harness: 'builtin', model: 'claude-haiku-4-5' };

/**
 * The organization of that slug, made at the first boot, with the four seeded policies and the agent `fixer`; processes that
 * boot together agree on one.
 */
export async function ensureOrganization(
  db: Database,
  slug: string,
  name: string,
  fixer: FixerHarness = DEFAULT_FIXER,
): Promise<Organization> {
  return new Organizations(db, fixer).ensure(slug, name);
}
