import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { nodeProgram } from '../../../../src/embedded/service-parts.js';
import { freePorts } from '../../../../test/support/installation/free-ports.js';
import type { FirstClient } from '../../../src/core/access/make-organization.js';
import { send, type Sending } from '../api/send.js';
import type { LivePipeline } from './live-pipeline.js';

const API = new URL('../../../../dist/documents/api/main.js', import.meta.url);

/** A body that is text is JSON. */
export interface LiveRequest extends Sending {
  body?: string | FormData;
}

/** What the API answered. */
export interface LiveAnswer<B> {
  status: number;
  headers: Headers;
  body: B;
}

/** The API of a live pipeline as it is delivered, in a process of its own. */
export class LiveApi {
  private child: ChildProcess | null = null;
  private said = '';
  private readonly tokens = new Map<string, string>();

  private constructor(
    private readonly pipeline: LivePipeline,
    readonly origin: string,
  ) {}

  static async start(pipeline: LivePipeline): Promise<LiveApi> {
    const [port = 0] = await freePorts(1);
    const api = new LiveApi(pipeline, `http://127.0.0.1:${port}`);
    await api.startProcess();
    return api;
  }

  /** Starts it, again after a kill on the same address. */
  async startProcess(): Promise<void> {
    const [node, ...argv] = nodeProgram(API);
    const child = spawn(node, argv, {
      env: { ...this.pipeline.environment, DOCSVC_BIND: new URL(this.origin).host },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.said = (this.said + chunk.toString()).slice(-20_000)));
    await this.pipeline.until('the API', 60_000, async () => {
      if (child.exitCode !== null) throw new Error(`the API ended with ${child.exitCode}: ${this.said}`);
      const answer = await fetch(`${this.origin}/api/health`).catch(() => undefined);
      return answer?.ok === true ? true : undefined;
    });
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    this.child = null;
  }

  /** A request of the administrator. */
  async ask<B = Record<string, unknown>>(path: string, { body, ...sending }: LiveRequest = {}): Promise<LiveAnswer<B>> {
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const authorization = `Bearer ${await this.tokenOf(this.pipeline.org.client)}`;
    const headers = { authorization, ...type, ...sending.headers };
    const { status, headers: said, bytes } = await send(this.origin + path, { ...sending, body, headers });
    const isJson = said.get('content-type')?.includes('json') === true;
    return { status, headers: said, body: (isJson ? JSON.parse(bytes.toString('utf8')) : bytes) as B };
  }

  /** Adds a file in one request. @returns the ids of its version */
  async add(name: string, bytes: Buffer): Promise<{ documentId: string; versionId: string }> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), name);
    const path = `/api/projects/${this.pipeline.org.projectId}/documents`;
    const { status, body } = await this.ask<Added>(path, { method: 'POST', body: form });
    if (status !== 202) throw new Error(`${name} was answered ${status}: ${JSON.stringify(body)}`);
    return { documentId: body.document.id, versionId: body.version.id };
  }

  private async tokenOf({ clientId, clientSecret }: FirstClient): Promise<string> {
    const known = this.tokens.get(clientId);
    if (known !== undefined) return known;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const { status, bytes } = await send(`${this.origin}/oauth/token`, {
      ...{ method: 'POST', body: new URLSearchParams(form) },
    });
    if (status !== 200) throw new Error(`no token: ${status} ${bytes.toString('utf8')}`);
    const { access_token: token } = JSON.parse(bytes.toString('utf8')) as { access_token: string };
    this.tokens.set(clientId, token);
    return token;
  }
}

interface Added {
  document: { id: string };
  version: { id: string };
}
