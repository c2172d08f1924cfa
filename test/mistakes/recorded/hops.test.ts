import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CandidateKey, HopsExplanation, RequestView } from '@countersign/explain';
import { explainRequestHops } from '@countersign/explain/node';
import { readAccount } from '../corpus.ts';
import { differencesOf, heldUrlOf, targetUriOf } from './difference.ts';
import { bytesOf, type Exchange, programsOf, readExchanges } from './recording.ts';
import { isSetAside } from './set-aside.ts';
import { signHeld } from './signing.ts';

const { keys, baseUrls } = readAccount();
const candidates: readonly CandidateKey[] = keys.map(({ publicKeyPem, name: _name, ...key }) => ({
  ...key,
  spkiPem: publicKeyPem,
}));

/** A sample, mostly through proxies. Programs that are set aside are omitted. */
const chosen = readExchanges()
  .filter((exchange) => !programsOf(exchange).some(isSetAside) && targetUriOf(exchange.arrived) !== undefined)
  // A target with a fragment or raw bytes beyond ASCII arrives unchanged, and is rejected for it.
  .filter(({ arrived }) => /^[\x21\x22\x24-\x7e]*$/.test(arrived.target))
  .filter(({ proxy }, index) => index % (proxy === undefined ? 20 : 2) === 0);

interface Views {
  readonly held: RequestView;
  readonly arrived: RequestView;
}

/** The request that the program held and signed, and the received one. */
function viewsOf(exchange: Exchange): Views {
  const { held, arrived } = exchange;
  const values = signHeld(exchange);
  const received = arrived.headers.flatMap(([name, value]): [string, string][] => {
    const sent = value ?? values.get(name.toLowerCase());
    return sent === undefined || name.toLowerCase() === 'host' ? [] : [[name, sent]];
  });
  return {
    held: {
      name: 'program',
      method: held.method,
      target: heldUrlOf(held),
      headers: [...values],
      body: bytesOf(held.body),
    },
    arrived: {
      name: 'service',
      method: arrived.method,
      target: arrived.target,
      headers: [['Host', arrived.host], ...received],
      body: bytesOf(arrived.body ?? held.body),
    },
  };
}

function explained(exchange: Exchange, views: readonly RequestView[]): HopsExplanation {
  return explainRequestHops(views, candidates, { nowSeconds: exchange.clock, baseUrls });
}

/** The parts that an independent comparison finds different. */
function expectedParts(exchange: Exchange): string {
  const parts = differencesOf(exchange).map(({ part, kind }) =>
    part === 'header' ? `header ${kind.split(' ')[0]}` : kind === 'scheme' ? kind : part,
  );
  return [...new Set(parts)].toSorted().join(', ');
}

function changedParts({ hops }: HopsExplanation): string {
  const parts = hops
    .flatMap(({ changes }) => changes)
    .filter(({ isSigned }) => isSigned)
    .map(({ part, header }) => (header === undefined ? part : `${part} ${header.toLowerCase()}`));
  return [...new Set(parts)].toSorted().join(', ');
}

describe('the hops of what real software did to signed requests', () => {
  it('names exactly the parts that changed, proven, wherever in the way it happened', () => {
    let changed = 0;
    let unchanged = 0;
    for (const exchange of chosen) {
      const { held, arrived } = viewsOf(exchange);
      const what = `${exchange.client} ${exchange.proxy ?? ''} ${held.method} ${held.target} → ${arrived.target}`;
      const expected = expectedParts(exchange);
      for (const [index, views] of [
        [held, arrived, arrived],
        [held, held, arrived],
      ].entries()) {
        const told = explained(exchange, views);
        assert.equal(changedParts(told), expected, what);
        assert.equal(told.isProven, true, what);
        assert.equal(told.verdict, expected === '' ? 'intact' : 'broken', what);
        assert.equal(told.firstWrongHop, expected === '' ? undefined : index, what);
      }
      if (expected === '') unchanged += 1;
      else changed += 1;
    }
    assert.ok(changed > 300 && unchanged > 20, `${changed} changed, ${unchanged} unchanged`);
  });

  it('names what a proxy did in the words of the explainer', () => {
    const through = readExchanges().filter(
      ({ proxy, held }) => proxy?.startsWith('proxy/nginx with path') && held.url.includes('%7E'),
    );
    assert.ok(through.length > 0);
    for (const exchange of through) {
      const { held, arrived } = viewsOf(exchange);
      const [change] = explained(exchange, [held, arrived]).hops[0]!.changes.filter(
        ({ isSigned }) => isSigned,
      );
      assert.equal(change?.kinds[0].code, 'path_encoded');
      assert.equal(change?.kinds[0].detail, '%7E became ~');
    }
  });
});
