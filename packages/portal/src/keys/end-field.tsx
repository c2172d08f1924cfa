import { keyTimes } from '@countersign/contract';
import { Radio, Stack, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMessages } from '../messages/messages.ts';
import { type EndChoice, type EndProblem, localTimeText } from './key-end.ts';

/** Asks for a time ahead: one of some spans, a time of one's own, or now. */
export function EndField({
  label,
  choice,
  hourChoices,
  withNow = false,
  problem,
  onChange,
}: {
  readonly label: string;
  readonly choice: EndChoice;
  readonly hourChoices: readonly number[];
  readonly withNow?: boolean;
  readonly problem: EndProblem | undefined;
  readonly onChange: (choice: EndChoice) => void;
}): ReactElement {
  const t = useMessages('client').retire;
  const value = choice.kind === 'hours' ? String(choice.hours) : choice.kind;
  const choose = (next: string): void => {
    if (next === 'now') return onChange({ kind: 'now' });
    if (next === 'at') return onChange({ kind: 'at', local: localTimeText(Date.now() + 24 * 3_600_000) });
    onChange({ kind: 'hours', hours: Number(next) });
  };
  return (
    <Stack gap="sm">
      <Radio.Group
        label={label}
        value={value}
        onChange={choose}
        error={choice.kind === 'at' ? undefined : problem && problemText(problem, t)}
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
          type="datetime-local"
          label={t.time}
          description={t.timeHint(Intl.DateTimeFormat().resolvedOptions().timeZone, keyTimes.endDaysMax)}
          value={choice.local}
          min={localTimeText(Date.now())}
          error={problem && problemText(problem, t)}
          onChange={(event) => onChange({ kind: 'at', local: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

function problemText(problem: EndProblem, t: ReturnType<typeof useMessages<'client'>>['retire']): string {
  const texts = {
    missing: t.timeMissing,
    past: t.timePast,
    far: t.timeFar(keyTimes.endDaysMax),
    later: t.timeLater,
    earlier: t.timeEarlier,
  };
  return texts[problem];
}
