import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { ChevronRight } from 'lucide-react';
import type { ReactElement } from 'react';
import { TimeField } from '../../components/time-field.tsx';
import { useMessages } from '../../messages/messages.ts';
import type { DebugForm } from './debug-form.ts';
import classes from './debugger.module.css';

/** What seldom has to be said: the clock, the URL of the service, and what the program built. */
export function MoreFields({
  form,
  onChange,
}: {
  readonly form: DebugForm;
  readonly onChange: (part: Partial<DebugForm>) => void;
}): ReactElement {
  const t = useMessages('signatureDebugger');
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
          value={form.clock}
          allowDeselect={false}
          onChange={(value) => onChange({ clock: value ?? 'signed' })}
        />
        {form.clock === 'at' && (
          <TimeField id="debug-at" label={t.at} value={form.at} onChange={(at) => onChange({ at })} />
        )}
        <TextInput
          label={t.baseUrl}
          description={t.baseUrlHint}
          value={form.baseUrl}
          onChange={(event) => onChange({ baseUrl: event.currentTarget.value })}
          spellCheck={false}
          inputMode="url"
          classNames={{ input: classes['code'] }}
        />
        <Textarea
          label={t.claimedBase}
          description={t.claimedBaseHint}
          placeholder={'"@method": POST\n"@target-uri": https://…'}
          value={form.claimedBase}
          onChange={(event) => onChange({ claimedBase: event.currentTarget.value })}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          className={classes['wide']}
          classNames={{ input: classes['code'] }}
        />
        <Checkbox
          label={t.acceptWithoutDate}
          checked={form.acceptWithoutDate}
          onChange={(event) => onChange({ acceptWithoutDate: event.currentTarget.checked })}
        />
      </div>
    </details>
  );
}
