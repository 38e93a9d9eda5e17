import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { clientDocument } from '../../core/oauth/client-document.js';
import { PublicAddress } from '../../core/oauth/public-address.js';
import { Public } from '../auth/permission.decorator.js';
import { notFound } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { ClientDocument } from './oauth.dto.js';

@ApiTags('Connections')
@Controller('.well-known')
export class ClientDocumentController {
  constructor(private readonly address: PublicAddress) {}

  @Get('service-client.json')
  @Public('authorization servers read it')
  @ApiOperation({ summary: 'Read the client metadata document of this deployment' })
  @Answer(ClientDocument, 'As which client authorization servers know this deployment.')
  @Failures(404)
  readClientDocument(): ClientDocument {
    if (!this.address.publishesClientDocument)
      throw notFound('document: it needs an https address that is not loopback');
    return clientDocument(this.address);
  }
}
