import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../../../src/domain/json.js';
import type { CliContext } from '../cli-context.js';
import { CliError, EXIT, type ExitCode } from '../terminal/exit-codes.js';

const UNDER_WAY = new Set(['queued', 'processing', 'indexing']);

/**
 * Waits until a version has been read, or cannot be.
 *
 * @throws CliError `timeout` after `runs.timeout` seconds; reading goes on
 */
export async function awaitVersion(context: CliContext, documentId: string, version: number): Promise<JsonObject> {
  const { 'runs.poll_interval': pollSecs, 'runs.timeout': mostSecs } = context.settings;
  const until = Date.now() + mostSecs * 1_000;
  for (;;) {
    const now = await context.api.object(`/api/documents/${documentId}/versions/${version}`);
    if (!UNDER_WAY.has(String(now['status']))) return now;
    if (Date.now() >= until)
      throw new CliError(`version ${version} of ${documentId} is still ${String(now['status'])}; it goes on`, EXIT.timeout);
    await delay(Math.min(pollSecs * 1_000, Math.max(0, until - Date.now())));
  }
}

/** What the end of a version is to a script. */
export function exitOfVersion(version: JsonObject): ExitCode {
  switch (version['status']) {
    case 'failed':
    case 'quarantined':
      return EXIT.failed;
    case 'partial':
      return EXIT.partial;
    default:
      return EXIT.ok;
  }
}
