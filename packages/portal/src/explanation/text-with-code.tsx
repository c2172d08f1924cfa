import { Fragment, type ReactElement } from 'react';

/** Shows the parts of a sentence between backticks as code. */
export function TextWithCode({ text }: { readonly text: string }): ReactElement {
  const parts = text.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, index) =>
        // Every second part was between backticks.
        index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  );
}
