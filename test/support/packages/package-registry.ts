import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startHttpsHost } from '../http/https-host.js';

export interface ServedPackage {
  name: string;
  version: string;
  /** Contents by path inside the package, beside its `package.json`. */
  files: Record<string, string>;
  /** More members of its `package.json`. */
  more?: object;
}

/** A package registry on a socket, as npm speaks to one: the description of a package, and its archive. */
export class PackageRegistry implements AsyncDisposable {
  /** Archives that were asked for. */
  readonly served: string[] = [];
  /** Changes an archive on its way, as a bad mirror or a broken connection would. */
  damage: (archive: Buffer) => Buffer = (archive) => archive;
  private readonly archives = new Map<string, { archive: Buffer; description: object }>();
  private listener: Listener = { url: '', ca: '', close: () => Promise.resolve() };

  private constructor() {}

  static async start(): Promise<PackageRegistry> {
    const registry = new PackageRegistry();
    registry.listener = await listenPlainly(registry.answering);
    return registry;
  }

  /** Over https, under a name that the clients' way to it has to lead here. */
  static async startSecurely(name: string): Promise<PackageRegistry> {
    const registry = new PackageRegistry();
    const host = await startHttpsHost([name], registry.answering);
    registry.listener = { url: `https://${name}:${host.port}/`, ca: host.ca, close: () => host.close() };
    return registry;
  }

  get url(): string {
    return this.listener.url;
  }

  /** As a target of a network grant. */
  get target(): string {
    return new URL(this.url).host;
  }

  /** What its clients have to trust, in PEM. */
  get certificate(): string {
    return this.listener.ca;
  }

  /** Where the archive of `<name>@<version>` is, as a lock file names it. */
  archiveUrl(key: string): string {
    return `${this.url}archives/${key}.tgz`;
  }

  /** Makes a package available. @returns its integrity, as a lock file names it */
  publish({ name, version, files, more = {} }: ServedPackage): string {
    const description = { name, version, ...more };
    const archive = packed({ ...files, 'package.json': JSON.stringify(description) });
    this.archives.set(`${name}@${version}`, { archive, description });
    return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.listener.close();
  }

  private readonly answering: RequestListener = (request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const archive = /^\/archives\/(.+)\.tgz$/.exec(path)?.[1];
    if (archive === undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.describe(path.slice(1))));
      return;
    }
    this.served.push(archive);
    const bytes = this.damage(this.archives.get(archive)?.archive ?? Buffer.alloc(0));
    response.end(bytes);
  };

  private describe(name: string): object {
    const versions = [...this.archives].filter(([key]) => key.startsWith(`${name}@`));
    return {
      name,
      'dist-tags': {},
      versions: Object.fromEntries(
        versions.map(([key, { description }]) => [
          key.slice(name.length + 1),
          { ...description, dist: { tarball: this.archiveUrl(key) } },
        ]),
      ),
    };
  }
}

interface Listener {
  url: string;
  ca: string;
  close(): Promise<void>;
}

async function listenPlainly(answering: RequestListener): Promise<Listener> {
  const server = createServer(answering);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ca: '',
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function packed(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'sg-package-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      const target = join(folder, 'package', path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content, { mode: path.startsWith('bin/') ? 0o755 : 0o644 });
    }
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
    return readFileSync(join(folder, 'package.tgz'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
