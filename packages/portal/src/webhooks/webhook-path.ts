/** The path of the list of webhooks. */
export const webhooksPath = '/integrations/webhooks';

/** Returns the path of a webhook's page, with one of its deliveries if one is given. */
export function webhookPath(webhookId: string, deliveryId?: string): string {
  const path = `${webhooksPath}/${encodeURIComponent(webhookId)}`;
  return deliveryId === undefined ? path : `${path}?delivery=${encodeURIComponent(deliveryId)}`;
}
