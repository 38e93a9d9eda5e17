import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../domain/json.js';
import type { RefusalLog } from '../../bridge/refusal-log.js';
import { messageOf } from '../../log/failure-text.js';
import { toolCall } from '../governed-call.js';
import type { HarnessContext } from '../harness.js';
import type { CanUseTool, PermissionResult, PostToolUseFailureHook, PreToolUseHook } from './sdk.js';

interface AskedUse {
  tool: string;
  input: JsonObject;
  answer: Promise<PermissionResult>;
  /** Null until the gate has answered. */
  verdict: PermissionResult['behavior'] | null;
  /** The input that was allowed; what runs is this and nothing else. */
  allowed: JsonObject | null;
  /** Which connections had been refused when it was allowed. */
  refusalMark: number;
}

/**
 * Makes the program ask before each tool. `canUseTool` alone is no gate, because the program consults it only for calls that it
 * would ask a person about; the hook turns every call into such a one (docs/design/runner.md).
 */
export class ToolGate {
  readonly #uses = new Map<string, AskedUse>();

  /** Names of tools that the control plane puts to the gate itself, when it is asked to perform them. */
  readonly #brokered: ReadonlySet<string>;

  readonly #refusals: RefusalLog | undefined;

  constructor(private readonly context: HarnessContext) {
    this.#refusals = context.tools.network?.refusals;
    this.#brokered = new Set(context.mcpTools.filter((tool) => tool.brokered === true).map(({ name }) => name));
  }

  /** Without matcher and without I/O: whatever the tool is, the program asks. */
  readonly hook: PreToolUseHook = () =>
    Promise.resolve({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } });

  /** Tells the model of a failed call why connections were refused while it ran: tools show a status at most. */
  readonly failureHook: PostToolUseFailureHook = ({ tool_use_id: id = '' }) => {
    const use = this.#uses.get(id);
    const words = use?.verdict === 'allow' ? this.#refusals?.since(use.refusalMark) : null;
    if (words == null) return Promise.resolve({});
    return Promise.resolve({
      hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: `[${words}]` },
    });
  };

  /** Asks the gate under the model's own id, once for each use however often the program presents it. */
  readonly canUseTool: CanUseTool = (tool, input, { toolUseID }) => {
    const id = toolUseID ?? `tu_${randomUUID()}`;
    const known = this.#uses.get(id);
    if (known?.tool === tool && isDeepStrictEqual(known.input, input)) return known.answer;
    const use: AskedUse = {
      tool,
      input,
      answer: Promise.resolve(REFUSED),
      verdict: null,
      allowed: null,
      refusalMark: 0,
    };
    use.answer = this.#ask(id, use);
    this.#uses.set(id, use);
    return use.answer;
  };

  /** The gate's answer for a use; null when it was not asked or has not answered. */
  verdictOf(id: string): PermissionResult['behavior'] | null {
    return this.#uses.get(id)?.verdict ?? null;
  }

  /** Takes the allowed input of a use, once: a call that was not allowed under this id and name, or that ran already, has none. */
  takeAllowed(id: unknown, tool: string): JsonObject | null {
    const use = typeof id === 'string' ? this.#uses.get(id) : undefined;
    if (use?.tool !== tool || use.allowed === null) return null;
    const { allowed } = use;
    use.allowed = null;
    return allowed;
  }

  /** Whether the use is one whose outcome the control plane records. */
  isBrokered(tool: string): boolean {
    return this.#brokered.has(tool);
  }

  async #ask(id: string, use: AskedUse): Promise<PermissionResult> {
    if (this.isBrokered(use.tool)) return this.#allow(use, use.input);
    try {
      const answer = await this.context.contract.permission(toolCall(id, use.tool, use.input));
      this.context.signal.throwIfAborted();
      this.context.log(`${id} ${use.tool}: ${answer.decision === 'allow' ? 'allowed' : 'denied'}`);
      if (answer.decision === 'allow') return this.#allow(use, answer.updatedInput ?? use.input);
      use.verdict = 'deny';
      return { behavior: 'deny', message: `The call was denied: ${answer.message}` };
    } catch (error) {
      // No verdict, so no call; the run is over or its credential was refused.
      this.context.log(`${id} ${use.tool}: not asked, ${messageOf(error)}`);
      return REFUSED;
    }
  }

  #allow(use: AskedUse, input: JsonObject): PermissionResult {
    use.verdict = 'allow';
    use.allowed = input;
    use.refusalMark = this.#refusals?.mark ?? 0;
    return { behavior: 'allow', updatedInput: input };
  }
}

const REFUSED: PermissionResult = { behavior: 'deny', message: 'The call could not be put to the gate.' };
