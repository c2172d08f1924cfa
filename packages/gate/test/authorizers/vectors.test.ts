import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { authorizersOf, everyPath } from '@countersign/testing/proxied-api';
import {
  cannotRun,
  installed,
  installedRecipes,
  type Recipe,
  recipes,
  startProxy,
} from '@countersign/testing/proxy-process';
import {
  type ReceivedRequest,
  receivingServer,
  type ReceivingServer,
} from '@countersign/testing/receiving-server';
import { type RunningService, runService } from '@countersign/testing/running-service';
import { exchange } from '@countersign/testing/wire';
import { addClients, baseUrls, requestOf, sent } from '@countersign/testing/wire-vectors';
import { vectorFiles } from '../../../signature/test/conformance/files.ts';
import { bodyOf } from '../../../signature/test/conformance/profile-vectors.ts';
import type { WireCase } from '../../../signature/test/conformance/profile-vectors.ts';

/** Proxies of `npm run test:proxies` may be missing in other runs. */
const allRecipes = { ...recipes, ...(installed === '' ? undefined : installedRecipes) };

type RecipeName = keyof typeof recipes | keyof typeof installedRecipes;

/** A verdict, and the request that reached the API. */
interface Outcome {
  readonly verdict: string;
  readonly reached: readonly ReceivedRequest[];
}

/** A verdict through a proxy that may differ from the gateway's. */
interface Difference {
  readonly isAbout: (id: string, body: Uint8Array | undefined) => boolean;
  readonly verdict: RegExp;
}

const bodyKept: Difference = {
  isAbout: (_, body) => body !== undefined,
  // A signature that leaves out the digest is checked before it is clear that there is a body.
  verdict: /^(?:body_unseen|signature_invalid)$/,
};
const ownPage = (ids: RegExp): Difference => ({ isAbout: (id) => ids.test(id), verdict: /^status 400$/ });
const ownStatus = (status: number): Difference => ({
  isAbout: (id) => /^(?:syntax-large|tamper-signature\/huge)/.test(id),
  verdict: new RegExp(`^status ${status}$`),
});
const longHeaders = ownPage(/^(?:syntax-large|tamper-signature\/huge)/);

/** docs/authorizers.md says the same in words. */
const differences: Readonly<Record<RecipeName, readonly Difference[]>> = {
  nginx: [bodyKept, longHeaders],
  'nginx-njs': [longHeaders],
  caddy: [bodyKept, ownPage(/userinfo/)],
  'caddy-current': [bodyKept, ownPage(/userinfo/), ownStatus(431)],
  'envoy-grpc': [ownStatus(431)],
  envoy: [
    ownStatus(431),
    // Joined lines are one malformed signature, and bytes that are not ASCII become others.
    { isAbout: (id) => id.startsWith('duplicates/signature-'), verdict: /^signature_malformed$/ },
    { isAbout: (id) => id.startsWith('fuzz-si-insert/'), verdict: /^signature_invalid$/ },
  ],
  traefik: [
    ownPage(/userinfo/),
    // Go writes percent-encoding in its own way, for us and for the API.
    { isAbout: (id) => /^url\/(?:dot-encoded|pct-lower)$/.test(id), verdict: /^signature_invalid$/ },
  ],
  haproxy: [{ isAbout: (_, body) => body !== undefined && body.length > 100_000, verdict: /^body_unseen$/ }],
  apache: [
    longHeaders,
    ownPage(/userinfo/),
    { isAbout: (id) => id === 'url/double-slash', verdict: /^signature_invalid$/ },
    { isAbout: (id) => id.startsWith('duplicates/signature-'), verdict: /^signature_malformed$/ },
  ],
};

let nowSeconds = 0;
let api: ReceivingServer;
let running: RunningService;
const byGateway = new Map<WireCase, Outcome>();

const portOf = (address: string | undefined): number => Number(new URL(address!).port);

before(async () => {
  api = await receivingServer();
  running = await runService(
    {
      COUNTERSIGN_UPSTREAM: api.address,
      COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.test',
      COUNTERSIGN_API_BASE_URLS: baseUrls.join(),
      COUNTERSIGN_AUTHORIZERS: authorizersOf('refuse'),
      COUNTERSIGN_ROUTES: everyPath,
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
      COUNTERSIGN_ADDRESS_FAILURES_PER_MINUTE_MAX: '0',
      COUNTERSIGN_CLIENT_REQUESTS_PER_MINUTE_MAX: '0',
    },
    // Each case is sent several times.
    { nowMs: () => nowSeconds * 1000, wrapGuard: (guard) => ({ ...guard, use: () => undefined }) },
  );
  await addClients(running);
  const port = portOf(running.service.apiAddress);
  for (const one of sent) byGateway.set(one, await outcomeOf(one, port));
});
after(async () => {
  await running.close();
  await api.close();
});

test('most vectors go over a wire, and the gateway gives every kind of verdict', () => {
  assert.equal(sent.length, 788);
  const verdicts = [...byGateway.values()].map(({ verdict }) => verdict);
  const wrong = sent.filter((one) => one.kind === 'positive' && byGateway.get(one)!.verdict !== 'ok');
  assert.deepEqual(
    wrong.map((one) => `${one.id}: ${byGateway.get(one)!.verdict}`),
    [],
  );
  assert.equal(verdicts.filter((verdict) => verdict === 'ok').length, 103);
  assert.ok(new Set(verdicts).size >= 16, verdicts.join());
});

for (const [name, recipe] of Object.entries(allRecipes) as [RecipeName, Recipe][]) {
  describe(`the vectors through ${name}`, { skip: cannotRun(recipe) }, () => {
    test("get the gateway's verdict, or the documented difference, and reach the API as they were sent", async (t) => {
      const { apiAddress, authorizerAddress, authorizerGrpcAddress } = running.service;
      const ports = {
        3000: portOf(api.address),
        8422: portOf(apiAddress),
        8423: portOf(authorizerAddress),
        8424: portOf(authorizerGrpcAddress),
      };
      const proxy = await startProxy(recipe, ports);
      t.after(() => proxy.stop());
      const wrong: string[] = [];
      let equal = 0;
      for (const one of sent) {
        const expected = byGateway.get(one)!;
        const outcome = await outcomeOf(one, proxy.port, name === 'apache');
        const body = await bodyOf(one, vectorFiles);
        const isDocumented = differences[name].some(
          ({ isAbout, verdict }) => isAbout(one.id, body) && verdict.test(outcome.verdict),
        );
        if (outcome.verdict === expected.verdict) {
          equal += 1;
          assert.deepEqual(outcome.reached, expected.reached, one.id);
        } else {
          if (!isDocumented) wrong.push(`${one.id}: ${outcome.verdict}, not ${expected.verdict}`);
          assert.deepEqual(outcome.reached, [], one.id);
        }
      }
      assert.deepEqual(wrong, []);
      assert.equal(`${equal} of ${sent.length}`, documentedFigure(name));
    });
  });
}

/** Returns how many vectors have the same verdict through a proxy, as docs/authorizers.md says. */
function documentedFigure(name: string): string {
  const document = readFileSync(new URL('../../../../docs/authorizers.md', import.meta.url), 'utf8');
  return new RegExp(`^\\| \\[${name}\\]\\(.*\\| (\\d+ of \\d+) \\|`, 'm').exec(document)?.[1] ?? 'no figure';
}

async function outcomeOf(one: WireCase, port: number, isTls = false): Promise<Outcome> {
  nowSeconds = one.verify.now;
  const { verdict } = await exchange(port, await requestOf(one), { isTls });
  return { verdict, reached: api.take() };
}
