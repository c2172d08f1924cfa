import { TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';

interface TimeFieldProps {
  readonly id?: string;
  readonly label: string;
  /** RFC 3339 in UTC. */
  readonly value: string | undefined;
  /** With RFC 3339 in UTC; undefined when there is no whole time. */
  readonly onChange: (time: string | undefined) => void;
  readonly description?: string;
}

/** A date with a time, in the person's time zone, in the browser's own field for it. */
export function TimeField({ id, label, value, onChange, description }: TimeFieldProps): ReactElement {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string | undefined }>();
  // What is half typed stays, until another value comes from outside.
  const text = typed !== undefined && typed.value === value ? typed.text : localText(value);
  return (
    <TextInput
      id={id}
      type="datetime-local"
      label={label}
      description={description}
      value={text}
      max="9999-12-31T23:59"
      onChange={(event) => {
        const next = event.currentTarget.value;
        const ms = next === '' ? Number.NaN : new Date(next).getTime();
        const time = Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
        setTyped({ text: next, value: time });
        onChange(time);
      }}
    />
  );
}

/** `2026-11-21T14:03` in the person's time zone. */
function localText(value: string | undefined): string {
  const ms = value === undefined ? Number.NaN : Date.parse(value);
  if (Number.isNaN(ms)) return '';
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 16);
}
