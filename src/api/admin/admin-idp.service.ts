import { Injectable } from '@nestjs/common';
import { normalizedEmail } from '../../domain/identity/email.js';
import { pathId } from '../../domain/resource-id.js';
import { armBreakGlass } from '../../core/identity/management/arm-owner.js';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { IdpConfigs } from '../../core/identity/management/idp-configs.js';
import { IdpMoves } from '../../core/identity/management/idp-moves.js';
import { Database } from '../../core/record/database.js';
import { toIdp } from '../org/idp.dto.js';
import {
  toArmed,
  toEnded,
  toIdpChanges,
  toMigrated,
  toNewIdp,
  type ArmedBreakGlass,
  type BreakGlass,
  type ChangeIdp,
  type CreateIdp,
  type DisabledIdp,
  type IdpEnvelope,
  type MigratedIdp,
  type MigrateIdp,
} from './admin-idp.dto.js';

/** Which provider is changed, and by whom. */
export interface ChangeOfIdp {
  organizationId: string;
  /** As the path has it. */
  provider: string;
  actor: AuditActor;
}

/** Identity providers of an organization, for the operator. */
@Injectable()
export class AdminIdpService {
  constructor(
    private readonly database: Database,
    private readonly configs: IdpConfigs,
    private readonly moves: IdpMoves,
  ) {}

  /** @throws SandgateError as `IdpConfigs.stage` */
  async create(organizationId: string, body: CreateIdp, actor: AuditActor): Promise<IdpEnvelope> {
    return { idp: toIdp(await this.configs.stage(organizationId, toNewIdp(body), actor)) };
  }

  /** @throws SandgateError as `IdpConfigs.change` */
  async change(change: ChangeOfIdp, body: ChangeIdp): Promise<IdpEnvelope> {
    const changes = toIdpChanges(body);
    return { idp: toIdp(await this.configs.change(change.organizationId, { ...of(change), changes })) };
  }

  /** @throws SandgateError as `IdpMoves.activate` */
  async activate(change: ChangeOfIdp): Promise<IdpEnvelope> {
    return { idp: toIdp(await this.moves.activate(change.organizationId, of(change))) };
  }

  /** @throws SandgateError as `IdpMoves.disable` */
  async disable(change: ChangeOfIdp): Promise<DisabledIdp> {
    const ended = await this.moves.disable(change.organizationId, of(change));
    return { status: 'disabled', ...toEnded(ended) };
  }

  /** @throws SandgateError as `IdpMoves.reactivate` */
  async reactivate(change: ChangeOfIdp): Promise<IdpEnvelope> {
    return { idp: toIdp(await this.moves.reactivate(change.organizationId, of(change))) };
  }

  /** @throws SandgateError as `IdpMoves.migrate` */
  async migrate(change: ChangeOfIdp, { carry_forward, ...body }: MigrateIdp): Promise<MigratedIdp> {
    const carryForward = carry_forward === true;
    const swap = { ...of(change), wish: toNewIdp(body), carryForward };
    return toMigrated(await this.moves.migrate(change.organizationId, swap), carryForward);
  }

  /** @throws SandgateError as `armBreakGlass` */
  async arm(organizationId: string, body: BreakGlass, actor: AuditActor): Promise<ArmedBreakGlass> {
    const email = normalizedEmail('email', body.email);
    return toArmed(await armBreakGlass(this.database, organizationId, { email, actor }));
  }
}

function of({ provider, actor }: ChangeOfIdp) {
  return { id: pathId(provider, 'identity provider'), actor };
}
