import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe } from 'node:test';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { waitUntil } from '@countersign/testing/wait-until';
import type { Browser } from 'playwright-core';
import { openBrowser, skipWithoutBrowser } from './browser.ts';
import { type LivedInService, startLivedInService } from './lived-in-service.ts';
import { clientIdIn, tasksAt } from './tasks.ts';

const branchNetwork = '198.51.100.128/25';
const branchCount = 40;

/** The usual tasks in the portal, and the maximum number of clicks for each. */
describe('tasks in an account in use, with a count of clicks', { skip: skipWithoutBrowser }, () => {
  let service: LivedInService;
  let browser: Browser;

  before(async () => {
    service = await startLivedInService(3);
    await service.running.change(async (registry) => {
      for (let count = 1; count <= branchCount; count += 1) {
        await registry.addClient({
          accountId: service.accountId,
          name: `Branch ${String(count).padStart(2, '0')}`,
          network: [{ entry: branchNetwork }, { entry: `203.0.113.${count}` }],
          roles: ['payments-reader'],
        });
      }
    });
    browser = await openBrowser();
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const task = tasksAt(() => ({ browser, origin: service.origin }), 'ada@northwind.example');

  /** Signs with a key and sends, repeatedly until every thread of the service knows the key. */
  async function call(clientId: string, privateKey: string): Promise<void> {
    const signer = createSigner({ keyid: clientId, privateKey });
    let count = 0;
    await waitUntil(async () => {
      count += 1;
      const url = `${service.origin}/v1/payments?limit=${count}`;
      const { headers } = signer.sign({ method: 'GET', url });
      const { status } = await fetch(url, { headers });
      if (status !== 200) assert.equal(status, 401);
      return status === 200;
    }, 'a request that is accepted');
  }

  task('add a client with a key and send the first request', 10, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'API Keys' }));
    await person.click(page.getByRole('link', { name: 'Add client' }));
    await person.click(page.getByRole('textbox', { name: 'Name' }));
    await person.type('Web shop');
    await person.click(page.getByRole('button', { name: /Add this browser/ }));
    await person.click(page.getByRole('tab', { name: 'Generate here' }));
    await person.click(page.getByRole('button', { name: 'Generate key pair' }));
    await person.click(page.getByRole('checkbox', { name: /payments-operator/ }));
    const download = page.waitForEvent('download');
    await person.click(page.getByRole('button', { name: /^Download / }));
    const file = await (await download).path();
    await person.click(page.getByLabel('I have saved the private key'));
    await person.look();
    await person.click(page.getByRole('button', { name: 'Add', exact: true }));
    await person.see(page.getByText('Waiting for the first signed request'));
    const clientId = clientIdIn((await page.locator('main').textContent()) ?? '');
    await call(clientId, await readFile(file, 'utf8'));
    await person.see(page.getByText('The first signed request has arrived'));
  });

  task('find why a call failed yesterday', 4, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'Requests' }));
    await person.see(page.getByText('Failures by cause'));
    await person.click(page.getByLabel('Time').or(page.getByLabel('Period')));
    await person.click(page.getByRole('option', { name: /7 days/ }));
    const latest = page.getByRole('link', { name: 'View latest: Address not allowed' });
    await person.see(latest);
    await person.click(latest);
    await person.see(page.getByText('What to do'));
  });

  task('rotate a key', 8, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'API Keys' }));
    await person.click(page.getByRole('link', { name: 'Treasury dashboard' }));
    await person.click(page.getByRole('link', { name: /Rotate/ }));
    await person.click(page.getByRole('button', { name: 'Continue' }));
    const { publicKey, privateKey } = makeKeyPair();
    await person.click(page.getByRole('textbox', { name: /public key/i }));
    await person.paste(publicKey);
    await person.click(page.getByRole('button', { name: 'Add new key' }));
    await person.see(page.getByText('Waiting for the first request with the new key'));
    await call(clientIdIn(page.url()), privateKey);
    await person.see(page.getByText('The new key is in use'));
    await person.click(page.getByRole('button', { name: /^Retire the old key/ }));
    await person.click(
      page
        .getByRole('dialog')
        .getByRole('button', { name: /Retire|Revoke/ })
        .last(),
    );
    await person.see(page.getByText('Rotation complete'));
  });

  task(`take a network away from ${branchCount} clients`, 9, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'API Keys' }));
    await person.click(page.getByRole('searchbox'));
    await person.type('Branch');
    await person.see(page.getByText(`${branchCount} clients`));
    await person.click(page.getByRole('checkbox', { name: 'Select all' }));
    await person.look();
    await person.click(page.getByRole('button', { name: 'Change…' }));
    await person.click(page.getByRole('menuitem', { name: 'Remove a network entry' }));
    await person.click(page.getByRole('dialog').getByLabel('Address or network'));
    await person.paste(branchNetwork);
    await person.click(page.getByRole('dialog').getByRole('button', { name: 'Preview' }));
    await person.see(page.getByText(`${branchCount} clients will change.`));
    await page.getByRole('dialog').getByText(branchNetwork).waitFor();
    await person.click(
      page.getByRole('dialog').getByRole('button', { name: `Change ${branchCount} clients` }),
    );
    await person.see(page.getByText(`${branchCount} clients changed.`));
  });

  task('read who changed a role', 3, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'Audit log' }));
    await person.click(page.getByLabel('Action', { exact: true }));
    await person.type('any role');
    await person.click(page.getByRole('option', { name: 'Any role change' }));
    await person.see(page.getByText('created the role'));
  });

  task('find a client by its name and copy its client ID', 3, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'API Keys' }));
    await person.click(page.getByRole('searchbox'));
    await person.type('branch 27');
    await person.see(page.getByText('1 client', { exact: true }));
    const row = page.getByRole('row', { name: /Branch 27/ });
    await person.click(row.getByRole('button', { name: 'Copy Client ID' }));
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const { data } = await service.owner.send<{ data: readonly { readonly clientId: string }[] }>(
      'GET',
      '/v1/clients?search=Branch+27',
    );
    assert.deepEqual(
      data.map(({ clientId }) => clientId),
      [copied],
    );
  });

  task('allow a network, disable the client, and read both in the audit log', 9, async (person, page) => {
    await person.click(page.getByRole('link', { name: 'API Keys' }));
    await person.click(page.getByRole('link', { name: 'Reconciliation job' }));
    await person.click(page.getByRole('tab', { name: 'Network' }));
    await person.click(page.getByRole('link', { name: 'Update whitelist' }));
    await person.see(page.getByRole('textbox', { name: 'Address or network' }).and(page.locator(':focus')));
    await person.type('203.0.113.0/24');
    await person.press('Enter');
    await person.click(page.getByRole('button', { name: 'Update', exact: true }));
    await person.click(page.getByRole('button', { name: 'More actions' }));
    await person.click(page.getByRole('menuitem', { name: 'Disable' }));
    await person.click(page.getByRole('dialog').getByRole('button', { name: 'Disable client' }));
    await person.see(page.getByText('This client is disabled'));
    await person.click(page.getByRole('link', { name: 'Audit log' }));
    for (const change of [/disabled Reconciliation job/, /203\.0\.113\.0\/24/])
      await person.see(page.getByText(change));
  });
});
