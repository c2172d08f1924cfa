/** A fault in a text that holds no readable key. The message never contains any of the text. */
export interface KeyTextFault {
  readonly kind: 'fault';
  readonly code: 'key_missing' | 'key_malformed' | 'several_keys';
  /** Says what is wrong and what to do. */
  readonly message: string;
}

export function fault(code: KeyTextFault['code'], message: string): KeyTextFault {
  return { kind: 'fault', code, message };
}
