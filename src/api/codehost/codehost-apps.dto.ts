import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AppRegistrationRecord } from '../../core/codehost/app-registrations.js';
import type { SyncedInstallations } from '../../core/codehost/sync-installations.js';
import { Connection, toConnection } from '../connections/connections.dto.js';
import { OptionalBody } from '../http/optional-body.js';
import { ValidatedByService } from '../http/validated.js';
import { IsOrganization } from './organization.js';

const TEXT_OR_NULL = { type: 'string', nullable: true } as const;

/** An app at the code host; never a secret of it. */
export class AppRegistrationView {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  tenant_id!: string;

  @ApiProperty({ enum: ['pending', 'active', 'revoked'] })
  status!: 'pending' | 'active' | 'revoked';

  @ApiProperty({ enum: ['personal', 'organization'] })
  target_kind!: 'personal' | 'organization';

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Organization of the code host that was asked to own the app.' })
  target_org!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Like the members below, null until the host has registered the app.' })
  app_id!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  slug!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The same as `slug`.' })
  app_slug!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  name!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  client_id!: string | null;

  @ApiProperty(TEXT_OR_NULL)
  html_url!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Account that owns the app.' })
  owner_login!: string | null;

  @ApiProperty({
    description: 'Without one repositories can be read and results published, but no event starts a run.',
  })
  has_webhook_secret!: boolean;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
}

export class AppRegistrationList {
  @ApiProperty({ type: [AppRegistrationView], description: 'Newest first.' })
  registrations!: AppRegistrationView[];
}

@OptionalBody()
@ValidatedByService()
export class StartManifest {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,99}$',
    description: "Organization of the code host that will own the app; the person's own account if left out.",
  })
  @IsOrganization()
  organization?: string | null;
}

export class StartedAppFlow {
  @ApiProperty({ type: AppRegistrationView })
  registration!: AppRegistrationView;

  @ApiProperty({
    format: 'uri',
    description: 'Open it within the hour, once, in a browser that is signed in at the code host.',
  })
  go_url!: string;
}

class SyncedInstallation {
  @ApiProperty()
  installation_id!: string;

  @ApiProperty({ format: 'uuid' })
  connection_id!: string;

  @ApiProperty({ enum: ['active', 'suspended'] })
  status!: string;
}

class InstallationConflict {
  @ApiProperty()
  installation_id!: string;

  @ApiProperty()
  reason!: string;
}

export class SyncedApp {
  @ApiProperty({ format: 'uuid' })
  registration_id!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, description: 'How many the host lists.' })
  installations!: number;

  @ApiProperty({ type: [SyncedInstallation] })
  synced!: SyncedInstallation[];

  @ApiProperty({ type: [InstallationConflict], description: 'Those that were left as they are.' })
  conflicts!: InstallationConflict[];

  @ApiProperty({ type: [Connection], description: 'The connections of `synced`.' })
  connections!: Connection[];
}

export class RevokedApp {
  @ApiProperty({ format: 'uuid' })
  registration_id!: string;

  @ApiProperty({ type: [String], format: 'uuid', description: 'Connections that were revoked with it.' })
  revoked_connections!: string[];
}

export function toRegistrationView(record: AppRegistrationRecord): AppRegistrationView {
  return {
    id: record.id,
    tenant_id: record.tenant_id,
    status: record.status,
    target_kind: record.target_kind,
    target_org: record.target_org,
    app_id: record.app_id,
    slug: record.slug,
    app_slug: record.slug,
    name: record.name,
    client_id: record.client_id,
    html_url: record.html_url,
    owner_login: record.owner_login,
    has_webhook_secret: record.has_webhook_secret,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

export function toSyncedApp(registrationId: string, synced: SyncedInstallations): SyncedApp {
  return {
    registration_id: registrationId,
    installations: synced.installations,
    synced: synced.connections.map(({ id, external_account_id: installation, status }) => ({
      installation_id: installation,
      connection_id: id,
      status,
    })),
    conflicts: synced.conflicts,
    connections: synced.connections.map(toConnection),
  };
}
