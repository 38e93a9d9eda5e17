import type { BenchStack } from '../bench-stack.js';
import { addCaller } from '../identity-population.js';
import type { LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { getRequest } from '../load/http-connection.js';
import { prepareRuns, retireRuns, seededPolicy } from '../prepared-runs.js';
import { atLeast } from '../row.js';
import type { BenchOptions, BenchRow } from './bench-row.js';

const CALLERS = 16;
const RUNS = 20;
const CREDENTIALS = ['admin', 'cookie', 'token'] as const;
type Credential = (typeof CREDENTIALS)[number];
type Round = Record<Credential, LoopResult>;

/** Reads by a browser session and by a personal token beside the same reads by the admin token, in turns. */
export const identityReads: BenchRow = {
  name: 'identity-reads',
  timeoutMs: 120_000,
  async measure(stack, options) {
    const { caller, browser } = await addCaller(stack, 'owner');
    const runs = await prepareRuns(stack, RUNS, { policy: seededPolicy('standard') });
    const headers: Record<Credential, Record<string, string>> = {
      admin: { authorization: `Bearer ${stack.adminToken}` },
      cookie: { cookie: browser.cookie },
      token: { authorization: `Bearer ${caller.token}` },
    };
    const reads = { run: `/v1/sessions/${runs[0]!.runId}`, runs: `/v1/sessions?limit=${RUNS}` };
    const found = await measureReads(stack, options, headers, reads);
    await retireRuns(stack, runs);
    return {
      values: figuresOf(found, ['cookie', 'token']),
      unit: Object.fromEntries(
        Object.keys(reads).flatMap((read) => ['cookie', 'token'].map((by) => [`${read}_by_${by}`, 'reads/s'])),
      ),
      baseline: figuresOf(found, ['admin']),
      targets: Object.entries(found).flatMap(([read, rounds]) =>
        (['cookie', 'token'] as const).map((by) =>
          atLeast(`share of the admin token's: ${read} by ${by}`, shareOf(rounds, by), 0.8, '×'),
        ),
      ),
      notes: [
        `${CALLERS} callers; run: GET /v1/sessions/{id}, runs: GET /v1/sessions with ${RUNS} runs, both by an owner, who sees what the admin token does`,
        'baseline: the same by the admin token, in turns; shares are medians of the turns',
      ],
    };
  },
};

async function measureReads(
  stack: BenchStack,
  { quick }: BenchOptions,
  headers: Record<Credential, Record<string, string>>,
  reads: Record<string, string>,
): Promise<Record<string, Round[]>> {
  const found: Record<string, Round[]> = {};
  for (const [read, path] of Object.entries(reads)) {
    const rounds: Round[] = [];
    for (let round = 0; round < (quick ? 1 : 7); round += 1) {
      const results: Partial<Round> = {};
      for (const by of CREDENTIALS) {
        const loop = { callers: CALLERS, warmMs: quick || round > 0 ? 200 : 2000, ms: quick ? 300 : 1200 };
        const request = getRequest(path, headers[by]);
        results[by] = await exchangeLoop(
          stack.port,
          loop,
          () => request,
          ({ status }) => status === 200,
        );
      }
      rounds.push(results as Round);
    }
    found[read] = rounds;
  }
  return found;
}

function figuresOf(found: Record<string, Round[]>, credentials: Credential[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([read, rounds]) =>
      credentials.map((by) => [`${read}_by_${by}`, medianOf(rounds.map((round) => round[by].perSecond))]),
    ),
  );
}

function shareOf(rounds: Round[], by: Credential): number {
  return medianOf(rounds.map((round) => round[by].perSecond / round.admin.perSecond));
}

function medianOf(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}
