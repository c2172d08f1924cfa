import { problems } from '@countersign/contract/problems';
import type { ReactElement } from 'react';
import { AppLink } from '../components/app-link.tsx';
import { errorPath } from './document-path.ts';

/** Shows a problem code, with a link to its explanation. A code that only a newer service knows has none. */
export function ErrorCode({ code }: { readonly code: string }): ReactElement {
  if (!Object.hasOwn(problems, code)) return <code>{code}</code>;
  return (
    <AppLink to={errorPath(code)} underline="always">
      <code>{code}</code>
    </AppLink>
  );
}
