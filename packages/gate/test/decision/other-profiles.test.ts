import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  defineProfile,
  type MessageProfile,
  messageProfiles,
  type ProfiledSignature,
  signingKey,
  signMessage,
} from '@countersign/signature/messages/node';
import { type KeyPair, makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { openProtectedApi, type ProtectedApi } from '@countersign/testing/protected-api';
import { type Answer, apiBaseUrl } from '@countersign/testing/running-service';

const {
  curl822,
  fapi2Request01,
  gnap,
  openPayments,
  webBotAuth01,
  adcp32,
  agentPayments2025,
  ucpRequest2026,
} = messageProfiles;
const accepted = [
  curl822,
  fapi2Request01,
  gnap,
  openPayments,
  webBotAuth01,
  adcp32,
  agentPayments2025,
  ucpRequest2026,
]
  .map(({ id }) => id)
  .join(',');

interface Sent {
  readonly profile?: MessageProfile;
  readonly keyid?: string;
  readonly keys?: KeyPair;
  readonly method?: string;
  readonly url?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly options?: Partial<Omit<ProfiledSignature, 'profile' | 'key'>>;
  /** Changes what is sent after it was signed. */
  readonly change?: Partial<{
    readonly method: string;
    readonly url: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  }>;
  /** Sends what was signed again, this often. */
  readonly times?: number;
}

/** A service that accepts other profiles, with a client that has one of them. */
interface Other {
  readonly api: ProtectedApi;
  readonly clientId: string;
  readonly keys: KeyPair;
  send(sent?: Sent): Promise<Answer>;
  sendAll(sent?: Sent): Promise<readonly Answer[]>;
}

interface Opened {
  readonly environment?: Readonly<Record<string, string>>;
  readonly keys?: KeyPair;
  readonly roles?: readonly string[];
}

async function open(t: TestContext, profile: MessageProfile, opened: Opened = {}): Promise<Other> {
  const { keys = makeKeyPairFor('ed25519'), roles = ['api-user'] } = opened;
  const environment = { COUNTERSIGN_PROFILES: accepted, ...opened.environment };
  const api = await openProtectedApi(t, { environment });
  const { clientId } = await api.running.addClient({
    profile: profile.id,
    keyPair: keys,
    roles,
    signer: { privateKey: makeKeyPair().privateKey },
  });
  const sendAll = (sent: Sent = {}): Promise<readonly Answer[]> =>
    signAndSend(api, { profile, keyid: clientId, keys, ...sent });
  return { api, clientId, keys, sendAll, send: async (sent) => (await sendAll(sent))[0]! };
}

async function signAndSend(api: ProtectedApi, sent: Sent): Promise<readonly Answer[]> {
  const { profile = curl822, keys, keyid, method = 'GET', url = `${apiBaseUrl}/orders?state=open` } = sent;
  const { headers = [], body, options, change, times = 1 } = sent;
  const signed = await signMessage(
    { method, targetUri: url, headers, body: body === undefined ? undefined : Buffer.from(body) },
    {
      profile: defineProfile(profile),
      key: signingKey(keys!.privateKey),
      keyid: keyid!,
      ...options,
    },
  );
  const lines = [...headers, ...Object.entries(signed.headers)];
  const call = {
    method: change?.method ?? method,
    url: change?.url ?? url,
    body: change?.body ?? body,
    headers: { ...Object.fromEntries(lines), ...change?.headers },
  };
  const answers: Answer[] = [];
  for (let time = 0; time < times; time++) answers.push(await api.running.send(call));
  return answers;
}

function codeOf(answer: Answer): unknown {
  return answer.status === 200 ? 'accepted' : answer.json()['code'];
}

test('a request that curl signs by itself reaches the API, and names its client, its profile and what it covers', async (t) => {
  const other = await open(t, curl822);
  assert.equal(codeOf(await other.send()), 'accepted');
  const [received] = other.api.received;
  assert.deepEqual(received!.values('countersign-client-id'), [other.clientId]);
  assert.deepEqual(received!.values('countersign-profile'), ['curl-8.22']);
  assert.deepEqual(received!.values('countersign-covered'), ['"@method" "@authority" "@path" "@query"']);
});
