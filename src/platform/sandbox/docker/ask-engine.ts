// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the engine's socket is a file of this host
import { request } from 'node:http';
import { SandgateError } from '../../../domain/errors.js';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_CHARACTERS = 1024 * 1024;

/** What an engine answered; `body` is null where it was not JSON. */
export interface EngineAnswer {
  status: number;
  body: unknown;
  text: string;
}

interface Question {
  method: string;
  path: string;
  body?: object;
  /** Ends a question that may stay open for long; without it an answer is due soon. */
  signal?: AbortSignal;
}

/**
 * One question to an engine, for what the client library cannot ask: Podman makes some things by its own interface alone, and of an answer
 * that is cut in the middle the library never tells.
 * @throws SandgateError `unavailable` for an engine that does not answer, or not to the end
 */
export function askEngine(socketPath: string, { method, path, body, signal }: Question): Promise<EngineAnswer> {
  return new Promise((resolve, reject) => {
    const away = (cause: unknown): void =>
      reject(new SandgateError('unavailable', `the container engine at ${socketPath} does not answer`, { cause }));
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const patience = signal === undefined ? { timeout: TIMEOUT_MS } : { signal };
    // A connection that was kept would break when the engine comes back, and look as if it were away.
    const asked = request({ socketPath, path, method, headers, agent: false, ...patience }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (text = (text + part).slice(0, MAX_ANSWER_CHARACTERS)))
        .once('error', away)
        .once('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(text), text: text.trim() }));
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', away);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
