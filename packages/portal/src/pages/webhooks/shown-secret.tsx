import { Checkbox } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyableText } from '../../components/copyable-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { webhooks } from '#messages/webhooks.ts';

const t = webhooks.added;

interface ShownSecretProps {
  readonly secret: string;
  readonly isStored: boolean;
  readonly onStored: (isStored: boolean) => void;
}

/** A webhook's secret, which is shown once, until it is said to be stored. */
export function ShownSecret({ secret, isStored, onStored }: ShownSecretProps): ReactElement {
  return (
    <>
      <Notice tone="warning">{t.secretText}</Notice>
      <CopyableText value={secret} label={t.secret} />
      <Checkbox
        label={t.stored}
        checked={isStored}
        onChange={(event) => onStored(event.currentTarget.checked)}
      />
    </>
  );
}
