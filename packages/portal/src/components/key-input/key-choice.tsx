import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { keyInput } from '#messages/key-input.ts';
import type { KeyChoice } from './generate-key-pair.ts';

const t = keyInput.generate;

export interface KeyChoiceInputProps {
  readonly choices: readonly KeyChoice[];
  readonly value: KeyChoice;
  readonly onChange: (choice: KeyChoice) => void;
  readonly isDisabled?: boolean;
}

/** Lets people choose the kind and the size of a new key. */
export function KeyChoiceInput({
  choices,
  value,
  onChange,
  isDisabled = false,
}: KeyChoiceInputProps): ReactElement {
  return (
    <NativeSelect
      label={t.kind}
      description={t.kindHint(value)}
      inputWrapperOrder={['label', 'input', 'description']}
      data={choices.map((choice) => ({ value: String(choice), label: t.choice(choice) }))}
      value={String(value)}
      disabled={isDisabled}
      onChange={({ currentTarget }) =>
        onChange(choices.find((choice) => String(choice) === currentTarget.value) ?? value)
      }
    />
  );
}
