import { Injectable } from '@nestjs/common';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { canonicalJson } from '../../domain/digest/canonical-json.js';
import { SandgateError } from '../../domain/errors.js';
import { canonicalPolicy } from '../../domain/policy/canonical-form.js';
import { blankPolicy } from '../../domain/policy/document.js';
import { parsePolicyStrict } from '../../domain/policy/parse-policy.js';
import { isReservedPolicyName } from '../../domain/policy/policy-name.js';
import { parsePolicyYaml } from '../../domain/policy/policy-yaml.js';
import type { JsonObject } from '../../domain/json.js';
import { Database } from '../../core/record/database.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { notFound } from '../../domain/resource-id.js';
import type { ImportedPolicy, PolicyView } from './policies.dto.js';
import type { ClonePolicy, ImportPolicy, RevertPolicy } from './policy-requests.dto.js';
import { countRevisions } from '../../core/policies/policy-users.js';
import {
  appendVersion,
  createPolicy,
  deletePolicy,
  ensurePolicy,
  findHeadVersion,
  findPolicy,
  findVersion,
  lockPolicy,
  readHeadVersion,
  requireBase,
  requirePolicy,
} from '../../core/policies/policy-versions.js';
import { contentOf, validContentOf } from '../../core/policies/policy-content.js';
import { toPolicyView } from './policy-views.js';

const MAX_SUMMARY_BYTES = 500;

export interface PublishCommand {
  /** The draft as it was sent, numbers as they were written. */
  content: ExactJson;
  summary: string;
  baseVersion: number;
}

/** Appends versions and deletes policies (docs/design/policy.md). Runs that exist keep the snapshot that they froze. */
@Injectable()
export class PolicyChangesService {
  constructor(private readonly database: Database) {}

  /**
   * Makes the policy, or appends what replaces it; content that the head has already is not appended again.
   *
   * @throws SandgateError `invalid_request` naming every fault of the document
   */
  importYaml(organizationId: string, { name, yaml }: ImportPolicy): Promise<ImportedPolicy> {
    const document = parsePolicyYaml(yaml);
    if (document.name !== name) {
      throw new SandgateError('invalid_request', `name: the document says ${document.name}, the request ${name}`);
    }
    refuseReserved(name);
    const content = canonicalPolicy(document);
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await ensurePolicy(tx, name);
      const head = await findHeadVersion(tx, policy);
      if (head !== null && canonicalJson(contentOf(head)) === canonicalJson(content)) {
        return { ...toPolicyView({ policy, version: head }), appended: false };
      }
      const appended = await appendVersion(tx, policy, head, { content, yaml, summary: null, author: 'api' });
      return { ...toPolicyView(appended), appended: true };
    });
  }

  /**
   * Appends a draft after the version that it started from; identical content still appends.
   *
   * @throws SandgateError `invalid_request`, `not_found`, or `conflict` when the head has moved, and then nothing was written
   */
  async publish(organizationId: string, name: string, command: PublishCommand): Promise<PolicyView> {
    const summary = command.summary.trim();
    if (summary === '') throw new SandgateError('invalid_request', 'summary: must not be blank');
    if (Buffer.byteLength(summary) > MAX_SUMMARY_BYTES) {
      throw new SandgateError('invalid_request', `summary: must not be longer than ${MAX_SUMMARY_BYTES} bytes`);
    }
    await this.database.withTenant(organizationId, (tx) => requirePolicy(tx, name));
    const document = parsePolicyStrict(command.content);
    if (document.name !== name) {
      throw new SandgateError('invalid_request', `content.name: is ${document.name}, the path says ${name}`);
    }
    const version = { content: canonicalPolicy(document), yaml: null, summary, author: 'ui' as const };
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await lockPolicy(tx, name, 'append');
      const head = await readHeadVersion(tx, policy);
      requireBase(head, command.baseVersion, name);
      return toPolicyView(await appendVersion(tx, policy, head, version));
    });
  }

  /**
   * Appends content and YAML of an earlier version as the new head; identical content still appends.
   *
   * @throws SandgateError `not_found` for the policy or the version, `invalid_request` for a version that is not valid, `conflict`
   * when the head has moved
   */
  revert(organizationId: string, name: string, request: RevertPolicy): Promise<PolicyView> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await lockPolicy(tx, name, 'append');
      const earlier = await findVersion(tx, policy, request.version);
      if (earlier === null) throw notFound('version of this policy');
      const head = await readHeadVersion(tx, policy);
      requireBase(head, request.base_version, name);
      const reverted = await appendVersion(tx, policy, head, {
        content: validContentOf({ policy, version: earlier }),
        yaml: earlier.yaml_source,
        summary: `revert to v${earlier.version}`,
        author: 'ui',
      });
      return toPolicyView(reverted);
    });
  }

  /**
   * A new policy with the content of another one, or blank.
   *
   * @throws SandgateError `invalid_request` for an unknown source or one that is not valid, `conflict` when the name is taken
   */
  clone(organizationId: string, { name, from, from_version: fromVersion }: ClonePolicy): Promise<PolicyView> {
    refuseReserved(name);
    if (typeof fromVersion === 'number' && typeof from !== 'string') {
      throw new SandgateError('invalid_request', 'from_version: needs from, the policy that it is a version of');
    }
    return this.database.withTenant(organizationId, async (tx) => {
      const source =
        typeof from === 'string'
          ? await readSource(tx, from, fromVersion ?? null)
          : { content: canonicalPolicy(blankPolicy(name)), summary: 'blank: everything asks' };
      const policy = await createPolicy(tx, name);
      if (policy === null) throw new SandgateError('conflict', `name: a policy named ${name} exists`);
      const { content, summary } = source;
      return toPolicyView(
        await appendVersion(tx, policy, null, { content: { ...content, name }, yaml: null, summary, author: 'ui' }),
      );
    });
  }

  /**
   * Erases the identity with all its versions. Waits for a revision that is being created; one that comes later finds no policy.
   *
   * @throws SandgateError `not_found`, or `conflict` while any agent revision, historical ones included, names the policy
   */
  delete(organizationId: string, name: string): Promise<void> {
    return this.database.withTenant(organizationId, async (tx) => {
      const policy = await lockPolicy(tx, name, 'delete');
      const revisions = await countRevisions(tx, policy.id);
      if (revisions > 0) {
        const what = revisions === 1 ? '1 agent revision names' : `${revisions} agent revisions name`;
        throw new SandgateError('conflict', `${name} is in use: ${what} it, and revisions are never deleted`);
      }
      await deletePolicy(tx, policy.id);
    });
  }
}

async function readSource(
  tx: TenantTransaction,
  from: string,
  version: number | null,
): Promise<{ content: JsonObject; summary: string }> {
  const policy = await findPolicy(tx, from);
  if (policy === null) throw new SandgateError('invalid_request', `from: unknown policy ${from}`);
  const found = version === null ? await readHeadVersion(tx, policy) : await findVersion(tx, policy, version);
  if (found === null) throw new SandgateError('invalid_request', `from_version: ${from} has no version ${version}`);
  return { content: validContentOf({ policy, version: found }), summary: `cloned from ${from} v${found.version}` };
}

function refuseReserved(name: string): void {
  if (!isReservedPolicyName(name)) return;
  throw new SandgateError('invalid_request', `name: ${name} means something else in an address and cannot name a policy`);
}
