import { useRef } from 'react';

/**
 * Names an attempt to create something, so that sending it again after a lost answer creates nothing twice: the name stays
 * as long as the body does.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const latest = useRef({ body: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (latest.current.body !== text) latest.current = { body: text, key: randomName() };
    return latest.current.key;
  };
}

/** `randomUUID` exists only on pages with HTTPS. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
