import { tmpdir } from 'node:os';
import { messageOf } from '../log/failure-text.js';
import { SandboxServer } from './sandbox-server.js';

/**
 * Starts the server that the arguments name and prints what it says of its tools, as one JSON document. Runs in a confinement of its
 * own (`sandgate tools describe`): the server is a stranger's program.
 */
async function main(): Promise<number> {
  const [command = '', ...args] = process.argv.slice(2);
  const server = new SandboxServer(
    { name: 'described', command, args, tools: [] },
    { cwd: tmpdir(), environment: { ...process.env } as Record<string, string>, signal: new AbortController().signal },
  );
  try {
    process.stdout.write(JSON.stringify({ tools: await server.listTools() }));
    return 0;
  } catch (error) {
    process.stderr.write(messageOf(error));
    return 1;
  } finally {
    await server.close();
  }
}

process.exitCode = await main();
