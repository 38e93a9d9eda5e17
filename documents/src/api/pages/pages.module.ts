import { Module } from '@nestjs/common';
import { Sealer } from '../../platform/seal/sealer.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { PageImagesService } from './page-images.service.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { ReaderOfHost } from './reader-of-host.js';
import { ReprocessService } from './reprocess.service.js';

@Module({
  controllers: [PagesController],
  providers: [
    PagesService,
    PageImagesService,
    ReprocessService,
    ReaderOfHost,
    { provide: Sealer, inject: [ApiConfig], useFactory: ({ seal }: ApiConfig) => new Sealer(seal.key) },
  ],
  exports: [ReaderOfHost],
})
export class PagesModule {}
