import { TextInput } from '@mantine/core';
import type { ComponentProps, ReactElement } from 'react';
import { localTimeText } from '../components/time-words.ts';
import { shownZone } from '../session/time-form.ts';
import { keyExpiry as t } from '#messages/key-expiry.ts';

/** Asks when a new key expires; empty for never. Takes what a form's field has. */
export function KeyEndField(props: ComponentProps<typeof TextInput>): ReactElement {
  return (
    <TextInput
      {...props}
      type="datetime-local"
      label={t.label}
      description={t.hint(shownZone())}
      min={localTimeText(Date.now())}
      maw="24rem"
    />
  );
}
