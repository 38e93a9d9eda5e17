import { Module } from '@nestjs/common';
import { CreateSessionService } from './create-session.service.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({ controllers: [SessionsController], providers: [SessionsService, CreateSessionService] })
export class SessionsModule {}
