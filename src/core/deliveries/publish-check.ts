import { checkReport, statusReport, type StatusBody } from '../../domain/deliveries/check-report.js';
import { canonicalJson } from '../../domain/digest/canonical-json.js';
import { digestOfText } from '../../domain/digest/digest.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { CommitPlace, HostedCheckRun, HostedStatus } from '../../platform/codehost/result-host.js';
import {
  findRow,
  publishInPlace,
  type PublishedResult,
  type Publisher,
  type PublishingParts,
  type Report,
} from './publishing.js';

const MOST_PAGES = 3;

/** What is known of the host's check runs. */
export interface ChecksKnowledge {
  /** That the host refuses them to this connection. */
  refused: boolean;
  /** Called when it has refused them, and took a commit status in their place. */
  remember(): Promise<void>;
}

/**
 * Reports as the trigger's check at a commit; as a commit status of that name where the host has no checks, or none for a token that is
 * not an app's.
 *
 * @throws CodehostError
 */
export async function publishCheck(
  parts: PublishingParts & { checks: ChecksKnowledge },
  at: CommitPlace,
  report: Report,
): Promise<PublishedResult> {
  const { checks, publisher } = parts;
  if (publisher.kind === 'app') return publishCheckRun(parts, at, report);
  if (checks.refused) return publishStatus(parts, at, report);
  try {
    return await publishCheckRun(parts, at, report);
  } catch (cause) {
    if (!refusesChecks(cause)) throw cause;
    // A repository that the token does not see refuses both, and says nothing about checks.
    const published = await publishStatus(parts, at, report);
    await checks.remember();
    return published;
  }
}

async function publishCheckRun(
  { host, token, publisher, results, repeated }: PublishingParts,
  at: CommitPlace,
  { run, trigger }: Report,
): Promise<PublishedResult> {
  const check = checkReport(run, trigger);
  const ours = ({ externalId, appId }: HostedCheckRun): boolean =>
    externalId === check.external_id && isMadeBy(publisher, appId);
  const { url } = await publishInPlace(results, {
    kind: 'codehost_check_run',
    key: keyOf(at),
    find: async () => {
      const found = await findRow((page) => host.checkRuns(token, at, check.name, page), ours, MOST_PAGES);
      return found === null ? [] : [found];
    },
    create: () => host.createCheckRun(token, at, check),
    update: (id) => host.updateCheckRun(token, at.repository, id, check),
    remove: null,
    repeated,
  });
  return { url, payloadDigest: digestOfText(canonicalJson({ ...check, head_sha: at.sha })) };
}

/** Statuses are not changed: a new one takes the place of the last one with its name. */
async function publishStatus(
  { host, token, results }: PublishingParts,
  at: CommitPlace,
  { run, trigger }: Report,
): Promise<PublishedResult> {
  const status = statusReport(run, trigger);
  const recorded = await results.get('codehost_commit_status', keyOf(at));
  const there = await findRow(
    (page) => host.statuses(token, at, page),
    (row) => says(row, status),
    MOST_PAGES,
  );
  const result = there ?? (await host.createStatus(token, at, status));
  await results.put('codehost_commit_status', keyOf(at), { result, replacing: recorded?.id ?? null });
  return { url: result.url, payloadDigest: digestOfText(canonicalJson(status)) };
}

function says(row: HostedStatus, { context, state, description }: StatusBody): boolean {
  return row.context.toLowerCase() === context.toLowerCase() && row.state === state && row.description === description;
}

/** An app sees the checks of others; a host that does not say whose one is has none of others. */
function isMadeBy(publisher: Publisher, appId: string | null): boolean {
  return publisher.kind === 'account' || appId === null || appId === publisher.id;
}

function refusesChecks(cause: unknown): boolean {
  return cause instanceof CodehostError && (cause.status === 404 || cause.status === 403);
}

function keyOf({ repository, sha }: CommitPlace): string {
  return `${repository}@${sha}`;
}
