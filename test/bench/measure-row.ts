import { loadavg } from 'node:os';
import { round, rounded, type FailedRow, type RowFindings, type RowResult } from './row.js';

/** Measures one row within its time; a row that fails or takes too long is reported as such and stops nothing. */
export async function measureRow(
  name: string,
  patienceMs: number,
  work: () => Promise<RowFindings>,
): Promise<RowResult | FailedRow> {
  const start = performance.now();
  const load = loadavg()[0] ?? 0;
  const seconds = (): number => round((performance.now() - start) / 1000);
  try {
    if (patienceMs <= 0) throw new Error('not measured: the time of the whole benchmark was over');
    const found = await within(patienceMs, work());
    const met = found.targets.every((target) => target.met);
    process.stderr.write(`bench: ${name} ${met ? 'met' : 'SHORT'} in ${seconds()} s\n`);
    const figures = { values: rounded(found.values), baseline: rounded(found.baseline) };
    return { name, ...found, ...figures, met, seconds: seconds(), load: round(load) };
  } catch (error) {
    const causes = causesOf(error);
    for (const cause of causes) process.stderr.write(`bench: ${name} failed: ${cause.stack}\n`);
    const told = causes.map((cause) => cause.message).join('; then, while it ended: ');
    return { name, met: false, error: told, seconds: seconds() };
  }
}

/** The first is what went wrong; what ends with a block (`await using`) may have failed after it, and must not hide it. */
function causesOf(error: unknown): Error[] {
  if (error instanceof SuppressedError) return [...causesOf(error.suppressed), ...causesOf(error.error)];
  return [error instanceof Error ? error : new Error(String(error))];
}

/** The one document on stdout. */
export async function printReport(report: object): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(report, null, 2)}\n`, () => resolve()));
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${Math.round(ms / 1000)} s`)), ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
