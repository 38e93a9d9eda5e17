import { once } from 'node:events';
import { connect } from 'node:net';

const ANSWER_MS = 5_000;

/**
 * Whether the proxy of outbound traffic can be reached; what it permits is only seen in use.
 *
 * @returns its address without user and password
 * @throws Error that names the variable
 */
export async function reachProxy(proxy: string): Promise<string> {
  const { hostname, host, port, protocol } = new URL(proxy);
  const standard = protocol === 'https:' ? 443 : 80;
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) });
    return `through ${protocol}//${host}`;
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    const why = typeof code === 'string' ? code : 'no answer';
    throw new Error(`the proxy ${protocol}//${host} (SERVICE_EGRESS_PROXY) cannot be reached: ${why}`, { cause });
  } finally {
    socket.destroy();
  }
}
