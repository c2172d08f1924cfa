import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';

const baseUrl = __ENV.BASE_URL || 'http://127.0.0.1:8420';

export const options = {
  // Below the service's limit of 6,000 requests a minute: each iteration makes two.
  scenarios: {
    calls: {
      executor: 'constant-arrival-rate',
      rate: 40,
      timeUnit: '1s',
      duration: '10s',
      preAllocatedVUs: 20,
    },
  },
  thresholds: { checks: ['rate==1.0'] },
};

export default function () {
  // Equal requests need a second each: a counter makes every one of them different.
  const count = exec.scenario.iterationInTest;
  const read = http.get(`${baseUrl}/v1/signature-test?count=${count}`);
  check(read, { 'a GET is accepted': ({ status }) => status === 200 });

  const payment = { amount: 1250, currency: 'EUR', reference: `k6-${count}` };
  const headers = { 'Content-Type': 'application/json' };
  const made = http.post(`${baseUrl}/v1/payments`, JSON.stringify(payment), { headers });
  check(made, { 'a payment is accepted': ({ status }) => status === 201 });
}
