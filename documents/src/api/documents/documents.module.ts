import { Module } from '@nestjs/common';
import { AddressesModule } from '../addresses/addresses.module.js';
import { FormSpool } from '../http/form-spool.js';
import { ContentService } from './content.service.js';
import { DocumentsController, ProjectDocumentsController } from './documents.controller.js';
import { DocumentsService } from './documents.service.js';
import { DownloadsController } from './downloads.controller.js';
import { DownloadsService } from './downloads.service.js';
import { FormIntake } from './form-intake.js';
import { VersionsService } from './versions.service.js';

const SPOOL = { provide: FormSpool, useExisting: FormIntake };

@Module({
  imports: [AddressesModule],
  controllers: [ProjectDocumentsController, DocumentsController, DownloadsController],
  providers: [DocumentsService, ContentService, VersionsService, DownloadsService, FormIntake, SPOOL],
  exports: [SPOOL, FormIntake],
})
export class DocumentsModule {}
