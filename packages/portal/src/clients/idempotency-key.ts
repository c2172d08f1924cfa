import { useRef } from 'react';

/** Returns a key per request body, so that a retry after a lost response creates nothing twice. */
export function useIdempotencyKey(): (body: unknown) => string {
  const latest = useRef({ body: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (latest.current.body !== text) latest.current = { body: text, key: randomName() };
    return latest.current.key;
  };
}

/** `randomUUID` exists only on HTTPS pages. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
