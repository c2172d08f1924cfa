import { TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { localTimeText, readLocalTimeInUtc } from './time-words.ts';

interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  /** RFC 3339 in UTC. */
  readonly value: string | undefined;
  /** Called with RFC 3339 in UTC; undefined while the time is incomplete. */
  readonly onChange: (time: string | undefined) => void;
  readonly description?: string;
}

/** A date and time in the person's time zone. */
export function TimeField({ id, label, value, onChange, description }: TimeFieldProps): ReactElement {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string | undefined }>();
  const ms = Date.parse(value ?? '');
  // Text that is half typed stays until the value changes elsewhere.
  const isTyped = typed !== undefined && typed.value === value;
  return (
    <TextInput
      id={id}
      type="datetime-local"
      label={label}
      description={description}
      value={isTyped ? typed.text : Number.isNaN(ms) ? '' : localTimeText(ms)}
      max="9999-12-31T23:59"
      onChange={(event) => {
        const next = event.currentTarget.value;
        const time = readLocalTimeInUtc(next);
        setTyped({ text: next, value: time });
        onChange(time);
      }}
    />
  );
}
