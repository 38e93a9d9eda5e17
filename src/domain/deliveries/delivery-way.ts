/** Names one delivery on its way to its destination, from its first attempt to its end; ids and a number alone. */
export interface DeliveryWay {
  organizationId: string;
  runId: string;
  deliveryId: string;
  /** How often it was sent on its way before. */
  resends: number;
}
