import { Module } from '@nestjs/common';
import { HarnessesModule } from '../harnesses/harnesses.module.js';
import { CreateSessionService } from './create-session.service.js';
import { RunNetwork } from './run-network.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [HarnessesModule],
  controllers: [SessionsController],
  providers: [SessionsService, CreateSessionService, RunNetwork],
})
export class SessionsModule {}
