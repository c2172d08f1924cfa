import type { UseFormReturnType } from '@mantine/form';
import { type ChangeEvent, useEffect, useRef } from 'react';

interface Corrections<Values> {
  readonly set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => void;
  /** Props of a text input, without its id. */
  readonly field: (name: keyof Values & string) => {
    readonly value: string;
    readonly onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
    readonly error: string | undefined;
  };
  /** Keeps the service's objections to fields until these change. */
  readonly keepRefused: (names: readonly string[]) => void;
}

/**
 * Drops a mistake as soon as it is corrected. The kit checks only the changed field, but a change can correct
 * another field too.
 */
export function useFormCorrections<Values extends object>(
  kit: UseFormReturnType<Values>,
  names: readonly (keyof Values & string)[],
  validate: (values: Values) => Readonly<Record<string, string | undefined>>,
): Corrections<Values> {
  const refused = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (Object.keys(kit.errors).length === 0) return;
    const found = validate(kit.values);
    for (const name of names) {
      const shown = kit.errors[name];
      if (shown === undefined || refused.current.has(name) || shown === found[name]) continue;
      if (found[name] === undefined) kit.clearFieldError(name);
      else kit.setFieldError(name, found[name]);
    }
  });
  const set: Corrections<Values>['set'] = (name, value) => {
    // Only the service can decide whether the new value is right.
    refused.current = new Set([...refused.current].filter((one) => one !== name));
    kit.setFieldValue(name, value as never);
  };
  return {
    set,
    field: (name) => ({
      ...(kit.getInputProps(name) as { readonly value: string; readonly error: string | undefined }),
      onChange: (event) => set(name, event.currentTarget.value as Values[typeof name]),
    }),
    keepRefused(placed) {
      refused.current = new Set(placed);
    },
  };
}
