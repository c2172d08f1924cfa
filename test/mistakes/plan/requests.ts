/** A request that a programmer wants to send, before anything goes wrong. */
export interface Wish {
  readonly method: string;
  readonly url: string;
  /** Data that the client serialises as JSON. */
  readonly data?: unknown;
  /** A body given as text. */
  readonly text?: string;
  readonly contentType?: string;
  /** The client that sends it: a name from `account.ts`. */
  readonly client: 'webshop' | 'backoffice' | 'mobile';
  /** The client's clock, in Unix seconds. */
  readonly clock: number;
}

const api = 'https://api.countersign.example';
const payment = 'payment_01kjz4m8r2x6t9w3v7b5n1c0qd';
const json = 'application/json';
// The day has one digit, which some date formats reveal.
const inMarch = Date.UTC(2026, 2, 5, 8, 41, 5) / 1000;
const inNovember = Date.UTC(2026, 10, 17, 14, 3, 52) / 1000;

export const wishes: Readonly<Record<string, Wish>> = {
  list: { method: 'GET', url: `${api}/v1/payments`, client: 'webshop', clock: inMarch },
  page: {
    method: 'GET',
    url: `${api}/v1/payments?limit=20&cursor=eyJpZCI6NDJ9`,
    client: 'webshop',
    clock: inNovember,
  },
  search: {
    method: 'GET',
    url: `${api}/v1/payments?state=pending&reference=Invoice%2042%2FA&limit=50`,
    client: 'backoffice',
    clock: inMarch,
  },
  filter: {
    method: 'GET',
    url: `${api}/v1/payments?filter%5Bstate%5D=pending&filter%5Bcurrency%5D=EUR`,
    client: 'webshop',
    clock: inNovember,
  },
  city: {
    method: 'GET',
    url: `${api}/v1/customers/Z%C3%BCrich%20S%C3%BCd/payments`,
    client: 'mobile',
    clock: inNovember,
  },
  port: { method: 'GET', url: `${api}:8443/v1/whoami`, client: 'webshop', clock: inMarch },
  munich: {
    method: 'GET',
    url: 'https://api.xn--mnchen-3ya.example/v1/payments?limit=5',
    client: 'backoffice',
    clock: inNovember,
  },
  read: { method: 'GET', url: `${api}/v1/payments/${payment}`, client: 'mobile', clock: inMarch },
  head: { method: 'HEAD', url: `${api}/v1/payments/${payment}`, client: 'webshop', clock: inNovember },
  delete: { method: 'DELETE', url: `${api}/v1/webhooks/41`, client: 'backoffice', clock: inNovember },
  cancel: {
    method: 'POST',
    url: `${api}/v1/payments/${payment}/cancel`,
    client: 'webshop',
    clock: inNovember,
  },
  pay: {
    method: 'POST',
    url: `${api}/v1/payments`,
    data: { reference: 'order-42', amount: 1250, currency: 'EUR' },
    contentType: json,
    client: 'webshop',
    clock: inMarch,
  },
  europe: {
    method: 'POST',
    url: 'https://api.eu.countersign.example/v1/payments',
    data: { reference: 'order-43', amount: 990, currency: 'CHF' },
    contentType: json,
    client: 'backoffice',
    clock: inNovember,
  },
  order: {
    method: 'POST',
    url: `${api}/v1/payments?notify=true`,
    data: {
      reference: 'INV/2026/0042',
      amount: 1860,
      currency: 'EUR',
      description: 'Café Zoë, 2 × Espresso',
      metadata: { link: 'https://shop.example/orders/42', tags: ['été', 'table 7'], guest: true },
    },
    contentType: json,
    client: 'backoffice',
    clock: inMarch,
  },
  replace: {
    method: 'PUT',
    url: `${api}/v1/webhooks/41`,
    data: {
      url: 'https://shop.example/hook?source=countersign&kind=payment',
      events: ['payment.completed', 'payment.cancelled'],
      retry: { times: 3, pause: 60 },
      active: false,
    },
    contentType: json,
    client: 'mobile',
    clock: inNovember,
  },
  form: {
    method: 'POST',
    url: `${api}/v1/payments`,
    text: 'reference=Invoice+42%2FA&amount=1250&currency=EUR',
    contentType: 'application/x-www-form-urlencoded',
    client: 'webshop',
    clock: inNovember,
  },
  note: {
    method: 'PUT',
    url: `${api}/v1/payments/${payment}/note`,
    text: 'Paid at the counter.\nReceipt for Zoë.\nSecond visit\n',
    contentType: 'text/plain; charset=utf-8',
    client: 'webshop',
    clock: inMarch,
  },
  saved: {
    method: 'POST',
    url: `${api}/v1/payments`,
    text: '{"reference":"order-44","amount":320,"currency":"EUR"}\n',
    contentType: json,
    client: 'webshop',
    clock: inNovember,
  },
};
