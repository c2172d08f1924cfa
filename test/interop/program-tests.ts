import { testInterop } from '../../packages/signature/test/messages/interop-tests.ts';
import { missingFor, type ProgramLanguage, programPeer } from './program-peers.ts';

/** Tests with the library of one language. Each has a test file of its own: a first build takes long, and none needs another. */
export function testProgram(language: ProgramLanguage): void {
  testInterop(programPeer(language), missingFor(language));
}
