import { textOf } from '../server/event-data.js';
import type { RunEvent, Session, UsageTotals } from '../server/wire.js';
import type { RecordedRequest } from './wire/model-script.js';
import { toolResults } from './wire/wire-format.js';
import { DEPLOYED, DEPLOY_COMMAND, NETWORK_COMMAND, REPAIRED, TURNS } from './scenario.js';

export interface Evidence {
  readonly session: Session;
  readonly events: readonly RunEvent[];
  readonly cost: UsageTotals;
  readonly diff: string;
  /** Whether the harness calls a model at all. */
  readonly callsModel: boolean;
  readonly requests: readonly RecordedRequest[];
  /** How the approval was decided. */
  readonly decision: string | undefined;
}

type DemoPromise = readonly [text: string, kept: (evidence: Evidence) => boolean];

/** What the demo promises; it fails when one is not kept. */
const PROMISES: readonly DemoPromise[] = [
  ['the run completed', ({ session }) => session.status === 'completed'],
  ['the test failed first', (evidence) => outcomeOfTurn(evidence, TURNS.failingTest) === 'failed'],
  ['the test passed after the repair', (evidence) => outcomeOfTurn(evidence, TURNS.passingTest) === 'done'],
  [
    'the network command was denied by policy',
    ({ events }) => decisionOf(events, NETWORK_COMMAND) === 'deny by policy',
  ],
  [
    'the deployment waited for a decision',
    ({ events }) =>
      events.some((event) => event.type === 'approval.requested' && summaryOf(event).includes(DEPLOY_COMMAND)),
  ],
  ['the decision of the approval was carried out', deploymentFollowedDecision],
  [
    'the diff holds the repair and nothing else',
    ({ diff }) => diff.includes(`+  ${REPAIRED}`) && diff.split('\ndiff --git ').length === 1,
  ],
  [
    'the timeline has no gap',
    ({ events }) => events.length > 0 && events.every((event, index) => event.seq === index + 1),
  ],
];

const METERED: DemoPromise = [
  'the model calls were metered',
  ({ cost, requests }) => cost.requests === requests.length && cost.requests > 0 && cost.cost_usd > 0,
];
const WITHOUT_MODEL: DemoPromise = [
  'no model was called and nothing was spent',
  ({ cost }) => cost.requests === 0 && cost.cost_usd === 0,
];

/** Every promise with whether it was kept. */
export function checkPromises(evidence: Evidence): { text: string; kept: boolean }[] {
  return [...PROMISES, evidence.callsModel ? METERED : WITHOUT_MODEL].map(([text, kept]) => ({
    text,
    kept: kept(evidence),
  }));
}

function deploymentFollowedDecision(evidence: Evidence): boolean {
  const { events, decision } = evidence;
  const allowed = decision === 'approved_once' || decision === 'approved_session';
  const expected = allowed ? 'allow by human' : 'deny by human';
  const ran = outcomeOfTurn(evidence, TURNS.deploy) === 'done';
  return decision !== undefined && decisionOf(events, DEPLOY_COMMAND) === expected && ran === allowed;
}

function decisionOf(events: readonly RunEvent[], command: string): string | undefined {
  const asked = events.find((event) => event.type === 'tool.requested' && summaryOf(event).includes(command));
  const id = asked?.payload.data['tool_call_id'];
  const decided = events.find((event) => event.type === 'tool.decision' && event.payload.data['tool_call_id'] === id);
  return decided === undefined
    ? undefined
    : `${textOf(decided.payload.data, 'verdict')} by ${textOf(decided.payload.data, 'source')}`;
}

function summaryOf(event: RunEvent): string {
  return textOf(event.payload.data, 'summary');
}

type Outcome = 'done' | 'failed' | 'not run';

/** Each harness has its own wording, and only one format has a mark for it. */
const FAILED = /\bexit(?:ed with)? code:? [1-9]/i;

/**
 * The outcome of the call of a turn: as the model was told in the next request, or as the timeline records it where there is no
 * model.
 */
function outcomeOfTurn({ events, requests, callsModel }: Evidence, turn: number): Outcome {
  if (!callsModel) return outcomeOnRecord(events, turn);
  const last = requests.at(-1);
  const result = last === undefined ? undefined : toolResults(last.wire, last.body)[turn];
  if (result === undefined) return 'not run';
  if (turn === TURNS.deploy) return result.text.includes(DEPLOYED) ? 'done' : 'not run';
  return result.isError || FAILED.test(result.text) ? 'failed' : 'done';
}

function outcomeOnRecord(events: readonly RunEvent[], turn: number): Outcome {
  const id = events.filter((event) => event.type === 'tool.requested')[turn]?.payload.data['tool_call_id'];
  const ended = events.find((event) => event.type === 'tool.completed' && event.payload.data['tool_call_id'] === id);
  if (ended === undefined) return 'not run';
  return ended.payload.data['ok'] === true ? 'done' : 'failed';
}
