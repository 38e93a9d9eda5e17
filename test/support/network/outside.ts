import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A host outside that keeps every byte that reaches it, and answers what it is told. */
export interface RecordingHost {
  port: number;
  /** What reached it, connection by connection. */
  received: string[];
  /** How many connections it got. */
  connections: number;
  close(): Promise<void>;
}

/** @param answer what it sends: at once as a greeting, or for a request */
export async function startRecordingHost(
  answer: { greeting?: string; reply?: (text: string) => string | null } = {},
  address = '127.0.0.1',
  port = 0,
): Promise<RecordingHost> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    const at = host.received.push('') - 1;
    host.connections += 1;
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
    if (answer.greeting !== undefined) socket.write(answer.greeting);
    socket.on('data', (chunk) => {
      host.received[at] += chunk.toString('latin1');
      const reply = answer.reply?.(chunk.toString('latin1')) ?? null;
      if (reply !== null) socket.write(reply);
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  const host: RecordingHost = {
    port: (server.address() as AddressInfo).port,
    received: [],
    connections: 0,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  return host;
}

/** Answers every request in turn, and says which path was asked for. */
export function replyToRequests(text: string): string | null {
  const paths = [...text.matchAll(/^(?:[A-Z]+) (\S+) HTTP\/1\.1\r$/gm)].map(([, path]) => path);
  if (paths.length === 0) return null;
  return paths
    .map((path) => `HTTP/1.1 200 OK\r\ncontent-length: ${`seen ${path}`.length}\r\n\r\nseen ${path}`)
    .join('');
}
