// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the engine's socket is a file of this host
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { SandgateError } from '../../../domain/errors.js';
import { codeOf } from '../../../domain/system-error.js';
import { askEngine } from './ask-engine.js';

/** Whose interface it is: the two differ in places (docs/design/docker.md). */
export type EngineFlavour = 'docker' | 'podman';

export interface EngineFacts {
  flavour: EngineFlavour;
  version: string;
}

/** One container, as the engine tells it. */
export interface ContainerFacts {
  id: string;
  labels: Record<string, string>;
  running: boolean;
  /** Milliseconds since the epoch; zero for one that never started. */
  startedAt: number;
  exitCode: number;
  /** The kernel killed a process of it for want of memory. */
  outOfMemory: boolean;
}

export interface ImageFacts {
  /** Digest of its content. */
  id: string;
  labels: Record<string, string>;
}

const DEADLINE_MS = 10_000;
const CREATE_DEADLINE_MS = 60_000;
const LOG_DEADLINE_MS = 30_000;
const SETTLE_MS = 10_000;
const SETTLE_PAUSE_MS = 50;
/** Connections that were refused or cut: the engine is away, which says nothing about its containers. */
const AWAY = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EACCES', 'ETIMEDOUT', 'ABORT_ERR'];

/** A container engine on a unix socket of this host, asked with deadlines. What it is asked for and has not is null, not an error. */
export class Engine {
  private known: EngineFlavour | null = null;

  private constructor(
    readonly socketPath: string,
    private readonly client: Dockerode,
  ) {}

  /** The client is loaded only by hosts that use it. */
  static async open(socketPath: string): Promise<Engine> {
    const { default: Client } = await import('dockerode');
    // A connection that was kept would break when the engine comes back, and look as if it were away.
    const options = { socketPath, agent: new Agent({ keepAlive: false }) };
    return new Engine(socketPath, new Client(options));
  }

  async describe(): Promise<EngineFacts> {
    // The types know no options of this call, and the library takes them.
    const version = this.client.version.bind(this.client) as (options: object) => Promise<Dockerode.DockerVersion>;
    const found = await this.ask('tell its version', (abortSignal) => version({ abortSignal }));
    const names = (found.Components as { Name?: string }[] | undefined)?.map(({ Name }) => Name ?? '') ?? [];
    this.known = names.includes('Podman Engine') ? 'podman' : 'docker';
    return { flavour: this.known, version: found.Version };
  }

  /**
   * Asks once: Podman takes longer to tell its version than to make a container. After any failure it asks again, because another engine may
   * have taken the socket.
   */
  async flavour(): Promise<EngineFlavour> {
    return this.known ?? (await this.describe()).flavour;
  }

  /** An image of this engine; null where it has none of that name. */
  async inspectImage(name: string): Promise<ImageFacts | null> {
    const found = await this.orNull('look at an image', () => this.client.getImage(name).inspect());
    return found === null ? null : { id: found.Id, labels: found.Config.Labels ?? {} };
  }

  /**
   * Makes a container under a name that is the caller's to take. An engine that died while it made one keeps the name for what it shows
   * nobody any more; that goes first.
   *
   * @returns the id
   * @throws SandgateError `unavailable` while a container that the engine shows has the name
   */
  async create(name: string, body: Dockerode.ContainerCreateOptions): Promise<string> {
    const made = await this.createUnlessNamed(name, body);
    if (made !== null) return made;
    if ((await this.inspect(name)) === null) await this.remove(name);
    const again = await this.createUnlessNamed(name, body);
    if (again !== null) return again;
    throw new SandgateError('unavailable', `the container engine has another container ${name}`);
  }

  /** @returns the id, or null when another container has the name */
  private async createUnlessNamed(name: string, body: Dockerode.ContainerCreateOptions): Promise<string | null> {
    try {
      const create = (abortSignal: AbortSignal) =>
        this.client.createContainer({ _query: { name }, _body: body, abortSignal } as never);
      return (await this.ask('create a container', create, CREATE_DEADLINE_MS)).id;
    } catch (error) {
      // Podman answers 500 for what Docker calls a conflict.
      if (statusOf(error) === 409 || /already in use/.test(textOf(error))) return null;
      throw error;
    }
  }

  async start(id: string): Promise<void> {
    await this.ask(
      'start a container',
      (abortSignal) => this.client.getContainer(id).start({ abortSignal }),
      CREATE_DEADLINE_MS,
    );
  }

  async inspect(reference: string): Promise<ContainerFacts | null> {
    const found = await this.orNull('look at a container', (abortSignal) =>
      this.client.getContainer(reference).inspect({ abortSignal }),
    );
    return found === null ? null : factsOf(found);
  }

  /** Name of the runtime that runs a container, or its program's path; null where the engine does not tell. */
  async runtimeOf(id: string, flavour: EngineFlavour): Promise<string | null> {
    if (flavour === 'docker') {
      const found = await this.orNull('look at a container', () => this.client.getContainer(id).inspect());
      return found?.HostConfig.Runtime ?? null;
    }
    // In what Podman has in common with Docker it names none.
    const path = `/v4.0.0/libpod/containers/${encodeURIComponent(id)}/json`;
    const { body } = await askEngine(this.socketPath, { method: 'GET', path });
    const { OCIRuntime: name } = (body ?? {}) as { OCIRuntime?: unknown };
    return typeof name === 'string' ? name : null;
  }

