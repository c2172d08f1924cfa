import type { Key } from '@countersign/contract';
import { Button, Group, Radio } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useApiQuery } from '../../api/queries.ts';
import type { ClientView } from '../../clients/client-view.ts';
import { KeyStatusBadge } from '../../clients/status-badges.tsx';
import { AppLink, LinkButton } from '../../components/app-link.tsx';
import { Notice } from '../../components/notice.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { RevokeKeyDialog } from '../../keys/key-dialogs.tsx';
import { isUsable } from '../../keys/rotation-state.ts';
import { trafficShares } from '../../keys/traffic-share.ts';
import { rotate } from '#messages/rotate.ts';
import { requestsPath } from '../../requests/request-filters.ts';
import { usePermission } from '../../session/session-context.ts';
import classes from './rotate.module.css';
import { rotatePath } from './rotation-plan.ts';

const t = rotate.compromised;

/** Ends a compromised key at once, and shows what that stops. */
export function Compromised({ view }: { readonly view: ClientView }): ReactElement {
  const { clientId } = view.client;
  const keys = view.keys.filter(isUsable);
  const [chosenId, setChosenId] = useState<string>();
  const chosen = keys.find(({ keyId }) => keyId === chosenId) ?? keys[0];
  if (chosen === undefined) {
    const addNew = (
      <LinkButton to={rotatePath(clientId)} size="xs">
        {t.addNew}
      </LinkButton>
    );
    return <Notice tone="warning" title={t.none} action={addNew} />;
  }
  return (
    <>
      <Section
        title={t.title}
        isDangerous
        actions={
          <AppLink to={rotatePath(clientId)} size="sm">
            {t.plannedOffer}
          </AppLink>
        }
      >
        <div className={classes['stack']}>
          {keys.length > 1 ? (
            <WhichKey keys={keys} chosen={chosen} onChoose={setChosenId} />
          ) : (
            <code className={classes['quiet']}>{chosen.fingerprint}</code>
          )}
          <Revocation view={view} chosen={chosen} hasOther={keys.length > 1} />
        </div>
      </Section>
      <Section
        title={t.after}
        actions={
          <AppLink to={requestsPath({ clientId })} size="sm">
            {t.seeRequests}
          </AppLink>
        }
      >
        <ol className={classes['todo']}>
          {t.afterSteps.map((step) => (
            <li key={step}>
              <span>{step}</span>
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

interface RevocationProps {
  readonly view: ClientView;
  readonly chosen: Key;
  readonly hasOther: boolean;
}

function Revocation({ view, chosen, hasOther }: RevocationProps): ReactElement {
  const { clientId } = view.client;
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <WhatStops keyShown={chosen} hasOther={hasOther} requests={useRequestsOfKey(clientId, chosen)} />
      <Group gap="sm">
        <Button color="red" onClick={() => setIsAsking(true)}>
          {t.revoke}
        </Button>
        {!hasOther && (
          <LinkButton to={rotatePath(clientId, { step: 'key', overlapSeconds: 0 })} variant="default">
            {t.addFirst}
          </LinkButton>
        )}
      </Group>
      {isAsking && <RevokeKeyDialog keyShown={chosen} view={view} onClose={() => setIsAsking(false)} />}
    </>
  );
}

interface WhichKeyProps {
  readonly keys: readonly Key[];
  readonly chosen: Key;
  readonly onChoose: (keyId: string) => void;
}

function WhichKey({ keys, chosen, onChoose }: WhichKeyProps): ReactElement {
  return (
    <Radio.Group label={t.which} value={chosen.keyId} onChange={onChoose}>
      <div className={classes['choices']}>
        {keys.map(({ keyId, fingerprint, status }) => (
          <Radio.Card key={keyId} value={keyId} className={classes['choice']} aria-label={fingerprint}>
            <Radio.Indicator />
            <span className={classes['choiceWords']}>
              <KeyStatusBadge status={status} />
              <code className={classes['choiceHint']}>{fingerprint}</code>
            </span>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}

function useRequestsOfKey(clientId: string, { keyId }: Key): number | undefined {
  const { data } = useApiQuery(
    'getRequestStatistics',
    { query: { clientId, by: 'key', interval: 'hour' } },
    { enabled: usePermission('requests:read') },
  );
  return data && (trafficShares(data).get(keyId)?.requests ?? 0);
}

interface WhatStopsProps {
  readonly keyShown: Key;
  readonly hasOther: boolean;
  /** Requests signed with the key in the last day; undefined until known. */
  readonly requests: number | undefined;
}

function WhatStops({ keyShown: key, hasOther, requests }: WhatStopsProps): ReactElement {
  return (
    <div className={classes['stops']}>
      <div>
        <h3>{t.stops}</h3>
        <ul>
          <Line stops>{t.stopsRequests}</Line>
          <Line stops>
            {key.lastUsedAt === undefined ? (
              t.stopsNever
            ) : (
              <>
                {t.stopsLast} <RelativeTime at={key.lastUsedAt} />.{' '}
                {requests !== undefined && t.stopsShare(requests)}
              </>
            )}
          </Line>
          <Line stops>{t.stopsForever}</Line>
        </ul>
      </div>
      <div>
        <h3>{t.goesOn}</h3>
        <ul>
          {hasOther ? (
            <Line>{t.otherKey}</Line>
          ) : (
            <>
              <Line stops>{t.nothing}</Line>
              <Line>{t.nothingHint}</Line>
            </>
          )}
        </ul>
      </div>
    </div>
  );
}

interface LineProps {
  readonly stops?: boolean;
  readonly children: ReactNode;
}

function Line({ stops = false, children }: LineProps): ReactElement {
  const Icon = stops ? CircleX : CircleCheck;
  return (
    <li data-stops={stops || undefined}>
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </li>
  );
}
