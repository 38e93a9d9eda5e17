import type http from 'node:http';

/**
 * Node's HTTP client, taken from the process and not imported: an ES module import of `node:http` reads every export, which
 * loads the whole of fetch and WebSocket and costs each run 30 ms before its first heartbeat.
 */
export const nodeHttp: typeof http = process.getBuiltinModule('node:http');
