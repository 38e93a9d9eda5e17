import { randomBytes } from 'node:crypto';
import type { Schemas } from '../../../src/client/client.js';
import type { Answer, TestApi } from '../api/api.js';
import { startApi } from '../api/api.js';

export type Connection = Schemas['Connection'];
export type CreatedConnection = Schemas['CreatedConnection'];
export type RefreshedSnapshot = Schemas['RefreshedSnapshot'];

/** What an API needs in order to keep secrets, and to reach servers of the test on loopback. */
export function connectionSettings(kek: Buffer = randomBytes(32)): Record<string, string> {
  return {
    SERVICE_KMS_MODE: 'static',
    SERVICE_KMS_STATIC_KEK: kek.toString('hex'),
    SERVICE_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  };
}

/** An API that can make connections. */
export function startConnectionsApi(env: Record<string, string> = {}): Promise<TestApi> {
  return startApi({ ...connectionSettings(), ...env });
}

/** The body of an answer that has to be a connection. */
export function connectionIn(answer: Answer): CreatedConnection {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body as unknown as CreatedConnection;
}
