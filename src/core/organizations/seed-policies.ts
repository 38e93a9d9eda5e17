import { In } from 'typeorm';
import { SandgateError } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json.js';
import { defectsOfContent } from '../../domain/policy/compile-policy.js';
import { PolicyEntity, PolicyVersionEntity } from '../policies/policy.entity.js';
import { createPolicy, findHeadVersion, findPolicy } from '../policies/policy-versions.js';
import type { TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertRows } from '../../platform/postgres/write-rows.js';
import { policiesFolder, readPolicyFiles, reservedAmong, type PolicyFile } from './policy-files.js';

/** The policy that an agent gets when nobody names one. */
const DEFAULT_POLICY = 'default';

/**
 * Adds the policies of the folder that the organization lacks, as version 1, author `seed`; one of that name is never overwritten
 * (docs/design/policy.md). Answers warnings: an invalid file for a policy that exists, a `default` that cannot be read.
 *
 * @throws SandgateError `internal` for an invalid file of a policy that is absent, a reserved name, and a missing `default`: every
 * run needs a policy, so the boot is refused
 */
export async function seedPolicies(tx: TenantTransaction, folder = policiesFolder()): Promise<string[]> {
  const files = await readPolicyFiles(folder);
  const reserved = reservedAmong(files);
  if (reserved !== undefined) throw refused(`${reserved.file}: ${reserved.name} is a word of the interface`);
  const known = await tx.manager.find(PolicyEntity, { where: { name: In(files.map(({ name }) => name)) } });
  const names = new Set(known.map((row) => row.name));
  const warnings: string[] = [];
  for (const file of files) {
    if (!names.has(file.name)) await seedPolicy(tx, file);
    else if (file.problem !== null) {
      warnings.push(`the policy file ${file.file} is not valid; policy ${file.name} stays as it is: ${file.problem}`);
    }
  }
  return [...warnings, ...(await checkDefault(tx))];
}

async function seedPolicy(tx: TenantTransaction, file: PolicyFile): Promise<void> {
  if (file.problem !== null) throw refused(`${file.file} is not valid and there is no policy yet: ${file.problem}`);
  const identity = await createPolicy(tx, file.name);
  if (identity === null) return;
  const version = {
    id: newRowId(),
    tenant_id: tx.organizationId,
    policy_id: identity.id,
    version: 1,
    content: file.content as object,
    yaml_source: file.yaml,
    author: 'seed',
  };
  await insertRows(tx, PolicyVersionEntity, [version]);
}

async function checkDefault(tx: TenantTransaction): Promise<string[]> {
  const policy = await findPolicy(tx, DEFAULT_POLICY);
  const head = policy && (await findHeadVersion(tx, policy));
  if (head === null) throw refused(`there is no policy ${DEFAULT_POLICY} and no file to make it from`);
  return defectsOfContent(head.content as JsonValue)
    .slice(0, 1)
    .map((defect) => `the policy ${DEFAULT_POLICY} cannot be used, no run can be created under it: ${defect}`);
}

function refused(why: string): SandgateError {
  return new SandgateError('internal', `seeding policies: ${why}`);
}
