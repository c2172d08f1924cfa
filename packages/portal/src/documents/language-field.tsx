import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { documentation as t } from '#messages/documentation.ts';
import { programmingLanguages, type ProgrammingLanguage } from '../session/programming-language.ts';

interface LanguageFieldProps {
  readonly value: ProgrammingLanguage;
  readonly onChange: (language: ProgrammingLanguage) => void;
  readonly className?: string | undefined;
}

/** Chooses the programming language of guides and programs. */
export function LanguageField({ value, onChange, className }: LanguageFieldProps): ReactElement {
  const data = Object.entries(programmingLanguages).map(([id, label]) => ({ value: id, label }));
  return (
    <NativeSelect
      className={className}
      aria-label={t.language}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as ProgrammingLanguage)}
      data={data}
    />
  );
}
