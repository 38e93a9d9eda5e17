import { isJsonObject } from '../../domain/json.js';
import type { JsonValue } from '../../domain/json.js';
import { textOf } from '../server/event-data.js';
import type { RunEvent, Session, UsageTotals } from '../server/wire.js';
import type { RecordedRequest } from './model-script.js';
import { DEPLOY_COMMAND, NETWORK_COMMAND, REPAIRED, TURNS } from './scenario.js';

export interface Evidence {
  readonly session: Session;
  readonly events: readonly RunEvent[];
  readonly cost: UsageTotals;
  readonly diff: string;
  readonly requests: readonly RecordedRequest[];
  /** How the approval was decided. */
  readonly decision: string | undefined;
}

type DemoPromise = readonly [text: string, kept: (evidence: Evidence) => boolean];

/** What the demo promises; it fails when one is not kept. */
const PROMISES: readonly DemoPromise[] = [
  ['the run completed', ({ session }) => session.status === 'completed'],
  ['the test failed first', ({ requests }) => resultOfTurn(requests, TURNS.failingTest)?.isError === true],
  ['the test passed after the repair', ({ requests }) => resultOfTurn(requests, TURNS.passingTest)?.isError === false],
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
  ['the model calls were metered', ({ cost }) => cost.requests >= Object.keys(TURNS).length && cost.cost_usd > 0],
  [
    'the timeline has no gap',
    ({ events }) => events.length > 0 && events.every((event, index) => event.seq === index + 1),
  ],
];

/** Every promise with whether it was kept. */
export function checkPromises(evidence: Evidence): { text: string; kept: boolean }[] {
  return PROMISES.map(([text, kept]) => ({ text, kept: kept(evidence) }));
}

function deploymentFollowedDecision({ events, requests, decision }: Evidence): boolean {
  const allowed = decision === 'approved_once' || decision === 'approved_session';
  const expected = allowed ? 'allow by human' : 'deny by human';
  const ran = resultOfTurn(requests, TURNS.deploy)?.text.includes('deployed to staging') === true;
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

/** What the tool of a turn answered, as the model was told in the next request. */
function resultOfTurn(
  requests: readonly RecordedRequest[],
  turn: number,
): { isError: boolean; text: string } | undefined {
  const messages = requests.at(-1)?.body['messages'];
  if (!Array.isArray(messages)) return undefined;
  const results = messages
    .flatMap((message) => (isJsonObject(message) && Array.isArray(message['content']) ? message['content'] : []))
    .filter(isToolResult);
  const result = results[turn];
  return result === undefined
    ? undefined
    : { isError: result['is_error'] === true, text: JSON.stringify(result['content'] ?? '') };
}

function isToolResult(block: JsonValue): block is Record<string, JsonValue> {
  return isJsonObject(block) && block['type'] === 'tool_result';
}
