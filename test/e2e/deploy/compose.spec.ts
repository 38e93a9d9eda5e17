import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PodmanService } from '../../support/engine/podman-service.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { until } from '../../support/time/until.js';

/** Images are made of packages and take minutes, so this is of the campaign alone. */
const ASKED = process.env['TEST_COMPOSE'] === '1';
/** An image store of Podman that has them already, for whoever works on this test. */
const { TEST_COMPOSE_STORE: STORE } = process.env;
const WITHIN_MS = 1_500_000;
const NO_CAPABILITY = '0000000000000000';
/** CHOWN, DAC_OVERRIDE and FOWNER. */
const FILES_OF_OTHERS = '000000000000000b';

jest.setTimeout(600_000);

(ASKED ? describe : describe.skip)('the compose file with podman-compose', () => {
  // Sockets are in it, so its path is short.
  const place = ASKED ? mkdtempSync('/tmp/sg-') : '';
  const deploy = join(place, `deploy-${process.pid}`);
  const project = basename(deploy);
  const data = join(place, 'data');
  const token = `sandgate_${randomBytes(24).toString('hex')}`;
  let engine: PodmanService;
  let settings: Record<string, string>;

  beforeAll(async () => {
    const store = STORE === undefined ? {} : { store: STORE };
    engine = await PodmanService.start(join(place, 'engine'), store);
    const [port = 0] = await freePorts(1);
    mkdirSync(deploy);
    for (const name of ['compose.yaml', 'compose.demo.yaml']) copyFileSync(join('deploy', name), join(deploy, name));
    settings = {
      SERVICE_ADMIN_TOKEN: token,
      POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
      POSTGRES_IMAGE: 'localhost/sandgate-postgres:1',
      TEMPORAL_IMAGE: 'localhost/sandgate-temporal:1',
      SANDGATE_ENGINE_SOCKET: engine.socket,
      SANDGATE_DATA: data,
      SANDGATE_PORT: String(port),
    };
    if (STORE !== undefined) return;
    for (const [name = '', ...options] of [['build.mjs'], ['build-server.mjs', '--stores']]) {
      const argv = [resolve('deploy/images', name), ...options, '--engine', `unix://${engine.socket}`];
      await promisify(execFile)(process.execPath, argv, { timeout: WITHIN_MS });
    }
  }, WITHIN_MS);

  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    rmSync(place, { recursive: true, force: true });
  }, 300_000);

  function writeSettings(chosen: Record<string, string>): void {
    writeFileSync(
      join(deploy, '.env'),
      Object.entries(chosen)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
  }

  /** @returns how it ended, with everything that it printed */
  async function compose(...argv: string[]): Promise<{ failed: boolean; said: string }> {
    const files = ['compose.yaml', 'compose.demo.yaml'].flatMap((name) => ['-f', name]);
    const all = ['--podman-path', engine.program, ...files, ...argv];
    // Only what the file .env and the defaults say.
    const env = { PATH: process.env['PATH'], HOME: place };
    const run = promisify(execFile)('podman-compose', all, { cwd: deploy, env, timeout: 300_000, maxBuffer: 64 << 20 });
    return run.then(
      ({ stdout, stderr }) => ({ failed: false, said: stdout + stderr }),
      (error: { stdout: string; stderr: string }) => ({ failed: true, said: error.stdout + error.stderr }),
    );
  }

  const containers = (): string[] => engine.podman('ps', '--all', '--format', '{{.Names}}').split('\n').filter(Boolean);
  const container = (service: string): string => `${project}_${service}_1`;
  const logOf = (service: string): string => engine.podman('logs', container(service));

  it.each(['SERVICE_ADMIN_TOKEN', 'POSTGRES_PASSWORD'])('makes no container without %s', async (name) => {
    const { [name]: missing, ...others } = settings;
    expect(missing).toBeDefined();
    writeSettings(others);
    const { failed, said } = await compose('up', '-d');
    expect([failed, said]).toEqual([true, expect.stringContaining(`set ${name} in the file .env`)]);
    expect(containers()).toEqual([]);
  });

  it('carries the demo, which waits for the server and keeps all its promises', async () => {
    writeSettings(settings);
    const { failed, said } = await compose('up', '-d');
    expect([failed, said]).toEqual([false, expect.any(String)]);
    const demo = container('demo');
    const state = (): string => engine.podman('inspect', '--format', '{{.State.Status}}', demo).trim();
    // The worker's own log says what went wrong, where something does.
    for (let rounds = 0; rounds < 4 && state() !== 'exited'; rounds++) await until(state, (now) => now === 'exited');
    const promises = logOf('demo').split('What was promised')[1] ?? `${logOf('demo')}\n${logOf('worker')}`;
    expect(promises.match(/^ {2}kept {3}/gm)).toHaveLength(9);
    expect(promises).not.toContain('BROKEN');
    expect(engine.podman('inspect', '--format', '{{.State.ExitCode}}', demo).trim()).toBe('0');
  });

  it('leaves nothing of the demo in the folder from which it was copied, nor of its sandboxes on the engine', async () => {
    const folder = engine.podman('volume', 'inspect', '--format', '{{.Mountpoint}}', `${project}_demo`).trim();
    expect(readdirSync(folder)).toEqual([]);
    const ours = await until(
      () => containers().filter((name) => name.startsWith('service-')),
      (names) => names.length === 0,
    );
    expect(ours).toEqual([]);
  });

  it('gives its services what docs/deploy.md says and no more', () => {
    const own = { postgres: NO_CAPABILITY, temporal: NO_CAPABILITY, api: FILES_OF_OTHERS, worker: FILES_OF_OTHERS };
    for (const [service, capabilities] of Object.entries(own)) {
      const script = 'grep -E "^(CapEff|CapBnd|NoNewPrivs):" /proc/1/status; : > /mark && echo written';
      const status = engine.podman('exec', container(service), '/bin/sh', '-c', `(${script}) 2>&1 || true`);
      expect([service, status]).toEqual([service, expect.stringMatching(new RegExp(`CapEff:\\s${capabilities}\n`))]);
      expect(status).toMatch(new RegExp(`CapBnd:\\s${service === 'postgres' ? '\\w+' : capabilities}\n`));
      expect(status).toMatch(/NoNewPrivs:\s1\n/);
      expect(status).toContain('Read-only file system');
      const facts = engine.podman('inspect', '--format', '{{.HostConfig.Memory}} {{json .Mounts}}', container(service));
      expect(Number(facts.split(' ')[0])).toBeGreaterThan(0);
      expect([service, facts.includes('engine.sock')]).toEqual([service, service === 'worker']);
    }
    for (const store of ['postgres', 'temporal'])
      expect(engine.podman('inspect', '--format', '{{json .NetworkSettings.Networks}}', container(store))).toMatch(
        new RegExp(`^\\{"${project}_stores":[^}]+\\}\\}\n$`),
      );
  });

  it('is served on loopback alone, with the token alone', async () => {
    const url = `http://127.0.0.1:${settings['SANDGATE_PORT']}/v1/harnesses`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    const ports = engine.podman('port', container('api'));
    expect(ports).toMatch(/^8787\/tcp -> 127\.0\.0\.1:\d+\n$/);
  });

  it('is taken down with everything', async () => {
    expect(await compose('down', '-v')).toMatchObject({ failed: false });
    expect(containers()).toEqual([]);
    expect(engine.podman('volume', 'ls', '--quiet').trim()).toBe('');
    expect(existsSync(join(data, 'kek'))).toBe(true);
    expect(readdirSync(join(data, 'runs'))).toEqual([]);
  });
});
