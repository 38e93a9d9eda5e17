import { SetMetadata } from '@nestjs/common';
import type { Scope } from '../../domain/access/scopes.js';
import type { RateKind } from '../../core/access/admit-request.js';

export const SCOPE_METADATA = 'docsvc:scope';
export const PUBLIC_METADATA = 'docsvc:public';
export const RATE_METADATA = 'docsvc:rate';

/** What a route needs: a scope, or only a token that is good. */
export type NeededScope = Scope | 'any';

/** The scope that a caller of this route needs; `any` for what every credential may do. Every handler carries this or `@Public`. */
export const Scopes = (scope: NeededScope): MethodDecorator => SetMetadata(SCOPE_METADATA, scope);

/** A route without a token, and why that is safe. */
export const Public = (reason: string): MethodDecorator => SetMetadata(PUBLIC_METADATA, reason);

/** A route whose requests have a rate of their own beside that of all requests. */
export const Rate = (kind: RateKind): MethodDecorator => SetMetadata(RATE_METADATA, kind);
