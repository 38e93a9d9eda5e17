import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { pathId } from '../../domain/resource-id.js';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, userIdOf, type Principal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { AppRegistrationList, RevokedApp, StartedAppFlow, StartManifest, SyncedApp } from './codehost-apps.dto.js';
import { CodehostAppsService } from './codehost-apps.service.js';

const WHAT = 'app registration';

@ApiTags('Code host')
@Controller('v1/codehost/app')
export class CodehostAppsController {
  constructor(private readonly apps: CodehostAppsService) {}

  @Get()
  @Permission('codehost.read')
  @ApiOperation({ summary: 'List the apps that the organization registered at the code host' })
  @Answer(AppRegistrationList, 'All of them, revoked ones included.')
  @Failures(400, 401, 403, 503)
  listAppRegistrations(@CurrentPrincipal() { organizationId }: Principal): Promise<AppRegistrationList> {
    return this.apps.list(organizationId);
  }

  @Post('manifest/start')
  @HttpCode(200)
  @Permission('codehost.write')
  @ApiOperation({ summary: 'Start to register an app, to finish in a browser within the hour' })
  @ApiBody({ type: StartManifest, required: false })
  @Answer(StartedAppFlow, 'A pending registration.')
  @Failures(400, 401, 403, 413, 415, 503)
  startAppManifest(
    @CurrentPrincipal() { organizationId }: Principal,
    @Body() body: StartManifest,
  ): Promise<StartedAppFlow> {
    return this.apps.startManifest(organizationId, body);
  }

  @Post(':id/install/start')
  @HttpCode(200)
  @Permission('codehost.write')
  @ApiOperation({ summary: 'Start to install an app, to finish in a browser within the hour' })
  @IdParam('id', WHAT)
  @Answer(StartedAppFlow, 'The registration.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  startAppInstall(@CurrentPrincipal() { organizationId }: Principal, @Param('id') id: string): Promise<StartedAppFlow> {
    return this.apps.startInstall(organizationId, pathId(id, WHAT));
  }

  @Post(':id/sync')
  @HttpCode(200)
  @Permission('codehost.write')
  @ApiOperation({ summary: 'Connect every installation of an app that the code host lists' })
  @IdParam('id', WHAT)
  @Answer(SyncedApp, 'What became of each installation.')
  @Failures(400, 401, 403, 404, 413, 415, 502, 503)
  syncAppInstallations(@CurrentPrincipal() principal: Principal, @Param('id') id: string): Promise<SyncedApp> {
    return this.apps.sync(principal.organizationId, pathId(id, WHAT), userIdOf(principal));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Permission('codehost.write')
  @ApiOperation({ summary: 'Revoke a registration with every connection that lives by it' })
  @IdParam('id', WHAT)
  @Answer(RevokedApp, 'The connections that were revoked with it.')
  @Failures(400, 401, 403, 404, 409, 413, 415, 503)
  revokeAppRegistration(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('id') id: string,
  ): Promise<RevokedApp> {
    return this.apps.revoke(organizationId, pathId(id, WHAT));
  }
}
