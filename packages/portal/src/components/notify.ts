import { notifications } from '@mantine/notifications';
import { isApiError } from '../api/api-error.ts';
import { wordsOf } from './problem-words.ts';

/** Toasts. Screen readers announce them. */
export const notify = {
  success(message: string): void {
    notifications.show({ message, color: 'green', autoClose: 5000, withBorder: true });
  },

  /** Takes a text, or a failure to explain. Ignores actions that the person cancelled. */
  error(failure: unknown): void {
    if (isApiError(failure, 'cancelled')) return;
    const { title, detail } =
      typeof failure === 'string' ? { title: failure, detail: undefined } : wordsOf(failure);
    const isWaiting = isApiError(failure, 'waits_for_second_person');
    notifications.show({
      title,
      message: detail ?? '',
      color: isWaiting ? 'blue' : 'red',
      autoClose: 12_000,
      withBorder: true,
      role: 'alert',
    });
  },
} as const;
