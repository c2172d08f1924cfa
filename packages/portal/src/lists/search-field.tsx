import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';

/** A search field that waits until the person stops typing. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  className,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** The current search. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly className?: string | undefined;
}): ReactElement {
  const [text, setText] = useState(value);
  // Links and the back button change the address too.
  useEffect(() => setText(value), [value]);
  const search = useDebouncedCallback((next: string) => onSearch(next.trim()), 250);
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      maxLength={100}
      autoComplete="off"
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
