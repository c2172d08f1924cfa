import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { clientPath } from '../../clients/client-path.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { tryIt as t } from '#messages/try-it.ts';

/** A client whose signatures this page cannot make. */
export function ProfileNotice({ client }: { readonly client: Client }): ReactElement {
  return (
    <Notice
      tone="warning"
      title={t.otherProfile(client.profile)}
      action={
        <LinkButton to={clientPath(client.clientId, '?tab=snippets')} size="xs" variant="default">
          {t.otherProfileHow}
        </LinkButton>
      }
    >
      {t.otherProfileText}
    </Notice>
  );
}
