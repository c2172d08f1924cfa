// A Hono API on @hono/node-server that only signed requests reach.
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { findClient } from './clients.mjs';

const port = Number(process.env.PORT ?? 3000);
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${port}`], findClient });

const app = new Hono();
app.get('/health', (c) => c.text('ok')); // in front of it: nobody signs this
app.use(countersign(verifier)); // before everything that reads the body

app.post('/orders', async (c) => {
  const { clientId, permissions } = c.get('countersign');
  if (!permissions.has('orders:write')) return c.body(null, 403);
  const { amount } = await c.req.json();
  return c.json({ clientId, amount }, 201);
});

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
