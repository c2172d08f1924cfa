import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { mayOmitDate, profileOfSwitch } from '../../clients/profile-switch.ts';
import type { Form } from '../../components/form.tsx';
import { TimeField } from '../../components/time-field.tsx';
import { signatureDebugger as t } from '#messages/debugger.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';
import type { DebugProfile } from './use-debug-profile.ts';

interface MoreFieldsProps {
  readonly form: Form<DebugForm>;
  readonly profile: DebugProfile;
}

/** Rarely needed: the clock, the base URL of the service, the signature base the program built. */
export function MoreFields({ form, profile }: MoreFieldsProps): ReactElement {
  const { clock, at } = form.values;
  return (
    <details className={classes['more']}>
      <summary>
        <ChevronRight size={15} aria-hidden className={classes['chevron']} /> {t.more}
      </summary>
      <div className={classes['more-fields']}>
        <Select
          label={t.clock}
          description={t.clockHint}
          data={(['signed', 'now', 'at'] as const).map((value) => ({ value, label: t.clocks[value] }))}
          value={clock}
          allowDeselect={false}
          onChange={(value) => form.set('clock', value ?? 'signed')}
        />
        {clock === 'at' && (
          <TimeField id="debug-at" label={t.at} value={at} onChange={(time) => form.set('at', time)} />
        )}
        <TextInput
          {...form.field('baseUrl')}
          label={t.baseUrl}
          description={t.baseUrlHint}
          spellCheck={false}
          inputMode="url"
          classNames={{ input: classes['code'] }}
        />
        <Textarea
          {...form.field('claimedBase')}
          label={t.claimedBase}
          description={t.claimedBaseHint}
          placeholder={'"@method": POST\n"@target-uri": https://…'}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          className={classes['wide']}
          classNames={{ input: classes['code'] }}
        />
        {profile.choices.length === 0 && (
          <Checkbox
            label={t.mayOmitDate}
            checked={mayOmitDate(profile.name)}
            onChange={(event) => form.set('profile', profileOfSwitch(event.currentTarget.checked))}
          />
        )}
      </div>
    </details>
  );
}
