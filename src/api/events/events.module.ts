import { Module } from '@nestjs/common';
import { EventStreamHub } from './event-stream-hub.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { StreamWatch } from './stream-watch.js';

@Module({ controllers: [EventsController], providers: [EventsService, EventStreamHub, StreamWatch] })
export class EventsModule {}
