import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AdminToken } from './admin-token.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';
import { DeploymentOrganization } from './deployment-organization.js';
import type { OperatorPrincipal } from './principal.js';
import { OPERATOR_PERMISSIONS } from './role-permissions.js';

/** The admin token of the deployment (CP-274). */
@Injectable()
export class OperatorStrategy extends CredentialStrategy<OperatorPrincipal> {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly organization: DeploymentOrganization,
  ) {
    super();
  }

  override async find({ headers }: FastifyRequest): Promise<OperatorPrincipal | null> {
    const { bearer } = readCredentials(headers);
    if (bearer === null || !this.adminToken.matches(bearer)) return null;
    const { id } = this.organization;
    return { kind: 'operator', organizationId: id, name: 'operator', permissions: OPERATOR_PERMISSIONS };
  }
}
