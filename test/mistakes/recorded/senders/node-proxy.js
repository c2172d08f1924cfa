// Proxies as people write them for Node. Arguments: which one, and the port behind it.
import { createRequire } from 'node:module';
import http from 'node:http';
import { pathToFileURL } from 'node:url';

const from = createRequire(`${process.cwd()}/package.json`);
const load = async (name) => (await import(pathToFileURL(from.resolve(name)).href)).default;
const [, , kind, port] = process.argv;
const target = `http://127.0.0.1:${port}`;

const withoutLength = ({ 'content-length': _length, connection: _connection, ...headers }) => headers;

/** Sends a body again after a framework has parsed it. */
function forward(request, response, body) {
  const options = {
    method: request.method,
    path: request.originalUrl ?? request.url,
    headers: withoutLength(request.headers),
  };
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sending = http.request(
    target,
    { ...options, headers: { ...options.headers, ...length } },
    (answer) => {
      response.writeHead(answer.statusCode);
      answer.pipe(response);
    },
  );
  sending.on('error', () => response.destroy());
  sending.end(body);
}

const kinds = {
  async 'http-proxy'() {
    const proxy = (await load('http-proxy')).createProxyServer({ target });
    proxy.on('error', (_error, _request, response) => response.destroy());
    return http.createServer((request, response) => proxy.web(request, response));
  },
  async 'express-json'() {
    const express = await load('express');
    const application = express();
    application.use(express.json({ type: () => true, strict: false }));
    application.use((request, response) => {
      const isEmpty =
        request.headers['content-length'] === undefined || request.headers['content-length'] === '0';
      forward(request, response, isEmpty ? undefined : JSON.stringify(request.body));
    });
    return application;
  },
  async 'express-form'() {
    const express = await load('express');
    const application = express();
    application.use(express.urlencoded({ extended: true }));
    application.use((request, response) => {
      const isForm = request.is('application/x-www-form-urlencoded');
      const { pathname } = new URL(request.originalUrl, 'http://localhost');
      const query = new URLSearchParams(request.query).toString();
      request.originalUrl = query === '' ? pathname : `${pathname}?${query}`;
      forward(request, response, isForm ? new URLSearchParams(request.body).toString() : undefined);
    });
    return application;
  },
  async 'fetch-forward'() {
    const whole = async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const url = new URL(request.url, target);
      try {
        const { pathname, search } = url;
        forward(
          { method: request.method, url: pathname + search, headers: request.headers },
          response,
          chunks.length > 0 ? Buffer.concat(chunks).toString() : undefined,
        );
      } catch {
        response.destroy();
      }
    };
    return http.createServer((request, response) => void whole(request, response));
  },
};

const server = await kinds[kind]();
server.listen(80, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
