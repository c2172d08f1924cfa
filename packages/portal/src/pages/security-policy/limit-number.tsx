import { NumberInput, type NumberInputProps } from '@mantine/core';
import type { ReactElement } from 'react';

/** A whole number of hours or days, from 1. */
export function LimitNumber(props: NumberInputProps): ReactElement {
  return <NumberInput min={1} clampBehavior="none" allowDecimal={false} allowNegative={false} {...props} />;
}
