// A Koa API that only signed requests reach.
import { createVerifier } from '@countersign/middleware';
import { countersign } from '@countersign/middleware/koa';
import bodyParser from '@koa/bodyparser';
import Koa from 'koa';
import { findClient } from './clients.mjs';

const port = Number(process.env.PORT ?? 3000);
const verifier = createVerifier({ baseUrls: [`http://127.0.0.1:${port}`], findClient });

const app = new Koa();
app.use(async (ctx, next) => {
  if (ctx.path === '/health') ctx.body = 'ok'; // in front of it: nobody signs this
  else await next();
});
app.use(countersign(verifier)); // before every body parser
app.use(bodyParser());

app.use((ctx) => {
  const { clientId, permissions } = ctx.state.countersign;
  if (ctx.method !== 'POST' || ctx.path !== '/orders') return;
  if (!permissions.has('orders:write')) return ctx.throw(403);
  ctx.status = 201;
  ctx.body = { clientId, amount: ctx.request.body.amount };
});

app.listen(port, '127.0.0.1');
