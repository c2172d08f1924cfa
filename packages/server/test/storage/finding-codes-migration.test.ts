import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import { readFindingCodes } from '../../src/request-log/records/explanations.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';

for (const { name, skip, makeEmpty } of backends) {
  describe(`the explanations of a database that is upgraded, on ${name}`, { skip }, () => {
    it('are known by what they found first', async (t) => {
      const { open } = await makeEmpty(t);
      const before = await open({ migrations: migrations.filter((each) => each.name < '0022') });
      const findings = { request_a: [{ code: 'body_crlf' }, { code: 'url_case' }], request_b: [] };
      for (const [id, found] of Object.entries(findings)) {
        await sql`insert into request_records (request_id, received_at_ms, account_id, client_id, is_proved, outcome, is_observed, method, url, status, source_address)
          values (${id}, 0, 'a', 'shop', 0, 'signature_invalid', 0, 'GET', '/', 401, '')`.execute(before);
        await sql`insert into request_explanations (request_id, account_id, explanation)
          values (${id}, 'a', ${JSON.stringify({ findings: found })})`.execute(before);
      }
      const database = await open();
      assert.deepEqual([...(await readFindingCodes(database, 'a', ''))], [['request_a', 'body_crlf']]);
    });
  });
}
