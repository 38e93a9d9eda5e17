import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/scopes.decorator.js';
import { OpenApiHolder } from './openapi-holder.js';

@ApiTags('Service')
@Controller('api/openapi.json')
export class OpenApiController {
  constructor(private readonly holder: OpenApiHolder) {}

  @Get()
  @Public('the description of the interface says nothing of what is kept')
  @Header('content-type', 'application/json')
  @ApiOperation({ summary: 'The description of this interface' })
  @ApiResponse({ status: 200, description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } })
  readDescription(): string {
    return this.holder.json;
  }
}
