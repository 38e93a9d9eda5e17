import { Module } from '@nestjs/common';
import { SignedUrls } from './signed-urls.js';

@Module({ providers: [SignedUrls], exports: [SignedUrls] })
export class AddressesModule {}
