import type { IncomingMessage, ServerResponse } from 'node:http';

/** A response that the gate writes to until the request is handed over. */
export interface LentResponse {
  readonly response: ServerResponse;
  /** From now on the framework responds, and nothing that the gate writes is sent. */
  readonly handOver: () => void;
}

/** Lends the gate a response, together with the request whose body it reads. */
export function lendResponse(response: ServerResponse, request: IncomingMessage): LentResponse {
  let isHandedOver = false;
  const lent = new Proxy(response, {
    get(target, name) {
      if (name === 'req') return request;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return isHandedOver && writingMethods.has(name) ? () => target : (value.bind(target) as unknown);
    },
    // Accessors of node:http need the response itself.
    set: (target, name, value) => Reflect.set(target, name, value),
  });
  return { response: lent, handOver: () => void (isHandedOver = true) };
}

const writingMethods: ReadonlySet<string | symbol> = new Set([
  'writeHead',
  'flushHeaders',
  'write',
  'end',
  'destroy',
]);
