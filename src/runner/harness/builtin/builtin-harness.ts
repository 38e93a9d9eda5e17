import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicError, APIError } from '@anthropic-ai/sdk';
import type Anthropic from '@anthropic-ai/sdk';
import type { JsonValue } from '../../../domain/json.js';
import { isMcpName } from '../../../domain/tools/mcp-name.js';
import { toolCall } from '../governed-call.js';
import type { Harness, HarnessContext, HarnessResult } from '../harness.js';
import { gatedTools, offeredTools } from './gated-tools.js';
import { createModelClient } from './model-client.js';
import { buildSystemPrompt } from './system-prompt.js';

type Message = Anthropic.Beta.BetaMessage;
type Conversation = Anthropic.Beta.BetaMessageParam[];

const MAX_OUTPUT_TOKENS = 16_384;
/** Replies in a row that may break off before the run gives up; each repetition is paid for. */
const MAX_BROKEN_REPLIES = 3;
const MAX_REASON = 600;
/** A name this long is no model's; the answer that names it must stay under the 2 KiB of 04-sandbox §1. */
const MAX_TOOL_NAME = 256;

/**
 * A small agent: the SDK's tool loop over the model gateway with the canonical tools. Ends when the model stops calling
 * tools, refuses, or has used its turns.
 */
export const builtinHarness: Harness = {
  run: async (context) => {
    await context.narrator.say('harness', `The built-in agent starts with model ${context.settings.model}.`);
    await tellHiddenTools(context);
    try {
      return await new AgentLoop(context).run();
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof AnthropicError)) throw error;
      return { outcome: 'failed', summary: describeModelError(error) };
    }
  },
};

class AgentLoop {
  readonly #client: Anthropic;
  readonly #tools: ReturnType<typeof gatedTools>;
  #conversation: Conversation;
  #turns = 0;
  #brokenReplies = 0;

  constructor(private readonly context: HarnessContext) {
    this.#client = createModelClient(context.model);
    this.#tools = gatedTools(context);
    this.#conversation = [{ role: 'user', content: context.settings.task }];
  }

  async run(): Promise<HarnessResult> {
    for (;;) {
      const last = await this.#converse();
      if (last !== null) return this.#conclude(last);
      this.#brokenReplies += 1;
      this.context.log(`the model's reply broke off (${this.#brokenReplies} in a row); asking again`);
      await sleep(this.context.plane.timing.brokenReplyStepMs * this.#brokenReplies, undefined, {
        signal: this.context.signal,
      });
    }
  }

  /** Runs the loop to the model's last message; null when a reply broke off and may be asked for again. */
  async #converse(): Promise<Message | null> {
    const { settings, signal } = this.context;
    const runner = this.#client.beta.messages.toolRunner(
      {
        model: settings.model,
        max_tokens: MAX_OUTPUT_TOKENS,
        system: buildSystemPrompt(settings.systemPrompt),
        tools: this.#tools,
        messages: this.#conversation,
        // Each turn repeats the whole conversation; without the provider's cache its price would grow with the square of the turns.
        cache_control: { type: 'ephemeral' },
        // The whole conversation goes with every request: gateways know no server-side threads, and the run's record must not live there.
        thread: false,
        stream: true,
        max_iterations: settings.maxTurns - this.#turns,
      },
      { signal },
    );
    let last: Message | null = null;
    try {
      for await (const reply of runner) {
        this.#conversation = [...runner.params.messages];
        last = await reply.finalMessage();
        this.#turns += 1;
        this.#brokenReplies = 0;
        await this.#narrate(last);
      }
      return last;
    } catch (error) {
      if (!this.#mayAskAgain(error)) throw error;
      return null;
    }
  }

  async #narrate(message: Message): Promise<void> {
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() !== '') await this.context.narrator.say('agent', block.text);
      if (block.type === 'tool_use' && block.name.length > MAX_TOOL_NAME) {
        throw new AnthropicError(`the model called a tool whose name has ${block.name.length} characters`);
      }
      if (block.type === 'tool_use') await this.#askUnknown(block);
    }
  }

  /**
   * A name of an MCP tool that this run does not have, for one that its keep-list took away. The loop answers it as unknown;
   * asking makes the attempt and its denial part of the record.
   */
  async #askUnknown({ id, name, input }: Anthropic.Beta.BetaToolUseBlock): Promise<void> {
    if (!isMcpName(name) || this.#tools.some((tool) => tool.name === name)) return;
    const answer = await this.context.plane.permission(toolCall(id, name, input as JsonValue));
    this.context.log(`${id} ${name}: ${answer.decision === 'deny' ? 'denied' : 'unknown to this harness'}`);
  }

  #mayAskAgain(error: unknown): boolean {
    if (this.context.signal.aborted || this.#brokenReplies >= MAX_BROKEN_REPLIES) return false;
    // A status means that the gateway answered, and the client has retried what may be retried.
    return error instanceof APIError ? error.status === undefined : error instanceof AnthropicError;
  }

  #conclude(last: Message): HarnessResult {
    const text = finalText(last);
    switch (last.stop_reason) {
      case 'end_turn':
      case 'stop_sequence':
        return { outcome: 'completed', summary: text || 'The agent finished without a closing message.' };
      case 'refusal':
        return { outcome: 'failed', summary: `The model refused to go on. ${text}`.trim() };
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return {
          outcome: 'failed',
          summary: `The model reached its token limit (${last.stop_reason}). ${text}`.trim(),
        };
      default:
        return { outcome: 'failed', summary: `The agent was stopped after ${this.#turns} model turns. ${text}`.trim() };
    }
  }
}

/** Frozen tools that the model will not see, or that will not work, are told: a person would look for the reason. */
async function tellHiddenTools(context: HarnessContext): Promise<void> {
  const { tools } = context.sandboxTools;
  const offered = new Set(offeredTools(context).map(({ name }) => name));
  const hidden = tools.map(({ name }) => name).filter((name) => !offered.has(name));
  if (hidden.length > 0)
    await context.narrator.say(
      'harness',
      `Not shown to the model, whose provider takes names of A-Z a-z 0-9 _ - up to 128 characters: ${hidden.join(', ')}`,
    );
}

function finalText(message: Message): string {
  return message.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
}

function describeModelError(error: AnthropicError): string {
  const status = error instanceof APIError && error.status !== undefined ? ` with status ${error.status}` : '';
  return `The model request failed${status}: ${error.message.slice(0, MAX_REASON).toWellFormed()}`;
}
