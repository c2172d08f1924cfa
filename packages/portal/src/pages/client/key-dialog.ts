import type { Key } from '@countersign/contract';
import type { ClientView } from './client-view.ts';
import type { EndChoice } from './key-end.ts';

/** What a dialog about a key is given. */
export interface KeyDialogProps {
  readonly onClose: () => void;
  readonly keyShown: Key;
  readonly view: ClientView;
  /** What is chosen when the dialog opens. */
  readonly initialChoice?: EndChoice | undefined;
}
