import type { Socket } from 'node:net';

const runOfSocket = new WeakMap<Socket, string>();

/** Marks a connection that arrived through the plane socket of a run. */
export function bindToRun(socket: Socket, runId: string): void {
  runOfSocket.set(socket, runId);
}

/** The run through whose plane socket a connection came; undefined for the TCP listeners. */
export function runOfPlaneSocket(socket: Socket): string | undefined {
  return runOfSocket.get(socket);
}
