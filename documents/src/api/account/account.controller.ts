import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller } from '../http/caller.decorator.js';
import { Scopes } from '../http/scopes.decorator.js';
import { Answer, Failures } from '../openapi/answers.js';
import { MeView, UsageView } from './account.dto.js';
import { AccountService } from './account.service.js';

@ApiTags('Access')
@Controller('api')
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Get('me')
  @Scopes('any')
  @ApiOperation({ summary: 'What this credential is, and what it may do' })
  @Answer(MeView, 'The credential, its limits, and what its organization uses.')
  @Failures()
  readMe(@Caller() caller: Caller): Promise<MeView> {
    return this.account.me(caller);
  }

  @Get('usage')
  @Scopes('any')
  @ApiOperation({ summary: 'What the organization uses of its quotas' })
  @Answer(UsageView, 'Usage.')
  @Failures()
  readUsage(@Caller() caller: Caller): Promise<UsageView> {
    return this.account.usage(caller);
  }
}
