import { Module } from '@nestjs/common';
import { DeviceLogins } from '../../core/identity/device-logins.js';
import { Database } from '../../core/record/database.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { ConfirmController } from './confirm.controller.js';
import { ConfirmService } from './confirm.service.js';
import { DeviceController } from './device.controller.js';

/** Signing in from a terminal: what terminals ask, and the pages on which people answer (docs/design/identity.md#terminals). */
@Module({
  controllers: [DeviceController, ConfirmController],
  providers: [
    ConfirmService,
    {
      provide: DeviceLogins,
      inject: [Database, ApiConfig],
      useFactory: (database: Database, { timing }: ApiConfig) =>
        new DeviceLogins(database, Math.floor(timing.devicePollMs / 1000)),
    },
  ],
})
export class DeviceModule {}
