import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Param, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { isLoopbackHost } from '../../platform/host/loopback.js';
import { Public } from '../auth/permission.decorator.js';
import { OpenApiHolder } from '../openapi/openapi-holder.js';
import { REFERENCE_INIT, REFERENCE_PAGE } from './reference-page.js';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const ASSET_TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);
/** The page styles itself inline; scripts come from this server alone. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** The interface description, and a page to browse it. */
@ApiExcludeController()
@Controller('v1')
export class ReferenceController {
  constructor(private readonly openApi: OpenApiHolder) {}

  @Get('openapi.json')
  @Public('the interface description holds nothing of the deployment')
  @Header('content-type', 'application/json')
  readOpenApi(): string {
    return this.openApi.json;
  }

  @Get('reference')
  @Public('documentation, on loopback only')
  readPage(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    requireLoopback(request);
    void reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY);
    return REFERENCE_PAGE;
  }

  @Get('reference/:asset')
  @Public('documentation, on loopback only')
  readAsset(@Req() request: FastifyRequest, @Param('asset') asset: string): StreamableFile {
    requireLoopback(request);
    if (asset === 'init.js')
      return new StreamableFile(Buffer.from(REFERENCE_INIT), { type: 'text/javascript; charset=utf-8' });
    const type = ASSET_TYPES.get(asset);
    if (type === undefined) throw unknownRoute();
    return new StreamableFile(createReadStream(join(ASSETS, asset)), { type });
  }
}

function requireLoopback(request: FastifyRequest): void {
  if (isLoopbackHost(request.raw.socket.remoteAddress ?? '')) return;
  throw unknownRoute();
}

/** The answer of an address without a route. */
function unknownRoute(): SandgateError {
  return new SandgateError('not_found', 'not found');
}
