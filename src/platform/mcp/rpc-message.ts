import { isExactObject, type ExactJson, type ExactObject } from '../../domain/digest/exact-json.js';

/** A message of the server, as far as the broker's client tells them apart. */
export type ServerMessage =
  | { kind: 'response'; id: ExactJson; message: ExactObject }
  | { kind: 'request'; id: ExactJson }
  /** Notifications, and anything that is not a message. */
  | { kind: 'other' };

export function readMessage(value: ExactJson): ServerMessage {
  if (!isExactObject(value)) return { kind: 'other' };
  const id = value['id'];
  if (id === undefined || id === null) return { kind: 'other' };
  return typeof value['method'] === 'string' ? { kind: 'request', id } : { kind: 'response', id, message: value };
}

/** The text of a request; numbers that were kept by their source text are written as they were. */
export function requestText(id: number, method: string, params: ExactObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function notificationText(method: string, params: ExactObject | null): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === null ? {} : { params }) });
}

/** The answer to every request of a server: it has nothing to ask of us (docs/design/broker.md). */
export function refusalText(id: ExactJson): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
}
