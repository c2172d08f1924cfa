import {
  type AlertConditionKind,
  alertConditionKinds,
  alertConditions,
  alertThresholds,
} from '@countersign/contract';
import { Checkbox, Select, Switch, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { ClientSelect } from '../../clients/client-select.tsx';
import type { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { alerts } from '#messages/alerts.ts';
import { type AlertRuleDraft, durationUnits, type DurationUnit } from './alert-rule-draft.ts';
import { RulePreview } from './rule-preview.tsx';
import classes from './alerts.module.css';

const t = alerts.form;

/** For the summary of mistakes. */
export const fieldLabels = {
  name: t.name,
  percentAbove: t.percentAbove,
  timesAbove: t.timesAbove,
  requestsMin: t.requestsMin,
  minutes: t.minutes,
  silentFor: t.silentFor,
  days: t.days,
  byWebhook: t.tell,
  clientId: t.client,
} as const;

const kinds = alertConditionKinds.map((value) => ({ value, label: alerts.kinds[value] }));
const units = (Object.keys(durationUnits) as DurationUnit[]).map((value) => ({
  value,
  label: t.units[value],
}));
const channels = ['inInbox', 'byMail', 'byWebhook'] as const;

/** The fields of Add and Change. */
export function AlertRuleFields({ form }: { readonly form: Form<AlertRuleDraft> }): ReactElement {
  const { kind, clientId } = form.values;
  return (
    <>
      <Section title={t.watch}>
        <div className={classes['stack']}>
          <TextInput
            {...form.field('name')}
            label={t.name}
            description={t.nameHint}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            autoComplete="off"
            required
            withAsterisk={false}
          />
          <div className={classes['pair']}>
            <Select
              label={t.kind}
              data={kinds}
              value={kind}
              allowDeselect={false}
              onChange={(chosen) => form.set('kind', kindOf(chosen, kind))}
            />
            <ClientSelect
              label={t.client}
              placeholder={t.allClients}
              nothingFound={t.noClientFound}
              value={clientId}
              onChange={(chosen) => form.set('clientId', chosen)}
            />
          </div>
          <Thresholds form={form} />
          <RulePreview draft={form.values} />
        </div>
      </Section>
      <Section title={t.tell}>
        <div className={classes['stack']} id="alert-rule-byWebhook" tabIndex={-1}>
          {channels.map((channel) => (
            <Checkbox
              key={channel}
              label={alerts.channelNames[channel]}
              description={t.channelHints[channel]}
              checked={form.values[channel]}
              onChange={(event) => form.set(channel, event.currentTarget.checked)}
            />
          ))}
          {form.mistakes['byWebhook'] !== undefined && (
            <p className={classes['mistake']} role="alert">
              {form.mistakes['byWebhook']}
            </p>
          )}
          <Switch
            label={t.isEnabled}
            description={t.isEnabledHint}
            checked={form.values.isEnabled}
            onChange={(event) => form.set('isEnabled', event.currentTarget.checked)}
          />
        </div>
      </Section>
    </>
  );
}

function kindOf(text: string | null, otherwise: AlertConditionKind): AlertConditionKind {
  return alertConditionKinds.find((one) => one === text) ?? otherwise;
}

/** The thresholds of the chosen kind. */
function Thresholds({ form }: { readonly form: Form<AlertRuleDraft> }): ReactElement | null {
  const { kind, unit } = form.values;
  if (kind === 'no_requests')
    return (
      <div className={classes['limits']}>
        <TextInput {...form.field('silentFor')} label={t.silentFor} inputMode="numeric" autoComplete="off" />
        <Select
          label={t.unit}
          data={units}
          value={unit}
          allowDeselect={false}
          onChange={(chosen) => form.set('unit', units.find(({ value }) => value === chosen)?.value ?? unit)}
        />
      </div>
    );
  const names = alertThresholds.filter((name) => Object.hasOwn(alertConditions[kind].thresholds, name));
  if (names.length === 0) return null;
  return (
    <div className={classes['limits']}>
      {names.map((name) => (
        <TextInput key={name} {...form.field(name)} label={t[name]} inputMode="numeric" autoComplete="off" />
      ))}
    </div>
  );
}
