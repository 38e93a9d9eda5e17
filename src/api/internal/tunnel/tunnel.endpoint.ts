import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TUNNEL_PROTOCOL } from '../../../domain/network/enforcement.js';
import type { RunnerEndpoint } from '../routes/runner-endpoint.js';

/** What a plain request to the place of the tunnels is answered; a tunnel is opened by an upgrade (`TunnelDoor`). */
@Injectable()
export class TunnelEndpoint implements RunnerEndpoint {
  readonly method = 'GET';
  readonly path = '/tunnel';
  readonly ofSession = true;
  readonly route = { audience: 'tool' } as const;

  handle(_request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.status(426).header('upgrade', TUNNEL_PROTOCOL).header('connection', 'upgrade');
    return Promise.resolve({ error: `upgrade to ${TUNNEL_PROTOCOL} needed` });
  }
}
