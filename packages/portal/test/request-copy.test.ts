import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { readRequestText } from '@countersign/explain/request-text';
import {
  type CopiedRequest,
  curlCommandOf,
  signedCommandOf,
  testCaseOf,
} from '../src/pages/requests/request-copy.ts';

const request: CopiedRequest = {
  requestId: 'request_01k9xq2v6h4mz7c1r8t0w5n3bd',
  receivedAt: '2026-11-21T12:00:00.250Z',
  clientId: 'client_1',
  method: 'POST',
  url: '/v1/payments?limit',
  status: 401,
  outcome: 'signature_invalid',
  durationMs: 3.5,
};

describe('copies of a request', () => {
  it('are one word for a shell, whatever a stranger has called', () => {
    for (const url of [
      "/v1/';touch /tmp/x;'",
      '/v1/$(id)`id`"',
      '/v1/a b\\',
      '/v1/\n; id',
      '/v1/\u202e\u2028x',
      '-o/etc/passwd',
      '/…',
    ]) {
      for (const method of ['GET', "X';id;'", '-X']) {
        for (const command of [signedCommandOf, curlCommandOf]) {
          const line = command({ ...request, url, method }, 'https://api.example.test/');
          assert.ok(!/[\p{Cc}\u202e\u2028]/u.test(line), line);
          const words = line.replace(/^(?:countersign request|curl -i -X) /, '');
          const read = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' })
            .trimEnd()
            .split('\n');
          assert.equal(read.length, 2, line);
          assert.equal(read[0], method);
          assert.ok(read[1]?.startsWith('https://api.example.test/'), line);
        }
      }
    }
  });

  it('say the method and the whole URL', () => {
    assert.equal(
      signedCommandOf(request, 'https://api.example.test'),
      "countersign request POST 'https://api.example.test/v1/payments?limit'",
    );
    assert.equal(
      curlCommandOf({ ...request, method: 'GET', url: '/v1/whoami' }, 'https://api.example.test/'),
      'curl -i -X GET https://api.example.test/v1/whoami',
    );
  });

  it('as a test case are what the explainer reads', async () => {
    const text = testCaseOf({ ...request, url: '/v1/"</script>\u0001' }, 'https://api.example.test');
    const read = await readRequestText(new TextEncoder().encode(text));
    assert.equal(read.method, 'POST');
    assert.equal(read.target, 'https://api.example.test/v1/"</script>%01');
  });
});
