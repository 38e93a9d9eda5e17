import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isSystemError } from '../../../src/domain/system-error.js';
import type { Database } from '../../../src/core/record/database.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { readLedger } from '../gate/gated-run.js';
import { startDnsServer, type DnsServer, type Zone } from '../http/dns-server.js';
import { startPlane, type PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { until } from '../time/until.js';
import { replyToRequests, startRecordingHost, type RecordingHost } from './outside.js';
import { askTunnel, createNetworkedRun, readToEnd, type Asked } from './tunnels.js';

/** The name that runs of these suites may reach. */
export const NAME = 'packages.outside.example';
/** Stands for the internet: the one address that is opened. */
export const OUTSIDE = '127.0.0.2';
export const INSIDE = '127.0.0.1';

/** A host outside, and one inside at the same port. */
async function startPair(answer: Parameters<typeof startRecordingHost>[0]): Promise<[RecordingHost, RecordingHost]> {
  for (;;) {
    const outside = await startRecordingHost(answer, OUTSIDE);
    try {
      return [outside, await startRecordingHost({}, INSIDE, outside.port)];
    } catch (error) {
      await outside.close();
      // Somebody else may have the port at this address.
      if (!isSystemError(error, 'EADDRINUSE')) throw error;
    }
  }
}

/** A control plane whose names a DNS server of ours answers, a host outside, and one inside that nobody may reach. */
export class HostileBench {
  outside!: RecordingHost;
  inside!: RecordingHost;
  private readonly insides: RecordingHost[] = [];
  private control: { env: Record<string, string>; dns: DnsServer; plane: PlaneApp } | undefined;

  private constructor(
    private readonly database: TestDatabase,
    private readonly dataDir: string,
    private readonly zones: Record<string, Zone>,
  ) {}

  /** @param zones by the second label of a name */
  static async open(zones: Record<string, Zone>): Promise<HostileBench> {
    return new HostileBench(await createTestDatabase(), await mkdtemp(join(tmpdir(), 'hostile-tunnel-')), zones);
  }

  get db(): Database {
    return this.database.db;
  }

  /** Hosts anew for one test, behind the control plane of the test before where that has the same settings. */
  async start(env: Record<string, string> = {}, greeting?: string): Promise<void> {
    const answer = greeting === undefined ? { reply: replyToRequests } : { greeting };
    [this.outside, this.inside] = await startPair(answer);
    this.insides.push(this.inside);
    if (isDeepStrictEqual(this.control?.env, env)) return;
    await this.endControl();
    this.control = await this.startControl(env);
  }

  /** Ends the host outside. Those inside stay up to the end, for whoever gets there late. */
  async stop(): Promise<void> {
    await this.outside.close();
  }

  /** How many connections ever reached a host inside. */
  get strays(): number {
    return this.insides.reduce((sum, { connections }) => sum + connections, 0);
  }

  async close(): Promise<void> {
    await this.endControl();
    await Promise.all(this.insides.map((host) => host.close()));
    for (const folder of [planeRoot(this.dataDir), this.dataDir]) await rm(folder, { recursive: true, force: true });
    await this.database.close();
  }

  /** Judged addresses are forgotten at once, so that every tunnel asks. */
  private async startControl(env: Record<string, string>): Promise<NonNullable<HostileBench['control']>> {
    const dns = await startDnsServer((name, type, asked) => {
      const zone = this.zones[name.split('.')[1] ?? ''];
      return zone === undefined ? [] : zone(name, type, asked);
    });
    const egress = new Egress({ allowCidrs: [`${OUTSIDE}/32`], proxy: null }, { resolve: dns.resolve });
    const settings = { SERVICE_TUNNEL_PIN_MS: '1', ...env };
    return { env, dns, plane: await startPlane(this.database, settings, { dataDir: this.dataDir, egress }) };
  }

  private async endControl(): Promise<void> {
    await this.control?.plane.close();
    await this.control?.dns.close();
    this.control = undefined;
  }

  /** A run that may reach the name, at the port of both hosts. */
  granted(name = NAME): Promise<FixtureRun> {
    return createNetworkedRun(this.db, { targets: [`${name}:${this.outside.port}`] });
  }

  async ask(run: FixtureRun, name = NAME): Promise<Asked> {
    const to = { port: Number(new URL(this.control?.plane.url ?? '').port) };
    return askTunnel({ to, target: `${name}:${this.outside.port}`, token: run.tokens.tool });
  }

  /** The rules by which connections of the run were refused, once there are some. */
  async denials(run: FixtureRun): Promise<unknown[]> {
    const found = async (): Promise<unknown[]> =>
      (await readLedger(this.db, run)).filter(({ type }) => type === 'network.denied').map(({ data }) => data['rule']);
    return until(found, (rules) => rules.length > 0);
  }

  /** Says it through a tunnel, and answers what came back and what reached the host. */
  async say(run: FixtureRun, chunks: readonly (string | Buffer)[]): Promise<{ answer: string; reached: string }> {
    const { socket, status } = await this.ask(run);
    if (status !== 101) throw new Error(`no tunnel: ${status}`);
    const ended = readToEnd(socket);
    for (const chunk of chunks) {
      socket.write(chunk);
      await sleep(5);
    }
    const answer = await Promise.race([ended, sleep(20_000, Buffer.from('nothing in time'), { ref: false })]);
    socket.destroy();
    return { answer: answer.toString('latin1'), reached: this.outside.received.join('') };
  }
}
