import type { PublishedRun, PublishingTrigger } from '../../domain/deliveries/published-run.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import type { HostedPage, HostedResult, ResultHost } from '../../platform/codehost/result-host.js';

/** What was published: where it is seen when the host says so, and its digest, `sha256:` and hex. */
export interface PublishedResult {
  url: string | null;
  payloadDigest: string;
}

/** What is published, and for which trigger. */
export interface Report {
  run: PublishedRun;
  trigger: PublishingTrigger;
}

/** As whom a connection speaks at the code host. */
export type Publisher = { kind: 'account'; id: string } | { kind: 'app'; id: string; slug: string | null };

export type ExternalResultKind = 'codehost_pr_comment' | 'codehost_check_run' | 'codehost_commit_status';

/** What one trigger has published, by kind and place. */
export interface ExternalResults {
  get(kind: ExternalResultKind, key: string): Promise<HostedResult | null>;
  /**
   * Records what is there now in place of what was recorded.
   *
   * @param replacing id of what was on the record, null for nothing
   * @returns what is on the record afterwards: another one when somebody was faster
   */
  put(
    kind: ExternalResultKind,
    key: string,
    made: { result: HostedResult; replacing: string | null },
  ): Promise<HostedResult>;
}

export interface PublishingParts {
  host: ResultHost;
  /** Of the connection. */
  token: string;
  publisher: Publisher;
  results: ExternalResults;
  /** The attempt was begun before and lost. */
  repeated: boolean;
}

/** @returns null when the host says that the thing is gone */
export async function unlessGone<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof CodehostError && (cause.status === 404 || cause.status === 410)) return null;
    throw cause;
  }
}

/** The first row that fits, of a list that is read page by page. A page that cannot be read is no sign that there is none. */
export async function findRow<T>(
  read: (page: number) => Promise<HostedPage<T>>,
  fits: (row: T) => boolean,
  mostPages: number,
): Promise<T | null> {
  for (let page = 1; page <= mostPages; page++) {
    const { rows, more } = await read(page);
    const found = rows.find(fits);
    if (found !== undefined) return found;
    if (!more) break;
  }
  return null;
}

/** All rows that fit, likewise. */
export async function findRows<T>(
  read: (page: number) => Promise<HostedPage<T>>,
  fits: (row: T) => boolean,
  mostPages: number,
): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const { rows, more } = await read(page);
    found.push(...rows.filter(fits));
    if (!more) break;
  }
  return found;
}

/** How one kind of result is found, changed and made. */
export interface ResultSteps {
  kind: ExternalResultKind;
  key: string;
  /** What there is of ours, the oldest first; where nothing can be removed one is enough. */
  find(): Promise<HostedResult[]>;
  create(): Promise<HostedResult>;
  update(id: string): Promise<HostedResult>;
  /** Takes back what was made although there is another one; null where the host cannot. */
  remove: ((id: string) => Promise<void>) | null;
  /** The attempt was begun before and lost: it may have made something that nobody has recorded. */
  repeated: boolean;
}

/**
 * Brings what is published up to date where it is: the recorded one, else one that is found, else a new one (docs/design/publishing.md). What
 * was made and never recorded is found the next time; of several that were made at once the one on the record stays.
 */
export async function publishInPlace(results: ExternalResults, steps: ResultSteps): Promise<HostedResult> {
  const { kind, key } = steps;
  const recorded = await results.get(kind, key);
  const updated = recorded && (await unlessGone(() => steps.update(recorded.id)));
  if (updated) {
    if (steps.repeated) await removeOthers(steps, await steps.find(), updated.id);
    return updated;
  }
  const there = await steps.find();
  const [oldest] = there;
  const adopted = oldest === undefined ? null : await unlessGone(() => steps.update(oldest.id));
  const result = adopted ?? (await steps.create());
  // Nothing is removed before the record says which one stays: others that are at it see the same.
  const kept = await results.put(kind, key, { result, replacing: recorded?.id ?? null });
  await removeOthers(steps, [...there, result], kept.id);
  return kept.id === result.id ? result : steps.update(kept.id);
}

/** For an attempt that was begun before, and has nothing to say by now: removes what it may have made and never recorded. */
export async function removeLost(results: ExternalResults, steps: ResultSteps): Promise<void> {
  const recorded = await results.get(steps.kind, steps.key);
  if (recorded !== null) await removeOthers(steps, await steps.find(), recorded.id);
}

async function removeOthers({ remove }: ResultSteps, there: HostedResult[], kept: string): Promise<void> {
  if (remove === null) return;
  const others = new Set(there.map(({ id }) => id).filter((id) => id !== kept));
  for (const id of others) await unlessGone(() => remove(id));
}
