// Sends planned requests with the HTTP clients of Node. One JSON document per line: a job in, what its author holds out,
// the headers in, the outcome out. Packages come from the folder that it is started in.
import { createRequire } from 'node:module';
import http from 'node:http';
import { createInterface } from 'node:readline';
import querystring from 'node:querystring';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const from = createRequire(`${process.cwd()}/package.json`);

async function load(name) {
  try {
    const module = await import(pathToFileURL(from.resolve(name)).href);
    return module.default ?? module;
  } catch {
    return undefined;
  }
}

/** All that a package exports by name, too. */
async function loadWhole(name) {
  try {
    return await import(pathToFileURL(from.resolve(name)).href);
  } catch {
    return undefined;
  }
}

const qs = await load('qs');
const queryString = await load('query-string');
const formUrlencoded = await load('form-urlencoded');
const stableStringify = await load('json-stable-stringify');
const safeStringify = await load('safe-stable-stringify');
const canonicalize = await load('canonicalize');
const lossless = await loadWhole('lossless-json');

const asObject = (query) => {
  const object = {};
  for (const [name, value] of query) {
    if (name in object) object[name] = [object[name], value].flat();
    else object[name] = value;
  }
  return object;
};

const queries = {
  naive: (query) => query.map(([name, value]) => `${name}=${value}`).join('&'),
  URLSearchParams: (query) => new URLSearchParams(query).toString(),
  encodeURIComponent: (query) =>
    query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&'),
  encodeURI: (query) => encodeURI(query.map(([name, value]) => `${name}=${value}`).join('&')),
  querystring: (query) => querystring.stringify(asObject(query)),
  qs: qs && ((query) => qs.stringify(asObject(query))),
  'qs repeat': qs && ((query) => qs.stringify(asObject(query), { arrayFormat: 'repeat' })),
  'qs brackets': qs && ((query) => qs.stringify(asObject(query), { encodeValuesOnly: true })),
  'query-string': queryString && ((query) => queryString.stringify(asObject(query))),
  'form-urlencoded':
    formUrlencoded && ((query) => (formUrlencoded.default ?? formUrlencoded)(asObject(query))),
};

const serialisers = {
  'JSON.stringify': (data) => JSON.stringify(data),
  'JSON.stringify 2': (data) => JSON.stringify(data, null, 2),
  'JSON.stringify tab': (data) => JSON.stringify(data, null, '\t'),
  'JSON.stringify twice': (data) => JSON.stringify(JSON.stringify(data)),
  'JSON.stringify keys': (data) => JSON.stringify(data, Object.keys(data)),
  String: (data) => String(data),
  inspect: (data) => inspect(data),
  'json-stable-stringify': stableStringify && ((data) => stableStringify(data)),
  'safe-stable-stringify': safeStringify && ((data) => safeStringify(data)),
  canonicalize: canonicalize && ((data) => canonicalize(data)),
  'lossless-json': lossless && ((data, text) => lossless.stringify(lossless.parse(text))),
};

/** What a program gives a client that serialises nothing. */
function ownBody(job) {
  if (job.way === 'json') return JSON.stringify(job.data);
  if (job.way === 'form') return new URLSearchParams(job.query).toString();
  return job.text;
}

function ownUrl(job) {
  return job.way === 'query' ? `${job.url}?${new URLSearchParams(job.query)}` : job.url;
}

const consume = async (response) => void (await response.text());

