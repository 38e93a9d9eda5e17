import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { unauthorized } from './credentials.js';
import type { CredentialStrategy } from './credential.strategy.js';
import { OperatorStrategy } from './operator.strategy.js';
import { PersonalTokenStrategy } from './personal-token.strategy.js';
import { TriggerTokenStrategy } from './trigger-token.strategy.js';
import { WebSessionStrategy } from './web-session.strategy.js';

/** Lets in whom the first of its strategies knows, and remembers them as `property` of the request. */
class CredentialGuard extends AuthGuard() {
  constructor(property: string, ...strategies: CredentialStrategy<unknown>[]) {
    super({ property, session: false, defaultStrategy: strategies.map(({ key }) => key) });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    return (await super.canActivate(context)) === true;
  }

  override handleRequest<TUser>(failure: Error | null | undefined, found: TUser | false | null): TUser {
    if (failure) throw failure;
    if (found === false || found === null) throw unauthorized();
    return found;
  }
}

/** Everybody who acts in an organization: the operator, and people by their token or browser. */
@Injectable()
export class CallerGuard extends CredentialGuard {
  constructor(operator: OperatorStrategy, token: PersonalTokenStrategy, session: WebSessionStrategy) {
    super('principal', operator, token, session);
  }
}

/** The operator alone. */
@Injectable()
export class OperatorGuard extends CredentialGuard {
  constructor(operator: OperatorStrategy) {
    super('principal', operator);
  }
}

/** The token of one trigger. */
@Injectable()
export class TriggerTokenGuard extends CredentialGuard {
  constructor(token: TriggerTokenStrategy) {
    super('triggerToken', token);
  }
}
