import { notifications } from '@mantine/notifications';
import { isApiError } from '../api/api-error.ts';
import { wordsOf } from './problem-words.ts';

/** Short messages at the edge of the page, which screen readers say too. */
export const notify = {
  /** Something was done. */
  success(message: string): void {
    notifications.show({ message, color: 'green', autoClose: 5000, withBorder: true });
  },

  /** Something was not done: a text, or a failure, whose words are found. What the person cancelled is not told. */
  error(failure: unknown): void {
    if (isApiError(failure, 'cancelled')) return;
    const { title, detail } =
      typeof failure === 'string' ? { title: failure, detail: undefined } : wordsOf(failure);
    notifications.show({
      title,
      message: detail ?? '',
      color: 'red',
      autoClose: 12_000,
      withBorder: true,
      role: 'alert',
    });
  },
} as const;
