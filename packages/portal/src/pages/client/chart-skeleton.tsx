import { Skeleton } from '@mantine/core';
import type { ReactElement } from 'react';

/** Where a chart will be. */
export function ChartSkeleton(): ReactElement {
  return <Skeleton height={220} radius="md" />;
}
