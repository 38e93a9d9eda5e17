import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readUuid } from '../../domain/uuid.js';
import { findTriggerToken, type TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import { Database } from '../../core/record/database.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';

/** The token of the trigger that the path names (CP-276). */
@Injectable()
export class TriggerTokenStrategy extends CredentialStrategy<TriggerTokenInfo> {
  constructor(private readonly database: Database) {
    super();
  }

  override async find({ headers, params }: FastifyRequest): Promise<TriggerTokenInfo | null> {
    const { bearer } = readCredentials(headers);
    const token = bearer === null ? null : await findTriggerToken(this.database.pool, bearer);
    const { id } = params as { id: string };
    return token?.subscriptionId === readUuid(id) ? token : null;
  }
}