const clients = {
  async fetch(job, headers) {
    const body = job.way === 'form' ? new URLSearchParams(job.query) : ownBody(job);
    await consume(await fetch(ownUrl(job), { method: job.method, headers, body, redirect: 'manual' }));
  },
  async undici(job, headers, undici) {
    const query = job.way === 'query' ? asObject(job.query) : undefined;
    const { body } = await undici.request(job.url, {
      method: job.method,
      headers,
      query,
      body: ownBody(job),
    });
    await body.text();
  },
  async axios(job, headers, axios) {
    const data =
      job.way === 'json' ? job.data : job.way === 'form' ? new URLSearchParams(job.query) : job.text;
    const params = job.way === 'query' ? asObject(job.query) : undefined;
    await axios.request({ url: job.url, method: job.method, headers, params, data, proxy: false });
  },
  async got(job, headers, got) {
    await got(job.url, {
      method: job.method,
      headers,
      retry: { limit: 0 },
      allowGetBody: true,
      ...(job.way === 'query' && { searchParams: new URLSearchParams(job.query) }),
      ...(job.way === 'json' && { json: job.data }),
      ...(job.way === 'form' && { form: asObject(job.query) }),
      ...(job.text !== undefined && { body: job.text }),
    });
  },
  async ky(job, headers, ky) {
    await ky(job.url, {
      method: job.method,
      headers,
      retry: 0,
      ...(job.way === 'query' && { searchParams: job.query }),
      ...(job.way === 'json' && { json: job.data }),
      ...(job.way === 'form' && { body: new URLSearchParams(job.query) }),
      ...(job.text !== undefined && { body: job.text }),
    });
  },
  async superagent(job, headers, superagent) {
    let request = superagent(job.method, job.url).set(headers);
    if (job.way === 'query') request = request.query(asObject(job.query));
    if (job.way === 'json') request = request.send(job.data);
    if (job.way === 'form') request = request.type('form').send(asObject(job.query));
    if (job.text !== undefined) request = request.send(job.text);
    await request;
  },
  async needle(job, headers, needle) {
    const options = { headers, json: job.way === 'json' };
    if (job.way === 'query')
      return needle(job.method, job.url, asObject(job.query), { ...options, query: true });
    const data =
      job.way === 'json' ? job.data : job.way === 'form' ? asObject(job.query) : (job.text ?? null);
    await needle(job.method, job.url, data, options);
  },
  async request(job, headers, request) {
    await new Promise((resolve, reject) => {
      const options = {
        url: job.url,
        method: job.method,
        headers,
        followRedirect: false,
        ...(job.way === 'query' && { qs: asObject(job.query) }),
        ...(job.way === 'json' && { json: job.data }),
        ...(job.way === 'form' && { form: asObject(job.query) }),
        ...(job.text !== undefined && { body: job.text }),
      };
      request(options, (error) => (error ? reject(new Error(String(error))) : resolve()));
    });
  },
  async 'node-fetch'(job, headers, nodeFetch) {
    const body = job.way === 'form' ? new URLSearchParams(job.query) : ownBody(job);
    await consume(await nodeFetch(ownUrl(job), { method: job.method, headers, body, redirect: 'manual' }));
  },
  async phin(job, headers, phin) {
    const data = job.way === 'json' ? job.data : ownBody(job);
    await (phin.phin ?? phin)({ url: ownUrl(job), method: job.method, headers, data });
  },
  async wretch(job, headers, wretch) {
    const request = wretch(ownUrl(job))
      .headers(headers)
      .options({ body: ownBody(job) });
    await request.fetch(job.method).res();
  },
  async 'node:http'(job, headers) {
    await sendByHttp(new URL(ownUrl(job)), job, headers);
  },
  async 'node:http path'(job, headers) {
    const [, host, path] = /^http:\/\/([^/?#]*)(.*)$/s.exec(ownUrl(job));
    await sendByHttp({ host: host.split(':')[0], port: host.split(':')[1] ?? 80, path }, job, headers);
  },
};

async function sendByHttp(to, job, headers) {
  await new Promise((resolve, reject) => {
    const options = { method: job.method, headers, agent: false };
    const request =
      to instanceof URL ? http.request(to, options, read) : http.request({ ...to, ...options }, read);
    function read(response) {
      response.resume().on('end', resolve);
    }
    request.on('error', reject);
    request.end(ownBody(job));
  });
}

const builtIn = { fetch: {}, 'node:http': {}, 'node:http path': {} };
const packages = {};
for (const name of Object.keys(clients)) {
  const module = builtIn[name] ?? (name === 'undici' ? await loadWhole(name) : await load(name));
  if (module) packages[name] = module;
}

/** What the author of the signing code believes is sent. */
function hold(job) {
  let { url } = job;
  let body;
  if (job.way === 'query') url += `?${queries[job.signs](job.query)}`;
  else if (job.way === 'form') body = queries[job.signs](job.query);
  else if (job.way === 'json') body = job.holds ?? serialisers[job.signs](job.data, JSON.stringify(job.data));
  else body = job.text;
  return { url, body: body === undefined ? null : Buffer.from(body).toString('base64') };
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const available = (table) => Object.keys(table).filter((name) => table[name]);
say({ clients: Object.keys(packages), serialisers: available(serialisers), queries: available(queries) });

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
for (;;) {
  const { value: line, done } = await lines.next();
  if (done) break;
  const job = JSON.parse(line);
  try {
    if (job.way === 'serialise') {
      const text = serialisers[job.signs](job.data, JSON.stringify(job.data));
      say({ held: { url: '', body: Buffer.from(text).toString('base64') } });
      continue;
    }
    const held = hold(job);
    if (job.sends) {
      job.text = serialisers[job.sends](job.data, JSON.stringify(job.data));
      job.way = 'text';
    }
    say({ held });
  } catch (error) {
    say({ error: String(error).slice(0, 200) });
    continue;
  }
  const { headers } = JSON.parse((await lines.next()).value);
  try {
    await clients[job.client](job, Object.fromEntries(headers), packages[job.client]);
    say({ sent: true });
  } catch (error) {
    say({ error: String(error).slice(0, 200) });
  }
}
process.exit();
