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

const ofInternalListener = new WeakSet<Socket>();

/** Marks a connection that arrived at the runner plane's own listener. */
export function bindToInternalListener(socket: Socket): void {
  ofInternalListener.add(socket);
}

/** Whether a connection came through a plane socket or the runner plane's own listener, and not through the public one. */
export function cameToRunnerPlane(socket: Socket): boolean {
  return runOfSocket.has(socket) || ofInternalListener.has(socket);
}

const placeOfSocket = new WeakMap<Socket, () => void>();

/** Remembers how a connection gives back its place among those of its run. */
export function bindToPlace(socket: Socket, leave: () => void): void {
  placeOfSocket.set(socket, leave);
}

/** Gives the place back while the connection goes on: a tunnel is counted apart. */
export function leaveConnectionPlace(socket: Socket): void {
  placeOfSocket.get(socket)?.();
}
