// An Express API that only signed requests reach.
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/express';
import express from 'express';
import { findClient } from './clients.mjs';

const port = Number(process.env.PORT ?? 3000);
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${port}`], findClient });

const app = express();
app.get('/health', (request, response) => response.send('ok')); // in front of it: nobody signs this
app.use(countersign(verifier)); // before every body parser
app.use(express.json());

app.post('/orders', (request, response) => {
  const { clientId, permissions } = request.countersign;
  if (!permissions.has('orders:write')) return response.status(403).end();
  response.status(201).json({ clientId, amount: request.body.amount });
});

app.listen(port, '127.0.0.1');
