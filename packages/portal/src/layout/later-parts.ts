/** What only answers a person's actions: it loads with the first of them instead of the first page. */
export { Notifications } from '@mantine/notifications';
export { StepUpForm } from './step-up-form.tsx';
