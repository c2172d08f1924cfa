import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';

/** A field whose text is searched for when somebody has stopped to type. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  className,
}: {
  readonly label: string;
  readonly placeholder: string;
  /** What is searched for now. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly className?: string | undefined;
}): ReactElement {
  const [text, setText] = useState(value);
  // The address may change in other ways: by a link, or by going back.
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
