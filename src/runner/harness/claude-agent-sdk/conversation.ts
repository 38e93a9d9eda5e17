import { isMcpName } from '../../../domain/tools/mcp-name.js';
import { boundedReason } from '../bounded-reason.js';
import { toolCall } from '../governed-call.js';
import type { HarnessContext, HarnessResult } from '../harness.js';
import { UngovernedToolError } from '../ungoverned-tool-error.js';
import type { ContentBlock, ProgramMessage } from './sdk.js';
import type { ToolGate } from './tool-gate.js';

/**
 * A result that the program made up itself, for an unknown tool or invalid input, is an error of this size at most
 * (docs/design/model-gateway.md).
 */
const MAX_OWN_REFUSAL_BYTES = 2_048;

export interface ConversationSetup {
  gate: ToolGate;
  /** Names that the program may offer to the model. */
  tools: readonly string[];
  servers: readonly string[];
}

/**
 * Reads the program's messages: posts narrative, finds the outcome, and trips when a tool use has a result although the
 * gate did not allow it. The tripwire detects, the gate's hook prevents (docs/design/runner.md).
 */
export class Conversation {
  readonly #seen = new Map<string, string>();
  #result: HarnessResult | null = null;

  constructor(
    private readonly context: HarnessContext,
    private readonly setup: ConversationSetup,
  ) {}

  /** Null until the program has reported the end of its work. */
  get result(): HarnessResult | null {
    return this.#result;
  }

  /** @throws UngovernedToolError */
  async take(message: ProgramMessage): Promise<void> {
    switch (message.type) {
      case 'system':
        if (message.subtype === 'init') await this.#begin(message);
        return;
      case 'assistant':
        return this.#say(message);
      case 'user':
        return this.#check(blocksOf(message.message.content));
      case 'result':
        this.#result = this.#conclude(message);
        await this.#tellCost(message.total_cost_usd);
    }
  }

  async #begin(message: Extract<ProgramMessage, { type: 'system' }>): Promise<void> {
    const { tools, servers } = this.setup;
    const offered = message.tools ?? [];
    const foreign = offered.filter((name) => !tools.includes(name));
    const mode = message.permissionMode ?? 'unknown';
    const extra = (message.mcp_servers ?? []).map(({ name }) => name).filter((name) => !servers.includes(name));
    const wrong = [
      ...foreign.map((name) => `tool ${name}`),
      ...extra.map((name) => `MCP server ${name}`),
      ...(mode === 'default' ? [] : [`permission mode ${mode}`]),
    ];
    if (wrong.length > 0) {
      const summary = boundedReason(`Claude Code did not start as it was configured: ${wrong.join(', ')}`);
      this.#result = { outcome: 'failed', summary };
      return;
    }
    const version = message.claude_code_version ?? 'of an unknown version';
    await this.context.narrator.say(
      'harness',
      `Claude Code ${version} starts with model ${this.context.settings.model}.`,
    );
    if (servers.length > 0)
      await this.context.narrator.say('harness', `MCP servers of this run: ${servers.join(', ')}`);
  }

  async #say({ error, message }: Extract<ProgramMessage, { type: 'assistant' }>): Promise<void> {
    for (const block of message.content) {
      // A message with an error is the program's own words about a request that failed; the outcome repeats it.
      if (block.type === 'text' && error === undefined && block.text.trim() !== '')
        await this.context.narrator.say('agent', block.text);
      if (block.type === 'tool_use') this.#note(block);
    }
    if (error !== undefined) this.#inspect(message.content);
  }

  /**
   * A name of an MCP tool that this run does not have is answered by the program as unknown. Asking makes the attempt and its
   * denial part of the record; nothing waits for it, and nothing is done with the answer.
   */
  #note({ id, name, input }: Extract<ContentBlock, { type: 'tool_use' }>): void {
    this.#seen.set(id, name);
    if (!isMcpName(name) || this.setup.tools.includes(name)) return;
    this.context.contract.permission(toolCall(id, name, input)).then(
      (answer) =>
        this.context.log(`${id} ${name}: ${answer.decision === 'deny' ? 'denied' : 'unknown to this harness'}`),
      () => this.context.log(`${id} ${name}: not asked, the run ended`),
    );
  }

  /** A refusal of our own credential ends the run, as on every other route. */
  #inspect(content: ContentBlock[]): void {
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    if (text.includes('wrong_audience')) this.context.contract.inspectRefusal('llm', 403, text);
  }

  #check(blocks: ContentBlock[]): void {
    for (const block of blocks) {
      if (block.type !== 'tool_result') continue;
      const { tool_use_id: id, is_error: isError = false } = block;
      const tool = this.#seen.get(id);
      if (tool === undefined) continue;
      this.#seen.delete(id);
      const verdict = this.setup.gate.verdictOf(id);
      const refused = isError && (verdict === 'deny' || isShort(block.content));
      if (verdict !== 'allow' && !refused) throw new UngovernedToolError(id, tool);
      if (verdict === 'allow' && !this.setup.gate.isBrokered(tool))
        void this.context.narrator.toolCompleted(id, tool, !isError, isError ? 'failed' : 'done');
    }
  }

  #conclude(message: Extract<ProgramMessage, { type: 'result' }>): HarnessResult {
    if (message.subtype === 'success' && !message.is_error)
      return { outcome: 'completed', summary: message.result || 'The agent finished without a closing message.' };
    return { outcome: 'failed', summary: failureText(message, this.context.settings.maxTurns) };
  }

  async #tellCost(cost: number | undefined): Promise<void> {
    if (cost === undefined) return;
    await this.context.narrator.say(
      'harness',
      `Claude Code's own estimate of the cost: $${cost.toFixed(4)}. What counts is what the gateway metered.`,
    );
  }
}

function failureText(message: Extract<ProgramMessage, { type: 'result' }>, maxTurns: number): string {
  if (message.subtype === 'error_max_turns') return `The agent was stopped after ${maxTurns} model turns.`;
  const words = message.subtype === 'success' ? message.result : (message.errors ?? []).join('; ');
  return boundedReason(`Claude Code stopped: ${words || message.subtype}`);
}

function blocksOf(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [] : content;
}

function isShort(content: unknown): boolean {
  return Buffer.byteLength(JSON.stringify(content ?? '')) <= MAX_OWN_REFUSAL_BYTES;
}
