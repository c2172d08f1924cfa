import type { Client } from '@countersign/contract';
import type { ReactElement } from 'react';
import { clientPath } from '../../clients/client-path.ts';
import { LinkButton } from '../../components/app-link.tsx';
import { Permitted } from '../../components/permitted.tsx';

interface UpdateLinkProps {
  readonly client: Client;
  readonly label: string;
  /** The id of the field on the page *Update*. */
  readonly field: string;
}

/** Leads from what is shown of a client to where it is changed. A revoked client cannot be changed. */
export function UpdateLink({ client, label, field }: UpdateLinkProps): ReactElement | null {
  if (client.status === 'revoked') return null;
  return (
    <Permitted permission="clients:write">
      {(isDisabled) => (
        <LinkButton
          to={clientPath(client.clientId, `/edit#${field}`)}
          variant="default"
          size="xs"
          disabled={isDisabled}
        >
          {label}
        </LinkButton>
      )}
    </Permitted>
  );
}
