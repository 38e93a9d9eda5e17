import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { SandgateError } from '../../../domain/errors.js';
import { TUNNEL_PROTOCOL } from '../../../domain/network/enforcement.js';
import { Egress } from '../../../platform/egress/egress.js';
import { EgressError } from '../../../platform/egress/egress-error.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { toSandgateError } from '../../http/error.filter.js';
import { leaveConnectionPlace } from '../auth/plane-peer.js';
import { RunnerGuard } from '../auth/runner.guard.js';
import { readOpening } from './first-bytes.js';
import { relayPlainHttp } from './plain-http-relay.js';
import { splice } from './splice.js';
import { TunnelObserver } from './tunnel-observer.js';
import type { DenialRule, Lease, TunnelRun } from './tunnel-run.js';
import { TunnelRuns } from './tunnel-runs.js';
import { readTunnelTarget } from './tunnel-target.js';

const PATH = /^\/internal\/(?:sessions\/[^/?]+\/)?tunnel$/;
const ACCEPTED = `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${TUNNEL_PROTOCOL}\r\n\r\n`;
/** A fatal alert of TLS, `unrecognized_name`: what a client shows says more than a closed connection. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/** Whether a request asks for a tunnel; every other request that would change its protocol is answered as an ordinary one. */
export function asksForTunnel({ url, method }: IncomingMessage): boolean {
  return method === 'GET' && PATH.test(url ?? '');
}

/**
 * Where runs open tunnels to hosts outside (docs/design/tunnels.md): an upgrade on `/internal/tunnel`, on plane sockets and on the
 * listeners that have `/internal`.
 */
@Injectable()
export class TunnelDoor {
  constructor(
    private readonly config: ApiConfig,
    private readonly guard: RunnerGuard,
    private readonly runs: TunnelRuns,
    private readonly egress: Egress,
    private readonly observer: TunnelObserver,
    private readonly logger: PinoLogger,
  ) {}

  /** Takes the upgrades of a server. */
  attach(server: Server): void {
    Object.assign(server, { shouldUpgradeCallback: asksForTunnel });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => this.take(request, socket, head));
  }

  /** Answers one request for a tunnel, and carries it until it ends. Never fails. */
  take(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.setTimeout(0);
    // Whoever reads or writes it learns of the failure from its closing.
    socket.on('error', () => socket.destroy());
    this.open(request, socket, head).catch((error: unknown) => this.refuse(socket, error));
  }

  private async open(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const { headers } = request;
    if (headers.upgrade?.toLowerCase() !== TUNNEL_PROTOCOL) throw new UpgradeNeeded();
    const caller = await this.guard.admitTunnel({ headers, socket: client });
    if (head.length > 0) throw new SandgateError('invalid_request', 'nothing may be sent before the tunnel is open');
    const target = readTunnelTarget(headers['x-tunnel-target']);
    const run = await this.runs.find(caller.organizationId, caller.runId);
    const lease = await run.open(target);
    // Counted as a tunnel from here on, and no longer among the run's connections to the plane.
    leaveConnectionPlace(client);
    client.once('close', () => lease.close());
    try {
      const upstream = await this.dial(run, lease, client);
      await this.carry(run, lease, client, upstream);
    } catch (error) {
      lease.close();
      throw error;
    }
  }

  /** @throws SandgateError that says no more about the host than that it was not reached */
  private async dial(run: TunnelRun, lease: Lease, client: Socket): Promise<Socket> {
    const { name, port } = lease.target;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    client.once('close', leave);
    if (client.destroyed) leave();
    try {
      const upstream = await this.egress.guarded.openStream({
        host: name,
        port,
        closed: run.closedNetworks(port),
        pins: run.pins,
        signal: AbortSignal.any([gone.signal, lease.signal]),
      });
      upstream.on('error', () => upstream.destroy());
      upstream.pause();
      upstream.allowHalfOpen = true;
      return upstream;
    } catch (error) {
      throw await this.explain(error, run, lease);
    } finally {
      client.off('close', leave);
    }
  }

  private async explain(error: unknown, run: TunnelRun, { target }: Lease): Promise<unknown> {
    if (!(error instanceof EgressError)) return error;
    if (error.reason === 'address') {
      await run.deny(target, 'address');
      return new SandgateError('forbidden', `${target.name} leads to a private/loopback/link-local address`);
    }
    this.observer.asked('unreachable');
    return new SandgateError('upstream_failed', `${target.name}:${target.port} could not be reached`);
  }

  private async carry(run: TunnelRun, lease: Lease, client: Socket, upstream: Socket): Promise<void> {
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    lease.signal.addEventListener('abort', end, { once: true });
    upstream.setTimeout(this.config.limits.tunnelIdleMs, end);
    client.once('close', end);
    if (lease.signal.aborted || client.destroyed) return end();
    client.write(ACCEPTED);
    const { target } = lease;
    const opening = await readOpening(client, target.name, this.config.limits.tunnelFirstBytesMs);
    const deny = (rule: DenialRule): void => this.note(run, lease, rule);
    if (opening.kind === 'tls') {
      upstream.once('close', () => client.destroySoon());
      const secondName = (name: string | null): boolean => {
        if (name === target.name) return true;
        deny('sni');
        end();
        return false;
      };
      const { hello, rest } = opening;
      splice({ client, upstream, hello, rest, carry: lease.carry, secondName });
    } else if (opening.kind === 'http') {
      const { tunnelIdleMs: idleMs } = this.config.limits;
      relayPlainHttp({ client, upstream, held: opening.held, target, idleMs, carry: lease.carry, denied: deny });
    } else {
      upstream.destroy();
      if (opening.kind === 'gone') return end();
      deny(opening.rule);
      if (opening.isTls) client.write(UNRECOGNIZED_NAME);
      client.destroySoon();
    }
  }

  private note(run: TunnelRun, { target }: Lease, rule: DenialRule): void {
    run.deny(target, rule).catch((error: unknown) => {
      this.logger.warn({ err: error, runId: run.parts.runId }, 'a refused connection could not be recorded');
    });
  }

  private refuse(socket: Socket, error: unknown): void {
    const failure = error instanceof UpgradeNeeded ? null : toSandgateError(error);
    if (failure?.code === 'internal') this.logger.error({ err: error }, 'a tunnel could not be opened');
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const body = JSON.stringify({ error: failure?.message ?? `upgrade to ${TUNNEL_PROTOCOL} needed` });
    const status = failure?.httpStatus ?? 426;
    const lines = [
      `HTTP/1.1 ${status} Refused`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      ...(failure === null ? [`upgrade: ${TUNNEL_PROTOCOL}`] : []),
      'connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  }
}

class UpgradeNeeded extends Error {}
