import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PackageRegistry> {
    const server = createServer((request, response) =>
      registry.answer(decodeURIComponent(request.url ?? ''), response),
    );
    const registry = new PackageRegistry(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Makes a package available. @returns its integrity, as a lock file names it */
  publish({ name, version, files, more = {} }: ServedPackage): string {
    const description = { name, version, ...more };
    const archive = packed({ ...files, 'package.json': JSON.stringify(description) });
    this.archives.set(`${name}@${version}`, { archive, description });
    return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(path: string, response: import('node:http').ServerResponse): void {
    const archive = /^\/archives\/(.+)\.tgz$/.exec(path)?.[1];
    if (archive === undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.describe(path.slice(1))));
      return;
    }
    this.served.push(archive);
    const bytes = this.damage(this.archives.get(archive)?.archive ?? Buffer.alloc(0));
    response.end(bytes);
  }

  private describe(name: string): object {
    const versions = [...this.archives].filter(([key]) => key.startsWith(`${name}@`));
    return {
      name,
      'dist-tags': {},
      versions: Object.fromEntries(
        versions.map(([key, { description }]) => [
          key.slice(name.length + 1),
          { ...description, dist: { tarball: `${this.url}archives/${key}.tgz` } },
        ]),
      ),
    };
  }
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
