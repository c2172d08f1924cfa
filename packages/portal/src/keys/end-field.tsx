import { keyTimes } from '@countersign/contract';
import { Radio, Stack, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Form } from '../components/form.tsx';
import { localTimeText } from '../components/time-words.ts';
import { shownZone } from '../session/time-form.ts';
import { client } from '#messages/client.ts';
import type { EndChoice, EndProblem } from './key-end.ts';

const t = client.retire;

interface EndFieldProps {
  readonly label: string;
  readonly form: Form<{ readonly choice: EndChoice }>;
  readonly hourChoices: readonly number[];
  readonly withNow?: boolean;
}

/** Asks for a future time: a number of hours, a date, or now. */
export function EndField({ label, form, hourChoices, withNow = false }: EndFieldProps): ReactElement {
  const { choice } = form.values;
  const change = (next: EndChoice): void => form.set('choice', next);
  const choose = (next: string): void => {
    if (next === 'now') return change({ kind: 'now' });
    if (next === 'at') return change({ kind: 'at', local: localTimeText(Date.now() + 24 * 3_600_000) });
    change({ kind: 'hours', hours: Number(next) });
  };
  const { id, error } = form.field('choice');
  return (
    <Stack gap="sm">
      <Radio.Group
        label={label}
        value={choice.kind === 'hours' ? String(choice.hours) : choice.kind}
        onChange={choose}
        error={choice.kind !== 'at' && error}
      >
        <Stack gap={8} mt={8}>
          {hourChoices.map((hours) => (
            <Radio key={hours} value={String(hours)} label={t.hours(hours)} />
          ))}
          <Radio value="at" label={t.at} />
          {withNow && <Radio value="now" label={t.now} description={t.nowHint} />}
        </Stack>
      </Radio.Group>
      {choice.kind === 'at' && (
        <TextInput
          id={id}
          type="datetime-local"
          label={t.time}
          description={t.timeHint(shownZone(), keyTimes.endDaysMax)}
          value={choice.local}
          min={localTimeText(Date.now())}
          error={error}
          onChange={(event) => change({ kind: 'at', local: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

export const endProblems: Readonly<Record<EndProblem, string>> = {
  missing: t.timeMissing,
  past: t.timePast,
  far: t.timeFar(keyTimes.endDaysMax),
  later: t.timeLater,
  earlier: t.timeEarlier,
};
