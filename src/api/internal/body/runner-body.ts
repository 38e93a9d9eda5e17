import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../../domain/digest/parse-json.js';
import { SandgateError } from '../../../domain/errors.js';
import { ApiConfig } from '../../foundation/foundation.module.js';

/** Bytes of request bodies that this process holds at once (docs/design/runner.md). */
@Injectable()
export class BodyBudget {
  private held = 0;
  private readonly limit: number;

  constructor(config: ApiConfig) {
    this.limit = config.limits.bodyBytesInFlight;
  }

  /** Reserves room for more bytes; false when there is none. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.limit) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

/** The body of a request of the runner plane. */
export type RunnerBody =
  | { kind: 'json'; value: ExactJson; bytes: number }
  /** Too large, too deep or not JSON; only routes that answer for it themselves see this. Null where the text was thrown away. */
  | { kind: 'unreadable'; failure: SandgateError; text: string | null };

export interface BodyRules {
  maxBytes: number;
  /** Unbounded when absent. */
  maxValues?: number | undefined;
  budget: BodyBudget;
}

/**
 * Reads and parses a body as JSON whatever its content type says; none at all is null. Keys such as `__proto__` are data
 * and large numbers keep their text (docs/design/runner.md, docs/design/gate.md). What exceeds the limit is read on and thrown away, so
 * that the client can take its answer.
 */
export async function readRunnerBody(
  stream: IncomingMessage,
  response: ServerResponse,
  rules: BodyRules,
): Promise<RunnerBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let text: string | null = null;
  response.once('close', () => rules.budget.release(bytes));
  try {
    await new Promise<void>((resolve, reject) => {
      stream.on('data', (chunk: Buffer) => {
        if (bytes + chunk.length > rules.maxBytes) {
          return discard(
            stream,
            reject,
            new SandgateError('payload_too_large', `the body is larger than ${rules.maxBytes} bytes`),
          );
        }
        if (!rules.budget.take(chunk.length)) {
          return discard(
            stream,
            reject,
            new SandgateError('unavailable', 'too many request bodies in flight; retry', { retryAfterSeconds: 1 }),
          );
        }
        bytes += chunk.length;
        chunks.push(chunk);
      });
      stream.once('end', resolve);
      stream.once('error', reject);
      stream.once('close', () => {
        if (!stream.readableEnded) reject(new SandgateError('invalid_request', 'the request ended before its body'));
      });
    });
    text = chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks).toString('utf8');
    return { kind: 'json', value: text === '' ? null : parseJsonPreservingNumbers(text, rules.maxValues), bytes };
  } catch (error) {
    if (error instanceof SandgateError && error.code !== 'unavailable')
      return { kind: 'unreadable', failure: error, text };
    throw error;
  }
}

function discard(stream: IncomingMessage, reject: (error: Error) => void, failure: SandgateError): void {
  stream.removeAllListeners('data');
  stream.resume();
  reject(failure);
}

/** The parsed body behind the guard; throws the failure of an unreadable one. */
export function jsonBodyOf(request: FastifyRequest): ExactJson {
  const body = runnerBodyOf(request);
  if (body.kind === 'unreadable') throw body.failure;
  return body.value;
}

export function runnerBodyOf(request: FastifyRequest): RunnerBody {
  return (request.body as RunnerBody | undefined) ?? { kind: 'json', value: null, bytes: 0 };
}
