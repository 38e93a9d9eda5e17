import { Module } from '@nestjs/common';
import { MemberChanges } from '../../core/identity/management/member-changes.js';
import { MemberCredentials } from '../../core/identity/management/member-credentials.js';
import { Database } from '../../core/record/database.js';
import { AuthAuditService } from './auth-audit.service.js';
import { MemberCredentialsService } from './member-credentials.service.js';
import { MembersService } from './members.service.js';
import { OrgMembersController } from './org-members.controller.js';
import { OrgController } from './org.controller.js';
import { OrgService } from './org.service.js';

/** What an organization sees and changes of itself, and the services of it that the operator shares. */
@Module({
  controllers: [OrgController, OrgMembersController],
  providers: [
    OrgService,
    MembersService,
    MemberCredentialsService,
    AuthAuditService,
    { provide: MemberChanges, inject: [Database], useFactory: (database: Database) => new MemberChanges(database) },
    {
      provide: MemberCredentials,
      inject: [Database],
      useFactory: (database: Database) => new MemberCredentials(database),
    },
  ],
  exports: [OrgService, MembersService, MemberCredentialsService, AuthAuditService],
})
export class OrgModule {}
