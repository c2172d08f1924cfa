import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { authorizersOf } from '@countersign/testing/proxied-api';
import { cannotRun, type Recipe, recipes, startProxy } from '@countersign/testing/proxy-process';
import { receivingServer } from '@countersign/testing/receiving-server';
import { runService } from '@countersign/testing/running-service';
import { sendUntilQuiet } from '@countersign/testing/wire';
import { pino } from 'pino';

interface Stream {
  readonly id: string;
  /** One code point up to U+00FF for each byte. */
  readonly raw: string;
}

const { cases: streams } = JSON.parse(
  readFileSync(new URL('../../../../vectors/http-framing.json', import.meta.url), 'utf8'),
) as { cases: readonly Stream[] };

/** Lets every request pass, so that only framing matters. */
const observing = JSON.stringify([
  { path: '/**', permission: 'api', mode: 'observe', ambiguousPaths: 'forward', bodyBytesMax: 1_048_576 },
]);

for (const recipe of Object.values(recipes) as readonly Recipe[]) {
  describe(`the streams of http-framing.json through ${recipe.name}`, { skip: cannotRun(recipe) }, () => {
    test('no request reaches the API that was not decided, in the same words', async (t) => {
      const decided: string[] = [];
      const write = (text: string): void => {
        const { outcome, method, path, isObserved } = JSON.parse(text) as Record<string, string>;
        if (outcome === 'accepted' || isObserved) decided.push(`${method} ${path}`);
      };
      const api = await receivingServer();
      const running = await runService(
        {
          COUNTERSIGN_UPSTREAM: api.address,
          COUNTERSIGN_API_BASE_URLS: 'http://api.example.test',
          COUNTERSIGN_AUTHORIZERS: authorizersOf('refuse'),
          COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
          COUNTERSIGN_ROUTES: observing,
          COUNTERSIGN_PUBLIC_BASE_URLS: 'https://console.example.test',
        },
        {},
        pino({}, { write }),
      );
      const portOf = (address: string | undefined): number => Number(new URL(address!).port);
      const { apiAddress, authorizerAddress } = running.service;
      const ports = { 3000: portOf(api.address), 8422: portOf(apiAddress), 8423: portOf(authorizerAddress) };
      const proxy = await startProxy(recipe, ports);
      t.after(async () => {
        await proxy.stop();
        await running.close();
        await api.close();
      });
      const isTls = recipe.name === 'apache';
      const inParallel = 19;
      for (let start = 0; start < streams.length; start += inParallel)
        await Promise.all(
          streams
            .slice(start, start + inParallel)
            .map(({ raw }) => sendUntilQuiet(proxy.port, Buffer.from(raw, 'latin1'), { isTls })),
        );
      const reached = api.take().map(({ method, target }) => `${method} ${target.split('?', 1)[0]!}`);
      const undecided = [...decided];
      const unknown = reached.filter((request) => {
        const place = undecided.indexOf(request);
        if (place >= 0) undecided.splice(place, 1);
        return place < 0;
      });
      assert.deepEqual(unknown, []);
      assert.ok(reached.length >= 20, `${reached.length} requests reached the API`);
    });
  });
}
