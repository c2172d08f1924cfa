import { webhookLimits } from '@countersign/contract';
import { Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { webhooks } from '#messages/webhooks.ts';
import { useSession } from '../../session/session-context.ts';
import { EventTypePicker } from './event-type-picker.tsx';
import { HeaderFields } from './header-fields.tsx';
import type { WebhookDraft } from './webhook-draft.ts';
import classes from './webhooks.module.css';

const t = webhooks.form;

/** For the summary of mistakes. */
export const fieldLabels = {
  url: t.url,
  description: t.description,
  eventTypes: t.events,
  attemptsPerMinuteMax: t.attemptsPerMinute,
  headers: t.headers,
} as const;

/** The fields of Add and Update. */
export function WebhookFields({ form }: { readonly form: Form<WebhookDraft> }): ReactElement {
  const { account } = useSession();
  const { isOrdered, isForAllAccounts } = form.values;
  return (
    <>
      <Section title={t.receiver}>
        <div className={classes['stack']}>
          <TextInput
            {...form.field('url')}
            label={t.url}
            description={t.urlHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            inputMode="url"
            placeholder="https://hooks.example.com/countersign"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
          />
          <TextInput
            {...form.field('description')}
            label={t.description}
            description={t.descriptionHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            maxLength={2 * webhookLimits.descriptionCharactersMax}
            autoComplete="off"
            maw={480}
          />
          <HeaderFields form={form} />
        </div>
      </Section>
      <Section title={t.events}>
        <EventTypePicker form={form} />
      </Section>
      <Section title={t.delivery}>
        <div className={classes['stack']}>
          <Switch
            label={t.isOrdered}
            description={t.isOrderedHint}
            checked={isOrdered}
            onChange={(event) => form.set('isOrdered', event.currentTarget.checked)}
          />
          {(account?.isOperator || isForAllAccounts) && (
            <Switch
              label={t.isForAllAccounts}
              description={t.isForAllAccountsHint}
              checked={isForAllAccounts}
              onChange={(event) => form.set('isForAllAccounts', event.currentTarget.checked)}
            />
          )}
          <TextInput
            {...form.field('attemptsPerMinuteMax')}
            label={t.attemptsPerMinute}
            description={t.attemptsPerMinuteHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            inputMode="numeric"
            autoComplete="off"
            maw={240}
          />
        </div>
      </Section>
    </>
  );
}
