import { Module } from '@nestjs/common';
import { PartsController } from './parts.controller.js';
import { PartsService } from './parts.service.js';
import { SignedUrls } from './signed-urls.js';
import { ProjectUploadsController, UploadsController } from './uploads.controller.js';
import { UploadsService } from './uploads.service.js';

@Module({
  controllers: [ProjectUploadsController, UploadsController, PartsController],
  providers: [UploadsService, PartsService, SignedUrls],
  exports: [SignedUrls],
})
export class UploadsModule {}
