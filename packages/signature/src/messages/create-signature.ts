import { checkNumber, checkObject, checkText, wrongType } from '../arguments/check-argument.ts';
import { latin1Bytes } from '../platform/latin1-bytes.ts';
import { encodeBase64 } from '../rfc9421/base64.ts';
import { ComponentError, readComponentIdentifier } from '../rfc9421/component-identifier.ts';
import type { FieldTypes } from '../rfc9421/component-value.ts';
import { type HttpMessage, type Message, readMessage } from '../rfc9421/message.ts';
import { coveredComponents, messageBase } from '../rfc9421/message-base.ts';
import {
  isLabel,
  parameterItem,
  parameterTypes,
  readSignatureMembers,
  type SignatureParameters,
} from '../rfc9421/signature-members.ts';
import { type InnerList, type Item, parseItem, serializeDictionary } from '../rfc9421/structured-fields.ts';
import { type MessageAlgorithm, messageAlgorithms, type MessageSigningKey } from './algorithms.ts';

/** What to sign, without a profile. */
export interface SignatureContent {
  /** The signature's label in both fields. */
  readonly label: string;
  /** The covered components, in order, as in `Signature-Input`; the quotes may be left out without parameters. */
  readonly components: readonly string[];
  /** In the order in which they are written. */
  readonly parameters?: SignatureParameters;
  readonly key: MessageSigningKey;
  /** The types of structured fields that the registry does not have. */
  readonly fieldTypes?: FieldTypes;
}

/** The header lines to add to a message. Lines of other signatures may stay: the lines of a field are one list. */
export interface SignatureLines {
  readonly 'Signature-Input': string;
  readonly Signature: string;
}

/** A signature, and what was signed. */
export interface MessageSignature {
  readonly headers: SignatureLines;
  readonly signatureBase: string;
}

/**
 * A message that cannot be signed as asked. Its message says what to do, and holds nothing of a key.
 */
export class MessageSigningError extends Error {
  override name = 'MessageSigningError';
}

/** Signs a message's components, without a profile: what a verifier requires is up to the caller. */
export async function createSignature(
  message: HttpMessage,
  content: SignatureContent,
): Promise<MessageSignature> {
  return signRead(wellFormed(message), content);
}

/** Signs a message that was read. */
export async function signRead(message: Message, content: SignatureContent): Promise<MessageSignature> {
  checkObject(content, 'The signature');
  checkText(content.label, 'label');
  if (!Array.isArray(content.components))
    throw wrongType('components', content.components, 'a list of texts');
  checkSigningKey(content.key);
  const { label, key } = content;
  if (!isLabel(label))
    throw new MessageSigningError('The label must be lower-case letters, digits and "_-.*", at most 64.');
  checkLabelIsFree(message, label);
  return asSigningError(async () => {
    const input: InnerList = {
      type: 'inner-list',
      items: content.components.map(componentItem),
      parameters: parameterItems(content.parameters ?? {}, key.algorithm),
    };
    const base = messageBase(input, coveredComponents(input), message, content.fieldTypes);
    const signature = checkedSignature(await key.sign(latin1Bytes(base.text)), key.algorithm);
    return {
      headers: {
        'Signature-Input': serializeDictionary(new Map([[label, input]])),
        Signature: `${label}=:${encodeBase64(signature)}:`,
      },
      signatureBase: base.text,
    };
  });
}

/** A function of a vault or a key service may return anything. */
function checkedSignature(signature: unknown, algorithm: MessageAlgorithm): Uint8Array {
  const { min, max } = messageAlgorithms[algorithm].signatureBytes;
  if (!(signature instanceof Uint8Array)) throw wrongType('The result of sign', signature, 'a Uint8Array');
  if (signature.length >= min && signature.length <= max) return signature;
  const form = messageAlgorithms[algorithm].webCrypto.name === 'ECDSA' ? ', r and s, not DER' : '';
  throw new MessageSigningError(
    `The key's sign must return ${min === max ? min : `${min} to ${max}`} bytes${form}.`,
  );
}

/** @throws TypeError for what is no key that signs */
export function checkSigningKey(key: MessageSigningKey): void {
  if (typeof key?.sign !== 'function' || !Object.hasOwn(messageAlgorithms, key.algorithm))
    throw wrongType('key', key, 'a key that signs, with its algorithm');
}

/** @throws MessageSigningError for what no HTTP message can be */
export function wellFormed(httpMessage: HttpMessage): Message {
  const message = readMessage(httpMessage);
  if (typeof message === 'string') throw new MessageSigningError(`The message cannot be sent: ${message}.`);
  return message;
}

/** Two members with one label would leave a verifier one of the two, or none. */
function checkLabelIsFree(message: Message, label: string): void {
  if (!message.headers.has('signature-input') && !message.headers.has('signature')) return;
  const members = readSignatureMembers(message.headers);
  if (typeof members !== 'object')
    throw new MessageSigningError('The message has signature fields that nobody could read: remove them.');
  if (members.inputs.has(label) || members.signatures.has(label))
    throw new MessageSigningError(
      `The message has a signature with the label "${label}": choose another one.`,
    );
}

function componentItem(given: string): Item {
  checkText(given, 'A component');
  // Reads it first: an item that is no identifier must not be signed.
  const { name, text, key, req } = readComponentIdentifier(given);
  if ((name === 'signature' || name === 'signature-input') && key === undefined && !req)
    throw new MessageSigningError(
      `A signature cannot cover all of ${text}, which will have it: add ;key="<label>".`,
    );
  return parseItem(text)!;
}

function parameterItems(
  parameters: SignatureParameters,
  algorithm: MessageAlgorithm,
): InnerList['parameters'] {
  if (parameters.alg !== undefined && parameters.alg !== algorithm)
    throw new MessageSigningError(`The key signs with ${algorithm}, not with what "alg" announces.`);
  if (parameters.alg !== undefined && !messageAlgorithms[algorithm].isRegistered)
    throw new MessageSigningError(
      `"alg" cannot announce ${algorithm}, which has no registered name: leave it out.`,
    );
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new Map(
    given.map(([name, value]) => {
      if (!Object.hasOwn(parameterTypes, name))
        throw new MessageSigningError(`No parameter is called "${name}".`);
      const parameter = name as keyof SignatureParameters;
      if (parameterTypes[parameter] === 'integer') {
        checkNumber(value, name);
        if (!(Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 999_999_999_999_999))
          throw new MessageSigningError(`"${name}" must be whole Unix seconds.`);
      } else {
        checkText(value, name);
        if (!/^[\x20-\x7e]*$/.test(value as string))
          throw new MessageSigningError(`"${name}" must be visible ASCII and spaces.`);
      }
      return [name, parameterItem(parameter, value as string | number)];
    }),
  );
}

/** Turns the error of a component that cannot be signed into the caller's. */
export async function asSigningError<Result>(sign: () => Promise<Result>): Promise<Result> {
  try {
    return await sign();
  } catch (error) {
    if (error instanceof ComponentError)
      throw new MessageSigningError(`The message cannot be signed: ${error.message}.`);
    throw error;
  }
}
