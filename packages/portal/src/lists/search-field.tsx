import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

/** A search field that waits until the person stops typing. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  className,
  lengthMax = 100,
  isFirst = false,
  describe,
  errorOf,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** The current search. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly className?: string | undefined;
  /** The page begins with it: it takes the focus, except where that would open a keyboard on the screen. */
  readonly isFirst?: boolean;
  /** In characters; 100 by default. */
  readonly lengthMax?: number;
  /** Returns the interpretation of a text, shown below the field. */
  readonly describe?: (text: string) => ReactNode;
  /** Returns what is wrong with a text, which is then not searched for. */
  readonly errorOf?: (text: string) => string | undefined;
}): ReactElement {
  const [text, setText] = useState(value);
  // Links and the back button change the address too.
  useEffect(() => setText(value), [value]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst && matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, [isFirst]);
  const error = errorOf?.(text);
  const search = useDebouncedCallback((next: string) => {
    if (errorOf?.(next) === undefined) onSearch(next.trim());
  }, 250);
  return (
    <TextInput
      ref={field}
      className={className}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      maxLength={lengthMax}
      spellCheck={false}
      description={error === undefined ? describe?.(text) : undefined}
      inputWrapperOrder={['input', 'error', 'description']}
      error={error}
      autoComplete="off"
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
