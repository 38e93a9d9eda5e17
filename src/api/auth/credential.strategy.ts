import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-custom';

/**
 * Finds whoever stands behind one kind of credential. A request that does not carry it, or one that belongs to nobody, is left to the next
 * strategy of the guard; what may not be answered by another one is thrown.
 */
export abstract class CredentialStrategy<T> extends Strategy {
  /** Passport keeps its strategies by name for the whole process, which may hold several applications: each has its own. */
  readonly key = randomUUID();

  constructor() {
    super((request, done) => {
      this.find(request as unknown as FastifyRequest).then((found) => done(null, found ?? false), done);
    });
    passport.use(this.key, this);
  }

  abstract find(request: FastifyRequest): Promise<T | null>;
}
