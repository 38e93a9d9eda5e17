import type { FastifyReply } from 'fastify';

/** Aborts when the connection goes before the answer is out. */
export function untilHungUp(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
