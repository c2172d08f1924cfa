import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMessages } from '../../messages/messages.ts';
import { RequestDetail } from './request-detail.tsx';

/** The detail of a request beside the list; closed without a request. */
export function RequestDrawer({
  requestId,
  onClose,
}: {
  readonly requestId: string | undefined;
  readonly onClose: () => void;
}): ReactElement {
  const t = useMessages('requests');
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="46rem"
      title={t.detail}
      overlayProps={{ backgroundOpacity: 0.3 }}
      padding="lg"
    >
      {requestId !== undefined && <RequestDetail key={requestId} requestId={requestId} />}
    </Drawer>
  );
}
