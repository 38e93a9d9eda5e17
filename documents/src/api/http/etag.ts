import {
  createParamDecorator,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { DocsvcError } from '../../domain/errors.js';

/** An answer with the version of the row that it shows. */
export class Tagged<T> {
  constructor(
    readonly body: T,
    readonly rowVersion: number,
  ) {}
}

/** Says the version of a row as its `ETag`. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof Tagged)) return answer;
        reply.header('etag', `"${answer.rowVersion}"`);
        return answer.body as unknown;
      }),
    );
  }
}

/** A version that no row has: `If-Match` names something that is not an ETag of ours. */
const NONE = -1;

/** Parameter of a handler: the version that `If-Match` asks for; null without the header, and for `*`. */
export const IfMatch = createParamDecorator((_data: unknown, context: ExecutionContext): number | null => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const version = /^(?:W\/)?"(\d{1,9})"$/.exec(header.trim())?.[1];
  return version === undefined ? NONE : Number(version);
});

/** @throws DocsvcError `version_conflict` when the row has changed since the caller read it */
export function requireVersion(asked: number | null, rowVersion: number): void {
  if (asked === null || asked === rowVersion) return;
  throw versionConflict(rowVersion);
}

/** @param now the version that the row has, where it is known */
export function versionConflict(now?: number): DocsvcError {
  const is = now === undefined ? '' : ` and is now "${now}"`;
  return new DocsvcError(
    'version_conflict',
    `If-Match: this was changed meanwhile${is}; read it again and repeat the change`,
  );
}
