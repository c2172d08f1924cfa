import { useRef, useState } from 'react';

/** Rows that a person has selected, by key. */
export interface RowSelection {
  readonly keys: ReadonlySet<string>;
  /** Selects or clears a row; `isRange` does the same to all rows between it and the previous one. */
  readonly toggle: (key: string, isSelected: boolean, isRange: boolean) => void;
  readonly toggleAll: (isSelected: boolean) => void;
  readonly clear: () => void;
}

/** Keeps the selected rows of a table. Rows that disappear are no longer selected. */
export function useRowSelection(rowKeys: readonly string[]): RowSelection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const previous = useRef<string>(undefined);
  const keys = new Set(rowKeys.filter((key) => selected.has(key)));
  const change = (changed: readonly string[], isSelected: boolean): void =>
    setSelected(
      new Set(isSelected ? [...keys, ...changed] : [...keys].filter((key) => !changed.includes(key))),
    );
  return {
    keys,
    toggle(key, isSelected, isRange) {
      change(isRange ? between(rowKeys, previous.current ?? key, key) : [key], isSelected);
      previous.current = key;
    },
    toggleAll: (isSelected) => change(rowKeys, isSelected),
    clear: () => setSelected(new Set()),
  };
}

function between(rowKeys: readonly string[], one: string, other: string): readonly string[] {
  const [first, last] = [rowKeys.indexOf(one), rowKeys.indexOf(other)].toSorted((a, b) => a - b);
  return first === undefined || last === undefined || first < 0 ? [other] : rowKeys.slice(first, last + 1);
}
