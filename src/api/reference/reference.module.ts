import { Module } from '@nestjs/common';
import { OpenApiHolder } from '../openapi/openapi-holder.js';
import { ReferenceController } from './reference.controller.js';

@Module({ controllers: [ReferenceController], providers: [OpenApiHolder], exports: [OpenApiHolder] })
export class ReferenceModule {}
