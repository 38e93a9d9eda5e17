import { Module } from '@nestjs/common';
import { PageImagesService } from './page-images.service.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { ReaderOfHost } from './reader-of-host.js';
import { ReprocessService } from './reprocess.service.js';

@Module({
  controllers: [PagesController],
  providers: [PagesService, PageImagesService, ReprocessService, ReaderOfHost],
})
export class PagesModule {}
