import { Module } from '@nestjs/common';
import { MadeSchemasService } from './made-schemas.service.js';
import { SchemasController } from './schemas.controller.js';
import { SchemasService } from './schemas.service.js';

@Module({ controllers: [SchemasController], providers: [SchemasService, MadeSchemasService] })
export class SchemasModule {}
