import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { startHttpsHost, type HttpsHost } from '../http/https-host.js';

/** One request as it arrived. */
export interface SeenRequest {
  method: string;
  url: string;
  host: string;
  authorization: string | null;
}

/** Answers a request itself and says true, or leaves it to the host. */
export type Interference = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/**
 * A code host over TLS, on loopback unless it is told otherwise: repositories through real `git http-backend`, and whatever REST API is mounted before it. Bare
 * repositories lie in `folder` as `owner/name`; only those that {@link publicRepositories} names are served without the token.
 */
export class CodeHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'codehost-'));
  readonly requests: SeenRequest[] = [];
  readonly publicRepositories = new Set<string>();
  /** Asked before anything else; the first that says true has answered. */
  interfere: Interference[] = [];
  private server: HttpsHost | undefined;

  private constructor(readonly tokens: Set<string>) {}

  /** @param options.address where it listens, on loopback otherwise */
  static async start(options: { tokens?: string[]; names?: string[]; address?: string } = {}): Promise<CodeHost> {
    const { address = '127.0.0.1', names = [], tokens = [] } = options;
    const host = new CodeHost(new Set(tokens));
    const listener = (request: IncomingMessage, response: ServerResponse): void => void host.answer(request, response);
    host.server = await startHttpsHost(['localhost', ...names], listener, address);
    return host;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  get certificate(): string {
    return this.server?.ca ?? '';
  }

  /** With which an installation takes it for the code host of the deployment. */
  settings(): NodeJS.ProcessEnv {
    const trusted = join(this.folder, 'ca.pem');
    writeFileSync(trusted, this.certificate);
    return {
      SERVICE_CODEHOST_API_URL: `${this.url()}/api`,
      SERVICE_CODEHOST_CLONE_BASE: this.url(),
      SERVICE_CODEHOST_CA_FILE: trusted,
    };
  }

  /** @param name host of the address; all lead here */
  url(name = 'localhost'): string {
    return `https://${name}:${this.port}`;
  }

  /** Publishes a bare copy of a repository as `owner/name`. */
  publish(source: string, repository: string, options: { open?: boolean } = {}): void {
    const target = join(this.folder, repository);
    execFileSync('git', ['-c', 'safe.directory=*', 'clone', '-q', '--bare', '--no-hardlinks', source, target], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'ignore',
    });
    if (options.open === true) this.publicRepositories.add(repository);
  }

  async stop(): Promise<void> {
    await this.server?.close();
    await removeTree(this.folder);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const authorization = headers.authorization ?? null;
    this.requests.push({ method, url, host: headers.host ?? '', authorization });
    for (const interference of this.interfere) if (await interference(request, response)) return;
    const repository = /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/(?:info|git-upload-pack|HEAD|objects)/.exec(url)?.[1];
    if (repository === undefined) return end(response, 404);
    if (!this.publicRepositories.has(repository) && !this.knows(authorization)) {
      return end(response, 401, { 'www-authenticate': 'Basic realm="code host"' });
    }
    serveGit(this.folder, request, response);
  }

  /** Whether the header carries a token of this host, as `Bearer` or in the form that git's hosts take. */
  knows(authorization: string | null): boolean {
    const [, scheme = '', value = ''] = /^(\w+) (.+)$/.exec(authorization ?? '') ?? [];
    if (/^(?:bearer|token)$/i.test(scheme)) return this.tokens.has(value);
    const [user, password = ''] = Buffer.from(value, 'base64').toString().split(':');
    return /^basic$/i.test(scheme) && user === 'x-access-token' && this.tokens.has(password);
  }
}

export function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-length': '0', ...headers }).end();
}

/** The common gateway interface between this server and `git http-backend`. */
function serveGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_CONFIG_KEY_1: 'uploadpack.allowAnySHA1InWant',
      GIT_CONFIG_VALUE_1: String(request.headers['x-strict'] === undefined),
      GIT_CONFIG_KEY_2: 'uploadpack.allowFilter',
      GIT_CONFIG_VALUE_2: String(request.headers['x-unfiltered'] === undefined),
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path).replace(/^(\/[^/]+\/[^/]+?)\.git\//, '$1/'),
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...optional('CONTENT_LENGTH', request.headers['content-length']),
      ...optional('GIT_PROTOCOL', request.headers['git-protocol']),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  backend.stdin.on('error', () => backend.stdin.destroy());
  request.pipe(backend.stdin);
  response.once('close', () => backend.kill());
  let head = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const border = head.indexOf('\r\n\r\n');
    if (border < 0) return;
    writeHead(response, head.subarray(0, border).toString());
    response.write(head.subarray(border + 4));
  });
  backend.stdout.once('end', () => (response.headersSent ? response.end() : end(response, 500)));
}

function writeHead(response: ServerResponse, head: string): void {
  const lines = head.split('\r\n').map((line) => line.split(/: */, 2) as [string, string]);
  const status = lines.find(([name]) => name.toLowerCase() === 'status')?.[1];
  response.writeHead(
    status === undefined ? 200 : Number.parseInt(status, 10),
    Object.fromEntries(lines.filter(([name]) => name.toLowerCase() !== 'status')),
  );
}

function optional(name: string, value: string | string[] | undefined): Record<string, string> {
  return typeof value === 'string' ? { [name]: value } : {};
}
