import { Input, SegmentedControl } from '@mantine/core';
import { type ReactElement, useId } from 'react';
import { keyInput } from '../../messages/en/key-input.ts';
import { type ModulusBits, modulusSizes } from './generate-key-pair.ts';

const t = keyInput.generate;

export interface ModulusSizeProps {
  readonly value: ModulusBits;
  readonly onChange: (modulusBits: ModulusBits) => void;
  readonly isDisabled?: boolean;
}

export function ModulusSize({ value, onChange, isDisabled = false }: ModulusSizeProps): ReactElement {
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
          data={modulusSizes.map(String)}
          value={String(value)}
          disabled={isDisabled}
          onChange={(chosen) => onChange(modulusSizes.find((size) => String(size) === chosen) ?? 3072)}
        />
      </div>
    </Input.Wrapper>
  );
}
