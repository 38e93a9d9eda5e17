import { AnthropicError, APIError } from '@anthropic-ai/sdk';
import type Anthropic from '@anthropic-ai/sdk';
import type { JsonValue } from '../../../domain/json.js';
import { isMcpName } from '../../../domain/tools/mcp-name.js';
import type { CanonicalTool } from '../../tools/canonical-tool.js';
import { toolCall } from '../governed-call.js';
import type { HarnessContext, HarnessResult } from '../harness.js';
import { gatedTools } from './gated-tools.js';
import {
  checkedName,
  completedWith,
  failedRequest,
  outOfTokens,
  outOfTurns,
  refusedToGoOn,
  UnusableReplyError,
} from './loop-end.js';
import { messagesClient } from './messages-client.js';
import { Patience } from './patience.js';
import { buildSystemPrompt } from './system-prompt.js';

type Message = Anthropic.Beta.BetaMessage;
type Conversation = Anthropic.Beta.BetaMessageParam[];

const MAX_OUTPUT_TOKENS = 16_384;

/** The SDK's own tool loop over Anthropic Messages. */
export async function runMessagesLoop(context: HarnessContext, tools: CanonicalTool[]): Promise<HarnessResult> {
  try {
    return await new MessagesLoop(context, tools).run();
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AnthropicError || error instanceof UnusableReplyError)) throw error;
    return failedRequest(error, statusOf(error));
  }
}

class MessagesLoop {
  readonly #client: Anthropic;
  readonly #tools: ReturnType<typeof gatedTools>;
  readonly #patience: Patience;
  #conversation: Conversation;
  #turns = 0;

  constructor(
    private readonly context: HarnessContext,
    tools: CanonicalTool[],
  ) {
    this.#client = messagesClient(context.model);
    this.#tools = gatedTools(context, tools);
    this.#patience = new Patience(context);
    this.#conversation = [{ role: 'user', content: context.settings.task }];
  }

  /** Runs the loop to the model's last message; where a reply broke off, on from there. */
  async run(): Promise<HarnessResult> {
    for (;;) {
      try {
        return this.#conclude(await this.#converse());
      } catch (error) {
        await this.#patience.afterBroken(error, isBrokenReply(error));
      }
    }
  }

  async #converse(): Promise<Message | null> {
    const { settings, signal } = this.context;
    const runner = this.#client.beta.messages.toolRunner(
      {
        model: settings.model,
        max_tokens: MAX_OUTPUT_TOKENS,
        system: buildSystemPrompt(settings.systemPrompt, settings.network),
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
    for await (const reply of runner) {
      this.#conversation = [...runner.params.messages];
      last = await reply.finalMessage();
      this.#turns += 1;
      this.#patience.replied();
      await this.#narrate(last);
    }
    return last;
  }

  async #narrate(message: Message): Promise<void> {
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() !== '') await this.context.narrator.say('agent', block.text);
      if (block.type === 'tool_use') await this.#askUnknown(block);
    }
  }

  /**
   * A name of an MCP tool that this run does not have, for one that its keep-list took away. The loop answers it as unknown;
   * asking makes the attempt and its denial part of the record.
   */
  async #askUnknown({ id, name, input }: Anthropic.Beta.BetaToolUseBlock): Promise<void> {
    if (!isMcpName(checkedName(name)) || this.#tools.some((tool) => tool.name === name)) return;
    const answer = await this.context.contract.permission(toolCall(id, name, input as JsonValue));
    this.context.log(`${id} ${name}: ${answer.decision === 'deny' ? 'denied' : 'unknown to this harness'}`);
  }

  #conclude(last: Message | null): HarnessResult {
    const text = last === null ? '' : finalText(last);
    switch (last?.stop_reason) {
      case 'end_turn':
      case 'stop_sequence':
        return completedWith(text);
      case 'refusal':
        return refusedToGoOn(text);
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return outOfTokens(last.stop_reason, text);
      default:
        return outOfTurns(this.#turns, text);
    }
  }
}

/** A status means that the gateway answered, and the client has retried what may be retried. */
function isBrokenReply(error: unknown): boolean {
  return error instanceof AnthropicError && statusOf(error) === undefined;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof APIError ? (error.status as number | undefined) : undefined;
}

function finalText(message: Message): string {
  return message.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
}
