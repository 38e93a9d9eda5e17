import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { tokensInUse, type TokenMember } from '../../core/identity/personal-tokens.js';
import { Database } from '../../core/record/database.js';
import type { Lookup } from '../../core/record/shared-lookups.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';
import { memberPrincipal, type UserPrincipal } from './principal.js';

/** A personal access token, which stands for its user (CP-275). */
@Injectable()
export class PersonalTokenStrategy extends CredentialStrategy<UserPrincipal> {
  private readonly memberOf: Lookup<TokenMember>;

  constructor({ pool }: Database) {
    super();
    this.memberOf = tokensInUse(pool);
  }

  override async find({ headers }: FastifyRequest): Promise<UserPrincipal | null> {
    const { bearer } = readCredentials(headers);
    if (bearer === null) return null;
    const found = await this.memberOf(bearer);
    return found === null ? null : memberPrincipal(found, { authKind: 'pat', tokenId: found.tokenId });
  }
}
