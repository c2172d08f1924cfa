import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { findings } from '@countersign/explain';
import { createSigner, type SignFunction } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser } from 'playwright-core';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { tasksAt } from './tasks.ts';

const body = '{"amount":1200,"currency":"EUR","reference":"invoice-7"}';

/** A request that a program sends. */
interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** How a program gets a request wrong. */
interface Mistake {
  readonly name: string;
  /** The title of what the portal finds. */
  readonly cause: string;
  /** Changes the signature base before it is signed. */
  readonly base?: (base: string) => string;
  /** Changes the URL that is signed. */
  readonly url?: (url: string) => string;
  readonly clockMs?: number;
  readonly hasOtherKey?: true;
  /** Changes the request after it was signed. */
  readonly afterwards?: (request: Sent) => void;
}

const mistakes: readonly Mistake[] = [
  {
    name: 'lines joined by CRLF',
    cause: findings.base_crlf.title,
    base: (base) => base.replaceAll('\n', '\r\n'),
  },
  {
    name: 'a newline at the end of the signature base',
    cause: findings.base_trailing_newline.title,
    base: (base) => `${base}\n`,
  },
  {
    name: 'the Date header lost on the way',
    cause: findings.header_stripped.title,
    afterwards({ headers }) {
      delete headers['Date'];
    },
  },
  {
    name: 'the URL signed without its port',
    cause: findings.url_host_port.title,
    url: (url) => url.replace(/:\d+\//, '/'),
  },
  { name: 'a clock that is 30 minutes slow', cause: findings.clock_off.title, clockMs: -30 * 60_000 },
  { name: 'another private key', cause: findings.key_unknown.title, hasOtherKey: true },
  {
    name: 'the body changed after signing',
    cause: findings.body_other.title,
    afterwards(request) {
      request.body = request.body.replace('1200', '1300');
    },
  },
];

describe('finding why a request was rejected, with a count of clicks', { skip: skipWithoutBrowser }, () => {
  const [own, other] = [makeKeyPair(), makeKeyPair()];
  let service: LivedInService;
  let browser: Browser;
  let clientId = '';

  before(async () => {
    service = await startLivedInService(1);
    ({ clientId } = await service.owner.send<{ clientId: string }>('POST', '/v1/clients', {
      name: 'Web shop',
      networkWhitelist: [{ entry: '127.0.0.1' }, { entry: '::1' }],
      roles: ['payments-operator'],
      publicKey: own.publicKey,
    }));
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const task = tasksAt(() => ({ browser, origin: service.origin }), 'ada@northwind.example');

  /** Sends a request as a program with a mistake does; returns the request ID that the caller is told. */
  async function fail({
    base,
    url: signedUrl,
    clockMs = 0,
    hasOtherKey,
    afterwards,
  }: Mistake): Promise<string> {
    const key = hasOtherKey ? other.privateKey : own.privateKey;
    const signer = createSigner({
      keyid: clientId,
      privateKey: base === undefined ? key : signing(base, key),
      nowMs: () => Date.now() + clockMs,
    });
    const url = `${service.origin}/v1/payments`;
    const signed = signer.sign({ method: 'POST', url: signedUrl?.(url) ?? url, body });
    const request = { url, headers: { ...signed.headers, 'Content-Type': 'application/json' }, body };
    afterwards?.(request);
    return send(request);
  }

  async function send({ url, headers, body: sent }: Sent): Promise<string> {
    const response = await fetch(url, { method: 'POST', headers, body: sent });
    const { requestId } = (await response.json()) as { requestId: string };
    assert.ok(response.status >= 400, String(response.status));
    return requestId;
  }

  /** Waits until the service has searched for the mistake, as it does while it has time to spare. */
  async function explained(requestId: string): Promise<void> {
    await waitUntil(
      () =>
        service.owner.send('GET', `/v1/requests/${requestId}/explanation`).then(
          () => true,
          () => false,
        ),
      `the explanation of ${requestId}`,
    );
  }

  for (const mistake of mistakes) {
    task(`find why a request was rejected: ${mistake.name}`, 2, async (person, page) => {
      await explained(await fail(mistake));
      // The person arrives after that.
      await page.reload();
      const failures = page.getByRole('region', { name: 'Latest failures' });
      await person.see(failures.getByRole('link', { name: /Web shop/ }));
      await person.click(failures.getByRole('link', { name: /Web shop/ }));
      const cause = page.getByRole('region', { name: 'Request', exact: true });
      await person.see(cause.getByRole('heading', { name: mistake.cause }));
      assert.equal(await cause.getByRole('article').count(), 1, 'other causes');
    });
  }

  task('read the causes of all of them in the list', 2, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'Requests', exact: true }));
    const list = page.getByRole('table', { name: 'All requests' });
    for (const { cause } of mistakes) await person.see(list.getByText(cause, { exact: true }));
  });

  task('find what became of a request without a signature, by its request ID', 3, async (person, page) => {
    const requestId = await send({ url: `${service.origin}/v1/payments`, headers: {}, body });
    await person.click(page.getByRole('link', { name: 'Requests', exact: true }));
    await person.click(page.getByRole('searchbox'));
    await person.paste(requestId);
    await person.see(page.getByText('This request named no client'));
    await person.see(page.getByText('signature_missing'));
  });
});

/** A key that signs something else than it is given. */
function signing(change: (base: string) => string, privateKey: string): SignFunction {
  return (base) => {
    const changed = change(Buffer.from(base).toString('latin1'));
    return sign('sha256', Buffer.from(changed, 'latin1'), privateKey);
  };
}
