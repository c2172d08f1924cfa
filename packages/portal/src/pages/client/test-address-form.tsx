import { type NetworkAddressTest, parseAddress } from '@countersign/contract';
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useRef, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import { Notice } from '../../components/notice.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMessages } from '../../messages/messages.ts';
import classes from './client.module.css';

/** Tells whether a request from an address would be let in, and by which entries. */
export function TestAddressForm({ clientId }: { readonly clientId: string }): ReactElement {
  const t = useMessages('client').network;
  const [address, setAddress] = useState('');
  const [asked, setAsked] = useState<string>();
  const [isWrong, setIsWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isAddress = parseAddress(address.trim()) !== undefined;
    setIsWrong(!isAddress);
    setAsked(isAddress ? address.trim() : undefined);
    if (!isAddress) field.current?.focus();
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className={classes['fields']}>
        <TextInput
          ref={field}
          label={t.address}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={isWrong && t.addressWrong}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'monospace' }}
        />
        <Button type="submit" variant="default" className={classes['fieldsButton']}>
          {t.test}
        </Button>
      </div>
      <div aria-live="polite" className={classes['verdict']}>
        {asked !== undefined && <Verdict clientId={clientId} address={asked} />}
      </div>
    </form>
  );
}

function Verdict({
  clientId,
  address,
}: {
  readonly clientId: string;
  readonly address: string;
}): ReactElement {
  const query = useApiQuery('testNetworkAddress', { path: { clientId }, query: { address } });
  return <QueryState query={query}>{(test) => <VerdictNotice test={test} />}</QueryState>;
}

function VerdictNotice({ test }: { readonly test: NetworkAddressTest }): ReactElement {
  const t = useMessages('client').network;
  if (!test.isAllowed) return <Notice tone="danger" title={t.notAllowed(test.address)} />;
  return (
    <Notice tone="success" title={t.allowed(test.address)}>
      {t.allowedBy(test.entries.join(', '))}
    </Notice>
  );
}
