import { Module } from '@nestjs/common';
import { AddressesModule } from '../addresses/addresses.module.js';
import { PartsController } from './parts.controller.js';
import { PartsService } from './parts.service.js';
import { ProjectUploadsController, UploadsController } from './uploads.controller.js';
import { UploadsService } from './uploads.service.js';

@Module({
  imports: [AddressesModule],
  controllers: [ProjectUploadsController, UploadsController, PartsController],
  providers: [UploadsService, PartsService],
})
export class UploadsModule {}
