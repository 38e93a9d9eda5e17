import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** HEAD is no method of this route, although the framework has one for each GET. */
    notByHead?: true;
  }
}

/** A GET that takes a step: it opens a flow or uses one up. Scanners of links ask with HEAD, and must not take it. */
export const NotByHead = (): MethodDecorator => RouteConfig({ notByHead: true });
