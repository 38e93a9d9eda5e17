import type { BenchStack } from '../bench-stack.js';
import { addCaller } from '../identity-population.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { getRequest } from '../load/http-connection.js';
import { prepareRuns, retireRuns, seededPolicy } from '../prepared-runs.js';
import { atLeast } from '../row.js';
import type { BenchOptions, BenchRow } from './bench-row.js';

const CALLERS = 16;
const RUNS = 20;
const TURNS = 20;

type Credential = 'admin' | 'cookie' | 'token';
type Headers = Record<Credential, Record<string, string>>;

interface Reads {
  perSecond: number;
  /** Processor time of the API for one of them, which depends little on what else the machine does. */
  apiMs: number;
}

type Turn = Record<Credential, Reads>;

/** Reads by a browser session and by a personal token beside the same reads by the admin token, in turns. */
export const identityReads: BenchRow = {
  name: 'identity-reads',
  timeoutMs: 120_000,
  async measure(stack, options) {
    const { caller, browser } = await addCaller(stack, 'owner');
    const runs = await prepareRuns(stack, RUNS, { policy: seededPolicy('standard') });
    const headers: Headers = {
      admin: { authorization: `Bearer ${stack.adminToken}` },
      cookie: { cookie: browser.cookie },
      token: { authorization: `Bearer ${caller.token}` },
    };
    const found = {
      org: await takeTurns(stack, options, headers, '/v1/org'),
      run: await takeTurns(stack, options, headers, `/v1/sessions/${runs[0]!.runId}`),
      runs: await takeTurns(stack, options, headers, `/v1/sessions?limit=${RUNS}`),
    };
    await retireRuns(stack, runs);
    const persons = figuresOf(found, ['cookie', 'token']);
    return {
      values: persons,
      unit: Object.fromEntries(
        Object.keys(persons).map((name) => [name, name.endsWith('_api') ? 'ms of processor' : 'reads/s']),
      ),
      baseline: figuresOf(found, ['admin']),
      targets: Object.entries(found).flatMap(([read, turns]) =>
        (['cookie', 'token'] as const).map((by) =>
          atLeast(`${read} by ${by}, share of the admin token's`, shareOf(turns, by), 0.8, '×'),
        ),
      ),
      notes: [
        `${CALLERS} callers; org: GET /v1/org, which reads one row; run: GET /v1/sessions/{id}; runs: GET /v1/sessions of ${RUNS}; by an owner, who sees what the admin token does`,
        'baseline: the same by the admin token in the same turns; figures and shares are medians of the turns',
      ],
    };
  },
};

/** After one turn that is not counted. */
async function takeTurns(stack: BenchStack, { quick }: BenchOptions, headers: Headers, path: string): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let turn = 0; turn <= (quick ? 1 : TURNS); turn += 1) {
    const ms = turn === 0 && !quick ? 1500 : 400;
    const [admin, cookie] = [await read(stack, path, headers.admin, ms), await read(stack, path, headers.cookie, ms)];
    turns.push({ admin, cookie, token: await read(stack, path, headers.token, ms) });
  }
  return turns.slice(1);
}

async function read(stack: BenchStack, path: string, headers: Record<string, string>, ms: number): Promise<Reads> {
  const request = getRequest(path, headers);
  const before = stack.processorMs('api');
  const loop = { callers: CALLERS, warmMs: 0, ms };
  const result = await exchangeLoop(
    stack.port,
    loop,
    () => request,
    ({ status }) => status === 200,
  );
  return { perSecond: result.perSecond, apiMs: (stack.processorMs('api') - before) / result.count };
}

function figuresOf(found: Record<string, Turn[]>, credentials: Credential[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, turns]) =>
      credentials.flatMap((by) => [
        [`${name}_by_${by}`, medianOf(turns.map((turn) => turn[by].perSecond))],
        [`${name}_by_${by}_api`, medianOf(turns.map((turn) => turn[by].apiMs))],
      ]),
    ),
  );
}

function shareOf(turns: Turn[], by: Credential): number {
  return medianOf(turns.map((turn) => turn[by].perSecond / turn.admin.perSecond));
}

function medianOf(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}
