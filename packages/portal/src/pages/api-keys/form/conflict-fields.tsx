import type { ReactNode } from 'react';
import type { ConflictField } from '../../../components/conflict-dialog.tsx';
import { messagesOf } from '../../../messages/messages.ts';
import type { ClientForm } from './client-form.ts';

/** How two versions of a client are shown side by side. */
export function conflictFields(words: {
  readonly name: string;
  readonly roles: string;
  readonly allowExplanations: string;
  readonly acceptWithoutDate: string;
  readonly yes: string;
  readonly no: string;
}): readonly ConflictField<ClientForm>[] {
  const yesOrNo = (value: boolean): string => (value ? words.yes : words.no);
  return [
    { label: words.name, show: ({ name }) => name },
    {
      label: messagesOf('networkEditor').title,
      show: ({ network }) =>
        lines(network.map(({ entry, label }) => (label === '' ? entry : `${entry} (${label})`))),
      compare: ({ network }) =>
        network
          .map(({ entry, label }) => `${entry} ${label}`)
          .toSorted()
          .join('\n'),
    },
    {
      label: words.roles,
      show: ({ roles }) => lines(roles),
      compare: ({ roles }) => roles.toSorted().join('\n'),
    },
    { label: words.allowExplanations, show: ({ allowExplanations }) => yesOrNo(allowExplanations) },
    { label: words.acceptWithoutDate, show: ({ acceptWithoutDate }) => yesOrNo(acceptWithoutDate) },
  ];
}

function lines(texts: readonly string[]): ReactNode {
  return texts.length > 0 && texts.map((text) => <div key={text}>{text}</div>);
}
