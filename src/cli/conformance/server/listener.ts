import { isWanted, fail, pass, skip } from '../check.js';
import type { CheckInfo, CheckResult, Finding } from '../check.js';
import type { SandgateClient } from '../../server/sandgate-client.js';

const TIMEOUT_MS = 10_000;

/** The addresses of a server's public and runner plane, and the token of the public one. */
export interface ServerPlanes {
  client: SandgateClient;
  /** Address of the listener that serves `/internal`. */
  internalUrl: string;
  /** Whether that is another listener than that of `/v1`. */
  apart: boolean;
}

interface ListenerCheck extends CheckInfo {
  expected: string;
  judge: (planes: ServerPlanes) => Promise<Finding>;
}

/** What the runner plane's listener answers to somebody who holds no token of a run; tried from outside. */
export const LISTENER_CHECKS: readonly ListenerCheck[] = [
  {
    id: 'listener/refuses-strangers',
    section: 2,
    title: 'The runner plane refuses whoever holds no token of a run, the operator included',
    expected: '401 {"error":"unauthorized"}',
    judge: async ({ internalUrl, client }) => {
      const path = '/internal/heartbeat';
      for (const token of [null, client.connection.token]) {
        const answer = await request(internalUrl, path, 'POST', token);
        if (typeof answer === 'string') return skip(`no runner plane answers at ${internalUrl}: ${answer}`);
        if (answer.status === 404)
          return skip(`${internalUrl} serves no /internal; name its listener with --internal-url`);
        if (answer.status !== 401 || answer.text !== '{"error":"unauthorized"}')
          return fail(
            `${token === null ? 'no token' : 'the operator’s token'}: ${answer.status} ${answer.text.slice(0, 200)}`,
          );
      }
      return pass('401 without a token and with the operator’s');
    },
  },
  {
    id: 'listener/serves-internal-only',
    section: 1,
    title: 'A listener of its own serves /internal and nothing else',
    expected: '404 for /v1',
    judge: async ({ internalUrl, apart, client }) => {
      if (!apart) return skip('one listener serves both planes; name another one with --internal-url');
      const answer = await request(internalUrl, '/v1/sessions', 'GET', client.connection.token);
      if (typeof answer === 'string') return fail(`no answer from ${internalUrl}: ${answer}`);
      return answer.status === 404 ? pass('404') : fail(`${answer.status} ${answer.text.slice(0, 200)}`);
    },
  },
];

export async function checkListener(planes: ServerPlanes, only: readonly string[]): Promise<CheckResult[]> {
  const wanted = LISTENER_CHECKS.filter(({ id }) => isWanted(id, only));
  return Promise.all(wanted.map(async ({ judge, ...info }) => ({ ...info, ...(await judge(planes)) })));
}

async function request(
  base: string,
  path: string,
  method: string,
  token: string | null,
): Promise<{ status: number; text: string } | string> {
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
