import type { FastifyRequest } from 'fastify';

/** Takes in forms with files before anybody has decided to use them, because what a form says is known only once all of it is there. */
export abstract class FormSpool {
  /**
   * Keeps the form that a request brings. The digest is of what the form says: its fields and the bytes of its file, not their order or the
   * boundary between them.
   *
   * @returns null for a request that brings none
   */
  abstract digest(request: FastifyRequest): Promise<Buffer | null>;

  /** Drops a form that was kept and that nobody took. */
  abstract drop(request: FastifyRequest): Promise<void>;
}
