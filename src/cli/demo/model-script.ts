import type { JsonObject } from '../../domain/json.js';

export type ScriptedBlock = { text: string } | { tool: string; input: JsonObject; id?: string };

export interface ScriptedReply {
  kind: 'reply';
  content: ScriptedBlock[];
  /** Default: `tool_use` when the content calls a tool, else `end_turn`. */
  stopReason?: 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'refusal' | 'pause_turn';
  /** Default: estimated from the sizes of the request and of the reply. */
  usage?: Partial<ScriptedUsage>;
  /** Wait before the first byte, in milliseconds. */
  delayMs?: number;
  /** Wait between the events of a stream, in milliseconds. */
  eventDelayMs?: number;
  /** Closes the connection after this many events of a stream: a reply that breaks off. */
  cutAfterEvents?: number;
  /** Leaves the usage out of the stream, as some gateways do. */
  withoutUsage?: boolean;
}

export interface ScriptedError {
  kind: 'error';
  status: number;
  type?: string;
  message?: string;
  headers?: Record<string, string>;
}

export type ScriptedAnswer = ScriptedReply | ScriptedError;

export interface ScriptedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

/** One request as it arrived. `index` counts the message requests of this server from 0. */
export interface RecordedRequest {
  index: number;
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
}

export type ModelScript = (request: RecordedRequest) => ScriptedAnswer;

/** Answers in order of arrival, whoever asks; past the end every request is refused. */
export function inOrder(answers: ScriptedAnswer[]): ModelScript {
  return ({ index }) => answers[index] ?? exhausted(answers.length);
}

/**
 * Answers by how far the conversation of the request has come, so that several runs, repeated requests and restarts all
 * play the same script.
 */
export function byConversation(answers: ScriptedAnswer[]): ModelScript {
  return ({ body }) => {
    const messages = Array.isArray(body['messages']) ? body['messages'] : [];
    const turn = messages.filter((message) => isAssistant(message)).length;
    return answers[turn] ?? exhausted(answers.length);
  };
}

export function reply(...content: ScriptedBlock[]): ScriptedReply {
  return { kind: 'reply', content };
}

function isAssistant(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'role' in message && message.role === 'assistant';
}

function exhausted(length: number): ScriptedError {
  return {
    kind: 'error',
    status: 400,
    type: 'invalid_request_error',
    message: `the script has only ${length} answers`,
  };
}
