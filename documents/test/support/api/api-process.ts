import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../../../../test/support/installation/free-ports.js';
import { compiledBefore } from '../../../../test/support/installation/own-place.js';

const PROGRAM = resolve('dist/documents/api/main.js');
const STARTS_WITHIN_MS = 60_000;

/** The API as a process of its own on one port, which can be killed and started again. */
export class ApiProcess {
  private child: ChildProcess | null = null;
  private output = '';

  private constructor(
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** @param env its settings; the port is free at this moment */
  static async start(env: NodeJS.ProcessEnv): Promise<ApiProcess> {
    const [port = 0] = await freePorts(1);
    const api = new ApiProcess(port, env);
    await api.start();
    return api;
  }

  async start(): Promise<void> {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [PROGRAM], {
      env: { PATH, HOME, ...compiledBefore(), DOCSVC_BIND: `127.0.0.1:${this.port}`, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-8_000)));
    const deadline = Date.now() + STARTS_WITHIN_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the API did not start:\n${this.output}`);
      await delay(50);
    }
  }

  /** Resolves once it is gone. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  private async answers(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/api/health/ready`)).ok;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }
}
