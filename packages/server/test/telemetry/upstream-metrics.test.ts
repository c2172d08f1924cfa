import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProtectedApi } from '@countersign/testing/protected-api';

test('the metrics tell upstreams apart, and which address has failed', async (t) => {
  const away = 'http://127.0.0.1:9';
  const routes = [
    { path: '/away', upstream: 'away', permission: 'shop' },
    { path: '/**', upstream: 'api', permission: 'shop' },
  ];
  const api = await openProtectedApi(t, {
    environment: {
      COUNTERSIGN_METRICS_PORT: '0',
      COUNTERSIGN_UPSTREAMS: JSON.stringify({ away: { addresses: away } }),
      COUNTERSIGN_ROUTES: JSON.stringify(routes),
    },
  });
  assert.equal((await api.call('GET', '/orders')).status, 200);
  for (let index = 0; index < 3; index++) assert.equal((await api.call('GET', '/away')).status, 502);
  const text = await (await fetch(`${api.running.service.metricsAddress}/metrics`)).text();
  const ours = api.running.service.configuration.routing!.upstreams.find(({ name }) => name === 'api')!;
  assert.ok(text.includes('countersign_handler_duration_seconds_count{upstream="api"} 1'), text);
  assert.ok(text.includes('countersign_handler_duration_seconds_count{upstream="away"} 3'));
  assert.ok(text.includes(`countersign_upstream_ejected{upstream="away",address="${away}"} 1`));
  assert.ok(text.includes(`countersign_upstream_ejected{upstream="api",address="${ours.addresses[0]}"} 0`));
  assert.ok(text.includes(`countersign_upstream_requests{upstream="api",address="${ours.addresses[0]}"} 0`));
});
