import { join } from 'node:path';
import type { GatewayPeer } from './gateway-peer.js';
import { versionOf } from './installed-peers.js';

/** The gateway of Portkey, which is told the provider by headers. */
export function portkey(folder: string): GatewayPeer {
  return {
    name: versionOf('@portkey-ai/gateway'),
    times: 2,
    keeps: 'it keeps no budget and no record',
    command: ({ own }) => ({
      program: process.execPath,
      argv: [join(folder, 'build', 'start-server.js'), `--port=${own}`, '--headless'],
    }),
    env: {},
    headers: (providerPort) => [
      'x-portkey-provider: anthropic',
      `x-portkey-custom-host: http://127.0.0.1:${providerPort}/v1`,
      'x-api-key: bench',
    ],
  };
}
