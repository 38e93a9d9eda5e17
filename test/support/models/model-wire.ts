import type { Dialect } from '../../../src/domain/models/dialect.js';
import type { JsonObject } from '../../../src/domain/json.js';

/** What a provider counts of one answer: fresh input apart from cached input. */
export interface WireUsage {
  input: number;
  output: number;
  cacheRead: number;
  /** Anthropic only. */
  cacheWrite: number;
}

export interface WireReply {
  texts: string[];
  tools?: { id: string; name: string }[];
  usage: WireUsage;
}

/** A run of a dialect: harness, model, endpoint, and a request of a given output limit. */
export interface DialectCase {
  dialect: Dialect;
  harness: string;
  model: string;
  path: string;
  /** The member that limits the output. */
  limit: string;
  request(more?: JsonObject): JsonObject;
  /** A request whose conversation carries results of tool uses back. */
  carrying(results: { id: string; text: string; refused?: boolean }[]): JsonObject;
}

const CLAUDE = 'claude-haiku-4-5';
const GPT = 'gpt-5.4-mini';

export const DIALECT_CASES: readonly DialectCase[] = [
  {
    dialect: 'anthropic',
    harness: 'claude-agent-sdk',
    model: CLAUDE,
    path: 'v1/messages',
    limit: 'max_tokens',
    request: (more = {}) => ({ model: CLAUDE, max_tokens: 2000, messages: [{ role: 'user', content: 'hi' }], ...more }),
    carrying: (results) => ({
      model: CLAUDE,
      max_tokens: 2000,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: results.map(({ id }) => ({ type: 'tool_use', id, name: 'Bash', input: {} })) },
        {
          role: 'user',
          content: results.map(({ id, text, refused }) => ({
            type: 'tool_result', tool_use_id: id, content: text, ...(refused === true ? { is_error: true } : {}),
          })), // prettier-ignore
        },
      ],
    }),
  },
  {
    dialect: 'openai-responses',
    harness: 'codex',
    model: GPT,
    path: 'v1/responses',
    limit: 'max_output_tokens',
    request: (more = {}) => ({ model: GPT, max_output_tokens: 2000, input: 'hi', ...more }),
    carrying: (results) => ({
      model: GPT,
      max_output_tokens: 2000,
      input: [
        { type: 'message', role: 'user', content: 'hi' },
        ...results.map(({ id }) => ({ type: 'function_call', call_id: id, name: 'shell_command', arguments: '{}' })),
        ...results.map(({ id, text, refused }) => ({
          type: 'function_call_output', call_id: id, output: refused === true ? `unsupported call: ${text}` : text,
        })), // prettier-ignore
      ],
    }),
  },
  {
    dialect: 'openai-chat',
    harness: 'builtin',
    model: GPT,
    path: 'v1/chat/completions',
    limit: 'max_completion_tokens',
    request: (more = {}) => ({
      model: GPT, max_completion_tokens: 2000, messages: [{ role: 'user', content: 'hi' }], ...more,
    }), // prettier-ignore
    carrying: (results) => ({
      model: GPT,
      max_completion_tokens: 2000,
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: results.map(({ id }) => ({ id, type: 'function', function: { name: 'Bash', arguments: '{}' } })),
        },
        ...results.map(({ id, text, refused }) => ({
          role: 'tool', tool_call_id: id, content: refused === true ? `Error: ${text}` : text,
        })), // prettier-ignore
      ],
    }),
  },
];

/** Usage as the dialect's provider reports it. */
function reported(dialect: Dialect, { input, output, cacheRead, cacheWrite }: WireUsage): JsonObject {
  switch (dialect) {
    case 'anthropic':
      return {
        input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite,
      }; // prettier-ignore
    case 'openai-responses':
      return {
        input_tokens: input + cacheRead, input_tokens_details: { cached_tokens: cacheRead }, output_tokens: output,
        output_tokens_details: { reasoning_tokens: Math.floor(output / 2) }, total_tokens: input + cacheRead + output,
      }; // prettier-ignore
    case 'openai-chat':
      return {
        prompt_tokens: input + cacheRead, prompt_tokens_details: { cached_tokens: cacheRead }, completion_tokens: output,
        completion_tokens_details: { reasoning_tokens: Math.floor(output / 2) }, total_tokens: input + cacheRead + output,
      }; // prettier-ignore
  }
}

/** A whole answer. */
export function wholeAnswer(dialect: Dialect, reply: WireReply): JsonObject {
  const usage = reported(dialect, reply.usage);
  const text = reply.texts.join('');
  const tools = reply.tools ?? [];
  switch (dialect) {
    case 'anthropic':
      return {
        type: 'message', role: 'assistant', usage,
        content: [{ type: 'text', text }, ...tools.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} }))],
      }; // prettier-ignore
    case 'openai-responses':
      return { object: 'response', status: 'completed', output: responseItems(reply), usage };
    case 'openai-chat':
      return {
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant', content: text,
              tool_calls: tools.map(({ id, name }) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
            },
            finish_reason: tools.length > 0 ? 'tool_calls' : 'stop',
          },
        ],
        usage,
      }; // prettier-ignore
  }
}

function responseItems({ texts, tools = [] }: WireReply): JsonObject[] {
  return [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: texts.join('') }] },
    ...tools.map(({ id, name }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '{}' })),
  ];
}

/** The events of a stream; those from `lastReport` on come behind the final report of usage. */
export function streamedAnswer(dialect: Dialect, reply: WireReply): { events: string[]; lastReport: number } {
  switch (dialect) {
    case 'anthropic':
      return anthropicEvents(reply);
    case 'openai-responses':
      return responsesEvents(reply);
    case 'openai-chat':
      return chatEvents(reply);
  }
}

const named = (type: string, data: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const plain = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;

function anthropicEvents({ texts, tools = [], usage }: WireReply): { events: string[]; lastReport: number } {
  const events = [
    named('message_start', { message: { usage: { ...reported('anthropic', usage), output_tokens: Math.min(1, usage.output) } } }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...texts.map((text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    named('content_block_stop', { index: 0 }),
    ...tools.map(({ id, name }, n) =>
      named('content_block_start', { index: n + 1, content_block: { type: 'tool_use', id, name, input: {} } }),
    ),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: usage.output } }),
    named('message_stop', {}),
  ]; // prettier-ignore
  return { events, lastReport: events.length - 1 };
}

function responsesEvents(reply: WireReply): { events: string[]; lastReport: number } {
  const items = responseItems(reply);
  const events = [
    named('response.created', { response: { status: 'in_progress', usage: null, output: [] } }),
    ...reply.texts.map((delta) => named('response.output_text.delta', { delta })),
    ...items.map((item, output_index) => named('response.output_item.done', { output_index, item })),
    named('response.completed', { response: wholeAnswer('openai-responses', reply) }),
  ];
  return { events, lastReport: events.length };
}

function chatEvents({ texts, tools = [], usage }: WireReply): { events: string[]; lastReport: number } {
  const chunk = (delta: JsonObject, finish: string | null = null): string =>
    plain({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    ...tools.flatMap(({ id, name }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: '{}' } }] }),
    ]),
    chunk({}, tools.length > 0 ? 'tool_calls' : 'stop'),
    plain({ object: 'chat.completion.chunk', choices: [], usage: reported('openai-chat', usage) }),
    'data: [DONE]\n\n',
  ];
  return { events, lastReport: events.length - 1 };
}
