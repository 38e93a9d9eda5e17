import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../installation/free-ports.js';
import { stopChild } from '../installation/stop-child.js';
import { providePython } from './python-environment.js';

/** A server of others, running. */
export interface RealServer {
  /** Its streamable HTTP endpoint. */
  url: string;
  close(): Promise<void>;
}

/**
 * `everything`: the official reference server (npm, TypeScript SDK, answers with event streams); `git`: works on the repositories
 * below a folder (npm, another HTTP stack); `time`: the official time server (PyPI, Python SDK, answers with JSON) behind the
 * bridge `mcp-proxy`.
 */
export type RealServerName = 'everything' | 'git' | 'time';

const READY_WITHIN_MS = 60_000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Another program may take a port that was free a moment ago; not three times in a row. */
const STOP_MS = 3000;
const PORTS_TRIED = 3;

/** Starts a server on a free port and waits until it answers. */
export async function startRealServer(name: RealServerName, folder = ROOT): Promise<RealServer> {
  for (let tried = 1; ; tried += 1) {
    try {
      // None of those that programs in a sandbox are given, whose loopback is another one: a look at a server must not meet theirs.
      const [port = 0] = await freePorts(1);
      return await startOn(port, name, folder);
    } catch (error) {
      if (!(error instanceof PortTaken) || tried === PORTS_TRIED) throw error;
    }
  }
}

class PortTaken extends Error {}

async function startOn(port: number, name: RealServerName, folder: string): Promise<RealServer> {
  const [program, args, environment] = await commandOf(name, port, folder);
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const url = `http://127.0.0.1:${port}/mcp`;
  try {
    await untilReady(url, child, () => said);
  } catch (error) {
    await stopChild(child, STOP_MS);
    throw error;
  }
  return { url, close: () => stopChild(child, STOP_MS) };
}

async function commandOf(
  name: RealServerName,
  port: number,
  folder: string,
): Promise<[string, string[], Record<string, string>]> {
  const modules = `${ROOT}node_modules/`;
  switch (name) {
    case 'everything': {
      const program = `${modules}@modelcontextprotocol/server-everything/dist/index.js`;
      return [process.execPath, [program, 'streamableHttp'], { PORT: String(port) }];
    }
    case 'git':
      return [
        process.execPath,
        [`${modules}@cyanheads/git-mcp-server/dist/index.js`],
        {
          MCP_TRANSPORT_TYPE: 'http',
          MCP_HTTP_HOST: '127.0.0.1',
          MCP_HTTP_PORT: String(port),
          GIT_BASE_DIR: folder,
          MCP_LOG_LEVEL: 'error',
        },
      ];
    case 'time': {
      const python = await providePython(fileURLToPath(new URL('./time-server.requirements.txt', import.meta.url)));
      const bridge = ['-m', 'mcp_proxy', '--host', '127.0.0.1', '--port', String(port), '--', python];
      return [python, [...bridge, '-m', 'mcp_server_time', '--local-timezone', 'UTC'], {}];
    }
  }
}

async function untilReady(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) {
      const Problem = /EADDRINUSE|address already in use/i.test(said()) ? PortTaken : Error;
      throw new Problem(`the MCP server ended with ${child.exitCode}: ${said()}`);
    }
    if (await answers(url)) return;
    await sleep(50);
  }
  throw new Error(`the MCP server did not listen within ${READY_WITHIN_MS / 1000} s: ${said()}`);
}

/** Any answer to a request that opens nothing will do. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { method: 'PATCH', signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
