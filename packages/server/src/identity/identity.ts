/**
 * Everything the rest of the service may use of people and how they sign in.
 *
 * @module
 */
export { openPeople } from './open-people.ts';
export type { PasswordCost } from './passwords.ts';
export type { DemoCredentials, People, PersonSession } from './people.ts';
