import { noticeKindNames, type OperationId, permissionsFor } from '@countersign/contract';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { lonePublicKey } from '@countersign/testing/test-keys';
import { pastedRequest } from '../../packages/server/test/management/failed-request.ts';
import type { ManagementCall } from '../../packages/server/test/management/scene.ts';
import { fullLabels, type Ground, networkEntries } from './ground.ts';

interface LargestCall {
  readonly what: string;
  readonly call: (ground: Ground) => ManagementCall;
}

const any = { 'If-Match': '*' };

const onFullClient = ({ fullClientId }: Ground): ManagementCall => ({ path: { clientId: fullClientId } });
const fullClient: readonly LargestCall[] = [{ what: 'a client with all it may have', call: onFullClient }];
const newClient = (name: string, entries: number): object => ({
  name,
  networkWhitelist: networkEntries(entries),
  roles: ['payments-operator', 'payments-reader', 'auditor', 'key-rotator'],
});

/** The valid calls with the most work, which only an attacker who knows the operation would send. */
export const largestCalls: Readonly<Partial<Record<OperationId, readonly LargestCall[]>>> = {
  getClient: fullClient,
  updateClient: [
    {
      what: 'all labels of a full client',
      call: (ground) => ({
        ...onFullClient(ground),
        headers: any,
        body: { name: ground.play.newName(), ...fullLabels },
      }),
    },
  ],
  disableClient: fullClient,
  enableClient: fullClient,
  getRequestLimits: fullClient,
  getNetworkWhitelist: fullClient,
  addNetworkEntry: fullClient,
  listKeys: fullClient,
  testNetworkAddress: fullClient,
  replaceNetworkWhitelist: [
    {
      what: 'a thousand entries',
      call: (ground) => ({ ...onFullClient(ground), headers: any, body: { entries: networkEntries(1000) } }),
    },
    {
      what: 'a thousand equal entries',
      call: (ground) => ({
        ...onFullClient(ground),
        headers: any,
        body: { entries: Array.from({ length: 1000 }, () => ({ entry: '10.0.0.1' })) },
      }),
    },
  ],
  removeNetworkEntry: [
    {
      what: 'of a full client',
      call: ({ fullClientId }) => ({ path: { clientId: fullClientId, entry: '10.0.0.7' } }),
    },
  ],
  addClient: [
    {
      what: 'all that a client may have',
      call: ({ play }) => ({
        body: { ...newClient(play.newName(), 1000), ...fullLabels, publicKey: lonePublicKey(4096) },
      }),
    },
  ],
  addKey: [{ what: 'a key of 4096 bits', call: () => ({ body: { publicKey: lonePublicKey(4096) } }) }],
  inspectKey: [
    { what: 'a key of 4096 bits', call: () => ({ body: { publicKey: lonePublicKey(4096) } }) },
    { what: 'a private key', call: () => ({ body: { publicKey: makeKeyPair().privateKey } }) },
  ],
  importClients: [
    {
      what: 'a hundred clients with 100 entries and a key',
      call: ({ play }) => ({
        body: {
          clients: Array.from({ length: 100 }, () => ({
            ...newClient(play.newName(), 100),
            publicKey: lonePublicKey(),
          })),
        },
      }),
    },
    {
      what: 'a dozen clients with all they may have',
      call: ({ play }) => ({
        body: {
          clients: Array.from({ length: 9 }, () => ({ ...newClient(play.newName(), 1000), ...fullLabels })),
        },
      }),
    },
    {
      what: 'a dry run',
      call: ({ play }) => ({
        body: { dryRun: true, clients: Array.from({ length: 100 }, () => newClient(play.newName(), 150)) },
      }),
    },
  ],
  changeClients: [
    {
      what: 'twenty tags for 200 clients',
      call: ({ clientIds }) => ({
        body: {
          clients: clientIds.slice(0, 200).map((clientId) => ({ clientId })),
          action: 'add_tags',
          tags: ['one', 'two', 'three', 'four', 'five'],
        },
      }),
    },
    {
      what: 'tags taken from 200 clients',
      call: ({ clientIds }) => ({
        body: {
          clients: clientIds.slice(0, 200).map((clientId) => ({ clientId })),
          action: 'remove_tags',
          tags: ['one', 'two', 'three', 'four', 'five'],
        },
      }),
    },
    {
      what: 'a filter that finds all',
      call: () => ({ body: { filter: {}, action: 'add_tags', tags: ['all'] } }),
    },
    {
      what: 'a preview',
      call: ({ clientIds }) => ({
        body: {
          dryRun: true,
          clients: clientIds.slice(0, 200).map((clientId) => ({ clientId })),
          action: 'disable',
        },
      }),
    },
  ],
  addRole: [
    {
      what: 'all permissions',
      call: ({ play }) => ({
        body: { name: play.newName(), permissions: permissionsFor('clients', {}).map(({ name }) => name) },
      }),
    },
  ],
  updateNoticePreferences: [
    {
      what: 'all kinds',
      call: () => ({
        body: { preferences: noticeKindNames.map((kind) => ({ kind, inInbox: true, byMail: true })) },
      }),
    },
  ],
  readNotice: [{ what: 'one of many', call: ({ noticeId }) => ({ path: { noticeId } }) }],
  explainRequest: [
    { what: 'a body of 700 KiB', call: () => ({ body: pasted({ bodyText: '{"a": 1} '.repeat(80_000) }) }) },
    {
      what: 'a body of Base64',
      call: () => ({ body: pasted({ bodyBase64: Buffer.alloc(700_000, 7).toString('base64') }) }),
    },
    {
      what: 'a hundred long headers',
      call: () => ({ body: pasted({ headers: hundredHeaders('x'.repeat(9000)) }) }),
    },
    {
      what: 'a hundred headers that could be keys',
      call: () => ({ body: pasted({ headers: hundredHeaders('MIIB'.repeat(2250)) }) }),
    },
    {
      what: 'a hundred headers that begin like keys',
      call: () => ({ body: pasted({ headers: hundredHeaders('-----BEGIN PUBLIC KEY-----'.repeat(350)) }) }),
    },
  ],
};

function pasted(more: object): object {
  return { ...pastedRequest, bodyText: undefined, ...more };
}

function hundredHeaders(value: string): readonly object[] {
  const { headers } = pastedRequest;
  const others = Array.from({ length: 100 - headers.length }, (_, index) => ({ name: `X-${index}`, value }));
  return [...headers, ...others];
}
