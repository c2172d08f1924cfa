import { Input, SegmentedControl } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { keyInput } from '../../messages/en/key-input.ts';
import { type KeyBits, keySizes } from './generate-key-pair.ts';

const t = keyInput.generate;

export interface KeySizeProps {
  readonly value: KeyBits;
  readonly onChange: (bits: KeyBits) => void;
  readonly isDisabled?: boolean;
}

export function KeySize({ value, onChange, isDisabled = false }: KeySizeProps): ReactElement {
  const id = useId();
  return (
    <Input.Wrapper
      label={t.size}
      labelElement="div"
      labelProps={{ id }}
      description={t.sizeHint}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <div>
        <SegmentedControl
          aria-labelledby={id}
          data={keySizes.map(String)}
          value={String(value)}
          disabled={isDisabled}
          onChange={(chosen) => onChange(keySizes.find((size) => String(size) === chosen) ?? 3072)}
        />
      </div>
    </Input.Wrapper>
  );
}
