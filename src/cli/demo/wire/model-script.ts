import type { JsonObject } from '../../../domain/json.js';
import { modelTurns, type WireName } from './wire-format.js';

export type ScriptedBlock =
  | { text: string }
  /** A tool called with JSON; as a string the arguments go out as they are, so they may be malformed. */
  | { tool: string; input: JsonObject | string; id?: string }
  /** A tool of the Responses format that takes text instead of JSON. */
  | { textTool: string; input: string; id?: string };

export interface ScriptedReply {
  kind: 'reply';
  content: ScriptedBlock[];
  /** In the words of the Messages format; the others translate. Default: `tool_use` when the content calls a tool, else `end_turn`. */
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

/** As the Messages format counts: `input_tokens` without what the cache held. The others add both up. */
export interface ScriptedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

/** One request as it arrived. `index` counts the message requests of this server from 0, whatever their format. */
export interface RecordedRequest {
  index: number;
  wire: WireName;
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
}

/** An answer that is promised is held until it comes. */
export type ModelScript = (request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** Answers in order of arrival, whoever asks; after the last one every request is refused. */
export function inOrder(answers: ScriptedAnswer[]): (request: RecordedRequest) => ScriptedAnswer {
  return ({ index }) => answers[index] ?? exhausted(answers.length);
}

/**
 * Answers by how far the conversation of the request has come, so that several runs, repeated requests and restarts all
 * play the same script.
 */
export function byConversation(answers: ScriptedAnswer[]): (request: RecordedRequest) => ScriptedAnswer {
  return ({ wire, body }) => answers[modelTurns(wire, body)] ?? exhausted(answers.length);
}

export function reply(...content: ScriptedBlock[]): ScriptedReply {
  return { kind: 'reply', content };
}

function exhausted(length: number): ScriptedError {
  return {
    kind: 'error',
    status: 400,
    type: 'invalid_request_error',
    message: `the script has only ${length} answers`,
  };
}
