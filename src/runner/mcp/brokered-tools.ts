import { isJsonObject } from '../../domain/json.js';
import type { JsonObject } from '../../domain/json.js';
import type { BrokeredAnswer } from '../contract/plane-answers.js';
import type { PlaneClient } from '../contract/plane-client.js';
import type { CanonicalTool, ToolOutcome } from '../tools/canonical-tool.js';
import { InvalidToolInputError } from '../tools/input-shape.js';
import type { BrokeredManifest, ToolManifest } from './server-manifest.js';
import { readAnswer } from './tool-answer.js';

/**
 * The tools of the run's connected services (chapter 20 §13). Nothing executes here: a call goes to the control plane, which puts
 * it to the gate and performs it with a credential that the sandbox never sees. Each call of the model gets an id of its own;
 * repetitions towards the plane keep it, so that none can reach the service twice.
 */
export function brokeredTools(
  manifests: readonly BrokeredManifest[],
  plane: Pick<PlaneClient, 'callTool'>,
): CanonicalTool[] {
  return manifests.flatMap(({ name: slot, tools }) => tools.map((tool) => brokeredTool(slot, tool, plane)));
}

function brokeredTool(
  slot: string,
  { name: tool, description, inputSchema }: ToolManifest,
  plane: Pick<PlaneClient, 'callTool'>,
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
      return { run: () => call(plane, name, input) };
    },
  };
}

async function call(plane: Pick<PlaneClient, 'callTool'>, tool: string, input: JsonObject): Promise<ToolOutcome> {
  return readBrokeredAnswer(await plane.callTool({ toolCallId: freshCallId(), tool, input }));
}

/** What the model reads of the broker's answer. */
export function readBrokeredAnswer(answer: BrokeredAnswer): ToolOutcome {
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
      return { text: answer.message, isError: true, note: 'failed' };
  }
}

/** Node's cryptography is loaded by the first call and not before the first heartbeat. */
function freshCallId(): string {
  return `bkr_${process.getBuiltinModule('node:crypto').randomUUID()}`;
}
