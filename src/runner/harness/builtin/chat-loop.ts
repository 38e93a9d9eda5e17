import { randomUUID } from 'node:crypto';
import { APIError, OpenAIError } from 'openai';
import type OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { JsonValue } from '../../../domain/json.js';
import { isMcpName } from '../../../domain/tools/mcp-name.js';
import type { CanonicalTool, PreparedCall } from '../../tools/canonical-tool.js';
import { boundedReason } from '../bounded-reason.js';
import { askAndRun, toolCall } from '../governed-call.js';
import type { HarnessContext, HarnessResult } from '../harness.js';
import {
  checkedName,
  completedWith,
  failedRequest,
  outOfTokens,
  outOfTurns,
  refusedToGoOn,
  UnusableReplyError,
} from './loop-end.js';
import { chatClient } from './chat-client.js';
import { Patience } from './patience.js';
import { buildSystemPrompt } from './system-prompt.js';

type Choice = ChatCompletion.Choice;

/** A tool call of a reply under an id of its own, its arguments as the model wrote them. */
interface AskedCall {
  id: string;
  name: string;
  text: string;
}

/** A tool loop over Chat Completions, which local servers and all providers but Anthropic speak. */
export async function runChatLoop(context: HarnessContext, tools: CanonicalTool[]): Promise<HarnessResult> {
  try {
    return await new ChatLoop(context, tools).run();
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof OpenAIError || error instanceof UnusableReplyError)) throw error;
    return failedRequest(error, statusOf(error));
  }
}

class ChatLoop {
  readonly #client: OpenAI;
  readonly #patience: Patience;
  readonly #conversation: ChatCompletionMessageParam[];
  readonly #ids = new Set<string>();

  constructor(
    private readonly context: HarnessContext,
    private readonly tools: CanonicalTool[],
  ) {
    this.#client = chatClient(context.model);
    this.#patience = new Patience(context);
    this.#conversation = [
      { role: 'system', content: buildSystemPrompt(context.settings.systemPrompt, context.settings.network) },
      { role: 'user', content: context.settings.task },
    ];
  }

  async run(): Promise<HarnessResult> {
    const { maxTurns } = this.context.settings;
    let text = '';
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      const { message, finish_reason: reason } = await this.#reply();
      text = (message.content ?? '').trim();
      if (text !== '') await this.context.narrator.say('agent', text);
      if (message.refusal || reason === 'content_filter') return refusedToGoOn(message.refusal ?? text);
      // A reply that was cut off may hold half a call, and half a command is a different command.
      if (reason === 'length') return outOfTokens(reason, text);
      const calls = this.#callsOf(message);
      if (calls.length === 0) return completedWith(text);
      this.#conversation.push({
        role: 'assistant',
        content: message.content ?? '',
        tool_calls: calls.map(({ id, name, text: words }) => ({
          id,
          type: 'function',
          function: { name, arguments: words },
        })),
      });
      for (const call of calls) {
        this.#conversation.push({ role: 'tool', tool_call_id: call.id, content: await this.#perform(call) });
      }
    }
    return outOfTurns(maxTurns, text);
  }

  /** One whole reply; a stream that broke off is requested again. */
  async #reply(): Promise<Choice> {
    for (;;) {
      try {
        const completion = await this.#request();
        const [choice] = completion.choices;
        if (choice === undefined) throw new OpenAIError('the reply holds no message');
        this.#patience.replied();
        return choice;
      } catch (error) {
        // A status means that the gateway answered, and the client has retried what may be retried.
        await this.#patience.afterBroken(error, error instanceof OpenAIError && statusOf(error) === undefined);
      }
    }
  }

  /** No output limit is named: its spelling and its highest value differ between servers, and the gateway sets one where a budget ends. */
  #request(): Promise<ChatCompletion> {
    const { settings, signal } = this.context;
    const stream = this.#client.chat.completions.stream(
      {
        model: settings.model,
        messages: this.#conversation,
        tools: this.tools.map(({ name, description, inputSchema }) => ({
          type: 'function' as const,
          function: { name, description, parameters: inputSchema },
        })),
      },
      { signal },
    );
    return stream.finalChatCompletion();
  }

  /** Some servers number the calls of each reply anew, or not at all; the gate knows a call by its id for the whole run. */
  #callsOf(message: ChatCompletion.Choice['message']): AskedCall[] {
    return (message.tool_calls ?? []).flatMap((call) => {
      if (call.type !== 'function') return [];
      const id = call.id === '' || this.#ids.has(call.id) ? `call_${randomUUID()}` : call.id;
      this.#ids.add(id);
      return [{ id, name: checkedName(call.function.name), text: call.function.arguments }];
    });
  }

  /** What the model is told of a call. The calls of one reply are made one after the other, in order (docs/design/gate.md). */
  async #perform(call: AskedCall): Promise<string> {
    const tool = this.tools.find(({ name }) => name === call.name);
    if (tool === undefined) return this.#answerUnknown(call);
    const prepared = prepare(tool, call.text);
    if (typeof prepared === 'string') return prepared;
    const asked = toolCall(call.id, tool.name, prepared.input);
    const outcome = await askAndRun(this.context, tool, asked, prepared.work);
    if (outcome.kind !== 'executed') return `The call was denied: ${outcome.message}`;
    return outcome.text;
  }

  /** A call of an MCP tool that this run does not have is put to the gate, so that the attempt and its denial are recorded. */
  async #answerUnknown({ id, name, text }: AskedCall): Promise<string> {
    if (isMcpName(name)) {
      const input = parseArguments(text) ?? {};
      const answer = await this.context.contract.permission(toolCall(id, name, input));
      if (answer.decision === 'deny') return `The call was denied: ${answer.message}`;
    }
    return refused(`there is no tool ${name}; there are ${this.tools.map((tool) => tool.name).join(', ')}`);
  }
}

/** The call with checked input, or what the model is told about its arguments, which nobody is asked about (docs/design/model-gateway.md). */
function prepare(tool: CanonicalTool, text: string): { input: JsonValue; work: PreparedCall } | string {
  const input = parseArguments(text);
  if (input === undefined) return refused(`the arguments of ${tool.name} are not valid JSON; send one JSON object`);
  try {
    return { input, work: tool.prepare(input) };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** Undefined for text that is no JSON; some servers send no text at all for a call without arguments. */
function parseArguments(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The first word is how the model gateway knows that the harness answered a call itself; the format has no mark for it. */
function refused(reason: string): string {
  return `Error: ${boundedReason(reason)}`;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof APIError ? (error.status as number | undefined) : undefined;
}
