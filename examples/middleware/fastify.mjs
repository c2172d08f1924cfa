// A Fastify API that only signed requests reach.
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/fastify';
import fastify from 'fastify';
import { findClient } from './clients.mjs';

const port = Number(process.env.PORT ?? 3000);
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${port}`], findClient });

const app = fastify();
app.get('/health', async () => 'ok'); // outside of the plugin: nobody signs this

await app.register(async (api) => {
  await api.register(countersign, { verifier }); // for the routes of this plugin, and of those registered in it
  api.post('/orders', async (request, reply) => {
    const { clientId, permissions } = request.countersign;
    if (!permissions.has('orders:write')) return reply.code(403).send();
    return reply.code(201).send({ clientId, amount: request.body.amount });
  });
});

await app.listen({ port, host: '127.0.0.1' });
