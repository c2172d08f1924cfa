import type { ReactElement } from 'react';
import { useSearch } from 'wouter';
import { AddClientForm } from './form/add-client-form.tsx';
import { AddedClientPage } from './result/added-client-page.tsx';

/** Add client; and after it, with `?added=` in the address, the client that was added. */
export default function AddClientPage(): ReactElement {
  const clientId = new URLSearchParams(useSearch()).get('added');
  return clientId ? <AddedClientPage clientId={clientId} /> : <AddClientForm />;
}
