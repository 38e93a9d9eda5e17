import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuthGuard } from './auth.guard.js';
import { CallerGuard, OperatorGuard, TriggerTokenGuard } from './credential.guards.js';
import { OperatorStrategy } from './operator.strategy.js';
import { PersonalTokenStrategy } from './personal-token.strategy.js';
import { TriggerTokenStrategy } from './trigger-token.strategy.js';
import { WebSessionStrategy } from './web-session.strategy.js';

/** One strategy for each kind of credential, and the guard of the public plane that asks them. */
@Module({
  providers: [
    OperatorStrategy,
    PersonalTokenStrategy,
    WebSessionStrategy,
    TriggerTokenStrategy,
    CallerGuard,
    OperatorGuard,
    TriggerTokenGuard,
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
})
export class AuthModule {}
