import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backends } from '@countersign/testing/backends';
import { sql } from 'kysely';
import { migrations } from '../../src/storage/migrations/migrations.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = 20_000 * dayMs;

for (const { name, skip, makeEmpty } of backends) {
  describe(`the statistics of a database that is upgraded, on ${name}`, { skip }, () => {
    it('begin with the requests that are kept', async (t) => {
      const { open } = await makeEmpty(t);
      const before = await open({ migrations: migrations.filter((each) => each.name < '0007') });
      await sql`insert into accounts (account_id, name, created_at_ms) values ('a', 'A', 0)`.execute(before);
      await sql`insert into clients (client_id, account_id, name, status, accept_without_date, created_at_ms, updated_at_ms, version)
        values ('shop', 'a', 'Shop', 'active', 0, 0, 0, 1)`.execute(before);
      await sql`insert into client_keys (key_id, client_id, account_id, spki_pem, fingerprint, modulus_bits, status, created_at_ms)
        values ('key_1', 'shop', 'a', 'pem', 'SHA256:1', 2048, 'active', 0)`.execute(before);
      const keep = (
        requestId: string,
        client: string,
        agoMs: number,
        outcome: string,
        print: string | null,
      ) =>
        sql`insert into request_records
          (request_id, received_at_ms, account_id, client_id, is_proved, outcome, method, url, status, source_address, key_fingerprint)
          values (${requestId}, ${startMs + agoMs}, 'a', ${client}, 1, ${outcome}, 'GET', '/', 200, '', ${print})`.execute(
          before,
        );
      await keep('1', 'shop', 0, 'accepted', 'SHA256:1');
      await keep('2', 'shop', hourMs - 1, 'accepted', 'SHA256:1');
      await keep('3', 'shop', hourMs, 'accepted', 'SHA256:1');
      await keep('4', 'shop', dayMs - 1, 'signature_invalid', null);
      await keep('5', 'gone', dayMs, 'accepted', 'SHA256:gone');
      const database = await open();
      const rows = await database
        .selectFrom('request_counts')
        .selectAll()
        .orderBy('span')
        .orderBy('client_id')
        .orderBy('starts_at_ms')
        .orderBy('outcome')
        .execute();
      assert.deepEqual(
        rows.map((row) =>
          [
            row.span,
            row.client_id,
            (row.starts_at_ms - startMs) / hourMs,
            row.key_id,
            row.outcome,
            row.count,
          ].join(' '),
        ),
        [
          'day  0  accepted 3',
          'day  0  signature_invalid 1',
          'day  24  accepted 1',
          'day gone 24  accepted 1',
          'day shop 0 key_1 accepted 3',
          'day shop 0  signature_invalid 1',
          'hour  0  accepted 2',
          'hour  1  accepted 1',
          'hour  23  signature_invalid 1',
          'hour  24  accepted 1',
          'hour gone 24  accepted 1',
          'hour shop 0 key_1 accepted 2',
          'hour shop 1 key_1 accepted 1',
          'hour shop 23  signature_invalid 1',
        ],
      );
    });
  });
}
