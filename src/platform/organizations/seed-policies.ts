import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';
import { canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { parsePolicyYaml } from '../../domain/policy/policy-yaml.js';
import type { TenantTransaction } from '../db/database.js';

export const SEEDED_POLICIES = ['default', 'standard', 'governed', 'unrestricted'] as const;

/**
 * Adds the seeded policies that the organization lacks, as version 1, author `seed`; one of that name is never overwritten
 * (chapter 30 §5). A policy file that is missing or invalid fails the call: every run needs a policy.
 */
export async function seedPolicies(tx: TenantTransaction): Promise<void> {
  const known = await tx.query<{ name: string }>('select name from policies where name = any ($1)', [SEEDED_POLICIES]);
  const names = new Set(known.map((row) => row.name));
  for (const name of SEEDED_POLICIES) if (!names.has(name)) await seedPolicy(tx, name);
}

async function seedPolicy(tx: TenantTransaction, name: string): Promise<void> {
  const source = await readFile(join(policiesFolder(), `${name}.yaml`), 'utf8');
  const content = canonicalPolicy(parsePolicyYaml(source));
  const [identity] = await tx.query<{ id: string }>(
    `insert into policies (id, tenant_id, name) values ($1, $2, $3)
     on conflict (tenant_id, name) do nothing returning id`,
    [uuidv7(), tx.organizationId, name],
  );
  if (identity === undefined) return;
  await tx.query(
    `insert into policy_versions (id, tenant_id, policy_id, version, content, yaml_source, author)
     values ($1, $2, $3, 1, $4, $5, 'seed')`,
    [uuidv7(), tx.organizationId, identity.id, JSON.stringify(content), source],
  );
}

/** The folder `policies` of the package, from the sources as from the built output. */
function policiesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'policies', 'default.yaml'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the folder with the seeded policies is missing from this installation');
    folder = above;
  }
  return join(folder, 'policies');
}
