import { JsonContains, MoreThan } from 'typeorm';
import type { PublishedRun } from '../../domain/deliveries/published-run.js';
import { SandgateError } from '../../domain/errors.js';
import { addressOf } from '../../domain/run/result-destination.js';
import type { WorkspaceSpec } from '../../domain/run/spec.js';
import { changeRow } from '../../platform/postgres/write-rows.js';
import type { Codehost } from '../codehost/codehost.js';
import { ConnectionEntity } from '../connections/connection.entity.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';
import { DeliveryEntity } from './delivery.entity.js';
import { publishCheck, type ChecksKnowledge } from './publish-check.js';
import { publishComment, removeLostComment } from './publish-comment.js';
import type { PublishedResult, Publisher, PublishingParts } from './publishing.js';
import type { Publication, Published } from './result-sender.js';
import { StoredExternalResults } from './stored-external-results.js';

export interface PublishParts {
  database: Database;
  codehost: Pick<Codehost, 'results' | 'tokens'>;
}

/** What the record says before anything is sent. */
interface Prepared {
  publisher: Publisher;
  checksRefused: boolean;
  run: PublishedRun;
  /** Whether a later run of the subscription has reported at this place. */
  superseded: boolean;
}

/**
 * Publishes the result of a run at its pull request or commit, with the token of the connection that it is bound to; the caller has
 * looked whether it still may. What a later run reported there stays: then nothing is sent (docs/design/publishing.md).
 *
 * @throws CodehostError, SandgateError in words of ours, when it did not succeed
 */
export async function publishResult(parts: PublishParts, publication: Publication): Promise<Published> {
  const { database, codehost } = parts;
  const { organizationId, destination, generation, subscription, repeated } = publication;
  const prepared = await database.withTenant(organizationId, (tx) => prepare(tx, publication));
  const place = addressOf(destination);
  const nothing = { url: place, payloadDigest: null };
  if (prepared.superseded && !repeated) return nothing;
  const { connection_id: connectionId } = destination;
  const { token } = await codehost.tokens.get({ organizationId, connectionId, generation });
  const to = {
    host: codehost.results,
    token,
    publisher: prepared.publisher,
    results: new StoredExternalResults(database, { organizationId, subscriptionId: subscription.id }),
    repeated,
    checks: checksOf(database, publication, prepared.checksRefused),
  };
  if (prepared.superseded) {
    await removeLostAt(to, publication, prepared.run);
    return nothing;
  }
  const { url, payloadDigest } = await publishAt(to, publication, prepared.run);
  return { url: url ?? place, payloadDigest };
}

function publishAt(
  to: PublishingParts & { checks: ChecksKnowledge },
  { destination, subscription }: Publication,
  run: PublishedRun,
): Promise<PublishedResult> {
  const report = { run, trigger: subscription };
  const { repository } = destination;
  return destination.kind === 'codehost_pr_comment'
    ? publishComment(to, { repository, number: destination.pr_number }, report)
    : publishCheck(to, { repository, sha: destination.head_sha }, report);
}

/** Only comments can be removed. */
async function removeLostAt(
  to: PublishingParts,
  { destination, subscription }: Publication,
  run: PublishedRun,
): Promise<void> {
  if (destination.kind !== 'codehost_pr_comment') return;
  const at = { repository: destination.repository, number: destination.pr_number };
  await removeLostComment(to, at, { run, trigger: subscription });
}

function checksOf(
  database: Database,
  { organizationId, destination, generation }: Publication,
  refused: boolean,
): ChecksKnowledge {
  const asked = { id: destination.connection_id, authorization_generation: generation };
  return {
    refused,
    remember: async () => {
      const known = { checks_refused_generation: generation };
      await database.withTenant(organizationId, (tx) => changeRow(tx, ConnectionEntity, asked, known));
    },
  };
}

async function prepare(tx: TenantTransaction, publication: Publication): Promise<Prepared> {
  const { destination, run } = publication;
  const connection = await tx.manager.findOneBy(ConnectionEntity, { id: destination.connection_id });
  const session = await tx.manager.findOneBy(SessionEntity, { id: run.id });
  if (connection === null || session === null)
    throw new SandgateError('not_found', 'the run or its connection is gone');
  if (run.finished_at === null) throw new SandgateError('internal', 'a run is published before it has ended');
  return {
    publisher: publisherOf(connection),
    checksRefused: connection.checks_refused_generation === connection.authorization_generation,
    run: {
      id: run.id,
      status: run.status,
      agentName: run.agent_name,
      summary: run.summary,
      commit: session.base_commit ?? commitOf(session.repo_source),
      finishedAt: run.finished_at,
    },
    superseded: await isSuperseded(tx, publication),
  };
}

/** Ids of runs are in the order of their creation. */
function isSuperseded(tx: TenantTransaction, { destination, run, subscription }: Publication): Promise<boolean> {
  const { binding_id: _, ...place } = destination;
  return tx.manager.existsBy(DeliveryEntity, {
    subscription_id: subscription.id,
    status: 'delivered',
    session_id: MoreThan(run.id),
    destination: JsonContains(place),
  });
}

function publisherOf({ provider, external_account_id: account, metadata }: ConnectionEntity): Publisher {
  if (provider !== 'codehost_app') return { kind: 'account', id: account };
  return { kind: 'app', id: metadata.app_id ?? '', slug: metadata.app_slug ?? null };
}

function commitOf(workspace: WorkspaceSpec): string | null {
  return workspace.kind === 'git_repository' ? (workspace.commit_sha ?? null) : null;
}
