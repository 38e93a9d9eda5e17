import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server of the benchmark in a process of its own, as the product's are. It ends with its parent. */
export interface ForkedServer extends AsyncDisposable {
  port: number;
  pid: number;
}

/** @param name a module of `servers/`; it gets `settings` as JSON and reports its port */
export async function forkServer(name: string, settings: object = {}): Promise<ForkedServer> {
  const path = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
  const child = fork(path, [JSON.stringify(settings)], { stdio: ['ignore', 2, 2, 'ipc'] });
  const port = await reportedPort(child, name);
  return {
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function reportedPort(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ${name} ended with ${code}`)));
  });
}
