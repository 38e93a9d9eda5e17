import { Module } from '@nestjs/common';
import { DeviceLogins } from '../../core/identity/device-logins.js';
import { Database } from '../../core/record/database.js';
import { ConfirmController } from './confirm.controller.js';
import { ConfirmService } from './confirm.service.js';
import { DeviceController } from './device.controller.js';

/** Signing in from a terminal: what terminals ask, and the pages on which people answer (docs/design/identity.md#terminals). */
@Module({
  controllers: [DeviceController, ConfirmController],
  providers: [
    ConfirmService,
    { provide: DeviceLogins, inject: [Database], useFactory: (database: Database) => new DeviceLogins(database) },
  ],
})
export class DeviceModule {}
