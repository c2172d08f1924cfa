import type { RequestLimits } from '@countersign/contract';
import { TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useApiQuery } from '../../../api/queries.ts';
import type { Form } from '../../../components/form.tsx';
import { clientLimits as t } from '#messages/client-limits.ts';
import type { ClientForm } from './client-form.ts';

interface LimitFieldsProps {
  readonly form: Form<ClientForm>;
  /** Undefined for a new client, whose highest limits are not known before it exists. */
  readonly clientId: string | undefined;
}

/** How many requests a client may send. */
export function LimitFields({ form, clientId }: LimitFieldsProps): ReactElement {
  const limits = useApiQuery(
    'getRequestLimits',
    { path: { clientId: clientId ?? '' } },
    { enabled: clientId !== undefined },
  ).data;
  return (
    <>
      {(['requestsPerMinuteMax', 'requestsBurstMax'] as const).map((name) => (
        <TextInput
          key={name}
          label={t.own[name]}
          description={hint(limits?.[name])}
          inputMode="numeric"
          autoComplete="off"
          maw="24rem"
          {...form.field(name)}
        />
      ))}
    </>
  );
}

function hint(limit: RequestLimits['requestsBurstMax'] | undefined): string {
  if (limit === undefined) return t.hintNew;
  return limit.max === null ? t.hintUnlimited : t.hint(limit.max);
}
