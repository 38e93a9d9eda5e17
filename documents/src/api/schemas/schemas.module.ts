import { Module } from '@nestjs/common';
import { DocumentsModule } from '../documents/documents.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { MadeSchemasService } from './made-schemas.service.js';
import { SchemasController } from './schemas.controller.js';
import { SchemasService } from './schemas.service.js';
import { SheetForms } from './sheet-forms.js';

@Module({
  imports: [DocumentsModule, PagesModule],
  controllers: [SchemasController],
  providers: [SchemasService, MadeSchemasService, SheetForms],
})
export class SchemasModule {}
