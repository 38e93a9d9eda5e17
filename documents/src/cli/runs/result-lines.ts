import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { runPath } from './run-reference.js';

/** What one document came to, or all of a combined run. */
export type DocumentResult = Schemas['DocumentResultView'];

/** Which result of a run is asked for. */
export interface AskedResult {
  attempt?: string | undefined;
  /** With what each confidence is made of. */
  signals?: boolean | undefined;
}

/** The members of a request for a result. */
export function resultQuery({ attempt, signals }: AskedResult): { attempt: string | undefined; include?: string } {
  return { attempt, ...(signals === true ? { include: 'signals' } : {}) };
}

/** Result after result, so that those of many documents are never held together. @throws CliError while the run has none */
export async function* resultLines(
  context: CliContext,
  id: string,
  asked: AskedResult,
): AsyncGenerator<DocumentResult> {
  const path = `${runPath(id)}/result`;
  const query = { ...resultQuery(asked), format: 'jsonl' };
  const answer = await context.api.send(path, { query, headers: { accept: 'application/x-ndjson' } });
  if (answer.status === 202 || answer.body === null) throw notYet(id);
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body), crlfDelay: Infinity })) {
    if (line !== '') yield JSON.parse(line) as DocumentResult;
  }
}

/** All of it as one object. @throws CliError while the run has none */
export async function wholeResult(
  context: CliContext,
  id: string,
  asked: AskedResult,
): Promise<Schemas['ExtractionResultView']> {
  const path = `${runPath(id)}/result`;
  const answer = await context.api.send(path, { query: resultQuery(asked) });
  if (answer.status === 202) throw notYet(id);
  return (await answer.json()) as Schemas['ExtractionResultView'];
}

function notYet(id: string): CliError {
  return new CliError(`run ${id} has not ended; docsvc runs wait ${id} waits for it`, EXIT.timeout);
}
