import type { Client } from '@countersign/contract';
import { Button } from '@mantine/core';
import { type ReactElement, Suspense, useState } from 'react';
import { api, type Entity } from '../../api/api.ts';
import { useEntityQuery } from '../../api/queries.ts';
import { isClosedProfile } from '../../clients/profile-switch.ts';
import { useClientChange } from '../../clients/use-client-change.ts';
import { canGenerateKeys } from '../../components/key-input/can-generate-keys.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { LoadingLines } from '../../components/query-state.tsx';
import { useAction } from '../../components/use-action.ts';
import { useParameters } from '../../components/use-raw-search.ts';
import { tryIt as t } from '#messages/try-it.ts';
import { lazyPart } from '../../session/lazy-part.ts';
import { usePermission, useSession } from '../../session/session-context.ts';
import { operationRequest, RequestFields, type RequestForm } from './request-fields.tsx';
import type { AddedClient, RequestToSend } from './sending.tsx';
import { targetOf } from './target-of.ts';

const RequestCommand = lazyPart(async () => (await import('./request-command.tsx')).RequestCommand);
const ProfileNotice = lazyPart(async () => (await import('./profile-notice.tsx')).ProfileNotice);
const Sending = lazyPart(async () => (await import('./sending.tsx')).Sending);
const TemporaryClientSection = lazyPart(
  async () => (await import('./temporary-client.tsx')).TemporaryClientSection,
);

/** Signs a request in the page, sends it, and shows each step. */
export default function TryItPage(): ReactElement {
  const named = operationRequest(useParameters()[0].get('operation'));
  const { method = 'GET', path = '/v1/signature-test' } = named ?? {};
  const [form, setForm] = useState<RequestForm>({ clientId: undefined, method, path, body: '' });
  const [added, setAdded] = useState<AddedClient>();
  const mayAdd = usePermission('clients:write');
  const { baseUrl } = useSession().features;
  const { data } = useEntityQuery(
    'getClient',
    { path: { clientId: form.clientId ?? '' } },
    { enabled: form.clientId !== undefined },
  );
  const client = form.clientId === undefined ? undefined : data;
  const profile = client?.body.profile;
  const isOtherProfile = profile !== undefined && !isClosedProfile(profile);
  const blocked = blockOf(baseUrl);
  const request = readRequest(form, baseUrl);
  return (
    <Page title={t.title} description={t.description}>
      {blocked && (
        <Notice tone="warning" title={blocked.title}>
          {blocked.text}
        </Notice>
      )}
      <RequestFields
        form={form}
        baseUrl={baseUrl}
        pathMistake={request.mistake}
        onChange={(changed) => setForm((before) => ({ ...before, ...changed }))}
      />
      {form.clientId === undefined && mayAdd && !blocked && (
        <Suspense fallback={<LoadingLines />}>
          <TemporaryClientSection
            onAdded={(made) => {
              setAdded({ ...made, isSent: false });
              setForm((before) => ({ ...before, clientId: made.clientId }));
            }}
          />
        </Suspense>
      )}
      {client && isOtherProfile && (
        <Suspense fallback={<LoadingLines />}>
          <ProfileNotice client={client.body} />
        </Suspense>
      )}
      {client && profile === 'countersign' && <DateNotice client={client} />}
      {client && !isOtherProfile && !blocked && (
        <Suspense fallback={<LoadingLines />}>
          <Sending
            key={client.body.clientId}
            client={client.body}
            request={request}
            added={added?.clientId === client.body.clientId ? added : undefined}
            onSent={() => setAdded((before) => before && { ...before, isSent: true })}
          />
        </Suspense>
      )}
      {form.clientId !== undefined && !isOtherProfile && request.url !== undefined && (
        <Suspense fallback={<LoadingLines />}>
          <RequestCommand
            clientId={form.clientId}
            method={form.method}
            url={request.url}
            body={request.body}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** The reason why this page cannot call the API at all. */
function blockOf(baseUrl: string): { title: string; text: string } | undefined {
  if (!canGenerateKeys()) return { title: t.noCrypto, text: t.noCryptoText };
  if (new URL(baseUrl).origin !== location.origin)
    return { title: t.otherOrigin, text: t.otherOriginText(baseUrl) };
  return undefined;
}

interface ReadRequest extends RequestToSend {
  readonly mistake: string | undefined;
}

function readRequest({ clientId, method, path, body }: RequestForm, baseUrl: string): ReadRequest {
  const filled =
    clientId === undefined ? path : path.replaceAll('{clientId}', () => encodeURIComponent(clientId));
  const rest = { method, body: method === 'GET' || method === 'HEAD' ? '' : body };
  const missing = filled.match(/\{\w+\}/g);
  if (missing)
    return { ...rest, url: undefined, mistake: t.needsParameters([...new Set(missing)].join(', ')) };
  const url = targetOf(baseUrl, filled);
  return { ...rest, url, mistake: url === undefined ? t.needsPath : undefined };
}

function DateNotice({ client }: { readonly client: Entity<Client> }): ReactElement {
  const change = useClientChange();
  const isAllowed = usePermission('clients:write');
  const { clientId } = client.body;
  const allow = (): Promise<void> =>
    change(() => {
      const body = { profile: 'countersign-without-date' } as const;
      return api.call('updateClient', { path: { clientId }, ifMatch: client.entityTag ?? '', body });
    }, t.allowedWithoutDate);
  const { run, isBusy, error } = useAction(allow);
  return (
    <Notice
      tone="warning"
      title={t.withoutDate}
      action={
        isAllowed && (
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void run()}>
            {t.allowWithoutDate}
          </Button>
        )
      }
    >
      {t.withoutDateText}
      <ErrorNotice error={error} />
    </Notice>
  );
}
