/** A text that holds no key that could be read. The message never contains any of the text. */
export interface KeyTextFault {
  readonly kind: 'fault';
  readonly code: 'key_missing' | 'key_malformed' | 'several_keys';
  /** What is wrong and what to do. */
  readonly message: string;
}

/** Makes a fault. */
export function fault(code: KeyTextFault['code'], message: string): KeyTextFault {
  return { kind: 'fault', code, message };
}
