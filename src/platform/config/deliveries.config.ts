import { integer, integerList } from './readers.js';
import { setting } from './setting.js';

/** How often the result of a run is sent to each of its destinations (docs/design/deliveries.md). */
export class DeliveriesConfig {
  @setting({
    variable: 'SERVICE_DELIVERY_WAITS_MS',
    read: integerList(1, 86_400_000),
    default: () => Object.freeze([5_000, 30_000, 180_000, 900_000, 3_600_000]),
    defaultText: '5000,30000,180000,900000,3600000',
    about: 'Milliseconds between two attempts to deliver a result, each ± 10 %; there is one attempt more than waits.',
  })
  readonly waitsMs!: readonly number[];

  @setting({
    variable: 'SERVICE_DELIVERY_TIMEOUT_MS',
    read: integer(1, 20_000),
    default: 10_000,
    about: 'How long one attempt at a callback may take, the connection included.',
  })
  readonly timeoutMs!: number;
}
