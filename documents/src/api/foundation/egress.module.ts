import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '../../../../src/platform/egress/egress.js';
import { ApiConfig } from './foundation.module.js';

/** The one way out of this process. */
@Global()
@Module({
  providers: [{ provide: Egress, inject: [ApiConfig], useFactory: ({ egress }: ApiConfig) => new Egress(egress) }],
  exports: [Egress],
})
export class EgressModule implements OnApplicationShutdown {
  constructor(private readonly egress: Egress) {}

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
