import { Input, SegmentedControl } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { keyInput } from '../../messages/en/key-input.ts';
import { keyChoices, type KeyChoice, usualKey } from './generate-key-pair.ts';

const t = keyInput.generate;

export interface KeyChoiceInputProps {
  readonly value: KeyChoice;
  readonly onChange: (choice: KeyChoice) => void;
  readonly isDisabled?: boolean;
}

/** Lets people choose the kind and the size of a new key. */
export function KeyChoiceInput({ value, onChange, isDisabled = false }: KeyChoiceInputProps): ReactElement {
  const id = useId();
  return (
    <Input.Wrapper
      label={t.kind}
      labelElement="div"
      labelProps={{ id }}
      description={t.kindHint(value)}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <div>
        <SegmentedControl
          aria-labelledby={id}
          data={keyChoices.map((choice) => ({ value: String(choice), label: t.choice(choice) }))}
          value={String(value)}
          disabled={isDisabled}
          onChange={(chosen) => onChange(keyChoices.find((choice) => String(choice) === chosen) ?? usualKey)}
        />
      </div>
    </Input.Wrapper>
  );
}
