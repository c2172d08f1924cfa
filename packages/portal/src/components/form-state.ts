import { useEffect, useRef, useState } from 'react';

/** A mistake per field. Any other key is the form's own, such as an entry of a list. */
export type Mistakes = Readonly<Record<string, string | undefined>>;

interface FormState<Values> {
  readonly values: Values;
  readonly mistakes: Mistakes;
  readonly isDirty: boolean;
  /** Returns the values with all changes, also those that the page does not show yet. */
  readonly latest: () => Values;
  readonly set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => void;
  /** Sets several values and clears all mistakes. */
  readonly fill: (values: Partial<Values>) => void;
  /** Marks the current values as saved. */
  readonly markSaved: () => void;
  /** Returns to the values that were saved last. */
  readonly reset: () => void;
  /** Validates, shows the mistakes and returns them. */
  readonly check: () => Mistakes;
  /** Shows the service's objections to fields until these change. */
  readonly keepRefused: (refused: Mistakes) => void;
}

/**
 * Keeps the values of a form, and shows mistakes until they are corrected: a change can correct another field, too.
 *
 * @param isTried whether a field that changes shows its mistakes at once
 */
export function useFormState<Values extends object>(
  initialValues: Values,
  validate: (values: Values) => Mistakes,
  isTried: boolean,
): FormState<Values> {
  const [values, setValues] = useState(initialValues);
  const [saved, setSaved] = useState(initialValues);
  const [shown, setShown] = useState<Mistakes>({});
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(values);
  const change = (changes: Partial<Values>): void => {
    latest.current = { ...latest.current, ...changes };
    setValues(latest.current);
  };
  const show = (mistakes: Mistakes, ofService: readonly string[] = []): void => {
    setShown(mistakes);
    setRefused(new Set(ofService));
  };
  const fill = (changes: Partial<Values>): void => {
    change(changes);
    show({});
  };
  const correct = (): void => setShown((known) => corrected(known, refused, latest.current, validate));
  // What is valid may depend on what the page learns from the values, such as a client's keys.
  useEffect(correct);
  return {
    values,
    mistakes: shown,
    isDirty: isDifferent(values, saved),
    latest: () => latest.current,
    set(name, value) {
      change({ [name]: value } as unknown as Partial<Values>);
      const mistake = isTried ? validate(latest.current)[name] : undefined;
      setShown((known) => ({ ...known, [name]: mistake }));
      // Only the service can decide whether the new value is right.
      setRefused((known) => new Set([...known].filter((one) => one !== name)));
    },
    fill,
    markSaved: () => setSaved(latest.current),
    reset: () => fill(saved),
    check() {
      const found = validate(latest.current);
      show(found);
      return found;
    },
    keepRefused: (placed) => show(placed, Object.keys(placed)),
  };
}

/** Returns the mistakes as they are now. What the service objects to stays, as do the form's own keys. */
function corrected<Values extends object>(
  shown: Mistakes,
  refused: ReadonlySet<string>,
  values: Values,
  validate: (values: Values) => Mistakes,
): Mistakes {
  const names = Object.keys(values).filter((name) => shown[name] !== undefined && !refused.has(name));
  if (names.length === 0) return shown;
  const found = validate(values);
  const outdated = names.filter((name) => shown[name] !== found[name]);
  return outdated.length === 0
    ? shown
    : { ...shown, ...Object.fromEntries(outdated.map((name) => [name, found[name]])) };
}

/** A file differs from no file, which is all that a form has to compare of it. */
function isDifferent<Values extends object>(one: Values, other: Values): boolean {
  const names = Object.keys(one) as (keyof Values)[];
  return names.some(
    (name) => one[name] !== other[name] && JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  );
}
