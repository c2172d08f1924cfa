import { ComponentError } from '../rfc9421/component-identifier.ts';
import type { Message } from '../rfc9421/message.ts';
import { coveredComponents, type MessageBase, messageBase } from '../rfc9421/message-base.ts';
import type { InnerList } from '../rfc9421/structured-fields.ts';
import type { DefinedProfile } from './define-profile.ts';

/** Returns the signature base of a message, whatever the profile requires; undefined if a component cannot be covered. */
export function baseOf(
  input: InnerList,
  message: Message,
  { profile }: DefinedProfile,
): MessageBase | undefined {
  try {
    return messageBase(input, coveredComponents(input), message, profile.fieldTypes);
  } catch (error) {
    if (error instanceof ComponentError) return undefined;
    throw error;
  }
}
