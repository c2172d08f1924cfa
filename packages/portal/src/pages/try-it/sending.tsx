import type { Client } from '@countersign/contract';
import { SigningError } from '@countersign/signature';
import { Button } from '@mantine/core';
import { type ReactElement, Suspense, useEffect, useRef, useState } from 'react';
import { Notice } from '../../components/notice.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { tryIt as t } from '#messages/try-it.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { KeyFields } from './key-fields.tsx';
import type { SignedExchange } from './signed-exchange.ts';
import classes from './try-it.module.css';
import type { TemporaryClient } from './temporary-client.tsx';
import { usePageKey } from './use-page-key.ts';

const ExchangeResult = lazyPart(async () => (await import('./exchange-result.tsx')).ExchangeResult);

/** A request that is signed here. */
export interface RequestToSend {
  readonly method: string;
  /** Undefined if the path cannot be called. */
  readonly url: string | undefined;
  readonly body: string;
}

/** A client that this page has added, and whether the request was sent as this client. */
export type AddedClient = TemporaryClient & { readonly isSent: boolean };

interface SendingProps {
  readonly client: Client;
  readonly request: RequestToSend;
  /** Set for a client that this page has added: until the request was sent once, it is sent at once. */
  readonly added: AddedClient | undefined;
  /** Called when it was sent at once. */
  readonly onSent: () => void;
}

/** Gives the page a key, signs with it, sends, and shows what came of it. Another client needs another instance. */
export function Sending({ client, request, added, onSent }: SendingProps): ReactElement {
  const { clientId } = client;
  const pageKey = usePageKey(clientId, added?.privateKey);
  const [exchange, setExchange] = useState<SignedExchange>();
  const [failure, setFailure] = useState<{ title: string; text: string }>();
  const [isSending, setIsSending] = useState(false);
  const { url, method, body } = request;
  const send = async (privateKey: CryptoKey, target: string): Promise<void> => {
    setIsSending(true);
    setExchange(undefined);
    setFailure(undefined);
    try {
      const { exchangeSigned } = await import('./signed-exchange.ts');
      setExchange(await exchangeSigned({ clientId, privateKey, method, url: target, body }));
    } catch (error) {
      setFailure(
        error instanceof SigningError
          ? { title: t.unsignable, text: error.message }
          : { title: t.unsendable, text: t.unsendableText },
      );
    }
    setIsSending(false);
  };
  const hasSent = useRef(false);
  useEffect(() => {
    if (added === undefined || added.isSent || hasSent.current || url === undefined) return;
    hasSent.current = true;
    onSent();
    void send(added.privateKey, url);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only what there is at first is sent
  }, []);
  const { key } = pageKey;
  return (
    <>
      <KeyFields client={client} pageKey={pageKey} />
      <div className={classes['send']}>
        <Button
          disabled={key === undefined || url === undefined}
          loading={isSending}
          onClick={() => {
            if (key !== undefined && url !== undefined) void send(key.privateKey, url);
          }}
        >
          {t.send}
        </Button>
        {key === undefined && <span className={classes['hint']}>{t.needsKey}</span>}
      </div>
      {failure && (
        <Notice tone="danger" role="alert" title={failure.title}>
          {failure.text}
        </Notice>
      )}
      {exchange && (
        <Suspense fallback={<LoadingLines />}>
          <ExchangeResult exchange={exchange} />
        </Suspense>
      )}
    </>
  );
}
