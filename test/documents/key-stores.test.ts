import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { awsCredentials, keyArn, openAwsDouble } from '../../packages/aws-kms/test/aws-double.ts';
import { missingSoftHsm, openSoftHsm } from '../../packages/pkcs11/test/softhsm.ts';
import { openVaultDouble, type VaultDouble, vaultToken } from '../../packages/vault/test/vault-double.ts';
import { readerFolder, root } from './reader-folder.ts';
import { readDocument, runBlock, testBlocks } from './run-block.ts';
import { section, tableRows } from './tables.ts';

const page = 'docs/signing/key-stores.md';
const headersOfGet = 'Date Signature-Input Signature\n';

describe('the documents of key stores', () => {
  const { folder, remove } = readerFolder();
  let vault: VaultDouble;
  const environment = (): Record<string, string> => ({ VAULT_ADDR: vault.address, VAULT_TOKEN: vaultToken });
  before(async () => {
    vault = await openVaultDouble();
  });
  after(async () => {
    await vault.close();
    remove();
  });

  it('show a signer with Vault', async () => {
    const [example, ...others] = testBlocks('packages/vault/README.md');
    const { exitCode, output, errors } = await runBlock(example!, folder, environment());
    assert.equal(exitCode, 0, errors);
    assert.equal(output, `${vault.versions[0]!.publicKey}\n${headersOfGet}`);
    assert.deepEqual(others, []);
  });

  it('set up a token, and show a signer with it', { skip: missingSoftHsm() }, async () => {
    const [example, commands, ...others] = testBlocks('packages/pkcs11/README.md');
    const hsm = openSoftHsm();
    try {
      for (const block of [commands!, example!]) {
        const { exitCode, output, errors } = await runBlock(block, folder);
        assert.deepEqual([exitCode, block === example ? errors : ''], [0, ''], errors);
        if (block === example)
          assert.match(output, /^-----BEGIN PUBLIC KEY-----\n[^]*\nDate Signature-Input Signature\n$/);
      }
    } finally {
      hsm.remove();
    }
    assert.deepEqual(others, []);
  });

  it('show a signer with AWS KMS', async () => {
    const aws = await openAwsDouble();
    try {
      const [example, ...others] = testBlocks('packages/aws-kms/README.md');
      const { exitCode, output, errors } = await runBlock(example!, folder, {
        KEY_ARN: keyArn,
        AWS_ENDPOINT_URL_KMS: aws.address,
        AWS_ACCESS_KEY_ID: awsCredentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: awsCredentials.secretAccessKey,
      });
      assert.equal(exitCode, 0, errors);
      assert.equal(output, `${aws.keys.get(keyArn)!.publicKey}\n${headersOfGet}`);
      assert.deepEqual(others, []);
    } finally {
      await aws.close();
    }
  });

  it('show a key that is followed, and what a refusal looks like', async () => {
    const [example, ...others] = testBlocks(page);
    writeFileSync(join(folder, 'key-name'), 'shop:1\n');
    const signed = await runBlock(example!, folder, environment());
    assert.equal(signed.exitCode, 0, signed.errors);
    assert.match(signed.output, /^GET https:\/\/api\.example\.com\/v1\/whoami \d+\n$/);
    const refused = await runBlock(example!, folder, { ...environment(), VAULT_TOKEN: 'hvs.another' });
    assert.match(refused.errors, /^access_denied Vault refused the key shop:1 with 403: .*permission denied/);
    assert.deepEqual(others, []);
  });

  it('have every code of an error', () => {
    const source = readFileSync(join(root, 'packages/key-store/src/key-store-error.ts'), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([a-z_]+)'/gm)].map(([, code]) => code!);
    const rows = tableRows(section(readDocument('packages/key-store/README.md').text, 'Errors'));
    assert.deepEqual(
      rows.map(([code = '']) => code.replaceAll('`', '')),
      codes,
    );
  });

  const attempts = 'key-store/src/attempts.ts AttemptSettings';
  const connection = ['key-store/src/store-connection.ts StoreConnectionOptions', attempts];
  const stores = [
    {
      name: 'vault',
      options: ['vault/src/vault.ts VaultOptions', 'vault/src/token.ts TokenOptions', ...connection],
    },
    { name: 'pkcs11', options: ['pkcs11/src/pkcs11.ts Pkcs11Options'] },
    { name: 'aws-kms', options: ['aws-kms/src/aws-kms.ts AwsKmsOptions', attempts] },
    { name: 'google-kms', options: ['google-kms/src/google-kms.ts GoogleKmsOptions', ...connection] },
    {
      name: 'azure-key-vault',
      options: ['azure-key-vault/src/azure-key-vault.ts AzureKeyVaultOptions', ...connection],
    },
  ];
  for (const { name, options } of stores) {
    it(`have every option of ${name}`, () => {
      const declared = options.flatMap((place) => {
        const [file = '', type = ''] = place.split(' ');
        const source = readFileSync(join(root, 'packages', file), 'utf8');
        const body =
          new RegExp(`interface ${type} [^{]*\\{([^]*?)\\n\\}`).exec(source)?.[1] ?? assert.fail(place);
        return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option]) => option!);
      });
      const rows = tableRows(section(readDocument(`packages/${name}/README.md`).text, 'Options'));
      const documented = rows.map(([option = '']) => option.replaceAll('`', ''));
      assert.deepEqual(documented.toSorted(), declared.toSorted());
      assert.ok(readDocument(page).text.includes(`packages/${name}/README.md`), `${page} names ${name}`);
    });
  }
});
