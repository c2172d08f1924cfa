import { keyAlgorithms } from '@countersign/contract/signing-algorithms';
import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { keyInput } from '#messages/key-input.ts';
import type { KeyPurpose } from './key-purpose.ts';

const t = keyInput.algorithm;

export interface KeyAlgorithmFieldProps {
  readonly purpose: KeyPurpose;
  readonly onChange: (algorithm: string) => void;
}

/** Asks what an RSA key is for, if the client's profile leaves a choice. */
export function KeyAlgorithmField({ purpose, onChange }: KeyAlgorithmFieldProps): ReactElement | null {
  const { possible, algorithm } = purpose;
  if (possible.length < 2 || algorithm === undefined) return null;
  return (
    <NativeSelect
      label={t.label}
      description={t.hint}
      inputWrapperOrder={['label', 'input', 'description']}
      data={possible.map((name) => ({ value: name, label: t.option(name, keyAlgorithms[name].scheme) }))}
      value={algorithm}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
