import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT, type ExitCode } from '../terminal/exit-codes.js';

type Version = Schemas['DocumentVersion'];

const UNDER_WAY = new Set<string>(['queued', 'processing', 'indexing']);

/**
 * Waits until a version has been read, or cannot be.
 *
 * @throws CliError `timeout` after `runs.timeout` seconds; reading goes on
 */
export async function awaitVersion(context: CliContext, documentId: string, version: number): Promise<Version> {
  const { 'runs.poll_interval': pollSecs, 'runs.timeout': mostSecs } = context.settings;
  const until = Date.now() + mostSecs * 1_000;
  for (;;) {
    const now = await context.api.object<Version>(`/api/documents/${documentId}/versions/${version}`);
    if (!UNDER_WAY.has(now.status)) return now;
    if (Date.now() >= until)
      throw new CliError(`version ${version} of ${documentId} is still ${now.status}; it goes on`, EXIT.timeout);
    await delay(Math.min(pollSecs * 1_000, Math.max(0, until - Date.now())));
  }
}

/** What the end of a version is to a script. */
export function exitOfVersion(version: Version): ExitCode {
  switch (version.status) {
    case 'failed':
    case 'quarantined':
      return EXIT.failed;
    case 'partial':
      return EXIT.partial;
    default:
      return EXIT.ok;
  }
}
