import type { RequestLimits } from '@countersign/contract';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { api } from '../../api/api.ts';
import { useApiQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Facts } from '../../components/facts.tsx';
import { type Mistakes, useForm } from '../../components/form.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Section } from '../../components/section.tsx';
import { clientLimits as t } from '#messages/client-limits.ts';
import { usePermission } from '../../session/session-context.ts';

/** Shows the request limits in force for a client, their source, and a form for its own. */
export default function LimitsSection({ view }: { readonly view: ClientView }): ReactElement {
  const { clientId, status, requestsPerMinuteMax, requestsBurstMax } = view.client;
  const query = useApiQuery('getRequestLimits', { path: { clientId } });
  const mayChange = usePermission('clients:write') && status !== 'revoked';
  return (
    <Section title={t.title} description={t.description}>
      <QueryState query={query}>
        {(limits) => (
          <Stack gap="md">
            <Facts
              items={[
                { label: t.perMinute, value: words(limits.requestsPerMinuteMax) },
                // Without an average limit, a burst limit has no meaning.
                ...(limits.requestsPerMinuteMax.value === null
                  ? []
                  : [{ label: t.burst, value: words(limits.requestsBurstMax) }]),
              ]}
            />
            {mayChange && (
              <LimitsForm key={`${requestsPerMinuteMax} ${requestsBurstMax}`} view={view} limits={limits} />
            )}
          </Stack>
        )}
      </QueryState>
    </Section>
  );
}

type Limit = RequestLimits['requestsBurstMax'];

function words({ value, source }: Limit): string {
  return value === null ? t.unlimited : t.inForce(value, t.sources[source]);
}

function LimitsForm({
  view,
  limits,
}: {
  readonly view: ClientView;
  readonly limits: RequestLimits;
}): ReactElement {
  const { clientId, name, requestsPerMinuteMax, requestsBurstMax } = view.client;
  const change = useClientChange();
  const form = useForm({
    id: 'limits',
    initialValues: {
      requestsPerMinuteMax: requestsPerMinuteMax?.toString() ?? '',
      requestsBurstMax: requestsBurstMax?.toString() ?? '',
    },
    validate: (values): Mistakes => ({
      ...mistakeOf('requestsPerMinuteMax', values.requestsPerMinuteMax, limits.requestsPerMinuteMax),
      ...mistakeOf('requestsBurstMax', values.requestsBurstMax, limits.requestsBurstMax),
    }),
  });
  const submit = form.submit((values) => {
    const body = {
      requestsPerMinuteMax: numberOf(values.requestsPerMinuteMax),
      requestsBurstMax: numberOf(values.requestsBurstMax),
    };
    const ifMatch = view.entityTag ?? '';
    return change(() => api.call('updateClient', { path: { clientId }, body, ifMatch }), t.saved(name));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw="24rem">
        <TextInput
          label={t.ownPerMinute}
          description={hint(limits.requestsPerMinuteMax)}
          inputMode="numeric"
          autoComplete="off"
          {...form.field('requestsPerMinuteMax')}
        />
        <TextInput
          label={t.ownBurst}
          description={hint(limits.requestsBurstMax)}
          inputMode="numeric"
          autoComplete="off"
          {...form.field('requestsBurstMax')}
        />
        <ErrorNotice error={form.failure} />
        <Group>
          <Button type="submit" size="sm" variant="default" loading={form.isBusy} disabled={!form.isDirty}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function hint({ max }: Limit): string {
  return max === null ? t.hintUnlimited : t.hint(max);
}

const figureMax = 10_000_000;

function mistakeOf(name: keyof RequestLimits, text: string, { max }: Limit): Mistakes {
  const figure = text.trim();
  if (figure === '') return {};
  if (!/^[0-9]{1,8}$/.test(figure) || Number(figure) < 1 || Number(figure) > figureMax)
    return { [name]: t.notANumber };
  return max !== null && Number(figure) > max ? { [name]: t.tooHigh(max) } : {};
}

function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text.trim());
}
