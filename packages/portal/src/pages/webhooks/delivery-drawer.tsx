import type { Webhook } from '@countersign/contract';
import { Drawer } from '@mantine/core';
import { type ReactElement, Suspense } from 'react';
import { LoadingLines } from '../../components/query-state.tsx';
import { useParameters } from '../../components/use-raw-search.ts';
import { webhooks } from '../../messages/en/webhooks.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { deliveryFiltersQuery, readDeliveryFilters } from './delivery-filters.ts';

const DeliveryDetail = lazyPart(async () => (await import('./delivery-detail.tsx')).DeliveryDetail);

interface DeliveryDrawerProps {
  readonly webhook: Webhook;
  /** Undefined: the drawer is closed. */
  readonly deliveryId: string | undefined;
}

/** A delivery beside the list. Closing it keeps the filters. */
export function DeliveryDrawer({ webhook, deliveryId }: DeliveryDrawerProps): ReactElement {
  const [parameters, setParameters] = useParameters();
  return (
    <Drawer
      opened={deliveryId !== undefined}
      onClose={() => setParameters(deliveryFiltersQuery(readDeliveryFilters(parameters)))}
      position="right"
      size="46rem"
      title={webhooks.delivery.title}
      overlayProps={{ backgroundOpacity: 0.3 }}
      padding="lg"
    >
      <Suspense fallback={<LoadingLines />}>
        {deliveryId !== undefined && (
          <DeliveryDetail key={deliveryId} webhook={webhook} deliveryId={deliveryId} />
        )}
      </Suspense>
    </Drawer>
  );
}
