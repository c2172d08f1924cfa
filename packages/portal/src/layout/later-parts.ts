/** Parts that only respond to a person's actions: they load with the first action instead of the first page. */
export { Notifications } from '@mantine/notifications';
export { StepUpForm } from './step-up-form.tsx';