  /** Resolves when a container has ended or is gone, or when `signal` aborts. */
  async awaitEnd(id: string, signal: AbortSignal): Promise<void> {
    try {
      const path = `/containers/${encodeURIComponent(id)}/wait`;
      const { status, text } = await askEngine(this.socketPath, { method: 'POST', path, signal });
      if (status !== 200 && status !== 404)
        throw new SandgateError('sandbox_failed', `the container engine could not wait for a container: ${text}`);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Gone, and ended already, is success. */
  async kill(id: string): Promise<void> {
    try {
      await this.ask('kill a container', (abortSignal) =>
        this.client.getContainer(id).kill({ signal: 'KILL', abortSignal }),
      );
    } catch (error) {
      if (![404, 409].includes(statusOf(error) ?? 0) && !/not running|state improper/.test(textOf(error))) throw error;
    }
  }

  /** With its volumes; gone is success. */
  async remove(reference: string): Promise<void> {
    const options = { force: true, v: true };
    const remove = (abortSignal: AbortSignal) =>
      this.client.getContainer(reference).remove({ ...options, abortSignal });
    for (const deadline = Date.now() + SETTLE_MS; ; await sleep(SETTLE_PAUSE_MS)) {
      try {
        await this.orNull('remove a container', remove, CREATE_DEADLINE_MS);
        return;
      } catch (error) {
        // It ends at this moment, or somebody else removes it.
        if (!/state improper|in progress/.test(textOf(error)) || Date.now() > deadline) throw error;
      }
    }
  }

  /** Everything that a container printed and its engine kept, in the engine's frames; null for one that is gone. */
  async readLog(reference: string): Promise<Buffer | null> {
    const options = { stdout: true, stderr: true, follow: false as const };
    const read = (abortSignal: AbortSignal) => this.client.getContainer(reference).logs({ ...options, abortSignal });
    const log: unknown = await this.orNull('read a log', read, LOG_DEADLINE_MS);
    if (log === null) return null;
    // The client makes an object of a log that happens to be JSON, and a text of nothing.
    return Buffer.isBuffer(log) ? log : Buffer.from(typeof log === 'string' ? log : JSON.stringify(log));
  }

  /** Containers with a label, ended ones too. */
  async list(label: string): Promise<{ id: string; labels: Record<string, string>; running: boolean }[]> {
    const filters = JSON.stringify({ label: [label] });
    const found = await this.ask('list containers', (abortSignal) =>
      this.client.listContainers({ all: true, filters, abortSignal }),
    );
    return found.map((one) => ({ id: one.Id, labels: one.Labels ?? {}, running: one.State === 'running' }));
  }

  /** @returns null for what the engine has not */
  private async orNull<T>(
    what: string,
    call: (abortSignal: AbortSignal) => Promise<T>,
    deadlineMs = DEADLINE_MS,
  ): Promise<T | null> {
    try {
      return await this.ask(what, call, deadlineMs);
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  private async ask<T>(
    what: string,
    call: (abortSignal: AbortSignal) => Promise<T>,
    deadlineMs = DEADLINE_MS,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await Promise.race([call(deadline), rejectedWhen(deadline)]);
    } catch (error) {
      if (statusOf(error) !== 404) this.known = null;
      throw this.explain(what, error);
    }
  }

  private explain(what: string, cause: unknown): SandgateError {
    const code = codeOf(cause);
    if (AWAY.includes(String(code)) || (cause instanceof Error && cause.name === 'AbortError'))
      return new SandgateError('unavailable', `the container engine at ${this.socketPath} does not answer`, { cause });
    return new SandgateError('sandbox_failed', `the container engine could not ${what}: ${textOf(cause)}`, { cause });
  }
}

/** The library never tells of an answer that is cut in the middle. */
function rejectedWhen(signal: AbortSignal): Promise<never> {
  const late = new DOMException('no whole answer in time', 'AbortError');
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(late), { once: true });
  });
}

function factsOf(found: Dockerode.ContainerInspectInfo): ContainerFacts {
  const { State: state } = found;
  const startedAt = Date.parse(state.StartedAt);
  return {
    id: found.Id,
    labels: found.Config.Labels ?? {},
    running: state.Running,
    startedAt: Number.isFinite(startedAt) && startedAt > 0 ? startedAt : 0,
    exitCode: state.ExitCode,
    outOfMemory: state.OOMKilled,
  };
}

/** The HTTP status of the engine's refusal, also behind our own error. */
function statusOf(error: unknown): number | null {
  if (error instanceof SandgateError) return statusOf(error.cause);
  const status = error instanceof Error ? (error as { statusCode?: unknown }).statusCode : null;
  return typeof status === 'number' ? status : null;
}

/** What the engine said. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}
