import type { Webhook } from '@countersign/contract';
import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { useParameters } from '../../components/use-raw-search.ts';
import { webhooks } from '#messages/webhooks.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { deliveryFiltersQuery, readDeliveryFilters } from './delivery-filters.ts';

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
      {deliveryId !== undefined && (
        <DeliveryDetail key={deliveryId} webhook={webhook} deliveryId={deliveryId} />
      )}
    </Drawer>
  );
}
