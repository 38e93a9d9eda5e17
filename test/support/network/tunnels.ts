import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ApprovedNetwork } from '../../../src/domain/network/grant.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { parseTarget } from '../../../src/domain/network/target.js';
import type { Database } from '../../../src/core/record/database.js';
import { createGatedRun, type GatedRunOptions } from '../gate/gated-run.js';
import type { FixtureRun } from '../runs/run-fixture.js';

/** What a granted run is made of. */
export interface Granted extends Omit<GatedRunOptions, 'network'> {
  /** In the short form. */
  targets: readonly string[];
  denied?: JsonObject[];
  grant?: 'pending' | 'active' | 'denied' | 'revoked';
  endsInSecs?: number;
}

/** A run that may reach targets, with its grant as authorization leaves it. */
export async function createNetworkedRun(db: Database, options: Granted): Promise<FixtureRun> {
  const { targets, denied = [], grant = 'active', endsInSecs = 3600 } = options;
  const network: ApprovedNetwork = {
    schema_version: 1,
    mode: 'approved',
    targets: targets.map((text) => {
      const target = parseTarget(text);
      if (typeof target === 'string') throw new Error(`${text} ${target}`);
      return target;
    }),
    denied,
    variables: {},
    expires_at: new Date(Date.now() + endsInSecs * 1000).toISOString(),
    policy_digest: `sha256:${'0'.repeat(64)}`,
  };
  const run = await createGatedRun(db, { ...options, network });
  await db.withTenant(run.organizationId, (tx) =>
    tx.query(
      `insert into network_grants (session_id, tenant_id, status, grant_digest, expires_at)
       values ($1, $2, $3, 'sha256:test', clock_timestamp() + make_interval(secs => $4))`,
      [run.runId, run.organizationId, grant, endsInSecs],
    ),
  );
  return run;
}

/** How a tunnel is asked for; null leaves a header out. */
export interface Asking {
  to: { port: number } | { path: string };
  target: string | null;
  token: string | null;
  upgrade?: string;
  path?: string;
  /** Further header lines. */
  lines?: readonly string[];
  /** Sent in one piece with the request. */
  ahead?: string;
}

export interface Asked {
  status: number;
  error: string | undefined;
  /** Open only with status 101; paused. */
  socket: Socket;
}

/** Asks a control plane for a tunnel, byte for byte as it is told. */
export async function askTunnel(asking: Asking): Promise<Asked> {
  const {
    to,
    target,
    token,
    upgrade = 'sandgate-tunnel/1',
    path = '/internal/tunnel',
    lines = [],
    ahead = '',
  } = asking;
  const socket = connect({ ...to, allowHalfOpen: true });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  const head = [
    `GET ${path} HTTP/1.1`,
    'host: plane',
    ...(upgrade === '' ? [] : ['connection: upgrade', `upgrade: ${upgrade}`]),
    ...(token === null ? [] : [`authorization: Bearer ${token}`]),
    ...(target === null ? [] : [`x-tunnel-target: ${target}`]),
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${ahead}`);
  const text = await readAnswer(socket);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  const error = status === 101 || body === '' ? undefined : (JSON.parse(body) as { error: string }).error;
  if (status !== 101) socket.destroy();
  return { status, error, socket };
}

/** The head of an answer that opens a tunnel, or the whole of one that does not. */
async function readAnswer(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    const end = text.indexOf('\r\n\r\n');
    if (end >= 0 && text.length >= end + 4 + length) resolve(text);
  };
  const onClose = (): void => resolve(text);
  socket.on('data', onData).on('close', onClose).on('end', onClose);
  const answer = await promise;
  socket.pause();
  socket.off('data', onData).off('close', onClose).off('end', onClose);
  return answer;
}

/** Everything that still arrives, until the other side ends. */
export async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.resume();
  await ended;
  return Buffer.concat(chunks);
}
