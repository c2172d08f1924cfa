// Checks the documents: links, problem codes, settings, shell blocks, and forbidden words.
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './documents/check.ts';

const { documentCount, findings } = await checkDocuments(fileURLToPath(new URL('..', import.meta.url)));
for (const finding of findings) console.log(finding);
console.log(`${documentCount} documents, ${findings.length} findings`);
if (findings.length > 0) process.exitCode = 1;
