import { isJsonObject } from '../../domain/json.js';
import type { BrokeredAnswer } from '../contract/contract-answers.js';
import type { Narrator } from '../contract/narrator.js';
import type { ContractClient, ToolCallRequest } from '../contract/contract-client.js';
import type { CanonicalTool, ToolOutcome } from '../tools/canonical-tool.js';
import { InvalidToolInputError } from '../tools/input-shape.js';
import type { BrokeredManifest, ToolManifest } from '../launch/server-manifest.js';
import { readAnswer } from './tool-answer.js';

/**
 * The tools of the run's connected services (docs/design/runner.md). Nothing executes here: a call goes to the control plane, which puts
 * it to the gate and performs it with a credential that the sandbox never sees. Each call of the model gets an id of its own;
 * repetitions of the request keep it, so that none can reach the service twice.
 */
export function brokeredTools(manifests: readonly BrokeredManifest[], broker: Broker): CanonicalTool[] {
  return manifests.flatMap(({ name: slot, tools }) => tools.map((tool) => brokeredTool(slot, tool, broker)));
}

/** The client of the broker, and the narrator for calls of unknown outcome. */
export interface Broker {
  contract: Pick<ContractClient, 'callTool'>;
  narrator: Pick<Narrator, 'say'>;
}

function brokeredTool(
  slot: string,
  { name: tool, description, inputSchema }: ToolManifest,
  broker: Broker,
): CanonicalTool {
  const name = `mcp__${slot}__${tool}`;
  return {
    name,
    description,
    // Providers ask for the type; arguments of a tool are an object in any case.
    inputSchema: { ...inputSchema, type: 'object' },
    brokered: true,
    prepare: (input) => {
      if (!isJsonObject(input)) throw new InvalidToolInputError('the input must be a JSON object');
      return { run: () => callBroker(broker, { toolCallId: freshCallId(), tool: name, input }) };
    },
  };
}

/** One call under the given id. A call that stays without an answer is put on the timeline, because a person may have to look. */
export async function callBroker({ contract, narrator }: Broker, call: ToolCallRequest): Promise<ToolOutcome> {
  const answer = await contract.callTool(call);
  if (answer.kind === 'unanswered') await narrator.say('harness', `${call.tool}: ${answer.message}`);
  return readBrokeredAnswer(answer);
}

/** What the model reads of the broker's answer. */
function readBrokeredAnswer(answer: BrokeredAnswer): ToolOutcome {
  switch (answer.kind) {
    case 'answered': {
      const { content, structuredContent, isError } = answer;
      const whole = { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
      return { ...readAnswer({ ...whole, isError } as Parameters<typeof readAnswer>[0]), mcp: whole };
    }
    case 'denied':
      return {
        text: `The call was denied: ${answer.message}`,
        isError: true,
        note: 'denied',
        denied: answer.message,
      };
    case 'failed':
    case 'unanswered':
      return { text: answer.message, isError: true, note: answer.kind };
  }
}

/** Node's cryptography is loaded by the first call and not before the first heartbeat. */
function freshCallId(): string {
  return `bkr_${process.getBuiltinModule('node:crypto').randomUUID()}`;
}
